/** Tradovate's exports of fills and of orders. An order with several fills is one fill at its average price. */

import { type FileFill, fill } from '../fills/reading.ts';
import { byMeaning, type Cell, cellError, orNothing, wordIn } from '../parse/columns.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn, numberIn, plainPriceIn } from '../parse/numbers.ts';
import { totals } from '../table/closed-trade.ts';
import { type Cells as CellsOf, mayBeEmpty, ORDERS, type TableFile } from '../table/declaration.ts';
import { fillsTable, inOrderOfIds } from '../table/fills.ts';
import { rowsTable } from '../table/rows.ts';
import { fillIdIn } from './tradovate.ts';

// Tradovate's Cash History: costs of each fill by account, contract and second, and P&L of each pair of fills. It has no sides,
// quantities or prices. The costs are added to fills without costs from other exports.

const COLUMNS = {
  account: mayBeEmpty('Account'),
  id: 'Transaction ID',
  executed_at: 'Timestamp',
  amount: 'Delta',
  type: 'Cash Change Type',
  currency: 'Currency',
  symbol: mayBeEmpty('Contract'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const TYPES = byMeaning({
  cost: 'Commission, Exchange Fee, Clearing Fee, Nfa Fee, Brokerage Fee, IP Fee, Order Routing Fee, Platform Fee',
  made: 'Trade Paired',
});

export const tradovateCash = rowsTable({
  name: 'tradovate-cash',
  description: 'Tradovate: Reports, Cash History (CSV): costs of the fills of Orders, Performance or Position History',
  evidence: 'real files',
  platform: 'tradovate',
  hasUniqueIds: true,
  marks: [COLUMNS.id, COLUMNS.amount, COLUMNS.type],
  columns: COLUMNS,
  dates: ['mdy', 'ymd'],
  notes: ['costs without a fill wait for it; import Orders, Performance or Position History too, with the same zone'],
  // Deposits, resets and data fees have no contract.
  skip: ({ type, symbol }) => (symbol.text === '' ? type.text.toLowerCase() : undefined),
  end(rows, file) {
    const [costs = [], made = []] = ['cost', 'made'].map((kind) =>
      rows.filter(({ type }) => wordIn(type, TYPES) === kind),
    );
    const fills = costs.map((cells) => costOf(cells, file));
    file.skip('pair of fills (compared only)', made.length);
    const stated = totals([
      ...made.map(
        ({ currency, amount }) => ({ what: 'gross', currency: currency.text, amount: moneyIn(amount) }) as const,
      ),
      ...fills.map(({ instrument, fees }) => ({ what: 'fees', currency: instrument.currency, amount: fees }) as const),
    ]);
    return { fills, stated: stated.map((own) => ({ ...own, why: 'fills are missing, or have their own fees' })) };
  },
});

function costOf({ account, id, executed_at, amount, currency, symbol }: Cells, file: TableFile): FileFill {
  const instrument = future(symbol.text);
  const cost = 0 - moneyIn(amount);
  return fill({
    line: id.line,
    executionId: fillIdIn(id),
    account: account.text || null,
    instrument,
    executedAt: wholeSecond(file.instantIn(executed_at), executed_at),
    kind: 'cost',
    side: null,
    quantity: null,
    price: 0,
    fees: currency.text === instrument.currency ? cost : 0,
    otherFee: currency.text === instrument.currency ? null : { amount: cost, currency: currency.text },
  });
}

function wholeSecond(instant: string, cell: Cell): string {
  if (instant.endsWith('.000Z')) return instant;
  throw cellError(cell, 'must be a time in whole seconds, such as 11/20/2026 16:33:05');
}

export const tradovateFills = fillsTable({
  name: 'tradovate-fills',
  description: 'Tradovate: Reports, Fills (CSV), with commissions',
  evidence: 'real files',
  platform: 'tradovate',
  mayStateOrders: true,
  hasUniqueIds: true,
  marks: ['Fill ID', 'Order ID', 'Contract', 'B/S'],
  columns: {
    execution_id: { column: ['_id', 'Fill ID'], read: fillIdIn },
    order_id: { column: ['_orderId', 'Order ID'], optional: true },
    executed_at: ['_timestamp', 'Timestamp'],
    quantity: ['_qty', 'Quantity', 'Qty'],
    price: { column: ['_price', 'Price'], read: plainPriceIn },
    account: { column: 'Account', optional: 'cells' },
    side: 'B/S',
    symbol: 'Contract',
    fees: { column: ['commission', 'Commission'], optional: true, read: moneyIn },
    active: { column: '_active', optional: true },
  },
  dates: ([time]) => (time?.column === '_timestamp' ? 'ymd' : 'mdy'),
  zone: (column) => (column === '_timestamp' ? { zone: 'UTC', note: 'times are in UTC' } : undefined),
  skip: ({ active }) => (!active || wordIn(active, { true: true, false: false }) ? undefined : 'cancelled fill'),
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  row: ({ fees }) => ({ feesStated: fees !== undefined && fees.text !== '' }),
  order: inOrderOfIds,
});

/** Results of orders. A cancelled order counts with its filled part. */
const STATUSES = byMeaning({
  filled: 'Filled',
  cancelled: 'Canceled, Cancelled',
  rejected: 'Rejected',
  expired: 'Expired',
  working: 'Working, Pending, Pending New, Pending Cancel, Pending Replace',
  suspended: 'Suspended',
  completed: 'Completed',
});

export const tradovateOrders = fillsTable({
  name: 'tradovate-orders',
  description: 'Tradovate: Reports, Orders (CSV): filled orders, no fees',
  evidence: 'real files',
  platform: 'tradovate',
  mayStateOrders: true,
  hasUniqueIds: true,
  marks: [['orderId', 'Order ID'], 'Fill Time', 'Contract', 'B/S'],
  columns: {
    execution_id: { column: ['orderId', 'Order ID'], read: fillIdIn },
    order_id: { column: ['orderId', 'Order ID'], optional: true },
    executed_at: 'Fill Time',
    quantity: ['filledQty', 'Filled Qty'],
    price: { column: ['decimalFillAvg', 'avgPrice', 'Avg Fill Price'], read: plainPriceIn },
    account: { column: 'Account', optional: 'cells' },
    side: 'B/S',
    symbol: 'Contract',
    status: 'Status',
  },
  dates: 'mdy',
  skip({ status, quantity }) {
    const meaning = wordIn(status, STATUSES);
    return meaning === 'filled' || orNothing(quantity, numberIn) ? undefined : `${meaning} order`;
  },
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  order: inOrderOfIds,
  hasFees: false,
  notes: [ORDERS],
});
