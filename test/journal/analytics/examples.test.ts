/** Every formula, computed by hand. */
import { expect, test } from 'vitest';
import { PerformanceAccumulator } from '../../../src/journal/analytics/performance.ts';
import { World } from '../../helpers.ts';
import { closed } from './closed-trade.ts';
import { daily, entry, filler, journal, listed, missed, nets, trade } from './fill.ts';
import type { Journal, Person, Trade } from './reference.ts';

type Example = [
  name: string,
  journal: Journal,
  gives: Record<string, unknown>,
  query?: string,
];

/** An example with only the performance. */
const performance = (
  name: string,
  trades: Trade[],
  gives: Record<string, unknown>,
  person: Partial<Person> = {},
): Example => [name, journal(person, trades), { performance: gives }];

const at = (hour: number) => `2026-11-16T${hour}:00:00.000Z`;
const R = (...values: number[]) =>
  listed(...values.map((r) => ({ gross_pnl: r * 100, initial_risk: 100 })));
const rules = (...answers: (boolean | null)[]) => ({
  rules: answers.map((followed) => ({ rule: 'plan', followed })),
});

const WEEK = {
  '2026-11-12': 100,
  '2026-11-14': -50,
  '2026-11-16': 150,
  '2026-11-17': 50,
};

const NOTHING = {
  currency: 'USD',
  trades: 0,
  wins: 0,
  losses: 0,
  breakevens: 0,
  win_rate: null,
  win_rate_ex_breakeven: null,
  gross_pnl: 0,
  fees: 0,
  net_pnl: 0,
  expectancy: null,
  expectancy_r: null,
  total_r: null,
  r_sample: 0,
  average_win: null,
  average_loss: null,
  payoff_ratio: null,
  profit_factor: null,
  profit_factor_infinite: false,
  largest_win: null,
  largest_loss: null,
  max_drawdown: null,
  recovery_factor: null,
  streaks: { longest_win: 0, longest_loss: 0, current: 0 },
  best_five_share: null,
  holding_seconds: {
    mean: null,
    median: null,
    wins_mean: null,
    losses_mean: null,
    wins_median: null,
    losses_median: null,
  },
  trading_days: 0,
  winning_days: 0,
  best_day: null,
  worst_day: null,
  sharpe: null,
  sortino: null,
  daily_basis: 'money',
  daily_sample: 0,
  sqn: null,
  confidence: {
    level: 0.95,
    win_rate: null,
    expectancy: null,
    expectancy_r: null,
    expectancy_trades_needed: null,
  },
};

