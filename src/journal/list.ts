/** One page of a list resource: keyset on (ordering field, tie-breaks), newest first. */
import { NUMBER, type Reader, type Row } from '../sqlite/reader.ts';
import { addDays } from '../time.ts';
import { type AnswerTooLarge, answerTooLarge, isSmall, PageBudget } from './answer-size.ts';
import type { User } from './journal.ts';
import { withMetrics } from './metrics.ts';
import type { ListResource } from './resource.ts';
import { type RecordShape, recordShape } from './row-mapper.ts';
import { isIndexed, type Range, Where } from './where.ts';

export interface PageRequest {
  limit: number;
  range: Range;
  /** Filter values by filter name. */
  filters: Readonly<Record<string, string>>;
  /** Keyset of the last row of the page before: its ordering field, then its tie-breaks. */
  after: readonly string[] | null;
}

export interface Page {
  rows: Row[];
  /** Keyset to go on from; null on the last page. */
  next: string[] | null;
}

const shapes = new Map<ListResource, RecordShape>();

export function shapeOf(resource: ListResource): RecordShape {
  let shape = shapes.get(resource);
  if (!shape) {
    shape = recordShape(resource.record, resource.metrics ? ['metrics'] : []);
    shapes.set(resource, shape);
  }
  return shape;
}

/** Where a filter has no index, the list is searched this many records at a time, with a pause in between. */
const STRIDE = 2000;

/** Reads a page of a list; a generator, which pauses now and then where it has to search for the records that match a filter. */
export function* listPage(
  reader: Reader,
  user: User,
  resource: ListResource,
  { limit, range, filters, after }: PageRequest,
): Generator<void, Page> {
  const shape = shapeOf(resource);
  const budget = new PageBudget(shape);
  const keyset = keysetColumns(resource);
  const isFound = hasIndex(resource, filters);
  const rows: Row[] = [];
  for (let from = after; ; ) {
    const where = new Where(user.id);
    // The keyset without the upper bound: given both, SQLite may start at the bound and step over all earlier pages.
    where.range(resource.orderBy, from ? { from: range.from, to: null } : range);
    if (from) where.compare(keyset, '<', from);
    // The filters come last: a stride is counted in the records that are looked at, not in those that match.
    const [last] = isFound ? [] : select(reader, resource, keyset.join(', '), where, 1, STRIDE - 1);
    const end = last && keysetOf(last, keyset);
    if (end) where.compare(keyset, '>=', end);
    where.filter(resource.filters, filters, { byIndex: true });
    rows.push(
      ...(yield* budget.read(limit + 1, ['id', resource.orderBy], (columns, count, octets) =>
        select(reader, resource, columns, where, count, 0, octets),
      )),
    );
    if (!end || rows.length > limit || budget.cutAt) break;
    from = end;
    yield;
  }
  const records = yield* budget.trim(rows.slice(0, limit).map(shape.toRecord));
  const last = records.at(-1);
  if (budget.cutAt && !last) throw tooLarge(resource, budget.cutAt);
  const next = last && (rows.length > limit || budget.cutAt) ? keysetOf(last, keyset) : null;
  return { rows: resource.metrics ? yield* withMetrics(reader, user, resource.metrics, records) : records, next };
}

function tooLarge({ path, orderBy, orderKind }: ListResource, row: Row): AnswerTooLarge {
  const at = row[orderBy] as string;
  const end = orderKind === 'date' ? addDays(at, -1) : at;
  return answerTooLarge(
    `the record ${row['id']} of ${path}`,
    row['octets'] as number,
    `shorten its texts, or go on behind it with end=${end}`,
  );
}

/** The columns that a list is ordered by, all descending: what they hold is the position of a record in it. */
function keysetColumns({ orderBy, tieBreak }: ListResource): string[] {
  return [orderBy, ...tieBreak];
}

function keysetOf(row: Row, columns: readonly string[]): string[] {
  return columns.map((column) => String(row[column]));
}

/** Whether an index finds the records that match, in order. With two filters it finds those of one, to be searched for the other. */
function hasIndex(resource: ListResource, filters: PageRequest['filters']): boolean {
  const [given, ...more] = Object.entries(filters);
  if (given === undefined) return true;
  const filter = resource.filters[given[0]];
  return more.length === 0 && filter !== undefined && isIndexed(filter, given[1]);
}

/**
 * Reads rows in the order of the list. Limits are bound; there are only two offsets, so they stand in the statement.
 * @param octets how many a row may have, where that is limited
 */
function select(
  reader: Reader,
  resource: ListResource,
  columns: string,
  where: Where,
  limit: number,
  offset = 0,
  octets?: number,
): Row[] {
  const condition = octets === undefined ? '' : ` AND ${isSmall(shapeOf(resource).octets)}`;
  const order = keysetColumns(resource).map((column) => `${column} DESC`);
  return reader.all(
    `SELECT ${columns} FROM ${resource.source} AS t WHERE ${where.sql}${condition} ORDER BY ${order.join(', ')} LIMIT ${NUMBER} OFFSET ${offset}`,
    ...where.values,
    ...(octets === undefined ? [] : [octets]),
    limit,
  );
}
