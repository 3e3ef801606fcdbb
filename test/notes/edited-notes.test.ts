/** Notes of days and weeks, edited: what differs from the printed text is stored, deletions too. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { FileReport } from '../../src/import/report/report.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { userFor } from '../../src/journal-write/open.ts';
import { printedDay, printedWeek } from '../../src/notes/written-notes.ts';
import { runs } from '../effort.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const DAY = '2026-11-02';
const MONDAY = '2026-11-02';

type Edits = (text: string) => string;

class Home extends ImportHome {
  constructor(timezone = 'UTC') {
    super();
    this.withUser('me', { timezone });
  }

  print(day = DAY): string {
    return printedDay(this.journal, userFor(this.journal, 'me'), day);
  }

  printWeek(): string {
    return printedWeek(this.journal, userFor(this.journal, 'me'), MONDAY);
  }

  /** Imports a text that was edited, if it has no errors. */
  save(printed: string, text: string, name = DAY): FileReport {
    const file = this.file(`${name}.md`, text);
    const take = (dryRun: boolean) => {
      const [report] = this.import(file, {
        printed: { file, path: file, text: printed },
        dryRun,
      }).files;
      return report as FileReport;
    };
    const trial = take(true);
    return trial.problems.length > 0 ? trial : take(false);
  }

  edit(edits: Edits, day = DAY): FileReport {
    const printed = this.print(day);
    return this.save(printed, edits(printed), day);
  }

  annotate(values: Record<string, unknown>): void {
    const command = { name: 'annotate', line: 'annotate', resource: trades };
    edit(this.target, command, (own) => void own.put(trades, { id: 't1', ...values }));
  }

  undo(id?: number): void {
    undoImport(this.target, id);
  }

  /** All that keys may read, without times of writing. */
  state(): unknown {
    return JSON.parse(
      JSON.stringify(this.everything(), (name, value) =>
        name === 'updated_at' ? undefined : value,
      ),
    );
  }

  lines_(): number {
    return this.rows('SELECT id FROM imports').length;
  }
}

const MISSED = {
  id: 'm1',
  missed_at: '2026-11-02T15:00:00Z',
  symbol: 'ES',
  market: 'future',
  side: 'long',
  miss_type: 'away',
  reason: 'lunch',
};

let filled: Buffer | undefined;

/** A journal whose day has values of every kind, each stated by a file; copied from the first. */
function full(): Home {
  const home = new Home();
  if (filled) writeFileSync(home.journal, filled);
  else filled = fill(home).bytes();
  return home;
}

function fill(home: Home): Home {
  const rules = [
    { rule: 'wait', followed: true },
    { rule: 'stop', followed: null },
  ];
  home.import([
    home.lines('trades.jsonl', {
      ...TRADE,
      setup: 'ORB',
      tags: ['a', 'b'],
      rating: 4,
      stop_loss: 90,
    }),
    home.lines('trade-journals.jsonl', {
      ...{
        id: 'e1',
        trade_id: 't1',
        phase: 'post_trade',
        body: 'Held.',
        lesson: 'Wait.',
        rules,
      },
      emotions: ['calm'],
    }),
    home.lines('sessions.jsonl', {
      ...{
        id: 's1',
        date: DAY,
        mood: 'calm',
        energy: 3,
        tags: ['x'],
        notes: 'Slow.',
        plan: 'Two trades.',
      },
      goals: [
        { text: 'one', met: true },
        { text: 'two', met: false },
      ],
      review: { lesson: 'One entry.', rating: 2, mistakes: ['late'] },
      market_context: { bias: 'up' },
    }),
    home.lines('missed-trades.jsonl', MISSED, { ...MISSED, id: 'm2', reason: 'call' }),
    home.lines('weekly-reviews.jsonl', {
      ...{
        id: 'w1',
        period_start: MONDAY,
        period_end: '2026-11-08',
        summary: 'Fine.',
        lesson: 'Less.',
        rating: 3,
      },
      next_goals: ['sleep', 'wait'],
    }),
  ]);
  return home;
}

