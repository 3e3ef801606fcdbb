/** Fills by hand, and accounts whose fills come from several formats. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { fillOfLine } from '../../src/edit/fill/fill-line.ts';
import { type FillOptions, recordFills } from '../../src/edit/fill.ts';
import { ofOtherRevision, rereadFiles } from '../../src/edit/reread.ts';
import { type FileFill, fill } from '../../src/import/fills/reading.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { stock } from '../../src/parse/instruments.ts';
import { keptFirst } from '../corpus.ts';
import { runs } from '../effort.ts';
import { runHere } from '../program.ts';
import { FillHome } from './fill-home.ts';
import { ImportHome } from './home.ts';

const home = (zone = 'America/New_York') =>
  new FillHome().withUser('me', { timezone: zone }) as FillHome;

const record = (
  { journal, now }: FillHome,
  lines: string | readonly string[],
  more: Partial<FillOptions> = {},
) => {
  const numbered = [lines].flat().map((text, place) => ({ text, line: place + 1 }));
  return recordFills(
    { journal, now, lines: numbered, ...more },
    `fill ${[lines].flat()[0]}`,
  );
};

const ONDS = stock('ONDS');
const stated = (
  executedAt: string,
  side: 'buy' | 'sell',
  quantity: number,
  price: number,
  more: Partial<FileFill> = {},
) => fill({ line: 1, instrument: ONDS, executedAt, side, quantity, price, ...more });

const A = { account: 'A' };
const OPENING = '2025-10-01 09:31 buy 30 ONDS 7.39';
/** 09:31:05 in New York. */
const OPENED = stated('2025-10-01T13:31:05.000Z', 'buy', 30, 7.39, { fees: 1 });
const CLOSED = stated('2025-10-02T14:00:00.000Z', 'sell', 30, 8, { line: 2 });

const shown = (own: FillHome) =>
  own.rows(
    'SELECT symbol, side, status, account, executed_at, has_time, quantity, gross_pnl, fees FROM trades ORDER BY executed_at, id',
  );

const SETTINGS = {
  zone: 'America/New_York',
  userZone: 'Europe/Berlin',
  now: Date.parse('2026-11-29'),
};

test.each([
  [
    OPENING,
    {
      side: 'buy',
      effect: null,
      quantity: 30,
      symbol: 'ONDS',
      price: 7.39,
      executedAt: '2025-10-01T13:31:00.000Z',
      hasTime: true,
      clock: '2025-10-01T09:31:00.000',
    },
  ],
  [
    '  2025-10-01\t9:31:05.5 AM  SELL short 0.5 X 1e-4 ',
    {
      side: 'sell',
      effect: 'open',
      executedAt: '2025-10-01T13:31:05.500Z',
      price: 0.0001,
    },
  ],
  [
    '2025-10-01T13:31Z buy to open 1 "BRK B" 1',
    {
      effect: 'open',
      symbol: 'BRK B',
      executedAt: '2025-10-01T13:31:00.000Z',
      clock: '',
    },
  ],
  [
    "2025-10-01 sell to close 1 'SPY 2026-06-19 C450' 0",
    {
      effect: 'close',
      executedAt: '2025-09-30T22:00:00.000Z',
      hasTime: false,
      clock: '2025-10-01',
    },
  ],
  // Clocks are put back: the first of both.
  ['2025-11-02 01:30 buy 1 X 1', { executedAt: '2025-11-02T05:30:00.000Z' }],
])('a line is a fill: %s', (line, expected) => {
  expect(fillOfLine(line, 1, SETTINGS)).toMatchObject(expected);
});

