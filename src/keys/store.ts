/**
 * keys.db: the facts of each key, with its HMAC and never the key itself, and what it has
 * read.
 */

import Database from 'better-sqlite3';
import { codeOf, messageOf, UserError } from '../errors.ts';
import { createFile, fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { pragmaOf, type Reader, type Row } from '../sqlite/reader.ts';
import { DAY, toInstantText } from '../time.ts';
import { type Lens, storedLens } from './lens.ts';
import type { Scope } from './scopes.ts';

const APPLICATION_ID = 1785423225; // 'jkey'
/** Keys of version 1 show everything. */
const VERSION = 2;

const COMMAND_TIMEOUT_MS = 5000;

/**
 * Older programs ignore this table, so that it needs no version. A store gets it with the
 * first request.
 */
const ACTIVITY_SCHEMA = `
CREATE TABLE IF NOT EXISTS activity (
  key_id   TEXT NOT NULL,
  date     TEXT NOT NULL, -- in UTC
  path     TEXT NOT NULL, -- of the API description: /v1/trades/{id}
  name     TEXT NOT NULL, -- of the key, or of the client that read with it
  requests INTEGER NOT NULL,
  records  INTEGER NOT NULL,
  PRIMARY KEY (key_id, date, path, name)
) STRICT, WITHOUT ROWID;
`;

const SCHEMA = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${VERSION};
CREATE TABLE keys (
  id           TEXT NOT NULL PRIMARY KEY,
  user_id      TEXT NOT NULL,
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  hash         BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_at   TEXT NOT NULL,
  expires_at   TEXT NOT NULL,
  revoked_at   TEXT,
  last_used_at TEXT,
  lens         TEXT, -- what it shows, as JSON; NULL for everything
  seed         BLOB  -- of a key with a lens, for what it shows in place of names
) STRICT;
${ACTIVITY_SCHEMA}`;

/** A key as stored. Times are UTC text. */
export interface StoredKey {
  id: string;
  user_id: string;
  name: string;
  scopes: Scope[];
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
  /** Which records it shows; null for all. */
  lens: Lens | null;
  /** Random bytes of a key with a lens, for its pseudonyms; rotation keeps them. */
  seed: Buffer | null;
}

export type KeyState = 'active' | 'revoked' | 'expired';

export function stateOf(
  key: Pick<StoredKey, 'revoked_at' | 'expires_at'>,
  now: number,
): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  // An unreadable one has passed, too.
  return Date.parse(key.expires_at) > now ? 'active' : 'expired';
}

const COLUMNS =
  'id, user_id, name, scopes, created_at, expires_at, revoked_at, last_used_at';

/** The columns of a key, in a store of either version. */
export function columnsIn(reader: Reader): string {
  const version = reader.get('PRAGMA user_version')?.['user_version'];
  return version === 1
    ? `${COLUMNS}, NULL AS lens, NULL AS seed`
    : `${COLUMNS}, lens, seed`;
}

/**
 * A key without readable scopes or lens, as after damage to the file, has no scopes: it
 * can be listed and revoked, and reads nothing.
 */
export function toKey(row: Row): StoredKey {
  const lens = storedLens(row['lens']);
  return {
    ...row,
    scopes: isDamaged(row) ? [] : scopesIn(row),
    lens: lens ?? null,
  } as StoredKey;
}

export function isDamaged(row: Row): boolean {
  const lens = storedLens(row['lens']);
  return (
    !scopesIn(row) ||
    lens === undefined ||
    (lens !== null && !Buffer.isBuffer(row['seed']))
  );
}

/** Undefined unless a JSON list is stored. */
function scopesIn(row: Row): Scope[] | undefined {
  try {
    const scopes: unknown = JSON.parse(row['scopes'] as string);
    return Array.isArray(scopes) ? scopes : undefined;
  } catch {
    return undefined;
  }
}

function storeProblem(applicationId: number, version: number): string | undefined {
  return applicationId === APPLICATION_ID && (version === 1 || version === VERSION)
    ? undefined
    : 'keys.db is not a key store of this version';
}

/** The key store, for reading. */
export function openKeys(path: string): ReadOnlyFile {
  return new ReadOnlyFile(path, storeProblem);
}

/**
 * Errors of the store name the store, so that its owner doesn't repair a sound journal.
 */
export function aboutKeys(error: unknown): unknown {
  if (!(error instanceof FileUnavailable)) return error;
  return new FileUnavailable(`the key store keys.db cannot be used: ${error.message}`, {
    cause: error,
  });
}

/** A key to be stored; without a lens it shows everything. */
type NewKey = Omit<StoredKey, 'lens' | 'seed'> &
  Partial<Pick<StoredKey, 'lens' | 'seed'>>;

/** Adds a key, and creates keys.db if it is missing. */
export function insertKey(path: string, key: NewKey, hash: Buffer): void {
  try {
    createStore(path);
  } catch (error) {
    throw new UserError(`the key store ${path} can't be created: ${messageOf(error)}`);
  }
  migrating(path, (db) => insert(db, key, hash));
}

