/** Charles Schwab's transaction history: days only, with many actions that aren't trades. */
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../src/import/report/report.ts';
import { allExports, exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HISTORY = `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"11/20/2026","Expired","XYZ 11/20/2026 25.00 P","PUT XYZ","2","","",""
"11/16/2026 as of 11/13/2026","Stock Split","XYZ","XYZ CORP","9","$10.50","",""
"11/12/2026","Buy to Cover","QRS","QRS CORP","10","$4.00","","-$40.00"
"11/11/2026","Sell Short","QRS","QRS CORP","10","$5.00","$0.01","$49.99"
"11/10/2026 as of 11/09/2026","Sell","ABC","ABC FUND","1,000.5","$2.10","$10.00","$2,091.05"
"11/06/2026","Cash Dividend","ABC","ABC FUND","","","","$3.00"
"11/05/2026","Reinvest Shares","ABC","ABC FUND","0.5","$2.00","","-$1.00"
"11/03/2026","Sell to Open","XYZ 11/20/2026 25.00 P","PUT XYZ","2","$1.10","$1.32","$218.68"
"11/02/2026","Buy","ABC","ABC FUND","1,000","$2.00","","-$2,000.00"
Transactions Total,,,,,,,"$322.72"
`;

const shown =
  'SELECT symbol, side, status, executed_at, closed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at';

test('rows without a quantity are skipped with a reason, unknown actions by name', () => {
  const rows = [
    'Qual Div Reinvest',
    'NRA Tax Adj',
    'MoneyLink Transfer',
    'Pr Yr Cash Div',
    'Promo Credit',
    'Cash Merger',
    '',
  ].map((action) => `"11/06/2026","${action}","ABC","","","","","$3.00"\n`);
  const home = new ImportHome().withUser();
  const [file] = home.import(
    home.file('history.csv', HISTORY.replace(/"11\/06.*\n/, rows.join(''))),
  ).files;
  expect(file?.skipped.map(({ reason, count }) => `${count} ${reason}`)).toEqual([
    '1 unknown action "Promo Credit" without a quantity',
    '1 cash merger without a quantity',
    '1 row without an action',
    '1 total line',
  ]);
  expect(home.rows('SELECT kind, amount FROM cash_flows ORDER BY kind')).toEqual([
    { kind: 'deposit', amount: 3 },
    { kind: 'dividend', amount: 3 },
    { kind: 'dividend', amount: 3 },
    { kind: 'tax', amount: 3 },
  ]);
});

test.each([
  [
    'closes the units that another row removes',
    ['"11/12/2026","Cash Merger Adj","OLD","OLD CORP","-100","","",""\n'],
    ['OLD closed 100 0 225'],
    '',
  ],
  ['is reported if no row removes units', [], ['OLD open 100 100 0'], 'OLD on line 2'],
])('cash of a merger %s', (_, more, trades, note) => {
  const home = new ImportHome().withUser();
  const rows = [
    '"11/12/2026","Cash Merger","OLD","OLD CORP","","","","$1,225.00"\n',
    ...more,
  ];
  const bought = '"11/02/2026","Buy","OLD","OLD CORP","100","$10.00","","-$1,000.00"\n';
  const text = `${HISTORY.split('\n')[0]}\n${rows.join('')}${bought}`;
  const [file] = home.import(home.file('history.csv', text)).files;
  const made = home.rows(
    'SELECT symbol, status, quantity, open_quantity, gross_pnl FROM trades',
  );
  expect(made.map((row) => Object.values(row).join(' '))).toEqual(trades);
  expect(file?.notes.join()).toContain(note);
});

test('redeemed bonds and shares are sold for the amount of the other row', () => {
  const home = new ImportHome().withUser();
  home.import(
    home.file(
      'history.csv',
      `${HISTORY.split('\n')[0]}
"11/17/2026","Full Redemption Adj","912797XX1","US TREASURY BILL DUE 11/17/26","","","","$10,000.00"
"11/17/2026","Full Redemption","912797XX1","US TREASURY BILL DUE 11/17/26","-10,000","","",""
"11/12/2026","Full Redemption Adj","ABC+A","ABC CORP PFD","","","","$2,500.00"
"11/12/2026","Full Redemption","ABC+A","ABC CORP PFD","-100","","",""
"11/03/2026","Buy","ABC+A","ABC CORP PFD","100","$24.00","","-$2,400.00"
"11/02/2026","Buy","912797XX1","US TREASURY BILL DUE 11/17/26","10,000","$98.00","","-$9,800.00"
`,
    ),
  );
  expect(
    home.rows('SELECT symbol, status, multiplier, exit_price, gross_pnl FROM trades'),
  ).toEqual([
    {
      symbol: '912797XX1',
      status: 'closed',
      multiplier: 0.01,
      exit_price: 100,
      gross_pnl: 200,
    },
    { symbol: 'ABC+A', status: 'closed', multiplier: 1, exit_price: 25, gross_pnl: 100 },
  ]);
});

test('parts of shares that were split, sold in part and transferred out are a trade', () => {
  const home = new ImportHome().withUser();
  const text = `${HISTORY.split('\n')[0]}
"11/20/2026","Sell","VTI","TOTAL MARKET","1.2345","$120.00","","$148.14"
"11/18/2026","Security Transfer","VTI","TOTAL MARKET","-12.3457","","",""
"11/16/2026","Stock Split","VTI","TOTAL MARKET","13.5802","$100.00","",""
"11/10/2026","Reinvest Shares","VTI","TOTAL MARKET","0.3333","$201.00","","-$66.99"
"11/09/2026","Sell","VTI","TOTAL MARKET","11.1111","$210.00","","$2,333.33"
"11/05/2026","Reinvest Shares","VTI","TOTAL MARKET","1.4568","$199.00","","-$289.90"
"11/02/2026","Buy","VTI","TOTAL MARKET","22.9012","$200.00","","-$4,580.24"
`;
  home.import(home.file('history.csv', text));
  expect(home.rows('SELECT symbol, status, open_quantity FROM trades')).toEqual([
    { symbol: 'VTI', status: 'open', open_quantity: 13.5802 },
  ]);
  expect(home.findings()).toEqual([]);
});

describe('a file of our own', () => {
  test.each([
    ['as it is today', HISTORY, null],
    [
      'with the title of older ones, and a column without a name',
      `"Transactions  for account XXXX-1234 as of 11/21/2026 10:00:00 ET"\n${HISTORY.replace(/"$/gm, '",')}`,
      'XXXX-1234',
    ],
  ])('%s', (_, text, account) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('history.csv', text)).files;
    expect(file).toMatchObject({ format: 'schwab', rows: { read: 10 }, added: 3 });
    expect(file?.skipped.map(({ reason }) => reason)).toEqual(['total line']);
    expect(file?.cash_flows.added).toBe(1);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC long closed 2026-11-02T00:00:00.000Z 2026-11-09T00:00:00.000Z 1000.5 100.05 10',
      'XYZ 2026-11-20 P25 short closed 2026-11-03T00:00:00.000Z 2026-11-20T00:00:00.000Z 2 220 1.32',
      'QRS short closed 2026-11-11T00:00:00.000Z 2026-11-12T00:00:00.000Z 10 10 0.01',
    ]);
    expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account }]);
    // A split of shares in no file.
    expect(file?.platform?.unmatched).toMatchObject([
      { symbol: 'XYZ', side: 'buy', quantity: 9 },
    ]);
  });

  test('accounts with a name of several words stay apart', () => {
    const home = new ImportHome().withUser();
    for (const account of ['Individual Main ...123', 'Individual Main ...456']) {
      const title = `"Transactions  for account ${account} as of 11/21/2026 10:00:00 ET"`;
      home.import(home.file(`${account}.csv`, `${title}\n${HISTORY}`));
    }
    expect(home.rows('SELECT DISTINCT account FROM fills ORDER BY account')).toEqual([
      { account: 'Individual Main ...123' },
      { account: 'Individual Main ...456' },
    ]);
  });

  test('bonds have a price in percent, options settled in cash the price of their amount', () => {
    const home = new ImportHome().withUser();
    const rows = [
      '"11/20/2026","Exchange or Exercise","SPX 11/20/2026 4700.00 C","CALL SPX","1","","","$1,500.00"',
      '"11/20/2026","Exchange or Exercise","ABC 11/20/2026 4.00 C","CALL ABC","1","","",""',
      '"11/05/2026","Sell","91282CKS9","US TREASURY NOTE","50,000","$100.7695","$50.00","$50,634.75"',
      '"11/03/2026","Buy to Open","SPX 11/20/2026 4700.00 C","CALL SPX","1","$10.00","$0.66","-$1,000.66"',
      '"11/03/2026","Buy to Open","ABC 11/20/2026 4.00 C","CALL ABC","1","$1.00","$0.66","-$100.66"',
      '"11/02/2026","Buy","91282CKS9","US TREASURY NOTE","50,000","$99.50","","-$49,750.00"',
    ];
    home.import(
      home.file('history.csv', [HISTORY.split('\n', 1).join(), ...rows].join('\n')),
    );
    const made = home.rows(
      'SELECT symbol, market, gross_pnl, fees FROM trades ORDER BY symbol',
    );
    expect(made.map((row) => Object.values(row).join(' '))).toEqual([
      '91282CKS9 other 634.75 50',
      'ABC 2026-11-20 C4 option -100 0.66',
      'SPX 2026-11-20 C4700 option 500 0.66',
    ]);
  });

  test('as JSON makes the same fills', () => {
    const [table, own] = [new ImportHome().withUser(), new ImportHome().withUser()];
    table.import(table.file('history.csv', HISTORY));
    const [names = [], ...rows] = HISTORY.trim()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(`[${line}]`) as string[]);
    const list = rows.map((row) =>
      Object.fromEntries(row.map((cell, index) => [names[index], cell])),
    );
    const text = JSON.stringify(
      { FromDate: '11/01/2026', BrokerageTransactions: list },
      null,
      1,
    );
    const path = own.file('history.json', text);
    expect(own.import(path).files[0]).toMatchObject({ format: 'schwab', added: 3 });
    const fills =
      'SELECT id, symbol, kind, side, quantity, price, fees FROM fills ORDER BY id';
    expect(own.rows(fills)).toEqual(table.rows(fills));
    const line = text.slice(0, text.indexOf('"Sell Short"')).split('\n').length;
    expect(
      own.refusalOf(own.file('a.json', text.replace('Sell Short', 'Sell Shirt'))),
    ).toContain(`${line}: Action:`);
    expect(own.refusalOf(own.file('a.json', '{"BrokerageTransactions": ['))).toContain(
      '1: not valid JSON',
    );
  });

  test.each([
    ['"Sell Short"', '"Sell Shirt"', '5: Action: must be one of Buy, Sell, Buy to Open'],
    ['"$5.00"', '"5,00 $"', '5: Price: must be an amount'],
    ['"11/11/2026"', '"31/11/2026"', '5: Date: must be a date with the month first'],
    ['"Buy","ABC"', '"Buy",""', '10: Symbol: is missing'],
    [
      '"Sell to Open","XYZ 11/20/2026 25.00 P"',
      '"Sell to Open","XYZ1 P25"',
      '9: Symbol: must be an option',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('history.csv', HISTORY.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'schwab/transactions.csv',
      {
        rows: { read: 14 },
        fills: 7,
        unmatched: ['AVGO', 'FIHBX'],
        money: { gross: 103.5, fees: 0.05, net: 103.45 },
      },
    ],
    [
      'schwab/transactions.csv',
      {
        rows: { read: 120 },
        fills: 51,
        unmatched: ['AMC', 'DGLRX', 'FIHBX', 'SNAXX'],
        money: {},
      },
    ],
  ),
)(
  '$label: what was reinvested, and sales of what was bought before',
  ({ path, holds }) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(path()).files;
    expect(file).toMatchObject({ rows: holds.rows });
    expect(file?.platform?.fills).toBe(holds.fills);
    expect(file?.platform?.money).toMatchObject([{ currency: 'USD', ...holds.money }]);
    expect(file?.platform?.unmatched.map(({ symbol }) => symbol).sort()).toEqual(
      holds.unmatched,
    );
  },
);

