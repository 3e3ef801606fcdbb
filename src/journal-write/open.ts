/** The only place that opens a journal for writing. */
import { accessSync, constants, existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SCHEMA_SQL } from '../embedded.ts';
import { messageOf, UserError } from '../errors.ts';
import { type SchemaObject, schemaOf, schemaProblem } from '../journal/schema.ts';
import { createFile, fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { Reader } from '../sqlite/reader.ts';

// Long enough for any reader to finish its page.
const BUSY_TIMEOUT_MS = 5000;

/** How many pages of 4 KB a transaction keeps in memory, once that is bounded; and more than there are. */
const MOST_PAGES = 6000;
const ALL_PAGES = 2_000_000_000;

/**
 * Makes a new journal, readable by its owner only, whole or not at all. A file that holds anything is never touched.
 * @param fill writes what the journal holds from the beginning
 * @returns a handle for writing
 */
export function createJournal(path: string, fill: (db: Database.Database) => void = () => {}): Database.Database {
  try {
    createFile(path, (draft) => {
      const db = new Database(draft);
      try {
        db.pragma('journal_mode = DELETE');
        db.transaction(() => {
          db.exec(SCHEMA_SQL);
          fill(db);
        })();
      } finally {
        db.close();
      }
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new UserError(`${path} exists already and was not touched`);
    }
    if (error instanceof Database.SqliteError) throw explainWriting(path, error);
    throw new UserError(`the journal ${path} can't be created: ${messageOf(error)}`);
  }
  return openForWriting(path);
}

/** The folders that a file at this path needs and that are not there, the innermost first. */
export function missingFolders(path: string): string[] {
  const folder = dirname(path);
  return existsSync(folder) ? [] : [folder, ...missingFolders(folder)];
}

/** Takes back what createJournal made. A folder that has got something else in it stays. */
export function removeJournal(path: string, folders: readonly string[]): void {
  rmSync(path, { force: true });
  try {
    for (const folder of folders) rmdirSync(folder);
  } catch {
    // What is left is an empty folder, or another program's.
  }
}

/** An empty journal to try things in, in memory, and what is too large for that in a temporary file that has no name. */
export function createJournalInMemory(): Database.Database {
  const db = new Database('');
  db.exec(SCHEMA_SQL);
  return prepared(db);
}

/** What schema.sql makes, as SQLite itself holds it. */
export function freshSchema(): SchemaObject[] {
  const db = createJournalInMemory();
  try {
    return schemaOf(new Reader(db));
  } finally {
    db.close();
  }
}

/**
 * @param patience how long a write waits for other programs, in milliseconds
 * @throws UserError where the file is missing or no journal of this version
 */
export function openForWriting(path: string, patience = BUSY_TIMEOUT_MS): Database.Database {
  const db = openFile(path, patience);
  const problem = schemaProblem(
    db.pragma('application_id', { simple: true }) as number,
    db.pragma('user_version', { simple: true }) as number,
  );
  if (!problem) return prepared(db);
  db.close();
  throw new UserError(`the journal ${path} can't be used: ${problem}`);
}

/**
 * Opens a journal, writes to it and closes it.
 * @throws UserError where it can't be written
 */
export function writeJournal<T>(path: string, write: (db: Database.Database) => T): T {
  const db = openForWriting(path);
  try {
    return write(db);
  } catch (error) {
    throw explainWriting(path, error);
  } finally {
    db.close();
  }
}

/** Any SQLite file that exists, for writing. */
export function openFile(path: string, patience = BUSY_TIMEOUT_MS): Database.Database {
  if (!fileExists(path)) throw new UserError(`there is no journal at ${path} (create one with "journal-api init")`);
  let db: Database.Database | undefined;
  try {
    // SQLite itself would open what it may not write, and complain halfway.
    accessSync(path, constants.R_OK | constants.W_OK);
    db = new Database(path, { fileMustExist: true, timeout: patience });
    db.pragma('schema_version');
    return db;
  } catch (error) {
    db?.close();
    throw new UserError(`the journal ${path} can't be opened for writing: ${reasonOf(error)}`, { cause: error });
  }
}

/** What SQLite says while a journal is written, for the person who can put it right; any other error as it is. */
export function explainWriting(path: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  return new UserError(`the journal ${path} can't be written: ${reasonOf(error)}`, { cause: error });
}

/** Whether the journal's file is to blame for an error, and nothing that was to be written: a lock passes, a disk gets room. */
export function isFaultOfFile(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FileUnavailable) return true;
    if (cause instanceof Database.SqliteError) return !OF_VALUES.test(cause.code);
  }
  return false;
}

/** What SQLite refuses because of what was to be written. */
const OF_VALUES = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

const REASONS: Record<string, string> = {
  BUSY: 'another program is using it; try again when that is done',
  READONLY: 'you may not write it; see to the permissions of the file and its folder, and that the disk can be written',
  EACCES: 'you may not write it; see to the permissions of the file and its folder',
  EROFS: 'it lies on a disk that can only be read',
  CANTOPEN: 'it is a folder, or you may not write its folder; see to the permissions',
  FULL: 'the disk is full',
  CORRUPT: 'it is damaged; "journal-api check" says more, and a backup can be put in its place',
  NOTADB: 'it is damaged or not an SQLite database; name the right file with --db, or restore a backup',
};

function reasonOf(error: unknown): string {
  const code = (error as { code?: string }).code?.replace(/^SQLITE_/, '') ?? '';
  // SQLite's codes may say more behind the first word: READONLY_DIRECTORY.
  return REASONS[code] ?? REASONS[code.split('_')[0] as string] ?? messageOf(error);
}

function prepared(db: Database.Database): Database.Database {
  db.pragma('foreign_keys = ON');
  // Nothing reaches the file before the commit, so readers go on undisturbed while a long import runs. Not OFF: within a
  // transaction that could not be changed.
  db.pragma(`cache_spill = ${ALL_PAGES}`);
  return db;
}

/**
 * Lets the transaction write to the file before its commit once it has changed more than fits into a bounded part of memory:
 * readers wait from then on, and the file can't be copied any more.
 */
export function boundMemory(db: Database.Database): void {
  db.pragma(`cache_spill = ${MOST_PAGES}`);
}
