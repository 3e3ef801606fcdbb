/** The list of imports and the records that they state: the only place that reads and writes them. */

import type Database from 'better-sqlite3';
import { type RuleChange, ruleChangesOf } from '../journal/analytics/account-rules.ts';
import { trades } from '../journal/resources/trades.ts';
import { same, type Values, type WholeRecord } from '../journal-write/record.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { Reader } from '../sqlite/reader.ts';
import type { AccountName } from './account-names.ts';
import { type RateChange, rateChangesOf } from './exchange-rates.ts';
import { type FeeRate, feeRatesByImport } from './fee-rates.ts';
import { WRITTEN_FIELDS } from './walked-trades.ts';

/** Formats of commands: they change existing records, and state none as a file does. */
export const COMMAND_FORMATS: readonly string[] = [
  ...['annotate', 'note', 'remove', 'prune', 'group', 'ungroup', 'expire'],
];

/** An import in an export, with the fees, exchange rates, names and limits of accounts that it set. */
export type ExportedImport = ImportEntry & {
  fees?: readonly FeeRate[] | undefined;
  rates?: readonly RateChange[] | undefined;
  names?: readonly AccountName[] | undefined;
  limits?: readonly RuleChange[] | undefined;
};

/** The known values of an import when it begins. */
export type NewImport = Pick<ImportEntry, 'imported_at' | 'file' | 'format' | 'resource' | 'account'> &
  Partial<Pick<ImportEntry, 'of' | 'options' | 'path'>> & { mapping?: string | null };

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

/** Statements of added records that are written at once, in a fourth of the time (bench/import-records.ts). */
const AT_ONCE = 1000;

export class ImportTable {
  readonly #db: Database.Database;
  readonly #user: string;
  readonly #addRecord: Database.Statement;
  readonly #addAdded: Database.Statement;
  /** Records that the current import added, by resource and id, whose statements aren't written yet, with place and account. */
  readonly #added = new Map<string, Map<unknown, [place: number, account: string | null]>>();
  #place = 0;
  readonly #moveNote: Database.Statement;
  /** Number of notes with a new path in the current import. */
  movedNotes = 0;

