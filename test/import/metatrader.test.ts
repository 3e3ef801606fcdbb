/** MetaTrader: the statement of version 4, and the report of version 5 in any language, as HTML and as a workbook. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { exportsWith, pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

const row = (cells: readonly string[], tag = 'td') =>
  `<tr align=right>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;

const STATEMENT = `<html><head><title>Statement: 7001 - Müller</title></head><body><table>
<tr><td colspan=2><b>Account: 7001</b></td><td><b>Name: Müller</b></td><td><b>Currency: EUR</b></td></tr>
<tr><td colspan=14><b>Closed Transactions:</b></td></tr>
${row(['Ticket', 'Open Time', 'Type', 'Size', 'Item', 'Price', 'S / L', 'T / P', 'Close Time', 'Price', 'Commission', 'Taxes', 'Swap', 'Profit'])}
${row(['501', '2026.11.02 09:30:00', 'buy', '0.50', 'eurusd', '1.10000', '0.00000', '0.00000', '2026.11.02 10:30:00', '1.10500', '-3.50', '0.00', '-1.25', '226.24'])}
${row(['502', '2026.11.02 11:00:00', 'sell', '2.00', 'xauusd', '2 000.00', '0.00', '0.00', '2026.11.02 12:00:00', '1 990.00', '0.00', '0.00', '4.00', '1 818.18'])}
<tr align=right><td colspan=9>&nbsp;</td><td>21000</td><td colspan=3>&nbsp;</td></tr>
<tr><td>503</td><td>2026.11.02 11:00:00</td><td>buy limit</td><td>1.00</td><td>eurusd</td><td>1.1</td><td>0</td><td>0</td><td>2026.11.02 12:00:00</td><td>1.2</td><td colspan=4>cancelled</td></tr>
<tr><td>500</td><td>2026.11.01 11:00:00</td><td>balance</td><td colspan=10>Deposit</td><td>5 000.00</td></tr>
<tr align=right><td colspan=10>&nbsp;</td><td>-3.50</td><td>0.00</td><td>2.75</td><td>2 044.42</td></tr>
<tr><td colspan=14><b>Open Trades:</b></td></tr>
${row(['504', '2026.11.02 13:00:00', 'sell', '1.00', 'audusd', '0.65', '0', '0', '&nbsp;', '0.64', '-3.00', '0.00', '0.00', '100.00'])}
</table></body></html>`;

const shown = (home: ImportHome) =>
  home
    .everything()
    ['trades']?.map(({ symbol, market, side, currency, gross_pnl, fees, net_pnl }) =>
      [symbol, market, side, currency, gross_pnl, fees, net_pnl].join(' '),
    );

const SWAP =
  'swaps of 4 beyond the costs of their trades count as gross because fees are never below 0';

describe('a statement of version 4', () => {
  const options = { timeZone: 'Europe/Athens' };

  test('of another account has separate trades, even with the same numbers', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    for (const account of ['7001', '7002']) {
      const text = STATEMENT.replace('Account: 7001', `Account: ${account}`);
      const path = home.file(`${account}.htm`, Buffer.from(text, 'latin1'));
      expect(home.import(path, options).files[0]).toMatchObject({ added: 3 });
    }
  });

  test("becomes closed trades in the account's currency", () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const path = home.file('Statement.htm', Buffer.from(STATEMENT, 'latin1'));
    const [report] = home.import(path, options).files;
    expect(report).toMatchObject({
      format: 'metatrader',
      rows: { read: 5 },
      added: 3,
      skipped: [{ reason: 'cancelled order', count: 1 }],
      cash_flows: { added: 1 },
    });
    expect(report?.platform?.stated).toMatchObject([
      { what: 'gross', amount: 2044.42, difference: 4, why: SWAP },
      { what: 'fees', amount: 0.75, difference: 4, why: SWAP },
    ]);
    // A received swap isn't a fee below 0, and the P&L of an open position isn't a result.
    expect(shown(home)).toEqual([
      'audusd forex short EUR 0 0 0',
      'xauusd cfd short EUR 1822.18 0 1822.18',
      'eurusd forex long EUR 226.24 4.75 221.49',
    ]);
    expect(
      home.rows(
        "SELECT account, executed_at, closed_at, multiplier FROM trades WHERE symbol = 'eurusd'",
      ),
    ).toEqual([
      {
        account: '7001',
        executed_at: '2026-11-02T07:30:00.000Z',
        closed_at: '2026-11-02T08:30:00.000Z',
        multiplier: 90496,
      },
    ]);
    expect(home.notes.join()).toContain("times are those of the broker's server");
    expect(home.import(path, options).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 3,
    });
  });

  test.each([
    [
      '<td>-1.25</td><td>226.24</td></tr>',
      '</tr>',
      '5: row without commission, swap and profit',
    ],
    ['>buy<', '>hedge<', '5: Type: must be one of buy, sell; got "hedge"'],
    [
      '226.24',
      '226,24',
      '5: column 14: must be a number, such as 1 434.86; got "226,24"',
    ],
    [
      '2026.11.02 09:30:00',
      '2026.13.02 09:30:00',
      '5: Time: must be a time with the year first',
    ],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('Statement.htm', STATEMENT.replace(from, to))),
    ).toContain(message);
  });

  test('may come by mail, as a table with another name for the account', () => {
    const home = new ImportHome().withUser();
    const mail = STATEMENT.replace(
      /^.*<body>/,
      '<title>7001: Daily Confirmation</title> ',
    ).replace('Account: 7001', 'A/C No: 7001');
    expect(home.import(home.file('mail.htm', mail)).files[0]).toMatchObject({
      format: 'metatrader',
      added: 3,
    });
    expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([
      { account: '7001' },
    ]);
    const translated = mail
      .replace('A/C No', 'Счёт')
      .replace('Closed Transactions', 'Закрытые');
    expect(home.import(home.file('ru.htm', translated)).files[0]).toMatchObject({
      added: 0,
      unchanged: 3,
    });
  });

  test('any other file is rejected', () => {
    const home = new ImportHome().withUser();
    const page = '<html><title>Statement: x</title><p>nothing</p></html>';
    expect(home.refusalOf(home.file('Statement.htm', page))).toContain(
      'not a MetaTrader statement or report',
    );
  });
});

const TABLE = [
  'order',
  'opentime',
  'type',
  'size',
  'symbol',
  'openprice',
  's/l',
  't/p',
  'closetime',
  'closeprice',
  'commission',
  'taxes',
  'swap',
  'profit',
];

/** A statement saved by a spreadsheet: its rows, without the line of the account. */
const SHEET = [
  TABLE,
  [
    '501',
    '2026.11.02 09:30:00',
    'buy',
    '0.5',
    'eurusd',
    '1.1',
    '0',
    '0',
    '2026.11.02 10:30:00',
    '1.105',
    '-3.5',
    '0',
    '-1.25',
    '226.24',
  ],
  [
    '502',
    '2026.11.02 11:00:00',
    'sell',
    '2',
    'xauusd',
    '2000',
    '0',
    '0',
    '2026.11.02 12:00:00',
    '1990',
    '0',
    '0',
    '4',
    '1818.18',
  ],
].map((cells) => cells.join(';'));

