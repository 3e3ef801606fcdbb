/** Lines of a day's note that look like a field or a trade, and stay text: each with its line and reason. */
import { describe, expect, test } from 'vitest';
import { openForWriting } from '../../src/journal-write/open.ts';
import { newUser } from '../../src/journal-write/users.ts';
import { readDayNote } from '../../src/notes/day-note.ts';
import { foundRecords } from '../../src/notes/find-records.ts';
import type { StayedText } from '../../src/notes/note.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const ZONE = 'America/New_York';

/** On 2026-11-02: META at 09:41 and 13:02 and HOOD at 10:00. SPY on another day. */
function journal(): ImportHome {
  const home = new ImportHome().withUser('me', { timezone: ZONE });
  const trade = (id: string, symbol: string, executed_at: string) => ({
    ...TRADE,
    id,
    symbol,
    executed_at,
    closed_at: '2026-11-10T20:00:00Z',
  });
  home.import(
    home.lines(
      'trades.jsonl',
      trade('m1', 'META', '2026-11-02T14:41:00Z'),
      trade('m2', 'META', '2026-11-02T18:02:00Z'),
      trade('h1', 'HOOD', '2026-11-02T15:00:00Z'),
      trade('s1', 'SPY', '2026-11-09T15:00:00Z'),
    ),
  );
  return home;
}

function stayedIn(text: string): readonly StayedText[] {
  const note = { file: 'n.md', path: '2026-11-02.md', text };
  const { records, problems } = readDayNote(note, { zone: ZONE });
  const db = openForWriting(journal().journal);
  try {
    const settings = {
      user: newUser('me', { timezone: ZONE }),
      timeZone: ZONE,
      account: undefined,
      now: '2026-11-20T12:00:00.000Z',
    };
    const reading: Parameters<typeof foundRecords>[2] = { records, problems, notes: [] };
    foundRecords(db, settings, reading);
    return (reading.readBack?.(problems) ?? []).flatMap(({ stayed_text }) => stayed_text);
  } finally {
    db.close();
  }
}

const NOTES: [
  what: string,
  text: string,
  stayed: [line: number, text: string, reason: string][],
][] = [
  [
    'a heading that two trades fit',
    'Mood: ok\n\n## META\nsetup:: Fade',
    [[3, '## META', '2 trades fit: 09:41, 13:02; add the time, as in 09:41 META']],
  ],
  [
    'a heading of a symbol with other words, if the journal has it',
    '## HOOD 145 call\nsetup:: Fade\n## AMZN 200 call',
    [
      [
        1,
        '## HOOD 145 call',
        'a trade needs a side, a time or a number, as in HOOD long',
      ],
      [2, 'setup:: Fade', 'below a heading that is no trade'],
    ],
  ],
  [
    'a trade of another day',
    '## SPY\nsetup:: Fade',
    [
      [
        1,
        '## SPY',
        'no trade in SPY was entered on 2026-11-02; that day has 09:41 META long, 10:00 HOOD long, 13:02 META long',
      ],
    ],
  ],
  [
    'a heading with a symbol and nothing below',
    '## SPY\nquiet',
    [
      [
        1,
        '## SPY',
        'a trade needs a side, a time or a number, as in SPY long, or a field below its heading',
      ],
    ],
  ],
  [
    'a symbol that the journal lacks',
    '## AMZN long\nsetup:: Fade',
    [
      [
        1,
        '## AMZN long',
        'the journal has no trade in AMZN; once its fills are imported, the note is read again',
      ],
    ],
  ],
  [
    'a line that begins with a symbol of the day',
    'META short 1: chased\nSPY ran\n- HOOD was easy',
    [
      [
        1,
        'META short 1: chased',
        'a trade on a line needs a time and a side, as in - 09:41 META long',
      ],
      [
        3,
        '- HOOD was easy',
        'a trade on a line needs a time and a side, as in - 10:00 HOOD long',
      ],
    ],
  ],
  [
    'names that are no field, and values that are none',
    'Confluence: 3\nthis sentence is no field: it has four words\nSleep: badly\nMood:',
    [
      [1, 'Confluence: 3', 'unknown field; Confluence:: ... keeps it'],
      [3, 'Sleep: badly', 'Sleep: must be hours, such as 7.5 or 5h 30m; got "badly"'],
      [4, 'Mood:', 'Mood has no value'],
    ],
  ],
  [
    'fields within a text',
    '## Plan\nMood: good if it opens up\n## My day\nMood: fine',
    [
      [2, 'Mood: good if it opens up', 'in the text of plan'],
      [4, 'Mood: fine', 'below a heading that names no field'],
    ],
  ],
  [
    'every line below missed trades',
    '## Missed trades\n- AMD put credit spread\n- 09:45 META long, hesitated',
    [
      [
        2,
        '- AMD put credit spread',
        'a missed trade needs a time, a symbol and a side, such as 09:45 MNQ long',
      ],
    ],
  ],
  ['a symbol of the day within a trade', '## HOOD long\n- HOOD was easy', []],
  ['plain text', 'Slow day.\n\n## Thoughts\nAlways less size.', []],
];

