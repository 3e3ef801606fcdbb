/**
 * The times of a reading: those that a file wrote without a zone become instants, in the
 * zone that the user or the file names, else that of the latest import of the same format
 * and account, else the format's or the user's. What was written is kept as the row's
 * clock. The order of day and month is that under which the journal has the rows.
 */
import { UserError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { DAY_MARK, type DayOrder } from '../../parse/times.ts';
import type { EarlierZone } from '../../statements/earlier-imports.ts';
import type { FillTable } from '../../statements/fills.ts';
import type { ImportTable } from '../../statements/imports.ts';
import { isDate, parseLocal, toInstantText, ZoneClock } from '../../time.ts';
import { platformOf } from './incoming.ts';
import type { FileFill, FileRecord, FormatTraits, Reading } from './reading.ts';

export interface TimeSettings {
  /** Whether the records are trades: those with a date alone are marked. */
  areTrades: boolean;
  /** The user's zone, in which days begin. */
  userZone: string;
  /** For rows without an account in the file. */
  account: string | null;
  /** The zone of the latest import of this format in an account. */
  earlierZone: (account: string | null) => EarlierZone | undefined;
}

/** The zone of a file's times without one; null if all state theirs, or are days. */
export interface SettledTimes {
  zone: string | null;
  /** Whether neither the user nor the file named it. */
  isAssumed: boolean;
}

/** A time of a file, read. */
interface ReadTime {
  /** UTC text with milliseconds. */
  instant: string;
  /**
   * As written, without a zone: 2026-11-20T09:31:00.000, or 2026-11-20 for a day; '' if
   * the file states the zone.
   */
  clock: string;
  hasTime: boolean;
}

const WRITTEN = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{3})\[(!?)([^\]]*)\]$/;

/** What a time as written states; undefined for an instant. */
export function readWritten(text: string): { clock: string; zone: string } | undefined {
  const [, date, time, , zone = ''] = WRITTEN.exec(text) ?? [];
  if (date === undefined) return undefined;
  return { clock: zone === '' ? date : `${date}T${time}`, zone };
}

/** Note on an assumed zone: "using [UTC], the user's time zone; ..." */
const ASSUMED = /using \[(!?)([^\]]{1,64})\](, [^;]{0,200})?/;

/**
 * Reads the times of a file's fills and records.
 * @returns the zone of its times without one; null if all state theirs, or are days
 * @throws UserError if the accounts of the file were read in different zones before
 */
export function settleTimes(
  reading: Pick<Reading, 'fills' | 'flows' | 'records' | 'notes'>,
  settings: TimeSettings,
): SettledTimes {
  const records = Array.isArray(reading.records) ? (reading.records as FileRecord[]) : [];
  const earlier = earlierZoneOf(reading, records, settings);
  const reader = new TimeReader(settings.userZone, earlier?.zone);

  for (const fill of reading.fills) settleRow(fill, reader);
  for (const flow of reading.flows) settleRow(flow, reader);
  for (const record of records) settleRecord(record, reader, settings);

  const { zone, isAssumed } = reader;
  reading.notes = reading.notes.flatMap((note) =>
    noteOn(note, zone, isAssumed ? earlier : undefined),
  );
  return { zone, isAssumed };
}

/** Reads single times, and remembers the zone that they needed. */
class TimeReader {
  readonly #days: ZoneClock;
  readonly #earlier: string | undefined;
  zone: string | null = null;
  isAssumed = false;

  constructor(userZone: string, earlier: string | undefined) {
    this.#days = new ZoneClock(userZone);
    this.#earlier = earlier;
  }

