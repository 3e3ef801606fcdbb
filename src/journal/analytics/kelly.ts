/** The share of a balance to risk on each trade for the fastest growth (Kelly 1956). Formulas: docs/analytics.md. */
import type * as z from 'zod';
import { roundRatio } from '../../money.ts';
import * as f from '../fields.ts';
import { Z } from './student-t.ts';

export const kellyRecord = f.orNull(
  f.object(
    () => ({
      fraction: f.ratio(
        'The share to risk: the f with the largest mean of ln(1 + f R); 0 if the mean R is not above 0',
      ),
      low: f.ratio('Low end of its 95 % confidence interval, at least 0'),
      high: f.ratio('High end of the interval, at most 1 over the largest loss in R'),
    }),
    'Kelly fraction of the trades with a risk; null with fewer than 30 of these, and without a losing R',
  ),
);

/** Pauses after each pass over the values. @param r at least one value; null without a losing one */
export function* kellyOf(r: readonly number[]): Generator<void, z.infer<typeof kellyRecord>> {
  const [least, most] = r.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [0, 0]);
  if (least === 0) return null;
  // Without a winning R, any risk is too high.
  if (most === 0) return { fraction: 0, low: 0, high: 0 };
  let [low, high, best] = [-1 / most, -1 / least, 0];
  for (let i = 0; i < 100; i++) {
    const { slope, curvature } = growthOf(r, best);
    yield;
    if (slope > 0) low = best;
    else high = best;
    const step = slope / curvature;
    if (Math.abs(step) <= 1e-12 * Math.abs(best) + 1e-15) break;
    best = best + step > low && best + step < high ? best + step : (low + high) / 2;
  }
  const half = Z / Math.sqrt(growthOf(r, best).curvature);
  const within = (value: number) => roundRatio(Math.min(Math.max(value, 0), -1 / least));
  return { fraction: within(best), low: within(best - half), high: within(best + half) };
}

/** Slope of the sum of ln(1 + f R) in f, and the rate at which it falls. */
function growthOf(r: readonly number[], fraction: number): { slope: number; curvature: number } {
  let [slope, curvature] = [0, 0];
  for (const one of r) {
    const part = one / (1 + fraction * one);
    slope += part;
    curvature += part * part;
  }
  return { slope, curvature };
}
