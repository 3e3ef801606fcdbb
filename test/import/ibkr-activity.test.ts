/** Interactive Brokers' Activity Statement: three levels of one event, of which one is imported. */
import { describe, expect, test } from 'vitest';
import { allExports, exportsWith, pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

const HEAD =
  'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code';

const STATEMENT = [
  'Statement,Header,Field Name,Field Value',
  'Statement,Data,BrokerName,Interactive Brokers',
  'Account Information,Header,Field Name,Field Value',
  'Account Information,Data,Account,U7654321',
  HEAD,
  // Two executions of an order, and a sell of all of it.
  'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 09:31:00","1,200",10,10,-12000,-3,12003,0,0,O',
  'Trades,Data,Trade,Stocks,USD,ACME,"2026-03-02, 09:31:00","1,000",10,10,-10000,-2.5,10002.5,0,0,O;P',
  'Trades,Data,Trade,Stocks,USD,ACME,"2026-03-02, 09:31:00",200,10,10,-2000,-0.5,2000.5,0,0,O;P',
  'Trades,Data,Order,Stocks,USD,ACME,"2026-03-02, 10:00:00","-1,200",10.5,10,12600,-3,-12003,594,0,C',
  'Trades,Data,ClosedLot,Stocks,USD,ACME,2026-03-02,1200,10.0025,,,,12003,594,,ST',
  'Trades,SubTotal,,Stocks,USD,ACME,,0,,,600,-6,0,594,0,',
  // A trade cancelled on the next day.
  'Trades,Data,Order,Stocks - Held with Interactive Brokers (U.K.) Limited carried by Interactive Brokers LLC,USD,BETA,"2026-03-02, 11:00:00",5,7,7,-35,-1,36,0,0,O',
  'Trades,Data,Order,Stocks,USD,BETA,"2026-03-02, 11:00:00",-5,7,7,35,1,-36,0,0,Ca;O',
  // A short reversed to a long by one order.
  'Trades,Data,Order,Stocks,USD,GAMA,"2026-03-02, 11:30:00",-10,20,20,200,-1,-199,0,0,O',
  'Trades,Data,Order,Stocks,USD,GAMA,"2026-03-03, 11:30:00",15,19,19,-285,-1.5,284,8,0,C;O',
  'Trades,Data,ClosedLot,Stocks,USD,GAMA,2026-03-02,-10,19.9,,,,-199,8,,ST',
  HEAD,
  'Trades,Data,Order,Equity and Index Options,USD,SPY 19JUN26 450 C,"2026-03-02, 12:00:00",-2,1.5,1.5,300,-2,-298,0,0,O',
  'Trades,Data,Order,Equity and Index Options,USD,SPY 19JUN26 450 C,"2026-06-19, 16:20:00",2,0,0,0,0,298,298,0,C;Ep',
  'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Notional Value,Comm/Fee,Basis,Realized P/L,MTM P/L,Code',
  'Trades,Data,Order,Futures,EUR,FDXM MAR 26,"2026-03-04, 09:00:00",1,20000,20010,100000,-2,100002,0,0,O',
  'Trades,Data,Order,Futures,EUR,FDXM MAR 26,"2026-03-04, 09:05:00",-1,20010,20010,-100050,-2,-100002,46,0,C',
  'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,,Proceeds,Comm in EUR,,,MTM in EUR,Code',
  'Trades,Data,Order,Forex,USD,EUR.USD,"2026-03-05, 09:00:00","-1,000",1.1,,1100,-1.8,,,0.2,',
  'Trades,Total,,Forex,USD,,,,,,1100,-1.8,,,0.2,',
  'Corporate Actions,Header,Asset Category,Currency,Report Date,Date/Time,Description,Quantity,Proceeds,Value,Realized P/L,Code',
  'Corporate Actions,Data,Stocks,USD,2026-04-02,"2026-04-01, 20:25:00","GAMA(US0000000001) Split 4 for 1 (GAMA, GAMA INC, US0000000001)",15,0,0,0,',
  'Corporate Actions,Data,Stocks,USD,2026-05-02,"2026-05-01, 20:25:00","GAMA(US0000000001) CUSIP/ISIN Change to (US0000000002) (DLTA, DELTA INC (NEW), US0000000002)",20,0,0,0,',
  'Corporate Actions,Data,Total,,,,,,0,0,0,',
  'Dividends,Header,Currency,Date,Description,Amount',
  'Dividends,Data,USD,2026-03-15,ACME Cash Dividend,3',
].join('\r\n');

function read(home: ImportHome, text = STATEMENT) {
  return home.import(home.file('U7654321.csv', text), { timeZone: 'America/New_York' })
    .files[0];
}

describe('a statement of our own', () => {
  test('an automatic conversion is no trade', () => {
    const home = new ImportHome().withUser();
    const file = read(
      home,
      STATEMENT.replace(
        '1100,-1.8,,,0.2,\r\nTrades,Total',
        '1100,-1.8,,,0.2,AFx\r\nTrades,Total',
      ),
    );
    expect(file?.cash_flows.added).toBe(4);
    expect(
      home.rows(
        "SELECT kind, amount, currency FROM cash_flows WHERE description LIKE 'conversion%' ORDER BY kind, amount",
      ),
    ).toEqual([
      { kind: 'fee', amount: -1.8, currency: 'EUR' },
      { kind: 'transfer', amount: -1000, currency: 'EUR' },
      { kind: 'transfer', amount: 1100, currency: 'USD' },
    ]);
    expect(home.rows("SELECT 1 FROM trades WHERE market = 'forex'")).toEqual([]);
  });

  test('an option on a future has its terms in the list of instruments', () => {
    const home = new ImportHome().withUser();
    const sold =
      'Trades,Data,Order,Options On Futures,USD,4SFV6 C1265,"2026-03-02, 12:00:00",-1,0.01,0.01,1250,-2,-1248,0,0,O';
    const listed = [
      'Financial Instrument Information,Header,Asset Category,Symbol,Description,Conid,Underlying,Multiplier,Expiry,Type,Strike,Code',
      'Financial Instrument Information,Data,Options On Futures,4SFV6 C1265,CHF 23OCT26 1.265 C,1,6SZ6,"125,000",2026-10-23,C,1.265,',
    ];
    read(
      home,
      [STATEMENT.split('\r\n').slice(0, 5).join('\r\n'), sold, ...listed].join('\r\n'),
    );
    expect(home.rows('SELECT symbol, side, multiplier, strike FROM trades')).toEqual([
      {
        symbol: 'CHF 2026-10-23 C1.265',
        side: 'short',
        multiplier: 125_000,
        strike: 1.265,
      },
    ]);
  });

  test('becomes trades from executions, or from orders without executions', () => {
    const home = new ImportHome().withUser();
    expect(read(home)).toMatchObject({ format: 'ibkr-activity', added: 6 });
    const shown =
      'SELECT symbol, market, side, status, executed_at, quantity, open_quantity, multiplier, gross_pnl, fees, account FROM trades ORDER BY executed_at';
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME stock long closed 2026-03-02T14:31:00.000Z 1200 0 1 600 6 U7654321',
      'GAMA stock short closed 2026-03-02T16:30:00.000Z 10 0 1 10 2 U7654321',
      'SPY 2026-06-19 C450 option short closed 2026-03-02T17:00:00.000Z 2 0 100 300 2 U7654321',
      'DLTA stock long open 2026-03-03T16:30:00.000Z 20 20 1 0 0.5 U7654321',
      'FDXM MAR 26 future long closed 2026-03-04T14:00:00.000Z 1 0 5 50 4 U7654321',
      'EUR.USD forex short open 2026-03-05T14:00:00.000Z 1000 1000 1 0 0 U7654321',
    ]);
    expect(
      home.rows(
        "SELECT underlying, expiration, strike FROM trades WHERE market = 'option'",
      ),
    ).toEqual([{ underlying: 'SPY', expiration: '2026-06-19', strike: 450 }]);
  });

  test('a cancelled corporate action changes nothing, and both its rows are counted', () => {
    const split = (quantity: number, code: string) =>
      `Corporate Actions,Data,Stocks,USD,2026-06-02,"2026-06-01, 20:25:00","DLTA(US0000000002) Split 2 for 1 (DLTA, DELTA INC (NEW), US0000000002)",${quantity},0,0,0,${code}`;
    const text = STATEMENT.replace(
      /(?=\r\nDividends,Header)/,
      `\r\n${split(20, '')}\r\n${split(-20, 'Ca')}`,
    );
    const [own, other] = [STATEMENT, text].map((each) => {
      const home = new ImportHome().withUser();
      return {
        file: read(home, each),
        open: home.rows("SELECT open_quantity FROM trades WHERE symbol = 'DLTA'"),
      };
    });
    expect(other?.open).toEqual(own?.open);
    expect(other?.file?.skipped).toContainEqual({
      reason: 'cancelled corporate action',
      count: 2,
    });
    expect(other?.file?.rows.read).toBe(Number(own?.file?.rows.read) + 2);
  });

  test('reports skipped rows, and fees in another currency', () => {
    const home = new ImportHome().withUser();
    const file = read(home);
    expect(file?.platform?.other_fees).toEqual([{ currency: 'EUR', amount: 1.8 }]);
    expect(file?.platform?.stated).toContainEqual(
      expect.objectContaining({ what: 'net', currency: 'EUR', difference: 0 }),
    );
    expect(file?.skipped).toEqual(
      expect.arrayContaining([
        { reason: 'closed lot', count: 2 },
        { reason: 'row of section "Account Information"', count: 1 },
        { reason: 'order with executions in the file', count: 1 },
      ]),
    );
    expect(read(home)).toMatchObject({ added: 0, changed: 0 });
  });

  test('semicolons between the cells, as from a spreadsheet', () => {
    const [own, saved] = [new ImportHome().withUser(), new ImportHome().withUser()];
    own.import(own.file('statement.csv', STATEMENT));
    const quoted = STATEMENT.replace(/,(\w+;\w+)$/gm, ',"$1"');
    const text = quoted.replace(/"[^"]*"|,/g, (part) => (part === ',' ? ';' : part));
    saved.import(saved.file('statement.csv', text));
    expect(saved.contents()).toEqual(own.contents());
  });

  test.each([
    [
      '"2026-03-02, 10:00:00"',
      '"2026-13-02, 10:00:00"',
      '9: Date/Time: must be a time with the year first',
    ],
    [
      '"2026-03-02, 10:00:00"',
      '"2126-03-02, 10:00:00"',
      '9: Date/Time: must be a time in this century',
    ],
    ['298,298,0,C;Ep', '298,298,0,C,Ep', '19: has 17 cells, but the header has 16'],
    [',-2,1.5,1.5,', ',-2,nan,1.5,', '18: T. Price: is missing'],
    ['-1,200', '-1.200,5', '9: Quantity: must be a number'],
    [
      '"1,200"',
      '"1,300"',
      '6: Proceeds: must be the quantity times the price; got "-12000"',
    ],
    [
      ',200,10,10,-2000',
      ',100,10,10,-1000',
      '6: Quantity: must be 1100, the total of the executions below; got "1,200"',
    ],
    [
      'Stocks,USD,ACME,2026-03-02,1200',
      'Stocks,USD,ACNE,2026-03-02,1200',
      '10: Symbol: must be "ACME"',
    ],
    [
      'ACME,2026-03-02,1200',
      'ACME,2026-03-02,-1200',
      '10: Quantity: closed lots must be on the opposite side of the trade on line 9',
    ],
    ['ACME,2026-03-02,1200', 'ACME,2026-03-32,1200', '10: Date/Time: must be a date'],
    [
      'Data,Order,Futures',
      'Data,Order,Fruits',
      '21: Asset Category: must be one of Stocks',
    ],
    [
      'Data,Order,Futures',
      'Data,Basket,Futures',
      '21: DataDiscriminator: must be one of Order, Trade',
    ],
    [
      'SPY 19JUN26 450 C',
      'SPY 19JUM26 450 C',
      '18: Symbol: must be an option, such as SPY 19JUN26 450 C',
    ],
    [
      'Symbol,Date/Time,Quantity,T. Price',
      'Ticker,Date/Time,Size,T. Price',
      '5: Symbol, Quantity: are missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('u.csv', STATEMENT.replace(from, to)))).toContain(
      message,
    );
  });

  test.each([
    [
      'German',
      'Kontoinformation,Data,Account,U1',
      'Transaktionen,Header,DataDiscriminator,Anlagekategorie,Währung,Symbol,Datum/Zeit,Menge,T.-Kurs,Schlusskurs,Erlös,Provision/Gebühr,Basis,Realisierter G/V,MTM G/V,Code',
      'Transaktionen,Data,Order,Aktien,USD,A,"2026-03-02, 10:00:00",20,12,12,-240,-1,241,0,0,O',
      'Transaktionen,Data,Order,Aktien- und Indexoptionen,USD,SPY 19JUN26 450 C,"2026-03-02, 11:00:00",1,2,2,-200,-1,201,0,0,O',
    ],
    [
      'French, of several accounts',
      'Informations,Data,Devise,EUR',
      "Transactions,Header,DataDiscriminator,Catégorie d'actifs,Devise,Compte,Symbole,Date/Heure,Quantité,Prix trans.,Cours de clôt.,Produit,Comm/Tarif,Base,P/L réalisé,P/L MTM,Code",
      'Transactions,Data,Order,Actions,USD,U1,A,"2026-03-02, 10:00:00",20,12,12,-240,-1,241,0,0,O',
      // An unknown word, with a symbol that shows the category.
      'Transactions,Data,Order,Options,USD,U1,SPY 19JUN26 450 C,"2026-03-02, 11:00:00",1,2,2,-200,-1,201,0,0,O',
    ],
    [
      'Chinese, with exchanges and percentages',
      '账户信息,Data,账户,U1',
      '交易,Header,DataDiscriminator,资产分类,货币,代码,日期/时间,交易所,数量,交易价格,收盘价格,收益,佣金/税,基础,已实现的损益,已实现的损益 %,按市值计算的损益,代码',
      '交易,Data,Order,股票,USD,A,"2026-03-02, 10:00:00",-,20,12,12,-240,-1,241,0,0,0,O',
      '交易,Data,Order,股票和指数期权,USD,SPY 19JUN26 450 C,"2026-03-02, 11:00:00",-,1,2,2,-200,-1,201,0,0,0,O',
    ],
  ])('in %s is read like an English one', (_, account, ...lines) => {
    const home = new ImportHome().withUser();
    const text = [
      'Statement,Data,BrokerName,Interactive Brokers',
      account,
      ...lines,
    ].join('\n');
    expect(home.import(home.file('u.csv', text)).files[0]).toMatchObject({
      format: 'ibkr-activity',
      added: 2,
    });
    const shown = home.rows(
      'SELECT symbol, market, account, quantity, multiplier, fees FROM trades ORDER BY symbol',
    );
    expect(shown.map((row) => Object.values(row).join(' '))).toEqual([
      'A stock U1 20 1 1',
      'SPY 2026-06-19 C450 option U1 1 100 1',
    ]);
    const more = text.replace(/,(Code|代码)$/m, ',More,$1');
    expect(home.refusalOf(home.file('u.csv', more))).toContain('3: unknown columns');
    expect(
      home.refusalOf(
        home.file('u.csv', text.replace(/(Aktien|Actions|股票),/, 'Coins,')),
      ),
    ).toContain('4: Asset Category: must be one of Stocks');
  });

  test.each([
    [
      '2026-03-31, 05:54:54 EDT',
      undefined,
      '2026-03-02T14:31:00.000Z',
      'since the statement was created in EDT',
    ],
    [
      '2026-03-31, 05:54:54 EDT',
      'Europe/Berlin',
      '2026-03-02T08:31:00.000Z',
      'using Europe/Berlin',
    ],
    [
      '2026-03-31, 05:54:54 CET',
      undefined,
      '2026-03-02T00:31:00.000Z',
      'the default of Interactive Brokers is New York time',
    ],
  ])('made at %s, and read in zone %s', (made, timeZone, first, note) => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const text = STATEMENT.replace(
      'Account Information,Header',
      `Statement,Data,WhenGenerated,"${made}"\n$&`,
    );
    home.import(home.file('u.csv', text), { timeZone });
    expect(home.rows('SELECT min(executed_at) AS first FROM fills')).toEqual([{ first }]);
    expect(home.notes.join()).toContain(note);
  });

  test('corporate actions in another language are applied if their words are known, else named', () => {
    const home = new ImportHome().withUser();
    const head =
      'Сделки,Header,DataDiscriminator,Класс актива,Валюта,Символ,Дата/Время,Количество,Цена транзакции,Цена закрытия,Выручка,Комиссия/плата,Базис,Реализованная П/У,Рыноч. переоценка П/У,Код';
    const action = (text: string, quantity: number) =>
      `Корпоративные действия,Data,Акции,USD,2026-04-02,"2026-04-01, 20:25:00","${text}",${quantity},0,0,0,`;
    const text = [
      head,
      'Сделки,Data,Order,Акции,USD,GAMA,"2026-03-02, 11:30:00",10,20,20,-200,-1,201,0,0,O',
      'Корпоративные действия,Header,Класс актива,Валюта,Дата отчета,Дата/Время,Описание,Количество,Выручка,Стоимость,П/У,Код',
      action('GAMA(US0000000001) Сплит 4 за 1 (GAMA, GAMA INC, US0000000001)', 30),
      action('OLD(US000) Слияние (NEW, NEW CORP, US111)', 5),
    ].join('\n');
    home.import(home.file('u.csv', text));
    expect(home.rows('SELECT open_quantity FROM trades')).toEqual([
      { open_quantity: 40 },
    ]);
    expect(home.notes.join()).toContain(
      "because the rows don't state the reason: OLD on line 5",
    );
  });

  test('each line in the first cell, as from a spreadsheet that expects semicolons', () => {
    const [own, saved] = [new ImportHome().withUser(), new ImportHome().withUser()];
    own.import(own.file('statement.csv', STATEMENT));
    const lines = STATEMENT.split('\r\n').map((line) =>
      line.includes('"') ? `"${line.replaceAll('"', '""')}"` : line,
    );
    saved.import(
      saved.file('statement.csv', lines.map((line) => `${line};;;`).join('\n')),
    );
    expect(saved.contents()).toEqual(own.contents());
  });

  test.each([
    ['in a list of codes', 'Codes,Data,HC,Tax basis "Highest Cost" (HC)'],
    ['opened and never closed', 'Notes,Data,"a quotation mark that is left open'],
    ['opened, and closed below the trades', 'Notes,Data,"left open'],
  ])('quotation marks outside the sections that are read: %s', (name, line) => {
    const [own, marked] = [new ImportHome().withUser(), new ImportHome().withUser()];
    own.import(own.file('statement.csv', STATEMENT));
    const text = STATEMENT.replace(HEAD, `${line}\r\n${HEAD}`);
    marked.import(
      marked.file(
        'statement.csv',
        name.includes('below') ? `${text}\r\nNotes,Data,closed"\r\n` : text,
      ),
    );
    const lines = (home: ImportHome) =>
      home.contents().map((rows) => rows.map((row) => row.replace(/"line":\d+,?/, '')));
    expect(lines(marked)).toEqual(lines(own));
    expect(own.rows('SELECT count(*) AS fills FROM fills')).not.toEqual([{ fills: 0 }]);
  });

  test('an extra quotation mark in a line of the trades is rejected', () => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(
        home.file('u.csv', STATEMENT.replace('SPY 19JUN26 450 C', 'SPY "19JUN26" 450 C')),
      ),
    ).toContain('18: not valid CSV');
  });

  test('with the discriminator beyond the part used for recognition', () => {
    const home = new ImportHome().withUser();
    const cash = Array.from(
      { length: 400 },
      (_, day) => `Cash-Bericht,Data,Anfangsbarsaldo,EUR,${day},0`,
    );
    const text = [
      'Statement,Header,Feldname,Feldwert',
      ...cash,
      'Offene Positionen,Header,DataDiscriminator,Kategorie,Währung,Symbol,Menge,Multipl.',
      'Offene Positionen,Data,Summary,Aktien,EUR,OLD,10,1',
      'Transaktionen,Header,DataDiscriminator,Kategorie,Währung,Symbol,Datum/Zeit,Menge,T.-Kurs,Schlusskurs,Erlös,Provision/Gebühr,Basis,Realisierter G/V,MTM G/V,Code',
      'Transaktionen,Data,Order,Aktien,USD,A,"2026-03-02, 10:00:00",20,12,12,-240,-1,241,0,0,O',
    ].join('\n');
    expect(home.import(home.file('u.csv', text)).files[0]).toMatchObject({
      format: 'ibkr-activity',
      added: 1,
    });
  });

  test.each([
    ['exercised', 1, 20, -1, '-2001', '2999', 'C;Ex', 2999],
    ['assigned', -1, 20, 1, '1999', '-3001', 'A;C', -3001],
  ])(
    'an index option %s in cash has the P&L of its row',
    (_, units, price, closes, basis, profit, code, net) => {
      const home = new ImportHome().withUser();
      const row = (cells: string) =>
        `Trades,Data,Order,Equity and Index Options,USD,SPX 19JUN26 5000 C,${cells}`;
      const text = [
        HEAD,
        row(
          `"2026-03-02, 10:00:00",${units},${price},20,${-units * price * 100},-1,${units * price * 100 + 1},0,0,O`,
        ),
        row(`"2026-06-19, 16:20:00",${closes},0,0,0,0,${basis},${profit},0,${code}`),
      ].join('\n');
      const [file] = home.import(home.file('u.csv', text)).files;
      expect(
        home.rows('SELECT round(gross_pnl - fees, 6) AS net, exit_price FROM trades'),
      ).toEqual([{ net, exit_price: 50 }]);
      expect(file?.platform?.stated).toMatchObject([{ amount: net, difference: 0 }]);
    },
  );

  const TURN = '"2026-03-03, 10:00:00",-15,11,11,165,-1,-164,9,0,C;O';
  test.each([
    [
      'units of the file',
      0,
      ['"2026-03-02, 10:00:00",10,10,10,-100,-1,101,0,0,O'],
      ['long 10 0', 'short 5 5'],
      0,
    ],
    ['units held before the file', 15, [], [], 15],
    [
      'units of both, all older ones closed by then',
      4,
      [
        '"2026-03-01, 10:00:00",-4,10,10,40,-1,-41,3,0,C',
        '"2026-03-02, 10:00:00",10,10,10,-100,-1,101,0,0,O',
      ],
      ['long 10 0', 'short 5 5'],
      4,
    ],
    [
      'units of both',
      4,
      ['"2026-03-02, 10:00:00",6,10,10,-60,-1,61,0,0,O'],
      ['long 6 0'],
      9,
    ],
    ['units in no file', undefined, [], [], 15],
  ])('an order that closes and opens closes %s', (_, held, before, trades, unmatched) => {
    const home = new ImportHome().withUser();
    const row = (cells: string) => `Trades,Data,Order,Stocks,USD,ACME,${cells}`;
    const text = [
      'Mark-to-Market Performance Summary,Header,Asset Category,Symbol,Prior Quantity,Current Quantity,Prior Price,Current Price,Position,Transaction,Commissions,Other,Total,Code',
      'Mark-to-Market Performance Summary,Data,Stocks,OTHER,0,0,--,--,0,0,0,0,0,',
      ...(held === undefined
        ? []
        : [
            `Mark-to-Market Performance Summary,Data,Stocks,ACME,${held},-5,9.0000,11.0000,0,0,0,0,0,`,
          ]),
      HEAD,
      ...[...before, TURN].map(row),
    ].join('\n');
    const [file] = home.import(home.file('u.csv', text), {
      format: 'ibkr-activity',
    }).files;
    const shown = home.rows(
      'SELECT side, quantity, open_quantity FROM trades ORDER BY executed_at, side',
    );
    expect(shown.map((trade) => Object.values(trade).join(' '))).toEqual(trades);
    expect(
      file?.platform?.unmatched.reduce((sum, { quantity }) => sum + Number(quantity), 0),
    ).toBe(unmatched);
  });

  test('all executions of an order that closes and opens have its codes', () => {
    const home = new ImportHome().withUser();
    const row = (level: string, cells: string) =>
      `Trades,Data,${level},Stocks,USD,ACME,${cells}`;
    const text = [
      HEAD,
      row('Order', '"2026-03-02, 10:00:00",5,10,10,-50,-1,51,0,0,O'),
      row('Order', '"2026-03-03, 10:00:00",-18,11,11,198,-3,-195,9,0,C;O'),
      row('Trade', '"2026-03-03, 10:00:00",-5,11,11,55,-1,-54,3,0,C;O'),
      row('Trade', '"2026-03-03, 10:00:01",-6,11,11,66,-1,-65,0,0,C;O'),
      row('Trade', '"2026-03-03, 10:00:02",-7,11,11,77,-1,-76,0,0,C;O'),
    ].join('\n');
    const [file] = home.import(home.file('u.csv', text), {
      format: 'ibkr-activity',
    }).files;
    const shown = home.rows(
      'SELECT side, quantity, open_quantity FROM trades ORDER BY executed_at',
    );
    expect(shown.map((trade) => Object.values(trade).join(' '))).toEqual([
      'long 5 0',
      'short 13 13',
    ]);
    expect(file?.platform?.unmatched).toEqual([]);
  });

  test('bonds are counted in percent, with any stated multiplier', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Financial Instrument Information,Header,Asset Category,Symbol,Description,Conid,Security ID,Multiplier',
      'Financial Instrument Information,Data,Bonds,XS1,BOND,1,XS1,1',
      HEAD,
      'Trades,Data,Order,Bonds,USD,XS1,"2026-03-02, 10:00:00",60000,96.8,96.8,-58080,-30,58110,0,0,O',
      'Trades,Data,Order,Bonds,USD,XS1,"2026-03-03, 10:00:00",-60000,97.8,96.8,58680,-30,-58110,540,0,C',
    ].join('\n');
    const [file] = home.import(
      home.file('u.csv', `Statement,Data,BrokerName,x\n${text}`),
    ).files;
    expect(file?.platform?.stated).toMatchObject([{ amount: 540, difference: 0 }]);
  });

  test('corporate actions: cancelled, of shorts, and without a fill', () => {
    const home = new ImportHome().withUser();
    const action = (text: string, quantity: number, code = '') =>
      `Corporate Actions,Data,Stocks,USD,2026-04-02,"2026-04-01, 20:25:00","${text}",${quantity},0,0,0,${code}`;
    const split = 'GAMA(US0000000001) Split 4 for 1 (GAMA, GAMA INC, US0000000001)';
    const text = [
      HEAD,
      'Trades,Data,Order,Stocks,USD,GAMA,"2026-03-02, 11:30:00",-10,20,20,200,-1,-199,0,0,O',
      'Corporate Actions,Header,Asset Category,Currency,Report Date,Date/Time,Description,Quantity,Proceeds,Value,Realized P/L,Code',
      action(split, -30),
      action(split, 30, 'Ca'),
      action(split, -30),
      action('PARN(US0000000777) Spinoff 1 for 5 (SPNC, SPINCO CORP, US0000000778)', 10),
      'Transfers,Header,Asset Category,Currency,Symbol,Date,Type,Direction,Xfer Company,Xfer Account,Qty,Xfer Price',
      'Transfers,Data,Stocks,USD,ORCL,2026-04-02,FOP,In,--,9,4,--',
    ].join('\n');
    home.import(home.file('u.csv', text));
    expect(home.rows('SELECT open_quantity FROM trades')).toEqual([
      { open_quantity: 40 },
    ]);
    expect(home.notes.join()).toContain(
      "because the rows don't state the reason: PARN on line 7, ORCL on line 9",
    );
  });

  test.each([
    ['', [], 'closed'],
    [' that is taken back', ['10,-210'], 'open'],
  ])('a merger for cash%s', (_, more, status) => {
    const home = new ImportHome().withUser();
    const merger =
      'GAMA(US0000000001) Merged(Acquisition) for USD 21.00 per Share (GAMA, GAMA INC, US0000000001)';
    const action = (units: string, code: string) =>
      `Corporate Actions,Data,Stocks,USD,2026-04-02,"2026-04-01, 20:25:00","${merger}",${units},0,0,${code}`;
    const text = [
      HEAD,
      'Trades,Data,Order,Stocks,USD,GAMA,"2026-03-02, 11:30:00",10,20,20,-200,-1,201,0,0,O',
      'Corporate Actions,Header,Asset Category,Currency,Report Date,Date/Time,Description,Quantity,Proceeds,Value,Realized P/L,Code',
      action('-10,210', ''),
      ...more.map((units) => action(units, 'Ca')),
    ].join('\n');
    home.import(home.file('u.csv', text));
    expect(home.rows('SELECT status FROM trades')).toEqual([{ status }]);
  });

  test('a lot without a trade is rejected', () => {
    const home = new ImportHome().withUser();
    const lot = `${HEAD}\nTrades,Data,ClosedLot,Stocks,USD,ACME,2026-03-02,1200,10,,,,12003,594,,ST`;
    expect(home.refusalOf(home.file('u.csv', lot))).toContain(
      '2: DataDiscriminator: closed lot without a trade',
    );
  });
});

