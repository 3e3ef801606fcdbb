/** Times of a proposal: their columns and date formats. */
import { type DayOrder, firstIn, shownOrder } from '../../parse/date-order.ts';
import type { DateFormat } from '../../table/clock.ts';
import { type ColumnSeen, hasClock, isClock, isDated, isSerial, isUnix } from './columns.ts';
import type { Draft } from './draft.ts';
import type { Meaning } from './vocabulary.ts';

/** A column with times; else one with days, joined with a time of day from another column if any. */
export function putTime(draft: Draft, field: string, meaning: Meaning, hasDays = true): boolean {
  const meanings = hasDays ? ([meaning, 'date', 'time'] as const) : [meaning];
  const columns = meanings.flatMap((own) => draft.fitting(own, isDated));
  const whole = columns.find((column) => hasClock(column) || isUnix(column) || hasFraction(column));
  const [day] = columns;
  // A whole time may have another meaning: Best Exit Time next to Close Date and Close Time.
  const isApart = day !== undefined && whole !== day && clockOf(draft, day) !== undefined;
  if (whole && !isApart) {
    draft.put(field, whole.name, whole);
    return true;
  }
  if (!day) return false;
  const clock =
    clockOf(draft, day) ??
    draft.best('time', isClock) ??
    draft.best(meaning, isClock) ??
    draft.best('opened_at', isClock) ??
    (isSerial(day) ? draft.best('time', isFraction) : undefined);
  draft.put(field, clock ? { column: [day.name, clock.name] } : day.name, day, clock);
  return true;
}

/** The column of times of day that belongs to a column of days by its name: Open Date, Open Time. */
function clockOf(draft: Draft, day: ColumnSeen): ColumnSeen | undefined {
  const subject = subjectOf(day.name);
  return subject === '' ? undefined : draft.free(isClock).find(({ name }) => subjectOf(name) === subject);
}

function subjectOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(
      /(^|[\s_.-])(date|day|time|datum|zeit|uhrzeit|fecha|hora|data|ora|heure|godzina|czas|of|utc)(?=$|[\s_.-])/g,
      ' ',
    )
    .replace(/[\s_.-]+/g, ' ')
    .trim();
}

/** Times of day as a spreadsheet stores them, next to days. */
function isFraction({ cells }: ColumnSeen): boolean {
  return cells.every((cell) => /^0?[.,]\d+$|^0$/.test(cell));
}

function hasFraction(column: ColumnSeen): boolean {
  return isSerial(column) && column.cells.some((cell) => cell.includes('.'));
}

/**
 * Date formats of columns.
 * @param order of day and month, if another column shows it or the user typed it
 * @returns undefined if all dates are year, month, day
 */
export function datesOf(
  draft: Draft,
  columns: readonly ColumnSeen[],
  decimal: '.' | ',',
  order?: DayOrder,
): DateFormat[] | undefined {
  if (columns.some(isUnix)) return [columns.some(({ cells }) => /^\d{13}/.test(cells[0] ?? '')) ? 'unix-ms' : 'unix'];
  if (columns.some(isSerial)) return ['excel'];
  const cells = columns
    .flatMap((column) => column.cells)
    .filter((cell) => /^\d{1,4}[-/.]\d/.test(cell) || /^\d{8}\b/.test(cell));
  const [first, others] = [cells.filter(isYearFirst), cells.filter((cell) => !isYearFirst(cell))];
  if (others.length === 0) return undefined;

  const formats = (own: DayOrder): DateFormat[] => (first.length > 0 ? ['ymd', own] : [own]);
  const shown = shownOrder(others) ?? order;
  if (shown !== undefined) return formats(shown);

  const assumed = decimal === ',' ? 'dmy' : 'mdy';
  const other = assumed === 'mdy' ? 'dmy' : 'mdy';
  const answers = ([assumed, other] as const).map((own) => {
    return [`the ${firstIn(own)} first (${own})`, { dates: oneOf(formats(own)) }];
  });
  const text = `Is ${others[0]} written with the ${firstIn(assumed)} first? All dates fit both orders.`;
  draft.ask('dates', text, Object.fromEntries(answers));
  return formats(assumed);
}

/** The order of day and month that columns show, if any does. */
export function orderShown(columns: readonly (ColumnSeen | undefined)[]): DayOrder | undefined {
  return shownOrder(columns.flatMap((column) => column?.cells ?? []));
}

export function oneOf<T>(items: T[]): T | T[] {
  return items.length === 1 ? (items[0] as T) : items;
}

function isYearFirst(cell: string): boolean {
  return /^\d{4}([-/.]|\d{4}\b)/.test(cell);
}

/** A word after the times that names no zone. */
export function strangeEnd(columns: readonly ColumnSeen[]): string | undefined {
  const ends = columns.map(({ cells }) => {
    const words = new Set(cells.map((cell) => /\d:\d\d(?::\d\d(?:[.,]\d+)?)? ([A-Z]{2,5})$/.exec(cell)?.[1]));
    const [word, ...others] = words;
    return others.length === 0 && !/^(UTC|GMT|[ECMP][SD]T|[AP]M)$/.test(word ?? '') ? word : undefined;
  });
  return ends.find((word) => word !== undefined);
}

/** Whether times have no offset and need a zone. */
export function lackOffset(columns: readonly ColumnSeen[]): boolean {
  return columns.some(({ cells }) =>
    cells.some((cell) => /\d:\d\d/.test(cell) && !/(Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d)$/i.test(cell)),
  );
}

/** Zones with a fraction of an hour: Etc/GMT has only whole hours. */
const HALF: Readonly<Record<string, string>> = {
  '+5:30': 'Asia/Kolkata',
  '+5:45': 'Asia/Kathmandu',
  '+6:30': 'Asia/Yangon',
  '+9:30': 'Australia/Darwin',
};

/** The zone in the names of columns: Time (UTC), Closing Time (UTC+2). */
export function zoneIn(columns: readonly ColumnSeen[]): string | undefined {
  const named = columns.flatMap(
    ({ name }) => /(?:\b|_)(?:UTC|GMT) ?(?:([-+])0?(\d{1,2})(?::?(\d\d))?)?(?![\w+-])/i.exec(name) ?? [],
  );
  const [whole, sign = '+', hours = '0', minutes = '00'] = named;
  if (whole === undefined) return undefined;
  if (minutes !== '00') return HALF[`${sign}${hours}:${minutes}`];
  // Etc/GMT-2 is two hours ahead of Greenwich.
  return hours === '0' ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
}
