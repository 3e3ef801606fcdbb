/**
 * Walks a list: reads it from first to last by one of its indexes, a stride of records at
 * a time. Between two strides writers may have the file.
 */

import * as z from 'zod';
import { type Bindable, NUMBER, type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { factsOf } from './fields.ts';
import type { ListResource } from './resource.ts';
import { ifSmall, RECORD_BYTES } from './response-size.ts';
import { octetsOf } from './stored-value.ts';
import { isIndexed, markedId, type Range, Where } from './where.ts';

// The texts of a record that q searches, as an SQL expression.

const conditions = new Map<ListResource, string>();

/**
 * A condition for records with all words of a query. It binds the maximum octets of a
 * record, and the query. A larger record ends the statement with an error. A record
 * larger than any response counts as a match, so that it is reported.
 */
function searchSql(resource: ListResource): string {
  let sql = conditions.get(resource);
  if (sql === undefined) {
    const { texts, lists, octets } = searched(resource);
    const columns = [...texts, ...lists].join(', ');
    sql = `CASE WHEN ${octets} > ${RECORD_BYTES} THEN 1 WHEN ${octets} <= ${NUMBER} THEN has_words(${TEXT}, ${texts.length}, ${columns})
      ELSE zeroblob(2000000000) END`;
    conditions.set(resource, sql);
  }

  return sql;
}

/** The trader's texts and labels: no ids, currencies or values of the program. */
function searched({ record, metrics }: ListResource) {
  const texts: string[] = [];
  const lists: string[] = [];
  const octets: string[] = [];

  for (const [name, schema] of Object.entries<z.core.$ZodType>(record.shape)) {
    const { kind, derived, values, isSearched, isCode } = factsOf(schema);
    if (derived || (values && !isSearched) || isCode || (name === 'metrics' && metrics))
      continue;
    if (kind === 'text') texts.push(name);
    else if (kind === 'json') lists.push(name);
    else continue;
    octets.push(octetsOf(name, schema));
  }

  return { texts, lists, octets: octets.join(' + ') };
}

/** Search criteria: filter values by filter name, and words. */
export interface Criteria {
  filters: Readonly<Record<string, string>>;
  q?: string | undefined;
  /** Only the records with these ids; of groups in a list with trades, their keys. */
  ids?: ReadonlySet<string> | null;
  /** Bounds of a field without an index. */
  dates?: { field: string; range: Range } | undefined;
  /** Only those added or changed at or after this instant, as UTC text. */
  updatedSince?: string | undefined;
}

/** Records read at a time if no index finds the matches. */
const STRIDES = [{ records: 500, octets: Number.POSITIVE_INFINITY }];

/**
 * The same for reading texts, with the maximum octets of each record. If a record has
 * more, the next, shorter stride is used. The last allows the largest record.
 */
const MEASURED_STRIDES = [
  { records: 500, octets: 4000 },
  { records: 12, octets: 160_000 },
  { records: 1, octets: RECORD_BYTES },
];

interface Walk {
  userId: string;
  resource: ListResource;
  /** By an index. */
  order: Order;
  criteria: Criteria;
  /** Bounds of the ordering field. */
  range: Range;
  /** Its start. */
  after: ListPosition | null;
  /** An SQL condition that the index serves. */
  only?: string | undefined;
  /**
   * Its matches are a page, in this order: it stops after a few, and reads them at once
   * if an index finds them.
   */
  isShort?: boolean;
  /** Selected columns may be long, and are measured. */
  isMeasured?: boolean;
}

/** The next matching records, with the maximum octets of each if measured. */
interface Stride {
  where: Where;
  octets: number;
}

/**
 * Reads a list in strides, until all are read or one is enough. A stride with a large
 * record is read again in shorter ones; the error of the shortest is thrown.
 * @param read returns whether it is enough
 */
export function walkList(
  reader: Reader,
  asked: Walk,
  read: (stride: Stride) => boolean,
): void {
  const isFound = hasIndex(asked.resource, asked.order, asked.criteria, reader.overlay);
  // Pseudonyms take most of the time of a walk, so records that are only counted or
  // sorted later are read in another order.
  const walk =
    reader.overlay?.rewritten && !asked.isShort
      ? { ...asked, order: byOwnIds(asked.order) }
      : asked;
  const lengths =
    walk.isMeasured || walk.criteria.q !== undefined ? MEASURED_STRIDES : STRIDES;
  let from = walk.after;
  let longest = 0;

  for (;;) {
    const { records, octets } = lengths[longest] as (typeof STRIDES)[number];
    const { where, end } = strideFrom(reader, walk, from, isFound, records, octets);
    const reading = () => ({ isEnough: read({ where, octets }) });
    const isShortest = longest === lengths.length - 1;
    const outcome = isShortest ? reading() : ifSmall(reading);
    if (!outcome) {
      longest++;
      continue;
    }
    if (outcome.isEnough || end === undefined) return;

    from = end;
    longest = 0;
  }
}

/** The matches of a stride, and its last position; undefined for the rest of the list. */
function strideFrom(
  reader: Reader,
  walk: Walk,
  from: ListPosition | null,
  isFound: boolean,
  records: number,
  octets: number,
): { where: Where; end: ListPosition | undefined } {
  const { order, resource, criteria } = walk;
  const begun = begin(walk, from, undefined);
  if (isFound) addCriteria(begun, walk, { byIndex: true }, octets);
  const end =
    isFound && walk.isShort ? undefined : endOfStride(reader, walk, begun, records);
  const where = end ? begin(walk, from, end) : begun;
  if (end && isFound) addCriteria(where, walk, { byIndex: true }, octets);

  // Without an index a stride counts records read, not matches, so the criteria come
  // last.
  if (!isFound) {
    if (criteria.ids) addIds(reader, resource, where, criteria.ids);
    addCriteria(where, walk, { byIndex: order.field === resource.orderBy }, octets);
  }

  return { where, end };
}

/**
 * Those of the stride alone: with all of them, each stride would take as long as a pass
 * over the journal.
 */
function addIds(
  reader: Reader,
  resource: ListResource,
  where: Where,
  ids: ReadonlySet<string>,
): void {
  const { source, tieBreak } = resource;
  const found = reader.all(
    `SELECT ${tieBreak.join(', ')} FROM ${source} AS t WHERE ${where.sql}`,
    ...where.values,
  );
  const matching = found.filter(({ id, kind = 'trade' }) =>
    ids.has(kind === 'trade' ? (id as string) : markedId(id as string)),
  );
  addIdentities(where, resource, matching);
}

/**
 * Only these records: an id may be that of two, which the other tie-breaks tell apart.
 */
export function addIdentities(
  where: Where,
  { tieBreak: [, further] }: ListResource,
  rows: readonly Row[],
): void {
  const ids = rows.map(({ id }) => id);
  where.add(`id IN (SELECT value FROM json_each(${TEXT}))`, JSON.stringify(ids));
  if (further === undefined) return;

  where.add(
    `(id, ${further}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${TEXT}))`,
    JSON.stringify(rows.map((row) => [row['id'], row[further]])),
  );
}

/** @param end the last position; undefined for the end of the range */
function begin(
  { userId, order, range, only }: Walk,
  from: ListPosition | null,
  end: ListPosition | undefined,
): Where {
  const where = new Where(userId);
  if (only !== undefined) where.add(only);
  const keyset = keysetOf(order);
  const [after, upTo] = order.isDescending
    ? (['<', '>='] as const)
    : (['>', '<='] as const);
  // With two bounds on one side SQLite may use the wider one and scan all earlier or
  // later strides, so only one is given.
  const [lower, upper] = order.isDescending ? [end, from] : [from, end];
  where.range(order.field, {
    from: lower ? null : range.from,
    to: upper ? null : range.to,
  });
  if (from) where.compare(keyset, after, from);
  if (end) where.compare(keyset, upTo, end);

  return where;
}

function addCriteria(
  where: Where,
  { resource, criteria: { filters, q, dates, updatedSince } }: Walk,
  how: { byIndex: boolean },
  octets: number,
): void {
  where.filter(resource.filters, filters, how);
  if (dates) where.range(dates.field, dates.range);
  if (updatedSince !== undefined) where.add(`updated_at >= ${TEXT}`, updatedSince);
  if (q !== undefined) where.add(searchSql(resource), octets, q);
}

/**
 * The last record of the next stride; undefined if fewer are left. The number has few
 * values, so it is part of the statement.
 */
function endOfStride(
  reader: Reader,
  { resource, order }: Walk,
  where: Where,
  records: number,
): ListPosition | undefined {
  const row = reader.get(
    `SELECT ${keysetOf(order).join(', ')} FROM ${resource.source} AS t WHERE ${where.sql} ORDER BY ${orderSql(order)} LIMIT 1 OFFSET ${records - 1}`,
    ...where.values,
  );
  return row && listPositionOf(row, order);
}

/**
 * Whether an index finds the matches, in order. With two filters it serves one, and the
 * matches of the other are searched.
 */
export function hasIndex(
  resource: ListResource,
  order: Order,
  { filters, q, ids, dates, updatedSince }: Criteria,
  overlay?: Reader['overlay'],
): boolean {
  const [given, ...more] = Object.entries(filters);
  if (q !== undefined || ids || dates || updatedSince !== undefined) return false;
  if (given === undefined) return true;

  const filter = resource.filters[given[0]];
  const inOrder = order.field === resource.orderBy;
  // No index has pseudonyms.
  const isOfTable = !(overlay?.rewritten && filter?.isSymbol);

  return (
    more.length === 0 &&
    filter !== undefined &&
    isIndexed(filter, given[1]) &&
    isOfTable &&
    inOrder
  );
}

// The order of a list: by one field, ties settled by the tie-breaks, all in one
// direction; records without a value come last.

/** Position of a record in a list: the ordering field, then its tie-breaks. */
export type ListPosition = readonly (string | number | null)[];

export interface Order {
  field: string;
  tieBreak: readonly string[];
  isDescending: boolean;
  isNullable: boolean;
}

export function orderOf(
  { record, tieBreak }: ListResource,
  field: string,
  isDescending: boolean,
): Order {
  return {
    field,
    tieBreak,
    isDescending,
    isNullable: record.shape[field] instanceof z.ZodNullable,
  };
}

function byOwnIds(order: Order): Order {
  return {
    ...order,
    tieBreak: order.tieBreak.map((column) => (column === 'id' ? 'true_id' : column)),
  };
}

/** The columns of a position. */
export function keysetOf({ field, tieBreak }: Order): string[] {
  return [field, ...tieBreak];
}

export function listPositionOf(row: Row, order: Order): ListPosition {
  return keysetOf(order).map((column) => row[column] as string | number | null);
}

/**
 * ORDER BY in the form of an index: columns of the source t, not the expressions that a
 * statement selects.
 */
export function orderSql(order: Order): string {
  const direction = order.isDescending ? 'DESC' : 'ASC';
  return keysetOf(order)
    .map((column) => `t.${column} ${direction}`)
    .join(', ');
}

/** The same, with records without a value last. */
export function sortSql(order: Order): string {
  return `t.${order.field} IS NULL, ${orderSql(order)}`;
}

/** Only records after a position, in any order. Uses no index. */
export function addAfter(
  where: Where,
  { field, tieBreak, isDescending }: Order,
  [value, ...ties]: ListPosition,
): void {
  const sign = isDescending ? '<' : '>';
  const beyond = `(${tieBreak.join(', ')}) ${sign} (${tieBreak.map(() => TEXT).join(', ')})`;
  if (value === null || value === undefined)
    return void where.add(`${field} IS NULL AND ${beyond}`, ...ties);

  const bound = typeof value === 'number' ? NUMBER : TEXT;
  const values: Bindable[] = [value, value, ...ties];
  where.add(
    `(${field} ${sign} ${bound} OR (${field} = ${bound} AND ${beyond}) OR ${field} IS NULL)`,
    ...values,
  );
}

/** Compares rows like sortSql. */
export function comparison({
  field,
  tieBreak,
  isDescending,
}: Order): (a: Row, b: Row) => number {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    for (const column of [field, ...tieBreak]) {
      const [x, y] = [
        a[column] as string | number | null,
        b[column] as string | number | null,
      ];
      if (x === y) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      return x < y ? -sign : sign;
    }
    return 0;
  };
}

/** Whether an index has the list in the order of a field. */
export function isIndexedOrder(
  { orderBy, dateFields }: ListResource,
  field: string,
): boolean {
  return field === orderBy || dateFields?.includes(field) === true;
}
