/**
 * Fills and records from the values of mapped rows: their ids, and trades with the
 * executions that they imply.
 */

import { hash } from 'node:crypto';
import { RowError } from '../../../errors.ts';
import { ID_PATTERN } from '../../../journal/fields.ts';
import { cashFlows } from '../../../journal/resources/cash-flows.ts';
import { trades } from '../../../journal/resources/trades.ts';
import type { Values } from '../../../journal-write/record.ts';
import { roundMoney } from '../../../money.ts';
import {
  forexPair,
  future,
  type Instrument,
  mayOpenShort,
  occOption,
  option,
  quoteOf,
} from '../../../parse/instruments.ts';
import { withoutZone } from '../../../parse/times.ts';
import { GivenMultipliers, multiplierOf } from '../../fills/multiplier.ts';
import {
  distinctIds,
  type FileFill,
  type FileFlow,
  type FileRecord,
  factsHash,
  oldestFirst,
  type StatedTotal,
  type WholeReading,
} from '../../fills/reading.ts';
import {
  closedTrades,
  pointsOf,
  type RoundTrip,
  totalOf,
  totals,
} from '../../tables/closed-trade.ts';
import type { Columns, TableDeclaration } from '../../tables/declaration.ts';
import { type FillsDeclaration, feePaidIn, inOrderOfTime } from '../../tables/fills.ts';
import type { TableRow } from '../../tables/rows.ts';
import { neededFields } from '../load.ts';
import { type Mapping, targetOf } from '../schema.ts';
import { valuesOf } from './values.ts';

// Ids of mapped records: the mapping's name with the file's own id, else with a hash of
// identifying fields.

const REFERENCES = ['trade_id', 'group_id', 'best_trade_id', 'worst_trade_id'];

/**
 * The format name of a mapping: shown in the list of imports, and the prefix of its
 * records' ids.
 */
export function formatName({ name }: Pick<Mapping, 'name'>): string {
  return `map:${name}`;
}

/**
 * Sets the id of each record in a file, and the ids of its references to records of the
 * same mapping. Equal records without an id of their own are numbered.
 */
function identifier(
  mapping: Mapping,
): (values: Values) => Pick<FileRecord, 'values' | 'hashed'> {
  const { orderBy, identity = [orderBy] } = targetOf(mapping).resource;
  const distinct = distinctIds();
  // An id with a colon belongs to another import.
  const ofFormat = (id: string) =>
    mapping.prefix_ids === false || id.includes(':')
      ? plain(id)
      : `${formatName(mapping)}:${plain(id)}`;

  return (values) => {
    const whole = { ...values };
    for (const name of REFERENCES)
      if (typeof whole[name] === 'string') whole[name] = ofFormat(whole[name]);
    const id = whole['id'];
    if (typeof id === 'string') return { values: { ...whole, id: ofFormat(id) } };

    const facts = identity.map((name) => values[name] ?? null);
    const prefix = `${formatName(mapping)}:`;
    whole['id'] = distinct(prefix + factsHash(facts.map(writtenOf)));

    return { values: whole, hashed: { prefix, facts } };
  };
}

function writtenOf(value: unknown): unknown {
  return typeof value === 'string' ? withoutZone(value) : value;
}

/** Letters, digits and . _ : ~ -. If characters are lost, a hash is appended. */
function plain(id: string): string {
  if (ID_PATTERN.test(id) && id.length <= LONGEST) return id;
  const cleaned = id.replace(/[^A-Za-z0-9._:~-]/g, '-').slice(0, LONGEST - 9);
  return `${cleaned}.${hash('sha256', id).slice(0, 8)}`;
}

/** Leaves room for the prefix. */
const LONGEST = 100;

/** The records of rows, with ids. @param currency of a row without one */
export function mappedRecords(
  rows: readonly FileRecord[],
  mapping: Mapping,
  currency: string,
): Partial<WholeReading> {
  if (mapping.target === cashFlows.path)
    return { flows: rows.map((row) => flowOf(row, currency)) };

  const identified = identifier(mapping);
  const records = rows.map(({ line, values }) => ({ line, ...identified(values) }));
  return mapping.target === trades.path
    ? mappedTrades(records, mapping, currency)
    : { records };
}

