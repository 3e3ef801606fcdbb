/** The list of imports, read. By itself, so that `import list` loads nothing that writes. */
import type { Reader } from '../sqlite/reader.ts';
import type { ImportEntry } from './imports.ts';

const COLUMNS = 'id, imported_at, file, sha256, format, resource, account, rows, fills, records, trades, skipped';

export const SELECT_IMPORTS = `SELECT ${COLUMNS} FROM imports WHERE user_id = ?`;

/** The imports of a user, the latest first. */
export function importsOf(reader: Reader, user: string): ImportEntry[] {
  return reader.all(`${SELECT_IMPORTS} ORDER BY id DESC`, user).map(entryOf);
}

export function entryOf(row: unknown): ImportEntry {
  const { skipped, ...entry } = row as Omit<ImportEntry, 'skipped'> & { skipped: string };
  return { ...entry, skipped: JSON.parse(skipped) };
}
