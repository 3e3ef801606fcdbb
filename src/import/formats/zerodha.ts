/**
 * Zerodha: the tradebook of shares, that of futures and options, which has an expiry
 * date, and Kite's orders.
 */

import {
  byMeaning,
  type Cell,
  cellError,
  numberIn,
  orNothing,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import { readCsv } from '../../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../../parse/instruments.ts';
import { dateIn, usualZone } from '../../parse/times.ts';
import { oldestFirst } from '../fills/reading.ts';
import type { Zone } from '../tables/clock.ts';
import { ORDERS, optional } from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import type { ReadContext } from '../tables/format.ts';
import { KNOWN } from './known.ts';

/** 2024-04-01T09:57:47; in older files a time of day with a separate date. */
const TIME = ['order_execution_time', 'Order Execution Time'];

/**
 * Quantities of shares, and of futures and options on them, are in units; of currencies
 * and commodities in lots.
 */
const SEGMENTS = {
  EQ: 'units',
  MF: 'units',
  FO: 'units',
  CDS: 'lots',
  BCD: 'lots',
  COM: 'lots',
  MCX: 'lots',
} as const;

export const zerodha = fillsTable({
  ...KNOWN.zerodha,
  columns: {
    symbol: 'symbol',
    segment: 'segment',
    side: ['trade_type', 'Trade Type'],
    quantity: 'quantity',
    price: 'price',
    execution_id: ['trade_id', 'Trade ID'],
    order_id: optional(['order_id', 'Order ID']),
    executed_at: { column: TIME, day: 'date' },
    date: { column: ['trade_date', 'Trade Date'], optional: 'cells' },
    expiration: { column: ['expiry_date', 'Expiry Date'], optional: true },
  },
  dates: 'ymd',
  zone: zoneOf,
  instrument: ({ symbol, segment, expiration }) =>
    instrumentIn(symbol, segment, expiration),
  row: (_, { instrument }) => ({ mayShort: instrument.market !== 'stock' }),
  order: (fills) => inOrderOfTime(oldestFirst(fills)),
  hasFees: false,
});

/** The given zone, else that of the exchanges, which are all in India. */
export function zoneOf(_: string, context: ReadContext): Zone {
  return usualZone(context, 'Asia/Kolkata', 'the zone of the exchanges');
}

const FUTURE = /^(.+?)\d\d(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(?:\d\d)?FUT$/;
const MONTHLY =
  /^(.+?)(\d\d)(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(\d+(?:\.\d+)?)(CE|PE)$/;
/**
 * BANKNIFTY2311241700PE expires on 12 January 2023: October to December are O, N and D.
 */
const WEEKLY = /^([A-Z&-]+?)(\d\d)([1-9OND])(\d\d)(\d+(?:\.\d+)?)(CE|PE)$/;
const MONTHS = '123456789OND';

function instrumentIn(symbol: Cell, segment: Cell, expiry: Cell | undefined): Instrument {
  const unit = wordIn(segment, SEGMENTS);
  if (segment.text === 'EQ' || segment.text === 'MF') return equity(symbol.text);
  const expiration = (expiry && orNothing(expiry, (cell) => dateIn(cell, 'ymd'))) ?? null;
  // The lot size of a currency or commodity must come from --multiplier.
  return derivative(symbol, expiration, unit === 'units' ? 1 : null);
}

export function equity(symbol: string): Instrument {
  return { ...stock(symbol, 'INR'), multiplier: 1 };
}

/** A share, a future or an option, counted in units. */
export function unitsOf(symbol: Cell): Instrument {
  return isDerivative(symbol) ? derivative(symbol, null, 1) : equity(symbol.text);
}

function isDerivative({ text }: Cell): boolean {
  return /\d(CE|PE)$|FUT$/.test(text);
}

/** A future or an option by its symbol. */
function derivative(
  symbol: Cell,
  expiration: string | null,
  multiplier: number | null,
): Instrument {
  const { text } = symbol;
  const future = FUTURE.exec(text)?.[1];
  if (future !== undefined) {
    return {
      ...stock(text, 'INR'),
      market: 'future',
      underlying: future,
      expiration,
      multiplier,
    };
  }

  if (multiplier === null) {
    throw cellError(symbol, 'options on currencies and commodities are not supported');
  }

  const terms = { currency: 'INR', multiplier };
  const weekly = MONTHLY.test(text) ? null : WEEKLY.exec(text);
  if (weekly) {
    const [, underlying = '', year, month = '', day, strike, type] = weekly;
    const date = `20${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day}`;
    return contract(
      underlying,
      expiration ?? dateIn({ ...symbol, text: date }, 'ymd'),
      strike,
      type,
      terms,
    );
  }

  const monthly = MONTHLY.exec(text);
  if (!monthly) {
    throw cellError(
      symbol,
      'must be a future or an option, such as NIFTY26JANFUT or NIFTY26JAN24000CE',
    );
  }

  const [, underlying = '', , strike, type] = monthly;
  if (expiration !== null) return contract(underlying, expiration, strike, type, terms);

  // Without a column, the day of expiry is unknown.
  const optionType = type === 'CE' ? 'call' : 'put';

  return {
    ...stock(text, 'INR'),
    market: 'option',
    underlying,
    strike: Number(strike),
    optionType,
    multiplier,
  };
}

function contract(
  underlying: string,
  expiration: string,
  strike: string | undefined,
  type: string | undefined,
  terms: { currency: string; multiplier: number },
): Instrument {
  return option(
    {
      underlying,
      expiration,
      strike: Number(strike),
      optionType: type === 'CE' ? 'call' : 'put',
    },
    terms,
  );
}

// Kite's orders of a day: time, side and average price. The tradebook has their
// executions.

const STATUSES = byMeaning({
  filled: 'COMPLETE',
  other: 'CANCELLED, REJECTED, OPEN, TRIGGER PENDING, CANCELLED AMO, AMO REQ RECEIVED',
});

/** Products that hold shares; with others, a sell may open a short. */
const HELD = ['CNC', 'MTF'];

export const zerodhaOrders = fillsTable({
  ...KNOWN['zerodha-orders'],
  table: (text) => readCsv(text),
  columns: {
    executed_at: 'Time',
    side: 'Type',
    symbol: 'Instrument',
    product: { column: 'Product', optional: 'cells' },
    quantity: { column: 'Qty.', read: filledIn },
    price: { column: ['Avg. price', 'Avg. Price'], read: positiveIn },
    status: { column: 'Status', optional: 'cells' },
  },
  dates: 'ymd',
  zone: zoneOf,
  skip({ quantity, status }) {
    const isPart = wordIn(status, STATUSES) === 'filled' || quantity.text.includes('/');
    return isPart && filledIn(quantity) !== 0
      ? undefined
      : `${status.text.toLowerCase()} order`;
  },
  instrument: ({ symbol }) => unitsOf(symbolIn(symbol)),
  row: ({ symbol, product }) => ({
    mayShort:
      isDerivative(symbolIn(symbol)) || !HELD.includes(product.text.toUpperCase()),
  }),
  hasFees: false,
  notes: [ORDERS],
});

/** 50, or 25/50 for a partially filled order. */
function filledIn(quantity: Cell): number {
  return numberIn({ ...quantity, text: quantity.text.split('/')[0]?.trim() ?? '' });
}

/** "RELIANCE NSE", "NIFTY26MAR24000CE NFO" */
function symbolIn(instrument: Cell): Cell {
  return { ...instrument, text: instrument.text.split(/\s+/)[0] ?? '' };
}
