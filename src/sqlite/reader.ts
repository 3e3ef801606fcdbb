/** Queries against an open SQLite file. */
import type Database from 'better-sqlite3';

export type Row = Record<string, unknown>;
export type Bindable = string | number | Buffer | null;

/**
 * Placeholder of a bound text. SQLite replans a statement at each call if a plain ? is compared with a column, which adds half
 * the time of reading 50 trades. With a CAST, a keyset's pair would use only the first half of its index.
 */
export const TEXT = "(? || '')";

/** Placeholder of a bound number, for the same reason. After LIMIT, too: a literal would need a statement per page size. */
export const NUMBER = '(? + 0)';

/** Filters can be combined in many ways, and each statement takes some 50 KB. */
const MAX_STATEMENTS = 100;

/** Queries inside one snapshot. Statements are prepared once per handle, so SQL text must not contain values. */
export class Reader {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  /** Whether views hide the tables: statements then can't name their indexes. */
  readonly hasOverlay: boolean;

  constructor(db: Database.Database, hasOverlay = false) {
    this.#db = db;
    this.hasOverlay = hasOverlay;
  }

  /** Whether to close the handle, which frees its statements; dropping one from the map would not, or not soon. */
  get isFull(): boolean {
    return this.#statements.size > MAX_STATEMENTS;
  }

  all(sql: string, ...values: Bindable[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** The same row by row, with one in memory at a time. Until it ends, the same statement can't run again. */
  each(sql: string, ...values: Bindable[]): IterableIterator<Row> {
    return this.#prepared(sql).iterate(...values) as IterableIterator<Row>;
  }

  /** The first row; undefined if none. */
  get(sql: string, ...values: Bindable[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  #prepared(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
