/** Ordinary weeks in which a row comes in more than once: it counts once, or the file is refused with the command that helps. */
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { run } from '../program.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';

const later = (home: ImportHome) => ({ ...home.target, now: home.now + 60_000 });

function totals(home: ImportHome): unknown {
  return home.rows(
    "SELECT count(*) AS trades, round(sum(net_pnl), 2) AS net FROM trades WHERE status = 'closed'",
  )[0];
}

const TABLE = ['When,What,Way,Units,Paid,Costs'];
const ROUND_TRIPS = [
  '2026-11-02 09:31:00,ABC,buy,10,100.5,0.5',
  '2026-11-02 09:45:00,ABC,sell,10,101.5,0.5',
  '2026-11-03 09:31:00,ABC,buy,10,100.25,0.5',
  '2026-11-03 09:45:00,ABC,sell,10,102.25,0.5',
];
const NEXT = [
  '2026-12-01 09:31:00,ABC,buy,10,100,0.5',
  '2026-12-01 09:45:00,ABC,sell,10,101,0.5',
];

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
  changeImport(
    { ...later(home), id: 1, given: { timezone: 'America/New_York' } },
    'import change 1',
  );
  const month = home.file('december.csv', tableOf(...ROUND_TRIPS.slice(2), ...NEXT));
  const [file] = home.import(month, { map }).files;

  expect(file).toMatchObject({ added: 1, platform: { new_fills: 2 } });
  expect(file?.notes.join('\n')).toContain('using America/New_York, that of import 1');
  expect(totals(home)).toEqual({ trades: 3, net: 40 });
  expect(home.rows('SELECT min(executed_at) AS first FROM trades')).toEqual([
    { first: '2026-11-02T14:31:00.000Z' },
  ]);
});

test('a mapping edited between two files that overlap changes no total', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', tableOf(...ROUND_TRIPS)), { map: mapped(home, 'own') });
  const before = home.rows('SELECT id FROM trades ORDER BY id');
  const edited = mapped(home, 'own', { market: { value: 'other' }, fees: 'Costs' });
  const [file] = home.import(home.file('b.csv', tableOf(...ROUND_TRIPS.slice(1))), {
    map: edited,
  }).files;

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
  home.import(home.file('cut.csv', tableOf(...ROUND_TRIPS.map((row) => cut(row)))), {
    map,
  });
  const before = home.contents();
  const ids = home.rows('SELECT id FROM trades ORDER BY id');
  expect(totals(home)).toEqual({ trades: 2, net: 30 });

  home.import(home.file('whole.csv', tableOf(...precise)), { map });
  expect(home.rows('SELECT id FROM trades ORDER BY id')).toEqual(ids);
  expect(
    home.rows('SELECT executed_at, price FROM executions ORDER BY executed_at')[0],
  ).toEqual({
    executed_at: '2026-11-02T09:31:10.000Z',
    price: 100.5,
  });
  const after = home.contents();
  home.import(
    home.file('cut again.csv', tableOf(...ROUND_TRIPS.map((row) => cut(row)), '')),
    {
      map,
    },
  );
  expect(home.contents()).toEqual(after);

  undoImport(later(home), 3);
  undoImport(later(home), 2);
  expect(home.contents()).toEqual(before);
});

test('a price far below a cent is the same with fewer digits', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  const rowAt = (price: string) =>
    tableOf(`2026-11-02 09:31:00,ABC,buy,1000000,${price},0`);
  home.import(home.file('a.csv', rowAt('0.000000126')), { map });
  const [file] = home.import(home.file('b.csv', rowAt('0.00000013')), { map }).files;
  expect(file).toMatchObject({ added: 0, platform: { new_fills: 0 } });
  expect(home.rows('SELECT quantity, entry_price FROM trades')).toEqual([
    { quantity: 1_000_000, entry_price: 1.26e-7 },
  ]);
});

