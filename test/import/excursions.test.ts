/** Excursions from candles: forms of files, what is certain and what is a bound, refused candles, undo. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { readCandles } from '../../src/edit/excursions/read-candles.ts';
import { addExcursions } from '../../src/edit/excursions.ts';
import { changeFees } from '../../src/edit/fees.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { newUser } from '../../src/journal-write/users.ts';
import { runs } from '../effort.ts';
import { runHere } from '../program.ts';
import { type Candle, type Fill, FORMS, slowExcursions } from './candle-files.ts';
import { answers } from './changed.ts';
import { FillHome } from './fill-home.ts';
import { makeFileFills } from './fills/make-file-fill.ts';
import { ImportHome } from './home.ts';

const MINUTE = 60_000;
/** Monday, 2026-01-05. */
const START = Date.parse('2026-01-05T15:00:00Z');
const minute = (count: number) => START + count * MINUTE;

/** Candles of a minute, by open, high, low and close; null: none. */
const candlesAt = (
  ...rows: (readonly [number, number, number, number] | null)[]
): Candle[] =>
  rows.flatMap((row, index) => {
    if (!row) return [];
    const [open, high, low, close] = row;
    return [{ at: minute(index), open, high, low, close }];
  });

const CANDLES = candlesAt(
  [100, 101, 99, 100],
  [100, 104, 98, 102], // entry at 101
  [102, 106, 100, 105],
  [105, 107, 97, 103], // adds at 103
  [103, 103.5, 95, 96],
  [96, 110, 94, 108], // exit at 108
  [108, 120, 90, 100],
);

function tradeOf(id: string, fills: readonly Fill[], more: object = {}) {
  const executions = fills.map(({ at, quantity, price }) => ({
    ...{ executed_at: new Date(at).toISOString(), price, fees: 1 },
    ...{ side: quantity > 0 ? 'buy' : 'sell', quantity: Math.abs(quantity) },
  }));
  return {
    ...{
      id,
      symbol: 'MNQH6',
      underlying: 'MNQ',
      market: 'future',
      multiplier: 2,
      currency: 'USD',
      executions,
    },
    ...more,
  };
}

const LONG: Fill[] = [
  { at: minute(1) + 20_000, quantity: 1, price: 101 },
  { at: minute(3) + 20_000, quantity: 1, price: 103 },
  { at: minute(5) + 20_000, quantity: -2, price: 108 },
];

function homeWith(...trades: object[]): ImportHome {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', ...trades));
  return home;
}

const FIGURES = 'SELECT id, mae, mfe, mae_bound, mfe_bound FROM trades ORDER BY id';
const figures = (home: ImportHome) =>
  Object.fromEntries(
    home.rows(FIGURES).map(({ id, ...own }) => [id, Object.values(own)]),
  );

const fileIn = (
  home: ImportHome,
  form: string,
  candles: readonly Candle[],
  symbol = 'MNQ',
) => home.file(...(FORMS[form] as (typeof FORMS)[string])(candles, symbol, MINUTE));

/** Of files whose dates may fit both orders. */
const datesOf = (form: string) => (form.startsWith('days first') ? 'dmy' : undefined);

type Options = Partial<Parameters<typeof addExcursions>[0]>;

const add = (home: ImportHome, path: string | string[], options: Options = {}) =>
  addExcursions({ ...home.target, files: [path].flat(), ...options });

function refusal(home: ImportHome, path: string, options: Options = {}): string {
  const before = home.hash();
  try {
    add(home, path, options);
  } catch (error) {
    expect(home.hash()).toBe(before);
    return (error as Error).message.replace(`${path}:`, '').trim();
  }
  throw new Error('it was accepted');
}

// By hand, times 2: between entry and exit 106 and 100 with one contract (+5, -1), 107 and 97 with one or two, 95 with two (-14). In the
// candle of adding, one contract stood at +6 or -4, two at +10 or -10, so at least +6 and -4 are certain. With the candles of entry and
// exit: 98 with one (-3), 110 with two (+16), 94 with two (-16). It closed at +12.
const BY_HAND = [-28, 24, -32, 32];

test.each(Object.keys(FORMS))('%s gives the figures computed by hand', (form) => {
  const home = homeWith(tradeOf('t', LONG));
  const report = add(home, fileIn(home, form, CANDLES), { dates: datesOf(form) });
  expect(figures(home)).toEqual({ t: BY_HAND });
  expect(report).toMatchObject({
    ...{ trades: 1, changed: 1, uncertain: 1, without: {}, import: 2 },
    files: [
      {
        symbol: 'MNQ',
        candles: 7,
        seconds: 60,
        trades: 1,
        covered: 1,
        first: '2026-01-05T15:00:00.000Z',
      },
    ],
  });
  expect(report.files[0]?.last).toBe('2026-01-05T15:07:00.000Z');
});

