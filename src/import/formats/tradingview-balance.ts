/**
 * TradingView's balance history of paper trading: a line in words for each close, with
 * the entry price but not its time, and lines for commissions. The header is in the
 * chart's language, so columns are found by position.
 */

import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  currencyIn,
  idIn,
  moneyIn,
  numberIn,
  orNothing,
  plainPriceIn,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import { forexPair, future, type Instrument } from '../../parse/instruments.ts';
import { clockMs } from '../../parse/times.ts';
import { closedTrades, type RoundTrip, totalOf } from '../tables/closed-trade.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';
import { tradingViewInstrument } from './tradingview.ts';

// TradingView's order history of paper trading and connected brokers: filled orders,
// symbols with their exchange.

const STATUSES = byMeaning({
  filled: 'Filled',
  cancelled: 'Cancelled, Canceled',
  rejected: 'Rejected',
  expired: 'Expired',
  working: 'Working, Placing',
  inactive: 'Inactive',
});

const FILLED = ['Filled Qty', 'Filled Quantity', 'Fill Quantity'] as const;

export const tradingviewOrders = fillsTable({
  ...KNOWN['tradingview-orders'],
  columns: {
    symbol: 'Symbol',
    side: 'Side',
    quantity: [...FILLED, 'Qty', 'Quantity'],
    filled: optional(FILLED),
    price: { column: ['Fill Price', 'Avg Fill Price'], read: plainPriceIn },
    executed_at: {
      column: ['Closing Time', 'Close Time', 'Status Time', 'Update Time', 'Time'],
      text: withSpace,
    },
    execution_id: { column: 'Order ID', read: idIn },
    status: { column: 'Status', optional: 'column' },
    placed: { column: 'Placing Time', optional: true, text: withSpace },
    fees: {
      column: ['Commission', 'Commission Fee'],
      plus: ['Route Fee'],
      optional: true,
      read: moneyIn,
    },
    currency: optional('Currency'),
  },
  dates: 'local',
  dated: ['placed'],
  skip({ status, price, filled }) {
    const meaning = status ? wordIn(status, STATUSES) : 'filled';
    // A part may have been filled before the cancellation.
    const isFilled =
      meaning === 'filled' || (filled && (orNothing(filled, numberIn) ?? 0) > 0);
    if (!isFilled) return `${meaning} order`;
    return price.text === '' ? 'unfilled order' : undefined;
  },
  instrument({ symbol, currency }) {
    const instrument = tradingViewSymbol(symbol.text);
    return currency?.text
      ? { ...instrument, currency: currencyIn(currency) }
      : instrument;
  },
  mayShort: true,
  row: ({ fees }) => ({ feesStated: fees !== undefined && fees.text !== '' }),
  notes: [
    'each order is one fill; prices are in USD unless the symbol states another currency',
  ],
});

/** Some exports lack the space between date and time: 2026-09-2204:15:01 */
function withSpace(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)(?=\d\d:)/, '$1 ');
}

/**
 * CME_MINI:NQ1!, FX_IDC:EURUSD, NASDAQ:AAPL, BINANCE:BTCUSDT.P, PLUS500:MESZ2026,
 * F.US.MNQZ26
 */
function tradingViewSymbol(text: string): Instrument {
  const [, ofFuture] = /^F\.[A-Z]{2,3}\.(.+)$/.exec(text) ?? [];
  if (ofFuture !== undefined) return future(ofFuture);

  const [, exchange = '', name = text] = /^([A-Z0-9_]+):(.+)$/.exec(text) ?? [];
  const house = exchange.replace(/_(MINI|IDC|DLY|DL)$/, '');
  const coin = /(USDT|USDC|USD|EUR|BTC)(\.P)?$/.exec(name)?.[1];
  const instrument = tradingViewInstrument(house, name, 'USD');
  const currency = {
    future: future(name).currency,
    crypto: coin ?? 'USD',
    forex: forexPair(name)?.currency ?? 'USD',
  }[instrument.market as string];

  return { ...instrument, symbol: text, currency: currency ?? 'USD' };
}

/**
 * Close long position for symbol COMEX:GC1! at price 3350.1 for 1 units. Position AVG
 * Price was 3374.8, currency: USD, …
 */
const CLOSE =
  /^Close (long|short) position for symbol (\S+) at price ([\d.,]+) for ([\d.,]+) units?\. Position AVG Price was ([\d.]+)(?=[,.]|$)/;
const COMMISSION = /^Commission for: .* symbol (\S+) at price /;

