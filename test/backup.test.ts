import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { upgradeJournal } from '../src/import/upgrade.ts';
import { openJournal } from '../src/journal/journal.ts';
import { temporaryFolder, tradeRow, World } from './helpers.ts';
import { run, startServe } from './program.ts';

test('a backup is a home of its own: the same key reads the same answers from it', async () => {
  const world = new World();
  world.insert('trades', tradeRow('t1'), tradeRow('t2'));
  const key = world.key(['trades:read']);
  const folder = join(temporaryFolder(), 'backup');

  // A writer halfway through: what it has not committed is not in the copy.
  world.db.exec('BEGIN');
  world.insert('trades', tradeRow('t3'));
  expect(await run(['backup', folder, '--home', world.files.home])).toMatchObject({ code: 0 });
  world.db.exec('COMMIT');

  for (const name of ['journal.db', 'keys.db', 'secret']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const { url } = await startServe(['--home', folder]);
  const answer = await fetch(`${url}/v1/trades`, { headers: { Authorization: `Bearer ${key}` } });
  const body: any = await answer.json();
  expect(body.data.map((trade: any) => trade.id)).toEqual(['t2', 't1']);
});

test('a backup never goes over something', async () => {
  const world = new World();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const refused = await run(['backup', folder, '--home', world.files.home]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/is not empty/);
});

test('a file is no folder to back up into', async () => {
  const world = new World();
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'mine');
  const refused = await run(['backup', file, '--home', world.files.home]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: `journal-api: ${file} is a file; a backup goes into a new folder\n`,
  });
  const inside = await run(['backup', join(file, 'copy'), '--home', world.files.home]);
  expect(inside.stderr).toMatch(/^journal-api: the folder .* can't be made: /);
});

test('without a journal there is nothing to back up', async () => {
  const home = join(temporaryFolder(), 'none');
  mkdirSync(home);
  const refused = await run(['backup', join(home, 'copy'), '--home', home]);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toMatch(/there is no journal/);
  expect(existsSync(join(home, 'copy'))).toBe(false);
});

test('an upgrade keeps the journal as it was beside the new one', async () => {
  const world = new World();
  const { journal: path } = world.files;
  const upgrade = ['ALTER TABLE users ADD COLUMN motto TEXT'];
  writeFileSync(`${path}.version-1`, 'an earlier one');
  const backup = `${path}.version-1-2`;
  expect(await upgradeJournal(path, upgrade)).toEqual({ from: 1, to: 2, backup });
  expect(readFileSync(`${path}.version-1`, 'utf8')).toBe('an earlier one');
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(world.db.prepare('SELECT motto FROM users').all()).toEqual([{ motto: null }]);
  expect(world.db.pragma('user_version', { simple: true })).toBe(2);
  const before = openJournal(backup);
  expect(before.read((reader) => reader.get('SELECT id FROM users'))).toEqual({ id: 'me' });
  before.close();
  expect(await upgradeJournal(path, upgrade)).toEqual({ from: 2, to: 2, backup: null });
  await expect(upgradeJournal(path)).rejects.toThrow(/newer than this program knows/);
});

test('an upgrade that fails changes nothing', async () => {
  const world = new World();
  await expect(upgradeJournal(world.files.journal, ['CREATE TABLE half (a); SELECT nonsense'])).rejects.toThrow();
  expect(world.db.pragma('user_version', { simple: true })).toBe(1);
  expect(world.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get()).toBeUndefined();
});

test('upgrade says when there is nothing to do', async () => {
  const world = new World();
  const { code, stderr } = await run(['upgrade', '--home', world.files.home]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/version 1, the newest; nothing to do/)]);
});
