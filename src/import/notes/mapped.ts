/** Notes in Markdown as records by a mapping: properties are its columns, with body, file (the name without .md), path and folder beside them. */
import { RowError } from '../../journal-write/row-error.ts';
import type { WholeReading } from '../fills/reading.ts';
import { mappedReading } from '../mapping/format.ts';
import type { LoadedMapping } from '../mapping/load.ts';
import type { MappedRow } from '../mapping/values.ts';
import { type Property, readFrontMatter, textIn } from './front-matter.ts';
import { inNote, type Note } from './read.ts';

/** @throws RowError that names the note, and what is wrong in it */
export function readMappedNotes(
  notes: readonly Note[],
  loaded: LoadedMapping,
  context: Parameters<typeof mappedReading>[2],
): WholeReading {
  const rows = notes.map(({ file, path, text }, index): MappedRow => {
    return { line: index + 1, cells: inNote(file, () => cellsOf(path, text)) };
  });
  try {
    const mapped = mappedReading(rows, loaded, context);
    const records = mapped.records.map((record) => ({
      ...record,
      line: 1,
      file: notes[record.line - 1]?.file as string,
    }));
    return { ...mapped, records };
  } catch (error) {
    if (!(error instanceof RowError) || error.line === undefined) throw error;
    throw new RowError(error.field, error.reason, 1, notes[error.line - 1]?.file);
  }
}

function cellsOf(path: string, text: string): Map<string, string | string[]> {
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

/** What lies deeper is JSON, as in a cell of CSV. */
function cellOf(property: Property): string | string[] {
  const text = textIn(property);
  if (text !== undefined) return text;
  if (Array.isArray(property)) return property.map((item) => textIn(item) ?? JSON.stringify(item));
  return JSON.stringify(property);
}
