/** Stored rows that may be those of a file: free ones, and those read in another zone. */
import {
  type FileRow,
  isWholeShift,
  type RowEnd,
  type StoredRow,
} from './compared-rows.ts';

// Those that no row of the file is yet, found without looking at taken ones again.

/** A row that looks for its stored one. */
export interface Wanted {
  /** In lower case; '' for none. */
  account: string;
  /** The platform's id; null if any row will do. */
  id: string | null;
}

/** Rows in order, of which those at the beginning may be taken. */
interface Queue<S> {
  rows: S[];
  next: number;
}

/** Stored rows that state the same, in their order. */
export class FreeRows<S extends StoredRow> {
  readonly #taken: ReadonlySet<S>;
  readonly #places = new Map<S, number>();
  /** By account, then by id: '' has the rows without one, null all. */
  readonly #accounts = new Map<string, Map<string | null, Queue<S>>>();

  /** @param taken grows while rows are matched */
  constructor(rows: readonly S[], taken: ReadonlySet<S>) {
    this.#taken = taken;
    for (const [place, row] of rows.entries()) {
      this.#places.set(row, place);
      const account = accountOf(row);
      this.#add(account, row);
      if (account !== '' && row.isInferred) this.#add(INFERRED, row);
    }
  }

  /** The first free row of the same account, else of none. */
  first({ account, id }: Wanted): S | undefined {
    const same = this.#in(account, id);
    if (same || account === '') return same;
    return this.#earlier(this.#in('', id), this.#in(INFERRED, id));
  }

  /** The first free row of each account, in their order. */
  ofEach(id: string | null): S[] {
    const names = [...this.#accounts.keys()].filter((name) => name !== INFERRED);
    const rows = names.flatMap((name) => this.#in(name, id) ?? []);
    return rows.sort((a, b) => this.#placeOf(a) - this.#placeOf(b));
  }

  #in(account: string, id: string | null): S | undefined {
    const queues = this.#accounts.get(account);
    if (!queues) return undefined;
    if (id === null) return this.#head(queues.get(null));
    return this.#earlier(this.#head(queues.get('')), this.#head(queues.get(id)));
  }

  #head(queue: Queue<S> | undefined): S | undefined {
    if (!queue) return undefined;
    for (; queue.next < queue.rows.length; queue.next++) {
      const row = queue.rows[queue.next] as S;
      if (!this.#taken.has(row)) return row;
    }
    return undefined;
  }

  #earlier(a: S | undefined, b: S | undefined): S | undefined {
    if (!a || !b) return a ?? b;
    return this.#placeOf(a) <= this.#placeOf(b) ? a : b;
  }

  #placeOf(row: S): number {
    return this.#places.get(row) ?? 0;
  }

  #add(account: string, row: S): void {
    const queues = this.#accounts.get(account) ?? new Map<string | null, Queue<S>>();
    this.#accounts.set(account, queues);
    const ids = idsOf(row);

    for (const id of [null, ...(ids.length > 0 ? ids : [''])]) {
      const queue = queues.get(id);
      if (queue) queue.rows.push(row);
      else queues.set(id, { rows: [row], next: 0 });
    }
  }
}

/** In place of an account: rows whose files name none. */
const INFERRED = '\0';

function accountOf({ account }: StoredRow): string {
  return (account ?? '').toLowerCase();
}

const NO_IDS: readonly string[] = [];

/** The platform's ids of a stored row: its own, and those that files wrote of it. */
export function idsOf({ id, statements }: StoredRow): readonly string[] {
  const [only] = statements;
  if (only && statements.length === 1 && (only.id === null || only.id === id))
    return id === null ? NO_IDS : [id];
  const ids = new Set(statements.flatMap((statement) => statement.id ?? []));
  if (id !== null) ids.add(id);
  return [...ids];
}

// Those whose clock earlier versions didn't keep: a file read in another zone is known by a
// shift that most of its rows have. A zone that changes its clocks has two, an hour apart.

const HOUR = 3_600_000;

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

function startOf({ ends }: FileRow | StoredRow): string {
  return ends[0]?.instant ?? '';
}

/** Days since 1970, in UTC. */
function dayOf(row: FileRow | StoredRow): number {
  return Math.floor(Date.parse(startOf(row)) / (24 * HOUR));
}
