/** Older journals brought to this version's schema. */
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
  /** The copy of the journal as it was; null where there was nothing to do. */
  backup: string | null;
  /** What became of values that the new schema refuses, in words. */
  notes: string[];
}

/**
 * Makes a copy beside the journal, then brings it to the newest version in one transaction: it ends there, or stays as it was.
 * @param migrations what to run, if not the program's own: the first takes version 1 to 2
 * @throws UserError where the file is no journal, or newer than this program, or holds a row that the new schema refuses
 */
export async function upgradeJournal(path: string, migrations: readonly string[] = migrationsSql()): Promise<Upgrade> {
  const to = migrations.length + 1;
  const from = versionOf(path);
  if (from > to)
    throw new UserError(
      `the journal ${path} has version ${from}, newer than this program knows (${to}); use a newer journal-api`,
    );
  if (from === to) return { from, to, backup: null, notes: [] };
  const backup = await backUp(path, `${path}.version-${from}`);
  const db = openFile(path);
  try {
    // A table is rebuilt by dropping it, which must not delete what refers to it.
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

/** @returns what the migrations have to say */
function migrate(db: Database.Database, migrations: readonly string[], to: number): string[] {
  if (db.pragma('user_version', { simple: true }) !== to - migrations.length) {
    throw new UserError('another program upgraded it at the same moment');
  }
  const orphans = countOrphans(db);
  const before = schemaOf(new Reader(db));
  // Tables can't be renamed while views and triggers speak of them.
  for (const { type, name } of before) {
    if (type === 'view' || type === 'trigger') db.exec(`DROP ${type} ${quoted(name)}`);
  }
  db.exec('CREATE TEMP TABLE notes (words TEXT NOT NULL)');
  for (const sql of migrations) runMigration(db, sql);
  makeAgain(db, before);
  if (countOrphans(db) !== orphans) throw new Error('a migration broke references');
  db.pragma(`user_version = ${to}`);
  return db.prepare('SELECT words FROM temp.notes').pluck().all() as string[];
}

/** Indexes, views and triggers as schema.sql has them today, then those that the owner of the file had made. */
function makeAgain(db: Database.Database, before: readonly SchemaObject[]): void {
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

/** Records that refer to what isn't there: the owner's to mend, but none may come by an upgrade. */
function countOrphans(db: Database.Database): number {
  return (db.pragma('foreign_key_check') as unknown[]).length;
}

/** @returns the name of the copy: the one wanted, or the next that is free */
async function backUp(path: string, wanted: string): Promise<string> {
  let backup = wanted;
  for (let n = 2; fileExists(backup); n++) backup = `${wanted}-${n}`;
  const copy = `${backup}.${randomUUID().slice(0, 8)}.copy`;
  const file = new ReadOnlyFile(path, () => undefined);
  try {
    // Readable by its owner only, before anything is in it.
    closeSync(openSync(copy, 'wx', 0o600));
    await file.backupTo(copy);
    createFile(backup, (draft) => renameSync(copy, draft));
    return backup;
  } catch (error) {
    throw new UserError(`the backup ${backup} can't be made, so nothing was changed: ${messageOf(error)}`);
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
      throw new UserError(`${path} is not a journal-api journal; name the right file with --db`);
    }
    return version;
  } finally {
    db.close();
  }
}
