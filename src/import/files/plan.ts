/** Plans an import: detects the files at its paths and sorts them. */

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { messageOf, UsageError, UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { sessions } from '../../journal/resources/sessions.ts';
import { fills } from '../../statements/fill-row.ts';
import { reading } from '../fills/reading.ts';
import { jsonLines } from '../formats/records.ts';
import { dayNotes, markdown } from '../notes/format.ts';
import {
  contentsOf as contentsOfText,
  isNoteName,
  notesIn,
  readNote,
  unclearDate,
} from '../notes/vault.ts';
import type { Format, Note } from '../tables/format.ts';
import type { KeptContents } from './bytes.ts';
import {
  bytesOf,
  type Job,
  STANDARD_INPUT,
  standardInput,
  startOf,
  startOfBytes,
  statOf,
} from './contents.ts';
import {
  IMPORTS_FILE,
  importsNextTo,
  readImports,
  readUserSettings,
  USER_FILE,
} from './exported.ts';
import {
  type FileStart,
  formatNamed,
  RESOURCE_PATHS,
  recognised,
  resourceNamed,
  Unrecognised,
  type Wanted,
} from './recognise.ts';

/** A file, or a folder named by the user, that wasn't imported. */
export interface FailedFile {
  file: string;
  error: UserError;
}

export interface Plan {
  jobs: Job[];
  ignored: { file: string; reason: string }[];
  failed: FailedFile[];
  /** User settings in the folder of an export. */
  settings?: { file: string; user: User };
}

/** An export's empty file of fills. */
const noFills: Format = {
  ...jsonLines,
  streamed: false,
  read: () => reading({ rows: 0 }),
} as unknown as Format;

const LOADED_FIRST = ['trade-groups', 'trades'];

export interface PlanOptions {
  /** Path of the resource of all files. */
  as?: string | undefined;
  /** Name of the format of all files. */
  format?: string | undefined;
  /** The formats of tables and notes by a mapping. */
  mapped?: { table: Format; notes: Format } | undefined;
  /** Whether files that became links or folders are rejected. */
  noLinks?: boolean | undefined;
  /** Contains the paths. */
  folder?: string | undefined;
  /** Of notes without one. */
  date?: string | undefined;
  /** The job of a file, or of notes, whose import was changed: they are read as that was. */
  changed?: Wanted['changed'];
}

export function planImport(paths: readonly string[], options: PlanOptions): Plan {
  const wanted = wantedBy(options);
  const plan: Plan = { jobs: [], ignored: [], failed: [] };
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === '-' && seen.has(path)) continue;
    if (path === '-') seen.add(path);
    orFailed(path, plan, () => {
      if (path === '-')
        plan.jobs.push(
          jobOfBytes({ file: STANDARD_INPUT, name: '', bytes: standardInput() }, wanted),
        );
      else if (!wanted.noLinks && statOf({ file: path }).isDirectory())
        planFolder(path, wanted, plan);
      else if (isNoteName(path) && takesNotes(wanted)) planNote(path, wanted, plan);
      else plan.jobs.push(jobOf(path, wanted, false));
    });
  }
  plan.jobs = plan.jobs.filter(
    ({ file, bytes, notes }) =>
      (bytes ?? notes) !== undefined || (!seen.has(resolve(file)) && seen.add(resolve(file))),
  );
  // Groups before their trades; trades before records that refer to them, and before their fills.
  // Otherwise the order stays.
  plan.jobs.sort((a, b) => rank(a) - rank(b));
  return plan;
}

function wantedBy({
  as,
  format,
  mapped,
  noLinks = false,
  folder,
  date,
  changed,
}: PlanOptions): Wanted {
  return {
    ...{ date, noLinks, folder, changed },
    resource: as === undefined ? undefined : resourceNamed(as),
    format: mapped?.table ?? (format === undefined ? undefined : formatNamed(format)),
    mappedNotes: mapped?.notes,
  };
}

/**
 * The jobs of a file, or of notes, that the journal keeps. @throws UserError if they are unknown
 */
