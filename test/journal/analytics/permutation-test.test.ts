/** The test of rows by whole days and within days: compared with all orders of days, in responses, and on simulated traders. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  benjaminiHochberg,
  type Correction,
  holm,
  wholeDays,
} from '../../../src/journal/analytics/permutation-test.ts';
import { runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { filler, journal, listed } from './fill.ts';
import type { Trade } from './reference.ts';
import * as reference from './reference-permutation.ts';
import { TRADERS, uniform } from './traders.ts';

/** Results of days, and rows by the places of their trades. */
function chances(
  days: readonly (readonly number[])[],
  rows: readonly (readonly number[])[],
  canBeMarked?: Correction,
): number[] {
  let at = 0;
  const starts = Int32Array.from([0, ...days.map((of) => (at += of.length))]);
  const members = rows.map((row) => Int32Array.from(row));
  return wholeDays(
    { nets: Float64Array.from(days.flat()), starts },
    members,
    1,
    canBeMarked,
  );
}

function* ordersOf<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [i, one] of items.entries()) {
    for (const rest of ordersOf(items.filter((_, other) => other !== i)))
      yield [one, ...rest];
  }
}

/** The studentised sum of a row, by its definition. */
function zOf(days: readonly (readonly number[])[], row: readonly number[]): number {
  const all = days.flat();
  const mean = all.reduce((sum, net) => sum + net, 0) / all.length;
  const share = row.length / all.length;
  let [place, total, square] = [0, 0, 0];
  for (const of of days) {
    let spread = 0;
    for (const net of of) {
      const isIn = row.includes(place++) ? 1 : 0;
      total += isIn * (net - mean);
      spread += (isIn - share) * (net - mean);
    }
    square += spread * spread;
  }
  return square < 1e-14 ? 0 : Math.abs(total) / Math.sqrt(square);
}

