/** The simulation, compared with closed forms and with the reference, and its responses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClosedTrade } from '../../../src/journal/analytics/closed-trade.ts';
import { kellyOf, Simulation } from '../../../src/journal/analytics/simulation.ts';
import { isExhaustive, runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { closed } from './closed-trade.ts';
import { Figure } from './figure.ts';
import { eachDay, filler, journal, listed } from './fill.ts';
import { EVERYTHING, type Trade } from './reference.ts';
import * as reference from './reference-simulation.ts';
import { TRADERS, uniform } from './traders.ts';
import { wideQuestion } from './widened.ts';

const many = <T>(...parts: [times: number, value: T][]) =>
  parts.flatMap(([times, value]) => Array<T>(times).fill(value));

/** One trade a day. */
const kellyDaily = (r: number[]) => kellyOf(r, [...r.keys()]);
const datesOf = (r: number[]) => r.map((_, i) => `day ${i}`);

function simulate(trades: Partial<ClosedTrade>[], balance: number | null = null) {
  const simulation = new Simulation();
  for (const [i, trade] of trades.entries())
    simulation.add(closed({ closedMs: i * 86_400_000, ...trade }));
  return simulation.result(balance);
}

async function asked(trades: Trade[], person = {}, query = 'sections=simulation') {
  const world = new World();
  filler(world)(journal(person, trades));
  const { body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key: world.key(),
  });
  return body.data;
}

describe('Kelly', () => {
  test.each([
    ['60 % win 1 R and 40 % lose it: 0.6 - 0.4', many([60, 1], [40, -1]), 0.2],
    ['half win 2 R and half lose 1: 0.5 - 0.5 / 2', many([50, 2], [50, -1]), 0.25],
    [
      'a third win 3 R, the others lose 1: 1/3 - 2/3 / 3',
      many([40, 3], [80, -1]),
      0.111111,
    ],
    [
      '60 % win half an R and 40 % lose it: (0.6 - 0.4) / 0.5',
      many([60, 0.5], [40, -0.5]),
      0.4,
    ],
    ['trades at 0 R change nothing', many([60, 1], [40, -1], [500, 0]), 0.2],
    ['a fair game is worth no risk', many([50, 1], [50, -1]), 0],
    ['a losing game is worth no risk', many([40, 1], [60, -1]), 0],
  ])('%s', (_, r, fraction) => {
    expect(kellyDaily(r)?.fraction).toBeCloseTo(fraction, 6);
  });

  test('its interval, 60 % at 1 R, one trade a day: 0.2 -+ 1.96 / sqrt(n (0.6 / 1.2² + 0.4 / 0.8²))', () => {
    // Student's quantile for 999 degrees of freedom.
    const half =
      (1.962341 * Math.sqrt(1000 / 999)) / Math.sqrt(1000 * (0.6 / 1.44 + 0.4 / 0.64));
    expect(kellyDaily(many([600, 1], [400, -1]))).toEqual({
      fraction: 0.2,
      low: expect.closeTo(0.2 - half, 6),
      high: expect.closeTo(0.2 + half, 6),
    });
  });

  test('it is null without a loss, 0 without a win, and never above 1 over the largest loss', () => {
    expect(kellyDaily([1, 2, 0.5])).toBeNull();
    expect(kellyDaily([-1, 0, -0.5])).toEqual({ fraction: 0, low: 0, high: 0 });
    expect(kellyDaily(many([29, 5], [1, -2]))?.high).toBe(0.5);
  });

  test('it is the maximum found by a search', () => {
    const r = fc
      .oneof(fc.integer({ min: -300, max: 500 }), fc.constantFrom(-100, 100, 0, -1, 1))
      .map((n) => n / 100);
    fc.assert(
      fc.property(
        fc.array(r, { minLength: 30, maxLength: 60, size: 'max' }),
        (values) => {
          const given = kellyDaily(values);
          expect(given).toEqual(
            Figure.settle(reference.kelly(values, datesOf(values)), given),
          );
        },
      ),
      { numRuns: runs(300, 50) },
    );
  });
});

