/** Fidelity's history: options, shorts, assignments, corrected trades, core funds, and columns in three versions. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Run Date,Action,Symbol,Description,Type,Price ($),Quantity,Commission ($),Fees ($),Accrued Interest ($),Amount ($),Cash Balance ($),Settlement Date';

const OLDER =
  ' 11/06/2026,INDIVIDUAL - TOD X10000001, YOU SOLD ACME CORP (ACM) (Cash), ACM, ACME CORP,Cash,-10,12.00,4.95,0.05,,115,11/09/2026';

const BOUGHT =
  '11/02/2026,YOU BOUGHT ACME CORP (ACM) (Cash),ACM,ACME CORP,Cash,5,300,,,,-1500,,';

const SHOWN = `SELECT symbol, side, status, executed_at, closed_at, quantity, multiplier, gross_pnl, fees, account FROM trades
  ORDER BY executed_at, symbol`;

const CLOSED = `SELECT count(*) AS trades, total(side = 'short') AS shorts, round(sum(gross_pnl), 6) AS gross,
  round(sum(fees), 6) AS fees FROM trades WHERE status = 'closed'`;

const OPEN =
  "SELECT symbol, side, open_quantity FROM trades WHERE status = 'open' ORDER BY symbol, account";

/** A history with these rows, oldest last, and the lines around them. */
function history(...rows: string[]): string {
  return [
    '\ufeff',
    '',
    HEADER,
    ...rows,
    '',
    '"The data, of this kind, is for you"',
    'Date downloaded 11/20/2026',
  ].join('\n');
}

const own = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => Object.values(row).join(' '));

