/** The key of fills that can belong to one position. */
import type { Fill } from '../../journal-write/fill-row.ts';

/** Equal for fills of one account and instrument; another market or currency is another instrument. */
export function instrumentKey(fill: Fill, symbol = fill.symbol): string {
  return JSON.stringify([fill.account, symbol, fill.market, fill.currency]).toLowerCase();
}
