/** The order of day and month: typed, as in earlier imports, or shown by a number above 12. */
import { describe, expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { readCandles } from '../../src/edit/excursions/read-candles.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { ImportOptions } from '../../src/import/index.ts';
import { draftOf } from '../../src/import/mapping/draft.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { newUser } from '../../src/journal-write/users.ts';
import { type DayOrder, dayOrderOf, type KnownDates } from '../../src/parse/times.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { runHere } from '../program.ts';
import { ImportHome } from './home.ts';

const cells = (...texts: string[]) =>
  texts.map((text, place) => ({ text, column: 'Time', line: place + 2 }));
const before = (order: DayOrder, ...imports: number[]): KnownDates => ({
  earlier: () => ({ order, imports }),
});

const ASKED =
  'may be 2 November or February 11; pass --dates dmy if the day comes first, or --dates mdy';

describe('dates', () => {
  test.each<[texts: string[], known: KnownDates, order: string, note: string]>([
    [['2026-11-02 10:00', '20261103'], {}, 'ymd', ''],
    [['10:00 2026-11-02'], { typed: 'dmy' }, 'ymd', ''],
    [[], before('dmy', 1), 'ymd', ''],
    [['6/6/2026 10:00', '06-06-26'], {}, 'mdy', ''],
    [['02/11/2026', '17/11/2026'], {}, 'dmy', 'day first (17/11/2026 on line 3)'],
    [
      ['02/11/2026', '11/17/2026 9:31 AM'],
      {},
      'mdy',
      'month first (11/17/2026 on line 3)',
    ],
    [['9:31 11/17/2026'], {}, 'mdy', 'month first (11/17/2026 on line 2)'],
    [['02.11.26', '2026-11-17', '17.11.26'], {}, 'dmy', 'day first (17.11.26 on line 4)'],
    [['02/11/2026'], { typed: 'mdy' }, 'mdy', 'month first (--dates mdy)'],
    [['17/11/2026'], { typed: 'dmy' }, 'dmy', 'day first (--dates dmy)'],
    [['02/11/2026'], before('dmy', 3, 1), 'dmy', 'day first (as in import 3)'],
    [
      ['02/11/2026'],
      { typed: 'mdy', ...before('dmy', 3) },
      'mdy',
      'month first (--dates mdy; import 3 was read with the day first)',
    ],
    [
      ['02/11/2026'],
      { earlier: () => ({ order: 'mdy', imports: [2], isOwn: true }) },
      'mdy',
      'month first (as before)',
    ],
    [
      ['17/11/2026'],
      { earlier: () => ({ order: 'mdy', imports: [2], isOwn: true }) },
      'dmy',
      'day first (17/11/2026 on line 2)',
    ],
  ])('%j with %j: %s', (texts, known, order, note) => {
    const found = dayOrderOf(cells(...texts), known);
    expect(found).toMatchObject({
      order,
      notes: note === '' ? [] : [`dates are read with the ${note}`],
    });
    expect(found.dates?.order).toBe(note === '' ? undefined : order);
  });

  test.each<[why: string, texts: string[], known: KnownDates, message: string]>([
    [
      'dates that only rise',
      ['02/11/2026', '03/11/2026', '04/11/2026'],
      {},
      `02/11/2026 in column Time ${ASKED}`,
    ],
    ['half days', ['2/11/2026 9:31 AM'], {}, `2/11/2026 in column Time ${ASKED}`],
    ['dashes', ['02-11-2026'], {}, ASKED],
    ['points', ['02.11.2026'], {}, ASKED],
    [
      'two digits of the year',
      ['6/6/26', '02/11/26'],
      {},
      `02/11/26 in column Time ${ASKED}`,
    ],
    [
      'earlier imports without an order',
      ['02/11/2026'],
      { earlier: () => ({ imports: [], unknown: [1] }) },
      ASKED,
    ],
    [
      'both orders',
      ['17/11/2026', '11/18/2026'],
      { typed: 'dmy' },
      '17/11/2026 on line 2 has the day first, but 11/18/2026 on line 3 the month; export the file again',
    ],
    [
      'the other order than typed',
      ['02/11/2026', '17/11/2026'],
      { typed: 'mdy' },
      '17/11/2026 has the day first, not as --dates mdy states; pass --dates dmy',
    ],
    [
      'the other order than before',
      ['02/11/2026', '17/11/2026'],
      before('mdy', 3),
      'import 3 was read with the month first, but line 3 has 17/11/2026; if import 3 is wrong: journal-api import change 3 --dates dmy; if this file differs: --dates dmy',
    ],
    [
      'the other order than twice before',
      ['17/11/2026'],
      before('mdy', 3, 1),
      'if import 3 is wrong: journal-api import change 3 --dates dmy, and likewise 1;',
    ],
  ])('%s are refused', (_, texts, known, message) => {
    expect(() => dayOrderOf(cells(...texts), known)).toThrow(message);
  });

  test.each([
    [
      ['02.11.2026 10:00', '13.11.2026 10:00'],
      'reformatted by a spreadsheet: dates are read with the day first',
    ],
    [['6/6/2026 10:00'], 'reformatted by a spreadsheet; missing parts of times are 0'],
  ])('that a spreadsheet reformatted are read: %j', (texts, note) => {
    expect(dayOrderOf(cells(...texts), {}, true).notes).toEqual([
      expect.stringContaining(note),
    ]);
  });

  test('that a spreadsheet reformatted are refused if they fit both orders', () => {
    expect(() => dayOrderOf(cells('2026-11-02', '11/2/2026 10:00'), {}, true)).toThrow(
      '11/2/2026 in column Time, reformatted by a spreadsheet, may be 11 February or November 2; import the original file, or pass --dates dmy',
    );
  });
});

/** A grid of NinjaTrader: one trade on each day. */
const gridOf = (...days: string[]) =>
  [
    'Instrument,Action,Quantity,Price,Time,E/X,Commission',
    ...days.flatMap((day) => [
      `MNQ DEC26,Buy,1,25000,${day} 10:00:00,Entry,$0.35`,
      `MNQ DEC26,Sell,1,25010,${day} 10:05:00,Exit,$0.35`,
    ]),
  ].join('\n');

const WEEK = gridOf('02/11/2026', '03/11/2026', '04/11/2026');
const MONTH = gridOf('02/11/2026', '03/11/2026', '04/11/2026', '17/11/2026');
const NEXT = gridOf('01/12/2026', '02/12/2026');

const NOVEMBER = ['2026-11-02', '2026-11-03', '2026-11-04'];
const SPRING = ['2026-02-11', '2026-03-11', '2026-04-11'];

class Home extends ImportHome {
  take(
    text: string,
    options: Partial<ImportOptions> = {},
    name = `grid ${text.length}.csv`,
  ) {
    return this.import(this.file(name, text), options);
  }

  refused(text: string, options: Partial<ImportOptions> = {}): string {
    return this.refusalOf(this.file(`grid ${text.length}.csv`, text), options);
  }

  change(id: number, dates: DayOrder, dryRun = false) {
    return changeImport(
      { ...this.target, id, given: { dates }, dryRun },
      `import change ${id}`,
    );
  }

  undo(id?: number) {
    return undoImport(this.target, id);
  }

  days(): unknown[] {
    return this.rows('SELECT executed_at FROM trades ORDER BY executed_at').map((row) =>
      String(row['executed_at']).slice(0, 10),
    );
  }

  orders(): unknown[] {
    return this.rows('SELECT date_order FROM imports ORDER BY id').map(
      (row) => row['date_order'],
    );
  }
}

describe('an import of an earlier version, which kept neither order nor clocks', () => {
  /** As that version left it. */
  function earlier(dates: DayOrder): Home {
    const home = new Home().withUser();
    home.take(WEEK, { dates });
    home.write('UPDATE imports SET date_order = NULL, options = NULL');
    home.write('UPDATE import_fills SET clock = NULL, digits = NULL');
    return home;
  }

  test.each([['dmy', NOVEMBER] as const, ['mdy', SPRING] as const])(
    'has the order under which rows of the file are known: %s',
    (dates, days) => {
      const home = earlier(dates);
      home.take(gridOf('02/11/2026', '03/11/2026', '04/11/2026', '05/11/2026'));
      expect(home.days().slice(0, days.length)).toEqual(days);
      expect(home.orders()).toEqual([null, dates]);
    },
  );

  test('closed trades have one, too', () => {
    const grid = (...days: string[]) =>
      [
        'Trade number,Instrument,Account,Market pos.,Quantity,Entry price,Exit price,Entry time,Exit time,Profit,Commission',
        ...days.map(
          (day, n) =>
            `${n + 1},MNQ DEC26,Sim,Long,1,25000,25010,${day} 10:00:00,${day} 10:05:00,$20.00,$0.70`,
        ),
      ].join('\n');
    const days = ['02/11/2026', '03/11/2026', '04/11/2026'];
    const home = new Home().withUser();
    home.take(grid(...days), { dates: 'mdy' });
    home.write('UPDATE imports SET date_order = NULL, options = NULL');
    home.write('UPDATE import_records SET clock = NULL, digits = NULL');
    expect(home.refused(grid(...days, '17/11/2026'))).toContain(
      '3 rows (first on line 2) are in import 1 with day and month exchanged; to correct it: journal-api import change 1 --dates dmy',
    );
    home.take(grid(...days, '05/11/2026'));
    expect(home.days()).toEqual([...SPRING, '2026-05-11']);
  });

  test('is named by a file that shows the other one', () => {
    const home = earlier('mdy');
    expect(home.refused(MONTH)).toContain(
      '6 rows (first on line 2) are in import 1 with day and month exchanged; to correct it: journal-api import change 1 --dates dmy',
    );
    expect(home.days()).toEqual(SPRING);
  });
});

const homeOf = () => new Home().withUser('me', { timezone: 'America/Chicago' }) as Home;

describe('a file in the language of the computer', () => {
  test('is refused if its dates fit both orders, and nothing is written', () => {
    const home = homeOf();
    expect(home.refused(WEEK)).toBe(`2: 02/11/2026 in column Time ${ASKED}`);
    expect([home.days(), home.orders()]).toEqual([[], []]);
  });

  test.each([
    ['dmy', NOVEMBER],
    ['mdy', SPRING],
  ] as const)('is read with --dates %s', (dates, days) => {
    const home = homeOf();
    const [file] = home.take(WEEK, { dates }).files;
    expect(file?.notes.join()).toContain(`(--dates ${dates})`);
    expect([home.days(), home.orders()]).toEqual([days, [dates]]);
  });

  test('shows its order by a number above 12; the week is read as the month, in any order', () => {
    const home = homeOf();
    expect(home.take(MONTH).files[0]?.notes.join()).toContain(
      'day first (17/11/2026 on line 8)',
    );
    expect(home.take(WEEK).files[0]?.notes.join()).toContain(
      'day first (as in import 1)',
    );
    expect(home.take(NEXT).files[0]?.notes.join()).toContain(
      'day first (as in import 2)',
    );
    expect(home.days()).toEqual([...NOVEMBER, '2026-11-17', '2026-12-01', '2026-12-02']);
  });

  test('that contradicts an earlier import is refused, and read once that is changed', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'mdy' });
    expect(home.refused(MONTH)).toBe(
      '8: import 1 was read with the month first, but line 8 has 17/11/2026; if import 1 is wrong: journal-api import change 1 --dates dmy; if this file differs: --dates dmy',
    );
    expect(home.days()).toEqual(SPRING);

    home.change(1, 'dmy');
    home.take(MONTH);
    expect(home.days()).toEqual([...NOVEMBER, '2026-11-17']);
  });

  test('that was imported before is refused in the other order', () => {
    const home = homeOf();
    const closed = [
      'Account,Instrument,Market pos.,Qty,Entry name,Entry price,Entry time,Exit name,Exit price,Exit time,Profit,Commission',
      'Sim101,MES 03-26,Long,2,EN1,6912.25,01/12/2026 9:35:12 AM,EX1,6915.50,01/12/2026 9:42:15 AM,32.50,2.40',
    ].join('\n');
    for (const text of [WEEK, closed]) {
      home.take(text, { dates: 'mdy' });
      expect(home.refused(text, { dates: 'dmy' })).toMatch(
        /imported before: import (\d) was read with the month first; to correct it: journal-api import change \1 --dates dmy$/,
      );
    }
    expect(home.days()).toHaveLength(4);
  });

  test('needs no order if day and month are equal', () => {
    const home = homeOf();
    expect(home.take(gridOf('06/06/2026')).files[0]?.notes.join()).not.toContain('first');
    expect([home.days(), home.orders()]).toEqual([['2026-06-06'], [null]]);
  });

  test('is refused with --dates if it shows the other order', () => {
    expect(homeOf().refused(MONTH, { dates: 'mdy' })).toContain('pass --dates dmy');
  });
});

