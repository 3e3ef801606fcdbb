/** Cells of exports: accepted values, and values rejected instead of guessed. One row per case. */
import { describe, expect, test } from 'vitest';
import { RowError } from '../../src/errors.ts';
import { TIME_OF_DAY } from '../../src/import/tables/clock.ts';
import {
  amountIn,
  type Cell,
  columnsOf,
  joined,
  type MoneyStyle,
  moneyIn,
  type NumberStyle,
  numberIn,
  orNothing,
  positiveIn,
  priceIn32nds,
  refuseEmpty,
  sideIn,
  wordIn,
} from '../../src/parse/cells.ts';
import { csvRows, isEmpty, readCsv, tableWith } from '../../src/parse/csv-rows.ts';
import { coins, option, quoteOf, stock } from '../../src/parse/instruments.ts';
import { decode, decodeOlder } from '../../src/parse/open-file.ts';
import {
  assumedZone,
  type DateOrder,
  dateIn,
  dayStartIn,
  instantIn,
} from '../../src/parse/times.ts';
import { xmlElements } from '../../src/parse/xml.ts';
import { clearOffsetOf } from '../../src/time.ts';

const cell = (text: string, column = 'price'): Cell => ({ text, column, line: 7 });

/** The error's line and message. */
function refusalOf(read: () => unknown): string {
  try {
    return `read as ${JSON.stringify(read())}`;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return `${error.line}: ${error.message}`;
  }
}

const COMMA: NumberStyle = { decimal: ',' };
const SPACE: NumberStyle = { thousands: ' ' };

