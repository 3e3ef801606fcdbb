/**
 * Keeps the bytes of imported files in the journal and the options that they were imported
 * with, and makes jobs of them.
 */

import { createHash, hash } from 'node:crypto';
import { basename, sep } from 'node:path';
import type Database from 'better-sqlite3';
import { messageOf, UserError } from '../../errors.ts';
import { readJournal, userIn } from '../../journal-write/open.ts';
import type { Note } from '../../notes/note.ts';
import type { FilePlace } from '../../parse/open-file.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import type { ImportEntry, ImportOptionsKept } from '../../statements/import-entry.ts';
import {
  compressed,
  type ImportTable,
  type KeptFiles,
  type KeptPart,
} from '../../statements/imports.ts';
import {
  contentsOf,
  FileSource,
  hashOf,
  inPieces,
  type Job,
  type KeptContents,
  type KeptOptions,
  MOST_KEPT,
  STANDARD_INPUT,
} from './contents.ts';
import { mappings, planImport, planKept } from './plan.ts';
import { RESOURCE_PATHS, Unrecognised, type Wanted } from './recognise.ts';

/** A file that was imported. */
export interface ImportedFile {
  job: Job;
  importId: number;
  sha256: string;
  /** Its bytes, compressed; undefined if they are read again. */
  held: Iterable<Buffer> | undefined;
  /** The day's note before it was edited. */
  printed: Note | undefined;
}

/** Why a file isn't kept. */
class NotKept extends UserError {}

const TOO_LONG = `${MOST_KEPT / 1e6} MB are kept at most, compressed`;

/**
 * Keeps an imported file, or each note of a folder.
 * @returns why it isn't kept, for the report; undefined if it is
 */
export function keepFile(
  db: Database.Database,
  imports: ImportTable,
  file: ImportedFile,
): string | undefined {
  try {
    // What was written of a file that turns out too long is taken back.
    db.transaction(() => {
      const parts = file.job.notes
        ? keepNotes(imports.files, file)
        : [keepBytes(imports.files, file)];
      imports.files.state(file.importId, parts);
    })();
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `its bytes weren't kept: ${messageOf(error)}; "import change" needs the file`;
  }
}

function keepBytes(files: KeptFiles, { job, sha256, held }: ImportedFile): KeptPart {
  if (!files.has(sha256)) addPieces(files, sha256, held ?? compressedAgain(job, sha256));
  return { kind: 'file', file: null, path: null, sha256 };
}

function addPieces(files: KeptFiles, sha256: string, pieces: Iterable<Buffer>): void {
  let [size, count] = [0, 0];
  for (const piece of pieces) {
    size += piece.length;
    if (size > MOST_KEPT) throw new NotKept(TOO_LONG);
    files.add(sha256, count++, piece);
  }
}

/**
 * Reads the file a second time: held in memory meanwhile, a long one would need too much.
 */
function* compressedAgain(job: Job, sha256: string): Generator<Buffer> {
  const source = new FileSource(job);
  for (const piece of inPieces(source.raw())) yield compressed(piece);
  if (source.sha256 !== sha256)
    throw new NotKept('the file changed while it was imported');
}

function keepNotes(files: KeptFiles, { job, printed }: ImportedFile): KeptPart[] {
  const parts = (job.notes ?? []).map((note) => keepNote(files, 'note', note));
  return printed ? [...parts, keepNote(files, 'printed', printed)] : parts;
}

function keepNote(
  files: KeptFiles,
  kind: KeptPart['kind'],
  { file, path, text }: Note,
): KeptPart {
  const bytes = Buffer.from(text);
  const sha256 = hash('sha256', bytes);
  if (!files.has(sha256)) files.add(sha256, 0, compressed(bytes));
  return { kind, file, path, sha256 };
}

/**
 * @returns undefined if nothing is kept; reading its bytes throws a UserError if they are
 * damaged
 */
export function keptContents(
  { files }: ImportTable,
  { id, path }: Pick<ImportEntry, 'id' | 'path'>,
): KeptContents | undefined {
  const parts = files.partsOf(id);
  const [first] = parts;
  if (!first) return undefined;

  if (first.kind === 'file') {
    const pieces = () => intactPieces(files, first.sha256, id);
    const name = path === null ? '' : basename(path);
    return { file: path ?? STANDARD_INPUT, name, pieces, printed: undefined };
  }

  const notesOf = (kind: KeptPart['kind']) =>
    parts.filter((part) => part.kind === kind).map((part) => noteOf(files, part, id));
  const file = path ?? (first.file as string);
  return {
    file,
    name: basename(file),
    notes: notesOf('note'),
    printed: notesOf('printed')[0],
  };
}

