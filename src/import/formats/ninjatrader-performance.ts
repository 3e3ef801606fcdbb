/**
 * NinjaTrader's Trade Performance: closed trades. Its Profit is after commissions or before them, by version and setting;
 * prices tell which.
 */
import { roundMoney } from '../../money.ts';
import { contractSize } from '../parse/contract-sizes.ts';
import { moneyIn } from '../parse/numbers.ts';
import { type ClosedTrade, pointsOf } from '../table/closed-trade.ts';
import { tradesTable } from '../table/trades.ts';
import { ninjaDates, ninjaInstrument, ninjaPrice, ninjaStyle } from './ninjatrader.ts';

const POSITION = ['Market pos.', 'Market pos', 'Market position', 'Pos. marché.', 'Pos. marché'];
const ENTRY_PRICE = ['Entry price', "Prix d'entrée"];
const EXIT_TIME = ['Exit time', 'Heure de sortie'];
const PROFIT = ['Profit', 'Net profit'];

export const ninjatraderPerformance = tradesTable({
  name: 'ninjatrader-performance',
  platform: 'ninjatrader',
  description: 'NinjaTrader: Trade Performance, Trades, Export (CSV): closed trades with commissions',
  evidence: 'samples',
  marks: ['Instrument', POSITION, ENTRY_PRICE, EXIT_TIME, PROFIT],
  columns: {
    symbol: 'Instrument',
    side: { column: POSITION, words: { Long: 'long', Short: 'short', Longue: 'long', Courte: 'short' } },
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
  style: (rows) => ninjaStyle(rows.flatMap(({ entry, exit, gross_pnl }) => [entry.text, exit.text, gross_pnl.text])),
  dates: ninjaDates,
  instrument: ({ symbol }) => ninjaInstrument(symbol),
  row: (cells, { instrument, entry, exit }, { style }) => ({
    entry: { ...entry, price: ninjaPrice(cells.entry, instrument, style) },
    exit: { ...exit, price: ninjaPrice(cells.exit, instrument, style) },
  }),
  end(stated) {
    const known = beforeFees(stated);
    const priced = misfits(known) === 0 ? undefined : withHiddenFees(stated);
    if (!priced) return { trades: known };
    return {
      trades: priced,
      notes: ['costs are what is between prices and profits, since columns of fees were hidden'],
    };
  },
  states: ['gross', 'fees'],
});

/** Profits of a file are all before fees, or all after them: whichever makes more of its trades fit the contracts' sizes. */
function beforeFees(trades: readonly ClosedTrade[]): ClosedTrade[] {
  const restored = trades.map((trade) => ({ ...trade, gross: trade.gross + trade.fees }));
  return misfits(restored) <= misfits(trades) ? restored : [...trades];
}

/**
 * Where columns of fees are hidden, profits are after fees that the file doesn't have.
 * @returns trades with what is between prices and profits as fees; undefined unless that is the same for each contract
 */
function withHiddenFees(trades: readonly ClosedTrade[]): ClosedTrade[] | undefined {
  const rates = new Map<string, number>();
  const priced: ClosedTrade[] = [];
  for (const trade of trades) {
    const { instrument, account, quantity } = trade;
    const size = contractSize(instrument.underlying ?? '')?.multiplier;
    if (size === undefined) return undefined;
    const gross = roundMoney(pointsOf(trade) * size);
    const fees = roundMoney(gross - trade.gross);
    const key = JSON.stringify([account, instrument.symbol]);
    const rate = rates.get(key) ?? fees / quantity;
    rates.set(key, rate);
    if (fees < trade.fees - 0.0051 || Math.abs(fees - rate * quantity) > 0.0051 * quantity + 0.0051) return undefined;
    priced.push({ ...trade, gross, fees });
  }
  return new Set(trades.map(pointsOf)).size > rates.size ? priced : undefined;
}

function misfits(trades: readonly ClosedTrade[]): number {
  return trades.filter((trade) => {
    const size = contractSize(trade.instrument.underlying ?? '')?.multiplier;
    const ratio = trade.gross / pointsOf(trade);
    // Of an unknown contract only that it is a round number.
    const wanted = size ?? Number(ratio.toPrecision(2));
    return Math.abs(pointsOf(trade) * wanted - trade.gross) > 0.0051;
  }).length;
}
