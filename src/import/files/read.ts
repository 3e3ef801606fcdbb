/**
 * Reads a file by its format. A platform's export may be a sheet of a workbook, original
 * or saved by a spreadsheet program.
 */
import { basename } from 'node:path';
import { RowError } from '../../errors.ts';
import { OnDemand } from '../../journal/once.ts';
import type { CsvRow } from '../../parse/csv-rows.ts';
import { isZip, MOST_SHEET_CELLS } from '../../parse/open-file.ts';
import type { DayOrder, EarlierDates } from '../../parse/times.ts';
import type { Reading } from '../fills/reading.ts';
import type { Format, ReadContext } from '../tables/format.ts';
import { type FileSource, isNameless, type Job, START, textOf } from './contents.ts';

/** Needed for workbooks. */
export const workbooks = new OnDemand(
  'the reader of workbooks',
  async () => (await import('../../parse/workbook.ts')).workbookSheets,
);

export interface ReadSettings extends Pick<ReadContext, 'user' | 'timeZone'> {
  date?: string | undefined;
  /** The order of day and month, by --dates. */
  dates?: DayOrder | undefined;
  /** How earlier imports of a format, or of the same file, were read. */
  earlierDates?:
    | ((of: { format: string; sha256: string }) => EarlierDates | undefined)
    | undefined;
  symbol?: string | undefined;
  printed?: ReadContext['printed'];
}

/** Called while a file is read. */
interface ReadHost {
  /** Called when memory matters more than time. */
  saveMemory?: (() => void) | undefined;
  /** Called before a long file is read, which takes seconds. */
  readingLong?: ((file: string) => void) | undefined;
}

/** Number of bytes that take a second to read. */
const LONG = 5_000_000;

export function readFile(
  job: Job,
  source: FileSource,
  settings: ReadSettings,
  { saveMemory, readingLong }: ReadHost = {},
): Reading {
  const { user, timeZone, date, symbol, printed, earlierDates } = settings;
  const { file, format, resource } = job;
  const path = isNameless(job) ? null : file;
  const fileName = path === null ? '' : basename(path);
  const dates = {
    typed: settings.dates,
    earlier: () => earlierDates?.({ format: format.name, sha256: source.sha256 }),
  };
  const context = { resource, user, timeZone, fileName, date, dates, symbol, printed };
  if (format.streamed) return format.read(() => source.blocks(), context);
  if (format.notes) {
    const notes = source.notes(context.fileName);
    // Saving memory takes a sixth of the time of a vault of 1,000 notes, which is small
    // (bench/questions/imports.ts).
    if (source.size >= LONG) saveMemory?.();
    // Those of the job have their pictures.
    return format.read(job.notes ?? notes, context);
  }

  saveMemory?.();
  const bytes = source.bytes();
  if (bytes.length >= LONG) readingLong?.(file);
  if (format.binary) return format.read(bytes, { ...context, path });

  const sheet = sheetFor(format, bytes, context.fileName);
  if (sheet) return format.read(sheet.text, { ...context, otherSheets: sheet.others });

  return format.read(textOf({ file, bytes }, format.holds !== undefined), context);
}

/** The beginnings of a workbook's sheets, as CSV. */
export function startsOfSheets(bytes: Buffer): string[] {
  return workbooks.value(bytes).map(startOfSheet);
}

/**
 * @returns the format's sheet, else the first, as CSV, and a function for the others;
 * undefined if the bytes are no workbook, or the format reads workbooks itself
 * @throws RowError if the workbook is damaged or exceeds the bounds
 */
function sheetFor(
  format: Format,
  bytes: Buffer,
  fileName: string,
): { text: string; others: () => string[] } | undefined {
  if (!isTextExport(format) || !isZip(bytes.toString('latin1', 0, 4))) return undefined;

  const sheets = workbooks.value(bytes);
  const sheet =
    sheets.find((rows) => format.looksLike(startOfSheet(rows), fileName)) ?? sheets[0];
  if (!sheet) return undefined;

  const text = (rows: readonly CsvRow[]) => [...csvLines(rows)].join('\n');
  const others = () => sheets.filter((rows) => rows !== sheet).map(text);
  return { text: text(sheet), others };
}

/** Whether it reads a platform's text, which may be that of a sheet. */
export function isTextExport({ binary, streamed, holds }: Format): boolean {
  return binary !== true && streamed !== true && holds !== undefined;
}

/**
 * The beginning of a sheet, as long as that of a file: the patterns are made for that.
 */
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
  if (last > LAST_ROW)
    throw new RowError(null, `not a workbook (.xlsx): it has no row ${last}`);
  if (rows.length * width > MOST_SHEET_CELLS) {
    throw new RowError(
      null,
      `a sheet may have ${MOST_SHEET_CELLS / 1e6} million cells, empty ones counted; split it`,
    );
  }

  let next = 1;
  for (const { line, cells } of rows) {
    for (; next < line; next++) yield '';
    next++;
    yield Array.from({ length: width }, (_, index) => quoted(cells[index] ?? '')).join(
      ',',
    );
  }
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
