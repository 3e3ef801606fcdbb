/** Periods by name, for both summaries: their days, their previous periods, and conflicting parameters. */
import { describe, expect, test } from 'vitest';
import { tradeRow, World } from '../../helpers.ts';

// period, today; its first and last day, first and last day of the previous period.
const CALENDAR: [string, string, string, string, string, string][] = [
  ['today', '2026-11-20', '2026-11-20', '2026-11-20', '2026-11-19', '2026-11-19'],
  ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28', '2026-02-27', '2026-02-27'],
  ['this_week', '2026-11-20', '2026-11-16', '2026-11-20', '2026-11-09', '2026-11-13'],
  ['this_week', '2026-11-16', '2026-11-16', '2026-11-16', '2026-11-09', '2026-11-09'],
  ['this_week', '2026-11-22', '2026-11-16', '2026-11-22', '2026-11-09', '2026-11-15'],
  ['wtd', '2026-11-20', '2026-11-16', '2026-11-20', '2026-11-09', '2026-11-13'],
  ['last_week', '2027-01-03', '2026-12-21', '2026-12-27', '2026-12-14', '2026-12-20'],
  ['this_month', '2026-03-31', '2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
  ['mtd', '2026-11-20', '2026-11-01', '2026-11-20', '2026-10-01', '2026-10-20'],
  ['last_month', '2024-03-31', '2024-02-01', '2024-02-29', '2024-01-01', '2024-01-31'],
  ['last_month', '2026-01-31', '2025-12-01', '2025-12-31', '2025-11-01', '2025-11-30'],
  ['this_quarter', '2026-11-20', '2026-10-01', '2026-11-20', '2026-07-01', '2026-08-20'],
  ['qtd', '2026-01-01', '2026-01-01', '2026-01-01', '2025-10-01', '2025-10-01'],
  ['last_quarter', '2026-02-14', '2025-10-01', '2025-12-31', '2025-07-01', '2025-09-30'],
  ['this_year', '2026-11-20', '2026-01-01', '2026-11-20', '2025-01-01', '2025-11-20'],
  ['ytd', '2026-01-01', '2026-01-01', '2026-01-01', '2025-01-01', '2025-01-01'],
  ['last_year', '2026-11-20', '2025-01-01', '2025-12-31', '2024-01-01', '2024-12-31'],
  ['2026', '2026-11-20', '2026-01-01', '2026-12-31', '2025-01-01', '2025-11-20'],
  ['2026-10', '2026-11-20', '2026-10-01', '2026-10-31', '2026-09-01', '2026-09-30'],
  ['2026-01', '2026-11-20', '2026-01-01', '2026-01-31', '2025-12-01', '2025-12-31'],
  ['2026-Q1', '2026-11-20', '2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31'],
  ['2026-Q3', '2026-11-20', '2026-07-01', '2026-09-30', '2026-04-01', '2026-06-30'],
  ['2026-W47', '2026-11-20', '2026-11-16', '2026-11-22', '2026-11-09', '2026-11-13'],
  ['2026-11-19', '2026-11-20', '2026-11-19', '2026-11-19', '2026-11-18', '2026-11-18'],
  ['2026-11-24', '2026-11-20', '2026-11-24', '2026-11-24', '2026-11-23', '2026-11-23'],
  // The week of January 1 may belong to the year before.
  ['2026-W01', '2026-11-20', '2025-12-29', '2026-01-04', '2025-12-22', '2025-12-28'],
  ['2021-W01', '2026-11-20', '2021-01-04', '2021-01-10', '2020-12-28', '2021-01-03'],
  ['2020-W53', '2026-11-20', '2020-12-28', '2021-01-03', '2020-12-21', '2020-12-27'],
];

const LENGTHS: [
  query: string,
  today: string,
  first: string,
  last: string,
  before: string,
  day: string,
][] = [
  ['period=7d', '2026-11-20', '2026-11-14', '2026-11-20', '2026-11-07', '2026-11-13'],
  [
    'period=7d&end=2026-10-31',
    '2026-11-20',
    '2026-10-25',
    '2026-10-31',
    '2026-10-18',
    '2026-10-24',
  ],
  [
    'days=1&end=2026-12-24',
    '2026-11-20',
    '2026-12-24',
    '2026-12-24',
    '2026-12-23',
    '2026-12-23',
  ],
  [
    'days=30.0&end=2026-10-31&period=last_year',
    '2026-11-20',
    '2026-10-02',
    '2026-10-31',
    '2026-09-02',
    '2026-10-01',
  ],
];

async function asked(path: string, today: string, timezone = 'America/New_York') {
  const world = new World({ timezone });
  world.now = Date.parse(`${today}T15:00:00.000Z`);
  const { status, body } = await world.ask(path, { key: world.key() });
  expect(status, body.detail).toBe(200);
  return body.data;
}

test.each(CALENDAR)(
  '%s on %s is %s to %s, after %s to %s',
  async (period, today, start_date, end_date, from, to) => {
    for (const path of ['/v1/summary', '/v1/analytics/summary']) {
      const data = await asked(`${path}?period=${period}`, today);
      expect(data.period).toMatchObject({
        start_date,
        end_date,
        timezone: 'America/New_York',
      });
      expect(data.period).not.toHaveProperty('capped');
      if (data.previous_period)
        expect(data.previous_period).toMatchObject({ start_date: from, end_date: to });
    }
  },
);

test.each(LENGTHS)('%s on %s is %s to %s', async (query, today, start_date, end_date) => {
  expect((await asked(`/v1/summary?${query}`, today)).period).toMatchObject({
    start_date,
    end_date,
  });
});

test('the compact summary cuts a period to 365 days and marks it as capped, also a leap year', async () => {
  for (const [query, today, start_date, days, whole] of [
    ['period=2y', '2026-11-20', '2025-11-21', 730, '2024-11-21'],
    ['period=last_year', '2025-06-01', '2024-01-02', 366, '2024-01-01'],
    ['period=2024', '2026-11-20', '2024-01-02', 366, '2024-01-01'],
    ['period=all', '2026-11-20', '2025-11-21', null, null],
  ] as const) {
    const compact = (await asked(`/v1/summary?${query}`, today)).period;
    expect(compact).toMatchObject({ days: 365, start_date, capped: true });
    const { period } = await asked(`/v1/analytics/summary?${query}`, today);
    expect(period).toMatchObject({ days, start_date: whole });
    expect(period).not.toHaveProperty('capped');
  }
  expect(
    (await asked('/v1/summary?period=365d', '2026-11-20')).period,
  ).not.toHaveProperty('capped');
});

test("days are in the user's time zone, with their start in UTC", async () => {
  const { period, previous_period } = await asked(
    '/v1/analytics/summary?period=last_month',
    '2026-12-01',
  );
  expect(period).toEqual({
    start: '2026-11-01T04:00:00.000Z',
    end: '2026-12-01T05:00:00.000Z',
    days: 30,
    start_date: '2026-11-01',
    end_date: '2026-11-30',
    timezone: 'America/New_York',
  });
  expect(previous_period).toEqual({
    start: '2026-10-01T04:00:00.000Z',
    end: '2026-11-01T04:00:00.000Z',
    days: 31,
    start_date: '2026-10-01',
    end_date: '2026-10-31',
  });
});

describe('the previous period of the analytics', () => {
  test('has as many days of the month before, if the month is not over', async () => {
    const world = new World();
    world.insert(
      'trades',
      ...[
        ['2026-09-30T12:00:00.000Z', 1],
        ['2026-10-01T12:00:00.000Z', 10],
        ['2026-10-31T12:00:00.000Z', 100],
        ['2026-11-02T12:00:00.000Z', 1000],
      ].map(([closed_at, gross_pnl], i) =>
        tradeRow(`t${i}`, {
          closed_at: closed_at as string,
          executed_at: '2026-09-01T10:00:00.000Z',
          gross_pnl: gross_pnl as number,
        }),
      ),
    );
    const { body } = await world.ask('/v1/analytics/summary?period=mtd', {
      key: world.key(),
    });
    expect(body.data.performance.net_pnl).toBe(1000);
    expect(body.data.previous.net_pnl).toBe(10);
    const last = await world.ask('/v1/analytics/summary?period=last_month', {
      key: world.key(),
    });
    expect(last.body.data.performance.net_pnl).toBe(110);
  });

  test('a period of instants has the days that contain them', async () => {
    const data = await asked(
      '/v1/analytics/summary?start=2026-11-10T03:00:00Z&end=2026-11-11T05:00:00Z',
      '2026-11-20',
    );
    expect(data.period).toMatchObject({
      days: 1.083333,
      start_date: '2026-11-09',
      end_date: '2026-11-10',
    });
    expect(data.previous_period).toMatchObject({
      start: '2026-11-09T01:00:00.000Z',
      start_date: '2026-11-08',
    });
  });

  test('the whole journal has no previous period', async () => {
    const data = await asked('/v1/analytics/summary', '2026-11-20');
    expect(data).toMatchObject({
      period: { start_date: null, end_date: null },
      previous: null,
      previous_period: null,
    });
  });
});

test.each<[path: string, param: string, detail: RegExp]>([
  [
    '/v1/analytics/summary?period=30d&start=2026-01-01',
    'period',
    /either period, or start and end/,
  ],
  [
    '/v1/analytics/summary?end=2026-01-01&period=ytd',
    'period',
    /either period, or start and end/,
  ],
  ['/v1/analytics/summary?period=last-month', 'period', /one of .*last_month/],
  ...[
    '2026-13',
    '2026-00',
    '2026-Q5',
    '2026-W54',
    '2025-W53',
    '2026-W00',
    '0000',
    '9999',
    '26-10',
    '2026-02-30',
  ].map((name): [string, string, RegExp] => [
    `/v1/summary?period=${name}`,
    'period',
    /such as 2026, 2026-10, 2026-Q3, 2026-W47 or/,
  ]),
  ['/v1/summary?period=2026-10&end=2026-10-31', 'end', /2026-10 has its own end/],
  [
    '/v1/summary?period=last_month&end=2026-10-31',
    'end',
    /30d.*last_month has its own end/,
  ],
])('%s is refused', async (path, param, detail) => {
  const world = new World();
  const { status, body } = await world.ask(path, { key: world.key() });
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid_parameter', param });
  expect(body.detail).toMatch(detail);
});

test('the first and last dates have no trades and cause no error', async () => {
  const world = new World({ timezone: 'Pacific/Apia' });
  const key = world.key();
  for (const end of ['0001-01-01', '9999-12-31', '9998-12-31']) {
    for (const days of [1, 365]) {
      const { status, body } = await world.ask(`/v1/summary?days=${days}&end=${end}`, {
        key,
      });
      expect([status, body.data.performance.trades]).toEqual([200, 0]);
    }
  }
  for (const period of ['0001', '0001-W01', '9998', '9998-W52', '9999y', '999999999d']) {
    const { status, body } = await world.ask(`/v1/analytics/summary?period=${period}`, {
      key,
    });
    expect([period, status, body.data?.performance.trades]).toEqual([period, 200, 0]);
  }
});
