/** Tradovate's "Performance" export: fills combined from pairs, and trades from flat to flat. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warningsOf } from '../../src/import/report/report.ts';
import { exportsWith, pathOf } from './exports.ts';
import { FillHome } from './fill-home.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'symbol,_priceFormat,_priceFormatType,_tickSize,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp,duration';

const MES = (
  buy: number,
  sell: number,
  qty: number,
  prices: string,
  pnl: string,
  bought: string,
  sold: string,
) =>
  `MESZ6,-2,0,0.25,${buy},${sell},${qty},${prices},${pnl},11/02/2026 ${bought},11/02/2026 ${sold},1min`;

const PERFORMANCE = [
  HEADER,
  // A short of two, bought back in two fills.
  MES(12, 11, 1, '6800.00,6801.00', '$5.00', '09:31:00', '09:30:00'),
  MES(13, 11, 1, '6811.00,6801.00', '$(50.00)', '09:32:00', '09:30:00'),
  // A long of one; the sell of three reverses it to a short of two, which the buy of two closes.
  MES(21, 22, 1, '6800.00,6802.50', '$12.50', '10:00:00', '10:05:00'),
  MES(23, 22, 2, '6800.50,6802.50', '$20.00', '10:10:00', '10:05:00'),
  'ZNZ6,-5,0,0.015625,31,32,1,110.015625,110.03125,$15.63,11/02/2026 11:00:00,11/02/2026 11:00:05,5sec',
  'MGCZ6,-1,0,0.1,42,41,1,4000.0,4000.0,$0.00,11/02/2026 12:01:00,11/02/2026 12:00:00,1min',
].join('\n');

const shown =
  'SELECT id, side, status, executed_at, closed_at, quantity, multiplier, gross_pnl FROM trades ORDER BY executed_at, id';

describe('a file of our own', () => {
  test('becomes trades from flat to flat; a fill that reverses the position belongs to two', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/Chicago' });
    const report = home.import(home.file('Performance.csv', PERFORMANCE));
    expect(report.files[0]).toMatchObject({
      format: 'tradovate',
      resource: 'trades',
      added: 5,
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'tradovate:MESZ6:11 short closed 2026-11-02T15:30:00.000Z 2026-11-02T15:32:00.000Z 2 5 -45',
      'tradovate:MESZ6:21 long closed 2026-11-02T16:00:00.000Z 2026-11-02T16:05:00.000Z 1 5 12.5',
      'tradovate:MESZ6:22 short closed 2026-11-02T16:05:00.000Z 2026-11-02T16:10:00.000Z 2 5 20',
      'tradovate:ZNZ6:31 long closed 2026-11-02T17:00:00.000Z 2026-11-02T17:00:05.000Z 1 1000 15.625',
      'tradovate:MGCZ6:41 short closed 2026-11-02T18:00:00.000Z 2026-11-02T18:01:00.000Z 1 10 0',
    ]);
    expect(home.everything()['trades']?.at(-1)).toMatchObject({
      market: 'future',
      currency: 'USD',
      fees: 0,
      source: 'tradovate',
    });
    expect(
      home.rows(
        "SELECT side, quantity, price FROM executions WHERE trade_id = 'tradovate:MESZ6:22' ORDER BY position",
      ),
    ).toEqual([
      { side: 'sell', quantity: 2, price: 6802.5 },
      { side: 'buy', quantity: 2, price: 6800.5 },
    ]);
    const notes = home.notes.join('\n');
    expect(notes).toContain("using America/Chicago, the user's time zone");
    expect(notes).toContain('this export has no fees');
  });

  test('--timezone sets the file time zone', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('Performance.csv', PERFORMANCE), {
      timeZone: 'America/New_York',
      account: 'sim',
    });
    expect(
      home.rows('SELECT executed_at, account FROM trades ORDER BY executed_at LIMIT 1'),
    ).toEqual([{ executed_at: '2026-11-02T14:30:00.000Z', account: 'sim' }]);
  });

  test('imported again, it changes neither trades nor text added to them', () => {
    const home = new ImportHome().withUser();
    const path = home.file('Performance.csv', PERFORMANCE);
    home.import(path);
    home.import(
      home.lines('trades.jsonl', {
        id: 'tradovate:MESZ6:21',
        setup: 'pullback',
        fees: 1.24,
        account: 'a',
      }),
    );
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 5,
    });
  });

  test.each([
    ['$12.50', '$13.50', "4: pnl: 13.5 doesn't fit this row's prices and quantity"],
    [
      '$12.50',
      '12.50 USD',
      '4: pnl: must be an amount, such as $52.50 or $(41.00); got "12.50 USD"',
    ],
    ['09:31:00,', '9.31,', '2: boughtTimestamp: must be a time with the month first'],
    [
      '6811.00',
      "6811'00",
      '3: buyPrice: must be a number, such as 4277.25; got "6811\'00"',
    ],
    [
      '6811.00,6801.00',
      '6811.00,6800.00',
      '3: sellFillId: fill 11 has a different price, time or side on line 2',
    ],
    [
      '6811.00',
      '"6811,5"',
      '3: buyPrice: must be a number, such as 4277.25; got "6811,5"',
    ],
    ['6811.00', '6811 00', '3: buyPrice: must be a number'],
    ['$12.50', '1$2.50', '4: pnl: must be an amount'],
    [',13,11,1,6811.00', ',,11,,6811.00', '3: buyFillId, qty: are missing'],
    [',qty,', ',quantity,', '1: qty or Paired Qty: is missing from the header'],
    [
      ',qty,buyPrice,',
      ',size,bought,',
      '1: qty or Paired Qty, buyPrice or Buy Price: are missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(
        home.file(
          'Performance.csv',
          PERFORMANCE.replace(from, () => to),
        ),
      ),
    ).toContain(message);
    expect(home.everything()['trades']).toEqual([]);
  });

  test('prices of Treasuries are in 32nds; empty rows and columns are skipped', () => {
    const text = [
      `${HEADER},,`,
      'ZNH7,5,1,0.015625,51,52,1,110 040,110 045,$15.62,11/02/2026 16:27:28,11/02/2026 16:27:50,21sec,,',
      'ZBH7,5,1,0.03125,53,54,2,123 25,123 26,$62.50,11/02/2026 16:30:28,11/02/2026 16:30:50,21sec,,',
      ',,,,,,,,,,,,,,',
      ',,,,,,,,,,,,,,',
    ].join('\r\n');
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file('Performance.csv', text)).files;
    expect(report).toMatchObject({
      rows: { read: 4 },
      added: 2,
      skipped: [{ reason: 'empty row', count: 2 }],
    });
    expect(
      home.rows(
        'SELECT symbol, entry_price, multiplier, gross_pnl FROM trades ORDER BY symbol',
      ),
    ).toEqual([
      { symbol: 'ZBH7', entry_price: 123.78125, multiplier: 1000, gross_pnl: 62.5 },
      { symbol: 'ZNH7', entry_price: 110.125, multiplier: 1000, gross_pnl: 15.625 },
    ]);
    const other = text.replace('ZNH7,5,1', 'ZNH7,3,1');
    expect(home.refusalOf(home.file('Performance.csv', other))).toContain(
      '2: _priceFormat: must be 5 (32nds)',
    );
    const wrong = text.replace('110 040', '110 400');
    expect(home.refusalOf(home.file('Performance.csv', wrong))).toContain(
      '2: buyPrice: must be a price in 32nds',
    );
  });

  test('a missing exchange rate is reported once', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [file] = home.import(home.file('Performance.csv', PERFORMANCE)).files;
    expect(file?.platform?.without_rate).toEqual(['USD']);
    expect(home.notes.join()).not.toContain('fx_rate');
  });

  test('Position History has the same pairs, and the account', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/Chicago' });
    const text = [
      'Position ID,Timestamp,Trade Date,Net Pos,Net Price,Bought,Avg. Buy,Sold,Avg. Sell,Account,Contract,Product,_priceFormat,_priceFormatType,_tickSize,Pair ID,Buy Fill ID,Sell Fill ID,Paired Qty,Buy Price,Sell Price,P/L,Currency,Bought Timestamp,Sold Timestamp',
      '1,11/02/2026 09:32:00,2026-11-02,0,,2,6805.5,2,6801,A1,MESZ6,MES,-2,0,0.25,51,12,11,1,6800.00,6801.00,5.00,USD,11/02/2026 09:31:00,11/02/2026 09:30:00',
      '1,11/02/2026 09:32:00,2026-11-02,0,,2,6805.5,2,6801,A1,MESZ6,MES,-2,0,0.25,52,13,11,1,6811.00,6801.00,-50.00,USD,11/02/2026 09:32:00,11/02/2026 09:30:00',
      '',
    ].join('\n');
    expect(home.import(home.file('Position History.csv', text)).files[0]).toMatchObject({
      format: 'tradovate',
      added: 1,
      platform: { stated: [{ what: 'gross', amount: -45, difference: 0 }] },
    });
    // Performance has no account: it is of the one that has some of its fills.
    expect(home.import(home.file('Performance.csv', PERFORMANCE)).files[0]).toMatchObject(
      {
        added: 4,
        changed: 0,
      },
    );
    expect(
      home.rows(
        "SELECT id, account FROM trades WHERE symbol = 'MESZ6' ORDER BY executed_at LIMIT 2",
      ),
    ).toEqual([
      { id: 'tradovate:MESZ6:11', account: 'A1' },
      { id: 'tradovate:MESZ6:21', account: 'A1' },
    ]);
  });
});

test('P&L is in the currency of Position History, or of the contract if its size fits', () => {
  const header =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp,Currency\n';
  const row = (symbol: string, id: number, pnl: string, currency: string) =>
    `${symbol},${id},${id + 1},1,24000,24010,${pnl},11/02/2026 09:31:00,11/02/2026 09:32:00,${currency}\n`;
  const home = new ImportHome().withUser();
  const rows = [
    row('FDXMZ6', 1, '$50.00', ''),
    row('FDXSZ6', 3, '$11.60', ''),
    row('FDAXZ6', 5, '250.00', 'EUR'),
  ];
  const [report] = home.import(
    home.file('Performance.csv', header + rows.join('')),
  ).files;
  expect(report?.platform?.stated).toMatchObject([
    { currency: 'EUR', amount: 300, difference: 0 },
    { currency: 'USD', amount: 11.6, difference: 0 },
  ]);
});

const FILLS = [
  '_id,_orderId,_timestamp,_action,_qty,_price,_active,Fill ID,Order ID,Timestamp,Account,B/S,Quantity,Price,Contract,Product,commission',
  '102,92,2026-11-02 15:31:00.250Z,1,2,6801.0,true,102,92,11/02/2026 09:31:00,A1, Sell,2,6801.00,MESZ6,MES,0.70',
  '101,91,2026-11-02 15:30:00.250Z,0,2,6800.0,true,101,91,11/02/2026 09:30:00,A1, Buy,2,6800.00,MESZ6,MES,0.70',
  '103,93,2026-11-02 15:32:00.250Z,0,1,6800.0,false,103,93,11/02/2026 09:32:00,A1, Buy,1,6800.00,MESZ6,MES,0.35',
].join('\n');

describe('fills', () => {
  test('have an account, times in UTC and commissions; cancelled ones are skipped', () => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file('Fills.csv', FILLS)).files;
    expect(report).toMatchObject({
      format: 'tradovate-fills',
      rows: { read: 3 },
      skipped: [{ reason: 'cancelled fill', count: 1 }],
    });
    expect(
      home.rows(
        `SELECT id, account, executed_at, gross_pnl, fees, multiplier FROM trades`,
      ),
    ).toEqual([
      {
        id: 'tradovate-fills:MESZ6:101',
        account: 'A1',
        executed_at: '2026-11-02T15:30:00.250Z',
        gross_pnl: 10,
        fees: 1.4,
        multiplier: 5,
      },
    ]);
  });

  test('without UTC are in the given zone; without commissions have no fees', () => {
    const text =
      'Fill ID;Order ID;Timestamp;Contract;B/S;Quantity;Price;Account\n7;1;11/02/2026 09:31:00;MESZ6;Sell;1;6801.25;A1\n';
    const home = new ImportHome().withUser();
    home.import(home.file('Fills.csv', text), { timeZone: 'America/Chicago' });
    expect(home.rows('SELECT executed_at, side, fees FROM trades')).toEqual([
      { executed_at: '2026-11-02T15:31:00.000Z', side: 'short', fees: 0 },
    ]);
    expect(home.notes.join()).toContain('this export has no fees');
  });

  test('already imported from Performance are detected', () => {
    const home = new ImportHome().withUser();
    const pair = [
      HEADER,
      MES(101, 102, 2, '6800.00,6801.00', '$10.00', '15:30:00', '15:31:00'),
    ].join('\n');
    home.import(home.file('Performance.csv', pair));
    expect(home.refusalOf(home.file('Fills.csv', FILLS))).toContain(
      'already in the journal as tradovate, without an account',
    );
  });

  test.each([
    [' Sell', ' Short', '2: B/S: must be one of Buy, Sell'],
    ['6801.0,', '6801 0,', '2: _price: must be a number'],
    [
      '2026-11-02 15:31:00.250Z',
      '11/02/2026 15:31',
      '2: _timestamp: must be a time with the year first',
    ],
    ['102,92', ',92', '2: _id: is missing'],
    [',Contract,', ',Name,', '1: Contract: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('Fills.csv', FILLS.replace(from, to)), {
        format: 'tradovate-fills',
      }),
    ).toContain(message);
  });
});

const ORDERS = [
  'orderId,Account,Order ID,B/S,Contract,Product,avgPrice,filledQty,Fill Time,Status,_priceFormat,Timestamp,Quantity,Type,Filled Qty,Avg Fill Price,decimalFillAvg,Notional Value,Currency',
  '91,A1,91, Buy,MESZ6,MES,6800.5,2,11/02/2026 09:30:00, Filled,-2,11/02/2026 09:29:00,2, Limit,2,6800.50,6800.5,"68,005.00",USD',
  '92,A1,92, Sell,MESZ6,MES,,,, Canceled,-2,11/02/2026 09:30:00,2, Stop,,,,,USD',
  '93,A1,93, Sell,MESZ6,MES,,,, Rejected,-2,11/02/2026 09:30:00,2, Limit,,,,,USD',
  '94,A1,94, Sell,MESZ6,MES,6802,1,11/02/2026 09:40:00, Canceled,-2,11/02/2026 09:30:00,2, Limit,1,6802.00,6802,"34,010.00",USD',
].join('\n');

const CASH = [
  'Account,Transaction ID,Timestamp,Date,Delta,Amount,Cash Change Type,Currency,Contract',
  'A1,1,11/01/2026 09:00:00,2026-11-01,"25,000.00","25,000.00", Fund Transaction,USD,',
  'A1,2,11/02/2026 09:30:00,2026-11-02,-0.70,"24,999.30", Commission,USD,MESZ6',
  'A1,3,11/02/2026 09:30:00,2026-11-02,-0.04,"24,999.26", Nfa Fee,USD,MESZ6',
  'A1,5,11/02/2026 09:40:00,2026-11-02,-0.37,"24,998.89", Commission,USD,MESZ6',
  'A1,6,11/02/2026 09:40:00,2026-11-02,7.50,"25,006.39", Trade Paired,USD,MESZ6',
].join('\n');

describe('cash history', () => {
  const list = 'SELECT symbol, status, gross_pnl, fees FROM trades ORDER BY id';
  const both = (home: FillHome) => ({
    orders: home.file('Orders.csv', ORDERS),
    cash: home.file('Cash History.csv', CASH),
  });

  test('its costs are added to fills of other files in any order, and an undo removes them', () => {
    const [one, other] = [new FillHome().withUser(), new FillHome().withUser()];
    one.import(both(one).orders);
    const [report] = one.import(both(one).cash).files;
    expect(report).toMatchObject({
      format: 'tradovate-cash',
      rows: { read: 5 },
      changed: 1,
    });
    expect(report?.platform).toMatchObject({
      unmatched: [],
      waiting_costs: [],
      stated: [
        { what: 'gross', amount: 7.5, difference: 0 },
        { what: 'fees', amount: 1.11, difference: 0 },
      ],
    });
    const [waiting] = other.import(both(other).cash).files;
    expect(waiting?.platform).toMatchObject({
      unmatched: [],
      waiting_costs: [{ currency: 'USD', costs: 3, amount: 1.11 }],
    });
    expect(
      warningsOf(waiting as Parameters<typeof warningsOf>[0], 'me').join(),
    ).toContain(
      '3 costs of 1.11 USD without a fill excluded from figures; import the missing fills',
    );
    other.import(both(other).orders);
    for (const home of [one, other]) {
      expect(home.rows(list)).toEqual([
        { symbol: 'MESZ6', status: 'open', gross_pnl: 7.5, fees: 1.11 },
      ]);
      expect(home.import(both(home).cash).files[0]).toMatchObject({
        added: 0,
        changed: 0,
      });
    }
    one.undo();
    expect(one.rows(list)).toEqual([
      { symbol: 'MESZ6', status: 'open', gross_pnl: 7.5, fees: 0 },
    ]);
    expect(one.rows('SELECT DISTINCT kind FROM fills')).toEqual([{ kind: 'trade' }]);
  });

  test('are added to pairs without an account, by quantity, and only to fills of its own account', () => {
    const pairs = [
      'symbol,_priceFormat,_priceFormatType,_tickSize,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp,duration',
      'MESZ6,-2,0,0.25,11,12,2,6800.50,6802.00,$15.00,11/02/2026 09:30:00,11/02/2026 09:40:00,10min',
      'MESZ6,-2,0,0.25,13,14,1,6800.75,6802.00,$6.25,11/02/2026 09:30:00,11/02/2026 09:50:00,20min',
    ].join('\n');
    const home = new FillHome().withUser();
    home.import([home.file('Performance.csv', pairs), both(home).cash]);
    expect(
      home.rows(
        'SELECT side, quantity, price, fees FROM executions ORDER BY executed_at, price',
      ),
    ).toEqual([
      { side: 'buy', quantity: 2, price: 6800.5, fees: 0.49333334 },
      { side: 'buy', quantity: 1, price: 6800.75, fees: 0.24666666 },
      { side: 'sell', quantity: 2, price: 6802, fees: 0.37 },
      { side: 'sell', quantity: 1, price: 6802, fees: 0 },
    ]);
    const accounts = new FillHome().withUser();
    const copied = accounts.file(
      'copied.csv',
      ORDERS.replaceAll(',A1,', ',A2,').replaceAll(/^9/gm, '8'),
    );
    accounts.import([both(accounts).orders, copied, both(accounts).cash]);
    expect(accounts.rows('SELECT account, fees FROM trades ORDER BY account')).toEqual([
      { account: 'A1', fees: 1.11 },
      { account: 'A2', fees: 0 },
    ]);
  });

  test('loses nothing to rounding when three fills share a cost', () => {
    const at = '11/02/2026 09:30:00';
    const fills = ['6800.00', '6800.25', '6800.50'].map(
      (price, place) => `${place + 21},91,${at},A1, Buy,1,${price},MESZ6,MES`,
    );
    const home = new FillHome().withUser();
    const header =
      'Fill ID,Order ID,Timestamp,Account,B/S,Quantity,Price,Contract,Product';
    const cash = CASH.split('\n');
    home.import([
      home.file('Fills.csv', [header, ...fills].join('\n')),
      home.file('Cash History.csv', [cash[0], cash[2]].join('\n')),
    ]);
    expect(home.rows(list)).toEqual([
      { symbol: 'MESZ6', status: 'open', gross_pnl: 0, fees: 0.7 },
    ]);
  });

  test('adds nothing to fills that have commissions, and all to those with commissions of 0', () => {
    const header =
      '_id,_timestamp,_qty,_price,Fill ID,Order ID,Account,B/S,Contract,commission';
    const fills = [
      header,
      '21,2026-11-02 09:30:00.772Z,2,6800.5,21,91,A1, Buy,MESZ6,0.74',
      '22,2026-11-02 09:40:00.100Z,2,6802,22,94,A1, Sell,MESZ6,0.74',
    ].join('\n');
    const home = new FillHome().withUser();
    home.import([home.file('Fills.csv', fills), both(home).cash], { timeZone: 'UTC' });
    expect(home.rows(list)).toEqual([
      { symbol: 'MESZ6', status: 'closed', gross_pnl: 15, fees: 1.48 },
    ]);

    const free = fills.replaceAll(',0.74', ',0.00');
    const other = new FillHome().withUser();
    other.import([other.file('Fills.csv', free), both(other).cash], { timeZone: 'UTC' });
    expect(other.rows(list)).toMatchObject([{ fees: 1.11 }]);
  });

  test.each([
    [' Nfa Fee', ' Gift', '4: Cash Change Type: must be one of Commission, Exchange Fee'],
    ['-0.70', 'seventy', '3: Delta: must be an amount'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('Cash History.csv', CASH.replace(from, to))),
    ).toContain(message);
  });
});

describe('orders', () => {
  test('are fills with their filled quantity', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/Chicago' });
    const [report] = home.import(home.file('Orders.csv', ORDERS)).files;
    expect(report).toMatchObject({
      format: 'tradovate-orders',
      rows: { read: 4 },
      skipped: [
        { reason: 'cancelled order', count: 1 },
        { reason: 'rejected order', count: 1 },
      ],
    });
    expect(
      home.rows('SELECT id, executed_at, quantity, open_quantity, gross_pnl FROM trades'),
    ).toEqual([
      {
        id: 'tradovate-orders:MESZ6:91',
        executed_at: '2026-11-02T15:30:00.000Z',
        quantity: 2,
        open_quantity: 1,
        gross_pnl: 7.5,
      },
    ]);
  });

  test('may be quoted as whole rows, and lack repeated columns', () => {
    const home = new ImportHome().withUser();
    const quoted = ORDERS.replaceAll(
      /^(9[14].*)$/gm,
      (row) => `"${row.replaceAll('"', '""')}"`,
    );
    expect(home.import(home.file('Orders.csv', quoted)).files[0]).toMatchObject({
      rows: { read: 4 },
      added: 1,
    });
    const short = ORDERS.replace('Order ID', 'Version ID');
    expect(home.import(home.file('short.csv', short)).files[0]).toMatchObject({
      added: 0,
      unchanged: 1,
    });
  });

  test.each([
    [
      /^91/m,
      '4.25825E+11',
      '2: orderId: a spreadsheet rounded it to "4.25825E+11"; import the original file',
    ],
    ['6800.5,"68', '"6,800","68', '2: decimalFillAvg: "6,800" could be 6.800 or 6800'],
    [' Rejected', ' Lost', '4: Status: must be one of Filled, Canceled'],
    ['6800.5,2,11', '6800.5,,11', '2: filledQty: is missing'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('Orders.csv', ORDERS.replace(from, to)))).toContain(
      message,
    );
  });
});

// Real exports, if available next to the project.

test.each(
  exportsWith(
    ['tradovate/Performance.csv', { trades: 7, gross: 471, reversals: 1 }],
    ['tradovate/Performance.csv', { trades: 25, gross: 364, reversals: 2 }],
  ),
)(
  '$label adds up to its rows, reversals included',
  ({ path, holds: { trades, gross, reversals } }) => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    home.import(path());
    expect(
      home.rows(
        "SELECT count(*) AS trades, total(status = 'closed') AS closed, round(total(gross_pnl), 6) AS gross FROM trades",
      ),
    ).toEqual([{ trades, closed: trades, gross }]);
    // Fills that close one trade and open the next.
    expect(
      home.rows(
        'SELECT count(*) AS n FROM executions AS e JOIN executions AS f USING (user_id, executed_at, price, side) WHERE e.position > 0 AND f.position = 0 AND e.trade_id <> f.trade_id',
      ),
    ).toEqual([{ n: reversals }]);
  },
);

const MONTHS = exportsWith(
  [
    'tradovate/Performance.csv',
    { gross: [471, 451], others: ['made-up', 'tradovate/Performance (1).csv'] },
  ],
  [
    'tradovate/Performance.csv',
    {
      gross: [364, 82.75, 1648.5],
      others: ['real', 'tradovate/Performance (1).csv', 'tradovate/Performance (2).csv'],
    },
  ],
);

/** The first month's export and the others of the same kind. */
function pathsOf({ path, holds: { others } }: (typeof MONTHS)[number]): string[] {
  const [kind, ...names] = others;
  return [path(), ...names.map((name) => pathOf(`${kind} ${name}`))];
}

