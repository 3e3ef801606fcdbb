/** Every path, in the order of the documentation: scope, caching and handler. */
import { cashFlows } from '../journal/resources/cash-flows.ts';
import {
  groupJournals,
  journalRows,
  tradeJournals,
} from '../journal/resources/journals.ts';
import { missedTrades } from '../journal/resources/missed-trades.ts';
import { positions } from '../journal/resources/positions.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { tradeGroups } from '../journal/resources/trade-groups.ts';
import { trades } from '../journal/resources/trades.ts';
import { weeklyReviews } from '../journal/resources/weekly-reviews.ts';
import { analyticsSummary, missedSummary, summary } from './endpoints/figures.ts';
import { list } from './endpoints/list.ts';
import { attachment, labels, singleTrade } from './endpoints/lookups.ts';
import { me } from './endpoints/me.ts';
import { apiDescription, health, llmsTxt, pageFiles } from './endpoints/service.ts';
import type { FileRoute, Route } from './route.ts';

export const ROUTES: readonly Route[] = [
  { path: '/v1/me', scope: 'any key', cached: 'never', ...me },
  { path: '/v1/trades', scope: 'trades:read', cached: 'unchanged', ...list(trades) },
  { path: '/v1/trades/{id}', scope: 'trades:read', cached: 'unchanged', ...singleTrade },
  {
    path: '/v1/trade-groups',
    scope: 'trades:read',
    cached: 'unchanged',
    ...list(tradeGroups),
  },
  {
    path: '/v1/positions',
    scope: 'trades:read',
    cached: 'unchanged',
    ...list(positions),
  },
  {
    path: '/v1/journal-rows',
    scope: 'journals:read',
    cached: 'unchanged',
    ...list(journalRows),
  },
  {
    path: '/v1/trade-journals',
    scope: 'journals:read',
    cached: 'unchanged',
    ...list(tradeJournals),
  },
  {
    path: '/v1/group-journals',
    scope: 'journals:read',
    cached: 'unchanged',
    ...list(groupJournals),
  },
  {
    path: '/v1/sessions',
    scope: 'sessions:read',
    cached: 'unchanged',
    ...list(sessions),
  },
  {
    path: '/v1/weekly-reviews',
    scope: 'reviews:read',
    cached: 'unchanged',
    ...list(weeklyReviews),
  },
  {
    path: '/v1/missed-trades',
    scope: 'missed_trades:read',
    cached: 'unchanged',
    ...list(missedTrades),
  },
  {
    path: '/v1/attachments/{id}',
    scope: 'journals:read',
    cached: 'never',
    ...attachment,
  },
  {
    path: '/v1/cash-flows',
    scope: 'trades:read',
    cached: 'unchanged',
    ...list(cashFlows),
  },
  { path: '/v1/labels', scope: 'trades:read', cached: 'unchanged', ...labels },
  {
    path: '/v1/analytics/summary',
    scope: 'analytics:read',
    cached: 'today',
    ...analyticsSummary,
  },
  {
    path: '/v1/analytics/missed-trades',
    scope: 'analytics:read',
    cached: 'today',
    ...missedSummary,
  },
  { path: '/v1/summary', scope: 'agent_summary:read', cached: 'today', ...summary },
  { path: '/healthz', scope: 'public', cached: 'never', ...health },
  { path: '/openapi.json', scope: 'public', cached: 'always', ...apiDescription },
];

/** Pages and texts outside of the API. */
export const FILES: readonly FileRoute[] = [...pageFiles, llmsTxt(ROUTES)];
