/**
 * Freqtrade: the bot's own database, with columns that differ by version, and backtest
 * results. Times are UTC.
 */
import * as z from 'zod';
import { quote, RowError } from '../../errors.ts';
import { roundMoney, totalMoney } from '../../money.ts';
import { coins, type Instrument, quoteOf } from '../../parse/instruments.ts';
import { LONGEST_READ, MOST_ROWS, textOrZipped } from '../../parse/open-file.ts';
import { clockMs, instantIn } from '../../parse/times.ts';
import { FileUnavailable } from '../../sqlite/errors.ts';
import { readCopy } from '../../sqlite/handles.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { type FileRecord, reading, type StatedTotal, skip } from '../fills/reading.ts';
import { closedTrades, pointsOf, type RoundTrip } from '../tables/closed-trade.ts';
import type { BinaryFormat } from '../tables/format.ts';
import { KNOWN } from './known.ts';
import { BACKTEST_RESULT } from './recognisers.ts';
import { jsonIn } from './records.ts';

/** The same in the database and in backtest results. */
const traded = {
  pair: z.string(),
  amount: z.number(),
  open_rate: z.number(),
  close_rate: z.number().nullish(),
  open_date: z.string(),
  close_date: z.string().nullish(),
  funding_fees: z.number().nullish(),
};

const tradeRow = z.object({
  ...traded,
  id: z.number(),
  is_open: z.number(),
  is_short: z.number().nullish(),
  fee_open: z.number().nullish(),
  fee_close: z.number().nullish(),
  close_profit_abs: z.number().nullish(),
  realized_profit: z.number().nullish(),
});

const orderRow = z.object({
  ft_trade_id: z.number().nullish(),
  side: z.string().nullish(),
  ft_order_side: z.string().nullish(),
  filled: z.number().nullish(),
  average: z.number().nullish(),
  price: z.number().nullish(),
  cost: z.number().nullish(),
  ft_fee_base: z.number().nullish(),
  order_date: z.string().nullish(),
  order_filled_date: z.string().nullish(),
});

type TradeRow = z.infer<typeof tradeRow>;

/** A filled order. */
interface Leg {
  executedAt: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
}

export const freqtrade: BinaryFormat = {
  ...KNOWN.freqtrade,
  read(bytes, { path }) {
    if (path === null) {
      throw new RowError(
        null,
        'a database needs the files next to it; pass its path instead of standard input',
      );
    }

    const { trades, orders } = tablesOf(bytes);
    const skipped = new Map<string, number>();
    const legs = legsOf(orders, skipped);
    const closed: RoundTrip[] = [];
    const open: FileRecord[] = [];
    const unpriced: TradeRow[] = [];

    for (const row of trades) {
      const ofTrade = legs.get(row.id) ?? [];
      if (row.is_open === 0) {
        const trade = closedRowOf(row, ofTrade);
        if (trade) closed.push(trade);
        else unpriced.push(row);
      } else if (ofTrade.length === 0 && orders.length > 0)
        skip(skipped, 'trade without a filled order');
      else open.push(openTradeOf(row, ofTrade));
    }

    const profits = Map.groupBy(trades, ({ pair, id }) => pairOf(pair, id).currency);
    const profitOf = (row: TradeRow) =>
      (row.is_open === 0 ? row.close_profit_abs : row.realized_profit) ?? 0;
    skip(skipped, 'closed trade without close_rate', unpriced.length);

    const { records, notes } = closedTrades('freqtrade', closed);
    const isStated = trades.every(
      (row) =>
        row.is_open !== 0 || row.close_profit_abs != null || unpriced.includes(row),
    );
    const stated = (isStated ? [...profits] : []).map(
      ([currency, ofCurrency]): StatedTotal => {
        return {
          what: 'net',
          currency,
          symbol: null,
          amount: totalMoney(ofCurrency.map(profitOf)),
          isRealised: true,
        };
      },
    );
    if (!isStated) notes.push(NO_PROFITS);

    for (const { id, pair } of unpriced.slice(0, MOST_NAMED)) {
      notes.push(
        `trade ${id} of ${pair} is closed but has no close_rate and no filled orders to take it from; skipped`,
      );
    }

    const rows = trades.length + orders.length;

    return reading({ rows, records: [...records, ...open], skipped, notes, stated });
  },
};

/** Maximum number of trades named in notes. */
const MOST_NAMED = 5;

const NO_PROFITS =
  'the database lacks profits of closed trades (close_profit_abs), as in 2019; nothing to compare';

