/** Rounding and sums, checked against exact fractions. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asDecimal,
  decimalsOf,
  difference,
  roundDecimal,
  roundMoney,
  roundRatio,
  Sum,
  withoutNoise,
} from '../src/money.ts';
import { runs } from './effort.ts';
import { Exact } from './journal/analytics/exact.ts';

test.each([
  [0.1 + 0.2, 0.3],
  [0.1 + 0.2 - 0.3, 0],
  [-0, 0],
  [-1e-12, 0],
  [1.5e-8, 2e-8],
  [2.5e-8, 3e-8],
  [-2.5e-8, -3e-8],
  [0.5e-8, 1e-8],
  [0.499e-8, 0],
  [1.005, 1.005],
  [61.777777777777779, 61.77777778],
  // 0.34 * 1.1 and 12345.67890123 * 1.5: ties except for the last bit.
  [37.499999999999996e-8, 38e-8],
  [12345.67890123 * 1.5, 18518.51835185],
  [12_345_678.123_456_78, 12_345_678.123_456_78],
  [9_007_199_254_740_991, 9_007_199_254_740_991],
  [1e300, 1e300],
  [14_714_251_565.492048, 14_714_251_565.492048],
  [5e-324, 0],
])('%d of money is %d', (value, rounded) => {
  expect(roundMoney(value)).toBe(rounded);
});

test.each([
  [2 / 3, 0.666667],
  [0.0000005, 0.000001],
  [-0.0000015, -0.000002],
  [0.00000049999, 0],
  [1 / 128, 0.007813],
])('a ratio of %d is %d', (value, rounded) => {
  expect(roundRatio(value)).toBe(rounded);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  '%d is rejected',
  (value) => {
    expect(() => roundMoney(value)).toThrow(RangeError);
  },
);

test('rounding a rounded value changes nothing, at any size', () => {
  const any = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, min: -1e12, max: 1e12 }),
    fc.integer({ min: -1e15, max: 1e15 }).map((n) => n / 1e5),
  );
  fc.assert(
    fc.property(any, (value) => {
      expect(roundMoney(roundMoney(value))).toBe(roundMoney(value));
      expect(roundRatio(roundRatio(value))).toBe(roundRatio(value));
    }),
    { numRuns: runs(20_000) },
  );
});

describe('against exact fractions', () => {
  const money = fc.integer({ min: -1e12, max: 1e12 }).map((n) => n / 1e8);
  const rate = fc.oneof(
    fc.constantFrom(0.5, 1.5, 1.25, 0.25, 0.75),
    fc.integer({ min: 1, max: 30_000 }).map((n) => n / 1e4),
  );

  test('a value with 8 decimals is unchanged', () => {
    fc.assert(
      fc.property(money, (value) => roundMoney(value) === (value === 0 ? 0 : value)),
      { numRuns: 5000 },
    );
  });

  test('a product of two decimals is rounded half away from zero, ties included', () => {
    // Up to 1000: with the 12 decimals of the product that is 15 digits, the guaranteed precision of a number.
    const amount = fc.integer({ min: -3.3e10, max: 3.3e10 }).map((n) => n / 1e8);
    fc.assert(
      fc.property(amount, rate, (value, rate) => {
        expect(roundMoney(value * rate)).toBe(
          Exact.of(value).times(Exact.of(rate)).rounded(8).toNumber(),
        );
      }),
      { numRuns: 5000 },
    );
  });

  test('a value near a tie is rounded to the nearest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e13 }), (n) => {
        expect(roundMoney(Number(`${n}.49e-8`))).toBe(Number(`${n}e-8`));
        expect(roundMoney(Number(`-${n}.51e-8`))).toBe(Number(`-${n + 1}e-8`));
      }),
      { numRuns: 5000 },
    );
  });

  test('a mean with a finite decimal is rounded like the exact one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e11, max: 1e11 }),
        fc.constantFrom(2, 4, 5, 8, 10, 16, 20, 40, 100),
        (n, count) => {
          expect(roundMoney(n / 1e8 / count)).toBe(
            Exact.of(n / 1e8)
              .over(count)
              .rounded(8)
              .toNumber(),
          );
        },
      ),
      { numRuns: 5000 },
    );
  });

  test('sums neither drift nor depend on the order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(money, fc.constantFrom(1e6, -1e6, 0.1, -0.1, 1e-8)), {
          maxLength: 100,
          size: 'max',
        }),
        (values) => {
          const sum = new Sum();
          for (const value of values) sum.add(value);
          const exact = Exact.sum(values.map((value) => Exact.of(value)));
          expect(roundMoney(sum.value)).toBe(exact.rounded(8).toNumber());
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test('noise becomes 0, a hundred-millionth is kept', () => {
  expect(withoutNoise(0.1 + 0.2 - 0.3)).toBe(0);
  expect(withoutNoise(1e-8)).toBe(1e-8);
  expect(withoutNoise(-1e-8)).toBe(-1e-8);
});

describe('shortcuts equal the texts that they replace', () => {
  const decimal = fc
    .tuple(fc.integer({ min: -1e13, max: 1e13 }), fc.integer({ min: 0, max: 13 }))
    .map(([n, decimals]) => n / 10 ** decimals);
  // Within the last bits, and about a tie of money.
  const noisy = fc
    .tuple(decimal, fc.integer({ min: -9, max: 9 }))
    .map(([value, bits]) => value * (1 + bits * Number.EPSILON));
  const nearTie = fc
    .tuple(fc.integer({ min: 0, max: 4e13 }), fc.integer({ min: 30, max: 70 }))
    .map(([n, hundredths]) => (n + hundredths / 100) / 1e8);
  const any = fc.oneof(
    decimal,
    noisy,
    nearTie,
    fc.double({ noNaN: true, min: -1e12, max: 1e12 }),
  );

  test('of a rounded decimal', () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(roundDecimal(value)).toBe(roundMoney(asDecimal(value)));
      }),
      { numRuns: runs(20_000) },
    );
  });

  test('of a difference', () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        const digits = Math.floor(Math.log10(Math.max(Math.abs(a), Math.abs(b)))) + 1;
        const decimals = Math.min(100, Math.max(0, 15 - digits));
        const isZero = a === 0 && b === 0;
        expect(difference(a, b) + 0).toBe(
          isZero ? 0 : Number((a - b).toFixed(decimals)) + 0,
        );
      }),
      { numRuns: runs(20_000) },
    );
  });

  test('of a number of decimals', () => {
    fc.assert(
      fc.property(any, (value) => {
        const [digits = '', exponent = '0'] = String(value).split('e');
        const written = (digits.split('.')[1] ?? '').length - Number(exponent);
        expect(decimalsOf(value)).toBe(Math.max(0, written));
      }),
      { numRuns: runs(20_000) },
    );
  });
});
