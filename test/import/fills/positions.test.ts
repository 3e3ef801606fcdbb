/** Trades that fills open and close, as users see them after the import. */
import { describe, expect, test } from 'vitest';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { FillHome } from '../fill-home.ts';
import { at, MES, makeFileFill, makeFileFills } from './make-file-fill.ts';

const instrument = (
  symbol: string,
  market: 'stock' | 'option' | 'crypto' | 'forex' | 'future',
) => ({
  ...MES,
  symbol,
  market,
  underlying: null,
  multiplier: market === 'option' ? 100 : 1,
});

/** An instrument without shorts. */
const owned = (
  symbol: string,
  market: 'stock' | 'option' | 'crypto' | 'forex' | 'future',
) => ({
  instrument: instrument(symbol, market),
  mayShort: false,
});

/** A journal's trades after importing a file. */
function tradesOf(...fills: FileFill[]): string[] {
  const home = new FillHome().withUser();
  home.take(fills);
  return shown(home);
}

const shown = (home: FillHome) =>
  home
    .rows(
      'SELECT symbol, side, status, quantity, open_quantity, fees FROM trades ORDER BY executed_at, id',
    )
    .map((row) => Object.values(row).join(' '));

describe('the rest of a position', () => {
  test.each([
    ['crypto', 'sell 999.5 @ 2', 'closed 999.5 0'],
    ['crypto', 'sell 998.5 @ 2', 'open 1000 1.5'],
    ['crypto', 'sell 995 @ 2', 'open 1000 5'],
    ['stock', 'sell 999.5 @ 2', 'closed 999.5 0'],
    ['stock', 'sell 999 @ 2', 'open 1000 1'],
    ['forex', 'sell 999.5 @ 2', 'open 1000 0.5'],
    ['future', 'sell 999.5 @ 2', 'open 1000 0.5'],
  ] as const)('of 1000 units (%s), %s: %s', (market, sold, made) => {
    const fills = makeFileFills(['buy 1000 @ 1', sold], owned('ABC', market));
    expect(tradesOf(...fills)).toEqual([`ABC long ${made} 0`]);
  });
});

test.each([
  // Bought with a fee in the coin: less is left to sell.
  [
    'buy',
    [{ feeQuantity: 0.01 }, {}],
    'buy 2 @ 100',
    'sell 1.99 @ 110',
    'long closed 1.99 0 1',
  ],
  // Sold with a fee in the coin: more is gone.
  [
    'sell',
    [{}, { feeQuantity: 0.01 }],
    'buy 2 @ 100',
    'sell 1.99 @ 110',
    'long closed 2 0 1.1',
  ],
] as const)(
  'a fee in the coin, on the %s, leaves nothing open',
  (_, changes, bought, sold, made) => {
    const fills = makeFileFills([bought, sold], owned('COIN', 'crypto'));
    expect(
      tradesOf(...fills.map((fill, index) => ({ ...fill, ...changes[index] }))),
    ).toEqual([`COIN ${made}`]);
  },
);

test.each([
  [{ multiplier: 10 }, 'buy 2 @ 100', 'ABC long open 1.99 1.99 10'],
  // Oil in 2020.
  [{}, 'buy 2 @ -100', 'ABC long open 1.99 1.99 1'],
])('a fee in units costs their value (%j, %s)', (more, line, made) => {
  const own = {
    instrument: { ...instrument('ABC', 'future'), ...more },
    feeQuantity: 0.01,
  };
  expect(tradesOf(...makeFileFills([line], own))).toEqual([made]);
});

test.each(['sell 1000000000.5 @ 2', 'sell 999999999.5 @ 2'])(
  'half a unit of a billion is not reported: %s',
  (sold) => {
    const home = new FillHome().withUser();
    const { dust, unmatched } = home.take(
      makeFileFills(['buy 1000000000 @ 1', sold], owned('ABC', 'crypto')),
    );
    expect([dust, unmatched]).toEqual([[], []]);
    expect(home.rows('SELECT status FROM trades')).toEqual([{ status: 'closed' }]);
  },
);

test('a fee of the whole purchase leaves no trade', () => {
  const home = new FillHome().withUser();
  const bought = makeFileFills(['buy 1 @ 100'], {
    ...owned('COIN', 'crypto'),
    feeQuantity: 1.5,
  });
  expect(home.take(bought).unmatched).toMatchObject([{ quantity: null }]);
  expect(shown(home)).toEqual([]);
});

