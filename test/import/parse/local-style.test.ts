/** Numbers and dates of programs that write them as the computer's language has them. */
import { expect, test } from 'vitest';
import { dateOrderOf, decimalOf } from '../../../src/import/parse/local-style.ts';

test.each([
  [['1/28/2025 10:59 AM'], '.', 'mdy'],
  [['1/2/2025 10:59 AM'], ',', 'mdy'],
  [['01/02/2025 10:59', '28/01/2025 10:59'], '.', 'dmy'],
  [['01/02/2025 10:59', '01/28/2025 10:59'], ',', 'mdy'],
  [['01/02/2025 10:59'], ',', 'dmy'],
  [['01.02.2025 10:59'], '.', 'dmy'],
  [['01/02/2025'], '.', 'mdy'],
  [['2025-01-28 10:59'], '.', 'ymd'],
  [[], '.', 'mdy'],
] as const)('dates %j with a decimal %s are %s', (cells, decimal, order) => {
  expect(dateOrderOf(cells, decimal)).toBe(order);
});

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
