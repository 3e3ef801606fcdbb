/**
 * Closed trades that a file states without their fills, found in the journal: one is
 * known by what files wrote, as a fill is (identity/same-rows.ts), and keeps its id. Open
 * positions that a later file states closed are found by their opening.
 */
import { hash } from 'node:crypto';
import { UserError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import type { AccountNames } from '../../statements/account-settings.ts';
import type {
  ImportTable,
  JournalTrade,
  TradeStatement,
} from '../../statements/imports.ts';
import { ZoneClock } from '../../time.ts';
import {
  digitsOf,
  type FileRow,
  isWholeShift,
  packed,
  type RowDigits,
  type RowEnd,
  type StoredRow,
  unpacked,
} from './identity/compared-rows.ts';
import { type Matches, matchRows } from './identity/same-rows.ts';
import { mayShareAccount } from './identity.ts';
import { familyOf } from './known-fills.ts';
import type { FileRecord, FormatTraits } from './reading.ts';

interface Settings {
  format: FormatTraits;
  imports: ImportTable;
  names: AccountNames;
  /** For rows without an account in the file. */
  account: string | null;
  userZone: string;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
  /** The mapping that the file is read with. */
  mapping: string | null;
  /** Whether rows that seem to be known are others. */
  allowDuplicates: boolean;
}

/**
 * The records of one file with the ids and accounts that their trades have in the
 * journal.
 * @throws UserError, RowError as matchRows()
 */
export function knownTrades(
  records: readonly FileRecord[],
  settings: Settings,
): KnownRecords {
  return new KnownTrades(records, settings).run();
}

interface KnownRecords {
  records: FileRecord[];
  notes: string[];
  /** The account of known rows of which the file names none. */
  holder: string | null;
}

interface TradeRow extends FileRow {
  record: FileRecord;
}

interface StoredTradeRow extends StoredRow {
  trade: JournalTrade;
}

class KnownTrades {
  readonly #records: readonly FileRecord[];
  readonly #settings: Settings;
  readonly #days: ZoneClock;
  readonly #notes: string[] = [];
  /**
   * The account that holds rows of which the file names none: the others are in it, too.
   */
  #holder: string | null = null;
  readonly #found = new Map<FileRecord, StoredTradeRow>();
  /** Those whose file has more digits than the journal. */
  readonly #finer = new Set<FileRecord>();
  readonly #digits = new Map<FileRecord, number>();
  /** Ids of the journal that rows of the file have. */
  readonly #taken = new Set<string>();
  /** Ids of several rows. */
  readonly #repeated = new Set<unknown>();
  /** By import. */
  readonly #mappings = new Map<number, string | null>();
  readonly #otherMapping = new Map<number, { count: number; fields: Set<string> }>();

  constructor(records: readonly FileRecord[], settings: Settings) {
    this.#records = records;
    this.#settings = settings;
    this.#days = new ZoneClock(settings.userZone);
    const ids = Map.groupBy(records, ({ values }) => values['id']);
    for (const [id, { length }] of ids) if (length > 1) this.#repeated.add(id);
  }

  run(): KnownRecords {
    const rows = this.#records.flatMap((record) => this.#rowOf(record) ?? []);
    for (const group of Map.groupBy(rows, ({ instrument }) => instrument).values()) {
      const digits = packed(digitsOf(group));
      for (const { record } of group) this.#digits.set(record, digits);
    }

    this.#findRows(rows, this.#storedRows(rows));

    for (const { storedId } of this.#records)
      if (storedId !== undefined) this.#taken.add(storedId);
    for (const { storedId } of this.#found.values()) this.#taken.add(storedId);
    const records = this.#records.map((record) => this.#settled(record));
    this.#noteOtherMapping();

    return { records, notes: this.#notes, holder: this.#holder };
  }

  // Rows of the file and of the journal.

  #rowOf(record: FileRecord): TradeRow | undefined {
    const { values, clock, line } = record;
    const { symbol, side, quantity, executed_at: opened, closed_at: closed } = values;
    const { entry_price: from, exit_price: to } = values;
    if (typeof symbol !== 'string' || typeof side !== 'string') return undefined;
    if (typeof opened !== 'string' || typeof from !== 'number') return undefined;
    if (typeof quantity !== 'number') return undefined;

    const clocks = clock === undefined ? [] : clocksOf(clock);
    const ends = [endOf(opened, from, clocks[0])];
    if (typeof closed === 'string' && typeof to === 'number')
      ends.push(endOf(closed, to, clocks[1]));

    return {
      record,
      line,
      key: `${symbol.toLowerCase()} ${side}`,
      facts: { side },
      symbol,
      instrument: symbol.toLowerCase(),
      account: this.#presentAccount(values),
      id: null,
      ends,
      quantity,
    };
  }

  #storedRows(rows: readonly TradeRow[]): StoredTradeRow[] {
    const span = spanOf(rows);
    if (!span) return [];
    const { imports, format } = this.#settings;
    const hasDays = rows.some(({ ends }) => ends.some(({ hasTime }) => !hasTime));
    const byTrade = Map.groupBy(
      imports.statedTrades(familyOf(format.name), span),
      ({ id }) => id,
    );
    return [...byTrade.values()].map((group) => this.#storedRow(group, hasDays));
  }

  /** @param hasDays whether the file has days without times */
  #storedRow(
    group: readonly [TradeStatement, ...TradeStatement[]],
    hasDays: boolean,
  ): StoredTradeRow {
    const [trade] = group;
    const {
      id,
      symbol,
      side,
      account,
      quantity,
      entry_price: from,
      exit_price: to,
    } = trade;
    const [known = []] = group.flatMap(({ clock }) => (clock ? [clocksOf(clock)] : []));

    const endAt = (instant: string, price: number, clock: string | undefined): RowEnd => {
      const end = endOf(instant, price, clock);
      const isDay = hasDays && clock === undefined && this.#isStartOfDay(instant);
      return isDay ? { ...end, hasTime: false } : end;
    };

    const ends = [endAt(trade.executed_at, from, known[0])];
    if (trade.closed_at !== null && to !== null && trade.status === 'closed') {
      ends.push(endAt(trade.closed_at, to, known[1]));
    }

    return {
      trade,
      storedId: id,
      isInferred: false,
      key: `${symbol.toLowerCase()} ${side}`,
      facts: { side },
      symbol,
      instrument: symbol.toLowerCase(),
      account,
      id: null,
      ends,
      quantity,
      statements: group.map(({ importId, zone, clock, digits }) => ({
        importId,
        zone,
        clocks: clock === null ? null : clocksOf(clock),
        digits: digits === null ? undefined : unpacked(digits),
        id: null,
      })),
    };
  }

  #isStartOfDay(instant: string): boolean {
    const date = new Date(Date.parse(instant) + DAY / 2).toISOString().slice(0, 10);
    const after = Date.parse(instant) - this.#days.startOfDay(date);
    return after >= 0 && after < 60_000;
  }

  // The rows that the journal has.

  #findRows(rows: readonly TradeRow[], stored: readonly StoredTradeRow[]): void {
    const { name } = this.#settings.format;
    const open = rows.filter(({ record }) => record.storedId === undefined);
    // A spreadsheet may have cut long ids: then none counts.
    const haveTickets =
      open.every(({ record }) => ticketOf(name, record.values['id']) !== null) &&
      stored.every(({ storedId }) => ticketOf(name, storedId) !== null);
    const keyed = haveTickets
      ? {
          rows: open.map((row) =>
            withTicket(row, ticketOf(name, row.record.values['id'])),
          ),
          stored: stored.map((row) => withTicket(row, ticketOf(name, row.storedId))),
        }
      : { rows: open, stored };

    const openKeys = new Set(
      keyed.stored.filter((row) => !isClosed(row)).map(({ key }) => key),
    );
    const isOpenTicket = ({ key }: TradeRow) => haveTickets && openKeys.has(key);
    this.#match(
      keyed.rows.filter((row) => isClosed(row) && !isOpenTicket(row)),
      keyed.stored.filter(isClosed),
    );
    // A ticket finds its open position by itself.
    if (haveTickets) this.#refuseShiftedTickets(keyed.rows, keyed.stored);
    else this.#matchOpenings(keyed.rows, keyed.stored);
  }

  /**
   * A ticket tells the trade, even if an earlier version didn't keep what the file wrote.
   */
  #refuseShiftedTickets(
    rows: readonly TradeRow[],
    stored: readonly StoredTradeRow[],
  ): void {
    if (this.#settings.allowDuplicates) return;

    const byKey = Map.groupBy(this.#free(stored), ({ key }) => key);
    for (const { record, key, account } of rows) {
      if (this.#found.has(record)) continue;

      const shifted = byKey
        .get(key)
        ?.find(
          ({ trade, statements }) =>
            mayShareAccount(trade, { account }) &&
            statements.every(({ clocks }) => clocks === null) &&
            isShifted(record.values, trade),
        );
      if (shifted) throw this.#inOtherZone(record, shifted.trade);
    }
  }

  #match(rows: readonly TradeRow[], stored: readonly StoredTradeRow[]): void {
    const { allowDuplicates, zone } = this.#settings;
    const matches = matchRows(rows, stored, {
      noun: 'trade',
      hasUniqueIds: false,
      hasMadeIds: false,
      allowDuplicates,
      zone,
    });
    this.#holder ??= matches.holder;
    for (const note of matches.notes) this.#notes.push(note);

    for (const row of rows) {
      const found = matches.stored.get(row);
      if (!found) continue;
      this.#found.set(row.record, found);
      if (isFiner(row, found, matches)) this.#finer.add(row.record);
    }
  }

  /**
   * Open positions of the journal that the file closes or repeats, and closed ones that
   * an older file states open.
   */
  #matchOpenings(rows: readonly TradeRow[], stored: readonly StoredTradeRow[]): void {
    const left = rows.filter(({ record }) => !this.#found.has(record));
    const open = this.#free(stored).filter(({ trade }) => trade.status === 'open');
    const keys = new Set(open.map(({ key }) => key));
    const openings = left.filter((row) => !isClosed(row) || keys.has(row.key));
    if (open.length > 0) this.#match(openings.map(openingOf), open.map(openingOf));

    const older = left.filter((row) => !isClosed(row) && !this.#found.has(row.record));
    const closed = this.#free(stored).filter(isClosed);
    if (older.length > 0) this.#match(older.map(openingOf), closed.map(openingOf));
  }

  #free(stored: readonly StoredTradeRow[]): StoredTradeRow[] {
    const taken = new Set([...this.#found.values()].map(({ storedId }) => storedId));
    return stored.filter(({ storedId }) => !taken.has(storedId));
  }

  // What becomes of a row.

  #settled(record: FileRecord): FileRecord {
    const settled = this.#withIdOf(record);
    const digits = this.#digits.get(record);
    return digits === undefined ? settled : { ...settled, digits };
  }

  #withIdOf(record: FileRecord): FileRecord {
    if (record.storedId !== undefined) return this.#again(record, record.storedId);
    const found = this.#found.get(record);
    return found ? this.#known(record, found) : this.#byId(record);
  }

  /**
   * A row that is read again: another file of the same change may state it with more
   * digits.
   */
  #again(record: FileRecord, id: string): FileRecord {
    const settled = this.#withId(record, id, undefined);
    const { imports } = this.#settings;
    const trade = imports.tradeWithId(id);
    if (lacksOpening(record.values, trade)) return withoutFacts(settled);

    const digits = this.#digits.get(record);
    if (!trade || digits === undefined || !haveSameMinutes(record.values, trade))
      return settled;

    const { time, price } = unpacked(digits);
    const others = imports
      .statementsOfTrade(id)
      .flatMap((statement) => statement.digits ?? []);
    const hasFewer = others
      .map(unpacked)
      .some((known) => known.time > time || known.price > price);

    return hasFewer ? withoutFacts(settled) : settled;
  }

  #known(record: FileRecord, { trade, statements }: StoredTradeRow): FileRecord {
    if (record.values['status'] === 'open' && trade.status === 'closed')
      return { ...record, values: { id: trade.id } };

    const settled = this.#withId(record, trade.id, trade);
    if (trade.status === 'open') return settled;

    const isOther = !hasEqualEnds(record.values, trade) && !this.#finer.has(record);
    if (!isOther && !this.#isOfOtherMapping(record, trade, statements)) return settled;

    return withoutFacts(settled);
  }

  /** A trade that its id alone may tell: its row is another than before, or new. */
  #byId(record: FileRecord): FileRecord {
    const id = record.values['id'];
    // An id that is twice in the file is refused when it is written.
    if (typeof id !== 'string' || this.#repeated.has(id)) return record;

    const found = this.#freeOrSame(record, id);
    const isTicket = ticketOf(this.#settings.format.name, id) !== null;
    const isOlder =
      record.values['status'] === 'open' && found.stored?.status === 'closed';
    if (isTicket && isOlder) return { ...record, values: { id: found.id } };

    const settled = this.#withId(record, found.id, found.stored);
    return lacksOpening(record.values, found.stored) ? withoutFacts(settled) : settled;
  }

  /** The first id for a row that no trade has, or that its own trade has. */
  #freeOrSame(
    record: FileRecord,
    id: string,
  ): { id: string; stored: JournalTrade | undefined } {
    const account = this.#presentAccount(record.values) ?? this.#holder;
    for (const ids = idsFor(id, account); ; ) {
      const candidate = ids.next().value;
      if (this.#taken.has(candidate)) continue;
      const stored = this.#settings.imports.tradeWithId(candidate);
      if (!stored) return { id: candidate, stored };

      const isSame =
        mayShareAccount(stored, { account }) && !this.#isInOtherZone(record, stored);
      if (isSame) return { id: candidate, stored };
    }
  }

  /** @throws UserError if a trade is in another zone, unless it may be another */
  #isInOtherZone(record: FileRecord, stored: JournalTrade): boolean {
    if (!isShifted(record.values, stored) || !this.#isWrittenAlike(record, stored))
      return false;
    if (!this.#settings.allowDuplicates) throw this.#inOtherZone(record, stored);
    return true;
  }

  /**
   * Whether the journal has what the file wrote, or an earlier version didn't keep it.
   */
  #isWrittenAlike({ clock }: FileRecord, { id }: JournalTrade): boolean {
    const clocks = this.#settings.imports
      .statementsOfTrade(id)
      .map((statement) => statement.clock);
    return (
      clocks.every((known) => known === null) ||
      (clock !== '' && clocks.includes(clock ?? null))
    );
  }

  #inOtherZone({ line }: FileRecord, { id, symbol }: JournalTrade): UserError {
    const [{ importId } = { importId: 0 }] = this.#settings.imports.statementsOfTrade(id);
    const zone = this.#settings.zone ?? 'ZONE';
    const problem = `line ${line}: this trade of ${symbol} is in import ${importId}, read in another zone`;
    const command = `journal-api import change ${importId} --timezone ${zone}`;
    return new UserError(`${problem}; to correct import ${importId}: ${command}`);
  }

  #presentAccount(values: Values): string | null {
    return this.#settings.names.of(this.#statedAccount(values));
  }

  #statedAccount(values: Values): string | null {
    const { account } = values;
    return typeof account === 'string' ? account : this.#settings.account;
  }

  /** @param stored the trade of the journal; undefined if it is new, or written again */
  #withId(record: FileRecord, id: string, stored: JournalTrade | undefined): FileRecord {
    const values: Values = { ...record.values, id };
    const stated = this.#statedAccount(values);
    const present = this.#settings.names.of(stated);
    const isUnnamed = values['account'] === undefined;
    // A file without the account's line lacks its currency too.
    if (stored && isUnnamed && this.#settings.format.hasTickets)
      values['currency'] = stored.currency;

    if (stored && stored.account !== null) {
      if (!isUnnamed) values['account'] = stored.account;
    } else if (present === null && this.#holder !== null) {
      values['account'] = this.#holder;
    } else if (present !== stated || !isUnnamed || record.storedId !== undefined) {
      // The journal has a row that is read again in the account that was stated before.
      values['account'] = present;
    }

    const isRenamed = present !== stated && values['account'] !== undefined;
    return stated !== null || isRenamed
      ? { ...record, values, formerAccount: stated ?? '' }
      : { ...record, values };
  }

  // Rows that a mapping reads otherwise than the one before: the journal's facts stay.

  #isOfOtherMapping(
    { values }: FileRecord,
    trade: JournalTrade,
    statements: StoredRow['statements'],
  ): boolean {
    const { mapping } = this.#settings;
    const importId = statements[0]?.importId ?? 0;
    if (mapping === null) return false;

    const mappings = statements.flatMap(
      (statement) => this.#mappingOf(statement.importId) ?? [],
    );
    if (mappings.length === 0 || mappings.includes(mapping)) return false;

    const fields = COMPARED.filter(
      (name) => values[name] !== undefined && values[name] !== trade[name],
    );
    if (fields.length === 0) return false;

    const known = this.#otherMapping.get(importId) ?? { count: 0, fields: new Set() };
    known.count++;
    for (const name of fields) known.fields.add(name);
    this.#otherMapping.set(importId, known);

    return true;
  }

  #mappingOf(importId: number): string | null {
    const known = this.#mappings.get(importId);
    if (known !== undefined) return known;
    const mapping = this.#settings.imports.mappingOf(importId);
    this.#mappings.set(importId, mapping);
    return mapping;
  }

  #noteOtherMapping(): void {
    for (const [importId, { count, fields }] of this.#otherMapping) {
      const rows = count === 1 ? '1 row differs' : `${count} rows differ`;
      const names = [...fields].join(', ');
      const remedy = `to read that import with this mapping: journal-api import change ${importId} --map FILE`;
      this.#notes.push(
        `${rows} from import ${importId} in ${names}, which stay as they are; ${remedy}`,
      );
    }
  }
}

