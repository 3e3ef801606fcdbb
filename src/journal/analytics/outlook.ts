/**
 * The standing of an account against its limits, close by close, and its chances to pass or to
 * breach a limit within the next days. Formulas: docs/limits.md.
 */
import type * as z from 'zod';
import { roundRatio } from '../../money.ts';
import * as f from '../fields.ts';
import type { AccountRules } from './account-rules.ts';
import { daysDrawer, PATHS } from './simulation.ts';
import { Random } from './statistics.ts';

type Rule = 'max_loss' | 'daily_loss';

/**
 * Binary noise of sums, as a part of their size: less than any difference of amounts in decimals.
 */
const NOISE = 2 ** -43;

/**
 * Limits as numbers that never hold where a rule is missing. Amounts are profit: a balance less the
 * one at the start.
 */
export interface Bounds {
  isEndOfDay: boolean;
  isIntraday: boolean;
  /** Size of the amounts. */
  size: number;
  maxLoss: number;
  highestFloor: number;
  dailyLoss: number;
  target: number;
  bestDay: number;
  days: number;
  dayProfit: number;
}

export function boundsOf(rules: AccountRules): Bounds {
  return {
    isEndOfDay: rules.trailing === 'eod',
    isIntraday: rules.trailing === 'intraday',
    size: rules.balance + rules.max_loss,
    maxLoss: rules.max_loss,
    highestFloor: rules.locks_at === null ? Infinity : rules.locks_at - rules.balance,
    dailyLoss: rules.daily_loss ?? Infinity,
    target: rules.target ?? Infinity,
    bestDay: rules.best_day ?? Infinity,
    days: rules.min_days ?? 0,
    dayProfit: rules.min_day_profit ?? -Infinity,
  };
}

/**
 * The closes of one day: the profit of the day after each, the lowest and highest of these, and the
 * last.
 */
export interface DayOfCloses {
  profits: number[];
  low: number;
  high: number;
  last: number;
}

export class Standing {
  readonly bounds: Bounds;
  profit = 0;
  /** The profit that the floor follows. */
  high = 0;
  /** Number of the current day. */
  day = -Infinity;
  /** Profit at its start. */
  #before = 0;
  #isTraded = false;
  /** Counted days and best day before the current one. */
  #counted = 0;
  #best: { day: number; net: number } | null = null;
  breached: Rule | null = null;
  /** Whether all conditions hold now, and nothing was ever breached. */
  isPassed = false;

  constructor(bounds: Bounds) {
    this.bounds = bounds;
  }

  copy(): Standing {
    const copy = new Standing(this.bounds);
    Object.assign(copy, this);
    copy.#before = this.#before;
    copy.#isTraded = this.#isTraded;
    copy.#counted = this.#counted;
    copy.#best = this.#best;
    return copy;
  }

  /** Ends the days before this one. */
  enter(day: number): void {
    if (day <= this.day) return;
    if (this.bounds.isEndOfDay && this.profit > this.high) this.high = this.profit;
    this.#counted = this.counted;
    this.#best = this.best;
    this.day = day;
    this.#before = this.profit;
    this.#isTraded = false;
  }

  get dayNet(): number {
    return this.profit - this.#before;
  }

  /** What sums may be off by. */
  get noise(): number {
    return (this.bounds.size + Math.abs(this.profit)) * NOISE;
  }

  get floor(): number {
    return this.floorBelow(this.high);
  }

  /** The floor if it follows this profit. */
  floorBelow(high: number): number {
    return Math.min(high - this.bounds.maxLoss, this.bounds.highestFloor);
  }

  /** Days that count, with the current one. */
  get counted(): number {
    return (
      this.#counted + (this.#isTraded && this.dayNet >= this.bounds.dayProfit - this.noise ? 1 : 0)
    );
  }

  /**
   * The day with the highest net of those with trades, the first of equals; null without trades.
   */
  get best(): { day: number; net: number } | null {
    if (!this.#isTraded || (this.#best && this.dayNet <= this.#best.net + this.noise))
      return this.#best;
    return { day: this.day, net: this.dayNet };
  }

  /** The rule that a profit would breach now. */
  ruleBreachedAt(profit: number): Rule | null {
    if (profit <= this.floor + this.noise) return 'max_loss';
    return profit - this.#before <= this.noise - this.bounds.dailyLoss ? 'daily_loss' : null;
  }

  /** @param profit after the trades that close at one instant of the current day */
  close(profit: number): void {
    this.profit = profit;
    this.#isTraded = true;
    if (this.bounds.isIntraday && profit > this.high) this.high = profit;
    this.breached ??= this.ruleBreachedAt(profit);
    this.isPassed = this.breached === null && this.#meetsTarget();
  }

  #meetsTarget(): boolean {
    const { target, days, bestDay } = this.bounds;
    if (this.profit < target - this.noise || this.counted < days) return false;
    return (this.best?.net ?? 0) <= bestDay * this.profit + this.noise;
  }

