/** MetaTrader's strategy testers: trades from the events of version 4, and from the deals of version 5. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const row = (cells: readonly string[]) =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

const trades = (home: ImportHome) =>
  home
    .rows(
      'SELECT symbol, side, status, quantity, entry_price, gross_pnl, fees FROM trades ORDER BY executed_at, id',
    )
    .map((values) => Object.values(values).join(' '));

/** @param rows time, event, order, size, price, profit */
const ofEvents = (rows: readonly string[][], inputs = 'Lots=0.1') =>
  `<html><head><title>Strategy Tester: Averages</title></head><table>
${row(['Symbol', '', 'EURUSD (Euro vs US Dollar)'])}${row(['Parameters', inputs])}
${rows
  .map(([time = '', event = '', order = '', size = '', price = '', ...profit], index) =>
    row([
      String(index + 1),
      `2026.11.${time}`,
      event,
      order,
      size,
      price,
      '0.00000',
      '0.00000',
      ...profit,
    ]),
  )
  .join('\n')}`;

describe('a test of version 4', () => {
  const EVENTS = [
    ['02 10:00', 'buy limit', '1', '0.30', '1.10000', ''],
    ['02 10:05', 'buy', '1', '0.30', '1.10000', ''],
    ['02 10:10', 'modify', '1', '0.30', '1.10000', ''],
    // A partial close: the rest has a new number.
    ['02 10:20', 'close', '1', '0.10', '1.10100', '10.00', '3010.00'],
    ['02 10:30', 't/p', '2', '0.20', '1.10200', '40.00', '3050.00'],
    // 10.00 by its prices, the rest is an overnight swap.
    ['02 23:00', 'sell', '3', '0.10', '1.10200', ''],
    ['03 01:00', 's/l', '3', '0.10', '1.10100', '8.70', '3058.70'],
    ['03 02:00', 'sell', '4', '0.10', '1.10200', ''],
  ];

  test('has a trade for each end of an order, in a separate account and setup', () => {
    const home = new ImportHome().withUser();
    const path = home.file('StrategyTester.htm', ofEvents(EVENTS));
    const [report] = home.import(path).files;
    expect(report).toMatchObject({
      format: 'metatrader',
      rows: { read: 8 },
      added: 4,
      skipped: [{ reason: 'order placed, changed or deleted', count: 2 }],
    });
    expect(trades(home)).toEqual([
      'EURUSD long closed 0.1 1.1 10 0',
      'EURUSD long closed 0.2 1.1 40 0',
      'EURUSD short closed 0.1 1.102 8.7 0',
      'EURUSD short open 0.1 1.102 0 0',
    ]);
    expect(home.rows('SELECT DISTINCT account, setup FROM trades')).toEqual([
      { account: 'backtest', setup: 'Averages' },
    ]);
    expect(home.notes.join('\n')).toContain('include overnight swaps');
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 4,
    });
  });

  test('opens the rest of a partial close under another number, which is no other position', () => {
    const home = new ImportHome().withUser();
    const rows = [
      ['02 10:00', 'buy', '1', '0.20', '1.10000', ''],
      ['02 10:20', 'close', '1', '0.10', '1.10100', '10.00', '3010.00'],
      ['02 10:20', 'buy', '2', '0.10', '1.10000', ''],
      ['02 10:25', 'modify', '2', '0.10', '1.10000', ''],
      // Another position, of the same size in the same minute, at another price.
      ['02 10:20', 'buy', '3', '0.10', '1.10100', ''],
      ['02 10:30', 'close', '2', '0.04', '1.10200', '8.00', '3018.00'],
      ['02 10:30', 'buy', '4', '0.06', '1.10000', ''],
      ['02 10:40', 't/p', '4', '0.06', '1.10300', '18.00', '3036.00'],
    ];
    home.import(home.file('StrategyTester.htm', ofEvents(rows)));
    expect(trades(home)).toEqual([
      'EURUSD long closed 0.1 1.1 10 0',
      'EURUSD long closed 0.04 1.1 8 0',
      'EURUSD long closed 0.06 1.1 18 0',
      'EURUSD long open 0.1 1.101 0 0',
    ]);
  });

  test('with other inputs is separate, even with the same order numbers', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('first.htm', ofEvents(EVENTS)));
    expect(
      home.import(home.file('second.htm', ofEvents(EVENTS, 'Lots=0.2'))).files[0],
    ).toMatchObject({ added: 4 });
  });

  test.each([
    [
      'an empty symbol',
      'EURUSD (Euro vs US Dollar)</td></tr>',
      '</td></tr><tr><td>Period</td><td>2026.01.01 00:00 - 2026.01.01 00:00</td></tr>',
    ],
    ['no head', /<tr><td>(Symbol|Parameters).*?<\/tr>/g, ''],
  ])('with %s takes it from --symbol', (_, before, after) => {
    const home = new ImportHome().withUser();
    const path = home.file('StrategyTester.htm', ofEvents(EVENTS).replace(before, after));
    expect(home.refusalOf(path)).toContain(
      'Symbol: is missing from this report; pass it, such as --symbol EURUSD',
    );
    home.import(path, { symbol: 'XAUUSD' });
    expect(home.rows('SELECT DISTINCT symbol FROM trades')).toEqual([
      { symbol: 'XAUUSD' },
    ]);
  });

  test('closed and opened again at midnight is one trade, and one closed alone ends there', () => {
    const home = new ImportHome().withUser();
    const [report] = home.import(
      home.file(
        'StrategyTester.htm',
        ofEvents([
          ['02 10:00', 'buy', '1', '0.10', '1.10000', ''],
          ['02 11:00', 'sell', '2', '0.20', '1.10000', ''],
          ['03 00:00', 'swap close', '1', '0.10', '1.10300', '30.00', '3030.00'],
          ['03 00:00', 'swap open', '3', '0.10', '1.10310', ''],
          ['03 00:00', 'swap close', '2', '0.20', '1.10300', '-60.00', '2970.00'],
          ['03 00:00', 'swap open', '4', '0.20', '1.10310', ''],
          ['03 09:00', 's/l', '3', '0.10', '1.10200', '-11.00', '2959.00'],
          ['04 00:00', 'swap close', '4', '0.20', '1.10400', '-18.00', '2941.00'],
          ['04 09:00', 'close', '9', '0.50', '1.10400', '7.00', '2948.00'],
        ]),
      ),
    ).files;
    expect(trades(home)).toEqual([
      'EURUSD long closed 0.1 1.1 19 0',
      'EURUSD short closed 0.2 1.1 -78 0',
    ]);
    expect(report?.skipped).toEqual([{ reason: 'close without an opening', count: 1 }]);
  });
});

