/** Balances of accounts, and returns on them: the example of docs/analytics.md, and what is null. */
import { expect, test } from 'vitest';
import type { Lens } from '../../../src/keys/lens.ts';
import { setRules } from '../../account-limits.ts';
import { addUnmatched, type Row, World } from '../../helpers.ts';
import { EXAMPLE, flow, realised, stating } from './cash-rows.ts';

function example(): World {
  const world = new World({ starting_balance: 10_000 });
  world.insert('trades', ...EXAMPLE.trades);
  world.insert('cash_flows', ...EXAMPLE.flows);
  return world;
}

async function asked(world: World, query = '', key = world.key()) {
  const { status, body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key,
    lens: true,
  });
  expect(status).toBe(200);
  return body.data;
}

test('the example of the documents: two flows and three trades', async () => {
  const world = example();
  const { performance, balance } = await asked(world, 'sections=performance,balance');
  expect(performance.return).toEqual({
    time_weighted: 0.07016,
    annualised: null,
    rests_on: 'accounts',
    reason: null,
  });
  expect(performance).toMatchObject({
    net_pnl: 788,
    daily_basis: 'returns',
    daily_sample: 4,
    sharpe: 8.408011,
    sortino: 27.780389,
    max_drawdown: {
      amount: 300,
      percent: 0.02,
      percent_peak_at: '2026-03-02',
      percent_trough_at: '2026-03-03',
    },
    realised_drawdown: { amount: 300, percent: 0.02, current: null },
    current_drawdown: null,
  });
  expect(balance).toEqual([
    {
      account: 'main',
      currency: 'USD',
      start: 10_000,
      start_basis: 'starting_balance',
      deposits: 4500,
      withdrawals: -5288,
      transfers: 0,
      payouts: 0,
      income: 0,
      costs: 0,
      other: 0,
      realised: 788,
      end: 10_000,
      open_cost: 0,
      stated: null,
      stated_at: null,
      here: null,
      difference: null,
      daily_settlement: false,
    },
  ]);
});

const none = (rests_on: string | null, reason: unknown) => ({
  time_weighted: null,
  annualised: null,
  rests_on,
  reason,
});

/** 1,000 at the start, of no or another account. */
function withoutFlows(...trades: Row[]): World {
  const world = new World({ starting_balance: 1000 });
  world.insert('trades', ...trades);
  return world;
}

const returnOf = async (world: World, query = '', key = world.key()) =>
  (await asked(world, `sections=performance&${query}`, key)).performance.return;
const OF_ACCOUNTS = expect.stringContaining('--starting-balance 25000');

test('without flows: the returns of days on the starting balance, and nothing else differs', async () => {
  const world = new World({ starting_balance: 10_000 });
  world.insert('trades', ...EXAMPLE.trades);
  const { performance } = await asked(world, 'sections=performance');
  // 1.05 x (1 - 300 / 10,500) x (1 + 588 / 10,200): what was made, over the start.
  const full = {
    time_weighted: 0.0788,
    annualised: null,
    rests_on: 'journal',
    reason: null,
  };
  expect(performance.return).toEqual(full);
  expect(performance.max_drawdown).toEqual({
    amount: 300,
    percent: 0.028571,
    peak_at: '2026-03-02T11:00:00.000Z',
    trough_at: '2026-03-03T11:00:00.000Z',
    recovered_at: '2026-03-05T11:00:00.000Z',
  });

  // -300 / 10,500, then 588 / 10,200: on what was there before the period.
  const later = await returnOf(world, 'start=2026-03-03');
  expect(later.time_weighted).toBeCloseTo(288 / 10_500, 6);
  expect(await returnOf(world, 'account=MAIN')).toEqual(full);
  expect(await returnOf(world, 'end=2026-03-01')).toEqual(
    none('journal', 'no balance in the period'),
  );
});