const without = (words: string) => (text: string) => {
  expect(text).toContain(words);
  return text.replace(words, '');
};
const instead = (words: string, others: string) => (text: string) => {
  expect(text).toContain(words);
  return text.replace(words, others);
};
const section = (heading: RegExp) => (text: string) => {
  expect(text).toMatch(heading);
  return text.replace(new RegExp(`${heading.source}[\\s\\S]*?(?=\\n## |$)`), '');
};

type Case = [what: string, Edits, resource: string, after: object, notes: string[]];
const CASES: Case[] = [
  [
    'a value emptied',
    instead('setup:: ORB', 'setup::'),
    'trades',
    { setup: null, rating: 4 },
    ['setup of trade t1: "ORB"'],
  ],
  [
    'a line deleted',
    without('setup:: ORB\n'),
    'trades',
    { setup: null },
    ['setup of trade t1: "ORB"'],
  ],
  [
    'a dash',
    instead('rating:: 4', 'rating:: -'),
    'trades',
    { rating: null },
    ['rating of trade t1: 4'],
  ],
  [
    'an item deleted',
    instead('tags:: a, b', 'tags:: b, c'),
    'trades',
    { tags: ['b', 'c'] },
    ['tags of trade t1: ["a"]'],
  ],
  [
    'a list emptied',
    instead('tags:: a, b', 'tags::'),
    'trades',
    { tags: [] },
    ['tags of trade t1: ["a","b"]'],
  ],
  [
    'a property emptied',
    instead('mood: calm', 'mood:'),
    'sessions',
    { mood: null },
    ['mood of trading session s1: "calm"'],
  ],
  [
    'a property deleted',
    without('energy: 3\n'),
    'sessions',
    { energy: null, mood: 'calm' },
    ['energy of trading session s1: 3'],
  ],
  [
    'a dash below a heading',
    instead('## Lesson\nOne entry.', '## Lesson\n-'),
    'sessions',
    { review: expect.objectContaining({ lesson: null, rating: 2 }) },
    ['review.lesson of trading session s1: "One entry."'],
  ],
  [
    'a heading deleted with its text',
    without('## Plan\nTwo trades.'),
    'sessions',
    { plan: null },
    ['plan of trading session s1: "Two trades."'],
  ],
  [
    'a goal deleted',
    without('- [ ] two\n'),
    'sessions',
    { goals: [{ text: 'one', met: true }] },
    ['goals of trading session s1: [{"text":"two","met":false}]'],
  ],
  [
    'an entry’s text deleted',
    without('Held.'),
    'trade-journals',
    { body: null, lesson: 'Wait.' },
    ['body of trade journal entry e1: "Held."'],
  ],
];

