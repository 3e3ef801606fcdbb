/**
 * Closed trades of brokers of CFDs: lots, and a P&L before costs in the account's
 * currency. Partial closes repeat an id.
 */
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  currencyIn,
  knownWord,
  type MoneyStyle,
  moneyIn,
  numberIn,
  orNothing,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvTable, readCsv } from '../../parse/csv-rows.ts';
import { cfdOrPair } from '../../parse/instruments.ts';
import { assumedZone, hasSpaces, withoutZone } from '../../parse/times.ts';
import { statedOffset } from '../tables/clock.ts';
import type { RoundTrip } from '../tables/closed-trade.ts';
import { mayBeEmpty, optional } from '../tables/declaration.ts';
import { baseCurrencyNote } from '../tables/format.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

/** Costs have a minus in these files: a positive one could mean either. */
function costIn(cell: Cell, style: MoneyStyle = {}): number {
  const value = moneyIn(cell, style);
  if (value <= 0) return value;
  throw cellError(
    cell,
    'must be 0 or below, such as -3.29: this export states costs with a minus',
  );
}

/** Words of rows without a closed trade. */
const OTHER_ROWS = byMeaning({
  'pending order':
    'buy limit, sell limit, buy stop, sell stop, buy stop limit, sell stop limit',
  'balance operation': 'balance, credit, deposit, withdrawal, bonus, correction',
});

/** The id of one close: a position closed in parts repeats its own. */
function idOfClose(id: string, { executedAt }: RoundTrip['exit']): string {
  return `${id}.${withoutZone(executedAt).replace(/\D/g, '')}`;
}

const SERVER_TIME = "times are those of the broker's server";

// FTMO's trading journal: two columns have the same name, Price.

const FTMO_MARKS = ['Ticket', 'Open', 'Type', 'Volume', 'Close', 'Commissions', 'Pips'];

export const ftmoMetrix = tradesTable({
  ...KNOWN['ftmo-metrix'],
  table: pricesApart,
  columns: {
    id: 'Ticket',
    side: 'Type',
    quantity: 'Volume',
    symbol: 'Symbol',
    executed_at: 'Open',
    closed_at: 'Close',
    entry_price: 'Open Price',
    exit_price: 'Close Price',
    gross_pnl: 'Profit',
    fees: { column: 'Commissions', optional: 'cells', read: costIn, sign: 'negate' },
    swap: mayBeEmpty('Swap'),
  },
  dates: 'ymd',
  skip: ({ side, closed_at }) =>
    knownWord(side, OTHER_ROWS) ?? (closed_at.text === '' ? 'open position' : undefined),
  instrument: ({ symbol }, { context }) =>
    cfdOrPair(symbol.text, context.user.base_currency),
  row({ swap }, { id, exit, fees }) {
    return {
      id: id === null ? null : idOfClose(id, exit),
      fees: roundMoney(fees - (orNothing(swap, moneyIn) ?? 0)),
    };
  },
  end: (_, { context }) => ({ notes: [SERVER_TIME, baseCurrencyNote(context)] }),
  allCosts: true,
  states: ['gross', 'fees'],
});

/**
 * The price after the opening time is the entry's, that after the closing time the
 * exit's.
 */
function pricesApart(text: string): CsvTable {
  const { header, rows } = readCsv(text, FTMO_MARKS);
  let last = '';
  const cells = header.cells.map((name) => {
    if (/^(Open|Close)$/i.test(name)) last = name;
    return /^Price$/i.test(name) ? `${last} Price` : name;
  });
  return { header: { ...header, cells }, rows };
}

// cTrader's history: the zone of the times and the currency of the amounts are in the
// header.

const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  zł: 'PLN',
  Fr: 'CHF',
};

