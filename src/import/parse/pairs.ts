/** The two sides of a pair of coins or currencies. */
import { RowError } from '../../journal-write/row-error.ts';
import type { Cell } from './columns.ts';

/** What pairs are priced in, where nothing stands between the two. */
const QUOTES = [
  'FDUSD PYUSD RLUSD BUSD TUSD USDT USDC USDE DAI USD EUR GBP JPY CHF CAD AUD TRY BRL BIDR UAH PLN ZAR BTC',
  'XBT ETH BNB SOL TRX DOGE DOT',
].flatMap((names) => names.split(' '));

/**
 * What a pair is priced in: BTC-USD, ETH/BTC and ETHUSDT.
 * @throws RowError where it can't be told
 */
export function quoteOf({ text, column, line }: Cell): string {
  const apart = /^[^-/_]+[-/_]([A-Z0-9]{2,10})$/.exec(text)?.[1];
  const quote = apart ?? QUOTES.find((own) => text.endsWith(own) && text.length > own.length);
  if (quote !== undefined) return quote === 'XBT' ? 'BTC' : quote;
  throw new RowError(column, `must be a pair with what it is priced in, such as BTCUSDT; got "${text}"`, line);
}
