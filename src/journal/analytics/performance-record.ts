/** Fields of the performance object, the same in all responses. Formulas: docs/analytics.md. */

import type * as z from 'zod';
import { moneyOrNull, roundMoney, roundRatio } from '../../money.ts';
import * as f from '../fields.ts';
import { IN_BASE } from './closed-trade.ts';
import { currentDrawdownRecord, drawdownRecord } from './drawdown.ts';
import { type Moments, tQuantile, Z } from './statistics.ts';

// Confidence intervals of figures. Formulas: docs/analytics.md.

const LEVEL = 0.95;

const confidenceRecord = f.object(
  () => ({
    level: f.plain('Share of such intervals that contain the true value, 0 to 1'),
    win_rate: f.orNull(f.interval('[low, high] of win_rate (Wilson 1927; Korn and Graubard 1998); null below 2 days')),
    expectancy: f.orNull(f.interval(`[low, high] of expectancy, ${IN_BASE}; null below 2 days`, 'money')),
    expectancy_r: f.orNull(f.interval('[low, high] of expectancy_r; null below 2 days with a risk')),
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
export function confidenceOf(net: Moments, wins: Moments, r: Moments): z.infer<typeof confidenceRecord> {
  return {
    level: LEVEL,
    win_rate: wilson(wins)?.map(roundRatio) ?? null,
    expectancy: meanInterval(net)?.map(roundMoney) ?? null,
    expectancy_r: meanInterval(r)?.map(roundRatio) ?? null,
    expectancy_trades_needed: tradesNeeded(net),
  };
}

/** Wilson's score interval (1927) of a share, with the number of independent trades that would be as certain (Korn and Graubard 1998). */
export function wilson({ n: trades, days, mean: share, design }: Moments): [low: number, high: number] | null {
  if (share === null || design === null) return null;
  const n = (trades / design) * (tQuantile(trades - 1) / tQuantile(days - 1)) ** 2;
  const square = Z * Z;
  const middle = (share + square / (2 * n)) / (1 + square / n);
  const half = (Z / (1 + square / n)) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n));
  return [middle - half, middle + half];
}

/** Interval of a mean, clustered by day: Student's (1908) if each day has one value. */
export function meanInterval({ n, days, mean, variance, design }: Moments): [low: number, high: number] | null {
  if (mean === null || variance === null || design === null) return null;
  const half = tQuantile(days - 1) * Math.sqrt((design * variance) / n);
  return [mean - half, mean + half];
}

/** The smallest n at which the interval of the mean excludes 0, with the same mean and variance; null if none is a safe integer. */
function tradesNeeded({ mean, variance, design }: Moments): number | null {
  if (variance === null || design === null || !moneyOrNull(mean)) return null;
  const most = Math.abs(mean as number) / Math.sqrt(design * variance);
  const isEnough = (n: number) => tQuantile(n - 1) / Math.sqrt(n) < most;
  let enough = 2;
  while (!isEnough(enough)) {
    enough *= 2;
    if (enough > Number.MAX_SAFE_INTEGER) return null;
  }
  let tooFew = enough === 2 ? 1 : enough / 2;
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

const extremeTrade = (description: string) =>
  f.orNull(
    f.object(
      {
        trade_id: f.id('The trade; for a position, the leg that closed last'),
        group_id: f.orNull(f.id('The trade group of the leg or position; null without one')),
        net_pnl: f.money(`Its net P&L, ${IN_BASE}`),
      },
      description,
    ),
  );

const extremeDay = (description: string) =>
  f.orNull(f.object({ date: f.date('The day'), net_pnl: f.money(`Its net P&L, ${IN_BASE}`) }, description));

const seconds = (description: string) => f.orNull(f.ratio(`${description}, in seconds; null without one`));

export const performanceRecord = f.record(() => ({
  currency: f.currency("The user's base currency, of all amounts here"),
  trades: f.count('Closed trades, N'),
  wins: f.count('Trades with a net above the breakeven tolerance, W'),
  losses: f.count('Trades with a net below minus the tolerance, L'),
  breakevens: f.count('Trades with a net within the tolerance'),
  win_rate: f.orNull(f.ratio('W / N, 0 to 1; null without trades')),
  win_rate_ex_breakeven: f.orNull(f.ratio('W / (W + L), 0 to 1; null without wins and losses')),
  gross_pnl: f.money(`P&L before fees, ${IN_BASE}`),
  fees: f.money(`Fees, ${IN_BASE}`),
  net_pnl: f.money(`P&L after fees, ${IN_BASE}`),
  expectancy: f.orNull(f.money(`Mean net P&L per trade, ${IN_BASE}; null without trades`)),
  expectancy_r: f.orNull(f.ratio('Mean R multiple of the trades with a risk; null without any')),
  total_r: f.orNull(f.ratio('Sum of these R multiples; null without any')),
  r_sample: f.count('Trades with a risk'),
  average_win: f.orNull(f.money(`Mean net P&L of the wins, ${IN_BASE}; null without any`)),
  average_loss: f.orNull(f.money(`Mean net P&L of the losses (negative), ${IN_BASE}; null without any`)),
  payoff_ratio: f.orNull(f.ratio('average_win over the absolute average_loss; null without either')),
  profit_factor: f.orNull(
    f.ratio('Sum of all positive net P&L over the absolute sum of all negative; null without a negative one'),
  ),
  profit_factor_infinite: f.flag('True if profit_factor is null because there are gains and no losses'),
  largest_win: extremeTrade('The win with the highest net P&L; null without a win'),
  largest_loss: extremeTrade('The loss with the lowest net P&L; null without a loss'),
  max_drawdown: drawdownRecord,
  current_drawdown: currentDrawdownRecord,
  recovery_factor: f.orNull(f.ratio('net_pnl over the amount of max_drawdown, signed; null without a drawdown')),
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
      longest_winning_days: f.count('Most winning days in a row, of the days with a closed trade'),
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
    'Value of a day: its net over the balance at its start (returns), or without a starting balance its net in the base currency (money)',
  ),
  daily_sample: f.count('Days in the series, n: first to last trading day; weekdays without a trade count as 0'),
  sqn: f.orNull(
    f.ratio(
      'System quality number: sqrt(r_sample) times mean R over its standard deviation (n - 1), not capped; null if undefined',
    ),
  ),
  confidence: confidenceRecord,
}));

export type Performance = z.infer<typeof performanceRecord>;
