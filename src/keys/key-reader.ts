/** The server's side of the keys. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileExists } from '../sqlite/create-file.ts';
import { asUnavailable, FileUnavailable } from '../sqlite/errors.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import { isWellFormed } from './format.ts';
import type { Secret } from './secret.ts';
import {
  aboutKeys,
  columnsIn,
  isDamaged,
  openKeys,
  PendingActivity,
  type StoredKey,
  toKey,
  writeUses,
} from './store.ts';

/** Maximum of cached keys, more than any user has. */
const MAX_FOUND = 1000;

/** Wait of the last flush for a lock. Earlier ones never wait, or all requests would. */
const LAST_FLUSH_WAIT_MS = 250;

const NO_STORE =
  'it is missing; create a first key with "journal-api key create", or restore it';

/** A key in the server's hands. */
export interface FoundKey extends StoredKey {
  /**
   * What its responses are cached by: the same text for all keys of a user with the same
   * scopes and lens.
   */
  audience: string;
  /** Name of the client that reads with it by a token. */
  client?: string;
}

/** What requests need of keys. */
export type KeySource = Pick<KeyReader, 'find' | 'touch' | 'countRead'>;

/**
 * The server's view of the keys: a read-only handle, and a short write of last uses now
 * and then.
 */
export class KeyReader {
  readonly #file: ReadOnlyFile;
  readonly #writesUses: boolean;
  readonly #used = new Map<string, number>();
  readonly #activity = new PendingActivity();
  /**
   * Found keys, by the SHA-256 of the key itself or its id: valid until keys.db changes.
   */
  readonly #found = new Map<string, FoundKey>();
  #foundIn = -1;
  /** The secret that found them. */
  #foundBy: object | undefined;

  /**
   * @param writesUses whether flush writes when keys were last used: not if keys.db is a
   * replica from another machine
   */
  constructor(path: string, writesUses = true) {
    this.#writesUses = writesUses;
    this.#file = openKeys(path);
  }

  /**
   * Finds a stored key. Looked up once, then cached until keys.db or the secret changes:
   * a revocation takes effect at once.
   * @param key as it was sent
   * @returns a promise only if it has to be looked up; undefined for an unknown key
   * @throws FileUnavailable if keys.db or the secret can't be read
   */
  find(
    key: string,
    secret: Secret,
  ): FoundKey | undefined | Promise<FoundKey | undefined> {
    this.#forgetOlder(secret.identity);
    // Not the key itself, which stays in memory no longer than its request.
    const name = hash('sha256', key, 'base64url');
    const found = this.#found.get(name);
    if (found) return found;
    return isWellFormed(key)
      ? this.#lookUp(name, 'hash', secret.hashKey(key))
      : undefined;
  }

  /** The same by the key's id, which a token names in place of the key. */
  findById(
    id: string,
    secret: Secret,
  ): FoundKey | undefined | Promise<FoundKey | undefined> {
    this.#forgetOlder(secret.identity);
    return this.#found.get(id) ?? this.#lookUp(id, 'id', id);
  }

  async #lookUp(
    name: string,
    column: 'hash' | 'id',
    value: Buffer | string,
  ): Promise<FoundKey | undefined> {
    const [version, identity] = [this.#foundIn, this.#foundBy];
    const find = (reader: Reader): FoundKey | undefined => {
      const row = reader.get(
        `SELECT ${columnsIn(reader)} FROM keys WHERE ${column} = ?`,
        value,
      );
      if (!row) return undefined;
      if (isDamaged(row))
        throw new FileUnavailable(
          'it is damaged; "journal-api key list" shows the readable keys',
        );

      const stored = toKey(row);
      const { user_id, scopes, lens, seed } = stored;
      const shown = lens ? ` ${JSON.stringify(lens)} ${seed?.toString('hex')}` : '';
      const key = { ...stored, audience: `${user_id} ${scopes}${shown}` };
      // A later change clears the cache with that version; a cleared cache stays clear.
      if (version === this.#foundIn && identity === this.#foundBy) this.#cache(name, key);

      return key;
    };

    try {
      if (!fileExists(this.#file.path)) throw new FileUnavailable(NO_STORE);
      return await this.#file.readAsync(find);
    } catch (error) {
      throw aboutKeys(asUnavailable(error));
    }
  }

  #cache(name: string, key: FoundKey): void {
    if (this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#found.set(name, key);
  }

  #forgetOlder(identity: object): void {
    const version = this.#file.version();
    if (version !== this.#foundIn || identity !== this.#foundBy) this.#found.clear();
    this.#foundIn = version;
    this.#foundBy = identity;
  }

  /**
   * Notes a use for the next flush.
   * @returns the previous use; null for the first
   */
  touch(key: StoredKey, now: number): number | null {
    const before = this.#used.get(key.id);
    this.#used.set(key.id, now);
    const stored = Date.parse(key.last_used_at ?? '');
    // A damaged one counts as none.
    return before ?? (Number.isNaN(stored) ? null : stored);
  }

  /**
   * Notes a response for the next flush.
   * @param name of the key, or of the client that reads with it
   * @param path as in the API description
   */
  countRead(
    { id }: StoredKey,
    name: string,
    path: string,
    records: number,
    now: number,
  ): void {
    if (this.#writesUses) this.#activity.add(id, name, path, records, now);
  }

  /**
   * Writes the uses since the last flush. If keys.db can't be written now (or ever, as on
   * a read-only mount), they are kept for the next.
   * @param waitMs how long to wait for a lock, blocking the process
   */
  flush(waitMs = 0): void {
    if (!this.#writesUses || this.#used.size === 0 || !existsSync(this.#file.path))
      return;
    if (!writeUses(this.#file.path, this.#used, this.#activity.rows(), waitMs)) return;
    this.#used.clear();
    this.#activity.clear();
  }

  close(): void {
    this.flush(LAST_FLUSH_WAIT_MS);
    this.#file.close();
  }
}
