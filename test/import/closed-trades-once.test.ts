/** Closed trades that files state as records: however a file comes again, each counts once and keeps its id. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { ImportOptions } from '../../src/import/index.ts';
import { type LoadedMapping, loadMapping } from '../../src/import/mapping/load.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { csvRows, isEmpty } from '../../src/parse/csv-rows.ts';
import { allExports, sampled } from './exports.ts';
import { ImportHome, withoutIds } from './home.ts';

/** The made-up exports of closed trades. */
const NAMES = [
  'bybit/Bybit-UM-Perp-ClosedPNL-1768435200-1768608000.csv',
  'ctrader-history/ctrader-history.csv',
  'etoro/etoro-account-statement.xlsx',
  'exness-personal-area/exness.csv',
  'freqtrade/tradesv3.sqlite',
  'freqtrade-backtest/backtest-result.json',
  'ftmo-metrix/export.csv',
  'groww-pnl/groww-pnl.xlsx',
  'ig-transaction-history/transactions.csv',
  'metatrader/Statement.htm',
  'metatrader/StrategyTester.htm',
  'metatrader/mt5-ReportHistory.html',
  'metatrader/mt5-ReportHistory.xlsx',
  'metatrader/mt5-tester.html',
  'metatrader/swap-close.htm',
  'ninjatrader/Trade Performance.csv',
  'oanda-transactions/transactions.csv',
  'rithmic/Performance.csv',
  'topstepx/trades_export.csv',
  'tradervue-trades/tradervue-trades.csv',
  'tradezella/trades_export.csv',
  'tradingview/Crossing_Averages_NSE_ANANDRATHI_2026-02-20.csv',
  'xtb-xlsx/account_de.xlsx',
];

/** Folders of real exports, and files elsewhere. */
const REAL =
  /^(?:bybit\/Bybit|ctrader-history|etoro|exness|formats-seen\/\w+-perf|freqtrade|ftmo|groww|ig-|metatrader|mt-tester\/(?!no-symbol)|ninjatrader\/performance|topstepx|tradervue-trades\/tradervue-trades|tradezella\/trades|tradingview|xtb-xlsx)/;

const FILES = sampled(
  allExports().filter(({ label, name }) =>
    label.startsWith('real ') ? REAL.test(name) : NAMES.includes(name),
  ),
);

/** One table with a row or two for each trade. */
const TABLES = FILES.filter(
  ({ name }) => /\.csv$/.test(name) && !/oanda|rithmic/.test(name),
);

const OPTIONS = { date: '2019-01-15' };
const homeOf = (timezone = 'America/New_York') =>
  new ImportHome().withUser('me', { timezone });
const at = (home: ImportHome) => home.target;

/** Journals after the first import of a file: most tests begin with one. */
const firsts = new Map<string, Buffer>();

function homeWith(path: string, options: Partial<ImportOptions>): ImportHome {
  const home = homeOf();
  const name = JSON.stringify([path, options]);
  const known = firsts.get(name);
  if (known) writeFileSync(home.journal, known);
  else {
    home.import(path, { ...OPTIONS, ...options });
    firsts.set(name, home.bytes());
  }
  return home;
}

const change = (home: ImportHome, timezone: string) =>
  changeImport(
    { ...at(home), id: 1, given: { timezone } },
    `import change 1 --timezone ${timezone}`,
  );

/** Whether a file's times had no zone of their own. */
const hasClock = (home: ImportHome) =>
  home.rows("SELECT 1 FROM import_records WHERE clock LIKE '%T%' LIMIT 1").length > 0;

const idsOf = (home: ImportHome) =>
  home.rows('SELECT id FROM trades ORDER BY id').map(({ id }) => id);

/** The file again, under its own name in another folder: some formats read the name. */
function again(
  home: ImportHome,
  path: string,
  text: string | Buffer,
  folder = 'again',
): string {
  mkdirSync(home.path(folder), { recursive: true });
  return home.file(`${folder}/${basename(path)}`, text);
}

