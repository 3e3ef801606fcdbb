/** Exports as sheets of a workbook, from TradingView or saved by a spreadsheet program. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { storedSheets, workbookSheets } from '../../src/parse/workbook.ts';
import { ImportHome } from './home.ts';

type Cell = string | number | { date: number } | { day: number };

const STYLES =
  '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;d&quot; 0.00"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts>' +
  '<cellStyleXfs><xf numFmtId="22"/></cellStyleXfs><cellXfs><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/></cellXfs></styleSheet>';

/** @param sheets rows of each; numbers have a style with a letter of date formats that isn't a date */
function workbook(
  sheets: readonly (readonly Cell[])[][],
  book = '<workbook></workbook>',
): Buffer {
  const cellOf = (cell: Cell) => {
    if (typeof cell === 'number') return `<c s="0"><v>${cell}</v></c>`;
    if (typeof cell === 'object' && 'day' in cell)
      return `<c s="2"><v>${cell.day}</v></c>`;
    if (typeof cell === 'object') return `<c s="1"><v>${cell.date}</v></c>`;
    return `<c t="inlineStr"><is><t>${cell}</t></is></c>`;
  };
  const xml = (rows: (readonly Cell[])[]) =>
    `<worksheet><sheetData>${rows.map((cells) => `<row>${cells.map(cellOf).join('')}</row>`).join('')}</sheetData></worksheet>`;
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'xl/workbook.xml': strToU8(book),
      'xl/styles.xml': strToU8(STYLES),
      ...Object.fromEntries(
        sheets.map((rows, i) => [`xl/worksheets/sheet${i + 1}.xml`, strToU8(xml(rows))]),
      ),
    }),
  );
}

const SUMMARY: Cell[][] = [
  ['', 'All USD'],
  ['Net profit', 48],
];

/** 2026-11-20 is day 46346 of the usual calendar, and 44884 of the one that begins in 1904. */
const LIST = (days: number): Cell[][] => [
  [
    'Trade #',
    'Type',
    'Date and time',
    'Signal',
    'Price USD',
    'Position size (qty)',
    'Net P&amp;L USD',
    'Net P&amp;L %',
  ],
  [1, 'Exit long', { date: days + 0.4375 }, 'a, "b"', 105, 10, 48, 4.8],
  [1, 'Entry long', { date: days + 0.395833333333 }, 'Long', 100, 10, 48, 4.8],
];

const NAME = 'My_Strategy_NASDAQ_ACME_2026-11-20_1a2b3.xlsx';

test.each([
  ['the usual calendar', workbook([SUMMARY, LIST(46_346)])],
  [
    'the calendar from 1904',
    workbook([SUMMARY, LIST(44_884)], '<workbook><workbookPr date1904="1"/></workbook>'),
  ],
])(
  'TradingView has the list of trades in a separate sheet, with dates of %s',
  (_, bytes) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file(NAME, bytes), { timeZone: 'UTC' }).files;
    expect(report).toMatchObject({ format: 'tradingview', rows: { read: 2 }, added: 1 });
    expect(
      home.rows('SELECT symbol, executed_at, closed_at, gross_pnl, fees FROM trades'),
    ).toEqual([
      {
        symbol: 'ACME',
        executed_at: '2026-11-20T09:30:00.000Z',
        closed_at: '2026-11-20T10:30:00.000Z',
        gross_pnl: 50,
        fees: 2,
      },
    ]);
  },
);

const GRID: Cell[][] = [
  ['NinjaTrader Grid'],
  [
    'Instrument',
    'Action',
    'Quantity',
    'Price',
    'Time',
    'ID',
    'E/X',
    'Account display name',
  ],
  ['MNQ DEC26', 'Sell', 1, 25010.5, { date: 46_346.4375 }, 537862110018, 'Exit', 'A'],
  [
    'MNQ DEC26',
    'Buy',
    1,
    25000.25,
    { date: 46_346.39587962963 },
    537862110007,
    'Entry',
    'A',
  ],
];

