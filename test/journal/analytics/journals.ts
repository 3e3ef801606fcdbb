/** Random journals with difficult cases: ties, noise, clock changes, trades at the bounds of the period. */
import fc from 'fast-check';
import {
  type Condition,
  DIMENSION_NAMES,
  dateIn,
  type Entry,
  type Fields,
  type Filters,
  type Group,
  type GroupEntry,
  type Journal,
  type Missed,
  type Parts,
  type Person,
  type Session,
  type Trade,
  type Wanted,
} from './reference.ts';

/** Zones, each with instants near unusual days. */
const ZONES: Record<string, readonly string[]> = {
  UTC: ['2026-11-20T00:00:00.000Z', '2024-02-29T12:00:00.000Z'],
  'America/New_York': ['2026-03-08T07:00:00.000Z', '2026-11-01T06:00:00.000Z'],
  'Australia/Lord_Howe': ['2026-04-04T15:00:00.000Z', '2026-10-03T15:30:00.000Z'],
  'Asia/Kolkata': ['2026-06-01T18:30:00.000Z'],
  'Europe/Dublin': ['2026-03-29T01:00:00.000Z', '2026-10-25T01:00:00.000Z'],
  // Until 2011 the clocks here were set back one minute after midnight, to the day before.
  'America/St_Johns': [
    '2011-11-06T02:31:00.000Z',
    '2010-11-07T02:30:30.000Z',
    '2026-03-08T05:30:00.000Z',
  ],
  // There was no 2011-12-30.
  'Pacific/Apia': ['2011-12-30T10:00:00.000Z'],
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (at: number) => new Date(at).toISOString();
const hundredths = (min: number, max: number) =>
  fc.integer({ min, max }).map((n) => n / 100);
const satoshi = (min: number, max: number) =>
  fc.integer({ min, max }).map((n) => n / 1e8);

const around = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -120, max: 120 }).map((n) => n * HOUR) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: -12, max: 12 }).map((n) => n * 7.5 * 60_000),
  },
  { weight: 2, arbitrary: fc.integer({ min: -20 * DAY, max: 20 * DAY }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1) },
);

const held = fc.oneof(
  fc.constantFrom(
    0,
    1,
    59_999,
    60_000,
    300_000,
    900_000,
    HOUR,
    4 * HOUR - 1,
    4 * HOUR,
    DAY,
    7 * DAY,
    7 * DAY - 1,
    8 * DAY,
  ),
  fc.integer({ min: 0, max: 3 * DAY }),
);

type Kind = 'ties' | 'wins' | 'losses' | 'small' | 'crypto' | 'any';

const amount: Record<Kind, fc.Arbitrary<number>> = {
  // 3 at a rate of 1.1 is 3.3, but not in binary.
  ties: fc.constantFrom(3, 3.3, -3, -3.3, 1.1, 1),
  wins: hundredths(1, 100_000),
  losses: hundredths(-100_000, -1),
  small: fc.constantFrom(0, 0.1, 0.2, -0.3, 0.3, -0.1, 1, -1, 10, -10, 0.5, -0.5),
  crypto: fc.oneof(satoshi(-1e12, 1e12), satoshi(-30, 30)),
  any: fc.oneof(
    hundredths(-100_000, 100_000),
    satoshi(-1e12, 1e12),
    fc.constantFrom(0, 0.1, 0.2, -0.3, 100, -100),
  ),
};

const or = <T>(value: T, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof(fc.constant(value), arbitrary);

const SYMBOLS = ['AAPL', 'aapl', 'BTCUSD', 'ES', '7203', 'ÄÖ', 'äö'];
const TAGS = ['news', 'News', 'open', 'a b'];
const MISTAKES = ['chased', 'Chased', 'no stop'];
const some = (values: string[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });

/** Currency and rate: a rate of the base currency has no effect. */
const priced: fc.Arbitrary<[string, number | null]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(['USD', null] as [string, null]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<[string, number | null][]>(
      ['USD', 1.5],
      ['GBP', null],
      ['EUR', null],
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom('EUR', 'BTC'),
      fc.constantFrom(1.1, 1.0825, 0.75, 1.5, 12.5, 0.0068, 3),
    ),
  },
);

