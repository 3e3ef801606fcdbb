/** The compact summary. */
import { summaryOf } from '../../journal/analytics/summary.ts';
import { summaryRecord } from '../../journal/analytics/summary-record.ts';
import { days, period, windowDays } from '../parameter.ts';
import type { Endpoint } from '../route.ts';

export const summary: Endpoint = {
  operationId: 'getSummary',
  tag: 'analytics',
  summary: 'Compact summary for agents',
  description:
    'What an agent reads first: performance, symbols, tags, mistakes and the latest notes of the window. Always under 8 KB.',
  parameters: [period, days],
  gives: { data: summaryRecord, name: 'Summary' },
  *handle({ reader, user, query, now }) {
    return { data: yield* summaryOf(reader, user, windowDays(query), now) };
  },
};
