/** Cash flows: from files of each platform, by hand, and what keys show of them. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { renameAccount, setStartingBalance } from '../../src/edit/accounts.ts';
import { addCash, type CashOptions } from '../../src/edit/cash.ts';
import { changeImport } from '../../src/edit/change.ts';
import { setRates } from '../../src/edit/rates.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { UserError } from '../../src/errors.ts';
import { exportJournal } from '../../src/export/index.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { maskNumbers } from '../../src/journal/fields.ts';
import { ImportHome } from './home.ts';

const SUMS = `SELECT kind, currency, round(sum(amount), 8) AS amount FROM cash_flow_records
  GROUP BY 1, 2 ORDER BY 1, 2`;

function sums(home: ImportHome): string[] {
  return home
    .rows(SUMS)
    .map(({ kind, currency, amount }) => `${kind} ${amount} ${currency}`);
}

function shown(home: ImportHome): string[] {
  return home
    .rows(
      'SELECT account, at, kind, amount, currency FROM cash_flow_records ORDER BY at, amount',
    )
    .map((row) => Object.values(row).join(' '));
}

describe('files', () => {
  /** Sums by kind, added up by hand from the rows of the file. */
  const MADE_UP: Record<string, string[]> = {
    'tastytrade/Tasty.csv': ['deposit 1000 USD', 'fee -0.01 USD'],
    'schwab/transactions.csv': [
      'deposit 3000 USD',
      'dividend 191.9 USD',
      'other 5.49 USD',
      'tax -5.46 USD',
    ],
    'trading212/export.csv': [
      'deposit 5000 EUR',
      'dividend 2.24 EUR',
      'interest 0.41 EUR',
    ],
    'fidelity/Accounts_History.csv': ['dividend 12.95 USD', 'interest 1.11 USD'],
    'metatrader/Statement.htm': ['deposit 100000 USD'],
    'tradovate/Cash History.csv': ['deposit 25000 USD'],
    'ibkr-flex/trades.xml': ['dividend 9.5 USD'],
    'ig-transaction-history/transactions.csv': ['deposit 2500 EUR', 'interest -1.2 EUR'],
    'oanda-transactions/transactions.csv': ['interest -0.25 USD'],
    'revolut-invest/older-statement.csv': [
      'deposit 2000 USD',
      'dividend 1.12 USD',
      'tax -0.17 USD',
    ],
    'etrade-transactions/DownloadTxnHistory.csv': [
      'deposit 500 USD',
      'dividend 1.25 USD',
    ],
  };

  /** Those of the statement are its own, in its cash report; the others by the rows' column. */
  const REAL: Record<string, string[]> = {
    'ibkr-activity/german-U00000000_20260101_20260417.csv': [
      'dividend 10.49 USD',
      'fee -0.04 EUR',
      'interest 0.11 EUR',
      'interest -0.09 USD',
      'tax -1.57 USD',
    ],
    'ibkr-activity/russian-2020.csv': [
      'deposit 40000 RUB',
      'dividend 47.68 USD',
      'fee -4.41 EUR',
      'fee -669.92 RUB',
      'tax -4.76 USD',
      'withdrawal -20000 RUB',
    ],
    'ibkr-flex/testIBFlexStatementFile01.xml': [
      'fee -19.49 CHF',
      'fee 0 USD',
      'interest -13.94 CAD',
      'tax -2.07 USD',
    ],
    'tastytrade/Tasty.csv': ['deposit 21500 USD', 'fee -1.2 USD', 'interest 0.31 USD'],
    'trading212/export.csv': [
      'deposit 1000 EUR',
      'dividend 7.97 USD',
      'interest 0.85 EUR',
      'tax -0.97 USD',
      'withdrawal -500 EUR',
    ],
    'schwab/with-split.csv': [
      'dividend 673.05 USD',
      'interest 1.28 USD',
      'other 21.28 USD',
      'tax -201.91 USD',
    ],
    'fidelity/History_for_Account_X00000000-20-2025.csv': [
      'dividend 212.27 USD',
      'transfer 5500 USD',
    ],
    'metatrader/mt4-Statement.htm': ['deposit 5000 USD', 'interest -2.46 USD'],
    'tradovate/Cash History.csv': ['deposit 25000 USD'],
    'robinhood/Hood.csv': [
      'deposit 11000 USD',
      'fee -85 USD',
      'interest 86.21 USD',
      'other 15.98 USD',
      'withdrawal -13100 USD',
    ],
    'robinhood/with-split.csv': [
      'deposit 500 USD',
      'dividend 0.04 USD',
      'fee -11 USD',
      'interest 8.68 USD',
      'other 1.54 USD',
      'tax -0.09 USD',
      'withdrawal -100 USD',
    ],
    // Of a private fund the payment is skipped: its units come later.
    'trade-republic/Transaktionsexport.csv': [
      'deposit 1500 EUR',
      'dividend 0.59 EUR',
      'interest 32.81 EUR',
      'other 50.75 EUR',
      'tax 444.1 EUR',
      'withdrawal -500 EUR',
    ],
    'revolut-invest/revolut-invest.csv': [
      'deposit 5.22 USD',
      'dividend 0.08 USD',
      'fee -0.01 USD',
      'transfer -0.01 USD',
      'withdrawal -30.93 USD',
    ],
    // Without a row whose day has three digits.
    'xtb-cash-csv/xtb.csv': [
      'deposit 3500 USD',
      'dividend 25.48 USD',
      'interest 15.77 USD',
      'other 21.68 USD',
      'tax -8.01 USD',
      'transfer 200 USD',
      'withdrawal -856.47 USD',
    ],
    'questrade-activities/Activities.xlsx': [
      'deposit 10000 CAD',
      'deposit 5153 USD',
      'dividend 1272.06 CAD',
      'dividend 11.85 USD',
    ],
    'ofx-investment/etrade_09092023.QFX': ['dividend 104.23 USD', 'tax -21.89 USD'],
    'ofx-investment/investment_buy_sell_income.ofx': [
      'dividend 693.5175 USD',
      'fee -8.485 USD',
      'interest 57.914 USD',
    ],
    'bitvavo/bitvavo.csv': ['deposit 125 EUR', 'withdrawal -24.63 EUR'],
  };

  const folderOf = (label: string) =>
    fileURLToPath(
      new URL(
        label === 'real' ? '../../../shared/data' : '../fixtures/exports',
        import.meta.url,
      ),
    );
  const files = [
    ...Object.entries(MADE_UP).map(([name, own]) => ['made up', name, own] as const),
    ...Object.entries(REAL).map(([name, own]) => ['real', name, own] as const),
  ].filter(([label, name]) => existsSync(`${folderOf(label)}/${name}`));

  test.each(files)('%s %s: sums by kind', (label, name, expected) => {
    const home = new ImportHome().withUser();
    const path = `${folderOf(label)}/${name}`;
    const [file] = home.import(path).files;
    expect(sums(home)).toEqual(expected);
    expect(file?.rows.used).toBe(Number(file?.rows.read) - skippedIn(file?.rows.skipped));

    const before = shown(home);
    // The same bytes, and the same rows in another file.
    home.import(path);
    const copy = home.file(`copy-${name.split('/')[1]}`, readFileSync(path));
    home.import(copy, { allowDuplicates: false });
    expect(shown(home)).toEqual(before);
  });

  const skippedIn = (skipped: Record<string, number> = {}) =>
    Object.values(skipped).reduce((sum, count) => sum + count, 0);

  const LEDGERS = `txid,refid,time,type,subtype,aclass,asset,amount,fee,balance
,R1,2026-11-02 10:00:00,deposit,,currency,ZEUR,500.0000,0.0000,
L1,R1,2026-11-02 10:05:00,deposit,,currency,ZEUR,500.0000,0.0000,500.0000
L2,R2,2026-11-03 10:00:00,spend,,currency,ZEUR,-100.0000,0.2600,399.7400
L3,R2,2026-11-03 10:00:00,receive,,currency,XXBT,0.0010,0.0000,0.0010
L4,R3,2026-11-04 10:00:00,staking,,currency,DOT.S,0.5000,0.0000,0.5000
L6,R5,2026-11-04 11:00:00,staking,,currency,ZETA,0.5000,0.0000,0.5000
L5,R4,2026-11-05 10:00:00,withdrawal,,currency,ZEUR,-50.0000,0.0900,349.6500
`;

  test("Kraken's ledgers: money moves, coins are named, a pending row doesn't count", () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [file] = home.import(home.file('ledgers.csv', LEDGERS)).files;
    expect(sums(home)).toEqual([
      'deposit 500 EUR',
      'fee -0.09 EUR',
      'withdrawal -50 EUR',
    ]);
    expect(file?.notes.join()).toMatch(
      /2 rows move coins without a trade \(DOT, ZETA\).*journal-api fill/,
    );
    const [{ cash }] = home.rows('SELECT cash FROM imports') as [{ cash: string }];
    // What came and went, less the purchase with its fee: 500 - 100.26 - 50.09.
    expect(JSON.parse(cash)).toMatchObject([{ currency: 'EUR', amount: 349.65 }]);
  });

  test("of rows of one second, the last states Kraken's ending cash", () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const [header] = LEDGERS.split('\n');
    const rows = [
      'L1,R1,2026-11-02 10:05:00,deposit,,currency,ZEUR,500.0000,0.0000,500.0000',
      'L2,R2,2026-11-02 10:05:00,withdrawal,,currency,ZEUR,-50.0000,0.0900,449.9100',
    ];
    home.import(home.file('ledgers.csv', [header, ...rows].join('\n')));
    const [{ cash }] = home.rows('SELECT cash FROM imports') as [{ cash: string }];
    expect(JSON.parse(cash)).toMatchObject([{ amount: 449.91 }]);
  });

  const STATEMENT = `Statement,Header,Field Name,Field Value
Statement,Data,BrokerName,Interactive Brokers
Account Information,Header,Field Name,Field Value
Account Information,Data,Account,U7654321
Cash Report,Header,Currency Summary,Currency,Total,Securities,Futures
Cash Report,Data,Ending Cash,Base Currency Summary,1091.5,1091.5,0
Cash Report,Data,Ending Cash,USD,1091.5,1091.5,0
Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code
Trades,Data,Order,Stocks,USD,ACME,"2026-11-02, 09:31:00",10,10,10,-100,-1,101,0,0,O
Deposits & Withdrawals,Header,Currency,Settle Date,Description,Amount
Deposits & Withdrawals,Data,USD,2026-11-01,Electronic Fund Transfer,1200
Deposits & Withdrawals,Data,USD,2026-11-05,Disbursement,-10
Deposits & Withdrawals,Data,Total,,,1190
Dividends,Header,Currency,Date,Description,Amount
Dividends,Data,USD,2026-11-10,ACME(US0000000001) Cash Dividend USD 0.50 per Share (Ordinary Dividend),5
Dividends,Data,USD,2026-11-11,ACME(US0000000001) Cash Dividend USD 0.50 per Share - Reversal (Ordinary Dividend),-5
Withholding Tax,Header,Currency,Date,Description,Amount,Code
Withholding Tax,Data,USD,2026-11-10,ACME(US0000000001) Cash Dividend USD 0.50 per Share - US Tax,-0.75,
Fees,Header,Subtitle,Currency,Date,Description,Amount
Fees,Data,Other Fees,USD,2026-11-03,SNAPSHOT FOR OCT 2026,-1.75
Transaction Fees,Header,Asset Category,Currency,Date/Time,Symbol,Description,Quantity,Trade Price,Amount,Code
Transaction Fees,Data,Stocks,USD,2026-11-02,ACME,Transaction tax,0,0.0000,-1,
Transfers,Header,Asset Category,Currency,Symbol,Date,Type,Direction,Xfer Company,Xfer Account,Qty,Xfer Price,Market Value,Realized P/L,Cash Amount,Code
Transfers,Data,Cash,USD,--,2026-11-06,Internal,In,--,U7654322,0,--,0,0,5,
`;

  test("Interactive Brokers' statement: each section, reversals, transfers, the ending cash", () => {
    const home = new ImportHome().withUser();
    home.import(home.file('U7654321.csv', STATEMENT), { timeZone: 'America/New_York' });
    expect(sums(home)).toEqual([
      'deposit 1200 USD',
      'dividend 0 USD',
      'fee -2.75 USD',
      'tax -0.75 USD',
      'transfer 5 USD',
      'withdrawal -10 USD',
    ]);
    const [{ cash }] = home.rows('SELECT cash FROM imports') as [{ cash: string }];
    // 1200 - 10 - 2.75 - 0.75 + 5, less 101 for the shares, is 1090.50: the cash report has 1 more.
    expect(JSON.parse(cash)).toEqual([
      {
        account: 'U7654321',
        currency: 'USD',
        amount: 1091.5,
        at: null,
        holder: 'U7654321',
        until: '2026-11-11T00:00:00.000Z',
      },
    ]);
    expect(home.rows("SELECT symbol FROM cash_flows WHERE kind = 'tax'")).toEqual([
      { symbol: 'ACME' },
    ]);
  });

  test("thinkorswim's cash lines: funding, dividends, interest, and its balance", () => {
    const home = new ImportHome().withUser();
    const cash = [
      'DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE',
      '11/2/26,01:00:00,BAL,,Cash balance at the start of business day 02.11 CST,,,,100.00',
      '11/2/26,09:00:00,EFN,1001,CLIENT REQUESTED ELECTRONIC FUNDING RECEIPT,,,"1,000.00","1,100.00"',
      '11/2/26,09:30:00,DOI,1002,ORDINARY DIVIDEND~ABC,,,2.50,"1,102.50"',
      '11/2/26,09:31:00,ADJ,1003,FREE BALANCE INTEREST ADJUSTMENT,,,0.01,"1,102.51"',
      '11/2/26,09:32:00,FND,1004,Position adjustment,,,-5.00,"1,097.51"',
      '11/2/26,09:33:00,TRD,1005,BOT +1 ABC @10.00,,,-10.00,"1,087.51"',
      ',,,,TOTAL,,,987.51,"1,087.51"',
    ];
    const trades = [
      ',Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type',
      ',11/2/26 09:33:00,STOCK,BUY,+1,TO OPEN,ABC,,,STOCK,10.00,10.00,LMT',
    ];
    const text = [
      'Cash Balance',
      ...cash,
      '',
      'Account Trade History',
      ...trades,
      '',
    ].join('\n');
    home.import(home.file('tos.csv', `Account Statement for 1X\n\n${text}`));
    expect(sums(home)).toEqual([
      'deposit 1000 USD',
      'dividend 2.5 USD',
      'interest 0.01 USD',
    ]);
    const [{ cash: stated }] = home.rows('SELECT cash FROM imports') as [
      { cash: string },
    ];
    expect(JSON.parse(stated)).toMatchObject([{ currency: 'USD', amount: 1087.51 }]);
  });

  test.each([
    // A better rate than the day's, and that rate, rounded.
    [
      '0.91235',
      ['fee 3.92941305 USD', 'transfer -1000 EUR', 'transfer 1096.07058695 USD'],
    ],
    ['0.909', ['transfer -1000 EUR', 'transfer 1100 USD']],
  ])(
    "an automatic conversion cancels at the day's rate %s; the rest is a cost",
    (rate, flows) => {
      const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
      const trade = `<Trade accountId="U77" currency="USD" fxRateToBase="${rate}" assetCategory="CASH" symbol="EUR.USD" multiplier="1" tradeID="2" dateTime="20260603;101505 EDT" tradeDate="20260603" transactionType="ExchTrade" quantity="-1000" tradePrice="1.1" ibCommission="0" ibCommissionCurrency="EUR" buySell="SELL" ibExecID="k2" openCloseIndicator="" notes="AFx" levelOfDetail="EXECUTION" cost="0" fifoPnlRealized="0"/>`;
      const text = `<FlexQueryResponse queryName="q" type="AF"><FlexStatements count="1"><FlexStatement accountId="U77" fromDate="20260601" toDate="20260604"><AccountInformation accountId="U77" currency="EUR"/><Trades>${trade}</Trades></FlexStatement></FlexStatements></FlexQueryResponse>`;
      home.import(home.file('flex.xml', text));
      expect(sums(home)).toEqual(flows);
      const [{ left }] = home.rows(
        "SELECT round(sum(amount * coalesce(fx_rate, 1)), 6) AS left FROM cash_flows WHERE kind = 'transfer'",
      ) as [{ left: number }];
      expect(left).toBe(0);
    },
  );

  test("Trading 212's conversions are two transfers and a fee", () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const names =
      'Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Total,Currency (Total),ID,Currency conversion from amount,Currency (Currency conversion from amount),Currency conversion to amount,Currency (Currency conversion to amount),Currency conversion fee,Currency (Currency conversion fee)';
    const row =
      'Currency conversion,2026-11-02 10:00:00,,,,,,,,,,C1,500.00,EUR,550.00,USD,0.75,EUR';
    home.import(home.file('t212.csv', `${names}\n${row}\n`));
    expect(sums(home)).toEqual([
      'fee -0.75 EUR',
      'transfer -500 EUR',
      'transfer 550 USD',
    ]);
  });

  const REINVESTED = (more: string) => `OFXHEADER:100

<OFX><INVSTMTRS><CURDEF>USD<INVACCTFROM><ACCTID>A1</INVACCTFROM><INVTRANLIST>${more}
<REINVEST><INVTRAN><FITID>R1<DTTRADE>20261102120000</INVTRAN><SECID><UNIQUEID>X1</SECID><INCOMETYPE>DIV<TOTAL>-60<UNITS>3<UNITPRICE>20</REINVEST>
</INVTRANLIST><INVBAL><AVAILCASH>940.25</INVBAL></INVSTMTRS></OFX>
`;
  const INCOME =
    '<INCOME><INVTRAN><FITID>I1<DTTRADE>20261102120000</INVTRAN><SECID><UNIQUEID>X1</SECID><INCOMETYPE>DIV<TOTAL>60</INCOME>';

  test.each(['', INCOME])(
    'a dividend reinvested is a dividend and a purchase: %s',
    (more) => {
      const home = new ImportHome().withUser();
      home.import(home.file('a.ofx', REINVESTED(more)));
      expect(sums(home)).toEqual(['dividend 60 USD']);
      expect(home.rows('SELECT open_quantity FROM trades')).toEqual([
        { open_quantity: 3 },
      ]);
      const [{ cash }] = home.rows('SELECT cash FROM imports') as [{ cash: string }];
      expect(JSON.parse(cash)).toMatchObject([
        { account: 'A1', currency: 'USD', amount: 940.25 },
      ]);
    },
  );

  test('a table of own, by a mapping, gives flows that are known again', () => {
    const home = new ImportHome().withUser();
    const mapping = {
      name: 'bank',
      target: 'cash-flows',
      fields: {
        at: 'Day',
        kind: { column: 'What', words: { In: 'deposit', Out: 'withdrawal' } },
        amount: 'Sum',
        currency: { value: 'EUR' },
        description: 'Text',
      },
    };
    const rows = 'Day,What,Sum,Text\n2026-11-02,In,100,Pay DE89 3704 0044 0532 0130 00\n';
    const map = loadMapping(home.file('bank.json', JSON.stringify(mapping)));
    home.import(home.file('bank.csv', rows), { map });
    home.import(home.file('bank-2.csv', `${rows}2026-11-03,Out,-5,Card 12345678\n`), {
      map,
    });
    expect(shown(home)).toEqual([
      ' 2026-11-02T00:00:00.000Z deposit 100 EUR',
      ' 2026-11-03T00:00:00.000Z withdrawal -5 EUR',
    ]);
    expect(home.rows('SELECT description FROM cash_flows ORDER BY at')).toEqual([
      { description: 'Pay ****' },
      { description: 'Card ****' },
    ]);
  });
});

