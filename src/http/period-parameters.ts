/**
 * Parameters of the period: period, days and end of the compact summary; period, start
 * and end of the analytics.
 */
import {
  type Asked,
  between,
  CALENDAR_PERIODS,
  daysOfPeriod,
  isPeriod,
  lastDaysTo,
  MAX_DAYS,
  NUMBERED_PERIOD,
  periodOf,
  WHOLE_JOURNAL,
} from '../journal/analytics/period.ts';
import { isDate, type ZoneClock } from '../time.ts';
import { intervalOf, type Parameter, type Query, shown } from './parameter.ts';
import { invalidParameter } from './problem.ts';

const DEFAULT_DAYS = 30;

const LENGTHS = '<n>d, <n>w, <n>m (30 days each) or <n>y up to and including today';
const NAMES =
  `a period of the calendar in the user's time zone, weeks from Monday: ` +
  `${CALENDAR_PERIODS.join(', ')} (wtd, mtd, qtd and ytd are other names of this_week, ` +
  'this_month, this_quarter and this_year), or 2026, 2026-10, 2026-Q3, 2026-W47 (ISO 8601), ' +
  '2026-11-20 as a whole';

const periodParameter = (what: string): Parameter => ({
  name: 'period',
  description: `The period: ${LENGTHS}; ${NAMES}; ${what}`,
  schema: {
    type: 'string',
    anyOf: [
      { pattern: '^[1-9][0-9]*[dwmy]$' },
      { pattern: NUMBERED_PERIOD.source },
      { format: 'date' },
      { enum: [...CALENDAR_PERIODS, WHOLE_JOURNAL] },
    ],
  },
  example: 'last_month',
  validationError: (text) =>
    isPeriod(text)
      ? undefined
      : 'must be a length such as 7d, 4w, 3m or 1y, ' +
        'a period such as 2026, 2026-10, 2026-Q3, 2026-W47 or 2026-11-20, ' +
        `or one of ${[...CALENDAR_PERIODS, WHOLE_JOURNAL].join(', ')}; got "${shown(text)}"`,
});

export const period = periodParameter('or all for the whole journal');
export const cappedPeriod = periodParameter(
  `or all. A period of more than ${MAX_DAYS} days is cut at its start, and capped is true`,
);

export const days: Parameter = {
  name: 'days',
  description:
    'Length of the period in days, up to and including today or end; ' +
    `at most ${MAX_DAYS}. Overrides period (default: ${DEFAULT_DAYS})`,
  schema: { type: 'number', minimum: 1, multipleOf: 1 },
  example: 30,
  validationError: (text) =>
    /^[1-9]\d*(\.0+)?$/.test(text)
      ? undefined
      : `must be a whole number of at least 1, such as 30; got "${shown(text)}"`,
};

export const lastDay: Parameter = {
  name: 'end',
  description: 'The last day of the period (default: today)',
  schema: { type: 'string', format: 'date' },
  example: '2026-10-31',
  validationError: (text) =>
    isDate(text) ? undefined : `must be a date, such as 2026-10-31; got "${shown(text)}"`,
};

/** @throws Problem for an end with a period of the calendar */
export function summaryPeriod(query: Query, clock: ZoneClock, now: number): Asked {
  const { days, period = `${DEFAULT_DAYS}d`, end } = query;
  const today = clock.dateOf(now);
  const length = days === undefined ? daysOfPeriod(period) : Number(days);
  if (length !== null) return lastDaysTo(clock, length, end ?? today, MAX_DAYS);
  if (end !== undefined) {
    throw invalidParameter(
      'end',
      `end needs a number of days, such as 30d; ${period} has its own end`,
    );
  }

  return periodOf(clock, period, today, MAX_DAYS) as Asked;
}

/** @throws Problem for a period with start or end, and for a start after the end */
export function analyticsPeriod(query: Query, clock: ZoneClock, now: number): Asked {
  const { period, start, end } = query;
  if (period === undefined) return between(clock, intervalOf(query, clock), now);
  if (start !== undefined || end !== undefined) {
    throw invalidParameter('period', 'send either period, or start and end, not both');
  }
  return periodOf(clock, period, clock.dateOf(now), null) as Asked;
}