test('one row that fits two of the journal with other prices is refused', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  const twice = [
    '2026-11-02 09:31:10,ABC,buy,10,100.51,0',
    '2026-11-02 09:31:40,ABC,buy,10,100.52,0',
  ];
  home.import(home.file('a.csv', tableOf(...twice)), { map });
  const cut = home.file('b.csv', tableOf('2026-11-02 09:31,ABC,buy,10,100.5,0'));
  expect(home.refusalOf(cut, { map })).toBe(
    'line 2: this fill of ABC has fewer digits than import 1 and may be the one at 100.51 or the one at 100.52; import the original file, as the platform exported it',
  );
});

test('as many rows with fewer digits as the journal has with other prices are the same', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  const whole = [
    '2026-11-02 09:31:10,ABC,buy,10,100.51,0',
    '2026-11-02 09:31:40,ABC,buy,10,100.52,0',
  ];
  const cut = whole.map(() => '2026-11-02 09:31,ABC,buy,10,100.5,0');
  home.import(home.file('a.csv', tableOf(...whole)), { map });
  const before = home.rows('SELECT * FROM trades');
  const [file] = home.import(home.file('b.csv', tableOf(...cut)), { map }).files;
  expect(file).toMatchObject({ added: 0, platform: { new_fills: 0 } });
  expect(home.rows('SELECT * FROM trades')).toEqual(before);
});

test('equal ids in two accounts are two trades, in one file and in two', () => {
  const order = (
    account: string,
    id: number,
    side: string,
    price: number,
    minute: number,
  ) =>
    `${id},${account},${id}, ${side},MNQU5,MNQ,${price},1,01/14/2025 12:0${minute}:00, Filled`;
  const header =
    'orderId,Account,Order ID,B/S,Contract,Product,avgPrice,filledQty,Fill Time,Status';
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
  const rowsOf = (symbol: string) =>
    ROUND_TRIPS.slice(0, 2).map((row) => row.replace('ABC', symbol));
  const first = home.file('a.csv', tableOf(...rowsOf('ZZQZ6')));
  home.import(first, { map, multipliers: new Map([['ZZQ', 7]]) });
  const next = home.file('b.csv', tableOf(...rowsOf('ZZQH7')));
  const [file] = home.import(next, { map }).files;

  expect(file?.notes).toContain('contract size of ZZQH7: 7, that of import 1');
  expect(home.rows('SELECT symbol, multiplier FROM trades ORDER BY symbol')).toEqual([
    { symbol: 'ZZQH7', multiplier: 7 },
    { symbol: 'ZZQZ6', multiplier: 7 },
  ]);

  const other = home.file('c.csv', tableOf(...rowsOf('ZZQM7')));
  home.import(other, { map, multipliers: new Map([['ZZQ', 9]]) });
  const last = home.file('d.csv', tableOf(...rowsOf('ZZQU7')));
  expect(home.import(last, { map }).files[0]?.notes).toContain(
    'contract size of ZZQU7: 9, that of import 3',
  );
});

test('two imports of one file at once count it once', async () => {
  const home = new ImportHome().withUser();
  const rows = Array.from(
    { length: 200 },
    (_, n) =>
      `MESZ6,${2 * n + 1},${2 * n + 2},1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00`,
  );
  const path = home.file('Performance.csv', [HEADER, ...rows, ''].join('\n'));
  const args = ['import', path, '--db', home.journal, '--timezone', 'UTC'];
  const finished = await Promise.all([run(args), run(args)]);

  expect(finished.map(({ code }) => code)).toEqual([0, 0]);
  expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 400 }]);
  expect(home.findings()).toEqual([]);
});

test('a mapping edited since reads the earlier import, too, by the command that the report names', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', tableOf(...ROUND_TRIPS)), { map: mapped(home, 'own') });
  const edited = mapped(home, 'own', { market: { value: 'other' } });
  home.import(home.file('b.csv', tableOf(...ROUND_TRIPS, ...NEXT)), { map: edited });
  const given = { map: home.path('own.json') };
  changeImport({ ...later(home), id: 1, given, map: edited }, 'import change 1');

  expect(home.rows('SELECT DISTINCT market FROM trades')).toEqual([{ market: 'other' }]);
  expect(totals(home)).toEqual({ trades: 3, net: 40 });
});

