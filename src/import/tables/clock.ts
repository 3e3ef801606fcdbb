/** Times of a table: their formats, the order of dates, and their zone. */

import { RowError } from '../../errors.ts';
import { type Cell, cellError } from '../../parse/cells.ts';
import {
  assumedZone,
  DAYS_ONLY,
  type DateOrder,
  type DecidedOrder,
  dateIn,
  dayOrderOf,
  dayStartIn,
  firstIn,
  instantIn,
  type KnownDates,
  type ReadDates,
} from '../../parse/times.ts';
import { toInstantText } from '../../time.ts';
import type { ReadContext } from './format.ts';

/** The zone of times without an offset. */
export interface Zone {
  zone: string;
  /** Whether the note is only for files with such times. */
  ifNeeded?: boolean;
  /** Of all times, if the file states one: +02:00. */
  offset?: string;
  /** Note for the user. */
  note?: string;
}

/** What a declaration states about times. */
export interface TableTimes {
  /**
   * Date formats (the first that fits is used), or a function that chooses one by the
   * cells of all times. local: in the computer's language, or year first; reformatted:
   * year first, unless a spreadsheet has changed it.
   */
  dates:
    | DateFormat
    | readonly DateFormat[]
    | 'local'
    | 'reformatted'
    | ((times: readonly Cell[]) => DateOrder);
  /** Further columns with dates in the same order, such as expirations. */
  dated?: readonly string[];
  /** Whether the file has days without times of day; some: each cell decides. */
  daysOnly?: boolean | 'some';
  /**
   * An IANA zone, or a function that finds it by the name of the time column or in the
   * text; if none, --timezone or the user's own.
   */
  zone?:
    | string
    | ((column: string, context: ReadContext, text: string) => Zone | undefined);
}

export interface Clock {
  order: DateOrder;
  /** @param formats of this cell, if it has others than the declaration's */
  instantIn(cell: Cell, formats?: readonly DateFormat[]): string;
  /** Notes for the user, once all times are read. */
  notes(): string[];
  /** The order of day and month, if dates needed one. */
  dates?: ReadDates | undefined;
}

const TIME_WITHIN = /\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?/i;

/** A time of day, with or without an offset: 9:31, 09:31:05 AM, 09:31:05 EST. */
export const TIME_OF_DAY =
  /^\d\d?:\d\d(:\d\d([.,]\d+)?)?( ?[AP]\.?M\.?)?( ?(Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d))?$/i;

/** @param times cells with times, of all rows */
export function clockOf(
  { dates, daysOnly = false, zone: declared }: TableTimes,
  times: readonly Cell[],
  { column, context, text = '' }: { column: string; context: ReadContext; text?: string },
): Clock {
  const { formats, notes, dates: read } = formatsOf(dates, times, context.dates);
  const usual = formats.find(isDateOrder) ?? 'ymd';
  const isStrict = daysOnly !== 'some' && formats.every(isDateOrder);
  const stated =
    typeof declared === 'string' ? { zone: declared } : declared?.(column, context, text);
  const {
    zone,
    offset,
    note,
    ifNeeded = false,
  }: Zone = stated ?? { ...assumedZone(context), ifNeeded: true };
  let isNoted = !ifNeeded;
  let hasDays = daysOnly === true;

  return {
    order: usual,
    dates: read,
    instantIn(cell, accepted = formats) {
      const whole =
        offset === undefined
          ? cell
          : { ...cell, text: cell.text.replace(TIME_WITHIN, `$&${offset}`) };
      // A day isn't a time, nor a time a day.
      if (isStrict && !daysOnly && isDay(whole.text))
        return instantIn(whole, usual, zone);

      const { instant, isDayOnly, isZoned } = timeIn(whole, accepted, zone);
      if (isStrict && daysOnly && !isDayOnly) return dayStartIn(whole, usual);

      isNoted ||= isZoned;
      hasDays ||= isDayOnly && daysOnly === 'some';
      return instant;
    },
    notes: () => [
      ...(note !== undefined && isNoted ? [note] : []),
      ...notes,
      ...(hasDays ? [DAYS_ONLY] : []),
    ],
  };
}

