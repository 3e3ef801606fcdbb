/** Quote currencies of pairs of coins or currencies. */
import { RowError } from '../../journal-write/row-error.ts';
import type { Cell } from './columns.ts';

/** Quote currencies of pairs without a separator. */
const QUOTES = [
  'FDUSD PYUSD RLUSD BUSD TUSD USDT USDC USDE DAI USD EUR GBP JPY CHF CAD AUD TRY BRL BIDR UAH PLN ZAR BTC',
  'XBT ETH BNB SOL TRX DOGE DOT',
].flatMap((names) => names.split(' '));

/** Coins with a last letter that turns a following USD into another coin: DOTUSD isn't DO in TUSD. */
const IN_DOLLARS = new Set(
  [
    'USDT DOT GRT BAT ANT LPT APT MNT QNT SNT OXT BNT FTT HNT GMT JST NXT HFT BIT GST FLT ACT CAT WCT LIT',
    'BNB SHIB ARB TRB ORB BOB',
  ].flatMap((names) => names.split(' ')),
);

/**
 * The quote currency of a pair: BTC-USD, ETH/BTC and ETHUSDT.
 * @param isQuote whether the platform has pairs in this currency
 * @throws RowError if it is unknown
 */
export function quoteOf({ text, column, line }: Cell, isQuote: (quote: string) => boolean = () => true): string {
  const apart = /^[^-/_]+[-/_]([A-Z0-9]{2,10})$/.exec(text)?.[1];
  const inDollars = text.endsWith('USD') && IN_DOLLARS.has(text.slice(0, -3)) ? 'USD' : undefined;
  const quote =
    apart ?? inDollars ?? QUOTES.find((own) => text.endsWith(own) && text.length > own.length && isQuote(own));
  if (quote !== undefined) return quote === 'XBT' ? 'BTC' : quote;
  throw new RowError(column, `must be a pair with a known quote currency, such as BTCUSDT; got "${text}"`, line);
}
