/** The same fills in two exports of a platform with different forms: duplicates are detected in any order. */
import { describe, expect, test } from 'vitest';
import { ImportHome } from './home.ts';

/** By platform: two files with the same fills, and their number. */
const PAIRS: Record<string, [one: string, other: string, fills: number]> = {
  'tastytrade, to the second and to the minute': [
    `Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Currency
2026-11-03T15:30:59+0000,Trade,Sell to Close,SELL_TO_CLOSE,ABC,Equity,x,110.00,10,11.00,0.00,-0.01,,,,,,,2,USD
2026-11-02T15:30:12+0000,Trade,Buy to Open,BUY_TO_OPEN,ABC,Equity,x,-100.00,10,-10.00,0.00,-0.01,,,,,,,1,USD
`,
    `Date/Time,Transaction Code,Transaction Subcode,Symbol,Buy/Sell,Open/Close,Quantity,Expiration Date,Strike,Call/Put,Price,Fees,Amount,Description,Account Reference
11/03/2026 3:30 PM,Trade,Sell to Close,ABC,Sell,Close,10,,,,11.00,0.01,110.00,x,
11/02/2026 3:30 PM,Trade,Buy to Open,ABC,Buy,Open,10,,,,10.00,0.01,-100.00,x,
`,
    2,
  ],
  'Kraken, trades and ledgers, which round and spell in their own ways': [
    `"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"
"TA","O1","ABCEUR","2026-11-02 10:00:00.1234","buy","limit",10.33333,41.33,0.10000,4.00000000,0.00000,"","L1,L2"
`,
    `"txid","refid","time","type","subtype","aclass","asset","amount","fee","balance"
"L1","TA","2026-11-02 10:00:00","trade","","currency","EUR",-41.3300,0.1000,59.9000
"L2","TA","2026-11-02 10:00:00","trade","","currency","ABC",4.0000,0,4.0000
`,
    1,
  ],
};

const TRADES =
  'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,Proceeds,Comm/Fee,Code';
const ORDERS = [
  TRADES,
  'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 09:31:00",300,10.33333333,-3100,-3,O',
  'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 10:31:00",50,11,-550,-1,O',
];
const EXECUTIONS = [
  TRADES,
  'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 09:31:00",300,10.33333333,-3100,-3,O',
  'Trades,Data,Trade,Stocks,USD,ACME,"2026-03-02, 09:31:00",200,10,-2000,-2,O',
  'Trades,Data,Trade,Stocks,USD,ACME,"2026-03-02, 09:34:07",100,11,-1100,-1,O',
  'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 10:31:00",50,11,-550,-1,O',
];

describe('orders and executions of Interactive Brokers', () => {
  test.each([
    [ORDERS, EXECUTIONS, 2],
    [EXECUTIONS, ORDERS, 3],
  ])(
    'the second statement is rejected, except with --allow-duplicates',
    (first, second, fills) => {
      const home = new ImportHome().withUser();
      home.import(home.file('first.csv', first.join('\n')));
      const path = home.file('second.csv', second.join('\n'));
      expect(home.refusalOf(path)).toContain(
        'already in the journal as ibkr-activity (import 1); pass --allow-duplicates',
      );
      expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills }]);
      home.import(path, { allowDuplicates: true });
      expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 4 }]);
      for (const again of [path, home.path('first.csv')])
        expect(home.import(again).files[0]).toMatchObject({ added: 0 });
    },
  );

  /** The executions of the larger order in a separate statement, with a given last row. */
  const executed = (last: string) => [
    TRADES,
    ...EXECUTIONS.slice(2, 3),
    EXECUTIONS[3]?.replace('100,11,-1100', last),
  ];
  const second = (lines: readonly unknown[]) => {
    const home = new ImportHome().withUser();
    home.import(home.file('first.csv', ORDERS.slice(0, 2).join('\n')));
    return { home, path: home.file('second.csv', lines.join('\n')) };
  };

  test.each([
    ['the same', '100,11,-1100'],
    ['the same but for the rounding of the price of the order', '100,11.0002,-1100.02'],
  ])('executions that add up to %s are duplicates', (_, last) => {
    const { home, path } = second(executed(last));
    expect(home.refusalOf(path)).toContain(
      '2 fills in this file (first on line 2, ACME) are duplicates: already in the journal',
    );
  });

  test.each([
    ['of another price', executed('100,11.0005,-1100.05')],
    ['of as much money, and one share more', executed('101,10.89108911,-1100')],
    [
      'of another day',
      executed('100,11,-1100').map((line) => line?.replaceAll('03-02', '03-03')),
    ],
    [
      'of another symbol',
      executed('100,11,-1100').map((line) => line?.replaceAll('ACME', 'ACNE')),
    ],
  ])('executions %s are separate', (_, lines) => {
    const { home, path } = second(lines);
    home.import(path);
    expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 3 }]);
  });
});

