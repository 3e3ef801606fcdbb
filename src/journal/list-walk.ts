/** Goes through a list by one of its indexes, so many records at a time, with a pause in between. */
import { isTooBig } from '../sqlite/errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { RECORD_BYTES } from './answer-size.ts';
import { keysetOf, type Order, orderSql, type Position, positionOf } from './list-order.ts';
import type { ListResource } from './resource.ts';
import { searchSql } from './search.ts';
import { isIndexed, type Range, Where } from './where.ts';

/** What is looked for: filter values by filter name, and words. */
export interface Criteria {
  filters: Readonly<Record<string, string>>;
  q?: string | undefined;
}

/** Where no index finds the records that match, the list is searched this many at a time. */
const STRIDES = [{ records: 2000, octets: Number.POSITIVE_INFINITY }];

/**
 * The same where texts are read, with how many octets of each record: where one of them has more, fewer at a time. The longest is
 * as long as a record may be.
 */
const MEASURED_STRIDES = [
  { records: 2000, octets: 4000 },
  { records: 50, octets: 160_000 },
  { records: 1, octets: RECORD_BYTES },
];

interface Walk {
  userId: string;
  resource: ListResource;
  /** By an index. */
  order: Order;
  criteria: Criteria;
  /** Bounds of the field that it is ordered by. */
  range: Range;
  /** Where it begins. */
  after: Position | null;
  /** An SQL condition that goes with the index. */
  only?: string | undefined;
  /** It stops once it has a few: where an index finds what matches, that is without a pause. */
  isShort?: boolean;
  /** What is read of a record may be long, and is measured. */
  isMeasured?: boolean;
}

/**
 * @param read reads the next records that match, each of at most so many octets, where they are measured; says whether these are enough
 * @returns whether they were
 */
export function* walkList(
  reader: Reader,
  walk: Walk,
  read: (where: Where, octets: number) => Generator<void, boolean>,
): Generator<void, boolean> {
  const isFound = hasIndex(walk);
  const strides = walk.isMeasured || walk.criteria.q !== undefined ? MEASURED_STRIDES : STRIDES;
  for (let from = walk.after; ; ) {
    let end: Position | undefined;
    for (const stride of strides) {
      const where = begin(walk, from);
      if (isFound) addCriteria(where, walk, { byIndex: true }, stride.octets);
      end = isFound && walk.isShort ? undefined : endOfStride(reader, walk, where, stride.records);
      if (end) where.compare(keysetOf(walk.order), walk.order.isDescending ? '>=' : '<=', end);
      // Last, where a stride is counted in the records that are looked at, not in those that match.
      if (!isFound) addCriteria(where, walk, { byIndex: walk.order.field === walk.resource.orderBy }, stride.octets);
      try {
        if (yield* read(where, stride.octets)) return true;
        break;
      } catch (error) {
        if (!isTooBig(error) || stride === strides.at(-1)) throw error;
      }
    }
    if (!end) return false;
    from = end;
    yield;
  }
}

function begin({ userId, order, range, only }: Walk, from: Position | null): Where {
  const where = new Where(userId);
  if (only !== undefined) where.add(only);
  if (!from) where.range(order.field, range);
  else {
    // Without the bound that was passed: given both, SQLite may start at the bound and step over all earlier pages.
    where.range(order.field, order.isDescending ? { from: range.from, to: null } : { from: null, to: range.to });
    where.compare(keysetOf(order), order.isDescending ? '<' : '>', from);
  }
  return where;
}

function addCriteria(
  where: Where,
  { resource, criteria: { filters, q } }: Walk,
  how: { byIndex: boolean },
  octets: number,
): void {
  where.filter(resource.filters, filters, how);
  if (q !== undefined) where.add(searchSql(resource), octets, q);
}

/** The last of the next so many records; undefined where fewer are left. There are few such numbers, so they stand in the statement. */
function endOfStride(reader: Reader, { resource, order }: Walk, where: Where, records: number): Position | undefined {
  const row = reader.get(
    `SELECT ${keysetOf(order).join(', ')} FROM ${resource.source} AS t WHERE ${where.sql} ORDER BY ${orderSql(order)} LIMIT 1 OFFSET ${records - 1}`,
    ...where.values,
  );
  return row && positionOf(row, order);
}

/** Whether an index finds the records that match, in order. With two filters it finds those of one, to be searched for the other. */
function hasIndex({ resource, order, criteria: { filters, q } }: Walk): boolean {
  const [given, ...more] = Object.entries(filters);
  if (q !== undefined) return false;
  if (given === undefined) return true;
  const filter = resource.filters[given[0]];
  const inOrder = order.field === resource.orderBy;
  return more.length === 0 && filter !== undefined && isIndexed(filter, given[1]) && inOrder;
}
