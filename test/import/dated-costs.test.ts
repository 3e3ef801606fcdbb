/** Costs with days of their own, such as funding: realised on their day, without an exit. */
import { expect, test } from 'vitest';
import { setLimits } from '../../src/edit/limits.ts';
import { setRates } from '../../src/edit/rates.ts';
import { exportJournal } from '../../src/export/index.ts';
import { DATED, type FileFill, fill } from '../../src/import/fills/reading.ts';
import { limitsOf } from '../../src/journal/analytics/limits.ts';
import { findUser, openJournal, type User } from '../../src/journal/journal.ts';
import { findTrade } from '../../src/journal/trade.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { coins } from '../../src/parse/instruments.ts';
import type { Reader } from '../../src/sqlite/reader.ts';
import { changeUser } from '../../src/statements/days.ts';
import { FillHome } from './fill-home.ts';

const A = { account: 'A' };
const home = (currency = 'USDT') =>
  new FillHome().withUser('me', { base_currency: currency }) as FillHome;

const at = (day: number, time = '15:00') =>
  `2026-11-${String(day).padStart(2, '0')}T${time}:00.000Z`;
const traded = (
  executedAt: string,
  side: 'buy' | 'sell',
  quantity: number,
  price: number,
  fees = 0,
) =>
  fill({
    line: 1,
    instrument: coins('ABCUSDT', 'USDT'),
    executedAt,
    side,
    quantity,
    price,
    fees,
    mayShort: true,
  });
const funding = (executedAt: string, fees: number): FileFill =>
  fill({ line: 2, instrument: coins('ABCUSDT', 'USDT'), executedAt, ...DATED, fees });

/** Long 2 at 100 from the 2nd, half sold at 110 on the 4th, half at 130 on the 6th. */
const FILLS = [
  traded(at(2), 'buy', 2, 100, 1),
  traded(at(4), 'sell', 1, 110, 0.5),
  traded(at(6), 'sell', 1, 130, 0.5),
];
const PAID = [funding(at(3, '08:00'), 0.25), funding(at(5, '08:00'), -0.1)];

function reading<T>(own: FillHome, read: (reader: Reader, user: User) => T): T {
  const journal = openJournal(own.journal);
  try {
    return journal.read((reader) => read(reader, findUser(reader, 'me') as User));
  } finally {
    journal.close();
  }
}

/** Figures of some days of November. */
function figures(own: FillHome, from?: number, to?: number) {
  const bound = (day: number | undefined) =>
    day === undefined ? null : Date.parse(at(day, '00:00'));
  const sections = ['performance', 'realised', 'realised_steps', 'open'] as const;
  return own.figures(sections, bound(from), bound(to));
}

const shown = ({ date, exits, fees, net_pnl }: Record<string, unknown>) => [
  date,
  exits,
  fees,
  net_pnl,
];
const days = (own: FillHome, from?: number, to?: number) =>
  (figures(own, from, to).realised ?? []).map(shown);
const trades = (own: FillHome) =>
  own.rows('SELECT status, gross_pnl, fees, net_pnl FROM trades ORDER BY executed_at');
const costs = (own: FillHome) =>
  (own.rows('SELECT dated_costs FROM trades') as { dated_costs: string }[]).map((row) =>
    JSON.parse(row.dated_costs),
  );
const PAID_AT = (...rates: [number | null, number | null]) => [
  [
    [at(3, '08:00'), 0.25, rates[0]],
    [at(5, '08:00'), -0.1, rates[1]],
  ],
];
const detail = (own: FillHome, id: string) =>
  reading(own, (reader, user) => findTrade(reader, user, id, true));

