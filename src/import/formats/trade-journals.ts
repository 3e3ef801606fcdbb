/** Exports of other journals and their forms of fills: Tradervue, TradeZella. */

import { futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  knownWord,
  moneyIn,
  numberIn,
  orNothing,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvTable, plainName, readCsv } from '../../parse/csv-rows.ts';
import {
  cfd,
  forexPair,
  future,
  type Instrument,
  occOption,
  option,
  stock,
} from '../../parse/instruments.ts';
import { oldestFirst } from '../fills/reading.ts';
import { dayIn } from '../tables/clock.ts';
import { pointsOf, type RoundTrip, sizeOf } from '../tables/closed-trade.ts';
import { type Cells as CellsOf, mayBeEmpty, optional } from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

const DOLLARS = 'no currency in this file; amounts are US dollars';

/** Shares, options by their OCC symbols, futures, pairs of currencies. */
function symbolIn(symbol: Cell): Instrument {
  const { text } = symbol;
  const contract = occOption(text);
  if (contract) return option(contract);
  if (/^[A-Z.-]{1,8}$/i.test(text)) return stock(text);
  if (futureOf(text)) return future(text);

  const pair = text.includes('/') ? forexPair(text) : undefined;
  if (pair) return pair;

  throw cellError(
    symbol,
    'must be a share, a future, an option such as SPY260619C00450000, or a pair such as EUR/USD',
  );
}

// The export of trades. Volume is that of the position, or of both its sides.

export const tradervue = tradesTable({
  ...KNOWN.tradervue,
  columns: {
    symbol: 'Symbol',
    executed_at: 'Open Datetime',
    closed_at: { column: 'Close Datetime', optional: 'cells' },
    side: {
      column: 'Side',
      words: { L: 'long', S: 'short', Long: 'long', Short: 'short' },
    },
    quantity: 'Volume',
    entry_price: 'Entry Price',
    exit_price: { column: 'Exit Price', optional: 'cells' },
    gross_pnl: ['Gross P&L', 'Gross P&L (t)'],
    net: optional('Net P&L'),
    fees: {
      column: 'Commissions',
      plus: ['Fees'],
      optional: true,
      read: moneyIn,
      sign: 'absolute',
    },
    notes: optional('Notes'),
    tags: optional('Tags'),
  },
  dates: 'local',
  skip: ({ closed_at }) => (closed_at.text === '' ? 'open trade' : undefined),
  instrument: ({ symbol }) => symbolIn(symbol),
  row({ net, notes, tags }, { gross, fees }) {
    const netPnl = net && orNothing(net, moneyIn);
    if (typeof netPnl === 'number' && Math.abs(gross - fees - netPnl) > 0.011) {
      throw cellError(
        net as Cell,
        `must be gross less commissions and fees, which is ${roundMoney(gross - fees)}`,
      );
    }

    const labels = (tags?.text ?? '').split(',').map((tag) => tag.trim());
    return { labels: { notes: notes?.text || null, tags: labels.filter(Boolean) } };
  },
  end(trades) {
    const whole = inPositions(trades);
    const note = 'volumes count both sides; quantities are half of them';
    return { trades: whole ?? trades, notes: whole ? [DOLLARS, note] : [DOLLARS] };
  },
  allCosts: true,
  states: ['gross'],
});

/**
 * The trades with half their volumes, if that explains the P&L of every one with a known
 * contract size.
 */
function inPositions(trades: readonly RoundTrip[]): RoundTrip[] | undefined {
  const known = trades.flatMap((trade) => {
    const expected = pointsOf(trade) * (sizeOf(trade) ?? 0);
    return Math.abs(expected) > 0.05 ? [{ expected, gross: trade.gross }] : [];
  });
  const isNear = (expected: number, gross: number) =>
    Math.abs(expected - gross) <= 0.02 + Math.abs(gross) * 0.02;
  if (
    known.length === 0 ||
    !known.every(({ expected, gross }) => isNear(expected / 2, gross))
  )
    return undefined;

  return trades.map((trade) => ({ ...trade, quantity: trade.quantity / 2 }));
}

// The generic form of executions.

/** A rebate of an ECN has a minus; in a commission, a minus could mean either. */
function costIn(cell: Cell): number {
  const cost = numberIn(cell);
  if (cost >= 0 || cell.column !== 'Commission') return cost;
  throw cellError(
    cell,
    'must be 0 or above, such as 1.25: this form states costs without a minus',
  );
}

