/**
 * Finds the rows of a file that the journal holds already. A row is known by what files
 * wrote: its platform's id, else account, instrument, side, quantity, price and time.
 * Fills have one end, closed trades two.
 */
import { quote, RowError, UserError } from '../../../errors.ts';
import {
  clockKeys,
  differenceOf,
  digitsByInstrument,
  digitsOf,
  exactClockKey,
  exactKey,
  type FileRow,
  finest,
  fitsCut,
  groupFree,
  hasClocks,
  haveSamePrices,
  idKey,
  isSameAccount,
  isSameClock,
  isSameDay,
  isSameNumber,
  isSameOrUnnamed,
  isSameTime,
  isShifted,
  minutesOf,
  otherInstants,
  pricesOf,
  type Row,
  type RowDigits,
  type RowEnd,
  roughKey,
  type StoredRow,
  startOf,
} from './compared-rows.ts';
import { FreeRows, idsOf, shiftedRows } from './stored-rows.ts';

/**
 * What times are compared by: shift: whole quarters of an hour apart, where no file's
 * clock is known.
 */
type TimeOf = 'instant' | 'clock' | 'shift';

/** Notes of one kind. */
const MOST_NOTES = 5;

/** Pairs of rows within a minute that are compared one by one. */
const MOST_PAIRS = 4_000_000;

export interface MatchSettings {
  /** The noun for messages: fill, trade. */
  noun: string;
  /**
   * Whether ids are unique on the platform; else only within account, instrument and day.
   */
  hasUniqueIds: boolean;
  /**
   * Whether ids are made of what a row states, so that a file saved again may have
   * others.
   */
  hasMadeIds: boolean;
  /** Whether rows that seem to be known are others. */
  allowDuplicates: boolean;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
  /** Number of other rows of the file, which the journal has under the very same ids. */
  known?: number;
  /** Digits of the whole file, by instrument; of the rows by default. */
  digits?: ReadonlyMap<string, RowDigits>;
}

/** The result: for each row of the file the stored one, if there is one. */
export interface Matches<S extends StoredRow> {
  stored: ReadonlyMap<FileRow, S>;
  /** The account that holds rows of which the file names none; null if none does. */
  holder: string | null;
  /** Digits of the file, by instrument. */
  digits: ReadonlyMap<string, RowDigits>;
  storedDigits: ReadonlyMap<S, RowDigits>;
  /** Notes for the user. */
  notes: string[];
}

/**
 * @param rows of one file, in its order
 * @param stored rows of the same format, in order of time and place
 * @throws RowError if the journal contradicts a row of the same id; UserError if rows are
 * known in another zone, fit several stored ones, or are those of several accounts
 */
export function matchRows<S extends StoredRow>(
  rows: readonly FileRow[],
  stored: readonly S[],
  settings: MatchSettings,
): Matches<S> {
  return new RowMatcher(rows, stored, settings).run();
}

class RowMatcher<S extends StoredRow> {
  readonly #rows: readonly FileRow[];
  readonly #stored: readonly S[];
  readonly #settings: MatchSettings;
  readonly #digits: ReadonlyMap<string, RowDigits>;
  readonly #storedDigits = new Map<S, RowDigits>();
  readonly #matched = new Map<FileRow, S>();
  readonly #known: number;
  readonly #taken = new Set<S>();
  readonly #notes: string[] = [];
  #holder: string | null = null;
  /** Rows that imports hold as written, read in another zone. */
  readonly #elsewhere = new Map<FileRow, S>();

  constructor(rows: readonly FileRow[], stored: readonly S[], settings: MatchSettings) {
    this.#rows = rows;
    this.#stored = stored;
    this.#settings = settings;
    this.#digits = settings.digits ?? digitsByInstrument(rows);
    this.#known = settings.known ?? 0;
    this.#keepStoredDigits();
  }

  run(): Matches<S> {
    if (this.#stored.length > 0) {
      this.#byIds();
      this.#byValues();
      this.#byFewerDigits();
      this.#byRepeatedHour();
      this.#keepHolder();
      this.#refuseUnordered();
      if (!this.#settings.allowDuplicates) this.#refuseElsewhere();
    }
    return {
      stored: this.#matched,
      holder: this.#holder,
      digits: this.#digits,
      storedDigits: this.#storedDigits,
      notes: this.#notes,
    };
  }

  #match(row: FileRow, stored: S): void {
    this.#matched.set(row, stored);
    this.#taken.add(stored);
  }

