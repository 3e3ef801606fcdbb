/** The lens of a key: which accounts it shows, from which day on, and what it hides of them. */
import { nearest, UsageError } from '../errors.ts';
import { isDate } from '../time.ts';

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
