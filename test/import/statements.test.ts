/** What lines of the list state stays with what it is about, and goes only when nothing says it any more. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { annotate, noteOnTrade } from '../../src/edit/annotate.ts';
import { edit } from '../../src/edit/edit.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { FillHome } from './fill-home.ts';
import { TRADE } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const FIRST =
  'MESZ6,1,2,2,6800.00,6801.00,$10.00,11/02/2026 09:45:00,11/02/2026 10:00:00';
const SECOND =
  'MESZ6,3,4,2,6802.00,6803.00,$10.00,11/02/2026 10:30:00,11/02/2026 11:00:00';
/** Open while the others open and close: with it, they are one trade. */
const AROUND =
  'MESZ6,8,9,1,6799.00,6804.00,$25.00,11/02/2026 09:30:00,11/02/2026 15:30:00';

const file = (home: FillHome, name: string, ...rows: string[]) =>
  home.import(home.file(name, [HEADER, ...rows].join('\n')), { timeZone: 'UTC' });

test('what is said about a trade never lands on one that has none of its fills', () => {
  const home = new FillHome().withUser();
  file(home, 'first.csv', FIRST, SECOND);
  const options = home.target;
  edit(options, { name: 'annotate', line: 'annotate', resource: trades }, (own) => {
    annotate(own, ['tradovate:MESZ6:3'], {
      fields: { setup: 'LAST' },
      add: { tags: ['t2'], mistakes: [] },
      remove: { tags: [], mistakes: [] },
      group: undefined,
    });
    noteOnTrade(own, 'tradovate:MESZ6:3', 'About 10:30.', null);
  });
  file(home, 'around.csv', AROUND);
  expect(home.rows('SELECT setup FROM trades')).toEqual([{ setup: 'LAST' }]);
  const hash = home.hash();
  expect(() => home.undo(1)).toThrow(
    /^import 2 \(annotate\) is about trade .*; journal-api import undo 2$/,
  );
  expect(home.hash()).toBe(hash);
  home.undo(3);
  expect(home.rows('SELECT id, setup FROM trades ORDER BY id')).toEqual([
    { id: 'tradovate:MESZ6:1', setup: null },
    { id: 'tradovate:MESZ6:3', setup: 'LAST' },
  ]);
});

test('a record that another program removed stays so when the same file comes again', () => {
  const home = new FillHome().withUser();
  const path = home.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2' });
  home.import(path);
  home.write("DELETE FROM trades WHERE id = 't2'");
  home.import(path);
  expect(home.rows('SELECT id FROM trades')).toEqual([{ id: 't1' }]);
  expect(home.rows('SELECT id FROM imports')).toEqual([{ id: 1 }]);
  home.import(home.lines('more.jsonl', { ...TRADE, id: 't2', notes: 'new' }), {
    as: 'trades',
  });
  expect(home.rows('SELECT id, notes FROM trades ORDER BY id')).toEqual([
    { id: 't1', notes: null },
    { id: 't2', notes: 'new' },
  ]);
});

describe('notes of a vault', () => {
  const note = (text: string) => `---\ntype: day\ndate: 2026-11-02\n---\n${text}`;
  const session = (home: FillHome) =>
    home.rows("SELECT mood, energy, plan FROM sessions WHERE date = '2026-11-02'")[0];

  function vault(...notes: [name: string, text: string][]): FillHome {
    const home = new FillHome().withUser();
    mkdirSync(home.path('v/sub'), { recursive: true });
    for (const [name, text] of notes) home.file(`v/${name}`, note(text));
    home.import(home.path('v'));
    return home;
  }

  test('a new note of a day leaves what a deleted one said', () => {
    const home = vault(['morning.md', 'mood:: calm\n\n## Plan\nMorning.\n']);
    rmSync(home.path('v/morning.md'));
    home.file('v/evening.md', note('energy:: 3\n'));
    home.import(home.path('v'));
    expect(session(home)).toEqual({ mood: 'calm', energy: 3, plan: 'Morning.' });
  });

  test('a moved note is followed, beside another of that day', () => {
    const home = vault(
      ['a.md', 'mood:: calm\n\n## Plan\nFrom A.\n'],
      ['b.md', 'energy:: 3\n\n## Plan\nFrom B.\n'],
    );
    const before = session(home);
    renameSync(home.path('v/a.md'), home.path('v/sub/a.md'));
    home.import(home.path('v'));
    expect(session(home)).toEqual(before);
    home.file('v/sub/a.md', note('## Plan\nFrom A.\n'));
    home.import(home.path('v'));
    expect(session(home)).toMatchObject({ mood: null, energy: 3 });
  });

  test('what can not be placed keeps what the note said before', () => {
    const home = new FillHome().withUser();
    home.import(
      home.lines('trades.jsonl', { ...TRADE, executed_at: '2026-11-02T09:45:00Z' }),
    );
    const path = home.file(
      '2026-11-02.md',
      note('## 09:45 AAPL long\nsetup:: ORB\nrating:: 3\n'),
    );
    home.import(path, { timeZone: 'UTC' });
    home.file(
      '2026-11-02.md',
      note(
        '## 13:33 AAPL long\nsetup:: ORB\nrating:: 3\n\n## 09:45 MSFT long\nsetup:: X\n',
      ),
    );
    const [report] = home.import(path, { timeZone: 'UTC' }).files;
    expect(report?.problems).not.toEqual([]);
    expect(home.rows('SELECT setup, rating FROM trades')).toEqual([
      { setup: 'ORB', rating: 3 },
    ]);
  });
});