const DAY = 86_400_000;

/** Days around a file in which its rows may be stored: zones are up to 26 hours apart. */
const MARGIN = 2 * DAY;

/** What a file states of a trade, besides labels. */
const FACTS: readonly string[] = [
  'executed_at',
  'closed_at',
  'quantity',
  'multiplier',
  'market',
  'currency',
  'entry_price',
  'exit_price',
  'gross_pnl',
  'fees',
  'has_time',
  'executions',
];

/** Facts that a mapping decides. */
const COMPARED = [
  'market',
  'currency',
  'multiplier',
  'gross_pnl',
  'fees',
] as const satisfies readonly (keyof JournalTrade)[];

function clocksOf(clock: string): string[] {
  const [entry = '', exit = ''] = clock.split('/');
  return [entry, exit];
}

function endOf(instant: string, price: number, clock: string | undefined): RowEnd {
  return { instant, clock: clock ?? null, hasTime: clock?.length !== DATE_LENGTH, price };
}

const DATE_LENGTH = '2026-11-20'.length;

function isClosed({ ends }: Pick<FileRow, 'ends'>): boolean {
  return ends.length === 2;
}

/** The same row with its opening alone. */
function openingOf<R extends FileRow | StoredTradeRow>(row: R): R {
  return { ...row, ends: row.ends.slice(0, 1) };
}