/**
 * A note as the latest import from one on keeps it; undefined if none does.
 * @param path absolute
 */
export function keptNote(
  { files }: ImportTable,
  path: string,
  since: number,
): Note | undefined {
  const part = files.noteAt(path.split(sep).join('/'), since);
  return part && { ...noteOf(files, part, part.import_id), file: path };
}

function noteOf(
  files: KeptFiles,
  { file, path, sha256 }: KeptPart,
  importId: number,
): Note {
  const text = Buffer.concat([...intactPieces(files, sha256, importId)]).toString();
  return { file: file as string, path: path as string, text };
}

/** A content piece by piece. @throws UserError if it isn't what was kept */
function* intactPieces(
  files: KeptFiles,
  sha256: string,
  importId: number,
): Generator<Buffer> {
  const read = createHash('sha256');
  try {
    for (const piece of files.pieces(sha256)) {
      read.update(piece);
      yield piece;
    }
  } catch (error) {
    throw isOfUnpacking(error) ? damaged(importId) : error;
  }

  if (read.digest('hex') !== sha256) throw damaged(importId);
}

function isOfUnpacking(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

function damaged(importId: number): UserError {
  return new UserError(
    `the kept bytes of import ${importId} are damaged; to read its file: journal-api import change ${importId} FILE`,
  );
}

// Options: how a file is read again.

const KEPT = [
  'as',
  'account',
  'timezone',
  'dates',
  'format',
  'date',
  'symbol',
  'map',
  'multipliers',
  'allow_duplicates',
  'no_groups',
  'folder',
] as const satisfies readonly (keyof ImportOptionsKept)[];

/** The given options, always in this order: imports with the same ones are compared. */
export function keptOptions(given: ImportOptionsKept): ImportOptionsKept {
  const names = KEPT.filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/**
 * @param contents of the job, if the place is a folder with notes of several kinds
 * @param bytes those that the journal keeps, if they aren't read from the place
 */
export function keptJob(
  place: FilePlace,
  { options, mapping }: KeptOptions,
  contents?: string,
  bytes?: KeptContents,
): Job {
  const { map } = options;
  const loaded =
    map === undefined
      ? undefined
      : mappings.value.loadMapping(
          map,
          mapping === null ? undefined : Buffer.from(mapping),
        );

  const planned = (as = options.as) => {
    const { noLinks } = place;
    const how = {
      ...options,
      as,
      mapped: loaded && mappings.value.formatsBy(loaded),
      noLinks,
    };
    const { jobs, failed } = bytes
      ? { jobs: planKept(bytes, how), failed: [] }
      : planImport([place.file], how);
    if (failed[0]) throw failed[0].error;
    return (jobs.find((job) => contentsOf(job) === contents) ?? jobs[0]) as Job;
  };

  try {
    return planned();
  } catch (error) {
    // The name of a renamed file may no longer be its resource.
    if (!(error instanceof Unrecognised) || !RESOURCE_PATHS.includes(contents ?? ''))
      throw error;
    return planned(contents);
  }
}

/** An import that was changed. */
interface ChangedImport {
  sha256: string;
  resource: string;
  options: string;
  mapping: string | null;
}

/** The imports of files that were changed; none if there is no journal. */
export function changedImports({
  journal,
  user,
}: {
  journal: string;
  user?: string | undefined;
}): ChangedImport[] {
  if (!fileExists(journal)) return [];

  return readJournal(journal, (reader) =>
    reader.all<ChangedImport>(
      `SELECT sha256, resource, options, mapping FROM imports AS i
       WHERE user_id = ? AND sha256 IS NOT NULL AND EXISTS (
         SELECT 1 FROM import_records AS r WHERE r.user_id = i.user_id
           AND r.resource = 'imports' AND r.record_id = CAST(i.id AS TEXT))`,
      userIn(reader, user).id,
    ),
  );
}

/** Jobs of files whose import was changed, by their bytes: they are read as that was. */
export function jobsAsChanged(imports: readonly ChangedImport[]): Wanted['changed'] {
  if (imports.length === 0) return undefined;

  const changed = new Map(imports.map((row) => [row.sha256, row]));
  return (of) => {
    const row = changed.get(hashOf(of));
    if (!row) return undefined;
    const kept = { options: JSON.parse(row.options), mapping: row.mapping };
    return { ...keptJob(of, kept, row.resource), kept };
  };
}
