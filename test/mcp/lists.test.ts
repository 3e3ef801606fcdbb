/** Counts, ids and hints of tools, over an API whose pages may be short. */
import { beforeEach, expect, test } from 'vitest';
import { askApp } from '../../src/http/client.ts';
import { Api } from '../../src/mcp/api.ts';
import { emptyPeriodHint } from '../../src/mcp/tool.ts';
import { matchesOf } from '../../src/mcp/trade-lists.ts';
import { DAY, NOW, tradeRow, type World } from '../helpers.ts';
import {
  type AnyClient,
  call,
  connectOverHttp,
  mcpWorld,
  serveMcpOverHttp,
} from './connect.ts';

let world: World;
let client: AnyClient;

beforeEach(async () => {
  world = mcpWorld();
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
const apiOf = (path = (asked: string) => asked) => {
  const ask = askApp(world.app, { authorization: `Bearer ${world.key()}` });
  return new Api(
    (asked) => ask(path(asked)),
    () => world.now,
  );
};

test('all matches are counted, however short the pages are', async () => {
  world.insert(
    'trades',
    ...Array.from({ length: 25 }, (_, i) => closed(`t-${i}`, i, { notes: 'about' })),
  );
  const api = apiOf((path) => path.replace('limit=100', 'limit=2'));
  expect(await matchesOf({ q: 'about' }, 'trade', api)).toEqual({
    matches: { trades: 25, net_pnl: 250, currency: 'USD' },
  });
});

test('of two ids that differ only in letter case, the one sent is meant', async () => {
  world.insert('trades', closed('T-1', 9), closed('t-1', 2));
  const entry = { phase: 'review', body: 'about', created_at: at(1) };
  world.insert(
    'trade_journals',
    { id: 'old', trade_id: 'T-1', ...entry },
    { id: 'new', trade_id: 't-1', ...entry },
  );
  for (const [trade_id, id] of [
    ['T-1', 'old'],
    ['t-1', 'new'],
  ]) {
    const { notes } = await call(client, 'read_notes', { kind: 'journals', trade_id });
    expect(notes.rows.map((row: unknown[]) => row[notes.columns.indexOf('id')])).toEqual([
      id,
    ]);
  }
});

test('a day as period of the summary is that day', async () => {
  world.insert('trades', closed('a', 1), closed('b', 2));
  const day = at(2).slice(0, 10);
  const { period, performance } = await call(client, 'journal_summary', { period: day });
  expect([period.start_date, period.end_date, performance.trades]).toEqual([day, day, 1]);
});

test('no hint says that a period has no trades because no trade has the label', async () => {
  world.insert(
    'trades',
    closed('a', 1, { setup: 'orb' }),
    closed('b', 60, { setup: 'fade' }),
  );
  for (const tool of ['find_trades', 'analyze_performance']) {
    const { hint } = await call(client, tool, { setup: 'fade', period: '7d' });
    expect(hint).toMatch(/matching/);
    expect(hint).not.toMatch(/no closed trades in this period/);
  }
});

test('trades without an exchange rate are trades of the period', async () => {
  world.insert(
    'trades',
    closed('a', 1, { currency: 'JPY', fx_rate: null }),
    closed('b', 60),
  );
  for (const tool of ['find_trades', 'analyze_performance', 'journal_summary'])
    expect([tool, (await call(client, tool, { period: '7d' })).hint ?? '']).toEqual([
      tool,
      expect.not.stringMatching(/no matching/),
    ]);
});

test('the hint of an empty period has the days of the journal now, not those at the start of the connection', async () => {
  world.insert('trades', closed('a', 60));
  const api = apiOf();
  await api.me();
  world.insert('trades', closed('b', 1));
  const hint = await emptyPeriodHint(0, { start: '2026-11-20' }, api);
  expect(hint).toContain(at(1).slice(0, 10));
});
