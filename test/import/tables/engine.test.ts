/** The engine of declared tables: all parts of a declaration. */
import { describe, expect, test } from 'vitest';
import { optional } from '../../../src/import/tables/declaration.ts';
import { type FillsDeclaration, fillsTable } from '../../../src/import/tables/fills.ts';
import type { ReadContext } from '../../../src/import/tables/format.ts';
import { tradesTable } from '../../../src/import/tables/trades.ts';
import { trades } from '../../../src/journal/resources/trades.ts';
import { newUser } from '../../../src/journal-write/users.ts';
import { future, stock } from '../../../src/parse/instruments.ts';
import { settled } from '../settled.ts';

const COLUMNS = {
  symbol: 'Symbol',
  executed_at: 'Time',
  side: 'Side',
  quantity: ['Qty', 'Quantity'],
  price: 'Price',
  fees: { column: 'Fee', plus: ['Tax'], optional: true, sign: 'absolute' },
  account: optional('Account'),
} as const;

const DECLARED: FillsDeclaration<typeof COLUMNS> = {
  name: 'acme',
  description: 'Acme',
  marks: ['Symbol', 'Side', 'Price'],
  columns: COLUMNS,
  dates: 'ymd',
  instrument: ({ symbol }) => stock(symbol.text),
};

const CONTEXT: ReadContext = {
  resource: trades,
  user: newUser('me', { timezone: 'America/New_York' }),
  fileName: 'acme.csv',
  timeZone: undefined,
  date: undefined,
};

function read(
  more: Partial<FillsDeclaration<typeof COLUMNS>>,
  rows: string[],
  context: Partial<ReadContext> = {},
) {
  const format = fillsTable({ ...DECLARED, ...more });
  if (format.binary || format.streamed || format.notes)
    throw new Error('a table is text');
  return settled(
    format.read(rows.join('\n'), { ...CONTEXT, ...context }),
    CONTEXT.user.timezone,
  );
}

const HEADER = 'Symbol,Time,Side,Qty,Price,Fee,Tax';
const ROW = 'AAPL,2026-11-02 10:00,Buy,10,5.5,-0.25,0.5';

describe('a declared table', () => {
  test("becomes fills in the user's zone, which a note names", () => {
    const { fills, rows, notes } = read({}, [HEADER, ROW]);
    expect(fills).toMatchObject([
      {
        line: 2,
        executedAt: '2026-11-02T15:00:00.000Z',
        side: 'buy',
        quantity: 10,
        price: 5.5,
        fees: 0.75,
      },
    ]);
    expect(rows).toBe(1);
    expect(notes).toEqual([expect.stringContaining('using America/New_York')]);
  });

  test('needs no zone if each time has an offset', () => {
    expect(read({}, [HEADER, ROW.replace('10:00', '10:00+01:00')])).toMatchObject({
      fills: [{ executedAt: '2026-11-02T09:00:00.000Z' }],
      notes: [],
    });
  });

  test('without a column of fees, a note states that it has none', () => {
    const { fills, notes } = read({ zone: 'UTC' }, [
      'Symbol,Time,Side,Quantity,Price',
      ROW.split(',', 5).join(),
    ]);
    expect(fills).toMatchObject([{ fees: 0 }]);
    expect(notes).toEqual(['this export has no fees; they are 0']);
  });

  test.each([
    ['days since 1900', 'excel', '46328.416666666664'],
    ['seconds since 1970', 'unix', '1793613600'],
    ['a month by its name', 'dmy', '2 November 2026 10:00'],
    ['the first of several formats that fits', ['mdy', 'ymd'], '2026-11-02 10:00'],
  ] as const)('reads %s', (_, dates, time) => {
    expect(
      read({ dates, zone: 'UTC' }, [HEADER, ROW.replace('2026-11-02 10:00', time)]).fills,
    ).toMatchObject([{ executedAt: '2026-11-02T10:00:00.000Z' }]);
  });

  test('takes the date of a time of day from another column, or from --date', () => {
    const columns = {
      ...COLUMNS,
      executed_at: { column: 'Time', day: 'account' },
    } as unknown as typeof COLUMNS;
    const row = ROW.replace('2026-11-02 10:00', '10:00');
    const own = { columns, zone: 'UTC' };
    expect(
      read(own, [`${HEADER},Account`, `${row},2026-11-03`]).fills[0]?.executedAt,
    ).toBe('2026-11-03T10:00:00.000Z');
    expect(read(own, [HEADER, row], { date: '2026-11-04' }).fills[0]?.executedAt).toBe(
      '2026-11-04T10:00:00.000Z',
    );
    expect(() => read(own, [HEADER, row])).toThrow('has a time without a date');
  });

  test('skips rows by the same rules as a mapping, and empty ones, each with its reason', () => {
    const rows = [
      HEADER,
      ROW,
      ROW.replace('AAPL', 'Total'),
      ',,,,,,',
      ROW.replace('Buy', 'Gift'),
    ];
    const skip = [
      { column: 'symbol', is: ['total'], reason: 'total line' },
      { column: 'side', not: ['buy', 'sell'] },
    ];
    const { skipped, fills, rows: all } = read({ skip }, rows);
    expect(Object.fromEntries(skipped)).toEqual({
      'total line': 1,
      'empty row': 1,
      'row with side "Gift"': 1,
    });
    expect([fills.length, all]).toEqual([1, 4]);
  });

  test.each([
    ['Price', 'Cost', 'Price: is missing from the header'],
    ['AAPL', '', 'Symbol: is missing'],
    [',10,', ',-,', 'Qty: must be a number'],
    ['Buy', 'Gift', 'Side: must be one of Buy, Sell'],
    ['2026-11-02 10:00', '2026-11-02', 'Time: must be a time with the year first'],
  ])('with %j for %j is rejected', (from, to, message) => {
    expect(() =>
      read({}, [HEADER, ROW].join('\n').replace(from, to).split('\n')),
    ).toThrow(message);
  });
});

test('a table of closed trades becomes records, with its stated totals', () => {
  const format = tradesTable({
    name: 'acme',
    description: 'Acme',
    marks: ['Symbol', 'Entered', 'Exited'],
    columns: {
      id: 'Id',
      symbol: 'Symbol',
      executed_at: 'Entered',
      closed_at: 'Exited',
      side: 'Side',
      quantity: 'Qty',
      entry_price: 'Entry',
      exit_price: 'Exit',
      gross_pnl: 'PnL',
    },
    dates: 'ymd',
    zone: 'UTC',
    instrument: ({ symbol }) => future(symbol.text),
    states: ['gross'],
  });
  if (format.binary || format.streamed || format.notes)
    throw new Error('a table is text');
  const text =
    'Id,Symbol,Entered,Exited,Side,Qty,Entry,Exit,PnL\n7,MNQZ6,2026-11-02 10:00,2026-11-02 11:00,Short,2,20000,19990,40';
  expect(format.read(text, CONTEXT)).toMatchObject({
    records: [
      { line: 2, values: { id: 'acme:7', side: 'short', multiplier: 2, gross_pnl: 40 } },
    ],
    stated: [{ what: 'gross', amount: 40 }],
  });
});
