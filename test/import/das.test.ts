/** DAS Trader's Trades window: times without a date. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const FILLS = [
  'Time,Symb,Side,Price,Qty,Route,Broker,Account,Type,Cloid,P / L,',
  '10:00:00,ACME,S,10.50,200,SMRT,,TR1,Margin,AUTO,100.00,',
  '09:31:00,ACME,B,10.00,100,SMRT,,TR1,Margin,AUTO,0.00,',
  '09:31:00,ACME,B,10.00,100,SMRT,,TR1,Margin,AUTO,0.00,',
  // A short sale that first closes a long.
  '10:05:00,BETA,B,20,50,SMRT,,TR1,Margin,AUTO,0.00,',
  '10:06:00,BETA,SS,21,80,SMRT,,TR1,Short,AUTO,50.00,',
  '10:07:00,BETA,B,20.5,30,SMRT,,TR1,Margin,AUTO,15.00,',
].join('\n');

const ON = { date: '2026-03-02', timeZone: 'America/New_York' };

describe('fills of our own', () => {
  test('are on the given day', () => {
    const home = new ImportHome().withUser();
    const path = home.file('Trades.csv', FILLS);
    const file = home.import(path, ON).files[0];
    expect(file).toMatchObject({ format: 'das', added: 3 });
    const shown =
      'SELECT symbol, side, status, executed_at, quantity, gross_pnl, account FROM trades ORDER BY executed_at';
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME long closed 2026-03-02T14:31:00.000Z 200 100 TR1',
      'BETA long closed 2026-03-02T15:05:00.000Z 50 50 TR1',
      'BETA short closed 2026-03-02T15:06:00.000Z 30 15 TR1',
    ]);
    expect(file?.platform?.stated).toMatchObject([
      { what: 'gross', amount: 165, difference: 0 },
    ]);
    expect(home.import(path, ON).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test.each([
    ['Symbol', 'Cloid,EcnFee,Commission,P/L', 'AUTO,0.2,0.5,1'],
    ['Symb', 'Comm,LocFee,P / L', '0.4,0.3,1'],
  ])('columns that people choose: %s, %s', (symbol, more, cells) => {
    const home = new ImportHome().withUser();
    const text = `Trades of today\nTime,${symbol},Side,Price,Qty,${more}\n09:31:00,ACME,Buy,10,100,${cells}`;
    home.import(home.file('Trades.csv', text), ON);
    expect(home.rows('SELECT symbol, round(fees, 4) AS fees FROM trades')).toEqual([
      { symbol: 'ACME', fees: 0.7 },
    ]);
  });

  test('a column of dates overrides the given day', () => {
    const home = new ImportHome().withUser();
    const dated = FILLS.split('\n').map(
      (line, index) => line + (index === 0 ? 'Date' : '03/03/2026'),
    );
    home.import(home.file('Trades.csv', dated.join('\n')), ON);
    expect(home.rows('SELECT min(executed_at) AS first FROM trades')).toEqual([
      { first: '2026-03-03T14:31:00.000Z' },
    ]);
  });

  test.each([
    [
      'ACME',
      'ACME',
      '2: Time: has a time without a date; pass the date',
      { date: undefined },
    ],
    [',S,', ',X,', '2: Side: must be one of B, S, SS, BC, Buy', {}],
    ['10:00:00', '25:00:00', '2: Time: must be a time', {}],
    ['100.00', 'lots', '2: P / L: must be an amount', {}],
    ['ACME', '+SPY*D3450', '2: Symb: must be a stock', {}],
  ])('%j for %j is rejected', (from, to, message, options) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('Trades.csv', FILLS.replace(from, to)), {
        ...ON,
        ...options,
      }),
    ).toContain(message);
  });
});

// A real export, if available next to the project.

test.each(
  exportsWith(
    ['das/Trades.csv', { fills: 14, closed: 5, gross: 229.5 }],
    ['das/Trades.csv', { fills: 30, closed: 9, gross: 74.76 }],
  ),
)('$label adds up to what it states', ({ path, holds: { fills, closed, gross } }) => {
  const home = new ImportHome().withUser();
  const { platform } = home.import(path(), ON).files[0] ?? {};
  expect(platform).toMatchObject({ fills, trades: { closed, open: 0 } });
  expect(platform?.stated).toMatchObject([
    { what: 'gross', amount: gross, difference: 0 },
  ]);
});
