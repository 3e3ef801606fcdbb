/** Traded instruments, built from the symbols and columns of exports. */
import type { Trade } from '../../journal/resources/trades.ts';
import { isDate } from '../../time.ts';
import { contractSize, futureOf } from './contract-sizes.ts';

export interface Instrument {
  /** The platform's own; for an option "SPY 2026-06-19 C450" in every format. */
  symbol: string;
  market: Trade['market'];
  /** The root of a future (MNQ), the underlying of an option. */
  underlying: string | null;
  /** A date: 2026-06-19. */
  expiration: string | null;
  strike: number | null;
  optionType: 'call' | 'put' | null;
  /**
   * Money per point and unit, if the file states it. Null: derived from P&L and prices, else from the table of
   * contract sizes (1 for stock, crypto and forex spot, 100 for options); otherwise the import stops and asks.
   */
  multiplier: number | null;
  /** Currency of the price and the P&L. */
  currency: string;
}

export function stock(symbol: string, currency = 'USD'): Instrument {
  return plain(symbol, 'stock', currency);
}

/**
 * Coins, or a perpetual contract counted in coins.
 * @param currency of the price
 */
export function coins(symbol: string, currency: string): Instrument {
  return plain(symbol, 'crypto', currency);
}

/** A future by its symbol in any spelling, in its exchange's currency, else in USD. */
export function future(symbol: string): Instrument {
  const root = futureOf(symbol)?.root ?? null;
  const currency = root === null ? undefined : contractSize(root)?.currency;
  return { ...plain(symbol, 'future', currency ?? 'USD'), underlying: root };
}

/** @param currency of the price, or of the P&L */
export function cfd(symbol: string, currency: string): Instrument {
  return plain(symbol, 'cfd', currency);
}

/** Currencies in forex pairs on the platforms; some add metals. */
const CURRENCIES =
  'AUD BRL CAD CHF CNH CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PLN RON RUB SEK SGD THB TRY USD ZAR'.split(' ');

/** @returns a pair such as EURUSD, EUR/USD or eurusd.m, priced in its second currency; undefined for other symbols */
export function forexPair(symbol: string): Instrument | undefined {
  const [, base = '', quoted = ''] = /^([A-Z]{3})[/.]?([A-Z]{3})(?![A-Z]{2})/.exec(symbol.toUpperCase()) ?? [];
  if (!CURRENCIES.includes(base) || !CURRENCIES.includes(quoted)) return undefined;
  return plain(symbol, 'forex', quoted);
}

const OCC = /^-?([A-Z.]{1,6}\d?) *(\d\d)(\d\d)(\d\d)([CP])(\d{8}|\d{1,5}(?:\.\d{1,3})?)$/;

/** The option of an OCC symbol, full or as brokers shorten it: SPY260619C00450000, -SPY260619C450. */
export function occOption(symbol: string): Parameters<typeof option>[0] | undefined {
  const [, underlying, year, month, day, letter, strike = ''] = OCC.exec(symbol) ?? [];
  const expiration = `20${year}-${month}-${day}`;
  if (underlying === undefined || !isDate(expiration)) return undefined;
  const optionType = letter === 'C' ? 'call' : 'put';
  return { underlying, expiration, strike: Number(strike) / (strike.length === 8 ? 1000 : 1), optionType };
}

/**
 * @param contract strike in the currency, expiration as 2026-06-19
 * @param more currency and multiplier if the file states them; default: USD and the usual contract size of options
 * @returns the option with its symbol for all formats: SPY 2026-06-19 C450
 */
export function option(
  contract: { underlying: string; expiration: string; strike: number; optionType: 'call' | 'put' },
  more: Partial<Pick<Instrument, 'currency' | 'multiplier'>> = {},
): Instrument {
  const { underlying, expiration, strike, optionType } = contract;
  const symbol = `${underlying} ${expiration} ${optionType === 'call' ? 'C' : 'P'}${strike}`;
  return { symbol, market: 'option', ...contract, multiplier: null, currency: 'USD', ...more };
}

function plain(symbol: string, market: Instrument['market'], currency: string): Instrument {
  return {
    symbol,
    market,
    underlying: null,
    expiration: null,
    strike: null,
    optionType: null,
    multiplier: null,
    currency,
  };
}
