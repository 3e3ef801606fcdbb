/** The rows of one user: its statements are prepared once, when they are first used. */
import type Database from 'better-sqlite3';
import { NUMBER, TEXT } from './reader.ts';

/** Values by column, or by the name of their placeholder. */
type Values = Readonly<Record<string, unknown>>;

/**
 * The user in the SQL of `all`, `each`, `get` and `run`: a plain @user beside a column
 * would cost a new plan at each call.
 */
export const USER = "(@user || '')";

export class UserRows {
  readonly user: string;
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(db: Database.Database, user: string) {
    this.#db = db;
    this.user = user;
  }

  /** @param sql names other values as @name */
  all<T>(sql: string, values?: Values): T[] {
    return this.#prepared(sql).all({ ...values, user: this.user }) as T[];
  }

  /**
   * The same row by row, with one in memory at a time. Until it ends, the same statement
   * can't run again.
   */
  each<T>(sql: string, values?: Values): IterableIterator<T> {
    return this.#prepared(sql).iterate({
      ...values,
      user: this.user,
    }) as IterableIterator<T>;
  }

  /** The first row; undefined if none. */
  get<T>(sql: string, values?: Values): T | undefined {
    return this.#prepared(sql).get({ ...values, user: this.user }) as T | undefined;
  }

  /** @returns the number of written rows */
  run(sql: string, values?: Values): number {
    return this.#prepared(sql).run({ ...values, user: this.user }).changes;
  }

  /**
   * The rows of a table with these values.
   * @param select SELECT and FROM
   * @param order what follows the condition
   */
  where<T>(select: string, which: Values, order = ''): T[] {
    const statement = this.#prepared(`${select} WHERE ${conditionOf(which)} ${order}`);
    return statement.all(this.user, ...Object.values(which)) as T[];
  }

  has(table: string, which: Values = {}): boolean {
    return this.where(`SELECT 1 FROM ${table}`, which, 'LIMIT 1').length > 0;
  }

  insert(table: string, row: Values): void {
    this.#write('INSERT', table, row);
  }

  /** Inserts a row, or replaces that with its key. */
  replace(table: string, row: Values): void {
    this.#write('REPLACE', table, row);
  }

  /** @returns whether it is new; one with the same key stays as it is */
  insertNew(table: string, row: Values): boolean {
    return this.#write('INSERT', table, row, 'ON CONFLICT DO NOTHING') > 0;
  }

  update(table: string, which: Values, values: Values): void {
    const set = Object.keys(values).map((name) => `${name} = ?`);
    const statement = this.#prepared(
      `UPDATE ${table} SET ${set.join(', ')} WHERE ${conditionOf(which)}`,
    );
    statement.run(...Object.values(values), this.user, ...Object.values(which));
  }

  /**
   * Writes the columns that differ: indexes, checks and references of the others cost
   * most of an update.
   * @param before these columns of the row, as they are stored
   */
  change(table: string, which: Values, before: Values, values: Values): void {
    const differing = Object.entries(values).filter(
      ([name, value]) => value !== before[name],
    );
    if (differing.length > 0) this.update(table, which, Object.fromEntries(differing));
  }

  delete(table: string, which: Values): void {
    const statement = this.#prepared(`DELETE FROM ${table} WHERE ${conditionOf(which)}`);
    statement.run(this.user, ...Object.values(which));
  }

  #write(verb: string, table: string, row: Values, conflict = ''): number {
    const names = Object.keys(row);
    const sql = `${verb} INTO ${table} (user_id, ${names.join(', ')}) VALUES (?${', ?'.repeat(names.length)}) ${conflict}`;
    return this.#prepared(sql).run(this.user, ...Object.values(row)).changes;
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

function conditionOf(which: Values): string {
  const conditions = Object.entries(which).map(
    ([name, value]) => `${name} = ${typeof value === 'number' ? NUMBER : TEXT}`,
  );
  return [`user_id = ${TEXT}`, ...conditions].join(' AND ');
}
