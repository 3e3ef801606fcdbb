/** The list of imports, undo, and backups made before each import. */
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { runHere } from '../program.ts';
import { FillHome } from './fill-home.ts';
import { TRADE } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const PAIRS = [
  'MESZ6,2,1,1,6800.00,6801.00,$5.00,11/02/2026 09:31:00,11/02/2026 09:30:00',
  'MESZ6,3,4,1,6800.00,6802.50,$12.50,11/02/2026 10:00:00,11/02/2026 10:05:00',
];

const performance = (home: FillHome, ...pairs: string[]) =>
  home.file('Performance.csv', [HEADER, ...pairs].join('\n'));
const list = (home: FillHome) => listImports({ journal: home.journal });
const backups = (home: FillHome) =>
  existsSync(home.path('backups')) ? readdirSync(home.path('backups')).sort() : [];

describe('the list', () => {
  test('shows the contents of each file and the resulting records', () => {
    const home = new FillHome().withUser();
    home.import(performance(home, ...PAIRS), { account: 'sim' });
    home.import(home.lines('sessions.jsonl', { id: 's', date: '2026-11-02' }));
    expect(list(home)).toMatchObject([
      {
        id: 2,
        file: 'sessions.jsonl',
        format: 'jsonl',
        resource: 'sessions',
        rows: 1,
        fills: 0,
        records: 1,
        trades: 0,
      },
      {
        id: 1,
        file: 'Performance.csv',
        format: 'tradovate',
        account: 'sim',
        rows: 2,
        fills: 4,
        records: 0,
        trades: 2,
      },
    ]);
    expect(list(home)[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("doesn't repeat a file that changes nothing, nor changes a byte of the journal", () => {
    const home = new FillHome().withUser();
    const path = performance(home, ...PAIRS);
    home.import(path);
    const before = home.hash();
    home.now += 1000;
    expect(home.import(path).files[0]).toMatchObject({
      unchanged: 2,
      imported_before: '2026-11-20T15:00:00.000Z',
    });
    expect(home.hash()).toBe(before);
    expect(list(home)).toHaveLength(1);
  });
});

test('a multiplier that contradicts the P&L stops the import, and an unused one is reported', () => {
  const home = new FillHome().withUser();
  const path = performance(home, ...PAIRS);
  expect(home.refusalOf(path, { multipliers: new Map([['MES', 50]]) })).toContain(
    '--multiplier gives MESZ6 a contract size of 50, but the file states or implies 5',
  );
  home.notes = [];
  home.import(path, { multipliers: new Map(Object.entries({ MESZ6: 5, MNQ: 2 })) });
  expect(home.notes.filter((line) => line.includes('--multiplier'))).toEqual([
    "--multiplier MNQ wasn't used; no file has fills of MNQ",
  ]);
});

test('the table shows how files were read, and where they were, in 100 columns', async () => {
  const home = new FillHome().withUser();
  const path = performance(home, ...PAIRS);
  const sizes = new Map([['MES', 5]]);
  home.import(path, {
    account: "Ann's",
    timeZone: 'America/Chicago',
    multipliers: sizes,
    groups: false,
  });
  changeImport(
    { ...home.target, id: 1, given: { account: 'main' } },
    'import change 1 --account main',
  );
  const { stdout } = await runHere(['import', 'list', '--db', home.journal]);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'ID  IMPORTED           FORMAT       ROWS  FILLS  TRADES  RECORDS  SKIPPED  FILE OR COMMAND',
    '2   2026-11-20 15:00Z  change of 1  4     0      2       0        0        import change 1 --accoun…',
    '    import change 1 --account main',
    '1   2026-11-20 15:00Z  tradovate    2     4      2       0        0        Performance.csv',
  ]);
  expect(lines[4]).toMatch(
    /^ {4}--account main --timezone America\/Chicago --multiplier MES=5 --no-groups in \//,
  );
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('a read-only journal can be listed', () => {
  const home = new FillHome().withUser();
  home.import(performance(home, ...PAIRS));
  chmodSync(home.journal, 0o400);
  chmodSync(home.folder, 0o500);
  // The superuser may write anything.
  if (process.getuid?.() !== 0)
    expect(() => openForWriting(home.journal)).toThrow('permission denied');
  const before = home.hash();
  expect(list(home)).toHaveLength(1);
  expect(home.hash()).toBe(before);
  chmodSync(home.folder, 0o700);
});

test('the same file read in another zone is rejected, since its fills would count twice', () => {
  const home = new FillHome().withUser();
  const path = performance(home, ...PAIRS);
  home.import(path, { timeZone: 'America/New_York' });
  expect(home.refusalOf(path, { timeZone: 'Asia/Tokyo' })).toBe(
    '4 of 4 rows are in import 1, read in America/New_York; these are read in Asia/Tokyo. To correct import 1: journal-api import change 1 --timezone Asia/Tokyo',
  );
  expect(home.rows('SELECT count(*) AS n FROM trades')).toEqual([{ n: 2 }]);
});

test('the same file with --account moves its trades to that account', () => {
  const home = new FillHome().withUser();
  const path = performance(home, ...PAIRS);
  home.import(path);
  expect(home.import(path, { account: 'sim' }).files[0]).toMatchObject({
    changed: 2,
    imported_before: null,
    platform: { new_fills: 0, trades: { closed: 2 } },
  });
  expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account: 'sim' }]);
  home.undo();
  expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account: null }]);
});

