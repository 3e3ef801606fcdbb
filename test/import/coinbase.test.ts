/** Coinbase's fills: UTC, unordered. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const FILLS = `portfolio,trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit
default,12,ABC-EUR,SELL,2026-11-02T11:00:00.505Z,10.00000000,ABC,2.5,0.05,24.95,EUR
default,9,ABC-EUR,BUY,2026-11-02T10:00:00.505Z,6.00000000,ABC,2,0.03,-12.03,EUR
default,10,ABC-EUR,BUY,2026-11-02T10:00:00.505Z,4.00000000,ABC,2,0.02,-8.02,EUR
other,11,XYZ-EUR,SELL,2026-11-02T10:30:00.505Z,1.00000000,XYZ,2,0.01,1.99,EUR
`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('older ones have no portfolios', () => {
    const home = new ImportHome().withUser();
    const text = FILLS.replace(/^[a-z]+,/gm, '');
    expect(home.import(home.file('fills.csv', text)).files[0]).toMatchObject({
      format: 'coinbase',
      added: 1,
    });
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account: null }]);
  });

  test('fills of the same time are in the order of their ids, in any order of rows', () => {
    const home = new ImportHome().withUser();
    const [header, , nine, ten] = FILLS.split('\n') as [string, string, string, string];
    const path = home.file(
      'fills.csv',
      [header, ten.replace('BUY', 'SELL'), nine.replace('6.0', '4.0')].join('\n'),
    );
    const [file] = home.import(path).files;
    expect(file?.platform).toMatchObject({
      unmatched: [],
      trades: { closed: 1, open: 0 },
    });
  });

  test('an unmatched sell is reported, and not a short', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('fills.csv', FILLS)).files;
    expect(file).toMatchObject({ format: 'coinbase', rows: { read: 4 }, added: 1 });
    expect(file?.platform?.unmatched).toMatchObject([
      { symbol: 'XYZ-EUR', account: 'other', quantity: 1 },
    ]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC-EUR long closed 2026-11-02T10:00:00.505Z 10 5 0.1 EUR',
    ]);
    expect(home.rows('SELECT id, account FROM trades')).toEqual([
      { id: 'coinbase:ABC-EUR:9', account: 'default' },
    ]);
  });

  const rows = FILLS.trimEnd().split('\n');
  const day = (order: string) => (text: string) =>
    text.replace(/2026-11-(\d\d)T(\d\d:\d\d):\S+?Z/, order);
  test.each([
    [
      'empty rows and cells at the end',
      [...rows.map((row) => `${row},,`), ',,,,,'].join('\r\n'),
      '505',
    ],
    ['days of another country', rows.map(day('$1.11.2026 $2')).join('\n'), '000'],
    [
      'decimal commas',
      rows
        .map((row) =>
          row
            .replaceAll(/(?<=,-?\d+)\.(?=\d+(,|$))/g, '~')
            .replaceAll(',', ';')
            .replaceAll('~', ','),
        )
        .join('\n'),
      '505',
    ],
  ])('as a spreadsheet saved it: %s', (what, text, fraction) => {
    const home = new ImportHome().withUser();
    const dates = what.includes('days') ? 'dmy' : undefined;
    const [file] = home.import(home.file('fills.csv', text), { dates }).files;
    expect(file).toMatchObject({ rows: { read: 4 }, added: 1 });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      `ABC-EUR long closed 2026-11-02T10:00:00.${fraction}Z 10 5 0.1 EUR`,
    ]);
  });

  test('ids rounded by a spreadsheet are skipped', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file('fills.csv', FILLS.replaceAll(/,(9|10|11|12),/g, ',8.95E+14,')),
    );
    expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 4 }]);
  });

  test.each([
    [',SELL,2026', ',GIFT,2026', '2: side: must be one of Buy, Sell'],
    ['10.00000000', '-10', '2: size: must be above 0'],
    [
      '2026-11-02T11',
      '2026-31-02T11',
      '2: created at: must be a time with the year first',
    ],
    [',size,', ',amount,', '1: size: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('fills.csv', FILLS.replace(from, to)))).toContain(
      message,
    );
  });
});

describe('reports of all transactions, of our own', () => {
  const NEWER = `
Transactions
User,Somebody,7
ID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,Total (inclusive of fees and/or spread),Fees and/or Spread,Notes
x5,2026-11-05 10:00:00 UTC,Staking Income,ABC,0.1,EUR,€12.00,€1.20,€1.20,€0.00,
x4,2026-11-04 10:00:00 UTC,Deposit,EUR,100,EUR,€1.00,€100.00,€100.00,€0.00,
x3,2026-11-03 10:00:00 UTC,Convert,ABC,-1,EUR,€12.00,€12.00,€11.90,€0.10,Converted 1 ABC to 4 XYZ
x2,2026-11-02 10:00:00 UTC,Advanced Trade Sell,ABC,-1,EUR,€11.00,€11.00,€10.80,€0.20,Sold 1 ABC
x1,2026-11-01 10:00:00 UTC,Buy,ABC,2,EUR,€10.00,€20.00,"€1,020.40",€0.40,Bought 2 ABC
`;
  const OLDER = `"You can use this transaction report to inform your likely tax obligations."

Transactions
User,a@example.com,7

Timestamp,Transaction Type,Asset,Quantity Transacted,Spot Price Currency,Spot Price at Transaction,Subtotal,Total (inclusive of fees),Fees,Notes
2026-11-01T10:00:00Z,Buy,ABC,2,EUR,10.00,20.00,20.40,0.40,Bought 2 ABC
2026-11-02T10:00:00Z,Sell,ABC,2,EUR,11.00,22.00,21.80,0.20,Sold 2 ABC
2026-11-02T11:00:00Z,Receive,ABC,2,EUR,11.00,"","","",Received 2 ABC
`;
  const list =
    'SELECT symbol, status, executed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at, symbol';

  test.each([
    ['Cfm Funding', 'money moved to or from futures'],
    ['Retail Simple Dust', 'remainder of coins'],
    ['Learning Reward', 'learning reward'],
  ])('%s is skipped as: %s', (type, reason) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [file] = home.import(
      home.file('report.csv', OLDER.replace(',Receive,', `,${type},`)),
    ).files;
    expect(file?.skipped).toEqual([{ reason, count: 1 }]);
  });

  test('trades and conversions, with the money between them', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const path = home.file('report.csv', NEWER.replace('"€1,020.40"', '€20.40'));
    const [file] = home.import(path).files;
    expect(file).toMatchObject({
      format: 'coinbase-transactions',
      rows: { read: 5 },
      added: 2,
    });
    expect(file?.skipped).toEqual([{ reason: 'staking income', count: 1 }]);
    expect(file?.cash_flows.added).toBe(1);
    expect(home.rows(list).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC-EUR closed 2026-11-01T10:00:00.000Z 2 3 0.7',
      'XYZ-EUR open 2026-11-03T10:00:00.000Z 4 0 0',
    ]);
    expect(home.notes.join()).toContain(
      '1 rows add or remove coins without a trade (sent, received, rewards)',
    );
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test.each([
    [
      'money paid beyond the value is the fee of the purchase',
      'x3,2026-11-03 10:00:00 UTC,Convert,ABC,-2,EUR,€12.50,€24.00,€25.00,€1.00,Converted 2 ABC to 4 XYZ',
      ['ABC-EUR closed 20 25 5 0.4', 'XYZ-EUR open 24 0 0 1'],
    ],
    [
      'notes with a decimal comma',
      'x3,2026-11-03 10:00:00 UTC,Convert,ABC,"0.5",EUR,€12.50,€6.00,€6.25,€0.25,"Converted 0,5 ABC to 1,125 XYZ"',
      ['ABC-EUR open 20 6.25 1.25 0.4', 'XYZ-EUR open 6 0 0 0.25'],
    ],
    [
      'no notes, but a row for each coin',
      'x3,2026-11-03 10:00:00 UTC,Convert,XYZ,4,EUR,€6.00,€24.00,€25.00,€1.00,\nx3,2026-11-03 10:00:00 UTC,Convert,ABC,-2,EUR,€12.50,€25.00,€25.00,€0.00,',
      ['ABC-EUR closed 20 25 5 0.4', 'XYZ-EUR open 24 0 0 1'],
    ],
    [
      'no notes, for money',
      'x3,2026-11-03 10:00:00 UTC,Convert,EUR,25,EUR,€1.00,€25.00,€25.00,€0.00,\nx3,2026-11-03 10:00:00 UTC,Convert,ABC,-2,EUR,€12.50,€25.00,€25.00,€0.00,',
      ['ABC-EUR closed 20 25 5 0.4'],
    ],
  ])('of conversions: %s', (_, rows, expected) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [start] = NEWER.split('x5,') as [string];
    const bought =
      'x1,2026-11-01 10:00:00 UTC,Buy,ABC,2,EUR,€10.00,€20.00,€20.40,€0.40,Bought 2 ABC';
    home.import(home.file('report.csv', `${start}${rows}\n${bought}\n`));
    // Money paid and received, without fees.
    const money = `SELECT symbol, status, round(entry_price * quantity, 6) AS paid,
      round(coalesce(exit_price, 0) * (quantity - open_quantity), 6) AS got, gross_pnl, fees FROM trades ORDER BY symbol`;
    expect(home.rows(money).map((row) => Object.values(row).join(' '))).toEqual(expected);
  });

  test.each([
    [
      'a coin',
      'ETH for 0.0603 BTC on ETH-BTC at 0.04 BTC/ETH',
      'ETH-BTC BTC 0.04 0.0003 50000',
    ],
    ['money', 'ETH for 2440 USDC on ETH-USDC at 1600 USDC/ETH', 'ETH-EUR EUR 2000 15 1'],
    ['notes without a pair', 'ETH', 'ETH-EUR EUR 2000 15 1'],
  ])('a coin bought for %s', (_, what, expected) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [start] = NEWER.split('x5,') as [string];
    const row = `x1,2026-11-01 10:00:00 UTC,Advanced Trade Buy,ETH,1.5,EUR,€2000.00,€3000.00,€3015.00,€15.00,Bought 1.5 ${what}`;
    home.import(home.file('report.csv', `${start}${row}\n`));
    const [trade] = home.rows('SELECT symbol, currency, entry_price, fees FROM trades');
    const [fill] = home.rows('SELECT round(coalesce(rate, 1), 6) AS rate FROM fills');
    expect(Object.values({ ...trade, ...fill }).join(' ')).toBe(expected);
  });

  const OLDEST = OLDER.replace(
    /^Timestamp.*$/m,
    'Timestamp,Transaction Type,Asset,Quantity Transacted,EUR Spot Price at Transaction,EUR Subtotal,EUR Total (inclusive of fees),EUR Fees,Notes',
  ).replaceAll(',EUR,', ',');

  test.each([
    ['an older version', OLDER],
    ['the oldest, with the currency in the names', OLDEST],
  ])('of %s', (_, text) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    expect(home.import(home.file('report.csv', text)).files[0]).toMatchObject({
      rows: { read: 3 },
      added: 1,
    });
    expect(home.rows(list).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC-EUR closed 2026-11-01T10:00:00.000Z 2 2 0.6',
    ]);
  });

  test.each([
    [
      'Staking Income',
      'Lottery Win',
      '5: Transaction Type: must be one of Buy, Advanced Trade Buy',
    ],
    [
      'Converted 1 ABC to 4 XYZ',
      'Converted',
      '7: Notes: must state the conversion, such as Converted 0.005 BTC to 0.15 ETH',
    ],
    ['€11.00,€11.00', '€11.00,eleven', '8: Subtotal: must be an amount'],
    [
      'Advanced Trade Sell,ABC,-1',
      'Advanced Trade Sell,ABC,0',
      '8: Quantity Transacted: must not be 0',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('report.csv', NEWER.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'coinbase/fills.csv',
      {
        file: { rows: { read: 11 }, added: 5 },
        unmatched: 40,
        trades: [
          { symbol: 'AMP-USD', trades: 1, open: 2500 },
          { symbol: 'LRC-USD', trades: 2, open: 120.5, gross: 4.5, fees: 0.4 },
          { symbol: 'SUKU-USD', trades: 2, open: 0, gross: 94.6, fees: 9.51 },
        ],
      },
    ],
    [
      'coinbase/fills.csv',
      {
        file: { rows: { read: 60 }, added: 5 },
        unmatched: 75,
        trades: [
          { symbol: 'AMP-USD', trades: 1, open: 1807 },
          { symbol: 'LRC-USD', trades: 1, open: 205.5 },
          { symbol: 'SUKU-USD', trades: 3, open: 0, gross: 826.92, fees: 75.9 },
        ],
      },
    ],
  ),
)('$label adds up to its rows', ({ path, holds: { file, unmatched, trades } }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report).toMatchObject(file);
  expect(report?.platform?.unmatched).toMatchObject([
    { symbol: 'LRC-USD', quantity: unmatched },
  ]);
  expect(
    home.rows(
      'SELECT symbol, count(*) AS trades, sum(open_quantity) AS open, round(sum(gross_pnl), 2) AS gross, round(sum(fees), 2) AS fees FROM trades GROUP BY symbol',
    ),
  ).toMatchObject(trades);
});
