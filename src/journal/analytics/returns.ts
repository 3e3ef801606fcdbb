/**
 * Returns by day on the balance of accounts that have cash flows. Formulas:
 * docs/analytics.md.
 */
import { Sum, withoutNoise } from '../../money.ts';
import { dateOfDay, fromInstantText, type ZoneClock } from '../../time.ts';
import type { FlowKind } from '../resources/cash-flows.ts';
import type { Range } from '../where.ts';
import { idleDays, ratiosOf } from './equity-curve.ts';
import type { Ledger } from './ledgers.ts';

/**
 * Kinds of flows that belong to the result of a day; all others only change what it rests
 * on.
 */
export const INCOME: readonly FlowKind[] = ['dividend', 'interest', 'fee', 'tax'];

/** Days above which a return is annualised. */
const YEAR = 365;

/** Money of a day in the base currency. */
interface CashDay {
  /** Deposits, withdrawals, payouts, transfers and other flows, netted. */
  moved: Sum;
  income: Sum;
  realised: Sum;
  /** Whether anything was realised, or came in or left as income. */
  hasResult: boolean;
}

/** Exits that a request counts: their instants and their nets in the base currency. */
export interface CountedExits {
  at: readonly number[];
  nets: readonly number[];
}

/** The largest fall of the growth of 1 from its peak, at days' ends. */
interface Fall {
  percent: number;
  /** Null: the start. */
  peak: string | null;
  trough: string;
}

export interface DailyReturns {
  /** Null if the period has no day with a balance. */
  timeWeighted: number | null;
  annualised: number | null;
  sharpe: number | null;
  sortino: number | null;
  /** Number of days in the series. */
  n: number;
  fall: Fall | null;
  /** The fall from the peak at the end. */
  current: number;
}

/** A day whose result has nothing that it could be a part of. */
export interface Broke {
  brokeOn: string;
}

/** The days of a period, and what the accounts held before it. */
export class Returns {
  readonly #clock: ZoneClock;
  readonly #days = new Map<number, CashDay>();
  readonly #opening: Sum;
  readonly #from: number | null;
  readonly #to: number | null;
  /** First and last day of any record of the accounts. */
  readonly #first: number;
  readonly #last: number;

  /**
   * @param opening what they held before the period, in the base currency
   * @param ledgers of the accounts
   */
  constructor(
    opening: Sum,
    ledgers: readonly Ledger[],
    { range: { from, to }, clock }: { range: Range; clock: ZoneClock },
  ) {
    this.#opening = opening;
    this.#clock = clock;
    this.#from = from === null ? null : fromInstantText(from);
    this.#to = to === null ? null : fromInstantText(to);
    this.#first = clock.dayOf(Math.min(...ledgers.map(({ first }) => first)));
    this.#last = clock.dayOf(Math.max(...ledgers.map(({ last }) => last)));
    for (const ledger of ledgers) this.#add(ledger);
  }

  #add({ flows, at, nets, rates }: Ledger): void {
    for (const flow of flows) {
      if (flow.rate === null || !this.#isWithin(flow.at)) continue;
      const day = this.#dayAt(flow.at);
      const isIncome = INCOME.includes(flow.kind);
      (isIncome ? day.income : day.moved).add(flow.amount * flow.rate);
      day.hasResult ||= isIncome;
    }

    for (let place = 0; place < at.length; place++) {
      const [instant, rate] = [at[place] as number, rates[place] as number];
      if (Number.isNaN(rate) || !this.#isWithin(instant)) continue;
      const day = this.#dayAt(instant);
      day.realised.add((nets[place] as number) * rate);
      day.hasResult = true;
    }
  }

  #isWithin(at: number): boolean {
    return (
      (this.#from === null || at >= this.#from) && (this.#to === null || at < this.#to)
    );
  }

  #dayAt(at: number): CashDay {
    const number = this.#clock.dayOf(at);
    const known = this.#days.get(number);
    if (known) return known;

    const day = {
      moved: new Sum(),
      income: new Sum(),
      realised: new Sum(),
      hasResult: false,
    };
    this.#days.set(number, day);
    return day;
  }

