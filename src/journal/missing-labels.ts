/** Requested labels that no record has, with the nearest ones. */
import { nearest } from '../errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { remembered } from './in-steps.ts';
import type { User } from './journal.ts';
import { LabelCount } from './labels.ts';
import { ListWalk, orderOf } from './list-walk.ts';
import type { Filter, ListResource } from './resource.ts';
import { storedList } from './stored-value.ts';

const EVERYTHING = { from: null, to: null };

/** Maximum length of a label shown, and maximum labels of one record. */
export const MAX_LENGTH = 100;
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
