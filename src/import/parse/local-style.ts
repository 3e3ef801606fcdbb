/** What the cells of a file say of how its program writes numbers and dates, where that follows the computer's language. */
import type { DateOrder } from './times.ts';

/**
 * @param cells of dates, with times or without
 * @returns the order that all of them fit; where several do, the day first where dates have points, or numbers a decimal
 *   comma and no cell has AM or PM; else the month
 */
export function dateOrderOf(cells: readonly string[], decimal: '.' | ','): DateOrder {
  const dates = cells.map((text) => /^(\d{1,4})[-/.](\d\d?)[-/.]\d/.exec(text.trim()));
  if (dates.some((parts) => parts?.[1]?.length === 4)) return 'ymd';
  if (dates.some((parts) => Number(parts?.[1]) > 12)) return 'dmy';
  if (dates.some((parts) => Number(parts?.[2]) > 12) || cells.some((text) => /[AP]M\b/i.test(text))) return 'mdy';
  return decimal === ',' || cells.some((text) => /^\d+\.\d+\.\d/.test(text.trim())) ? 'dmy' : 'mdy';
}

/** @param cells of numbers that aren't whole, as prices: a comma that isn't before three digits comes before decimals */
export function decimalOf(cells: readonly string[]): '.' | ',' {
  return cells.some((text) => /\d,(\d{1,2}|\d{4,})\D*$/.test(text) || /\d[. ]\d{3},\d/.test(text)) ? ',' : '.';
}
