/** Upgrades older journals to this version's schema. */

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { migrationsSql } from '../embedded.ts';
import { messageOf, UserError } from '../errors.ts';
import { DayStarts } from '../journal/days.ts';
import {
  APPLICATION_ID,
  normalSql,
  type SchemaObject,
  schemaOf,
} from '../journal/journal.ts';
import { createFile, fileExists } from '../sqlite/create-file.ts';
import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { pragmaOf, Reader } from '../sqlite/reader.ts';
import { isTimeZone } from '../time.ts';
import { explainWriting, freshSchema, openFile, withLock } from './open.ts';
import { explainSqlite } from './record.ts';
import { markForRewrite, rewriteIfDue, spaceToUpgrade } from './rewrite.ts';

// Runs migrations that ALTER TABLE can't do: they create trades_new, which receives the
// rows of trades and replaces it.

type Values = Record<string, unknown>;

const SUFFIX = '_new';

/** Number of rejected rows that are named. */
const NAMED = 5;

/**
 * Runs the SQL of a migration, then replaces each table such as trades by its trades_new,
 * with all rows and rowids.
 * @throws UserError that names the rows that a new table rejects, or a column that it
 * lacks
 */
function runMigration(db: Database.Database, sql: string): void {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck();
  const before = tables.all();
  db.exec(sql);

  for (const made of tables.all()) {
    const name = made.slice(0, -SUFFIX.length);
    if (made.endsWith(SUFFIX) && !before.includes(made) && before.includes(name))
      replaceTable(db, name, made);
  }
}

function replaceTable(db: Database.Database, name: string, made: string): void {
  const columns = columnsOf(db, name);
  const kept = new Set(columnsOf(db, made));
  const lost = columns.find((column) => !kept.has(column));
  if (lost !== undefined) {
    throw new UserError(
      `${name} has the column ${lost}, which is not the journal's own; ` +
        'move it to a table of your own',
    );
  }

  const list = [...(hasRowid(db, name) ? ['rowid'] : []), ...columns].join(', ');
  try {
    db.exec(`INSERT INTO ${made} (${list}) SELECT ${list} FROM ${name}`);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new UserError(refusals(db, name, made, columns).join('; '));
  }

  db.exec(`DROP TABLE ${name}; ALTER TABLE ${made} RENAME TO ${name};`);
}

function columnsOf(db: Database.Database, table: string): string[] {
  const columns = db.pragma(`table_xinfo(${table})`) as {
    name: string;
    hidden: number;
  }[];
  return columns.filter(({ hidden }) => hidden === 0).map(({ name }) => name);
}

function hasRowid(db: Database.Database, table: string): boolean {
  const [{ wr }] = db.pragma(`table_list(${table})`) as [{ wr: number }];
  return wr === 0;
}

function isRefusal(error: unknown): error is Error {
  return (
    error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
  );
}

