/** Fills of one day without times, splits and transfers: by cases, and compared with a plain account of units and cash. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { walkedFields } from '../../../src/import/fills/trade-record.ts';
import { walk } from '../../../src/import/fills/walk/walk.ts';
import type { Fill } from '../../../src/statements/fill-row.ts';
import { makeFill } from './make-fill.ts';

const DAY: Partial<Fill> = {
  symbol: 'ACME',
  market: 'stock',
  multiplier: 1,
  may_short: false,
  has_time: false,
};

/** "+5@10" buys, "~5@10" sells short, "*5" is a split that adds 5, "/5" one that removes 5, "-5" alone is a transfer. */
function filled(text: string, day: number, id: string): Fill {
  const [, sign = '', quantity = '', price] =
    /^([-+~*/])([\d.]+)(?:@([\d.]+))?$/.exec(text) ?? [];
  const kind =
    sign === '*' || sign === '/' ? 'split' : price === undefined ? 'transfer' : 'trade';
  return makeFill(id, {
    ...DAY,
    kind,
    executed_at: new Date(Date.UTC(2026, 10, day)).toISOString(),
    side: sign === '+' || sign === '*' ? 'buy' : 'sell',
    quantity: Number(quantity),
    price: Number(price ?? 0),
    may_short: sign === '~',
  });
}

const days = (texts: readonly string[]) =>
  texts.flatMap((text, day) =>
    text.split(' ').map((own, place) => filled(own, day + 1, `${day + 1}.${place}`)),
  );

const shown = (fills: Fill[]) => {
  const { trades, unmatched } = walk(fills);
  const signed = ({
    side,
    quantity,
    price,
  }: {
    side: string;
    quantity: number;
    price: number;
  }) => `${side === 'buy' ? '+' : '-'}${quantity}@${price}`;
  return [
    ...trades.map(
      ({ executions, open }) =>
        executions.map(signed).join(' ') + (open > 0 ? ` open ${open}` : ''),
    ),
    ...unmatched.map(({ fill, quantity }) => `unmatched ${fill.id} ${quantity}`),
  ];
};

describe('fills of one day', () => {
  test.each<[string, string[], string[]]>([
    ['a sale waits for the purchase that it closes', ['-5@12 +5@10'], ['+5@10 -5@12']],
    [
      'the open position is closed first',
      ['+5@10', '+5@11 -5@12'],
      ['+5@10 -5@12', '+5@11 open 5'],
    ],
    ['unless the day closes more', ['+5@10', '+5@11 -10@12'], ['+5@10 +5@11 -10@12']],
    [
      'the rest of a sale beyond the position is unmatched',
      ['+5@10', '-8@12'],
      ['+5@10 -5@12', 'unmatched 2.0 3'],
    ],
    ['a split waits for its units', ['*5 +5@10'], ['+10@5 open 10']],
    ['a sale waits for the split', ['+5@10', '-8@6 *5'], ['+10@5 -8@6 open 2']],
    ['a split that removes units', ['+100@1', '/90', '-10@12'], ['+10@10 -10@12']],
    ['a split without a position is unmatched', ['*5'], ['unmatched 1.0 5']],
    ['units leave at cost', ['+6@10 +4@20', '-5', '-5@15'], ['+3@10 +2@20 -5@15']],
    [
      'units leave after a close',
      ['+10@10', '-5@12', '+5@20', '-4'],
      ['+8@10 -5@12 +3@20 open 6'],
    ],
    ['all remaining units may leave', ['+10@10', '-4@12', '-6'], ['+4@10 -4@12']],
    ['a transfer beyond the position is unmatched', ['+4@10', '-6'], ['unmatched 2.0 2']],
    [
      'a sale short, its cover and a long trade',
      ['~7@19 +6@18 -1@20 +5@17'],
      ['-7@19 +6@18 +1@17', '+4@17 -1@20 open 3'],
    ],
    [
      'an open short is covered first',
      ['~5@12', '~5@11 +5@10'],
      ['-5@12 +5@10', '-5@11 open 5'],
    ],
  ])('%s', (_, texts, trades) => {
    expect(shown(days(texts))).toEqual(trades);
  });

  test('fills with times keep the order of their file', () => {
    const fills = days(['+5@10', '+5@11 -5@12']).map((fill) => ({
      ...fill,
      has_time: true,
    }));
    expect(shown(fills)).toEqual(['+5@10 +5@11 -5@12 open 5']);
  });

  test('a close_then_open fill reverses a position, and opens nothing by itself', () => {
    const turn = { ...filled('-8@12', 2, 'turn'), effect: 'close_then_open' } as const;
    expect(shown([...days(['+5@10']), turn])).toEqual(['+5@10 -5@12', '-3@12 open 3']);
    expect(shown([turn])).toEqual(['unmatched turn 8']);
  });
});