/** @param rows time, number, type, direction, volume, price, commission, swap, profit */
const ofDeals = (rows: readonly string[][]) =>
  `<html><head><title>Qapla</title><meta name="generator" content="strategy tester"></head><table>
${[
  ['Qapla:', 'Averages'],
  ['Huch:', 'EUR'],
  ['ngop:', '3 000.00'],
  ['nap:', '15.00', 'x:', '1.00'],
  ['Huch:', '25.00', 'y:', '2.00'],
  ['luj:', '-10.00'],
]
  .map(row)
  .join('')}
${row(['rep', 'Deal', 'sym', 'Segh', 'in', 'lo', 'pr', 'ord', 'com', 'swap', 'pro', 'bal', 'note'])}
${rows
  .map(
    ([
      time = '',
      number = '',
      type = '',
      direction = '',
      volume = '',
      price = '',
      ...money
    ]) =>
      row([
        `2026.11.${time}:00`,
        number,
        'EURUSD',
        type,
        direction,
        volume,
        price,
        number,
        ...money,
        '1 000.00',
        '',
      ]),
  )
  .join('\n')}`;

describe('a test of version 5', () => {
  test.each([
    [
      'the one of two open positions that the profit fits',
      [
        ['02 10:00', '2', 'buy', 'in', '0.1', '1.10000', '-0.50', '0.00', '0.00'],
        ['02 11:00', '3', 'sell', 'out', '0.1', '1.10100', '-0.50', '0.00', '10.00'],
        ['02 12:00', '4', 'buy', 'in', '0.1', '1.10300', '0.00', '0.00', '0.00'],
        ['02 12:30', '5', 'buy', 'in', '0.1', '1.10100', '0.00', '0.00', '0.00'],
        ['02 13:00', '6', 'sell', 'out', '0.1', '1.10150', '0.00', '-0.20', '5.00'],
      ],
      [
        'EURUSD long closed 0.1 1.1 10 1',
        'EURUSD long open 0.1 1.103 0 0',
        'EURUSD long closed 0.1 1.101 5 0.2',
      ],
    ],
    [
      'the average price in a netting account',
      [
        ['02 10:00', '2', 'buy', 'in', '0.1', '1.10000', '-0.50', '0.00', '0.00'],
        ['02 11:00', '3', 'buy', 'in', '0.3', '1.10400', '-1.50', '0.00', '0.00'],
        ['02 12:00', '4', 'sell', 'out', '0.4', '1.10500', '-2.00', '0.00', '80.00'],
      ],
      ['EURUSD long closed 0.4 1.103 80 4'],
    ],
    [
      'and opens the rest if it reverses a position',
      [
        ['02 10:00', '2', 'sell', 'in', '0.2', '1.10500', '-1.00', '0.00', '0.00'],
        ['02 11:00', '3', 'buy', 'in/out', '0.3', '1.10400', '-1.50', '0.00', '20.00'],
        ['02 12:00', '4', 'sell', 'out', '0.1', '1.10410', '-0.50', '0.00', '1.00'],
      ],
      ['EURUSD short closed 0.2 1.105 20 2', 'EURUSD long closed 0.1 1.104 1 1'],
    ],
  ])('closes %s', (_, deals, expected) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file('ReportTester.html', ofDeals(deals))).files;
    expect(trades(home)).toEqual(expected);
    expect(home.rows('SELECT DISTINCT account, setup, currency FROM trades')).toEqual([
      { account: 'backtest', setup: 'Averages', currency: 'EUR' },
    ]);
    expect(report?.platform?.stated).toMatchObject([{ what: 'net', amount: 15 }]);
    expect(home.findings()).toEqual([]);
  });

  test('is rejected with more open positions than any broker allows', () => {
    const home = new ImportHome().withUser();
    const deal = (index: number) => [
      '02 10:00',
      String(index),
      'buy',
      'in',
      '0.1',
      '1.1',
      '0',
      '0',
      '0',
    ];
    const deals = Array.from({ length: 2001 }, (_, index) => deal(index));
    expect(home.refusalOf(home.file('ReportTester.html', ofDeals(deals)))).toContain(
      'more than 2000 positions at once',
    );
  });

  test('counts closes of earlier positions', () => {
    const home = new ImportHome().withUser();
    const deals = [
      ['02 10:00', '2', 'sell', 'out', '0.1', '1.10000', '0.00', '0.00', '10.00'],
      ['02 11:00', '3', 'buy', 'in', '0.1', '1.10000', '0.00', '0.00', '0.00'],
    ];
    const [report] = home.import(home.file('ReportTester.html', ofDeals(deals))).files;
    expect(report).toMatchObject({
      added: 1,
      skipped: [{ reason: 'deal without an opening', count: 1 }],
    });
  });
});

