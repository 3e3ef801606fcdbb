/** /v1/analytics/summary: everything that can be said about the closed trades of a window. */
import * as z from 'zod';
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
import { type Asked, periodFields, periodRecord, spanFields, spanRecord } from './period.ts';
import { RuleAdherence, rulesRecord } from './rule-adherence.ts';
import { rangeOf, type Window } from './window.ts';

export const analyticsRecord = z.strictObject({
  period: periodRecord.meta({ description: 'The window that closed_at lies in' }),
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
  previous: performanceRecord.nullable().meta({
    description:
      'Performance of the window before: the calendar period before a calendar period, else the equally long window; null without a start',
  }),
  previous_period: spanRecord.nullable().meta({ description: 'The window of previous; null without a start' }),
  open: openRecord.meta({ description: 'Open trades' }),
  mistakes: mistakesRecord.meta({ description: 'What mistakes cost' }),
  rules: rulesRecord.meta({ description: 'Whether rules were followed, by the journal entries of the trades' }),
  missed: missedRecord.meta({ description: 'Missed trades; never part of the performance' }),
  data_quality: dataQualityRecord.meta({ description: 'What is missing in the data' }),
});

export type Analytics = z.infer<typeof analyticsRecord>;

/**
 * A pass over the closed trades of the window that pauses now and then.
 * @param asked the window of closed_at, and the one before it
 * @param filters trade filters by name
 */
export function* analyticsOf(
  reader: Reader,
  user: User,
  asked: Asked,
  filters: Readonly<Record<string, string>>,
): Generator<void, Analytics> {
  const clock = new ZoneClock(user.timezone);
  const selection = { range: rangeOf(asked.span), filters };
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
  const { previous } = asked;
  return {
    period: periodFields(clock, asked),
    performance: performance.result(),
    daily: performance.days.rows(),
    breakdowns: Object.fromEntries(breakdowns.map(([name, rows]) => [name, rows.result()])) as Analytics['breakdowns'],
    previous: previous && (yield* performanceOf(reader, user, previous, filters, clock)),
    previous_period: previous && spanFields(previous),
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
