/** Trades made from fills, by cases and by properties of random fills. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Walk, walk } from '../../../src/import/fills/walk/walk.ts';
import type { Fill } from '../../../src/statements/fill-row.ts';
import { makeFill, makeFills } from './make-fill.ts';

const shown = ({ trades, unmatched, dust }: Walk) => [
  ...trades.map(({ id, side, open, executions }) =>
    [
      `${id} ${side}${open > 0 ? ` open ${open}` : ''}:`,
      executions
        .map(
          ({ fill, side, quantity, price, fees }) =>
            `${fill} ${side} ${quantity} @ ${price} - ${fees}`,
        )
        .join(', '),
    ].join(' '),
  ),
  ...unmatched.map(({ fill, quantity }) => `unmatched ${fill.id} ${quantity}`),
  ...dust.map(({ fill, quantity }) => `dust ${fill.id} ${quantity}`),
];

const STOCK: Partial<Fill> = {
  symbol: 'ACME',
  market: 'stock',
  multiplier: 1,
  may_short: false,
};
const OPTION: Partial<Fill> = {
  symbol: 'ACME 2026-12-18 C50',
  market: 'option',
  multiplier: 100,
  may_short: false,
};
const COIN: Partial<Fill> = {
  symbol: 'BTC-EUR',
  market: 'crypto',
  multiplier: 1,
  may_short: false,
};

describe('one position after the other', () => {
  test('scaling in and out is one trade', () => {
    expect(
      shown(
        walk(makeFills(['buy 2 @ 100', 'buy 1 @ 101', 'sell 1 @ 102', 'sell 2 @ 103'])),
      ),
    ).toEqual([
      'f1 long: f1 buy 2 @ 100 - 0, f2 buy 1 @ 101 - 0, f3 sell 1 @ 102 - 0, f4 sell 2 @ 103 - 0',
    ]);
  });

  test('units transferred out take their part of the fee along', () => {
    const [bought, moved, sold] = makeFills(
      ['buy 4 @ 100', 'sell 3 @ 0', 'sell 1 @ 110'],
      STOCK,
    ) as [Fill, Fill, Fill];
    expect(
      shown(walk([{ ...bought, fees: 4 }, { ...moved, kind: 'transfer' }, sold])),
    ).toEqual(['f1 long: f1 buy 1 @ 100 - 1, f3 sell 1 @ 110 - 0']);
  });

  test('a reversing fill closes one trade and opens the next, and its fees are split in proportion', () => {
    const fills = makeFills(['buy 1 @ 100', 'sell 3 @ 101', 'buy 2 @ 99'], { fees: 1 });
    expect(shown(walk(fills))).toEqual([
      'f1 long: f1 buy 1 @ 100 - 1, f2 sell 1 @ 101 - 0.33333333',
      'f2 short: f2 sell 2 @ 101 - 0.66666667, f3 buy 2 @ 99 - 1',
    ]);
  });

  test.each([
    ['nothing', '', []],
    [
      'two reversals in a row',
      '-1@5 +2@4 -2@6 +1@5',
      ['-1@5 +1@4', '+1@4 -1@6', '-1@6 +1@5'],
    ],
    ['the last one may be open', '+1@10 -1@11 -2@9', ['+1@10 -1@11', '-2@9']],
    ['the rest of a reversal may be open', '+1@10 -1.5@11', ['+1@10 -1@11', '-0.5@11']],
    [
      'after flat, the same direction is another trade',
      '+1@1 -1@2 +1@1 -1@2',
      ['+1@1 -1@2', '+1@1 -1@2'],
    ],
    [
      'binary noise leaves nothing open',
      '+0.1@1 +0.2@1 -0.3@2',
      ['+0.1@1 +0.2@1 -0.3@2'],
    ],
    [
      'nor does it reverse the position',
      '-0.3@2 +0.1@1 +0.1@1 +0.1@1',
      ['-0.3@2 +0.1@1 +0.1@1 +0.1@1'],
    ],
    [
      'a remainder is free of it',
      '+0.1@1 +0.2@1 -0.4@2',
      ['+0.1@1 +0.2@1 -0.3@2', '-0.1@2'],
    ],
    ["eight decimals aren't noise", '+1@1 -1.00000001@2', ['+1@1 -1@2', '-1e-8@2']],
  ])('%s', (_, given, trades) => {
    const lines = given.split(' ').flatMap((fill) => {
      const [, sign, quantity, price] = /^([+-])(.+)@(.+)$/.exec(fill) ?? [];
      return sign === undefined
        ? []
        : [`${sign === '+' ? 'buy' : 'sell'} ${quantity} @ ${price}`];
    });
    const texts = walk(makeFills(lines)).trades.map(({ executions }) =>
      executions
        .map(
          ({ side, quantity, price }) =>
            `${side === 'buy' ? '+' : '-'}${quantity}@${price}`,
        )
        .join(' '),
    );
    expect(texts).toEqual(trades);
  });

  test('an open position stays open', () => {
    expect(shown(walk(makeFills(['sell 3 @ 100', 'buy 1 @ 99'])))).toEqual([
      'f1 short open 2: f1 sell 3 @ 100 - 0, f2 buy 1 @ 99 - 0',
    ]);
  });

  test('instruments, markets and currencies are separate', () => {
    const fills = [
      makeFill('a'),
      makeFill('b', { side: 'sell', currency: 'EUR' }),
      makeFill('c', { side: 'sell', market: 'cfd' }),
      makeFill('d', { side: 'sell' }),
    ];
    expect(walk(fills).trades.map(({ id, open }) => [id, open])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 1],
    ]);
  });
});

describe('a close without an open position', () => {
  test("is unmatched if sells can't open", () => {
    expect(
      shown(walk(makeFills(['sell 5 @ 10', 'buy 2 @ 9', 'sell 3 @ 10'], STOCK))),
    ).toEqual([
      'f2 long: f2 buy 2 @ 9 - 0, f3 sell 2 @ 10 - 0',
      'unmatched f1 5',
      'unmatched f3 1',
    ]);
  });

  test.each<[string, string[], Partial<Fill>, string[]]>([
    [
      'waits for what the same instant opens',
      ['sell 5 @ 12', 'buy 5 @ 10'],
      { executed_at: '2026-11-20T00:00:00.000Z' },
      ['f2 long: f2 buy 5 @ 10 - 0, f1 sell 5 @ 12 - 0'],
    ],
    [
      'waits until it is all open',
      ['sell 5 @ 12', 'buy 2 @ 10', 'buy 3 @ 10', 'sell 1 @ 9'],
      { executed_at: '2026-11-20T00:00:00.000Z' },
      [
        'f2 long: f2 buy 2 @ 10 - 0, f3 buy 3 @ 10 - 0, f1 sell 5 @ 12 - 0',
        'unmatched f4 1',
      ],
    ],
    [
      'waits no longer than its instant',
      ['sell 5 @ 12', 'buy 5 @ 10'],
      {},
      ['f2 long open 5: f2 buy 5 @ 10 - 0', 'unmatched f1 5'],
    ],
  ])('%s', (_, lines, parts, expected) => {
    expect(shown(walk(makeFills(lines, { ...STOCK, ...parts })))).toEqual(expected);
  });

  test('is a short if the file states that it opens', () => {
    expect(
      shown(walk([makeFill('a', { ...OPTION, side: 'sell', effect: 'open' })])),
    ).toEqual(['a short open 1: a sell 1 @ 100 - 0']);
  });

  test('is unmatched if the file states that it closes', () => {
    expect(shown(walk([makeFill('a', { effect: 'close' })]))).toEqual(['unmatched a 1']);
  });

  test('a short sale may also close a long', () => {
    const fills = [
      makeFill('a', STOCK),
      makeFill('b', { ...STOCK, side: 'sell', quantity: 2, may_short: true }),
    ];
    expect(shown(walk(fills))).toEqual([
      'a long: a buy 1 @ 100 - 0, b sell 1 @ 100 - 0',
      'b short open 1: b sell 1 @ 100 - 0',
    ]);
  });
});

describe('expiration, assignment and the like', () => {
  test('without side and quantity close the whole position', () => {
    const open = makeFills(['sell 3 @ 2', 'buy 1 @ 1'], { ...OPTION, may_short: true });
    const expired = makeFill('e', {
      ...OPTION,
      kind: 'expiration',
      side: null,
      quantity: null,
      price: 0,
    });
    expect(shown(walk([...open, expired]))).toEqual([
      'f1 short: f1 sell 3 @ 2 - 0, f2 buy 1 @ 1 - 0, e buy 2 @ 0 - 0',
    ]);
  });

  test('open nothing', () => {
    const kinds = ['expiration', 'assignment', 'exercise', 'delivery'] as const;
    const fills = kinds.map((kind) =>
      makeFill(kind, { ...OPTION, kind, side: null, quantity: 2 }),
    );
    const sided = kinds.map((kind) =>
      makeFill(`${kind}2`, { ...OPTION, kind, quantity: null, may_short: true }),
    );
    expect(shown(walk([...fills, ...sided]))).toEqual([
      ...kinds.map((kind) => `unmatched ${kind} 2`),
      ...kinds.map((kind) => `unmatched ${kind}2 null`),
    ]);
  });

  test('the shares that an assignment delivers are bought or sold', () => {
    expect(
      shown(
        walk([makeFill('a', { ...STOCK, kind: 'assignment', quantity: 100, price: 50 })]),
      ),
    ).toEqual(['a long open 100: a buy 100 @ 50 - 0']);
  });
});

describe('corporate actions', () => {
  const split = makeFill('s', {
    ...STOCK,
    kind: 'split',
    side: null,
    quantity: 4,
    price: 0,
  });

  test('a split changes open units, but no money', () => {
    const [buy, sell] = makeFills(['buy 10 @ 400', 'sell 40 @ 110'], STOCK) as [
      Fill,
      Fill,
    ];
    expect(shown(walk([buy, split, sell]))).toEqual([
      'f1 long: f1 buy 40 @ 100 - 0, f2 sell 40 @ 110 - 0',
    ]);
    expect(shown(walk([split, buy]))).toEqual(['f1 long open 10: f1 buy 10 @ 400 - 0']);
  });

  test('a symbol change moves the position', () => {
    const [buy, sell] = makeFills(['buy 10 @ 40', 'sell 10 @ 41'], STOCK) as [Fill, Fill];
    const change = makeFill('c', {
      ...STOCK,
      kind: 'symbol_change',
      side: null,
      symbol: 'NEW',
      former_symbol: 'ACME',
    });
    const made = walk([buy, change, { ...sell, symbol: 'NEW' }]);
    expect(shown(made)).toEqual(['f1 long: f1 buy 10 @ 40 - 0, f2 sell 10 @ 41 - 0']);
    expect(made.trades[0]?.instrument.symbol).toBe('NEW');
  });
});

describe('coins', () => {
  test('a fee in the coin reduces the position, and is a fee in money', () => {
    const fills = [
      makeFill('a', { ...COIN, fee_quantity: 0.001 }),
      makeFill('b', { ...COIN, side: 'sell', quantity: 0.999, price: 110, fees: 0.5 }),
    ];
    expect(shown(walk(fills))).toEqual([
      'a long: a buy 0.999 @ 100 - 0.1, b sell 0.999 @ 110 - 0.5',
    ]);
  });

  test.each<[string, string[], string[]]>([
    [
      'at the end closes the trade',
      ['buy 1 @ 100', 'buy 1 @ 100', 'sell 1.9995 @ 110'],
      [
        'f1 long: f1 buy 1 @ 100 - 0, f2 buy 0.9995 @ 100 - 0, f3 sell 1.9995 @ 110 - 0',
        'dust f3 0.0005',
      ],
    ],
    [
      'is closed by the next trade',
      ['buy 1 @ 100', 'sell 0.9995 @ 110', 'buy 1 @ 90'],
      [
        'f1 long: f1 buy 0.9995 @ 100 - 0, f2 sell 0.9995 @ 110 - 0',
        'f3 long open 1: f3 buy 1 @ 90 - 0',
        'dust f2 0.0005',
      ],
    ],
    [
      'is part of the trade if it is sold later',
      ['buy 1 @ 100', 'sell 0.9995 @ 110', 'sell 0.0005 @ 110'],
      ['f1 long: f1 buy 1 @ 100 - 0, f2 sell 0.9995 @ 110 - 0, f3 sell 0.0005 @ 110 - 0'],
    ],
    [
      'sold beyond the position opens nothing',
      ['buy 1 @ 100', 'sell 1.0005 @ 110'],
      ['f1 long: f1 buy 1 @ 100 - 0, f2 sell 1 @ 110 - 0', 'dust f2 0.0005'],
    ],
  ])('dust %s', (_, lines, made) => {
    expect(shown(walk(makeFills(lines, COIN)))).toEqual(made);
  });

  test('one share of two thousand is not dust', () => {
    expect(
      walk(makeFills(['buy 2000 @ 10', 'sell 1999 @ 11'], STOCK)).trades[0]?.open,
    ).toBe(1);
  });

  test('binary noise is ignored', () => {
    const made = walk(makeFills(['buy 0.1 @ 10', 'buy 0.2 @ 10', 'sell 0.3 @ 11'], COIN));
    expect(made).toMatchObject({ trades: [{ open: 0 }], unmatched: [], dust: [] });
  });
});

/** Fills of two contracts and two accounts' worth of turning back and forth; quantities in tenths, as coins have them. */
const anyFill = fc.record({
  symbol: fc.constantFrom('MESZ6', 'MNQZ6'),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity: fc.integer({ min: 1, max: 40 }).map((tenths) => tenths / 10),
  price: fc.integer({ min: -5, max: 400 }).map((quarters) => quarters / 4),
  fees: fc.integer({ min: -20, max: 100 }).map((cents) => cents / 100),
  may_short: fc.boolean(),
  effect: fc.constantFrom(null, null, 'open' as const, 'close' as const),
});

