/** The days of a call, by a period, a day, a month in words, or bounds. */
import { nearest } from '../errors.ts';
import { CALENDAR_PERIODS, periodOf } from '../journal/analytics/period.ts';
import { isDate, startOfUnit, ZoneClock } from '../time.ts';
import { type Api, ToolError } from './api.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The API's name of a period: last_week for "last week", 2026-10 for "October 2026". */
function periodMeant(text: string): string {
  const [, month, year] = /^([a-z]{3})[a-z]* (\d{4})$/i.exec(text.trim()) ?? [];
  const number = MONTHS.indexOf(month?.toLowerCase() ?? '') + 1;
  if (number > 0) return `${year}-${String(number).padStart(2, '0')}`;
  const isName = /^[a-z][a-z _-]*$/i.test(text.trim());
  return isName ? text.trim().toLowerCase().replace(/[ -]+/g, '_') : text.trim();
}

interface Dates {
  period?: string | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

/** A period for figures; a day becomes its start and end. */
export function datesForFigures({ period, ...bounds }: Dates): Dates {
  if (period === undefined) return bounds;
  const meant = periodMeant(period);
  requireNoBounds(bounds);
  return isDate(meant) ? { start: meant, end: meant } : { period: meant };
}

/**
 * The same for lists, which have no periods.
 * @returns start and end; of a period, dates in the user's zone, both included
 * @throws ToolError for an unknown period, or a period with start or end
 */
export async function startAndEnd(given: Dates, api: Api): Promise<Omit<Dates, 'period'>> {
  const { period, ...bounds } = datesForFigures(given);
  if (period === undefined) return bounds;
  const clock = new ZoneClock((await api.me()).user.timezone);
  const asked = periodOf(clock, period, clock.dateOf(api.now()), null);
  if (!asked) {
    const meant = nearest(period, CALENDAR_PERIODS);
    throw new ToolError(
      `unknown period "${period.slice(0, 60)}"${meant ? `; did you mean ${meant}?` : ''} (7d, 4w, 3m, 1y, 2026-10, all, ${CALENDAR_PERIODS.join(', ')})`,
    );
  }
  const { span } = asked;
  return { start: span.first ?? undefined, end: span.last ?? undefined };
}

function requireNoBounds({ start, end }: Dates): void {
  if (start !== undefined || end !== undefined) throw new ToolError('send either period or start and end, not both');
}

/** 2026-11-16 for 2026-W47; any other text unchanged. */
export function mondayOf(week: string): string {
  const [, year, number] = /^(\d{4})-W(\d\d)$/i.exec(week) ?? [];
  return year === undefined ? week : startOfUnit(`${year}-01-04`, 'week', Number(number) - 1);
}
