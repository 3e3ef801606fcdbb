/** Fills from the values of mapped rows. */

import { RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { type FileFill, oldestFirst } from '../fills/reading.ts';
import { forexPair, future, type Instrument, occOption, option, quoteOf } from '../parse/instruments.ts';
import type { Columns, TableDeclaration } from '../table/declaration.ts';
import { type FillsDeclaration, feePaidIn, inOrderOfTime } from '../table/fills.ts';
import type { TableRow } from '../table/rows.ts';
import { neededFields } from './load.ts';
import type { Mapping } from './schema.ts';
import { valuesOf } from './values.ts';

/** Markets in which a sell may open a position by default. */
const SHORTED: readonly unknown[] = ['future', 'forex', 'cfd'];

/** What a mapping's fills have besides the columns of any table of fills. */
export function fillHooks(
  mapping: Mapping,
  currency: string,
): Omit<FillsDeclaration<Columns>, keyof TableDeclaration<Columns>> {
  const needed = neededFields(mapping);
  return {
    check(row) {
      const values = valuesOf(row, mapping);
      const missing = needed.filter((name) => (values[name] ?? null) === null);
      if (missing.length > 0) throw RowError.missing(missing, row.line);
      if (values['quantity'] === 0) throw new RowError('quantity', 'must not be 0', row.line);
    },
    signed: true,
    instrument: (_, __, row) => instrumentOf(valuesOf(row, mapping), mapping, currency),
    row: (_, own, __, row) => moreOf(own, row, mapping),
    order: (fills) => inOrderOfTime(oldestFirst(fills)),
  };
}

function moreOf({ instrument, fees, quantity }: FileFill, row: TableRow, mapping: Mapping): Partial<FileFill> {
  const { symbol, currency } = instrument;
  const coin = symbol.endsWith(currency) ? symbol.slice(0, -currency.length).replace(/[/_-]$/, '') : symbol;
  const amount = row.value<number>('price') === null ? row.value<number>('amount') : null;
  const [gross, net] = (['gross_pnl', 'net_pnl'] as const).map((name) => row.value<number>(name));
  const stated = { ...(typeof gross === 'number' && { gross }), ...(typeof net === 'number' && { net }) };
  return {
    ...(amount !== null && { price: Math.abs(amount / Number(quantity)) }),
    ...{ fees: 0, ...feePaidIn(row.text('fee_currency') ?? currency, fees, { currency, coin }) },
    feesStated: Object.hasOwn(mapping.fields, 'fees'),
    effect: row.value<'open' | 'close'>('effect'),
    mayShort: row.value<boolean>('may_short') ?? SHORTED.includes(instrument.market),
    stated: Object.keys(stated).length > 0 ? stated : null,
  };
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
