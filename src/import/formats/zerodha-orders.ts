/** Kite's orders of a day: time, side and average price. The tradebook has their executions. */
import { byMeaning, type Cell, wordIn } from '../parse/columns.ts';
import { readCsv } from '../parse/csv-rows.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { ORDERS } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';
import { derivative, equity, PLATFORM, zoneOf } from './zerodha.ts';

const STATUSES = byMeaning({
  filled: 'COMPLETE',
  other: 'CANCELLED, REJECTED, OPEN, TRIGGER PENDING, CANCELLED AMO, AMO REQ RECEIVED',
});

/** Products that hold shares; with others, a sell may open a short. */
const HELD = ['CNC', 'MTF'];

export const zerodhaOrders = fillsTable({
  name: 'zerodha-orders',
  description: "Zerodha: Kite > Orders, downloaded as CSV: today's orders, no fees",
  evidence: 'documentation',
  platform: PLATFORM,
  mayStateOrders: true,
  marks: ['Time', 'Type', 'Instrument', 'Product', 'Qty.', 'Status'],
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
    return isPart && filledIn(quantity) !== 0 ? undefined : `${status.text.toLowerCase()} order`;
  },
  instrument({ symbol }) {
    const cell = symbolIn(symbol);
    return isDerivative(cell) ? derivative(cell, null, 1) : equity(cell.text);
  },
  row: ({ symbol, product }) => ({
    mayShort: isDerivative(symbolIn(symbol)) || !HELD.includes(product.text.toUpperCase()),
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

function isDerivative({ text }: Cell): boolean {
  return /\d(CE|PE)$|FUT$/.test(text);
}
