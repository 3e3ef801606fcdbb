/** Fields that traders name: every way in, what is kept of them, and what a file or note no longer says. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { undoImport } from '../../src/edit/undo.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { userFor } from '../../src/journal-write/open.ts';
import { printedDay } from '../../src/notes/written-notes.ts';
import { runs } from '../effort.ts';
import { traderFields } from './any-journal.ts';
import { ImportHome, TRADE } from './home.ts';

const DAY = '2026-11-02';

/** A journal with the trade t1 of AAPL, entered on the day. */
function journal(): ImportHome {
  const home = new ImportHome().withUser('me', { timezone: 'UTC' });
  home.import(home.lines('trades.jsonl', TRADE));
  return home;
}

const fieldsOf = (home: ImportHome, resource: string) =>
  home.everything()[resource]?.map(({ fields }) => fields);

const note = (...lines: string[]) =>
  `---\ntype: day\ndate: ${DAY}\n---\n${lines.join('\n')}\n`;

/** Imports a day's note with a section of t1. @returns what its trade and its session have */
function noted(lines: string[], top: string[] = []) {
  const home = journal();
  const [report] = home.import(
    home.file(
      `${DAY}.md`,
      `---\ntype: day\ndate: ${DAY}\n${top.map((line) => `${line}\n`).join('')}---\n## AAPL <!-- t:t1 -->\n${lines.join('\n')}\n`,
    ),
  ).files;
  expect(report?.problems).toEqual([]);
  return {
    home,
    trade: fieldsOf(home, 'trades')?.[0],
    session: fieldsOf(home, 'sessions')?.[0],
  };
}

const LONGEST = 'n'.repeat(40);

