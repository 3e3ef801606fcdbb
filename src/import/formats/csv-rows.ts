/** CSV as rows of cells with the lines they begin on: comma or semicolon, quotes, any line ending. */
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf } from '../../errors.ts';
import { RowError } from '../../journal-write/row-error.ts';

export interface CsvRow {
  line: number;
  cells: string[];
}

export interface CsvTable {
  header: string[];
  /** The line that the header is on: empty ones may come before it. */
  headerLine: number;
  rows: CsvRow[];
}

/** @throws RowError where the text is no CSV, or a row has more or fewer cells than the header */
export function readCsv(text: string): CsvTable {
  const [first, ...rows] = cellsOf(text);
  if (!first) throw new RowError(null, 'the file is empty: its first line must name the fields', 1);
  const header = first.cells.map((name) => name.trim());
  const twice = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (twice !== undefined) throw new RowError(twice, 'is in the header twice', first.line);
  for (const { line, cells } of rows) {
    if (cells.length !== header.length) {
      throw new RowError(null, `has ${cells.length} cells where the header has ${header.length}`, line);
    }
  }
  return { header, headerLine: first.line, rows };
}

function cellsOf(text: string): CsvRow[] {
  let parsed: { record: string[]; info: { lines: number } }[];
  try {
    parsed = parse(text, {
      info: true,
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
    }) as unknown as typeof parsed;
  } catch (error) {
    throw new RowError(
      null,
      `not valid CSV: ${messageOf(error)}`,
      error instanceof CsvError ? (error['lines'] as number) : 1,
    );
  }
  // The parser counts a CRLF inside of quotes as two lines.
  let counted = 0;
  return parsed.map(({ record, info }) => {
    let inside = 0;
    for (const cell of record) {
      inside += cell.match(/\r\n?|\n/g)?.length ?? 0;
      counted += cell.match(/\r\n/g)?.length ?? 0;
    }
    return { line: info.lines - counted - inside, cells: record };
  });
}

/** What the first line that is not empty is separated by, outside of quotes. */
function delimiterOf(text: string): ',' | ';' {
  const header = (/^.+$/m.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  return header.split(';').length > header.split(',').length ? ';' : ',';
}
