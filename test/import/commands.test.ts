/** init, user and import as a person runs them: the real program, its exit codes, and what goes to which stream. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers.ts';
import { ImportHome, TRADE } from './home.ts';

const CLI = new URL('../../src/cli.ts', import.meta.url).pathname;

function run(home: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args, '--home', home], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('init makes the journal once', () => {
  const home = join(temporaryFolder(), 'home');
  expect(run(home, 'init', '--timezone', 'Mars/Olympus')).toMatchObject({ status: 1, stdout: '' });
  expect(existsSync(home)).toBe(false);
  expect(run(home, 'init', '--timezone', 'Europe/Madrid', '--starting-balance', '1e4')).toMatchObject({ status: 2 });
  expect(run(home, 'init', '--timezone', 'Europe/Madrid', '--starting-balance', '10000')).toMatchObject({
    status: 0,
    stdout: '',
  });
  expect(statSync(join(home, 'journal.db')).mode & 0o777).toBe(0o600);
  const again = run(home, 'init');
  expect(again.status).toBe(1);
  expect(again.stderr).toContain('already; it was not touched');
  expect(JSON.parse(run(home, 'user', 'list', '--json').stdout)).toEqual([
    {
      id: 'me',
      name: null,
      timezone: 'Europe/Madrid',
      base_currency: 'USD',
      starting_balance: 10000,
      breakeven_tolerance: 0,
    },
  ]);
});

test('a user whose earlier keys still live is not made again', () => {
  const home = join(temporaryFolder(), 'home');
  run(home, 'init');
  run(home, 'user', 'add', 'ana', '--name', 'Ana');
  expect(run(home, 'user', 'list').stdout).toMatch(/^ana +Ana +UTC +USD/m);
  const { stderr } = run(
    home,
    'key',
    'create',
    '--user',
    'ana',
    '--name',
    'agent',
    '--scopes',
    'all',
    '--expires',
    '1h',
  );
  const key = /Key (\S+)/.exec(stderr)?.[1] as string;
  const other = run(home, 'user', 'add', 'ana', '--db', join(home, 'journal.db'));
  expect(other.status).toBe(1);
  expect(other.stderr).toContain(key);
  run(home, 'key', 'revoke', key);
  expect(run(home, 'user', 'add', 'ana').stderr).toContain('there is a user "ana" already');
  expect(run(home, 'user', 'set', 'ana', '--name', '').stderr).toContain('name none');
  expect(run(home, 'user', 'set', 'ana')).toMatchObject({ status: 1 });
});

test('import gives its report on stdout and the rest on stderr', () => {
  const files = new ImportHome();
  const path = files.lines('trades.jsonl', TRADE);
  const home = join(files.folder, 'home');
  const dry = run(home, 'import', path, '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toEqual({
    dry_run: true,
    journal: join(home, 'journal.db'),
    user: 'me',
    files: [{ file: path, format: 'jsonl', resource: 'trades', added: 1, changed: 0, unchanged: 0, skipped: [] }],
    ignored: [],
  });
  expect(dry.stderr).toContain('it would be made');
  const real = run(home, 'import', path);
  expect(real).toMatchObject({ status: 0 });
  expect(real.stdout.split('\n')[1]).toMatch(/trades\.jsonl +trades +1 +0 +0 +0$/);

  const wrong = run(home, 'import', files.lines('trades.jsonl', { id: 't1', market: 'stonk' }));
  expect(wrong).toMatchObject({ status: 1, stdout: '' });
  expect(wrong.stderr).toBe(
    `journal-api: ${path}:1: market: must be one of stock, option, future, forex, crypto, cfd, other; got "stonk"\n`,
  );
});

test.each([
  [['import']],
  [['import', 'x', '--format', 'xml']],
  [['import', 'x', '--as', 'trade']],
  [['import', 'x', '--timezone', 'Mars/Olympus']],
])('wrong usage: %j', (args) => {
  const home = temporaryFolder();
  expect(run(home, ...args)).toMatchObject({ status: 2, stdout: '' });
});

test('--example prints a line that imports', () => {
  const files = new ImportHome();
  const home = join(files.folder, 'home');
  const { stdout } = run(home, 'import', '--example', 'sessions');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(run(home, 'import', files.file('sessions.jsonl', stdout))).toMatchObject({ status: 0 });
});
