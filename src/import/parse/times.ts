/**
 * Dates and times of exports, converted to UTC. The format states the order of dates:
 * 03/04 fits two.
 */

import {
  clearOffsetOf,
  isDate,
  parseInstant,
  parseLocal,
  toInstantText,
} from '../../time.ts';
import { type Cell, cellError } from './columns.ts';

/** Year, month, day; month, day, year; day, month, year. */
export type DateOrder = 'ymd' | 'mdy' | 'dmy';

/**
 * The parts in their order, separated by - / or . A four-digit year may need no separator
 * after it.
 */
const DATE: Record<DateOrder, RegExp> = {
  ymd: /^(\d{4})(?:[-/.](\d\d?)[-/.](\d\d?)|(\d\d)(\d\d))$/,
  mdy: /^(\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d)$/,
  dmy: /^(\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d)$/,
};

/**
 * 9:31, 09:31:05, 9:31:05.123 AM, 093105; an offset may follow: Z, UTC, EST, +00:00,
 * -0800.
 */
const TIME =
  /^(?<hour>\d\d?):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<half>[AP])\.?M\.?)?(?: ?(?<offset>Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d))?$/i;

const WORDS: Record<DateOrder, { first: string; date: string }> = {
  ymd: { first: 'year', date: '2025-12-31' },
  mdy: { first: 'month', date: '12/31/2025' },
  dmy: { first: 'day', date: '31/12/2025' },
};

// A time without an offset, in a file that states no zone, stays as written while the
// file is read, with the zone that it will be read in:
// 2026-11-20T09:31:00.000[America/New_York], or with [!America/New_York] if the user or
// the file names that zone. A day is 2026-11-20T00:00:00.000[]. "written-times.ts" makes
// instants of them. Such texts sort by what is written.

/** Text that ends times of a day without a time. */
export const DAY_MARK = '[]';

/**
 * A date and a time of day, in either order.
 * @param zone the IANA zone of times without an offset; in brackets, they stay as written
 * @returns UTC text with milliseconds, or the text as written; further decimals are
 * truncated
 * @throws RowError if the cell isn't a time, or its day doesn't exist
 */
export function instantIn(cell: Cell, order: DateOrder, zone: string): string {
  const instant = timeTextOf(cell.text.replaceAll(/\s+/g, ' '), order, zone);
  if (instant !== undefined) return instant;
  const { first, date: shown } = WORDS[order];
  throw cellError(
    cell,
    `must be a time with the ${first} first, such as ${shown} 16:33:05`,
  );
}

/**
 * A day: 2025-12-31. Years of two digits are of this century.
 * @throws RowError if the cell isn't one
 */
export function dateIn(cell: Cell, order: DateOrder): string {
  const date = dateOf(cell.text, order);
  if (date !== undefined) return date;
  const { first, date: shown } = WORDS[order];
  throw cellError(cell, `must be a date with the ${first} first, such as ${shown}`);
}

/**
 * A day without a time, as written.
 * @throws RowError if the cell isn't a day
 */
export function dayStartIn(cell: Cell, order: DateOrder): string {
  return `${dateIn(cell, order)}T00:00:00.000${DAY_MARK}`;
}

/** The time a millisecond later, as written if it is. */
export function justAfter(time: string): string {
  const [clock, zone] = [time.slice(0, 23), time.slice(23)];
  const later = toInstantText(Date.parse(`${clock}Z`) + 1);
  return later.slice(0, 23) + zone;
}

/**
 * A time as written, without the zone that it will be read in: the part that a file
 * states.
 */
export function withoutZone(time: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]{12}\[/.test(time) ? time.slice(0, 23) : time;
}

/**
 * Epoch milliseconds of a time, by its clock if it is as written: comparable within a
 * file only.
 */
