/** Notes whose sections stayed text for want of their trades are read again once these are there. */
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { recordFills } from '../../src/edit/fill.ts';
import { rereadFiles } from '../../src/edit/reread.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { readAgainLines } from '../../src/import/report/read-back.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const DAY = '2026-11-02.md';
const NOTE =
  'Mood: ok\n\n## 09:41 META long\nsetup:: Fade\nheld\n\n## 10:00 HOOD long\nsetup:: Gap\n';

function vault(note = NOTE, options = {}): ImportHome {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  mkdirSync(home.path('vault'));
  home.file(`vault/${DAY}`, note);
  home.import(home.path('vault'), options);
  home.now += 60_000;
  return home;
}

function trade(id: string, symbol: string, executed_at: string): object {
  return { ...TRADE, id, symbol, executed_at, closed_at: '2026-11-10T20:00:00Z' };
}

const META = trade('m1', 'META', '2026-11-02T14:41:00Z');
const HOOD = trade('h1', 'HOOD', '2026-11-02T15:00:00Z');

/** All records; when they changed last isn't part of what they state. */
const records = (home: ImportHome) =>
  JSON.parse(
    JSON.stringify(home.everything(), (name, value) =>
      name === 'updated_at' ? 0 : value,
    ),
  );
const notes = (home: ImportHome) => home.rows('SELECT notes FROM sessions')[0]?.['notes'];
const setups = (home: ImportHome) =>
  home
    .rows('SELECT id, setup FROM trades ORDER BY id')
    .map(({ id, setup }) => [id, setup]);

const HOOD_TEXT = '## 10:00 HOOD long\nsetup:: Gap';

test('an import that brings a trade reads its note again, and undoing it takes that back', () => {
  const home = vault();
  const before = records(home);
  expect(notes(home)).toBe(NOTE.slice(NOTE.indexOf('##')).trimEnd());

  const [first] = home.import(home.lines('meta.jsonl', META), { as: 'trades' }).files;
  expect(first?.read_again).toMatchObject([
    {
      file: home.path(`vault/${DAY}`),
      day: '2026-11-02',
      trades: [{ id: 'm1', name: 'META', fields: ['setup'] }],
      stayed_text: [{ line: 7, text: '## 10:00 HOOD long' }],
    },
  ]);
  expect([setups(home), notes(home)]).toEqual([[['m1', 'Fade']], HOOD_TEXT]);
  const between = records(home);

  home.now += 60_000;
  const [second] = home.import(home.lines('hood.jsonl', HOOD), { as: 'trades' }).files;
  expect(readAgainLines(second ?? {})).toEqual([
    `read again, since its trade is here: ${home.path(`vault/${DAY}`)}: META, HOOD (1 field each); mood; 1 word`,
  ]);
  expect(setups(home)).toEqual([
    ['h1', 'Gap'],
    ['m1', 'Fade'],
  ]);
  expect(notes(home)).toBeNull();

  undoImport(home.target);
  expect(records(home)).toEqual(between);
  undoImport(home.target);
  expect(records(home)).toEqual(before);
});

test('the same note imported later changes nothing', () => {
  const home = vault();
  home.import(home.lines('meta.jsonl', META, HOOD), { as: 'trades' });
  const after = home.everything();
  const [report] = home.import(home.path('vault')).files;
  expect(report).toMatchObject({
    added: 0,
    changed: 0,
    read_back: [],
    notes_unchanged: 1,
  });
  expect(home.everything()).toEqual(after);
});

test('fills by hand read it again', () => {
  const home = vault();
  const report = recordFills(
    {
      lines: [
        { text: '2026-11-02 09:41 buy 10 META 100', line: 1 },
        { text: '2026-11-02 09:55 sell 10 META 101', line: 2 },
      ],
      journal: home.journal,
      now: home.now,
      market: 'stock',
    },
    'fill',
  );
  expect(report.read_again).toMatchObject([
    { trades: [{ name: 'META', fields: ['setup'] }] },
  ]);
  expect(home.rows('SELECT setup FROM trades')).toEqual([{ setup: 'Fade' }]);
  undoImport(home.target);
  expect(home.everything()['trades']).toEqual([]);
});

test('a change that moves a trade to its time reads it again', () => {
  const home = vault();
  const csv = [
    'id,symbol,market,side,status,currency,quantity,entry_price,executed_at',
  ].concat('x,META,stock,long,open,USD,10,100,2026-11-02 14:41');
  home.import(home.file('trades.csv', csv.join('\n')), {
    as: 'trades',
    timeZone: 'Asia/Tokyo',
  });
  expect(setups(home)).toEqual([['x', null]]);
  home.now += 60_000;
  const options = { ...home.target, id: 2, given: { timezone: 'UTC' } };
  const { read_again } = changeImport(options, 'import change 2');
  expect(read_again).toMatchObject([{ trades: [{ id: 'x' }] }]);
  expect(setups(home)).toEqual([['x', 'Fade']]);
});

test('without its bytes, or with an error in it, the report names it', () => {
  for (const home of [vault(NOTE, { keep: false }), vault(`rating:: 9\n\n${NOTE}`)]) {
    const before = notes(home);
    const [report] = home.import(home.lines('meta.jsonl', META), { as: 'trades' }).files;
    const path = home.path(`vault/${DAY}`);
    expect(report).toMatchObject({ read_again: [], to_import: [path] });
    expect([setups(home), notes(home)]).toEqual([[['m1', null]], before]);
  }
});

test.each([
  ['evening', 'America/New_York', '20:30', '2026-11-03T01:30:00Z'],
  ['morning', 'Asia/Tokyo', '08:30', '2026-11-01T23:30:00Z'],
])(
  'a trade in the %s of %s, of another day in UTC, reads the note of its day',
  (_, timezone, time, at) => {
    const home = new ImportHome().withUser('me', { timezone });
    home.import(home.file(DAY, `## ${time} META long\nsetup:: Fade\n`));
    home.now += 60_000;
    home.import(home.lines('meta.jsonl', trade('m1', 'META', at)), { as: 'trades' });
    expect(setups(home)).toEqual([['m1', 'Fade']]);
  },
);

test('text that names no trade, and trades of other days, read nothing again', () => {
  const home = vault('## 09:41 META long\nheld\n');
  const other = trade('m9', 'META', '2026-11-03T14:41:00Z');
  const [report] = home.import(home.lines('meta.jsonl', other), { as: 'trades' }).files;
  expect(report?.read_again).toBeUndefined();
});

test('the file that brought the trade is read again without what the note states', () => {
  const home = vault();
  home.import(home.lines('meta.jsonl', META), { as: 'trades' });
  const before = records(home);
  home.now += 60_000;
  const options = { ...home.target, id: 2 };
  expect(rereadFiles(options)).toMatchObject({ fields: [], records: 0, failed: [] });
  expect(records(home)).toEqual(before);
});
