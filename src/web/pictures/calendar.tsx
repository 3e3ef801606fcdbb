/**
 * Days in months, with their realised P&L. A day and a week are links to their figures.
 * Weeks begin on Monday, as in the journal. Months without results are omitted; long
 * periods have a row of months per year.
 */
import { useState } from 'preact/hooks';
import { Scroll } from '../components/table.tsx';
import type { DayResult } from '../days.ts';
import { plural, toneOf } from '../format.ts';
import { daysLater, mondayOf, monthLater } from '../periods.ts';
import { useResults } from '../results.ts';
import { useSession, useUnit } from '../session.ts';

interface CalendarProps {
  days: readonly DayResult[];
  /** The figures of a day, or of the week of a day. */
  hrefOfDay: (date: string) => string;
  hrefOfWeek: (date: string) => string;
}

/** More months than this are small: their days have amounts alone. */
const LARGE_MONTHS = 2;

/** More months than this aren't printed. */
const PAPER_MONTHS = 14;

/** More months than this are shown as years. */
const MOST_MONTHS = 26;

export function Calendar({ days, ...links }: CalendarProps) {
  const { isReport } = useSession();
  const [year, setYear] = useState<string | null>(null);
  const months = monthsOf(days);
  const isLong = months.length > MOST_MONTHS;
  const shown =
    isLong && !isReport
      ? months.filter(({ first }) => first.startsWith(`${year}-`))
      : months;
  const large = months.length <= LARGE_MONTHS;
  // 0 Sunday, 6 Saturday.
  const weekend = days.some(({ date }) => new Date(date).getUTCDay() % 6 === 0);
  const paper = months.length > PAPER_MONTHS ? 'no-print' : '';
  const scale = scaleOf(days.map(({ result }) => result));

  return (
    <>
      {isLong && (
        <Years
          months={months}
          chosen={year}
          onChoose={(next) => setYear(next === year ? null : next)}
        />
      )}
      {shown.length > 0 && (
        <div class={`calendar stack calendar-${large ? 'large' : 'small'} ${paper}`}>
          {shown.map((month) => (
            <Month
              key={month.first}
              month={month}
              large={large}
              weekend={weekend}
              scale={scale}
              {...links}
            />
          ))}
        </div>
      )}
    </>
  );
}

interface YearsProps {
  months: readonly MonthOfDays[];
  chosen: string | null;
  onChoose: (year: string) => void;
}

