/** Adds trades to a group of the user's own. */
import { UserError } from '../../errors.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { datesOf, LegGroupTable, type LegTrade } from '../../journal-write/leg-groups.ts';
import { TEXT } from '../../sqlite/reader.ts';
import { riskOf, strategyOf } from '../fills/spread.ts';
import type { Edit } from './edit.ts';

interface Group {
  id: string;
  kind: string;
}

/**
 * The id of the group with a name or id, created if missing. Its dates and status follow from its trades, including the new ones.
 * The caller sets the trades' group_id.
 * @param kind undefined: custom for a new group, else unchanged
 * @throws UserError if the trades have several currencies, or several groups have the name
 */
export function joinGroup(edit: Edit, name: string, ids: readonly string[], kind?: string): string {
  const { db, user } = edit;
  const found = db
    .prepare(`SELECT id, kind FROM trade_groups WHERE user_id = ${TEXT} AND (id = ? OR name = ? COLLATE NOCASE)`)
    .all(user.id, name, name) as Group[];
  const group = found.find(({ id }) => id === name) ?? found[0];
  if (found.length > 1 && group?.id !== name) {
    throw new UserError(
      `several groups are named "${name}"; pass the id of one: ${found.map(({ id }) => id).join(', ')}`,
    );
  }
  const table = new LegGroupTable(db, user.id, edit.now);
  const all = [...(group ? table.ofGroup(group.id) : []), ...ids.flatMap((own) => table.find(own) ?? [])];
  const legs = [...new Map(all.map((leg) => [leg.id, leg])).values()];
  const currencies = new Set(legs.map(({ currency }) => currency));
  if (currencies.size > 1) {
    throw new UserError(
      `the trades of "${name}" have several currencies (${[...currencies].join(', ')}); group trades of one`,
    );
  }
  const id = group?.id ?? freeId(edit, name);
  // A group that an import found keeps its name and strategy.
  const facts = group?.kind === 'multi_leg' ? {} : factsOf(legs, kind);
  edit.put(tradeGroups, {
    ...{ id, kind: kind ?? group?.kind ?? 'custom' },
    ...(!group && { name }),
    ...facts,
    ...datesOf(legs),
  });
  return id;
}

function factsOf(legs: readonly LegTrade[], kind: string | undefined) {
  const shared = <T>(values: readonly T[]) => (new Set(values).size === 1 ? (values[0] as T) : null);
  const underlying = shared(legs.map(({ underlying, symbol }) => underlying ?? symbol));
  const market = shared(legs.map((leg) => leg.market));
  const isSpread = kind === 'multi_leg' && market === 'option' && underlying !== null;
  return {
    ...{ underlying, market: market ?? 'other', currency: legs[0]?.currency },
    ...(isSpread && { strategy: strategyOf(legs), initial_risk: riskOf(legs) }),
  };
}

function freeId(edit: Edit, name: string): string {
  const plain = `group:${name.replaceAll(/[^A-Za-z0-9._~-]+/g, '-').slice(0, 100)}`;
  let own = plain;
  for (let number = 2; edit.find(tradeGroups, own); number++) own = `${plain}-${number}`;
  return own;
}
