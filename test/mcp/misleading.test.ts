/** Answers that once misled an agent or made it give up. */
import { beforeEach, describe, expect, test } from 'vitest';
import { setRules } from '../account-limits.ts';
import { DAY, NOW, tradeRow, type World } from '../helpers.ts';
import {
  type AnyClient,
  call,
  connectOverHttp,
  mcpWorld,
  serveMcpOverHttp,
} from './connect.ts';

type Json = any;

let world: World;
let client: AnyClient;

beforeEach(async () => {
  world = mcpWorld({ timezone: 'America/New_York' });
  client = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(world),
    world.key(),
  );
});

const at = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString();
const closed = (id: string, daysAgo: number, more: object = {}) =>
  tradeRow(id, {
    executed_at: at(daysAgo),
    closed_at: at(daysAgo),
    gross_pnl: 10,
    fees: 0,
    ...more,
  });
const withMistake = (id: string, mistake: string, gross_pnl: number) =>
  closed(id, 3, { mistakes: JSON.stringify([mistake]), gross_pnl });
const records = ({ columns, rows, in_every_row }: Json): Json[] =>
  rows.map((row: Json[]) => ({
    ...in_every_row,
    ...Object.fromEntries(columns.map((name: string, i: number) => [name, row[i]])),
  }));
const column = ({ columns, rows }: Json, name: string) =>
  rows.map((row: Json[]) => row[columns.indexOf(name)]);