/** Stop, entry and contract size: stops on the losing side of a long, of a short, or of neither. */
const levels = fc.constantFrom<[number | null, number, number][]>(
  [null, 100, 1],
  [null, 100, 50],
  [95, 100, 1],
  [99.75, 100, 50],
  [100.01, 100, 0.01],
  [104.5, 99.75, 1],
  [100, 100, 1],
  [0, -3.25, 1],
);

/** Shares of a quantity, in decimals. */
const shares = fc.constantFrom([1], [1], [0.5, 0.5], [0.2, 0.8], [0.2, 0.3, 0.5]);
const times = (quantity: number, share: number) =>
  Number((quantity * share).toPrecision(12));

type Fill = NonNullable<Trade['executions']>[number];
type DatedCost = NonNullable<Trade['dated_costs']>[number];

interface StatementOfExits {
  stating: (typeof STATEMENTS)[number] | null;
  digits: number;
  weights: number[];
}

/** What rows of exits state: all of the trade's P&L, something else, or not all. */
const STATEMENTS = ['gross', 'net', 'own', 'more', 'some', 'first', 'average'] as const;

/** Exits with what their rows state; those of an open trade at the prices of the first, or at their average. */
function withStatements(
  of: Trade,
  fills: Fill[],
  { stating, digits, weights }: StatementOfExits,
): Fill[] {
  const isExit = (fill: Fill) => (fill.side === 'sell') === (of.side === 'long');
  const exits = fills.filter(isExit);
  const places = exits.map((_, i) => i);
  const rounded = (n: number) => Number(n.toFixed(digits));
  if (stating === null || exits.length === 0) return fills;

  const rebate = Math.min(
    0,
    fills.reduce((sum, { fees }) => sum + fees, 0),
  );
  const total = stating === 'net' ? of.gross_pnl - of.fees : of.gross_pnl + rebate;
  const units = places.reduce((sum, i) => sum + weights[i]!, 0) || 1;
  const amounts = places.map((i) => rounded((total * weights[i]!) / units));
  const others = amounts.slice(0, -1).reduce((sum, amount) => sum + amount, 0);
  amounts[amounts.length - 1] = rounded(total - others + (stating === 'more' ? 0.03 : 0));
  if (of.status === 'open')
    for (const [i, gross] of grossesOf(of, fills, stating === 'average').entries())
      amounts[i] = rounded(gross + (stating === 'more' ? 0.02 : 0));

  return fills.map((fill) => {
    const i = exits.indexOf(fill);
    if (i < 0 || (stating === 'some' && i > 0)) return fill;
    if (stating === 'own') return { ...fill, stated_net_pnl: amounts[i]! - fill.fees };
    if (stating === 'net') return { ...fill, stated_net_pnl: amounts[i]! };
    return { ...fill, stated_gross_pnl: amounts[i]! };
  });
}

/** What the exits of an open trade made, at the price of what was opened first, or at the average. */
function grossesOf(of: Trade, fills: Fill[], isAverage: boolean): number[] {
  const lots: { quantity: number; price: number }[] = [];
  const sign = of.side === 'long' ? 1 : -1;
  return fills.flatMap((fill) => {
    if ((fill.side === 'buy') === (of.side === 'long')) {
      lots.push({ ...fill });
      const units = lots.reduce((sum, lot) => sum + lot.quantity, 0);
      const value = lots.reduce((sum, lot) => sum + lot.quantity * lot.price, 0);
      if (isAverage)
        lots.splice(0, lots.length, { quantity: units, price: value / units });
      return [];
    }
    let [left, gross] = [fill.quantity, 0];
    for (const lot of lots) {
      const taken = Math.min(left, lot.quantity);
      gross += (fill.price - lot.price) * taken * sign * of.multiplier;
      lot.quantity -= taken;
      left -= taken;
    }
    return [gross];
  });
}

/** The sum of what rows state, if they do. */
function grossAsStated(of: Trade, executions: Fill[]): number {
  const stated = executions.flatMap(({ stated_gross_pnl }) => stated_gross_pnl ?? []);
  return stated.length === 0
    ? of.gross_pnl
    : Number(stated.reduce((a, b) => a + b).toFixed(8));
}

