/** Answers that leave no room for a wrong reading: matches, open trades, periods, labels, hints. */
import { beforeEach, describe, expect, test } from 'vitest';
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
const entry = (id: string, trade_id: string, more: object = {}) => ({
  id,
  trade_id,
  phase: 'post_trade',
  body: `about ${trade_id}`,
  created_at: at(1),
  ...more,
});
const records = ({ columns, rows, in_every_row }: Json): Json[] =>
  rows.map((row: Json[]) => ({
    ...in_every_row,
    ...Object.fromEntries(columns.map((name: string, i: number) => [name, row[i]])),
  }));
const ids = (table: Json) => records(table).map(({ id }) => id);

describe('find_trades', () => {
  test.each([
    [{ setup: 'ORB' }, ['a', 'b']],
    [{ setup: '(none)' }, ['c']],
    [{ setup: ['orb', '(none)'] }, ['a', 'b', 'c']],
    [{ weekday: ['Thu', 'FRIDAY'], side: 'short' }, ['b']],
    [{ week: '2026-W47' }, ['a', 'b', 'c']],
    [
      [{ setup: 'orb', side: 'long' }, { setup: null }],
      ['a', 'c'],
    ],
  ])('where %j lists the trades of a row', async (where, found) => {
    world.insert(
      'trades',
      closed('a', 1, { setup: 'orb' }),
      closed('b', 1, { setup: 'ORB', side: 'short' }),
      closed('c', 2),
      closed('d', 30, { setup: 'fade' }),
      tradeRow('open', { status: 'open', setup: 'orb', executed_at: at(1) }),
    );
    const { trades, matches } = await call(client, 'find_trades', { where });
    expect(ids(trades).sort()).toEqual(found);
    expect(matches).toEqual({
      trades: found.length,
      net_pnl: 10 * found.length,
      currency: 'USD',
    });
    const page = await call(client, 'find_trades', { where, limit: 1 });
    expect(page.matches).toEqual(matches);
    const { performance } = await call(client, 'analyze_performance', { where });
    expect(performance.trades).toBe(found.length);
  });

  test('rows say whether the trader wrote about a trade; notes adds the text after it', async () => {
    world.insert(
      'trades',
      closed('a', 1),
      closed('b', 2),
      closed('c', 3, { notes: 'own note' }),
      closed('d', 4),
    );
    world.insert(
      'trade_journals',
      entry('j1', 'a'),
      entry('j2', 'b', { phase: 'review', body: 'later' }),
    );
    const of = (table: Json, name: string) => records(table).map((row) => row[name]);
    const { trades } = await call(client, 'find_trades');
    expect(of(trades, 'has_notes')).toEqual([true, true, true, '']);
    expect(trades.columns).not.toContain('post_trade');
    const { trades: withTexts } = await call(client, 'find_trades', { notes: true });
    expect([withTexts.text_from, of(withTexts, 'post_trade')]).toEqual([
      'journal note',
      ['about a', '', 'own note', ''],
    ]);
    const narrow = await connectOverHttp(
      '2.4, automatic',
      await serveMcpOverHttp(world),
      world.key(['trades:read']),
    );
    expect(
      of((await call(narrow, 'find_trades', { notes: true })).trades, 'has_notes'),
    ).toEqual(['', '', true, '']);
  });

  test('an open trade has a realised P&L, its stop and risk; the answer has the total risk and no market price', async () => {
    const open = {
      status: 'open',
      side: 'long',
      quantity: 2,
      open_quantity: 2,
      multiplier: 1,
      gross_pnl: 0,
      fees: 1,
    };
    world.insert(
      'trades',
      tradeRow('a', { ...open, entry_price: 100, stop_loss: 90, executed_at: at(1) }),
      tradeRow('b', {
        ...open,
        entry_price: 50,
        initial_risk: 30,
        currency: 'EUR',
        fx_rate: 1.5,
        executed_at: at(2),
      }),
      tradeRow('c', { ...open, entry_price: 50, executed_at: at(3) }),
      ...['d', 'e'].map((id) =>
        tradeRow(id, {
          ...open,
          entry_price: 50,
          initial_risk: 4,
          currency: 'USDC',
          executed_at: at(4),
        }),
      ),
    );
    const answer = await call(client, 'find_trades', { status: 'open' });
    expect(answer).toMatchObject({
      total_open_risk: 65,
      risk_without_rate: { USDC: 8 },
      without_risk: 1,
      market_prices: expect.stringMatching(/unrealised/),
    });
    expect(records(answer.trades)[0]).toMatchObject({
      realised_pnl: 0,
      stop_loss: 90,
      risk: 20,
    });
    expect(answer.trades.columns).not.toContain('net_pnl');
    expect(answer.matches).toMatchObject({ trades: 5 });
    const one = await call(client, 'get_trade', { id: 'a' });
    expect(one).toMatchObject({ realised_pnl: 0, market_prices: expect.any(String) });
    expect(one).not.toHaveProperty('net_pnl');
    const { open: section } = await call(client, 'analyze_performance', {
      sections: ['open'],
    });
    expect(section).toMatchObject({ trades: 5, market_prices: expect.any(String) });
  });

  test('q without a match points to the journal', async () => {
    world.insert('trades', closed('a', 1));
    const { hint, matches } = await call(client, 'find_trades', { q: 'revenge' });
    expect([matches.trades, hint]).toEqual([0, expect.stringContaining('read_notes')]);
  });
});

