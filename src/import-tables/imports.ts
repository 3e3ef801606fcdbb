/** The list of imports and the records that they state: the only place that reads and writes them. */

import type Database from 'better-sqlite3';
import { trades } from '../journal/resources/trades.ts';
import { same, type Values, type WholeRecord } from '../journal-write/record.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { type EarlierSizes, type EarlierZone, sizesOfFormat, zoneOfFormat } from './earlier-imports.ts';
import type { ImportEntry } from './exported-imports.ts';
import { entryOf, isSameImport, SELECT_IMPORTS, TABLES } from './import-list.ts';
import { KeptFiles } from './imports/kept-files.ts';
import { WRITTEN_FIELDS } from './walked-trades.ts';

export { compressed, type KeptFiles, type KeptPart, keptBytes, PIECE } from './imports/kept-files.ts';

/** Formats of commands: they change existing records, and state none as a file does. */
export const COMMAND_FORMATS: readonly string[] = [
  ...['annotate', 'note', 'remove', 'prune', 'group', 'ungroup', 'expire'],
];

/** The known values of an import when it begins. */
export type NewImport = Pick<ImportEntry, 'imported_at' | 'file' | 'format' | 'resource' | 'account'> &
  Partial<Pick<ImportEntry, 'of' | 'options' | 'date_order' | 'path'>> & { mapping?: string | null };

/** A closed trade that a file states without its fills. */
export interface StatedTrade {
  id: string;
  symbol: string;
  account: string | null;
  side: string;
  quantity: number;
  entry_price: number;
  exit_price: number;
  executed_at: string;
  closed_at: string;
}

/** What a file wrote of a closed trade. */
export interface WrittenTrade {
  /** Entry and exit as written, joined by a slash; '' if the file states the zone; null if unknown. */
  clock: string | null;
  /** Of the file, in one number; null if unknown. */
  digits: number | null;
}

const NOTHING_WRITTEN: WrittenTrade = { clock: null, digits: null };

/** A trade of the journal, as a file's is compared with it. */
export interface JournalTrade {
  id: string;
  symbol: string;
  account: string | null;
  side: 'long' | 'short';
  status: 'open' | 'closed';
  currency: string;
  market: string;
  multiplier: number;
  quantity: number;
  entry_price: number;
  exit_price: number | null;
  executed_at: string;
  closed_at: string | null;
  gross_pnl: number;
  fees: number;
}

const JOURNAL_TRADE = `t.id, t.symbol, t.account, t.side, t.status, t.currency, t.market, t.multiplier, t.quantity,
  t.entry_price, t.exit_price, t.executed_at, t.closed_at, t.gross_pnl, t.fees`;

/** A trade that an import states, and what its file wrote. */
export interface TradeStatement extends JournalTrade, WrittenTrade {
  importId: number;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
}

export interface RecordChange {
  resource: string;
  id: string;
  change: Change | 'removed';
  /** The changed fields of a changed record, by name; all fields of a removed one; else null. */
  before: Values | null;
  after: Values | null;
}

/** Where a note states a record. */
export interface NotePlace {
  path: string;
  line: number;
}

/** Added records whose statements are written together: one by one, they take a tenth of an import's time. */
const AT_ONCE = 1000;

type AddedRecord = [place: number, account: string | null, clock: string | null, digits: number | null];

export class ImportTable {
  readonly #rows: UserRows;
  /** The contents of their files. */
  readonly files: KeptFiles;
  /** Records that the current import added, by resource and id, whose statements aren't written yet. */
  readonly #added = new Map<string, Map<unknown, AddedRecord>>();
  #place = 0;
  /** Number of notes with a new path in the current import. */
  movedNotes = 0;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
    this.files = new KeptFiles(this.#rows);
  }

