/** A change of an import's time zone that lets a note find its trade: undone, the note states nothing of the trade. */
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { answers } from '../import/changed.ts';
import { ImportHome } from '../import/home.ts';

const NOTE = `---
type: day
---
mood:: calm

## 23:30 MESZ6 long
setup:: Fade

Chased.
`;
const FILLS = `symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp
MESZ6,8,9,1,6000,6003,$15.00,11/20/2026 23:30:00,11/20/2026 23:40:00
`;

test('labels and the entry go, and later lines can be undone', () => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const note = home.file('2026-11-20.md', NOTE);
  const fills = home.file('fills.csv', FILLS);
  const empty = answers(home);
  home.import(note, { timeZone: 'America/Chicago' });
  const noted = answers(home);
  home.now += 60_000;
  home.import(fills, { timeZone: 'UTC' });
  const before = answers(home);

  home.now += 60_000;
  const given = { timezone: 'America/Chicago' };
  changeImport({ ...home.target, id: 2, given }, 'import change');
  expect(home.rows('SELECT setup FROM trades')).toEqual([{ setup: 'Fade' }]);
  expect(home.rows('SELECT body FROM trade_journals')).toEqual([{ body: 'Chased.' }]);

  for (const expected of [before, noted, empty]) {
    undoImport(home.target);
    expect(answers(home)).toEqual(expected);
    expect(home.findings()).toEqual([]);
  }
});
