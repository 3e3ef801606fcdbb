/**
 * The columns in which the fields of notes are stored: those that a resource has of them.
 */
import type { ListResource } from '../../journal/resource.ts';
import {
  groupJournals,
  missedTrades,
  sessions,
  tradeJournals,
  weeklyReviews,
} from '../../journal/resources/journals.ts';
import { tradeGroups, trades } from '../../journal/resources/trades.ts';
import { fieldsOf, isFact, type Scope } from './field-names.ts';

function stored({ record }: ListResource, scope: Scope, ...more: string[]): string[] {
  // Fields within an object are named like review.lesson.
  const names = new Set([
    ...fieldsOf(scope).map((field) => field.split('.')[0]),
    ...more,
  ]);
  return Object.keys(record.shape).filter((name) => names.has(name));
}

/**
 * Fields of a section that belong to its trade; the others belong to the journal entry.
 */
export const OF_TRADE: readonly string[] = stored(trades, 'trade', 'fields').filter(
  (name) => !isFact(name, 'trade'),
);

export const OF_ENTRY: readonly string[] = stored(
  tradeJournals,
  'trade',
  'attachments',
).filter((name) => !OF_TRADE.includes(name));

/**
 * The same of a trade group's section; a group lacks some fields of a trade, such as its
 * stop.
 */
export const OF_GROUP: readonly string[] = stored(tradeGroups, 'trade', 'fields').filter(
  (name) => !isFact(name, 'trade'),
);

export const OF_GROUP_ENTRY: readonly string[] = stored(
  groupJournals,
  'trade',
  'attachments',
).filter((name) => !OF_GROUP.includes(name));

/** The date of a session is that of its note. */
export const OF_SESSION: readonly string[] = stored(
  sessions,
  'session',
  'fields',
  'attachments',
).filter((name) => name !== 'date');

export const OF_MISSED: readonly string[] = stored(missedTrades, 'missed', 'missed_at');

export const OF_WEEK: readonly string[] = stored(
  weeklyReviews,
  'week',
  'fields',
  'attachments',
);
