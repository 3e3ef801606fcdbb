/**
 * Rows whose clock earlier versions didn't keep: a file read in another zone is known by
 * a shift that most of its rows have. A zone that changes its clocks has two, an hour
 * apart.
 */
import type { FileRow, RowEnd, StoredRow } from './row.ts';

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** The farthest two zones are apart. */
const MOST = 26 * HOUR;

/** Rows, and stored ones with the same facts, of which shifts are counted. */
const MOST_COUNTED = 1000;
const MOST_CANDIDATES = 500;

/** The commonest shifts, which are tried on all rows. */
const MOST_SHIFTS = 20;

/**
 * Fewer rows, or a smaller share of those in the span of the import, may be trades of
 * their own.
 */
const FEWEST = 3;
const SHARE = 0.9;

export interface ShiftedRows<S extends StoredRow> {
  rows: ReadonlyMap<FileRow, S>;
  /** Whether they are the same rows, read in another zone. */
  isCertain: boolean;
  /** Whether they are a day apart, as no two zones are: trades of another day. */
  isByDay: boolean;
}

/**
 * @param open rows of a file that the journal doesn't hold at their instants
 * @param stored rows without a clock that no row of the file is
 */
export function shiftedRows<S extends StoredRow>(
  open: readonly FileRow[],
  stored: readonly S[],
): ShiftedRows<S> {
  const timed = open.filter(({ ends }) => ends.every(({ hasTime }) => hasTime));
  let best = new Map<FileRow, S>();
  for (const shift of commonShifts(timed, stored)) {
    const rows = rowsAt(shift, timed, stored);
    if (rows.size > best.size) best = rows;
  }

  const times = [...best.keys()].map(startOf).sort();
  const [from = '', to = ''] = [times[0], times.at(-1)];
  const within = open.filter((row) => startOf(row) >= from && startOf(row) <= to);
  const isCertain = best.size >= FEWEST && best.size >= within.length * SHARE;
  const [[row, other] = []] = best;
  const isByDay =
    row !== undefined &&
    other !== undefined &&
    Math.abs(shiftOf(row, other) ?? 0) === 24 * HOUR;

  return { rows: best, isCertain, isByDay };
}

/** The commonest first; each counts with the one an hour later. */
function commonShifts(open: readonly FileRow[], stored: readonly StoredRow[]): number[] {
  const byFacts = Map.groupBy(stored, (row) => `${dayOf(row)} ${factsOf(row)}`);
  const counts = new Map<number, number>();
  const step = Math.ceil(open.length / MOST_COUNTED);

  for (const row of open.filter((_, place) => place % step === 0)) {
    const facts = factsOf(row);
    const days = [-2, -1, 0, 1, 2].map((days) => dayOf(row) + days);
    const candidates = days.flatMap((day) => byFacts.get(`${day} ${facts}`) ?? []);
    const shifts = new Set(
      candidates.slice(0, MOST_CANDIDATES).flatMap((other) => shiftOf(row, other) ?? []),
    );
    for (const shift of shifts) counts.set(shift, (counts.get(shift) ?? 0) + 1);
  }

  const countOf = (shift: number) =>
    (counts.get(shift) ?? 0) + (counts.get(shift + HOUR) ?? 0);
  const shifts = [...counts.keys()].sort((a, b) => countOf(b) - countOf(a));
  return shifts.slice(0, MOST_SHIFTS);
}

/**
 * Rows with the stored ones that are apart by a shift, or by an hour more; one to one.
 */
function rowsAt<S extends StoredRow>(
  shift: number,
  open: readonly FileRow[],
  stored: readonly S[],
): Map<FileRow, S> {
  const byStart = Map.groupBy(
    stored,
    (row) => `${Date.parse(startOf(row))} ${factsOf(row)}`,
  );
  const taken = new Map<string, number>();
  const rows = new Map<FileRow, S>();

  for (const row of open) {
    const [at, facts] = [Date.parse(startOf(row)), factsOf(row)];
    for (const start of [at - shift, at - shift - HOUR]) {
      const key = `${start} ${facts}`;
      const place = taken.get(key) ?? 0;
      const other = byStart.get(key)?.[place];
      if (!other || shiftOf(row, other) === undefined) continue;
      rows.set(row, other);
      taken.set(key, place + 1);
      break;
    }
  }

  return rows;
}

/** Everything but the time. */
function factsOf({ key, account, quantity, ends }: FileRow | StoredRow): string {
  return [key, account?.toLowerCase(), quantity, ...ends.map(({ price }) => price)].join(
    ' ',
  );
}

/** Quarters of an hour between them; undefined if they aren't apart by whole ones. */
function shiftOf(row: FileRow, stored: StoredRow): number | undefined {
  const [first = Number.NaN, ...others] = row.ends.map(
    ({ instant }, index) =>
      Date.parse(instant) - Date.parse((stored.ends[index] as RowEnd).instant),
  );
  const isEven = others.every((shift) => Math.abs(shift - first) <= HOUR);
  return isWholeShift(first) && isEven ? first : undefined;
}

/** Whether milliseconds are the difference of two zones. */
export function isWholeShift(milliseconds: number): boolean {
  return (
    milliseconds !== 0 && milliseconds % QUARTER === 0 && Math.abs(milliseconds) <= MOST
  );
}

function startOf({ ends }: FileRow | StoredRow): string {
  return ends[0]?.instant ?? '';
}

/** Days since 1970, in UTC. */
function dayOf(row: FileRow | StoredRow): number {
  return Math.floor(Date.parse(startOf(row)) / (24 * HOUR));
}
