/** /v1/analytics/summary: everything that can be said about the closed trades of a window. */
import * as z from 'zod';
import { roundRatio } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { ALL_DIMENSIONS, Breakdown, breakdownsRecord } from './breakdowns.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { DataQuality, dataQualityRecord } from './data-quality.ts';
import { missedRecord, missedTradesOf } from './missed-trades.ts';
import { MistakeCost, mistakesRecord } from './mistake-cost.ts';
import { openRecord, openTrades } from './open-trades.ts';
import { PerformanceAccumulator } from './performance.ts';
import { type Performance, performanceRecord } from './performance-record.ts';
import { RuleAdherence, rulesRecord } from './rule-adherence.ts';
import { lengthInDays, rangeOf, type Window, windowBefore } from './window.ts';

export const analyticsRecord = z.strictObject({
  period: z
    .strictObject({
      start: f.orNull(f.instant('Start of the window; null where open')),
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
 * A pass over the closed trades of the window that pauses now and then.
 * @param window bounds of closed_at
 * @param filters trade filters by name
 * @param now epoch milliseconds: where a window without an end is taken to end when looking for the one before
 */
export function* analyticsOf(
  reader: Reader,
  user: User,
  window: Window,
  filters: Readonly<Record<string, string>>,
  now: number,
): Generator<void, Analytics> {
  const clock = new ZoneClock(user.timezone);
  const selection = { range: rangeOf(window), filters };
  const performance = new PerformanceAccumulator(user, clock);
  const breakdowns = ALL_DIMENSIONS.map((name) => [name, new Breakdown(name, clock)] as const);
  const mistakes = new MistakeCost();
  const rules = new RuleAdherence();
  const quality = new DataQuality();
  const accumulators = [performance, mistakes, rules, quality, ...breakdowns.map(([, breakdown]) => breakdown)];
  yield* visitClosedTrades(reader, user, selection, {
    detail: 'all',
    visit: (trade) => {
      for (const accumulator of accumulators) accumulator.add(trade);
    },
    visitWithoutRate: (currency) => quality.addWithoutRate(currency),
  });
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
    previous: before && (yield* performanceOf(reader, user, before, filters, clock)),
    open: openTrades(reader, user, selection),
    mistakes: mistakes.result(),
    rules: rules.result(),
    missed: missedTradesOf(reader, user, selection),
    data_quality: quality.result(),
  };
}

/** The performance alone, of the closed trades of another window. */
export function* performanceOf(
  reader: Reader,
  user: User,
  window: Window,
  filters: Readonly<Record<string, string>>,
  clock: ZoneClock,
): Generator<void, Performance> {
  const performance = new PerformanceAccumulator(user, clock);
  yield* visitClosedTrades(
    reader,
    user,
    { range: rangeOf(window), filters },
    {
      detail: 'money',
      visit: (trade) => performance.add(trade),
    },
  );
  return performance.result();
}
