/** Trade Republic's transactions: knocked-out warrants, bonds, an order in two rows, and many rows without a trade. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  '"datetime","date","account_type","category","type","asset_class","name","symbol","shares","price","amount","fee","tax","currency","transaction_id"';

let rows = 0;

/** Cells from the category on. */
function row(time: string, ...cells: string[]): string {
  const [category = '', type = '', asset = '', symbol = '', ...money] = cells;
  const all = [
    time,
    time.slice(0, 10),
    'DEFAULT',
    category,
    type,
    asset,
    '',
    symbol,
    ...money,
    `id-${++rows}`,
  ];
  return all.map((cell) => `"${cell}"`).join(',');
}

const KNOCKED_OUT = [
  row(
    '2026-11-02T09:00:00.500Z',
    'TRADING',
    'BUY',
    'DERIVATIVE',
    'DE1',
    '300.0',
    '1.00',
    '-300.00',
    '-1.00',
    '',
    'EUR',
  ),
  row(
    '2026-11-04T02:29:23.008Z',
    'CASH',
    'TILG',
    'DERIVATIVE',
    'DE1',
    '',
    '',
    '7.500000',
    '',
    '-0.50',
    'EUR',
  ),
  row(
    '2026-11-04T02:29:15Z',
    'CORPORATE_ACTION',
    'WARRANT_EXERCISE',
    'DERIVATIVE',
    'DE1',
    '-300.0',
    '',
    '',
    '',
    '',
    '',
  ),
];

const OTHERS = [
  row(
    '2026-11-05T10:00:00Z',
    'TRADING',
    'BUY',
    'BOND',
    'AT1',
    '1000',
    '0.95',
    '-955.00',
    '-1.00',
    '',
    'EUR',
  ),
  row(
    '2026-11-06T10:00:00Z',
    'CORPORATE_ACTION',
    'REDEMPTION',
    'BOND',
    'AT1',
    '-1000',
    '1.00',
    '1000.00',
    '',
    '',
    'EUR',
  ),
  row(
    '2026-11-06T10:00:01Z',
    'CASH',
    'FINAL_MATURITY',
    'BOND',
    'AT1',
    '',
    '',
    '1000.00',
    '',
    '',
    'EUR',
  ),
  row(
    '2026-11-06T11:00:00Z',
    'DELIVERY',
    'MIGRATION',
    'STOCK',
    'US1',
    '-2',
    '',
    '',
    '',
    '',
    '',
  ),
  row(
    '2026-11-06T11:00:00Z',
    'DELIVERY',
    'MIGRATION',
    'STOCK',
    'US1',
    '2',
    '',
    '',
    '',
    '',
    '',
  ),
  row(
    '2026-11-06T12:00:00Z',
    'CORPORATE_ACTION',
    'BONUS_ISSUE',
    'STOCK',
    'US1',
    '0.5',
    '',
    '',
    '',
    '',
    '',
  ),
  row(
    '2026-11-06T13:00:00Z',
    'CASH',
    'CARD_TRANSACTION',
    '',
    '',
    '',
    '',
    '-9.90',
    '',
    '',
    'EUR',
  ),
  row(
    '2026-11-06T14:00:00Z',
    'CASH',
    'SOMETHING_NEW',
    '',
    '',
    '',
    '',
    '1.00',
    '',
    '',
    'EUR',
  ),
];

const TRANSACTIONS = [HEADER, ...KNOCKED_OUT, ...OTHERS].join('\n');

const SHOWN =
  'SELECT symbol, market, status, executed_at, closed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at';

const CLOSED = `SELECT count(*) AS trades, round(sum(gross_pnl), 2) AS gross, round(sum(fees), 2) AS fees
  FROM trades WHERE status = 'closed'`;

const OPEN =
  "SELECT symbol, open_quantity FROM trades WHERE status = 'open' ORDER BY symbol";

