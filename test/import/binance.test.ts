/** Binance's trade histories: futures with P&L, and spot with coins after the amounts. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const FUTURES = `\ufeffUid,Time,Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Buyer,Maker,Trade ID,Order ID
7,2026-11-03 02:00:00,ABCUSDT,BUY,9.5,10,95,0.00001BNB,5,true,false,103,1
7,2026-11-03 01:00:00,ABCUSDT,SELL,10,15,150,0.06USDT,5,false,false,102,1
7,2026-11-03 00:30:00,ABCUSDT,BUY,9,5,45,0.02USDT,0,true,true,101,1
`;

const SPOT = `"Date(UTC)","Pair","Side","Price","Executed","Amount","Fee"
"26-11-02 12:00:00","ABCUSDT","SELL","11","9.99ABC","109.89USDT","0.1USDT"
"2026-11-02 11:00:00","ABCUSDT","BUY","10","10ABC","100USDT","0.01ABC"
`;

const OLDER = `Date(UTC),Market,Type,Price,Amount,Total,Fee,Fee Coin
2026-11-02 12:00:00,ABCUSDT,SELL,11,9.99,109.89,0.1,USDT
2026-11-02 11:00:00,ABCUSDT,BUY,10,10,100,0.01,ABC
`;

const PAIRS_APART = `Date(UTC),Pair,Base Asset,Quote Asset,Type,Price,Amount,Total,Fee,Fee Coin
2026-11-02 12:00:00,ABC/USDT,ABC,USDT,SELL,11,9.99,109.89,0.1,USDT
2026-11-02 11:00:00,ABC/USDT,ABC,USDT,BUY,10,10,100,0.01,ABC
`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('futures', () => {
  const name = 'Binance-Futures-Trade-History-202611030300(UTC+2)-part1-of1.csv';

  test("a fill through zero closes one trade and opens the next; the zone is in the file's name", () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file(name, FUTURES)).files;
    expect(file).toMatchObject({ format: 'binance', rows: { read: 3 }, added: 2 });
    expect(file?.platform?.stated).toMatchObject([
      {
        what: 'gross',
        currency: 'USDT',
        symbol: null,
        amount: 10,
        ours: 10,
        difference: 0,
      },
    ]);
    expect(file?.platform?.other_fees).toEqual([{ currency: 'BNB', amount: 0.00001 }]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABCUSDT long closed 2026-11-02T22:30:00.000Z 5 5 0.04 USDT',
      'ABCUSDT short closed 2026-11-02T23:00:00.000Z 10 5 0.04 USDT',
    ]);
    expect(home.notes.join()).toContain("times are in UTC+02:00, from the file's name");
    const west = new ImportHome().withUser();
    west.import(west.file(name.replace('UTC+2', 'UTC--6'), FUTURES));
    expect(west.notes.join()).toContain("times are in UTC-06:00, from the file's name");
  });

  test.each<[string, string[], string[], number]>([
    [
      'a first row with a profit closes a position older than the file',
      ['SELL,10,15,150,0USDT,5', 'BUY,9,5,45,0USDT,0'],
      ['long open 5 0'],
      1,
    ],
    [
      'so does a row beyond a known position, with a profit on more units',
      ['BUY,9,5,45,0USDT,0', 'SELL,10,15,150,0USDT,15'],
      ['long closed 5 5'],
      1,
    ],
    [
      'a row with the profit of the known position reverses it',
      ['BUY,9,5,45,0USDT,0', 'SELL,10,15,150,0USDT,5'],
      ['long closed 5 5', 'short open 10 0'],
      0,
    ],
    [
      'rows that cross zero one after another',
      [
        'BUY,100,1,100,0USDT,0',
        'SELL,110,2,220,0USDT,10',
        'BUY,105,3,315,0USDT,5',
        'SELL,107,2,214,0USDT,4',
      ],
      ['long closed 1 10', 'short closed 1 5', 'long closed 2 4'],
      0,
    ],
    [
      'a row that crosses zero by less than the position',
      ['BUY,100,4,400,0USDT,0', 'SELL,110,5,550,0USDT,40', 'BUY,100,1,100,0USDT,10'],
      ['long closed 4 40', 'short closed 1 10'],
      0,
    ],
    [
      'without a profit it opens',
      ['SELL,10,15,150,0USDT,0', 'BUY,9,15,135,0USDT,15'],
      ['short closed 15 15'],
      0,
    ],
  ])('%s', (_, rows, trades, unmatched) => {
    const home = new ImportHome().withUser();
    const lines = rows.map(
      (row, index) =>
        `7,2026-11-03 0${index + 1}:00:00,ABCUSDT,${row},true,false,${101 + index},1`,
    );
    const text = [FUTURES.split('\n')[0], ...lines].join('\n');
    const [file] = home.import(home.file(name, text)).files;
    const stored =
      'SELECT side, status, quantity, gross_pnl FROM trades ORDER BY executed_at';
    expect(home.rows(stored).map((row) => Object.values(row).join(' '))).toEqual(trades);
    expect(file?.platform?.unmatched).toHaveLength(unmatched);
  });

  test('an older file has the opening fill of the first row', () => {
    const home = new ImportHome().withUser();
    const [header, ...rows] = FUTURES.trim().split('\n');
    for (const row of rows) home.import(home.file(name, [header, row].join('\n')));
    const whole = new ImportHome().withUser();
    whole.import(whole.file(name, FUTURES));
    expect(home.rows(shown)).toEqual(whole.rows(shown));
  });

  test.each([
    ['Time,', 'Date(UTC),', 'history(UTC+2).csv', undefined, '2026-11-03T00:30:00.000Z'],
    [
      'Time,',
      'Time(UTC-3),',
      'history(UTC+2).csv',
      undefined,
      '2026-11-03T03:30:00.000Z',
    ],
    ['', '', 'history.csv', 'America/New_York', '2026-11-03T05:30:00.000Z'],
    ['', '', 'history(UTC-03:30).csv', 'America/New_York', '2026-11-03T04:00:00.000Z'],
  ])('%j for %j in %s is in its zone', (from, to, file, timeZone, executed_at) => {
    const home = new ImportHome().withUser();
    home.import(home.file(file, FUTURES.replace(from, to)), { timeZone });
    expect(home.rows('SELECT min(executed_at) AS executed_at FROM trades')).toEqual([
      { executed_at },
    ]);
  });

  test.each([
    ['SELL', 'SHORT', '3: Side: must be one of Buy, Sell'],
    ['0.06USDT', '0.06.1USDT', '3: Fee: must be an amount with its currency'],
    ['ABCUSDT,SELL', 'ABCUSD_PERP,SELL', '3: Symbol: a contract settled in coins'],
    [',Price,', ',Rate,', '1: Price: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('history.csv', FUTURES.replace(from, to)))).toContain(
      message,
    );
  });
});

describe('all transactions', () => {
  const ROWS = `User_ID,UTC_Time,Account,Operation,Coin,Change,Remark
1,2026-11-01 10:00:00,Spot,Transaction Spend,USDT,-20,
1,2026-11-01 10:00:00,Spot,Transaction Buy,ABC,2,
1,2026-11-01 10:00:00,Spot,Transaction Fee,ABC,-0.003,
1,2026-11-01 10:00:00,Spot,Transaction Buy,ABC,1,
1,2026-11-01 10:00:00,Spot,Transaction Spend,USDT,-10,
1,2026-11-01 11:00:00,Spot,Simple Earn Flexible Interest,ABC,0.001,
1,2026-11-02 10:00:00,Spot,Transaction Revenue,USDT,33,
1,2026-11-02 10:00:00,Spot,Transaction Sold,ABC,-2.997,
1,2026-11-02 10:00:00,Spot,Transaction Fee,BNB,-0.00001,
1,2026-11-03 10:00:00,Spot,Small Assets Exchange BNB,BNB,0.2,
1,2026-11-03 10:00:00,Spot,Small Assets Exchange BNB,XYZ,-0.1,
1,2026-11-03 10:00:00,Spot,Small Assets Exchange BNB,QRS,-0.1,
`;
  const POLISH = ROWS.replace(/^.*/, 'Czas,Konto,Operacja,Moneta,Zmien,Uwagi').replace(
    /^1,20/gm,
    '',
  );

  test.each([
    ['in English', ROWS],
    ['in Polish, without the century', POLISH],
  ])('%s: coins paid, received and the fee in one second are a fill', (_, text) => {
    const home = new ImportHome().withUser();
    const path = home.file('transactions.csv', text);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'binance-transactions',
      rows: { read: 12 },
      added: 1,
      skipped: [
        { reason: 'simple earn flexible interest', count: 1 },
        { reason: 'row of several trades in one second', count: 3 },
      ],
      platform: { other_fees: [{ currency: 'BNB', amount: 0.00001 }] },
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABCUSDT long closed 2026-11-01T10:00:00.000Z 2.997 3.03 0.03 USDT',
    ]);
    expect(home.notes.join()).toContain(
      '3 rows skipped (the first on line 11): several trades in one second',
    );
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('a second with a coin received and paid has several trades', () => {
    const home = new ImportHome().withUser();
    const both = `1,2026-11-01 10:00:00,Spot,Transaction Buy,ABC,1,
1,2026-11-01 10:00:00,Spot,Transaction Spend,USDT,4,
1,2026-11-01 10:00:00,Spot,Transaction Spend,USDT,-10,
`;
    const path = home.file('transactions.csv', `${ROWS.split('\n')[0]}\n${both}`);
    expect(() => home.import(path)).toThrow(
      `nothing of ${path} came in: 3 rows, because all were skipped: 3 row of several trades in one second`,
    );
    expect(home.notes.join()).toContain('import Trade History instead');
  });

  const HEADER = 'User_ID,UTC_Time,Account,Operation,Coin,Change,Remark';
  const fills =
    'SELECT symbol, side, quantity, price, executed_at FROM fills ORDER BY executed_at';

  test.each([
    ['in English', HEADER],
    ['in Spanish', 'ID de usuario,Tiempo,Cuenta,Operación,Moneda,Cambio,Observación'],
  ])(
    '%s: coins bought or sold for currencies, with their sides some seconds apart',
    (_, header) => {
      const home = new ImportHome().withUser();
      const path = home.file(
        'transactions(UTC+0).csv',
        `${header}
1,2026-11-03 10:00:01,Spot,Binance Convert,EUR,440,
1,2026-11-03 10:00:00,Spot,Binance Convert,ABC,-2,
1,2026-11-02 10:00:05,Spot,Buy Crypto With Fiat,ABC,1,Via CashBalance - Wallet/P2
1,2026-11-02 10:00:00,Spot,Buy Crypto With Fiat,EUR,-210,Via CashBalance - Wallet/P2
1,2026-11-01 12:00:00,Spot,Sell Crypto To Fiat,ABC,-0.5,
1,2026-11-01 12:00:00,Spot,Sell Crypto To Fiat,CZK,2600,
1,2026-11-01 10:00:00,Spot,Buy Crypto With Fiat,ABC,1,Via CashBalance - Wallet/P1
1,2026-11-01 10:00:00,Spot,Buy Crypto With Fiat,EUR,-200,Via CashBalance - Wallet/P1
`,
      );
      expect(home.import(path).files[0]).toMatchObject({
        rows: { read: 8 },
        skipped: [],
      });
      expect(home.rows(fills).map((row) => Object.values(row).join(' '))).toEqual([
        'ABCEUR buy 1 200 2026-11-01T10:00:00.000Z',
        'ABCCZK sell 0.5 5200 2026-11-01T12:00:00.000Z',
        'ABCEUR buy 1 210 2026-11-02T10:00:00.000Z',
        'ABCEUR sell 2 220 2026-11-03T10:00:00.000Z',
      ]);
    },
  );

  test('sides that fit two trades, or have no other side, are skipped and named', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'transactions.csv',
        `${HEADER}
1,2026-11-01 10:00:00,Spot,Buy,ABC,1,
1,2026-11-01 10:00:00,Spot,Sell,EUR,-200,
1,2026-11-02 10:00:00,Spot,Binance Convert,ABC,1,
1,2026-11-02 10:00:01,Spot,Binance Convert,EUR,-200,
1,2026-11-02 10:00:02,Spot,Binance Convert,ABC,1,
1,2026-11-03 10:00:00,Spot,Transaction Buy,ABC,1,
1,2026-11-03 10:00:03,Spot,Transaction Spend,EUR,-200,
`,
      ),
    );
    expect(home.rows('SELECT count(*) AS count FROM fills')).toEqual([{ count: 1 }]);
    expect(home.notes.join()).toContain(
      '5 rows skipped (the first on line 4): the file lacks the other side of the trade near their second; import Trade History instead',
    );
  });

  test('a coin with a leading digit is found by the pair', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('spot.csv', SPOT.replaceAll('ABC', '1ABC')));
    expect(home.rows('SELECT symbol, quantity FROM trades')).toEqual([
      { symbol: '1ABCUSDT', quantity: 9.99 },
    ]);
  });
});

