/** Day notes: reading, changes and reported problems. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { undoImport } from '../../src/edit/undo.ts';
import type { UserChanges } from '../../src/journal-write/users.ts';
import { readDayNote } from '../../src/notes/day-note.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const read = (lines: string[], path = '2026-11-02.md') =>
  readDayNote({ file: path, path, text: lines.join('\n') }, { zone: 'UTC' });
const session = (...lines: string[]) => read(lines).records[0]?.values;
const trade = (...lines: string[]) =>
  read(['## 14:30 AAPL long', ...lines]).records[1]?.values;

test.each<[string, string[], object]>([
  ['Dataview', ['setup:: ORB', 'stop_loss:: 99.5'], { setup: 'ORB', stop_loss: 99.5 }],
  [
    'bold bullets',
    ['- **Setup Type:** ORB', '- **Target(s)**: 1,250.00'],
    { setup: 'ORB', take_profit: 1250 },
  ],
  [
    'plain lines',
    ['Strategy: ORB', 'Emotional State (Entry): calm; bored'],
    { setup: 'ORB', emotions: ['calm', 'bored'] },
  ],
  [
    'a table',
    ['| Field | Value |', '|---|---|', '| SL | 99.5 |', '| Grade | B+ |', '| Why | x |'],
    { stop_loss: 99.5, rating: 4, 'fields.why': 'x' },
  ],
  [
    'a callout',
    ['> [!note] Thoughts', '> setup:: ORB', '> Took it late.'],
    { setup: 'ORB', body: 'Thoughts\nTook it late.' },
  ],
  [
    'check boxes',
    ['- [x] Stop placed', '- [ ] Waited', '- [x] Yes'],
    {
      rules: [
        { rule: 'Stop placed', followed: true },
        { rule: 'Waited', followed: false },
      ],
      body: '- [x] Yes',
    },
  ],
  [
    'rules on a line',
    ['rules:: wait = no; size: yes; other'],
    {
      rules: [
        { rule: 'wait', followed: false },
        { rule: 'size', followed: true },
        { rule: 'other', followed: null },
      ],
    },
  ],
  [
    'stars and fractions',
    ['rating:: ⭐⭐⭐', 'confidence:: 7/10'],
    { rating: 3, confidence: 4 },
  ],
  ['any bullets', ['+ **Setup:** ORB', '* SL: 99.5'], { setup: 'ORB', stop_loss: 99.5 }],
  [
    'dashes, which clear',
    ['setup:: -', 'tags:: -', 'lesson:: -'],
    { setup: null, tags: [], lesson: null },
  ],
  ['empty values, which change nothing', ['setup::', 'tags::', 'lesson::'], {}],
  ['links', ['setup:: [[Playbook/ORB|the orb]]'], { setup: 'ORB' }],
  [
    '#words, if no tags are given',
    ['Late. #news #fomo `#code`'],
    { body: 'Late. #news #fomo `#code`', tags: ['news', 'fomo'] },
  ],
  [
    'given tags only',
    ['tags:: a-plus', 'Late. #news'],
    { body: 'Late. #news', tags: ['a-plus'] },
  ],
  [
    'exact JSON',
    ['setup:: " ORB, late "', 'mistakes:: ["a, b"]'],
    { setup: ' ORB, late ', mistakes: ['a, b'] },
  ],
  [
    'exact text',
    ['<!-- body -->', '## 15:00 AAPL short', 'setup:: x', '<!-- end of body -->'],
    { body: '## 15:00 AAPL short\nsetup:: x' },
  ],
  ['code as text', ['```', 'setup:: x', '```'], { body: '```\nsetup:: x\n```' }],
  [
    'prose as text',
    ['Setup: see above', 'Entry: got scared', 'Nothing: else'],
    { setup: 'see above', body: 'Nothing: else' },
  ],
  [
    'questions as headings',
    ['#### What went right?', '- Size', '**What would I do differently?**', 'Wait.'],
    { went_well: '- Size', lesson: 'Wait.' },
  ],
])('a trade gets its fields from %s', (_form, lines, values) => {
  expect(trade(...lines)).toEqual(values);
});

test.each<[string, string[], object]>([
  [
    'headings',
    ['## Plan', 'Wait.', '## What I learned', 'Less.'],
    { plan: 'Wait.', 'review.lesson': 'Less.' },
  ],
  [
    'goals',
    ['## Goals', '- [x] one', '- two'],
    {
      goals: [
        { text: 'one', met: true },
        { text: 'two', met: null },
      ],
    },
  ],
  [
    'labels',
    ['**Bias:** up', 'Sleep: 5h 30m', 'energy:: 6/10'],
    { 'market_context.bias': 'up', sleep_hours: 5.5, energy: 3 },
  ],
  [
    'its own headings',
    ['## News', 'CPI at 8:30', '### Levels', '5,900'],
    { notes: '## News\nCPI at 8:30\n### Levels\n5,900' },
  ],
])('a session gets its fields from %s', (_form, lines, values) => {
  expect(session(...lines)).toEqual(values);
});

const NAMED: [string, object][] = [
  ['## 09:41 MNQ long', { at: '09:41:00', symbol: 'MNQ', side: 'long' }],
  [
    '### QBTS Long (#1) - 1:37 PM',
    { at: '13:37:00', symbol: 'QBTS', side: 'long', number: 1 },
  ],
  ['## ~4:45:47PM short /ES', { at: '16:45:47', symbol: 'ES', side: 'short' }],
  ['#### Trade 2: SQQQ Short', { symbol: 'SQQQ', side: 'short', number: 2 }],
  ['## 09:41 mnq long', { at: '09:41:00', symbol: 'MNQ', side: 'long' }],
  ['## 6:41 PST MNQ sold', { at: '14:41:00', symbol: 'MNQ', side: 'short' }],
  ['## 6:41 PT MNQ sold', { at: '14:41:00', symbol: 'MNQ', side: 'short' }],
  ['## 7:41 MT MNQ sold', { at: '14:41:00', symbol: 'MNQ', side: 'short' }],
  ['## 8:41 CST MNQ sold', { at: '14:41:00', symbol: 'MNQ', side: 'short' }],
  ['## 9:41 EST MNQ sold', { at: '14:41:00', symbol: 'MNQ', side: 'short' }],
  ['## 14:41 GMT MNQ sold', { at: '14:41:00', symbol: 'MNQ', side: 'short' }],
  [
    '## 9:41 ET [[MNQ]] sold <!-- t:a:b~c -->',
    { at: '14:41:00', symbol: 'MNQ', side: 'short', id: 'a:b~c' },
  ],
];

test.each(NAMED)('%s names a trade', (heading, { at, ...named }: { at?: string }) => {
  const clues = read([heading, 'x']).records[1]?.clues;
  expect(clues).toMatchObject({
    ...named,
    at: at === undefined ? undefined : Date.parse(`2026-11-02T${at}Z`),
  });
});

test.each([
  '### MGC',
  '## 12:00 lunch',
  '## Trade plan',
  '## Day 7',
  '## Trade 3 Review',
])('%s names no trade', (heading) => {
  const { records, problems } = read([heading, 'words']);
  expect([records.map(({ values }) => values['notes']), problems]).toEqual([
    [`${heading}\nwords`],
    [],
  ]);
});

test.each([
  ['2026-11-02 Mon', '2026-11-02'],
  ['2026_11_02', '2026-11-02'],
  ['20261102', '2026-11-02'],
  ['Monday, November 2, 2026', '2026-11-02'],
  ['2 Nov 2026', '2026-11-02'],
  ['23-11-2026', '2026-11-23'],
  ['11/23/2026', '2026-11-23'],
])('a note named %s is of that day', (name, date) => {
  const { records } = read(['mood:: calm'], `${name.replaceAll('/', '.')}.md`);
  expect(records.map((record) => record.date)).toEqual([date]);
});

test('an ambiguous date is reported', () => {
  const { records, problems } = read(['## 09:41 MNQ long'], 'Diary 02-11-2026.md');
  expect([records, problems.map(({ message }) => message)]).toEqual([
    [],
    [
      'ambiguous date 02-11-2026 (2026-11-02 or 2026-02-11); name the note 2026-11-02, or pass --date',
    ],
  ]);
});

test('templates are skipped by folder, name and contents', () => {
  const notes = [
    read(['## 09:41 MNQ long'], 'Templates/2026-11-02.md'),
    read(['## 09:41 MNQ long'], 'day template.md'),
    read(['# {{date}}', '## 09:41 MNQ long']),
    read(['## Session: YYYY-MM-DD', '### Trade 1: MNQ long']),
  ];
  expect(notes.map(({ skipped }) => [...skipped])).toEqual(
    notes.map(() => [['template', 1]]),
  );
  expect(
    notes.flatMap(({ records }) => records.flatMap(({ clues }) => clues ?? [])),
  ).toEqual([]);
});

class Days extends ImportHome {
  readonly folder2 = this.path('days');

  constructor(user: UserChanges = {}) {
    super();
    this.withUser('me', user);
    mkdirSync(this.folder2);
    const later = {
      ...TRADE,
      id: 't2',
      executed_at: '2026-11-02T16:00:00Z',
      closed_at: '2026-11-02T17:00:00Z',
    };
    this.import(this.lines('trades.jsonl', { ...TRADE, initial_risk: 35 }, later));
    this.notes = [];
  }

  note(name: string, ...lines: string[]): string {
    const file = `${this.folder2}/${name}`;
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  /** Reported problems, without folders. */
  take(options: object = {}): string[] {
    this.notes = [];
    this.import(this.folder2, options);
    return this.notes
      .filter((line) => !line.includes('times without an offset'))
      .map((line) =>
        line.replaceAll(`${this.folder2}/`, '').replace(`${this.folder2}: `, ''),
      );
  }

  records() {
    return this.everything();
  }
}

