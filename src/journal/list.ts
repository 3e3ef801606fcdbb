/** One page of a list resource: keyset on (ordering field, id), newest first. */
import { type Reader, type Row, TEXT } from '../reader.ts';
import type { User } from './journal.ts';
import { withMetrics } from './metrics.ts';
import { type RecordShape, recordShape } from './records.ts';
import type { ListResource } from './resource.ts';
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

export function listPage(reader: Reader, user: User, resource: ListResource, request: PageRequest): Page {
  const position = [resource.orderBy, ...resource.tieBreak];
  const where = new Where(user.id);
  where.filter(resource.filters, request.filters);
  if (request.after) {
    // The position alone: beside an upper bound, SQLite may begin at that one, and skip all pages before.
    where.range(resource.orderBy, { from: request.range.from, to: null });
    where.add(`(${position.join(', ')}) < (${position.map(() => TEXT).join(', ')})`, ...request.after);
  } else {
    where.range(resource.orderBy, request.range);
  }

  const { columns, toRecord } = shapeOf(resource);
  const order = position.map((column) => `${column} DESC`).join(', ');
  // A literal LIMIT: SQLite plans a statement with a bound one anew at each call. It is an integer of ours.
  const rows = reader.all(
    `SELECT ${columns} FROM ${resource.source} WHERE ${where.sql} ORDER BY ${order} LIMIT ${request.limit + 1}`,
    ...where.values,
  );
  const more = rows.length > request.limit;
  if (more) rows.pop();
  const last = rows.at(-1);
  const next = more && last ? position.map((column) => String(last[column])) : null;
  const records = rows.map(toRecord);
  return { rows: resource.metrics ? withMetrics(reader, user, resource.metrics, records) : records, next };
}
