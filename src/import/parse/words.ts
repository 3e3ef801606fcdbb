/** Words of which a format knows some: sides, actions, order types. One that nobody knows is an error, never a guess. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { Cell } from './columns.ts';

/**
 * What a word stands for; case, and whether words are apart by spaces, _ or -, make no difference.
 * @param words by the word as it is shown in messages
 * @throws RowError that lists the known ones
 */
export function wordIn<T>(cell: Cell, words: Readonly<Record<string, T>>): T {
  const meaning = knownWord(cell, words);
  if (meaning !== undefined) return meaning;
  throw new RowError(
    cell.column,
    `must be one of ${Object.keys(words).join(', ')}; got ${quote(cell.text)}`,
    cell.line,
  );
}

/** The same, undefined where the word is none of them. */
export function knownWord<T>(cell: Cell, words: Readonly<Record<string, T>>): T | undefined {
  const wanted = plain(cell.text);
  return Object.entries(words).find(([word]) => plain(word) === wanted)?.[1];
}

/** Words by what they stand for: with commas between, in one text or several. */
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
 * Whether a fill bought or sold.
 * @param more words of the format's own, such as BC and SS
 * @throws RowError where the word is none of either
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