test('without flows: no return of a part of the journal, nor of an empty one', async () => {
  const ofOther = { account: 'ibkr', symbol: 'B' };
  const world = withoutFlows(
    realised('a', '2026-03-02', 100),
    realised('b', '2026-03-03', 110, ofOther),
  );
  expect(await returnOf(world)).toMatchObject({ time_weighted: 0.21 });
  const ofTrades = none('journal', 'filters choose trades: only account applies');
  expect(await returnOf(world, 'symbol=B')).toEqual(ofTrades);
  expect(await returnOf(world, 'where={"side":"long"}')).toEqual(ofTrades);
  expect(await returnOf(world, 'account=ibkr')).toEqual(none('journal', OF_ACCOUNTS));
  const keyWith = (lens: Partial<Lens>) =>
    world.key(undefined, 'me', undefined, {
      accounts: null,
      since: null,
      hides: [],
      ...lens,
    });
  expect(await returnOf(world, '', keyWith({ accounts: ['main'] }))).toEqual(
    none('journal', OF_ACCOUNTS),
  );
  expect(await returnOf(world, '', keyWith({ since: '2026-03-01' }))).toEqual(
    none('journal', 'the key shows a part of the journal only: since'),
  );
  expect(await returnOf(world, '', keyWith({ hides: ['money'] }))).toEqual(
    none('journal', 'the key hides money'),
  );

  expect(await returnOf(withoutFlows())).toEqual(
    none('journal', 'nothing in the journal'),
  );
  const nothing = new World();
  nothing.insert('trades', realised('a', '2026-03-02', 100));
  expect(await returnOf(nothing)).toEqual(none(null, 'no starting balance'));
});

test('without flows: a base of nothing, a year, and an account that set its start', async () => {
  const broken = withoutFlows(
    realised('a', '2026-03-02', -1000),
    realised('b', '2026-03-03', 5),
  );
  expect(await returnOf(broken)).toEqual(
    none('journal', 'a result on a balance of 0 or less on 2026-03-03'),
  );

  const long = withoutFlows(
    realised('a', '2024-01-01', 100),
    realised('b', '2025-12-31', 110),
  );
  expect(await returnOf(long)).toMatchObject({
    time_weighted: 0.21,
    annualised: Number((1.21 ** (365 / 731) - 1).toFixed(6)),
  });
  expect((await returnOf(long, 'start=2025-01-01&end=2025-12-31')).annualised).toBeNull();

  stating(long, 1, []);
  const set = { account: 'main', starting_balance: 2000, currency: 'USD' };
  long.insert('account_balances', { import_id: 1, ...set });
  expect(await returnOf(long, 'account=main')).toMatchObject({
    time_weighted: 0.105,
    rests_on: 'accounts',
  });
  expect(await returnOf(long, 'account=main&symbol=B')).toMatchObject({
    time_weighted: null,
  });
});

test('what happens at the very start of a period is of the period, not before it', async () => {
  const world = new World();
  stating(world, 1, []);
  const set = { account: 'main', starting_balance: 10_000, currency: 'USD' };
  world.insert('account_balances', { import_id: 1, ...set });
  const at = '2026-03-03T00:00:00.000Z';
  world.insert('trades', realised('a', '2026-03-02', 1000, { closed_at: at }));
  const period = 'start=2026-03-03&end=2026-03-03';
  expect(await returnOf(world, period)).toMatchObject({ time_weighted: 0.1 });

  world.insert('cash_flows', flow('in', '2026-03-03', 'deposit', 10_000, { at }));
  expect(await returnOf(world, period)).toMatchObject({ time_weighted: 0.05 });
});

test('an account without any record beside one with flows', async () => {
  const world = example();
  expect(await returnOf(world, 'account=none')).toEqual(
    none('accounts', 'nothing in the journal'),
  );
});

test('a filter of trades keeps the balance, and has no return', async () => {
  const world = example();
  const { performance } = await asked(world, 'sections=performance&symbol=AAPL');
  expect(performance.return).toEqual(
    none('accounts', 'filters choose trades: only account applies'),
  );
  // 5 %, -2 %, 0, 4 %, as without the filter: all trades have this symbol.
  expect(performance).toMatchObject({
    sharpe: 8.408011,
    max_drawdown: { percent: 0.02 },
  });
});

test('a start in a currency without a rate: null, with the currency', async () => {
  const world = example();
  stating(world, 1, []);
  const set = {
    import_id: 1,
    account: 'main',
    starting_balance: 20_000,
    currency: 'EUR',
  };
  world.insert('account_balances', set);
  const { performance, data_quality } = await asked(
    world,
    'sections=performance,data_quality',
  );
  expect(performance.return).toEqual(
    none(null, expect.stringContaining('no exchange rate')),
  );
  expect(data_quality.cash).toEqual({
    unknown_starts: [],
    flows_without_rate: 0,
    currencies: ['EUR'],
  });
});

