/** thinkorswim's account statement: fills in one section, seconds and costs in others. */
import { describe, expect, test } from 'vitest';
import { allExports, exportsWith } from './exports.ts';
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

test.each([
  ['FND', 'funding: deposit, withdrawal or adjustment'],
  ['QQQ', 'cash line of unknown type "QQQ"'],
  ['', 'cash line without a type'],
])('a line of cash of type "%s" is skipped as: %s', (type, reason) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(
    home.file('statement.csv', STATEMENT.replace(',BAL,', `,${type},`)),
  ).files;
  expect(file?.skipped).toContainEqual({ reason, count: 1 });
});

describe('a file of our own', () => {
  test('fills get their seconds and costs from the cash sections; legs without a time belong to a spread', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('statement.csv', STATEMENT)).files;
    expect(file).toMatchObject({
      format: 'thinkorswim',
      rows: { read: 18, used: 15 },
      added: 4,
      skipped: [
        { reason: 'balance', count: 1 },
        { reason: 'total line', count: 1 },
        { reason: 'row of section "Account Order History"', count: 1 },
      ],
    });
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'XYZ short closed 2026-11-02T09:30:05.000Z 2026-11-02T09:31:20.000Z 100 25 0.04',
      'ABC 2026-11-20 P45 long closed 2026-11-03T10:00:07.000Z 2026-11-20T17:00:01.000Z 2 -180 0',
      'ABC 2026-11-20 P50 short closed 2026-11-03T10:00:07.000Z 2026-11-20T17:00:00.000Z 2 400 2.64',
      '/MESZ26:XCME long closed 2026-11-04T11:00:09.000Z 2026-11-04T11:05:09.000Z 1 10 5.24',
    ]);
    expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([
      { account: '1234XX' },
    ]);
    expect(home.everything()['trade-groups']).toMatchObject([
      {
        name: 'ABC 2026-11-20 put vertical 45/50',
        leg_count: 2,
        net_pnl: 217.36,
        initial_risk: 780,
      },
    ]);
    // Two cash sections have fills, so neither total covers all.
    expect(file?.platform?.stated).toEqual([]);
    expect(home.notes.join('\n')).not.toContain('no line');
  });

  test('lines in only one of two sections are reported', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'statement.csv',
        STATEMENT.replace(/.*BOT \+60.*\n/, '').replace(/.*BUY,\+40.*\n/, ''),
      ),
    );
    const notes = home.notes.join('\n');
    expect(notes).toContain('1 fills have no cash line; their fees are 0');
    expect(notes).toContain(
      '1 cash lines without a fill in Account Trade History are skipped (the first on line 7)',
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

  test('removed options are named by their code in newer statements', () => {
    const home = new ImportHome().withUser();
    const removed = (what: string, code: string) =>
      `Removed due to ${what} PUT ABC INC $50 EXP 11/20/26: EXP: -2.0 ${code},,,,"10,245.00"`;
    const text = STATEMENT.replace(
      /REMOVED DUE TO EXPIRATION 2.0.*/,
      removed('Assignment', '.ABC261120P50'),
    )
      .replace(/REMOVED DUE TO EXPIRATION -2.0.*/, removed('Expiration', '.ABC261120P45'))
      .replace(
        ',,,,TOTAL',
        '11/20/26,17:00:03,RAD,="4009",Removed due to some new reason,,,,"10,245.00"\n,,,,TOTAL',
      );
    home.import(
      home.file(
        'statement.csv',
        text.replace(/^Account Statement for.*/, 'Account Statement'),
      ),
    );
    expect(
      home.rows(
        "SELECT symbol, status FROM trades WHERE market = 'option' ORDER BY symbol",
      ),
    ).toEqual([
      { symbol: 'ABC 2026-11-20 P45', status: 'closed' },
      { symbol: 'ABC 2026-11-20 P50', status: 'closed' },
    ]);
    expect(
      home.rows("SELECT kind FROM fills WHERE kind <> 'trade' ORDER BY kind"),
    ).toEqual([{ kind: 'assignment' }, { kind: 'expiration' }]);
    expect(home.notes.join()).toContain(
      '1 removals of options in unknown words close nothing (the first on line 12)',
    );
  });

  test('an assignment closes the stated number; shares are delivered at the strike; options on futures expire', () => {
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
    expect(home.rows("SELECT price FROM fills WHERE symbol = 'ABC'")).toEqual([
      { price: 50 },
    ]);
  });

  test('a fund counts once, though its cash line reads like a delivery', () => {
    const home = new ImportHome().withUser();
    const text = `Account Statement for 1 since 11/2/26 through 11/23/26

Cash Balance
DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE
11/20/26,13:00:00,WIN,="1",WIRED FUNDS RECEIVED 2500.0 US$,,,"2,500.00","2,500.00"
11/20/26,20:30:15,TRD,="2",BOT 2500.0 QRSXX UPON ,,,"-2,500.00",0.00

Account Trade History
,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type
,11/20/26 20:30:15,FUND,BUY,+2500,TO OPEN,QRSXX,,,FUND,1.00,1.00,AMT
`;
    const [file] = home.import(home.file('statement.csv', text)).files;
    expect(file?.notes.join()).not.toContain('no cash line');
    expect(home.rows('SELECT symbol, open_quantity FROM trades')).toEqual([
      { symbol: 'QRSXX', open_quantity: 2500 },
    ]);
    expect(home.rows('SELECT kind, amount FROM cash_flows')).toEqual([
      { kind: 'deposit', amount: 2500 },
    ]);
  });

  test.each([
    ['EXP', 'tBOT +100 ABC UPON OPTION ASSIGNMENT @50.00'],
    ['TRD', 'tBOT +100.0 ABC UPON OPTION ASSIGNMENT'],
    ['TRD', 'BOT +100 ABC UPON OPTION ASSIGNMENT @50.00'],
  ])('shares come by assignment in a line of type %s: %s', (type, description) => {
    const home = new ImportHome().withUser();
    const text = `Account Statement for 1 since 11/2/26 through 11/23/26

Cash Balance
DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE
11/21/26,01:00:00,RAD,="1",REMOVAL OF OPTION DUE TO ASSIGNMENT ABC 100 20 NOV 26 50 PUT,,,,"1"
11/21/26,01:00:00,${type},="2",${description},,,"-5,000.00","1"
11/23/26,09:45:00,TRD,="3",SOLD -100 ABC @49.00,-0.02,,"4,900.00","1"
,,,,TOTAL,-0.02,,-100.00,"1"

Account Trade History
,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type
,11/23/26 09:45:00,STOCK,SELL,-100,TO CLOSE,ABC,,,STOCK,49.00,49.00,MKT
,11/3/26 10:00:00,SINGLE,SELL,-1,TO OPEN,ABC,20 NOV 26,50,PUT,1.50,1.50,LMT
`;
    const [file] = home.import(home.file('statement.csv', text)).files;
    expect(file?.platform?.unmatched).toEqual([]);
    expect(file?.skipped.map(({ reason }) => reason)).toEqual(['total line']);
    expect(
      home.rows(
        'SELECT symbol, side, status, gross_pnl, fees FROM trades ORDER BY symbol',
      ),
    ).toEqual([
      { symbol: 'ABC', side: 'long', status: 'closed', gross_pnl: -100, fees: 0.02 },
      {
        symbol: 'ABC 2026-11-20 P50',
        side: 'short',
        status: 'closed',
        gross_pnl: 150,
        fees: 0,
      },
    ]);
  });

  test('an empty line within a section does not end it, and a section that begins again is of another statement', () => {
    const home = new ImportHome().withUser();
    const apart = STATEMENT.replace(/\n(?=11\/2\/26)/g, '\n,,,,,,,,\n').replace(
      /\n(?=,11\/2)/g,
      '\n,,,,,,,,,,,,\n',
    );
    const [whole, parts] = [home, new ImportHome().withUser()];
    whole.import(whole.file('statement.csv', STATEMENT));
    parts.import(parts.file('statement.csv', apart));
    expect(apart).not.toBe(STATEMENT);
    expect(parts.rows(shown)).toEqual(whole.rows(shown));
    expect(
      home.refusalOf(home.file('two.csv', `${STATEMENT}\n\n${STATEMENT}`)),
    ).toContain(
      'begins the section "Cash Balance" again: these are two statements; import each by itself',
    );
  });

  describe('a split of an option, in rows without symbol or units', () => {
    const statement = (
      trades: string,
      held: string,
    ) => `Account Statement for 1 since 11/2/26 through 11/30/26

Cash Balance
DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE
11/10/26,08:00:00,FND,="1",Position adjustment,,,,"1"

Account Trade History
,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type
${trades},11/3/26 10:00:00,SINGLE,SELL,-1,TO OPEN,ABC,18 DEC 26,80,CALL,2.00,2.00,LMT

Options
Symbol,Option Code,Exp,Strike,Type,Qty,Trade Price,Mark,Mark Value
${held}
`;
    const bought = (quantity: number) =>
      `,11/20/26 11:00:00,SINGLE,BUY,+${quantity},TO CLOSE,ABC,18 DEC 26,40,CALL,.50,.50,LMT\n`;
    const other = 'XYZ,XYZ261218C100,18 DEC 26,100,CALL,+1,1.00,1.00,100.00';

    test.each<[string, string, string, string[]]>([
      [
        'is closed under its later strike',
        bought(2),
        other,
        ['ABC 2026-12-18 C40 short closed 2 0 100'],
      ],
      [
        'is partly open at the end',
        bought(1),
        'ABC,ABC261218C40,18 DEC 26,40,CALL,-1,1.00,1.00,-100.00',
        ['ABC 2026-12-18 C40 short open 2 1 50'],
      ],
      [
        'is open at the end, without a fill since',
        '',
        'ABC,ABC261218C40,18 DEC 26,40,CALL,-2,1.00,1.00,-200.00',
        ['ABC 2026-12-18 C40 short open 2 2 0'],
      ],
    ])('%s', (_, trades, held, expected) => {
      const home = new ImportHome().withUser();
      const [file] = home.import(
        home.file('statement.csv', statement(trades, held)),
      ).files;
      const own =
        'SELECT symbol, side, status, quantity, open_quantity, gross_pnl FROM trades';
      expect(home.rows(own).map((row) => Object.values(row).join(' '))).toEqual(expected);
      expect(home.rows("SELECT 1 FROM trades WHERE tags <> '[]'")).toEqual([]);
      expect(file?.platform?.unmatched).toEqual([]);
      expect(file?.notes.join()).toContain(
        'became ABC 2026-12-18 C40 in a split, 2 for 1',
      );
    });

    test('is none if the units differ', () => {
      const home = new ImportHome().withUser();
      const [file] = home.import(
        home.file('statement.csv', statement(bought(3), other)),
      ).files;
      expect(file?.notes.join()).not.toContain('in a split');
      expect(file?.platform?.unmatched).toHaveLength(1);
    });
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
      '3 fills in this file (first on line 31, XYZ) are duplicates: already in the journal as thinkorswim-activity',
    );
  });

  test.each([
    ['Account Trade History', 'Trades', '1: no section "Account Trade History"'],
    [
      'VERTICAL,SELL,-2,TO OPEN',
      'VERTICAL,SELL,-2,TO ROLL',
      ' Pos Effect: must be one of TO OPEN, TO CLOSE, AUTO, EXPIRED',
    ],
    [
      '50,PUT,2.00',
      '50,WARRANT,2.00',
      ' Type: must be one of STOCK, ETF, FUND, CALL, PUT, FUTURE, FOREX; got "WARRANT"',
    ],
    [
      'ABC,20 NOV 26,50',
      'ABC,LATER,50',
      ' Exp: must be a date, such as 18 NOV 22; got "LATER"',
    ],
    [
      ',Exec Time,Spread,Side,Qty',
      ',Time,Spread,Action,Size',
      ' Exec Time, Side, Qty: are missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('statement.csv', STATEMENT.replace(from, to))),
    ).toContain(message);
  });
});

