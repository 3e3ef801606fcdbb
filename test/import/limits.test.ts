/** Limits of accounts: typed, listed, undone, renamed and exported. */
import { expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { listLimits } from '../../src/edit/limits.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

const options = (home: ImportHome) => home.target;
const listed = (home: ImportHome) => listLimits(options(home));
const balances = (home: ImportHome) =>
  Object.fromEntries(listed(home).map(({ account, balance }) => [account, balance]));

function homeWith(...accounts: string[]): ImportHome {
  const home = new ImportHome().withUser();
  home.import(
    home.lines(
      'trades.jsonl',
      ...accounts.map((account) => ({ ...TRADE, id: account, account })),
    ),
  );
  return home;
}

const ran = (home: ImportHome, ...args: string[]) =>
  runHere([...args, '--home', home.folder]);
const set = (home: ImportHome, account: string, balance = 50_000, ...more: string[]) =>
  ran(
    home,
    'limits',
    'set',
    account,
    '--balance',
    `${balance}`,
    '--max-loss',
    '2000',
    '--trailing',
    'eod',
    ...more,
  );
const rename = (home: ImportHome, from: string, to: string, merge = false) =>
  renameAccount({ ...options(home), merge }, from, to, `account rename ${from} ${to}`);

test('limits set replaces all limits of an account, is a line of the list of imports, and undo puts back the ones before', async () => {
  const home = homeWith('main');
  const every = [
    ...[
      '--locks-at',
      '50100',
      '--daily-loss',
      '1000.5',
      '--target',
      '3000',
      '--best-day',
      '33.33%',
      '--min-days',
      '5',
    ],
    ...[
      '--min-day-profit',
      '150',
      '--day-ends',
      '17:00 America/Chicago',
      '--since',
      '2026-11-02',
      '--currency',
      'usd',
    ],
  ];
  const first = await set(home, 'main', 50_000, ...every);
  expect([first.code, first.stdout, first.stderr]).toEqual([
    ...[0, '', 'Set the limits of main.\nTo undo: journal-api import undo 2\n'],
  ]);
  expect(listed(home)).toEqual([
    {
      ...{
        account: 'main',
        import: 2,
        balance: 50_000,
        max_loss: 2000,
        trailing: 'eod',
        locks_at: 50_100,
      },
      ...{
        daily_loss: 1000.5,
        target: 3000,
        best_day: 0.3333,
        min_days: 5,
        min_day_profit: 150,
      },
      ...{
        day_ends: '17:00',
        timezone: 'America/Chicago',
        since: '2026-11-02',
        currency: 'USD',
      },
    },
  ]);
  expect((await set(home, 'main', 50_000, ...every)).stderr).toBe(
    'These limits are already set; nothing changed.\n',
  );
  expect((await set(home, 'MAIN', 60_000, '--dry-run')).stderr).toContain(
    'Dry run: nothing was written.',
  );
  await set(home, 'MAIN', 60_000);
  const [line] = home.rows(
    'SELECT file, format, account, rows FROM imports ORDER BY id DESC',
  );
  const file = 'limits set MAIN --balance 60000 --max-loss 2000 --trailing eod';
  expect(line).toEqual({ file, format: 'limits', account: 'MAIN', rows: 1 });
  expect(listed(home)).toMatchObject([
    { account: 'MAIN', balance: 60_000, target: null, timezone: null },
  ]);
  const { stdout } = await ran(home, 'limits', 'list');
  expect(stdout.split('\n').map((row) => row.split(/ {2,}/))).toEqual([
    ['ACCOUNT', 'BALANCE', 'MAX LOSS', 'TRAILING', 'IMPORT'],
    ['MAIN', '60000', '2000', 'eod', '3'],
    [''],
  ]);
  undoImport(options(home));
  expect(listed(home)).toMatchObject([
    { account: 'main', balance: 50_000, target: 3000 },
  ]);
  expect((await ran(home, 'limits', 'list')).stdout).toMatch(
    / 33\.33% .* 17:00 America\/Chicago .* 2026-11-02 /,
  );
  expect((await ran(home, 'limits', 'remove', 'main')).stderr).toBe(
    'Removed the limits of main.\nTo undo: journal-api import undo 3\n',
  );
  expect((await ran(home, 'limits', 'list')).stderr).toContain('No account has limits.');
  const none = await ran(home, 'limits', 'remove', 'main');
  expect([none.code, none.stderr]).toEqual([
    1,
    'journal-api: main has no limits; accounts with limits: none\n',
  ]);
  undoImport(options(home));
  expect(balances(home)).toEqual({ main: 50_000 });
});

test.each([
  [['--balance', '-5'], '--balance takes an amount of 0 or more, such as 2000; got "-5"'],
  [['--max-loss', '0'], '--max-loss takes an amount above 0, such as 2000; got "0"'],
  [['--target', '1,000'], '--target takes an amount above 0, such as 2000; got "1,000"'],
  [
    ['--best-day', '0.5'],
    '--best-day takes a percentage above 0 and up to 100, such as 50%; got "0.5"',
  ],
  [
    ['--min-days', '2.5'],
    '--min-days takes a whole number from 1 to 999, such as 5; got "2.5"',
  ],
  [
    ['--day-ends', '5pm CT'],
    '--day-ends takes a local time and an IANA time zone, such as "17:00 America/Chicago"; got "5pm CT"',
  ],
  [['--day-ends', '24:00 UTC'], 'got "24:00 UTC"'],
  [
    ['--since', '2026-02-30'],
    '--since takes a day, such as 2026-06-01; got "2026-02-30"',
  ],
  [['--currency', 'dollars!'], '--currency takes a code such as USD; got "dollars!"'],
  [
    ['--locks-at', '47000'],
    '--locks-at must be at least the first limit, 48000; got "47000"',
  ],
  [
    ['--trailing', 'static', '--locks-at', '50000'],
    '--locks-at is for a limit that rises; omit it, or pass --trailing eod or intraday',
  ],
  [
    ['--trailing', 'daily'],
    "argument 'daily' is invalid. Allowed choices are static, eod, intraday.",
  ],
])('limits set %j is refused in words', async (flags, words) => {
  const home = homeWith('main');
  const { code, stderr } = await set(home, 'main', 50_000, ...flags);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(listed(home)).toEqual([]);
});

test('an account without trades is named with the nearest one; a name is needed', async () => {
  const home = homeWith('Apex-1');
  expect((await set(home, 'Apex-2')).stderr).toContain(
    'No trade is in Apex-2 yet; did you mean Apex-1?\n',
  );
  for (const name of [' ', '(none)']) expect((await set(home, name)).code).toBe(2);
});

test('undo of their removal after a rename: the rename takes them along', async () => {
  const home = homeWith('main');
  await set(home, 'main');
  await ran(home, 'limits', 'remove', 'main');
  rename(home, 'main', 'Big');
  undoImport(options(home), 3);
  expect(balances(home)).toEqual({ Big: 50_000 });
  undoImport(options(home), 4);
  expect(balances(home)).toEqual({ main: 50_000 });
});

test('limits of a renamed account become those of the new one; an earlier name leads to it; undo gives them back', async () => {
  const home = homeWith('old');
  await set(home, 'old');
  const { import: renamed } = rename(home, 'OLD', 'main');
  expect(balances(home)).toEqual({ main: 50_000 });
  await set(home, 'old', 70_000);
  expect(balances(home)).toEqual({ main: 70_000 });
  undoImport(options(home), renamed as number);
  expect(balances(home)).toEqual({ old: 70_000 });
  undoImport(options(home), 2);
  expect(balances(home)).toEqual({ old: 70_000 });
  undoImport(options(home));
  expect(balances(home)).toEqual({});
});

test('undo of limits that a later rename took along takes them from the new account', async () => {
  const home = homeWith('old');
  await set(home, 'old', 30_000);
  await set(home, 'old', 50_000);
  rename(home, 'old', 'main');
  undoImport(options(home), 3);
  expect(balances(home)).toEqual({ main: 30_000 });
  undoImport(options(home), 2);
  expect(balances(home)).toEqual({});
});

test('an undo after which a rename would join two accounts with limits names the rename', async () => {
  const home = homeWith('old', 'main');
  await set(home, 'main', 2000);
  await ran(home, 'limits', 'remove', 'main');
  await set(home, 'old', 1000);
  const { import: renamed } = rename(home, 'old', 'main', true);
  const removal = home.rows(
    'SELECT min(import_id) AS id FROM account_limits WHERE balance IS NULL',
  );
  expect(() => undoImport(options(home), removal[0]?.['id'] as number)).toThrow(
    `import ${renamed} builds on it; undo that first: journal-api import undo ${renamed}`,
  );
  expect(balances(home)).toEqual({ main: 1000 });
});

test('a rename is refused if both accounts have limits, and takes a new spelling of the name', async () => {
  const home = homeWith('old', 'main');
  await set(home, 'old', 1000);
  await set(home, 'main', 2000);
  expect(() => rename(home, 'old', 'main', true)).toThrow(
    'both old and main have limits; remove those of one first, as in: journal-api limits remove old',
  );
  await ran(home, 'limits', 'remove', 'main');
  rename(home, 'old', 'main', true);
  rename(home, 'main', 'Main');
  expect(balances(home)).toEqual({ Main: 1000 });
});

test('an export takes limits along, with every change that undo may revert', async () => {
  const home = homeWith('main');
  await set(home, 'main', 1000);
  await set(home, 'main', 2000, '--best-day', '30%');
  await ran(home, 'limits', 'remove', 'main');
  await set(home, 'gone', 5);
  expect((await ran(home, 'export', home.path('out'))).code).toBe(0);
  const other = new ImportHome().withUser();
  other.import(home.path('out'));
  expect(balances(other)).toEqual({ gone: 5 });
  expect(other.findings()).toEqual([]);
  const { id } = other.rows(
    "SELECT id FROM imports WHERE file = 'limits remove main'",
  )[0] as {
    id: number;
  };
  undoImport(options(other), id);
  expect(listed(other)).toMatchObject([
    { account: 'gone' },
    { account: 'main', balance: 2000, best_day: 0.3 },
  ]);
});
