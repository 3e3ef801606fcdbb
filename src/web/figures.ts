/** The figures of a period, each with formula and format. */
import { type Formats, NONE, toneOf } from './format.ts';
import type { Performance } from './types.ts';

/** The fields of a performance that are numbers, and the one whose amount is a figure. */
type Field = {
  [Name in keyof Performance]: Performance[Name] extends number | null ? Name : never;
}[keyof Performance];

export interface FigureDefinition {
  name: string;
  formula: string;
  of: Field | 'max_drawdown' | 'realised_drawdown';
  as: 'gain' | 'money' | 'r' | 'count' | 'percent' | 'decimal';
  hasTone?: boolean;
  /** How the bounds of its confidence interval are written. */
  range?: 'wholePercent' | 'shortGain' | 'signedDecimal';
}

export const REALISED: FigureDefinition = {
  name: 'Realised P&L',
  formula: 'P&L less costs of all exits in the period, of closed and of open trades.',
  of: 'realised_pnl',
  as: 'gain',
  hasTone: true,
};

/** Of closed trades alone, as a what-if compares them. */
export const NET: FigureDefinition = {
  name: 'Net P&L of closed trades',
  formula: 'Gross P&L less all fees, for trades closed in the period.',
  of: 'net_pnl',
  as: 'gain',
  hasTone: true,
};

export const CLOSED_DRAWDOWN: FigureDefinition = {
  name: 'Max drawdown of closed trades',
  formula: 'Largest fall of cumulative net P&L from its high, trade by trade.',
  of: 'max_drawdown',
  as: 'money',
};

/** In place of the realised P&L if the key hides money. */
export const TOTAL_R: FigureDefinition = {
  name: 'Total R',
  formula: 'Sum of R of the trades closed in the period: net P&L over the risk at entry.',
  of: 'total_r',
  as: 'r',
  hasTone: true,
};

export const FIGURES: readonly FigureDefinition[] = [
  { name: 'Trades', of: 'trades', as: 'count', formula: 'Trades closed in the period.' },
  {
    name: 'Win rate',
    formula:
      'Wins over trades. A trade within the breakeven tolerance is neither a win nor a loss.',
    of: 'win_rate',
    as: 'percent',
    range: 'wholePercent',
  },
  {
    name: 'Profit factor',
    of: 'profit_factor',
    as: 'decimal',
    formula: 'Net P&L of winners over the net loss of losers.',
  },
  {
    name: 'Expectancy',
    formula: 'Mean net P&L of a trade.',
    of: 'expectancy',
    as: 'gain',
    hasTone: true,
    range: 'shortGain',
  },
  {
    name: 'Expectancy in R',
    formula: 'Mean R of the trades with a risk: net P&L over the risk at entry.',
    of: 'expectancy_r',
    as: 'r',
    hasTone: true,
    range: 'signedDecimal',
  },
  {
    name: 'Max drawdown',
    formula:
      'Largest fall of cumulative realised P&L from its high, exit by exit. ' +
      'The curve shows the largest of each day.',
    of: 'realised_drawdown',
    as: 'money',
    hasTone: true,
  },
  {
    name: 'Average win',
    of: 'average_win',
    as: 'gain',
    formula: 'Mean net P&L of the winners.',
  },
  {
    name: 'Average loss',
    of: 'average_loss',
    as: 'gain',
    formula: 'Mean net P&L of the losers.',
  },
  {
    name: 'Payoff',
    of: 'payoff_ratio',
    as: 'decimal',
    formula: 'Average win over the size of the average loss.',
  },
  {
    name: 'Sharpe',
    formula:
      'Mean day over the standard deviation of days, times the square root of 252. Weekdays without a trade count as 0.',
    of: 'sharpe',
    as: 'decimal',
  },
  {
    name: 'Sortino',
    formula:
      'Mean day over the downside deviation of days (target 0), times the square root of 252. Weekdays without a trade count as 0.',
    of: 'sortino',
    as: 'decimal',
  },
  {
    name: 'SQN',
    formula:
      'Mean R over the standard deviation of R, times the square root of the number of trades.',
    of: 'sqn',
    as: 'decimal',
  },
  {
    name: 'Fees',
    of: 'fees',
    as: 'money',
    formula: 'All costs: commissions, exchange fees, borrowing.',
  },
];

/** How good the period was, on the first screen: in money and in R. */
export const MAIN_FIGURES = {
  money: ['win_rate', 'expectancy', 'profit_factor'],
  r: ['win_rate', 'expectancy_r', 'profit_factor'],
} as const satisfies Record<string, readonly Field[]>;

