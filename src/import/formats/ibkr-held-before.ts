/**
 * Units held before an Activity Statement begins: its section Mark-to-Market Performance Summary states them by symbol. Orders
 * that close and open in one, as the code C;O says, don't open what closed such units.
 */
import { asDecimal } from '../../journal-write/quantities.ts';
import type { FileFill } from '../fills/reading.ts';
import type { StatementLine } from './ibkr-languages.ts';

/** Below 0 if short, by symbol. */
export type HeldBefore = ReadonlyMap<string, number>;

/** The section is recognised in any language: quantities before and now, then prices, each -- if its quantity is 0. */
export function heldBefore(lines: readonly StatementLine[]): HeldBefore {
  const isOwn = ({ kind, row: { cells } }: StatementLine) =>
    kind === 'Data' && cells.length > 8 && [2, 3].some((at) => cells[at] === '0' && cells[at + 2] === '--');
  const section = lines.find(isOwn)?.name;
  const held = new Map<string, number>();
  for (const { name, kind, row } of lines) {
    const [, symbol = '', before = ''] = row.cells;
    if (name === section && kind === 'Data' && symbol !== '') held.set(symbol, Number(before.replaceAll(',', '')) || 0);
  }
  return held;
}

/** A fill in the order of the statement, with the symbol as the statement writes it. */
interface Ordered {
  symbol: string;
  /** Below 0 for a sell. */
  signed: number;
  /** Whether its codes say that it closes, then opens. */
  isTurn: boolean;
  fill: FileFill;
}

/** Judges what closes and opens in one: it only closes as long as units held before are open. */
export function judgeTurns(rows: readonly Ordered[], held: HeldBefore): void {
  const open = new Map(held);
  for (const { symbol, signed, isTurn, fill } of rows) {
    const before = open.get(symbol);
    if (!before) continue;
    if (isTurn) fill.judged = 'close';
    const after = asDecimal(before + signed);
    // Once it was flat, all that is open is of this statement.
    if (after * before > 0) open.set(symbol, after);
    else open.delete(symbol);
  }
}
