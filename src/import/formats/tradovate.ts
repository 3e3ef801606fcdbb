/**
 * Tradovate's exports of pairs of fills, of fills, of orders and of cash. Ids of fills
 * are unique on the platform.
 */
import { RowError } from '../../errors.ts';
import { contractSize } from '../../journal/derivatives.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  idIn,
  moneyIn,
  numberIn,
  orNothing,
  plainPriceIn,
  positiveIn,
  priceIn32nds,
  wordIn,
} from '../../parse/cells.ts';
import { future, type Instrument } from '../../parse/instruments.ts';
import { compareIds } from '../fills/identity.ts';
import { multiplierFrom } from '../fills/multiplier.ts';
import { type FileFill, fill, type StatedCash } from '../fills/reading.ts';
import { type StatedAmount, totals } from '../tables/closed-trade.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  ORDERS,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable, inOrderOfIds } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

// "Performance" and "Position History": each row pairs part of a buy with part of a sell,
// first in, first out. A fill may appear in several rows, each with another counterpart.

const PAIRS = {
  symbol: ['symbol', 'Contract'],
  buyId: ['buyFillId', 'Buy Fill ID'],
  sellId: ['sellFillId', 'Sell Fill ID'],
  quantity: ['qty', 'Paired Qty'],
  buyPrice: ['buyPrice', 'Buy Price'],
  sellPrice: ['sellPrice', 'Sell Price'],
  pnl: ['pnl', 'P/L'],
  bought: ['boughtTimestamp', 'Bought Timestamp'],
  sold: ['soldTimestamp', 'Sold Timestamp'],
  // Style of prices: type 0 is decimal, type 1 is fractions with the denominator two to
  // the power of the format.
  priceFormat: optional('_priceFormat'),
  priceFormatType: optional('_priceFormatType'),
  // Only in Position History. Performance covers one account, and names neither it nor
  // the currency.
  account: optional('Account'),
  currency: optional('Currency'),
} as const;

type Cells = CellsOf<typeof PAIRS>;

interface Pair {
  buy: FileFill;
  sell: FileFill;
  pnl: number;
  /** Of the P&L, if stated. */
  currency: string | null;
}

export const tradovate = rowsTable({
  ...KNOWN.tradovate,
  columns: PAIRS,
  dates: 'mdy',
  hasFees: false,
  row: pairOf,
  end(pairs) {
    const fills: FileFill[] = [];
    const amounts: StatedAmount[] = [];
    for (const ofSymbol of Map.groupBy(
      pairs,
      ({ buy }) => buy.instrument.symbol,
    ).values()) {
      const parts = ofSymbol.flatMap(({ buy, sell }) => [buy, sell]);
      refuseContradictions(parts);
      const instrument = instrumentOf(ofSymbol);
      for (const part of inOrderOfIds(parts)) fills.push({ ...part, instrument });
      for (const { pnl } of ofSymbol)
        amounts.push({ what: 'gross', currency: instrument.currency, amount: pnl });
    }

    return { fills, stated: totals(amounts) };
  },
});

function pairOf(cells: Cells, file: TableFile): Pair {
  const quantity = positiveIn(cells.quantity);
  const part = (
    side: 'buy' | 'sell',
    [id, other]: readonly [Cell, Cell],
    price: Cell,
    time: Cell,
  ): FileFill =>
    fill({
      line: cells.symbol.line,
      account: cells.account?.text || null,
      executionId: fillIdIn(id),
      pairedWith: fillIdIn(other),
      instrument: future(cells.symbol.text),
      executedAt: file.instantIn(time),
      side,
      quantity,
      price: priceIn(price, cells),
      mayShort: true,
    });

  return {
    buy: part('buy', [cells.buyId, cells.sellId], cells.buyPrice, cells.bought),
    sell: part('sell', [cells.sellId, cells.buyId], cells.sellPrice, cells.sold),
    pnl: moneyIn(cells.pnl),
    currency: cells.currency?.text || null,
  };
}

