/** Tradovate's exports of fills and of orders. An order with several fills is one fill at its average price. */
import { byMeaning, orNothing, wordIn } from '../parse/columns.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn, numberIn, plainPriceIn } from '../parse/numbers.ts';
import { ORDERS } from '../table/declaration.ts';
import { fillsTable, inOrderOfIds } from '../table/fills.ts';
import { fillIdIn } from './tradovate.ts';

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