/**
 * Adds a key and, in the same transaction, ends another: at once, or by an earlier
 * expiry.
 */
export function replaceKey(
  path: string,
  key: StoredKey,
  hash: Buffer,
  old: Pick<StoredKey, 'id' | 'revoked_at' | 'expires_at'>,
): void {
  migrating(path, (db) => {
    const end = db.prepare(
      'UPDATE keys SET revoked_at = ?, expires_at = ? WHERE id = ? AND revoked_at IS NULL',
    );
    db.transaction(() => {
      insert(db, key, hash);
      const { changes } = end.run(old.revoked_at, old.expires_at, old.id);
      // Nothing undoes a revocation, not even one of a moment ago.
      if (changes === 0) throw new UserError(`key ${old.id} was revoked meanwhile`);
    }).immediate();
  });
}

export function revokeKey(path: string, id: string, now: number): void {
  migrating(path, (db) =>
    db
      .prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
      .run(toInstantText(now), id),
  );
}

/** Deletes a key without a trace: only for one that was never handed out. */
export function deleteKey(path: string, id: string): void {
  writing(path, (db) => db.prepare('DELETE FROM keys WHERE id = ?').run(id));
}

/** All keys, oldest first; none without a store. */
export function listKeys(path: string): StoredKey[] {
  return reading(path, (reader) =>
    reader.all(`SELECT ${columnsIn(reader)} FROM keys ORDER BY created_at, id`),
  ).map(toKey);
}

/** What keys have read, by key, latest day first. */
export function listActivity(path: string): Activity[] {
  return reading(path, activityIn);
}

/** For commands: rolls back first what a killed writer left. Nothing without a store. */
function reading<T>(path: string, read: (reader: Reader) => T[]): T[] {
  if (!fileExists(path)) return [];

  recoverKeys(path);
  const file = openKeys(path);
  try {
    return file.read(read);
  } catch (error) {
    throw aboutKeys(error);
  } finally {
    file.close();
  }
}

/** Rolls back an unfinished transaction, if any, which only a writing handle can. */
export function recoverKeys(path: string): void {
  if (fileExists(`${path}-journal`)) writing(path, () => {});
}

export function hasKeys(path: string): boolean {
  return listKeys(path).length > 0;
}

/** Ids of a user's keys that still work. */
export function liveKeysOf(path: string, userId: string, now: number): string[] {
  return listKeys(path)
    .filter((key) => key.user_id === userId && stateOf(key, now) === 'active')
    .map((key) => key.id);
}

function insert(db: Database.Database, key: NewKey, hash: Buffer): void {
  db.prepare(
    `INSERT INTO keys (${COLUMNS}, hash, lens, seed)
     VALUES (@id, @user_id, @name, @scopes, @created_at, @expires_at, @revoked_at, @last_used_at, @hash, @lens, @seed)`,
  ).run({
    ...key,
    scopes: JSON.stringify(key.scopes),
    lens: key.lens ? JSON.stringify(key.lens) : null,
    seed: key.seed ?? null,
    hash,
  });
}

