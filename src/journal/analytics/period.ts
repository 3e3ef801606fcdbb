/** Periods of figures by name, length or bounds, each with its previous period. */
import type * as z from 'zod';
import { ratioOrNull } from '../../money.ts';
import {
  addDays,
  type CalendarUnit,
  DAY,
  daysBetween,
  isDate,
  startOfUnit,
  toInstantText,
  type ZoneClock,
} from '../../time.ts';
import * as f from '../fields.ts';
import type { Range } from '../where.ts';

// Intervals of time, and their bounds from days of a zone.

/** Epoch milliseconds, half-open; null where open. */
export interface Interval {
  from: number | null;
  to: number | null;
}

/** An interval with both bounds. */
interface ClosedInterval extends Interval {
  from: number;
  to: number;
}

// Beyond these, text doesn't compare like time; no record is there.
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-30T00:00:00.000Z');

/** An instant whose text compares like time. */
export function clamp(at: number): number {
  return Math.min(Math.max(at, FIRST), LAST);
}

export function rangeOf(interval: Interval): Range {
  return {
    from: interval.from === null ? null : toInstantText(interval.from),
    to: interval.to === null ? null : toInstantText(interval.to),
  };
}

/** n calendar days of the zone up to the end of today. */
export function lastDays(clock: ZoneClock, n: number, now: number): ClosedInterval {
  const tomorrow = addDays(clock.dateOf(now), 1);
  return {
    from: clock.startOfDay(addDays(tomorrow, -n)),
    to: clock.startOfDay(tomorrow),
  };
}

/** The days from one to another, both included. */
export function daysFromTo(
  clock: ZoneClock,
  first: string,
  last: string,
): ClosedInterval {
  return {
    from: clamp(clock.startOfDay(first)),
    to: clamp(clock.startOfDay(addDays(last, 1))),
  };
}

/**
 * Length of a closed period in days: calendar days if it starts and ends with one, else
 * 24 hours per day.
 */
function lengthInDays(clock: ZoneClock, from: number, to: number): number {
  return calendarDays(clock, from, to) ?? (to - from) / DAY;
}

function calendarDays(clock: ZoneClock, from: number, to: number): number | null {
  const [first, end] = [clock.dateOf(from), clock.dateOf(to)];
  const whole = clock.startOfDay(first) === from && clock.startOfDay(end) === to;
  return whole ? daysBetween(first, end) : null;
}

/**
 * Previous period of equal length, which ends at the start of this one. A period without
 * an end ends with today. Null without a start, and if the start is after today.
 */
function previousInterval(
  clock: ZoneClock,
  interval: Interval,
  now: number,
): ClosedInterval | null {
  if (interval.from === null) return null;

  const from = interval.from;
  const to = interval.to ?? lastDays(clock, 1, now).to;
  if (to < from) return null;

  const days = calendarDays(clock, from, to);
  const before =
    days === null
      ? from - (to - from)
      : clock.startOfDay(addDays(clock.dateOf(from), -days));
  return { from: clamp(before), to: from };
}

// Periods by name.

/** Longest period of the compact summary. */
export const MAX_DAYS = 365;

const UNIT_DAYS: Record<string, number> = { d: 1, w: 7, m: 30, y: 365 };
const LENGTH = /^[1-9]\d*[dwmy]$/;

const UNITS = ['week', 'month', 'quarter', 'year'] as const;
/** Unit of the calendar, and its offset from the current one. */
const CALENDAR: Record<string, readonly [CalendarUnit, number]> = {
  today: ['day', 0],
  yesterday: ['day', -1],
  ...Object.fromEntries(
    UNITS.flatMap((unit) => [
      [`this_${unit}`, [unit, 0]] as const,
      [`last_${unit}`, [unit, -1]],
    ]),
  ),
  ...Object.fromEntries(UNITS.map((unit) => [`${unit[0]}td`, [unit, 0]])),
};

export const CALENDAR_PERIODS = Object.keys(CALENDAR);

