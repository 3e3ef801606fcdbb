/** Limits of accounts: compared with the reference, and computed by hand. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccountRules,
  TradingDays,
} from '../../../src/journal/analytics/account-rules.ts';
import type { User } from '../../../src/journal/journal.ts';
import type { Lens } from '../../../src/keys/lens.ts';
import { setRules } from '../../account-limits.ts';
import { isExhaustive, runs } from '../../effort.ts';
import { type Row, tradeRow, World } from '../../helpers.ts';
import { type Closed, limits } from './reference-limits.ts';

const DAY = 86_400_000;

const PATH = '/v1/analytics/summary?sections=limits';

type Given = Partial<Closed> & {
  id?: string;
  account?: string | null;
  currency?: string;
  status?: string;
};

function add(world: World, trades: readonly Given[]): void {
  for (const [i, { first, ...trade }] of trades.entries()) {
    const { closed_at = '2026-11-10T15:00:00.000Z' } = trade;
    const executed_at = trade.executed_at ?? closed_at;
    const row = tradeRow(trade.id ?? `t${i}`, {
      account: 'main',
      ...trade,
      executed_at,
      closed_at,
    });
    world.insert('trades', row);
    if (first !== null && closed_at !== null) addFills(world, row, first);
  }
}

/** Fills of a trade, one unit an exit: what opens it costs nothing, so that an exit's price is its result. */
function addFills(world: World, row: Row, first: Closed['first']): void {
  const [opens, closes] = row['side'] === 'long' ? ['buy', 'sell'] : ['sell', 'buy'];
  const sign = row['side'] === 'long' ? 1 : -1;
  const early = first?.gross ?? 0;
  const exits = [
    ...(first ? [{ executed_at: first.at, gross: early, fees: 0 }] : []),
    {
      executed_at: row['closed_at'] as string,
      gross: (row['gross_pnl'] as number) - early,
      fees: (row['fees'] ?? 0) as number,
    },
  ];
  const fills = [
    {
      executed_at: row['executed_at'] as string,
      side: opens!,
      quantity: exits.length,
      price: 0,
      fees: 0,
    },
    ...exits.map(({ executed_at, gross, fees }) => ({
      executed_at,
      side: closes!,
      quantity: 1,
      price: gross * sign,
      fees,
    })),
  ];
  for (const [position, fill] of fills.entries())
    world.insert('executions', { trade_id: row['id'] as string, position, ...fill });
}

async function limitsOf(
  rules: Partial<AccountRules>,
  trades: readonly Given[],
  user = {},
) {
  const world = new World(user);
  setRules(world, 'main', rules);
  add(world, trades);
  const { body } = await world.ask(PATH, { key: world.key() });
  return body.data.limits[0];
}

// Six kinds of accounts, with ties in time, trades over days' ends, several at once, and closes at the very end of a day.

const at = (ms: number) => new Date(ms).toISOString();
const amount = (most: number) =>
  fc.integer({ min: -most * 4, max: most * 4 }).map((n) => n / 4);

/** Days around changes of clocks, and the minutes around 17:00 in Chicago and midnight in New York and Berlin. */
const moment = fc
  .record({
    day: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 70 })),
    start: fc.constantFrom('2026-03-03T00:00:00.000Z', '2026-10-20T00:00:00.000Z'),
    hour: fc.constantFrom(4, 5, 14, 15, 22, 23),
    ms: fc.oneof(
      fc.constantFrom(-1, 0, 1, 60_000, 900_000),
      fc.integer({ min: 0, max: 3_600_000 }),
    ),
  })
  .map(
    ({ day, start, hour, ms }) => Date.parse(start) + day * DAY + hour * 3_600_000 + ms,
  );

const heldFor = (most: number) =>
  fc.oneof(fc.constantFrom(0, 1, 60_000), fc.integer({ min: 0, max: most }));