describe('figures', () => {
  const ask = (given: object) => call(client, 'analyze_performance', given);

  test('an unused label gets a hint with the nearest one, not a silent zero', async () => {
    world.insert('trades', withMistake('t-1', 'revenge trade', -5));
    const given = [
      { mistake: 'revenge' },
      { where: { mistake: 'revenge' } },
      { exclude: { mistake: 'revenge' } },
    ];
    for (const one of given) expect((await ask(one)).hint).toContain('revenge trade');
    expect(await ask({ mistake: 'Revenge Trade' })).not.toHaveProperty('hint');
  });

  test('a series is complete; a very long one has the latest rows and a total of the earlier ones', async () => {
    world.insert('trades', ...Array.from({ length: 330 }, (_, i) => closed(`t-${i}`, i)));
    const months = await ask({ group_by: 'month' });
    expect(months.groups.rows.length).toBe(
      new Set(Array.from({ length: 330 }, (_, i) => at(i).slice(0, 7))).size,
    );
    const weeks = await ask({ group_by: 'week' });
    expect([weeks.groups.rows.length, weeks.earlier]).toEqual([48, undefined]);
    const { groups, earlier } = await ask({ group_by: 'day' });
    expect(column(groups, 'day')).toEqual(
      Array.from({ length: groups.rows.length }, (_, i) =>
        at(groups.rows.length - 1 - i).slice(0, 10),
      ),
    );
    expect(groups.rows.length).toBeGreaterThanOrEqual(125);
    expect(earlier).toEqual({
      groups: 330 - groups.rows.length,
      trades: 330 - groups.rows.length,
      net_pnl: 10 * (330 - groups.rows.length),
    });
  });

  test('cut groups are a ranking with a note on its order', async () => {
    world.insert(
      'trades',
      ...Array.from({ length: 30 }, (_, i) =>
        closed(`t-${i}`, i, {
          setup: `s${i}`,
          gross_pnl: i === 29 ? 14.5 : i - 15.5 + (i < 13 ? 0.5 : 0),
        }),
      ),
    );
    const { groups, ranking, groups_left_out } = await ask({ group_by: 'setup', top: 4 });
    expect(column(groups, 'net_pnl')).toEqual([-15, -14, -13, 14.5]);
    expect([ranking, groups_left_out.groups]).toEqual([
      expect.stringMatching(/absolute net P&L.*4 of 30/),
      26,
    ]);
    const best = await ask({ group_by: ['setup'], sort: 'best', top: 2 });
    expect(column(best.groups, 'setup')).toEqual(['s29', 's28']);
    const worst = await ask({ group_by: ['day'], sort: 'worst', top: 2 });
    expect(column(worst.groups, 'net_pnl')).toEqual([-15, -14]);
  });

  test('weekdays have names, and a note states entry or closing and the time zone', async () => {
    // 21:00 on Thursday in New York.
    world.insert(
      'trades',
      tradeRow('t-1', {
        executed_at: '2026-11-13T02:00:00.000Z',
        closed_at: '2026-11-13T15:00:00.000Z',
      }),
    );
    const { groups, times } = await ask({ group_by: ['weekday', 'month'] });
    expect(column(groups, 'weekday')).toEqual(['Thu']);
    expect(times).toBe('weekday by entry; month by closing, in America/New_York');
    for (const weekday of ['Thu', 'thursday', 4, '4']) {
      expect((await ask({ where: { weekday: [weekday] } })).performance.trades).toBe(1);
    }
  });

  test('no field shows a gain of trades with mistakes as a loss', async () => {
    world.insert('trades', withMistake('t-1', 'early', 50), closed('t-2', 2));
    for (const answer of [await ask({}), await call(client, 'journal_summary')]) {
      expect(answer.mistakes).toEqual({
        trades_with_mistakes: 1,
        net_pnl_with_mistakes: 50,
        net_pnl_without_mistakes: 10,
        group_entries: false,
      });
    }
  });

  test('an empty previous period is absent, not full of zeros', async () => {
    world.insert('trades', closed('t-1', 2));
    const answer = await ask({ period: '7d' });
    expect(answer).not.toHaveProperty('previous');
    expect(answer).not.toHaveProperty('previous_period');
    world.insert('trades', closed('t-2', 9));
    expect((await ask({ period: '7d' })).previous.trades).toBe(1);
  });

  test('a missing key is shown as (none), which finds its trades', async () => {
    world.insert('trades', closed('t-1', 2), closed('t-2', 2, { setup: 'breakout' }));
    const { groups } = await ask({ group_by: ['setup'] });
    expect(column(groups, 'setup').sort()).toEqual(['(none)', 'breakout']);
    expect((await ask({ where: { setup: '(none)' } })).performance.trades).toBe(1);
  });

  test('limits of accounts stay apart, say what they count, and name the command if there are none', async () => {
    const sections = ['limits'];
    expect((await ask({ sections })).limits).toMatch(/^none; .*journal-api limits set/);
    setRules(world, 'main', { daily_loss: 500, best_day: 0.5 });
    setRules(world, 'other', { trailing: 'intraday' });
    world.insert('trades', closed('t-1', 0, { account: 'main', gross_pnl: -700.25 }));
    const { limits } = await ask({ sections });
    expect(limits).toMatchObject([
      {
        ...{
          account: 'main',
          basis: expect.stringContaining('firms count open positions, too'),
          room: 1299.75,
          text_from: 'journal note',
          is_data: true,
        },
        day: { ends_at: '2026-11-21 00:00', net_pnl: -700.25, limit: 500, room: -200.25 },
        breached: { at: '2026-11-20 10:00', rule: 'daily_loss' },
        certainty: 'bounds',
        not_exact: { trades: 1, ids: ['t-1'] },
      },
      { account: 'other', floor_high: 48_000, certainty: 'bounds' },
    ]);
  });

  test('no leaks are a result, too few trades a reason', async () => {
    world.insert(
      'trades',
      ...Array.from({ length: 60 }, (_, i) =>
        closed(`t-${i}`, i, { gross_pnl: Math.sin(i * i) > 0 ? 10 : -10 }),
      ),
    );
    const { leaks, exits } = await ask({ sections: ['leaks', 'exits'] });
    expect(leaks).toMatchObject({
      costs: 'none beyond chance',
      gains: 'none beyond chance',
    });
    expect(exits.unavailable).toMatch(/fewer than 30 closed trades/);
  });
});

test('the summary shows the mistakes with the largest losses, not the most frequent ones', async () => {
  world.insert(
    'trades',
    withMistake('t-9', 'sized up', -500),
    withMistake('t-8', 'lucky', 5),
  );
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    world.insert(
      'trades',
      withMistake(`${name}1`, name, -1),
      withMistake(`${name}2`, name, -1),
    );
  }
  const summary = await call(client, 'journal_summary');
  expect(summary).not.toHaveProperty('common_mistakes');
  expect(summary.costliest_mistakes.distinct).toBe(7);
  expect(column(summary.costliest_mistakes.items, 'mistake')[0]).toBe('sized up');
  const key = world.key(['agent_summary:read']);
  const narrow = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(world),
    key,
  );
  expect(await call(narrow, 'journal_summary')).toHaveProperty('common_mistakes');
});