test('a cost is realised on its day as fees, and no exit has a share of it', () => {
  const own = home();
  own.take([...FILLS, ...PAID], A);
  expect(trades(own)).toEqual([
    { status: 'closed', gross_pnl: 40, fees: 2.15, net_pnl: 37.85 },
  ]);
  expect(days(own)).toEqual([
    ['2026-11-03', 0, 0.25, -0.25],
    ['2026-11-04', 1, 1, 9],
    ['2026-11-05', 0, -0.1, 0.1],
    ['2026-11-06', 1, 1, 29],
  ]);
  const { performance, realised_steps } = figures(own);
  expect(performance).toMatchObject({
    net_pnl: 37.85,
    realised_pnl: 37.85,
    realised_drawdown: { amount: 0.25, trough_at: at(3, '08:00') },
  });
  expect(realised_steps?.map(({ exits, net_pnl }) => [exits, net_pnl])).toEqual([
    [0, -0.25],
    [1, 9],
    [0, 0.1],
    [1, 29],
  ]);
  const [{ id }] = own.rows('SELECT id FROM trades') as [{ id: string }];
  expect(detail(own, id)).toMatchObject({
    executions: [{ realised_pnl: null }, { realised_pnl: 9 }, { realised_pnl: 29 }],
    dated_costs: [
      { at: at(3, '08:00'), amount: 0.25 },
      { at: at(5, '08:00'), amount: -0.1 },
    ],
  });
  expect(own.findings()).toEqual([]);
});

test.each([
  ['before the first exit', 3, 4, [['2026-11-03', 0, 0.25, -0.25]]],
  ['of an exit', 4, 5, [['2026-11-04', 1, 1, 9]]],
  ['between exits', 5, 6, [['2026-11-05', 0, -0.1, 0.1]]],
  ['of the close', 6, undefined, [['2026-11-06', 1, 1, 29]]],
])('a period %s has what was realised in it', (_, from, to, expected) => {
  const own = home();
  own.take([...FILLS, ...PAID], A);
  expect(days(own, from, to)).toEqual(expected);
});

test('an open trade has all costs so far in its fees, and realised those of its exits and days', () => {
  const own = home();
  own.take([...FILLS.slice(0, 2), ...PAID], A);
  expect(trades(own)).toEqual([
    { status: 'open', gross_pnl: 10, fees: 1.65, net_pnl: 8.35 },
  ]);
  // 10 - 0.5 - 0.5 - 0.25 + 0.1.
  expect(own.rows('SELECT realised_pnl FROM trade_records')).toEqual([
    { realised_pnl: 8.85 },
  ]);
  expect(figures(own).open).toMatchObject({ trades: 1, realised_pnl: 8.85 });
  expect(days(own)).toEqual([
    ['2026-11-03', 0, 0.25, -0.25],
    ['2026-11-04', 1, 1, 9],
    ['2026-11-05', 0, -0.1, 0.1],
  ]);
});

test('a rebate of an open trade is realised with the units that it was paid for', () => {
  const own = home();
  own.take([traded(at(2), 'buy', 2, 100, -1)], A);
  expect(own.rows('SELECT realised_pnl FROM trade_records')).toEqual([
    { realised_pnl: 0 },
  ]);
});

test('funding received beyond all costs counts as gross, and adds up', () => {
  const own = home();
  own.take([...FILLS, funding(at(5, '08:00'), -5)], A);
  expect(trades(own)).toEqual([
    { status: 'closed', gross_pnl: 43, fees: 0, net_pnl: 43 },
  ]);
  expect(days(own)).toEqual([
    ['2026-11-04', 1, 1, 9],
    ['2026-11-05', 0, -5, 5],
    ['2026-11-06', 1, 1, 29],
  ]);
});

test('a cost after the close belongs to the trade, on its own day, in every period', () => {
  const own = home();
  own.take([...FILLS, funding(at(8, '08:00'), 0.5)], A);
  expect(trades(own)).toMatchObject([{ fees: 2.5, net_pnl: 37.5 }]);
  expect(days(own)).toEqual([
    ['2026-11-04', 1, 1, 9],
    ['2026-11-06', 1, 1, 29],
    ['2026-11-08', 0, 0.5, -0.5],
  ]);
  expect(days(own, 4, 7)).toEqual([
    ['2026-11-04', 1, 1, 9],
    ['2026-11-06', 1, 1, 29],
  ]);
  expect(days(own, 7, 9)).toEqual([['2026-11-08', 0, 0.5, -0.5]]);
  expect(figures(own, 7, 9).performance).toMatchObject({ trades: 0, realised_pnl: -0.5 });
});

