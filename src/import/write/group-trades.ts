/** Adds trades to a group or removes them, and updates the groups that they leave. */
import { UserError } from '../../errors.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { trades } from '../../journal/resources/trades.ts';
import { same } from '../../journal-write/record.ts';
import { datesOf, LegGroupTable, type LegTrade } from '../../journal-write/walked-trades.ts';
import { joinGroup } from './annotate.ts';
import type { Edit } from './edit.ts';

/**
 * @param ids of trades, or of groups for all their trades
 * @param kind undefined: custom for a new group, else unchanged
 * @returns ids of groups without trades that stay for the user's text
 */
export function groupTrades(edit: Edit, name: string, ids: readonly string[], kind?: string): string[] {
  const table = new LegGroupTable(edit.db, edit.user.id, edit.now);
  const legs = legsOf(table, ids);
  const left = groupsOf(table, legs);
  const group = joinGroup(
    edit,
    name,
    legs.map(({ id }) => id),
    kind,
  );
  if (new Set([...legs, ...table.ofGroup(group)].map(({ id }) => id)).size < 2) {
    throw new UserError(`a group needs at least 2 trades; add trades to "${name}"`);
  }
  for (const { id, group_id } of legs) if (group_id !== group) edit.put(trades, { id, group_id: group });
  left.delete(group);
  return settle(edit, table, left);
}

/**
 * @param ids of trades, or of groups for all their trades
 * @returns ids of groups without trades that stay for the user's text
 */
export function ungroupTrades(edit: Edit, ids: readonly string[]): string[] {
  const table = new LegGroupTable(edit.db, edit.user.id, edit.now);
  const legs = legsOf(table, ids);
  const alone = legs.find(({ group_id }) => group_id === null);
  if (alone) throw new UserError(`trade ${alone.id} isn't in a group; omit it`);
  const left = groupsOf(table, legs);
  for (const { id } of legs) edit.put(trades, { id, group_id: null });
  return settle(edit, table, left);
}

function legsOf(table: LegGroupTable, ids: readonly string[]): LegTrade[] {
  const legs = ids.flatMap((id) => {
    const trade = table.find(id);
    const own = trade ? [trade] : table.ofGroup(id);
    if (own.length > 0) return own;
    throw new UserError(
      `no trade, and no group with trades, has the id "${id}"; find ids with "journal-api get trades"`,
    );
  });
  return [...new Map(legs.map((leg) => [leg.id, leg])).values()];
}

function groupsOf(table: LegGroupTable, legs: readonly LegTrade[]): Map<string, LegTrade[]> {
  const ids = new Set(legs.flatMap(({ group_id }) => group_id ?? []));
  return new Map([...ids].map((id) => [id, table.ofGroup(id)]));
}

/** Updates groups to their remaining trades. A group found by an import dissolves if only one trade remains. */
function settle(edit: Edit, table: LegGroupTable, groups: ReadonlyMap<string, readonly LegTrade[]>): string[] {
  const kept: string[] = [];
  for (const [id, before] of groups) {
    const group = edit.find(tradeGroups, id);
    const legs = table.ofGroup(id);
    const isWritten = group?.['notes'] !== null || !same(group['tags'], []) || table.hasJournals(id);
    const [only] = legs;
    const isDissolved = legs.length === 0 || (legs.length === 1 && only?.found === id && !isWritten);
    if (!isDissolved) {
      const isCurrent = Object.entries(datesOf(before)).every(([name, value]) => same(group?.[name], value));
      if (isCurrent) edit.put(tradeGroups, { id, ...datesOf(legs) });
      continue;
    }
    if (only) edit.put(trades, { id: only.id, group_id: null });
    if (isWritten) kept.push(id);
    else edit.remove(tradeGroups, id);
  }
  return kept;
}