/** Without an id, a flow is known by what it states, as those of platforms are. */
function flowOf({ line, values }: FileRecord, currency: string): FileFlow {
  const { id, kind, fx_rate: rate } = values;
  const at = textOf(values, 'at');
  const amount = numberOf(values, 'amount');
  const missing = ['at', 'kind', 'amount'].filter((name) => values[name] == null);
  if (at === null || amount === null || missing.length > 0)
    throw RowError.missing(missing, line);

  return {
    line,
    id: typeof id === 'string' ? id : null,
    account: textOf(values, 'account'),
    executedAt: at,
    kind: kind as FileFlow['kind'],
    amount,
    currency: textOf(values, 'currency') ?? currency,
    symbol: textOf(values, 'symbol'),
    description: textOf(values, 'description'),
    rate: typeof rate === 'number' ? { base: currency, value: rate } : null,
  };
}

interface MappedTrade extends FileRecord {
  /** Undefined while it is open. */
  closed: RoundTrip | undefined;
}

/**
 * @param rows values from rowReader, with ids
 * @param currency of a row without one
 * @returns records, notes on trades with P&L that contradicts their prices, and the
 * file's totals
 * @throws RowError if a required value is missing
 */
function mappedTrades(
  rows: readonly FileRecord[],
  mapping: Mapping,
  currency: string,
): { records: FileRecord[]; notes: string[]; stated: StatedTotal[] } {
  const trades = rows.map((row) => tradeOf(row, mapping, currency));
  const closed = trades.flatMap((trade) => trade.closed ?? []);
  const { records, notes } = closedTrades(formatName(mapping), closed);
  const valuesOfTrade = new Map(
    closed.map((trade, index) => [trade, records[index]?.values]),
  );
  const nets = trades.flatMap(({ values: { net_pnl: amount }, closed: trade }) =>
    trade && typeof amount === 'number'
      ? [{ what: 'net' as const, currency: trade.instrument.currency, amount }]
      : [],
  );

  return {
    records: trades.map(({ line, values: { net_pnl: _, ...values }, closed: trade }) => ({
      line,
      values: trade
        ? { ...values, ...valuesOfTrade.get(trade), id: values['id'] }
        : values,
    })),
    notes,
    stated: [
      ...(mapping.fields['gross_pnl'] ? totalOf(closed, 'gross') : []),
      ...totals(nets).map((total) => ({ ...total, isRealised: true })),
    ],
  };
}

function tradeOf(
  { line, values }: FileRecord,
  mapping: Mapping,
  currency: string,
): MappedTrade {
  // If one column is the day of both entry and exit, only an exit price shows that the
  // trade is closed.
  const sharesDay =
    JSON.stringify(mapping.fields['closed_at']) ===
    JSON.stringify(mapping.fields['executed_at']);
  const isOpen =
    values['status'] === 'open' ||
    typeof values['closed_at'] !== 'string' ||
    (sharesDay && (values['exit_price'] ?? null) === null);
  const needed = [
    'symbol',
    'market',
    'executed_at',
    'quantity',
    'entry_price',
    ...(isOpen ? [] : ['exit_price']),
  ];
  const missing = needed.filter((name) => (values[name] ?? null) === null);
  if (missing.length > 0) throw RowError.missing(missing, line);

  const signed = numberOf(values, 'quantity') ?? 0;
  const quantity = Math.abs(signed);
  if (quantity === 0) throw new RowError('quantity', 'must not be 0', line);

  const side =
    (values['side'] as 'long' | 'short' | undefined) ?? (signed > 0 ? 'long' : 'short');
  const instrument = instrumentOf(values, mapping, currency);
  if (!isOpen)
    return {
      line,
      values,
      closed: closedTrade(line, values, { side, quantity, instrument }),
    };

  const { symbol, underlying } = instrument;
  const multiplier = sizeOf(instrument, line);
  const derived = {
    ...values,
    side,
    quantity,
    symbol,
    underlying,
    multiplier,
    currency: instrument.currency,
  };

  return {
    line,
    values: { ...derived, status: 'open', closed_at: null },
    closed: undefined,
  };
}

function closedTrade(
  line: number,
  values: Values,
  {
    side,
    quantity,
    instrument,
  }: Pick<RoundTrip, 'side' | 'quantity'> & { instrument: Instrument },
): RoundTrip {
  const fees = numberOf(values, 'fees') ?? 0;
  const trade: RoundTrip = {
    line,
    id: null,
    account: textOf(values, 'account'),
    instrument,
    side,
    quantity,
    entry: {
      executedAt: values['executed_at'] as string,
      price: values['entry_price'] as number,
    },
    exit: {
      executedAt: values['closed_at'] as string,
      price: values['exit_price'] as number,
    },
    gross: 0,
    fees,
    multiplier: instrument.multiplier,
  };
  const net = numberOf(values, 'net_pnl');
  const stated = numberOf(values, 'gross_pnl') ?? (net === null ? null : net + fees);
  if (stated !== null) return { ...trade, gross: roundMoney(stated) };

  const multiplier = sizeOf(instrument, line);

  return { ...trade, multiplier, gross: roundMoney(pointsOf(trade) * multiplier) };
}

