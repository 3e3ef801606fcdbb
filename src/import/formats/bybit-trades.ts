/** Bybit's trade histories: one fill per row, of perpetual contracts and of spot. A time may precede its date. */
import type { FileFill } from '../fills/reading.ts';
import { byMeaning, type Cell, cellError, orNothing, wordIn } from '../parse/columns.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { amountIn, numberIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { statedOffset } from '../table/clock.ts';
import type { Zone } from '../table/declaration.ts';
import { feePaidIn, fillsTable } from '../table/fills.ts';
import { pointedTable } from '../table/tables.ts';
import { bybitCurrency } from './bybit.ts';

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
  // The exact fee has a column for its coin; older files have one column, in the coin received.
  exact_fee: { column: 'ExecFeeV2', optional: true },
  fee_currency: { column: 'feeCoin', optional: true },
  fee: { column: ['Trading Fee', 'Fees Paid', 'Fees'], optional: true },
} as const;

/** The zone after the name of the time column; Bybit's is UTC. */
export function zoneOf(column: string): Zone {
  return { zone: 'UTC', offset: statedOffset(column) ?? '+00:00' };
}

const CONTRACT_HEADER = ['Filled Type', 'Filled Price'];
const SPOT_HEADER = ['Spot Pairs', 'Direction', 'Filled Price'];

export const bybitTrades = fillsTable({
  name: 'bybit-trades',
  description: 'Bybit: Derivatives > Trade History of perpetual contracts, exported as CSV: fills with fees',
  evidence: 'samples',
  platform: 'bybit',
  mayStateOrders: true,
  hasUniqueIds: true,
  marks: CONTRACT_HEADER,
  looksLike: (start) => /\bTransaction Time ?\(/.test(start) && CONTRACT_HEADER.every((name) => start.includes(name)),
  table: pointedTable(CONTRACT_HEADER),
  columns: {
    ...PRICED,
    symbol: ['Market', 'Contracts', 'Symbol'],
    kind: 'Filled Type',
    executed_at: { column: 'Transaction Time', like: /^Transaction Time/i },
  },
  dates: rewrittenOrder,
  zone: zoneOf,
  skip: ({ kind }) => (wordIn(kind, KINDS) === 'funding' ? 'funding' : undefined),
  instrument: ({ symbol }) => coins(symbol.text, bybitCurrency(symbol)),
  mayShort: true,
  row: ({ kind, ...cells }, { instrument, effect }) => ({
    effect: wordIn(kind, KINDS) === 'close' ? 'close' : effect,
    ...feesOf(cells, instrument.currency),
  }),
  end: (_, { skipped }) => ({
    notes: skipped.has('funding') ? ['funding is excluded from figures because it belongs to no fill'] : [],
  }),
});

export const bybitSpot = fillsTable({
  name: 'bybit-spot',
  description: 'Bybit: Spot > Trade History, exported as CSV: fills with fees',
  evidence: 'samples',
  platform: 'bybit',
  mayStateOrders: true,
  hasUniqueIds: true,
  marks: SPOT_HEADER,
  table: pointedTable(SPOT_HEADER),
  columns: { ...PRICED, symbol: 'Spot Pairs', executed_at: { column: 'Timestamp', like: /^Timestamp/i } },
  dates: rewrittenOrder,
  zone: zoneOf,
  instrument: ({ symbol }) => coins(symbol.text, quoteOf(symbol)),
  row: (cells, { instrument: { symbol, currency }, side }) =>
    feesOf(cells, currency, { coin: symbol.slice(0, -currency.length).replace(/[/-]$/, ''), side }),
});

/** Files of accounts before the unified one have the coin after each amount: 0.0889 USDT. */
function bareNumber(cell: Cell): number {
  return cell.text.includes(' ') ? amountIn(cell).amount : numberIn(cell);
}

function positive(cell: Cell): number {
  const value = bareNumber(cell);
  if (value > 0) return value;
  throw cellError(cell, 'must be above 0');
}

/** Unless its coin is named, the fee is in the bought coin for a spot purchase, else in the quote currency. */
function feesOf(
  { exact_fee, fee_currency, fee }: Record<'exact_fee' | 'fee_currency' | 'fee', Cell | undefined>,
  currency: string,
  spot?: { coin: string; side: FileFill['side'] },
): Partial<FileFill> {
  const exact = exact_fee && orNothing(exact_fee, numberIn);
  const amount = exact ?? (fee && orNothing(fee, bareNumber)) ?? 0;
  const named = typeof exact === 'number' ? fee_currency?.text : / (\w+)$/.exec(fee?.text ?? '')?.[1];
  return feePaidIn(named || (spot?.side === 'buy' ? spot.coin : currency), amount, { currency, coin: spot?.coin });
}