/** Treasury futures are in 32nds: 110 045. */
function priceIn(price: Cell, { priceFormat, priceFormatType }: Cells): number {
  if (priceFormatType?.text === '0' || !/\d[ '’-]\d/.test(price.text))
    return plainPriceIn(price);
  if (priceFormat === undefined || priceFormat.text === '5') return priceIn32nds(price);
  throw cellError(priceFormat, 'must be 5 (32nds) if prices are in fractions');
}

function fillIdIn(cell: Cell): string {
  const text = idIn(cell);
  if (/^[A-Za-z0-9._~-]{1,32}$/.test(text)) return text;
  throw cellError(cell, 'must be the number of a fill, such as 1234567');
}

/** The export states no multiplier: it is derived from P&L and prices. */
function instrumentOf(pairs: readonly [Pair, ...Pair[]]): Instrument {
  const { instrument: traded } = pairs[0].buy;
  const moves = pairs.map(({ buy, sell, pnl }) => ({
    points: (sell.price - buy.price) * Number(buy.quantity),
    gross: pnl,
    line: buy.line,
  }));
  const multiplier = multiplierFrom(moves, traded.symbol) ?? null;
  const stated = pairs.find(({ currency }) => currency !== null)?.currency;
  // If the P&L fits the specified contract size, it is in the contract's currency.
  const isOwn =
    multiplier === (contractSize(traded.underlying ?? '')?.multiplier ?? null);

  return { ...traded, multiplier, currency: stated ?? (isOwn ? traded.currency : 'USD') };
}

function refuseContradictions(parts: readonly FileFill[]): void {
  const known = new Map<string | null, FileFill>();
  for (const part of parts) {
    const before = known.get(part.executionId) ?? part;
    known.set(part.executionId, before);
    if (
      before.side === part.side &&
      before.price === part.price &&
      before.executedAt === part.executedAt
    )
      continue;

    const problem = `fill ${part.executionId} has a different price, time or side on line ${before.line}; export the report again`;
    throw new RowError(`${part.side}FillId`, problem, part.line);
  }
}

// Tradovate's Cash History: costs of each fill by account, contract and second, and P&L
// of each pair of fills. It has no sides, quantities or prices. The costs are added to
// fills without costs from other exports.

const CASH = {
  account: mayBeEmpty('Account'),
  id: 'Transaction ID',
  executed_at: 'Timestamp',
  amount: 'Delta',
  balance: mayBeEmpty('Amount'),
  type: 'Cash Change Type',
  currency: 'Currency',
  symbol: mayBeEmpty('Contract'),
} as const;

const TYPES = byMeaning({
  cost: 'Commission, Exchange Fee, Clearing Fee, Nfa Fee, Brokerage Fee, IP Fee, Order Routing Fee, Platform Fee',
  pair: 'Trade Paired',
});

export const tradovateCash = rowsTable({
  ...KNOWN['tradovate-cash'],
  columns: CASH,
  dates: ['mdy', 'ymd'],
  notes: [
    'costs without a fill wait for it; import Orders, Performance or Position History too, with the same zone',
  ],
  // Deposits, resets and data fees have no contract.
  skip: ({ type, symbol }) => (symbol.text === '' ? type.text.toLowerCase() : undefined),
  flows: {
    meanings: [
      [/^(fund|cash) transaction|deposit|withdraw|wire|ach/, 'funding'],
      [/payout/, 'payout'],
      [/transfer/, 'transfer'],
      [/interest/, 'interest'],
      [/fee|subscription|commission|market data/, 'fee'],
      [/tax/, 'tax'],
      [/./, 'other'],
    ],
    read: ({ id, type, amount, currency }) => [
      {
        id: fillIdIn(id),
        amount: moneyIn(amount),
        currency: currency.text,
        description: type.text,
      },
    ],
  },
  end(rows, file) {
    const [costs = [], pairs = []] = ['cost', 'pair'].map((kind) =>
      rows.filter(({ type }) => wordIn(type, TYPES) === kind),
    );
    const fills = costs.map((cells) => costOf(cells, file));
    file.skip('pair of fills (compared only)', pairs.length);

    const stated = totals([
      ...pairs.map(
        ({ currency, amount }) =>
          ({ what: 'gross', currency: currency.text, amount: moneyIn(amount) }) as const,
      ),
      ...fills.map(
        ({ instrument, fees }) =>
          ({ what: 'fees', currency: instrument.currency, amount: fees }) as const,
      ),
    ]);

    return {
      fills,
      stated: stated.map((total) => ({
        ...total,
        why: 'fills are missing, or have their own fees',
      })),
      cash: endingCash(file),
    };
  },
});

/** The balance after the last row of each account and currency: ids rise with time. */
function endingCash(file: TableFile<typeof CASH>): StatedCash[] {
  const latest = new Map<string, StatedCash & { id: string }>();
  for (const { account, currency, balance, id, executed_at: time } of file.rows()) {
    const amount = orNothing(balance, moneyIn);
    const key = `${account.text} ${currency.text}`;
    const known = latest.get(key);
    if (amount === null || (known && compareIds(known.id, id.text) > 0)) continue;

    const at = file.instantIn(time).slice(0, 10);
    const cash = { account: account.text || null, currency: currency.text, amount, at };
    latest.set(key, { ...cash, id: id.text });
  }

  return [...latest.values()].map(({ id: _, ...cash }) => cash);
}

function costOf(
  { account, id, executed_at, amount, currency, symbol }: CellsOf<typeof CASH>,
  file: TableFile,
): FileFill {
  const instrument = future(symbol.text);
  const cost = 0 - moneyIn(amount);

  return fill({
    line: id.line,
    executionId: fillIdIn(id),
    account: account.text || null,
    instrument,
    executedAt: wholeSecond(file.instantIn(executed_at), executed_at),
    kind: 'cost',
    side: null,
    quantity: null,
    price: 0,
    fees: currency.text === instrument.currency ? cost : 0,
    otherFee:
      currency.text === instrument.currency
        ? null
        : { amount: cost, currency: currency.text },
  });
}

function wholeSecond(instant: string, cell: Cell): string {
  if (instant.slice(19, 23) === '.000') return instant;
  throw cellError(cell, 'must be a time in whole seconds, such as 11/20/2026 16:33:05');
}

// Fills, and orders: an order with several fills is one fill at its average price.

export const tradovateFills = fillsTable({
  ...KNOWN['tradovate-fills'],
  columns: {
    execution_id: { column: ['_id', 'Fill ID'], read: fillIdIn },
    order_id: { column: ['_orderId', 'Order ID'], optional: true },
    executed_at: ['_timestamp', 'Timestamp'],
    quantity: ['_qty', 'Quantity', 'Qty'],
    price: { column: ['_price', 'Price'], read: plainPriceIn },
    account: { column: 'Account', optional: 'cells' },
    side: 'B/S',
    symbol: 'Contract',
    fees: { column: ['commission', 'Commission'], optional: true, read: moneyIn },
    active: { column: '_active', optional: true },
  },
  dates: ([time]) => (time?.column === '_timestamp' ? 'ymd' : 'mdy'),
  zone: (column) =>
    column === '_timestamp' ? { zone: 'UTC', note: 'times are in UTC' } : undefined,
  skip: ({ active }) =>
    !active || wordIn(active, { true: true, false: false })
      ? undefined
      : 'cancelled fill',
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  row: ({ fees }) => ({ feesStated: fees !== undefined && fees.text !== '' }),
  order: inOrderOfIds,
});

/** Results of orders. A cancelled order counts with its filled part. */
const STATUSES = byMeaning({
  filled: 'Filled',
  cancelled: 'Canceled, Cancelled',
  rejected: 'Rejected',
  expired: 'Expired',
  working: 'Working, Pending, Pending New, Pending Cancel, Pending Replace',
  suspended: 'Suspended',
  completed: 'Completed',
});

export const tradovateOrders = fillsTable({
  ...KNOWN['tradovate-orders'],
  columns: {
    execution_id: { column: ['orderId', 'Order ID'], read: fillIdIn },
    order_id: { column: ['orderId', 'Order ID'], optional: true },
    executed_at: 'Fill Time',
    quantity: ['filledQty', 'Filled Qty'],
    price: {
      column: ['decimalFillAvg', 'avgPrice', 'Avg Fill Price'],
      read: plainPriceIn,
    },
    account: { column: 'Account', optional: 'cells' },
    side: 'B/S',
    symbol: 'Contract',
    status: 'Status',
  },
  dates: 'mdy',
  skip({ status, quantity }) {
    const meaning = wordIn(status, STATUSES);
    return meaning === 'filled' || orNothing(quantity, numberIn)
      ? undefined
      : `${meaning} order`;
  },
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  order: inOrderOfIds,
  hasFees: false,
  notes: [ORDERS],
});
