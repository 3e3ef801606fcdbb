/** The report of an import: figures to compare, warnings, and the next command. */
import { describe, expect, test } from 'vitest';
import { setRates } from '../../src/edit/rates.ts';
import { FilesFailed } from '../../src/import/index.ts';
import type { ImportReport } from '../../src/import/report/report.ts';
import {
  figuresOf,
  isPlatformFile,
  outlookOf,
  warningsOf,
} from '../../src/import/report/report.ts';
import { ImportHome } from './home.ts';

const PERFORMANCE =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const WON = 'MESZ6,1,2,1,6800.00,6801.00,$5.00,11/02/2026 00:30:00,11/02/2026 00:31:00';
const LOST =
  'MNQZ6,3,4,1,25000.00,24990.00,$(20.00),11/03/2026 09:30:00,11/03/2026 09:31:00';
const KRAKEN =
  'txid,ordertxid,pair,time,type,ordertype,price,cost,fee,vol,margin,misc,ledgers';

const kraken = (id: string, time: string, type: string, vol: number) =>
  `"${id}","O","XLTCZEUR","${time}","${type}","limit",20,${20 * vol},0.10,${vol},0,"",""`;

function wordsOf(report: ImportReport): { figures: string[]; warnings: string[] } {
  const files = report.files.filter(isPlatformFile);
  return {
    figures: files
      .flatMap((file) => figuresOf(file, report.timezone))
      .map((line) => line.replace(/ +/g, ' ').trim()),
    warnings: files
      .flatMap((file) => warningsOf(file, report.user))
      .map((line) => line.replace(/^[^:]*: /, '')),
  };
}

test("figures are shown with those of the file, times in the user's zone", () => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const path = home.file(
    'Performance.csv',
    [PERFORMANCE, WON, ',,,,,,,,', LOST].join('\n'),
  );
  const report = home.import(path, { timeZone: 'UTC' });
  expect(wordsOf(report).figures).toEqual([
    `${path} (tradovate)`,
    'rows 3 read',
    'fills 4, 4 of them new',
    'trades 2 closed, 0 open',
    'skipped 1 empty row',
    'period 2026-11-01 19:30 to 2026-11-03 04:31 (America/New_York)',
    'P&L gross -15.00, fees 0.00, net -15.00 USD',
    'compared the rows of the file add up to gross -15.00 USD, here -15.00: difference 0.00',
    'symbol MNQZ6 -20.00 USD net in 1 trade',
    'symbol MESZ6 5.00 USD net in 1 trade',
  ]);
  expect(report.files[0]?.notes).toEqual(
    expect.arrayContaining(['this export has no fees; they are 0']),
  );
  expect(outlookOf(report)).toEqual({
    start: '2026-11-01',
    end: '2026-11-03',
    baseCurrency: null,
  });
  expect(wordsOf(home.import(path, { timeZone: 'UTC' })).warnings).toEqual([
    'already imported at 2026-11-20T15:00:00.000Z; nothing new',
  ]);
});

test('a list of a hundred symbols is shortened', () => {
  const home = new ImportHome().withUser();
  const rows = Array.from({ length: 100 }, (_, i) =>
    WON.replace('MESZ6,1,2', `MES${'FGHJKMNQUVXZ'[i % 12]}${10 + i},${i}1,${i}2`),
  );
  const { figures } = wordsOf(
    home.import(home.file('Performance.csv', [PERFORMANCE, ...rows].join('\n'))),
  );
  expect(figures.filter((line) => line.startsWith('symbol'))).toHaveLength(9);
  expect(figures.at(-1)).toBe('symbol and 92 more');
});

