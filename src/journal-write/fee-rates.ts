/** The trader's own fees. Each change stays with its import: the latest that names a symbol and account counts, so an undo is a deletion. */
import type Database from 'better-sqlite3';
import type { Reader } from '../sqlite/reader.ts';

/** What a symbol, or an underlying, costs in an account. Without any amount it costs nothing from here on. */
export interface FeeRate {
  /** Null: every symbol. */
  symbol: string | null;
  /** Null: every account. */
  account: string | null;
  /** Per unit and side, in the currency of the trade, as is the next. */
  per_contract: number | null;
  per_order: number | null;
  /** Of the value traded. */
  percent: number | null;
}

const COLUMNS = "nullif(symbol, '') AS symbol, nullif(account, '') AS account, per_contract, per_order, percent";

const IN_FORCE = `SELECT ${COLUMNS} FROM fee_rates AS r WHERE user_id = ? AND coalesce(per_contract, per_order, percent) IS NOT NULL
  AND import_id = (SELECT max(o.import_id) FROM fee_rates AS o
    WHERE o.user_id = r.user_id AND o.account = r.account AND o.symbol = r.symbol)
  ORDER BY r.symbol, r.account`;

/** The fees of a user that count, by symbol and account. */
export function feeRatesOf(reader: Reader, user: string): FeeRate[] {
  return reader.all(IN_FORCE, user) as unknown as FeeRate[];
}

/** What each import of a user changed. */
export function feeRatesByImport(reader: Reader, user: string): Map<number, FeeRate[]> {
  const byImport = new Map<number, FeeRate[]>();
  const rows = reader.all(
    `SELECT import_id, ${COLUMNS} FROM fee_rates WHERE user_id = ? ORDER BY symbol, account`,
    user,
  );
  for (const { import_id, ...rate } of rows as unknown as (FeeRate & { import_id: number })[]) {
    byImport.set(import_id, [...(byImport.get(import_id) ?? []), rate]);
  }
  return byImport;
}

export class FeeRateTable {
  readonly #user: string;
  readonly #inForce: Database.Statement;
  readonly #of: Database.Statement;
  readonly #add: Database.Statement;
  readonly #remove: Database.Statement;

  constructor(db: Database.Database, user: string) {
    this.#user = user;
    this.#inForce = db.prepare(IN_FORCE);
    this.#of = db.prepare(`SELECT ${COLUMNS} FROM fee_rates WHERE user_id = ? AND import_id = ?`);
    this.#add = db.prepare(
      `INSERT OR REPLACE INTO fee_rates (user_id, import_id, symbol, account, per_contract, per_order, percent)
       VALUES (@user, @importId, coalesce(@symbol, ''), coalesce(@account, ''), @per_contract, @per_order, @percent)`,
    );
    this.#remove = db.prepare('DELETE FROM fee_rates WHERE user_id = ? AND import_id = ?');
  }

  /** Those that count, by symbol and account. */
  inForce(): FeeRate[] {
    return this.#inForce.all(this.#user) as FeeRate[];
  }

  /** What an import changed. */
  of(importId: number): FeeRate[] {
    return this.#of.all(this.#user, importId) as FeeRate[];
  }

  add(importId: number, rate: FeeRate): void {
    this.#add.run({ ...rate, user: this.#user, importId });
  }

  remove(importId: number): void {
    this.#remove.run(this.#user, importId);
  }
}
