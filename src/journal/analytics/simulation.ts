/**
 * Simulation: paths of 250 further trades, drawn from those of the period. Formulas:
 * docs/analytics.md.
 */

import type * as z from 'zod';
import { moneyOrNull, ratioOrNull, roundMoney, roundRatio } from '../../money.ts';
import * as f from '../fields.ts';
import { type Accumulator, type ClosedTrade, IN_BASE } from './closed-trade.ts';
import { Results } from './sample.ts';
import { meanOf, RANGE, Random, tQuantile } from './statistics.ts';

// Simulated future results: each path draws whole days with weights of its own (Bayesian
// bootstrap of Rubin 1981), because trades of a day move together, and because the days
// of the past are only a sample.

const PATHS = 2000;
/** Trades of a path. */
const LENGTH = 250;
/** Trades of the shorter part at the start of a path, with its own figures. */
const SHORT = 100;
/** Trades between the recorded places of a path. */
const STEP = 25;
const PLACES = Array.from({ length: LENGTH / STEP }, (_, i) => (i + 1) * STEP);

/** One number per path. */
type Figures = Float64Array;

interface Paths {
  /**
   * Longest run of losses and deepest fall from a peak, in the first SHORT trades and in
   * all.
   */
  losingRun: { short: Figures; long: Figures };
  drawdown: { short: Figures; long: Figures };
  /** Lowest cumulative net of the path, at most 0. */
  lowest: Figures;
  /** Cumulative net at each of PLACES. */
  net: Figures[];
}

/** @param isLoss for each result, whether it is a loss */
function bootstrap({ nets, days, seed }: Results, isLoss: readonly boolean[]): Paths {
  const figures = () => new Float64Array(PATHS);
  const paths: Paths = {
    losingRun: { short: figures(), long: figures() },
    drawdown: { short: figures(), long: figures() },
    lowest: figures(),
    net: PLACES.map(figures),
  };
  const byDay = [...Map.groupBy(nets.keys(), (i) => days[i] as number).values()];
  const drawDays = daysDrawer(byDay, new Random(seed));
  const drawn = new Uint32Array(LENGTH);

  for (let path = 0; path < PATHS; path++) {
    drawDays(drawn);
    follow(path, drawn, nets, isLoss, paths);
  }

  return paths;
}

/**
 * @param byDay for each day, the places of its trades
 * @returns function that fills a path (up to LENGTH) with places of trades, day by day
 */
function daysDrawer(
  byDay: readonly (readonly number[])[],
  random: Random,
): (drawn: Uint32Array) => void {
  const weights = new Uint32Array(byDay.length);
  const choices = new Uint32Array(LENGTH);
  const upTo = new Float64Array(byDay.length);

  return (drawn) => {
    random.fill(weights);
    random.fill(choices);
    // Exponential weights over their sum have the distribution Dirichlet(1, ..., 1).
    let total = 0;

    for (let i = 0; i < weights.length; i++) {
      total -= Math.log(((weights[i] as number) + 0.5) / RANGE);
      upTo[i] = total;
    }

    for (let i = 0, choice = 0; i < drawn.length; choice++) {
      const at = ((choices[choice] as number) / RANGE) * total;
      let [low, high] = [0, upTo.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((upTo[middle] as number) > at) high = middle;
        else low = middle + 1;
      }

      for (const trade of (byDay[low] as readonly number[]).slice(0, drawn.length - i))
        drawn[i++] = trade;
    }
  };
}

function follow(
  path: number,
  drawn: Uint32Array,
  nets: readonly number[],
  isLoss: readonly boolean[],
  paths: Paths,
): void {
  let [net, peak, lowest, deepest, run, longest] = [0, 0, 0, 0, 0, 0];
  for (let i = 1; i <= LENGTH; i++) {
    const one = drawn[i - 1] as number;
    net += nets[one] as number;
    if (net > peak) peak = net;
    else if (peak - net > deepest) deepest = peak - net;
    if (net < lowest) lowest = net;
    run = isLoss[one] ? run + 1 : 0;
    if (run > longest) longest = run;

    if (i === SHORT) {
      paths.losingRun.short[path] = longest;
      paths.drawdown.short[path] = deepest;
    }

    if (i % STEP === 0) (paths.net[i / STEP - 1] as Figures)[path] = net;
  }

  paths.losingRun.long[path] = longest;
  paths.drawdown.long[path] = deepest;
  paths.lowest[path] = lowest;
}

// The share of a balance to risk on each trade for the fastest growth (Kelly 1956).
// Formulas: docs/analytics.md.

