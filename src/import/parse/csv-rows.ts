/** CSV as rows of cells with the lines they begin on: comma, semicolon or tab, quotes, any line ending. */
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf } from '../../errors.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { LONGEST_CELL, LONGEST_ROW, MOST_CELLS, MOST_ROWS } from './bounds.ts';
import { rowsOf } from './lines.ts';
import { type CsvRow, plainRows } from './plain-rows.ts';

export type { CsvRow };

export interface CsvTable {
  /** Names without the spaces around them. Empty lines may come before it. */
  header: CsvRow;
  rows: CsvRow[];
}

/**
 * A file that is one table.
 * @param names that its header has, among others: lines before it are left out
 * @throws RowError where the text is no CSV, or a row has more or fewer cells than the header names
 */
export function readCsv(text: string, names: readonly ColumnNames[] = []): CsvTable {
  const found = headerIn(text, names);
  // Lines that a spreadsheet put into its first cell end with the marks that it sets cells apart by.
  const isPadded = /[;\t]$/.test(found?.names.at(-1) ?? '');
  const all = csvRows(text, isPadded ? undefined : found?.delimiter);
  const at = found ? all.findIndex(({ cells }) => hasNames(cells, names)) : 0;
  const width = (all[at]?.cells.findLastIndex((name) => name !== '') ?? 0) + 1;
  const { header, rows } = tableOf(all.slice(Math.max(0, at)).map((row) => unquoted(row, width)));
  return { header, rows: [...rows] };
}

/** What a header may call a column: one name, or several by version and language of the platform. */
export type ColumnNames = string | readonly string[];

/** Programs that take a row with quotes within for one cell quote it as a whole. */
function unquoted(row: CsvRow, width: number): CsvRow {
  const [cell = ''] = row.cells;
  if (width < 2 || row.cells.some((other, index) => index > 0 && other !== '') || !/[,;\t]/.test(cell)) return row;
  const [inner] = csvRows(cell, undefined, row.line);
  return inner && inner.cells.length >= width ? inner : row;
}

/** A name however a header writes it: in capitals or not, with a straight or a curly apostrophe. */
export function plainName(name: string): string {
  return name.trim().replaceAll('\u2019', "'").toLowerCase();
}

function hasNames(cells: readonly string[], names: readonly ColumnNames[]): boolean {
  const own = new Set(cells.map(plainName));
  return names.every((name) => [name].flat().some((one) => own.has(plainName(one))));
}

/** Titles that people and programs put above a header are few. */
const MOST_TITLES = 20;

/**
 * The header of a file whose first lines may be titles.
 * @param start the beginning of the file
 * @param names that the header has, among others, in any order and case
 */
export function headerIn(
  start: string,
  names: readonly ColumnNames[],
): { names: readonly string[]; delimiter: string } | undefined {
  if (names.length === 0) return undefined;
  for (const line of start.split(/\r\n?|\n/, MOST_TITLES)) {
    for (const delimiter of DELIMITERS) {
      const cells = line.split(delimiter).map((cell) =>
        cell
          .trim()
          .replace(/^"(.*)"$/, '$1')
          .trim(),
      );
      if (hasNames(cells, names)) return { names: cells, delimiter };
    }
  }
  return undefined;
}

const DELIMITERS = [',', ';', '\t'];

/** The same without rows that say nothing, of a platform that writes decimal points. */
export function readFilledCsv(text: string): CsvTable {
  const { header, rows } = readCsv(text);
  return { header, rows: withPoints(rows.filter((row) => !isEmpty(row))) };
}

const COMMA = /^([-+]?)(\d{1,3}(?:\.\d{3})+|\d+),(\d+)$/;

