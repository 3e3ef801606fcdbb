/** NinjaTrader: the grid of executions, and the closed trades of Trade Performance. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const GRID = [
  'Instrument,Action,Quantity,Price,Time,ID,E/X,Position,Order ID,Name,Commission,Rate,Account,Connection,',
  // Newest first: two copied accounts with the same trades, one of them in two fills in one second.
  'MNQ DEC26,Sell,2,25010.50,11/13/2026 10:05:00 AM,e4,Exit,-,o4,Close,$1.56,1,Sim101,Live,',
  'MNQ DEC26,Sell,2,25010.50,11/13/2026 10:05:00 AM,e3,Exit,-,o3,Close,$1.56,1,Sim102,Live,',
  'MNQ DEC26,Buy,2,25000.00,11/13/2026 10:00:00 AM,e2,Entry,2 L,o2,Entry,$1.56,1,Sim102,Live,',
  'MNQ DEC26,Buy,1,25000.00,11/13/2026 10:00:00 AM,e1b,Entry,2 L,o1,Entry,$0.78,1,Sim101,Live,',
  'MNQ DEC26,Buy,1,25000.25,11/13/2026 10:00:00 AM,e1a,Entry,1 L,o1,Entry,$0.78,1,Sim101,Live,',
].join('\r\n');

describe('the grid of executions', () => {
  test('makes the trades of each account', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/Chicago' });
    const path = home.file('NinjaTrader Grid.csv', GRID);
    const [report] = home.import(path).files;
    expect(report).toMatchObject({ format: 'ninjatrader', rows: { read: 5 }, added: 2 });
    expect(
      home.rows(
        'SELECT account, executed_at, quantity, multiplier, gross_pnl, fees FROM trades ORDER BY account',
      ),
    ).toEqual([
      {
        account: 'Sim101',
        executed_at: '2026-11-13T16:00:00.000Z',
        quantity: 2,
        multiplier: 2,
        gross_pnl: 41.5,
        fees: 3.12,
      },
      {
        account: 'Sim102',
        executed_at: '2026-11-13T16:00:00.000Z',
        quantity: 2,
        multiplier: 2,
        gross_pnl: 42,
        fees: 3.12,
      },
    ]);
    expect(
      home.rows(
        "SELECT price FROM executions AS e JOIN trades AS t ON t.id = e.trade_id WHERE account = 'Sim101' ORDER BY position",
      ),
    ).toEqual([{ price: 25000.25 }, { price: 25000 }, { price: 25010.5 }]);
    expect(home.notes.join('\n')).toMatch(/using America\/Chicago.*\n.*month first/);
    expect(home.import(path).files[0]).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    });
  });

  test("may be in another country's style", () => {
    const home = new ImportHome().withUser();
    const text = [
      'Instrument;Action;Quantity;Price;Time;ID;E/X;Position;Order ID;Name;Commission;Rate;Account;Connection;',
      'FDXS 12-26;SellShort;1;24000,5;02.11.2026 10:00:00;a;Entry;1 S;o;n;0,25 €;1;Sim;Live;',
      'FDXS 12-26;BuyToCover;1;23990,5;02.11.2026 10:01:00;b;Exit;-;o;n;0,25 €;1;Sim;Live;',
      ';;;;;;;;;;;;;;',
    ].join('\n');
    const [report] = home.import(home.file('Grid.csv', text), {
      timeZone: 'Europe/Berlin',
      dates: 'dmy',
    }).files;
    expect(report?.skipped).toEqual([{ reason: 'empty row', count: 1 }]);
    expect(
      home.rows('SELECT executed_at, side, currency, gross_pnl, fees FROM trades'),
    ).toEqual([
      {
        executed_at: '2026-11-02T09:00:00.000Z',
        side: 'short',
        currency: 'EUR',
        gross_pnl: 10,
        fees: 0.5,
      },
    ]);
    expect(home.notes.join()).toContain('day first');
  });

  test('has the chosen columns, and the account by its display name', () => {
    const home = new ImportHome().withUser();
    const text = [
      'NinjaTrader Grid 2026-11-13 05-05 PM',
      'Instrument,Action,Time,Price,E/X,Connection,Quantity,Account display name',
      // Two identical fills, and Treasury prices in 32nds.
      "ZNZ6,Sell,11/13/2026 9:39,110'160,Exit,Live,2,A",
      "ZNZ6,Buy,11/13/2026 9:31,110'155,Entry,Live,1,A",
      "ZNZ6,Buy,11/13/2026 9:31,110'155,Entry,Live,1,A",
      "ZNZ6,Buy,11/13/2026 9:31,110'150,Entry,Live,1,B",
    ].join('\r\n');
    const [report] = home.import(home.file('Grid.csv', text)).files;
    expect(report).toMatchObject({ format: 'ninjatrader', rows: { read: 4 }, added: 2 });
    expect(
      home.rows(
        'SELECT account, status, quantity, gross_pnl FROM trades ORDER BY account',
      ),
    ).toEqual([
      { account: 'A', status: 'closed', quantity: 2, gross_pnl: 31.25 },
      { account: 'B', status: 'open', quantity: 1, gross_pnl: 0 },
    ]);
  });

  test.each([
    [',Sell,', ',Assign,', '2: Action: must be one of Buy, Sell, Buy to cover'],
    ['25010.50', '25 010', '2: Price: must be a number'],
    [',e4,', ',,', '2: ID: is missing'],
    ['$1.56', '1.56 %', '2: Commission: must be an amount'],
    [
      'MNQ DEC26',
      'MNQ',
      '2: Instrument: could be a future or a share; add the month of a future, such as MNQ DEC26',
    ],
    ['10:05:00 AM', '25:05:00', '2: Time: must be a time with the month first'],
    ['Quantity,', 'Size,', '1: Quantity or Qty: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('Grid.csv', GRID.replace(from, to)))).toContain(
      message,
    );
  });
});

const HEADER =
  'Trade number,Instrument,Account,Strategy,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Entry name,Exit name,Profit,Cum. net profit,Commission,Clearing Fee,Exchange Fee,MAE,MFE,ETD,Bars,';

const PERFORMANCE = [
  HEADER,
  '1,MNQ 12-26,Sim101,,Long,1,25000.00,25010.00,11/13/2026 10:00:00 AM,11/13/2026 10:05:00 AM,En,Ex,$18.10,$18.10,$0.78,$0.38,$0.74,$0.00,$0.00,$0.00,3,',
  '2,MNQ 12-26,Sim101,,Short,1,25000.00,25010.00,11/13/2026 11:00:00 AM,11/13/2026 11:05:00 AM,En,Ex,($21.90),($3.80),$0.78,$0.38,$0.74,$0.00,$0.00,$0.00,3,',
  '3,MNQ 12-26,Sim101,,Short,1,25000.00,25010.00,11/13/2026 11:00:00 AM,11/13/2026 11:05:00 AM,En,Ex,($21.90),($25.70),$0.78,$0.38,$0.74,$0.00,$0.00,$0.00,3,',
].join('\n');

const shown = (home: ImportHome) =>
  home
    .rows('SELECT side, multiplier, gross_pnl, fees FROM trades ORDER BY executed_at')
    .map((row) => Object.values(row).join(' '));

describe('Trade Performance', () => {
  test('has profits after commissions, and keeps equal trades separate', () => {
    const home = new ImportHome().withUser();
    const path = home.file('NinjaTrader Grid.csv', PERFORMANCE);
    const [report] = home.import(path).files;
    expect(report).toMatchObject({
      format: 'ninjatrader-performance',
      rows: { read: 3 },
      added: 3,
    });
    expect(shown(home)).toEqual(['long 2 20 1.9', 'short 2 -20 1.9', 'short 2 -20 1.9']);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, unchanged: 3 });
    // Trade numbers restart with each export.
    const later = [HEADER, PERFORMANCE.split('\n')[2]?.replace('2,', '1,')].join('\n');
    expect(home.import(home.file('later.csv', later)).files[0]).toMatchObject({
      added: 0,
      unchanged: 1,
    });
  });

  test('may be in French, with spaces between thousands', () => {
    const home = new ImportHome().withUser();
    const text = [
      'Numéro d’ordre;Instrument;Compte;Stratégie;Pos. marché.;Qté;Prix d’entrée;Prix de sortie;Heure d’entrée;Heure de sortie;Profit;Commission;',
      '1;MNQ 12-26;Sim101;;Longue;1;25\u00a0000,00;25\u00a0010,00;02/11/2026 10:00:00;02/11/2026 10:05:00;18,10 $;1,90 $;',
      '2;MNQ 12-26;Sim101;;Courte;9;25\u202f000,00;25\u202f100,00;13/11/2026 10:00:00;13/11/2026 10:05:00;-1\u202f817,10 $;17,10 $;',
    ].join('\n');
    expect(home.import(home.file('Grid.csv', text)).files[0]?.format).toBe(
      'ninjatrader-performance',
    );
    expect(shown(home)).toEqual(['long 2 20 1.9', 'short 2 -1800 17.1']);
  });

  test('or before them', () => {
    const home = new ImportHome().withUser();
    const text = PERFORMANCE.replace('$18.10', '$20.00').replaceAll(
      '($21.90)',
      '($20.00)',
    );
    home.import(home.file('Grid.csv', text));
    expect(shown(home)).toEqual(['long 2 20 1.9', 'short 2 -20 1.9', 'short 2 -20 1.9']);
  });

  test('or after hidden ones, if they are the same for each contract', () => {
    const home = new ImportHome().withUser();
    const hidden = PERFORMANCE.replaceAll(',$0.38,$0.74,', ',').replace(
      ',Clearing Fee,Exchange Fee,',
      ',',
    );
    home.import(home.file('Grid.csv', hidden));
    expect(shown(home)).toEqual(['long 2 20 1.9', 'short 2 -20 1.9', 'short 2 -20 1.9']);
    expect(home.notes.join()).toContain('columns of fees are hidden');
    // For example, profits in points.
    const other = new ImportHome().withUser();
    other.import(
      other.file(
        'Grid.csv',
        hidden.replace('$18.10', '$10.00').replaceAll('($21.90)', '($10.00)'),
      ),
    );
    expect(other.notes.join()).toMatch(
      /at a contract size of 2; a contract size of [\d.]+ fits/,
    );
  });

  test('keeps the contract size if one row has other costs, and states no hidden costs', () => {
    const home = new ImportHome().withUser();
    const at = (minute: number) => `11/13/2026 10:${minute}:00 AM`;
    const rows = Array.from({ length: 12 }, (_, index) => {
      const [entry, exit] =
        index % 3 === 0 ? [20000 + index, 20000] : [20000, 20001 + index];
      // The fifth cost more, the sixth less.
      const fee = index === 4 ? 9.1 : index === 5 ? 0 : 4.36;
      const profit = ((exit - entry) * 20 - fee).toFixed(2);
      return `${index + 1},NQ 12-26,Sim101,,Long,1,${entry},${exit},${at(10 + index)},${at(30 + index)},En,Ex,${profit},,3,`;
    });
    const header = HEADER.replace(
      ',Commission,Clearing Fee,Exchange Fee,MAE,MFE,ETD',
      '',
    );
    const [report] = home.import(
      home.file('Grid.csv', [header, ...rows].join('\n')),
    ).files;
    expect(
      home.rows(
        'SELECT multiplier, fees, count(*) AS n FROM trades GROUP BY multiplier, fees ORDER BY fees',
      ),
    ).toEqual([
      { multiplier: 20, fees: 0, n: 1 },
      { multiplier: 20, fees: 4.36, n: 10 },
      { multiplier: 20, fees: 9.1, n: 1 },
    ]);
    expect(report?.platform?.stated).toMatchObject([{ what: 'net', difference: 0 }]);
    expect(home.findings()).toEqual([]);
  });

  /** Rows of one contract: points, profit and commission of each. */
  const rowsOf = (
    instrument: string,
    rows: readonly (readonly [number, number, number])[],
  ) =>
    [
      HEADER.replace(',Clearing Fee,Exchange Fee', ''),
      ...rows.map(([points, profit, commission], index) =>
        [
          ...[index + 1, instrument, 'Sim101', '', 'Long', 1, 100, 100 + points],
          ...[`11/13/2026 10:${10 + index}:00 AM`, `11/13/2026 11:${10 + index}:00 AM`],
          ...['En', 'Ex', profit.toFixed(2), '', commission, 0, 0, 0, 3, ''],
        ].join(','),
      ),
    ].join('\n');

  test('never counts costs twice if some rows cost less than their columns say', () => {
    const home = new ImportHome().withUser();
    // The prices give 20, 2 and -20; the third and the fourth cost 1.00, although 1.20 stands beside.
    const rows = [
      [10, 18.8, 1.2],
      [1, 0.8, 1.2],
      [1, 1, 1.2],
      [-10, -21, 1.2],
      [5, 8.8, 1.2],
    ] as const;
    const [report] = home.import(home.file('Grid.csv', rowsOf('MNQ 12-26', rows))).files;
    expect(report?.platform?.money).toMatchObject([{ gross: 14, fees: 5.6, net: 8.4 }]);
    expect(report?.platform?.stated).toMatchObject([{ what: 'net', difference: 0 }]);
  });

  test('takes the size of an unlisted contract from all rows, and states so', () => {
    const home = new ImportHome().withUser();
    const rows = [
      [1, 91, 9],
      [2, 191, 9],
      [-1, -109, 9],
    ] as const;
    const [report] = home.import(home.file('Grid.csv', rowsOf('QQZ 12-26', rows))).files;
    expect(report?.platform?.money).toMatchObject([{ gross: 200, fees: 27 }]);
    expect(home.rows('SELECT DISTINCT multiplier FROM trades')).toEqual([
      { multiplier: 100 },
    ]);
    expect(report?.notes.join()).toContain(
      'contract size of QQZ 12-26: 100, by the prices and profits of all its 3 rows',
    );
  });

  test.each([
    [',Long,', ',Flat,', '2: Market pos.: must be one of Long, Short'],
    ['$18.10', '0.05%', '2: Profit: must be an amount'],
    [',Qty,', ',Lots,', '1: Qty or Quantity or Qté: is missing from the header'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('Grid.csv', PERFORMANCE.replace(from, to))),
    ).toContain(message);
  });
});

