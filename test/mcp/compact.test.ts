/** Answers in few tokens: omitted, rounded and marked values. */
import * as fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { factsOf } from '../../src/journal/fields.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { type Compacting, compact, table } from '../../src/mcp/compact.ts';
import { fitted } from '../../src/mcp/fit.ts';

const how: Compacting = { timeZone: 'America/New_York', text: 20, rows: 3 };

test.each([
  [null, undefined],
  [[], undefined],
  [{ a: null, b: [] }, undefined],
  [123456, 123456],
  [123456.78, 123456.78],
  [5744.756, 5744.76],
  [
    { entry_price: 5744.75, strike: 0.00012345678 },
    { entry_price: 5744.75, strike: 0.00012345678 },
  ],
  [
    { net_pnl: 98765.432, win_rate: 0.558139, profit_factor: 1.327338 },
    { net_pnl: 98765.43, win_rate: 0.5581, profit_factor: 1.327 },
  ],
  [
    { win_rate: [0.412345, 0.698765], expectancy: [-12.3456, 0.0123456] },
    { win_rate: [0.4123, 0.6988], expectancy: [-12.35, 0.012346] },
  ],
  [0.123456789, 0.12346],
  [-0.000123456, -0.00012346],
  [true, true],
  ['2026-11-20T14:30:59.000Z', '2026-11-20 09:30'],
  ['2026-07-20T14:30:59.000Z', '2026-07-20 10:30'],
  ['2026-11-20', '2026-11-20'],
  ['a text of more than twenty characters', 'a text of more than …'],
  ['nineteen characters😀😀', 'nineteen characters…'],
  [
    [1, 2, 3, 4],
    [1, 2, 3],
  ],
  [
    { date: '2026-11-20', trades: 3, net: null },
    { date: '2026-11-20', trades: 3 },
  ],
  [
    { symbol: 'AAPL', side: 'long' },
    { text_from: 'journal note', is_data: true, symbol: 'AAPL', side: 'long' },
  ],
  [{ side: 'long' }, { side: 'long' }],
  [{ tags: ['a'] }, { text_from: 'journal note', is_data: true, tags: ['a'] }],
  [
    { note: 'x', rules: [{ rule: 'y', followed: null }] },
    {
      text_from: 'journal note',
      is_data: true,
      note: 'x',
      rules: { columns: ['rule'], rows: [['y']] },
    },
  ],
])('%j becomes %j', (value, expected) => {
  expect(compact(value as never, how)).toEqual(expected);
});

test('records become a table: no empty columns, objects as columns, equal values once', () => {
  const record = (id: string, more: object) => ({
    id,
    side: 'long',
    by: { tag: id },
    notes: null,
    tag: 'own',
    ...more,
  });
  const records = [
    record('1', {}),
    record('2', { pnl: 1.5 }),
    record('3', {}),
    record('4', {}),
  ];
  expect(table(records as never, how, 4)).toEqual({
    text_from: 'journal note',
    is_data: true,
    in_every_row: { side: 'long', tag: 'own' },
    columns: ['id', 'by_tag', 'pnl'],
    rows: [
      ['1', '1', ''],
      ['2', '2', 1.5],
      ['3', '3', ''],
      ['4', '4', ''],
    ],
  });
  expect(table(records as never, how)).toMatchObject({ left_out: 1, rows: [{}, {}, {}] });
});

test('every text of a trader is marked', () => {
  const texts = (shape: Record<string, z.ZodType>, path: string): [string, string][] =>
    Object.entries(shape).flatMap(([name, schema]) => {
      const { kind, values } = factsOf(schema);
      return kind === 'text' &&
        values === undefined &&
        !/(^|_)ids?$|^currency$/.test(name)
        ? [[path, name]]
        : [];
    });
  const written = RESOURCES.flatMap(({ path, record }) =>
    texts(record.shape as Record<string, z.ZodType>, path),
  );
  expect(written.length).toBeGreaterThan(30);
  for (const [path, name] of written) {
    expect([path, compact({ [name]: 'words' }, how)]).toEqual([
      path,
      { text_from: 'journal note', is_data: true, [name]: 'words' },
    ]);
  }
});

test('no characters make a fitted answer longer than 5,000 tokens', () => {
  const ranges: [number, number][] = [
    [0x20, 0x7e],
    [0x41, 0x5a],
    [0x61, 0x7a],
    [0xa1, 0x24f],
    [0x400, 0x4ff],
    [0x900, 0x97f],
    [0x1200, 0x137f],
    [0x4e00, 0x9fff],
    [0xa000, 0xa4cf],
    [0x10000, 0x100ff],
    [0x12000, 0x123ff],
    [0x1d400, 0x1d7ff],
    [0x1f300, 0x1f6ff],
  ];
  const lengths = { minLength: 6000, maxLength: 9000 };
  const codes = ([min, max]: [number, number]) => fc.integer({ min, max });
  const texts = fc
    .oneof(
      ...ranges.map((range) => fc.array(codes(range), lengths)),
      fc.array(fc.oneof(...ranges.map(codes)), lengths),
      ...ranges.map((range) =>
        codes(range).map((code) => Array<number>(7000).fill(code)),
      ),
    )
    .map((all) => String.fromCodePoint(...all));
  const worst = fc.sample(texts, 60).map((text) => {
    const parts = text.match(/[\s\S]{1,700}/gu) ?? [];
    return encode(
      JSON.stringify(
        fitted(
          'UTC',
          (how) => compact({ notes: parts }, { ...how, rows: 100 }) as object,
        ),
      ),
    ).length;
  });
  expect(Math.max(...worst)).toBeLessThan(5000);
  expect(Math.max(...worst)).toBeGreaterThan(3000);
});
