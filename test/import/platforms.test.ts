/** Platforms' exports with one table: what each file gives, which other forms are read, and what is refused. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FileReport } from '../../src/import/report/import-report.ts';
import { roundMoney } from '../../src/money.ts';
import { pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

interface Contents {
  /** Rows read; those skipped by reason. */
  rows: number;
  skipped?: Readonly<Record<string, number>>;
  closed: number;
  /** Of closed trades, by currency: "510.5 USD". */
  gross: string;
  fees: string;
  /** Open units by symbol, below 0 if short. */
  open?: Readonly<Record<string, unknown>>;
  /** Number of unmatched fills. */
  unmatched?: number;
}

/** Sums were computed without the program; those of real files are in the notes beside them. */
const FILES: readonly [label: string, contents: Contents][] = [
  ['made-up ftmo-metrix/export.csv', { rows: 4, closed: 4, gross: '510.5 USD', fees: '17 USD' }],
  ['real ftmo-metrix/export-1706151888.csv', { rows: 27, closed: 27, gross: '5348.6 USD', fees: '190.58 USD' }],
  ['real ftmo-metrix/ftmo-slash-headers.csv', { rows: 2, closed: 2, gross: '32 USD', fees: '2 USD' }],
  ['made-up ctrader-history/ctrader-history.csv', { rows: 3, closed: 3, gross: '9113.96 EUR', fees: '13.55 EUR' }],
  ['real ctrader-history/ctrader-history.csv', { rows: 2, closed: 2, gross: '45 USD', fees: '2.1 USD' }],
  ['made-up exness-personal-area/exness.csv', { rows: 3, closed: 3, gross: '15 USD', fees: '1.15 USD' }],
  ['real exness-personal-area/exness.csv', { rows: 3, closed: 3, gross: '64.44 USD', fees: '0 USD' }],
  [
    'made-up ig-transaction-history/transactions.csv',
    {
      rows: 4,
      skipped: { 'overnight funding': 1, 'cash transfer': 1 },
      closed: 2,
      gross: '-1003.5 EUR',
      fees: '0 EUR',
    },
  ],
  [
    'real ig-transaction-history/ig-transaction-history-capture.csv',
    { rows: 5, skipped: { 'cash transfer': 1 }, closed: 4, gross: '31.46 EUR', fees: '0 EUR' },
  ],
];

/** Changes of a made-up file that other versions of the platform have: the differing columns of the trade or fill. */
const FORMS: readonly [label: string, from: string | RegExp, to: string, sql: string, row: Record<string, unknown>][] =
  [
    ['ftmo-metrix/export.csv', 'Ticket;Open', 'ticket;open', 'SELECT count(*) AS n FROM trades', { n: 4 }],
    [
      'ctrader-history/ctrader-history.csv',
      'Opening Direction',
      'Closing Direction',
      "SELECT side, executed_at FROM trades WHERE symbol = 'XAUUSD'",
      { side: 'long', executed_at: '2026-03-12T21:15:00.250Z' },
    ],
  ];

/** Changes that make a file wrong or ambiguous, and the error. */
const REFUSED: readonly [label: string, from: string | RegExp, to: string, error: string][] = [
  [
    'ftmo-metrix/export.csv',
    'Trade duration in seconds',
    'Taxes',
    '1: Taxes: unknown column of costs; import this file with --map new, which asks what it holds',
  ],
  ['ftmo-metrix/export.csv', '-6.6', '6.6', '2: Commissions: must be 0 or below, such as -3.29'],
  ['ftmo-metrix/export.csv', ';sell;2.00', ';sold;2.00', '2: Type: must be one of Long, Short, Buy, Sell; got "sold"'],
  ['ctrader-history/ctrader-history.csv', '9078.41', '9090.91', '2: Net EUR: must be gross with commission and swap'],
  [
    'ctrader-history/ctrader-history.csv',
    '12/03/2026',
    '03/13/2026',
    '2: Opening Time (UTC+2): must be a time with the day first',
  ],
  ['exness-personal-area/exness.csv', '-0.70', '0.70', '2: commission: must be 0 or below'],
  ['ig-transaction-history/transactions.csv', ',EUR\n', ',E\n', '2: CurrencyIsoCode: must be a currency, such as USD'],
];

const OPTIONS = { timeZone: 'UTC' };
const homeOf = () => new ImportHome().withUser();

/** The contents of a journal after one import. */
function contentsOf(home: ImportHome, path: string): Contents {
  const [report] = home.import(path, OPTIONS).files as [FileReport];
  const trades = home.rows('SELECT * FROM trades ORDER BY symbol');
  const closed = trades.filter(({ status }) => status === 'closed');
  const open = trades.filter(({ status }) => status === 'open');
  const sums = (column: string) =>
    [...Map.groupBy(closed, ({ currency }) => String(currency))]
      .map(([currency, own]) => `${total(own.map((row) => Number(row[column])))} ${currency}`)
      .sort()
      .join(', ');
  return {
    rows: report.rows,
    skipped: Object.fromEntries(report.skipped.map(({ reason, count }) => [reason, count])),
    closed: closed.length,
    gross: sums('gross_pnl'),
    fees: sums('fees'),
    open: Object.fromEntries(
      open.map(({ symbol, side, open_quantity: units }) => [symbol, side === 'short' ? 0 - Number(units) : units]),
    ),
    unmatched: report.platform?.unmatched.length ?? 0,
  };
}

function total(amounts: readonly number[]): number {
  return roundMoney(amounts.reduce((sum, amount) => sum + amount, 0));
}

/** A made-up file with a change. */
function changed(home: ImportHome, name: string, from: string | RegExp, to: string): string {
  const text = readFileSync(pathOf(`made-up ${name}`), 'utf8');
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  return home.file(name.replace(/.*\//, ''), other);
}

test.each(FILES.filter(([label]) => existsSync(pathOf(label))))('%s', (label, wanted) => {
  const own = contentsOf(homeOf(), pathOf(label));
  expect(own).toEqual({ skipped: {}, open: {}, unmatched: 0, ...wanted });
});

test.each(FORMS)('%s of another version, with %j for %s', (name, from, to, sql, row) => {
  const home = homeOf();
  home.import(changed(home, name, from, to), OPTIONS);
  expect(home.rows(sql)[0]).toEqual(row);
});

test.each(REFUSED)('%s with %j for %s is refused', (name, from, to, error) => {
  const home = homeOf();
  expect(home.refusalOf(changed(home, name, from, to), OPTIONS)).toContain(error);
});