const walk = fc
  .array(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.nat(4), fc.nat(4)), {
    minLength: 3,
    maxLength: 40,
  })
  .map((steps) => {
    let price = 400;
    return candlesAt(
      ...steps.map(([step, up, down]) => {
        const open = price;
        price += step;
        const close = price;
        return [
          open / 4,
          (Math.max(open, close) + up) / 4,
          (Math.min(open, close) - down) / 4,
          close / 4,
        ] as const;
      }),
    );
  });

/** Scaled entries and exits of either side, at prices of their candles. */
const fillsIn = (candles: readonly Candle[]) =>
  fc
    .array(
      fc.tuple(
        fc.nat(candles.length * 6 - 1),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        fc.nat(100),
      ),
      {
        minLength: 2,
        maxLength: 6,
      },
    )
    .chain((picks) => fc.tuple(fc.constant(picks), fc.constantFrom(1, -1)))
    .map(([picks, side]) => {
      let open = 0;
      const fills = picks
        .sort(([a], [b]) => a - b)
        .map(([slot, size, isMore, share], index): Fill => {
          const { low, high } = candles[Math.floor(slot / 6)] as Candle;
          const quantity =
            index === picks.length - 1 ? -open : isMore || open <= size ? size : -size;
          open += quantity;
          return {
            at: START + slot * 10_000,
            quantity: side * quantity,
            price: low + Math.round(((high - low) * share) / 25) / 4,
          };
        });
      return fills.map((fill) => ({
        ...fill,
        price: Math.min(
          fill.price,
          (candles[Math.floor((fill.at - START) / MINUTE)] as Candle).high,
        ),
      }));
    })
    .filter((fills) => (fills.at(-1)?.quantity ?? 0) !== 0);

const ascending = (values: unknown[]) => [...(values as number[])].sort((a, b) => a - b);

test('any trade has the excursions of all courses that its candles allow', () => {
  fc.assert(
    fc.property(
      walk.chain((candles) =>
        fc.tuple(
          fc.constant(candles),
          fc.array(fillsIn(candles), { minLength: 1, maxLength: 8 }),
        ),
      ),
      fc.constantFrom(...Object.keys(FORMS)),
      fc.constantFrom(1, 2, 12.5),
      ([candles, trades], form, multiplier) => {
        const home = homeWith(
          ...trades.map((fills, index) => tradeOf(`t${index}`, fills, { multiplier })),
        );
        const report = add(home, fileIn(home, form, candles), { dates: datesOf(form) });
        expect(report).toMatchObject({ without: {}, trades: trades.length });
        const whole = candles.map((own) => ({ ...own, end: own.at + MINUTE }));
        const slow = trades.map((fills, index) => [
          `t${index}`,
          Object.values(slowExcursions(fills, multiplier, whole)),
        ]);
        expect(figures(home)).toEqual(Object.fromEntries(slow));
        for (const { mae, mfe, mae_bound, mfe_bound, gross_pnl } of home.rows(
          'SELECT * FROM trades',
        )) {
          const [low, high] = [
            [mae_bound, mae, Math.min(0, gross_pnl as number)],
            [Math.max(0, gross_pnl as number), mfe, mfe_bound],
          ];
          expect([low, high]).toEqual([ascending(low), ascending(high)]);
        }
      },
    ),
    { numRuns: runs(100, 8) },
  );
});

const AFTER = {
  executed_at: '2026-01-05T15:01:20.000Z',
  closed_at: '2026-01-05T15:05:20.000Z',
};

test('a closed trade without fills has its entry and its exit as fills, and a short one goes the other way', () => {
  const plain = {
    ...tradeOf('plain', []),
    executions: undefined,
    side: 'short',
    status: 'closed',
    ...AFTER,
  };
  const home = homeWith({
    ...plain,
    quantity: 3,
    entry_price: 101,
    exit_price: 108,
    gross_pnl: -42,
  });
  add(home, fileIn(home, 'TradingView', CANDLES));
  expect(figures(home)).toEqual({ plain: [-42, 36, -54, 42] });
});

test('figures of a platform stay, and a trade that states one of both gets the other', () => {
  const home = homeWith(
    tradeOf('both', LONG, { mae: -1, mfe: 1 }),
    tradeOf('mae', LONG, { mae: 5 }),
  );
  const report = add(home, fileIn(home, 'TradingView', CANDLES));
  expect(figures(home)).toEqual({ both: [-1, 1, null, null], mae: [5, 24, null, 32] });
  expect(report.without).toEqual({ 'with mae and mfe stated by a platform': 1 });
  // The same value, stated by a file, is the file's own.
  home.import(home.lines('trades.jsonl', { id: 'mae', mfe: 24 }));
  expect(figures(home)['mae']).toEqual([5, 24, null, null]);
});

