/** Markdown notes: kinds, values, and their trades. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { undoImport } from '../../src/edit/undo.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import type { UserChanges } from '../../src/journal-write/users.ts';
import { inlineFields } from '../../src/notes/front-matter.ts';
import { ImportHome, TRADE } from '../import/home.ts';

/** A journal with a vault next to it. */
class Vault extends ImportHome {
  readonly vault = this.path('vault');

  constructor(user: UserChanges = {}) {
    super();
    this.withUser('me', user);
    mkdirSync(join(this.vault, '.obsidian'), { recursive: true });
  }

  note(path: string, ...lines: string[]): string {
    const file = join(this.vault, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  take(options: object = {}) {
    return this.import(this.vault, options);
  }

  refusalOfVault(): string {
    return this.refusalOf(this.vault).replace(this.vault, '');
  }
}

const session = (vault: Vault) => vault.everything()['sessions']?.[0];

test('a session from a vault: date in its name, tags with #, unchanged links', () => {
  const vault = new Vault();
  vault.note(
    'Journal/2026/2026-11-20 Friday.md',
    '---',
    'type: session',
    'aliases: [Opex]',
    'cssclasses: wide',
    'tags:',
    '  - "#a-plus"',
    '  - opex',
    'Went well: nothing that a session has',
    'mood: calm',
    'energy: 4',
    'sleep-hours: 7.5',
    'goals:',
    '  - wait for the retest',
    '  - text: two trades',
    '    met: true',
    'review.lesson: Wait.',
    'review.mistakes: [chased]',
    'market_context:',
    '  bias: bullish',
    '---',
    '',
    '# Plan',
    'Buy [[SPY]] above 680, see [[2026-11-19|yesterday]]. #not-a-tag-here',
    '',
  );
  const [file] = vault.take().files;
  expect(file).toMatchObject({
    format: 'markdown',
    resource: 'sessions',
    added: 1,
    rows: { read: 1 },
  });
  expect(file?.notes).toEqual([
    "times without an offset; using UTC, the user's time zone; pass --timezone if the file has another",
    'properties without a field, with the number of notes: went_well (1)',
  ]);
  expect(session(vault)).toMatchObject({
    id: expect.stringMatching(/^note:Journal~2026~2026-11-20-Friday\.[0-9a-f]{12}$/),
    date: '2026-11-20',
    notes: '# Plan\nBuy [[SPY]] above 680, see [[2026-11-19|yesterday]]. #not-a-tag-here',
    tags: ['a-plus', 'opex'],
    mood: 'calm',
    energy: 4,
    sleep_hours: 7.5,
    goals: [
      { text: 'wait for the retest', met: null },
      { text: 'two trades', met: true },
    ],
    market_context: { bias: 'bullish', key_levels: [], news: [], notes: null },
    review: { lesson: 'Wait.', mistakes: ['chased'], rating: null },
  });
});

test('a repeated note changes nothing, an edited one its record, and undo removes the notes', () => {
  const vault = new Vault();
  vault.note('Sessions/2026-11-20.md', 'As planned. #calm #1 `#code`');
  vault.note('Sessions/2026-11-19.md', '---', 'id: mine', '---', 'Late.');
  expect(vault.take().files).toMatchObject([{ added: 2 }]);
  expect(session(vault)).toMatchObject({
    id: 'note:Sessions~2026-11-20',
    notes: 'As planned. #calm #1 `#code`',
    tags: ['calm'],
  });
  const bytes = vault.hash();
  expect(vault.take().files).toMatchObject([{ added: 0, changed: 0, unchanged: 2 }]);
  expect(vault.hash()).toBe(bytes);

  // A note imported by itself is the same as in its folder.
  const file = vault.note(
    'Sessions/2026-11-20.md',
    '---',
    'tags: calm, late',
    '---',
    'Not as planned.',
  );
  expect(vault.import(file).files).toMatchObject([{ changed: 1 }]);
  expect(session(vault)).toMatchObject({
    notes: 'Not as planned.',
    tags: ['calm', 'late'],
  });

  // A note with an id is the same at any path.
  rmSync(join(vault.vault, 'Sessions/2026-11-19.md'));
  vault.note('Sessions/moved/2026-11-19.md', '---', 'id: mine', '---', 'Late.');
  expect(vault.take().files).toMatchObject([{ added: 0, unchanged: 2 }]);

  undoImport(vault.target);
  expect(session(vault)).toMatchObject({ notes: 'As planned. #calm #1 `#code`' });
  undoImport(vault.target);
  expect(vault.everything()['sessions']).toEqual([]);
});

test('other notes are skipped: hidden folders, templates, notes without a type, other types', () => {
  const vault = new Vault();
  vault.note('.obsidian/templates.json', '{"folder": "Templates"}');
  vault.note('.trash/2026-11-20.md', '---', 'type: session', '---');
  vault.note('Templates/session.md', '---', 'type: session', 'date: {{date}}', '---');
  vault.note('Shopping.md', 'Milk');
  vault.note('People/Ana.md', '---', 'type: person', '---');
  vault.note('image.png', '');
  vault.note('Weekly Reviews/2026-W47.md', 'A quiet week.');
  const report = vault.take();
  expect(report.files).toMatchObject([{ resource: 'weekly-reviews', added: 1 }]);
  expect(
    report.ignored.map(
      ({ file, reason }) => `${file.replace(vault.vault, '')} ${reason}`,
    ),
  ).toEqual([
    '/Templates a subfolder',
    '/image.png empty',
    ' 2 notes without the property "type", in no folder named after a resource',
  ]);
  expect(vault.everything()['weekly-reviews']).toMatchObject([
    { period_start: '2026-11-16', period_end: '2026-11-22', summary: 'A quiet week.' },
  ]);
});

test("entries and missed trades are in the user's zone", () => {
  const vault = new Vault({ timezone: 'America/New_York' });
  vault.import(vault.lines('trades.jsonl', TRADE));
  vault.note(
    'Missed/one.md',
    '---',
    'type: missed-trade',
    'date: 2026-11-20',
    'time: 10:05',
    'symbol: 7203',
    'market: stock',
    'side: long',
    'miss_type: away',
    '---',
    'Lunch.',
  );
  vault.note(
    'Entries/Chased it.md',
    '---',
    'type: entry',
    'trade: "[[t1]]"',
    'date: 2026-11-02',
    'phase: review',
    'followed plan: no',
    '---',
    'Late.',
  );
  vault.take();
  expect(vault.everything()['missed-trades']).toMatchObject([
    { missed_at: '2026-11-20T15:05:00.000Z', symbol: '7203', notes: 'Lunch.' },
  ]);
  expect(vault.everything()['trade-journals']).toMatchObject([
    {
      ...{
        trade_id: 't1',
        title: 'Chased it',
        phase: 'review',
        followed_plan: false,
        body: 'Late.',
      },
      created_at: '2026-11-02T05:00:00.000Z',
    },
  ]);
});

describe('an entry finds its trade', () => {
  const trades = [
    {
      ...TRADE,
      id: 'a',
      executed_at: '2026-11-02T14:30:20Z',
      closed_at: '2026-11-02T15:30:00Z',
    },
    {
      ...TRADE,
      id: 'b',
      executed_at: '2026-11-02T15:10:00Z',
      closed_at: '2026-11-04T15:30:00Z',
      side: 'short',
    },
    { ...TRADE, id: 'c', symbol: 'MSFT' },
  ];

  test.each([
    ['by its minute', ['symbol: aapl', 'time: 2026-11-02T14:30:00Z'], 'a'],
    ['by a local time', ['symbol: AAPL', 'date: 2026-11-02', 'time: "14:30"'], 'a'],
    [
      'by a time at which one was open',
      ['symbol: AAPL', 'time: 2026-11-03T10:00:00Z'],
      'b',
    ],
    ['by a day on which one was open', ['symbol: AAPL', 'date: 2026-11-04'], 'b'],
    ['by the symbol alone', ['symbol: MSFT'], 'c'],
    [
      'by its id, before all else',
      ['trade_id: c', 'symbol: AAPL', 'date: 2026-11-02'],
      'c',
    ],
  ])('%s', (_, lines, id) => {
    const vault = new Vault();
    vault.import(vault.lines('trades.jsonl', ...trades));
    vault.note('e.md', '---', 'type: entry', 'phase: review', ...lines, '---', 'x');
    vault.take();
    expect(vault.everything()['trade-journals']).toMatchObject([{ trade_id: id }]);
  });

  test.each([
    [
      ['symbol: AAPL', 'date: 2026-11-02'],
      '/e.md:1: trade_id: is missing, and there are 2 trades in AAPL at 2026-11-02T00:00:00.000Z: a (long, 2026-11-02T14:30:20.000Z), b (short, 2026-11-02T15:10:00.000Z); add the id of one',
    ],
    [
      ['symbol: AAPL', 'date: 2026-10-02'],
      '/e.md:1: trade_id: is missing, and there is no trade in AAPL at 2026-10-02T00:00:00.000Z; correct the symbol or time',
    ],
    [[], '/e.md:1: trade_id: is missing'],
  ])('%j: the error names the candidates', (lines, words) => {
    const vault = new Vault();
    vault.import(vault.lines('trades.jsonl', ...trades));
    vault.note('e.md', '---', 'type: entry', 'phase: review', ...lines, '---', 'x');
    expect(vault.refusalOfVault()).toBe(words);
    expect(vault.everything()['trade-journals']).toEqual([]);
  });

  test('in JSON Lines as well', () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', ...trades));
    const entry = {
      id: 'j',
      phase: 'review',
      symbol: 'MSFT',
      executed_at: '2026-11-02T14:30:00.000Z',
    };
    home.import(home.lines('trade-journals.jsonl', entry));
    expect(home.everything()['trade-journals']).toMatchObject([{ trade_id: 'c' }]);
  });
});

test.each([
  [
    ['---', 'energy: 9', '---'],
    /^\/Sessions\/2026-11-20\.md:1: energy: must be 5 or less; got 9$/,
  ],
  [
    ['---', 'date: 2026-02-30', '---'],
    /^\/Sessions\/2026-11-20\.md:1: date: must be a day that exists/,
  ],
  [
    ['---', 'notes: a', '---', 'b'],
    /:1: notes: is both a property and the text below; keep one$/,
  ],
])('%j is rejected, and nothing is written', (lines, words) => {
  const vault = new Vault();
  vault.note('Sessions/2026-11-20.md', ...lines);
  vault.note('Sessions/2026-11-19.md', 'fine');
  expect(vault.refusalOfVault()).toMatch(words);
  expect(vault.everything()['sessions']).toEqual([]);
});

test.each([
  [
    ['---', 'a: b: c', '---'],
    /^\/Sessions\/2026-11-20\.md:2: the properties are not valid YAML: /,
  ],
  [['---', '- a', '---'], /:2: the properties must be names with values/],
  [
    [
      '---',
      'a: &a [x, x]',
      ...'bcdefghijkl'
        .split('')
        .map((name, i) => `${name}: &${name} [${`*${'abcdefghijkl'[i]}, `.repeat(9)}]`),
      '---',
    ],
    /hold more than 10000 values$/,
  ],
  [['---', 'a: &a [*a]', '---'], /more than 20 deep$/],
  [
    ['---', 'a: 1', 'b: 2', 'a: 3', '---'],
    /2026-11-20\.md:4: the properties have "a" twice; keep one$/,
  ],
])('%j is reported, and other notes are imported', (lines, words) => {
  const vault = new Vault();
  vault.note('Sessions/2026-11-20.md', ...lines);
  vault.note('Sessions/2026-11-19.md', 'fine');
  const { ignored } = vault.take();
  expect(ignored.map(({ reason }) => reason.replace(vault.vault, ''))).toEqual([
    expect.stringMatching(words),
  ]);
  expect(vault.everything()['sessions']).toMatchObject([{ date: '2026-11-19' }]);
});

test('a single note without a type is an error', () => {
  const vault = new Vault();
  const file = vault.note('x.md', 'text');
  expect(vault.refusalOf(file)).toContain('unknown note type; add the property "type"');
  expect(
    vault.import(vault.note('2026-11-20.md', 'text'), { as: 'sessions' }).files,
  ).toMatchObject([{ added: 1 }]);
});

test('a mapping reads notes with other names', () => {
  const vault = new Vault();
  vault.note(
    'Tage/2026-11-20.md',
    '---',
    'Stimmung: ruhig',
    'Schlaf: 7,5',
    'Stichworte: [eins, zwei]',
    '---',
    'Wie geplant.',
  );
  const map = loadMapping(
    vault.file(
      'my.json',
      JSON.stringify({
        ...{ name: 'tage', target: 'sessions', decimal: ',' },
        fields: {
          id: 'path',
          date: 'file',
          mood: 'stimmung',
          sleep_hours: 'schlaf',
          tags: 'stichworte',
          notes: 'body',
        },
      }),
    ),
  );
  expect(vault.take({ map }).files).toMatchObject([
    { format: 'map:tage', resource: 'sessions', added: 1 },
  ]);
  expect(session(vault)).toMatchObject({
    ...{
      date: '2026-11-20',
      mood: 'ruhig',
      sleep_hours: 7.5,
      tags: ['eins', 'zwei'],
      notes: 'Wie geplant.',
    },
  });
  expect(vault.take({ map }).files).toMatchObject([{ unchanged: 1 }]);
});

describe('as vaults are published', () => {
  test('fields in the text, links for values, tags without commas', () => {
    const vault = new Vault({ timezone: 'America/New_York' });
    vault.import(vault.lines('trades.jsonl', { ...TRADE, symbol: 'SPY' }));
    vault.note(
      'Trades/Opening drive.md',
      '---',
      'type: entry',
      'phase: post_trade',
      'tags: opex trade/long',
      'mistakes: ["[[FOMO]]", "[[Rules/Chased the open|chased]]"]',
      '---',
      '- symbol:: [[Tickers/SPY|Spider]]',
      '**date**:: [[2026-11-02]]',
      'A plan, [confidence:: 4] and (followed plan:: true), see [[2026-11-01|the day before]].',
      'lesson:: Wait for the [[retest]].',
      'something:: that no entry has',
      '```',
      'confidence:: 1',
      '```',
    );
    const [file] = vault.take().files;
    expect(file).toMatchObject({ resource: 'trade-journals', added: 1 });
    expect(file?.notes.join()).not.toContain('no field takes');
    const [entry] = vault.everything()['trade-journals'] ?? [];
    expect(entry).toMatchObject({
      trade_id: 't1',
      tags: ['opex', 'trade/long'],
      mistakes: ['FOMO', 'Chased the open'],
      confidence: 4,
      followed_plan: true,
      lesson: 'Wait for the [[retest]].',
      body: expect.stringContaining('- symbol:: [[Tickers/SPY|Spider]]'),
    });
    expect(vault.take().files[0]).toMatchObject({ changed: 0, unchanged: 1 });
  });

  test.each([
    ['journals/2026_11_20.md', '2026-11-20'],
    ['Daily/20261120 Friday.md', '2026-11-20'],
    ['Daily/2026.11.20.md', '2026-11-20'],
  ])('the day is in the name of %s', (path, date) => {
    const vault = new Vault();
    vault.note(path, '---', 'type: session', 'tags: [[opex]]', '---', 'Calm.');
    vault.take();
    expect(session(vault)).toMatchObject({ date, tags: ['opex'] });
  });

  test("endless brackets aren't fields, and are read quickly", () => {
    const text = '[a:: '.repeat(50_000) + '[['.repeat(50_000);
    expect(inlineFields(text, new Map()).size).toBe(0);
  });

  test('an exported note is imported exactly, regardless of its text', () => {
    const vault = new Vault();
    vault.note(
      'a.md',
      '---',
      'type: session',
      'id: s1',
      'date: 2026-11-20',
      'mood: "[[calm]]"',
      '---',
      'energy:: 4',
    );
    vault.take();
    expect(session(vault)).toMatchObject({
      mood: '[[calm]]',
      energy: null,
      notes: 'energy:: 4',
    });
  });
});

test('front matter may end with three dots, and links to notes name them without .md', () => {
  const vault = new Vault();
  vault.note(
    'Journal/2026-11-20.md',
    '---',
    'type: session',
    'mood: "[[calm.md]]"',
    'energy: 4',
    '...',
    'Quiet.',
  );
  vault.take();
  expect(session(vault)).toMatchObject({
    date: '2026-11-20',
    mood: 'calm',
    energy: 4,
    notes: 'Quiet.',
  });
});
