/**
 * Days as the dashboard shows them: in money by what was realised on them, in R by the
 * trades closed.
 */
import type { Results } from './results.ts';
import type { FirstFigures } from './types.ts';

export interface DayResult {
  date: string;
  result: number;
  /** Of the period up to the end of the day. */
  total: number;
  /** The largest of the day, at least 0. */
  drawdown: number;
  /** Null in R. */
  exits: number | null;
  /** Trades closed on it. */
  trades: number;
  /** Sum of their R, beside money; null if none has a risk. */
  r: number | null;
}

type DaysOfFigures = Pick<FirstFigures, 'daily' | 'realised'>;

/** Oldest first; in R without the days that have none. */
export function daysOf(
  figures: DaysOfFigures,
  { isInR }: Pick<Results, 'isInR'>,
): DayResult[] {
  return isInR ? daysInR(figures) : daysInMoney(figures);
}

function daysInMoney({ daily, realised }: DaysOfFigures): DayResult[] {
  const closed = new Map(daily.map((day) => [day.date, day]));

  return realised.map(({ date, exits, net_pnl, cumulative_net_pnl, lowest }) => ({
    date,
    result: net_pnl,
    total: cumulative_net_pnl,
    drawdown: lowest,
    exits,
    trades: closed.get(date)?.trades ?? 0,
    r: closed.get(date)?.total_r ?? null,
  }));
}

function daysInR({ daily }: DaysOfFigures): DayResult[] {
  const days = daily.filter(({ total_r }) => total_r !== null);
  const sums = accumulated(days.map(({ total_r }) => total_r ?? 0));

  return days.map(({ date, trades }, index) => ({
    ...(sums[index] as Accumulated),
    date,
    exits: null,
    trades,
    r: null,
  }));
}

export type Accumulated = Pick<DayResult, 'result' | 'total' | 'drawdown'>;

/** Results one after the other, with their sum so far and its fall below its high. */
export function accumulated(results: readonly number[]): Accumulated[] {
  let [total, high] = [0, 0];
  return results.map((result) => {
    total += result;
    high = Math.max(high, total);
    return { result, total, drawdown: high - total };
  });
}

/** The first and the last day; undefined if the period has no bounds and no results. */
export function boundsOf({
  period,
  daily,
  realised,
}: Pick<FirstFigures, 'period'> & DaysOfFigures) {
  const dates = [...daily, ...realised].map(({ date }) => date).sort();
  return {
    first: period.start_date ?? dates[0],
    last: period.end_date ?? dates.at(-1),
  };
}

/** Whether a period has figures: of closed trades, or what other trades realised. */
export function hasFigures(
  { performance, realised }: Pick<FirstFigures, 'performance' | 'realised'>,
  isInR: boolean,
): boolean {
  return performance.trades > 0 || (!isInR && realised.length > 0);
}
