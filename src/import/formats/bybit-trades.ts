/** Bybit's trade histories: a row a fill, of perpetual contracts and of spot; times may stand before their dates. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvTable, csvRows, tableWith, withPoints } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/local-style.ts';
import { amountIn, numberIn } from '../parse/numbers.ts';
import { quoteOf } from '../parse/pairs.ts';
import { instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { bybitCurrency, bybitOffset } from './bybit.ts';
import type { Format } from './format.ts';

const PRICED = {
  direction: ['Direction', 'Side'],
  quantity: ['Filled Quantity', 'Filled Qty', 'Exec Qty'],
  price: ['Filled Price', 'Exec Price'],
  id: ['Transaction ID', 'Trasaction ID'],
};
const CONTRACT = { ...PRICED, symbol: ['Market', 'Contracts', 'Symbol'], kind: 'Filled Type' };
const SPOT = { ...PRICED, symbol: 'Spot Pairs' };
/** The exact fee has its coin beside it; older files have one column, in the coin that was got. */
const FEES = { account: 'Uid', exactFee: 'ExecFeeV2', feeCoin: 'feeCoin', fee: ['Trading Fee', 'Fees Paid', 'Fees'] };

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

/** What nobody ordered closes what is open. */
const KINDS = {
  Trade: 'trade',
  BlockTrade: 'trade',
  FutureSpread: 'trade',
  Liquidation: 'close',
  BustTrade: 'close',
  AdlTrade: 'close',
  ADL: 'close',
  Settle: 'close',
  Delivery: 'close',
  Funding: 'funding',
} as const;

const CONTRACT_HEADER = ['Filled Type', 'Filled Price'];
const SPOT_HEADER = ['Spot Pairs', 'Direction', 'Filled Price'];

export const bybitTrades: Format = {
  name: 'bybit-trades',
  description: 'Bybit: Derivatives > Trade History of perpetual contracts, exported as CSV: fills with fees',
  evidence: 'samples',
  platform: 'bybit',
  mayStateOrders: true,
  holds: 'trades',
  hasUniqueIds: true,
  looksLike: (start) => /\bTransaction Time ?\(/.test(start) && CONTRACT_HEADER.every((name) => start.includes(name)),
  read(text) {
    const table = tableIn(text, CONTRACT_HEADER);
    const clock = clockOf(table, /^Transaction Time/i);
    const cellsOf = columnsOf(table.header, { ...CONTRACT, time: clock.column }, FEES);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    for (const row of table.rows) {
      const cells = cellsOf(row);
      const kind = wordIn(cells.kind, KINDS);
      if (kind === 'funding') skip(skipped, 'funding');
      else {
        const own = fillOf(cells, bybitCurrency(cells.symbol), clock.instantIn);
        fills.push({ ...own, mayShort: true, effect: kind === 'close' ? kind : own.effect });
      }
    }
    const notes = [
      ...clock.notes,
      ...(skipped.has('funding') ? ['funding is in no figure: it belongs to no fill'] : []),
    ];
    return reading({ rows: table.rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

export const bybitSpot: Format = {
  name: 'bybit-spot',
  description: 'Bybit: Spot > Trade History, exported as CSV: fills with fees',
  evidence: 'samples',
  platform: 'bybit',
  mayStateOrders: true,
  holds: 'trades',
  hasUniqueIds: true,
  looksLike: (start) => SPOT_HEADER.every((name) => start.includes(name)),
  read(text) {
    const table = tableIn(text, SPOT_HEADER);
    const clock = clockOf(table, /^Timestamp/i);
    const cellsOf = columnsOf(table.header, { ...SPOT, time: clock.column }, FEES);
    const fills = table.rows.map((row) => {
      const cells = cellsOf(row);
      return fillOf(cells, quoteOf(cells.symbol), clock.instantIn);
    });
    return reading({ rows: table.rows.length, fills: oldestFirst(fills), notes: clock.notes });
  },
};

/** A line with the account may stand above the header. */
export function tableIn(text: string, names: readonly string[]): CsvTable {
  const table = tableWith(withPoints(csvRows(text)), names);
  if (table) return table;
  throw new RowError(null, `has no header with ${names.join(', ')}`, 1);
}

/** The zone stands behind the name of the time; Bybit's is UTC. */
export function clockOf(
  { header, rows }: CsvTable,
  name: RegExp,
): { column: string; instantIn: (cell: Cell) => string; notes: string[] } {
  const at = header.cells.findIndex((own) => name.test(own));
  const column = header.cells[at];
  if (column === undefined) throw new RowError('Transaction Time', 'is missing in the header', header.line);
  const offset = bybitOffset(column) || '+00:00';
  const { order, notes } = rewrittenOrder(
    rows.map(({ cells, line }) => ({ text: (cells[at] ?? '').trim(), column, line })),
  );
  const withOffset = (text: string) => text.replace(/\d\d?:\d\d(:\d\d(\.\d+)?)?/, `$&${offset}`);
  return { column, instantIn: (cell) => instantIn({ ...cell, text: withOffset(cell.text) }, order, 'UTC'), notes };
}

type Cells = Record<keyof typeof SPOT | 'time', Cell> & Partial<Record<keyof typeof FEES, Cell>>;

function fillOf(cells: Cells, currency: string, instant: (cell: Cell) => string): FileFill {
  const { symbol, direction, quantity, price, id, time } = cells;
  refuseEmpty(symbol, direction, quantity, price, id, time);
  const { side, effect } = wordIn(direction, DIRECTIONS);
  return fill({
    line: symbol.line,
    executionId: id.text,
    account: cells.account?.text || null,
    instrument: coins(symbol.text, currency),
    executedAt: instant(time),
    side,
    effect,
    quantity: positive(quantity),
    price: bareNumber(price),
    ...feesOf(cells, { currency, coin: symbol.text.slice(0, -currency.length).replace(/[/-]$/, ''), side }),
  });
}

/** Files of the accounts before the unified one have the coin behind each amount: 0.0889 USDT. */
function bareNumber(cell: Cell): number {
  return cell.text.includes(' ') ? amountIn(cell).amount : numberIn(cell);
}

function positive(cell: Cell): number {
  const value = bareNumber(cell);
  if (value > 0) return value;
  throw new RowError(cell.column, `must be above 0; got ${quote(cell.text)}`, cell.line);
}

/** Of a spot purchase the fee is in what was bought, of anything else in what it is priced in, unless its coin is named. */
function feesOf(
  { exactFee, feeCoin, fee, symbol }: Cells,
  { currency, coin, side }: { currency: string; coin: string; side: 'buy' | 'sell' },
): Partial<FileFill> {
  const exact = exactFee && orNothing(exactFee, numberIn);
  const amount = exact ?? (fee && orNothing(fee, bareNumber)) ?? 0;
  if (amount === 0) return {};
  const isSpot = symbol.column === SPOT.symbol;
  const named = typeof exact === 'number' ? feeCoin?.text : / (\w+)$/.exec(fee?.text ?? '')?.[1];
  const paidIn = named || (isSpot && side === 'buy' ? coin : currency);
  if (paidIn === currency) return { fees: amount };
  return paidIn === coin && isSpot ? { feeQuantity: amount } : { otherFee: { amount, currency: paidIn } };
}
