/** Binance's history of spot orders: one that was filled in parts is one fill at its average price. It has no fees. */

import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { amountIn, numberIn } from '../parse/numbers.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import { clockOf, hasColumns } from './binance.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  id: ['OrderNo', 'Order No.'],
  pair: 'Pair',
  side: 'Side',
  executed: 'Executed',
  price: 'Average Price',
  total: 'Trading total',
  status: 'Status',
};

const STATUSES = {
  FILLED: 'filled',
  'Partially Filled': 'filled',
  CANCELED: 'cancelled',
  Cancelled: 'cancelled',
  EXPIRED: 'expired',
  REJECTED: 'rejected',
  NEW: 'working',
} as const;

export const binanceOrders: Format = {
  name: 'binance-orders',
  description: 'Binance: Spot > Order History, exported as CSV: filled orders, without fees; Trade History has more',
  evidence: 'samples',
  platform: 'binance-spot',
  mayStateOrders: true,
  holds: 'trades',
  looksLike: (start) =>
    hasColumns(bare(start), ['Pair', 'Side', 'Executed', 'Average Price', 'Trading total', 'Status']),
  read(text, context) {
    const { header, rows } = readFilledCsv(text);
    const cells = header.cells.map(bare);
    const clock = clockOf(context, { header: { ...header, cells }, rows });
    // Of two times the second is that of the last fill.
    const last = cells.lastIndexOf(clock.column);
    const names = cells.map((name, index) => (name === clock.column && index !== last ? `${name} (placed)` : name));
    const cellsOf = columnsOf({ ...header, cells: names }, { ...COLUMNS, time: clock.column });
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    for (const row of rows) {
      const own = cellsOf(row);
      const status = wordIn(own.status, STATUSES);
      const executed = orNothing(own.executed, (cell) =>
        /[A-Z]/.test(cell.text) ? amountOf(cell, own) : numberIn(cell),
      );
      if (executed) fills.push(fillOf(own, executed, clock.instantIn));
      else skip(skipped, `${status} order`);
    }
    const notes = [...clock.notes, 'fees are 0: this export has none', 'fills of an order are one fill here'];
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

/** Executed² has a footnote. */
function bare(name: string): string {
  return name.replace(/[¹²³]/g, '').trim();
}

type Cells = Record<keyof typeof COLUMNS | 'time', Cell>;

function amountOf(cell: Cell, { pair, total }: Cells): number {
  const { currency } = amountIn(total);
  return amountIn(cell, {}, [pair.text.slice(0, -currency.length)]).amount;
}

function fillOf(cells: Cells, quantity: number, instant: (cell: Cell) => string): FileFill {
  refuseEmpty(...Object.values(cells));
  const { id, pair, side, price, total, time } = cells;
  return fill({
    line: id.line,
    executionId: id.text,
    instrument: coins(pair.text, amountIn(total).currency),
    executedAt: instant(time),
    side: sideIn(side),
    quantity,
    price: numberIn(price),
  });
}
