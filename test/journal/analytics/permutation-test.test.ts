/** The permutation test, compared with all permutations, on simulated traders, and in responses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closed } from '../../../bench/closed-trade.ts';
import { label, TRADERS, uniform } from '../../../bench/traders.ts';
import { Results } from '../../../src/journal/analytics/closed-trade.ts';
import { benjaminiHochberg, chancesOf, holm, type Part } from '../../../src/journal/analytics/permutation-test.ts';
import { toEnd } from '../../../src/sqlite/read-queue.ts';
import { runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { filler, journal, listed } from './fill.ts';
import type { Trade } from './reference.ts';
import * as reference from './reference-permutation.ts';

function resultsOf(nets: readonly number[]): Results {
  const results = new Results();
  for (const [i, net] of nets.entries()) results.add(closed({ net, closedMs: i * 60_000 }));
  return results;
}

const partOf = (nets: readonly number[]): Part => ({
  trades: nets.length,
  net: nets.reduce((sum, net) => sum + net, 0),
});

const chances = (nets: readonly number[], parts: readonly Part[]) => toEnd(chancesOf(resultsOf(nets), parts));

/** Twice the smaller share of all sets of as many trades whose sum is at least as large, or at least as small. */
function exactly(nets: readonly number[], some: readonly number[]): number {
  const { trades, net } = partOf(some);
  let [all, above, below] = [0, 0, 0];
  const choose = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      all++;
      if (sum >= net - 1e-9) above++;
      if (sum <= net + 1e-9) below++;
      return;
    }
    for (let i = from; i <= nets.length - left; i++) choose(i + 1, left - 1, sum + nets[i]!);
  };
  choose(0, trades, 0);
  return Math.min(1, (2 * Math.min(above, below)) / all);
}

/** Allowed error of 20,000 draws: five standard errors. */
const off = (p: number) => 5 * Math.sqrt((2 * p + 0.001) / 20_000);