/** Fills of a trade; now and then they don't make up the trade. */
const withExecutions = (of: Trade): fc.Arbitrary<Trade> =>
  fc
    .record({
      openings: shares,
      closings: shares,
      prices: fc.array(hundredths(1, 20_000), { minLength: 6, maxLength: 6 }),
      fees: fc.array(fc.oneof(fc.constant(0), hundredths(-50, 300), satoshi(-50, 99)), {
        minLength: 6,
        maxLength: 6,
      }),
      ends: fc.array(fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 10 })), {
        minLength: 6,
        maxLength: 6,
      }),
      left: fc.constantFrom(1, 0.5, 0.2),
      fault: fc.constantFrom(
        ...[null, null, null, null, null, null],
        'none',
        'fewer',
        'late',
      ),
      stating: fc.constantFrom(...[null, null, null], ...STATEMENTS),
      digits: fc.constantFrom(2, 2, 4, 8),
      rates: fc.constantFrom([null], [1.25], [1.25, 0.8], [0.8, 1.25], [null, 0.8]),
      weights: fc.array(fc.integer({ min: -3, max: 9 }), { minLength: 6, maxLength: 6 }),
      dated: fc.constantFrom(0, 0, 0, 1, 2, 3),
    })
    .map(
      ({
        openings,
        closings,
        prices,
        fees,
        ends,
        left,
        fault,
        rates,
        dated,
        ...statement
      }) => {
        const entered = Date.parse(of.executed_at);
        const closed = of.closed_at === null ? entered + DAY : Date.parse(of.closed_at);
        const isLong = of.side === 'long';
        const isOpen = of.status === 'open';
        const exited = isOpen ? times(of.quantity, 1 - left) : of.quantity;
        const parts = [
          ...openings.map((share) => ({
            isExit: false,
            quantity: times(of.quantity, share),
          })),
          ...closings
            .filter(() => exited > 0)
            .map((share) => ({ isExit: true, quantity: times(exited, share) })),
        ];
        const fills = parts.map(({ isExit, quantity }, i) => {
          const isLast = i === parts.length - 1 && fault !== 'late';
          const at = isLast
            ? closed
            : entered + Math.floor(((closed - entered) * ends[i]!) / 10);
          return {
            stated_gross_pnl: null,
            stated_net_pnl: null,
            fx_rate: isOpen && isExit ? rates[i % rates.length]! : null,
            executed_at: iso(i === 0 ? entered : at),
            side: isExit === isLong ? ('sell' as const) : ('buy' as const),
            quantity,
            price: prices[i]!,
            fees: isOpen ? Number(fees[i]!.toFixed(4)) : fees[i]!,
          };
        });
        // The journal file rounds what open trades realised, halves of the last digit in its own way.
        const open = isOpen
          ? { open_quantity: times(of.quantity, left), fees: Number(of.fees.toFixed(4)) }
          : {};
        // Also at the entry, and up to a fifth of the time later than the close.
        const costs = ends.slice(0, dated).map((end, i): DatedCost => {
          const amount = Number(fees[5 - i]!.toFixed(4));
          const at = iso(entered + Math.floor(((closed - entered) * end * 1.2) / 10));
          return [at, amount, isOpen ? rates[i % rates.length]! : null];
        });
        const dated_costs = costs.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
        if (dated > 0) Object.assign(open, { dated_costs });
        if (fault === 'none') return { ...of, ...open };
        const executions = withStatements({ ...of, ...open }, fills, statement);
        const gross_pnl = isOpen ? grossAsStated(of, executions) : of.gross_pnl;
        return {
          ...of,
          ...open,
          gross_pnl,
          executions: fault === 'fewer' ? executions.slice(0, -1) : executions,
        };
      },
    );

function trade(anchor: number, kind: Kind): fc.Arbitrary<Trade> {
  return plainTrade(anchor, kind).chain((of) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(of) },
      { weight: 3, arbitrary: withExecutions(of) },
    ),
  );
}

