/**
 * The trader's own fees. Each change is stored with its import, and the latest for a
 * symbol and account counts: undo deletes it.
 */

import type Database from 'better-sqlite3';
import { roundMoney, Sum } from '../money.ts';
import type { Reader } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { type Fill, PART } from './fill-row.ts';
import type { FillTable } from './fills.ts';

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

const COLUMNS =
  "nullif(symbol, '') AS symbol, nullif(account, '') AS account, per_contract, per_order, percent";

const IN_FORCE = `SELECT ${COLUMNS} FROM fee_rates AS r
  WHERE coalesce(per_contract, per_order, percent) IS NOT NULL
  AND import_id = (SELECT max(o.import_id) FROM fee_rates AS o
    WHERE o.user_id = r.user_id AND o.account = r.account AND o.symbol = r.symbol) AND user_id =`;
const ORDER = 'ORDER BY r.symbol, r.account';

/** A user's fees in force, by symbol and account. */
export function feeRatesOf(reader: Reader, user: string): FeeRate[] {
  return reader.all<FeeRate>(`${IN_FORCE} ? ${ORDER}`, user);
}

/** All changes of a user, each with its import. */
export function feeChangesOf(
  reader: Reader,
  user: string,
): (FeeRate & { import: number })[] {
  const sql = `SELECT import_id AS import, ${COLUMNS} FROM fee_rates WHERE user_id = ?
    ORDER BY symbol, account`;
  return reader.all<FeeRate & { import: number }>(sql, user);
}

/** @param changes the earliest first */
export function feesInForce(
  changes: readonly (FeeRate & { import: number })[],
): FeeRate[] {
  const byLine = changes.toSorted((a, b) => a.import - b.import);
  const latest = new Map(
    byLine.map(({ import: _, ...rate }) => [
      JSON.stringify([rate.symbol, rate.account]).toLowerCase(),
      rate,
    ]),
  );
  return [...latest.values()].filter((rate) => !isRemoval(rate));
}

export function isRemoval({ per_contract, per_order, percent }: FeeRate): boolean {
  return per_contract === null && per_order === null && percent === null;
}

export class FeeRateTable {
  readonly #rows: UserRows;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
  }

  inForce(): FeeRate[] {
    return this.#rows.all(`${IN_FORCE} ${USER} ${ORDER}`);
  }

  of(importId: number): FeeRate[] {
    return this.#rows.where(`SELECT ${COLUMNS} FROM fee_rates`, { import_id: importId });
  }

  add(importId: number, rate: FeeRate): void {
    const { symbol, account, per_contract, per_order, percent } = rate;
    const amounts = { per_contract, per_order, percent };
    this.#rows.replace('fee_rates', {
      import_id: importId,
      symbol: symbol ?? '',
      account: account ?? '',
      ...amounts,
    });
  }

  remove(importId: number): void {
    this.#rows.delete('fee_rates', { import_id: importId });
  }
}

// They are added just before the walk; the fills table keeps stated fees only, so that a
// file with fees, another rate or an undo needs no correction there.

/** The facts of a fill that select its rate. */
type Rated = Pick<Fill, 'account' | 'symbol' | 'underlying'>;

/**
 * The most specific rate: by symbol, then underlying, then any symbol; of equals, a named
 * account before any account.
 */
export function rateOf(fill: Rated, rates: readonly FeeRate[]): FeeRate | undefined {
  const fitting = rates.filter(
    (rate) =>
      isFor(rate, fill) && (rate.account === null || isSame(rate.account, fill.account)),
  );
  const ofSymbol = (symbol: string) => (isSame(symbol, fill.symbol) ? 4 : 2);
  const weight = ({ symbol, account }: FeeRate) =>
    (symbol === null ? 0 : ofSymbol(symbol)) + (account === null ? 0 : 1);
  return fitting.sort((a, b) => weight(b) - weight(a))[0];
}

