/** Requests for figures: sections, group_by, top and unit, and refused values. */
import { expect, test } from 'vitest';
import { ROWS, tradeRow, World } from '../../helpers.ts';
import { hidden } from '../../http/lens-worlds.ts';

const analytics = '/v1/analytics/summary';

function world(): World {
  const world = new World();
  const trade = (id: string, symbol: string, gross_pnl: number, more = {}) =>
    world.insert('trades', tradeRow(id, { symbol, gross_pnl, ...more }));
  trade('1', 'AAPL', 50, { tags: '["FOMO","fomo"]', setup: 'gap' });
  trade('2', 'tcs', -20, { tags: '["fomo"]', setup: 'Gap' });
  trade('3', 'TCS', 5, { tags: '["fomo"]', setup: 'fade' });
  trade('4', 'tcs', 5, { tags: '["Other"]' });
  world.insert('trade_journals', {
    id: 'j',
    trade_id: '2',
    phase: 'review',
    mistakes: '["Chased"]',
    created_at: '2026-11-11T10:00:00.000Z',
  });
  return world;
}

test('labels that differ in case are one row in the most frequent spelling, and a trade with both counts once', async () => {
  const journal = world();
  const { body } = await journal.ask(`${analytics}?sections=breakdowns`, {
    key: journal.key(),
  });
  const rows = (name: string) =>
    body.data.breakdowns[name].map((row: any) => [row.key, row.trades, row.net_pnl]);
  expect(rows('symbol')).toEqual([
    ['AAPL', 1, 50],
    ['tcs', 3, -10],
  ]);
  expect(rows('tag')).toEqual([
    ['fomo', 3, 35],
    ['Other', 1, 5],
  ]);
  expect(rows('setup')).toEqual([
    ['Gap', 2, 30],
    ['fade', 1, 5],
    [null, 1, 5],
  ]);
});

test('a trade has the same result in figures and in its record, near a tie and for any size', async () => {
  const journal = new World();
  const amounts = [
    0.125, 1.5e-8, 0.000000005, 0.123456785, -0.123456785, 87.654321985, 2.675, 1e-9,
  ];
  for (const [i, amount] of [
    ...amounts,
    ...amounts.map((more) => 700_000 + more),
    123_456_789_012.125,
  ].entries()) {
    journal.insert(
      'trades',
      tradeRow(`t${i}`, {
        symbol: `S${i}`,
        gross_pnl: amount,
        fees: i % 2 === 0 ? 0 : 0.1,
      }),
    );
  }
  const key = journal.key();
  const { body } = await journal.ask(`${analytics}?group_by=symbol`, { key });
  const records = await journal.ask('/v1/trades', { key, lens: true });
  const made = body.data.groups.map((row: any) => [row.by.symbol, row.net_pnl]);
  expect(made).toHaveLength(17);
  expect(Object.fromEntries(made)).toEqual(
    Object.fromEntries(
      records.body.data.map((trade: any) => [trade.symbol, trade.net_pnl]),
    ),
  );
});

test('a mistake that is only in a journal entry counts', async () => {
  const journal = world();
  const key = journal.key();
  const { body } = await journal.ask(analytics, { key });
  expect(body.data.mistakes).toEqual({
    trades_with_mistakes: 1,
    cost: 20,
    net_pnl_with_mistakes: -20,
    net_pnl_without_mistakes: 60,
    group_entries: false,
  });
  expect(body.data.breakdowns.mistake).toMatchObject([
    { key: 'Chased', trades: 1, net_pnl: -20 },
  ]);
  const summary = await journal.ask('/v1/summary', { key });
  expect(summary.body.data.common_mistakes.items).toMatchObject([
    { mistake: 'Chased', trades: 1 },
  ]);
  expect(summary.body.data.mistakes).toEqual(body.data.mistakes);
});

test('top combines the rest in one row', async () => {
  const journal = world();
  const query = 'sections=breakdowns,groups&group_by=symbol,setup&top=1';
  const { body } = await journal.ask(`${analytics}?${query}`, { key: journal.key() });
  expect(body.data.breakdowns.symbol).toMatchObject([
    { key: 'AAPL', trades: 1 },
    { key: null, trades: 3, net_pnl: -10, win_rate: 0.666667, other: true },
  ]);
  expect(body.data.groups).toMatchObject([
    { by: { symbol: 'AAPL', setup: 'Gap' }, net_pnl: 50 },
    { by: { symbol: null, setup: null }, trades: 3, net_pnl: -10, other: true },
  ]);
});

test('a response has the requested sections and its period', async () => {
  const journal = world();
  const key = journal.key();
  const sectionsOf = async (query: string) =>
    Object.keys((await journal.ask(`${analytics}?${query}`, { key })).body.data).sort();
  expect(await sectionsOf('sections=mistakes,open')).toEqual([
    'mistakes',
    'open',
    'period',
  ]);
  expect(await sectionsOf('sections=period')).toEqual(['period']);
  expect(await sectionsOf('sections=period,open')).toEqual(['open', 'period']);
  expect(await sectionsOf('sections=previous')).toEqual([
    'period',
    'previous',
    'previous_period',
  ]);
  expect(await sectionsOf('sections=rules&group_by=month')).toEqual([
    'groups',
    'period',
    'rules',
  ]);
  expect(await sectionsOf('group_by=month')).toHaveLength(13);
  expect(await sectionsOf('')).toHaveLength(12);
});