function expectSame(
  home: ImportHome,
  path: string,
  options: Partial<ImportOptions> = {},
): void {
  const before = home.contents();
  const [report] = home.import(path, { ...OPTIONS, ...options }).files;
  expect(report).toMatchObject({ added: 0, changed: 0 });
  expect(home.contents()).toEqual(before);
}

/** As if an earlier version had imported them: by other ids, without what the file wrote. */
function asBefore(home: ImportHome): void {
  const db = new Database(home.journal);
  try {
    db.pragma('foreign_keys = OFF');
    const ids = db.prepare('SELECT id FROM trades').pluck().all() as string[];
    for (const id of ids.filter((own) => /:[0-9a-f]{24}(?:\.\d+)?$/.test(own))) {
      const former = id.replace(/[0-9a-f]{24}/, (digits) =>
        [...digits].reverse().join(''),
      );
      db.prepare('UPDATE trades SET id = ? WHERE id = ?').run(former, id);
      db.prepare('UPDATE executions SET trade_id = ? WHERE trade_id = ?').run(former, id);
      db.prepare(
        "UPDATE import_records SET record_id = ? WHERE record_id = ? AND resource = 'trades'",
      ).run(former, id);
    }
    db.exec(
      'UPDATE import_records SET clock = NULL, digits = NULL; UPDATE imports SET timezone = NULL',
    );
  } finally {
    db.close();
  }
}

describe('a file again', () => {
  test.each(FILES)(
    'with the zone left out, under another name: $label',
    ({ path, dates }) => {
      const own = path();
      const home = homeWith(own, { dates });
      expectSame(home, own, { dates });
      expectSame(home, again(home, own, Buffer.concat([readFileSync(own)])), { dates });
    },
  );

  test.each(FILES)(
    'in another zone is refused with the import to change: $label',
    ({ path, dates }) => {
      const own = path();
      const home = homeOf();
      home.import(own, { ...OPTIONS, dates, timeZone: 'Asia/Tokyo' });
      const before = home.hash();
      if (!hasClock(home))
        return expectSame(home, own, { dates, timeZone: 'America/Chicago' });
      expect(
        home.refusalOf(own, { ...OPTIONS, dates, timeZone: 'America/Chicago' }),
      ).toMatch(
        /rows are in import 1, read in Asia\/Tokyo; these are read in America\/Chicago\. To correct import 1: journal-api import change 1 --timezone America\/Chicago$/,
      );
      expect(home.hash()).toBe(before);
      // The latest zone of the format is the one left out.
      expectSame(home, own, { dates });
    },
  );

  test.each(FILES)('after import change, in its new zone: $label', ({ path, dates }) => {
    const home = homeOf();
    const own = home.path(basename(path()));
    copyFileSync(path(), own);
    home.import(own, { ...OPTIONS, dates, timeZone: 'Asia/Tokyo' });
    const [ids, before] = [idsOf(home), home.contents()];
    change(home, 'America/Chicago');
    expect(idsOf(home)).toEqual(ids);
    const right = homeOf();
    right.import(own, { ...OPTIONS, dates, timeZone: 'America/Chicago' });
    expect(home.contents()).toEqual(right.contents());
    expectSame(home, own, { dates, timeZone: 'America/Chicago' });
    expectSame(home, again(home, own, readFileSync(own)), { dates });
    if (hasClock(home)) {
      expect(
        home.refusalOf(own, { ...OPTIONS, dates, timeZone: 'Asia/Tokyo' }),
      ).toContain('rows are in import 1');
    }
    if (home.rows("SELECT 1 FROM imports WHERE format = 'change'").length === 0) return;
    // Undone, the rows have what was written of them again.
    undoImport(at(home));
    expect(home.contents()).toEqual(before);
    expectSame(home, own, { dates });
    if (hasClock(home)) {
      const options = { ...OPTIONS, dates, timeZone: 'America/Chicago' };
      expect(home.refusalOf(own, options)).toContain('read in Asia/Tokyo');
    }
  });

  test.each(FILES)('after account rename: $label', ({ path, dates }) => {
    const own = path();
    const home = homeWith(own, { dates });
    const [{ account = null } = {}] = home.rows('SELECT account FROM trades');
    renameAccount(at(home), account as string | null, 'Renamed', 'account rename');
    expectSame(home, own, { dates });
    undoImport(at(home));
    expectSame(home, own, { dates });
  });

  test.each(FILES)('in the journal of an earlier version: $label', ({ path, dates }) => {
    const own = path();
    const home = homeWith(own, { dates });
    const wrote = hasClock(home);
    asBefore(home);
    const before = home.contents();
    home.import(again(home, own, readFileSync(own)), { ...OPTIONS, dates });
    expect(home.contents()).toEqual(before);
    if (wrote && home.rows('SELECT 1 FROM trades').length > 3) {
      asBefore(home);
      const options = { ...OPTIONS, dates, timeZone: 'Asia/Tokyo' };
      expect(home.refusalOf(own, options)).toMatch(
        /in import 1\b.*import change 1 --timezone Asia\/Tokyo/s,
      );
    }
  });
});