function withTicket<R extends FileRow | StoredTradeRow>(
  row: R,
  ticket: string | null,
): R {
  return { ...row, key: `${row.key} ${ticket}` };
}

/**
 * The platform's id in the id of a trade, without the time of a partial close, the
 * account, and the number of a repeated one; null for a hash of the row, and for
 * mappings: their ids may be numbers of rows.
 */
function ticketOf(format: string, id: unknown): string | null {
  if (
    typeof id !== 'string' ||
    !id.startsWith(`${format}:`) ||
    familyOf(format) !== format
  )
    return null;
  const [plain = ''] = id.slice(format.length + 1).split('~', 1);
  if (/^[0-9a-f]{24}(?:\.\d+)?$/.test(plain)) return null;
  return plain.replace(/\.\d{1,4}$/, '').replace(/\.\d{17}$/, '');
}

/** The id, then those that no other trade has: the account's, then numbered. */
function* idsFor(id: string, account: string | null): Generator<string, never> {
  yield id;
  const digest =
    account === null ? '' : `~${hash('sha256', account.toLowerCase()).slice(0, 8)}`;
  if (digest !== '') yield id + digest;
  for (let number = 2; ; number++)
    yield `${id}${digest}${digest === '' ? '~' : '.'}${number}`;
}

function spanOf(rows: readonly FileRow[]): { from: string; to: string } | undefined {
  const times = rows
    .map(({ ends }) => Date.parse(ends[0]?.instant ?? ''))
    .filter((time) => !Number.isNaN(time));
  if (times.length === 0) return undefined;

  const [first, last] = [
    times.reduce((a, b) => Math.min(a, b)),
    times.reduce((a, b) => Math.max(a, b)),
  ];
  return {
    from: new Date(first - MARGIN).toISOString(),
    to: new Date(last + MARGIN).toISOString(),
  };
}

