/**
 * CSV as rows of cells with their first lines: comma, semicolon or tab, quotes, any line
 * ending.
 */
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf, RowError } from '../errors.ts';
import { LONGEST_CELL, LONGEST_ROW, MOST_CELLS, MOST_ROWS, rowsOf } from './open-file.ts';

export interface CsvRow {
  /** Its first line. */
  line: number;
  cells: string[];
}

export interface CsvTable {
  /** Trimmed names. Empty lines may precede it. */
  header: CsvRow;
  rows: CsvRow[];
}

/**
 * A file with one table.
 * @param names some of the header's columns: lines before the header are skipped
 * @throws RowError if the text isn't CSV, or a row has more or fewer cells than the
 * header
 */
export function readCsv(text: string, names: readonly ColumnNames[] = []): CsvTable {
  const found = headerIn(text, names);
  // Lines that a spreadsheet put into its first cell end with its own delimiters.
  const isPadded = /[;\t]$/.test(found?.names.at(-1) ?? '');
  const all = csvRows(text, isPadded ? undefined : found?.delimiter);
  const at = found ? all.findIndex(({ cells }) => hasNames(cells, names)) : 0;
  const width = (all[at]?.cells.findLastIndex((name) => name !== '') ?? 0) + 1;
  const { header, rows } = tableOf(
    all.slice(Math.max(0, at)).map((row) => unquoted(row, width)),
  );

  return { header, rows: [...rows] };
}

/** Name of a column in a header, or one for each version and language of the platform. */
export type ColumnNames = string | readonly string[];

/** Some programs take a row with inner quotes for one cell, and quote the whole row. */
function unquoted(row: CsvRow, width: number): CsvRow {
  const [cell = ''] = row.cells;
  if (
    width < 2 ||
    row.cells.some((other, index) => index > 0 && other !== '') ||
    !/[,;\t]/.test(cell)
  )
    return row;

  const [inner] = csvRows(cell, undefined, row.line);
  return inner && inner.cells.length >= width ? inner : row;
}

/** A column name without case, spaces around it, or curly apostrophes. */
export function plainName(name: string): string {
  return name.trim().replaceAll('\u2019', "'").toLowerCase();
}

function hasNames(cells: readonly string[], names: readonly ColumnNames[]): boolean {
  const known = new Set(cells.map(plainName));
  return names.every((name) =>
    [name].flat().some((spelling) => known.has(plainName(spelling))),
  );
}

/** Maximum number of lines searched for a header below titles. */
const MOST_TITLES = 20;

/**
 * The header of a file that may begin with titles.
 * @param start the beginning of the file
 * @param names some of the header's columns, in any order and case
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

/** The same without empty rows, for a platform that writes decimal points. */
export function readFilledCsv(text: string): CsvTable {
  const { header, rows } = readCsv(text);
  return { header, rows: withPoints(rows.filter((row) => !isEmpty(row))) };
}

const COMMA = /^([-+]?)(\d{1,3}(?:\.\d{3})+|\d+),(\d+)$/;

/** Restores decimal points if a spreadsheet replaced them with its locale's commas. */
function withPoints(rows: CsvRow[]): CsvRow[] {
  const has = (test: (cell: string) => boolean) =>
    rows.some(({ cells }) => cells.some((cell) => test(cell.trim())));
  // 1,234 is ambiguous: look for one that can only be a decimal.
  const isDecimal = (cell: string) => (COMMA.exec(cell)?.[3]?.length ?? 3) !== 3;
  if (!has(isDecimal) || has((cell) => /^[-+]?\d+\.\d+$/.test(cell))) return rows;

  const pointed = (_: string, sign: string, whole: string, decimals: string) =>
    `${sign}${whole.replaceAll('.', '')}.${decimals}`;
  return rows.map(({ line, cells }) => ({
    line,
    cells: cells.map((cell) => cell.trim().replace(COMMA, pointed)),
  }));
}

/** The same for a file of any length, read while its rows are consumed. */
export function streamCsv(blocks: Iterable<string>): {
  header: CsvRow;
  rows: Generator<CsvRow>;
} {
  return tableOf(rowsOfBlocks(blocks));
}

const EMPTY_LINES = /^[\r\n]*$/;

function* rowsOfBlocks(blocks: Iterable<string>): Generator<CsvRow> {
  let delimiter: string | undefined;
  for (const { text, line } of rowsOf(blocks)) {
    if (EMPTY_LINES.test(text)) continue;
    delimiter ??= delimiterOf(text);
    yield* parsedRows(text, delimiter, line, LONGEST_ROW);
  }
}

