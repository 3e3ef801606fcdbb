/** The rows of a CSV or xlsx file by column name, with the header on any line. */

import { RowError } from '../../errors.ts';
import { type CsvRow, csvRows, isEmpty } from '../../parse/csv-rows.ts';
import { decodeOlder, isZip } from '../../parse/open-file.ts';
import { storedSheets } from '../../parse/workbook.ts';
import type { LocatedRow } from '../tables/declaration.ts';
import { DELIMITERS, type Mapping } from './schema.ts';

export interface NamedRows {
  rows: LocatedRow[];
  /** Names of all columns. */
  names: string[];
  /** Names of columns with contents that no field uses. */
  unused: string[];
  emptyRows: number;
  /** The text of a row's cell in any column of the header. */
  textOf: (row: LocatedRow, column: string) => string;
}

/**
 * All rows of a file, empty ones too; for a workbook, those of each sheet.
 * @param delimiter a function from the text of CSV to its delimiter; if undefined, the
 * first line decides
 * @throws RowError if the bytes are neither a workbook nor CSV
 */
export function rawTables(
  bytes: Buffer,
  delimiter: (text: string) => string | undefined,
): CsvRow[][] {
  if (isZip(bytes.subarray(0, 4).toString('latin1'))) return storedSheets(bytes);
  const text = decodeOlder(bytes);
  return [csvRows(text, delimiter(text))];
}

/**
 * @param wanted the columns to read, and the settings of the file
 * @throws RowError if no row has the names of all columns
 */
export function namedRows(
  bytes: Buffer,
  {
    columns,
    header,
    delimiter,
  }: { columns: readonly string[] } & Pick<Mapping, 'header' | 'delimiter'>,
): NamedRows {
  const tables = rawTables(
    bytes,
    (text) =>
      delimiter ??
      (header === false
        ? undefined
        : delimiterBy(text, (cells) => countOf(cells, columns))),
  );
  const { rows: all, at } =
    header === false ? { rows: tables[0] ?? [], at: -1 } : sheetWith(tables, columns);
  const names = header === false ? numbered(all) : columnNames(all[at]?.cells ?? []);
  const places = columns.map((column) => ({ column, index: indexOf(names, column) }));
  const missing = places.filter(({ index }) => index === -1).map(({ column }) => column);
  if (missing.length > 0) {
    const verb = missing.length === 1 ? 'is' : 'are';
    throw new RowError(
      missing.join(', '),
      `${verb} missing from the header: ${names.join(', ')}`,
      all[at]?.line ?? 1,
    );
  }

  const used = new Set(places.map(({ index }) => index));
  const unused = new Set<number>();
  const below = all.slice(at + 1);
  const filled = below.filter((row) => !isEmpty(row));

  for (const { cells, line } of filled) {
    cells.forEach((cell, index) => {
      if (cell.trim() === '' || used.has(index)) return;
      if (index < names.length) unused.add(index);
      else
        throw new RowError(
          null,
          `has ${cells.length} cells, but the header has ${names.length}`,
          line,
        );
    });
  }

  const rows = filled.map(({ line, cells }) => {
    const named = places.map(
      ({ column, index }) => [column, cells[index] ?? ''] as const,
    );
    return locatedRow(line, named);
  });
  const left = [...unused].sort((a, b) => a - b);
  let byLine: Map<number, readonly string[]> | undefined;

  return {
    rows,
    names,
    unused: left.map((index) => names[index] as string),
    emptyRows: below.length - filled.length,
    textOf({ line }, column) {
      byLine ??= new Map(filled.map((row) => [row.line, row.cells]));
      return (byLine.get(line)?.[indexOf(names, column)] ?? '').trim();
    },
  };
}

/** @param named the text of a cell by its column, or the items of a list */
export function locatedRow(
  line: number,
  named: Iterable<readonly [string, string | readonly string[]]>,
): LocatedRow {
  const cells = [...named].map(([column, value]) => {
    const items = typeof value === 'string' ? undefined : value;
    const text = typeof value === 'string' ? value.trim() : value.join(', ');
    return [column, { text, column, line, ...(items && { items }) }] as const;
  });
  return { line, cells: Object.fromEntries(cells) };
}

/** Repeated names are numbered: Time, Time (2). A missing name is the column's number. */
export function columnNames(header: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return header.map((cell, index) => {
    const name = cell.trim() || `column ${index + 1}`;
    const count = (counts.get(name.toLowerCase()) ?? 0) + 1;
    counts.set(name.toLowerCase(), count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/**
 * The sheet with the most of the names in a row, and the row's index: other lines may
 * precede the header.
 */
function sheetWith(
  tables: readonly CsvRow[][],
  columns: readonly string[],
): { rows: CsvRow[]; at: number } {
  const found = tables.map((rows) => {
    const counts = rows
      .slice(0, SEARCHED)
      .map(({ cells }) => countOf(columnNames(cells), columns));
    const count = Math.max(0, ...counts);
    return {
      rows,
      count,
      at: count === 0 ? rows.findIndex((row) => !isEmpty(row)) : counts.indexOf(count),
    };
  });
  return found.reduce((best, other) => (other.count > best.count ? other : best), {
    rows: [],
    count: -1,
    at: -1,
  });
}

/** Maximum number of rows searched for a header. */
const SEARCHED = 200;

/**
 * The delimiter by which one of the first rows has the highest score.
 * @returns undefined if no row has any
 */
export function delimiterBy(
  text: string,
  scoreOf: (cells: readonly string[]) => number,
): Mapping['delimiter'] {
  const start = text.slice(0, 50_000);
  const lines = start.slice(0, start.lastIndexOf('\n') + 1) || start;
  const scores = DELIMITERS.map((mark) =>
    Math.max(0, ...cellsOf(lines, mark).slice(0, SEARCHED).map(scoreOf)),
  );
  const most = Math.max(...scores);
  return most === 0 ? undefined : DELIMITERS[scores.indexOf(most)];
}

/** The rows of a file's start, which may end within quotes. */
function cellsOf(text: string, mark: string): string[][] {
  try {
    return csvRows(text, mark).map(({ cells }) => cells);
  } catch {
    return text
      .split(/\r\n?|\n/)
      .map((line) => line.split(mark).map((cell) => cell.replaceAll('"', '')));
  }
}

function countOf(names: readonly string[], columns: readonly string[]): number {
  return columns.filter((column) => indexOf(names, column) !== -1).length;
}

/** Names of columns without a header: 1, 2, 3. */
function numbered(rows: readonly CsvRow[]): string[] {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: width }, (_, index) => String(index + 1));
}

function indexOf(names: readonly string[], column: string): number {
  const wanted = column.trim().toLowerCase();
  return names.findIndex((name) => name.trim().toLowerCase() === wanted);
}