const EXAMPLES: Example[] = [
  [
    'no trades: counts and sums are 0, all other figures null',
    journal(),
    {
      period: { start: null, end: null, days: null, timezone: 'UTC' },
      performance: NOTHING,
      daily: [],
      breakdowns: { symbol: [], tag: [], weekday: [], holding_time: [] },
      previous: null,
      open: { trades: 0, realised_pnl: 0 },
      mistakes: { trades_with_mistakes: 0, cost: 0 },
      rules: {
        followed: 0,
        broken: 0,
        adherence: null,
        net_pnl_followed: 0,
        net_pnl_broken: 0,
      },
      missed: {
        count: 0,
        hypothetical_r: 0,
        hypothetical_pnl: 0,
        forgone_gain: 0,
        avoided_loss: 0,
        unknown: 0,
      },
      data_quality: {
        without_stop: 0,
        without_journal: 0,
        without_rate: 0,
        currencies_left_out: [],
      },
    },
  ],
  performance('win rate with and without breakevens', nets(10, 20, -5, 0), {
    trades: 4,
    wins: 2,
    losses: 1,
    breakevens: 1,
    win_rate: 0.5,
    win_rate_ex_breakeven: 0.666667,
  }),
  performance(
    'a breakeven is within the tolerance, bounds included; the profit factor depends on the sign',
    nets(0.5, -0.5, 0.51, -0.51),
    {
      wins: 1,
      losses: 1,
      breakevens: 2,
      average_win: 0.51,
      average_loss: -0.51,
      payoff_ratio: 1,
      profit_factor: 1,
    },
    { breakeven_tolerance: 0.5 },
  ),
  performance(
    'only breakevens: the profit factor is neither a number nor infinite',
    nets(0, 0),
    {
      breakevens: 2,
      win_rate: 0,
      win_rate_ex_breakeven: null,
      profit_factor: null,
      profit_factor_infinite: false,
      expectancy: 0,
    },
  ),
  performance('gains of 300 over losses of 150', nets(100, 200, -50, -100), {
    profit_factor: 2,
    profit_factor_infinite: false,
    expectancy: 37.5,
    average_win: 150,
    average_loss: -75,
    payoff_ratio: 2,
  }),
  performance('no losses: the profit factor is infinite, so it is null', nets(100, 200), {
    profit_factor: null,
    profit_factor_infinite: true,
    average_loss: null,
    payoff_ratio: null,
    max_drawdown: null,
    recovery_factor: null,
    largest_loss: null,
  }),
  performance('no gains: the profit factor is 0', nets(-100), {
    profit_factor: 0,
    profit_factor_infinite: false,
  }),
  performance(
    'fees are subtracted; in another currency all money is converted, R is not',
    [
      trade('e', {
        currency: 'EUR',
        fx_rate: 1.1,
        gross_pnl: 100,
        fees: 10,
        initial_risk: 45,
      }),
    ],
    { gross_pnl: 110, fees: 11, net_pnl: 99, total_r: 2 },
  ),
  performance(
    'a rate of the base currency counts as 1',
    [trade('u', { fx_rate: 1.5, gross_pnl: 10 })],
    {
      net_pnl: 10,
    },
  ),
  performance('binary noise is not money: 0.1 + 0.2 - 0.3 is 0', nets(0.1, 0.2, -0.3), {
    net_pnl: 0,
    expectancy: 0,
    best_day: { date: '2026-11-16', net_pnl: 0 },
    winning_days: 0,
    max_drawdown: { amount: 0.3, peak_at: at(11), trough_at: at(12), recovered_at: null },
    recovery_factor: 0,
  }),
  performance(
    'binary noise is not a win: 0.3 gross less 0.1 + 0.2 fees',
    [trade('n', { gross_pnl: 0.3, fees: 0.1 + 0.2 })],
    {
      breakevens: 1,
      net_pnl: 0,
    },
  ),
  performance(
    'the first of equal extremes counts, in any currencies',
    listed(
      { gross_pnl: 3.3 },
      { gross_pnl: 3, currency: 'EUR', fx_rate: 1.1 },
      { gross_pnl: -3.3 },
      { gross_pnl: -3, currency: 'EUR', fx_rate: 1.1 },
    ),
    {
      largest_win: { trade_id: 't1', group_id: null, net_pnl: 3.3 },
      largest_loss: { trade_id: 't3', group_id: null, net_pnl: -3.3 },
    },
  ),
  performance(
    'an opening loss is a drawdown from 0, and a negative net has a negative recovery factor',
    nets(-100, 50),
    {
      max_drawdown: {
        amount: 100,
        percent: null,
        peak_at: null,
        trough_at: at(10),
        recovered_at: null,
      },
      recovery_factor: -0.5,
    },
  ),
  performance(
    'the percentage is that of starting balance plus peak',
    nets(200, -300, 400),
    {
      max_drawdown: {
        amount: 300,
        percent: 0.25,
        peak_at: at(10),
        trough_at: at(11),
        recovered_at: at(12),
      },
      recovery_factor: 1,
    },
    { starting_balance: 1000 },
  ),
  performance(
    'a drawdown is recovered once the peak is reached again, even if not exceeded',
    nets(100, -40, 40, -40),
    {
      max_drawdown: {
        amount: 40,
        percent: null,
        peak_at: at(10),
        trough_at: at(11),
        recovered_at: at(12),
      },
    },
  ),
  performance(
    'also if the recovery was in another currency',
    // 3 * 1.1 is 3.3000000000000003.
    listed(
      { gross_pnl: -3, currency: 'EUR', fx_rate: 1.1 },
      { gross_pnl: 3.3 },
      { gross_pnl: 5 },
    ),
    {
      max_drawdown: {
        amount: 3.3,
        percent: null,
        peak_at: null,
        trough_at: at(10),
        recovered_at: at(11),
      },
    },
  ),
  performance(
    'the first of equal drawdowns counts, until a larger one',
    nets(10, -5, 5, -5, -1, 20, -6),
    {
      max_drawdown: {
        amount: 6,
        percent: null,
        peak_at: at(10),
        trough_at: at(14),
        recovered_at: at(15),
      },
    },
  ),
  performance('runs of wins and losses', nets(1, 1, -1, -1, -1, 1, 1), {
    streaks: { longest_win: 2, longest_loss: 3, current: 2 },
  }),
  performance('a breakeven ends a run', nets(1, 1, 0, 1, -1, -1, 0, -1), {
    streaks: { longest_win: 2, longest_loss: 2, current: -1 },
  }),
  performance('a breakeven starts no run', nets(-1, -1, 0), {
    streaks: { longest_win: 0, longest_loss: 2, current: 0 },
  }),
  performance(
    'trades closed at the same time are sorted by id',
    [
      trade('b', { gross_pnl: -1 }),
      trade('a', { gross_pnl: 1 }),
      trade('B', { gross_pnl: 1 }),
    ],
    { streaks: { longest_win: 2, longest_loss: 1, current: -1 } },
  ),
  performance(
    'a trade without a risk is excluded from R',
    listed(
      { gross_pnl: 100, initial_risk: 50 },
      { gross_pnl: -50, initial_risk: 50 },
      { gross_pnl: 30 },
    ),
    { expectancy_r: 0.5, total_r: 1, r_sample: 2, sqn: 0.333333 },
  ),
  performance('SQN: sqrt(4) * 1.25 / sqrt(8.75 / 3)', R(1, 2, 3, -1), {
    expectancy_r: 1.25,
    sqn: 1.46385,
  }),
  performance(
    'SQN is not capped at a hundred trades',
    R(...Array.from({ length: 400 }, (_, i) => (i % 2 ? -1 : 2))),
    {
      sqn: 6.658328,
    },
  ),
  performance('the SQN of one trade, or of equal trades, is undefined', R(2), {
    expectancy_r: 2,
    sqn: null,
  }),
  performance(
    'equal R have no deviation',
    listed(
      { gross_pnl: 10, initial_risk: 100 },
      { gross_pnl: 3, initial_risk: 30 },
      { gross_pnl: 0.7, initial_risk: 7 },
    ),
    { expectancy_r: 0.1, sqn: null },
  ),
  performance(
    'holding times: the median of an even number is between the middle two',
    [
      ...[10, 20, 60, 90].map((seconds, i) =>
        trade(`h${i}`, {
          executed_at: '2026-11-10T10:00:00.000Z',
          closed_at: `2026-11-10T10:0${seconds < 60 ? 0 : 1}:${String(seconds % 60).padStart(2, '0')}.000Z`,
          gross_pnl: i % 2 ? 1 : -1,
        }),
      ),
    ],
    {
      holding_seconds: {
        mean: 45,
        median: 40,
        wins_mean: 55,
        losses_mean: 35,
        wins_median: 55,
        losses_median: 35,
      },
    },
  ),
  performance(
    'five days: an idle Friday counts, a Saturday with a trade counts, an idle Sunday does not',
    daily(WEEK),
    {
      trading_days: 4,
      winning_days: 3,
      best_day: { date: '2026-11-16', net_pnl: 150 },
      worst_day: { date: '2026-11-14', net_pnl: -50 },
      daily_basis: 'money',
      daily_sample: 5,
      // 50 / sqrt(6250) * sqrt(252) and 50 / sqrt(2500 / 5) * sqrt(252)
      sharpe: 10.03992,
      sortino: 35.496479,
    },
  ),
  performance(
    'the first of equal days is the best, or the worst',
    daily({
      '2026-11-11': 20,
      '2026-11-12': 50,
      '2026-11-13': -30,
      '2026-11-16': 50,
      '2026-11-17': -30,
    }),
    {
      best_day: { date: '2026-11-12', net_pnl: 50 },
      worst_day: { date: '2026-11-13', net_pnl: -30 },
    },
  ),
  performance(
    'with a starting balance, days are returns on the balance at their start: 10%, 0, -5%, 20%',
    daily({ '2026-11-12': 100, '2026-11-14': -55, '2026-11-16': 209 }),
    { daily_basis: 'returns', daily_sample: 4, sharpe: 8.949008, sortino: 39.68627 },
    { starting_balance: 1000 },
  ),
  performance('one day has no Sharpe or Sortino ratio', daily({ '2026-11-12': 100 }), {
    daily_sample: 1,
    sharpe: null,
    sortino: null,
  }),
  performance(
    'equal days have no deviation, and without a losing day there is no downside',
    daily({ '2026-11-12': 5, '2026-11-13': 5 }),
    {
      daily_sample: 2,
      sharpe: null,
      sortino: null,
    },
  ),
  performance(
    'a day of binary noise is not a losing day',
    listed(...[-0.1, -0.2, 0.3].map((gross_pnl) => ({ gross_pnl })), {
      gross_pnl: 5,
      closed_at: '2026-11-17T12:00:00.000Z',
    }),
    { daily_sample: 2, sortino: null, worst_day: { date: '2026-11-16', net_pnl: 0 } },
  ),
  performance(
    'a lost balance has no returns',
    daily({ '2026-11-12': -100, '2026-11-13': 50, '2026-11-16': -5 }),
    { daily_basis: 'returns', daily_sample: 3, sharpe: null, sortino: null },
    { starting_balance: 100 },
  ),
  [
    "the days of the series are in the user's time zone",
    journal({ timezone: 'Asia/Kolkata' }, [
      trade('a', { closed_at: '2026-11-16T18:29:59.999Z', gross_pnl: 5 }),
      trade('b', { closed_at: '2026-11-16T18:30:00.000Z', gross_pnl: -2 }),
    ]),
    {
      daily: [
        { date: '2026-11-16', trades: 1, net_pnl: 5, cumulative_net_pnl: 5, drawdown: 0 },
        {
          date: '2026-11-17',
          trades: 1,
          net_pnl: -2,
          cumulative_net_pnl: 3,
          drawdown: 2,
        },
      ],
    },
  ],
  [
    "a day's drawdown is measured at the ends of days, the maximum trade by trade",
    journal({}, nets(100, -80, 70)),
    {
      daily: [
        {
          date: '2026-11-16',
          trades: 3,
          net_pnl: 90,
          cumulative_net_pnl: 90,
          drawdown: 0,
        },
      ],
      performance: { max_drawdown: { amount: 80 } },
    },
  ],
  [
    'rows of a breakdown are sorted by net',
    journal(
      {},
      listed(
        { symbol: 'ES', gross_pnl: 30, initial_risk: 10 },
        { symbol: 'ES', gross_pnl: -10 },
        { symbol: 'NQ', gross_pnl: 50 },
        { symbol: 'CL', gross_pnl: 50 },
      ),
    ),
    {
      breakdowns: {
        symbol: [
          {
            key: 'CL',
            trades: 1,
            wins: 1,
            losses: 0,
            breakevens: 0,
            net_pnl: 50,
            win_rate: 1,
            profit_factor: null,
            expectancy: 50,
            average_r: null,
            total_r: null,
          },
          {
            key: 'NQ',
            trades: 1,
            wins: 1,
            losses: 0,
            breakevens: 0,
            net_pnl: 50,
            win_rate: 1,
            profit_factor: null,
            expectancy: 50,
            average_r: null,
            total_r: null,
          },
          {
            key: 'ES',
            trades: 2,
            wins: 1,
            losses: 1,
            breakevens: 0,
            net_pnl: 20,
            win_rate: 0.5,
            profit_factor: 3,
            expectancy: 10,
            average_r: 3,
            total_r: 3,
          },
        ],
      },
    },
  ],
  [
    "weekday and hour are those of entry, in the user's time zone, in their own order",
    journal({ timezone: 'America/New_York' }, [
      // Sunday 23:30 and, after the clocks were set forward, Monday 03:00.
      trade('a', {
        executed_at: '2026-03-09T03:30:00.000Z',
        closed_at: '2026-03-09T16:00:00.000Z',
        gross_pnl: 1,
      }),
      trade('b', {
        executed_at: '2026-03-09T07:00:00.000Z',
        closed_at: '2026-03-09T16:00:00.000Z',
        gross_pnl: 9,
      }),
    ]),
    {
      breakdowns: {
        weekday: [
          { key: 1, net_pnl: 9 },
          { key: 7, net_pnl: 1 },
        ],
        hour: [
          { key: 3, net_pnl: 9 },
          { key: 23, net_pnl: 1 },
        ],
        holding_time: [{ key: '4h_to_1d', trades: 2 }],
      },
    },
  ],
  [
    'a trade without a setup or account has the key null; one without a tag has no row',
    journal({}, listed({ setup: 'fade', tags: ['x', 'y', 'x'] }, { account: 'main' })),
    {
      breakdowns: {
        setup: [{ key: 'fade' }, { key: null }],
        account: [{ key: 'main' }, { key: null }],
        tag: [
          { key: 'x', trades: 1 },
          { key: 'y', trades: 1 },
        ],
        mistake: [],
      },
    },
  ],
  [
    'the cost of mistakes is the net of their trades with the opposite sign',
    journal(
      {},
      listed(
        { gross_pnl: 100 },
        { gross_pnl: -60, mistakes: ['chased', 'no stop'] },
        { gross_pnl: 20, mistakes: ['chased'] },
      ),
    ),
    {
      mistakes: { trades_with_mistakes: 2, cost: 40 },
      breakdowns: {
        mistake: [
          { key: 'chased', trades: 2, net_pnl: -40, win_rate: 0.5 },
          { key: 'no stop', trades: 1, net_pnl: -60, win_rate: 0 },
        ],
      },
    },
  ],
  [
    'rules: a trade with a broken rule counts as broken; null is not an answer',
    journal({}, nets(100, -30, 7), {
      entries: [
        entry('j1', 't1', rules(true, null)),
        entry('j2', 't2', rules(true)),
        entry('j3', 't2', rules(false)),
        entry('j4', 't3', rules(null)),
      ],
    }),
    {
      rules: {
        followed: 2,
        broken: 1,
        adherence: 0.666667,
        net_pnl_followed: 100,
        net_pnl_broken: -30,
      },
      data_quality: { without_journal: 0 },
    },
  ],
  [
    'missed trades: gains and losses are separate, only in the base currency, never in the performance',
    journal({}, nets(1), {
      missed: [
        missed('m1', {
          hypothetical_outcome: 'would_win',
          hypothetical_r: 2,
          hypothetical_pnl: 200,
        }),
        missed('m2', {
          hypothetical_outcome: 'would_lose',
          hypothetical_r: -1,
          hypothetical_pnl: -80,
        }),
        missed('m3', {
          hypothetical_outcome: 'would_win',
          hypothetical_r: 0.5,
          hypothetical_pnl: 50,
          currency: 'EUR',
        }),
        missed('m4'),
      ],
    }),
    {
      missed: {
        count: 4,
        hypothetical_r: 1.5,
        hypothetical_pnl: 120,
        forgone_gain: 200,
        avoided_loss: 80,
        unknown: 1,
      },
      performance: { trades: 1, net_pnl: 1 },
    },
  ],
  [
    'an open trade counts by its entry with its realised P&L, and without exits only in open',
    journal({}, [
      trade('o1', {
        status: 'open',
        closed_at: null,
        executed_at: '2026-11-10T10:00:00.000Z',
        quantity: 2,
        open_quantity: 1,
        gross_pnl: 12,
        fees: 4,
      }),
      trade('o2', {
        status: 'open',
        closed_at: null,
        executed_at: '2026-11-11T00:00:00.000Z',
        gross_pnl: 5,
      }),
    ]),
    { open: { trades: 1, realised_pnl: 10 }, performance: { trades: 0 } },
    'start=2026-11-01&end=2026-11-10',
  ],
  [
    'a trade without an exchange rate is only in data_quality',
    journal(
      {},
      listed(
        { gross_pnl: 10, stop_loss: 95 },
        {
          gross_pnl: -999,
          currency: 'JPY',
          initial_risk: 1,
          symbol: 'USDJPY',
          tags: ['x'],
          mistakes: ['y'],
        },
        { gross_pnl: -999, currency: 'EUR' },
        { gross_pnl: 5 },
      ),
      { entries: [entry('j', 't2', rules(false))] },
    ),
    {
      performance: {
        trades: 2,
        wins: 2,
        losses: 0,
        net_pnl: 15,
        r_sample: 1,
        total_r: 2,
        max_drawdown: null,
        streaks: { longest_win: 2, longest_loss: 0, current: 2 },
      },
      daily: [{ trades: 2 }],
      breakdowns: { symbol: [{ key: 'AAPL', trades: 2 }], tag: [], mistake: [] },
      mistakes: { trades_with_mistakes: 0, cost: 0 },
      rules: { followed: 0, broken: 0 },
      data_quality: {
        without_stop: 3,
        without_journal: 3,
        without_rate: 2,
        currencies_left_out: ['EUR', 'JPY'],
      },
    },
  ],
  [
    'the previous period of a day of 23 hours is the whole day before',
    journal({ timezone: 'America/New_York' }, [
      trade('too early', {
        id: 'e',
        closed_at: '2026-03-07T04:59:59.999Z',
        gross_pnl: 1,
      }),
      trade('f', { closed_at: '2026-03-07T05:00:00.000Z', gross_pnl: 10 }),
      trade('l', { closed_at: '2026-03-08T04:59:59.999Z', gross_pnl: 100 }),
      trade('n', { closed_at: '2026-03-08T05:00:00.000Z', gross_pnl: 1000 }),
      trade('o', { closed_at: '2026-03-09T03:59:59.999Z', gross_pnl: 1000 }),
      trade('p', { closed_at: '2026-03-09T04:00:00.000Z', gross_pnl: 7 }),
    ]),
    {
      period: {
        start: '2026-03-08T05:00:00.000Z',
        end: '2026-03-09T04:00:00.000Z',
        days: 1,
        timezone: 'America/New_York',
      },
      performance: { net_pnl: 2000 },
      previous: { net_pnl: 110 },
    },
    'start=2026-03-08&end=2026-03-08',
  ],
  [
    'the previous period of 22 hours has 22 hours',
    journal({ timezone: 'America/New_York' }, [
      trade('a', { closed_at: '2026-03-07T06:59:59.999Z', gross_pnl: 1 }),
      trade('b', { closed_at: '2026-03-07T07:00:00.000Z', gross_pnl: 10 }),
    ]),
    { period: { days: 0.916667 }, performance: { trades: 0 }, previous: { net_pnl: 10 } },
    'start=2026-03-08T05:00:00Z&end=2026-03-09T03:00:00Z',
  ],
  [
    'the previous period of two whole days is two whole days, here of 49 hours',
    journal({ timezone: 'America/New_York' }, [
      trade('a', { closed_at: '2026-10-31T03:59:59.999Z', gross_pnl: 1 }),
      trade('b', { closed_at: '2026-10-31T04:00:00.000Z', gross_pnl: 10 }),
      trade('c', { closed_at: '2026-11-02T04:59:59.999Z', gross_pnl: 100 }),
    ]),
    { period: { days: 2 }, previous: { net_pnl: 110 } },
    'start=2026-11-02&end=2026-11-03',
  ],
  [
    'the previous period of 200 times 24 hours that end within a day has as many hours',
    journal({ timezone: 'America/New_York' }, [
      trade('a', { closed_at: '2025-11-13T03:59:59.999Z', gross_pnl: 1 }),
      trade('b', { closed_at: '2025-11-13T04:00:00.000Z', gross_pnl: 10 }),
    ]),
    { period: { days: 200 }, previous: { net_pnl: 10 } },
    'start=2026-06-01T04:00:00Z&end=2026-12-18T04:00:00Z',
  ],
  [
    'a period without an end ends with today',
    journal({}, [
      trade('a', { closed_at: '2026-11-15T00:00:00.000Z', gross_pnl: 10 }),
      trade('b', { closed_at: '2026-11-14T23:59:59.999Z' }),
    ]),
    { period: { days: null }, previous: { trades: 1, net_pnl: 10 } },
    'start=2026-11-18',
  ],
  [
    'a period without a start has no previous period',
    journal({}, nets(1)),
    { previous: null },
    'end=2026-11-20',
  ],
  [
    'filters apply to the previous period, too',
    journal({}, [
      trade('a', { closed_at: '2026-11-09T10:00:00.000Z', symbol: 'ES', gross_pnl: 1 }),
      trade('b', { closed_at: '2026-11-09T10:00:00.000Z', symbol: 'NQ', gross_pnl: 10 }),
    ]),
    { performance: { trades: 0 }, previous: { trades: 1, net_pnl: 1 } },
    'start=2026-11-10&end=2026-11-10&symbol=es',
  ],
];

