/** Trades saved as CSV: what a spreadsheet makes of the cells. */
import { expect, test } from 'vitest';
import { csvOf } from '../../src/web/views/trade-csv.ts';

const cell = (value: unknown) => csvOf([{ value }]).split('\r\n')[1];

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])(
  'a text that begins like %j is kept from running',
  (text) => {
    expect(cell(text)).toBe(`'${text}`);
  },
);

test('a list is guarded by its first text', () => {
  expect(cell(['=1+1', 'b'])).toBe("'=1+1; b");
});

test('a formula with quotes and commas is guarded and quoted', () => {
  expect(cell('=HYPERLINK("x","y")')).toBe('"\'=HYPERLINK(""x"",""y"")"');
});

test('numbers stay numbers, also negative ones', () => {
  expect([cell(-12.5), cell(0), cell(3)]).toEqual(['-12.5', '0', '3']);
});

test('other texts stay as they are; nothing is an empty cell', () => {
  expect([cell('a-b'), cell('a,b'), cell(null), cell(undefined), cell(true)]).toEqual([
    'a-b',
    '"a,b"',
    '',
    '',
    'true',
  ]);
});

test('a text with a carriage return is quoted, as one with a line break is', () => {
  expect(csvOf([{ value: 'a\rb' }])).toBe('value\r\n"a\rb"\r\n');
  expect(csvOf([{ value: 'a\nb' }])).toBe('value\r\n"a\nb"\r\n');
});
