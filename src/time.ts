/**
 * Time: instants are RFC 3339 text in UTC with milliseconds (or epoch milliseconds while
 * computing), days are "2026-11-20" in a user's zone. The zone library is asked for day
 * boundaries and offset changes only.
 */
import { Temporal } from 'temporal-polyfill';

/** Milliseconds of a day without a clock change. */
export const DAY = 86_400_000;
/** No zone has ever been further from UTC. */
const MAX_OFFSET = DAY;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(Z|z|[+-]\d{2}:\d{2})?$/;

/** Epoch milliseconds in the text form used everywhere: 2026-11-20T14:30:00.000Z. */
export function toInstantText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * Epoch milliseconds of that text form. A pass over trades meets the same date many times
 * in a row, so the last one is kept: Date.parse for each makes the summary of 200,000
 * trades 13 % slower (bench/questions/figures.ts).
 */
export function fromInstantText(instant: string): number {
  // 528 is 11 times the code of "0".
  const two = (at: number) =>
    instant.charCodeAt(at) * 10 + instant.charCodeAt(at + 1) - 528;
  const date = ((two(0) * 100 + two(2)) * 100 + two(5)) * 100 + two(8);
  if (date !== lastDate) {
    lastDate = date;
    lastMidnight = Date.parse(instant.slice(0, 10));
  }

  const milliseconds = two(20) * 10 + instant.charCodeAt(22) - 48;
  return (
    lastMidnight + two(11) * 3_600_000 + two(14) * 60_000 + two(17) * 1000 + milliseconds
  );
}

let lastDate = 19_700_101;
let lastMidnight = 0;

/** Whether a text is an existing date: 2026-02-30 isn't. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  // Date.parse takes 30 February for 2 March.
  return new Date(text).getUTCDate() === Number(text.slice(8));
}

/** Whether a text looks like a date and time without an offset. */
export function lacksOffset(text: string): boolean {
  const match = DATE_TIME.exec(text);
  return match !== null && match[3] === undefined;
}

/**
 * Epoch milliseconds of an RFC 3339 timestamp with an offset, fractions beyond the
 * millisecond rounded up (so that half-open bounds keep their meaning on millisecond
 * records). Undefined for any other text.
 */
export function parseInstant(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (match?.[3] === undefined) return undefined;

  const instant = attempt(() =>
    Temporal.Instant.from(
      `${match[1]}T${match[2]}${match[3]?.toUpperCase()}`.replace(',', '.'),
    ),
  );
  if (instant === undefined) return undefined;

  const ms = instant.epochMilliseconds;
  return instant.epochNanoseconds > BigInt(ms) * 1_000_000n ? ms + 1 : ms;
}

/**
 * Epoch milliseconds of a date and time without an offset, in a zone. In a gap or an
 * overlap the offset before the change counts. Undefined for any other text.
 */
export function parseLocal(text: string, timeZone: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (!match || match[3] !== undefined) return undefined;

  const [, date = '', time = ''] = match;
  const known = inKnownPeriod(date, time, timeZone);
  if (known !== undefined) return known;

  const local = attempt(() =>
    Temporal.PlainDateTime.from(`${date}T${time}`.replace(',', '.'), {
      overflow: 'reject',
    }),
  );
  const instant = local?.toZonedDateTime(timeZone).epochMilliseconds;
  if (instant !== undefined) periodAt(timeZone, instant);

  return instant;
}

/** Local date and time of an instant in a zone: 2026-11-20T09:31:00.000. */
export function localText(instant: string, timeZone: string): string {
  const at = fromInstantText(instant);
  return toInstantText(at + new ZoneClock(timeZone).offsetAt(at)).slice(0, 23);
}

/**
 * The same if a time in this period was read before and no offset change is near: a file
 * has thousands of such times, and the zone library takes ten times as long.
 */
function inKnownPeriod(date: string, time: string, timeZone: string): number | undefined {
  if (!WHOLE_TIME.test(time)) return undefined;

  const local = Date.parse(`${date}T${time}Z`);
  if (new Date(local).getUTCDate() !== Number(date.slice(8))) return undefined;

  // From a day after a change, no local time occurs twice.
  const period = periods
    .get(timeZone)
    ?.find(({ from, to, offset }) => isWithin({ from: from + DAY, to }, local - offset));
  return period && local - period.offset;
}

const WHOLE_TIME = /^\d\d:\d\d:\d\d(\.\d{3})?$/;

const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);
const ZONE = /^(?!T\d)[A-Z][\w+/-]*$/i;
const knownZones = new Map<string, boolean>();

/** Whether there is an IANA zone of this name. */
export function isTimeZone(name: string): boolean {
  let known = knownZones.get(name);
  if (known === undefined) {
    // Temporal also accepts offsets, and times with one, as zones. Intl's formatter would
    // take 20 ms at its first use.
    known =
      ZONE.test(name) && attempt(() => EPOCH.toZonedDateTimeISO(name)) !== undefined;
    knownZones.set(name, known);
  }

  return known;
}

/** The date n days after a date, or before it if n is negative. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Units of a calendar; weeks begin on Monday. */
export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/**
 * The first day of the unit that contains a date, or of the nth unit after it (before it
 * if n is negative).
 */
