/**
 * Kraken's names of assets and pairs. Exports of 2025 and later name a pair XBT/EUR;
 * earlier ones XXBTZEUR, where older assets have a prefix, or ADAEUR. All are one
 * instrument. The journal's name is the present one, with XBT and XDG as Kraken's trades
 * have them, though its ledgers may have BTC.
 */

/** Formats whose files have these names. */
export const KRAKEN_FORMATS: readonly string[] = ['kraken', 'kraken-ledgers'];

/** Coins that earlier files prefix with X: no other name loses its first letter. */
const COINS = [
  'DAO',
  'ETC',
  'ETH',
  'ICN',
  'LTC',
  'MLN',
  'NMC',
  'REP',
  'XBT',
  'XDG',
  'XLM',
  'XMR',
  'XRP',
  'XVN',
  'ZEC',
];

/** Currencies that earlier files prefix with Z. */
const CURRENCIES = ['AUD', 'CAD', 'EUR', 'GBP', 'JPY', 'KRW', 'USD'];

const OLDER: ReadonlyMap<string, string> = new Map([
  ...COINS.map((name) => [`X${name}`, name] as const),
  ...CURRENCIES.map((name) => [`Z${name}`, name] as const),
]);

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['BTC', 'XBT'],
  ['DOGE', 'XDG'],
]);

const APART = /^([^/]+)\/([A-Z0-9]{2,10})$/;

/** Two older names; USDTZUSD alone has a prefix in its currency only. */
const OLDER_PAIR = /^([XZ][A-Z]{3}|USDT(?=ZUSD))([XZ][A-Z]{3})$/;

/** Currencies of pairs without a separator. */
const JOINED =
  /^([A-Z0-9]{2,12}?)(USDT|USDC|DAI|USD|EUR|GBP|CAD|AUD|JPY|CHF|XBT|BTC|ETH)$/;

/** XRPRLUSD may be XRP in RLUSD, or XRPRL in USD. */
const UNSURE = /(?:FD|PY|RL)USD$/;

/** The present name of an asset: XBT of XXBT and BTC, but ZETA of ZETA. */
export function assetName(asset: string): string {
  const name = OLDER.get(asset) ?? asset;
  return SYNONYMS.get(name) ?? name;
}

/** The present name of a pair; the same name if splitting it would be a guess. */
export function pairName(pair: string): string {
  const [base, quote] = partsOf(pair);
  if (base === undefined || quote === undefined) return pair;
  return `${assetName(base)}/${assetName(quote)}`;
}

/**
 * The present name of a pair in the older form, in any letter case; undefined for another
 * symbol. Only Kraken has this form, so it names the same pair in any journal.
 */
export function presentName(symbol: string): string | undefined {
  const pair = symbol.toUpperCase();
  return olderParts(pair) && pairName(pair);
}

/**
 * The symbols that a filter by a symbol selects: itself, and of a pair in the older form
 * its present name.
 */
export function selectedSymbols(symbol: string): string[] {
  const present = presentName(symbol);
  return present === undefined ? [symbol] : [symbol, present];
}

/** Equal for all names of a pair, those that can't be split included. */
export function pairKey(pair: string): string {
  return pairName(pair.toUpperCase()).replace('/', '').toLowerCase();
}

function partsOf(pair: string): readonly string[] {
  const apart = APART.exec(pair);
  if (apart) return apart.slice(1);

  if (OLDER_PAIR.test(pair)) return olderParts(pair) ?? [];
  return UNSURE.test(pair) ? [] : (JOINED.exec(pair)?.slice(1) ?? []);
}

/** Both names of a pair in the older form; undefined if either is unknown. */
function olderParts(pair: string): readonly string[] | undefined {
  const names = OLDER_PAIR.exec(pair)?.slice(1);
  const isKnown = names?.every((name) => OLDER.has(name) || name === 'USDT');
  return isKnown ? names : undefined;
}
