/** Values as the page shows them, in American English. */
import { expect, test } from 'vitest';
import { formatsOf } from '../../src/web/format.ts';

const format = formatsOf({ timezone: 'America/New_York', base_currency: 'USD' }, 'en-US');

test.each([
  [9.5, '+9.50'],
  [-177.4, '-177'],
  [9999, '+9,999'],
  [10_000, '+10K'],
  [-123_456, '-123K'],
  [1_234_567, '+1.23M'],
  [0, '0.00'],
])('%d without its currency is %s', (value, shown) => {
  expect(format.bareGain(value)).toBe(shown);
});

test.each([
  [-0.00005528, '$0.00'],
  [-0.005, '-$0.01'],
])('%d in money is %s', (value, shown) => {
  expect(format.money(value)).toBe(shown);
});

test.each([
  [5.68, '+5.7'],
  [9.96, '+10'],
  [-177.4, '-177'],
  [999.6, '+1K'],
  [-2366.1, '-2.4K'],
  [99_600, '+100K'],
  [-996_000, '-1M'],
  [12_345_678_901, '+12B'],
  [0, '0'],
])('%d in a small cell is %s', (value, shown) => {
  expect(format.cellGain(value)).toBe(shown);
});

test.each([
  [9.5, '+$9.5'],
  [-177.4, '-$177'],
  [12_345, '+$12.3K'],
])('%d in few characters is %s', (value, shown) => {
  expect(format.shortGain(value)).toBe(shown);
});

test('weekdays are named from Monday, 1, to Sunday, 7', () => {
  expect([1, 5, 7].map((day) => format.weekday(day))).toEqual(['Mon', 'Fri', 'Sun']);
});

test('small prices have more decimals', () => {
  expect([0.00001234, 1.23456, 12_345.678].map((price) => format.price(price))).toEqual([
    '0.00001234',
    '1.2346',
    '12,345.68',
  ]);
});

test('times are those of the journal, dates stay', () => {
  expect(format.clock('2026-11-20T14:41:00.000Z')).toBe('09:41');
  expect(format.dayOf('2026-11-20T03:00:00.000Z')).toBe('2026-11-19');
  expect(format.day('2026-11-20')).toBe('Fri, Nov 20, 2026');
});
