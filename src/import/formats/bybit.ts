/**
 * Bybit's closed P&L of perpetual contracts: one close per row, P&L after fees, entry
 * prices without times.
 */

import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  amountIn,
  byMeaning,
  type Cell,
  cellError,
  numberIn,
  orNothing,
  sumIn,
  wordIn,
} from '../../parse/cells.ts';
import { pointedTable, readFilledCsv } from '../../parse/csv-rows.ts';
import { coinOf, coins, quoteOf, settledInCoins } from '../../parse/instruments.ts';
import { DATED, type FileFill } from '../fills/reading.ts';
import { statedOffset, type Zone, zoneNamed } from '../tables/clock.ts';
import { pointsOf, type RoundTrip } from '../tables/closed-trade.ts';
import { feePaidIn, fillsTable } from '../tables/fills.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

// Bybit's trade histories: one fill per row, of perpetual contracts and of spot. A time
// may precede its date.

const DIRECTIONS = {
  Buy: { side: 'buy', effect: null },
  Sell: { side: 'sell', effect: null },
  Long: { side: 'buy', effect: null },
  Short: { side: 'sell', effect: null },
  'Open Long': { side: 'buy', effect: 'open' },
  'Open Short': { side: 'sell', effect: 'open' },
  'Close Long': { side: 'sell', effect: 'close' },
  'Close Short': { side: 'buy', effect: 'close' },
} as const;

/** Forced fills close the position. */
const KINDS = byMeaning({
  trade: 'Trade, BlockTrade, FutureSpread',
  close: 'Liquidation, BustTrade, AdlTrade, ADL, Settle, Delivery',
  funding: 'Funding',
});

const PRICED = {
  side: { column: ['Direction', 'Side'], words: DIRECTIONS },
  quantity: { column: ['Filled Quantity', 'Filled Qty', 'Exec Qty'], read: positive },
  price: { column: ['Filled Price', 'Exec Price'], read: bareNumber },
  execution_id: ['Transaction ID', 'Trasaction ID'],
  account: { column: 'Uid', optional: true },
  // The exact fee has a column for its coin; older files have one column, in the coin
  // received.
  exact_fee: { column: 'ExecFeeV2', optional: true },
  fee_currency: { column: 'feeCoin', optional: true },
  fee: { column: ['Trading Fee', 'Fees Paid', 'Fees'], optional: true },
} as const;

/** The zone after the name of the time column; Bybit's is UTC. */
export function zoneOf(column: string): Zone {
  return { zone: 'UTC', offset: statedOffset(column) ?? '+00:00' };
}

export const bybitTrades = fillsTable({
  ...KNOWN['bybit-trades'],
  table: pointedTable(KNOWN['bybit-trades'].marks),
  columns: {
    ...PRICED,
    symbol: ['Market', 'Contracts', 'Symbol'],
    kind: 'Filled Type',
    executed_at: { column: 'Transaction Time', like: /^Transaction Time/i },
  },
  dates: 'reformatted',
  zone: zoneOf,
  skip: ({ kind, symbol }) =>
    wordIn(kind, KINDS) === 'funding' && isSettledInCoins(symbol)
      ? 'funding of a contract settled in coins'
      : undefined,
  instrument: ({ symbol }) => coins(symbol.text, bybitCurrency(symbol)),
  mayShort: true,
  row: ({ kind, ...cells }, { instrument, effect }) => {
    const meaning = wordIn(kind, KINDS);
    const fees = feesOf(cells, instrument.currency);
    // Its quantity and price are those of the position.
    return meaning === 'funding'
      ? { ...fees, ...DATED }
      : { ...fees, effect: meaning === 'close' ? 'close' : effect };
  },
});

export const bybitSpot = fillsTable({
  ...KNOWN['bybit-spot'],
  table: pointedTable(KNOWN['bybit-spot'].marks),
  columns: {
    ...PRICED,
    symbol: 'Spot Pairs',
    executed_at: { column: 'Timestamp', like: /^Timestamp/i },
  },
  dates: 'reformatted',
  zone: zoneOf,
  instrument: ({ symbol }) => coins(symbol.text, quoteOf(symbol)),
  row: (cells, { instrument, side }) =>
    feesOf(cells, instrument.currency, { coin: coinOf(instrument), side }),
});

/**
 * Files of accounts before the unified one have the coin after each amount: 0.0889 USDT.
 */
function bareNumber(cell: Cell): number {
  return cell.text.includes(' ') ? amountIn(cell).amount : numberIn(cell);
}

