/** Excursions from candles: forms of files, what is certain and what is a bound, refused candles, undo. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addExcursions } from '../../src/import/edit/excursions.ts';
import { undoImport } from '../../src/import/edit/undo.ts';
import { exportJournal } from '../../src/export/index.ts';
import { runs } from '../effort.ts';
import { runHere } from '../program.ts';
import { type Candle, type Fill, FORMS, slowExcursions } from './candle-files.ts';
import { ImportHome } from './home.ts';

const MINUTE = 60_000;
/** Monday, 2026-01-05. */
const START = Date.parse('2026-01-05T15:00:00Z');
const minute = (count: number) => START + count * MINUTE;

/** Candles of a minute, by open, high, low and close; null: none. */
const candlesAt = (...rows: (readonly [number, number, number, number] | null)[]): Candle[] =>
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
    ...{ id, symbol: 'MNQH6', underlying: 'MNQ', market: 'future', multiplier: 2, currency: 'USD', executions },
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
  Object.fromEntries(home.rows(FIGURES).map(({ id, ...own }) => [id, Object.values(own)]));

const fileIn = (home: ImportHome, form: string, candles: readonly Candle[], symbol = 'MNQ') =>
  home.file(...(FORMS[form] as (typeof FORMS)[string])(candles, symbol, MINUTE));

type Options = Partial<Parameters<typeof addExcursions>[0]>;

const add = (home: ImportHome, path: string | string[], options: Options = {}) =>
  addExcursions({ journal: home.journal, now: home.now, files: [path].flat(), ...options });

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
// exit: 98 with one (-3), 110 with two (+16), 94 with two (-16).
const BY_HAND = [-28, 24, -32, 32];

test.each(Object.keys(FORMS))('%s gives the figures computed by hand', (form) => {
  const home = homeWith(tradeOf('t', LONG));
  const report = add(home, fileIn(home, form, CANDLES));
  expect(figures(home)).toEqual({ t: BY_HAND });
  expect(report).toMatchObject({
    ...{ trades: 1, changed: 1, uncertain: 1, without: {}, import: 2 },
    files: [{ symbol: 'MNQ', candles: 7, seconds: 60, trades: 1, covered: 1, first: '2026-01-05T15:00:00.000Z' }],
  });
  expect(report.files[0]?.last).toBe('2026-01-05T15:07:00.000Z');
});