const HEADER = 'Date,Action,Symbol,Description,Quantity,Price,Fees & Comm,Amount';
const stored =
  'SELECT symbol, status, quantity, open_quantity, gross_pnl, tags FROM trades ORDER BY executed_at, symbol';

test.each<[string, string[], string[]]>([
  [
    'a split adds units to the position',
    [
      '11/10/2026,Sell,XYZ,XYZ CORP,200,$60.00,,',
      '11/06/2026,Stock Split,XYZ,XYZ CORP,100,,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,100,$100.00,,',
    ],
    ['XYZ closed 200 0 2000 []'],
  ],
  [
    'a sale on the day of a split, above or below it, is of new units',
    [
      '11/06/2026 as of 11/05/2026,Stock Split,XYZ,XYZ CORP,100,,,',
      '11/06/2026,Sell,XYZ,XYZ CORP,150,$60.00,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,100,$100.00,,',
    ],
    ['XYZ open 200 50 1500 []'],
  ],
  [
    'a reverse split removes the units of a number, and adds those of the symbol',
    [
      '11/10/2026,Sell,XYZ,XYZ CORP,10,$120.00,,',
      '11/06/2026,Reverse Split,XYZ,XYZ CORP,10,,,',
      '11/06/2026,Reverse Split,98765A104,XYZ CORP XXXREVERSE SPLIT EFF: 11/06/26,-100,,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,100,$10.00,,',
    ],
    ['XYZ closed 10 0 200 []'],
  ],
  [
    'a reverse split of a number whose name two symbols have is of neither',
    [
      '11/10/2026,Sell,XYZ,XYZ CORP,10,$120.00,,',
      '11/06/2026,Reverse Split,XYZ,XYZ CORP,10,,,',
      '11/06/2026,Reverse Split,98765A104,XYZ CORP XXXREVERSE SPLIT EFF: 11/06/26,-100,,,',
      '11/03/2026,Buy,XYZA,XYZ CORP,100,$10.00,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,100,$10.00,,',
    ],
    ['XYZ open 100 90 1100 ["unsure"]', 'XYZA open 100 100 0 []'],
  ],
  [
    'a merger with old shares matched by the description of their purchase',
    [
      '11/10/2026,Sell,NEW,NEW INC,50,$30.00,,',
      '11/06/2026,Stock Merger,NEW,NEW INC,50,,,',
      '11/06/2026,Stock Merger,171439102,OLD CORP XXXMANDATORY MERGER EFF: 11/06/26,-100,,,',
      '11/02/2026,Buy,OLD,OLD CORP,100,$10.00,,',
    ],
    ['NEW closed 50 0 500 []'],
  ],
  [
    'units removed without a sale leave at cost',
    [
      '11/10/2026,Sell,XYZ,XYZ CORP,60,$12.00,,',
      '11/06/2026,Security Transfer,XYZ,XYZ CORP,-40,,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,100,$10.00,,',
    ],
    ['XYZ closed 60 0 120 []'],
  ],
  [
    'no trade remains if all units are removed',
    [
      '11/06/2026,Security Transfer,XYZ,XYZ CORP,-100,,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,100,$10.00,,',
    ],
    [],
  ],
  [
    'a spin-off has no cost: later trades in that symbol are unsure',
    [
      '11/10/2026,Sell,XYZ,XYZ CORP,100,$12.00,,',
      '11/09/2026,Buy,XYZ,XYZ CORP,100,$10.00,,',
      '11/06/2026,Spin-off,XYZ,XYZ CORP,5,,,',
      '11/05/2026,Sell,XYZ,XYZ CORP,50,$12.00,,',
      '11/02/2026,Buy,XYZ,XYZ CORP,50,$10.00,,',
    ],
    ['XYZ closed 50 0 100 []', 'XYZ closed 100 0 200 ["unsure"]'],
  ],
])('%s', (_, rows, trades) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(
    home.file('history.csv', [HEADER, ...rows].join('\n')),
  ).files;
  expect(home.rows(stored).map((row) => Object.values(row).join(' '))).toEqual(trades);
  expect(file?.platform?.unmatched).toEqual([]);
});