test('an account without a known start: null, with its name', async () => {
  const world = example();
  world.insert('trades', realised('d', '2026-03-06', 10, { account: 'ibkr' }));
  const { performance, data_quality } = await asked(
    world,
    'sections=performance,data_quality',
  );
  expect(performance.return).toEqual(
    none(null, expect.stringContaining('data_quality.cash')),
  );
  expect(performance).toMatchObject({
    daily_basis: 'money',
    max_drawdown: { amount: 300, percent: null },
  });
  expect(data_quality.cash.unknown_starts).toEqual(['ibkr', 'main']);

  stating(world, 1, []);
  world.insert('account_balances', {
    import_id: 1,
    account: 'main',
    starting_balance: 10_000,
    currency: 'USD',
  });
  const main = await asked(world, 'sections=performance&account=MAIN');
  expect(main.performance.return).toMatchObject({
    time_weighted: 0.07016,
    rests_on: 'accounts',
  });
  const all = await asked(world, 'sections=performance');
  expect(all.performance.return.time_weighted).toBeNull();
});

test('dividends and fees alone: the starting balance stays what figures rest on', async () => {
  const world = new World({ starting_balance: 1000 });
  world.insert(
    'trades',
    realised('a', '2026-03-02', 100),
    realised('b', '2026-03-03', 100, { account: 'ibkr' }),
  );
  world.insert('cash_flows', flow('div', '2026-03-04', 'dividend', 60));
  const { performance } = await asked(world, 'sections=performance');
  // 10 %, 1/11 and 5 %.
  expect(performance.return).toMatchObject({ time_weighted: 0.26, rests_on: 'journal' });
});

test('a result on nothing: null, with its day', async () => {
  const world = new World({ starting_balance: 100 });
  world.insert(
    'trades',
    realised('a', '2026-03-02', -100),
    realised('b', '2026-03-03', -5),
    realised('c', '2026-03-04', 5),
  );
  world.insert('cash_flows', flow('in', '2026-03-05', 'deposit', 100));
  const { performance } = await asked(world, 'sections=performance');
  expect(performance.return.reason).toBe(
    'a result on a balance of 0 or less on 2026-03-03',
  );
  expect(performance).toMatchObject({
    sharpe: null,
    sortino: null,
    max_drawdown: { amount: 105, percent: null },
  });
});

test('more than a year is annualised, by the days of the balance', async () => {
  const world = new World({ starting_balance: 1000 });
  world.insert(
    'trades',
    realised('a', '2024-01-01', 100),
    realised('b', '2025-12-31', 110),
  );
  world.insert('cash_flows', flow('fee', '2025-01-01', 'fee', -0.01));
  const { performance } = await asked(world, 'sections=performance');
  // 731 days.
  const total = (1100 / 1000) * (1 - 0.01 / 1100) * (1 + 110 / 1099.99);
  expect(performance.return.time_weighted).toBeCloseTo(total - 1, 6);
  expect(performance.return.annualised).toBeCloseTo(total ** (365 / 731) - 1, 6);
  const year = await asked(world, 'sections=performance&start=2025-01-01&end=2025-12-31');
  expect(year.performance.return.annualised).toBeNull();
});

test('open positions at cost, next to what a file states', async () => {
  const world = new World({ starting_balance: 10_000 });
  const open = (id: string, more: object) => ({
    ...realised(id, '2026-03-02', 0),
    status: 'open',
    closed_at: null,
    exit_price: null,
    open_quantity: 10,
    quantity: 10,
    entry_price: 20,
    fees: 1,
    ...more,
  });
  world.insert(
    'trades',
    open('long', {}),
    open('short', { side: 'short', entry_price: 5, symbol: 'B' }),
    open('future', { market: 'future', multiplier: 50, symbol: 'ES' }),
  );
  stating(world, 1, [
    { account: 'main', holder: 'main', currency: 'USD', amount: 9850, at: '2026-03-02' },
  ]);
  const { balance } = await asked(world, 'sections=balance');
  // 10,000 less 201, plus 49, less 1.
  expect(balance).toMatchObject([
    {
      end: 10_000,
      open_cost: 153,
      stated: 9850,
      stated_at: '2026-03-03T00:00:00.000Z',
      here: 9847,
      difference: -3,
      daily_settlement: true,
    },
  ]);

  const csv = await world.app.request('/v1/analytics/summary?sections=balance', {
    headers: { Authorization: `Bearer ${world.key()}`, Accept: 'text/csv' },
  });
  expect(await csv.text()).toContain('main,USD,10000');
});

