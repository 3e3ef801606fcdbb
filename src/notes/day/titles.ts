/**
 * Dates and times of day in notes, and facts of trades in headings. An ambiguous date is reported.
 */

import { monthOf } from '../../import/parse/times.ts';
import { isDate, startOfUnit } from '../../time.ts';

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
  const how =
    ways.length > 0
      ? `ambiguous date ${unclear} (${ways.join(' or ')})`
      : `invalid date ${unclear}`;
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
  ...[
    'january',
    'february',
    'march',
    'april',
    'may',
    'june',
    'july',
    'august',
    'september',
    'october',
  ],
  ...['november', 'december'],
];

/** A month by its name or first letters. */
function monthIn(word: string): string {
  const name = word.toLowerCase();
  return name.length >= 3 && MONTHS.some((month) => month.startsWith(name))
    ? (monthOf(name.slice(0, 3)) ?? '')
    : '';
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
  ...{
    ET: 'America/New_York',
    EST: 'America/New_York',
    EDT: 'America/New_York',
    UTC: 'UTC',
    GMT: 'UTC',
  },
  ...{
    CT: 'America/Chicago',
    CST: 'America/Chicago',
    CDT: 'America/Chicago',
    MT: 'America/Denver',
  },
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
  const ofDay =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const isTime =
    ofDay < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    (half === undefined || Number(hour) <= 12);
  if (!isTime) return undefined;
  const to =
    match.index + match[0].length - (named !== '' && zone === undefined ? named.length : 0);
  return {
    clock: { hour: ofDay, minute: Number(minute), second: Number(second), zone },
    from: match.index,
    to,
  };
}

/** 09:41:00 */
export function clockText({ hour, minute, second }: Clock): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}

// Facts of a trade in a heading, bullet or callout title: time, symbol, side and number.

export interface Title {
  id: string | undefined;
  clock: Clock | undefined;
  number: number | undefined;
  /** Whether the number counts trades of the symbol: #2, unlike Trade 2. */
  countsSymbol: boolean;
  symbol: string | undefined;
  side: 'long' | 'short' | undefined;
  isMissed: boolean;
  /** The other words. */
  rest: string;
}

const LONGEST_TITLE = 300;

const ID = /<!-- {0,3}t:([A-Za-z0-9._:~-]{1,128}) {0,3}-->/;
const COMMENT = /<!--[^<>]{0,300}-->/g;
const TAG = /<\/?[a-z][^<>]{0,80}>/gi;
const NUMBER = /\(?\btrade #?(\d{1,3})\b:?\)?|\(?(?<![\p{L}\p{N}])#(\d{1,3})\b\)?/iu;
const SIDE = /^(?:(long|buy|bought)|(short|sell|sold))$/i;
const SYMBOL = /^[$/]?(?=[\p{Lu}\p{N}./_!-]{1,20}$)[\p{N}]{0,3}\p{Lu}[\p{Lu}\p{N}./_!-]{0,19}$/u;
const LINK = /\[\[(?:[^\][|]{1,80}\|)?([^\][|]{1,40})\]\]/g;
/** Words in capitals that aren't symbols. */
const NO_SYMBOL =
  /^(?:AM|PM|ET|CT|PT|MT|UTC|GMT|BE|WIN|LOSS|TRADE|LONG|SHORT|A|I|R|PNL|P&L|NO|OK|VWAP|FOMO|HOD|LOD|NFP|CPI|FOMC|TP|SL)$/i;
/** Words and figures for the result of a trade. */
const RESULT =
  /^(?:be|win|won|loss|lost|loser|winner|breakeven|scratch|am|pm|[✅❌🟢🔴⚪]|[-+]?[$€£]?[-+]?\d[\d.,]{0,12}r?)$/iu;

/** @returns undefined if it is too long for a title */
export function titleIn(text: string): Title | undefined {
  if (text.length > LONGEST_TITLE) return undefined;
  const id = ID.exec(text)?.[1];
  let rest = text
    .replaceAll(COMMENT, ' ')
    .replaceAll(TAG, ' ')
    .replaceAll(LINK, '$1')
    .replaceAll(/[*_`=~]/g, '');
  const isMissed = id === undefined && /\bmissed\b/i.test(rest);
  if (isMissed) rest = rest.replace(/\(?\bmissed\b:?\)?/i, ' ');
  rest = withoutDate(rest);
  const found = clockIn(rest);
  if (found) rest = `${rest.slice(0, found.from)} ${rest.slice(found.to)}`;
  const number = NUMBER.exec(rest);
  if (number) rest = rest.replace(NUMBER, ' ');
  const { symbol, side, words } = wordsIn(rest);
  const own = number?.[1] ?? number?.[2];
  return {
    id,
    clock: found?.clock,
    number: own === undefined ? undefined : Number(own),
    countsSymbol: number?.[2] !== undefined,
    symbol,
    side,
    isMissed,
    rest: words,
  };
}

/** A title without its date, which is the day's. */
function withoutDate(text: string): string {
  const day = dateIn(text);
  return day && 'date' in day
    ? text.replace(/(?<!\d)\d{4}[-_./]\d{1,2}[-_./]\d{1,2}(?!\d)/, ' ')
    : text;
}

function wordsIn(text: string): { symbol: string | undefined; side: Title['side']; words: string } {
  const words = text.split(/\s+/).filter((word) => word !== '');
  let side: Title['side'];
  let symbol: string | undefined;
  const left: string[] = [];
  for (const word of words) {
    const bare = word.replaceAll(/^[(\p{Pd}|:,]+|[),:;|\p{Pd}]{1,5}$/gu, '');
    const [, long, short] = SIDE.exec(bare) ?? [];
    if (bare === '' || bare === '@' || (side !== undefined && bare === 'trade')) continue;
    if (side === undefined && (long ?? short) !== undefined)
      side = long === undefined ? 'short' : 'long';
    else if (symbol === undefined && SYMBOL.test(bare) && !NO_SYMBOL.test(bare))
      symbol = bare.replace(/^[$/]/, '');
    else if (!RESULT.test(bare)) left.push(word);
  }
  const [only] = left;
  // mnq long
  if (
    symbol === undefined &&
    side !== undefined &&
    only !== undefined &&
    left.length === 1 &&
    /^[\p{L}\p{N}./!]{1,20}$/u.test(only)
  ) {
    return { symbol: only.toUpperCase(), side, words: '' };
  }
  return {
    symbol,
    side,
    words: left.filter((word) => /\p{L}/u.test(word) && word !== '#trade').join(' '),
  };
}
