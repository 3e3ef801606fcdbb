/** The only place that opens a journal for writing. */
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf, UserError } from '../errors.ts';
import { SCHEMA_SQL, schemaProblem } from '../journal/schema.ts';

// Long enough for any reader to finish its page.
const BUSY_TIMEOUT_MS = 5000;

/**
 * Makes a new, empty journal, readable by its owner only. An existing file is never touched.
 * @returns a handle for writing
 */
export function createJournal(path: string): Database.Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new UserError(`there is a file at ${path} already; it was not touched`);
    }
    throw new UserError(`the journal ${path} can't be made: ${messageOf(error)}`);
  }
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = DELETE');
    db.exec(`BEGIN; ${SCHEMA_SQL} COMMIT;`);
    return prepared(db);
  } catch (error) {
    db.close();
    rmSync(path, { force: true });
    throw error;
  }
}

/** An empty journal that is nowhere on disk, to try things in. */
export function createJournalInMemory(): Database.Database {
  const db = new Database(':memory:');
  db.exec(SCHEMA_SQL);
  return prepared(db);
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

/** Any SQLite file that exists, for writing. */
export function openFile(path: string, patience = BUSY_TIMEOUT_MS): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { fileMustExist: true, timeout: patience });
    db.pragma('schema_version');
    return db;
  } catch (error) {
    db?.close();
    throw new UserError(
      `the journal ${path} can't be opened for writing: ${messageOf(error)} (a new one is made by "journal-api init")`,
    );
  }
}

function prepared(db: Database.Database): Database.Database {
  db.pragma('foreign_keys = ON');
  // Nothing reaches the file before the commit, so readers go on undisturbed while a long import runs.
  db.pragma('cache_spill = OFF');
  return db;
}