test.each([
  ['', /^time: is missing; a fill is a line such as/],
  ['2025-10-01', /^side: is missing/],
  ['2025-10-01 09:31 buy 30', /^symbol: is missing/],
  ['2025-10-01 09:31 buy 30 ONDS', /^price: is missing/],
  ['2025-10-01 09:31 buy 30 "" 1', /^symbol: is missing/],
  ['01/10/2025 09:31 buy 30 ONDS 1', /^time: must be a time with the year first/],
  ['2025-02-30 buy 30 ONDS 1', /^time: must be a date/],
  ['2025-10-01 24:01 buy 30 ONDS 1', /^time: must be a time/],
  [
    '2026-03-08 02:30 buy 1 ONDS 1',
    /^time: 2026-03-08 02:30 doesn't exist in America\/New_York/,
  ],
  ['2026-11-30 buy 1 ONDS 1', /^time: 2026-11-30 is in the future/],
  ['2025-10-01 hold 1 ONDS 1', /^side: must be buy or sell; got "hold"/],
  ['2025-10-01 buy to keep 1 ONDS 1', /^side: must be buy, buy to open or buy to close/],
  ['2025-10-01 buy short 1 ONDS 1', /^quantity: must be a number/],
  ['2025-10-01 buy 0 ONDS 1', /^quantity: must be above 0/],
  ['2025-10-01 buy -1 ONDS 1', /^quantity: must be above 0/],
  ['2025-10-01 buy NaN ONDS 1', /^quantity: must be a number/],
  ['2025-10-01 buy 1e999 ONDS 1', /^quantity: must be a number/],
  ['2025-10-01 buy 1 ONDS 1,5', /^price: must be a number/],
  ['2025-10-01 buy 1 BRK B 1', /^price: must be a number/],
  ['2025-10-01 buy 1 ONDS 1 2', /^unexpected "2"/],
  ['2025-10-01 buy 1 "ONDS 1', /^has an open quotation mark/],
  ['2025-10-01 buy 1 ON"DS" 1', /^has an open quotation mark/],
  ['2025-10-01 buy 1 \u001b[31mX 1', /^has control characters/],
  ['2025-10-01 buy 1 X\u202e 1', /^has control characters/],
  [`2025-10-01 buy 1 ${'"'.repeat(400)} 1`, /^is longer than 300 characters/],
])('a wrong line names what is wrong: %s', (line, message) => {
  expect(() => fillOfLine(line, 1, SETTINGS)).toThrow(message);
});

test('any text is a fill, or an error for the user', () => {
  const words = fc.constantFrom(
    '2025-10-01',
    '09:31',
    'buy',
    'sell',
    '30',
    '"',
    "'",
    'to',
    'open',
    '1e400',
    '\u0000',
    'ONDS',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map((own) => own.join(' ')),
  );
  fc.assert(
    fc.property(text, (line) => {
      try {
        expect(fillOfLine(line, 1, SETTINGS).quantity).toBeGreaterThan(0);
      } catch (error) {
        expect((error as Error).name).toBe('RowError');
      }
    }),
    { numRuns: runs(500) },
  );
});

test('a fill by hand opens what a file of the account closes, and its undo leaves the file', () => {
  const own = home();
  own.take([CLOSED], A);
  expect(shown(own)).toEqual([]);
  const { fills, trades } = record(own, OPENING, { ...A, fees: 1 });
  expect(fills).toMatchObject([
    { symbol: 'ONDS', quantity: 30, fees: 1, same_as: null, unmatched: 0 },
  ]);
  expect(trades).toEqual({ added: 1, changed: 0, removed: 0 });
  expect(shown(own)).toMatchObject([
    { status: 'closed', account: 'A', gross_pnl: 18.3, fees: 1 },
  ]);
  own.undo();
  expect(shown(own)).toEqual([]);
  expect(own.findings()).toEqual([]);
});

test.each([
  ['by hand first', true],
  ['file first', false],
])('the same fill by hand and of a file counts once: %s', (_, isFirst) => {
  const own = home();
  const byHand = () => record(own, OPENING, A);
  const byFile = () => own.take([OPENED, CLOSED], A);
  const [first, second] = isFirst ? [byHand, byFile] : [byFile, byHand];
  first();
  own.write("UPDATE trades SET notes = 'mine'");
  const result = second();
  const both = shown(own);
  expect(both).toMatchObject([
    { status: 'closed', executed_at: '2025-10-01T13:31:05.000Z', fees: 1 },
  ]);
  if ('fills' in result) expect(result.fills).toMatchObject([{ same_as: 1 }]);
  else expect(result.twins).toHaveLength(1);
  expect(own.rows('SELECT notes FROM trades')).toEqual([{ notes: 'mine' }]);
  // What was said stays on the trade whichever goes.
  own.undo(isFirst ? 1 : 2);
  expect(shown(own)).toEqual(both);
  expect(own.rows('SELECT notes FROM trades')).toEqual([{ notes: 'mine' }]);
});