test('the latest starting balance of an account counts, in any spelling', async () => {
  const world = new World();
  world.insert('trades', realised('a', '2026-03-02', 500, { account: 'IBKR main' }));
  for (const [id, account, starting_balance] of [
    [1, 'ibkr main', 10_000],
    [2, 'IBKR MAIN', 20_000],
  ] as const) {
    stating(world, id, []);
    const set = { account, starting_balance, currency: 'USD' };
    world.insert('account_balances', { import_id: id, ...set });
  }
  const { balance } = await asked(world, 'sections=balance');
  expect(balance).toMatchObject([{ account: 'IBKR main', start: 20_000, end: 20_500 }]);
});

test('an open trade without fills costs what is left of it', async () => {
  const world = new World({ starting_balance: 10_000 });
  const open = realised('open', '2026-03-02', 0, {
    status: 'open',
    closed_at: null,
    exit_price: null,
    quantity: 10,
    open_quantity: 4,
    entry_price: 20,
    fees: 0,
  });
  world.insert('trades', open);
  stating(world, 1, [
    { account: 'main', holder: 'main', currency: 'USD', amount: 9920, at: '2026-03-02' },
  ]);
  const { balance } = await asked(world, 'sections=balance');
  expect(balance).toMatchObject([{ open_cost: 80, difference: 0 }]);
});

test('a fill on the day after, at its very start, costs nothing yet', async () => {
  const world = new World({ starting_balance: 10_000 });
  const open = realised('open', '2026-03-02', 0, {
    executed_at: '2026-03-02T00:00:00.000Z',
    status: 'open',
    closed_at: null,
    exit_price: null,
    quantity: 2,
    open_quantity: 2,
    entry_price: 20,
    fees: 0,
  });
  world.insert('trades', open, realised('closed', '2026-03-02', 5));
  for (const [position, day] of ['02', '03'].entries())
    world.insert('executions', {
      trade_id: 'open',
      position,
      executed_at: `2026-03-${day}T00:00:00.000Z`,
      side: 'buy',
      quantity: 1,
      price: 20,
      fees: 0,
    });
  stating(world, 1, [
    { account: 'main', holder: 'main', currency: 'USD', amount: 9985, at: '2026-03-02' },
  ]);
  const { balance } = await asked(world, 'sections=balance&end=2026-03-02');
  expect(balance).toMatchObject([{ open_cost: 20, here: 9985, difference: 0 }]);
});

test('limits: flows move balance and room, and nothing else', async () => {
  const limits = { balance: 50_000, max_loss: 2000, target: 3000, since: '2026-03-02' };
  const world = new World();
  setRules(world, 'main', limits);
  world.insert(
    'trades',
    realised('a', '2026-03-02', 500),
    realised('b', '2026-03-04', 100),
  );
  const section = 'sections=limits';
  const [before] = (await asked(world, section)).limits;
  world.insert(
    'cash_flows',
    flow('early', '2026-03-01', 'deposit', 7),
    flow('out', '2026-03-03', 'withdrawal', -300),
    flow('euro', '2026-03-03', 'withdrawal', -1, { currency: 'EUR' }),
  );
  const [moved] = (await asked(world, section)).limits;
  expect(moved).toEqual({ ...before, balance: 50_300, room: before.room - 300 });
  expect(moved.basis).toContain('payouts are not known');

  world.insert('cash_flows', flow('paid', '2026-03-05', 'payout', -2500));
  const [paid] = (await asked(world, section)).limits;
  expect(paid).toMatchObject({ balance: 47_800, breached: null, target: before.target });
  expect(paid.basis).not.toContain('payouts');
});

test.each<[string, (world: World) => void]>([
  [
    'the entry of an open position',
    (world) => {
      const open = { status: 'open', closed_at: null, exit_price: null };
      world.insert('trades', realised('a', '2026-03-02', 0, open));
    },
  ],
  [
    'a close without an opening',
    (world) => {
      addUnmatched(world, 'ONDS', 0, '2026-03-02T15:00:00.000Z');
      world.db.exec("UPDATE unmatched_closes SET account = 'main'");
    },
  ],
])('limits without a first day: flows count from %s on', async (_, begin) => {
  const world = new World();
  setRules(world, 'main', { balance: 50_000, max_loss: 2000 });
  begin(world);
  world.insert(
    'cash_flows',
    flow('early', '2026-03-01', 'deposit', 7),
    flow('in', '2026-03-03', 'deposit', 300),
  );
  const [limits] = (await asked(world, 'sections=limits')).limits;
  expect(limits).toMatchObject({ balance: 50_300, room: 2300 });
});