test('one id in two instruments on a day is two fills, in a later file, too', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own', { execution_id: 'Costs' });
  const first = [
    '2026-11-02 09:31:00,ABC,buy,10,100,1',
    '2026-11-02 09:45:00,ABC,sell,10,101,2',
  ];
  const second = [
    '2026-11-02 09:31:00,XYZ,buy,10,50,1',
    '2026-11-02 09:45:00,XYZ,sell,10,52,2',
  ];
  home.import(home.file('a.csv', tableOf(...first)), { map });
  home.import(home.file('b.csv', tableOf(...first, ...second)), { map });

  expect(totals(home)).toEqual({ trades: 2, net: 30 });
});

const REPEATED_HOUR = {
  local: ['2026-11-01 01:30:00', '2026-11-01 01:30:00', '2026-11-01 01:45:00'],
  utc: ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T06:45:00Z'],
};
const REST = ['ABC,buy,10,100,', 'ABC,buy,10,100,', 'ABC,sell,20,101,'];

test.each([
  ['local', 'utc'],
  ['utc', 'local'],
] as const)(
  'rows of the hour that comes twice, first %s, then %s, count once',
  (first, second) => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const map = mapped(home, 'own');
    const fileOf = (name: 'local' | 'utc') =>
      home.file(
        `${name}.csv`,
        tableOf(...REST.map((rest, index) => `${REPEATED_HOUR[name][index]},${rest}`)),
      );
    home.import(fileOf(first), { map });
    const [file] = home.import(fileOf(second), { map }).files;

    expect(file).toMatchObject({ added: 0, platform: { new_fills: 0 } });
    expect(totals(home)).toEqual({ trades: 1, net: 20 });
  },
);

test('a file of another zone without --timezone is refused; with it, only its new rows come in', () => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const map = mapped(home, 'own');
  home.import(home.file('home.csv', tableOf(...ROUND_TRIPS)), { map });
  const abroad = ROUND_TRIPS.map((row) => row.replace(' 09:', ' 15:'));
  const more = [
    '2026-11-04 15:31:00,ABC,buy,10,99,0',
    '2026-11-04 15:45:00,ABC,sell,10,100,0',
  ];
  const path = home.file('abroad.csv', tableOf(...abroad, ...more));

  expect(home.refusalOf(path, { map })).toBe(
    '4 of 6 rows are in import 1, read in America/New_York, 6 hours apart; if this file is in another zone, pass --timezone; if import 1 was read in the wrong zone: journal-api import change 1 --timezone ZONE; if these are other trades: --allow-duplicates',
  );
  expect(totals(home)).toEqual({ trades: 2, net: 30 });

  home.import(path, { map, timeZone: 'Europe/Berlin' });
  expect(totals(home)).toEqual({ trades: 3, net: 40 });
});

test('a file that states the zone shows that an earlier one was read in the wrong zone', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  home.import(home.file('utc.csv', tableOf(...ROUND_TRIPS)), { map });
  const stated = ROUND_TRIPS.map((row) => row.replace(/^(\S+) (\S{8})/, '$1T$2-05:00'));
  const path = home.file('stated.csv', tableOf(...stated));
  expect(home.refusalOf(path, { map })).toContain(
    '4 of 4 rows are in import 1, read in UTC, 5 hours apart',
  );

  changeImport(
    { ...later(home), id: 1, given: { timezone: 'America/New_York' } },
    'import change 1',
  );
  home.import(path, { map });
  expect(totals(home)).toEqual({ trades: 2, net: 30 });
});

