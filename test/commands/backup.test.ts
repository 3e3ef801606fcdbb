import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { run, runHere, startServe } from '../program.ts';

test('a backup is a complete data folder: the same key reads the same records from it', async () => {
  const world = new World();
  world.insert('trades', tradeRow('t1'), tradeRow('t2'));
  const key = world.key(['trades:read']);
  const folder = join(temporaryFolder(), 'backup');

  // A writer in the middle of a transaction: the backup excludes uncommitted rows.
  world.db.exec('BEGIN');
  world.insert('trades', tradeRow('t3'));
  expect(await run(['backup', folder, '--home', world.files.home])).toMatchObject({
    code: 0,
  });
  world.db.exec('COMMIT');

  for (const name of ['journal.db', 'keys.db', 'secret'])
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const { url } = await startServe(['--home', folder]);
  const answer = await fetch(`${url}/v1/trades`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const body: any = await answer.json();
  expect(body.data.map((trade: any) => trade.id)).toEqual(['t2', 't1']);
});

test('a backup never overwrites anything', async () => {
  const world = new World();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const refused = await runHere(['backup', folder, '--home', world.files.home]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/is not empty/);
});

test('a backup into a file is refused', async () => {
  const world = new World();
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'mine');
  const refused = await runHere(['backup', file, '--home', world.files.home]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: `journal-api: ${file} is a file; a backup goes into a new folder\n`,
  });
  const inside = await runHere([
    'backup',
    join(file, 'copy'),
    '--home',
    world.files.home,
  ]);
  expect(inside.stderr).toMatch(/^journal-api: the folder .* can't be created: /);
});

test('a backup without a journal is refused, and creates no folder', async () => {
  const home = join(temporaryFolder(), 'none');
  mkdirSync(home);
  const refused = await runHere(['backup', join(home, 'copy'), '--home', home]);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toMatch(/no journal at .*; pass its folder with --home/);
  expect(existsSync(join(home, 'copy'))).toBe(false);
});
