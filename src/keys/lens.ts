/**
 * The lens of a key: which accounts it shows, from which day on, and what it hides of
 * them.
 */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { nearest, UsageError } from '../errors.ts';
import { foldCase } from '../sqlite/functions.ts';
import { isDate } from '../time.ts';

// What a key that hides symbols shows in place of them: pseudonyms by HMAC under the
// key's own seed, the same for as long as the key and its successors live. Without the
// seed a guessed symbol can't be checked.

type Kind = 'sym' | 'label' | 'id';

/** Without letters and digits that are easily confused. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * Characters of 5 bits. A journal has few symbols and labels, of which no two get one
 * pseudonym; and many ids, which are longer.
 */
const SHORTEST = 6;
const ID_LENGTH = 13;

const SYMBOL = /^sym-[a-kmnp-z2-9]{6,}$/i;
const ID = /^id-[a-kmnp-z2-9]{13}$/;
export const EXAMPLE_SYMBOL = 'sym-k3v9qd';

/**
 * Whether a text may be the pseudonym of a symbol or an id; only the journal has those
 * that are.
 */
export const isSymbolPseudonym = (text: string) => SYMBOL.test(text);
export const isIdPseudonym = (text: string) => ID.test(text);

/** Entries of a memo, before those not used since half as many are forgotten. */
const MOST_KNOWN = 20_000;

export class Memo<T> {
  #recent = new Map<string, T>();
  #older = new Map<string, T>();

  get(name: string): T | undefined {
    const value = this.#recent.get(name);
    if (value !== undefined) return value;
    const older = this.#older.get(name);
    if (older !== undefined) this.set(name, older);
    return older;
  }

  set(name: string, value: T): T {
    if (this.#recent.size >= MOST_KNOWN / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(name, value);
    return value;
  }
}

export class Pseudonyms {
  readonly #key: KeyObject;
  /** Longer pseudonyms of symbols whose shortest one another symbol has. */
  readonly #longer = new Map<string, string>();
  readonly #symbols = new Memo<string>();
  readonly #labels = new Memo<string>();
  readonly #labelOf = new Memo<string>();
  /** The id of a pseudonym; null if none has it. */
  readonly #ids = new Memo<string | null>();

  /**
   * @param symbols all symbols of the journal, each in the one spelling that all its
   * spellings share
   */
  constructor(seed: Buffer, symbols: Iterable<string> = []) {
    this.#key = createSecretKey(seed);
    const alike = Map.groupBy(symbols, (name) => this.#digest('sym', name, SHORTEST));
    for (const names of alike.values()) {
      if (names.length === 1) continue;
      // In an order that doesn't depend on the names.
      const all = names
        .map((name) => [this.#digest('sym', name, 32), name] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [i, [, name]] of all.entries())
        this.#longer.set(name, this.#pseudonym('sym', name, SHORTEST + i));
    }
  }

  ofSymbol(symbol: string): string {
    return (
      this.#symbols.get(symbol) ??
      this.#symbols.set(symbol, this.#ofFolded(foldCase(symbol)))
    );
  }

  #ofFolded(name: string): string {
    return this.#longer.get(name) ?? this.#pseudonym('sym', name, SHORTEST);
  }

  /** @param isHidden whether the label has a pseudonym; otherwise it is shown itself */
  ofLabel(label: string, isHidden: (label: string) => boolean): string {
    return (
      this.#labels.get(label) ??
      this.#labels.set(label, isHidden(label) ? this.#short(foldCase(label)) : label)
    );
  }

  /** A label whose shortest pseudonym another label has gets a longer one. */
  #short(name: string): string {
    for (let length = SHORTEST; ; length++) {
      const pseudonym = this.#pseudonym('label', name, length);
      if ((this.#labelOf.get(pseudonym) ?? this.#labelOf.set(pseudonym, name)) === name)
        return pseudonym;
    }
  }

  ofId(id: string): string {
    const pseudonym = this.#pseudonym('id', id, ID_LENGTH);
    this.#ids.set(pseudonym, id);
    return pseudonym;
  }

  /**
   * The id of a pseudonym that was given lately; null if none has it, undefined if
   * unknown.
   */
  idOf(pseudonym: string): string | null | undefined {
    return this.#ids.get(pseudonym);
  }

  noteAbsent(pseudonym: string): void {
    this.#ids.set(pseudonym, null);
  }

  #pseudonym(kind: Kind, name: string, length: number): string {
    return `${kind}-${this.#digest(kind, name, length)}`;
  }

  #digest(kind: Kind, name: string, length: number): string {
    const digest = createHmac('sha256', this.#key)
      .update(`${kind} ${name}`)
      .digest()
      .subarray(0, length);
    // Not joined: V8 would keep a text of parts, which is slow to look up.
    return Buffer.from(digest.map((byte) => ALPHABET.charCodeAt(byte % 32))).toString(
      'latin1',
    );
  }
}

/**
 * What a key may hide: amounts and quantities; what people wrote; what is traded, with
 * these and prices.
 */
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
  if (typeof value !== 'object' || value === null) return false;
  const { accounts, since, hides, ...others }: Partial<Record<keyof Lens, unknown>> =
    value;
  const isName = (name: unknown) => typeof name === 'string' && name !== '';

  return (
    Object.keys(others).length === 0 &&
    (accounts === null ||
      (Array.isArray(accounts) && accounts.length > 0 && accounts.every(isName))) &&
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

/** The options of a lens. */
export interface TypedLens {
  accounts?: string;
  since?: string;
  hide?: string;
}

/**
 * A lens as typed.
 * @returns null if it hides nothing
 * @throws UsageError
 */
export function typedLens({ accounts, since, hide }: TypedLens): Lens | null {
  const names = accounts?.split(',').map((name) => name.trim()) ?? null;
  if (names?.includes(''))
    throw new UsageError(
      '--accounts takes names separated by commas, such as main,swing',
    );
  if (names && names.length > MAX_ACCOUNTS)
    throw new UsageError(`--accounts takes at most ${MAX_ACCOUNTS} names`);
  if (since !== undefined && !isDate(since))
    throw new UsageError(
      `--since takes a day such as 2026-01-01; got "${since.slice(0, 60)}"`,
    );

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

/**
 * What a key shows, for people: "trades of the accounts main and swing since 2026-01-01,
 * without money and texts".
 */
export function lensInWords(lens: Lens | null): string {
  if (!lens) return SHOWS_ALL;

  const { accounts, since, hides } = lens;
  const listed = (items: readonly string[]) =>
    new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items);
  const names = accounts && listed(accounts);
  const what =
    names === null
      ? SHOWS_ALL
      : `trades of the account${accounts?.length === 1 ? '' : 's'} ${names}`;
  const records = since === null ? what : `${what} since ${since}`;
  if (hides.length === 0) return records;

  const isPseudonymous = hides.includes('symbols');
  const lacks = isPseudonymous
    ? [...hides.filter((name) => name !== 'symbols'), 'prices']
    : hides;
  return `${records}, without ${listed(lacks)}${isPseudonymous ? ', with pseudonyms for symbols and ids' : ''}`;
}
