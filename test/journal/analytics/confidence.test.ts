/** Confidence intervals, compared with published tables and examples, and with the reference's own computation of t. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Moments,
  normalP,
  tQuantile,
  twoSidedP,
} from '../../../src/journal/analytics/statistics.ts';
import { World } from '../../helpers.ts';
import { Exact } from './exact.ts';
import { variance } from './figure.ts';
import { eachDay, filler, journal, listed, nets } from './fill.ts';

const onDays = (...values: number[]) =>
  eachDay(...values.map((gross_pnl) => ({ gross_pnl })));

import type { Trade } from './reference.ts';
import { quantile, tail } from './reference-confidence.ts';

describe("Student's t", () => {
  // The column for 0.975 of any table.
  test.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [4, 2.776],
    [5, 2.571],
    [6, 2.447],
    [7, 2.365],
    [8, 2.306],
    [9, 2.262],
    [10, 2.228],
    [15, 2.131],
    [20, 2.086],
    [25, 2.06],
    [30, 2.042],
    [40, 2.021],
    [60, 2.0],
    [80, 1.99],
    [100, 1.984],
    [1000, 1.962],
    [1e9, 1.96],
  ])('with %i degrees of freedom the quantile is %d', (df, t) => {
    expect(Number(tQuantile(df).toFixed(3))).toBe(t);
    expect(twoSidedP(tQuantile(df), df)).toBeCloseTo(0.05, 6);
  });

  test('the quantile equals that of the closed forms', () => {
    for (const df of [
      ...Array.from({ length: 200 }, (_, i) => i + 1),
      500,
      998,
      999,
      1000,
      1001,
      2500,
    ]) {
      expect(Math.abs(tQuantile(df) - quantile(df)), `${df}`).toBeLessThan(1e-11);
    }
  });

  test('the tail equals that of the integral, with any degrees of freedom', () => {
    const df = fc.oneof(
      fc.double({ min: 1, max: 50, noNaN: true }),
      fc.double({ min: 50, max: 5000, noNaN: true }),
    );
    const t = fc.oneof(
      fc.double({ min: 0, max: 6, noNaN: true }),
      fc.double({ min: 0, max: 1e-6, noNaN: true }),
    );
    fc.assert(
      fc.property(df, t, (df, t) => {
        expect(Math.abs(twoSidedP(t, df) - tail(t, df))).toBeLessThan(1e-9);
        expect(twoSidedP(-t, df)).toBe(twoSidedP(t, df));
      }),
      { numRuns: 500 },
    );
    expect(twoSidedP(0, 3)).toBe(1);
    expect(twoSidedP(1e300, 3)).toBe(0);
  });

  // By the C library's erfc(z / sqrt(2)).
  test.each([
    [0, 1.0],
    [0.01, 0.9920212873707368],
    [0.5, 0.6170750774519738],
    [1, 0.31731050786291415],
    [1.7, 0.08913092551708615],
    [1.75, 0.08011831372763419],
    [2, 0.04550026389635844],
    [3, 0.0026997960632601913],
    [5, 5.733031437583892e-7],
    [10, 1.5239706048321186e-23],
    [37, 1.1451142445050278e-299],
  ])('the normal tail beyond %f is right to 9 digits', (z, p) => {
    expect(Math.abs(normalP(z) / p - 1)).toBeLessThan(1e-9);
    expect(normalP(-z)).toBe(normalP(z));
  });
});

test('mean and variance lose no precision', () => {
  const value = fc.oneof(
    fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 100),
    fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 1e8),
    fc.constantFrom(1e9, -1e9, 1e9 + 0.5, 1e-8),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (values) => {
      const moments = new Moments();
      for (const [i, one] of values.entries()) moments.add(one, i);
      const expected = variance(values.map((one) => Exact.of(one)))?.toNumber() ?? null;
      const noise = 1e-12 + Math.max(0, ...values.map(Math.abs)) ** 2 * 1e-26;
      expect(moments.n).toBe(values.length);
      if (expected === null) expect(moments.variance).toBeNull();
      else
        expect(Math.abs((moments.variance as number) - expected)).toBeLessThanOrEqual(
          expected * 1e-9 + noise,
        );
    }),
    { numRuns: 1000 },
  );
});

async function analytics(trades: Trade[], query = '') {
  const world = new World();
  filler(world)(journal({}, trades));
  const { body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key: world.key(),
  });
  return body.data;
}

// Hours of sleep gained with two drugs, ten patients each (Cushny and Peebles 1905): Student's own example.
const FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

test("Student's interval of the second drug is that of every textbook", async () => {
  const { confidence } = (await analytics(onDays(...SECOND))).performance;
  expect(confidence.level).toBe(0.95);
  expect(confidence.expectancy).toEqual([
    expect.closeTo(0.8976775, 7),
    expect.closeTo(3.7623225, 7),
  ]);
});

// Newcombe (1998), table I: method 3.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('%i wins of %i trades: a win rate of %d to %d', async (wins, trades, low, high) => {
  const outcomes = Array.from({ length: trades }, (_, i) => (i < wins ? 1 : -1));
  const [from, to] = (await analytics(onDays(...outcomes), 'sections=performance'))
    .performance.confidence.win_rate;
  expect([Number(from.toFixed(4)), Number(to.toFixed(4))]).toEqual([low, high]);
});

test('no trade, one day, and equal trades', async () => {
  const sure = async (...values: number[]) =>
    (await analytics(onDays(...values))).performance.confidence;
  const none = {
    level: 0.95,
    win_rate: null,
    expectancy: null,
    expectancy_r: null,
    expectancy_trades_needed: null,
  };
  expect(await sure()).toEqual(none);
  expect(await sure(5)).toEqual(none);
  expect((await analytics(nets(5, -3, 4))).performance.confidence).toEqual(none);
  expect(await sure(5, 5, 5)).toMatchObject({
    expectancy: [5, 5],
    expectancy_trades_needed: 2,
  });
  expect(await sure(5, -5)).toMatchObject({ expectancy_trades_needed: null });
  expect((await sure(0.1, 0.2, -0.3)).expectancy_trades_needed).toBeNull();
});

test('trades needed: with one less, the interval contains 0', async () => {
  const { confidence } = (await analytics(onDays(...FIRST))).performance;
  expect(confidence.expectancy[0]).toBeLessThan(0);
  const n = confidence.expectancy_trades_needed;
  const errors = 1.78901 / 0.75;
  expect(quantile(n - 1) * errors).toBeLessThan(Math.sqrt(n));
  expect(quantile(n - 2) * errors).toBeGreaterThan(Math.sqrt(n - 1));
});

test('trades of one day count as one result, if they are alike', async () => {
  // Ten days of 3 equal trades: the interval is that of ten trades.
  const tripled = FIRST.flatMap((gross_pnl, day) =>
    [10, 11, 12].map((hour) => ({
      gross_pnl,
      closed_at: new Date(Date.UTC(2026, 0, 1 + day, hour)).toISOString(),
    })),
  );
  const { confidence, ...single } = (await analytics(onDays(...FIRST))).performance;
  const thrice = (await analytics(listed(...tripled), 'sections=performance'))
    .performance;
  expect(thrice.expectancy).toBe(single.expectancy);
  expect(thrice.confidence.expectancy).toEqual(
    confidence.expectancy.map((end: number) => expect.closeTo(end, 7)),
  );
  expect(thrice.confidence.expectancy_trades_needed).toBeGreaterThan(
    2.5 * confidence.expectancy_trades_needed,
  );
});