test('groups by an ordered dimension are in its order', async () => {
  const journal = new World({ timezone: 'America/New_York' });
  const closes = [
    '2026-11-16T03:00:00.000Z',
    '2026-10-01T12:00:00.000Z',
    '2025-12-31T12:00:00.000Z',
  ];
  for (const [i, closed_at] of closes.entries()) {
    journal.insert(
      'trades',
      tradeRow(`t${i}`, {
        executed_at: '2025-01-01T10:00:00.000Z',
        closed_at,
        rating: 3 - i,
      }),
    );
  }
  const key = journal.key();
  const keys = async (by: string) =>
    (
      await journal.ask(`${analytics}?sections=groups&group_by=${by}`, { key })
    ).body.data.groups.map((row: any) => Object.values(row.by).join(' '));
  expect(await keys('day')).toEqual(['2025-12-31', '2026-10-01', '2026-11-15']);
  expect(await keys('week')).toEqual(['2025-12-29', '2026-09-28', '2026-11-09']);
  expect(await keys('month')).toEqual(['2025-12', '2026-10', '2026-11']);
  expect(await keys('quarter')).toEqual(['2025-Q4', '2026-Q4']);
  expect(await keys('year,quarter')).toEqual(['2025 2025-Q4', '2026 2026-Q4']);
  expect(await keys('rating')).toEqual(['1', '2', '3']);
});

test('too many rows for a response are refused', async () => {
  const journal = new World();
  journal.db.transaction(() => {
    const tags = JSON.stringify(Array.from({ length: 300 }, (_, i) => `tag ${i}`));
    for (let i = 0; i < 200; i++)
      journal.insert('trades', tradeRow(`t${i}`, { symbol: `S${i}`, tags }));
  })();
  const { status, body } = await journal.ask(`${analytics}?group_by=symbol,tag`, {
    key: journal.key(),
  });
  expect([status, body.code]).toEqual([422, 'answer_too_large']);
  expect(body.detail).toContain('groups by symbol and tag');
});

test.each([
  ['sections=perfomance', 'sections', /no "perfomance"; did you mean performance\?/],
  ['sections=', 'sections', /no ""\. It takes period, performance/],
  ['sections=open,open', 'sections', /duplicate/],
  ['sections=groups', 'sections', /needs group_by/],
  ['group_by=weekdays', 'group_by', /did you mean weekday\?/],
  ['group_by=day,week,month', 'group_by', /at most 2/],
  ['group_by=setup,setup', 'group_by', /duplicate/],
  ['top=0', 'top', /at least 1/],
  ['top=all', 'top', /at least 1/],
  ['unit=group', 'unit', /trade or position/],
  ['where=Fridays', 'where', /must be JSON.*got "Fridays"/],
  ['where=5', 'where', /must be an object of dimensions/],
  ['where=null', 'where', /must be an object of dimensions/],
  ['where=[{"hour":1},null]', 'where', /must be an object of dimensions/],
  ['where={}', 'where', /at least one dimension/],
  ['where=[]', 'where', /a list of 1 to 5/],
  [`where=[${Array(6).fill('{"hour":1}')}]`, 'where', /a list of 1 to 5/],
  ['where={"wekday":5}', 'where', /no dimension "wekday"; did you mean weekday\?/],
  ['where={"__proto__":5}', 'where', /no dimension "__proto__"/],
  ...(
    [
      ['month', '2026-13', '2026-11'],
      ['month', '2026-1', '2026-11'],
      ['day', '2026-02-30', '2026-11-20'],
      ['week', '2026-11-20', '2026-11-16'],
      ['quarter', '2026-Q5', '2026-Q4'],
      ['year', '26', '2026'],
      ['currency', '$', 'USD'],
    ] as const
  ).map(([name, key, example]): [string, string, RegExp] => [
    `where={"${name}":[null,"${key}"]}`,
    'where',
    RegExp(
      `no ${name} "${key.replace('$', '\\$')}"; it takes one such as ${example}, or null`,
    ),
  ]),
  [
    'where={"weekday":"Fri day"}',
    'where',
    /no weekday "Fri day"; it takes 1, 2, 3, 4, 5, 6, 7 or null/,
  ],
  [
    'where={"after":["loss","lost"]}',
    'where',
    /no after "lost"; it takes none, win, breakeven, loss, losses or null/,
  ],
  ['where={"tag":[]}', 'where', /no key for tag/],
  ['where={"tag":{"is":"x"}}', 'where', /keys of tag/],
  [`exclude={"tag":"${'x'.repeat(2000)}"}`, 'exclude', /at most 2000 characters/],
  ['best=0', 'best', /from 1 to 100/],
  ['worst=101', 'worst', /from 1 to 100/],
  ['sections=what_if', 'sections', /what_if needs exclude, best or worst/],
])('%s is refused', async (query, param, detail) => {
  const journal = new World();
  const { status, body } = await journal.ask(`${analytics}?${query}`, {
    key: journal.key(),
  });
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid_parameter', param });
  expect(body.detail).toMatch(detail);
});

