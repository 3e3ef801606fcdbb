/** Tables in files: workbooks, other encodings, headers further down, folders of several files. */
import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { loadMapping } from '../../../src/import/mapping/load.ts';
import { ImportHome, TRADE } from '../home.ts';

const MAPPING = {
  name: 'sheet',
  target: 'fills',
  dates: 'excel',
  zone: 'America/New_York',
  fields: {
    symbol: 'Ticker',
    market: { value: 'stock' },
    executed_at: 'When',
    quantity: 'Qty',
    price: 'Price',
    fees: { column: ['Fee', 'Fee (2)'] },
  },
};

function home(mapping: object = MAPPING) {
  const own = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  return { own, map: loadMapping(own.file('my.json', JSON.stringify(mapping))) };
}

function workbook(rows: readonly (readonly (string | number)[])[]): Buffer {
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? `<c><v>${value}</v></c>`
      : `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const sheet = rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('');
  return Buffer.from(
    zipSync({
      'xl/worksheets/sheet1.xml': strToU8(
        `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
      ),
    }),
  );
}

describe('a workbook', () => {
  test('is read by a mapping: date numbers, two columns with the same name, lines above the header', () => {
    const { own, map } = home();
    const rows = [
      ['My trades'],
      ['Ticker', 'When', 'Qty', 'Price', 'Fee', 'Fee', 'Remark'],
      ['AAPL', 46346.395833333336, 10, 100.1, 0.1, 0.2, 'in'],
      ['AAPL', 46346.4375, -10, 101.1, 0.1, 0.2, 'out'],
    ];
    const [report] = own.import(own.file('trades.xlsx', workbook(rows)), { map }).files;
    expect(
      own.rows('SELECT executed_at, closed_at, gross_pnl, fees, source FROM trades'),
    ).toMatchObject([
      {
        executed_at: '2026-11-20T14:30:00.000Z',
        closed_at: '2026-11-20T15:30:00.000Z',
        gross_pnl: 10,
        fees: 0.6,
      },
    ]);
    expect(report?.notes).toContain('columns not used by the mapping: Remark');
  });
});

const CSV_MAPPING = {
  ...MAPPING,
  dates: 'ymd',
  fields: { ...MAPPING.fields, fees: 'Gebühr' },
};
const CSV = 'Ticker;When;Qty;Price;Gebühr\nAAPL;2026-11-20 09:30;10;100.1;0.1\n';

