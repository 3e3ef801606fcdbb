/** Traders' questions, each answered in one call, about a journal with known habits. */
import { beforeEach, expect, test } from 'vitest';
import { World } from '../../helpers.ts';
import { filler } from './fill.ts';
import { type Planted, plantedJournal } from './planted.ts';

type Json = any;

const { journal, planted } = plantedJournal();
const main = planted.filter(({ account }) => account === 'main');

let ask: (query: Record<string, string>) => Promise<Json>;

beforeEach(() => {
  const world = new World();
  filler(world)(journal);
  world.now = Date.parse('2026-06-20T03:00:00.000Z');
  const key = world.key();
  ask = async (query) => {
    const { status, body } = await world.ask(
      `/v1/analytics/summary?${new URLSearchParams(query)}`,
      { key },
    );
    expect(status, body.detail).toBe(200);
    return body.data;
  };
});

const net = (of: readonly Planted[]) =>
  of.reduce((sum, { cents }) => sum + cents, 0) / 100;

/** Planted figures by key. */
function truth(of: readonly Planted[], keyOf: (trade: Planted) => unknown) {
  const rows = [...Map.groupBy(of, keyOf)].map(([key, trades]) => [
    key,
    trades.length,
    net(trades),
  ]);
  return new Map(rows.map((row) => [row[0], row.slice(1)]));
}

const BY: [question: string, by: string, keyOf: (trade: Planted) => unknown][] = [
  [
    'what is the result of trades soon after a loss?',
    'since_loss',
    (trade) => trade.sinceLoss,
  ],
  ['after a loss, and after two?', 'after', (trade) => trade.after],
  ['do I trade worse with size?', 'size', (trade) => trade.size],
  ['does the eighth trade of the day pay?', 'trade_of_day', (trade) => trade.ofDay],
  ['which emotion goes with losses?', 'emotion', (trade) => trade.emotion],
  ['which rule costs the most when broken?', 'rule', (trade) => trade.rule],
  [
    'what if the plan of a trade is broken?',
    'followed_plan',
    (trade) => trade.followedPlan,
  ],
  ['days when I broke the plan?', 'day_plan', (trade) => trade.followedPlan],
  ['days when I slept badly?', 'sleep', (trade) => trade.sleep],
  ['and my mood?', 'mood', (trade) => (trade.sleep === 'under_6h' ? 'tired' : 'fresh')],
  ['and my energy?', 'energy', (trade) => (trade.sleep === 'under_6h' ? 2 : 4)],
  ['which weekday?', 'weekday', (trade) => trade.weekday],
];

test('rows by behaviour have the planted figures', async () => {
  for (const [question, by, keyOf] of BY) {
    const { groups } = await ask({ account: 'MAIN', group_by: by, sections: 'groups' });
    const given = new Map(
      groups.map((row: Json) => [row.by[by], [row.trades, row.net_pnl]]),
    );
    expect(given, question).toEqual(truth(main, keyOf));
    expect(groups.length, question).toBeGreaterThan(1);
  }
}, 600_000);

test('labels find less than half of the revenge trades that times find', async () => {
  const { groups } = await ask({
    account: 'main',
    group_by: 'since_loss,mistake',
    sections: 'groups',
  });
  const labelled = groups.find(
    (row: Json) => row.by.since_loss === 'under_10m' && row.by.mistake === 'revenge',
  );
  const revenge = main.filter(({ sinceLoss }) => sinceLoss === 'under_10m');
  expect(labelled.trades).toBe(revenge.filter(({ isLabelled }) => isLabelled).length);
  expect(labelled.trades).toBeLessThan(revenge.length / 2);
});

const WITHOUT: [
  question: string,
  exclude: object,
  isExcluded: (trade: Planted) => boolean,
][] = [
  ['what if I had skipped Fridays?', { weekday: 5 }, ({ weekday }) => weekday === 5],
  [
    'and never traded within 10 minutes of a loss, nor above three times the size?',
    [{ since_loss: 'under_10m' }, { size: 'over_3x' }],
    ({ sinceLoss, size }) => sinceLoss === 'under_10m' || size === 'over_3x',
  ],
  [
    'and stopped after the seventh trade of a tired day?',
    { trade_of_day: [8, 9, '10+'], sleep: 'under_6h' },
    ({ ofDay, sleep }) => ['8', '9', '10+'].includes(ofDay) && sleep === 'under_6h',
  ],
  ['what is left without MNQ?', { symbol: 'mnq' }, ({ symbol }) => symbol === 'MNQ'],
];

