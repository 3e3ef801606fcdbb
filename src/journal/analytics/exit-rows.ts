/** Exits of trades as figures read them: of many trades at once, and only of those that have several. */

import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { netOf } from '../derived-trade.ts';
import type { User } from '../journal.ts';
import {
  type Exit,
  type ExitFill,
  exitsOf,
  type RealisingTrade,
} from '../trade-exits.ts';
import { isOneOf } from '../where.ts';
import type { TradeRow } from './trade-rows.ts';

/** A trade with fewer fills has one exit at most: it opens with another. */
const SEVERAL = 'position >= 2';

/** Condition on a trade, the alias t, that it may have several exits. */
export const MAY_HAVE_SEVERAL = `EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.${SEVERAL})`;

/** Facts of a trade that its exits follow from. */
const FACTS =
  'id, side, executed_at, closed_at, open_quantity, multiplier, gross_pnl, realised_pnl';

export class ExitRows {
  readonly #reader: Reader;
  readonly #user: User;
  /** Whether any closed trade may have several exits: else no row needs a look. */
  readonly hasSeveral: boolean;
  /** All trades that may have several exits, read once more than a chunk of trades follows. */
  #several: ReadonlySet<string> | undefined;

  constructor(reader: Reader, user: User) {
    this.#reader = reader;
    this.#user = user;
    this.hasSeveral = reader.get(`${this.#severalSql} LIMIT 1`, user.id) !== undefined;
  }

  /**
   * Adds their exits to trades; null if all is realised at the close.
   * @param isFull whether more trades follow
   */
  addTo(rows: readonly TradeRow[], isFull: boolean): void {
    const open = rows.filter(({ closed_at }) => closed_at === null);
    const openExits = this.of(open);
    for (const row of open) row.exits = openExits.get(row.id) ?? [];
    if (!this.hasSeveral) return;

    const several = this.#severalOf(rows, isFull);
    const closed = rows.filter(
      ({ id, closed_at }) => closed_at !== null && several.has(id),
    );
    const exits = this.#ofClosed(closed);

    for (const row of closed) {
      const of = exits.get(row.id) ?? null;
      row.exits = of !== null && of.length > 1 ? of : null;
    }
  }

  /** The exits of closed trades by id; null if their fills don't make up the trade. */
  #ofClosed(rows: readonly TradeRow[]): Map<string, Exit[] | null> {
    return this.#exitsOf(
      rows.map((row) => {
        const realised_pnl = netOf(this.#reader, row.gross_pnl, row.fees);
        return { ...row, side: row.side as RealisingTrade['side'], realised_pnl };
      }),
    );
  }

  /** The exits of any trades by id: only the view adds up what an open one has realised. */
  of(rows: readonly Pick<TradeRow, 'id'>[]): Map<string, Exit[] | null> {
    if (rows.length === 0) return new Map();
    const trades = this.#reader.all(
      `SELECT ${FACTS} FROM trade_records WHERE user_id = ${TEXT} AND ${isOneOf('id')}`,
      this.#user.id,
      JSON.stringify(rows.map(({ id }) => id)),
    );
    return this.#exitsOf(trades as unknown as Realising[]);
  }

  #exitsOf(trades: readonly Realising[]): Map<string, Exit[] | null> {
    if (trades.length === 0) return new Map();

    const fills = this.#reader.all(
      `SELECT trade_id, executed_at, side, quantity, price, fees, stated_gross_pnl, stated_net_pnl, fx_rate
       FROM executions
       WHERE user_id = ${TEXT} AND ${isOneOf('trade_id')} ORDER BY trade_id, executed_at, position`,
      this.#user.id,
      JSON.stringify(trades.map(({ id }) => id)),
    ) as unknown as (ExitFill & { trade_id: string })[];

    const byTrade = Map.groupBy(fills, ({ trade_id }) => trade_id);
    return new Map(
      trades.map((trade) => [trade.id, exitsOf(trade, byTrade.get(trade.id) ?? [])]),
    );
  }

  get #severalSql(): string {
    const source = this.#reader.overlay
      ? 'executions'
      : 'executions INDEXED BY executions_further';
    return `SELECT DISTINCT trade_id FROM ${source} WHERE user_id = ${TEXT} AND ${SEVERAL}`;
  }

  #severalOf(rows: readonly TradeRow[], isFull: boolean): ReadonlySet<string> {
    if (this.#several) return this.#several;

    const ids = JSON.stringify(rows.map(({ id }) => id));
    const found = isFull
      ? this.#reader.all(this.#severalSql, this.#user.id)
      : this.#reader.all(
          `${this.#severalSql} AND ${isOneOf('trade_id')}`,
          this.#user.id,
          ids,
        );
    const several = new Set(found.map((row) => row['trade_id'] as string));
    if (isFull) this.#several = several;

    return several;
  }
}

type Realising = RealisingTrade & { id: string };
