/** Shows what a mapping reads, and asks before it is stored for the first time. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { RowError, UserError } from '../../errors.ts';
import { bytesOf, type Job } from '../../import/files/contents.ts';
import { planImport } from '../../import/files/plan.ts';
import type { WholeReading } from '../../import/fills/reading.ts';
import { EarlierImports, inWords, tableOf } from '../../import/mapping/confirm.ts';
import { formatsBy, mappedReading } from '../../import/mapping/format.ts';
import type { LoadedMapping } from '../../import/mapping/load.ts';
import { loadToPlan } from '../../import/on-demand.ts';
import type { ReadContext } from '../../import/tables/format.ts';
import { journalOf } from '../../import/write/new-journal.ts';
import type { TargetJournal } from '../../import/write/target-journal.ts';
import { note, type Options, shellWord, targetOf } from './command.ts';
import { agree } from './terminal.ts';

type Confirming = Options & {
  yes?: boolean;
  timezone?: string;
  date?: string;
  zone?: string | undefined;
};

/**
 * Asks at a terminal whether a mapping reads files as it should; elsewhere --yes confirms it.
 * @throws UsageError without a terminal and --yes; UserError if the user says no
 */
export async function confirmMapping(
  paths: readonly string[],
  loaded: LoadedMapping,
  options: Confirming,
): Promise<void> {
  if (options.dryRun || options.yes) return;

  await loadToPlan(paths);
  const lines = toConfirm(paths, loaded, options);
  if (lines.length === 0) return;

  for (const line of lines) note(line);
  const again = `check it, and pass --yes to import; --dry-run shows more`;
  await agree(
    'Is this what the file states?',
    `${loaded.file} was not confirmed yet; ${again}`,
  );
}

/** @throws UserError if a watched file needs a confirmation */
export function refuseUnconfirmed(
  path: string,
  loaded: LoadedMapping,
  options: Confirming,
  folder: string,
): void {
  if (options.dryRun || options.yes) return;

  const lines = toConfirm([path], loaded, options, folder);
  if (lines.length === 0) return;

  const command = `journal-api import ${shellWord(path)} --map ${shellWord(loaded.file)}`;
  throw new UserError(
    `${lines.join('\n')}\nnot confirmed yet; import this file once by itself: ${command}`,
  );
}

/**
 * What to confirm, in lines; empty if nothing.
 * @param watched the folder of watched files: then no path may be a link
 */
function toConfirm(
  paths: readonly string[],
  loaded: LoadedMapping,
  options: Confirming,
  watched?: string,
): string[] {
  const { journal, user, now } = targetOf(options);
  const target = journalOf({ journal, user, now, zone: options.zone });

  const linesWith = (earlier: EarlierImports | undefined) =>
    [...jobsAt(paths, loaded, options, watched)].flatMap((job) =>
      linesOf(job, loaded, target, options, earlier),
    );

  try {
    const twice = paths.find((path) => !canBeReadTwice(path));
    const isConfirmed = target.read(
      (reader) => new EarlierImports(reader, target.user.id, loaded).isConfirmed,
    );
    if (twice !== undefined) {
      return isConfirmed
        ? []
        : [
            `${twice === '-' ? 'standard input' : twice} can be read only once, ` +
              "so that it isn't shown first",
          ];
    }
    const known = (reader: ConstructorParameters<typeof EarlierImports>[0]) =>
      linesWith(new EarlierImports(reader, target.user.id, loaded));
    return target.read(known) ?? linesWith(undefined);
  } finally {
    target.close();
  }
}

/** A pipe and standard input can't; the import itself reports a missing file. */
function canBeReadTwice(path: string): boolean {
  if (path === '-') return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.isFile() || stats.isDirectory();
}

function jobsAt(
  paths: readonly string[],
  loaded: LoadedMapping,
  { date }: Confirming,
  watched: string | undefined,
): Job[] {
  try {
    const isWatched = watched !== undefined;
    return planImport(paths, {
      mapped: formatsBy(loaded),
      date,
      noLinks: isWatched,
      folder: watched,
    }).jobs;
  } catch (error) {
    // The import reports it.
    if (error instanceof UserError) return [];
    throw error;
  }
}

function linesOf(
  job: Job,
  loaded: LoadedMapping,
  { user }: TargetJournal,
  { timezone, date }: Confirming,
  earlier: EarlierImports | undefined,
): string[] {
  const { format, notes, file } = job;
  const context = {
    resource: job.resource,
    user,
    fileName: basename(file),
    timeZone: timezone,
    date,
  } as ReadContext;
  try {
    if (notes && format.notes) {
      return earlier?.isConfirmed
        ? []
        : headed(
            file,
            loaded,
            inWords(format.read(notes, context) as WholeReading, undefined, loaded),
          );
    }
    if (!format.binary) return [];

    const table = tableOf(bytesOf(job), loaded);
    const news = earlier?.isConfirmed ? earlier.newIn(table) : [];
    if (earlier?.isConfirmed && news.length === 0) return [];

    const reading = mappedReading(table.rows, loaded, context);
    return headed(file, loaded, [...news, ...inWords(reading, table, loaded)]);
  } catch (error) {
    // A file that can't be read isn't stored either: the import reports it.
    if (error instanceof RowError || error instanceof UserError) return [];
    throw error;
  }
}

function headed(file: string, loaded: LoadedMapping, lines: readonly string[]): string[] {
  return [`${file}, read with ${loaded.file}:`, ...lines.map((line) => `  ${line}`)];
}
