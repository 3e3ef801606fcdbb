/** Files left by a killed writer or a full disk don't block the owner. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Files, filesOf } from '../../src/config.ts';
import { createFile, createFolder, fileExists } from '../../src/sqlite/create-file.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';

/** Leaves a database like a writer killed during a transaction: pages written, with a rollback journal. */
function leaveHot(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = ON; BEGIN; ${sql}`);
  for (const suffix of ['', '-journal'])
    copyFileSync(`${path}${suffix}`, `${path}${suffix}.hot`);
  db.exec('ROLLBACK');
  db.close();
  for (const suffix of ['', '-journal'])
    copyFileSync(`${path}${suffix}.hot`, `${path}${suffix}`);
}

const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)`;
const HALF_AN_IMPORT = `${FILL} INSERT INTO trade_groups (user_id, id, name, kind, market, status, opened_at, currency, notes)
  SELECT 'me', 'g' || i, 'Half', 'custom', 'stock', 'open', '2026-01-02T10:00:00.000Z', 'USD', hex(randomblob(2000)) FROM n;`;
const HALF_A_KEY = `${FILL} INSERT INTO keys (id, user_id, name, scopes, hash, created_at, expires_at)
  SELECT 'half' || i, 'me', hex(randomblob(2000)), '[]', randomblob(32), '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z' FROM n;`;

function home(): { files: Files; args: string[] } {
  const world = new World();
  world.insert('trades', tradeRow('t'));
  world.key(['trades:read'], 'me', 'key_000000001');
  world.db.close();
  writeFileSync(
    join(world.files.home, 'trades.jsonl'),
    `${JSON.stringify(tradeRow('u'))}\n`,
  );
  return { files: world.files, args: ['--home', world.files.home] };
}

describe('a journal whose writer was killed', () => {
  test.each([
    ['check', '--json'],
    ['user', 'list'],
    ['user', 'set', 'me', '--timezone', 'Europe/Madrid'],
    ['key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h'],
    ['import', 'trades.jsonl'],
    ['backup', 'copy'],
    ['upgrade'],
  ])('%s %s recovers it', async (...command: string[]) => {
    const { files, args } = home();
    leaveHot(files.journal, HALF_AN_IMPORT);
    const inHome = command.map((word) =>
      /^(trades\.jsonl|copy)$/.test(word) ? join(files.home, word) : word,
    );
    expect(await runHere([...inHome, ...args])).toMatchObject({ code: 0 });
    expect(fileExists(`${files.journal}-journal`)).toBe(false);
    const db = new Database(files.journal, { readonly: true });
    expect(db.prepare('SELECT count(*) FROM trade_groups').pluck().get()).toBe(0);
    db.close();
  });
});

describe('a key store whose writer was killed', () => {
  test.each([
    ['key', 'list'],
    ['key', 'revoke', 'key_000000001'],
    ['key', 'rotate', 'key_000000001'],
    ['key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h'],
    ['backup', 'copy'],
  ])('%s %s recovers it', async (...command: string[]) => {
    const { files, args } = home();
    leaveHot(files.keys, HALF_A_KEY);
    const inHome = command.map((word) =>
      word === 'copy' ? join(files.home, word) : word,
    );
    expect(await runHere([...inHome, ...args])).toMatchObject({ code: 0 });
    const { stdout } = await runHere(['key', 'list', '--json', ...args]);
    expect(stdout).toContain('key_000000001');
    expect(stdout).not.toContain('half');
  });
});

describe('an empty file counts as absent', () => {
  test.each(['journal', 'keys', 'secret'] as const)('%s', async (name) => {
    const files = filesOf({ home: join(temporaryFolder(), 'home') });
    const args = ['--home', files.home];
    if (name !== 'journal') expect((await runHere(['init', ...args])).code).toBe(0);
    createFile(files[name], (draft) => writeFileSync(draft, ''));
    expect(statSync(files[name]).size).toBe(0);
    if (name === 'journal') expect((await runHere(['init', ...args])).code).toBe(0);
    expect(
      await runHere([
        'key',
        'create',
        '--name',
        'k',
        '--scopes',
        'all',
        '--expires',
        '1h',
        ...args,
      ]),
    ).toMatchObject({
      code: 0,
    });
    const listed = await runHere(['key', 'list', '--json', ...args]);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    expect(readdirSync(files.home).sort()).toEqual(['journal.db', 'keys.db', 'secret']);
  });
});

describe('a file is created whole or not at all', () => {
  const path = () => join(temporaryFolder(), 'new');

  test('if creation fails, nothing is left', () => {
    const file = path();
    expect(() =>
      createFile(file, (draft) => {
        writeFileSync(draft, 'half');
        throw new Error('the disk is full');
      }),
    ).toThrow('the disk is full');
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  test('a file with contents is never replaced, even one that appears at the last moment', () => {
    const file = path();
    expect(() =>
      createFile(file, (draft) => {
        writeFileSync(draft, 'mine');
        writeFileSync(file, 'theirs');
      }),
    ).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readdirSync(join(file, '..'))).toEqual(['new']);
    expect(statSync(file).size).toBe('theirs'.length);
  });

  test('creation removes only drafts of processes killed an hour ago', () => {
    const folder = temporaryFolder();
    const names = {
      removed: [
        'journal-2026-11-20T15-00-00.db.0a1b2c3d.new',
        'journal-2026-11-20T15-00-00.db.0a1b2c3d.new-journal',
      ],
      kept: [
        'other.db.0a1b2c3d.new',
        'journal-2026-11-20T15-00-00.db',
        'journal-2026-11-20T15-00-00.db.new',
      ],
      recent: 'journal-2026-11-21T15-00-00.db.0a1b2c3d.new',
    };
    for (const name of [...names.removed, ...names.kept, names.recent])
      writeFileSync(join(folder, name), 'x');
    for (const name of [...names.removed, ...names.kept])
      utimesSync(join(folder, name), 1e9, 1e9);
    createFile(join(folder, 'journal-2026-11-22T09-30-00.db'), (draft) =>
      writeFileSync(draft, 'x'),
    );
    expect(readdirSync(folder).sort()).toEqual(
      [...names.kept, names.recent, 'journal-2026-11-22T09-30-00.db'].sort(),
    );
  });

  test('a folder, too, whose draft a killed process left', async () => {
    const folder = temporaryFolder();
    const draft = (name: string) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'trades.jsonl'), 'half');
    };
    const old = 'journal-2026-11-20.0a1b2c3d.new';
    const kept = ['journal-2026-11-20', 'journal-2026-11-20.new', 'other.0a1b2c3d.new'];
    const recent = 'journal-2026-11-21.0a1b2c3d.new';
    for (const name of [old, ...kept, recent]) draft(name);
    for (const name of [old, ...kept]) utimesSync(join(folder, name), 1e9, 1e9);

    await createFolder(join(folder, 'journal-2026-11-22'), 'export', (path) =>
      writeFileSync(join(path, 'x'), 'x'),
    );
    expect(readdirSync(folder).sort()).toEqual(
      [...kept, recent, 'journal-2026-11-22'].sort(),
    );
  });

  test('it is readable only by its owner', () => {
    const file = path();
    createFile(file, (draft) => writeFileSync(draft, 'x'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(file)).toBe(true);
  });
});
