/** TopstepX and other ProjectX platforms: the export of closed trades. P&L is before fees; rows are in no order. */
import { RowError } from '../../journal-write/row-error.ts';
import { reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type ClosedTrade, closedTrades, totalOf } from './closed-trade.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  id: ['Id', 'Trade Id'],
  contract: ['ContractName', 'Contract Name', 'Contract'],
  entered: ['EnteredAt', 'Entered At'],
  exited: ['ExitedAt', 'Exited At'],
  entryPrice: ['EntryPrice', 'Entry Price'],
  exitPrice: ['ExitPrice', 'Exit Price'],
  fees: 'Fees',
  pnl: ['PnL', 'P&L'],
  size: ['Size', 'Quantity'],
  side: ['Type', 'Direction', 'Side'],
};

const TOO = { commissions: ['Commissions', 'Commission'], account: ['AccountName', 'Account Name', 'Account'] };

/** What no other header has. */
const MARKS = [COLUMNS.contract, COLUMNS.entered, COLUMNS.exited];

export const topstepx: Format = {
  name: 'topstepx',
  platform: 'topstepx',
  description: 'TopstepX (ProjectX): Trades, Export (CSV): closed trades with fees',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    return headerIn(start, MARKS) !== undefined;
  },
  read(text, context) {
    const { header, rows } = readCsv(text, MARKS);
    const cellsOf = columnsOf(header, COLUMNS, TOO);
    const { zone, note } = assumedZone(context);
    const skipped = new Map<string, number>();
    const trades: ClosedTrade[] = [];
    let hasZone = true;
    for (const row of rows) {
      if (isEmpty(row)) {
        skip(skipped, 'empty row');
        continue;
      }
      const cells = cellsOf(row);
      hasZone &&= /[-+]\d\d:?\d\d$|Z$/.test(cells.entered.text);
      trades.push(tradeOf(cells, zone));
    }
    const { records, notes } = closedTrades('topstepx', trades);
    return reading({
      records,
      skipped,
      notes: hasZone ? notes : [note, ...notes],
      stated: [totalOf(trades, 'gross'), totalOf(trades, 'fees')].flat(),
    });
  },
};

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

function tradeOf({ commissions, account, fees, ...cells }: Cells, zone: string): ClosedTrade {
  refuseEmpty(...Object.values(cells));
  const { id, contract, entered, exited, side, size, pnl } = cells;
  if (!/^[\w-]{1,40}$/.test(id.text)) throw new RowError(id.column, 'must be the number of a trade', id.line);
  return {
    line: id.line,
    id: id.text,
    account: account?.text || null,
    instrument: future(contract.text),
    side: wordIn(side, { Long: 'long', Short: 'short', Buy: 'long', Sell: 'short' } as const),
    quantity: positiveIn(size),
    entry: { executedAt: timeIn(entered, zone), price: plainPriceIn(cells.entryPrice) },
    exit: { executedAt: timeIn(exited, zone), price: plainPriceIn(cells.exitPrice) },
    gross: moneyIn(pnl),
    // Both are what a round turn costs, whichever sign a version gives them.
    fees: Math.abs(orNothing(fees, moneyIn) ?? 0) + Math.abs((commissions && orNothing(commissions, moneyIn)) ?? 0),
  };
}

/** 05/08/2025 11:22:07 -04:00, and of other ProjectX platforms 2025-05-08T15:22:07+00:00. */
function timeIn(cell: Cell, zone: string): string {
  return instantIn(cell, /^\d{4}-/.test(cell.text) ? 'ymd' : 'mdy', zone);
}
