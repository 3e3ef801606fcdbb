/** Balances and returns of random accounts, compared with the reference: RUNS=100000 checks that many. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { stating } from './cash-rows.ts';
import { Figure } from './figure.ts';
import { filler, trade } from './fill.ts';
import type { Trade } from './reference.ts';
import { type Asked, balances, type CashWorld, returns } from './reference-balances.ts';

const RUNS = Number(process.env['RUNS'] ?? runs(1000, 100));

const FIRST = Date.parse('2024-11-01T00:00:00Z');
/** Exits at full hours, flows at half hours: the earliest rate is never a tie. */
const hour = (n: number, minutes = 0) =>
  new Date(FIRST + n * 3_600_000 + minutes * 60_000).toISOString();
const hours = fc.oneof(fc.nat(24 * 40), fc.nat(24 * 500));
const cents = (most: number) => fc.integer({ min: -most, max: most }).map((n) => n / 100);
const account = fc.constantFrom('main', 'Main', 'ira', null);
const currency = fc.constantFrom('USD', 'USD', 'EUR');

/** In the order of time: an entry, perhaps exits, perhaps an end. */
const anyTrade = fc
  .record({
    account,
    currency,
    fx_rate: fc.constantFrom(1.1, 1.2, null),
    symbol: fc.constantFrom('ABC', 'XYZ'),
    market: fc.constantFrom('stock', 'future', 'option'),
    side: fc.constantFrom('long', 'short'),
    entered: hours,
    held: fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 })),
    prices: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 3, maxLength: 3 }),
    form: fc.constantFrom('plain', 'open', 'reduced', 'closed'),
    net: cents(200_000),
  })
  .map(({ entered, held, prices, form, net, ...facts }): Partial<Trade> => {
    const times = [entered, entered + held[0], entered + held[0] + held[1]].map((n) =>
      hour(n),
    );
    const multiplier = facts.market === 'stock' ? 1 : 10;
    const sides =
      facts.side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    const [opening, first, second] = prices as [number, number, number];
    const base = {
      ...facts,
      multiplier,
      quantity: 10,
      entry_price: opening,
      executed_at: times[0]!,
      fx_rate: facts.currency === 'USD' ? null : facts.fx_rate,
    };
    if (form === 'plain')
      return { ...base, closed_at: times[1]!, gross_pnl: net, fees: 1 };

    const fills = [
      { executed_at: times[0]!, side: sides[0], quantity: 10, price: opening, fees: 1 },
      { executed_at: times[1]!, side: sides[1], quantity: 4, price: first, fees: 0.5 },
      { executed_at: times[2]!, side: sides[1], quantity: 6, price: second, fees: 0.25 },
    ];
    const executions = fills.slice(0, { open: 1, reduced: 2, closed: 3 }[form]);
    const sign = facts.side === 'long' ? multiplier : -multiplier;
    const gross = executions
      .slice(1)
      .reduce((sum, { quantity, price }) => sum + quantity * (price - opening) * sign, 0);
    const closed = form === 'closed';
    return {
      ...base,
      executions,
      status: closed ? 'closed' : 'open',
      closed_at: closed ? times[2]! : null,
      open_quantity: { open: 10, reduced: 6, closed: 0 }[form],
      gross_pnl: gross,
      fees: { open: 1, reduced: 1.5, closed: 1.75 }[form],
    };
  });

const kinds = [
  'deposit',
  'withdrawal',
  'dividend',
  'interest',
  'fee',
  'tax',
  'payout',
  'transfer',
  'other',
];

const anyFlow = (allowed: string[]) =>
  fc
    .record({
      account,
      at: hours,
      kind: fc.constantFrom(...allowed),
      amount: cents(500_000).filter((amount) => amount !== 0),
      currency,
      fx_rate: fc.constantFrom(1.05, 1.25, null),
    })
    .map(({ at, fx_rate, ...flow }) => ({
      ...flow,
      at: hour(at, 30),
      fx_rate: flow.currency === 'USD' ? 1 : fx_rate,
    }));