test('read_notes has the number of matches, and the result of the trades that they are about', async () => {
  world.insert('trades', closed('a', 1), closed('b', 2, { gross_pnl: -4 }));
  world.insert(
    'trade_journals',
    entry('j1', 'a'),
    entry('j2', 'b'),
    entry('j3', 'a', { phase: 'review' }),
  );
  world.insert('sessions', { id: 's-1', date: '2026-11-18', plan: 'about' });
  const { notes, matches } = await call(client, 'read_notes', {
    kind: 'journals',
    q: 'about',
    limit: 1,
  });
  expect([notes.rows.length, matches]).toEqual([
    1,
    { notes: 3, trades: 2, net_pnl: 6, currency: 'USD' },
  ]);
  expect((await call(client, 'read_notes', { q: 'about' })).matches).toEqual({
    journals: 3,
    sessions: 1,
  });
});

test('read_notes answers whatever the length of the notes, and says that they are cut', async () => {
  const long = 'ä漢'.repeat(40_000);
  world.insert('trades', closed('a', 1));
  for (let i = 0; i < 20; i++)
    world.insert('trade_journals', entry(`j${i}`, 'a', { body: long, lesson: long }));
  world.insert('sessions', { id: 's-1', date: '2026-11-18', plan: long, notes: long });
  for (const given of [
    {},
    { limit: 20 },
    { kind: 'journals', limit: 20 },
    { kind: 'sessions' },
  ]) {
    const answer = await call(client, 'read_notes', given);
    expect(answer.texts).toMatch(/^cut to \d+ characters/);
    expect((answer.notes ?? answer.journals).rows.length).toBeGreaterThan(0);
  }
});

test('what is called percent is one', async () => {
  world.insert('trades', closed('a', 2, { gross_pnl: -109.4 }), closed('b', 3));
  const own = mcpWorld({ timezone: 'America/New_York', starting_balance: 990 });
  own.insert('trades', closed('a', 2, { gross_pnl: -109.4 }), closed('b', 3));
  const rich = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(own),
    own.key(),
  );
  const { performance } = await call(rich, 'analyze_performance', {
    sections: ['performance'],
  });
  expect(performance.max_drawdown.percent).toBe(10.94);
});

