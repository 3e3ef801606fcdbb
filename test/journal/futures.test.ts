import { describe, expect, test } from 'vitest';
import { contractSize, futureOf } from '../../src/journal/derivatives.ts';

describe('the symbol of a future', () => {
  test.each([
    ['ESZ5', 'ES', 12, '5'],
    ['ESZ25', 'ES', 12, '25'],
    ['ESZ2025', 'ES', 12, '2025'],
    ['ES 12-25', 'ES', 12, '25'],
    ['/ESZ25:XCME', 'ES', 12, '25'],
    ['./ESZ25:XCME', 'ES', 12, '25'],
    ['MNQ DEC25', 'MNQ', 12, '25'],
    ["FDAX SEP '25", 'FDAX', 9, '25'],
    ['F.US.MNQZ25', 'MNQ', 12, '25'],
    ['CON.F.US.MNQ.Z25', 'MNQ', 12, '25'],
    ['mesz5', 'MES', 12, '5'],
    ['MESM6.CME', 'MES', 6, '6'],
    ['CME_MINI:ES1!', 'ES', null, null],
    ['6EZ5', '6E', 12, '5'],
    ['M2KH26', 'M2K', 3, '26'],
    ['10YF6', '10Y', 1, '6'],
    ['ZNZ6', 'ZN', 12, '6'],
    ['NGN6', 'NG', 7, '6'],
    ['GCG6', 'GC', 2, '6'],
    ['MGC', 'MGC', null, null],
    ['ES ##-##', 'ES', null, null],
  ])('%s', (symbol, root, month, year) => {
    expect(futureOf(symbol)).toEqual({ root, month, year });
  });

  test.each([
    '',
    'AAPL',
    'BTC-USD',
    'ES 13-25',
    'ES DEZ25',
    'SPY 2026-06-19 C450',
    'ESZ125',
  ])('%j is none', (symbol) => {
    expect(futureOf(symbol)).toBeUndefined();
  });
});

test.each([
  ['ES', 50, 'USD'],
  ['MYM', 0.5, 'USD'],
  ['6J', 12_500_000, 'USD'],
  ['FDXM', 5, 'EUR'],
  ['ZL', 600, 'USD'],
])('the contract size of %s is %d %s', (root, multiplier, currency) => {
  expect(contractSize(root)).toEqual({ multiplier, currency });
});

test('an unlisted contract has no size', () => {
  expect(contractSize('XYZ')).toBeUndefined();
});
