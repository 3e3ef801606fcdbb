/** Value of a field by its cells: nothing, the meaning of a word, or the value read. */
import { type Cell, orNothing } from '../parse/columns.ts';
import { plain } from './skip-rules.ts';

interface FieldSource<T> {
  /** Further words for an empty cell, besides - and n/a. */
  empty?: readonly string[] | undefined;
  /** Meaning of a cell's word; undefined for any other text. */
  meaningOf?: ((cell: Cell) => T | undefined) | undefined;
  /** @throws RowError if the cells can't be read */
  read: (cells: readonly Cell[]) => T;
  /** Combines the meanings of several cells. */
  join?: (meanings: T[]) => T;
}

/** @returns a function from a row's cells to their value; undefined if they are empty */
export function fieldOf<T>(source: FieldSource<T>): (cells: readonly Cell[]) => T | undefined {
  const { empty = [], meaningOf, read, join = ([first]) => first as T } = source;
  const nothing = new Set(empty.map(plain));
  return (all) => {
    const cells = all.filter((cell) => orNothing(cell, ({ text }) => !nothing.has(plain(text))) === true);
    if (cells.length === 0) return undefined;
    const meanings = meaningOf ? cells.map(meaningOf) : [];
    const isKnown = meanings.length > 0 && meanings.every((meaning) => meaning !== undefined);
    return isKnown ? join(meanings as T[]) : read(cells);
  };
}

/** negate: costs are written with a minus; absolute: with either sign. */
export type Sign = 'negate' | 'absolute';

export function signed<T>(value: T, sign: Sign | undefined): T | number {
  if (typeof value !== 'number' || sign === undefined) return value;
  return sign === 'absolute' ? Math.abs(value) : 0 - value;
}
