/** Hints for an empty list: an unused label, or a period without records. */
import type { Reader } from '../sqlite/reader.ts';
import { ZoneClock } from '../time.ts';
import type { User } from './journal.ts';
import { listPage, type PageRequest } from './list.ts';
import { MAX_LENGTH, missingLabels } from './missing-labels.ts';
import type { ListResource } from './resource.ts';
import { TakesLong } from './response-size.ts';
import { storedInstant } from './stored-value.ts';

const EVERYTHING = { from: null, to: null };

/**
 * Finds the reason for an empty page.
 * @returns a sentence or two; undefined for a request without conditions
 * @throws TakesLong
 */
export function hintOf(
  reader: Reader,
  user: User,
  resource: ListResource,
  request: PageRequest,
): string | undefined {
  if (!hasConditions(request)) return undefined;
  if (request.isShort) throw new TakesLong();

  const { title } = resource;
  const extentOf = (asked: PageRequest) => extentOfMatches(reader, user, resource, asked);
  if (!extentOf({ ...request, ...UNFILTERED }))
    return `There are no ${title} in this journal.`;

  const outside = isBounded(request) && extentOf(request);
  if (outside) {
    const { field, first, last } = outside;
    return `No matching ${title} in this period; outside it, their ${field} ranges from ${first} to ${last}.`;
  }

  const reasons = missingLabels(reader, user, resource, request.filters);
  if (reasons.length > 0) return reasons.join(' ');

  const anyTime = { ...request, updatedSince: undefined, dateField: undefined };
  const { updatedSince } = request;
  if (updatedSince !== undefined && extentOf(anyTime)) {
    const matching = hasCriteria(request) || request.ids ? 'matching ' : '';
    return `No ${matching}${title} were added or changed since ${updatedSince}.`;
  }

  return hintOfCriteria(title, request);
}

const UNFILTERED = {
  filters: {},
  q: undefined,
  ids: null,
  updatedSince: undefined,
  dateField: undefined,
};

function isBounded({ range }: PageRequest): boolean {
  return range.from !== null || range.to !== null;
}

/** Whether records are chosen by filters or words. */
function hasCriteria({ filters, q }: PageRequest): boolean {
  return Object.keys(filters).length > 0 || q !== undefined;
}

function hasConditions(request: PageRequest): boolean {
  return (
    isBounded(request) ||
    hasCriteria(request) ||
    Boolean(request.ids) ||
    request.updatedSince !== undefined
  );
}

/**
 * The hint where each condition alone has matches, but all of them together have none.
 */
function hintOfCriteria(title: string, request: PageRequest): string {
  if (request.isByText) {
    return `No ${title} that match the other parameters have all words of text in their notes or journal entries; try fewer words, or a part of one.`;
  }
  if (request.ids) {
    const others = hasCriteria(request) ? ' and the other filters' : '';
    return `No ${title} meet the condition in where${others}; it finds closed trades.`;
  }

  const filters = Object.entries(request.filters).map(
    ([name, value]) => `${name}=${value.slice(0, MAX_LENGTH)}`,
  );
  if (request.q !== undefined) {
    const those = filters.length === 0 ? title : `${title} with these filters`;
    return `No ${those} have all words of q; try fewer words, or a part of one.`;
  }
  if (filters.length === 0) return `No ${title} have a ${request.dateField}.`;
  if (filters.length === 1) return `No ${title} match ${filters[0]}.`;

  return `No ${title} match all of these filters; remove one.`;
}

/** The first and last day of matching records, in any period. */
function extentOfMatches(
  reader: Reader,
  user: User,
  resource: ListResource,
  request: PageRequest,
) {
  const field = request.dateField ?? resource.orderBy;
  const clock = new ZoneClock(user.timezone);
  const days: string[] = [];

  for (const isAscending of [true, false]) {
    const ask = {
      ...request,
      range: EVERYTHING,
      sort: field,
      isAscending,
      limit: 1,
      fields: new Set(['id', field]),
      after: null,
    };
    const { rows } = listPage(reader, user, resource, ask);
    const at = rows[0]?.[field];
    if (typeof at !== 'string') return undefined;

    days.push(resource.orderKind === 'date' ? at : clock.dateOf(storedInstant(at)));
  }

  const [first, last] = days;
  return { field, first, last };
}
