/** Which fills can belong to one position. */
import type { Fill } from '../../journal-write/fills.ts';

/** The same for fills of one account and instrument: of another market or currency it is another instrument. */
export function instrumentKey(fill: Fill, symbol = fill.symbol): string {
  return JSON.stringify([fill.account, symbol, fill.market, fill.currency]).toLowerCase();
}
