/** The journal's trades made from fills, and the user's text on them. */
import type Database from 'better-sqlite3';
import type { Values } from './record.ts';

/** Fields that only the user writes. */
export const WRITTEN_FIELDS = [
  'setup',
  'timeframe',
  'tags',
  'mistakes',
  'rating',
  'notes',
  'group_id',
  'initial_risk',
  'stop_loss',
  'take_profit',
  'mae',
  'mfe',
] as const;

export interface StoredTrade {
  /** Raw columns, but tags and mistakes as lists. */
  record: Values;
  executions: Values[];
  /** The fills of the executions; null for those not made from fills. */
  fillIds: (string | null)[];
  /** Whether it is in the group that an import found for it. */
  isInFoundGroup: boolean;
  mentions: number;
}

export class WalkedTradeTable {
  readonly #user: string;
  readonly #now: string;
  readonly #find: Database.Statement;
  readonly #found: Database.Statement;
  readonly #executions: Database.Statement;
  readonly #mentions: Database.Statement;
  readonly #setFill: Database.Statement;
  readonly #move: Database.Statement[];
  readonly #delete: Database.Statement;

  /** @param now as text, for updated_at */
  constructor(db: Database.Database, user: string, now: string) {
    this.#user = user;
    this.#now = now;
    this.#find = db.prepare('SELECT * FROM trades WHERE user_id = ? AND id = ?');
    this.#found = db.prepare('SELECT 1 FROM found_groups WHERE user_id = ? AND execution_id = ? AND group_id = ?');
    this.#executions = db.prepare(
      'SELECT executed_at, side, quantity, price, fees, fill_id FROM executions WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position',
    );
    this.#mentions = db
      .prepare(
        `SELECT (SELECT count(*) FROM trade_journals WHERE user_id = @user AND trade_id = @id)
              + (SELECT count(*) FROM weekly_reviews WHERE user_id = @user AND (best_trade_id = @id OR worst_trade_id = @id))`,
      )
      .pluck();
    this.#setFill = db.prepare('UPDATE executions SET fill_id = ? WHERE user_id = ? AND trade_id = ? AND position = ?');
    this.#move = [
      ['trade_journals', 'trade_id'],
      ['weekly_reviews', 'best_trade_id'],
      ['weekly_reviews', 'worst_trade_id'],
    ].map(([table, column]) =>
      db.prepare(`UPDATE ${table} SET ${column} = @to, updated_at = @now WHERE user_id = @user AND ${column} = @from`),
    );
    this.#delete = db.prepare('DELETE FROM trades WHERE user_id = ? AND id = ?');
  }

  find(id: string): StoredTrade | undefined {
    const record = this.#find.get(this.#user, id) as Values | undefined;
    if (!record) return undefined;
    for (const name of ['tags', 'mistakes']) record[name] = JSON.parse(record[name] as string);
    const rows = this.#executions.all(this.#user, id) as (Values & { fill_id: string | null })[];
    return {
      record,
      executions: rows.map(({ fill_id: _, ...execution }) => execution),
      fillIds: rows.map(({ fill_id }) => fill_id),
      isInFoundGroup: record['group_id'] !== null && this.#found.get(this.#user, id, record['group_id']) !== undefined,
      mentions: this.#mentions.get({ user: this.#user, id }) as number,
    };
  }

  linkFills(id: string, fillIds: readonly string[]): void {
    fillIds.forEach((fillId, position) => void this.#setFill.run(fillId, this.#user, id, position));
  }

  unlinkFills(id: string): void {
    for (const position of this.#executions.all(this.#user, id).keys()) {
      this.#setFill.run(null, this.#user, id, position);
    }
  }

  /** Moves journal entries and mentions in weekly reviews to another trade. */
  moveMentions(from: string, to: string): void {
    for (const statement of this.#move) statement.run({ from, to, user: this.#user, now: this.#now });
  }

  delete(id: string): void {
    this.#delete.run(this.#user, id);
  }
}