/** A row per year, a cell per month. */
function Years({ months, chosen, onChoose }: YearsProps) {
  const { format } = useSession();
  const { nameOfDays: name, bareGain, shortGain } = useResults();
  const sums = new Map(months.map(({ first, days }) => [first, sumOf(days.values())]));
  const scale = scaleOf([...sums.values()]);
  const years = [...new Set(months.map(({ first }) => first.slice(0, 4)))];
  const numbers = Array.from({ length: 12 }, (_, index) =>
    String(index + 1).padStart(2, '0'),
  );

  return (
    <Scroll label={`${name} by year and month`}>
      <table class="years">
        <caption class="unseen">{name} by year and month</caption>
        <thead>
          <tr>
            <th scope="col">Year</th>
            {numbers.map((number) => (
              <th scope="col" key={number}>
                {format.shortMonth(`2026-${number}-01`)}
              </th>
            ))}
            <th scope="col" class="number">
              {name}
            </th>
          </tr>
        </thead>
        <tbody>
          {years.map((year) => (
            <tr key={year}>
              <th scope="row">
                <button
                  type="button"
                  class="quiet"
                  aria-expanded={year === chosen}
                  onClick={() => onChoose(year)}
                >
                  {year}
                </button>
              </th>
              {numbers.map((number) => {
                const sum = sums.get(`${year}-${number}-01`);
                if (sum === undefined) return <td key={number} />;
                return (
                  <td key={number} {...tint('', sum, scale)}>
                    {bareGain(sum)}
                  </td>
                );
              })}
              <td class="number">
                {shortGain(
                  numbers.reduce(
                    (all, number) => all + (sums.get(`${year}-${number}-01`) ?? 0),
                    0,
                  ),
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function sumOf(days: Iterable<DayResult>): number {
  let sum = 0;
  for (const { result } of days) sum += result;
  return sum;
}

function tint(name: string, amount: number, scale: number) {
  const strength = Math.round(18 + 62 * Math.min(1, Math.abs(amount) / scale));
  return {
    class: `${name} tinted ${toneOf(amount)}`,
    style: { '--strength': `${strength}%` },
  };
}

interface MonthOfDays {
  /** 2026-11-01 */
  first: string;
  days: Map<string, DayResult>;
}

interface MonthProps extends Omit<CalendarProps, 'days'> {
  month: MonthOfDays;
  large: boolean;
  weekend: boolean;
  scale: number;
}

function Month({ month, large, weekend, scale, hrefOfDay, hrefOfWeek }: MonthProps) {
  const { format } = useSession();
  const { shortGain } = useResults();
  const weekdays = weekend ? 7 : 5;
  const sum = sumOf(month.days.values());

  return (
    <table class="month">
      <caption>
        <span class="month-head row">
          <span>
            {large ? format.month(month.first) : format.monthAndYear(month.first)}
          </span>
          <span class={toneOf(sum)}>{shortGain(sum)}</span>
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
          <th scope="col" class="week-sum">
            Week
          </th>
        </tr>
      </thead>
      <tbody>
        {weeksOf(month.first).map((week) => (
          <tr key={week[0]}>
            {week.slice(0, weekdays).map((date) => (
              <td key={date}>
                {date.slice(0, 7) === month.first.slice(0, 7) && (
                  <Day
                    day={month.days.get(date)}
                    date={date}
                    large={large}
                    scale={scale}
                    hrefOfDay={hrefOfDay}
                  />
                )}
              </td>
            ))}
            <WeekSum
              days={week.map((date) => month.days.get(date))}
              large={large}
              href={hrefOfWeek(week[0] as string)}
            />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  date: string;
  day: DayResult | undefined;
  large: boolean;
  scale: number;
  hrefOfDay: (date: string) => string;
}

function Day({ date, day, large, scale, hrefOfDay }: DayProps) {
  const { format } = useSession();
  const results = useResults();
  const unit = useUnit();
  if (!day) return <span class="day muted">{format.dayOfMonth(date)}</span>;

  const { result, trades, exits, r } = day;
  // Also a day without a closed trade has exits.
  const count =
    trades > 0 || exits === null ? plural(trades, unit) : plural(exits, 'exit');
  const more = r === null ? [count] : [count, format.r(r)];
  const parts = [results.gain(result), ...more];
  const description = `${format.longDay(date)}: ${parts.join(', ')}`;

  return (
    <a
      href={hrefOfDay(date)}
      {...tint('day', result, scale)}
      title={large ? undefined : description}
    >
      <span class="unseen">{description}</span>
      <span class="day-number" aria-hidden="true">
        {format.dayOfMonth(date)}
      </span>
      <span class="day-sum" aria-hidden="true">
        <Amount amount={result} large={large} />
      </span>
      {large && (
        <span class="day-more" aria-hidden="true">
          {more.join(' · ')}
        </span>
      )}
    </a>
  );
}

interface WeekSumProps {
  days: readonly (DayResult | undefined)[];
  large: boolean;
  href: string;
}

function WeekSum({ days, large, href }: WeekSumProps) {
  const traded = days.filter((day) => day !== undefined);
  if (traded.length === 0) return <td class="week-sum" />;

  const sum = sumOf(traded);
  return (
    <td class={`week-sum ${toneOf(sum)}`}>
      <a href={href}>
        <Amount amount={sum} large={large} />
      </a>
    </td>
  );
}

/** In a large cell with more digits, where the screen has room for one. */
function Amount({ amount, large }: { amount: number; large: boolean }) {
  const { bareGain, cellGain } = useResults();
  return (
    <>
      <span class="cell-amount">{cellGain(amount)}</span>
      {large && <span class="large-amount">{bareGain(amount)}</span>}
    </>
  );
}

/** Each month with results. */
function monthsOf(results: readonly DayResult[]): MonthOfDays[] {
  const months: MonthOfDays[] = [];
  for (const day of results) {
    const first = `${day.date.slice(0, 7)}-01`;
    if (months.at(-1)?.first !== first) months.push({ first, days: new Map() });
    months.at(-1)?.days.set(day.date, day);
  }
  return months;
}

/** The weeks of a month, from Monday to Sunday, with the days of its neighbours. */
function weeksOf(first: string): string[][] {
  const weeks: string[][] = [];
  for (
    let monday = mondayOf(first);
    monday < monthLater(first, 1);
    monday = daysLater(monday, 7)
  ) {
    weeks.push(Array.from({ length: 7 }, (_, day) => daysLater(monday, day)));
  }
  return weeks;
}

/**
 * The 90th percentile of amounts has the full colour, so that an outlier doesn't bleach
 * the others.
 */
function scaleOf(amounts: readonly number[]): number {
  const sizes = amounts.map(Math.abs).sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length * 0.9)] || 1;
}