/** The first few rows that a new table rejects, with the reason. */
function refusals(
  db: Database.Database,
  name: string,
  made: string,
  columns: readonly string[],
): string[] {
  const insert = db.prepare(
    `INSERT INTO ${made} (${columns.join(', ')})
      VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  );
  /** The reason why a row is rejected, if it is. */
  const refusal = (row: Values): string | undefined => {
    try {
      insert.run(row);
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return `${labelOf(name, row)}: ${explainSqlite(error.message, row).message}`;
    }
  };

  // Not an iterator: nothing can be written while one is open.
  const rowsAt = db.prepare<[number], Values>(
    `SELECT ${columns.join(', ')} FROM ${name} LIMIT 1000 OFFSET ?`,
  );
  const reasons: string[] = [];
  for (let offset = 0; reasons.length < NAMED; offset += 1000) {
    const rows = rowsAt.all(offset);
    if (rows.length === 0) break;
    for (const row of rows) {
      const reason = refusal(row);
      if (reason !== undefined) reasons.push(reason);
    }
  }

  return reasons.slice(0, NAMED);
}

/** trades t1 (user me) */
function labelOf(table: string, row: Values): string {
  if (table === 'users') return `user ${row['id']}`;
  return `${table} ${row['id'] ?? `of trade ${row['trade_id']}`} (user ${row['user_id']})`;
}

/**
 * What SQL can't do of a migration, by the version that it leads to. It may use the
 * program's tables as they are now.
 */
export type MigrationSteps = ReadonlyMap<number, (db: Database.Database) => void>;

interface UpgradeOptions {
  /** They run in the transaction of the migrations, after all SQL. */
  steps: MigrationSteps;
  /** The first upgrades version 1 to 2. By default the program's own. */
  migrations?: readonly string[];
  /** Receives what the user should know before it begins. */
  note?: (line: string) => void;
}

interface Upgrade {
  from: number;
  to: number;
  /** The backup of the old journal; null if there was nothing to do. */
  backup: string | null;
  /** Messages about values that the new schema rejects. */
  notes: string[];
}

/**
 * Backs up the journal next to it, then upgrades it to the newest version in one
 * transaction, or not at all. Rewrites the file then, if there is room for it.
 * @throws UserError if the file isn't a journal, is newer than this program, or has a row
 * that the new schema rejects
 */
export async function upgradeJournal(
  path: string,
  { steps, migrations = migrationsSql(), note = () => {} }: UpgradeOptions,
): Promise<Upgrade> {
  const to = migrations.length + 1;
  const from = versionOf(path);
  if (from > to)
    throw new UserError(
      `the journal ${path} has version ${from}, newer than this program supports (${to}); ` +
        'use a newer journal-api',
    );

  if (from < to)
    note(
      `The upgrade needs up to ${spaceToUpgrade(path)} of free disk space, with a backup.`,
    );
  const backup = from < to ? await backUp(path, `${path}.version-${from}`) : null;
  const db = openFile(path);

  try {
    // Rebuilding a table drops it, which must not delete rows that refer to it.
    db.pragma('foreign_keys = OFF');
    const upgrade = db.transaction(() =>
      migrate(db, migrations.slice(from - 1), { to, steps }),
    );
    const notes = from < to ? withLock(db, () => upgrade.immediate()) : [];
    const left = rewriteIfDue(db, path);
    return { from, to, backup, notes: left === undefined ? notes : [...notes, left] };
  } catch (error) {
    if (!(error instanceof UserError)) throw explainWriting(path, error);
    throw new UserError(`the journal ${path} was not changed: ${error.message}`);
  } finally {
    db.close();
  }
}

/** @returns messages of the migrations */
function migrate(
  db: Database.Database,
  migrations: readonly string[],
  { to, steps }: Pick<UpgradeOptions, 'steps'> & Pick<Upgrade, 'to'>,
): string[] {
  const from = to - migrations.length;
  if (db.pragma('user_version', { simple: true }) !== from) {
    throw new UserError('another program upgraded it at the same time');
  }

  const orphans = countOrphans(db);
  const before = schemaOf(new Reader(db));
  // Tables can't be renamed while views and triggers refer to them.
  for (const { type, name } of before) {
    if (type === 'view' || type === 'trigger') db.exec(`DROP ${type} ${quoted(name)}`);
  }

  db.exec('CREATE TEMP TABLE notes (words TEXT NOT NULL)');
  db.function('starts_day', { deterministic: true }, startsDay);
  for (const sql of migrations) runMigration(db, sql);
  recreate(db, before);
  for (const [version, step] of steps) if (version > from && version <= to) step(db);
  if (countOrphans(db) > orphans) throw new Error('a migration broke references');

  markForRewrite(db, from);
  db.pragma(`user_version = ${to}`);
  return db.prepare<[], string>('SELECT words FROM temp.notes').pluck().all();
}

/** Zone of a format's dates, if it isn't the user's. */
const ZONES: Readonly<Record<string, string>> = { groww: 'Asia/Kolkata' };

/** For migrations: whether a day starts at an instant in the zone of an import. */
function startsDay(instant: unknown, timeZone: unknown, format: unknown): number {
  const zones = [timeZone, ZONES[String(format)]].filter(
    (zone) => typeof zone === 'string' && isTimeZone(zone),
  );
  return zones.some(
    (zone) => new DayStarts(String(zone)).dayFrom(String(instant)) !== undefined,
  )
    ? 1
    : 0;
}

/**
 * Creates the indexes, views and triggers of schema.sql, then those that the file's owner
 * had added.
 */
function recreate(db: Database.Database, before: readonly SchemaObject[]): void {
  const fresh = freshSchema().filter(({ type }) => type !== 'table');
  const ours = new Set(fresh.map(({ name }) => name));
  const owners = before.filter(({ type, name }) => type !== 'table' && !ours.has(name));

  for (const { name, sql } of [...fresh, ...owners]) {
    const present = schemaOf(new Reader(db)).find((object) => object.name === name);
    if (present && normalSql(present.sql) === normalSql(sql)) continue;
    if (present) db.exec(`DROP ${present.type} ${quoted(name)}`);
    db.exec(sql);
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Number of records that refer to missing ones: the owner may have some, but an upgrade
 * must not add any.
 */
function countOrphans(db: Database.Database): number {
  return (db.pragma('foreign_key_check') as unknown[]).length;
}

/** @returns the name of the backup: the wanted one, or the next free one */
async function backUp(path: string, wanted: string): Promise<string> {
  let backup = wanted;
  for (let n = 2; fileExists(backup); n++) backup = `${wanted}-${n}`;
  const copy = `${backup}.${randomUUID().slice(0, 8)}.copy`;
  const file = new ReadOnlyFile(path, () => undefined);

  try {
    // Readable by its owner only, before it has any contents.
    closeSync(openSync(copy, 'wx', 0o600));
    await file.backupTo(copy);
    createFile(backup, (draft) => renameSync(copy, draft));
    return backup;
  } catch (error) {
    throw new UserError(
      `can't create the backup ${backup}, so nothing was changed: ${messageOf(error)}`,
    );
  } finally {
    file.close();
    for (const left of [copy, `${copy}-journal`]) rmSync(left, { force: true });
  }
}

function versionOf(path: string): number {
  const db = openFile(path);
  try {
    const version = pragmaOf(db, 'user_version');
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) {
      throw new UserError(
        `${path} is not a journal-api journal; pass the right file with --db`,
      );
    }
    return version;
  } finally {
    db.close();
  }
}