export const tradervueExecutions = fillsTable({
  ...KNOWN['tradervue-executions'],
  columns: {
    date: 'Date',
    executed_at: { column: 'Time', day: 'date' },
    symbol: 'Symbol',
    quantity: { column: 'Quantity', text: (text) => text.replace(/^-/, '') },
    units: 'Quantity',
    price: 'Price',
    side: {
      column: 'Side',
      words: byMeaning({ buy: 'Buy, B, BOT, BC', sell: 'Sell, S, SLD, SS, Short' }),
    },
    fees: {
      column: 'Commission',
      plus: ['TransFee', 'ECNFee'],
      optional: true,
      read: costIn,
    },
    account: optional('Account'),
  },
  dates: ['ymd', 'mdy'],
  skip: ({ symbol, units }) =>
    symbol.text === '' && units.text === '' ? 'row without a symbol' : undefined,
  instrument: ({ symbol }) => symbolIn(symbol),
  mayShort: true,
  row({ units }, { side }) {
    if (side === 'sell' || numberIn(units) > 0) return {};
    throw cellError(units, 'must be above 0 for a purchase');
  },
  order: inOrderOfTime,
  notes: [DOLLARS],
  allCosts: true,
});

// TradeZella's export of closed trades, with the user's notes and labels.

const MARKETS = byMeaning({
  stock: 'Stock, Stocks, Equity, ETF',
  future: 'Future, Futures',
  forex: 'Forex, FX',
  crypto: 'Crypto, Cryptocurrency',
  cfd: 'CFD',
});

const EXPORT_MARKS = KNOWN.tradezella.marks;

const COLUMNS = {
  account: 'Account Name',
  symbol: 'Symbol',
  contract: mayBeEmpty('Instrument'),
  spread: mayBeEmpty('Spread Type'),
  side: 'Side',
  quantity: 'Quantity',
  open_date: 'Open Date',
  executed_at: { column: 'Open Time', day: 'open_date' },
  close_date: mayBeEmpty('Close Date'),
  closed_at: { column: 'Close Time', day: 'close_date', optional: 'cells' },
  entry_price: 'Entry Price',
  exit_price: mayBeEmpty('Exit Price'),
  gross_pnl: 'Gross P&L',
  net_pnl: 'Net P&L',
  risk: optional('Trade Risk'),
  mae: optional('Position MAE'),
  mfe: optional('Position MFE'),
  rating: optional('Rating'),
  playbook: optional('Playbook'),
  setups: optional('Setups'),
  mistakes: optional('Mistakes'),
  tags: optional(['Tags', 'Custom Tags']),
  status: optional('Status'),
  written: optional('Notes'),
} as const;

/** Columns computed by TradeZella, and costs, which are gross minus net P&L. */
const COMPUTED = [
  'Adjusted Cost',
  'Adjusted Proceeds',
  'Best Exit',
  'Best Exit Price',
  'Best Exit Time',
  'Commission',
  'Duration',
  'Executions',
  'Fee',
  'Swap',
  'Net ROI',
  'Pips',
  'Reward Ratio',
  'Points',
  'Price MAE',
  'Price MFE',
  'Realized RR',
  'Return Per Pip',
  'Reviewed',
  'Ticks Value',
  'Ticks Per Contract',
];

/**
 * Known columns. Filled cells of all others, which users define, become the trade's note.
 */
const READ = new Set(
  [
    ...EXPORT_MARKS,
    ...COMPUTED,
    ...Object.values(COLUMNS).flatMap((column) => namesOf(column)),
  ]
    .filter((name) => name !== 'Notes')
    .map(plainName),
);

function namesOf(
  column: string | { column: string | readonly string[] },
): readonly string[] {
  return typeof column === 'string' ? [column] : [column.column].flat();
}

type Cells = CellsOf<typeof COLUMNS>;

export const tradezella = tradesTable({
  ...KNOWN.tradezella,
  columns: COLUMNS,
  table: withNotes,
  dates: 'ymd',
  skip: ({ close_date: closed }) =>
    closed.text === '' ? 'open trade (export again once it is closed)' : undefined,
  instrument: instrumentOf,
  row(cells, { gross }) {
    refuseEmpty(cells.exit_price);
    return { fees: roundMoney(gross - numberIn(cells.net_pnl)), labels: labelsOf(cells) };
  },
  states: ['gross', 'net'],
  includedCosts: ['Commission', 'Fee', 'Swap'],
  notes: ['this export has no currency; using USD'],
});

