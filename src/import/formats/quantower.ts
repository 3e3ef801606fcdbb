/** Quantower's Trades panel: fills with P&L. Fees may have either sign, detected by the net P&L. */
import { byMeaning, type Cell, idIn, orNothing, wordIn } from '../parse/columns.ts';
import { cfd, coins, forexPair, future, type Instrument, optionOf, stock } from '../parse/instruments.ts';
import { moneyIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { type DateOrder, dateOrderOf } from '../parse/times.ts';
import { optional } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';

const KINDS = byMeaning({
  future: 'Futures, Future',
  stock: 'Equities, Equity, Stock, Stocks, ETF',
  forex: 'Forex',
  crypto: 'Crypto, Spot',
  cfd: 'CFD, Indexes',
  option: 'Options, Option',
});

export const quantower = fillsTable({
  name: 'quantower',
  description: 'Quantower: Trades panel, Export (CSV): fills with fees',
  evidence: 'samples',
  marks: ['Symbol type', ['Trade ID', 'TradeID', 'ID'], 'Order ID', 'Side'],
  columns: {
    account: 'Account',
    executed_at: ['Date/Time', 'Date / Time', 'Time'],
    symbol: 'Symbol',
    kind: ['Symbol type', 'SymbolType', 'Type'],
    side: 'Side',
    size: ['Quantity', 'Qty'],
    price: { column: 'Price', read: plainPriceIn },
    execution_id: { column: ['Trade ID', 'TradeID', 'ID'], read: idIn },
    order_id: optional('Order ID'),
    fees: { column: ['Fee', 'Fees'], optional: true, read: moneyIn },
    gross_pnl: { column: ['Gross P/L', 'Gross P&L'], optional: true, read: moneyIn },
    net_pnl: { column: ['Net P/L', 'Net P&L'], optional: true, read: moneyIn },
    expiration: { column: 'Expiration date', optional: true },
    strike: { column: 'Strike price', optional: true },
    option_type: { column: ['Option type', 'Put/Call'], optional: true },
    underlying: { column: ['Underlier', 'Underlying'], optional: true },
  },
  dates: (times) => dateOrderOf(times.map(({ text }) => text)),
  instrument: (cells, { order }) => instrumentOf(cells, order),
  mayShort: true,
  row: ({ size }, { side }) => ({
    // Sold quantities may have a minus.
    quantity: positiveIn(side === 'buy' ? size : { ...size, text: size.text.replace(/^[-−]/, '') }),
  }),
  end: (fills, { rows }) =>
    rows().some(isFeeNegative) ? { fills: fills.map((own) => ({ ...own, fees: 0 - own.fees })) } : {},
});

/** Whether costs have a minus: then net P&L is gross plus fee. */
function isFeeNegative(cells: Record<'fees' | 'gross_pnl' | 'net_pnl', Cell | undefined>): boolean {
  const amount = (cell: Cell | undefined) => orNothing(cell, moneyIn) ?? 0;
  const cost = amount(cells.fees);
  const rest = amount(cells.gross_pnl) + cost - amount(cells.net_pnl);
  return cost < 0 && (cells.net_pnl === undefined || Math.abs(rest) < 0.0051);
}

type Cells = Record<'symbol' | 'kind', Cell> &
  Record<'expiration' | 'strike' | 'option_type' | 'underlying', Cell | undefined>;

function instrumentOf(
  { symbol, kind, expiration, strike, option_type: optionType, underlying }: Cells,
  order: DateOrder,
): Instrument {
  const name = symbol.text;
  const market = wordIn(kind, KINDS);
  if (market === 'future') return future(name);
  if (market === 'stock') return stock(name);
  if (market === 'crypto') return coins(name, /USDT$/.test(name) ? 'USDT' : 'USD');
  if (market === 'forex') return forexPair(name) ?? cfd(name, 'USD');
  if (market === 'cfd') return cfd(name, 'USD');
  const missing = (column: string): Cell => ({ text: '', column, line: symbol.line });
  const ends = expiration ?? missing('Expiration date');
  const at = strike ?? missing('Strike price');
  const type = optionType ?? missing('Option type');
  const day = { ...ends, text: ends.text.split(' ')[0] ?? '' };
  return optionOf({ underlying: underlying?.text || name, expiration: day, strike: at, type }, order);
}
