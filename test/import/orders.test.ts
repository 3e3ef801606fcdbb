/** Order ids in exports, and the resulting groups of option trades. */
import { expect, test } from 'vitest';
import { allExports, type Export, exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

/** An export in its own journal. */
function imported({ path, dates }: Pick<Export, 'path' | 'dates'>): ImportHome {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  home.import(path(), { dates });
  return home;
}

const files = new Map(allExports().map((own) => [own.label, own]));

test.each([
  // Expirations and assignments have none.
  ['tastytrade/Tasty.csv', { fills: 9, named: 6, orders: 5 }],
  ['thinkorswim/TD_Ameritrade.csv', { fills: 8, named: 8, orders: 7 }],
  ['ibkr-flex/trades.xml', { fills: 7, named: 7, orders: 7 }],
  // The legs of three combinations; other orders have no id.
  ['webull/Webull_Orders_Records_Options.csv', { fills: 9, named: 6, orders: 3 }],
  ['tradovate/Fills.csv', { fills: 8, named: 8, orders: 8 }],
  ['tradovate/Orders.csv', { fills: 7, named: 7, orders: 7 }],
  [
    'ninjatrader/NinjaTrader Grid 2026-03-04 04-10 PM.csv',
    { fills: 14, named: 6, orders: 6 },
  ],
  ['quantower/trades.csv', { fills: 6, named: 6, orders: 6 }],
  [
    'binance/Binance-Futures-Trade-History-202601201200(UTC+6)-part1-of1.csv',
    { fills: 12, named: 12, orders: 12 },
  ],
  ['kraken/trades.csv', { fills: 11, named: 11, orders: 11 }],
  ['zerodha/tradebook-own.csv', { fills: 9, named: 9, orders: 9 }],
])('fills of %s', (name, counts) => {
  const home = imported(files.get(`made-up ${name}`) as Export);
  const sql =
    'SELECT count(*) AS fills, count(order_id) AS named, count(DISTINCT order_id) AS orders FROM fills';
  expect(home.rows(sql)).toEqual([counts]);
});

test.each([
  // Ungrouped trades were opened by orders of one leg. The custom group is a call bought and two puts sold.
  ...exportsWith(
    ['tastytrade/Tasty.csv', { ungrouped: 3 }],
    [
      'tastytrade/Tasty.csv',
      {
        vertical: 53,
        'iron condor': 6,
        strangle: 2,
        diagonal: 1,
        custom: 1,
        ungrouped: 52,
      },
    ],
  ),
  ...exportsWith(
    [
      'webull/Webull_Orders_Records_Options.csv',
      { vertical: 2, 'covered call': 1, ungrouped: 2 },
    ],
    ['webull/Webull_Orders_Records_Options.csv', { vertical: 9, ungrouped: 8 }],
  ),
  ...exportsWith(
    ['thinkorswim/TD_Ameritrade.csv', { ungrouped: 0 }],
    ['thinkorswim/position-adjustment.csv', { ungrouped: 5 }],
  ),
  ...exportsWith(
    ['ibkr-flex/trades.xml', { ungrouped: 1 }],
    ['ibkr-flex/testIBFlexStatementFile02.xml', { ungrouped: 3 }],
  ),
])('option trades of $label', ({ holds, ...file }) => {
  const home = imported(file);
  const strategies = home.rows(
    'SELECT strategy, count(*) AS groups FROM trade_groups GROUP BY strategy',
  );
  const [ungrouped] = home.rows(
    "SELECT count(*) AS trades FROM trades WHERE market = 'option' AND group_id IS NULL",
  );
  const counts = strategies.map(({ strategy, groups }) => [strategy, groups]);
  expect({ ...Object.fromEntries(counts), ungrouped: ungrouped?.['trades'] }).toEqual(
    holds,
  );
});