test.each([
  ['the same day', '2025-10-01 buy 30 ONDS 7.39', 1],
  ['another day', '2025-10-02 buy 30 ONDS 7.39', 2],
  ['the same minute', '2025-10-01 09:31:59 buy 30 ONDS 7.39', 1],
  ['another minute', '2025-10-01 09:32 buy 30 ONDS 7.39', 2],
  ['another price', '2025-10-01 09:31 buy 30 ONDS 7.4', 2],
  ['another side', '2025-10-01 09:31:30 sell 30 ONDS 7.39', 2],
])('a fill by hand is that of a file only if all is the same: %s', (_, line, count) => {
  const own = home();
  own.take([OPENED], A);
  record(own, line, A);
  expect(own.rows('SELECT count(*) AS n FROM executions')).toEqual([{ n: count }]);
});

test('each fill by hand is one fill of a file at most', () => {
  const own = home();
  record(own, [OPENING, OPENING], { ...A, again: true });
  own.take([OPENED], A);
  expect(shown(own)).toMatchObject([{ quantity: 60, status: 'open' }]);
});

test('the same fill twice by hand is refused, unless it is another', () => {
  const own = home();
  expect(() => record(own, [OPENING, OPENING], A)).toThrow(
    'line 2: this fill appears twice; pass --again',
  );
  record(own, OPENING, A);
  expect(() => record(own, OPENING, A)).toThrow(
    'import 1 has this fill already; pass --again',
  );
  record(own, OPENING, { ...A, again: true });
  expect(shown(own)).toMatchObject([{ quantity: 60 }]);
  own.undo(1);
  expect(shown(own)).toMatchObject([{ quantity: 30 }]);
});

test('one wrong line records none', () => {
  const own = home();
  const before = own.tables();
  expect(() => record(own, [OPENING, '2025-10-02 sell 30 ONDS x'], A)).toThrow(
    'line 2: price: must be a number',
  );
  expect(own.tables()).toEqual(before);
});

test('without an account, a fill belongs where its symbol is held', () => {
  const own = home();
  own.take([OPENED], { account: 'A', format: { name: 'x' } });
  own.take([{ ...OPENED, instrument: stock('ABC') }], {
    account: 'B',
    format: { name: 'x' },
  });
  expect(record(own, '2025-10-03 sell 30 onds 8').fills).toMatchObject([
    { account: 'A', symbol: 'ONDS' },
  ]);
  own.take([stated('2025-10-06T14:00:00.000Z', 'buy', 5, 7)], {
    account: 'A',
    format: { name: 'x' },
  });
  own.take([stated('2025-10-06T15:00:00.000Z', 'buy', 7, 7)], {
    account: 'B',
    format: { name: 'x' },
  });
  expect(() => record(own, '2025-10-07 sell 5 ONDS 8')).toThrow(
    'accounts with an open position in ONDS: A, B; pass --account',
  );
  expect(record(own, '2025-10-07 sell 5 ONDS 8', { account: 'b' }).trades).toMatchObject({
    changed: 1,
  });
});

test("of two platforms with open positions and no account, both are named, and what names one's rows", () => {
  const own = home();
  own.take([OPENED], { format: { name: 'x' } });
  own.take([{ ...OPENED, quantity: 7 }], { format: { name: 'y' } });
  expect(() => record(own, '2025-10-03 sell 30 ONDS 8')).toThrow(
    'accounts with an open position in ONDS: none (x), none (y); pass --account; ' +
      'to give those without one a name: journal-api import change 1 --account NAME',
  );
});

test('without an account, a fill opens what a file without one closes', () => {
  const own = home();
  own.take([CLOSED]);
  expect(record(own, OPENING).notices).toEqual([]);
  expect(shown(own)).toMatchObject([
    { status: 'closed', account: null, gross_pnl: 18.3 },
  ]);
});

test('with an account, a fill says which fills without one it does not join', () => {
  const own = home();
  own.take([CLOSED]);
  expect(record(own, OPENING, A).notices).toMatchObject([
    { code: 'apart', command: 'journal-api import change 1 --account A' },
  ]);
  expect(shown(own)).toMatchObject([{ status: 'open', account: 'A' }]);
});

