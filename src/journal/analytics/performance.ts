/** Computation of the performance of closed trades. Formulas: docs/analytics.md. */

import { moneyOrNull, ratioOrNull, roundMoney, roundRatio, Sum, withoutNoise } from '../../money.ts';
import { dateOfDay, weekdayOf } from '../../time.ts';
import type { User } from '../journal.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';
import { Drawdown } from './drawdown.ts';
import { confidenceOf, type Performance } from './performance-record.ts';
import { sumOf } from './positions.ts';
import { Moments, meanOf, medianOf, sampleDeviation } from './statistics.ts';
import { Tally } from './tally.ts';

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

class Days {
  readonly #days = new Map<number, Day>();
  #current: Day | undefined;

  add(trade: ClosedTrade): void {
    const { day } = trade;
    if (this.#current?.day !== day) {
      // Not always a new day: a clock set back just after midnight returns to the day before.
      this.#current = this.#days.get(day) ?? { day, trades: 0, net: new Sum(), r: new Sum(), rSample: 0 };
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
    const days = this.#sorted().map(({ day, net }) => ({ date: dateOfDay(day), net_pnl: roundMoney(net.value) }));
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

  /** Days with trades, oldest first; drawdown is the difference from the day's end to the highest day's end so far (or the start). */
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
   * Sharpe (1994, against a rate of 0) and Sortino ratios of the daily series, annualised by sqrt(252). The series runs
   * from the first to the last day with a trade; Mondays to Fridays without one count as 0.
   * @param start balance before the first day; null if unknown
   */
  series(start: number | null) {
    const days = this.#sorted();
    const values: number[] = [];
    const counted = new Sum();
    let broke = false;
    let previous: number | undefined;
    for (const { day, net: sum } of days) {
      const net = withoutNoise(sum.value);
      for (let idle = (previous ?? day) + 1; idle < day; idle++) if (weekdayOf(idle) <= 5) values.push(0);
      previous = day;
      if (start === null) values.push(net);
      else {
        const balance = start + counted.value;
        // A return on a balance of 0 or less is undefined, and so are all ratios of the series.
        if (balance <= 0) broke = true;
        values.push(net / balance);
        counted.add(net);
      }
    }
    const basis = start === null ? ('money' as const) : ('returns' as const);
    const mean = meanOf(values);
    if (broke || mean === null || values.length < 2) return { basis, n: values.length, sharpe: null, sortino: null };
    const deviation = sampleDeviation(values);
    const downside = new Sum();
    for (const value of values) if (value < 0) downside.add(value * value);
    return {
      basis,
      n: values.length,
      sharpe: deviation === null ? null : (mean / deviation) * YEAR,
      sortino: downside.value === 0 ? null : (mean / Math.sqrt(downside.value / values.length)) * YEAR,
    };
  }
}

/** Number of trades in best_five_share. */
const BEST = 5;

/** Computes the performance of trades added one by one in the order (closed_at, id). */
export class PerformanceAccumulator implements Accumulator {
  readonly columns = ['entered', 'risk', 'group'] as const;
  readonly #user: User;
  readonly days = new Days();
  readonly #all = new Tally();
  readonly #gross = new Sum();
  readonly #netOfWins = new Sum();
  readonly #netOfLosses = new Sum();
  readonly #drawdown: Drawdown;
  #largestWin: ClosedTrade | null = null;
  #largestLoss: ClosedTrade | null = null;
  readonly #streaks = { longest_win: 0, longest_loss: 0, current: 0 };
  readonly #r = new Moments();
  readonly #wins = new Moments();
  readonly #balance: number | null;
  readonly #holding = { win: [] as number[], loss: [] as number[], breakeven: [] as number[] };
  /** The nets of the best few, highest first. */
  readonly #best: number[] = [];

  /** @param balance at the start of the period; null without a starting balance */
  constructor(user: User, balance: number | null) {
    this.#user = user;
    this.#balance = balance;
    this.#drawdown = new Drawdown(balance);
  }

  add(trade: ClosedTrade): void {
    this.#all.add(trade);
    this.#gross.add(trade.gross);
    this.days.add(trade);
    this.#drawdown.add(trade.net, this.#all.net.sum, trade.closedMs);
    if (trade.r !== null) this.#r.add(trade.r, trade.day);
    this.#wins.add(trade.outcome === 'win' ? 1 : 0, trade.day);
    const held = (trade.closedMs - trade.enteredMs) / 1000;
    const { outcome, net } = trade;
    this.#holding[outcome].push(held);
    if (this.#best.length < BEST || net > (this.#best[BEST - 1] as number)) this.#addBest(net);

    const streaks = this.#streaks;
    if (outcome === 'win') {
      this.#netOfWins.add(net);
      if (!this.#largestWin || isMore(net, this.#largestWin.net)) this.#largestWin = trade;
      streaks.current = Math.max(streaks.current, 0) + 1;
      streaks.longest_win = Math.max(streaks.longest_win, streaks.current);
    } else if (outcome === 'loss') {
      this.#netOfLosses.add(net);
      if (!this.#largestLoss || isMore(this.#largestLoss.net, net)) this.#largestLoss = trade;
      streaks.current = Math.min(streaks.current, 0) - 1;
      streaks.longest_loss = Math.max(streaks.longest_loss, -streaks.current);
    } else {
      streaks.current = 0;
    }
  }

  #addBest(net: number): void {
    this.#best.push(net);
    this.#best.sort((a, b) => b - a);
    if (this.#best.length > BEST) this.#best.pop();
  }

  result(): Performance {
    const all = this.#all;
    const { trades, wins, losses } = all;
    const net = this.#all.net.sum;
    const averageWin = wins === 0 ? null : this.#netOfWins.value / wins;
    const averageLoss = losses === 0 ? null : this.#netOfLosses.value / losses;
    const drawdown = this.#drawdown.result();
    const series = this.days.series(this.#balance);
    const { n: rSample, mean: meanR, variance: varianceR } = this.#r;
    const { win, loss, breakeven } = this.#holding;
    const held = win.concat(loss, breakeven);
    return {
      currency: this.#user.base_currency,
      trades,
      wins,
      losses,
      breakevens: all.breakevens,
      win_rate: all.winRate,
      win_rate_ex_breakeven: wins + losses === 0 ? null : roundRatio(wins / (wins + losses)),
      gross_pnl: roundMoney(this.#gross.value),
      fees: roundMoney(all.fees.value),
      net_pnl: roundMoney(net),
      expectancy: all.expectancy,
      expectancy_r: ratioOrNull(meanR),
      total_r: meanR === null ? null : roundRatio(this.#r.sum),
      r_sample: rSample,
      average_win: moneyOrNull(averageWin),
      average_loss: moneyOrNull(averageLoss),
      payoff_ratio: averageWin === null || averageLoss === null ? null : roundRatio(averageWin / -averageLoss),
      profit_factor: all.profitFactor,
      profit_factor_infinite: all.grossProfit.value > 0 && all.grossLoss.value === 0,
      largest_win: extreme(this.#largestWin),
      largest_loss: extreme(this.#largestLoss),
      max_drawdown: drawdown,
      current_drawdown: this.#drawdown.current(),
      best_five_share: roundMoney(net) > 0 ? roundRatio(sumOf(this.#best) / net) : null,
      recovery_factor: drawdown === null ? null : roundRatio(net / this.#drawdown.amount),
      streaks: {
        ...this.#streaks,
        longest_winning_days: this.days.longestRun(1),
        longest_losing_days: this.days.longestRun(-1),
      },
      holding_seconds: {
        mean: ratioOrNull(meanOf(held)),
        median: ratioOrNull(medianOf(held)),
        wins_mean: ratioOrNull(meanOf(win)),
        losses_mean: ratioOrNull(meanOf(loss)),
        wins_median: ratioOrNull(medianOf(win)),
        losses_median: ratioOrNull(medianOf(loss)),
      },
      ...this.days.result(),
      sharpe: ratioOrNull(series.sharpe),
      sortino: ratioOrNull(series.sortino),
      daily_basis: series.basis,
      daily_sample: series.n,
      sqn: meanR === null || !varianceR ? null : roundRatio(meanR / Math.sqrt(varianceR / rSample)),
      confidence: confidenceOf(all.net, this.#wins, this.#r),
    };
  }
}

/** Whether an amount is larger after rounding: 3 at a rate of 1.1 equals 3.3, and the first of equal amounts counts. */
function isMore(a: number, b: number): boolean {
  return a > b && roundMoney(a) > roundMoney(b);
}

function extreme(trade: ClosedTrade | null): Performance['largest_win'] {
  return trade && { trade_id: trade.id, group_id: trade.groupId, net_pnl: roundMoney(trade.net) };
}