describe('closed forms', () => {
  /** Probability that a fair coin has no run of more than k heads in n tosses. */
  const runAtMost = (n: number, k: number) => {
    // Probabilities of the current run, by its length.
    let lengths = [1, ...Array<number>(k).fill(0)];
    for (let i = 0; i < n; i++) {
      const all = lengths.reduce((sum, one) => sum + one, 0);
      lengths = [all / 2, ...lengths.slice(0, -1).map((one) => one / 2)];
    }
    return lengths.reduce((sum, one) => sum + one, 0);
  };
  const runOf = (n: number, share: number) => {
    let k = 0;
    while (runAtMost(n, k) < share) k++;
    return k;
  };

  const next = uniform(5);
  const coin = simulate(
    Array.from({ length: 8000 }, () => ({ net: next() < 0.5 ? 1 : -1 })),
  );

  test('the longest run of losses equals that of a fair coin', () => {
    expect(coin.losing_run).toEqual({
      next_100: { median: runOf(100, 0.5), p95: runOf(100, 0.95) },
      next_250: { median: runOf(250, 0.5), p95: runOf(250, 0.95) },
    });
  });

  test('the path of a coin is as wide as the binomial distribution', () => {
    for (const { trades, p5, median, p95 } of coin.path) {
      const deviation = Math.sqrt(trades);
      expect(Math.abs(median)).toBeLessThan(0.25 * deviation + 1);
      expect(Math.abs(p95 / deviation - 1.645)).toBeLessThan(0.3);
      expect(Math.abs(p5 / deviation + 1.645)).toBeLessThan(0.3);
    }
  });

  test('the largest fall of a coin is on average 1.253 times the root of the trades, its median slightly less', () => {
    expect(coin.drawdown!.next_250.median / Math.sqrt(250)).toBeGreaterThan(1.05);
    expect(coin.drawdown!.next_250.median / Math.sqrt(250)).toBeLessThan(1.3);
  });

  test('equal results have no variation', () => {
    const losing = simulate(Array(30).fill({ net: -10, r: -1, risk: 10 }), 1000);
    expect(losing).toMatchObject({
      average_risk: { amount: 10, percent: 0.01 },
      losing_run: {
        next_100: { median: 100, p95: 100 },
        next_250: { median: 250, p95: 250 },
      },
      drawdown: {
        next_100: { median: 1000, p95: 1000 },
        next_250: { median: 2500, p95: 2500 },
      },
      chance_of_losing: { ten_percent: 1, twenty_percent: 1, thirty_percent: 1 },
      kelly: { fraction: 0, low: 0, high: 0 },
    });
    expect(losing.path.map(({ trades, p5, p95 }) => [trades, p5, p95])).toEqual(
      Array.from({ length: 10 }, (_, i) => [
        25 * (i + 1),
        -250 * (i + 1),
        -250 * (i + 1),
      ]),
    );
    expect(simulate(Array(30).fill({ net: 10 }), 1000)).toMatchObject({
      average_risk: null,
      losing_run: { next_250: { p95: 0 } },
      drawdown: { next_250: { p95: 0 } },
      chance_of_losing: { ten_percent: 0 },
      kelly: null,
    });
  });

  test('days are kept: losses of the same days have longer runs than as many on all days', () => {
    const run = (trades: number[]) =>
      simulate(
        trades.map((net, i) => ({ net, closedMs: Math.floor(i / 10) * 86_400_000 + i })),
      ).losing_run!.next_250.median;
    const together = Array.from({ length: 1000 }, (_, i) => (i % 40 < 10 ? -1 : 1));
    const apart = Array.from({ length: 1000 }, (_, i) => (i % 4 === 0 ? -1 : 1));
    expect(run(together)).toBeGreaterThanOrEqual(10);
    expect(run(apart)).toBeLessThanOrEqual(3);
  });
});

