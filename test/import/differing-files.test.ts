/**
 * Exports changed as people's files differ: a column more, one with another name, a total line, empty lines, a title, the rows
 * the other way round, two downloads in one file. Each is refused or gives the same money; what then lacks is in the report.
 */
import { readFileSync, statSync } from 'node:fs';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import type { FileReport } from '../../src/import/report/report.ts';
import { keptInputs } from '../corpus.ts';
import { isThorough } from '../effort.ts';
import { randomNumbers } from '../seed.ts';
import { allExports, type Export, sampled } from './exports.ts';
import { ImportHome } from './home.ts';

const OPTIONS = {
  date: '2019-01-15',
  timeZone: 'America/New_York',
  symbol: 'MNQ',
  multipliers: new Map([['MES', 5]]),
};

/** Files with sections, whose lines have an order, and whose headers repeat. */
const SECTIONS = /ibkr|thinkorswim|rithmic/;

/** Columns that tell accounts, or equal rows, apart: a file without them is another file. */
const APART = /account|\buid\b|portfolio|slno|order id/i;

/** Changes after which a file lacks something: its report then says more. After others the money is the same. */
const LACKS = /another name|costs more|cut off/;

const LARGEST = 200_000;

const draw = randomNumbers();

interface Table {
  before: string[];
  header: string[];
  rows: string[][];
}

/** Joins a table's lines; undefined for a line that is to be left out. */
type Change = (table: Table, isSectioned: boolean) => string[] | undefined;

const MARKS = [',', ';', '\t'];

/** The cells of a line as they are written, with their quotes. */
function cellsOf(line: string, mark: string): string[] {
  const cells: string[] = [''];
  let isQuoted = false;
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted;
    if (letter === mark && !isQuoted) cells.push('');
    else cells[cells.length - 1] += letter;
  }
  return cells;
}

/** The line with the most names among the first ones. */
function headerAt(lines: readonly string[]): { index: number; mark: string } | undefined {
  const candidates = lines.slice(0, 40).flatMap((line, index) =>
    MARKS.map((mark) => {
      const cells = cellsOf(line, mark);
      const names = cells.filter((cell) => /\p{L}{2}/u.test(cell)).length;
      return { index, mark, names: names >= 4 && names > cells.length * 0.7 ? names : 0 };
    }),
  );
  const [most] = candidates.toSorted((a, b) => b.names - a.names);
  return most && most.names > 0 ? most : undefined;
}

