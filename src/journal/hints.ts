/** Hints for an empty response: a period without records, or requested labels that no record has, with the nearest ones. */
import { nearest } from '../errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { ZoneClock } from '../time.ts';
import { remembered } from './in-steps.ts';
import type { User } from './journal.ts';
import { LabelCount } from './labels.ts';
import { listPage, type PageRequest } from './list.ts';
import { ListWalk, orderOf } from './list-walk.ts';
import type { Filter, ListResource } from './resource.ts';
import { storedInstant, storedList } from './stored-value.ts';

const EVERYTHING = { from: null, to: null };

/**
 * Finds the reason for an empty page, with pauses.
 * @returns a sentence or two; undefined for a request without conditions
 */
export function* hintOf(
  reader: Reader,
  user: User,
  resource: ListResource,
  request: PageRequest,
): Generator<void, string | undefined> {
  const { range, filters, q, ids } = request;
  const isBounded = range.from !== null || range.to !== null;
  if (!isBounded && Object.keys(filters).length === 0 && q === undefined && !ids) return undefined;
  const { title } = resource;
  if (
    !(yield* extentOfMatches(reader, user, resource, {
      ...request,
      filters: {},
      q: undefined,
      ids: null,
      dateField: undefined,
    }))
  ) {
    return `There are no ${title} in this journal.`;
  }
  const outside = isBounded ? yield* extentOfMatches(reader, user, resource, request) : undefined;
  if (outside) {
    const { field, first, last } = outside;
    return `No matching ${title} in this period; outside it, their ${field} ranges from ${first} to ${last}.`;
  }
  const reasons = yield* missingLabels(reader, user, resource, filters);
  if (reasons.length > 0) return reasons.join(' ');
  if (ids)
    return `No ${title} meet the condition in where${Object.keys(filters).length > 0 || q !== undefined ? ' and the other filters' : ''}; it finds closed trades.`;
  const given = Object.entries(filters).map(([name, value]) => `${name}=${value.slice(0, MAX_LENGTH)}`);
  if (q === undefined) {
    if (given.length > 1) return `No ${title} match all of these filters; remove one.`;
    return given.length === 1 ? `No ${title} match ${given[0]}.` : `No ${title} have a ${request.dateField}.`;
  }
  const those = given.length === 0 ? title : `${title} with these filters`;
  return `No ${those} have all words of q; try fewer words, or a part of one.`;
}

/** The first and last day of matching records, in any period. */
function* extentOfMatches(reader: Reader, user: User, resource: ListResource, request: PageRequest) {
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
    const { rows } = yield* listPage(reader, user, resource, ask);
    const at = rows[0]?.[field];
    if (typeof at !== 'string') return undefined;
    days.push(resource.orderKind === 'date' ? at : clock.dateOf(storedInstant(at)));
    yield;
  }
  const [first, last] = days;
  return { field, first, last };
}

/** Maximum length of a label shown, and maximum labels of one record. */
const MAX_LENGTH = 100;
const MAX_OF_RECORD = 50;

/** Number of most used labels that are compared with the requested one. */
const MAX_COMPARED = 5000;

/** Maximum sentences of a hint. */
export const MAX_HINTS = 5;

/** A sentence for each label that no record has, regardless of other filters. */
export function* missingLabels(
  reader: Reader,
  user: User,
  resource: ListResource,
  filters: Readonly<Record<string, string>>,
) {
  const asked = Object.entries(filters).flatMap(([name, value]) => {
    const filter = resource.filters[name];
    return filter && isLabel(filter) ? [{ name, value, filter, labels: new LabelCount() }] : [];
  });
  if (asked.length === 0) return [];
  const list = remembered(storedList);
  const columns = asked.map(({ filter }, i) => `${labelsSql(filter)} AS labels${i}`).join(', ');
  const order = orderOf(resource, resource.orderBy, true);
  const walk = { userId: user.id, resource, order, range: EVERYTHING, after: null, criteria: { filters: {} } };
  const strides = new ListWalk(reader, walk);
  for (let stride = strides.next(); stride; stride = strides.next()) {
    const sql = `SELECT ${columns} FROM ${resource.source} AS t WHERE ${stride.where.sql}`;
    for (const row of reader.all(sql, ...stride.where.values)) {
      for (const [i, { filter, labels }] of asked.entries()) {
        const stored = row[`labels${i}`];
        labels.add(filter.match === 'label' ? [stored] : list(stored as string), '');
      }
    }
    if (strides.hasMore) yield;
  }
  const sentences: string[] = [];
  for (const { name, value, labels } of asked) {
    if (sentences.length < MAX_HINTS && !labels.has(value))
      sentences.push(yield* missingLabel(resource.title, name, value, labels));
  }
  return sentences;
}

const isLabel = ({ match }: Filter) => match === 'label' || match === 'member';

/** A label, or a JSON list of labels. */
function labelsSql({ match, column }: Filter): string {
  if (match === 'label') return `CASE WHEN length(${column}) <= ${MAX_LENGTH} THEN ${column} END`;
  const short = `(SELECT json_group_array(value) FROM (SELECT value FROM ${column} WHERE length(value) <= ${MAX_LENGTH} LIMIT ${MAX_OF_RECORD}))`;
  // A short list has only short labels. Returning it unchanged takes a third less time.
  const list = /^json_each\((.*)\)$/.exec(column)?.[1];
  return list === undefined ? short : `iif(octet_length(${list}) <= ${MAX_LENGTH}, ${list}, ${short})`;
}

/** Labels compared between two pauses: with a hundred letters each they take 4 ms. */
const COMPARED_AT_ONCE = 100;

/** The nearest label, found as the nearest among the nearest of each step. */
function* nearestInSteps(typed: string, candidates: readonly string[]): Generator<void, string | undefined> {
  const best: string[] = [];
  for (let i = 0; i < candidates.length; i += COMPARED_AT_ONCE) {
    const near = nearest(typed, candidates.slice(i, i + COMPARED_AT_ONCE));
    if (near !== undefined) best.push(near);
    yield;
  }
  return nearest(typed, best);
}

/** @param labels the labels in use, without the requested one */
export function* missingLabel(title: string, name: string, value: string, labels: LabelCount): Generator<void, string> {
  const known = (yield* labels.mostUsed(MAX_COMPARED)).map((label) => label.value);
  const asked = value.slice(0, MAX_LENGTH);
  const none = `No ${title} have the ${name} "${asked}"`;
  const meant = yield* nearestInSteps(asked, known);
  if (meant !== undefined) return `${none}; the nearest is "${meant}".`;
  if (known.length === 0) return `${none} or any other.`;
  return `${none}; most used: ${known
    .slice(0, 5)
    .map((label) => `"${label}"`)
    .join(', ')}.`;
}
