/** Damaged and malicious files of candles: read completely, or refused with a clear error and an unchanged journal. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addExcursions } from '../../src/edit/excursions.ts';
import { UserError } from '../../src/errors.ts';
import { isThorough, runs } from '../effort.ts';
import { type Candle, FORMS } from '../import/candle-files.ts';
import { ImportHome } from '../import/home.ts';

const START = Date.parse('2026-01-05T15:00:00Z');
const candles: Candle[] = Array.from({ length: 30 }, (_, index) => ({
  ...{ at: START + index * 60_000, open: 100, high: 102.25, low: 98.5, close: 101 },
}));

function home(): ImportHome {
  const made = new ImportHome().withUser();
  const executions = [5, 20].map((minute, index) => ({
    ...{
      executed_at: new Date(START + minute * 60_000).toISOString(),
      side: index === 0 ? 'buy' : 'sell',
    },
    ...{ quantity: 1, price: 100.5, fees: 0 },
  }));
  const trade = { id: 't', symbol: 'MNQ', market: 'stock', currency: 'USD', executions };
  made.import(made.lines('trades.jsonl', trade));
  return made;
}

/** The journal after the file, or the refusal. */
function outcomeOf(own: ImportHome, name: string, content: string | Buffer): string {
  const before = own.hash();
  const path = own.file(name, content);
  try {
    const { changed } = addExcursions({ ...own.target, files: [path] });
    const [figures] = own.rows(
      'SELECT mae, mfe, mae_bound, mfe_bound FROM trades',
    ) as Record<string, number>[];
    if (changed > 0) {
      const { mae = 1, mfe = -1, mae_bound = 1, mfe_bound = -1 } = figures ?? {};
      expect([mae_bound <= mae, mae <= 0, 0 <= mfe, mfe <= mfe_bound]).toEqual([
        true,
        true,
        true,
        true,
      ]);
    } else expect(own.hash()).toBe(before);
    return 'read';
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect(own.hash()).toBe(before);
    return (error as Error).message.replaceAll(path, '');
  }
}

test.each(Object.keys(FORMS))('%s, changed at random, is read or refused', (form) => {
  const [name, text] = (FORMS[form] as (typeof FORMS)[string])(candles, 'MNQ', 60_000);
  const own = home();
  const part = fc.constantFrom(
    '',
    ',',
    ';',
    '\n',
    '"',
    '\r',
    '9',
    '-',
    '1e308',
    'NaN',
    '\0',
    'ü',
    '2026',
    ':',
    'time',
  );
  const change = fc.tuple(fc.nat(text.length), fc.nat(12), part);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const mutated = changes.reduce(
        (all, [at, length, put]) => all.slice(0, at) + put + all.slice(at + length),
        text,
      );
      outcomeOf(own, name, mutated);
    }),
    { numRuns: isThorough ? runs(500, 60) : 5 },
  );
});

describe('a hostile file', () => {
  const HEADER = 'time,open,high,low,close\n';
  const row = `${START / 1000},1,1,1,1\n`;

  test.each<[string, () => string | Buffer, RegExp]>([
    [
      'bytes that are no text',
      () => Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41]),
      /no candles found/,
    ],
    ['only line breaks', () => '\n'.repeat(100_000), /no candles found/],
    ['only delimiters', () => ','.repeat(1_000_000), /cells|no candles/],
    [
      'a cell of a megabyte',
      () => `${HEADER}${'1'.repeat(1_000_000)},1,1,1,1\n`,
      /longer than 32767 characters/,
    ],
    [
      'a time of 30,000 digits',
      () => `${HEADER}${'1'.repeat(30_000)},1,1,1,1\n`,
      /is longer than 4096 characters/,
    ],
    [
      'a price of 30,000 digits',
      () => `${HEADER}${START / 1000},${'1'.repeat(30_000)},1,1,1\n`,
      /open: /,
    ],
    [
      'a time of the year 300,000',
      () => `${HEADER}9999999999999999999,1,1,1,1\n${row}`,
      /time|candles/,
    ],
    [
      'columns named twice',
      () => 'time,open,open,high,low,close\n1,1,1,1,1,1\n',
      /open: appears twice in the header/,
    ],
    [
      'names of an object',
      () => `${HEADER}__proto__,1,1,1,1\nconstructor,1,1,1,1\n`,
      /must be a/,
    ],
  ])('%s', (_name, content, words) => {
    const reason = outcomeOf(home(), 'MNQ.csv', content());
    expect(reason).toMatch(words);
    expect(reason.length).toBeLessThan(400);
  });

  test.runIf(isThorough)('a million and one lines', () => {
    expect(outcomeOf(home(), 'MNQ.csv', HEADER + row.repeat(1_000_001))).toMatch(
      /more than 1000000 lines/,
    );
  });
});