test.each([
  ['to the minute', OPENING],
  ['on its day', '2025-10-01 buy 30 ONDS 7.39'],
  ['on its day, late in the evening', '2025-10-01 buy 30 LATE 7.39'],
])(
  'a fill that a file states without an account is not recorded again in one: %s',
  (_, line) => {
    const own = home();
    const late = {
      instrument: stock('LATE'),
      executedAt: '2025-10-02T03:59:00.000Z',
      line: 2,
    };
    own.take([OPENED, { ...OPENED, ...late }]);
    const before = own.tables();
    expect(() => record(own, line, A)).toThrow(
      'import 1 has this fill, without an account; omit --account, or name it: ' +
        'journal-api import change 1 --account A; pass --again if it is another',
    );
    expect(own.tables()).toEqual(before);
    expect(record(own, line).fills).toMatchObject([{ same_as: 1 }]);
    own.undo();
    record(own, line, { ...A, again: true });
    expect(own.rows('SELECT count(*) AS n FROM executions')).toEqual([{ n: 3 }]);
  },
);

test.each([
  [undefined, 'journal-api import undo 1, then record it again'],
  ['A', 'journal-api import change 2 --account A'],
])(
  'a fill recorded before a file, in account %s, is apart from it until joined',
  (account, way) => {
    const own = home();
    record(own, OPENING, { account });
    own.take([CLOSED]);
    expect(() => record(own, OPENING, { account })).toThrow(
      `import 1 has this fill already, apart from the fills of ONDS in import 2; to join them: ${way}`,
    );
  },
);

test('an option by its OCC symbol is that of every format', () => {
  const own = home();
  record(own, '2026-05-04 10:00 buy to open 1 SPY260619C00450000 12.5', A);
  record(own, '2026-05-05 10:00 sell to close 1 "SPY 2026-06-19 C450" 13', A);
  expect(
    own.rows(
      'SELECT symbol, market, expiration, strike, multiplier, gross_pnl FROM trades',
    ),
  ).toEqual([
    {
      symbol: 'SPY 2026-06-19 C450',
      market: 'option',
      expiration: '2026-06-19',
      strike: 450,
      multiplier: 100,
      gross_pnl: 50,
    },
  ]);
});

test.each([
  [
    'a contract size that is unknown',
    '2026-05-04 buy 1 ZZZ9H6 1',
    { market: 'future' },
    'unknown contract size for ZZZ9H6; pass --multiplier',
  ],
  [
    'another contract size',
    '2026-05-04 buy 1 ONDS 1',
    { multiplier: 100 },
    'the journal has ONDS with a contract size of 1; omit --multiplier',
  ],
  ['a symbol that is too long', `2026-05-04 buy 1 ${'X'.repeat(65)} 1`, {}, 'symbol'],
  ['a price below 0', '2026-05-04 buy 1 ONDS -1', {}, 'price: must be 0 or more'],
  ['a currency that is none', '2026-05-04 buy 1 QQQ 1', { currency: '$' }, 'currency'],
] as const)('a fill is refused for %s', (_, line, more, message) => {
  const own = home();
  own.take([OPENED], A);
  expect(() => record(own, line, { ...A, ...more })).toThrow(message);
});

const MOMENTS = ['09:31', '09:32', '10:00'];
interface HandFill {
  at: string;
  seconds: string;
  side: 'buy' | 'sell';
  quantity: number;
  isDay: boolean;
}

const anyFill = fc.record<HandFill>({
  at: fc.constantFrom(...MOMENTS),
  seconds: fc.constantFrom('00', '30'),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity: fc.constantFrom(1, 2),
  isDay: fc.boolean(),
});

test('fills by hand and of a file: any order is the same journal, and undo is as if they had never been', () => {
  fc.assert(
    fc.property(
      fc.array(anyFill, { maxLength: 5 }),
      fc.array(anyFill, { maxLength: 5 }),
      (typed, filed) => {
        const lines = typed.map(
          ({ at, side, quantity, isDay }) =>
            `2025-10-01 ${isDay ? '' : at} ${side} ${quantity} ONDS 7`,
        );
        const rows = filed
          .toSorted((a, b) => (a.at + a.seconds < b.at + b.seconds ? -1 : 1))
          .map(({ at, seconds, side, quantity }, place) =>
            stated(`2025-10-01T${at}:${seconds}.000Z`, side, quantity, 7, {
              line: place + 1,
              mayShort: true,
            }),
          );
        const byHand = (own: FillHome) =>
          lines.length > 0 && record(own, lines, { ...A, again: true, timeZone: 'UTC' });
        const byFile = (own: FillHome) => own.take(rows, A);
        const [one, other, alone] = [home('UTC'), home('UTC'), home('UTC')];
        byHand(one);
        byFile(one);
        byFile(other);
        byHand(other);
        expect(one.tradesWithoutIds()).toEqual(other.tradesWithoutIds());
        byFile(alone);
        if (lines.length > 0) one.undo(1);
        expect(one.tradesWithoutIds()).toEqual(alone.tradesWithoutIds());
        if (lines.length > 0) other.undo(2);
        expect(other.trades()).toEqual(alone.trades());
      },
    ),
    keptFirst<[HandFill[], HandFill[]]>('fills-by-hand', runs(30)),
  );
});

