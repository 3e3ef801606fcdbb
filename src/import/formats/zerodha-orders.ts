/** Kite's list of orders of a day: time, side and average price; the tradebook has the executions of them. */

import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, refuseEmpty } from '../parse/columns.ts';
import { readCsv } from '../parse/csv-rows.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { instantIn } from '../parse/times.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';
import { derivative, equity, PLATFORM, zoneOf } from './zerodha.ts';

const COLUMNS = {
  time: 'Time',
  side: 'Type',
  instrument: 'Instrument',
  product: 'Product',
  quantity: 'Qty.',
  price: ['Avg. price', 'Avg. Price'],
  status: 'Status',
};

type Cells = Record<keyof typeof COLUMNS, Cell>;

const STATUSES = {
  COMPLETE: 'filled',
  CANCELLED: 'other',
  REJECTED: 'other',
  OPEN: 'other',
  'TRIGGER PENDING': 'other',
  'CANCELLED AMO': 'other',
  'AMO REQ RECEIVED': 'other',
} as const;

/** Products by which shares are held; of the others a sale may come first. */
const HELD = ['CNC', 'MTF'];

export const zerodhaOrders: Format = {
  name: 'zerodha-orders',
  description: "Zerodha: Kite > Orders, downloaded as CSV: today's orders, without fees",
  evidence: 'documentation',
  platform: PLATFORM,
  mayStateOrders: true,
  holds: 'trades',
  looksLike(start) {
    const names = (start.split(/\r?\n/, 1)[0] ?? '').split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
    return ['Time', 'Type', 'Instrument', 'Product', 'Qty.', 'Status'].every((name) => names.includes(name));
  },
  read(text, context) {
    const { zone, note } = zoneOf(context);
    const { header, rows } = readCsv(text);
    const cellsOf = columnsOf(header, COLUMNS);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    for (const row of rows) {
      const cells = cellsOf(row);
      const filled = numberIn({ ...cells.quantity, text: cells.quantity.text.split('/')[0]?.trim() ?? '' });
      const status = wordIn(cells.status, STATUSES);
      if (filled === 0 || (status === 'other' && !cells.quantity.text.includes('/'))) {
        skip(skipped, `${cells.status.text.toLowerCase()} order`);
      } else fills.push(fillOf(cells, filled, zone));
    }
    const notes = [note, 'fees are 0: this export has none', 'an order that was filled in parts is one fill'];
    return reading({ fills: oldestFirst(fills), skipped, notes });
  },
};

function fillOf(cells: Cells, quantity: number, zone: string): FileFill {
  refuseEmpty(cells.time, cells.side, cells.instrument, cells.price);
  // "RELIANCE NSE", "NIFTY26MAR24000CE NFO"
  const [symbol = ''] = cells.instrument.text.split(/\s+/);
  const cell = { ...cells.instrument, text: symbol };
  const isDerivative = /\d(CE|PE)$|FUT$/.test(symbol);
  const instrument = isDerivative ? derivative(cell, null, 1) : equity(symbol);
  return fill({
    line: cells.time.line,
    instrument,
    executedAt: instantIn(cells.time, 'ymd', zone),
    side: sideIn(cells.side),
    quantity,
    price: positiveIn(cells.price),
    mayShort: isDerivative || !HELD.includes(cells.product.text.toUpperCase()),
  });
}
