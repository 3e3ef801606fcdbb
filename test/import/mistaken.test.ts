/** Files often mistaken for an export: rejected with their type. */
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const PERFORMANCE =
  'symbol,qty,buyFillId,sellFillId,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\n';

test.each([
  [
    'statement.pdf',
    '%PDF-1.7\n1 0 obj\n',
    "is a PDF, which can't be imported; export CSV from the platform",
  ],
  [
    'export.csv',
    '<!DOCTYPE html>\n<html><title>Log in</title>',
    'is a web page (perhaps a login page), not an export',
  ],
  [
    'export.html',
    '\n<html><body>Log in',
    'is a web page (perhaps a login page), not an export',
  ],
  ['empty.csv', '', 'is empty'],
  ['blank.csv', ' \n\n', 'is empty'],
  [
    'Performance.zip',
    zipSync({ 'Performance.csv': [strToU8(PERFORMANCE), { level: 0 }] }),
    'is an archive; unpack it',
  ],
  [
    'Performance.csv.gz',
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
    'is an archive; unpack it and import its files',
  ],
  [
    'chart.png',
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 0x1a, 10, 0, 0]),
    'is not an export of a known platform\n',
  ],
  [
    'balances.csv',
    'Account,Balance\n',
    'is not an export of a known platform; it begins with: Account,Balance\n',
  ],
  [
    'fills.csv',
    'Trade ID,Product,Created At,Fee\n',
    'is not an export of a known platform; it begins with: Trade ID,Product,Created At,Fee\nThe header is closest to coinbase, but lacks price/fee/total unit.\n',
  ],
  [
    'bitget.csv',
    'Order,Date,Coin,Futures,Margin Mode,Type,Amount,Fee,Wallet balance\n\t1,2026-11-02 09:00:17,USDT,XRPUSDT,Isolated,open_long,0,-0.1,10\n',
    "is Bitget's list of transactions, which has no fills; export the order history instead",
  ],
  [
    'pnl.csv',
    'Central GST - Z\t0\n\nSymbol,ISIN,Quantity,Buy Value,Sell Value,Realized P&L,Realized P&L Pct,Open Quantity\nACME,INE000A01010,2,100,110,10,10,0\n',
    "is Zerodha's P&L, which has totals without days; export Console > Reports > Tradebook",
  ],
  [
    'Spot Order History.csv',
    'UID,Pairs,Time,Type,Direction,Average Filled Price,Order Price,Filled Quantity,Order Quantity,Order Amount,Status\n1,ABC_USDT,2026-11-02 12:00:00,Limit,Buy,10,10,1,1,10,Filled\n',
    "is MEXC's order history, which has no fees; export Orders > Spot orders > Trade history",
  ],
  [
    'orders.csv',
    'orderCreatedAt,id,clientOid,symbol,side,type,stopPrice,price,size,dealSize,dealFunds,averagePrice,fee,feeCurrency,remark,tags,orderStatus,\n',
    "is KuCoin's order history as it was in 2021; export the orders or the trade history again",
  ],
  [
    'positions.csv',
    'Position Create Time,Position Update Time,Instrument Name,Direction,Total Close Quantity,Average Open Price,Average Close Price,Pnl\n',
    "is OKX's position history, which has no fills; export Assets > Order center > Trading history",
  ],
  [
    'gtr.csv',
    'Global transction report,From 01-07-2026\n\nDate,Scrip Name,Exchange,Bill No.,Buy Qty.,Buy Value,Sell Qty.,Sell Value,Brokerage\n',
    "is Dhan's report of totals, which has no fills; export Reports > Trade history instead",
  ],
  [
    'statement.html',
    '<!DOCTYPE html>\n<html><head><title>U0000001 Activity Statement January 2026</title>',
    "is Interactive Brokers' activity statement as a web page; download it as CSV: Performance & Reports > Statements",
  ],
  [
    'export.xls',
    '<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">\n<frameset rows="*,39">',
    'is a workbook saved as a web page; open it in Excel and save it as .xlsx',
  ],
  [
    'old.xls',
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    'is an older workbook (.xls); open it',
  ],
  [
    'holdings.csv',
    'UPSTOX SECURITIES PRIVATE LIMITED,,\nName,X,\n\nISIN,Company,Holding Qty\n',
    'is a report of Upstox without trades, such as holdings or a P&L; export Reports > Trades',
  ],
  [
    'holdings.csv',
    'Report Title,Holdings report,,\nClient Name,,,\n\nSymbol,Qty,Avg\n',
    'is a report of FYERS without trades, such as holdings or a P&L; export Reports > Tradebook',
  ],
  [
    'bank.ofx',
    'OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS>',
    'is a statement of a bank account, which has no trades; download that of the investment account',
  ],
  [
    'holdings.csv',
    'Company,Quantity,Average Price,LTP,Current Value,Overall P&L\nACME,10,5,6,60,10\n',
    'is a list of holdings, which has no trades; export the trades, orders or transactions',
  ],
  [
    'holdings.csv',
    '"Instrument","Qty.","Avg. cost","LTP","Cur. val","P&L","Net chg.","Day chg."\n',
    "is Zerodha's list of holdings, which has no trades; export Console > Reports > Tradebook",
  ],
  [
    'okx.csv',
    'Date,Action,Symbol,Description,Quantity,Price,Amount\n',
    'is not an export of a known platform; it begins with: Date,Action,Symbol,Description,Quantity,Price,Amount\n"journal-api import --formats"',
  ],
  [
    'Account.csv',
    'Datum,Tijd,Valutadatum,Product,ISIN,Omschrijving,FX,Mutatie,,Saldo,,Order Id\n02-11-2026,09:31,02-11-2026,ACME INC,US0000000001,"Koop 1 @ 5 EUR",,EUR,"-5,00",EUR,"95,00",a1\n',
    "is DEGIRO's account statement, which has no trades; export Inbox > Transactions",
  ],
  [
    'Trades.csv',
    'Symbol,Opened,Closed,Dir,Qty,In,Out\nABC,2026-11-02,2026-11-03,Long,10,5,6\n',
    'is not an export of a known platform; it begins with: Symbol,Opened,Closed,Dir,Qty,In,Out\n',
  ],
])('%s is rejected', (name, content, message) => {
  const home = new ImportHome().withUser();
  const path = home.file(
    name,
    typeof content === 'string' ? content : Buffer.from(content),
  );
  expect(() => home.import(path)).toThrow(`${path} ${message}`);
});