/** Numbers as their platform wrote them, with decimal points, where a spreadsheet of another country put commas. */
export function withPoints(rows: CsvRow[]): CsvRow[] {
  const has = (test: (cell: string) => boolean) => rows.some(({ cells }) => cells.some((cell) => test(cell.trim())));
  // 1,234 may be a thousand: one that can be nothing else tells.
  const isDecimal = (cell: string) => (COMMA.exec(cell)?.[3]?.length ?? 3) !== 3;
  if (!has(isDecimal) || has((cell) => /^[-+]?\d+\.\d+$/.test(cell))) return rows;
  const pointed = (_: string, sign: string, whole: string, decimals: string) =>
    `${sign}${whole.replaceAll('.', '')}.${decimals}`;
  return rows.map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim().replace(COMMA, pointed)) }));
}

/** The same for a file of any length, which is read while its rows are gone through. */
export function streamCsv(blocks: Iterable<string>): { header: CsvRow; rows: Generator<CsvRow> } {
  return tableOf(rowsOfBlocks(blocks));
}

const EMPTY_LINES = /^[\r\n]*$/;

function* rowsOfBlocks(blocks: Iterable<string>): Generator<CsvRow> {
  let delimiter: string | undefined;
  for (const { text, line } of rowsOf(blocks)) {
    if (EMPTY_LINES.test(text)) continue;
    delimiter ??= delimiterOf(text);
    yield* plainRows(text, delimiter, line) ?? csvRows(text, delimiter, line);
  }
}

function tableOf(rows: Iterable<CsvRow>): { header: CsvRow; rows: Generator<CsvRow> } {
  const filled = filledOf(rows);
  const first = filled.next();
  if (first.done) throw new RowError(null, 'the file is empty: its first line must name the fields', 1);
  const header = trimmed(first.value);
  return { header, rows: fittedTo(header.cells, filled) };
}

function* filledOf(rows: Iterable<CsvRow>): Generator<CsvRow> {
  for (const row of rows) if (row.cells.length > 1 || row.cells[0] !== '') yield row;
}

function* fittedTo(names: readonly string[], rows: Iterable<CsvRow>): Generator<CsvRow> {
  for (const row of rows) yield fitted(row, names);
}

/**
 * A row as wide as the header: programs differ on whether a comma ends each line, of the header or of the rows.
 * @throws RowError where the row has a cell that the header does not name, or lacks one that it does
 */
function fitted(row: CsvRow, names: readonly string[]): CsvRow {
  const { line, cells } = row;
  const width = names.length;
  if (cells.length === width) return row;
  const isFitting =
    isEmpty(row) ||
    (cells.length > width
      ? cells.slice(width).every((cell) => cell.trim() === '')
      : names.slice(cells.length).every((name) => name === ''));
  if (!isFitting) throw new RowError(null, `has ${cells.length} cells where the header has ${width}`, line);
  const missing = Array<string>(Math.max(0, width - cells.length)).fill('');
  return { line, cells: [...cells.slice(0, width), ...missing] };
}

/**
 * One table of a file that has other lines before and after it, or several tables.
 * @param rows of the whole file
 * @param names that its header has, among others
 * @returns the table, up to the next empty row; undefined where there is none
 */
export function tableWith(rows: readonly CsvRow[], names: readonly string[]): CsvTable | undefined {
  const at = rows.findIndex(({ cells }) => hasNames(cells, names));
  if (at === -1) return undefined;
  const end = rows.findIndex((row, index) => index > at && isEmpty(row));
  return { header: trimmed(rows[at] as CsvRow), rows: rows.slice(at + 1, end === -1 ? undefined : end) };
}

/** Whether a row says nothing, however many cells it has. */
export function isEmpty({ cells }: CsvRow): boolean {
  return cells.every((cell) => cell.trim() === '');
}

function trimmed({ line, cells }: CsvRow): CsvRow {
  return { line, cells: cells.map((cell) => cell.trim()) };
}

/** Before they are parsed, which takes a hundred times as long. */
function refuseManyLines(text: string): void {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++lines > MOST_ROWS) throw new RowError(null, `has more than ${MOST_ROWS} lines; split it into several files`);
  }
}

/**
 * All rows, empty ones too.
 * @param delimiter what stands between cells; told by the header unless given
 * @param firstLine the line of the file that the text begins on
 * @throws RowError where the text is no CSV
 */