function trade(most: number, held: number, less: number) {
  return fc
    .record({
      closed: moment,
      held: heldFor(held),
      gross: amount(most).map((one) => one - less),
      fees: fc.constantFrom(0, 0, 2.5),
      mae: fc.option(amount(most).map(Math.abs), { freq: 8 }),
      mfe: fc.option(amount(most).map(Math.abs), { freq: 20 }),
      early: amount(most),
      part: fc.integer({ min: 0, max: 4 }),
      fills: fc.constantFrom('one', 'one', 'two', 'two', 'two', 'none'),
    })
    .map(
      ({ closed, held: ms, gross, fees, mae, mfe, early, part, fills }): Closed => ({
        ...{
          executed_at: at(closed - ms),
          closed_at: at(closed),
          gross_pnl: gross,
          fees,
        },
        ...{ mae: mae && -mae, mfe: mfe === null ? null : Math.max(mfe, gross, 0) },
        ...(fills === 'none' && { first: null }),
        ...(fills === 'two' && {
          first: { at: at(closed - Math.floor((ms * part) / 4)), gross: early },
        }),
      }),
    );
}

const KINDS = {
  small: fc.array(trade(200, 3_600_000, 0), { maxLength: 60 }),
  winner: fc.array(trade(400, 3_600_000, -150), { maxLength: 60 }),
  loser: fc.array(trade(400, 3_600_000, 120), { maxLength: 40 }),
  swing: fc.array(trade(900, 9 * DAY, -50), { maxLength: 25 }),
  'at once': fc
    .tuple(moment, fc.array(trade(500, 2 * DAY, 0), { minLength: 1, maxLength: 12 }))
    .map(([end, trades]) =>
      trades.map(({ first, ...own }, i) =>
        i % 2 === 0
          ? { ...own, executed_at: at(end - i * 60_000), closed_at: at(end) }
          : { ...own, ...(first !== undefined && { first }) },
      ),
    ),
  'first or last': fc
    .tuple(
      fc.array(trade(200, DAY, -60), { maxLength: 30 }),
      fc.constantFrom('2026-03-01', '2027-01-20'),
    )
    .map(([trades, day]) => [
      ...trades,
      {
        ...{
          executed_at: `${day}T15:00:00.000Z`,
          closed_at: `${day}T15:05:00.000Z`,
          gross_pnl: -2000,
          fees: 0,
        },
        ...{ mae: -2100, mfe: 0 },
      },
    ]),
};

const rules = fc.record({
  balance: fc.constantFrom(50_000, 100_000.5, 0),
  max_loss: fc.constantFrom(2000, 500, 2500.25),
  trailing: fc.constantFrom('static', 'eod', 'intraday'),
  locks_at: fc.constantFrom(null, null, 50_100, 49_000),
  daily_loss: fc.constantFrom(null, 500, 1000),
  target: fc.constantFrom(null, 1000, 3000),
  best_day: fc.constantFrom(null, null, 0.5, 0.3),
  min_days: fc.constantFrom(null, 3, 5),
  min_day_profit: fc.constantFrom(null, 150),
  day_ends: fc.constantFrom(null, '17:00', '17:00', '00:00', '05:30'),
  timezone: fc.constantFrom(null, 'America/Chicago', 'Europe/Berlin'),
  since: fc.constantFrom(null, null, '2026-03-08', '2026-11-01'),
  currency: fc.constantFrom(null, 'USD'),
}) as fc.Arbitrary<AccountRules>;

describe('six kinds of accounts', () => {
  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
    '%s: the figures equal those of the reference',
    async (kind) => {
      const timezone = 'America/New_York';
      const world = new World({ timezone });
      const outcomes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(rules, KINDS[kind], moment, async (own, trades, now) => {
          world.now = now;
          for (const table of ['executions', 'trades', 'account_limits'])
            world.db.exec(`DELETE FROM ${table}`);
          setRules(world, 'main', own);
          add(world, trades);
          const { body } = await world.ask(PATH, { key: world.key() });
          const [{ account, basis, currency, reason, outlook, not_exact, ...figures }] =
            body.data.limits;
          const expected = limits(own, trades, timezone, at(now));
          expect({ account, currency, reason }).toEqual({
            account: 'main',
            currency: 'USD',
            reason: null,
          });
          expect(basis).toContain('firms count open positions');
          expect(outlook).toBeNull();
          expect(not_exact).toMatchObject({ trades: expected.unknown, unmatched: 0 });
          expect(not_exact.ids).toHaveLength(Math.min(10, expected.unknown));
          expect(figures).toEqual(expected.figures);
          for (const name of ['breached', 'may_have_breached', 'passed_at'])
            if (figures[name]) outcomes.add(name);
        }),
        { numRuns: runs(250, 25) },
      );
      if (isExhaustive) expect(outcomes.size).toBeGreaterThan(0);
    },
    600_000,
  );
});

