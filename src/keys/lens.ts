/** The lens of a key: which accounts it shows, from which day on, and what it hides of them. */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { nearest, UsageError } from '../errors.ts';
import { isDate } from '../time.ts';

// What a key that hides symbols shows in place of them: pseudonyms by HMAC under the key's own seed, the same for as long as the key and its
// successors live. Without the seed a guessed symbol can't be checked.

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

/** What a key may hide: amounts and quantities; what people wrote; what is traded, with these and prices. */
export const HIDDEN = ['money', 'texts', 'symbols'] as const;
export type Hidden = (typeof HIDDEN)[number];

export interface Lens {
  /** Only trades of these; null for all, those without an account too. */
  accounts: readonly string[] | null;
  /** The first day, in the user's zone; null for all. */
  since: string | null;
  hides: readonly Hidden[];
}

/** By hand: zod would be a fifth of what `key list` starts with. */
function isLens(value: unknown): value is Lens {
  const { accounts, since, hides, ...others } = value as Record<string, unknown>;
  const isName = (name: unknown) => typeof name === 'string' && name !== '';
  return (
    Object.keys(others).length === 0 &&
    (accounts === null || (Array.isArray(accounts) && accounts.length > 0 && accounts.every(isName))) &&
    (since === null || (typeof since === 'string' && isDate(since))) &&
    Array.isArray(hides) &&
    hides.every((name) => HIDDEN.includes(name))
  );
}

/**
 * A stored lens; null for a key that shows everything.
 * @returns undefined for an unreadable one: such a key must show nothing
 */
export function storedLens(text: unknown): Lens | null | undefined {
  if (text === null) return null;
  try {
    const lens: unknown = JSON.parse(text as string);
    return isLens(lens) ? lens : undefined;
  } catch {
    return undefined;
  }
}

const MAX_ACCOUNTS = 50;

/**
 * A lens as typed.
 * @returns null if it hides nothing
 * @throws UsageError
 */
export function typedLens({
  accounts,
  since,
  hide,
}: {
  accounts?: string;
  since?: string;
  hide?: string;
}): Lens | null {
  const names = accounts?.split(',').map((name) => name.trim()) ?? null;
  if (names?.includes('')) throw new UsageError('--accounts takes names separated by commas, such as main,swing');
  if (names && names.length > MAX_ACCOUNTS) throw new UsageError(`--accounts takes at most ${MAX_ACCOUNTS} names`);
  if (since !== undefined && !isDate(since))
    throw new UsageError(`--since takes a day such as 2026-01-01; got "${since.slice(0, 60)}"`);
  const hides = hide === undefined ? [] : hiddenIn(hide);
  return names === null && since === undefined && hides.length === 0
    ? null
    : { accounts: names, since: since ?? null, hides };
}

function hiddenIn(text: string): Hidden[] {
  const named = text.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !(HIDDEN as readonly string[]).includes(name));
  // Texts name what is traded.
  if (named.includes('symbols')) named.push('texts');
  if (unknown === undefined) return HIDDEN.filter((name) => named.includes(name));
  const meant = nearest(unknown, HIDDEN);
  throw new UsageError(
    `--hide takes ${HIDDEN.join(', ')}, separated by commas; got "${unknown.slice(0, 60)}"${meant ? ` (did you mean ${meant}?)` : ''}`,
  );
}

export const SHOWS_ALL = 'everything';

/** What a key shows, for people: "trades of the accounts main and swing since 2026-01-01, without money and texts". */
export function lensInWords(lens: Lens | null): string {
  if (!lens) return SHOWS_ALL;
  const { accounts, since, hides } = lens;
  const listed = (items: readonly string[]) => new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items);
  const names = accounts && listed(accounts);
  const what = names === null ? SHOWS_ALL : `trades of the account${accounts?.length === 1 ? '' : 's'} ${names}`;
  const records = since === null ? what : `${what} since ${since}`;
  if (hides.length === 0) return records;
  const isPseudonymous = hides.includes('symbols');
  const lacks = isPseudonymous ? [...hides.filter((name) => name !== 'symbols'), 'prices'] : hides;
  return `${records}, without ${listed(lacks)}${isPseudonymous ? ', with pseudonyms for symbols and ids' : ''}`;
}
