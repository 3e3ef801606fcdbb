/** The figures of a period, each with formula and format. */
import { type Formats, toneOf } from './format.ts';
import type { Performance } from './types.ts';

export interface FigureDefinition {
  name: string;
  formula: string;
  write: (performance: Performance, format: Formats) => string;
  tone?: (performance: Performance) => string;
  /** Keys that hide money don't show it. */
  isMoney?: boolean;
  /** The trades it is made of, if not all; null without any. */
  sample?: (performance: Performance, unit?: 'trade' | 'position') => string | null;
  /** Its confidence interval; null if there are too few trades. */
  range?: (performance: Performance, format: Formats) => string | null;
}

export const NET: FigureDefinition = {
  name: 'Net P&L',
  formula: 'Gross P&L less all fees, for trades closed in the period.',
  write: ({ net_pnl }, format) => format.gain(net_pnl),
  tone: ({ net_pnl }) => toneOf(net_pnl),
};

/** In place of the net P&L if the key hides money. */
export const TOTAL_R: FigureDefinition = {
  name: 'Total R',
  formula: 'Sum of R of the trades closed in the period: net P&L over the risk at entry.',
  write: ({ total_r }, format) => format.r(total_r),
  tone: ({ total_r }) => toneOf(total_r),
};

export const FIGURES: readonly FigureDefinition[] = [
  { name: 'Trades', formula: 'Trades closed in the period.', write: ({ trades }, format) => format.count(trades) },
  {
    name: 'Win rate',
    formula: 'Wins over trades. A trade within the breakeven tolerance is neither a win nor a loss.',
    write: ({ win_rate }, format) => format.percent(win_rate),
    range: ({ confidence }, format) => between(confidence.win_rate, format.wholePercent),
  },
  {
    name: 'Profit factor',
    formula: 'Net P&L of winners over the net loss of losers.',
    write: ({ profit_factor, profit_factor_infinite }, format) =>
      profit_factor_infinite ? 'no losses' : format.decimal(profit_factor),
  },
  {
    name: 'Expectancy',
    isMoney: true,
    formula: 'Mean net P&L of a trade.',
    write: ({ expectancy }, format) => format.gain(expectancy),
    tone: ({ expectancy }) => toneOf(expectancy),
    range: ({ confidence }, format) => between(confidence.expectancy, format.shortGain),
  },
  {
    name: 'Expectancy in R',
    formula: 'Mean R of the trades with a risk: net P&L over the risk at entry.',
    write: ({ expectancy_r }, format) => format.r(expectancy_r),
    sample: ({ r_sample, trades }, unit = 'trade') => (r_sample > 0 ? `in ${r_sample} of ${trades} ${unit}s` : null),
    tone: ({ expectancy_r }) => toneOf(expectancy_r),
    range: ({ confidence }, format) => between(confidence.expectancy_r, format.signedDecimal),
  },
  {
    name: 'Max drawdown',
    isMoney: true,
    formula: 'Largest fall of cumulative net P&L from its high, trade by trade. The curve shows the end of each day.',
    write: ({ max_drawdown }, format) => format.money(max_drawdown && -max_drawdown.amount),
    tone: ({ max_drawdown }) => (max_drawdown ? 'loss' : 'even'),
  },
  {
    name: 'Average win',
    isMoney: true,
    formula: 'Mean net P&L of the winners.',
    write: ({ average_win }, format) => format.gain(average_win),
  },
  {
    name: 'Average loss',
    isMoney: true,
    formula: 'Mean net P&L of the losers.',
    write: ({ average_loss }, format) => format.gain(average_loss),
  },
  {
    name: 'Payoff',
    formula: 'Average win over the size of the average loss.',
    write: ({ payoff_ratio }, format) => format.decimal(payoff_ratio),
  },
  {
    name: 'Sharpe',
    formula:
      'Mean day over the standard deviation of days, times the square root of 252. Weekdays without a trade count as 0.',
    write: ({ sharpe }, format) => format.decimal(sharpe),
  },
  {
    name: 'SQN',
    formula: 'Mean R over the standard deviation of R, times the square root of the number of trades.',
    write: ({ sqn }, format) => format.decimal(sqn),
  },
  {
    name: 'Fees',
    isMoney: true,
    formula: 'All costs: commissions, exchange fees, borrowing.',
    write: ({ fees }, format) => format.money(fees),
  },
];

/** "95%: 46% to 65%": such intervals hold the true value 95 times in 100. */
function between(interval: readonly number[] | null, write: (value: number) => string): string | null {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? null : `95%: ${write(low)} to ${write(high)}`;
}
