/** What figures promise: the balance of a period, the day before an entry, what was excluded, and what a key hides. */
import { describe, expect, test } from 'vitest';
import { tradeRow, World } from '../../helpers.ts';
import { hidden } from '../../http/lens-worlds.ts';
import { entry, filler, journal, listed } from './fill.ts';
import type { Trade } from './reference.ts';

async function analytics(trades: Partial<Trade>[], query: string, person = {}) {
  const world = new World();
  filler(world)(journal(person, listed(...trades)));
  return (await world.ask(`/v1/analytics/summary?${query}`, { key: world.key() })).body
    .data;
}

const at = (time: string) => `2026-11-${time}:00.000Z`;
const trade = (
  entered: string,
  closed: string,
  gross_pnl: number,
  more: Partial<Trade> = {},
) => ({
  ...{ executed_at: at(entered), closed_at: at(closed), gross_pnl },
  ...more,
});

test('percentages rest on what the account held at the start of the period, whatever the filters', async () => {
  const trades = [
    trade('16T09:00', '16T10:00', 1000, { symbol: 'MSFT' }),
    trade('17T09:00', '17T10:00', -200),
    trade('17T11:00', '17T12:00', 100),
  ];
  for (const query of ['start=2026-11-17', 'start=2026-11-17&symbol=AAPL']) {
    const { performance } = await analytics(trades, query, { starting_balance: 1000 });
    expect(performance.max_drawdown.percent).toBe(0.1);
    expect(performance.current_drawdown).toEqual({
      amount: 100,
      percent: 0.05,
      since: null,
    });
  }
  const { performance } = await analytics(trades, 'symbol=AAPL', {
    starting_balance: 1000,
  });
  expect(performance.max_drawdown.percent).toBe(0.2);
});

test('a swing of days ago that is stopped out today is a loss before the next entry', async () => {
  const trades = [
    trade('12T15:00', '16T09:31', -50),
    trade('16T09:40', '16T09:50', 20),
    trade('16T09:50', '16T12:00', 20),
    trade('17T09:40', '17T09:50', 20),
  ];
  const keys = async (by: string) => {
    const { groups } = await analytics(trades, `sections=groups&group_by=${by}`);
    return groups.map((row: any) => [row.by[by], row.trades]);
  };
  expect(await keys('after')).toEqual([
    ['none', 2],
    ['win', 1],
    ['loss', 1],
  ]);
  expect(await keys('since_loss')).toEqual([
    ['under_10m', 1],
    ['15m_to_30m', 1],
    [null, 2],
  ]);
  expect(await keys('losses_today')).toEqual([
    ['0', 2],
    ['1', 2],
  ]);
  expect(await keys('first_trade')).toEqual([
    ['loss', 2],
    ['win', 1],
    [null, 1],
  ]);
  expect(await keys('after_day')).toEqual([
    ['red', 1],
    ['none', 3],
  ]);
  expect(await keys('held_over')).toEqual([
    ['none', 3],
    ['weekend', 1],
  ]);
});

test.each([
  ['13T10:00', '14T10:00', 'night'],
  ['13T10:00', '15T10:00', 'weekend'],
  ['14T10:00', '16T10:00', 'night'],
  ['13T23:59', '13T23:59', 'none'],
])('a trade from %s to %s is held over %s', async (entered, closed, key) => {
  const { groups } = await analytics(
    [trade(entered, closed, 1)],
    'sections=groups&group_by=held_over',
  );
  expect(groups[0].by.held_over).toBe(key);
});

test('best and worst are out of every section, and out of their own previous period', async () => {
  const trades = [5, 1, -9, 50, 2, -60].map((net, i) =>
    trade(
      `${15 + Math.floor(i / 3)}T0${i}:00`,
      `${15 + Math.floor(i / 3)}T0${i}:30`,
      net,
    ),
  );
  const query = 'start=2026-11-16&end=2026-11-16&best=1&worst=1&group_by=side';
  const { performance, breakdowns, groups, previous, open, what_if } = await analytics(
    trades,
    query,
  );
  expect([
    performance.net_pnl,
    breakdowns.side[0].net_pnl,
    groups[0].net_pnl,
    previous.net_pnl,
  ]).toEqual([2, 2, 2, 1]);
  expect(open.filters_ignored).toEqual(['best', 'worst']);
  expect(what_if).toMatchObject({
    excluded: { trades: 2, net_pnl: -10 },
    actual: { net_pnl: -8 },
    without: { net_pnl: 2 },
  });
});

test('every mean of R has its sample', async () => {
  const trades = [
    trade('16T09:00', '16T10:00', 256, { initial_risk: 100 }),
    trade('16T09:00', '16T11:00', -5),
  ];
  const { groups, breakdowns } = await analytics(trades, 'group_by=side');
  for (const row of [groups[0], breakdowns.side[0]])
    expect(row).toMatchObject({ average_r: 2.56, r_sample: 1, trades: 2 });
});

describe('a key without texts', () => {
  test("can't ask for the market's condition and bias", async () => {
    const world = new World();
    const at = '2026-11-16T10:00:00.000Z';
    world.insert('trades', tradeRow('t', { executed_at: at, closed_at: at }));
    const context = { condition: 'secret', bias: null, key_levels: [], news: [] };
    world.insert('sessions', {
      id: 's',
      date: '2026-11-16',
      market_context: JSON.stringify(context),
    });
    const [full, key] = [
      world.key(),
      world.key(undefined, 'me', 'key_hides', hidden(['texts'])),
    ];
    for (const query of [
      'group_by=condition',
      'where={"bias":"up"}',
      'exclude={"condition":"secret"}',
    ]) {
      expect(
        (await world.ask(`/v1/analytics/summary?${query}`, { key: full })).status,
      ).toBe(200);
      const { status, body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
      expect([status, body.detail]).toEqual([
        400,
        expect.stringContaining('uses texts, which this key hides'),
      ]);
    }
  });
});

test('a trade with entries of two confidences is in two rows', async () => {
  const world = new World();
  const entries = [1, 5, 5, null].map((confidence, i) =>
    entry(`j${i}`, 't1', { confidence }),
  );
  filler(world)(journal({}, listed({ gross_pnl: 7 }), { entries }));
  const { body } = await world.ask(
    '/v1/analytics/summary?sections=groups&group_by=confidence',
    {
      key: world.key(),
    },
  );
  expect(body.data.groups.map((row: any) => [row.by.confidence, row.net_pnl])).toEqual([
    [1, 7],
    [5, 7],
  ]);
});
