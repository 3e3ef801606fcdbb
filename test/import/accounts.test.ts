/** Accounts renamed after their import: every answer equals an import with the new name, and undo puts it back. */
import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Attempt, agreedTo } from '../../src/commands/shared/terminal.ts';
import { listAccounts, renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { changeFees } from '../../src/edit/fees.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { tradeJournals } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { runHere } from '../program.ts';
import { ImportHome, TRADE, withoutIds } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const first = 'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00';
const second = 'MESZ6,8,9,1,6000,6003,$15.00,11/20/2026 09:30:00,11/20/2026 09:40:00';
const csv = (...rows: string[]) => `${[HEADER, ...rows].join('\n')}\n`;
const COINBASE = `portfolio,trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit
default,9,ABC-EUR,BUY,2026-11-02T10:00:00.505Z,6.00000000,ABC,2,0.03,-12.03,EUR
default,12,ABC-EUR,SELL,2026-11-03T10:00:00.505Z,6.00000000,ABC,3,0.03,17.97,EUR
`;

const ROBINHOOD = readFileSync(
  new URL('../fixtures/exports/robinhood/Hood.csv', import.meta.url),
  'utf8',
);

const options = (home: ImportHome) => home.target;
const rename = (home: ImportHome, from: string | null, to: string, merge = false) =>
  renameAccount({ ...options(home), merge }, from, to, `account rename ${from} ${to}`);
const unstamped = (records: object) =>
  JSON.parse(
    JSON.stringify(records, (name, value) =>
      /^(created|updated)_at$/.test(name) ? undefined : value,
    ),
  );
const answers = (home: ImportHome) => unstamped(home.everything());

/** Imports of two platforms and a plain trade, in an account. */
function homeIn(account: string | undefined): ImportHome {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), { account });
  home.import(home.file('coinbase.csv', COINBASE), { account });
  home.import(home.lines('trades.jsonl', { ...TRADE, id: 'plain' }), { account });
  return home;
}

test.each([['old'], [undefined]])(
  'renamed from %j, every answer equals an import with the new name',
  (old) => {
    const home = homeIn(old);
    const before = answers(home);
    expect(rename(home, old ?? null, 'main')).toMatchObject({ trades: 2, import: 4 });
    const right = homeIn('main');
    right.write(
      "UPDATE trades SET account = 'default' WHERE account = 'main' AND symbol = 'none'",
    );
    expect(answers(home)).toEqual(answers(right));
    expect(withoutIds(home.contents())).toEqual(withoutIds(right.contents()));
    expect(home.findings()).toEqual([]);
    // Later files, overlapping ones too, with either name.
    const later = home.file('b.csv', csv(first, second));
    expect(home.import(later, { account: old }).files[0]).toMatchObject({
      added: 1,
      unchanged: 1,
    });
    expect(
      home.import(home.file('c.csv', csv(second)), { account: 'main' }).files[0],
    ).toMatchObject({ added: 0 });
    undoImport(options(home));
    home.import(home.lines('more.jsonl', { ...TRADE, id: 'more' }), {
      account: old,
      as: 'trades',
    });
    expect(
      home.rows("SELECT DISTINCT account FROM trades WHERE account <> 'default'"),
    ).toEqual([{ account: 'main' }]);
    undoImport(options(home), 4);
    expect(
      home.rows("SELECT DISTINCT account FROM trades WHERE account IS NOT 'default'"),
    ).toEqual([{ account: old ?? null }]);
    expect(home.findings()).toEqual([]);
    expect(before.trades.length).toBe(3);
  },
);

test('undone at once, every answer is as before, with what was written since', () => {
  const home = homeIn('old');
  const before = home.contents();
  const [trade] = home.rows("SELECT id FROM trades WHERE symbol = 'MESZ6'") as [
    { id: string },
  ];
  const write = (id: string, setup: string) =>
    edit(
      options(home),
      { name: 'annotate', line: 'annotate', resource: trades },
      (own) => {
        own.put(trades, { id, setup });
        own.put(tradeJournals, {
          id: `entry-${setup}`,
          trade_id: id,
          phase: 'review',
          body: 'Chased.',
        });
      },
    );
  write(trade.id, 'ORB');
  rename(home, 'OLD', 'main');
  const [now] = home.rows("SELECT id, setup FROM trades WHERE symbol = 'MESZ6'") as [
    { id: string; setup: string },
  ];
  expect(now.setup).toBe('ORB');
  expect(home.rows('SELECT trade_id FROM trade_journals')).toEqual([
    { trade_id: now.id },
  ]);
  write(now.id, 'later');
  undoImport(options(home), 5);
  expect(home.rows("SELECT id, setup FROM trades WHERE symbol = 'MESZ6'")).toEqual([
    { id: trade.id, setup: 'later' },
  ]);
  undoImport(options(home));
  undoImport(options(home));
  expect(home.contents()).toEqual(before);
});

