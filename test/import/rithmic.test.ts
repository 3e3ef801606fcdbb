/** Rithmic: closed trades by account and contract. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Entry Order Number,Entry Buy/Sell,Entry Price,Entry Time,Exit Order Number,Exit Price,Exit Time,Fill Size,Trade P&L,Trade Life Span,Commission & Fees';

const PERFORMANCE = [
  'DEMO-001',
  'MESZ6',
  HEADER,
  '1001,B,6800.25,2026-11-02 09:35:12,1002,6805.50,2026-11-02 09:42:15,2,52.50,00:07:03,2.40',
  '1001,B,6800.25,2026-11-02 09:35:12,1002,6805.50,2026-11-02 09:42:15,2,52.50,00:07:03,2.40',
  'MNQZ6',
  HEADER,
  '1003,S,25000.00,2026-11-02 10:15:05,1004,25010.00,2026-11-02 10:28:40,1,-20.00,00:13:35,1.20',
  '',
  'DEMO-002',
  'MNQZ6',
  HEADER,
  '2003,S,25000.00,2026-11-02 10:15:05,2004,24985.25,2026-11-02 10:28:40,1,29.50,00:13:35,1.20',
  'Total,,,,,,,1,29.50,,1.20',
].join('\n');

describe('a file of our own', () => {
  test('has the accounts and contracts named before its tables', () => {
    const home = new ImportHome().withUser();
    const path = home.file('performance.csv', PERFORMANCE);
    const [report] = home.import(path, { timeZone: 'America/Chicago' }).files;
    expect(report).toMatchObject({
      format: 'rithmic',
      rows: { read: 5 },
      added: 4,
      skipped: [{ reason: 'total line', count: 1 }],
    });
    expect(
      home
        .rows(
          'SELECT id, account, executed_at, multiplier, gross_pnl, fees FROM trades ORDER BY id',
        )
        .map((row) => Object.values(row).join(' ')),
    ).toEqual([
      'rithmic:MESZ6:1001:1002 DEMO-001 2026-11-02T15:35:12.000Z 5 52.5 2.4',
      'rithmic:MESZ6:1001:1002.2 DEMO-001 2026-11-02T15:35:12.000Z 5 52.5 2.4',
      'rithmic:MNQZ6:1003:1004 DEMO-001 2026-11-02T16:15:05.000Z 2 -20 1.2',
      'rithmic:MNQZ6:2003:2004 DEMO-002 2026-11-02T16:15:05.000Z 2 29.5 1.2',
    ]);
    expect(home.import(path, { timeZone: 'America/Chicago' }).files[0]).toMatchObject({
      added: 0,
      unchanged: 4,
    });
  });

  test('semicolons between cells, and titles without any before them', () => {
    const home = new ImportHome().withUser();
    const path = home.file('performance.csv', PERFORMANCE.replaceAll(',', ';'));
    expect(home.import(path).files[0]).toMatchObject({ rows: { read: 5 }, added: 4 });
  });

  test('totals next to accounts and contracts, and a day before each trade', () => {
    const home = new ImportHome().withUser();
    const text = PERFORMANCE.replace(
      /^DEMO-001$/m,
      'Account,Trade P&L,Commission & Fees\n77001,55.00,6.00',
    )
      .replaceAll(/^(M\w+Z6)$/gm, '$1,$$1.00,4.80')
      .replaceAll(
        /^(Entry|\d{4},)/gm,
        (first) => `${first === 'Entry' ? 'Trade Date' : '20261102'},${first}`,
      );
    expect(home.import(home.file('performance.csv', text)).files[0]).toMatchObject({
      rows: { read: 6 },
      added: 4,
    });
    expect(
      home.rows('SELECT account, count(*) AS n FROM trades GROUP BY account'),
    ).toEqual([
      { account: '77001', n: 3 },
      { account: 'DEMO-002', n: 1 },
    ]);
  });

  test("P&L with another contract size than the exchange's is reported", () => {
    const home = new ImportHome().withUser();
    home.import(home.file('performance.csv', PERFORMANCE.replace('-20.00', '-50.00')));
    expect(home.notes.join('\n')).toContain(
      'line 8: P&L is -50, but the prices give -20 at a contract size of 2; a contract size of 5 fits',
    );
  });

  test.each([
    [',B,', ',X,', '4: Entry Buy/Sell: must be one of B, Buy, S, Sell; got "X"'],
    [',B,6800.25', ',B,', '4: Entry Price: is missing'],
    ['\nMESZ6\n', '\n', '3: contract: is missing'],
    [',Fill Size,', ',Lots,', '3: Fill Size: is missing from the header'],
    [
      /Entry Order Number,/g,
      '"Entry Order Number of,",',
      '1: Entry Order Number: is missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('performance.csv', PERFORMANCE.replace(from, to))),
    ).toContain(message);
  });
});

const ORDERS = [
  '"Working Orders"',
  '"Account","Status","Buy/Sell","Qty To Fill","Symbol","Price Type","Update Time (EDT)"',
  '"A1","Open","B","2","MNQZ6","L","2026-10-02 09:00:00"',
  '',
  '"Completed Orders"',
  '"Account","Status","Remarks","Buy/Sell","Qty To Fill","Symbol","Price Type","Avg Fill Price","Order Number","Update Time (EDT)","Qty Filled","Commission Fill Rate"',
  '"A1","Filled","","S","2","MNQZ6","M","25010.1250","1003","2026-10-02 09:52:19","2","0.51"',
  '"A1","Cancelled","","S","2","MNQZ6","STP","","1002","2026-10-02 09:52:19","0","0.51"',
  '"A1","Filled","","B","2","MNQZ6","L","25000.0000","1001","2026-10-02 09:40:00","2","0.51"',
].join('\r\n');

describe('completed orders', () => {
  test('are fills with their filled quantity, in the zone of the heading', () => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file('orders.csv', ORDERS)).files;
    expect(report).toMatchObject({
      format: 'rithmic-orders',
      rows: { read: 3 },
      added: 1,
      skipped: [{ reason: 'order without a fill', count: 1 }],
    });
    expect(
      home.rows('SELECT account, side, executed_at, gross_pnl, fees FROM trades'),
    ).toEqual([
      {
        account: 'A1',
        side: 'long',
        executed_at: '2026-10-02T13:40:00.000Z',
        gross_pnl: 40.5,
        fees: 2.04,
      },
    ]);
    expect(home.notes.join()).toContain('times are in EDT');
  });

  test('need only the columns of fills', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Account,Buy/Sell,Symbol,Qty Filled,Avg Fill Price,Update Time',
      'A1,Sell,MNQZ6,1,25010,13/10/2026 09:50',
      'A1,Buy,MNQZ6,1,25000,13/10/2026 09:31',
    ].join('\n');
    home.import(home.file('orders.csv', text));
    expect(home.rows('SELECT side, executed_at, gross_pnl FROM trades')).toEqual([
      { side: 'long', executed_at: '2026-10-13T09:31:00.000Z', gross_pnl: 20 },
    ]);
    expect(home.notes.join()).toContain('day first');
  });

  test('CST is ambiguous', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('orders.csv', ORDERS.replaceAll('EDT', 'CST')), {
      timeZone: 'America/Chicago',
    });
    expect(home.rows('SELECT executed_at FROM trades')).toEqual([
      { executed_at: '2026-10-02T14:40:00.000Z' },
    ]);
  });

  test.each([
    ['"","S"', '"","X"', '7: Buy/Sell: must be one of Buy, Sell'],
    ['25010.1250', '', '7: Avg Fill Price: is missing'],
    ['"Qty Filled"', '"Filled"', '6: Qty Filled: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('orders.csv', ORDERS.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'rithmic/Performance.csv',
      {
        money: { gross: 102.5, fees: 9.6, net: 92.9 },
        note: 'line 7: P&L is 42.5, but the prices give 106.25 at a contract size of 5; a contract size of 2 fits',
      },
    ],
    [
      'formats-seen/rithmic-perf.csv',
      {
        money: { gross: 82, fees: 3.6, net: 78.4 },
        note: 'line 5: P&L is 29.5, but the prices give 73.75 at a contract size of 5; a contract size of 2 fits',
      },
    ],
  ),
)(
  '$label adds up, and its P&L in a wrong contract is reported',
  ({ path, holds: { money, note } }) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(path()).files;
    expect(report?.platform?.money).toEqual([{ currency: 'USD', ...money }]);
    expect(home.notes.join()).toContain(note);
  },
);
