/**
 * Closes whose opening no file states: the only place that writes them. They belong to no
 * trade, but their rows may state what they realised.
 */

import type Database from 'better-sqlite3';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { type ClosedLot, type Fill, type Instruments, lotsOf } from './fill-row.ts';

/** A close, or the part of one, without an opening. */
export interface UnmatchedClose {
  fill: Fill;
  /** Null: all that was open. */
  quantity: number | null;
  /** Of this quantity. */
  fees: number;
  /** Null: its row states none. */
  netPnl: number | null;
}

const OF_INSTRUMENT = `DELETE FROM unmatched_closes WHERE user_id = ${USER} AND fill_id IN (
  SELECT f.id FROM fills AS f
  WHERE f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol
    AND f.market = @market AND f.currency = @currency
    AND (@all = 1 OR f.account IS @account) AND f.executed_at >= @from)`;

const MOVE = `UPDATE unmatched_closes AS u SET closed_at = f.executed_at FROM fills AS f
  WHERE f.user_id = u.user_id AND f.id = u.fill_id AND u.user_id = ${USER} AND u.has_time = 0`;

export class UnmatchedCloseTable {
  readonly #rows: UserRows;
  #isEmpty: boolean;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
    this.#isEmpty = !this.#rows.has('unmatched_closes');
  }

  /** Forgets those of some instruments from an instant on. */
  clear({ symbols, account, ...instrument }: Instruments, from: string): void {
    if (this.#isEmpty) return;

    const all = Number(account === undefined);
    for (const symbol of symbols)
      this.#rows.run(OF_INSTRUMENT, {
        ...instrument,
        symbol,
        account: account ?? null,
        all,
        from,
      });
  }

  add({ fill, quantity, fees, netPnl }: UnmatchedClose, baseCurrency: string): void {
    const { id, account, symbol, market, underlying, currency, executed_at, has_time } =
      fill;
    this.#isEmpty = false;
    this.#rows.replace('unmatched_closes', {
      fill_id: id,
      account,
      symbol,
      market,
      underlying,
      currency,
      closed_at: executed_at,
      has_time: Number(has_time),
      quantity,
      fees,
      net_pnl: netPnl,
      fx_rate: fill.rate_base === baseCurrency ? fill.rate : null,
      opened_on: lotsOf(fill).reduce<string | null>(earliest, null),
    });
  }
}

function earliest(day: string | null, [other]: ClosedLot): string {
  return day === null || other < day ? other : day;
}

/** Days without times are where their fills are. */
export function moveUnmatched(rows: UserRows): void {
  rows.run(MOVE);
}