test('trades in several currencies are ranked in the base currency, which is shown', async () => {
  world.insert(
    'trades',
    closed('t-jpy', 2, { currency: 'JPY', fx_rate: 0.01, gross_pnl: -900 }),
    closed('t-usd', 2, { gross_pnl: -50 }),
  );
  const { trades } = await call(client, 'find_trades', { sort: 'net_pnl', order: 'asc' });
  expect(column(trades, 'id')).toEqual(['t-usd', 't-jpy']);
  expect(column(trades, 'net_pnl')).toEqual([-50, -900]);
  expect(column(trades, 'net_pnl_base')).toEqual(['', -9]);
});

test('prices are unchanged, and money is rounded to the cent', async () => {
  world.insert(
    'trades',
    closed('t-1', 2, {
      entry_price: 5744.75,
      exit_price: 0.00012345678,
      gross_pnl: 12345.67,
    }),
  );
  const { trades } = await call(client, 'find_trades');
  expect([column(trades, 'entry_price'), column(trades, 'exit_price')]).toEqual([
    [5744.75],
    [0.00012345678],
  ]);
  expect(column(trades, 'net_pnl')).toEqual([12345.67]);
  expect(await call(client, 'get_trade', { id: 't-1' })).toMatchObject({
    entry_price: 5744.75,
    net_pnl: 12345.67,
  });
});

test('a list has the number and the net P&L of all matches, shown or not', async () => {
  world.insert(
    'trades',
    ...Array.from({ length: 30 }, (_, i) =>
      closed(`t-${i}`, i, { setup: i < 25 ? 'orb' : 'x' }),
    ),
  );
  const page = await call(client, 'find_trades', { setup: 'ORB', limit: 5 });
  expect(page.matches).toEqual({ trades: 25, net_pnl: 250, currency: 'USD' });
  expect(column(page.trades, 'executed_at')[0]).toBe('2026-11-20 10:00');
  expect((await call(client, 'find_trades', { setup: 'x' })).matches).toEqual({
    trades: 5,
    net_pnl: 50,
    currency: 'USD',
  });
  const narrow = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(world),
    world.key(['trades:read']),
  );
  expect((await call(narrow, 'find_trades', { limit: 5 })).matches).toEqual({
    trades: 30,
    net_pnl: 300,
    currency: 'USD',
  });
});

test('a spread counts as one, and answers say so unless asked for a unit', async () => {
  world.insert('trade_groups', {
    id: 'g-1',
    name: 'condor',
    kind: 'multi_leg',
    market: 'option',
    status: 'closed',
    opened_at: at(2),
    closed_at: at(2),
    currency: 'USD',
  });
  world.insert(
    'trades',
    closed('t-1', 2, { group_id: 'g-1' }),
    closed('t-2', 2, { group_id: 'g-1' }),
    closed('t-3', 2),
  );
  const group = await call(client, 'get_trade', { id: 'g-1' });
  expect([
    group.id,
    group.name,
    group.net_pnl,
    column(group.trades, 'id').sort(),
  ]).toEqual(['g-1', 'condor', 20, ['t-1', 't-2']]);
  const says = 'legs of a spread count as one; unit=trade for legs';
  const found = await call(client, 'find_trades');
  expect([found.counts, found.matches.trades]).toEqual([says, 2]);
  expect(records(found.trades)).toMatchObject([
    { id: 't-3', kind: '', name: 'AAPL', net_pnl: 10 },
    { id: 'g-1', kind: 'multi_leg', name: 'condor', net_pnl: 20 },
  ]);
  const legs = await call(client, 'find_trades', { unit: 'trade' });
  const apart = 'each leg of a spread counts; unit=position counts a spread as one';
  expect([legs.counts, legs.matches.trades]).toEqual([apart, 3]);
  expect(column(legs.trades, 'group_id').sort()).toEqual(['', 'g-1', 'g-1']);

  for (const tool of ['journal_summary', 'analyze_performance']) {
    const usual = await call(client, tool);
    expect([usual.performance.trades, usual.counts]).toEqual([2, says]);
    for (const [unit, count, means] of [
      ['trade', 3, apart],
      ['position', 2, undefined],
    ] as const) {
      const { performance, counts } = await call(client, tool, { unit });
      expect([performance.trades, counts]).toEqual([count, means]);
    }
  }
});