/** Only current tables: those left by a migration (trades_bak0) have the same trades. */
function tablesOf(bytes: Buffer): {
  trades: TradeRow[];
  orders: z.infer<typeof orderRow>[];
} {
  try {
    return readCopy(bytes, (reader) => {
      const trades = rowsIn(reader, 'trades', tradeRow);
      if (!trades)
        throw new RowError(null, 'not a database of Freqtrade: it has no table trades');
      return { trades, orders: rowsIn(reader, 'orders', orderRow) ?? [] };
    });
  } catch (error) {
    throw error instanceof FileUnavailable
      ? new RowError(null, `can't be read: ${error.message}`)
      : error;
  }
}

/**
 * The known columns of a table's rows, in the order of their ids.
 * @returns undefined if there is no such table
 * @throws RowError if it is a view, has a computed column, or exceeds the bounds
 */
function rowsIn<S extends z.ZodRawShape>(
  reader: Reader,
  table: 'trades' | 'orders',
  schema: z.ZodObject<S>,
): z.infer<z.ZodObject<S>>[] | undefined {
  const kind = reader.get(
    "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ?",
    table,
  )?.['type'];
  if (kind === undefined) return undefined;

  const columns = reader.all<{ name: string; hidden: number }>(
    'SELECT name, hidden FROM pragma_table_xinfo(?)',
    table,
  );
  const computed = columns.find(({ hidden }) => hidden !== 0)?.name;
  if (kind !== 'table' || computed !== undefined) {
    const name = computed === undefined ? table : `${table}.${computed}`;
    throw new RowError(name, 'is computed, unlike anything in a database of Freqtrade');
  }

  const names = columns
    .map(({ name }) => name)
    .filter((name) => name === 'id' || Object.hasOwn(schema.shape, name));
  if (!names.includes('id')) throw RowError.missing([`${table}.id`]);

  // Check the length first: the value may be as long as the file.
  const values = names.map(
    (name) => `iif(octet_length(${name}) > ${LONGEST_READ}, x'', ${name}) AS ${name}`,
  );
  const rows: z.infer<z.ZodObject<S>>[] = [];
  for (const row of reader.each(
    `SELECT ${values.join(', ')} FROM ${table} ORDER BY ${table}.id`,
  )) {
    if (rows.length >= MOST_ROWS)
      throw new RowError(table, `has more than ${MOST_ROWS} rows`);
    rows.push(parsed(schema, table, row, rows.length + 1));
  }

  return rows;
}

function parsed<T>(
  schema: z.ZodType<T>,
  table: string,
  row: Readonly<Record<string, unknown>>,
  line: number,
): T {
  const long = Object.keys(row).find((name) => row[name] instanceof Uint8Array);
  if (long !== undefined) {
    throw new RowError(
      `${table}.${long}`,
      `must be a number, or text with a maximum of ${LONGEST_READ} characters`,
      line,
    );
  }

  const result = schema.safeParse(row);
  if (result.success) return result.data;

  const [issue] = result.error.issues;
  throw new RowError(
    `${table}.${issue?.path.join('.')}`,
    issue?.message ?? 'is invalid',
    line,
  );
}

/** Filled orders by trade, in the order of their fills. */
function legsOf(
  orders: readonly z.infer<typeof orderRow>[],
  skipped: Map<string, number>,
): Map<number, Leg[]> {
  const legs = new Map<number, Leg[]>();
  for (const row of orders) {
    const { ft_trade_id: id, filled } = row;
    if (!filled || typeof id !== 'number') {
      skip(skipped, 'unfilled order');
      continue;
    }

    const leg = legOf(row, filled, id);
    const ofTrade = legs.get(id);
    if (ofTrade) ofTrade.push(leg);
    else legs.set(id, [leg]);
  }

  for (const ofTrade of legs.values())
    ofTrade.sort((a, b) => clockMs(a.executedAt) - clockMs(b.executedAt));

  return legs;
}

function legOf(row: z.infer<typeof orderRow>, filled: number, trade: number): Leg {
  const { average, price, cost } = row;
  // Some exchanges don't repeat the side in their response.
  const side = row.side ?? row.ft_order_side;
  if (side !== 'buy' && side !== 'sell') {
    throw new RowError('orders.side', `must be buy or sell; got ${quote(side)}`, trade);
  }

  const filledAt = row.order_filled_date ?? row.order_date ?? '';

  return {
    executedAt: instantOf(filledAt, 'order_filled_date', trade),
    side,
    // A fee in the coin reduces the quantity bought.
    quantity: filled - (side === 'buy' ? (row.ft_fee_base ?? 0) : 0),
    price: average ?? (cost ? cost / filled : (price ?? 0)),
  };
}