test('the report begins with unsure trades, and they stay so after an older file', () => {
  const rows = [
    '11/10/2026,Sell,XYZ,XYZ CORP,100,$12.00,,',
    '11/09/2026,Buy,XYZ,XYZ CORP,100,$10.00,,',
  ];
  const moved = '11/06/2026,Stock Plan Activity,XYZ,XYZ CORP,100,,,';
  const [whole, pieces] = [new ImportHome().withUser(), new ImportHome().withUser()];
  const [file] = whole.import(
    whole.file('a.csv', [HEADER, ...rows, moved].join('\n')),
  ).files;
  expect(file && figuresOf(file as Parameters<typeof figuresOf>[0], 'UTC')[1]).toBe(
    '  unsure  XYZ (1 trade): units came or went for no stated reason, or an option was sold without an open or close mark; tagged "unsure"',
  );
  pieces.import(pieces.file('a.csv', [HEADER, ...rows].join('\n')));
  expect(pieces.rows('SELECT tags FROM trades')).toEqual([{ tags: '[]' }]);
  pieces.import(pieces.file('b.csv', [HEADER, moved].join('\n')));
  expect(pieces.rows(stored)).toEqual(whole.rows(stored));
});

test.each(allExports(['schwab']).filter(({ name }) => name === 'schwab/with-split.csv'))(
  '$label: two for one, and shares removed',
  ({ path }) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(path()).files;
    expect(file?.platform).toMatchObject({
      trades: { closed: 2, open: 1 },
      unmatched: [],
    });
    expect(
      home.rows(
        "SELECT sum(gross_pnl) AS gross, sum(fees) AS fees FROM trades WHERE status = 'closed'",
      ),
    ).toEqual([{ gross: 758.73, fees: 0.71 }]);
    expect(
      home.rows("SELECT symbol, open_quantity FROM trades WHERE status = 'open'"),
    ).toEqual([{ symbol: 'QLD', open_quantity: 3305 }]);
  },
);
