/** What the cells of a file say of how its program writes numbers and dates, where that follows the computer's language. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { Cell } from './columns.ts';
import type { DateOrder } from './times.ts';

/**
 * @param cells of dates, with times or without, in the order of the file
 * @param usual where nothing tells
 * @returns the order that all of them fit; where several do, the one by which the file's days run one way; else the day
 *   first where dates have points or dashes; else the usual one
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
 * The usual order for cells of a format whose dates have the year first, so that a spreadsheet wrote these: only where the
 * day comes first are there zeros before days and months below 10.
 */
export function spreadsheetOrder(cells: readonly string[]): 'dmy' | 'mdy' {
  return cells.some((text) => /^\s*(0\d|\d\d?\/0\d)/.test(text)) ? 'dmy' : 'mdy';
}

function runsOneWay(days: readonly number[]): boolean {
  const steps = days.slice(1).map((day, index) => Math.sign(day - (days[index] as number)));
  return !(steps.includes(1) && steps.includes(-1));
}

/** @param cells of numbers that aren't whole, as prices: a comma that isn't before three digits comes before decimals */
export function decimalOf(cells: readonly string[]): '.' | ',' {
  return cells.some((text) => /\d,(\d{1,2}|\d{4,})\D*$/.test(text) || /\d[. ]\d{3},\d/.test(text)) ? ',' : '.';
}

/** @param cells of numbers: whether a space of any kind sets thousands apart, as in 26 068,00; 110 045 is in 32nds */
export function hasSpaces(cells: readonly string[]): boolean {
  return cells.some((text) => /\d\s\d{3}[.,]\d/.test(text));
}

/** What the person is to know of the order that was found. */
export function orderNote(order: DateOrder): string {
  return `dates are read with the ${order === 'ymd' ? 'year' : order === 'mdy' ? 'month' : 'day'} first`;
}

/**
 * The order of days that the platform writes with the year first, and a spreadsheet may have written anew as it does.
 * @param cells of days, with times or without
 * @returns also what the person is to know
 * @throws RowError where they are written anew, and all fit the month first and the day first
 */
export function rewrittenOrder(cells: readonly Cell[]): { order: DateOrder; notes: string[] } {
  const texts = cells.map(({ text }) => text.replace(/^\d\d?:\d\d(?::\d\d)? /, ''));
  const first = texts.findIndex((text) => /^\d\d?[-/.]\d\d?[-/.]\d{4}\b/.test(text));
  if (first === -1) return { order: 'ymd', notes: [] };
  // 6/6/2026 is the same day either way.
  const telling = texts.filter((text) => !/^(\d\d?)[-/.]\1[-/.]/.test(text));
  const order = dateOrderOf(telling, 'mdy');
  const { column, line, text } = cells[first] as Cell;
  if (telling.length > 0 && order !== dateOrderOf(telling, 'dmy')) {
    throw new RowError(
      column,
      `a spreadsheet wrote the days anew, and these fit the month first and the day first; got ${quote(text)}: import the file as the platform gave it`,
      line,
    );
  }
  return { order, notes: [`a spreadsheet wrote the days anew: ${orderNote(order)}; what it left out of times is 0`] };
}

/** The order of days that a program writes as the computer's language has it, or with the year first, unless a spreadsheet wrote them anew. */
export function spreadsheetDates(cells: readonly Cell[]): { order: DateOrder; notes: string[] } {
  const texts = cells.map(({ text }) => text);
  const order = dateOrderOf(texts, spreadsheetOrder(texts));
  return { order, notes: order === 'ymd' ? [] : [orderNote(order)] };
}