/** A trade with or without executions. */
export const anyTrade: fc.Arbitrary<Trade> = fc
  .constantFrom<Kind>('any', 'small', 'crypto')
  .chain((kind) => trade(Date.parse('2026-11-10T15:00:00.000Z'), kind));

function plainTrade(anchor: number, kind: Kind): fc.Arbitrary<Trade> {
  return fc
    .record({
      offset: around,
      held,
      open: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
      priced,
      gross_pnl: amount[kind],
      fees:
        kind === 'wins' || kind === 'ties'
          ? fc.constant(0)
          : fc.oneof(fc.constant(0), hundredths(0, 500), satoshi(0, 100)),
      initial_risk: or<number | null>(
        null,
        fc.oneof(fc.constantFrom(100, 50, 33.3, 0.0001), hundredths(1, 20_000)),
      ),
      levels,
      symbol: fc.constantFrom(...SYMBOLS),
      market: fc.constantFrom('stock', 'crypto', 'option'),
      expiration: fc.constantFrom(null, -1, 0, 1, 2),
      side: fc.constantFrom('long', 'short'),
      account: fc.constantFrom(null, 'main', 'Main'),
      setup: fc.constantFrom(null, 'breakout', 'BREAKOUT', 'fade'),
      underlying: fc.constantFrom(null, null, 'AAPL', 'Es'),
      rating: fc.constantFrom(null, 1, 5),
      tags: some(TAGS),
      mistakes: some(MISTAKES),
      group_id: fc.constantFrom(null, null, null, 'g', 'g', 'G', 'h'),
      quantity: fc.constantFrom(1, 1, 2, 0.1, 0.15, 0.3, 3, 6.5),
      mae: or<number | null>(
        null,
        fc.oneof(fc.constantFrom(-50, 50, -33.3, 0), hundredths(-30_000, 500)),
      ),
      mfe: or<number | null>(
        null,
        fc.oneof(fc.constantFrom(50, 100, 33.3, 0), hundredths(-500, 60_000)),
      ),
      mae_bound: fc.constantFrom(null, null, -50, -60.5),
      mfe_bound: fc.constantFrom(null, null, 50, 100),
      timeframe: fc.constantFrom(null, '5m', '5M', '1h'),
      fields,
    })
    .map(({ offset, held, open, priced, levels, expiration, ...rest }) => {
      const [[currency, fx_rate], [stop_loss, entry_price, multiplier]] = [
        priced,
        levels,
      ];
      const closed = anchor + offset;
      return {
        id: '',
        ...rest,
        ...{ stop_loss, entry_price, multiplier },
        status: open ? 'open' : 'closed',
        executed_at: iso(closed - held),
        closed_at: open ? null : iso(closed),
        currency,
        fx_rate,
        // Near the present, which is near the anchor.
        expiration:
          expiration === null ? null : iso(anchor + expiration * DAY).slice(0, 10),
      };
    });
}

function missed(anchor: number): fc.Arbitrary<Missed> {
  return fc.record({
    id: fc.constant(''),
    missed_at: around.map((offset) => iso(anchor + offset)),
    symbol: fc.constantFrom(...SYMBOLS),
    market: fc.constantFrom('stock', 'crypto'),
    side: fc.constantFrom('long', 'short'),
    setup: fc.constantFrom(null, 'Breakout'),
    tags: some(TAGS),
    hypothetical_outcome: fc.constantFrom(
      'would_win',
      'would_lose',
      'would_breakeven',
      'unknown',
    ),
    hypothetical_r: or<number | null>(null, hundredths(-300, 500)),
    hypothetical_pnl: or<number | null>(null, amount.any),
    currency: fc.constantFrom('USD', 'USD', 'EUR'),
  });
}

const answers = {
  id: fc.constant(''),
  rules: fc.array(
    fc.record({
      rule: fc.constantFrom('plan', 'Plan', 'size'),
      followed: fc.constantFrom(true, false, null),
    }),
    {
      maxLength: 3,
    },
  ),
  mistakes: some(['chased', 'CHASED', 'noted only here']),
  emotions: some(['calm', 'Calm', 'FOMO']),
  followed_plan: fc.constantFrom(null, true, false),
  confidence: fc.constantFrom(null, null, 1, 5),
};

