/** TopstepX: closed trades, each with the two executions that it implies. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const EXPORT = [
  'Id,ContractName,EnteredAt,ExitedAt,EntryPrice,ExitPrice,Fees,PnL,Size,Type,TradeDay,TradeDuration',
  '902,MNQZ6,11/03/2026 22:04:12 -05:00,11/04/2026 07:26:09 -05:00,20029.000000000,20012.000000000,0.74000,-34.000000000,1,Long,11/04/2026 00:00:00 -06:00,09:21:56.4669840',
  '901,MBTZ6,11/02/2026 20:40:19 -05:00,11/02/2026 20:46:59 -05:00,97680.000000000,97465.000000000,4.68000,43.000000000,2,Short,11/03/2026 00:00:00 -06:00,00:06:40.0320010',
].join('\r\n');

describe('a file of our own', () => {
  test('a trade with a P&L of 0 has the specified contract size', () => {
    const home = new ImportHome().withUser();
    const [header] = EXPORT.split('\r\n');
    const row =
      '903,MNQZ6,11/03/2026 22:04:12 -05:00,11/03/2026 22:26:09 -05:00,20029,20029,0.74,0,1,Long,11/04/2026 00:00:00 -06:00,00:21:57';
    home.import(home.file('trades_export.csv', `${header}\r\n${row}\r\n`));
    expect(home.rows('SELECT multiplier, gross_pnl FROM trades')).toEqual([
      { multiplier: 2, gross_pnl: 0 },
    ]);
  });

  test('fees with a minus are costs, too', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file('trades_export.csv', EXPORT.replace(',0.74000,', ',-0.74000,')),
    );
    expect(home.rows("SELECT fees FROM trades WHERE id = 'topstepx:902'")).toEqual([
      { fees: 0.74 },
    ]);
  });

  test('becomes trades; times have their offset, fees cover the round turn', () => {
    const home = new ImportHome().withUser();
    const path = home.file('trades_export.csv', `\uFEFF${EXPORT}\r\n`);
    const [report] = home.import(path).files;
    expect(report).toMatchObject({ format: 'topstepx', rows: { read: 2 }, added: 2 });
    expect(report?.platform?.stated).toMatchObject([
      { what: 'gross', amount: 9, difference: 0 },
      { what: 'fees', amount: 5.42, difference: 0 },
    ]);
    expect(home.everything()['trades']).toMatchObject([
      {
        id: 'topstepx:902',
        symbol: 'MNQZ6',
        underlying: 'MNQ',
        market: 'future',
        side: 'long',
        executed_at: '2026-11-04T03:04:12.000Z',
        closed_at: '2026-11-04T12:26:09.000Z',
        multiplier: 2,
        gross_pnl: -34,
        fees: 0.74,
      },
      {
        id: 'topstepx:901',
        side: 'short',
        quantity: 2,
        multiplier: 0.1,
        gross_pnl: 43,
        fees: 4.68,
        net_pnl: 38.32,
      },
    ]);
    expect(
      home.rows(
        'SELECT side, quantity, price, fees FROM executions ORDER BY executed_at',
      ),
    ).toEqual([
      { side: 'sell', quantity: 2, price: 97680, fees: 0 },
      { side: 'buy', quantity: 2, price: 97465, fees: 4.68 },
      { side: 'buy', quantity: 1, price: 20029, fees: 0 },
      { side: 'sell', quantity: 1, price: 20012, fees: 0.74 },
    ]);
    expect(home.notes).toEqual([]);
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    });
  });

  test('orders are fills with their filled quantity, and duplicates of trades are detected', () => {
    const home = new ImportHome().withUser();
    const order = (
      id: number,
      status: string,
      side: string,
      time: string,
      price: string,
    ) =>
      `${id},X1,MNQZ6,${status},Market,3,${side},11/02/2026 09:00:00 -05:00,11/02/2026 00:00:00 -06:00,${time},${price},Trader`;
    const header =
      'Id,AccountName,ContractName,Status,Type,Size,Side,CreatedAt,TradeDay,FilledAt,ExecutePrice,CreationDisposition';
    const time = '11/02/2026 10:00:00 -05:00';
    const orders = [
      header,
      order(3, 'Filled', 'Bid', time, '20000.250000000'),
      // In the same second: ids rise with time.
      order(2, 'Filled', 'Ask', time, '20010.250000000'),
      order(4, 'Cancelled', 'Ask', '', ''),
      order(5, 'Open', 'Ask', '', ''),
    ].join('\n');
    const [report] = home.import(home.file('orders_export.csv', orders)).files;
    expect(report).toMatchObject({
      format: 'topstepx-orders',
      rows: { read: 4 },
      added: 1,
    });
    expect(report?.skipped.map(({ reason }) => reason)).toEqual([
      'cancelled order',
      'open order',
    ]);
    expect(home.rows('SELECT account, side, quantity, gross_pnl FROM trades')).toEqual([
      { account: 'X1', side: 'short', quantity: 3, gross_pnl: 60 },
    ]);
    const trade = `77,MNQZ6,${time},${time},20010.25,20000.25,2.22,60,3,Short,,`;
    expect(
      home.refusalOf(home.file('trades.csv', `${EXPORT.split('\r\n')[0]}\n${trade}`)),
    ).toContain('is a duplicate');
    for (const [from, to, message] of [
      [',Bid,', ',Lift,', '2: Side: must be one of Bid, Ask'],
      [',Cancelled,', ',Dreamt,', '4: Status: must be one of Filled, Open'],
      [
        `Ask,11/02/2026 09:00:00 -05:00,11/02/2026 00:00:00 -06:00,,`,
        `Ask,,,${time},20000`,
        '4: Status: must be one of Filled; got "Cancelled"',
      ],
    ] as const) {
      expect(home.refusalOf(home.file('wrong.csv', orders.replace(from, to)))).toContain(
        message,
      );
    }
  });

  test('separate commissions in newer exports are costs too', () => {
    const home = new ImportHome().withUser();
    const text = EXPORT.replace('TradeDuration', 'TradeDuration,Commissions').replaceAll(
      /(\d{7})(\r|$)/g,
      '$1,0.50$2',
    );
    home.import(home.file('trades_export.csv', text));
    expect(home.rows('SELECT fees FROM trades ORDER BY id')).toEqual([
      { fees: 5.18 },
      { fees: 1.24 },
    ]);
  });

  test('P&L that contradicts the prices is kept and reported', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('trades_export.csv', EXPORT.replace('-34.0', '34.0')));
    expect(home.rows("SELECT gross_pnl FROM trades WHERE id = 'topstepx:902'")).toEqual([
      { gross_pnl: 34 },
    ]);
    expect(home.notes.join()).toContain(
      'line 2: P&L is 34, but the prices give -34 at a contract size of 2; no contract size fits; the P&L in the file is kept',
    );
    expect(home.findings()).toEqual([
      'gross_pnl is 34, but it computes to -34 from its executions',
    ]);
  });

  test.each([
    [',Long,', ',Flat,', '2: Type: must be one of Long, Short, Buy, Sell; got "Flat"'],
    ['20029.000000000', '20 029', '2: EntryPrice: must be a number'],
    [
      '11/03/2026 22:04',
      '03.11.2026 25:04',
      '2: EnteredAt: must be a time with the month first',
    ],
    ['0.74000,-34.000000000,1', '0.74000,,', '2: PnL, Size: are missing'],
    [
      ',Size,Type,',
      ',Lots,Way,',
      '1: Size or Quantity, Type or Direction or Side: are missing from the header',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    const path = home.file('trades_export.csv', EXPORT.replace(from, to));
    expect(home.refusalOf(path)).toContain(message);
  });
});

test.each(
  exportsWith(
    [
      'topstepx/trades_export.csv',
      { closed: 6, money: { gross: 23, fees: 9.86, net: 13.14 } },
    ],
    [
      'topstepx/trades_export.csv',
      { closed: 60, money: { gross: 1042.5, fees: 52.28, net: 990.22 } },
    ],
  ),
)('$label adds up to its rows', ({ path, holds: { closed, money } }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report?.platform?.trades).toMatchObject({ closed, open: 0 });
  expect(report?.platform?.money).toEqual([{ currency: 'USD', ...money }]);
  expect(home.notes).toEqual([]);
});
