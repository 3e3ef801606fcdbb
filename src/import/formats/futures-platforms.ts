/**
 * Platforms for futures: TopstepX and other ProjectX platforms, Quantower, Sierra Chart.
 */

import { RowError } from '../../errors.ts';
import { contractSize, futureOf } from '../../journal/derivatives.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  idIn,
  moneyIn,
  numberIn,
  orNothing,
  partOf,
  plainPriceIn,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import {
  cfd,
  coins,
  forexPair,
  future,
  type Instrument,
  optionOf,
  stock,
} from '../../parse/instruments.ts';
import type { DateOrder } from '../../parse/times.ts';
import { distinctIds, type FileFill, fill, type StatedTotal } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  ORDERS,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable, inOrderOfIds, inOrderOfTime } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

// TopstepX and other ProjectX platforms: the export of orders. Bid buys, Ask sells; an
// order is one fill at its average price.

const STATUSES = byMeaning({
  filled: 'Filled',
  open: 'Open, Pending',
  cancelled: 'Cancelled, Canceled',
  expired: 'Expired',
  rejected: 'Rejected',
});

export const topstepxOrders = fillsTable({
  ...KNOWN['topstepx-orders'],
  columns: {
    execution_id: { column: 'Id', read: idIn },
    account: { column: 'AccountName', optional: 'cells' },
    symbol: 'ContractName',
    status: 'Status',
    quantity: 'Size',
    side: {
      column: 'Side',
      words: { Bid: 'buy', Ask: 'sell', Buy: 'buy', Sell: 'sell' },
    },
    executed_at: 'FilledAt',
    price: { column: 'ExecutePrice', read: plainPriceIn },
  },
  dates: 'mdy',
  // An unfilled order with a price was partially filled, with a size that the file
  // doesn't state.
  skip({ status, price }) {
    const meaning = wordIn(status, STATUSES);
    return meaning !== 'filled' && price.text === '' ? `${meaning} order` : undefined;
  },
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  row: ({ status }) => wordIn(status, { Filled: {} }),
  order: inOrderOfIds,
  hasFees: false,
  notes: [ORDERS],
});

// TopstepX: the export of closed trades, unordered, with P&L before fees.

export const topstepx = tradesTable({
  ...KNOWN.topstepx,
  columns: {
    id: { column: ['Id', 'Trade Id'], read: numberOfTrade },
    symbol: ['ContractName', 'Contract Name', 'Contract'],
    executed_at: ['EnteredAt', 'Entered At'],
    closed_at: ['ExitedAt', 'Exited At'],
    entry_price: ['EntryPrice', 'Entry Price'],
    exit_price: ['ExitPrice', 'Exit Price'],
    // Costs of a round turn; the sign depends on the version.
    fees: {
      column: 'Fees',
      plus: [['Commissions', 'Commission']],
      optional: 'cells',
      read: moneyIn,
      sign: 'absolute',
    },
    gross_pnl: ['PnL', 'P&L'],
    quantity: ['Size', 'Quantity'],
    side: ['Type', 'Direction', 'Side'],
    account: { column: ['AccountName', 'Account Name', 'Account'], optional: true },
  },
  // 05/08/2025 11:22:07 -04:00; other ProjectX platforms: 2025-05-08T15:22:07+00:00.
  dates: 'mdy',
  instrument: ({ symbol }) => future(symbol.text),
  states: ['gross', 'fees'],
});

function numberOfTrade(cell: Cell): string {
  if (/^[\w-]{1,40}$/.test(cell.text)) return cell.text;
  throw cellError(cell, 'must be the number of a trade, such as 1234567');
}

// Quantower's Trades panel: fills with P&L. Fees may have either sign, detected by the
// net P&L.

const KINDS = byMeaning({
  future: 'Futures, Future',
  stock: 'Equities, Equity, Stock, Stocks, ETF',
  forex: 'Forex',
  crypto: 'Crypto, Spot',
  cfd: 'CFD, Indexes',
  option: 'Options, Option',
});