describe('the p-value of a row', () => {
  test('equals that of all permutations', () => {
    const value = fc.oneof(
      fc.constantFrom(1, -1, 0.1, 0.3, -0.2),
      fc.integer({ min: -1000, max: 1000 }).map((n) => n / 10),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 4, maxLength: 12 }), (nets) => {
        fc.pre(new Set(nets).size > 1);
        const sizes = Array.from({ length: nets.length - 3 }, (_, i) => i + 2);
        const given = chances(
          nets,
          sizes.map((size) => partOf(nets.slice(0, size))),
        );
        for (const [i, size] of sizes.entries()) {
          const p = exactly(nets, nets.slice(0, size));
          expect(Math.abs(given[i]! - p), `${size} of ${nets}`).toBeLessThan(off(p));
        }
      }),
      { numRuns: runs(60, 10) },
    );
  });

  test('is null for a single trade, for all trades except one, and if all results are equal', () => {
    const nets = [5, 1, 2, 3, 4];
    expect(chances(nets, [partOf([5]), partOf([1, 2, 3, 4]), partOf([5, 1])])).toEqual([
      null,
      null,
      expect.any(Number),
    ]);
    expect(chances([0.1, 0.1, 0.1, 0.1], [partOf([0.1, 0.1])])).toEqual([null]);
    expect(chances([], [])).toEqual([]);
  });

  test('equals that of all other trades together', () => {
    const next = uniform(7);
    const nets = Array.from({ length: 90 }, () => TRADERS['trend follower']!(next));
    for (const size of [20, 45, 60]) {
      const [of, rest] = chances(nets, [partOf(nets.slice(0, size)), partOf(nets.slice(size))]);
      expect(of).toBe(rest);
    }
  });

  test('of more than 2,000 trades is the normal limit, which agrees with draws', () => {
    const next = uniform(8);
    const nets = Array.from({ length: 6000 }, () => TRADERS['normal results']!(next));
    const sum = nets.reduce((all, net) => all + net, 0);
    const part = (trades: number, more: number) => ({ trades, net: (sum * trades) / 6000 + more });
    const deviations = [10, 40, 80];
    const pairs = deviations.flatMap((deviation) => [part(2000, deviation), part(2001, deviation)]);
    const given = chances(nets, pairs) as number[];
    for (const i of deviations.keys()) {
      const [drawn, limit] = given.slice(2 * i) as [number, number];
      expect(Math.abs(drawn - limit)).toBeLessThan(off(limit) + 0.002);
    }
  });

  test('is finer with more tested rows, so that one can be significant', () => {
    // As good or better in 1 of 40,000 sets of two: 20,000 sequences contain none or few of them.
    const nets = Array.from({ length: 400 }, (_, i) => (i < 2 ? 50 : i % 2 ? 1 : -1));
    const pair = partOf(nets.slice(0, 2));
    const p = 2 / ((400 * 399) / 2);
    const [few, many] = [1, 2000].map((rows) => chances(nets, Array(rows).fill(pair))[0] as number) as [number, number];
    expect(Math.abs(many - p)).toBeLessThan(5 * Math.sqrt(p / 80_000));
    expect(few).toBeLessThan(1e-3);
  });

  test('is that of the normal limit if no random set is as extreme', () => {
    const nets = Array.from({ length: 400 }, (_, i) => (i < 100 ? 1 : -1) + (i % 2 ? 3 : -3));
    const [p] = chances(nets, [partOf(nets.slice(0, 100))]) as [number];
    // z = (100 - -50) / sqrt(9.75 * 100 * 300 / 399)
    expect(p).toBeLessThan(1e-7);
    expect(p).toBeGreaterThan(1e-9);
  });

  test('is the same each time, and if all amounts are multiplied by one factor', () => {
    const next = uniform(9);
    const nets = Array.from({ length: 300 }, () => Math.round(100 * TRADERS['option seller']!(next)) / 100);
    const parts = (factor: number) => [20, 70, 150].map((size) => partOf(nets.slice(0, size).map((n) => n * factor)));
    const first = chances(nets, parts(1));
    expect(chances(nets, parts(1))).toEqual(first);
    for (const factor of [0.001, 1.37, 1e6]) {
      const scaled = chances(
        nets.map((n) => n * factor),
        parts(factor),
      );
      expect(scaled).toEqual(first);
    }
  });

  test('is computed with pauses, each after about 50,000 draws', () => {
    const next = uniform(10);
    const nets = Array.from({ length: 1000 }, () => next());
    const steps = [...chancesOf(resultsOf(nets), [partOf(nets.slice(0, 500))])].length;
    expect(steps).toBe(200);
  });
});

describe('corrections for many rows', () => {
  const P = [0.001, 0.04, null, 0.012, 0.2, 0.03];

  test('Holm: of five, 0.001 is at most 0.05/5; of the other four, 0.012 is at most 0.05/4; 0.03 is more than 0.05/3', () => {
    expect(holm(P)).toEqual([true, false, false, true, false, false]);
    expect(holm([])).toEqual([]);
    expect(holm([0.04])).toEqual([true]);
  });

  test('Benjamini and Hochberg: 0.04 is at most 4/5 of 0.05, so all smaller ones count', () => {
    expect(benjaminiHochberg(P)).toEqual([true, true, false, true, false, true]);
    expect(benjaminiHochberg([0.9])).toEqual([false]);
  });

  // Table 1 of Benjamini and Hochberg (1995): 15 comparisons of two treatments after a heart attack.
  test('their own example: the four smallest, compared with three by Bonferroni', () => {
    const p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528];
    const all = [...p, 0.759, 1];
    expect(benjaminiHochberg(all).filter(Boolean)).toHaveLength(4);
    expect(holm(all).filter(Boolean)).toHaveLength(3);
  });

  test('both follow the definitions', () => {
    const p = fc.array(fc.option(fc.double({ min: 0, max: 0.1, noNaN: true })), { maxLength: 30 });
    fc.assert(
      fc.property(p, (values) => {
        expect(holm(values)).toEqual(reference.holm(values));
        expect(benjaminiHochberg(values)).toEqual(reference.benjaminiHochberg(values));
      }),
      { numRuns: 300 },
    );
  });
});

