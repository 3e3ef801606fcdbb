import type { ListResource } from '../../journal/resource.ts';
import { groupJournals } from '../../journal/resources/group-journals.ts';
import { tradeJournals } from '../../journal/resources/trade-journals.ts';
import type { Values } from '../../journal-write/record.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';

interface Route {
  resource: ListResource;
  /** The id field that journal entries of this type lack. */
  without: string;
}

const ROUTES: Record<string, Route> = {
  trade: { resource: tradeJournals, without: 'group_id' },
  group: { resource: groupJournals, without: 'trade_id' },
};

/**
 * A row of the journal feed as a record of its own resource.
 * @throws RowError if its type is unknown
 */
export function routeRow(row: Values): { resource: ListResource; values: Values } {
  const { type, symbol: _, ...values } = row;
  const route = typeof type === 'string' && Object.hasOwn(ROUTES, type) ? ROUTES[type] : undefined;
  if (!route) throw new RowError('type', `must be one of trade, group; got ${quote(type)}`);
  const other = values[route.without] ?? null;
  if (other !== null)
    throw new RowError(route.without, `must be null for a journal entry of type ${type}; got ${quote(other)}`);
  delete values[route.without];
  return { resource: route.resource, values };
}
