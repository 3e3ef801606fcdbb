/** Confidence intervals of figures. Formulas: docs/analytics.md. */
import type * as z from 'zod';
import { moneyOrNull, roundMoney, roundRatio } from '../../money.ts';
import * as f from '../fields.ts';
import { IN_BASE } from './base-currency.ts';
import type { Moments } from './moments.ts';
import { tQuantile, Z } from './student-t.ts';
import type { Tally } from './tally.ts';

const LEVEL = 0.95;

export const confidenceRecord = f.object(
  () => ({
    level: f.plain('Share of such intervals that contain the true value, 0 to 1'),
    win_rate: f.orNull(f.interval('[low, high] of win_rate (Wilson 1927); null without trades')),
    expectancy: f.orNull(
      f.interval(`[low, high] of expectancy (Student's t), ${IN_BASE}; null with fewer than 2 trades`, 'money'),
    ),
    expectancy_r: f.orNull(
      f.interval("[low, high] of expectancy_r (Student's t); null with fewer than 2 trades with a risk"),
    ),
    expectancy_trades_needed: f.orNull(
      f.revealing(
        'money',
        f.count(
          'Number of trades with this mean and deviation until the interval of expectancy excludes 0; null if the mean is 0, and with fewer than 2 trades',
        ),
      ),
    ),
  }),
  '95 % confidence intervals, as if the trades were independent draws. If the interval of expectancy contains 0, luck could explain the result',
);

/** @param r R multiples of the trades with a risk */
export function confidenceOf(all: Tally, r: Moments): z.infer<typeof confidenceRecord> {
  const [winRate, ofR] = [wilson(all.wins, all.trades), meanInterval(r)];
  return {
    level: LEVEL,
    win_rate: winRate?.map(roundRatio) ?? null,
    expectancy: expectancyInterval(all),
    expectancy_r: ofR?.map(roundRatio) ?? null,
    expectancy_trades_needed: tradesNeeded(all.net),
  };
}

/** Interval of the mean net, rounded; null with fewer than 2 trades. */
export function expectancyInterval(tally: Tally): [low: number, high: number] | null {
  const interval = meanInterval(tally.net);
  return interval && [roundMoney(interval[0]), roundMoney(interval[1])];
}

/** Wilson's score interval (1927) of a share. */
function wilson(part: number, n: number): [low: number, high: number] | null {
  if (n === 0) return null;
  const [share, square] = [part / n, Z * Z];
  const middle = (share + square / (2 * n)) / (1 + square / n);
  const half = (Z / (1 + square / n)) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n));
  return [middle - half, middle + half];
}

/** Student's interval (1908) of a mean. */
function meanInterval({ n, mean, variance }: Moments): [low: number, high: number] | null {
  if (mean === null || variance === null) return null;
  const half = tQuantile(n - 1) * Math.sqrt(variance / n);
  return [mean - half, mean + half];
}

/** The smallest n at which the interval of the mean excludes 0, with the same mean and variance; null if none is a safe integer. */
function tradesNeeded({ mean, variance }: Moments): number | null {
  if (variance === null || !moneyOrNull(mean)) return null;
  const most = Math.abs(mean as number) / Math.sqrt(variance);
  const isEnough = (n: number) => tQuantile(n - 1) / Math.sqrt(n) < most;
  let enough = 2;
  while (!isEnough(enough)) {
    enough *= 2;
    if (enough > Number.MAX_SAFE_INTEGER) return null;
  }
  let tooFew = enough === 2 ? 1 : enough / 2;
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}
