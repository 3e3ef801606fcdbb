/** Pairs in Freqtrade's spelling. */
import type { Cell } from '../parse/columns.ts';
import type { Instrument } from '../parse/instruments.ts';
import { coins } from '../parse/instruments.ts';
import { quoteOf } from '../parse/pairs.ts';

/** ETH/BTC, or with the settlement coin: ETH/USDT:USDT. */
export function pairOf(pair: Cell): Instrument {
  return coins(pair.text, quoteOf({ ...pair, text: pair.text.replace(/:.*/s, '') }));
}
