/** The periods on offer, as in the address and in API requests, and their days. */
import type { Formats } from './format.ts';

export const PERIODS = {
  today: 'Today',
  this_week: 'This week',
  last_week: 'Last week',
  this_month: 'This month',
  last_month: 'Last month',
  '30d': '30 days',
  '90d': '90 days',
  this_year: 'This year',
  all: 'All',
} as const;

const DEFAULT_PERIOD = '90d';

type PlaceQuery = Readonly<Record<string, string>>;

/**
 * One of the names above, or a month such as 2026-10; null if the address has days of its
 * own.
 */
export function periodName({ period, start, end }: PlaceQuery): string | null {
  if (start || end) return null;
  return period ?? DEFAULT_PERIOD;
}

/** The part of a place's query that names the period. */
export function periodQuery({
  period,
  start,
  end,
}: PlaceQuery): Record<string, string | undefined> {
  return { period, start, end };
}

/** The API's parameters for it. */
export function apiPeriod(query: PlaceQuery): Record<string, string | undefined> {
  const name = periodName(query);
  if (name === null) return { start: query['start'], end: query['end'] };
  return name === 'all' ? {} : { period: name };
}

export const DAY_MS = 86_400_000;

/** A month, a week from Monday or a day, by its first day. */
interface Span {
  unit: 'month' | 'week' | 'day';
  first: string;
}

/**
 * The span of a period such as this_week, 2026-10, 2026-W47 or 2026-11-20; else null.
 * @param today 2026-11-20
 */
function spanOf(name: string | null, today: string): Span | null {
  const [month, week] = [`${today.slice(0, 7)}-01`, mondayOf(today)];
  const named: Record<string, Span> = {
    today: { unit: 'day', first: today },
    this_week: { unit: 'week', first: week },
    last_week: { unit: 'week', first: daysLater(week, -7) },
    this_month: { unit: 'month', first: month },
    last_month: { unit: 'month', first: monthLater(month, -1) },
  };
  const [, year = '', rest = ''] = /^(\d{4})-(.*)$/.exec(name ?? '') ?? [];
  if (/^(0[1-9]|1[0-2])$/.test(rest)) return { unit: 'month', first: `${name}-01` };
  // The fourth of January is always in the first week.
  if (/^W\d\d$/.test(rest)) {
    return {
      unit: 'week',
      first: daysLater(mondayOf(`${year}-01-04`), 7 * (Number(rest.slice(1)) - 1)),
    };
  }
  if (!Number.isNaN(Date.parse(`${name}`)) && /^\d\d-\d\d$/.test(rest))
    return { unit: 'day', first: `${name}` };

  return named[name ?? ''] ?? null;
}

/** The Monday of a period that is a week; else null. */
export function weekOf(query: PlaceQuery, today: string): string | null {
  const span = spanOf(periodName(query), today);
  return span?.unit === 'week' ? span.first : null;
}

/** The period's name in the address and for the API. */
export function nameOfSpan({ unit, first }: Span): string {
  if (unit === 'day') return first;
  if (unit === 'month') return first.slice(0, 7);
  // A week belongs to the year of its Thursday.
  const year = daysLater(first, 3).slice(0, 4);
  const weeks =
    (Date.parse(first) - Date.parse(mondayOf(`${year}-01-04`))) / (7 * DAY_MS);
  return `${year}-W${String(weeks + 1).padStart(2, '0')}`;
}

/**
 * The periods before and after one, of its own length; for any other period, this month.
 * None begins after today.
 */
export function periodsBeside(
  name: string | null,
  today: string,
): { before: string; after: string | null } {
  const span = spanOf(name, today);
  if (span === null) return { before: today.slice(0, 7), after: null };

  const { unit, first } = span;
  const beside = (step: number): Span => ({
    unit,
    first:
      unit === 'month'
        ? monthLater(first, step)
        : daysLater(first, unit === 'week' ? 7 * step : step),
  });

  const after = beside(1);
  return {
    before: nameOfSpan(beside(-1)),
    after: after.first > today ? null : nameOfSpan(after),
  };
}

/** A period as text; its name if it is none of these. */
export function titleOf(name: string, today: string, format: Formats): string {
  const span = spanOf(name, today);
  if (span === null) return name;
  if (span.unit === 'day') return format.day(span.first);
  if (span.unit === 'month') return format.month(span.first);
  return `${format.shortDay(span.first)} – ${format.date(daysLater(span.first, 6))}`;
}

export function mondayOf(date: string): string {
  return daysLater(date, -((new Date(date).getUTCDay() + 6) % 7));
}

export function daysLater(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

export function monthLater(first: string, step: number): string {
  const [year, number] = first.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + step)).toISOString().slice(0, 10);
}
