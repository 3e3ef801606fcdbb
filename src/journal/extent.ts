import { type Reader, TEXT } from '../sqlite/reader.ts';
import { ZoneClock } from '../time.ts';
import type { User } from './journal.ts';
import type { ListResource } from './resource.ts';
import { storedInstant } from './stored-value.ts';

/** The first and last day of a list, in the user's time zone; null if it is empty. */
export function extentOf(reader: Reader, user: User, resource: ListResource): { first: string; last: string } | null {
  const end = (direction: 'ASC' | 'DESC') =>
    reader.get(
      `SELECT ${resource.orderBy} AS at FROM ${resource.source} WHERE user_id = ${TEXT} ORDER BY ${resource.orderBy} ${direction} LIMIT 1`,
      user.id,
    )?.['at'] as string | undefined;
  const first = end('ASC');
  const last = end('DESC');
  if (first === undefined || last === undefined) return null;
  if (resource.orderKind === 'date') return { first, last };
  const clock = new ZoneClock(user.timezone);
  return { first: clock.dateOf(storedInstant(first)), last: clock.dateOf(storedInstant(last)) };
}
