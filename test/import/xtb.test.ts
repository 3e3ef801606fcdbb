/** XTB's files as of 2026: other columns, in UTC. */
import { describe, expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const LINES = `Account number,10000001,,,,,,
Cash Operations,,,,,,,
Date from (UTC),2026-01-01 00:00:00,,,,,,
Date to (UTC),2026-11-30 10:21:49,,,,,,
`;

const CASH = `${LINES}Type,Ticker,Instrument,Time,Amount,ID,Comment,Product
Stock sell,ACME.US,Acme,2026-11-06 14:30:00,"1.209,00",900000006,CLOSE BUY 3 @ 101.00,My Trades
Free funds interest tax,,,2026-11-05 12:11:31,"-0,55",900000005,Free-funds Interest Tax 2026-10,My Trades
Stock purchase,ACME.US,Acme,2026-11-04 14:30:45,-800,900000004,OPEN BUY 2/3 @ 100.00,My Trades
Stock purchase,ACME.US,Acme,2026-11-04 14:30:02,"-400,00",900000003,OPEN BUY 1/3 @ 100.00,My Trades
IKE deposit,,,2026-11-03 08:50:01,"1.500,00",900000002,Transfer in operation,IKE
Transfer,,,2026-11-02 08:50:01,500,900000001,Transfer from 10000001 to 10000002,Investment Plans
Total,,,,"2.009,45",,,
`;

describe('cash operations', () => {
  test.each([
    ['with commas', CASH],
    [
      'with semicolons',
      CASH.replace(/"([^"]*)"|,/g, (match, quoted) => (match === ',' ? ';' : quoted)),
    ],
  ])(
    '%s: amounts have decimal commas, and those in another currency state the price',
    (_, text) => {
      const home = new ImportHome().withUser('me', { base_currency: 'PLN' });
      expect(home.import(home.file('account.csv', text)).files[0]).toMatchObject({
        format: 'xtb-cash',
        rows: { read: 7 },
        skipped: [{ reason: 'total', count: 1 }],
      });
      expect(
        home.rows(
          'SELECT symbol, executed_at, quantity, gross_pnl, currency FROM trades',
        ),
      ).toEqual([
        {
          symbol: 'ACME.US',
          executed_at: '2026-11-04T14:30:02.000Z',
          quantity: 3,
          gross_pnl: 9,
          currency: 'PLN',
        },
      ]);
      expect(home.rows('SELECT kind, amount FROM cash_flows ORDER BY at')).toEqual([
        { kind: 'transfer', amount: 500 },
        { kind: 'deposit', amount: 1500 },
        { kind: 'tax', amount: -0.55 },
      ]);
    },
  );

  const OPERATIONS = [
    'Account number;10000001;;;;;;',
    'Cash Operations;;;;;;;',
    'Date from (UTC);2006-01-01 00:00:00;;;;;;',
    'Date to (UTC);2026-07-09 10:21:49;;;;;;',
    'Type;Ticker;Instrument;Time;Amount;ID;Comment;Product',
    'Free funds interest tax;;;2026-07-06 12:11:31;-0,55;801;Free-funds Interest Tax 2026-06;IKE',
    'Stock sell;ACME.US;Acme;2026-06-26 13:31:00;1.028,00;805;CLOSE BUY 8 @ 128.50;My Trades',
    'Stock purchase;ACME.US;Acme;2026-06-25 13:30:45;-1.024,00;804;OPEN BUY 8 @ 128.00;My Trades',
    'IKE cash transfer in;;;2026-06-12 08:50:01;500;803;Transfer from 1 to 2;IKE',
    'IKE deposit;;;2026-06-10 10:17:41;2.000,5;802;Transfer in operation;IKE',
    'Total;;;;2.503,95;;;',
  ].join('\n');

  test('transfers into an IKE and a tax of one, in a user’s other zone', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Europe/Warsaw' });
    const [report] = home.import(home.file('cash.csv', OPERATIONS)).files;
    expect(report).toMatchObject({
      format: 'xtb-cash',
      added: 1,
      skipped: [{ reason: 'total', count: 1 }],
    });
    expect(home.rows('SELECT symbol, executed_at, gross_pnl FROM trades')).toEqual([
      { symbol: 'ACME.US', executed_at: '2026-06-25T13:30:45.000Z', gross_pnl: 4 },
    ]);
    expect(home.rows('SELECT kind, amount FROM cash_flows ORDER BY at')).toEqual([
      { kind: 'deposit', amount: 2000.5 },
      { kind: 'transfer', amount: 500 },
      { kind: 'tax', amount: -0.55 },
    ]);
  });
});

describe('closed positions', () => {
  const CLOSED = `Account number,10000001
Closed Positions
Date from (UTC),46000.5
Instrument,Ticker,Category,Type,Volume,Open Price,Open Time (UTC),Close Price,Close Time (UTC),Product,Profit/Loss,Gross Profit,Purchase Value,Sale Value,Stop Loss,Take Profit,Commission,Margin,Swap,Rollover,Open Conversion Rate,Close Conversion Rate,Close Origin,Position ID,Comment
Acme,ACME.US,STOCK,BUY,2,100,46330.5,110,46331.75,IKE,80,80,800,880,,,0,,,,4,4,iOS,900000011,
Euro,EURUSD,CFD,SELL,0.1,1.1,46332.5,1.09,46333.5,My Trades,99.5,100,0,0,,,0,,-0.25,-0.25,1,1,iOS,900000012,
Profit/loss
,,,,,,,,,,179.5
`;

  test('times are in UTC, costs have a minus, and the gross profit is that of the account', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'PLN' });
    expect(home.import(home.file('closed.csv', CLOSED)).files[0]).toMatchObject({
      format: 'xtb',
      rows: { read: 2 },
    });
    expect(
      home
        .rows(
          'SELECT symbol, side, executed_at, closed_at, gross_pnl, fees, currency FROM trades ORDER BY executed_at',
        )
        .map((row) => Object.values(row).join(' ')),
    ).toEqual([
      'ACME.US long 2026-11-04T12:00:00.000Z 2026-11-05T18:00:00.000Z 80 0 PLN',
      'EURUSD short 2026-11-06T12:00:00.000Z 2026-11-07T12:00:00.000Z 100 0.5 PLN',
    ]);
  });

  test('a profit that costs leave open is rejected', () => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('closed.csv', CLOSED.replace(',99.5,', ',95,'))),
    ).toContain(
      '6: Profit/Loss: must be Gross Profit, or that with Commission, Swap and Rollover; got "95"',
    );
  });
});
