/**
 * The list of imports and the records that they state: the only place that reads and
 * writes them.
 */

import type Database from 'better-sqlite3';
import { PERSON_FIELDS } from '../journal/person-fields.ts';
import { trades } from '../journal/resources/trades.ts';
import type { Values } from '../journal-write/record.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import type { ImportEntry } from './import-entry.ts';
import { entryOf, isSameImport, SELECT_IMPORTS, TABLES } from './import-list.ts';
import { KeptFiles, StatedPictures } from './imports/kept-files.ts';
import { StatementTable, type WrittenTrade } from './statement-table.ts';

export type { StatedPicture } from './imports/kept-files.ts';
export {
  compressed,
  type KeptFiles,
  type KeptPart,
  keptBytes,
  PIECE,
} from './imports/kept-files.ts';

/** Formats of commands: they change existing records, and state none as a file does. */
export const COMMAND_FORMATS: readonly string[] = [
  'annotate',
  'note',
  'remove',
  'prune',
  'group',
  'ungroup',
  'expire',
];

/** The known values of an import when it begins. */
export type NewImport = Pick<
  ImportEntry,
  'imported_at' | 'file' | 'format' | 'resource' | 'account'
> &
  Partial<Pick<ImportEntry, 'of' | 'options' | 'date_order' | 'path' | 'revision'>> & {
    mapping?: string | null;
  };

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

const JOURNAL_TRADE = `t.id, t.symbol, t.account, t.side, t.status, t.currency, t.market,
  t.multiplier, t.quantity,
  t.entry_price, t.exit_price, t.executed_at, t.closed_at, t.gross_pnl, t.fees`;

/** A trade that an import states, and what its file wrote. */
export interface TradeStatement extends JournalTrade, WrittenTrade {
  importId: number;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
}

/** A cash flow that an import states. */
export interface FlowStatement {
  id: string;
  account: string | null;
  at: string;
  has_time: number;
  kind: string;
  amount: number;
  currency: string;
  importId: number;
  /** As its file writes it; '' if the file states the zone; null if unknown. */
  clock: string | null;
}

export class ImportTable {
  readonly #rows: UserRows;
  /** The contents of their files. */
  readonly files: KeptFiles;
  readonly pictures: StatedPictures;
  readonly statements: StatementTable;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
    this.files = new KeptFiles(this.#rows);
    this.pictures = new StatedPictures(this.#rows);
    this.statements = new StatementTable(db, user);
  }

  /**
   * Adds an import to the list when it begins.
   * @param again the id of an import whose file is imported again: it keeps its time and
   * file name
   * @returns its id: 1 above the highest
   */
  add({ options = null, ...given }: NewImport, again?: number): number {
    const highest =
      this.#rows.get<{ id: number }>(
        `SELECT max(id) AS id FROM imports WHERE user_id = ${USER}`,
      )?.id ?? 0;
    const id = again ?? highest + 1;
    const entry = {
      of: null,
      date_order: null,
      path: null,
      mapping: null,
      revision: null,
      ...given,
      options: options && JSON.stringify(options),
    };
    const { imported_at, file, of, ...read } = entry;

    if (again !== undefined && this.#rows.has('imports', { id })) {
      this.#rows.update('imports', { id }, { ...read, sha256: null });
    } else {
      this.#rows.insert('imports', {
        ...read,
        imported_at,
        file,
        of,
        id,
        rows: 0,
        fills: 0,
        records: 0,
        trades: 0,
      });
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

    const {
      imported_at,
      file,
      format,
      resource,
      account,
      options,
      date_order,
      path,
      revision,
    } = entry;
    const given = {
      imported_at,
      file,
      format,
      resource,
      account,
      options,
      date_order,
      path,
      revision,
    };
    const id = this.add(given, entry.id === 0 ? 0 : undefined);
    this.setZone(id, entry.timezone);
    this.setHolder(id, entry.holder);
    this.complete(id, entry);

