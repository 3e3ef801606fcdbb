/** The user's base currency, which the money of all figures is in. */
import type { User } from '../journal.ts';

/** For descriptions of fields. */
export const IN_BASE = "in the user's base currency";

/** What one unit of a currency is in the base currency; null where unknown. */
export function rateOf(user: User, currency: string, fxRate: number | null): number | null {
  return currency === user.base_currency ? 1 : fxRate;
}
