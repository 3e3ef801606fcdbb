/** Rules for skipping rows, with reasons. */
import { quote, RowErrors } from '../../errors.ts';
import { skip } from '../fills/reading.ts';

/** Rows with one of these words in a column, or with any other word. */
export interface SkipRule {
  column: string;
  is?: readonly string[] | undefined;
  not?: readonly string[] | undefined;
  /** start: cells begin with these. */
  match?: 'start' | undefined;
  reason?: string | undefined;
}

/**
 * @param textOf returns the text of a column's cell
 * @returns a function from a row to the reason for skipping it; undefined if it stays
 */
export function skipper<R>(
  rules: readonly SkipRule[],
  textOf: (row: R, column: string) => string,
): (row: R) => string | undefined {
  const sets = rules.map(({ column, is, not, match, reason }) => ({
    column,
    is: is && hasWord(is, match),
    not: not && hasWord(not, match),
    reason,
  }));
  return (row) => {
    for (const { column, is, not, reason } of sets) {
      const text = textOf(row, column);
      const word = plain(text);
      if (!(is?.(word) || (not && !not(word)))) continue;
      return (
        reason ??
        (word === '' ? `row without ${column}` : `row with ${column} ${quote(text)}`)
      );
    }
    return undefined;
  };
}

/** Whether a text is one of the words, or begins with one. */
function hasWord(
  words: readonly string[],
  match: 'start' | undefined,
): (text: string) => boolean {
  const known = new Set(words.map(plain));
  return match === 'start'
    ? (text) => [...known].some((word) => text.startsWith(word))
    : (text) => known.has(text);
}

export function plain(word: string): string {
  return word.trim().toLowerCase();
}

/**
 * Reads each row that isn't skipped, and counts skipped rows by reason.
 * @param take takes a row for another use, with the reason to skip it; returns whether it
 * does
 * @throws RowError with the errors of all rows
 */
export function readEach<R, T>(
  rows: Iterable<R>,
  skipped: Map<string, number>,
  reasonOf: (row: R) => string | undefined,
  read: (row: R) => T,
  take: (row: R, reason: string) => boolean | undefined = () => false,
): T[] {
  const items: T[] = [];
  const errors = new RowErrors();
  for (const row of rows) {
    const reason = reasonOf(row);
    if (reason === undefined) errors.try(() => items.push(read(row)));
    else if (errors.try(() => take(row, reason)) === false) skip(skipped, reason);
  }

  errors.refuse();
  return items;
}