const anyDay = fc.array(
  fc.record({
    sign: fc.constantFrom('+', '+', '-', '-', '*'),
    quantity: fc.integer({ min: 1, max: 20 }),
    price: fc.integer({ min: 1, max: 50 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Each day closes at most what was held in the morning and bought that day, in any order; a split needs a position. */
const anyAccount = fc.array(anyDay, { maxLength: 8 }).map((given) => {
  let held = 0;
  return given.map((day) => {
    const bought = day
      .filter(({ sign }) => sign === '+')
      .reduce((sum, { quantity }) => sum + quantity, 0);
    let left = held + bought;
    const kept = day.flatMap(({ sign, quantity, price }) => {
      if (sign === '+') return [`+${quantity}@${price}`];
      if (sign === '*') return held > 0 ? [`*${quantity}`] : [];
      const units = Math.min(quantity, left);
      left -= units;
      return units > 0 ? [`-${units}@${price}`] : [];
    });
    const split = kept
      .filter((own) => own.startsWith('*'))
      .reduce((sum, own) => sum + Number(own.slice(1)), 0);
    held = left + split;
    return kept.join(' ');
  });
});

test('units and cash of random days match a plain account, in any order of fills', () => {
  fc.assert(
    fc.property(anyAccount, fc.boolean(), (texts, isReversed) => {
      const inOrder = days(texts.filter((text) => text !== ''));
      const fills = isReversed
        ? [...Map.groupBy(inOrder, (fill) => fill.executed_at).values()].flatMap((day) =>
            day.toReversed(),
          )
        : inOrder;
      const { trades, unmatched } = walk(fills);
      expect(unmatched).toEqual([]);
      let [units, cash] = [0, 0];
      for (const { kind, side, quantity, price } of fills) {
        const signed = (side === 'buy' ? 1 : -1) * Number(quantity);
        units += signed;
        if (kind === 'trade') cash -= signed * price;
      }
      expect(trades.reduce((sum, { open }) => sum + open, 0)).toBeCloseTo(units, 6);
      const executions = trades.flatMap((trade) => trade.executions);
      const made = executions.reduce(
        (sum, own) => sum + (own.side === 'buy' ? -1 : 1) * own.quantity * own.price,
        0,
      );
      expect(made).toBeCloseTo(cash, 4);
    }),
  );
});

/** Parts of shares to six decimals, splits by any ratio, units that leave: in any order, closes beyond the position included. */
const anyParts = fc.array(
  fc.record({
    sign: fc.constantFrom('+', '+', '-', '*', '/', 'out'),
    units: fc.integer({ min: 1, max: 40_000_000 }).map((millionths) => millionths / 1e6),
    price: fc.integer({ min: 1, max: 90_000 }).map((cents) => cents / 100),
  }),
  { minLength: 2, maxLength: 14 },
);

test('parts of shares, splits and transfers never reverse a position', () => {
  fc.assert(
    fc.property(anyParts, (steps) => {
      const fills = steps.flatMap(({ sign, units, price }, day) =>
        filled(
          sign === 'out'
            ? `-${units}`
            : /[-+]/.test(sign)
              ? `${sign}${units}@${price}`
              : `${sign}${units}`,
          day + 1,
          `${day}`,
        ),
      );
      for (const trade of walk(fills).trades) {
        const { open_quantity, quantity } = walkedFields(trade, 'USD');
        expect(Number(open_quantity)).toBeLessThanOrEqual(Number(quantity));
      }
    }),
  );
});

const anyShorts = fc.array(
  fc
    .array(
      fc.record({
        sign: fc.constantFrom('+', '+', '-', '~'),
        quantity: fc.integer({ min: 1, max: 20 }),
        price: fc.integer({ min: 1, max: 50 }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((day) =>
      day.map(({ sign, quantity, price }) => `${sign}${quantity}@${price}`).join(' '),
    ),
  { maxLength: 8 },
);

test('with shorts, each unit and its cash is in a trade or unmatched, and nothing is both held and missing', () => {
  fc.assert(
    fc.property(anyShorts, (texts) => {
      const fills = days(texts);
      const { trades, unmatched } = walk(fills);
      const signed = (side: string | null, quantity: number | null) =>
        (side === 'buy' ? 1 : -1) * Number(quantity);
      const parts = [
        ...trades.flatMap(({ executions }) => executions),
        ...unmatched.map(({ fill, quantity }) => ({ ...fill, quantity })),
      ];
      const sums = (
        own: readonly { side: string | null; quantity: number | null; price: number }[],
      ) => ({
        units: own.reduce((sum, { side, quantity }) => sum + signed(side, quantity), 0),
        cash: own.reduce(
          (sum, { side, quantity, price }) => sum - signed(side, quantity) * price,
          0,
        ),
      });
      expect(sums(parts).units).toBeCloseTo(sums(fills).units, 6);
      expect(sums(parts).cash).toBeCloseTo(sums(fills).cash, 4);
      const open = trades.reduce(
        (sum, trade) => sum + (trade.side === 'long' ? 1 : -1) * trade.open,
        0,
      );
      const missing = unmatched.reduce(
        (sum, { fill, quantity }) => sum + signed(fill.side, quantity),
        0,
      );
      expect(open + missing).toBeCloseTo(sums(fills).units, 6);
      // A sale on the last day is unmatched only if nothing is left to close.
      const last = fills.at(-1)?.executed_at;
      if (unmatched.some(({ fill }) => fill.executed_at === last))
        expect(open).toBeLessThanOrEqual(0);
    }),
  );
});
