/** Fits the summary into 8 KB: shortens texts, then lists. */
import type { Hidden } from '../../keys/lens.ts';
import type { Row } from '../../sqlite/reader.ts';
import { projectionOf } from '../hidden-fields.ts';
import { excerpt } from './excerpt.ts';
import { MAX_ITEMS, type Summary, summaryRecord } from './summary-record.ts';

const MAX_SUMMARY_BYTES = 8000;

/** Size of a summary: characters of each text, items of each list. */
export interface Size {
  characters: number;
  items: number;
}

/** Maximum characters of a text. */
export const MAX_CHARACTERS = 240;

const SUMMARY_SIZES: readonly Size[] = [
  { characters: MAX_CHARACTERS, items: MAX_ITEMS },
  { characters: 160, items: MAX_ITEMS },
  { characters: 100, items: MAX_ITEMS },
  { characters: 60, items: MAX_ITEMS },
  { characters: 30, items: MAX_ITEMS },
  { characters: 60, items: 4 },
  { characters: 30, items: 4 },
  { characters: 60, items: 3 },
  { characters: 30, items: 3 },
  { characters: 30, items: 2 },
  { characters: 15, items: 2 },
  { characters: 15, items: 1 },
  { characters: 15, items: 0 },
];

/**
 * The summary in the first size that fits.
 * @param hides kinds of data that the key hides: their length doesn't count
 */
export function fitted(summaryAt: (size: Size) => Summary, hides: readonly Hidden[]): Summary {
  const shown = projectionOf(summaryRecord, hides) as (summary: Summary) => unknown;
  let summary: Summary | undefined;
  for (const size of SUMMARY_SIZES) {
    summary = summaryAt(size);
    if (Buffer.byteLength(JSON.stringify({ data: shown(summary) })) < MAX_SUMMARY_BYTES) break;
  }
  return summary as Summary;
}

/** A copy of a record with some texts cut. */
export function withExcerpts(record: Row, texts: readonly string[], characters: number): Row {
  const copy = { ...record };
  for (const name of texts) {
    const text = copy[name];
    if (typeof text === 'string') copy[name] = excerpt(text, characters);
  }
  return copy;
}
