/** TopstepX and other ProjectX platforms: the export of orders. Bid buys, Ask sells; an order is one fill at its average price. */
import { byMeaning, idIn, wordIn } from '../parse/columns.ts';
import { future } from '../parse/instruments.ts';
import { plainPriceIn } from '../parse/numbers.ts';
import { ORDERS } from '../table/declaration.ts';
import { fillsTable, inOrderOfIds } from '../table/fills.ts';

const STATUSES = byMeaning({
  filled: 'Filled',
  open: 'Open, Pending',
  cancelled: 'Cancelled, Canceled',
  expired: 'Expired',
  rejected: 'Rejected',
});

export const topstepxOrders = fillsTable({
  name: 'topstepx-orders',
  platform: 'topstepx',
  description: 'TopstepX (ProjectX): Orders, Export (CSV): filled orders, no fees',
  evidence: 'samples',
  marks: ['ContractName', 'Status', 'FilledAt', 'ExecutePrice'],
  columns: {
    execution_id: { column: 'Id', read: idIn },
    account: { column: 'AccountName', optional: 'cells' },
    symbol: 'ContractName',
    status: 'Status',
    quantity: 'Size',
    side: { column: 'Side', words: { Bid: 'buy', Ask: 'sell', Buy: 'buy', Sell: 'sell' } },
    executed_at: 'FilledAt',
    price: { column: 'ExecutePrice', read: plainPriceIn },
  },
  dates: 'mdy',
  // An unfilled order with a price was partially filled, with a size that the file doesn't state.
  skip({ status, price }) {
    const meaning = wordIn(status, STATUSES);
    return meaning !== 'filled' && price.text === '' ? `${meaning} order` : undefined;
  },
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  row: ({ status }) => wordIn(status, { Filled: {} }),
  order: inOrderOfIds,
  hasFees: false,
  notes: [ORDERS],
});
