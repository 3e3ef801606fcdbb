/** Fills in a journal: trades made from them in any order, and undo. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RowError } from '../../src/errors.ts';
import type { FileFill } from '../../src/import/fills/reading.ts';
import { runs } from '../effort.ts';
import { FillHome } from './fill-home.ts';
import { anyFile, anyPieces, piecesOf, toldPieces } from './fills/any-pieces.ts';
import { at, makeFileFills as fills, MES, makeFileFill } from './fills/make-file-fill.ts';

const shown = (home: FillHome) =>
  home
    .rows(
      'SELECT id, side, status, quantity, gross_pnl, fees FROM trades ORDER BY executed_at, id',
    )
    .map((row) => Object.values(row).join(' ').replace('x:MESZ6:2026-11-02:', ''));

describe('an import of fills', () => {
  test('makes trades, and later files continue them', () => {
    const home = new FillHome().withUser();
    const all = fills(
      ['buy 1 @ 100', 'sell 2 @ 101', 'buy 1 @ 99', 'buy 1 @ 90', 'sell 1 @ 95'],
      {
        fees: 1,
      },
    );
    home.take(all.slice(0, 2));
    expect(shown(home)).toEqual(['1 long closed 1 5 1.5', '2 short open 1 0 0.5']);
    expect(home.take(all.slice(2)).trades).toMatchObject({
      added: 1,
      changed: 1,
      removed: 0,
    });
    expect(shown(home)).toEqual([
      '1 long closed 1 5 1.5',
      '2 short closed 1 10 1.5',
      '4 long closed 1 25 2',
    ]);
    expect(
      home.rows('SELECT fill_id FROM executions ORDER BY executed_at, trade_id'),
    ).toHaveLength(6);
  });

  test('touches nothing before the last flat point', () => {
    const home = new FillHome().withUser();
    const all = fills([
      'buy 1 @ 100',
      'sell 1 @ 101',
      'buy 1 @ 99',
      'sell 1 @ 98',
      'buy 1 @ 97',
    ]);
    home.take(all.slice(0, 4));
    expect(home.take(all.slice(4)).trades).toMatchObject({
      added: 1,
      changed: 0,
      unchanged: 1,
    });
  });

  test('keeps an unmatched close until a file has its opening', () => {
    const home = new FillHome().withUser();
    const stock = { ...MES, symbol: 'ACME', market: 'stock' as const };
    const [buy, sell] = fills(['buy 5 @ 10', 'sell 5 @ 12'], {
      instrument: stock,
      mayShort: false,
    }) as [FileFill, FileFill];
    expect(home.take([sell]).unmatched).toMatchObject([{ quantity: 5 }]);
    expect(shown(home)).toEqual([]);
    expect(home.take([buy]).unmatched).toEqual([]);
    expect(home.rows('SELECT status, gross_pnl FROM trades')).toEqual([
      { status: 'closed', gross_pnl: 10 },
    ]);
  });

  test('moves a position when its symbol changes, in any order of files', () => {
    const stock = (symbol: string) => ({
      ...MES,
      symbol,
      market: 'stock' as const,
      underlying: null,
    });
    const bought = fills(['buy 5 @ 10'], { instrument: stock('OLD'), mayShort: false });
    const change = makeFileFill({
      executedAt: at(10),
      instrument: stock('NEW'),
      kind: 'symbol_change',
      side: null,
      quantity: null,
      price: 0,
      formerSymbol: 'OLD',
    });
    const split = makeFileFill({
      executedAt: at(20),
      instrument: stock('NEW'),
      kind: 'split',
      side: null,
      quantity: 2,
      price: 0,
    });
    const sold = makeFileFill({
      executedAt: at(30),
      instrument: stock('NEW'),
      side: 'sell',
      quantity: 10,
      price: 6,
      mayShort: false,
    });
    const files = [bought, [change, split], [sold]];
    for (const order of [files, [...files].reverse()]) {
      const home = new FillHome().withUser();
      for (const file of order) home.take(file);
      expect(home.rows('SELECT symbol, status, quantity, gross_pnl FROM trades')).toEqual(
        [{ symbol: 'NEW', status: 'closed', quantity: 10, gross_pnl: 10 }],
      );
      home.undo(2);
      expect(home.rows('SELECT symbol, status FROM trades')).toEqual([
        { symbol: 'OLD', status: 'open' },
      ]);
    }
  });

  test('closes a position by an expiration without a side', () => {
    const home = new FillHome().withUser();
    const option = {
      ...MES,
      symbol: 'SPY 2026-11-06 C450',
      market: 'option' as const,
      underlying: 'SPY',
    };
    home.take(fills(['sell 2 @ 1.5'], { instrument: option, effect: 'open' }));
    const expired = {
      executedAt: at(60),
      instrument: option,
      kind: 'expiration',
      side: null,
      quantity: null,
      price: 0,
    } as const;
    home.take([makeFileFill(expired)]);
    expect(home.rows('SELECT status, side, gross_pnl, multiplier FROM trades')).toEqual([
      { status: 'closed', side: 'short', gross_pnl: 300, multiplier: 100 },
    ]);
  });

  test('uses the fees of the export that states them', () => {
    const home = new FillHome().withUser();
    const bare = fills(['buy 1 @ 100', 'sell 1 @ 101']);
    home.take(bare);
    expect(home.take(bare.map((fill) => ({ ...fill, fees: 0.62 }))).added).toBe(0);
    expect(shown(home)).toEqual(['1 long closed 1 5 1.24']);
    home.take(bare);
    expect(shown(home)).toEqual(['1 long closed 1 5 1.24']);
    home.undo(2);
    expect(shown(home)).toEqual(['1 long closed 1 5 0']);
  });

  test('distinguishes rebates from fees', () => {
    const home = new FillHome().withUser();
    home.take(fills(['buy 1 @ 100', 'sell 1 @ 101'], { fees: -0.5 }));
    expect(home.rows('SELECT gross_pnl, fees, net_pnl FROM trades')).toEqual([
      { gross_pnl: 6, fees: 0, net_pnl: 6 },
    ]);
  });

  test.each<[string, Partial<FileFill>, string]>([
    [
      'price',
      { price: 101 },
      'price: this fill of MESZ6 has 100 in import 1 but 101 in this file',
    ],
    ['time', { executedAt: at(90) }, 'executed_at: this fill of MESZ6 has'],
    ['side', { side: 'sell' }, 'side: this fill of MESZ6 has'],
  ])('rejects a known execution with another %s', (_, changes, message) => {
    const home = new FillHome().withUser();
    const [fill] = fills(['buy 1 @ 100']) as [FileFill];
    home.take([fill]);
    const before = home.hash();
    expect(() => home.take([{ ...fill, ...changes }])).toThrow(message);
    expect(home.hash()).toBe(before);
  });

  test('takes an id of the next morning for another fill if an earlier version kept no clock', () => {
    const home = new FillHome().withUser();
    const [fill] = fills(['buy 1 @ 100']) as [FileFill];
    home.take([{ ...fill, executedAt: '2026-11-02T20:00:00.000Z' }]);
    home.write('UPDATE import_fills SET clock = NULL, digits = NULL');
    home.take([{ ...fill, executedAt: '2026-11-03T09:00:00.000Z', price: 101 }]);
    expect(home.rows('SELECT price FROM fills ORDER BY executed_at')).toEqual([
      { price: 100 },
      { price: 101 },
    ]);
  });

  test('rejects suspected duplicates of another format, except with --allow-duplicates', () => {
    const home = new FillHome().withUser();
    const one = fills(['buy 1 @ 100', 'sell 1 @ 101']);
    const other = { format: { name: 'y', platform: 'x' } };
    home.take(one);
    expect(() => home.take(one, other)).toThrow(
      '2 fills in this file (first on line 2, MESZ6) are duplicates: already in the journal as x',
    );
    const named = { ...other, account: 'a' };
    expect(() => home.take(one, named)).toThrow(
      'already in the journal as x, without an account',
    );
    home.take(one, { ...named, allowDuplicates: true });
    expect(
      home.rows('SELECT account, count(*) AS n FROM trades GROUP BY account'),
    ).toEqual([
      { account: null, n: 1 },
      { account: 'a', n: 1 },
    ]);
  });

  test.each<[Partial<FileFill>, string]>([
    [
      { instrument: { ...MES, symbol: 'M'.repeat(65) } },
      'symbol: must have at most 64 characters; got "MMM',
    ],
    [{ instrument: { ...MES, symbol: '' } }, 'symbol: must not be empty; got ""'],
    [
      { instrument: { ...MES, currency: 'usd' } },
      'currency: must be 2 to 10 capital letters or digits, such as USD',
    ],
    [
      { instrument: { ...MES, expiration: '2026-02-30' } },
      'expiration: must be a day that exists',
    ],
    [
      { executedAt: '9999-01-01T00:00:00.000Z' },
      'executed_at: must be in the years 0001 to 9998',
    ],
    [
      { price: -1, instrument: { ...MES, market: 'stock' } },
      'price: must be 0 or more; got -1',
    ],
    [{ price: 1e15 }, 'price: must be between -1e15 and 1e15; got 1000000000000000'],
    [{ quantity: 1e18 }, 'quantity: must be below 1e18; got 1000000000000000000'],
    [{ fees: -1e15 }, 'fees: must be between -1e15 and 1e15'],
    [{ feeQuantity: 1e18 }, 'fee_quantity: must be between -1e18 and 1e18'],
    [{ rate: { base: 'EUR', value: 1e12 } }, 'rate: must be below 1e12'],
  ])('rejects %j with a clear error and its line', (changes, message) => {
    const home = new FillHome().withUser();
    const before = home.hash();
    try {
      home.take([...fills(['buy 1 @ 100']), makeFileFill({ line: 3, ...changes })]);
    } catch (error) {
      expect((error as Error).message).toContain(message);
      expect((error as RowError).line).toBe(3);
    }
    expect(home.hash()).toBe(before);
    expect.assertions(3);
  });

  test('an account name may have any length', () => {
    const home = new FillHome().withUser();
    const account = 'ä/'.repeat(500);
    home.take(fills(['buy 1 @ 100'], { account }));
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account }]);
  });

  test('requires a multiplier, and reuses it', () => {
    const home = new FillHome().withUser();
    const instrument = { ...MES, symbol: 'XYZZ6', underlying: null };
    const all = fills(['buy 1 @ 100', 'sell 1 @ 101'], { instrument });
    expect(() => home.take(all)).toThrow('--multiplier XYZZ6=50');
    home.take(all.slice(0, 1), { multipliers: new Map([['XYZ', 7]]) });
    home.take(all.slice(1));
    expect(home.rows('SELECT gross_pnl FROM trades')).toEqual([{ gross_pnl: 7 }]);
    const later = (second: number, ids: string[]) =>
      fills(['buy 1 @ 100', 'sell 1 @ 101'], { instrument }).map((fill, index) => ({
        ...fill,
        executionId: ids[index] as string,
        executedAt: at(second + index),
      }));
    home.take(later(20, ['3', '4']), { multipliers: new Map([['XYZ', 8]]) });
    home.take(later(30, ['5', '6']));
    expect(home.rows('SELECT multiplier FROM trades ORDER BY executed_at')).toEqual(
      [7, 8, 8].map((multiplier) => ({ multiplier })),
    );
  });
});

describe("the user's text", () => {
  const all = fills([
    'buy 1 @ 100',
    'buy 2 @ 101',
    'sell 3 @ 102',
    'buy 1 @ 90',
    'sell 1 @ 91',
  ]);
  const WRITTEN = {
    notes: 'waited',
    tags: ['a'],
    setup: 'orb',
    rating: 4,
    initial_risk: 50,
  };

  function written(): FillHome {
    const home = new FillHome().withUser();
    home.take(all.slice(1));
    // Without its opening, the sell of three reverses the position to short.
    expect(shown(home)).toEqual([
      '2 long closed 2 10 0',
      '3 short closed 1 60 0',
      '5 short open 1 0 0',
    ]);
    home.import(home.lines('trades.jsonl', { id: 'x:MESZ6:2026-11-02:2', ...WRITTEN }));
    home.import(
      home.lines('trade-journals.jsonl', {
        id: 'j',
        trade_id: 'x:MESZ6:2026-11-02:2',
        phase: 'review',
        body: 'why',
      }),
    );
    home.import(
      home.lines('weekly-reviews.jsonl', {
        id: 'w',
        period_start: '2026-11-02',
        period_end: '2026-11-08',
        best_trade_id: 'x:MESZ6:2026-11-02:3',
        worst_trade_id: 'x:MESZ6:2026-11-02:2',
      }),
    );
    return home;
  }

  test('moves to the trade with most of the fills', () => {
    const home = written();
    const { trades } = home.take(all.slice(0, 1));
    const heir = 'x:MESZ6:2026-11-02:1';
    expect(shown(home)).toEqual(['1 long closed 3 20 0', '4 long closed 1 5 0']);
    expect(trades.moved).toContainEqual({ from: 'x:MESZ6:2026-11-02:2', to: heir });
    expect(home.everything()['trades']?.find(({ id }) => id === heir)).toMatchObject(
      WRITTEN,
    );
    expect(home.everything()['trade-journals']).toMatchObject([
      { id: 'j', trade_id: heir },
    ]);
    expect(home.everything()['weekly-reviews']).toMatchObject([
      { best_trade_id: heir, worst_trade_id: heir },
    ]);
  });

  test('of two trades is merged', () => {
    const home = written();
    home.import(
      home.lines('trades.jsonl', {
        id: 'x:MESZ6:2026-11-02:3',
        notes: 'late',
        tags: ['b'],
        rating: 1,
      }),
    );
    home.take(all.slice(0, 1));
    const [trade] = home.rows(
      "SELECT notes, tags, rating FROM trades WHERE id = 'x:MESZ6:2026-11-02:1'",
    );
    expect(JSON.parse(String(trade?.['tags'])).sort()).toEqual(['a', 'b']);
    for (const words of ['waited', 'late', 'rating of x:MESZ6:2026-11-02:'])
      expect(trade?.['notes']).toContain(words);
  });

  test('in a walked field stays', () => {
    const home = new FillHome().withUser();
    home.take(all.slice(3, 4));
    home.import(
      home.lines('trades.jsonl', { id: 'x:MESZ6:2026-11-02:4', account: 'ira', fees: 2 }),
    );
    home.take(all.slice(4));
    expect(home.rows('SELECT account, status, gross_pnl, fees FROM trades')).toEqual([
      { account: 'ira', status: 'closed', gross_pnl: 5, fees: 2 },
    ]);
  });

  test('stops an undo that would lose it', () => {
    const home = written();
    const before = home.hash();
    expect(() => home.undo(1)).toThrow(
      'import 2 (trades.jsonl) is about trade x:MESZ6:2026-11-02:2; journal-api import undo 2',
    );
    expect(home.hash()).toBe(before);
    for (const id of [4, 3, 2, 1]) home.undo(id);
    expect(home.rows('SELECT * FROM trades')).toEqual([]);
  });
});

const FORMATS = {
  'ids within a day': { format: { name: 'x' }, id: '1' },
  'unique ids': { format: { name: 'x', hasUniqueIds: true }, id: '1' },
  'no ids': { format: { name: 'x' }, id: null },
};

describe.each(Object.entries(FORMATS))(
  'accounts that only some files name, with %s',
  (_, { format, id }) => {
    const ids = (own: FileFill[]) =>
      id === null ? own.map((fill) => ({ ...fill, executionId: null })) : own;
    const all = ids(fills(['buy 1 @ 100', 'sell 2 @ 101', 'buy 1 @ 99'], { fees: 1 }));
    const bare = all.map((fill) => ({ ...fill, fees: id === null ? 1 : 0 }));
    const accounts = (home: FillHome) =>
      home.rows(
        'SELECT account, status, gross_pnl, fees FROM trades ORDER BY account, executed_at, id',
      );
    const inA = [
      { account: 'a', status: 'closed', gross_pnl: 5, fees: 1.5 },
      { account: 'a', status: 'closed', gross_pnl: 10, fees: 1.5 },
    ];

    test('a fill is in the named one, in any order of files', () => {
      const orders = [
        [undefined, 'a'],
        ['a', undefined],
        ['a', undefined, 'a', undefined],
      ];
      const made = orders.map((order) => {
        const home = new FillHome().withUser();
        for (const account of order)
          home.take(account === undefined ? bare : all, { format, account });
        expect(accounts(home)).toEqual(inA);
        return home.tradesWithoutIds();
      });
      expect(made[1]).toEqual(made[0]);
      expect(made[2]).toEqual(made[0]);
    });

    test('a fill in only one file stays without', () => {
      const home = new FillHome().withUser();
      home.take(all, { format });
      home.take(all.slice(0, 1), { format, account: 'a' });
      expect(
        home.rows('SELECT account, side, status, quantity FROM trades ORDER BY account'),
      ).toEqual([
        { account: null, side: 'short', status: 'open', quantity: 2 },
        { account: 'a', side: 'long', status: 'open', quantity: 1 },
      ]);
    });

    test("the user's text moves along, and back after undo of the naming file", () => {
      const home = new FillHome().withUser();
      home.take(all, { format });
      const [before] = home.rows(
        'SELECT id, created_at FROM trades ORDER BY executed_at, id',
      );
      home.import(
        home.lines('trades.jsonl', { id: before?.['id'], notes: 'waited', tags: ['a'] }),
      );
      const trades = home.trades();
      home.now += 1000;
      home.take(all, { format, account: 'a' });
      expect(
        home.rows(
          'SELECT account, notes, tags, created_at FROM trades WHERE notes IS NOT NULL',
        ),
      ).toEqual([
        {
          account: 'a',
          notes: 'waited',
          tags: '["a"]',
          created_at: before?.['created_at'],
        },
      ]);
      home.undo();
      expect(home.trades()).toEqual(trades);
    });

    test('the report of the file without one has the trades with its fills', () => {
      const home = new FillHome().withUser();
      home.take(all, { format, account: 'a' });
      const { added, stated, trades } = home.take(bare, { format });
      expect([added, stated]).toEqual([0, 3]);
      expect(trades).toMatchObject({ added: 0, changed: 0, removed: 0 });
    });
  },
);

test('a fill in two accounts stays in both, and a file without one is refused', () => {
  const all = fills(['buy 1 @ 100', 'sell 1 @ 101']);
  const home = new FillHome().withUser();
  for (const account of ['a', 'b']) home.take(all, { account });
  expect(() => home.take(all, {})).toThrow(
    'line 2: this fill of MESZ6 is in the accounts a and b, and the file names none; pass --account',
  );
  expect(home.rows('SELECT account FROM trades ORDER BY account')).toEqual([
    { account: 'a' },
    { account: 'b' },
  ]);
});

test('an id that is unique on the platform is another execution in another account', () => {
  const home = new FillHome().withUser();
  const format = { name: 'x', hasUniqueIds: true };
  const all = fills(['buy 1 @ 100']);
  for (const account of [undefined, 'a', 'b', 'a', 'b'])
    home.take(all, { format, account });
  expect(home.rows('SELECT account, id FROM trades ORDER BY account')).toEqual([
    { account: 'a', id: 'x:MESZ6:1' },
    { account: 'b', id: 'x:MESZ6:1~~3e23e816' },
  ]);
  expect(() => home.take([{ ...(all[0] as FileFill), price: 99 }], { format })).toThrow(
    'line 2: a has another fill of MESZ6 with this id (import 1), and the file names no account; pass --account NAME',
  );
});

describe.each(['1', null])('a cancelled fill (id %s)', (id) => {
  const [bought, cancel, sold, bought2] = fills([
    'buy 1 @ 100',
    'sell 1 @ 100',
    'sell 2 @ 101',
    'buy 2 @ 99',
  ]).map((fill, index) => ({
    ...fill,
    ...(id === null ? { executionId: null } : {}),
    cancels: index === 1,
  })) as [FileFill, FileFill, FileFill, FileFill];
  // The platform may give both the same id.
  if (id !== null) cancel.executionId = bought.executionId;
  const short = [{ side: 'short', status: 'closed', quantity: 2, gross_pnl: 20 }];
  const trades = (home: FillHome) =>
    home.rows('SELECT side, status, quantity, gross_pnl FROM trades');

  test('is removed, in any distribution and order of files', () => {
    const pieces = [[bought], [cancel], [sold], [bought2]];
    const orders = [
      pieces,
      [...pieces].reverse(),
      [[bought, cancel, sold], [bought2], [bought]],
      [[sold, bought2], [cancel], [bought]],
    ];
    const made = orders.map((files) => {
      const home = new FillHome().withUser();
      for (const file of files) home.take(file);
      expect(trades(home)).toEqual(short);
      return home.trades();
    });
    for (const other of made) expect(other).toEqual(made[0]);
  });

  test('returns after undo of the file that cancels it', () => {
    const home = new FillHome().withUser();
    home.take([bought, sold, bought2]);
    const before = home.tables();
    expect(home.take([cancel])).toMatchObject({ added: 1, unmatched: [] });
    expect(trades(home)).toEqual(short);
    home.undo();
    expect(home.tables()).toEqual(before);
  });

  test('missing from all files is reported, and its cancellation makes no trade', () => {
    const home = new FillHome().withUser();
    const { unmatched } = home.take([cancel, sold, bought2]);
    expect(unmatched).toMatchObject([{ fill: { part: 'cancelled' }, quantity: 1 }]);
    expect(trades(home)).toEqual(short);
  });
});

describe('pairs', () => {
  const format = { name: 'x', hasUniqueIds: true };
  const end = (id: string, pairedWith: string, side: 'buy' | 'sell', second: number) =>
    makeFileFill({
      executionId: id,
      pairedWith,
      side,
      executedAt: at(second),
      price: 100 + second,
    });
  const pair = (buy: number, sell: number) => [
    end(String(buy), String(sell), 'buy', buy),
    end(String(sell), String(buy), 'sell', sell),
  ];

  test('share one account along the chain', () => {
    // 2 and 4 have two parts each; 11 and 12 are another position.
    const chain = [...pair(1, 2), ...pair(3, 2), ...pair(3, 4), ...pair(5, 4)];
    const apart = pair(11, 12);
    const made = [0, 1].map((first) => {
      const home = new FillHome().withUser();
      const files = [
        () => home.take(pair(1, 2), { format, account: 'a' }),
        () => home.take([...chain, ...apart], { format }),
      ];
      for (const file of first === 0 ? files : files.reverse()) file();
      return home;
    });
    const counts = made.map((home) =>
      home.rows('SELECT account, count(*) AS n FROM trades GROUP BY 1 ORDER BY 1'),
    );
    // A file without an account that follows one of a's is of that account, too.
    expect(counts).toEqual([
      [{ account: 'a', n: 5 }],
      [
        { account: null, n: 1 },
        { account: 'a', n: 4 },
      ],
    ]);
  });
});

describe('with random files', () => {
  test('any order and overlap make the same trades', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(toldPieces, (pieces) => {
        const whole = new FillHome().withUser();
        whole.take(pieces[0]);
        const home = new FillHome().withUser();
        for (const piece of piecesOf(pieces)) home.take(piece);
        expect(home.trades()).toEqual(whole.trades());
        expect(home.take(pieces[0])).toMatchObject({
          added: 0,
          trades: { added: 0, changed: 0, removed: 0 },
        });
        expect(home.trades()).toEqual(whole.trades());
      }),
      { numRuns: runs(20) },
    );
  });

  test('undo restores the journal, row by row', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyPieces, (pieces) => {
        const home = new FillHome().withUser();
        const before: unknown[] = [];
        for (const piece of piecesOf(pieces)) {
          before.push(home.tables());
          home.take(piece);
          home.now += 1000;
        }
        for (const tables of before.reverse()) {
          home.undo();
          expect(home.tables()).toEqual(tables);
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('undo in another order leaves the other imports as if that one had never existed', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(toldPieces, (pieces) => {
        const files = piecesOf(pieces);
        const home = new FillHome().withUser();
        for (const piece of files) home.take(piece);
        home.undo(1);
        const others = new FillHome().withUser();
        for (const piece of files.slice(1)) others.take(piece);
        expect(home.trades()).toEqual(others.trades());
      }),
      { numRuns: runs(15) },
    );
  });

  /** The accounts' files in overlapping pieces, some without an account. */
  const anonymous = fc
    .tuple(
      anyFile,
      fc.array(fc.nat({ max: 24 }), { maxLength: 3 }),
      fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      fc.boolean(),
    )
    .map(([file, cuts, keys, named, hasUniqueIds]) => {
      const rows = file.map((fill, index) =>
        index % 3 === 0 && !hasUniqueIds
          ? { ...fill, executionId: null, fees: index / 100 }
          : { ...fill, executionId: `n${index}` },
      );
      const files = ['a', 'b'].flatMap((account) => {
        const own = rows.filter((fill) => fill.account === account);
        return own.length > 0 ? piecesOf([own, cuts, keys]) : [];
      });
      return {
        format: { name: 'x', hasUniqueIds },
        files: files.map((own, index) =>
          named[index] ? own : own.map((fill) => ({ ...fill, account: null })),
        ),
      };
    });

  test('a row counts once, whichever files name its account, in any order', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(anonymous, fc.nat(), ({ format, files }, n) => {
        const at = n % files.length;
        const orders = [files, [...files.slice(at), ...files.slice(0, at)].reverse()];
        const counts = orders.flatMap((order) => {
          const home = new FillHome().withUser();
          const taken = order.filter((file) => isTaken(home, file, format));
          for (const file of taken) expect(home.take(file, { format }).added).toBe(0);
          const count = home.rows('SELECT count(*) AS n FROM fills')[0]?.['n'];
          return taken.length === order.length ? [count] : [];
        });
        expect(new Set(counts).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(20) },
    );
  });

  /** Whether a file comes in: one without accounts, whose rows are in two or in part in one, doesn't. */
  function isTaken(
    home: FillHome,
    file: readonly FileFill[],
    format: { name: string },
  ): boolean {
    try {
      home.take(file, { format });
      return true;
    } catch (error) {
      expect((error as Error).message).toMatch(
        /import \d+.*pass --account|pass --account/,
      );
      return false;
    }
  }
});