/** The next statement: the open trade was closed in halves, and the second has a new number. */
const NEXT = STATEMENT.replace(
  /<tr align=right><td>501[\s\S]*Open Trades:<\/b><\/td><\/tr>\n/,
  `${row(['504', '2026.11.02 13:00:00', 'sell', '0.40', 'audusd', '0.65', '0', '0', '2026.11.03 13:00:00', '0.64', '-1.20', '0.00', '-0.30', '400.00'])}
<tr><td colspan=14><b>Open Trades:</b></td></tr>
`,
).replace(
  '>504</td><td>2026.11.02 13:00:00</td><td>sell</td><td>1.00<',
  '>509</td><td>2026.11.02 13:00:00</td><td>sell</td><td>0.60<',
);

describe('tickets of several files', () => {
  const held = (home: ImportHome) =>
    home
      .rows(
        'SELECT symbol, status, account, currency, quantity, open_quantity, net_pnl FROM trades ORDER BY symbol, open_quantity',
      )
      .map((values) => Object.values(values).join(' '));

  test.each([
    ['the account first', ['Statement.htm', 'sheet.csv']],
    ['no account first', ['sheet.csv', 'Statement.htm']],
  ])('are one, whether or not a file has the line of the account: %s', (_, names) => {
    const home = new ImportHome().withUser();
    home.file('Statement.htm', STATEMENT);
    home.file('sheet.csv', SHEET.join('\n'));
    for (const name of [...names, ...names]) home.import(home.path(name));
    // The sheet has no currency either, and alone would use the user's.
    expect(held(home)).toEqual([
      'audusd open 7001 EUR 1 1 0',
      'eurusd closed 7001 EUR 0.5 0 221.49',
      'xauusd closed 7001 EUR 2 0 1822.18',
    ]);
    expect(home.findings()).toEqual([]);
  });

  test('are separate in another account given by the user', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('Statement.htm', STATEMENT));
    const sheet = home.file('sheet.csv', SHEET.join('\n'));
    expect(home.import(sheet, { account: '7002' }).files[0]).toMatchObject({ added: 2 });
    expect(home.import(sheet, { account: '7001' }).files[0]).toMatchObject({
      added: 0,
      unchanged: 2,
    });
  });

  test('close open trades of an earlier file, and that file reopens nothing', () => {
    const home = new ImportHome().withUser();
    const [before, next] = [
      home.file('before.htm', STATEMENT),
      home.file('next.htm', NEXT),
    ];
    home.import(before);
    expect(home.import(next).files[0]).toMatchObject({ added: 1, changed: 1 });
    const after = [
      'audusd closed 7001 EUR 0.4 0 398.5',
      'audusd open 7001 EUR 0.6 0.6 0',
    ];
    expect(held(home).slice(0, 2)).toEqual(after);
    expect(home.import(before).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 3,
    });
    expect(held(home).slice(0, 2)).toEqual(after);
    expect(home.findings()).toEqual([]);
  });
});

