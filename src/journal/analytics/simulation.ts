/** Simulation: paths of 250 further trades, drawn from those of the period. Formulas: docs/analytics.md. */

import type * as z from 'zod';
import { moneyOrNull, ratioOrNull, roundMoney, roundRatio, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { type Accumulator, type ClosedTrade, IN_BASE, Results } from './closed-trade.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { meanOf, RANGE, Random, Z } from './statistics.ts';

// Simulated future results: paths drawn from past results with replacement, in blocks to keep streaks (stationary bootstrap of Politis
// and Romano 1994).

const PATHS = 2000;
/** Trades of a path. */
const LENGTH = 250;
/** Trades of the shorter part at the start of a path, with its own figures. */
const SHORT = 100;
/** Trades between the recorded places of a path. */
const STEP = 25;
const PLACES = Array.from({ length: LENGTH / STEP }, (_, i) => (i + 1) * STEP);

/** About a millisecond. */
const PATHS_A_STEP = 50;

/** One number per path. */
type Figures = Float64Array;

interface Paths {
  /** Longest run of losses and deepest fall from a peak, in the first SHORT trades and in all. */
  losingRun: { short: Figures; long: Figures };
  drawdown: { short: Figures; long: Figures };
  /** Lowest cumulative net of the path, at most 0. */
  lowest: Figures;
  /** Cumulative net at each of PLACES. */
  net: Figures[];
}

/** @param isLoss for each result, whether it is a loss */
function* bootstrap(nets: Float64Array, isLoss: readonly boolean[], seed: number): Generator<void, Paths> {
  const figures = () => new Float64Array(PATHS);
  const paths: Paths = {
    losingRun: { short: figures(), long: figures() },
    drawdown: { short: figures(), long: figures() },
    lowest: figures(),
    net: PLACES.map(figures),
  };
  const random = new Random(seed);
  const drawn = new Uint32Array(LENGTH);
  for (let path = 0; path < PATHS; path++) {
    drawInBlocks(drawn, nets.length, random);
    follow(path, drawn, nets, isLoss, paths);
    if (path % PATHS_A_STEP === PATHS_A_STEP - 1) yield;
  }
  return paths;
}

const numbers = new Uint32Array(2 * LENGTH);

/** Draws the results of a path in blocks with a mean length of the cube root of n; the first result follows the last. */
function drawInBlocks(drawn: Uint32Array, n: number, random: Random): void {
  const begins = RANGE / Math.cbrt(n);
  random.fill(numbers);
  let at = 0;
  for (let i = 0; i < LENGTH; i++) {
    const isNew = i === 0 || (numbers[2 * i] as number) < begins;
    at = isNew ? Math.floor(((numbers[2 * i + 1] as number) / RANGE) * n) : (at + 1) % n;
    drawn[i] = at;
  }
}

function follow(path: number, drawn: Uint32Array, nets: Float64Array, isLoss: readonly boolean[], paths: Paths): void {
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

// The share of a balance to risk on each trade for the fastest growth (Kelly 1956). Formulas: docs/analytics.md.

const kellyRecord = f.orNull(
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

/** Fewer show too little. */
const LEAST_TRADES = 30;

const twoHorizons = <S extends z.ZodType>(field: (what: string) => S, what: string) => {
  const within = (trades: number) =>
    f.object(
      { median: field('Not exceeded in 50 % of the paths'), p95: field('Not exceeded in 95 % of the paths') },
      `Within the next ${trades} trades`,
    );
  return f.orNull(f.object({ next_100: within(SHORT), next_250: within(LENGTH) }, what));
};

const chance = (share: number) => f.ratio(`Share of paths that lose ${share} % of balance or more at any time, 0 to 1`);

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
          percent: f.orNull(f.ratio('The same over balance, 0 to 1 and beyond; null unless balance is above 0')),
        },
        'Risk per trade, of the trades with a risk; null without any',
      ),
    ),
    losing_run: twoHorizons(f.count, 'Longest run of losing trades; a breakeven ends a run'),
    drawdown: twoHorizons(
      f.money,
      `Largest fall from the running peak, trade by trade, as a positive amount ${IN_BASE}`,
    ),
    chance_of_losing: f.orNull(
      f.object(
        { ten_percent: chance(10), twenty_percent: chance(20), thirty_percent: chance(30) },
        `Probability of losing a part of balance at any time within the next ${LENGTH} trades; null unless balance is above 0`,
      ),
    ),
    path: f.list(
      f.item({
        trades: f.count('Number of further trades'),
        p5: f.money(`Net P&L of these trades, not exceeded in 5 % of the paths, ${IN_BASE}`),
        median: f.money('Not exceeded in 50 % of the paths'),
        p95: f.money('Not exceeded in 95 % of the paths'),
      }),
      `Net P&L of further trades, every 25 trades up to ${LENGTH}`,
    ),
    kelly: kellyRecord,
  }),
  `Simulated results, if the next ${LENGTH} trades are like those of the period: ${PATHS} paths by a stationary bootstrap. The same request gives the same response`,
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
  readonly #risks: number[] = [];

  add(trade: ClosedTrade): void {
    this.#results.add(trade);
    this.#isLoss.push(trade.outcome === 'loss');
    if (trade.r === null) return;
    this.#r.push(trade.r);
    this.#risks.push(trade.risk as number);
  }

  /** Simulates with pauses. @param balance null if unknown */
  *result(balance: number | null): Generator<void, SimulationResult> {
    const sample = this.#results.n;
    if (sample < LEAST_TRADES) {
      return { sample, reason: `fewer than ${LEAST_TRADES} closed trades; choose a longer period`, ...NOTHING };
    }
    const paths = yield* bootstrap(this.#results.nets, this.#isLoss, this.#results.seed);
    const base = balance !== null && balance > 0 ? balance : null;
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
      kelly: this.#r.length < LEAST_TRADES ? null : yield* kellyOf(this.#r),
    };
  }
}

