/** The performance object: the same figures wherever they appear. Formulas: docs/analytics.md. */
import * as z from 'zod';
import { moneyOrNull, ratioOrNull, roundMoney, roundRatio, Sum } from '../../money.ts';
import { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import type { ClosedTrade } from './closed-trades.ts';
import { Days } from './days.ts';
import { Drawdown, drawdownRecord } from './drawdown.ts';
import { meanOf, medianOf, sampleDeviation, sumOf } from './statistics.ts';
import { Tally } from './tally.ts';

const BASE = "in the user's base currency";

const extremeTrade = (description: string) =>
  f.orNull(f.object({ trade_id: f.id('The trade'), net_pnl: f.money(`Its net P&L, ${BASE}`) }, description));

const extremeDay = (description: string) =>
  f.orNull(f.object({ date: f.date('The day'), net_pnl: f.money(`Its net P&L, ${BASE}`) }, description));

const seconds = (description: string) => f.orNull(f.ratio(`${description}, in seconds; null without one`));

export const performanceRecord = z.strictObject({
  currency: f.currency("The user's base currency, of all money here"),
  trades: f.count('Closed trades, N'),
  wins: f.count('Trades with a net above the breakeven tolerance, W'),
  losses: f.count('Trades with a net below minus the tolerance, L'),
  breakevens: f.count('Trades with a net within the tolerance'),
  win_rate: f.orNull(f.ratio('W / N, 0 to 1; null without trades')),
  win_rate_ex_breakeven: f.orNull(f.ratio('W / (W + L), 0 to 1; null without wins and losses')),
  gross_pnl: f.money(`P&L before fees, ${BASE}`),
  fees: f.money(`Fees, ${BASE}`),
  net_pnl: f.money(`P&L after fees, ${BASE}`),
  expectancy: f.orNull(f.money(`Mean net P&L a trade, ${BASE}; null without trades`)),
  expectancy_r: f.orNull(f.ratio('Mean R multiple of the trades that have a risk; null without any')),
  total_r: f.orNull(f.ratio('Sum of those R multiples; null without any')),
  r_sample: f.count('How many trades have a risk'),
  average_win: f.orNull(f.money(`Mean net P&L of the wins, ${BASE}; null without any`)),
  average_loss: f.orNull(f.money(`Mean net P&L of the losses (negative), ${BASE}; null without any`)),
  payoff_ratio: f.orNull(f.ratio('average_win over the amount of average_loss; null without either')),
  profit_factor: f.orNull(
    f.ratio('Sum of all positive net P&L over the amount of all negative net P&L; null without a negative one'),
  ),
  profit_factor_infinite: f.flag('True where profit_factor is null because there are gains and no losses'),
  largest_win: extremeTrade('The win with the highest net P&L; null without a win'),
  largest_loss: extremeTrade('The loss with the lowest net P&L; null without a loss'),
  max_drawdown: drawdownRecord,
  recovery_factor: f.orNull(f.ratio('net_pnl over the amount of max_drawdown, signed; null without a drawdown')),
  streaks: f.object(
    {
      longest_win: f.count('Most wins in a row'),
      longest_loss: f.count('Most losses in a row'),
      current: f.signedCount(
        'Length of the current run: positive wins, negative losses, 0 after a breakeven or without trades',
      ),
    },
    'Runs of wins and of losses; a breakeven ends a run',
  ),
  holding_seconds: f.object(
    {
      mean: seconds('Mean holding time'),
      median: seconds('Median holding time'),
      wins_mean: seconds('Mean holding time of wins'),
      losses_mean: seconds('Mean holding time of losses'),
    },
    'Holding times',
  ),
  trading_days: f.count('Days with a closed trade'),
  winning_days: f.count('Of these, days with a net above 0'),
  best_day: extremeDay('The day with the highest net P&L; null without trades'),
  worst_day: extremeDay('The day with the lowest net P&L; null without trades'),
  sharpe: f.orNull(
    f.ratio('Mean day over the standard deviation of days (n - 1), times sqrt(252); null with n < 2 or no deviation'),
  ),
  sortino: f.orNull(
    f.ratio(
      'Mean day over the downside deviation (target 0, over all n days), times sqrt(252); null with n < 2 or no losing day',
    ),
  ),
  daily_basis: f.choice(
    ['returns', 'money'],
    'What a day counts as: its net over the balance at its start, or (without a starting balance) its net in the base currency',
  ),
  daily_sample: f.count('Days in that series, n: first to last trading day, weekdays without a trade counted as 0'),
  sqn: f.orNull(
    f.ratio(
      'System quality number: sqrt(r_sample) times mean R over its standard deviation (n - 1), not capped; null where undefined',
    ),
  ),
});

export type Performance = z.infer<typeof performanceRecord>;

/** Gathers the figures of trades added in the order (closed_at, id). */
export class PerformancePass {
  readonly #user: User;
  readonly days: Days;
  readonly #all = new Tally();
  readonly #gross = new Sum();
  readonly #fees = new Sum();
  readonly #netOfWins = new Sum();
  readonly #netOfLosses = new Sum();
  readonly #drawdown: Drawdown;
  #largestWin: ClosedTrade | null = null;
  #largestLoss: ClosedTrade | null = null;
  readonly #streaks = { longest_win: 0, longest_loss: 0, current: 0 };
  readonly #r: number[] = [];
  readonly #holding: number[] = [];
  readonly #holdingSum = { all: new Sum(), win: new Sum(), loss: new Sum() };

  constructor(user: User, clock = new ZoneClock(user.timezone)) {
    this.#user = user;
    this.days = new Days(clock);
    this.#drawdown = new Drawdown(user.starting_balance);
  }

  add(trade: ClosedTrade): void {
    this.#all.add(trade);
    this.#gross.add(trade.gross);
    this.#fees.add(trade.fees);
    this.days.add(trade);
    this.#drawdown.add(trade.net, this.#all.net.value, trade.closedAt);
    if (trade.r !== null) this.#r.push(trade.r);
    const held = (trade.closedMs - trade.enteredMs) / 1000;
    this.#holding.push(held);
    this.#holdingSum.all.add(held);

    const { outcome, net } = trade;
    const streaks = this.#streaks;
    if (outcome === 'win') {
      this.#netOfWins.add(net);
      this.#holdingSum.win.add(held);
      if (!this.#largestWin || isMore(net, this.#largestWin.net)) this.#largestWin = trade;
      streaks.current = Math.max(streaks.current, 0) + 1;
      streaks.longest_win = Math.max(streaks.longest_win, streaks.current);
    } else if (outcome === 'loss') {
      this.#netOfLosses.add(net);
      this.#holdingSum.loss.add(held);
      if (!this.#largestLoss || isMore(this.#largestLoss.net, net)) this.#largestLoss = trade;
      streaks.current = Math.min(streaks.current, 0) - 1;
      streaks.longest_loss = Math.max(streaks.longest_loss, -streaks.current);
    } else {
      streaks.current = 0;
    }
  }

  result(): Performance {
    const all = this.#all;
    const { trades, wins, losses } = all;
    const net = all.net.value;
    const averageWin = wins === 0 ? null : this.#netOfWins.value / wins;
    const averageLoss = losses === 0 ? null : this.#netOfLosses.value / losses;
    const drawdown = this.#drawdown.result();
    const series = this.days.series(this.#user.starting_balance);
    const meanR = meanOf(this.#r);
    const deviationR = sampleDeviation(this.#r);
    const holding = this.#holdingSum;
    return {
      currency: this.#user.base_currency,
      trades,
      wins,
      losses,
      breakevens: all.breakevens,
      win_rate: all.winRate,
      win_rate_ex_breakeven: wins + losses === 0 ? null : roundRatio(wins / (wins + losses)),
      gross_pnl: roundMoney(this.#gross.value),
      fees: roundMoney(this.#fees.value),
      net_pnl: roundMoney(net),
      expectancy: all.expectancy,
      expectancy_r: ratioOrNull(meanR),
      total_r: meanR === null ? null : roundRatio(sumOf(this.#r)),
      r_sample: this.#r.length,
      average_win: moneyOrNull(averageWin),
      average_loss: moneyOrNull(averageLoss),
      payoff_ratio: averageWin === null || averageLoss === null ? null : roundRatio(averageWin / -averageLoss),
      profit_factor: all.profitFactor,
      profit_factor_infinite: all.grossProfit.value > 0 && all.grossLoss.value === 0,
      largest_win: extreme(this.#largestWin),
      largest_loss: extreme(this.#largestLoss),
      max_drawdown: drawdown,
      recovery_factor: drawdown === null ? null : roundRatio(net / this.#drawdown.amount),
      streaks: { ...this.#streaks },
      holding_seconds: {
        mean: meanRatio(holding.all, trades),
        median: ratioOrNull(medianOf(this.#holding)),
        wins_mean: meanRatio(holding.win, wins),
        losses_mean: meanRatio(holding.loss, losses),
      },
      ...this.days.result(),
      sharpe: ratioOrNull(series.sharpe),
      sortino: ratioOrNull(series.sortino),
      daily_basis: series.basis,
      daily_sample: series.n,
      sqn: meanR === null || deviationR === null ? null : roundRatio((Math.sqrt(this.#r.length) * meanR) / deviationR),
    };
  }
}

/** Whether money is more as it is shown: 3 at a rate of 1.1 is no more than 3.3, and of equals the first counts. */
function isMore(a: number, b: number): boolean {
  return a > b && roundMoney(a) > roundMoney(b);
}

function meanRatio(sum: Sum, n: number): number | null {
  return n === 0 ? null : roundRatio(sum.value / n);
}

function extreme(trade: ClosedTrade | null): { trade_id: string; net_pnl: number } | null {
  return trade && { trade_id: trade.id, net_pnl: roundMoney(trade.net) };
}