  /**
   * A whole day at once. @returns false, having done nothing, if a close of it might breach a rule
   * or pass
   */
  closeQuietly({ low, high, last }: DayOfCloses): boolean {
    const { isIntraday, target, dailyLoss } = this.bounds;
    const noise = this.noise + Math.max(high, -low) * NOISE;
    const highest = isIntraday ? Math.max(this.high, this.profit + high) : this.high;
    const lowest = this.profit + low;
    if (lowest <= this.floorBelow(highest) + noise || low <= noise - dailyLoss) return false;
    if (this.profit + high >= target - noise) return false;
    this.high = highest;
    this.profit += last;
    this.#isTraded = true;
    return true;
  }
}

// Chances, by paths of further days.

/** Fewer days show too little. */
const LEAST_DAYS = 20;
const HORIZONS = [20, 60] as const;
const LONGEST = HORIZONS[1];

const share = (what: string) => f.ratio(`Share of paths that ${what}, 0 to 1`);

export const outlookRecord = f.object(
  {
    sample: f.count('Days with trades, the source of the paths'),
    reason: f.orNull(f.ours('Reason for missing chances; else null')),
    chances: f.orNull(
      f.list(
        f.item({
          days: f.count('Number of further days with trades'),
          passed: f.orNull(share('pass first; null without a target')),
          breached: share('breach a limit first'),
          neither: share('do neither'),
        }),
        'One row for each number of days',
      ),
    ),
  },
  `What may happen if the next days are like those so far: ${PATHS} paths of whole days, drawn with weights per path as for simulation`,
);

type Outlook = z.infer<typeof outlookRecord>;

/** @param standing after the last close; it stays as it is */
export function outlookOf(
  standing: Standing,
  days: readonly DayOfCloses[],
  seed: number,
  hasPassed: boolean,
): Outlook {
  const sample = days.length;
  const reason =
    standing.breached !== null
      ? 'a limit was breached'
      : hasPassed
        ? 'the account has passed'
        : sample < LEAST_DAYS
          ? `fewer than ${LEAST_DAYS} days with trades`
          : null;
  if (reason !== null) return { sample, reason, chances: null };
  /** Numbers of paths that end on a day, by the number of days to it. */
  const ends = { passed: new Uint32Array(LONGEST + 1), breached: new Uint32Array(LONGEST + 1) };
  const draw = daysDrawer(
    days.map((_, i) => [i]),
    new Random(seed),
  );
  const drawn = new Uint32Array(LONGEST);
  for (let path = 0; path < PATHS; path++) {
    draw(drawn);
    const own = standing.copy();
    for (let i = 0; i < LONGEST && own.breached === null && !own.isPassed; i++) {
      const day = days[drawn[i] as number] as DayOfCloses;
      follow(own, day);
      if (own.breached !== null) (ends.breached[i + 1] as number)++;
      else if (own.isPassed) (ends.passed[i + 1] as number)++;
    }
  }
  const within = (counts: Uint32Array, last: number) =>
    counts.subarray(0, last + 1).reduce((sum, n) => sum + n, 0);
  const hasTarget = Number.isFinite(standing.bounds.target);
  const chances = HORIZONS.map((last) => {
    const [passed, breached] = [within(ends.passed, last), within(ends.breached, last)];
    return {
      days: last,
      passed: hasTarget ? roundRatio(passed / PATHS) : null,
      breached: roundRatio(breached / PATHS),
      neither: roundRatio((PATHS - passed - breached) / PATHS),
    };
  });
  return { sample, reason, chances };
}

/** Adds a day, up to the close that ends the path. */
function follow(standing: Standing, day: DayOfCloses): void {
  standing.enter(standing.day + 1);
  if (standing.closeQuietly(day)) return;
  const before = standing.profit;
  for (const profit of day.profits) {
    standing.close(before + profit);
    if (standing.breached !== null || standing.isPassed) return;
  }
}
