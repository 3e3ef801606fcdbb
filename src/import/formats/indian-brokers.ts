/**
 * Brokers in India: trades of shares, funds, futures and options in rupees, with
 * quantities in units and times in India's zone.
 */

import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  joined,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { csvRows, plainName, raggedTable } from '../../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../../parse/instruments.ts';
import type { FileFill } from '../fills/reading.ts';
import { dayIn } from '../tables/clock.ts';
import { totalOf } from '../tables/closed-trade.ts';
import {
  type Cells,
  mayBeEmpty,
  ORDERS,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';
import { equity, unitsOf, zoneOf } from './zerodha.ts';

/** 1,52,250.00: groups of two digits above the thousands. */
const withoutLakhs = (text: string) =>
  /^[-+]?\d{1,3}(?:,\d\d)*,\d{3}(?:\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;

/** The amount in the cell after a name, above or below a table. */
function amountBeside(text: string, name: RegExp): number | undefined {
  const row = csvRows(text).find(({ cells }) => name.test(cells[0]?.trim() ?? ''));
  const amount = Number(withoutLakhs(row?.cells[1]?.trim() || '-'));
  return Number.isNaN(amount) ? undefined : amount;
}

function contractOf(
  { underlying, strike }: Record<'underlying' | 'strike', Cell>,
  kind: 'future' | 'call' | 'put',
  day: string,
): Instrument {
  const name = underlying.text;
  if (kind !== 'future') {
    const contract = {
      underlying: name,
      expiration: day,
      strike: numberIn(strike),
      optionType: kind,
    };
    return option(contract, { currency: 'INR', multiplier: 1 });
  }

  const symbol = `${name} ${day} FUT`;

  return {
    ...stock(symbol, 'INR'),
    market: 'future',
    underlying: name,
    expiration: day,
    multiplier: 1,
  };
}

/**
 * Futures, options and shares bought and sold within the day can be sold first; delivered
 * shares can't.
 */
function mayShort({ market }: Instrument, product: Cell | undefined): boolean {
  return market !== 'stock' || /^(?:intraday|mis|co|bo)$/i.test(product?.text ?? '');
}

// Upstox: the trades of a financial year, newest day first, unordered within a day.
// Purchases of funds have no time.

const UPSTOX_KINDS = byMeaning({
  equity: 'Equity, EQ, MF',
  call: 'European Call, American Call, Call, CE',
  put: 'European Put, American Put, Put, PE',
  future: 'Future, Futures, FUTIDX, FUTSTK',
});

export const upstox = fillsTable({
  ...KNOWN.upstox,
  columns: {
    executed_at: 'Date',
    time: mayBeEmpty('Trade Time'),
    underlying: 'Company',
    segment: 'Segment',
    kind: 'Instrument Type',
    strike: mayBeEmpty('Strike Price'),
    expiration: mayBeEmpty('Expiry'),
    execution_id: mayBeEmpty('Trade Num'),
    side: 'Side',
    quantity: { column: 'Quantity', text: withoutLakhs },
    price: { column: 'Price', text: withoutLakhs },
  },
  table: raggedTable('Trade Num'),
  dates: ['ymd', 'dmy', 'excel'],
  zone: zoneOf,
  skip: ({ side, quantity }) =>
    side.text === '' && quantity.text === '' ? 'note below the table' : undefined,
  instrument({ kind, segment, ...cells }) {
    // Contracts on currencies and commodities may be counted in lots.
    wordIn(segment, { FO: 'units', EQ: 'units', MF: 'units' } as const);
    const meaning = wordIn(kind, UPSTOX_KINDS);
    if (meaning === 'equity') return equity(cells.underlying.text);
    return contractOf(cells, meaning, dayIn(cells.expiration, ['ymd', 'dmy']));
  },
  row({ executed_at, time }, { instrument }, file) {
    const at = orNothing(time, (cell) => file.instantIn(joined(executed_at, cell)));
    return {
      mayShort: mayShort(instrument, undefined),
      ...(at === null ? { hasTime: false } : { executedAt: at }),
    };
  },
  order: inOrderOfTime,
  hasFees: false,
  allCosts: true,
});

// FYERS: the portal's tradebook, and that of the API, which one may save several times a
// day into one file.

const FYERS = {
  executed_at: ['Date & time', 'orderDateTime'],
  symbol: {
    column: ['Symbol name', 'symbol'],
    text: (text: string) => text.replace(/^[A-Z]+:/, ''),
  },
  side: { column: 'side', words: { Buy: 'buy', Sell: 'sell', 1: 'buy', '-1': 'sell' } },
  quantity: { column: ['Qty', 'tradedQty'], text: withoutLakhs },
  price: { column: ['Traded price', 'tradedPrice', 'tradePrice'], text: withoutLakhs },
  product: { column: ['Product type', 'productType'], optional: true },
} as const;

export const fyers = fillsTable({
  ...KNOWN.fyers,
  columns: {
    ...FYERS,
    segment: 'Segment',
    order_id: optional('OMS order ID'),
    exchange: optional('Exchange order ID'),
  },
  dates: 'dmy',
  zone: zoneOf,
  // At midnight, the clearing books each day's contracts again with the other side.
  skip({ exchange, product, side, quantity }) {
    if (side.text === '' && quantity.text === '') return 'total line or note';
    return /^NDIR/i.test(exchange?.text ?? '') && product?.text === '-'
      ? 'entry of the clearing (NDIR)'
      : undefined;
  },
  instrument({ segment, symbol }) {
    wordIn(segment, {
      Derivatives: 'units',
      Equity: 'units',
      'Capital Market': 'units',
    } as const);
    return unitsOf(symbol);
  },
  row: ({ product }, { instrument }) => ({ mayShort: mayShort(instrument, product) }),
  hasFees: false,
  allCosts: true,
});

/** Reasons for skipping an order by the digit after its number: 24011600006720:2. */
const FYERS_STATUSES = {
  1: 'cancelled order',
  2: null,
  4: 'order in transit',
  5: 'rejected order',
  6: 'pending order',
};

const FYERS_API = {
  ...FYERS,
  order: ['orderNumStatus', 'orderNumber'],
  number: { column: ['slNo', 'row'], optional: true },
} as const;

type FyersCells = Cells<typeof FYERS_API>;

export const fyersApi = rowsTable({
  ...KNOWN['fyers-api'],
  columns: FYERS_API,
  dates: 'dmy',
  zone: zoneOf,
  skip({ order }) {
    const [, status] = order.text.split(':');
    return status === undefined
      ? undefined
      : (wordIn({ ...order, text: status }, FYERS_STATUSES) ?? undefined);
  },
  end(rows, file) {
    const fills = fyersFills(rows, file);
    const once = [...new Map(fills.map((fill) => [fill.executionId, fill])).values()];
    file.skip('trade of an earlier download in this file', fills.length - once.length);
    return { fills: inOrderOfTime(once) };
  },
  hasFees: false,
});

/**
 * Within a download, numbers rise, and equal rows of an order are separate trades. A
 * lower number begins another download.
 */
function fyersFills(all: readonly FyersCells[], file: TableFile): FileFill[] {
  const numbers = all.flatMap(({ number }) => (number ? numberIn(number) : []));
  const falls = numbers.filter(
    (number, index) => number < (numbers[index - 1] ?? number),
  ).length;
  // Sorted the other way round.
  const rows = falls * 2 > numbers.length ? all.toReversed() : all;
  let counts = new Map<string, number>();
  let before = 0;

  return rows.map((cells) => {
    const { symbol, quantity, price, product, order, number } = cells;
    const current = number ? numberIn(number) : before;
    if (current < before) counts = new Map();
    before = current;

    const [orderId = ''] = order.text.split(':');
    const key = [orderId, quantity.text, price.text].join(' ');
    const ordinal = (counts.get(key) ?? 0) + 1;
    counts.set(key, ordinal);

    const instrument = unitsOf(symbol);
    return file.fill(cells, {
      executionId: ordinal === 1 ? key : `${key} ${ordinal}`,
      orderId,
      instrument,
      price: positiveIn(price),
      mayShort: !product?.text || mayShort(instrument, product),
    });
  });
}

// Groww's P&L: pairs of purchases and sales, first in, first out, below the charges; then
// what is held.

export const groww = tradesTable({
  ...KNOWN.groww,
  table: raggedTable('Buy date'),
  columns: {
    symbol: 'Stock name',
    isin: mayBeEmpty('ISIN'),
    quantity: { column: 'Quantity', text: withoutLakhs },
    executed_at: 'Buy date',
    entry_price: { column: 'Buy price', text: withoutLakhs },
    closed_at: 'Sell date',
    exit_price: { column: 'Sell price', text: withoutLakhs },
    gross_pnl: { column: ['Realised P&L', 'Realized P&L'], text: withoutLakhs },
  },
  dates: 'dmy',
  daysOnly: true,
  zone: zoneOf,
  skip({ symbol, isin, closed_at }, file) {
    const isTitle =
      (isin.text === '' && closed_at.text === '') ||
      plainName(symbol.text) === 'stock name';
    if (isTitle) return 'title or note';
    return symbol.line < file.once(firstHeld) ? undefined : 'open position';
  },
  instrument: ({ symbol }) => equity(symbol.text),
  row(_, { entry, exit }) {
    return exit.executedAt < entry.executedAt
      ? { side: 'short', entry: exit, exit: entry }
      : {};
  },
  end(trades, { text }) {
    const charges = amountBeside(text, /^Total$/i);
    const realised = amountBeside(text, /^Reali[sz]ed P&L$/i);
    const stated = {
      isTotal: true as const,
      what: 'gross' as const,
      currency: 'INR',
      symbol: null,
      amount: realised ?? 0,
    };

    return {
      stated: realised === undefined ? totalOf(trades, 'gross') : [stated],
      notes: [
        'the file has no times: trades within a day are longs, even if the sale came first; their P&L is the same',
        ...(charges === undefined
          ? []
          : [`charges of the whole account, ${charges} INR, belong to no trade`]),
      ],
    };
  },
  hasFees: false,
  allCosts: true,
  states: [],
});

/** The line of the title above open positions. */
function firstHeld({ rows }: { rows: () => readonly { symbol: Cell }[] }): number {
  return (
    rows().find(({ symbol }) => /^Unreali[sz]ed/i.test(symbol.text))?.symbol.line ??
    Infinity
  );
}

// Groww's order history: the value of each order, its time in minutes.

const GROWW_STATUSES = byMeaning({
  filled: 'Executed, Complete, Completed',
  cancelled: 'Cancelled, Canceled',
  rejected: 'Rejected',
  failed: 'Failed',
});

export const growwOrders = fillsTable({
  ...KNOWN['groww-orders'],
  table: raggedTable('Execution date and time'),
  columns: {
    // The name is that of the P&L, which has no symbol.
    symbol: 'Stock name',
    side: mayBeEmpty('Type'),
    quantity: { column: 'Quantity', text: withoutLakhs },
    value: { column: 'Value', text: withoutLakhs },
    price: { column: 'Value', read: () => 0 },
    order_id: optional('Exchange Order Id'),
    executed_at: 'Execution date and time',
    status: mayBeEmpty('Order status'),
  },
  dates: 'dmy',
  zone: zoneOf,
  skip({ side, status }) {
    if (side.text === '' && status.text === '') return 'note below the table';
    const meaning = wordIn(status, GROWW_STATUSES);
    return meaning === 'filled' ? undefined : `${meaning} order`;
  },
  instrument: ({ symbol }) => equity(symbol.text),
  row: ({ value }, { quantity }) => ({
    price: roundMoney(positiveIn(value) / Number(quantity)),
  }),
  order: inOrderOfTime,
  hasFees: false,
  notes: [ORDERS],
});

// Angel One: a price in one of two columns, charges in eight; days only.

export const angelOne = fillsTable({
  ...KNOWN['angel-one'],
  table: raggedTable('Scrip/Contract'),
  columns: {
    symbol: 'Scrip/Contract',
    side: mayBeEmpty('Buy/Sell'),
    bought: { column: 'Buy Price', text: withoutLakhs, optional: 'cells' },
    sold: { column: 'Sell Price', text: withoutLakhs, optional: 'cells' },
    quantity: { column: 'Quantity', text: withoutLakhs, read: (cell) => numberIn(cell) },
    fees: {
      column: 'Brokerage',
      plus: [
        'GST',
        'STT',
        'Sebi Tax',
        'Exchange Turnover Charges',
        'Stamp Duty',
        'Other Charges',
        'IPFT Charges',
      ],
      optional: 'cells',
    },
    product: optional('Order Type'),
    segment: 'Segment',
    order_id: optional('Order ID'),
    execution_id: mayBeEmpty('Trade ID'),
    executed_at: 'Date',
  },
  dates: 'ymd',
  daysOnly: true,
  zone: zoneOf,
  skip: ({ side, executed_at }) =>
    side.text === '' && executed_at.text === '' ? 'note below the table' : undefined,
  instrument: ({ symbol, segment }) => angelInstrument(symbol, segment),
  row({ side: stated, bought, sold, product }, { side, quantity, instrument }) {
    if (quantity !== 0) refuseEmpty(stated);
    const price = quantity === 0 ? 0 : positiveIn(side === 'buy' ? bought : sold);
    return { price, mayShort: mayShort(instrument, product) };
  },
  end(fills, { text }) {
    const stated = amountBeside(text, /^Total Trade Charges$/i);
    const total = {
      isTotal: true as const,
      what: 'fees' as const,
      currency: 'INR',
      symbol: null,
      amount: stated ?? 0,
    };
    return { ...withCharges(fills), stated: stated === undefined ? [] : [total] };
  },
  allCosts: true,
});

/**
 * Rows with a quantity of 0 are charges: those of the order belong to its first fill,
 * else to the contract's of that day.
 */
function withCharges(all: readonly FileFill[]): { fills: FileFill[]; notes: string[] } {
  const fills = all.filter(({ quantity }) => quantity !== 0).map((fill) => ({ ...fill }));
  let rest = 0;
  for (const charge of all.filter(({ quantity }) => quantity === 0)) {
    const isOfOrder = ({ orderId }: FileFill) =>
      orderId !== null && orderId === charge.orderId;
    const isOfDay = ({ executedAt, instrument }: FileFill) =>
      executedAt === charge.executedAt && instrument.symbol === charge.instrument.symbol;
    const fill = fills.find(isOfOrder) ?? fills.find(isOfDay);
    if (fill) fill.fees = roundMoney(fill.fees + charge.fees);
    else rest += charge.fees;
  }

  return {
    fills,
    notes:
      rest > 0
        ? [`charges of ${roundMoney(rest)} INR belong to no trade of this file`]
        : [],
  };
}

const ANGEL_CONTRACT =
  /^(?:OPT|FUT)(?:IDX|STK) (.+) ([A-Z]{3} \d\d? \d{4})(?: (\d+(?:\.\d+)?) (CE|PE))?(?: \(BT\))?$/i;

/** A share by its name, or a contract: OPTIDX NIFTY Aug 25 2026 24150.00 PE (BT). */
function angelInstrument(symbol: Cell, segment: Cell): Instrument {
  if (wordIn(segment, { CAPITAL: 'share', FUTURES: 'contract' } as const) === 'share')
    return equity(symbol.text);

  const [, name = '', day = '', strike = '', type] =
    ANGEL_CONTRACT.exec(symbol.text) ?? [];
  if (name === '')
    throw cellError(
      symbol,
      'must be a contract, such as OPTIDX NIFTY Aug 25 2026 24150.00 PE (BT)',
    );

  const part = (text: string): Cell => ({ ...symbol, text });
  const optionType = type?.toUpperCase() === 'CE' ? 'call' : 'put';
  const kind = type === undefined ? 'future' : optionType;

  return contractOf(
    { underlying: part(name), strike: part(strike) },
    kind,
    dayIn(part(day), ['mdy']),
  );
}
