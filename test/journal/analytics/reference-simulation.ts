/** The simulation a second time: days drawn with other random numbers and other weights; the Kelly fraction by search. */
import { Exact } from './exact.ts';
import { Figure, meanOf, money, ratio } from './figure.ts';
import {
  type Chosen,
  type Counted,
  counted,
  EVERYTHING,
  type Journal,
  rateOf,
  riskOf,
  type Span,
  type Unit,
} from './reference.ts';
import { quantile } from './reference-confidence.ts';
import { chance } from './reference-permutation.ts';

const PATHS = 2000;

interface Drawn {
  net: number;
  isLoss: boolean;
}

/** Whole days, drawn with weights that each path draws first: as many uniform gaps on a line as there are days. */
function paths(days: Drawn[][]): Drawn[][] {
  const next = chance(99);
  return Array.from({ length: PATHS }, () => {
    const cuts = [
      0,
      ...Array.from({ length: days.length - 1 }, next).sort((a, b) => a - b),
      1,
    ];
    const path: Drawn[] = [];
    while (path.length < 250) {
      const at = next();
      path.push(...days[cuts.findLastIndex((cut) => cut <= at)]!);
    }
    return path.slice(0, 250);
  });
}

/** A percentile within five standard errors of both samples. */
function percentile(values: number[], share: number): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const off = 5 * Math.sqrt((2 * share * (1 - share)) / PATHS);
  const at = (share: number) =>
    sorted[Math.min(Math.max(Math.round(share * PATHS), 0), PATHS - 1)]!;
  const size = Math.max(...sorted.map(Math.abs)) * 1e-12 + 1e-8;
  const [low, high] = [at(share - off) - size, at(share + off) + size];
  return Figure.where((given) => given >= low && given <= high, at(share));
}

function shareOf(count: number): Figure {
  const share = count / PATHS;
  const off = 5 * Math.sqrt((2 * share * (1 - share) + 0.002) / PATHS);
  return Figure.where((given) => Math.abs(given - share) <= off, share);
}