describe('a history of our own', () => {
  test.each([['newest'], ['oldest']])(
    'with the %s row first: the ending cash is that of the latest',
    (first) => {
      const home = new ImportHome().withUser();
      const rows = [
        '11/12/2026,YOU SOLD QRS CORP (QRS) (Cash),QRS,QRS CORP,Cash,5,-10,,,,50,1010,11/13/2026',
        '11/11/2026,YOU BOUGHT QRS CORP (QRS) (Cash),QRS,QRS CORP,Cash,4,10,,,,-40,960,11/12/2026',
      ];
      const ordered = first === 'newest' ? rows : rows.toReversed();
      home.import(home.file('History_for_Account_X10000001.csv', history(...ordered)));
      const [{ cash }] = home.rows('SELECT cash FROM imports') as [{ cash: string }];
      expect(JSON.parse(cash)).toMatchObject([{ amount: 1010, at: '2026-11-12' }]);
    },
  );

  test('options expire on their day; shorts and adjusted contracts are read', () => {
    const home = new ImportHome().withUser();
    const path = home.file(
      'History_for_Account_X10000001.csv',
      history(
        '11/16/2026,"EXPIRED PUT (ACM) ACME CORP NOV 13 26 $9 as of Nov-13-2026 PUT (ACM) ACME CORP NOV 13 26 $9 (10 SHS) (Cash)", -ACM1261113P9,PUT,Cash,,-2,,,,0,,',
        '11/12/2026,YOU BOUGHT SHORT COVER QRS CORP (QRS) (Short),QRS,QRS CORP,Short,4,10,,,,-40,,11/13/2026',
        '11/11/2026,YOU SOLD SHORT SALE QRS CORP (QRS) (Short),QRS,QRS CORP,Short,5,-10,,0.01,,49.99,,11/12/2026',
        '11/10/2026,YOU BOUGHT US TREASURY NOTE (91282CAB1) (Cash),91282CAB1,US TREASURY,Cash,98.5,1000,,,3.2,-988.2,,',
        '11/09/2026,"YOU BOUGHT OPENING TRANSACTION PUT (ACM1) ACME CORP NOV 13 26 $9 (10 SHS) (Cash)", -ACM1261113P9,PUT,Cash,0.5,2,0.65,0.02,,-10.67,,11/10/2026',
        '11/06/2026,DIRECT DEPOSIT SOMEBODY (Cash),,No Description,Cash,,0.000,,,,100,,',
      ),
    );
    const [file] = home.import(path).files;
    expect(file).toMatchObject({ format: 'fidelity', rows: { read: 8 }, added: 3 });
    expect(file?.skipped).toEqual([{ reason: 'disclaimer', count: 2 }]);
    expect(file?.cash_flows.added).toBe(1);
    expect(own(home.rows(SHOWN))).toEqual([
      'ACM1 2026-11-13 P9 long closed 2026-11-09T00:00:00.000Z 2026-11-13T00:00:00.000Z 2 10 -10 0.67 X10000001',
      '91282CAB1 long open 2026-11-10T00:00:00.000Z  1000 0.01 0 0 X10000001',
      'QRS short closed 2026-11-11T00:00:00.000Z 2026-11-12T00:00:00.000Z 10 1 10 0.01 X10000001',
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test.each([['the original first'], ['the correction first']])(
    'a corrected trade counts once: %s',
    (order) => {
      const sold =
        '10/28/2026,YOU SOLD CLOSING TRANSACTION PUT (KO) COCA COLA NOV 20 26 $62.5 (100 SHS) (Cash), -KO261120P62.5,PUT,Cash,1.1,-1,,0.15,,109.85,,';
      const corrected = [
        '11/05/2026,YOU SOLD CLOSING TRANSACTION CORR DESCRIPTION CORRECTED CONFIRM as of Oct-28-2026 PUT (KO) COCA COLA NOV 20 26 $62.5 (100 SHS) (Cash), -KO261120P62.5,PUT,Cash,1.1,-1,,0.03,,109.97,,',
        '11/05/2026,SELL CANCEL CLOSING TRANSACTION CXL DESCRIPTION CANCELLED TRADE as of Oct-28-2026 PUT (KO) COCA COLA NOV 20 26 $62.5 (100 SHS) (Cash), -KO261120P62.5,PUT,Cash,1.1,1,,-0.15,,-109.85,,',
      ];
      const bought =
        '10/21/2026,YOU BOUGHT OPENING TRANSACTION PUT (KO) COCA COLA NOV 20 26 $62.5 (100 SHS) (Cash), -KO261120P62.5,PUT,Cash,0.85,1,,0.03,,-85.03,,';
      const home = new ImportHome().withUser();
      const files = [
        home.file('a.csv', history(sold, bought)),
        home.file('b.csv', history(...corrected)),
      ];
      for (const path of order === 'the original first' ? files : files.toReversed())
        home.import(path);
      expect(home.rows(CLOSED)).toEqual([
        { trades: 1, shorts: 0, gross: 25, fees: 0.06 },
      ]);
    },
  );

  test('a reverse split changes the units held, by its old number or its symbol', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'a.csv',
        history(
          '11/12/2026,YOU SOLD ACME CORP (ACM) (Cash),ACM,ACME CORP,Cash,52,-30,,,,1560,,',
          '11/10/2026,REVERSE SPLIT R/S FROM 111111104#REOR M0051311040001 ACME (Cash),ACM,ACME CORP,Cash,,30,,,,,,',
          '11/10/2026,REVERSE SPLIT R/S TO 222222205#REOR M0051311040000 ACME (Cash),111111104,ACME CORP,Cash,,-300,,,,,,',
          '11/02/2026,YOU BOUGHT ACME CORP (111111104) (Cash),111111104,ACME CORP,Cash,5,300,,,,-1500,,',
        ),
      ),
    );
    expect(own(home.rows(SHOWN))).toEqual([
      'ACM long closed 2026-11-02T00:00:00.000Z 2026-11-12T00:00:00.000Z 30 1 60 0 ',
    ]);
  });

  test('a distribution without a reason makes trades unsure, with a note', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file(
        'a.csv',
        history(
          '11/10/2026,DISTRIBUTION ACME CORP (ACM) (Cash),ACM,ACME CORP,Cash,,300,,,,,,',
          '11/02/2026,YOU BOUGHT ACME CORP (ACM) (Cash),ACM,ACME CORP,Cash,5,300,,,,-1500,,',
        ),
      ),
    ).files;
    expect(file?.skipped).toContainEqual({ reason: 'split or distribution', count: 1 });
    expect(home.notes.join()).toContain('ACM on line 4');
    expect(home.rows('SELECT kind FROM fills ORDER BY executed_at')).toEqual([
      { kind: 'trade' },
      { kind: 'unclear' },
    ]);
  });

  test('reorganisations of securities with a number alone are named, not refused', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file(
        'a.csv',
        history(
          '11/16/2026,MERGER MER PAYOUT #REOR M0051311050000 ACME (333333306) (Cash),"",ACME CORP,Cash,"",-30,"","","",-9.5,90,""',
          '11/10/2026,REVERSE SPLIT R/S FROM 222222205#REOR M0051311040001 ACME (333333306) (Cash),"",ACME CORP,Cash,"",30,"","","",0.00,100,""',
          '11/10/2026,REVERSE SPLIT R/S TO 333333306#REOR M0051311040000 ACME (222222205) (Cash),"",ACME CORP,Cash,"",-300,"","","",0.00,100,""',
          BOUGHT,
        ),
      ),
    ).files;
    expect(own(home.rows(OPEN))).toEqual(['ACM long 300']);
    expect(file?.notes.join()).toContain(
      '333333306 on line 4, 333333306 on line 5, 222222205 on line 6',
    );
  });

  test('redeemed bonds and shares are sold for the amount', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'a.csv',
        history(
          '11/20/2026,REDEMPTION PAYOUT #REOR R6000000010000 ACME (00500X108) (Cash),00500X108,ACME CORP,Cash,"",-40,"","","",404,,',
          '11/18/2026,FULL CALL PAYOUT #REOR R6000000020000 TOWN (97712DXX3) (Cash),97712DXX3,TOWN REV,Cash,"",-5000,"","","",,,',
          '11/17/2026,REDEMPTION PAYOUT US TREAS BILLS ZERO CPN (912797XX1) (Cash),912797XX1,US TREAS BILLS,Cash,"",-10000,"","","",10000,,',
          '11/05/2026,YOU BOUGHT TOWN REV (97712DXX3) (Cash),97712DXX3,TOWN REV,Cash,101,5000,,,,-5050,,',
          '11/04/2026,YOU BOUGHT ACME CORP (00500X108) (Cash),00500X108,ACME CORP,Cash,10,40,,,,-400,,',
          '11/03/2026,YOU BOUGHT US TREAS BILLS ZERO CPN (912797XX1) (Cash),912797XX1,US TREAS BILLS,Cash,98,10000,,,,-9800,,',
        ),
      ),
    );
    expect(
      own(home.rows('SELECT symbol, status, exit_price, gross_pnl FROM trades')),
    ).toEqual([
      '912797XX1 closed 100 200',
      '00500X108 closed 10.1 4',
      '97712DXX3 open  0',
    ]);
  });

  test('rows of a retirement plan are cash flows or skipped', () => {
    const home = new ImportHome().withUser();
    const plan = (action: string, units: string, amount: string) =>
      `11/06/2026,SAVINGS PLAN,90001,${action},,FUND A,,,${units},,,,${amount},`;
    const text = [
      'Run Date,Account,Account Number,Action,Symbol,Description,Type,Price ($),Quantity,Commission ($),Fees ($),Accrued Interest ($),Amount ($),Settlement Date',
      plan('Contributions', '2.5', '100'),
      plan('RECORDKEEPING FEE', '"-0.02"', '"-0.96"'),
      plan('Withdrawals', '"-1.25"', '"-50"'),
      plan('REVENUE CREDIT', '0.01', '0.44'),
      '11/05/2026,HEALTH,90002,CO CONTR CURRENT YR EMPLOYER (Cash),"",No Description,Cash,"",0,"","","",125,""',
    ].join('\n');
    const [file] = home.import(home.file('Accounts_History.csv', text)).files;
    expect(own(home.rows('SELECT kind, amount FROM cash_flows ORDER BY amount'))).toEqual(
      ['withdrawal -50', 'fee -0.96', 'deposit 100', 'deposit 125'],
    );
    expect(file?.skipped).toEqual([{ reason: 'row of a retirement plan', count: 1 }]);
  });

  test('cells with quotes around their first words, as versions of 2021 to 2023 have', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Run Date,Account,Action,Symbol,Security Description,Security Type,Quantity,Price ($),Commission ($),Fees ($),Accrued Interest ($),Amount ($),Settlement Date',
      ' 11/06/2026,"Individual" X10000001," YOU SOLD ACME CORP (ACM) (Cash)", ACM," ACME CORP",Cash,-10,12.00,,0.05,,119.95,11/09/2026',
      ' 11/05/2026,"Individual" X10000001," YOU BOUGHT ACME CORP (ACM) (Cash)", ACM," ACME CORP",Cash,10,11.00,,,,-110,11/06/2026',
      '',
      '"Date downloaded" 11/20/2026, 9:11 AM',
    ].join('\n');
    const [file] = home.import(home.file('Accounts_History.csv', text)).files;
    expect(file).toMatchObject({
      added: 1,
      skipped: [{ reason: 'disclaimer', count: 1 }],
    });
    expect(home.rows('SELECT account, gross_pnl, fees FROM trades')).toEqual([
      { account: 'Individual X10000001', gross_pnl: 10, fees: 0.05 },
    ]);
  });

  test('interest of a tax-exempt bond is interest, a tax refund is a deposit', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'Accounts_History.csv',
        history(
          '11/16/2026,"MUNI EXEMPT INT ACME COUNTY SALES & USE TAX REV 05.00000% 12/01/2041 (Cash)",123456AB7,ACME COUNTY,Cash,,0.000,,,,125,,',
          '11/15/2026,DIRECT DEPOSIT STATE TAX REFUND (Cash),,No Description,Cash,,0.000,,,,80,,',
          '11/14/2026,FOREIGN TAX PAID ACME CORP (ACM) (Cash),ACM,ACME CORP,Cash,,0.000,,,,-3,,',
        ),
      ),
    );
    expect(home.rows('SELECT kind, amount FROM cash_flows ORDER BY at')).toEqual([
      { kind: 'tax', amount: -3 },
      { kind: 'deposit', amount: 80 },
      { kind: 'interest', amount: 125 },
    ]);
  });

  test('older columns, and the version with the quantity in the place of the price', () => {
    const home = new ImportHome().withUser();
    const older = [
      '',
      'Brokerage',
      '',
      'Run Date,Account,Action,Symbol,Security Description,Security Type,Quantity,Price ($),Commission ($),Fees ($),Accrued Interest ($),Amount ($),Settlement Date',
      OLDER,
    ].join('\n');
    const shifted = [
      'Run Date,Account,Account Number,Action,Symbol,Description,Type,Exchange Quantity,Exchange Currency,Quantity,Currency,Price,Exchange Rate,Commission,Fees,Accrued Interest,Amount,Settlement Date',
      '11/02/2026,"TOD",INDIVIDUAL - TOD X10000001,YOU BOUGHT ACME CORP (ACM) (Cash),ACM,ACME,Cash,0,,USD,11.00,10,0,,,,-110,11/03/2026',
    ].join('\n');
    for (const text of [shifted, older]) home.import(home.file('a.csv', text));
    expect(own(home.rows(SHOWN))).toEqual([
      'ACM long closed 2026-11-02T00:00:00.000Z 2026-11-06T00:00:00.000Z 10 1 10 5 INDIVIDUAL - TOD X10000001',
    ]);
  });

  test.each([
    [
      'YOU BOUGHT ACME',
      'YOU BORROWED ACME',
      '4: Action: must begin with YOU BOUGHT, YOU SOLD',
    ],
    ['11/02/2026', '31/02/2026', '4: Run Date: must be a date with the month first'],
    ['-1500', '-15000', '4: Amount ($): must be price times quantity'],
    ['Cash,5,', 'Cash,,', '4: Price ($): is missing'],
    ['(ACM) (Cash),ACM', '(Cash),', '4: Symbol: is missing'],
    [
      'YOU BOUGHT ACME',
      'YOU BOUGHT OPENING TRANSACTION ACME',
      '4: Symbol: must be an option',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('a.csv', history(BOUGHT.replace(from, to)))),
    ).toContain(message);
  });
});

