/** Rows and headers of older or other versions of exports, each with one thing that the usual ones lack. */
import { expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

interface Held {
  fills: number;
  closed: number;
  open: string[];
  gross?: number;
}

test.each([
  ...exportsWith<Held>(
    [
      'fidelity/Accounts_History-core-cash.csv',
      { fills: 2, closed: 1, open: [], gross: 30 },
    ],
    [
      'fidelity/Accounts_History-core-cash.csv',
      { fills: 4, closed: 0, open: ['AMD 49', 'DBX 180', 'DIS 25'] },
    ],
  ),
  ...exportsWith<Held>(
    ['coinbase/transactions-2018.csv', { fills: 2, closed: 1, open: [], gross: 40 }],
    [
      'coinbase/transactions-2018.csv',
      { fills: 2, closed: 0, open: ['BTC-CAD 0.25306077', 'ETH-CAD 2.74751693'] },
    ],
  ),
  ...exportsWith<Held>(
    [
      'binance/transactions-short-rows.csv',
      { fills: 2, closed: 1, open: [], gross: 100 },
    ],
    [
      'binance/transactions-short-rows.csv',
      { fills: 6, closed: 1, open: ['MATICBUSD 140.1195285'], gross: 10.15752213 },
    ],
  ),
  ...exportsWith<Held>(
    ['webull/options-long-name.csv', { fills: 2, closed: 1, open: [], gross: 60 }],
    [
      'webull/options-long-name.csv',
      { fills: 351, closed: 142, open: [], gross: 22331.96 },
    ],
  ),
])('$label', ({ path, holds: { fills, closed, open, gross = 0 } }) => {
  const home = new ImportHome().withUser();
  const platform = home.import(path()).files[0]?.platform;
  expect(platform).toMatchObject({ fills, trades: { closed, open: open.length } });
  const held = home.rows(
    "SELECT symbol, open_quantity FROM trades WHERE status = 'open' ORDER BY symbol",
  );
  expect(held.map((row) => Object.values(row).join(' '))).toEqual(open);
  expect(platform?.money.reduce((sum, own) => sum + own.gross, 0)).toBe(gross);
});

test('Coinbase: the days of 2018 have no times, and money bought for itself is a deposit', () => {
  const home = new ImportHome().withUser();
  const [path] = exportsWith(['coinbase/transactions-2018.csv', null]).map((own) =>
    own.path(),
  );
  expect(home.import(path as string).files[0]?.skipped).toEqual([]);
  expect(
    home.rows('SELECT at, has_time, kind, amount, currency FROM cash_flows'),
  ).toEqual([
    {
      at: '2017-07-21T00:00:00.000Z',
      has_time: 0,
      kind: 'deposit',
      amount: 10,
      currency: 'CAD',
    },
  ]);
  expect(home.rows('SELECT executed_at, fees FROM trades')).toEqual([
    { executed_at: '2017-07-03T00:00:00.000Z', fees: 8 },
  ]);
  expect(home.rows('SELECT DISTINCT has_time FROM fills')).toEqual([{ has_time: 0 }]);
});

test.each([
  [
    'of a split, closes what it added',
    ['5/12/2026,,,ABC,"CIL on 0.5 @ $20.00 - ABC",CIL,,,$10.00'],
    'ABC closed 2.5 0',
  ],
  [
    'of a dividend that added whole shares, is money only',
    ['5/12/2026,,,ABC,"CIL on 0.619 @ $20.00 - ABC",CIL,,,$12.38'],
    'ABC open 2.5 0.5',
  ],
  ['that nobody paid, stays', [], 'ABC open 2.5 0.5'],
])('Robinhood: a part of a share %s', (_, more, trade) => {
  const home = new ImportHome().withUser();
  const rows = [
    'Activity Date,Process Date,Settle Date,Instrument,Description,Trans Code,Quantity,Price,Amount',
    '5/14/2026,,,ABC,"ABC",Sell,2,$21.00,$42.00',
    ...more,
    '5/11/2026,,,ABC,"ABC",SPL,1.5,,',
    '5/4/2026,,,ABC,"ABC",Buy,1,$40.00,($40.00)',
  ];
  const [file] = home.import(home.file('Hood.csv', rows.join('\n'))).files;
  expect(file?.platform?.unmatched).toEqual([]);
  const made = home.rows('SELECT symbol, status, quantity, open_quantity FROM trades');
  expect(made.map((row) => Object.values(row).join(' '))).toEqual([trade]);
});