test.each(
  exportsWith(
    [
      'ninjatrader/NinjaTrader Grid 2026-03-04 04-10 PM.csv',
      {
        fills: 14,
        closed: 6,
        money: { gross: 243, fees: 18.6, net: 224.4 },
        accounts: [2, 2, 2],
      },
    ],
    [
      'ninjatrader/NinjaTrader Grid 2025-01-28 11-21 AM.csv',
      {
        fills: 55,
        closed: 24,
        money: { gross: 359.5, fees: 55.8, net: 303.7 },
        accounts: [6, 6, 6, 6],
      },
    ],
  ),
)(
  '$label adds up, in each account',
  ({ path, dates, holds: { fills, closed, money, accounts } }) => {
    const home = new ImportHome().withUser();
    const [report] = home.import(path(), { dates }).files;
    expect(report?.platform).toMatchObject({
      fills,
      unmatched: [],
      trades: { closed, open: 0 },
    });
    expect(report?.platform?.money).toEqual([{ currency: 'USD', ...money }]);
    expect(
      home.rows('SELECT count(*) AS n FROM trades GROUP BY account').map(({ n }) => n),
    ).toEqual(accounts);
  },
);

test.each(
  exportsWith(
    ['ninjatrader/Trade Performance.csv', { gross: 60, fees: 7.2, net: 52.8 }],
    ['formats-seen/nt-perf.csv', { gross: 82, fees: 3.6, net: 78.4 }],
  ).concat(
    exportsWith(
      ['ninjatrader/Trade Performance.csv', { gross: 60, fees: 7.2, net: 52.8 }],
      [
        'ninjatrader/performance-net-profit.csv',
        { gross: -1865, fees: 1232.64, net: -3097.64 },
      ],
    ).slice(1),
  ),
)('$label adds up', ({ path, dates, holds }) => {
  const home = new ImportHome().withUser();
  const [report] = home.import(path(), { dates }).files;
  expect(report?.platform?.money).toEqual([{ currency: 'USD', ...holds }]);
});
