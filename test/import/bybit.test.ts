/** Bybit's closed P&L: the side that closed, P&L after fees, no time of entry. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const CLOSED = `Contracts,Trade Type,Qty,Entry Price,Realized P&L,Filled Price,Exit Type,Filled/Settlement Time(UTC+0),Create Time
ABCUSDT,SELL,10.000000,100.00,48.50,105.00,Trade,15:14 2026-11-02,15:08 2026-11-02
ABCUSDT,SELL,10.000000,100.00,48.50,105.00,Trade,15:14 2026-11-02,15:08 2026-11-02
XYZPERP,BUY,2.000000,50.00,-10.25,55.00,Trade,14:14 2026-11-02,14:08 2026-11-02

`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('the closing side tells the direction; equal rows are trades of their own', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const path = home.file('closed.csv', CLOSED);
    const [file] = home.import(path).files;
    expect(file).toMatchObject({ format: 'bybit', rows: 3, added: 3 });
    expect(file?.platform?.stated).toMatchObject([
      { what: 'net', currency: 'USDT', amount: 97, difference: 0 },
      { what: 'net', currency: 'USDC', amount: -10.25, difference: 0 },
    ]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XYZPERP short closed 2026-11-02T14:08:00.000Z 2 -10 0.25 USDC',
      'ABCUSDT long closed 2026-11-02T15:08:00.000Z 10 50 1.5 USDT',
      'ABCUSDT long closed 2026-11-02T15:08:00.000Z 10 50 1.5 USDT',
    ]);
    expect(home.notes.join()).toContain('no times of entry');
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0, unchanged: 3 });
  });

  test.each([
    ['(UTC+8)', '2026-11-02T07:08:00.000Z'],
    ['(UTC-03:30)', '2026-11-02T18:38:00.000Z'],
    ['', '2026-11-02T06:08:00.000Z'],
  ])('the zone is in the header: %j', (zone, executed_at) => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    home.import(home.file('closed.csv', CLOSED.replace('(UTC+0)', zone)));
    expect(home.rows("SELECT DISTINCT executed_at FROM trades WHERE symbol = 'ABCUSDT'")).toEqual([{ executed_at }]);
  });

  test.each([
    ['XYZPERP,BUY', 'XYZPERP,HOLD', '4: Trade Type: must be one of SELL, BUY, Close Long, Close Short'],
    ['XYZPERP', 'BTCUSD', '4: Contracts: is of a contract settled in coins'],
    ['14:14 2026-11-02', '14:14', '4: Filled/Settlement Time(UTC+0): must be a time with the year first'],
    [',Entry Price,', ',Entry,', '1: Entry Price or Avg. Entry Price: is missing in the header'],
  ])('%j for %j is refused', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('closed.csv', CLOSED.replace(from, to)))).toContain(message);
  });
});

const FILE = new URL('../../../shared/data/bybit/Bybit-UM-Perp-ClosedPNL-1748548800-1749239999.csv', import.meta.url)
  .pathname;

test.skipIf(!existsSync(FILE))('a real export adds up to what its rows add up to', () => {
  const home = new ImportHome().withUser();
  const [file] = home.import(FILE).files;
  expect(file).toMatchObject({ rows: 10, added: 10 });
  expect(file?.platform?.stated).toMatchObject([{ what: 'net', amount: 2924.91810806, difference: 0 }]);
});
