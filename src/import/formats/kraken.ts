/** Kraken's trades: one fill per row, in UTC, with fees in the quote currency. */
import { type Cell, orNothing } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { optional } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';

export const kraken = fillsTable({
  name: 'kraken',
  description: 'Kraken: Documents > Export > Trades (trades.csv)',
  evidence: 'real files',
  hasUniqueIds: true,
  marks: ['txid', 'ordertxid', 'pair', 'vol'],
  table: readFilledCsv,
  columns: {
    execution_id: 'txid',
    order_id: optional('ordertxid'),
    symbol: 'pair',
    executed_at: 'time',
    side: 'type',
    quantity: 'vol',
    price: 'price',
    fees: { column: 'fee', optional: 'cells' },
    margin: { column: 'margin', optional: true },
  },
  dates: rewrittenOrder,
  zone: (_, { timeZone }) =>
    timeZone === undefined
      ? { zone: 'UTC', note: "this format has no time zone; using UTC, Kraken's own" }
      : { zone: timeZone },
  instrument: ({ symbol }) => coins(symbol.text, quoteIn(symbol)),
  // A sell on margin may open a short.
  row: ({ margin }) => ({ mayShort: margin !== undefined && (orNothing(margin, numberIn) ?? 0) > 0 }),
});

/** XLTCZEUR: older names prefix coins with X and currencies with Z. No pair is in TUSD or BUSD. */
function quoteIn(pair: Cell): string {
  const [, currency, coin] = /^X[A-Z]{3}(?:Z([A-Z]{3})|X([A-Z]{3}))$/.exec(pair.text) ?? [];
  const quote = currency ?? coin ?? quoteOf(pair, (own) => own !== 'TUSD' && own !== 'BUSD');
  return quote === 'XBT' ? 'BTC' : quote;
}
