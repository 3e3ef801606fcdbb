/** The list of imports, read. By itself, so that `import list` loads nothing that writes. */
import type { Reader } from '../sqlite/reader.ts';

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

/** An imported file, or a command that wrote; times are UTC text. */
export interface ImportEntry {
  id: number;
  imported_at: string;
  /** The file name without folders, or the command. */
  file: string;
  /** Hash of the bytes in hexadecimal; null for commands, and for imports older than stored fills. */
  sha256: string | null;
  format: string;
  resource: string;
  account: string | null;
  rows: number;
  fills: number;
  records: number;
  /** Trades made from its fills. */
  trades: number;
  /** Number of skipped rows, by reason. */
  skipped: Record<string, number>;
}
