/** Plans an import: detects the files at its paths and sorts them. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { messageOf, UsageError, UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import { OnDemand } from '../../journal/once.ts';
import { isNoteName } from '../../notes/note.ts';
import { type FilePlace, parseJson } from '../../parse/open-file.ts';
import {
  type ExportedImport,
  exportedImport,
} from '../../statements/exported-imports.ts';
import { fills } from '../../statements/fill-row.ts';
import { reading } from '../fills/reading.ts';
import { dayNotes, markdown } from '../formats/index.ts';
import { KNOWN } from '../formats/known.ts';
import type { Format } from '../tables/format.ts';
import {
  bytesOf,
  type Job,
  type KeptContents,
  STANDARD_INPUT,
  standardInput,
  startOf,
  startOfBytes,
  statOf,
} from './contents.ts';
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
  ...KNOWN.jsonl,
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
  /**
   * The job of a file, or of notes, whose import was changed: they are read as that was.
   */
  changed?: Wanted['changed'];
}

/** Needed for folders and notes. */
export const notePlans = new OnDemand('the planning of notes', async () => {
  const { notesIn } = await import('../../notes/vault.ts');
  const { jobOfNote, jobsOfKeptNotes, planNotes } = await import('./plan-notes.ts');
  return { notesIn, jobOfNote, jobsOfKeptNotes, planNotes };
});

/** Mappings: read, and made into formats, only if a file is imported with one. */
export const mappings = new OnDemand('the reader of mappings', async () => {
  const { formatsBy } = await import('../mapping/format.ts');
  const { loadMapping } = await import('../mapping/load.ts');
  return { formatsBy, loadMapping };
});

export function planImport(paths: readonly string[], options: PlanOptions): Plan {
  const wanted = wantedBy(options);
  const plan: Plan = { jobs: [], ignored: [], failed: [] };
  // Standard input can be read only once.
  const planned = paths.filter(
    (path, place) => path !== '-' || paths.indexOf('-') === place,
  );

  planned.forEach(requirePlainName);
  for (const path of planned) orFailed(path, plan, () => planPath(path, wanted, plan));
  // Groups before their trades; trades before records that refer to them, and before
  // their fills. Otherwise the order stays.
  plan.jobs = withoutRepeated(plan.jobs).sort((a, b) => rank(a) - rank(b));
  return plan;
}

/**
 * A line break in a name could pose as a line of a report, or of a script that reads it.
 */
export const ODD_NAME = /\p{Cc}/u;

function requirePlainName(path: string): void {
  if (ODD_NAME.test(path))
    throw new UserError(
      `${JSON.stringify(path)} holds a line break or other control character; rename it`,
    );
}

function planPath(path: string, wanted: Wanted, plan: Plan): void {
  if (path === '-') {
    const bytes = standardInput();
    plan.jobs.push(jobOfBytes({ file: STANDARD_INPUT, name: '', bytes }, wanted));
  } else if (!wanted.noLinks && statOf({ file: path }).isDirectory()) {
    planFolder(path, wanted, plan);
  } else if (isNoteName(path) && takesNotes(wanted)) {
    plan.jobs.push(notePlans.value.jobOfNote(path, wanted));
  } else {
    plan.jobs.push(jobOf(path, wanted, false));
  }
}

/**
 * Whether notes are imported: unless another format is given. A mapping applies to tables
 * and notes.
 */
function takesNotes({ format, mappedNotes }: Wanted): boolean {
  return format === undefined || format === markdown || mappedNotes !== undefined;
}

/** Each file once, however its path is written. */
function withoutRepeated(jobs: readonly Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({ file, bytes, notes }) => {
    if ((bytes ?? notes) !== undefined) return true;
    const path = resolve(file);
    const isFirst = !seen.has(path);
    seen.add(path);
    return isFirst;
  });
}

function wantedBy(options: PlanOptions): Wanted {
  const { as, format, mapped, noLinks = false, folder, date, changed } = options;
  return {
    date,
    noLinks,
    folder,
    changed,
    resource: as === undefined ? undefined : resourceNamed(as),
    format: mapped?.table ?? (format === undefined ? undefined : formatNamed(format)),
    mappedNotes: mapped?.notes,
  };
}

/**
 * The jobs of a file, or of notes, that the journal keeps.
 * @throws UserError if they are unknown
 */
export function planKept(
  { file, name, pieces, notes }: KeptContents,
  options: PlanOptions,
): Job[] {
  const wanted = wantedBy(options);
  if (notes) return notePlans.value.jobsOfKeptNotes(file, notes, wanted);

  const [first = Buffer.alloc(0)] = pieces?.() ?? [];
  const start = startOfBytes(first);
  return [recognised({ file, name, start, pieces }, wanted, false)];
}

/**
 * A file that can't be planned stops no other one; an error in the command line does.
 * @returns the result; undefined if it failed
 */
function orFailed<T>(file: string, { failed }: Plan, act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof UsageError) throw error;
    failed.push({ file, error });
    return undefined;
  }
}