const OTHERS = CANDLES.map((own) => ({ ...own, high: own.high + 1, low: own.low - 1 }));

test('a later run replaces the figures, an undo in any order restores those of the other run, and the same run changes nothing', () => {
  const home = homeWith(tradeOf('t', LONG));
  const [first, second] = [home.file('MNQ a.csv', ''), home.file('MNQ b.csv', '')];
  home.file('MNQ a.csv', FORMS['MetaTrader']?.(CANDLES, 'MNQ', MINUTE)[1] ?? '');
  home.file('MNQ b.csv', FORMS['MetaTrader']?.(OTHERS, 'MNQ', MINUTE)[1] ?? '');
  const before = home.contents();
  const undone = (...runs: string[]) => {
    for (const path of runs) add(home, path);
    expect(figures(home)).toEqual({ t: [-32, 24, -36, 36] });
    return (id: number) => undoImport(home.target, id);
  };
  const undo = undone(first, second);
  const bytes = home.hash();
  expect(add(home, second)).toMatchObject({ trades: 1, changed: 0, import: null });
  expect(home.hash()).toBe(bytes);
  undo(3);
  expect(figures(home)).toEqual({ t: BY_HAND });
  undo(2);
  expect(home.contents()).toEqual(before);
  const again = undone(first, second);
  again(2);
  expect(figures(home)).toEqual({ t: [-32, 24, -36, 36] });
  again(3);
  expect(home.contents()).toEqual(before);
});

test('undo of the trades takes their excursions along', () => {
  const home = homeWith(tradeOf('t', LONG));
  add(home, fileIn(home, 'TradingView', CANDLES));
  expect(undoImport(home.target, 1).records.removed).toBe(1);
  expect(home.rows('SELECT id FROM trades')).toEqual([]);
  undoImport(home.target, 2);
});

test('changed prices, times and quantities clear figures from candles, fees and labels do not, and neither clears those of a platform', () => {
  const home = homeWith(tradeOf('t', LONG), tradeOf('own', LONG, { mae: -1, mfe: 1 }));
  add(home, fileIn(home, 'TradingView', CANDLES));
  const executions = tradeOf('t', LONG).executions.map((own) => ({ ...own, fees: 2 }));
  home.import(home.lines('trades.jsonl', { id: 't', executions, setup: 'orb' }));
  expect(figures(home)).toEqual({ own: [-1, 1, null, null], t: BY_HAND });
  const later = LONG.map((fill) => ({ ...fill, at: fill.at + 1000 }));
  for (const id of ['t', 'own']) {
    const changed = { id, executions: tradeOf(id, later).executions };
    home.import(home.lines('trades.jsonl', changed));
  }
  expect(figures(home)).toEqual({
    own: [-1, 1, null, null],
    t: [null, null, null, null],
  });
});

test('an export keeps bounds', async () => {
  const home = homeWith(tradeOf('t', LONG), tradeOf('own', LONG, { mae: -1, mfe: 1 }));
  add(home, fileIn(home, 'TradingView', CANDLES));
  for (const form of ['jsonl', 'csv']) {
    await runHere(['export', home.path(form), '--as', form, '--db', home.journal]);
    const other = new ImportHome().withUser();
    other.import(home.path(form));
    expect(figures(other)).toEqual(figures(home));
  }
});