describe('by hand', () => {
  test('exits count on their own days, though the trade closes a day later in profit', async () => {
    const trade = {
      executed_at: '2026-11-09T15:00:00.000Z',
      closed_at: '2026-11-10T15:00:00.000Z',
      gross_pnl: 500,
      fees: 0,
      first: { at: '2026-11-09T18:00:00.000Z', gross: -1200 },
    };
    expect(await limitsOf({ daily_loss: 1000 }, [trade])).toMatchObject({
      balance: 50_500,
      breached: { at: '2026-11-09T18:00:00.000Z', rule: 'daily_loss' },
      best_day: { date: '2026-11-10', net_pnl: 1700 },
      days: { counted: 2 },
      certainty: 'exact',
      not_exact: { trades: 0, ids: [] },
    });
    // Without its fills, all counts at its close, and the days are uncertain.
    expect(
      await limitsOf({ daily_loss: 1000 }, [{ ...trade, first: null }]),
    ).toMatchObject({
      balance: 50_500,
      breached: null,
      certainty: 'bounds',
      not_exact: { trades: 1, ids: ['t0'], unmatched: 0 },
    });
  });

  test('exits of an open trade count, and not those before the first day', async () => {
    const world = new World();
    setRules(world, 'main', { since: '2026-11-10', daily_loss: 300 });
    world.insert('trades', {
      ...tradeRow('open', { account: 'main', gross_pnl: -500, fees: 8 }),
      ...{
        status: 'open',
        closed_at: null,
        quantity: 4,
        open_quantity: 1,
        exit_price: 50,
      },
      executed_at: '2026-11-09T15:00:00.000Z',
    });
    const fills = [
      {
        executed_at: '2026-11-09T15:00:00.000Z',
        side: 'buy',
        quantity: 4,
        price: 100,
        fees: 8,
      },
      { executed_at: '2026-11-09T16:00:00.000Z', side: 'sell', quantity: 1, price: 0 },
      { executed_at: '2026-11-10T16:00:00.000Z', side: 'sell', quantity: 1, price: -100 },
      { executed_at: '2026-11-11T16:00:00.000Z', side: 'sell', quantity: 1, price: -100 },
    ];
    for (const [position, fill] of fills.entries())
      world.insert('executions', { trade_id: 'open', position, ...fill });
    const { body } = await world.ask(PATH, { key: world.key() });
    // 50,000 - 202 - 202: of the entry's costs, two units bear 2 each.
    expect(body.data.limits[0]).toMatchObject({
      balance: 49_596,
      breached: null,
      days: { counted: 2 },
      certainty: 'exact',
    });
  });

  /** Trades of one day each at noon, with the results given. */
  const eachDay = (...nets: number[]): Given[] =>
    nets.map((gross_pnl, i) => ({
      gross_pnl,
      closed_at: `2026-11-${String(2 + i).padStart(2, '0')}T12:00:00.000Z`,
    }));

  test('an account with every rule, as docs/limits.md computes it', async () => {
    const rules = {
      ...{
        trailing: 'eod' as const,
        locks_at: 50_100,
        daily_loss: 1000,
        target: 3000,
        best_day: 0.5,
      },
      ...{
        min_days: 3,
        min_day_profit: 150,
        day_ends: '17:00',
        timezone: 'America/Chicago',
      },
    };
    const trades = [
      { closed_at: '2026-11-17T15:00:00.000Z', gross_pnl: 900, fees: 0 },
      { closed_at: '2026-11-18T15:00:00.000Z', gross_pnl: 1500, fees: 0 },
      { closed_at: '2026-11-18T23:00:00.000Z', gross_pnl: -400, fees: 0 },
      { closed_at: '2026-11-20T14:00:00.000Z', gross_pnl: 200, fees: 0 },
    ].map((trade) => ({ ...trade, mae: null, mfe: null }));
    expect(await limitsOf(rules, trades)).toMatchObject({
      ...{
        balance: 52_200,
        floor: 50_100,
        room: 2100,
        breached: null,
        passed_at: null,
        certainty: 'exact',
      },
      day: { ends_at: '2026-11-20T23:00:00.000Z', net_pnl: 200, limit: 1000, room: 1200 },
      target: { amount: 3000, left: 800 },
      best_day: { date: '2026-11-18', net_pnl: 1500, share: 0.681818, limit: 0.5 },
      days: { counted: 3, needed: 3 },
      ...{ may_have_breached: null, without_excursion: 4 },
    });
  });

  test('an intraday floor follows each close, and its bound the best moment of all open trades', async () => {
    const trades = [
      {
        closed_at: '2026-11-17T15:00:00.000Z',
        executed_at: '2026-11-17T14:00:00.000Z',
        gross_pnl: 500,
        mae: 0,
        mfe: 800,
      },
      {
        closed_at: '2026-11-17T17:00:00.000Z',
        executed_at: '2026-11-17T14:30:00.000Z',
        gross_pnl: -100,
        mae: -300,
        mfe: 400,
      },
    ];
    // 50,000 + 800 + 400 at best before the first close; by closes 50,500.
    expect(await limitsOf({ trailing: 'intraday' }, trades)).toMatchObject({
      ...{
        balance: 50_400,
        floor: 48_500,
        floor_low: 48_500,
        floor_high: 49_200,
        room: 1200,
        certainty: 'bounds',
      },
    });
    const unknown = await limitsOf({ trailing: 'intraday', daily_loss: 500 }, [
      ...trades,
      { gross_pnl: 1 },
    ]);
    expect(unknown).toMatchObject({
      floor_high: null,
      room: null,
      day: { limit: 500, room: null },
    });
  });

  test.each<[string, Partial<AccountRules>, number[], object]>([
    [
      'a loss to the very floor is a breach',
      {},
      [-1999.99, -0.01, 5],
      { at: '2026-11-03', rule: 'max_loss' },
    ],
    ['a cent above is none', {}, [-1999.99], null as never],
    [
      'a day at its limit is one',
      { daily_loss: 700 },
      [700, -700],
      { at: '2026-11-03', rule: 'daily_loss' },
    ],
    [
      'both at once are max_loss',
      { daily_loss: 2000 },
      [-2000],
      { at: '2026-11-02', rule: 'max_loss' },
    ],
    [
      'the floor of days ends rises with each',
      { trailing: 'eod' },
      [1000, 500, -2000],
      { at: '2026-11-04', rule: 'max_loss' },
    ],
    [
      'and stays at its lock',
      { trailing: 'eod', locks_at: 49_000 },
      [1000, 500, -2000],
      null as never,
    ],
  ])('%s', async (_title, rules, nets, breached) => {
    const found = await limitsOf(rules, eachDay(...nets));
    const { at: time = '', rule } = found.breached ?? {};
    expect(found.breached && { at: time.slice(0, 10), rule }).toEqual(breached);
    // Figures go on.
    expect(found.balance).toBeCloseTo(
      50_000 + nets.reduce((sum, net) => sum + net, 0),
      8,
    );
  });

  test('an account passes at the first close that meets every rule', async () => {
    const rules = { target: 1000, best_day: 0.5, min_days: 3, min_day_profit: 100 };
    const { passed_at } = await limitsOf(rules, eachDay(900, 100, 150, 800, 50));
    expect(passed_at).toBe('2026-11-05T12:00:00.000Z');
    const later = await limitsOf(rules, eachDay(900, 100, 150, 800, -2500));
    expect(later).toMatchObject({
      passed_at: '2026-11-05T12:00:00.000Z',
      breached: null,
    });
    expect((await limitsOf(rules, eachDay(-2000, 5000))).passed_at).toBeNull();
  });

  test('a loss on the way may have breached a limit before a later close', async () => {
    const trades = [
      {
        closed_at: '2026-11-03T12:00:00.000Z',
        executed_at: '2026-11-03T10:00:00.000Z',
        gross_pnl: 20,
        mae: -1500,
        mfe: 30,
      },
      {
        closed_at: '2026-11-03T13:00:00.000Z',
        executed_at: '2026-11-03T11:00:00.000Z',
        gross_pnl: 10,
        mae: -500,
        mfe: 30,
      },
    ];
    // Both were open at once, so that their worst moments may have been one.
    const may = { at: '2026-11-03T12:00:00.000Z', rule: 'max_loss' };
    expect(await limitsOf({}, trades)).toMatchObject({
      breached: null,
      may_have_breached: may,
      without_excursion: 0,
    });
    const apart = trades.map((trade, i) =>
      i === 0 ? trade : { ...trade, executed_at: trades[0]!.closed_at },
    );
    expect(await limitsOf({}, apart)).toMatchObject({ may_have_breached: null });
    expect(await limitsOf({ daily_loss: 1500 }, apart)).toMatchObject({
      may_have_breached: { ...may, rule: 'daily_loss' },
    });
  });

  test('a day that a clock set back passes twice ends at the first', async () => {
    // Clocks in Chicago are set back from 2:00 to 1:00: 1:30 is at 6:30 and at 7:30 UTC.
    const rules = { day_ends: '01:30', timezone: 'America/Chicago', since: '2026-11-02' };
    const closes = [
      '2026-11-01T06:29:59.999Z',
      '2026-11-01T06:30:00.000Z',
      '2026-11-01T07:10:00.000Z',
    ];
    const found = await limitsOf(
      rules,
      closes.map((closed_at) => ({ closed_at, gross_pnl: 10, fees: 0 })),
    );
    expect(found).toMatchObject({
      balance: 50_020,
      best_day: { date: '2026-11-02', net_pnl: 20 },
    });
  });

  test('an account without trades shows its limits; trades of others, open ones and those without an account count nowhere', async () => {
    const nothing = {
      ...{
        account: 'main',
        currency: 'USD',
        reason: null,
        balance: 50_000,
        floor: 48_000,
        room: 2000,
      },
      best_day: { date: null, net_pnl: null, share: null, limit: null },
      ...{
        days: { counted: 0, needed: null },
        target: null,
        passed_at: null,
        without_excursion: 0,
      },
      certainty: 'exact',
      not_exact: { trades: 0, ids: [], unmatched: 0 },
      outlook: null,
    };
    expect(await limitsOf({}, [])).toMatchObject(nothing);
    expect(await limitsOf({}, [{ account: 'other' }, { account: null }])).toMatchObject(
      nothing,
    );
    const world = new World();
    setRules(world, 'main', {});
    world.insert(
      'trades',
      tradeRow('open', { account: 'main', status: 'open', gross_pnl: 500 }),
    );
    // Whether it has realised its P&L on a day that counts is unknown without executions.
    expect(
      (await world.ask(PATH, { key: world.key() })).body.data.limits[0],
    ).toMatchObject({
      ...nothing,
      certainty: 'bounds',
      not_exact: { trades: 1, ids: ['open'], unmatched: 0 },
    });
  });

  test('amounts are in the currency of the trades, and missing with the reason if these have several', async () => {
    const eur = { currency: 'EUR', gross_pnl: 100 };
    expect(await limitsOf({}, [eur])).toMatchObject({ currency: 'EUR', balance: 50_100 });
    const mixed = await limitsOf({ currency: 'USD' }, [eur, { gross_pnl: 1 }]);
    const { account, basis: _, reason, ...others } = mixed;
    expect([account, reason]).toEqual(['main', 'trades in EUR; the limits are in USD']);
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
    const zone = await limitsOf({ timezone: 'Mars/Base' }, []);
    expect(zone).toMatchObject({
      reason: 'unknown time zone Mars/Base; set the limits again',
      balance: null,
    });
  });
});