/** Whether the file's digits that differ from the journal's are more. */
function isFiner(
  row: TradeRow,
  stored: StoredTradeRow,
  { digits, storedDigits }: Matches<StoredTradeRow>,
): boolean {
  const [file, known] = [digits.get(row.instrument), storedDigits.get(stored)];
  if (!file || !known) return false;

  const differs = (isOther: (end: RowEnd, other: RowEnd) => boolean) =>
    row.ends.some((end, index) => isOther(end, stored.ends[index] as RowEnd));
  const isOtherTime = differs(
    (end, other) => end.hasTime && end.instant !== other.instant,
  );
  const isOtherPrice = differs((end, other) => end.price !== other.price);
  const hasMore = (name: keyof RowDigits) => file[name] > known[name];
  if (isOtherTime && !hasMore('time')) return false;
  if (isOtherPrice && !hasMore('price')) return false;

  return isOtherTime || isOtherPrice;
}

function withoutFacts(record: FileRecord): FileRecord {
  const kept = Object.entries(record.values).filter(([name]) => !FACTS.includes(name));
  return { ...record, values: Object.fromEntries(kept) };
}

/**
 * Whether a row is of a file without times of opening, which starts a trade when it ends,
 * and the journal knows when this one started.
 */
function lacksOpening(values: Values, trade: JournalTrade | undefined): boolean {
  if (!trade || trade.closed_at === null || trade.executed_at >= trade.closed_at)
    return false;

  const names = ['closed_at', 'quantity', 'entry_price', 'exit_price'] as const;
  return (
    values['executed_at'] === trade.closed_at &&
    names.every((name) => values[name] === trade[name])
  );
}

/** Whether the times of a row are those of a trade, apart from seconds. */
function haveSameMinutes(values: Values, trade: JournalTrade): boolean {
  const names = ['executed_at', 'closed_at'] as const;
  return names.every(
    (name) => String(values[name]).slice(0, 16) === trade[name]?.slice(0, 16),
  );
}

function hasEqualEnds(values: Values, trade: JournalTrade): boolean {
  const names = ['executed_at', 'closed_at', 'entry_price', 'exit_price'] as const;
  return names.every((name) => values[name] === trade[name]);
}

/**
 * Whether a trade of the same id is the same but for its times, which are apart as two
 * zones are.
 */
function isShifted(values: Values, stored: JournalTrade): boolean {
  const isSame = (['quantity', 'entry_price', 'exit_price'] as const).every(
    (name) => values[name] === stored[name],
  );
  if (!isSame || stored.closed_at === null || typeof values['closed_at'] !== 'string')
    return false;

  const apart = (a: unknown, b: string) =>
    isWholeShift(Date.parse(String(a)) - Date.parse(b));
  return (
    apart(values['executed_at'], stored.executed_at) &&
    apart(values['closed_at'], stored.closed_at)
  );
}
