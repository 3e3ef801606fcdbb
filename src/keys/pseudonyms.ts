/**
 * What a key that hides symbols shows in place of them: pseudonyms by HMAC under the key's own seed, the same for as long as the key and its
 * successors live. Without the seed a guessed symbol can't be checked.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

type Kind = 'sym' | 'label' | 'id';

/** Without letters and digits that are easily confused. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Characters of 5 bits. A journal has few symbols and labels, of which no two get one pseudonym; and many ids, which are longer. */
const SHORTEST = 6;
const ID_LENGTH = 13;

const SYMBOL = /^sym-[a-kmnp-z2-9]{6,}$/i;
export const EXAMPLE_SYMBOL = 'sym-k3v9qd';

/** Whether a text may be the pseudonym of a symbol; only the journal has those that are. */
export const isSymbolPseudonym = (text: string) => SYMBOL.test(text);

export class Pseudonyms {
  readonly #seed: KeyObject;
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(seed: Buffer) {
    this.#seed = createSecretKey(seed);
  }

  /** @param name in the one spelling that all its spellings share */
  ofSymbol(name: string): string {
    return this.#short('sym', name);
  }

  /** @param name in the one spelling that all its spellings share */
  ofLabel(name: string): string {
    return this.#short('label', name);
  }

  ofId(id: string): string {
    return `id-${this.#digest('id', id, ID_LENGTH)}`;
  }

  /** Forgets what was given, for another journal: a collision depends on what is there. */
  clear(): void {
    this.#given.clear();
    this.#taken.clear();
  }

  #short(kind: Kind, name: string): string {
    const known = this.#given.get(`${kind} ${name}`);
    if (known !== undefined) return known;
    let length = SHORTEST;
    const next = () => `${kind}-${this.#digest(kind, name, length++)}`;
    let pseudonym = next();
    while (this.#taken.has(pseudonym)) pseudonym = next();
    this.#taken.add(pseudonym);
    this.#given.set(`${kind} ${name}`, pseudonym);
    return pseudonym;
  }

  #digest(kind: Kind, name: string, length: number): string {
    const bytes = createHmac('sha256', this.#seed).update(`${kind} ${name}`).digest();
    return Array.from(bytes.subarray(0, length), (byte) => ALPHABET[byte % 32]).join('');
  }
}
