/** Numbers of programs that use the computer's language. */
import { expect, test } from 'vitest';
import { decimalOf, hasSpaces } from '../../src/parse/times.ts';

test.each([
  [['25000', '25000,5'], ','],
  [['25.000,500'], ','],
  [['1,12345'], ','],
  [['25,000'], '.'],
  [['25,000.5'], '.'],
  [['25000.5'], '.'],
  [[], '.'],
] as const)('numbers %j have a decimal %s', (cells, decimal) => {
  expect(decimalOf(cells)).toBe(decimal);
});

test.each([
  [['26 068,00'], true],
  [['1\u202f500,00 $'], true],
  [['110 045'], false],
  [['26.068,00'], false],
] as const)('numbers %j have spaces between thousands: %s', (cells, has) => {
  expect(hasSpaces(cells)).toBe(has);
});
