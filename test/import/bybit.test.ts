/** Bybit's closed P&L: the closing side, P&L after fees, no entry time. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const CLOSED = `Contracts,Trade Type,Qty,Entry Price,Realized P&L,Filled Price,Exit Type,Filled/Settlement Time(UTC+0),Create Time
ABCUSDT,SELL,10.000000,100.00,48.50,105.00,Trade,15:14 2026-11-02,15:08 2026-11-02
ABCUSDT,SELL,10.000000,100.00,48.50,105.00,Trade,15:14 2026-11-02,15:08 2026-11-02
XYZPERP,BUY,2.000000,50.00,-10.25,55.00,Trade,14:14 2026-11-02,14:08 2026-11-02

`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('the closing side gives the direction; equal rows are separate trades', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const path = home.file('closed.csv', CLOSED);
    const [file] = home.import(path).files;
    expect(file).toMatchObject({ format: 'bybit', rows: { read: 3 }, added: 3 });
    expect(file?.platform?.stated).toMatchObject([
      { what: 'net', currency: 'USDT', amount: 97, difference: 0 },
      { what: 'net', currency: 'USDC', amount: -10.25, difference: 0 },
    ]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XYZPERP short closed 2026-11-02T14:08:00.000Z 2 -10 0.25 USDC',
      'ABCUSDT long closed 2026-11-02T15:08:00.000Z 10 50 1.5 USDT',
      'ABCUSDT long closed 2026-11-02T15:08:00.000Z 10 50 1.5 USDT',
    ]);
    expect(home.notes.join()).toContain('no entry times');
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 3,
    });
  });

  test.each([
    ['(UTC+8)', '2026-11-02T07:08:00.000Z'],
    ['(UTC-03:30)', '2026-11-02T18:38:00.000Z'],
    ['', '2026-11-02T06:08:00.000Z'],
  ])('the zone is in the header: %j', (zone, executed_at) => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    home.import(home.file('closed.csv', CLOSED.replace('(UTC+0)', zone)));
    expect(
      home.rows("SELECT DISTINCT executed_at FROM trades WHERE symbol = 'ABCUSDT'"),
    ).toEqual([{ executed_at }]);
  });

  test('newer files have costs instead of the side: with the P&L they give it', () => {
    const home = new ImportHome().withUser();
    const text = `Market,Order Quantity,Entry Price,Exit Price,Opening Fee,Closing Fee,Funding Fee,Trade Type,Realized P&L,Trade time
ABCUSDT,10.000000,100.00,105.00,0.55,0.58,0.02,Trade,48.85,15:14 2026-11-02
XYZUSDT,2.000000,50.00,55.00,0.05,0.06,0,Liquidation,-10.11,14:14 2026-11-02
`;
    const path = home.file('closed.csv', text);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'bybit',
      added: 2,
      platform: { stated: [{ what: 'net', amount: 38.74, difference: 0 }] },
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XYZUSDT short closed 2026-11-02T14:14:00.000Z 2 -10 0.11 USDT',
      'ABCUSDT long closed 2026-11-02T15:14:00.000Z 10 50 1.15 USDT',
    ]);
    expect(home.refusalOf(home.file('other.csv', text.replace('48.85', '30')))).toContain(
      '2: Trade Type: neither a long nor a short at these prices gives 30 after fees',
    );
  });

  test.each([
    [
      'XYZPERP,BUY',
      'XYZPERP,HOLD',
      '4: Trade Type: must be one of SELL, BUY, Close Long, Close Short',
    ],
    [
      '14:14 2026-11-02',
      '14:14',
      '4: Filled/Settlement Time(UTC+0): must be a time with the year first',
    ],
    [
      ',Entry Price,',
      ',Entry,',
      '1: Entry Price or Avg. Entry Price: is missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('closed.csv', CLOSED.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(['ABCUSD', 'ABCUSDZ26'])(
  'P&L of %s, settled in coins, is in coins',
  (symbol) => {
    const home = new ImportHome().withUser();
    const text = CLOSED.replace(
      /ABCUSDT,SELL,.*\n/,
      `${symbol},BUY,1000,100,0.5,80,Trade,15:14 2026-11-02,15:08 2026-11-02\n`,
    );
    home.import(home.file('closed.csv', text));
    // 1000 USD are 10 coins at 100, and 12.5 at 80.
    expect(
      home.rows(
        `SELECT side, gross_pnl, fees, currency FROM trades WHERE symbol = '${symbol}'`,
      ),
    ).toEqual([{ side: 'short', gross_pnl: 2.5, fees: 2, currency: 'ABC' }]);
  },
);

describe('trade histories of our own', () => {
  const CONTRACTS = `Market,Filled Type,Filled Quantity,Filled Price,Order Price,Fee Rate,Trading Fee,feeCoin,ExecFeeV2,Direction,Order Type,Trasaction ID,Order No.,Transaction Time(UTC+0)
ABCUSDT,Trade,2,11,11,0.0005,0.01,USDT,0.011,Short,Limit, a2, o2,12:00 2026-11-02
ABCUSDT,Funding,2,10.5,0,0.0001,0.002,USDT,0.0021,Long,--, f1, g1,08:00 2026-11-02
ABCUSDT,Trade,1,10,10,0.0005,0.01,USDT,0.01,Long,Market, a1, o1,10:00 2026-11-01
XYZUSDT,Liquidation,3,5,5,0.0005,0.01,USDT,0.01,Short,Market, a3, o3,11:00 2026-11-01
`;
  const SPOT = `UID: 7,Company Name: ,Country:
Uid,Spot Pairs,Order Type,Direction,Filled Value,Filled Price,Filled Quantity,Fees,Transaction ID,Order No.,Timestamp (UTC+0)
7,ABCUSDT,MARKET,SELL,21.978,11,1.998,0.02,t2,o2,2026-11-02 12:00:00
7,ABCUSDT,LIMIT,BUY,20,10,2,0.002,t1,o1,2026-11-01 10:00:00
`;

  test('contracts: a fill through zero closes one trade and opens the next; a liquidation opens none', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const path = home.file('trades.csv', CONTRACTS);
    const [file] = home.import(path).files;
    expect(file).toMatchObject({
      format: 'bybit-trades',
      rows: { read: 4 },
      added: 2,
      skipped: [],
      platform: { unmatched: [{ symbol: 'XYZUSDT', side: 'sell' }] },
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABCUSDT long closed 2026-11-01T10:00:00.000Z 1 1 0.0176 USDT',
      'ABCUSDT short open 2026-11-02T12:00:00.000Z 1 0 0.0055 USDT',
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('spot: the fee of a purchase is in the coin; a line precedes the header', () => {
    const home = new ImportHome().withUser();
    expect(home.import(home.file('spot.csv', SPOT)).files[0]).toMatchObject({
      format: 'bybit-spot',
      added: 1,
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABCUSDT long closed 2026-11-01T10:00:00.000Z 1.998 1.998 0.04 USDT',
    ]);
  });

  test('spot before unified accounts: coins follow the amounts', () => {
    const home = new ImportHome().withUser();
    const text = `Filled Time (Local Time),Spot Pairs,Order Type,Direction,Filled Value,Filled Price,Filled Quantity,Fees,Transaction ID,Order No.,Timestamp (UTC)
2026-11-02 14:00:00,1ABC/USDT,Market,Sell,21.978 USDT,11.000000000000000000 USDT,1.998 1ABC,0.02 USDT,67006208,502,2026-11-02 12:00:00
2026-11-01 12:00:00,1ABC/USDT,Market,Buy,20 USDT,10.000000000000000000 USDT,2.000000000000000000 1ABC,0.002 1ABC,98282240,898,2026-11-01 10:00:00
`;
    home.import(home.file('spot.csv', text));
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      '1ABC/USDT long closed 2026-11-01T10:00:00.000Z 1.998 1.998 0.04 USDT',
    ]);
  });

  test.each([
    [
      CONTRACTS,
      'ABCUSDT,Trade,2',
      'ABCUSD,Trade,2',
      '2: Market: a contract settled in coins',
    ],
    [CONTRACTS, ',Limit, a2', ',Limit,', '2: Trasaction ID: is missing'],
    [
      CONTRACTS,
      'Short,Limit',
      'Flat,Limit',
      '2: Direction: must be one of Buy, Sell, Long, Short, Open Long',
    ],
    [CONTRACTS, 'Trade,2', 'Gift,2', '2: Filled Type: must be one of Trade, BlockTrade'],
    [
      SPOT,
      'ABCUSDT,MARKET',
      'ABC,MARKET',
      '3: Spot Pairs: must be a pair with a known quote currency',
    ],
  ])('%# is rejected', (text, from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.csv', text.replace(from, to)))).toContain(
      message,
    );
  });
});

describe('logs of unified accounts of our own', () => {
  const LOG = `UID: 7,Company Name: ,Country:
Uid,Currency,Contract,Type,Direction,Quantity,Position,Filled Price,Funding,Fee Paid,Cash Flow,Change,Wallet Balance,Action,Time(UTC)
7,USDT,,TRANSFER_OUT,--,0.0,0.0,0.0,0.0,0.0,-13,-13,9,--,2026-11-02 16:00:00
7,USDT,ABCUSDT,LIQUIDATION,SELL,1,0,121,0,-0.1,21,20.9,113,CLOSE,2026-11-02 15:00:00
7,USDT,ABCUSDT,SETTLEMENT,BUY,--,1,--,-0.005,0,0,-0.005,100,SETTLEMENT,2026-11-02 12:00:00
7,ABC,ABCUSD,TRADE,SELL,1500,0,3000,0,-0.00024,-0.09,-0.09024,0.37,CLOSE,2026-11-02 11:00:00
7,USDT,ABCUSDT,TRADE,BUY,1,1,100,0,-0.1,0,-0.1,100,OPEN,2026-11-02 10:00:00
7,USDT,XYZUSDT,TRADE,SELL,21.978,0,11,0,-0.02,21.978,21.958,123,--,2026-11-01 11:00:00
7,XYZ,XYZUSDT,TRADE,SELL,-1.998,0,11,0,0,-1.998,-1.998,0,--,2026-11-01 11:00:00
7,USDT,XYZUSDT,TRADE,BUY,-20,0,10,0,0,-20,-20,100,--,2026-11-01 10:00:00
7,XYZ,XYZUSDT,TRADE,BUY,2,0,10,0,-0.002,2,1.998,1.998,--,2026-11-01 10:00:00
7,USDT,ABC-7NOV26-120-C-USDT,TRADE,SELL,1,0,7,0,-0.03,7,6.97,97,CLOSE,2026-11-01 09:30:00
7,USDT,ABC-7NOV26-120-C-USDT,TRADE,BUY,1,1,5,0,-0.03,-5,-5.03,90,OPEN,2026-11-01 09:00:00
`;

  test('spot of one second at two prices is two fills', () => {
    const home = new ImportHome().withUser();
    const again =
      LOG.match(/^7,(USDT|XYZ),XYZUSDT,TRADE,BUY.*$/gm)?.map((row) =>
        row.replace(',0,10,', ',0,9,'),
      ) ?? [];
    const [file] = home.import(
      home.file('AssetChangeDetails_uta.csv', `${LOG}${again.join('\n')}\n`),
    ).files;
    expect(file).toMatchObject({ rows: { read: 13 }, platform: { fills: 8 } });
  });

  test('contracts, options, spot in two rows and funding; contracts settled in coins are reported', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const path = home.file('AssetChangeDetails_uta.csv', LOG);
    expect(home.import(path).files[0]).toMatchObject({
      format: 'bybit-log',
      rows: { read: 11 },
      added: 3,
      skipped: [
        { reason: 'transfer', count: 1 },
        { reason: 'fill of a contract settled in coins', count: 1 },
      ],
      platform: {
        stated: [{ what: 'gross', symbol: 'ABCUSDT', amount: 21, difference: 0 }],
      },
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC 2026-11-07 C120 long closed 2026-11-01T09:00:00.000Z 1 2 0.06 USDT',
      'XYZUSDT long closed 2026-11-01T10:00:00.000Z 1.998 1.998 0.04 USDT',
      'ABCUSDT long closed 2026-11-02T10:00:00.000Z 1 21 0.205 USDT',
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('one side of a trade in a shortened file is skipped', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file('log.csv', LOG.replace(/7,XYZ,XYZUSDT,TRADE,SELL.*\n/, '')),
    ).files;
    expect(file?.skipped).toContainEqual({ reason: 'one side of a trade', count: 1 });
    expect(home.notes.join()).toContain(
      'the other side of some spot trades is missing from this file',
    );
  });

  test('the same spot fills from the trade history are detected', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('log.csv', LOG));
    const spot = `Spot Pairs,Order Type,Direction,Filled Value,Filled Price,Filled Quantity,Fees,Transaction ID,Order No.,Timestamp (UTC)
XYZUSDT,MARKET,BUY,20,10,2,0.002,t1,o1,10:00 2026-11-01
`;
    expect(home.refusalOf(home.file('spot.csv', spot))).toContain(
      'already in the journal as bybit-log',
    );
  });

  test.each([
    ['TRANSFER_OUT', 'GIFT_OUT', '3: Type: must be one of TRADE, LIQUIDATION'],
    ['113,CLOSE', '113,FLIP', '4: Action: must be one of OPEN, CLOSE'],
    [
      '7,XYZ,XYZUSDT,TRADE,SELL',
      '7,QRS,XYZUSDT,TRADE,SELL',
      '8: Contract: must have two rows in XYZUSDT',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('log.csv', LOG.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    ['bybit/Bybit-UM-Perp-ClosedPNL-1768435200-1768608000.csv', 232.138952],
    ['bybit/Bybit-UM-Perp-ClosedPNL-1748548800-1749239999.csv', 2924.91810806],
  ),
)('$label adds up to its rows', ({ path, holds: amount }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows: { read: 10 }, added: 10 });
  expect(file?.platform?.stated).toMatchObject([{ what: 'net', amount, difference: 0 }]);
});
