/** Totals that files state and that differ: kept, compared again, and shown. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { recordFills } from '../../src/edit/fill.ts';
import { undoImport } from '../../src/edit/undo.ts';
import {
  type StatedTotals,
  statedTotals,
} from '../../src/journal/analytics/stated-totals.ts';
import { findUser, openJournal } from '../../src/journal/journal.ts';
import type { Range } from '../../src/journal/where.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { World } from '../helpers.ts';
import { runHere } from '../program.ts';
import { ImportHome } from './home.ts';

const exported = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../fixtures/exports/${path}`, import.meta.url)));

const TRADING212 = exported('trading212/export.csv').toString();

/** A journal that imported Trading 212's sample: rows state 77.50 USD, its fills make 70.50. */
function home(account?: string): ImportHome {
  const own = new ImportHome().withUser();
  own.import(own.file('export.csv', TRADING212), { account, dates: 'mdy' });
  return own;
}

const OKX = 'okx-trading-history/okx-trading-history.csv';

function take(own: ImportHome, path: string, account?: string): void {
  own.import(own.file(basename(path), exported(path)), { account });
}

interface Asked {
  range?: Range;
  filters?: Record<string, string>;
}

const ALWAYS: Range = { from: null, to: null };

function totalsOf(
  own: ImportHome,
  { range = ALWAYS, filters = {} }: Asked = {},
): StatedTotals {
  const journal = openJournal(own.journal);
  try {
    return journal.read((reader) =>
      statedTotals(reader, findUser(reader, 'me')!, { range, filters }),
    );
  } finally {
    journal.close();
  }
}

const record = (own: ImportHome, text: string) =>
  recordFills({ ...own.target, account: 'A', lines: [{ text, line: 1 }] }, 'fill');

const undo = (own: ImportHome, id?: number) => undoImport(own.target, id);

const DIFFERING = {
  import: 1,
  file: 'export.csv',
  what: 'net',
  symbol: null,
  currency: 'USD',
  stated_as: 'rows',
  stated: 77.5,
  here: 70.5,
  difference: -7,
  cause: 'unknown',
};

test('a sum of rows that differs is kept, until the import is undone', async () => {
  const own = home();
  expect(totalsOf(own)).toEqual({ differing: 1, totals: [DIFFERING] });
  expect(listImports({ journal: own.journal })).toMatchObject([
    { id: 1, differing_totals: 1 },
  ]);

  const { stderr, code } = await runHere(['check', '--home', own.folder]);
  expect([code, stderr]).toMatchObject([
    0,
    expect.stringContaining('1 total of imported files'),
  ]);
  const list = await runHere(['import', 'list', '--home', own.folder]);
  expect(list.stdout).toContain('(totals that differ: 1)');

  undo(own);
  expect(totalsOf(own)).toEqual({ differing: 0, totals: [] });
  expect(own.rows('SELECT * FROM stated_totals')).toEqual([]);
});

test('import change names the symbols that differ', async () => {
  const own = home();
  const { stderr } = await runHere([
    'import',
    'change',
    '1',
    '--dry-run',
    '--home',
    own.folder,
  ]);
  expect(stderr).toContain('AAPL: 75.00 USD in the file, 68.00 here: -7.00');
});

test('later fills settle it, and their undo brings it back', () => {
  const own = home('A');
  // The file sold 10 AAPL at 262.30 and states 75: bought at 254.80, not at 255.50.
  record(own, '2026-01-14 10:00 buy 10 AAPL 254.80');
  expect(totalsOf(own)).toEqual({ differing: 0, totals: [] });
  undo(own);
  expect(totalsOf(own).totals).toEqual([DIFFERING]);
});

test('a history of cash alone lacks the fills of its totals', () => {
  const own = new ImportHome().withUser();
  take(own, 'tradovate/Cash History.csv', 'A');
  expect(totalsOf(own)).toMatchObject({
    differing: 2,
    totals: [
      { what: 'gross', cause: 'no_trades' },
      { what: 'fees', cause: 'no_trades' },
    ],
  });
});

