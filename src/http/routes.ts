/** Every endpoint under /v1, in the order of the documentation. */
import { analytics, analyticsRecord } from '../journal/analytics/index.ts';
import { summary, summaryRecord } from '../journal/analytics/summary.ts';
import { listPage } from '../journal/list.ts';
import type { ListResource } from '../journal/resource.ts';
import { groupJournals } from '../journal/resources/group-journals.ts';
import { journalRows } from '../journal/resources/journal-rows.ts';
import { missedTrades } from '../journal/resources/missed-trades.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { tradeGroups } from '../journal/resources/trade-groups.ts';
import { tradeJournals } from '../journal/resources/trade-journals.ts';
import { tradeFilters, trades } from '../journal/resources/trades.ts';
import { weeklyReviews } from '../journal/resources/weekly-reviews.ts';
import { findTrade, tradeDetailRecord } from '../journal/trade.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { me, meRecord } from './me.ts';
import { bounds, cursor, days, filterParameters, limit, limitOf, period, type Query, windowDays } from './parameter.ts';
import { notFound } from './problem.ts';
import { columnRange, windowOf } from './range.ts';
import type { Call, Operation } from './route.ts';

export const OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/me',
    operationId: 'getMe',
    tag: 'key',
    summary: 'The current key',
    description:
      'What this key is, whose journal it reads, which endpoints it reaches, and from when to when there are records.',
    scope: null,
    parameters: [],
    gives: { data: meRecord, name: 'Me' },
    holds: 'never',
    handle: (call) => ({ data: me(call, OPERATIONS) }),
  },
  list(trades),
  {
    path: '/v1/trades/{id}',
    operationId: 'getTrade',
    tag: 'trades',
    summary: 'One trade',
    description:
      'One trade with its executions, its group and its journal entries. A key without journals:read gets the entries as null, and is told so in withheld.',
    scope: 'trades:read',
    parameters: [],
    gives: { data: tradeDetailRecord, name: 'TradeDetail' },
    holds: 'unchanged',
    handle: ({ reader, user, pathId, key }) => {
      const trade = findTrade(reader, user, pathId, key.scopes.includes('journals:read'));
      if (!trade) throw notFound();
      return { data: trade };
    },
  },
  list(tradeGroups),
  list(journalRows),
  list(tradeJournals),
  list(groupJournals),
  list(sessions),
  list(weeklyReviews),
  list(missedTrades),
  {
    path: '/v1/analytics/summary',
    operationId: 'getAnalyticsSummary',
    tag: 'analytics',
    summary: 'Performance in full',
    description:
      "Everything computed from the closed trades of a window, by closed_at: performance, days, breakdowns, the window before, mistakes, rules. Money is in the user's base currency; a trade in another currency without an fx_rate is left out and counted in data_quality. Undefined figures are null.",
    scope: 'analytics:read',
    parameters: [...bounds('closed_at'), ...filterParameters({ filters: tradeFilters, record: trades.record })],
    gives: { data: analyticsRecord, name: 'Analytics' },
    holds: 'today',
    *handle({ reader, user, clock, query, now }) {
      const { start: _start, end: _end, ...filters } = query;
      return { data: yield* analytics(reader, user, windowOf(query, clock), filters, now) };
    },
  },
  {
    path: '/v1/summary',
    operationId: 'getSummary',
    tag: 'analytics',
    summary: 'Compact summary for agents',
    description:
      'What an agent reads first: performance, symbols, tags, mistakes and the newest notes of the last days. Always under 8 KB.',
    scope: 'agent_summary:read',
    parameters: [period, days],
    gives: { data: summaryRecord, name: 'Summary' },
    holds: 'today',
    *handle({ reader, user, query, now }) {
      return { data: yield* summary(reader, user, windowDays(query), now) };
    },
  },
];

function list(resource: ListResource): Operation {
  return {
    path: `/v1/${resource.path}`,
    operationId: `list${resource.name}s`,
    tag: resource.path,
    summary: `List of ${resource.title}`,
    description: `${resource.description} Newest ${resource.orderBy} first.`,
    scope: resource.scope,
    parameters: [limit, cursor, ...bounds(resource.orderBy), ...filterParameters(resource)],
    gives: { list: resource },
    holds: 'unchanged',
    handle: (call) => page(resource, call),
  };
}

function* page(resource: ListResource, { reader, user, clock, query, secret }: Call) {
  const context = { path: resource.path, userId: user.id, query };
  const range = columnRange(windowOf(query, clock), resource, clock);
  const after = query['cursor'] === undefined ? null : decodeCursor(secret.signCursor, context, query['cursor']);
  const size = limitOf(query);
  const { rows, next } = yield* listPage(reader, user, resource, {
    limit: size,
    range,
    filters: filtersOf(resource, query),
    after,
  });
  return {
    data: rows,
    pagination: {
      limit: size,
      has_more: next !== null,
      next_cursor: next && encodeCursor(secret.signCursor, context, next),
    },
  };
}

function filtersOf(resource: ListResource, query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(resource.filters, name)));
}
