/** The trader's own fees. Each change is stored with its import, and the latest for a symbol and account counts: undo deletes it. */
import type Database from 'better-sqlite3';
import type { Reader } from '../sqlite/reader.ts';

/** The fees of a symbol or underlying in an account. Without amounts they are removed. */
export interface FeeRate {
  /** Null: every symbol. */
  symbol: string | null;
  /** Null: every account. */
  account: string | null;
  /** Per unit and side; amounts are in the currency of the trade. */
  per_contract: number | null;
  per_order: number | null;
  /** Percent of the value traded. */
  percent: number | null;
}

const COLUMNS = "nullif(symbol, '') AS symbol, nullif(account, '') AS account, per_contract, per_order, percent";

const IN_FORCE = `SELECT ${COLUMNS} FROM fee_rates AS r WHERE user_id = ? AND coalesce(per_contract, per_order, percent) IS NOT NULL
  AND import_id = (SELECT max(o.import_id) FROM fee_rates AS o
    WHERE o.user_id = r.user_id AND o.account = r.account AND o.symbol = r.symbol)
  ORDER BY r.symbol, r.account`;

/** A user's fees in force, by symbol and account. */
export function feeRatesOf(reader: Reader, user: string): FeeRate[] {
  return reader.all(IN_FORCE, user) as unknown as FeeRate[];
}

/** The changes of each import of a user. */
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

  inForce(): FeeRate[] {
    return this.#inForce.all(this.#user) as FeeRate[];
  }

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