const kellyRecord = f.orNull(
  f.object(
    () => ({
      fraction: f.ratio(
        'The share to risk: the f with the largest mean of ln(1 + f R); 0 if the mean R is not above 0',
      ),
      low: f.ratio(
        'Low end of the 95 % confidence interval of the estimate, clustered by day of closing, at least 0',
      ),
      high: f.ratio('High end of the interval, at most 1 over the largest loss in R'),
    }),
    'Kelly fraction of the trades with a risk; null with fewer than 30 of these or 10 days, and without a losing R. An estimate from the past, not a size to trade: its interval is wide',
  ),
);

/** @param r at least one value, each with its day; null without a losing one */
export function kellyOf(
  r: readonly number[],
  days: readonly number[],
): z.infer<typeof kellyRecord> {
  const [least, most] = r.reduce(
    ([least, most], one) => [Math.min(least, one), Math.max(most, one)],
    [0, 0],
  );
  if (least === 0) return null;
  // Without a winning R, any risk is too high.
  if (most === 0) return { fraction: 0, low: 0, high: 0 };

  let [low, high, best] = [-1 / most, -1 / least, 0];
  for (let i = 0; i < 100; i++) {
    const { slope, curvature } = growthOf(r, best);
    if (slope > 0) low = best;
    else high = best;
    const step = slope / curvature;
    if (Math.abs(step) <= 1e-12 * Math.abs(best) + 1e-15) break;
    best = best + step > low && best + step < high ? best + step : (low + high) / 2;
  }

  const half = halfWidth(r, days, best);
  const within = (value: number) => roundRatio(Math.min(Math.max(value, 0), -1 / least));
  return { fraction: within(best), low: within(best - half), high: within(best + half) };
}

/**
 * By the sandwich variance (Huber 1967), clustered by day: its two parts would be equal
 * for independent trades.
 */
function halfWidth(
  r: readonly number[],
  days: readonly number[],
  fraction: number,
): number {
  const { curvature } = growthOf(r, fraction);
  const slopes = new Map<number, number>();
  for (const [i, one] of r.entries()) {
    const day = days[i] as number;
    slopes.set(day, (slopes.get(day) ?? 0) + one / (1 + fraction * one));
  }

  const n = slopes.size;
  const meat = [...slopes.values()].reduce((sum, slope) => sum + slope * slope, 0);
  const design = Math.max(1, ((n / (n - 1)) * meat) / curvature);

  return tQuantile(n - 1) * Math.sqrt(design / curvature);
}

/** Slope of the sum of ln(1 + f R) in f, and the rate at which it falls. */
function growthOf(
  r: readonly number[],
  fraction: number,
): { slope: number; curvature: number } {
  let [slope, curvature] = [0, 0];
  for (const one of r) {
    const part = one / (1 + fraction * one);
    slope += part;
    curvature += part * part;
  }
  return { slope, curvature };
}

/** Fewer show too little. */
const LEAST_TRADES = 30;
const LEAST_DAYS = 10;

const twoHorizons = <S extends z.ZodType>(field: (what: string) => S, what: string) => {
  const within = (trades: number) =>
    f.object(
      {
        median: field('Not exceeded in 50 % of the paths'),
        p95: field('More than this: 1 in 20 paths'),
      },
      `Within the next ${trades} trades`,
    );
  return f.orNull(f.object({ next_100: within(SHORT), next_250: within(LENGTH) }, what));
};

const chance = (share: number) =>
  f.ratio(`Share of paths that lose ${share} % of balance or more at any time, 0 to 1`);

export const simulationRecord = f.object(
  () => ({
    sample: f.count('Closed trades of the period, the source of the paths'),
    reason: f.orNull(f.ours('Reason for a missing simulation; else null')),
    balance: f.orNull(
      f.money(
        `Starting balance plus net P&L of all closed trades of the journal, ${IN_BASE}; null without a starting balance`,
      ),
    ),
    average_risk: f.orNull(
      f.object(
        {
          amount: f.money(`Mean risk, ${IN_BASE}`),
          percent: f.orNull(
            f.ratio(
              'The same over balance, 0 to 1 and beyond; null unless balance is above 0',
            ),
          ),
        },
        'Risk per trade, of the trades with a risk; null without any',
      ),
    ),
    losing_run: twoHorizons(
      f.count,
      'Longest run of losing trades; a breakeven ends a run',
    ),
    drawdown: twoHorizons(
      f.money,
      `Largest fall from the running peak, trade by trade, as a positive amount ${IN_BASE}`,
    ),
    chance_of_losing: f.orNull(
      f.object(
        {
          ten_percent: chance(10),
          twenty_percent: chance(20),
          thirty_percent: chance(30),
        },
        `Probability of losing a part of balance at any time within the next ${LENGTH} trades; null unless balance is above 0`,
      ),
    ),
    path: f.list(
      f.item({
        trades: f.count('Number of further trades'),
        p5: f.money(
          `Net P&L of these trades, not exceeded in 5 % of the paths, ${IN_BASE}`,
        ),
        median: f.money('Not exceeded in 50 % of the paths'),
        p95: f.money('Not exceeded in 95 % of the paths'),
      }),
      `Net P&L of further trades, every 25 trades up to ${LENGTH}`,
    ),
    kelly: kellyRecord,
  }),
  `Simulated results, if the next ${LENGTH} trades are like those of the period: ${PATHS} paths of whole days, drawn with weights per path (Bayesian bootstrap). The same request gives the same response`,
);

