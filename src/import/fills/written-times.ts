/**
 * The times of a reading: those that a file wrote without a zone become instants, in the
 * zone that the user or the file names, else that of the latest import of the same format
 * and account, else the format's or the user's. What was written is kept as the row's
 * clock.
 */
import { UserError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import type { EarlierZone } from '../../statements/earlier-imports.ts';
import { parseLocal, toInstantText, ZoneClock } from '../../time.ts';
import { DAY_MARK } from '../parse/times.ts';
import type { FileFill, FileRecord, Reading } from './reading.ts';

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