test.each([
  ['99.5', 'open 100 0.5'],
  ['99.95', 'closed 99.95 0'],
])(
  'a reverse split also scales the negligible rest: of 100 shares %s are sold',
  (sold, made) => {
    const [bought] = makeFileFills(['buy 1000 @ 1'], owned('ABC', 'stock')) as [FileFill];
    const after = { executedAt: at(10), instrument: bought.instrument };
    const split = makeFileFill({
      ...after,
      kind: 'split',
      side: null,
      quantity: 0.1,
      price: 0,
    });
    const closed = makeFileFill({
      ...after,
      executedAt: at(20),
      side: 'sell',
      quantity: Number(sold),
      price: 12,
    });
    expect(tradesOf(bought, split, { ...closed, mayShort: false })).toEqual([
      `ABC long ${made} 0`,
    ]);
  },
);

describe('a change of symbol', () => {
  const change = (symbol: string, formerSymbol: string) =>
    makeFileFill({
      executedAt: at(10),
      instrument: instrument(symbol, 'stock'),
      kind: 'symbol_change',
      side: null,
      quantity: null,
      price: 0,
      formerSymbol,
    });
  const [bought, later] = makeFileFills(
    ['buy 5 @ 10', 'buy 3 @ 20'],
    owned('OLD', 'stock'),
  ) as [FileFill, FileFill];
  const inNew = (fill: FileFill) => ({ ...fill, instrument: instrument('NEW', 'stock') });

  test('moves the position', () => {
    expect(tradesOf(bought, change('NEW', 'OLD'))).toEqual(['NEW long open 5 5 0']);
  });

  test('takes along that units came or went for no stated reason', () => {
    const home = new FillHome().withUser();
    const moved = { kind: 'unclear', side: null, quantity: null, price: 0 } as const;
    const unclear = makeFileFill({ ...moved, instrument: instrument('OLD', 'stock') });
    home.take([unclear, change('NEW', 'OLD'), { ...inNew(bought), executedAt: at(20) }]);
    expect(home.rows('SELECT symbol, tags FROM trades')).toEqual([
      { symbol: 'NEW', tags: '["unsure"]' },
    ]);
  });

  test('to a symbol with its own position leaves both unchanged', () => {
    const sold = makeFileFill({
      ...inNew(bought),
      executionId: '3',
      executedAt: at(20),
      side: 'sell',
      quantity: 3,
      price: 25,
    });
    expect(tradesOf(bought, inNew(later), change('NEW', 'OLD'), sold)).toEqual([
      'OLD long open 5 5 0',
      'NEW long closed 3 0 0',
    ]);
  });
});

describe('an assignment with a side', () => {
  const fill = (market: 'option' | 'stock', side: 'buy' | 'sell') =>
    makeFileFill({
      executionId: '1',
      kind: 'assignment',
      side,
      quantity: 2,
      price: 0,
      instrument: instrument('ABC', market),
    });

  test.each(['buy', 'sell'] as const)(
    'opens no option: an unmatched %s is skipped and reported',
    (side) => {
      const home = new FillHome().withUser();
      expect(home.take([fill('option', side)]).unmatched).toMatchObject([
        { fill: { side }, quantity: 2 },
      ]);
      expect(shown(home)).toEqual([]);
    },
  );

  test('closes the open quantity of an option', () => {
    const sold = makeFileFills(['sell 1 @ 3'], {
      instrument: instrument('ABC', 'option'),
      effect: 'open',
    });
    const home = new FillHome().withUser();
    const assigned = { ...fill('option', 'buy'), executionId: '2', executedAt: at(9) };
    expect(home.take([...sold, assigned]).unmatched).toMatchObject([{ quantity: 1 }]);
    expect(shown(home)).toEqual(['ABC short closed 1 0 0']);
  });

  test('opens the shares that it delivers', () => {
    expect(tradesOf(fill('stock', 'buy'))).toEqual(['ABC long open 2 2 0']);
  });
});

test.each([
  ['expiration', 'future'],
  ['expiration', 'option'],
  ['delivery', 'stock'],
  ['delivery', 'future'],
] as const)(
  'without an open position, %s of a %s with a side opens nothing',
  (kind, market) => {
    for (const side of ['buy', 'sell'] as const) {
      const home = new FillHome().withUser();
      const fill = makeFileFill({
        executionId: '1',
        kind,
        side,
        quantity: 2,
        instrument: instrument('ABC', market),
      });
      expect(home.take([fill]).unmatched).toMatchObject([{ quantity: 2 }]);
      expect(shown(home)).toEqual([]);
    }
  },
);

