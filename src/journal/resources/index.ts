/**
 * All list resources, in the order of the documentation. A new one needs a
 * declaration in this folder and a line below.
 */
import type { ListResource } from '../resource.ts';
import { cashFlows } from './cash-flows.ts';
import {
  groupJournals,
  journalRows,
  missedTrades,
  sessions,
  tradeJournals,
  weeklyReviews,
} from './journals.ts';
import { positions } from './positions.ts';
import { tradeGroups, trades } from './trades.ts';

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