  constructor(db: Database.Database, user: string) {
    this.#db = db;
    this.#user = user;
    this.#addRecord = db.prepare(
      `INSERT INTO import_records (user_id, resource, record_id, import_id, change, before, after, path, place, account)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#addAdded = db.prepare(
      `INSERT INTO import_records (user_id, resource, record_id, import_id, change, place, account)
       SELECT ?, ?, value ->> 0, ?, 'added', value ->> 1, value ->> 2 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    );
    this.#moveNote = db.prepare(
      `UPDATE import_records SET path = @path WHERE user_id = @user AND resource = @resource AND record_id = @id AND import_id <> @importId
         AND change <> 'removed' AND path IS NOT @path AND (path IS NOT NULL OR import_id IN (
           SELECT id FROM imports AS i WHERE i.user_id = @user AND i.id = import_id AND i.format = 'markdown'))`,
    );
  }

  /**
   * Adds an import to the list when it begins.
   * @param again the id of an import whose file is imported again: it keeps its time and file name
   * @returns its id: 1 above the highest
   */
  add(entry: NewImport, again?: number): number {
    return this.#addAs(again, entry);
  }

  #addAs(given: number | undefined, entry: NewImport): number {
    const {
      imported_at,
      file,
      format,
      resource,
      account,
      of = null,
      options = null,
      path = null,
      mapping = null,
    } = entry;
    this.movedNotes = 0;
    this.#place = 0;
    const highest = this.#db.prepare('SELECT max(id) FROM imports WHERE user_id = ?').pluck().get(this.#user);
    const id = given ?? Number(highest ?? 0) + 1;
    this.#db
      .prepare(
        `INSERT INTO imports (user_id, id, imported_at, file, format, resource, account, rows, fills, records, trades, of, options, path, mapping)
         VALUES (@user, @id, @imported_at, @file, @format, @resource, @account, 0, 0, 0, 0, @of, @options, @path, @mapping)
         ON CONFLICT (user_id, id) DO UPDATE SET format = @format, resource = @resource, account = @account, options = @options,
           path = @path, mapping = @mapping, sha256 = NULL`,
      )
      .run({
        ...{ imported_at, file, format, resource, account, of, path, mapping, id, user: this.#user },
        options: options && JSON.stringify(options),
      });
    return id;
  }

  /**
   * Adds an import listed by another journal, unless this one has it.
   * @returns its id here
   */
  take(entry: ImportEntry): number {
    const known = this.idOf(entry);
    if (known !== undefined) return known;
    const id = this.#addAs(entry.id === 0 ? 0 : undefined, { ...entry, of: null });
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
    this.#db
      .prepare(
        `UPDATE imports SET sha256 = @sha256, rows = @rows, fills = @fills, records = @records, trades = @trades, skipped = @skipped
         WHERE user_id = @user AND id = @id`,
      )
      .run({ sha256, rows, fills, records, trades, skipped: JSON.stringify(skipped), id, user: this.#user });
  }

  list(): ImportEntry[] {
    return importsOf(new Reader(this.#db), this.#user);
  }

  find(id: number): ImportEntry | undefined {
    return this.#entries('AND id = ?', id)[0];
  }

  /** The imports of a file with this hash, the latest first. */
  ofFile(sha256: string): ImportEntry[] {
    return this.#entries('AND sha256 = ? ORDER BY id DESC', sha256);
  }

  /**
   * Stores that an import states a record, and what it changes; of an added one at the latest with writeAdded().
   * @param note its path, and the line of the record
   * @param account of a trade as the file states it, if it was renamed
   * @returns whether the import states it for the first time
   */
  addRecord(
    importId: number,
    resource: string,
    stored: WholeRecord | undefined,
    whole: WholeRecord,
    note: NotePlace | null = null,
    account: string | null = null,
  ): boolean {
    const id = whole.record['id'];
    const isTrade = resource === trades.path;
    const { path = null, line: place = this.#place++ } = note ?? {};
    const stated = isTrade ? (account ?? (whole.record['account'] as string | null) ?? '') : null;
    const added = this.#added.get(resource);
    if (!stored && path === null) {
      if (added) added.set(id, [place, stated]);
      else this.#added.set(resource, new Map([[id, [place, stated]]]));
      if (added?.size === AT_ONCE) this.writeAdded(importId);
      return true;
    }
    if (added?.has(id)) return false;
    const { change, before, after } = changesOf(stored, whole);
    if (path !== null) {
      this.movedNotes += this.#moveNote.run({ user: this.#user, resource, id, importId, path }).changes;
    }
    return (
      this.#addRecord.run(...[this.#user, resource, id, importId, change, before, after, path, place, stated]).changes >
      0
    );
  }

  /** Writes the remaining statements of added records. */
  writeAdded(importId: number): void {
    for (const [resource, ids] of this.#added) {
      this.#addAdded.run(this.#user, resource, importId, JSON.stringify([...ids].map(([id, own]) => [id, ...own])));
    }
    this.#added.clear();
  }

  /** Stores a record that a command removed. */
  removed(importId: number, resource: string, { record, executions }: WholeRecord): void {
    this.writeAdded(importId);
    const before = asJson(resource === trades.path ? { ...record, executions } : record);
    this.#addRecord.run(this.#user, resource, record['id'], importId, 'removed', before, null, null, null, null);
  }

  recordsOf(id: number): RecordChange[] {
    return this.#changes('import_id = ?', id).map(({ change }) => change);
  }

  /** Changes by imports and commands, in order, of the records of a folder's notes. */
  ofNotesIn(
    folder: string,
  ): { resource: string; id: string; change: RecordChange['change']; path: string | null; format: string }[] {
    return this.#db
      .prepare(
        `SELECT r.resource, r.record_id AS id, r.change, r.path, i.format
         FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
         WHERE r.user_id = @user AND (r.resource, r.record_id) IN (
           SELECT resource, record_id FROM import_records WHERE user_id = @user AND path >= @from AND path < @to)
         ORDER BY r.import_id`,
      )
      .all({ user: this.#user, from: `${folder}/`, to: `${folder}0` }) as ReturnType<ImportTable['ofNotesIn']>;
  }

  /**
   * Files that state some of the same fills or closed trades, or later some of the same records, and decide the same facts. Labels of
   * trades from other files aren't facts.
   */
  sharing(id: number): number[] {
    const written = WRITTEN_FIELDS.map((name) => `'${name}'`).join(', ');
    const hasFacts = (row: string) =>
      `${row}.path IS NULL AND (${row}.change <> 'changed' OR EXISTS (SELECT 1 FROM json_each(${row}.after) WHERE key NOT IN (${written})))`;
    return this.#db
      .prepare(
        `SELECT o.import_id AS id FROM import_fills AS p JOIN import_fills AS o ON o.user_id = p.user_id AND o.fill_id = p.fill_id
           JOIN imports AS i ON i.user_id = o.user_id AND i.id = o.import_id
         WHERE p.user_id = @user AND p.import_id = @id AND o.import_id <> @id AND i.sha256 IS NOT NULL UNION
         SELECT o.import_id FROM import_records AS p JOIN import_records AS o ON o.user_id = p.user_id AND o.resource = p.resource
           AND o.record_id = p.record_id JOIN imports AS i ON i.user_id = o.user_id AND i.id = o.import_id
         WHERE p.user_id = @user AND p.import_id = @id AND o.import_id <> @id AND i.sha256 IS NOT NULL
           AND CASE WHEN p.resource <> 'trades' THEN o.import_id > @id
             ELSE 'added' IN (p.change, o.change) AND ${hasFacts('p')} AND ${hasFacts('o')} END
         ORDER BY id`,
      )
      .pluck()
      .all({ user: this.#user, id }) as number[];
  }

  /** Ids of the records that an import added. */
  addedBy(id: number): Set<unknown> {
    return new Set(
      this.#db
        .prepare("SELECT record_id FROM import_records WHERE user_id = ? AND import_id = ? AND change = 'added'")
        .pluck()
        .all(this.#user, id),
    );
  }

  /** The closed trades in a symbol stated by files of some formats. */
  closedTrades(formats: readonly string[], symbol: string): StatedTrade[] {
    const brought = `AND EXISTS (
      SELECT 1 FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
      WHERE r.user_id = t.user_id AND r.resource = 'trades' AND r.record_id = t.id
        AND i.format IN (SELECT value FROM json_each(?)))`;
    return this.#closed(brought, symbol, JSON.stringify(formats));
  }

  allClosedTrades(symbol: string): StatedTrade[] {
    return this.#closed('AND closed_at IS NOT NULL', symbol);
  }

  #closed(which: string, ...values: string[]): StatedTrade[] {
    return this.#db
      .prepare(
        `SELECT id, symbol, account, side, quantity, entry_price, exit_price, executed_at, closed_at FROM trades AS t
         WHERE user_id = ? AND symbol = ? ${which}`,
      )
      .all(this.#user, ...values) as StatedTrade[];
  }

  /** Changes of a record by other imports, the earliest first. */
  othersOf(
    importId: number,
    { resource, id }: Pick<RecordChange, 'resource' | 'id'>,
  ): { importId: number; change: RecordChange }[] {
    return this.#changes(
      'resource = ? AND record_id = ? AND import_id <> ? ORDER BY import_id',
      resource,
      id,
      importId,
    );
  }

  /** Replaces an import's change of a record after another import was undone. */
  restate(importId: number, { resource, id, change, before, after }: RecordChange): void {
    this.#db
      .prepare(
        `UPDATE import_records SET change = ?, before = ?, after = ?
         WHERE user_id = ? AND resource = ? AND record_id = ? AND import_id = ?`,
      )
      .run(change, asJson(before), asJson(after), this.#user, resource, id, importId);
  }

  /** Removes an import and its statements from the list; the fills and records themselves stay. */
  remove(id: number): void {
    for (const table of ['import_records', ...TABLES]) {
      this.#db.prepare(`DELETE FROM ${table} WHERE user_id = ? AND import_id = ?`).run(this.#user, id);
    }
    this.#db.prepare('DELETE FROM imports WHERE user_id = ? AND id = ?').run(this.#user, id);
  }

  #changes(condition: string, ...values: unknown[]): { importId: number; change: RecordChange }[] {
    const rows = this.#db
      .prepare(
        `SELECT import_id, resource, record_id, change, before, after FROM import_records WHERE user_id = ? AND ${condition}`,
      )
      .all(this.#user, ...values) as RecordRow[];
    return rows.map(({ import_id, resource, record_id, change, before, after }) => ({
      importId: import_id,
      change: { resource, id: record_id, change, before: parsed(before), after: parsed(after) },
    }));
  }

  #entries(condition: string, ...values: unknown[]): ImportEntry[] {
    return this.#db
      .prepare(`${SELECT_IMPORTS} ${condition}`)
      .all(this.#user, ...values)
      .map(entryOf);
  }
}

/** Tables of what imports state besides records. */
const TABLES = ['import_fills', 'fee_rates', 'exchange_rates', 'account_names', 'account_limits'];

/** A user's imports that state fills, or set fees, exchange rates, names or limits of accounts, the earliest first. */
export function importsOfFills(reader: Reader, user: string): ExportedImport[] {
  const isIn = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} AS p WHERE p.user_id = imports.user_id AND p.import_id = imports.id)`;
  const names = reader.all('SELECT import_id, name, renamed FROM account_names WHERE user_id = ?', user);
  const settings = {
    fees: feeRatesByImport(reader, user),
    rates: Map.groupBy(rateChangesOf(reader, user), (own) => own.import),
    names: Map.groupBy(names as unknown as (AccountName & { import_id: number })[], (own) => own.import_id),
    limits: Map.groupBy(ruleChangesOf(reader, user), (own) => own.import),
  };
  return reader.all(`${SELECT_IMPORTS} AND (${TABLES.map(isIn).join(' OR ')}) ORDER BY id`, user).map((row) => {
    const entry: ExportedImport = entryOf(row);
    const fees = settings.fees.get(entry.id);
    const rates = settings.rates.get(entry.id)?.map(({ import: _, ...rate }) => rate);
    const names = settings.names.get(entry.id)?.map(({ import_id: _, ...name }) => name);
    const limits = settings.limits.get(entry.id)?.map(({ account, rules }) => ({ account, rules }));
    return {
      ...entry,
      ...(fees && { fees }),
      ...(rates && { rates }),
      ...(names && { names }),
      ...(limits && { limits }),
    };
  });
}

function isSameImport(a: ImportEntry, b: ImportEntry): boolean {
  if (a.id === 0 || b.id === 0) return a.id === b.id;
  const isSameFile = a.sha256 === null ? a.imported_at === b.imported_at && a.file === b.file : true;
  return isSameFile && a.sha256 === b.sha256 && a.format === b.format && a.account === b.account;
}

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

// The list, read.

const COLUMNS =
  'id, imported_at, file, sha256, format, resource, account, rows, fills, records, trades, skipped, of, options, path';

const SELECT_IMPORTS = `SELECT ${COLUMNS} FROM imports WHERE user_id = ?`;

/** The imports of a user, the latest first. */
export function importsOf(reader: Reader, user: string): ImportEntry[] {
  return reader.all(`${SELECT_IMPORTS} ORDER BY id DESC`, user).map(entryOf);
}

function entryOf(row: unknown): ImportEntry {
  const { skipped, options, ...entry } = row as Omit<ImportEntry, 'skipped' | 'options'> &
    Record<'skipped' | 'options', string>;
  return { ...entry, skipped: JSON.parse(skipped), options: JSON.parse(options) };
}

/** An imported file, or a command that wrote; times are UTC text. */
export interface ImportEntry {
  id: number;
  imported_at: string;
  /** The file name without folders, or the command. */
  file: string;
  /** Hash of the bytes in hexadecimal; null for commands, and for imports older than stored fills. */
  sha256: string | null;
  format: string;
  resource: string;
  account: string | null;
  rows: number;
  fills: number;
  records: number;
  /** Trades made from its fills. */
  trades: number;
  /** Number of skipped rows, by reason. */
  skipped: Record<string, number>;
  /** Of a change: the import that it changed. */
  of: number | null;
  /** How the file was read, as typed; null for commands, and if an earlier version imported it. */
  options: ImportOptionsKept | null;
  /** The file with its folders; null for standard input. */
  path: string | null;
}

/** Options of an import that decide how its file is read. */
export interface ImportOptionsKept {
  as?: string | undefined;
  account?: string | undefined;
  timezone?: string | undefined;
  /** Contract sizes by symbol. */
  multipliers?: Record<string, number> | undefined;
  /** The mapping's file, whose contents are kept beside. */
  map?: string | undefined;
  format?: string | undefined;
  date?: string | undefined;
  symbol?: string | undefined;
  /** The folder in which notes are identified by their path, if it isn't that of the note. */
  folder?: string | undefined;
  allow_duplicates?: true | undefined;
  no_groups?: true | undefined;
}
