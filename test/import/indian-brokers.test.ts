/** Files of brokers in India in other forms than those of the fixtures. */
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const list =
  'SELECT symbol, market, side, executed_at, quantity, gross_pnl, currency FROM trades ORDER BY symbol';
const tradesIn = (home: ImportHome) =>
  home.rows(list).map((row) => Object.values(row).join(' '));

const GROWW = `Name,A Trader
Unique Client Code,0000

Order history for stocks from 01-11-2026 to 30-11-2026

Stock name,Symbol,ISIN,Type,Quantity,Value,Exchange,Exchange Order Id,Execution date and time,Order status
ACME LTD,ACME,INE000A01010,SELL,10,"1,05,500.00",NSE,3,13-11-2026 03:15 PM,Executed
ACME LTD,ACME,INE000A01010,BUY,6,60000,NSE,1,12-11-2026 10:15 AM,Executed
ACME LTD,ACME,INE000A01010,BUY,4,40000,NSE,2,12-11-2026 12:15 PM,Executed
OTHER LTD,OTHR,INE000B01010,BUY,5,8000,NSE,4,13-11-2026 11:00 AM,Cancelled
`;

test("Groww's order history: the value of an order states its price", () => {
  const home = new ImportHome().withUser();
  expect(home.import(home.file('orders.csv', GROWW)).files[0]).toMatchObject({
    format: 'groww-orders',
    rows: { read: 4 },
    skipped: [{ reason: 'cancelled order', count: 1 }],
  });
  expect(tradesIn(home)).toEqual([
    'ACME LTD stock long 2026-11-12T04:45:00.000Z 10 5500 INR',
  ]);
  expect(
    home.refusalOf(home.file('other.csv', GROWW.replace('Cancelled', 'Triggered'))),
  ).toContain('10: Order status: must be one of Executed');
});

test("Upstox: the exchange's words for kinds of instruments, and days with the day first", () => {
  const home = new ImportHome().withUser();
  const text = `Date,Company,Amount,Exchange,Segment,Scrip Code,Instrument Type,Strike Price,Expiry,Trade Num,Trade Time,Side,Quantity,Price
02-11-2026,NIFTY,1875000,NSE,FO,,FUTIDX,0,24-11-2026,T1,09:20:00,BUY,75,25000
02-11-2026,NIFTY,1882500,NSE,FO,,FUTIDX,0,24-11-2026,T2,14:20:00,SELL,75,25100
02-11-2026,ACME LTD,1000,NSE,EQ,1,EQ,,,T3,10:15:00,Buy,10,100
03-11-2026,ACME LTD,1100,NSE,EQ,1,EQ,,,T4,10:15:00,Sell,10,110
`;
  home.import(home.file('trades.csv', text));
  expect(tradesIn(home)).toEqual([
    'ACME LTD stock long 2026-11-02T04:45:00.000Z 10 100 INR',
    'NIFTY 2026-11-24 FUT future long 2026-11-02T03:50:00.000Z 75 7500 INR',
  ]);
  expect(home.refusalOf(home.file('b.csv', text.replace('FUTIDX', 'OPTIDX')))).toContain(
    '2: Instrument Type: must be one of',
  );
});
