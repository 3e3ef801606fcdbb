/** Intervals of time, and their bounds from days of a zone. */
import { addDays, DAY, daysBetween, toInstantText, type ZoneClock } from '../../time.ts';
import type { Range } from '../where.ts';

/** Epoch milliseconds, half-open; null where open. */
export interface Interval {
  from: number | null;
  to: number | null;
}

/** An interval with both bounds. */
export interface ClosedInterval extends Interval {
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
  return { from: clock.startOfDay(addDays(tomorrow, -n)), to: clock.startOfDay(tomorrow) };
}

/** The days from one to another, both included. */
export function daysFromTo(clock: ZoneClock, first: string, last: string): ClosedInterval {
  return { from: clamp(clock.startOfDay(first)), to: clamp(clock.startOfDay(addDays(last, 1))) };
}

/** Length of a closed period in days: calendar days if it starts and ends with one, else 24 hours per day. */
export function lengthInDays(clock: ZoneClock, from: number, to: number): number {
  return calendarDays(clock, from, to) ?? (to - from) / DAY;
}

function calendarDays(clock: ZoneClock, from: number, to: number): number | null {
  const [first, end] = [clock.dateOf(from), clock.dateOf(to)];
  const whole = clock.startOfDay(first) === from && clock.startOfDay(end) === to;
  return whole ? daysBetween(first, end) : null;
}

/**
 * Previous period of equal length, which ends at the start of this one. A period without an end ends with today. Null without a start,
 * and if the start is after today.
 */
export function previousInterval(clock: ZoneClock, interval: Interval, now: number): ClosedInterval | null {
  if (interval.from === null) return null;
  const from = interval.from;
  const to = interval.to ?? lastDays(clock, 1, now).to;
  if (to < from) return null;
  const days = calendarDays(clock, from, to);
  const before = days === null ? from - (to - from) : clock.startOfDay(addDays(clock.dateOf(from), -days));
  return { from: clamp(before), to: from };
}
