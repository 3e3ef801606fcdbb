/**
 * Resolves trades by their platform's tickets. A file without an account contradicts none: its tickets match those that the
 * journal has in an account, and vice versa.
 */
import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Values } from '../../journal-write/record.ts';
import { isSameAccount } from '../fills/identity.ts';
import type { FileRecord } from '../fills/reading.ts';

interface StoredTicket {
  account: string | null;
  status: string;
  currency: string;
}

export class Tickets {
  readonly #user: string;
  readonly #account: string | null;
  readonly #find: Database.Statement;

  /** @param account for files without one */
  constructor(db: Database.Database, user: string, account: string | undefined) {
    this.#user = user;
    this.#account = account ?? null;
    this.#find = db.prepare('SELECT account, status, currency FROM trades WHERE user_id = ? AND id = ?');
  }

  /** The records to write: one that is closed in the journal stays closed. */
  resolved(records: Iterable<FileRecord>): FileRecord[] {
    return [...records].map((record) => ({ ...record, values: this.#resolve(record.values) }));
  }

  #resolve(values: Values): Values {
    const account = (values['account'] as string | undefined) ?? this.#account;
    const first = this.#stored(values['id']);
    const isOther = first !== undefined && !isSameAccount(first, { account });
    const id = isOther ? `${values['id']}~${hash('sha256', String(account).toLowerCase()).slice(0, 8)}` : values['id'];
    const stored = isOther ? this.#stored(id) : first;
    if (!stored) return { ...values, id };
    if (values['status'] === 'open' && stored.status === 'closed') return { id };
    // A file without the account's line lacks its currency too.
    return values['account'] === undefined ? { ...values, id, currency: stored.currency } : { ...values, id };
  }

  #stored(id: unknown): StoredTicket | undefined {
    return this.#find.get(this.#user, id) as StoredTicket | undefined;
  }
}
