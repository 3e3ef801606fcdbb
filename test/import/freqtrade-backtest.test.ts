/** Freqtrade's backtest results: fee ratios, shorts, increased positions. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const TRADE = {
  pair: 'ABC/USDT',
  amount: 10,
  open_date: '2026-11-02 10:00:00+00:00',
  close_date: '2026-11-02 11:00:00+00:00',
  open_rate: 100,
  close_rate: 110,
  fee_open: 0.001,
  fee_close: 0.001,
  profit_abs: 97.9,
  is_open: false,
  is_short: false,
  orders: null,
};
const SHORT = {
  ...TRADE,
  pair: 'XYZ/USDT:USDT',
  is_short: true,
  amount: 1,
  funding_fees: 0.5,
  profit_abs: 8.8,
  open_rate: 110,
  close_rate: 101.5,
  fee_open: 0,
  fee_close: 0.002,
  orders: [
    { amount: 1, safe_price: 110, ft_is_entry: true },
    { amount: 1, safe_price: 120, ft_is_entry: true },
    { amount: 2, safe_price: 100, ft_is_entry: false },
  ],
};

const result = (strategies: Record<string, unknown[]>) =>
  JSON.stringify({
    metadata: {},
    strategy: Object.fromEntries(
      Object.entries(strategies).map(([name, trades]) => [name, { trades, locks: [] }]),
    ),
  });

const shown =
  'SELECT account, symbol, side, quantity, entry_price, exit_price, gross_pnl, fees, currency FROM trades ORDER BY symbol, account';

describe('a file of our own', () => {
  test('in its archive, next to the configuration', () => {
    const name = 'backtest-result-2026-11-02_10-00-00';
    const files = {
      [`${name}.json`]: strToU8(result({ Mine: [TRADE] })),
      [`${name}_config.json`]: strToU8('{}'),
    };
    const home = new ImportHome().withUser();
    const path = home.file(`${name}.zip`, Buffer.from(zipSync(files)));
    expect(home.import(path).files[0]).toMatchObject({
      format: 'freqtrade-backtest',
      added: 1,
    });
  });

  test('fees come from ratios; prices of an increased position are the averages of its orders', () => {
    const home = new ImportHome().withUser();
    const path = home.file(
      'backtest-result.json',
      result({ Mine: [TRADE, SHORT, { ...TRADE, close_date: null }] }),
    );
    const [file] = home.import(path).files;
    expect(file).toMatchObject({
      format: 'freqtrade-backtest',
      rows: { read: 3 },
      added: 2,
    });
    expect(file?.skipped).toEqual([{ reason: 'open trade', count: 1 }]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      ' ABC/USDT long 10 100 110 100 2.1 USDT',
      // The funding received exceeds the fees.
      ' XYZ/USDT:USDT short 2 115 100 30.1 0 USDT',
    ]);
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    });
  });

  test('trades that the end of the backtest closed count, and so does the total of the file', () => {
    const home = new ImportHome().withUser();
    const forced = {
      ...TRADE,
      is_open: true,
      exit_reason: 'force_exit',
      close_rate: 90,
      profit_abs: -101.9,
    };
    const whole = (total: number) =>
      result({ Mine: [TRADE, forced] }).replace(
        '"locks"',
        `"profit_total_abs":${total},"stake_currency":"USDT","locks"`,
      );
    const [file] = home.import(home.file('result.json', whole(-5))).files;
    expect(file).toMatchObject({ added: 2, skipped: [] });
    expect(file?.platform?.stated).toMatchObject([
      {
        what: 'net',
        currency: 'USDT',
        stated_as: 'total',
        amount: -5,
        ours: -4,
        difference: 1,
      },
    ]);
    const other = new ImportHome().withUser();
    const [without] = other.import(
      other.file('result.json', result({ Mine: [TRADE, forced] })),
    ).files;
    expect(without?.platform?.stated).toMatchObject([
      { stated_as: 'rows', amount: -4, difference: 0 },
    ]);
  });

  test('each of several strategies is an account', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('result.json', result({ A: [TRADE], B: [TRADE] })));
    expect(home.rows(shown).map(({ account }) => account)).toEqual(['A', 'B']);
  });

  test.each([
    ['"amount":10', '"amount":"10"', '1: strategy.A.trades.0.amount: '],
    [
      '2026-11-02 11:00',
      '02.11.2026 11:00',
      '1: close_date: must be a time with the year first',
    ],
    ['ABC/USDT', 'ABC', '1: pair: must be a pair with a known quote currency'],
    ['[]}}}', '[]}}', '1: not valid JSON'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('result.json', result({ A: [TRADE] }).replace(from, to))),
    ).toContain(message);
  });
});

test.each(
  exportsWith(
    ['freqtrade-backtest/backtest-result.json', { trades: 10, amount: 0.0000198 }],
    ['freqtrade-backtest/backtest-result.json', { trades: 179, amount: 0.0010419 }],
  ),
)(
  '$label adds up, to the 8 decimals that money has',
  ({ path, holds: { trades, amount } }) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(path()).files;
    expect(file).toMatchObject({ rows: { read: trades, used: trades }, added: trades });
    const { stated } = file?.platform ?? {};
    expect(stated).toMatchObject([{ currency: 'BTC', amount }]);
    expect(Math.abs(Number(stated?.[0]?.difference))).toBeLessThan(trades * 0.5e-8);
  },
);
