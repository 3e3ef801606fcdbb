/** Webull's orders: filled quantities, shorts, combinations with legs, options that expire without a row. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Name,Symbol,Side,Status,Filled,Total Qty,Price,Avg Price,Time-in-Force,Placed Time,Filled Time';

const ORDERS = `${HEADER}
Acme,ACM,Buy,Filled,30,30,@9.00,8.995,DAY,11/04/2026 09:31:00 EST,11/04/2026 09:31:02 EST
Acme,ACM,Buy,Cancelled,10,40,@9.20,9.2,DAY,11/03/2026 10:00:00 EST,11/03/2026 10:00:09 EST
Acme,ACM,Buy,Failed,0,40,@9.10,,DAY,11/03/2026 09:59:00 EST,
Acme,ACM,Short,Filled,40,40,@9.50,9.51,DAY,10/30/2026 15:59:58 EDT,10/30/2026 15:59:59 EDT
QQQ Vertical,,Buy,Filled,1,1,@1.50,1.50,DAY,10/30/2026 12:00:00 EDT,10/30/2026 12:00:01 EDT
,QQQ261120C00500500,Buy,Filled,1,1,@4.00,4.00,DAY,10/30/2026 12:00:00 EDT,10/30/2026 12:00:01 EDT
,QQQ261120C00510000,Sell,Filled,1,1,@2.50,2.50,DAY,10/30/2026 12:00:00 EDT,10/30/2026 12:00:01 EDT
`;

const SHOWN =
  'SELECT symbol, side, status, executed_at, closed_at, quantity, multiplier, gross_pnl FROM trades ORDER BY symbol';

const CLOSED = `SELECT count(*) AS trades, total(side = 'short') AS shorts, round(sum(gross_pnl), 6) AS gross
  FROM trades WHERE status = 'closed'`;

const OPEN =
  "SELECT symbol, open_quantity FROM trades WHERE status = 'open' ORDER BY symbol";

describe('orders of our own', () => {
  test('count with their filled quantity, in the zone of each', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const path = home.file('Webull_Orders_Records.csv', ORDERS);
    const [file] = home.import(path).files;
    expect(file).toMatchObject({ format: 'webull', rows: { read: 7 }, added: 3 });
    expect(file?.skipped).toEqual([
      { reason: 'failed order', count: 1 },
      { reason: 'combination (its legs are imported)', count: 1 },
    ]);
    expect(home.rows(SHOWN).map((row) => Object.values(row).join(' '))).toEqual([
      'ACM short closed 2026-10-30T19:59:59.000Z 2026-11-04T14:31:02.000Z 40 1 18.55',
      'QQQ 2026-11-20 C500.5 long open 2026-10-30T16:00:01.000Z  1 100 0',
      'QQQ 2026-11-20 C510 short open 2026-10-30T16:00:01.000Z  1 100 0',
    ]);
    expect(home.notes.join()).not.toContain('no zone');
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('an order imported while open is rejected if a later file has more fills', () => {
    const home = new ImportHome().withUser();
    const order = (status: string, filled: number) =>
      `${HEADER}\nAcme,ACM,Buy,${status},${filled},40,@9.20,9.2,GTC,11/03/2026 10:00:00 EST,11/03/2026 10:0${filled / 10}:09 EST\n`;
    home.import(home.file('early.csv', order('Partial Filled', 10)));
    expect(home.rows('SELECT quantity FROM fills')).toEqual([{ quantity: 10 }]);
    expect(home.refusalOf(home.file('late.csv', order('Filled', 40)))).toContain(
      'this fill of ACM',
    );
  });

  test('an unfilled order is skipped in any status', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file('a.csv', ORDERS.replace(',Failed,0', ',Halted,0')),
    ).files;
    expect(file?.skipped).toContainEqual({ reason: 'halted order', count: 1 });
  });

  test('two equal orders of one second stay two, also in halves that overlap', () => {
    const home = new ImportHome().withUser();
    const [row = ''] = ORDERS.split('\n').slice(1);
    home.import(home.file('a.csv', `${HEADER}\n${row}\n${row}\n`));
    expect(home.import(home.file('b.csv', `${HEADER}\n${row}\n`)).files[0]).toMatchObject(
      {
        added: 0,
      },
    );
    expect(home.rows('SELECT quantity FROM trades')).toEqual([{ quantity: 60 }]);
  });

  test.each([
    [',Short,', ',Borrow,', '5: Side: must be one of Buy, Sell, Short'],
    [',Short,Filled', ',Short,Halted', '5: Status: must be one of Filled'],
    [',Failed,0', ',Filled,0', '4: Avg Price, Filled Time: are missing'],
    ['8.995', '', '2: Avg Price: is missing'],
    [
      'Acme,ACM,Buy,Filled',
      'Treasury,912796YT6,Buy,Filled',
      '2: Symbol: must be a US share',
    ],
    [',QQQ261120C00500500,Buy', ',,Buy', '7: Symbol: is missing'],
    [
      /,QQQ261120C00500500,.*\n,QQQ261120C00510000,.*\n/,
      '',
      '6: Symbol: is missing, and "QQQ Vertical" has no legs',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('a.csv', ORDERS.replace(from, to)))).toContain(
      message,
    );
  });
});

test.each(
  exportsWith(
    [
      'webull/Webull_Orders_Records.csv',
      {
        closed: { trades: 2, shorts: 2, gross: 33.3 },
        unmatched: 'KR 30',
        left: ['F 40', 'HRL 0.5'],
      },
    ],
    [
      'webull/Webull_Orders_Records.csv',
      {
        closed: { trades: 22, shorts: 15, gross: -244.27 },
        unmatched: 'AUR 75',
        left: ['AAL 50', 'CTVA 10', 'PZZA 15', 'SDGR 10'],
      },
    ],
  ).concat(
    exportsWith(
      [
        'webull/Webull_Orders_Records_Options.csv',
        {
          closed: { trades: 3, shorts: 2, gross: 80 },
          unmatched: '',
          left: [
            'IWM 2026-11-13 C230 1',
            'IWM 2026-11-13 C235 1',
            'KR 100',
            'KR 2026-11-06 C70 1',
            'KR 2026-11-20 P65 2',
          ],
        },
      ],
      [
        'webull/Webull_Orders_Records_Options.csv',
        {
          closed: { trades: 21, shorts: 11, gross: 5132 },
          unmatched: 'GLD 100',
          left: [
            'GLD 2026-03-09 P466 4',
            'GLD 2026-03-20 P452 117',
            'GLD 2026-03-20 P457 117',
            'VIXW 2026-03-03 C19 150',
            'VIXW 2026-03-03 C20 150',
          ],
        },
      ],
    ),
  ),
)('$label', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(home.rows(CLOSED)).toEqual([holds.closed]);
  expect(
    file?.platform?.unmatched
      .map(({ symbol, quantity }) => `${symbol} ${quantity}`)
      .join(),
  ).toBe(holds.unmatched);
  expect(home.rows(OPEN).map((row) => Object.values(row).join(' '))).toEqual(holds.left);
});
