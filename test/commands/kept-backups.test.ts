/** `backup --keep`: a folder per backup, and nothing else is ever removed. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';

let world: World;
let folder: string;

beforeEach(() => {
  world = new World();
  world.insert('trades', tradeRow('t1'));
  world.key(['trades:read']);
  folder = join(temporaryFolder(), 'back ups');
});

const backup = (keep = '2') =>
  runHere(['backup', folder, '--keep', keep, '--home', world.files.home]);
const names = () => readdirSync(folder).sort();

/** A backup of a day, as an earlier run left it. */
function earlier(day: string, journal: unknown = world.files.journal): string {
  const path = join(folder, `journal-${day}T000000Z`);
  cpSync(world.files.home, path, { recursive: true });
  writeFileSync(join(path, 'backup.json'), JSON.stringify({ journal }));
  return path;
}

test('makes a folder named by day and time that states its journal, and says what it contains', async () => {
  const { code, stderr, stdout } = await backup();
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(
    /^journal\.db, keys\.db, secret copied to .*\nIt contains the key store and the secret: keep it as private/,
  );
  const [name = ''] = names();
  expect(name).toMatch(/^journal-\d{4}-\d\d-\d\dT\d{6}Z$/);
  const path = join(folder, name);
  expect(readdirSync(path).sort()).toEqual([
    'backup.json',
    'journal.db',
    'keys.db',
    'secret',
  ]);
  expect(JSON.parse(readFileSync(join(path, 'backup.json'), 'utf8'))).toEqual({
    journal: world.files.journal,
  });
  for (const file of ['.', 'journal.db', 'backup.json'])
    expect(statSync(join(path, file)).mode & 0o077).toBe(0);
  expect((await runHere(['check', '--home', path])).code).toBe(0);
});

test('keeps the latest of the same journal, several within a second too', async () => {
  for (const day of ['2026-01-01', '2026-01-02', '2026-01-03']) earlier(day);
  const { stderr } = await backup();
  expect(stderr.match(/Removed/g)).toHaveLength(2);
  expect(names()).toEqual(['journal-2026-01-03T000000Z', expect.any(String)]);
  await backup();
  await backup();
  expect(names()).toHaveLength(2);
  expect(existsSync(join(folder, 'journal-2026-01-03T000000Z'))).toBe(false);
});

test('a clock that went backwards never removes the backup just made', async () => {
  for (const day of ['2999-01-01', '2999-01-02', '2999-01-03']) earlier(day);
  await backup('1');
  expect(names()).toEqual([expect.not.stringContaining('2999')]);
});

test('never removes anything else', async () => {
  const other = earlier('2020-01-01', '/another/journal.db');
  const kept = [
    other,
    earlier('2020-01-03', [world.files.journal]),
    earlier('2020-01-04', null),
    join(folder, 'journal-2020-01-05'),
    join(folder, 'my-journal-2020-01-06T000000Z'),
    join(folder, 'journal-2020-01-07T000000Z.zip'),
    join(folder, 'journal-2020-01-08T000000Z'),
    join(folder, 'journal-2020-01-09T000000Z'),
    join(folder, 'journal-2020-01-10T000000Z'),
    join(folder, 'journal-2020-01-11T000000Z'),
  ];
  for (const path of kept.slice(3, 6)) cpSync(other, path, { recursive: true });
  // Links to a backup, and to its statement; a file of that name; a folder whose statement is a folder, or no JSON.
  const target = earlier('2020-02-01');
  const outside = join(temporaryFolder(), 'outside');
  cpSync(target, outside, { recursive: true });
  rmSync(target, { recursive: true });
  symlinkSync(outside, kept[6]!);
  mkdirSync(kept[7]!);
  symlinkSync(join(outside, 'backup.json'), join(kept[7]!, 'backup.json'));
  writeFileSync(kept[8]!, '');
  mkdirSync(join(kept[9]!, 'backup.json'), { recursive: true });
  // A backup with a file of the owner.
  const own = earlier('2020-01-12');
  writeFileSync(join(own, 'notes.txt'), 'mine');
  const before = names();
  const { code, stderr } = await backup('1');
  expect(code).toBe(0);
  expect(stderr).toContain(`Kept ${own}: it has files that are not part of a backup.`);
  expect(names().filter((name) => before.includes(name))).toEqual(before);
  expect(readdirSync(outside).sort()).toEqual([
    'backup.json',
    'journal.db',
    'keys.db',
    'secret',
  ]);
  expect(readdirSync(own)).toContain('journal.db');
});

test('a link in place of a file of a backup is removed, and what it leads to stays', async () => {
  const old = earlier('2026-01-01');
  const mine = join(temporaryFolder(), 'mine');
  writeFileSync(mine, 'mine');
  rmSync(join(old, 'secret'));
  symlinkSync(mine, join(old, 'secret'));
  await backup('1');
  expect([existsSync(old), readFileSync(mine, 'utf8')]).toEqual([false, 'mine']);
});

test('a damaged journal makes no backup, and removes none', async () => {
  const old = earlier('2026-01-01');
  world.insert(
    'trades',
    ...Array.from({ length: 200 }, (_, i) =>
      tradeRow(`x${i}`, { notes: 'x'.repeat(500) }),
    ),
  );
  world.db.close();
  const bytes = readFileSync(world.files.journal);
  bytes.fill(0x5a, bytes.length - 40_960, bytes.length - 4096);
  writeFileSync(world.files.journal, bytes);
  const { code, stderr } = await backup('1');
  expect([code, names()]).toEqual([1, ['journal-2026-01-01T000000Z']]);
  expect(stderr).toMatch(/the backup failed, and .* was not made: .*damaged/);
  expect(existsSync(join(old, 'journal.db'))).toBe(true);
});

test('a journal in WAL mode leaves no files beside its copy', async () => {
  world.db.pragma('journal_mode = WAL');
  world.insert('trades', tradeRow('t2'));
  expect((await backup()).code).toBe(0);
  const path = join(folder, names()[0] as string);
  expect(readdirSync(path).sort()).toEqual([
    'backup.json',
    'journal.db',
    'keys.db',
    'secret',
  ]);
  const db = new Database(join(path, 'journal.db'), { readonly: true });
  expect(db.prepare('SELECT count(*) FROM trades').pluck().get()).toBe(2);
  db.close();
});

test.each(['0', '-1', 'x', '1.5', '100000'])('--keep %s is wrong usage', async (keep) => {
  expect(await backup(keep)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--keep takes a whole number'),
  });
  expect(existsSync(folder)).toBe(false);
});