  /**
   * Adds an import to the list when it begins.
   * @param again the id of an import whose file is imported again: it keeps its time and file name
   * @returns its id: 1 above the highest
   */
  add({ options = null, ...given }: NewImport, again?: number): number {
    this.movedNotes = 0;
    this.#place = 0;
    const highest =
      this.#rows.get<{ id: number }>(`SELECT max(id) AS id FROM imports WHERE user_id = ${USER}`)?.id ?? 0;
    const id = again ?? highest + 1;
    const entry = {
      of: null,
      date_order: null,
      path: null,
      mapping: null,
      ...given,
      options: options && JSON.stringify(options),
    };
    const { imported_at, file, of, ...read } = entry;
    if (again !== undefined && this.#rows.has('imports', { id })) {
      this.#rows.update('imports', { id }, { ...read, sha256: null });
    } else {
      this.#rows.insert('imports', { ...read, imported_at, file, of, id, rows: 0, fills: 0, records: 0, trades: 0 });
    }
    return id;
  }

  /**
   * Adds an import listed by another journal, unless this one has it.
   * @returns its id here
   */
  take(entry: ImportEntry): number {
    const known = this.idOf(entry);
    if (known !== undefined) return known;
    const { imported_at, file, format, resource, account, options, date_order, path } = entry;
    const given = { imported_at, file, format, resource, account, options, date_order, path };
    const id = this.add(given, entry.id === 0 ? 0 : undefined);
    this.setZone(id, entry.timezone);
    this.setHolder(id, entry.holder);
    this.complete(id, entry);
    return id;
  }

  /** The id here of another journal's import; undefined if it isn't in the list. */
  idOf(entry: ImportEntry): number | undefined {
    return this.list().find((own) => isSameImport(own, entry))?.id;
  }

  /** Stores the results of an import. */
  complete(id: number, entry: Pick<ImportEntry, 'sha256' | 'rows' | 'fills' | 'records' | 'trades' | 'skipped'>): void {
    const { sha256, rows, fills, records, trades, skipped } = entry;
    this.writeAdded(id);
    const values = { sha256, rows, fills, records, trades, skipped: JSON.stringify(skipped) };
    this.#rows.update('imports', { id }, values);
  }

  isEmpty(): boolean {
    return !this.#rows.has('imports');
  }

  /** The id of the latest import; undefined if there is none. */
  latest(): number | undefined {
    return this.#entries('ORDER BY id DESC LIMIT 1')[0]?.id;
  }

  list(): ImportEntry[] {
    return this.#entries('ORDER BY id DESC');
  }

  find(id: number): ImportEntry | undefined {
    return this.#entries('AND id = @id', { id })[0];
  }

