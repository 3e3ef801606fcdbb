/** A sample trader's year, made up: the same records for the same day, in the shapes that import takes. */
import { tradingDaysBefore, ZONE } from './calendar.ts';
import { tradeGroups } from './groups.ts';
import { groupJournals, tradeJournals } from './journals.ts';
import { yearOf } from './markets.ts';
import { missedTrades } from './missed-trades.ts';
import type { SampleJournal } from './records.ts';
import { TOLERANCE } from './results.ts';
import { tradingSessions } from './sessions.ts';
import { singleTrades } from './trades.ts';
import { weeklyReviews } from './weekly-reviews.ts';

/** Trading days in a year, without holidays and the days that close early. */
const DAYS = 250;

/** @param today a day in New York; everything lies before it, the last trades on the last trading day. */
export function sampleJournal(today: string): SampleJournal {
  const year = yearOf(today, tradingDaysBefore(today, DAYS));
  const { groups, legs } = tradeGroups(year);
  const trades = [...singleTrades(year), ...legs]
    .sort((a, b) => Date.parse(a.executed_at) - Date.parse(b.executed_at) || (a.symbol < b.symbol ? -1 : 1))
    .map((trade, index) => ({ id: `t-${String(index + 1).padStart(4, '0')}`, ...trade }));
  return {
    user: {
      id: 'me',
      name: 'Sample trader',
      timezone: ZONE,
      base_currency: 'USD',
      starting_balance: 25_000,
      breakeven_tolerance: TOLERANCE,
    },
    tradeGroups: groups,
    trades,
    tradeJournals: tradeJournals(trades),
    groupJournals: groupJournals(groups, trades),
    sessions: tradingSessions(year, trades),
    weeklyReviews: weeklyReviews(year, trades),
    missedTrades: missedTrades(year),
  };
}
