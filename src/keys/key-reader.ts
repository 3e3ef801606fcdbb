/** The server's side of the keys. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { COLUMNS, openKeys, reading, type StoredKey, toKey, writeUses } from './store.ts';

/** Keys remembered at most; nobody has as many. */
const MAX_FOUND = 1000;

/** A key in the server's hands. */
export interface FoundKey extends StoredKey {
  /** Whose answers it gets: the same text for all keys of a user with the same scopes. */
  audience: string;
}

/** The server's view of the keys: a read-only handle, and a short write now and then for when each was last used. */
export class KeyReader {
  readonly #file: ReadOnlyFile;
  readonly #writesUses: boolean;
  readonly #used = new Map<string, number>();
  /** Keys that were found, by the SHA-256 of the key itself: good while keys.db is what it was. */
  readonly #found = new Map<string, FoundKey>();
  #foundIn = -1;

  /** @param writesUses whether flush writes when keys were last used: not where keys.db is a replica of another machine's */
  constructor(path: string, writesUses = true) {
    this.#writesUses = writesUses;
    this.#file = openKeys(path);
  }

  /**
   * What is known of a key. Looked up once, then remembered until keys.db changes: what was revoked a moment ago is seen revoked.
   * @param key as it was sent
   * @param hashOf its HMAC, asked for only where the key has to be looked up; null where it can't be one
   */
  find(key: string, hashOf: () => Buffer | null): FoundKey | undefined {
    this.#forgetOlder();
    // Not the key itself: it stays in memory no longer than its request.
    const name = hash('sha256', key, 'base64url');
    return this.#found.get(name) ?? this.#lookUp(name, hashOf());
  }

  #lookUp(name: string, keyHash: Buffer | null): FoundKey | undefined {
    if (keyHash === null || !existsSync(this.#file.path)) return undefined;
    return reading(this.#file, (reader) => {
      const row = reader.get(`SELECT ${COLUMNS} FROM keys WHERE hash = ?`, keyHash);
      if (!row) return undefined;
      const stored = toKey(row);
      const key = { ...stored, audience: `${stored.user_id} ${stored.scopes}` };
      // Where keys.db has changed since the version was asked for, this is newer, and forgotten with that version.
      if (this.#found.size >= MAX_FOUND) this.#found.clear();
      this.#found.set(name, key);
      return key;
    });
  }

  #forgetOlder(): void {
    const version = this.#file.version();
    if (version !== this.#foundIn) this.#found.clear();
    this.#foundIn = version;
  }

  /**
   * Remembers a use, to be written with the next flush.
   * @returns when it was used before that; null for the first time
   */
  touch(key: StoredKey, now: number): number | null {
    const before = this.#used.get(key.id);
    this.#used.set(key.id, now);
    return before ?? (key.last_used_at === null ? null : Date.parse(key.last_used_at));
  }

  /** Writes the uses since the last flush. Where keys.db can't be written now (or ever: a read-only mount), they are kept in mind. */
  flush(): void {
    if (!this.#writesUses || this.#used.size === 0 || !existsSync(this.#file.path)) return;
    if (writeUses(this.#file.path, this.#used)) this.#used.clear();
  }

  close(): void {
    this.flush();
    this.#file.close();
  }
}