describe.each(Object.entries(PAIRS))('%s', (_, [one, other, fills]) => {
  test.each([
    [one, other],
    [other, one],
  ])('the second file is rejected, except with --allow-duplicates', (first, second) => {
    const home = new ImportHome().withUser();
    home.import(home.file('first.csv', first));
    const path = home.file('second.csv', second);
    expect(home.refusalOf(path)).toMatch(
      /already in the journal as [\w-]+ \(import 1\); pass --allow-duplicates/,
    );
    expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills }]);
    home.import(path, { allowDuplicates: true });
    expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([
      { fills: 2 * fills },
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });
});

test('a similar fill at another minute, or with another id, is separate', () => {
  const home = new ImportHome().withUser();
  const [[seconds = '', minutes = ''] = [], [trades = '', ledgers = ''] = []] =
    Object.values(PAIRS).map((own) => own.slice(0, 2) as string[]);
  home.import(home.file('seconds.csv', seconds));
  home.import(home.file('minutes.csv', minutes.replaceAll('3:30 PM', '3:31 PM')));
  home.import(home.file('trades.csv', trades));
  home.import(home.file('ledgers.csv', ledgers.replaceAll('"TA"', '"TB"')));
  expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills: 6 }]);
});

test.each([
  ['2026-11-03 09:00:00', 'the same in another zone', 1],
  ['2026-11-03 11:00:00', 'another fill', 2],
])('of one id, at %s instead of 2026-11-02 10:00: %s', (time, _, fills) => {
  const [[trades, ledgers] = ['', '']] = Object.entries(PAIRS).flatMap(([name, own]) =>
    name.startsWith('Kraken') ? [own] : [],
  );
  const home = new ImportHome().withUser();
  home.import(home.file('trades.csv', trades));
  const path = home.file('ledgers.csv', ledgers.replaceAll('2026-11-02 10:00:00', time));
  if (fills === 1) expect(home.refusalOf(path)).toContain('already in the journal');
  else home.import(path);
  expect(home.rows('SELECT count(*) AS fills FROM fills')).toEqual([{ fills }]);
});

test('orders of two accounts, then their executions, are duplicates of both accounts', () => {
  const header = TRADES.replace('Currency,Symbol', 'Currency,Account,Symbol');
  const row = (kind: string, account: string, time: string, quantity: number) =>
    `Trades,Data,${kind},Stocks,USD,${account},ACME,"2026-03-02, ${time}",${quantity},10,${-10 * quantity},-1,O`;
  const accounts = ['U1', 'U2'];
  const orders = accounts.map((account) => row('Order', account, '09:31:00', 300));
  const executions = accounts.flatMap((account, index) => [
    row('Trade', account, '09:31:01', 200 - 50 * index),
    row('Trade', account, '09:34:07', 100 + 50 * index),
  ]);
  const home = new ImportHome().withUser();
  home.import(home.file('orders.csv', [header, ...orders].join('\n')));
  const path = home.file('executions.csv', [header, ...executions].join('\n'));
  expect(home.refusalOf(path)).toMatch(/^4 fills in this file .* are duplicates/);
  expect(home.rows('SELECT DISTINCT account FROM fills ORDER BY 1')).toEqual([
    { account: 'U1' },
    { account: 'U2' },
  ]);
});
