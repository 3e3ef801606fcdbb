/** Requested labels that no record has, with the nearest ones. */
import { nearest } from '../errors.ts';
import { foldCase } from '../sqlite/functions.ts';
import type { Reader } from '../sqlite/reader.ts';
import { ZoneClock } from '../time.ts';
import type { ClosedTrade } from './analytics/closed-trade.ts';
import { visitClosedTrades } from './analytics/closed-trades.ts';
import type { NamedLabel, Selection } from './analytics/condition.ts';
import { factsOfDimension, ID } from './analytics/dimensions.ts';
import type { User } from './journal.ts';
import { LabelCount } from './labels.ts';
import { orderOf, walkList } from './list-walk.ts';
import { remembered } from './once.ts';
import type { Filter, ListResource } from './resource.ts';
import { trades } from './resources/trades.ts';
import { storedList } from './stored-value.ts';
import { comparedWith } from './where.ts';

const EVERYTHING = { from: null, to: null };

/** Maximum length of a label shown, and maximum labels of one record. */
export const MAX_LENGTH = 100;
const MAX_OF_RECORD = 50;

/** Number of most used labels that are compared with the requested one. */
const MAX_COMPARED = 5000;

/** Maximum sentences of a hint. */
const MAX_HINTS = 5;

/** A sentence for each label that no record has, regardless of other filters. */
export function missingLabels(
  reader: Reader,
  user: User,
  resource: ListResource,
  filters: Readonly<Record<string, string>>,
) {
  const asked = Object.entries(filters).flatMap(([name, value]) => {
    const filter = resource.filters[name];
    return filter && isLabel(filter)
      ? [{ name, value, filter, labels: new LabelCount() }]
      : [];
  });
  if (asked.length === 0) return [];

  const list = remembered(storedList);
  const columns = asked
    .map(({ filter }, i) => `${labelsSql(filter)} AS labels${i}`)
    .join(', ');
  const order = orderOf(resource, resource.orderBy, true);
  const walk = {
    userId: user.id,
    resource,
    order,
    range: EVERYTHING,
    after: null,
    criteria: { filters: {} },
  };

  walkList(reader, walk, ({ where }) => {
    const sql = `SELECT ${columns} FROM ${resource.source} AS t WHERE ${where.sql}`;
    for (const row of reader.all(sql, ...where.values)) {
      for (const [i, { filter, labels }] of asked.entries()) {
        const stored = row[`labels${i}`];
        labels.add(filter.match === 'label' ? [stored] : list(stored as string), '');
      }
    }

    return false;
  });
  const sentences: string[] = [];
  for (const { name, value, filter, labels } of asked) {
    const isUsed = comparedWith(filter, value).some((label) => labels.has(label));
    if (sentences.length < MAX_HINTS && !isUsed)
      sentences.push(missingLabel(resource.title, name, value, labels));
  }

  return sentences;
}

const isLabel = ({ match }: Filter) => match === 'label' || match === 'member';

/** A label, or a JSON list of labels. */
function labelsSql({ match, column }: Filter): string {
  if (match === 'label')
    return `CASE WHEN length(${column}) <= ${MAX_LENGTH} THEN ${column} END`;
  const short = `(SELECT json_group_array(value) FROM (SELECT value FROM ${column} WHERE length(value) <= ${MAX_LENGTH} LIMIT ${MAX_OF_RECORD}))`;
  // A short list has only short labels. Returning it unchanged takes a third less time.
  const list = /^json_each\((.*)\)$/.exec(column)?.[1];
  return list === undefined
    ? short
    : `iif(octet_length(${list}) <= ${MAX_LENGTH}, ${list}, ${short})`;
}

/** @param labels the labels in use, without the requested one */
function missingLabel(
  title: string,
  name: string,
  value: string,
  labels: LabelCount,
): string {
  const known = labels.mostUsed(MAX_COMPARED).map((label) => label.value);
  const asked = value.slice(0, MAX_LENGTH);
  const none = `No ${title} have the ${name} "${asked}"`;
  const meant = nearest(asked, known);
  if (meant !== undefined) return `${none}; the nearest is "${meant}".`;
  if (known.length === 0) return `${none} or any other.`;
  if (name === ID) return `${none}.`;

  return `${none}; most used: ${known
    .slice(0, 5)
    .map((label) => `"${label}"`)
    .join(', ')}.`;
}

/**
 * One sentence per missing label, compared with the whole journal; undefined if none.
 * @param filters filters to check
 * @param named labels in conditions
 */
export function labelHint(
  reader: Reader,
  user: User,
  { filters, unit }: Pick<Selection, 'filters' | 'unit'>,
  named: readonly NamedLabel[],
): string | undefined {
  const sentences = missingLabels(reader, user, trades, filters);
  if (named.length > 0) addMissingKeys(sentences, reader, user, unit, named);
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

function addMissingKeys(
  sentences: string[],
  reader: Reader,
  user: User,
  unit: Selection['unit'],
  named: readonly NamedLabel[],
) {
  const clock = new ZoneClock(user.timezone);
  const dimensions = [...new Set(named.map(({ dimension }) => dimension))];
  const counts = new Map(dimensions.map((dimension) => [dimension, new LabelCount()]));
  // A condition sees trades without an exchange rate, too.
  const where = {
    columns: dimensions.flatMap((dimension) => factsOfDimension(dimension).columns ?? []),
    matches(trade: ClosedTrade) {
      for (const [dimension, count] of counts)
        count.add([factsOfDimension(dimension).keyOf(trade, clock)].flat(), '');
      return false;
    },
  };

  visitClosedTrades(
    reader,
    user,
    { range: { from: null, to: null }, filters: {}, unit, where },
    [],
  );
  const unique = new Map(
    named.map((one) => [`${one.dimension} ${foldCase(one.label)}`, one]),
  );
  const missing = [...unique.values()].filter(
    ({ dimension, label }) => !counts.get(dimension)?.has(label),
  );
  const described = missing.slice(0, MAX_HINTS - sentences.length);

  for (const { dimension, label } of described)
    sentences.push(
      missingLabel(
        `closed ${unit}s`,
        dimension,
        label,
        counts.get(dimension) as LabelCount,
      ),
    );

  const more = missing.length - described.length;
  if (more > 0)
    sentences.push(
      more === 1 ? 'Another label is unknown.' : `${more} other labels are unknown.`,
    );
}