describe('who sees what', () => {
  const lens = (more: Partial<Lens>): Lens => ({
    accounts: null,
    since: null,
    hides: [],
    ...more,
  });
  const ask = async (world: World, own: Partial<Lens>, query = '') =>
    (
      await world.ask(PATH + query, {
        key: world.key(undefined, 'me', undefined, lens(own)),
        lens: true,
      })
    ).body.data.limits;

  test('a key with a later first day than the account sees its name alone, whether or not trades are older', async () => {
    const world = new World();
    setRules(world, 'main', { since: '2026-11-01' });
    setRules(world, 'other', {});
    for (const trades of [[], [{ closed_at: '2026-10-01T12:00:00.000Z' }]]) {
      add(world, trades);
      const withheld = { withheld: ['since'] };
      const both = [
        { account: 'main', ...withheld },
        { account: 'other', ...withheld },
      ];
      expect(await ask(world, { since: '2026-11-02' })).toEqual(both);
      const [main, other] = await ask(world, { since: '2026-11-01' });
      expect([main.balance, other]).toEqual([50_000, both[1]]);
    }
    // The account's first day begins at 17:00 of the day before, the key's at midnight.
    setRules(world, 'evening', {
      since: '2026-11-01',
      day_ends: '17:00',
      timezone: 'America/Chicago',
    });
    expect((await ask(world, { since: '2026-11-01' }))[0]).toEqual({
      account: 'evening',
      withheld: ['since'],
    });
  });

  test('a day that ends at a time which the clock skips is the same in any order of questions', () => {
    const days = () =>
      TradingDays.of(
        { day_ends: '02:30', timezone: 'America/Chicago' } as AccountRules,
        {} as User,
      ) as TradingDays;
    const at = Date.parse('2026-03-08T08:10:00Z');
    const asked = days();
    asked.dayOf(Date.parse('2026-03-07T20:00:00Z'));
    expect(asked.dayOf(at)).toBe(days().dayOf(at));
  });

  test('a key that hides money gets no amount; one of some accounts sees these; of the filters only account counts', async () => {
    const world = new World();
    setRules(world, 'main', { daily_loss: 500, target: 1000, best_day: 0.5 });
    setRules(world, 'other', {});
    add(world, [{ gross_pnl: 250 }, { gross_pnl: 77, account: 'other', id: 'o' }]);
    const [main] = await ask(world, { hides: ['money'] });
    expect(main).toEqual({
      ...{
        account: 'main',
        basis: expect.any(String),
        currency: 'USD',
        reason: null,
        day: { ends_at: expect.any(String) },
      },
      ...{
        target: {},
        best_day: { date: '2026-11-10', share: 1, limit: 0.5 },
        days: { counted: 1, needed: null },
      },
      ...{
        breached: null,
        may_have_breached: null,
        passed_at: null,
        without_excursion: 1,
        certainty: 'exact',
      },
      not_exact: { trades: 0, ids: [], unmatched: 0 },
      outlook: null,
    });
    expect(
      (await ask(world, { accounts: ['OTHER'] })).map(({ account }: any) => account),
    ).toEqual(['other']);
    const narrow =
      '&account=MAIN&symbol=NONE&start=2026-11-19&where={"side":"short"}&best=1&unit=position';
    expect(await ask(world, {}, narrow)).toMatchObject([
      { account: 'main', balance: 50_250 },
    ]);
    expect(await ask(world, {}, '&account=nobody')).toEqual([]);
  });

  test('users of one journal see their own accounts, and a default answer has no limits', async () => {
    const world = new World();
    world.addUser('ana');
    setRules(world, 'main', {});
    setRules(world, 'main', { balance: 100 }, 'ana');
    add(world, [{ gross_pnl: 7 }]);
    const of = async (user: string) =>
      (await world.ask(PATH, { key: world.key(undefined, user) })).body.data.limits.map(
        ({ balance }: any) => balance,
      );
    expect([await of('me'), await of('ana')]).toEqual([[50_007], [100]]);
    const { body } = await world.ask('/v1/analytics/summary', { key: world.key() });
    expect(body.data.limits).toBeUndefined();
  });

  test("a remembered answer ends with the account's day", async () => {
    const world = new World();
    setRules(world, 'main', {
      day_ends: '17:00',
      timezone: 'America/Chicago',
      daily_loss: 500,
    });
    add(world, [{ closed_at: '2026-11-20T14:00:00.000Z', gross_pnl: -100 }]);
    const key = world.key();
    const nets: unknown[] = [];
    for (const time of ['22:59:59.999', '23:00:00.000']) {
      world.now = Date.parse(`2026-11-20T${time}Z`);
      nets.push((await world.ask(PATH, { key })).body.data.limits[0].day.net_pnl);
    }
    expect(nets).toEqual([-100, 0]);
  });
});

