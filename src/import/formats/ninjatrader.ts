/** NinjaTrader's grid of executions: fills of all accounts, in the order of the grid. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, idIn, orNothing, refuseEmpty } from '../parse/columns.ts';
import { futureOf } from '../parse/contract-sizes.ts';
import { headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { forexPair, future, type Instrument, stock } from '../parse/instruments.ts';
import { dateOrderOf, decimalOf, hasSpaces, orderNote } from '../parse/local-style.ts';
import { type MoneyStyle, moneyIn, numberIn, positiveIn, priceIn32nds } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  instrument: 'Instrument',
  action: 'Action',
  quantity: ['Quantity', 'Qty'],
  price: 'Price',
  time: 'Time',
};

/** The grid shows what people choose: whether an entry or an exit is what no other grid has. */
const MARKS = [COLUMNS.instrument, COLUMNS.action, COLUMNS.price, COLUMNS.time, 'E/X'];

const TOO = {
  id: 'ID',
  commission: 'Commission',
  fee: ['Fee', 'Fees'],
  account: ['Account', 'Account name', 'Account display name', 'Display name'],
};

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
  evidence: 'real files',
  platform: 'ninjatrader',
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
  const symbols = ['$', '€', '£', 'CHF', 'US$'];
  return { decimal, symbols, ...(hasSpaces(prices) ? { thousands: ' ' } : {}) };
}

/**
 * A future has its month in its name: MNQ MAR25, MNQ 03-25.
 * @throws RowError where it may be a share as well
 */
export function ninjaInstrument({ text: name, column, line }: Cell): Instrument {
  const known = futureOf(name);
  if (name.includes(' ') || known?.month != null) return future(name);
  if (known) {
    throw new RowError(
      column,
      `must have its month, as in ${known.root} DEC26, or it may be a share too; got ${quote(name)}`,
      line,
    );
  }
  return forexPair(name) ?? stock(name);
}

/** Treasury futures may be in 32nds: 110'045. */
export function ninjaPrice(cell: Cell, { underlying }: Instrument, style: MoneyStyle): number {
  const isIn32nds = IN_32NDS.includes(underlying ?? '') && /\d['’]\d/.test(cell.text);
  return isIn32nds ? priceIn32nds(cell) : numberIn(cell, style);
}

const IN_32NDS = ['ZT', 'Z3N', 'ZF', 'ZN', 'TN', 'ZB', 'UB'];

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

function fillOf({ id, commission, fee, account, ...cells }: Cells, style: MoneyStyle, executedAt: string): FileFill {
  refuseEmpty(...Object.values(cells), ...(id ? [id] : []));
  const { action, quantity, price } = cells;
  const instrument = ninjaInstrument(cells.instrument);
  const costs = [commission, fee].map((cell) => (cell && orNothing(cell, (own) => moneyIn(own, style))) ?? 0);
  return fill({
    line: action.line,
    executionId: id ? idIn(id) : null,
    account: account?.text || null,
    instrument,
    executedAt,
    side: wordIn(action, ACTIONS),
    quantity: positiveIn(quantity, style),
    price: ninjaPrice(price, instrument, style),
    fees: costs.reduce((sum, cost) => sum + cost, 0),
    mayShort: true,
  });
}