const COLUMNS = {
  executed_at: { column: 'time', optional: 'cells', text: withSpace },
  pnl: mayBeEmpty('P&L'),
  currency: mayBeEmpty('currency'),
  action: mayBeEmpty('action'),
} as const;

export const tradingviewBalance = rowsTable({
  ...KNOWN['tradingview-balance'],
  places({ cells, line }) {
    if (cells.length >= 6) return { executed_at: 0, pnl: 3, currency: 4, action: 5 };
    throw new RowError(
      null,
      'must have time, balance before and after, P&L, its currency and action',
      line,
    );
  },
  columns: COLUMNS,
  dates: 'local',
  skip({ action }) {
    if (action.text.startsWith('Close ') || COMMISSION.test(action.text))
      return undefined;
    if (action.text.includes(' position for symbol ')) throw unknown(action);
    return 'balance line';
  },
  end(rows, file) {
    const lines = rows.map((cells) => lineOf(cells, file));
    const { closed = [], paid = [] } = Object.groupBy(lines, ({ action }) =>
      action.text.startsWith('Close ') ? 'closed' : 'paid',
    );
    const trades = closed.map(tradeOf);
    const closes = Map.groupBy(
      inOrderOfTime(trades),
      ({ instrument }) => instrument.symbol,
    );

    for (const commission of paid.map(commissionOf)) {
      if (!addCommission(commission, closes.get(commission.symbol) ?? []))
        file.skip('commission of an open position');
    }

    const { records, notes } = closedTrades('tradingview-balance', trades);
    const untimed =
      'this export has no entry times; trades start when they end, so holding times are meaningless';

    return { records, notes: [untimed, ...notes], stated: totalOf(trades, 'net') };
  },
});

type Cells = CellsOf<typeof COLUMNS>;

interface Line {
  time: string;
  /** In the currency of the account. */
  pnl: number;
  currency: string;
  action: Cell;
}

type Commission = Line & { symbol: string };

/** With the text of its line, which its commission repeats. */
type Close = RoundTrip & { action: string };

function lineOf(
  { executed_at, pnl, currency, action }: Cells,
  { instantIn }: TableFile,
): Line {
  if (!/^[A-Z]{3,5}$/.test(currency.text))
    throw cellError(currency, 'must be a currency, such as USD');
  return {
    time: instantIn(executed_at),
    pnl: numberIn(pnl),
    currency: currency.text,
    action,
  };
}

function tradeOf({ time, pnl, currency, action }: Line): Close {
  const [, side, symbol = '', price = '', units = '', average = ''] =
    CLOSE.exec(action.text) ?? [];
  if (side === undefined) throw unknown(action);

  const part = (text: string): Cell => ({ ...action, text });

  return {
    line: action.line,
    action: action.text,
    id: null,
    account: null,
    instrument: { ...tradingViewSymbol(symbol), currency },
    side: side === 'long' ? 'long' : 'short',
    quantity: positiveIn(part(units)),
    entry: { executedAt: time, price: numberIn(part(average)) },
    exit: { executedAt: time, price: numberIn(part(price)) },
    gross: pnl,
    fees: 0,
  };
}

function commissionOf(line: Line): Commission {
  return { ...line, symbol: COMMISSION.exec(line.action.text)?.[1] as string };
}

function unknown(action: Cell): RowError {
  return cellError(action, 'must be the close of a position, or its commission');
}

function inOrderOfTime(trades: readonly Close[]): Close[] {
  return trades.toSorted(
    (a, b) => clockMs(a.exit.executedAt) - clockMs(b.exit.executedAt),
  );
}

/**
 * Adds a commission to its close, or for an entry to the next close.
 * @param closes of its symbol, in order of time
 * @returns whether there is such a close
 */
function addCommission(
  { time, pnl, action }: Commission,
  closes: readonly Close[],
): boolean {
  const next = firstFrom(time, closes);
  let at = next;
  while (
    closes[at]?.exit.executedAt === time &&
    !action.text.endsWith((closes[at] as Close).action)
  )
    at++;

  const paid = closes[at]?.exit.executedAt === time ? closes[at] : closes[next];
  if (paid) paid.fees = roundMoney(paid.fees - pnl);
  return paid !== undefined;
}

/** Index of the first close at or after a time. */
function firstFrom(time: string, closes: readonly Close[]): number {
  let [from, to] = [0, closes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((closes[middle] as Close).exit.executedAt < time) from = middle + 1;
    else to = middle;
  }
  return from;
}
