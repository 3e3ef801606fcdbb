/**
 * The order of day and month under which a journal has the rows of a file already. Versions before schema 9 didn't keep the order of an
 * import's dates: the one under which its rows are known counts.
 */
import { UserError } from '../../errors.ts';
import type { FillTable } from '../../import-tables/fills.ts';
import type { ImportTable } from '../../import-tables/imports.ts';
import { isDate, parseLocal, toInstantText } from '../../time.ts';
import type { DayOrder } from '../parse/date-order.ts';
import { type IncomingFill, platformOf } from './incoming.ts';
import type { FileFill, FileRecord, FormatTraits, Reading } from './reading.ts';
import { familyOf } from './stored-rows.ts';
import { readWritten } from './written-times.ts';

/** Imports whose order of dates is unknown, with the zones in which they were read. */
export interface UnknownOrders {
  imports: readonly { id: number; zone: string | null }[];
  fills: FillTable;
  trades: Pick<ImportTable, 'statedTrades'>;
  format: FormatTraits;
}

/** Fills of a file, or its closed trades. */
type Rows = Pick<Reading, 'fills' | 'records'>;

/** Rows of a file that are looked for. */
const MOST_ROWS = 500;

/**
 * @param read reads the file with an order
 * @returns undefined if the journal has its rows under neither order, or under both
 */
export function orderKnownIn(journal: UnknownOrders, read: (order: DayOrder) => Rows): DayOrder | undefined {
  const orders: readonly DayOrder[] = ['dmy', 'mdy'];
  const known = orders.filter((order) => {
    const { fills, records } = read(order);
    const closed: readonly FileRecord[] = Array.isArray(records) ? records : [];
    return (
      fills.slice(0, MOST_ROWS).some((fill) => isKnown(fill, journal)) ||
      closed.slice(0, MOST_ROWS).some((record) => isKnownTrade(record, journal))
    );
  });
  return known.length === 1 ? known[0] : undefined;
}

/**
 * Refuses a file whose rows an import without a known order has with day and month exchanged.
 * @param order of the file's dates
 * @throws UserError that names the import
 */
export function refuseExchanged(
  incoming: readonly IncomingFill[],
  order: DayOrder,
  { imports, fills }: UnknownOrders,
): void {
  const [unknown] = imports;
  if (!unknown) return;

  const counts = { known: 0, exchanged: 0 };
  let first: IncomingFill | undefined;
  for (const row of incoming.slice(0, MOST_ROWS)) {
    const clock = exchanged(row.clock);
    if (clock === undefined) continue;
    const isThere = (instant: string) => fills.alike({ ...row.fill, executed_at: instant }).length > 0;
    if (isThere(row.fill.executed_at)) counts.known++;
    else if (instantsOf(clock, imports).some(isThere)) {
      counts.exchanged++;
      first ??= row;
    }
  }
  if (counts.exchanged <= counts.known) return;

  throw new UserError(
    `${counts.exchanged} rows (first on line ${first?.line}) are in import ${unknown.id} with day and month exchanged; to correct it: journal-api import change ${unknown.id} --dates ${order}`,
  );
}

function isKnown(fill: FileFill, { imports, fills, format }: UnknownOrders): boolean {
  const { instrument, side, quantity, price, executedAt } = fill;
  const platform = platformOf(format);
  return instantsIn(executedAt, imports).some(
    (executed_at) =>
      fills.alike({ platform, symbol: instrument.symbol, executed_at, side, quantity, price }).length > 0,
  );
}

function isKnownTrade({ values }: FileRecord, { imports, trades, format }: UnknownOrders): boolean {
  const { executed_at: opened } = values;
  if (typeof opened !== 'string') return false;
  // A spreadsheet may have cut the seconds.
  const stated = instantsIn(opened, imports).flatMap((instant) => {
    const minute = instant.slice(0, 16);
    const span = { from: `${minute}:00.000Z`, to: `${minute}:59.999Z` };
    return trades.statedTrades(familyOf(format.name), span);
  });
  return stated.some((trade) => COMPARED.every((name) => trade[name] === values[name]));
}

const COMPARED = ['symbol', 'side', 'quantity', 'entry_price'] as const;

/** A time as a file wrote it, in the zones of some imports. */
function instantsIn(time: string, imports: UnknownOrders['imports']): string[] {
  const clock = readWritten(time)?.clock;
  return clock === undefined ? [time] : instantsOf(clock, imports);
}

/** A clock in the zones of some imports. */
function instantsOf(clock: string, imports: UnknownOrders['imports']): string[] {
  const zones = new Set(imports.map(({ zone }) => zone ?? 'UTC'));
  const local = clock.includes('T') ? clock : `${clock}T00:00:00.000`;
  return [...zones].map((zone) => toInstantText(parseLocal(local, zone) as number));
}

/** The clock with day and month exchanged; undefined if that is no date, or the same. */
function exchanged(clock: string): string | undefined {
  const date = `${clock.slice(0, 4)}-${clock.slice(8, 10)}-${clock.slice(5, 7)}`;
  if (!isDate(date) || date === clock.slice(0, 10)) return undefined;
  return date + clock.slice(10);
}
