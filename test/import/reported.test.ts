/**
 * Files that were once read wrong or refused, with what is right for each: small ones of our own,
 * whose sums were worked out by hand, and the reported ones where they lie beside the project.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadMapping } from '../../src/import/mapping/load.ts';
import type { FileReport } from '../../src/import/report/report.ts';
import { pathOf, pathOfReported, reportedFiles } from './exports.ts';
import { ImportHome } from './home.ts';

interface Right {
  symbol?: string;
  closed: number;
  open: number;
  /** Gross, fees and net of each currency. */
  money: readonly (readonly [currency: string, gross: number, fees: number])[];
  unmatched?: number;
  /** What the file itself states as a whole. */
  total?: number;
}

const MADE_UP: readonly (readonly [name: string, right: Right])[] = [
  ['binance-futures-flips.csv', { closed: 3, open: 0, money: [['USDT', 4, 0.07]] }],
  [
    'workbook-empty-shared-strings.xlsx',
    { closed: 1, open: 0, money: [['USDT', 9, 0.249]], unmatched: 1 },
  ],
  ['flex-without-buy-sell.csv', { closed: 1, open: 0, money: [['EUR', 50, 2.5]] }],
  ['flex-buysell-one-word.csv', { closed: 1, open: 0, money: [['EUR', 50, 2.5]] }],
  ['flex-automatic-conversion.xml', { closed: 1, open: 0, money: [['USD', 30, 2.5]] }],
  ['flex-conversions.xml', { closed: 0, open: 2, money: [['USD', 0, 3.75]] }],
  [
    'flex-option-without-open-close.csv',
    { closed: 1, open: 0, money: [['USD', 165, 3.9]] },
  ],
  [
    'freqtrade-backtest-force-exit.json',
    { closed: 3, open: 0, money: [['USDT', 1.5, 0.3015]], total: 1.1985 },
  ],
  [
    'Strat_BINANCE_LTCUSDT_2026-04-09.csv',
    { closed: 1, open: 0, money: [['USDT', 20, 0]] },
  ],
  [
    'DOT_List_of_Trades.csv',
    { symbol: 'BINANCE:DOTBUSD', closed: 2, open: 0, money: [['BUSD', -300, 12.7]] },
  ],
  [
    'mt4-tester-partial-close.htm',
    { closed: 3, open: 0, money: [['USD', 65, 0]], total: 65 },
  ],
  [
    'thinkorswim-assignment-trd.csv',
    { closed: 3, open: 0, money: [['USD', 510, 1.99]], total: 1.99 },
  ],
  [
    'thinkorswim-assignment-exp.csv',
    { closed: 3, open: 0, money: [['USD', 510, 1.99]], total: 1.99 },
  ],
  ['tradovate-orders-account-1.csv', { closed: 1, open: 0, money: [['USD', 45, 0]] }],
  ['tradovate-orders-account-2.csv', { closed: 1, open: 0, money: [['USD', 61.25, 0]] }],
  ['tradingview-glued-times.csv', { closed: 1, open: 0, money: [['USD', 7.5, 0]] }],
  ['option-without-terms.ofx', { closed: 0, open: 0, money: [], unmatched: 1 }],
];