test('an export saved by a spreadsheet is read with its lines, under any name and with --format', () => {
  const home = new ImportHome().withUser();
  const path = home.file('Book1.xlsx', workbook([SUMMARY, GRID]));
  expect(home.import(path).files[0]).toMatchObject({
    format: 'ninjatrader',
    rows: { read: 2 },
    added: 1,
  });
  expect(home.rows('SELECT executed_at, gross_pnl FROM trades')).toEqual([
    { executed_at: '2026-11-20T09:30:04.000Z', gross_pnl: 20.5 },
  ]);
  expect(home.import(path, { format: 'ninjatrader' }).files[0]).toMatchObject({
    added: 0,
    unchanged: 1,
  });
  const wrong = GRID.map((cells) =>
    cells.map((cell) => (cell === 'Buy' ? 'Give' : cell)),
  );
  expect(home.refusalOf(home.file('Book2.xlsx', workbook([wrong])))).toContain(
    '4: Action: must be one of Buy, Sell',
  );
});

test('a workbook without an export is rejected', () => {
  const home = new ImportHome().withUser();
  expect(home.refusalOf(home.file('Book1.xlsx', workbook([SUMMARY])))).toContain(
    'no sheet of this workbook is a known export',
  );
});

test('dates saved by a spreadsheet stay dates', () => {
  const home = new ImportHome().withUser();
  const history: Cell[][] = [
    [
      'Date',
      'Action',
      'Symbol',
      'Description',
      'Quantity',
      'Price',
      'Fees &amp; Comm',
      'Amount',
    ],
    [{ day: 46_346 }, 'Buy', 'ABC', 'ABC CORP', 10, 2.5, 0, -25],
  ];
  expect(
    home.import(home.file('history.xlsx', workbook([history]))).files[0],
  ).toMatchObject({
    format: 'schwab',
  });
  expect(home.rows('SELECT executed_at FROM trades')).toEqual([
    { executed_at: '2026-11-20T00:00:00.000Z' },
  ]);
});

test('a row beyond the last row of a sheet is rejected before lines are created up to it', () => {
  const home = new ImportHome().withUser();
  const xml =
    '<worksheet><sheetData><row r="99999999999"><c><v>1</v></c></row></sheetData></worksheet>';
  const bytes = Buffer.from(zipSync({ 'xl/worksheets/sheet1.xml': strToU8(xml) }));
  expect(home.refusalOf(home.file('a.xlsx', bytes), { format: 'schwab' })).toContain(
    'it has no row 99999999999',
  );
});

/** A workbook of parts as other programs write them. */
function archive(parts: Record<string, string>): Buffer {
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)] as const);
  return Buffer.from(zipSync(Object.fromEntries(files)));
}

const XMLNS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

const rowOf = (cells: readonly string[]) => `<row>${cells.join('')}</row>`;
const text = (own: string) => `<c t="inlineStr"><is><t>${own}</t></is></c>`;
const sheetOf = (...rows: string[][]) =>
  `<worksheet ${XMLNS}><sheetData>${rows.map(rowOf).join('')}</sheetData></worksheet>`;

const SPOT_HEADER = [
  'Date(UTC)',
  'Market',
  'Type',
  'Price',
  'Amount',
  'Total',
  'Fee',
  'Fee Coin',
].map(text);
const SPOT = sheetOf(
  SPOT_HEADER,
  ['2026-11-02 12:00:00', 'ABCUSDT', 'SELL', '11', '10', '110', '0', 'USDT'].map(text),
  ['2026-11-02 11:00:00', 'ABCUSDT', 'BUY', '10', '10', '100', '0', 'USDT'].map(text),
);

