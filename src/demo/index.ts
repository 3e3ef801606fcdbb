/** A fictional year of a sample trader: the same records for the same day, in the form that import reads. */
import { tradingDaysBefore, ZONE } from './calendar.ts';
import { tradeGroups } from './groups.ts';
import { groupJournals, tradeJournals } from './journals.ts';
import { yearOf } from './market.ts';
import { missedTrades } from './missed-trades.ts';
import { tradingSessions, weeklyReviews } from './reviews.ts';
import { TOLERANCE } from './sample-trade.ts';
import { singleTrades } from './trades.ts';

/** @param today a day in New York: the year is the 250 trading days before it */
export function sampleJournal(today: string) {
  const year = yearOf(today, tradingDaysBefore(today, 250));
  const { groups, legs } = tradeGroups(year);
  const trades = [...singleTrades(year), ...legs]
    .sort((a, b) => Date.parse(a.executed_at) - Date.parse(b.executed_at) || (a.symbol < b.symbol ? -1 : 1))
    .map((trade, index) => ({ id: `t-${String(index + 1).padStart(4, '0')}`, ...trade }));
  const user = { id: 'me', name: 'Sample trader', timezone: ZONE, base_currency: 'USD', starting_balance: 25_000 };
  const records = {
    'trade-groups': groups,
    trades,
    'trade-journals': tradeJournals(trades),
    'group-journals': groupJournals(groups, trades),
    sessions: tradingSessions(year, trades),
    'weekly-reviews': weeklyReviews(year, trades),
    'missed-trades': missedTrades(year),
  };
  return { user: { ...user, breakeven_tolerance: TOLERANCE }, records };
}
