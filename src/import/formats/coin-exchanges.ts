/** Exchanges of coins with one fill or order per row: KuCoin, MEXC, Bitvavo. */
import { roundMoney } from '../../money.ts';
import { isTimeZone } from '../../time.ts';
import { type Cell, cellError, joined, orNothing } from '../parse/columns.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { amountIn, numberIn } from '../parse/numbers.ts';
import { instantIn } from '../parse/times.ts';
import { statedOffset, type Zone } from '../table/clock.ts';
import { mayBeEmpty, optional } from '../table/declaration.ts';
import { feePaidIn, fillsTable } from '../table/fills.ts';

/** The traded coin of a pair such as BTC-USDT, BTC_USDT, BTC/USDT and BTCUSDT. */
function coinOf(pair: string, currency: string): string {
  return pair.slice(0, pair.length - currency.length).replace(/[-/_]$/, '');
}

/** The zone in the name of the time's column. */
function zoneOf(column: string): Zone | undefined {
  const offset = statedOffset(column);
  return offset === undefined ? undefined : { zone: 'UTC', offset };
}

// KuCoin: orders or their fills, as today and until 2022; fills of 2022; fills of 2019.

export const kucoin = fillsTable({
  name: 'kucoin',
  description: 'KuCoin: Orders > Spot orders or trade history, exported as CSV; Order Splitting has each fill',
  evidence: 'samples',
  mayStateOrders: true,
  marks: [['Avg. Filled Price', 'FilledPrice'], ['Filled Amount', 'AmountCoin'], 'Side', 'Fee'],
  otherMarks: ['tradeCreatedAt', 'symbol', 'side', 'funds', 'feeCurrency'],
  columns: {
    account: optional('UID'),
    kind: optional('Account Type'),
    order_id: optional(['Order ID', 'orderId']),
    execution_id: optional('tradeId'),
    ordered: { column: 'Order Time', like: /^Order Time\b/, optional: true },
    executed_at: { column: 'Filled Time(UTC)', like: /^(?:Filled Time\b.*|Time|tradeCreatedAt)$/ },
    symbol: ['Symbol', 'Pair'],
    side: 'Side',
    quantity: ['Filled Amount', 'Amount', 'size'],
    price: ['Avg. Filled Price', 'FilledPrice', 'price'],
    fee: { column: 'Fee', optional: 'cells' },
    fee_currency: { column: ['Fee Currency', 'FeeCoin', 'feeCurrency'], optional: 'cells' },
    tax: optional('Tax'),
    status: optional('Status'),
    role: optional('Maker/Taker'),
  },
  dates: 'ymd',
  zone: zoneOf,
  skip: ({ quantity, status }) =>
    orNothing(quantity, numberIn) ? undefined : `${status?.text.toLowerCase() || 'unfilled'} order`,
  instrument: ({ symbol }) => coins(symbol.text, quoteOf(symbol)),
  row({ fee, fee_currency, kind, ordered, role }, { instrument, orderId, executionId }) {
    const { symbol, currency } = instrument;
    return {
      // A row of an order, or of one of its fills, which have a role.
      executionId: ordered && !role ? (orderId ?? null) : executionId,
      mayShort: /margin/i.test(kind?.text ?? ''),
      ...feePaidIn(fee_currency.text, orNothing(fee, numberIn) ?? 0, { currency, coin: coinOf(symbol, currency) }),
    };
  },
  end: (_, file) => ({ notes: taxNote(file.rows().flatMap(({ tax }) => tax ?? [])) }),
  allCosts: true,
});

/** The file doesn't name the currency of the taxes. */
function taxNote(cells: readonly Cell[]): string[] {
  const total = roundMoney(cells.reduce((sum, cell) => sum + (orNothing(cell, numberIn) ?? 0), 0));
  return total === 0 ? [] : [`taxes of ${total}, in a currency that the file doesn't name, are excluded from figures`];
}