/** In an invented language: only the structure counts. */
const REPORT = [
  ['Qapla', '', '', '9001 (USD, Broker-Live, real, Hedge)'],
  ['Dat:', '', '', '2026.11.03 10:00'],
  ['Patlh'],
  [
    'rep',
    'Patlh',
    'Deghwl',
    'Segh',
    'qum',
    'lo',
    'S / L',
    'T / P',
    'rep',
    'lo',
    'DIl',
    'tam',
    'Huch',
  ],
  [
    '2026.11.02 09:30:00',
    '601',
    'USDJPY',
    'buy',
    '1',
    '150.000',
    '',
    '',
    '2026.11.02 10:30:00',
    '150.300',
    '-7.00',
    '-1.50',
    '199.60',
  ],
  [
    '2026.11.02 09:31:00',
    '602',
    'GER40',
    'sell',
    '2',
    '18 000.5',
    '',
    '',
    '2026.11.02 10:31:00',
    '18 010.5',
    '0.00',
    '0.00',
    '-21.60',
  ],
  [
    '2026.11.02 09:30:00',
    '701',
    'USDJPY',
    'buy',
    '1 / 1',
    'market',
    '',
    '',
    '2026.11.02 09:30:00',
    'filled',
    '',
  ],
  [
    '2026.11.01 09:30:00',
    '800',
    '',
    'balance',
    '',
    '',
    '',
    '',
    '',
    '0.00',
    '0.00',
    '0.00',
    '1 000.00',
    '1 000.00',
    '',
  ],
  [
    '2026.11.02 09:30:00',
    '801',
    'USDJPY',
    'buy',
    'in',
    '1',
    '150.000',
    '701',
    '',
    '-3.50',
    '0.00',
    '0.00',
    '0.00',
    '996.50',
    '',
  ],
  ['', '-3.50', '0.00', '-1.50', '178.00', '996.50', ''],
  [
    '2026.11.03 09:30:00',
    '603',
    'EURUSD',
    'buy',
    '1',
    '1.1',
    '',
    '',
    '1.2',
    '0.00',
    '100.00',
    '',
  ],
  [
    '2026.11.03 09:40:00',
    '702',
    'EURUSD',
    'buy limit',
    '1 / 0',
    '1.05',
    '',
    '',
    '1.2',
    'placed',
    '',
  ],
  // Three amounts that don't add up are other figures.
  ['cha:', '12.00', 'loS:', '30.00', 'wej:', '-10.00'],
  ['nap:', '169.50', 'Huch:', '191.10', 'luj:', '-21.60'],
];