/** Each bot numbers its trades from 1: pair and time make the id unique across bots. */
function idOf({ id, pair, open_date: opened }: TradeRow): string {
  const openedAt = instantOf(opened, 'open_date', id);
  return [pair.replaceAll(/[^A-Za-z0-9]/g, '-'), openedAt.replaceAll(/\D/g, ''), id].join(
    ':',
  );
}

function instantOf(text: string, column: string, line: number): string {
  return instantIn({ text, column, line }, 'ymd', 'UTC');
}

/**
 * Undefined if neither the trade nor its orders state when and at what price it was
 * closed.
 */
function closedRowOf(row: TradeRow, legs: readonly Leg[]): RoundTrip | undefined {
  const line = row.id;
  const exits = legs.filter(({ side }) => (side === 'sell') !== (row.is_short === 1));
  const closedAt = row.close_date || exits.at(-1)?.executedAt;
  const closeRate = row.close_rate ?? averageOf(exits)?.price;
  if (!closedAt || typeof closeRate !== 'number') return undefined;

  const end = {
    line,
    id: idOf(row),
    account: null,
    isShort: row.is_short === 1,
    closedAt,
    closeRate,
  };

  return closedTradeOf({ ...row, ...end }, legs);
}

/** A trade of the database or of a backtest. */
interface Ended extends Omit<z.infer<typeof tradeRow>, 'id' | 'is_open' | 'is_short'> {
  line: number;
  id: string | null;
  account: string | null;
  isShort: boolean;
  closedAt: string;
  closeRate: number;
}

/** @param orders filled ones */
function closedTradeOf(
  row: Ended,
  orders: readonly Pick<Leg, 'side' | 'quantity' | 'price'>[],
): RoundTrip {
  const { line, id, account, isShort, closedAt, closeRate } = row;
  const entered = averageOf(orders.filter(({ side }) => (side === 'sell') === isShort));
  const left = averageOf(orders.filter(({ side }) => (side === 'sell') !== isShort));
  // If the position was increased or reduced on the way, the trade's own amount is only
  // the rest.
  const isWhole = orders.length <= 2 || !entered || !left;
  const quantity = isWhole ? row.amount : left.quantity;
  const trade: RoundTrip = {
    line,
    id,
    account,
    instrument: pairOf(row.pair, line),
    side: isShort ? 'short' : 'long',
    quantity,
    entry: {
      executedAt: instantOf(row.open_date, 'open_date', line),
      price: isWhole ? row.open_rate : entered.price,
    },
    exit: {
      executedAt: instantOf(closedAt, 'close_date', line),
      price: isWhole ? closeRate : left.price,
    },
    gross: 0,
    fees: 0,
    multiplier: 1,
  };
  trade.gross = roundMoney(pointsOf(trade));

  const fees =
    trade.entry.price * (row.fee_open ?? 0) + trade.exit.price * (row.fee_close ?? 0);
  trade.fees = roundMoney(quantity * fees - (row.funding_fees ?? 0));

  return trade;
}

function averageOf(
  orders: readonly Pick<Leg, 'quantity' | 'price'>[],
): { quantity: number; price: number } | undefined {
  const quantity = orders.reduce((sum, order) => sum + order.quantity, 0);
  return quantity > 0
    ? {
        quantity,
        price:
          orders.reduce((sum, order) => sum + order.quantity * order.price, 0) / quantity,
      }
    : undefined;
}

/** An open trade with its fills so far. */
function openTradeOf(row: TradeRow, legs: readonly Leg[]): FileRecord {
  const entering = row.is_short === 1 ? 'sell' : 'buy';
  const opening: Leg = {
    executedAt: instantOf(row.open_date, 'open_date', row.id),
    side: entering,
    quantity: row.amount,
    price: row.open_rate,
  };
  const { symbol, market, currency } = pairOf(row.pair, row.id);
  const feeOf = ({ side }: Leg) =>
    (side === entering ? row.fee_open : row.fee_close) ?? 0;
  const executions = (legs.length > 1 ? legs : [opening]).map((leg) => ({
    executed_at: leg.executedAt,
    side: leg.side,
    quantity: leg.quantity,
    price: leg.price,
    fees: roundMoney(leg.quantity * leg.price * feeOf(leg)),
  }));
  const facts = { id: `freqtrade:${idOf(row)}`, symbol, market, currency, multiplier: 1 };

  return { line: row.id, values: { ...facts, executions } };
}

