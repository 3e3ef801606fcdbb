/** One page of a list resource, in any order: keyset on (ordering field, tie-breaks). */
import { NUMBER, type Reader, type Row } from '../sqlite/reader.ts';
import { addDays, isDate, toInstantText, ZoneClock } from '../time.ts';
import { metricsOf } from './analytics/day-metrics.ts';
import { daysFromTo } from './analytics/period.ts';
import { addDerived } from './derived-trade.ts';
import type { User } from './journal.ts';
import {
  addAfter,
  addIdentities,
  type Criteria,
  comparison,
  hasIndex,
  isIndexedOrder,
  keysetOf,
  type ListPosition,
  listPositionOf,
  type Order,
  orderOf,
  orderSql,
  sortSql,
  walkList,
} from './list-walk.ts';
import type { ListResource } from './resource.ts';
import {
  isSmall,
  PageBudget,
  type ResponseTooLarge,
  responseTooLarge,
} from './response-size.ts';
import { DamagedRecord, type RecordShape, recordShape } from './stored-value.ts';
import { type NamedPosition, namesOf } from './strategies.ts';
import type { TraderFields } from './trader-fields.ts';
import { type Range, Where } from './where.ts';

export interface PageRequest extends Criteria {
  limit: number;
  range: Range;
  /** The field bounded by the range; by default, the ordering field of the list. */
  dateField?: string | undefined;
  /**
   * The field and direction of the order; by default, that of the resource, newest first.
   */
  sort?: string | undefined;
  isAscending?: boolean;
  /** Whether ids are those of records with words. */
  isByText?: boolean;
  /** The fields of the records; by default, all. */
  fields?: ReadonlySet<string> | undefined;
  /** Position of the last row of the previous page. */
  after: ListPosition | null;
  /** Whether it has to be short: else TakesLong is thrown. */
  isShort?: boolean;
}

/** What tells whether a page takes long: the request without its values. */
export interface PageOutline
  extends Pick<
    PageRequest,
    'filters' | 'q' | 'updatedSince' | 'dateField' | 'sort' | 'fields'
  > {
  isBounded: boolean;
  /** Whether figures select its records. */
  hasCondition: boolean;
}

/**
 * Whether an index finds a page: its order and its filters. Any other page may read all
 * records of the list.
 */
export function isServedByIndex(resource: ListResource, outline: PageOutline): boolean {
  const { dateField, sort, isBounded, hasCondition } = outline;
  const order = orderOf(resource, sort ?? resource.orderBy, true);
  const isInOrder =
    isIndexedOrder(resource, order.field) &&
    (!isBounded || (dateField ?? resource.orderBy) === order.field);

  return (
    isInOrder &&
    !hasCondition &&
    hasIndex(resource, order, outline) &&
    !hasMetrics(resource, outline)
  );
}

/** Whether each record has figures of other records. */
function hasMetrics(
  { metrics }: ListResource,
  { fields }: Pick<PageRequest, 'fields'>,
): boolean {
  return metrics !== undefined && fields?.has('metrics') !== false;
}

export interface ListPage {
  rows: Row[];
  /** Position after which the next page starts; null on the last page. */
  next: ListPosition | null;
  /** Position of a row of the page. */
  positionAt: (i: number) => ListPosition;
}

/** Rows found for a page, one more than its limit if more exist, and their positions. */
interface Found {
  rows: Row[];
  positionAt: (i: number) => ListPosition;
  hasMore: boolean;
}

/** Input of both ways to find the rows of a page. */
interface Task {
  reader: Reader;
  user: User;
  resource: ListResource;
  request: PageRequest;
  order: Order;
  budget: PageBudget;
}

const shapes = new Map<ListResource, RecordShape>();
const pageShapes = new Map<ListResource, RecordShape>();

export function shapeOf(resource: ListResource): RecordShape {
  return shapeIn(shapes, resource, []);
}

function shapeIn(
  known: Map<ListResource, RecordShape>,
  resource: ListResource,
  empty: readonly string[],
): RecordShape {
  let shape = known.get(resource);
  if (!shape) {
    shape = recordShape(resource.record, resource.metrics ? ['metrics'] : [], empty);
    known.set(resource, shape);
  }
  return shape;
}