describe('a transaction history', () => {
  const HISTORY = [
    'Statement,Header,Field Name,Field Value',
    'Statement,Data,Title,Transaction History',
    'Summary,Data,Base Currency,CAD',
    'Transaction History,Header,Date,Account,Description,Transaction Type,Symbol,Quantity,Price,Price Currency,Gross Amount ,Commission,Net Amount',
    'Transaction History,Data,2026-03-03,U***1,SOME CO,Sell,ZZZ,-10.0,110.0,USD,1540.0,-1.4,1538.6',
    'Transaction History,Data,2026-03-02,U***1,SOME CO,Buy,ZZZ,10.0,100.0,USD,-1400.0,-1.4,-1401.4',
    'Transaction History,Data,2026-03-02,U***1,OPT,Sell,QQQ   260320P00500000,-2.0,1.5,USD,420.0,-2.8,417.2',
    'Transaction History,Data,2026-03-02,U***1,BOND,Buy,XS1,1000.0,99.0,CAD,-990.0,-,-990.0',
    'Transaction History,Data,2026-03-02,U***1,US BOND,Buy,T 4 09/15/26,1000.0,98.0,USD,-1372.0,-,-1372.0',
    'Transaction History,Data,2026-03-02,U***1,UBSG 21DEC29 28 C,Buy,C UBSE 20291221 28 M,1.0,14.5,CAD,-1450.0,-,-1450.0',
    'Transaction History,Data,2026-03-01,U***1,FX Translations P&L,Adjustment,-,-,-,-,-5.01,-,-5.01',
  ].join('\n');

  test('has days, and prices in the base currency', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'CAD' });
    expect(home.import(home.file('t.csv', HISTORY)).files[0]).toMatchObject({
      format: 'ibkr-transactions',
      added: 5,
    });
    const shown =
      'SELECT symbol, side, status, quantity, multiplier, currency, gross_pnl, fees, fx_rate FROM trades ORDER BY symbol';
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'QQQ 2026-03-20 P500 short open 2 100 USD 0 2 1.4',
      'T 4 09/15/26 long open 1000 0.01 USD 0 0 1.4',
      'UBSG 2029-12-21 C28 long open 1 100 CAD 0 0 ',
      'XS1 long open 1000 0.01 CAD 0 0 ',
      'ZZZ long closed 10 1 USD 100 2 1.4',
    ]);
    expect(home.notes.join()).toContain('hours and holding times are meaningless');
  });

  test.each([
    [',Buy,', ',Bough,', '6: Transaction Type: must be one of Buy, Sell'],
    ['110.0,USD', '110.0,US', '5: Price Currency: must be a currency'],
    [
      '-990.0,-',
      '-1990.0,-',
      '8: Symbol: the amount must be the quantity times the price; got "XS1"',
    ],
    ['10.0,100.0', '-,100.0', '6: Quantity: must be a number'],
    ['10.0,100.0', ',100.0', '6: Quantity: is missing'],
    [',Quantity,', ',Units,', '4: Quantity: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('t.csv', HISTORY.replace(from, to)))).toContain(
      message,
    );
  });

  test('fills with times from the statement are duplicates', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('t.csv', HISTORY), { timeZone: 'America/New_York' });
    const text = `${HEAD}\nTrades,Data,Order,Stocks,USD,ZZZ,"2026-03-02, 10:00:00",10,100,100,-1000,-1,1001,0,0,O`;
    expect(home.refusalOf(home.file('u.csv', text))).toContain('duplicate');
  });
});

