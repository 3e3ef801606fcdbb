/** Strategies, names and maximum losses of legs, compared with a second, plain implementation that prices every point. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Leg,
  positionName,
  riskOf,
  strategyOf,
} from '../../src/journal/strategies.ts';
import { runs } from '../effort.ts';

/** "+1 C100 @2": long one call of 100 for 2, of the first day; "C100b" is of the second. "+100 shares @50" are shares. */
function legsOf(text: string): Leg[] {
  return text.split(', ').map((own) => {
    const [quantity = '', what = '', price = '@1'] = own.split(' ');
    const [, letter, strike, day] = /^([CP])([\d.]+)(b?)$/.exec(what) ?? [];
    return {
      side: quantity.startsWith('-') ? 'short' : 'long',
      quantity: Math.abs(Number(quantity)),
      entry_price: Number(price.slice(1)),
      multiplier: letter ? 100 : 1,
      underlying: 'META',
      expiration: letter ? (day ? '2026-01-16' : '2025-12-05') : null,
      strike: letter ? Number(strike) : null,
      option_type: letter ? (letter === 'C' ? 'call' : 'put') : null,
    };
  });
}

describe.each([
  ['+1 C715 @5, -1 C720 @3', 'vertical', 'META 2025-12-05 call vertical 715/720', 200],
  ['-1 C715 @5, +1 C720 @3', 'vertical', 'META 2025-12-05 call vertical 715/720', 300],
  ['+2 P715 @3, -2 P720 @5.5', 'vertical', 'META 2025-12-05 put vertical 715/720', 500],
  ['-1 C100, -1 P100', 'straddle', 'META 2025-12-05 straddle 100', null],
  ['+1 C100 @4, +1 P100 @3.25', 'straddle', 'META 2025-12-05 straddle 100', 725],
  ['+1 C110 @2, +1 P90 @1', 'strangle', 'META 2025-12-05 strangle 90/110', 300],
  ['-1 C110, -1 P90', 'strangle', 'META 2025-12-05 strangle 90/110', null],
  ['+1 C90 @11, +1 P110 @12', 'custom', 'META 2025-12-05 2 legs 90/110', 300],
  ['+1 C100b, -1 C100', 'calendar', 'META 2025-12-05/2026-01-16 call calendar 100', null],
  [
    '+1 C110b, -1 C100',
    'diagonal',
    'META 2025-12-05/2026-01-16 call diagonal 100/110',
    null,
  ],
  ['+2 C110b, -1 C110', 'custom', 'META 2025-12-05/2026-01-16 2 call legs 110', null],
  ['+1 C100 @5, -2 C110 @2', 'ratio', 'META 2025-12-05 call ratio 100/110', null],
  ['-1 C100 @5, +2 C110 @2', 'ratio', 'META 2025-12-05 call ratio 100/110', 900],
  ['-2 P90 @1, +1 P100 @3', 'ratio', 'META 2025-12-05 put ratio 90/100', null],
  [
    '+1 C90 @12, -2 C100 @5, +1 C110 @2',
    'butterfly',
    'META 2025-12-05 call butterfly 90/100/110',
    400,
  ],
  [
    '-1 P90 @2, +2 P100 @5, -1 P115 @16',
    'butterfly',
    'META 2025-12-05 put butterfly 90/100/115',
    700,
  ],
  ['+1 P90, -1 P100, +1 P110', 'custom', 'META 2025-12-05 3 put legs 90/100/110', 100],
  [
    '+1 C90 @11, -1 C100 @5, -1 C110 @2',
    'custom',
    'META 2025-12-05 3 call legs 90/100/110',
    null,
  ],
  [
    '+1 P80 @0.5, -1 P90 @1.5, -1 C110 @1.5, +1 C120 @0.5',
    'iron condor',
    'META 2025-12-05 iron condor 80/90/110/120',
    800,
  ],
  [
    '-1 P80 @0.5, +1 P90 @1.5, +1 C110 @1.5, -1 C120 @0.5',
    'iron condor',
    'META 2025-12-05 iron condor 80/90/110/120',
    200,
  ],
  [
    '+1 P90 @1, -1 P100 @5, -1 C100 @5, +1 C110 @1',
    'iron butterfly',
    'META 2025-12-05 iron butterfly 90/100/110',
    200,
  ],
  [
    '+1 P80, -1 P105, -1 C100, +1 C120',
    'custom',
    'META 2025-12-05 4 legs 80/100/105/120',
    2500,
  ],
  [
    '+1 C80, -1 C90, -1 C110, +1 C120',
    'custom',
    'META 2025-12-05 4 call legs 80/90/110/120',
    null,
  ],
  ['+100 shares @50, -1 C55 @2', 'covered call', 'META 2025-12-05 covered call 55', null],
  ['+150 shares @50, -1 C55 @2', 'custom', 'META 2025-12-05 2 legs 55', null],
  ['+100 shares @50, +1 P45 @2', 'custom', 'META 2025-12-05 2 legs 45', null],
  ['-100 shares @50, +1 C55 @2', 'custom', 'META 2025-12-05 2 legs 55', null],
  ['+1 C715 @5, -1 C720 @5', 'vertical', 'META 2025-12-05 call vertical 715/720', null],
])('%s', (text, strategy, name, risk) => {
  test(`is named ${name} in any order of legs`, () => {
    for (const legs of [legsOf(text), legsOf(text).reverse()]) {
      const named = legs.map((leg) => ({ ...leg, symbol: 'META' }));
      const group = { kind: 'multi_leg', underlying: 'META', strategy, legs: named };
      expect([strategyOf(legs), positionName(group)]).toEqual([strategy, name]);
    }
  });

  test(`can lose ${risk}`, () => expect(riskOf(legsOf(text))).toBe(risk));
});

