/** Repeatable random numbers: the same seed gives the same numbers on every machine. */

export type Dice = ReturnType<typeof dice>;

/** @param seed several numbers form one seed, so that a day or a record has its own dice */
export function dice(...seed: number[]) {
  let state = seed.reduce((all, part) => Math.imul(all ^ part, 0x9e3779b1) ^ (all >>> 15), 0x2545f491);
  /** Mulberry32: from 0 to below 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + next() * (high - low);
  const int = (low: number, high: number): number => Math.floor(between(low, high + 1));
  const pick = <T>(from: readonly T[]): T => from[int(0, from.length - 1)]!;
  return {
    next,
    between,
    int,
    pick,
    chance: (probability: number): boolean => next() < probability,
    /** One of a list; a weight is a whole number, proportional to the probability. */
    weighted: <T extends { weight: number }>(from: readonly T[]): T =>
      pick(from.flatMap((one) => Array<T>(one.weight).fill(one))),
    /** Up to `count` different items of a list. */
    some: <T>(from: readonly T[], count: number): T[] => [...new Set(Array.from({ length: count }, () => pick(from)))],
    /** Roughly normal, with mean 0 and standard deviation 1. */
    bell: (): number => (next() + next() + next() + next() - 2) * Math.sqrt(3),
  };
}