const CTRADER = {
  id: optional(['ID', 'Position ID', 'Order ID']),
  symbol: 'Symbol',
  direction: ['Opening Direction', 'Closing Direction'],
  executed_at: {
    column: 'Opening Time (UTC+2)',
    like: /^Opening Time\b/i,
    optional: true,
  },
  closed_at: { column: 'Closing Time (UTC+2)', like: /^Closing Time\b/i },
  entry_price: 'Entry Price',
  exit_price: 'Closing Price',
  // 0.10 Lots, 1 500 Oz.
  quantity: {
    column: ['Closing Quantity', 'Closing Volume', 'Quantity'],
    text: (text: string) =>
      (/^[\d.,\s]*/.exec(text)?.[0] ?? '').replace(/\s(?=\d{3}(?!\d))/g, ''),
    read: positiveIn,
  },
  gross: { column: 'Gross USD', like: /^Gross\b/i, optional: 'column' },
  commission: { column: 'Commission', like: /^Commissions?\b/i, optional: 'column' },
  swap: { column: 'Swap', like: /^Swap\b/i, optional: 'column' },
  net: { column: 'Net USD', like: /^Net\b/i },
} as const;

const NO_OPENINGS =
  'this file lacks the column Opening Time, so that trades start when they end, and holding times are meaningless; show it in the History of cTrader, and export again';

export const ctrader = tradesTable({
  ...KNOWN.ctrader,
  columns: CTRADER,
  dates: 'dmy',
  zone(column, context) {
    const offset = statedOffset(column);
    return offset === undefined ? assumedZone(context) : { zone: 'UTC', offset };
  },
  style: (rows) =>
    hasSpaces(rows.flatMap(({ net, gross }) => [net.text, gross?.text ?? '']))
      ? { thousands: ' ' }
      : {},
  skip: ({ symbol, closed_at }) =>
    symbol.text === '' || closed_at.text === '' ? 'total line' : undefined,
  instrument: ({ symbol, net }, { context }) =>
    cfdOrPair(symbol.text, currencyNamed(net.column) ?? context.user.base_currency),
  row({ direction, net, gross, commission, swap }, { id, exit }, { style }) {
    const netPnl = moneyIn(net, style);
    const costs =
      (commission ? moneyIn(commission, style) : 0) + (swap ? moneyIn(swap, style) : 0);
    if (!gross && commission) costIn(commission, style);
    const before = gross ? moneyIn(gross, style) : netPnl - costs;
    if (commission && Math.abs(Math.abs(before - netPnl) - Math.abs(costs)) > 0.021) {
      throw cellError(
        net,
        `must be gross with commission and swap, such as ${roundMoney(before + costs)}`,
      );
    }

    return {
      id: id === null ? null : idOfClose(id, exit),
      side: sideOf(direction),
      gross: roundMoney(before),
      fees: roundMoney(before - netPnl),
    };
  },
  end(_, { context, header }) {
    const has = (name: RegExp) => header.cells.find((cell) => name.test(cell.trim()));
    const notes = [
      ...(currencyNamed(has(/^Net\b/i) ?? '') === undefined
        ? [baseCurrencyNote(context)]
        : []),
      ...(has(/^Opening Time\b/i) ? [] : [NO_OPENINGS]),
    ];
    if (has(/^(?:Gross|Commission)/i)) return { notes };

    return {
      notes: [
        ...notes,
        'this file lacks the columns Gross and Commission; its P&L is net, so that fees are 0',
      ],
    };
  },
  allCosts: true,
  states: ['net'],
});

/** The currency in the name of a column: Net USD, Net (USD), Net €. */
function currencyNamed(column: string): string | undefined {
  const [, mark = ''] =
    /^\w+[ (]+([A-Z]{3,4}|[^\w\s()]{1,2}|zł|Fr)\)?$/.exec(column.trim()) ?? [];
  return /^[A-Z]{3,4}$/.test(mark) ? mark : SIGNS[mark];
}

/**
 * The side of the position: that of its opening, else the other than that of its close.
 */
function sideOf(direction: Cell): RoundTrip['side'] {
  if (/^opening/i.test(direction.column))
    return wordIn(direction, { Buy: 'long', Sell: 'short' } as const);
  return wordIn(direction, { Sell: 'long', Buy: 'short' } as const);
}

// Exness: UTC by the names of the time columns. Lots below the original size are a part
// of the position.

