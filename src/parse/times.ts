/**
 * Dates and times of exports, converted to UTC. The format states the order of dates, or
 * all dates of a file show it: 03/04 fits two.
 */

import { RowError } from '../errors.ts';
import {
  clearOffsetOf,
  isDate,
  MONTHS,
  parseInstant,
  parseLocal,
  toInstantText,
} from '../time.ts';
import { type Cell, cellError } from './cells.ts';

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

// The order of day and month in dates with the year last. It is typed, that of earlier
// imports, or shown by a number above 12; never guessed.

export const DAY_ORDERS = ['dmy', 'mdy'] as const;
export type DayOrder = (typeof DAY_ORDERS)[number];

/** How earlier imports of the same format and account were read. */
export interface EarlierDates {
  /** Of the latest one that has an order; undefined if none has. */
  order?: DayOrder;
  /** Ids of the imports with this order, the latest first. */
  imports: readonly number[];
  /** Ids of imports without an order: earlier versions didn't keep it. */
  unknown?: readonly number[];
  /** Whether it is the order of an import of the same file. */
  isOwn?: boolean;
  /** Whether that import is read again, so that --dates may change it. */
  isAgain?: boolean;
}

/** What is known of a file's dates before it is read. */
export interface KnownDates {
  /** By --dates. */
  typed?: DayOrder | undefined;
  /** Looked up only for a file with such dates. */
  earlier?: (() => EarlierDates | undefined) | undefined;
}

/** The order in which a file's dates were read. */
export interface ReadDates {
  order: DayOrder;
  /** Whether a date with a number above 12 shows it. */
  isShown: boolean;
}

export interface DecidedOrder {
  order: DateOrder;
  notes: string[];
  /** Undefined if no date needs it: the year comes first, or day and month are equal. */
  dates?: ReadDates;
}

/** A date that has two meanings, and nothing settles which. */
export class AmbiguousDates extends RowError {
  /** Imports that may hold rows of the file, without an order. */
  readonly unknown: readonly number[];

  constructor(reason: string, line: number, unknown: readonly number[] = []) {
    super(null, reason, line);
    this.unknown = unknown;
  }
}

/** A date with the year last. */
interface WrittenDate {
  /** Without its time. */
  text: string;
  first: number;
  second: number;
  cell: Cell;
}

const YEAR_LAST = /^(\d\d?)[-/.](\d\d?)[-/.](?:\d{4}|\d\d)(?!\d)/;

/**
 * @param cells of dates, with or without times
 * @param isReformatted whether only a spreadsheet writes the year last, and the platform
 * first
 * @throws RowError if the dates contradict each other, --dates or earlier imports;
 * AmbiguousDates
 */
export function dayOrderOf(
  cells: readonly Cell[],
  known: KnownDates = {},
  isReformatted = false,
): DecidedOrder {
  const dates = cells.flatMap((cell) => writtenDateIn(cell) ?? []);
  if (dates.length === 0) return { order: 'ymd', notes: [] };

  const decided = decidedFor(dates, known, isReformatted);
  const note = decided && noteOn(decided);
  const order = decided?.order ?? known.typed ?? 'mdy';
  const read = decided && { dates: { order, isShown: decided.isShown } };
  if (!isReformatted) return { order, notes: note === undefined ? [] : [note], ...read };

  const details = note === undefined ? '' : `: ${note}`;
  const notes = [
    `dates reformatted by a spreadsheet${details}; missing parts of times are 0`,
  ];
  return { order, notes, ...read };
}

/** The order shown by numbers above 12; undefined if there are none, or they differ. */
export function shownOrder(texts: readonly string[]): DayOrder | undefined {
  const dates = texts.flatMap(
    (text) => writtenDateIn({ text, column: '', line: 0 }) ?? [],
  );
  const orders = new Set(dates.flatMap((date) => orderShownBy(date) ?? []));
  const [only] = orders;
  return orders.size === 1 ? only : undefined;
}

function writtenDateIn(cell: Cell): WrittenDate | undefined {
  const { text } = cell;
  // The time of day may come first.
  const found = YEAR_LAST.exec(text) ?? YEAR_LAST.exec(text.slice(text.indexOf(' ') + 1));
  if (!found) return undefined;
  const [date, first, second] = found;
  return { text: date, first: Number(first), second: Number(second), cell };
}

function orderShownBy({ first, second }: WrittenDate): DayOrder | undefined {
  if (first > 12 && second <= 12) return 'dmy';
  return second > 12 && first <= 12 ? 'mdy' : undefined;
}

interface Decision extends ReadDates {
  why: string;
}

function decidedFor(
  dates: readonly WrittenDate[],
  known: KnownDates,
  isReformatted: boolean,
): Decision | undefined {
  const shown = shownBy(dates);
  const first = dates.find((date) => date.first !== date.second);
  if (!first) return undefined;

  const earlier = known.earlier?.();
  if (known.typed !== undefined) return typedOrder(known.typed, shown, earlier);
  if (earlier?.order !== undefined) return orderBefore(earlier, earlier.order, shown);
  if (shown) return { order: shown.order, isShown: true, why: placeOf(shown.date) };

  throw ambiguous(first, isReformatted, earlier?.unknown);
}