test.each([
  ...exportsWith(
    [
      'fidelity/History_for_Account_X11111111-5-2026.csv',
      {
        closed: { trades: 4, shorts: 2, gross: 135.5, fees: 2.13 },
        unmatched: ['VZ 15'],
        open: ['GIS short 10'],
        accounts: ['X11111111'],
      },
    ],
    [
      'fidelity/History_for_Account_X00000000-20-2025.csv',
      {
        closed: { trades: 31, shorts: 24, gross: 6858, fees: 1.79 },
        unmatched: ['INTC 100', 'INTC 2025-01-17 C23 1'],
        open: [],
        accounts: ['X00000000'],
      },
    ],
  ),
  ...exportsWith(
    [
      'fidelity/Accounts_History.csv',
      {
        closed: { trades: 1, shorts: 0, gross: 5.86, fees: 0.01 },
        unmatched: ['PFE 1'],
        open: [],
        accounts: ['333333333', 'Z22222222'],
      },
    ],
    [
      'fidelity/Accounts_History-sample.csv',
      {
        closed: { trades: 2, shorts: 0, gross: 26.0375, fees: 0.02 },
        unmatched: ['NVDA 3'],
        open: ['ASML long 0.115', 'NVDA long 1', 'QLYS long 0.383'],
        accounts: ['000000000', 'Z00000000'],
      },
    ],
  ),
])('$label', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(home.rows(CLOSED)).toEqual([holds.closed]);
  expect(own(home.rows(OPEN))).toEqual(holds.open);
  expect(
    file?.platform?.unmatched
      .map(({ symbol, quantity }) => `${symbol} ${quantity}`)
      .sort(),
  ).toEqual(holds.unmatched);
  expect(own(home.rows('SELECT DISTINCT account FROM fills ORDER BY account'))).toEqual(
    holds.accounts,
  );
});
