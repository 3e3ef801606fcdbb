/**
 * The order of day and month under which a journal has the rows of a file already.
 * Versions before schema 9 didn't keep the order of an import's dates: the one under
 * which its rows are known counts.
 */
import { UserError } from '../../errors.ts';
import type { FillTable } from '../../statements/fills.ts';
import type { ImportTable } from '../../statements/imports.ts';
import { isDate, parseLocal, toInstantText } from '../../time.ts';
import type { DayOrder } from '../parse/date-order.ts';
import { platformOf } from './incoming.ts';
import type { FileFill, FileRecord, FormatTraits, Reading } from './reading.ts';
import { readWritten } from './written-times.ts';

/** Imports whose order of dates is unknown, with the zones in which they were read. */
export interface UnknownOrders {
  unknown: readonly { id: number; zone: string | null }[];
  fills: FillTable;
  imports: ImportTable;
  format: FormatTraits;
}

type Rows = Pick<Reading, 'fills' | 'records'>;

/** A fill or closed trade of a file. */
interface DatedRow {
  line: number;
  /** Its time as written, or its instant if the file states the zone. */
  time: string;
  /** As written, if the times of the file are read. */
  clock: string | undefined;
  /** Whether the journal has it at an instant. */
  isAt: (instant: string) => boolean;
}

/** Rows of a file that are looked for. */
const MOST_ROWS = 500;

/**
 * @param read reads the file with an order
 * @returns undefined if the journal has its rows under neither order, or under both
 */
export function orderKnownIn(
  journal: UnknownOrders,
  read: (order: DayOrder) => Rows,
): DayOrder | undefined {
  const orders: readonly DayOrder[] = ['dmy', 'mdy'];
  const known = orders.filter((order) =>
    rowsOf(read(order), journal).some(({ time, isAt }) => {
      const clock = readWritten(time)?.clock;
      return (clock === undefined ? [time] : instantsOf(clock, journal.unknown)).some(
        isAt,
      );
    }),
  );
  return known.length === 1 ? known[0] : undefined;
}

/**
 * Refuses a file whose rows an import without a known order has with day and month
 * exchanged.
 * @param rows whose times are read
 * @param order of the file's dates
 * @throws UserError that names the import
 */
export function refuseExchanged(
  rows: Rows,
  order: DayOrder,
  journal: UnknownOrders,
): void {
  const [import_] = journal.unknown;
  if (!import_) return;

  let [known, exchanged] = [0, 0];
  let first: number | undefined;
  for (const { line, time, clock, isAt } of rowsOf(rows, journal)) {
    const other = clock === undefined ? undefined : exchangedDate(clock);
    if (other === undefined) continue;
    if (isAt(time)) known++;
    else if (instantsOf(other, journal.unknown).some(isAt)) {
      exchanged++;
      first ??= line;
    }
  }

  if (exchanged <= known) return;

  const { id } = import_;
  throw new UserError(
    `${exchanged} rows (first on line ${first}) are in import ${id} with day and month exchanged; to correct it: journal-api import change ${id} --dates ${order}`,
  );
}

function rowsOf({ fills, records }: Rows, journal: UnknownOrders): DatedRow[] {
  const trades = Array.isArray(records) ? (records as FileRecord[]) : [];
  return [
    ...fills.slice(0, MOST_ROWS).map((fill) => rowOfFill(fill, journal)),
    ...trades.slice(0, MOST_ROWS).flatMap((record) => rowOfTrade(record, journal)),
  ];
}

function rowOfFill(fill: FileFill, { fills, format }: UnknownOrders): DatedRow {
  const { line, instrument, side, quantity, price, executedAt, clock } = fill;
  const facts = {
    platform: platformOf(format),
    symbol: instrument.symbol,
    side,
    quantity,
    price,
  };
  const isAt = (instant: string) =>
    fills.alike({ ...facts, executed_at: instant }).length > 0;
  return { line, time: executedAt, clock, isAt };
}

function rowOfTrade(
  { line, values, clock }: FileRecord,
  { imports }: UnknownOrders,
): DatedRow[] {
  const { symbol, side, executed_at: time } = values;
  if (typeof symbol !== 'string' || typeof side !== 'string' || typeof time !== 'string')
    return [];
  const isAt = (instant: string) => imports.hasTrade({ ...values, executed_at: instant });
  return [{ line, time, clock: clock?.split('/')[0], isAt }];
}

/** A clock in the zones of some imports. */
function instantsOf(clock: string, imports: UnknownOrders['unknown']): string[] {
  const zones = new Set(imports.map(({ zone }) => zone ?? 'UTC'));
  const local = clock.includes('T') ? clock : `${clock}T00:00:00.000`;
  return [...zones].map((zone) => toInstantText(parseLocal(local, zone) as number));
}

/** The clock with day and month exchanged; undefined if that is no date, or the same. */
function exchangedDate(clock: string): string | undefined {
  const date = `${clock.slice(0, 4)}-${clock.slice(8, 10)}-${clock.slice(5, 7)}`;
  if (!isDate(date) || date === clock.slice(0, 10)) return undefined;
  return date + clock.slice(10);
}
