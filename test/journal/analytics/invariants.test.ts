/** Relations between responses, for any journal. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { Exact } from './exact.ts';
import { filler, journal, trade } from './fill.ts';
import { type Question, question } from './journals.ts';
import { DIMENSION_NAMES, dateIn, dayAfter } from './reference.ts';

type Json = any;

type Ask = (path: string) => Promise<Json>;

function asker(world: World): Ask {
  const key = world.key();
  return async (path) => {
    const { status, body } = await world.ask(path, { key });
    expect(status, body.detail).toBe(200);
    return body.data;
  };
}

function always(
  what: string,
  holds: (ask: Ask, question: Question, world: World) => Promise<void>,
  times = 50,
): void {
  test(what, async () => {
    const world = new World();
    const fill = filler(world);
    const ask = asker(world);
    await fc.assert(
      fc.asyncProperty(question, async (question) => {
        fill(question.journal);
        world.now = question.now;
        await holds(ask, question, world);
      }),
      { numRuns: runs(times) },
    );
  });
}

const analytics = (ask: Ask, query: Record<string, string> = {}) =>
  ask(`/v1/analytics/summary?${new URLSearchParams(query)}`);

/** Each rounded part may differ by half of the 8th decimal. */
function expectSum(parts: number[], whole: number): void {
  const off = Exact.sum(parts.map((part) => Exact.of(part))).minus(Exact.of(whole));
  expect(off.abs().toNumber(), `${parts.join(' + ')} = ${whole}`).toBeLessThanOrEqual(
    (parts.length + 1) * 0.5e-8,
  );
}

/** Expects parts, each a performance or a row of a breakdown, to add up to the whole. */
function expectParts(parts: Json[], whole: Json): void {
  for (const count of ['trades', 'wins', 'losses', 'breakevens']) {
    expect(parts.reduce((sum, part) => sum + part[count], 0)).toBe(whole[count]);
  }
  expectSum(
    parts.map((part) => part.net_pnl),
    whole.net_pnl,
  );
}

always('rows that do not overlap add up to the whole', async (ask) => {
  const { performance, breakdowns } = await analytics(ask);
  for (const dimension of [
    ...[
      'symbol',
      'underlying',
      'market',
      'side',
      'setup',
      'weekday',
      'hour',
      'month',
      'account',
    ],
    ...['holding_time', 'r_multiple'],
  ]) {
    expectParts(breakdowns[dimension], performance);
  }
});

always(
  'a single section is the same as among all sections',
  async (ask, { unit, group_by, top, filters }) => {
    const query = {
      ...filters,
      unit,
      ...(top && { top: `${top}` }),
      ...(group_by && { group_by: group_by.join(',') }),
    };
    const whole = await analytics(ask, query);
    const { period, previous_period, ...sections } = whole;
    for (const [name, section] of Object.entries(sections)) {
      const { group_by: _, ...others } = query;
      const given = await analytics(ask, {
        ...(name === 'groups' ? query : others),
        sections: name,
      });
      expect(given).toEqual({
        period,
        ...(name === 'previous' && { previous_period }),
        [name]: section,
      });
    }
  },
);

always(
  'the filter of a label selects the trades of its row',
  async (ask, { journal }) => {
    const { breakdowns } = await analytics(ask);
    for (const name of ['symbol', 'underlying', 'setup', 'account', 'tag', 'mistake']) {
      for (const row of breakdowns[name].filter(({ key }: Json) => key !== null)) {
        const { performance } = await analytics(ask, {
          [name]: row.key,
          sections: 'performance',
        });
        expect(
          performance,
          `${name}=${row.key} in ${journal.trades.length}`,
        ).toMatchObject({
          trades: row.trades,
          net_pnl: row.net_pnl,
          win_rate: row.win_rate,
        });
      }
    }
  },
);

/** Dimensions in which each trade has one key. */
const SINGLE = [
  'after',
  'after_day',
  'streak',
  'losses_today',
  'day_result',
  'trades_that_day',
  'entry_day',
  'since_loss',
  'trade_of_day',
  'size',
  'followed_plan',
  'mood',
  'energy',
  'sleep',
  'day_plan',
];

