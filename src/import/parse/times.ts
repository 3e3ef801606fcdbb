/** Dates and times of exports, converted to UTC. The format states the order of dates: 03/04 fits two. */

import { isDate, parseInstant, parseLocal, toInstantText } from '../../time.ts';
import { type Cell, cellError } from './columns.ts';

/** Year, month, day; month, day, year; day, month, year. */
export type DateOrder = 'ymd' | 'mdy' | 'dmy';

/** The parts in their order, separated by - / or . A four-digit year may need no separator after it. */
const DATE: Record<DateOrder, RegExp> = {
  ymd: /^(\d{4})(?:[-/.](\d\d?)[-/.](\d\d?)|(\d\d)(\d\d))$/,
  mdy: /^(\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d)$/,
  dmy: /^(\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d)$/,
};

/** Zones that a time may name, North America's as in RFC 5322, section 4.3. */
const ZONES: Readonly<Record<string, string>> = {
  ...{ Z: 'Z', UTC: 'Z', GMT: 'Z', EST: '-05:00', EDT: '-04:00', CST: '-06:00', CDT: '-05:00' },
  ...{ MST: '-07:00', MDT: '-06:00', PST: '-08:00', PDT: '-07:00' },
};

/** 9:31, 09:31:05, 9:31:05.123 AM, 093105; an offset may follow: Z, UTC, EST, +00:00, -0800. */
const TIME =
  /^(?<hour>\d\d?):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<half>[AP])\.?M\.?)?(?: ?(?<offset>Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d))?$/i;

const WORDS: Record<DateOrder, { first: string; date: string }> = {
  ymd: { first: 'year', date: '2025-12-31' },
  mdy: { first: 'month', date: '12/31/2025' },
  dmy: { first: 'day', date: '31/12/2025' },
};

/**
 * A date and a time of day, in either order.
 * @param zone the IANA zone of times without an offset
 * @returns UTC text with milliseconds; further decimals are truncated
 * @throws RowError if the cell isn't a time, or its day doesn't exist
 */
export function instantIn(cell: Cell, order: DateOrder, zone: string): string {
  const instant = epochOf(cell.text.replaceAll(/\s+/g, ' '), order, zone);
  if (instant !== undefined) return toInstantText(instant);
  const { first, date: shown } = WORDS[order];
  throw cellError(cell, `must be a time with the ${first} first, such as ${shown} 16:33:05`);
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
 * The start of a day.
 * @returns UTC text with milliseconds
 * @throws RowError if the cell isn't a day
 */
export function dayStartIn(cell: Cell, order: DateOrder, zone: string): string {
  return instantIn({ ...cell, text: `${dateIn(cell, order)} 00:00` }, 'ymd', zone);
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A month's two digits by its three letters in any case: 01 to 12; undefined for other text. */
export function monthOf(name: string): string | undefined {
  const index = MONTHS.indexOf(name.toUpperCase());
  return index === -1 ? undefined : String(index + 1).padStart(2, '0');
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
  const note = timeZone === undefined ? `, ${whose}; pass --timezone if the file has another` : '';
  const zone = timeZone ?? usual;
  return { zone, note: `${what}; using ${zone}${note}` };
}

/** Whether these notes say that times were read in a zone that the file doesn't state. */
export function isAssumed(notes: readonly string[], zone: string): boolean {
  return notes.some((note) => note.includes(`; using ${zone}`));
}

/** Note for the user on a file with days only. */
export const DAYS_ONLY =
  'the file has dates without times; trades are placed at the start of the day, so hours and holding times are meaningless';

function epochOf(text: string, order: DateOrder, zone: string): number | undefined {
  const [, left = '', right = ''] = /^(\S+?)(?:, ?|;|T| )(.+)/s.exec(text) ?? [];
  const first = dateOf(left, order);
  const date = first ?? dateOf(right, order);
  const time = timeOf(first === undefined ? left : right);
  if (date === undefined || time === undefined) return undefined;
  return time.offset === undefined
    ? parseLocal(`${date}T${time.text}`, zone)
    : parseInstant(`${date}T${time.text}${time.offset}`);
}

function dateOf(text: string, usual: DateOrder): string | undefined {
  // Spreadsheets reformat dates. A leading four-digit year is unambiguous.
  const order = /^\d{4}(?:[-/.]|\d{4}$)/.test(text) ? 'ymd' : usual;
  const parts = DATE[order].exec(text)?.slice(1).filter(Boolean);
  if (!parts) return undefined;
  const part = (letter: string) => parts[order.indexOf(letter)] as string;
  const date = `${part('y').padStart(4, '20')}-${part('m').padStart(2, '0')}-${part('d').padStart(2, '0')}`;
  return isDate(date) ? date : undefined;
}

function timeOf(text: string): { text: string; offset: string | undefined } | undefined {
  const parts = TIME.exec(text)?.groups;
  if (!parts) return undefined;
  const { minute, second = '00', fraction = '', half, offset } = parts;
  const hour = half === undefined ? Number(parts['hour']) : hourOfHalf(Number(parts['hour']), half);
  if (hour === undefined) return undefined;
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
  return ZONES[offset.toUpperCase()] ?? `${offset.slice(0, 3)}:${offset.slice(-2)}`;
}

// Detects the marks of numbers if a program follows the computer's language.

/** @param cells of numbers with decimals, such as prices: a comma not followed by three digits is the decimal separator */
export function decimalOf(cells: readonly string[]): '.' | ',' {
  return cells.some((text) => /\d,(\d{1,2}|\d{4,})\D*$/.test(text) || /\d[. ]\d{3},\d/.test(text)) ? ',' : '.';
}

/** @returns whether any white space separates thousands, as in 26 068,00; 110 045 is in 32nds */
export function hasSpaces(cells: readonly string[]): boolean {
  return cells.some((text) => /\d\s\d{3}[.,]\d/.test(text));
}