export function csvRows(text: string, delimiter?: string, firstLine = 1): CsvRow[] {
  if (delimiter !== undefined) return rowsApart(text, delimiter, firstLine);
  const own = delimiterOf(text);
  return unwrapped(rowsApart(text, own, firstLine), own);
}

/**
 * A spreadsheet that expects another mark between cells has each line in its first cell, and writes it as one text.
 * @returns the rows that these texts are lines of, where that is so; else the rows as they are
 */
function unwrapped(rows: CsvRow[], delimiter: string): CsvRow[] {
  const filled = rows.filter((row) => !isEmpty(row));
  const wrapped = filled.filter(
    ({ cells }) => /[,;\t]/.test(cells[0] ?? '') && cells.slice(1).every((cell) => cell === ''),
  );
  if (wrapped.length * 2 <= filled.length || wrapped[0] !== filled[0]) return rows;
  const text = rows.map(({ cells }) => withoutEnd(cells.join(delimiter), delimiter)).join('\n');
  const inner = rowsApart(text, delimiterOf(text), 1);
  return inner.length === rows.length
    ? inner.map(({ cells }, index) => ({ line: rows[index]?.line ?? 0, cells }))
    : inner;
}

/** Without the marks that a text ends with. */
function withoutEnd(text: string, mark: string): string {
  let end = text.length;
  while (text.endsWith(mark, end)) end -= mark.length;
  return text.slice(0, end);
}

function rowsApart(text: string, delimiter: string, firstLine: number): CsvRow[] {
  refuseManyLines(text);
  // The parser counts a CRLF inside of quotes as two lines.
  let counted = 1 - firstLine;
  let before = 0;
  let rows = 0;
  const rowOf = (cells: string[], { lines }: { lines: number }): CsvRow => {
    let inside = 0;
    // Most rows are of one line, and need not be searched for others.
    for (const cell of lines === before + 1 ? [] : cells) {
      inside += cell.match(/\r\n?|\n/g)?.length ?? 0;
      counted += cell.match(/\r\n/g)?.length ?? 0;
    }
    before = lines;
    const line = lines - counted - inside;
    if (++rows > MOST_ROWS)
      throw new RowError(null, `has more than ${MOST_ROWS} rows; split it into several files`, line);
    if (cells.length > MOST_CELLS) {
      throw new RowError(null, `has ${cells.length} cells; at most ${MOST_CELLS} are read`, line);
    }
    if (cells.some((cell) => cell.length > LONGEST_CELL)) {
      throw new RowError(null, `has a cell of more than ${LONGEST_CELL} characters`, line);
    }
    return { line, cells };
  };
  try {
    return parse(firstLine === 1 ? text.replace(SEPARATOR_LINE, '') : text, {
      // The types know of no record that is anything but cells.
      on_record: rowOf as never,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: LONGEST_ROW,
    }) as unknown as CsvRow[];
  } catch (error) {
    if (error instanceof RowError) throw error;
    // Its own line is that of this text.
    const reason = messageOf(error).replace(/ (?:at|on) line \d+/, '');
    const line = error instanceof CsvError ? (error['lines'] as number) : 1;
    throw new RowError(null, `not valid CSV: ${reason}`, firstLine - 1 + line);
  }
}

/** The line above the header that tells a spreadsheet what cells are separated by. */
export const SEPARATOR_LINE = /^\s*"?sep=(.)"?[ \t]*(?=[\r\n])/i;

/** What the file says, or what separates the first line that has several cells, outside of quotes: titles may come before it. */
function delimiterOf(text: string): string {
  const stated = SEPARATOR_LINE.exec(text)?.[1];
  if (stated !== undefined) return stated;
  const header = (/^.*[,;\t].*$/m.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  // Whatever is in its cells, a line that ends with empty ones tells.
  const last = /[,;\t]\r?$/.exec(header)?.[0].charAt(0);
  if (last !== undefined && last !== ',') return last;
  const count = (mark: string) => header.split(mark).length;
  return DELIMITERS.reduce((most, mark) => (count(mark) > count(most) ? mark : most));
}