test('the report compares totals with the file', () => {
  const home = new FillHome().withUser();
  const report = home.import(performance(home, ...PAIRS)).files[0];
  expect(report?.platform).toMatchObject({
    fills: 4,
    new_fills: 4,
    trades: { closed: 2, open: 0, added: 2, changed: 0, removed: 0 },
    first: '2026-11-02T09:30:00.000Z',
    last: '2026-11-02T10:05:00.000Z',
    money: [{ currency: 'USD', gross: 17.5, fees: 0, net: 17.5 }],
    by_symbol: [{ symbol: 'MESZ6', trades: 2, gross: 17.5, open_quantity: 0 }],
    stated: [{ what: 'gross', amount: 17.5, ours: 17.5, difference: 0 }],
    unmatched: [],
    without_rate: [],
  });
});

class BackedUpHome extends FillHome {
  override readonly backups = undefined;
}

describe('a backup of the journal', () => {
  test('is made before each import that writes; the last three and the first of the hour are kept', () => {
    const home = new BackedUpHome();
    home.import(performance(home, PAIRS[0] as string));
    expect(backups(home)).toEqual([]);
    for (let n = 1; n <= 5; n++) {
      home.now += 60_000;
      home.import(
        performance(
          home,
          PAIRS[0] as string,
          `MESZ6,${n}2,${n}1,1,6800,6801,$5.00,11/03/2026 09:31:00,11/03/2026 09:30:0${n}`,
        ),
      );
      // The first of the hour will be the one older than an hour.
      expect(backups(home)).toHaveLength(Math.min(n, 4));
    }
  });

  test('has a number if another one was made within the same second', () => {
    const home = new BackedUpHome();
    for (let n = 0; n <= 3; n++)
      home.import(
        performance(
          home,
          `MESZ6,${n}2,${n}1,1,6800,6801,$5.00,11/03/2026 09:31:00,11/03/2026 09:30:0${n}`,
        ),
      );
    const stem = 'journal-2026-11-20T15-00-00';
    expect(backups(home)).toEqual([`${stem}-2.db`, `${stem}-3.db`, `${stem}.db`]);
  });

  test('is made at most once an hour by imports that change no fills', () => {
    const home = new BackedUpHome();
    home.import(home.lines('trades.jsonl', TRADE));
    expect(backups(home)).toEqual([]);
    for (let n = 1; n <= 5; n++) {
      home.now += 3_600_001;
      home.import(home.lines('sessions.jsonl', { id: `s${n}`, date: '2026-11-02' }));
      home.import(home.lines('trades.jsonl', { ...TRADE, notes: `note ${n}` }));
      const newest = backups(home)
        .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
        .at(-1) as string;
      const copy = new Database(home.path(`backups/${newest}`), { readonly: true });
      expect(copy.prepare('SELECT notes FROM trades').pluck().get()).toBe(
        n === 1 ? null : `note ${n - 1}`,
      );
      copy.close();
      expect(statSync(home.path(`backups/${newest}`)).mode & 0o777).toBe(0o600);
    }
    const made = backups(home);
    home.now += 3_600_001;
    home.import(home.lines('trades.jsonl', { ...TRADE, notes: 'note 5' }));
    home.import(home.lines('trades.jsonl', { ...TRADE, notes: 'note 6' }), {
      dryRun: true,
    });
    expect(backups(home)).toEqual(made);
  });

  test('is made once per command, of a WAL journal too', () => {
    const home = new BackedUpHome().withUser();
    home.write('PRAGMA journal_mode = WAL');
    home.import([
      home.lines('trades.jsonl', TRADE),
      home.lines('sessions.jsonl', { id: 's', date: '2026-11-02' }),
    ]);
    expect(backups(home)).toHaveLength(1);
  });

  test("that can't be made stops the import", () => {
    const home = new BackedUpHome().withUser();
    home.file('backups', 'a file');
    const before = home.hash();
    expect(home.refusalOf(home.lines('trades.jsonl', TRADE))).toContain(
      ', so nothing was changed',
    );
    expect(home.hash()).toBe(before);
  });
});

