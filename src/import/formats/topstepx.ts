/** TopstepX and other ProjectX platforms: the export of closed trades, unordered, with P&L before fees. */

import { byMeaning, type Cell, cellError, idIn, wordIn } from '../parse/columns.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn, plainPriceIn } from '../parse/numbers.ts';
import { ORDERS } from '../table/declaration.ts';
import { fillsTable, inOrderOfIds } from '../table/fills.ts';
import { tradesTable } from '../table/trades.ts';

// TopstepX and other ProjectX platforms: the export of orders. Bid buys, Ask sells; an order is one fill at its average price.

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

export const topstepx = tradesTable({
  name: 'topstepx',
  platform: 'topstepx',
  description: 'TopstepX (ProjectX): Trades, Export (CSV): closed trades with fees',
  evidence: 'real files',
  marks: [
    ['ContractName', 'Contract Name', 'Contract'],
    ['EnteredAt', 'Entered At'],
    ['ExitedAt', 'Exited At'],
  ],
  columns: {
    id: { column: ['Id', 'Trade Id'], read: numberOfTrade },
    symbol: ['ContractName', 'Contract Name', 'Contract'],
    executed_at: ['EnteredAt', 'Entered At'],
    closed_at: ['ExitedAt', 'Exited At'],
    entry_price: ['EntryPrice', 'Entry Price'],
    exit_price: ['ExitPrice', 'Exit Price'],
    // Costs of a round turn; the sign depends on the version.
    fees: {
      column: 'Fees',
      plus: [['Commissions', 'Commission']],
      optional: 'cells',
      read: moneyIn,
      sign: 'absolute',
    },
    gross_pnl: ['PnL', 'P&L'],
    quantity: ['Size', 'Quantity'],
    side: ['Type', 'Direction', 'Side'],
    account: { column: ['AccountName', 'Account Name', 'Account'], optional: true },
  },
  // 05/08/2025 11:22:07 -04:00; other ProjectX platforms: 2025-05-08T15:22:07+00:00.
  dates: 'mdy',
  instrument: ({ symbol }) => future(symbol.text),
  states: ['gross', 'fees'],
});

function numberOfTrade(cell: Cell): string {
  if (/^[\w-]{1,40}$/.test(cell.text)) return cell.text;
  throw cellError(cell, 'must be the number of a trade, such as 1234567');
}
