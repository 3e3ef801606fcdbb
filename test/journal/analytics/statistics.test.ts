/** Statistics on more values than in test journals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { medianOf } from '../../../src/journal/analytics/statistics.ts';
import { lawP } from '../../../src/journal/analytics/within-days.ts';

test.each([
  [[], null],
  [[5], 5],
  [[2, 1], 1.5],
  [[3, 1, 2], 2],
  [[7, 7, 7, 7], 7],
  [[0, -1, 0, -1], -0.5],
])('the median of %j is %j', (values, median) => {
  expect(medianOf(values)).toBe(median);
});

test('the median is the middle of the sorted values, with any number of equal ones', () => {
  const few = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 500 });
  const many = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), {
    minLength: 1,
    maxLength: 500,
  });
  const ordered = fc.integer({ min: 1, max: 2000 }).chain((n) => {
    const rising = Array.from({ length: n }, (_, i) => i);
    const falling = [...rising].reverse();
    return fc.constantFrom(
      rising,
      falling,
      [...rising, ...rising],
      [...rising, ...falling],
      [...falling, ...rising],
    );
  });
  fc.assert(
    fc.property(fc.oneof(few, many, ordered), (values) => {
      const given = [...values];
      const sorted = [...values].sort((a, b) => a - b);
      const [lower, upper] = [
        sorted[(sorted.length - 1) >> 1] as number,
        sorted[sorted.length >> 1] as number,
      ];
      // Plus 0, since -0 and 0 sort in any order.
      const median = (medianOf(values) as number) + 0;
      expect(median).toBe((sorted.length % 2 === 1 ? upper : (upper + lower) / 2) + 0);
      expect(values).toEqual(given);
    }),
    { numRuns: 2000 },
  );
});

test('no order of many values makes the median slow', () => {
  const half = Array.from({ length: 200_000 }, (_, i) => i);
  const back = [...half].reverse();
  for (const values of [half.concat(back), back.concat(half), half, half.concat(half)])
    expect(medianOf(values)).toBe(99_999.5);
});

describe('the p-value of an effect by the draws', () => {
  const DRAWS = 1e9;
  /** Sums by the moments of the draws: their mean less the actual sum, their spread and skewness. */
  const pOf = (mean: number, deviation: number, skewness: number) => {
    const cubes = skewness * deviation ** 3 + 3 * mean * deviation ** 2 + mean ** 3;
    return lawP(mean, DRAWS * (deviation ** 2 + mean ** 2), DRAWS * cubes, DRAWS);
  };

  test.each([
    [1.96, 0.05],
    [-2.576, 0.01],
  ])(
    'is that of the normal distribution for draws without skew: %f deviations',
    (z, p) => {
      expect(pOf(-z, 1, 0)).toBeCloseTo(p, 4);
    },
  );

  // Twice the upper tail of the gamma distribution with an integer shape, which has a closed form.
  test.each([
    [4, 9],
    [4, 12],
    [16, 26],
    [1, 4],
  ])(
    'is that of the gamma distribution for draws with its skew: shape %d, sum %d',
    (shape, sum) => {
      let [term, tail] = [1, 1];
      for (let i = 1; i < shape; i++) {
        term *= sum / i;
        tail += term;
      }
      const exact = 2 * Math.exp(-sum) * tail;
      const [mean, deviation] = [shape - sum, Math.sqrt(shape)];
      expect(Math.abs(pOf(mean, deviation, 2 / deviation) / exact - 1)).toBeLessThan(0.1);
      // On the side of the short tail, the normal distribution decides.
      expect(pOf(-mean, deviation, 2 / deviation)).toBeCloseTo(
        pOf(mean, deviation, 0),
        9,
      );
    },
  );
});
