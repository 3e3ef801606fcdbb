/** Ordinary weeks in which a row comes in more than once: it counts once, or the file is refused with the command that helps. */
import { expect, test } from 'vitest';
import { changeImport } from '../../src/import/change.ts';
import { undoImport } from '../../src/import/edit/undo.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { run } from '../program.ts';
import { ImportHome } from './home.ts';

const HEADER = 'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';

const later = (home: ImportHome) => ({ journal: home.journal, now: home.now + 60_000 });

function totals(home: ImportHome): unknown {
  return home.rows("SELECT count(*) AS trades, round(sum(net_pnl), 2) AS net FROM trades WHERE status = 'closed'")[0];
}

const TABLE = ['When,What,Way,Units,Paid,Costs'];
const ROUND_TRIPS = [
  '2026-11-02 09:31:00,ABC,buy,10,100.5,0.5',
  '2026-11-02 09:45:00,ABC,sell,10,101.5,0.5',
  '2026-11-03 09:31:00,ABC,buy,10,100.25,0.5',
  '2026-11-03 09:45:00,ABC,sell,10,102.25,0.5',
];
const NEXT = ['2026-12-01 09:31:00,ABC,buy,10,100,0.5', '2026-12-01 09:45:00,ABC,sell,10,101,0.5'];

/** A mapping of that table. */
function mapped(home: ImportHome, name: string, fields: Record<string, unknown> = {}) {
  const mapping = {
    name,
    target: 'fills',
    fields: {
      executed_at: 'When',
      symbol: 'What',
      side: 'Way',
      quantity: 'Units',
      price: 'Paid',
      market: { value: 'stock' },
      currency: { value: 'USD' },
      ...fields,
    },
  };
  return loadMapping(home.file(`${name}.json`, JSON.stringify(mapping)));
}

const tableOf = (...rows: string[]) => [...TABLE, ...rows, ''].join('\n');

test('a file read in the wrong zone is corrected, and the next month comes in once', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  home.import(home.file('november.csv', tableOf(...ROUND_TRIPS)), { map });
  changeImport({ ...later(home), id: 1, given: { timezone: 'America/New_York' } }, 'import change 1');
  const month = home.file('december.csv', tableOf(...ROUND_TRIPS.slice(2), ...NEXT));
  const [file] = home.import(month, { map }).files;

  expect(file).toMatchObject({ added: 1, platform: { new_fills: 2 } });
  expect(file?.notes.join('\n')).toContain('using America/New_York, that of import 1');
  expect(totals(home)).toEqual({ trades: 3, net: 40 });
  expect(home.rows('SELECT min(executed_at) AS first FROM trades')).toEqual([{ first: '2026-11-02T14:31:00.000Z' }]);
});

test('a mapping edited between two files that overlap changes no total', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', tableOf(...ROUND_TRIPS)), { map: mapped(home, 'own') });
  const before = home.rows('SELECT id FROM trades ORDER BY id');
  const edited = mapped(home, 'own', { market: { value: 'other' }, fees: 'Costs' });
  const [file] = home.import(home.file('b.csv', tableOf(...ROUND_TRIPS.slice(1))), { map: edited }).files;

  expect(file).toMatchObject({ added: 0, platform: { new_fills: 0 } });
  expect(file?.notes.join('\n')).toContain(
    '3 rows differ from import 1 in market, which stay as they are; to read that import as this file: journal-api import change 1 --map FILE',
  );
  // The fees that only the second file states count.
  expect(totals(home)).toEqual({ trades: 2, net: 28.5 });
  expect(home.rows('SELECT id FROM trades ORDER BY id')).toEqual(before);
  undoImport(later(home), 2);
  expect(totals(home)).toEqual({ trades: 2, net: 30 });
});

