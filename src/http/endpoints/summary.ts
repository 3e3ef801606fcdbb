/** The compact summary. */
import { summaryOf } from '../../journal/analytics/summary.ts';
import { summaryRecord } from '../../journal/analytics/summary-record.ts';
import { cappedPeriod, days, lastDay, summaryPeriod, unit, unitOf } from '../figure-parameters.ts';
import type { Endpoint } from '../route.ts';

const PARAMETERS = [cappedPeriod, days, lastDay, unit];

export const summary: Endpoint = {
  operationId: 'getSummary',
  tag: 'analytics',
  summary: 'Compact summary for agents',
  description:
    'First call of an agent: performance next to that of the previous period, symbols, setups, tags, mistakes, rules, and the latest notes of the period. Always under 8 KB.',
  parameters: () => PARAMETERS,
  gives: { data: summaryRecord, name: 'Summary' },
  *handle({ reader, user, key, clock, query, now }) {
    const asked = summaryPeriod(query, clock, now);
    return { data: yield* summaryOf(reader, user, asked, unitOf(query), key.lens?.hides ?? []) };
  },
};