describe('candles that are refused', () => {
  const HEADER = 'time,open,high,low,close\n';
  const rows = (...lines: string[]) => `${HEADER}${lines.join('\n')}\n`;
  const [at, next] = [START / 1000, START / 1000 + 60];

  test.each([
    [
      'MNQ.csv',
      '',
      'no candles found; the file needs a header with time, open, high, low and close',
    ],
    [
      'MNQ.csv',
      'a,b\n1,2\n',
      'no candles found; the file needs a header with time, open, high, low and close',
    ],
    [
      'MNQ.csv',
      'time,high,low\n1,2,3\n',
      'no candles found; the file needs a header with time, open, high, low and close',
    ],
    [
      'MNQ.csv',
      'PK\u0003\u0004',
      'is an archive or a workbook; unpack it, or save it as CSV',
    ],
    ['MNQ.csv', rows(`${at},1,2,0,1`), 'has fewer than two candles'],
    [
      'MNQ.csv',
      rows(`${at},1,2,3,1`),
      '2: high 2 is below low 3; remove the candle, or export the file again',
    ],
    [
      'MNQ.csv',
      rows(`${at},3,2,1,1`),
      '2: open 3 is outside low 1 to high 2; remove the candle, or export the file again',
    ],
    [
      'MNQ.csv',
      rows(`${at},1,2,1,0.5`),
      '2: close 0.5 is outside low 1 to high 2; remove the candle, or export the file again',
    ],
    [
      'MNQ.csv',
      rows(`${at},1,1,1,1`, `${at},1,2,1,1`),
      '3: 2026-01-05T15:00:00.000Z appears twice with different prices, first on line 2; keep one',
    ],
    [
      'MNQ.csv',
      rows(`${at},1,1,1,x`),
      '2: close: must be an amount, such as $52.50 or $(41.00); got "x"',
    ],
    ['MNQ.csv', rows(`${at},1e16,1e16,1,1`), /^2: open: must be .*; got "1e16"$/],
    ['MNQ.csv', rows(`soon,1,1,1,1`), /^2: time: must be .*; got "soon"$/],
    [
      'MNQ.csv',
      rows(`${'9'.repeat(5000)},1,1,1,1`),
      /^2: time: is longer than 4096 characters/,
    ],
    [
      'MNQ.csv',
      'time,open,high,low,close,symbol\n1767625200,1,1,1,1,A\n1767625260,1,1,1,1,B\n',
      '3: holds several symbols: A and B; split it by symbol',
    ],
    [
      'candles.csv',
      rows(`${at},1,1,1,1`, `${next},1,1,1,1`),
      'its name has no symbol of a trade; pass --symbol, such as --symbol MNQ',
    ],
  ] as const)('%s: %j', (name, text, message) => {
    const home = homeWith(tradeOf('t', LONG));
    const reason = refusal(home, home.file(name, text));
    if (typeof message === 'string') expect(reason).toBe(message);
    else expect(reason).toMatch(message);
  });

  test('an unknown --symbol names the nearest of the journal', () => {
    const home = homeWith(tradeOf('t', LONG));
    const path = fileIn(home, 'TradingView', CANDLES);
    expect(refusal(home, path, { symbol: 'MNQZ6' })).toBe(
      'no trade has the symbol "MNQZ6"; did you mean MNQH6?',
    );
  });

  test('those of another zone name the zone that fits', () => {
    const home = homeWith(tradeOf('t', LONG), tradeOf('u', LONG));
    const apart = CANDLES.map((own, index) => ({ ...own, at: own.at + 0 * index }));
    // A whole day, so that the trades stay between its ends.
    const day = Array.from({ length: 1440 }, (_, index) => ({
      ...(apart[0] as Candle),
      at: START + (index - 720) * MINUTE,
    }));
    const all = day.map(
      (own) =>
        apart.find(({ at }) => at === own.at) ?? {
          ...own,
          open: 50,
          high: 50,
          low: 50,
          close: 50,
        },
    );
    const local = all.map((own) => ({ ...own, at: own.at - 6 * 60 * MINUTE }));
    const path = fileIn(home, 'MetaTrader', local);
    const advice = 'pass --timezone America/Chicago, which covers 2 of 2 trades';
    expect(refusal(home, path)).toBe(
      `covers 0 of 2 trades in MNQ from its first to its last candle; ${advice}`,
    );
    expect(add(home, path, { timeZone: 'America/Chicago' })).toMatchObject({ trades: 2 });
    undoImport(home.target);
    home.write("UPDATE users SET timezone = 'Europe/Berlin'");
    expect(
      refusal(
        home,
        home.file(
          'MNQ_1.csv',
          FORMS['TradingView']?.(
            all.map((own) => ({ ...own, at: own.at + 60 * MINUTE })),
            'MNQ',
            MINUTE,
          )[1] ?? '',
        ),
      ),
    ).toContain(
      'its times have a zone, but those of the trades seem to be in UTC, which covers 2 of 2 trades: journal-api import change ID --timezone UTC',
    );
  });

  test('those of another symbol name the one that fits', () => {
    const other = { symbol: 'NQH6', underlying: 'NQ' };
    const far = LONG.map((own) => ({ ...own, price: own.price + 900 }));
    const home = homeWith(
      tradeOf('t', LONG),
      tradeOf('u', far, other),
      tradeOf('v', far, other),
    );
    const advice = 'pass --symbol MNQH6, which covers 1 of 1 trade';
    expect(refusal(home, fileIn(home, 'TradingView', CANDLES, 'NQ'))).toBe(
      `covers 0 of 2 trades in NQ from its first to its last candle; ${advice}`,
    );
    expect(refusal(home, fileIn(home, 'TradingView', CANDLES, 'ES'))).toBe(
      `its name has no symbol of a trade; ${advice}`,
    );
  });
});