export function planKept({ file, name, pieces, notes }: KeptContents, options: PlanOptions): Job[] {
  const wanted = wantedBy(options);
  if (notes) return jobsOfKept(file, notes, wanted);

  const [first = Buffer.alloc(0)] = pieces?.() ?? [];
  const start = startOfBytes(first);
  return [recognised({ file, name, start, pieces }, wanted, false)];
}

function jobsOfKept(file: string, notes: readonly Note[], wanted: Wanted): Job[] {
  const byContents = Map.groupBy(notes, (note) => contentsOfNote(note, wanted));
  const jobs = [...byContents].flatMap(([contents, own]) =>
    contents ? [jobOfNotes(file, contents, own, wanted)] : [],
  );
  if (jobs.length === 0) throw unknownNote(file);
  return jobs;
}

/** A file that can't be planned stops no other one; an error in the command line does. */
function orFailed(file: string, { failed }: Plan, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof UsageError) throw error;
    failed.push({ file, error });
  }
}

function planFolder(folder: string, wanted: Wanted, plan: Plan): void {
  const names = namesIn(folder).sort();
  const notes = takesNotes(wanted) ? notesIn(folder) : [];
  const holdNotes = new Set(notes.map((path) => relative(folder, path).split(sep)[0]));
  let found = 0;
  for (const name of names) {
    if (name.startsWith('.') || holdNotes.has(name)) continue;
    const file = join(folder, name);
    const settings = name === USER_FILE ? readUserSettings(file) : undefined;
    if (settings) {
      plan.settings = { file, user: settings };
      continue;
    }
    if (name === IMPORTS_FILE && readImports({ file })) continue;
    const reason = whyNoFile(file);
    if (reason !== undefined) {
      plan.ignored.push({ file, reason });
      continue;
    }
    orFailed(file, plan, () => {
      try {
        // Without fills, the list of imports may still hold fees and exchange rates.
        const isEmptyExport =
          name === 'fills.jsonl' && statSync(file).size === 0 && importsNextTo({ file }).length > 0;
        plan.jobs.push(
          isEmptyExport ? { file, format: noFills, resource: fills } : jobOf(file, wanted, true),
        );
        found++;
      } catch (error) {
        if (!(error instanceof Unrecognised)) throw error;
        plan.ignored.push({ file, reason: error.short });
      }
    });
  }
  // Notes next to tables of a mapping aren't rows of them.
  if (found === 0 || wanted.format?.holds === undefined)
    found += planNotes(folder, notes, wanted, plan);
  if (found === 0) {
    throw new UserError(
      `nothing to import in ${folder}; add notes with a type, files named after a resource (${RESOURCE_PATHS.join(', ')}), or exports of a platform ("journal-api import --formats" lists them)${namesOf(plan.ignored)}`,
    );
  }
}

const NAMED = 5;

function namesOf(ignored: Plan['ignored']): string {
  const named = ignored.slice(0, NAMED).map(({ file, reason }) => `${basename(file)} (${reason})`);
  const more = ignored.length - named.length;
  return named.length === 0
    ? ''
    : `; skipped: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Why a folder's entry isn't a file to read. Opening a pipe would wait for its writer. */
function whyNoFile(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return 'a broken link';
    if (stats.isDirectory()) return 'a subfolder';
    return stats.isFile() ? undefined : 'not a regular file';
  } catch (error) {
    return messageOf(error);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new UserError(`the folder ${folder} can't be read: ${messageOf(error)}`);
  }
}

function jobOf(file: string, wanted: Wanted, inFolder: boolean): Job {
  const place = { file, name: basename(file), noLinks: wanted.noLinks };
  // With a given format the file is opened only once: it may be a pipe.
  if (wanted.format && !inFolder) return recognised({ ...place, start: '' }, wanted, inFolder);
  if (statOf(place).isFile()) {
    const start = startOf(place);
    return wanted.changed?.(place) ?? recognised({ ...place, start }, wanted, inFolder);
  }
  return jobOfBytes({ ...place, bytes: bytesOf(place) }, wanted, inFolder);
}