test.each([
  ['closes itself', `<sst ${XMLNS} count="0" uniqueCount="0"/>`],
  ['closes itself with a prefix', `<x:sst xmlns:x="a" />`],
  ['has no strings', `<sst ${XMLNS}></sst>`],
])('an empty table of shared strings that %s', (_, strings) => {
  const home = new ImportHome().withUser();
  const bytes = archive({
    'xl/worksheets/sheet1.xml': SPOT,
    'xl/sharedStrings.xml': strings,
  });
  home.import(home.file('history.xlsx', bytes));
  expect(home.rows('SELECT gross_pnl FROM trades')).toEqual([{ gross_pnl: 10 }]);
});

test('shared strings without their end are rejected', () => {
  const home = new ImportHome().withUser();
  const bytes = archive({
    'xl/worksheets/sheet1.xml': SPOT,
    'xl/sharedStrings.xml': `<sst ${XMLNS} count="9">`,
  });
  expect(home.refusalOf(home.file('history.xlsx', bytes))).toContain(
    'its XML is truncated',
  );
});

describe('the cells of a workbook', () => {
  test('a text lacks its reading in another script, and has the characters that XML escapes', () => {
    const strings = [
      '<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>',
      '<r><t>a_x000D_</t></r><r><t>b</t></r>',
      '<t>_x005F_x000D_</t>',
    ];
    const inline =
      '<c t="inlineStr"><is><t>円</t><rPh sb="0" eb="1"><t>エン</t></rPh></is></c>';
    const cells = [
      ...strings.map((_, index) => `<c t="s"><v>${index}</v></c>`),
      inline,
      '<c t="str"><v>_x0041_</v></c>',
    ];
    const bytes = archive({
      'xl/worksheets/sheet1.xml': sheetOf(cells),
      'xl/sharedStrings.xml': `<sst>${strings.map((own) => `<si>${own}</si>`).join('')}</sst>`,
    });
    expect(workbookSheets(bytes)).toEqual([
      [{ line: 1, cells: ['東京', 'a\rb', '_x000D_', '円', 'A'] }],
    ]);
  });

  test.each([
    [27, 46_346.5, '2026-11-20 12:00:00'],
    [31, 46_346, '2026-11-20'],
    [33, 0.5, '12:00:00'],
    [36, 46_346, '2026-11-20'],
    [50, 46_346, '2026-11-20'],
    [58, 46_346, '2026-11-20'],
    [37, 46_346, '46346'],
    [49, 46_346, '46346'],
  ])('a number in the built-in format %i', (format, number, shown) => {
    const bytes = archive({
      'xl/worksheets/sheet1.xml': sheetOf([`<c s="0"><v>${number}</v></c>`]),
      'xl/styles.xml': `<styleSheet><cellXfs><xf numFmtId="${format}"/></cellXfs></styleSheet>`,
    });
    expect(workbookSheets(bytes)[0]?.[0]?.cells).toEqual([shown]);
  });

  test.each<[string, string, string[]]>([
    [
      'the tabs',
      '<sheet name="B" r:id="rId7"/><sheet name="A" r:id="rId3"/>',
      ['second', 'first'],
    ],
    [
      'the tabs that are sheets',
      '<sheet name="B" r:id="rId7"/><sheet name="C" r:id="rId9"/>',
      ['second'],
    ],
    ['the numbers, if it states no tabs', '', ['first', 'second']],
  ])('sheets are in the order of %s', (_, sheets, order) => {
    const part = (id: string, target: string) =>
      `<Relationship Id="${id}" Target="${target}"/>`;
    const bytes = archive({
      'xl/workbook.xml': `<workbook><sheets>${sheets}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${part('rId3', 'worksheets/sheet1.xml')}${part('rId7', '/xl/worksheets/sheet2.xml')}${part('rId9', 'chartsheets/sheet1.xml')}</Relationships>`,
      'xl/worksheets/sheet1.xml': sheetOf([text('first')]),
      'xl/worksheets/sheet2.xml': sheetOf([text('second')]),
    });
    expect(workbookSheets(bytes).map(([row]) => row?.cells[0])).toEqual(order);
    expect(storedSheets(bytes).map(([row]) => row?.cells[0])).toEqual(order);
  });
});
