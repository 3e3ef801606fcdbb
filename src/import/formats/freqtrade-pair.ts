/** Pairs in Freqtrade's spelling. */
import type { Cell } from '../parse/columns.ts';
import { coins, type Instrument, quoteOf } from '../parse/instruments.ts';

/** ETH/BTC, or with the settlement coin: ETH/USDT:USDT. */
export function pairOf(pair: Cell): Instrument {
  return coins(pair.text, quoteOf({ ...pair, text: pair.text.replace(/:.*/s, '') }));
}
