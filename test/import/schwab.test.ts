/** Charles Schwab's transaction history: days only, actions that trade and many that don't. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
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
    expect(file).toMatchObject({ format: 'schwab', rows: 10, added: 3 });
    expect(file?.skipped.map(({ reason }) => reason)).toEqual(['stock split', 'cash dividend', 'total line']);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC long closed 2026-11-02T00:00:00.000Z 2026-11-09T00:00:00.000Z 1000.5 100.05 10',
      'XYZ 2026-11-20 P25 short closed 2026-11-03T00:00:00.000Z 2026-11-20T00:00:00.000Z 2 220 1.32',
      'QRS short closed 2026-11-11T00:00:00.000Z 2026-11-12T00:00:00.000Z 10 10 0.01',
    ]);
    expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account }]);
    expect(home.notes.join('\n')).toContain('XYZ on line');
  });

  test('as JSON makes the same fills', () => {
    const [table, own] = [new ImportHome().withUser(), new ImportHome().withUser()];
    table.import(table.file('history.csv', HISTORY));
    const [names = [], ...rows] = HISTORY.trim()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(`[${line}]`) as string[]);
    const list = rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index], cell])));
    const text = JSON.stringify({ FromDate: '11/01/2026', BrokerageTransactions: list }, null, 1);
    const path = own.file('history.json', text);
    expect(own.import(path).files[0]).toMatchObject({ format: 'schwab', added: 3 });
    const fills = 'SELECT id, symbol, kind, side, quantity, price, fees FROM fills ORDER BY id';
    expect(own.rows(fills)).toEqual(table.rows(fills));
    const line = text.slice(0, text.indexOf('"Sell Short"')).split('\n').length;
    expect(own.refusalOf(own.file('a.json', text.replace('Sell Short', 'Sell Shirt')))).toContain(`${line}: Action:`);
    expect(own.refusalOf(own.file('a.json', '{"BrokerageTransactions": ['))).toContain('1: not valid JSON');
  });

  test.each([
    ['"Sell Short"', '"Sell Shirt"', '5: Action: must be one of Buy, Sell, Buy to Open'],
    ['"$5.00"', '"5,00 $"', '5: Price: must be an amount'],
    ['"11/11/2026"', '"31/11/2026"', '5: Date: must be a day with the month first'],
    ['"Buy","ABC"', '"Buy",""', '10: Symbol: is missing'],
    ['"Sell to Open","XYZ 11/20/2026 25.00 P"', '"Sell to Open","XYZ1 P25"', '9: Symbol: must be an option'],
  ])('%j for %j is refused', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('history.csv', HISTORY.replace(from, to)))).toContain(message);
  });
});

test.each(
  exportsWith(
    [
      'schwab/transactions.csv',
      { rows: 14, fills: 6, unmatched: ['FIHBX'], money: { gross: 103.5, fees: 0.05, net: 103.45 } },
    ],
    ['schwab/transactions.csv', { rows: 120, fills: 43, unmatched: ['FIHBX', 'SNAXX'], money: {} }],
  ),
)('$label: what was reinvested, and sales of what was bought before', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows: holds.rows });
  expect(file?.platform?.fills).toBe(holds.fills);
  expect(file?.platform?.money).toMatchObject([{ currency: 'USD', ...holds.money }]);
  expect(file?.platform?.unmatched.map(({ symbol }) => symbol).sort()).toEqual(holds.unmatched);
});
