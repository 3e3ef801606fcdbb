/** The equity curve: net P&L per day, and its falls trade by trade. */
import { ratioOrNull, roundMoney, roundRatio, Sum, withoutNoise } from '../../money.ts';
import { dateOfDay, toInstantText, weekdayOf } from '../../time.ts';
import * as f from '../fields.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { meanOf, sampleDeviation } from './statistics.ts';

// Net P&L per day in the user's time zone, and figures of the series of days.

interface Day {
  day: number;
  trades: number;
  net: Sum;
  /** Sum over the trades with a risk. */
  r: Sum;
  rSample: number;
}

const YEAR = Math.sqrt(252);

export class Days {
  readonly #days = new Map<number, Day>();
  #current: Day | undefined;

  add(trade: ClosedTrade): void {
    const { day } = trade;
    if (this.#current?.day !== day) {
      // Not always a new day: a clock set back just after midnight returns to the day
      // before.
      this.#current = this.#days.get(day) ?? {
        day,
        trades: 0,
        net: new Sum(),
        r: new Sum(),
        rSample: 0,
      };
      this.#days.set(day, this.#current);
    }

    this.#current.trades++;
    this.#current.net.add(trade.net);
    if (trade.r === null) return;

    this.#current.r.add(trade.r);
    this.#current.rSample++;
  }

  #sorted(): Day[] {
    return [...this.#days.values()].sort((a, b) => a.day - b.day);
  }

  result() {
    const days = this.#sorted().map(({ day, net }) => ({
      date: dateOfDay(day),
      net_pnl: roundMoney(net.value),
    }));
    let best = days[0] ?? null;
    let worst = best;

    for (const day of days) {
      if (best && day.net_pnl > best.net_pnl) best = day;
      if (worst && day.net_pnl < worst.net_pnl) worst = day;
    }

    return {
      trading_days: days.length,
      winning_days: days.filter((day) => day.net_pnl > 0).length,
      losing_days: days.filter((day) => day.net_pnl < 0).length,
      best_day: best,
      worst_day: worst,
    };
  }

  /** Most days in a row with a net of this sign. */
  longestRun(sign: 1 | -1): number {
    let [run, longest] = [0, 0];
    for (const { net } of this.#sorted()) {
      run = Math.sign(roundMoney(net.value)) === sign ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /**
   * Days with trades, oldest first; drawdown is the difference from the day's end to the
   * highest day's end so far (or the start).
   */
  rows() {
    const cumulative = new Sum();
    let peak = 0;

    return this.#sorted().map(({ day, trades, net, r, rSample }) => {
      cumulative.add(net.value);
      const total = cumulative.value;
      peak = Math.max(peak, total);

      return {
        date: dateOfDay(day),
        trades,
        net_pnl: roundMoney(net.value),
        total_r: ratioOrNull(rSample === 0 ? null : r.value),
        r_sample: rSample,
        cumulative_net_pnl: roundMoney(total),
        drawdown: roundMoney(peak - total),
      };
    });
  }

  /**
   * Sharpe (1994, against a rate of 0) and Sortino ratios of the daily series, annualised
   * by sqrt(252). The series runs from the first to the last day with a trade; Mondays to
   * Fridays without one count as 0.
   * @param start balance before the first day; null if unknown
   */
  series(start: number | null) {
    const { values, isBroke } = this.#values(start);
    const basis = start === null ? ('money' as const) : ('returns' as const);
    const n = values.length;
    return {
      basis,
      n,
      ...(isBroke ? { sharpe: null, sortino: null } : ratiosOf(values)),
    };
  }

  /**
   * The values of the series: nets, or returns on the balance at the start of the day.
   * @returns isBroke: a return on a balance of 0 or less is undefined, and so are all
   * ratios
   */
  #values(start: number | null): { values: number[]; isBroke: boolean } {
    const values: number[] = [];
    const counted = new Sum();
    let isBroke = false;
    let previous: number | undefined;

    for (const { day, net: sum } of this.#sorted()) {
      const net = withoutNoise(sum.value);
      for (let n = idleDays(previous ?? day, day); n > 0; n--) values.push(0);
      previous = day;
      const balance = start === null ? 1 : start + counted.value;
      if (balance <= 0) isBroke = true;
      values.push(net / balance);
      counted.add(net);
    }

    return { values, isBroke };
  }
}

/** Sharpe and Sortino ratios of a series of days, which needs two. */
export function ratiosOf(values: readonly number[]): {
  sharpe: number | null;
  sortino: number | null;
} {
  const [n, mean] = [values.length, meanOf(values)];
  if (mean === null || n < 2) return { sharpe: null, sortino: null };

  const deviation = sampleDeviation(values);
  const downside = new Sum();
  for (const value of values) if (value < 0) downside.add(value * value);

  return {
    sharpe: deviation === null ? null : (mean / deviation) * YEAR,
    sortino: downside.value === 0 ? null : (mean / Math.sqrt(downside.value / n)) * YEAR,
  };
}

/** Number of Mondays to Fridays between two days. */
export function idleDays(after: number, before: number): number {
  let idle = 0;
  for (let day = after + 1; day < before; day++) if (weekdayOf(day) <= 5) idle++;
  return idle;
}

// Falls from a peak.

/**
 * @param step what a peak and a bottom are: "Close of the trade"
 * @param earlier what the balance had gained before the period
 */