describe('trades without figures are counted by their reason', () => {
  const at = (place: number, second = 20) => minute(place) + second * 1000;
  const between = (from: number, to: number): Fill[] => [
    { at: from, quantity: 1, price: 101 },
    { at: to, quantity: -1, price: 101 },
  ];
  const covered = ['a', 'b', 'c'].map((id) => tradeOf(id, LONG));

  test.each([
    ['beginning or ending outside of the candles', tradeOf('x', between(at(-1), at(1)))],
    [
      'beginning or ending outside of the candles',
      tradeOf('x', between(at(1), at(7, 0))),
    ],
    [
      'with a fill outside of its candle',
      tradeOf(
        'x',
        between(at(1), at(3)).map((own) => ({ ...own, price: 108 })),
      ),
    ],
    [
      'with a P&L that its fills and prices do not give',
      tradeOf('x', between(at(1), at(3)), { gross_pnl: 40 }),
    ],
    ['still open', tradeOf('x', between(at(1), at(3)).slice(0, 1))],
    [
      'with a fill outside of its candle',
      {
        ...tradeOf('x', []),
        executions: undefined,
        side: 'long',
        status: 'closed',
        ...AFTER,
        ...{ quantity: 1, entry_price: 101, gross_pnl: 5 },
      },
    ],
  ])('%s', (reason, trade) => {
    const home = homeWith(...covered, trade);
    const report = add(home, fileIn(home, 'TradingView', CANDLES));
    expect(report).toMatchObject({ trades: 3, without: { [reason]: 1 } });
    expect(figures(home)['x']).toEqual([null, null, null, null]);
  });

  test('options never count, whatever their symbol', () => {
    const option = {
      ...tradeOf('x', LONG),
      symbol: 'MNQ',
      market: 'option',
      underlying: 'MNQ',
    };
    const home = homeWith(...covered, option);
    expect(add(home, fileIn(home, 'TradingView', CANDLES))).toMatchObject({
      trades: 3,
      without: {},
    });
  });

  test('one step of prices outside of a candle is within it', () => {
    const edge = LONG.map((own, place) => (place === 0 ? { ...own, price: 104.5 } : own));
    const beyond = LONG.map((own, place) => (place === 0 ? { ...own, price: 105 } : own));
    const home = homeWith(...covered, tradeOf('edge', edge), tradeOf('beyond', beyond));
    expect(add(home, fileIn(home, 'TradingView', CANDLES))).toMatchObject({
      ...{ trades: 4, without: { 'with a fill outside of its candle': 1 } },
    });
  });

  test('missing candles are a gap, a time without a candle is another reason', () => {
    const gone = CANDLES.filter((_, place) => place !== 4);
    const home = homeWith(
      tradeOf('t', LONG),
      tradeOf('u', between(at(1), at(3))),
      tradeOf('v', between(at(1), at(4))),
    );
    expect(add(home, fileIn(home, 'TradingView', gone))).toMatchObject({
      trades: 1,
      without: { 'with a gap inside': 1, 'with a fill at a time without a candle': 1 },
    });
  });
});

describe('a market that was closed leaves no gap', () => {
  const HOUR = 60 * MINUTE;
  const flat = (at: number): Candle => ({
    at,
    open: 100,
    high: 101,
    low: 99,
    close: 100,
  });
  /** Hours of three weeks from Monday, 5 January, if the market is open. */
  const hours = (isOpen: (weekday: number, hour: number, day: number) => boolean) =>
    Array.from(
      { length: 21 * 24 },
      (_, index) => Date.parse('2026-01-05T00:00:00Z') + index * HOUR,
    )
      .filter((at) =>
        isOpen(
          new Date(at).getUTCDay(),
          new Date(at).getUTCHours(),
          new Date(at).getUTCDate(),
        ),
      )
      .map(flat);
  const trade = (from: string, to: string) =>
    tradeOf('t', [
      { at: Date.parse(`2026-01-${from}:30:00Z`), quantity: 1, price: 100 },
      { at: Date.parse(`2026-01-${to}:30:00Z`), quantity: -1, price: 100 },
    ]);
  const futures = (weekday: number, hour: number) =>
    weekday === 0 ? hour >= 23 : weekday === 5 ? hour < 22 : weekday !== 6 && hour !== 22;

  test.each([
    ['a daily break', futures, '05T20', '06T10', {}],
    ['a weekend', futures, '09T20', '12T10', {}],
    [
      'a holiday until the usual opening',
      (w: number, h: number, d: number) => futures(w, h) && !(d === 14 && h < 23),
      '13T20',
      '15T10',
      {},
    ],
    [
      'nights of a stock',
      (w: number, h: number) => w > 0 && w < 6 && h >= 14 && h < 21,
      '05T15',
      '13T15',
      {},
    ],
    [
      'a missing hour in the day',
      (w: number, h: number, d: number) => futures(w, h) && !(d === 6 && h === 9),
      '05T20',
      '06T12',
      { 'with a gap inside': 1 },
    ],
    [
      'a missing Friday before a weekend',
      (w: number, _h: number, d: number) => w > 0 && w < 6 && d !== 9 && d < 14,
      '08T20',
      '12T10',
      { 'with a gap inside': 1 },
    ],
    [
      'a missing week',
      (w: number, h: number, d: number) => futures(w, h) && (d < 12 || d > 18),
      '09T20',
      '19T10',
      { 'with a gap inside': 1 },
    ],
    [
      'a missing Saturday of a market that never closes',
      (_: number, _h: number, d: number) => d !== 10,
      '09T20',
      '11T10',
      { 'with a gap inside': 1 },
    ],
  ])('%s', (_name, isOpen, from, to, without) => {
    const home = homeWith(trade(from, to));
    const path = home.file(
      'MNQ 60.csv',
      FORMS['TradingView']?.(hours(isOpen), 'MNQ', HOUR)[1] ?? '',
    );
    expect(add(home, path)).toMatchObject({
      without,
      trades: Object.keys(without).length === 0 ? 1 : 0,
    });
  });
});