/** Whole numbers of cents, contracts and dollars, so that the second implementation computes without rounding. */
const anyLeg = fc
  .record({
    sign: fc.constantFrom(1, -1),
    quantity: fc.integer({ min: 1, max: 3 }),
    type: fc.constantFrom('call' as const, 'put' as const),
    strike: fc.integer({ min: 1, max: 8 }).map((step) => step * 5),
    day: fc.constantFrom('2025-12-05', '2025-12-05', '2025-12-05', '2026-01-16'),
    cents: fc.integer({ min: 1, max: 2000 }),
  })
  .map(({ sign, quantity, type, strike, day, cents }): Leg & { cents: number } => ({
    side: sign > 0 ? 'long' : 'short',
    quantity,
    entry_price: cents / 100,
    multiplier: 100,
    underlying: 'META',
    expiration: day,
    strike,
    option_type: type,
    cents,
  }));
const anyLegs = fc.uniqueArray(anyLeg, {
  minLength: 2,
  maxLength: 5,
  selector: ({ strike, option_type, expiration }) =>
    `${strike} ${option_type} ${expiration}`,
});

const sign = ({ side }: Leg) => (side === 'long' ? 1 : -1);

/** Results in cents at each whole price from 0 to 100: strikes are 5 to 40, so that both ends are beyond them. */
function results(legs: readonly (Leg & { cents: number })[]): number[] {
  return Array.from({ length: 101 }, (_, price) =>
    legs.reduce((sum, leg) => {
      const inside =
        leg.option_type === 'call'
          ? price - Number(leg.strike)
          : Number(leg.strike) - price;
      return (
        sum + sign(leg) * leg.quantity * (Math.max(0, inside) * 10_000 - leg.cents * 100)
      );
    }, 0),
  );
}

test('the risk is the worst result at any price, if neither end keeps falling', () => {
  fc.assert(
    fc.property(anyLegs, (legs) => {
      const made = results(legs);
      const [first = 0, second = 0] = made;
      const [last = 0, beforeLast = 0] = made.toReversed();
      const isOneDay = new Set(legs.map(({ expiration }) => expiration)).size === 1;
      const worst = Math.min(...made);
      const expected =
        isOneDay && first >= second && last >= beforeLast && worst < 0
          ? -worst / 100
          : null;
      expect(riskOf(legs)).toBe(expected);
    }),
    { numRuns: runs(3000, 1000) },
  );
});