test('fills of an account with a name join across formats, those without one do not', () => {
  const own = home();
  own.take([OPENED], { account: 'A', format: { name: 'x' } });
  own.take([CLOSED], { account: 'a', format: { name: 'map:mine' } });
  expect(shown(own)).toMatchObject([{ status: 'closed', gross_pnl: 18.3 }]);
  own.undo(1);
  expect(shown(own)).toEqual([]);

  const unnamed = home();
  unnamed.take([OPENED], { format: { name: 'x' } });
  unnamed.take([CLOSED], { format: { name: 'map:mine' } });
  expect(shown(unnamed)).toMatchObject([{ status: 'open' }]);
});

const renamed =
  (from: string | null) =>
  ({ journal, now }: FillHome) =>
    renameAccount({ journal, now, merge: true }, from, 'A', 'account rename');

test.each<[string, string | undefined, (own: FillHome) => unknown]>([
  ['a file names it the next time', undefined, (own) => own.take([OPENED, CLOSED], A)],
  ['those without one are given its name', undefined, renamed(null)],
  ['another account is given its name', 'B', renamed('B')],
])(
  'fills that come into an account join those by hand there: %s',
  (_, account, moveThem) => {
    const own = home();
    own.take([OPENED, CLOSED], { account });
    // The trader says that it is another.
    record(own, OPENING, { ...A, again: true });
    const before = own.trades();
    expect(shown(own)).toMatchObject([{ status: 'open' }, { status: 'closed' }]);

    moveThem(own);
    expect(shown(own)).toMatchObject([
      { account: 'A', status: 'closed', gross_pnl: 18.3 },
    ]);
    own.undo();
    expect(own.trades()).toEqual(before);
  },
);

const WEEK = [1, 2, 3, 6, 7].map((day) =>
  stated(`2025-10-0${day}T14:3${day}:00.000Z`, 'buy', day, 7, { line: day }),
);
const later =
  (hours: number) =>
  (own: FileFill): FileFill => ({
    ...own,
    executedAt: new Date(Date.parse(own.executedAt) + hours * 3_600_000).toISOString(),
  });

test.each([
  [
    'the same instants',
    WEEK,
    '5 fills in this file (first on line 1, ONDS) are duplicates: already in the journal as x',
  ],
  [
    'seconds apart',
    WEEK.map((own) => ({
      ...own,
      executedAt: own.executedAt.replace(':00.000', ':17.000'),
    })),
    '5 fills in this file',
  ],
  [
    'another zone',
    WEEK.map(later(5)),
    '5 of 5 fills of this file in its span are already in account A as x (import 1), 5 hours apart',
  ],
  [
    'days only',
    WEEK.map((own) => ({
      ...own,
      executedAt: `${own.executedAt.slice(0, 10)}T00:00:00.000Z`,
      hasTime: false,
    })),
    '5 of 5 fills',
  ],
  [
    'over half',
    WEEK.slice(0, 3).concat(stated('2025-10-08T14:00:00.000Z', 'buy', 1, 9)),
    '3 fills in this file',
  ],
])(
  'a format that states the same of an account does not join it: %s',
  (_, rows, message) => {
    const own = home();
    own.take(WEEK, { account: 'A', format: { name: 'x' } });
    expect(() => own.take(rows, { account: 'A', format: { name: 'map:mine' } })).toThrow(
      message,
    );
    own.take(rows, { account: 'A', format: { name: 'map:mine' }, allowDuplicates: true });
    expect(own.rows('SELECT count(*) AS n FROM fills')).toEqual([{ n: 5 + rows.length }]);
  },
);