test('files of one symbol are joined, and the shortest candles that cover a trade count', () => {
  const home = homeWith(tradeOf('t', LONG));
  const [first, second] = [CANDLES.slice(0, 4), CANDLES.slice(3)];
  const write = (name: string, form: string, all: readonly Candle[], step = MINUTE) =>
    home.file(name, FORMS[form]?.(all, 'MNQ', step)[1] ?? '');
  const day = [0, 1].map((place) => ({
    ...{ at: START - 15 * 60 * MINUTE + place * 1440 * MINUTE },
    ...{ open: 100, high: 120, low: 80, close: 100 },
  }));
  const paths = [
    write('MNQ 1D.csv', 'TradingView', day),
    write('MNQ b.csv', 'MetaTrader', second),
    write('MNQ a.csv', 'TradingView', first),
  ];
  expect(add(home, paths)).toMatchObject({ trades: 1, import: 2 });
  expect(figures(home)).toEqual({ t: BY_HAND });
  expect(home.rows('SELECT file, format, trades FROM imports WHERE id = 2')).toEqual([
    {
      file: 'excursions MNQ 1D.csv, MNQ b.csv, MNQ a.csv',
      format: 'excursions',
      trades: 1,
    },
  ]);
});

test('equal candles of one time count once, and those of an hour that a clock repeats are skipped', () => {
  const home = homeWith(tradeOf('t', LONG));
  const path = fileIn(home, 'Binance', [...CANDLES, ...CANDLES.slice(2, 4)]);
  expect(add(home, path).files[0]).toMatchObject({
    candles: 7,
    skipped: { 'twice the same': 2 },
  });
  const night = ['00:30', '01:00', '01:30', '01:00', '01:30', '02:00', '02:30'];
  const rows = night.map((time, index) => `2026-11-01 ${time},100,${101 + index},99,100`);
  const clock = home.file(
    'MNQ_M30.csv',
    `time,open,high,low,close\n${rows.join('\n')}\n`,
  );
  expect(add(home, clock, { timeZone: 'America/New_York' }).files[0]).toMatchObject({
    ...{ candles: 3, skipped: { 'twice, because the clock changes': 4 } },
  });
});

test.each([
  ['low', 47, 1],
  ['high', 211, 1],
  ['low', 52, 0],
])('a candle with a %s of %d is a wrong tick in %d candles', (name, price, count) => {
  const home = homeWith(tradeOf('t', LONG));
  const candles = CANDLES.map((candle, i) =>
    i === 3 ? { ...candle, [name]: price } : candle,
  );
  const reason = 'whose low is below half, or high above double, of its open and close';
  const path = fileIn(home, 'TradingView', candles);
  if (count === 0)
    expect(add(home, path)).toMatchObject({ trades: 1, files: [{ skipped: {} }] });
  else
    expect(() => add(home, path)).toThrow(
      `without skipped candles (1 ${reason}); no other`,
    );
});