/** Strategies by pattern: legs by day, strike and type, as "+1 C1", strikes and days by rank, sizes over the smallest. */
const PATTERNS: readonly [RegExp, string][] = [
  [/^([+-])1 ([CP])1a,(?!\1)[+-]1 \2[2]a$/, 'vertical'],
  [/^([+-])1 P1a,\1(1) C1a$/, 'straddle'],
  [/^([+-])1 P1a,\1(1) C2a$/, 'strangle'],
  [/^([+-])1 ([CP])1a,(?!\1)[+-]1 \2(1)b$/, 'calendar'],
  [/^([+-])1 ([CP])(1a,(?!\1)[+-]1 \2(2)|2a,(?!\1)[+-]1 \2(1))b$/, 'diagonal'],
  [
    /^([+-])(?:1 ([CP])1a,(?!\1)[+-](?!1 )\S+ \2|(?!1 )\S+ ([CP])1a,(?!\1)[+-]1 \3)2a$/,
    'ratio',
  ],
  [/^([+-])1 ([CP])1a,(?!\1)[+-]2 \2(2)a,\1(1) \2(3)a$/, 'butterfly'],
  [/^([+-])1 P1a,(?!\1)([+-])1 P2a,\2(1) C3a,\1(1) C4a$/, 'iron condor'],
  [/^([+-])1 P1a,(?!\1)([+-])1 P2a,\2(1) C2a,\1(1) C3a$/, 'iron butterfly'],
];

function pattern(legs: readonly Leg[]): string {
  const rank = <T>(values: T[], own: T) =>
    [...new Set(values)].sort((a, b) => (a < b ? -1 : 1)).indexOf(own);
  const smallest = Math.min(...legs.map(({ quantity }) => quantity));
  const strikes = legs.map(({ strike }) => Number(strike) + 100);
  const days = legs.map(({ expiration }) => expiration);
  return legs
    .map((leg) => {
      const letter = leg.option_type === 'call' ? 'C' : 'P';
      const [strike, day] = [
        rank(strikes, Number(leg.strike) + 100) + 1,
        'ab'[rank(days, leg.expiration)],
      ];
      const text = `${sign(leg) > 0 ? '+' : '-'}${leg.quantity / smallest} ${letter}${strike}${day}`;
      return { text, order: `${day} ${strike} ${letter === 'P' ? 0 : 1}` };
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ text }) => text)
    .join(',');
}

/** All combinations of several items. */
function subsets<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, place) =>
    subsets(items.slice(place + 1), size - 1).map((rest) => [item, ...rest]),
  );
}

/** All ways to buy or sell contracts, in some sizes. */
function orders(contracts: readonly string[], sizes: readonly number[]): string[] {
  return contracts.reduce<string[]>(
    (all, contract) =>
      all.flatMap((before) =>
        sizes.flatMap((size) =>
          ['+', '-'].map(
            (side) => `${before}${before && ', '}${side}${size} ${contract}`,
          ),
        ),
      ),
    [''],
  );
}

test('the strategy matches the pattern of all legs at four strikes', () => {
  const oneDay = [1, 2, 3, 4].flatMap((strike) => [`P${strike}`, `C${strike}`]);
  const twoDays = [...oneDay, ...oneDay.map((own) => `${own}b`)];
  const all = [
    ...subsets(twoDays, 2).flatMap((own) => orders(own, [1, 2])),
    ...subsets(oneDay, 3).flatMap((own) => orders(own, [1, 2])),
    ...subsets(oneDay, 4).flatMap((own) => orders(own, [1])),
    ...subsets(['P1', 'P2', 'C2', 'C3', 'C3b'], 4).flatMap((own) => orders(own, [1, 2])),
  ];
  const seen = new Set<string>();
  for (const text of all) {
    const legs = legsOf(text);
    const expected = PATTERNS.find(([form]) => form.test(pattern(legs)))?.[1] ?? 'custom';
    seen.add(expected);
    if (strategyOf(legs) !== expected)
      expect(`${text}: ${strategyOf(legs)}`).toBe(`${text}: ${expected}`);
  }
  expect([...seen].sort()).toEqual(
    ['custom', ...PATTERNS.map(([, name]) => name)].sort(),
  );
});
