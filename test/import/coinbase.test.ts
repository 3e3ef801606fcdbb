/** Coinbase's fills: UTC, in no order. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const FILLS = `portfolio,trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit
default,12,ABC-EUR,SELL,2026-11-02T11:00:00.505Z,10.00000000,ABC,2.5,0.05,24.95,EUR
default,9,ABC-EUR,BUY,2026-11-02T10:00:00.505Z,6.00000000,ABC,2,0.03,-12.03,EUR
default,10,ABC-EUR,BUY,2026-11-02T10:00:00.505Z,4.00000000,ABC,2,0.02,-8.02,EUR
other,11,XYZ-EUR,SELL,2026-11-02T10:30:00.505Z,1.00000000,XYZ,2,0.01,1.99,EUR
`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('older ones have no portfolios', () => {
    const home = new ImportHome().withUser();
    const text = FILLS.replace(/^[a-z]+,/gm, '');
    expect(home.import(home.file('fills.csv', text)).files[0]).toMatchObject({ format: 'coinbase', added: 1 });
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account: null }]);
  });

  test('what was never bought is reported and no short', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('fills.csv', FILLS)).files;
    expect(file).toMatchObject({ format: 'coinbase', rows: 4, added: 1 });
    expect(file?.platform?.unmatched).toMatchObject([{ symbol: 'XYZ-EUR', account: 'other', quantity: 1 }]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC-EUR long closed 2026-11-02T10:00:00.505Z 10 5 0.1 EUR',
    ]);
    expect(home.rows('SELECT id, account FROM trades')).toEqual([{ id: 'coinbase:ABC-EUR:9', account: 'default' }]);
  });

  test.each([
    [',SELL,2026', ',GIFT,2026', '2: side: must be one of Buy, Sell'],
    ['10.00000000', '-10', '2: size: must be above 0'],
    ['2026-11-02T11', '2026-31-02T11', '2: created at: must be a time with the year first'],
    [',size,', ',amount,', '1: size: is missing in the header'],
  ])('%j for %j is refused', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('fills.csv', FILLS.replace(from, to)))).toContain(message);
  });
});

const FILE = new URL('../../../shared/data/coinbase/fills.csv', import.meta.url).pathname;

test.skipIf(!existsSync(FILE))('a real export adds up to what its rows add up to', () => {
  const home = new ImportHome().withUser();
  const [file] = home.import(FILE).files;
  expect(file).toMatchObject({ rows: 60, added: 5 });
  expect(file?.platform?.unmatched).toMatchObject([{ symbol: 'LRC-USD', quantity: 75 }]);
  expect(
    home.rows(
      'SELECT symbol, count(*) AS trades, sum(open_quantity) AS open, round(sum(gross_pnl), 2) AS gross, round(sum(fees), 2) AS fees FROM trades GROUP BY symbol',
    ),
  ).toMatchObject([
    { symbol: 'AMP-USD', trades: 1, open: 1807 },
    { symbol: 'LRC-USD', trades: 1, open: 205.5 },
    { symbol: 'SUKU-USD', trades: 3, open: 0, gross: 826.92, fees: 75.9 },
  ]);
});
