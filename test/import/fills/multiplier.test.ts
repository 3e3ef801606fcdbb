/** Contract sizes. */
import { describe, expect, test } from 'vitest';
import {
  GivenMultipliers,
  multiplierFrom,
  multiplierOf,
  type PricedMove,
} from '../../../src/import/fills/multiplier.ts';
import type { Instrument } from '../../../src/parse/instruments.ts';
import { MES } from './make-file-fill.ts';

const move = (points: number, gross: number, line = 2): PricedMove => ({
  points,
  gross,
  line,
});

describe('the contract size implied by P&L and prices', () => {
  test.each<[string, PricedMove[], number | undefined]>([
    ['one row', [move(2.5, 12.5)], 5],
    ['losses', [move(-2.5, -12.5)], 5],
    ['P&L cut to cents', [move(0.015625, 15.62), move(0.03125, 31.25)], 1000],
    ['a small size', [move(250, 25), move(1, 0.1)], 0.1],
    ['rows without a difference', [move(0, 0)], undefined],
    ['no rows', [], undefined],
  ])('of %s', (_, moves, expected) => {
    expect(multiplierFrom(moves, 'X')).toBe(expected);
  });

  test.each([
    ['rows without a common number', [move(1, 5), move(1, 6, 3)]],
    ['P&L without a difference of prices', [move(0, 6, 3)]],
    ['a loss at a gain in price', [move(1, -6, 3)]],
  ])('is rejected for %s', (_, moves) => {
    expect(() => multiplierFrom(moves, 'X')).toThrow('pnl: ');
  });
});

describe('the contract size used', () => {
  const none = {
    moves: [] as PricedMove[],
    given: new GivenMultipliers(),
    stored: undefined,
  };
  const other: Instrument = { ...MES, symbol: 'XYZZ6', underlying: 'XYZ' };

  test.each<
    [
      string,
      Instrument,
      Partial<typeof none> | { moves?: PricedMove[]; stored: number },
      number,
    ]
  >([
    ["the file's", { ...MES, multiplier: 7 }, {}, 7],
    ["the person's", other, { given: new GivenMultipliers(new Map([['XYZZ6', 3]])) }, 3],
    [
      "the person's, by root",
      other,
      { given: new GivenMultipliers(new Map([['XYZ', 3]])) },
      3,
    ],
    ["the P&L's", other, { moves: [move(2, 8)] }, 4],
    ["the journal's", other, { stored: 9 }, 9],
    ["the P&L's, before the journal's", other, { moves: [move(2, 8)], stored: 9 }, 4],
    [
      "the contract's, where one cut-off trade says otherwise",
      MES,
      { moves: [move(2, 8), move(0, 0)] },
      5,
    ],
    ["the contract's", MES, {}, 5],
    [
      "the contract's, its root read from the symbol",
      { ...MES, underlying: null, symbol: 'MES 12-26' },
      {},
      5,
    ],
    ["an option's", { ...MES, market: 'option' }, {}, 100],
    ["a share's", { ...MES, market: 'stock' }, {}, 1],
    [
      "a coin's, whatever the P&L",
      { ...MES, market: 'crypto' },
      { moves: [move(2, 8)] },
      1,
    ],
    [
      "the contract's, where cut-off trades explain nothing",
      MES,
      { moves: [move(3, 7.123), move(1, 2)] },
      5,
    ],
  ])('is %s', (_, instrument, sources, expected) => {
    expect(multiplierOf(instrument, { ...none, ...sources })).toBe(expected);
  });

  test.each<[string, Instrument]>([
    ['an unknown future', other],
    ['a contract in another currency than specified', { ...MES, currency: 'EUR' }],
  ])('is requested for %s', (_, instrument) => {
    expect(() => multiplierOf(instrument, none)).toThrow(
      `--multiplier ${instrument.symbol}=50`,
    );
  });

  test.each<[string, Instrument, Partial<typeof none>]>([
    ['the table', MES, {}],
    ['the user', MES, { given: new GivenMultipliers(new Map([['MES', 50]])) }],
    ['the file', { ...MES, multiplier: 50 }, {}],
    ['the journal', MES, { stored: 50 } as object],
  ])(
    'is rejected if P&L contradicts %s, and the fitting one is named',
    (_, instrument, sources) => {
      const moves = [move(2, 8), move(3, 12)];
      expect(() => multiplierOf(instrument, { ...none, moves, ...sources })).toThrow(
        '--multiplier MESZ6=4',
      );
    },
  );

  test("is the user's, if the exchange specifies the same", () => {
    const moves = [move(2, 8), move(3, 12)];
    expect(
      multiplierOf(MES, {
        ...none,
        moves,
        given: new GivenMultipliers(new Map([['MESZ6', 5]])),
      }),
    ).toBe(5);
  });

  test.each([
    ['MESZ6', 'MESZ6'],
    ['MES', 'MESZ6'],
  ])('is rejected if %s contradicts the file', (name, symbol) => {
    const given = new GivenMultipliers(new Map([[name, 50]]));
    expect(() => multiplierOf({ ...MES, multiplier: 5 }, { ...none, given })).toThrow(
      `or pass --multiplier ${symbol}=5`,
    );
  });

  test("one trade that implies another doesn't contradict the exchange", () => {
    expect(multiplierOf(MES, { ...none, moves: [move(2.5, 9.38)] })).toBe(5);
  });
});