describe('orders', () => {
  const ORDERS = `\ufeffTime,OrderNo,Pair,Type¹,Side,Order Price,Order Amount,Time,Executed²,Average Price,Trading total³,Status
2026-11-03 09:00:00,1003,ABCUSDT,Limit,BUY,2000,1ABC,2026-11-03 12:00:00,0ABC,0,0USDT,CANCELED
2026-11-02 08:00:00,1002,1ABCUSDT,Limit,SELL,11,101ABC,2026-11-02 12:00:00,101ABC,11.00,110USDT,FILLED
2026-11-02 10:00:00,1001,1ABCUSDT,Market,BUY,0,101ABC,2026-11-02 10:00:01,101ABC,10,100USDT,FILLED
`;

  test('are fills without fees, at the second time; duplicates of trades are detected', () => {
    const home = new ImportHome().withUser();
    const path = home.file('Binance-Spot-Order-History(UTC+2).csv', ORDERS);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'binance-orders',
      added: 1,
      skipped: [{ reason: 'cancelled order', count: 1 }],
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      '1ABCUSDT long closed 2026-11-02T08:00:01.000Z 10 10 0 USDT',
    ]);
    const trades = `"Date(UTC)","Pair","Side","Price","Executed","Amount","Fee"
"2026-11-02 08:00:01","1ABCUSDT","BUY","10","41ABC","40USDT","0.1USDT"
"2026-11-02 08:00:01","1ABCUSDT","BUY","10","61ABC","60USDT","0.1USDT"
`;
    expect(home.refusalOf(home.file('trades.csv', trades))).toContain(
      'already in the journal as binance-orders',
    );
    expect(
      home.refusalOf(home.file('other.csv', ORDERS.replace('CANCELED', 'LOST'))),
    ).toContain('2: Status: must be one of FILLED');
  });
});

