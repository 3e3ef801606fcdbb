/** Notes read with a mapping for tables: each is a row with the columns body, file (the name without .md), path, folder and its properties. */
import { RowError } from '../../errors.ts';
import { mappedReading } from '../mapping/format.ts';
import type { LoadedMapping } from '../mapping/load.ts';
import { locatedRow } from '../mapping/table.ts';
import { inNote } from '../notes/format.ts';
import { type Property, readFrontMatter, textIn } from '../notes/front-matter.ts';
import type { Format, Note } from '../table/format.ts';

/** @param table the same mapping's format for tables */
export function mappedNotes(loaded: LoadedMapping, { name, description, holds = '' }: Format): Format {
  return {
    ...{ name, description, holds },
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
        return { ...mapped, records: mapped.records.map((own) => ({ ...own, line: 1, file: noteOf(own.line) })) };
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
  if (Array.isArray(property)) return property.map((item) => textIn(item) ?? JSON.stringify(item));
  return JSON.stringify(property);
}