test('an id of a trade and of a group is that of the trade, unless the kind is sent', async () => {
  world.insert('trade_groups', {
    id: 'both',
    name: 'pair',
    kind: 'custom',
    market: 'stock',
    status: 'closed',
    opened_at: at(2),
    closed_at: at(2),
    currency: 'USD',
  });
  world.insert('trades', closed('both', 2), closed('leg', 2, { group_id: 'both' }));
  expect(await call(client, 'get_trade', { id: 'both' })).toMatchObject({
    symbol: 'AAPL',
  });
  const group = await call(client, 'get_trade', { id: 'both', kind: 'group' });
  expect([group.name, column(group.trades, 'id')]).toEqual(['pair', ['leg']]);
  const asked = call(client, 'get_trade', { id: 'none', kind: 'group' });
  await expect(asked).rejects.toThrow('there is no trade group with the id "none"');
});

test('notes about legs are about their group', async () => {
  world.insert('trade_groups', {
    id: 'g-1',
    name: 'condor',
    kind: 'multi_leg',
    market: 'option',
    status: 'closed',
    opened_at: at(2),
    closed_at: at(2),
    currency: 'USD',
  });
  world.insert(
    'trades',
    closed('t-1', 2, { group_id: 'g-1' }),
    closed('t-2', 2, { group_id: 'g-1' }),
    closed('t-3', 2),
  );
  const entry = { phase: 'post_trade', created_at: at(1) };
  world.insert('trade_journals', {
    ...entry,
    id: 'a',
    trade_id: 't-1',
    body: 'skewed put',
  });
  world.insert('trade_journals', {
    ...entry,
    id: 'b',
    trade_id: 't-3',
    body: 'skewed stock',
  });
  world.insert('group_journals', {
    ...entry,
    id: 'c',
    group_id: 'g-1',
    body: 'skewed condor',
  });

  const { matches, notes } = await call(client, 'read_notes', {
    kind: 'journals',
    q: 'skewed',
  });
  expect(matches).toEqual({ notes: 3, trades: 2, net_pnl: 30, currency: 'USD' });
  expect(column(notes, 'net_pnl').sort()).toEqual([10, 20, 20]);
  const legs = { kind: 'journals', q: 'skewed', unit: 'trade' };
  expect(
    column((await call(client, 'read_notes', legs)).notes, 'net_pnl').sort(),
  ).toEqual([10, 10, 20]);

  const found = await call(client, 'find_trades', { has_journal: true, notes: true });
  expect(records(found.trades)).toMatchObject([
    { id: 't-3', has_notes: true, post_trade: 'skewed stock' },
    { id: 'g-1', has_notes: true, post_trade: 'skewed condor' },
  ]);
});

describe('harmless variants of arguments are accepted', () => {
  test.each([
    ['analyze_performance', { group_by: 'setup' }, { group_by: ['setup'] }],
    [
      'analyze_performance',
      { group_by: 'setup, weekday' },
      { group_by: ['setup', 'weekday'] },
    ],
    [
      'analyze_performance',
      { group_by: '["Setup"]', top: '1' },
      { group_by: ['setup'], top: 1 },
    ],
    [
      'analyze_performance',
      { where: '{"setup":"orb"}', sections: 'performance' },
      { where: { setup: 'orb' }, sections: ['performance'] },
    ],
    ['analyze_performance', { unit: 'Positions', period: null }, { unit: 'position' }],
    ['find_trades', { limit: '1', has_stop: 'False' }, { limit: 1, has_stop: false }],
    [
      'find_trades',
      { side: 'Long', market: 'Stocks', outcome: 'wins' },
      { side: 'long', market: 'stock', outcome: 'win' },
    ],
    [
      'find_trades',
      { outcome: 'losses', min_net_pnl: '-100' },
      { outcome: 'loss', min_net_pnl: -100 },
    ],
    ['find_trades', { symbol: 7203 }, { symbol: '7203' }],
    ['journal_summary', { period: 2026 }, { period: '2026' }],
    [
      'read_notes',
      { kind: 'missed-trades', limit: '2' },
      { kind: 'missed_trades', limit: 2 },
    ],
  ])('%s %j', async (name, given, meant) => {
    world.insert(
      'trades',
      closed('t-1', 2, { setup: 'orb' }),
      closed('t-2', 3, { gross_pnl: -4 }),
    );
    expect(await call(client, name, given)).toEqual(await call(client, name, meant));
  });
});