test.each(
  exportsWith(
    ['thinkorswim/TD_Ameritrade.csv', { rows: { used: 16 }, gross: 188.03, fees: 0.23 }],
    ['thinkorswim/TD_Ameritrade.csv', { rows: { used: 22 }, gross: 18.03, fees: 0.51 }],
  ),
)('$label adds up to its rows', ({ path, holds: { rows, gross, fees } }) => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows, added: 2 });
  expect(
    file?.platform?.stated.map(({ what, difference }) => [what, difference]),
  ).toEqual([
    ['position', 0],
    ['position', 0],
    ['fees', 0],
  ]);
  expect(file?.platform?.stated.at(-1)?.amount).toBe(fees);
  expect(
    home.rows(
      'SELECT count(*) AS trades, round(sum(gross_pnl), 6) AS gross, round(sum(fees), 6) AS fees FROM trades',
    ),
  ).toEqual([{ trades: 2, gross, fees }]);
});

/** A statement of one day: fills oldest first, such as "SELL 100 TO OPEN XYZ 10.50", with option terms before the price. */
function statement(
  fills: readonly string[],
  rest: readonly string[] = [],
  period = 'since 11/2/26 through 11/2/26',
): string {
  const trades = fills.map((text, minute) => {
    const [, side, quantity, effect, symbol, contract = ',,STOCK', price] =
      /^(BUY|SELL) (\d+) (TO OPEN|TO CLOSE|AUTO) (\S+)(?: (\S.*,\S+,(?:CALL|PUT)))? ([\d.]+)$/.exec(
        text,
      ) ?? [];
    const signed = `${side === 'BUY' ? '+' : '-'}${quantity}`;
    return `,11/2/26 09:${30 + minute}:00,SINGLE,${side},${signed},${effect},${symbol},${contract},${price},${price},LMT`;
  });
  return [
    `Account Statement for 1 (mine) ${period}`,
    '',
    'Account Trade History',
    ',Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type',
    ...trades.toReversed(),
    '',
    ...rest,
  ].join('\n');
}
const equities = (...rows: string[]) => [
  'Equities',
  'Symbol,Description,Qty,Trade Price,Mark,Mark Value',
  ...rows,
  ',OVERALL TOTALS,,,,"$1.00"',
  '',
];
const results = (...rows: string[]) => [
  'Profits and Losses',
  'Symbol,Description,P/L Open,P/L %,P/L Day,P/L YTD,P/L Diff,Margin Req,Close Value',
  ...rows,
  '',
];
const adjusted = (time: string, text: string) => [
  'Cash Balance',
  'DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE',
  `11/2/26,${time},FND,="1",${text},,,1.00,2.00`,
  '',
];
const made =
  'SELECT symbol, side, status, quantity, open_quantity, gross_pnl, tags FROM trades ORDER BY executed_at, symbol';

