/** TradingView's order history of paper trading and connected brokers: filled orders, symbols with their exchange. */
import { byMeaning, idIn, wordIn } from '../parse/columns.ts';
import { forexPair, future, type Instrument } from '../parse/instruments.ts';
import { moneyIn, plainPriceIn } from '../parse/numbers.ts';
import { spreadsheetDates } from '../parse/times.ts';
import { fillsTable } from '../table/fills.ts';
import { tradingViewInstrument } from './tradingview.ts';

const STATUSES = byMeaning({
  filled: 'Filled',
  cancelled: 'Cancelled, Canceled',
  rejected: 'Rejected',
  expired: 'Expired',
  working: 'Working, Placing',
  inactive: 'Inactive',
});

export const tradingviewOrders = fillsTable({
  name: 'tradingview-orders',
  description: 'TradingView: Trading Panel, History, Export data (CSV): filled orders of paper trading or a broker',
  evidence: 'samples',
  platform: 'tradingview',
  marks: ['Symbol', 'Side', ['Fill Price', 'Avg Fill Price'], 'Closing Time', 'Order ID'],
  columns: {
    symbol: 'Symbol',
    side: 'Side',
    quantity: ['Qty', 'Filled Qty', 'Quantity'],
    price: { column: ['Fill Price', 'Avg Fill Price'], read: plainPriceIn },
    executed_at: ['Closing Time', 'Update Time', 'Time'],
    execution_id: { column: 'Order ID', read: idIn },
    status: { column: 'Status', optional: 'column' },
    fees: { column: 'Commission', optional: true, read: moneyIn },
  },
  dates: spreadsheetDates,
  skip({ status, price }) {
    const meaning = status ? wordIn(status, STATUSES) : 'filled';
    if (meaning !== 'filled') return `${meaning} order`;
    return price.text === '' ? 'unfilled order' : undefined;
  },
  instrument: ({ symbol }) => tradingViewSymbol(symbol.text),
  mayShort: true,
  row: ({ fees }) => ({ feesStated: fees !== undefined && fees.text !== '' }),
  notes: ['each order is one fill; prices are in USD unless the symbol states another currency'],
});

/** CME_MINI:NQ1!, FX_IDC:EURUSD, NASDAQ:AAPL, BINANCE:BTCUSDT.P, PLUS500:MESZ2026 */
export function tradingViewSymbol(text: string): Instrument {
  const [, exchange = '', name = text] = /^([A-Z0-9_]+):(.+)$/.exec(text) ?? [];
  const house = exchange.replace(/_(MINI|IDC|DLY|DL)$/, '');
  const coin = /(USDT|USDC|USD|EUR|BTC)(\.P)?$/.exec(name)?.[1];
  const own = tradingViewInstrument(house, name, 'USD');
  const currency = {
    future: future(name).currency,
    crypto: coin ?? 'USD',
    forex: forexPair(name)?.currency ?? 'USD',
  }[own.market as string];
  return { ...own, symbol: text, currency: currency ?? 'USD' };
}
