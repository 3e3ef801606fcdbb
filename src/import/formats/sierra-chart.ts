/**
 * Sierra Chart's trades list: pairs of an entry and an exit, several for a position. The times of a position's first entry and
 * last exit end with BP and EP.
 */
import { RowError } from '../../errors.ts';
import { type FileFill, fill, type StatedTotal } from '../fills/reading.ts';
import { type Cell, cellError, wordIn } from '../parse/columns.ts';
import { contractSize, future, futureOf, type Instrument, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { type Cells as CellsOf, optional, type TableFile } from '../table/declaration.ts';
import { inOrderOfTime } from '../table/fills.ts';
import { rowsTable } from '../table/rows.ts';

const withoutMark = (text: string) => text.replace(/ [BE]P$/, '');

const COLUMNS = {
  symbol: 'Symbol',
  side: 'Trade Type',
  executed_at: { column: 'Entry DateTime', text: withoutMark },
  closed_at: { column: 'Exit DateTime', text: withoutMark, optional: 'cells' },
  entry_price: 'Entry Price',
  exit_price: { column: 'Exit Price', optional: 'cells' },
  quantity: 'Trade Quantity',
  pnl: optional('Profit/Loss (C)'),
  commission: optional('Commission (C)'),
  total: optional('Cumulative Profit/Loss (C)'),
  account: optional('Account'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

export const sierraChart = rowsTable({
  name: 'sierra-chart',
  description: 'Sierra Chart: Trade > Trade Activity Log > Trades, Save Trades List As (tab-separated text)',
  evidence: 'real files',
  marks: ['Trade Type', 'Entry DateTime', 'Exit DateTime', 'Trade Quantity'],
  columns: COLUMNS,
  dates: 'ymd',
  // A later file states the entry of an open position in pieces of other sizes.
  skip: ({ symbol, closed_at }) =>
    symbol.text === '' ? 'total line' : closed_at.text === '' ? 'open position' : undefined,
  end(rows, file) {
    const seen = new Map<string, number>();
    const fills = rows.flatMap((cells) => pairOf(cells, file, seen));
    const lines = file
      .rows()
      .flatMap(({ total }) => (total?.text.startsWith(TOTAL) ? total.text.slice(TOTAL.length).trim() : []))
      .filter((text) => text !== '');
    const [first] = fills;
    const stated = lines.map((text): StatedTotal => {
      const amount = moneyIn({ text, column: COLUMNS.total.column, line: 1 });
      return { what: 'gross', currency: first?.instrument.currency ?? 'USD', symbol: null, amount };
    });
    return { fills: inOrderOfTime(fills), stated };
  },
});

const TOTAL = 'Total:';

const SIDES = { Long: ['buy', 'sell'], Short: ['sell', 'buy'] } as const;

/** The two fills of a row. */
function pairOf(cells: Cells, file: TableFile, seen: Map<string, number>): FileFill[] {
  const { symbol, side, executed_at, closed_at, entry_price, exit_price, quantity, account, commission } = cells;
  const [opening, closing] = wordIn(side, SIDES);
  const instrument = instrumentIn(symbol);
  const row = [executed_at, closed_at, entry_price, exit_price, quantity].map(({ text }) => text).join(' ');
  const key = `${account?.text} ${symbol.text} ${opening} ${row}`;
  const ordinal = (seen.get(key) ?? 0) + 1;
  seen.set(key, ordinal);
  const end = (of: 'buy' | 'sell', time: Cell, price: Cell, more: Partial<FileFill>): FileFill =>
    fill({
      line: symbol.line,
      account: account?.text || null,
      instrument,
      executedAt: file.instantIn(time),
      side: of,
      quantity: positiveIn(quantity),
      price: numberIn(price),
      mayShort: true,
      ...more,
    });
  const id = ordinal === 1 ? row : `${row} ${ordinal}`;
  const entry = end(opening, executed_at, entry_price, { executionId: `${id} entry` });
  const fees = commission ? Math.abs(moneyIn(commission)) : 0;
  const made = cells.pnl && { gross: grossOf(cells.pnl, fees, instrument, entry, numberIn(exit_price)) };
  const exit = { executionId: `${id} exit`, fees, ...(made && { stated: made }) };
  return [entry, end(closing, closed_at, exit_price, exit)];
}

/** P&L before the commission: by the settings of the program, the column includes it or not. */
function grossOf(pnl: Cell, fees: number, { market, underlying }: Instrument, entry: FileFill, exit: number): number {
  const stated = moneyIn(pnl);
  const size = market === 'stock' ? 1 : contractSize(underlying ?? '')?.multiplier;
  if (fees === 0 || size === undefined) return stated;
  const move = (entry.side === 'buy' ? exit - entry.price : entry.price - exit) * Number(entry.quantity) * size;
  if (Math.abs(move - stated) < 0.011) return stated;
  if (Math.abs(move - fees - stated) < 0.011) return stated + fees;
  throw new RowError(
    pnl.column,
    `${stated} is neither ${move}, as the prices give, nor that less the commission`,
    pnl.line,
  );
}

/** MNQH26_FUT_CME (account), MNQH26-CME, [Sim]MNQH26; shares such as AAPL-NQTV. */
function instrumentIn(cell: Cell): Instrument {
  const symbol = cell.text.replace(/ \([^()]*\)$/, '').replace(/^\[Sim\]/i, '');
  const bare = symbol.replace(/-[A-Z]+$/, '');
  if (futureOf(bare)) return { ...future(bare), symbol };
  if (/^[A-Z]{1,5}$/.test(bare)) return stock(bare);
  throw cellError(cell, 'must be a future, such as MNQH26_FUT_CME, or a share, such as AAPL');
}