/**
 * Reads a page of a list.
 * @throws TakesLong
 */
export function listPage(
  reader: Reader,
  user: User,
  resource: ListResource,
  request: PageRequest,
): ListPage {
  const shape = shapeIn(pageShapes, resource, resource.derivedInPages ?? []);
  const budget = new PageBudget(shape, request.isShort);
  const { limit, fields } = request;
  const order = orderOf(
    resource,
    request.sort ?? resource.orderBy,
    request.isAscending !== true,
  );
  const task = {
    reader,
    user,
    resource,
    request: withSearchedDates(resource, request),
    order,
    budget,
  };
  const { rows, positionAt, hasMore } = find(task);

  const read = rows.slice(0, limit);
  if (resource.derivedInPages) for (const row of read) addDerived(reader, user, row);
  const whole = read.map(shape.toRecord);
  if (resource.isNamed) whole.forEach(addName);
  const records = budget.trim(whole);
  if (budget.cutAt && records.length === 0) throw tooLarge(resource, order, budget.cutAt);

  const hasNext = records.length > 0 && (hasMore || budget.cutAt !== undefined);
  const complete =
    resource.metrics && hasMetrics(resource, request)
      ? withMetrics(reader, user, resource.metrics, records)
      : records;

  return {
    rows: fields ? complete.map((record) => sparse(record, fields)) : complete,
    next: hasNext ? positionAt(records.length - 1) : null,
    positionAt,
  };
}

/** A key that doesn't see all legs of a group sees no name. */
function addName(record: Row): void {
  const { kind, name } = record;
  if (name === null && kind !== 'trade') return;
  Object.assign(
    record,
    namesOf(typeof name === 'string' ? name : '', record as unknown as NamedPosition),
  );
}

/** The request with bounds of a date without an index as a criterion. */
function withSearchedDates(
  { searchedDates }: ListResource,
  request: PageRequest,
): PageRequest {
  const { dateField: field, range } = request;
  if (field === undefined || !searchedDates?.includes(field)) return request;
  return {
    ...request,
    dateField: undefined,
    range: { from: null, to: null },
    dates: { field, range },
  };
}

/**
 * Finds the rows of a page by the index of its order where one serves, else by sorting
 * matches.
 */
function find(task: Task): Found {
  const { resource, request, order } = task;
  const { range, dateField = resource.orderBy } = request;
  const isBounded = range.from !== null || range.to !== null;
  const isInOrder =
    isIndexedOrder(resource, order.field) && (!isBounded || dateField === order.field);
  if (isInOrder) return findInOrder(task, isBounded);
  return findAndSort(task, isBounded ? dateField : resource.orderBy);
}

function sparse(record: Row, fields: ReadonlySet<string>): Row {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (fields.has(name)) return [[name, value]];
      const members =
        name === 'fields' ? membersIn(value as TraderFields, fields) : undefined;
      return members ? [[name, members]] : [];
    }),
  );
}

/** Those that are chosen one by one, as fields.confluence; undefined if none is. */
function membersIn(
  value: TraderFields,
  fields: ReadonlySet<string>,
): TraderFields | undefined {
  if (![...fields].some((name) => name.startsWith('fields.'))) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => fields.has(`fields.${name}`)),
  );
}

/** Reads by the index of the order, until the page is full. */
function findInOrder(
  { reader, user, resource, request, order, budget }: Task,
  isBounded: boolean,
) {
  const { limit, range, after } = request;
  const rows: Row[] = [];
  for (const { only, order: within, from } of partsOf(order, after, isBounded)) {
    const walk = {
      userId: user.id,
      resource,
      order: within,
      only,
      range,
      after: from,
      criteria: request,
      isShort: true,
    };
    const isFull = () => rows.length > limit || budget.cutAt !== undefined;
    walkList(reader, walk, ({ where }) => {
      const found = budget.read(
        limit + 1,
        ['id', resource.orderBy],
        (columns, count, octets) =>
          select(reader, resource, columns, where, orderSql(within), count, octets),
      );
      for (const row of found) rows.push(row);
      return isFull();
    });
    if (isFull()) break;
  }

  return {
    rows,
    positionAt: (i) => listPositionOf(rows[i] as Row, order),
    hasMore: rows.length > limit,
  } satisfies Found;
}

