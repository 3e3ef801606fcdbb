/**
 * Opens a journal for a command: the only place that opens one for writing. A command that
 * only reads may first recover from a killed writer; the service never does.
 */

import { accessSync, constants, existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SCHEMA_SQL } from '../embedded.ts';
import { codeOf, messageOf, UserError } from '../errors.ts';
import {
  findUser,
  listUsers,
  openJournal,
  type SchemaObject,
  schemaOf,
  schemaProblem,
  type User,
} from '../journal/journal.ts';
import { createFile, fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable, isLocked } from '../sqlite/errors.ts';
import { pragmaOf, Reader } from '../sqlite/reader.ts';
import { isTimeZone } from '../time.ts';

/** Milliseconds that a write waits for other programs: in all, and without a message. */
const PATIENCE_MS = 30_000;
const QUIET_MS = 2000;

/**
 * Runs a step that needs a lock on the file, such as the start or the commit of a
 * transaction. SQLite itself waits, so a signal without a listener ends the process at
 * once.
 * @param step called again if the file is locked for long: it must have changed nothing
 * then
 */
export function withLock<T>(db: Database.Database, step: () => T): T {
  const patience = pragmaOf(db, 'busy_timeout');
  if (patience <= QUIET_MS) return step();

  db.pragma(`busy_timeout = ${QUIET_MS}`);
  try {
    return step();
  } catch (error) {
    if (!isLocked(error)) throw error;
    process.stderr.write(
      `Waiting for another program that uses the journal, up to ${PATIENCE_MS / 1000} seconds; Ctrl-C stops.\n`,
    );
    db.pragma(`busy_timeout = ${patience - QUIET_MS}`);
    return step();
  } finally {
    db.pragma(`busy_timeout = ${patience}`);
  }
}

/**
 * Number of 4 KB pages that a transaction keeps in memory if bounded, how many of them
 * changed ones, and if not bounded. If changed pages may be all of them, 100,000 fills
 * read a million pages, most of them again and again.
 */
const MOST_PAGES = 6000;
const MOST_CHANGED_PAGES = 5000;
const ALL_PAGES = 2_000_000_000;

/**
 * Creates a new journal, readable by its owner only, whole or not at all. Never touches a
 * file with contents.
 * @param fill writes the journal's first records
 * @returns a handle for writing
 */
export function createJournal(
  path: string,
  fill: (db: Database.Database) => void = () => {},
): Database.Database {
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
    if (codeOf(error) === 'EEXIST') {
      throw new UserError(`${path} already exists and was not changed`);
    }
    if (error instanceof Database.SqliteError) throw explainWriting(path, error);
    throw new UserError(`the journal ${path} can't be created: ${messageOf(error)}`);
  }
  return openForWriting(path);
}

/** Missing folders of a path, the innermost first. */
export function missingFolders(path: string): string[] {
  const folder = dirname(path);
  return existsSync(folder) ? [] : [folder, ...missingFolders(folder)];
}

/** Undoes createJournal. Folders with other contents stay. */
export function removeJournal(path: string, folders: readonly string[]): void {
  rmSync(path, { force: true });
  try {
    for (const folder of folders) rmdirSync(folder);
  } catch {
    // The rest is an empty folder, or another program's.
  }
}

/**
 * An empty journal in memory, for dry runs. SQLite moves a large one to a nameless
 * temporary file.
 */
export function createJournalInMemory(): Database.Database {
  const db = new Database('');
  db.exec(SCHEMA_SQL);
  return prepared(db);
}

/** The objects of schema.sql, as SQLite stores them. */
export function freshSchema(): SchemaObject[] {
  const db = createJournalInMemory();
  try {
    return schemaOf(new Reader(db));
  } finally {
    db.close();
  }
}

/**
 * @param patience maximum wait of a write for other programs, in milliseconds
 * @throws UserError if the file is missing or not a journal of this version
 */
export function openForWriting(path: string, patience = PATIENCE_MS): Database.Database {
  const db = openFile(path, patience);
  const problem = schemaProblem(
    pragmaOf(db, 'application_id'),
    pragmaOf(db, 'user_version'),
  );
  if (!problem) return prepared(db);

  db.close();
  throw new UserError(`the journal ${path} can't be used: ${problem}`);
}

/**
 * Opens a journal, writes to it and closes it.
 * @throws UserError if it can't be written
 */
export function writeJournal<T>(path: string, write: (db: Database.Database) => T): T {
  const db = openForWriting(path);
  try {
    return withLock(db, () => write(db));
  } catch (error) {
    throw explainWriting(path, error);
  } finally {
    db.close();
  }
}

/** Rejects a missing journal, which an import would create. */
export function refuseMissing(path: string): void {
  if (!fileExists(path))
    throw new UserError(`no journal at ${path}; create one with "journal-api init"`);
}

/** Opens any existing SQLite file for writing. */
export function openFile(path: string, patience = PATIENCE_MS): Database.Database {
  refuseMissing(path);

  let db: Database.Database | undefined;
  try {
    // SQLite itself would open a read-only file and fail later.
    accessSync(path, constants.R_OK | constants.W_OK);
    const opened = new Database(path, { fileMustExist: true, timeout: patience });
    db = opened;
    withLock(opened, () => opened.pragma('schema_version'));
    // What is deleted is overwritten: no text stays in free pages.
    opened.pragma('secure_delete = ON');
    return opened;
  } catch (error) {
    db?.close();
    throw new UserError(
      `the journal ${path} can't be opened for writing: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Explains SQLite's errors while a journal is written; any other error unchanged. */
export function explainWriting(path: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  return new UserError(`the journal ${path} can't be written: ${reasonOf(error)}`, {
    cause: error,
  });
}

