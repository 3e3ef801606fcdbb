/** tastytrade's transaction history: options, shares and futures, with exercises, splits and mergers. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency';

const optionRow = (
  time: string,
  type: string,
  action: string,
  value: string,
  quantity: number,
  strike: number,
) =>
  `2026-11-${time}-0500,${type},${action},XYZ   261120P000${strike}000,Equity Option,An option,"${value}",${quantity},1,-1.00,-0.14,100,XYZ,XYZ,11/20/26,${strike},PUT,1,0,USD`;
const shareRow = (
  time: string,
  type: string,
  action: string,
  value: string,
  quantity: number,
) =>
  `2026-11-${time}-0500,${type},${action},XYZ,Equity,Shares,"${value}",${quantity},1,--,-0.02,,,,,,,2,0,USD`;

// Newest first, like the platform.
const HISTORY = [
  HEADER,
  shareRow('30T10:00:00', 'Trade,Sell to Close', 'SELL_TO_CLOSE', '3,100.00', 200),
  shareRow(
    '25T09:00:00',
    'Receive Deliver,Forward Split',
    'BUY_TO_OPEN',
    '-2,800.00',
    200,
  ),
  shareRow(
    '25T09:00:00',
    'Receive Deliver,Forward Split',
    'SELL_TO_CLOSE',
    '2,800.00',
    100,
  ),
  '2026-11-21T08:00:00-0500,Money Movement,Deposit,,,,ACH DEPOSIT,"1,000.00",0,,--,0.00,,,,,,,,"1,000.00",USD',
  shareRow('20T17:00:00', 'Receive Deliver,Buy to Open', 'BUY_TO_OPEN', '-2,800.00', 100),
  optionRow('20T17:00:00', 'Receive Deliver,Assignment', '', '0.00', 1, 28),
  optionRow('20T17:00:00', 'Receive Deliver,Expiration', 'BUY_TO_CLOSE', '0.00', 2, 25),
  optionRow('04T09:31:00', 'Trade,Buy to Close', 'BUY_TO_CLOSE', '-40.00', 1, 25),
  optionRow('03T09:31:00', 'Trade,Sell to Open', 'SELL_TO_OPEN', '120.00', 1, 28),
  optionRow('02T09:30:00', 'Trade,Sell to Open', 'SELL_TO_OPEN', '363.00', 3, 25),
  '2026-11-02T09:29:00-0500,Trade,Sell,SELL,/MESZ6,Future,Sold 1 /MESZ6 @ 6810.25,0.00,1,"6,810.25",-0.75,-0.37,,,,,,,3,0,USD',
  '2026-11-02T09:28:00-0500,Trade,Buy,BUY,/MESZ6,Future,Bought 1 /MESZ6 @ 6800.25,0.00,1,"-6,800.25",-0.75,-0.37,,,,,,,4,0,USD',
].join('\n');

describe('a file of our own', () => {
  test("options expire and are assigned, shares are split, a future's price is in its description", () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('history.csv', HISTORY)).files;
    expect(file).toMatchObject({ format: 'tastytrade', rows: { read: 12 }, added: 4 });
    expect(file?.cash_flows.added).toBe(1);
    expect(file?.skipped).toEqual([
      { reason: 'second row of a split or change of symbol', count: 1 },
    ]);
    expect(
      home
        .rows(
          'SELECT symbol, market, side, status, quantity, multiplier, gross_pnl, fees FROM trades ORDER BY executed_at',
        )
        .map((row) => Object.values(row).join(' ')),
    ).toEqual([
      '/MESZ6 future long closed 1 5 50 2.24',
      'XYZ 2026-11-20 P25 option short closed 3 100 323 3.42',
      'XYZ 2026-11-20 P28 option short closed 1 100 120 2.28',
      'XYZ stock long closed 200 1 300 0.04',
    ]);
    expect(
      home.rows(
        'SELECT executed_at, expiration, strike, option_type, underlying FROM trades WHERE strike = 28',
      ),
    ).toEqual([
      {
        executed_at: '2026-11-03T14:31:00.000Z',
        expiration: '2026-11-20',
        strike: 28,
        option_type: 'put',
        underlying: 'XYZ',
      },
    ]);
  });

  test('the older history has no sub types: descriptions state the kind', () => {
    const old = HISTORY.split('\n')
      .filter((line) => !line.includes('Split'))
      .map((line) =>
        line
          .replace(
            /,(Assignment|Expiration),(.*),An option,/,
            ',$2,Removal of option due to $1,',
          )
          .replace(
            /(Receive Deliver|Trade|Money Movement|Type),(Sub Type|Buy|Sell|Deposit)[^,]*,/,
            '$1,',
          )
          .replace(/Shares/, 'Buy to Open 100 XYZ'),
      );
    const home = new ImportHome().withUser();
    expect(home.import(home.file('history.csv', old.join('\n'))).files[0]).toMatchObject({
      rows: { read: 10 },
      added: 4,
    });
  });

  test('a future sold first is a short', () => {
    const home = new ImportHome().withUser();
    const [sold, bought] = HISTORY.split('\n').slice(-2) as [string, string];
    const rows = [HEADER, sold.replace('09:29', '09:27'), bought];
    const [file] = home.import(home.file('history.csv', rows.join('\n'))).files;
    expect(file?.platform?.unmatched).toEqual([]);
    expect(home.rows('SELECT side, status, gross_pnl FROM trades')).toEqual([
      { side: 'short', status: 'closed', gross_pnl: 50 },
    ]);
  });

  test('expired options close at 0, with any value in the row', () => {
    const home = new ImportHome().withUser();
    const rows = [
      HEADER,
      optionRow(
        '20T17:00:00',
        'Receive Deliver,Expiration',
        'BUY_TO_CLOSE',
        '-200.00',
        1,
        28,
      ),
      optionRow('03T09:31:00', 'Trade,Sell to Open', 'SELL_TO_OPEN', '120.00', 1, 28),
    ];
    home.import(home.file('history.csv', rows.join('\n')));
    expect(home.rows('SELECT exit_price, gross_pnl FROM trades')).toEqual([
      { exit_price: 0, gross_pnl: 120 },
    ]);
  });

  test('shares received by transfer open nothing, and are named', () => {
    const home = new ImportHome().withUser();
    const text = HISTORY.replace('Receive Deliver,Buy to Open', 'Receive Deliver,ACAT');
    const [file] = home.import(home.file('history.csv', text)).files;
    expect(file?.platform?.unmatched).toMatchObject([
      { symbol: 'XYZ', side: 'sell', quantity: 200 },
    ]);
    expect(home.notes.join()).toContain('reason: XYZ on line 6');
  });

  test.each([
    ['"363.00",3,', '"",3,', '11: Value: is missing'],
    ['"363.00",3,', '"363.00",,', '11: Quantity: is missing'],
    [
      'Trade,Sell,SELL',
      'Trade,Sell,SHORT',
      '12: Action: must be one of BUY_TO_OPEN, SELL_TO_OPEN',
    ],
    [
      '/MESZ6,Future,',
      '/MESZ6,Warrant,',
      '12: Instrument Type: must be one of Equity, Equity Offering, Equity Option',
    ],
    [
      'Receive Deliver,Assignment',
      'Receive Deliver,Melting',
      '7: Sub Type: must be one of Expiration, Assignment',
    ],
    [
      'Money Movement',
      'Gift',
      '5: Type: must be one of Trade, Receive Deliver, Money Movement; got "Gift"',
    ],
    ['28,PUT', '28,STRADDLE', '7: Call or Put: must be one of Call, Put'],
    [
      'Forward Split,SELL_TO_CLOSE',
      'Forward Split,BUY_TO_OPEN',
      '3: Sub Type: must have two rows',
    ],
    [
      ',Value,Quantity',
      ',Amount,Size',
      '1: Value, Quantity: are missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('history.csv', HISTORY.replace(from, to)))).toContain(
      message,
    );
  });
});

test('options change their symbol and their strikes, several at once', () => {
  const home = new ImportHome().withUser();
  const header =
    'Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency';
  const row = (
    day: string,
    type: string,
    action: string,
    root: string,
    strike: number,
    quantity: number,
    value: string,
  ) =>
    `2026-11-${day}T15:00:00+0000,${type},${action},${root}  C${strike},Equity Option,x,${value},${quantity},0,0.00,0.00,100,${root},${root},12/18/26,${strike},CALL,,0,USD`;
  const text = [
    header,
    row('06', 'Trade,Buy to Close', 'BUY_TO_CLOSE', 'NEW', 20, 5, '-250.00'),
    row('05', 'Receive Deliver,Symbol Change', 'SELL_TO_OPEN', 'NEW', 20, 5, '500.00'),
    row('05', 'Receive Deliver,Symbol Change', 'BUY_TO_CLOSE', 'OLD', 20, 5, '-500.00'),
    row('04', 'Receive Deliver,Forward Split', 'SELL_TO_OPEN', 'OLD', 40, 10, '1000.00'),
    row('04', 'Receive Deliver,Forward Split', 'SELL_TO_OPEN', 'OLD', 20, 5, '500.00'),
    row('04', 'Receive Deliver,Forward Split', 'BUY_TO_CLOSE', 'OLD', 100, 1, '-500.00'),
    row('04', 'Receive Deliver,Forward Split', 'BUY_TO_CLOSE', 'OLD', 200, 2, '-1000.00'),
    row('02', 'Trade,Sell to Open', 'SELL_TO_OPEN', 'OLD', 100, 1, '500.00'),
    row('02', 'Trade,Sell to Open', 'SELL_TO_OPEN', 'OLD', 200, 2, '1000.00'),
  ].join('\n');
  home.import(home.file('history.csv', text));
  expect(
    home
      .rows('SELECT symbol, status, open_quantity, gross_pnl FROM trades ORDER BY symbol')
      .map((own) => Object.values(own).join(' ')),
  ).toEqual(['NEW 2026-12-18 C20 closed 0 250', 'OLD 2026-12-18 C40 open 10 0']);
});

test('a merger changes options and shares; without details, trades are unsure', () => {
  const row = (
    day: string,
    type: string,
    action: string,
    symbol: string,
    quantity: number,
    value: string,
    contract = 'Equity,x',
  ) => {
    const isOption = contract.startsWith('Equity Option');
    const terms = isOption ? `100,${symbol},${symbol},12/18/26,20,CALL` : ',,,,,';
    return `2026-11-${day}T15:00:00+0000,${type},${action},${symbol},${contract},${value},${quantity},0,0.00,0.00,${terms},,0,USD`;
  };
  const option = 'Equity Option,x';
  const text = [
    HEADER,
    row('06', 'Trade,Sell to Close', 'SELL_TO_CLOSE', 'GREE', 11, '330.00'),
    row('06', 'Trade,Buy to Close', 'BUY_TO_CLOSE', 'GREE1', 2, '-50.00', option),
    row('05', 'Receive Deliver,Stock Merger', 'SELL_TO_OPEN', 'GREE1', 2, '0.00', option),
    row('05', 'Receive Deliver,Stock Merger', 'BUY_TO_CLOSE', 'SPRT', 2, '0.00', option),
    row('05', 'Receive Deliver,Stock Merger', 'BUY_TO_OPEN', 'GREE', 11, '0.00'),
    row('05', 'Receive Deliver,Stock Merger', 'SELL_TO_CLOSE', 'SPRT', 100, '0.00'),
    row(
      '05',
      'Receive Deliver,Stock Merger',
      'SELL_TO_CLOSE',
      'LONE',
      10,
      '0.00',
      'Cryptocurrency,x',
    ),
    row('03', 'Trade,Buy', 'BUY_TO_OPEN', 'LONE', 10, '-10.00', 'Cryptocurrency,x'),
    row('02', 'Trade,Sell to Open', 'SELL_TO_OPEN', 'SPRT', 2, '200.00', option),
    row('02', 'Trade,Buy to Open', 'BUY_TO_OPEN', 'SPRT', 100, '-220.00'),
  ].join('\n');
  const home = new ImportHome().withUser();
  const [file] = home.import(home.file('history.csv', text)).files;
  expect(
    home
      .rows(
        'SELECT symbol, status, quantity, gross_pnl, tags FROM trades ORDER BY symbol',
      )
      .map((own) => Object.values(own).join(' ')),
  ).toEqual([
    'GREE closed 11 110 []',
    'GREE1 2026-12-18 C20 closed 2 150 []',
    'LONE open 10 0 ["unsure"]',
  ]);
  expect(file?.platform?.unmatched).toEqual([]);
});

describe('the history of tastyworks, of our own', () => {
  const OLDER = `Date/Time,Transaction Code,Transaction Subcode,Symbol,Buy/Sell,Open/Close,Quantity,Expiration Date,Strike,Call/Put,Price,Fees,Amount,Description,Account Reference
11/20/2026 10:00 PM,Receive Deliver,Expiration,ABC,,,1,11/20/2026,14,C,,0.00,0.00,Removal of 1 ABC 11/20/26 Call 14.00 due to expiration.,Individual XXX39
11/12/2026 9:00 PM,Receive Deliver,Forward Split,XYZ,Sell,Close,10,,,,,0.00,0.00,Forward split,Individual XXX39
11/11/2026 5:10 PM,Trade,Sell to Close,./MESZ6,Sell,Close,1,11/20/2026,6800,P,9.50,2.00,47.50,Sold 1 ./MESZ6,Individual XXX39
11/10/2026 5:10 PM,Trade,Buy to Open,./MESZ6,Buy,Open,1,11/20/2026,6800,P,8.50,2.00,-42.50,Bought 1 ./MESZ6,Individual XXX39
11/05/2026 5:10 PM,Trade,Sell to Open,ABC,Sell,Open,1,11/20/2026,14,C,0.95,1.14,95.00,Sold 1 ABC 11/20/26 Call 14.00 @ 0.95,Individual XXX39
11/03/2026 10:30 AM,Trade,Sell,/MESZ6,Sell,Close,1,,,,6802.00,1.25,0.00,Sold 1 /MESZ6,Individual XXX39
11/02/2026 10:30 AM,Trade,Buy,/MESZ6,Buy,Open,1,,,,6800.00,1.25,0.00,Bought 1 /MESZ6,Individual XXX39
11/01/2026 9:00 AM,Money Movement,Deposit,,,,0,,,,,0.00,"1,200.00",ACH DEPOSIT,Individual XXX39
`;

  test('has minutes, one column of costs, and the contract size of a future option in its amount', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const [file] = home.import(home.file('history.csv', OLDER)).files;
    expect(file).toMatchObject({
      format: 'tastytrade-older',
      rows: { read: 8 },
      added: 3,
    });
    expect(file?.skipped).toEqual([{ reason: 'deposit', count: 1 }]);
    expect(
      home
        .rows(
          'SELECT symbol, side, executed_at, multiplier, gross_pnl, fees, account FROM trades ORDER BY executed_at',
        )
        .map((row) => Object.values(row).join(' ')),
    ).toEqual([
      '/MESZ6 long 2026-11-02T15:30:00.000Z 5 10 2.5 Individual XXX39',
      'ABC 2026-11-20 C14 short 2026-11-05T22:10:00.000Z 100 95 1.14 Individual XXX39',
      './MESZ6 2026-11-20 P6800 long 2026-11-10T22:10:00.000Z 5 5 4 Individual XXX39',
    ]);
    expect(home.notes.join()).toContain('XYZ on line 3');
  });

  test.each([
    [
      'Expiration,ABC',
      'Gift,ABC',
      '2: Transaction Subcode: must be one of Expiration, Assignment',
    ],
    [
      'Money Movement',
      'Money Trick',
      '9: Transaction Code: must be one of Trade, Receive Deliver, Money Movement',
    ],
    [
      '11/05/2026 5:10 PM',
      '05.11.2026',
      '6: Date/Time: must be a time with the month first',
    ],
    ['1.14,95.00', '1.14,Sold 1 ABC', '6: Amount: must be an amount'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('history.csv', OLDER.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'tastytrade/Tasty.csv',
      { rows: { read: 11 }, added: 4, paid: { value: 321, fees: 9.68 } },
    ],
    [
      'tastytrade/Tasty.csv',
      { rows: { read: 427 }, added: 191, paid: { value: -2522, fees: 262.35 } },
    ],
  ),
)('$label adds up to its rows', ({ path, holds: { rows, added, paid } }) => {
  const home = new ImportHome().withUser();
  const own = path();
  expect(home.import(own).files[0]).toMatchObject({ rows, added });
  expect(
    home.rows(
      "SELECT round(sum(CASE side WHEN 'sell' THEN 1 ELSE -1 END * quantity * price * multiplier), 6) AS value, round(sum(fees), 6) AS fees FROM fills WHERE price > 0",
    ),
  ).toEqual([paid]);
  expect(home.import(own).files[0]).toMatchObject({
    added: 0,
    changed: 0,
    unchanged: added,
  });
});

test('mergers and splits of the older history are pairs of rows too', () => {
  const header =
    'Date/Time,Transaction Code,Transaction Subcode,Symbol,Buy/Sell,Open/Close,Quantity,Expiration Date,Strike,Call/Put,Price,Fees,Amount,Description,Account Reference';
  const call = '10/15/2021,10,C';
  const rows = [
    `09/16/2021 10:00 AM,Trade,Sell to Close,GREE1,Sell,Close,3,${call},2.00,0.00,600.00,x,A`,
    `09/15/2021 6:00 AM,Receive Deliver,Stock Merger,GREE1,Buy,Open,3,${call},,0.00,0.00,x,A`,
    `09/15/2021 6:00 AM,Receive Deliver,Stock Merger,SPRT,Sell,Close,3,${call},,0.00,0.00,x,A`,
    '09/10/2021 6:00 AM,Receive Deliver,Forward Split,XYZ,Buy,Open,200,,,,,0.00,0.00,x,A',
    '09/10/2021 6:00 AM,Receive Deliver,Forward Split,XYZ,Sell,Close,100,,,,,0.00,0.00,x,A',
    `09/02/2021 10:00 AM,Trade,Buy to Open,SPRT,Buy,Open,3,${call},1.00,0.00,-300.00,x,A`,
    '09/02/2021 10:00 AM,Trade,Buy to Open,XYZ,Buy,Open,100,,,,10.00,0.00,-1000.00,x,A',
  ];
  const home = new ImportHome().withUser();
  home.import(home.file('history.csv', [header, ...rows].join('\n')));
  expect(
    home
      .rows(
        'SELECT symbol, status, open_quantity, entry_price, gross_pnl FROM trades ORDER BY symbol',
      )
      .map((own) => Object.values(own).join(' ')),
  ).toEqual(['GREE1 2021-10-15 C10 closed 0 1 300', 'XYZ open 200 5 0']);
});
