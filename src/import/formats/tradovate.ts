/**
 * Tradovate's exports "Performance" and "Position History". Each row pairs part of a buy with part of a sell, first in, first
 * out. A fill may appear in several rows, each with another counterpart.
 */
import { RowError } from '../../errors.ts';
import { roundMoney, Sum } from '../../money.ts';
import { compareIds } from '../fills/identity.ts';
import { multiplierFrom } from '../fills/multiplier.ts';
import { byTime, type FileFill, fill, type StatedTotal } from '../fills/reading.ts';
import { type Cell, cellError, idIn } from '../parse/columns.ts';
import { contractSize, future, type Instrument } from '../parse/instruments.ts';
import { moneyIn, plainPriceIn, positiveIn, priceIn32nds } from '../parse/numbers.ts';
import { type Cells as CellsOf, optional, type TableFile } from '../table/declaration.ts';
import { rowsTable } from '../table/rows.ts';

const COLUMNS = {
  symbol: ['symbol', 'Contract'],
  buyId: ['buyFillId', 'Buy Fill ID'],
  sellId: ['sellFillId', 'Sell Fill ID'],
  quantity: ['qty', 'Paired Qty'],
  buyPrice: ['buyPrice', 'Buy Price'],
  sellPrice: ['sellPrice', 'Sell Price'],
  pnl: ['pnl', 'P/L'],
  bought: ['boughtTimestamp', 'Bought Timestamp'],
  sold: ['soldTimestamp', 'Sold Timestamp'],
  // Style of prices: type 0 is decimal, type 1 is fractions with the denominator two to the power of the format.
  priceFormat: optional('_priceFormat'),
  priceFormatType: optional('_priceFormatType'),
  // Only in Position History. Performance covers one account, and names neither it nor the currency.
  account: optional('Account'),
  currency: optional('Currency'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

interface Pair {
  line: number;
  account: string | null;
  symbol: string;
  buy: End;
  sell: End;
  quantity: number;
  pnl: number;
  /** Of the P&L, if stated. */
  currency: string | null;
}

/** The part of a fill in a pair. */
interface End {
  side: 'buy' | 'sell';
  id: string;
  price: number;
  executedAt: string;
}

export const tradovate = rowsTable({
  name: 'tradovate',
  description: 'Tradovate: Reports, Performance or Position History (CSV): pairs of fills, no fees',
  evidence: 'real files',
  platform: 'tradovate',
  mayStateOrders: true,
  hasUniqueIds: true,
  marks: [COLUMNS.buyId, COLUMNS.sellId, COLUMNS.bought],
  columns: COLUMNS,
  dates: 'mdy',
  hasFees: false,
  end(rows, file) {
    const pairs: Pair[] = [];
    // A long file's cells need more memory than everything made of them, so each row goes once it is read.
    rows.reverse();
    for (let cells = rows.pop(); cells; cells = rows.pop()) pairs.push(pairOf(cells, file));
    const fills: FileFill[] = [];
    const made = new Map<string, Sum>();
    for (const [symbol, own] of Map.groupBy(pairs, (pair) => pair.symbol)) {
      const ends = own.flatMap((pair) => [endOf(pair, pair.buy, pair.sell), endOf(pair, pair.sell, pair.buy)]);
      refuseContradictions(ends);
      const instrument = instrumentOf(symbol, own);
      for (const { end, pair, other } of inOrder(ends)) fills.push(fillOf(end, other, pair, instrument));
      const sum = made.get(instrument.currency) ?? new Sum();
      made.set(instrument.currency, sum);
      for (const { pnl } of own) sum.add(pnl);
    }
    const stated = [...made].map(([currency, { value }]): StatedTotal => {
      return { what: 'gross', currency, symbol: null, amount: roundMoney(value) };
    });
    return { fills, stated };
  },
});

function pairOf(cells: Cells, file: TableFile): Pair {
  const end = (side: End['side'], id: Cell, price: Cell, time: Cell): End => ({
    side,
    id: fillIdIn(id),
    price: priceIn(price, cells),
    executedAt: file.instantIn(time),
  });
  return {
    line: cells.symbol.line,
    account: cells.account?.text || null,
    symbol: cells.symbol.text,
    quantity: positiveIn(cells.quantity),
    buy: end('buy', cells.buyId, cells.buyPrice, cells.bought),
    sell: end('sell', cells.sellId, cells.sellPrice, cells.sold),
    pnl: moneyIn(cells.pnl),
    currency: cells.currency?.text || null,
  };
}

/** Treasury futures are in 32nds: 110 045. */
function priceIn(price: Cell, { priceFormat, priceFormatType }: Cells): number {
  if (priceFormatType?.text === '0' || !/\d[ '’-]\d/.test(price.text)) return plainPriceIn(price);
  if (priceFormat === undefined || priceFormat.text === '5') return priceIn32nds(price);
  throw cellError(priceFormat, 'must be 5 (32nds) if prices are in fractions');
}

export function fillIdIn(cell: Cell): string {
  const text = idIn(cell);
  if (/^[A-Za-z0-9._~-]{1,32}$/.test(text)) return text;
  throw cellError(cell, 'must be the number of a fill, such as 1234567');
}

/** The export states no multiplier: it is derived from P&L and prices. */
function instrumentOf(symbol: string, pairs: readonly Pair[]): Instrument {
  const moves = pairs.map(({ buy, sell, quantity, pnl, line }) => ({
    points: (sell.price - buy.price) * quantity,
    gross: pnl,
    line,
  }));
  const traded = future(symbol);
  const multiplier = multiplierFrom(moves, symbol) ?? null;
  const stated = pairs.find(({ currency }) => currency !== null)?.currency;
  // If the P&L fits the specified contract size, it is in the contract's currency.
  const isOwn = multiplier === (contractSize(traded.underlying ?? '')?.multiplier ?? null);
  return { ...traded, multiplier, currency: stated ?? (isOwn ? traded.currency : 'USD') };
}

interface PairEnd {
  end: End;
  other: End;
  pair: Pair;
}

function endOf(pair: Pair, end: End, other: End): PairEnd {
  return { end, other, pair };
}

function refuseContradictions(ends: readonly PairEnd[]): void {
  const known = new Map<string, PairEnd>();
  for (const { end, other, pair } of ends) {
    const before = known.get(end.id);
    if (!before) {
      known.set(end.id, { end, other, pair });
    } else if (
      before.end.side !== end.side ||
      before.end.price !== end.price ||
      before.end.executedAt !== end.executedAt
    ) {
      throw new RowError(
        `${end.side}FillId`,
        `fill ${end.id} has a different price, time or side on line ${before.pair.line}; export the report again`,
        pair.line,
      );
    }
  }
}

/** Ids rise with time, and order fills of the same time. */
function inOrder(ends: readonly PairEnd[]): PairEnd[] {
  return [...ends].sort(({ end: a }, { end: b }) => byTime(a, b) || compareIds(a.id, b.id));
}

function fillOf(end: End, other: End, { line, account, quantity }: Pair, instrument: Instrument): FileFill {
  return fill({
    line,
    account,
    executionId: end.id,
    pairedWith: other.id,
    instrument,
    executedAt: end.executedAt,
    side: end.side,
    quantity,
    price: end.price,
    mayShort: true,
  });
}