describe('numbers', () => {
  test.each<[string, number, NumberStyle?]>([
    ['4277.25', 4277.25],
    ['-0.5', -0.5],
    ['+3', 3],
    ['\u22121.5', -1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['0', 0],
    ['-0.00', 0],
    ['007', 7],
    ['1,234', 1234],
    ['12,345,678.90', 12345678.9],
    ['100285.000000000', 100285],
    ['1e-8', 1e-8],
    ['2.5E-07', 2.5e-7],
    ['1.234,56', 1234.56, COMMA],
    ['0,5', 0.5, COMMA],
    ['1.234', 1234, COMMA],
    ['1 434.86', 1434.86, SPACE],
    ['200\u00a0786.93', 200786.93, SPACE],
    ['1\u202f234,5', 1234.5, { ...COMMA, ...SPACE }],
    ["1'234.50", 1234.5, { thousands: "'" }],
    ['1\u2019234.50', 1234.5, { thousands: "'" }],
  ])('%j is %d', (text, value, style) => {
    expect(numberIn(cell(text), style)).toBe(value);
  });

  test.each<[string, NumberStyle?]>([
    [''],
    ['abc'],
    ['-'],
    ['.'],
    ['1,5'],
    ['1,2345'],
    ['12,34,567'],
    ['1234,567'],
    ['1.234.567'],
    ['1.5,000'],
    ['1 434.86'],
    ['110 045'],
    ["6811'00"],
    ['$5'],
    ['(5)'],
    ['5-'],
    ['--5'],
    ['0x10'],
    ['1_000'],
    ['NaN'],
    ['Infinity'],
    ['8.95E+14'],
    ['1e400'],
    ['5 lots'],
    ['1,234.5', COMMA],
    ['1.5', COMMA],
    ['1 2 3', SPACE],
    ['1,434.86', SPACE],
  ])('%j is rejected', (text, style) => {
    expect(refusalOf(() => numberIn(cell(text), style))).toBe(
      `7: price: must be a number, such as ${style?.decimal === ',' ? '4277,25' : '4277.25'}; got ${JSON.stringify(text)}`,
    );
  });

  test.each(['0', '-1', '-0'])('%j is not above 0', (text) => {
    expect(refusalOf(() => positiveIn(cell(text)))).toBe(
      `7: price: must be above 0; got "${text}"`,
    );
  });
});

const EURO: MoneyStyle = { decimal: ',', symbols: ['€', 'EUR'] };

describe('money', () => {
  test.each<[string, number, MoneyStyle?]>([
    ['$52.50', 52.5],
    ['$(41.00)', -41],
    ['($31.04)', -31.04],
    ['-$1,259.59', -1259.59],
    ['$-5', -5],
    ['- $5', -5],
    ['-1,987.00', -1987],
    ['(5)', -5],
    ['$0.00', 0],
    ['(0.00)', 0],
    ['5 $', 5],
    ['€ 1.234,50', 1234.5, EURO],
    ['-1.234,50 €', -1234.5, EURO],
    ['EUR 5', 5, EURO],
  ])('%j is %d', (text, value, style) => {
    expect(moneyIn(cell(text, 'pnl'), style)).toBe(value);
  });

  test.each<[string, MoneyStyle?]>([
    [''],
    ['$'],
    ['()'],
    ['(5'],
    ['5)'],
    ['(-5)'],
    ['-(5)'],
    ['1$5'],
    ['$$5'],
    ['€5'],
    ['12.50 USD'],
    ['$1,5'],
    ['$5', EURO],
  ])('%j is rejected', (text, style) => {
    expect(refusalOf(() => moneyIn(cell(text, 'pnl'), style))).toContain(
      '7: pnl: must be an amount, such as ',
    );
  });

  test.each([
    ['0.02427264USDT', 0.02427264, 'USDT'],
    ['-5.00 EUR', -5, 'EUR'],
    ['1 1INCH', 1, '1INCH'],
    ['261INCH', 26, '1INCH', ['1INCH']],
    ['26ABC', 26, 'ABC', ['1INCH']],
    ['5', undefined, undefined],
    ['USDT', undefined, undefined],
    ['5 usdt', undefined, undefined],
  ])(
    'an amount with its currency: %j',
    (text, amount, currency, known: string[] = []) => {
      if (amount === undefined)
        expect(refusalOf(() => amountIn(cell(text), {}, known))).toContain(
          '7: price: must be an amount with',
        );
      else expect(amountIn(cell(text), {}, known)).toEqual({ amount, currency });
    },
  );
});

test.each([
  ['110 040', 110.125],
  ['110 045', 110 + 4.5 / 32],
  ['110 042', 110 + 4.25 / 32],
  ["110'317", 110 + 31.75 / 32],
  ['123 25', 123.78125],
  ['123-00', 123],
])('32nds: %j', (text, price) => {
  expect(priceIn32nds(cell(text))).toBe(price);
});

test.each(['110 320', '110 043', '110 4', '110.04', '110 0450', ' 04', ''])(
  'not a price in 32nds: %j',
  (text) => {
    expect(refusalOf(() => priceIn32nds(cell(text)))).toContain(
      '7: price: must be a price in 32nds, such as 110 045',
    );
  },
);

describe('times', () => {
  test.each<[string, DateOrder, string]>([
    ['12/01/2025 16:33:05', 'mdy', '2025-12-01T21:33:05.000Z'],
    ['2025-12-01 16:33:05', 'mdy', '2025-12-01T21:33:05.000Z'],
    ['1/28/2025 10:59:52 AM', 'mdy', '2025-01-28T15:59:52.000Z'],
    ['1/28/2025 12:00:00 AM', 'mdy', '2025-01-28T05:00:00.000Z'],
    ['1/28/2025 12:00:00 pm', 'mdy', '2025-01-28T17:00:00.000Z'],
    ['05/08/2025 11:22:07 -04:00', 'mdy', '2025-05-08T15:22:07.000Z'],
    ['11/12/22 11:27', 'mdy', '2022-11-12T16:27:00.000Z'],
    ['02-12-2024 22:50', 'dmy', '2024-12-03T03:50:00.000Z'],
    ['31.12.2024 09:00', 'dmy', '2024-12-31T14:00:00.000Z'],
    ['2025-11-15T12:42:03-0800', 'ymd', '2025-11-15T20:42:03.000Z'],
    ['2025-11-15T12:42:03.505Z', 'ymd', '2025-11-15T12:42:03.505Z'],
    ['2014-01-13 10:33:08.4906', 'ymd', '2014-01-13T15:33:08.490Z'],
    ['2014-01-13 10:33:08.4906 UTC', 'ymd', '2014-01-13T10:33:08.490Z'],
    ['2021-09-17, 09:33:11', 'ymd', '2021-09-17T13:33:11.000Z'],
    ['20230210;071526', 'ymd', '2023-02-10T12:15:26.000Z'],
    ['2022.10.28 12:48:49', 'ymd', '2022-10-28T16:48:49.000Z'],
    ['2025-03-10  9:35:12 AM +00:00', 'ymd', '2025-03-10T09:35:12.000Z'],
    ['12/01/2025 16:33:05 PST', 'mdy', '2025-12-02T00:33:05.000Z'],
    ['08/01/2025 04:33:05 PM EDT', 'mdy', '2025-08-01T20:33:05.000Z'],
    ['15:14 2025-06-06', 'ymd', '2025-06-06T19:14:00.000Z'],
    // The missing hour in spring and the repeated one in autumn: the offset before the change.
    ['03/09/2025 02:30:00', 'mdy', '2025-03-09T07:30:00.000Z'],
    ['11/02/2025 01:30:00', 'mdy', '2025-11-02T05:30:00.000Z'],
  ])('%j with %s is %s', (text, order, instant) => {
    expect(instantIn(cell(text), order, 'America/New_York')).toBe(instant);
  });

  test('a time may end with each abbreviation that means the same everywhere, and no other', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const others = letters.flatMap((a) => letters.map((b) => `${a}${b}T`));
    const names = ['Z', 'UTC', 'ET', ...others];
    const isRead = (name: string) =>
      refusalOf(() =>
        instantIn(cell(`2026-11-20 09:31 ${name}`), 'ymd', 'UTC'),
      ).startsWith('read as');
    const read = names.filter(isRead);
    expect(read).toEqual(names.filter(clearOffsetOf));
    expect(names.filter((name) => TIME_OF_DAY.test(`09:31 ${name}`))).toEqual(read);
  });

  test.each<[string, DateOrder]>([
    ['', 'mdy'],
    ['12/01/2025', 'mdy'],
    ['16:33:05', 'mdy'],
    ['13/01/2025 16:33:05', 'mdy'],
    ['02/30/2025 16:33:05', 'mdy'],
    ['12/31/2025 16:33:05', 'dmy'],
    ['12/01/2025 24:00:00', 'mdy'],
    ['12/01/2025 13:00:00 PM', 'mdy'],
    ['12/01/2025 0:30 AM', 'mdy'],
    ['12/01/2025 16:60:00', 'mdy'],
    ['12/01/2025 16:33:05 IST', 'mdy'],
    ['12/01/2025 16:33:05 +25:00', 'mdy'],
    ['12/01/025 16:33:05', 'mdy'],
    ['1/28/2025 10:59:52 AM PM', 'mdy'],
    ['25-12-31 16:33:05', 'ymd'],
    ['1764606785', 'ymd'],
    ['45992.69', 'mdy'],
  ])('%j with %s is rejected', (text, order) => {
    const first = { ymd: 'year', mdy: 'month', dmy: 'day' }[order];
    expect(
      refusalOf(() => instantIn(cell(text, 'Time'), order, 'America/New_York')),
    ).toContain(`7: Time: must be a time with the ${first} first, such as `);
  });

  test.each<[string, DateOrder, string]>([
    ['12/05/25', 'mdy', '2025-12-05'],
    ['11/5/2025', 'mdy', '2025-11-05'],
    ['08-11-2024', 'dmy', '2024-11-08'],
    ['20230210', 'ymd', '2023-02-10'],
    ['2024-02-29', 'ymd', '2024-02-29'],
  ])('the day %j with %s is %s', (text, order, date) => {
    expect(dateIn(cell(text), order)).toBe(date);
  });

  test.each<[string, DateOrder]>([
    ['2025-02-29', 'ymd'],
    ['13/13/2025', 'mdy'],
    ['11/12/2022 10:04', 'mdy'],
    ['', 'dmy'],
  ])('the day %j with %s is rejected', (text, order) => {
    expect(refusalOf(() => dateIn(cell(text, 'Date'), order))).toContain(
      '7: Date: must be a date with the ',
    );
  });

  test('a date and a time from separate columns are named together', () => {
    const whole = joined(cell('08/08/2022', 'T/D'), cell('09:47:59', 'Exec Time'));
    expect(instantIn(whole, 'mdy', 'UTC')).toBe('2022-08-08T09:47:59.000Z');
    expect(refusalOf(() => instantIn(whole, 'ymd', 'UTC'))).toContain(
      '7: T/D, Exec Time: must be a time',
    );
  });
});

