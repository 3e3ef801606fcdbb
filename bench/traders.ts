/** Made-up traders whose truth is known: results drawn from a distribution, and labels that have nothing to do with them. */
import { RANGE, Random } from '../src/journal/analytics/random.ts';

export type Draw = () => number;

/** From 0 up to, not including, 1. */
export function uniform(seed: number): Draw {
  const random = new Random(seed);
  const block = new Uint32Array(1024);
  let used = block.length;
  return () => {
    if (used === block.length) {
      random.fill(block);
      used = 0;
    }
    return (block[used++] as number) / RANGE;
  };
}

/** Normally distributed, by Box and Muller's method. */
const normal = (next: Draw) => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** How results are distributed, in R. */
export const TRADERS: Record<string, (next: Draw) => number> = {
  'normal results': (next) => normal(next) + 0.1,
  // Loses 1 R in 65 % of trades; wins are seldom and can be large.
  'trend follower': (next) => (next() < 0.65 ? -1 : Math.exp(0.5 + 1.2 * normal(next))),
  // Keeps 1 R in 90 % of trades; losses are seldom and can be large.
  'option seller': (next) => (next() < 0.9 ? 1 : -Math.exp(1.5 + normal(next))),
};

/** One of so many labels, the first ones more often. */
export const label = (next: Draw, count: number) => Math.floor(count * next() ** 1.3);

/** Of a logarithm that is normally distributed. */
const meanOfExp = (mean: number, deviation: number) => Math.exp(mean + deviation ** 2 / 2);

export const TRUE_MEANS: Record<string, number> = {
  'normal results': 0.1,
  'trend follower': -0.65 + 0.35 * meanOfExp(0.5, 1.2),
  'option seller': 0.9 - 0.1 * meanOfExp(1.5, 1),
};