export function startOfUnit(date: string, unit: CalendarUnit, n = 0): string {
  const day = Temporal.PlainDate.from(date);
  if (unit === 'day') return addDays(date, n);
  if (unit === 'week') return addDays(date, 1 - day.dayOfWeek + 7 * n);
  if (unit === 'year') return day.with({ month: 1, day: 1 }).add({ years: n }).toString();
  const first = day.with({ day: 1 });
  if (unit === 'month') return first.add({ months: n }).toString();
  return first.add({ months: 3 * n - ((day.month - 1) % 3) }).toString();
}

/** Number of days between dates: 1 from a day to the next. */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to).days;
}

/** Number of days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(date) / DAY;
}

export function dateOfDay(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** ISO weekday of a day number: 1 Monday to 7 Sunday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** The English names of weekdays, from Monday. */
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
];

/** The English names of months. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * A weekday by its English name or at least three letters of it.
 * @returns 1 for Monday to 7 for Sunday; undefined for another text
 */
export const weekdayNamed = (name: string) => placeNamed(name, WEEKDAYS);

/**
 * A month's two digits by its English name or at least three letters of it: 01 to 12;
 * undefined for other text.
 */
export function monthNamed(name: string): string | undefined {
  return placeNamed(name, MONTHS)?.toString().padStart(2, '0');
}

/** From 1; undefined if no name begins with the text, or it is too short. */
function placeNamed(text: string, names: readonly string[]): number | undefined {
  const letters = text.toLowerCase();
  if (letters.length < 3) return undefined;

  const place = names.findIndex((name) => name.toLowerCase().startsWith(letters));
  return place < 0 ? undefined : place + 1;
}

/** The ISO week of a date: 2026-W47 for 2026-11-20. */
export function weekName(date: string): string {
  const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(date);
  return `${String(yearOfWeek).padStart(4, '0')}-W${String(weekOfYear).padStart(2, '0')}`;
}

/** The Monday of a week, such as 2026-W47; undefined if its year doesn't have it. */
export function mondayOfWeek(name: string): string | undefined {
  const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(name) ?? [];
  if (year === undefined || year < '0002' || year > '9997') return undefined;

  // 4 January is always in the first week.
  const monday = startOfUnit(`${year}-01-04`, 'week', Number(week) - 1);
  return weekName(monday) === name ? monday : undefined;
}

/** A zone's clock: the local day and hour of instants. */
export class ZoneClock {
  readonly timeZone: string;
  /** The last one used: successive instants mostly share it. */
  #period: OffsetPeriod | undefined;

  constructor(timeZone: string) {
    this.timeZone = timeZone;
  }

  dayOf(epochMs: number): number {
    return Math.floor((epochMs + this.offsetAt(epochMs)) / DAY);
  }

  dateOf(epochMs: number): string {
    return dateOfDay(this.dayOf(epochMs));
  }

  /** Local hour of an instant, 0 to 23. */
  hourOf(epochMs: number): number {
    const local = epochMs + this.offsetAt(epochMs);
    return Math.floor((local - Math.floor(local / DAY) * DAY) / 3_600_000);
  }

  /** The first instant of a day in this zone: not always midnight. */
  startOfDay(date: string): number {
    return Temporal.PlainDate.from(date).toZonedDateTime(this.timeZone).epochMilliseconds;
  }

  /**
   * From the first to the last instant of a local day, the end excluded. A clock set back
   * just after midnight returns to the day before, so instants of the next day may be in
   * between.
   */
  boundsOfDay(day: number): { from: number; to: number } {
    const [midnight, nextMidnight] = [day * DAY, (day + 1) * DAY];
    const bounds = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
    for (let at = midnight - MAX_OFFSET; at < nextMidnight + MAX_OFFSET; ) {
      const period = periodAt(this.timeZone, at);
      const from = Math.max(period.from, midnight - period.offset);
      const to = Math.min(period.to, nextMidnight - period.offset);

      if (from < to) {
        bounds.from = Math.min(bounds.from, from);
        bounds.to = Math.max(bounds.to, to);
      }

      at = period.to;
    }

    return bounds;
  }

  /**
   * The instant of a local time, in milliseconds since 1970 of that clock. In a gap or an
   * overlap the offset before the change counts.
   */
  instantOf(local: number): number {
    const before = local - this.offsetAt(local - MAX_OFFSET);
    const after = local - this.offsetAt(before);
    return this.offsetAt(after) === local - after ? after : before;
  }

