/** /v1/analytics/summary: everything that can be said about the closed trades of a window. */
import * as z from 'zod';
import { roundRatio } from '../../money.ts';
import type { Reader } from '../../read-only-file.ts';
import { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { ALL_DIMENSIONS, Breakdown, breakdownsRecord } from './breakdowns.ts';
import { closedTrades, LeftOut } from './closed-trades.ts';
import { PerformancePass, performanceRecord } from './performance.ts';
import {
  dataQuality,
  dataQualityRecord,
  MistakePass,
  missed,
  missedRecord,
  mistakesRecord,
  openRecord,
  openTrades,
  rules,
  rulesRecord,
} from './sections.ts';
import { lengthInDays, rangeOf, type Window, windowBefore } from './window.ts';

export const analyticsRecord = z.strictObject({
  period: z
    .strictObject({
      start: f.orNull(f.instant('Begin of the window; null where open')),
      end: f.orNull(f.instant('End of the window, exclusive; null where open')),
      days: f.orNull(f.number('Its length in days; null where open')),
      timezone: f.text('The IANA zone that days, weekdays and hours are counted in'),
    })
    .meta({ description: 'The window that closed_at lies in' }),
  performance: performanceRecord.meta({ description: 'Performance of the closed trades of the window' }),
  daily: f.list(
    f.item({
      date: f.date('The day'),
      trades: f.count('Trades closed on it'),
      net_pnl: f.money("Their net P&L, in the user's base currency"),
      cumulative_net_pnl: f.money('Net P&L of the window up to the end of the day'),
      drawdown: f.money("How far that lies below the highest day's end so far (at least 0), as a positive amount"),
    }),
    'Days with trades, oldest first',
  ),
  breakdowns: breakdownsRecord.meta({
    description: 'The same trades by dimension: rows by net P&L, highest first; weekday and hour in their own order',
  }),
  previous: performanceRecord
    .nullable()
    .meta({ description: 'Performance of the equally long window before; null without a start' }),
  open: openRecord.meta({ description: 'Open trades' }),
  mistakes: mistakesRecord.meta({ description: 'What mistakes cost' }),
  rules: rulesRecord.meta({ description: 'Whether rules were followed, by the journal entries of the trades' }),
  missed: missedRecord.meta({ description: 'Missed trades; never part of the performance' }),
  data_quality: dataQualityRecord.meta({ description: 'What is missing in the data' }),
});

export type Analytics = z.infer<typeof analyticsRecord>;

/**
 * @param window bounds of closed_at
 * @param filters trade filters by name
 * @param now epoch milliseconds: where a window without an end is taken to end when looking for the one before
 */
export function analytics(
  reader: Reader,
  user: User,
  window: Window,
  filters: Readonly<Record<string, string>>,
  now: number,
): Analytics {
  const clock = new ZoneClock(user.timezone);
  const selection = { range: rangeOf(window), filters };
  const performance = new PerformancePass(user, clock);
  const breakdowns = ALL_DIMENSIONS.map((name) => [name, new Breakdown(name, clock)] as const);
  const mistakes = new MistakePass();
  const leftOut = new LeftOut();
  let trades = 0;
  let withoutStop = 0;
  for (const trade of closedTrades(reader, user, selection, leftOut)) {
    trades++;
    if (!trade.hasStop) withoutStop++;
    performance.add(trade);
    mistakes.add(trade);
    for (const [, breakdown] of breakdowns) breakdown.add(trade);
  }
  const before = windowBefore(clock, window, now);
  return {
    period: {
      start: selection.range.from,
      end: selection.range.to,
      days: window.from === null || window.to === null ? null : roundRatio(lengthInDays(clock, window.from, window.to)),
      timezone: user.timezone,
    },
    performance: performance.result(),
    daily: performance.days.rows(),
    breakdowns: Object.fromEntries(breakdowns.map(([name, rows]) => [name, rows.result()])) as Analytics['breakdowns'],
    previous: before && performanceOf(reader, user, before, filters, clock),
    open: openTrades(reader, user, selection),
    mistakes: mistakes.result(),
    rules: rules(reader, user, selection),
    missed: missed(reader, user, selection),
    data_quality: dataQuality(reader, user, selection, { trades, withoutStop, leftOut }),
  };
}

/** The performance alone. */
export function performanceOf(
  reader: Reader,
  user: User,
  window: Window,
  filters: Readonly<Record<string, string>>,
  clock: ZoneClock,
) {
  const pass = new PerformancePass(user, clock);
  for (const trade of closedTrades(reader, user, { range: rangeOf(window), filters }, new LeftOut())) pass.add(trade);
  return pass.result();
}