const PAGE = `<html><head><meta name="generator" content="client terminal"></head><body><table>
${REPORT.map((cells) => row(cells).replace('<td>buy</td><td>1</td>', '<td>buy</td><td class="hidden" colspan="8">note</td><td>1</td>')).join('\n')}
</table></body></html>`;

const letter = (index: number) => String.fromCharCode(65 + index);

/** A workbook in MetaTrader's form: XML in UTF-16. */
function workbook(rows: readonly (readonly string[])[]): Buffer {
  const strings: string[] = [];
  const cellOf = (text: string, at: string) => {
    if (text === '') return '';
    if (/^-?\d+(\.\d+)?$/.test(text)) return `<c r="${at}"><v>${text}</v></c>`;
    strings.push(text);
    return `<c r="${at}" t="s"><v>${strings.length - 1}</v></c>`;
  };
  const lines = rows.map(
    (cells, y) =>
      `<row r="${y + 1}">${cells.map((text, x) => cellOf(text, `${letter(x)}${y + 1}`)).join('')}</row>`,
  );
  const utf16 = (xml: string) =>
    new Uint8Array(
      Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${xml}`, 'utf16le'),
    );
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'xl/worksheets/sheet1.xml': utf16(
        `<worksheet><sheetData>${lines.join('')}</sheetData></worksheet>`,
      ),
      'xl/sharedStrings.xml': utf16(
        `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
      ),
    }),
  );
}

