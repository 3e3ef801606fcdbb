import type Database from 'better-sqlite3';
import type { User } from '../journal/journal.ts';
import { TEXT } from '../sqlite/reader.ts';
import type { Execution } from './executions.ts';

export class ExecutionTable {
  readonly #user: User;
  readonly #find: Database.Statement;
  readonly #delete: Database.Statement;
  readonly #insert: Database.Statement;

  constructor(db: Database.Database, user: User) {
    this.#user = user;
    this.#find = db.prepare(
      `SELECT executed_at, side, quantity, price, fees FROM executions
       WHERE user_id = ${TEXT} AND trade_id = ${TEXT} ORDER BY executed_at, position`,
    );
    this.#delete = db.prepare(`DELETE FROM executions WHERE user_id = ? AND trade_id = ?`);
    this.#insert = db.prepare(
      'INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price, fees, fill_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
  }

  /** In the order they happened. */
  of(tradeId: string): Execution[] {
    return this.#find.all(this.#user.id, tradeId) as Execution[];
  }

  /**
   * @param before the trade's earlier executions
   * @param fillIds the fill of each execution; empty if not made from fills
   */
  replace(
    tradeId: string,
    executions: readonly Execution[],
    before: readonly Execution[] = [],
    fillIds: readonly string[] = [],
  ): void {
    if (before.length > 0) this.#delete.run(this.#user.id, tradeId);
    executions.forEach(({ executed_at, side, quantity, price, fees }, position) => {
      const fillId = fillIds[position] ?? null;
      this.#insert.run(this.#user.id, tradeId, position, executed_at, side, quantity, price, fees, fillId);
    });
  }
}
