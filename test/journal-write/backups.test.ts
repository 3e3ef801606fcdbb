/** The copies that are made of a journal before an import writes to it. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { backUpBeforeImport } from '../../src/journal-write/backups.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { tradeRow, World } from '../helpers.ts';

/** Tries to write, as another program would. */
const WRITE = `
  const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 });
  try { db.exec('BEGIN IMMEDIATE'); console.log('it may write'); } catch (error) { console.log(error.code); }`;

test.each(['DELETE', 'WAL'])(
  'in mode %s, the copy is of the last commit, and no one else gets in meanwhile',
  (mode) => {
    const world = new World();
    const { journal } = world.files;
    world.insert('trades', tradeRow('committed'));
    world.db.pragma(`journal_mode = ${mode}`);
    world.db.close();
    const db = openForWriting(journal);
    db.exec('BEGIN IMMEDIATE');
    db.exec("UPDATE trades SET id = 'uncommitted'");
    const copy = backUpBeforeImport(journal, join(dirname(journal), 'backups'), '2026-11-20T15:00:00.000Z');
    const other = spawnSync(process.execPath, ['-e', WRITE, journal], { encoding: 'utf8' });
    expect(other.stdout.trim()).toBe('SQLITE_BUSY');
    db.exec('COMMIT');
    db.close();

    const copied = new Database(copy, { readonly: true });
    expect(copied.prepare('SELECT id FROM trades').pluck().all()).toEqual(['committed']);
    copied.close();
  },
);