test.each(NOTES)('%s', (_, text, expected) => {
  const lines = stayedIn(text);
  expect(lines.map((own) => [own.line, own.text, own.reason]).sort()).toEqual(
    expected.toSorted(),
  );
});

const KEPT: [what: string, text: string, values: object[]][] = [
  [
    'a callout, and headings of any kind',
    '## SPY\n> [!note] Hello\n> text\n### Review\nfoo\n### Mine\nbar',
    [{ notes: '## SPY\n> [!note] Hello\ntext\n\n### Review\nfoo\n### Mine\nbar' }],
  ],
  [
    'the heading of later text about it',
    '## Trade 1\nfoo\n## My day\nbar\n## Trade 1 again\nbaz',
    [{ notes: '## Trade 1\nfoo\n## Trade 1 again\nbaz\n## My day\nbar' }],
  ],
  [
    'nothing of a trade, whose later text is its own',
    '## 09:41 META\nnumber:: 1\nfoo\n## My day\nbar\n### Trade 1\nbaz',
    [{ notes: '## My day\nbar' }, { body: 'foo\n\nbaz' }],
  ],
];

test.each(KEPT)('a section that is text keeps %s', (_, text, expected) => {
  const note = { file: 'n.md', path: '2026-11-02.md', text };
  const { records } = readDayNote(note, { zone: ZONE });
  expect(records.map(({ values }) => values)).toEqual(expected);
});

/** What a note stated of its trades stays if its sections find none, or several, any more. */
describe('a section that had a trade in the former version of its note', () => {
  const DAY = '2026-11-02.md';
  const SETUPS = 'SELECT id, setup FROM trades WHERE setup IS NOT NULL';
  const entries = (home: ImportHome) => home.everything()['trade-journals'] ?? [];

  function noted(text: string): ImportHome {
    const home = journal();
    home.import(home.file(DAY, text));
    return home;
  }

  test('is an error if two trades fit now, and keeps its fields and entry', () => {
    const home = noted('## HOOD\nsetup:: Fade\nheld');
    const second = {
      ...TRADE,
      id: 'h2',
      symbol: 'HOOD',
      executed_at: '2026-11-02T17:00:00Z',
    };
    home.import(
      home.lines('more.jsonl', { ...second, closed_at: '2026-11-10T20:00:00Z' }),
      {
        as: 'trades',
      },
    );
    const [report] = home.import(
      home.file(DAY, '## HOOD\nsetup:: Fade\nheld on\n\nMood: ok'),
    ).files;
    expect(report?.problems).toMatchObject([
      { line: 1, message: /^there are 2 trades in HOOD/ },
    ]);
    expect(home.rows(SETUPS)).toEqual([{ id: 'h1', setup: 'Fade' }]);
    expect(entries(home)).toMatchObject([{ trade_id: 'h1', body: 'held' }]);
  });

  test('is an error if its trade is gone', () => {
    const home = noted('## HOOD\nsetup:: Fade');
    home.write("DELETE FROM trade_journals; DELETE FROM trades WHERE id = 'h1'");
    const [report] = home.import(
      home.file(DAY, '## HOOD\nsetup:: Fade\n\n## SPY\nquiet'),
    ).files;
    expect(report?.problems.map(({ line }) => line)).toEqual([1]);
  });

  test('is no error if another section has that trade', () => {
    const home = noted('## 13:02 META\nsetup:: Fade');
    const text = '## 13:02 META\nsetup:: Fade\n## META\nsetup:: Gap';
    const [report] = home.import(home.file(DAY, text)).files;
    expect(report?.problems).toEqual([]);
    expect(report?.read_back).toMatchObject([
      {
        trades: [{ id: 'm2', name: 'META', fields: ['setup'] }],
        stayed_text: [{ line: 3 }],
      },
    ]);
  });

  test('goes with its heading', () => {
    const home = noted('## 13:02 META\nsetup:: Fade');
    home.import(home.file(DAY, '## 15:00 HOOD\nsetup:: Gap'));
    expect(home.rows(SETUPS)).toEqual([]);
  });
});