/** @throws RowError if the contract size is unknown */
function sizeOf(instrument: Instrument, line: number): number {
  try {
    return multiplierOf(instrument, {
      moves: [],
      given: new GivenMultipliers(),
      stored: undefined,
    });
  } catch {
    const { symbol } = instrument;
    const remedy = `add it to the mapping, such as "multipliers": {"${symbol}": 50}`;
    throw new RowError(
      'multiplier',
      `unknown contract size for ${symbol}; ${remedy}`,
      line,
    );
  }
}

// Fills, and the instruments of all rows.

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
      if (values['quantity'] === 0)
        throw new RowError('quantity', 'must not be 0', row.line);
    },
    signed: true,
    instrument: (_, __, row) => instrumentOf(valuesOf(row, mapping), mapping, currency),
    row: (_, fill, __, row) => moreOf(fill, row, mapping),
    order: (fills) => inOrderOfTime(oldestFirst(fills)),
  };
}

function moreOf(
  { instrument, fees, quantity }: FileFill,
  row: TableRow,
  mapping: Mapping,
): Partial<FileFill> {
  const { symbol, currency } = instrument;
  const coin = symbol.endsWith(currency)
    ? symbol.slice(0, -currency.length).replace(/[/_-]$/, '')
    : symbol;
  const amount = row.value<number>('price') === null ? row.value<number>('amount') : null;
  const [gross, net] = (['gross_pnl', 'net_pnl'] as const).map((name) =>
    row.value<number>(name),
  );
  const stated = {
    ...(typeof gross === 'number' && { gross }),
    ...(typeof net === 'number' && { net }),
  };

  return {
    ...(amount !== null && { price: Math.abs(amount / Number(quantity)) }),
    fees: 0,
    ...feePaidIn(row.text('fee_currency') ?? currency, fees, { currency, coin }),
    feesStated: Object.hasOwn(mapping.fields, 'fees'),
    effect: row.value<'open' | 'close'>('effect'),
    mayShort: row.value<boolean>('may_short') ?? mayOpenShort(instrument),
    stated: Object.keys(stated).length > 0 ? stated : null,
  };
}

/** Instruments that a symbol states by itself. */
const KNOWN: Partial<
  Record<Instrument['market'], (symbol: string) => Instrument | undefined>
> = {
  future,
  forex: forexPair,
};

/**
 * The traded instrument: a future has its root; a future or pair its own currency; an
 * option its symbol for all formats.
 */
function instrumentOf(values: Values, mapping: Mapping, currency: string): Instrument {
  const symbol = values['symbol'] as string;
  const market = values['market'] as Instrument['market'];
  const known = KNOWN[market]?.(symbol);
  const underlying = textOf(values, 'underlying') ?? known?.underlying ?? null;
  const expiration = textOf(values, 'expiration');
  const strike = numberOf(values, 'strike');
  const optionType =
    (values['option_type'] as Instrument['optionType'] | undefined) ?? null;
  const terms = {
    currency:
      textOf(values, 'currency') ??
      known?.currency ??
      (market === 'crypto' ? quoteCurrencyOf(symbol) : undefined) ??
      currency,
    multiplier:
      numberOf(values, 'multiplier') ?? givenMultiplier(mapping, symbol, underlying),
  };
  const named = strike === null ? occOption(symbol) : undefined;
  if (named) return option(named, terms);
  if (
    market === 'option' &&
    underlying !== null &&
    expiration !== null &&
    strike !== null &&
    optionType !== null
  ) {
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

function givenMultiplier(
  { multipliers = {} }: Mapping,
  symbol: string,
  underlying: string | null,
): number | null {
  for (const name of [symbol, underlying]) {
    const [, number] =
      Object.entries(multipliers).find(
        ([known]) => known.toUpperCase() === name?.toUpperCase(),
      ) ?? [];
    if (number !== undefined) return number;
  }
  return null;
}

function textOf(values: Values, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' ? value : null;
}

function numberOf(values: Values, name: string): number | null {
  const value = values[name];
  return typeof value === 'number' ? value : null;
}
