/** Which rows a mapping leaves out, and why. */
import { quote } from '../../journal-write/row-error.ts';
import { plain } from './cell-values.ts';
import type { MappedRow } from './row.ts';
import type { SkipRule } from './schema.ts';

/** @returns the reason to leave a row out; undefined where it stays */
export function skipper(rules: readonly SkipRule[]): (row: MappedRow) => string | undefined {
  const sets = rules.map(({ column, is, not, match, reason }) => ({
    column,
    is: is && hasWord(is, match),
    not: not && hasWord(not, match),
    reason,
  }));
  return (row) => {
    for (const { column, is, not, reason } of sets) {
      const text = plain(textOf(row, column));
      if (!(is?.(text) || (not && !not(text)))) continue;
      return reason ?? (text === '' ? `row without ${column}` : `row with ${column} ${quote(textOf(row, column))}`);
    }
    return undefined;
  };
}

/** Whether a text is one of some words, or begins with one. */
function hasWord(words: readonly string[], match: 'start' | undefined): (text: string) => boolean {
  const known = new Set(words.map(plain));
  return match === 'start' ? (text) => [...known].some((word) => text.startsWith(word)) : (text) => known.has(text);
}

function textOf({ cells }: MappedRow, column: string): string {
  const cell = cells.get(column) ?? '';
  return typeof cell === 'string' ? cell.trim() : cell.join(', ');
}
