/**
 * What each key has read, by day and path: counts, never a query or a record. Kept in
 * keys.db for 90 days.
 */
import type Database from 'better-sqlite3';
import type { Reader } from '../sqlite/reader.ts';
import { DAY, toInstantText } from '../time.ts';

/** Days that are kept, today included. */
export const KEPT_DAYS = 90;

/** Maximum rows of a key and day. The last one counts all further paths and names. */
export const MAX_ROWS_A_DAY = 100;

/** Its path and name. */
const OTHERS = 'others';

/**
 * Older programs ignore this table, so that it needs no version. A store gets it with the
 * first request.
 */
export const ACTIVITY_SCHEMA = `
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
export function writeActivity(db: Database.Database, rows: readonly Activity[]): void {
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
export function activityIn(reader: Reader): Activity[] {
  if (!reader.get("SELECT 1 FROM sqlite_schema WHERE name = 'activity'")) return [];
  return reader.all<Activity>(
    'SELECT key_id AS id, name, date, path, requests, records FROM activity ORDER BY key_id, date DESC, path, name',
  );
}
