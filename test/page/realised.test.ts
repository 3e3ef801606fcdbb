/** Days by what was realised on them, and what doesn't reconcile, in words. */
import { describe, expect, test } from 'vitest';
import { boundsOf, daysOf } from '../../src/web/days.ts';
import { formatsOf } from '../../src/web/format.ts';
import {
  differenceInWords,
  fillOf,
  notReconciled,
} from '../../src/web/realised-in-words.ts';

type Quality = Parameters<typeof notReconciled>[0];
type UnmatchedCloses = Quality['unmatched'];
type StatedTotal = Quality['stated_totals']['totals'][number];

const format = formatsOf({ timezone: 'America/New_York', base_currency: 'USD' }, 'en-US');

test.each([
  [
    { net_pnl: 1234, realised_pnl: 1249.89 },
    { ofOpen: 27.89, unmatched: 0 },
    'Closed trades: +$1,234.00; exits of open trades +$27.89; ' +
      'exits and costs of closed trades in other periods -$12.00',
  ],
  [
    { net_pnl: 0, realised_pnl: 18.3 },
    { ofOpen: 0, unmatched: 18.3 },
    'Closed trades: $0.00; unmatched closes +$18.30',
  ],
  [
    { net_pnl: 0.1 + 0.2, realised_pnl: 5.3 },
    { ofOpen: 5, unmatched: 0 },
    'Closed trades: +$0.30; exits of open trades +$5.00',
  ],
])('%j with %j differ by what the line says', (amounts, others, words) => {
  expect(differenceInWords(amounts, others, format)).toBe(words);
});

describe('days', () => {
  const closed = {
    date: '2026-11-18',
    trades: 1,
    net_pnl: 62,
    total_r: 2,
    r_sample: 1,
    cumulative_net_pnl: 62,
    drawdown: 0,
  };
  const exit = {
    date: '2026-11-17',
    exits: 1,
    unmatched: 0,
    gross_pnl: 40,
    fees: 3,
    net_pnl: 37,
    cumulative_net_pnl: 37,
    drawdown: 0,
    lowest: 0,
  };
  const exits = {
    ...exit,
    date: closed.date,
    exits: 2,
    net_pnl: 14,
    cumulative_net_pnl: 51,
    lowest: 11,
  };
  const figures = { daily: [closed], realised: [exit, exits] };

  test('in money are those with exits, with the largest fall of each and the trades closed', () => {
    expect(daysOf(figures, { isInR: false })).toEqual([
      {
        date: exit.date,
        result: 37,
        total: 37,
        drawdown: 0,
        exits: 1,
        trades: 0,
        r: null,
      },
      {
        date: closed.date,
        result: 14,
        total: 51,
        drawdown: 11,
        exits: 2,
        trades: 1,
        r: 2,
      },
    ]);
  });

  test('in R are those of closed trades with a risk, with falls of their sum', () => {
    const rs = [2, null, -3].map((total_r, i) => ({
      ...closed,
      date: `2026-11-1${i}`,
      total_r,
    }));
    expect(daysOf({ daily: rs, realised: [exit] }, { isInR: true })).toEqual([
      {
        date: '2026-11-10',
        result: 2,
        total: 2,
        drawdown: 0,
        exits: null,
        trades: 1,
        r: null,
      },
      {
        date: '2026-11-12',
        result: -3,
        total: -1,
        drawdown: 3,
        exits: null,
        trades: 1,
        r: null,
      },
    ]);
  });

  test.each([
    [null, '2026-11-17'],
    ['2026-11-01', '2026-11-01'],
  ])('of a period that starts on %j begin on %s', (start_date, first) => {
    const period = { start_date, end_date: null, timezone: 'UTC' } as Parameters<
      typeof boundsOf
    >[0]['period'];
    expect(boundsOf({ ...figures, period })).toEqual({ first, last: '2026-11-18' });
  });
});

const none: UnmatchedCloses = {
  closes: 0,
  symbols: [],
  distinct: 0,
  realised_stated: 0,
  without_rate: [],
  without_statement: 0,
};