test('the symbol is the longest of the journal in the name of the file, then the last, then as it is written', () => {
  const symbols = ['A', 'BRK.B', 'BRKB', 'BTCUSDT', 'ETHUSDT', 'EUR/USD'].map(
    (own, index) => ({
      ...tradeOf(`t${index}`, LONG, {
        symbol: own,
        underlying: null,
        market: 'stock',
        multiplier: 1,
      }),
    }),
  );
  const home = homeWith(
    ...symbols,
    tradeOf('nq', LONG, { symbol: 'NQH6', underlying: 'NQ' }),
  );
  const text = FORMS['MetaTrader']?.(CANDLES, 'X', MINUTE)[1] ?? '';
  const names = {
    'BINANCE_BTCUSDT, 1D.csv': 'BTCUSDT',
    'BTCUSDT-1m-2026-01.csv': 'BTCUSDT',
    'EURUSD_M5.csv': 'EUR/USD',
    'FX_EURUSD, 60 (3).csv': 'EUR/USD',
    'CME_MINI_NQ1!, 1.csv': 'NQ',
    'NQ 03-26.Last.txt': 'NQ',
    'CME_MINI_NQH2026, 5.csv': 'NQ',
    'BATS_A, 5.csv': 'A',
    'nyse_brk.b, 1d.csv': 'BRK.B',
    'BTCUSDT of A.csv': 'BTCUSDT',
    'A and BTCUSDT.csv': 'BTCUSDT',
    'BTCUSDT ETHUSDT.csv': 'ETHUSDT',
    'ETHUSDT BTCUSDT.csv': 'BTCUSDT',
    'BRK.B M1.csv': 'BRK.B',
    'BRKB M1.csv': 'BRKB',
  };
  const files = Object.keys(names).map((name) => home.file(name, text));
  expect(add(home, files, { dryRun: true }).files.map(({ symbol }) => symbol)).toEqual(
    Object.values(names),
  );
});

test('empty lines among candles are passed over', () => {
  const home = homeWith(tradeOf('t', LONG));
  const [name, text] = FORMS['NinjaTrader']?.(CANDLES, 'MNQ', MINUTE) ?? ['', ''];
  const whole = add(home, home.file(name, text), { dryRun: true }).files[0];
  const spaced = home.file(name, text.replaceAll('\n', '\n\n'));
  expect(add(home, spaced, { dryRun: true }).files[0]).toEqual(whole);
});

test('the command reports, a dry run writes nothing', async () => {
  const home = homeWith(tradeOf('t', LONG), tradeOf('open', LONG.slice(0, 1)));
  const path = fileIn(home, 'NinjaTrader', CANDLES);
  const run = (...words: string[]) =>
    runHere(['excursions', path, ...words, '--db', home.journal]);
  const before = home.hash();
  const lines = [
    `${path}: 7 candles of 1 minute in MNQ, 2026-01-05T15:00:00.000Z to 2026-01-05T15:07:00.000Z; 1 of 1 trade covered.`,
    '  Note: times are in UTC.',
    '1 trade with mae and mfe from these candles, 1 new or changed.',
    '1 trade of them may have gone further: see mae_bound and mfe_bound.',
    'Without: 1 trade still open.',
  ];
  const dry = await run('--dry-run');
  expect(dry).toEqual({
    code: 0,
    stdout: '',
    stderr: `${['Dry run: nothing was written.', ...lines].join('\n')}\n`,
  });
  expect(home.hash()).toBe(before);
  const { stdout } = await run('--json');
  expect(JSON.parse(stdout)).toMatchObject({
    import: 2,
    trades: 1,
    files: [{ timezone: 'UTC', covered: 1 }],
  });
  expect(await run()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('0 new or changed.\n'),
  });
  expect(await run('--timezone', 'Mars')).toMatchObject({ code: 2 });
});