/** Balance after all closed trades of the journal, for any request; null without a starting balance. */
export function* balanceOf(reader: Reader, user: User): Generator<void, number | null> {
  if (user.starting_balance === null) return null;
  const net = new Sum();
  net.add(user.starting_balance);
  const everything = { range: { from: null, to: null }, filters: {}, unit: 'trade' } as const;
  yield* visitClosedTrades(reader, user, everything, [{ columns: [], add: (trade) => net.add(trade.net) }]);
  return net.value;
}

function riskOf(risks: readonly number[], balance: number | null): SimulationResult['average_risk'] {
  const mean = meanOf(risks);
  if (mean === null) return null;
  return { amount: roundMoney(mean), percent: ratioOrNull(balance === null ? null : mean / balance) };
}

/** The smallest figure that a share of the figures don't exceed. */
function percentilesOf(figures: Float64Array, rounded: (figure: number) => number): (share: number) => number {
  const sorted = figures.slice().sort();
  return (share) => rounded(sorted[Math.ceil(share * sorted.length) - 1] as number);
}

function horizonsOf({ short, long }: Paths['drawdown'], rounded: (figure: number) => number) {
  const within = (figures: Float64Array) => {
    const at = percentilesOf(figures, rounded);
    return { median: at(0.5), p95: at(0.95) };
  };
  return { next_100: within(short), next_250: within(long) };
}

function chancesOf({ lowest }: Paths, balance: number): SimulationResult['chance_of_losing'] {
  // Amounts that are equal in decimals may be less in binary.
  const losing = (share: number) =>
    roundRatio(lowest.filter((net) => -net >= share * balance * (1 - 1e-12)).length / lowest.length);
  return { ten_percent: losing(0.1), twenty_percent: losing(0.2), thirty_percent: losing(0.3) };
}
