/** Bybit's closed P&L of perpetual contracts: a row a close, P&L after fees, with the price of the entry and not its time. */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney, Sum } from '../../money.ts';
import { reading } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { quoteOf } from '../parse/pairs.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type ClosedTrade, closedTrades, pointsOf } from './closed-trade.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  symbol: ['Contracts', 'Market', 'Symbol'],
  side: ['Trade Type', 'Closing Direction'],
  quantity: ['Qty', 'Quantity', 'Order Quantity'],
  entryPrice: ['Entry Price', 'Avg. Entry Price'],
  exitPrice: ['Filled Price', 'Exit Price', 'Avg. Exit Price'],
  pnl: ['Realized P&L', 'Closed P&L'],
};

/** Newer files have the costs, and neither the side nor when the order was made. */
const TOO = {
  created: ['Create Time', 'Order Time'],
  opening: 'Opening Fee',
  closing: 'Closing Fee',
  funding: 'Funding Fee',
};

/** The zone may stand behind the name of the time when it was filled. */
const FILLED = /^(?:Filled\/Settlement Time|Trade Time|Filled Time)\b/i;

export const bybit: Format = {
  name: 'bybit',
  platform: 'bybit',
  description: 'Bybit: Derivatives > Closed P&L of perpetual contracts, exported as CSV',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return /\b(Realized|Closed) P&L\b/.test(header) && /\b(Trade Type|Closing Direction)\b/.test(header);
  },
  read(text, context) {
    const { header, rows } = readFilledCsv(text);
    const filled = header.cells.find((name) => FILLED.test(name));
    const cellsOf = columnsOf(header, { ...COLUMNS, filled: filled ?? 'Filled/Settlement Time(UTC+0)' }, TOO);
    const { zone, note } = assumedZone(context);
    const offset = bybitOffset(filled ?? '');
    const trades: ClosedTrade[] = [];
    const made = new Map<string, Sum>();
    for (const row of rows) {
      const { trade, net } = tradeOf(cellsOf(row), zone, offset);
      trades.push(trade);
      const { currency } = trade.instrument;
      made.set(currency, made.get(currency) ?? new Sum());
      made.get(currency)?.add(net);
    }
    const { records, notes } = closedTrades('bybit', trades);
    return reading({
      records,
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

type Cells = Record<keyof typeof COLUMNS | 'filled', Cell> & Partial<Record<keyof typeof TOO, Cell>>;

/** @returns the offset that stands behind the name of a time, such as +00:00; empty where none does */
export function bybitOffset(name: string): string {
  const [, sign = '+', hours, minutes = '00'] = /\(UTC(?:([-+])(\d\d?)(?::?(\d\d))?)?\)/.exec(name) ?? [];
  if (hours === undefined) return /\(UTC\)/.test(name) ? '+00:00' : '';
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** What a contract is priced in: BTCUSDT, BTC-27MAR26 and BTCPERP (USDC), BTCUSD and BTCUSDH26. */
function quoteOfContract(symbol: Cell): string {
  if (/^\w+PERP$|-\d\d?[A-Z]{3}\d\d(-|$)/.test(symbol.text)) return 'USDC';
  return quoteOf({ ...symbol, text: symbol.text.replace(/(?<=USD)[FGHJKMNQUVXZ]\d\d$/, '') });
}

/** Contracts priced in USD are settled in the coin that they are of. */
export function isSettledInCoins(symbol: Cell): boolean {
  return quoteOfContract(symbol) === 'USD';
}

/** @throws RowError where the contract is settled in coins */
export function bybitCurrency(symbol: Cell): string {
  if (!isSettledInCoins(symbol)) return quoteOfContract(symbol);
  throw new RowError(symbol.column, 'is of a contract settled in coins, which this format does not read', symbol.line);
}

/** @param offset of all times from UTC; empty: they are in the zone */
function tradeOf(cells: Cells, zone: string, offset: string): { trade: ClosedTrade; net: number } {
  const { created, opening: _, closing: __, funding: ___, ...required } = cells;
  refuseEmpty(...Object.values(required));
  const { symbol, filled } = cells;
  // The date may stand behind the time.
  const instantOf = (cell: Cell) =>
    instantIn({ ...cell, text: cell.text.replace(/\d\d?:\d\d(:\d\d)?/, `$&${offset}`) }, 'ymd', zone);
  const net = numberIn(cells.pnl);
  const inCoins = isSettledInCoins(symbol);
  const trade: ClosedTrade = {
    line: symbol.line,
    id: null,
    account: null,
    instrument: coins(symbol.text, inCoins ? symbol.text.replace(/USD(\w\d\d)?$/, '') : quoteOfContract(symbol)),
    side: 'long',
    quantity: positiveIn(cells.quantity),
    entry: { executedAt: instantOf(created ?? filled), price: numberIn(cells.entryPrice) },
    exit: { executedAt: instantOf(filled), price: numberIn(cells.exitPrice) },
    gross: 0,
    fees: 0,
    multiplier: 1,
  };
  // A contract of 1 USD settled in coins makes 1/entry - 1/exit of one, which is their difference by this.
  if (inCoins) trade.multiplier = 1 / (trade.entry.price * trade.exit.price);
  const made = () => pointsOf(trade) * (trade.multiplier ?? 1);
  trade.side = sideOf(cells, made(), net);
  trade.gross = roundMoney(made());
  trade.fees = roundMoney(trade.gross - net);
  return { trade, net };
}

/** What is stated is the side that closed, or only that it was a trade: then costs and P&L tell. */
const SIDES = {
  SELL: 'long',
  BUY: 'short',
  'Close Long': 'long',
  'Close Short': 'short',
  Trade: null,
  Liquidation: null,
  BustTrade: null,
  ADL: null,
  AdlTrade: null,
  Settle: null,
  Settlement: null,
  Delivery: null,
} as const;

/** @param points what a long of these prices makes */
function sideOf({ side, opening, closing, funding }: Cells, points: number, net: number): ClosedTrade['side'] {
  const stated = wordIn(side, SIDES);
  if (stated !== null) return stated;
  if (!opening || !closing) throw RowError.missing(['Opening Fee', 'Closing Fee'], side.line);
  const costs = [opening, closing, ...(funding ? [funding] : [])];
  const gross = net + costs.reduce((sum, cell) => sum + (orNothing(cell, numberIn) ?? 0), 0);
  const isNear = (wanted: number) => Math.abs(gross - wanted) <= 0.01 * Math.abs(points) + 1e-6;
  if (isNear(points)) return 'long';
  if (isNear(0 - points)) return 'short';
  throw new RowError(side.column, `neither a long nor a short of these prices makes ${net} after its fees`, side.line);
}