  /** The zone's offset from UTC at an instant, in milliseconds. */
  offsetAt(epochMs: number): number {
    if (this.#period === undefined || !isWithin(this.#period, epochMs))
      this.#period = periodAt(this.timeZone, epochMs);
    return this.#period.offset;
  }
}

/** A half-open interval between two changes of a zone's offset; all in milliseconds. */
interface OffsetPeriod {
  from: number;
  to: number;
  offset: number;
}

function isWithin(
  { from, to }: Pick<OffsetPeriod, 'from' | 'to'>,
  epochMs: number,
): boolean {
  return epochMs >= from && epochMs < to;
}

/** Known periods by zone: each is looked up once. */
const periods = new Map<string, OffsetPeriod[]>();

function periodAt(timeZone: string, epochMs: number): OffsetPeriod {
  const known = periods.get(timeZone) ?? [];
  const found = known.find((period) => isWithin(period, epochMs));
  if (found) return found;
  const period = offsetPeriod(timeZone, epochMs);
  periods.set(timeZone, [...known, period]);
  return period;
}

function offsetPeriod(timeZone: string, epochMs: number): OffsetPeriod {
  const at = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone);
  // "previous" is strictly before: from the next millisecond a change at the instant
  // itself is found, too.
  const before = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  const after = at.getTimeZoneTransition('next');

  return {
    from: before?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    to: after?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: at.offsetNanoseconds / 1_000_000,
  };
}

function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch {
    return undefined;
  }
}

// Abbreviations of zones, as people and platforms write them: IANA lacks most, or has
// them without summer time.

interface Abbreviation {
  /** The zone that a person means by it. */
  zone?: string;
  /** The offset that it states; none if it is that of summer and winter. */
  offset?: string;
  /**
   * Whether it means the same everywhere: UTC, and North America's by RFC 5322, section
   * 4.3.
   */
  isClear?: true;
}

const NEW_YORK = 'America/New_York';
const CHICAGO = 'America/Chicago';
const DENVER = 'America/Denver';
const LOS_ANGELES = 'America/Los_Angeles';

const ABBREVIATIONS: ReadonlyMap<string, Abbreviation> = new Map<string, Abbreviation>([
  ['Z', { offset: 'Z', isClear: true }],
  ['UTC', { zone: 'UTC', offset: 'Z', isClear: true }],
  ['GMT', { zone: 'UTC', offset: 'Z', isClear: true }],

  ['ET', { zone: NEW_YORK, isClear: true }],
  ['EST', { zone: NEW_YORK, offset: '-05:00', isClear: true }],
  ['EDT', { zone: NEW_YORK, offset: '-04:00', isClear: true }],
  ['CT', { zone: CHICAGO, isClear: true }],
  ['CST', { zone: CHICAGO, offset: '-06:00', isClear: true }],
  ['CDT', { zone: CHICAGO, offset: '-05:00', isClear: true }],
  ['MT', { zone: DENVER, isClear: true }],
  ['MST', { zone: DENVER, offset: '-07:00', isClear: true }],
  ['MDT', { zone: DENVER, offset: '-06:00', isClear: true }],
  ['PT', { zone: LOS_ANGELES, isClear: true }],
  ['PST', { zone: LOS_ANGELES, offset: '-08:00', isClear: true }],
  ['PDT', { zone: LOS_ANGELES, offset: '-07:00', isClear: true }],
  ['HST', { zone: 'Pacific/Honolulu' }],

  ['BST', { zone: 'Europe/London', offset: '+01:00' }],
  ['CET', { offset: '+01:00' }],
  ['CEST', { zone: 'Europe/Berlin', offset: '+02:00' }],
  ['MEZ', { zone: 'Europe/Berlin' }],
  ['MESZ', { zone: 'Europe/Berlin' }],
  ['EET', { offset: '+02:00' }],
  ['EEST', { zone: 'Europe/Athens', offset: '+03:00' }],

  ['IST', { zone: 'Asia/Kolkata' }],
  ['JST', { zone: 'Asia/Tokyo', offset: '+09:00' }],
  ['KST', { zone: 'Asia/Seoul' }],
  ['HKT', { zone: 'Asia/Hong_Kong', offset: '+08:00' }],
  ['SGT', { zone: 'Asia/Singapore', offset: '+08:00' }],

  ['AWST', { offset: '+08:00' }],
  ['ACST', { offset: '+09:30' }],
  ['ACDT', { offset: '+10:30' }],
  ['AEST', { zone: 'Australia/Sydney', offset: '+10:00' }],
  ['AEDT', { zone: 'Australia/Sydney', offset: '+11:00' }],
  ['NZST', { zone: 'Pacific/Auckland', offset: '+12:00' }],
  ['NZDT', { zone: 'Pacific/Auckland', offset: '+13:00' }],
]);

/** The IANA zone that a person means by an abbreviation, in any letter case. */
export function zoneMeantBy(name: string): string | undefined {
  return ABBREVIATIONS.get(name.toUpperCase())?.zone;
}

/** The IANA zone of an abbreviation in capitals that means the same everywhere. */
export function clearZoneOf(name: string): string | undefined {
  const abbreviation = ABBREVIATIONS.get(name);
  return abbreviation?.isClear && abbreviation.zone;
}

/** The offset of an abbreviation in capitals, such as -05:00, that any time may name. */
export function clearOffsetOf(name: string): string | undefined {
  const abbreviation = ABBREVIATIONS.get(name);
  return abbreviation?.isClear && abbreviation.offset;
}

/** That of any abbreviation: BST and others mean another zone elsewhere. */
export function offsetOf(name: string): string | undefined {
  return ABBREVIATIONS.get(name)?.offset;
}
