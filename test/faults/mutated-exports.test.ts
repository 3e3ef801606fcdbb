/** Randomly changed exports, one small file per reader: imported whole or rejected with a clear error, never half. */

import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { FORMATS } from '../../src/import/formats/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import { csvRows } from '../../src/parse/csv-rows.ts';
import { isExhaustive } from '../effort.ts';
import { ImportHome } from '../import/home.ts';
import { exportOf } from './export-forms.ts';
import { printFigures } from './figures.ts';

await loadAll();

const RUNS = isExhaustive ? 300 : 6;

/** Options for files with missing facts: dates, zones and contract sizes. */
const OPTIONS = {
  date: '2026-11-20',
  timeZone: 'America/New_York',
  multipliers: new Map([['MES', 5]]),
};

/** Orders of dates that fit both. */
const DATES: Readonly<Record<string, 'dmy' | 'mdy'>> = {
  ninjatrader: 'mdy',
  'ninjatrader-performance': 'mdy',
  hyperliquid: 'dmy',
};

const optionsFor = (format: string) => ({ ...OPTIONS, dates: DATES[format] });

interface Export {
  format: string;
  name: string;
  text: string;
}

const READERS = FORMATS.filter(
  ({ name, holds }) => holds !== undefined && name !== 'freqtrade',
).map(({ name }) => name);

/** Rows per file: as many as any form has. */
const ROWS = 12;

const FILES: Export[] = READERS.map((format) => {
  const { file, content } = exportOf(format, ROWS, 1_000_000);
  return { format, name: file, text: content };
});

/** Values that are too large, too small, or special names. */
const EXTREMES = [
  ...[
    '9'.repeat(320),
    `-${'9'.repeat(320)}`,
    `${'9'.repeat(200)}.5`,
    `0.${'0'.repeat(320)}1`,
    `1${'0'.repeat(307)}`,
  ],
  ...[
    '1e308',
    '-1e308',
    '1e-320',
    '1e999',
    '0',
    '-0',
    '-1',
    '0.00000001',
    '999999999999999',
    '1e15',
    '5e-324',
  ],
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'undefined',
    'true',
    '',
    ' ',
    '-',
    '--',
    '__proto__',
    'constructor',
  ],
  ...[
    'toString',
    '=1+1',
    "=cmd|' /C calc'!A0",
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\0',
    '\ufeff',
    '\u202e',
    '\ud800',
    '١٢٣',
  ],
  ...[
    '0000-00-00',
    '9999-12-31 23:59:59',
    '01/01/0001',
    '99/99/9999',
    '2026-02-30',
    '1e5:00',
    '25:61:61',
  ],
  ...[
    'a'.repeat(5000),
    '('.repeat(4000),
    ' '.repeat(4000),
    '-'.repeat(4000),
    '1,'.repeat(2000),
    '💥'.repeat(100),
  ],
];

type Change = (text: string) => string;

const cellMark = /[^,;\t\n"<>=]+/g;

/** Changes of one cell, of lines, of characters. */
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(10_000), fc.constantFrom(...EXTREMES)).map(
      ([place, extreme]): Change =>
        (text) => {
          const cells = [...text.matchAll(cellMark)];
          const cell = cells[place % Math.max(1, cells.length)];
          if (!cell) return text + extreme;
          return (
            text.slice(0, cell.index) + extreme + text.slice(cell.index + cell[0].length)
          );
        },
    ),
  },
  fc.tuple(fc.nat(100), fc.nat(100)).map(
    ([from, to]): Change =>
      (text) => {
        const lines = text.split('\n');
        lines.splice(to % lines.length, 0, lines[from % lines.length] as string);
        return lines.join('\n');
      },
  ),
  fc.nat(100).map(
    (at): Change =>
      (text) =>
        text
          .split('\n')
          .toSpliced(at % text.split('\n').length, 1)
          .join('\n'),
  ),
  fc.nat(10_000).map(
    (at): Change =>
      (text) =>
        text.slice(0, at % (text.length + 1)),
  ),
  fc
    .tuple(
      fc.nat(10_000),
      fc.constantFrom(
        '"',
        ',',
        ';',
        '\n',
        '\r',
        '\0',
        '9',
        '-',
        '.',
        '<',
        '&',
        '{',
        '[',
        'e',
      ),
    )
    .map(
      ([at, mark]): Change =>
        (text) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + mark + text.slice(place);
        },
    ),
);

/** A table as a workbook with text cells. */
function workbookOf(text: string): Buffer {
  const escaped = (cell: string) =>
    cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\0', '');
  const rows = csvRows(text).map(
    ({ cells }) =>
      `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`).join('')}</row>`,
  );
  return Buffer.from(
    zipSync({
      'xl/worksheets/sheet1.xml': strToU8(
        `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
      ),
    }),
  );
}

/** @returns whether the file was imported; if not, the error must be clear and the journal unchanged */
function isImported(home: ImportHome, path: string, options: object): boolean {
  const before = home.bytes();
  try {
    home.import(path, options);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error).toBeInstanceOf(UserError);
    expect((error as Error).message.length).toBeLessThan(20_000);
    expect(home.bytes().equals(before)).toBe(true);
    return false;
  }
  // A file may state another result than its prices make: that is kept, and named.
  expect(
    home
      .findings()
      .filter(
        (problem) =>
          !/^gross_pnl is .*, but it computes to .* from its executions$/.test(problem),
      ),
  ).toEqual([]);
  return true;
}

test.each(FILES)('$format imports unchanged', ({ format, name, text }) => {
  const home = new ImportHome().withUser();
  expect(home.import(home.file(name, text), optionsFor(format)).files[0]).toMatchObject({
    format,
  });
});

/** The table as tab-separated text, without one of its columns. */
function withoutColumn(
  rows: readonly { cells: readonly string[] }[],
  at: number,
): string {
  return rows.map(({ cells }) => cells.toSpliced(at, 1).join('\t')).join('\n');
}

test.each(FILES.filter(({ name }) => /\.(csv|txt)$/.test(name)))(
  '$format, $name: each column missing, though the format is named',
  ({ format, name, text }) => {
    const rows = csvRows(text);
    const home = new ImportHome().withUser();
    for (let at = 0; at < Math.max(...rows.map(({ cells }) => cells.length)); at++) {
      const path = home.file(name, withoutColumn(rows, at));
      try {
        home.import(path, { ...optionsFor(format), format, dryRun: true });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
      }
    }
  },
  3_600_000,
);

test.each(FILES)(
  '$format, $name: changed at random',
  ({ format, name, text }) => {
    let taken = 0;
    let tried = 0;
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.constantFrom({}, { format }),
        fc.boolean(),
        (changes, options, isWorkbook) => {
          const home = new ImportHome().withUser();
          const changed = changes.reduce((all, own) => own(all), text);
          let path = home.file(name, changed);
          if (isWorkbook && name.endsWith('.csv')) {
            try {
              path = home.file(name.replace(/csv$/, 'xlsx'), workbookOf(changed));
            } catch {
              // What is no CSV is no table.
            }
          }
          tried++;
          if (isImported(home, path, { ...optionsFor(format), ...options })) taken++;
        },
      ),
      { numRuns: RUNS },
    );
    printFigures(
      `exports of ${format} changed at random: ${tried}, of them imported: ${taken}`,
    );
  },
  3_600_000,
);
