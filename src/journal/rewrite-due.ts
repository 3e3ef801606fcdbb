/**
 * The mark of a journal whose free space may still hold texts that an earlier version
 * deleted.
 */
import type { Reader } from '../sqlite/reader.ts';

/** A table that such a file has, until it is rewritten. */
export const REWRITE_DUE = 'rewrite_due';

export function isRewriteDue(reader: Reader): boolean {
  return (
    reader.get(`SELECT 1 FROM sqlite_schema WHERE name = '${REWRITE_DUE}'`) !== undefined
  );
}

/** The bytes of a copy of the file and of its former pages. */
export function spaceToRewrite(reader: Reader): number {
  const { page_count: pages } = reader.only<{ page_count: number }>('PRAGMA page_count');
  const { page_size: size } = reader.only<{ page_size: number }>('PRAGMA page_size');
  return 2 * pages * size;
}
