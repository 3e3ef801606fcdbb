/** A mapping as the declaration of a table, like that of a platform. */

import type { User } from '../../journal/journal.ts';
import type { WholeReading } from '../fills/reading.ts';
import { isZip } from '../parse/open-file.ts';
import type { LocatedRow } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import type { Format, ReadContext } from '../tables/format.ts';
import { recordsTable } from '../tables/rows.ts';
import type { LoadedMapping } from './load.ts';
import { fillHooks, formatName, mappedRecords } from './records.ts';
import { columnsRead, FILLS, targetOf } from './schema.ts';
import { namedRows } from './table.ts';
import { valueSources, valuesOf } from './values.ts';

/**
 * Of the reader of tables and notes by a mapping: raised with each version that reads some file
 * differently.
 */
export const MAPPED_REVISION = 1;

export function mappedFormat(loaded: LoadedMapping): Format {
  const { mapping } = loaded;
  const columns = columnsRead(mapping);

  return {
    name: formatName(mapping),
    description: `rows read with the mapping ${loaded.file}`,
    holds: targetOf(mapping).resource.path,
    revision: MAPPED_REVISION,
    binary: true,
    // Used only for files of a folder. A workbook can't be recognised before it is unpacked.
    looksLike: (start, fileName) =>
      /\.(csv|tsv|txt|xlsx)$/i.test(fileName) &&
      (isZip(start) || mapping.header === false || hasNames(start, columns)),
    read(bytes, context) {
      const { rows, unused, emptyRows } = namedRows(bytes, { ...mapping, columns });
      const result = mappedReading(rows, loaded, context);
      if (emptyRows > 0) result.skipped.set('empty row', emptyRows);
      if (unused.length > 0)
        result.notes.push(`columns not used by the mapping: ${unused.join(', ')}`);
      return { ...result, rows: rows.length + emptyRows };
    },
  };
}

function hasNames(start: string, columns: readonly string[]): boolean {
  const text = start.toLowerCase();
  return columns.every((column) => text.includes(column.toLowerCase()));
}

/** What a mapping needs to know of the user. */
interface Settings {
  user: Pick<User, 'timezone' | 'base_currency'>;
  timeZone: string | undefined;
}

/**
 * Reads rows of a table or of notes with a mapping: fills, or records with ids.
 * @throws RowError if a row can't be read
 */
export function mappedReading(
  rows: readonly LocatedRow[],
  loaded: LoadedMapping,
  settings: Settings,
): WholeReading {
  const { mapping } = loaded;
  const { user, timeZone } = settings;
  const stated = timeZone ?? mapping.zone;
  const isGiven = stated !== undefined;
  const zone = isGiven ? `[!${stated}]` : `[${user.timezone}]`;
  const whose = isGiven
    ? ''
    : ', the user\'s time zone; set "zone" in the mapping if the file has another';
  const declaration = {
    name: formatName(mapping),
    description: '',
    marks: [],
    rows,
    columns: valueSources(loaded, zone),
    dates: 'ymd',
    daysOnly: 'some',
    zone: () => ({
      zone,
      note: `times without an offset; using ${zone}${whose}`,
      ifNeeded: true,
    }),
    skip: mapping.skip ?? [],
  } as const;
  const format =
    mapping.target === FILLS
      ? fillsTable({ ...declaration, ...fillHooks(mapping, user.base_currency) })
      : recordsTable({
          ...declaration,
          record: (row) => valuesOf(row, mapping),
          end: (records) => mappedRecords(records, mapping, user.base_currency),
        });

  return format.read('', settings as ReadContext);
}
