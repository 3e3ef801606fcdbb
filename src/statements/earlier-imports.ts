/**
 * What a file follows of the latest import of its format and account, unless the user or
 * the file says otherwise: the order of day and month, the time zone, contract sizes. The
 * report names that import.
 */
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { USER, type UserRows } from '../sqlite/user-rows.ts';
import { AccountNames } from './account-settings.ts';

type DayOrder = 'dmy' | 'mdy';

interface OrderOfImport {
  id: number;
  sha256: string;
  account: string | null;
  date_order: DayOrder | null;
}

export interface OrderOfFormat {
  /** Of the latest import that has one. */
  order?: DayOrder;
  /** The imports with this order, the latest first. */
  imports: number[];
  /** Imports without an order. */
  unknown: number[];
  /** Whether it is that of the same file, and of the import that is read again. */
  isOwn?: boolean;
  isAgain?: boolean;
}

interface FileRead {
  format: string;
  sha256: string;
  /** By --account. */
  account: string | undefined;
  /** The import whose file is read again. */
  again?: number | undefined;
}

const SELECT = `SELECT id, sha256, account, date_order FROM imports
  WHERE user_id = ${TEXT} AND format = ${TEXT} AND sha256 IS NOT NULL ORDER BY id DESC`;

/**
 * The order of the same file, else of the latest import of its format and account. For a
 * file without an account, imports without one count, else those of all accounts if they
 * agree.
 */
export function orderOfFormat(
  reader: Reader,
  user: string,
  { format, sha256, account, again }: FileRead,
): OrderOfFormat {
  const rows = reader.all<OrderOfImport>(SELECT, user, format);
  const earlier = rows.filter(({ id }) => again === undefined || id <= again);
  const unknown = earlier.filter((row) => row.date_order === null).map(({ id }) => id);

  const same = earlier.find((row) => row.sha256 === sha256 && row.date_order !== null);
  const isAgain = again !== undefined;
  if (same?.date_order)
    return { order: same.date_order, imports: [same.id], unknown, isOwn: true, isAgain };

  const found = inAccount(earlier, account, new AccountNames(reader, user));
  const order = found[0]?.date_order;
  if (!order) return { imports: [], unknown };

  const imports = found.filter((row) => row.date_order === order).map(({ id }) => id);
  return { order, imports, unknown };
}

function inAccount(
  rows: readonly OrderOfImport[],
  account: string | undefined,
  names: AccountNames,
): OrderOfImport[] {
  const ordered = rows.filter(({ date_order }) => date_order !== null);
  const nameNow = (name = '') => names.of(name || null)?.toLowerCase();
  const same = ordered.filter((row) => nameNow(row.account ?? '') === nameNow(account));
  if (same.length > 0 || account !== undefined) return same;

  const orders = new Set(ordered.map(({ date_order }) => date_order));
  return orders.size === 1 ? ordered : [];
}

/** The zone of an earlier import. */
export interface EarlierZone {
  importId: number;
  zone: string;
}

/**
 * Statements of an account whose times needed a zone, or had one typed if an earlier
 * version read them.
 */
const ZONED = `s.user_id = i.user_id AND s.import_id = i.id
  AND (s.clock <> '' OR s.clock IS NULL AND i.options ->> 'timezone' IS NOT NULL)
  AND (@account IS NULL OR coalesce(s.account, '') = @account COLLATE NOCASE)`;

const ZONES = `SELECT i.id AS importId, i.timezone AS zone FROM imports AS i
  WHERE i.user_id = ${USER} AND i.format = @format AND i.timezone IS NOT NULL AND (
    EXISTS (SELECT 1 FROM import_fills AS s WHERE ${ZONED}) OR
    EXISTS (SELECT 1 FROM import_records AS s WHERE ${ZONED}))
  ORDER BY i.id DESC`;

/**
 * The zone of the latest import of a format whose rows an account holds, where one was
 * needed; else of imports without an account; for a file without one also that of all
 * others, if they agree.
 */
export function zoneOfFormat(
  rows: UserRows,
  format: string,
  account: string | null,
): EarlierZone | undefined {
  const latest = (name: string) =>
    rows.get<EarlierZone>(`${ZONES} LIMIT 1`, { format, account: name });
  const found = latest(account ?? '') ?? latest('');
  if (found || account !== null) return found;

  const all = rows.all<EarlierZone>(ZONES, { format, account: null });
  const isOne = new Set(all.map(({ zone }) => zone)).size === 1;
  return isOne ? all[0] : undefined;
}

/**
 * Contract sizes that were typed for earlier imports of a format and account, by symbol
 * or root in capitals.
 */
export type EarlierSizes = ReadonlyMap<string, { importId: number; size: number }>;

/** @param account by --account */
export function sizesOfFormat(
  rows: UserRows,
  format: string,
  account: string | null,
): EarlierSizes {
  const imports = rows.all<{ id: number; sizes: string }>(
    `SELECT id, options ->> 'multipliers' AS sizes FROM imports
     WHERE user_id = ${USER} AND format = @format
       AND coalesce(account, '') = @account COLLATE NOCASE
       AND options ->> 'multipliers' IS NOT NULL ORDER BY id`,
    { format, account: account ?? '' },
  );
  const found = new Map<string, { importId: number; size: number }>();
  for (const { id, sizes } of imports) {
    for (const [name, size] of Object.entries(
      JSON.parse(sizes) as Record<string, number>,
    )) {
      found.set(name.toUpperCase(), { importId: id, size });
    }
  }

  return found;
}