const amount = (cell: string | undefined) =>
  Number((cell ?? '').replace(/[",$()]/g, '')) || 0;

function totals({ header, rows }: Table): string[] {
  return header.map((_, index) => {
    const isNumeric = rows.every((cells) =>
      /^"?[-$(]?[\d.,]*\)?"?$/.test((cells[index] ?? '').trim()),
    );
    return isNumeric
      ? String(
          Math.round(rows.reduce((sum, cells) => sum + amount(cells[index]), 0) * 1e6) /
            1e6,
        )
      : '';
  });
}

/** @param mark between cells */
function wholeOf({ before, header, rows }: Table, mark: string): string[] {
  return [...before, ...[header, ...rows].map((cells) => cells.join(mark))];
}

/** @param mark between cells */
function renamed(table: Table, index: number, mark: string): string[] {
  return wholeOf({ ...table, header: table.header.with(index, 'Spalte') }, mark);
}

/** @param mark between cells */
function changesOf(mark: string): Record<string, Change> {
  const line = (cells: readonly string[]) => cells.join(mark);
  const whole = (table: Table) => wholeOf(table, mark);
  const each = (table: Table, change: (cells: string[], isHeader: boolean) => string[]) =>
    whole({
      ...table,
      header: change(table.header, true),
      rows: table.rows.map((cells) => change(cells, false)),
    });
  const empty = ({ header }: Table) => mark.repeat(header.length - 1);

  return {
    'a column more at the end': (table) =>
      each(table, (cells, isHeader) => [...cells, isHeader ? 'Remark' : 'ok']),
    'a column more at the start': (table) =>
      each(table, (cells, isHeader) => [isHeader ? 'Remark' : 'ok', ...cells]),
    'a column of costs more': (table) =>
      each(table, (cells, isHeader) => [...cells, isHeader ? 'Duty' : '1.25']),
    'two columns exchanged': (table) =>
      each(table, ([first = '', second = '', ...cells]) => [second, first, ...cells]),
    'a column with another name': (table) => {
      const index = draw(table.header.length);
      if (APART.test(table.header[index] ?? '') || table.header[index]?.trim() === '')
        return undefined;
      return renamed(table, index, mark);
    },
    'a total line': (table) => [
      ...whole(table),
      line(['Total', ...totals(table).slice(1)]),
    ],
    'a total line without a word': (table) => [...whole(table), line(totals(table))],
    'empty lines': (table) => [
      ...whole({ ...table, rows: [] }),
      ...table.rows.flatMap((cells) => [line(cells), empty(table)]),
      ...['', empty(table)],
    ],
    'a title above': (table) => ['My export', '', ...whole(table)],
    'the rows the other way round': (table, isSectioned) =>
      isSectioned ? undefined : whole({ ...table, rows: table.rows.toReversed() }),
    'two downloads in one': (table, isSectioned) =>
      isSectioned
        ? undefined
        : [...whole(table), line(table.header), ...table.rows.map(line)],
    'a last line that is cut off': (table) => {
      const lines = whole(table);
      const last = lines.at(-1) ?? '';
      return [...lines.slice(0, -1), last.slice(0, Math.ceil(last.length / 2))];
    },
  };
}

interface Outcome {
  money: unknown;
  /** What the report says besides. */
  rest: unknown;
}

/** @returns undefined if the file is refused with words */
function outcomeOf(path: string, dates: Export['dates']): Outcome | undefined {
  const home = new ImportHome().withUser();
  try {
    const [file] = home.import(path, { ...OPTIONS, dates }).files as [FileReport];
    const money = home.rows(
      `SELECT currency, symbol, status, round(sum(gross_pnl), 6) AS gross, round(sum(fees), 6) AS fees,
         round(sum(open_quantity), 6) AS open FROM trades GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    );
    const { stated, unmatched, without_fees, without_rate, other_fees } =
      file.platform ?? {};
    const differences = stated?.map(({ what, difference, amount: own }) => [
      what,
      difference,
      own,
    ]);
    const rest = {
      notes: file.notes.map(withoutLine),
      skipped: file.skipped,
      unmatched: unmatched?.length,
    };
    return {
      money,
      rest: { ...rest, differences, without_fees, without_rate, other_fees },
    };
  } catch (error) {
    expect((error as Error).name).toMatch(/^(UserError|UsageError)$/);
    return undefined;
  }
}

function withoutLine(note: string): string {
  return note.replace(/line \d+/g, 'line');
}

const files = sampled(allExports().filter(({ name }) => /\.(csv|txt)$/i.test(name)));

interface ReadTable {
  table: Table;
  mark: string;
}

/** @returns undefined without a header */
function tableIn(path: string): ReadTable | undefined {
  const lines = readFileSync(path, 'latin1').split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  const at = headerAt(lines);
  if (!at) return undefined;

  const cells = lines.map((line) => cellsOf(line, at.mark));
  const [header, ...rows] = cells.slice(at.index) as [string[], ...string[][]];
  return { table: { before: lines.slice(0, at.index), header, rows }, mark: at.mark };
}

/** Imports a changed export: it is refused, has the same money as the first, or its report says what it lacks. */
function expectKnown(
  what: string,
  { name, dates }: Pick<Export, 'name' | 'dates'>,
  lines: readonly string[],
  first: Outcome,
): void {
  const home = new ImportHome();
  const other = home.file(
    name.replace(/.*\//, ''),
    Buffer.from(lines.join('\n'), 'latin1'),
  );
  const outcome = outcomeOf(other, dates);
  if (
    outcome === undefined ||
    JSON.stringify(outcome.money) === JSON.stringify(first.money)
  )
    return;
  if (LACKS.test(what))
    expect(outcome.rest, `${what}: other money, the same report`).not.toEqual(first.rest);
  else expect(outcome.money, what).toEqual(first.money);
}

test.each(keptInputs<{ export: string; column: string }>('renamed-columns'))(
  '$export with another name for $column',
  ({ export: label, column }) => {
    const found = allExports().find((own) => own.label === label) as Export;
    const file = found.path();
    const { table, mark } = tableIn(file) as ReadTable;
    const index = table.header.indexOf(column);
    expect(index).toBeGreaterThan(-1);

    const changed = renamed(table, index, mark);
    const first = outcomeOf(file, found.dates) as Outcome;
    expectKnown('a column with another name', found, changed, first);
  },
);

test.each(files)('$label', ({ label, name, dates, path }) => {
  const file = path();
  const first = statSync(file).size < LARGEST ? outcomeOf(file, dates) : undefined;
  const read = tableIn(file);
  if (!first || !read) return;

  for (const [what, change] of Object.entries(changesOf(read.mark))) {
    if (!isThorough && draw(3) > 0) continue;
    const changed = change(read.table, SECTIONS.test(label));
    if (changed) expectKnown(what, { name, dates }, changed, first);
  }
});

const workbooks = sampled(allExports().filter(({ name }) => name.endsWith('.xlsx')));
const BLANK =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData></sheetData></worksheet>';

/** The workbook with an empty sheet as its first tab. */
function withBlankSheet(bytes: Buffer): Buffer {
  const parts = unzipSync(bytes);
  const edit = (name: string, from: RegExp, to: string) => {
    const part = parts[name];
    // MetaTrader writes UTF-16.
    const encoding = part?.[0] === 0xff ? 'utf16le' : 'utf8';
    if (part)
      parts[name] = Buffer.from(
        Buffer.from(part).toString(encoding).replace(from, to),
        encoding,
      );
  };
  edit(
    'xl/workbook.xml',
    /<((?:\w+:)?)sheets>/,
    '$&<$1sheet name="Blank" sheetId="999" r:id="rId999"/>',
  );
  const relation =
    '<$1Relationship Id="rId999" Type="worksheet" Target="worksheets/sheet0.xml"/>';
  edit('xl/_rels/workbook.xml.rels', /<((?:\w+:)?)Relationships[^>]*>/, `$&${relation}`);
  parts['xl/worksheets/sheet0.xml'] = strToU8(BLANK);
  return Buffer.from(zipSync(parts));
}

test.each(workbooks)('$label with a blank first sheet', ({ name, dates, path }) => {
  const file = path();
  const first = outcomeOf(file, dates);
  const home = new ImportHome();
  const other = home.file(name.replace(/.*\//, ''), withBlankSheet(readFileSync(file)));
  if (first) expect(outcomeOf(other, dates)?.money).toEqual(first.money);
});