const anyFills = fc
  .array(anyFill, { maxLength: 40 })
  .map((fills) => fills.map((fill, index) => makeFill(`f${index}`, fill)));

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
const signed = ({ side, quantity }: { side: string | null; quantity: number | null }) =>
  (side === 'buy' ? 1 : -1) * Number(quantity);

describe('with random fills', () => {
  test('each unit is in one trade or unmatched, and each fill in two trades at most', () => {
    fc.assert(
      fc.property(anyFills, (fills) => {
        const { trades, unmatched } = walk(fills);
        for (const fill of fills) {
          const parts = trades.flatMap(({ executions }) =>
            executions.filter((own) => own.fill === fill.id),
          );
          const left = unmatched.filter((own) => own.fill.id === fill.id);
          expect(parts.length).toBeLessThanOrEqual(2);
          expect(
            sum([...parts, ...left].map(({ quantity }) => Number(quantity))),
          ).toBeCloseTo(fill.quantity as number, 9);
          if (left.length === 0)
            expect(sum(parts.map(({ fees }) => fees))).toBeCloseTo(fill.fees, 7);
        }
      }),
    );
  });

  test('opened units are closed or open, and a trade never reverses', () => {
    fc.assert(
      fc.property(anyFills, (fills) => {
        for (const { side, open, executions } of walk(fills).trades) {
          const direction = side === 'long' ? 1 : -1;
          let position = 0;
          executions.forEach((execution, index) => {
            if (index > 0) expect(position).toBeGreaterThan(1e-9);
            position += signed(execution) * direction;
            expect(position).toBeGreaterThan(-1e-9);
          });
          expect(position).toBeCloseTo(open, 9);
        }
      }),
    );
  });

  test('if all fills may open, P&L equals proceeds minus cost', () => {
    fc.assert(
      fc.property(anyFills, (fills) => {
        const free = fills.map(
          (fill): Fill => ({ ...fill, effect: null, may_short: true }),
        );
        const { trades, unmatched } = walk(free);
        expect(unmatched).toEqual([]);
        const executions = trades.flatMap((trade) => trade.executions);
        const received = (
          fills: readonly {
            side: string | null;
            quantity: number | null;
            price: number;
          }[],
        ) => sum(fills.map((fill) => -signed(fill) * fill.price));
        expect(received(executions)).toBeCloseTo(received(free), 6);
      }),
    );
  });
});