always(
  'a condition selects the trades of its row, and exclude keeps the others',
  async (ask, { unit, group_by }) => {
    const by = group_by?.[0] ?? 'r_multiple';
    const { performance, groups } = await analytics(ask, { unit, group_by: by });
    for (const { by: keys, ...row } of groups) {
      const condition = JSON.stringify(keys);
      const met = await analytics(ask, {
        unit,
        where: condition,
        sections: 'performance',
      });
      expect(met.performance).toMatchObject({
        trades: row.trades,
        net_pnl: row.net_pnl,
        win_rate: row.win_rate,
      });
      const { what_if } = await analytics(ask, {
        unit,
        exclude: condition,
        sections: 'what_if',
      });
      expect(what_if.excluded).toEqual({ trades: row.trades, net_pnl: row.net_pnl });
      expectSum([what_if.without.net_pnl, row.net_pnl], performance.net_pnl);
    }
  },
);

always(
  'a condition on any dimension holds whatever sections are requested',
  async (ask, { unit }) => {
    for (const by of DIMENSION_NAMES) {
      const { groups } = await analytics(ask, { unit, group_by: by, sections: 'groups' });
      for (const { by: keys, ...row } of groups.slice(0, 4)) {
        const { performance } = await analytics(ask, {
          unit,
          where: JSON.stringify(keys),
          sections: 'performance',
        });
        const {
          trades,
          wins,
          losses,
          net_pnl,
          win_rate,
          profit_factor,
          expectancy,
          r_sample,
          fees,
        } = row;
        const figures = {
          trades,
          wins,
          losses,
          net_pnl,
          win_rate,
          profit_factor,
          expectancy,
          r_sample,
          fees,
        };
        expect(performance, JSON.stringify(keys)).toMatchObject({
          ...figures,
          expectancy_r: row.average_r,
        });
      }
    }
  },
  15,
);

always(
  "a trader's behaviour is the same for any period and filters",
  async (ask, { unit, start, filters }) => {
    const query = { unit, ...filters, ...(start && { start }) };
    const { performance } = await analytics(ask, query);
    for (const by of SINGLE) {
      const { groups } = await analytics(ask, {
        ...query,
        group_by: by,
        sections: 'groups',
      });
      expect(groups.reduce((sum: number, row: Json) => sum + row.trades, 0)).toBe(
        performance.trades,
      );
      for (const { by: keys, trades } of groups) {
        const whole = await analytics(ask, {
          unit,
          where: JSON.stringify(keys),
          sections: 'performance',
        });
        expect(whole.performance.trades).toBeGreaterThanOrEqual(trades);
      }
    }
  },
  15,
);

always('days add up to the whole', async (ask) => {
  const { performance, daily } = await analytics(ask);
  expect(daily.reduce((sum: number, day: Json) => sum + day.trades, 0)).toBe(
    performance.trades,
  );
  expectSum(
    daily.map((day: Json) => day.net_pnl),
    performance.net_pnl,
  );
  expect(daily.at(-1)?.cumulative_net_pnl ?? 0).toBe(performance.net_pnl);
  expect(daily).toHaveLength(performance.trading_days);
  expectSum([performance.gross_pnl, -performance.fees], performance.net_pnl);
});

test.each([
  ['side', ['long', 'short']],
  ['market', ['stock', 'crypto', 'option']],
  ['outcome', ['win', 'loss', 'breakeven']],
  ['status', ['closed', 'open']],
] as const)('the values of the filter %s add up to the whole', async (name, values) => {
  const world = new World();
  const fill = filler(world);
  const ask = asker(world);
  await fc.assert(
    fc.asyncProperty(question, async ({ journal }) => {
      fill(journal);
      const whole = await analytics(ask);
      const parts = await Promise.all(
        values.map((value) => analytics(ask, { [name]: value })),
      );
      expectParts(
        parts.map(({ performance }) => performance),
        whole.performance,
      );
      // An open trade with exits and no rate has no outcome.
      const counted = [
        'without_stop',
        'without_journal',
        ...(name === 'outcome' ? [] : ['without_rate']),
      ];
      for (const section of counted) {
        expect(parts.reduce((sum, part) => sum + part.data_quality[section], 0)).toBe(
          whole.data_quality[section],
        );
      }
      if (name === 'outcome') {
        const counts = parts.map(({ performance }) => performance.trades);
        expect(counts).toEqual([
          whole.performance.wins,
          whole.performance.losses,
          whole.performance.breakevens,
        ]);
      } else {
        expect(parts.reduce((sum, part) => sum + part.open.trades, 0)).toBe(
          whole.open.trades,
        );
      }
    }),
    { numRuns: runs(30, 6) },
  );
});

