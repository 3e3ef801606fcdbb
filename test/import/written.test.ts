/** Files written by hand: all errors at once, informal values, trades by symbol and time. */
import { expect, test } from 'vitest';
import { ImportHome, TRADE } from './home.ts';

const ENTRY = { id: 'e1', trade_id: 't1', phase: 'review' };

function withTrades(...more: object[]): ImportHome {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  home.import(home.lines('trades.jsonl', TRADE, ...more));
  return home;
}

test('all errors of a file are reported, each with line, field, value and a valid example', () => {
  const home = new ImportHome().withUser();
  const path = home.file(
    'sessions.jsonl',
    `${JSON.stringify({ id: 's1', date: '2026-13-01', energy: 9, sleep: 7 })}
{"id": "s2", "date": "2026-11-20"}
not JSON
${JSON.stringify({ id: 's3', date: '2026-11-21', started_at: '2026-11-21T09:00', mood: 7 })}
`,
  );
  const lines = home.refusalOf(path).split('\n');
  expect(lines.map((line) => line.replace(`${path}:`, ''))).toEqual([
    '1: sleep: unknown field; did you mean sleep_hours?',
    '1: date: must be a day that exists, such as 2026-11-20; got "2026-13-01"',
    '1: energy: must be 5 or less; got 9',
    expect.stringMatching(/^3: not valid JSON: /),
    expect.stringMatching(/^4: started_at: needs an offset, as in 2026-11-21T09:00Z/),
    '4: mood: must be text; got 7',
  ]);
  expect(home.everything()['sessions']).toEqual([]);
});

test('beyond 20 errors only their number is reported', () => {
  const home = new ImportHome().withUser();
  const rows = Array.from({ length: 33 }, (_, index) => `s${index},2026-11-20,${index}`);
  const lines = home
    .refusalOf(home.file('sessions.csv', ['id,date,energy', ...rows].join('\n')))
    .split('\n');
  // 1 to 5 are right.
  expect([lines.length, lines.at(-1)]).toEqual([21, 'and 8 more']);
  expect(lines[1]).toContain('sessions.csv:8: energy: must be 5 or less; got 6');
});

test('all errors of a header, of the cells of a row, and of the notes of a folder are reported', () => {
  const home = new ImportHome().withUser();
  const header = home.refusalOf(home.file('sessions.csv', 'id,sleep,date,date,moood\n'));
  expect(header.match(/sleep: .*|date: .*|moood: .*/g)).toEqual([
    'sleep: unknown field; did you mean sleep_hours?',
    'date: appears twice in the header',
    'moood: unknown field; did you mean mood?',
  ]);
  const cells = home.file(
    'sessions.csv',
    'id,date,energy,sleep_hours,market_context\ns1,2026-11-20,high,much,calm\n',
  );
  expect(home.refusalOf(cells).match(/\w+: must be [a-zA-Z]+/g)).toEqual([
    'energy: must be a',
    'sleep_hours: must be a',
    'market_context: must be JSON',
  ]);
  const vault = new ImportHome().withUser();
  for (const name of ['a', 'c']) {
    vault.file(
      `${name}.md`,
      `---\ntype: session\ndate: 2026-11-2${name === 'a' ? 0 : 2}\nenergy: 7\nslep: 6\n---\n`,
    );
  }
  expect(
    vault.refusalOf(vault.folder).match(/[ac]\.md:1: energy: must be 5 or less; got 7/g),
  ).toHaveLength(2);
});