describe('a file saved again', () => {
  const cutSeconds = (text: string) =>
    text.replaceAll(/(\b\d?\d:\d\d):\d\d(?:\.\d+)?/g, '$1');
  const cutZeros = (text: string) =>
    text.replaceAll(/(?<![\d.:-])(\d+\.\d*?)0+(?=[,;"\s])/g, (_, number: string) =>
      number.replace(/\.$/, ''),
    );
  const CHANGED: Record<string, (text: string) => string> = {
    'without seconds': cutSeconds,
    'without zeros at the end': cutZeros,
    'with CRLF': (text) => text.replaceAll(/\r?\n/g, '\r\n'),
    reversed: (text) => {
      const { header, rows } = cut(text);
      return [header, ...rows.toReversed()].join('\n');
    },
  };
  const cases = Object.keys(CHANGED).flatMap((how) =>
    TABLES.map((file) => ({ how, ...file })),
  );

  test.each(cases)('$how: $label', ({ how, path, dates }) => {
    const own = path();
    const changed = (CHANGED[how] as (text: string) => string)(readFileSync(own, 'utf8'));
    const home = homeWith(own, { dates });
    expectSame(home, again(home, own, changed), { dates });

    // The original after it adds its digits, and undo takes them away.
    const other = homeOf();
    other.import(again(other, own, changed), { ...OPTIONS, dates });
    const before = other.contents();
    const report = other.import(own, { ...OPTIONS, dates });
    expect(report.files[0]).toMatchObject({ added: 0 });
    expect(withoutIds(other.contents())).toEqual(withoutIds(home.contents()));
    if (report.files[0]?.changed === 0) return;
    undoImport(at(other));
    expect(other.contents()).toEqual(before);
  });

  test.each(TABLES)(
    'as halves that overlap, in either order: $label',
    ({ path, dates }) => {
      const own = path();
      const { header, rows } = cut(readFileSync(own, 'utf8'));
      const even = (place: number) =>
        own.includes('Crossing') ? place - (place % 2) : place;
      const halves = [
        rows.slice(0, even(Math.ceil(rows.length * 0.7))),
        rows.slice(even(Math.floor(rows.length * 0.3))),
      ].map((half) => [header, ...half].join('\n'));
      const whole = homeWith(own, { dates });
      for (const order of [halves, halves.toReversed()]) {
        const home = homeOf();
        for (const [index, half] of order.entries()) {
          home.import(again(home, own, half, `half-${index}`), { ...OPTIONS, dates });
        }
        expect(withoutIds(home.contents())).toEqual(withoutIds(whole.contents()));
      }
    },
  );
});

/** The lines of a file up to its header, and those of its rows. */
function cut(text: string): { header: string; rows: string[] } {
  const lines = text.split('\n');
  const [, ...starts] = csvRows(text)
    .filter((row) => !isEmpty(row))
    .map(({ line }) => line - 1);
  const rows = starts.map((start, index) =>
    lines.slice(start, starts[index + 1] ?? lines.length).join('\n'),
  );
  return {
    header: lines.slice(0, starts[0]).join('\n'),
    rows: rows.map((row) => row.trimEnd()),
  };
}

// NinjaTrader's grid of trades: rows without ids.

const HEADER =
  'Instrument,Account,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Profit';
const row = (account: string, from = '10:00:07 AM', to = '10:05:09 AM') =>
  `MNQ DEC26,${account},Long,1,25000,25010,11/13/2026 ${from},11/13/2026 ${to},20`;
const grid = (...rows: string[]) => `${[HEADER, ...rows].join('\n')}\n`;

function counted(home: ImportHome): unknown[] {
  return home.rows(
    'SELECT account, count(*) AS trades FROM trades GROUP BY account ORDER BY account',
  );
}

test('equal rows of a file are as many trades, whichever files hold some of them', () => {
  const home = homeOf();
  home.import(home.file('one.csv', grid(row('A'), row('A'))));
  expectSame(home, home.file('fewer.csv', grid(row('A'))));
  expect(
    home.import(home.file('more.csv', grid(row('A'), row('A'), row('A')))).files[0],
  ).toMatchObject({ added: 1 });
  expect(counted(home)).toEqual([{ account: 'A', trades: 3 }]);
});

test('equal rows of two accounts are two trades, under any account that --account names', () => {
  const home = homeOf();
  const unnamed = home.file(
    'unnamed.csv',
    grid(row('A')).replace(',Account', '').replace(',A,', ','),
  );
  home.import(unnamed, { account: 'A' });
  expect(home.import(unnamed, { account: 'B' }).files[0]).toMatchObject({ added: 1 });
  expect(counted(home)).toEqual([
    { account: 'A', trades: 1 },
    { account: 'B', trades: 1 },
  ]);
  expectSame(home, unnamed, { account: 'a' });
  expect(home.refusalOf(unnamed)).toContain(
    'is in the accounts A and B, and the file names none; pass --account',
  );
  undoImport(at(home), 2);
  home.import(unnamed, { timeZone: 'America/New_York' });
  expect(counted(home)).toEqual([{ account: 'A', trades: 1 }]);
});

test('with --allow-duplicates, rows known in another zone are trades of their own', () => {
  const home = homeOf();
  const file = home.file('grid.csv', grid(row('A')));
  home.import(file, { timeZone: 'UTC' });
  expect(
    home.import(file, { timeZone: 'Asia/Tokyo', allowDuplicates: true }).files[0],
  ).toMatchObject({ added: 1 });
  expect(counted(home)).toEqual([{ account: 'A', trades: 2 }]);
});

test('a trade with labels by hand is still the same', () => {
  const home = homeOf();
  home.import(home.file('grid.csv', grid(row('A'))));
  const [id] = idsOf(home);
  edit(
    { ...at(home) },
    { name: 'annotate', line: 'annotate', resource: trades },
    (own) => {
      own.put(trades, { id, notes: 'late', rating: 2 });
    },
  );
  expectSame(home, home.file('cut.csv', grid(row('A', '10:00 AM', '10:05 AM'))));
});

test('a file without accounts is that of the account that holds its rows, unless only some are', () => {
  const bare = (text: string) => text.replace(',Account', '').replaceAll(',A,', ',');
  const [one, two, three] = ['09', '10', '11'].map((hour) =>
    row('A', `${hour}:00:07 AM`, `${hour}:05:09 AM`),
  );
  const home = homeOf();
  home.import(home.file('named.csv', grid(`${one}`, `${three}`)));
  expectSame(home, home.file('unnamed.csv', bare(grid(`${one}`, `${three}`))));
  const more = home.file('more.csv', bare(grid(`${one}`, `${two}`, `${three}`)));
  expect(home.refusalOf(more)).toContain('pass --account A if all are');
  expect(home.import(more, { account: 'A' }).files[0]).toMatchObject({
    added: 1,
    changed: 0,
    unchanged: 2,
  });

  // A file that names the account of rows without one adds it.
  const other = homeOf();
  other.import(other.file('unnamed.csv', bare(grid(`${one}`, `${three}`))));
  other.import(other.file('named.csv', grid(`${one}`, `${three}`)));
  expect(counted(other)).toEqual([{ account: 'A', trades: 2 }]);
  undoImport(at(other));
  expect(counted(other)).toEqual([{ account: null, trades: 2 }]);
});

test('the digits of a file stay when the file with fewer of them is undone', () => {
  const home = homeOf();
  home.import(home.file('cut.csv', grid(row('A', '10:00 AM', '10:05 AM'))));
  home.import(home.file('whole.csv', grid(row('A'))));
  undoImport(at(home), 1);
  const whole = homeOf();
  whole.import(whole.file('whole.csv', grid(row('A'))));
  expect(withoutIds(home.contents())).toEqual(withoutIds(whole.contents()));
});

test.each([
  ['before', ['cut', 'whole']],
  ['after', ['whole', 'cut']],
])('import change keeps the digits of a file %s one with fewer', (_, names) => {
  const texts: Record<string, string> = {
    whole: grid(row('A')),
    cut: grid(row('A', '10:00 AM', '10:05 AM')),
  };
  const home = homeOf();
  for (const name of names) home.import(home.file(`${name}.csv`, texts[name] as string));
  const ids = idsOf(home);
  change(home, 'America/Chicago');
  expect(home.rows('SELECT id, executed_at FROM trades')).toEqual([
    { id: ids[0], executed_at: '2026-11-13T16:00:07.000Z' },
  ]);
  for (const name of names) expectSame(home, home.path(`${name}.csv`));
});

test('trades that the export of an older journal restored are those of their file', () => {
  const old = homeOf();
  const text = grid(row('A'), row('A', '11:00:07 AM', '11:05:09 AM'));
  old.import(old.file('grid.csv', text));
  asBefore(old);
  const home = homeOf();
  home.import(home.lines('trades.jsonl', ...(old.everything()['trades'] ?? [])));
  expect(idsOf(home)).toEqual(idsOf(old));
  expect(home.import(home.file('grid.csv', text)).files[0]).toMatchObject({ added: 0 });
  expect(idsOf(home)).toEqual(idsOf(old));
});

// FTMO's journal: tickets, which partial closes repeat.

const TICKETS =
  'Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;Swap;Commissions;Profit;Pips';
const close = (to: string, price: number, ticket = '91') =>
  `${ticket};"2026-03-04 10:00:00";buy;0.50;EURUSD;1.085;0;0;"2026-03-04 ${to}";${price};0;-1.5;${price === 1.09 ? 250 : 100};1`;
const closes = (...rows: string[]) => `${[TICKETS, ...rows].join('\n')}\n`;

test('a partial close of a ticket keeps apart from the other, in any zone', () => {
  const home = homeOf();
  home.import(home.file('one.csv', closes(close('10:20:30', 1.087))), {
    timeZone: 'UTC',
  });
  const both = home.file(
    'both.csv',
    closes(close('11:20:30', 1.09), close('10:20:30', 1.087)),
  );
  expect(home.refusalOf(both, { timeZone: 'Asia/Tokyo' })).toContain(
    '1 of 2 rows are in import 1, read in UTC',
  );
  expect(home.import(both).files[0]).toMatchObject({ added: 1, unchanged: 1 });
  expectSame(home, both);
});

test('equal trades with other tickets are others; tickets of two accounts are two trades', () => {
  const home = homeOf();
  const first = home.file('one.csv', closes(close('10:20:30', 1.087, '91')));
  home.import(first, { account: 'A' });
  home.import(home.file('other.csv', closes(close('10:20:30', 1.087, '92'))), {
    account: 'A',
  });
  home.import(first, { account: 'B' });
  expect(counted(home)).toEqual([
    { account: 'A', trades: 2 },
    { account: 'B', trades: 1 },
  ]);
  for (const account of ['A', 'B']) expectSame(home, first, { account });
});

test('tickets that a spreadsheet cut are found by what else their rows state', () => {
  const home = homeOf();
  home.import(
    home.file('one.csv', closes(close('10:20:30', 1.087, '912345678901234567'))),
  );
  expectSame(home, home.file('cut.csv', closes(close('10:20', 1.087, '9.12346E+17'))));
  const other = homeOf();
  other.import(other.file('cut.csv', closes(close('10:20', 1.087, '9.12346E+17'))));
  const whole = other.file(
    'one.csv',
    closes(close('10:20:30', 1.087, '912345678901234567')),
  );
  expect(other.import(whole).files[0]).toMatchObject({ added: 0, changed: 1 });
});

test('one trade of an earlier version is known in another zone by its ticket, without one it is reported', () => {
  const home = homeOf();
  const tickets = home.file('one.csv', closes(close('10:20:30', 1.087)));
  home.import(tickets, { timeZone: 'UTC' });
  asBefore(home);
  expect(home.refusalOf(tickets, { timeZone: 'Asia/Tokyo' })).toContain(
    'line 2: this trade of EURUSD is in import 1, read in another zone; to correct import 1: journal-api import change 1 --timezone Asia/Tokyo',
  );
  const other = homeOf();
  const rows = other.file('grid.csv', grid(row('A')));
  other.import(rows, { timeZone: 'UTC' });
  asBefore(other);
  expect(
    other.import(rows, { timeZone: 'Asia/Tokyo' }).files[0]?.notes.join('\n'),
  ).toContain('but for whole hours');
  expect(counted(other)).toEqual([{ account: 'A', trades: 2 }]);
});

// Mappings.

const TABLE = `When,Out,What,Dir,Qty,In,Exit,Fees
20.11.2026 09:30,20.11.2026 10:00,MNQZ6,long,1,100,110,1.5
21.11.2026 09:30,,MNQZ6,long,1,100,,
`;

function mapped(
  home: ImportHome,
  name: string,
  fields: Record<string, unknown> = {},
): LoadedMapping {
  const mapping = {
    name,
    target: 'trades',
    dates: 'dmy',
    fields: {
      market: { value: 'future' },
      currency: { value: 'USD' },
      multiplier: { value: 2 },
      executed_at: 'When',
      closed_at: 'Out',
      symbol: 'What',
      side: 'Dir',
      quantity: 'Qty',
      entry_price: 'In',
      exit_price: 'Exit',
      ...fields,
    },
  };
  return loadMapping(home.file(`${name}.json`, JSON.stringify(mapping)));
}

test('rows of a mapping stay the same under another name, and what it reads otherwise is reported', () => {
  const home = homeOf();
  const table = home.file('own.csv', TABLE);
  home.import(table, { map: mapped(home, 'one', { fees: 'Fees' }) });
  const before = home.contents();
  const [report] = home.import(table, { map: mapped(home, 'two') }).files;
  expect(report).toMatchObject({ added: 0 });
  expect(report?.notes.join('\n')).toContain(
    '1 row differs from import 1 in fees, which stay as they are; to read that import with this mapping: journal-api import change 1 --map FILE',
  );
  expect(home.contents()).toEqual(before);
});

test('an open trade of a mapping that a later file closes is one trade, in journals of earlier versions too', () => {
  for (const age of [() => undefined, asBefore]) {
    const home = homeOf();
    const map = mapped(home, 'one');
    home.import(home.file('own.csv', TABLE), { map });
    age(home);
    const closed = TABLE.replace(
      '09:30,,MNQZ6,long,1,100,,',
      '09:30,21.11.2026 10:30,MNQZ6,long,1,100,105,',
    );
    expect(home.import(home.file('later.csv', closed), { map }).files[0]).toMatchObject({
      added: 0,
      changed: 1,
    });
    expect(home.rows('SELECT status FROM trades')).toEqual([
      { status: 'closed' },
      { status: 'closed' },
    ]);
  }
});

test('days without times stay the same days when the zone of the user moves', () => {
  const home = homeOf('UTC');
  const table = home.file(
    'own.csv',
    TABLE.replaceAll(/ \d\d:\d\d/g, '').replace(/\n21.*\n/, '\n'),
  );
  const map = mapped(home, 'one');
  home.import(table, { map });
  home.write("UPDATE users SET timezone = 'Asia/Tokyo'");
  expect(home.import(table, { map }).files[0]).toMatchObject({ added: 0, changed: 0 });
  expect(home.rows('SELECT executed_at FROM trades')).toEqual([
    { executed_at: '2026-11-19T15:00:00.000Z' },
  ]);
});
