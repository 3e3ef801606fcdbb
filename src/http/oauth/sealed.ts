/**
 * Sealed statements: JSON that clients and browsers carry, and only this service can read
 * or make (AES-256-GCM).
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @returns base64url */
export function seal(key: KeyObject, statement: object): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  const sealed = [
    nonce,
    cipher.update(JSON.stringify(statement)),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  return Buffer.concat(sealed).toString('base64url');
}

/** @returns undefined for anything that wasn't sealed with this key */
export function unseal<T>(key: KeyObject, text: string): T | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding skips other characters: without this, one statement would have many texts.
  if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text)
    return undefined;

  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
    return JSON.parse(plain.toString());
  } catch {
    return undefined;
  }
}

const CODE_MS = 60_000;

/**
 * Used codes are kept until they expire. No owner allows so many clients within a minute.
 */
const MOST_USED = 1000;

/** The same with one key, which then keeps no other from its codes. */
const MOST_USED_OF_KEY = 20;

/** What the owner allowed. */
export interface Grant {
  /** Id of the key. */
  key: string;
  /** The client's name; null for none. */
  client: string | null;
  /** Hash of client, redirect URI and PKCE challenge. */
  binding: string;
}

/** Authorization codes: each works once, within a minute, and in this process. */
export class Codes {
  readonly #key = createSecretKey(randomBytes(32));
  readonly #now: () => number;
  /** By the nonce of the code, in order of use. */
  readonly #used = new Map<string, { key: string; until: number }>();
  #latest = 0;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  issue({ key, client, binding }: Grant): string {
    return seal(this.#key, { key, client, binding, until: this.#time() + CODE_MS });
  }

  /**
   * Uses up a code.
   * @returns undefined for one that is unknown, late or used, and while too many were
   * used, of its key or of all
   */
  redeem(code: string): Grant | undefined {
    const grant = unseal<Grant & { until: number }>(this.#key, code);
    const now = this.#time();
    for (const [nonce, { until }] of this.#used)
      if (until <= now) this.#used.delete(nonce);

    const nonce = code.slice(0, (NONCE_BYTES * 4) / 3);
    if (!grant || grant.until <= now || this.#used.has(nonce) || this.#isFull(grant.key))
      return undefined;

    this.#used.set(nonce, { key: grant.key, until: grant.until });
    return grant;
  }

  #isFull(key: string): boolean {
    if (this.#used.size >= MOST_USED) return true;
    let ofKey = 0;
    for (const used of this.#used.values()) if (used.key === key) ofKey++;
    return ofKey >= MOST_USED_OF_KEY;
  }

  /** A clock that is set back revives no code. */
  #time(): number {
    this.#latest = Math.max(this.#latest, this.#now());
    return this.#latest;
  }
}
