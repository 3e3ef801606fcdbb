/**
 * What is known of platforms by the names of their formats: undo and renames need it
 * without a reader.
 */

/**
 * Formats of one platform, whose fills are walked together; those of another format are
 * alone.
 */
const FORMATS_OF: Readonly<Record<string, readonly string[]>> = {
  tradovate: ['tradovate', 'tradovate-fills', 'tradovate-orders', 'tradovate-cash'],
  topstepx: ['topstepx', 'topstepx-orders'],
  rithmic: ['rithmic-orders', 'rithmic'],
  tradingview: ['tradingview-orders', 'tradingview-balance'],
  xtb: ['xtb-cash'],
  ninjatrader: ['ninjatrader-performance', 'ninjatrader'],
  tastytrade: ['tastytrade-older'],
  ibkr: ['ibkr-transactions', 'ibkr-activity', 'ibkr-flex'],
  thinkorswim: ['thinkorswim-activity'],
  questrade: ['questrade-edge'],
  revolut: ['revolut-older'],
  kraken: ['kraken-ledgers'],
  coinbase: ['coinbase-transactions'],
  'binance-spot': ['binance-spot', 'binance-orders', 'binance-transactions'],
  bybit: ['bybit', 'bybit-trades', 'bybit-spot', 'bybit-log'],
  zerodha: ['zerodha', 'zerodha-orders'],
  fyers: ['fyers-api'],
  groww: ['groww-orders'],
};

const PLATFORMS = new Map(
  Object.entries(FORMATS_OF).flatMap(([platform, formats]) =>
    formats.map((format) => [format, platform] as const),
  ),
);

/** Undefined for a format that is its own platform. */
export function statedPlatformOf(format: string): string | undefined {
  return PLATFORMS.get(format);
}

export function platformOfFormat(format: string): string {
  return PLATFORMS.get(format) ?? format;
}

/**
 * Formats whose execution ids are unique on their platform; those of others are unique
 * only within account, instrument and day.
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