describe('an earlier import', () => {
  test('no longer counts after its undo', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy' });
    home.undo(1);
    expect(home.refused(NEXT)).toContain(ASKED.slice(ASKED.indexOf(';')));
  });

  test('leaves the order to those that followed it', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy' });
    home.take(NEXT);
    home.undo(1);
    expect(home.take(gridOf('03/12/2026')).files[0]?.notes.join()).toContain(
      '(as in import 2)',
    );
  });

  test('counts for its account only', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy', account: 'A' });
    expect(home.refused(NEXT, { account: 'B' })).toContain('--dates mdy');
    home.take(gridOf('12/01/2026'), { dates: 'mdy', account: 'B' });
    expect(home.refused(NEXT)).toContain('--dates mdy');

    home.take(NEXT, { account: 'A' });
    expect(home.days()).toEqual([...NOVEMBER, '2026-12-01', '2026-12-01', '2026-12-02']);
  });

  test('counts without --account if it is of the only account', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy', account: 'A' });
    expect(home.take(NEXT).files[0]?.notes.join()).toContain('(as in import 1)');
  });

  test('of another format says nothing', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy' });
    const fills =
      'time,coin,dir,px,sz,ntl,fee,closedPnl\n02/11/2026 - 20:56:12,ABC,Open Short,10,5,50,0.01,-0.01\n';
    expect(home.refusalOf(home.file('trade_history.csv', fills))).toContain(
      '--dates dmy',
    );
  });

  test('in the same command counts, in a dry run, too', () => {
    for (const dryRun of [true, false]) {
      const home = homeOf();
      const paths = [home.file('1.csv', MONTH), home.file('2.csv', NEXT)];
      const { files } = home.import(paths, { dryRun });
      expect(files[1]?.notes.join()).toContain('(as in import 1)');
    }
  });

  test('that followed another is changed with it if they state the same rows', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'mdy' });
    home.take(gridOf('04/11/2026', '05/11/2026'));
    expect(home.change(1, 'dmy').changed.map(({ id }) => id)).toEqual([1, 2]);
    expect([home.days(), home.orders()]).toEqual([
      [...NOVEMBER, '2026-11-05'],
      ['dmy', 'dmy', null],
    ]);
  });

  test('is kept by an export of the journal', async () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy' });
    const env = { JOURNAL_API_HOME: home.folder };
    const folder = home.path('out');
    expect(await runHere(['export', folder], { env })).toMatchObject({ code: 0 });

    const copy = new Home();
    copy.import(folder);
    expect(copy.take(NEXT).files[0]?.notes.join()).toMatch(
      /day first \(as in import \d\)/,
    );
  });
});

