/** Dates and times of day as people write them. An ambiguous date is reported. */
import { clearZoneOf, isDate, mondayOfWeek, monthNamed } from '../../time.ts';

/** Number of characters searched for a date or time. */
const LONGEST = 200;

const ISO =
  /(?<!\d)(?<year>\d{4})(?<mark>[-_./])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?!\d)/;
const DIGITS = /(?<!\d)(?<year>20\d\d)(?<month>\d\d)(?<day>\d\d)(?!\d)/;
const DAY_FIRST =
  /(?<!\d)(?<day>\d{1,2})(?:st|nd|rd|th)?\.? (?<word>\p{L}{3,9})\.?,? (?<year>\d{4})(?!\d)/u;
const MONTH_FIRST =
  /(?<!\p{L})(?<word>\p{L}{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)/u;
const TWO_WAYS = /(?<!\d)(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)/;

/** Forms that can be read in one way only, in the order in which they are tried. */
const CLEAR = [ISO, DIGITS, DAY_FIRST, MONTH_FIRST];

export interface AmbiguousDate {
  unclear: string;
  ways: readonly string[];
}

export type NotedDate = { date: string } | AmbiguousDate;

/** @param remedy followed by an unambiguous date */
export function ambiguous({ unclear, ways }: AmbiguousDate, remedy: string): string {
  const how =
    ways.length > 0
      ? `ambiguous date ${unclear} (${ways.join(' or ')})`
      : `invalid date ${unclear}`;
  return `${how}; ${remedy} ${ways[0] ?? '2026-11-20'}`;
}

/** The first date in a text, in any usual form; undefined without one. */
export function dateIn(text: string): NotedDate | undefined {
  const start = text.slice(0, LONGEST);
  for (const form of CLEAR) {
    const { year = '', month, word = '', day = '' } = form.exec(start)?.groups ?? {};
    const date = dateOf(year, month ?? monthNamed(word) ?? '', day);
    if (date !== undefined) return { date };
  }

  const [written, first = '', second = '', year = ''] = TWO_WAYS.exec(start) ?? [];
  if (written === undefined) return undefined;

  const dates = [dateOf(year, second, first), dateOf(year, first, second)];
  const ways = [...new Set(dates)].filter((way) => way !== undefined);
  const [only] = ways;

  return only !== undefined && ways.length === 1
    ? { date: only }
    : { unclear: written, ways };
}

/** The date in a text, if it has one and it is clear. */
export function clearDateIn(text: string): string | undefined {
  const found = dateIn(text);
  return found && 'date' in found ? found.date : undefined;
}

const WEEK = /(?<!\d)(\d{4})[-_ ]?W(\d\d)(?!\d)/i;

/** The Monday of 2026-W47. */
export function mondayOf(text: string): { date: string } | undefined {
  const [, year, week] = WEEK.exec(text.slice(0, LONGEST)) ?? [];
  const date = mondayOfWeek(`${year}-W${week}`);
  return date === undefined ? undefined : { date };
}

function dateOf(year: string, month: string, day: string): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(date) ? date : undefined;
}

/** A time of day. */
export interface Clock {
  hour: number;
  minute: number;
  second: number;
  /** The named zone. */
  zone: string | undefined;
}

const CLOCK =
  /(?<![\d:.,])(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d))?(?![\d:])(?: ?(?<half>[AaPp])\.?[Mm]\b\.?)?(?: (?<zone>[A-Z]{2,3})\b)?/;

/** The first time of day in a text, and its position. */
export function clockIn(
  text: string,
): { clock: Clock; from: number; to: number } | undefined {
  const match = CLOCK.exec(text.slice(0, LONGEST));
  if (!match) return undefined;

  const {
    hour = '',
    minute = '',
    second = '0',
    half,
    zone: named = '',
  } = match.groups ?? {};
  const zone = clearZoneOf(named);
  const clock = {
    hour: hourOf(Number(hour), half),
    minute: Number(minute),
    second: Number(second),
    zone,
  };
  const isTime = clock.hour < 24 && clock.minute < 60 && clock.second < 60;
  if (!isTime || (half !== undefined && Number(hour) > 12)) return undefined;

  const end = match.index + match[0].length;
  // Letters that are no zone are words.
  return { clock, from: match.index, to: zone === undefined ? end - named.length : end };
}

/** @param half a or p, of a 12-hour clock */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** 09:41:00 */
export function clockText({ hour, minute, second }: Clock): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}