  /**
   * Statements of earlier versions don't have their digits: those of the rows at hand
   * count.
   */
  #keepStoredDigits(): void {
    const unknown = this.#stored.filter(({ statements }) =>
      statements.every(({ digits }) => !digits),
    );
    const derived = digitsByInstrument(unknown);
    for (const row of this.#stored) {
      const [only] = row.statements;
      if (only?.digits && row.statements.length === 1) {
        this.#storedDigits.set(row, only.digits);
        continue;
      }

      const known = row.statements.flatMap(({ digits }) => digits ?? []);
      const [first = derived.get(row.instrument) ?? digitsOf([row]), ...others] = known;
      this.#storedDigits.set(row, others.reduce(finest, first));
    }
  }

  // The platform's ids.

  #byIds(): void {
    const byId = new Map<string, S[]>();
    for (const row of this.#stored) {
      for (const id of idsOf(row)) {
        const key = idKey(row, id);
        const others = byId.get(key);
        if (others) others.push(row);
        else byId.set(key, [row]);
      }
    }

    if (byId.size === 0) return;

    for (const row of this.#rows) {
      const candidates = row.id === null ? undefined : byId.get(idKey(row, row.id));
      const found = candidates && this.#withSameId(row, candidates);
      if (found) this.#match(row, found);
    }
  }

  #withSameId(row: FileRow, candidates: readonly S[]): S | undefined {
    const { hasUniqueIds } = this.#settings;
    const fitting = candidates.filter(
      (other) => isSameOrUnnamed(row, other) && (hasUniqueIds || isSameDay(row, other)),
    );
    const sameAccount = fitting.filter((other) => isSameAccount(row, other));

    const alike = (by: TimeOf) =>
      [...sameAccount, ...fitting].find(
        (other) => other.key === row.key && this.#isAlike(row, other, by),
      );

    const same = alike('instant');
    if (same && row.account === null) this.#refuseTwoAccounts(row, fitting);
    if (same) return this.#taken.has(same) ? undefined : same;

    const elsewhere = alike('clock') ?? alike('shift');
    const [contradicted] = sameAccount;
    if (elsewhere) this.#elsewhere.set(row, elsewhere);
    else if (contradicted) this.#refuseContradiction(row, contradicted);
    else if (row.account === null && fitting[0]) this.#refuseUnnamed(row, fitting[0]);

    return undefined;
  }

  #refuseContradiction(row: FileRow, stored: S): never {
    const { field, was, now } = differenceOf(row, stored);
    const [{ importId } = { importId: 0 }] = stored.statements;
    const problem = `this ${this.#settings.noun} of ${row.symbol} has ${quote(was)} in import ${importId} but ${quote(now)} in this file`;
    const ofAccount =
      row.account === null
        ? '; if this file is of another account, pass --account NAME'
        : '';
    const ofZone =
      field === 'executed_at'
        ? ` or journal-api import change ${importId} --timezone ZONE`
        : '';
    throw new RowError(
      field,
      `${problem}${ofAccount}; if import ${importId} is wrong: journal-api import undo ${importId}${ofZone}`,
      row.line,
    );
  }

  /** A row without an account has the id of a named one, and is another. */
  #refuseUnnamed(row: FileRow, stored: S): never {
    throw new UserError(
      `line ${row.line}: ${stored.account} has another ${this.#settings.noun} of ${row.symbol} with this id (import ${stored.statements[0]?.importId}), and the file names no account; pass --account NAME`,
    );
  }

  // What rows state: first to the digit, then with the digits that both files have.

  #byValues(): void {
    const open = this.#open();
    if (open.length === 0) return;

    const exact = new Map<string, FreeRows<S>>();
    const groups = groupFree(this.#stored, this.#taken, exactKey);
    for (const [key, rows] of groups) {
      exact.set(key, new FreeRows(rows, this.#taken));
    }

    const unnamed: FileRow[] = [];

    for (const row of open) {
      const candidates = exact.get(exactKey(row));
      const found = candidates?.first({
        account: (row.account ?? '').toLowerCase(),
        id: this.#idSought(row),
      });
      if (found) this.#match(row, found);
      else if (row.account === null && candidates) unnamed.push(row);
    }

    for (const row of unnamed)
      this.#inNamedAccount(row, exact.get(exactKey(row)) as FreeRows<S>);
    this.#noteUnequalCounts(groups);
  }

  /**
   * Where the overlap of two files begins or ends within equal rows, their number is
   * unsure: the larger one counts.
   */
  #noteUnequalCounts(stored: ReadonlyMap<string, readonly S[]>): void {
    const withoutIds = this.#rows.filter(({ id }) => id === null);
    const unsure: string[] = [];
    for (const [key, rows] of Map.groupBy(withoutIds, exactKey)) {
      const [first] = rows;
      const equal = (stored.get(key) ?? []).filter((other) =>
        isSameOrUnnamed(first, other),
      );
      if (equal.length === 0 || equal.length === rows.length) continue;
      const importId = equal[0]?.statements[0]?.importId;
      unsure.push(
        `equal rows without ids: ${rows.length} in this file (first on line ${first.line}), ${equal.length} in import ${importId}; the larger number counts`,
      );
    }

    const more = unsure.length - MOST_NOTES;
    for (const note of unsure.slice(0, MOST_NOTES)) this.#notes.push(note);
    if (more > 0) this.#notes.push(`${more} more groups of equal rows like these`);
  }

  #open(): FileRow[] {
    return this.#rows.filter(
      (row) => !this.#matched.has(row) && !this.#elsewhere.has(row),
    );
  }

  /** The id that a stored row must have, or none; null if any will do. */
  #idSought({ id }: FileRow): string | null {
    return this.#settings.hasMadeIds ? null : id;
  }

  /**
   * Whether two rows may be the same execution of the platform: two different ids are
   * two.
   */
  #mayHaveSameId(row: FileRow, stored: S): boolean {
    const id = this.#idSought(row);
    if (id === null) return true;
    const ids = idsOf(stored);
    return ids.length === 0 || ids.includes(id);
  }

  /** A row without an account is that of the one account that holds it. */
  #inNamedAccount(row: FileRow, candidates: FreeRows<S>): void {
    const free = candidates.ofEach(this.#idSought(row));
    const [first] = free;
    if (!first) return;

    this.#refuseTwoAccounts(row, free);
    if (free.length === 1) this.#match(row, first);
  }

  /** @throws UserError if a row without an account is in two */
  #refuseTwoAccounts(row: FileRow, candidates: readonly S[]): void {
    if (this.#settings.allowDuplicates) return;

    const named = candidates.filter(
      (stored) => stored.account !== null && !this.#taken.has(stored),
    );
    const [first] = named;
    const other = named.find((stored) => !isSameAccount(first as S, stored));
    if (!first || !other || named.length < candidates.length) return;

    throw new UserError(
      `line ${row.line}: this ${this.#settings.noun} of ${row.symbol} is in the accounts ${first.account} and ${other.account}, and the file names none; pass --account with the right one`,
    );
  }

  #byFewerDigits(): void {
    const open = this.#open();
    if (open.length === 0) return;

    const before = this.#matched.size;
    const stored = groupFree(this.#stored, this.#taken, (row) =>
      roughKey(row, 'instant'),
    );
    for (const [key, group] of Map.groupBy(open, (row) => roughKey(row, 'instant'))) {
      const [first] = group;
      const candidates = (stored.get(key) ?? []).filter((other) =>
        this.#haveOtherDigits(first, other),
      );
      if (candidates.length > 0) this.#matchGroup(group, candidates);
    }

    this.#noteFewerDigits(before);
  }

  /**
   * With the same digits, rows that are the same state the same.
   * @param row any of the instrument
   */
  #haveOtherDigits(row: FileRow, stored: S): boolean {
    const digits = this.#digits.get(row.instrument) as RowDigits;
    const other = this.#storedDigits.get(stored) as RowDigits;
    return digits.time !== other.time || digits.price !== other.price;
  }

  /** One to one, in order: those with equal prices first. */
  #matchGroup(rows: readonly [FileRow, ...FileRow[]], candidates: readonly S[]): void {
    this.#refuseTooMany(rows, candidates);

    const fits = (row: FileRow) =>
      candidates.filter(
        (other) =>
          !this.#taken.has(other) &&
          isSameOrUnnamed(row, other) &&
          this.#mayHaveSameId(row, other) &&
          this.#isAlike(row, other, 'instant'),
      );

    const left: FileRow[] = [];
    for (const row of rows) {
      const equal = fits(row).find((other) => haveSamePrices(row, other));
      if (equal) this.#match(row, equal);
      else left.push(row);
    }

    for (const [place, row] of left.entries()) {
      const fitting = fits(row);
      const [first] = fitting;
      if (!first) continue;
      const differing = fitting.find((other) => !haveSamePrices(first, other));
      if (differing && fitting.length > left.length - place)
        this.#refuseSeveral(row, first, differing);
      this.#match(row, first);
    }
  }

  /** @throws UserError if comparing them one by one would take minutes */
  #refuseTooMany(rows: readonly [FileRow, ...FileRow[]], candidates: readonly S[]): void {
    if (rows.length * candidates.length <= MOST_PAIRS) return;
    const [{ line, symbol }] = rows;
    throw new UserError(
      `line ${line}: ${rows.length} rows of ${symbol} within a minute differ from those of import ${candidates[0]?.statements[0]?.importId} in digits only; import the original file, as the platform exported it`,
    );
  }

  #noteFewerDigits(matchedBefore: number): void {
    const rows = [...this.#matched.keys()].slice(matchedBefore);
    const [first] = rows;
    if (!first) return;

    const importId = this.#matched.get(first)?.statements[0]?.importId;
    const are = rows.length === 1 ? '1 row is' : `${rows.length} rows are`;
    this.#notes.push(
      `${are} in import ${importId} with other digits of time or price (first on line ${first.line}); those with more digits count`,
    );
  }

  #refuseSeveral(row: FileRow, first: S, other: S): never {
    const [was, now] = [pricesOf(first), pricesOf(other)];
    throw new UserError(
      `line ${row.line}: this ${this.#settings.noun} of ${row.symbol} has fewer digits than import ${first.statements[0]?.importId} and may be the one at ${was} or the one at ${now}; import the original file, as the platform exported it`,
    );
  }

  /**
   * Whether a row and a stored one state the same, with the digits that both have.
   * @param by what their times are compared by
   */
  #isAlike(row: FileRow, stored: S, by: TimeOf): boolean {
    if (row.ends.length !== stored.ends.length) return false;
    if (!isSameNumber(row.quantity, stored.quantity)) return false;

    const digits = this.#digits.get(row.instrument) ?? digitsOf([row]);
    const other = this.#storedDigits.get(stored) ?? digitsOf([stored]);

    return row.ends.every((end, index) => {
      const storedEnd = stored.ends[index] as RowEnd;
      if (!fitsCut(end.price, digits.price, storedEnd.price, other.price)) return false;
      const cut = Math.min(digits.time, other.time);
      if (by === 'instant') return isSameTime(end, storedEnd, cut);
      if (by === 'shift') return isShifted(end, storedEnd, stored);
      return stored.statements.some(({ clocks }) =>
        isSameClock(end, clocks?.[index], cut),
      );
    });
  }

  // When clocks go back, an hour comes twice: a time without a zone in it has two
  // instants.

  #byRepeatedHour(): void {
    const open = this.#open();
    const free = this.#stored.filter((row) => !this.#taken.has(row));
    if (open.length === 0 || free.length === 0) return;

    const groups = new Map<string, S[]>();
    for (const row of free) {
      const ends = row.statements.flatMap((statement) =>
        otherInstants(row.ends, statement.clocks ?? [], statement.zone),
      );
      const keys = new Set(
        [row.ends, ...ends].map((all) => exactKey({ ...row, ends: all })),
      );
      for (const key of keys) {
        const group = groups.get(key);
        if (group) group.push(row);
        else groups.set(key, [row]);
      }
    }

    const byKey = new Map(
      [...groups].map(([key, rows]) => [key, new FreeRows(rows, this.#taken)]),
    );

    for (const row of open) {
      const clocks = row.ends.map(({ clock }) => clock ?? '');
      const ends = [row.ends, ...otherInstants(row.ends, clocks, this.#settings.zone)];
      const found = ends
        .map((all) => byKey.get(exactKey({ ...row, ends: all })))
        .flatMap((candidates) => this.#freeFor(row, candidates) ?? [])[0];
      if (found) this.#match(row, found);
    }
  }

  /** The first free row; for one without an account, that of any. */
  #freeFor(row: FileRow, candidates: FreeRows<S> | undefined): S | undefined {
    const id = this.#idSought(row);
    if (row.account === null) return candidates?.ofEach(id)[0];
    return candidates?.first({ account: row.account.toLowerCase(), id });
  }

  // Rows without an account are those of the account that holds some of them.

  /** @throws UserError if two accounts hold some, or others between them are in none */
  #keepHolder(): void {
    const unnamed = this.#rows.filter(({ account }) => account === null);
    const held = unnamed.filter(
      (row) => (this.#matched.get(row)?.account ?? null) !== null,
    );
    const [first] = held;
    if (!first) return;

    const holder = this.#matched.get(first) as S;
    const account = holder.account as string;
    const count = `${held.length} ${held.length === 1 ? 'row is' : 'rows are'}`;
    const what = `${count} those of ${account}, import ${holder.statements[0]?.importId}`;
    if (!this.#settings.allowDuplicates) this.#refuseParted(unnamed, held, what);
    this.#holder = account;
    this.#notes.push(
      `${what}: so are the others of this file; if not, pass --account NAME`,
    );
  }

  #refuseParted(
    unnamed: readonly FileRow[],
    held: readonly FileRow[],
    what: string,
  ): void {
    const account = this.#matched.get(held[0] as FileRow)?.account;
    const other = held.find(
      (row) => !isSameAccount(this.#matched.get(row) as S, { account: account ?? null }),
    );
    if (other) {
      throw new UserError(
        `${what}, and others those of ${this.#matched.get(other)?.account} (line ${other.line}), and the file names no account; pass --account with the right one`,
      );
    }

    const times = held.map(startOf).sort();
    const [from = '', to = ''] = [times[0], times.at(-1)];
    const open = unnamed.filter(
      (row) =>
        startOf(row) > from &&
        startOf(row) < to &&
        !this.#matched.has(row) &&
        !this.#elsewhere.has(row),
    );
    if (open.length === 0) return;

    throw new UserError(
      `${what}, but ${open.length} more rows between them are not (first on line ${open[0]?.line}); pass --account ${account} if all are, or the name of their account`,
    );
  }

  // New rows within a minute of known ones, whose seconds the file lacks: their order is
  // unknown.

  #refuseUnordered(): void {
    if (this.#matched.size === this.#rows.length) return;

    const cut = [...this.#matched].filter(([row, stored]) => {
      const digits = this.#digits.get(row.instrument) as RowDigits;
      const isCut = digits.time < (this.#storedDigits.get(stored) as RowDigits).time;
      return (
        isCut &&
        row.ends.some(({ instant }, index) => instant !== stored.ends[index]?.instant)
      );
    });
    const minutes = new Map(
      cut.flatMap(([row, stored]) => minutesOf(row).map((minute) => [minute, stored])),
    );
    const unordered = this.#open().find((row) =>
      minutesOf(row).some((minute) => minutes.has(minute)),
    );
    if (!unordered) return;

    const stored = minutesOf(unordered).flatMap((minute) => minutes.get(minute) ?? [])[0];
    throw new UserError(
      `line ${unordered.line}: this ${this.#settings.noun} of ${unordered.symbol} is within a minute of others in import ${stored?.statements[0]?.importId}, which has more digits of times; import the original file, as the platform exported it`,
    );
  }

  // Rows that an import holds as written, read in another zone.

  #refuseElsewhere(): void {
    if (this.#open().length === 0 && this.#elsewhere.size === 0) return;

    const exact = new Map<string, FreeRows<S>>();
    for (const [key, rows] of this.#freeByClock(exactClockKey))
      exact.set(key, new FreeRows(rows, this.#taken));
    this.#findElsewhere((row) => this.#freeFor(row, exact.get(exactClockKey(row))));

    const rough = this.#freeByClock((row) => roughKey(row, 'clock'));
    const open = this.#open().filter(hasClocks);
    for (const [key, group] of Map.groupBy(open, (row) => roughKey(row, 'clock'))) {
      const [first] = group;
      const candidates = (rough.get(key) ?? []).filter((other) =>
        this.#haveOtherDigits(first, other),
      );
      this.#refuseTooMany(group, candidates);
      rough.set(key, candidates);
    }

    this.#findElsewhere((row) =>
      this.#alikeByClock(row, rough.get(roughKey(row, 'clock')) ?? []),
    );

    if (this.#elsewhere.size > 0) throw this.#inOtherZone(this.#elsewhere);
    this.#refuseShifted();
  }

  /** Free rows by the clocks that their files wrote. */
  #freeByClock(keyOf: (row: Row) => string): Map<string, S[]> {
    const groups = new Map<string, S[]>();
    for (const row of this.#stored) {
      if (this.#taken.has(row)) continue;
      for (const key of clockKeys(row, keyOf)) {
        const group = groups.get(key);
        if (group) group.push(row);
        else groups.set(key, [row]);
      }
    }

    return groups;
  }

  #findElsewhere(find: (row: FileRow) => S | undefined): void {
    for (const row of this.#open().filter(hasClocks)) {
      const found = find(row);
      if (!found) continue;
      this.#elsewhere.set(row, found);
      this.#taken.add(found);
    }
  }

  #alikeByClock(row: FileRow, candidates: readonly S[]): S | undefined {
    return candidates.find(
      (other) =>
        !this.#taken.has(other) &&
        isSameOrUnnamed(row, other) &&
        this.#mayHaveSameId(row, other) &&
        this.#isAlike(row, other, 'clock'),
    );
  }

  /** Rows that are all apart by the same hours: read in a zone that isn't the file's. */
  #refuseShifted(): void {
    const free = this.#stored.filter((row) => !this.#taken.has(row));
    const isUnknown = ({ statements }: S) =>
      statements.every(({ clocks }) => clocks === null);
    const shifted = shiftedRows(this.#open(), free.filter(isUnknown));
    if (shifted.isCertain) throw this.#inOtherZone(shifted.rows);

    if (shifted.rows.size > 0) {
      const [[row, stored] = []] = shifted.rows;
      this.#notes.push(
        `${shifted.rows.size} rows (first on line ${row?.line}) equal rows of import ${stored?.statements[0]?.importId} but for whole hours; too few to be the same in another zone, so they are new`,
      );
    }

    // A row at the same instant shows that the zone is right.
    if (this.#known + this.#matched.size > 0) return;

    const byHours = shiftedRows(this.#open(), free);
    if (byHours.isCertain && !byHours.isByDay) throw this.#byHours(byHours.rows);
  }

  #byHours(rows: ReadonlyMap<FileRow, StoredRow>): UserError {
    const [[row, stored] = []] = rows as ReadonlyMap<FileRow, S>;
    const { importId, zone } = stored?.statements[0] ?? { importId: 0, zone: null };
    const apart =
      Math.abs(Date.parse(startOf(row as FileRow)) - Date.parse(startOf(stored as S))) /
      3_600_000;
    const was = zone === null ? '' : `, read in ${zone}`;
    const count = `${rows.size} of ${this.#known + this.#rows.length} rows are in import ${importId}${was}, ${apart} hours apart`;
    const isStated = this.#settings.zone === null;
    const ofFile = isStated ? '' : '; if this file is in another zone, pass --timezone';

    return new UserError(
      `${count}${ofFile}; if import ${importId} was read in the wrong zone: journal-api import change ${importId} --timezone ZONE; if these are other trades: --allow-duplicates`,
    );
  }

  #inOtherZone(rows: ReadonlyMap<FileRow, StoredRow>): UserError {
    const [[, stored] = []] = rows;
    const { importId, zone } = stored?.statements[0] ?? { importId: 0, zone: null };
    const read = this.#settings.zone ?? 'the zone that this file states';
    const count = `${rows.size} of ${this.#known + this.#rows.length} rows are in import ${importId}`;
    const was = zone === null ? '' : `, read in ${zone}`;
    const change = this.#settings.zone ?? 'ZONE';

    return new UserError(
      `${count}${was}; these are read in ${read}. To correct import ${importId}: journal-api import change ${importId} --timezone ${change}`,
    );
  }
}
