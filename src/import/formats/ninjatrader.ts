/** NinjaTrader's grid of executions: fills of all accounts, in the order of the grid. */
import { type Cell, cellError, idIn } from '../parse/columns.ts';
import { forexPair, future, futureOf, type Instrument, stock } from '../parse/instruments.ts';
import { type MoneyStyle, moneyIn, numberIn, positiveIn, priceIn32nds } from '../parse/numbers.ts';
import { type DateOrder, dateOrderOf, decimalOf, hasSpaces, orderNote } from '../parse/times.ts';
import { optional } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';

export const ninjatrader = fillsTable({
  name: 'ninjatrader',
  description: 'NinjaTrader: Account data, Executions, Export (CSV): fills with commissions',
  evidence: 'real files',
  platform: 'ninjatrader',
  // Users choose the columns of the grid; no other grid has E/X.
  marks: ['Instrument', 'Action', 'Price', 'Time', 'E/X'],
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
    fees: { column: 'Commission', plus: [['Fee', 'Fees']], optional: true, read: moneyIn },
    account: { column: ['Account', 'Account name', 'Account display name', 'Display name'], optional: true },
  },
  style: (rows) => ninjaStyle(rows.map(({ quoted }) => quoted.text)),
  dates: ninjaDates,
  instrument: ({ symbol }) => ninjaInstrument(symbol),
  mayShort: true,
  row: ({ quoted }, { instrument }, { style }) => ({ price: ninjaPrice(quoted, instrument, style) }),
});

/** @param prices all of the file */
export function ninjaStyle(prices: readonly string[]): MoneyStyle {
  const symbols = ['$', '€', '£', 'CHF', 'US$'];
  return { decimal: decimalOf(prices), symbols, ...(hasSpaces(prices) ? { thousands: ' ' } : {}) };
}

export function ninjaDates(times: readonly Cell[], { decimal }: MoneyStyle): { order: DateOrder; notes: string[] } {
  const order = dateOrderOf(
    times.map(({ text }) => text),
    decimal === ',' ? 'dmy' : 'mdy',
  );
  return { order, notes: [orderNote(order)] };
}

/**
 * A future has a month in its name: MNQ MAR25, MNQ 03-25.
 * @throws RowError if it could also be a share
 */
export function ninjaInstrument(cell: Cell): Instrument {
  const { text: name } = cell;
  const known = futureOf(name);
  if (name.includes(' ') || known?.month != null) return future(name);
  if (known) {
    throw cellError(cell, `could be a future or a share; add the month of a future, such as ${known.root} DEC26`);
  }
  return forexPair(name) ?? stock(name);
}

/** Treasury futures may be in 32nds: 110'045. */
export function ninjaPrice(cell: Cell, { underlying }: Pick<Instrument, 'underlying'>, style: MoneyStyle): number {
  const isIn32nds = IN_32NDS.includes(underlying ?? '') && /\d['’]\d/.test(cell.text);
  return isIn32nds ? priceIn32nds(cell) : numberIn(cell, style);
}

const IN_32NDS = ['ZT', 'Z3N', 'ZF', 'ZN', 'TN', 'ZB', 'UB'];
