/** Exports of platforms as sheets of a workbook: as the platform wrote it, or a spreadsheet saved it. */
import { RowError } from '../../journal-write/row-error.ts';
import type { Format } from '../formats/format.ts';
import { isZip } from '../parse/archive.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import { workbookSheets } from '../parse/workbook.ts';

/**
 * @param formats to choose from; those that read workbooks themselves are passed by
 * @returns the format of the first sheet that is an export, undefined where none is
 */
export function formatOfSheets(bytes: Buffer, formats: readonly Format[], fileName: string): Format | undefined {
  const texts = sheetsAsCsv(bytes);
  return formats.find((format) => isTextExport(format) && texts.some((text) => format.looksLike(text, fileName)));
}

/**
 * @returns the sheet that the format is for, as CSV: the first one where it is for none; undefined where the bytes are no
 *   workbook, or the format reads workbooks itself
 * @throws RowError where the workbook is damaged, or holds more than the bounds allow
 */
export function sheetFor(format: Format, bytes: Buffer, fileName: string): string | undefined {
  if (!isTextExport(format) || !isZip(bytes.toString('latin1', 0, 4))) return undefined;
  const texts = sheetsAsCsv(bytes);
  return texts.find((text) => format.looksLike(text, fileName)) ?? texts[0];
}

function isTextExport({ binary, streamed, holds }: Format): boolean {
  return binary !== true && streamed !== true && holds !== undefined;
}

function sheetsAsCsv(bytes: Buffer): string[] {
  return workbookSheets(bytes).map(csvOf);
}

/** The last that a sheet has in spreadsheet programs. */
const LAST_ROW = 1_048_576;

/** Each row on the line that it has in the sheet, and all of them as wide as the widest. */
function csvOf(rows: readonly CsvRow[]): string {
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  const lines: string[] = [];
  for (const { line, cells } of rows) {
    if (line > LAST_ROW) throw new RowError(null, `not a workbook (.xlsx): it has no row ${line}`);
    while (lines.length < line - 1) lines.push('');
    lines.push(Array.from({ length: width }, (_, index) => quoted(cells[index] ?? '')).join(','));
  }
  return lines.join('\n');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
