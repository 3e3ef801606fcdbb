/** Text read in blocks, cut anywhere, gives the same lines and rows as the whole text. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRows, streamCsv } from '../../src/parse/csv-rows.ts';
import { linesOf } from '../../src/parse/open-file.ts';

/** Cuts a text into blocks of the given lengths, repeated. */
function blocksOf(text: string, lengths: readonly number[]): string[] {
  const blocks: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] as number;
    blocks.push(text.slice(at, at + length));
    at += length;
  }
  return blocks;
}

const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });

test('lines', () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', '\n', '\r\n', ' '), { maxLength: 30 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, lengths, (whole, cuts) => {
      const lines = whole
        .split('\n')
        .map((line, index) => ({ text: line, line: index + 1 }));
      if (lines.at(-1)?.text === '') lines.pop();
      expect([...linesOf(blocksOf(whole, cuts))]).toEqual(lines);
    }),
  );
});

test('rows of CSV, with their first lines', () => {
  const cell = fc.constantFrom(
    'a',
    '',
    '"b"',
    '"b\nc"',
    '"b\r\nc"',
    '"b\rc"',
    '"""b"", "',
    'é',
  );
  const row = fc.tuple(cell, cell).map((cells) => cells.join(','));
  const text = fc
    .tuple(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
    )
    .map(([rows, end, isEnded]) => `x,y${end}${rows.join(end)}${isEnded ? end : ''}`);
  fc.assert(
    fc.property(text, lengths, (whole, cuts) => {
      const [header, ...rows] = csvRows(whole).filter(({ cells }) => cells.length > 1);
      const streamed = streamCsv(blocksOf(whole, cuts));
      expect(streamed.header).toEqual(header);
      expect([...streamed.rows]).toEqual(rows);
    }),
    { numRuns: 300 },
  );
});

test('an invalid row in a later block is reported with its line in the file', () => {
  const { rows } = streamCsv(['a,b\n1,2\n', '3,4\n', '5,"6"x\n']);
  expect(() => [...rows]).toThrow(
    expect.objectContaining({
      line: 4,
      message: expect.stringMatching(/^not valid CSV: /),
    }),
  );
});
