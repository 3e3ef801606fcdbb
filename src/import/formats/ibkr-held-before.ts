/**
 * Units held before an Activity Statement begins, from its section Mark-to-Market Performance Summary. An order with the code
 * C;O closes and opens at once, but opens nothing if it only closed such units.
 */
import { asDecimal } from '../../money.ts';
import type { FileFill } from '../fills/reading.ts';
import type { StatementLine } from './ibkr-languages.ts';

/** Below 0 if short, by symbol. */
export type HeldBefore = ReadonlyMap<string, number>;

/** Recognises the section in any language by its quantities before and now, then prices, each -- if its quantity is 0. */
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

/** A fill, with the statement's spelling of the symbol. */
interface Coded {
  symbol: string;
  /** Below 0 for a sell. */
  signed: number;
  /** Whether its codes mean that it closes, then opens. */
  isTurn: boolean;
  fill: FileFill;
}

/** The position in a symbol after the rows so far. */
interface Position {
  units: number;
  /** Whether they include units held before the statement. */
  isOlder: boolean;
  /** Whether the last row reversed it. */
  isTurned: boolean;
}

/**
 * Sets the effect of fills that close and open at once. A fill only closes while older units are open. All executions of an
 * order have its codes; the later ones open. An unmatched close opens nothing.
 * @param rows in the order of time
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
      // Once the position was flat, all open units are from this statement.
      isOlder: before.isOlder && units * before.units > 0,
      isTurned: isTurn && !isUnknown && (!isClosing || units * before.units <= 0),
    });
  }
}