function tableOf(rows: Iterable<CsvRow>): { header: CsvRow; rows: Generator<CsvRow> } {
  const filled = filledOf(rows);
  const first = filled.next();
  if (first.done)
    throw new RowError(null, 'the file is empty; its first line must name the fields', 1);
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
 * A row as wide as the header: in some files a comma ends each line, of the header or of
 * the rows.
 * @throws RowError if the row has more or fewer filled cells than the header has names
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
  if (!isFitting)
    throw new RowError(
      null,
      `has ${cells.length} cells, but the header has ${width}`,
      line,
    );

  const missing = Array<string>(Math.max(0, width - cells.length)).fill('');

  return { line, cells: [...cells.slice(0, width), ...missing] };
}

/**
 * One table of a file with other lines before and after it, or with several tables.
 * @param rows of the whole file
 * @param names some of the header's columns
 * @returns the table up to the next empty row; undefined if none
 */
export function tableWith(
  rows: readonly CsvRow[],
  names: readonly string[],
): CsvTable | undefined {
  const at = rows.findIndex(({ cells }) => hasNames(cells, names));
  if (at === -1) return undefined;
  const end = rows.findIndex((row, index) => index > at && isEmpty(row));
  return {
    header: trimmed(rows[at] as CsvRow),
    rows: rows.slice(at + 1, end === -1 ? undefined : end),
  };
}

/**
 * One table with other lines before and after it, for a platform that writes decimal
 * points. Empty rows within it don't end it.
 * @param names some of the header's columns
 */
export function pointedTable(names: readonly string[]): (text: string) => CsvTable {
  return (text) => {
    const rows = withPoints(csvRows(text));
    const at = rows.findIndex(({ cells }) => hasNames(cells, names));
    const header = rows[at];
    if (header)
      return {
        header: trimmed(header),
        rows: rowsBelow(rows.slice(at + 1), header.cells.length),
      };
    throw new RowError(null, `has no header with ${names.join(', ')}`, 1);
  };
}

/**
 * The filled rows of a table, up to an empty row that a line of fewer cells follows: a
 * note, or the title of another table.
 */
function rowsBelow(rows: readonly CsvRow[], width: number): CsvRow[] {
  const filledRows: CsvRow[] = [];
  let isApart = false;
  for (const row of rows) {
    const filled = row.cells.filter((cell) => cell.trim() !== '').length;
    if (isApart && filled > 0 && filled * 2 < width) break;
    if (filled > 0) filledRows.push(row);
    isApart = filled === 0;
  }

  return filledRows;
}

/**
 * A table with rows of any length.
 * @param name one of the header's columns
 */
export function raggedTable(name: string): (text: string) => CsvTable {
  return (text) => {
    const all = csvRows(text).filter((row) => !isEmpty(row));
    const at = all.findIndex(({ cells }) =>
      cells.some((cell) => plainName(cell) === plainName(name)),
    );
    const [header, ...rows] = all.slice(Math.max(at, 0));
    if (header) return { header, rows };
    throw new RowError(
      null,
      'the file is empty; its first line must name the columns',
      1,
    );
  };
}

/** Whether all cells of a row are empty. */
export function isEmpty({ cells }: CsvRow): boolean {
  return cells.every((cell) => cell.trim() === '');
}

function trimmed({ line, cells }: CsvRow): CsvRow {
  return { line, cells: cells.map((cell) => cell.trim()) };
}

/** Runs before parsing, which takes a hundred times as long. */
function refuseManyLines(text: string): void {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++lines > MOST_ROWS)
      throw new RowError(
        null,
        `has more than ${MOST_ROWS} lines; split it into several files`,
      );
  }
}

/**
 * All rows, empty ones too.
 * @param delimiter between cells; detected from the header unless given
 * @param firstLine the line of the file that the text begins on
 * @throws RowError if the text isn't CSV
 */
export function csvRows(text: string, delimiter?: string, firstLine = 1): CsvRow[] {
  if (delimiter !== undefined) return parsedRows(text, delimiter, firstLine);
  const found = delimiterOf(text);
  return unwrapped(parsedRows(text, found, firstLine), found);
}

/**
 * A spreadsheet that expects another delimiter puts each line into its first cell and
 * saves it as one text.
 * @returns the rows parsed from these texts; the same rows if they aren't wrapped so
 */