test('all rows of an export are read for errors', () => {
  const home = new ImportHome().withUser();
  const path = home.file(
    'fills.csv',
    `time,coin,dir,px,sz,fee,closedPnl
${['ten', '10', 'eleven'].map((price) => `2026-11-02 20:56:12,A,Open Long,${price},5,0,0`).join('\n')}
`,
  );
  expect(home.refusalOf(path).match(/\d: px: must be a number[^"]*"\w+"/g)).toHaveLength(
    2,
  );
});

test.each([
  ['a session', '---\ntype: session\ndate: 2026-11-20\nslep_hours: 6\nvix: 18\n---\n'],
  ['a day', '---\ntype: day\ndate: 2026-11-20\n---\nslep_hours:: 6\nvix:: 18\n'],
])('a field of your own in the note of %s names the nearest field', (_, text) => {
  const home = new ImportHome().withUser();
  home.file('a.md', text);
  home.import(home.folder);
  expect(home.notes).toContainEqual(
    expect.stringMatching(
      /fields of your own with nearly the name of a field, with their number: slep_hours \(1; did you mean sleep_hours\?\)$/,
    ),
  );
  expect(home.rows('SELECT fields FROM sessions')).toEqual([
    { fields: '{"slep_hours":6,"vix":18}' },
  ]);
});

test.each([
  ['mistakes', 'chased; late', ['chased', 'late']],
  ['mistakes', 'chased, late', ['chased', 'late']],
  ['mistakes', '"chased, twice; late"', ['chased, twice', 'late']],
  ['mistakes', '"[""chased"", ""late""]"', ['chased', 'late']],
  ['tags', 'news', ['news']],
  ['phase', 'Post trade', 'post_trade'],
  ['phase', 'post-trade', 'post_trade'],
  ['phase', 'During', 'during'],
  ['followed_plan', 'Yes', true],
  ['followed_plan', 'n', false],
  [
    'rules',
    'wait for the close: yes; size, always = no; no news',
    [
      { rule: 'wait for the close', followed: true },
      { rule: 'size, always', followed: false },
      { rule: 'no news', followed: null },
    ],
  ],
  [
    'rules',
    '[x] wait for the close; [ ] size',
    [
      { rule: 'wait for the close', followed: true },
      { rule: 'size', followed: false },
    ],
  ],
  [
    'attachments',
    'https://example.com/a.png',
    [{ url: 'https://example.com/a.png', caption: null }],
  ],
])('a cell of %s may be %s', (name, cell, value) => {
  const home = withTrades();
  const quoted = cell.startsWith('"') ? cell : `"${cell}"`;
  const phase = name === 'phase' ? [] : ['review'];
  const header = ['id', 'trade_id', ...(phase.length > 0 ? ['phase'] : []), name];
  home.import(
    home.file('trade-journals.csv', `${header}\n${['e1', 't1', ...phase, quoted]}\n`),
  );
  expect(home.everything()['trade-journals']).toMatchObject([{ [name]: value }]);
});

test.each([
  ['followed_plan', 'perhaps', 'must be true or false, yes or no; got "perhaps"'],
  ['phase', 'later', 'must be one of pre_trade, during, post_trade, review; got "later"'],
  ['mistakes', '"[""chased"""', 'must be JSON, such as ["a", "b"]; got'],
])('a cell of %s must not be %s', (name, cell, words) => {
  const home = withTrades();
  const header = ['id', 'trade_id', ...(name === 'phase' ? [] : ['phase']), name];
  const cells = ['e1', 't1', ...(name === 'phase' ? [] : ['review']), cell];
  expect(
    home.refusalOf(home.file('trade-journals.csv', `${header}\n${cells}\n`)),
  ).toContain(`2: ${name}: ${words}`);
});

test('a note may answer rules, goals and the plan in plain words', () => {
  const home = withTrades();
  home.file(
    'entry.md',
    '---\ntype: entry\ntrade: t1\nphase: Post trade\nfollowed_plan: "no"\nrules:\n  - wait for the close: yes\n  - size = no\n  - rule: no news\n---\nLate.',
  );
  home.import(home.folder);
  expect(home.everything()['trade-journals']).toMatchObject([
    {
      phase: 'post_trade',
      followed_plan: false,
      rules: [
        { rule: 'wait for the close', followed: true },
        { rule: 'size', followed: false },
        { rule: 'no news', followed: null },
      ],
    },
  ]);
});

test.each([
  ['trade_id,symbol,executed_at', 't1,,', 't1'],
  ['symbol,executed_at', 'aapl,2026-11-02 09:30', 't1'],
  ['symbol,date,time', 'AAPL,2026-11-02,09:30', 't1'],
  ['symbol,executed_at', 'AAPL,2026-11-02T14:30:40Z', 't1'],
  ['symbol,date', 'AAPL,2026-11-02', 't1'],
  ['symbol', 'MNQ', 'future'],
  ['trade_id,symbol,executed_at', 'gone,AAPL,2026-11-02 09:30', 't1'],
])('an entry in CSV with %s finds its trade by %s', (names, cells, found) => {
  const home = withTrades({
    ...TRADE,
    id: 'future',
    symbol: 'MNQZ6',
    market: 'future',
    underlying: 'MNQ',
  });
  home.import(home.file('trade-journals.csv', `id,phase,${names}\ne1,review,${cells}\n`));
  expect(home.everything()['trade-journals']).toMatchObject([{ trade_id: found }]);
});

test('a row of the feed finds its trade too, and one with an unknown id needs a time', () => {
  const home = withTrades();
  const rows =
    'id,type,phase,trade_id,symbol,executed_at\na,trade,review,,AAPL,2026-11-02 09:30\nb,trade,review,t1,AAPL,\n';
  home.import(home.file('journal-rows.csv', rows));
  expect(home.everything()['trade-journals']).toMatchObject([
    { trade_id: 't1' },
    { trade_id: 't1' },
  ]);
  const gone = { ...ENTRY, id: 'e2', trade_id: 'gone', symbol: 'AAPL' };
  expect(home.refusal('trade-journals', gone)).toContain(
    'there is no trade with the id "gone"',
  );
  expect(home.refusal('trade-journals', { ...gone, date: '2026-10-01' })).toContain(
    'no trade has the id "gone", and there is no trade in AAPL at 2026-10-01',
  );
});

test('the error of an entry without exactly one trade names what is missing', () => {
  const home = withTrades({ ...TRADE, id: 't2' });
  const path = home.file(
    'trade-journals.csv',
    'id,phase,symbol,executed_at\na,review,AAPL,2026-11-02 09:30\nb,review,AAPL,2026-11-03\nc,review,AAPL,soon\nd,review,,2026-11-02\n',
  );
  const reasons = home.refusalOf(path).split('\n');
  expect(reasons).toEqual([
    expect.stringContaining(
      '2: trade_id: is missing, and there are 2 trades in AAPL at 2026-11-02T14:30:00.000Z: t1 ',
    ),
    expect.stringContaining('3: trade_id: is missing, and there is no trade in AAPL'),
    expect.stringContaining(
      '4: executed_at: must be a date and time, such as 2026-11-20 09:41',
    ),
    expect.stringContaining('5: trade_id: is missing'),
  ]);
});

test("null for a derived field isn't a contradiction", () => {
  const home = new ImportHome().withUser();
  home.import(
    home.lines('trades.jsonl', {
      ...TRADE,
      net_pnl: null,
      outcome: null,
      r_multiple: null,
    }),
  );
  home.import(
    home.lines('sessions.jsonl', {
      id: 's1',
      date: '2026-11-02',
      metrics: { trades: 1, win_rate: null },
    }),
  );
  expect(home.refusal('trade-journals', { ...ENTRY, phase: 'Post trade' })).toContain(
    'phase: must be one of',
  );
});
