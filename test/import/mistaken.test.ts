/** Files often mistaken for an export: rejected with their type. */
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const PERFORMANCE = 'symbol,qty,buyFillId,sellFillId,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\n';

test.each([
  ['statement.pdf', '%PDF-1.7\n1 0 obj\n', "is a PDF, which can't be imported; export CSV from the platform"],
  ['export.csv', '<!DOCTYPE html>\n<html><title>Log in</title>', 'is a web page (perhaps a login page), not an export'],
  ['export.html', '\n<html><body>Log in', 'is a web page (perhaps a login page), not an export'],
  ['empty.csv', '', 'is empty'],
  ['blank.csv', ' \n\n', 'is empty'],
  ['Performance.zip', zipSync({ 'Performance.csv': [strToU8(PERFORMANCE), { level: 0 }] }), 'is an archive; unpack it'],
  ['Performance.csv.gz', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 'is an archive; unpack it and import its files'],
  [
    'chart.png',
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 0x1a, 10, 0, 0]),
    'is not an export of a known platform\n',
  ],
  ['balances.csv', 'Account,Balance\n', 'is not an export of a known platform; it begins with: Account,Balance\n'],
  [
    'fills.csv',
    'Trade ID,Product,Created At,Fee\n',
    'is not an export of a known platform; it begins with: Trade ID,Product,Created At,Fee\nThe header is closest to coinbase, but lacks price/fee/total unit.\n',
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
  const path = home.file(name, typeof content === 'string' ? content : Buffer.from(content));
  expect(() => home.import(path)).toThrow(`${path} ${message}`);
});

test('an unknown table named Trades.csv suggests a mapping, a known one with a typo the right field', () => {
  const home = new ImportHome().withUser();
  const foreign = home.file('Trades.csv', 'Symbol,Opened,Closed,Qty\nABC,2026-11-02,2026-11-03,10\n');
  expect(home.refusalOf(foreign)).toContain(`"journal-api import ${foreign} --map new" proposes one`);
  const own = home.file('trades.csv', 'id,symbol,markte,side\n1,ABC,stock,long\n');
  expect(home.refusalOf(own)).toContain('1: markte: unknown field; did you mean market?');
});

test("a stray control character doesn't make a file an archive", () => {
  const home = new ImportHome().withUser();
  const text = 'time,coin,dir,px,sz,fee,closedPnl\n2026-11-02 20:56:12,A\u001bC,Open Long,10,5,0.01,0\n';
  expect(home.import(home.file('fills.csv', text)).files[0]).toMatchObject({ format: 'hyperliquid', added: 1 });
});
