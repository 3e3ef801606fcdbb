/** Notes that are imported again replace what they stated before. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { FileReport } from '../../src/import/report/report.ts';
import type { ListResource } from '../../src/journal/resource.ts';
import { sessions } from '../../src/journal/resources/sessions.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { userFor } from '../../src/journal-write/open.ts';
import { printedDay } from '../../src/notes/written-notes.ts';
import { runs } from '../effort.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const DAY = '2026-11-02';

const NOTE = `---
type: day
mood: calm
energy: 3
tags: [a, b]
---
## Plan
Two trades.

## 09:30 AAPL long <!-- t:t1 -->
setup:: ORB
rating:: 4
lesson:: Wait.

Held too long.

## Lesson
One entry.

## Missed trades

### 10:00 ES long
reason:: lunch

### 11:00 NQ short
reason:: froze
`;

class Vault extends ImportHome {
  readonly vault = join(this.folder, 'vault');

  constructor() {
    super();
    this.withUser();
    mkdirSync(join(this.vault, 'days'), { recursive: true });
    this.import(
      this.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2', symbol: 'MSFT' }),
    );
  }

  write_(text: string, name = `days/${DAY}.md`): string {
    return this.file(`vault/${name}`, text);
  }

  /** Imports the vault. */
  take(options = {}): FileReport {
    const { files } = this.import(this.vault, options);
    const counts = { added: 0, changed: 0, unchanged: 0 };
    for (const own of files)
      for (const name of ['added', 'changed', 'unchanged'] as const)
        counts[name] += own[name];
    return {
      ...(files[0] as FileReport),
      ...counts,
      notes: files.flatMap((own) => own.notes),
    };
  }

  put(resource: ListResource, values: Record<string, unknown>): void {
    const command = { name: 'annotate', line: 'annotate', resource };
    edit(this.target, command, (own) => void own.put(resource, values));
  }

  undo(id?: number): void {
    undoImport(this.target, id);
  }

  state(): unknown {
    return JSON.parse(
      JSON.stringify(this.everything(), (name, value) =>
        name === 'updated_at' ? undefined : value,
      ),
    );
  }

  count(): number {
    return this.rows('SELECT id FROM imports').length;
  }
}

function noted(): Vault {
  const home = new Vault();
  home.write_(NOTE);
  home.take();
  return home;
}

const removed = ({ notes }: FileReport) =>
  notes.filter((own) => own.startsWith('removed')).sort();

