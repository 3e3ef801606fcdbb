/** Kraken's trades: pairs in any spelling, UTC, sells beyond the position. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const TRADES = `"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"
"TA","O1","XXBTZEUR","2026-11-02 10:00:00.1234","buy","limit",50000.00000,500.00000,1.00000,0.01000000,0.00000,"","L1,L2"
"TB","O2","XXBTZEUR","2026-11-02 11:00:00","sell","market",51000.00000,510.00000,1.02000,0.01000000,0.00000,"","L3,L4"
"TC","O3","SOL/USDT","2026-11-03 10:00:00","sell","limit",200.00000,200.00000,0.50000,1.00000000,40.00000,"initiated","L5"
"TD","O4","SOL/USDT","2026-11-03 11:00:00","buy","limit",190.00000,190.00000,0.50000,1.00000000,40.00000,"closing","L6"
"TE","O5","ADAETH","2026-11-04 10:00:00","sell","limit",0.00020,0.02000,0.00001,100.00000000,0.00000,"","L7"
`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test("is in UTC; a sell on margin is a short, any other unmatched sell isn't", () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const [file] = home.import(home.file('trades.csv', TRADES)).files;
    expect(file).toMatchObject({ format: 'kraken', rows: { read: 5 }, added: 2 });
    expect(file?.platform?.unmatched).toMatchObject([
      { symbol: 'ADA/ETH', quantity: 100 },
    ]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XBT/EUR long closed 2026-11-02T10:00:00.123Z 0.01 10 2.02 EUR',
      'SOL/USDT short closed 2026-11-03T10:00:00.000Z 1 10 1 USDT',
    ]);
    expect(home.notes.join()).toContain("using UTC, Kraken's own");
    expect(home.rows("SELECT id FROM trades WHERE currency = 'EUR'")).toEqual([
      { id: 'kraken:XBT-EUR:TA' },
    ]);
  });

  test.each([
    ['"ordertxid"', /closest to kraken, but lacks ordertxid/],
    [/"ordertxid"|"vol"/g, /^(?!.*most like)/s],
  ])(
    'without %s of the header, the nearest format is named only where most of it is there',
    (name, message) => {
      const home = new ImportHome().withUser();
      expect(
        home.refusalOf(home.file('export.csv', TRADES.replaceAll(name, '"other"'))),
      ).toMatch(message);
    },
  );

  test('is in the given zone, if any', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('trades.csv', TRADES), { timeZone: 'Asia/Tokyo' });
    expect(home.rows("SELECT executed_at FROM trades WHERE currency = 'EUR'")).toEqual([
      { executed_at: '2026-11-02T01:00:00.123Z' },
    ]);
  });

  test.each([
    ['"sell","market"', '"settle","market"', '3: type: must be one of Buy, Sell'],
    [
      'ADAETH',
      'ADA',
      '6: pair: must be a pair with a known quote currency, such as BTCUSDT; got "ADA"',
    ],
    ['"price"', '"rate"', '1: price: is missing from the header'],
    ['2026-11-02 11:00:00', '1793617200', '3: time: must be a time with the year first'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.csv', TRADES.replace(from, to)))).toContain(
      message,
    );
  });
});

describe('ledgers of our own', () => {
  const LEDGERS = `"txid","refid","time","type","subtype","aclass","subclass","asset","wallet","amount","fee","balance"
"","D1","2026-11-01 08:00:00","deposit","","currency","fiat","EUR","spot / main",100.0000,0,""
"L1","T1","2026-11-01 10:00:00","trade","tradespot","currency","fiat","EUR","spot / main",-40.0000,0.1000,59.9000
"L2","T1","2026-11-01 10:00:00","trade","tradespot","currency","crypto","ABC","spot / main",4.0000,0,4.0000
"L3","T2","2026-11-02 10:00:00","spend","","currency","crypto","ABC","spot / main",-4.0000,0,0.0000
"L4","T2","2026-11-02 10:00:00","receive","","currency","fiat","EUR","spot / main",44.0000,0.2000,103.7000
"L5","T3","2026-11-03 10:00:00","trade","","currency","crypto","XXMR","spot / main",1.0000,0.0100,0.9900
"L6","T3","2026-11-03 10:00:00","trade","","currency","crypto","XXBT","spot / main",-0.0040,0,0
"L7","S1","2026-11-04 10:00:00","staking","","currency","crypto","ABC","spot / main",0.0100,0,0.0100
`;

  test('the two sides of a trade are matched', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const path = home.file('ledgers.csv', LEDGERS);
    const [file] = home.import(path).files;
    expect(file).toMatchObject({ format: 'kraken-ledgers', rows: { read: 8 }, added: 2 });
    expect(file?.skipped).toEqual([
      { reason: 'deposit', count: 1 },
      { reason: 'reward', count: 1 },
    ]);
    const list =
      'SELECT symbol, status, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at';
    expect(home.rows(list).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC/EUR closed 4 4 0.3 EUR',
      'XMR/XBT open 0.99 0 0.00004 BTC',
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('a side in several rows, and fees with a stated currency', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const named = LEDGERS.trimEnd()
      .replace(/^"L2"(.*),4\.0000,0,(.*)$/m, '"L2"$1,3.0000,0,$2\n"L2b"$1,1.0000,0,$2')
      .split('\n')
      .map((row, index) => `${row},${index === 0 ? '"feecurrency"' : '""'}`)
      .join('\n');
    const [file] = home.import(home.file('ledgers.csv', named)).files;
    expect(file).toMatchObject({ rows: { read: 9 }, added: 2 });
    expect(
      home.rows("SELECT quantity, gross_pnl, fees FROM trades WHERE symbol = 'ABC/EUR'"),
    ).toEqual([{ quantity: 4, gross_pnl: 4, fees: 0.3 }]);

    const other = named
      .replace(/^("L2b".*)""$/m, '$1"KFEE"')
      .replace(',1.0000,0,', ',1.0000,0.5,');
    expect(home.refusalOf(home.file('other.csv', other))).toContain(
      '5: feecurrency: must be ABC or EUR, the traded assets',
    );
  });

  test('a coin is priced in a currency that few trade in', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('ledgers.csv', LEDGERS.replaceAll('"EUR"', '"DKK"')));
    expect(
      home.rows("SELECT side, gross_pnl, currency FROM trades WHERE symbol = 'ABC/DKK'"),
    ).toEqual([{ side: 'long', gross_pnl: 4, currency: 'DKK' }]);
  });

  test('coins moved to a product of Kraken and back are no trade', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [file] = home.import(
      home.file('ledgers.csv', LEDGERS.replace('"staking"', '"hybridearnwithdrawal"')),
    ).files;
    expect(file?.skipped).toContainEqual({ reason: 'transfer', count: 1 });
  });

  test('with missing assets: half a trade is skipped', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [file] = home.import(
      home.file('ledgers.csv', LEDGERS.replace(/^"L6".*\n/m, '')),
    ).files;
    expect(file).toMatchObject({ rows: { read: 7 }, added: 1 });
    expect(file?.skipped).toContainEqual({
      reason: 'row without its other side',
      count: 1,
    });
    expect(home.notes.join()).toContain(
      '1 references with only one side in this file are skipped: T3 (',
    );
  });

  test.each([
    [/^"L2".*$/m, '$&\n$&', '5: txid: L2 appears twice in this file'],
    [
      /^"L2"(.*)"ABC"(.*)$/m,
      '$&\n"L2b"$1"QRS"$2',
      '3: refid: T1 must have two sides: assets paid and received',
    ],
    ['"staking"', '"gift"', '9: type: must be one of trade, spend, receive'],
    [
      '"2026-11-02 10:00:00","receive"',
      '"2 Nov","receive"',
      '6: time: must be a time with the year first',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('ledgers.csv', LEDGERS.replace(from, to)))).toContain(
      message,
    );
  });
});

describe('a log of derivatives of our own', () => {
  const LOG = `uid,dateTime,account,type,symbol,contract,change,new balance,new average entry price,trade price,mark price,funding rate,realized pnl,fee,realized funding,collateral
u8,2026-11-02 12:00:00,flex,futures liquidation,usd,pf_abcusd,19.5,0,,60,60,,20,0.5,,
u7,2026-11-02 12:00:00,flex,futures liquidation,pf_abcusd,pf_abcusd,2,0,70,60,60,,,,,
u6,2026-11-02 08:00:00,flex,funding rate change,usd,pf_abcusd,-0.25,0,,,60,0.0001,,0,-0.25,
u5,2026-11-01 11:00:00,f-xyz:usd,futures trade,xyz,pi_xyzusd,-0.0001,1,,50,50,,0,0.0001,,
u4,2026-11-01 11:00:00,f-xyz:usd,futures trade,pi_xyzusd,pi_xyzusd,-100,-100,50,50,50,,,,,
u3,2026-11-01 10:00:00,flex,futures trade,pf_abcusd,pf_abcusd,-1,-2,70,71,70,,,,,
u2,2026-11-01 10:00:00,flex,futures trade,usd,pf_abcusd,-0.1,0,,69,70,,0,0.1,,
u1,2026-11-01 10:00:00,flex,futures trade,pf_abcusd,pf_abcusd,-1,-1,69,69,70,,,,,
`;
  const older = LOG.replace(/^([^,]*,[^,]*,[^,]*,[^,]*,[^,]*),[^,]*/gm, '$1');

  test.each([
    ['today', LOG, 0.85, []],
    [
      'older ones, without the contract in the row of the money',
      older,
      0.6,
      [{ reason: 'funding', count: 1 }],
    ],
  ])('%s: two rows a fill; a fee paid in points has one', (_, text, fees, funding) => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const path = home.file('account_log.csv', text);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'kraken-futures',
      rows: { read: 8 },
      added: 1,
      skipped: [...funding, { reason: 'row of a contract settled in coins', count: 2 }],
      platform: { stated: [{ what: 'gross', amount: 20, difference: 0 }] },
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      `PF_ABCUSD short closed 2026-11-01T10:00:00.000Z 2 20 ${fees} USD`,
    ]);
    const isNoted = home.notes
      .join()
      .includes('funding (total -0.25) is excluded from figures');
    expect(isNoted).toBe(funding.length > 0);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('fills of two contracts at one moment and price have each their own fee', () => {
    const home = new ImportHome().withUser();
    const [header] = LOG.split('\n');
    // ABC paid its fee in points: it has no row of money.
    const rows = [
      'u3,2026-11-01 10:00:00,flex,futures trade,pf_abcusd,pf_abcusd,1,1,69,69,69,,,,,',
      'u2,2026-11-01 10:00:00,flex,futures trade,usd,pf_xyzusd,-0.3,0,,69,69,,0,0.3,,',
      'u1,2026-11-01 10:00:00,flex,futures trade,pf_xyzusd,pf_xyzusd,1,1,69,69,69,,,,,',
    ];
    home.import(home.file('account_log.csv', [header, ...rows].join('\n')));
    expect(home.rows('SELECT symbol, fees FROM trades ORDER BY symbol')).toEqual([
      { symbol: 'PF_ABCUSD', fees: 0 },
      { symbol: 'PF_XYZUSD', fees: 0.3 },
    ]);
  });

  test('a liquidation opens nothing beyond what it closes', () => {
    const home = new ImportHome().withUser();
    const beyond = LOG.replace('pf_abcusd,pf_abcusd,2,', 'pf_abcusd,pf_abcusd,3,');
    const [file] = home.import(home.file('account_log.csv', beyond)).files;
    expect(file?.platform).toMatchObject({
      trades: { closed: 1, open: 0 },
      unmatched: [{ side: 'buy', quantity: 1 }],
    });
  });

  test("P&L paid in another currency isn't compared", () => {
    const home = new ImportHome().withUser();
    const other = LOG.replace('futures liquidation,usd,', 'futures liquidation,usdt,');
    const [file] = home.import(home.file('account_log.csv', other)).files;
    expect(file?.platform).toMatchObject({
      stated: [{ what: 'gross', amount: 0 }],
      other_fees: [{ amount: 0.5, currency: 'USDT' }],
    });
  });

  test.each([
    [
      'futures liquidation,pf',
      'futures gift,pf',
      '3: type: must be one of futures trade, futures assignor',
    ],
    ['pf_abcusd,pf_abcusd,2,', 'pf_abcusd,pf_abcusd,0,', '3: change: must not be 0'],
    ['trade price', 'price', 'is not an export of a known platform'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('log.csv', LOG.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'kraken/trades.csv',
      {
        file: { rows: { read: 11 }, added: 4 },
        unmatched: 1.5,
        trades: [
          { symbol: 'ETH/EUR', trades: 1, open: 0.5, gross: 12.15, fees: 8.07 },
          { symbol: 'LTC/EUR', trades: 2, open: 0, gross: 18.76, fees: 3.74 },
          { symbol: 'XMR/EUR', trades: 1, open: 0.05333333, gross: 8.75, fees: 1.03 },
        ],
        fees: 13.08,
      },
    ],
    [
      'kraken/trades.csv',
      {
        file: { rows: { read: 42 }, added: 3 },
        unmatched: 1.29636105,
        trades: [
          { symbol: 'ETH/EUR', trades: 1, open: 14.42225673 },
          { symbol: 'LTC/EUR', trades: 1, open: 0, gross: 3452.03, fees: 19.95 },
          { symbol: 'XMR/EUR', trades: 1, open: 0.05604705 },
        ],
        fees: 57.68,
      },
    ],
  ),
)('$label adds up to its rows', ({ path, holds: { file, unmatched, trades, fees } }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report).toMatchObject(file);
  expect(report?.platform?.unmatched).toMatchObject([
    { symbol: 'LTC/EUR', quantity: unmatched },
  ]);
  expect(
    home.rows(
      'SELECT symbol, count(*) AS trades, sum(open_quantity) AS open, round(sum(gross_pnl), 2) AS gross, round(sum(fees), 2) AS fees FROM trades GROUP BY symbol ORDER BY symbol',
    ),
  ).toMatchObject(trades);
  expect(home.rows('SELECT round(sum(fees), 2) AS fees FROM fills')).toEqual([{ fees }]);
});