describe('days', () => {
  test('have no time', () => {
    expect(dayStartIn(cell('11/2/2026'), 'mdy')).toBe('2026-11-02T00:00:00.000[]');
    expect(refusalOf(() => dayStartIn(cell('2.11.'), 'mdy'))).toContain(
      '7: price: must be a date',
    );
  });

  test('the zone is the given one, else that of the user', () => {
    const user = { timezone: 'Asia/Tokyo' };
    expect(assumedZone({ user, timeZone: 'UTC' })).toEqual({
      zone: '[!UTC]',
      note: 'this format has no time zone; using [!UTC]',
    });
    expect(assumedZone({ user, timeZone: undefined }).note).toMatch(
      /using \[Asia\/Tokyo\], the user's time zone; pass --timezone if/,
    );
  });
});

describe('instruments', () => {
  test.each([
    [
      stock('AAPL'),
      { symbol: 'AAPL', market: 'stock', currency: 'USD', multiplier: null },
    ],
    [coins('BTC/EUR', 'EUR'), { symbol: 'BTC/EUR', market: 'crypto', currency: 'EUR' }],
    [
      option({
        underlying: 'SPY',
        expiration: '2026-06-19',
        strike: 450,
        optionType: 'call',
      }),
      {
        symbol: 'SPY 2026-06-19 C450',
        market: 'option',
        underlying: 'SPY',
        strike: 450,
        currency: 'USD',
      },
    ],
    [
      option(
        { underlying: 'F', expiration: '2026-06-19', strike: 12.5, optionType: 'put' },
        { multiplier: 10 },
      ),
      {
        symbol: 'F 2026-06-19 P12.5',
        optionType: 'put',
        expiration: '2026-06-19',
        multiplier: 10,
      },
    ],
  ])('%#', (made, shown) => {
    expect(made).toMatchObject(shown);
  });
});

