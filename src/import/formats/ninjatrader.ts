/** NinjaTrader's grid of executions: fills of all accounts, in the order of the grid. */
import { futureOf } from '../fills/contract-sizes.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { isEmpty, readCsv } from '../parse/csv-rows.ts';
import { forexPair, future, stock } from '../parse/instruments.ts';
import { dateOrderOf, decimalOf, orderNote } from '../parse/local-style.ts';
import { type MoneyStyle, moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type FileFill, type Format, fill, type Instrument, oldestFirst, reading, skip } from './format.ts';

const COLUMNS = {
  instrument: 'Instrument',
  action: 'Action',
  quantity: ['Quantity', 'Qty'],
  price: 'Price',
  time: 'Time',
  id: 'ID',
};

const TOO = { commission: 'Commission', fee: ['Fee', 'Fees'], account: ['Account', 'Account name', 'Display name'] };

const ACTIONS = {
  Buy: 'buy',
  Sell: 'sell',
  'Buy to cover': 'buy',
  BuyToCover: 'buy',
  'Sell short': 'sell',
  SellShort: 'sell',
} as const;

export const ninjatrader: Format = {
  name: 'ninjatrader',
  description: 'NinjaTrader: Account data, Executions, Export (CSV): fills with commissions',
  platform: 'ninjatrader',
  holds: 'trades',
  looksLike(start) {
    const [header = ''] = start.split('\n', 1);
    return ['Instrument', 'Action', 'E/X', 'Order ID'].every((name) => header.includes(name));
  },
  read(text, context) {
    const { header, rows } = readCsv(text);
    const cellsOf = columnsOf(header, COLUMNS, TOO);
    const { zone, note } = assumedZone(context);
    const skipped = new Map<string, number>();
    const data = rows.filter((row) => !isEmpty(row) || skip(skipped, 'empty row')).map(cellsOf);
    const style = moneyStyle(data.map(({ price }) => price.text));
    const order = dateOrderOf(
      data.map(({ time }) => time.text),
      style.decimal === ',' ? 'dmy' : 'mdy',
    );
    const fills = data.map((cells) => fillOf(cells, style, instantIn(cells.time, order, zone)));
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes: [note, orderNote(order)] });
  },
};

/** @param prices of the whole file */
export function moneyStyle(prices: readonly string[]): MoneyStyle & { decimal: '.' | ',' } {
  const decimal = decimalOf(prices);
  return { decimal, symbols: ['$', '€', '£', 'CHF', 'US$'] };
}

/** A future has its month in its name: MNQ MAR25, MNQ 03-25. */
export function ninjaInstrument(name: string): Instrument {
  const isFuture = name.includes(' ') || futureOf(name)?.month != null;
  return isFuture ? future(name) : (forexPair(name) ?? stock(name));
}

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

function fillOf({ commission, fee, account, ...cells }: Cells, style: MoneyStyle, executedAt: string): FileFill {
  refuseEmpty(...Object.values(cells));
  const { instrument, action, quantity, price, id } = cells;
  const costs = [commission, fee].map((cell) => (cell && orNothing(cell, (own) => moneyIn(own, style))) ?? 0);
  return fill({
    line: id.line,
    executionId: id.text,
    account: account?.text || null,
    instrument: ninjaInstrument(instrument.text),
    executedAt,
    side: wordIn(action, ACTIONS),
    quantity: positiveIn(quantity, style),
    price: numberIn(price, style),
    fees: costs.reduce((sum, cost) => sum + cost, 0),
    mayShort: true,
  });
}