test('orders of the download centre have no coins after the amounts: the pair states the currency', () => {
  const home = new ImportHome().withUser();
  const text = `Date(UTC),Order No.,Pair,Type,Side,Order Price,Order Amount,AvgTrading Price,Filled,Total,Status
2026-11-02 11:00:00,1,ABCUSDC,MARKET,BUY,0,10,10,10,100,FILLED
2026-11-02 12:00:00,2,ABCUSDC,LIMIT,SELL,11,20,11,10,110,FILLED
2026-11-02 13:00:00,3,ABCUSDC,LIMIT,SELL,12,10,0,0,0,CANCELED
`;
  expect(home.import(home.file('orders.csv', text)).files[0]).toMatchObject({
    format: 'binance-orders',
    skipped: [{ reason: 'cancelled order', count: 1 }],
  });
  expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
    'ABCUSDC long closed 2026-11-02T11:00:00.000Z 10 10 0 USDC',
  ]);
});

describe('spot', () => {
  test.each([
    ['today', SPOT],
    ['the older one', OLDER],
    ['with the coins apart', PAIRS_APART],
    [
      'in Spanish',
      SPOT.replace(/^.*/, 'Tiempo,Par,Lado,Precio,Ejecutado,Cantidad,Tarifa'),
    ],
    [
      'in Chinese',
      PAIRS_APART.replace(
        /^.*/,
        '时间,交易对,基准货币,计价货币,类型,价格,数量,成交额,手续费,手续费结算币种',
      ),
    ],
    ['without coins after the amounts', SPOT.replace(/(ABC|USDT)"(?=,"1|,"0)/g, '"')],
  ])('%s: a fee in the coin makes the position smaller', (_, text) => {
    const home = new ImportHome().withUser();
    expect(home.import(home.file('spot(UTC+0).csv', text)).files[0]).toMatchObject({
      format: 'binance-spot',
      rows: { read: 2 },
      added: 1,
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABCUSDT long closed 2026-11-02T11:00:00.000Z 9.99 9.99 0.2 USDT',
    ]);
  });
});

test.each(
  exportsWith(
    [
      'binance/Binance-Futures-Trade-History-202601201200(UTC+6)-part1-of1.csv',
      {
        rows: { read: 12 },
        gross: 2.65,
        fees: 0.53881985,
        first: '2026-01-19T17:58:07.000Z',
      },
    ],
    [
      'binance/Binance-Futures-Trade-History-202606181441(UTC+6)-part1-of1.csv',
      {
        rows: { read: 40 },
        gross: 0.18149002,
        fees: 0.506442,
        first: '2026-06-17T22:03:32.000Z',
      },
    ],
  ),
)('$label adds up to its rows', ({ path, holds: { rows, gross, fees, first } }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows });
  expect(file?.platform?.stated).toMatchObject([{ what: 'gross', amount: gross }]);
  expect(
    home.rows('SELECT round(sum(fees), 8) AS fees, min(executed_at) AS first FROM fills'),
  ).toEqual([{ fees, first }]);
});
