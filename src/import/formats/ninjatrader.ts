/** NinjaTrader's grid of executions: fills of all accounts, in the order of the grid. */

import { futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  idIn,
  type MoneyStyle,
  moneyIn,
  numberIn,
  positiveIn,
  priceIn32nds,
} from '../../parse/cells.ts';
import { forexPair, future, type Instrument, stock } from '../../parse/instruments.ts';
import { decimalOf, hasSpaces } from '../../parse/times.ts';
import type { StatedTotal } from '../fills/reading.ts';
import {
  commonSize,
  pointsOf,
  type RoundTrip,
  sizeOf,
  totalOf,
} from '../tables/closed-trade.ts';
import { optional } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

// NinjaTrader's Trade Performance: closed trades. Profit is before or after commissions,
// by version and setting; prices show which.

const POSITION = [
  'Market pos.',
  'Market pos',
  'Market position',
  'Pos. marché.',
  'Pos. marché',
];
const ENTRY_PRICE = ['Entry price', "Prix d'entrée"];
const EXIT_TIME = ['Exit time', 'Heure de sortie'];
const PROFIT = ['Profit', 'Net profit'];

export const ninjatraderPerformance = tradesTable({
  ...KNOWN['ninjatrader-performance'],
  columns: {
    symbol: 'Instrument',
    side: {
      column: POSITION,
      words: { Long: 'long', Short: 'short', Longue: 'long', Courte: 'short' },
    },
    quantity: ['Qty', 'Quantity', 'Qté'],
    entry: ENTRY_PRICE,
    exit: ['Exit price', 'Prix de sortie'],
    executed_at: ['Entry time', "Heure d'entrée"],
    closed_at: EXIT_TIME,
    gross_pnl: PROFIT,
    fees: {
      column: 'Commission',
      plus: ['Clearing Fee', 'Exchange Fee', 'IP Fee', 'NFA Fee'],
      optional: true,
      read: moneyIn,
    },
    account: { column: ['Account', 'Account display name', 'Compte'], optional: true },
  },
  style: (rows) =>
    ninjaStyle(
      rows.flatMap(({ entry, exit, gross_pnl }) => [
        entry.text,
        exit.text,
        gross_pnl.text,
      ]),
    ),
  dates: 'local',
  instrument: ({ symbol }) => ninjaInstrument(symbol),
  row: (cells, { instrument, entry, exit }, { style }) => ({
    entry: { ...entry, price: ninjaPrice(cells.entry, instrument, style) },
    exit: { ...exit, price: ninjaPrice(cells.exit, instrument, style) },
  }),
  end(stated) {
    const hasFees = stated.some(({ fees }) => fees !== 0);
    const { sizes, notes } = sizesOf(stated);
    const known = beforeFees(stated, sizes);
    const priced =
      misfits(known.trades, sizes) === 0 ? undefined : withHiddenFees(stated, sizes);

    const ofContract = (trade: RoundTrip) => ({
      ...trade,
      multiplier: sizes.get(trade.instrument.symbol) ?? null,
    });

    if (priced) {
      notes.push(HIDDEN);
      return { trades: priced.map(ofContract), notes, stated: profitsOf(stated, 'net') };
    }

    const fees = hasFees ? totalOf(stated, 'fees') : [];
    const profits = profitsOf(stated, hasFees ? known.profit : 'gross');

    return { trades: known.trades.map(ofContract), notes, stated: [...profits, ...fees] };
  },
  states: [],
});

const HIDDEN =
  "columns of fees are hidden or incomplete; costs are the difference between the prices' P&L and the stated profits";

/**
 * Contract sizes by symbol: the exchange's, else the one that the profits of all rows
 * give, after or before their costs.
 */
function sizesOf(trades: readonly RoundTrip[]): {
  sizes: Map<string, number>;
  notes: string[];
} {
  const sizes = new Map<string, number>();
  const notes: string[] = [];
  for (const [symbol, ofSymbol] of Map.groupBy(
    trades,
    ({ instrument }) => instrument.symbol,
  )) {
    const listed = ofSymbol[0] && sizeOf(ofSymbol[0]);
    const found =
      listed ?? [commonSize(ofSymbol.map(withCosts)), commonSize(ofSymbol)].find(isRound);
    if (found !== undefined) sizes.set(symbol, found);

    if (listed === undefined && found !== undefined) {
      notes.push(
        `contract size of ${symbol}: ${found}, by the prices and profits of all its ${ofSymbol.length} rows`,
      );
    }
  }

  return { sizes, notes };
}

function isRound(size: number | undefined): boolean {
  return size !== undefined && Number(size.toPrecision(4)) === size;
}

function withCosts(trade: RoundTrip): RoundTrip {
  return { ...trade, gross: roundMoney(trade.gross + trade.fees) };
}

/** Total of Profit, as gross or net. */
function profitsOf(trades: readonly RoundTrip[], what: 'gross' | 'net'): StatedTotal[] {
  return totalOf(trades, 'gross').map((total) => ({ ...total, what }));
}

/**
 * All profits of a file are before fees or all after: whichever fits the contract sizes
 * of more trades.
 */
