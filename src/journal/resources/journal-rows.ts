import * as f from '../fields.ts';
import { resource } from '../resource.ts';
import { journalFields, journalFilters, stamps } from './common.ts';

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
    type: { column: 'type', match: 'exact', like: 'type', description: 'Only entries about trades, or about groups' },
    symbol: { column: 'symbol', match: 'label', isSymbol: true, description: 'Only entries about this symbol' },
    ...journalFilters,
  },
});
