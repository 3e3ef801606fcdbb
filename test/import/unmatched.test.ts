/** Closes whose opening no file states: shown everywhere, and counted by what their rows state. */
import { expect, test } from 'vitest';
import { edit } from '../../src/edit/edit.ts';
import { recordFills } from '../../src/edit/fill.ts';
import { setRates } from '../../src/edit/rates.ts';
import { type FileFill, fill } from '../../src/import/fills/reading.ts';
import {
  unmatchedCloses,
  unmatchedFigures,
} from '../../src/journal/analytics/unmatched.ts';
import { findUser, openJournal } from '../../src/journal/journal.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { stock } from '../../src/parse/instruments.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { World } from '../helpers.ts';
import { runHere } from '../program.ts';
import { FillHome } from './fill-home.ts';

const home = () => new FillHome().withUser() as FillHome;
const A = { account: 'A' };

const traded = (
  executedAt: string,
  side: 'buy' | 'sell',
  quantity: number,
  price: number,
  more: Partial<FileFill> = {},
) =>
  fill({
    line: 1,
    instrument: stock('ONDS'),
    executedAt,
    side,
    quantity,
    price,
    ...more,
  });

const SOLD = traded('2026-11-17T15:00:00.000Z', 'sell', 30, 8, { fees: 2 });

const rows = (own: FillHome) =>
  own.rows(
    'SELECT symbol, quantity, fees, net_pnl, fx_rate FROM unmatched_closes ORDER BY closed_at',
  );

function figuresOf(own: FillHome, filters: Record<string, string> = {}) {
  const journal = openJournal(own.journal);
  try {
    return journal.read((reader) => {
      const user = findUser(reader, 'me')!;
      const range = { from: null, to: null };
      return unmatchedFigures(user, unmatchedCloses(reader, user, { range, filters }));
    });
  } finally {
    journal.close();
  }
}

test.each([
  ['after costs', { net: 18.3 }, 18.3],
  ['before costs', { gross: 18.3 }, 16.3],
  ['both', { gross: 20.3, net: 18.3 }, 18.3],
  ['nothing', null, null],
])('a row that states its P&L %s realised it', (_, stated, net) => {
  const own = home();
  own.take([{ ...SOLD, stated }], A);
  expect(rows(own)).toEqual([
    { symbol: 'ONDS', quantity: 30, fees: 2, net_pnl: net, fx_rate: null },
  ]);
  expect(figuresOf(own)).toEqual({
    closes: 1,
    symbols: ['ONDS'],
    distinct: 1,
    realised_stated: net ?? 0,
    without_rate: [],
    without_statement: net === null ? 1 : 0,
  });
});

test('what a row closes beyond a position realised what it states less what the position made', () => {
  const own = home();
  const opened = traded('2026-11-16T15:00:00.000Z', 'buy', 10, 7, { fees: 1 });
  own.take([opened, { ...SOLD, line: 2, stated: { net: 100 }, fees: 3 }], A);
  // 10 of 30: 10 * (8 - 7) - 1 - 1.
  expect(own.rows('SELECT net_pnl FROM trades')).toEqual([{ net_pnl: 8 }]);
  expect(rows(own)).toEqual([
    { symbol: 'ONDS', quantity: 20, fees: 2, net_pnl: 92, fx_rate: null },
  ]);
});

test('its opening makes it a trade, and undo of the opening an unmatched close again', () => {
  const own = home();
  own.take([{ ...SOLD, stated: { net: 18.3 } }], A);
  const before = rows(own);
  const lines = [{ text: '2026-11-10 buy 30 ONDS 7.39', line: 1 }];
  recordFills({ ...own.target, lines, ...A }, 'fill');
  expect(rows(own)).toEqual([]);
  own.undo();
  expect(rows(own)).toEqual(before);
  const made = own.take(
    [traded('2026-11-10T15:00:00.000Z', 'buy', 30, 7, { fees: 1 })],
    A,
  );
  expect(made.changedDays).toEqual([
    { date: '2026-11-17', currency: 'USD', before: 18.3, after: 27 },
  ]);
  own.undo();
  own.undo();
  expect(rows(own)).toEqual([]);
});

// Platforms that state what a row closed.

const LOTS = [
  ['2026-11-03', 10, 70.5],
  ['2026-10-20', 20, 130],
] satisfies FileFill['lots'];
const WITH_LOTS = { ...SOLD, stated: { net: 37.5 }, lots: LOTS };

const tradesOf = (own: FillHome) =>
  own.rows(
    'SELECT executed_at, closed_at, has_time, quantity, entry_price, gross_pnl, fees FROM trades',
  );