test.each([
  ["MetaTrader's total of a cut statement", 'metatrader/Statement.htm'],
  ['a premium that the broker moves to the shares', 'ibkr-flex/sections.csv'],
  ["spot beside contracts, whose rows state P&L as spot's don't", OKX],
])('what is known to differ is not kept: %s', (_, path) => {
  const own = new ImportHome().withUser();
  take(own, path);
  expect(totalsOf(own)).toEqual({ differing: 0, totals: [] });
});

test('a sum of rows is that of their symbols', () => {
  const own = new ImportHome().withUser();
  // 10 ETH in place of 10 contracts of 0.1 ETH; the spot makes 9.99.
  const text = exported(OKX).toString().replaceAll(',cont,', ',ETH,');
  const { files } = own.import(own.file('okx.csv', text));
  const differing = {
    currency: 'USDT',
    difference: 90,
    by_symbol: [{ symbol: 'ETH-USDT-SWAP' }],
  };
  expect(files[0]?.platform?.stated).toMatchObject([differing]);
  record(own, '2026-01-14 10:00 buy 10 AAPL 254.80');
  expect(totalsOf(own).totals).toMatchObject([{ stated: 10, here: 100, difference: 90 }]);
});

test.each<[string, Asked, number]>([
  ['of a period with its trades', { range: { from: '2026-02-18', to: '2026-02-19' } }, 1],
  ['of a period after them', { range: { from: '2026-03-01', to: null } }, 0],
  ['of a period before them', { range: { from: null, to: '2026-01-15' } }, 0],
  ['of its account', { filters: { account: 'a' } }, 1],
  ['of another account', { filters: { account: 'B' } }, 0],
  ['of trades that a filter chooses', { filters: { side: 'long' } }, 0],
])('it is among the figures %s: %j', (_, asked, count) => {
  expect(totalsOf(home('A'), asked).differing).toBe(count);
});

/** A service over the totals of a journal. */
function serving(own: ImportHome): World {
  const world = new World();
  world.db.pragma('foreign_keys = OFF');
  world.db.exec(`ATTACH '${own.journal}' AS own; INSERT INTO stated_totals
    SELECT * FROM own.stated_totals; DETACH own`);
  return world;
}

const ASKED = '/v1/analytics/summary?period=all&sections=data_quality';

test.each<[string, Partial<Lens>, object]>([
  ['all', {}, { differing: 1, totals: [DIFFERING] }],
  ['its account', { accounts: ['a'] }, { differing: 1 }],
  ['another account', { accounts: ['B'] }, { differing: 0, totals: [] }],
  ['trades since a day before', { since: '2026-01-01' }, { differing: 1 }],
  [
    'trades since a day after its first',
    { since: '2026-01-20' },
    { differing: 0, totals: [] },
  ],
])('a key that shows %s', async (_, lens, expected) => {
  const world = serving(home('A'));
  const key = world.key(undefined, undefined, undefined, {
    accounts: null,
    since: null,
    hides: [],
    ...lens,
  });
  for (const path of [ASKED, '/v1/summary?days=365']) {
    const { body } = await world.ask(path, { key });
    expect(body.data.data_quality.stated_totals).toMatchObject(expected);
  }
});

test.each<[Lens['hides'], string[]]>([
  [['money'], ['77.5', '70.5', '-7']],
  [['texts'], ['export.csv']],
  [
    ['texts', 'symbols'],
    ['export.csv', 'AAPL'],
  ],
])('a key that hides %j', async (hides, hidden) => {
  const own = home('A');
  const db = new Database(own.journal);
  db.exec("UPDATE stated_totals SET symbol = 'AAPL'");
  db.close();
  const world = serving(own);
  const lens = { accounts: null, since: null, hides };
  const key = world.key(undefined, undefined, undefined, lens);
  const { body } = await world.ask(ASKED, { key, lens: true });
  const { stated_totals } = body.data.data_quality;
  expect(stated_totals).toMatchObject({ differing: 1, totals: [{ import: 1 }] });
  for (const text of hidden) expect(JSON.stringify(stated_totals)).not.toContain(text);
});

test('an import read again keeps one total, not two', () => {
  const own = home();
  const path = own.path('export.csv');
  own.import(path);
  expect(own.rows('SELECT import_id, place FROM stated_totals')).toHaveLength(1);
});