/** Fields that the trader named: few values, and many numbers. */
const fields: fc.Arbitrary<Fields> = fc.record(
  {
    grade: fc.constantFrom<(string | number)[]>('A', 'a', 'b', 1, 2),
    vix: fc.oneof(
      fc.integer({ min: 10, max: 30 }).map((tens) => tens / 2),
      fc.constant('low'),
    ),
  },
  { requiredKeys: [] },
);

const session = (timezone: string, anchor: number): fc.Arbitrary<Session> =>
  fc.record({
    id: fc.constant(''),
    date: around.map((offset) => dateIn(timezone, anchor + offset)),
    started_at: fc.constantFrom(
      null,
      '2026-11-10T08:00:00.000Z',
      '2026-11-10T12:00:00.000Z',
    ),
    mood: fc.constantFrom(null, 'calm', 'Calm', 'tired'),
    energy: fc.constantFrom(null, 1, 5),
    sleep_hours: fc.constantFrom(null, 5.9, 6, 7.5, 8, 8.1),
    followed_plan: fc.constantFrom(undefined, null, true, false),
    condition: fc.constantFrom(undefined, null, 'trending', 'Trending'),
    bias: fc.constantFrom(undefined, null, 'bullish'),
    fields,
  });

const entry = (trades: Trade[]): fc.Arbitrary<Entry> =>
  fc.record({
    ...answers,
    trade_id: fc.constantFrom(...trades.map((trade) => trade.id)),
  });

const groupEntry: fc.Arbitrary<GroupEntry> = fc.record({
  ...answers,
  group_id: fc.constantFrom('g', 'G', 'h'),
});

/** All groups, with or without legs. */
const groups: fc.Arbitrary<Group[]> = fc.tuple(
  ...['g', 'G', 'h'].map((id) =>
    fc.record({
      id: fc.constant(id),
      underlying: fc.constantFrom(null, 'ES', 'aapl'),
      strategy: fc.constantFrom(null, 'Breakout', 'iron condor'),
      market: fc.constantFrom('option', 'stock'),
      currency: fc.constantFrom('USD', 'USD', 'EUR'),
      initial_risk: or<number | null>(null, fc.constantFrom(100, 33.3, 0.0001)),
      tags: some(TAGS),
      kind: fc.constantFrom('multi_leg', 'custom'),
      setup: fc.constantFrom(null, null, 'Breakout', 'Fade'),
      mistakes: some(MISTAKES),
      rating: fc.constantFrom(null, null, 3),
      fields,
    }),
  ),
);

const many = <T extends { id: string }>(
  record: fc.Arbitrary<T>,
  prefix: string,
  maxLength: number,
): fc.Arbitrary<T[]> =>
  fc
    .array(record, { maxLength, size: 'max' })
    .map((records) => records.map((record, i) => ({ ...record, id: `${prefix}${i}` })));

const NAMED = ['day', 'week', 'month', 'quarter', 'year'].flatMap((unit) =>
  unit === 'day' ? ['today', 'yesterday'] : [`this_${unit}`, `last_${unit}`],
);
const PERIODS = [
  ...Array(16).fill(undefined),
  ...[...NAMED, 'wtd', 'mtd', 'qtd', 'ytd', '3d', '2w', '13m'],
  ...[
    'all',
    '2024',
    '2026',
    '2011',
    '2026-03',
    '2011-Q4',
    '2026-Q4',
    '2026-W45',
    '2026-W01',
    '2020-W53',
  ],
];

export interface Question extends Parts {
  journal: Journal;
  filters: Filters;
  start: string | undefined;
  end: string | undefined;
  period: string | undefined;
  now: number;
  days: number;
}

