/** The same trades in two exports of a platform: one with fills, the other with closed trades. */
import { describe, expect, test } from 'vitest';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { ImportHome } from './home.ts';

/** By platform: two files with the same trades, as fills and as closed trades. */
const PAIRS: Record<string, [fills: string, closed: string]> = {
  NinjaTrader: [
    `Instrument,Action,Quantity,Price,Time,ID,E/X,Position,Order ID,Name,Commission,Rate,Account,Connection,
MNQ DEC26,Sell,1,25010.50,11/13/2026 10:05:00 AM,e2,Exit,-,o2,Close,$0.78,1,Sim101,Live,
MNQ DEC26,Buy,1,25000.00,11/13/2026 10:00:00 AM,e1,Entry,1 L,o1,Entry,$0.78,1,Sim101,Live,
`,
    `Trade number,Instrument,Account,Strategy,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Entry name,Exit name,Profit,Cum. net profit,Commission,
1,MNQ DEC26,Sim101,,Long,1,25000.00,25010.50,11/13/2026 10:00:00 AM,11/13/2026 10:05:00 AM,Entry,Close,$19.44,$19.44,$1.56,
`,
  ],
  Rithmic: [
    `Completed Orders
Account,Status,Buy/Sell,Qty To Fill,Max Show Qty,Symbol,Order Number,Update Time (UTC),Qty Filled,Avg Fill Price
Sim101,Filled,S,1,0,MESZ6,1002,2026-11-02 09:42:15,1,6805.50
Sim101,Filled,B,1,0,MESZ6,1001,2026-11-02 09:35:12,1,6800.25
`,
    `Sim101
MESZ6
Entry Order Number,Entry Buy/Sell,Entry Price,Entry Time,Exit Order Number,Exit Price,Exit Time,Fill Size,Trade P&L,Trade Life Span,Commission & Fees
1001,B,6800.25,2026-11-02 09:35:12,1002,6805.50,2026-11-02 09:42:15,1,26.25,00:07:03,2.40
`,
  ],
  Bybit: [
    `Market,Filled Type,Filled Quantity,Filled Price,Order Price,Fee Rate,Trading Fee,feeCoin,ExecFeeV2,Direction,Order Type,Trasaction ID,Order No.,Transaction Time(UTC+0)
ABCUSDT,Trade,1,105,105,0.0005,0.05,USDT,0.05,Short,Limit, a2, o2,15:14 2026-11-02
ABCUSDT,Trade,1,100,100,0.0005,0.05,USDT,0.05,Long,Market, a1, o1,10:00 2026-11-01
`,
    `Contracts,Trade Type,Qty,Entry Price,Realized P&L,Filled Price,Exit Type,Filled/Settlement Time(UTC+0),Create Time
ABCUSDT,SELL,1,100.00,4.90,105.00,Trade,15:14 2026-11-02,15:08 2026-11-02
`,
  ],
};

describe.each(Object.entries(PAIRS))('%s', (_, [fills, closed]) => {
  test('closed trades after fills are rejected, and fills after closed trades', () => {
    const first = new ImportHome().withUser();
    first.import(first.file('fills.csv', fills));
    expect(first.refusalOf(first.file('closed.csv', closed))).toMatch(
      /1 trade in this file \(first on line \d, [\w ]+\) is a duplicate: already in the journal as fills of another export .* --allow-duplicates if it is a separate trade/,
    );
    expect(first.rows('SELECT count(*) AS trades FROM trades')).toEqual([{ trades: 1 }]);

    const second = new ImportHome().withUser();
    second.import(second.file('closed.csv', closed));
    expect(second.refusalOf(second.file('fills.csv', fills))).toMatch(
      /fills? in this file \(first on line \d, [\w ]+\) (is a duplicate|are duplicates): already in the journal as closed trades of another export/,
    );
    expect(second.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 0 }]);
  });

  test('--allow-duplicates imports them, and repeated files change nothing', () => {
    const home = new ImportHome().withUser();
    const [one, two] = [home.file('fills.csv', fills), home.file('closed.csv', closed)];
    home.import(one);
    expect(home.import(two, { allowDuplicates: true }).files[0]).toMatchObject({
      added: 1,
    });
    for (const path of [one, two])
      expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });
});

