/**
 * Binance: USDT futures with the P&L of each fill, spot trades with the coins after the
 * amounts, spot orders, balance changes.
 */
import { RowError } from '../../errors.ts';
import { asDecimal } from '../../money.ts';
import {
  amountIn,
  byMeaning,
  type Cell,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvTable, pointedTable, readFilledCsv } from '../../parse/csv-rows.ts';
import {
  byPrecedence,
  coinOf,
  coins,
  quoteOf,
  settledInCoins,
} from '../../parse/instruments.ts';
import { type FileFill, oldestFirst } from '../fills/reading.ts';
import { statedOffset, type Zone } from '../tables/clock.ts';
import {
  type Cells as CellsOf,
  ORDERS,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { feeIn, fillsTable } from '../tables/fills.ts';
import type { ReadContext } from '../tables/format.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';
import { withoutFootnote } from './recognisers.ts';

/**
 * The time column of all Binance files: many names, followed by the zone; some times
 * without the century.
 */
const TIME = {
  column: 'Date(UTC)',
  like: /^(Date|Time|UTC_Time|Czas|Tiempo|时间)( ?\(|$)/i,
  text: (text: string) => text.replace(/^(\d\d-\d\d-\d\d )/, '20$1'),
};

export const binance = fillsTable({
  ...KNOWN.binance,
  table: readFilledCsv,
  columns: {
    symbol: 'Symbol',
    side: 'Side',
    price: 'Price',
    quantity: ['Quantity', 'Qty'],
    fee: { column: 'Fee', optional: 'cells' },
    gross_pnl: 'Realized Profit',
    executed_at: TIME,
    account: { column: 'Uid', optional: true },
    execution_id: { column: 'Trade ID', optional: true },
    order_id: optional('Order ID'),
    fee_currency: { column: 'Fee Coin', optional: true },
  },
  dates: 'reformatted',
  zone: zoneOf,
  instrument: ({ symbol }) => coins(symbol.text, currencyOf(symbol)),
  mayShort: true,
  row: ({ fee, fee_currency }, { instrument: { currency } }) =>
    feeIn(fee, fee_currency, { currency }),
  end: (fills) => ({ fills: withEffects(fills) }),
});

/**
 * A fill with a profit closes a position, one from before the file if none is known.
 * Units beyond a known position open another only if the profit equals that of the known
 * one.
 */
function withEffects(fills: readonly FileFill[]): FileFill[] {
  const positions = new Map<string, Position>();
  return fills.map((fill) => {
    const { instrument, account, side, price, stated } = fill;
    const key = JSON.stringify([account, instrument.symbol]);
    const position = positions.get(key) ?? FLAT;
    const units = (side === 'buy' ? 1 : -1) * Number(fill.quantity);
    const gross = stated?.gross ?? 0;
    if (gross === 0) {
      const { open, cost } = position;
      positions.set(key, { open: open + units, cost: cost + units * price });
      return fill;
    }

    const closed = closedBy(units, price, gross, position);
    positions.set(key, closed ?? FLAT);
    return {
      ...fill,
      judged: closed || position.open === 0 ? 'close_then_open' : 'close',
    };
  });
}

interface Position {
  open: number;
  cost: number;
}

const FLAT: Position = { open: 0, cost: 0 };

/**
 * The position after a fill with a profit; undefined if the profit isn't that of the
 * position.
 */
function closedBy(
  units: number,
  price: number,
  gross: number,
  { open, cost }: Position,
): Position | undefined {
  if (open * units >= 0) return undefined;
  const after = open + units;
  if (after * open >= 0) return { open: after, cost: (cost * after) / open };
  const isAll = Math.abs(open * price - cost - gross) <= 1e-6 + Math.abs(gross) * 1e-4;
  return isAll ? { open: after, cost: after * price } : undefined;
}

export const binanceSpot = fillsTable({
  ...KNOWN['binance-spot'],
  table: readFilledCsv,
  columns: {
    // BTC/USDT in newer files.
    symbol: {
      column: ['Pair', 'Market', 'Symbol', 'Par', '交易对'],
      text: (text) => text.replace('/', ''),
    },
    side: ['Side', 'Type', 'Lado', '类型'],
    price: ['Price', 'Precio', '价格'],
    fee: { column: ['Fee', 'Tarifa', '手续费'], optional: 'cells' },
    executed_at: TIME,
    executed: { column: ['Executed', 'Ejecutado'], optional: true },
    amount: { column: ['Amount', 'Cantidad', '数量'], optional: true },
    quote: { column: ['Quote Asset', '计价货币'], optional: true },
    fee_currency: { column: ['Fee Coin', '手续费结算币种'], optional: true },
  },
  dates: 'reformatted',
  zone: zoneOf,
  instrument: ({ symbol, executed, amount, quote }) =>
    coins(
      symbol.text,
      quote?.text || (executed && quoteBeside(amount)) || quoteOf(symbol),
    ),
  row(
    { executed, amount, fee, fee_currency },
    { instrument: { symbol, currency } },
    { header },
  ) {
    const coin = coinOf({ symbol, currency });
    const quantity = executed ?? amount;
    if (!quantity) throw RowError.missing(['Executed'], header.line);
    return {
      quantity: hasCoin(quantity)
        ? amountIn(quantity, {}, [coin]).amount
        : positiveIn(quantity),
      ...feeIn(fee, fee_currency, { currency, coin }),
    };
  },
});

/** The coin after the amount paid. */
function quoteBeside(amount: Cell | undefined): string | undefined {
  return amount && hasCoin(amount) ? amountIn(amount).currency : undefined;
}

/** 5ABC, but not 5E-7. */
function hasCoin({ text }: Cell): boolean {
  return /[A-Z]/.test(text.replace(/E-?\d+$/, ''));
}

function currencyOf(symbol: Cell): string {
  const currency = quoteOf({
    ...symbol,
    text: symbol.text.replace(/_(\d{6}|PERP)$/, ''),
  });
  if (currency !== 'USD') return currency;
  throw settledInCoins(symbol);
}

/**
 * The zone in the header, such as Date(UTC) or Date(UTC+2), or in the file's name (UTC+6,
 * UTC--6); undefined if neither.
 */
function zoneOf(column: string, context: ReadContext): Zone | undefined {
  const inHeader = /^UTC_/.test(column) ? '+00:00' : statedOffset(column);
  const offset = inHeader ?? statedOffset(context.fileName);
  if (offset === undefined) return undefined;
  const note = `times are in UTC${offset}, from the file's name`;
  return { zone: 'UTC', offset, ...(inHeader === undefined && { note }) };
}

// Spot orders, without fees. An order with several fills is one fill at its average
// price. Files of the download centre have other column names, and no coins after the
// amounts.

const STATUSES = byMeaning({
  filled: 'FILLED, Partially Filled',
  cancelled: 'CANCELED, Cancelled',
  expired: 'EXPIRED',
  rejected: 'REJECTED',
  working: 'NEW',
});

const EXECUTED = ['Executed', 'Filled'];
const PRICE = ['Average Price', 'AvgTrading Price'];
const TOTAL = ['Trading total', 'Total'];
export const binanceOrders = fillsTable({
  ...KNOWN['binance-orders'],
  table: withoutFootnotes,
  columns: {
    execution_id: ['OrderNo', 'Order No.'],
    symbol: 'Pair',
    side: 'Side',
    executed: EXECUTED,
    price: PRICE,
    total: TOTAL,
    status: 'Status',
    executed_at: TIME,
  },
  dates: 'reformatted',
  zone: zoneOf,
  skip(cells) {
    const status = wordIn(cells.status, STATUSES);
    return executedIn(cells) ? undefined : `${status} order`;
  },
  instrument: ({ symbol, total }) => coins(symbol.text, quoteIn(symbol, total)),
  row: (cells) => ({ quantity: executedIn(cells) }),
  hasFees: false,
  notes: [ORDERS],
});

/** The second of two times is that of the last fill. */
function withoutFootnotes(text: string): CsvTable {
  const { header, rows } = readFilledCsv(text);
  const names = header.cells.map(withoutFootnote);
  const time = names.find((name) => TIME.like.test(name)) ?? '';
  const last = names.lastIndexOf(time);
  const cells = names.map((name, index) =>
    name === time && index !== last ? `placed: ${name}` : name,
  );

  return { header: { ...header, cells }, rows };
}

function quoteIn(symbol: Cell, total: Cell): string {
  return /[A-Z]/.test(total.text) ? amountIn(total).currency : quoteOf(symbol);
}

function executedIn({
  executed,
  symbol,
  total,
}: Record<'executed' | 'symbol' | 'total', Cell>): number | null {
  return orNothing(executed, (cell) => {
    if (!/[A-Z]/.test(cell.text)) return numberIn(cell);
    return amountIn(cell, {}, [symbol.text.slice(0, -quoteIn(symbol, total).length)])
      .amount;
  });
}

// All transactions: separate rows for the coins paid, the coins received and the fee,
// matched by their second. They have no pairs, prices or ids; the history of trades has
// all of these.

const COLUMNS = {
  account: ['Account', 'Konto', 'Cuenta'],
  operation: ['Operation', 'Operacja', 'Operación'],
  coin: ['Coin', 'Moneta', 'Moneda'],
  change: ['Change', 'Zmien', 'Cambio'],
  remark: { column: ['Remark', 'Uwagi', 'Observación'], optional: true },
  executed_at: TIME,
} as const;

type Cells = CellsOf<typeof COLUMNS>;

/** On both rows of a trade, also on that of the coins paid. */
const ORDER = /^(buy|sell)$/i;
const FOR_CURRENCY = /^(buy|sell) crypto (with|to) fiat$/i;
const CONVERSION = /^((binance )?convert|small assets exchange bnb)$/i;
const OUTSIDE_MARKET = /^large otc trading$/i;
/** Each side of a trade has a name of its own. */
const SIDE = /^transaction (related|buy|spend|sold|revenue)$/i;
const TRADES = [ORDER, FOR_CURRENCY, CONVERSION, OUTSIDE_MARKET, SIDE];
const FEE = /^(transaction )?fee$/i;
/** Rows of a sale, which have other names than those of a purchase in the same second. */
const SOLD = /^transaction (sold|revenue)$/i;

const isFee = ({ operation }: Cells) => FEE.test(operation.text);

export const binanceTransactions = rowsTable({
  ...KNOWN['binance-transactions'],
  // Some rows lack the empty last cell.
  table: pointedTable([]),
  columns: COLUMNS,
  dates: 'reformatted',
  zone: zoneOf,
  skip({ account, operation, coin, change }) {
    refuseEmpty(operation, coin, change);
    const isOfTrade = [...TRADES, FEE].some((pattern) => pattern.test(operation.text));
    return isOfTrade && !/future/i.test(account.text)
      ? undefined
      : operation.text.toLowerCase();
  },
  notes: [
    'trades of the same second are combined; Trade History has each, with its price',
  ],
  end(rows, file) {
    const unclear: Cells[] = [];
    const lone: Cells[] = [];
    const groups = Map.groupBy(
      rows,
      ({ account, executed_at }) => `${account.text} ${executed_at.text}`,
    );
    const fills = withOtherSides([...groups.values()], file).flatMap((group) =>
      fillsOf(group, file, isOneSided(group) ? lone : unclear),
    );
    file.skip('row of several trades in one second', unclear.length);
    file.skip('row without the other side of its trade', lone.length);

    const notes = [
      ...skippedNote(unclear, 'several trades in one second'),
      ...skippedNote(
        lone,
        'the file lacks the other side of the trade near their second',
      ),
    ];

    return { fills: oldestFirst(fills), ...(notes.length > 0 && { notes }) };
  },
});

function skippedNote([first, ...more]: readonly Cells[], reason: string): string[] {
  if (!first) return [];
  const count = more.length + 1;
  return [
    `${count} rows skipped (the first on line ${first.coin.line}): ${reason}; import Trade History instead`,
  ];
}

/** Rows with only what was paid, or only what was received, in one coin. */
function isOneSided(rows: readonly Cells[]): boolean {
  const changes = rows.filter((row) => !isFee(row));
  return new Set(changes.map(({ coin }) => coin.text)).size < 2;
}

/**
 * The sides of a trade may be a second apart, or ten if their remark names the same
 * payment.
 */
function withOtherSides(groups: readonly Cells[][], file: TableFile): Cells[][] {
  const joined = new Map<Cells[], Cells[]>();
  const sides = groups.filter(isOneSided).flatMap((rows) => {
    const row = rows.find((other) => !isFee(other));
    return row ? [{ rows, row, at: Date.parse(file.instantIn(row.executed_at)) }] : [];
  });

  for (const [trade, ofTrade] of Map.groupBy(sides, ({ row }) => sharedBySides(row))) {
    const limit = PAYMENT.test(trade) ? 10_000 : 1000;
    const sorted = ofTrade.toSorted((a, b) => a.at - b.at);
    const isNear = (index: number) => {
      const [one, next] = [sorted[index], sorted[index + 1]];
      return one !== undefined && next !== undefined && next.at - one.at <= limit;
    };
    for (const [index, { rows }] of sorted.entries()) {
      // A third side as near may be that of either.
      const other = sorted[index + 1];
      if (!other || !isNear(index) || isNear(index - 1) || isNear(index + 1)) continue;
      joined.set(rows, [...rows, ...other.rows]).set(other.rows, []);
    }
  }

  return groups.map((rows) => joined.get(rows) ?? rows).filter((rows) => rows.length > 0);
}

const PAYMENT = /\bWallet\//;

/** What both sides of a trade state: account, kind of trade and payment. */
function sharedBySides({ account, operation, remark }: Cells): string {
  const kind = operation.text
    .toLowerCase()
    .replace(/^transaction (buy|spend)$/, 'purchase');
  const payment = PAYMENT.test(remark?.text ?? '') ? remark?.text : '';
  return JSON.stringify([account.text, SOLD.test(kind) ? 'sale' : kind, payment]);
}

/** @param unclear receives rows that may belong to several trades */
function fillsOf(rows: readonly Cells[], file: TableFile, unclear: Cells[]): FileFill[] {
  const changes = rows.filter((row) => !isFee(row));
  const fees = rows.filter(isFee);
  const sums = new Map<string, number>();
  for (const { coin, change } of changes)
    sums.set(coin.text, asDecimal((sums.get(coin.text) ?? 0) + numberIn(change)));
  const isOneWay = changes.every(
    ({ coin, change }) => numberIn(change) * (sums.get(coin.text) ?? 0) > 0,
  );
  const isOneTrade =
    new Set(changes.map(({ operation }) => SOLD.test(operation.text))).size === 1;
  const [quoted, other, ...more] = [...sums].sort(([a], [b]) => byQuote(a, b));
  // A fee alone in its second belongs to a margin trade, or to none.
  if (
    !isOneTrade ||
    !quoted ||
    !other ||
    more.length > 0 ||
    !isOneWay ||
    quoted[1] * other[1] >= 0
  ) {
    for (const row of rows) unclear.push(row);
    return [];
  }

  const [quote, paid] = quoted;
  const [base, got] = other;
  const feesIn = (name: string) =>
    asDecimal(sumOf(fees.filter(({ coin }) => coin.text === name)));
  const third = fees.find(({ coin }) => coin.text !== base && coin.text !== quote);
  const [first] = changes as [Cells];

  return [
    file.fill(first, {
      account: /^spot$/i.test(first.account.text) ? null : first.account.text,
      instrument: coins(`${base}${quote}`, quote),
      side: got > 0 ? 'buy' : 'sell',
      quantity: Math.abs(got),
      price: Math.abs(paid / got),
      fees: feesIn(quote),
      feeQuantity: feesIn(base),
      otherFee: third
        ? { amount: feesIn(third.coin.text), currency: third.coin.text }
        : null,
    }),
  ];
}

/** Amounts paid have a minus. */
function sumOf(rows: readonly Cells[]): number {
  return rows.reduce((sum, { change }) => sum - numberIn(change), 0);
}

/** USDT is priced in lira, euros in USDT. */
const byQuote = byPrecedence([
  'TRY',
  'BRL',
  'UAH',
  'ZAR',
  'PLN',
  'RUB',
  'NGN',
  'BIDR',
  'IDRT',
  'JPY',
  'USDT',
  'USDC',
  'BUSD',
  'FDUSD',
  'TUSD',
  'USDP',
  'PAX',
  'DAI',
  'EUR',
  'GBP',
  'AUD',
  'BTC',
  'ETH',
  'BNB',
  'TRX',
  'XRP',
]);