function unwrapped(rows: CsvRow[], delimiter: string): CsvRow[] {
  const filled = rows.filter((row) => !isEmpty(row));
  const wrapped = filled.filter(
    ({ cells }) =>
      /[,;\t]/.test(cells[0] ?? '') && cells.slice(1).every((cell) => cell === ''),
  );
  if (wrapped.length * 2 <= filled.length || wrapped[0] !== filled[0]) return rows;

  const text = rows
    .map(({ cells }) => withoutEnd(cells.join(delimiter), delimiter))
    .join('\n');
  const inner = parsedRows(text, delimiterOf(text), 1);
  return inner.length === rows.length
    ? inner.map(({ cells }, index) => ({ line: rows[index]?.line ?? 0, cells }))
    : inner;
}

/** Without trailing delimiters. */
function withoutEnd(text: string, mark: string): string {
  let end = text.length;
  while (text.endsWith(mark, end)) end -= mark.length;
  return text.slice(0, end);
}

/**
 * @param longest characters of a cell: a record's texts may have more than a table's
 * cells
 */
function parsedRows(
  text: string,
  delimiter: string,
  firstLine: number,
  longest = LONGEST_CELL,
): CsvRow[] {
  refuseManyLines(text);
  const plain = plainRows(text, delimiter, firstLine);
  if (plain) return plain;

  // The parser counts a CRLF inside quotes as two lines.
  let counted = 1 - firstLine;
  let before = 0;
  let rows = 0;

  const rowOf = (cells: string[], { lines }: { lines: number }): CsvRow => {
    let inside = 0;
    // Most rows have one line and needn't be searched.
    for (const cell of lines === before + 1 ? [] : cells) {
      inside += cell.match(/\r\n?|\n/g)?.length ?? 0;
      counted += cell.match(/\r\n/g)?.length ?? 0;
    }

    before = lines;
    const line = lines - counted - inside;
    if (++rows > MOST_ROWS)
      throw new RowError(
        null,
        `has more than ${MOST_ROWS} rows; split it into several files`,
        line,
      );
    if (cells.length > MOST_CELLS) {
      throw new RowError(
        null,
        `has ${cells.length} cells; the maximum is ${MOST_CELLS}`,
        line,
      );
    }
    if (cells.some((cell) => cell.length > longest)) {
      throw new RowError(null, `has a cell longer than ${longest} characters`, line);
    }

    return { line, cells };
  };

  try {
    return parse(firstLine === 1 ? text.replace(SEPARATOR_LINE, '') : text, {
      // The library's types allow only arrays of cells as records.
      on_record: rowOf as never,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: LONGEST_ROW,
    }) as unknown as CsvRow[];
  } catch (error) {
    if (error instanceof RowError) throw error;
    // The parser counts lines from the start of this text.
    const reason = messageOf(error).replace(/ (?:at|on) line \d+/, '');
    const line = error instanceof CsvError ? (error['lines'] as number) : 1;
    throw new RowError(null, `not valid CSV: ${reason}`, firstLine - 1 + line);
  }
}

/**
 * Without quotes, each line is a row: that takes under half of the parser's time
 * (bench/questions/imports.ts).
 * @returns undefined if the text needs the parser
 */
function plainRows(
  text: string,
  delimiter: string,
  firstLine: number,
): CsvRow[] | undefined {
  if (/"|\r(?!\n)/.test(text) || (firstLine === 1 && SEPARATOR_LINE.test(text)))
    return undefined;

  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.length > MOST_ROWS || lines.some((line) => line.length > LONGEST_CELL))
    return undefined;

  const rows: CsvRow[] = [];
  for (const line of lines) {
    const end = line.endsWith('\r') ? line.length - 1 : line.length;
    const cells = line.slice(0, end).split(delimiter, MOST_CELLS + 1);
    if (cells.length > MOST_CELLS) return undefined;
    rows.push({ line: firstLine + rows.length, cells });
  }

  return rows;
}

/** A line above the header that names the delimiter for spreadsheets. */
export const SEPARATOR_LINE = /^\s*"?sep=(.)"?[ \t]*(?=[\r\n])/i;

/**
 * The stated delimiter, or that of the first line with several cells, outside quotes:
 * titles may precede it.
 */
function delimiterOf(text: string): string {
  const stated = SEPARATOR_LINE.exec(text)?.[1];
  if (stated !== undefined) return stated;

  const header = (/^.*[,;\t].*$/m.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  // A line that ends with empty cells decides, regardless of their contents.
  const last = /[,;\t]\r?$/.exec(header)?.[0].charAt(0);
  if (last !== undefined && last !== ',') return last;

  const count = (mark: string) => header.split(mark).length;
  return DELIMITERS.reduce((most, mark) => (count(mark) > count(most) ? mark : most));
}