type SimulationResult = z.infer<typeof simulationRecord>;

const NOTHING = {
  balance: null,
  average_risk: null,
  losing_run: null,
  drawdown: null,
  chance_of_losing: null,
  path: [],
  kelly: null,
};

export class Simulation implements Accumulator {
  readonly columns = ['risk'] as const;
  readonly #results = new Results();
  readonly #isLoss: boolean[] = [];
  readonly #r: number[] = [];
  readonly #daysOfR: number[] = [];
  readonly #risks: number[] = [];

  add(trade: ClosedTrade): void {
    this.#results.add(trade);
    this.#isLoss.push(trade.outcome === 'loss');
    if (trade.r === null) return;
    this.#r.push(trade.r);
    this.#daysOfR.push(trade.day);
    this.#risks.push(trade.risk as number);
  }

  /** @param balance null if unknown */
  result(balance: number | null): SimulationResult {
    const sample = this.#results.n;
    const isTooFew = sample < LEAST_TRADES;
    if (isTooFew || new Set(this.#results.days).size < LEAST_DAYS) {
      const few = isTooFew
        ? `${LEAST_TRADES} closed trades`
        : `${LEAST_DAYS} days with closed trades`;
      return { sample, reason: `fewer than ${few}; choose a longer period`, ...NOTHING };
    }

    const paths = bootstrap(this.#results, this.#isLoss);
    const base = balance !== null && balance > 0 ? balance : null;
    const hasR =
      this.#r.length >= LEAST_TRADES && new Set(this.#daysOfR).size >= LEAST_DAYS;

    return {
      sample,
      reason: null,
      balance: moneyOrNull(balance),
      average_risk: riskOf(this.#risks, base),
      losing_run: horizonsOf(paths.losingRun, (run) => run),
      drawdown: horizonsOf(paths.drawdown, roundMoney),
      chance_of_losing: base === null ? null : chancesOf(paths, base),
      path: PLACES.map((trades, i) => {
        const at = percentilesOf(paths.net[i] as Float64Array, roundMoney);
        return { trades, p5: at(0.05), median: at(0.5), p95: at(0.95) };
      }),
      kelly: hasR ? kellyOf(this.#r, this.#daysOfR) : null,
    };
  }
}

function riskOf(
  risks: readonly number[],
  balance: number | null,
): SimulationResult['average_risk'] {
  const mean = meanOf(risks);
  if (mean === null) return null;
  return {
    amount: roundMoney(mean),
    percent: ratioOrNull(balance === null ? null : mean / balance),
  };
}

/** The smallest figure that a share of the figures don't exceed. */
function percentilesOf(
  figures: Float64Array,
  rounded: (figure: number) => number,
): (share: number) => number {
  const sorted = figures.slice().sort();
  return (share) => rounded(sorted[Math.ceil(share * sorted.length) - 1] as number);
}

function horizonsOf(
  { short, long }: Paths['drawdown'],
  rounded: (figure: number) => number,
) {
  const within = (figures: Float64Array) => {
    const at = percentilesOf(figures, rounded);
    return { median: at(0.5), p95: at(0.95) };
  };
  return { next_100: within(short), next_250: within(long) };
}

function chancesOf(
  { lowest }: Paths,
  balance: number,
): SimulationResult['chance_of_losing'] {
  // Amounts that are equal in decimals may be less in binary.
  const losing = (share: number) =>
    roundRatio(
      lowest.filter((net) => -net >= share * balance * (1 - 1e-12)).length /
        lowest.length,
    );
  return {
    ten_percent: losing(0.1),
    twenty_percent: losing(0.2),
    thirty_percent: losing(0.3),
  };
}
