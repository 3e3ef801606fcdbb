/** The days of a call, for lists, which have no periods. */
import { nearest } from '../errors.ts';
import { CALENDAR_PERIODS, periodOf } from '../journal/analytics/period.ts';
import { ZoneClock } from '../time.ts';
import { type Api, ToolError } from './api.ts';

interface Dates {
  period?: string | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

/**
 * @returns start and end for lists; of a period, dates in the user's zone, both included
 * @throws ToolError for an unknown period, or a period with start or end
 */
export async function startAndEnd({ period, start, end }: Dates, api: Api): Promise<Omit<Dates, 'period'>> {
  if (period === undefined) return { start, end };
  if (start !== undefined || end !== undefined) throw new ToolError('send either period or start and end, not both');
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
