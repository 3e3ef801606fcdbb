/** Splits, exchanges and transfers of units, from rows that state incoming and outgoing units. */
import type { FileFill } from './reading.ts';

/**
 * The exchange of one instrument for another, or for other units of itself.
 * @param before the row of the outgoing units
 * @param after the row of the incoming units
 */
export function changeOf(before: FileFill, after: FileFill): FileFill[] {
  const stated = { ...after, side: null, effect: null, price: 0, fees: 0 };
  const formerSymbol = before.instrument.symbol;
  const isOther = after.instrument.symbol !== formerSymbol;
  const ratio = Number(after.quantity) / Number(before.quantity);
  const change: FileFill = { ...stated, kind: 'symbol_change', quantity: before.quantity, formerSymbol };
  const split: FileFill = { ...stated, kind: 'split', quantity: ratio };
  return [...(isOther ? [change] : []), ...(ratio !== 1 || !isOther ? [split] : [])];
}

/** Rows of one day, each outgoing one with the incoming one that replaces it. */
export interface Pairs {
  pairs: { before: FileFill; after: FileFill }[];
  /** Rows without a clear counterpart. */
  rest: FileFill[];
}

/** Pairs outgoing with incoming rows: the only two, or the only two with equal units. */
export function pairsOf(rows: readonly FileFill[]): Pairs {
  const ends = (side: FileFill['side'], units?: number | null) =>
    rows.filter((own) => own.side === side && (units === undefined || own.quantity === units));
  const isOnly = ends('sell').length === 1 && ends('buy').length === 1;
  const pairs = ends('sell').flatMap((before) => {
    const units = isOnly ? undefined : before.quantity;
    const [befores, [after, ...others]] = [ends('sell', units), ends('buy', units)];
    return after && others.length === 0 && befores.length === 1 ? [{ before, after }] : [];
  });
  const paired = new Set(pairs.flatMap(({ before, after }) => [before, after]));
  return { pairs, rest: rows.filter((own) => !paired.has(own)) };
}

/** Units that came or went for a reason that the row doesn't state: later trades are unsure. */
export function unclear(row: FileFill): FileFill {
  return { ...row, kind: 'unclear', side: null, quantity: null, effect: null, price: 0, fees: 0 };
}