test('an account with trades is joined only with --merge; the same fills become one', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', ROBINHOOD), { account: 'wrong' });
  const before = home.contents();
  home.import(home.file('b.csv', ROBINHOOD), { account: 'main', allowDuplicates: true });
  expect(() => rename(home, 'wrong', 'main')).toThrow(
    /account main has \d+ trades; pass --merge to join both accounts/,
  );
  const both = home.contents();
  rename(home, 'wrong', 'main', true);
  const right = new ImportHome().withUser();
  right.import(right.file('a.csv', ROBINHOOD), { account: 'main' });
  expect(home.contents()).toEqual(right.contents());
  undoImport(options(home));
  expect(home.contents()).toEqual(both);
  undoImport(options(home));
  expect(home.contents()).toEqual(before);
});

test('one trade in both accounts has the texts of both; undone, each has its own', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', ROBINHOOD), { account: 'wrong' });
  home.import(home.file('b.csv', `${ROBINHOOD}\n`), {
    account: 'main',
    allowDuplicates: true,
  });
  const all = home.rows('SELECT id, account FROM trades ORDER BY account, id');
  edit(options(home), { name: 'annotate', line: 'annotate', resource: trades }, (own) => {
    for (const [place, { id, account }] of all.slice(1).entries()) {
      own.put(trades, { id, setup: `of ${account}`, notes: `note ${account}` });
      own.put(tradeJournals, {
        id: `entry-${place}`,
        trade_id: id,
        phase: 'review',
        body: 'Chased.',
      });
    }
  });
  const before = answers(home);
  rename(home, 'wrong', 'main', true);
  expect(
    home.rows(
      'SELECT count(DISTINCT trade_id) AS n FROM trade_journals UNION SELECT count(*) FROM trades',
    ),
  ).toEqual([{ n: all.length / 2 }]);
  expect(home.rows("SELECT notes FROM trades WHERE notes LIKE '%former%'")).toEqual([]);
  undoImport(options(home));
  expect(answers(home)).toEqual(before);
});

test('rows of a file without an account go along with the account that has its other rows', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), { account: 'old' });
  home.import(home.file('b.csv', csv(first, second)));
  const before = answers(home);
  rename(home, 'old', 'main');
  const right = new ImportHome().withUser();
  right.import(right.file('b.csv', csv(first, second)), { account: 'main' });
  expect(answers(home)).toEqual(answers(right));
  undoImport(options(home));
  expect(answers(home)).toEqual(before);
});

test('an unknown account lists those that exist as they are written', () => {
  const home = homeIn('IRA Main');
  expect(() => rename(home, 'other', 'b')).toThrow(
    'no trade is in the account "other"; accounts: default, IRA Main',
  );
  // In any case, also trades that aren't made from fills.
  rename(home, 'ira main', 'b');
  expect(
    home.rows("SELECT DISTINCT account FROM trades WHERE account <> 'default'"),
  ).toEqual([{ account: 'b' }]);
});

test('names lead to the last one, and renaming back removes the other name', () => {
  const home = homeIn('a');
  rename(home, 'a', 'b');
  rename(home, 'b', 'c');
  expect(
    listAccounts(options(home))
      .find(({ account }) => account === 'c')
      ?.other_names.sort(),
  ).toEqual(['a', 'b']);
  rename(home, 'c', 'a');
  expect(
    listAccounts(options(home))
      .find(({ account }) => account === 'a')
      ?.other_names.sort(),
  ).toEqual(['b', 'c']);
});

test('of renames in a row each can be undone, and the others hold', () => {
  const home = homeIn('a');
  rename(home, 'a', 'b');
  rename(home, 'b', 'c');
  undoImport(options(home), 4);
  const accounts = () => listAccounts(options(home)).map(({ account }) => account);
  expect(accounts()).toContain('a');
  expect(accounts()).not.toContain('c');
  // Line 5 still leads b to c.
  rename(home, 'a', 'd');
  home.import(home.lines('of-b.jsonl', { ...TRADE, id: 'of-b', account: 'b' }), {
    as: 'trades',
  });
  expect(accounts()).toEqual(expect.arrayContaining(['c', 'd']));
});

