/**
 * All list resources, in the order of the documentation. A new one needs a file here and
 * a line below.
 */
import type { ListResource } from '../resource.ts';
import { cashFlows } from './cash-flows.ts';
import { groupJournals, journalRows, tradeJournals } from './journals.ts';
import { missedTrades } from './missed-trades.ts';
import { positions } from './positions.ts';
import { sessions } from './sessions.ts';
import { tradeGroups } from './trade-groups.ts';
import { trades } from './trades.ts';
import { weeklyReviews } from './weekly-reviews.ts';

export const RESOURCES: readonly ListResource[] = [
  trades,
  tradeGroups,
  positions,
  journalRows,
  tradeJournals,
  groupJournals,
  sessions,
  weeklyReviews,
  missedTrades,
  cashFlows,
];