/**
 * For a field that may be null: records with a value, then those without, each by the
 * index.
 */
function partsOf(order: Order, after: ListPosition | null, isBounded: boolean) {
  const { field, tieBreak } = order;
  if (!order.isNullable) return [{ only: undefined, order, from: after }];

  const [first = '', ...others] = tieBreak;
  const withValue = { only: `${field} IS NOT NULL`, order, from: after };
  const without = {
    only: `${field} IS NULL`,
    order: { ...order, field: first, tieBreak: others, isNullable: false },
    from: null,
  };
  // A bound excludes records without a value.
  if (isBounded) return [withValue];

  return after?.[0] === null
    ? [{ ...without, from: after.slice(1) }]
    : [withValue, without];
}

/**
 * Scans all matches by the index of another field, keeps the first ones of the order,
 * then reads them.
 */
function findAndSort(
  { reader, user, resource, request, order, budget }: Task,
  along: string,
) {
  const { limit, range, after } = request;
  const columns = keysetOf(order).join(', ');
  let first: Row[] = [];
  const walk = {
    userId: user.id,
    resource,
    order: orderOf(resource, along, true),
    range,
    after: null,
    criteria: request,
  };

  walkList(reader, walk, ({ where }) => {
    if (after) addAfter(where, order, after);
    const found = select(reader, resource, columns, where, sortSql(order), limit + 1);
    first = [...first, ...found].sort(comparison(order)).slice(0, limit + 1);
    return false;
  });
  const ids = new Where(user.id);
  addIdentities(ids, resource, first.slice(0, limit));

  const rows = budget.read(limit, ['id', resource.orderBy], (columns, count, octets) =>
    select(reader, resource, columns, ids, sortSql(order), count, octets),
  );
  return {
    rows,
    positionAt: (i) => listPositionOf(first[i] as Row, order),
    hasMore: first.length > limit,
  } satisfies Found;
}

function tooLarge(
  { path, orderBy, orderKind }: ListResource,
  order: Order,
  row: Row,
): ResponseTooLarge {
  const at = row[orderBy] as string;
  const end = orderKind === 'date' ? addDays(at, -1) : at;
  const isNewestFirst = order.field === orderBy && order.isDescending;

  return responseTooLarge(
    `the record ${row['id']} of ${path}`,
    row['octets'] as number,
    isNewestFirst
      ? `shorten its texts, or continue after it with end=${end}`
      : 'shorten its texts, or exclude it with a filter',
  );
}

/**
 * Reads rows in an order. Limits are bound.
 * @param octets maximum per row, if any
 */
function select(
  reader: Reader,
  resource: ListResource,
  columns: string,
  where: Where,
  order: string,
  limit: number,
  octets?: number,
): Row[] {
  const condition =
    octets === undefined ? where.sql : where.sqlThen(isSmall(shapeOf(resource).octets));
  return reader.all(
    `SELECT ${columns} FROM ${resource.source} AS t WHERE ${condition} ORDER BY ${order} LIMIT ${NUMBER}`,
    ...where.values,
    ...(octets === undefined ? [] : [octets]),
    limit,
  );
}

/**
 * Adds `metrics` to records of days or weeks: figures of the trades closed from the first
 * to the last day, both included. The analytics computes them with the same code.
 *
 * @param days the fields with the first and the last day
 */
export function withMetrics(
  reader: Reader,
  user: User,
  days: { from: string; to: string },
  records: readonly Row[],
): Row[] {
  const clock = new ZoneClock(user.timezone);
  const periods = records.map((record) => {
    const [first, last] = [String(record[days.from]), String(record[days.to])];
    if (!isDate(first) || !isDate(last)) throw new DamagedRecord();
    const { from, to } = daysFromTo(clock, first, last);
    return { from: toInstantText(from), to: toInstantText(to) };
  });
  const metrics = metricsOf(reader, user, periods);

  return records.map((record, i) => ({ ...record, metrics: metrics[i] }));
}
