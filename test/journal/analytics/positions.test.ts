/** Positions that the reference's random journals lack: many legs, other users, damaged and oversized groups. */
import { expect, test } from 'vitest';
import { ROWS, type Row, tradeRow, World } from '../../helpers.ts';

const at = (minute: number) =>
  new Date(Date.parse('2026-11-10T10:00:00.000Z') + minute * 60_000).toISOString();

function group(world: World, id: string, more: Row = {}): void {
  world.insert('trade_groups', { ...ROWS['trade-groups']!(id, at(0)).row, ...more });
}

function leg(
  world: World,
  id: string,
  group_id: string,
  minute: number,
  more: Row = {},
): void {
  const executed_at = at(minute);
  const closed_at = more['status'] === 'open' ? null : at(minute + 1);
  world.insert('trades', tradeRow(id, { group_id, executed_at, closed_at, ...more }));
}

async function positions(world: World, query = '') {
  const { status, body } = await world.ask(
    `/v1/analytics/summary?unit=position${query}`,
    {
      key: world.key(),
    },
  );
  expect(status, body.detail).toBe(200);
  return body.data;
}

test('a group with more legs than are read at once is one position', async () => {
  const world = new World();
  group(world, 'g');
  world.db.transaction(() => {
    for (let i = 0; i < 2500; i++)
      leg(world, `t${i}`, 'g', i % 700, { gross_pnl: 0.1, fees: 0.01 });
  })();
  const { performance, breakdowns } = await positions(world);
  expect(performance).toMatchObject({
    trades: 1,
    net_pnl: 225,
    fees: 25,
    largest_win: { trade_id: 't699', group_id: 'g', net_pnl: 225 },
    holding_seconds: { mean: 42_000 },
  });
  expect(breakdowns.symbol).toMatchObject([{ key: 'AAPL', trades: 1 }]);
});

test('a position belongs as a whole to the day and period of its last close', async () => {
  const world = new World();
  group(world, 'g');
  leg(world, 'a', 'g', 0, { gross_pnl: 30 });
  leg(world, 'b', 'g', 24 * 60, { gross_pnl: -10 });
  expect((await positions(world, '&end=2026-11-10')).performance.trades).toBe(0);
  const { performance, daily } = await positions(world, '&start=2026-11-11');
  expect(performance).toMatchObject({ trades: 1, wins: 1, net_pnl: 20 });
  expect(daily).toMatchObject([{ date: '2026-11-11', net_pnl: 20 }]);
});

test('the legs of a position are one step of the drawdown, like positions that close at one instant', async () => {
  const world = new World();
  for (const id of ['g', 'h']) group(world, id);
  leg(world, 'g1', 'g', 0, { gross_pnl: -100 });
  leg(world, 'g2', 'g', 5, { gross_pnl: 70 });
  leg(world, 'h1', 'h', 10, { gross_pnl: -50 });
  leg(world, 'h2', 'h', 20, { gross_pnl: 10 });
  world.insert(
    'trades',
    tradeRow('t', { executed_at: at(20), closed_at: at(21), gross_pnl: 60 }),
  );
  const { performance, what_if } = await positions(
    world,
    '&sections=performance,what_if&worst=1',
  );
  expect(performance).toMatchObject({
    trades: 2,
    net_pnl: 30,
    max_drawdown: { amount: 30, trough_at: at(6) },
  });
  expect(what_if).toMatchObject({
    excluded: { trades: 1, net_pnl: -40 },
    actual: {
      trades: 3,
      net_pnl: -10,
      max_drawdown: { amount: 30, trough_at: at(6), recovered_at: null },
    },
    without: { max_drawdown: { amount: 30, recovered_at: at(21) } },
  });
  const { body } = await world.ask('/v1/analytics/summary', { key: world.key() });
  expect(body.data.performance.max_drawdown).toMatchObject({
    amount: 100,
    trough_at: at(1),
  });
});

test('with an open leg a position is open, with the realised P&L of the closed legs', async () => {
  const world = new World();
  group(world, 'g', { status: 'closed', closed_at: at(5) });
  leg(world, 'a', 'g', 0, { gross_pnl: 30, tags: '["news"]' });
  leg(world, 'b', 'g', 1, { status: 'open', gross_pnl: 2 });
  for (const query of ['', '&tag=news', '&status=open', `&end=${at(1)}`]) {
    expect(await positions(world, query), query).toMatchObject({
      performance: { trades: 0 },
      open: { trades: 1, realised_pnl: 32 },
    });
  }
  expect((await positions(world, '&tag=none')).open.trades).toBe(0);
  expect((await positions(world, '&status=closed')).open.trades).toBe(0);
  expect((await positions(world, `&end=${at(0)}`)).open.trades).toBe(0);
});

test('legs of other users with the same ids don’t count', async () => {
  const world = new World();
  world.addUser('other');
  group(world, 'g', { initial_risk: 100 });
  group(world, 'g', {
    user_id: 'other',
    initial_risk: 1,
    underlying: 'SECRET',
    strategy: 'secret',
    tags: '["secret"]',
  });
  leg(world, 'a', 'g', 0, { gross_pnl: 10 });
  leg(world, 'b', 'g', 1, { gross_pnl: 10, symbol: 'MSFT' });
  leg(world, 'c', 'g', 2, { user_id: 'other', gross_pnl: 1000, symbol: 'SECRET' });
  leg(world, 'd', 'g', 9, { user_id: 'other', status: 'open' });
  world.insert('group_journals', {
    user_id: 'other',
    id: 'j',
    group_id: 'g',
    phase: 'review',
    created_at: at(0),
    mistakes: '["secret"]',
  });
  const data = await positions(world);
  expect(data).toMatchObject({
    performance: { trades: 1, net_pnl: 20, total_r: 0.2 },
    open: { trades: 0 },
    data_quality: { without_journal: 1 },
  });
  expect(JSON.stringify(data).toLowerCase()).not.toContain('secret');
});

test('an error names the record that is too large to count', async () => {
  const world = new World();
  group(world, 'big', { strategy: 'x'.repeat(300_000) });
  leg(world, 'a', 'big', 0);
  const ask = async () =>
    (await world.ask('/v1/analytics/summary?unit=position', { key: world.key() })).body;
  expect(await ask()).toMatchObject({
    status: 422,
    detail: expect.stringContaining('labels of the trade group big'),
  });
  world.db.exec("UPDATE trade_groups SET strategy = NULL WHERE id = 'big'");
  world.insert('group_journals', {
    id: 'j',
    group_id: 'big',
    phase: 'review',
    created_at: at(0),
    mistakes: JSON.stringify(['x'.repeat(300_000)]),
  });
  expect(await ask()).toMatchObject({
    status: 422,
    detail: expect.stringContaining('group journal entry j'),
  });
});
