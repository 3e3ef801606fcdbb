/** Revolut's account statement of shares: mergers, and money for shares of the past. */
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const HEADER = 'Date,Ticker,Type,Quantity,Price per share,Total Amount,Currency,FX Rate';

/** A purchase of 10 ABC and what follows. */
function imported(...rows: string[]) {
  const home = new ImportHome().withUser();
  const bought = '2026-03-02T14:30:00.123456Z,ABC,BUY - MARKET,10,USD 20,USD 200,USD,1.1';
  const text = [HEADER, bought, ...rows.map((row) => `${row},USD,1.1`)].join('\n');
  const [file] = home.import(home.file('statement.csv', text)).files;
  return {
    notes: file?.notes.join(),
    trades: home
      .rows('SELECT symbol, status, open_quantity, gross_pnl FROM trades')
      .map((row) => Object.values(row).join(' ')),
    flows: home.rows('SELECT kind, amount FROM cash_flows ORDER BY at'),
  };
}

test('a merger for cash sells the shares that another row removes', () => {
  const { trades, flows } = imported(
    '2026-05-05T05:27:50.761409Z,ABC,MERGER - CASH,,,USD 231.50',
    '2026-05-05T05:27:50.661409Z,ABC,MERGER - STOCK,-10,,USD 0',
  );
  expect(trades).toEqual(['ABC closed 0 31.5']);
  expect(flows).toEqual([]);
});

test('a merger for shares changes symbol and units', () => {
  const { trades } = imported(
    '2026-05-05T05:27:50.661409Z,ABC,MERGER - STOCK,-10,,USD 0',
    '2026-05-05T05:27:50.761409Z,XYZ,MERGER - STOCK,15,,USD 0',
    '2026-05-06T14:30:00Z,XYZ,SELL - MARKET,15,USD 16,USD 240',
  );
  expect(trades).toEqual(['XYZ closed 0 40']);
});

test.each([
  ['MERGER - CASH', []],
  ['POSITION CLOSURE', []],
  [
    'MERGER - CASH',
    [
      '2026-05-05T05:27:50.661409Z,ABC,MERGER - STOCK,-10,,USD 0',
      '2026-05-05T05:27:50.761409Z,XYZ,MERGER - STOCK,5,,USD 0',
      '2026-05-05T05:27:50.861409Z,QRS,MERGER - STOCK,5,,USD 0',
    ],
  ],
])('money of %s for unstated shares is a cash flow, and named: %j', (type, more) => {
  const { notes, trades, flows } = imported(
    `2026-05-05T05:27:50.561409Z,ABC,${type},,,USD 12.50`,
    ...more,
  );
  expect(trades).toEqual(['ABC open 10 0']);
  expect(flows).toEqual([{ kind: 'other', amount: 12.5 }]);
  expect(notes).toContain('ABC on line 3');
});

test('rewards, coupons and returned capital are cash flows', () => {
  const { flows } = imported(
    '2026-05-05T05:00:00Z,,REWARD,,,USD 5',
    '2026-05-06T05:00:00Z,US912810TM09,BOND COUPON,,,USD 7.50',
    '2026-05-07T05:00:00Z,ABC,RETURN OF CAPITAL,,,USD 0.40',
  );
  expect(flows).toEqual([
    { kind: 'other', amount: 5 },
    { kind: 'interest', amount: 7.5 },
    { kind: 'dividend', amount: 0.4 },
  ]);
});