interface Shown {
  order: DayOrder;
  date: WrittenDate;
}

/** @throws RowError if dates show both orders */
function shownBy(dates: readonly WrittenDate[]): Shown | undefined {
  let found: Shown | undefined;
  for (const date of dates) {
    const order = orderShownBy(date);
    if (order === undefined) continue;

    found ??= { order, date };
    if (found.order === order) continue;

    const before = `${placeOf(found.date)} has the ${firstIn(found.order)} first`;
    const problem = `${before}, but ${placeOf(date)} the ${firstIn(order)}`;
    throw new RowError(
      date.cell.column,
      `${problem}; export the file again`,
      date.cell.line,
    );
  }

  return found;
}

function typedOrder(
  order: DayOrder,
  shown: Shown | undefined,
  earlier: EarlierDates | undefined,
): Decision {
  if (shown && shown.order !== order) {
    const { text, cell } = shown.date;
    const problem = `${text} has the ${firstIn(shown.order)} first, not as --dates ${order} states`;
    throw new RowError(cell.column, `${problem}; pass --dates ${shown.order}`, cell.line);
  }

  const isOther =
    earlier?.order !== undefined && earlier.order !== order && !earlier.isAgain;
  if (isOther && earlier.isOwn) {
    const [id] = earlier.imports;
    const remedy = `to correct it: journal-api import change ${id} --dates ${order}`;
    throw new RowError(
      null,
      `this file was imported before: ${readBefore(earlier)}; ${remedy}`,
    );
  }

  const before = isOther ? `; ${readBefore(earlier)}` : '';
  return { order, isShown: shown !== undefined, why: `--dates ${order}${before}` };
}

function orderBefore(
  earlier: EarlierDates,
  order: DayOrder,
  shown: Shown | undefined,
): Decision {
  if (!shown || shown.order === order) {
    const why = earlier.isOwn ? 'as before' : sourceOf(earlier);
    return { order, isShown: shown !== undefined, why };
  }

  const { date, order: stated } = shown;
  const where = placeOf(date);
  if (earlier.isOwn) return { order: stated, isShown: true, why: where };

  const [latest, ...others] = earlier.imports;
  if (latest === undefined) {
    const known = `the journal has rows of this file with the ${firstIn(order)} first`;
    const problem = `${known}, but ${where} has the ${firstIn(stated)}`;
    throw new RowError(null, `${problem}; import the original file`, date.cell.line);
  }

  const change = `journal-api import change ${latest} --dates ${stated}`;
  const also = others.length === 0 ? '' : `, and likewise ${others.join(', ')}`;
  const remedy = `if import ${latest} is wrong: ${change}${also}`;
  const problem = `${readBefore(earlier)}, but line ${date.cell.line} has ${date.text}`;
  const other = `if this file differs: --dates ${stated}`;
  throw new RowError(null, `${problem}; ${remedy}; ${other}`, date.cell.line);
}

/** import 3 was read with the month first */
function readBefore({ imports, order }: EarlierDates): string {
  const [latest] = imports;
  return `import ${latest} was read with the ${firstIn(order as DayOrder)} first`;
}

function sourceOf({ imports: [latest] }: EarlierDates): string {
  return latest === undefined ? 'as its rows in the journal' : `as in import ${latest}`;
}

function ambiguous(
  { text, first, second, cell }: WrittenDate,
  isReformatted: boolean,
  unknown: readonly number[] | undefined,
): AmbiguousDates {
  const by = isReformatted ? ', reformatted by a spreadsheet,' : '';
  const dayFirst = `${first} ${nameOfMonth(second)}`;
  const monthFirst = `${nameOfMonth(first)} ${second}`;
  const problem = `${text} in column ${cell.column}${by} may be ${dayFirst} or ${monthFirst}`;
  const flags = 'pass --dates dmy if the day comes first, or --dates mdy';
  const remedy = isReformatted ? `import the original file, or ${flags}` : flags;
  return new AmbiguousDates(`${problem}; ${remedy}`, cell.line, unknown);
}

function noteOn({ order, why }: Decision): string {
  return `dates are read with the ${firstIn(order)} first (${why})`;
}

/** 17/11/2026 on line 7 */
function placeOf({ text, cell }: WrittenDate): string {
  return `${text} on line ${cell.line}`;
}

/** The part that comes first. */
export function firstIn(order: DayOrder): 'day' | 'month' {
  return order === 'dmy' ? 'day' : 'month';
}

/** A number that is no month stays a number: the row is refused once it is read. */
function nameOfMonth(number: number): string {
  return MONTHS[number - 1] ?? String(number);
}