describe('what a note no longer says is gone', () => {
  test.each<[string, (text: string) => string, string, object[], string[]]>([
    [
      'a property',
      (text) => text.replace('energy: 3\n', ''),
      'sessions',
      [{ energy: null, mood: 'calm' }],
      ['energy of trading session day:2026-11-02: 3'],
    ],
    [
      'an item',
      (text) => text.replace('[a, b]', '[b]'),
      'sessions',
      [{ tags: ['b'] }],
      ['tags of trading session day:2026-11-02: ["a"]'],
    ],
    [
      'a line',
      (text) => text.replace('setup:: ORB\n', ''),
      'trades',
      [{ id: 't2' }, { setup: null, rating: 4 }],
      ['setup of trade t1: "ORB"'],
    ],
    [
      'a text',
      (text) => text.replace('## Lesson\nOne entry.\n', ''),
      'sessions',
      [{ plan: 'Two trades.' }],
      ['review.lesson of trading session day:2026-11-02: "One entry."'],
    ],
    [
      'a trade’s text',
      (text) => text.replace('lesson:: Wait.\n', ''),
      'trade-journals',
      [{ lesson: null, body: 'Held too long.' }],
      ['lesson of trade journal entry day:t1: "Wait."'],
    ],
    [
      'a missed trade',
      (text) => text.replace(/### 10:00[^#]*/, ''),
      'missed-trades',
      [{ symbol: 'NQ' }],
      ['missed trade day:2026-11-02.1000-ES'],
    ],
  ])('%s', (_what, edits, resource, after, gone) => {
    const home = noted();
    const before = home.state();
    home.write_(edits(NOTE));
    const trial = home.take({ dryRun: true });
    expect(home.state()).toEqual(before);
    const report = home.take();
    expect(removed(report)).toEqual(gone.map((own) => `removed ${own}`));
    expect(removed(trial)).toEqual(removed(report));
    expect(report).toMatchObject({ added: 0, changed: 1 });
    expect(home.everything()[resource]).toMatchObject(after);
    expect(home.findings()).toEqual([]);
    expect(home.take()).toMatchObject({ added: 0, changed: 0 });
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('a section of a trade', () => {
    const home = noted();
    const before = home.state();
    home.write_(NOTE.replace(/## 09:30[\s\S]*?(?=## Lesson)/, ''));
    expect(removed(home.take())).toEqual([
      'removed rating of trade t1: 4',
      'removed setup of trade t1: "ORB"',
      'removed trade journal entry day:t1',
    ]);
    expect(home.everything()).toMatchObject({
      trades: [{}, { id: 't1', setup: null, rating: null }],
      'trade-journals': [],
    });
    home.undo();
    expect(home.state()).toEqual(before);
  });

  test('all but the note', () => {
    const home = noted();
    home.write_('---\ntype: day\n---\n');
    home.take();
    expect(home.everything()).toMatchObject({
      sessions: [],
      'trade-journals': [],
      'missed-trades': [],
    });
    expect(home.everything()['trades']).toMatchObject([
      {},
      { setup: null, rating: null },
    ]);
    home.write_(NOTE);
    home.take();
    expect(home.everything()).toMatchObject({
      sessions: [{ mood: 'calm' }],
      'missed-trades': [{}, {}],
    });
  });

  test('unless another line states it', () => {
    const home = noted();
    home.put(trades, { id: 't1', setup: 'ORB' });
    home.import(
      home.lines('sessions.jsonl', { id: `day:${DAY}`, energy: 3, name: 'London' }),
    );
    home.write_(
      NOTE.replace('setup:: ORB\n', '')
        .replace('energy: 3\n', '')
        .replace('mood: calm\n', ''),
    );
    expect(removed(home.take())).toEqual([
      `removed mood of trading session day:${DAY}: "calm"`,
    ]);
    expect(home.everything()).toMatchObject({
      trades: [{}, { setup: 'ORB' }],
      sessions: [{ energy: 3, mood: null }],
    });
  });

  test('of a note of one record', () => {
    const home = new Vault();
    const note = (mood: string) =>
      `---\ntype: session\nid: s1\ndate: ${DAY}\n${mood}energy: 4\n---\nText.\n`;
    home.write_(note('mood: calm\n'), 's.md');
    home.take();
    home.write_(note(''), 's.md');
    expect(removed(home.take())).toEqual(['removed mood of trading session s1: "calm"']);
    expect(home.everything()['sessions']).toMatchObject([
      { id: 's1', mood: null, energy: 4 },
    ]);
  });
});

describe('a later line keeps its word', () => {
  test('if an unchanged note is imported again', () => {
    const home = noted();
    home.put(trades, { id: 't1', setup: 'Mine', rating: null });
    home.put(sessions, { id: `day:${DAY}`, mood: 'tense' });
    const [before, count] = [home.state(), home.count()];
    expect(home.take()).toMatchObject({ added: 0, changed: 0 });
    expect([home.state(), home.count()]).toEqual([before, count]);
  });

  test('if another field of the note changes, and the report names no other', () => {
    const home = noted();
    home.put(trades, { id: 't1', setup: 'Mine' });
    home.put(sessions, { id: `day:${DAY}`, mood: null });
    home.write_(
      NOTE.replace('rating:: 4', 'rating:: 5').replace('energy: 3', 'energy: 2'),
    );
    const { notes } = home.take();
    expect(home.everything()).toMatchObject({
      trades: [{}, { setup: 'Mine', rating: 5 }],
      sessions: [{ mood: null, energy: 2 }],
    });
    expect(notes.filter((own) => /^(?:removed|replaced)/.test(own))).toEqual([
      `replaced energy of trading session day:${DAY}: 3 is now 2`,
      'replaced rating of trade t1: 4 is now 5',
    ]);
  });

  test('until the note’s own word changes', () => {
    const home = noted();
    home.put(trades, { id: 't1', setup: 'Mine' });
    home.write_(NOTE.replace('setup:: ORB', 'setup:: Fade'));
    home.take();
    expect(home.everything()['trades']).toMatchObject([{}, { setup: 'Fade' }]);
    home.undo();
    expect(home.everything()['trades']).toMatchObject([{}, { setup: 'Mine' }]);
  });

  test('a removal, too', () => {
    const home = noted();
    const printed = printedDay(home.journal, userFor(home.journal, 'me'), DAY);
    const file = home.file(`${DAY}.md`, printed.replace(/### 10:00 ES[^#]*/, ''));
    home.import(file, { printed: { file, path: file, text: printed } });
    const symbols = () => home.everything()['missed-trades']?.map(({ symbol }) => symbol);
    expect(symbols()).toEqual(['NQ']);
    home.take();
    expect(symbols()).toEqual(['NQ']);
    home.write_(NOTE.replace('mood: calm', 'mood: tense'));
    home.take();
    expect(symbols()).toEqual(['NQ']);
    home.write_(NOTE.replace('reason:: lunch', 'reason:: call'));
    home.take();
    expect(symbols()).toEqual(['NQ', 'ES']);
  });
});

describe('a note', () => {
  test('of one record leaves no line if it is unchanged, and takes nothing back', () => {
    const home = new Vault();
    home.write_(
      `---\ntype: session\nid: s1\ndate: ${DAY}\nmood: calm\n---\nText.\n`,
      's.md',
    );
    home.take();
    const count = home.count();
    expect(home.take()).toMatchObject({ added: 0, changed: 0 });
    expect(home.count()).toBe(count);
    home.put(sessions, { id: 's1', mood: 'tense' });
    expect(home.take()).toMatchObject({ added: 0, changed: 0 });
    expect([home.count(), home.everything()['sessions']]).toMatchObject([
      count + 1,
      [{ mood: 'tense' }],
    ]);
  });

  test('that was moved keeps its former versions', () => {
    const home = noted();
    home.put(trades, { id: 't1', setup: 'Mine' });
    mkdirSync(join(home.vault, 'archive'));
    renameSync(join(home.vault, `days/${DAY}.md`), join(home.vault, `archive/${DAY}.md`));
    const before = home.state();
    expect(home.take()).toMatchObject({ added: 0, changed: 0 });
    expect(home.state()).toEqual(before);
    home.write_(
      NOTE.replace('rating:: 4\n', '').replace(/### 10:00[^#]*/, ''),
      `archive/${DAY}.md`,
    );
    expect(removed(home.take())).toEqual([
      `removed missed trade day:${DAY}.1000-ES`,
      'removed rating of trade t1: 4',
    ]);
    expect(home.everything()['trades']).toMatchObject([
      {},
      { setup: 'Mine', rating: null },
    ]);
  });

  test('that was moved and changed at once keeps them, too', () => {
    const home = noted();
    rmSync(join(home.vault, `days/${DAY}.md`));
    home.write_(
      NOTE.replace('energy: 3\n', '').replace('setup:: ORB\n', ''),
      `${DAY}.md`,
    );
    expect(removed(home.take())).toEqual([
      `removed energy of trading session day:${DAY}: 3`,
      'removed setup of trade t1: "ORB"',
    ]);
  });

  test('and another about the same day keep their own parts', () => {
    const home = noted();
    home.write_(
      `---\ntype: day\ndate: ${DAY}\nenergy: 3\ntags: [b, c]\n---\n## Went well\nSlept.\n`,
      'sleep.md',
    );
    home.take();
    expect(home.everything()['sessions']).toMatchObject([
      { energy: 3, tags: ['a', 'b', 'c'] },
    ]);
    home.write_(
      NOTE.replace('energy: 3\n', '')
        .replace('[a, b]', '[]')
        .replace('## Lesson\nOne entry.\n', ''),
    );
    expect(removed(home.take())).toEqual([
      `removed review.lesson of trading session day:${DAY}: "One entry."`,
      `removed tags of trading session day:${DAY}: ["a"]`,
    ]);
    expect(home.everything()['sessions']).toMatchObject([
      {
        energy: 3,
        mood: 'calm',
        tags: ['b', 'c'],
        review: { went_well: 'Slept.', lesson: null },
      },
    ]);
  });

  test('in a watched folder is followed as any other', () => {
    const home = new Vault();
    home.write_(NOTE);
    const take = () => {
      const path = join(home.vault, `days/${DAY}.md`);
      const [report] = home.import([path], { folder: home.vault, noLinks: true }).files;
      return report as FileReport;
    };
    take();
    home.put(trades, { id: 't1', setup: 'Mine' });
    expect(take()).toMatchObject({ added: 0, changed: 0 });
    home.write_(NOTE.replace('rating:: 4\n', '').replace(/### 10:00[^#]*/, ''));
    expect(removed(take())).toEqual([
      `removed missed trade day:${DAY}.1000-ES`,
      'removed rating of trade t1: 4',
    ]);
    expect(home.everything()['trades']).toMatchObject([
      {},
      { setup: 'Mine', rating: null },
    ]);
  });
});

/** Versions of a note, and commands between them. */
const STEP = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      setup: fc.constantFrom('', 'setup:: ORB\n', 'setup:: Fade\n'),
      mood: fc.constantFrom('', 'mood: calm\n', 'mood: tense\n'),
      lesson: fc.constantFrom('', 'lesson:: Wait.\n'),
      missed: fc.constantFrom(
        '',
        '### 10:00 ES long\nreason:: lunch\n',
        '### 10:00 ES long\nreason:: call\n',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('Mine', 'Fade') },
);
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

test('the line of any version undone leaves the journal as if it had never been', {
  timeout: 60_000,
}, () => {
  const given = (home: Vault, step: Step): number | undefined => {
    const before = home.count();
    if (typeof step === 'string') home.put(trades, { id: 't1', setup: step });
    else {
      const { setup, mood, lesson, missed } = step;
      const trade =
        setup + lesson === '' ? '' : `## AAPL long <!-- t:t1 -->\n${setup}${lesson}`;
      home.write_(`---\ntype: day\n${mood}---\n${trade}## Missed trades\n${missed}`);
      home.take();
    }
    if (home.count() === before) return undefined;
    return home.rows('SELECT max(id) AS id FROM imports')[0]?.['id'] as number;
  };
  const property = fc.property(
    fc.array(STEP, { minLength: 2, maxLength: 4 }),
    fc.nat(3),
    (steps, place) => {
      const [home, without] = [new Vault(), new Vault()];
      const lines = steps.map((step) => given(home, step));
      const undone = lines[place % steps.length];
      fc.pre(undone !== undefined);
      home.undo(undone);
      // What left no line was no statement.
      steps.forEach((step, index) => {
        if (lines[index] !== undefined && lines[index] !== undone) given(without, step);
      });
      expect(home.findings()).toEqual([]);
      expect(withoutIds(home)).toEqual(withoutIds(without));
    },
  );
  fc.assert(property, { numRuns: runs(100, 10) });
});

function withoutIds(home: Vault): unknown {
  return JSON.parse(
    JSON.stringify(home.everything(), (name, value) =>
      /^(?:id|updated_at|created_at)$/.test(name) ? undefined : value,
    ),
  );
}