// MEXC's spot trades: the fee with its coin.

export const mexc = fillsTable({
  name: 'mexc',
  description: 'MEXC: Orders > Spot orders > Trade history, exported (CSV or xlsx)',
  evidence: 'samples',
  marks: [
    ['Pairs', 'Paare'],
    ['Executed Amount', 'Ausgeführter Betrag'],
    ['Filled Price', 'Gefüllter Preis'],
    ['Role', 'Rolle'],
  ],
  columns: {
    account: optional('UID'),
    symbol: ['Pairs', 'Paare'],
    executed_at: { column: ['Time', 'Zeit'], like: /^(?:Time|Zeit) ?\(/ },
    side: { column: ['Side', 'Seite'], words: { Buy: 'buy', Sell: 'sell', Kaufen: 'buy', Verkaufen: 'sell' } },
    price: ['Filled Price', 'Gefüllter Preis'],
    quantity: ['Executed Amount', 'Ausgeführter Betrag'],
    fee: { column: ['Fee', 'Gebühr'], optional: 'cells' },
  },
  dates: 'ymd',
  zone: zoneOf,
  instrument: ({ symbol }) => coins(symbol.text, quoteOf(symbol)),
  row({ fee }, { instrument: { symbol, currency } }) {
    const coin = coinOf(symbol, currency);
    if (/^0(?:\.0*)?$/.test(fee.text)) return {};
    const paid = orNothing(fee, (cell) => amountIn(cell, {}, [coin, currency]));
    return paid ? feePaidIn(paid.currency, paid.amount, { currency, coin }) : {};
  },
  allCosts: true,
});

// Bitvavo: trades among deposits and rewards. Each row names the zone of its time.

/** Types without a trade; some state the price of the day. */
const OTHER_ROWS =
  /staking|deposit|withdrawal|rebate|affiliate|incentive|transfer|assigned|reward|distribution|airdrop/i;

export const bitvavo = fillsTable({
  name: 'bitvavo',
  description: 'Bitvavo: Account > Transaction history, as CSV',
  evidence: 'samples',
  hasUniqueIds: true,
  marks: ['Timezone', 'Type', 'Quote Currency', 'Quote Price', 'Fee currency', 'Status'],
  columns: {
    zone: 'Timezone',
    date: 'Date',
    executed_at: { column: 'Time', day: 'date' },
    side: 'Type',
    coin: 'Currency',
    quantity: { column: 'Amount', text: (text) => text.replace(/^-/, '') },
    currency: 'Quote Currency',
    price: 'Quote Price',
    fee: { column: 'Fee amount', optional: 'cells' },
    fee_currency: mayBeEmpty('Fee currency'),
    status: 'Status',
    execution_id: 'Transaction ID',
  },
  dates: 'ymd',
  zone: () => ({ zone: 'UTC' }),
  skip({ side, currency, price, status }) {
    if (/^(?:cancell?ed|rejected|failed|expired)$/i.test(status.text))
      return `${status.text.toLowerCase()} transaction`;
    // A trade without a price is an error.
    if (/^(?:buy|sell)$/i.test(side.text)) return undefined;
    return OTHER_ROWS.test(side.text) || (currency.text === '' && price.text === '')
      ? side.text.toLowerCase()
      : undefined;
  },
  instrument: ({ coin, currency }) => coins(`${coin.text}-${currency.text}`, currency.text),
  row({ zone, date, executed_at, fee, fee_currency, coin, currency }) {
    if (!isTimeZone(zone.text)) throw cellError(zone, 'must be a time zone, such as Europe/Amsterdam');
    const pair = { currency: currency.text, coin: coin.text };
    return {
      executedAt: instantIn(joined(date, executed_at), 'ymd', zone.text),
      ...feePaidIn(fee_currency.text, orNothing(fee, numberIn) ?? 0, pair),
    };
  },
  allCosts: true,
});
