/** start and end: dates are whole days of the user's zone, timestamps are instants; together a half-open interval. */

import { clamp, type Interval } from '../journal/analytics/interval.ts';
import type { ListResource } from '../journal/resource.ts';
import type { Range } from '../journal/where.ts';
import { addDays, isDate, lacksOffset, parseInstant, toInstantText, type ZoneClock } from '../time.ts';
import { invalidParameter, type Problem } from './problem.ts';

/** Error of a bound, which follows its name; undefined for a date or a timestamp with an offset. */
export function boundError(text: string): string | undefined {
  if (isDate(text) || parseInstant(text) !== undefined) return undefined;
  if (/\d [\d:]+$/.test(text) && parseInstant(text.replace(/ ([\d:]+)$/, '+$1')) !== undefined) {
    return 'has a space in place of its offset; in a URL + means a space, so write it as %2B';
  }
  if (lacksOffset(text))
    return 'is a timestamp without an offset; add Z or an offset such as %2B02:00, or send only a date';
  return `must be a valid date, such as 2026-11-20, or an RFC 3339 timestamp with an offset, such as 2026-11-20T09:30:00Z; got "${text.slice(0, 60)}"`;
}

/**
 * The requested interval in epoch milliseconds, from bounds in a valid form.
 * @throws Problem if start is after end
 */
export function intervalOf(query: { readonly start?: string; readonly end?: string }, clock: ZoneClock): Interval {
  const { start, end } = query;
  const interval = { from: instantOf('start', start, clock), to: instantOf('end', end, clock) };
  if (isBackwards(interval, start ?? '', end ?? '')) throw backwards(interval, start ?? '', end ?? '');
  return {
    from: interval.from === null ? null : clamp(interval.from),
    to: interval.to === null ? null : clamp(interval.to),
  };
}

/** A timestamp and a date, or two offsets, don't show which is later: so the message has both as instants. */
function backwards({ from, to }: Interval, start: string, end: string): Problem {
  const sent = `got start=${start} and end=${end}`;
  if (isDate(start) && isDate(end)) return invalidParameter('start', `start must not be after end; ${sent}`);
  const read = `which starts at ${toInstantText(from as number)} and ends before ${toInstantText(to as number)}`;
  const wrong =
    from === to ? 'start and end are the same instant, so the interval is empty' : 'start must not be after end';
  return invalidParameter('start', `${wrong}; ${sent}, ${read}`);
}

function isBackwards({ from, to }: Interval, start: string, end: string): boolean {
  if (from === null || to === null) return false;
  // Compared as dates: a day that a zone skipped starts and ends at the same instant.
  if (isDate(start) && isDate(end)) return start > end;
  return from > to || (from === to && isDate(end));
}

/** The same interval as bounds of a resource's ordering column. A date counts as the start of its day. */
export function columnRange(interval: Interval, resource: Pick<ListResource, 'orderKind'>, clock: ZoneClock): Range {
  const bound = (at: number | null) => {
    if (at === null) return null;
    if (resource.orderKind === 'instant') return toInstantText(at);
    const date = clock.dateOf(at);
    return clock.startOfDay(date) >= at ? date : addDays(date, 1);
  };
  return { from: bound(interval.from), to: bound(interval.to) };
}

function instantOf(name: 'start' | 'end', text: string | undefined, clock: ZoneClock): number | null {
  if (text === undefined) return null;
  if (isDate(text)) return clock.startOfDay(name === 'end' ? addDays(text, 1) : text);
  return parseInstant(text) as number;
}