describe('a table of text', () => {
  test.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${CSV}`)],
    ['UTF-16', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
    ['the encoding of Windows', Buffer.from(CSV, 'latin1')],
    ['with a line that states the delimiter', Buffer.from(`sep=;\n${CSV}`)],
    ['with other line endings', Buffer.from(CSV.replaceAll('\n', '\r\n'))],
  ])('in %s', (_, bytes) => {
    const { own, map } = home(CSV_MAPPING);
    own.import(own.file('trades.csv', bytes), { map });
    expect(own.rows('SELECT symbol, fees FROM trades')).toEqual([
      { symbol: 'AAPL', fees: 0.1 },
    ]);
  });

  test.each([
    [
      'Ticker;When;Qty;Price\nA;2026-11-20;1;1\n',
      '1: Gebühr: is missing from the header: Ticker, When, Qty, Price',
    ],
    [`${CSV}A;2026-11-20;1;1;0;surplus\n`, '3: has 6 cells, but the header has 5'],
    [`${CSV}A;2026-11-20;1;1\nA;2026-11-20;1\n`, '4: price: is missing'],
    [`${CSV}Total;;10;;0.1\n`, '3: executed_at, price: are missing'],
  ])('rejected: %j', (text, words) => {
    const { own, map } = home(CSV_MAPPING);
    expect(own.refusalOf(own.file('trades.csv', text), { map })).toBe(words);
  });

  test('without a header has numbered columns', () => {
    const fields = {
      symbol: '1',
      market: { value: 'stock' },
      executed_at: '2',
      quantity: '3',
      price: '4',
    };
    const { own, map } = home({ ...CSV_MAPPING, header: false, fields });
    own.import(
      own.file('trades.csv', CSV.split('\n').slice(1).join('\n').replaceAll(';', ',')),
      {
        map,
      },
    );
    expect(own.rows('SELECT symbol FROM trades')).toEqual([{ symbol: 'AAPL' }]);
  });
});

describe('a folder', () => {
  test('imports the files with the columns, and names the others', () => {
    const { own, map } = home(CSV_MAPPING);
    own.file('a.csv', CSV);
    own.file('b.csv', CSV.replace('AAPL', 'MSFT'));
    own.file('other.csv', 'x,y\n1,2\n');
    const { files, ignored } = own.import(own.folder, { map });
    expect(files.map(({ added }) => added)).toEqual([1, 1]);
    expect(ignored.map(({ reason }) => reason)).toContain('not a map:sheet file');
  });
});

describe('a valid mapping that is unusable', () => {
  test.each([
    [
      { fields: { symbol: 'A' } },
      'fields: missing for fills: market, executed_at, quantity, price; name a column for each',
    ],
    [
      { fields: { ...MAPPING.fields, symbol: { column: 'A', lookup: 'x' } } },
      'fields.symbol: unknown lookup "x"; add it to "lookups"',
    ],
    [
      { lookups: { x: { file: 'none.csv', key: 'a', value: 'b' } } },
      "none.csv can't be read: there is no such file",
    ],
    [{ lookups: { x: { file: 'my.json', key: 'a', value: 'b' } } }, 'my.json:'],
    [
      { lookups: { x: { file: '../x.csv', key: 'a', value: 'b' } } },
      "lookups.x.file: must be in the mapping's folder",
    ],
    [
      { lookups: { x: { file: '/etc/passwd', key: 'a', value: 'b' } } },
      "lookups.x.file: must be in the mapping's folder",
    ],
    [
      { fields: { ...MAPPING.fields, symbol: { column: 'A', lookup: 'constructor' } } },
      'unknown lookup "constructor"',
    ],
  ])('%j', (changes, words) => {
    expect(() => home({ ...MAPPING, ...changes })).toThrow(words);
  });

  test('a lookup that links to a file in another folder', () => {
    const own = new ImportHome();
    symlinkSync('/etc/passwd', own.path('symbols.csv'));
    const lookups = { x: { file: 'symbols.csv', key: 'root', value: 'x' } };
    const map = own.file('my.json', JSON.stringify({ ...MAPPING, lookups }));
    expect(() => loadMapping(map)).toThrow(
      "lookups.x.file: must be in the mapping's folder",
    );
  });

  test('a lookup with two values for one key', () => {
    const own = new ImportHome();
    own.file('symbols.csv', 'id,symbol\n1,AAPL\n1,MSFT\n');
    const lookups = { x: { file: 'symbols.csv', key: 'id', value: 'symbol' } };
    const map = own.file('my.json', JSON.stringify({ ...MAPPING, lookups }));
    expect(() => loadMapping(map)).toThrow(
      'symbols.csv:3: id: "1" appears twice with different values; keep one',
    );
  });
});

describe('journal entries that name their trade by symbol and time', () => {
  const ENTRIES = {
    name: 'diary',
    target: 'trade-journals',
    zone: 'America/New_York',
    fields: {
      symbol: 'Ticker',
      executed_at: { column: ['Date', 'Time'] },
      phase: { value: 'review' },
      body: 'Remark',
    },
  };
  const TRADES = [
    {
      ...TRADE,
      id: 'a',
      executed_at: '2026-11-02T14:30:20Z',
      closed_at: '2026-11-02T15:30:00Z',
    },
    {
      ...TRADE,
      id: 'b',
      executed_at: '2026-11-02T15:10:00Z',
      closed_at: '2026-11-04T15:30:00Z',
    },
    { ...TRADE, id: 'c', symbol: 'MSFT' },
  ];
  const diary = (row: string) => {
    const { own, map } = home(ENTRIES);
    own.import(own.lines('trades.jsonl', ...TRADES));
    return { own, map, path: own.file('diary.csv', `Ticker,Date,Time,Remark\n${row}\n`) };
  };

  test.each([
    ['to the minute, in the zone of the mapping', 'AAPL,2026-11-02,09:30,x', 'a'],
    ['while it was open', 'aapl,2026-11-03,12:00,x', 'b'],
    ['of a day on which it was open', 'AAPL,2026-11-04,,x', 'b'],
    ['without a time', 'MSFT,,,x', 'c'],
  ])('%s; importing again changes nothing', (_, row, id) => {
    const { own, map, path } = diary(row);
    own.import(path, { map });
    expect(own.everything()['trade-journals']).toMatchObject([
      { trade_id: id, body: 'x' },
    ]);
    expect(own.import(path, { map }).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 1,
    });
  });

  test.each([
    [
      'AAPL,2026-11-02,,x',
      '2: trade_id: is missing, and there are 2 trades in AAPL at 2026-11-02T05:00:00.000Z: a',
    ],
    [
      'AAPL,2026-11-20,,x',
      '2: trade_id: is missing, and there is no trade in AAPL at 2026-11-20T05:00:00.000Z',
    ],
    [',2026-11-02,09:30,x', '2: trade_id: is missing'],
    ['AAPL,2026-02-30,09:30,x', '2: Date'],
  ])('%s: an error that names the candidates', (row, words) => {
    const { own, map, path } = diary(row);
    expect(own.refusalOf(path, { map })).toContain(words);
    expect(own.everything()['trade-journals']).toEqual([]);
  });
});

test('missed trades need no id of their own, and are the same when imported again', () => {
  const fields = {
    ...{ missed_at: 'When', symbol: 'Ticker', side: 'Side', reason: 'Why' },
    ...{ market: { value: 'stock' }, miss_type: { value: 'away' } },
  };
  const { own, map } = home({
    name: 'missed',
    target: 'missed-trades',
    zone: 'America/New_York',
    fields,
  });
  const table = own.file(
    'missed.csv',
    'When,Ticker,Side,Why\n2026-11-20 09:30,AAPL,long,late\n',
  );
  expect(own.import(table, { map }).files).toMatchObject([{ added: 1 }]);
  expect(
    own.rows('SELECT symbol, side, miss_type, missed_at, currency FROM missed_trades'),
  ).toEqual([
    {
      symbol: 'AAPL',
      side: 'long',
      miss_type: 'away',
      missed_at: '2026-11-20T14:30:00.000Z',
      currency: 'USD',
    },
  ]);
  expect(own.import(table, { map }).files).toMatchObject([
    { added: 0, changed: 0, unchanged: 1 },
  ]);
  // Earlier versions hashed the time in UTC.
  const facts = JSON.stringify(['AAPL', 'long', '2026-11-20T14:30:00.000Z']);
  const former = `map:missed:${createHash('sha256').update(facts).digest('hex').slice(0, 24)}`;
  own.write(`UPDATE missed_trades SET id = '${former}'`);
  expect(own.import(table, { map }).files).toMatchObject([
    { added: 0, changed: 0, unchanged: 1 },
  ]);
  const withoutSide = {
    name: 'missed',
    target: 'missed-trades',
    fields: { ...fields, side: undefined },
  };
  expect(() => home(withoutSide)).toThrow('fields: missing for missed-trades: side;');
});