test.each([
  [0, 'amount: must not be 0; got 0'],
  [1e-9, 'amount: must not be 0; got 0'],
  [1e15, 'amount: must be between -1e15 and 1e15; got 1000000000000000'],
])('an amount of %s in a file of own is refused', (amount, message) => {
  const flow = {
    id: 'f',
    at: '2026-11-20T14:30:00Z',
    kind: 'deposit',
    amount,
    currency: 'USD',
  };
  expect(new ImportHome().withUser().refusal('cash-flows', flow)).toBe(`1: ${message}`);
});

const SCHWAB = 'Date,Action,Symbol,Description,Quantity,Price,Fees & Comm,Amount\n';
const DEPOSIT = '11/20/2026,MoneyLink Deposit,,Tfr BANK,,,,"$5,000.00"\n';

describe('by hand', () => {
  const flow: Omit<CashOptions, 'journal' | 'now'> = {
    date: '2026-11-20',
    kind: 'deposit',
    amount: 5000,
    account: 'main',
  };
  const add = (home: ImportHome, more: Partial<CashOptions> = {}) =>
    addCash({ ...home.target, ...flow, ...more }, 'cash add');
  const undo = (home: ImportHome, id: number) => undoImport(home.target, id);

  test('the same twice is refused, unless it is another', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    add(home);
    expect(() => add(home)).toThrow('import 1 has this cash flow already; pass --again');
    expect(() => add(home, { date: '2126-11-20' })).toThrow('is in the future');
    add(home, { again: true });
    const one = 'main 2026-11-20T05:00:00.000Z deposit 5000 USD';
    expect(shown(home)).toEqual([one, one]);
    undo(home, 1);
    expect(shown(home)).toEqual([one]);
    add(home, { again: true });
    expect(shown(home)).toEqual([one, one]);
  });

  test.each<[Partial<CashOptions>, string]>([
    [{ date: '0000-01-01' }, 'at: must be in the years 0001 to 9998'],
    [{ symbol: '' }, 'symbol: must not be empty'],
    [{ symbol: 'A'.repeat(65) }, 'symbol: must have at most 64 characters'],
  ])('refuses %j', (more, message) => {
    const home = new ImportHome().withUser();
    expect(() => add(home, more)).toThrow(new RegExp(`^${message}`));
    expect(() => add(home, more)).toThrow(UserError);
    expect(home.rows('SELECT * FROM imports')).toEqual([]);
  });

  test.each([true, false])(
    "counts once with a file's of that day, first %s",
    (isFirst) => {
      const home = new ImportHome().withUser();
      const path = home.file('days.csv', SCHWAB + DEPOSIT);
      const file = () => home.import(path, { account: 'Main' }).files[0];
      if (isFirst) add(home);
      const report = file();
      const added = isFirst ? undefined : add(home);
      add(home, { again: true });

      // One of the two by hand is the file's.
      const one = '2026-11-20T00:00:00.000Z deposit 5000 USD';
      expect(shown(home).map((row) => row.toLowerCase())).toEqual(
        [one, one].map((row) => `main ${row}`.toLowerCase()),
      );
      expect(isFirst ? report?.notes : [`import ${added?.same_as}`]).toContain(
        isFirst
          ? '1 cash flow was recorded by hand, too (import 1); it counts once'
          : 'import 1',
      );
      undo(home, isFirst ? 2 : 1);
      expect(shown(home)).toHaveLength(2);
      undo(home, isFirst ? 1 : 2);
      expect(shown(home)).toHaveLength(1);
    },
  );

  test('follows renames of its account, and gives back what they took', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('days.csv', SCHWAB + DEPOSIT), { account: 'main' });
    add(home, { kind: 'fee', amount: -3 });
    const options = home.target;
    setStartingBalance(options, 'main', 25_000, 'account set');
    expect(renameAccount(options, 'main', 'big', 'rename')).toMatchObject({
      cash_flows: 2,
    });
    home.import(
      home.file('later.csv', `${SCHWAB}11/21/2026,Wire Sent,,Out,,,,-$7.00\n${DEPOSIT}`),
      { account: 'main' },
    );
    expect(shown(home).map((row) => row.split(' ')[0])).toEqual(['big', 'big', 'big']);
    const balance =
      'SELECT account, starting_balance FROM account_balances ORDER BY import_id, 1';
    expect(home.rows(balance).at(-2)).toEqual({
      account: 'big',
      starting_balance: 25_000,
    });
    undo(home, 4);
    expect(shown(home).map((row) => row.split(' ')[0])).toEqual(['main', 'main', 'main']);
    expect(home.rows(balance)).toEqual([{ account: 'main', starting_balance: 25_000 }]);
  });

  test('a flow in no account names that of all trades', () => {
    const home = new ImportHome().withUser();
    expect(add(home, { account: undefined })).toMatchObject({ did_you_mean: null });
    home.import(home.file('b.htm', NAMED));
    const more = { account: undefined, again: true };
    expect(add(home, more)).toMatchObject({ did_you_mean: '4711001' });
    expect(add(home, { account: '4711001' })).toMatchObject({ did_you_mean: null });
  });

  test('an account of flows alone is spelled anew', () => {
    const home = new ImportHome().withUser();
    add(home);
    const options = { journal: home.journal, now: home.now };
    expect(renameAccount(options, 'main', 'Main', 'rename')).toMatchObject({
      cash_flows: 1,
    });
    expect(shown(home)).toEqual(['Main 2026-11-20T00:00:00.000Z deposit 5000 USD']);
  });

  test('a start of an account that nothing is in names the one that was meant', () => {
    const home = new ImportHome().withUser();
    add(home);
    const set = (name: string) =>
      setStartingBalance(
        { journal: home.journal, now: home.now },
        name,
        25_000,
        'account set',
      );
    expect(set('maine')).toMatchObject({ is_known: false, did_you_mean: 'main' });
    expect(set('MAIN')).toMatchObject({ is_known: true, did_you_mean: null });
  });

  test('a start in another currency names the one that it replaces', () => {
    const home = new ImportHome().withUser();
    add(home);
    const set = (balance: number, currency?: string) =>
      setStartingBalance({ ...home.target, currency }, 'main', balance, 'account set')
        .replaced;
    expect(set(1000, 'EUR')).toBeNull();
    expect(set(2000)).toBeNull();
    expect(set(500, 'USD')).toEqual({ starting_balance: 2000, currency: 'EUR' });
  });

  test('its day stays when the zone changes, and rates fill other currencies', () => {
    const home = new ImportHome().withUser();
    add(home, { currency: 'EUR' });
    home.import(home.file('rates.csv', 'date,currency,rate\n2026-11-20,EUR,1.1\n'));
    const rate = 'SELECT at, fx_rate FROM cash_flow_records';
    expect(home.rows(rate)).toEqual([{ at: '2026-11-20T00:00:00.000Z', fx_rate: 1.1 }]);
    undo(home, 2);
    expect(home.rows(rate)).toEqual([{ at: '2026-11-20T00:00:00.000Z', fx_rate: null }]);
    expect(home.findings()).toEqual([]);
  });
});