/** A year with a previous and a next one, or its month, quarter or ISO week by number. */
export const NUMBERED_PERIOD =
  /^(000[1-9]|00[1-9]\d|0[1-9]\d\d|[1-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])(?:-(0[1-9]|1[0-2])|-Q([1-4])|-W(0[1-9]|[1-4]\d|5[0-3]))?$/;
export const WHOLE_JOURNAL = 'all';

/** A period as in responses; null if open. */
export interface Span extends Interval {
  /** Its first and last day in the user's zone, both included. */
  first: string | null;
  last: string | null;
  days: number | null;
}

/** The requested period and its previous period. */
export interface Asked {
  span: Span;
  /** Null if there is none. */
  previous: Span | null;
  /** Whether it was longer than MAX_DAYS and was cut. */
  isCapped: boolean;
}

/** Days of a period such as 30d, 4w, 3m or 1y, not capped; null for any other text. */
export function daysOfPeriod(text: string): number | null {
  return LENGTH.test(text)
    ? Number(text.slice(0, -1)) * (UNIT_DAYS[text.slice(-1)] as number)
    : null;
}

/** n calendar days of the zone up to the end of a day; previous: as many days before. */
export function lastDaysTo(
  clock: ZoneClock,
  n: number,
  last: string,
  most: number | null = null,
): Asked {
  const days = Math.min(n, most ?? daysBetween(FIRST_DATE, last) + 1);
  const first = addDays(last, 1 - days);
  return {
    span: spanOfDays(clock, first, last),
    previous: spanOfDays(clock, addDays(first, -days), addDays(first, -1)),
    isCapped: most !== null && n > most,
  };
}

/**
 * A period by its length, up to today, or by its name.
 * @param most maximum of days; a longer period loses its first days
 * @returns null for an unknown name
 */
export function periodOf(
  clock: ZoneClock,
  text: string,
  today: string,
  most: number | null,
): Asked | null {
  const length = daysOfPeriod(text);
  if (length !== null) return lastDaysTo(clock, length, today, most);
  if (isDate(text)) return lastDaysTo(clock, 1, text, most);
  if (text === WHOLE_JOURNAL)
    return most === null
      ? EVERYTHING
      : lastDaysTo(clock, Number.POSITIVE_INFINITY, today, most);
  return (
    numberedPeriod(clock, text, today, most) ?? calendarPeriod(clock, text, today, most)
  );
}

/** Whether there is a period of this name or length. */
export function isPeriod(text: string): boolean {
  const isNamed = text === WHOLE_JOURNAL || Object.hasOwn(CALENDAR, text);
  return (
    isNamed ||
    isDate(text) ||
    daysOfPeriod(text) !== null ||
    firstOfNumbered(text) !== null
  );
}

const EVERYTHING: Asked = {
  span: { from: null, to: null, first: null, last: null, days: null },
  previous: null,
  isCapped: false,
};

/** Up to today for a current period; previous: as many days of the period before. */
function calendarPeriod(
  clock: ZoneClock,
  name: string,
  today: string,
  most: number | null,
): Asked | null {
  const named = Object.hasOwn(CALENDAR, name) ? CALENDAR[name] : undefined;
  if (!named) return null;
  const [unit, n] = named;
  const last = n === 0 ? today : addDays(startOfUnit(today, unit, n + 1), -1);
  return unitUpTo(clock, startOfUnit(today, unit, n), last, unit, today, most);
}

/**
 * The whole period, on any day; previous: of one that isn't over, as many days as have
 * begun.
 */
function numberedPeriod(
  clock: ZoneClock,
  text: string,
  today: string,
  most: number | null,
): Asked | null {
  const found = firstOfNumbered(text);
  if (!found) return null;
  const { first, unit } = found;
  return unitUpTo(
    clock,
    first,
    addDays(startOfUnit(first, unit, 1), -1),
    unit,
    today,
    most,
  );
}

