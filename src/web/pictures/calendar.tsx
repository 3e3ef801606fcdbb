/** Days in months, coloured by what they made. A click on a day lists it. Weeks begin on Monday, as the journal's do. */
import { type Formats, plural, toneOf } from '../format.ts';
import { useSession } from '../session.ts';
import type { Daily } from '../types.ts';

const DAY_MS = 86_400_000;

interface CalendarProps {
  daily: readonly Daily[];
  chosen: string | null;
  onChoose: (date: string) => void;
}

/** More months than this are drawn small, without words in their days. */
const LARGE_MONTHS = 2;

/** And more than this don't go on a sheet of paper. */
const PAPER_MONTHS = 14;

export function Calendar({ daily, chosen, onChoose }: CalendarProps) {
  const months = monthsOf(daily);
  const large = months.length <= LARGE_MONTHS;
  const weekend = daily.some(({ date }) => weekdayOf(date) > 5);
  const scale = scaleOf(daily);
  return (
    <div
      class={`calendar ${large ? 'calendar-large' : 'calendar-small'} ${months.length > PAPER_MONTHS ? 'calendar-long' : ''}`}
    >
      {months.map((month) => (
        <Month key={month.first} {...{ month, large, weekend, scale, chosen, onChoose }} />
      ))}
    </div>
  );
}

interface MonthOfDays {
  /** 2026-11-01 */
  first: string;
  days: Map<string, Daily>;
}

interface MonthProps extends Omit<CalendarProps, 'daily'> {
  month: MonthOfDays;
  large: boolean;
  weekend: boolean;
  scale: number;
}

function Month({ month, large, weekend, scale, chosen, onChoose }: MonthProps) {
  const { format } = useSession();
  const weekdays = weekend ? 7 : 5;
  const sum = [...month.days.values()].reduce((total, day) => total + day.net_pnl, 0);
  return (
    <table class="month">
      <caption>
        <span class="month-head">
          <span>{large ? format.month(month.first) : format.monthAndYear(month.first)}</span>
          <span class={toneOf(sum)}>{format.shortGain(sum)}</span>
        </span>
      </caption>
      <thead>
        <tr>
          {Array.from({ length: weekdays }, (_, index) => (
            <th scope="col" key={index}>
              <abbr title={format.weekday(index + 1, 'long')}>
                {format.weekday(index + 1, large ? 'short' : 'narrow')}
              </abbr>
            </th>
          ))}
          {large && (
            <th scope="col" class="week-sum">
              Week
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month.first).map((week) => (
          <tr key={week[0]}>
            {week.slice(0, weekdays).map((date) => (
              <td key={date}>
                {date.slice(0, 7) === month.first.slice(0, 7) && (
                  <Day day={month.days.get(date)} isChosen={date === chosen} {...{ date, large, scale, onChoose }} />
                )}
              </td>
            ))}
            {large && <WeekSum days={week.map((date) => month.days.get(date))} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  date: string;
  day: Daily | undefined;
  large: boolean;
  scale: number;
  isChosen: boolean;
  onChoose: (date: string) => void;
}

function Day({ date, day, large, scale, isChosen, onChoose }: DayProps) {
  const { format } = useSession();
  if (!day) return <span class="day day-empty">{format.dayOfMonth(date)}</span>;
  const strength = Math.round(18 + 62 * Math.min(1, Math.abs(day.net_pnl) / scale));
  const says = saysOf(day, format);
  return (
    <button
      type="button"
      class={`day ${toneOf(day.net_pnl)}`}
      style={{ '--strength': `${strength}%` }}
      aria-pressed={isChosen}
      aria-label={says}
      title={large ? undefined : says}
      onClick={() => onChoose(date)}
    >
      <span class="day-number">{format.dayOfMonth(date)}</span>
      {large && (
        <>
          <span class="day-sum">{format.bareGain(day.net_pnl)}</span>
          <span class="day-more">
            {plural(day.trades, 'trade')}
            {day.total_r !== null && ` · ${format.r(day.total_r)}`}
          </span>
        </>
      )}
    </button>
  );
}

function WeekSum({ days }: { days: readonly (Daily | undefined)[] }) {
  const { format } = useSession();
  const traded = days.filter((day) => day !== undefined);
  if (traded.length === 0) return <td class="week-sum" />;
  const sum = traded.reduce((total, day) => total + day.net_pnl, 0);
  return <td class={`week-sum ${toneOf(sum)}`}>{format.shortGain(sum)}</td>;
}

function saysOf(day: Daily, format: Formats): string {
  const r = day.total_r !== null ? `, ${format.r(day.total_r)}` : '';
  return `${format.longDay(day.date)}: ${format.gain(day.net_pnl)}, ${plural(day.trades, 'trade')}${r}`;
}

/** Each month from the first to the last day, also those without trades. */
function monthsOf(daily: readonly Daily[]): MonthOfDays[] {
  const months: MonthOfDays[] = [];
  for (const day of daily) {
    for (let month = day.date.slice(0, 7); months.at(-1)?.first.slice(0, 7) !== month; ) {
      const last = months.at(-1)?.first;
      months.push({ first: last === undefined ? `${month}-01` : monthAfter(last), days: new Map() });
    }
    months.at(-1)?.days.set(day.date, day);
  }
  return months;
}

function monthAfter(first: string): string {
  return isoOf(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7))));
}

/** The weeks of a month, from Monday to Sunday, with the days of its neighbours. */
function weeksOf(first: string): string[][] {
  const start = Date.parse(first) - (weekdayOf(first) - 1) * DAY_MS;
  const end = Date.parse(monthAfter(first));
  const weeks: string[][] = [];
  for (let at = start; at < end; at += 7 * DAY_MS) {
    weeks.push(Array.from({ length: 7 }, (_, day) => isoOf(at + day * DAY_MS)));
  }
  return weeks;
}

/** What counts as a strong day: nine in ten are weaker, so that one outlier doesn't bleach all others. */
function scaleOf(daily: readonly Daily[]): number {
  const sizes = daily.map((day) => Math.abs(day.net_pnl)).sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length * 0.9)] || 1;
}

/** 1 Monday to 7 Sunday. */
function weekdayOf(date: string): number {
  return new Date(date).getUTCDay() || 7;
}

function isoOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
