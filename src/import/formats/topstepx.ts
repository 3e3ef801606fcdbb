/** TopstepX and other ProjectX platforms: the export of closed trades, unordered, with P&L before fees. */
import { type Cell, cellError } from '../parse/columns.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn } from '../parse/numbers.ts';
import { tradesTable } from '../table/trades.ts';

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