describe('periods', () => {
  test.each([
    ['last week', 1],
    ['Last-Week', 1],
    ['November 2026', 2],
    ['nov 2026', 2],
    ['2026-11-18', 1],
    ['2026-W46', 1],
    ['ALL', 3],
  ])('%s', async (period, trades) => {
    world.insert('trades', closed('a', 2), closed('b', 8), closed('c', 90));
    expect(
      (await call(client, 'analyze_performance', { period })).performance.trades,
    ).toBe(trades);
    expect((await call(client, 'find_trades', { period })).matches.trades).toBe(trades);
  });

  test('without trades, the answer says where the trades are', async () => {
    world.insert('trades', closed('a', 90));
    for (const tool of ['journal_summary', 'analyze_performance', 'find_trades']) {
      const { hint } = await call(client, tool, { period: '7d' });
      expect([tool, hint]).toEqual([tool, expect.stringContaining('2026-08-22')]);
    }
  });

  test('a summary of more than a year names the tool that has all of it', async () => {
    world.insert('trades', closed('a', 2), closed('b', 700));
    const { hint } = await call(client, 'journal_summary', { period: 'all' });
    expect(hint).toMatch(/last 365 days; analyze_performance/);
  });

  test('weeks have their number, and the last row says that it is not over', async () => {
    world.insert('trades', closed('a', 2), closed('b', 8));
    const answer = await call(client, 'analyze_performance', {
      group_by: 'week',
      top: 1,
    });
    expect(records(answer.groups).map(({ week }) => week)).toEqual([
      '2026-W46',
      '2026-W47',
    ]);
    expect([answer.last_row, answer.top_ignored]).toEqual([
      expect.stringContaining('2026-11-20'),
      expect.stringContaining('sort'),
    ]);
    const { trades } = await call(client, 'find_trades', { where: { week: '2026-W46' } });
    expect(ids(trades)).toEqual(['b']);
    // 2025 has 52 weeks: this isn't the first of 2026.
    const where = { week: '2025-W53' };
    await expect(call(client, 'find_trades', { where })).rejects.toThrow(/2025-W53/);
  });
});

test('a symbol that is an underlying, too, is named as one', async () => {
  world.insert(
    'trades',
    closed('a', 1, { symbol: 'SPY', underlying: null }),
    closed('b', 1, {
      symbol: 'SPY 2026-12-18 C700',
      underlying: 'SPY',
      market: 'option',
    }),
    closed('c', 1, { symbol: 'MNQZ6', underlying: 'MNQ', market: 'future' }),
  );
  const hintOf = async (symbol: string) =>
    (await call(client, 'analyze_performance', { symbol })).hint;
  expect(await hintOf('spy')).toBe(
    'symbol="spy" finds 1 trade in that exact instrument; underlying="spy" finds 2, with its options and futures',
  );
  expect(await hintOf('MNQ')).toContain('underlying="MNQ" finds 1');
  expect(await hintOf('MNQZ6')).toBeUndefined();
});

describe('errors', () => {
  test('name tools, not paths', async () => {
    const failures = await Promise.all(
      [
        call(client, 'get_trade', { id: 'nothing' }),
        call(client, 'find_trades', { cursor: 'x' }),
        call(client, 'journal_summary', { period: 'sometime' }),
      ].map((asked) =>
        asked.then(() => 'no error').catch((error: Error) => error.message),
      ),
    );
    for (const message of failures) expect(message).not.toMatch(/\/v1|no error/);
    expect(failures[0]).toContain('find_trades');
  });

  test('a request to write gets the command that the trader can run', async () => {
    expect(client.getInstructions()).toMatch(
      /journal-api annotate .*Today is 2026-11-20/,
    );
    await expect(call(client, 'update_trade', { id: 'a', setup: 'ORB' })).rejects.toThrow(
      /annotate/,
    );
  });

  test('ids in another letter case are found', async () => {
    world.insert('trades', closed('coinbase:ABC-EUR:9', 1, { group_id: null }));
    world.insert('trade_journals', entry('j1', 'coinbase:ABC-EUR:9'));
    expect((await call(client, 'get_trade', { id: 'COINBASE:abc-eur:9' })).id).toBe(
      'coinbase:ABC-EUR:9',
    );
    const { matches } = await call(client, 'read_notes', {
      kind: 'journals',
      trade_id: 'coinbase:abc-eur:9',
    });
    expect(matches.notes).toBe(1);
    await expect(call(client, 'get_trade', { id: 'coinbase:abc-eur:8' })).rejects.toThrow(
      /unknown trade id/,
    );
  });

  test('several labels where only one is possible', async () => {
    await expect(call(client, 'read_notes', { tag: ['a', 'b'] })).rejects.toThrow(
      'tag: send one label',
    );
  });
});