test('the same rows a day later are trades of their own', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  home.import(home.file('first.csv', tableOf(...ROUND_TRIPS.slice(0, 2), ...NEXT)), {
    map,
  });
  const next = [...ROUND_TRIPS.slice(0, 2), ...NEXT].map((row) =>
    row.replace(/-0([12]) /, (_, day) => `-0${Number(day) + 1} `),
  );
  home.import(home.file('next.csv', tableOf(...next)), { map });
  expect(totals(home)).toEqual({ trades: 4, net: 40 });
});

test('thousands of equal rows in a minute are read in seconds, again and in another zone', {
  timeout: 120_000,
}, () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  const rows = Array.from(
    { length: 8000 },
    (_, n) => `2026-11-02 09:31:00,ABC,${n % 2 ? 'sell' : 'buy'},1,100,`,
  );
  const before = process.cpuUsage();
  home.import(home.file('a.csv', tableOf(...rows)), { map });
  home.import(home.file('b.csv', tableOf(...rows, ...NEXT)), { map });
  expect(home.refusalOf(home.path('b.csv'), { map, timeZone: 'Asia/Tokyo' })).toContain(
    '8002 of 8002 rows are in import 1',
  );
  expect(totals(home)).toEqual({ trades: 4001, net: 10 });
  // It took minutes.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(30);
});

test('rows of the instants at which an overlap begins and ends are of its account, too', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own');
  const [first, last] = ROUND_TRIPS as [string, string];
  home.import(home.file('a.csv', tableOf(first, last)), { map, account: 'main' });
  const between = first.replace('09:31:00,ABC,buy,10', '09:40:00,ABC,buy,5');
  const parted = home.file('parted.csv', tableOf(first, between, last));
  expect(home.refusalOf(parted, { map })).toContain(
    '1 more rows between them are not (first on line 3); pass --account main',
  );

  // An export of the last so many rows begins, and ends, in the middle of an instant.
  const more = [first, last].map((row) => row.replace(',10,', ',5,'));
  const whole = tableOf(more[0] as string, first, last, more[1] as string);
  home.import(home.file('b.csv', whole), { map });
  expect(home.rows('SELECT account, quantity FROM trades')).toEqual([
    { account: 'main', quantity: 15 },
  ]);
});

test('an account that takes all trades without one is not said to be another', () => {
  const home = new ImportHome().withUser();
  const codes = (path: string, options = {}) =>
    home
      .import(path, { map: mapped(home, 'own', options) })
      .notices.map(({ code }) => code);
  home.import(home.file('a.csv', tableOf(...ROUND_TRIPS)), { map: mapped(home, 'own') });
  const named = { account: { value: 'main' } };
  expect(codes(home.path('a.csv'), named)).not.toContain('new_account');
});

test('commands in refusals settle the matter: a corrected price, and another account of the same file', () => {
  const home = new ImportHome().withUser();
  const map = mapped(home, 'own', { execution_id: 'Costs' });
  const rows = [
    '2026-11-02 09:31:00,ABC,buy,10,100,1',
    '2026-11-02 09:45:00,ABC,sell,10,101,2',
  ];
  home.import(home.file('a.csv', tableOf(...rows)), { map });
  const corrected = home.file(
    'b.csv',
    tableOf(rows[0] as string, '2026-11-02 09:45:00,ABC,sell,10,102,2'),
  );
  expect(home.refusalOf(corrected, { map })).toBe(
    '3: price: this fill of ABC has 101 in import 1 but 102 in this file; if this file is of another account, pass --account NAME; if import 1 is wrong: journal-api import undo 1',
  );
  undoImport(later(home), 1);
  home.import(corrected, { map, account: 'A' });
  expect(totals(home)).toEqual({ trades: 1, net: 20 });

  expect(home.refusalOf(corrected, { map, account: 'B' })).toContain(
    'this file is import 1, read with other options; to read it so: journal-api import change 1 --account B;',
  );
  changeImport({ ...later(home), id: 1, given: { account: 'B' } }, 'import change 1');
  expect(home.import(corrected, { map, account: 'B' }).files[0]).toMatchObject({
    added: 0,
  });
  expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account: 'B' }]);
});
