/** A printed day note reads back as the journal's day, whatever its values. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { findUser, openJournal, type User } from '../../src/journal/journal.ts';
import type { Values } from '../../src/journal-write/record.ts';
import { readDayNote } from '../../src/notes/day-note.ts';
import { printDay } from '../../src/notes/printing/print-note.ts';
import type { StoredDay } from '../../src/notes/printing/stored-day.ts';
import { printedDay } from '../../src/notes/written-notes.ts';
import { ZoneClock } from '../../src/time.ts';
import { runs } from '../effort.ts';
import { journal, settings, traderFields } from '../import/any-journal.ts';
import { ImportHome, TRADE } from '../import/home.ts';

/** Texts made of the syntax of notes. */
const PIECES = [
  ...[
    '## ',
    '# 2026-01-02',
    '- [x] ',
    '- ',
    '> [!note] ',
    '```',
    '---',
    '|',
    '| a | b |\n|---|---|\n| Setup | x |',
    '::',
    'setup:: ORB',
    'Setup: ORB',
  ],
  ...[
    '**Lesson:** x',
    '**What went well?**',
    '<!--',
    '-->',
    '<!-- body -->',
    '<!-- end of body -->',
    '<!-- t:x -->',
    '#tag',
    '![a](https://a.b/c)',
  ],
  ...[
    '09:30 ES long',
    '### Trade 2: ES short',
    '\n',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '-',
    '"',
    '[',
    ']',
    ',',
    ';',
    '=',
    ': ',
    'yes',
    'words',
    '1,234.5',
    '[[a|b]]',
    '*',
    '_',
    '😤',
    '{{date}}',
    '<%',
  ],
];
const text = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(''));
const words = fc.array(text, { minLength: 1, maxLength: 3 });
const rating = fc.integer({ min: 1, max: 5 });
const number = fc.oneof(
  fc
    .double({ min: -1e9, max: 1e9, noNaN: true, noDefaultInfinity: true })
    .map((value) => value + 0),
  fc.constantFrom(25290, 0.25, 1e-8, 123456.789),
);
const positive = number.map((value) => Math.abs(value) + 1e-8);

/** Values with those of fields that the trader named. */
const withNamed = (values: fc.Arbitrary<Values>): fc.Arbitrary<Values> =>
  fc.tuple(values, traderFields).map(([own, fields]) => ({
    ...own,
    ...Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`fields.${name}`, value] as const),
    ),
  }));

const trade = withNamed(
  fc.record(
    {
      ...{
        setup: text,
        stop_loss: number,
        take_profit: number,
        initial_risk: positive,
        timeframe: text,
        tags: words,
      },
      ...{
        mistakes: words,
        rating,
        emotions: words,
        followed_plan: fc.boolean(),
        confidence: rating,
        body: text,
      },
      rules: fc.array(fc.record({ rule: text, followed: fc.option(fc.boolean()) }), {
        minLength: 1,
        maxLength: 3,
      }),
      ...{ went_well: text, lesson: text },
    },
    { requiredKeys: [] },
  ),
);
/** A missed trade with some of the values of a trade. */
const missedOf = (
  { setup, stop_loss, tags, emotions, body, lesson, ...others }: Values,
  n: number,
) => ({
  ...{
    missed_at: `2026-11-02T15:0${n}:0${n}.000Z`,
    symbol: 'ES',
    side: 'short',
    miss_type: 'other',
  },
  hypothetical_outcome: 'unknown',
  ...JSON.parse(
    JSON.stringify({
      setup,
      planned_stop: stop_loss,
      tags,
      emotions,
      notes: body,
      lesson,
      reason: others['went_well'],
    }),
  ),
});

const session = withNamed(
  fc.record(
    {
      ...{
        name: text,
        plan: text,
        notes: text,
        mood: text,
        energy: rating,
        tags: words,
        sleep_hours: fc.double({ min: 0, max: 24, noNaN: true }),
      },
      goals: fc.array(fc.record({ text, met: fc.option(fc.boolean()) }), {
        minLength: 1,
        maxLength: 3,
      }),
      ...{
        'market_context.bias': text,
        'review.went_well': text,
        'review.lesson': text,
        'review.rating': rating,
      },
      ...{ 'review.followed_plan': fc.boolean(), 'review.mistakes': words },
    },
    { requiredKeys: [] },
  ),
);

test('any day is read back unchanged from its note', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(session, fc.array(trade, { maxLength: 3 }), (ofSession, all) => {
      const trades = all.map((values, index) => ({
        ...{
          id: `t${index}`,
          symbol: 'MISSED #1',
          side: 'long',
          executed_at: '2026-11-02T14:30:00.000Z',
        },
        ...{
          values,
          attachments: [{ url: 'https://a.b/c', caption: null }],
          result: '-1.50 USD, 1.0 R',
          hasTime: index !== 1,
        },
      }));
      const day = {
        date: '2026-11-02',
        session: ofSession,
        trades,
        missed: all.map(missedOf),
      };
      const note = printDay(day, 'America/New_York');
      const read = readDayNote(
        { file: 'x.md', path: 'x.md', text: note },
        { zone: 'America/New_York' },
      );
      expect(read.problems).toEqual([]);
      const [own, ...parts] = read.records;
      expect([own?.date, own?.values]).toEqual(['2026-11-02', ofSession]);
      const [missed, sections] = [
        parts.filter(({ clues }) => !clues),
        parts.filter(({ clues }) => clues),
      ];
      expect(missed.map(({ values }) => values)).toEqual(day.missed);
      expect(sections.map(({ values, clues }) => [clues?.id, values])).toEqual(
        trades.map(({ id, values }) => [id, values]),
      );
    }),
    { numRuns: runs(2000, 100) },
  );
});