/** The same statement of an account, with and without it, as MetaTrader and a spreadsheet save it. */
const STATEMENT = (account: string) =>
  `<html><body><table>${[
    account,
    '<td>Ticket</td><td>Open Time</td><td>Type</td><td>Size</td><td>Item</td><td>Price</td><td>S / L</td><td>T / P</td><td>Close Time</td><td>Price</td><td>Commission</td><td>Taxes</td><td>Swap</td><td>Profit</td>',
    '<td>11</td><td>2026.11.02 09:00:00</td><td>balance</td><td colspan=10>Deposit</td><td>5 000.00</td>',
    '<td>12</td><td>2026.11.02 10:00:00</td><td>buy</td><td>1.00</td><td>eurusd</td><td>1.10000</td><td>0</td><td>0</td><td>2026.11.02 11:00:00</td><td>1.10100</td><td>0.00</td><td>0.00</td><td>0.00</td><td>100.00</td>',
    '<td>13</td><td>2026.11.03 00:00:59</td><td>balance</td><td colspan=10>Financing 2026</td><td>-2.46</td>',
  ]
    .map((row) => `<tr>${row}</tr>`)
    .join('')}</table></body></html>`;
const NAMED = STATEMENT(
  '<td>Account: 4711001</td><td>Name: X</td><td>Currency: USD</td>',
);
const UNNAMED = STATEMENT('<td>Name: X</td>');

