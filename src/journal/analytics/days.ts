/** Net P&L per day in the user's time zone, and figures of the series of days. */
import { ratioOrNull, roundMoney, Sum, withoutNoise } from '../../money.ts';
import { dateOfDay, weekdayOf, type ZoneClock } from '../../time.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { meanOf, sampleDeviation } from './statistics.ts';

interface Day {
  day: number;
  trades: number;
  net: Sum;
  /** Sum over the trades with a risk. */
  r: Sum;
  rSample: number;
}

export interface DayRow {
  date: string;
  trades: number;
  net_pnl: number;
  total_r: number | null;
  cumulative_net_pnl: number;
  drawdown: number;
}

interface Series {
  basis: 'returns' | 'money';
  n: number;
  sharpe: number | null;
  sortino: number | null;
}

const YEAR = Math.sqrt(252);

export class Days {
  readonly #clock: ZoneClock;
  readonly #days = new Map<number, Day>();
  #current: Day | undefined;

  constructor(clock: ZoneClock) {
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    const day = this.#clock.dayOf(trade.closedMs);
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
      best_day: best,
      worst_day: worst,
    };
  }

  /** Days with trades, oldest first; drawdown is the difference from the day's end to the highest day's end so far (or the start). */
  rows(): DayRow[] {
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
        cumulative_net_pnl: roundMoney(total),
        drawdown: roundMoney(peak - total),
      };
    });
  }

  /**
   * Sharpe (1994, against a rate of 0) and Sortino ratios of the daily series, annualised by sqrt(252). The series runs
   * from the first to the last day with a trade; Mondays to Fridays without one count as 0.
   */
  series(startingBalance: number | null): Series {
    const days = this.#sorted();
    const values: number[] = [];
    const counted = new Sum();
    let broke = false;
    let previous: number | undefined;
    for (const { day, net: sum } of days) {
      const net = withoutNoise(sum.value);
      for (let idle = (previous ?? day) + 1; idle < day; idle++) if (weekdayOf(idle) <= 5) values.push(0);
      previous = day;
      if (startingBalance === null) values.push(net);
      else {
        const balance = startingBalance + counted.value;
        // A return on a balance of 0 or less is undefined, and so are all ratios of the series.
        if (balance <= 0) broke = true;
        values.push(net / balance);
        counted.add(net);
      }
    }
    const basis = startingBalance === null ? 'money' : 'returns';
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
