/** Notes as table rows: the columns are properties, body, file (the name without .md), path and folder. */
import type { Note } from '../table/format.ts';
import { inNote } from './format.ts';
import { type Property, readFrontMatter, textIn } from './front-matter.ts';

interface NoteRow {
  line: number;
  cells: Map<string, string | string[]>;
}

/** @throws RowError that names the note and the error */
export function rowsOfNotes(notes: readonly Note[]): NoteRow[] {
  return notes.map(({ file, path, text }, index) => {
    return { line: index + 1, cells: inNote(file, () => cellsOf(path, text)) };
  });
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

/** Nested values become JSON, as in a CSV cell. */
function cellOf(property: Property): string | string[] {
  const text = textIn(property);
  if (text !== undefined) return text;
  if (Array.isArray(property)) return property.map((item) => textIn(item) ?? JSON.stringify(item));
  return JSON.stringify(property);
}
