/** Keys with a lens and cash flows: what a key hides has no effect on its responses, byte for byte. */
import { expect, test } from 'vitest';
import type { Lens } from '../../src/keys/lens.ts';
import { type Row, World } from '../helpers.ts';
import { flow, realised, stating } from '../journal/analytics/cash-rows.ts';
import { PATHS } from './lens-worlds.ts';

const CASH = [
  ...['', '&account=main', '&start=2026-03-03', '&symbol=AAPL'].map(
    (more) =>
      `/v1/analytics/summary?sections=performance,previous,data_quality,simulation,limits,balance${more}`,
  ),
  '/v1/summary?period=2026-03',
  '/v1/cash-flows',
];

interface Contents {
  trades: Row[];
  flows: Row[];
  starts?: Row[];
  cash?: object[];
}

function worldOf({ trades, flows, starts = [], cash = [] }: Contents): World {
  const world = new World({ starting_balance: 10_000 });
  const at = '2026-11-01T00:00:00.000Z';
  const stamps = { created_at: at, updated_at: at };
  world.insert('trades', ...trades.map((row) => ({ ...row, ...stamps })));
  world.insert('cash_flows', ...flows.map((row) => ({ ...row, ...stamps })));
  stating(world, 1, cash);
  world.insert(
    'account_balances',
    ...starts.map((start) => ({ import_id: 1, ...start })),
  );
  return world;
}

/** All responses about money to a key with this lens. */
async function answers(world: World, lens: Partial<Lens>) {
  const whole = { accounts: null, since: null, hides: [], ...lens };
  const key = world.key(undefined, 'me', 'key_cash', whole);
  const found: unknown[] = [];
  for (const path of [...PATHS, ...CASH]) {
    const { text } = await world.ask(path, { key, lens: true });
    found.push([path, text.replace(/"request_id":"[^"]*"/, '')]);
  }
  return found;
}

const ofMain = {
  trades: [realised('a', '2026-03-02', 500), realised('b', '2026-03-04', -300)],
  flows: [flow('in', '2026-03-03', 'deposit', 4500)],
  starts: [{ account: 'main', starting_balance: 8000, currency: 'USD' }],
  cash: [
    {
      account: 'main',
      holder: 'main',
      currency: 'USD',
      amount: 12_700,
      at: '2026-03-05',
    },
  ],
};
const other = { account: 'ibkr' };
const ofOther = {
  trades: [realised('c', '2026-03-03', 70, other)],
  flows: [
    flow('far', '2026-03-01', 'deposit', 99, other),
    flow('rent', '2026-03-03', 'interest', 7, { ...other, currency: 'CHF' }),
  ],
  starts: [{ ...other, starting_balance: 5, currency: 'USD' }],
  cash: [{ ...other, holder: 'ibkr', currency: 'USD', amount: 1, at: '2026-03-02' }],
};
const both = {
  trades: [...ofMain.trades, ...ofOther.trades],
  flows: [...ofMain.flows, ...ofOther.flows],
  starts: [...ofMain.starts, ...ofOther.starts],
  cash: [...ofMain.cash, ...ofOther.cash],
};

test('accounts: cash, starts and ending cash of other accounts have no effect', async () => {
  const lens = { accounts: ['MAIN'] };
  const shown = await answers(worldOf(both), lens);
  expect(shown).toEqual(await answers(worldOf(ofMain), lens));

  const key = worldOf(both);
  const { body } = await key.ask('/v1/analytics/summary?sections=performance,balance', {
    key: key.key(undefined, 'me', 'key_main', {
      accounts: ['main'],
      since: null,
      hides: [],
    }),
    lens: true,
  });
  // 500 of 8,000, then 300 of 13,000.
  expect(body.data.performance.return).toMatchObject({
    time_weighted: 0.037981,
    rests_on: 'accounts',
  });
  expect(body.data.balance).toMatchObject([
    { account: 'main', end: 12_700, difference: 0 },
  ]);
});

test('accounts: the starting balance of the user is never that of an account shown alone', async () => {
  const { starts: _, cash: __, ...unknown } = ofMain;
  const world = worldOf(unknown);
  const lens = { accounts: ['main'], since: null, hides: [] };
  const { body } = await world.ask(
    '/v1/analytics/summary?sections=performance,balance,data_quality',
    { key: world.key(undefined, 'me', 'key_main', lens), lens: true },
  );
  const { performance, balance, data_quality } = body.data;
  expect(performance.return).toMatchObject({ time_weighted: null, rests_on: null });
  expect(performance.max_drawdown.percent).toBeNull();
  expect(balance).toMatchObject([{ start: null, end: null }]);
  expect(data_quality.cash).toMatchObject({ unknown_starts: ['main'] });
});

test('since: flows, starts and ending cash before have no effect, and balances are null', async () => {
  const lens = { since: '2026-03-04' };
  const late = [
    flow('late', '2026-03-05', 'deposit', 50),
    flow('fee', '2026-03-05', 'fee', -1),
  ];
  const world = worldOf({ ...both, flows: [...both.flows, ...late] });
  const shown = await answers(world, lens);
  const [, kept] = ofMain.trades;
  expect(shown).toEqual(await answers(worldOf({ trades: [kept!], flows: late }), lens));

  const { body } = await world.ask('/v1/analytics/summary?sections=performance,balance', {
    key: world.key(undefined, 'me', 'key_late', { accounts: null, hides: [], ...lens }),
    lens: true,
  });
  expect(body.data.balance).toBeNull();
  expect(body.data.performance.return).toEqual({
    time_weighted: null,
    annualised: null,
    rests_on: null,
    reason: 'the key shows a part of the journal only: since',
  });
});

test('money: responses are those of a journal without any cash', async () => {
  const lens = { hides: ['money'] as Lens['hides'] };
  const shown = await answers(worldOf(both), lens);
  expect(shown).toEqual(await answers(worldOf({ trades: both.trades, flows: [] }), lens));
});

test('symbols: an account that names a symbol has its pseudonym in balances, too', async () => {
  const named = { account: 'AAPL desk' };
  const world = worldOf({
    trades: [realised('a', '2026-03-02', 500, named)],
    flows: [flow('in', '2026-03-03', 'deposit', 4500, named)],
    cash: [
      { ...named, holder: 'AAPL desk', currency: 'USD', amount: 9, at: '2026-03-05' },
    ],
  });
  const lens = { accounts: null, since: null, hides: ['symbols'] as Lens['hides'] };
  const { text, body } = await world.ask(
    '/v1/analytics/summary?sections=balance,data_quality',
    {
      key: world.key(undefined, 'me', 'key_symbols', lens),
      lens: true,
    },
  );
  expect(text).not.toContain('AAPL');
  expect(body.data.balance).toMatchObject([
    {
      account: expect.stringMatching(/^label-/),
      start: 10_000,
      stated: 9,
      deposits: 4500,
    },
  ]);
});