test.each([
  ['one price again an hour later', [later(1)(WEEK[0] as FileFill)]],
  [
    'less than half',
    [
      stated('2025-10-01T20:31:00.000Z', 'buy', 1, 7),
      ...[1, 2].map((n) => stated(`2025-10-02T15:0${n}:00.000Z`, 'buy', n, 3)),
    ],
  ],
  ['another week', WEEK.map(later(24 * 7))],
])('a format that states other fills of an account joins it: %s', (_, rows) => {
  const own = home();
  own.take(WEEK, { account: 'A', format: { name: 'x' } });
  own.take(rows, { account: 'A', format: { name: 'map:mine' } });
  expect(own.rows('SELECT count(*) AS n FROM executions')).toEqual([
    { n: 5 + rows.length },
  ]);
});

test('the command records lines of standard input, shows them, and is a line of the list', async () => {
  const own = home();
  const { stdout, stderr, code } = await runHere([
    'fill',
    OPENING,
    '--account',
    'A',
    '--home',
    own.folder,
  ]);
  expect([code, stdout]).toMatchObject([
    0,
    expect.stringContaining('2025-10-01T13:31:00.000Z'),
  ]);
  expect(stderr).toContain('To undo: journal-api import undo 1');
  expect(own.rows('SELECT format, file, timezone FROM imports')).toEqual([
    {
      format: 'fill',
      file: `fill '${OPENING}' --account A`,
      timezone: 'America/New_York',
    },
  ]);
});

const mapped = (own: ImportHome, name: string) =>
  loadMapping(
    own.file(
      `${name}.json`,
      JSON.stringify({
        name,
        target: 'fills',
        fields: {
          executed_at: 'Time',
          side: 'Side',
          quantity: 'Units',
          symbol: 'Symbol',
          price: 'Price',
          market: { value: 'stock' },
          currency: { value: 'USD' },
        },
      }),
    ),
  );

test('a reread joins the fills of an account that an earlier version kept apart', () => {
  const own = new ImportHome().withUser();
  const header = 'Time,Side,Units,Symbol,Price';
  const opening = own.file('a.csv', `${header}\n2025-10-01 13:31:05,buy,30,ONDS,7.39\n`);
  const closing = own.file('b.csv', `${header}\n2025-10-02 14:00:00,sell,30,ONDS,8\n`);
  const undone = own.file('c.csv', `${header}\n2025-10-03 14:00:00,buy,1,ONDS,8\n`);
  const [one, two] = [mapped(own, 'one'), mapped(own, 'two')];
  own.import(opening, { map: one, account: 'A', timeZone: 'UTC' });
  own.import(closing, { map: two, account: 'B', timeZone: 'UTC' });
  const options = own.target;
  // As version 9 read them: by format.
  own.write(`UPDATE fills SET account = 'A' WHERE account = 'B';
    UPDATE import_fills SET account = 'A'; UPDATE imports SET account = 'A', options = json_set(options, '$.account', 'A')`);
  expect(own.rows('SELECT status FROM trades')).toEqual([{ status: 'open' }]);
  expect(ofOtherRevision(options)).toMatchObject([{ id: 2 }]);
  own.import(undone, { map: two, account: 'A', timeZone: 'UTC' });
  expect(own.rows('SELECT status, quantity FROM trades')).toEqual([
    { status: 'open', quantity: 30 },
    { status: 'open', quantity: 1 },
  ]);

  const { different, failed } = rereadFiles(options);
  expect([different.map(({ id }) => id), failed]).toEqual([[2, 3], []]);
  expect(own.rows('SELECT status, quantity FROM trades ORDER BY executed_at')).toEqual([
    { status: 'closed', quantity: 30 },
    { status: 'open', quantity: 1 },
  ]);
  expect(ofOtherRevision(options)).toEqual([]);
});

test.each([
  ['sell 30 ONDS 7.39', 'its opening; to open a short: sell short.\n'],
  ['buy to close 30 ONDS 7.39', 'its opening.\n'],
])('"%s" that closes nothing ends with: %s', async (line, words) => {
  const own = home();
  const args = [
    'fill',
    `2025-10-01 09:31 ${line}`,
    '--account',
    'A',
    '--home',
    own.folder,
  ];
  const { stderr } = await runHere(args);
  expect(stderr).toContain(`30 of ONDS close no position, and wait for ${words}`);
});
