/**
 * Rows of files and of the journal, and how they are compared: fills with one end, closed
 * trades with two.
 */
import { localText, toInstantText } from '../../../time.ts';

/** The opening or closing of a row: a fill has one. */
export interface RowEnd {
  /** UTC text with milliseconds. */
  instant: string;
  /**
   * As written: date and time, or the date of a day; '' if the file states the zone; null
   * if unknown.
   */
  clock: string | null;
  hasTime: boolean;
  price: number;
}

export interface Row {
  /** Instrument, side and kind: equal for rows that can be the same. */
  key: string;
  /** What else the key is made of, for messages. */
  facts: Readonly<Record<string, unknown>>;
  symbol: string;
  /** The symbol in lower case, equal for all spellings of its platform's files. */
  instrument: string;
  account: string | null;
  /** The platform's id; null if none. */
  id: string | null;
  ends: readonly RowEnd[];
  quantity: number | null;
}

/** A row of the file. */
export interface FileRow extends Row {
  line: number;
}

/** What one import wrote of a stored row. */
interface RowStatement {
  importId: number;
  /** The zone in which its times without one were read. */
  zone: string | null;
  /** The clock of each end; null if unknown, from an earlier version. */
  clocks: readonly string[] | null;
  /** Undefined if unknown. */
  digits: RowDigits | undefined;
  /** The platform's id. */
  id: string | null;
}

/** A row of the journal. */
export interface StoredRow extends Row {
  /** Its id in the journal. */
  storedId: string;
  /** Whether no file names its account, so that a file that names another is right. */
  isInferred: boolean;
  statements: readonly RowStatement[];
}

// How many digits a file has of times, prices and quantities: a spreadsheet that saves it
// again may cut some.

/** The most that any row of an instrument has. */
export interface RowDigits {
  /** 0: minutes; 1: seconds; 2: milliseconds. */
  readonly time: number;
  /** Decimals. */
  readonly price: number;
  readonly quantity: number;
}

interface Counted {
  ends: readonly { instant: string; hasTime: boolean; price: number }[];
  quantity: number | null;
}

const MOST_DECIMALS = 18;

export function digitsOf(rows: readonly Counted[]): RowDigits {
  const digits = { time: 0, price: 0, quantity: 0 };
  for (const { ends, quantity } of rows) {
    digits.quantity = Math.max(digits.quantity, decimalsOf(quantity ?? 0));
    for (const { instant, hasTime, price } of ends) {
      digits.price = Math.max(digits.price, decimalsOf(price));
      if (hasTime) digits.time = Math.max(digits.time, partsOf(instant));
    }
  }

  return digits;
}

/**
 * The digits of rows so far with those of another fill: the same object, unless it has
 * more.
 */
export function withDigitsOf(
  fill: {
    executed_at: string;
    has_time: boolean;
    price: number;
    quantity: number | null;
  },
  { time, price, quantity }: RowDigits = { time: 0, price: 0, quantity: 0 },
): RowDigits {
  const parts =
    fill.has_time && time < 2 ? Math.max(time, partsOf(fill.executed_at)) : time;
  const ofPrice = Math.max(price, decimalsOf(fill.price));
  return {
    time: parts,
    price: ofPrice,
    quantity: Math.max(quantity, decimalsOf(fill.quantity ?? 0)),
  };
}

/** In one number, as journals keep them. */
export function packed({ time, price, quantity }: RowDigits): number {
  return time * 10_000 + price * 100 + quantity;
}

export function unpacked(digits: number): RowDigits {
  const known = UNPACKED.get(digits);
  if (known) return known;

  const parts = {
    time: Math.floor(digits / 10_000),
    price: Math.floor(digits / 100) % 100,
    quantity: digits % 100,
  };
  UNPACKED.set(digits, parts);
  return parts;
}

/** There are few: three times and some numbers of decimals. */
const UNPACKED = new Map<number, RowDigits>();

/** A time, UTC or as written, cut to minutes, seconds or milliseconds. */
function timeCut(time: string, parts: number): string {
  if (parts === 0) return time.slice(0, 16);
  return time.slice(0, parts === 1 ? 19 : 23);
}

/**
 * Whether two prices are the same: equal, or one is the other rounded or cut to the
 * digits of its file.
 * @param digits of the file that states it
 */