describe('trades made from fills', () => {
  const ID = 'x:MESZ6:2026-11-02:1';
  const start = Date.parse('2026-11-02T15:00:00Z');
  const market = Array.from({ length: 10 }, (_, place) => ({
    ...{ at: start + (place - 5) * MINUTE, open: 100, high: 103, low: 98, close: 100 },
  }));
  /** 1 bought at 100 and sold at 102 five minutes later, at 5 USD per point. */
  const fills = [
    ...makeFileFills(['buy 1 @ 100']),
    ...makeFileFills(['sell 1 @ 102'], {
      executionId: '9',
      executedAt: new Date(start + 4 * MINUTE).toISOString(),
    }),
  ];
  const FOUND = [-10, 15, -10, 15];
  const filled = () => {
    const home = new FillHome().withUser();
    home.take(fills);
    add(
      home,
      home.file('MES.csv', FORMS['TradingView']?.(market, 'MES', MINUTE)[1] ?? ''),
    );
    expect(Object.values(figures(home))).toEqual([FOUND]);
    return home;
  };

  test('keep their figures under another name of their account, and after fees', () => {
    const home = filled();
    renameAccount(home.target, null, 'main', 'account rename (none) main');
    const rate = {
      account: null,
      symbol: 'MES',
      per_contract: 1,
      per_order: null,
      percent: null,
    };
    changeFees(home.target, [rate], 'fees set MES=1');
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account: 'main' }]);
    expect(Object.values(figures(home))).toEqual([FOUND]);
  });

  test('lose them once another fill changes the position, and an undo of their fills needs no other first', () => {
    const home = filled();
    home.take(
      makeFileFills(['buy 1 @ 101'], {
        executionId: '5',
        executedAt: new Date(start + 2 * MINUTE).toISOString(),
      }),
    );
    expect(figures(home)[ID]).toEqual([null, null, null, null]);
    const other = filled();
    expect(other.undo(1).trades).toMatchObject({ removed: 1 });
    other.undo(2);
  });

  test('lose them in another zone, and have them again after undo of that change', () => {
    const HEADER =
      'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
    const pair = 'MESZ6,1,2,1,100,102,$10.00,11/02/2026 15:00:00,11/02/2026 15:04:00';
    const home = new FillHome().withUser();
    home.import(home.file('fills.csv', `${HEADER}\n${pair}\n`), { timeZone: 'UTC' });
    const candles = FORMS['TradingView']?.(market, 'MES', MINUTE)[1] ?? '';
    add(home, home.file('MES.csv', candles));
    const before = answers(home);
    expect(Object.values(figures(home))).toEqual([FOUND]);
    const change = () =>
      changeImport(
        { ...home.target, id: 1, given: { timezone: 'America/Chicago' } },
        'import change 1',
      );
    change();
    expect(Object.values(figures(home))).toEqual([[null, null, null, null]]);
    home.undo();
    expect(answers(home)).toEqual(before);
    home.undo();
    expect(Object.values(figures(home))).toEqual([[null, null, null, null]]);
    // A run that was undone meanwhile gives none.
    add(home, home.path('MES.csv'));
    change();
    home.undo(2);
    home.undo();
    expect(Object.values(figures(home))).toEqual([[null, null, null, null]]);
  });

  test('lose them if an earlier fill takes theirs over', () => {
    const home = filled();
    const [opening] = makeFileFills(['buy 2 @ 99'], {
      executionId: '0',
      executedAt: '2026-11-02T14:59:00.000Z',
    });
    home.take([opening as (typeof fills)[number]]);
    expect(home.rows('SELECT mae, mfe_bound, notes FROM trades')).toEqual([
      { mae: null, mfe_bound: null, notes: null },
    ]);
  });
});

test.each([
  [
    'a day and a time of day without zeros',
    'Date, Time, Open, High, Low, Last\n2026/1/5, 09:30:00, 1, 2, 1, 1\n2026/1/5, 09:31:00.0, 1, 2, 1, 1\n',
    '14:30',
  ],
  [
    'digits alone',
    '<TICKER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>\nA,20260105,093000,1,2,1,1\nA,20260105,093100,1,2,1,1\n',
    '14:30',
  ],
  [
    'the day under another name',
    'Date,Timestamp,Open,High,Low,Close\n20260105,09:30,1,2,1,1\n20260105,09:31,1,2,1,1\n',
    '14:30',
  ],
  [
    'one number',
    'timestamp;o;h;l;c\n202601050930;1;2;1;1\n202601050931;1;2;1;1\n',
    '14:30',
  ],
  [
    'half days',
    'Date,Time,Open,High,Low,Close\n1/5/2026,9:30:00 AM,1,2,1,1\n1/5/2026,9:31:00 AM,1,2,1,1\n',
    '14:30',
    'mdy',
  ],
  [
    'seconds before a title',
    'https://example.org\nunix,date,symbol,open,high,low,close\n1767623460,x,A,1,2,1,1\n1767623400,x,A,1,2,1,1\n',
    '14:30',
  ],
  [
    'a zone in the name',
    'Gmt time,Open,High,Low,Close\n05.01.2026 14:30:00.000,1,2,1,1\n05.01.2026 14:31:00.000,1,2,1,1\n',
    '14:30',
  ],
  [
    'nanoseconds without a header',
    '1767623400000000000,1,2,1,1\n1767623460000000000,1,2,1,1\n',
    '14:30',
  ],
  [
    'days',
    'Date,Close/Last,Open,High,Low\n2026-01-06,"$1,500.00","$1,400.00","$2,000.00","$1,300.00"\n2026-01-05,null,null,null,null\n2026-01-05,1,1,2,1\n',
    '05:00',
  ],
] as const)('candles may have %s', (_name, text, time, dates?: 'mdy') => {
  const user = newUser('me', { timezone: 'America/New_York' });
  const { candles } = readCandles(text, user, { timeZone: undefined, dates });
  expect([candles.all.length, new Date(candles.first).toISOString()]).toEqual([
    2,
    `2026-01-05T${time}:00.000Z`,
  ]);
});
