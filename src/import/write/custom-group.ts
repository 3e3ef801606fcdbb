/** Trades that a person puts into one group. */
import { UserError } from '../../errors.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { TEXT } from '../../sqlite/reader.ts';
import type { Edit } from './edit.ts';

interface Leg {
  symbol: string;
  underlying: string | null;
  market: string;
  status: string;
  currency: string;
  executed_at: string;
  closed_at: string | null;
}

interface Group {
  id: string;
  kind: string;
}

/**
 * The id of the group of a name or an id, which is made if there is none. Its dates and status are those of its trades, these included,
 * unless an import found it. The caller gives the trades its id.
 * @throws UserError where the trades have several currencies, or several groups have the name
 */
export function joinGroup(edit: Edit, name: string, ids: readonly string[]): string {
  const { db, user } = edit;
  const found = db
    .prepare(`SELECT id, kind FROM trade_groups WHERE user_id = ${TEXT} AND (id = ? OR name = ? COLLATE NOCASE)`)
    .all(user.id, name, name) as Group[];
  const group = found.find(({ id }) => id === name) ?? found[0];
  if (found.length > 1 && group?.id !== name) {
    throw new UserError(
      `several groups are called "${name}"; name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    );
  }
  const legs = db
    .prepare(
      `SELECT symbol, underlying, market, status, currency, executed_at, closed_at FROM trades
       WHERE user_id = ${TEXT} AND (group_id = ? OR id IN (SELECT value FROM json_each(?)))`,
    )
    .all(user.id, group?.id ?? null, JSON.stringify(ids)) as Leg[];
  const currencies = new Set(legs.map(({ currency }) => currency));
  if (currencies.size > 1) {
    throw new UserError(`a group has one currency; the trades of "${name}" would have ${[...currencies].join(', ')}`);
  }
  const id = group?.id ?? freeId(edit, name);
  if (!group || group.kind === 'custom') edit.put(tradeGroups, { id, ...(!group && { name }), ...factsOf(legs) });
  return id;
}

function factsOf(legs: readonly Leg[]) {
  const isOpen = legs.some(({ status }) => status === 'open');
  const shared = <T>(values: readonly T[]) => (new Set(values).size === 1 ? (values[0] as T) : undefined);
  return {
    kind: 'custom',
    underlying: shared(legs.map(({ underlying, symbol }) => underlying ?? symbol)) ?? null,
    market: shared(legs.map(({ market }) => market)) ?? 'other',
    status: isOpen ? 'open' : 'closed',
    opened_at: legs.map(({ executed_at }) => executed_at).sort()[0],
    closed_at: isOpen
      ? null
      : legs
          .map(({ closed_at }) => closed_at as string)
          .sort()
          .at(-1),
    currency: legs[0]?.currency,
  };
}

/** An id of the name's letters and digits that no group has. */
function freeId(edit: Edit, name: string): string {
  const plain = `group:${name.replaceAll(/[^A-Za-z0-9._~-]+/g, '-').slice(0, 100)}`;
  let own = plain;
  for (let number = 2; edit.find(tradeGroups, own); number++) own = `${plain}-${number}`;
  return own;
}
