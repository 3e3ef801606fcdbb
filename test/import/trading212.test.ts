/** Trading 212's history: prices in one currency, totals and fees in another. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADER =
  'Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Result,Currency (Result),Total,Currency (Total),Stamp duty reserve tax,Currency (Stamp duty reserve tax),Notes,ID,Currency conversion fee,Currency (Currency conversion fee)';

const HISTORY = [
  HEADER,
  'Deposit,2026-03-01 08:00:00.123,,,,,,,,,,500.00,EUR,,,,dep1,,',
  'Market buy,2026-03-02 09:30:00.500,US0000000001,ACME,Acme Inc,10,100.00,USD,1.25,,,801.20,EUR,,,,EOF1,1.20,EUR',
  'Limit sell,2026-03-03 09:30:00.500,US0000000001,ACME,Acme Inc,10,110.00,USD,1.25,,EUR,878.68,EUR,,,,EOF2,1.32,EUR',
  'Stop limit buy,2026-03-04 09:30:00,GB0000000001,BRIT,Brit plc,100,250.00,GBX,80,,,313.44,EUR,1.25,GBP,,EOF3,,',
  'Market buy,2026-03-05 09:30:00,DE0000000001,DEUT,Deut AG,4,50.00,EUR,1.00,,,200.00,EUR,,,,EOF4,,',
  'Stock split close,2026-03-06 08:00:00,DE0000000001,DEUT,Deut AG,4,50.00,EUR,1.00,,,200.00,EUR,,,,,,',
  'Stock split open,2026-03-06 08:00:00,DE0000000001,DEUT,Deut AG,8,25.00,EUR,1.00,,,200.00,EUR,,,,,,',
  'Trailing stop sell,2026-03-06 10:00:00,DE0000000001,DEUT,Deut AG,8,26.00,EUR,1.00,8.00,EUR,208.00,EUR,,,,EOF5,,',
  'Dividend (Ordinary),2026-03-07 08:00:00,US0000000001,ACME,Acme Inc,10,0.1,USD,Not available,,,0.80,EUR,,,,,,',
].join('\n');

const SHOWN = `SELECT symbol, status, executed_at, quantity, currency, gross_pnl, fees, round(fx_rate, 6) AS rate FROM trades ORDER BY symbol`;

describe('a history of our own', () => {
  test('becomes trades; fees are converted, pence are pounds', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const path = home.file('from_2026.csv', HISTORY);
    const file = home.import(path).files[0];
    expect(file).toMatchObject({ format: 'trading212', added: 3 });
    expect(home.rows(SHOWN).map((row) => Object.values(row).join(' '))).toEqual([
      'ACME closed 2026-03-02T09:30:00.500Z 10 USD 100 3.15 0.8',
      'BRIT open 2026-03-04T09:30:00.000Z 100 GBP 0 1.25 1.25',
      'DEUT closed 2026-03-05T09:30:00.000Z 8 EUR 8 0 ',
    ]);
    expect(file?.platform?.stated).toMatchObject([
      { what: 'net', currency: 'EUR', amount: 8, difference: 0 },
    ]);
    expect(file?.cash_flows.added).toBe(2);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test.each(['Stock dividend', 'Scrip dividend'])(
    'a %s adds shares, and fees of lending are counted',
    (action) => {
      const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
      const added = `${action},2026-03-05 10:00:00,DE0000000001,DEUT,Deut AG,1,0,EUR,1.00,,,0,EUR,,,,,,`;
      const fee = 'Lending fee,2026-03-05 11:00:00,,,,,,,,,,-1.00,EUR,,,,,,';
      const [file] = home.import(
        home.file('from_2026.csv', `${HISTORY}\n${added}\n${fee}`),
      ).files;
      expect(file?.skipped).toContainEqual({ reason: action.toLowerCase(), count: 1 });
      expect(home.rows("SELECT kind, amount FROM cash_flows WHERE kind = 'fee'")).toEqual(
        [{ kind: 'fee', amount: -1 }],
      );
      expect(file?.platform?.unsure).toEqual([{ symbol: 'DEUT', trades: 1 }]);
    },
  );

  test('older files have the currency in the names', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    home.import(
      home.file(
        'from_2021.csv',
        [
          'Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Result (EUR),Total (EUR),Finra fee (EUR),Notes,ID',
          'Market buy,2026-03-02 09:30:00,US0000000001,ACME,Acme Inc,10,100.00,USD,1.25,,800.00,0.40,,EOF1',
        ].join('\n'),
      ),
    );
    expect(home.rows('SELECT fees, fx_rate FROM trades')).toEqual([
      { fees: 0.5, fx_rate: 0.8 },
    ]);
  });

  test('times of a column with UTC in its name are in UTC, regardless of the zone', () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    home.import(home.file('a.csv', HISTORY.replace('Time', 'Time (UTC)')));
    expect(home.rows('SELECT min(executed_at) AS first FROM fills')).toEqual([
      { first: '2026-03-02T09:30:00.500Z' },
    ]);
    expect(home.notes.join()).not.toContain('no zone');
  });

  test.each([
    ['month', (day: string) => `3/${Number(day)}/2026`],
    ['day', (day: string) => `${day}.03.2026`],
  ])('saved by a spreadsheet with the %s first', (first, dateOf) => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const lines = HISTORY.replace(
      /2026-03-(\d\d) (\d\d:\d\d):\d\d(\.\d+)?/g,
      (_, day, time) => `${dateOf(day)} ${time}`,
    ).split('\n');
    const decimals = (cell: string) =>
      /^\d+\.\d+$/.test(cell) ? cell.replace('.', ',') : cell;
    const saved =
      first === 'day'
        ? lines.map((line) => line.split(',').map(decimals).join(';'))
        : lines;
    home.import(home.file('a.csv', saved.join('\n')), {
      dates: first === 'day' ? 'dmy' : 'mdy',
    });
    expect(home.rows(SHOWN)[0]).toMatchObject({
      ...{
        symbol: 'ACME',
        executed_at: '2026-03-02T09:30:00.000Z',
        gross_pnl: 100,
        fees: 3.15,
      },
    });
  });

  test('newer files have their zone; shares received for free are named', () => {
    const home = new ImportHome().withUser();
    const rows = HISTORY.split('\n').slice(1, 4);
    const text = [
      HEADER.replace('Time', 'Time (UTC)'),
      ...rows.map((row) => row.replace(/(:\d\d)(\.\d+)?,/, '$1+00:00,')),
      'Custom stock distribution,2026-03-04 09:30:00+00:00,US0000000002,ACME.RST,Acme - CorpAct,4,0E-10,USD,,,,0.00,EUR,,,,X1,,',
    ].join('\n');
    expect(
      home.import(home.file('a.csv', text), { timeZone: 'Europe/Madrid' }).files[0]
        ?.skipped,
    ).toContainEqual({
      reason: 'custom stock distribution',
      count: 1,
    });
    expect(home.rows('SELECT executed_at FROM trades')).toEqual([
      { executed_at: '2026-03-02T09:30:00.000Z' },
    ]);
    expect(home.notes.join()).not.toContain('no zone');
    expect(home.notes.join()).toContain('ACME.RST on line 5');
  });

  test.each(['Stock split', 'Stock distribution', 'Spin-off', 'Transfer out'])(
    '%s in one row without a ratio: later trades are unsure',
    (action) => {
      const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
      const [header, , bought, sold] = HISTORY.split('\n') as [
        string,
        string,
        string,
        string,
      ];
      const row = `${action},2026-03-02 12:00:00,US0000000001,ACME,Acme Inc,10,50.00,USD,1.25,,,,EUR,,,,,,`;
      const [file] = home.import(
        home.file('a.csv', [header, bought, row, sold].join('\n')),
      ).files;
      expect(home.rows('SELECT symbol, tags FROM trades')).toEqual([
        { symbol: 'ACME', tags: '["unsure"]' },
      ]);
      expect(file?.platform?.unsure).toEqual([{ symbol: 'ACME', trades: 1 }]);
    },
  );

  test('shares of two splits are multiplied by the ratio of each', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const row = (action: string, time: string, units: number, price: number) =>
      `${action},2026-03-${time},DE0000000001,DEUT,Deut AG,${units},${price},EUR,1.00,,,${units * price},EUR,,,,,,`;
    const rows = [
      row('Market buy', '05 09:30:00', 4, 60),
      row('Stock split close', '06 08:00:00', 4, 60),
      row('Stock split open', '06 08:00:00', 8, 30),
      row('Stock split close', '09 08:00:00', 8, 30),
      row('Stock split open', '09 08:00:00', 24, 10),
      row('Market sell', '10 09:30:00', 24, 11),
    ];
    home.import(home.file('a.csv', [HEADER, ...rows].join('\n')));
    expect(home.rows('SELECT status, quantity, gross_pnl FROM trades')).toEqual([
      { status: 'closed', quantity: 24, gross_pnl: 24 },
    ]);
  });

  test('an exchange rate has all digits that its file states', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    const rows = HISTORY.replaceAll(',USD,1.25,', ',USD,1.17354321,');
    home.import(home.file('a.csv', rows));
    expect(home.rows("SELECT fx_rate FROM trades WHERE symbol = 'ACME'")).toEqual([
      { fx_rate: 0.852120306674 },
    ]);
  });

  test('an order with several fills has its id in each', () => {
    const home = new ImportHome().withUser();
    const rows = HISTORY.split('\n');
    const text = [rows[0], rows[2], rows[2]?.replace(',10,', ',5,'), rows[3]].join('\n');
    home.import(home.file('a.csv', text));
    expect(home.rows('SELECT quantity, open_quantity FROM trades')).toEqual([
      { quantity: 15, open_quantity: 5 },
    ]);
  });

  test.each([
    ['Market buy', 'Market swap', '3: Action: must be an order, such as Market buy'],
    [
      '2026-03-02',
      '02/03/2026',
      '3: 02/03/2026 in column Time, reformatted by a spreadsheet, may be 2 March or February 3; import the original file',
    ],
    [',10,100.00', ',ten,100.00', '3: No. of shares: must be a number'],
    [
      ',10,100.00,USD',
      ',10,100.00,US',
      '3: Currency (Price / share): must be a currency',
    ],
    [',10,100.00', ',,', '3: No. of shares, Price / share: are missing'],
    ['Stock split close', 'Deposit', '8: Action: no "Stock split close" for "DEUT"'],
    ['Action,Time', 'Action,When', '1: Time or Time (UTC): is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('a.csv', HISTORY.replace(from, to)))).toContain(
      message,
    );
  });
});

// A sample, if available next to the project.

test.each(
  exportsWith(
    [
      'trading212/export.csv',
      { fills: 7, closed: 2, USD: { amount: 77.5, ours: 70.5 }, EUR: { amount: 6.9 } },
    ],
    [
      'trading212/export.csv',
      { fills: 9, closed: 3, USD: { amount: 291, ours: 256 }, EUR: { amount: 21.9 } },
    ],
  ),
)(
  '$label makes its trades, and shows contradicting results',
  ({ path, holds: { fills, closed, USD, EUR } }) => {
    const home = new ImportHome().withUser();
    const { platform } = home.import(path()).files[0] ?? {};
    expect(platform).toMatchObject({ fills, trades: { closed, open: 2 } });
    expect(
      Object.fromEntries(platform?.stated.map((total) => [total.currency, total]) ?? []),
    ).toMatchObject({
      USD,
      EUR: { ...EUR, difference: 0 },
    });
  },
);
