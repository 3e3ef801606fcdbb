/** The options with which an import is read again, and what it is read from. */
import { statSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.ts';
import {
  FileSource,
  hashOf,
  type Job,
  type KeptOptions,
} from '../../import/files/contents.ts';
import { keptContents, keptJob, keptOptions } from '../../import/files/kept-imports.ts';
import type { LoadedMapping } from '../../import/mapping/load.ts';
import { same } from '../../journal-write/record.ts';
import { isNoteName, type Note } from '../../notes/note.ts';
import type { ImportEntry, ImportOptionsKept } from '../../statements/import-entry.ts';
import type { ImportTable } from '../../statements/imports.ts';

/** What was typed to read an import otherwise. */
export interface TypedOptions {
  /** Options to change; the others stay. */
  given: ImportOptionsKept;
  map?: LoadedMapping | undefined;
}

/**
 * @param before how the import was read
 * @returns how it is read now
 * @throws UserError that asks for the options which an earlier version didn't keep
 */
export function optionsNow(
  entry: ImportEntry,
  before: KeptOptions,
  { given, map }: TypedOptions,
): KeptOptions {
  refuseUnkept(entry, given);
  refuseDates(entry, before, given);

  const options: ImportOptionsKept = { ...before.options, ...given };
  if (given.multipliers)
    options.multipliers = { ...before.options.multipliers, ...given.multipliers };
  // A format and a mapping replace each other.
  if (given.format !== undefined) delete options.map;
  if (given.map !== undefined) delete options.format;

  return {
    options: keptOptions(options),
    mapping: options.map === undefined ? null : (map?.text ?? before.mapping),
  };
}

function refuseUnkept(
  { id, options, format }: ImportEntry,
  given: ImportOptionsKept,
): void {
  if (options !== null) return;

  const isMapped = format.startsWith('map:');
  if (given.timezone !== undefined && (!isMapped || given.map !== undefined)) return;

  throw new UserError(
    `import ${id} is from an earlier version, which didn't keep its --timezone` +
      `${isMapped ? ' and --map' : ''} or --multiplier; pass them to import change`,
  );
}

function refuseDates(
  { id }: ImportEntry,
  { options }: KeptOptions,
  given: ImportOptionsKept,
): void {
  const isMapping =
    given.map !== undefined || (given.format === undefined && options.map !== undefined);
  if (given.dates === undefined || !isMapping) return;

  throw new UserError(
    `import ${id} has a mapping, which states the order of its dates; correct it and pass --map`,
  );
}

/**
 * Whether two files were read with the same options: one may follow the order of dates
 * typed for the other.
 */
export function isReadAlike(a: ImportEntry, b: ImportEntry): boolean {
  if (a.date_order === null || a.date_order !== b.date_order)
    return a.format === b.format && same(a.options, b.options);
  const { dates: _, ...options } = a.options ?? {};
  const { dates: __, ...others } = b.options ?? {};
  return a.format === b.format && same(options, others);
}

/** Whether an import was read so already; a mapping is known by its text. */
export function isReadBy(
  before: KeptOptions,
  { options, mapping }: KeptOptions,
): boolean {
  const { map: _, ...others } = before.options;
  const { map, ...now } = options;
  return map !== undefined && before.mapping === mapping && same(others, now);
}

/**
 * What an import is read from: the bytes that the journal keeps, its file, or its stored
 * rows.
 */
export interface ReadFrom {
  job: Job;
  /** Undefined: its rows. */
  source: FileSource | undefined;
  /** Where its file is, if that isn't read. */
  path?: string | null;
  /** The day's note before it was edited. */
  printed?: Note | undefined;
}

export type ReadFromFile = ReadFrom & { source: FileSource };

/**
 * The bytes that the journal keeps of an import.
 * @throws UserError if they can't be read so
 */
export function keptFile(
  imports: ImportTable,
  entry: ImportEntry,
  kept: KeptOptions,
): ReadFromFile | undefined {
  const bytes = keptContents(imports, entry);
  if (!bytes) return undefined;

  const job = keptJob({ file: bytes.file }, kept, entry.resource, bytes);
  return { job, source: new FileSource(job), path: entry.path, printed: bytes.printed };
}

/**
 * The file of an import.
 * @param path where it is; null if it was never at any place
 * @throws UserError if it isn't there, has other bytes, or can't be read so
 */
export function fileAt(
  path: string | null,
  entry: ImportEntry,
  kept: KeptOptions,
): ReadFromFile {
  const { id, file } = entry;
  if (path === null)
    throw new UserError(
      `import ${id} (${file}) is from standard input or an editor, and its bytes aren't kept; ` +
        `pass its file: journal-api import change ${id} FILE`,
    );

  const isOfNotes = isFolderOrNote(path, id);
  if (!isOfNotes) refuseOtherBytes(path, entry, { file: path });
  const job = keptJob({ file: path }, kept, entry.resource);
  if (isOfNotes) refuseOtherBytes(path, entry, job);

  return { job, source: new FileSource(job) };
}

function isFolderOrNote(path: string, id: number): boolean {
  try {
    return statSync(path).isDirectory() || isNoteName(path);
  } catch (error) {
    throw new UserError(
      `${path} can't be read (${messageOf(error)}); ` +
        `pass the file: journal-api import change ${id} FILE`,
    );
  }
}

function refuseOtherBytes(
  path: string,
  { id, sha256 }: ImportEntry,
  contents: Pick<Job, 'file' | 'notes'>,
): void {
  if (hashOf(contents) === sha256) return;

  throw new UserError(
    `${path} isn't the file of import ${id}: its bytes are others; ` +
      'import it instead, or pass the right file',
  );
}
