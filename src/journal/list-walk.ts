/** Goes through a list by one of its indexes, so many records at a time, with a pause in between. */
import type { Reader } from '../sqlite/reader.ts';
import { RECORD_BYTES } from './answer-size.ts';
import { keysetOf, type ListPosition, listPositionOf, type Order, orderSql } from './list-order.ts';
import type { ListResource } from './resource.ts';
import { searchSql } from './search.ts';
import { isIndexed, type Range, Where } from './where.ts';

/** What is looked for: filter values by filter name, and words. */
export interface Criteria {
  filters: Readonly<Record<string, string>>;
  q?: string | undefined;
}

/** Where no index finds the records that match, the list is searched this many at a time. */
const STRIDES = [{ records: 500, octets: Number.POSITIVE_INFINITY }];

/**
 * The same where texts are read, with how many octets of each record: where one of them has more, fewer at a time. The longest is
 * as long as a record may be.
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
  /** Bounds of the field that it is ordered by. */
  range: Range;
  /** Where it begins. */
  after: ListPosition | null;
  /** An SQL condition that goes with the index. */
  only?: string | undefined;
  /** It stops once it has a few: where an index finds what matches, that is without a pause. */
  isShort?: boolean;
  /** What is read of a record may be long, and is measured. */
  isMeasured?: boolean;
}

/** The next records that match: of at most so many octets each, where they are measured. */
export interface Stride {
  where: Where;
  octets: number;
}

/**
 * A loop of its caller's, not a generator that is handed a function: with one, a page of 50 trades took a quarter longer, since V8 kept
 * the rows of earlier pages.
 */
export class ListWalk {
  readonly #reader: Reader;
  readonly #walk: Walk;
  readonly #isFound: boolean;
  readonly #strides: readonly { records: number; octets: number }[];
  /** Where the current stride begins, and the next; undefined after the last. */
  #begun: ListPosition | null = null;
  #from: ListPosition | null | undefined;
  /** Which of the strides is taken: longer ones had too much in them. */
  #taken = 0;
  #next = 0;

  constructor(reader: Reader, walk: Walk) {
    this.#reader = reader;
    this.#walk = walk;
    this.#isFound = hasIndex(walk);
    this.#strides = walk.isMeasured || walk.criteria.q !== undefined ? MEASURED_STRIDES : STRIDES;
    this.#from = walk.after;
  }

  /** Whether there is another stride: the place for a pause. */
  get hasMore(): boolean {
    return this.#from !== undefined;
  }

  /** Undefined after the last. */
  next(): Stride | undefined {
    if (this.#from === undefined) return undefined;
    const walk = this.#walk;
    const { order, resource } = walk;
    this.#begun = this.#from;
    this.#taken = this.#next;
    this.#next = 0;
    const { records, octets } = this.#strides[this.#taken] as (typeof STRIDES)[number];
    const begun = begin(walk, this.#from, undefined);
    if (this.#isFound) addCriteria(begun, walk, { byIndex: true }, octets);
    const end = this.#isFound && walk.isShort ? undefined : endOfStride(this.#reader, walk, begun, records);
    const where = end ? begin(walk, this.#from, end) : begun;
    if (end && this.#isFound) addCriteria(where, walk, { byIndex: true }, octets);
    // Last, where a stride is counted in the records that are looked at, not in those that match.
    if (!this.#isFound) addCriteria(where, walk, { byIndex: order.field === resource.orderBy }, octets);
    this.#from = end;
    return { where, octets };
  }

  /**
   * Goes back to where the stride began, for a shorter one, since there was too much in it.
   * @returns whether it can be shorter
   */
  shorten(): boolean {
    if (this.#taken === this.#strides.length - 1) return false;
    this.#from = this.#begun;
    this.#next = this.#taken + 1;
    return true;
  }
}

/** @param end the last that it goes to; undefined for as far as the range */
function begin({ userId, order, range, only }: Walk, from: ListPosition | null, end: ListPosition | undefined): Where {
  const where = new Where(userId);
  if (only !== undefined) where.add(only);
  const keyset = keysetOf(order);
  const [after, upTo] = order.isDescending ? (['<', '>='] as const) : (['>', '<='] as const);
  // Of two bounds on the same side SQLite may take the wider one, and step over all earlier or later strides: one is enough.
  const [lower, upper] = order.isDescending ? [end, from] : [from, end];
  where.range(order.field, { from: lower ? null : range.from, to: upper ? null : range.to });
  if (from) where.compare(keyset, after, from);
  if (end) where.compare(keyset, upTo, end);
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

/** Whether an index finds the records that match, in order. With two filters it finds those of one, to be searched for the other. */
function hasIndex({ resource, order, criteria: { filters, q } }: Walk): boolean {
  const [given, ...more] = Object.entries(filters);
  if (q !== undefined) return false;
  if (given === undefined) return true;
  const filter = resource.filters[given[0]];
  const inOrder = order.field === resource.orderBy;
  return more.length === 0 && filter !== undefined && isIndexed(filter, given[1]) && inOrder;
}