test.each(MONTHS)(
  '$label and those of the months after add up, again and again',
  (months) => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const paths = pathsOf(months);
    const sums = paths.map((path) => {
      home.import(path);
      return home.rows('SELECT round(total(gross_pnl), 6) AS gross FROM trades')[0]?.[
        'gross'
      ];
    });
    expect(sums).toEqual(months.holds.gross);
    expect(
      home.import(paths).files.every(({ added, changed }) => added + changed === 0),
    ).toBe(true);
  },
);

test.each(MONTHS)(
  '$label in halves that overlap, the later first, makes the same trades',
  (months) => {
    const paths = pathsOf(months);
    const whole = new FillHome().withUser();
    whole.import(paths);
    const home = new FillHome().withUser();
    for (const path of paths) {
      const [header, ...rows] = readFileSync(path, 'utf8').trim().split('\n');
      const middle = Math.floor(rows.length / 2);
      for (const half of [rows.slice(middle - 1), rows.slice(0, middle + 1)]) {
        home.import(home.file('Performance.csv', [header, ...half].join('\n')));
      }
    }
    expect(home.trades()).toEqual(whole.trades());
  },
);

test.each([
  ...exportsWith(
    [
      'tradovate/Treasuries.csv',
      { closed: 6, money: { gross: -93.75, fees: 0, net: -93.75 }, apart: 0.01 },
    ],
    [
      'tradovate/Treasuries.csv',
      { closed: 221, money: { gross: 5421.875, fees: 0, net: 5421.875 }, apart: 0.165 },
    ],
  ),
  ...exportsWith(
    [
      'tradovate/Fills.csv',
      { closed: 4, money: { gross: 112.5, fees: 4.08, net: 108.42 } },
    ],
    [
      'tradovate/Fills.csv',
      { closed: 3, money: { gross: 168.75, fees: 4.08, net: 164.67 } },
    ],
  ),
  ...exportsWith(
    ['tradovate/Orders.csv', { closed: 3, money: { gross: -70, fees: 0, net: -70 } }],
    ['tradovate/Orders.csv', { closed: 10, money: { gross: -315, fees: 0, net: -315 } }],
  ),
  ...exportsWith(
    [
      'tradovate/Cash History.csv',
      {
        closed: 3,
        money: { gross: -70, fees: 4, net: -74 },
        after: 'tradovate/Orders.csv',
        apart: 0,
      },
    ],
    [
      'tradovate/Cash History.csv',
      {
        closed: 10,
        money: { gross: -315, fees: 31.5, net: -346.5 },
        after: 'tradovate/Orders.csv',
        apart: 0,
      },
    ],
  ),
  ...exportsWith(
    [
      'tradovate/Position History.csv',
      { closed: 2, money: { gross: 78, fees: 0, net: 78 }, apart: 0 },
    ],
    [
      'tradovate/Position History.csv',
      { closed: 8, money: { gross: 1343.5, fees: 0, net: 1343.5 }, apart: 0 },
    ],
  ),
])('$label adds up', ({ path, holds: { closed, money, ...holds } }) => {
  const home = new ImportHome().withUser();
  const own = path();
  if ('after' in holds) home.import(join(dirname(own), basename(holds.after as string)));
  const { platform } = home.import(own).files[0] ?? {};
  expect(platform?.trades).toMatchObject({ closed, open: 0 });
  expect(platform?.money).toEqual([{ currency: 'USD', ...money }]);
  expect(new Set(platform?.stated.map(({ difference }) => difference))).toEqual(
    new Set('apart' in holds ? [holds.apart] : []),
  );
});