test('a workbook of holdings is rejected with what to export', () => {
  const sheet = `<worksheet><sheetData><row>${[
    'Stock Name',
    'ISIN',
    'Quantity',
    'Average buy price',
    'Closing price',
  ]
    .map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`)
    .join('')}</row></sheetData></worksheet>`;
  const parts = { '[Content_Types].xml': '<Types/>', 'xl/worksheets/sheet1.xml': sheet };
  const bytes = zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, text]) => [name, strToU8(text)]),
    ),
  );
  const home = new ImportHome().withUser();
  const path = home.file('Holdings.xlsx', Buffer.from(bytes));
  expect(() => home.import(path)).toThrow(
    `${path} is Groww's list of holdings, which has no trades`,
  );
});

test('an unknown table named Trades.csv suggests a mapping, a known one with a typo the right field', () => {
  const home = new ImportHome().withUser();
  const foreign = home.file(
    'Trades.csv',
    'Symbol,Opened,Closed,Qty\nABC,2026-11-02,2026-11-03,10\n',
  );
  expect(home.refusalOf(foreign)).toContain(
    `"journal-api import ${foreign} --map new" drafts one`,
  );
  const own = home.file('trades.csv', 'id,symbol,markte,side\n1,ABC,stock,long\n');
  expect(home.refusalOf(own)).toContain('1: markte: unknown field; did you mean market?');
});

test("a stray control character doesn't make a file an archive", () => {
  const home = new ImportHome().withUser();
  const text =
    'time,coin,dir,px,sz,fee,closedPnl\n2026-11-02 20:56:12,A\u001bC,Open Long,10,5,0.01,0\n';
  expect(home.import(home.file('fills.csv', text)).files[0]).toMatchObject({
    format: 'hyperliquid',
    added: 1,
  });
});