export const quantower = fillsTable({
  ...KNOWN.quantower,
  columns: {
    account: 'Account',
    executed_at: ['Date/Time', 'Date / Time', 'Time'],
    symbol: 'Symbol',
    kind: ['Symbol type', 'SymbolType', 'Type'],
    side: 'Side',
    size: ['Quantity', 'Qty'],
    price: { column: 'Price', read: plainPriceIn },
    execution_id: { column: ['Trade ID', 'TradeID', 'ID'], read: idIn },
    order_id: optional('Order ID'),
    fees: { column: ['Fee', 'Fees'], optional: true, read: moneyIn },
    gross_pnl: { column: ['Gross P/L', 'Gross P&L'], optional: true, read: moneyIn },
    net_pnl: { column: ['Net P/L', 'Net P&L'], optional: true, read: moneyIn },
    expiration: { column: 'Expiration date', optional: true },
    strike: { column: 'Strike price', optional: true },
    option_type: { column: ['Option type', 'Put/Call'], optional: true },
    underlying: { column: ['Underlier', 'Underlying'], optional: true },
  },
  dates: 'local',
  dated: ['expiration'],
  instrument: (cells, { order }) => panelInstrument(cells, order),
  mayShort: true,
  row: ({ size }, { side }) => ({
    // Sold quantities may have a minus.
    quantity: positiveIn(
      side === 'buy' ? size : { ...size, text: size.text.replace(/^[-−]/, '') },
    ),
  }),
  end: (fills, { rows }) =>
    rows().some(isFeeNegative)
      ? { fills: fills.map((fill) => ({ ...fill, fees: 0 - fill.fees })) }
      : {},
});

/** Whether costs have a minus: then net P&L is gross plus fee. */
function isFeeNegative(
  cells: Record<'fees' | 'gross_pnl' | 'net_pnl', Cell | undefined>,
): boolean {
  const amount = (cell: Cell | undefined) => orNothing(cell, moneyIn) ?? 0;
  const cost = amount(cells.fees);
  const rest = amount(cells.gross_pnl) + cost - amount(cells.net_pnl);
  return cost < 0 && (cells.net_pnl === undefined || Math.abs(rest) < 0.0051);
}

type PanelCells = Record<'symbol' | 'kind', Cell> &
  Record<'expiration' | 'strike' | 'option_type' | 'underlying', Cell | undefined>;

function panelInstrument(
  { symbol, kind, expiration, strike, option_type: optionType, underlying }: PanelCells,
  order: DateOrder,
): Instrument {
  const name = symbol.text;
  const market = wordIn(kind, KINDS);
  if (market === 'future') return future(name);
  if (market === 'stock') return stock(name);
  if (market === 'crypto') return coins(name, /USDT$/.test(name) ? 'USDT' : 'USD');
  if (market === 'forex') return forexPair(name) ?? cfd(name, 'USD');
  if (market === 'cfd') return cfd(name, 'USD');

  const missing = (column: string): Cell => ({ text: '', column, line: symbol.line });
  const ends = expiration ?? missing('Expiration date');
  const at = strike ?? missing('Strike price');
  const type = optionType ?? missing('Option type');
  const day = { ...ends, text: ends.text.split(' ')[0] ?? '' };

  return optionOf(
    { underlying: underlying?.text || name, expiration: day, strike: at, type },
    order,
  );
}

// Sierra Chart's trades list: pairs of an entry and an exit, several for a position. The
// times of a position's first entry and last exit end with BP and EP.

const withoutMark = (text: string) => text.replace(/ [BE]P$/, '');

