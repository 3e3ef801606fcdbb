/** A page of a list resource. */
import { matchingTrades } from '../../journal/analytics/matching-trades.ts';
import { hintOf } from '../../journal/empty-page.ts';
import { once } from '../../journal/in-steps.ts';
import { listPage } from '../../journal/list.ts';
import type { ListResource } from '../../journal/resource.ts';
import { toInstantText, type ZoneClock } from '../../time.ts';
import { cursorContext, encodeCursor } from '../cursor.ts';
import { conditionOf } from '../figure-parameters.ts';
import { fieldsOf, listParameters } from '../list-parameters.ts';
import { columnRange, intervalOf, limitOf, type Query } from '../parameter.ts';
import type { Endpoint, RouteContext } from '../route.ts';

export function list(resource: ListResource): Endpoint {
  return {
    operationId: `list${resource.name}s`,
    tag: resource.path,
    summary: `List of ${resource.title}`,
    description: `${resource.description} Newest ${resource.orderBy} first, unless changed by order${resource.sorts ? ' and sort' : ''}.`,
    parameters: once(() => listParameters(resource)),
    gives: { list: resource },
    handle: (context) => page(resource, context),
  };
}

function* page(resource: ListResource, { reader, user, key, clock, query, after, secret }: RouteContext) {
  const size = limitOf(query);
  const condition = resource.hasFigures ? conditionOf(query['where']) : null;
  const request = {
    limit: size,
    range: columnRange(intervalOf(query, clock), resource, clock),
    dateField: query['date_field'],
    sort: query['sort'],
    isAscending: query['order'] === 'asc',
    filters: filtersOf(resource, query),
    q: query['q'],
    updatedSince: instantBound(query['updated_since'], clock),
    ids: condition && (yield* matchingTrades(reader, user, condition)),
    fields: fieldsOf(query),
    after,
  };
  const { rows, next } = yield* listPage(reader, user, resource, request);
  const hint = rows.length === 0 && after === null ? yield* hintOf(reader, user, resource, request) : undefined;
  const context = cursorContext(resource.path, key, query);
  const pagination = {
    limit: size,
    has_more: next !== null,
    next_cursor: next && encodeCursor(secret.signCursor, context, next),
  };
  return hint === undefined ? { data: rows, pagination } : { data: rows, pagination, hint };
}

/** The stored form of a bound; undefined without one. */
function instantBound(start: string | undefined, clock: ZoneClock): string | undefined {
  return start === undefined ? undefined : toInstantText(intervalOf({ start }, clock).from as number);
}

function filtersOf(resource: ListResource, query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(resource.filters, name)));
}
