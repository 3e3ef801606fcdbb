/** Exits of trades as figures read them: of many trades at once, and only of those that have several. */

import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { netOf } from '../derived-trade.ts';
import type { User } from '../journal.ts';
import { type Exit, type ExitFill, exitsOf } from '../trade-exits.ts';
import { isOneOf } from '../where.ts';
import type { TradeRow } from './trade-rows.ts';

interface FillRow extends ExitFill {
  trade_id: string;
}

/** A trade with fewer fills has one exit at most: it opens with another. */
const SEVERAL = 'position >= 2';

/** Condition on a trade, the alias t, that it may have several exits. */
export const MAY_HAVE_SEVERAL = `EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.${SEVERAL})`;

export class ExitRows {
  readonly #reader: Reader;
  readonly #user: User;
  /** All trades that may have several exits, read once more than a chunk of trades follows. */
  #several: ReadonlySet<string> | undefined;

  constructor(reader: Reader, user: User) {
    this.#reader = reader;
    this.#user = user;
  }

  /**
   * Adds their exits to trades; null if all is realised at the close.
   * @param isFull whether more trades follow
   */
  addTo(rows: readonly TradeRow[], isFull: boolean): void {
    const several = this.#severalOf(rows, isFull);
    const exits = this.of(
      rows.filter(({ id, closed_at }) => closed_at === null || several.has(id)),
    );

    for (const row of rows) {
      const found = exits.get(row.id) ?? null;
      if (row.closed_at === null) row.exits = found ?? [];
      else row.exits = found !== null && found.length > 1 ? found : null;
    }
  }

  /** The exits of trades by id; null if their fills don't make up the trade. */
  of(rows: readonly TradeRow[]): Map<string, Exit[] | null> {
    if (rows.length === 0) return new Map();
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const sql = `SELECT trade_id, executed_at, side, quantity, price, fees FROM executions
      WHERE user_id = ${TEXT} AND ${isOneOf('trade_id')} ORDER BY trade_id, executed_at, position`;
    const fills = this.#reader.all(sql, this.#user.id, ids) as unknown as FillRow[];
    const byTrade = Map.groupBy(fills, ({ trade_id }) => trade_id);
    const realised = this.#realisedOf(rows.filter(({ closed_at }) => closed_at === null));

    return new Map(
      rows.map((row) => {
        const { id, gross_pnl, fees } = row;
        const realised_pnl = realised.get(id) ?? netOf(this.#reader, gross_pnl, fees);
        return [id, exitsOf({ ...row, realised_pnl }, byTrade.get(id) ?? [])];
      }),
    );
  }

  #severalOf(rows: readonly TradeRow[], isFull: boolean): ReadonlySet<string> {
    if (this.#several) return this.#several;
    const source = this.#reader.overlay ? 'executions' : 'executions INDEXED BY executions_further';
    const sql = `SELECT DISTINCT trade_id FROM ${source} WHERE user_id = ${TEXT} AND ${SEVERAL}`;
    const found = isFull
      ? this.#reader.all(sql, this.#user.id)
      : this.#reader.all(
          `${sql} AND ${isOneOf('trade_id')}`,
          this.#user.id,
          JSON.stringify(rows.map(({ id }) => id)),
        );
    const several = new Set(found.map((row) => row['trade_id'] as string));
    if (isFull) this.#several = several;
    return several;
  }

  /** What open trades have realised, which only the view adds up. */
  #realisedOf(rows: readonly TradeRow[]): Map<string, number> {
    if (rows.length === 0) return new Map();
    const found = this.#reader.all(
      `SELECT id, realised_pnl FROM trade_records WHERE user_id = ${TEXT} AND ${isOneOf('id')}`,
      this.#user.id,
      JSON.stringify(rows.map(({ id }) => id)),
    );
    return new Map(found.map((row) => [row['id'] as string, row['realised_pnl'] as number]));
  }
}