    return id;
  }

  /** The id here of another journal's import; undefined if it isn't in the list. */
  idOf(entry: ImportEntry): number | undefined {
    return this.list().find((known) => isSameImport(known, entry))?.id;
  }

  /** Stores the results of an import. */
  complete(
    id: number,
    entry: Pick<
      ImportEntry,
      'sha256' | 'rows' | 'fills' | 'records' | 'trades' | 'skipped'
    >,
  ): void {
    const { sha256, rows, fills, records, trades, skipped } = entry;
    this.statements.write();
    const values = {
      sha256,
      rows,
      fills,
      records,
      trades,
      skipped: JSON.stringify(skipped),
    };
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

  /**
   * Files of a format whose order of dates is unknown, as in imports of earlier versions;
   * the latest first.
   */
  withoutOrder(format: string): { id: number; zone: string | null }[] {
    return this.#rows.all(
      `SELECT id, timezone AS zone FROM imports AS i
       WHERE user_id = ${USER} AND format = @format AND sha256 IS NOT NULL AND date_order IS NULL
         AND (EXISTS (SELECT 1 FROM import_fills AS p
           WHERE p.user_id = i.user_id AND p.import_id = i.id AND p.clock IS NULL)
         OR EXISTS (SELECT 1 FROM import_records AS r
           WHERE r.user_id = i.user_id AND r.import_id = i.id AND r.resource = 'trades'
             AND r.clock IS NULL))
       ORDER BY id DESC`,
      { format },
    );
  }

  /** Stores the zone in which an import's times without one were read. */
  setZone(id: number, zone: string | null): void {
    this.#rows.update('imports', { id }, { timezone: zone });
  }

  /**
   * Stores the revision of the reader that reads an import's file as the journal has it.
   */
  setRevision(id: number, revision: number): void {
    this.#rows.update('imports', { id }, { revision });
  }

  /** Stores the account of an import's rows without one. */
  setHolder(id: number, holder: string | null): void {
    this.#rows.update('imports', { id }, { holder });
  }

  /** The imports of a file with this hash, the latest first. */
  ofFile(sha256: string): ImportEntry[] {
    return this.#entries('AND sha256 = @sha256 ORDER BY id DESC', { sha256 });
  }

  /** What lines state, in their order, of records of a folder's notes. */
  ofNotesIn(folder: string): {
    resource: string;
    id: string;
    kind: string;
    path: string;
    format: string | null;
  }[] {
    this.statements.write();
    return this.#rows.all(
      `SELECT r.resource, r.record_id AS id, r.kind, r.path, i.format
       FROM import_records AS r LEFT JOIN imports AS i ON i.user_id = r.user_id
         AND i.id = r.import_id
       WHERE r.user_id = ${USER} AND (r.resource, r.record_id) IN (
         SELECT resource, record_id FROM import_records WHERE user_id = ${USER} AND path >= @from
           AND path < @to)
       ORDER BY r.import_id, r.kind`,
      { from: `${folder}/`, to: `${folder}0` },
    );
  }

  /**
   * Files that state some of the same fills, closed trades or cash flows, or later some
   * of the same records, and decide the same facts. Labels of trades from other files
   * aren't facts.
   */
  sharing(id: number): number[] {
    this.statements.write();
    const written = PERSON_FIELDS.map((name) => `'${name}'`).join(', ');

    const hasFacts = (row: string) =>
      `${row}.kind = 'stated' AND ${row}.path = '' AND (${row}.fields IS NULL OR EXISTS (
        SELECT 1 FROM json_each(${row}.fields) AS f
        WHERE rtrim(iif(json_type(${row}.fields) = 'array', f.value, f.key), '+-?') NOT IN ('id',
          'currency', 'account', ${written})))`;

    const rows = this.#rows.all<{ id: number }>(
      `SELECT o.import_id AS id FROM import_fills AS p
        JOIN import_fills AS o ON o.user_id = p.user_id AND o.fill_id = p.fill_id
         JOIN imports AS i ON i.user_id = o.user_id AND i.id = o.import_id
       WHERE p.user_id = ${USER} AND p.import_id = @id AND o.import_id <> @id
         AND i.sha256 IS NOT NULL UNION
       SELECT o.import_id FROM import_records AS p
         JOIN import_records AS o ON o.user_id = p.user_id AND o.resource = p.resource
         AND o.record_id = p.record_id JOIN imports AS i ON i.user_id = o.user_id
           AND i.id = o.import_id
       WHERE p.user_id = ${USER} AND p.import_id = @id AND o.import_id <> @id
         AND i.sha256 IS NOT NULL
         AND p.resource IN ('trades', 'cash-flows') AND ${hasFacts('p')} AND ${hasFacts('o')}
       ORDER BY id`,
      { id },
    );
    return rows.map((row) => row.id);
  }

  /** The closed trades in a symbol stated by files of some formats. */
  closedTrades(formats: readonly string[], symbol: string): StatedTrade[] {
    const brought = `AND EXISTS (
      SELECT 1 FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id
        AND i.id = r.import_id
      WHERE r.user_id = t.user_id AND r.resource = 'trades' AND r.record_id = t.id
        AND i.format IN (SELECT value FROM json_each(@formats)))`;
    return this.#closed(brought, { symbol, formats: JSON.stringify(formats) });
  }

  /**
   * Trades that files of a format state without their fills, by entry, each with every
   * file that states it; also those that the export of a journal restored, by their ids.
   * @param family the name of a format; with a colon at its end, the beginning of the
   * names
   * @param span of entries, UTC
   */
  statedTrades(family: string, span: { from: string; to: string }): TradeStatement[] {
    const isWhole = !family.endsWith(':');
    const ofFamily = isWhole
      ? 'i.format = @family'
      : 'substr(i.format, 1, length(@family)) = @family';

    return this.#rows.all(
      `SELECT ${JOURNAL_TRADE}, r.import_id AS importId, r.clock, r.digits, i.timezone AS zone
       FROM trades AS t JOIN import_records AS r ON r.user_id = t.user_id
         AND r.resource = 'trades' AND r.record_id = t.id
         JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
       WHERE t.user_id = ${USER} AND t.executed_at >= @from AND t.executed_at <= @to
         AND r.kind = 'stated'
         AND (${ofFamily} OR i.format IN ('jsonl', 'json', 'csv')
           AND substr(t.id, 1, length(@prefix)) = @prefix AND NOT EXISTS (
           SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id
             AND e.fill_id IS NOT NULL))
       ORDER BY t.executed_at, r.place, t.id, r.import_id`,
      { ...span, family, prefix: isWhole ? `${family}:` : family },
    );
  }

  tradeWithId(id: string): JournalTrade | undefined {
    return this.#rows.get(
      `SELECT ${JOURNAL_TRADE} FROM trades AS t WHERE t.user_id = ${USER} AND t.id = @id`,
      { id },
    );
  }

  /** The imports that state a trade, the earliest first, with what their files wrote. */
  statementsOfTrade(id: string): ({ importId: number } & WrittenTrade)[] {
    const which = { resource: trades.path, record_id: id };
    const select = 'SELECT import_id AS importId, clock, digits FROM import_records';
    return this.#rows.where(select, { ...which, kind: 'stated' }, 'ORDER BY import_id');
  }

  /** The mapping that an import was read with. */
  mappingOf(id: number): string | null {
    const [row] = this.#rows.where<{ mapping: string | null }>(
      'SELECT mapping FROM imports',
      {
        id,
      },
    );
    return row?.mapping ?? null;
  }

  /**
   * Whether a trade with these facts was entered within the minute of an instant: a
   * spreadsheet may have cut its seconds.
   */
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
      `SELECT id, symbol, account, side, quantity, entry_price, exit_price, executed_at, closed_at
        FROM trades AS t
       WHERE user_id = ${USER} AND symbol = @symbol ${which}`,
      values,
    );
  }

  /**
   * Cash flows that files of a platform state, each with every file that states it.
   * @param prefix of their ids
   * @param span UTC
   */
  statedFlows(prefix: string, span: { from: string; to: string }): FlowStatement[] {
    this.statements.write();
    return this.#rows.all(
      `SELECT c.id, c.account, c.at, c.has_time, c.kind, c.amount, c.currency,
         r.import_id AS importId, r.clock
       FROM cash_flows AS c JOIN import_records AS r ON r.user_id = c.user_id
         AND r.resource = 'cash-flows' AND r.record_id = c.id AND r.kind = 'stated'
       WHERE c.user_id = ${USER} AND c.at BETWEEN @from AND @to
         AND substr(c.id, 1, length(@prefix)) = @prefix
       ORDER BY c.at, c.id, r.import_id`,
      { ...span, prefix },
    );
  }

  /** Whether a line states a cash flow. */
  hasFlow(id: string): boolean {
    return this.#rows.has('import_records', { resource: 'cash-flows', record_id: id });
  }

  /**
   * Removes an import and its statements from the list; the fills and records themselves
   * stay.
   */
  remove(id: number): void {
    this.files.forget(id);
    this.pictures.forgetLine(id);
    this.statements.removeLine(id);
    for (const table of [...TABLES, 'stated_totals'])
      this.#rows.delete(table, { import_id: id });
    this.#rows.delete('imports', { id });
  }

  #entries(condition: string, values?: Values): ImportEntry[] {
    return this.#rows.all(`${SELECT_IMPORTS} ${USER} ${condition}`, values).map(entryOf);
  }
}
