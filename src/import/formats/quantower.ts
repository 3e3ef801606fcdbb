/** Quantower's Trades panel: fills with their P&L. A fee is a cost of either sign; net P&L tells which the file has. */

import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, idIn, orNothing, refuseEmpty } from '../parse/columns.ts';
import { headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { cfd, coins, forexPair, future, type Instrument, option, stock } from '../parse/instruments.ts';
import { dateOrderOf } from '../parse/local-style.ts';
import { moneyIn, numberIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, type DateOrder, dateIn, instantIn } from '../parse/times.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  account: 'Account',
  time: ['Date/Time', 'Date / Time', 'Time'],
  symbol: 'Symbol',
  kind: ['Symbol type', 'SymbolType', 'Type'],
  side: 'Side',
  quantity: ['Quantity', 'Qty'],
  price: 'Price',
  id: ['Trade ID', 'TradeID', 'ID'],
};

/** What no other header has. */
const MARKS = ['Symbol type', COLUMNS.id, 'Order ID', COLUMNS.side];

const TOO = {
  fee: ['Fee', 'Fees'],
  gross: ['Gross P/L', 'Gross P&L'],
  net: ['Net P/L', 'Net P&L'],
  expiration: 'Expiration date',
  strike: 'Strike price',
  optionType: ['Option type', 'Put/Call'],
  underlying: ['Underlier', 'Underlying'],
};

const KINDS = {
  Futures: 'future',
  Future: 'future',
  Equities: 'stock',
  Equity: 'stock',
  Stock: 'stock',
  Stocks: 'stock',
  ETF: 'stock',
  Forex: 'forex',
  Crypto: 'crypto',
  Spot: 'crypto',
  CFD: 'cfd',
  Indexes: 'cfd',
  Options: 'option',
  Option: 'option',
} as const;

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

export const quantower: Format = {
  name: 'quantower',
  description: 'Quantower: Trades panel, Export (CSV): fills with fees',
  evidence: 'samples',
  holds: 'trades',
  looksLike(start) {
    return headerIn(start, MARKS) !== undefined;
  },
  read(text, context) {
    const { header, rows } = readCsv(text, MARKS);
    const cellsOf = columnsOf(header, COLUMNS, TOO);
    const { zone, note } = assumedZone(context);
    const skipped = new Map<string, number>();
    const data = rows.filter((row) => !isEmpty(row) || skip(skipped, 'empty row')).map(cellsOf);
    const order = dateOrderOf(data.map(({ time }) => time.text));
    const feeSign = data.some(isFeeNegative) ? -1 : 1;
    const fills = data.map((cells) => fillOf(cells, order, zone, feeSign));
    const hasZone = data.every(({ time }) => /([-+]\d\d:?\d\d|Z|UTC)$/.test(time.text));
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes: hasZone ? [] : [note] });
  },
};

function amount(cell: Cell | undefined): number {
  return (cell && orNothing(cell, moneyIn)) ?? 0;
}

/** Whether costs stand with a minus: then the net P&L is gross and fee together. */
function isFeeNegative({ fee, gross, net }: Cells): boolean {
  const [cost, before, after] = [amount(fee), amount(gross), amount(net)];
  return cost < 0 && (net === undefined || Math.abs(before + cost - after) < 0.0051);
}

function fillOf(cells: Cells, order: DateOrder, zone: string, feeSign: number): FileFill {
  const { account, time, symbol, kind, side, quantity, price, id, gross } = cells;
  refuseEmpty(account, time, symbol, kind, side, quantity, price, id);
  const instrument = instrumentOf(cells, order);
  const bought = sideIn(side) === 'buy';
  const pnl = gross && orNothing(gross, moneyIn);
  return fill({
    line: id.line,
    executionId: idIn(id),
    account: account.text,
    instrument,
    executedAt: instantIn(time, order, zone),
    side: bought ? 'buy' : 'sell',
    // What was sold may stand with a minus.
    quantity: positiveIn(bought ? quantity : { ...quantity, text: quantity.text.replace(/^[-−]/, '') }),
    price: plainPriceIn(price),
    fees: amount(cells.fee) * feeSign,
    mayShort: true,
    stated: typeof pnl === 'number' ? { gross: pnl } : null,
  });
}

function instrumentOf(
  { symbol, kind, expiration, strike, optionType, underlying }: Cells,
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
  refuseEmpty(ends, at, type);
  return option({
    underlying: underlying?.text || name,
    expiration: dateIn({ ...ends, text: ends.text.split(' ')[0] ?? '' }, order),
    strike: numberIn(at),
    optionType: wordIn(type, { Call: 'call', Put: 'put', C: 'call', P: 'put' } as const),
  });
}
