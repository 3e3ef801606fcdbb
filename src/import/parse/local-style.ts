/** Detects the order of dates and the marks of numbers if a program follows the computer's language. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { Cell } from './columns.ts';
import type { DateOrder } from './times.ts';

/**
 * @param cells of dates, with times or without, in the order of the file
 * @param usual the default
 * @returns the order that fits all of them; if several do, the one in which the dates only rise or only fall; else the
 *   day first if dates have points or dashes; else the usual one
 */
export function dateOrderOf(cells: readonly string[], usual: 'dmy' | 'mdy' = 'mdy'): DateOrder {
  const dates = cells.map((text) => /^(\d{1,4})([-/.])(\d\d?)[-/.](\d+)/.exec(text.trim()));
  if (dates.some((parts) => parts?.[1]?.length === 4)) return 'ymd';
  if (dates.some((parts) => Number(parts?.[1]) > 12)) return 'dmy';
  if (dates.some((parts) => Number(parts?.[3]) > 12)) return 'mdy';
  const days = dates.map((parts) => [Number(parts?.[4]), Number(parts?.[1]), Number(parts?.[3])] as const);
  const runs = (order: 'dmy' | 'mdy') =>
    runsOneWay(
      days.map(([year, first, second]) => year * 1e4 + (order === 'mdy' ? first * 100 + second : second * 100 + first)),
    );
  if (runs('mdy') !== runs('dmy')) return runs('mdy') ? 'mdy' : 'dmy';
  if (cells.some((text) => /[AP]M\b/i.test(text))) return 'mdy';
  return dates.some((parts) => /[-.]/.test(parts?.[2] ?? '')) ? 'dmy' : usual;
}

/**
 * The usual order after a spreadsheet reformatted dates that had the year first. Only with the day first are days and
 * months below 10 padded with zeros.
 */
export function spreadsheetOrder(cells: readonly string[]): 'dmy' | 'mdy' {
  return cells.some((text) => /^\s*(0\d|\d\d?\/0\d)/.test(text)) ? 'dmy' : 'mdy';
}

function runsOneWay(days: readonly number[]): boolean {
  const steps = days.slice(1).map((day, index) => Math.sign(day - (days[index] as number)));
  return !(steps.includes(1) && steps.includes(-1));
}

/** @param cells of numbers with decimals, such as prices: a comma not followed by three digits is the decimal separator */
export function decimalOf(cells: readonly string[]): '.' | ',' {
  return cells.some((text) => /\d,(\d{1,2}|\d{4,})\D*$/.test(text) || /\d[. ]\d{3},\d/.test(text)) ? ',' : '.';
}

/** @returns whether any white space separates thousands, as in 26 068,00; 110 045 is in 32nds */
export function hasSpaces(cells: readonly string[]): boolean {
  return cells.some((text) => /\d\s\d{3}[.,]\d/.test(text));
}

/** Note for the user on the detected order. */
export function orderNote(order: DateOrder): string {
  return `dates are read with the ${order === 'ymd' ? 'year' : order === 'mdy' ? 'month' : 'day'} first`;
}

/**
 * The order of dates that the platform writes year first, unless a spreadsheet has reformatted them.
 * @param cells of dates, with times or without
 * @returns the order, and notes for the user
 * @throws RowError if they are reformatted and all fit both the month first and the day first
 */
export function rewrittenOrder(cells: readonly Cell[]): { order: DateOrder; notes: string[] } {
  const texts = cells.map(({ text }) => text.replace(/^\d\d?:\d\d(?::\d\d)? /, ''));
  const first = texts.findIndex((text) => /^\d\d?[-/.]\d\d?[-/.]\d{4}\b/.test(text));
  if (first === -1) return { order: 'ymd', notes: [] };
  // 6/6/2026 is the same day either way.
  const distinct = texts.filter((text) => !/^(\d\d?)[-/.]\1[-/.]/.test(text));
  const order = dateOrderOf(distinct, 'mdy');
  const { column, line, text } = cells[first] as Cell;
  if (distinct.length > 0 && order !== dateOrderOf(distinct, 'dmy')) {
    const problem = `reformatted by a spreadsheet: ${quote(text)} and all other dates fit both month first and day first`;
    throw new RowError(column, `${problem}; import the original file`, line);
  }
  return { order, notes: [`dates reformatted by a spreadsheet: ${orderNote(order)}; missing parts of times are 0`] };
}

/** The order of dates that a program writes in the computer's language or year first, unless a spreadsheet has reformatted them. */
export function spreadsheetDates(cells: readonly Cell[]): { order: DateOrder; notes: string[] } {
  const texts = cells.map(({ text }) => text);
  const order = dateOrderOf(texts, spreadsheetOrder(texts));
  return { order, notes: order === 'ymd' ? [] : [orderNote(order)] };
}
