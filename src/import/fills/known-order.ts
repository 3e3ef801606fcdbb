/** The order of day and month under which a journal has the rows of a file already. */
import type { FillTable } from '../../import-tables/fills.ts';
import type { DayOrder } from '../parse/date-order.ts';
import type { FileFill } from './reading.ts';

/**
 * Versions before schema 9 didn't keep the order of an import's dates. If the file states a row of
 * one of those imports, it is read as that import was.
 * @param imports without an order, of the file's format
 * @param read reads the file with an order
 * @returns undefined if the journal has its rows under neither order, or under both
 */
export function orderKnownIn(
  _journal: { fills: FillTable },
  _imports: readonly number[],
  _read: (order: DayOrder) => readonly FileFill[],
): DayOrder | undefined {
  // Rows aren't matched with those of other imports yet.
  return undefined;
}