const filters: fc.Arbitrary<Filters> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc
      .record(
        {
          status: fc.constantFrom('open', 'closed'),
          market: fc.constantFrom('stock', 'crypto'),
          symbol: fc.constantFrom('AAPL', 'btcusd', 'äö'),
          underlying: fc.constantFrom('aapl', 'ES', 'ÄÖ'),
          side: fc.constantFrom('long', 'short'),
          min_quantity: fc.constantFrom('1', '2'),
          max_contracts: fc.constantFrom('1', '3'),
          max_net_pnl: fc.constantFrom('0', '12.5'),
          outcome: fc.constantFrom('win', 'loss', 'breakeven'),
          account: fc.constantFrom('MAIN', 'none'),
          setup: fc.constantFrom('breakout', 'fade'),
          tag: fc.constantFrom('NEWS', 'a b', 'none'),
          mistake: fc.constantFrom('chased', 'noted only here', 'none'),
          group_id: fc.constantFrom('g', 'G', 'none'),
          field: fc.constantFrom('grade:a', 'GRADE:2', 'vix:8', 'none:1'),
        },
        { requiredKeys: [] },
      )
      .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2))),
  },
);

/** Keys of each dimension, including some that no trade has. */
const KEYS: Record<string, fc.Arbitrary<Wanted>> = {
  weekday: fc.integer({ min: 1, max: 7 }),
  hour: fc.integer({ min: 0, max: 23 }),
  account: fc.constantFrom('MAIN', null, 'none'),
  tag: fc.constantFrom('NEWS', 'a b', null),
  r_multiple: fc.constantFrom('0_to_0.5', 'over_5', null),
  month: fc.constantFrom('2026-11', '2026-03'),
  after: fc.constantFrom('none', 'win', 'breakeven', 'loss', 'losses'),
  since_loss: fc.constantFrom('under_10m', '15m_to_30m', '30m_to_2h', 'over_2h', null),
  day_result: fc.constantFrom('first', 'red', 'flat', 'green'),
  trades_that_day: fc.constantFrom('1_to_3', '4_to_6', '10+'),
  entry_day: fc.constantFrom('2026-11-20', '2026-03-08'),
  trade_of_day: fc.constantFrom(1, '2', '3', '10+'),
  streak: fc.constantFrom('none', 'wins_1', 'losses_2', 'losses_3+'),
  losses_today: fc.constantFrom(0, '1', '3+'),
  first_trade: fc.constantFrom('win', 'loss', null),
  after_day: fc.constantFrom('green', 'red', 'flat', 'none'),
  condition: fc.constantFrom('TRENDING', null),
  bias: fc.constantFrom('bullish', null),
  confidence: fc.constantFrom(1, 5, null),
  timeframe: fc.constantFrom('5m', null),
  close_hour: fc.integer({ min: 0, max: 23 }),
  held_over: fc.constantFrom('none', 'night', 'weekend'),
  size: fc.constantFrom('under_half', 'half_to_1.5x', '1.5x_to_3x', null),
  emotion: fc.constantFrom('CALM', 'FOMO', null),
  rule: fc.constantFrom('plan: broken', 'Size: kept', null),
  followed_plan: fc.constantFrom(true, false, null),
  mood: fc.constantFrom('calm', 'tired', null),
  energy: fc.constantFrom(1, 5, null),
  sleep: fc.constantFrom('under_6h', '6h_to_7h', null),
  day_plan: fc.constantFrom(true, false, null),
  strategy: fc.constantFrom('Iron Condor', null),
  currency: fc.constantFrom('usd', 'EUR', null),
  'field:grade': fc.constantFrom<Wanted[]>('A', 1, null, { min: 2 }),
  'field:vix': fc.constantFrom<Wanted[]>(
    'low',
    8,
    null,
    { min: 7, max: 12 },
    { max: 6.5 },
  ),
};

const clause = fc
  .subarray(Object.keys(KEYS), { minLength: 1, maxLength: 2 })
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [
          name,
          fc.oneof(KEYS[name]!, fc.array(KEYS[name]!, { minLength: 1, maxLength: 4 })),
        ]),
      ),
    ),
  ) as fc.Arbitrary<Record<string, string>>;

const condition: fc.Arbitrary<Condition | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: clause },
  { weight: 1, arbitrary: fc.array(clause, { minLength: 1, maxLength: 3 }) },
);

