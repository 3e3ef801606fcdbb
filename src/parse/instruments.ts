/** Traded instruments, built from the symbols and columns of exports. */

import { RowError } from '../errors.ts';
import { contractSize, futureOf } from '../journal/derivatives.ts';
import type { Trade } from '../journal/resources/trades.ts';
import { isDate, monthNamed } from '../time.ts';
import { type Cell, numberIn, partOf, refuseEmpty, wordIn } from './cells.ts';
import { type DateOrder, dateIn } from './times.ts';

// Quote currencies of pairs of coins or currencies.

/** Quote currencies of pairs without a separator. */
const JOINED_QUOTES = [
  'FDUSD',
  'PYUSD',
  'RLUSD',
  'BUSD',
  'TUSD',
  'USDT',
  'USDC',
  'USDE',
  'DAI',
  'USD',
  'EUR',
  'GBP',
  'JPY',
  'CHF',
  'CAD',
  'AUD',
  'TRY',
  'BRL',
  'BIDR',
  'UAH',
  'PLN',
  'ZAR',
  'BTC',
  'XBT',
  'ETH',
  'BNB',
  'SOL',
  'TRX',
  'DOGE',
  'DOT',
];

/**
 * Coins with a last letter that turns a following USD into another coin: DOTUSD isn't DO
 * in TUSD.
 */
const IN_DOLLARS = new Set([
  'USDT',
  'DOT',
  'GRT',
  'BAT',
  'ANT',
  'LPT',
  'APT',
  'MNT',
  'QNT',
  'SNT',
  'OXT',
  'BNT',
  'FTT',
  'HNT',
  'GMT',
  'JST',
  'NXT',
  'HFT',
  'BIT',
  'GST',
  'FLT',
  'ACT',
  'CAT',
  'WCT',
  'LIT',
  'BNB',
  'SHIB',
  'ARB',
  'TRB',
  'ORB',
  'BOB',
]);

/**
 * The quote currency of a pair: BTC-USD, ETH/BTC and ETHUSDT.
 * @param isQuote whether the platform has pairs in this currency
 * @throws RowError if it is unknown
 */
export function quoteOf(
  { text, column, line }: Cell,
  isQuote: (quote: string) => boolean = () => true,
): string {
  const apart = /^[^-/_]+[-/_]([A-Z0-9]{2,10})$/.exec(text)?.[1];
  const inDollars =
    text.endsWith('USD') && IN_DOLLARS.has(text.slice(0, -3)) ? 'USD' : undefined;
  const quote =
    apart ??
    inDollars ??
    JOINED_QUOTES.find(
      (name) => text.endsWith(name) && text.length > name.length && isQuote(name),
    );
  if (quote !== undefined) return quote === 'XBT' ? 'BTC' : quote;

  throw new RowError(
    column,
    `must be a pair with a known quote currency, such as BTCUSDT; got "${text}"`,
    line,
  );
}

/**
 * Sorts the currencies of a trade, its quote currency first: one of a country that isn't
 * listed comes before those listed, and a coin after them.
 * @param quotes possible ones by precedence
 */
export function byPrecedence(
  quotes: readonly string[],
): (a: string, b: string) => number {
  const rank = (name: string) => {
    if (quotes.includes(name)) return quotes.indexOf(name);
    return FOREX_CURRENCIES.includes(name) || COIN_CURRENCIES.includes(name)
      ? -1
      : quotes.length;
  };
  return (a, b) => rank(a) - rank(b);
}

/** The traded coin of a pair such as BTC-USDT, BTC_USDT, BTC/USDT and BTCUSDT. */
export function coinOf({
  symbol,
  currency,
}: Pick<Instrument, 'symbol' | 'currency'>): string {
  return symbol.slice(0, symbol.length - currency.length).replace(/[-/_]$/, '');
}

/** Error for a contract with a P&L in its coin. */
export function settledInCoins({ column, line }: Cell): RowError {
  return new RowError(
    column,
    'a contract settled in coins, which this format does not read; remove its rows',
    line,
  );
}

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
   * Money per point and unit, if the file states it. Null: derived from P&L and prices,
   * else from the table of contract sizes (1 for stock, crypto and forex spot, 100 for
   * options); otherwise the import stops and asks.
   */
  multiplier: number | null;
  /** Currency of the price and the P&L. */
  currency: string;
}

/** Whether any sell may open a position in its market. */
export const mayOpenShort = ({ market }: Pick<Instrument, 'market'>) =>
  market === 'future' || market === 'forex' || market === 'cfd';