const userOf = (home: ImportHome): User => {
  const file = openJournal(home.journal);
  try {
    return file.read((reader) => findUser(reader, 'me') as User);
  } finally {
    file.close();
  }
};

test('importing the notes of a random journal changes nothing', {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(journal, settings, (files, changes) => {
      const home = new ImportHome().withUser('me', changes);
      const written = Object.entries(files).filter(([, rows]) => rows.length > 0);
      home.import(written.map(([path, rows]) => home.lines(`${path}.jsonl`, ...rows)));
      const user = userOf(home);
      const clock = new ZoneClock(user.timezone);
      const { trades = [], sessions = [] } = home.everything();
      const days = [
        ...trades.map(({ executed_at }) => clock.dateOf(Date.parse(String(executed_at)))),
        ...sessions.map(({ date }) => String(date)),
      ];
      const bytes = home.hash();
      home.notes = [];
      const notes = [...new Set(days)].map((day) =>
        home.file(`${day}.md`, printedDay(home.journal, user, day)),
      );
      const report = home.import(notes);
      expect(
        report.files.map(({ added, changed, problems }) => [added, changed, problems]),
      ).toEqual(notes.map(() => [0, 0, []]));
      expect(home.hash()).toBe(bytes);
    }),
    { numRuns: runs(60, 4) },
  );
});

test('undo restores any edited note, row by row', { timeout: 60_000 }, () => {
  const home = new ImportHome().withUser();
  const trades = ['09:30:10', '09:30:50', '15:00:00'].map((time, index) => ({
    ...TRADE,
    ...{
      id: `t${index}`,
      executed_at: `2026-11-02T${time}Z`,
      closed_at: '2026-11-02T16:00:00Z',
      setup: index === 1 ? 'ORB' : null,
    },
  }));
  home.import(home.lines('trades.jsonl', ...trades));
  home.import(
    home.lines('trade-journals.jsonl', {
      id: 'e',
      trade_id: 't1',
      phase: 'post_trade',
      body: 'old',
      emotions: ['calm'],
    }),
  );
  home.import(
    home.lines('sessions.jsonl', {
      id: 's',
      date: '2026-11-02',
      plan: 'wait',
      goals: [{ text: 'a', met: null }],
      review: { lesson: 'x' },
    }),
  );
  const before = JSON.stringify(home.everything(), (name, value) =>
    name === 'updated_at' ? undefined : value,
  );
  const printed = printedDay(home.journal, userOf(home), '2026-11-02').split('\n');
  const edits = fc.array(fc.tuple(fc.nat(printed.length - 1), text), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(edits, fc.boolean(), fc.boolean(), (all, isAdded, isEdited) => {
      const lines = [...printed];
      for (const [index, own] of all)
        lines[index] =
          isAdded || lines[index]?.endsWith('::') ? `${lines[index]} ${own}` : own;
      const file = home.file('2026-11-02.md', `---\ntype: day\n---\n${lines.join('\n')}`);
      const editing = { printed: { file, path: file, text: printed.join('\n') } };
      const [report] = home.import(file, isEdited ? editing : {}).files;
      fc.pre(report !== undefined && report.added + report.changed > 0);
      const [{ id } = { id: 0 }] = home.rows('SELECT max(id) AS id FROM imports') as {
        id: number;
      }[];
      const after = home.everything();
      if (isEdited) {
        const again = changeImport({ ...home.target, id, given: {} }, 'import change');
        expect([again.import, home.everything()]).toEqual([null, after]);
      }
      undoImport(home.target);
      expect(
        JSON.stringify(home.everything(), (name, value) =>
          name === 'updated_at' ? undefined : value,
        ),
      ).toBe(before);
    }),
    { numRuns: runs(400, 8) },
  );
});

test('only texts that would be read otherwise are between markers', () => {
  const day: StoredDay = {
    date: '2026-11-20',
    session: {
      mood: 'calm',
      tags: ['fomc', 'opex'],
      goals: [{ text: 'wait', met: true }],
      notes: '## TSLA\nsetup:: Fade',
    },
    trades: [],
    missed: [],
  };
  const printed = printDay(day, 'UTC');
  for (const lines of [
    'mood: calm\n',
    'tags: [fomc, opex]\n',
    '## Goals\n- [x] wait\n',
    '<!-- notes -->\n## TSLA\nsetup:: Fade\n<!-- end of notes -->\n',
  ])
    expect(printed).toContain(lines);
});
