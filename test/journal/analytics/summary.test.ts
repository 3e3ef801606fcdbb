/** The compact summary: small for any journal, in a stable order, for the right days. */
import { describe, expect, test } from 'vitest';
import { ROWS, type Row, tradeRow, World } from '../../helpers.ts';

const scopes = ['agent_summary:read'] as const;

const NOTHING = {
  period: {
    days: 30,
    start: '2026-10-22T00:00:00.000Z',
    end: '2026-11-21T00:00:00.000Z',
  },
  top_symbols: { most_traded: [], best: [], worst: [], distinct: 0 },
  common_tags: { items: [], distinct: 0 },
  common_mistakes: { items: [], distinct: 0 },
  recent_journals: [],
  weekly_reviews: [],
  missed_trades: [],
};

test('an empty journal has zeros, nulls and empty lists', async () => {
  const world = new World();
  const { body } = await world.ask('/v1/summary', { key: world.key(scopes) });
  expect(body.data).toMatchObject(NOTHING);
  expect(body.data.performance).toMatchObject({
    trades: 0,
    net_pnl: 0,
    win_rate: null,
    max_drawdown: null,
  });
});

test('exits of one instant are one step of the fall of their day', async () => {
  const world = new World();
  for (const [id, gross_pnl, time] of [
    ['loss', -100, '10:00'],
    ['gain', 150, '10:00'],
    ['later', -20, '11:00'],
  ] as const) {
    const closed_at = `2026-11-20T${time}:00.000Z`;
    world.insert(
      'trades',
      tradeRow(id, { gross_pnl, executed_at: closed_at, closed_at }),
    );
  }
  const { body } = await world.ask('/v1/analytics/summary?sections=realised', {
    key: world.key(),
  });
  expect(body.data.realised).toMatchObject([{ exits: 3, drawdown: 20, lowest: 20 }]);
});

