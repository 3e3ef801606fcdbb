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
  const { range, filters, q, ids, updatedSince } = request;
  const isBounded = range.from !== null || range.to !== null;
  if (
    !isBounded &&
    Object.keys(filters).length === 0 &&
    q === undefined &&
    !ids &&
    updatedSince === undefined
  )
    return undefined;
  if (request.isShort) throw new TakesLong();
  const { title } = resource;
  if (
    !extentOfMatches(reader, user, resource, {
      ...request,
      filters: {},
      q: undefined,
      ids: null,
      updatedSince: undefined,
      dateField: undefined,
    })
  ) {
    return `There are no ${title} in this journal.`;
  }
  const outside = isBounded ? extentOfMatches(reader, user, resource, request) : undefined;
  if (outside) {
    const { field, first, last } = outside;
    return `No matching ${title} in this period; outside it, their ${field} ranges from ${first} to ${last}.`;
  }
  const reasons = missingLabels(reader, user, resource, filters);
  if (reasons.length > 0) return reasons.join(' ');
  const hasCriteria = Object.keys(filters).length > 0 || q !== undefined;
  const anyTime = { ...request, updatedSince: undefined, dateField: undefined };
  if (updatedSince !== undefined && extentOfMatches(reader, user, resource, anyTime))
    return `No ${hasCriteria || ids ? 'matching ' : ''}${title} were added or changed since ${updatedSince}.`;
  if (ids)
    return `No ${title} meet the condition in where${hasCriteria ? ' and the other filters' : ''}; it finds closed trades.`;
  const given = Object.entries(filters).map(
    ([name, value]) => `${name}=${value.slice(0, MAX_LENGTH)}`,
  );
  if (q === undefined) {
    if (given.length > 1) return `No ${title} match all of these filters; remove one.`;
    return given.length === 1
      ? `No ${title} match ${given[0]}.`
      : `No ${title} have a ${request.dateField}.`;
  }
  const those = given.length === 0 ? title : `${title} with these filters`;
  return `No ${those} have all words of q; try fewer words, or a part of one.`;
}

/** The first and last day of matching records, in any period. */
function extentOfMatches(reader: Reader, user: User, resource: ListResource, request: PageRequest) {
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
