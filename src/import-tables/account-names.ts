/** Renamed accounts. Each rename is stored with its import; undo deletes it. Files that name an old one lead to the latest new one. */
import type Database from 'better-sqlite3';
import { Reader } from '../sqlite/reader.ts';

export interface AccountName {
  /** '': no account. */
  name: string;
  renamed: string;
}

export class AccountNames {
  readonly #byName = new Map<string, string>();

  constructor(reader: Reader | Database.Database, user: string) {
    const rows = (reader instanceof Reader ? reader : new Reader(reader)).all(
      'SELECT name, renamed FROM account_names WHERE user_id = ? ORDER BY import_id',
      user,
    );
    for (const { name, renamed } of rows as unknown as AccountName[]) this.#rename(name, renamed);
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** The account that a file's name leads to; null for none. */
  of(account: string | null): string | null {
    return this.#byName.get(account?.toLowerCase() ?? '') ?? account;
  }

  /** Other names of an account; '' is none. */
  othersOf(account: string): string[] {
    return [...this.#byName].flatMap(([name, own]) => (own.toLowerCase() === account.toLowerCase() ? [name] : []));
  }

  #rename(name: string, renamed: string): void {
    // Earlier names of this one lead to the new one, too; renaming back removes the other name.
    for (const [other, to] of this.#byName)
      if (to.toLowerCase() === name.toLowerCase()) this.#byName.set(other, renamed);
    this.#byName.set(name.toLowerCase(), renamed);
    const own = renamed.toLowerCase();
    if (this.#byName.get(own) !== undefined) this.#byName.delete(own);
  }
}

export function addName(db: Database.Database, user: string, importId: number, { name, renamed }: AccountName): void {
  db.prepare('INSERT INTO account_names (user_id, import_id, name, renamed) VALUES (?, ?, ?, ?)').run(
    ...[user, importId, name, renamed],
  );
}
