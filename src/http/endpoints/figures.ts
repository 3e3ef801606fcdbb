/** The two summaries of performance. */
import { analyticsOf, analyticsRecord } from '../../journal/analytics/index.ts';
import { summaryOf } from '../../journal/analytics/summary.ts';
import { summaryRecord } from '../../journal/analytics/summary-record.ts';
import { once } from '../../journal/in-steps.ts';
import { tradeFilters, trades } from '../../journal/resources/trades.ts';
import {
  analyticsPeriod,
  best,
  cappedPeriod,
  days,
  exclude,
  groupBy,
  lastDay,
  partsOf,
  period,
  sections,
  summaryPeriod,
  top,
  unit,
  unitOf,
  where,
  worst,
} from '../figure-parameters.ts';
import { filterParameters } from '../list-parameters.ts';
import { bounds } from '../parameter.ts';
import type { Endpoint } from '../route.ts';

/** In full. */
export const analyticsSummary: Endpoint = {
  operationId: 'getAnalyticsSummary',
  tag: 'analytics',
  summary: 'Performance in full',
  description:
    "All figures of the closed trades of a period, by closed_at: performance, days, breakdowns, the previous period, mistakes, rules. Money is in the user's base currency; a trade in another currency without an fx_rate is excluded and counted in data_quality. Undefined figures are null.",
  parameters: once(() => [
    period,
    ...bounds('closed_at'),
    unit,
    sections,
    groupBy,
    where,
    exclude,
    best,
    worst,
    top,
    ...filterParameters({ filters: tradeFilters, record: trades.record }),
  ]),
  gives: {
    data: analyticsRecord,
    name: 'Analytics',
    hint: 'Labels in filters and conditions that no trade has, with the nearest ones; absent if none',
  },
  *handle({ reader, user, key, clock, query, now }) {
    const asked = analyticsPeriod(query, clock, now);
    const filters = Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(tradeFilters, name)));
    const question = { asked, filters, unit: unitOf(query), ...partsOf(query), now, hides: key.lens?.hides ?? [] };
    const { data, hint } = yield* analyticsOf(reader, user, question);
    return hint === undefined ? { data } : { data, hint };
  },
};

const COMPACT_PARAMETERS = [cappedPeriod, days, lastDay, unit];

/** Compact. */
export const summary: Endpoint = {
  operationId: 'getSummary',
  tag: 'analytics',
  summary: 'Compact summary for agents',
  description:
    'First call of an agent: performance next to that of the previous period, symbols, setups, tags, mistakes, rules, and the latest notes of the period. Always under 8 KB.',
  parameters: () => COMPACT_PARAMETERS,
  gives: { data: summaryRecord, name: 'Summary' },
  *handle({ reader, user, key, clock, query, now }) {
    const asked = summaryPeriod(query, clock, now);
    return { data: yield* summaryOf(reader, user, asked, unitOf(query), key.lens?.hides ?? [], now) };
  },
};
