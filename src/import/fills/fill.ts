/** A fill as the journal keeps it: the columns of the table "fills". */

import type { Trade } from '../../journal/resources/trades.ts';
import type { FileFill } from '../formats/format.ts';

export interface Fill {
  /** Format and identity: "tradovate:MESZ6:22". Of a part of an execution, with what tells it from the other parts. */
  id: string;
  /** The id that the parts of one execution share; of a whole one its own. */
  execution_id: string;
  /** Null: the whole execution. */
  part: string | null;
  platform: string;
  format: string;
  account: string | null;
  symbol: string;
  market: Trade['market'];
  currency: string;
  underlying: string | null;
  expiration: string | null;
  strike: number | null;
  option_type: 'call' | 'put' | null;
  multiplier: number;
  executed_at: string;
  kind: FileFill['kind'];
  side: 'buy' | 'sell' | null;
  quantity: number | null;
  price: number;
  fees: number;
  fee_quantity: number;
  effect: 'open' | 'close' | null;
  may_short: boolean;
  rate_base: string | null;
  rate: number | null;
  former_symbol: string | null;
}

/** The fills of one account that can belong to one position: of another currency or market it is another instrument. */
export function instrumentOf(fill: Fill, symbol = fill.symbol): string {
  return `${symbol.toUpperCase()} ${fill.market} ${fill.currency}`;
}

/** The part of fills that were adopted from a journal that held trades only. */
export const ADOPTED_PART = 'adopted';
