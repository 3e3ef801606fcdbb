/** The orders that exports name: how many of a file's fills have one, and of how many orders they are. */
import { expect, test } from 'vitest';
import { allExports } from './exports.ts';
import { ImportHome } from './home.ts';

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
  ['ninjatrader/NinjaTrader Grid 2026-03-04 04-10 PM.csv', { fills: 14, named: 6, orders: 6 }],
  ['quantower/trades.csv', { fills: 6, named: 6, orders: 6 }],
  ['binance/Binance-Futures-Trade-History-202601201200(UTC+6)-part1-of1.csv', { fills: 12, named: 12, orders: 12 }],
  ['kraken/trades.csv', { fills: 11, named: 11, orders: 11 }],
  ['zerodha/tradebook-own.csv', { fills: 9, named: 9, orders: 9 }],
])('%s', (name, counts) => {
  const file = files.get(`made-up ${name}`);
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  home.import(String(file?.path()));
  const sql = 'SELECT count(*) AS fills, count(order_id) AS named, count(DISTINCT order_id) AS orders FROM fills';
  expect(home.rows(sql)).toEqual([counts]);
});
