/**
 * Tradovate's "Performance" export. Each row pairs a part of a buy with a part of a sell, first in, first out; so a fill
 * appears in several rows, and a pair may belong to two positions. The fills are put together again and walked in order:
 * a trade goes from flat to flat, and a fill that turns a position through zero closes one trade and opens the next.
 */

import { flatToFlat } from '../../journal-write/executions.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { roundMoney, Sum } from '../../money.ts';
import { type Cell, columnsOf, refuseEmpty } from '../parse/columns.ts';
import { readCsv } from '../parse/csv-rows.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { instantIn } from '../parse/times.ts';
import { type FileRecord, type Format, reading } from './format.ts';

const COLUMNS = {
  symbol: 'symbol',
  buyId: 'buyFillId',
  sellId: 'sellFillId',
  quantity: 'qty',
  buyPrice: 'buyPrice',
  sellPrice: 'sellPrice',
  pnl: 'pnl',
  bought: 'boughtTimestamp',
  sold: 'soldTimestamp',
};

interface Pair {
  line: number;
  symbol: string;
  buy: Fill;
  sell: Fill;
  quantity: number;
  pnl: number;
}

/** One fill, or what one trade has of it. */
interface Fill {
  line: number;
  id: string;
  symbol: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
  executed_at: string;
}

export const tradovate: Format = {
  name: 'tradovate',
  description: 'Tradovate: the "Performance" export (CSV)',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['buyFillId', 'sellFillId', 'boughtTimestamp'].every((name) => header.includes(name));
  },
  read(text, { user, timeZone }) {
    const zone = timeZone ?? user.timezone;
    const pairs = pairsOf(text, zone);
    const notes = [
      `times have no zone in this format: read as ${zone}${timeZone === undefined ? ", the user's time zone; --timezone says otherwise" : ''}`,
      'fees are 0: this export has none',
    ];
    if (user.base_currency !== 'USD') {
      notes.push(
        `the trades are in USD and have no fx_rate to ${user.base_currency}: analytics leaves them out until they get one`,
      );
    }
    const records: FileRecord[] = [];
    for (const [symbol, own] of Map.groupBy(pairs, (pair) => pair.symbol)) {
      const fills = fillsOf(own);
      const multiplier = multiplierOf(own);
      if (multiplier === undefined) {
        notes.push(
          `the value of a point of ${symbol} can't be told, since each of its pairs has one price: multiplier is 1`,
        );
      }
      // As many were bought as sold, so the last trade is closed as well.
      const trades = flatToFlat(fills);
      checkTotal(own, trades, multiplier ?? 1);
      records.push(...trades.map((fills) => recordOf(fills, multiplier ?? 1)));
    }
    records.sort((a, b) => a.line - b.line);
    return reading({ rows: pairs.length, records, notes });
  },
};

function pairsOf(text: string, zone: string): Pair[] {
  const { header, rows } = readCsv(text);
  const cellsOf = columnsOf(header, COLUMNS);
  return rows.map((row) => pairOf(cellsOf(row), row.line, zone));
}

function pairOf(cells: Record<keyof typeof COLUMNS, Cell>, line: number, zone: string): Pair {
  refuseEmpty(...Object.values(cells));
  const symbol = cells.symbol.text;
  const quantity = positiveIn(cells.quantity);
  const fill = (side: Fill['side'], id: Cell, price: Cell, time: Cell): Fill => ({
    line,
    id: fillIdIn(id),
    symbol,
    side,
    quantity,
    price: numberIn(price),
    executed_at: instantIn(time, 'mdy', zone),
  });
  return {
    line,
    symbol,
    buy: fill('buy', cells.buyId, cells.buyPrice, cells.bought),
    sell: fill('sell', cells.sellId, cells.sellPrice, cells.sold),
    quantity,
    pnl: moneyIn(cells.pnl),
  };
}