function unitUpTo(
  clock: ZoneClock,
  first: string,
  last: string,
  unit: CalendarUnit,
  today: string,
  most: number | null,
): Asked {
  const isCapped = most !== null && daysBetween(first, last) >= most;
  const isOver = today >= startOfUnit(first, unit, 1) || today < first;
  const [before, end] = [startOfUnit(first, unit, -1), addDays(first, -1)];
  const sameDay = addDays(before, daysBetween(first, today));

  return {
    span: spanOfDays(clock, isCapped ? addDays(last, 1 - most) : first, last),
    previous: spanOfDays(clock, before, isOver || sameDay > end ? end : sameDay),
    isCapped,
  };
}

function firstOfNumbered(text: string): { first: string; unit: CalendarUnit } | null {
  const [, year, month, quarter, week] = NUMBERED_PERIOD.exec(text) ?? [];
  if (year === undefined) return null;
  if (month !== undefined) return { first: `${year}-${month}-01`, unit: 'month' };
  if (quarter !== undefined) {
    return {
      first: `${year}-${String(3 * Number(quarter) - 2).padStart(2, '0')}-01`,
      unit: 'quarter',
    };
  }
  if (week === undefined) return { first: `${year}-01-01`, unit: 'year' };

  // ISO 8601: week 1 is that of January 4, and a week belongs to the year of its
  // Thursday.
  const first = startOfUnit(`${year}-01-04`, 'week', Number(week) - 1);
  return addDays(first, 3).startsWith(year) ? { first, unit: 'week' } : null;
}

/** The period between two instants; previous: one of equal length. */
export function between(clock: ZoneClock, interval: Interval, now: number): Asked {
  const before = previousInterval(clock, interval, now);
  return {
    span: spanOf(clock, interval),
    previous: before && spanOf(clock, before),
    isCapped: false,
  };
}

/** Earlier dates don't have four-digit years. */
const FIRST_DATE = '0001-01-01';

function spanOfDays(clock: ZoneClock, first: string, last: string): Span {
  const atLeast = (date: string) => (date < FIRST_DATE ? FIRST_DATE : date);
  const days = daysBetween(first, last) + 1;
  return {
    ...daysFromTo(clock, first, last),
    first: atLeast(first),
    last: atLeast(last),
    days,
  };
}

function spanOf(clock: ZoneClock, { from, to }: Interval): Span {
  return {
    from,
    to,
    first: from === null ? null : clock.dateOf(from),
    last: to === null ? null : clock.dateOf(Math.max(to - 1, from ?? to - 1)),
    days: from === null || to === null ? null : lengthInDays(clock, from, to),
  };
}

/** A period in a response; null if open. */
export const spanRecord = f.record(() => ({
  start: f.orNull(f.instant('Start of the period; null if open')),
  end: f.orNull(f.instant('End of the period, exclusive; null if open')),
  days: f.orNull(
    f.plain(
      'Its length in days, calendar days if it starts and ends with one; null if open',
    ),
  ),
  start_date: f.orNull(f.date('Its first day; null if open')),
  end_date: f.orNull(f.date('Its last day, included; null if open')),
}));

/** The requested period. */
export const periodRecord = f.record(() => ({
  ...spanRecord.shape,
  timezone: f.ours('IANA time zone of days, weekdays and hours'),
  capped: f
    .flag(`True if it was longer than ${MAX_DAYS} days and was cut, else absent`)
    .optional(),
}));

export function spanFields({
  from,
  to,
  first,
  last,
  days,
}: Span): z.infer<typeof spanRecord> {
  return {
    start: from === null ? null : toInstantText(from),
    end: to === null ? null : toInstantText(to),
    days: ratioOrNull(days),
    start_date: first,
    end_date: last,
  };
}

export function periodFields(
  clock: ZoneClock,
  { span, isCapped }: Asked,
): z.infer<typeof periodRecord> {
  return {
    ...spanFields(span),
    timezone: clock.timeZone,
    ...(isCapped && { capped: true }),
  };
}
