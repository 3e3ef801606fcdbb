import * as f from '../fields.ts';
import { resource } from '../resource.ts';
import { journalFields, journalFilters, stamps } from './common.ts';

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
      description: 'Only entries about this trade, or about several, separated by commas (at most 100)',
    },
    ...journalFilters,
  },
});
