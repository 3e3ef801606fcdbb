/** Queries against an open SQLite file. */
import type Database from 'better-sqlite3';

export type Row = Record<string, unknown>;
export type Bindable = string | number | Buffer | null;

/**
 * A text to be bound, as it stands in SQL. For a plain ? that is compared with a column, SQLite plans the statement anew at each
 * call, in the hope that the value tells it something: half as long again as reading 50 trades. A CAST would not do: with one,
 * the pair of a keyset is compared with the index only by its first half.
 */
export const TEXT = "(? || '')";

/** A number to be bound, for the same reason. After LIMIT, too: a literal would make a statement for each size of a page. */
export const NUMBER = '(? + 0)';

/** Filters can be combined in more ways than anybody does, and each statement takes some 50 KB. */
const MAX_STATEMENTS = 100;

/** Queries inside one snapshot. Statements are prepared once for a handle, so SQL text must not hold values. */
export class Reader {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  /** Whether views lie over the tables: no index of theirs can be named. */
  readonly hasOverlay: boolean;

  constructor(db: Database.Database, hasOverlay = false) {
    this.#db = db;
    this.hasOverlay = hasOverlay;
  }

  /** Whether the handle had better be closed now: that frees its statements; to forget one here would not, not soon. */
  get isFull(): boolean {
    return this.#statements.size > MAX_STATEMENTS;
  }

  all(sql: string, ...values: Bindable[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** The same row by row, so that no more than one is in memory. Until it ends, the same text can't be read again. */
  each(sql: string, ...values: Bindable[]): IterableIterator<Row> {
    return this.#prepared(sql).iterate(...values) as IterableIterator<Row>;
  }

  /** The first row; undefined where there is none. */
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
