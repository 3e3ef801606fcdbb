/** Bybit's closed P&L of perpetual contracts: a row a close, P&L after fees, with the price of the entry and not its time. */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney, Sum } from '../../money.ts';
import { type Cell, columnsOf, refuseEmpty } from '../parse/columns.ts';
import { isEmpty, readCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { quoteOf } from '../parse/pairs.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type ClosedTrade, closedTrades, pointsOf } from './closed-trade.ts';
import { type Format, reading, skip } from './format.ts';

const COLUMNS = {
  symbol: ['Contracts', 'Market', 'Symbol'],
  side: ['Trade Type', 'Closing Direction'],
  quantity: ['Qty', 'Quantity', 'Order Quantity'],
  entryPrice: ['Entry Price', 'Avg. Entry Price'],
  exitPrice: ['Filled Price', 'Exit Price', 'Avg. Exit Price'],
  pnl: ['Realized P&L', 'Closed P&L'],
  created: ['Create Time', 'Order Time'],
};

/** The zone stands behind the name of the time when it was filled. */
const FILLED = /^(?:Filled\/Settlement Time|Trade Time|Filled Time)\s*(?:\(UTC([-+])(\d\d?)(?::?(\d\d))?\))?$/i;

export const bybit: Format = {
  name: 'bybit',
  description: 'Bybit: Derivatives > Closed P&L of perpetual contracts, exported as CSV',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return /\b(Realized|Closed) P&L\b/.test(header) && /\b(Trade Type|Closing Direction)\b/.test(header);
  },
  read(text, context) {
    const { header, rows } = readCsv(text);
    const filled = header.cells.find((name) => FILLED.test(name));
    const cellsOf = columnsOf(header, { ...COLUMNS, filled: filled ?? 'Filled/Settlement Time(UTC+0)' });
    const { zone, note } = assumedZone(context);
    const [, sign, hours = '', minutes = '00'] = FILLED.exec(filled ?? '') ?? [];
    const offset = sign === undefined ? '' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
    const skipped = new Map<string, number>();
    const trades: ClosedTrade[] = [];
    const made = new Map<string, Sum>();
    for (const row of rows) {
      if (isEmpty(row)) skip(skipped, 'empty row');
      else {
        const { trade, net } = tradeOf(cellsOf(row), zone, offset);
        trades.push(trade);
        const { currency } = trade.instrument;
        made.set(currency, made.get(currency) ?? new Sum());
        made.get(currency)?.add(net);
      }
    }
    const { records, notes } = closedTrades('bybit', trades);
    return reading({
      records,
      skipped,
      notes: [
        ...(offset === '' ? [note] : []),
        'this export has no times of entry: a trade begins when the order that closed it was made, so holding times mean nothing',
        ...notes,
      ],
      stated: [...made].map(([currency, sum]) => ({
        what: 'net',
        currency,
        symbol: null,
        amount: roundMoney(sum.value),
      })),
    });
  },
};

type Cells = Record<keyof typeof COLUMNS | 'filled', Cell>;

/** @param offset of all times from UTC; empty: they are in the zone */
function tradeOf(cells: Cells, zone: string, offset: string): { trade: ClosedTrade; net: number } {
  refuseEmpty(...Object.values(cells));
  const { symbol, created, filled } = cells;
  const currency = /^\w+PERP$|-\d\d[A-Z]{3}\d\d$/.test(symbol.text) ? 'USDC' : quoteOf(symbol);
  if (currency === 'USD') {
    throw new RowError(
      symbol.column,
      'is of a contract settled in coins, which this format does not read',
      symbol.line,
    );
  }
  // The date may stand behind the time.
  const instantOf = (cell: Cell) =>
    instantIn({ ...cell, text: cell.text.replace(/\d\d?:\d\d(:\d\d)?/, `$&${offset}`) }, 'ymd', zone);
  const trade: ClosedTrade = {
    line: symbol.line,
    id: null,
    account: null,
    instrument: coins(symbol.text, currency),
    // What is stated is the side that closed.
    side: wordIn(cells.side, { SELL: 'long', BUY: 'short', 'Close Long': 'long', 'Close Short': 'short' } as const),
    quantity: positiveIn(cells.quantity),
    entry: { executedAt: instantOf(created), price: numberIn(cells.entryPrice) },
    exit: { executedAt: instantOf(filled), price: numberIn(cells.exitPrice) },
    gross: 0,
    fees: 0,
    multiplier: 1,
  };
  const net = numberIn(cells.pnl);
  trade.gross = roundMoney(pointsOf(trade));
  trade.fees = roundMoney(trade.gross - net);
  return { trade, net };
}
