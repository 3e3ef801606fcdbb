/** Splits, exchanges and transfers of units, from the rows that state what comes and what goes. */
import type { FileFill } from './reading.ts';

/**
 * One instrument that turns into another, or into other units of itself.
 * @param before the row of the units that go
 * @param after the row of the units that come
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

/** Rows of one day, of which each that goes became one that comes. */
export interface Pairs {
  pairs: { before: FileFill; after: FileFill }[];
  /** Of which the rows don't say what became what. */
  rest: FileFill[];
}

/** Pairs what goes with what comes: the only two, or the only two of as many units. */
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

/** Units that came or went, and the row doesn't say what for: trades since are unsure. */
export function unclear(row: FileFill): FileFill {
  return { ...row, kind: 'unclear', side: null, quantity: null, effect: null, price: 0, fees: 0 };
}