/** Keys that hide money don't show it. */
export function isMoney({ as }: FigureDefinition): boolean {
  return as === 'gain' || as === 'money';
}

export type Figures = Partial<Performance>;

function amountOf({ of }: FigureDefinition, figures: Figures): number | null {
  const value = figures[of] ?? null;
  return typeof value === 'object' ? value && -value.amount : value;
}

export function written(
  definition: FigureDefinition,
  figures: Figures,
  format: Formats,
): string {
  if (definition.of === 'profit_factor' && figures.profit_factor_infinite)
    return 'no losses';
  return format[definition.as](amountOf(definition, figures));
}

/** Amounts made or lost have a colour; means only if their interval doesn't hold 0. */
export function toneIn(definition: FigureDefinition, figures: Figures): string {
  const { hasTone, range } = definition;
  if (!hasTone || (range && holdsZero(intervalOf(definition, figures)))) return '';
  return toneOf(amountOf(definition, figures));
}

/** Also if there is none. */
function holdsZero(interval: readonly number[] | null): boolean {
  const [low = 0, high = 0] = interval ?? [];
  return low <= 0 && high >= 0;
}

const LEAST_DAYS = 30;
const LEAST_IN_R = 20;
const LEAST_SHARE_IN_R = 0.1;

const OF_DAYS: readonly FigureDefinition['of'][] = ['sharpe', 'sortino'];
const OF_R: readonly FigureDefinition['of'][] = ['expectancy_r', 'sqn'];

type Sample = Pick<Performance, 'trades' | 'trading_days' | 'r_sample'>;

/** What a figure needs and has, if that is too little to show it; else null. */
function neededBy(
  { of }: FigureDefinition,
  figures: Sample,
  unit: string,
): string | null {
  const { trades, trading_days, r_sample } = figures;
  if (OF_DAYS.includes(of) && trading_days < LEAST_DAYS)
    return `from ${LEAST_DAYS} trading days, has ${trading_days}`;

  if (
    OF_R.includes(of) &&
    (r_sample < LEAST_IN_R || r_sample < LEAST_SHARE_IN_R * trades)
  ) {
    return (
      `from ${LEAST_IN_R} ${unit}s with a risk, and a tenth of all; ` +
      `${r_sample} of ${trades} ${r_sample === 1 ? 'has' : 'have'} one`
    );
  }

  return null;
}

export function hasSample(definition: FigureDefinition, figures: Sample): boolean {
  return neededBy(definition, figures, '') === null;
}

/** "Sharpe, Sortino: from 30 trading days, has 3": the figures that lack a sample. */
export function figuresMissing(
  definitions: readonly FigureDefinition[],
  figures: Sample,
  unit = 'trade',
): string[] {
  const names = new Map<string, string[]>();
  for (const definition of definitions) {
    const needed = neededBy(definition, figures, unit);
    if (needed !== null)
      names.set(needed, [...(names.get(needed) ?? []), definition.name]);
  }
  return [...names].map(([needed, all]) => `${all.join(', ')}: ${needed}`);
}

/** The trades it is made of, if not all. */
export function sampleOf(
  { of }: FigureDefinition,
  { r_sample, trades }: Performance,
  unit = 'trade',
): string | null {
  return of === 'expectancy_r' && r_sample > 0
    ? `in ${r_sample} of ${trades} ${unit}s`
    : null;
}

/** "95%: 46% to 65%": such intervals hold the true value 95 times in 100. */
export function rangeOf(
  definition: FigureDefinition,
  figures: Performance,
  format: Formats,
): string | null {
  const [low, high] = intervalOf(definition, figures) ?? [];
  const { range } = definition;
  if (!range || high === undefined) return null;
  return `95%: ${format[range](low)} to ${format[range](high)}`;
}

function intervalOf(
  { of }: FigureDefinition,
  { confidence }: Figures,
): readonly number[] | null {
  if (!confidence || !(of === 'win_rate' || of === 'expectancy' || of === 'expectancy_r'))
    return null;
  return confidence[of] ?? null;
}

/** "previous period: +$1,654.97"; null if it has no such figure. */
export function previousInWords(
  definition: FigureDefinition,
  previous: Performance | null | undefined,
  format: Formats,
): string | null {
  if (!previous || previous.trades === 0 || !hasSample(definition, previous)) return null;
  const value = written(definition, previous, format);
  return value === NONE ? null : `previous period: ${value}`;
}