/**
 * Formats of dates, with notes for the user, and the order of day and month if dates
 * needed one.
 */
function formatsOf(
  dates: TableTimes['dates'],
  times: readonly Cell[],
  known: KnownDates | undefined,
): Pick<DecidedOrder, 'notes' | 'dates'> & { formats: readonly DateFormat[] } {
  if (dates === 'local' || dates === 'reformatted') {
    const { order, ...decided } = dayOrderOf(times, known, dates === 'reformatted');
    return { formats: [order], ...decided };
  }

  const formats = [typeof dates === 'function' ? dates(times) : dates].flat();
  const typed = known?.typed;
  const written = formats.find((format) => format === 'dmy' || format === 'mdy');
  if (typed === undefined || written === undefined || written === typed)
    return { formats, notes: [] };

  return {
    formats,
    notes: [
      `--dates ${typed} wasn't used; this format has the ${firstIn(written)} first`,
    ],
  };
}

/** Whether all times must be seen to find their format. */
export function dependsOnCells(dates: TableTimes['dates']): boolean {
  return dates === 'local' || dates === 'reformatted' || typeof dates === 'function';
}

function isDateOrder(format: DateFormat): format is DateOrder {
  return format === 'ymd' || format === 'mdy' || format === 'dmy';
}

/**
 * The offset in the name of a column or file, such as +02:00 in Date(UTC+2); also in
 * Date(UTC) and (UTC--6).
 */
