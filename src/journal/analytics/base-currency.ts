/** The user's base currency, the currency of all figures. */
import type { User } from '../journal.ts';

/** For descriptions of fields. */
export const IN_BASE = "in the user's base currency";

/** Value of one unit of a currency in the base currency; null if unknown. */
export function rateOf(user: User, currency: string, fxRate: number | null): number | null {
  return currency === user.base_currency ? 1 : fxRate;
}