test.each(
  exportsWith(
    ['metatrader/swap-close.htm', { closed: 2, gross: 21.5 }],
    ['mt-tester/swap-close.htm', { closed: 16, gross: 329.79 }],
  ),
)(
  '$label has the profits of all nights, and says what its total includes',
  ({ path, holds: { closed, gross } }) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(path()).files;
    expect(report?.platform).toMatchObject({
      trades: { closed, open: 0 },
      money: [{ gross }],
    });
    const [net] = report?.platform?.stated ?? [];
    if (net?.difference !== 0) expect(net?.why).toContain(`add up to ${gross}`);
  },
);

test.each([
  ...exportsWith(
    [
      'metatrader/StrategyTester.htm',
      { closed: 6, gross: 19.74, fees: 0, currency: 'USD', difference: 0 },
    ],
    [
      'mt-tester/StrategyTester.htm',
      { closed: 23, gross: -10.35, fees: 0, currency: 'USD', difference: 1061.14 },
    ],
  ),
  ...exportsWith(
    [
      'metatrader/mt5-tester.html',
      { closed: 5, gross: 41, fees: 6.2, currency: 'EUR', difference: 0 },
    ],
    [
      'mt-tester/mt5-tester.html',
      { closed: 20, gross: 305.2, fees: 0, currency: 'USD', difference: -996.2 },
    ],
  ),
])('$label adds up', ({ path, holds: { closed, difference, ...money } }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report?.platform?.trades).toMatchObject({ closed, open: 0 });
  expect(report?.platform?.money).toMatchObject([money]);
  // The totals of a shortened file are those of the whole.
  expect(report?.platform?.stated).toMatchObject([{ what: 'net', difference }]);
});