test.each<[what: string, line: string, fields: object]>([
  ['a number', 'confluence:: 3', { confluence: 3 }],
  ['a decimal comma', 'vix:: 18,5', { vix: 18.5 }],
  ['thousands', 'volume:: 1,234,567', { volume: 1_234_567 }],
  ['a negative number', 'delta:: -0.25', { delta: -0.25 }],
  ['text', 'phase:: late Review', { phase: 'late Review' }],
  ['a fraction', 'checks:: 3/5', { checks: '3/5' }],
  ['an answer', 'ready:: true', { ready: 'true' }],
  ['a date', 'seen:: 2026-11-01', { seen: '2026-11-01' }],
  ['leading zeros', 'code:: 007', { code: '007' }],
  ['a link', 'book:: [[Playbook/ORB|the orb]]', { book: 'ORB' }],
  ['a bullet and bold', '- **Edge**:: A', { edge: 'A' }],
  ['capitals', 'Market-Phase:: x', { 'market-phase': 'x' }],
  ['spaces', 'Market Phase:: x', { market_phase: 'x' }],
  ['another script', 'μέγεθος:: μικρό', { μέγεθοσ: 'μικρό' }],
  ['combining marks', 'स्तर:: 2', { स्तर: 2 }],
  ['names of JavaScript', '__proto__:: 1', { ['__proto__']: 1 }],
  ['others of these', 'constructor:: x', { constructor: 'x' }],
  ['the longest name', `${LONGEST}:: 1`, { [LONGEST]: 1 }],
  ['the longest value', `v:: ${'x'.repeat(100)}`, { v: 'x'.repeat(100) }],
  ['a dash, which empties', 'phase:: -', {}],
  ['nothing', 'phase::', {}],
  ['the name of a field of the record', 'sl:: 90', {}],
  ['a name that is too long', `${LONGEST}n:: 1`, {}],
  ['a value that is too long', `v:: ${'x'.repeat(101)}`, {}],
  ['one colon', 'Confluence: 3', {}],
])('a line with %s', (_what, line, fields) => {
  const { trade } = noted([line]);
  expect(Object.entries(trade as object)).toEqual(Object.entries(fields));
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

describe('a note', () => {
  test('states fields of the session by its properties, a list as one text', () => {
    const { session } = noted(
      [],
      ['vix: 18', 'watch: [AAPL, "[[MSFT]]"]', 'sure: true', 'none:'],
    );
    expect(session).toEqual({ vix: 18, watch: 'AAPL; MSFT', sure: 'true' });
  });

  test('keeps no field of a trade for the session, and names it', () => {
    const home = journal();
    home.import(home.file(`${DAY}.md`, note('setup:: Fade', 'vix:: 18')));
    expect(fieldsOf(home, 'sessions')).toEqual([{ vix: 18 }]);
    expect(home.everything()['sessions']?.[0]?.['notes']).toBe('setup:: Fade');
  });

  test('states those of a table of fields and values', () => {
    const { trade } = noted([
      '| Field | Value |',
      '|---|---|',
      '| Confluence | 3 |',
      '| SL | 90 |',
    ]);
    expect(trade).toEqual({ confluence: 3 });
  });

  test('states those of the columns of a table of trades; a long cell is text', () => {
    const home = journal();
    const long = 'x'.repeat(101);
    const table = [
      '| Time | Symbol | Confluence | Story |',
      '|---|---|---|---|',
      `| 14:30 | AAPL | 3 | ${long} |`,
    ];
    home.import(home.file(`${DAY}.md`, note(...table)));
    expect(fieldsOf(home, 'trades')).toEqual([{ confluence: 3 }]);
    expect(home.everything()['trade-journals']?.[0]?.['body']).toBe(`Story: ${long}`);
  });

  test('has at most 50 of a record; the 51st is text', () => {
    const lines = Array.from({ length: 51 }, (_, n) => `f${n}:: ${n}`);
    const { home, trade } = noted(lines);
    expect(Object.keys(trade as object)).toHaveLength(50);
    expect(home.everything()['trade-journals']?.[0]?.['body']).toBe('f50:: 50');
  });

  test('takes away what it no longer says, name by name, and undo gives it back', () => {
    const home = journal();
    const take = (...lines: string[]) => {
      home.now += 1000;
      home.import(home.file(`${DAY}.md`, note('## AAPL <!-- t:t1 -->', ...lines)));
    };
    take('confluence:: 3', 'phase:: early');
    take('confluence:: 4');
    expect(fieldsOf(home, 'trades')).toEqual([{ confluence: 4 }]);

    home.now += 1000;
    home.import(home.file('more.csv', 'id,fields.Edge,fields.confluence\nt1,A,5\n'), {
      as: 'trades',
      timeZone: 'UTC',
    });
    expect(fieldsOf(home, 'trades')).toEqual([{ confluence: 5, edge: 'A' }]);

    const undo = () => undoImport(home.target);
    undo();
    expect(fieldsOf(home, 'trades')).toEqual([{ confluence: 4 }]);
    undo();
    expect(fieldsOf(home, 'trades')).toEqual([{ confluence: 3, phase: 'early' }]);
    undo();
    expect(fieldsOf(home, 'trades')).toEqual([{}]);
  });

  test('that is printed and imported again changes nothing, whatever the fields', () => {
    fc.assert(
      fc.property(traderFields, traderFields, (ofTrade, ofSession) => {
        const home = new ImportHome().withUser('me', { timezone: 'UTC' });
        home.import([
          home.lines('trades.jsonl', { ...TRADE, fields: ofTrade }),
          home.lines('sessions.jsonl', { id: 's1', date: DAY, fields: ofSession }),
        ]);
        expect(fieldsOf(home, 'trades')).toEqual([ofTrade]);
        const bytes = home.hash();
        const printed = printedDay(home.journal, userFor(home.journal, 'me'), DAY);
        const [report] = home.import(home.file(`${DAY}.md`, printed)).files;
        expect([report?.added, report?.changed, report?.problems]).toEqual([0, 0, []]);
        expect(home.hash()).toBe(bytes);
      }),
      { numRuns: runs(60, 12) },
    );
  });
});

test('a session note of its own keeps properties and fields in the text', () => {
  const home = journal();
  home.import(
    home.file(
      's.md',
      `---\ntype: session\ndate: ${DAY}\nVix: 18\nmy-mark: x\n---\nSlow. phase:: y\nedge:: B\n`,
    ),
  );
  expect(fieldsOf(home, 'sessions')).toEqual([{ vix: 18, 'my-mark': 'x', edge: 'B' }]);
});

test.each<[what: string, fields: object, problem: string]>([
  [
    'a name',
    { 'a b': 1 },
    'fields.a b: must have a name of at most 40 letters, digits, _ and -',
  ],
  [
    'a value',
    { a: 'x'.repeat(101) },
    'fields.a: must be a number, or text of at most 100 characters',
  ],
  ['a list', { a: [1] }, 'fields.a: must be a number, or text of at most 100 characters'],
  ['a name twice', { A: 1, a: 2 }, 'fields.A: is there twice, in other letter case'],
  [
    'too many',
    Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, n])),
    'fields: must have at most 50 names',
  ],
])("a record is refused for %s that can't be stored", (_what, fields, problem) => {
  expect(journal().refusal('trades', { ...TRADE, fields })).toContain(problem);
});

test('a mapping names fields of the trader by its members', () => {
  const home = journal();
  const mapping = {
    name: 'mine',
    target: 'sessions',
    decimal: ',',
    fields: { date: 'Day', 'fields.vix': 'VIX', 'fields.Phase': 'Phase' },
  };
  const map = loadMapping(home.file('mine.map.json', JSON.stringify(mapping)));
  home.import(home.file('days.csv', `Day;VIX;Phase\n${DAY};18,5;early\n`), { map });
  expect(fieldsOf(home, 'sessions')).toEqual([{ vix: 18.5, phase: 'early' }]);
});

test('a file that another program damaged is named by check, and its other fields are shown', () => {
  const home = journal();
  home.write(`UPDATE trades SET fields = '{"ok":1,"Not ok":2,"list":[1]}'`);
  expect(fieldsOf(home, 'trades')).toEqual([{ ok: 1 }]);
  expect(home.findings().join('\n')).toMatch(
    /fields\.Not ok: must have a name[\s\S]*fields\.list/,
  );
});