export const exness = tradesTable({
  ...KNOWN.exness,
  columns: {
    id: 'ticket',
    executed_at: 'opening_time_utc',
    closed_at: 'closing_time_utc',
    side: 'type',
    quantity: 'lots',
    whole: optional('original_position_size'),
    symbol: 'symbol',
    entry_price: 'opening_price',
    exit_price: 'closing_price',
    gross_pnl: ['profit', 'profit_usd'],
    fees: {
      column: ['commission', 'commission_usd'],
      optional: true,
      read: costIn,
      sign: 'negate',
    },
    swap: optional(['swap', 'swap_usd']),
  },
  dates: 'ymd',
  zone: 'UTC',
  skip: ({ side, closed_at }) =>
    knownWord(side, OTHER_ROWS) ?? (closed_at.text === '' ? 'open position' : undefined),
  instrument({ symbol }, { header, context }) {
    // A symbol that ends with c is of an account in cents.
    if (/[A-Z0-9]c$/.test(symbol.text)) return cfdOrPair(symbol.text, 'USC');
    return cfdOrPair(
      symbol.text,
      isInDollars(header.cells) ? 'USD' : context.user.base_currency,
    );
  },
  row({ whole, swap }, { id, quantity, exit, fees }) {
    const isPart = orNothing(whole, numberIn) ?? quantity;
    return {
      ...(id !== null && isPart !== quantity && { id: idOfClose(id, exit) }),
      fees: roundMoney(fees - (orNothing(swap, moneyIn) ?? 0)),
    };
  },
  end: (trades, { header, context }) => ({
    notes: [
      ...(isInDollars(header.cells) ? [] : [baseCurrencyNote(context)]),
      ...(trades.some(({ instrument }) => instrument.currency === 'USC')
        ? [
            'symbols that end with c are of an account in US cents, USC; "journal-api rates set USC=0.01" converts them',
          ]
        : []),
    ],
  }),
  allCosts: true,
  states: ['gross', 'fees'],
});

function isInDollars(header: readonly string[]): boolean {
  return header.some((name) => name.trim() === 'profit_usd');
}

// IG: one row per closed deal or movement of cash. The size has the side; P&L isn't size
// times the difference of levels.

export const ig = tradesTable({
  ...KNOWN.ig,
  columns: {
    id: 'Reference',
    summary: mayBeEmpty('Summary'),
    market: {
      column: 'MarketName',
      text: (text) => text.replace(/ converted at [\d.]+$/i, ''),
    },
    executed_at: 'OpenDateUtc',
    closed_at: 'DateUtc',
    size: mayBeEmpty('Size'),
    quantity: { column: 'Size', text: (text) => text.replace(/^[-+]/, '') },
    entry_price: { column: 'Open level', read: (cell) => numberIn(cell) },
    exit_price: { column: 'Close level', read: (cell) => numberIn(cell) },
    gross_pnl: 'PL Amount',
    cash: 'Cash transaction',
    currency: ['CurrencyIsoCode', 'Currency'],
  },
  dates: 'ymd',
  zone: 'UTC',
  skip({ cash, size, summary }) {
    const isDeal = !wordIn(cash, { true: true, false: false }) && /[1-9]/.test(size.text);
    return isDeal ? undefined : summary.text.toLowerCase() || 'movement of cash';
  },
  flows: {
    meanings: [
      [/^(cash transfer|cash in|cash out|movement of cash)$/, 'funding'],
      [/dividend/, 'dividend'],
      [/funding|interest/, 'interest'],
      [/fee|commission|charge/, 'fee'],
      [/tax/, 'tax'],
      [/transfer/, 'transfer'],
    ],
    read: (
      { id, gross_pnl: amount, currency, market, summary, closed_at: time },
      file,
    ) => [
      {
        id: id.text || null,
        executedAt: file.instantIn(time),
        amount: moneyIn(amount),
        currency: currencyIn(currency),
        symbol: market.text.replace(/^-$/, '') || null,
        description: summary.text,
      },
    ],
  },
  instrument: ({ market, currency }) => cfdOrPair(market.text, currencyIn(currency)),
  row: ({ size }) => ({ side: numberIn(size) < 0 ? 'short' : 'long' }),
  allCosts: true,
  hasFees: false,
  states: ['gross'],
});