always('adjoining periods add up', async (ask, { journal, now }) => {
  const date = dateIn(journal.person.timezone, now);
  const halves = await Promise.all([
    analytics(ask, { end: date }),
    analytics(ask, { start: dayAfter(date) }),
  ]);
  const whole = await analytics(ask);
  expectParts(
    halves.map((half) => half.performance),
    whole.performance,
  );
  expectSum(
    halves.map((half) => half.performance.realised_pnl),
    whole.performance.realised_pnl,
  );
});

always(
  'the days of exits add up to the realised P&L, and its largest fall is one of theirs',
  async (ask, { unit, start, filters }) => {
    const asked = { unit, ...filters, ...(start && { start }) };
    const { performance, realised } = await analytics(ask, asked);
    expectSum(
      realised.map(({ net_pnl }: Json) => net_pnl),
      performance.realised_pnl,
    );
    const { realised_steps: steps } = await analytics(ask, {
      ...asked,
      sections: 'realised_steps',
    });
    expectSum(
      steps.map(({ net_pnl }: Json) => net_pnl),
      performance.realised_pnl,
    );
    const deepest = Math.max(0, ...steps.map(({ drawdown }: Json) => drawdown));
    expect(deepest).toBe(performance.realised_drawdown?.amount ?? 0);
    const falls = realised.map(({ lowest }: Json) => lowest);
    expect(Math.max(0, ...falls)).toBe(performance.realised_drawdown?.amount ?? 0);
    for (const { gross_pnl, fees, net_pnl, drawdown, lowest } of realised) {
      expectSum([gross_pnl, -fees], net_pnl);
      expect(drawdown).toBeLessThanOrEqual(lowest);
    }
  },
);

always(
  'the compact summary has the performance of the analytics for the same days',
  async (ask, { journal, days, now }) => {
    const today = dateIn(journal.person.timezone, now);
    const { period, performance } = await ask(`/v1/summary?days=${days}`);
    const start = dayAfter(today, 1 - days);
    const full = await analytics(ask, { start, end: today });
    expect(performance).toEqual(full.performance);
    // If a zone has skipped a day, the analytics has only the next one.
    expect(period).toEqual({ ...full.period, days, start_date: start });
  },
);

always(
  'sessions and weekly reviews have the same figures as the analytics of their days',
  async (ask, { journal, now }, world) => {
    const today = dateIn(journal.person.timezone, now);
    // Except the day that a zone has skipped: it has no analytics to compare with.
    const dates = [-1, 0, 1]
      .map((n) => dayAfter(today, n))
      .filter((date) => date !== '2011-12-30');
    for (const date of dates) {
      world.insert('sessions', { id: date, date });
      world.insert('weekly_reviews', {
        id: date,
        period_start: date,
        period_end: dayAfter(date, 6),
      });
    }
    const figures = async (start: string, end: string) => {
      const { trades, net_pnl, realised_pnl, win_rate, total_r, max_drawdown } = (
        await analytics(ask, { start, end })
      ).performance;
      const entered = await ask(
        `/v1/trades?limit=100&start=${start}&end=${end}&fields=id`,
      );
      return {
        trades,
        trades_entered: entered.length,
        net_pnl,
        realised_pnl,
        win_rate,
        total_r,
        max_drawdown: max_drawdown?.amount ?? null,
      };
    };
    for (const session of await ask('/v1/sessions'))
      expect(session.metrics).toEqual(await figures(session.date, session.date));
    for (const week of await ask('/v1/weekly-reviews'))
      expect(week.metrics).toEqual(await figures(week.period_start, week.period_end));
  },
  100,
);

