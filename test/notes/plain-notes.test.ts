/** The plainest notes: what each becomes, and that a wrong trade is never taken in silence. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ImportHome, TRADE } from '../import/home.ts';

/** On 2026-11-02, by local time: 09:30 MNQ long m1, 09:45 AAPL long a1, 10:00 MNQ short m2, 11:00 AAPL long a2. MES has one trade, on another day. */
function journal(): ImportHome {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const trade = (id: string, symbol: string, side: string, executed_at: string) => ({
    ...{ ...TRADE, id, symbol, side, executed_at, closed_at: '2026-11-10T20:00:00Z' },
    ...(symbol.startsWith('M') && { market: 'future', underlying: symbol.slice(0, 3) }),
  });
  home.import(
    home.lines(
      'trades.jsonl',
      trade('m1', 'MNQZ6', 'long', '2026-11-02T14:30:00Z'),
      trade('a1', 'AAPL', 'long', '2026-11-02T14:45:00Z'),
      trade('m2', 'MNQZ6', 'short', '2026-11-02T15:00:00Z'),
      trade('a2', 'AAPL', 'long', '2026-11-02T16:00:00Z'),
      trade('e1', 'MESZ6', 'long', '2026-11-09T15:00:00Z'),
    ),
  );
  home.notes = [];
  return home;
}

interface Expected {
  /** Fields of the session that aren't empty. */
  session?: object;
  /** Bodies of entries, by trade. */
  entries?: Record<string, string | null>;
  /** Setups of trades. */
  setups?: Record<string, string>;
  missed?: object[];
  /** Lines of the report on the note. */
  said?: string[];
  /** Lines that stayed text, and why. */
  stayed?: [line: number, reason: string][];
}

const DAY = '2026-11-02.md';
const LIST = '09:30 MNQZ6 long, 09:45 AAPL long, 10:00 MNQZ6 short, 11:00 AAPL long';