// Real statements, if available next to the project.

const WHOLE =
  "SELECT currency, count(*) AS trades, sum(side = 'short') AS short, round(sum(gross_pnl), 6) AS gross, round(sum(fees), 6) AS fees FROM trades";

test.each(
  [
    {
      file: 'german-U00000000_20260101_20260417.csv',
      stated: { EUR: 79.552, USD: 216.079199 },
      // For symbols held before the statement, only part of each trade is in it.
      before: [
        '4GLD',
        'BMNR',
        'CTKB',
        'LMND',
        'MRK',
        'MU',
        'NFLX',
        'ONDS',
        'QBTS',
        'TMDX',
        'WULF',
        'XERS',
      ],
      closed: ['USD 12 1 -89.569 51.2'],
      open: ['AAOI short 2', 'EOSE short 45', 'HPS.A long 2', 'XDEF long 30'],
    },
    {
      file: 'russian-2020.csv',
      stated: { USD: 12803.92465, EUR: -204.393, GBP: -102.3928 },
      before: ['TSLA', 'EUR.RUB'],
      closed: [
        'EUR 5 0 -167.393 37',
        'GBP 1 0 -90.3928 12',
        'USD 11 0 -234.5443 26.995218',
      ],
      open: ['LI long 61', 'OXY long 72', 'RDS B long 61', 'WFC long 34'],
    },
  ].filter(({ file }) =>
    allExports(['ibkr-activity']).some(
      ({ label }) => label === `real ibkr-activity/${file}`,
    ),
  ),
)('real $file: what was opened in it', ({ file, stated, before, closed, open }) => {
  const home = new ImportHome().withUser();
  const { platform } = home.import(pathOf(`real ibkr-activity/${file}`)).files[0] ?? {};
  expect(
    Object.fromEntries(
      platform?.stated.map(({ currency, amount }) => [currency, amount]) ?? [],
    ),
  ).toEqual(stated);
  const known = `symbol NOT IN (SELECT value FROM json_each(?))`;
  const shown = (sql: string) =>
    home.rows(sql, JSON.stringify(before)).map((row) => Object.values(row).join(' '));
  expect(
    shown(
      `${WHOLE} WHERE status = 'closed' AND ${known} GROUP BY currency ORDER BY currency`,
    ),
  ).toEqual(closed);
  expect(
    shown(
      `SELECT symbol, side, open_quantity FROM trades WHERE status = 'open' AND ${known} ORDER BY symbol`,
    ),
  ).toEqual(open);
});