test('digits come with the file that has them, and go with it', () => {
  const cut = (row: string) => row.replace(/:00,/, ',').replace(/(\d)\.\d+,/, '$1,');
  const precise = ROUND_TRIPS.map((row, place) => row.replace(':00,', `:${10 + place},`));
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  home.import(home.file('cut.csv', tableOf(...ROUND_TRIPS.map((row) => cut(row)))), { map });
  const before = home.contents();
  const ids = home.rows('SELECT id FROM trades ORDER BY id');
  expect(totals(home)).toEqual({ trades: 2, net: 30 });

  home.import(home.file('whole.csv', tableOf(...precise)), { map });
  expect(home.rows('SELECT id FROM trades ORDER BY id')).toEqual(ids);
  expect(home.rows('SELECT executed_at, price FROM executions ORDER BY executed_at')[0]).toEqual({
    executed_at: '2026-11-02T09:31:10.000Z',
    price: 100.5,
  });
  const after = home.contents();
  home.import(home.file('cut again.csv', tableOf(...ROUND_TRIPS.map((row) => cut(row)), '')), { map });
  expect(home.contents()).toEqual(after);

  undoImport(later(home), 3);
  undoImport(later(home), 2);
  expect(home.contents()).toEqual(before);
});

test('one row that fits two of the journal with other prices is refused', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  const twice = ['2026-11-02 09:31:10,ABC,buy,10,100.51,0', '2026-11-02 09:31:40,ABC,buy,10,100.52,0'];
  home.import(home.file('a.csv', tableOf(...twice)), { map });
  const cut = home.file('b.csv', tableOf('2026-11-02 09:31,ABC,buy,10,100.5,0'));
  expect(home.refusalOf(cut, { map })).toBe(
    'line 2: this fill of ABC has fewer digits than import 1 and may be the one at 100.51 or the one at 100.52; import the original file, as the platform exported it',
  );
});

test('equal ids in two accounts are two trades, in one file and in two', () => {
  const order = (account: string, id: number, side: string, price: number, minute: number) =>
    `${id},${account},${id}, ${side},MNQU5,MNQ,${price},1,01/14/2025 12:0${minute}:00, Filled`;
  const header = 'orderId,Account,Order ID,B/S,Contract,Product,avgPrice,filledQty,Fill Time,Status';
  const ofAccount = (account: string, price: number) => [
    order(account, 1001, 'Buy', price, 0),
    order(account, 1002, 'Sell', price + 10, 5),
  ];
  const both = [[...ofAccount('A', 20000), ...ofAccount('B', 20100)]];
  const apart = [ofAccount('A', 20000), ofAccount('B', 20100)];
  for (const files of [both, apart]) {
    const home = new ImportHome().withUser();
    for (const [place, rows] of files.entries()) {
      home.import(home.file(`Orders ${place}.csv`, [header, ...rows, ''].join('\n')));
    }
    expect(home.rows('SELECT account, gross_pnl FROM trades ORDER BY account')).toEqual([
      { account: 'A', gross_pnl: 20 },
      { account: 'B', gross_pnl: 20 },
    ]);
  }
});

test('a contract size that was typed once counts for later files of the format', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own', { market: { value: 'future' } });
  const rowsOf = (symbol: string) => ROUND_TRIPS.slice(0, 2).map((row) => row.replace('ABC', symbol));
  const first = home.file('a.csv', tableOf(...rowsOf('ZZQZ6')));
  home.import(first, { map, multipliers: new Map([['ZZQ', 7]]) });
  const next = home.file('b.csv', tableOf(...rowsOf('ZZQH7')));
  const [file] = home.import(next, { map }).files;

  expect(file?.notes).toContain('contract size of ZZQH7: 7, that of import 1');
  expect(home.rows('SELECT symbol, multiplier FROM trades ORDER BY symbol')).toEqual([
    { symbol: 'ZZQH7', multiplier: 7 },
    { symbol: 'ZZQZ6', multiplier: 7 },
  ]);
});

test('two imports of one file at once count it once', async () => {
  const home = new ImportHome().withUser();
  const rows = Array.from(
    { length: 200 },
    (_, n) => `MESZ6,${2 * n + 1},${2 * n + 2},1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00`,
  );
  const path = home.file('Performance.csv', [HEADER, ...rows, ''].join('\n'));
  const args = ['import', path, '--db', home.journal, '--timezone', 'UTC'];
  const finished = await Promise.all([run(args), run(args)]);

  expect(finished.map(({ code }) => code)).toEqual([0, 0]);
  expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 400 }]);
  expect(home.findings()).toEqual([]);
});