/** Whether a rate applies to the symbol of a fill, regardless of the account. */
export function isFor(
  { symbol }: Pick<FeeRate, 'symbol'>,
  fill: Pick<Rated, 'symbol' | 'underlying'>,
): boolean {
  return (
    symbol === null || isSame(symbol, fill.symbol) || isSame(symbol, fill.underlying)
  );
}

function isSame(a: string, b: string | null): boolean {
  return a.toLowerCase() === b?.toLowerCase();
}

/** Fees missing from a file: the trader's own for its fills, and symbols without any. */
interface LackingFees {
  byRates: { currency: string; amount: number }[];
  /** Underlyings, or symbols without one. */
  without: string[];
}

/** @param importId an import whose trades are made */
export function lackingFees(table: FillTable, importId: number): LackingFees {
  const rates = table.feeRates.inForce();
  const sums = new Map<string, Sum>();
  const without = new Set<string>();

  for (const { fees, ...rated } of table.feelessIn(importId, rates.length > 0)) {
    if (!rateOf(rated, rates)) {
      without.add(rated.underlying ?? rated.symbol);
      continue;
    }
    const sum = sums.get(rated.currency) ?? new Sum();
    sums.set(rated.currency, sum);
    sum.add(fees);
  }

  return {
    byRates: [...sums].map(([currency, { value }]) => ({
      currency,
      amount: roundMoney(value),
    })),
    without: [...without],
  };
}

/**
 * @param fills whole, in the order they happened
 * @param rates those in force
 */
export function withOwnFees(
  fills: readonly Fill[],
  rates: readonly FeeRate[],
): readonly Fill[] {
  if (rates.length === 0) return fills;

  const rated = new Map<Fill, FeeRate>();
  for (const fill of fills) {
    const rate = isFeeless(fill) ? rateOf(fill, rates) : undefined;
    if (rate) rated.set(fill, rate);
  }

  const shares = sharesOfOrders(rated);
  return fills.map((fill) => {
    const rate = rated.get(fill);
    if (!rate) return fill;

    const quantity = Number(fill.quantity);
    const ofContracts = quantity * (rate.per_contract ?? 0);
    const ofValue =
      (Math.abs(fill.price) * quantity * fill.multiplier * (rate.percent ?? 0)) / 100;

    return {
      ...fill,
      fees: roundMoney(
        fill.fees + roundMoney(ofContracts + ofValue) + (shares.get(fill) ?? 0),
      ),
    };
  });
}

function isFeeless({ fees_stated, kind, part, quantity }: Fill): boolean {
  return !fees_stated && kind === 'trade' && part !== PART.cancels && quantity !== null;
}

/**
 * The fee of each order, shared among its fills by quantity: rounding carries over, so
 * that the sum is exact.
 */
function sharesOfOrders(rated: ReadonlyMap<Fill, FeeRate>): Map<Fill, number> {
  const shares = new Map<Fill, number>();
  const paying = [...rated.keys()].filter(
    (fill) => Number(rated.get(fill)?.per_order) > 0,
  );
  for (const ofOrder of Map.groupBy(paying, orderOf).values()) {
    const fee = Number(rated.get(ofOrder[0])?.per_order);
    const total = new Sum();
    for (const { quantity } of ofOrder) total.add(Number(quantity));
    const filled = new Sum();
    let shared = 0;

    for (const fill of ofOrder) {
      filled.add(Number(fill.quantity));
      const until = roundMoney((fee * filled.value) / total.value);
      shares.set(fill, roundMoney(until - shared));
      shared = until;
    }
  }

  return shares;
}

/** The key of a fill's order; a fill without an order id is its own order. */
function orderOf({ platform, account, symbol, order_id, execution_id }: Fill): string {
  const order = order_id === null ? ['fill', execution_id] : ['order', order_id];
  return JSON.stringify(
    [platform, account, symbol].map((part) => part?.toLowerCase()).concat(order),
  );
}
