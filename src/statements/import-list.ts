/**
 * The list of imports. It is read without their schema, which takes longer to load than
 * the list.
 */
import { type OfUser, readOf } from '../journal-write/open.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import type { ImportEntry } from './import-entry.ts';
import { KEPT_SIZES } from './imports/kept-files.ts';

const COLUMNS: readonly (keyof ImportEntry)[] = [
  ...([
    'id',
    'imported_at',
    'file',
    'sha256',
    'format',
    'resource',
    'account',
    'rows',
    'fills',
    'records',
  ] as const),
  ...([
    'trades',
    'skipped',
    'of',
    'options',
    'path',
    'timezone',
    'holder',
    'date_order',
    'revision',
  ] as const),
];

/** The columns of an entry; the id of the user follows. */
export const SELECT_IMPORTS = `SELECT ${COLUMNS.join(', ')} FROM imports WHERE user_id =`;

/** An import as `import list` shows it. */
export interface ListedImport extends ImportEntry {
  /** Size of what the journal keeps of its file, compressed; 0 if nothing. */
  bytes: number;
  /** Number of its closes without an opening in any file. */
  unmatched: number;
  /** Number of totals that its file states and that differ here. */
  differing_totals: number;
}

const UNMATCHED = `SELECT p.import_id AS id, count(*) AS closes FROM unmatched_closes AS u
  CROSS JOIN import_fills AS p ON p.user_id = u.user_id AND p.fill_id = u.fill_id WHERE u.user_id =`;

const DIFFERING = `SELECT import_id AS id, count(*) AS totals FROM stated_totals
  WHERE cause IS NOT NULL AND user_id =`;

/** A user's imports, the latest first. Works with a read-only journal. */
export function listImports(options: OfUser): ListedImport[] {
  return readOf(options, (reader, { id }) => importsOf(reader, id));
}

function importsOf(reader: Reader, user: string): ListedImport[] {
  const sizes = reader.all<{ id: number; bytes: number }>(
    `${KEPT_SIZES} ${TEXT} GROUP BY f.import_id`,
    user,
  );
  const kept = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  const unmatched = reader.all<{ id: number; closes: number }>(
    `${UNMATCHED} ${TEXT} GROUP BY p.import_id`,
    user,
  );
  const closes = new Map(unmatched.map((row) => [row.id, row.closes]));
  const differing = reader.all<{ id: number; totals: number }>(
    `${DIFFERING} ${TEXT} GROUP BY import_id`,
    user,
  );
  const totals = new Map(differing.map((row) => [row.id, row.totals]));
  const rows = reader.all(`${SELECT_IMPORTS} ${TEXT} ORDER BY id DESC`, user);

  return rows.map(entryOf).map((entry) => ({
    ...entry,
    bytes: kept.get(entry.id) ?? 0,
    unmatched: closes.get(entry.id) ?? 0,
    differing_totals: totals.get(entry.id) ?? 0,
  }));
}

export function entryOf(row: unknown): ImportEntry {
  const { skipped, options, ...entry } = row as ImportEntry &
    Record<'skipped' | 'options', string>;
  return { ...entry, skipped: JSON.parse(skipped), options: JSON.parse(options) };
}

/** Tables of what imports state besides records. */
export const TABLES = [
  'import_fills',
  'fee_rates',
  'exchange_rates',
  'account_names',
  'account_limits',
  'account_balances',
];

/** Whether two journals list the same import. */
export function isSameImport(a: ImportEntry, b: ImportEntry): boolean {
  if (a.id === 0 || b.id === 0) return a.id === b.id;
  const isSameFile =
    a.sha256 === null ? a.imported_at === b.imported_at && a.file === b.file : true;
  return (
    isSameFile &&
    a.sha256 === b.sha256 &&
    a.format === b.format &&
    a.account === b.account
  );
}