test('a cost at the instant of a reversal belongs to what is held then', () => {
  const own = home();
  own.take(
    [
      traded(at(2), 'buy', 1, 100),
      funding(at(4), 0.5),
      traded(at(4), 'sell', 2, 110),
      traded(at(6), 'buy', 1, 100),
    ],
    A,
  );
  expect(trades(own)).toMatchObject([
    { fees: 0, net_pnl: 10 },
    { fees: 0.5, net_pnl: 9.5 },
  ]);
});

test('a cost without a trade waits for it, whatever comes first, and undo takes it back', () => {
  const own = home();
  const first = own.take([funding(at(3, '08:00'), 0.25)], A);
  expect(first.unmatched).toMatchObject([{ fill: { kind: 'cost' } }]);
  own.take(FILLS, A);
  expect(trades(own)).toMatchObject([{ fees: 2.25 }]);
  own.undo(1);
  expect(trades(own)).toMatchObject([{ fees: 2 }]);
  expect(days(own).length).toBe(2);
  own.take(PAID, A);
  own.take(PAID, A);
  expect(trades(own)).toMatchObject([{ fees: 2.15 }]);
  expect(own.rows('SELECT count(*) AS n FROM fills')).toEqual([{ n: 5 }]);
});

test('the limits of an account count a cost on its day', () => {
  const own = home();
  own.take([...FILLS.slice(0, 2), funding(at(3, '08:00'), 120)], A);
  const rules = { balance: 1000, max_loss: 500, trailing: 'static', daily_loss: 100 };
  const none = {
    currency: null,
    locks_at: null,
    target: null,
    best_day: null,
    min_days: null,
  };
  const more = { min_day_profit: null, day_ends: null, timezone: null, since: null };
  setLimits(own.target, 'A', { ...rules, ...none, ...more } as never, 'x');
  const [limits] = reading(own, (reader, user) =>
    limitsOf(reader, user, { account: undefined, since: null, now: own.now })(),
  );
  expect(limits).toMatchObject({
    balance: 889,
    certainty: 'exact',
    breached: { at: at(3, '08:00'), rule: 'daily_loss' },
  });
});

test('a cost of an open trade in another currency has the rate of its day', () => {
  const own = home('USD');
  own.take([...FILLS.slice(0, 1), ...PAID], A);
  const set = (rate: number, from?: string) =>
    setRates(own.target, new Map([['USDT', rate]]), from, 'x');
  set(0.5);
  set(2, '2026-11-04');
  expect(days(own)).toEqual([
    ['2026-11-03', 0, 0.125, -0.125],
    ['2026-11-05', 0, -0.2, 0.2],
  ]);
  // Closed, all of it has the rate of the day of its close.
  own.take(FILLS.slice(1), A);
  set(2, '2026-11-06');
  expect(days(own)).toEqual([
    ['2026-11-03', 0, 0.5, -0.5],
    ['2026-11-04', 1, 2, 18],
    ['2026-11-05', 0, -0.2, 0.2],
    ['2026-11-06', 1, 2, 58],
  ]);
  expect(costs(own)).toEqual(PAID_AT(null, null));
});

test('a cost of an open trade in what became the base currency has no rate any more', () => {
  const own = home('USD');
  own.take([...FILLS.slice(0, 1), ...PAID], A);
  setRates(
    { journal: own.journal, now: own.now },
    new Map([['USDT', 0.5]]),
    undefined,
    'x',
  );
  expect(costs(own)).toEqual(PAID_AT(0.5, 0.5));
  const db = openForWriting(own.journal);
  changeUser(db, 'me', { base_currency: 'USDT' }, { now: own.now, backUp: () => '' });
  db.close();
  expect(costs(own)).toEqual(PAID_AT(null, null));
});

test('an export restores the same trades, costs and figures', async () => {
  const own = home();
  own.take([...FILLS, ...PAID], A);
  const folder = own.path('out');
  await exportJournal({ journal: own.journal, folder, as: 'jsonl' });
  const copy = home();
  copy.import(folder);
  expect(copy.rows('SELECT dated_costs FROM trades')).toEqual(
    own.rows('SELECT dated_costs FROM trades'),
  );
  expect(days(copy)).toEqual(days(own));
});
