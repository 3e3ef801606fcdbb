/** thinkorswim's account statement: fills in one section, seconds and costs in others. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const STATEMENT = `Account Statement for 1234XX (mine) since 11/2/26 through 11/20/26

Cash Balance
DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE
11/2/26,00:00:00,BAL,,Cash balance at the start of business day,,,,"10,000.00"
11/2/26,09:30:05,TRD,="4001",SOLD -100 XYZ @10.50,-0.03,,"1,050.00","11,050.00"
11/2/26,09:31:10,TRD,="4002",BOT +60 XYZ @10.25,,,-615.00,"10,435.00"
11/2/26,09:31:20,TRD,="4002",BOT +40 XYZ @10.25,-0.01,,-410.00,"10,025.00"
11/3/26,10:00:07,TRD,="4003",SOLD -2 VERTICAL ABC 100 20 NOV 26 50/45 PUT @1.10,-0.04,-2.60,220.00,"10,245.00"
11/20/26,17:00:00,EXP,="4004",REMOVED DUE TO EXPIRATION 2.0 ABC 100 20 NOV 26 50 PUT,,,,"10,245.00"
11/20/26,17:00:01,EXP,="4004",REMOVED DUE TO EXPIRATION -2.0 ABC 100 20 NOV 26 45 PUT,,,,"10,245.00"
,,,,TOTAL,-$0.08,-$2.60,$245.00,"$10,245.00"

Futures Statements
Trade Date,Exec Date,Exec Time,Type,Ref #,Description,Misc Fees,Commissions & Fees,Amount,Balance
11/4/26,11/4/26,11:00:09,TRD,="4005",BOT +1 /MESZ26:XCME @6800.25,-0.37,-2.25,,
11/4/26,11/4/26,11:05:09,TRD,="4006",SOLD -1 /MESZ26:XCME @6802.25,-0.37,-2.25,10.00,

Account Order History
Notes,,Time Placed,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,PRICE,,TIF,Status
,,11/2/26 09:30:00,STOCK,SELL,-100,TO OPEN,XYZ,,,STOCK,10.50,LMT,DAY,FILLED

Account Trade History
,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type
,11/4/26 11:05:09,FUTURE,SELL,-1,TO CLOSE,/MESZ26:XCME,,,FUTURE,6802.25,6802.25,LMT
,11/4/26 11:00:09,FUTURE,BUY,+1,TO OPEN,/MESZ26:XCME,,,FUTURE,6800.25,6800.25,LMT
,11/3/26 10:00,VERTICAL,SELL,-2,TO OPEN,ABC,20 NOV 26,50,PUT,2.00,1.10,LMT
,,,BUY,+2,TO OPEN,ABC,20 NOV 26,45,PUT,.90,CREDIT,
,11/2/26 09:31,STOCK,BUY,+40,TO CLOSE,XYZ,,,STOCK,10.25,10.25,LMT
,11/2/26 09:31,STOCK,BUY,+60,TO CLOSE,XYZ,,,STOCK,10.25,10.25,LMT
,11/2/26 09:30,STOCK,SELL,-100,TO OPEN,XYZ,,,STOCK,10.50,10.50,LMT

Profits and Losses
Symbol,Description,P/L Open
`;

const shown =
  'SELECT symbol, side, status, executed_at, closed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('fills take their seconds and costs from the cash sections; legs without a time are those of a spread', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('statement.csv', STATEMENT)).files;
    expect(file).toMatchObject({
      format: 'thinkorswim',
      rows: 10,
      added: 4,
      skipped: [{ reason: 'balance', count: 1 }],
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XYZ short closed 2026-11-02T09:30:05.000Z 2026-11-02T09:31:20.000Z 100 25 0.04',
      'ABC 2026-11-20 P45 long closed 2026-11-03T10:00:07.000Z 2026-11-20T17:00:01.000Z 2 -180 0',
      'ABC 2026-11-20 P50 short closed 2026-11-03T10:00:07.000Z 2026-11-20T17:00:00.000Z 2 400 2.64',
      '/MESZ26:XCME long closed 2026-11-04T11:00:09.000Z 2026-11-04T11:05:09.000Z 1 10 5.24',
    ]);
    expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account: '1234XX' }]);
    // Two sections of cash have fills, so that neither's total is that of all.
    expect(file?.platform?.stated).toEqual([]);
    expect(home.notes.join('\n')).not.toContain('no line');
  });

  test('what one section has and another lacks is said', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('statement.csv', STATEMENT.replace(/.*BOT \+60.*\n/, '').replace(/.*BUY,\+40.*\n/, '')));
    const notes = home.notes.join('\n');
    expect(notes).toContain('1 fills have no line in a section of cash: their fees are 0');
    expect(notes).toContain(
      '1 lines of cash have no fill in Account Trade History and make none (the first is on line 7)',
    );
  });

  test('a statement of shares only, from paperMoney, has no columns of options and lines above its name', () => {
    const home = new ImportHome().withUser();
    const text = `This document was exported from the paperMoney platform.

${STATEMENT.replace(/^.*VERTICAL,SELL.*\n.*\n/m, '')
  .replace(/^.*(VERTICAL|EXPIRATION|\/MESZ26).*\n/gm, '')
  .replace('Symbol,Exp,Strike,Type,Price', 'Symbol,Type,Price')
  .replaceAll('XYZ,,,STOCK', 'XYZ,FUND')}`;
    home.import(home.file('statement.csv', text));
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XYZ short closed 2026-11-02T09:30:05.000Z 2026-11-02T09:31:20.000Z 100 25 0.04',
    ]);
  });

  test('options that were removed are named by their code in newer statements', () => {
    const home = new ImportHome().withUser();
    const removed = (what: string, code: string) =>
      `Removed due to ${what} PUT ABC INC $50 EXP 11/20/26: EXP: -2.0 ${code},,,,"10,245.00"`;
    const text = STATEMENT.replace(/REMOVED DUE TO EXPIRATION 2.0.*/, removed('Assignment', '.ABC261120P50'))
      .replace(/REMOVED DUE TO EXPIRATION -2.0.*/, removed('Expiration', '.ABC261120P45'))
      .replace(',,,,TOTAL', '11/20/26,17:00:03,RAD,="4009",Removed due to some new reason,,,,"10,245.00"\n,,,,TOTAL');
    home.import(home.file('statement.csv', text.replace(/^Account Statement for.*/, 'Account Statement')));
    expect(home.rows("SELECT symbol, status FROM trades WHERE market = 'option' ORDER BY symbol")).toEqual([
      { symbol: 'ABC 2026-11-20 P45', status: 'closed' },
      { symbol: 'ABC 2026-11-20 P50', status: 'closed' },
    ]);
    expect(home.rows("SELECT kind FROM fills WHERE kind <> 'trade' ORDER BY kind")).toEqual([
      { kind: 'assignment' },
      { kind: 'expiration' },
    ]);
    expect(home.notes.join()).toContain(
      '1 removals of options were not understood and close nothing (the first is on line 12)',
    );
  });

  test('an assignment closes as many as it says; the shares come at the strike; options on futures expire', () => {
    const home = new ImportHome().withUser();
    const text = `Account Statement for 1 since 11/2/26 through 11/20/26

Cash Balance
DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE
11/20/26,17:00:00,EXP,="1",REMOVED DUE TO ASSIGNMENT 1.0 ABC 100 20 NOV 26 50 PUT,,,,"1"
11/20/26,17:00:00,EXP,="2",BOT 100.0 ABC UPON ABC INC,,-5.00,"-5,000.00","1"

Futures Statements
Trade Date,Exec Date,Exec Time,Type,Ref #,Description,Misc Fees,Commissions & Fees,Amount,Balance
11/20/26,11/20/26,17:00:00,TRD,="3",Removal of option due to expiration of /MESZ26 XCME 5 (WEEKLY) 20 Nov 2026 6840.0 PUT,--,--,--,"1"

Account Trade History
,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type
,11/3/26 10:01,SINGLE,SELL,-1,TO OPEN,/MESZ26:XCME,20 NOV 26 (Wk3),6840,PUT,6.35,6.35,LMT
,11/3/26 10:00,SINGLE,SELL,-3,TO OPEN,ABC,20 NOV 26,50,PUT,2.00,2.00,LMT
`;
    home.import(home.file('statement.csv', text));
    const own =
      'SELECT symbol, side, status, quantity, open_quantity, multiplier, gross_pnl, fees FROM trades ORDER BY symbol';
    expect(home.rows(own).map((row) => Object.values(row).join(' '))).toEqual([
      '/MESZ26:XCME 2026-11-20 P6840 short closed 1 0 5 31.75 0',
      'ABC long open 100 100 1 0 5',
      'ABC 2026-11-20 P50 short open 3 2 100 200 0',
    ]);
    expect(home.rows("SELECT price FROM fills WHERE symbol = 'ABC'")).toEqual([{ price: 50 }]);
  });

  test("today's activity has the fills without costs; the statement has them again", () => {
    const home = new ImportHome().withUser();
    const today = `Today's Trade Activity for 1234XX (mine) on 11/2/26 16:00:00

Filled Orders
,,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Price Improvement,Order Type
,,11/2/26 09:31:20,STOCK,BUY,+40,TO CLOSE,XYZ,,,STOCK,10.25,10.25,.00,LMT
,,11/2/26 09:31:10,STOCK,BUY,+60,TO CLOSE,XYZ,,,STOCK,10.25,10.25,.00,LMT
,,11/2/26 09:30:05,STOCK,SELL,-100,TO OPEN,XYZ,,,STOCK,10.50,10.50,.00,LMT

Canceled Orders
`;
    expect(home.import(home.file('today.csv', today)).files[0]).toMatchObject({
      format: 'thinkorswim-activity',
      added: 1,
    });
    expect(home.refusalOf(home.file('statement.csv', STATEMENT))).toContain(
      '3 fills of this file (the first on line 31, XYZ) are duplicates: in the journal already, as thinkorswim-activity',
    );
  });

  test.each([
    ['Account Trade History', 'Trades', '1: has no section "Account Trade History"'],
    ['VERTICAL,SELL,-2,TO OPEN', 'VERTICAL,SELL,-2,TO ROLL', ' Pos Effect: must be one of TO OPEN, TO CLOSE, AUTO'],
    [
      '50,PUT,2.00',
      '50,WARRANT,2.00',
      ' Type: must be one of STOCK, ETF, FUND, CALL, PUT, FUTURE, FOREX; got "WARRANT"',
    ],
    ['ABC,20 NOV 26,50', 'ABC,LATER,50', ' Exp: must be a day, such as 18 NOV 22; got "LATER"'],
    [',Exec Time,Spread,Side,Qty', ',Time,Spread,Action,Size', ' Exec Time, Side, Qty: are missing in the header'],
  ])('%j for %j is refused', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('statement.csv', STATEMENT.replace(from, to)))).toContain(message);
  });
});

test.each(
  exportsWith(
    ['thinkorswim/TD_Ameritrade.csv', { rows: 8, gross: 188.03, fees: 0.23 }],
    ['thinkorswim/TD_Ameritrade.csv', { rows: 11, gross: 18.03, fees: 0.51 }],
  ),
)('$label adds up to what its rows add up to', ({ path, holds: { rows, gross, fees } }) => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows, added: 2 });
  expect(file?.platform?.stated).toMatchObject([{ what: 'fees', amount: fees, difference: 0 }]);
  expect(
    home.rows('SELECT count(*) AS trades, round(sum(gross_pnl), 6) AS gross, round(sum(fees), 6) AS fees FROM trades'),
  ).toEqual([{ trades: 2, gross, fees }]);
});