const COLUMNS = {
  symbol: 'Symbol',
  side: 'Trade Type',
  executed_at: { column: 'Entry DateTime', text: withoutMark },
  closed_at: { column: 'Exit DateTime', text: withoutMark, optional: 'cells' },
  entry_price: 'Entry Price',
  exit_price: { column: 'Exit Price', optional: 'cells' },
  quantity: 'Trade Quantity',
  pnl: optional('Profit/Loss (C)'),
  commission: optional('Commission (C)'),
  total: optional('Cumulative Profit/Loss (C)'),
  account: optional('Account'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

export const sierraChart = rowsTable({
  ...KNOWN['sierra-chart'],
  columns: COLUMNS,
  dates: 'ymd',
  // A later file states the entry of an open position in pieces of other sizes.
  skip({ symbol, closed_at }) {
    if (symbol.text === '') return 'total line';
    return closed_at.text === '' ? 'open position' : undefined;
  },
  end(rows, file) {
    const numbered = distinctIds(' ');
    const fills = rows.flatMap((cells) => pairOf(cells, file, numbered));
    const currency = fills[0]?.instrument.currency ?? 'USD';
    const stated = file.rows().flatMap(({ total }): StatedTotal[] => {
      const text = /^Total:\s*(.+)/s.exec(total?.text ?? '')?.[1];
      if (!total || text === undefined) return [];

      return [
        {
          isTotal: true,
          what: 'gross',
          currency,
          symbol: null,
          amount: moneyIn(partOf(total, text)),
        },
      ];
    });

    return { fills: inOrderOfTime(fills), stated };
  },
});

const SIDES = { Long: ['buy', 'sell'], Short: ['sell', 'buy'] } as const;

/** The two fills of a row. */
function pairOf(
  cells: Cells,
  file: TableFile,
  numbered: ReturnType<typeof distinctIds>,
): FileFill[] {
  const {
    symbol,
    side,
    executed_at,
    closed_at,
    entry_price,
    exit_price,
    quantity,
    account,
    commission,
  } = cells;
  const [opening, closing] = wordIn(side, SIDES);
  const row = [executed_at, closed_at, entry_price, exit_price, quantity]
    .map(({ text }) => text)
    .join(' ');
  const id = numbered(row, `${account?.text} ${symbol.text} ${opening} ${row}`);
  const common = {
    line: symbol.line,
    account: account?.text || null,
    instrument: instrumentIn(symbol),
    quantity: positiveIn(quantity),
    mayShort: true,
  };
  const entry = fill({
    ...common,
    executionId: `${id} entry`,
    executedAt: file.instantIn(executed_at),
    side: opening,
    price: numberIn(entry_price),
  });
  const exit = fill({
    ...common,
    executionId: `${id} exit`,
    executedAt: file.instantIn(closed_at),
    side: closing,
    price: numberIn(exit_price),
    fees: commission ? Math.abs(moneyIn(commission)) : 0,
  });

  return [
    entry,
    cells.pnl ? { ...exit, stated: { gross: grossOf(cells.pnl, entry, exit) } } : exit,
  ];
}

/**
 * P&L before the commission: by the settings of the program, the column includes it or
 * not.
 */
function grossOf(
  pnl: Cell,
  { side, price, quantity, instrument }: FileFill,
  exit: FileFill,
): number {
  const { fees } = exit;
  const stated = moneyIn(pnl);
  const size =
    instrument.market === 'stock'
      ? 1
      : contractSize(instrument.underlying ?? '')?.multiplier;
  if (fees === 0 || size === undefined) return stated;

  const move =
    (side === 'buy' ? exit.price - price : price - exit.price) * Number(quantity) * size;
  if (Math.abs(move - stated) < 0.011) return stated;
  if (Math.abs(move - fees - stated) < 0.011) return stated + fees;

  const problem = `${stated} is neither ${move}, as the prices give, nor that less the commission`;
  throw new RowError(pnl.column, problem, pnl.line);
}

/** MNQH26_FUT_CME (account), MNQH26-CME, [Sim]MNQH26; shares such as AAPL-NQTV. */
function instrumentIn(cell: Cell): Instrument {
  const symbol = cell.text.replace(/ \([^()]*\)$/, '').replace(/^\[Sim\]/i, '');
  const bare = symbol.replace(/-[A-Z]+$/, '');
  if (futureOf(bare)) return { ...future(bare), symbol };
  if (/^[A-Z]{1,5}$/.test(bare)) return stock(bare);
  throw cellError(
    cell,
    'must be a future, such as MNQH26_FUT_CME, or a share, such as AAPL',
  );
}
