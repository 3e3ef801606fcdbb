/** A table whose rows are fills: a declaration in, a reader out. */
import { compareIds } from '../fills/order.ts';
import { byTime, type FileFill, fill, oldestFirst, type Reading, reading } from '../fills/reading.ts';
import type { Instrument } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { sideIn } from '../parse/words.ts';
import type { Cells, Columns, TableDeclaration, TableFile } from './declaration.ts';
import type { Format } from './format.ts';
import type { TableRow } from './row.ts';
import { formatOf, readRows, withFees } from './rows.ts';

/**
 * The columns execution_id, order_id, account, executed_at, side, quantity, price, fees and gross_pnl are read unless a hook does. Words of side stand for
 * buy or sell, or for more of a fill.
 */
export interface FillsDeclaration<C extends Columns> extends TableDeclaration<C> {
  instrument: (cells: Cells<C>, file: TableFile<C>) => Instrument;
  /** Whether a sell with nothing open is a short, where neither the side nor the hook says it. */
  mayShort?: boolean;
  /** After a row: what else its cells say of the fill. */
  row?: (cells: Cells<C>, own: FileFill, file: TableFile<C>) => Partial<FileFill>;
  /** The order in which the fills happened; that of the file otherwise, or its reverse. */
  order?: (fills: FileFill[]) => FileFill[];
  /** At the end: what only all fills together say. */
  end?: (fills: FileFill[], file: TableFile<C>) => Partial<Pick<Reading, 'notes' | 'stated' | 'fills'>>;
}

export function fillsTable<const C extends Columns>(declaration: FillsDeclaration<C>): Format {
  const { end, order = oldestFirst } = declaration;
  return {
    ...formatOf(declaration),
    read(text, context) {
      const { items, skipped, hasFees, notes, rows, file } = readRows(
        declaration,
        { text, context },
        ['executed_at'],
        (cells, row) => fillOf(declaration, cells, row),
      );
      const ordered = order(items);
      const { notes: last = [], fills = ordered, ...made } = end?.(ordered, file) ?? {};
      return reading({ rows, fills: withFees(fills, hasFees), skipped, ...made, notes: [...notes(), ...last] });
    },
  };
}

function fillOf<C extends Columns>(declaration: FillsDeclaration<C>, cells: Cells<C>, row: TableRow<C>): FileFill {
  const { instrument, mayShort = false, daysOnly = false, row: more } = declaration;
  const side = row.value<FileFill['side'] | Partial<FileFill>>('side', (cell) => sideIn(cell));
  const gross = row.value('gross_pnl', numberIn);
  const own = fill({
    line: row.line,
    executionId: row.value('execution_id', ({ text }) => text),
    account: row.text('account'),
    orderId: row.text('order_id'),
    instrument: instrument(cells, row.file),
    executedAt: row.instant('executed_at'),
    hasTime: !daysOnly,
    quantity: row.value('quantity', positiveIn),
    price: row.value('price', numberIn) ?? 0,
    fees: row.value('fees', numberIn) ?? 0,
    mayShort,
    stated: gross === null ? null : { gross },
    ...(typeof side === 'object' ? { side: null, ...side } : { side }),
  });
  return more ? fill({ ...own, ...more(cells, own, row.file) }) : own;
}

/** For fills that are in no order. */
export function inOrderOfTime(fills: FileFill[]): FileFill[] {
  return fills.sort(byTime);
}

/** The same where ids rise with time, also where times are equal. */
export function inOrderOfIds(fills: FileFill[]): FileFill[] {
  return fills.sort((a, b) => byTime(a, b) || compareIds(a.executionId ?? '', b.executionId ?? ''));
}

/** What a fee is by what it was paid in: what the price is in, the coin that was traded, or another. */
export function feePaidIn(
  paid: string,
  amount: number,
  { currency, coin }: { currency: string; coin?: string | undefined },
): Partial<FileFill> {
  if (amount === 0) return {};
  if (paid === currency) return { fees: amount };
  return paid === coin ? { feeQuantity: amount } : { otherFee: { amount, currency: paid } };
}
