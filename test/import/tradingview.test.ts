/** TradingView: the list of trades of a strategy, in its versions and languages. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const NAME = 'My_Strategy_NASDAQ_ACME_2026-11-20.csv';

const LIST = [
  'Trade #,Type,Date/Time,Signal,Price USD,Position size (qty),Position size (value),Net P&L USD,Net P&L %,Run-up USD,Run-up %,Cumulative P&L USD,Cumulative P&L %',
  '1,Exit long,2026-11-02 10:00,Close,105.00,10,1000,48.00,4.8,60,6,48,0.1',
  '1,Entry long,2026-11-02 09:30,Long,100.00,10,1000,48.00,4.8,60,6,48,0.1',
  '2,Exit short,2026-11-03 10:00,Close,110.00,10,1000,-102.00,-10,0,0,-54,0.1',
  '2,Entry short,2026-11-03 09:30,Short,100.00,10,1000,-102.00,-10,0,0,-54,0.1',
  '3,Exit long,2026-11-04 10:00,Open,110.00,10,1000,98.00,10,0,0,46,0.1',
  '3,Entry long,2026-11-04 09:30,Long,100.00,10,1000,98.00,10,0,0,46,0.1',
].join('\n');

const shown = (home: ImportHome) =>
  home
    .everything()
    ['trades']?.map(
      ({ symbol, market, side, currency, multiplier, gross_pnl, fees, net_pnl }) =>
        [symbol, market, side, currency, multiplier, gross_pnl, fees, net_pnl].join(' '),
    );

describe('a list of trades', () => {
  test("has two rows per trade; commissions are the prices' P&L minus the stated P&L", () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const path = home.file(NAME, `\uFEFF${LIST}`);
    const [report] = home.import(path).files;
    expect(report).toMatchObject({
      format: 'tradingview',
      rows: { read: 6 },
      added: 2,
      skipped: [{ reason: 'open position', count: 2 }],
    });
    expect(report?.platform?.stated).toMatchObject([
      { what: 'net', amount: -54, difference: 0 },
    ]);
    expect(shown(home)).toEqual([
      'ACME stock short USD 1 -100 2 -102',
      'ACME stock long USD 1 50 2 48',
    ]);
    expect(
      home.rows('SELECT executed_at FROM trades ORDER BY executed_at LIMIT 1'),
    ).toEqual([{ executed_at: '2026-11-02T14:30:00.000Z' }]);
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    });
  });

  test('of an older version, of a future, without commissions', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Trade #,Type,Signal,Date/Time,Price,Contracts,Profit,Profit %,Cum. Profit,Cum. Profit %',
      '1,Entry Long,Long,2026-11-02,6800.25,2,,,,',
      '1,Exit Long,Close,2026-11-03,6801.25,2,10.00,0.1,10,0.1',
    ].join('\n');
    home.import(home.file('List_CME_MINI_MES1!_2026-11-20_a1b2c.csv', text), {
      timeZone: 'America/Chicago',
    });
    expect(shown(home)).toEqual(['MES1! future long USD 5 10 0 10']);
    expect(home.notes.join('\n')).toMatch(
      /dates without times[\s\S]*no currency in this file/,
    );
  });

  test('of metal at a broker is of CFDs', () => {
    const home = new ImportHome().withUser();
    const path = home.file('List_OANDA_XAUUSD_2026-11-20 (1).csv', LIST);
    home.import(path);
    expect(home.rows('SELECT DISTINCT market, symbol FROM trades')).toEqual([
      { market: 'cfd', symbol: 'XAUUSD' },
    ]);
  });

  test('in another language is read by the positions of its columns', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Nr.,Typ,Datum/Uhrzeit,Signal,Preis USDT,Positionsgröße (Menge),Positionsgröße (Wert),Netto-G&V USDT,Netto-G&V %,Kumuliert USDT',
      '1,Ausstieg Short,2026-11-02 10:00,x,90,0.5,50,4.9,1,4.9',
      '1,Einstieg Short,2026-11-02 09:00,x,100,0.5,50,4.9,1,4.9',
      '2,Ltest Long,2026-11-02 13:00,x,90,0.5,50,-5.1,1,4.9',
      '2,Rtest Long,2026-11-02 12:00,x,100,0.5,50,-5.1,1,4.9',
    ].join('\n');
    home.import(home.file('S_BINANCE_BTCUSDT_2026-11-20.csv', text));
    expect(shown(home)).toEqual([
      'BTCUSDT crypto long USDT 1 -5 0.1 -5.1',
      'BTCUSDT crypto short USDT 1 5 0.1 4.9',
    ]);
  });

  test.each([
    [
      'Chinese',
      '交易 #,类型,日期和时间,信号,价格 USDT,仓位大小（数量）,仓位大小（价值）,净损益 USDT,净损益 %,累计P&L USDT,累计P&L %',
      ['多头出场', '多头进场'],
    ],
    [
      'Japanese',
      'トレード番号,タイプ,日時,シグナル,価格 USDT,サイズ (数量),サイズ (金額),純損益 USDT,純損益 %,累積損益 USDT,累積損益 %',
      ['ロング決済', 'ロングエントリー'],
    ],
    [
      'Spanish',
      'Trade number,Tipo,Fecha y hora,Señal,Precio USDT,Tamaño (cant.),Tamaño de la posición (valor),PyG netas USDT,PyG netas %,PyG acumuladas USDT,PyG acumuladas %',
      ['Salida en largo', 'Entrada en largo'],
    ],
  ])(
    'in %s has the P&L behind the value of the position, and words for what is open',
    (_, header, [exit, entry]) => {
      const home = new ImportHome().withUser();
      const text = [
        header,
        `1,${exit},2026-11-02 10:00,x,110,2,200,19.5,9.75,19.5,0.1`,
        `1,${entry},2026-11-02 09:00,x,100,2,200,19.5,9.75,19.5,0.1`,
        `2,${exit},未決済,,110,2,200,20,9.75,19.5,0.1`,
        `2,${entry},2026-11-03 09:00,x,100,2,200,20,9.75,19.5,0.1`,
      ].join('\n');
      expect(
        home.import(home.file('S_BINANCE_BTCUSDT_2026-11-20.csv', text)).files[0]
          ?.skipped,
      ).toEqual([{ reason: 'open position', count: 2 }]);
      expect(shown(home)).toEqual(['BTCUSDT crypto long USDT 1 20 0.5 19.5']);
    },
  );

  test('with another name takes its symbol from the command', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('mine.csv', LIST), { symbol: 'NASDAQ:ACME' });
    const named = new ImportHome().withUser();
    named.import(named.file(NAME, LIST));
    expect(shown(home)).toEqual(shown(named));
  });

  test('with P&L in another currency than its prices keeps the P&L', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        NAME,
        LIST.replace('Price USD', 'Price EUR').replaceAll('48.00', '55.00'),
      ),
    );
    expect(shown(home)).toEqual([
      'ACME stock short USD 1.02 -102 0 -102',
      'ACME stock long USD 1.1 55 0 55',
    ]);
  });

  test.each([
    [
      NAME,
      ',Entry long,',
      ',Entry up,',
      '3: Type: must be Entry long, Exit long, Entry short or Exit short',
    ],
    [
      NAME,
      ',Entry long,',
      ',Exit long,',
      '3: Type: trade 1 must have one entry and one exit',
    ],
    [NAME, '105.00', 'n/a', '2: Price USD: must be a number'],
    [NAME, '2,Exit short', '1,Exit short', '4: Trade #: trade 1 has more than two rows'],
    [NAME, ',Price USD,', ',Fee USD,', '1: Price: is missing from the header'],
    [NAME, 'Net P&L USD', 'Value USD', '1: Net P&L: is missing from the header'],
    ['trades.csv', ',', ',', "no symbol in the file's name"],
  ])('%s with %j for %j is rejected', (name, from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file(name, LIST.replace(from, to)))).toContain(message);
  });

  test('with days that do not exist is rejected by the day as written', () => {
    const home = new ImportHome().withUser();
    const days = LIST.replaceAll(/ \d\d:\d\d/g, '').replace(
      /\d{4}-\d\d-\d\d/,
      '2026-11-31',
    );
    const message =
      /must be a date with the year first, such as 2025-12-31; got "2026-11-31"/;
    expect(home.refusalOf(home.file(NAME, days))).toMatch(message);
  });

  test('of a strategy without a currency is in that of the prices', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Trade #,Type,Signal,Date/Time,Price USDT,Contracts,Profit NONE,Profit %,Cum. Profit NONE,Cum. Profit %',
      '1,Entry Long,Buy,2026-11-01 10:00,100,2,20,10,20,0.2',
      '1,Exit Long,Sell,2026-11-02 10:00,110,2,20,10,20,0.2',
      '2,Exit Short,Open,,,,,,,',
      '2,Entry Short,Sell,2026-11-03 10:00,110,,,,,',
    ].join('\n');
    home.import(home.file('Mine_BINANCE_ABCUSDT_2026-11-20.csv', text));
    expect(shown(home)).toEqual(['ABCUSDT crypto long USDT 1 20 0 20']);
  });

  test.each([
    [
      'first',
      (symbol: string, number: string, rest: string) => [symbol, number, rest].join(','),
    ],
    [
      'second',
      (symbol: string, number: string, rest: string) => [number, symbol, rest].join(','),
    ],
  ])('of several symbols has a column of them, %s', (_, line) => {
    const home = new ImportHome().withUser();
    const heading =
      'Type,Date and time,Signal,Price USD,Size (qty),Size (value),Net P&L USD,Net P&L %';
    const rows = [
      line('Symbol', 'Trade number', heading),
      line('NASDAQ:ABC', '1', 'Exit long,2026-11-20 10:30,Sell,105,10,1000,50,5'),
      line('NASDAQ:ABC', '1', 'Entry long,2026-11-20 09:30,Buy,100,10,1000,50,5'),
      line(
        'CME_MINI:ESZ2026',
        '1',
        'Exit short,2026-11-20 11:30,Buy,5000,1,250500,500,0.2',
      ),
      line(
        'CME_MINI:ESZ2026',
        '1',
        'Entry short,2026-11-20 11:00,Sell,5010,1,250500,500,0.2',
      ),
    ];
    home.import(home.file('paper.csv', rows.join('\n')));
    expect(shown(home)).toEqual([
      'ESZ2026 future short USD 50 500 0 500',
      'ABC stock long USD 1 50 0 50',
    ]);
    const nameless = rows.map((row) => row.replace('NASDAQ:ABC', '')).join('\n');
    expect(home.refusalOf(home.file('nameless.csv', nameless))).toContain(
      'Symbol: is missing',
    );
  });

  test('without trades has the currency of its heading', () => {
    const home = new ImportHome().withUser();
    home.import(home.file(NAME, LIST.split('\n', 1)[0] as string));
    expect(home.notes.join()).not.toContain('no currency');
  });
});

describe('a history of orders', () => {
  const ORDERS = `Symbol,Side,Type,Qty,Fill Price,Commission,Placing Time,Closing Time,Order ID,Leverage
CME_MINI:NQ1!,Sell,Limit,1,25419,,2026-11-02 23:38:50,2026-11-03 05:31:17,104,
CME_MINI:NQ1!,Buy,Market,1,25297,,2026-11-02 23:37:36,2026-11-02 23:37:36,103,20:1
FX_IDC:EURUSD,Sell,Stop,400000,1.18032,1.50,2026-11-02 18:36:32,2026-11-02 18:46:01,102,
FX_IDC:EURUSD,Buy,Limit,400000,1.17973,1.50,2026-11-02 18:20:04,2026-11-02 18:20:19,101,50:1
`;

  test.each(['trades.csv', 'orders.csv', 'export (1).txt'])(
    'is recognised by its contents as %s, too',
    (name) => {
      const home = new ImportHome().withUser();
      expect(home.import(home.file(name, ORDERS)).files[0]).toMatchObject({
        format: 'tradingview-orders',
        added: 2,
      });
    },
  );

  test('is of fills, with the market from the symbol', () => {
    const home = new ImportHome().withUser('me', { timezone: 'UTC' });
    const path = home.file('paper-trading-history.csv', ORDERS);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'tradingview-orders',
      rows: { read: 4 },
      added: 2,
    });
    expect(shown(home)?.toSorted()).toEqual([
      'CME_MINI:NQ1! future long USD 20 2440 0 2440',
      'FX_IDC:EURUSD forex long USD 1 236 3 233',
    ]);
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    });
  });

  test('may be of a broker, in newer words, with dates reformatted by a spreadsheet', () => {
    const home = new ImportHome().withUser();
    const text = `Symbol,Side,Type,Quantity,Limit price,Stop price,Fill price,Status,Commission,Placing time,Closing time,Order ID
PLUS500:MESZ2026,Sell,Limit,2,5822,,5822,Filled,1.24,10/13/26 9:31,10/13/26 11:02,1002
PLUS500:MESZ2026,Buy,Market,2,,,5810.25,Filled,1.24,10/13/26 9:31,10/13/26 9:31,1001
`;
    expect(home.import(home.file('orders.csv', text)).files[0]?.format).toBe(
      'tradingview-orders',
    );
    expect(shown(home)).toEqual(['PLUS500:MESZ2026 future long USD 5 117.5 2.48 115.02']);
    expect(home.notes.join()).toContain('month first');
  });

  test('may lack the space between date and time', () => {
    const home = new ImportHome().withUser();
    const text = ORDERS.replaceAll('2026-11-02 ', '2026-11-02').replaceAll(
      '2026-11-03 ',
      '2026-11-03',
    );
    home.import(home.file('trades.csv', text));
    expect(home.rows('SELECT closed_at, net_pnl FROM trades ORDER BY closed_at')).toEqual(
      [
        { closed_at: '2026-11-02T18:46:01.000Z', net_pnl: 233 },
        { closed_at: '2026-11-03T05:31:17.000Z', net_pnl: 2440 },
      ],
    );
  });

  test.each([
    [
      'with the time of the status, the filled part of an order, and symbols of CQG',
      [
        'Symbol,Side,Type,Quantity,Limit price,Stop price,Fill quantity,Avg fill price,Status,Status time,Order ID,Duration',
        'F.US.MNQZ26,Sell,Market,3,,,1,21007,Filled,2026-11-20 11:04:17,13,GTC',
        'F.US.MNQZ26,Sell,Limit,3,21007,,1,21007,Cancelled,2026-11-20 11:04:10,12,GTC',
        'F.US.MNQZ26,Sell,Stop,1,,20900,0,,Cancelled,2026-11-20 11:04:17,11,GTC',
        'F.US.MNQZ26,Buy,Market,2,,,2,21000,Filled,2026-11-20 11:00:06,10,GTC',
      ],
      ['MNQZ26 future long USD 2 28 0 28'],
    ],
    [
      "of TradeStation, with routes' fees and a currency",
      [
        'Symbol,Side,Type,Filled quantity,Quantity left,Avg fill price,Close time,Routing,Duration,Commission fee,Route fee,Currency,Conversion rate,Country,Order ID',
        'ACME,Sell,Stop,10,0,75.75,2026-11-20 10:24:39,Intelligent,GTC - 2/9/2027,1,0.25,EUR,1,,22',
        'ACME,Buy,Limit,10,0,75.25,2026-11-20 09:36:32,Intelligent,DAY,1,0,EUR,1,,21',
      ],
      ['ACME stock long EUR 1 5 2.25 2.75'],
    ],
  ])('%s', (_, lines, expected) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file('orders.csv', lines.join('\n'))).files;
    expect(report).toMatchObject({ format: 'tradingview-orders', added: 1 });
    expect(shown(home)).toEqual(expected);
  });

  test('may have unfilled orders', () => {
    const home = new ImportHome().withUser();
    const text = `Symbol,Side,Type,Qty,Fill Price,Status,Commission,Closing Time,Order ID
NASDAQ:AAPL,Buy,Market,10,185.50,Filled,0,2026-11-02 09:31:00,1
BINANCE:BTCUSDT.P,Sell,Market,1,100.5,Filled,0,2026-11-02 10:15:00,2
NASDAQ:MSFT,Buy,Limit,5,400.00,Cancelled,0,2026-11-02 11:00:00,3
`;
    expect(home.import(home.file('orders.csv', text)).files[0]?.skipped).toEqual([
      { reason: 'cancelled order', count: 1 },
    ]);
    expect(
      home.rows('SELECT symbol, market, side, currency FROM trades ORDER BY symbol'),
    ).toEqual([
      { symbol: 'BINANCE:BTCUSDT.P', market: 'crypto', side: 'short', currency: 'USDT' },
      { symbol: 'NASDAQ:AAPL', market: 'stock', side: 'long', currency: 'USD' },
    ]);
    expect(
      home.refusalOf(home.file('wrong.csv', text.replace('Cancelled', 'Dreamt'))),
    ).toContain('4: Status: must be one of Filled, Cancelled');
  });
});

describe('a history of balances', () => {
  const close = (
    side: string,
    symbol: string,
    at: string,
    average: string,
    rest: string,
  ) =>
    `"Close ${side} position for symbol ${symbol} at price ${at} for 2 units. Position AVG Price was ${average}, ${rest}"`;
  const GOLD = close(
    'short',
    'COMEX:GC1!',
    '3350.1',
    '3360.100000',
    'currency: USD, rate: 1.000000, point value: 100.000000',
  );
  const YEN = close(
    'long',
    'OANDA:GBPJPY',
    '310.500',
    '210.000000',
    'currency: JPY, rate: 0.006500, point value: 1.000000',
  );
  const BALANCES = [
    'Heure,Balance avant,Balance après,Pertes et profits réalisés (valeur),Pertes et profits réalisés (devise),Action',
    `2026-11-03 10:00:00,0,0,1.3065,USD,${YEN}`,
    `2026-11-02 10:00:00,0,0,-1.7,USD,"Commission for: ${GOLD.slice(1)}`,
    `2026-11-02 10:00:00,0,0,2000,USD,${GOLD}`,
    '2026-11-02 09:00:00,0,0,-1.7,USD,"Commission for: Enter position for symbol COMEX:GC1! at price 3360.1 for 2 units"',
    '2026-11-01 09:00:00,0,0,100000,USD,Deposit',
  ].join('\n');

  test("is of closed positions in the account's currency, with commissions", () => {
    const home = new ImportHome().withUser();
    const [report] = home.import(
      home.file('paper-trading-balance-history.csv', BALANCES),
    ).files;
    expect(report).toMatchObject({
      format: 'tradingview-balance',
      rows: { read: 5 },
      added: 2,
    });
    expect(report?.skipped).toEqual([{ reason: 'balance line', count: 1 }]);
    expect(report?.platform?.stated).toMatchObject([
      { what: 'net', amount: 1997.9065, difference: 0 },
    ]);
    expect(shown(home)).toEqual([
      'OANDA:GBPJPY forex long USD 0.0065 1.3065 0 1.3065',
      'COMEX:GC1! future short USD 100 2000 3.4 1996.6',
    ]);
    expect(home.notes.join()).toContain('no entry times');
  });

  test.each([
    [
      '"Close long',
      '"Roll long',
      '2: Action: must be the close of a position, or its commission',
    ],
    [
      '1.3065,USD',
      '1.3065,',
      '2: Pertes et profits réalisés (devise): must be a currency',
    ],
    ['1.3065,USD', 'x,USD', '2: Pertes et profits réalisés (valeur): must be a number'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('history.csv', BALANCES.replace(from, to))),
    ).toContain(message);
  });
});

test.each(
  exportsWith(
    [
      'tradingview/Crossing_Averages_NSE_ANANDRATHI_2026-02-20.csv',
      { closed: 5, money: { gross: 43.5, fees: 67.84, net: -24.34 } },
    ],
    [
      'tradingview/RSI-DMI-MACD-ADX-CMF_Momentum_Strategy_NSE_ANANDRATHI_2025-09-20.csv',
      { closed: 20, money: { gross: 2475.4, fees: 428.52, net: 2046.88 } },
    ],
  ),
)('$label adds up', ({ path, holds: { closed, money } }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report?.platform?.trades.closed).toBe(closed);
  expect(report?.platform?.money).toEqual([{ currency: 'INR', ...money }]);
  expect(report?.platform?.by_symbol).toMatchObject([{ symbol: 'ANANDRATHI' }]);
});