const NOTES: [what: string, name: string, text: string, expected: Expected][] = [
  ['one line', DAY, 'Mood: tired', { session: { mood: 'tired' } }],
  [
    'one heading',
    DAY,
    '## Lesson\nLess size.',
    { session: { review: { lesson: 'Less size.' } } },
  ],
  [
    'a paragraph',
    DAY,
    'Slow day.\n\nNothing to do.',
    { session: { notes: 'Slow day.\n\nNothing to do.' } },
  ],
  [
    'a trade in words: beside its side the word trade says nothing',
    DAY,
    '## 09:30 good trade MNQ long\nEarly.\n\n## 09:45 AAPL long trade\nLate.',
    { entries: { m1: 'good trade\nEarly.', a1: 'Late.' } },
  ],
  [
    'a photo and a word',
    DAY,
    '![[desk.jpg]]\nMonday',
    { session: { notes: '![[desk.jpg]]\nMonday' } },
  ],
  ['nothing', DAY, '', {}],
  [
    'a day in its heading',
    'Diary.md',
    '# Monday, November 2, 2026\nQuiet.',
    { session: { notes: 'Quiet.' } },
  ],
  [
    'a bold date',
    'Diary.md',
    '**Date:** 2026-11-02\nQuiet.',
    { session: { notes: 'Quiet.' } },
  ],
  [
    'a date as property',
    'Diary.md',
    '---\ndate: 2026-11-02\n---\nQuiet.',
    { session: { notes: 'Quiet.' } },
  ],
  [
    'properties below the heading',
    'x.md',
    '# 2026-11-02\n---\nmood: ok\ntags: [fomc, slow]\n---\nQuiet.',
    { session: { mood: 'ok', tags: ['fomc', 'slow'], notes: 'Quiet.' } },
  ],
  [
    'fields above the heading',
    'x.md',
    'Mood: ok\n\n# 2026-11-02\nQuiet.',
    { session: { mood: 'ok', notes: 'Quiet.' } },
  ],
  [
    'rules around text',
    DAY,
    '# Monday\n---\nQuiet.\n---\nb',
    { session: { notes: '# Monday\n---\nQuiet.\n---\nb' } },
  ],
  [
    "another program's type",
    DAY,
    '---\ntype: daily\n---\nQuiet.',
    { session: { notes: 'Quiet.' } },
  ],
  [
    'a list of tasks',
    DAY,
    '- [ ] call the bank\n- [x] gym',
    { session: { notes: '- [ ] call the bank\n- [x] gym' } },
  ],
  [
    'goals',
    DAY,
    '## Goals\n- [x] one trade',
    { session: { goals: [{ text: 'one trade', met: true }] } },
  ],
  [
    'a symbol and side',
    DAY,
    '## MNQ short\nToo early.',
    { entries: { m2: 'Too early.' } },
  ],
  [
    'a symbol and side of two',
    DAY,
    '## AAPL long\nToo early.',
    {
      session: { notes: '## AAPL long\nToo early.' },
      stayed: [[1, '2 trades fit: 09:45, 11:00; add the time, as in 09:45 AAPL']],
    },
  ],
  [
    'a symbol and side of none',
    DAY,
    '## AAPL short\nToo early.',
    {
      session: { notes: '## AAPL short\nToo early.' },
      stayed: [
        [
          1,
          'no short trade in AAPL was entered on 2026-11-02; that day has 09:45 AAPL long, 11:00 AAPL long',
        ],
      ],
    },
  ],
  [
    'a symbol of another day',
    DAY,
    '## MES long\nx',
    {
      session: { notes: '## MES long\nx' },
      stayed: [
        [1, `no long trade in MES was entered on 2026-11-02; that day has ${LIST}`],
      ],
    },
  ],
  [
    'words like a trade',
    DAY,
    'a\n## VIX long\nx\n## End\nb',
    { session: { notes: 'a\n## VIX long\nx\n## End\nb' } },
  ],
  ['a number', DAY, '## MNQ #2\nToo early.', { entries: { m2: 'Too early.' } }],
  [
    'a number that none has',
    DAY,
    '## MNQ #3\nToo early.',
    {
      session: { notes: '## MNQ #3\nToo early.' },
      stayed: [
        [
          1,
          'no trade in MNQ with the number 3 was entered on 2026-11-02; that day has 09:30 MNQZ6 long, 10:00 MNQZ6 short',
        ],
      ],
    },
  ],
  [
    'a number of the other side',
    DAY,
    '## MNQ long #2\nx',
    {
      session: { notes: '## MNQ long #2\nx' },
      stayed: [
        [
          1,
          'no long trade in MNQ with the number 2 was entered on 2026-11-02; that day has 09:30 MNQZ6 long, 10:00 MNQZ6 short',
        ],
      ],
    },
  ],
  [
    'numbers that count all trades',
    DAY,
    '## Trade 3: MNQ short\nx\n## Trade 4: AAPL\ny',
    { entries: { m2: 'x', a2: 'y' } },
  ],
  [
    'a symbol alone with a field',
    'x 2026-11-09.md',
    '## MES\nsetup:: ORB',
    { setups: { e1: 'ORB' }, entries: { e1: null } },
  ],
  [
    'a symbol alone without a field',
    'x 2026-11-09.md',
    '## MES\nNear its high.',
    { session: { notes: '## MES\nNear its high.' } },
  ],
  [
    'a symbol alone of two',
    DAY,
    '## AAPL\nsetup:: ORB',
    { session: { notes: '## AAPL\nsetup:: ORB' } },
  ],
  [
    'a time nearby',
    DAY,
    '## 09:33 MNQ\nx',
    {
      entries: { m1: 'x' },
      said: [
        '1: no trade was entered in that minute; the section is of 09:30 MNQZ6 long m1',
      ],
    },
  ],
  [
    'the id of a trade of the other side',
    DAY,
    '## 09:30 MNQ short <!-- t:m1 -->\nx',
    {
      entries: { m1: 'x' },
      said: [
        '1: the section is of 09:30 MNQZ6 long m1 by its id, but names a short trade in MNQ',
      ],
    },
  ],
  [
    'the id of a trade in another symbol',
    DAY,
    '## 09:30 ES long <!-- t:m1 -->\nx',
    {
      entries: { m1: 'x' },
      said: [
        '1: the section is of 09:30 MNQZ6 long m1 by its id, but names a long trade in ES',
      ],
    },
  ],
  ['results in words', DAY, '## MNQ short +2.1R $120\nx', { entries: { m2: 'x' } }],
  [
    'a missed trade in words',
    DAY,
    '## Missed trades\n- 09:50 NQ long, it ran away, no limit order',
    {
      missed: [
        {
          symbol: 'NQ',
          setup: null,
          reason: null,
          miss_type: 'other',
          notes: '09:50 NQ long, it ran away, no limit order',
        },
      ],
    },
  ],
  [
    'a missed trade with a reason',
    DAY,
    '## Missed trades\n- 09:50 NQ long, ORB, I hesitated',
    {
      missed: [{ setup: 'ORB', reason: 'I hesitated', miss_type: 'hesitated' }],
    },
  ],
  [
    'an entry without a phase',
    'x.md',
    '---\ntype: entry\ntrade: m1\n---\nToo early.',
    { entries: { m1: 'Too early.' } },
  ],
  [
    'text below a callout',
    DAY,
    '> [!note] Lesson\n> Less size.\n\nQuiet.',
    { session: { notes: 'Quiet.', review: { lesson: 'Less size.' } } },
  ],
  [
    'a week that no year has',
    '2026-W00.md',
    '---\ntype: week\n---\nQuiet.',
    {
      said: [
        '1: unknown day; name the note after it, such as 2026-11-20.md, or add date: 2026-11-20 at its top',
      ],
    },
  ],
  [
    'a symbol without a time among its properties',
    DAY,
    '---\nsymbol: MNQ\nmood: tired\n---\nQuiet.',
    { session: { mood: 'tired', notes: 'Quiet.' } },
  ],
  [
    'a symbol and a date among its properties',
    'x.md',
    '---\nsymbol: MNQ\nside: short\ndate: 2026-11-02\n---\nToo early.',
    { entries: { m2: 'Too early.' } },
  ],
  [
    'a symbol and a time among its properties',
    DAY,
    '---\nsymbol: AAPL\nside: long\ntime: 09:45\n---\nToo early.',
    { entries: { a1: 'Too early.' } },
  ],
  [
    'a symbol and entries among its properties',
    DAY,
    '---\nsymbol: AAPL\nentries: 1\n---\nToo early.',
    {
      said: [
        '1: there are 2 trades in AAPL on 2026-11-02: 09:45 AAPL long a1, 11:00 AAPL long a2; add the time or id of one',
      ],
    },
  ],
  [
    'a time without a symbol among its properties',
    DAY,
    '---\ntime: 09:45\nmood: tired\n---\nQuiet.',
    { session: { mood: 'tired', notes: 'Quiet.' } },
  ],
  [
    'a note in a folder Trades',
    'Trades/2026-11-02.md',
    'Mood: tired',
    { session: { mood: 'tired' } },
  ],
];