  /** The zone that a file of a format follows in an account. */
  latestZone(format: string, account: string | null): EarlierZone | undefined {
    return zoneOfFormat(this.#rows, format, account);
  }

  /** The contract sizes that a file of a format follows. @param account by --account */
  latestSizes(format: string, account: string | null): EarlierSizes {
    return sizesOfFormat(this.#rows, format, account);
  }

  /** Files of a format whose order of dates is unknown, as in imports of earlier versions; the latest first. */
  withoutOrder(format: string): { id: number; zone: string | null }[] {
    return this.#rows.all(
      `SELECT id, timezone AS zone FROM imports AS i
       WHERE user_id = ${USER} AND format = @format AND sha256 IS NOT NULL AND date_order IS NULL
         AND (EXISTS (SELECT 1 FROM import_fills AS p
           WHERE p.user_id = i.user_id AND p.import_id = i.id AND p.clock IS NULL)
         OR EXISTS (SELECT 1 FROM import_records AS r
           WHERE r.user_id = i.user_id AND r.import_id = i.id AND r.resource = 'trades' AND r.clock IS NULL))
       ORDER BY id DESC`,
      { format },
    );
  }

  /** Stores the zone in which an import's times without one were read. */
  setZone(id: number, zone: string | null): void {
    this.#rows.update('imports', { id }, { timezone: zone });
  }

  /** Stores the account of an import's rows without one. */
  setHolder(id: number, holder: string | null): void {
    this.#rows.update('imports', { id }, { holder });
  }

  /** The imports of a file with this hash, the latest first. */
  ofFile(sha256: string): ImportEntry[] {
    return this.#entries('AND sha256 = @sha256 ORDER BY id DESC', { sha256 });
  }

  /**
   * Stores that an import states a record, and what it changes; of an added one at the latest with writeAdded().
   * @param note its path, and the line of the record
   * @param account of a trade as the file states it, if it was renamed
   * @param written what the file wrote of a closed trade
   * @returns whether the import states it for the first time
   */
  addRecord(
    importId: number,
    resource: string,
    stored: WholeRecord | undefined,
    whole: WholeRecord,
    note: NotePlace | null = null,
    account: string | null = null,
    { clock, digits }: WrittenTrade = NOTHING_WRITTEN,
  ): boolean {
    const id = whole.record['id'];
    const isTrade = resource === trades.path;
    const { path = null, line: place = this.#place++ } = note ?? {};
    const stated = isTrade ? (account ?? (whole.record['account'] as string | null) ?? '') : null;
    const added = this.#added.get(resource) ?? new Map();
    if (!stored && path === null) {
      this.#added.set(resource, added.set(id, [place, stated, clock, digits]));
      if (added.size === AT_ONCE) this.writeAdded(importId);
      return true;
    }
    if (added.has(id)) return false;
    if (path !== null) this.movedNotes += this.#rows.run(MOVE_NOTE, { resource, id, importId, path });
    const row = { resource, record_id: id, import_id: importId, path, place, account: stated, clock, digits };
    return this.#rows.insertNew('import_records', { ...row, ...changesOf(stored, whole) });
  }

  /** Writes the remaining statements of added records. */
  writeAdded(importId: number): void {
    for (const [resource, ids] of this.#added) {
      const added = JSON.stringify([...ids].map(([id, own]) => [id, ...own]));
      this.#rows.run(
        `INSERT INTO import_records (user_id, resource, record_id, import_id, change, place, account, clock, digits)
         SELECT @user, @resource, value ->> 0, @importId, 'added', value ->> 1, value ->> 2, value ->> 3, value ->> 4
         FROM json_each(@added) WHERE true
         ON CONFLICT DO NOTHING`,
        { resource, importId, added },
      );
    }
    this.#added.clear();
  }

  /** Stores a record that a command removed. */
  removed(importId: number, resource: string, { record, executions }: WholeRecord): void {
    this.writeAdded(importId);
    const before = asJson(resource === trades.path ? { ...record, executions } : record);
    const row = { resource, record_id: record['id'], import_id: importId, change: 'removed', before };
    this.#rows.insertNew('import_records', row);
  }

  recordsOf(id: number): RecordChange[] {
    return this.#changes('import_id = @id', { id }).map(({ change }) => change);
  }

  /** Changes by imports and commands, in order, of the records of a folder's notes. */
  ofNotesIn(
    folder: string,
  ): { resource: string; id: string; change: RecordChange['change']; path: string | null; format: string }[] {
    return this.#rows.all(
      `SELECT r.resource, r.record_id AS id, r.change, r.path, i.format
       FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
       WHERE r.user_id = ${USER} AND (r.resource, r.record_id) IN (
         SELECT resource, record_id FROM import_records WHERE user_id = ${USER} AND path >= @from AND path < @to)
       ORDER BY r.import_id`,
      { from: `${folder}/`, to: `${folder}0` },
    );
  }

