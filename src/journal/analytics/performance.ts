/**
 * The performance of closed trades, the same in all responses. Formulas:
 * docs/analytics.md.
 */

import type * as z from 'zod';
import { moneyOrNull, ratioOrNull, roundMoney, roundRatio, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import type { Range } from '../where.ts';
import { type Balances, OF_TRADES } from './balances.ts';
import {
  type Accumulator,
  type ClosedTrade,
  type Column,
  IN_BASE,
  type RealisedExit,
} from './closed-trade.ts';
import {
  currentDrawdownRecord,
  Days,
  Drawdown,
  drawdownRecord,
  realisedDrawdownRecord,
} from './equity-curve.ts';
import { RealisedCurve } from './realised.ts';
import { type Broke, type DailyReturns, returnsOnStart } from './returns.ts';
import {
  Moments,
  meanInterval,
  meanOf,
  medianOf,
  sumOf,
  tradesNeeded,
  wilson,
} from './statistics.ts';
import { Tally } from './tally.ts';

const LEVEL = 0.95;

const confidenceRecord = f.object(
  () => ({
    level: f.plain('Share of such intervals that contain the true value, 0 to 1'),
    win_rate: f.orNull(
      f.interval(
        '[low, high] of win_rate (Wilson 1927; Korn and Graubard 1998); null below 2 days',
      ),
    ),
    expectancy: f.orNull(
      f.interval(`[low, high] of expectancy, ${IN_BASE}; null below 2 days`, 'money'),
    ),
    expectancy_r: f.orNull(
      f.interval('[low, high] of expectancy_r; null below 2 days with a risk'),
    ),
    expectancy_trades_needed: f.orNull(
      f.revealing(
        'money',
        f.count(
          'Number of trades with this mean and deviation at which the interval of expectancy would just exclude 0: with so many, it does so with a probability of one half; null if the mean is 0, and below 2 days',
        ),
      ),
    ),
  }),
  '95 % confidence intervals, clustered by day of closing, because trades of a day move together (Liang and Zeger 1986). If the interval of expectancy contains 0, luck could explain the result',
);

/**
 * @param wins 1 for each win, else 0
 * @param r R multiples of the trades with a risk
 */
function confidenceOf(
  net: Moments,
  wins: Moments,
  r: Moments,
): z.infer<typeof confidenceRecord> {
  return {
    level: LEVEL,
    win_rate: wilson(wins)?.map(roundRatio) ?? null,
    expectancy: meanInterval(net)?.map(roundMoney) ?? null,
    expectancy_r: meanInterval(r)?.map(roundRatio) ?? null,
    expectancy_trades_needed: tradesNeeded(net),
  };
}

const extremeTrade = (description: string) =>
  f.orNull(
    f.object(
      {
        trade_id: f.id('The trade; for a position, the leg that closed last'),
        group_id: f.orNull(
          f.id('The trade group of the leg or position; null without one'),
        ),
        net_pnl: f.money(`Its net P&L, ${IN_BASE}`),
      },
      description,
    ),
  );

const extremeDay = (description: string) =>
  f.orNull(
    f.object(
      { date: f.date('The day'), net_pnl: f.money(`Its net P&L, ${IN_BASE}`) },
      description,
    ),
  );

const seconds = (description: string) =>
  f.orNull(f.ratio(`${description}, in seconds; null without one`));

export const performanceRecord = f.record(() => ({
  currency: f.currency("The user's base currency, of all amounts here"),
  trades: f.count('Closed trades, N'),
  wins: f.count('Trades with a net above the breakeven tolerance, W'),
  losses: f.count('Trades with a net below minus the tolerance, L'),
  breakevens: f.count('Trades with a net within the tolerance'),
  win_rate: f.orNull(f.ratio('W / N, 0 to 1; null without trades')),
  win_rate_ex_breakeven: f.orNull(
    f.ratio('W / (W + L), 0 to 1; null without wins and losses'),
  ),
  gross_pnl: f.money(`P&L before fees, ${IN_BASE}`),
  fees: f.money(`Fees, ${IN_BASE}`),
  net_pnl: f.money(`P&L after fees, ${IN_BASE}`),
  realised_pnl: f.money(
    `P&L after fees of all exits in the period, of closed and of open trades, ${IN_BASE}`,
  ),
  expectancy: f.orNull(
    f.money(`Mean net P&L per trade, ${IN_BASE}; null without trades`),
  ),
  expectancy_r: f.orNull(
    f.ratio('Mean R multiple of the trades with a risk; null without any'),
  ),
  total_r: f.orNull(f.ratio('Sum of these R multiples; null without any')),
  r_sample: f.count('Trades with a risk'),
  average_win: f.orNull(
    f.money(`Mean net P&L of the wins, ${IN_BASE}; null without any`),
  ),
  average_loss: f.orNull(
    f.money(`Mean net P&L of the losses (negative), ${IN_BASE}; null without any`),
  ),
  payoff_ratio: f.orNull(
    f.ratio('average_win over the absolute average_loss; null without either'),
  ),
  profit_factor: f.orNull(
    f.ratio(
      'Sum of all positive net P&L over the absolute sum of all negative; null without a negative one',
    ),
  ),
  profit_factor_infinite: f.flag(
    'True if profit_factor is null because there are gains and no losses',
  ),
  largest_win: extremeTrade('The win with the highest net P&L; null without a win'),
  largest_loss: extremeTrade('The loss with the lowest net P&L; null without a loss'),
  max_drawdown: drawdownRecord,
  current_drawdown: currentDrawdownRecord,
  realised_drawdown: realisedDrawdownRecord,
  recovery_factor: f.orNull(
    f.ratio('net_pnl over the amount of max_drawdown, signed; null without a drawdown'),
  ),
  best_five_share: f.orNull(
    f.ratio(
      'Sum of the five highest net P&L over net_pnl: above 1 if all other trades together lost; null unless net_pnl is above 0',
    ),
  ),
  streaks: f.object(
    {
      longest_win: f.count('Most wins in a row'),
      longest_loss: f.count('Most losses in a row'),
      current: f.signedCount(
        'Length of the current run: positive wins, negative losses, 0 after a breakeven or without trades',
      ),
      longest_winning_days: f.count(
        'Most winning days in a row, of the days with a closed trade',
      ),
      longest_losing_days: f.count('Most losing days in a row'),
    },
    'Runs of wins and of losses; a breakeven ends a run',
  ),
  holding_seconds: f.object(
    {
      mean: seconds('Mean holding time'),
      median: seconds('Median holding time'),
      wins_mean: seconds('Mean holding time of wins'),
      losses_mean: seconds('Mean holding time of losses'),
      wins_median: seconds('Median holding time of wins'),
      losses_median: seconds('Median holding time of losses'),
    },
    'Holding times',
  ),
  trading_days: f.count('Days with a closed trade'),
  winning_days: f.count('Trading days with a net above 0'),
  losing_days: f.count('Trading days with a net below 0'),
  best_day: extremeDay('The day with the highest net P&L; null without trades'),
  worst_day: extremeDay('The day with the lowest net P&L; null without trades'),
  return: f.object(
    {
      time_weighted: f.orNull(
        f.ratio(
          'Time-weighted return of the period: the product of 1 plus the return of each day, less 1; null with a reason',
        ),
      ),
      annualised: f.orNull(
        f.ratio(
          '(1 + time_weighted) to the power of 365 / days, less 1, from the first day with a balance to the last of the period; null at 365 days or fewer',
        ),
      ),
      rests_on: f.orNull(
        f.choice(
          ['journal', 'accounts'],
          'What percentages, Sharpe and Sortino rest on: the starting balance and the P&L of the whole journal, or the balances of the accounts asked for; null without a balance',
        ),
      ),
      reason: f.orNull(f.ours('Why there is no return; else null')),
    },
    'Return on the balance, by day: realised P&L, dividends, interest, fees and taxes over the balance at the start of the day and what came in on it',
  ),
  sharpe: f.orNull(
    f.ratio(
      'Mean day over the standard deviation of days (n - 1), times sqrt(252); null with n < 2 or no deviation',
    ),
  ),
  sortino: f.orNull(
    f.ratio(
      'Mean day over the downside deviation (target 0, over all n days), times sqrt(252); null with n < 2 or no losing day',
    ),
  ),
  daily_basis: f.choice(
    ['returns', 'money'],
    'Value of a day: its net over the balance at its start (returns), or without a starting balance its net in the base currency (money)',
  ),
  daily_sample: f.count(
    'Days in the series, n: first to last trading day; weekdays without a trade count as 0',
  ),
  sqn: f.orNull(
    f.ratio(
      'System quality number: sqrt(r_sample) times mean R over its standard deviation (n - 1), not capped; null if undefined',
    ),
  ),
  confidence: confidenceRecord,
}));

export type Performance = z.infer<typeof performanceRecord>;

/** Number of trades in best_five_share. */
const BEST = 5;

/** Computes the performance of trades added one by one in the order (closed_at, id). */
export class PerformanceAccumulator implements Accumulator {
  readonly columns: readonly Column[];
  readonly #user: User;
  readonly days = new Days();
  readonly #realised: RealisedCurve;
  readonly #all = new Tally();
  readonly #netOfWins = new Sum();
  readonly #netOfLosses = new Sum();
  readonly #drawdown: Drawdown;
  #largestWin: ClosedTrade | null = null;
  #largestLoss: ClosedTrade | null = null;
  readonly #streaks = { longest_win: 0, longest_loss: 0, current: 0 };
  readonly #r = new Moments();
  readonly #wins = new Moments();
  readonly #balances: Balances;
  readonly #holding: Readonly<Record<ClosedTrade['outcome'], number[]>> = {
    win: [],
    loss: [],
    breakeven: [],
  };
  /** The nets of the best few, highest first. */
  readonly #best: number[] = [];

  /** @param balances at the start of the period */
  constructor(user: User, range: Range, balances: Balances) {
    this.#user = user;
    this.#balances = balances;
    this.#drawdown = new Drawdown(balances.closed);
    this.#realised = new RealisedCurve(range, balances.realised);
    this.columns = ['entered', 'risk', 'group', ...this.#realised.columns];
  }

  /** Adds what closes without an opening realised. */
  addUnmatched(exits: readonly RealisedExit[]): void {
    this.#realised.addUnmatched(exits);
  }

  addExits(trade: ClosedTrade): void {
    this.#realised.addExits(trade);
  }

  add(trade: ClosedTrade): void {
    this.#all.add(trade);
    this.#realised.add(trade);
    this.days.add(trade);
    this.#drawdown.add(trade.net, this.#all.net.sum, trade.closedMs);
    if (trade.r !== null) this.#r.add(trade.r, trade.day);
    this.#wins.add(trade.outcome === 'win' ? 1 : 0, trade.day);

    const held = (trade.closedMs - trade.enteredMs) / 1000;
    const { outcome, net } = trade;
    this.#holding[outcome].push(held);
    if (this.#best.length < BEST || net > (this.#best[BEST - 1] as number))
      this.#addBest(net);

    const streaks = this.#streaks;
    if (outcome === 'win') {
      this.#netOfWins.add(net);
      if (!this.#largestWin || isMore(net, this.#largestWin.net))
        this.#largestWin = trade;
      streaks.current = Math.max(streaks.current, 0) + 1;
      streaks.longest_win = Math.max(streaks.longest_win, streaks.current);
    } else if (outcome === 'loss') {
      this.#netOfLosses.add(net);
      if (!this.#largestLoss || isMore(this.#largestLoss.net, net))
        this.#largestLoss = trade;
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

  /** Null if figures rest on the balance at the start. */
  #returns(): DailyReturns | Broke | null {
    const { returns, isOfTrades } = this.#balances;
    return returns?.result(isOfTrades ? this.#realised.counted : null) ?? null;
  }

  /**
   * Of a journal without cash flows, whose other figures rest on the balance at the
   * start.
   */
  #returnsOnStart(): DailyReturns | Broke | null {
    const { start } = this.#balances;
    return start ? returnsOnStart(start, this.#realised.counted) : null;
  }

  #returnOf(returns: DailyReturns | Broke | null): Performance['return'] {
    const { restOn: rests_on, reason, isOfTrades } = this.#balances;
    const none = { time_weighted: null, annualised: null, rests_on };
    if (returns === null) return { ...none, reason };
    if ('brokeOn' in returns)
      return {
        ...none,
        reason: `a result on a balance of 0 or less on ${returns.brokeOn}`,
      };
    if (isOfTrades) return { ...none, reason: OF_TRADES };
    if (returns.timeWeighted === null)
      return { ...none, reason: 'no balance in the period' };

    return {
      time_weighted: roundRatio(returns.timeWeighted),
      annualised: ratioOrNull(returns.annualised),
      rests_on,
      reason: null,
    };
  }

  result(): Performance {
    const all = this.#all;
    const { trades, wins, losses } = all;
    const net = this.#all.net.sum;
    const averageWin = wins === 0 ? null : this.#netOfWins.value / wins;
    const averageLoss = losses === 0 ? null : this.#netOfLosses.value / losses;
    const drawdown = this.#drawdown.result();
    const series = this.days.series(this.#balances.closed);
    const returns = this.#returns();
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
      win_rate_ex_breakeven:
        wins + losses === 0 ? null : roundRatio(wins / (wins + losses)),
      gross_pnl: roundMoney(all.gross.value),
      fees: roundMoney(all.fees.value),
      net_pnl: roundMoney(net),
      realised_pnl: this.#realised.net,
      expectancy: all.expectancy,
      expectancy_r: ratioOrNull(meanR),
      total_r: meanR === null ? null : roundRatio(this.#r.sum),
      r_sample: rSample,
      average_win: moneyOrNull(averageWin),
      average_loss: moneyOrNull(averageLoss),
      payoff_ratio:
        averageWin === null || averageLoss === null
          ? null
          : roundRatio(averageWin / -averageLoss),
      profit_factor: all.profitFactor,
      profit_factor_infinite: all.grossProfit.value > 0 && all.grossLoss.value === 0,
      largest_win: extreme(this.#largestWin),
      largest_loss: extreme(this.#largestLoss),
      max_drawdown: fallBy(drawdown, returns),
      current_drawdown: currentBy(this.#drawdown.current(), returns),
      realised_drawdown: realisedBy(this.#realised.drawdown(), returns),
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
      return: this.#returnOf(returns ?? this.#returnsOnStart()),
      ...dailyBy(series, returns),
      sqn:
        meanR === null || !varianceR
          ? null
          : roundRatio(meanR / Math.sqrt(varianceR / rSample)),
      confidence: confidenceOf(all.net, this.#wins, this.#r),
    };
  }
}

/**
 * Whether an amount is larger after rounding: 3 at a rate of 1.1 equals 3.3, and the
 * first of equal amounts counts.
 */
function isMore(a: number, b: number): boolean {
  return a > b && roundMoney(a) > roundMoney(b);
}

function extreme(trade: ClosedTrade | null): Performance['largest_win'] {
  return (
    trade && {
      trade_id: trade.id,
      group_id: trade.groupId,
      net_pnl: roundMoney(trade.net),
    }
  );
}

/** Sharpe and Sortino by daily returns, if there are any. */
function dailyBy(
  { basis, n, sharpe, sortino }: ReturnType<Days['series']>,
  returns: DailyReturns | Broke | null,
): Pick<Performance, 'sharpe' | 'sortino' | 'daily_basis' | 'daily_sample'> {
  if (returns === null)
    return {
      sharpe: ratioOrNull(sharpe),
      sortino: ratioOrNull(sortino),
      daily_basis: basis,
      daily_sample: n,
    };

  const found = 'brokeOn' in returns ? { sharpe: null, sortino: null, n } : returns;
  return {
    sharpe: ratioOrNull(found.sharpe),
    sortino: ratioOrNull(found.sortino),
    daily_basis: 'returns',
    daily_sample: found.n,
  };
}

/** A drawdown whose percentage is that of the growth of 1 by daily returns. */
function fallBy<T extends NonNullable<Performance['max_drawdown']>>(
  drawdown: T | null,
  returns: DailyReturns | Broke | null,
): T | null {
  if (drawdown === null || returns === null) return drawdown;

  const fall = 'brokeOn' in returns ? null : returns.fall;
  const isKnown = !('brokeOn' in returns);
  return {
    ...drawdown,
    percent: isKnown ? roundRatio(fall?.percent ?? 0) : null,
    percent_peak_at: fall?.peak ?? null,
    percent_trough_at: fall?.trough ?? null,
  };
}

function currentBy<T extends NonNullable<Performance['current_drawdown']>>(
  drawdown: T | null,
  returns: DailyReturns | Broke | null,
): T | null {
  if (drawdown === null || returns === null) return drawdown;
  return {
    ...drawdown,
    percent: 'brokeOn' in returns ? null : roundRatio(returns.current),
  };
}

function realisedBy(
  drawdown: Performance['realised_drawdown'],
  returns: DailyReturns | Broke | null,
): Performance['realised_drawdown'] {
  const fall = fallBy(drawdown, returns);
  return fall && { ...fall, current: currentBy(fall.current, returns) };
}
