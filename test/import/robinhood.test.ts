/** Robinhood's account activity: days only, newest first, options that expire. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const ACTIVITY = `"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"
"11/20/2026","11/20/2026","11/23/2026","XYZ","Option Expiration for XYZ 11/20/2026 Put $10.50","OEXP","2S","",""
"11/20/2026","11/20/2026","11/23/2026","XYZ","Option Expiration for XYZ 11/20/2026 Call $12.00","OEXP","1","",""
"11/19/2026","11/19/2026","11/19/2026","","New sort of bonus","NSOB","","","$1,000.00"
"11/10/2026","11/10/2026","11/12/2026","XYZ","XYZ 11/20/2026 Put $10.50","BTO","2","$0.31","($62.08)"
"11/10/2026","11/10/2026","11/12/2026","XYZ","XYZ 11/20/2026 Call $12.00","STO","1","$0.60","$59.95"
"11/4/2026","11/4/2026","11/5/2026","ABC","Acme
CUSIP: 000000000","Sell","0.5","$40.37","$20.18"
"11/3/2026","11/3/2026","11/4/2026","ABC","Acme
CUSIP: 000000000","Buy","0.5","$38.11","($19.05)"
"11/2/2026","11/2/2026","11/2/2026","XYZ","Forward split","SPL","10","",""
"11/2/2026","11/2/2026","11/2/2026","QRS","Free stock","REC","1","",""
""
"","","","","","","","","","This is no advice."
`;

const shown =
  'SELECT symbol, side, status, executed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at, symbol';

describe('a file of our own', () => {
  test('a long option that expired and was never bought waits as a sell', () => {
    const home = new ImportHome().withUser();
    const rows = ACTIVITY.split('\n').slice(0, 2);
    const [file] = home.import(home.file('activity.csv', rows.join('\n'))).files;
    expect(file?.platform?.unmatched).toMatchObject([{ side: 'sell', quantity: 2 }]);
  });

  test('expirations close what is open; fractions of shares are priced by their amount', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const [file] = home.import(home.file('activity.csv', ACTIVITY)).files;
    expect(file).toMatchObject({ format: 'robinhood', rows: 10, added: 3 });
    expect(file?.skipped).toEqual([
      { reason: 'NSOB, without a quantity', count: 1 },
      { reason: 'corporate action', count: 1 },
      { reason: 'bonus', count: 1 },
      { reason: 'disclaimer', count: 1 },
    ]);
    expect(home.rows(shown).map((row) => Object.values(row).join(' '))).toEqual([
      'ABC long closed 2026-11-03T05:00:00.000Z 0.5 1.13 0',
      'XYZ 2026-11-20 C12 short closed 2026-11-10T05:00:00.000Z 1 60 0.05',
      'XYZ 2026-11-20 P10.5 long closed 2026-11-10T05:00:00.000Z 2 -62 0.08',
    ]);
    expect(home.notes.join('\n')).toContain('came or went without a trade (splits, mergers, transfers) make no fill');
    expect(home.notes.join('\n')).toContain('for: XYZ on line 11, QRS on line 12');
    expect(home.notes.join('\n')).toContain('hours and holding times mean nothing');
  });

  test.each([
    ['"STO"', '"STQ"', '6: Trans Code: must be one of Buy, Sell, BTO, STO, BTC, STC, OEXP'],
    ['"11/10/2026","11/10', '"31/10/2026","11/10', '5: Activity Date: must be a day with the month first'],
    ['"$0.31",', '"",', '5: Price: is missing'],
    ['XYZ 11/20/2026 Put $10.50","BTO', 'XYZ Put","BTO', '5: Description: must name an option'],
    ['"Trans Code","Quantity"', '"Trans Code","Size"', '1: Quantity: is missing in the header'],
  ])('%j for %j is refused', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('activity.csv', ACTIVITY.replace(from, to)))).toContain(message);
  });
});

test.each(
  exportsWith(
    ['robinhood/Hood.csv', { rows: 15, unmatched: 1, paid: 57.89 }],
    ['robinhood/Hood.csv', { rows: 382, unmatched: 4, paid: -4521.36 }],
  ),
)('$label adds up to what its rows add up to', ({ path, holds: { rows, unmatched, paid } }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows });
  // What was closed before the file begins.
  expect(file?.platform?.unmatched).toHaveLength(unmatched);
  const value = "sum(CASE side WHEN 'sell' THEN 1 ELSE -1 END * quantity * price * multiplier - fees)";
  expect(home.rows(`SELECT round(${value}, 2) AS paid FROM fills WHERE kind = 'trade'`)).toEqual([{ paid }]);
});
