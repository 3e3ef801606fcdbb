/** Files of fills, cut into overlapping pieces, as users download them. */
import fc from 'fast-check';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { at, MES, makeFileFill } from './make-file-fill.ts';

/** Fills of an hour in two contracts and two accounts; many at one instant, some completely equal. */
export const anyFile = fc
  .array(
    fc.record({
      second: fc.integer({ min: 0, max: 12 }),
      account: fc.constantFrom('a', 'b'),
      symbol: fc.constantFrom('MESZ6', 'MNQZ6'),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      quantity: fc.integer({ min: 1, max: 3 }),
      price: fc.integer({ min: 1, max: 3 }),
      effect: fc.constantFrom(null, null, null, 'close' as const),
      hasId: fc.boolean(),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((rows) =>
    rows
      .sort((a, b) => a.second - b.second)
      .map(({ second, symbol, hasId, ...row }, index) =>
        makeFileFill({
          ...row,
          line: index + 2,
          executionId: hasId ? `e${(index * 7919) % 1000}` : null,
          executedAt: at(second),
          instrument: { ...MES, symbol, underlying: null },
          ...(second % 4 === 0 ? { fees: 0, feesStated: false } : { fees: 0.62 }),
          orderId: second % 3 === 0 ? null : `order ${second}`,
        }),
      ),
  );

/** A file in shuffled pieces that overlap by at least one row; equal rows without an id stay together. */
export const anyPieces = fc.tuple(
  anyFile,
  fc.array(fc.nat({ max: 24 }), { maxLength: 3 }),
  fc.infiniteStream(fc.nat()),
);

export function piecesOf([file, cuts, random]: [
  FileFill[],
  number[],
  Iterable<number>,
]): FileFill[][] {
  const keys = random[Symbol.iterator]();
  const edges = [
    0,
    ...cuts.filter((cut) => cut < file.length).sort((a, b) => a - b),
    file.length,
  ];
  const pieces = edges
    .slice(1)
    .map((to, index) => file.slice(Math.max(0, Number(edges[index]) - 1), to));
  return pieces
    .map((piece) => ({ piece, key: keys.next().value as number }))
    .sort((a, b) => a.key - b.key)
    .map(({ piece }) => piece);
}

/** Equal rows are numbered per file: equal rows in different pieces need ids. */
export const toldPieces = fc
  .tuple(
    anyFile,
    fc.array(fc.nat({ max: 24 }), { maxLength: 3 }),
    fc.infiniteStream(fc.nat()),
  )
  .map(
    ([file, cuts, random]) =>
      [
        file.map((fill, index) => ({
          ...fill,
          executionId: fill.executionId ?? `n${index}`,
        })),
        cuts,
        random,
      ] as [FileFill[], number[], Iterable<number>],
  );
