/** Interactive Brokers' Flex Query: executions as attributes, some chosen, some cancelled. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportsWith, pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

function element(name: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${written.join('')} />`;
}

const TRADE = {
  accountId: 'U7654321',
  currency: 'USD',
  assetCategory: 'STK',
  fxRateToBase: '0.5',
  symbol: 'ACME',
  multiplier: '1',
  dateTime: '20260302;093100',
  tradeDate: '20260302',
  transactionType: 'ExchTrade',
  taxes: '0',
  ibCommissionCurrency: 'USD',
  notes: '',
  levelOfDetail: 'EXECUTION',
};

let id = 0;
function trade(own: Record<string, string>): string {
  id++;
  return element('Trade', {
    ...TRADE,
    tradeID: `${900 + id}`,
    ibExecID: `0000a.${id}.01.01`,
    ...own,
  });
}

const ROWS = [
  trade({
    quantity: '100',
    tradePrice: '10',
    buySell: 'BUY',
    ibCommission: '-1',
    openCloseIndicator: 'O',
  }),
  '<Order accountId="U7654321" currency="USD" symbol="ACME" quantity="100" levelOfDetail="ORDER" />',
  trade({
    ...{
      quantity: '-100',
      tradePrice: '11',
      buySell: 'SELL',
      dateTime: '20260303;100000 EST',
      openCloseIndicator: 'C',
    },
    ...{
      ibCommission: '-2',
      ibCommissionCurrency: 'EUR',
      taxes: '-0.1',
      fifoPnlRealized: '94.9',
    },
  }),
  element('Lot', { symbol: 'ACME', quantity: '100', levelOfDetail: 'CLOSED_LOT' }),
  // Cancelled, and listed again as corrected.
  trade({
    symbol: 'BETA',
    quantity: '-5',
    tradePrice: '7',
    buySell: 'SELL',
    transactionID: '71',
    openCloseIndicator: 'O',
  }),
  trade({
    ...{
      symbol: 'BETA',
      quantity: '5',
      tradePrice: '7',
      buySell: 'SELL (Ca.)',
      transactionType: 'TradeCancel',
    },
    ...{
      notes: 'Ca',
      ibExecID: '',
      tradeID: '',
      transactionID: '72',
      origTransactionID: '71',
    },
  }),
  trade({
    symbol: 'BETA',
    quantity: '-6',
    tradePrice: '7',
    buySell: 'SELL',
    transactionID: '73',
    openCloseIndicator: 'O',
  }),
  trade({
    ...{
      symbol: 'SPY   260619C00450000',
      assetCategory: 'OPT',
      multiplier: '100',
      underlyingSymbol: 'SPY',
    },
    ...{
      expiry: '20260619',
      strike: '450',
      putCall: 'C',
      quantity: '2',
      tradePrice: '1.5',
      buySell: 'BUY',
    },
  }),
  trade({
    ...{
      symbol: 'SPY   260619C00450000',
      assetCategory: 'OPT',
      multiplier: '100',
      dateTime: '2026-06-19, 16:20:00',
    },
    ...{
      quantity: '-2',
      tradePrice: '0',
      buySell: 'SELL',
      notes: 'Ep',
      openCloseIndicator: 'C',
      ibExecID: '',
    },
    ...{ transactionType: 'BookTrade' },
  }),
  trade({
    ...{
      symbol: 'XZY &amp; CO 5%',
      assetCategory: 'BOND',
      quantity: '2000',
      tradePrice: '99',
      buySell: 'BUY',
    },
    ...{ tradeMoney: '1980', ibCommission: '-3', ibCommissionCurrency: 'CHF' },
  }),
];

const ACTIONS = [
  element('CorporateAction', {
    ...{ currency: 'USD', symbol: 'BETA', dateTime: '20260401;202500', quantity: '-3' },
    description: 'BETA(US0000000001) SPLIT 1 FOR 2 (BETA, BETA INC, US0000000002)',
  }),
  element('CorporateAction', {
    ...{ currency: 'USD', symbol: 'BETA', dateTime: '20260401;202500', quantity: '3' },
    description: 'BETA(US0000000001) SPLIT 1 FOR 2 (BETA, BETA INC, US0000000002)',
  }),
];

function query(...rows: string[]): string {
  return [
    '<FlexQueryResponse queryName="all" type="AF">',
    '<FlexStatements count="1">',
    '<FlexStatement accountId="U7654321" fromDate="20260301" toDate="20260630" period="" whenGenerated="20260701;010000">',
    '<AccountInformation accountId="U7654321" currency="EUR" />',
    '<Trades>',
    ...rows,
    '</Trades>',
    `<CorporateActions>${ACTIONS.join('\n')}</CorporateActions>`,
    '</FlexStatement></FlexStatements></FlexQueryResponse>',
  ].join('\n');
}

describe('a query of our own', () => {
  const bought = { quantity: '100', buySell: 'BUY', ibCommission: '-1' };
  const sold = {
    quantity: '-100',
    buySell: 'SELL',
    ibCommission: '-2',
    dateTime: '20260303;100000',
  };

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['trade money', { tradeMoney: '1000' }, { tradeMoney: '-1100' }],
    ['proceeds', { proceeds: '-1000' }, { proceeds: '1100' }],
    [
      'cost and realised P&L',
      { cost: '1001', fifoPnlRealized: '0' },
      { cost: '-1001', fifoPnlRealized: '97' },
    ],
  ])('without prices takes %s and quantity', (_, buy, sell) => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'all.xml',
        query(trade({ ...bought, ...buy }), trade({ ...sold, ...sell })),
      ),
    );
    const shown = 'SELECT entry_price, exit_price, gross_pnl, fees FROM trades';
    expect(home.rows(shown)).toEqual([
      { entry_price: 10, exit_price: 11, gross_pnl: 100, fees: 3 },
    ]);
  });

  test('closed lots state the day and cost of what no file opened', () => {
    const close = {
      ...sold,
      tradePrice: '11',
      openCloseIndicator: 'C',
      fifoPnlRealized: '97.5',
    };
    const lot = (quantity: string, cost: string, openDateTime: string) =>
      element('Lot', {
        symbol: 'ACME',
        quantity,
        cost,
        openDateTime,
        levelOfDetail: 'CLOSED_LOT',
      });
    const home = new ImportHome().withUser();
    const lots = [
      lot('40', '401', '20250102;093000'),
      lot('60', '599.5', '20260105;101500'),
    ];
    home.import(home.file('all.xml', query(trade(close), ...lots)));
    expect(
      home.rows(
        'SELECT executed_at, has_time, quantity, gross_pnl, fees, net_pnl FROM trades',
      ),
    ).toEqual([
      {
        executed_at: '2025-01-02T00:00:00.000Z',
        has_time: 0,
        quantity: 100,
        gross_pnl: 99.5,
        fees: 2,
        net_pnl: 97.5,
      },
    ]);
    expect(
      home.rows('SELECT executed_at, price FROM executions ORDER BY position'),
    ).toMatchObject([
      { executed_at: '2025-01-02T00:00:00.000Z', price: 10.025 },
      { executed_at: '2026-01-05T00:00:00.000Z', price: expect.closeTo(9.99166667, 8) },
      { price: 11 },
    ]);
  });

  test.each([
    ['a realised P&L', { fifoPnlRealized: '97.5', cost: '-1000' }, 97.5],
    ['one of 0', { fifoPnlRealized: '0', cost: '-1000' }, 0],
    ['a cost and the proceeds', { cost: '-1000', proceeds: '1100' }, 98],
    ['a cost alone', { cost: '-1000' }, null],
  ] as [string, Record<string, string>, number | null][])(
    'a close without an opening realised what its row states: %s',
    (_, stated, net) => {
      const home = new ImportHome().withUser();
      const close = {
        ...sold,
        tradePrice: '11',
        openCloseIndicator: 'C',
        ibCommissionCurrency: 'USD',
      };
      home.import(home.file('all.xml', query(trade({ ...close, ...stated }))));
      expect(home.rows('SELECT net_pnl FROM unmatched_closes')).toEqual([
        { net_pnl: net },
      ]);
    },
  );

  test.each<[string, Record<string, string>]>([
    ['none of these', {}],
    ['a cost alone, of a close', { cost: '1001', openCloseIndicator: 'C' }],
  ])('without prices, and with %s, is refused with the box to tick', (_, own) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('all.xml', query(trade({ ...bought, ...own })))),
    ).toContain(
      '6: tradePrice: is missing; tick Trade Price in the section Trades of the query',
    );
  });

  test.each([
    [
      'a long call that was exercised',
      '1',
      'BUY',
      '-1',
      'SELL',
      '-2000',
      '2999',
      'Ex',
      2999,
      50,
    ],
    [
      'a short call that was assigned',
      '-1',
      'SELL',
      '1',
      'BUY',
      '1999',
      '-3001',
      'A',
      -3001,
      50,
    ],
    [
      'a long call with shares delivered',
      '1',
      'BUY',
      '-1',
      'SELL',
      '-2000',
      '0',
      'Ex',
      -2001,
      0,
    ],
  ])(
    '%s is booked at what its row states',
    (_, units, side, closes, closing, cost, profit, notes, net, exit) => {
      const home = new ImportHome().withUser();
      const index = {
        symbol: 'SPX   260619C05000000',
        assetCategory: 'OPT',
        multiplier: '100',
      };
      const opening = {
        ...index,
        quantity: units,
        buySell: side,
        tradePrice: '20',
        ibCommission: '-1',
        openCloseIndicator: 'O',
      };
      const end = {
        ...index,
        quantity: closes,
        buySell: closing,
        tradePrice: '0',
        openCloseIndicator: 'C',
        notes,
      };
      const booked = {
        cost: cost === '-2000' && profit !== '0' ? '-2001' : cost,
        fifoPnlRealized: profit,
      };
      home.import(
        home.file(
          'all.xml',
          query(
            trade(opening),
            trade({ ...end, ...booked, dateTime: '20260619;162000' }),
          ),
        ),
      );
      expect(
        home.rows('SELECT round(gross_pnl - fees, 6) AS net, exit_price FROM trades'),
      ).toEqual([{ net, exit_price: exit }]);
    },
  );

  test('an option settled in cash, in a query without costs, is rejected with the box to tick', () => {
    const home = new ImportHome().withUser();
    const settled = {
      symbol: 'SPX   260619C05000000',
      assetCategory: 'OPT',
      quantity: '-1',
      buySell: 'SELL',
    };
    const row = trade({
      ...settled,
      tradePrice: '0',
      notes: 'Ex',
      fifoPnlRealized: '2999',
    });
    expect(home.refusalOf(home.file('all.xml', query(row)))).toContain(
      '6: cost: is missing; tick Cost Basis in the section Trades of the query',
    );
  });

  test('undoes a cancelled sell by its type, too, if its side is that of the sell', () => {
    const made = ['SELL (Ca.)', 'SELL'].map((side) => {
      const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
      home.import(home.file('all.xml', query(...ROWS).replace('SELL (Ca.)', side)));
      return home.rows('SELECT symbol, side, status, quantity FROM trades ORDER BY id');
    });
    expect(made[1]).toEqual(made[0]);
  });

  test('becomes trades of executions', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const path = home.file('all.xml', query(...ROWS));
    const file = home.import(path, { timeZone: 'America/New_York' }).files[0];
    const shown =
      'SELECT symbol, market, side, status, executed_at, quantity, open_quantity, multiplier, gross_pnl, fees, fx_rate, account FROM trades ORDER BY symbol';
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME stock long closed 2026-03-02T14:31:00.000Z 100 0 1 100 5.1 0.5 U7654321',
      'BETA stock short open 2026-03-02T14:31:00.000Z 3 3 1 0 0 0.5 U7654321',
      'SPY 2026-06-19 C450 option long closed 2026-03-02T14:31:00.000Z 2 0 100 -300 0 0.5 U7654321',
      'XZY & CO 5% other long open 2026-03-02T14:31:00.000Z 2000 2000 0.01 0 0 0.5 U7654321',
    ]);
    expect(file?.platform).toMatchObject({
      other_fees: [{ currency: 'CHF', amount: 3 }],
      stated: [{ what: 'net', currency: 'USD', amount: 94.9 }],
    });
    expect(file?.skipped).toEqual(
      expect.arrayContaining([
        { reason: 'closed lot', count: 1 },
        { reason: 'order with executions in the file', count: 1 },
      ]),
    );
    expect(home.import(path, { timeZone: 'America/New_York' }).files[0]).toMatchObject({
      added: 0,
      changed: 0,
    });
  });

  test('imports orders if there are no executions', () => {
    const home = new ImportHome().withUser();
    const order = element('Order', {
      ...{ ...TRADE, levelOfDetail: 'ORDER', openCloseIndicator: '-' },
      ...{ quantity: '7', tradePrice: '3', buySell: 'BUY' },
    });
    expect(home.import(home.file('all.xml', query(order))).files[0]).toMatchObject({
      added: 1,
    });
  });

  test('detects fills from an activity statement', () => {
    const home = new ImportHome().withUser();
    const zone = { timeZone: 'America/New_York' };
    const statement = [
      'Account Information,Header,Field Name,Field Value',
      'Account Information,Data,Account,U7654321',
      'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,Proceeds,Comm/Fee,Code',
      'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 09:31:00",100,10,-1000,-1,O',
    ].join('\n');
    home.import(home.file('U7654321.csv', statement), zone);
    expect(home.refusalOf(home.file('all.xml', query(...ROWS)), zone)).toContain(
      'as ibkr-activity',
    );
  });

  test.each([
    ['quantity="100"', 'quantity="hundred"', '6: quantity: must be a number'],
    [
      'quantity="100"',
      'quantity="-100"',
      '6: quantity: must be above 0 for a BUY; got "-100"',
    ],
    ['buySell="BUY"', 'buySell="SWAP"', '6: buySell: must be one of BUY, SELL'],
    [
      'assetCategory="STK"',
      'assetCategory="SOCK"',
      '6: assetCategory: must be one of STK',
    ],
    [
      'dateTime="20260302;093100"',
      'dateTime="02/03/2026;093100"',
      '6: dateTime: must be a time with the year first',
    ],
    [
      'tradePrice="10"',
      'tradePrice=""',
      '6: tradePrice: is missing; tick Trade Price in the section Trades of the query',
    ],
    [
      '</FlexStatement></FlexStatements></FlexQueryResponse>',
      '',
      '1: FlexQueryResponse: is never closed',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('all.xml', query(...ROWS).replace(from, to))),
    ).toContain(message);
  });
});

// Real queries, if available next to the project.
describe('a query as CSV, of our own', () => {
  const TABLE = `"ClientAccountID","CurrencyPrimary","FXRateToBase","AssetClass","Symbol","UnderlyingSymbol","Multiplier","Strike","Expiry","Put/Call","DateTime","Quantity","TradePrice","TradeMoney","Taxes","IBCommission","IBCommissionCurrency","Open/CloseIndicator","Notes/Codes","FifoPnlRealized","Buy/Sell","TransactionID","IBExecID","LevelOfDetail"
"U1","USD","","STK","ACME","","1","","","","","","","","","","","","","","","","","ASSET_SUMMARY"
"U1","USD","0.9","STK","ACME","","1","","","","20261102;093000","10","50","500","0","-1","USD","O","","0","BUY","1","e1","EXECUTION"
"U1","USD","0.9","STK","ACME","","1","","","","20261103;093000","-10","55","-550","0","-1","USD","C","","48","SELL","2","e2","EXECUTION"
"U1","EUR","1","OPT","ACM P15","ACM","100","15","20261218","P","20261104;093000","-1","2","-200","0","-0.5","EUR","O","P","0","SELL","3","e3","EXECUTION"`;
  const RATES =
    '"Date/Time","FromCurrency","ToCurrency","Rate"\n"20261102","USD","EUR","0.9"';
  const MONTH = (_: string, month: string, day: string) =>
    `${day}-${month === '11' ? 'Nov' : 'DEC'}-26`;
  const list =
    'SELECT symbol, side, status, account, gross_pnl, fees, fx_rate FROM trades ORDER BY executed_at';

  test.each([
    ['one table', `${TABLE}\n`],
    [
      'tables that follow each other',
      `"MSG","Realized P/L is not ready."\n${TABLE}\n${RATES}\n`,
    ],
    [
      'marks between',
      `"BOF","U1","trades"\n"BOA","U1"\n"BOS","TRNT","Trades"\n${TABLE}\n"EOS","TRNT","4"\n"EOA","U1"\n"EOF","U1"\n`,
    ],
    [
      'marks before',
      `${TABLE.split('\n')
        .map((line, index) => `"${index === 0 ? 'HEADER' : 'DATA'}","TRNT",${line}`)
        .join('\n')}\n`,
    ],
    ['the day first', TABLE.replace(/2026(\d\d)(\d\d)/g, '$2/$1/2026')],
    [
      'months as words, and no quotation marks',
      TABLE.replace(/2026(\d\d)(\d\d)/g, MONTH).replaceAll('"', ''),
    ],
  ])('with %s', (_, text) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [file] = home.import(home.file('query.csv', text)).files;
    expect(file).toMatchObject({
      format: 'ibkr-flex',
      added: 2,
      skipped: [{ reason: 'total line', count: 1 }],
    });
    expect(file?.platform?.stated).toMatchObject([
      { what: 'net', amount: 48, difference: 0 },
    ]);
    expect(home.rows(list).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME long closed U1 50 2 0.9',
      'ACM 2026-12-18 P15 short open U1 0 0.5 ',
    ]);
  });

  test.each([
    [
      '"STK","ACME","","1","","","","20261102',
      '"NFT","ACME","","1","","","","20261102',
      '3: assetCategory: must be one of STK',
    ],
    [
      '"20261103;093000","-10"',
      '"20261103;093000","10"',
      '4: quantity: must be below 0 for a SELL; got "10"',
    ],
    ['"20261102;093000"', '""', '3: dateTime, tradeDate: are missing'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('query.csv', TABLE.replace(from, to)))).toContain(
      message,
    );
  });
});

const real = (number: string, trades: number) => {
  const name = `ibkr-flex/testIBFlexStatementFile${number}.xml`;
  return exportsWith(['ibkr-flex/without-trades.xml', 0], [name, trades]).slice(1);
};

test.each([
  ...exportsWith(['ibkr-flex/trades.xml', 4]),
  ...exportsWith(
    ['ibkr-flex/without-trades.xml', 0],
    ['ibkr-flex/testIBFlexStatementFile24.xml', 0],
  ),
  ...real('01', 3),
  ...real('02', 8),
  ...real('05', 2),
  ...real('06', 2),
  ...real('10', 2),
  ...real('20', 1),
  ...real('28', 1),
])('$label makes $holds trades', ({ path, holds: trades }) => {
  const home = new ImportHome().withUser();
  expect(home.import(path()).files[0]).toMatchObject({ added: trades });
});

test.each(exportsWith(['ibkr-flex/trades.xml', null]))(
  '$label: an expiry, a short, three currencies',
  ({ path }) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const { platform } = home.import(path()).files[0] ?? {};
    expect(
      platform?.money.toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
    ).toEqual([
      { currency: 'CAD', gross: 75, fees: 2.4, net: 72.6 },
      { currency: 'EUR', gross: 0, fees: 5.8, net: -5.8 },
      { currency: 'USD', gross: 621, fees: 3.9, net: 617.1 },
    ]);
    expect(platform?.stated.map(({ difference }) => difference)).toEqual([0, 0]);
  },
);

test('without prices, that of a purchase is its cost less the commission, by unit', () => {
  const home = new ImportHome().withUser();
  home.import(pathOf('made-up ibkr-flex/without-prices.xml'));
  expect(home.rows('SELECT side, quantity, entry_price, fees FROM trades')).toEqual([
    { side: 'long', quantity: 300, entry_price: 3.77, fees: 3 },
  ]);
});

test('without prices, that of a sale is unknown', () => {
  const home = new ImportHome().withUser();
  const sale = trade({
    quantity: '-10',
    cost: '-100',
    buySell: 'SELL',
    ibCommission: '-1',
  });
  expect(home.refusalOf(home.file('flex.xml', queryOf(sale)))).toContain(
    'tradePrice: is missing; tick Trade Price in the section Trades of the query',
  );
});

function queryOf(...elements: string[]): string {
  return `<FlexQueryResponse><FlexStatements><FlexStatement accountId="U1">${elements.join('\n')}</FlexStatement></FlexStatements></FlexQueryResponse>`;
}

const OPTION = {
  ...{
    assetCategory: 'OPT',
    symbol: 'ABC   260320P00050000',
    multiplier: '100',
    underlyingSymbol: 'ABC',
  },
  ...{ strike: '50', expiry: '20260320', putCall: 'P', ibCommission: '-1' },
};
const SOLD = {
  ...OPTION,
  buySell: 'SELL',
  quantity: '-1',
  tradePrice: '4.5',
  dateTime: '20260302;100000',
};
const BOUGHT = {
  ...OPTION,
  buySell: 'BUY',
  quantity: '1',
  tradePrice: '1',
  dateTime: '20260310;100000',
};
const BOOKED = {
  ...BOUGHT,
  transactionType: 'BookTrade',
  tradePrice: '0',
  ibCommission: '0',
};

describe('options without an indicator of open or close', () => {
  test.each<[string, Record<string, string>[], string[], number]>([
    ['sold, then bought back', [SOLD, BOUGHT], ['short closed 350 2 []'], 0],
    [
      'sold, then assigned',
      [SOLD, { ...BOOKED, notes: 'A' }],
      ['short closed 450 1 []'],
      0,
    ],
    ['sold, then gone without a code', [SOLD, BOOKED], ['short closed 450 1 []'], 0],
    ['sold', [SOLD], ['short open 0 1 ["unsure"]'], 0],
    ['gone, with its sale before the file', [BOOKED], [], 1],
  ])('%s', (_, rows, trades, unmatched) => {
    const home = new ImportHome().withUser();
    const report = home.import(home.file('flex.xml', queryOf(...rows.map(trade))));
    expect(
      home
        .rows('SELECT side, status, gross_pnl, fees, tags FROM trades')
        .map((row) => Object.values(row).join(' ')),
    ).toEqual(trades);
    expect(report.files[0]?.platform?.unmatched).toHaveLength(unmatched);
    expect(report.notices.filter(({ code }) => code === 'expired_open')).toEqual([]);
  });

  test('those on futures have their terms in the description', () => {
    const home = new ImportHome().withUser();
    const terms = {
      assetCategory: 'FOP',
      subCategory: 'C',
      symbol: 'XYUF6 C1290',
      description: 'EUR 09JAN26 1.29 C',
    };
    const own = {
      multiplier: '125000',
      expiry: '20260109',
      quantity: '1',
      tradePrice: '0.003',
      buySell: 'BUY',
    };
    home.import(home.file('flex.xml', queryOf(trade({ ...terms, ...own }))));
    expect(
      home.rows('SELECT symbol, strike, expiration, option_type, multiplier FROM trades'),
    ).toEqual([
      {
        symbol: 'EUR 2026-01-09 C1.29',
        strike: 1.29,
        expiration: '2026-01-09',
        option_type: 'call',
        multiplier: 125_000,
      },
    ]);
  });

  test.each([
    ['is named if the file lacks it', {}, 1],
    ['is that of the realised P&L', { fifoPnlRealized: '99', cost: '-101' }, 0],
  ])('the payout of one settled in cash %s', (_, parts, notes) => {
    const home = new ImportHome().withUser();
    const gone = {
      ...BOOKED,
      buySell: 'SELL',
      quantity: '-1',
      notes: 'Ex',
      dateTime: '20260320;162000',
      ...parts,
    };
    const event = {
      symbol: OPTION.symbol,
      transactionType: 'Cash Settlement',
      quantity: '0',
      date: '20260320',
    };
    home.import(
      home.file(
        'flex.xml',
        queryOf(trade(BOUGHT), trade(gone), element('OptionEAE', event)),
      ),
    );
    expect(
      home.notes.filter((note) => note.includes('settled in cash for an amount')),
    ).toHaveLength(notes);
    expect(home.rows('SELECT gross_pnl FROM trades')).toEqual([
      { gross_pnl: notes ? -100 : 100 },
    ]);
  });
});

describe('a query without', () => {
  const bought = {
    quantity: '10',
    tradePrice: '5',
    buySell: 'BUY',
    openCloseIndicator: 'O',
  };

  test.each<[string, string[], string, string[]]>([
    [
      'commissions has none stated, though it has taxes of 0',
      [trade(bought)],
      'the query lacks IB Commission:',
      ['ACME'],
    ],
    [
      'their currency counts them in that of the trade',
      [
        trade({ ...bought, ibCommission: '-1' }),
        trade({ ...bought, ibCommission: '-2', currency: 'EUR' }),
      ],
      'the query lacks IB Commission Currency:',
      [],
    ],
  ])('%s', (_, rows, note, withoutFees) => {
    const home = new ImportHome().withUser();
    const lacking = rows.map((row) => row.replace(/ ibCommissionCurrency="[^"]*"/, ''));
    const [file] = home.import(home.file('flex.xml', queryOf(...lacking))).files;
    expect(file?.notes.join()).toContain(note);
    expect(file?.platform?.without_fees).toEqual(withoutFees);
  });

  test('neither has no such note', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file('flex.xml', queryOf(trade({ ...bought, ibCommission: '-1' }))),
    ).files;
    expect(file?.notes.join()).not.toContain('the query lacks');
  });
});

test('an automatic currency conversion is no trade; one by hand is', () => {
  const home = new ImportHome().withUser();
  const forex = {
    assetCategory: 'CASH',
    symbol: 'EUR.USD',
    buySell: 'SELL',
    quantity: '-87.5',
    tradePrice: '1.15',
  };
  const [file] = home.import(
    home.file('flex.xml', queryOf(trade({ ...forex, notes: 'AFx' }), trade(forex))),
  ).files;
  expect(file?.rows).toEqual({ read: 2, used: 2, skipped: {} });
  expect(
    home.rows('SELECT kind, amount, currency FROM cash_flows ORDER BY amount'),
  ).toEqual([
    { kind: 'transfer', amount: -87.5, currency: 'EUR' },
    { kind: 'transfer', amount: 100.625, currency: 'USD' },
  ]);
  expect(home.rows('SELECT symbol, side, quantity FROM trades')).toEqual([
    { symbol: 'EUR.USD', side: 'short', quantity: 87.5 },
  ]);
});

describe('sections of a query as CSV', () => {
  const shown =
    'SELECT symbol, side, status, quantity, gross_pnl, fees FROM trades ORDER BY executed_at';
  const rowsOf = (home: ImportHome) =>
    home.rows(shown).map((row) => Object.values(row).join(' '));

  const TRADES = [
    'ClientAccountID',
    'CurrencyPrimary',
    'AssetClass',
    'Symbol',
    'DateTime',
    'Quantity',
    'TradePrice',
  ];
  const csv = (names: readonly string[], ...rows: readonly string[][]) =>
    [names, ...rows]
      .map((cells) => cells.map((cell) => `"${cell}"`).join(','))
      .join('\n');

  test.each<[string, string, string]>([
    [
      'a line that is cut off',
      csv(
        TRADES,
        ['U1', 'USD', 'STK', 'ABC', '2026-05-01;100000', '10', '5.00'],
        ['U1', 'USD', 'STK'],
      ),
      '3: has 3 cells, but the header has 7',
    ],
    [
      'two values of one name',
      csv(
        [...TRADES, 'CurrencyPrimary'],
        ['U1', 'USD', 'STK', 'ABC', '2026-05-01;100000', '10', '5.00', 'EUR'],
      ),
      '2: CurrencyPrimary: is there twice, with "USD" and "EUR"; keep one of the columns',
    ],
    [
      'a table without a currency, below another',
      csv(
        ['HEADER', 'CTRN', 'ClientAccountID', 'CurrencyPrimary', 'Amount'],
        ['HEADER', 'TRNT', ...TRADES.slice(2)],
        ['DATA', 'TRNT', 'STK', 'ABC', '2026-05-01;100000', '10', '5.00'],
      ),
      '3: currency: is missing; tick Currency in the section Trades of the query',
    ],
    [
      'a table of trades by their ISIN',
      csv(
        ['Buy/Sell', 'TradeDate', 'ISIN', 'Quantity', 'TradePrice', 'CurrencyPrimary'],
        ['BUY', '20260501', 'US0000000001', '10', '5.00', 'USD'],
      ),
      '2: assetCategory, symbol: are missing; tick Asset Class, Symbol in the section Trades of the query',
    ],
    [
      'cash without a date',
      csv(
        ['HEADER', 'CTRN', 'ClientAccountID', 'CurrencyPrimary', 'Amount', 'Type'],
        ['DATA', 'CTRN', 'U1', 'EUR', '29.45', 'Broker Interest Received'],
      ),
      '2: dateTime: is missing; tick Date/Time in the section Cash Transactions of the query',
    ],
  ])('%s is refused', (_, text, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('flex.csv', text))).toContain(message);
  });

  test('a table of positions is no table of trades, and neither is one of exercises', () => {
    const home = new ImportHome().withUser();
    const names = [
      'ClientAccountID',
      'CurrencyPrimary',
      'AssetClass',
      'Symbol',
      'Quantity',
    ];
    const positions = csv(
      [...names, 'MarkPrice'],
      ['U1', 'USD', 'STK', 'ABC', '10', '5.00'],
    );
    const exercises = csv(
      [...names, 'Date', 'TransactionType', 'TradePrice'],
      ['U1', 'USD', 'OPT', 'ABC', '1', '2026-05-01', 'Expiration', '0'],
    );
    const path = home.file('flex.csv', `${positions}\n${exercises}`);
    expect(() => home.import(path)).toThrow(
      '2 rows, because all were skipped: 2 row of another section',
    );
  });

  test.each<[string, string[], string[], string[]]>([
    ['lacks the side', TRADES, [], []],
    ['lacks account and side', TRADES.slice(1), [], []],
    ['has the side as one word', [...TRADES, 'BuySell'], ['BUY'], ['SELL']],
    ['has the side with a slash', [...TRADES, 'Buy/Sell'], ['BUY'], ['SELL']],
    ['has an empty side', [...TRADES, 'Buy/Sell'], [''], ['']],
  ])('a table that %s', (_, names, bought, sold) => {
    const home = new ImportHome().withUser();
    const rowOf = (time: string, quantity: string, price: string, side: string[]) =>
      ['U1', 'USD', 'STK', 'ABC', `2026-05-01;${time}`, quantity, price, ...side].slice(
        names[0] === 'ClientAccountID' ? 0 : 1,
      );
    const text = csv(
      names,
      rowOf('100000', '10', '5.00', bought),
      rowOf('110000', '-10', '6.00', sold),
    );
    const [file] = home.import(home.file('flex.csv', text)).files;
    expect(file).toMatchObject({ format: 'ibkr-flex', rows: { used: 2 } });
    expect(rowsOf(home)).toEqual(['ABC long closed 10 10 0']);
  });

  test('an execution that closes and opens is two fills, and a split of an option keeps its position', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(pathOf('made-up ibkr-flex/sections.csv'), {
      timeZone: 'America/New_York',
    }).files;
    expect(rowsOf(home)).toEqual([
      'ACME 2026-01-16 P50 short closed 2 -200 2',
      'ACME 2026-01-16 P10 long closed 15 300 3.5',
      'GAMA long closed 100 100 1',
    ]);
    expect(file?.skipped).toEqual([
      { reason: 'line of the statement of funds', count: 1 },
    ]);
    const [net] = file?.platform?.stated ?? [];
    expect(net).toMatchObject({ what: 'net', amount: 344.5, difference: -151 });
    expect(net?.by_symbol.find(({ symbol }) => symbol === 'GAMA')).toMatchObject({
      difference: -151,
      reason: 'option_premium',
    });
  });

  test('the halves keep their ids in another order, and in a file without either', () => {
    const home = new ImportHome().withUser();
    const text = readFileSync(pathOf('made-up ibkr-flex/sections.csv'), 'utf8');
    const lines = text.split('\n');
    const [close = '', open = ''] = lines.filter((line) =>
      line.includes('0000b.2.01.01'),
    );
    home.import(home.file('one.csv', text), { timeZone: 'America/New_York' });
    const before = rowsOf(home);
    const turned = text.replace(`${close}\n${open}`, `${open}\n${close}`);
    expect(
      home.import(home.file('two.csv', turned), { timeZone: 'America/New_York' })
        .files[0],
    ).toMatchObject({
      added: 0,
      changed: 0,
    });
    expect(rowsOf(home)).toEqual(before);
  });

  test('prices missing beside proceeds are found for options without a multiplier, too', () => {
    const home = new ImportHome().withUser();
    const own = {
      assetCategory: 'OPT',
      symbol: 'SPY   260619C00450000',
      multiplier: '',
      openCloseIndicator: '',
    };
    const bought = trade({
      ...own,
      quantity: '2',
      buySell: 'BUY',
      proceeds: '-300',
      ibCommission: '-1',
    });
    const later = { dateTime: '20260303;100000', ibCommission: '-1' };
    const sold = trade({
      ...own,
      ...later,
      quantity: '-2',
      buySell: 'SELL',
      proceeds: '400',
    });
    const short = trade({ ...later, quantity: '-5', buySell: 'SELL', tradePrice: '9' });
    const [file] = home.import(
      home.file(
        'all.xml',
        query(bought, sold, short).replaceAll(/<CorporateAction .*/g, ''),
      ),
    ).files;
    expect(rowsOf(home)).toEqual(['SPY 2026-06-19 C450 long closed 2 100 2']);
    expect(file?.notes).toContainEqual(
      expect.stringContaining('may be a short, but stays unmatched'),
    );
  });

  test.each(
    exportsWith<unknown>(
      ['ibkr-flex/sections.csv', { closed: 3, open: 0 }],
      ['ibkr-flex-csv/options_short_two_closes_surplus_open.csv', { closed: 1, open: 1 }],
    ),
  )('$label keeps both halves', ({ path, holds }) => {
    const home = new ImportHome().withUser();
    expect(home.import(path()).files[0]?.platform?.trades).toMatchObject(holds as object);
  });

  test.each(
    exportsWith<number>(
      ['ibkr-flex/sections.csv', -151],
      ['ibkr-flex-csv/options_long_split.csv', 0],
    ),
  )('$label has the P&L of its options', ({ path, holds }) => {
    const home = new ImportHome().withUser();
    expect(home.import(path()).files[0]?.platform?.stated[0]?.difference).toBe(holds);
  });
});