describe('read_notes', () => {
  beforeEach(() => {
    world.insert('trades', closed('t-1', 2), closed('t-2', 3));
    const entry = { phase: 'review', body: 'moved my stop', created_at: at(2) };
    world.insert(
      'trade_journals',
      { id: 'j-1', trade_id: 't-1', ...entry, emotions: '["fear"]', followed_plan: 0 },
      { id: 'j-2', trade_id: 't-2', ...entry, phase: 'during', followed_plan: 1 },
    );
    world.insert('sessions', {
      id: 's-1',
      date: '2026-11-18',
      plan: 'never move a stop',
    });
    world.insert('weekly_reviews', {
      id: 'w-1',
      period_start: '2026-11-16',
      period_end: '2026-11-22',
      lesson: 'wait',
    });
  });
  const ids = (table: Json) => (table ? column(table, 'id').sort() : []);

  test('without a kind searches all kinds that the key can read and that have the filter', async () => {
    const found = await call(client, 'read_notes', { q: 'stop' });
    expect([ids(found.journals), ids(found.sessions), ids(found.reviews)]).toEqual([
      ['j-1', 'j-2'],
      ['s-1'],
      [],
    ]);
    expect(found.looked_through).toEqual([
      'journals',
      'sessions',
      'reviews',
      'missed_trades',
    ]);
    expect(
      (await call(client, 'read_notes', { emotion: 'fear' })).looked_through,
    ).toEqual(['journals', 'missed_trades']);
    expect((await call(client, 'read_notes', { q: 'stop', limit: 1 })).more_of).toEqual([
      'journals',
    ]);
    const key = world.key(['sessions:read']);
    const narrow = await connectOverHttp(
      '2.4, automatic',
      await serveMcpOverHttp(world),
      key,
    );
    expect((await call(narrow, 'read_notes')).looked_through).toEqual(['sessions']);
    await expect(call(narrow, 'read_notes', { emotion: 'fear' })).rejects.toThrow(
      /no kind of notes .* has emotion/,
    );
  });

  test("shows the result of an entry's trade, if the key can read trades", async () => {
    const given = { kind: 'journals', trade_id: 't-1' };
    const { notes } = await call(client, 'read_notes', given);
    expect([column(notes, 'net_pnl'), column(notes, 'currency')]).toEqual([
      [10],
      ['USD'],
    ]);
    expect(
      column((await call(client, 'read_notes', { emotion: 'fear' })).journals, 'net_pnl'),
    ).toEqual([10]);
    const key = world.key(['journals:read']);
    const narrow = await connectOverHttp(
      '2.4, automatic',
      await serveMcpOverHttp(world),
      key,
    );
    expect((await call(narrow, 'read_notes', given)).notes.columns).not.toContain(
      'net_pnl',
    );
  });

  test.each([
    [{ emotion: 'FEAR' }, ['j-1']],
    [{ phase: 'during' }, ['j-2']],
    [{ followed_plan: false }, ['j-1']],
    [{ trade_id: 't-2' }, ['j-2']],
    [{ start: '2026-11-18', end: '2026-11-18' }, ['j-1', 'j-2']],
    [{ start: '2026-11-19' }, []],
  ])('%j', async (given, found) => {
    expect(
      ids((await call(client, 'read_notes', { kind: 'journals', ...given })).notes),
    ).toEqual(found);
  });
});

test('every call of weekly_review works as printed', async () => {
  world.insert('trades', closed('t-1', 2, { setup: 'orb' }));
  world.insert(
    'sessions',
    { id: 's-1', date: '2026-11-18' },
    { id: 's-2', date: '2026-11-09' },
  );
  const { messages } = await client.getPrompt({
    name: 'weekly_review',
    arguments: { week_of: '2026-11-18' },
  });
  const calls = [...messages[0].content.text.matchAll(/^\d\. (\w+) (\{.*\})/gm)];
  const tools = [
    ...Array(3).fill('analyze_performance'),
    'find_trades',
    'find_trades',
    'read_notes',
  ];
  expect(calls.map(([, name]) => name)).toEqual(tools);
  const answers = await Promise.all(
    calls.map(([, name, given]) =>
      call(client, name as string, JSON.parse(given as string)),
    ),
  );
  expect(answers[0].performance.trades).toBe(1);
  expect(column(answers[1].groups, 'setup')).toEqual(['orb']);
  expect(column(answers[5].sessions, 'id')).toEqual(['s-1']);
});

