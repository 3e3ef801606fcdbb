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

/** A fill, with the symbol as the statement writes it. */
interface Coded {
  symbol: string;
  /** Below 0 for a sell. */
  signed: number;
  /** Whether its codes say that it closes, then opens. */
  isTurn: boolean;
  fill: FileFill;
}

/** What the rows so far make of a symbol. */
interface Position {
  units: number;
  /** Whether units held before the statement are among them. */
  isOlder: boolean;
  /** Whether the last row turned it. */
  isTurned: boolean;
}

/**
 * Judges what closes and opens in one. It only closes as long as units held before are open. Of several executions of one order, which all
 * have its codes, the later ones open. If the rows don't have what it closes, it opens nothing.
 * @param rows in the order of their times
 */
export function judgeTurns(rows: readonly Coded[], held: HeldBefore = new Map()): void {
  const positions = new Map<string, Position>();
  for (const { symbol, signed, isTurn, fill } of rows) {
    const key = JSON.stringify([fill.account, symbol]);
    const older = held.get(symbol) ?? 0;
    const before = positions.get(key) ?? { units: older, isOlder: older !== 0, isTurned: false };
    const isClosing = before.units * signed < 0;
    if (isTurn && isClosing && before.isOlder) fill.judged = 'close';
    else if (isTurn && before.isTurned && !isClosing) fill.judged = 'open';
    const isUnknown = isTurn && !isClosing && !before.isTurned;
    const units = isUnknown ? before.units : asDecimal(before.units + signed);
    positions.set(key, {
      units,
      // Once it was flat, all that is open is of this statement.
      isOlder: before.isOlder && units * before.units > 0,
      isTurned: isTurn && !isUnknown && (!isClosing || units * before.units <= 0),
    });
  }
}