const REPORTED: readonly (readonly [name: string, right: Right])[] = [
  ['binance-futures-flips.csv', { closed: 3, open: 0, money: [['USDT', 19, 0]] }],
  [
    'binance-Trade_History.xlsx',
    { closed: 40, open: 4, money: [['USDT', -26.4270634, 0]], unmatched: 1 },
  ],
  [
    'workbook-empty-shared-strings.xlsx',
    { closed: 1, open: 0, money: [['USDT', 20, 0.42]] },
  ],
  ['flex-without-buy-sell.csv', { closed: 1, open: 0, money: [['USD', 10, 2]] }],
  ['flex-buysell-one-word.csv', { closed: 1, open: 0, money: [['USD', 10, 2]] }],
  ['flex-automatic-conversion.xml', { closed: 1, open: 0, money: [['USD', 10, 2]] }],
  [
    'flex-conversions-14.xml',
    {
      closed: 0,
      open: 4,
      money: [
        ['CHF', 0, 6.842362],
        ['USD', 0, 5.42032255],
      ],
    },
  ],
  [
    'flex-option-without-open-close.csv',
    { closed: 1, open: 0, money: [['USD', 350, 2]] },
  ],
  [
    'freqtrade-backtest-force-exit.json',
    { closed: 2, open: 0, money: [['USDT', -9, 0.391]], total: -9.391 },
  ],
  [
    'backtest-result-08-51-42.json',
    {
      closed: 28,
      open: 0,
      money: [['USDT', 7.09501341, 28.00708263]],
      total: -20.91206922,
    },
  ],
  [
    'Strat_BINANCE_ETHUSDT_2026-03-02.csv',
    { closed: 1, open: 0, money: [['USDT', 20, 0]] },
  ],
  [
    'ADA_List_of_Trades.csv',
    {
      symbol: 'BINANCE:ADABUSD',
      closed: 48,
      open: 0,
      money: [['BUSD', 50_456.2153, 2642.4253]],
    },
  ],
  [
    'BNBBUSD_List_of_Trades_2022-12-01_2023-01-05.csv',
    {
      symbol: 'BINANCE:BNBBUSD',
      closed: 55,
      open: 0,
      money: [['BUSD', 57_720.398, 3141.648]],
    },
  ],
  [
    'mt4-tester-partial-close.htm',
    { closed: 2, open: 0, money: [['USD', 30, 0]], total: 30 },
  ],
  [
    'mt4-tester-34-partial.htm',
    { closed: 85, open: 0, money: [['USD', 2583.58, 0]], total: 2583.59 },
  ],
  [
    'thinkorswim-assignment-trd.csv',
    { closed: 3, open: 0, money: [['USD', 130, 1.34]], total: 1.34 },
  ],
  [
    'thinkorswim-assignment-exp.csv',
    { closed: 3, open: 0, money: [['USD', 130, 1.34]], total: 1.34 },
  ],
  ['tradovate-orders-account-1.csv', { closed: 1, open: 0, money: [['USD', 20, 0]] }],
  ['tradovate-orders-account-2.csv', { closed: 1, open: 0, money: [['USD', 200, 0]] }],
  ['tradingview-glued-times.csv', { closed: 1, open: 0, money: [['JPY', -22, 0]] }],
  ['fidelity_fee.ofx', { closed: 0, open: 0, money: [], unmatched: 1 }],
];

const labelOf = (name: string) => `real reported/${name}`;
const isHere = reportedFiles().length > 0;
const table = (files: typeof REPORTED, path: (name: string) => string) =>
  files.map(([name, right]) => ({ name, path: () => path(name), right }));

test.each([
  ...table(MADE_UP, pathOfReported),
  ...(isHere ? table(REPORTED, (name) => pathOf(labelOf(name))) : []),
])('$name', ({ path, right: { symbol, ...right } }) => {
  const home = new ImportHome().withUser();
  const report = home.import(path(), { symbol });
  const [{ rows, platform }] = report.files as [FileReport];
  expect(rows.used).toBeGreaterThan(0);
  expect(platform?.trades).toMatchObject({ closed: right.closed, open: right.open });
  const money = platform?.money.map(({ currency, gross, fees }) => [
    currency,
    gross,
    fees,
  ]);
  expect(money?.sort()).toEqual(right.money);
  expect(platform?.unmatched).toHaveLength(right.unmatched ?? 0);
  expect(report.notices.filter(({ code }) => code === 'expired_open')).toEqual([]);
  const totals = platform?.stated
    .filter(({ stated_as }) => stated_as === 'total')
    .map(({ amount }) => amount);
  expect(totals).toEqual(right.total === undefined ? [] : [right.total]);
});

const shownOf = (home: ImportHome, symbols: string) =>
  home
    .rows(
      `SELECT symbol, side, status, gross_pnl, fees, open_quantity, multiplier FROM trades
       WHERE symbol LIKE '${symbols}' ORDER BY symbol`,
    )
    .map((row) => Object.values(row).join(' '));