describe('positions and P&L of the statement', () => {
  test.each<[string, string[], string[], string[], [what: string, difference: number][]]>(
    [
      [
        'AUTO opens shorts, and reverses',
        ['SELL 100 AUTO XYZ 10.00', 'BUY 300 AUTO XYZ 9.00', 'SELL 200 AUTO XYZ 9.50'],
        results('XYZ,XYZ INC,$0.00,0.00%,$200.00,$200.00,$0.00,$0.00,$0.00'),
        ['XYZ short closed 100 0 100 []', 'XYZ long closed 200 0 100 []'],
        [
          ['gross XYZ', 0],
          ['position XYZ', 0],
        ],
      ],
      [
        'AUTO closes a position older than the statement, confirmed by the final position',
        ['SELL 100 AUTO XYZ 10.00', 'BUY 50 AUTO XYZ 9.00'],
        equities('XYZ,XYZ INC,+50,9.00,9.00,$450.00'),
        ['XYZ long open 50 50 0 []'],
        [['position XYZ', 0]],
      ],
      [
        'and in the other direction covers it',
        ['BUY 100 AUTO XYZ 10.00', 'SELL 50 AUTO XYZ 11.00'],
        equities('XYZ,XYZ INC,-50,11.00,9.00,-$450.00'),
        ['XYZ short open 50 50 0 []'],
        [['position XYZ', 0]],
      ],
      [
        'a close beyond the position opens the rest, confirmed by the final position',
        ['BUY 100 TO OPEN XYZ 10.00', 'SELL 300 TO CLOSE XYZ 11.00'],
        equities('XYZ,XYZ INC,-200,11.00,11.00,"-$2,200.00"'),
        ['XYZ long closed 100 0 100 []', 'XYZ short open 200 200 0 []'],
        [['position XYZ', 0]],
      ],
      [
        'or confirmed by the P&L; a difference names the symbol',
        [
          'BUY 100 TO OPEN XYZ 10.00',
          'SELL 300 TO CLOSE XYZ 11.00',
          'BUY 200 TO CLOSE XYZ 10.50',
          'BUY 1 TO OPEN ABC 5.00',
          'SELL 1 TO CLOSE ABC 6.00',
        ],
        results(
          'XYZ,XYZ INC,$0.00,0.00%,$200.00,$200.00,$0.00,$0.00,$0.00',
          'ABC,ABC INC,$0.00,0.00%,$3.00,$3.00,$0.00,$0.00,$0.00',
        ),
        [
          'XYZ long closed 100 0 100 []',
          'XYZ short closed 200 0 100 []',
          'ABC long closed 1 0 1 []',
        ],
        [
          ['gross XYZ', 0],
          ['gross ABC', -2],
          ['position XYZ', 0],
          ['position ABC', 0],
        ],
      ],
      [
        'without confirmation, the rest is unmatched',
        ['BUY 100 TO OPEN XYZ 10.00', 'SELL 300 TO CLOSE XYZ 11.00'],
        [],
        ['XYZ long closed 100 0 100 []'],
        [],
      ],
      [
        'a split shown only by cash and positions',
        ['BUY 100 TO OPEN XLU 91.78', 'SELL 100 TO CLOSE XLU 47.00'],
        [
          ...adjusted('09:30:30', 'Position adjustment'),
          ...equities('XLU,UTILITIES ETF,+100,45.89,46.17,"$4,617.00"'),
        ],
        ['XLU long open 200 100 111 []'],
        [['position XLU', 0]],
      ],
      [
        'a reverse split, with any ratio in words',
        ['BUY 200 TO OPEN SDS 15.00', 'BUY 100 TO OPEN SDS 14.40'],
        [
          ...adjusted('10:00:00', 'Reduce number of shares for 4:1 reverse split'),
          ...equities('SDS,SHORT ETF,+60,74.00,73.00,"$4,380.00"'),
        ],
        ['SDS long open 60 60 0 []'],
        [['position SDS', 0]],
      ],
      [
        'an adjustment that no split explains makes trades in the symbol unsure',
        ['BUY 200 TO OPEN SDS 15.00', 'BUY 1 TO OPEN XYZ 10.00'],
        [
          ...adjusted('09:30:30', 'Position adjustment'),
          ...equities(
            'SDS,SHORT ETF,+33,74.00,73.00,"$4,380.00"',
            'XYZ,XYZ INC,+1,10.00,10.00,$10.00',
          ),
        ],
        ['SDS long open 200 200 0 ["unsure"]', 'XYZ long open 1 1 0 []'],
        [
          ['position SDS', 167],
          ['position XYZ', 0],
        ],
      ],
    ],
  )('%s', (_, fills, rest, trades, compared) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('statement.csv', statement(fills, rest))).files;
    expect(home.rows(made).map((row) => Object.values(row).join(' '))).toEqual(trades);
    const stated = file?.platform?.stated.filter(({ what }) => what !== 'fees') ?? [];
    expect(
      stated.map(({ what, symbol, difference }) => [`${what} ${symbol}`, difference]),
    ).toEqual(compared);
  });

  test('saved after the roll of the day, with 0.00 for the day, has nothing to compare', () => {
    const home = new ImportHome().withUser();
    const fills = ['BUY 200 TO_OPEN XYZ 2.30', 'SELL 200 TO_CLOSE XYZ 2.17'].map((fill) =>
      fill.replace('_', ' '),
    );
    const rest = results('XYZ,XYZ INC,$0.00,0.00%,$0.00,($26.00),$0.00,$0.00,$0.00');
    const [file] = home.import(home.file('statement.csv', statement(fills, rest))).files;
    expect(file?.platform?.money).toMatchObject([{ gross: -26 }]);
    expect(file?.platform?.stated.filter(({ what }) => what === 'gross')).toEqual([]);
  });

  test('overlapping statements make the same trades in either order', () => {
    const fills = [
      'SELL 100 AUTO XYZ 10.00',
      'BUY 300 AUTO XYZ 9.00',
      'SELL 200 AUTO XYZ 9.50',
    ];
    const whole = statement(
      fills,
      results('XYZ,XYZ INC,$0.00,0.00%,$200.00,$200.00,$0.00,$0.00,$0.00'),
    );
    const [header, ...rows] = statement(fills).split('\n');
    const later = [
      header,
      ...rows.filter((row) => !row.includes('09:30:00')),
      ...equities(),
    ].join('\n');
    const shownOf = (...texts: string[]) => {
      const home = new ImportHome().withUser();
      for (const [index, text] of texts.entries())
        home.import(home.file(`${index}.csv`, text));
      return home.rows(made);
    };
    expect(shownOf(later, whole)).toEqual(shownOf(whole));
    expect(shownOf(whole, later)).toEqual(shownOf(whole));
  });

  test.each<[string, string, number, (string | null)?]>([
    ['with its size and day in Symbol', '/ESZ26 1/50 20 NOV 26 (Wk3),/EW3X26', 50],
    ['with a code in Exp', '/MESZ26,/EX3X26', 5],
    ['a Monday of one', '/MESZ26,/X3AX26', 5],
    ['a weekly one by its code', '/ESZ26 1/50 NOV 26 (Friday) (Wk4),/EW3X26', 50],
    ['a weekly one without a day', '/ESZ26 1/50 NOV 26 (Friday) (Wk4),/EWX', 50, null],
  ])(
    'an option on a future, %s',
    (_, cells, size, day = cells.includes('X3A') ? '2026-11-16' : '2026-11-20') => {
      const home = new ImportHome().withUser();
      const text = statement([]).replace(
        'Net Price,Order Type\n',
        `Net Price,Order Type
,11/3/26 10:05:00,SINGLE,BUY,+1,TO CLOSE,${cells},6840,PUT,5.00,5.00,LMT
,11/3/26 10:00:00,SINGLE,SELL,-1,TO OPEN,${cells},6840,PUT,6.00,6.00,LMT
`,
      );
      home.import(home.file('statement.csv', text));
      expect(
        home.rows('SELECT market, multiplier, gross_pnl, expiration FROM trades'),
      ).toEqual([
        {
          market: 'option',
          multiplier: size,
          gross_pnl: size,
          expiration: day,
        },
      ]);
    },
  );

  test('an expiration among the fills closes, once', () => {
    const home = new ImportHome().withUser();
    const text = statement(['SELL 1 TO OPEN SPX 20 NOV 26,6800,PUT 2.00']).replace(
      'Net Price,Order Type\n',
      'Net Price,Order Type\n,11/20/26 16:00:00,SINGLE,,-1,EXPIRED,SPX,20 NOV 26,6800,PUT,0.00,0.00,\n',
    );
    const [file] = home.import(home.file('statement.csv', text)).files;
    expect(file?.platform).toMatchObject({
      trades: { closed: 1, open: 0 },
      unmatched: [],
    });
    expect(home.rows('SELECT gross_pnl FROM trades')).toEqual([{ gross_pnl: 200 }]);
  });
});

