/** OANDA's transaction history with details of daily financing and fees of conversion. */
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const HEADER =
  'TICKET,TRANSACTION DATE,TRANSACTION TYPE,DETAILS,INSTRUMENT,PRICE,UNITS,DIRECTION,ESTIMATED SPREAD COST,' +
  'STOP LOSS,TAKE PROFIT,TRAILING STOP,FINANCING,FUNDING RATE,COMMISSION,CONVERSION RATE,CONVERSION FEE,PL,AMOUNT,BALANCE';

const HISTORY = [
  HEADER,
  '"801-0","2026-02-03 05:00:00 UTC","ORDER_FILL","MARKET_ORDER","USD/CHF","0.80000","10000.00","Buy","1.1","","","","0.00000","","0.0000","","0.0000","0.00000","","1000.00"',
  '"802-0","2026-02-03 05:10:00 UTC","ORDER_FILL","TAKE_PROFIT_ORDER","USD/CHF","0.80100","10000.00","Sell","0.9","","","","0.00000","","0.0000","1.2400","-0.0600","12.40000","","1012.40"',
  '"803-0","2026-02-03 22:00:00 UTC","DAILY_FINANCING","","","","","","","","","","4.50000","","","","-0.0200","","","1016.90"',
  '"","2026-02-03 22:00:00 UTC","DAILY_FINANCING","Trade ID: 790","EUR/USD","","","","","","","","3.00000","0.0071","","","","","",""',
  '"","2026-02-03 22:00:00 UTC","DAILY_FINANCING","Trade ID: 795","SGD/CHF","","","","","","","","1.50000","0.0007","","","","","",""',
].join('\n');

test('financing by position repeats that of the row above; the P&L is after the conversion', () => {
  const home = new ImportHome().withUser();
  const [report] = home.import(home.file('transactions.csv', HISTORY)).files;
  expect(report?.skipped).toEqual([{ reason: 'financing by position', count: 2 }]);
  expect(home.rows('SELECT kind, amount FROM cash_flows')).toEqual([
    { kind: 'interest', amount: 4.5 },
  ]);
  expect(home.rows('SELECT gross_pnl, fees FROM trades')).toEqual([
    { gross_pnl: 12.4, fees: 0 },
  ]);
});

const row = (ticket: string, time: string, units: number, side: string, pnl: string) =>
  `"${ticket}","2026-02-03 ${time} UTC","ORDER_FILL","MARKET_ORDER","USD/CHF","0.80000","${units}","${side}","","","","","","","","","","${pnl}","",""`;

const sizes = (home: ImportHome) =>
  home
    .rows('SELECT side, quantity, gross_pnl FROM trades ORDER BY executed_at')
    .map((trade) => Object.values(trade));

test('a fill of more units than are left of a position opens the opposite one', () => {
  const home = new ImportHome().withUser();
  const rows = [
    row('811-0', '05:00:00', 100, 'Buy', ''),
    row('812-0', '05:10:00', 40, 'Sell', '4'),
    row('813-0', '05:20:00', 100, 'Sell', '6'),
    row('814-0', '05:30:00', 40, 'Buy', '-1'),
  ];
  home.import(home.file('transactions.csv', [HEADER, ...rows].join('\n')));
  expect(sizes(home)).toEqual([
    ['long', 100, 10],
    ['short', 40, -1],
  ]);
});

test.each([
  ['tickets', '98', '99', '100'],
  ['tickets with a suffix', '98-0', '99-0', '100-0'],
])('fills of one second are in the order of their %s', (_, ...tickets) => {
  const home = new ImportHome().withUser();
  const [first, second, third] = tickets as [string, string, string];
  const rows = [
    row(third, '05:00:00', 300, 'Sell', '9'),
    row(second, '05:00:00', 200, 'Buy', ''),
    row(first, '05:00:00', 100, 'Buy', ''),
  ];
  home.import(home.file('transactions.csv', [HEADER, ...rows].join('\n')));
  expect(sizes(home)).toEqual([['long', 300, 9]]);
});