describe('rows that stand out', () => {
  const marked = async (trades: Trade[], by = 'setup', more = '') => {
    const world = new World();
    filler(world)(journal({}, trades));
    const query = `sections=groups&group_by=${by}${more}`;
    const { body } = await world.ask(`/v1/analytics/summary?${query}`, { key: world.key() });
    return body.data.groups.filter((row: any) => row.stands_out).map((row: any) => Object.values(row.by).join(' '));
  };

  // Hours of sleep gained with two drugs, ten patients each (Cushny and Peebles 1905).
  const FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
  const SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
  const drugs = (second: number[]) =>
    listed(
      ...FIRST.map((gross_pnl) => ({ gross_pnl, setup: 'first' })),
      ...second.map((gross_pnl) => ({ gross_pnl, setup: 'second' })),
    );

  test('the two drugs do not stand out: p is 0.08 over all 184,756 halves', async () => {
    expect(await marked(drugs(SECOND))).toEqual([]);
    expect(exactly([...FIRST, ...SECOND], SECOND)).toBeCloseTo(0.0814, 3);
  });

  test('both of two rows stand out or neither: each is the rest of the other', async () => {
    expect(await marked(drugs(SECOND.map((hours) => hours + 3)))).toEqual(['second', 'first']);
  });

  /** Trades of 1 and -1 in turn on a weekday, better or worse by a little. */
  const on = (weekday: number, shift: number) =>
    Array.from({ length: 20 }, (_, i) => ({
      gross_pnl: (i % 2 ? 1 : -1) + shift,
      executed_at: `2026-11-${15 + weekday}T10:00:00.000Z`,
      closed_at: `2026-11-${15 + weekday}T11:00:00.000Z`,
      side: weekday === 5 ? 'short' : 'long',
    }));

  test('a row that stands out among two rows is chance among five', async () => {
    const week = (shift: number) => listed(...[1, 2, 3, 4].flatMap((day) => on(day, 0)), ...on(5, shift));
    expect(await marked(week(-0.65), 'side')).toEqual(['long', 'short']);
    expect(await marked(week(-0.65), 'weekday')).toEqual([]);
    expect(await marked(week(-1), 'weekday')).toEqual(['5']);
    // Rows omitted by top change nothing.
    expect(await marked(week(-1), 'weekday', '&top=5')).toEqual(['5']);
    expect(await marked(week(-1), 'weekday', '&top=2')).toEqual([]);
  });

  test('a row of one trade never stands out', async () => {
    expect(await marked(listed({ gross_pnl: 1e6, setup: 'a' }, ...Array(9).fill({ gross_pnl: 1 })))).toEqual([]);
  });
});

// All runs with `npm run test:long`; bench/chance.ts prints the table in docs/analytics.md.
describe('a row by ten setups stands out in at most 6.5 % of shuffled journals', () => {
  const JOURNALS = runs(1000, 10);
  // 0.5 of 10 journals are expected; more than 3 occur in 1 of 1,000 tries.
  const most = JOURNALS === 1000 ? 65 : 3;

  test.each(Object.keys(TRADERS))('%s', { timeout: 600_000 }, (name) => {
    let shown = 0;
    for (let seed = 0; seed < JOURNALS; seed++) {
      const next = uniform(seed);
      const parts = Array.from({ length: 10 }, () => ({ trades: 0, net: 0 }));
      const nets = Array.from({ length: 200 }, () => {
        const net = TRADERS[name]!(next);
        const part = parts[label(next, 10)]!;
        part.trades++;
        part.net += net;
        return net;
      });
      if (holm(chances(nets, parts)).includes(true)) shown++;
    }
    expect(shown).toBeLessThanOrEqual(most);
  });
});