describe('a cancellation', () => {
  const [bought] = makeFileFills(['buy 1 @ 100']) as [FileFill];
  const cancel = (second: number, changes: Partial<FileFill> = {}) =>
    makeFileFill({
      executionId: 'c',
      side: 'sell',
      executedAt: at(second),
      cancels: true,
      ...changes,
    });

  test.each<[string, FileFill, string[]]>([
    ['later', cancel(9), []],
    ['at the same instant', cancel(0), []],
    [
      'before it: no fill is cancelled in advance',
      { ...cancel(0), executedAt: '2026-11-02T14:59:59.000Z' },
      ['open'],
    ],
    ['later, with another price', cancel(9, { price: 101 }), ['open']],
    ['later, with another quantity', cancel(9, { quantity: 2 }), ['open']],
    ['later, on the same side', cancel(9, { side: 'buy' }), ['open']],
    [
      'later, for another instrument',
      cancel(9, { instrument: { ...MES, currency: 'EUR', multiplier: 5 } }),
      ['open'],
    ],
    ['later, in another account', cancel(9, { account: 'b' }), ['open']],
  ])('%s', (_, cancelling, left) => {
    const home = new FillHome().withUser();
    const { unmatched } = home.take([bought, cancelling], { account: 'a' });
    expect(home.rows('SELECT status FROM trades').map(({ status }) => status)).toEqual(
      left,
    );
    expect(unmatched).toHaveLength(left.length);
  });

  test('in a later file, after its trade is closed, leaves the close', () => {
    const home = new FillHome().withUser();
    home.take(
      makeFileFills(['buy 1 @ 100', 'sell 1 @ 105', 'buy 1 @ 107', 'sell 1 @ 109']),
    );
    home.take([cancel(60)]);
    expect(shown(home)).toEqual(['MESZ6 short closed 1 0 0', 'MESZ6 short open 1 1 0']);
  });

  test('cancels one fill, and an equal one cancels the next', () => {
    const again = makeFileFills(['buy 1 @ 100'], { executionId: '2', executedAt: at(5) });
    expect(
      tradesOf(bought, ...again, cancel(9), { ...cancel(10), executionId: 'd' }),
    ).toEqual([]);
  });

  test('cancels the latest of two candidates', () => {
    const again = makeFileFills(['buy 1 @ 100'], {
      executionId: '2',
      executedAt: at(5),
      fees: 3,
    });
    expect(tradesOf(bought, ...again, cancel(9))).toEqual(['MESZ6 long open 1 1 0']);
  });
});

describe('fills of one instant', () => {
  test('close one trade and open the next, even if a later file continues from them', () => {
    const home = new FillHome().withUser();
    const [first, ...others] = makeFileFills([
      'buy 1 @ 100',
      'sell 1 @ 101',
      'buy 1 @ 101',
      'sell 1 @ 102',
    ]);
    const [closing, opening, last] = others.map((fill, index) => ({
      ...fill,
      executedAt: at(index < 2 ? 5 : 9),
    }));
    home.take([first, closing, opening, last] as FileFill[]);
    const made = ['MESZ6 long closed 1 0 0', 'MESZ6 long closed 1 0 0'];
    expect(shown(home)).toEqual(made);
    home.take(makeFileFills(['buy 1 @ 103'], { executionId: '9', executedAt: at(20) }));
    expect(shown(home)).toEqual([...made, 'MESZ6 long open 1 1 0']);
  });

  test('are in file order, with an execution in parts at its first part', () => {
    const part = (
      executionId: string,
      pairedWith: string,
      side: 'buy' | 'sell',
      second = 0,
    ) => makeFileFill({ executionId, pairedWith, side, executedAt: at(second) });
    const home = new FillHome().withUser();
    const rows = [
      part('2', '1', 'buy'),
      part('1', '2', 'sell'),
      part('2', '3', 'buy'),
      part('3', '2', 'sell', 9),
    ];
    home.take(rows, { format: { name: 'x', hasUniqueIds: true } });
    expect(shown(home)).toEqual(['MESZ6 long closed 2 0 0']);
  });
});