describe("a statement of MetaTrader's, and one without its account", () => {
  const start = () => {
    const home = new ImportHome().withUser();
    const give = (name: string, text: string, account?: string) => {
      home.now += 60_000;
      home.import(home.file(name, text), { now: home.now, ...(account && { account }) });
    };
    const undo = (id: number) => {
      home.now += 60_000;
      undoImport(home.target, id);
    };
    const accounts = () =>
      home
        .rows(
          `SELECT account, count(*) AS flows, (SELECT count(*) FROM trades AS t
             WHERE t.account IS c.account) AS trades FROM cash_flow_records AS c GROUP BY 1`,
        )
        .map((row) => Object.values(row).join(' '));
    return { home, give, undo, accounts };
  };

  test.each([
    [[2, 1], ['4711001 2 1'], []],
    [[1, 2], ['4711001 2 1'], []],
  ])('undone in the order %s', (order, afterOne, afterBoth) => {
    const { give, undo, accounts } = start();
    give('a.htm', NAMED);
    // A later statement, which has more.
    give('b.htm', UNNAMED.replace('Deposit', 'Deposit by card'));
    expect(accounts()).toEqual(['4711001 2 1']);
    undo(order[0] as number);
    expect(accounts()).toEqual(afterOne);
    undo(order[1] as number);
    expect(accounts()).toEqual(afterBoth);
  });

  test('the one without comes first, and its account is renamed: each row counts once', () => {
    const { home, give, undo, accounts } = start();
    give('b.htm', UNNAMED);
    give('a.htm', NAMED);
    home.now += 60_000;
    const options = home.target;
    renameAccount(options, '4711001', 'main', 'rename');
    expect(accounts()).toEqual(['main 2 1']);
    undo(3);
    expect(accounts()).toEqual(['4711001 2 1']);
    undo(2);
    expect(accounts()).toEqual([' 2 1']);
  });

  test('a change of account, undone, and the file again', () => {
    const { home, give, undo, accounts } = start();
    give('b.htm', UNNAMED, 'wrong');
    home.now += 60_000;
    const options = { ...home.target, id: 1 };
    changeImport({ ...options, given: { account: '4711001' } }, 'import change');
    give('a.htm', NAMED);
    expect(accounts()).toEqual(['4711001 2 1']);
    expect(() => undo(2)).toThrow('import 3 builds on it');
    undo(3);
    undo(2);
    expect(accounts()).toEqual(['wrong 2 1']);
    give('a.htm', NAMED, 'wrong');
    expect(accounts()).toEqual(['4711001 2 1', 'wrong 2 1']);
  });

  test('undo after another undo gave a flow another text', () => {
    const { give, undo, accounts } = start();
    give('a.htm', NAMED);
    give('b.htm', UNNAMED.replace('Deposit', 'Deposit by card'));
    undo(1);
    give('a.htm', NAMED);
    undo(3);
    expect(accounts()).toEqual(['4711001 2 1']);
  });
});

