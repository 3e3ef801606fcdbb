/** The periods on offer, as in the address and in API requests. */

export const PERIODS = {
  today: 'Today',
  this_week: 'This week',
  this_month: 'This month',
  last_month: 'Last month',
  '30d': '30 days',
  '90d': '90 days',
  this_year: 'This year',
  all: 'All',
} as const;

const DEFAULT_PERIOD = '90d';

type PlaceQuery = Readonly<Record<string, string>>;

/** One of the names above, or a month such as 2026-10; null if the address has days of its own. */
export function periodName({ period, start, end }: PlaceQuery): string | null {
  if (start || end) return null;
  return period ?? DEFAULT_PERIOD;
}

/** The part of a place's query that names the period. */
export function periodQuery({ period, start, end }: PlaceQuery): Record<string, string | undefined> {
  return { period, start, end };
}

/** The API's parameters for it. */
export function apiPeriod(query: PlaceQuery): Record<string, string | undefined> {
  const name = periodName(query);
  if (name === null) return { start: query['start'], end: query['end'] };
  return name === 'all' ? {} : { period: name };
}

/** The month of a period, such as 2026-10; else null. @param today 2026-11-20 */
function monthOf(name: string | null, today: string): string | null {
  if (name === 'this_month') return today.slice(0, 7);
  if (name === 'last_month') return monthBeside(today.slice(0, 7), -1);
  return name !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(name) ? name : null;
}

/** The months before and after the period's month; for any other period, this month. None begins after today. */
export function monthsBeside(query: PlaceQuery, today: string): { before: string; after: string | null } {
  const current = monthOf(periodName(query), today);
  const thisMonth = today.slice(0, 7);
  if (current === null) return { before: thisMonth, after: null };
  const after = monthBeside(current, 1);
  return { before: monthBeside(current, -1), after: after > thisMonth ? null : after };
}

function monthBeside(month: string, step: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + step)).toISOString().slice(0, 7);
}
