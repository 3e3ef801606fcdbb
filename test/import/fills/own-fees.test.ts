/** Selection and amount of the trader's own fees of a fill. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FeeRate,
  rateOf,
  withOwnFees,
} from '../../../src/statements/account-settings.ts';
import type { Fill } from '../../../src/statements/fill-row.ts';
import { makeFill, makeFills } from './make-fill.ts';

const rate = (changes: Partial<FeeRate>): FeeRate => ({
  ...{ symbol: null, account: null, per_contract: null, per_order: null, percent: null },
  ...changes,
});

const feesOf = (fills: readonly Fill[], ...rates: FeeRate[]) =>
  withOwnFees(fills, rates).map(({ fees }) => fees);

describe('the most specific fee counts', () => {
  const rates = [
    rate({ percent: 1 }),
    rate({ account: 'main', percent: 2 }),
    rate({ symbol: 'MES', percent: 3 }),
    rate({ symbol: 'mes', account: 'Main', percent: 4 }),
    rate({ symbol: 'MESZ6', percent: 5 }),
    rate({ symbol: 'MESZ6', account: 'main', percent: 6 }),
  ];

  test.each<[string, string | null, string | null, string | null, number]>([
    ['a symbol in its account', 'MESZ6', 'MES', 'MAIN', 6],
    ['a symbol in another account', 'mesz6', 'MES', 'swing', 5],
    ['an underlying in its account', 'MESH7', 'MES', 'main', 4],
    ['an underlying without an account', 'MESH7', 'MES', null, 3],
    ['an account', 'AAPL', null, 'main', 2],
    ['anything else', 'AAPL', null, null, 1],
  ])('of %s', (_, symbol, underlying, account, percent) => {
    const fill = { symbol: symbol ?? '', underlying, account };
    expect(rateOf(fill, rates)?.percent).toBe(percent);
    expect(rateOf(fill, rates.toReversed())?.percent).toBe(percent);
  });

  test('of an underlying in any account, rather than of every symbol in its account', () => {
    expect(
      rateOf({ symbol: 'MESH7', underlying: 'MES', account: 'main' }, rates.slice(0, 3))
        ?.percent,
    ).toBe(3);
  });

  test('of none, if no fee fits', () => {
    expect(
      rateOf({ symbol: 'AAPL', underlying: null, account: null }, rates.slice(1)),
    ).toBeUndefined();
  });
});

describe('a fill', () => {
  const feeless = { fees_stated: false } as const;

  test.each<[string, Partial<Fill>, Partial<FeeRate>, number]>([
    ['per contract', { quantity: 3 }, { per_contract: 0.62 }, 1.86],
    [
      'in percent of the value',
      { quantity: 3, price: -100.1, multiplier: 5 },
      { percent: 0.05 },
      0.75075,
    ],
    ['per order', { quantity: 3 }, { per_order: 1.5 }, 1.5],
    [
      'in all three ways',
      { quantity: 2, price: 10, multiplier: 1 },
      { per_contract: 0.1, per_order: 1, percent: 10 },
      3.2,
    ],
    ['nothing, at a fee of 0', { quantity: 2 }, { per_contract: 0 }, 0],
    [
      'nothing, if its file states fees',
      { fees: 0.4, fees_stated: true },
      { per_contract: 1 },
      0.4,
    ],
    [
      'nothing, if its file states a fee of 0',
      { fees_stated: true },
      { per_contract: 1 },
      0,
    ],
    ['nothing, if it expires', { kind: 'expiration' }, { per_contract: 1 }, 0],
    ['nothing, if it cancels another', { part: 'cancelled' }, { per_contract: 1 }, 0],
    [
      'nothing, if the fee is of another symbol',
      {},
      { symbol: 'MNQ', per_contract: 1 },
      0,
    ],
  ])('costs %s', (_, changes, amounts, fees) => {
    expect(feesOf([makeFill('a', { ...feeless, ...changes })], rate(amounts))).toEqual([
      fees,
    ]);
  });

  test('gets its share of the order fee by quantity', () => {
    const fills = makeFills(
      ['buy 1 @ 1', 'buy 1 @ 2', 'buy 1 @ 3', 'sell 2 @ 4', 'sell 1 @ 5'],
      feeless,
    );
    const orders = ['o', 'o', 'o', 'p', null];
    const ordered = fills.map((fill, index) => ({
      ...fill,
      order_id: orders[index] ?? null,
    }));
    expect(feesOf(ordered, rate({ per_order: 1 }))).toEqual([
      0.33333333, 0.33333334, 0.33333333, 1, 1,
    ]);
  });

  test('shares an order with fills of its own account, symbol and platform only', () => {
    const one = makeFill('a', { ...feeless, order_id: '7' });
    const others = [
      { account: 'b' },
      { symbol: 'MNQZ6' },
      { platform: 'y' },
      { fees_stated: true },
    ];
    const fills = [
      one,
      ...others.map((other, index) => makeFill(`b${index}`, { ...one, ...other })),
    ];
    expect(feesOf(fills, rate({ per_order: 1 }))).toEqual([1, 1, 1, 1, 0]);
  });

  test('shares of any order add up to the fee, to 1e-8', () => {
    const quantities = fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(quantities, fc.integer({ min: 1, max: 1e12 }), (all, units) => {
        const fee = units / 1e8;
        const fills = all.map((quantity, index) =>
          makeFill(`f${index}`, { ...feeless, quantity, order_id: 'o' }),
        );
        const shares = feesOf(fills, rate({ per_order: fee })).map((share) =>
          BigInt(Math.round(share * 1e8)),
        );
        expect(shares.every((share) => share >= 0n)).toBe(true);
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(BigInt(units));
      }),
    );
  });
});
