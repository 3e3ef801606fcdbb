/** One page of a list resource: keyset on (ordering field, id), newest first. */
import { LIMIT, type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import type { User } from './journal.ts';
import { withMetrics } from './metrics.ts';
import type { ListResource } from './resource.ts';
import { type RecordShape, recordShape } from './row-mapper.ts';
import { type Range, Where } from './where.ts';

export interface PageRequest {
  limit: number;
  range: Range;
  /** Filter values by filter name. */
  filters: Readonly<Record<string, string>>;
  /** Position of the last row of the page before: ordering field, then tie-breaks. */
  after: readonly string[] | null;
}

export interface Page {
  rows: Row[];
  /** Position to go on from; null on the last page. */
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

/** Where a filter has no index, the list is gone through by as many records at a time. */
const STRIDE = 2000;

/** A page of a list: a pass that pauses now and then where it has to look for records that a filter lets through. */
export function* listPage(
  reader: Reader,
  user: User,
  resource: ListResource,
  { limit, range, filters, after }: PageRequest,
): Generator<void, Page> {
  const { orderBy, source, tieBreak, metrics } = resource;
  const { columns, toRecord } = shapeOf(resource);
  const position = [orderBy, ...tieBreak];
  const order = position.map((column) => `${column} DESC`).join(', ');
  const compared = (operator: string) =>
    `(${position.join(', ')}) ${operator} (${position.map(() => TEXT).join(', ')})`;
  // Of two filters only one is looked up, and the records that it lets through are gone through for the other.
  const [filter, ...more] = Object.keys(filters);
  const isIndexed = filter === undefined || (more.length === 0 && resource.filters[filter]?.indexed);

  const rows: Row[] = [];
  for (let from = after; ; ) {
    const where = new Where(user.id);
    // The position alone: beside an upper bound, SQLite may begin at that one, and skip all pages before.
    where.range(orderBy, from ? { from: range.from, to: null } : range);
    if (from) where.add(compared('<'), ...from);
    const last = isIndexed ? undefined : lastOfStride(reader, source, position, order, where);
    if (last) where.add(compared('>='), ...last);
    where.filter(resource.filters, filters, { byIndex: true });
    const sql = `SELECT ${columns} FROM ${source} WHERE ${where.sql} ORDER BY ${order} LIMIT ${LIMIT}`;
    rows.push(...reader.all(sql, ...where.values, limit + 1));
    if (!last || rows.length > limit) break;
    from = last;
    yield;
  }
  const isLast = rows.length <= limit;
  const records = rows.slice(0, limit).map(toRecord);
  const next = isLast ? null : positionOf(records.at(-1) as Row, position);
  return { rows: metrics ? yield* withMetrics(reader, user, metrics, records) : records, next };
}

/** Position of the last record of a stride; undefined where there are fewer records left. */
function lastOfStride(reader: Reader, source: string, position: readonly string[], order: string, where: Where) {
  const row = reader.get(
    `SELECT ${position.join(', ')} FROM ${source} WHERE ${where.sql} ORDER BY ${order} LIMIT 1 OFFSET ${STRIDE - 1}`,
    ...where.values,
  );
  return row && positionOf(row, position);
}

function positionOf(row: Row, position: readonly string[]): string[] {
  return position.map((column) => String(row[column]));
}