const isGiven = (value: unknown) =>
  value !== null &&
  !(Array.isArray(value) && value.length === 0) &&
  !(typeof value === 'object' && Object.keys(given(value as object)).length === 0);
const given = (row: object): object =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => isGiven(value))
      .map(([name, value]) => [
        name,
        typeof value === 'object' && !Array.isArray(value) ? given(value) : value,
      ]),
  );

test.each(NOTES)(
  '%s',
  (_what, name, text, {
    session,
    entries = {},
    setups = {},
    missed = [],
    said = [],
    stayed,
  }) => {
    const home = journal();
    const folder = home.path('vault');
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { files } = home.import(folder);
    const after = home.everything();
    const {
      sessions = [],
      trades = [],
      'trade-journals': journals = [],
      'missed-trades': all = [],
    } = after;
    const [row] = sessions.map(
      ({ id: _, date: __, created_at: ___, updated_at: ____, metrics: _____, ...own }) =>
        given(own),
    );
    expect(row).toEqual(session);
    expect(
      Object.fromEntries(journals.map(({ trade_id, body }) => [trade_id, body])),
    ).toEqual(entries);
    expect(
      Object.fromEntries(
        trades.flatMap(({ id, setup }) => (setup === null ? [] : [[id, setup]])),
      ),
    ).toEqual(setups);
    expect(all).toMatchObject(missed);
    expect(all).toHaveLength(missed.length);
    const own = home.notes.flatMap((line) =>
      line.startsWith(`${file}:`)
        ? line.slice(file.length + 1)
        : line.startsWith(`${folder}: ${file}:`)
          ? line.slice(folder.length + file.length + 3)
          : [],
    );
    expect(own).toEqual(said);
    const lines = files.flatMap(({ read_back = [] }) =>
      read_back.flatMap((own) => own.stayed_text),
    );
    if (stayed) expect(lines.map(({ line, reason }) => [line, reason])).toEqual(stayed);
    home.import(folder);
    expect(home.everything()).toEqual(after);
  },
);

test('a table of entries without ids finds its trades by symbol and time, and changes nothing again', () => {
  const home = journal();
  const rows = [
    'symbol,date,time,body',
    'MNQ,2026-11-02,09:30,Late',
    'AAPL,2026-11-02,11:00,Early',
  ];
  const file = home.file('trade-journals.csv', rows.join('\n'));
  home.import(file);
  const entries = home.everything()['trade-journals'] ?? [];
  expect(
    entries.map(({ trade_id, phase, body }) => [trade_id, phase, body]).sort(),
  ).toEqual([
    ['a2', 'post_trade', 'Early'],
    ['m1', 'post_trade', 'Late'],
  ]);
  expect(home.import(file).files).toMatchObject([{ added: 0, changed: 0, unchanged: 2 }]);
  const near = home.file(
    'trade-journals.csv',
    'symbol,date,time,body\nMNQ,2026-11-02,09:32,Near\n',
  );
  expect(home.import(near).files[0]?.notes.join()).toMatch(
    /:2: no trade in MNQ was entered in that minute; .* MNQZ6 long m1/,
  );
  expect(
    home.refusalOf(
      home.file('trade-journals.csv', 'symbol,date,body\nAAPL,2026-11-02,x\n'),
    ),
  ).toContain('there are 2 trades in AAPL');
});