describe('import change --dates', () => {
  test('reads the file in the other order, and back; undo reverts it', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'dmy' });
    const first = home.contents();

    home.change(1, 'mdy');
    expect([home.days(), home.orders()]).toEqual([SPRING, ['mdy', null]]);
    home.undo(2);
    expect([home.contents(), home.orders()]).toEqual([first, ['dmy']]);

    home.change(1, 'mdy');
    home.change(1, 'dmy');
    expect([home.contents(), home.orders().slice(0, 1)]).toEqual([first, ['dmy']]);
  });

  test('is refused if the file shows the other order', () => {
    const home = homeOf();
    home.take(MONTH);
    expect(() => home.change(1, 'mdy')).toThrow(
      '17/11/2026 has the day first, not as --dates mdy states',
    );
    expect(home.orders()).toEqual(['dmy']);
  });

  test('is listed with the other options; another change keeps the order', () => {
    const home = homeOf();
    home.take(gridOf('05/11/2026'), { dates: 'mdy' });
    home.take(WEEK, { dates: 'dmy' });
    home.take(NEXT);
    home.undo(2);
    const { journal, now } = home;
    changeImport(
      { journal, now, id: 3, given: { account: 'B' } },
      'import change 3 --account B',
    );
    expect(home.days()).toEqual(['2026-05-11', '2026-12-01', '2026-12-02']);
    const listed = listImports({ journal }).map(({ id, options, date_order }) => [
      id,
      options?.dates,
      date_order,
    ]);
    expect(listed).toContainEqual([3, undefined, 'dmy']);
    expect(listed).toContainEqual([1, 'mdy', 'mdy']);
  });

  test('the same file without options is read as it is now', () => {
    const home = homeOf();
    home.take(WEEK, { dates: 'mdy' }, 'week.csv');
    home.change(1, 'dmy');
    home.import(home.path('week.csv'));
    expect(home.days()).toEqual(NOVEMBER);
  });
});