function longestRun(path: Drawn[]): number {
  let [run, longest] = [0, 0];
  for (const { isLoss } of path) {
    run = isLoss ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function totals(path: Drawn[]): number[] {
  const all = [0];
  for (const { net } of path) all.push(all.at(-1)! + net);
  return all;
}

const deepest = (totals: number[]) => {
  let [peak, fall] = [0, 0];
  for (const total of totals) {
    peak = Math.max(peak, total);
    fall = Math.max(fall, peak - total);
  }
  return fall;
};

/** The f with the largest mean of ln(1 + f R): by golden section, because there is one maximum. */
export function kelly(
  r: number[],
  dates: string[],
): { fraction: Figure; low: Figure; high: Figure } | null {
  const least = Math.min(...r);
  const days = [...new Set(dates)];
  if (r.length < 30 || days.length < 10 || least >= 0) return null;
  const near = (value: number) =>
    Figure.where(
      (given) => Math.abs(given - value) <= 2e-6 + Math.abs(value) * 1e-6,
      value,
    );
  const most = Math.max(...r);
  if (most <= 0) return { fraction: near(0), low: near(0), high: near(0) };
  const slope = (f: number) => r.reduce((sum, one) => sum + one / (1 + f * one), 0);
  let [from, to] = [-1 / most, -1 / least];
  for (let i = 0; i < 200; i++) {
    const middle = (from + to) / 2;
    if (slope(middle) > 0) from = middle;
    else to = middle;
  }
  // Both parts of the sandwich by differences: the fall of the slope, and its variance.
  const step = (-1 / least + 1 / most) * 1e-6;
  const bread = (slope(from - step) - slope(from + step)) / (2 * step);
  const ofTrades = r.map((one) => one / (1 + from * one));
  const single = ofTrades.reduce((sum, one) => sum + one ** 2, 0);
  const ofDays = days.map((day) =>
    ofTrades.reduce((sum, one, i) => sum + (dates[i] === day ? one : 0), 0),
  );
  const clustered =
    (ofDays.reduce((sum, one) => sum + one ** 2, 0) * days.length) / (days.length - 1);
  const half =
    (quantile(days.length - 1) * Math.sqrt(Math.max(single, clustered))) / bread;
  const within = (value: number) => near(Math.min(Math.max(value, 0), -1 / least));
  return { fraction: within(from), low: within(from - half), high: within(from + half) };
}

function riskInBase(journal: Journal, one: Counted, unit: Unit): Exact {
  const last = one.trades.find(({ id }) => id === one.id)!;
  const group =
    unit === 'position'
      ? journal.groups.find(({ id }) => id === one.group_id)
      : undefined;
  const risk = group ? Exact.of(group.initial_risk!) : riskOf(last)!;
  return risk.times(rateOf(journal.person, last)!);
}

export function simulation(journal: Journal, span: Span, chosen: Chosen) {
  const { person } = journal;
  const trades = counted(journal, span, chosen);
  const sample = trades.length;
  const days = [...Map.groupBy(trades, ({ date }) => date).values()];
  if (sample < 30 || days.length < 10) {
    const few = sample < 30 ? '30 closed trades' : '10 days with closed trades';
    return {
      sample,
      reason: `fewer than ${few}; choose a longer period`,
      balance: null,
      average_risk: null,
      losing_run: null,
      drawdown: null,
      chance_of_losing: null,
      path: [],
      kelly: null,
    };
  }
  const all = counted(journal, EVERYTHING, {
    filters: {},
    where: undefined,
    unit: 'trade',
  }).map(({ net }) => net);
  const start = person.starting_balance;
  const balance = start === null ? null : Exact.of(start).plus(Exact.sum(all));
  const base = balance !== null && balance.sign > 0 ? balance : null;
  const risk = meanOf(
    trades
      .filter(({ r }) => r !== null)
      .map((one) => riskInBase(journal, one, chosen.unit)),
  );
  const drawn = paths(
    days.map((of) =>
      of.map(({ net, outcome }) => ({ net: net.toNumber(), isLoss: outcome === 'loss' })),
    ),
  );
  const sums = drawn.map(totals);
  const bothEnds = (figure: (i: number, trades: number) => number) => {
    const within = (trades: number) => {
      const values = drawn.map((_, i) => figure(i, trades));
      return { median: percentile(values, 0.5), p95: percentile(values, 0.95) };
    };
    return { next_100: within(100), next_250: within(250) };
  };
  const losing = (share: number) =>
    shareOf(
      sums.filter(
        (totals) => Math.min(...totals) <= -share * base!.toNumber() * (1 - 1e-9),
      ).length,
    );
  return {
    sample,
    reason: null,
    balance: balance && money(balance),
    average_risk: risk && {
      amount: money(risk),
      percent: base && ratio(risk.over(base)),
    },
    losing_run: bothEnds((i, trades) => longestRun(drawn[i]!.slice(0, trades))),
    drawdown: bothEnds((i, trades) => deepest(sums[i]!.slice(0, trades + 1))),
    chance_of_losing: base && {
      ten_percent: losing(0.1),
      twenty_percent: losing(0.2),
      thirty_percent: losing(0.3),
    },
    path: Array.from({ length: 10 }, (_, i) => {
      const values = sums.map((totals) => totals[25 * (i + 1)]!);
      const [p5, median, p95] = [0.05, 0.5, 0.95].map((share) =>
        percentile(values, share),
      );
      return { trades: 25 * (i + 1), p5, median, p95 };
    }),
    kelly: kelly(
      trades.flatMap(({ r }) => (r === null ? [] : [r.toNumber()])),
      trades.flatMap(({ r, date }) => (r === null ? [] : [date])),
    ),
  };
}
