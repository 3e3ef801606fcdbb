/** The fractions of the reference. */
import { expect, test } from 'vitest';
import { Exact } from './exact.ts';

test.each([
  ['0.1', 1n, 10n],
  ['-12.50', -25n, 2n],
  ['1e-14', 1n, 10n ** 14n],
  ['-2.5e-15', -25n, 10n ** 16n],
  ['1.5E+21', 15n * 10n ** 20n, 1n],
  [3e-8, 3n, 10n ** 8n],
  [0, 0n, 1n],
])('%s is %i/%i', (decimal, top, bottom) => {
  expect(Exact.of(decimal).compare(new Exact(top, bottom))).toBe(0);
});

test.each([
  ['0.000000005', 8, 1e-8],
  ['-0.000000005', 8, -1e-8],
  ['0.0000000049999999999999999', 8, 0],
  ['2.5', 0, 3],
  ['-2.5', 0, -3],
  ['1.0000005', 6, 1.000001],
])('%s to %i decimals is %d', (decimal, decimals, rounded) => {
  expect(Exact.of(decimal).rounded(decimals).toNumber()).toBe(rounded);
});

test('arithmetic of fractions is exact', () => {
  const third = new Exact(1n, 3n);
  expect(Exact.sum([third, third, third]).compare(Exact.of(1))).toBe(0);
  expect(third.minus(Exact.of('0.5')).compare(new Exact(-1n, 6n))).toBe(0);
  expect(third.times(third).compare(new Exact(1n, 9n))).toBe(0);
  expect(third.over(Exact.of(-2)).compare(new Exact(1n, -6n))).toBe(0);
  expect(third.over(2).times(6).toNumber()).toBe(1);
  expect([third.sign, third.negated().sign, Exact.zero.sign]).toEqual([1, -1, 0]);
  expect(() => third.over(Exact.zero)).toThrow(RangeError);
  expect(() => Exact.of('1,5')).toThrow(RangeError);
});
