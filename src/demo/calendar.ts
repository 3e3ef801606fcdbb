/** The sample trader's trading days, and their clock times as instants. */
import { addDays, dateOfDay, dayNumber, parseLocal, toInstantText, weekdayOf } from '../time.ts';

export const ZONE = 'America/New_York';

/** Fixed holidays, with days before them that close early. Floating ones, such as the third Monday, by month: weekday, first possible day. */
const FIXED = ['01-01', '06-19', '07-03', '07-04', '12-24', '12-25'];
const FLOATING: Record<number, [number, number]> = { 1: [1, 15], 2: [1, 15], 5: [1, 25], 9: [1, 1], 11: [4, 22] };

/** The last `count` trading days before a day, oldest first. */
export function tradingDaysBefore(today: string, count: number): string[] {
  const days: string[] = [];
  for (let day = dayNumber(today) - 1; days.length < count; day--) {
    const date = dateOfDay(day);
    if (weekdayOf(day) <= 5 && !isDayOff(date)) days.unshift(date);
  }
  return days;
}

/** The instant of a minute of a local day, in milliseconds; fractions are seconds. */
export function at(date: string, minute: number): number {
  const clock = toInstantText(Math.floor(minute * 60) * 1000).slice(11, 19);
  return parseLocal(`${date}T${clock}`, ZONE)!;
}

/** The first Friday at least `days` days away on which options expire. */
export function expirationAfter(date: string, days: number): string {
  const first = dayNumber(date) + days;
  const friday = dateOfDay(first + ((12 - weekdayOf(first)) % 7));
  return isDayOff(friday) ? expirationAfter(friday, 7) : friday;
}

/** Whether the market is closed or closes early. Holidays on a weekend are observed on the nearest weekday. */
function isDayOff(date: string): boolean {
  const weekday = weekdayOf(dayNumber(date));
  const observed = weekday === 1 ? addDays(date, -1) : weekday === 5 ? addDays(date, 1) : date;
  const isFloating = (date: string): boolean => {
    const [, month, day] = date.split('-').map(Number) as [number, number, number];
    const [on, from] = FLOATING[month] ?? [0, 0];
    return weekdayOf(dayNumber(date)) === on && day >= from && day < from + 7;
  };
  const isAfterThanksgiving = weekday === 5 && isFloating(addDays(date, -1));
  const isGoodFriday = date === addDays(easterOf(Number(date.slice(0, 4))), -2);
  const isFixed = [date, observed].some((one) => FIXED.includes(one.slice(5)));
  return isFixed || isFloating(date) || isAfterThanksgiving || isGoodFriday;
}

/** Easter Sunday of a year from 1900 to 2099 (Carter's rule). */
function easterOf(year: number): string {
  let moon = 225 - 11 * (year % 19);
  while (moon > 50) moon -= 30;
  if (moon > 48) moon -= 1;
  const weekday = (year + Math.floor(year / 4) + moon + 1) % 7;
  return addDays(`${year}-03-01`, moon + 6 - weekday);
}