/** An instrument as the columns of fills and trades. */
export function instrumentColumns(instrument: Omit<Instrument, 'multiplier'>) {
  const { symbol, market, currency, underlying, expiration, strike, optionType } =
    instrument;
  return {
    symbol,
    market,
    currency,
    underlying,
    expiration,
    strike,
    option_type: optionType,
  };
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
const FOREX_CURRENCIES = [
  'AUD',
  'BRL',
  'CAD',
  'CHF',
  'CNH',
  'CZK',
  'DKK',
  'EUR',
  'GBP',
  'HKD',
  'HUF',
  'ILS',
  'JPY',
  'MXN',
  'NOK',
  'NZD',
  'PLN',
  'RON',
  'RUB',
  'SEK',
  'SGD',
  'THB',
  'TRY',
  'USD',
  'ZAR',
];

/** Other currencies of countries that coins are bought for; no forex pair has them. */
const COIN_CURRENCIES = [
  'AED',
  'ARS',
  'BGN',
  'CLP',
  'COP',
  'EGP',
  'GEL',
  'GHS',
  'IDR',
  'INR',
  'KES',
  'KRW',
  'KZT',
  'NGN',
  'PEN',
  'PHP',
  'SAR',
  'TWD',
  'UAH',
  'UGX',
  'VND',
];

/**
 * @returns a pair such as EURUSD, EUR/USD or eurusd.m, priced in its second currency;
 * undefined for other symbols
 */
export function forexPair(symbol: string): Instrument | undefined {
  const [, base = '', quoted = ''] =
    /^([A-Z]{3})[/.]?([A-Z]{3})(?![A-Z]{2})/.exec(symbol.toUpperCase()) ?? [];
  if (![base, quoted].every((name) => FOREX_CURRENCIES.includes(name))) return undefined;
  return plain(symbol, 'forex', quoted);
}

type Contract = {
  underlying: string;
  expiration: string;
  strike: number;
  optionType: 'call' | 'put';
};

/** A currency pair or another contract, both with a P&L in the account's currency. */
export function cfdOrPair(symbol: string, currency: string): Instrument {
  return { ...(forexPair(symbol) ?? cfd(symbol, currency)), currency };
}

const OCC = /^-?([A-Z.]{1,6}\d?) *(\d\d)(\d\d)(\d\d)([CP])(\d{8}|\d{1,5}(?:\.\d{1,3})?)$/;

/**
 * The option of an OCC symbol, full or as brokers shorten it: SPY260619C00450000,
 * -SPY260619C450.
 */
export function occOption(symbol: string): Contract | undefined {
  const [, underlying, year, month, day, letter, strike = ''] = OCC.exec(symbol) ?? [];
  const expiration = `20${year}-${month}-${day}`;
  if (underlying === undefined || !isDate(expiration)) return undefined;

  const optionType = letter === 'C' ? 'call' : 'put';
  return {
    underlying,
    expiration,
    strike: Number(strike) / (strike.length === 8 ? 1000 : 1),
    optionType,
  };
}

/**
 * @param contract strike in the currency, expiration as 2026-06-19
 * @param more currency and multiplier if the file states them; default: USD and the usual
 * contract size of options
 * @returns the option with its symbol for all formats: SPY 2026-06-19 C450
 */
export function option(
  contract: Contract,
  more: Partial<Pick<Instrument, 'currency' | 'multiplier'>> = {},
): Instrument {
  const { underlying, expiration, strike, optionType } = contract;
  const symbol = `${underlying} ${expiration} ${optionType === 'call' ? 'C' : 'P'}${strike}`;
  return {
    symbol,
    market: 'option',
    ...contract,
    multiplier: null,
    currency: 'USD',
    ...more,
  };
}

const OPTION_TYPES = { Call: 'call', Put: 'put', C: 'call', P: 'put' } as const;

/**
 * An option by the cells of its terms.
 * @param order of the expiration's parts
 * @throws RowError if a cell is empty or can't be read
 */
export function optionOf(
  {
    underlying,
    expiration,
    strike,
    type,
  }: { underlying: string } & Record<'expiration' | 'strike' | 'type', Cell>,
  order: DateOrder,
  more: Parameters<typeof option>[1] = {},
): Instrument {
  refuseEmpty(expiration, strike, type);
  const contract = {
    underlying,
    expiration: dateIn(expiration, order),
    strike: numberIn(strike),
  };
  return option({ ...contract, optionType: wordIn(type, OPTION_TYPES) }, more);
}

/**
 * An option by its terms in a text.
 * @param patterns with the groups underlying, strike, type (C, call, P or put) and either
 * expiration, or day, month (its number or three letters) and year; the first that
 * matches is used
 * @param order of the expiration's parts
 * @returns undefined if none matches; a strike of eight digits is in thousandths
 * @throws RowError for a day that doesn't exist
 */
export function optionIn(
  cell: Cell,
  patterns: readonly RegExp[],
  more: Parameters<typeof option>[1] & { order?: DateOrder } = {},
): Instrument | undefined {
  const { order = 'ymd', ...terms } = more;
  for (const pattern of patterns) {
    const {
      underlying,
      strike,
      type,
      expiration,
      day,
      month = '',
      year,
    } = pattern.exec(cell.text)?.groups ?? {};
    const number = /^\d/.test(month) ? month : monthNamed(month);
    const date =
      expiration ??
      (number && `${year?.padStart(4, '20')}-${number}-${day?.padStart(2, '0')}`);
    if (underlying === undefined || date === undefined) continue;

    const contract = { underlying, expiration: dateIn(partOf(cell, date), order) };
    const price =
      numberIn(partOf(cell, strike)) / (/^\d{8}$/.test(strike ?? '') ? 1000 : 1);

    return option(
      { ...contract, strike: price, optionType: /^c/i.test(type ?? '') ? 'call' : 'put' },
      terms,
    );
  }

  return undefined;
}

function plain(
  symbol: string,
  market: Instrument['market'],
  currency: string,
): Instrument {
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
