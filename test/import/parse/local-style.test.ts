/** Numbers and dates of programs that use the computer's language. */
import { expect, test } from 'vitest';
import {
  dateOrderOf,
  decimalOf,
  hasSpaces,
  rewrittenOrder,
  spreadsheetOrder,
} from '../../../src/import/parse/times.ts';

test.each([
  [['1/28/2025 10:59 AM'], 'mdy', 'mdy'],
  [['1/2/2025 10:59 AM'], 'dmy', 'mdy'],
  [['01/02/2025 10:59', '28/01/2025 10:59'], 'mdy', 'dmy'],
  [['01/02/2025 10:59', '01/28/2025 10:59'], 'dmy', 'mdy'],
  [['01/02/2025 10:59'], 'dmy', 'dmy'],
  [['01.02.2025 10:59'], 'mdy', 'dmy'],
  [['01/02/2025'], 'mdy', 'mdy'],
  [['01-02-2025 10:59'], 'mdy', 'dmy'],
  [['01/02/2025', '04/02/2025', '03/03/2025'], 'mdy', 'dmy'],
  [['02-01-2025', '02-04-2025', '03-03-2025'], 'dmy', 'mdy'],
  [['05/02/2025', '03/03/2025', '06/01/2025'], 'mdy', 'mdy'],
  [['2025-01-28 10:59'], 'mdy', 'ymd'],
  [[], 'mdy', 'mdy'],
] as const)('dates %j, usually %s, are %s', (cells, usual, order) => {
  expect(dateOrderOf(cells, usual)).toBe(order);
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

test.each([
  [['26 068,00'], true],
  [['1\u202f500,00 $'], true],
  [['110 045'], false],
  [['26.068,00'], false],
] as const)('numbers %j have spaces between thousands: %s', (cells, has) => {
  expect(hasSpaces(cells)).toBe(has);
});

test.each([
  [['2/9/2026 16:40', '10/2/2026 9:05'], 'mdy'],
  [['09/02/2026 16:40'], 'dmy'],
  [['2/09/2026 16:40'], 'dmy'],
  [['10/12/2026 16:40'], 'mdy'],
] as const)('a spreadsheet wrote %j in the order %s', (cells, order) => {
  expect(spreadsheetOrder(cells)).toBe(order);
});

const days = (...texts: string[]) => texts.map((text, index) => ({ text, column: 'time', line: index + 2 }));

test.each([
  [['2026-11-02 10:00:00', '2026-11-03T10:00:00Z'], 'ymd', 0],
  [['11/2/2026 10:00', '11/13/2026 10:00'], 'mdy', 1],
  [['02/11/2026 10:00', '13/11/2026 10:00'], 'dmy', 1],
  [['02.11.2026 10:00'], 'dmy', 1],
  [['6/6/2026 10:00'], 'mdy', 1],
  [['12:00 2026-11-02'], 'ymd', 0],
] as const)('dates that a spreadsheet may have reformatted, %j: %s', (texts, order, notes) => {
  const found = rewrittenOrder(days(...texts));
  expect([found.order, found.notes.length]).toEqual([order, notes]);
});

test('reformatted dates that fit both orders are rejected', () => {
  expect(() => rewrittenOrder(days('6/6/2026 10:00', '11/2/2026 10:00'))).toThrow(
    '"6/6/2026 10:00" and all other dates fit both month first and day first; import the original file',
  );
});
