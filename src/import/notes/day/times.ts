/** Dates and times of day in notes. An ambiguous date is reported. */
import { isDate, startOfUnit } from '../../../time.ts';
import { monthOf } from '../../parse/times.ts';

/** Number of characters searched for a date or time. */
const LONGEST = 200;

const ISO = /(?<!\d)(\d{4})([-_./])(\d{1,2})\2(\d{1,2})(?!\d)/;
const PLAIN = /(?<!\d)(20\d\d)(\d\d)(\d\d)(?!\d)/;
const DAY_FIRST = /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.? (\p{L}{3,9})\.?,? (\d{4})(?!\d)/u;
const MONTH_FIRST = /(?<!\p{L})(\p{L}{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/u;
const TWO_WAYS = /(?<!\d)(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)/;

export interface AmbiguousDate {
  unclear: string;
  ways: readonly string[];
}

export type NotedDate = { date: string } | AmbiguousDate;

/** @param remedy followed by an unambiguous date */
export function ambiguous({ unclear, ways }: AmbiguousDate, remedy: string): string {
  const how = ways.length > 0 ? `ambiguous date ${unclear} (${ways.join(' or ')})` : `invalid date ${unclear}`;
  return `${how}; ${remedy} ${ways[0] ?? '2026-11-20'}`;
}

/** The first date in a text, in any usual form; undefined without one. */
export function dateIn(text: string): NotedDate | undefined {
  const start = text.slice(0, LONGEST);
  const [, year = '', , month = '', day = ''] = ISO.exec(start) ?? [];
  const iso = dateOf(year, month, day);
  if (iso) return { date: iso };
  const [, y = '', m = '', d = ''] = PLAIN.exec(start) ?? [];
  const plain = dateOf(y, m, d);
  if (plain) return { date: plain };
  const named = inWords(start);
  if (named) return { date: named };
  const [written, first = '', second = '', own = ''] = TWO_WAYS.exec(start) ?? [];
  if (written === undefined) return undefined;
  const ways = [...new Set([dateOf(own, second, first), dateOf(own, first, second)])].filter(
    (way) => way !== undefined,
  );
  const [only] = ways;
  return only !== undefined && ways.length === 1 ? { date: only } : { unclear: written, ways };
}

const WEEK = /(?<!\d)(\d{4})[-_ ]?W(\d\d)(?!\d)/i;

/** The Monday of 2026-W47. */
export function mondayOf(text: string): { date: string } | undefined {
  const [, year = '', week = ''] = WEEK.exec(text.slice(0, LONGEST)) ?? [];
  if (year === '' || Number(week) < 1 || Number(week) > 53) return undefined;
  // 4 January is always in the first week.
  return { date: startOfUnit(`${year}-01-04`, 'week', Number(week) - 1) };
}

function inWords(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = DAY_FIRST.exec(text) ?? [];
  const [, named = '', own = '', of = ''] = MONTH_FIRST.exec(text) ?? [];
  return dateOf(year, monthIn(month), day) ?? dateOf(of, monthIn(named), own);
}

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december'],
];

/** A month by its name or first letters. */
function monthIn(word: string): string {
  const name = word.toLowerCase();
  return name.length >= 3 && MONTHS.some((month) => month.startsWith(name)) ? (monthOf(name.slice(0, 3)) ?? '') : '';
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

const ZONES: Readonly<Record<string, string>> = {
  ...{ ET: 'America/New_York', EST: 'America/New_York', EDT: 'America/New_York', UTC: 'UTC', GMT: 'UTC' },
  ...{ CT: 'America/Chicago', CST: 'America/Chicago', CDT: 'America/Chicago', MT: 'America/Denver' },
  ...{ PT: 'America/Los_Angeles', PST: 'America/Los_Angeles', PDT: 'America/Los_Angeles' },
};

const CLOCK =
  /(?<![\d:.,])(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d))?(?![\d:])(?: ?(?<half>[AaPp])\.?[Mm]\b\.?)?(?: (?<zone>[A-Z]{2,3})\b)?/;

/** The first time of day in a text, and its position. */
export function clockIn(text: string): { clock: Clock; from: number; to: number } | undefined {
  const match = CLOCK.exec(text.slice(0, LONGEST));
  if (!match) return undefined;
  const { hour = '', minute = '', second = '0', half, zone: named = '' } = match.groups ?? {};
  const zone = Object.hasOwn(ZONES, named) ? ZONES[named] : undefined;
  const ofDay = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const isTime = ofDay < 24 && Number(minute) < 60 && Number(second) < 60 && (half === undefined || Number(hour) <= 12);
  if (!isTime) return undefined;
  const to = match.index + match[0].length - (named !== '' && zone === undefined ? named.length : 0);
  return { clock: { hour: ofDay, minute: Number(minute), second: Number(second), zone }, from: match.index, to };
}

/** 09:41:00 */
export function clockText({ hour, minute, second }: Clock): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}
