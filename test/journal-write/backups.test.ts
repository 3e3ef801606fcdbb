/** Backups of a journal, made before an import writes to it. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
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
  'in mode %s, the backup has the last commit, and no other program can write meanwhile',
  (mode) => {
    const world = new World();
    const { journal } = world.files;
    world.insert('trades', tradeRow('committed'));
    world.db.pragma(`journal_mode = ${mode}`);
    world.db.close();
    const db = openForWriting(journal);
    db.exec('BEGIN IMMEDIATE');
    db.exec("UPDATE trades SET id = 'uncommitted'");
    const copy = backUpBeforeImport(
      journal,
      join(dirname(journal), 'backups'),
      '2026-11-20T15:00:00.000Z',
    );
    const other = spawnSync(process.execPath, ['-e', WRITE, journal], {
      encoding: 'utf8',
    });
    expect(other.stdout.trim()).toBe('SQLITE_BUSY');
    db.exec('COMMIT');
    db.close();

    const copied = new Database(copy, { readonly: true });
    expect(copied.prepare('SELECT id FROM trades').pluck().all()).toEqual(['committed']);
    copied.close();
  },
);

test('of three backups a day, the last three stay, and always one older than an hour, a day and a week', () => {
  const world = new World();
  world.db.close();
  const folder = join(dirname(world.files.journal), 'backups');
  const HOUR = 3_600_000;
  for (let n = 0; n < 60; n++) {
    const now = Date.parse('2026-11-20T15:00:00.000Z') + n * 8 * HOUR;
    backUpBeforeImport(world.files.journal, folder, new Date(now).toISOString());
    const ages = readdirSync(folder).map((name) => (now - timeIn(name)) / HOUR);
    expect(ages.length).toBeLessThanOrEqual(9);
    for (const age of [0, 8, 16].slice(0, n + 1)) expect(ages).toContain(age);
    for (const age of [1, 24, 168]) {
      // From the first backup on, and none is older than its age requires.
      const older = ages.filter((own) => own > age);
      if (n * 8 > age) expect(Math.min(...older)).toBeLessThanOrEqual(2 * age + 16);
    }
  }
});

function timeIn(name: string): number {
  return Date.parse(
    name.replace(/journal-(.*)T(\d\d)-(\d\d)-(\d\d)\.db/, '$1T$2:$3:$4Z'),
  );
}