describe('undo of plain records', () => {
  test('removes added records, and restores changed ones', () => {
    const home = new FillHome().withUser();
    const before = home.tables();
    home.import(home.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2' }));
    const between = home.tables();
    home.import(
      home.lines(
        'trades.jsonl',
        { id: 't1', notes: 'changed', exit_price: 104 },
        { ...TRADE, id: 't3' },
      ),
    );
    expect(home.undo().records).toEqual({ removed: 1, restored: 1, kept: 0 });
    // The values of what is stated stand in its row now, which is written once.
    const { import_records: _, ...tables } = between;
    expect(home.tables()).toMatchObject(tables);
    home.undo();
    expect(home.tables()).toEqual(before);
    expect(() => home.undo()).toThrow('there is no import to undo');
  });

  test('keeps records that a later file states or changed', () => {
    const home = new FillHome().withUser();
    home.import(home.lines('trades.jsonl', { ...TRADE, notes: 'first' }));
    home.import(home.lines('trades.jsonl', { id: 't1', notes: 'second', setup: 'a' }));
    home.import(home.lines('trades.jsonl', { id: 't1', notes: 'third' }));
    home.undo(2);
    expect(home.rows('SELECT notes, setup FROM trades')).toEqual([
      { notes: 'third', setup: null },
    ]);
    home.undo(3);
    expect(home.rows('SELECT notes FROM trades')).toEqual([{ notes: 'first' }]);
  });

  test('stops if later records refer to it, and names them', () => {
    const home = new FillHome().withUser();
    home.import(home.lines('trades.jsonl', TRADE));
    home.import(
      home.lines('trade-journals.jsonl', { id: 'j1', trade_id: 't1', phase: 'review' }),
    );
    expect(() => home.undo(1)).toThrow(
      'import 2 (trade-journals.jsonl) is about trade t1; journal-api import undo 2',
    );
    expect(() => home.undo(7)).toThrow(
      'there is no import 7 to undo; existing ones: 2, 1',
    );
  });

  test('removes groups, trades and entries of one import in the order of their references', () => {
    const home = new FillHome().withUser();
    const before = home.tables();
    const group = {
      id: 'g',
      name: 'G',
      kind: 'custom',
      market: 'stock',
      status: 'open',
      opened_at: '2026-11-02T14:30:00Z',
    };
    home.import([
      home.lines('trade-groups.jsonl', group),
      home.lines('trades.jsonl', { ...TRADE, group_id: 'g' }),
      home.lines('group-journals.jsonl', { id: 'gj', group_id: 'g', phase: 'review' }),
    ]);
    expect(() => home.undo(1)).toThrow('is about trade group g; journal-api import undo');
    for (const id of [3, 2, 1]) home.undo(id);
    expect(home.tables()).toEqual(before);
  });
});
