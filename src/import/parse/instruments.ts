/** What was traded, put together from what exports say of it. */

import type { Trade } from '../../journal/resources/trades.ts';
import { isDate } from '../../time.ts';
import { contractSize, futureOf } from './contract-sizes.ts';

/** What was traded. */
export interface Instrument {
  /** As the platform writes it; an option is "SPY 2026-06-19 C450" in every format. */
  symbol: string;
  market: Trade['market'];
  /** The root of a future (MNQ), the underlying of an option. */
  underlying: string | null;
  /** A date: 2026-06-19. */
  expiration: string | null;
  strike: number | null;
  optionType: 'call' | 'put' | null;
  /**
   * Money per point and unit, where the file states it. Null: worked out from P&L and prices, else from the table of
   * contract sizes (1 for stock, crypto and forex spot, 100 for options), else the import stops and asks.
   */
  multiplier: number | null;
  /** Currency of the price and the P&L. */
  currency: string;
}

export function stock(symbol: string, currency = 'USD'): Instrument {
  return plain(symbol, 'stock', currency);
}

/**
 * Coins, or a perpetual contract that is counted in coins.
 * @param currency what the price is in
 */
export function coins(symbol: string, currency: string): Instrument {
  return plain(symbol, 'crypto', currency);
}

/** A future by its symbol in any spelling, in the currency that its exchange gives it, else in USD. */
export function future(symbol: string): Instrument {
  const root = futureOf(symbol)?.root ?? null;
  const currency = root === null ? undefined : contractSize(root)?.currency;
  return { ...plain(symbol, 'future', currency ?? 'USD'), underlying: root };
}

/** @param currency what the price is in, or the money that it makes */
export function cfd(symbol: string, currency: string): Instrument {
  return plain(symbol, 'cfd', currency);
}

/** Currencies that platforms offer pairs of; some count metals among them. */
const CURRENCIES =
  'AUD BRL CAD CHF CNH CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PLN RON RUB SEK SGD THB TRY USD ZAR'.split(' ');

/** @returns a pair such as EURUSD, EUR/USD or eurusd.m, with prices in its second currency; undefined where it is none */
export function forexPair(symbol: string): Instrument | undefined {
  const [, base = '', quoted = ''] = /^([A-Z]{3})[/.]?([A-Z]{3})(?![A-Z]{2})/.exec(symbol.toUpperCase()) ?? [];
  if (!CURRENCIES.includes(base) || !CURRENCIES.includes(quoted)) return undefined;
  return plain(symbol, 'forex', quoted);
}

const OCC = /^-?([A-Z.]{1,6}\d?) *(\d\d)(\d\d)(\d\d)([CP])(\d{8}|\d{1,5}(?:\.\d{1,3})?)$/;

/** The option that a symbol is of by the OCC's way of naming it, or as brokers shorten it: SPY260619C00450000, -SPY260619C450. */
export function occOption(symbol: string): Parameters<typeof option>[0] | undefined {
  const [, underlying, year, month, day, letter, strike = ''] = OCC.exec(symbol) ?? [];
  const expiration = `20${year}-${month}-${day}`;
  if (underlying === undefined || !isDate(expiration)) return undefined;
  const optionType = letter === 'C' ? 'call' : 'put';
  return { underlying, expiration, strike: Number(strike) / (strike.length === 8 ? 1000 : 1), optionType };
}

/**
 * @param contract strike in the currency, expiration as 2026-06-19
 * @param more what the file states beside; else USD, and the multiplier that options have
 * @returns the option under the one symbol that it has in every format: SPY 2026-06-19 C450
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
