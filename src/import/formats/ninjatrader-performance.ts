/**
 * NinjaTrader's Trade Performance: closed trades. Its Profit is after commissions or before them, by version and setting;
 * prices tell which.
 */
import { roundMoney } from '../../money.ts';
import { reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { contractSize } from '../parse/contract-sizes.ts';
import { headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { dateOrderOf, orderNote } from '../parse/local-style.ts';
import { type MoneyStyle, moneyIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type ClosedTrade, closedTrades, pointsOf, totalOf } from './closed-trade.ts';
import type { Format } from './format.ts';
import { moneyStyle, ninjaInstrument, ninjaPrice } from './ninjatrader.ts';

const COLUMNS = {
  instrument: 'Instrument',
  position: ['Market pos.', 'Market pos', 'Market position', 'Pos. marché.', 'Pos. marché'],
  quantity: ['Qty', 'Quantity', 'Qté'],
  entryPrice: ['Entry price', "Prix d'entrée"],
  exitPrice: ['Exit price', 'Prix de sortie'],
  entryTime: ['Entry time', "Heure d'entrée"],
  exitTime: ['Exit time', 'Heure de sortie'],
  profit: ['Profit', 'Net profit'],
};

/** What no other header has. */
const MARKS = [COLUMNS.instrument, COLUMNS.position, COLUMNS.entryPrice, COLUMNS.exitTime, COLUMNS.profit];

const SIDES = { Long: 'long', Short: 'short', Longue: 'long', Courte: 'short' } as const;

const ACCOUNT = ['Account', 'Account display name', 'Compte'];

const COSTS = {
  commission: 'Commission',
  clearing: 'Clearing Fee',
  exchange: 'Exchange Fee',
  ip: 'IP Fee',
  nfa: 'NFA Fee',
};

export const ninjatraderPerformance: Format = {
  name: 'ninjatrader-performance',
  platform: 'ninjatrader',
  description: 'NinjaTrader: Trade Performance, Trades, Export (CSV): closed trades with commissions',
  evidence: 'samples',
  holds: 'trades',
  looksLike(start) {
    return headerIn(start, MARKS) !== undefined;
  },
  read(text, context) {
    const { header, rows } = readCsv(text, MARKS);
    const cellsOf = columnsOf(header, COLUMNS, { ...COSTS, account: ACCOUNT });
    const { zone, note } = assumedZone(context);
    const skipped = new Map<string, number>();
    const data = rows.filter((row) => !isEmpty(row) || skip(skipped, 'empty row')).map(cellsOf);
    const style = moneyStyle(
      data.flatMap((cells) => [cells.entryPrice, cells.exitPrice, cells.profit].map(({ text }) => text)),
    );
    const order = dateOrderOf(
      data.flatMap(({ entryTime, exitTime }) => [entryTime.text, exitTime.text]),
      style.decimal === ',' ? 'dmy' : 'mdy',
    );
    const stated = data.map((cells) => tradeOf(cells, style, (cell) => instantIn(cell, order, zone)));
    const known = beforeFees(stated);
    const priced = misfits(known) === 0 ? undefined : withHiddenFees(stated);
    const trades = priced ?? known;
    const { records, notes } = closedTrades('ninjatrader-performance', trades);
    return reading({
      records,
      skipped,
      notes: [
        note,
        orderNote(order),
        ...(priced ? ['costs are what is between prices and profits, since columns of fees were hidden'] : []),
        ...notes,
      ],
      stated: [totalOf(trades, 'gross'), totalOf(trades, 'fees')].flat(),
    });
  },
};

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof COSTS | 'account', Cell>>;

/** Gross is what the row states as profit. */
function tradeOf(cells: Cells, style: MoneyStyle, instant: (cell: Cell) => string): ClosedTrade {
  const { account, commission, clearing, exchange, ip, nfa, ...required } = cells;
  refuseEmpty(...Object.values(required));
  const { instrument, position, quantity, entryPrice, exitPrice, entryTime, exitTime, profit } = required;
  const traded = ninjaInstrument(instrument);
  const costs = [commission, clearing, exchange, ip, nfa].map(
    (cell) => (cell && orNothing(cell, (own) => moneyIn(own, style))) ?? 0,
  );
  return {
    line: profit.line,
    id: null,
    account: account?.text || null,
    instrument: traded,
    side: wordIn(position, SIDES),
    quantity: positiveIn(quantity, style),
    entry: { executedAt: instant(entryTime), price: ninjaPrice(entryPrice, traded, style) },
    exit: { executedAt: instant(exitTime), price: ninjaPrice(exitPrice, traded, style) },
    gross: moneyIn(profit, style),
    fees: costs.reduce((sum, cost) => sum + cost, 0),
  };
}

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
