/** One page of a list resource, in any order: keyset on (the field it is ordered by, tie-breaks). */
import { isTooBig } from '../sqlite/errors.ts';
import { NUMBER, type Reader, type Row } from '../sqlite/reader.ts';
import { addDays } from '../time.ts';
import { type AnswerTooLarge, answerTooLarge, isSmall, PageBudget } from './answer-size.ts';
import { addDerived } from './derived-trade.ts';
import type { User } from './journal.ts';
import {
  addAfter,
  comparison,
  isIndexedOrder,
  keysetOf,
  type ListPosition,
  listPositionOf,
  type Order,
  orderOf,
  orderSql,
  sortSql,
} from './list-order.ts';
import { type Criteria, ListWalk } from './list-walk.ts';
import { withMetrics } from './metrics.ts';
import type { ListResource } from './resource.ts';
import { type RecordShape, recordShape } from './row-mapper.ts';
import { type Range, Where } from './where.ts';

export interface PageRequest extends Criteria {
  limit: number;
  range: Range;
  /** What the range bounds; the field that the list is ordered by unless said otherwise. */
  dateField?: string | undefined;
  /** The field to order by, and which way; as the resource says, newest first, unless said otherwise. */
  sort?: string | undefined;
  isAscending?: boolean;
  /** The fields of the records, all of them unless said otherwise. */
  fields?: ReadonlySet<string> | undefined;
  /** Of the last row of the page before. */
  after: ListPosition | null;
}

export interface ListPage {
  rows: Row[];
  /** To go on from; null on the last page. */
  next: ListPosition | null;
}

/** What a page is made from: a row more than it holds where there are more, and where each of them stands. */
interface Found {
  rows: Row[];
  positionAt: (i: number) => ListPosition;
  hasMore: boolean;
}

/** What the ways to find the rows of a page share. */
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

function shapeIn(known: Map<ListResource, RecordShape>, resource: ListResource, empty: readonly string[]): RecordShape {
  let shape = known.get(resource);
  if (!shape) {
    shape = recordShape(resource.record, resource.metrics ? ['metrics'] : [], empty);
    known.set(resource, shape);
  }
  return shape;
}

/** Reads a page of a list; a generator, which pauses now and then where it has to search for the records that match. */
export function* listPage(
  reader: Reader,
  user: User,
  resource: ListResource,
  request: PageRequest,
): Generator<void, ListPage> {
  const shape = shapeIn(pageShapes, resource, resource.derivedInPages ?? []);
  const budget = new PageBudget(shape);
  const { limit, range, fields } = request;
  const dateField = request.dateField ?? resource.orderBy;
  const order = orderOf(resource, request.sort ?? resource.orderBy, request.isAscending !== true);
  const task = { reader, user, resource, request, order, budget };
  const isBounded = range.from !== null || range.to !== null;
  const inOrder = isIndexedOrder(resource, order.field) && (!isBounded || dateField === order.field);
  const { rows, positionAt, hasMore } = inOrder
    ? yield* findInOrder(task, isBounded)
    : yield* findAndSort(task, isBounded ? dateField : resource.orderBy);
  const read = rows.slice(0, limit);
  if (resource.derivedInPages) for (const row of read) addDerived(reader, user, row);
  const records = yield* budget.trim(read.map(shape.toRecord));
  if (budget.cutAt && records.length === 0) throw tooLarge(resource, order, budget.cutAt);
  const next = records.length > 0 && (hasMore || budget.cutAt) ? positionAt(records.length - 1) : null;
  const complete =
    resource.metrics && fields?.has('metrics') !== false
      ? yield* withMetrics(reader, user, resource.metrics, records)
      : records;
  return { rows: fields ? complete.map((record) => sparse(record, fields)) : complete, next };
}

function sparse(record: Row, fields: ReadonlySet<string>): Row {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.has(name)));
}

/** By the index of the order itself, as far as the page needs. */
function* findInOrder({ reader, user, resource, request, order, budget }: Task, isBounded: boolean) {
  const { limit, range, after } = request;
  const rows: Row[] = [];
  parts: for (const { only, order: within, from } of partsOf(order, after, isBounded)) {
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
    const strides = new ListWalk(reader, walk);
    for (let stride = strides.next(); stride; stride = strides.next()) {
      const { where } = stride;
      try {
        const found = yield* budget.read(limit + 1, ['id', resource.orderBy], (columns, count, octets) =>
          select(reader, resource, columns, where, orderSql(within), count, octets),
        );
        for (const row of found) rows.push(row);
      } catch (error) {
        if (isTooBig(error) && strides.shorten()) continue;
        throw error;
      }
      if (rows.length > limit || budget.cutAt) break parts;
      if (strides.hasMore) yield;
    }
  }
  return {
    rows,
    positionAt: (i) => listPositionOf(rows[i] as Row, order),
    hasMore: rows.length > limit,
  } satisfies Found;
}

/** Where the field may be null: the records with a value, then those without, each by the index. */
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
  // A bound lets nothing through that has no value.
  if (isBounded) return [withValue];
  return after?.[0] === null ? [{ ...without, from: after.slice(1) }] : [withValue, without];
}

/** By the index of another field, through all that matches: the first of the order are kept, then read. */
function* findAndSort({ reader, user, resource, request, order, budget }: Task, along: string) {
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
  const strides = new ListWalk(reader, walk);
  for (let stride = strides.next(); stride; stride = strides.next()) {
    if (after) addAfter(stride.where, order, after);
    try {
      first = first.concat(select(reader, resource, columns, stride.where, sortSql(order), limit + 1));
    } catch (error) {
      if (isTooBig(error) && strides.shorten()) continue;
      throw error;
    }
    first = first.sort(comparison(order)).slice(0, limit + 1);
    if (strides.hasMore) yield;
  }
  const ids = new Where(user.id);
  ids.add('id IN (SELECT value FROM json_each(?))', JSON.stringify(first.slice(0, limit).map(({ id }) => id)));
  const rows = yield* budget.read(limit, ['id', resource.orderBy], (columns, count, octets) =>
    select(reader, resource, columns, ids, sortSql(order), count, octets),
  );
  return {
    rows,
    positionAt: (i) => listPositionOf(first[i] as Row, order),
    hasMore: first.length > limit,
  } satisfies Found;
}

function tooLarge({ path, orderBy, orderKind }: ListResource, order: Order, row: Row): AnswerTooLarge {
  const at = row[orderBy] as string;
  const end = orderKind === 'date' ? addDays(at, -1) : at;
  const isNewestFirst = order.field === orderBy && order.isDescending;
  return answerTooLarge(
    `the record ${row['id']} of ${path}`,
    row['octets'] as number,
    isNewestFirst
      ? `shorten its texts, or go on behind it with end=${end}`
      : 'shorten its texts, or leave it out with a filter',
  );
}

/**
 * Reads rows in an order. Limits are bound.
 * @param octets how many a row may have, where that is limited
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
  const condition = octets === undefined ? '' : ` AND ${isSmall(shapeOf(resource).octets)}`;
  return reader.all(
    `SELECT ${columns} FROM ${resource.source} AS t WHERE ${where.sql}${condition} ORDER BY ${order} LIMIT ${NUMBER}`,
    ...where.values,
    ...(octets === undefined ? [] : [octets]),
    limit,
  );
}
