/** Bybit's closed P&L of perpetual contracts: one close per row, P&L after fees, entry prices without times. */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { type Cell, orNothing, wordIn } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { statedOffset } from '../table/clock.ts';
import { type ClosedTrade, pointsOf } from '../table/closed-trade.ts';
import { tradesTable } from '../table/trades.ts';

/** Sides by the side of the closing order; if none is stated, costs and P&L decide. */
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

export const bybit = tradesTable({
  name: 'bybit',
  platform: 'bybit',
  description: 'Bybit: Derivatives > Closed P&L of perpetual contracts, exported as CSV',
  evidence: 'real files',
  marks: [
    ['Realized P&L', 'Closed P&L'],
    ['Trade Type', 'Closing Direction'],
  ],
  table: readFilledCsv,
  // Newer files have the costs, but neither the side nor the time of the order.
  columns: {
    symbol: ['Contracts', 'Market', 'Symbol'],
    direction: ['Trade Type', 'Closing Direction'],
    quantity: ['Qty', 'Quantity', 'Order Quantity'],
    entry_price: { column: ['Entry Price', 'Avg. Entry Price'], read: (cell) => numberIn(cell) },
    exit_price: { column: ['Filled Price', 'Exit Price', 'Avg. Exit Price'], read: (cell) => numberIn(cell) },
    pnl: ['Realized P&L', 'Closed P&L'],
    closed_at: {
      column: 'Filled/Settlement Time(UTC+0)',
      like: /^(?:Filled\/Settlement Time|Trade Time|Filled Time)\b/i,
    },
    executed_at: { column: ['Create Time', 'Order Time'], optional: true },
    opening: { column: 'Opening Fee', optional: true },
    closing: { column: 'Closing Fee', optional: true },
    funding: { column: 'Funding Fee', optional: true },
  },
  dates: 'ymd',
  zone(column) {
    const offset = statedOffset(column);
    return offset === undefined ? undefined : { zone: 'UTC', offset };
  },
  instrument: ({ symbol }) =>
    coins(symbol.text, isSettledInCoins(symbol) ? symbol.text.replace(/USD(\w\d\d)?$/, '') : quoteOfContract(symbol)),
  row({ symbol, pnl, ...costs }, trade) {
    const net = numberIn(pnl);
    // A contract of 1 USD settled in coins gains 1/entry - 1/exit coins, which is the price difference times this.
    const multiplier = isSettledInCoins(symbol) ? 1 / (trade.entry.price * trade.exit.price) : 1;
    const side = sideOf(costs, pointsOf({ ...trade, side: 'long' }) * multiplier, net);
    const gross = roundMoney(pointsOf({ ...trade, side }) * multiplier);
    return { side, multiplier, gross, fees: roundMoney(gross - net) };
  },
  states: ['net'],
  notes: [
    'this export has no entry times; trades start when their closing order was placed, so holding times are meaningless',
  ],
});

/** The quote currency of a contract: BTCUSDT, BTC-27MAR26 and BTCPERP (USDC), BTCUSD and BTCUSDH26. */
function quoteOfContract(symbol: Cell): string {
  if (/^\w+PERP$|-\d\d?[A-Z]{3}\d\d(-|$)/.test(symbol.text)) return 'USDC';
  return quoteOf({ ...symbol, text: symbol.text.replace(/(?<=USD)[FGHJKMNQUVXZ]\d\d$/, '') });
}

/** Contracts priced in USD are settled in their underlying coin. */
export function isSettledInCoins(symbol: Cell): boolean {
  return quoteOfContract(symbol) === 'USD';
}

/** @throws RowError if the contract is settled in coins */
export function bybitCurrency(symbol: Cell): string {
  if (!isSettledInCoins(symbol)) return quoteOfContract(symbol);
  throw new RowError(
    symbol.column,
    'a contract settled in coins, which this format does not read; remove its rows',
    symbol.line,
  );
}

type Costs = Record<'direction', Cell> & Record<'opening' | 'closing' | 'funding', Cell | undefined>;

/** @param points P&L of a long at these prices */
function sideOf(
  { direction: side, opening, closing, funding }: Costs,
  points: number,
  net: number,
): ClosedTrade['side'] {
  const stated = wordIn(side, SIDES);
  if (stated !== null) return stated;
  if (!opening || !closing) throw RowError.missing(['Opening Fee', 'Closing Fee'], side.line);
  const costs = [opening, closing, ...(funding ? [funding] : [])];
  const gross = net + costs.reduce((sum, cell) => sum + (orNothing(cell, numberIn) ?? 0), 0);
  const isNear = (wanted: number) => Math.abs(gross - wanted) <= 0.01 * Math.abs(points) + 1e-6;
  if (isNear(points)) return 'long';
  if (isNear(0 - points)) return 'short';
  throw new RowError(side.column, `neither a long nor a short at these prices gives ${net} after fees`, side.line);
}
