/** Journal entries about trades, those about trade groups, and both in one feed. */
import * as f from '../fields.ts';
import { exact, journalFields, journalFilters, resource, stamps } from '../resource.ts';

export const tradeJournals = resource({
  path: 'trade-journals',
  name: 'TradeJournal',
  title: 'trade journal entries',
  description: 'Journal entries about a trade: before, during or after it.',
  scope: 'journals:read',
  table: 'trade_journals',
  source: 'trade_journals',
  orderBy: 'created_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  needed: ['trade_id'],
  identity: ['trade_id', 'symbol', 'executed_at', 'phase', 'title', 'created_at'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's trade journal entries"),
    trade_id: f.id('Id of its trade'),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    trade_id: {
      column: 'trade_id',
      match: 'ids',
      like: 'trade_id',
      indexed: true,
      description:
        'Only entries about this trade, or about several, separated by commas (at most 100)',
    },
    ...journalFilters,
  },
});

/**
 * Columns of a file of entries that may replace trade_id: none is a field of the entry.
 */
export const NAMES_OF_TRADE = ['symbol', 'executed_at', 'date', 'time'] as const;

export const groupJournals = resource({
  path: 'group-journals',
  name: 'GroupJournal',
  title: 'group journal entries',
  description: 'Journal entries about a trade group as a whole.',
  scope: 'journals:read',
  table: 'group_journals',
  source: 'group_journals',
  orderBy: 'created_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  needed: ['group_id'],
  identity: ['group_id', 'phase', 'title', 'created_at'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's group journal entries"),
    group_id: f.id('Id of its trade group'),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    group_id: { ...exact('group_id', 'Only entries about this group'), indexed: true },
    ...journalFilters,
  },
});

export const journalRows = resource({
  path: 'journal-rows',
  name: 'JournalRow',
  title: 'journal rows',
  description: 'Trade and group journal entries in one feed, newest first.',
  scope: 'journals:read',
  table: null,
  source: 'journal_rows',
  orderBy: 'created_at',
  orderKind: 'instant',
  tieBreak: ['id', 'type'],
  record: f.record(() => ({
    id: f.id('Identifier of the entry; unique together with type'),
    type: f.choice(['trade', 'group'], 'Kind of entry'),
    trade_id: f.orNull(f.id('Id of its trade; null for a group')),
    group_id: f.orNull(f.id('Id of its trade group; null for a trade')),
    symbol: f.orNull(f.underlying('Symbol of the trade, or underlying of the group')),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    type: exact('type', 'Only entries about trades, or about groups'),
    symbol: {
      column: 'symbol',
      match: 'label',
      isSymbol: true,
      description: 'Only entries about this symbol',
    },
    ...journalFilters,
  },
});