/** A pipe or standard input can be read only once. */
function jobOfBytes(
  place: Omit<FileStart, 'start'> & { bytes: Buffer },
  wanted: Wanted,
  inFolder = false,
): Job {
  return recognised({ ...place, start: startOfBytes(place.bytes) }, wanted, inFolder);
}

function rank({ resource, format }: Job): number {
  const index = LOADED_FIRST.indexOf(resource.path);
  if (resource === fills) return LOADED_FIRST.length + 1;
  // Days refer to trades, including those made from fills.
  if (format === dayNotes) return LOADED_FIRST.length + 2;
  return index === -1 ? LOADED_FIRST.length : index;
}

// Plans the import of a folder's notes, grouped by kind.

/**
 * Whether notes are imported: unless another format is given. A mapping applies to tables and
 * notes.
 */
function takesNotes({ format, mappedNotes }: Wanted): boolean {
  return format === undefined || format === markdown || mappedNotes !== undefined;
}

/** @returns the number of notes of a known type */
function planNotes(folder: string, paths: readonly string[], wanted: Wanted, plan: Plan): number {
  const all = readable(folder, paths, wanted, plan);
  const changed = wanted.changed?.({ file: folder, notes: all.map(({ note }) => note) });
  if (changed) return plan.jobs.push(changed);
  const byContents = Map.groupBy(all, ({ contents }) => contents);
  const silent: Note[] = [];
  for (const { note } of byContents.get(undefined) ?? []) {
    const reason = unclearDate(note);
    if (reason === undefined) silent.push(note);
    else plan.ignored.push({ file: note.file, reason });
  }
  const [first, second] = silent;
  if (first) {
    const count = second ? `${silent.length} notes` : 'a note';
    const reason = `${count} without the property "type", in no folder named after a resource`;
    plan.ignored.push({ file: second ? folder : first.file, reason });
  }
  let found = 0;
  for (const [contents, own] of byContents) {
    if (!contents) continue;
    found += own.length;
    const notes = own.map(({ note }) => note);
    plan.jobs.push(
      wanted.changed?.({ file: folder, notes }) ?? jobOfNotes(folder, contents, notes, wanted),
    );
  }
  return found;
}

/** Reads notes with their contents; an unreadable one is reported and skipped. */
function readable(folder: string, paths: readonly string[], wanted: Wanted, plan: Plan) {
  return paths.flatMap((path) => {
    try {
      const note = readNote({ file: path }, folder);
      return [{ note, contents: contentsOfNote(note, wanted) }];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      plan.ignored.push({ file: path, reason: error.message });
      return [];
    }
  });
}

function planNote(path: string, wanted: Wanted, plan: Plan): void {
  const note = readNote({ file: path, noLinks: wanted.noLinks }, wanted.folder ?? dirname(path));
  const changed = wanted.changed?.({ file: path, notes: [note] });
  if (changed) {
    plan.jobs.push(changed);
    return;
  }
  const contents = contentsOfNote(note, wanted);
  if (!contents) {
    const unclear = unclearDate(note);
    if (unclear !== undefined) throw new UserError(`${path}: ${unclear}`);
    throw unknownNote(path);
  }
  plan.jobs.push(jobOfNotes(path, contents, [note], wanted));
}

function unknownNote(path: string): UserError {
  return new UserError(
    `${path}: unknown note type; add the property "type" (session, entry, weekly-review, missed-trade, trade), or pass --as (${RESOURCE_PATHS.join(', ')})`,
  );
}

function contentsOfNote(
  note: Note,
  { mappedNotes, format, resource, date }: Wanted,
): ListResource | 'days' | undefined {
  if (mappedNotes) return resourceNamed(format?.holds as string);
  return resource ?? contentsOfText(note, date);
}

function jobOfNotes(
  file: string,
  contents: ListResource | 'days',
  notes: readonly Note[],
  wanted: Wanted,
): Job {
  if (contents === 'days') return { file, format: dayNotes, resource: sessions, notes };
  return { file, format: wanted.mappedNotes ?? markdown, resource: contents, notes };
}
