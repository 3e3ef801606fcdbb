/**
 * Names, limits and starting balances of accounts. Each change is stored with its import, and undo deletes it. Files
 * that name a renamed account lead to its latest name.
 */
import type Database from 'better-sqlite3';
import type { BalanceChange } from '../journal/analytics/account-balances.ts';
import { RULES, type RuleChange } from '../journal/analytics/account-rules.ts';
import { Reader } from '../sqlite/reader.ts';
import { UserRows } from '../sqlite/user-rows.ts';

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
  return reader.all(sql, user) as unknown as ReturnType<typeof namesOf>;
}

export class AccountNames {
  readonly #byName = new Map<string, string>();

  /** @param before the line before which names are as they are here; by default as they are now */
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
  of(account: string | null): string | null {
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
    // Earlier names of this one lead to the new one, too; renaming back removes the other name.
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