describe('a name that an earlier line renamed away', () => {
  /** Accounts A, now B, and C. */
  function left(): ImportHome {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', csv(first)), { account: 'A' });
    home.import(home.lines('plain.jsonl', { ...TRADE, id: 'plain' }), {
      as: 'trades',
      account: 'A',
    });
    home.import(home.file('c.csv', csv(second)), { account: 'C' });
    rename(home, 'A', 'B');
    return home;
  }
  const counts = (home: ImportHome) =>
    Object.fromEntries(
      listAccounts(options(home)).map(({ account, trades: count }) => [account, count]),
    );

  test('is taken again only with --merge, since its files lead elsewhere', () => {
    const home = left();
    const before = answers(home);
    expect(() => rename(home, 'C', 'a')).toThrow(
      'import 4 renamed a to B, and its trades would leave B to join those of C; choose another name, or pass --merge to do that',
    );
    expect(answers(home)).toEqual(before);
    expect(rename(home, 'C', 'A', true).trades).toBe(3);
    expect(counts(home)).toEqual({ A: 3 });
    undoImport(options(home));
    expect(answers(home)).toEqual(before);
  });

  test('is taken back without --merge, again and again, while no other name leads to it', () => {
    const home = left();
    expect(rename(home, 'B', 'A').trades).toBe(2);
    expect(rename(home, 'A', 'B').trades).toBe(2);
    rename(home, 'C', 'A', true);
    for (const id of [1, 2, 3]) undoImport(options(home), id);
    home.import(home.lines('plain.jsonl', { ...TRADE, id: 'plain' }), {
      as: 'trades',
      account: 'B',
    });
    expect(counts(home)).toEqual({ B: 1 });
    expect(() => rename(home, 'B', 'A')).toThrow(
      'files that name c lead to A; pass --merge to join their account with B',
    );
  });
});

test('undo of a rename takes back trades that came by another former name, and values from before a rename', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)));
  rename(home, null, 'wrong');
  rename(home, 'wrong', 'Big');
  home.import(home.lines('plain.jsonl', { ...TRADE, id: 'plain' }), { as: 'trades' });
  undoImport(options(home), 3);
  const accounts = () => home.rows('SELECT DISTINCT account FROM trades');
  expect(accounts()).toEqual([{ account: 'wrong' }]);
  home.import(home.lines('again.jsonl', { ...TRADE, id: 'plain', account: 'Other' }), {
    as: 'trades',
  });
  rename(home, 'wrong', 'main');
  undoImport(options(home), 5);
  expect(accounts()).toEqual([{ account: 'main' }]);
});

test('undo of a rename leaves trades where a later change of their file put them', () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('plain.jsonl', { ...TRADE, id: 'plain' }), { as: 'trades' });
  rename(home, null, 'main');
  changeImport(
    { ...options(home), id: 1, given: { account: 'main' } },
    'import change 1',
  );
  undoImport(options(home), 2);
  expect(home.rows('SELECT account FROM trades')).toEqual([{ account: 'main' }]);
});

test("a day's note gives its trades no account, whatever --account says", () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('plain.jsonl', { ...TRADE, id: 'plain' }), { as: 'trades' });
  const note = '---\ntype: day\n---\n\n## 14:30 AAPL long\nrating:: 2\n';
  home.import(home.file('2026-11-02.md', note), { timeZone: 'UTC', account: 'main' });
  expect(home.rows('SELECT account, rating FROM trades')).toEqual([
    { account: null, rating: 2 },
  ]);
});

test('a rename to the same name leaves no line', async () => {
  const home = homeIn('main');
  const run = (...more: string[]) =>
    runHere(['account', 'rename', 'main', 'main', '--home', home.folder, ...more]);
  const before = home.hash();
  expect(await run()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      'Nothing changed: the account is named main already.\n',
    ),
  });
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
    import: null,
    trades: 0,
  });
  expect(home.hash()).toBe(before);
});