  /**
   * Files that state some of the same fills or closed trades, or later some of the same records, and decide the same facts. Labels of
   * trades from other files aren't facts.
   */
  sharing(id: number): number[] {
    const written = WRITTEN_FIELDS.map((name) => `'${name}'`).join(', ');
    const hasFacts = (row: string) =>
      `${row}.path IS NULL AND (${row}.change <> 'changed' OR EXISTS (SELECT 1 FROM json_each(${row}.after) WHERE key NOT IN (${written})))`;
    const rows = this.#rows.all<{ id: number }>(
      `SELECT o.import_id AS id FROM import_fills AS p JOIN import_fills AS o ON o.user_id = p.user_id AND o.fill_id = p.fill_id
         JOIN imports AS i ON i.user_id = o.user_id AND i.id = o.import_id
       WHERE p.user_id = ${USER} AND p.import_id = @id AND o.import_id <> @id AND i.sha256 IS NOT NULL UNION
       SELECT o.import_id FROM import_records AS p JOIN import_records AS o ON o.user_id = p.user_id AND o.resource = p.resource
         AND o.record_id = p.record_id JOIN imports AS i ON i.user_id = o.user_id AND i.id = o.import_id
       WHERE p.user_id = ${USER} AND p.import_id = @id AND o.import_id <> @id AND i.sha256 IS NOT NULL
         AND CASE WHEN p.resource <> 'trades' THEN o.import_id > @id
           ELSE 'added' IN (p.change, o.change) AND ${hasFacts('p')} AND ${hasFacts('o')} END
       ORDER BY id`,
      { id },
    );
    return rows.map((own) => own.id);
  }

  /** Ids of the records that an import added. */
  addedBy(id: number): Set<unknown> {
    const which = { import_id: id, change: 'added' };
    const rows = this.#rows.where<{ record_id: string }>('SELECT record_id FROM import_records', which);
    return new Set(rows.map(({ record_id }) => record_id));
  }

  /** The closed trades in a symbol stated by files of some formats. */
  closedTrades(formats: readonly string[], symbol: string): StatedTrade[] {
    const brought = `AND EXISTS (
      SELECT 1 FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
      WHERE r.user_id = t.user_id AND r.resource = 'trades' AND r.record_id = t.id
        AND i.format IN (SELECT value FROM json_each(@formats)))`;
    return this.#closed(brought, { symbol, formats: JSON.stringify(formats) });
  }

  /**
   * Trades that files of a format state without their fills, by entry, each with every file that
   * states it; also those that the export of a journal restored, by their ids.
   * @param family the name of a format; with a colon at its end, the beginning of the names
   * @param span of entries, UTC
   */
  statedTrades(family: string, span: { from: string; to: string }): TradeStatement[] {
    const isWhole = !family.endsWith(':');
    const ofFamily = isWhole ? 'i.format = @family' : 'substr(i.format, 1, length(@family)) = @family';
    return this.#rows.all(
      `SELECT ${JOURNAL_TRADE}, r.import_id AS importId, r.clock, r.digits, i.timezone AS zone
       FROM trades AS t JOIN import_records AS r ON r.user_id = t.user_id AND r.resource = 'trades' AND r.record_id = t.id
         JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
       WHERE t.user_id = ${USER} AND t.executed_at >= @from AND t.executed_at <= @to AND r.change <> 'removed'
         AND (${ofFamily} OR i.format IN ('jsonl', 'json', 'csv') AND substr(t.id, 1, length(@prefix)) = @prefix AND NOT EXISTS (
           SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.fill_id IS NOT NULL))
       ORDER BY t.executed_at, r.place, t.id, r.import_id`,
      { ...span, family, prefix: isWhole ? `${family}:` : family },
    );
  }

  tradeWithId(id: string): JournalTrade | undefined {
    return this.#rows.get(`SELECT ${JOURNAL_TRADE} FROM trades AS t WHERE t.user_id = ${USER} AND t.id = @id`, { id });
  }

  /** The imports that state a trade, the earliest first, with what their files wrote. */
  statementsOfTrade(id: string): ({ importId: number } & WrittenTrade)[] {
    const which = { resource: trades.path, record_id: id };
    const select = 'SELECT import_id AS importId, clock, digits FROM import_records';
    return this.#rows.where(select, which, 'ORDER BY import_id');
  }

  /** The mapping that an import was read with. */
  mappingOf(id: number): string | null {
    const [row] = this.#rows.where<{ mapping: string | null }>('SELECT mapping FROM imports', { id });
    return row?.mapping ?? null;
  }

  /** Whether a trade with these facts was entered within the minute of an instant: a spreadsheet may have cut its seconds. */
  hasTrade({ symbol, side, quantity, entry_price, executed_at }: Values): boolean {
    const row = this.#rows.get(
      `SELECT 1 FROM trades WHERE user_id = ${USER} AND symbol = @symbol
         AND executed_at BETWEEN @minute || ':00.000Z' AND @minute || ':59.999Z'
         AND side = @side AND quantity = @quantity AND entry_price = @entry_price`,
      { symbol, side, quantity, entry_price, minute: String(executed_at).slice(0, 16) },
    );
    return row !== undefined;
  }

  allClosedTrades(symbol: string): StatedTrade[] {
    return this.#closed('AND closed_at IS NOT NULL', { symbol });
  }

  #closed(which: string, values: Values): StatedTrade[] {
    return this.#rows.all(
      `SELECT id, symbol, account, side, quantity, entry_price, exit_price, executed_at, closed_at FROM trades AS t
       WHERE user_id = ${USER} AND symbol = @symbol ${which}`,
      values,
    );
  }

  /** Changes of a record by other imports, the earliest first. */
  othersOf(
    importId: number,
    { resource, id }: Pick<RecordChange, 'resource' | 'id'>,
  ): { importId: number; change: RecordChange }[] {
    const others = 'resource = @resource AND record_id = @id AND import_id <> @importId ORDER BY import_id';
    return this.#changes(others, { resource, id, importId });
  }

  /** Replaces an import's change of a record after another import was undone. */
  restate(importId: number, { resource, id, change, before, after }: RecordChange): void {
    const which = { resource, record_id: id, import_id: importId };
    this.#rows.update('import_records', which, { change, before: asJson(before), after: asJson(after) });
  }

  /** Removes an import's statement of a record. */
  forget(importId: number, { resource, id }: Pick<RecordChange, 'resource' | 'id'>): void {
    this.#rows.delete('import_records', { resource, record_id: id, import_id: importId });
  }

  /** Removes an import and its statements from the list; the fills and records themselves stay. */
  remove(id: number): void {
    this.files.forget(id);
    for (const table of ['import_records', ...TABLES]) this.#rows.delete(table, { import_id: id });
    this.#rows.delete('imports', { id });
  }

  #changes(condition: string, values: Values): { importId: number; change: RecordChange }[] {
    const rows = this.#rows.all<RecordRow>(
      `SELECT import_id, resource, record_id, change, before, after FROM import_records WHERE user_id = ${USER} AND ${condition}`,
      values,
    );
    return rows.map(({ import_id, record_id, before, after, ...row }) => ({
      importId: import_id,
      change: { ...row, id: record_id, before: parsed(before), after: parsed(after) },
    }));
  }

  #entries(condition: string, values?: Values): ImportEntry[] {
    return this.#rows.all(`${SELECT_IMPORTS} ${USER} ${condition}`, values).map(entryOf);
  }
}