  /** What the accounts hold at the end of the period. */
  get balance(): number {
    const balance = new Sum();
    balance.addSum(this.#opening);
    for (const day of this.#days.values()) addAll(balance, day);
    return balance.value;
  }

  /**
   * @param counted the exits of a request that chooses trades: income belongs to none of
   * them; null for all
   */
  result(counted: CountedExits | null): DailyReturns | Broke {
    const results = counted && sumsOf(counted, this.#clock);
    const balance = new Sum();
    balance.addSum(this.#opening);
    const growth = new Growth();
    let firstDay = withoutNoise(balance.value) > 0 ? this.#firstOf() : null;

    for (const [number, day] of [...this.#days].sort(([a], [b]) => a - b)) {
      const base = withoutNoise(balance.value + Math.max(day.moved.value, 0));
      if (base > 0) firstDay ??= number;

      const result = results ? results.get(number) : resultOf(day);
      if (result !== undefined && !growth.add(number, withoutNoise(result.value), base))
        return { brokeOn: dateOfDay(number) };
      addAll(balance, day);
    }

    return growth.result(firstDay === null ? 0 : this.#lastOf() - firstDay + 1);
  }

  #firstOf(): number {
    return this.#from === null
      ? this.#first
      : Math.max(this.#first, this.#clock.dayOf(this.#from));
  }

  #lastOf(): number {
    return this.#to === null ? this.#last : this.#clock.dayOf(this.#to - 1);
  }
}

function sumsOf({ at, nets }: CountedExits, clock: ZoneClock): Map<number, Sum> {
  const sums = new Map<number, Sum>();
  for (const [place, instant] of at.entries()) {
    const day = clock.dayOf(instant);
    const sum = sums.get(day) ?? new Sum();
    sum.add(nets[place] as number);
    sums.set(day, sum);
  }
  return sums;
}

function resultOf({ income, realised, hasResult }: CashDay): Sum | undefined {
  if (!hasResult) return undefined;
  const sum = new Sum();
  sum.addSum(income);
  sum.addSum(realised);
  return sum;
}

function addAll(balance: Sum, { moved, income, realised }: CashDay): void {
  balance.addSum(moved);
  balance.addSum(income);
  balance.addSum(realised);
}

/**
 * What a journal without cash flows held before a period, and the days of its records.
 */
export interface StartingBalance {
  amount: number;
  firstDay: number;
  lastDay: number;
  clock: ZoneClock;
  range: Range;
}

/** Returns on a starting balance that only trades change. */
export function returnsOnStart(
  { amount, firstDay, lastDay, clock, range: { from, to } }: StartingBalance,
  counted: CountedExits,
): DailyReturns | Broke {
  const balance = new Sum();
  balance.add(amount);
  const growth = new Growth();
  let last = lastDay;

  for (const [day, result] of [...sumsOf(counted, clock)].sort(([a], [b]) => a - b)) {
    if (!growth.add(day, withoutNoise(result.value), withoutNoise(balance.value)))
      return { brokeOn: dateOfDay(day) };
    balance.addSum(result);
    last = Math.max(last, day);
  }

  const first =
    from === null ? firstDay : Math.max(firstDay, clock.dayOf(fromInstantText(from)));
  if (to !== null) last = clock.dayOf(fromInstantText(to) - 1);
  return growth.result(withoutNoise(amount) > 0 ? last - first + 1 : 0);
}

/** Less than any difference of returns. */
const NOISE = 1e-12;

/** The growth of 1 by the returns of days. */
class Growth {
  readonly #returns: number[] = [];
  #previous: number | undefined;
  #index = 1;
  #peak = 1;
  #peakDay: number | null = null;
  #fall: Fall | null = null;

  /** @returns false if a result has nothing that it could be a part of */
  add(day: number, result: number, base: number): boolean {
    for (let n = idleDays(this.#previous ?? day, day); n > 0; n--) this.#returns.push(0);
    this.#previous = day;
    if (result !== 0 && base <= 0) return false;

    const of = result === 0 ? 0 : result / base;
    this.#returns.push(of);
    this.#index *= 1 + of;
    this.#follow(day);
    return true;
  }

  #follow(day: number): void {
    if (this.#index > this.#peak * (1 + NOISE)) {
      this.#peak = this.#index;
      this.#peakDay = day;
      return;
    }

    const percent = this.#current;
    if (percent <= (this.#fall?.percent ?? 0) + NOISE) return;
    this.#fall = {
      percent,
      peak: this.#peakDay === null ? null : dateOfDay(this.#peakDay),
      trough: dateOfDay(day),
    };
  }

  get #current(): number {
    return Math.max(0, 1 - this.#index / this.#peak);
  }

  /** @param days from the first day with a balance to the last one */
  result(days: number): DailyReturns {
    const timeWeighted = this.#index - 1;
    const { sharpe, sortino } = ratiosOf(this.#returns);
    const isYears = days > YEAR && timeWeighted > -1;

    return {
      timeWeighted: days > 0 ? timeWeighted : null,
      annualised: isYears ? this.#index ** (YEAR / days) - 1 : null,
      sharpe,
      sortino,
      n: this.#returns.length,
      fall: this.#fall,
      current: this.#current <= NOISE ? 0 : this.#current,
    };
  }
}