describe('transactions of our own', () => {
  test('a knocked-out warrant is sold for its payment, a bond for its redemption', () => {
    const home = new ImportHome().withUser('me', {
      base_currency: 'EUR',
      timezone: 'Asia/Tokyo',
    });
    const path = home.file('Transaktionsexport.csv', TRANSACTIONS);
    const [file] = home.import(path).files;
    expect(file).toMatchObject({
      format: 'trade-republic',
      rows: { read: 11 },
      added: 2,
    });
    expect(home.rows(SHOWN).map((own) => Object.values(own).join(' '))).toEqual([
      'DE1 other closed 2026-11-02T09:00:00.500Z 2026-11-04T02:29:15.000Z 300 -292.5 1',
      'AT1 other closed 2026-11-05T10:00:00.000Z 2026-11-06T10:00:00.000Z 1000 50 1',
    ]);
    expect(file?.skipped).toEqual([
      { reason: 'final maturity', count: 1 },
      { reason: 'bonus issue', count: 1 },
      { reason: 'something new', count: 1 },
      { reason: 'payment of a warrant or bond, used for its sale', count: 1 },
      { reason: 'migration', count: 2 },
    ]);
    const notes = home.notes.join('\n');
    expect(notes).toContain('taxes of -0.5 on trades');
    expect(notes).toContain('accrued interest of -5 in bond trades');
    expect(notes).toContain('US1 on line 10');
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test.each([
    [
      'without its payment a warrant stays open',
      2,
      'warrant exercise without a payment',
      'DE1 300',
    ],
    [
      'a payment alone sells nothing',
      3,
      'payment without a row of units in this file',
      'DE1 300',
    ],
  ])('%s', (_, left, reason, open) => {
    const home = new ImportHome().withUser();
    const kept = KNOCKED_OUT.filter((_own, index) => index !== left - 1);
    const [file] = home.import(home.file('a.csv', [HEADER, ...kept].join('\n'))).files;
    expect(file?.skipped).toContainEqual({ reason, count: 1 });
    expect(home.rows(OPEN).map((own) => Object.values(own).join(' '))).toEqual([open]);
  });

  test('rows without an id are fills too, and equal ones are separate', () => {
    const home = new ImportHome().withUser();
    const bought = (KNOCKED_OUT[0] as string).replace(/"id-\d+"$/, '""');
    const path = home.file('a.csv', [HEADER, bought, bought].join('\n'));
    home.import(path);
    expect(home.rows(OPEN).map((own) => Object.values(own).join(' '))).toEqual([
      'DE1 600',
    ]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('a separate account has its own positions', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file('a.csv', [HEADER, KNOCKED_OUT[0]?.replace('DEFAULT', 'PEA')].join('\n')),
    );
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account: 'PEA' }]);
  });

  test.each([
    [
      '"TRADING","BUY","DER',
      '"TRADING","SWAP","DER',
      '2: type: must be one of BUY, SELL',
    ],
    [
      '"TRADING","BUY","DER',
      '"LENDING","BUY","DER',
      '2: category: must be one of TRADING, CASH',
    ],
    [
      '"-300.00"',
      '"-3000.00"',
      '2: amount: must be shares times price, 300; got "-3000.00"',
    ],
    ['"300.0","1.00"', '"300.0",""', '2: price: is missing'],
    ['"300.0","1.00"', '"","1.00"', '2: shares: is missing'],
    ['"EUR"', '"€"', '2: currency: must be a currency'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('a.csv', TRANSACTIONS.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'trade-republic/Transaktionsexport.csv',
      {
        rows: { read: 17 },
        closed: { trades: 4, gross: -195.38, fees: 6 },
        tax: -8.16,
        open: ['AT0000XXXX01 500', 'IE00B4L5Y983 0.51'],
      },
    ],
    [
      'trade-republic/Transaktionsexport.csv',
      {
        rows: { read: 55 },
        closed: { trades: 13, gross: -1778.88, fees: 20 },
        tax: -72.39,
        open: [
          'AT0000A3FW25 2.207505',
          'AT0000A3HU25 979.03',
          'DE000HM54G14 2000',
          'DE000WA3XHX4 50',
          'FR001400CFI7 386.100386',
          'LU3170240538 9.909644',
          'US5949181045 0.243842',
        ],
      },
    ],
  ),
)('$label', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ rows: holds.rows, platform: { unmatched: [] } });
  expect(home.rows(CLOSED)).toEqual([holds.closed]);
  expect(home.rows(OPEN).map((own) => Object.values(own).join(' '))).toEqual(holds.open);
  expect(home.notes.join()).toContain(`taxes of ${holds.tax} on trades`);
});

test('refunds, coupons and payments of other kinds are cash flows', () => {
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  const paid = (hour: string, type: string, amount: string) =>
    row(
      `2026-11-02T${hour}:00:00.000Z`,
      'CASH',
      type,
      '',
      '',
      '',
      '',
      amount,
      '',
      '',
      'EUR',
    );
  const text = [
    HEADER,
    KNOCKED_OUT[0],
    paid('10', 'COUPON_PAYMENT', '2.00'),
    paid('11', 'CARD_TRANSACTION_REFUND', '3.00'),
    paid('12', 'MANUAL_CASH_TRANSFER', '4.00'),
    paid('13', 'VIBAN_TRANSFER_OUTBOUND', '-5.00'),
  ].join('\n');
  home.import(home.file('transactions.csv', text));
  expect(home.rows('SELECT kind, amount FROM cash_flows ORDER BY at')).toEqual([
    { kind: 'interest', amount: 2 },
    { kind: 'other', amount: 3 },
    { kind: 'other', amount: 4 },
    { kind: 'withdrawal', amount: -5 },
  ]);
});