const MOVE_NOTE = `UPDATE import_records SET path = @path WHERE user_id = ${USER} AND resource = @resource AND record_id = @id AND import_id <> @importId
  AND change <> 'removed' AND path IS NOT @path AND (path IS NOT NULL OR import_id IN (
    SELECT id FROM imports AS i WHERE i.user_id = ${USER} AND i.id = import_id AND i.format = 'markdown'))`;

interface RecordRow {
  import_id: number;
  resource: string;
  record_id: string;
  change: RecordChange['change'];
  before: string | null;
  after: string | null;
}

/** The change, and the different fields before and after, as JSON. */
function changesOf(
  stored: WholeRecord | undefined,
  whole: WholeRecord,
): { change: Change; before: string | null; after: string | null } {
  if (!stored) return { change: 'added', before: null, after: null };
  if (stored === whole) return { change: 'unchanged', before: null, after: null };
  const now: Values = { ...whole.record, executions: whole.executions };
  const then: Values = { ...stored.record, executions: stored.executions };
  const names = Object.keys(now).filter((name) => name !== 'updated_at' && !same(now[name], then[name]));
  if (names.length === 0) return { change: 'unchanged', before: null, after: null };
  const pick = (values: Values) => asJson(Object.fromEntries(names.map((name) => [name, values[name] ?? null])));
  return { change: 'changed', before: pick(then), after: pick(now) };
}

function asJson(values: Values | null): string | null {
  return values && JSON.stringify(values);
}

function parsed(text: string | null): Values | null {
  return text === null ? null : JSON.parse(text);
}
