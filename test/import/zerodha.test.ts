/** Zerodha's tradebooks: of shares, and of futures and options. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const EQUITY = [
  'symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time',
  'ACME,INE000000001,2026-03-02,NSE,EQ,EQ,buy,false,10.000000,100.000000,501,11,2026-03-02T09:30:00',
  'ACME,INE000000001,2026-03-02,NSE,EQ,EQ,sell,false,4.000000,110.000000,502,12,2026-03-02T09:31:00',
  'ACME,INE000000001,2026-03-03,BSE,EQ,A,sell,false,6.000000,105.000000,503,13,2026-03-03T09:31:00',
  'BETA,INE000000002,2026-03-03,NSE,EQ,EQ,sell,false,7.000000,105.000000,504,14,2026-03-03T10:31:00',
].join('\n');

const DERIVATIVES = [
  'symbol,trade_date,exchange,segment,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time,expiry_date',
  'NIFTY26MAR24000CE,2026-03-02,NSE,FO,sell,false,75,100.5,601,21,2026-03-02T09:30:00,2026-03-26',
  'NIFTY26MAR24000CE,2026-03-02,NSE,FO,buy,false,75,90.5,602,22,2026-03-02T09:40:00,2026-03-26',
  'BANKNIFTY26O0652000PE,2026-03-02,NSE,FO,buy,false,35,10,603,23,2026-03-02T09:41:00,',
  'NIFTY26MARFUT,2026-03-02,NSE,FO,sell,false,75,24000,604,24,2026-03-02T09:42:00,2026-03-26',
].join('\n');

const SHOWN =
  'SELECT symbol, market, side, status, executed_at, quantity, multiplier, gross_pnl, underlying, expiration, strike FROM trades ORDER BY executed_at';

describe('tradebooks of our own', () => {
  test('of shares', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'INR' });
    const file = home.import(home.file('tradebook.csv', EQUITY)).files[0];
    expect(file).toMatchObject({ format: 'zerodha', added: 1 });
    expect(home.rows(SHOWN).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME stock long closed 2026-03-02T04:00:00.000Z 10 1 70   ',
    ]);
    expect(file?.platform?.unmatched).toMatchObject([{ symbol: 'BETA', quantity: 7 }]);
    expect(home.notes.join('\n')).toContain(
      'using Asia/Kolkata, the zone of the exchanges',
    );
  });

  test('as a workbook, with titles above the header and its names in words', () => {
    const [csv, xlsx] = [new ImportHome().withUser(), new ImportHome().withUser()];
    csv.import(csv.file('tradebook.csv', EQUITY));
    const [names = [], ...rows] = EQUITY.split('\n').map((line) => line.split(','));
    const header = names.map((name) => name.replaceAll('_', ' ').toUpperCase());
    const table = [
      ['', 'Client ID', 'AB1234'],
      ['', 'Tradebook for Equity'],
      ['', ...header],
    ];
    for (const row of rows) table.push(['', ...row]);
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const lines = table
      .map((row, at) => `<row r="${at + 2}">${row.map(cell).join('')}</row>`)
      .join('');
    const book = (sheet: string) =>
      Buffer.from(
        zipSync({
          'xl/worksheets/sheet1.xml': strToU8(
            `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
          ),
        }),
      );
    expect(xlsx.import(xlsx.file('tradebook.xlsx', book(lines))).files[0]).toMatchObject({
      format: 'zerodha',
    });
    const fills = 'SELECT id, executed_at, price FROM fills ORDER BY id';
    expect(xlsx.rows(fills)).toEqual(csv.rows(fills));
    const bad = book(lines.replace('>sell<', '>swap<'));
    expect(xlsx.refusalOf(xlsx.file('tradebook.xlsx', bad))).toContain(
      '6: TRADE TYPE: must be one of',
    );
  });

  test('of futures and options, where a sell may open', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'INR' });
    home.import(home.file('tradebook.csv', DERIVATIVES), { timeZone: 'UTC' });
    expect(home.rows(SHOWN).map((row) => Object.values(row).join(' '))).toEqual([
      'NIFTY 2026-03-26 C24000 option short closed 2026-03-02T09:30:00.000Z 75 1 750 NIFTY 2026-03-26 24000',
      'BANKNIFTY 2026-10-06 P52000 option long open 2026-03-02T09:41:00.000Z 35 1 0 BANKNIFTY 2026-10-06 52000',
      'NIFTY26MARFUT future short open 2026-03-02T09:42:00.000Z 75 1 0 NIFTY 2026-03-26 ',
    ]);
  });

  test("Kite's orders of a day, with executions in the tradebook", () => {
    const home = new ImportHome().withUser('me', { base_currency: 'INR' });
    const orders = [
      'Time,Type,Instrument,Product,Qty.,Avg. price,Status',
      '2026-03-02 09:31:00,SELL,ACME,CNC,4/4,110.00,COMPLETE',
      '2026-03-02 09:30:30,BUY,BETA,MIS,0/7,0.00,CANCELLED',
      '2026-03-02 09:30:00,BUY,ACME,CNC,10/10,100.00,COMPLETE',
      '2026-03-02 09:29:00,SELL,NIFTY26MAR24000CE NFO,NRML,75/75,100.5,COMPLETE',
    ].join('\n');
    const path = home.file('orders.csv', orders);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'zerodha-orders',
      added: 2,
      skipped: [{ reason: 'cancelled order', count: 1 }],
    });
    expect(home.refusalOf(home.file('tradebook.csv', EQUITY))).toContain(
      'as zerodha-orders',
    );
    expect(
      home.refusalOf(home.file('o.csv', orders.replace('CANCELLED', 'MODIFIED'))),
    ).toContain('3: Status: must be one of COMPLETE, CANCELLED');
  });

  test('of a monthly option without a column of expiry', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('tradebook.csv', DERIVATIVES.replaceAll(',2026-03-26', ',')));
    expect(
      home.rows("SELECT symbol, strike, expiration FROM trades WHERE status = 'closed'"),
    ).toEqual([{ symbol: 'NIFTY26MAR24000CE', strike: 24000, expiration: null }]);
  });

  test('of a commodity ask for the contract size', () => {
    const home = new ImportHome().withUser();
    const text = DERIVATIVES.replaceAll(
      /^NIFTY26MARFUT,(.*),FO,/gm,
      'CRUDEOIL26MARFUT,$1,COM,',
    );
    expect(home.refusalOf(home.file('tradebook.csv', text))).toContain(
      '--multiplier CRUDEOIL26MARFUT=50',
    );
  });

  test.each([
    [',sell,false,4', ',swap,false,4', '3: trade_type: must be one of Buy, Sell'],
    [',EQ,EQ,buy', ',XX,EQ,buy', '2: segment: must be one of EQ'],
    [
      '2026-03-02T09:30:00',
      '02-03-2026',
      '2: order_execution_time: must be a time with the year first',
    ],
    [',10.000000,', ',ten,', '2: quantity: must be a number'],
    [',501,', ',,', '2: trade_id: is missing'],
    ['trade_id', 'number', '1: trade_id or Trade ID: is missing from the header'],
    [
      'ACME,INE000000001,2026-03-02,NSE,EQ',
      'ACME,INE000000001,2026-03-02,NSE,FO',
      '2: symbol: must be a future or an option',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('tradebook.csv', EQUITY.replace(from, to))),
    ).toContain(message);
  });
});

// A real tradebook, if available next to the project.

test.each(
  exportsWith(
    ['zerodha/tradebook-own.csv', { fills: 9, trades: { closed: 2, open: 2 }, sold: 1 }],
    [
      'zerodha/tradebook-own.csv',
      { fills: 60, trades: { closed: 2, open: 26 }, sold: 15 },
    ],
  ),
)('$label is read whole', ({ path, holds: { fills, trades, sold } }) => {
  const home = new ImportHome().withUser();
  const own = path();
  const { platform } = home.import(own).files[0] ?? {};
  expect(platform).toMatchObject({ fills, trades });
  // Sold units bought before the file begins.
  expect(platform?.unmatched).toHaveLength(sold);
  expect(home.import(own).files[0]).toMatchObject({ added: 0, changed: 0 });
});
