/**
 * Names, limits, starting balances and fees of accounts. Each change is stored with its
 * import, and undo deletes it. Files that name a renamed account lead to its latest name.
 */
import type Database from 'better-sqlite3';
import {
  type BalanceChange,
  RULES,
  type RuleChange,
} from '../journal/analytics/account-rules.ts';
import type { KeptCash } from '../journal/analytics/ledgers.ts';
import { roundMoney, Sum } from '../money.ts';
import { Reader } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import type { FillQueries } from './fill-queries.ts';
import { type Fill, PART } from './fill-row.ts';

export interface AccountName {
  /** '': no account. */
  name: string;
  renamed: string;
}

/** A user's renames, the earliest first, each with its import. */
export function namesOf(
  reader: Reader,
  user: string,
): (AccountName & { import: number })[] {
  const sql = `SELECT import_id AS import, name, renamed FROM account_names WHERE user_id = ?
      ORDER BY import_id`;
  return reader.all<AccountName & { import: number }>(sql, user);
}

export class AccountNames {
  readonly #byName = new Map<string, string>();

  /**
   * @param before the line before which names are as they are here; by default as they
   * are now
   */
  constructor(
    reader: Reader | Database.Database,
    user: string,
    before = Number.POSITIVE_INFINITY,
  ) {
    const changes = namesOf(reader instanceof Reader ? reader : new Reader(reader), user);
    for (const { import: line, name, renamed } of changes)
      if (line < before) this.#rename(name, renamed);
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** The account that a file's name leads to; null for none. */
  of<T extends string | null>(account: T): T | string {
    return this.#byName.get(account?.toLowerCase() ?? '') ?? account;
  }

  /** Other names of an account, but for its own in another spelling; '' is none. */
  othersOf(account: string): string[] {
    const wanted = account.toLowerCase();
    return [...this.#byName].flatMap(([name, to]) =>
      to.toLowerCase() === wanted && name !== wanted ? [name] : [],
    );
  }

  #rename(name: string, renamed: string): void {
    // Earlier names of this one lead to the new one, too; renaming back removes the other
    // name.
    for (const [other, to] of this.#byName)
      if (to.toLowerCase() === name.toLowerCase()) this.#byName.set(other, renamed);
    this.#byName.set(name.toLowerCase(), renamed);
    const target = renamed.toLowerCase();
    if (target !== name.toLowerCase()) this.#byName.delete(target);
  }
}

export function addName(
  db: Database.Database,
  user: string,
  importId: number,
  { name, renamed }: AccountName,
): void {
  new UserRows(db, user).insert('account_names', { import_id: importId, name, renamed });
}

/** Stores a change of an account's starting balance with its import. */
export function addBalance(
  db: Database.Database,
  user: string,
  importId: number,
  change: BalanceChange,
): void {
  new UserRows(db, user).insert('account_balances', { import_id: importId, ...change });
}

/** Stores a change of an account's limits with its import. */
export function addRules(
  db: Database.Database,
  user: string,
  importId: number,
  { account, rules }: RuleChange,
): void {
  const values = Object.fromEntries(RULES.map((name) => [name, rules?.[name] ?? null]));
  new UserRows(db, user).insert('account_limits', {
    import_id: importId,
    account,
    ...values,
  });
}

// Ending cash that files state, each with the present name of its account.

/** The last row of an import's file: everything up to it belongs to the stated cash. */
const LAST_ROW = `SELECT max(at) AS until FROM (
  SELECT f.executed_at AS at FROM import_fills AS p
    JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
    WHERE p.user_id = ${USER} AND p.import_id = @importId
  UNION ALL SELECT c.at FROM import_records AS r
    JOIN cash_flows AS c ON c.user_id = r.user_id AND c.id = r.record_id
    WHERE r.user_id = ${USER} AND r.import_id = @importId AND r.resource = 'cash-flows'
  UNION ALL SELECT coalesce(t.closed_at, t.executed_at) FROM import_records AS r
    JOIN trades AS t ON t.user_id = r.user_id AND t.id = r.record_id
    WHERE r.user_id = ${USER} AND r.import_id = @importId AND r.resource = 'trades')`;

/**
 * Call it once the rows of the file are stored.
 * @param account of rows without one
 */
export function keepCash(
  db: Database.Database,
  user: string,
  importId: number,
  { cash, account }: { cash: readonly KeptCash[]; account: string | null },
): void {
  const rows = new UserRows(db, user);
  if (cash.length === 0) return rows.update('imports', { id: importId }, { cash: null });

  const names = new AccountNames(db, user);
  const [last] = rows.all<{ until: string | null }>(LAST_ROW, { importId });
  const until = last?.until ?? null;
  const kept = cash.map((stated) => {
    const named = stated.account ?? account;
    return {
      ...stated,
      account: named,
      holder: names.of(named),
      until,
    } satisfies KeptCash;
  });
  rows.update('imports', { id: importId }, { cash: JSON.stringify(kept) });
}

/** After accounts were renamed. */
export function settleCash(db: Database.Database, user: string): void {
  const rows = new UserRows(db, user);
  const names = new AccountNames(db, user);
  const stating = rows.all<{ id: number; cash: string }>(
    `SELECT id, cash FROM imports WHERE user_id = ${USER} AND cash IS NOT NULL`,
  );

  for (const { id, cash } of stating) {
    const kept = JSON.parse(cash) as KeptCash[];
    const settled = kept.map((stated) => ({
      ...stated,
      holder: names.of(stated.account),
    }));
    rows.update('imports', { id }, { cash: JSON.stringify(settled) });
  }
}

// The trader's own fees: the latest change for a symbol and account counts.

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

/**
 * @param rates those in force
 * @param importId an import whose trades are made
 */
export function lackingFees(
  fills: FillQueries,
  rates: readonly FeeRate[],
  importId: number,
): LackingFees {
  const sums = new Map<string, Sum>();
  const without = new Set<string>();

  for (const { fees, ...rated } of fills.feelessIn(importId, rates.length > 0)) {
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