function beforeFees(
  trades: readonly RoundTrip[],
  sizes: ReadonlyMap<string, number>,
): { trades: RoundTrip[]; profit: 'gross' | 'net' } {
  const restored = trades.map(withCosts);
  const isNet = misfits(restored, sizes) <= misfits(trades, sizes);
  return isNet
    ? { trades: restored, profit: 'net' }
    : { trades: [...trades], profit: 'gross' };
}

/**
 * If columns of fees are hidden, fees are the difference between the prices' P&L and the
 * profits. Then no trade has negative costs, and most trades of a contract have the same
 * cost per unit, although a few may differ.
 * @returns undefined otherwise
 */
function withHiddenFees(
  trades: readonly RoundTrip[],
  sizes: ReadonlyMap<string, number>,
): RoundTrip[] | undefined {
  const priced = trades.map((trade) => {
    const gross = roundMoney(
      pointsOf(trade) * (sizes.get(trade.instrument.symbol) ?? Number.NaN),
    );
    return { ...trade, gross, fees: roundMoney(gross - trade.gross) };
  });
  if (!priced.every(({ fees }) => fees > -0.0051)) return undefined;

  const groups = [
    ...Map.groupBy(priced, ({ account, instrument }) =>
      JSON.stringify([account, instrument.symbol]),
    ).values(),
  ];
  const alike = groups.reduce(
    (count, group) => count + mostAlike(group.filter(({ fees }) => fees > 0.0051)),
    0,
  );
  const isUsual =
    alike > trades.length / 2 && new Set(trades.map(pointsOf)).size > groups.length;

  return isUsual ? priced : undefined;
}

/** Number of trades in a contract with the median cost per unit. */
function mostAlike(trades: readonly RoundTrip[]): number {
  const rates = trades.map(({ fees, quantity }) => fees / quantity).sort((a, b) => a - b);
  const middle = rates[Math.floor(rates.length / 2)] ?? 0;
  return trades.filter(
    ({ fees, quantity }) =>
      Math.abs(fees - middle * quantity) <= 0.0051 * quantity + 0.0051,
  ).length;
}

/**
 * Number of trades with another P&L than their prices give; all of a contract whose size
 * is unknown.
 */
function misfits(
  trades: readonly RoundTrip[],
  sizes: ReadonlyMap<string, number>,
): number {
  return trades.filter((trade) => {
    const size = sizes.get(trade.instrument.symbol) ?? Number.NaN;
    return !(Math.abs(pointsOf(trade) * size - trade.gross) <= 0.0051);
  }).length;
}

export const ninjatrader = fillsTable({
  ...KNOWN.ninjatrader,
  columns: {
    symbol: 'Instrument',
    side: {
      column: 'Action',
      words: {
        Buy: 'buy',
        Sell: 'sell',
        'Buy to cover': 'buy',
        BuyToCover: 'buy',
        'Sell short': 'sell',
        SellShort: 'sell',
      },
    },
    quantity: { column: ['Quantity', 'Qty'], read: positiveIn },
    quoted: 'Price',
    executed_at: 'Time',
    execution_id: { column: 'ID', optional: 'column', read: idIn },
    order_id: optional('Order ID'),
    fees: {
      column: 'Commission',
      plus: [['Fee', 'Fees']],
      optional: true,
      read: moneyIn,
    },
    account: {
      column: ['Account', 'Account name', 'Account display name', 'Display name'],
      optional: true,
    },
  },
  style: (rows) => ninjaStyle(rows.map(({ quoted }) => quoted.text)),
  dates: 'local',
  instrument: ({ symbol }) => ninjaInstrument(symbol),
  mayShort: true,
  row: ({ quoted }, { instrument }, { style }) => ({
    price: ninjaPrice(quoted, instrument, style),
  }),
});

/** @param prices all of the file */
function ninjaStyle(prices: readonly string[]): MoneyStyle {
  const symbols = ['$', '€', '£', 'CHF', 'US$'];
  return {
    decimal: decimalOf(prices),
    symbols,
    ...(hasSpaces(prices) ? { thousands: ' ' } : {}),
  };
}

/**
 * A future has a month in its name: MNQ MAR25, MNQ 03-25.
 * @throws RowError if it could also be a share
 */
function ninjaInstrument(cell: Cell): Instrument {
  const { text: name } = cell;
  const known = futureOf(name);
  if (name.includes(' ') || known?.month != null) return future(name);
  if (known) {
    throw cellError(
      cell,
      `could be a future or a share; add the month of a future, such as ${known.root} DEC26`,
    );
  }

  return forexPair(name) ?? stock(name);
}

/** Treasury futures may be in 32nds: 110'045. */
function ninjaPrice(
  cell: Cell,
  { underlying }: Pick<Instrument, 'underlying'>,
  style: MoneyStyle,
): number {
  const isIn32nds = IN_32NDS.includes(underlying ?? '') && /\d['’]\d/.test(cell.text);
  return isIn32nds ? priceIn32nds(cell) : numberIn(cell, style);
}

const IN_32NDS = ['ZT', 'Z3N', 'ZF', 'ZN', 'TN', 'ZB', 'UB'];
