/**
 * A table of closed trades, for a platform without fills: takes a declaration, returns a
 * reader.
 */

import {
  moneyIn,
  numberIn,
  plainPriceIn,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import type { Instrument } from '../../parse/instruments.ts';
import { isCutId, type Reading, type StatedSum } from '../fills/reading.ts';
import { closedTrades, type RoundTrip, totalOf } from './closed-trade.ts';
import type { Cells, Columns, TableDeclaration, TableFile } from './declaration.ts';
import type { TableFormat } from './format.ts';
import { type TableRow, tableOf } from './rows.ts';

/**
 * Reads the columns id, account, executed_at (of the entry), closed_at, side, quantity,
 * entry_price, exit_price, gross_pnl and fees unless a hook does.
 */
export interface TradesDeclaration<C extends Columns> extends TableDeclaration<C> {
  instrument: (cells: Cells<C>, file: TableFile<C>) => Instrument;
  /** After each row: further parts of the trade. */
  row?: (cells: Cells<C>, trade: RoundTrip, file: TableFile<C>) => Partial<RoundTrip>;
  /** At the end: results that need all trades. */
  end?: (
    trades: RoundTrip[],
    file: TableFile<C>,
  ) => Partial<Pick<Reading, 'notes' | 'stated'>> & { trades?: readonly RoundTrip[] };
  /** The totals to compare. */
  states: readonly StatedSum[];
}

const SIDES = { Long: 'long', Short: 'short', Buy: 'long', Sell: 'short' } as const;

export function tradesTable<const C extends Columns>(
  declaration: TradesDeclaration<C>,
): TableFormat {
  const { name, states, end } = declaration;
  const tradeIn = (cells: Cells<C>, row: TableRow<C>) => tradeOf(declaration, cells, row);

  return tableOf(declaration, ['closed_at', 'executed_at'], tradeIn, (items, file) => {
    const { trades = items, notes = [], stated = [] } = end?.(items, file) ?? {};
    const { records, notes: contradictions } = closedTrades(name, trades);
    return {
      records,
      notes: [...notes, ...contradictions],
      stated: [...states.flatMap((what) => totalOf(trades, what)), ...stated],
    };
  });
}

function tradeOf<C extends Columns>(
  { instrument, row: more }: TradesDeclaration<C>,
  cells: Cells<C>,
  row: TableRow<C>,
): RoundTrip {
  const closedAt = row.instant('closed_at');
  const usual: RoundTrip = {
    line: row.line,
    id: row.value('id', ({ text }) => (isCutId(text) ? null : text)),
    account: row.text('account'),
    instrument: instrument(cells, row.file),
    side: row.value<RoundTrip['side']>('side', (cell) => wordIn(cell, SIDES)) ?? 'long',
    quantity: row.value('quantity', positiveIn) ?? 0,
    entry: {
      executedAt:
        row.text('executed_at') === null ? closedAt : row.instant('executed_at'),
      price: row.value('entry_price', plainPriceIn) ?? 0,
    },
    exit: { executedAt: closedAt, price: row.value('exit_price', plainPriceIn) ?? 0 },
    gross: row.value('gross_pnl', moneyIn) ?? 0,
    fees: row.value('fees', numberIn) ?? 0,
  };

  return more ? { ...usual, ...more(cells, usual, row.file) } : usual;
}