/** ETH/BTC, or with the settlement coin: ETH/USDT:USDT. */
function pairOf(pair: string, line: number): Instrument {
  return coins(pair, quoteOf({ text: pair.replace(/:.*/s, ''), column: 'pair', line }));
}

// A backtest result: closed trades of one or several strategies, as JSON, with fees as
// ratios.

const order = z.object({
  amount: z.number(),
  safe_price: z.number(),
  ft_is_entry: z.boolean(),
});

const backtestTrade = z.object({
  ...traded,
  fee_open: z.number(),
  fee_close: z.number(),
  profit_abs: z.number().nullish(),
  is_open: z.boolean().nullish(),
  is_short: z.boolean().nullish(),
  orders: z.array(order).nullish(),
});

const strategyResult = z.object({
  trades: z.array(backtestTrade),
  profit_total_abs: z.number().nullish(),
  stake_currency: z.string().nullish(),
});

const result = z.object({ strategy: z.record(z.string(), strategyResult) });

export const freqtradeBacktest: BinaryFormat = {
  ...KNOWN['freqtrade-backtest'],
  read(bytes) {
    const { strategy } = resultIn(
      textOrZipped(bytes, (name) => BACKTEST_RESULT.test(name), 'backtest result'),
    );
    const skipped = new Map<string, number>();
    const trades: RoundTrip[] = [];
    const stated: { net: number; trade: RoundTrip }[] = [];

    for (const [name, { trades: results }] of Object.entries(strategy)) {
      const account = Object.keys(strategy).length > 1 ? name : null;
      for (const row of results) {
        const closed = testedTradeOf(row, account);
        if (!closed) {
          skip(skipped, 'open trade');
          continue;
        }
        trades.push(closed);
        if (typeof row.profit_abs === 'number')
          stated.push({ net: row.profit_abs, trade: closed });
      }
    }

    const { records, notes } = closedTrades('freqtrade-backtest', trades);
    const totals = totalsOf(stated).map((total) => {
      const amount = totalIn(Object.values(strategy), total.currency);
      return amount === undefined ? total : { ...total, isTotal: true as const, amount };
    });

    return reading({ records, skipped, notes, stated: totals });
  },
};

function resultIn(text: string): z.infer<typeof result> {
  const parsed = result.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RowError(
    issue?.path.join('.') ?? null,
    issue?.message ?? 'not a backtest result',
    1,
  );
}

/** The profit that strategies state in a currency; undefined if one of them doesn't. */
function totalIn(
  strategies: readonly z.infer<typeof strategyResult>[],
  currency: string,
): number | undefined {
  const ofCurrency = strategies.filter(
    ({ stake_currency: name }) => (name ?? currency) === currency,
  );
  const amounts = ofCurrency.flatMap(({ profit_total_abs: amount }) => amount ?? []);
  return amounts.length === ofCurrency.length && ofCurrency.length > 0
    ? totalMoney(amounts)
    : undefined;
}

/**
 * Undefined if it is still open. Trades that the end of the backtest closed are marked as
 * open, but have their exit.
 */
function testedTradeOf(
  row: z.infer<typeof backtestTrade>,
  account: string | null,
): RoundTrip | undefined {
  const { is_short: short, close_date: closedAt, close_rate: closeRate } = row;
  if (!closedAt || typeof closeRate !== 'number') return undefined;

  const isShort = short === true;
  const orders = (row.orders ?? []).map(
    ({ amount, safe_price: price, ft_is_entry: isEntry }) => {
      return {
        side: isEntry === isShort ? ('sell' as const) : ('buy' as const),
        quantity: amount,
        price,
      };
    },
  );

  return closedTradeOf(
    { ...row, line: 1, id: null, account, isShort, closedAt, closeRate },
    orders,
  );
}

/** Profits are after fees, in some versions before them: the prices decide. */
function totalsOf(stated: readonly { net: number; trade: RoundTrip }[]): StatedTotal[] {
  return [...Map.groupBy(stated, ({ trade: { instrument } }) => instrument.currency)].map(
    ([currency, ofCurrency]) => {
      const amount = totalMoney(ofCurrency.map(({ net }) => net));
      const gross = totalMoney(ofCurrency.map(({ trade }) => trade.gross));
      const fees = totalMoney(ofCurrency.map(({ trade }) => trade.fees));
      const isGross = Math.abs(amount - gross) < Math.abs(amount - (gross - fees));
      return { what: isGross ? 'gross' : 'net', currency, symbol: null, amount };
    },
  );
}