describe('what is deleted in an edited note is deleted, and comes back by undo', () => {
  test.each(CASES)('%s', (_what, edits, resource, after, gone) => {
    const home = full();
    const before = home.state();
    const report = home.edit(edits);
    expect(report.problems).toEqual([]);
    expect(home.everything()[resource]?.[0]).toMatchObject(after);
    expect(report.notes.filter((own) => own.startsWith('removed'))).toEqual(
      gone.map((own) => `removed ${own}`),
    );
    expect(home.findings()).toEqual([]);
    expect(home.edit((text) => text)).toMatchObject({ added: 0, changed: 0 });
    expect(home.state()).not.toEqual(before);
    expect(home.lines_()).toBe(6);
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('a missed trade’s section, of two alike', () => {
    const home = full();
    const before = home.state();
    const report = home.edit((text) =>
      text.replace(/\n### 15:00 ES long\nsetup::\nreason:: lunch\n[^#]*/, '\n'),
    );
    expect(report.notes).toContain('removed missed trade m1');
    expect(home.everything()['missed-trades']).toMatchObject([
      { id: 'm2', reason: 'call' },
    ]);
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('a trade’s section: its labels, and its entry as a whole', () => {
    const home = full();
    const before = home.state();
    const report = home.edit(section(/## \d\d:\d\d AAPL long <!-- t:t1 -->/));
    expect(report.notes).toContain('removed trade journal entry e1');
    expect(home.everything()).toMatchObject({
      trades: [{ id: 't1', setup: null, tags: [], rating: null, stop_loss: null }],
      'trade-journals': [],
    });
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('an entry with what a note doesn’t print stays', () => {
    const home = full();
    home.import(home.lines('trade-journals.jsonl', { id: 'e1', title: 'Mine' }));
    home.edit(section(/## \d\d:\d\d AAPL long <!-- t:t1 -->/));
    expect(home.everything()['trade-journals']).toMatchObject([
      { id: 'e1', title: 'Mine', body: null, rules: [] },
    ]);
  });

  test('a picture, and tags that are in the text, too', () => {
    const home = full();
    home.edit(instead('Held.', 'Held. #a ![x](https://a.example/x.png)'));
    home.import(
      home.lines('trade-journals.jsonl', {
        id: 'e1',
        attachments: [{ url: 'https://a.example/y' }],
      }),
    );
    home.edit((text) =>
      text
        .replace(' ![x](https://a.example/x.png)', ' #c')
        .replace('tags:: a, b', 'tags::'),
    );
    expect(home.everything()).toMatchObject({
      trades: [{ tags: ['c'] }],
      'trade-journals': [
        { attachments: [{ url: 'https://a.example/y' }], body: 'Held. #a #c' },
      ],
    });
  });

  test('everything', () => {
    const home = full();
    const before = home.state();
    home.edit(() => `---\ntype: day\ndate: ${DAY}\n---\n`);
    expect(home.everything()).toMatchObject({
      trades: [{ setup: null }],
      'trade-journals': [],
      'missed-trades': [],
      sessions: [
        {
          mood: null,
          notes: null,
          goals: [],
          review: null,
          market_context: null,
          tags: [],
        },
      ],
    });
    expect(home.findings()).toEqual([]);
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('in the review of a week', () => {
    const home = full();
    const before = home.state();
    const printed = home.printWeek();
    const text = without('Fine.')(
      instead('- sleep\n', '')(instead('rating: 3', 'rating:')(printed)),
    );
    expect(home.save(printed, text, '2026-W45').notes).toEqual(
      expect.arrayContaining([
        'removed summary of weekly review w1: "Fine."',
        'removed rating of weekly review w1: 3',
      ]),
    );
    expect(home.everything()['weekly-reviews']).toMatchObject([
      { summary: null, rating: null, lesson: 'Less.', next_goals: ['wait'] },
    ]);
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('whichever line stated it, also once that line goes', () => {
    const home = full();
    home.annotate({ setup: 'Mine' });
    home.edit(instead('setup:: Mine', 'setup::'));
    home.undo(6);
    expect(home.everything()['trades']).toMatchObject([{ setup: null }]);
    home.undo();
    expect(home.everything()['trades']).toMatchObject([{ setup: 'ORB' }]);
  });

  test('also what a note states that is imported again', () => {
    const home = new Home();
    const note = (mood: string) =>
      `---\ntype: day\ndate: ${DAY}\nmood: ${mood}\n---\n## Lesson\nWait.\n`;
    home.import(home.file('vault.md', note('calm')));
    home.edit(without('Wait.'));
    home.import(home.file('vault.md', note('tense')));
    expect(home.everything()['sessions']).toMatchObject([
      { mood: 'tense', review: null },
    ]);
  });
});

describe('an edited note', () => {
  test('that is unchanged leaves no line', () => {
    const home = full();
    const hash = home.hash();
    expect(home.edit((text) => text)).toMatchObject({
      added: 0,
      changed: 0,
      problems: [],
    });
    expect(home.edit((text) => text.replaceAll('\n', '\r\n'))).toMatchObject({
      added: 0,
      changed: 0,
    });
    expect(home.hash()).toBe(hash);
  });

  test('is the statement of its line only', () => {
    const home = full();
    home.edit(instead('mood: calm', 'mood: tense'));
    expect(home.rows("SELECT path FROM import_records WHERE path <> ''")).toEqual([]);
    expect(home.rows('SELECT path FROM imports ORDER BY id DESC LIMIT 1')).toEqual([
      { path: null },
    ]);
  });

  test('keeps a missed trade whose time is corrected, and adds a new one', () => {
    const home = full();
    home.edit(
      (text) =>
        `${text.replace('### 15:00 ES long', '### 15:05 ES long')}\n### 16:00 NQ short\nreason:: froze\n`,
    );
    expect(home.everything()['missed-trades']).toMatchObject([
      { symbol: 'NQ', miss_type: 'hesitated' },
      { id: 'm1', missed_at: '2026-11-02T15:05:00.000Z', reason: 'lunch' },
      { id: 'm2', missed_at: '2026-11-02T15:00:00.000Z' },
    ]);
    home.undo();
    expect(home.everything()['missed-trades']).toMatchObject([
      { id: 'm2' },
      { id: 'm1' },
    ]);
  });

  test('finds a section again whose id was deleted', () => {
    const home = full();
    home.edit((text) =>
      text.replace(' <!-- t:t1 -->', '').replace('setup:: ORB', 'setup:: Fade'),
    );
    expect(home.everything()).toMatchObject({
      trades: [{ setup: 'Fade', rating: 4 }],
      'trade-journals': [{ id: 'e1' }],
    });
  });

  test('puts items in their order', () => {
    const home = full();
    home.edit(instead('- [x] one', '- zero\n- [x] one'));
    const goals = ['zero', 'one', 'two'].map((text) => expect.objectContaining({ text }));
    expect(home.everything()['sessions']).toMatchObject([{ goals }]);
    home.edit(instead('- [ ] two', '- [x] two'));
    expect(home.everything()['sessions']?.[0]?.['goals']).toEqual([
      { text: 'zero', met: null },
      { text: 'one', met: true },
      { text: 'two', met: true },
    ]);
  });

  test.each<[string, Edits, string]>([
    [
      'an open code block',
      (text) => text.replace('## Plan', '```\n## Plan'),
      'this is no heading of trade t1',
    ],
    [
      'a heading of a template',
      (text) => text.replace('## Plan', '# YYYY-MM-DD\n## Plan'),
      'make the note a template',
    ],
    ['broken properties', (text) => text.replace('mood: calm', 'mood: [calm'), ''],
  ])('with %s deletes nothing', (_what, edits, words) => {
    const home = full();
    const before = home.state();
    const printed = home.print();
    let problems: { message: string }[] = [];
    try {
      problems = home.save(printed, edits(printed)).problems;
    } catch (error) {
      problems = [error as Error];
    }
    expect(problems.map(({ message }) => message).join('\n')).toContain(words);
    expect(problems).not.toEqual([]);
    expect(home.state()).toEqual(before);
  });

  test('may have a megabyte of text, which a second edit deletes', () => {
    const home = full();
    const text = 'A long line of a day in which much was written down.\n'
      .repeat(20_000)
      .trim();
    home.edit(instead('Slow.', text));
    expect(home.everything()['sessions']).toMatchObject([{ notes: text }]);
    home.edit(instead(text, 'Slow.'));
    expect(home.everything()['sessions']).toMatchObject([{ notes: 'Slow.' }]);
  });

  test('of a day on which clocks change keeps all trades and missed trades', () => {
    const home = new Home('America/New_York');
    const day = '2026-11-01';
    const at = (hour: string) => `2026-11-01T${hour}:30:00Z`;
    home.import([
      home.lines(
        'trades.jsonl',
        { ...TRADE, executed_at: at('05'), closed_at: at('06') },
        {
          ...TRADE,
          ...{ id: 't2', executed_at: at('06'), closed_at: at('07') },
        },
      ),
      home.lines(
        'missed-trades.jsonl',
        { ...MISSED, missed_at: at('05') },
        { ...MISSED, id: 'm2', missed_at: at('06') },
      ),
    ]);
    const before = home.state();
    expect(home.edit((text) => text, day)).toMatchObject({ changed: 0, problems: [] });
    expect(
      home.edit((text) => text.replace(/(t:t2[\s\S]*?setup::)/, '$1 Fade'), day).problems,
    ).toEqual([]);
    expect(home.everything()['trades']).toMatchObject([
      { id: 't2', setup: 'Fade' },
      { id: 't1', setup: null },
    ]);
    expect(home.everything()['missed-trades']).toHaveLength(2);
    home.undo();
    expect(home.state()).toEqual(before);
  });
});

describe('what changed while the note was open', () => {
  test.each<[string, Edits, string]>([
    ['overwritten', instead('setup:: ORB', 'setup:: Fade'), '"Fade" wasn\'t stored'],
    ['deleted', instead('setup:: ORB', 'setup::'), "its removal wasn't stored"],
  ])('isn’t %s; other fields are stored', (_what, edits, words) => {
    const home = full();
    const printed = home.print();
    home.annotate({ setup: 'Theirs' });
    const report = home.save(printed, edits(printed).replace('rating:: 4', 'rating:: 5'));
    expect(report.refused).toEqual([
      `setup of trade t1 changed while the note was open: it was "ORB" and is now "Theirs"; ${words}`,
    ]);
    expect(home.everything()['trades']).toMatchObject([{ setup: 'Theirs', rating: 5 }]);
  });

  test('by another editor is kept, unless both wrote the same', () => {
    const home = full();
    const printed = home.print();
    const first = home.save(
      printed,
      printed.replace('mood: calm', 'mood: tense').replace('energy: 3', 'energy: 4'),
    );
    const second = home.save(
      printed,
      printed.replace('mood: calm', 'mood: tense').replace('energy: 3', 'energy: 5'),
    );
    expect([first.refused, second.refused]).toEqual([
      undefined,
      [expect.stringContaining('energy of trading session s1')],
    ]);
    expect(home.everything()['sessions']).toMatchObject([{ mood: 'tense', energy: 4 }]);
  });

  test('of two editors that change other fields and other items, all is stored', () => {
    const home = full();
    const printed = home.print();
    home.save(printed, instead('tags:: a, b', 'tags:: a, b, c')(printed));
    const second = home.save(
      printed,
      instead('tags:: a, b', 'tags:: b')(printed).replace('rating:: 4', 'rating:: 1'),
    );
    expect(second.refused).toBeUndefined();
    expect(home.everything()['trades']).toMatchObject([{ tags: ['b', 'c'], rating: 1 }]);
  });

  test('of a missed trade keeps it', () => {
    const home = full();
    const printed = home.print();
    home.write("UPDATE missed_trades SET reason = 'theirs' WHERE id = 'm1'");
    const report = home.save(
      printed,
      printed.replace(/\n### 15:00 ES long\nsetup::\nreason:: lunch\n[^#]*/, '\n'),
    );
    expect(report.refused).toEqual([
      'reason of missed trade m1 changed while the note was open: it was "lunch" and is now "theirs"; its removal wasn\'t stored',
    ]);
    expect(home.everything()['missed-trades']).toHaveLength(2);
  });

  test('that removed a record brings it back by no unchanged text', () => {
    const home = full();
    const printed = home.print();
    home.write(
      'DELETE FROM missed_trades; DELETE FROM trade_journals; DELETE FROM sessions',
    );
    home.save(printed, printed.replace('rating:: 4', 'rating:: 5'));
    const { sessions, ...left } = home.everything();
    expect([sessions, left['missed-trades'], left['trade-journals']]).toEqual([
      [],
      [],
      [],
    ]);
    expect(left['trades']).toMatchObject([{ rating: 5 }]);
  });
});

describe('import change of an edited note', () => {
  const change = (home: Home, given = {}) =>
    changeImport({ ...home.target, id: 6, given }, 'import change 6');

  test.each<[string, Edits]>([
    ...CASES.map(([what, edits]): [string, Edits] => [what, edits]),
    ['everything deleted', () => `---\ntype: day\ndate: ${DAY}\n---\n`],
    [
      'a missed trade deleted, another moved',
      (text) =>
        text
          .replace(/\n### 15:00 ES long\nsetup::\nreason:: lunch\n[^#]*/, '\n')
          .replace('### 15:00', '### 15:10'),
    ],
    ['a trade’s section deleted', section(/## \d\d:\d\d AAPL long <!-- t:t1 -->/)],
    ['a missed trade added', (text) => `${text}\n### 16:00 NQ short\nreason:: froze\n`],
  ])('reads the same again: %s', (_what, edits) => {
    const home = full();
    home.edit(edits);
    const [state, rows] = [
      home.state(),
      home.rows('SELECT * FROM import_records WHERE import_id = 6'),
    ];
    expect(change(home)).toMatchObject({ import: null, records: 0 });
    expect(home.rows('SELECT * FROM import_records WHERE import_id = 6')).toEqual(rows);
    expect(home.state()).toEqual(state);
  });

  test('states nothing that was refused', () => {
    const home = full();
    const printed = home.print();
    home.write("UPDATE trades SET setup = 'Theirs'");
    home.save(
      printed,
      printed.replace('setup:: ORB', 'setup:: Fade').replace('rating:: 4', 'rating:: 5'),
    );
    expect(change(home)).toMatchObject({ import: null, records: 0 });
    expect(home.everything()['trades']).toMatchObject([{ setup: 'Theirs', rating: 5 }]);
  });

  test('in another zone moves its missed trades', () => {
    const home = full();
    home.edit((text) => `${text}\n### 16:00 NQ short\nreason:: froze\n`);
    change(home, { timezone: 'Etc/GMT+1' });
    expect(home.everything()['missed-trades']).toMatchObject([
      { symbol: 'NQ', missed_at: '2026-11-02T17:00:00.000Z' },
      { id: 'm2', missed_at: '2026-11-02T15:00:00.000Z' },
      { id: 'm1', missed_at: '2026-11-02T15:00:00.000Z' },
    ]);
  });
});

test('a note that is printed, edited and printed again is as it was saved', () => {
  const word = fc.constantFrom('', 'ORB', 'two words', 'naïve', '-', '1', 'a, b');
  const values = {
    setup: word,
    mood: fc.constantFrom('', 'calm', 'so-so'),
    tags: fc.constantFrom('', 'x', 'x, y'),
    Lesson: word,
    Plan: word,
  };
  const steps = fc.array(fc.record(values, { requiredKeys: [] }), {
    minLength: 1,
    maxLength: 4,
  });
  const normalised = (text: string) =>
    text
      .replaceAll(/(?<=\n)[-–—]\n|(?<=::) -$/gm, '')
      .replaceAll(/\n{2,}/g, '\n')
      .replace(/tags: .*/, '');
  const home = full();
  fc.assert(
    fc.property(steps, (all) => {
      for (const step of all) {
        let text = home.print();
        for (const [name, value] of Object.entries(step)) {
          if (/^[A-Z]/.test(name))
            text = text.replace(new RegExp(`(## ${name}\n)[^#]*`), `$1${value}\n\n`);
          else if (name === 'mood')
            text = text.replace(/mood:.*/, value === '' ? 'mood:' : `mood: ${value}`);
          else
            text = text.replace(
              new RegExp(`${name}::.*`),
              `${name}:: ${value}`.trimEnd(),
            );
        }
        expect(home.save(home.print(), text).problems).toEqual([]);
        expect(normalised(home.print())).toBe(normalised(text));
      }
    }),
    { numRuns: runs(100, 8) },
  );
  expect(home.findings()).toEqual([]);
});
