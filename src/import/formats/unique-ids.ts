/**
 * Formats whose execution ids are unique on their platform; those of others are unique only within
 * account, instrument and day. By name, so that undo knows it without loading their readers.
 */
export const UNIQUE_IDS: ReadonlySet<string> = new Set([
  'tradovate',
  'tradovate-fills',
  'tradovate-orders',
  'tradovate-cash',
  'xtb-cash',
  'etoro',
  'kraken',
  'kraken-ledgers',
  'kraken-futures',
  'coinbase',
  'coinbase-transactions',
  'binance',
  'bybit-trades',
  'bybit-spot',
  'bybit-log',
  'hyperliquid',
  'okx',
  'bitvavo',
  'trade-republic',
  'webull',
]);

export function hasUniqueIds(format: string): boolean {
  return UNIQUE_IDS.has(format);
}
