/** Platforms' exports as sheets of a workbook, original or saved by a spreadsheet program. */
import { RowError } from '../../errors.ts';
import { MOST_SHEET_CELLS } from '../parse/bounds.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import { isZip } from '../parse/open-file.ts';
import { workbookSheets } from '../parse/workbook.ts';
import type { Format } from '../table/format.ts';
import { START } from './beginning.ts';

/** The beginnings of a workbook's sheets, as CSV. */
export function startsOfSheets(bytes: Buffer): string[] {
  return workbookSheets(bytes).map(startOfSheet);
}

/**
 * @param starts of the sheets
 * @param formats to choose from; those that read workbooks themselves are skipped
 * @returns the first format that matches a sheet; undefined if none
 */
export function formatOfSheets(
  starts: readonly string[],
  formats: readonly Format[],
  fileName: string,
): Format | undefined {
  return formats.find((format) => isTextExport(format) && starts.some((start) => format.looksLike(start, fileName)));
}

/**
 * @returns the format's sheet, else the first, as CSV, and a function for the others; undefined if the bytes are no workbook, or
 *   the format reads workbooks itself
 * @throws RowError if the workbook is damaged or exceeds the bounds
 */
export function sheetFor(
  format: Format,
  bytes: Buffer,
  fileName: string,
): { text: string; others: () => string[] } | undefined {
  if (!isTextExport(format) || !isZip(bytes.toString('latin1', 0, 4))) return undefined;
  const sheets = workbookSheets(bytes);
  const own = sheets.find((rows) => format.looksLike(startOfSheet(rows), fileName)) ?? sheets[0];
  const text = (rows: readonly CsvRow[]) => [...csvLines(rows)].join('\n');
  return own && { text: text(own), others: () => sheets.filter((rows) => rows !== own).map(text) };
}

function isTextExport({ binary, streamed, holds }: Format): boolean {
  return binary !== true && streamed !== true && holds !== undefined;
}

/** The beginning of a sheet, as long as that of a file: the patterns are made for that. */
function startOfSheet(rows: readonly CsvRow[]): string {
  let start = '';
  for (const line of csvLines(rows)) {
    start += `${line}\n`;
    if (start.length >= START) break;
  }
  return start.slice(0, START);
}

/** The last row of a sheet in spreadsheet programs. */
const LAST_ROW = 1_048_576;

/**
 * Rows on their lines in the sheet, all as wide as the widest.
 * @throws RowError if a sheet would have too many cells
 */
function* csvLines(rows: readonly CsvRow[]): Generator<string> {
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  const last = rows.reduce((lowest, { line }) => Math.max(lowest, line), 0);
  if (last > LAST_ROW) throw new RowError(null, `not a workbook (.xlsx): it has no row ${last}`);
  if (rows.length * width > MOST_SHEET_CELLS) {
    throw new RowError(null, `a sheet may have ${MOST_SHEET_CELLS / 1e6} million cells, empty ones counted; split it`);
  }
  let next = 1;
  for (const { line, cells } of rows) {
    for (; next < line; next++) yield '';
    next++;
    yield Array.from({ length: width }, (_, index) => quoted(cells[index] ?? '')).join(',');
  }
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