test('a row that states the days and costs of all that it closed makes a whole trade', () => {
  const own = home();
  own.take([WITH_LOTS], A);
  const whole = {
    executed_at: '2026-10-20T00:00:00.000Z',
    closed_at: '2026-11-17T15:00:00.000Z',
    has_time: 0,
    quantity: 30,
    entry_price: 200.5 / 30,
    gross_pnl: 39.5,
    fees: 2,
  };
  const expected = [{ ...whole, entry_price: expect.closeTo(whole.entry_price, 10) }];
  expect(rows(own)).toEqual([]);
  expect(tradesOf(own)).toEqual(expected);
  expect(own.findings()).toEqual([]);

  // Once its opening is there, the prices of the fills count.
  const lines = [{ text: '2026-11-10 buy 30 ONDS 7.39', line: 1 }];
  recordFills({ ...own.target, lines, ...A }, 'fill');
  expect(tradesOf(own)).toMatchObject([{ entry_price: 7.39, gross_pnl: 18.3, fees: 2 }]);
  own.undo();
  expect(tradesOf(own)).toEqual(expected);
  own.undo();
  expect(tradesOf(own)).toEqual([]);
});

test('what was written about a trade of lots stays with it, whatever opens it', () => {
  const own = home();
  own.take([WITH_LOTS], A);
  const [trade] = own.rows('SELECT id FROM trades') as { id: string }[];
  const target = own.target;
  edit(target, { name: 'annotate', line: 'annotate', resource: trades }, (change) => {
    change.put(trades, { id: trade!.id, setup: 'breakout' });
  });
  own.take([traded('2026-11-02T15:00:00.000Z', 'buy', 30, 7)], A);
  expect(own.rows('SELECT setup, entry_price FROM trades')).toEqual([
    { setup: 'breakout', entry_price: 7 },
  ]);
});

test.each([
  ['less than it closed', [['2026-11-03', 10, 70.5]]],
  ['more', [['2026-11-03', 40, 280]]],
] as [string, FileFill['lots']][])(
  'lots of %s state the day of the opening only',
  (_, lots) => {
    const own = home();
    own.take([{ ...WITH_LOTS, lots: lots! }], A);
    expect(tradesOf(own)).toEqual([]);
    expect(own.rows('SELECT opened_on, net_pnl FROM unmatched_closes')).toEqual([
      { opened_on: '2026-11-03', net_pnl: 37.5 },
    ]);
  },
);

test('a key that shows trades since a day sees a close opened on it', async () => {
  const own = home();
  own.take([{ ...WITH_LOTS, lots: LOTS.slice(0, 1) }], A);
  const world = serving(own);
  for (const [since, closes] of [
    ['2026-11-03', 1],
    ['2026-11-04', 0],
  ] as const) {
    const { body } = await world.ask(ASKED, { key: keyWith(world, { since }) });
    expect(body.data.data_quality.unmatched).toMatchObject({ closes });
  }
});

test('a close in another currency counts at the rate of its day, without one it is named', () => {
  const own = home();
  const instrument = stock('SAP', 'EUR');
  own.take([{ ...SOLD, instrument, stated: { net: 10 } }], A);
  own.take(
    [
      {
        ...SOLD,
        instrument: stock('AZN', 'GBP'),
        stated: { net: 5 },
        rate: { base: 'USD', value: 1.3 },
      },
    ],
    A,
  );
  expect(figuresOf(own)).toMatchObject({
    realised_stated: 6.5,
    without_rate: [{ currency: 'EUR', amount: 10 }],
  });
  const target = own.target;
  setRates(target, new Map([['EUR', 1.1]]), undefined, 'rates set EUR=1.1');
  expect(figuresOf(own)).toMatchObject({ realised_stated: 17.5, without_rate: [] });
  own.undo();
  expect(figuresOf(own)).toMatchObject({ realised_stated: 6.5 });
});

