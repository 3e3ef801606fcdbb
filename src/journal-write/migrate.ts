/** Upgrades older journals to this version's schema. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { migrationsSql } from '../embedded.ts';
import { messageOf, UserError } from '../errors.ts';
import { APPLICATION_ID, normalSql, type SchemaObject, schemaOf } from '../journal/schema.ts';
import { createFile, fileExists } from '../sqlite/create-file.ts';
import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { Reader } from '../sqlite/reader.ts';
import { explainWriting, freshSchema, openFile } from './open.ts';
import { runMigration } from './run-migration.ts';

export interface Upgrade {
  from: number;
  to: number;
  /** The backup of the old journal; null if there was nothing to do. */
  backup: string | null;
  /** Messages about values that the new schema rejects. */
  notes: string[];
}

/**
 * Backs up the journal next to it, then upgrades it to the newest version in one transaction, or not at all.
 * @param migrations default: the program's own; the first upgrades version 1 to 2
 * @throws UserError if the file isn't a journal, is newer than this program, or has a row that the new schema rejects
 */
export async function upgradeJournal(path: string, migrations: readonly string[] = migrationsSql()): Promise<Upgrade> {
  const to = migrations.length + 1;
  const from = versionOf(path);
  if (from > to)
    throw new UserError(
      `the journal ${path} has version ${from}, newer than this program supports (${to}); use a newer journal-api`,
    );
  if (from === to) return { from, to, backup: null, notes: [] };
  const backup = await backUp(path, `${path}.version-${from}`);
  const db = openFile(path);
  try {
    // Rebuilding a table drops it, which must not delete rows that refer to it.
    db.pragma('foreign_keys = OFF');
    const notes = db.transaction(() => migrate(db, migrations.slice(from - 1), to)).immediate();
    return { from, to, backup, notes };
  } catch (error) {
    if (!(error instanceof UserError)) throw explainWriting(path, error);
    throw new UserError(`the journal ${path} was not changed: ${error.message}`);
  } finally {
    db.close();
  }
}

/** @returns messages of the migrations */
function migrate(db: Database.Database, migrations: readonly string[], to: number): string[] {
  if (db.pragma('user_version', { simple: true }) !== to - migrations.length) {
    throw new UserError('another program upgraded it at the same time');
  }
  const orphans = countOrphans(db);
  const before = schemaOf(new Reader(db));
  // Tables can't be renamed while views and triggers refer to them.
  for (const { type, name } of before) {
    if (type === 'view' || type === 'trigger') db.exec(`DROP ${type} ${quoted(name)}`);
  }
  db.exec('CREATE TEMP TABLE notes (words TEXT NOT NULL)');
  for (const sql of migrations) runMigration(db, sql);
  recreate(db, before);
  if (countOrphans(db) !== orphans) throw new Error('a migration broke references');
  db.pragma(`user_version = ${to}`);
  return db.prepare('SELECT words FROM temp.notes').pluck().all() as string[];
}

/** Creates the indexes, views and triggers of schema.sql, then those that the file's owner had added. */
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

/** Number of records that refer to missing ones: the owner may have some, but an upgrade must not add any. */
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
    throw new UserError(`can't create the backup ${backup}, so nothing was changed: ${messageOf(error)}`);
  } finally {
    file.close();
    for (const left of [copy, `${copy}-journal`]) rmSync(left, { force: true });
  }
}

function versionOf(path: string): number {
  const db = openFile(path);
  try {
    const version = db.pragma('user_version', { simple: true }) as number;
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) {
      throw new UserError(`${path} is not a journal-api journal; pass the right file with --db`);
    }
    return version;
  } finally {
    db.close();
  }
}
