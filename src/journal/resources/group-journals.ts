import * as f from '../fields.ts';
import { resource } from '../resource.ts';
import { journalFields, journalFilters, stamps } from './common.ts';

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
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's group journal entries"),
    group_id: f.id('Id of its trade group'),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    group_id: {
      column: 'group_id',
      match: 'exact',
      like: 'group_id',
      indexed: true,
      description: 'Only entries about this group',
    },
    ...journalFilters,
  },
});
