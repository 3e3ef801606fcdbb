import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { SCHEMA_SQL } from '../../src/embedded.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { upgradeJournal } from '../../src/journal-write/migrate.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { run, startServe } from '../program.ts';

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
  const upgrade = ['', 'ALTER TABLE users ADD COLUMN motto TEXT'];
  writeFileSync(`${path}.version-2`, 'an earlier one');
  const backup = `${path}.version-2-2`;
  expect(await upgradeJournal(path, upgrade)).toEqual({ from: 2, to: 3, backup });
  expect(readFileSync(`${path}.version-2`, 'utf8')).toBe('an earlier one');
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(world.db.prepare('SELECT motto FROM users').all()).toEqual([{ motto: null }]);
  expect(world.db.pragma('user_version', { simple: true })).toBe(3);
  const before = openJournal(backup);
  expect(before.read((reader) => reader.get('SELECT id FROM users'))).toEqual({ id: 'me' });
  before.close();
  expect(await upgradeJournal(path, upgrade)).toEqual({ from: 3, to: 3, backup: null });
  await expect(upgradeJournal(path)).rejects.toThrow(/newer than this program knows/);
});

test('an upgrade that fails changes nothing', async () => {
  const world = new World();
  await expect(upgradeJournal(world.files.journal, ['', 'CREATE TABLE half (a); SELECT nonsense'])).rejects.toThrow();
  expect(world.db.pragma('user_version', { simple: true })).toBe(2);
  expect(world.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get()).toBeUndefined();
});

test('upgrade says when there is nothing to do', async () => {
  const world = new World();
  const { code, stderr } = await run(['upgrade', '--home', world.files.home]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/version 2, the newest; nothing to do/)]);
});

/** schema.sql as it was before the trades computed anything themselves. */
const VERSION_1 = [
  [/^ {2}(net_pnl|r_multiple|holding_seconds) +REAL AS .*\n/gm, ''],
  ['user_version = 2', 'user_version = 1'],
  ['t.fees, t.net_pnl,', 't.fees, round(t.gross_pnl - t.fees, 8) AS net_pnl,'],
  [
    ' t.r_multiple,',
    " CASE WHEN t.status = 'closed' THEN round(t.gross_pnl - t.fees, 8) / t.initial_risk END AS r_multiple,",
  ],
  [' t.holding_seconds,', ' round((julianday(t.closed_at) - julianday(t.executed_at)) * 86400, 3) AS holding_seconds,'],
  [/\bt\.net_pnl\b/g, 'round(t.gross_pnl - t.fees, 8)'],
  ['total(net_pnl)', 'total(round(gross_pnl - fees, 8))'],
].reduce((sql, [from, to]) => sql.replace(from as string, to as string), SCHEMA_SQL);

test('a journal of version 1 is refused, and answers the same once it is upgraded', async () => {
  const world = new World();
  const key = world.key();
  const group = { id: 'g', name: 'G', kind: 'scaled', market: 'stock', status: 'open', currency: 'USD' };
  world.insert('trade_groups', { ...group, opened_at: '2026-11-10T14:30:00.000Z' });
  for (let i = 0; i < 20; i++) {
    const more = {
      gross_pnl: 0.1 * i - 1,
      fees: 0.2,
      initial_risk: i % 3 === 0 ? null : 3,
      group_id: i % 2 === 0 ? 'g' : null,
    };
    world.insert('trades', tradeRow(`t${i}`, { ...more, ...(i % 5 === 0 ? { status: 'open' } : {}) }));
  }
  const urls = ['/v1/trades', '/v1/trade-groups', '/v1/trades/t4', '/v1/analytics/summary', '/v1/summary'];
  const answers = () => Promise.all(urls.map(async (url) => (await world.ask(url, { key })).body.data));
  const before = await answers();

  const { journal } = world.files;
  const old = new Database(`${journal}.old`);
  old.exec(VERSION_1);
  old.prepare('ATTACH ? AS new').run(journal);
  for (const table of ['users', 'trade_groups', 'trades']) {
    const columns = old.pragma(`table_info(${table})`) as { name: string }[];
    const names = columns.map(({ name }) => name).join(', ');
    old.exec(`INSERT INTO ${table} (${names}) SELECT ${names} FROM new.${table}`);
  }
  old.close();
  renameSync(`${journal}.old`, journal);
  const refused = await world.ask('/v1/trades?limit=9', { key });
  expect([refused.status, refused.body.detail]).toEqual([
    503,
    expect.stringMatching(/version 1, older .* run "journal-api upgrade"/),
  ]);

  expect(await upgradeJournal(journal)).toEqual({ from: 1, to: 2, backup: `${journal}.version-1` });
  expect(await answers()).toEqual(before);
  const checked = await run(['check', '--home', world.files.home]);
  expect(checked).toMatchObject({ code: 0 });
});
