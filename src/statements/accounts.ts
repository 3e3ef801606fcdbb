/**
 * Names, limits and starting balances of accounts. Each change is stored with its import,
 * and undo deletes it. Files that name a renamed account lead to its latest name.
 */
import type Database from 'better-sqlite3';
import type { BalanceChange } from '../journal/analytics/account-balances.ts';
import { RULES, type RuleChange } from '../journal/analytics/account-rules.ts';
import type { KeptCash } from '../journal/analytics/ledgers.ts';
import { Reader } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';

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