export function clockMs(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`);
}

/** The zone of times without an offset, and a note on it for the user. */
export function assumedZone(
  context: { user: { timezone: string }; timeZone: string | undefined },
  what?: string,
): { zone: string; note: string } {
  return usualZone(context, context.user.timezone, "the user's time zone", what);
}

/** The same for a platform with a usual zone of its own. */
export function usualZone(
  { timeZone }: { timeZone: string | undefined },
  usual: string,
  whose: string,
  what = 'this format has no time zone',
): { zone: string; note: string } {
  const zone = timeZone === undefined ? `[${usual}]` : `[!${timeZone}]`;
  const hint =
    timeZone === undefined ? `, ${whose}; pass --timezone if the file has another` : '';
  return { zone, note: `${what}; using ${zone}${hint}` };
}

/**
 * An assumed zone, or the note on it, without the brackets: where times are read at once.
 */
export function withoutBrackets(text: string): string {
  return text.replace(/\[!?([^[\]]{1,64})\]/, '$1');
}

/** Note for the user on a file with days only. */
export const DAYS_ONLY =
  'the file has dates without times; trades are placed at the start of the day, so hours and holding times are meaningless';

function timeTextOf(text: string, order: DateOrder, zone: string): string | undefined {
  const [, left = '', right = ''] = /^(\S+?)(?:, ?|;|T| )(.+)/s.exec(text) ?? [];
  const first = dateOf(left, order);
  const date = first ?? dateOf(right, order);
  const time = timeOf(first === undefined ? left : right);
  if (date === undefined || time === undefined) return undefined;

  const local = `${date}T${time.text}`;
  if (time.offset === undefined && zone.startsWith('[')) return local + zone;

  const instant =
    time.offset === undefined
      ? parseLocal(local, zone)
      : parseInstant(local + time.offset);
  return instant === undefined ? undefined : toInstantText(instant);
}

function dateOf(text: string, usual: DateOrder): string | undefined {
  // Spreadsheets reformat dates. A leading four-digit year is unambiguous.
  const order = /^\d{4}(?:[-/.]|\d{4}$)/.test(text) ? 'ymd' : usual;
  const parts = DATE[order].exec(text)?.slice(1).filter(Boolean);
  if (!parts) return undefined;

  const part = (letter: string) => parts[order.indexOf(letter)] as string;
  const year = part('y').padStart(4, '20');
  const month = part('m').padStart(2, '0');
  const date = `${year}-${month}-${part('d').padStart(2, '0')}`;

  return isDate(date) ? date : undefined;
}

/** A minute with a leap second has 61. */
const MOST_SECONDS = 60;

function timeOf(text: string): { text: string; offset: string | undefined } | undefined {
  const parts = TIME.exec(text)?.groups;
  if (!parts) return undefined;

  const { minute, second = '00', fraction = '', half, offset } = parts;
  const written = Number(parts['hour']);
  const hour = half === undefined ? written : hourOfHalf(written, half);
  if (hour === undefined || hour > 23) return undefined;
  if (Number(minute) > 59 || Number(second) > MOST_SECONDS) return undefined;

  const decimals = fraction.slice(0, 3).padEnd(3, '0');
  return {
    text: `${String(hour).padStart(2, '0')}:${minute}:${second}.${decimals}`,
    offset: offset && offsetOf(offset),
  };
}

function hourOfHalf(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
}

function offsetOf(offset: string): string {
  return (
    clearOffsetOf(offset.toUpperCase()) ?? `${offset.slice(0, 3)}:${offset.slice(-2)}`
  );
}

// Detects the marks of numbers if a program follows the computer's language.

/**
 * @param cells of numbers with decimals, such as prices: a comma not followed by three
 * digits is the decimal separator
 */
export function decimalOf(cells: readonly string[]): '.' | ',' {
  return cells.some(
    (text) => /\d,(\d{1,2}|\d{4,})\D*$/.test(text) || /\d[. ]\d{3},\d/.test(text),
  )
    ? ','
    : '.';
}

/**
 * @returns whether any white space separates thousands, as in 26 068,00; 110 045 is in
 * 32nds
 */
export function hasSpaces(cells: readonly string[]): boolean {
  return cells.some((text) => /\d\s\d{3}[.,]\d/.test(text));
}