test('as many as 100 best and worst trades are taken out', async () => {
  const journal = new World();
  for (let i = 0; i < 203; i++) journal.insert('trades', tradeRow(`t${i}`));
  const { body } = await journal.ask(`${analytics}?best=100&worst=100&sections=what_if`, {
    key: journal.key(),
  });
  expect(body.data.what_if).toMatchObject({
    excluded: { trades: 200 },
    without: { trades: 3 },
  });
});

test('the first of equal trades is the best and the last the worst, so that both are excluded', async () => {
  const journal = new World();
  for (const id of ['a', 'b', 'c'])
    journal.insert('trades', tradeRow(id, { gross_pnl: 10 }));
  const { body } = await journal.ask(`${analytics}?best=1&worst=1&sections=what_if`, {
    key: journal.key(),
  });
  expect(body.data.what_if).toMatchObject({
    excluded: { trades: 2, net_pnl: 20 },
    without: { trades: 1, net_pnl: 10 },
  });
});

test('a condition matches the id of a group with its case, and labels in any case', async () => {
  const journal = new World();
  for (const id of ['spread', 'SPREAD']) {
    const { table, row } = ROWS['trade-groups']!(id, '2026-11-10T14:30:00.000Z');
    journal.insert(table, row);
    journal.insert('trades', tradeRow(`of-${id}`, { group_id: id, setup: id }));
  }
  const key = journal.key();
  const tradesOf = async (condition: object) => {
    const query = `where=${encodeURIComponent(JSON.stringify(condition))}&sections=performance`;
    return (await journal.ask(`${analytics}?${query}`, { key })).body.data.performance
      .trades;
  };
  expect(await tradesOf({ group: 'spread' })).toBe(1);
  expect(await tradesOf({ group: ['spread', 'SPREAD'] })).toBe(2);
  expect(await tradesOf({ setup: 'spread' })).toBe(2);
});

test('conditions take ids of trades, as the key shows them, and a hint names unknown ones', async () => {
  const journal = new World();
  for (const id of ['a', 'A', 'aapl-1'])
    journal.insert('trades', tradeRow(id, { gross_pnl: 10 }));
  const ask = async (condition: object, key: string, name = 'where') => {
    const text = encodeURIComponent(JSON.stringify(condition));
    const { body } = await journal.ask(
      `${analytics}?${name}=${text}&sections=performance`,
      {
        key,
      },
    );
    return [body.data.performance.trades, body.hint];
  };
  const [full, key] = [
    journal.key(),
    journal.key(undefined, 'me', 'key_hides', hidden(['symbols'])),
  ];

  expect(await ask({ id: ['a', 'aapl-1'] }, full)).toEqual([2, undefined]);
  expect(await ask({ id: 'a' }, full, 'exclude')).toEqual([2, undefined]);
  expect(await ask({ id: 'aapl-2' }, full)).toEqual([
    0,
    'No closed trades have the id "aapl-2"; the nearest is "aapl-1".',
  ]);
  expect((await ask({ id: 'none' }, full))[1]).toBe(
    'No closed trades have the id "none".',
  );

  const { body } = await journal.ask('/v1/trades', { key, lens: true });
  const shown = body.data.map(({ id }: { id: string }) => id);
  expect(await ask({ id: shown }, key)).toEqual([3, undefined]);
  expect((await ask({ id: 'aapl-1' }, key))[0]).toBe(0);
});

test('a day to which the clock returns after midnight is one day', async () => {
  // On 2010-11-07 in St. John's, 00:01 was followed by 23:01 of the day before.
  const journal = new World({ timezone: 'America/St_Johns' });
  const times = [
    '2010-11-07T02:00',
    '2010-11-07T02:30',
    '2010-11-07T02:40',
    '2010-11-07T03:40',
  ];
  for (const [i, time] of times.entries()) {
    const closed_at = '2010-11-08T12:00:00.000Z';
    journal.insert(
      'trades',
      tradeRow(`t${i}`, {
        executed_at: `${time}:30.000Z`,
        closed_at,
        gross_pnl: 10 ** i,
      }),
    );
  }
  const { body } = await journal.ask(
    `${analytics}?group_by=trade_of_day&sections=groups`,
    {
      key: journal.key(),
    },
  );
  const rows = body.data.groups.map((row: any) => [
    row.by.trade_of_day,
    row.trades,
    row.net_pnl,
  ]);
  expect(rows).toEqual([
    ['1', 2, 11],
    ['2', 2, 1100],
  ]);
});