describe('warnings', () => {
  test('name unmatched closes, and currencies excluded from figures', () => {
    const home = new ImportHome().withUser();
    const rows = [
      kraken('T1', '2026-11-02 10:00:00.1', 'sell', 3),
      kraken('T2', '2026-11-02 11:00:00.1', 'buy', 2),
      kraken('T3', '2026-11-02 12:00:00.1', 'sell', 1),
    ];
    const report = home.import(home.file('ledger.csv', [KRAKEN, ...rows].join('\n')));
    const { figures, warnings } = wordsOf(report);
    expect(figures).toEqual(
      expect.arrayContaining(['trades 0 closed, 1 open', 'open LTC/EUR 1']),
    );
    expect(warnings).toEqual([
      'trades in EUR have no exchange rate (fx_rate) to your base currency and are excluded from figures; if EUR is your currency: journal-api user set me --base-currency EUR',
      '1 unmatched fill (closes, cancellations) excluded from trades; import the missing fills, or record them with journal-api fill: LTC/EUR sell 3 2026-11-02',
    ]);
    expect(outlookOf(report)).toBeNull();
    const closed = home.import(
      home.file(
        'next.csv',
        [KRAKEN, kraken('T4', '2026-11-03 12:00:00.1', 'sell', 1)].join('\n'),
      ),
    );
    expect(outlookOf(closed)).toEqual({
      start: '2026-11-02',
      end: '2026-11-03',
      baseCurrency: 'EUR',
    });
  });

  test('name no currency with a rate of yours, and none of trades that are open without an exit', () => {
    const home = new ImportHome().withUser();
    const warningsFor = (...rows: string[]) =>
      wordsOf(home.import(home.file(`${rows.length}.csv`, [KRAKEN, ...rows].join('\n'))))
        .warnings;
    const opened = kraken('T1', '2026-11-02 10:00:00.1', 'buy', 3);
    expect(warningsFor(opened)).toEqual([]);

    setRates(home.target, new Map([['EUR', 1.1]]), undefined, 'rates set EUR=1.1');
    const sold = kraken('T2', '2026-11-02 11:00:00.1', 'sell', 1);
    expect(warningsFor(opened, sold)).toEqual([]);
  });

  test('explain the different total of a file that begins after its positions', () => {
    const home = new ImportHome().withUser();
    const path = home.file(
      'trades.csv',
      [
        'Account,T/D,S/D,Currency,Type,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,TAF,NSCC,Nasdaq,ECN Remove,ECN Add,Gross Proceeds,Net Proceeds,Clr Broker,Liq,Note',
        'X1,11/02/2026,11/04/2026,USD,2,S,ACME,10,50,09:47:59,0,0,0,0,0,0,0,500,500,S,,',
        'X1,11/02/2026,11/04/2026,USD,2,B,ACME,10,49,10:47:59,0,0,0,0,0,0,0,-490,-490,S,,',
      ].join('\n'),
    );
    const { figures } = wordsOf(home.import(path));
    expect(figures).toEqual(
      expect.arrayContaining([
        'P&L gross 0.00, fees 0.00, net 0.00 USD, including open trades',
        'compared the rows of the file add up to gross 10.00 USD, here 0.00: difference -10.00 (unmatched closes excluded)',
      ]),
    );
  });

  const HEAD =
    'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code';
  const order = (
    symbol: string,
    day: string,
    units: number,
    price: number,
    profit: number,
    code: string,
  ) =>
    `Trades,Data,Order,Stocks,USD,${symbol},"2026-03-${day}, 10:00:00",${units},${price},${price},${-units * price},-1,0,${profit},0,${code}`;
  const compared = (home: ImportHome, ...rows: string[]) => {
    const { figures } = wordsOf(
      home.import(home.file(`${rows.length}.csv`, [HEAD, ...rows].join('\n'))),
    );
    return figures.filter((line) => /^(compared|differs)/.test(line));
  };

  test('compare realised P&L without the costs of open positions', () => {
    const rows = [
      order('ACME', '02', 10, 20, 0, 'O'),
      order('ACME', '03', -5, 21, 3.5, 'C'),
    ];
    expect(compared(new ImportHome().withUser(), ...rows)).toEqual([
      'compared the rows of the file add up to net 3.50 USD, here 3.50, costs of open positions (0.50) excluded: difference 0.00',
    ]);
  });

  test('leave out the costs of the units still open, which are those opened last', () => {
    const home = new ImportHome().withUser();
    const opened = [
      order('ACME', '02', 10, 20, 0, 'O'),
      order('ACME', '03', 2, 30, 0, 'O'),
    ];
    expect(compared(home, ...opened, order('ACME', '04', -10, 21, 8, 'C'))).toEqual([
      'compared the rows of the file add up to net 8.00 USD, here 8.00, costs of open positions (1.00) excluded: difference 0.00',
    ]);
    expect(home.rows('SELECT realised_pnl FROM trade_records')).toEqual([
      { realised_pnl: 8 },
    ]);
  });

  test('name symbols booked at the average price, and those opened before the file', () => {
    const rows = [
      order('ACME', '02', 10, 20, 0, 'O'),
      order('ACME', '03', 10, 30, 0, 'O'),
      // The average price makes 102.50 of it: to its last digit, it isn't that.
      order('ACME', '04', -15, 32, 102.5012, 'C'),
      order('BETA', '04', -10, 32, 50, 'C'),
      order('GAMA', '04', 10, 5, 0, 'O'),
      order('GAMA', '05', -10, 6, 8.00000012, 'C'),
    ];
    expect(compared(new ImportHome().withUser(), ...rows)).toEqual([
      'compared the rows of the file add up to net 160.50120012 USD, here 135.50, costs of open positions (0.50) excluded: difference -25.00120012',
      'differs BETA: 50.00 USD in the file, 0.00 here: -50.00 (unmatched closes excluded)',
      'differs ACME: 102.5012 USD in the file, 127.50 here: 24.9988 (partial closes: the file uses the average price; the journal uses first in, first out)',
    ]);
  });

  test('take the average price of an open trade that the rows state', () => {
    const home = new ImportHome().withUser();
    const rows = [
      order('ACME', '02', 10, 20, 0, 'O'),
      order('ACME', '03', 10, 30, 0, 'O'),
      order('ACME', '04', -15, 32, 102.5, 'C'),
    ];
    expect(compared(home, ...rows)).toEqual([
      'compared the rows of the file add up to net 102.50 USD, here 102.50, costs of open positions (0.50) excluded: difference 0.00',
    ]);
    expect(home.rows('SELECT gross_pnl, fees FROM trades')).toEqual([
      { gross_pnl: 105, fees: 3 },
    ]);
  });

  test('name the days that differ, and the days whose exits change later', () => {
    const home = new ImportHome().withUser();
    const days = (...rows: string[]) => {
      const report = home.import(
        home.file(`${rows.length} rows.csv`, [HEAD, ...rows].join('\n')),
      );
      const { figures, warnings } = wordsOf(report);
      return [...figures.filter((line) => line.startsWith('day')), ...warnings];
    };
    // 8 first in, first out; 4 by a platform that closes what was opened last.
    const opened = [
      order('ACME', '02', 10, 20, 0, 'O'),
      order('ACME', '02', 10, 24, 0, 'O'),
    ];
    expect(days(...opened, order('ACME', '03', -10, 25, 8, 'C'))).toContain(
      'day 2026-03-03: 8.00 USD realised in the file, 48.00 here: 40.00 (partial closes: the file closes at the average price, or other units than those opened first)',
    );
    // With the last close, the rows add up to the trade.
    expect(days(order('ACME', '04', -10, 26, 58, 'C'))).toEqual([
      'exits of 2026-03-03 realised 48.00 USD before, and 8.00 now',
    ]);
  });

  test('name trades shared with other files, and the symbol of an unexplained difference', () => {
    const home = new ImportHome().withUser();
    compared(
      home,
      order('ACME', '02', 10, 20, 0, 'O'),
      order('ACME', '03', -5, 21, 3.5, 'C'),
    );
    expect(compared(home, order('ACME', '04', -5, 22, 8.5, 'C'))).toEqual([
      'compared the rows of the file add up to net 8.50 USD, here 12.00: difference 3.50',
      'differs ACME: 8.50 USD in the file, 12.00 here: 3.50 (other files hold a part of these trades, which count as a whole here)',
    ]);
    const turned = [
      order('GAMA', '02', 10, 20, 0, 'O'),
      order('GAMA', '03', -20, 21, 8, 'C;O'),
    ];
    expect(compared(new ImportHome().withUser(), ...turned)).toContain(
      'differs GAMA: 8.00 USD in the file, 8.50 here: 0.50 (the file includes costs of the open position, as for an order that closes and opens)',
    );
    const odd = [
      order('BETA', '02', 10, 20, 0, 'O'),
      order('BETA', '03', -10, 21, 30, 'C'),
    ];
    expect(compared(new ImportHome().withUser(), ...odd)).toEqual([
      'compared the rows of the file add up to net 30.00 USD, here 8.00: difference -22.00',
      'differs BETA: 30.00 USD in the file, 8.00 here: -22.00',
    ]);
  });

  test("don't mention unmatched closes if the totals agree", () => {
    const home = new ImportHome().withUser();
    const path = home.file(
      'trades.csv',
      [
        'Account,T/D,S/D,Currency,Type,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,TAF,NSCC,Nasdaq,ECN Remove,ECN Add,Gross Proceeds,Net Proceeds,Clr Broker,Liq,Note',
        'X1,11/02/2026,11/04/2026,USD,2,S,ACME,10,50,09:47:59,0,0,0,0,0,0,0,500,500,S,,',
        'X1,11/02/2026,11/04/2026,USD,2,B,ACME,10,50,10:47:59,0,0,0,0,0,0,0,-500,-500,S,,',
      ].join('\n'),
    );
    const { figures, warnings } = wordsOf(home.import(path));
    expect(figures).toContain(
      'compared the rows of the file add up to gross 0.00 USD, here 0.00: difference 0.00',
    );
    expect(warnings.join()).toContain('1 unmatched fill');
  });

  test('suggest no base currency if there are several', () => {
    const home = new ImportHome().withUser();
    const others = (line: string) =>
      line.replace('XLTCZEUR', 'XLTCZGBP').replace('T1', 'T3').replace('T2', 'T4');
    const rows = [
      kraken('T1', '2026-11-02 10:00:00.1', 'buy', 2),
      kraken('T2', '2026-11-02 11:00:00.1', 'sell', 2),
    ];
    const report = home.import(
      home.file('ledger.csv', [KRAKEN, ...rows, ...rows.map(others)].join('\n')),
    );
    expect(wordsOf(report).warnings).toEqual([
      'trades in EUR, GBP have no exchange rate (fx_rate) to your base currency and are excluded from figures',
    ]);
    expect(outlookOf(report)).toEqual({
      start: '2026-11-02',
      end: '2026-11-02',
      baseCurrency: null,
    });
  });
});

