/** Robinhood's account activity: days only, newest first, options that expire. */
import { describe, expect, test } from 'vitest';
import { allExports, exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const ACTIVITY = `"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"
"11/20/2026","11/20/2026","11/23/2026","XYZ","Option Expiration for XYZ 11/20/2026 Put $10.50","OEXP","2S","",""
"11/20/2026","11/20/2026","11/23/2026","XYZ","Option Expiration for XYZ 11/20/2026 Call $12.00","OEXP","1","",""
"11/19/2026","11/19/2026","11/19/2026","","New sort of bonus","NSOB","","","$1,000.00"
"11/10/2026","11/10/2026","11/12/2026","XYZ","XYZ 11/20/2026 Put $10.50","BTO","2","$0.31","($62.08)"
"11/10/2026","11/10/2026","11/12/2026","XYZ","XYZ 11/20/2026 Call $12.00","STO","1","$0.60","$59.95"
"11/4/2026","11/4/2026","11/5/2026","ABC","Acme
CUSIP: 000000000","Sell","0.5","$40.37","$20.18"
"11/3/2026","11/3/2026","11/4/2026","ABC","Acme
CUSIP: 000000000","Buy","0.5","$38.11","($19.05)"
"11/2/2026","11/2/2026","11/2/2026","XYZ","Forward split","SPL","10","",""
"11/2/2026","11/2/2026","11/2/2026","QRS","Free stock","REC","1","",""
""
"","","","","","","","","","This is no advice."
`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('an expired long option without a buy is an unmatched close', () => {
    const home = new ImportHome().withUser();
    const rows = ACTIVITY.split('\n').slice(0, 2);
    const [file] = home.import(home.file('activity.csv', rows.join('\n'))).files;
    expect(file?.platform?.unmatched).toMatchObject([{ side: 'sell', quantity: 2 }]);
  });

  test('expirations close positions; fractional shares are priced by their amount', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const [file] = home.import(home.file('activity.csv', ACTIVITY)).files;
    expect(file).toMatchObject({ format: 'robinhood', rows: { read: 10 }, added: 3 });
    expect(file?.skipped).toEqual([
      { reason: 'unknown code "NSOB" without a quantity', count: 1 },
      { reason: 'disclaimer', count: 1 },
    ]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC long closed 2026-11-03T05:00:00.000Z 0.5 1.13 0',
      'XYZ 2026-11-20 C12 short closed 2026-11-10T05:00:00.000Z 1 60 0.05',
      'XYZ 2026-11-20 P10.5 long closed 2026-11-10T05:00:00.000Z 2 -62 0.08',
    ]);
    expect(home.notes.join('\n')).toContain('added or removed without a trade');
    expect(home.notes.join('\n')).toContain('reason: QRS on line 12');
    // A split of shares in no file.
    expect(file?.platform?.unmatched).toMatchObject([
      { symbol: 'XYZ', side: 'buy', quantity: 10 },
    ]);
    expect(home.notes.join('\n')).toContain('hours and holding times are meaningless');
  });

  test.each([
    // Half a cent a share, over or under, is rounding; the cent of the amount is, too.
    ['a buy at several prices', '"Buy","100","$10.00","($1,000.49)"', 10.0049, 0],
    ['a buy for less than its price', '"Buy","100","$10.00","($999.51)"', 9.9951, 0],
    [
      'a sell with the fee of its regulator',
      '"Sell","100","$10.00","$999.98"',
      9.9998,
      0,
    ],
    ['a part of a share', '"Buy","0.5","$40.37","($20.18)"', 40.36, 0],
    ['a buy with more than rounding', '"Buy","100","$10.00","($1,000.52)"', 10, 0.52],
    ['a sell with more than rounding', '"Sell","2","$10.00","$18.99"', 10, 1.01],
  ])('%s', (_, cells, price, fees) => {
    const home = new ImportHome().withUser();
    const [header, ...rows] = ACTIVITY.split('\n');
    const day = '"11/3/2026","11/3/2026","11/4/2026","ABC","Acme"';
    home.import(
      home.file('activity.csv', `${header}\n${day},${cells}\n${rows.at(-2)}\n`),
    );
    expect(home.rows('SELECT price, fees FROM fills')).toEqual([{ price, fees }]);
  });

  test.each([
    [
      '"STO"',
      '"STQ"',
      '6: Trans Code: must be one of Buy, Sell, BTO, STO, BTC, STC, OEXP',
    ],
    [
      '"11/10/2026","11/10',
      '"31/10/2026","11/10',
      '5: Activity Date: must be a date with the month first',
    ],
    ['"$0.31",', '"",', '5: Price: is missing'],
    [
      'XYZ 11/20/2026 Put $10.50","BTO',
      'XYZ Put","BTO',
      '5: Description: must name an option',
    ],
    [
      '"Trans Code","Quantity"',
      '"Trans Code","Size"',
      '1: Quantity: is missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('activity.csv', ACTIVITY.replace(from, to))),
    ).toContain(message);
  });
});

