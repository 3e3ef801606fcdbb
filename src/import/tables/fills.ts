/** A table of fills: takes a declaration, returns a reader. */

import { amountIn, type Cell, numberIn, orNothing } from '../../parse/cells.ts';
import type { Instrument } from '../../parse/instruments.ts';
import { compareIds } from '../fills/identity.ts';
import {
  byTime,
  type FileFill,
  fill,
  oldestFirst,
  type Reading,
} from '../fills/reading.ts';
import type { Cells, Columns, TableDeclaration, TableFile } from './declaration.ts';
import type { TableFormat } from './format.ts';
import { sideOf, statedFill, type TableRow, tableOf } from './rows.ts';

/**
 * Reads the columns execution_id, order_id, account, executed_at, side, quantity, price,
 * fees and gross_pnl unless a hook does. Words of side mean buy or sell, or several parts
 * of a fill.
 */
export interface FillsDeclaration<C extends Columns> extends TableDeclaration<C> {
  instrument: (cells: Cells<C>, file: TableFile<C>, row: TableRow<C>) => Instrument;
  /** Before each row is read. @throws RowError if it can't be */
  check?: (row: TableRow<C>, cells: Cells<C>) => void;
  /** Whether the sign of the quantity states the side, if no word does. */
  signed?: true;
  /** Whether an unmatched sell opens a short, unless the side or the hook states it. */
  mayShort?: boolean;
  /** After each row: further parts of the fill. */
  row?: (
    cells: Cells<C>,
    fill: FileFill,
    file: TableFile<C>,
    row: TableRow<C>,
  ) => Partial<FileFill>;
  /** Sorts the fills by time; default: the file's order or its reverse. */
  order?: (fills: FileFill[]) => FileFill[];
  /** At the end: results that need all fills. */
  end?: (
    fills: FileFill[],
    file: TableFile<C>,
  ) => Partial<Pick<Reading, 'notes' | 'stated' | 'fills' | 'cash'>>;
}

export function fillsTable<const C extends Columns>(
  declaration: FillsDeclaration<C>,
): TableFormat {
  const { end, order = oldestFirst } = declaration;
  const fillIn = (cells: Cells<C>, row: TableRow<C>) => fillOf(declaration, cells, row);
  return tableOf(declaration, ['executed_at'], fillIn, (items, file) => {
    const fills = order(items);
    return { fills, ...end?.(fills, file) };
  });
}

function fillOf<C extends Columns>(
  declaration: FillsDeclaration<C>,
  cells: Cells<C>,
  row: TableRow<C>,
): FileFill {
  const {
    instrument,
    mayShort = false,
    daysOnly = false,
    signed = false,
    row: more,
  } = declaration;
  declaration.check?.(row, cells);
  const stated = statedFill(row, {
    side: sideOf(row),
    instrument: instrument(cells, row.file, row),
    hasTime: daysOnly !== true,
    mayShort,
    ...(signed && { quantity: row.value('quantity', numberIn) }),
  });
  const usual = signed ? withSide(stated) : stated;

  return more ? fill({ ...usual, ...more(cells, usual, row.file, row) }) : usual;
}

/** The side by the sign of the quantity, unless a word states it. */
function withSide({ side, quantity, ...rest }: FileFill): FileFill {
  if (quantity === null) return { ...rest, side, quantity };
  return {
    ...rest,
    side: side ?? (quantity > 0 ? 'buy' : 'sell'),
    quantity: Math.abs(quantity),
  };
}

/** For unordered fills. */
export function inOrderOfTime(fills: FileFill[]): FileFill[] {
  return fills.sort(byTime);
}

/** The same if ids rise with time: they order fills of the same time. */
export function inOrderOfIds(fills: FileFill[]): FileFill[] {
  return fills.sort(
    (a, b) => byTime(a, b) || compareIds(a.executionId ?? '', b.executionId ?? ''),
  );
}

interface Pair {
  currency: string;
  /** Undefined for a contract. */
  coin?: string | undefined;
}

/** A fee by its currency: the price's, the traded coin, or another. */
export function feePaidIn(
  paid: string,
  amount: number,
  { currency, coin }: Pair,
): Partial<FileFill> {
  if (amount === 0) return {};
  if (paid === currency) return { fees: amount };
  return paid === coin
    ? { feeQuantity: amount }
    : { otherFee: { amount, currency: paid } };
}

/**
 * @param unit the cell with the fee's currency; undefined if it follows the amount, or is
 * the price's
 */
export function feeIn(fee: Cell, unit: Cell | undefined, pair: Pair): Partial<FileFill> {
  const { currency, coin } = pair;
  if (unit || !/[A-Z]/.test(fee.text))
    return feePaidIn(unit?.text ?? currency, orNothing(fee, numberIn) ?? 0, pair);
  const paid = orNothing(fee, (cell) => amountIn(cell, {}, coin ? [coin, currency] : []));
  return paid ? feePaidIn(paid.currency, paid.amount, pair) : {};
}