test('figures without some trades are those of the others', async () => {
  for (const [question, exclude, isExcluded] of WITHOUT) {
    const { what_if } = await ask({
      account: 'main',
      exclude: JSON.stringify(exclude),
      sections: 'what_if',
    });
    const excluded = main.filter(isExcluded);
    const others = main.filter((trade) => !isExcluded(trade));
    expect(what_if.excluded, question).toEqual({
      trades: excluded.length,
      net_pnl: net(excluded),
    });
    expect(what_if.actual, question).toMatchObject({
      trades: main.length,
      net_pnl: net(main),
    });
    expect(what_if.without, question).toMatchObject({
      trades: others.length,
      net_pnl: net(others),
    });
  }
});

test('what is left without my five best trades, and what do they share?', async () => {
  const { what_if, performance } = await ask({
    account: 'main',
    best: '5',
    sections: 'performance,what_if',
  });
  const best = [...main].sort((a, b) => b.cents - a.cents).slice(0, 5);
  expect(what_if.excluded).toEqual({ trades: 5, net_pnl: net(best) });
  expect(what_if.without.net_pnl).toBeCloseTo(net(main) - net(best), 6);
  expect(performance.best_five_share).toBe(
    net(main) > 0 ? expect.closeTo(net(best) / net(main), 6) : null,
  );
});

test('when does my pullback fail? after losses, with size', async () => {
  const where = JSON.stringify({ setup: 'pullback', account: 'main' });
  const { groups, missed } = await ask({
    where,
    group_by: 'after,size',
    sections: 'groups,missed',
  });
  const pullbacks = main.filter(({ setup }) => setup === 'pullback');
  const given = new Map(
    groups.map((row: Json) => [
      `${row.by.after} ${row.by.size}`,
      [row.trades, row.net_pnl],
    ]),
  );
  expect(given).toEqual(truth(pullbacks, ({ after, size }) => `${after} ${size}`));
  expect(missed.filters_ignored).toEqual(['where']);
});

test('iron condors against verticals, as positions', async () => {
  const query = {
    where: '{"account":"options"}',
    unit: 'position',
    group_by: 'strategy',
    sections: 'groups,rules',
  };
  const { groups, rules } = await ask(query);
  const legs = planted.filter(({ groupId }) => groupId !== null);
  const positions = [...Map.groupBy(legs, ({ groupId }) => groupId).values()].map(
    (of) => ({
      ...(of[0] as Planted),
      cents: of.reduce((sum, { cents }) => sum + cents, 0),
    }),
  );
  const given = new Map(
    groups.map((row: Json) => [row.by.strategy, [row.trades, row.net_pnl]]),
  );
  expect(given).toEqual(truth(positions, ({ setup }) => setup));
  expect(rules.group_entries).toBe(true);
});

test('what did stocks in euros make, in euros and in dollars?', async () => {
  const { groups } = await ask({
    account: 'euro',
    group_by: 'currency',
    sections: 'groups',
  });
  const euro = planted.filter(({ account }) => account === 'euro');
  const native = net(euro) / 1.1;
  expect(groups).toMatchObject([
    {
      by: { currency: 'EUR' },
      net_pnl: net(euro),
      net_pnl_native: expect.closeTo(native, 6),
    },
  ]);
});

test('the tax year 2025 by market, with fees', async () => {
  const { period, groups } = await ask({
    period: '2025',
    group_by: 'market',
    sections: 'groups',
  });
  expect(period).toMatchObject({
    start_date: '2025-01-01',
    end_date: '2025-12-31',
    days: 365,
  });
  const futures = main.filter(({ date }) => date < '2026');
  const row = groups.find(({ by }: Json) => by.market === 'future');
  expect(row).toMatchObject({
    trades: futures.length,
    net_pnl: net(futures),
    fees: futures.length * 1.5,
  });
});

test('did I follow my plan in the week of 16 June?', async () => {
  const { groups } = await ask({
    account: 'main',
    period: '2025-W25',
    group_by: 'day_plan',
    sections: 'groups',
  });
  const week = main.filter(({ date }) => date >= '2025-06-16' && date <= '2025-06-22');
  const given = new Map(
    groups.map((row: Json) => [row.by.day_plan, [row.trades, row.net_pnl]]),
  );
  expect(given).toEqual(truth(week, ({ followedPlan }) => followedPlan));
});

test('what did I make over all months, and do I hold losers longer?', async () => {
  const { period, performance } = await ask({
    period: 'all',
    account: 'main',
    sections: 'performance',
  });
  expect(period).toMatchObject({ start: null, end: null });
  expect(performance).toMatchObject({ trades: main.length, net_pnl: net(main) });
  expect(performance.holding_seconds).toMatchObject({
    wins_median: 240,
    losses_median: 720,
  });
});