function planFolder(folder: string, wanted: Wanted, plan: Plan): void {
  const { notesIn, planNotes } = notePlans.value;
  const names = withPlainNames(namesIn(folder), plan).sort();
  const notes = takesNotes(wanted) ? withPlainNames(notesIn(folder), plan) : [];
  const holdNotes = new Set(notes.map((path) => relative(folder, path).split(sep)[0]));

  let found = 0;
  for (const name of names) {
    if (name.startsWith('.') || holdNotes.has(name)) continue;
    if (planEntry(join(folder, name), wanted, plan)) found++;
  }

  // Notes next to tables of a mapping aren't rows of them.
  if (found === 0 || wanted.format?.holds === undefined) {
    const planned = planNotes(folder, notes, wanted);
    for (const job of planned.jobs) plan.jobs.push(job);
    for (const note of planned.ignored) plan.ignored.push(note);
    found += planned.found;
  }

  if (found === 0) {
    throw new UserError(
      `nothing to import in ${folder}; add notes with a type, ` +
        `files named after a resource (${RESOURCE_PATHS.join(', ')}), ` +
        'or exports of a platform ("journal-api import --formats" lists them)' +
        namesOf(plan.ignored),
    );
  }
}

function withPlainNames(paths: readonly string[], { ignored }: Plan): string[] {
  const odd = paths.filter((path) => ODD_NAME.test(path));
  for (const path of odd)
    ignored.push({
      file: JSON.stringify(basename(path)),
      reason: 'a control character in its name',
    });
  return paths.filter((path) => !ODD_NAME.test(path));
}

/**
 * Plans the file of a folder's entry, or says why it is skipped.
 * @returns whether it is a job
 */
function planEntry(file: string, wanted: Wanted, plan: Plan): boolean {
  const name = basename(file);
  const settings = name === USER_FILE ? readUserSettings(file) : undefined;
  if (settings) {
    plan.settings = { file, user: settings };
    return false;
  }
  if (name === IMPORTS_FILE && readImports({ file })) return false;

  const reason = whyNoFile(file);
  if (reason !== undefined) {
    plan.ignored.push({ file, reason });
    return false;
  }

  const planned = orFailed(file, plan, () => {
    try {
      plan.jobs.push(
        isEmptyExport(file) ? jobWithoutFills(file) : jobOf(file, wanted, true),
      );
      return true;
    } catch (error) {
      if (!(error instanceof Unrecognised)) throw error;
      plan.ignored.push({ file, reason: error.short });
      return false;
    }
  });
  return planned === true;
}

/**
 * Without fills, the list of imports next to them may still hold fees and exchange rates.
 */
function isEmptyExport(file: string): boolean {
  return (
    basename(file) === 'fills.jsonl' &&
    statSync(file).size === 0 &&
    importsNextTo({ file }).length > 0
  );
}

function jobWithoutFills(file: string): Job {
  return { file, format: noFills, resource: fills };
}

const NAMED = 5;

function namesOf(ignored: Plan['ignored']): string {
  if (ignored.length === 0) return '';
  const named = ignored
    .slice(0, NAMED)
    .map(({ file, reason }) => `${basename(file)} (${reason})`);
  const more = ignored.length - named.length;
  return `; skipped: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Why a folder's entry isn't a file to read. Opening a pipe would wait for its writer.
 */
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
  if (wanted.format && !inFolder)
    return recognised({ ...place, start: '' }, wanted, inFolder);
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

// Files of this program's exports besides records: the settings of their user, the list of
// imports, which their fills refer to by id, and pictures.

/** A journal created by the import of an export starts with its settings. */
export const USER_FILE = 'user.json';

const settings = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  timezone: z.string(),
  base_currency: z.string(),
  starting_balance: z.number().nullable(),
  breakeven_tolerance: z.number(),
});

/**
 * @returns undefined if the file is another program's; the journal checks whether the
 * settings are valid
 */
function readUserSettings(file: string): User | undefined {
  return contentsOf({ file }, settings);
}

/** @returns undefined if there is no such file, or it is another program's */
function contentsOf<T>(place: FilePlace, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(parseJson(bytesOf(place).toString()));
  } catch {
    return undefined;
  }
}

/**
 * Settings in which two users differ, as text: "timezone is UTC (in the file:
 * Europe/Madrid)".
 */
export function differences(present: User, file: User): string[] {
  const names = [
    'name',
    'timezone',
    'base_currency',
    'starting_balance',
    'breakeven_tolerance',
  ] as const;
  return names
    .filter((name) => present[name] !== file[name])
    .map(
      (name) =>
        `${name} is ${present[name] ?? 'not set'} (in the file: ${file[name] ?? 'not set'})`,
    );
}

const IMPORTS_FILE = 'imports.json';

/** @returns undefined if there is no such file, or it is another program's */
export function readImports(place: FilePlace): ExportedImport[] | undefined {
  return contentsOf(place, z.array(exportedImport));
}

/** The imports listed next to a file of fills; empty without a list. */
export function importsNextTo({ file, noLinks }: FilePlace): ExportedImport[] {
  return readImports({ file: join(dirname(file), IMPORTS_FILE), noLinks }) ?? [];
}

/** The folder of an export with the pictures that its records show. */
const PICTURES = 'attachments';

/** The folders that may have the pictures of an export, or of one of its files. */
export function pictureFoldersOf(path: string): string[] {
  return [join(path, PICTURES), join(dirname(path), PICTURES)];
}

export function mayHavePictures({ file }: FilePlace): boolean {
  return pictureFoldersOf(file).some((folder) => existsSync(folder));
}
