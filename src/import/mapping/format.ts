/** A mapping as a format, like that of a platform. */
import { trades } from '../../journal/resources/trades.ts';
import { byTime, type FileRecord, oldestFirst, reading, type WholeReading } from '../fills/reading.ts';
import { isZip } from '../parse/archive.ts';
import { DAYS_ONLY } from '../parse/times.ts';
import type { Format } from '../table/format.ts';
import { readEach, skipper } from '../table/skip-rules.ts';
import { mappedFill } from './fills.ts';
import { formatName, RecordIds } from './ids.ts';
import type { LoadedMapping } from './load.ts';
import { type MappedRow, textOf } from './row.ts';
import type { Mapping } from './schema.ts';
import { tableRows } from './table.ts';
import { FILLS, targetOf } from './targets.ts';
import { mappedTrades } from './trades.ts';
import { columnsRead, rowReader } from './values.ts';

interface Settings {
  user: { timezone: string; base_currency: string };
  timeZone: string | undefined;
}

export function mappedFormat(loaded: LoadedMapping): Format {
  const { mapping } = loaded;
  const columns = columnsRead(mapping);
  return {
    name: formatName(mapping),
    description: `rows read with the mapping ${loaded.file}`,
    holds: targetOf(mapping).resource.path,
    binary: true,
    // Used only for files of a folder. A workbook can't be recognised before it is unpacked.
    looksLike: (start, fileName) =>
      /\.(csv|tsv|txt|xlsx)$/i.test(fileName) && (isZip(start) || mapping.header === false || hasNames(start, columns)),
    read(bytes, context) {
      const { rows, unused, emptyRows } = tableRows(bytes, { ...mapping, columns });
      const result = mappedReading(rows, loaded, context);
      if (emptyRows > 0) result.skipped.set('empty row', emptyRows);
      if (unused.length > 0) result.notes.push(`columns not used by the mapping: ${unused.join(', ')}`);
      return { ...result, rows: rows.length + emptyRows };
    },
  };
}

function hasNames(start: string, columns: readonly string[]): boolean {
  const text = start.toLowerCase();
  return columns.every((column) => text.includes(column.toLowerCase()));
}

/**
 * Reads rows of a table or of notes with a mapping: fills, or records with ids.
 * @throws RowError if a row can't be read
 */
export function mappedReading(
  rows: readonly MappedRow[],
  loaded: LoadedMapping,
  { user, timeZone }: Settings,
): WholeReading {
  const { mapping, lookups } = loaded;
  const zone = timeZone ?? mapping.zone ?? user.timezone;
  const read = rowReader(mapping, { zone, lookups });
  const skipped = new Map<string, number>();
  const seen = { hasDayOnly: false, isZoned: false };
  const given = readEach(rows, skipped, skipper(mapping.skip ?? [], textOf), (row): FileRecord => {
    const { values, hasDayOnly, isZoned } = read(row);
    seen.hasDayOnly ||= hasDayOnly;
    seen.isZoned ||= isZoned;
    return { line: row.line, values };
  });
  const parts = partsOf(given, mapping, user.base_currency);
  const notes = [...(seen.isZoned ? [zoneNote(loaded, zone, timeZone)] : []), ...(seen.hasDayOnly ? [DAYS_ONLY] : [])];
  return reading({ ...parts, notes: [...notes, ...(parts.notes ?? [])], skipped });
}

function partsOf(rows: readonly FileRecord[], mapping: Mapping, currency: string): Partial<WholeReading> {
  if (mapping.target === FILLS) {
    const fills = oldestFirst(rows.map(({ line, values }) => mappedFill(values, line, mapping, currency)));
    return { fills: fills.sort(byTime) };
  }
  const ids = new RecordIds(mapping);
  const records = rows.map(({ line, values }) => ({ line, values: ids.identified(values) }));
  return mapping.target === trades.path ? mappedTrades(records, mapping, currency) : { records };
}

function zoneNote({ mapping }: LoadedMapping, zone: string, timeZone: string | undefined): string {
  const isGiven = timeZone !== undefined || mapping.zone !== undefined;
  const whose = isGiven ? '' : ', the user\'s time zone; set "zone" in the mapping if the file has another';
  return `times without an offset; using ${zone}${whose}`;
}
