/** Words with a meaning in a format: sides, actions, order types. An unknown word is an error, never a guess. */
import { type Cell, cellError } from './columns.ts';

/**
 * Meaning of a word, regardless of case and of spaces, _ or - between words.
 * @param words meanings by word, as shown in messages
 * @throws RowError that lists the known words
 */
export function wordIn<T>(cell: Cell, words: Readonly<Record<string, T>>): T {
  const meaning = knownWord(cell, words);
  if (meaning !== undefined) return meaning;
  throw cellError(cell, `must be one of ${Object.keys(words).join(', ')}`);
}

/** The same; undefined for an unknown word. */
export function knownWord<T>(cell: Cell, words: Readonly<Record<string, T>>): T | undefined {
  const wanted = plain(cell.text);
  return Object.entries(words).find(([word]) => plain(word) === wanted)?.[1];
}

/** Inverts words listed by meaning: comma-separated, in one text or several. */
export function byMeaning<M extends string>(
  words: Readonly<Record<M, string | readonly string[]>>,
): Readonly<Record<string, M>> {
  const pairs = (Object.entries(words) as [M, string | readonly string[]][]).flatMap(([meaning, texts]) =>
    [texts].flat().flatMap((text) => text.split(', ').map((word) => [word, meaning] as const)),
  );
  return Object.fromEntries(pairs);
}

const SIDES = {
  Buy: 'buy',
  Sell: 'sell',
  Bought: 'buy',
  Sold: 'sell',
  B: 'buy',
  S: 'sell',
  BOT: 'buy',
  SLD: 'sell',
} as const;

/**
 * The side of a fill.
 * @param more words of the format, such as BC and SS
 * @throws RowError for an unknown word
 */
export function sideIn(cell: Cell, more: Readonly<Record<string, 'buy' | 'sell'>> = {}): 'buy' | 'sell' {
  return wordIn(cell, { ...SIDES, ...more });
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
}
