/** CSV as rows of cells with the lines they begin on: comma, semicolon or tab, quotes, any line ending. */
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf } from '../../errors.ts';
import { RowError } from '../../journal-write/row-error.ts';

export interface CsvRow {
  line: number;
  cells: string[];
}

export interface CsvTable {
  /** Names without the spaces around them. Empty lines may come before it. */
  header: CsvRow;
  rows: CsvRow[];
}

/**
 * A file that is one table.
 * @throws RowError where the text is no CSV, or a row has more or fewer cells than the header
 */
export function readCsv(text: string): CsvTable {
  const [first, ...rows] = csvRows(text).filter(({ cells }) => cells.length > 1 || cells[0] !== '');
  if (!first) throw new RowError(null, 'the file is empty: its first line must name the fields', 1);
  const header = trimmed(first);
  const { cells: names, line: headerLine } = header;
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw new RowError(twice, 'is in the header twice', headerLine);
  for (const { line, cells } of rows) {
    if (cells.length !== names.length) {
      throw new RowError(null, `has ${cells.length} cells where the header has ${names.length}`, line);
    }
  }
  return { header, rows };
}

/**
 * One table of a file that has other lines before and after it, or several tables.
 * @param rows of the whole file
 * @param names that its header has, among others
 * @returns the table, up to the next empty row; undefined where there is none
 */
export function tableWith(rows: readonly CsvRow[], names: readonly string[]): CsvTable | undefined {
  const at = rows.findIndex((row) => {
    const { cells } = trimmed(row);
    return names.every((name) => cells.includes(name));
  });
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

/** No platform writes a tenth of it. */
const MAX_CELLS = 1000;

/**
 * All rows, empty ones too.
 * @throws RowError where the text is no CSV
 */
export function csvRows(text: string): CsvRow[] {
  // The parser counts a CRLF inside of quotes as two lines.
  let counted = 0;
  const rowOf = (cells: string[], { lines }: { lines: number }): CsvRow => {
    let inside = 0;
    for (const cell of cells) {
      inside += cell.match(/\r\n?|\n/g)?.length ?? 0;
      counted += cell.match(/\r\n/g)?.length ?? 0;
    }
    const line = lines - counted - inside;
    if (cells.length > MAX_CELLS) {
      throw new RowError(null, `has ${cells.length} cells; at most ${MAX_CELLS} are read`, line);
    }
    return { line, cells };
  };
  try {
    return parse(text, {
      // The types know of no record that is anything but cells.
      on_record: rowOf as never,
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    }) as unknown as CsvRow[];
  } catch (error) {
    if (error instanceof RowError) throw error;
    throw new RowError(
      null,
      `not valid CSV: ${messageOf(error)}`,
      error instanceof CsvError ? (error['lines'] as number) : 1,
    );
  }
}

/** What the first line that is not empty is separated by, outside of quotes. */
function delimiterOf(text: string): string {
  const header = (/^.+$/m.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (mark: string) => header.split(mark).length;
  return [',', ';', '\t'].reduce((most, mark) => (count(mark) > count(most) ? mark : most));
}