test('no limits and trades that the schema accepts make a fault', async () => {
  const world = new World();
  const [key, hiding] = [
    null,
    {
      accounts: null,
      since: '2026-01-01',
      hides: ['texts', 'symbols', 'money'] as const,
    },
  ].map((own) => world.key(undefined, 'me', undefined, own as Lens | null));
  const limit = fc.constantFrom(1e-8, 0.1, 30, 999_999_999_999.5);
  const ugly = fc.record({
    ...{
      balance: fc.constantFrom(0, 5e-324, 0.3, 999_999_999_999.9),
      max_loss: limit,
      daily_loss: limit,
      target: limit,
    },
    ...{
      best_day: fc.constantFrom(null, 0.0001, 1),
      min_days: fc.constantFrom(null, 1, 1000),
      min_day_profit: limit,
    },
    ...{
      trailing: fc.constantFrom('static', 'eod', 'intraday'),
      locks_at: fc.constantFrom(null, -999_999_999_999, 0),
    },
    ...{
      day_ends: fc.constantFrom(null, '00:00', '23:59', '02:30'),
      currency: fc.constantFrom(null, 'USD', '00'),
    },
    timezone: fc.constantFrom(null, '', 'Mars/Base', 'Pacific/Apia', 'Africa/Monrovia'),
    since: fc.constantFrom(null, '0001-01-01', '9998-12-31'),
  });
  const times = fc.constantFrom(
    '0001-01-01T00:00:00.000Z',
    '2011-12-30T10:00:00.000Z',
    '2026-11-20T14:00:00.000Z',
  );
  const amounts = fc.constantFrom(
    -999_999_999_999_999,
    -1e-300,
    0,
    0.1,
    1e-8,
    999_999_999_999_999,
  );
  const trade = fc.record({
    executed_at: times,
    gross_pnl: amounts,
    fees: fc.constantFrom(0, 1e14),
    mae: amounts,
    mfe: amounts,
  });
  const account = fc.constantFrom(
    'main',
    'AAPL',
    '\u202e',
    "'; --",
    '__proto__',
    'x'.repeat(200),
  );
  await fc.assert(
    fc.asyncProperty(
      account,
      ugly,
      fc.array(trade, { maxLength: 30 }),
      async (name, rules, trades) => {
        for (const table of ['trades', 'account_limits'])
          world.db.exec(`DELETE FROM ${table}`);
        setRules(world, name, rules as AccountRules);
        add(
          world,
          trades.map((own, i) => {
            const closed_at =
              i % 3 === 0 ? '9998-12-31T23:59:59.999Z' : '2026-11-20T14:30:00.000Z';
            return {
              ...own,
              account: name,
              closed_at,
              currency: i === 20 ? 'EUR' : 'USD',
            };
          }),
        );
        // Half a character.
        if (name === 'main')
          world.db.exec(
            "UPDATE account_limits SET account = account || CAST(x'eda080' AS TEXT)",
          );
        for (const [own, isNarrow] of [[key, false] as const, [hiding, true] as const]) {
          const { status, text } = await world.ask(PATH, {
            key: own as string,
            lens: isNarrow,
          });
          expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
        }
      },
    ),
    { numRuns: runs(300, 40) },
  );
}, 600_000);
