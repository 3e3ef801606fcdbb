/** Hyperliquid's fills: reversed perpetuals, spot with fees in the coin, pages with missing fills. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Account,Coin,Execution Price,Size Tokens,Size USD,Side,Timestamp IST,Start Position,Direction,Closed PnL,Transaction Hash,Order ID,Crossed,Fee,Trade ID,Timestamp';

const FILLS = [
  HEADER,
  '0xab,ABC,10,5,50,BUY,02-11-2026 22:50,0,Open Long,0,0x1,1,TRUE,0.01,101,1.73E+12',
  '0xab,ABC,11,8,88,SELL,02-11-2026 22:55,5,Long > Short,5,0x1,1,TRUE,0.08,102,1.73E+12',
  '0xab,ABC,9,3,27,BUY,02-11-2026 22:56,-3,Market Order Liquidation: Close Short,6,0x1,1,TRUE,-0.01,103,1.73E+12',
  '0xab,@7,2,100,200,BUY,03-11-2026 10:00,0,Buy,0,0x1,1,TRUE,0.5,104,1.73E+12',
  '0xab,@7,3,99.5,298.5,SELL,03-11-2026 10:01,99.5,Sell,99,0x1,1,TRUE,0.25,105,1.73E+12',
].join('\n');

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('unmatched sells of coins are reported, and not shorts', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file('fills.csv', [HEADER, FILLS.split('\n').at(-1)].join('\n')),
      {
        dates: 'dmy',
      },
    ).files;
    expect(file?.platform).toMatchObject({
      trades: { closed: 0, open: 0 },
      unmatched: [{ quantity: 99.5 }],
    });
  });

  test('a fill that reverses the position closes one trade and opens the next; the zone is in the header', () => {
    const home = new ImportHome().withUser();
    expect(
      home.import(home.file('fills.csv', FILLS), { dates: 'dmy' }).files[0],
    ).toMatchObject({
      format: 'hyperliquid',
      rows: { read: 5 },
      added: 3,
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC long closed 2026-11-02T17:20:00.000Z 5 5 0.06 USDC',
      'ABC short closed 2026-11-02T17:25:00.000Z 3 6 0.02 USDC',
      '@7 long closed 2026-11-03T04:30:00.000Z 99.5 99.5 1.25 USDC',
    ]);
    expect(home.notes).toEqual([expect.stringContaining('day first (--dates dmy)')]);
  });

  test.each([
    [';', ''],
    ['\t', ''],
    [',', '"'],
  ])('cells that a spreadsheet put %j between, and %j around', (mark, quote) => {
    const saved = FILLS.replace(/[^,\n]+/g, `${quote}$&${quote}`).replaceAll(',', mark);
    const home = new ImportHome().withUser();
    expect(
      home.import(home.file('fills.csv', saved), { dates: 'dmy' }).files[0],
    ).toMatchObject({
      format: 'hyperliquid',
      added: 3,
    });
  });

  test('fills that a page lacks are noticed, and ids rounded by a spreadsheet are skipped', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file('fills.csv', FILLS.replace(/.*102,.*\n/, '').replace('101,', '8.9E+14,')),
      { dates: 'dmy' },
    );
    const notes = home.notes.join('\n');
    expect(notes).toContain('fill ids are missing or were rounded');
    expect(notes).toContain(
      'missing fills: the stated position differs from the fills before it (ABC on line 3)',
    );
  });

  test.each([
    ['02/11/2026', 'day', 'dmy'],
    ['11/2/2026', 'month', 'mdy'],
  ] as const)(
    "the site's own export, with %s: the %s first, P&L after fees",
    (day, first, dates) => {
      const home = new ImportHome().withUser();
      const text = `time,coin,dir,px,sz,ntl,fee,closedPnl
${day} - 20:56:12,ABC,Open Short,10,5,50,0.01,-0.01
${day} - 20:57:12,ABC,Close Short,9,5,45,0.01,4.99
`;
      expect(
        home.import(home.file('trade_history.csv', text), { dates }).files[0],
      ).toMatchObject({
        format: 'hyperliquid',
        added: 1,
        platform: { stated: [{ what: 'net', amount: 4.98, difference: 0 }] },
      });
      expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
        'ABC short closed 2026-11-02T20:56:12.000Z 5 5 0.02 USDC',
      ]);
      expect(home.notes.join()).toContain(`dates are read with the ${first} first`);
    },
  );

  test("the site's own export of spot: P&L after fees, which are in the coin", () => {
    const home = new ImportHome().withUser();
    const text = `time,coin,dir,px,sz,ntl,fee,closedPnl
11/2/2026 - 20:56:12,ABC/USDC,Buy,10,5,50,0.01,-0.1
11/2/2026 - 20:57:12,ABC/USDC,Sell,11,4.99,54.89,0.05,4.94
`;
    const [file] = home.import(home.file('fills.csv', text), { dates: 'mdy' }).files;
    expect(file?.platform?.stated).toMatchObject([{ what: 'net' }]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC/USDC long closed 2026-11-02T20:56:12.000Z 4.99 4.99 0.15 USDC',
    ]);
  });

  test('files of API clients name the coin of a fee', () => {
    const home = new ImportHome().withUser();
    const text = `time,coin,dir,px,sz,ntl,fee,feeToken,closedPnl,hash
2026-11-02 20:56:12.148,ABC,Buy,10,5,50,0.01,USDC,0,0x1
2026-11-02 20:57:12.148,ABC,Sell,11,5,55,0.01,USDC,5,0x2
`;
    home.import(home.file('fills.csv', text));
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC long closed 2026-11-02T20:56:12.148Z 5 5 0.02 USDC',
    ]);
  });

  const API = [
    {
      coin: 'ABC',
      px: '10',
      sz: '5',
      side: 'B',
      time: 1793654172148,
      startPosition: '0.0',
      dir: 'Open Long',
    },
    {
      coin: 'ABC',
      px: '11',
      sz: '5',
      side: 'A',
      time: 1793654232148,
      startPosition: '5.0',
      dir: 'Close Long',
    },
  ].map((own, index) => ({
    ...own,
    closedPnl: `${index * 5}.0`,
    fee: '0.01',
    tid: 101 + index,
    feeToken: 'USDC',
    twapId: null,
  }));
  const asCsv = [Object.keys(API[0] ?? {}), ...API.map((own) => Object.values(own))]
    .map((row) => row.join(','))
    .join('\n');

  test("sold dust has the id 0, which doesn't identify it", () => {
    const dust = {
      ...API[1],
      coin: '@7',
      dir: 'Spot Dust Conversion',
      sz: '0.5',
      fee: '0.0',
      tid: 0,
    };
    const home = new ImportHome().withUser();
    const path = home.lines('fills.json', [
      dust,
      { ...dust, time: 1793754232148 },
      ...API,
    ]);
    expect(home.import(path).files[0]).toMatchObject({
      rows: { read: 4 },
      platform: { new_fills: 4 },
    });
    expect(home.import(path).files[0]).toMatchObject({ platform: { new_fills: 0 } });
  });

  test.each([
    ['as the response', 'fills.json', JSON.stringify(API)],
    ['as a table', 'fills.csv', asCsv],
  ])('of the API, %s: milliseconds are in UTC', (_, name, text) => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    expect(home.import(home.file(name, text)).files[0]).toMatchObject({
      format: 'hyperliquid',
      added: 1,
      notes: [],
      platform: { stated: [{ what: 'gross', amount: 5, difference: 0 }] },
    });
    expect(home.rows('SELECT id, executed_at FROM trades')).toEqual([
      { id: 'hyperliquid:ABC:101', executed_at: '2026-11-02T21:16:12.148Z' },
    ]);
    expect(
      home.refusalOf(home.file(name, text.replace('Close Long', 'Shut Long'))),
    ).toContain('dir: must be one of');
  });

  test.each([
    ['Close Short', 'Shut Short', '4: Direction: must be one of Open Long, Close Long'],
    [
      '02-11-2026 22:55',
      '32-11-2026 22:55',
      '3: Timestamp IST: must be a time with the day first',
    ],
    ['Size Tokens', 'Size', '1: Size Tokens or sz: is missing from the header'],
    ['0xab,ABC,9,3', '0xab,ABC,9,0', '4: Size Tokens: must be above 0'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('fills.csv', FILLS.replace(from, to)), { dates: 'dmy' }),
    ).toContain(message);
  });
});

test.each(
  exportsWith(
    [
      'hyperliquid/fills.csv',
      {
        file: { rows: { read: 10 }, added: 3 },
        gross: 212.005,
        fills: { fees: 9.617604, coins: 0.0525 },
        open: 5,
        dust: 0.0475,
      },
    ],
    [
      'hyperliquid/fills.csv',
      {
        file: { rows: { read: 150 }, added: 2 },
        gross: 13607.502032,
        fills: { fees: 129.37678761, coins: 3.50139761 },
        open: 851.1,
        dust: 0.00860239,
      },
    ],
  ),
)(
  '$label adds up to its rows',
  ({ path, dates, holds: { file, gross, fills, open, dust } }) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(path(), { dates }).files;
    expect(report).toMatchObject(file);
    expect(report?.platform?.stated).toMatchObject([{ what: 'gross', amount: gross }]);
    expect(
      home.rows(
        'SELECT round(sum(fees + fee_quantity), 8) AS fees, round(sum(fee_quantity), 8) AS coins FROM fills',
      ),
    ).toEqual([fills]);
    expect(home.rows("SELECT open_quantity FROM trades WHERE symbol = 'AAVE'")).toEqual([
      { open_quantity: open },
    ]);
    // Dust, which keeps no trade open.
    expect(report?.platform?.dust).toMatchObject([{ symbol: '@107', quantity: dust }]);
  },
);