const DAY = [
  ...[
    '---',
    'type: day',
    'mood: calm',
    '---',
    '## Plan',
    'Wait.',
    '',
    '## 14:30 AAPL long',
    'setup:: ORB',
    'rating:: 4',
  ],
  ...[
    'emotions:: calm',
    '',
    'Held it. ![chart](https://example.com/a.png)',
    '',
    '## Lesson',
    'One is enough.',
  ],
];

describe('a day note', () => {
  test('changes session, trade and journal entry in one import, once, and undo restores all', () => {
    const days = new Days();
    const before = days.records();
    days.note('2026-11-02.md', ...DAY);
    expect(days.take()).toEqual([]);
    const after = days.records();
    expect(after).toMatchObject({
      sessions: [
        {
          id: 'day:2026-11-02',
          plan: 'Wait.',
          mood: 'calm',
          review: { lesson: 'One is enough.' },
        },
      ],
      trades: [{ id: 't2' }, { id: 't1', setup: 'ORB', rating: 4, notes: null }],
      'trade-journals': [
        {
          ...{ id: 'day:t1', trade_id: 't1', phase: 'post_trade', emotions: ['calm'] },
          ...{
            attachments: [{ url: 'https://example.com/a.png', caption: 'chart' }],
            created_at: '2026-11-02T15:30:00.000Z',
          },
        },
      ],
    });
    days.take();
    expect(days.records()).toEqual(after);
    expect(
      days.rows('SELECT resource, records FROM imports ORDER BY id DESC'),
    ).toMatchObject([{ resource: 'days', records: 3 }, {}]);
    undoImport(days.target);
    expect(days.records()).toEqual(before);
  });

  test('changes the only post-trade entry, and keeps pictures and fields that it lacks', () => {
    const days = new Days();
    const entry = {
      id: 'e',
      trade_id: 't1',
      phase: 'post_trade',
      body: 'old',
      confidence: 2,
      attachments: [{ url: 'https://example.com/b.png' }],
    };
    days.import(
      days.lines('trade-journals.jsonl', entry, {
        id: 'p',
        trade_id: 't1',
        phase: 'pre_trade',
        body: 'plan',
      }),
    );
    days.note('2026-11-02.md', ...DAY);
    expect(days.take()).toEqual([
      'replaced body of trade journal entry e: "old" is now "Held it. ![chart](https://example.com/a.png)"',
    ]);
    expect(days.records()['trade-journals']).toMatchObject([
      { id: 'p', body: 'plan' },
      { id: 'e', confidence: 2, emotions: ['calm'] },
    ]);
  });

  test('reports invalid values with their line, and imports the rest', () => {
    const days = new Days();
    days.note(
      '2026-11-02.md',
      'energy:: nine',
      '',
      '## 14:30 AAPL long',
      'stop_loss:: soon',
      'rating:: 9',
      'risk:: 0',
      'setup:: ORB',
      'wibble:: 3',
      '- **P&L:** $900',
      '',
      '## 14:30 AAPL long',
      'again',
      '',
      '## 12:00 AAPL long',
      'none',
      '',
      '## 16:00 MSFT long',
      'none',
    );
    days.note('2026-11-03.md', '---', 'a: [', '---', '## 14:30 AAPL long');
    days.note('2026-11-04.md', 'mood:: calm', '## 14:30 AAPL long');
    expect(days.take()).toEqual([
      '2026-11-02.md:9: net_pnl is 900 in the note but 35 by the fills',
      '2026-11-02.md:1: energy: must be 1 to 5, a fraction such as 6/10, a letter or stars; got "nine"',
      '2026-11-02.md:4: stop_loss: must be a number, such as 25290; got "soon"',
      '2026-11-02.md:5: rating: must be 1 to 5, a fraction such as 6/10, a letter or stars; got "9"',
      '2026-11-02.md:6: initial_risk: must be 1e-8 or more; got 0',
      '2026-11-02.md:11: trade t1 already has a section at 2026-11-02.md:3; keep one',
    ]);
    expect(days.records()).toMatchObject({
      sessions: [
        { date: '2026-11-04', mood: 'calm', notes: '## 14:30 AAPL long' },
        {
          date: '2026-11-02',
          notes: '## 12:00 AAPL long\nnone\n\n## 16:00 MSFT long\nnone',
        },
      ],
      trades: [
        { id: 't2' },
        { id: 't1', setup: 'ORB', rating: null, initial_risk: 35, fields: { wibble: 3 } },
      ],
    });
  });

  test('two missed trades of one minute stay two', () => {
    const days = new Days();
    const lines = ['First', 'Second'].map((setup) => `- 09:45 MNQ long, ${setup}`);
    days.note('2026-11-02.md', '## Missed trades', ...lines);
    days.take();
    const after = days.records();
    expect(after['missed-trades']).toMatchObject([
      { id: 'day:2026-11-02.0945-MNQ~2', setup: 'Second' },
      { id: 'day:2026-11-02.0945-MNQ', setup: 'First' },
    ]);
    days.take();
    expect(days.records()).toEqual(after);
  });

  test('the missed trades of a note that is read in another zone are the same', () => {
    const days = new Days();
    const lines = ['09:45', '10:45', '10:45'].map(
      (time, place) => `- ${time} MNQ long, S${place}`,
    );
    days.note('2026-11-02.md', '## Missed trades', ...lines);
    const times = () =>
      days
        .records()
        ['missed-trades']?.map(
          ({ id, missed_at, setup }) => `${id} ${setup} ${missed_at}`,
        )
        .sort();
    days.take();
    expect(times()).toEqual([
      'day:2026-11-02.0945-MNQ S0 2026-11-02T09:45:00.000Z',
      'day:2026-11-02.1045-MNQ S1 2026-11-02T10:45:00.000Z',
      'day:2026-11-02.1045-MNQ~2 S2 2026-11-02T10:45:00.000Z',
    ]);
    days.take({ timeZone: 'Europe/Berlin' });
    const inBerlin = [
      'day:2026-11-02.0945-MNQ S0 2026-11-02T08:45:00.000Z',
      'day:2026-11-02.1045-MNQ S1 2026-11-02T09:45:00.000Z',
      'day:2026-11-02.1045-MNQ~2 S2 2026-11-02T09:45:00.000Z',
    ];
    expect(times()).toEqual(inBerlin);
    // A new one of the same symbol and side is new.
    days.note('2026-11-02.md', '## Missed trades', '- 09:15 MNQ long, S3', ...lines);
    days.take({ timeZone: 'Europe/Berlin' });
    expect(times()).toEqual(
      [
        inBerlin[0],
        'day:2026-11-02.0815-MNQ S3 2026-11-02T08:15:00.000Z',
        ...inBerlin.slice(1),
      ].sort(),
    );
    // As if the zone of the user had been another.
    days.write(
      "UPDATE users SET timezone = 'Asia/Tokyo'; UPDATE imports SET options = NULL",
    );
    days.take();
    expect(times()).toHaveLength(4);
  });

  test('converts a risk in percent of the balance at entry, which it requires', () => {
    const days = new Days({ starting_balance: 965 });
    days.note('2026-11-02.md', '## 16:00 AAPL long', 'risk:: 2%');
    days.take();
    expect(days.records()['trades']).toMatchObject([
      { id: 't2', initial_risk: 20 },
      { id: 't1', initial_risk: 35 },
    ]);
  });
});

test.each([
  ['A+', 5],
  ['B', 4],
  ['c-', 3],
  ['D', 2],
  ['E', 1],
  ['F', 1],
])('the grade %s is a rating of %d', (grade, rating) => {
  expect(trade(`grade:: ${grade}`)).toMatchObject({ rating });
});