describe('words', () => {
  test.each([
    ['buy', 'buy'],
    ['SELL', 'sell'],
    ['Bought', 'buy'],
    ['SLD', 'sell'],
    ['b', 'buy'],
    ['SS', 'sell'],
  ])('%s: %s', (text, side) => {
    expect(sideIn(cell(text), { SS: 'sell', BC: 'buy' })).toBe(side);
  });

  test.each(['', 'Purchased', 'Long', 'SS', 'buys', 'constructor'])(
    '%j is not a side, and not guessed',
    (text) => {
      expect(refusalOf(() => sideIn(cell(text, 'Side')))).toBe(
        `7: Side: must be one of Buy, Sell, Bought, Sold, B, S, BOT, SLD; got ${JSON.stringify(text)}`,
      );
    },
  );

  test('spaces, _ and - make no difference', () => {
    const actions = { 'Sell to Open': 1, 'Buy to Close': 2 };
    expect(
      ['SELL_TO_OPEN', 'sell-to-open', 'Sell  to Open'].map((text) =>
        wordIn(cell(text), actions),
      ),
    ).toEqual([1, 1, 1]);
    expect(refusalOf(() => wordIn(cell('Sell'), actions))).toContain(
      'must be one of Sell to Open, Buy to Close; got "Sell"',
    );
  });
});