describe('a report of version 5', () => {
  const both = [
    'EURUSD forex long USD 0 0 0',
    'USDJPY forex long USD 199.6 8.5 191.1',
    'GER40 cfd short USD -21.6 0 -21.6',
  ];

  test.each([
    ['HTML in UTF-16', 'ReportHistory.html', Buffer.from(`\uFEFF${PAGE}`, 'utf16le')],
    ['HTML in UTF-8', 'ReportHistory.html', Buffer.from(PAGE)],
    ['a workbook', 'ReportHistory.xlsx', workbook(REPORT)],
    [
      'the file saved by a spreadsheet',
      'ReportHistory.csv',
      Buffer.from(REPORT.map((cells) => cells.join(';')).join('\n')),
    ],
  ])('%s gives its positions, in any language', (_, name, bytes) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file(name, bytes)).files;
    expect(report).toMatchObject({ format: 'metatrader', rows: { read: 7 }, added: 3 });
    expect(report?.cash_flows.added).toBe(1);
    expect(report?.skipped.map(({ reason }) => reason).sort()).toEqual([
      'deal: part of a position',
      'order',
      'working order',
    ]);
    expect(shown(home)?.sort()).toEqual(both.toSorted());
    expect(report?.platform?.stated).toMatchObject([
      { what: 'net', amount: 169.5, difference: 0 },
    ]);
    expect(
      home.rows("SELECT account, multiplier FROM trades WHERE symbol = 'GER40'"),
    ).toEqual([{ account: '9001', multiplier: 1.08 }]);
  });

  test('is the same report as HTML and as a workbook', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('ReportHistory.html', PAGE));
    expect(
      home.import(home.file('ReportHistory.xlsx', workbook(REPORT))).files[0],
    ).toMatchObject({
      added: 0,
      unchanged: 3,
    });
  });

  test('has the commission of open positions, and the rest of partially closed ones', () => {
    const home = new ImportHome().withUser();
    const deals = [
      'rep',
      'Deal',
      'sym',
      'Segh',
      'in',
      'lo',
      'pr',
      'ord',
      'com',
      'swap',
      'pro',
      'bal',
      'note',
    ];
    const rows = [
      ...REPORT.slice(0, 6),
      deals,
      [
        '2026.11.03 09:30:00',
        '802',
        'EURUSD',
        'buy',
        'in',
        '1',
        '1.1',
        '603',
        '-3.00',
        '0.00',
        '0.00',
        '1',
        '',
      ],
      [
        '2026.11.03 09:31:00',
        '803',
        'GER40',
        'sell',
        'in',
        '3',
        '18 000.5',
        '602',
        '-2.00',
        '0.00',
        '0.00',
        '1',
        '',
      ],
      // A partial close: its commission isn't that of the open position.
      [
        '2026.11.03 09:32:00',
        '804',
        'GER40',
        'buy',
        'out',
        '1',
        '18 000.5',
        '602',
        '-1.50',
        '0.00',
        '0.00',
        '1',
        '',
      ],
      [
        '2026.11.03 09:30:00',
        '603',
        'EURUSD',
        'buy',
        '1',
        '1.1',
        '',
        '',
        '1.2',
        '0.00',
        '100.00',
        '',
      ],
      [
        '2026.11.02 09:31:00',
        '602',
        'GER40',
        'sell',
        '1',
        '18 000.5',
        '',
        '',
        '18 000.5',
        '0.00',
        '0.00',
        '',
      ],
      ['nap:', '169.50', 'Huch:', '191.10', 'luj:', '-21.60'],
    ];
    const [report] = home.import(
      home.file(
        'ReportHistory.html',
        `<table>${rows.map((cells) => row(cells)).join('')}`,
      ),
    ).files;
    expect(
      home
        .rows(
          'SELECT symbol, status, quantity, open_quantity, gross_pnl, fees FROM trades ORDER BY symbol',
        )
        .map((values) => Object.values(values).join(' ')),
    ).toEqual([
      'EURUSD open 1 1 0 3',
      'GER40 open 3 1 -21.6 2',
      'USDJPY closed 1 0 199.6 8.5',
    ]);
    expect(report?.platform?.stated).toMatchObject([
      {
        what: 'net',
        amount: 169.5,
        difference: -5,
        why: "the file's own deals add up to -6.5; its total includes others",
      },
    ]);
    expect(home.findings()).toEqual([]);
  });

  const OPEN = [
    '2026.11.03 09:30:00',
    '603',
    'EURUSD',
    'buy',
    '1',
    '1.1',
    '',
    '',
    '1.2',
    '0.00',
  ];
  const [time = '', ...afterTime] = OPEN;
  test.each([
    ['an empty cell before the profit', [...OPEN, '', '100.00', 'comment']],
    ['no comment', [...OPEN, '100.00']],
    [
      'the symbol first, as in the report of open positions',
      ['EURUSD', '603', time, ...afterTime.slice(2), '100.00'],
    ],
  ])('has an open position with %s', (_, cells) => {
    const home = new ImportHome().withUser();
    home.import(
      home.file('ReportHistory.xlsx', workbook([...REPORT.slice(0, 4), cells])),
    );
    expect(
      home.rows(
        'SELECT symbol, status, open_quantity, multiplier, entry_price FROM trades',
      ),
    ).toEqual([
      {
        symbol: 'EURUSD',
        status: 'open',
        open_quantity: 1,
        multiplier: 1000,
        entry_price: 1.1,
      },
    ]);
  });

  test.each([
    [
      '5 amounts',
      'Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;a;b;c;d;e',
      '0;0;18.00;9;1828',
    ],
    [
      'pips',
      'Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;Swap;Profit;Pips',
      '0;18.00;9',
    ],
  ])("another program's table with %s is not added up", (_, header, amounts) => {
    const home = new ImportHome().withUser();
    const own = `10001;2026.03.10 09:35:12;buy;0.20;EURUSD;1.08520;0;0;2026.03.10 10:05:40;1.08610;${amounts}`;
    const refusal = home.refusalOf(home.file('table.csv', `${header}\n${own}\n`));
    expect(refusal).toMatch(/MetaTrader has 4 at most|not an export of a known platform/);
  });

  test.each([
    ['PK\u0003\u0004 and no more', 'the archive is damaged'],
    [
      Buffer.from(zipSync({ 'a.xml': strToU8('<a/>') })),
      'not a workbook (.xlsx): it has no sheet',
    ],
    [workbook([['a', 'b']]), 'no sheet of this workbook is a known export'],
  ])('a damaged or other workbook is rejected', (bytes, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('ReportHistory.xlsx', bytes))).toContain(message);
  });
});

