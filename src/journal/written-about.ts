/** The trades, or positions, about which the trader wrote some words. */
import type { Scope } from '../keys/scopes.ts';
import type { Reader } from '../sqlite/reader.ts';
import type { User } from './journal.ts';
import { orderOf, walkList } from './list-walk.ts';
import { once } from './once.ts';
import type { ListResource, Unit } from './resource.ts';
import { groupJournals, tradeJournals } from './resources/journals.ts';
import { tradeGroups } from './resources/trade-groups.ts';
import { trades } from './resources/trades.ts';
import { markedId } from './where.ts';

/** Records with texts about trades or trade groups. */
/** The trade, and the group, that a record is about. */
interface About {
  trade: string;
  of_group: string | null;
}

interface Written {
  resource: ListResource;
  /** SQL of the ids of its trade and of the trade group; null without one. */
  trade: string;
  group: string;
}

const NO_ID = 'CAST(NULL AS TEXT)';

/** Records without texts other than notes. */
const notesOf = (resource: ListResource, source: string): ListResource => ({
  ...resource,
  source,
  record: resource.record.pick({ notes: true }),
});

const WRITTEN = once((): readonly Written[] => [
  { resource: notesOf(trades, 'trades'), trade: 'id', group: 'group_id' },
  { resource: notesOf(tradeGroups, 'trade_groups'), trade: NO_ID, group: 'id' },
  {
    resource: tradeJournals,
    trade: 'trade_id',
    group:
      '(SELECT o.group_id FROM trades AS o WHERE o.user_id = t.user_id AND o.id = t.trade_id)',
  },
  { resource: groupJournals, trade: NO_ID, group: 'group_id' },
]);

/** Words to find, in what a key with these scopes may read. */
export interface Words {
  text: string;
  scopes: readonly Scope[];
}

/**
 * Finds the trades, open or closed, whose notes have all words, or one of whose journal
 * entries has. A position is found by its legs and by its group.
 * @returns their ids; of trade groups, marked as such
 */
export function writtenAbout(
  reader: Reader,
  user: User,
  unit: Unit,
  { text, scopes }: Words,
): Set<string> {
  const ids = new Set<string>();

  for (const { resource, trade, group } of WRITTEN()) {
    // Trades are read by those who ask for them or for their figures.
    const isEntry = resource.scope === 'journals:read';
    if (isEntry && !scopes.includes(resource.scope)) continue;
    if (unit === 'trade' && trade === NO_ID) continue;

    const walk = {
      userId: user.id,
      resource,
      order: orderOf(resource, resource.orderBy, true),
      range: { from: null, to: null },
      after: null,
      criteria: { filters: {}, q: text },
    };
    walkList(reader, walk, ({ where }) => {
      const sql = `SELECT ${trade} AS trade, ${group} AS of_group FROM ${resource.source} AS t WHERE ${where.sql}`;
      for (const { trade: id, of_group } of reader.all<About>(sql, ...where.values)) {
        const isGroup = unit === 'position' && of_group !== null;
        ids.add(isGroup ? markedId(of_group) : id);
      }
      return false;
    });
  }

  return ids;
}

/** What a search left out for want of a scope; undefined if nothing. */
export function unsearched({ scopes }: Pick<Words, 'scopes'>): string | undefined {
  return scopes.includes('journals:read')
    ? undefined
    : "text searched the trades' own notes only; journal entries need a key with the scope journals:read.";
}