test.each(allExports(['thinkorswim']).filter(({ name }) => /AUTO|adjustment/.test(name)))(
  '$label: positions and P&L equal the stated ones',
  ({ name, path }) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(path()).files;
    const closed =
      "SELECT count(*) AS trades, round(sum(gross_pnl), 6) AS gross FROM trades WHERE status = 'closed' AND symbol GLOB ?";
    if (name.includes('AUTO')) {
      expect(home.rows(closed.replace('?', "'NVDA'"))).toEqual([
        { trades: 19, gross: 99 },
      ]);
      expect(file?.platform?.stated).toMatchObject([
        { what: 'gross', symbol: 'NVDA', amount: 99, difference: 0 },
        { what: 'position', symbol: 'NVDA', amount: 0, difference: 0 },
      ]);
      return;
    }
    expect(home.rows(closed.replace('?', "'XLU 2025-*'"))).toEqual([
      { trades: 3, gross: 223 },
    ]);
    const shares =
      "SELECT symbol, open_quantity, gross_pnl FROM trades WHERE market = 'stock' ORDER BY symbol";
    expect(home.rows(shares)).toEqual([
      { symbol: 'SDS', open_quantity: 60, gross_pnl: 0 },
      { symbol: 'XLU', open_quantity: 100, gross_pnl: 111 },
    ]);
    expect(file?.platform?.unsure).toEqual([{ symbol: 'XLU 2026-01-16 C90', trades: 1 }]);
  },
);

test.each(
  exportsWith<object | null>(
    ['thinkorswim/TD_Ameritrade.csv', null],
    [
      'thinkorswim/weekly-options-on-futures.csv',
      { trades: { closed: 78, open: 1 }, money: [{ gross: 4780 }] },
    ],
  ),
)('$label: weekly options on futures have their day', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  if (holds) expect(file?.platform).toMatchObject(holds);
  expect(
    home.rows("SELECT DISTINCT expiration FROM trades WHERE symbol GLOB '/NQ*'"),
  ).toEqual(holds ? [{ expiration: '2022-04-27' }] : []);
});

test.each(
  exportsWith(
    ['thinkorswim/TD_Ameritrade.csv', 2],
    ['thinkorswim/2025-12-02-AccountStatement.csv', 1],
  ),
)('$label raises no false difference', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const platform = home.import(path()).files[0]?.platform;
  expect(platform?.trades.closed).toBe(holds);
  expect(platform?.stated.filter(({ difference }) => difference !== 0)).toEqual([]);
});