test('a file that names no account states known flows where they are, before renames too', () => {
  const home = new ImportHome().withUser();
  const options = home.target;
  home.import(home.file('days.csv', SCHWAB + DEPOSIT), { account: 'main' });
  renameAccount(options, 'main', 'big', 'rename');
  home.import(
    home.file('later.csv', `${SCHWAB}11/21/2026,Wire Sent,,Out,,,,-$7.00\n${DEPOSIT}`),
  );
  const known = '2026-11-20T00:00:00.000Z deposit 5000 USD';
  expect(shown(home)[0]).toBe(`big ${known}`);
  undoImport(options, 2);
  expect(shown(home)[0]).toBe(`main ${known}`);
  expect(shown(home)).toHaveLength(2);
  undoImport(options, 3);
  expect(shown(home)).toEqual([`main ${known}`]);
  undoImport(options, 1);
  expect(shown(home)).toEqual([]);
});

test('an import under another account or zone is changed, the flows with it', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('days.csv', SCHWAB + DEPOSIT), { account: 'wrong' });
  const options = { ...home.target, id: 1 };
  changeImport({ ...options, given: { account: 'main' } }, 'import change');
  expect(shown(home)).toEqual(['main 2026-11-20T00:00:00.000Z deposit 5000 USD']);
  undoImport(home.target, 2);
  expect(shown(home)).toEqual(['wrong 2026-11-20T00:00:00.000Z deposit 5000 USD']);
});