export function fitsCut(
  a: number,
  digitsOfA: number,
  b: number,
  digitsOfB: number,
): boolean {
  if (isClose(a, b)) return true;
  if (digitsOfA === digitsOfB) return false;

  const [coarse, fine, digits] =
    digitsOfA < digitsOfB ? [a, b, digitsOfA] : [b, a, digitsOfB];
  const unit = 10 ** digits;

  return (
    isClose(Math.round(fine * unit) / unit, coarse) ||
    isClose(Math.trunc(fine * unit) / unit, coarse)
  );
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b));
}

function partsOf(time: string): number {
  if (time.slice(20, 23) !== '000') return 2;
  return time.slice(17, 19) === '00' ? 0 : 1;
}

function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0;
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const decimals = (mantissa.split('.')[1] ?? '').length - Number(exponent);
  return Math.min(Math.max(decimals, 0), MOST_DECIMALS);
}

// The keys of rows that may be the same, their accounts, times and prices.

/** Everything but the account. */
export function exactKey({ key, ends, quantity }: Row): string {
  const stated = ends.map(
    (end) => `${end.hasTime ? end.instant : dayOf(end)} ${end.price}`,
  );
  return `${key} ${quantity} ${stated.join(' ')}`;
}

/** Instrument, side, quantity and the minute of each end: what every file has. */
export function roughKey({ key, ends, quantity }: Row, by: 'instant' | 'clock'): string {
  const times = ends.map((end) => {
    if (!end.hasTime) return dayOf(end);
    return (by === 'instant' ? end.instant : (end.clock ?? '')).slice(0, 16);
  });
  return `${key} ${quantity} ${times.join(' ')}`;
}

/** Everything but the account, by the clock. */
export function exactClockKey({ key, ends, quantity }: Row): string {
  return `${key} ${quantity} ${ends.map(({ clock, price }) => `${clock} ${price}`).join(' ')}`;
}

/** Whether a row has times, and its file doesn't state their zone. */
export function hasClocks({ ends }: Row): boolean {
  return ends.every(({ clock, hasTime }) => clock && hasTime);
}

/** Keys of a stored row by the clocks that its files wrote. */
export function clockKeys(row: StoredRow, keyOf: (row: Row) => string): Set<string> {
  const keys = row.statements.flatMap(({ clocks }) => {
    if (!clocks || clocks.some((clock) => clock === '')) return [];
    const ends = row.ends.map((end, index) => ({ ...end, clock: clocks[index] ?? '' }));
    return [keyOf({ ...row, ends })];
  });
  return new Set(keys);
}

/**
 * The date of a day: as written, else that of its instant 12 hours later, which is in the
 * same day in all but the farthest zones. Milliseconds after it order rows of one day.
 */
function dayOf({ clock, instant }: RowEnd): string {
  const order = instant.slice(20, 23) === '000' ? '' : instant.slice(19, 23);
  const date = clock || new Date(Date.parse(instant) + 43_200_000).toISOString();
  return date.slice(0, 10) + order;
}

export function groupFree<S extends StoredRow>(
  stored: readonly S[],
  taken: ReadonlySet<S>,
  keyOf: (row: S) => string,
): Map<string, S[]> {
  return Map.groupBy(
    stored.filter((row) => !taken.has(row)),
    keyOf,
  );
}

export function digitsByInstrument(rows: readonly Row[]): Map<string, RowDigits> {
  const groups = Map.groupBy(rows, ({ instrument }) => instrument);
  return new Map([...groups].map(([name, group]) => [name, digitsOf(group)]));
}

export function finest(a: RowDigits, b: RowDigits): RowDigits {
  return {
    time: Math.max(a.time, b.time),
    price: Math.max(a.price, b.price),
    quantity: Math.max(a.quantity, b.quantity),
  };
}

/** An id of the platform within an instrument. */
export function idKey({ instrument }: Row, id: string): string {
  return `${instrument} ${id}`;
}

export function startOf({ ends }: Row): string {
  return ends[0]?.instant ?? '';
}

/** The instrument and minute of each end with a time. */
export function minutesOf({ instrument, ends }: Row): string[] {
  return ends.flatMap(({ instant, hasTime }) =>
    hasTime ? [`${instrument} ${instant.slice(0, 16)}`] : [],
  );
}

export function isSameAccount(a: Pick<Row, 'account'>, b: Pick<Row, 'account'>): boolean {
  return (a.account ?? '').toLowerCase() === (b.account ?? '').toLowerCase();
}

function isUnnamed({ account, isInferred }: StoredRow): boolean {
  return account === null || isInferred;
}

