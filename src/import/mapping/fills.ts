/** Fills from the values of mapped rows. */

import { RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { type FileFill, fill } from '../fills/reading.ts';
import { forexPair, future, type Instrument, occOption, option, quoteOf } from '../parse/instruments.ts';
import { neededFields } from './load.ts';
import type { Mapping } from './schema.ts';

/** Markets in which a sell may open a position by default. */
const SHORTED: readonly unknown[] = ['future', 'forex', 'cfd'];

/**
 * @param values of a row, from rowReader
 * @param currency of a row without one
 * @throws RowError if a required value is missing
 */
export function mappedFill(values: Values, line: number, mapping: Mapping, currency: string): FileFill {
  const missing = neededFields(mapping).filter((name) => (values[name] ?? null) === null);
  if (missing.length > 0) throw RowError.missing(missing, line);
  const quantity = values['quantity'] as number;
  if (quantity === 0) throw new RowError('quantity', 'must not be 0', line);
  const { gross_pnl: gross, net_pnl: net } = values as Record<string, number | null>;
  const instrument = instrumentOf(values, mapping, currency);
  return fill({
    line,
    executionId: textOf(values, 'execution_id'),
    account: textOf(values, 'account'),
    instrument,
    executedAt: values['executed_at'] as string,
    side: (values['side'] as 'buy' | 'sell' | undefined) ?? (quantity > 0 ? 'buy' : 'sell'),
    quantity: Math.abs(quantity),
    price: (values['price'] as number | undefined) ?? Math.abs((values['amount'] as number) / quantity),
    ...feesOf(values, instrument),
    feesStated: Object.hasOwn(mapping.fields, 'fees'),
    effect: (values['effect'] as FileFill['effect'] | undefined) ?? null,
    mayShort: (values['may_short'] as boolean | undefined) ?? SHORTED.includes(instrument.market),
    stated:
      typeof gross === 'number' || typeof net === 'number'
        ? { ...(typeof gross === 'number' ? { gross } : {}), ...(typeof net === 'number' ? { net } : {}) }
        : null,
  });
}

/** In the price's currency unless the row names another. Fees in the traded coin make the position smaller. */
function feesOf(values: Values, { symbol, currency }: Instrument): Partial<FileFill> {
  const fees = (values['fees'] as number | undefined) ?? 0;
  const paidIn = textOf(values, 'fee_currency') ?? currency;
  if (fees === 0 || paidIn === currency) return { fees };
  const traded = symbol.endsWith(currency) ? symbol.slice(0, -currency.length).replace(/[/_-]$/, '') : symbol;
  return paidIn === traded ? { feeQuantity: fees } : { otherFee: { amount: fees, currency: paidIn } };
}

/** The traded instrument: a future has its root; a future or pair its own currency; an option its symbol for all formats. */
export function instrumentOf(values: Values, mapping: Mapping, currency: string): Instrument {
  const symbol = values['symbol'] as string;
  const market = values['market'] as Instrument['market'];
  const known = market === 'future' ? future(symbol) : market === 'forex' ? forexPair(symbol) : undefined;
  const underlying = textOf(values, 'underlying') ?? known?.underlying ?? null;
  const expiration = textOf(values, 'expiration');
  const strike = (values['strike'] as number | null | undefined) ?? null;
  const optionType = (values['option_type'] as Instrument['optionType'] | undefined) ?? null;
  const terms = {
    currency:
      (values['currency'] as string | undefined) ??
      known?.currency ??
      (market === 'crypto' ? quoteCurrencyOf(symbol) : undefined) ??
      currency,
    multiplier: (values['multiplier'] as number | undefined) ?? givenMultiplier(mapping, symbol, underlying),
  };
  const named = strike === null ? occOption(symbol) : undefined;
  if (named) return option(named, terms);
  if (market === 'option' && underlying !== null && expiration !== null && strike !== null && optionType !== null) {
    return option({ underlying, expiration, strike, optionType }, terms);
  }
  return { symbol, market, underlying, expiration, strike, optionType, ...terms };
}

/** The quote currency of a pair; undefined if unknown. */
function quoteCurrencyOf(symbol: string): string | undefined {
  try {
    return quoteOf({ text: symbol, column: 'symbol', line: 0 });
  } catch {
    return undefined;
  }
}

function givenMultiplier({ multipliers = {} }: Mapping, symbol: string, underlying: string | null): number | null {
  for (const name of [symbol, underlying]) {
    const [, number] = Object.entries(multipliers).find(([own]) => own.toUpperCase() === name?.toUpperCase()) ?? [];
    if (number !== undefined) return number;
  }
  return null;
}

function textOf(values: Values, name: string): string | null {
  return (values[name] as string | null | undefined) ?? null;
}
