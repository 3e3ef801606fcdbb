/** TradingView's history of orders, of its paper trading and of connected brokers: filled orders, symbols with their exchange. */

import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, idIn, orNothing, refuseEmpty } from '../parse/columns.ts';
import { headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { forexPair, future, type Instrument } from '../parse/instruments.ts';
import { dateOrderOf, orderNote, spreadsheetOrder } from '../parse/local-style.ts';
import { moneyIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';
import { tradingViewInstrument } from './tradingview.ts';

const COLUMNS = {
  symbol: 'Symbol',
  side: 'Side',
  quantity: ['Qty', 'Filled Qty', 'Quantity'],
  price: ['Fill Price', 'Avg Fill Price'],
  time: ['Closing Time', 'Update Time', 'Time'],
  id: 'Order ID',
};

/** What no other header has. */
const MARKS = ['Symbol', 'Side', COLUMNS.price, 'Closing Time', 'Order ID'];

const TOO = { status: 'Status', commission: 'Commission' };

const STATUSES = {
  Filled: 'filled',
  Cancelled: 'cancelled',
  Canceled: 'cancelled',
  Rejected: 'rejected',
  Expired: 'expired',
  Working: 'working',
  Inactive: 'inactive',
  Placing: 'working',
} as const;

export const tradingviewOrders: Format = {
  name: 'tradingview-orders',
  description: 'TradingView: Trading Panel, History, Export data (CSV): filled orders of paper trading or a broker',
  evidence: 'samples',
  platform: 'tradingview',
  holds: 'trades',
  looksLike(start) {
    return headerIn(start, MARKS) !== undefined;
  },
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const { header, rows } = readCsv(text, MARKS);
    const cellsOf = columnsOf(header, COLUMNS, TOO);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    const data = rows.map((row) => ({ row, cells: cellsOf(row) }));
    const times = data.map(({ cells }) => cells.time.text);
    const order = dateOrderOf(times, spreadsheetOrder(times));
    for (const { row, cells } of data) {
      if (isEmpty(row)) {
        skip(skipped, 'empty row');
        continue;
      }
      const status = cells.status ? wordIn(cells.status, STATUSES) : 'filled';
      if (status !== 'filled') skip(skipped, `${status} order`);
      else if (cells.price.text === '') skip(skipped, 'order that was not filled');
      else fills.push(fillOf(cells, (cell) => instantIn(cell, order, zone)));
    }
    const notes = [
      note,
      ...(order === 'ymd' ? [] : [orderNote(order)]),
      'orders are one fill each; prices are in USD where the symbol says no other currency',
    ];
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

function fillOf({ commission, status: _, ...cells }: Cells, instant: (cell: Cell) => string): FileFill {
  refuseEmpty(...Object.values(cells));
  return fill({
    line: cells.symbol.line,
    executionId: idIn(cells.id),
    instrument: tradingViewSymbol(cells.symbol.text),
    executedAt: instant(cells.time),
    side: sideIn(cells.side),
    quantity: positiveIn(cells.quantity),
    price: plainPriceIn(cells.price),
    fees: (commission && orNothing(commission, moneyIn)) ?? 0,
    mayShort: true,
  });
}

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
