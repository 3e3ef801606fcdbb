/** Days the sample trader could trade on, and clock times of those days as instants. */
import { addDays, dateOfDay, dayNumber, parseLocal, weekdayOf } from '../time.ts';

export const ZONE = 'America/New_York';

/** The last `count` trading days before a day, oldest first. Days that close early are left out: the trader takes them off. */
export function tradingDaysBefore(today: string, count: number): string[] {
  const days: string[] = [];
  for (let day = dayNumber(today) - 1; days.length < count; day--) {
    const date = dateOfDay(day);
    if (weekdayOf(day) <= 5 && !isHoliday(date) && !closesEarly(date)) days.unshift(date);
  }
  return days;
}

/** The instant of a minute of a local day; fractions are seconds. */
export function at(date: string, minute: number): number {
  const seconds = Math.floor(minute * 60);
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return parseLocal(`${date}T${clock.join(':')}`, ZONE)!;
}

/** The Friday, at least `days` days away, on which options expire; the day before where that is a holiday. */
export function expirationAfter(date: string, days: number): string {
  const first = dayNumber(date) + days;
  const friday = dateOfDay(first + ((12 - weekdayOf(first)) % 7));
  return isHoliday(friday) ? addDays(friday, -1) : friday;
}

/** The Monday of a day's week. */
export function mondayOf(date: string): string {
  return addDays(date, 1 - weekdayOf(dayNumber(date)));
}

const FIXED = ['01-01', '06-19', '07-04', '12-25'];
const EARLY = ['07-03', '12-24'];
/** Holidays such as the third Monday of January: month, weekday, and the first and last day of the month it can fall on. */
const FLOATING = [
  [1, 1, 15, 21],
  [2, 1, 15, 21],
  [5, 1, 25, 31],
  [9, 1, 1, 7],
  [11, 4, 22, 28],
] as const;

function isHoliday(date: string): boolean {
  const weekday = weekdayOf(dayNumber(date));
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  return (
    isFixed(date) ||
    (weekday === 1 && isFixed(addDays(date, -1))) ||
    (weekday === 5 && isFixed(addDays(date, 1))) ||
    FLOATING.some(([m, w, from, to]) => month === m && weekday === w && day >= from && day <= to) ||
    date === addDays(easterOf(year), -2)
  );
}

function isFixed(date: string): boolean {
  return FIXED.includes(date.slice(5));
}

function closesEarly(date: string): boolean {
  return EARLY.includes(date.slice(5)) || (date.slice(5, 7) === '11' && isHoliday(addDays(date, -1)));
}

/** Easter Sunday of a year from 1900 to 2099 (Carter's rule). */
function easterOf(year: number): string {
  let moon = 225 - 11 * (year % 19);
  while (moon > 50) moon -= 30;
  if (moon > 48) moon -= 1;
  const weekday = (year + Math.floor(year / 4) + moon + 1) % 7;
  return addDays(`${year}-03-01`, moon + 6 - weekday);
}