export function statedOffset(name: string): string | undefined {
  const parts = /\(UTC(?:-?([-+])(\d\d?)(?::?(\d\d))?)?\)/.exec(name);
  if (!parts) return undefined;
  const [, sign = '+', hours = '00', minutes = '00'] = parts;
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** The zone of a column or file with an offset in its name. */
export function zoneNamed(name: string): Zone | undefined {
  const offset = statedOffset(name);
  return offset === undefined ? undefined : { zone: 'UTC', offset };
}

// Days and times in the formats of a declaration.

/**
 * The order of year, month and day; or days since 1900, seconds or milliseconds since
 * 1970.
 */
export const DATE_FORMATS = ['ymd', 'mdy', 'dmy', 'excel', 'unix', 'unix-ms'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

interface TimeRead {
  instant: string;
  isDayOnly: boolean;
  isZoned: boolean;
}

/** An offset at the end of a time. */
const OFFSET = /\d(?: ?[AP]\.?M\.?)? ?(?:Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d)$/i;

/**
 * @param formats the first that fits is used
 * @param zone of times without an offset
 * @returns UTC text with milliseconds, or as written; and whether the zone was needed
 * @throws RowError if none fits
 */
export function timeIn(
  cell: Cell,
  formats: readonly DateFormat[],
  zone: string,
): TimeRead {
  return firstFitting(formats, (format) => {
    if (format === 'excel') return excelTime(cell, zone);
    if (format === 'unix' || format === 'unix-ms') {
      return { instant: unixTime(cell, format), isDayOnly: false, isZoned: false };
    }

    const { text, order } = withMonthNumber(cell.text, format);
    const isDayOnly = isDay(text);
    const written = { ...cell, text };
    const instant = isDayOnly
      ? dayStartIn(written, order)
      : instantIn(written, order, zone);

    return { instant, isDayOnly, isZoned: !isDayOnly && !OFFSET.test(text) };
  });
}

/**
 * @returns a day, such as 2026-11-20; for a time, its written day
 * @throws RowError if none fits
 */
export function dayIn(cell: Cell, formats: readonly DateFormat[]): string {
  return firstFitting(formats, (format) => {
    if (format === 'excel') return excelTime(cell, 'UTC').instant.slice(0, 10);
    if (format === 'unix' || format === 'unix-ms')
      return unixTime(cell, format).slice(0, 10);
    const { text, order } = withMonthNumber(cell.text, format);
    const [day = ''] = text.split(/[T ]/);
    return dateIn({ ...cell, text: day }, order);
  });
}

function firstFitting<T>(
  formats: readonly DateFormat[],
  read: (format: DateFormat) => T,
): T {
  let first: unknown;
  for (const format of formats) {
    try {
      return read(format);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      first ??= error;
    }
  }

  throw first;
}

function isDay(text: string): boolean {
  return !/[\sT;,]/.test(text);
}

const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

/**
 * 45658.645833333336 is 2025-01-01 15:30: a spreadsheet's days since 1900, in the zone.
 * So is 45658 with 15:30 or 0.6458 beside it.
 */
function excelTime(cell: Cell, zone: string): TimeRead {
  const [, date = '', clock = ''] = /^(\d{5}) (\S.*)$/.exec(cell.text) ?? [];
  if (/^0?[.,]\d+$/.test(clock))
    return excelTime({ ...cell, text: date + clock.replace(/^0?[.,]/, '.') }, zone);
  if (date !== '') {
    const day = excelTime({ ...cell, text: date }, 'UTC').instant.slice(0, 10);
    return {
      instant: instantIn({ ...cell, text: `${day} ${clock}` }, 'ymd', zone),
      isDayOnly: false,
      isZoned: !OFFSET.test(clock),
    };
  }

  const days = numeric(
    cell,
    20_000,
    80_000,
    'a date number of a spreadsheet, such as 45658.6458',
  );
  // The fraction isn't exact to the second.
  const [day = '', time = ''] = toInstantText(
    EXCEL_EPOCH + Math.round(days * 86_400) * 1000,
  ).split('T');
  if (Number.isInteger(days))
    return {
      instant: dayStartIn({ ...cell, text: day }, 'ymd'),
      isDayOnly: true,
      isZoned: false,
    };

  const instant = instantIn({ ...cell, text: `${day} ${time.slice(0, 8)}` }, 'ymd', zone);

  return { instant, isDayOnly: false, isZoned: true };
}

function unixTime(cell: Cell, format: 'unix' | 'unix-ms'): string {
  const unit = format === 'unix' ? 1000 : 1;
  const most = 100_000_000_000_000 / unit;
  return toInstantText(
    Math.floor(numeric(cell, 0, most, 'seconds or milliseconds since 1970') * unit),
  );
}

function numeric(cell: Cell, least: number, most: number, what: string): number {
  const number = /^\d+(\.\d+)?$/.test(cell.text) ? Number(cell.text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw cellError(cell, `must be ${what}`);
}

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'];
let monthNumbers: Map<string, number> | undefined;

/**
 * Replaces the month's name in 16-Nov-2023, 16. November 2023 10:30 and Nov 16, 2023 with
 * its number, year first.
 */
function withMonthNumber(
  text: string,
  order: DateOrder,
): { text: string; order: DateOrder } {
  const parts =
    /^(?<day>\d{1,2})[-/. ]{1,2}(?<month>\p{L}{3,10})[-/. ]{1,2}(?<year>\d{4}|\d\d)(?<time>.*)$/u.exec(
      text,
    ) ??
    /^(?<month>\p{L}{3,10})[-/. ]{1,2}(?<day>\d{1,2})[-/., ]{1,2}(?<year>\d{4}|\d\d)(?<time>.*)$/u.exec(
      text,
    );
  if (!parts?.groups) return { text, order };

  const { day = '', month = '', year = '', time = '' } = parts.groups;
  monthNumbers ??= new Map(
    LANGUAGES.flatMap((language) => [
      ...monthsIn(language, 'short'),
      ...monthsIn(language, 'long'),
    ]),
  );
  const number = monthNumbers.get(month.toLowerCase());

  return number === undefined
    ? { text, order }
    : { text: `${year.padStart(4, '20')}-${number}-${day}${time}`, order: 'ymd' };
}

function monthsIn(language: string, month: 'short' | 'long'): [string, number][] {
  const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' });
  const nameOf = (index: number) =>
    format
      .format(Date.UTC(2026, index, 15))
      .toLowerCase()
      .replace('.', '');
  return Array.from({ length: 12 }, (_, index) => [nameOf(index), index + 1]);
}