describe('files of our own', () => {
  test('both accounts with equal order ids come in', () => {
    const home = new ImportHome().withUser();
    home.import([1, 2].map((n) => pathOfReported(`tradovate-orders-account-${n}.csv`)));
    const sums = home.rows('SELECT account, gross_pnl FROM trades ORDER BY gross_pnl');
    expect(sums).toEqual([
      { account: 'SIM4', gross_pnl: 45 },
      { account: 'FUND9', gross_pnl: 61.25 },
    ]);
  });

  test('an assigned put without marks is a closed short, with the shares', () => {
    const home = new ImportHome().withUser();
    home.import(pathOfReported('flex-assigned-put.xml'));
    expect(shownOf(home, 'KO%')).toEqual([
      'KO long open 0 0 100 1',
      'KO 2026-06-12 P61 short closed 210 1.05 0 100',
    ]);
  });

  test('options on futures have the strikes of their descriptions', () => {
    const home = new ImportHome().withUser();
    home.import(pathOfReported('flex-futures-option.xml'));
    expect(shownOf(home, 'JPY%')).toEqual([
      'JPY 2026-06-19 P0.0064 long closed -500 9.6 0 12500000',
      'JPY 2026-07-10 C0.007 short open 0 2.4 1 12500000',
    ]);
  });

  test('a sale that a mapping reads before its purchase of the same day closes it', () => {
    const home = new ImportHome().withUser();
    const map = loadMapping(pathOfReported('mapping-same-day-sale-first.map.json'));
    home.import(pathOfReported('mapping-same-day-sale-first.csv'), { map });
    expect(shownOf(home, 'NVO')).toEqual(['NVO long closed 37.5 0 0 1']);
  });
});

describe.skipIf(!isHere)('files that were reported', () => {
  test('both accounts with equal order ids come in', () => {
    const home = new ImportHome().withUser();
    const paths = ['tradovate-orders-account-1.csv', 'tradovate-orders-account-2.csv'];
    home.import(paths.map((name) => pathOf(labelOf(name))));
    const sums = home.rows(
      'SELECT account, sum(gross_pnl) AS gross FROM trades GROUP BY account ORDER BY gross',
    );
    expect(sums.map(({ gross }) => gross)).toEqual([20, 200]);
  });

  test('an assigned put without marks is a closed short, with the shares', () => {
    const home = new ImportHome().withUser();
    home.import(pathOf(labelOf('flex-jal.xml')));
    const trades = home.rows(
      "SELECT symbol, side, status, gross_pnl, fees, open_quantity, tags FROM trades WHERE symbol LIKE 'VLO%' ORDER BY 1",
    );
    expect(trades.map((row) => Object.values(row).join(' '))).toEqual([
      'VLO long open 0 0 100 []',
      'VLO 2020-07-24 P64 short closed 454 1.1058334 0 []',
    ]);
  });

  test('options on futures have the strikes of their descriptions', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(pathOf(labelOf('flex-futures-option.xml'))).files;
    const trades = home.rows(
      "SELECT symbol, side, status, gross_pnl, fees, multiplier FROM trades WHERE symbol LIKE 'CHF 20%' ORDER BY symbol",
    );
    expect(trades.map((row) => Object.values(row).join(' '))).toEqual([
      'CHF 2025-10-24 C1.265 long closed -1450 4.94 125000',
      'CHF 2026-01-09 C1.29 short open 0 2.47 125000',
    ]);
    expect(file?.platform?.unmatched).toContainEqual(
      expect.objectContaining({
        symbol: 'CHF 2025-01-03 C1.21',
        side: 'buy',
        quantity: 6,
      }),
    );
  });

  test('a sale that a mapping reads before its purchase of the same day closes it', () => {
    const home = new ImportHome().withUser();
    const mapping = JSON.parse(
      readFileSync(pathOf(labelOf('mapping-same-day-sale-first.map.json')), 'utf8'),
    );
    delete mapping.unsure;
    const path = home.path('day.map.json');
    writeFileSync(path, JSON.stringify(mapping));
    home.import(pathOf(labelOf('mapping-same-day-sale-first.csv')), {
      map: loadMapping(path),
    });
    expect(home.rows('SELECT status, gross_pnl FROM trades')).toEqual([
      { status: 'closed', gross_pnl: 20 },
    ]);
  });
});