test('a key that hides money: figures and rankings in R, and errors that name the reason', async () => {
  world.insert(
    'trades',
    ...Array.from({ length: 30 }, (_, i) =>
      closed(`t-${i}`, i, { setup: `s${i % 15}`, initial_risk: 10 }),
    ),
  );
  world.insert('trades', withMistake('t-m', 'early', -5));
  const lens = { accounts: null, since: null, hides: ['money'] as const };
  const key = world.key(undefined, 'me', 'key_lens', lens);
  const hiding = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(world),
    key,
  );
  expect(hiding.getInstructions()).toContain('shows everything, without money');
  const summary = await call(hiding, 'journal_summary');
  expect(summary).toHaveProperty('common_mistakes');
  expect(summary.performance).toHaveProperty('expectancy_r');
  expect(Object.keys(summary.performance)).not.toContain('largest_win');
  // Each trade nets 10 or -5, at a risk of 10 but for one without.
  const total = column(summary.curve, 'total_r').reduce(
    (sum: number, own: number | '') => sum + Number(own),
    0,
  );
  expect(summary.curve.columns).toEqual(['week', 'total_r', 'r_sample']);
  expect(total).toBeCloseTo(summary.performance.total_r, 1);
  world.insert(
    'trades',
    ...Array.from({ length: 80 }, (_, i) =>
      closed(`d-${i}`, i + 40, { initial_risk: 5 + i }),
    ),
  );
  const { groups: days } = await call(hiding, 'analyze_performance', {
    group_by: 'day',
    period: '1y',
  });
  expect([...days.columns, ...Object.keys(days.in_every_row)].sort()).toEqual([
    'day',
    'r_sample',
    'total_r',
    'trades',
    'win_rate',
  ]);
  const { best_in_r, worst_in_r } = await call(hiding, 'journal_summary', {
    period: '1y',
  });
  expect([best_in_r, worst_in_r]).toMatchObject([
    { trade_id: 'd-0', r_multiple: 2 },
    { trade_id: 'd-79', r_multiple: 0.119 },
  ]);
  world.db.exec("DELETE FROM trades WHERE id LIKE 'd-%'");
  world.db.exec('UPDATE trades SET initial_risk = NULL');
  const without = await call(hiding, 'journal_summary');
  expect([without.curve, JSON.stringify(without)]).toEqual([
    undefined,
    expect.stringContaining('R needs one'),
  ]);
  world.db.exec("UPDATE trades SET initial_risk = 10 WHERE id <> 't-m'");
  const { groups, ranking, groups_left_out } = await call(hiding, 'analyze_performance', {
    group_by: 'setup',
    top: 3,
  });
  expect([groups.columns.includes('net_pnl'), ranking]).toEqual([
    false,
    expect.stringMatching(/^the largest by absolute R, worst first: 3 of/),
  ]);
  const number = expect.any(Number);
  expect(groups_left_out).toEqual({
    groups: 13,
    trades: number,
    total_r: number,
    r_sample: number,
  });
  const refused: [string, object, RegExp][] = [
    ['find_trades', { sort: 'net_pnl' }, /sort uses money, which this key hides/],
    ['find_trades', { min_net_pnl: 5 }, /min_net_pnl uses money, which this key hides/],
    ['analyze_performance', { best: 2 }, /best uses money/],
    [
      'analyze_performance',
      { group_by: 'setup', sort: 'worst' },
      /sort uses money, which this key hides; remove sort/,
    ],
  ];
  for (const [name, given, message] of refused)
    await expect(call(hiding, name, given)).rejects.toThrow(message);
  const { messages } = await hiding.getPrompt({
    name: 'weekly_review',
    arguments: { week_of: '2026-11-18' },
  });
  for (const [, name, given] of messages[0].content.text.matchAll(
    /^\d\. (\w+) (\{.*\})/gm,
  ))
    await call(hiding, name, JSON.parse(given));
});