test('another spelling of a name is a line: trades, and later files with the old one, have the new', async () => {
  const home = homeIn('main');
  const before = answers(home);
  const spelled = () =>
    home.rows(
      "SELECT DISTINCT account FROM trades WHERE account <> 'default' ORDER BY 1",
    );
  const { code, stderr } = await runHere([
    'account',
    'rename',
    'MAIN',
    'Main',
    '--home',
    home.folder,
  ]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('MAIN is spelled Main now, in 2 trades and in later files.'),
  ]);
  expect(spelled()).toEqual([{ account: 'Main' }]);
  expect(
    home.rows("SELECT DISTINCT account FROM fills WHERE account <> 'default'"),
  ).toEqual([{ account: 'Main' }]);
  home.import(home.file('b.csv', csv(first, second)), { account: 'main' });
  expect(spelled()).toEqual([{ account: 'Main' }]);
  expect(listAccounts(options(home)).map(({ other_names }) => other_names)).toEqual([
    [],
    [],
  ]);
  expect(home.findings()).toEqual([]);
  undoImport(options(home));
  undoImport(options(home));
  expect(answers(home)).toEqual(before);
});

test('its fees go along; two accounts with fees are refused', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), { account: 'old' });
  home.import(home.file('b.csv', csv(second)), { account: 'main' });
  const fees = (account: string, per_contract: number) =>
    changeFees(
      options(home),
      [{ symbol: 'MES', account, per_contract, per_order: null, percent: null }],
      'fees set',
    );
  fees('old', 0.5);
  const before = home.contents();
  rename(home, 'old', 'main', true);
  expect(home.rows('SELECT fees FROM trades ORDER BY executed_at')).toEqual([
    { fees: 1 },
    { fees: 1 },
  ]);
  undoImport(options(home));
  expect(home.contents()).toEqual(before);
  fees('main', 0.7);
  expect(() => rename(home, 'old', 'main', true)).toThrow(
    'both old and main have fees of their own',
  );
});

test('fees that a rename took along go with the undo of the line that set them', () => {
  const home = homeIn('old');
  const rate = { symbol: 'MES', account: 'old', per_order: null, percent: null };
  const before = home.rows('SELECT id, fees FROM trades ORDER BY id');
  changeFees(options(home), [{ ...rate, per_contract: 0.5 }], 'fees set');
  const set = home.rows('SELECT max(id) AS id FROM imports')[0]?.['id'] as number;
  rename(home, 'old', 'main');
  expect(home.rows('SELECT id, fees FROM trades ORDER BY id')).not.toEqual(before);
  undoImport(options(home), set);
  expect(home.rows('SELECT id, fees FROM trades ORDER BY id')).toEqual(before);
  expect(home.rows('SELECT * FROM fee_rates')).toEqual([]);
});

const MENTOR = [
  '--name',
  'mentor',
  '--scopes',
  'all',
  '--expires',
  '7d',
  '--accounts',
  'main',
];

test('a key made while the user decides is found before the change', async () => {
  const home = homeIn('wrong');
  const before = home.hash();
  const keys = home.path('keys.db');
  const keysWith = async (name: string) => {
    await runHere([
      'key',
      'create',
      '--name',
      name,
      ...MENTOR.slice(2),
      '--home',
      home.folder,
    ]);
    return readFileSync(keys);
  };
  const one = await keysWith('first');
  const both = await keysWith('second');
  let attempts = 0;
  const attempt = (how: Attempt) => {
    attempts++;
    writeFileSync(keys, attempts === 1 ? one : both);
    return renameAccount(
      { ...options(home), keys, ...how },
      'wrong',
      'main',
      'account rename wrong main',
    );
  };
  const terminal = { input: Readable.from(['y\n']), output: new PassThrough() };
  await expect(agreedTo(attempt, {}, terminal)).rejects.toThrow(
    /the journal has changed meanwhile: these keys would show more: .*\(second: 0 trades, then 2\).*; run the command again/,
  );
  expect(terminal.output.read().toString()).toMatch(
    /These keys would show more: \S+ \(first: 0 trades, then 2\)\. Proceed\? \[y\/N\]/,
  );
  expect([attempts, home.hash()]).toEqual([2, before]);

  expect(await agreedTo(attempt, { yes: true })).toMatchObject({ trades: 2 });
  expect(attempts).toBe(3);
});

test('a change after which no key shows more is made at once, without a try', async () => {
  const home = homeIn('wrong');
  let attempts = 0;
  const attempt = (how: Attempt) => {
    attempts++;
    return renameAccount({ ...options(home), ...how }, 'wrong', 'main', 'account rename');
  };
  expect(await agreedTo(attempt, {})).toMatchObject({ trades: 2, import: 4 });
  expect(attempts).toBe(1);
});