describe('columns', () => {
  const header = { line: 3, cells: [' Symbol ', '', 'QTY', 'Price', ''] };

  test('are found in any order and case, by any of their names', () => {
    const cellsOf = columnsOf(
      header,
      { price: 'price', quantity: ['Quantity', 'Qty'] },
      { fee: 'Fee', symbol: 'Symbol' },
    );
    expect(cellsOf({ line: 4, cells: [' AAPL', 'x', ' 5 '] })).toEqual({
      price: { text: '', column: 'Price', line: 4 },
      quantity: { text: '5', column: 'QTY', line: 4 },
      symbol: { text: 'AAPL', column: 'Symbol', line: 4 },
    });
  });

  test('a column in use must not appear twice; others may', () => {
    const twice = { line: 1, cells: ['Time', 'Price', 'Price', 'Fee', 'Fee'] };
    expect(
      columnsOf(twice, { time: 'Time' })({ line: 2, cells: ['1', '2', '3'] }).time.text,
    ).toBe('1');
    expect(refusalOf(() => columnsOf(twice, { price: 'Price' }))).toBe(
      '1: Price: appears twice in the header',
    );
  });

  test('all missing columns are named at once', () => {
    expect(
      refusalOf(() =>
        columnsOf(header, { price: 'Price', fee: 'Fee', side: ['Side', 'B/S'] }),
      ),
    ).toBe('3: Fee, Side or B/S: are missing from the header');
    expect(refusalOf(() => columnsOf(header, { fee: 'Fee' }))).toBe(
      '3: Fee: is missing from the header',
    );
  });

  test('all empty cells of a row are named at once', () => {
    expect(
      refusalOf(() => refuseEmpty(cell('', 'qty'), cell('0', 'pnl'), cell('', 'price'))),
    ).toBe('7: qty, price: are missing');
    refuseEmpty(cell('x'));
  });

  test.each(['', '-', '--', 'nan', 'N/A'])('%j counts as empty', (text) => {
    expect(orNothing(cell(text), numberIn)).toBeNull();
  });

  test('text that is neither empty nor a number is rejected', () => {
    expect(orNothing(cell('0'), numberIn)).toBe(0);
    expect(refusalOf(() => orNothing(cell('---'), numberIn))).toContain(
      'must be a number',
    );
  });
});

describe('tables', () => {
  test('a table among others ends at the next empty row', () => {
    const rows = csvRows(
      'Statement for ****XX,,\n,,\nCash,,\nDATE, TIME ,AMOUNT\n1,2,"1,5"\n3,4,5\n ,,\nDATE,SIDE,\n6,7,\n',
    );
    expect(tableWith(rows, ['TIME', 'DATE'])).toEqual({
      header: { line: 4, cells: ['DATE', 'TIME', 'AMOUNT'] },
      rows: [
        { line: 5, cells: ['1', '2', '1,5'] },
        { line: 6, cells: ['3', '4', '5'] },
      ],
    });
    expect(tableWith(rows, ['SIDE'])?.rows).toEqual([{ line: 9, cells: ['6', '7', ''] }]);
    expect(tableWith(rows, ['PRICE'])).toBeUndefined();
    expect(isEmpty({ line: 1, cells: ['', ' '] })).toBe(true);
  });

  test.each([
    ['a,b;c\n1,2;3', ['a', 'b;c']],
    ['a;b,c;d\n1;2;3', ['a', 'b,c', 'd']],
    ['a\tb\n1\t2', ['a', 'b']],
    ['"a;b;c",d\n1,2', ['a;b;c', 'd']],
  ])('use the most frequent delimiter of their first line: %j', (text, cells) => {
    expect(csvRows(text)[0]?.cells).toEqual(cells);
  });

  test('a file with one table may have empty lines, but no rows of another width', () => {
    expect(readCsv('\n\na,b\n\n1,2\n').rows).toEqual([{ line: 5, cells: ['1', '2'] }]);
    expect(refusalOf(() => readCsv('a,b\n1\n'))).toBe(
      '2: has 1 cells, but the header has 2',
    );
    expect(refusalOf(() => readCsv('a,b\n1,2,3\n'))).toBe(
      '2: has 3 cells, but the header has 2',
    );
  });

  test('a comma may end each line of the header, or of the rows only', () => {
    expect(readCsv('a,b\n1,2,\n').rows).toEqual([{ line: 2, cells: ['1', '2'] }]);
    expect(readCsv('a,b,\n1,2\n').rows).toEqual([{ line: 2, cells: ['1', '2', ''] }]);
  });

  test('a line for spreadsheets states the delimiter', () => {
    expect(readCsv('sep=;\r\na;b,c\r\n1;2\r\n')).toEqual({
      header: { line: 2, cells: ['a', 'b,c'] },
      rows: [{ line: 3, cells: ['1', '2'] }],
    });
  });
});