always(
  'a group is the sum of its legs, or null if they have several currencies',
  async (ask) => {
    for (const group of await ask('/v1/trade-groups')) {
      const legs = await ask(`/v1/trades?limit=100&group_id=${group.id}`);
      expect([...group.trade_ids].sort()).toEqual(legs.map(({ id }: Json) => id).sort());
      expect(group.leg_count).toBe(legs.length);
      const mixed = legs.some(({ currency }: Json) => currency !== group.currency);
      for (const sum of ['gross_pnl', 'fees', 'net_pnl']) {
        if (mixed) expect(group[sum]).toBeNull();
        else
          expect(group[sum]).toBe(
            Exact.sum(legs.map((leg: Json) => Exact.of(leg[sum])))
              .rounded(8)
              .toNumber(),
          );
      }
    }
  },
);

test('with more trades than are read at once, each counts once, with or without ties', async () => {
  const world = new World();
  const many = (same: number) =>
    Array.from({ length: 3001 }, (_, i) =>
      trade(`t${(i * 7919) % 3001}`, {
        closed_at: new Date(
          Date.parse('2026-11-01T10:00:00.000Z') + Math.floor(i / same) * 1000,
        ).toISOString(),
        gross_pnl: 0.1,
      }),
    );
  for (const same of [1, 999, 3001]) {
    filler(world)(journal({}, many(same)));
    const { performance } = await analytics(asker(world));
    expect(performance).toMatchObject({
      trades: 3001,
      net_pnl: 300.1,
      expectancy: 0.1,
      streaks: { longest_win: 3001 },
    });
  }
});

/** Outcomes in the list of trades, for the trades in the figures. */
async function listed(ask: Ask, base: string) {
  const trades = (await ask('/v1/trades?limit=100')).filter(
    ({ status, currency, fx_rate }: Json) =>
      status === 'closed' && (currency === base || fx_rate !== null),
  );
  const count = (outcome: string) =>
    trades.filter((trade: Json) => trade.outcome === outcome).length;
  return {
    trades: trades.length,
    wins: count('win'),
    losses: count('loss'),
    breakevens: count('breakeven'),
  };
}

always(
  'the list of trades has the same outcomes as the figures',
  async (ask, { journal }) => {
    expect((await analytics(ask)).performance).toMatchObject(
      await listed(ask, journal.person.base_currency),
    );
  },
  300,
);

test('also if the net is exactly at the tolerance', async () => {
  const world = new World();
  const fill = filler(world);
  const ask = asker(world);
  const tiny = fc.integer({ min: -60, max: 60 }).map((n) => n / 1e8);
  const edge = fc.record({
    gross_pnl: fc.oneof(
      tiny,
      fc.integer({ min: -30, max: 30 }).map((n) => n / 10),
      fc.integer({ min: -9e9, max: 9e9 }).map((n) => n / 1e9),
    ),
    fees: fc.oneof(fc.constant(0), tiny.map(Math.abs), fc.constantFrom(0.1, 0.3)),
    currency: fc.constantFrom('USD', 'EUR'),
    fx_rate: fc.constantFrom(1.1, 1.5, 0.5, 0.05, 1.25, 3, null),
  });
  const tolerance = fc.oneof(
    fc.constant(0),
    tiny.map(Math.abs),
    fc.integer({ min: 0, max: 30 }).map((n) => n / 10),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(edge, { maxLength: 20, size: 'max' }),
      tolerance,
      async (edges, breakeven_tolerance) => {
        fill(
          journal(
            { breakeven_tolerance },
            edges.map((more, i) => trade(`t${i}`, more)),
          ),
        );
        const { performance } = await analytics(ask);
        for (const { trade_id, net_pnl } of [
          performance.largest_win,
          performance.largest_loss,
        ].filter(Boolean)) {
          const { currency, fx_rate, ...single } = await ask(`/v1/trades/${trade_id}`);
          if (currency === 'USD') expect(net_pnl).toBe(single.net_pnl);
        }
        const counts = await listed(ask, 'USD');
        expect(performance).toMatchObject(counts);
        for (const [outcome, count] of [
          ['win', counts.wins],
          ['loss', counts.losses],
          ['breakeven', counts.breakevens],
        ] as const) {
          expect((await analytics(ask, { outcome })).performance.trades).toBe(count);
        }
      },
    ),
    { numRuns: runs(120, 24) },
  );
});
