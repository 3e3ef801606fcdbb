/** A page of a list resource. */
import { matchingIds } from '../../journal/analytics/closed-trades.ts';
import { hintOf } from '../../journal/empty-page.ts';
import {
  isServedByIndex,
  type ListPage,
  listPage,
  type PageOutline,
  type PageRequest,
} from '../../journal/list.ts';
import type { ListPosition } from '../../journal/list-walk.ts';
import { once } from '../../journal/once.ts';
import type { ListResource, Unit } from '../../journal/resource.ts';
import { ResponseTooLarge } from '../../journal/response-size.ts';
import { unsearched, writtenAbout } from '../../journal/written-about.ts';
import { toInstantText, type ZoneClock } from '../../time.ts';
import { cursorContext, encodeCursor } from '../cursor.ts';
import { conditionOf } from '../figure-parameters.ts';
import { fieldsOf, listParameters, namesIn } from '../list-parameters.ts';
import {
  columnRange,
  intervalOf,
  limitOf,
  MAX_LIMIT,
  MAX_TABLE_LIMIT,
  type Query,
} from '../parameter.ts';
import type { Endpoint, RouteContext } from '../route.ts';
import { Table, type TableForm } from '../table.ts';

export function list(resource: ListResource): Endpoint {
  return {
    operationId: `list${resource.name}s`,
    tag: resource.path,
    summary: `List of ${resource.title}`,
    description:
      `${resource.description} Newest ${resource.orderBy} first, ` +
      `unless changed by order${resource.sorts ? ' and sort' : ''}.`,
    parameters: once(() => listParameters(resource)),
    gives: { list: resource },
    isTable: () => true,
    isLong: (query, form) =>
      form !== undefined || !isServedByIndex(resource, outlineOf(resource, query)),
    handle: (context) => page(resource, context),
  };
}

function page(resource: ListResource, context: RouteContext): object {
  const { reader, user, key, clock, query, after, signCursor, form, isShort } = context;
  const size = limitOf(query, form ? MAX_TABLE_LIMIT : MAX_LIMIT);
  const { hasFigures } = resource;
  const note = query['text'] === undefined ? undefined : unsearched(key);
  const request = {
    limit: size,
    range: columnRange(intervalOf(query, clock), resource, clock),
    dateField: query['date_field'],
    sort: query['sort'],
    isAscending: query['order'] === 'asc',
    filters: filtersOf(resource, query),
    q: query['q'],
    updatedSince: instantBound(query['updated_since'], clock),
    ...(hasFigures ? idsFor(context, hasFigures) : {}),
    fields: fieldsOf(query),
    after,
    isShort,
  };
  const cursorOf = (position: ListPosition | null) =>
    position &&
    encodeCursor(signCursor, cursorContext(resource.path, key, query), position);
  if (form && form !== 'image') return table(resource, context, form, request, cursorOf);

  const { rows, next } = listPage(reader, user, resource, request);
  const empty =
    rows.length === 0 && after === null
      ? hintOf(reader, user, resource, request)
      : undefined;
  const hint = [empty, note].filter((one) => one !== undefined).join(' ');
  const pagination = {
    limit: size,
    has_more: next !== null,
    next_cursor: cursorOf(next),
  };

  return hint === '' ? { data: rows, pagination } : { data: rows, pagination, hint };
}

/** The records that meet the condition and have the words of a request. */
function idsFor({ reader, user, key, query }: RouteContext, unit: Unit) {
  const { where, text } = query;
  const clauses = conditionOf(where);
  const found = [
    ...(clauses ? [matchingIds(reader, user, unit, clauses)] : []),
    ...(text === undefined
      ? []
      : [writtenAbout(reader, user, unit, { text, scopes: key.scopes })]),
  ];
  const [first = null, second] = found;

  return {
    ids: first && second ? new Set([...first].filter((id) => second.has(id))) : first,
    isByText: text !== undefined,
  };
}

function outlineOf(resource: ListResource, query: Query): PageOutline {
  return {
    filters: filtersOf(resource, query),
    q: query['q'],
    updatedSince: query['updated_since'],
    dateField: query['date_field'],
    sort: query['sort'],
    fields: fieldsOf(query),
    isBounded: query['start'] !== undefined || query['end'] !== undefined,
    hasCondition: query['where'] !== undefined || query['text'] !== undefined,
  };
}

/**
 * Records read at a time for a table, whose size is known only then. Each part of a
 * sorted list is a new search.
 */
const PART = 250;
const SORTED_PART = 1000;

/**
 * The page in the form of a table: a part at a time, until it has all its records or its
 * maximum size.
 */
function table(
  resource: ListResource,
  { reader, user, key }: RouteContext,
  form: TableForm,
  request: PageRequest,
  cursorOf: (position: ListPosition | null) => string | null,
): Table {
  const { fields, limit } = request;
  const isWanted = (column: string) => {
    const [field = ''] = column.split('.');
    return fields?.has(field) !== false;
  };
  const named = { of: 'fields', names: namesIn(fields) };
  const table = new Table(form, resource.record, key.lens?.hides ?? [], isWanted, named);
  const most = request.sort === undefined ? PART : SORTED_PART;
  let { after } = request;

  while (table.records < limit) {
    const part = { ...request, limit: Math.min(most, limit - table.records), after };
    const page = nextPart(
      () => listPage(reader, user, resource, part),
      table.records > 0,
    );
    const unfit = page?.rows.findIndex((row) => !table.add(row)) ?? 0;
    if (unfit > 0) after = page?.positionAt(unfit - 1) ?? null;
    else if (unfit === -1) after = page?.next ?? null;
    if (unfit !== -1 || after === null) break;
  }

  table.next = cursorOf(after);
  return table;
}

/**
 * @returns undefined if the next record is too large for any response: with records
 * before it, only the next page is refused
 */
function nextPart(read: () => ListPage, hasRecords: boolean): ListPage | undefined {
  try {
    return read();
  } catch (error) {
    if (hasRecords && error instanceof ResponseTooLarge) return undefined;
    throw error;
  }
}

/** The stored form of a bound; undefined without one. */
function instantBound(start: string | undefined, clock: ZoneClock): string | undefined {
  return start === undefined
    ? undefined
    : toInstantText(intervalOf({ start }, clock).from as number);
}

function filtersOf(resource: ListResource, query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => Object.hasOwn(resource.filters, name)),
  );
}