function positive(cell: Cell): number {
  const value = bareNumber(cell);
  if (value > 0) return value;
  throw cellError(cell, 'must be above 0');
}

/**
 * Unless its coin is named, the fee is in the bought coin for a spot purchase, else in
 * the quote currency.
 */
function feesOf(
  {
    exact_fee,
    fee_currency,
    fee,
  }: Record<'exact_fee' | 'fee_currency' | 'fee', Cell | undefined>,
  currency: string,
  spot?: { coin: string; side: FileFill['side'] },
): Partial<FileFill> {
  const exact = exact_fee && orNothing(exact_fee, numberIn);
  const amount = exact ?? orNothing(fee, bareNumber) ?? 0;
  const named =
    typeof exact === 'number' ? fee_currency?.text : / (\w+)$/.exec(fee?.text ?? '')?.[1];

  return feePaidIn(named || (spot?.side === 'buy' ? spot.coin : currency), amount, {
    currency,
    coin: spot?.coin,
  });
}

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
  ...KNOWN.bybit,
  table: readFilledCsv,
  // Newer files have the costs, but neither the side nor the time of the order.
  columns: {
    symbol: ['Contracts', 'Market', 'Symbol'],
    direction: ['Trade Type', 'Closing Direction'],
    quantity: ['Qty', 'Quantity', 'Order Quantity'],
    entry_price: {
      column: ['Entry Price', 'Avg. Entry Price'],
      read: (cell) => numberIn(cell),
    },
    exit_price: {
      column: ['Filled Price', 'Exit Price', 'Avg. Exit Price'],
      read: (cell) => numberIn(cell),
    },
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
  zone: zoneNamed,
  instrument: ({ symbol }) =>
    coins(
      symbol.text,
      isSettledInCoins(symbol)
        ? symbol.text.replace(/USD(\w\d\d)?$/, '')
        : quoteOfContract(symbol),
    ),
  row({ symbol, pnl, ...costs }, trade) {
    const net = numberIn(pnl);
    // A contract of 1 USD settled in coins gains 1/entry - 1/exit coins, which is the
    // price difference times this.
    const multiplier = isSettledInCoins(symbol)
      ? 1 / (trade.entry.price * trade.exit.price)
      : 1;
    const side = sideOf(costs, pointsOf({ ...trade, side: 'long' }) * multiplier, net);
    const gross = roundMoney(pointsOf({ ...trade, side }) * multiplier);
    return { side, multiplier, gross, fees: roundMoney(gross - net) };
  },
  states: ['net'],
  notes: [
    'this export has no entry times; trades start when their closing order was placed, so holding times are meaningless',
  ],
});

/**
 * The quote currency of a contract: BTCUSDT, BTC-27MAR26 and BTCPERP (USDC), BTCUSD and
 * BTCUSDH26.
 */
function quoteOfContract(symbol: Cell): string {
  if (/^\w+PERP$|-\d\d?[A-Z]{3}\d\d(-|$)/.test(symbol.text)) return 'USDC';
  return quoteOf({
    ...symbol,
    text: symbol.text.replace(/(?<=USD)[FGHJKMNQUVXZ]\d\d$/, ''),
  });
}

/** Contracts priced in USD are settled in their underlying coin. */
export function isSettledInCoins(symbol: Cell): boolean {
  return quoteOfContract(symbol) === 'USD';
}

/** @throws RowError if the contract is settled in coins */
function bybitCurrency(symbol: Cell): string {
  if (!isSettledInCoins(symbol)) return quoteOfContract(symbol);
  throw settledInCoins(symbol);
}

type Costs = Record<'direction', Cell> &
  Record<'opening' | 'closing' | 'funding', Cell | undefined>;

/** @param points P&L of a long at these prices */
function sideOf(
  { direction: side, opening, closing, funding }: Costs,
  points: number,
  net: number,
): RoundTrip['side'] {
  const stated = wordIn(side, SIDES);
  if (stated !== null) return stated;
  if (!opening || !closing)
    throw RowError.missing(['Opening Fee', 'Closing Fee'], side.line);

  const gross = net + sumIn([opening, closing, funding]);
  const isNear = (wanted: number) =>
    Math.abs(gross - wanted) <= 0.01 * Math.abs(points) + 1e-6;
  if (isNear(points)) return 'long';
  if (isNear(0 - points)) return 'short';

  throw new RowError(
    side.column,
    `neither a long nor a short at these prices gives ${net} after fees`,
    side.line,
  );
}
