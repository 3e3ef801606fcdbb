/** Times of a table: the order of its dates and their zone. */

import type { Cell } from '../parse/columns.ts';
import type { MoneyStyle } from '../parse/numbers.ts';
import { assumedZone, DAYS_ONLY, type DateOrder, dayStartIn, instantIn } from '../parse/times.ts';
import { type DateFormat, isDay, timeIn } from './dates.ts';
import type { Columns, TableDeclaration, Zone } from './declaration.ts';
import type { ReadContext } from './format.ts';

export interface Clock {
  order: DateOrder;
  instantIn(cell: Cell): string;
  /** Notes for the user, once all times are read. */
  notes(): string[];
}

const TIME_OF_DAY = /\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?/i;

/** @param times cells with times, of all rows */
export function clockOf<C extends Columns>(
  { dates, daysOnly = false, zone: own }: Pick<TableDeclaration<C>, 'dates' | 'daysOnly' | 'zone'>,
  times: readonly Cell[],
  { column, style, context, text = '' }: { column: string; style: MoneyStyle; context: ReadContext; text?: string },
): Clock {
  const found = typeof dates === 'function' ? dates(times, style) : dates;
  const { order, notes } = typeof found === 'object' && 'order' in found ? found : { order: found, notes: [] };
  const formats = [order].flat();
  const usual = formats.find(isDateOrder) ?? 'ymd';
  const isDated = formats.every(isDateOrder);
  const stated = typeof own === 'string' ? { zone: own } : own?.(column, context, text);
  const { zone, offset, note }: Zone = stated ?? assumedZone(context);
  // A stated zone is always noted, an assumed one only if it was needed.
  let isNoted = stated !== undefined;
  return {
    order: usual,
    instantIn(cell) {
      const whole = offset === undefined ? cell : { ...cell, text: cell.text.replace(TIME_OF_DAY, `$&${offset}`) };
      // A day isn't a time, nor a time a day.
      if (isDated && !daysOnly && isDay(whole.text)) return instantIn(whole, usual, zone);
      const { instant, isDayOnly, isZoned } = timeIn(whole, formats, zone);
      if (isDated && daysOnly && !isDayOnly) return dayStartIn(whole, usual, zone);
      isNoted ||= isZoned;
      return instant;
    },
    notes: () => [...(note !== undefined && isNoted ? [note] : []), ...notes, ...(daysOnly ? [DAYS_ONLY] : [])],
  };
}

function isDateOrder(format: DateFormat): format is DateOrder {
  return format === 'ymd' || format === 'mdy' || format === 'dmy';
}

/** The offset in the name of a column or file, such as +02:00 in Date(UTC+2); also in Date(UTC) and (UTC--6). */
export function statedOffset(name: string): string | undefined {
  const parts = /\(UTC(?:-?([-+])(\d\d?)(?::?(\d\d))?)?\)/.exec(name);
  if (!parts) return undefined;
  const [, sign = '+', hours = '00', minutes = '00'] = parts;
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}
