/** Files of which no row is used: refused with the reasons, unless their rows move cash. */
import { expect, test } from 'vitest';
import { runHere } from '../program.ts';
import { ImportHome } from './home.ts';

const ORDERS = 'Symbol,Side,Type,Qty,Fill Price,Status,Commission,Closing Time,Order ID';
const CANCELLED = 'NASDAQ:MSFT,Buy,Limit,5,400.00,Cancelled,0,2026-11-02 11:00:00,3';
const FILLED = 'NASDAQ:AAPL,Buy,Market,10,185.50,Filled,0,2026-11-02 09:31:00,1';

test('a file of skipped rows alone is refused, and the next ones are imported', async () => {
  const home = new ImportHome().withUser();
  const skipped = home.file('a.csv', [ORDERS, CANCELLED, CANCELLED].join('\n'));
  const other = home.file('b.csv', [ORDERS, FILLED].join('\n'));
  const run = await runHere(['import', skipped, other, '--db', home.journal]);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(
    `nothing of ${skipped} came in: 2 rows, because all were skipped: 2 cancelled order (the other file was imported)`,
  );
  expect(home.rows('SELECT symbol FROM trades')).toEqual([{ symbol: 'NASDAQ:AAPL' }]);
  expect(home.rows('SELECT file FROM imports')).toEqual([{ file: 'b.csv' }]);
});

test.each([
  ['no rows', [ORDERS]],
  ['rows known before', [ORDERS, FILLED, CANCELLED]],
])('a file with %s is not', (_, lines) => {
  const home = new ImportHome().withUser();
  const path = home.file('a.csv', lines.join('\n'));
  home.import(path);
  expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
});

test('two downloads in one file are refused', () => {
  const home = new ImportHome().withUser();
  expect(
    home.refusalOf(home.file('a.csv', [ORDERS, FILLED, ORDERS, FILLED].join('\n'))),
  ).toContain(
    '3: repeats the header of line 1: these are two exports; import each by itself',
  );
});

test('a file of dividends alone is not: they are cash flows', () => {
  const home = new ImportHome().withUser();
  const cash =
    '<CashTransaction accountId="U1" currency="USD" amount="5" type="Dividends" dateTime="20260302" />';
  const text = `<FlexQueryResponse><FlexStatements><FlexStatement accountId="U1">${cash}</FlexStatement></FlexStatements></FlexQueryResponse>`;
  expect(home.import(home.file('flex.xml', text)).files[0]).toMatchObject({
    rows: { read: 1, used: 1 },
    cash_flows: { added: 1 },
  });
});