test.each(
  exportsWith(
    ['ibkr-activity/data_numbers_within_quotes.csv', { fills: 6, net: 436.6415 }],
    ['ibkr-activity/data_numbers_within_quotes.csv', { fills: 7, net: 551.629075 }],
  ),
)('$label makes what it states', ({ path, holds: { fills, net } }) => {
  const home = new ImportHome().withUser();
  const { platform } = home.import(path()).files[0] ?? {};
  expect(platform).toMatchObject({ fills, trades: { closed: 2, open: 0 } });
  expect(platform?.stated).toMatchObject([{ what: 'net', currency: 'USD', amount: net }]);
  expect(platform?.stated[0]?.difference).toBeCloseTo(0, 5);
});

test.each(
  exportsWith([
    'ibkr-activity/data_option_assignment.csv',
    { gross: 340, fees: 2.07084, net: 337.92916 },
  ]),
)(
  '$label: the shares leave at the strike, and the option at nothing',
  ({ path, holds }) => {
    const home = new ImportHome().withUser();
    const { platform } = home.import(path()).files[0] ?? {};
    expect(platform).toMatchObject({
      trades: { closed: 2, open: 0 },
      money: [{ currency: 'USD', ...holds }],
    });
  },
);

const wrong = (name: string, own: string, other: string) =>
  exportsWith(
    [`ibkr-activity/data_${name}.csv`, own],
    [`ibkr-activity/data_${name}.csv`, other],
  );

test.each([
  ...wrong(
    'closedlot_without_trade',
    '2: DataDiscriminator: closed lot',
    '2: DataDiscriminator: closed lot',
  ),
  ...wrong(
    'dates_in_future',
    'this century; got "2126-02-23, 09:33:11"',
    'this century; got "2121-08-23, 09:33:11"',
  ),
  ...wrong(
    'invalid_date',
    '3: Date/Time: must be a time',
    '3: Date/Time: must be a time',
  ),
  ...wrong('symbol_mismatch', '4: Symbol: must be "UPST"', '4: Symbol: must be "UPST"'),
  ...wrong(
    'wrong_quantities',
    '4: Quantity: closed lots must be on the opposite side',
    '4: Quantity: closed lots must be on the opposite side',
  ),
])('$label is rejected', ({ path, holds: message }) => {
  const home = new ImportHome().withUser();
  expect(home.refusalOf(path())).toContain(message);
});