/** A journal and a request. */
export const question: fc.Arbitrary<Question> = fc
  .record({
    timezone: fc.constantFrom(...Object.keys(ZONES)),
    which: fc.nat({ max: 2 }),
    kind: fc.constantFrom<Kind[]>(
      'ties',
      'wins',
      'losses',
      'small',
      'crypto',
      'any',
      'any',
      'any',
    ),
    max: fc.constantFrom(0, 1, 2, 5, 12, 40),
  })
  .chain(({ timezone, which, kind, max }) => {
    const anchors = ZONES[timezone]!;
    const anchor = Date.parse(anchors[which % anchors.length]!);
    const bound = (from: number, to: number) =>
      fc.oneof(
        fc.constant(undefined),
        fc
          .integer({ min: from * DAY, max: to * DAY })
          .map((offset) => dateIn(timezone, anchor + offset)),
        around
          .filter((offset) => offset >= from * DAY && offset <= to * DAY)
          .map((offset) => iso(anchor + offset)),
      );
    const person: fc.Arbitrary<Person> = fc.record({
      timezone: fc.constant(timezone),
      base_currency: fc.constantFrom('USD', 'USD', 'USD', 'BTC'),
      starting_balance: fc.constantFrom(null, null, 1000, 10_000, 25_000.5, 50),
      breakeven_tolerance: fc.constantFrom(0, 0, 0, 0.5, 1, 10, 0.000_000_02, 0.1),
    });
    return fc
      .record({
        person,
        trades: many(trade(anchor, kind), 't', max),
        missed: many(missed(anchor), 'm', 4),
        filters,
        start: bound(-6, 0),
        end: bound(0, 6),
        now: around.map((offset) => anchor + offset),
        period: fc.constantFrom(...PERIODS),
        days: fc.constantFrom(1, 2, 7, 30, 365),
        unit: fc.constantFrom('trade', 'position'),
        group_by: fc.oneof(
          fc.constant(undefined),
          fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), {
            minLength: 1,
            maxLength: 2,
          }),
        ),
        top: fc.constantFrom(undefined, undefined, 1, 3),
        where: condition,
        exclude: condition,
        best: fc.constantFrom(undefined, undefined, 1, 5),
        worst: fc.constantFrom(undefined, undefined, 1, 5),
        groups,
        groupEntries: many(groupEntry, 'k', 3),
        sessions: many(session(timezone, anchor), 's', 6),
      })
      .chain(({ person, trades, missed, groups, groupEntries, sessions, ...rest }) =>
        (trades.length === 0
          ? fc.constant<Entry[]>([])
          : many(entry(trades), 'j', 6)
        ).map((entries) => ({
          journal: { person, trades, entries, missed, groups, groupEntries, sessions },
          ...rest,
        })),
      );
  });

const minutes = (min: number, max: number) =>
  fc.integer({ min: min / 10, max: max / 10 }).map((tens) => tens * 600_000);

/** The same with all entries within half a day, so that many trades follow others in one account. */
export const busyQuestion: fc.Arbitrary<Question> = question.chain((asked) => {
  const { trades } = asked.journal;
  const base = Date.parse(trades[0]?.executed_at ?? '2026-11-20T00:00:00.000Z');
  const time = fc.record({
    entered: minutes(-240, 480),
    held: fc.constantFrom(0, 0, 1, 600_000, 1_200_000, 7_200_000, 20 * HOUR),
  });
  return fc
    .record({
      times: fc.array(time, { minLength: trades.length, maxLength: trades.length }),
      first: fc.constantFrom(
        'after',
        'since_loss',
        'streak',
        'losses_today',
        'day_result',
        'first_trade',
        'trades_that_day',
        'trade_of_day',
        'size',
      ),
      second: fc.constantFrom(
        undefined,
        'account',
        'after',
        'after_day',
        'losses_today',
        'day_result',
        'since_loss',
        'trade_of_day',
      ),
    })
    .map(({ times, first, second }) => ({
      ...asked,
      ...{ start: undefined, end: undefined, period: undefined, filters: {} },
      group_by: second === undefined || second === first ? [first] : [first, second],
      journal: {
        ...asked.journal,
        trades: trades.map((trade, i) => ({
          ...trade,
          executed_at: iso(base + times[i]!.entered),
          closed_at:
            trade.status === 'open'
              ? null
              : iso(base + times[i]!.entered + times[i]!.held),
        })),
      },
    }));
});