  /** @returns undefined for a text that isn't a time as written */
  read(text: string): ReadTime | undefined {
    const [, date = '', time = '', isGiven, named = ''] = WRITTEN.exec(text) ?? [];
    if (date === '') return undefined;
    if (named === '') return this.day(date, time);

    const zone = isGiven === '!' ? named : (this.#earlier ?? named);
    this.zone ??= zone;
    this.isAssumed ||= isGiven !== '!';

    const clock = `${date}T${time}`;
    return {
      instant: toInstantText(parseLocal(clock, zone) as number),
      clock,
      hasTime: true,
    };
  }

  /**
   * The start of a day in the user's zone.
   * @param time milliseconds of it order rows of one day
   */
  day(date: string, time = '00:00:00.000'): ReadTime {
    const later = Number(time.slice(6).replace('.', ''));
    return {
      instant: toInstantText(this.#days.startOfDay(date) + later),
      clock: date,
      hasTime: false,
    };
  }
}

type TimedRow = Pick<FileFill, 'executedAt' | 'clock' | 'hasTime'>;

function settleRow(row: TimedRow, reader: TimeReader): void {
  const { executedAt, hasTime = true } = row;
  const read =
    reader.read(executedAt) ??
    (hasTime ? undefined : reader.day(executedAt.slice(0, 10)));
  row.clock = read?.clock ?? '';
  if (!read) return;

  row.executedAt = read.instant;
  row.hasTime = read.hasTime && hasTime;
  if (!row.hasTime) row.clock = read.clock.slice(0, 10);
}

function settleRecord(
  record: FileRecord,
  reader: TimeReader,
  { areTrades }: TimeSettings,
): void {
  const { values } = record;
  const clocks = [values['executed_at'], values['closed_at']].map((text) =>
    typeof text === 'string' ? (reader.read(text)?.clock ?? '') : '',
  );
  record.clock = clocks.every((clock) => clock === '') ? '' : clocks.join('/');
  record.values = settledValues(values, reader);

  if (record.hashed) {
    const facts = record.hashed.facts.map((fact) => settledValue(fact, reader));
    record.hashed = { prefix: record.hashed.prefix, facts };
  }

  const isDay = [values['executed_at'], values['closed_at']].some(
    (text) => typeof text === 'string' && text.endsWith(DAY_MARK),
  );
  if (isDay && areTrades) record.values = { ...record.values, has_time: false };
}

/** The same values with instants in place of times as written. */
function settledValues(values: Values, reader: TimeReader): Values {
  let settled: Values | undefined;
  for (const [name, value] of Object.entries(values)) {
    const now = settledValue(value, reader);
    if (now === value) continue;
    settled ??= { ...values };
    settled[name] = now;
  }

  return settled ?? values;
}

function settledValue(value: unknown, reader: TimeReader): unknown {
  if (typeof value === 'string') {
    return value.endsWith(']') ? (reader.read(value)?.instant ?? value) : value;
  }
  if (!Array.isArray(value)) return value;
  return value.map((item) =>
    typeof item === 'object' && item !== null
      ? settledItem(item as Values, reader)
      : item,
  );
}

/** An execution of a trade, or an item of another list. */
function settledItem(item: Values, reader: TimeReader): Values {
  const { executed_at: at } = item;
  const settled = settledValues(item, reader);
  return typeof at === 'string' && at.endsWith(DAY_MARK)
    ? { ...settled, has_time: false }
    : settled;
}

/** The zone in which the file's accounts were read before. */
function earlierZoneOf(
  { fills, flows }: Pick<Reading, 'fills' | 'flows'>,
  records: readonly FileRecord[],
  { account, earlierZone }: TimeSettings,
): EarlierZone | undefined {
  const accounts = new Set<string | null>();
  for (const fill of fills) accounts.add(fill.account ?? account);
  for (const flow of flows) accounts.add(flow.account ?? account);
  for (const { values } of records) {
    // What isn't a text is refused later, with its line.
    const { account: named } = values;
    accounts.add(typeof named === 'string' ? named : account);
  }

  const [first, ...others] = [...accounts].flatMap((name) => earlierZone(name) ?? []);
  const other = others.find(({ zone }) => zone !== first?.zone);
  if (!first || !other) return first;

  throw new UserError(
    `the accounts of this file were read in different zones (import ${first.importId} in ${first.zone}, import ${other.importId} in ${other.zone}); pass --timezone`,
  );
}

/** A note with the zone that was used; none if no time needed it. */
function noteOn(
  note: string,
  zone: string | null,
  earlier: EarlierZone | undefined,
): string[] {
  if (!ASSUMED.test(note)) return [note];
  if (zone === null) return [];
  return [
    note.replace(ASSUMED, (_, _isGiven, _named, whose = '') =>
      earlier
        ? `using ${zone}, that of import ${earlier.importId}`
        : `using ${zone}${whose}`,
    ),
  ];
}

// The order of day and month under which a journal has the rows of a file already. Versions
// before schema 9 didn't keep the order of an import's dates: the one under which its rows
// are known counts.

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
