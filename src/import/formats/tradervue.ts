/** Tradervue: its export of closed trades, and the executions that it takes in, which converters of many brokers write. */
import { roundMoney } from '../../money.ts';
import { type Cell, cellError, orNothing } from '../parse/columns.ts';
import { forexPair, future, futureOf, type Instrument, occOption, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn } from '../parse/numbers.ts';
import { spreadsheetDates } from '../parse/times.ts';
import { pointsOf, type RoundTrip, sizeOf } from '../table/closed-trade.ts';
import { optional } from '../table/declaration.ts';
import { fillsTable, inOrderOfTime } from '../table/fills.ts';
import { tradesTable } from '../table/trades.ts';

const DOLLARS = 'no currency in this file; amounts are US dollars';

/** Shares, options by their OCC symbols, futures, pairs of currencies. */
function instrumentIn(symbol: Cell): Instrument {
  const { text } = symbol;
  const contract = occOption(text);
  if (contract) return option(contract);
  if (/^[A-Z.-]{1,8}$/i.test(text)) return stock(text);
  if (futureOf(text)) return future(text);
  const pair = text.includes('/') ? forexPair(text) : undefined;
  if (pair) return pair;
  throw cellError(symbol, 'must be a share, a future, an option such as SPY260619C00450000, or a pair such as EUR/USD');
}

// The export of trades. Volume is that of the position, or of both its sides.

export const tradervue = tradesTable({
  name: 'tradervue',
  description: 'Tradervue: Trades > Export (CSV): closed trades',
  evidence: 'samples',
  marks: ['Open Datetime', 'Close Datetime', 'Exec Count', 'Entry Price', 'Exit Price'],
  columns: {
    symbol: 'Symbol',
    executed_at: 'Open Datetime',
    closed_at: { column: 'Close Datetime', optional: 'cells' },
    side: { column: 'Side', words: { L: 'long', S: 'short', Long: 'long', Short: 'short' } },
    quantity: 'Volume',
    entry_price: 'Entry Price',
    exit_price: { column: 'Exit Price', optional: 'cells' },
    gross_pnl: ['Gross P&L', 'Gross P&L (t)'],
    net: optional('Net P&L'),
    fees: { column: 'Commissions', plus: ['Fees'], optional: true, read: moneyIn, sign: 'absolute' },
    notes: optional('Notes'),
    tags: optional('Tags'),
  },
  dates: spreadsheetDates,
  skip: ({ closed_at }) => (closed_at.text === '' ? 'open trade' : undefined),
  instrument: ({ symbol }) => instrumentIn(symbol),
  row({ net, notes, tags }, { gross, fees }) {
    const made = net && orNothing(net, moneyIn);
    if (typeof made === 'number' && Math.abs(gross - fees - made) > 0.011) {
      throw cellError(net as Cell, `must be gross less commissions and fees, which is ${roundMoney(gross - fees)}`);
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

/** The trades with half their volumes, if that explains the P&L of every one with a known contract size. */
function inPositions(trades: readonly RoundTrip[]): RoundTrip[] | undefined {
  const known = trades.flatMap((trade) => {
    const made = pointsOf(trade) * (sizeOf(trade) ?? 0);
    return Math.abs(made) > 0.05 ? [{ made, gross: trade.gross }] : [];
  });
  const isNear = (made: number, gross: number) => Math.abs(made - gross) <= 0.02 + Math.abs(gross) * 0.02;
  if (known.length === 0 || !known.every(({ made, gross }) => isNear(made / 2, gross))) return undefined;
  return trades.map((trade) => ({ ...trade, quantity: trade.quantity / 2 }));
}

// The generic form of executions.

/** A rebate of an ECN has a minus; in a commission, a minus could mean either. */
function costIn(cell: Cell): number {
  const cost = numberIn(cell);
  if (cost >= 0 || cell.column !== 'Commission') return cost;
  throw cellError(cell, 'must be 0 or above, such as 1.25: this form states costs without a minus');
}

export const tradervueExecutions = fillsTable({
  name: 'tradervue-executions',
  description: "Tradervue's generic import form (CSV), as converters write it: executions with up to three fees",
  evidence: 'samples',
  marks: ['Date', 'Time', 'Symbol', 'Quantity', 'Price', 'Side', ['TransFee', 'ECNFee']],
  columns: {
    date: 'Date',
    executed_at: { column: 'Time', day: 'date' },
    symbol: 'Symbol',
    quantity: { column: 'Quantity', text: (text) => text.replace(/^-/, '') },
    units: 'Quantity',
    price: 'Price',
    side: {
      column: 'Side',
      words: {
        Buy: 'buy',
        B: 'buy',
        BOT: 'buy',
        BC: 'buy',
        Sell: 'sell',
        S: 'sell',
        SLD: 'sell',
        SS: 'sell',
        Short: 'sell',
      },
    },
    fees: { column: 'Commission', plus: ['TransFee', 'ECNFee'], optional: true, read: costIn },
    account: optional('Account'),
  },
  dates: ['ymd', 'mdy'],
  skip: ({ symbol, units }) => (symbol.text === '' && units.text === '' ? 'row without a symbol' : undefined),
  instrument: ({ symbol }) => instrumentIn(symbol),
  mayShort: true,
  row({ units }, { side }) {
    if (side === 'sell' || numberIn(units) > 0) return {};
    throw cellError(units, 'must be above 0 for a purchase');
  },
  order: inOrderOfTime,
  notes: [DOLLARS],
  allCosts: true,
});
