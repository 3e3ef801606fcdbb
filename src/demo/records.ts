/** The shapes of the sample's records: what an import file holds, so without the fields that are derived. */
import type * as z from 'zod';
import type { groupJournals } from '../journal/resources/group-journals.ts';
import type { missedTrades } from '../journal/resources/missed-trades.ts';
import type { sessions } from '../journal/resources/sessions.ts';
import type { tradeGroups } from '../journal/resources/trade-groups.ts';
import type { tradeJournals } from '../journal/resources/trade-journals.ts';
import type { execution, Trade } from '../journal/resources/trades.ts';
import type { weeklyReviews } from '../journal/resources/weekly-reviews.ts';

export type SampleTrade = Omit<Trade, 'outcome' | 'holding_seconds' | 'net_pnl' | 'r_multiple'> & {
  executions: z.infer<typeof execution>[];
};
export type SampleGroup = Omit<
  z.infer<(typeof tradeGroups)['record']>,
  'trade_ids' | 'leg_count' | 'gross_pnl' | 'fees' | 'net_pnl' | 'r_multiple'
>;
export type SampleTradeJournal = z.infer<(typeof tradeJournals)['record']>;
export type SampleGroupJournal = z.infer<(typeof groupJournals)['record']>;
export type SampleSession = Omit<z.infer<(typeof sessions)['record']>, 'metrics'>;
export type SampleWeeklyReview = Omit<z.infer<(typeof weeklyReviews)['record']>, 'metrics'>;
export type SampleMissedTrade = z.infer<(typeof missedTrades)['record']>;

export interface SampleJournal {
  user: {
    id: string;
    name: string;
    timezone: string;
    base_currency: string;
    starting_balance: number;
    breakeven_tolerance: number;
  };
  tradeGroups: SampleGroup[];
  trades: SampleTrade[];
  tradeJournals: SampleTradeJournal[];
  groupJournals: SampleGroupJournal[];
  sessions: SampleSession[];
  weeklyReviews: SampleWeeklyReview[];
  missedTrades: SampleMissedTrade[];
}