describe('the p-value of a row', () => {
  test('is the share of all orders of the days that are as extreme', () => {
    const day = fc.array(fc.integer({ min: -30, max: 30 }), {
      minLength: 1,
      maxLength: 4,
    });
    const cases = fc.array(day, { minLength: 4, maxLength: 6 }).chain((days) => {
      const n = days.flat().length;
      const row = fc.uniqueArray(fc.nat({ max: n - 1 }), {
        minLength: 1,
        maxLength: n - 1,
      });
      return fc.tuple(
        fc.constant(days),
        row.map((places) => places.sort((a, b) => a - b)),
      );
    });
    fc.assert(
      fc.property(cases, ([days, row]) => {
        const actual = zOf(days, row);
        const all = [...ordersOf(days)].map((order) => zOf(order, row));
        const p =
          actual === 0
            ? 1
            : all.filter((z) => z >= actual * (1 - 1e-9)).length / all.length;
        // 100 extreme draws: a tenth of p as standard error.
        expect(Math.abs(chances(days, [row])[0]! - p)).toBeLessThanOrEqual(
          0.5 * p * Math.sqrt(1 - p) + 1e-3,
        );
      }),
      { numRuns: runs(100, 20) },
    );
  });

  test('is 1 if all results are equal, and if the row has the same share of each day and its mean', () => {
    expect(chances([[0.1, 0.1], [0.1, 0.1], [0.1]], [[0, 1]])).toEqual([1]);
    expect(
      chances(
        [
          [5, 5],
          [3, 3],
          [1, 1],
        ],
        [[0, 2, 4]],
      ),
    ).toEqual([1]);
  });

  const next = uniform(8);
  const days = Array.from({ length: 500 }, () =>
    Array.from({ length: 10 }, () => TRADERS['normal results']!(next)),
  );

  test('equals that of all other trades together', () => {
    const row = Array.from({ length: 60 }, (_, i) => 7 * i);
    const some = days.slice(0, 60);
    const rest = [...Array(600).keys()].filter((place) => !row.includes(place));
    const [one, other] = chances(some, [row, rest]);
    expect(one).toBe(other);
  });

  test("of more than 2,000 trades is Student's limit, which agrees with draws", () => {
    const nets = days.flat();
    const row = (trades: number, better: number) =>
      [...nets.keys()].filter((place) => nets[place]! > better).slice(0, trades);
    for (const better of [-9, -2.9, -2.2]) {
      const [drawn, limit] = chances(days, [row(2000, better), row(2001, better)]) as [
        number,
        number,
      ];
      expect(Math.abs(drawn - limit)).toBeLessThan(0.5 * limit + 0.01);
    }
  });

  test('of a row that can no longer be marked takes fewer draws, and the same rows are marked', () => {
    // Rows of different effects, so that some are marked, some nearly, and most are not.
    const next = uniform(5);
    const effects = fc.array(fc.double({ min: 0, max: 1.2, noNaN: true }), {
      minLength: 2,
      maxLength: 12,
    });
    const looks: number[] = [];
    fc.assert(
      fc.property(effects, (worse) => {
        const rows = worse.map((_, i) =>
          [...Array(80).keys()].filter((place) => (place * 7 + i * 11) % 13 < 4),
        );
        const nets = Array.from({ length: 80 }, (_, place) =>
          worse.reduce(
            (net, effect, i) => net - (rows[i]!.includes(place) ? effect : 0),
            next() + next() - 1,
          ),
        );
        const days = Array.from({ length: 40 }, (_, day) =>
          nets.slice(2 * day, 2 * day + 2),
        );
        const whole = chances(days, rows);
        for (const correction of [holm, benjaminiHochberg]) {
          const cut = chances(days, rows, correction);
          expect(correction(cut)).toEqual(correction(whole));
          // A row that is cut short keeps a p that is not marked; all others have the same p.
          for (const [i, p] of cut.entries())
            if (correction(cut)[i]) expect(p).toBe(whole[i]);
          looks.push(cut.filter((p, i) => p !== whole[i]).length);
        }
      }),
      { numRuns: runs(50, 5) },
    );
    expect(Math.max(...looks)).toBeGreaterThan(0);
  });

  test('is found with a resolution of 1 in 20,000 where no draw is as extreme', () => {
    const some = Array.from({ length: 40 }, (_, i) =>
      i < 20 ? [1 + (i % 3), 2] : [-1 - (i % 5), -2],
    );
    expect(chances(some, [Array.from({ length: 40 }, (_, i) => i)])).toEqual([
      1 / 20_001,
    ]);
  });

  test('is the same each time, and if all amounts are multiplied by one factor', () => {
    const some = days
      .slice(0, 40)
      .map((of) => of.map((net) => Math.round(100 * net) / 100));
    const rows = [20, 70, 150].map((size) =>
      Array.from({ length: size }, (_, i) => 2 * i),
    );
    const first = chances(some, rows);
    expect(chances(some, rows)).toEqual(first);
    for (const factor of [0.001, 1.37, 1e6]) {
      expect(
        chances(
          some.map((of) => of.map((net) => net * factor)),
          rows,
        ),
      ).toEqual(first);
    }
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
    const p = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324,
      0.4262, 0.5719, 0.6528,
    ];
    const all = [...p, 0.759, 1];
    expect(benjaminiHochberg(all).filter(Boolean)).toHaveLength(4);
    expect(holm(all).filter(Boolean)).toHaveLength(3);
  });

  test('both follow the definitions', () => {
    const p = fc.array(fc.option(fc.double({ min: 0, max: 0.1, noNaN: true })), {
      maxLength: 30,
    });
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
    const { body } = await world.ask(`/v1/analytics/summary?${query}`, {
      key: world.key(),
    });
    return body.data.groups
      .filter((row: any) => row.stands_out)
      .map((row: any) => Object.values(row.by).join(' '));
  };
  const next = uniform(3);
  const noise = Array.from({ length: 400 }, () => (next() < 0.5 ? 1 : -1));
  const isFade = Array.from({ length: 400 }, () => next() < 0.5);
  const setupOf = (i: number) => (isFade[i] ? 'fade' : 'gap');
  /** Four trades a day, of two setups in any order, one of which is worse. */
  const trades = (
    days: number,
    worse: number,
    more: (i: number) => Partial<Trade> = () => ({}),
  ) =>
    listed(
      ...Array.from({ length: 4 * days }, (_, i) => ({
        gross_pnl: noise[i]! - (isFade[i] ? worse : 0),
        setup: setupOf(i),
        closed_at: new Date(
          Date.UTC(2026, 0, 1 + Math.floor(i / 4), 10 + (i % 4)),
        ).toISOString(),
        ...more(i),
      })),
    );

  test('both of two rows or neither: each is the rest of the other', async () => {
    expect(await marked(trades(30, 1))).toEqual(['gap', 'fade']);
    expect(await marked(trades(30, 0))).toEqual([]);
    // Rows omitted by top are tested too.
    expect(await marked(trades(30, 1), 'setup', '&top=1')).toEqual(['gap']);
  });

  test('none with fewer than 20 trades or 5 days', async () => {
    const fades = (days: number) => isFade.slice(0, 4 * days).filter(Boolean).length;
    const enough = [...Array(100).keys()].find(
      (days) => fades(days) >= 20 && 4 * days - fades(days) >= 20,
    )!;
    expect(await marked(trades(Math.floor(19 / 4), 3))).toEqual([]);
    expect(await marked(trades(enough, 3))).toEqual(['gap', 'fade']);
    const sixteen = (i: number) => ({
      closed_at: new Date(
        Date.UTC(2026, 0, 1 + Math.floor(i / 16), i % 16),
      ).toISOString(),
    });
    expect(await marked(trades(16, 3, sixteen))).toEqual([]);
    expect(await marked(trades(20, 3, sixteen))).toEqual(['gap', 'fade']);
  });

  test('trades of a few days are no proof, however many they are', async () => {
    // All trades of a day share its result, so 200 trades are 10 results.
    const alike = (i: number) => ({
      gross_pnl: (Math.floor(i / 20) % 4 === 0 ? 5 : -1) + noise[i]! / 100,
      setup: Math.floor(i / 20) % 2 ? 'fade' : 'gap',
      closed_at: new Date(
        Date.UTC(2026, 0, 1 + Math.floor(i / 20), i % 20),
      ).toISOString(),
    });
    expect(await marked(trades(50, 0, alike))).toEqual([]);
  });

  test('never the outcome of the first trade of the day, which is one of its trades', async () => {
    const first = (i: number) => ({
      gross_pnl: i % 4 === 0 ? (i % 8 ? 10 : -10) : noise[i]!,
    });
    expect(await marked(trades(60, 0, first), 'first_trade')).toEqual([]);
  });

  test('never the number of trades of the day, which later trades decide', async () => {
    // Days of a loss end after one trade, others have eight.
    const days = Array.from({ length: 60 }, (_, day) =>
      Array(day % 2 ? 1 : 8).fill(day),
    ).flat();
    const all = days.map((day, i) => ({
      gross_pnl: day % 2 ? -9 : 3,
      executed_at: new Date(Date.UTC(2026, 0, 1 + day, 10, i % 8)).toISOString(),
      closed_at: new Date(Date.UTC(2026, 0, 1 + day, 11, i % 8)).toISOString(),
    }));
    expect(await marked(listed(...all), 'trades_that_day')).toEqual([]);
  });

  test('trades on a day in the red, if they are worse than the day itself', async () => {
    // Each day: two results of one size, then a trade that loses if they add up to a loss.
    const results = Array.from({ length: 80 }, () => (next() < 0.5 ? -10 : 10));
    const all = results.flatMap((result, day) =>
      [result, result / 2, result < 0 ? -30 : 20].map((gross_pnl, i) => ({
        gross_pnl,
        executed_at: new Date(Date.UTC(2026, 0, 1 + day, 10 + i)).toISOString(),
        closed_at: new Date(Date.UTC(2026, 0, 1 + day, 10 + i, 30)).toISOString(),
      })),
    );
    expect(await marked(listed(...all), 'day_result')).toEqual(['red']);
  });

  test('copies in several accounts count once', async () => {
    const one = trades(20, 3);
    const inAccount = (account: string, minute: number) =>
      one.map((trade) => ({
        ...trade,
        id: `${trade.id}-${account}`,
        account,
        executed_at: new Date(
          Date.parse(trade.executed_at) + minute * 1000,
        ).toISOString(),
      }));
    const isEarly = one.map(
      ({ setup }, i) =>
        one.slice(0, i).filter((other) => other.setup === setup).length < 15,
    );
    // 15 trades of each setup, even if they are 45.
    const fewer = (trades: Trade[]) => trades.filter((_, i) => isEarly[i]);
    const copied = [
      ...fewer(inAccount('a', 0)),
      ...fewer(inAccount('b', 20)),
      ...fewer(inAccount('c', 60)),
    ];
    expect(await marked(copied)).toEqual([]);
    const aMinuteLater = [...fewer(inAccount('a', 0)), ...fewer(inAccount('b', 60))];
    expect(await marked(aMinuteLater)).toEqual([]);
    const apart = [
      ...fewer(inAccount('a', 0)),
      ...fewer(inAccount('b', 61)),
      ...fewer(inAccount('c', 122)),
    ];
    expect(await marked(apart)).toEqual(['gap', 'fade']);
  });
});
