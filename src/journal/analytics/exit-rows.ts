/**
 * Exits of trades as figures read them: of many trades at once, and only of those that
 * have several.
 */

import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { netOf } from '../derived-trade.ts';
import type { User } from '../journal.ts';
import {
  type DatedCost,
  datedCostsOf,
  type Exit,
  type ExitFill,
  exitsOf,
  type RealisingTrade,
  withDatedCosts,
} from '../trade-exits.ts';
import { isOneOf, Where } from '../where.ts';

/** A trade with fewer fills has one exit at most: it opens with another. */
const SEVERAL = 'position >= 2';

/**
 * Condition on a trade, the alias t, that it may have several exits, or costs on other
 * days.
 */
export const MAY_HAVE_SEVERAL = `(dated_costs IS NOT NULL OR EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.${SEVERAL}))`;

const HAS_COSTS = 'dated_costs IS NOT NULL';

/** Trades closed before an instant that have costs at it or later. */
export function closedBeforeCosts(user: User, at: string): Where {
  return new Where(user.id)
    .add(HAS_COSTS)
    .range('closed_at', { from: null, to: at })
    .add(`dated_costs ->> '$[#-1][0]' >= ${TEXT}`, at);
}

/** Facts of a trade that its exits follow from. */
const FACTS =
  'id, side, executed_at, closed_at, open_quantity, multiplier, gross_pnl, realised_pnl';

/** A row of a trade as far as its exits depend on it. */
export interface RowWithExits extends Omit<Realising, 'realised_pnl'> {
  fees: number;
  /** Whether it may have several exits. */
  has_several: 0 | 1;
  /** Null if it realises all at its close; in its own currency. */
  exits?: readonly Exit[] | null;
}

export class ExitRows {
  readonly #reader: Reader;
  readonly #user: User;
  /** Whether any trade has costs with days of their own. */
  readonly hasCosts: boolean;
  /**
   * Whether any closed trade may have several exits or such costs: else no row needs a
   * look.
   */
  readonly hasSeveral: boolean;

  constructor(reader: Reader, user: User) {
    this.#reader = reader;
    this.#user = user;
    const sql = `SELECT 1 FROM trades WHERE user_id = ${TEXT} AND ${HAS_COSTS} LIMIT 1`;
    this.hasCosts = reader.get(sql, user.id) !== undefined;
    const source = reader.overlay
      ? 'executions'
      : 'executions INDEXED BY executions_further';
    const several = `SELECT 1 FROM ${source} WHERE user_id = ${TEXT} AND ${SEVERAL} LIMIT 1`;
    this.hasSeveral = this.hasCosts || reader.get(several, user.id) !== undefined;
  }

  /** Adds their exits to trades; null if all is realised at the close. */
  addTo(rows: readonly RowWithExits[]): void {
    const open = rows.filter(({ closed_at }) => closed_at === null);
    const openExits = this.of(open);
    for (const row of open) row.exits = openExits.get(row.id) ?? [];
    if (!this.hasSeveral) return;

    const several = rows.filter((row) => row.closed_at !== null && row.has_several === 1);
    const exits = this.#exitsOf(several.map((row) => this.#realising(row)));
    for (const [i, row] of several.entries()) {
      const of = exits[i] ?? null;
      row.exits = of !== null && of.length > 1 ? of : null;
    }
  }

  #realising(row: RowWithExits): Realising {
    const { id, executed_at, closed_at, open_quantity, multiplier, gross_pnl } = row;
    const side = row.side;
    const realised_pnl = netOf(this.#reader, gross_pnl, row.fees);
    return {
      id,
      side,
      executed_at,
      closed_at,
      open_quantity,
      multiplier,
      gross_pnl,
      realised_pnl,
    };
  }

  /**
   * The exits of any trades by id: only the view adds up what an open one has realised.
   */
  of(rows: readonly Pick<Realising, 'id'>[]): Map<string, Exit[] | null> {
    if (rows.length === 0) return new Map();
    const trades = this.#reader.all<Realising>(
      `SELECT ${FACTS} FROM trade_records WHERE user_id = ${TEXT} AND ${isOneOf('id')}`,
      this.#user.id,
      JSON.stringify(rows.map(({ id }) => id)),
    );
    const exits = this.#exitsOf(trades);
    return new Map(trades.map(({ id }, i) => [id, exits[i] ?? null]));
  }

  /** The exits of each trade; null if its fills don't make it up. */
  #exitsOf(trades: readonly Realising[]): (Exit[] | null)[] {
    if (trades.length === 0) return [];

    const fillsOf = this.#fillsOf(trades);
    const costsOf = this.#costsOf(trades);
    return trades.map((trade) => {
      const costs = costsOf.get(trade.id) ?? [];
      const exits = exitsOf(trade, fillsOf.get(trade.id) ?? [], costs);
      return exits && costs.length > 0 ? withDatedCosts(exits, costs) : exits;
    });
  }

  /** The fills of each trade in the order they happened. */
  #fillsOf(trades: readonly Realising[]): Map<string, ExitFill[]> {
    // By the key of the table: sorting by time would take as long as reading.
    const rows = this.#reader.all<ExitFill & { trade_id: string }>(
      `SELECT trade_id, executed_at, side, quantity, price, fees, stated_gross_pnl, stated_net_pnl, fx_rate
       FROM executions WHERE user_id = ${TEXT} AND ${isOneOf('trade_id')} ORDER BY trade_id, position`,
      this.#user.id,
      JSON.stringify(trades.map(({ id }) => id)),
    );
    const byTrade = new Map<string, ExitFill[]>();
    const unsorted = new Set<ExitFill[]>();
    let fills: ExitFill[] = [];
    let last: (typeof rows)[number] | undefined;

    for (const row of rows) {
      if (row.trade_id !== last?.trade_id) {
        fills = [];
        byTrade.set(row.trade_id, fills);
      } else if (row.executed_at < last.executed_at) unsorted.add(fills);
      fills.push(row);
      last = row;
    }

    for (const some of unsorted)
      some.sort((a, b) =>
        a.executed_at < b.executed_at ? -1 : Number(a.executed_at > b.executed_at),
      );
    return byTrade;
  }

  #costsOf(trades: readonly Realising[]): Map<string, DatedCost[]> {
    if (!this.hasCosts) return new Map();

    const rows = this.#reader.all<{ id: string; dated_costs: string }>(
      `SELECT id, dated_costs FROM trades WHERE user_id = ${TEXT} AND ${isOneOf('id')} AND ${HAS_COSTS}`,
      this.#user.id,
      JSON.stringify(trades.map(({ id }) => id)),
    );
    return new Map(rows.map(({ id, dated_costs }) => [id, datedCostsOf(dated_costs)]));
  }
}

type Realising = RealisingTrade & { id: string };
