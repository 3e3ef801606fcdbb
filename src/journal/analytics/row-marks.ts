/** Warnings about rows of groups: what looks like a finding, but is none. */
import { foldCase } from '../../sqlite/functions.ts';
import { type Dimension, factsOfDimension, type Key } from './dimensions.ts';
import { LEAST_TRADES, type Row } from './sample.ts';
import type { Tally } from './tally.ts';

type Counts = Pick<Tally, 'trades' | 'wins' | 'losses'>;

const NEARLY_ALL = 0.95;
const MOST_OF_OTHERS = 0.7;

/** Whether nearly all trades of a row win, or lose, and those outside of it don't. */
export function isByDefinition(row: Counts, all: Counts): boolean {
  const others = all.trades - row.trades;
  if (row.trades < LEAST_TRADES || others === 0) return false;

  return (['wins', 'losses'] as const).some(
    (sign) =>
      row[sign] >= NEARLY_ALL * row.trades &&
      all[sign] - row[sign] < MOST_OF_OTHERS * others,
  );
}

/** Two rows share at least this part of the trades of the larger one. */
const SHARED = 0.9;

/** Maximum trades compared, so that rows with all trades take no longer. */
const MOST_COMPARED = 20_000_000;

/** Other rows with nearly the same trades, by the key of each row of one dimension. */
export function sameTrades(rows: readonly Row[]): Map<Key, string[]> {
  const same = new Map<Key, string[]>();
  let left = MOST_COMPARED;

  for (const [i, row] of rows.entries()) {
    for (let j = i + 1; j < rows.length; j++) {
      const other = rows[j] as Row;
      if (left-- < 0) return same;
      const [small, large] = [row.members, other.members].sort(
        (a, b) => a.length - b.length,
      );
      if (!small || !large || small.length < SHARED * large.length) continue;
      left -= small.length + large.length;
      if (sharedOf(small, large) < SHARED * large.length) continue;

      const [key, otherKey] = [row.keys[0] as Key, other.keys[0] as Key];
      same.set(key, [...(same.get(key) ?? []), String(otherKey)]);
      same.set(otherKey, [...(same.get(otherKey) ?? []), String(key)]);
    }
  }

  return same;
}

/** Number of trades in both. @param a in their order, as b */
function sharedOf(a: Int32Array, b: Int32Array): number {
  let [shared, at] = [0, 0];
  for (const trade of a) {
    while ((b[at] as number) < trade) at++;
    if (b[at] === trade) shared++;
  }
  return shared;
}

/**
 * Labels in the trader's words: those of others, such as symbols, may well be one letter
 * apart.
 */
const IN_OWN_WORDS = [
  'setup',
  'tag',
  'mistake',
  'emotion',
  'rule',
  'mood',
  'strategy',
  'condition',
  'bias',
] satisfies readonly Dimension[];

const SHORTEST = 5;
const TIMES = 10;
/** Maximum frequent labels compared, and maximum sentences. */
const MOST_FREQUENT = 200;
const MOST_SENTENCES = 3;

/** A label and its number of trades. */
type Counted = readonly [label: Key, trades: number];

/** Sentences about rare labels that differ from a frequent one in a letter. */
export function misspeltLabels(
  dimension: Dimension,
  labels: readonly Counted[],
): string[] {
  if (!IN_OWN_WORDS.some((name) => name === dimension)) return [];

  const known = labels
    .flatMap(([key, trades]) =>
      typeof key === 'string' && key.length >= SHORTEST ? [{ key, trades }] : [],
    )
    .sort((a, b) => b.trades - a.trades || (a.key < b.key ? -1 : 1));
  const frequent = known.slice(0, MOST_FREQUENT);
  const sentences: string[] = [];

  for (const { key, trades } of known) {
    const meant = frequent.find(
      (other) => other.trades >= TIMES * trades && isLetterApart(key, other.key),
    );
    if (!meant) continue;
    sentences.push(
      `The ${dimension} "${key}" (${trades}) is one letter from "${meant.key}" (${meant.trades}).`,
    );
    if (sentences.length === MOST_SENTENCES) break;
  }

  return sentences;
}

/** Whether two texts differ in one letter that is missing, added or another one. */
function isLetterApart(one: string, other: string): boolean {
  const [a, b] = [foldCase(one), foldCase(other)];
  if (Math.abs(a.length - b.length) > 1) return false;

  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end++;

  const differing = [a, b].map((text) => text.slice(start, text.length - end));
  return differing.every((part) => part === '' || /^\p{L}$/u.test(part)) && a !== b;
}

/** Whether keys may be written in knowledge of the result. */
export const isHindsight = (dimension: Dimension | undefined) =>
  dimension !== undefined && factsOfDimension(dimension).isHindsight === true;
