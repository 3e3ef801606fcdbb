/**
 * How rows are compared: the keys of those that may be the same, their accounts, times
 * and prices.
 */
import { digitsOf, type RowDigits, timeCut } from './digits.ts';
import type { FileRow, Row, RowEnd, StoredRow } from './row.ts';
import { isWholeShift } from './shifted-rows.ts';

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