test("other programs' records come in, are checked, and go out as they came", async () => {
  const home = new ImportHome().withUser();
  const record = { id: 'c1', at: '2026-11-20T10:00:00Z', kind: 'dividend', amount: 1.5 };
  home.import(home.lines('cash-flows.jsonl', { ...record, description: 'to 1234567' }));
  expect(home.refusal('cash-flows', { ...record, amount: 0 })).toMatch(/amount/);
  expect(home.refusal('cash-flows', { ...record, kind: 'gift' })).toMatch(/kind/);
  expect(home.refusal('cash-flows', { ...record, description: 'x'.repeat(201) })).toMatch(
    /description/,
  );

  for (const as of ['jsonl', 'csv'] as const) {
    const folder = home.path(`out-${as}`);
    await exportJournal({ journal: home.journal, folder, as });
    const other = new ImportHome().withUser();
    other.import(folder);
    expect(other.everything()['cash-flows']).toEqual(home.everything()['cash-flows']);
    expect(other.everything()['cash-flows']).toMatchObject([{ description: 'to ****' }]);
  }
});

test.each(['jsonl', 'csv'] as const)(
  'a rate of the day stays one when an export of it as %s comes again',
  async (as) => {
    const home = new ImportHome().withUser();
    const rate = (usd: number) =>
      setRates(home.target, new Map([['EUR', usd]]), undefined, 'rates set');
    const flow = { date: '2026-11-20', kind: 'deposit', amount: 100 } as const;
    addCash({ ...home.target, ...flow, currency: 'EUR' }, 'cash add');
    rate(1.1);
    const folder = home.path('out');
    await exportJournal({ journal: home.journal, folder, as });
    const before = home.everything();

    const [file] = home
      .import(folder)
      .files.filter(({ resource }) => resource === 'cash-flows');
    expect(file).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
    expect(home.everything()).toEqual(before);
    rate(1.2);
    expect(home.rows('SELECT fx_rate, day_rate FROM cash_flows')).toEqual([
      { fx_rate: null, day_rate: 1.2 },
    ]);
  },
);

test.each([
  ['GB29 NWBK 6016 1331 9268 19 rent', '**** rent'],
  ['de89370400440532013000', '****'],
  ['card 123456', 'card ****'],
  ['12345 of 2026-11-20', '12345 of 2026-11-20'],
])('numbers of accounts are masked: %s', (text, expected) => {
  expect(maskNumbers(text)).toBe(expected);
});
