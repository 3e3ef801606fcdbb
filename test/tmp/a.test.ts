import { test } from 'vitest';
import { undoImport } from '../../src/import/edit/undo.ts';
import { renameAccount } from '../../src/import/edit/accounts.ts';
import { annotate } from '../../src/import/edit/annotate.ts';
import { edit } from '../../src/import/edit/edit.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { ImportHome } from '../import/home.ts';
const HEADER = 'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
test('x', () => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  home.file('first.csv', HEADER+'\nMESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00\nMESZ6,8,9,1,6000,6003,$15.00,11/20/2026 23:30:00,11/20/2026 23:40:00\n');
  home.file('labels.csv', 'id,setup,tags\ntradovate:MESZ6:1,ORB,a; b\n');
  const show = (t: string) => console.log(t, home.rows('SELECT id, account, setup, tags FROM trades'), home.rows('SELECT import_id, record_id, change, before, after, account FROM import_records'), home.rows('SELECT id, account FROM fills'), home.rows('SELECT id,file,format FROM imports'));
  const label = () => edit({ journal: home.journal, now: home.now }, { name: 'annotate', line: 'annotate', resource: trades }, (e) => annotate(e, [home.rows('SELECT id FROM trades ORDER BY executed_at, id')[0]!['id'] as string], { fields: { setup: 'a' }, remove: { tags: [], mistakes: [] }, add: { tags: ['a'], mistakes: [] }, group: undefined }));
  home.import(home.path('first.csv'), { timeZone: 'UTC' });
  show('1');
  home.import(home.path('labels.csv'), { timeZone: 'UTC', as: 'trades', account: 'main' });
  show('2');
  label(); label();
  show('3');
  try { home.import(home.path('first.csv'), { timeZone: 'UTC', account: 'main' }); } catch (e) { console.log(String(e)); }
  show('5');
  undoImport({ journal: home.journal, now: home.now });
  show('u');
});