export function isSameOrUnnamed(row: Row, stored: StoredRow): boolean {
  return row.account === null || isUnnamed(stored) || isSameAccount(row, stored);
}

/** By the date as written, if both are known; else within a day. */
export function isSameDay(row: Row, stored: StoredRow): boolean {
  const [end, other] = [row.ends[0], stored.ends[0]] as [RowEnd, RowEnd];
  const date = (end.clock || end.instant).slice(0, 10);
  const known = stored.statements.flatMap(({ clocks }) =>
    clocks ? [(clocks[0] || other.instant).slice(0, 10)] : [],
  );
  if (known.length > 0) return known.includes(date);
  return Math.abs(Date.parse(end.instant) - Date.parse(other.instant)) < 43_200_000;
}

export function isSameNumber(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
}

export function isSameTime(end: RowEnd, stored: RowEnd, cut: number): boolean {
  if (end.hasTime !== stored.hasTime) return false;
  if (!end.hasTime) return dayOf(end) === dayOf(stored);
  return timeCut(end.instant, cut) === timeCut(stored.instant, cut);
}

/**
 * Whether the journal doesn't know the clock, and the instants are apart as two zones
 * are.
 */
export function isShifted(
  end: RowEnd,
  storedEnd: RowEnd,
  { statements }: StoredRow,
): boolean {
  if (
    !end.hasTime ||
    !storedEnd.hasTime ||
    statements.some(({ clocks }) => clocks !== null)
  )
    return false;
  return isWholeShift(Date.parse(end.instant) - Date.parse(storedEnd.instant));
}

export function isSameClock(
  end: RowEnd,
  clock: string | undefined,
  cut: number,
): boolean {
  if (!end.clock || !clock || !end.hasTime) return false;
  return timeCut(end.clock, cut) === timeCut(clock, cut);
}

export function haveSamePrices(a: Row, b: Row): boolean {
  return a.ends.every(({ price }, index) => price === b.ends[index]?.price);
}

export function pricesOf({ ends }: Row): string {
  return ends.map(({ price }) => price).join(' to ');
}

/** The first fact in which a row and the stored one of the same id differ. */
export function differenceOf(
  row: FileRow,
  stored: StoredRow,
): { field: string; was: unknown; now: unknown } {
  const [end, other] = [row.ends[0], stored.ends[0]];
  const facts = [
    ...Object.keys(row.facts).map((field) => ({
      field,
      was: stored.facts[field],
      now: row.facts[field],
    })),
    { field: 'price', was: other?.price, now: end?.price },
    { field: 'quantity', was: stored.quantity, now: row.quantity },
  ];
  const last = { field: 'executed_at', was: other?.instant, now: end?.instant };
  return facts.find(({ was, now }) => was !== now) ?? last;
}

const HOUR = 3_600_000;

/** Zones are apart by quarters of an hour, at most this far. */
const QUARTER = HOUR / 4;
const MOST_APART = 26 * HOUR;

/** Whether milliseconds are the difference of two zones. */
export function isWholeShift(milliseconds: number): boolean {
  return (
    milliseconds !== 0 &&
    milliseconds % QUARTER === 0 &&
    Math.abs(milliseconds) <= MOST_APART
  );
}

// The hour that comes twice when clocks go back: a time in it has two instants.

/** By how much clocks go back, in milliseconds: Lord Howe's by half an hour. */
const CHANGES = [HOUR, HOUR / 2];

/**
 * The ends of a row with the other instants of its times, if they have some.
 * @param clocks as written, by end; '' if the file states the zone
 */
export function otherInstants(
  ends: readonly RowEnd[],
  clocks: readonly string[],
  zone: string | null,
): RowEnd[][] {
  if (zone === null) return [];

  const choices = ends.map((end, index) => {
    const other = end.hasTime
      ? otherInstant(end.instant, clocks[index] ?? '', zone)
      : undefined;
    return other === undefined ? [end] : [end, { ...end, instant: other }];
  });
  const all = choices.reduce<RowEnd[][]>(
    (rows, choice) => rows.flatMap((row) => choice.map((end) => [...row, end])),
    [[]],
  );
  // The first has the instants as they are.
  return all.slice(1);
}

function otherInstant(instant: string, clock: string, zone: string): string | undefined {
  if (clock === '') return undefined;
  const at = Date.parse(instant);
  const others = CHANGES.flatMap((change) => [at + change, at - change]).map(
    toInstantText,
  );
  return others.find((other) => localText(other, zone) === clock);
}