test('a fill that reverses all later trades counts them as added, with no count below 0', () => {
  const home = new ImportHome().withUser();
  const margin = (id: string, time: string, type: string) =>
    kraken(id, time, type, 1).replace(',0,"",', ',5,"",');
  const sides = ['buy', 'sell', 'buy', 'sell', 'buy'];
  const [first, ...later] = sides.map((side, hour) =>
    margin(`T${hour}`, `2026-11-02 1${hour}:00:00.1`, side),
  );
  const [before] = home.import(
    home.file('later.csv', [KRAKEN, ...later].join('\n')),
  ).files;
  expect(before).toMatchObject({ added: 2, changed: 0, unchanged: 0 });
  const [after] = home.import(home.file('first.csv', [KRAKEN, first].join('\n'))).files;
  expect(after).toMatchObject({
    added: 3,
    changed: 0,
    unchanged: 0,
    platform: { trades: { removed: 2 } },
  });
});

test.each([false, true])(
  'a failed file stops no other one, and the report has the others (dry run: %s)',
  (dryRun) => {
    const home = new ImportHome().withUser();
    const paths = [
      home.file('a.csv', [PERFORMANCE, WON].join('\n')),
      home.file('c.csv', [PERFORMANCE, WON.replace('6801.00', 'nan')].join('\n')),
      home.file('b.csv', [PERFORMANCE, LOST].join('\n')),
    ];
    let stopped: unknown;
    try {
      home.import(paths, { dryRun });
    } catch (error) {
      stopped = error;
    }
    expect(stopped).toBeInstanceOf(FilesFailed);
    const { report, message } = stopped as FilesFailed;
    expect(report.files.map(({ file }) => file)).toEqual([paths[0], paths[2]]);
    expect(report.failed).toEqual([
      { file: paths[1], message: expect.stringMatching(/c\.csv:2: .*nan/) },
    ]);
    expect(message.includes('the other 2 files were imported')).toBe(!dryRun);
    expect(home.rows('SELECT count(*) AS n FROM trades')).toEqual([
      { n: dryRun ? 0 : 2 },
    ]);
  },
);