test('a key that would show more is named, and needs --yes', async () => {
  const folder = new ImportHome().withUser();
  const home = ['--home', folder.folder];
  await runHere([
    'import',
    folder.file('a.csv', csv(first)),
    '--account',
    'wrong',
    ...home,
  ]);
  await runHere(['key', 'create', ...MENTOR, ...home]);
  const refused = await runHere(['account', 'rename', 'wrong', 'main', ...home]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(
    /these keys would show more: \S+ \(mentor: 0 trades, then 1\); pass --yes, or revoke them/,
  );
  const done = await runHere(['account', 'rename', 'wrong', 'main', '--yes', ...home]);
  expect(done.stderr).toMatch(/Key \S+ \(mentor\) shows 1 trades; before 0\./);
  expect((await runHere(['account', 'list', ...home])).stdout).toMatch(
    /main +wrong +1 +2026-11-19 +2026-11-19 +5\.00/,
  );
  expect(await runHere(['account', 'rename', 'wrog', 'main', ...home])).toMatchObject({
    code: 1,
  });
  expect(await runHere(['account', 'rename', 'main', ' ', ...home])).toMatchObject({
    code: 2,
  });
});

test('rows without an account stay without one when another account is renamed', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)));
  home.import(home.file('b.csv', csv(second)), { account: 'old' });
  rename(home, 'old', 'main');
  expect(home.rows('SELECT id, account FROM trades ORDER BY executed_at')).toEqual([
    { id: expect.any(String), account: null },
    { id: expect.any(String), account: 'main' },
  ]);
});

test('an import names the account that a rename gave to rows without one, and the command for another', async () => {
  const folder = new ImportHome().withUser();
  const home = ['--home', folder.folder];
  folder.import(folder.file('a.csv', csv(first)));
  expect(
    (await runHere(['account', 'rename', '(none)', 'main', ...home])).stderr,
  ).toContain('1 trade moved to main; later files without an account lead there, too.');

  const noted = 'no account in this file; using main, to which (none) was renamed';
  const later = folder.file('b.csv', csv(second));
  const change = 'journal-api import change 3 --account other';
  expect((await runHere(['import', later, '--dry-run', ...home])).stderr).toContain(
    `${noted}; if it is of another account: pass --account NAME`,
  );
  expect((await runHere(['import', later, ...home])).stderr).toContain(
    `${noted}; if it is of another account: ${change.replace('other', 'NAME')}`,
  );
  expect((await runHere(['import', later, ...home])).stderr).not.toContain(noted);
  expect(await runHere([...change.split(' ').slice(1), ...home])).toMatchObject({
    code: 0,
  });
  expect(listAccounts(options(folder))).toMatchObject([
    { account: 'main', trades: 1 },
    { account: 'other', trades: 1 },
  ]);
  const named = folder.import(folder.file('coinbase.csv', COINBASE)).files;
  expect(named[0]?.notes.join()).not.toContain(noted);
});

test('the list of accounts counts closed trades whose P&L has no rate', async () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), { account: 'main' });
  home.import(home.file('coinbase.csv', COINBASE));
  expect(listAccounts(options(home))).toMatchObject([
    { account: 'default', net_pnl: 0, without_rate: 1 },
    { account: 'main', net_pnl: 5, without_rate: 0 },
  ]);
  const { stdout } = await runHere(['account', 'list', '--home', home.folder]);
  expect(stdout).toMatch(/default .* 0\.00 \(1 without a rate\)\nmain .* 5\.00\n/);
});

test('import change of a file that states its accounts and zone names what renames the account', async () => {
  const home = new ImportHome().withUser();
  home.import(home.file('coinbase.csv', COINBASE));
  const change = ['import', 'change', '1', '--home', home.folder];
  const noted = 'Nothing changed.\n';
  expect((await runHere(change)).stderr).toMatch(/Nothing changed\.\n$/);
  const { stderr } = await runHere([
    ...change,
    ...['--account', 'main', '--timezone', 'Asia/Tokyo'],
  ]);
  expect(stderr).toContain(
    `${noted}Rows that state an account keep it; to rename it: journal-api account rename OLD NEW\n` +
      'Times that state their zone keep it.\n',
  );
});