const world = fc
  .record({
    timezone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Tokyo'),
    starting_balance: fc.constantFrom(null, 10_000, 250.5),
    trades: fc.array(anyTrade, { maxLength: 7 }),
    flows: fc.oneof(
      fc.array(anyFlow(kinds), { maxLength: 7 }),
      fc.array(anyFlow(['dividend', 'interest', 'fee', 'tax']), { maxLength: 5 }),
    ),
    /** Often all records are in one account. */
    only: fc.constantFrom(undefined, undefined, 'main', null),
    starts: fc.array(
      fc.record({
        account: fc.constantFrom('main', 'IRA'),
        starting_balance: fc.constantFrom(5000, 1234.56, 0),
        currency,
      }),
      { maxLength: 3 },
    ),
    statements: fc.array(
      fc.record({
        account,
        currency,
        amount: cents(2_000_000),
        at: fc.nat(500).map((n) => hour(24 * n).slice(0, 10)),
      }),
      { maxLength: 4 },
    ),
  })
  .map(
    ({
      timezone,
      starting_balance,
      trades,
      flows,
      only,
      starts,
      statements,
    }): CashWorld => {
      const placed = <T extends { account?: string | null }>(own: T) =>
        only === undefined ? own : { ...own, account: only };
      return {
        person: {
          timezone,
          base_currency: 'USD',
          starting_balance,
          breakeven_tolerance: 0,
        },
        trades: trades.map((own, i) => trade(`t${i}`, placed(own))),
        flows: flows.map((own, i) => ({ id: `f${i}`, ...placed(own) })),
        starts,
        statements: statements.map(placed),
      };
    },
  );

type Daily = Partial<Record<'percent' | 'peak' | 'trough', unknown>> & object;

const day = fc.nat(520).map((n) => hour(24 * n).slice(0, 10));
const asked: fc.Arbitrary<Asked> = fc
  .record({
    account: fc.constantFrom(undefined, undefined, 'MAIN', 'ira'),
    symbol: fc.constantFrom(undefined, undefined, undefined, 'ABC'),
    days: fc.tuple(
      fc.option(day, { nil: undefined }),
      fc.option(day, { nil: undefined }),
    ),
  })
  .map(({ account: of, symbol, days: [a, b] }) => {
    const isTurned = a !== undefined && b !== undefined && a > b;
    return { account: of, symbol, start: isTurned ? b : a, end: isTurned ? a : b };
  });

test('balances and returns equal those of the reference', async () => {
  const own = new World();
  const fill = filler(own);
  const key = own.key();
  const clear = ['cash_flows', 'account_balances', 'imports'].map((table) =>
    own.db.prepare(`DELETE FROM ${table}`),
  );

  await fc.assert(
    fc.asyncProperty(world, asked, async (given, ask) => {
      for (const statement of clear) statement.run();
      const rest = {
        entries: [],
        missed: [],
        groups: [],
        groupEntries: [],
        sessions: [],
      };
      fill({ person: given.person, trades: given.trades, ...rest });
      own.insert('cash_flows', ...given.flows.map((flow) => ({ ...flow })));
      for (const [i, cash] of given.statements.entries())
        stating(own, i + 1, [{ ...cash, holder: cash.account, until: null }]);
      for (const [i, start] of given.starts.entries()) {
        stating(own, i + 50, []);
        own.insert('account_balances', { import_id: i + 50, ...start });
      }

      const query = new URLSearchParams({ sections: 'performance,balance' });
      for (const [name, value] of Object.entries(ask))
        if (value !== undefined) query.set(name, value);
      const { body } = await own.ask(`/v1/analytics/summary?${query}`, { key });
      const { performance, balance } = body.data;
      const { percent, peak, trough, ...daily } = returns(given, ask) as Daily;
      // Without a fall in money, none is shown.
      const isFalling = 'daily_basis' in daily && performance.max_drawdown !== null;
      const expectedDaily = { ...daily, ...(isFalling && { percent, peak, trough }) };
      const shown = {
        return: performance.return,
        ...('daily_basis' in daily && {
          daily_basis: performance.daily_basis,
          ...('daily_sample' in daily && { daily_sample: performance.daily_sample }),
          sharpe: performance.sharpe,
          sortino: performance.sortino,
        }),
        ...(isFalling && fallIn(performance.max_drawdown)),
      };
      expect(shown).toEqual(Figure.settle(expectedDaily, shown));

      const names = (rows: any[]) =>
        rows.map((row) => [row.account?.toLowerCase(), row.currency]);
      const expected = balances(given, ask);
      expect(names(balance).sort()).toEqual(names(expected).sort());
      for (const row of balance) {
        const of = expected.find(
          (one) =>
            one.account?.toLowerCase() === row.account?.toLowerCase() &&
            one.currency === row.currency,
        );
        expect(row).toEqual({
          ...(Figure.settle(of, row) as object),
          account: row.account,
        });
      }
    }),
    { numRuns: RUNS },
  );
}, 240_000);

const fallIn = (drawdown: any) => ({
  percent: drawdown.percent,
  peak: drawdown.percent_peak_at,
  trough: drawdown.percent_trough_at,
});