describe('answers', () => {
  const trader = (n: number, more: Partial<Trade> = {}) => {
    const next = uniform(3);
    return eachDay(
      ...Array.from({ length: n }, () => ({
        gross_pnl: Math.round(100 * TRADERS['trend follower']!(next)),
        initial_risk: 100,
        ...more,
      })),
    );
  };

  test('with fewer than 30 trades there is a reason instead of figures', async () => {
    const { simulation } = await asked(trader(29), { starting_balance: 1000 });
    expect(simulation).toEqual({
      sample: 29,
      reason: 'fewer than 30 closed trades; choose a longer period',
      balance: null,
      average_risk: null,
      losing_run: null,
      drawdown: null,
      chance_of_losing: null,
      path: [],
      kelly: null,
    });
    const inDays = listed(...Array.from({ length: 40 }, (_, i) => ({ gross_pnl: i })));
    expect((await asked(inDays)).simulation).toMatchObject({
      sample: 40,
      reason: 'fewer than 10 days with closed trades; choose a longer period',
      path: [],
    });
    const { simulation: enough } = await asked(trader(30));
    expect(enough).toMatchObject({
      sample: 30,
      reason: null,
      balance: null,
      chance_of_losing: null,
    });
    expect(enough.path).toHaveLength(10);
    expect(enough.kelly).not.toBeNull();
  });

  test('the balance is that of the whole journal for any request; a lost one has no percentages', async () => {
    const some = [
      ...trader(40),
      ...listed({ id: 'other', symbol: 'MSFT', gross_pnl: 500.5 }),
    ];
    const net = some.reduce((sum, { gross_pnl }) => sum + gross_pnl, 0);
    const query = 'sections=simulation&symbol=AAPL';
    const { simulation } = await asked(some, { starting_balance: 1000 }, query);
    expect(simulation).toMatchObject({ sample: 40, balance: 1000 + net });
    const lost = await asked(
      [...some, ...listed({ id: 'lost', gross_pnl: -1e6 })],
      { starting_balance: 1000 },
      query,
    );
    expect(lost.simulation).toMatchObject({
      chance_of_losing: null,
      average_risk: { amount: 100, percent: null },
    });
  });

  test('the simulation is included only if named', async () => {
    const data = await asked(trader(30), {}, '');
    expect(data).not.toHaveProperty('simulation');
    expect(data).toHaveProperty('performance');
  });

  test('the same request gives the same bytes, and amounts times ten the same shares', async () => {
    const first = await asked(trader(50), { starting_balance: 5000 });
    expect(await asked(trader(50), { starting_balance: 5000 })).toEqual(first);
    const tenfold = trader(50).map((one) => ({
      ...one,
      gross_pnl: 10 * one.gross_pnl,
      initial_risk: 1000,
    }));
    const { simulation } = await asked(tenfold, { starting_balance: 50_000 });
    const { losing_run, chance_of_losing, kelly, path } = first.simulation;
    expect(simulation).toMatchObject({ losing_run, chance_of_losing, kelly });
    expect(simulation.path[9].p5).toBeCloseTo(10 * path[9].p5, 6);
  });
});

test('the simulation equals that of the reference', async () => {
  const world = new World();
  const fill = filler(world);
  const key = world.key();
  let enough = 0;
  await fc.assert(
    fc.asyncProperty(
      wideQuestion(50, 'simulation'),
      async ({ journal, chosen, query }) => {
        fill(journal);
        const { body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
        const { simulation } = body.data;
        const expected = reference.simulation(journal, EVERYTHING, chosen);
        expect(simulation).toEqual(Figure.settle(expected, simulation));
        if (simulation.reason === null) enough++;
      },
    ),
    { numRuns: runs(30, 4) },
  );
  // A few journals may all have too few trades.
  if (isExhaustive) expect(enough).toBeGreaterThan(3);
}, 600_000);
