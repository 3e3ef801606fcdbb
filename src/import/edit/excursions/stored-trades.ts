/** Trades of the journal that candles may measure. */

import type Database from 'better-sqlite3';
import type { User } from '../../../journal/journal.ts';
import { fromInstantText, toInstantText } from '../../../time.ts';
import type { Candles } from './candles.ts';
import type { MeasuredTrade } from './measure.ts';

export interface StoredTrade extends MeasuredTrade {
  id: string;
  isOpen: boolean;
  stated: readonly ('mae' | 'mfe')[];
}

type Row = Record<'id' | 'symbol' | 'market' | 'side' | 'status' | 'executed_at', string> &
  Record<'underlying' | 'closed_at', string | null> &
  Record<'quantity' | 'multiplier' | 'entry_price' | 'gross_pnl', number> &
  Record<'exit_price' | 'mae' | 'mfe' | 'mae_bound' | 'mfe_bound', number | null>;

/** All trades but options, by the names that candles may have. */
export class StoredTrades {
  readonly #rows: Map<string, Row[]>;
  readonly #executions: Database.Statement;
  readonly #user: string;
  readonly #made = new Map<Row, StoredTrade>();

  constructor(db: Database.Database, { id }: User) {
    this.#user = id;
    this.#executions = db.prepare(
      'SELECT executed_at, side, quantity, price FROM executions WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position',
    );
    const rows = db
      .prepare(
        `SELECT id, symbol, underlying, market, side, status, executed_at, closed_at, quantity, multiplier, entry_price, exit_price, gross_pnl,
           mae, mfe, mae_bound, mfe_bound
         FROM trades WHERE user_id = ? AND market <> 'option' ORDER BY executed_at, id`,
      )
      .all(id) as Row[];
    this.#rows = new Map();
    for (const row of rows) {
      for (const name of namesOf(row)) {
        const own = this.#rows.get(name.toUpperCase());
        if (own) own.push(row);
        else this.#rows.set(name.toUpperCase(), [row]);
      }
    }
  }

  /** Symbols and underlyings, as trades write them. */
  names(): string[] {
    return [...this.#rows].map(
      ([name, [row]]) => namesOf(row as Row).find((own) => own.toUpperCase() === name) ?? name,
    );
  }

  /** Trades that were open at some moment between the ends of the candles. */
  during(name: string, { first, last }: Candles): StoredTrade[] {
    const [from, to] = [toInstantText(first), toInstantText(last)];
    const rows = this.#rows.get(name.toUpperCase()) ?? [];
    return rows.filter((row) => row.executed_at < to && (row.closed_at ?? to) >= from).map((row) => this.#tradeOf(row));
  }

  #tradeOf(row: Row): StoredTrade {
    const known = this.#made.get(row);
    if (known) return known;
    const { id, status, multiplier, gross_pnl: gross } = row;
    const stated = (['mae', 'mfe'] as const).filter((name) => row[name] !== null && row[`${name}_bound`] === null);
    const isOpen = status === 'open';
    const made = {
      id,
      names: namesOf(row),
      isOpen,
      stated,
      multiplier,
      gross,
      fills: isOpen ? [] : this.#fillsOf(row),
    };
    this.#made.set(row, made);
    return made;
  }

  /** Its executions; those of a trade without are its entry and its exit. */
  #fillsOf({ id, side, quantity, entry_price, exit_price, executed_at, closed_at }: Row): MeasuredTrade['fills'] {
    const rows = this.#executions.all(this.#user, id) as (Pick<Row, 'executed_at' | 'side' | 'quantity'> & {
      price: number;
    })[];
    if (rows.length > 0) {
      return rows.map((own) => ({
        ...{ at: fromInstantText(own.executed_at), price: own.price },
        quantity: own.side === 'buy' ? own.quantity : -own.quantity,
      }));
    }
    const signed = side === 'long' ? quantity : -quantity;
    return [
      { at: fromInstantText(executed_at), quantity: signed, price: entry_price },
      // Without a price, no candle holds it.
      { at: fromInstantText(closed_at as string), quantity: -signed, price: exit_price ?? Number.NaN },
    ];
  }
}

function namesOf({ symbol, market, underlying }: Row): string[] {
  const isOther = market === 'future' && underlying !== null && underlying.toUpperCase() !== symbol.toUpperCase();
  return isOther ? [symbol, underlying] : [symbol];
}