test.each(EXAMPLES)('%s', async (_name, journal, gives, query = '') => {
  const world = new World();
  filler(world)(journal);
  const { status, body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key: world.key(),
  });
  expect(status).toBe(200);
  expect(body.data).toMatchObject(gives);
});

/** 43 trades on 9 days, at 12:00, 12:05, ...; wins and losses in order, with the day's net in the comment. */
const NINE_DAYS: Record<string, number[]> = {
  '2025-12-01': [210, 80, 80, 80, 80, -180, -100, -80, -42.5, 0, 80, 32.5], // 240
  '2025-12-02': [-50, 55, 55], // 60
  '2025-12-04': [-50, 55, 55], // 60
  '2025-12-05': [-50, 55, -50, 55, -50], // -40
  '2025-12-08': [50, -50, 50, -50, 60], // 60
  '2025-12-10': [-50, -50, -50, 60], // -90
  '2025-12-12': [40, 40, -50, 30], // 60
  '2025-12-16': [40, -59.5, 40, 33.5], // 54
  '2025-12-18': [60, -50, -50], // -40
};

test('43 trades on nine days have the figures computed by hand', async () => {
  const all = Object.entries(NINE_DAYS).flatMap(([day, values]) =>
    values.map((net, i) => ({
      net,
      closed: Date.parse(`${day}T12:00:00Z`) + i * 300_000,
    })),
  );
  // Wins are held for 5 * 840, 18 * 1600 and 3000 s, losses for 17 * 840 and 1920 s, the breakeven for 1980 s.
  const held = {
    1: [...Array(5).fill(840), ...Array(18).fill(1600), 3000],
    [-1]: [...Array(17).fill(840), 1920],
    0: [1980],
  };
  const trades = all.map(({ net, closed }, i) =>
    trade(net === -180 ? 't9' : i === 8 ? 't6' : `t${i + 1}`, {
      gross_pnl: i < 20 ? net + 1 : net,
      fees: i < 20 ? 1 : 0,
      closed_at: new Date(closed).toISOString(),
      executed_at: new Date(
        closed - 1000 * held[Math.sign(net) as 0 | 1 | -1].pop()!,
      ).toISOString(),
    }),
  );
  const world = new World();
  filler(world)(journal({}, trades));
  const { body } = await world.ask('/v1/analytics/summary', { key: world.key() });
  const { sharpe, sortino, ...rest } = body.data.performance;
  expect(rest).toEqual({
    currency: 'USD',
    trades: 43,
    wins: 24,
    losses: 18,
    breakevens: 1,
    win_rate: 0.55814,
    win_rate_ex_breakeven: 0.571429,
    gross_pnl: 384,
    fees: 20,
    net_pnl: 364,
    return: {
      time_weighted: null,
      annualised: null,
      rests_on: null,
      reason: 'no starting balance',
    },
    realised_pnl: 364,
    expectancy: 8.46511628,
    expectancy_r: null,
    total_r: null,
    r_sample: 0,
    average_win: 61.5,
    average_loss: -61.77777778,
    payoff_ratio: 0.995504,
    profit_factor: 1.327338,
    profit_factor_infinite: false,
    largest_win: { trade_id: 't1', group_id: null, net_pnl: 210 },
    largest_loss: { trade_id: 't9', group_id: null, net_pnl: -180 },
    max_drawdown: {
      amount: 402.5,
      percent: null,
      peak_at: '2025-12-01T12:20:00.000Z',
      trough_at: '2025-12-01T12:40:00.000Z',
      recovered_at: null,
    },
    recovery_factor: 0.904348,
    current_drawdown: { amount: 166, percent: null, since: '2025-12-01T12:20:00.000Z' },
    realised_drawdown: {
      amount: 402.5,
      percent: null,
      peak_at: '2025-12-01T12:20:00.000Z',
      trough_at: '2025-12-01T12:40:00.000Z',
      recovered_at: null,
      current: { amount: 166, percent: null, since: '2025-12-01T12:20:00.000Z' },
    },
    streaks: {
      longest_win: 5,
      longest_loss: 4,
      current: -2,
      longest_winning_days: 3,
      longest_losing_days: 1,
    },
    // 210, 80, 80, 80 and 80 of 364.
    best_five_share: 1.456044,
    holding_seconds: {
      mean: 1260,
      median: 840,
      wins_mean: 1500,
      losses_mean: 900,
      wins_median: 1600,
      losses_median: 840,
    },
    trading_days: 9,
    winning_days: 6,
    losing_days: 3,
    best_day: { date: '2025-12-01', net_pnl: 240 },
    worst_day: { date: '2025-12-10', net_pnl: -90 },
    daily_basis: 'money',
    daily_sample: 14,
    sqn: null,
    confidence: {
      level: 0.95,
      // With 8 degrees of freedom, one less than the days.
      win_rate: [0.391445, 0.712687],
      expectancy: [-15.98885693, 32.91908949],
      expectancy_r: null,
      expectancy_trades_needed: 262,
    },
  });
  // The 14 days add up to 364 and their squares to 86216: mean 26, variance (86216 - 364^2 / 14) / 13.
  expect(sharpe).toBeCloseTo((26 / Math.sqrt(76_752 / 13)) * Math.sqrt(252), 6);
  expect(sortino).toBeCloseTo((26 / Math.sqrt(11_300 / 14)) * Math.sqrt(252), 6);
});

test('a million trades of 0.10 add up to 100000', () => {
  const user = {
    id: 'me',
    name: null,
    timezone: 'UTC',
    base_currency: 'USD',
    starting_balance: null,
    breakeven_tolerance: 0,
  };
  const performance = new PerformanceAccumulator(
    user,
    { from: null, to: null },
    {
      closed: null,
      realised: null,
      restOn: null,
      returns: null,
      reason: null,
      isOfTrades: false,
    },
  );
  const closedMs = Date.parse('2026-11-10T15:00:00.000Z');
  const one = closed({
    closedMs,
    enteredMs: closedMs - 100,
    gross: 0.3,
    fees: 0.2,
    net: 0.1,
    r: 0.1,
    risk: 1,
  });
  for (let i = 0; i < 1_000_000; i++) performance.add(one);
  expect(performance.result()).toMatchObject({
    trades: 1_000_000,
    gross_pnl: 300_000,
    fees: 200_000,
    net_pnl: 100_000,
    expectancy: 0.1,
    average_win: 0.1,
    total_r: 100_000,
    expectancy_r: 0.1,
    sqn: null,
    holding_seconds: { mean: 0.1, median: 0.1 },
    best_day: { net_pnl: 100_000 },
    max_drawdown: null,
  });
});
