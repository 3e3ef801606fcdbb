/** Scalable Capital's transactions. */
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const ROWS = `date;time;status;reference;description;assetType;type;isin;shares;price;amount;fee;tax;currency
2026-11-06;13:10:35;Executed;"SCAL6";"Acme";Security;Sell;US0000000001;-30;8,00;240,00;0,99;1,50;EUR
2026-11-05;13:10:35;Cancelled;"SCAL5";"Acme";Security;Sell;US0000000001;0;0,00;0,00;0,00;0,00;EUR
2026-11-04;09:00:00;Executed;"SCAL4";"Acme";Security;Distribution;US0000000001;;;7,36;0,00;2,64;EUR
2026-11-03;08:00:00;Executed;"SCAL3";"World";Security;Savings plan;IE0000000001;1,234567;81,00;-100,00;0,00;0,00;EUR
2026-11-02;13:10:35;Executed;"SCAL2";"Acme";Security;Buy;US0000000001;30;7,34;-220,20;0,99;0,00;EUR
2026-11-02;01:00:00;Executed;"SCAL1";"Deposit";Cash;Deposit;;;;1.000,00;0,00;;EUR
`;

test('orders are fills with decimal commas; distributions and deposits are cash flows', () => {
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  const path = home.file('ScalableCapital.csv', ROWS);
  expect(home.import(path).files[0]).toMatchObject({
    format: 'scalable',
    rows: { read: 6 },
    skipped: [{ reason: 'cancelled transaction', count: 1 }],
  });
  const list =
    'SELECT symbol, status, executed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at';
  expect(home.rows(list).map((row) => Object.values(row).join(' '))).toEqual([
    'US0000000001 closed 2026-11-02T12:10:35.000Z 30 19.8 1.98',
    'IE0000000001 open 2026-11-03T07:00:00.000Z 1.234567 0 0',
  ]);
  expect(home.rows('SELECT kind, amount FROM cash_flows ORDER BY at')).toEqual([
    { kind: 'deposit', amount: 1000 },
    { kind: 'dividend', amount: 7.36 },
  ]);
  expect(home.notes.join()).toContain('taxes of 1.5 are excluded from figures');
  expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
});

test('an amount that shares and price contradict is rejected', () => {
  const home = new ImportHome().withUser();
  expect(
    home.refusalOf(home.file('a.csv', ROWS.replace('-220,20', '-320,20'))),
  ).toContain(
    '6: amount: must be about shares times price, which is 220.2; got "-320,20"',
  );
});