function fillIdIn({ text, column, line }: Cell): string {
  if (/^[A-Za-z0-9._~-]{1,40}$/.test(text)) return text;
  throw new RowError(column, `must be the number of a fill; got ${quote(text)}`, line);
}

/**
 * What a point of price is worth, from prices and P&L: the roundest number that explains every row to half a cent.
 * Undefined where no row says.
 * @throws RowError where no number does
 */
function multiplierOf(pairs: readonly Pair[]): number | undefined {
  const moved = pairs.map((pair) => ({ pair, points: (pair.sell.price - pair.buy.price) * pair.quantity }));
  const clearest = moved.reduce((a, b) => (Math.abs(b.points) > Math.abs(a.points) ? b : a));
  const known = clearest.points !== 0;
  const exact = known ? clearest.pair.pnl / clearest.points : 0;
  const worst = (multiplier: number) =>
    moved.find(({ pair, points }) => Math.abs(points * multiplier - pair.pnl) > 0.005 + 1e-6)?.pair;
  for (let digits = 1; digits <= 12 && known; digits++) {
    const multiplier = Number(exact.toPrecision(digits));
    if (multiplier > 0 && !worst(multiplier)) return multiplier;
  }
  const wrong = worst(exact);
  if (wrong || (known && exact <= 0)) {
    const { pnl, line } = wrong ?? clearest.pair;
    throw new RowError(
      'pnl',
      `${pnl} does not fit the prices and the quantity of this row, as other rows of ${clearest.pair.symbol} have it`,
      line,
    );
  }
  return undefined;
}

/** The fills behind the pairs, in the order they happened. */
function fillsOf(pairs: readonly Pair[]): Fill[] {
  const fills = new Map<string, Fill>();
  for (const part of pairs.flatMap(({ buy, sell }) => [buy, sell])) {
    const fill = fills.get(part.id);
    if (!fill) {
      fills.set(part.id, { ...part });
      continue;
    }
    if (fill.side !== part.side || fill.price !== part.price || fill.executed_at !== part.executed_at) {
      throw new RowError(
        `${part.side}FillId`,
        `fill ${part.id} has another price, time or side on line ${fill.line}`,
        part.line,
      );
    }
    fill.quantity += part.quantity;
  }
  return [...fills.values()].sort(
    (a, b) => compare(a.executed_at, b.executed_at) || a.id.length - b.id.length || compare(a.id, b.id),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whatever the pairing, the trades must make what the rows made, to the half cent that a row may be rounded by. */
function checkTotal(pairs: readonly Pair[], trades: readonly Fill[][], multiplier: number): void {
  const told = new Sum();
  let tolerance = 1e-6;
  for (const { buy, sell, quantity, pnl } of pairs) {
    told.add(pnl);
    tolerance += Math.abs((sell.price - buy.price) * quantity * multiplier - pnl);
  }
  const made = new Sum();
  for (const { side, quantity, price } of trades.flat())
    made.add((side === 'sell' ? 1 : -1) * quantity * price * multiplier);
  if (Math.abs(told.value - made.value) > tolerance) {
    throw new RowError(
      'pnl',
      `the rows of ${pairs[0]?.symbol} add up to ${roundMoney(told.value)}, the trades to ${roundMoney(made.value)}`,
    );
  }
}

function recordOf(fills: readonly Fill[], multiplier: number): FileRecord {
  const first = fills[0] as Fill;
  return {
    line: first.line,
    values: {
      // A fill opens one trade at most, so the first fill names it: also where it closes another one.
      id: `tradovate:${first.symbol.replace(/[^A-Za-z0-9._~-]/g, '-').slice(0, 64)}:${first.id}`,
      symbol: first.symbol,
      market: 'future',
      currency: 'USD',
      multiplier,
      source: 'tradovate',
      executions: fills.map(({ executed_at, side, quantity, price }) => ({
        executed_at,
        side,
        quantity,
        price,
        fees: 0,
      })),
    },
  };
}