/** Adds a column with the contents of user-defined columns, each after its name. */
function withNotes(text: string): CsvTable {
  const { header, rows } = readCsv(text, EXPORT_MARKS);
  const others = header.cells.flatMap((name, index) =>
    READ.has(plainName(name)) ? [] : [{ name: name.trim(), index }],
  );

  const noteOf = (cells: readonly string[]) =>
    others.flatMap(({ name, index }) => {
      const text = cells[index]?.trim() ?? '';
      const isUnset = text === '' || (name === 'Initial Target' && Number(text) === 0);
      return isUnset ? [] : [`${name.replaceAll(/\s+/g, ' ')}: ${text}`];
    });

  const isOwn = new Set(others.map(({ index }) => index));
  const cellsOf = (cells: readonly string[], last: string) => [
    ...header.cells.map((_, index) => (isOwn.has(index) ? '' : (cells[index] ?? ''))),
    last,
  ];

  return {
    header: { ...header, cells: cellsOf(header.cells, 'Notes') },
    rows: rows.map((row) => ({
      ...row,
      cells: cellsOf(row.cells, noteOf(row.cells).join('\n\n')),
    })),
  };
}

const LONGEST_SYMBOL = 64;

/** The name of an option is its contract. A combination of options has no strike. */
function instrumentOf({ symbol, contract, spread }: Cells): Instrument {
  const market = spread.text === '' ? 'stock' : knownWord(spread, MARKETS);
  if (market !== undefined) return instrumentIn(symbol, market);
  const name =
    contract.text === '' || contract.text.length > LONGEST_SYMBOL
      ? symbol.text
      : contract.text;
  return { ...stock(name), market: 'option', underlying: symbol.text };
}

function instrumentIn({ text: symbol }: Cell, market: string): Instrument {
  if (market === 'future') return future(symbol);
  if (market === 'stock') return stock(symbol);

  const pair = market === 'forex' ? forexPair(symbol) : undefined;
  return {
    ...(pair ?? cfd(symbol, 'USD')),
    market: market as Instrument['market'],
    currency: 'USD',
  };
}

function labelsOf({
  risk,
  mae,
  mfe,
  rating,
  playbook,
  setups,
  mistakes,
  tags,
  written,
}: Cells) {
  const amount = (cell: Cell | undefined) => (cell?.text ? numberIn(cell) : null);
  const stars = amount(rating);
  const isRating = stars !== null && Number.isInteger(stars) && stars >= 1 && stars <= 5;
  const listed = listIn(setups);
  const isSetup = !playbook?.text && listed.length === 1;
  const notes = [written?.text, stars && !isRating ? `Rating: ${stars}` : '']
    .filter(Boolean)
    .join('\n\n');

  return {
    setup: playbook?.text || setups?.text || null,
    tags: [...new Set([...(isSetup ? [] : listed), ...listIn(tags)])],
    mistakes: listIn(mistakes),
    rating: isRating ? stars : null,
    notes: notes || null,
    initial_risk: amount(risk) || null,
    mae: amount(mae),
    mfe: amount(mfe),
  };
}

function listIn(cell: Cell | undefined): string[] {
  return [...new Set((cell?.text ?? '').split(',').map((word) => word.trim()))].filter(
    (word) => word !== '',
  );
}

// TradeZella's import template of fills.

export const tradezellaTemplate = fillsTable({
  ...KNOWN['tradezella-template'],
  columns: {
    date: 'Date',
    executed_at: { column: 'Time', day: 'date' },
    symbol: 'Symbol',
    side: 'Buy/Sell',
    quantity: 'Quantity',
    price: 'Price',
    spread: mayBeEmpty('Spread'),
    expiration: mayBeEmpty('Expiration'),
    strike: mayBeEmpty('Strike'),
    option_type: mayBeEmpty('Call/Put'),
    fees: { column: 'Commission', optional: true, plus: ['Fees'], sign: 'absolute' },
  },
  dates: 'mdy',
  instrument({ symbol, spread, expiration, strike, option_type: type }) {
    if (expiration.text === '' && strike.text === '' && type.text === '') {
      return instrumentIn(symbol, spread.text === '' ? 'stock' : wordIn(spread, MARKETS));
    }

    refuseEmpty(expiration, strike, type);
    return option({
      underlying: symbol.text,
      expiration: dayIn(expiration, ['mdy']),
      strike: numberIn(strike),
      optionType: wordIn(type, {
        Call: 'call',
        Put: 'put',
        C: 'call',
        P: 'put',
      } as const),
    });
  },
  // TradeZella itself treats an unmatched sell as a short.
  mayShort: true,
  order: (fills) => inOrderOfTime(oldestFirst(fills)),
});
