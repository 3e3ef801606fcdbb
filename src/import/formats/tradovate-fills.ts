/** Tradovate's exports of fills and of orders. An order that was filled in several parts is one fill at its average price. */
import { compareIds } from '../fills/order.ts';
import { byTime, type FileFill, fill, type Reading, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type ColumnNames, type CsvRow, headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn, numberIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';
import { fillIdIn } from './tradovate.ts';

const OF_BOTH = { account: 'Account', side: 'B/S', contract: 'Contract' };

const FILL = {
  ...OF_BOTH,
  id: ['_id', 'Fill ID'],
  quantity: ['_qty', 'Quantity', 'Qty'],
  price: ['_price', 'Price'],
};

/** What no other header has. */
const FILL_MARKS: ColumnNames[] = ['Fill ID', 'Order ID', 'Contract', 'B/S'];

const FILL_TOO = { time: '_timestamp', localTime: 'Timestamp', active: '_active', fee: ['commission', 'Commission'] };

const ORDER = {
  ...OF_BOTH,
  id: ['orderId', 'Order ID'],
  time: 'Fill Time',
  status: 'Status',
  quantity: ['filledQty', 'Filled Qty'],
  price: ['decimalFillAvg', 'avgPrice', 'Avg Fill Price'],
};

const ORDER_MARKS: ColumnNames[] = [ORDER.id, ORDER.time, 'Contract', 'B/S'];

export const tradovateFills: Format = {
  name: 'tradovate-fills',
  description: 'Tradovate: Reports, Fills (CSV), with commissions',
  evidence: 'real files',
  platform: 'tradovate',
  mayStateOrders: true,
  hasUniqueIds: true,
  holds: 'trades',
  looksLike: (start) => headerIn(start, FILL_MARKS) !== undefined,
  read(text, context) {
    const { header, rows } = readCsv(text, FILL_MARKS);
    const { zone, note } = assumedZone(context);
    const cellsOf = columnsOf(header, FILL, FILL_TOO);
    const hasUtc = header.cells.includes('_timestamp');
    const notes = hasUtc ? ['times are in UTC in this format'] : [note];
    const hasFees = header.cells.some((name) => name.toLowerCase() === 'commission');
    if (!hasFees) notes.push('fees are 0: this export has none');
    return read(rows, notes, (row) => {
      const { time, localTime, active, fee, id, quantity, price, ...cells } = cellsOf(row);
      if (active && !wordIn(active, { true: true, false: false })) return 'cancelled fill';
      const when = time ?? localTime ?? id;
      refuseEmpty(id, when, quantity, price);
      return fillOf(cells, {
        line: row.line,
        executionId: fillIdIn(id),
        executedAt: instantIn(when, time ? 'ymd' : 'mdy', zone),
        quantity: positiveIn(quantity),
        price: plainPriceIn(price),
        fees: fee ? (orNothing(fee, moneyIn) ?? 0) : 0,
      });
    });
  },
};

/** What becomes of an order. One that ended with a part filled has that part. */
const STATUSES = {
  Filled: 'filled',
  Canceled: 'cancelled',
  Cancelled: 'cancelled',
  Rejected: 'rejected',
  Expired: 'expired',
  Working: 'working',
  Pending: 'working',
  'Pending New': 'working',
  'Pending Cancel': 'working',
  'Pending Replace': 'working',
  Suspended: 'suspended',
  Completed: 'completed',
} as const;

export const tradovateOrders: Format = {
  name: 'tradovate-orders',
  description: 'Tradovate: Reports, Orders (CSV): filled orders, without fees',
  evidence: 'real files',
  platform: 'tradovate',
  mayStateOrders: true,
  hasUniqueIds: true,
  holds: 'trades',
  looksLike: (start) => headerIn(start, ORDER_MARKS) !== undefined,
  read(text, context) {
    const { header, rows } = readCsv(text, ORDER_MARKS);
    const { zone, note } = assumedZone(context);
    const cellsOf = columnsOf(header, ORDER);
    const notes = [note, 'fees are 0: this export has none', 'fills of an order are one fill here'];
    return read(rows, notes, (row) => {
      const { id, time, status, quantity, price, ...cells } = cellsOf(row);
      const meaning = wordIn(status, STATUSES);
      if (meaning !== 'filled' && !orNothing(quantity, numberIn)) return `${meaning} order`;
      refuseEmpty(id, time, quantity, price);
      return fillOf(cells, {
        line: row.line,
        executionId: fillIdIn(id),
        executedAt: instantIn(time, 'mdy', zone),
        quantity: positiveIn(quantity),
        price: plainPriceIn(price),
        fees: 0,
      });
    });
  },
};

/** @param fillIn gives the fill of a row; where it holds none, why */
function read(rows: readonly CsvRow[], notes: string[], fillIn: (row: CsvRow) => FileFill | string): Reading {
  const skipped = new Map<string, number>();
  const fills: FileFill[] = [];
  for (const row of rows) {
    const own = isEmpty(row) ? 'empty row' : fillIn(row);
    if (typeof own === 'string') skip(skipped, own);
    else fills.push(own);
  }
  // Ids rise with time, also where times are equal.
  fills.sort((a, b) => byTime(a, b) || compareIds(a.executionId ?? '', b.executionId ?? ''));
  return reading({ rows: rows.length, fills, skipped, notes });
}

type Own = Pick<FileFill, 'line' | 'executionId' | 'executedAt' | 'quantity' | 'price' | 'fees'>;

function fillOf({ account, side, contract }: Record<keyof typeof OF_BOTH, Cell>, own: Own): FileFill {
  refuseEmpty(side, contract);
  return fill({
    ...own,
    account: account.text || null,
    instrument: future(contract.text),
    side: sideIn(side),
    mayShort: true,
  });
}
