/** Quantower: fills with P&L. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const TRADES = [
  'Account,Date/Time,Symbol,Description,Symbol type,Expiration date,Strike price,Side,Order type,Quantity,Price,Gross P/L,Fee,Net P/L,Trade value,Trade ID,Order ID,Position ID,Connection name,Comment,Exchange',
  // Newest first.
  'A1,11/16/2026 9:42:15 AM -05:00,MESZ6,Micro,Futures,,,Sell,Market,2,6805.50,52.50,-1.20,51.30,1,T2,O2,P1,Live,,CME',
  'A1,11/16/2026 9:35:12 AM -05:00,MESZ6,Micro,Futures,,,Buy,Market,2,6800.25,0,-1.20,-1.20,1,T1,O1,P1,Live,,CME',
].join('\n');

const shown = (home: ImportHome) =>
  home
    .rows(
      'SELECT symbol, market, side, executed_at, multiplier, gross_pnl, fees FROM trades',
    )
    .map((row) => Object.values(row).join(' '));

describe('a file of our own', () => {
  test('makes trades; fees with a minus are costs', () => {
    const home = new ImportHome().withUser();
    const path = home.file('Trades.csv', TRADES);
    const [report] = home.import(path).files;
    expect(report).toMatchObject({ format: 'quantower', rows: { read: 2 }, added: 1 });
    expect(report?.platform?.stated).toMatchObject([
      { what: 'gross', amount: 52.5, difference: 0 },
    ]);
    expect(shown(home)).toEqual([
      'MESZ6 future long 2026-11-16T14:35:12.000Z 5 52.5 2.4',
    ]);
    expect(home.notes).toEqual([
      expect.stringContaining('month first (11/16/2026 on line 2)'),
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, unchanged: 1 });
  });

  test('and so are fees without one', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'Trades.csv',
        TRADES.replaceAll(',-1.20,', ',1.20,').replace(',1.20,1,T1', ',-1.20,1,T1'),
      ),
    );
    expect(shown(home)).toEqual([
      'MESZ6 future long 2026-11-16T14:35:12.000Z 5 52.5 2.4',
    ]);
  });

  test('sold quantities may have a minus, bought ones may not', () => {
    const home = new ImportHome().withUser();
    const text = TRADES.replace('Market,2,6805', 'Market,-2,6805');
    home.import(home.file('Trades.csv', text));
    expect(shown(home)).toEqual([
      'MESZ6 future long 2026-11-16T14:35:12.000Z 5 52.5 2.4',
    ]);
    expect(
      home.refusalOf(
        home.file('wrong.csv', text.replace('Market,2,6800', 'Market,-2,6800')),
      ),
    ).toContain('3: Quantity: must be above 0; got "-2"');
  });

  test('times without an offset are in the given zone, and P&L that differs is reported', () => {
    const home = new ImportHome().withUser();
    const text = TRADES.replaceAll(' -05:00', '').replace(
      '52.50,-1.20,51.30',
      '50.00,-1.20,48.80',
    );
    const [report] = home.import(home.file('Trades.csv', text), {
      timeZone: 'America/Chicago',
      multipliers: new Map([['MESZ6', 5]]),
    }).files;
    expect(report?.platform?.stated).toMatchObject([
      { amount: 50, ours: 52.5, difference: 2.5 },
    ]);
    expect(shown(home)).toEqual([
      'MESZ6 future long 2026-11-16T15:35:12.000Z 5 52.5 2.4',
    ]);
    expect(home.notes.join()).toContain('using America/Chicago');
  });

  test.each([
    ['Futures', 'Weather', '2: Symbol type: must be one of Futures, Future'],
    ['Futures', 'Options', '2: Expiration date, Strike price, Option type: are missing'],
    [',Sell,', ',Give,', '2: Side: must be one of Buy, Sell'],
    ['9:42:15 AM', '19:42:15 AM', '2: Date/Time: must be a time with the month first'],
    [',T2,', ',,', '2: Trade ID: is missing'],
    [',Price,', ',Cost,', '1: Price: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('Trades.csv', TRADES.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    ['quantower/trades.csv', { gross: 60, fees: 7.2, net: 52.8 }],
    ['formats-seen/quantower.csv', { gross: 82, fees: 3.6, net: 78.4 }],
  ),
)('$label adds up', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report?.platform?.money).toEqual([{ currency: 'USD', ...holds }]);
});
