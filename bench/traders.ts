/** Simulated traders: results from a known distribution, and labels independent of them. */

import type { ClosedTrade } from '../src/journal/analytics/closed-trade.ts';
import { RANGE, Random } from '../src/journal/analytics/statistics.ts';
import { closed } from './closed-trade.ts';

export type Draw = () => number;

/** From 0 to below 1. */
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

/** Distributions of results, in R. */
export const TRADERS: Record<string, (next: Draw) => number> = {
  'normal results': (next) => normal(next) + 0.1,
  // Loses 1 R in 65 % of trades; wins are rare and can be large.
  'trend follower': (next) => (next() < 0.65 ? -1 : Math.exp(0.5 + 1.2 * normal(next))),
  // Keeps 1 R in 90 % of trades; losses are rare and can be large.
  'option seller': (next) => (next() < 0.9 ? 1 : -Math.exp(1.5 + normal(next))),
};

/** One of a number of labels, the first ones more often. */
export const label = (next: Draw, count: number) => Math.floor(count * next() ** 1.3);

/** The mean of exp(x) to a power, for a normally distributed x. */
const meanOfExp = (mean: number, deviation: number, power = 1) => Math.exp(power * mean + (power * deviation) ** 2 / 2);

export const TRUE_MEANS: Record<string, number> = {
  'normal results': 0.1,
  'trend follower': -0.65 + 0.35 * meanOfExp(0.5, 1.2),
  'option seller': 0.9 - 0.1 * meanOfExp(1.5, 1),
};

const SQUARES: Record<string, number> = {
  'normal results': 1 + 0.1 ** 2,
  'trend follower': 0.65 + 0.35 * meanOfExp(0.5, 1.2, 2),
  'option seller': 0.9 + 0.1 * meanOfExp(1.5, 1, 2),
};

/** The standard deviation of a trader's results. */
export const deviationOf = (name: string) => Math.sqrt((SQUARES[name] as number) - (TRUE_MEANS[name] as number) ** 2);

const AFTER = ['none', 'win', 'breakeven', 'loss', 'losses'] as const;
const WEEK = 7 * 86_400_000;

/**
 * A journal of one trader with labels of all kinds, independent of the results. Only a fifth of the trades, those with the emotion
 * "angry", are worse by a number of standard deviations.
 */
export function* madeUp(name: string, trades: number, seed: number, worse = 0): Generator<ClosedTrade> {
  const next = uniform(seed);
  const shift = worse * deviationOf(name);
  for (let i = 0; i < trades; i++) {
    const isAngry = next() < 0.2;
    const enteredMs = Date.UTC(2020, 0, 6, 14) + Math.floor(next() * 52 * 5) * (WEEK / 7) + label(next, 7) * 3_600_000;
    yield closed({
      net: (TRADERS[name] as (next: Draw) => number)(next) - (isAngry ? shift : 0),
      enteredMs,
      closedMs: enteredMs + 60_000 + i,
      setup: `setup ${label(next, 6)}`,
      symbol: `X${label(next, 12)}`,
      underlying: `Y${label(next, 8)}`,
      side: next() < 0.6 ? 'long' : 'short',
      tags: next() < 0.3 ? ['news'] : next() < 0.3 ? ['news', 'open'] : [],
      mistakes: next() < 0.2 ? ['chased'] : [],
      emotions: isAngry ? ['angry'] : [],
      context: {
        sequence: { after: AFTER[label(next, 5)] ?? 'none', sinceLoss: next() * 1e7, tradeOfDay: 1 + label(next, 12) },
        session: { mood: null, energy: 1 + label(next, 5), sleepHours: 5 + 4 * next(), followedPlan: next() < 0.5 },
        size: 3 * next(),
      },
    });
  }
}