/**
 * Whether an error is due to the journal's file, such as a lock or a full disk, and not
 * to the values written.
 */
export function isFaultOfFile(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FileUnavailable) return true;
    if (cause instanceof Database.SqliteError) return !OF_VALUES.test(cause.code);
  }
  return false;
}

/** SQLite's errors about values. */
const OF_VALUES = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

const REASONS: Record<string, string> = {
  BUSY: 'another program is using it; try again when that is done',
  READONLY:
    'permission denied; check the permissions of the file and its folder, ' +
    'and that the disk is writable',
  EACCES: 'permission denied; check the permissions of the file and its folder',
  EROFS: 'the disk is read-only',
  CANTOPEN:
    'it is a folder, or permission is denied; check the permissions of its folder',
  FULL: 'the disk is full',
  CORRUPT: 'it is damaged; run "journal-api check" for details, and restore a backup',
  NOTADB:
    'it is damaged or not an SQLite database; pass the right file with --db, or restore a backup',
};

function reasonOf(error: unknown): string {
  const code = codeOf(error)?.replace(/^SQLITE_/, '') ?? '';
  // SQLite's codes may have a suffix: READONLY_DIRECTORY.
  const [kind = ''] = code.split('_');
  return REASONS[code] ?? REASONS[kind] ?? messageOf(error);
}

function prepared(db: Database.Database): Database.Database {
  db.pragma('foreign_keys = ON');
  // Nothing is written to the file before the commit, so a long import doesn't block
  // readers. Not OFF, which couldn't be changed within a transaction.
  db.pragma(`cache_spill = ${ALL_PAGES}`);
  return db;
}

/**
 * Bounds the memory of a transaction: larger changes go to the file before the commit.
 * From then on, readers wait, and the file can't be copied.
 */
export function boundMemory(db: Database.Database): void {
  db.pragma(`cache_size = ${MOST_PAGES}`);
  db.pragma(`cache_spill = ${MOST_CHANGED_PAGES}`);
}

/**
 * Begins a transaction that writes. SQLite keeps what undoes a failing statement in
 * memory then: in a temporary file, 100,000 fills cost a million writes, a tenth of the
 * processor time (bench/questions/imports.ts). Other temporary data may still go to
 * files.
 */
export function beginWriting(db: Database.Database): void {
  db.pragma('temp_store = MEMORY');
  withLock(db, () => db.exec('BEGIN IMMEDIATE'));
  db.pragma('temp_store = DEFAULT');
}

// Reading.

/** Rolls back an unfinished transaction, if any: that needs a writable handle. */
export function recoverJournal(path: string): void {
  if (fileExists(path) && fileExists(`${path}-journal`)) openFile(path).close();
}

/** @throws UserError with a remedy if the journal can't be used */
export function readJournal<T>(path: string, read: (reader: Reader) => T): T {
  recoverJournal(path);
  const journal = openJournal(path);
  try {
    return journal.read(read);
  } catch (error) {
    throw error instanceof FileUnavailable ? unusable(path, error) : error;
  } finally {
    journal.close();
  }
}

/**
 * Why a command can't read the journal, and a remedy: never a new journal if the file
 * exists.
 */
function unusable(path: string, reason: FileUnavailable): UserError {
  // Unless SQLite itself failed, the reason includes the remedy.
  const details =
    reason.cause === undefined
      ? ''
      : ' ("journal-api check" shows details; if it is damaged, restore a backup)';
  const advice = fileExists(path) ? details : ' (create one with "journal-api init")';
  return new UserError(`the journal ${path} can't be used: ${reason.message}${advice}`, {
    cause: reason,
  });
}

// The user of a command.

/**
 * The user of a command: the named one, else "me", else the only one.
 * @throws UserError that lists the users, or names the problem of the user or the journal
 */
export function userFor(journalPath: string, named: string | undefined): User {
  return readJournal(journalPath, (reader) => userIn(reader, named));
}

/** The same within a read: each opening of a journal parses its whole schema. */
export function userIn(reader: Reader, named: string | undefined): User {
  return usable(chosenUser(reader, named));
}

export interface OfUser {
  journal: string;
  user?: string | undefined;
}

/**
 * Reads what a user has in a journal.
 * @throws UserError if there is no such journal or user
 */
export function readOf<T>(options: OfUser, read: (reader: Reader, user: User) => T): T {
  refuseMissing(options.journal);
  return readJournal(options.journal, (reader) =>
    read(reader, userIn(reader, options.user)),
  );
}

function chosenUser(reader: Reader, named: string | undefined): User {
  const chosen = findUser(reader, named ?? 'me');
  if (chosen) return chosen;

  const users = listUsers(reader);
  const [only] = users;
  if (named === undefined && only && users.length === 1) return only;

  const known = users.map((user) => user.id).join(', ') || 'none';
  throw new UserError(
    named === undefined
      ? `choose a user with --user; the journal's users are: ${known}`
      : `there is no user "${named}" in the journal; its users are: ${known}`,
  );
}

/**
 * Rejects an invalid time zone: the schema can't check it, and another program may have
 * written one.
 */
function usable(user: User): User {
  if (isTimeZone(user.timezone)) return user;
  throw new UserError(
    `the user "${user.id}" has the timezone "${user.timezone}", ` +
      'which is not a valid IANA time zone such as America/New_York; ' +
      `set one with "journal-api user set ${user.id} --timezone ZONE"`,
  );
}
