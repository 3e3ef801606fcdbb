/** Preparation of stored fills for the walk, from any files in any order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeExecutions } from '../../../src/import/fills/walk/executions.ts';
import type { Fill, PlacedFill } from '../../../src/statements/fill-row.ts';
import { makeFill } from './make-fill.ts';

/** A journal's fills after an import of files: each once, with its place in each file. */
function stored(files: readonly (readonly Fill[])[]): PlacedFill[] {
  const byId = new Map<string, { fill: Fill; places: Map<number, number> }>();
  files.forEach((fills, file) => {
    fills.forEach((fill, place) => {
      const placed = byId.get(fill.id) ?? { fill, places: new Map() };
      placed.places.set(file, place);
      byId.set(fill.id, placed);
    });
  });
  return [...byId.values()];
}

const order = (files: readonly (readonly Fill[])[]) =>
  wholeExecutions(stored(files)).map(({ id }) => id);
const at = (second: number) => `2026-11-02T15:00:0${second}.000Z`;

describe('order', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => makeFill(id)) as [
    Fill,
    Fill,
    Fill,
    Fill,
  ];

  test('is by time, and by the file for equal times', () => {
    const early = makeFill('z', { executed_at: at(0) });
    const late = makeFill('y', { executed_at: at(1) });
    expect(order([[late, c, early, b]])).toEqual(['c', 'z', 'b', 'y']);
  });

  test.each<[string, Fill[][], string]>([
    [
      'of files that overlap within one instant',
      [
        [d, c, b],
        [c, b, a],
      ],
      'dcba',
    ],
    [
      'of the same, in another order',
      [
        [c, b, a],
        [d, c, b],
      ],
      'dcba',
    ],
    ['of ids if no file decides', [[b], [a], [d, c]], 'abdc'],
    [
      'of ids if files contradict each other',
      [
        [b, a],
        [a, b],
      ],
      'ab',
    ],
    ['of a longer id after a shorter', [[makeFill('10')], [makeFill('9')]], '910'],
  ])('is that %s', (_, files, expected) => {
    expect(order(files).join('')).toBe(expected);
  });

  test('is that of the whole file, for any overlapping pieces in any order', () => {
    const anyFile = fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 })
      .map((seconds) =>
        seconds
          .sort()
          .map((second, index) =>
            makeFill(`f${(index * 7919) % 1000}`, { executed_at: at(second) }),
          ),
      );
    const cuts = fc.array(fc.nat({ max: 29 }), { maxLength: 4 });
    fc.assert(
      fc.property(anyFile, cuts, fc.infiniteStream(fc.nat()), (file, places, random) => {
        const edges = [
          0,
          ...places.filter((place) => place < file.length).sort((x, y) => x - y),
          file.length,
        ];
        // Each piece begins with the last fill of the one before.
        const pieces = edges
          .slice(1)
          .map((to, index) => file.slice(Math.max(0, Number(edges[index]) - 1), to));
        const shuffled = pieces
          .map((piece) => ({ piece, key: random.next().value as number }))
          .sort((x, y) => x.key - y.key)
          .map(({ piece }) => piece);
        expect(order(shuffled)).toEqual(file.map(({ id }) => id));
      }),
    );
  });
});

const part = (id: string, other: string, changes: Partial<Fill>) =>
  makeFill(`${id}~${other}`, { execution_id: `x:MESZ6:${id}`, part: other, ...changes });

describe('parts', () => {
  const parts = [
    part('22', '21', { quantity: 1, fees: 0.1 }),
    part('22', '23', { quantity: 2, fees: 0.2 }),
  ];

  test('of an execution add up across files', () => {
    for (const files of [
      [parts],
      [[...parts].reverse()],
      parts.map((own) => [own]),
      [parts, parts],
    ]) {
      expect(wholeExecutions(stored(files))).toMatchObject([
        { execution_id: 'x:MESZ6:22', quantity: 3, fees: 0.3 },
      ]);
    }
  });

  test("don't count if another file states the whole", () => {
    const whole = makeFill('x:MESZ6:22', { quantity: 3, fees: 1.2 });
    expect(wholeExecutions(stored([parts, [whole]]))).toMatchObject([
      { quantity: 3, fees: 1.2 },
    ]);
  });
});

describe('adopted fills', () => {
  const buy: Partial<Fill> = { side: 'buy', price: 100, executed_at: at(1) };
  const sell: Partial<Fill> = { side: 'sell', price: 101, executed_at: at(2) };
  const adopted = (id: string, changes: Partial<Fill>) =>
    makeFill(`${id}~adopted`, { execution_id: id, part: 'adopted', ...changes });
  const trade = [
    adopted('x:MESZ6:21', { ...buy, quantity: 1 }),
    adopted('x:MESZ6:21~1', { ...sell, quantity: 1 }),
  ];
  const total = (fills: readonly Fill[], side: string) =>
    fills
      .filter((fill) => fill.side === side)
      .reduce((sum, { quantity }) => sum + Number(quantity), 0);

  test('are replaced by the pair that they were made from', () => {
    const pair = [
      part('21', '22', { ...buy, quantity: 1 }),
      part('22', '21', { ...sell, quantity: 1 }),
    ];
    const made = wholeExecutions(stored([trade, pair]));
    expect(made.map(({ execution_id, quantity }) => [execution_id, quantity])).toEqual([
      ['x:MESZ6:21', 1],
      ['x:MESZ6:22', 1],
    ]);
  });

  test('stay with a pair that shares one fill with them', () => {
    const next = [
      part('22', '23', { ...sell, quantity: 2 }),
      part('23', '22', { ...buy, quantity: 2, executed_at: at(3) }),
    ];
    const made = wholeExecutions(stored([trade, next]));
    expect([total(made, 'buy'), total(made, 'sell')]).toEqual([3, 3]);
  });
});