describe('on the command line', () => {
  test('each ambiguous file is named, and the others are imported', async () => {
    const home = homeOf();
    const run = (...args: string[]) =>
      runHere(['import', ...args], { env: { JOURNAL_API_HOME: home.folder } });
    const [month, next] = [
      home.file('b.csv', gridOf('11/17/2026')),
      home.file('a.csv', NEXT),
    ];
    const first = await run(next, month);
    expect(first).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${next}:2: 01/12/2026 in column Time may`),
    });
    expect(home.days()).toEqual(['2026-11-17']);

    expect(await run(next, '--dates', 'dmy')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        '(--dates dmy; import 1 was read with the month first)',
      ),
    });
    const { stdout } = await run('list');
    expect(stdout).toContain('--dates dmy');
    expect(await run(next, '--dates', 'ymd')).toMatchObject({ code: 2 });
  });

  test('import change takes --dates; a mapping states its own order', async () => {
    const home = homeOf();
    const run = (...args: string[]) =>
      runHere(['import', ...args], { env: { JOURNAL_API_HOME: home.folder } });
    home.take(WEEK, { dates: 'mdy' });
    expect(await run('change', '1', '--dates', 'dmy', '--yes')).toMatchObject({
      code: 0,
    });
    expect(home.days()).toEqual(NOVEMBER);
    expect(home.rows("SELECT file FROM imports WHERE format = 'change'")).toEqual([
      { file: 'import change 1 --dates dmy' },
    ]);
    const path = home.file('own.csv', 'a,b\n1,2\n');
    expect(await run(path, '--map', 'x.json', '--dates', 'dmy')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a mapping states the order of its dates'),
    });
  });
});

test('a format whose platform writes one order takes no other, and says so', () => {
  const home = homeOf();
  const text =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\nMNQZ6,2,1,8,25660.00,25683.50,$376.00,11/02/2026 09:30:00,11/02/2026 09:31:00';
  const [file] = home.import(home.file('Performance.csv', text), { dates: 'dmy' }).files;
  expect(file?.notes).toContain(
    "--dates dmy wasn't used; this format has the month first",
  );
  expect([home.days(), home.orders()]).toEqual([['2026-11-02'], [null]]);
});

test('expirations show the order of times', () => {
  const home = homeOf();
  const text = [
    'Account,Date/Time,Symbol,Symbol type,Expiration date,Strike price,Option type,Side,Quantity,Price,Fee,Trade ID,Order ID',
    'A1,02/11/2026 09:35:12,ABC,Options,18/12/2026,100,Call,Buy,1,2.50,1.20,T1,O1',
  ].join('\n');
  expect(home.import(home.file('Trades.csv', text)).files[0]?.notes.join()).toContain(
    'day first (18/12/2026 on line 2)',
  );
  expect(home.days()).toEqual(NOVEMBER.slice(0, 1));
});

describe('a draft of a mapping', () => {
  const drafted = (dates: DayOrder | undefined, ...rows: string[]) => {
    const text = ['Date,Symbol,Side,Quantity,Price,Expiration', ...rows].join('\n');
    return draftOf(Buffer.from(text), 'own', { dates }).dates;
  };

  test.each<[dates: DayOrder | undefined, rows: string[], order: string]>([
    [undefined, ['02/11/2026 10:00,ABC,buy,1,5,', '03/11/2026 10:00,ABC,sell,1,6,'], '?'],
    [undefined, ['02/11/2026 10:00 AM,ABC,buy,1,5,'], '?'],
    [undefined, ['02.11.2026 10:00,ABC,buy,1,5,'], '?'],
    [undefined, ['17/11/2026 10:00,ABC,buy,1,5,'], 'dmy'],
    [undefined, ['02/11/2026 10:00,ABC,buy,1,5,18/12/2026'], 'dmy'],
    ['dmy', ['02/11/2026 10:00,ABC,buy,1,5,'], 'dmy'],
  ])('with --dates %s of %j has %s', (dates, rows, order) => {
    expect(drafted(dates, ...rows)).toBe(order);
  });

  test('takes one order only', () => {
    const home = homeOf();
    const map = {
      name: 'own',
      target: 'fills',
      dates: ['mdy', 'dmy'],
      fields: { symbol: 'A' },
    };
    expect(() => loadMapping(home.file('own.map.json', JSON.stringify(map)))).toThrow(
      'must have mdy or dmy, not both',
    );
  });
});

describe('candles', () => {
  const candlesOf = (header: string, ...days: string[]) =>
    [`${header},Open,High,Low,Close`, ...days.map((day) => `${day},1,2,1,1`)].join('\n');
  const first = (text: string, dates?: DayOrder) => {
    const { candles } = readCandles(text, newUser('me', {}), { timeZone: 'UTC', dates });
    return new Date(candles.first).toISOString().slice(0, 10);
  };

  test('in both orders need --dates', () => {
    const text = candlesOf('Time', '02/11/2026 10:00', '02/11/2026 10:01');
    expect(() => first(text)).toThrow(ASKED);
    expect([first(text, 'dmy'), first(text, 'mdy')]).toEqual([
      '2026-11-02',
      '2026-02-11',
    ]);
  });

  test.each([
    ['Time', '02/11/2026 10:00', '13/11/2026 10:00'],
    ['Gmt time', '02.11.2026 10:00:00.000', '02.11.2026 10:01:00.000'],
  ])('of %s, %s and %s need none', (header, ...days) => {
    expect(first(candlesOf(header, ...days))).toBe('2026-11-02');
  });
});