const drawdownFields = (step: string, earlier: string) => ({
  amount: f.money("The fall as a positive amount, in the user's base currency"),
  percent: f.orNull(
    f.ratio(
      `The amount over the balance at the peak: starting balance, ${earlier}, and peak; 0 to 1 and beyond; null without a starting balance`,
    ),
  ),
  percent_peak_at: f.optional(
    f.orNull(
      f.date(
        'With cash flows, percent is the largest fall of the growth of 1 by daily returns: the day of its peak; null if that is the start',
      ),
    ),
  ),
  percent_trough_at: f.optional(f.orNull(f.date('The day of its bottom'))),
  peak_at: f.orNull(f.instant(`${step} at the peak; null if the peak is the start`)),
  trough_at: f.instant(`${step} at the bottom`),
  recovered_at: f.orNull(
    f.instant(`${step} that reached the peak again; null until one does`),
  ),
});

export const drawdownRecord = f.orNull(
  f.object(
    () =>
      drawdownFields(
        'Close of the trade',
        'net P&L of all trades closed before the period',
      ),
    'Largest fall of cumulative net P&L from its running peak, trade by trade; the peak starts at 0; null without a fall',
  ),
);

/** @param step what a peak is */
const currentDrawdownFields = (step: string) => ({
  amount: f.money("The fall as a positive amount, in the user's base currency"),
  percent: f.orNull(f.ratio('As in max_drawdown')),
  since: f.orNull(f.instant(`${step} at the peak; null if the peak is the start`)),
});

export const currentDrawdownRecord = f.orNull(
  f.object(
    () => currentDrawdownFields('Close of the trade'),
    'Fall of cumulative net P&L from its highest peak at the last trade; null at a peak',
  ),
);

export const realisedDrawdownRecord = f.orNull(
  f.object(
    () => ({
      ...drawdownFields('Time of the exit', 'realised P&L before the period'),
      current: f.orNull(
        f.object(
          currentDrawdownFields('Time of the exit'),
          'Fall from the highest peak at the last exit; null at a peak',
        ),
      ),
    }),
    'Largest fall of cumulative realised P&L from its running peak, exit by exit; the peak starts at 0; null without a fall',
  ),
);

/**
 * Follows the cumulative net, trade by trade, and keeps its largest fall from a peak. The
 * peak starts at 0. Trades that close at one instant are one step: which of them closed
 * first is unknown.
 */
export class Drawdown {
  /** At the start; null if unknown. */
  readonly #balance: number | null;
  /**
   * Net since the peak: a separate sum, because the difference of two large sums loses
   * small amounts.
   */
  #sincePeak = new Sum();
  /**
   * Instant of the current step, which further trades may join; null before the first.
   */
  #at: number | null = null;
  #cumulative = 0;
  #peak = 0;
  #peakAt: number | null = null;
  #deepest: {
    amount: number;
    peak: number;
    peakAt: number | null;
    troughAt: number;
    recoveredAt: number | null;
  } | null = null;

  constructor(balance: number | null) {
    this.#balance = balance;
  }

  add(net: number, cumulative: number, at: number): void {
    if (at !== this.#at) {
      this.#endStep();
      this.#at = at;
    }
    this.#sincePeak.add(net);
    this.#cumulative = cumulative;
  }

  #endStep(): void {
    const at = this.#at;
    if (at === null) return;

    // Sums that are equal in decimals may differ in their last bit.
    const noise = 1e-9 + Math.abs(this.#peak) * 1e-14;
    const fall = -this.#sincePeak.value;
    const deepest = this.#deepest;
    if (
      deepest &&
      deepest.recoveredAt === null &&
      deepest.peak === this.#peak &&
      fall <= noise
    ) {
      deepest.recoveredAt = at;
    }

    if (fall < -noise) {
      this.#peak = this.#cumulative;
      this.#peakAt = at;
      this.#sincePeak = new Sum();
    } else if (fall > (deepest?.amount ?? 0) + noise) {
      this.#deepest = {
        amount: fall,
        peak: this.#peak,
        peakAt: this.#peakAt,
        troughAt: at,
        recoveredAt: null,
      };
    }
  }

  /** The amount isn't rounded: 0 if there was no fall. */
  get amount(): number {
    this.#endStep();
    return this.#deepest?.amount ?? 0;
  }

  #percentOf(amount: number, peak: number): number | null {
    const base = this.#balance === null ? 0 : withoutNoise(this.#balance + peak);
    return base === 0 ? null : roundRatio(amount / base);
  }

  /** The fall from the peak at the last step, not rounded; at least 0. */
  get fall(): number {
    this.#endStep();
    return Math.max(0, -this.#sincePeak.value);
  }

  /** The fall at the last step. */
  current() {
    const amount = this.fall;
    if (amount <= 1e-9 + Math.abs(this.#peak) * 1e-14) return null;
    return {
      amount: roundMoney(amount),
      percent: this.#percentOf(amount, this.#peak),
      since: textOrNull(this.#peakAt),
    };
  }

  result() {
    this.#endStep();
    const deepest = this.#deepest;
    if (!deepest) return null;

    return {
      amount: roundMoney(deepest.amount),
      percent: this.#percentOf(deepest.amount, deepest.peak),
      peak_at: textOrNull(deepest.peakAt),
      trough_at: toInstantText(deepest.troughAt),
      recovered_at: textOrNull(deepest.recoveredAt),
    };
  }
}

function textOrNull(at: number | null): string | null {
  return at === null ? null : toInstantText(at);
}
