/** A mapping as formats: of a table, declared like that of a platform, and of notes. */

import { RowError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import { type Property, readFrontMatter, textIn } from '../../notes/front-matter.ts';
import type { Note } from '../../notes/note.ts';
import { isZip } from '../../parse/open-file.ts';
import type { WholeReading } from '../fills/reading.ts';
import { inNote } from '../formats/markdown.ts';
import type { LocatedRow } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { type Format, MAPPED_REVISION, type ReadContext } from '../tables/format.ts';
import { recordsTable } from '../tables/rows.ts';
import type { LoadedMapping } from './load.ts';
import { fillHooks, formatName, mappedRecords } from './read/records.ts';
import { valueSources, valuesOf } from './read/values.ts';
import { columnsRead, FILLS, targetOf } from './schema.ts';
import { locatedRow, namedRows } from './table.ts';

export function formatsBy(map: LoadedMapping): { table: Format; notes: Format } {
  const table = mappedFormat(map);
  return { table, notes: mappedNotes(map, table) };
}

export function mappedFormat(loaded: LoadedMapping): Format {
  const { mapping } = loaded;
  const columns = columnsRead(mapping);

  return {
    name: formatName(mapping),
    description: `rows read with the mapping ${loaded.file}`,
    holds: targetOf(mapping).resource.path,
    revision: MAPPED_REVISION,
    binary: true,
    // Used only for files of a folder. A workbook can't be recognised before it is
    // unpacked.
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

// Notes by a mapping.

/**
 * Notes read with a mapping for tables: each is a row with the columns body, file (the
 * name without .md), path, folder and its properties.
 * @param table the same mapping's format for tables
 */
function mappedNotes(
  loaded: LoadedMapping,
  { name, description, holds = '' }: Format,
): Format {
  return {
    name,
    description,
    holds,
    revision: MAPPED_REVISION,
    notes: true,
    looksLike: () => false,
    read(notes, context) {
      const noteOf = (row: number) => notes[row - 1]?.file ?? '';
      const rows = notes.map((note, index) =>
        locatedRow(
          index + 1,
          inNote(note.file, () => cellsOf(note)),
        ),
      );
      try {
        const mapped = mappedReading(rows, loaded, context);
        return {
          ...mapped,
          records: mapped.records.map((record) => ({
            ...record,
            line: 1,
            file: noteOf(record.line),
          })),
        };
      } catch (error) {
        if (!(error instanceof RowError) || error.line === undefined) throw error;
        throw new RowError(error.field, error.reason, 1, noteOf(error.line));
      }
    },
  };
}

function cellsOf({ path, text }: Note): Map<string, string | string[]> {
  const { properties, body } = readFrontMatter(text);
  const stem = path.replace(/\.md$/i, '');
  const slash = stem.lastIndexOf('/');
  const cells = new Map<string, string | string[]>([
    ['body', body],
    ['file', stem.slice(slash + 1)],
    ['path', stem],
    ['folder', slash === -1 ? '' : stem.slice(0, slash)],
  ]);
  for (const [name, property] of properties) cells.set(name, cellOf(property));

  return cells;
}

/** Nested values become JSON, as in a CSV cell. */
function cellOf(property: Property): string | string[] {
  const text = textIn(property);
  if (text !== undefined) return text;
  if (Array.isArray(property))
    return property.map((item) => textIn(item) ?? JSON.stringify(item));
  return JSON.stringify(property);
}
