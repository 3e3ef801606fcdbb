/**
 * Every row of every export is used, or skipped for a reason: counted apart from the readers, by lines of the file. No reader adds
 * up a column that it doesn't know.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileSource } from '../../src/import/files/contents.ts';
import { planImport } from '../../src/import/files/plan.ts';
import { readFile } from '../../src/import/files/read.ts';
import { type Reading, sumOf } from '../../src/import/fills/reading.ts';
import { type CsvRow, csvRows, isEmpty } from '../../src/parse/csv-rows.ts';
import { temporaryFolder } from '../helpers.ts';
import { allExports, type Export } from './exports.ts';

const SETTINGS = {
  user: { id: 'me', name: 'me', timezone: 'America/New_York', base_currency: 'USD' },
  timeZone: 'America/New_York',
  date: '2019-01-15',
  symbol: 'EURUSD',
} as unknown as Parameters<typeof readFile>[2];

/** @returns undefined if the file is refused: then nothing is imported */
function readingOf(
  path: string,
  dates: Export['dates'],
): { format: string; marks: readonly string[]; reading: Reading } | undefined {
  try {
    const [job] = planImport([path], {}).jobs;
    if (job?.format.holds !== 'trades') return undefined;
    const marks = (job.format.marks ?? []).map((mark) => [mark].flat()[0] as string);
    return {
      format: job.format.name,
      marks,
      reading: readFile(job, new FileSource(job), { ...SETTINGS, dates }),
    };
  } catch (error) {
    expect((error as Error).name).toMatch(
      /^(UserError|UsageError|RowError|Unrecognised)$/,
    );
    return undefined;
  }
}

/** Lines of a CSV file with any content, without line breaks inside quotes. */
function filledLines(path: string): string[] {
  const parts = readFileSync(path, 'utf8').split('"');
  const lines = parts
    .map((part, index) => (index % 2 ? part.replace(/[\r\n]/g, ' ') : part))
    .join('"');
  return lines.split(/\r\n?|\n/).filter((line) => /[^\s,;"]/.test(line));
}

const plain = (text: string) => text.toLowerCase().replaceAll('"', '');

/** Several rows make one fill, or a row states something of other rows. */
const MORE_ROWS =
  /^(angel-one|binance-transactions|kraken-ledgers|oanda|tradingview|tradovate-cash|metatrader|freqtrade|okx|trade-republic|bybit-log|degiro|thinkorswim|tradezella|coinbase-transactions|revolut-older|rithmic|crypto|robinhood|schwab|xtb)/;

describe('rows', () => {
  test.each(allExports())('of $label', ({ name, ...own }) => {
    const path = own.path();
    const read = readingOf(path, own.dates);
    if (!read) return;
    const { format, marks, reading } = read;
    const { rows = -1, fills, flows, records, skipped } = reading;
    const lines = new Set([...fills, ...flows, ...records].map(({ line }) => line)).size;
    const used = rows - sumOf(skipped);
    expect([...skipped.values()].every((count) => count > 0)).toBe(true);
    if (MORE_ROWS.test(format)) expect(used).toBeGreaterThanOrEqual(lines);
    else expect(used).toBe(lines);

    if (!name.endsWith('.csv')) return;
    const filled = filledLines(path);
    if (format === 'ibkr-activity') {
      expect(rows).toBe(filled.filter((line) => !/^[^,]+,"?Header\b/.test(line)).length);
      return;
    }
    const header = filled.findIndex((line) =>
      marks.every((mark) => plain(line).includes(plain(mark))),
    );
    if (marks.length === 0 || header === -1) return;
    expect(rows - (skipped.get('empty row') ?? 0)).toBe(filled.length - header - 1);
  });
});

/** Tables whose rows have as many cells as their header, with the header's place. */
function tableIn(path: string): { rows: CsvRow[]; at: number } | undefined {
  const rows = csvRows(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')).filter(
    (row) => !isEmpty(row),
  );
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const at = rows.findIndex(({ cells }) => cells.length === width);
  return width > 4 && rows.slice(at).every(({ cells }) => cells.length === width)
    ? { rows, at }
    : undefined;
}

const csvOf = (rows: readonly CsvRow[]) =>
  rows
    .map(({ cells }) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    .join('\n');

/** What a file gives, without the lines and the ids that are made of its name. */
const contentOf = ({ fills, records, stated }: Reading) =>
  JSON.stringify([fills, [...records], stated]);

test.each(
  allExports().filter(
    // TradeZella's other columns go to the notes.
    ({ label, name }) =>
      label.startsWith('made-up') && /(?<!trades_export)\.csv$/.test(name),
  ),
)(
  '$label with a column more of numbers gives the same, or is refused',
  ({ name, path, dates }) => {
    const table = tableIn(path());
    if (!table) return;
    const folder = temporaryFolder();
    const fileOf = (rows: readonly CsvRow[]) => {
      const own = join(folder, basename(name));
      writeFileSync(own, csvOf(rows));
      return own;
    };
    const plainly = readingOf(fileOf(table.rows), dates);
    if (!plainly) return;
    const width = table.rows[table.at]?.cells.length ?? 0;
    for (const [index, column] of ['Pips', 'Net result', 'Points'].entries()) {
      const place = [width, Math.floor(width / 2), 1][index] as number;
      const added = table.rows.map(({ line, cells }, row) => {
        if (row < table.at) return { line, cells };
        return {
          line,
          cells: cells.toSpliced(place, 0, row === table.at ? column : `${1000 + row}`),
        };
      });
      const read = readingOf(fileOf(added), dates);
      if (read) expect(contentOf(read.reading)).toBe(contentOf(plainly.reading));
    }
  },
);
