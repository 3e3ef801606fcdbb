/**
 * The standing of an account against its limits, exit by exit. Formulas: docs/limits.md.
 */
import type { AccountRules } from './account-rules.ts';

type Rule = 'max_loss' | 'daily_loss';

/**
 * Binary noise of sums, as a part of their size: less than any difference of amounts in
 * decimals.
 */
const NOISE = 2 ** -43;

/**
 * Limits as numbers that never hold where a rule is missing. Amounts are profit: a
 * balance less the one at the start.
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

export class Standing {
  readonly bounds: Bounds;
  profit = 0;
  /** Cash flows so far: they move the balance, and nothing else. */
  cash = 0;
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
    return (this.bounds.size + Math.abs(this.profit) + Math.abs(this.cash)) * NOISE;
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
      this.#counted +
      (this.#isTraded && this.dayNet >= this.bounds.dayProfit - this.noise ? 1 : 0)
    );
  }

  /**
   * The day with the highest net of those with trades, the first of equals; null without
   * trades.
   */
  get best(): { day: number; net: number } | null {
    if (!this.#isTraded || (this.#best && this.dayNet <= this.#best.net + this.noise))
      return this.#best;
    return { day: this.day, net: this.dayNet };
  }

  /** The rule that a profit would breach now. */
  ruleBreachedAt(profit: number): Rule | null {
    if (profit + this.cash <= this.floor + this.noise) return 'max_loss';
    return profit - this.#before <= this.noise - this.bounds.dailyLoss
      ? 'daily_loss'
      : null;
  }

  /** @param profit after the exits of one instant of the current day */
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
}