test('closed trades without their seconds are those of the journal, and so are their fills', () => {
  const header =
    'Instrument,Account,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Profit';
  const trade = (entered: string, exited: string) =>
    `MNQ DEC26,A,Long,1,25000,25010,${entered},${exited},20`;
  const file = (...rows: string[]) => [header, ...rows].join('\n');
  const [entered, exited] = ['11/13/2026 10:00:07 AM', '11/13/2026 10:05:09 AM'];
  const dropped = trade('11/13/2026 10:00', '11/13/2026 10:05');
  const home = new ImportHome().withUser();
  home.import(home.file('Grid.csv', file(trade(entered, exited))));
  const before = home.contents();
  expect(home.import(home.file('saved.csv', file(dropped))).files[0]).toMatchObject({
    added: 0,
    unchanged: 1,
  });
  expect(home.contents()).toEqual(before);
  const fill = `Instrument,Action,Quantity,Price,Time,E/X,Account\nMNQ DEC26,Buy,1,25000,11/13/2026 10:00,Entry,A\n`;
  expect(home.refusalOf(home.file('fills.csv', fill))).toContain('1 fill in this file');
  // Other seconds, and an equal one missing from the first file, are separate trades.
  const others = file(
    trade(entered, exited),
    trade(entered, exited),
    trade(entered.replace('07', '08'), exited),
  );
  expect(home.import(home.file('next.csv', others)).files[0]).toMatchObject({
    added: 2,
    unchanged: 1,
  });
});

describe('closed trades with seconds and without', () => {
  const file = (account: string, [entered, exited]: readonly string[]) =>
    `Instrument,Account,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Profit
MNQ DEC26,${account},Long,1,25000,25010,11/13/2026 ${entered},11/13/2026 ${exited},20`;
  const whole = ['10:00:07 AM', '10:05:09 AM'];
  const dropped = ['10:00', '10:05'];

  test.each([
    [whole, dropped],
    [dropped, whole],
  ])('are the same in any order, with the seconds (%s)', (first, second) => {
    const home = new ImportHome().withUser();
    home.import(home.file('first.csv', file('A', first)));
    expect(
      home.import(home.file('second.csv', file('A', second))).files[0],
    ).toMatchObject({
      added: 0,
    });
    expect(home.rows('SELECT executed_at, closed_at FROM trades')).toEqual([
      { executed_at: '2026-11-13T10:00:07.000Z', closed_at: '2026-11-13T10:05:09.000Z' },
    ]);
    expect(home.rows('SELECT executed_at FROM executions')).toEqual([
      { executed_at: '2026-11-13T10:00:07.000Z' },
      { executed_at: '2026-11-13T10:05:09.000Z' },
    ]);
  });

  test('are separate in another account', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('first.csv', file('A', whole)));
    expect(
      home.import(home.file('second.csv', file('B', dropped))).files[0],
    ).toMatchObject({
      added: 1,
    });
  });
});

test("an equal trade in another account isn't a duplicate", () => {
  const [fills, closed] = PAIRS['NinjaTrader'] as [string, string];
  const home = new ImportHome().withUser();
  home.import(home.file('fills.csv', fills));
  expect(
    home.import(home.file('closed.csv', closed.replace('Sim101', 'Sim102'))).files[0],
  ).toMatchObject({ added: 1 });
});

describe('trades by a mapping', () => {
  const FILLS = `portfolio,trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit
default,9,ABC-EUR,BUY,2026-11-02T10:00:05.505Z,6,ABC,2,0.03,-12.03,EUR
default,12,ABC-EUR,SELL,2026-11-02T11:00:07.505Z,6,ABC,2.5,0.05,14.95,EUR
`;
  const table = (...rows: string[]) => ['sym,in,out,qty,from,to', ...rows].join('\n');
  const SAME = 'ABC-EUR,2026-11-02 10:00,2026-11-02 11:00,6,2,2.5';

  function homeWith(rows: string) {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [executed_at, closed_at, quantity] = ['in', 'out', 'qty'];
    const fields = {
      symbol: 'sym',
      executed_at,
      closed_at,
      quantity,
      entry_price: 'from',
      exit_price: 'to',
    };
    const mapping = {
      name: 'own',
      target: 'trades',
      fields: { ...fields, market: { value: 'crypto' } },
    };
    return {
      home,
      fills: home.file('fills.csv', FILLS),
      mapped: home.file('own.csv', rows),
      map: loadMapping(home.file('own.json', JSON.stringify(mapping))),
    };
  }

  test('are rejected if fills made them, and vice versa', () => {
    const one = homeWith(table(SAME));
    one.home.import(one.fills);
    expect(one.home.refusalOf(one.mapped, { map: one.map })).toMatch(
      /1 trade in this file \(first on line 2, ABC-EUR\) is a duplicate: already in the journal as trade coinbase:ABC-EUR:9; pass --allow-duplicates/,
    );
    const other = homeWith(table(SAME));
    other.home.import(other.mapped, { map: other.map });
    expect(other.home.refusalOf(other.fills)).toContain(
      'as closed trades of another export of this platform, or of a mapping',
    );
    expect(other.home.import(other.mapped, { map: other.map }).files[0]).toMatchObject({
      added: 0,
      unchanged: 1,
    });
  });

  test.each([
    ['another quantity', SAME.replace(',6,', ',5,')],
    ['another price', SAME.replace(',2.5', ',2.6')],
    ['another minute', SAME.replace('10:00', '10:01')],
  ])('of %s are separate', (_, row) => {
    const { home, fills, mapped, map } = homeWith(table(row));
    home.import(fills);
    expect(home.import(mapped, { map }).files[0]).toMatchObject({ added: 1 });
  });
});