function createStore(path: string): void {
  if (fileExists(path)) return;
  try {
    createFile(path, (draft) => {
      const db = new Database(draft);
      try {
        db.exec(`BEGIN; ${SCHEMA} COMMIT;`);
      } finally {
        db.close();
      }
    });
  } catch (error) {
    // Another process created it at the same moment: that one counts.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * For commands that store or end keys: a store of version 1 becomes one of this version
 * first, which older programs refuse.
 */
function migrating(path: string, fn: (db: Database.Database) => void): void {
  writing(path, (db) => {
    const migrate = db.transaction(() => {
      if (db.pragma('user_version', { simple: true }) !== 1) return;
      db.exec(
        `ALTER TABLE keys ADD COLUMN lens TEXT; ALTER TABLE keys ADD COLUMN seed BLOB; PRAGMA user_version = ${VERSION}`,
      );
    });
    migrate.immediate();
    fn(db);
  });
}

/** For commands: with a clear error. */
function writing(path: string, fn: (db: Database.Database) => void): void {
  try {
    withDatabase(path, fn, COMMAND_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof Database.SqliteError || error instanceof FileUnavailable))
      throw error;
    throw new UserError(`the key store ${path} can't be written: ${messageOf(error)}`);
  }
}

/**
 * Writes when keys were last used and what they have read: the only write of the server.
 * @param uses epoch milliseconds by key id
 * @param waitMs how long to wait for a lock, blocking the process
 * @returns whether it could: a locked store or a read-only mount doesn't stop the service
 */
export function writeUses(
  path: string,
  uses: ReadonlyMap<string, number>,
  activity: readonly Activity[] = [],
  waitMs = 0,
): boolean {
  try {
    const write = (db: Database.Database) => {
      // Another server on the same keys may have written a later one.
      const statement = db.prepare(
        "UPDATE keys SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE id = ?",
      );
      db.transaction(() => {
        for (const [id, at] of uses) statement.run(toInstantText(at), id);
        writeActivity(db, activity);
      })();
    };
    withDatabase(path, write, waitMs);
    return true;
  } catch {
    // Locked, not writable or just removed: the uses are kept, and the service continues.
    return false;
  }
}

function withDatabase(
  path: string,
  fn: (db: Database.Database) => void,
  timeout: number,
): void {
  if (!fileExists(path))
    throw new UserError(`there are no keys yet (${path} does not exist)`);

  const db = new Database(path, { fileMustExist: true, timeout });
  try {
    const problem = storeProblem(
      pragmaOf(db, 'application_id'),
      pragmaOf(db, 'user_version'),
    );
    if (problem) throw new FileUnavailable(problem);
    fn(db);
  } finally {
    db.close();
  }
}

// What each key has read, by day and path: counts, never a query or a record. Kept for 90
// days.

/** Days that are kept, today included. */
export const KEPT_DAYS = 90;

/** Maximum rows of a key and day. The last one counts all further paths and names. */
export const MAX_ROWS_A_DAY = 100;

/** Its path and name. */
const OTHERS = 'others';

export interface Activity {
  /** Of the key. */
  id: string;
  name: string;
  /** A day in UTC. */
  date: string;
  path: string;
  requests: number;
  /** Records of lists, and single trades. */
  records: number;
}

const dateOf = (at: number) => toInstantText(at).slice(0, 10);

/** Counts not written yet: bounded, because a store on a read-only mount takes none. */
export class PendingActivity {
  readonly #rows = new Map<string, Activity>();

  /** @param now epoch milliseconds */
  add(id: string, name: string, path: string, records: number, now: number): void {
    const date = dateOf(now);
    const place = `${id} ${date} ${path} ${name}`;
    const row = this.#rows.get(place);

    if (row) {
      row.requests++;
      row.records += records;
    } else if (this.#rows.size < MAX_PENDING) {
      this.#rows.set(place, { id, name, date, path, requests: 1, records });
    }
  }

  rows(): readonly Activity[] {
    return [...this.#rows.values()];
  }

  clear(): void {
    this.#rows.clear();
  }
}

const MAX_PENDING = 10_000;

/** Adds counts to those of the store, within its transaction, and removes old days. */
function writeActivity(db: Database.Database, rows: readonly Activity[]): void {
  const newest = rows.reduce((date, row) => (row.date > date ? row.date : date), '');
  if (newest === '') return;

  db.exec(ACTIVITY_SCHEMA);
  const place = 'key_id = @id AND date = @date AND path = @path AND name = @name';
  const add = db.prepare(
    `UPDATE activity SET requests = requests + @requests, records = records + @records WHERE ${place}`,
  );
  const count = db
    .prepare('SELECT count(*) FROM activity WHERE key_id = @id AND date = @date')
    .pluck();
  const insert = db.prepare(
    'INSERT INTO activity VALUES (@id, @date, @path, @name, @requests, @records)',
  );

  for (const row of rows) {
    if (add.run(row).changes > 0) continue;
    const isFull = (count.get(row) as number) >= MAX_ROWS_A_DAY - 1;
    const kept = isFull ? { ...row, path: OTHERS, name: OTHERS } : row;
    if (!isFull || add.run(kept).changes === 0) insert.run(kept);
  }

  const first = dateOf(Date.parse(newest) - (KEPT_DAYS - 1) * DAY);
  // By key, so that the primary key finds them.
  db.prepare(
    'DELETE FROM activity WHERE key_id IN (SELECT id FROM keys) AND date < ?',
  ).run(first);
}

/** All counts, by key, latest day first; none in a store that has no activity yet. */
function activityIn(reader: Reader): Activity[] {
  if (!reader.get("SELECT 1 FROM sqlite_schema WHERE name = 'activity'")) return [];
  return reader.all<Activity>(
    'SELECT key_id AS id, name, date, path, requests, records FROM activity ORDER BY key_id, date DESC, path, name',
  );
}