test.each(
  exportsWith(
    ['metatrader/Statement.htm', { other: 'metatrader/Statement.htm', trades: 6 }],
    [
      'metatrader/mt4-Statement.htm',
      { other: 'metatrader/mt4-Statement.xlsx', trades: 21 },
    ],
  ),
)(
  '$label and the same saved by a spreadsheet are one',
  ({ label, path, holds: { other, trades } }) => {
    const home = new ImportHome().withUser();
    const again = pathOf(`${label.replace(/ .*/, '')} ${other}`);
    for (const own of [path(), again]) home.import(own);
    expect(
      home.rows('SELECT count(*) AS n, sum(account IS NULL) AS unnamed FROM trades'),
    ).toEqual([{ n: trades, unnamed: 0 }]);
  },
);

test.each([
  ...exportsWith(
    ['metatrader/Statement.htm', 6],
    ['metatrader/mt5-open-positions.xlsx', 10],
  ),
])('$label has its open positions', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const trades = home.import(path()).files[0]?.platform?.trades;
  expect(trades).toMatchObject({ closed: holds - 1, open: 1 });
});

test.each([
  ...exportsWith(
    [
      'metatrader/Statement.htm',
      { trades: 5, gross: 1298.45, fees: 42.84, net: 1255.61 },
    ],
    [
      'metatrader/Statement.htm',
      { trades: 31, gross: 5858.24, fees: 636.99, net: 5221.25 },
    ],
  ),
  ...exportsWith(
    [
      'metatrader/mt5-ReportHistory.html',
      { trades: 5, gross: 1200.48, fees: 31.16, net: 1169.32 },
    ],
    [
      'metatrader/mt5-ReportHistory.html',
      { trades: 20, gross: -189.57, fees: 64.08, net: -253.65 },
    ],
  ),
  ...exportsWith(
    [
      'metatrader/mt5-ReportHistory.xlsx',
      { trades: 3, gross: 30.93, fees: 0, net: 30.93 },
    ],
    [
      'metatrader/mt5-ReportHistory.xlsx',
      { trades: 3, gross: 30.85, fees: 0, net: 30.85 },
    ],
  ),
])('$label adds up', ({ path, holds: { trades, ...money } }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path()).files;
  expect(report?.platform?.trades.closed).toBe(trades);
  expect(report?.platform?.money).toEqual([{ currency: 'USD', ...money }]);
});
