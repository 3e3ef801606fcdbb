/**
 * Files whose rows state realised P&L: the journal realises the same amount on each day and in each month, to the
 * cent. Those that differ are named, with the reason that the report gives. Closed trades without fills, too.
 */
import { describe, expect, test } from 'vitest';
import type { ImportOptions } from '../../src/import/index.ts';
import type { FileReport } from '../../src/import/report/report.ts';
import { allExports, pathOf, reportedFiles } from './exports.ts';
import { ImportHome } from './home.ts';

/** Days that differ: the file's amount, ours, and the reason. */
const DIFFERING: Readonly<
  Record<string, readonly (readonly [string, number, number, string])[]>
> = {
  'hyperliquid/fills.csv': [
    // Made up: a rest of 0.0475 coins counts as sold, and the platform's average price includes it.
    ['2026-01-06', 182.005, 182.0115, 'other_sum'],
    // Sizes are rounded to two decimals, so that P&L at average prices isn't equal to its last digit.
    ['2024-12-03', 13607.502032, 13329.25972195, 'other_sum'],
  ],
  'ibkr-flex/sections.csv': [['2026-01-12', 250, 99, 'option_premium']],
  // Its amounts are no result of its prices.
  'trading212/export.csv': [
    ['2026-02-20', 75, 68, 'other_sum'],
    ['2024-06-20', 283, 248, 'other_sum'],
  ],
  'ibkr-activity/data_long_call_exercise.csv': [
    ['2024-03-15', 0, -300, 'option_premium'],
  ],
  'ibkr-activity/data_long_put_exercise.csv': [
    ['2024-04-19', -500, -650, 'option_premium'],
  ],
  'ibkr-activity/data_multi_account.csv': [
    ['2021-01-15', -445.772436, -466.30035, 'option_premium'],
  ],
  'ibkr-activity/data_short_cover_2024.csv': [
    ['2024-07-16', 3490.900086, 3352.950595, 'option_premium'],
  ],
  'ibkr-activity/data_short_put_assign_2023.csv': [
    ['2023-08-16', 0, 200, 'option_premium'],
  ],
  'ibkr-activity/data_shorting_stocks.csv': [
    ['2021-07-16', 3490.900086, 3352.9505946, 'option_premium'],
  ],
  // An order that closes and opens: its P&L has all of its commission.
  'ibkr-activity/german-U00000000_20260101_20260417.csv': [
    ['2026-04-10', 87.97, 88.77, 'other_sum'],
  ],
  'ibkr-flex/testIBFlexStatementFile02.xml': [['2017-09-15', 0, 49.5, 'option_premium']],
  // The row of the third contract opens, but states P&L.
  'ibkr-flex-csv/options_short_two_closes_surplus_open.csv': [
    ['2022-09-28', -567, -378, 'opening'],
  ],
  'ibkr-flex-csv/stock_assign_long_close.csv': [
    ['2022-08-05', 297.569075, -250.430925, 'option_premium'],
  ],
};

/** Folders with such files. */
const STATING = [
  'binance',
  'formats-seen',
  'hyperliquid',
  'ibkr-activity',
  'ibkr-flex',
  'ibkr-flex-csv',
  'okx-trading-history',
  'quantower',
  'sierra-trades-list',
  'trading212',
];

function reportOf(path: string, options: Partial<ImportOptions>): FileReport | undefined {
  try {
    return new ImportHome().withUser().import(path, options).files[0];
  } catch {
    // Some are invalid on purpose.
    return undefined;
  }
}

describe('days of realised P&L', () => {
  const files = [
    ...allExports(STATING),
    ...reportedFiles().map((label) => ({
      label,
      dates: undefined,
      path: () => pathOf(label),
    })),
  ];
  const [ours, real] = ['made-up', 'real'].map((kind) =>
    files.filter(({ label }) => label.startsWith(kind)),
  ) as [typeof files, typeof files];
  const compared = (some: typeof files) => {
    const table: string[] = [];
    const months = new Set<string>();
    let [stated, differing] = [0, 0];
    for (const { label, dates, path } of some) {
      const days = reportOf(path(), dates ? { dates } : {})?.platform?.days;
      if (!days || days.stated === 0) continue;

      stated += days.stated;
      differing += days.differing.length;
      table.push(
        `${label}: ${days.stated - days.differing.length} of ${days.stated} days equal`,
      );
      for (const { date, amount, ours: here, reason } of days.differing)
        table.push(`  ${date}: ${amount} stated, ${here} here, ${reason}`);
      const byMonth = Map.groupBy(days.differing, ({ date }) => date.slice(0, 7));
      for (const [month, of] of byMonth)
        if (Math.abs(of.reduce((sum, day) => sum + day.difference, 0)) > 0.005)
          months.add(`${label} ${month}`);
      const name = label.split(/ (.*)/)[1] as string;
      const known = DIFFERING[name] ?? [];
      for (const { date, amount, ours: here, reason } of days.differing)
        expect(known, label).toContainEqual([date, amount, here, reason]);
    }
    return { stated, differing, months: months.size, table };
  };

  test('of exports of our own', () => {
    const { stated, differing } = compared(ours);
    expect(stated).toBeGreaterThan(12);
    expect(differing).toBe(3);
  });

  test.skipIf(real.length === 0)('of real ones', () => {
    const { stated, differing, months, table } = compared(real);
    console.log(table.join('\n'));
    expect(stated).toBeGreaterThan(60);
    expect(differing).toBe(12);
    expect(months).toBe(12);
  });
});

/** Folders of closed trades of which the platform states each result. */
const CLOSED = [
  'bybit',
  'ctrader-history',
  'etoro',
  'exness-personal-area',
  'freqtrade',
  'freqtrade-backtest',
  'ftmo-metrix',
  'groww-pnl',
  'metatrader',
  'mt-tester',
  'ninjatrader',
  'topstepx',
  'tradezella',
  'tradingview',
];

test('results of closed trades without fills are realised on their days and in their months', () => {
  let [days, trades] = [0, 0];
  for (const { dates, path } of allExports(CLOSED)) {
    const home = new ImportHome();
    try {
      home.import(path(), { timeZone: 'UTC', ...(dates && { dates }) });
    } catch {
      // Some are invalid on purpose.
      continue;
    }

    const closed = home.rows(
      `SELECT substr(closed_at, 1, 10) AS date, count(*) AS n, total(net_pnl) AS net_pnl
       FROM trades AS t WHERE status = 'closed' AND currency = (SELECT base_currency FROM users)
         AND NOT EXISTS (SELECT 1 FROM fills) GROUP BY 1 ORDER BY 1`,
    );
    if (closed.length === 0) continue;

    const realised = home.figures(['realised']).realised ?? [];
    expect(realised.map(({ date, net_pnl }) => [date, net_pnl])).toEqual(
      closed.map(({ date, net_pnl }) => [date, expect.closeTo(net_pnl as number, 2)]),
    );
    days += closed.length;
    trades += closed.reduce((sum, { n }) => sum + Number(n), 0);
  }

  expect(days).toBeGreaterThan(30);
  expect(trades).toBeGreaterThan(days);
});
