/** TradeZero's trades: fills ordered by account type and symbol. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Account,T/D,S/D,Currency,Type,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,TAF,NSCC,Nasdaq,ECN Remove,ECN Add,Gross Proceeds,Net Proceeds,Clr Broker,Liq,Note';

const FILLS = [
  HEADER,
  'TZ1,03/02/2026,03/04/2026,USD,3,BC,ACME,"1,000",9.5,09:40:00,0,0,0,0,0,0.3,0,-9500,-9500.3,SIM,,',
  'TZ1,03/02/2026,03/04/2026,USD,3,SS,ACME,"1,000",10,09:31:00,0.99,0.2,0.1,0,0,0,-0.5,10000,9999.21,SIM,,',
  'TZ1,03/02/2026,03/04/2026,USD,2,B,SPY260619C00450000,2,1.5,10:00:00,0,0,0,0,0,0,0,-300,-300,SIM,,',
  'TZ1,03/02/2026,03/04/2026,USD,2,S,SPY260619C00450000,2,1.75,10:05:00,0,0,0,0,0,0,0,350,350,SIM,,',
].join('\n');

describe('fills of our own', () => {
  test('are sorted by time, with all costs', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const file = home.import(home.file('trades.csv', FILLS)).files[0];
    expect(file).toMatchObject({ format: 'tradezero', added: 2 });
    const shown =
      'SELECT symbol, market, side, status, executed_at, quantity, gross_pnl, fees, account FROM trades ORDER BY symbol';
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME stock short closed 2026-03-02T14:31:00.000Z 1000 500 1.09 TZ1',
      'SPY 2026-06-19 C450 option long closed 2026-03-02T15:00:00.000Z 2 50 0 TZ1',
    ]);
    expect(file?.platform?.stated).toMatchObject([
      { what: 'gross', amount: 550, difference: 0 },
      { what: 'net', amount: 548.91, difference: 0 },
    ]);
  });

  test('a buy to cover and a sell without an opening fill are unmatched closes', () => {
    const home = new ImportHome().withUser();
    const rows = FILLS.split('\n');
    const file = home.import(
      home.file('trades.csv', [rows[0], rows[1], rows[4]].join('\n')),
    ).files[0];
    expect(file?.platform?.unmatched).toHaveLength(2);
    expect(file?.platform?.stated).toEqual([]);
  });

  test.each([
    [
      ',BC,',
      ',BX,',
      '2: Side: must be one of B, S, SS, BC, Buy, Sell, Sell Short, Buy to Cover; got "BX"',
    ],
    ['03/02/2026', '02.03.26x', '2: T/D, Exec Time: must be a time with the month first'],
    ['USD,3,BC', 'US,3,BC', '2: Currency: must be a currency, such as USD; got "US"'],
    [',"1,000",9.5', ',0,9.5', '2: Qty: must be above 0'],
    [',"1,000",9.5', ',,', '2: Qty, Price: are missing'],
    ['Qty,Price', 'Size,At', '1: Qty, Price: are missing from the header'],
    [
      'SPY260619C00450000',
      'SPY 19JUN26 450',
      '4: Gross Proceeds: must be the quantity times the price of "SPY 19JUN26 450"',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.csv', FILLS.replace(from, to)))).toContain(
      message,
    );
  });
});

// A real export, if available next to the project.

test.each(
  exportsWith(
    [
      'tradezero/example_tradezero_file.csv',
      { fills: 9, closed: 4, gross: 35.25, net: 34.91 },
    ],
    [
      'tradezero/example_tradezero_file.csv',
      { fills: 15, closed: 5, gross: 34.45, net: 33.76 },
    ],
  ),
)(
  '$label adds up to what it states',
  ({ path, holds: { fills, closed, gross, net } }) => {
    const home = new ImportHome().withUser();
    const { platform } = home.import(path()).files[0] ?? {};
    expect(platform).toMatchObject({ fills, trades: { closed, open: 0 } });
    expect(platform?.stated).toMatchObject([
      { what: 'gross', amount: gross, difference: 0 },
      { what: 'net', amount: net, difference: 0 },
    ]);
  },
);
