/**
 * What is said about a trade made from fills hangs on the execution that opened it then,
 * since trades may merge and part. The trade that has most of what that trade held shows
 * it.
 */
import type Database from 'better-sqlite3';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { NAMES_TRADE, repoint } from './walked-trades.ts';

/** Part of a fill that a trade holds. */
export interface Holding {
  fill: string;
  quantity: number;
}

interface AnchorRow {
  id: string;
  trade_id: string;
  /** JSON: holdings when something was said. */
  held: string;
}

// By the trade: the plus keeps SQLite from going through the index of all fills.
const HELD = `SELECT fill_id AS fill, quantity FROM executions WHERE user_id = ${USER}
  AND trade_id = (@id || '') AND +fill_id IS NOT NULL ORDER BY executed_at, position`;

export class TradeAnchors {
  readonly #db: Database.Database;
  readonly #rows: UserRows;

  constructor(db: Database.Database, user: string) {
    this.#db = db;
    this.#rows = new UserRows(db, user);
  }

  /** Whether a trade is made from fills. */
  isMade(id: string): boolean {
    const made = `SELECT 1 AS made FROM executions WHERE user_id = ${USER}
      AND trade_id = (@id || '')
      AND +fill_id IS NOT NULL`;
    return this.#rows.get(made, { id }) !== undefined;
  }

  /**
   * Something is said about a trade: it is remembered by what it holds now, if it is made
   * from fills.
   */
  hold(id: string): void {
    const held = this.#rows.all<Holding>(HELD, { id });
    if (held.length === 0) return;

    this.#rows.replace('stated_trades', { id, trade_id: id, held: JSON.stringify(held) });
  }

  /** The same, by what it held; what was remembered before stays. */
  holdAs(id: string, held: readonly Holding[]): void {
    this.#rows.insertNew('stated_trades', {
      id,
      trade_id: id,
      held: JSON.stringify(held),
    });
  }

  /** Whether something was said about what a trade is. */
  isSaid(trade: string): boolean {
    return this.#rows.has('stated_trades', { trade_id: trade });
  }

  has(): boolean {
    return this.#rows.has('stated_trades');
  }

  /** The trade that shows what was said about one; its own id if nothing was. */
  tradeOf(id: string): string {
    const [row] = this.#rows.where<AnchorRow>('SELECT trade_id FROM stated_trades', {
      id,
    });
    return row?.trade_id ?? id;
  }

  /** The ids by which statements name a trade, the earliest opening first. */
  namesOf(trade: string): string[] {
    const rows = this.#rows.where<AnchorRow>(
      'SELECT id FROM stated_trades',
      { trade_id: trade },
      'ORDER BY id',
    );
    const names = rows.map(({ id }) => id).filter((id) => id !== trade);
    return this.tradeOf(trade) === trade ? [trade, ...names] : names;
  }

  /**
   * Finds the trades that show what was said about some trades, which have changed.
   * @param trades their ids before
   * @param going ids of those that are about to be deleted
   * @param heirOf the trade that most of some fills of a trade went to, if they have
   * other ids now
   * @returns the former and the present trade of each that isn't the same; undefined if
   * none is left
   */
  settle(
    trades: readonly string[],
    going: ReadonlySet<string>,
    heirOf: (trade: string, fills: ReadonlySet<string>) => string | undefined,
  ): { id: string; from: string; to: string | undefined }[] {
    const rows = this.#rows.all<AnchorRow>(
      `SELECT id, trade_id, held FROM stated_trades WHERE user_id = ${USER}
       AND (trade_id IN (SELECT value FROM json_each(@trades)) OR trade_id <> id) ORDER BY id`,
      { trades: JSON.stringify(trades) },
    );
    const changed = new Set(trades);

    return rows.flatMap(({ id, trade_id: from, held }) => {
      const parts = JSON.parse(held) as Holding[];
      const holder = this.#holderOf(id, parts, going);
      // What was said about a trade that became another may be about a trade of its own
      // again.
      if (holder === undefined && !changed.has(from)) return [];

      const to = holder ?? heirOf(from, new Set(parts.map(({ fill }) => fill)));
      if (to === from) return [];

      if (to !== undefined) this.#rows.update('stated_trades', { id }, { trade_id: to });
      return [{ id, from, to }];
    });
  }

  /**
   * The trade with most of what one held; of equals that with its id, then the earliest.
   */
  #holderOf(
    id: string,
    held: readonly Holding[],
    going: ReadonlySet<string>,
  ): string | undefined {
    const parts = this.#rows.all<{ trade: string; quantity: number }>(
      `SELECT e.trade_id AS trade, sum(min(e.quantity, h.value ->> 'quantity')) AS quantity
       FROM json_each(@held) AS h JOIN executions AS e ON e.user_id = ${USER}
         AND e.fill_id = h.value ->> 'fill'
       GROUP BY e.trade_id ORDER BY 2 DESC, e.trade_id = @id DESC, min(e.executed_at), e.trade_id`,
      { held: JSON.stringify(held), id },
    );
    return parts.find(({ trade }) => !going.has(trade))?.trade;
  }

  /** Nothing is said any more about these. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#rows.delete('stated_trades', { id });
  }

  /** Forgets the trades that nothing is said about any more. */
  forgetUnsaid(): void {
    const refers = NAMES_TRADE.map((name) => `fields ->> '$.${name}' = s.id`).join(
      ' OR ',
    );
    this.#rows.run(
      `DELETE FROM stated_trades AS s WHERE user_id = ${USER}
         AND NOT EXISTS (SELECT 1 FROM import_records AS r
           WHERE r.user_id = s.user_id AND r.resource = 'trades' AND r.record_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM import_records AS r
           WHERE r.user_id = s.user_id AND r.resource IN ('trade-journals', 'weekly-reviews')
             AND (${refers}))
         AND NOT EXISTS (SELECT 1 FROM trade_journals AS j WHERE j.user_id = s.user_id
           AND j.trade_id = s.trade_id)
         AND NOT EXISTS (SELECT 1 FROM weekly_reviews AS w
           WHERE w.user_id = s.user_id AND s.trade_id IN (w.best_trade_id, w.worst_trade_id))`,
    );
  }

  /**
   * Fills have other ids, by which trades were remembered.
   * @param ids by their ids before
   */
  renameFills(ids: ReadonlyMap<string, string>): void {
    const rows = this.#rows.where<AnchorRow>('SELECT id, held FROM stated_trades', {});
    const renamed = new Map<string, string>();
    for (const { id, held } of rows) {
      const parts = JSON.parse(held) as Holding[];
      if (!parts.some(({ fill }) => ids.has(fill))) continue;

      const now = parts.map(({ fill, quantity }) => ({
        fill: ids.get(fill) ?? fill,
        quantity,
      }));
      this.#rows.update('stated_trades', { id }, { held: JSON.stringify(now) });
      const to = ids.get(id);
      if (to !== undefined && to !== id && !this.#rows.has('stated_trades', { id: to }))
        renamed.set(id, to);
    }

    for (const [id, to] of renamed) {
      this.#rows.update('stated_trades', { id }, { id: to });
      this.#rows.update(
        'import_records',
        { resource: 'trades', record_id: id },
        { record_id: to },
      );
    }

    repoint(this.#db, this.#rows.user, NAMES_TRADE, renamed);
  }
}