test('the closed trades of the whole journal are counted, for any number', async () => {
  const world = new World();
  world.insert('trades', tradeRow('open', { status: 'open' }));
  const copy = world.db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO trades (user_id, id, symbol, market, side, status, executed_at, closed_at, quantity, open_quantity, entry_price, exit_price, currency, gross_pnl)
     SELECT 'me', ? || i, 'AAPL', 'stock', 'long', 'closed', '2020-01-02T10:00:00.000Z', '2020-01-0' || (2 + i % 3) || 'T10:00:00.000Z', 1, 0, 1, 1, 'USD', 0 FROM n`,
  );
  const key = world.key();
  const extent = async () => (await world.ask('/v1/summary', { key })).body.data.journal;
  copy.run(9_999, 'a');
  const days = {
    first_trade_at: '2020-01-02T10:00:00.000Z',
    last_trade_at: '2020-01-04T10:00:00.000Z',
  };
  expect(await extent()).toEqual({ ...days, closed_trades: 9_999 });
  copy.run(10_002, 'b');
  expect(await extent()).toEqual({ ...days, closed_trades: 20_001 });
  // With another user in the file, the query differs.
  world.addUser('other');
  world.insert('trades', { ...tradeRow('theirs'), user_id: 'other' });
  expect(await extent()).toEqual({ ...days, closed_trades: 20_001 });
});

describe('the period', () => {
  test.each([
    ['', 30],
    ['period=7d', 7],
    ['period=4w', 28],
    ['period=3m', 90],
    ['period=1y', 365],
    ['period=365d', 365],
    ['period=366d', 365],
    ['period=13m', 365],
    ['period=99999999999999999999y', 365],
    ['days=1', 1],
    ['days=366', 365],
    [`days=${'9'.repeat(400)}`, 365],
    ['days=30.0', 30],
    ['days=7.000', 7],
    ['days=10&period=7d', 10],
    ['period=7d&days=10', 10],
  ])('?%s has %i days', async (query, days) => {
    const world = new World();
    const { body } = await world.ask(`/v1/summary?${query}`, { key: world.key(scopes) });
    expect(body.data.period.days).toBe(days);
    expect(Date.parse(body.data.period.end) - Date.parse(body.data.period.start)).toBe(
      days * 86_400_000,
    );
  });

  test.each([
    ['period', ''],
    ['period', '7'],
    ['period', 'd'],
    ['period', '0d'],
    ['period', '07d'],
    ['period', '-7d'],
    ['period', '1.5d'],
    ['period', '7D'],
    ['period', '7h'],
    ['period', '7 d'],
    ['period', 'last week'],
    ['days', ''],
    ['days', '0'],
    ['days', '-1'],
    ['days', '1.5'],
    ['days', '1.'],
    ['days', '0.0'],
    ['period', 'this_decade'],
    ['period', 'Today'],
    ['end', '2026-11-31'],
    ['end', '2026-11-20T00:00:00Z'],
    ['end', 'yesterday'],
    ['days', '1e2'],
    ['days', '7d'],
    ['days', 'all'],
  ])('%s=%s is refused', async (param, value) => {
    const world = new World();
    const { status, body } = await world.ask(
      `/v1/summary?${param}=${encodeURIComponent(value)}`,
      {
        key: world.key(scopes),
      },
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_parameter', param });
  });

  test('an invalid period is refused even if days has priority', async () => {
    const world = new World();
    const { status } = await world.ask('/v1/summary?days=7&period=soon', {
      key: world.key(scopes),
    });
    expect(status).toBe(400);
  });

  test.each([
    // Across the end of summer time: 30 days, and an hour.
    [
      'America/New_York',
      '2026-11-20T15:00:00.000Z',
      30,
      '2026-10-22T04:00:00.000Z',
      '2026-11-21T05:00:00.000Z',
    ],
    // Before midnight it is still the previous day.
    [
      'America/New_York',
      '2026-11-20T04:59:59.999Z',
      1,
      '2026-11-19T05:00:00.000Z',
      '2026-11-20T05:00:00.000Z',
    ],
    [
      'America/New_York',
      '2026-11-20T05:00:00.000Z',
      1,
      '2026-11-20T05:00:00.000Z',
      '2026-11-21T05:00:00.000Z',
    ],
    // Days of 23 and of 25 hours.
    [
      'Europe/Dublin',
      '2026-03-29T12:00:00.000Z',
      1,
      '2026-03-29T00:00:00.000Z',
      '2026-03-29T23:00:00.000Z',
    ],
    [
      'Europe/Dublin',
      '2026-10-25T12:00:00.000Z',
      1,
      '2026-10-24T23:00:00.000Z',
      '2026-10-26T00:00:00.000Z',
    ],
    // Half an hour of summer time.
    [
      'Australia/Lord_Howe',
      '2026-10-04T03:00:00.000Z',
      2,
      '2026-10-02T13:30:00.000Z',
      '2026-10-04T13:00:00.000Z',
    ],
    [
      'Asia/Kolkata',
      '2026-11-20T18:29:59.999Z',
      1,
      '2026-11-19T18:30:00.000Z',
      '2026-11-20T18:30:00.000Z',
    ],
    [
      'UTC',
      '2024-03-01T00:00:00.000Z',
      2,
      '2024-02-29T00:00:00.000Z',
      '2024-03-02T00:00:00.000Z',
    ],
  ])(
    'in %s at %s the last %i days are %s to %s',
    async (timezone, now, days, start, end) => {
      const world = new World({ timezone });
      world.now = Date.parse(now);
      const key = world.key(scopes);
      world.insert(
        'trades',
        ...[start, end].flatMap((edge) =>
          [-1, 0].map((ms) => {
            const closed_at = new Date(Date.parse(edge) + ms).toISOString();
            return tradeRow(closed_at, {
              id: closed_at,
              executed_at: '2024-01-01T00:00:00.000Z',
              closed_at,
              gross_pnl:
                edge === start && ms === 0 ? 5 : edge === end && ms === -1 ? 7 : 1000,
            });
          }),
        ),
      );
      const { body } = await world.ask(`/v1/summary?days=${days}`, { key });
      expect(body.data.period).toMatchObject({ days, start, end, timezone });
      expect(body.data.performance).toMatchObject({ trades: 2, net_pnl: 12 });
    },
  );
});

describe('the lists', () => {
  test('have the newest records of the period, ties by id', async () => {
    const world = new World();
    world.insert('trades', tradeRow('t'));
    world.insert(
      'trade_groups',
      ROWS['trade-groups']!('g', '2026-11-01T10:00:00.000Z').row,
    );
    const at = '2026-11-18T10:00:00.000Z';
    for (const id of ['b', 'a', 'd', 'c']) {
      world.insert('trade_journals', {
        id,
        trade_id: 't',
        phase: 'review',
        created_at: at,
      });
      world.insert('missed_trades', ROWS['missed-trades']!(id, at).row);
    }
    // The same id at the same time: only the type differs.
    world.insert('group_journals', {
      id: 'd',
      group_id: 'g',
      phase: 'review',
      created_at: at,
    });
    world.insert('trade_journals', {
      id: 'new',
      trade_id: 't',
      phase: 'review',
      created_at: '2026-11-20T23:59:59.999Z',
    });
    world.insert('missed_trades', {
      ...ROWS['missed-trades']!('noisy', '2026-11-19T10:00:00.000Z').row,
      hypothetical_r: 0.1 + 0.2,
    });
    world.insert('trade_journals', {
      id: 'old',
      trade_id: 't',
      phase: 'review',
      created_at: '2026-10-21T23:59:59.999Z',
    });
    world.insert(
      'missed_trades',
      ROWS['missed-trades']!('old', '2026-10-21T23:59:59.999Z').row,
    );
    const { body } = await world.ask('/v1/summary', { key: world.key(scopes) });
    const { recent_journals, missed_trades } = body.data;
    expect(
      recent_journals.map((entry: Row) => `${entry['id']} ${entry['type']}`),
    ).toEqual(['new trade', 'd trade', 'd group', 'c trade', 'b trade']);
    expect(missed_trades.map((missed: Row) => missed['id'])).toEqual([
      'noisy',
      'd',
      'c',
      'b',
      'a',
    ]);
    expect(missed_trades[0].hypothetical_r).toBe(0.3);
  });

  test('have the reviews of the weeks that share a day with the period', async () => {
    const world = new World();
    const week = (id: string, period_start: string, period_end: string) =>
      world.insert('weekly_reviews', { id, period_start, period_end, summary: id });
    week('long-before', '2026-11-02', '2026-11-08');
    week('ends-the-day-before', '2026-11-09', '2026-11-13');
    week('ends-on-the-first-day', '2026-11-09', '2026-11-14');
    week('within', '2026-11-16', '2026-11-18');
    week('goes-on', '2026-11-20', '2026-11-26');
    week('is-to-come', '2026-11-21', '2026-11-27');
    const { body } = await world.ask('/v1/summary?days=7', { key: world.key(scopes) });
    expect(body.data.weekly_reviews.map((review: Row) => review['id'])).toEqual([
      'goes-on',
      'within',
      'ends-on-the-first-day',
    ]);
  });

  test('have symbols, tags and mistakes by count and by money', async () => {
    const world = new World();
    const closed = (id: string, symbol: string, gross_pnl: number, more: Row = {}) =>
      world.insert('trades', tradeRow(id, { symbol, gross_pnl, ...more }));
    closed('1', '7203', 10, { tags: '["open","news"]' });
    closed('2', '7203', -30, { tags: '["news"]', mistakes: '["chased"]' });
    closed('3', 'AAPL', 5);
    closed('4', 'NQ', -5);
    closed('5', 'ES', 0);
    closed('6', 'CL', 50, { tags: '["fade"]' });
    const { body } = await world.ask('/v1/summary', { key: world.key(scopes) });
    const { top_symbols, common_tags, common_mistakes } = body.data;
    expect(top_symbols).toEqual({
      most_traded: [
        { symbol: '7203', trades: 2, net_pnl: -20, win_rate: 0.5 },
        { symbol: 'AAPL', trades: 1, net_pnl: 5, win_rate: 1 },
        { symbol: 'CL', trades: 1, net_pnl: 50, win_rate: 1 },
        { symbol: 'ES', trades: 1, net_pnl: 0, win_rate: 0 },
        { symbol: 'NQ', trades: 1, net_pnl: -5, win_rate: 0 },
      ],
      best: [
        { symbol: 'CL', trades: 1, net_pnl: 50, win_rate: 1 },
        { symbol: 'AAPL', trades: 1, net_pnl: 5, win_rate: 1 },
      ],
      worst: [
        { symbol: '7203', trades: 2, net_pnl: -20, win_rate: 0.5 },
        { symbol: 'NQ', trades: 1, net_pnl: -5, win_rate: 0 },
      ],
      distinct: 5,
    });
    expect(common_tags).toEqual({
      items: [
        { tag: 'news', trades: 2, net_pnl: -20, win_rate: 0.5 },
        { tag: 'fade', trades: 1, net_pnl: 50, win_rate: 1 },
        { tag: 'open', trades: 1, net_pnl: 10, win_rate: 1 },
      ],
      distinct: 3,
    });
    expect(common_mistakes).toEqual({
      items: [{ mistake: 'chased', trades: 1, net_pnl: -30, win_rate: 0 }],
      distinct: 1,
    });
  });
});

describe('excerpts', () => {
  const excerptOf = async (body: string | null, more: Row = {}) => {
    const world = new World();
    world.insert('trades', tradeRow('t'));
    world.insert('trade_journals', {
      id: 'j',
      trade_id: 't',
      phase: 'review',
      created_at: '2026-11-18T10:00:00.000Z',
      body,
      ...more,
    });
    const reply = await world.ask('/v1/summary', { key: world.key(scopes) });
    return reply.body.data.recent_journals[0];
  };

  test('a short text is whole, on one line', async () => {
    expect((await excerptOf('  Waited.\n\n- took\tit \r\n')).excerpt).toBe(
      'Waited. - took it',
    );
  });

  test('a long one is cut at a word and marked', async () => {
    const text = Array.from({ length: 200 }, (_, i) => `word${i},`).join(' ');
    const { excerpt } = await excerptOf(text);
    expect(excerpt).toMatch(/^word0, .* word\d+…$/);
    expect([...excerpt].length).toBeLessThanOrEqual(240);
    expect([...excerpt].length).toBeGreaterThan(225);
    const kept = excerpt.slice(0, -1);
    expect(text.startsWith(`${kept},`)).toBe(true);
  });

  test('a text without words is cut between letters, never within one', async () => {
    const { excerpt } = await excerptOf('📈'.repeat(500));
    expect(excerpt).toBe(`${'📈'.repeat(239)}…`);
  });

  test('without a body it is from went_well, else from went_wrong', async () => {
    expect(
      (await excerptOf(null, { went_well: 'well', went_wrong: 'wrong' })).excerpt,
    ).toBe('well');
    expect((await excerptOf(null, { went_wrong: 'wrong' })).excerpt).toBe('wrong');
    expect(await excerptOf(null)).toMatchObject({
      title: null,
      excerpt: null,
      lesson: null,
    });
  });
});

describe('it stays under 8 KB', () => {
  const long: [string, string][] = [
    ['words', 'a patient entry at the open '.repeat(4000)],
    ['one endless word', 'x'.repeat(100_000)],
    ['emoji', '👩‍👩‍👧‍👦📈 '.repeat(8000)],
    ['control characters', '\u0001\u0007\u001b'.repeat(33_000)],
    ['quotes and backslashes', '"\\'.repeat(50_000)],
    ['three-byte script', '利食いが早すぎた'.repeat(4000)],
    ['combining marks', 'e\u0301\u0323'.repeat(30_000)],
    ['blanks', ' \n\t'.repeat(33_000)],
  ];

  const fill = (world: World, text: string) => {
    const id = (name: string, i: number) => `${name}-${i}-`.padEnd(128, 'x');
    const at = (i: number) =>
      new Date(Date.parse('2026-11-10T10:00:00.000Z') + i * 60_000).toISOString();
    // Every character counts as one of the 64, for any number of bytes.
    const symbol = (i: number) =>
      `${i}`
        .padStart(4, '株')
        .padEnd(64, [...text].slice(0, 64).join('').trim() || '株')
        .slice(0, 64);
    world.db.transaction(() => {
      world.insert('trade_groups', {
        ...ROWS['trade-groups']!(id('group', 0), at(0)).row,
        underlying: symbol(0),
        strategy: text.slice(0, 5000),
        tags: JSON.stringify([text.slice(0, 300)]),
      });
      for (let i = 0; i < 500; i++) {
        const currency = `X${i}`.padEnd(10, 'Z');
        world.insert(
          'trades',
          tradeRow(id('unrated', i), { executed_at: at(i % 40), currency }),
        );
      }
      for (let i = 0; i < 40; i++) {
        world.insert('trades', {
          ...tradeRow(id('trade', i)),
          group_id: i < 20 ? id('group', 0) : null,
          setup: `${i} ${text.slice(0, 500)}`,
          initial_risk: 1e-8,
          symbol: symbol(i),
          executed_at: at(i),
          closed_at: at(i + 1),
          gross_pnl: (i % 2 ? -1 : 1) * (12_345_678.123_456_78 + i),
          tags: JSON.stringify(
            Array.from({ length: 100 }, (_, k) => `${i * 100 + k} ${text.slice(0, 300)}`),
          ),
          mistakes: JSON.stringify([`${i} ${text.slice(0, 2000)}`]),
        });
      }
      for (let i = 0; i < 8; i++) {
        world.insert('trade_journals', {
          id: id('entry', i),
          trade_id: id('trade', i),
          phase: 'post_trade',
          title: text,
          body: text,
          lesson: text,
          mistakes: JSON.stringify([`noted ${i} ${text.slice(0, 2000)}`]),
          created_at: at(i),
        });
        world.insert('weekly_reviews', {
          id: id('week', i),
          period_start: '2026-11-09',
          period_end: '2026-11-15',
          summary: text,
          lesson: text,
          focus: text,
          rating: 5,
        });
        world.insert('missed_trades', {
          ...ROWS['missed-trades']!(id('missed', i), at(i)).row,
          symbol: symbol(i),
          setup: text,
          reason: text,
          hypothetical_r: -1234.567891,
        });
      }
    })();
  };

  test.each(long)('with texts of %s', async (_name, text) => {
    const world = new World({
      base_currency: 'USD',
      starting_balance: 123_456_789.123,
      timezone: 'America/Argentina/ComodRivadavia',
    });
    fill(world, text);
    const key = world.key(scopes);
    const first = await world.ask('/v1/summary', { key });
    expect(first.status).toBe(200);
    expect(Buffer.byteLength(first.text)).toBeLessThan(8 * 1024);
    expect(first.body.data.performance.trades).toBe(40);
    expect(first.body.data.common_tags.distinct).toBe(4000);
    expect((await world.ask('/v1/summary', { key })).text).toBe(first.text);
    world.now = Date.parse('2026-12-05T10:00:00.000Z');
    const month = await world.ask('/v1/summary?unit=position&period=last_month', { key });
    expect(month.body.data).toMatchObject({
      performance: { trades: 21 },
      data_quality: { without_rate: 500 },
    });
    expect(Buffer.byteLength(month.text)).toBeLessThan(8 * 1024);
  });

  test('a journal of ordinary texts keeps its long excerpts', async () => {
    const world = new World();
    world.insert('trades', tradeRow('t', { tags: '["news"]' }));
    const text =
      'Took the second test of the level, sized down, and let it run to the target without touching the stop. '.repeat(
        3,
      );
    for (let i = 0; i < 5; i++) {
      const created_at = `2026-11-1${i}T10:00:00.000Z`;
      world.insert('trade_journals', {
        id: `j${i}`,
        trade_id: 't',
        phase: 'post_trade',
        title: 'Second test',
        body: text,
        lesson: text,
        created_at,
      });
    }
    const { body } = await world.ask('/v1/summary', { key: world.key(scopes) });
    expect(body.data.recent_journals).toHaveLength(5);
    expect(body.data.recent_journals[0].excerpt.length).toBeGreaterThan(200);
  });
});