describe('closes without an opening', () => {
  const itemsOf = (unmatched: UnmatchedCloses) =>
    notReconciled({ unmatched, stated_totals: { differing: 0, totals: [] } }, format);
  const stated = { ...none, closes: 3, symbols: ['ONDS', 'AMD'], distinct: 4 };

  test.each<[string, Partial<UnmatchedCloses>, RegExp]>([
    [
      'that state nothing',
      { without_statement: 3 },
      /^3 unmatched closes of ONDS, AMD and 2 more:.* Their rows state no P&L\. /,
    ],
    [
      'that all state a P&L',
      { realised_stated: 216.08 },
      / 3 rows state a P&L, \+\$216\.08 in all, counted on its day\. /,
    ],
    [
      'of which some do',
      { realised_stated: -5, without_statement: 2 },
      / 1 row states a P&L, -\$5\.00 in all, .*; 2 rows state none and aren't counted\. /,
    ],
  ])('%s', (_, facts, words) => {
    const items = itemsOf({ ...stated, ...facts });
    expect(items).toEqual([
      { text: expect.stringMatching(words), commands: ['ONDS', 'AMD'].map(fillOf) },
    ]);
  });

  test('in a currency without a rate name the command that sets one', () => {
    const without_rate = [{ currency: 'EUR', amount: -12 }];
    expect(itemsOf({ ...stated, without_rate })[1]).toEqual({
      text: expect.stringContaining('-€12.00 that such closes state in EUR'),
      commands: ['journal-api rates set EUR'],
    });
  });

  test('are no item if there are none', () => {
    expect(itemsOf(none)).toEqual([]);
  });

  test.each([
    ['ONDS', 'journal-api fill "DATE TIME SIDE QUANTITY ONDS PRICE"'],
    ['BRK.B', 'journal-api fill "DATE TIME SIDE QUANTITY BRK.B PRICE"'],
    [
      'META  251219C00715000',
      `journal-api fill 'DATE TIME SIDE QUANTITY "META  251219C00715000" PRICE'`,
    ],
    ["A'; rm -rf ~", `journal-api fill 'DATE TIME SIDE QUANTITY "SYMBOL" PRICE'`],
    ['$(id)', `journal-api fill 'DATE TIME SIDE QUANTITY "SYMBOL" PRICE'`],
  ])('of %j are settled by a command that a shell takes as it is', (symbol, command) => {
    expect(fillOf(symbol)).toBe(command);
  });
});

describe('totals that files state', () => {
  const total: StatedTotal = {
    import: 3,
    file: 'activity.csv',
    what: 'net',
    symbol: null,
    currency: 'USD',
    stated_as: 'rows',
    stated: 77.5,
    here: 70.5,
    difference: -7,
    cause: 'unknown',
  };
  const itemsOf = (totals: StatedTotal[], differing = totals.length) =>
    notReconciled({ unmatched: none, stated_totals: { differing, totals } }, format);

  test.each<[string, Partial<StatedTotal>, RegExp, string[]]>([
    [
      'for no known reason',
      {},
      /^activity\.csv \(import 3\): its rows add up to net P&L \+\$77\.50, here \+\$70\.50\. /,
      [
        'journal-api import change 3 --dry-run',
        'journal-api import change 3 --account NAME',
      ],
    ],
    [
      'for unmatched closes, which are an item themselves',
      { stated_as: 'total', cause: 'unmatched_closes' },
      / it states net P&L .* Unmatched closes that state no P&L are left out\.$/,
      [],
    ],
    [
      'for want of fills',
      { cause: 'no_trades', here: 0 },
      / here \$0\.00\. To settle, import the file with its fills\.$/,
      [],
    ],
    [
      'in a position',
      { what: 'position', stated_as: 'total', symbol: 'XLU', stated: 0, here: -1 },
      / it states open position of XLU 0, here -1\. /,
      [fillOf('XLU')],
    ],
  ])('and that differ %s', (_, facts, words, commands) => {
    expect(itemsOf([{ ...total, ...facts }])).toEqual([
      { text: expect.stringMatching(words), commands },
    ]);
  });

  test('have no amounts and no file if a key hides them', () => {
    const { stated: _, here: __, difference: ___, file: ____, ...shown } = total;
    const [item] = itemsOf([shown as StatedTotal]);
    expect(item?.text).toMatch(/^Import 3: its net P&L differs here\. /);
  });

  test('beyond those listed are counted', () => {
    expect(itemsOf([total], 3)[1]).toEqual({
      text: '2 further totals of files differ.',
      commands: [],
    });
  });
});
