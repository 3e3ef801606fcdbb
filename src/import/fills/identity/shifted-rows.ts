/**
 * Rows whose clock earlier versions didn't keep: a file read in another zone is known by a shift that most of its rows have. A zone that
 * changes its clocks has two, an hour apart.
 */
import type { FileRow, RowEnd, StoredRow } from './row.ts';

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** The farthest two zones are apart. */
const MOST = 26 * HOUR;

/** Stored rows with the same facts that are compared with a row. */
const MOST_CANDIDATES = 500;

/** Fewer rows, or a smaller share of those in the span of the import, may be trades of their own. */
const FEWEST = 3;
const SHARE = 0.9;

interface Pair<S extends StoredRow> {
  row: FileRow;
  stored: S;
}

export interface ShiftedRows<S extends StoredRow> {
  rows: ReadonlyMap<FileRow, S>;
  /** Whether they are the same rows, read in another zone. */
  isCertain: boolean;
}

/**
 * @param open rows of a file that the journal doesn't hold at their instants
 * @param stored rows without a clock that no row of the file is
 */
export function shiftedRows<S extends StoredRow>(open: readonly FileRow[], stored: readonly S[]): ShiftedRows<S> {
  const byShift = pairsByShift(open, stored);
  let best = new Map<FileRow, S>();
  for (const [shift, pairs] of byShift) {
    const rows = oneToOne([...pairs, ...(byShift.get(shift + HOUR) ?? [])]);
    if (rows.size > best.size) best = rows;
  }

  const times = [...best.keys()].map(startOf).sort();
  const [from = '', to = ''] = [times[0], times.at(-1)];
  const within = open.filter((row) => startOf(row) >= from && startOf(row) <= to);
  const isCertain = best.size >= FEWEST && best.size >= within.length * SHARE;
  return { rows: best, isCertain };
}

function pairsByShift<S extends StoredRow>(open: readonly FileRow[], stored: readonly S[]): Map<number, Pair<S>[]> {
  const byFacts = Map.groupBy(stored, (row) => `${dayOf(row)} ${factsOf(row)}`);
  const byShift = new Map<number, Pair<S>[]>();
  for (const row of open) {
    if (!row.ends.every(({ hasTime }) => hasTime)) continue;
    const facts = factsOf(row);
    const days = [-2, -1, 0, 1, 2].map((days) => dayOf(row) + days);
    const candidates = days.flatMap((day) => byFacts.get(`${day} ${facts}`) ?? []);
    for (const other of candidates.slice(0, MOST_CANDIDATES)) {
      const shift = shiftOf(row, other);
      if (shift === undefined) continue;
      const pairs = byShift.get(shift);
      if (pairs) pairs.push({ row, stored: other });
      else byShift.set(shift, [{ row, stored: other }]);
    }
  }
  return byShift;
}

/** Everything but the time. */
function factsOf({ key, account, quantity, ends }: FileRow | StoredRow): string {
  return [key, account?.toLowerCase(), quantity, ...ends.map(({ price }) => price)].join(' ');
}

/** Quarters of an hour between them; undefined if they aren't apart by whole ones. */
function shiftOf(row: FileRow, stored: StoredRow): number | undefined {
  const [first = Number.NaN, ...others] = row.ends.map(
    ({ instant }, index) => Date.parse(instant) - Date.parse((stored.ends[index] as RowEnd).instant),
  );
  const isEven = others.every((shift) => Math.abs(shift - first) <= HOUR);
  return isWholeShift(first) && isEven ? first : undefined;
}

/** Whether milliseconds are the difference of two zones. */
export function isWholeShift(milliseconds: number): boolean {
  return milliseconds !== 0 && milliseconds % QUARTER === 0 && Math.abs(milliseconds) <= MOST;
}

function startOf({ ends }: FileRow | StoredRow): string {
  return ends[0]?.instant ?? '';
}

/** Days since 1970, in UTC. */
function dayOf(row: FileRow | StoredRow): number {
  return Math.floor(Date.parse(startOf(row)) / (24 * HOUR));
}

function oneToOne<S extends StoredRow>(pairs: readonly Pair<S>[]): Map<FileRow, S> {
  const taken = new Set<S>();
  const rows = new Map<FileRow, S>();
  for (const { row, stored } of pairs) {
    if (rows.has(row) || taken.has(stored)) continue;
    rows.set(row, stored);
    taken.add(stored);
  }
  return rows;
}
