/**
 * Brokers in the US whose exports have only fills or orders: DAS Trader, TradeZero,
 * Webull.
 */
import { quote, RowError } from '../../errors.ts';
import { futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  currencyIn,
  knownWord,
  moneyIn,
  numberIn,
  orNothing,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import {
  coins,
  future,
  type Instrument,
  occOption,
  option,
  optionIn,
  stock,
} from '../../parse/instruments.ts';
import {
  distinctIds,
  type FileFill,
  oldestFirst,
  type StatedTotal,
} from '../fills/reading.ts';
import { totals } from '../tables/closed-trade.ts';
import { type Cells as CellsOf, mayBeEmpty, ORDERS } from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

const BUY = { side: 'buy' } as const;
const SELL = { side: 'sell' } as const;
/** May close a long first. */
const SHORT = { side: 'sell', mayShort: true } as const;
/** Never opens a long. */
const COVER = { side: 'buy', effect: 'close' } as const;

const SIDES = {
  B: BUY,
  S: SELL,
  SS: SHORT,
  BC: COVER,
  Buy: BUY,
  Sell: SELL,
  'Sell Short': SHORT,
} as const;

// DAS Trader's Trades window: fills with a time of day. The file has no date: the user
// states it.

export const das = fillsTable({
  ...KNOWN.das,
  columns: {
    executed_at: { column: 'Time', day: 'date' },
    symbol: ['Symb', 'Symbol'],
    side: {
      column: ['Side', 'B/S'],
      words: { ...SIDES, BC: BUY, Short: SHORT, Cover: BUY },
    },
    price: 'Price',
    quantity: ['Qty', 'Shares'],
    date: { column: 'Date', optional: true },
    account: { column: 'Account', optional: true },
    gross_pnl: { column: ['P / L', 'P/L', 'PnL'], optional: true, read: moneyIn },
    fees: {
      column: ['Comm', 'Commission'],
      optional: true,
      plus: [
        ['ECNFee', 'ECN Fee'],
        ['LocFee', 'Locate Fee'],
      ],
    },
  },
  dates: 'mdy',
  instrument({ symbol }) {
    if (!/^[+./]/.test(symbol.text)) return stock(symbol.text);
    throw new RowError(
      symbol.column,
      'must be a stock; options and futures are not supported',
      symbol.line,
    );
  },
  // The window has a P/L of 0 for opening fills.
  row: (_, { stated, fees }) => ({
    fees: roundMoney(fees),
    stated: stated?.gross ? stated : null,
  }),
  order: inOrderOfTime,
});

// TradeZero's trades: one fill per row, separate date and time, costs in seven columns.

export const tradezero = fillsTable({
  ...KNOWN.tradezero,
  columns: {
    date: 'T/D',
    currency: 'Currency',
    side: { column: 'Side', words: { ...SIDES, 'Buy to Cover': COVER } },
    symbol: 'Symbol',
    quantity: 'Qty',
    price: 'Price',
    executed_at: { column: 'Exec Time', day: 'date' },
    account: { column: 'Account', optional: true },
    gross: { column: 'Gross Proceeds', optional: true },
    net: { column: 'Net Proceeds', optional: true },
    fees: {
      column: 'Comm',
      optional: true,
      plus: ['SEC', 'TAF', 'NSCC', 'Nasdaq', 'ECN Remove', 'ECN Add'],
    },
  },
  dates: 'mdy',
  instrument: zeroInstrument,
  row: (_, { fees }) => ({ fees: roundMoney(fees) }),
  // Rows are ordered by account type and symbol.
  order: inOrderOfTime,
  end: (fills, { rows }) => ({ stated: totalsOf(rows(), fills) }),
});

type ZeroCells = Record<'symbol' | 'currency' | 'quantity' | 'price', Cell> &
  Record<'gross' | 'net', Cell | undefined>;

/** Shares; options with OCC symbols: SPY260619C00450000. */
function zeroInstrument(cells: ZeroCells): Instrument {
  const { symbol, currency } = cells;
  currencyIn(currency);
  const contract = occOption(symbol.text);
  return contract ? option(contract, { currency: currency.text }) : shareOf(cells);
}

/**
 * @throws RowError if the amount implies a contract of several units: an option with
 * another kind of symbol
 */
function shareOf({ symbol, currency, quantity, price, gross }: ZeroCells): Instrument {
  const money = Math.abs(orNothing(gross, numberIn) ?? 0);
  const value = Math.abs(numberIn(quantity) * numberIn(price));
  if (gross && value > 0 && money > value * 1.5) {
    const reason = `must be the quantity times the price of ${quote(symbol.text)}; an option needs a symbol such as SPY260619C00450000`;
    throw new RowError(gross.column, reason, gross.line);
  }
  return stock(symbol.text, currency.text);
}

/** Proceeds minus costs are the P&L if no position is open before or after. */
function totalsOf(
  cells: readonly ZeroCells[],
  fills: readonly FileFill[],
): StatedTotal[] {
  const open = new Map<string, number>();
  for (const { account, instrument, side, quantity } of fills) {
    const key = `${account} ${instrument.symbol}`;
    open.set(
      key,
      roundMoney((open.get(key) ?? 0) + (side === 'buy' ? 1 : -1) * Number(quantity)),
    );
  }

  if ([...open.values()].some((quantity) => quantity !== 0)) return [];
  return totals(
    cells.flatMap((row) =>
      (['gross', 'net'] as const).flatMap((what) => {
        const amount = orNothing(row[what], numberIn);
        return amount === null ? [] : [{ what, currency: row.currency.text, amount }];
      }),
    ),
  );
}

// Webull's orders with their filled quantities: shares or options, newest first, with a
// zone in each time, without fees.

const COLUMNS = {
  name: mayBeEmpty('Name'),
  symbol: mayBeEmpty('Symbol'),
  side: {
    column: 'Side',
    words: {
      Buy: BUY,
      Sell: SELL,
      Short: SHORT,
      'Sell Short': SHORT,
      'Buy to Cover': COVER,
    },
  },
  status: 'Status',
  quantity: 'Filled',
  total: 'Total Qty',
  limit: mayBeEmpty('Price'),
  price: { column: 'Avg Price', text: (text: string) => text.replace(/^@/, '') },
  placed: 'Placed Time',
  executed_at: 'Filled Time',
} as const;

type Cells = CellsOf<typeof COLUMNS>;

/** Reasons for skipping an unfilled order. An open order counts with its filled part. */
const STATUSES = {
  Filled: null,
  'Partial Filled': null,
  'Partially Filled': null,
  Cancelled: 'cancelled order',
  Canceled: 'cancelled order',
  Failed: 'failed order',
  Rejected: 'rejected order',
  Expired: 'expired order',
  Pending: 'open order',
  Working: 'open order',
  Submitted: 'open order',
} as const;

const COMBINATION = 'combination (its legs are imported)';

export const webull = fillsTable({
  ...KNOWN.webull,
  columns: COLUMNS,
  dates: 'mdy',
  skip(cells) {
    const { name, symbol, status, quantity } = cells;
    const isUnfilled = quantity.text === '' || numberIn(quantity) === 0;
    const reason = isUnfilled ? knownWord(status, STATUSES) : wordIn(status, STATUSES);
    if (isUnfilled && reason !== null)
      return reason ?? `${status.text.toLowerCase()} order`;
    return symbol.text === '' && name.text !== '' ? COMBINATION : undefined;
  },
  instrument: ({ symbol }) => webullInstrument(symbol),
  row({ name, symbol, placed, side, total, limit }, { instrument, mayShort }) {
    refuseEmpty(symbol);
    return {
      // The export has no ids. Facts that never change identify an order, so a later file
      // can extend it.
      executionId: [placed, side, total, limit].map(({ text }) => text).join(' '),
      // Legs of a combination have no name, and the same time of placement.
      orderId: name.text === '' ? placed.text : null,
      mayShort:
        mayShort || instrument.market === 'option' || instrument.market === 'future',
    };
  },
  order: (fills) => inOrderOfTime(oldestFirst(fills)),
  end(fills, { rows }) {
    refuseLegless(rows());
    const numbered = distinctIds(' ');
    const idOf = ({ executionId: id, instrument }: FileFill) =>
      numbered(`${id}`, `${instrument.symbol} ${id}`);
    return { fills: fills.map((fill) => ({ ...fill, executionId: idOf(fill) })) };
  },
  hasFees: false,
  notes: [
    ORDERS,
    'this export has no rows for expired options; to close them: journal-api expire --all',
  ],
});

/** @throws RowError if a filled combination has no legs in the file */
function refuseLegless(rows: readonly Cells[]): void {
  const legs = new Set(
    rows.filter(({ name }) => name.text === '').map(({ placed }) => placed.text),
  );
  const legless = rows.find(
    ({ name, symbol, quantity, placed }) =>
      symbol.text === '' &&
      name.text !== '' &&
      quantity.text !== '' &&
      numberIn(quantity) > 0 &&
      !legs.has(placed.text),
  );
  if (!legless) return;

  const problem = `is missing, and ${quote(legless.name.text)} has no legs in this file; export the orders again`;
  throw new RowError(legless.symbol.column, problem, legless.symbol.line);
}

/** SPY 09/23/2022 00:00:00 EDT Call $371.00 */
const LONG_OPTION =
  /^(?<underlying>\S+) (?<expiration>\d\d\/\d\d\/\d{4}) [\d:]+ [A-Z]{3} (?<type>Call|Put) \$(?<strike>[\d.,]+)$/i;

/**
 * Shares, options such as SPY260619C00450000, futures such as MESZ6, coins such as
 * BTCUSD.
 */
function webullInstrument(symbol: Cell): Instrument {
  const { text } = symbol;
  const terms = occOption(text);
  const contract = terms
    ? option(terms)
    : optionIn(symbol, [LONG_OPTION], { order: 'mdy' });
  if (contract) return contract;
  if (/^[A-Z]{3,10}USD$/.test(text)) return coins(text, 'USD');
  if (!/\d/.test(text)) return stock(text);
  if (futureOf(text)) return future(text);

  throw cellError(
    symbol,
    'must be a US share, an option such as SPY260619C00450000, or a future',
  );
}