describe('encodings', () => {
  const text = 'Ordres;é\n';
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');

  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16, little end first', utf16],
    ['UTF-16, big end first', Buffer.from(utf16).swap16()],
  ])('%s', (_, bytes) => {
    expect(decode(bytes)).toBe(text);
  });

  test.each(['<p>é</p>', 'Ordres;é'])(
    'UTF-16 without a mark is detected by its first letter: %s',
    (written) => {
      const bytes = Buffer.from(written, 'utf16le');
      expect(decode(bytes)).toBe(written);
      expect(decode(bytes.swap16())).toBe(written);
    },
  );

  test('other bytes are not text; the beginning of a text may end within a character', () => {
    expect(decode(Buffer.from('é', 'latin1'))).toBeUndefined();
    expect(decode(Buffer.from('xé').subarray(0, 2))).toBeUndefined();
    expect(decode(Buffer.from('xé').subarray(0, 2), true)).toBe('x');
    expect(decode(Buffer.from([0xff, 0xfe, 0x41]))).toBeUndefined();
  });

  test('text in neither encoding is Western European Windows', () => {
    expect(decodeOlder(Buffer.from('Börse; 5 €'))).toBe('Börse; 5 €');
    expect(decodeOlder(Buffer.from([0x42, 0xf6, 0x72, 0x73, 0x65, 0x20, 0x80]))).toBe(
      'Börse €',
    );
  });
});

describe('XML', () => {
  test('is parsed to elements with their attributes and lines', () => {
    const text =
      '<?xml version="1.0"?>\n<a>\n<b x="1 &amp; 2"\n y=""/><c z="3">text</c>\n</a>\n';
    expect(xmlElements(text)).toEqual([
      { name: 'a', attributes: {}, line: 2 },
      { name: 'b', attributes: { x: '1 & 2', y: '' }, line: 3 },
      { name: 'c', attributes: { z: '3' }, line: 4 },
    ]);
  });

  test.each(['<a>\n<b x="1"/>', '<a>\n<b x="1', '<a><b></a'])(
    '%j is truncated',
    (text) => {
      expect(refusalOf(() => xmlElements(text))).toBe(
        '1: a: is never closed; the file is truncated or damaged',
      );
    },
  );

  test('keeps entities of the document undecoded', () => {
    const text = '<!DOCTYPE a [<!ENTITY e "eeeeeeee">]><a x="&e;&e;"/>';
    expect(xmlElements(text)).toEqual([
      { name: 'a', attributes: { x: '&e;&e;' }, line: 1 },
    ]);
  });
});

test.each([
  ['BTCUSDT', 'USDT'],
  ['ETHBTC', 'BTC'],
  ['XBT/USD', 'USD'],
  ['USDC-EUR', 'EUR'],
  ['BTCTUSD', 'TUSD'],
  ['BTCBUSD', 'BUSD'],
  ['DOTUSD', 'USD'],
  ['USDTUSD', 'USD'],
  ['SHIBUSD', 'USD'],
  ['SHIBBUSD', 'BUSD'],
  ['GRTUSDT', 'USDT'],
])('%s is priced in %s', (text, quote) => {
  expect(quoteOf({ text, column: 'pair', line: 2 })).toBe(quote);
});

test.each([
  ['Z', '12:00'],
  ['UTC', '12:00'],
  ['GMT', '12:00'],
  ['EST', '17:00'],
  ['EDT', '16:00'],
  ['CST', '18:00'],
  ['CDT', '17:00'],
  ['MST', '19:00'],
  ['MDT', '18:00'],
  ['PST', '20:00'],
  ['PDT', '19:00'],
])('noon in %s is %s in UTC', (zone, time) => {
  const cell = { text: `2026-11-20 12:00 ${zone}`, column: 'Time', line: 2 };
  expect(instantIn(cell, 'ymd', 'Asia/Tokyo')).toBe(`2026-11-20T${time}:00.000Z`);
});