test.each(
  exportsWith(
    ['robinhood/Hood.csv', { rows: { read: 15 }, unmatched: 1, paid: 57.89 }],
    ['robinhood/Hood.csv', { rows: { read: 382 }, unmatched: 4, paid: -4521.36 }],
  ),
)('$label adds up to its rows', ({ path, holds: { rows, unmatched, paid } }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows });
  // Positions closed before the file begins.
  expect(file?.platform?.unmatched).toHaveLength(unmatched);
  const value =
    "sum(CASE side WHEN 'sell' THEN 1 ELSE -1 END * quantity * price * multiplier - fees)";
  expect(
    home.rows(`SELECT round(${value}, 2) AS paid FROM fills WHERE kind = 'trade'`),
  ).toEqual([{ paid }]);
});

const HEADER =
  '"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"';
const row = (
  day: string,
  symbol: string,
  code: string,
  size: string,
  price = '',
  amount = '',
  description = symbol,
) =>
  [day, day, day, symbol, description, code, size, price, amount]
    .map((cell) => `"${cell}"`)
    .join(',');
const stored =
  'SELECT symbol, side, status, quantity, open_quantity, gross_pnl FROM trades ORDER BY executed_at, symbol';

test.each<[string, string[], string[]]>([
  [
    'an exercise and an assignment on one day leave no shares, in any order',
    [
      row('11/6/2026', 'XYZ', 'Buy', '200', '$34.00', '($6,800.00)'),
      row('11/6/2026', 'XYZ', 'Sell', '200', '$34.50', '$6,900.00'),
    ],
    ['XYZ long closed 200 0 100'],
  ],
  [
    'held units are closed before anything opens, if the day closes no more',
    [
      row('11/6/2026', 'XYZ', 'Sell', '10', '$12.00', '$120.00'),
      row('11/6/2026', 'XYZ', 'Buy', '10', '$11.00', '($110.00)'),
      row('11/5/2026', 'XYZ', 'Buy', '10', '$10.00', '($100.00)'),
    ],
    ['XYZ long closed 10 0 20', 'XYZ long open 10 10 0'],
  ],
  [
    'a split in two rows, one of them dated before it',
    [
      row('11/9/2026', 'XYZ', 'Sell', '74', '$12.00', '$888.00'),
      row('11/6/2026', 'XYZ', 'SPL', '66.5'),
      row('11/5/2026', 'XYZ', 'SPL', '3.8'),
      row('11/5/2026', 'XYZ', 'Buy', '0.2', '$200.00', '($40.00)'),
      row('11/4/2026', 'XYZ', 'Buy', '3.5', '$200.00', '($700.00)'),
    ],
    ['XYZ long closed 74 0 148'],
  ],
  [
    'an exchange with a purchase before and a sale after it on one day',
    [
      row('11/6/2026', 'NEW', 'Sell', '50', '$30.00', '$1,500.00'),
      row('11/6/2026', 'NEW', 'SXCH', '100'),
      row('11/6/2026', 'OLD', 'SXCH', '200S'),
      row('11/6/2026', 'OLD', 'Buy', '100', '$10.00', '($1,000.00)'),
      row('11/5/2026', 'OLD', 'Buy', '100', '$10.00', '($1,000.00)'),
    ],
    ['NEW long open 100 50 500'],
  ],
  [
    'an option of each side follows its shares, at its cost',
    [
      row(
        '11/20/2026',
        'NEW',
        'OEXP',
        '1',
        '',
        '',
        'Option Expiration for NEW 11/20/2026 Call $20.00',
      ),
      row(
        '11/9/2026',
        'NEW',
        'STC',
        '2',
        '$3.00',
        '$600.00',
        'NEW 11/20/2026 Put $10.00',
      ),
      row('11/6/2026', 'NEW', 'OCA', '1S', '', '', 'NEW 11/20/2026 Call $20.00'),
      row('11/6/2026', 'OLD', 'OCA', '1', '', '', 'OLD 11/20/2026 Call $20.00'),
      row('11/6/2026', 'NEW', 'OCA', '2', '', '', 'NEW 11/20/2026 Put $10.00'),
      row('11/6/2026', 'OLD', 'OCA', '2S', '', '', 'OLD 11/20/2026 Put $10.00'),
      row('11/6/2026', 'NEW', 'SXCH', '140'),
      row('11/6/2026', 'OLD', 'SXCH', '140S'),
      row(
        '11/3/2026',
        'OLD',
        'BTO',
        '2',
        '$1.00',
        '($200.00)',
        'OLD 11/20/2026 Put $10.00',
      ),
      row(
        '11/3/2026',
        'OLD',
        'STO',
        '1',
        '$0.80',
        '$80.00',
        'OLD 11/20/2026 Call $20.00',
      ),
      row('11/2/2026', 'OLD', 'Buy', '140', '$10.00', '($1,400.00)'),
    ],
    [
      'NEW long open 140 140 0',
      'NEW 2026-11-20 C20 short closed 1 0 80',
      'NEW 2026-11-20 P10 long closed 2 0 400',
    ],
  ],
])('%s', (_, rows, trades) => {
  for (const ordered of [rows, rows.toReversed()]) {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file('activity.csv', [HEADER, ...ordered].join('\n')),
    ).files;
    expect(home.rows(stored).map((own) => Object.values(own).join(' '))).toEqual(trades);
    expect(file?.platform?.unmatched).toEqual([]);
  }
});

test('shares received by transfer have no cost: their trades are unsure', () => {
  const home = new ImportHome().withUser();
  const rows = [
    row('11/9/2026', 'XYZ', 'Sell', '10', '$12.00', '$120.00'),
    row('11/6/2026', 'XYZ', 'Buy', '10', '$11.00', '($110.00)'),
    row('11/5/2026', 'XYZ', 'ACATI', '10'),
  ];
  const [file] = home.import(
    home.file('activity.csv', [HEADER, ...rows].join('\n')),
  ).files;
  expect(file?.platform?.unsure).toEqual([{ symbol: 'XYZ', trades: 1 }]);
  expect(home.rows('SELECT symbol, tags FROM trades')).toEqual([
    { symbol: 'XYZ', tags: '["unsure"]' },
  ]);
});

test.each(
  allExports(['robinhood']).filter(({ name }) => name === 'robinhood/with-split.csv'),
)('$label: a split, exchanges and exercises leave nothing open', ({ path }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file?.platform).toMatchObject({
    trades: { closed: 13, open: 0 },
    unmatched: [],
    unsure: [],
  });
  expect(file?.platform?.money).toMatchObject([{ net: -2243.74 }]);
});