test('an exit of an open trade has the rate of its day, that of a closed one its rate', () => {
  const own = home();
  const instrument = stock('SAP', 'EUR');
  const at = (day: string, side: 'buy' | 'sell', quantity: number) =>
    traded(`2026-11-${day}T15:00:00.000Z`, side, quantity, 10, { instrument });
  own.take([at('03', 'buy', 10), at('10', 'sell', 4), at('12', 'sell', 3)], A);
  const target = own.target;
  const set = (rate: number, from: string) =>
    setRates(target, new Map([['EUR', rate]]), from, `rates set EUR=${rate}`);
  set(1.1, '2026-11-01');
  set(1.2, '2026-11-11');

  const rates = () => own.rows('SELECT fx_rate FROM executions ORDER BY position');
  const ofExits = [{ fx_rate: null }, { fx_rate: 1.1 }, { fx_rate: 1.2 }];
  expect(rates()).toEqual(ofExits);
  expect(own.rows('SELECT fx_rate FROM trades')).toEqual([{ fx_rate: null }]);

  own.take([at('13', 'sell', 3)], A);
  set(1.3, '2026-11-13');
  expect(rates().map(({ fx_rate }) => fx_rate)).toEqual([null, null, null, null]);
  expect(own.rows('SELECT fx_rate FROM trades')).toEqual([{ fx_rate: 1.3 }]);
  own.undo();
  own.undo();
  expect(rates()).toEqual(ofExits);
});

test.each([
  [{ account: 'a' }, 1],
  [{ account: 'B' }, 0],
  [{ symbol: 'onds' }, 1],
  [{ underlying: 'ONDS' }, 1],
  [{ market: 'stock' }, 1],
  [{ market: 'future' }, 0],
  [{ side: 'long' }, 0],
  [{ tag: 'x' }, 0],
])('filters that fit a close apply, others leave it out: %j', (filters, count) => {
  const own = home();
  own.take([SOLD], A);
  expect(figuresOf(own, filters as Record<string, string>).closes).toBe(count);
});

/** A service over the fills of a journal. */
function serving(own: FillHome): World {
  const world = new World();
  world.db.exec(`ATTACH '${own.journal}' AS own; INSERT INTO fills SELECT * FROM own.fills;
    INSERT INTO unmatched_closes SELECT * FROM own.unmatched_closes; DETACH own`);
  return world;
}

const keyWith = (world: World, lens: Partial<Lens>) =>
  world.key(undefined, undefined, undefined, {
    accounts: null,
    since: null,
    hides: [],
    ...lens,
  });

const ASKED =
  '/v1/analytics/summary?period=all&sections=performance,realised,data_quality';

test('it counts on its day in the realised P&L, and the lists and checks name it', async () => {
  const own = home();
  own.take([{ ...SOLD, stated: { net: 18.3 } }], A);
  const world = serving(own);
  const { body } = await world.ask(ASKED, { key: world.key() });
  const { realised, performance, data_quality } = body.data;
  expect(realised).toMatchObject([
    {
      date: '2026-11-17',
      exits: 1,
      unmatched: 1,
      gross_pnl: 20.3,
      fees: 2,
      net_pnl: 18.3,
    },
  ]);
  expect(performance).toMatchObject({ trades: 0, net_pnl: 0, realised_pnl: 18.3 });
  expect(data_quality.unmatched).toMatchObject({ closes: 1, realised_stated: 18.3 });

  expect(listImports({ journal: own.journal })).toMatchObject([{ id: 1, unmatched: 1 }]);
  const { stderr, code } = await runHere(['check', '--home', own.folder]);
  expect([code, stderr]).toMatchObject([
    0,
    expect.stringContaining('1 unmatched close of ONDS'),
  ]);
});

test.each([
  ['all', {}, { closes: 1, symbols: ['ONDS'], realised_stated: 18.3 }],
  ['its account', { accounts: ['a'] }, { closes: 1 }],
  [
    'another account',
    { accounts: ['B'] },
    { closes: 0, symbols: [], realised_stated: 0 },
  ],
  ['trades since a day', { since: '2026-11-01' }, { closes: 0, symbols: [] }],
  [
    'no symbols',
    { hides: ['texts', 'symbols'] },
    { closes: 1, symbols: [expect.stringMatching(/^sym-/)] },
  ],
] as [string, Partial<Lens>, object][])(
  'a key that shows %s',
  async (_, lens, expected) => {
    const own = home();
    own.take([{ ...SOLD, stated: { net: 18.3 } }], A);
    const world = serving(own);
    const { body } = await world.ask(ASKED, { key: keyWith(world, lens) });
    expect(body.data.data_quality.unmatched).toMatchObject(expected);
  },
);

test('a key that hides money sees no amounts', async () => {
  const own = home();
  own.take([{ ...SOLD, stated: { net: 18.3 } }], A);
  const world = serving(own);
  const { body } = await world.ask(ASKED, {
    key: keyWith(world, { hides: ['money'] }),
    lens: true,
  });
  expect(Object.keys(body.data.data_quality.unmatched)).not.toContain('realised_stated');
  expect(JSON.stringify(body.data)).not.toContain('18.3');
});
