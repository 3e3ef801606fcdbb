/** Scalable Capital's transactions: one row an order, with decimal commas. */
import { roundMoney } from '../../money.ts';
import {
  cellError,
  currencyIn,
  knownWord,
  numberIn,
  orNothing,
} from '../../parse/cells.ts';
import { stock } from '../../parse/instruments.ts';
import { usualZone } from '../../parse/times.ts';
import { mayBeEmpty } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

const SIDES = { Buy: 'buy', Sell: 'sell', 'Savings plan': 'buy' } as const;
const COMMAS = { decimal: ',' } as const;

export const scalable = fillsTable({
  ...KNOWN.scalable,
  columns: {
    date: 'date',
    executed_at: { column: 'time', day: 'date' },
    status: 'status',
    symbol: mayBeEmpty('isin'),
    type: 'type',
    side: { column: 'type', words: SIDES },
    units: mayBeEmpty('shares'),
    quantity: { column: 'shares', text: (text) => text.replace(/^-/, '') },
    price: 'price',
    amount: mayBeEmpty('amount'),
    fees: { column: 'fee', optional: 'cells', sign: 'absolute' },
    tax: mayBeEmpty('tax'),
    currency: 'currency',
    execution_id: mayBeEmpty('reference'),
  },
  dates: 'ymd',
  style: COMMAS,
  zone: (_, context) => usualZone(context, 'Europe/Berlin', "that of Scalable's times"),
  skip({ status, type, symbol, units }, file) {
    if (!/^executed$/i.test(status.text))
      return `${status.text.toLowerCase()} transaction`;
    if (knownWord(type, SIDES)) return undefined;
    if (symbol.text !== '' && units.text !== '') file.moved(symbol);
    return type.text.toLowerCase();
  },
  flows: {
    meanings: [
      [/^(?:deposit|withdrawal)$/, 'funding'],
      [/^distribution$/, 'dividend'],
      [/^interest$/, 'interest'],
      [/^fee$/, 'fee'],
      [/^tax(?:es)?$/, 'tax'],
    ],
    read: ({ amount, currency, symbol, type, execution_id }) => [
      {
        id: execution_id.text || null,
        amount: orNothing(amount, (cell) => numberIn(cell, COMMAS)) ?? 0,
        currency: currencyIn(currency),
        symbol: symbol.text || null,
        description: type.text,
      },
    ],
  },
  instrument: ({ symbol, currency }) => stock(symbol.text, currencyIn(currency)),
  row({ amount }, { quantity, price, fees }) {
    const paid = Math.abs(numberIn(amount, COMMAS));
    const value = Number(quantity) * price;
    const rounding = 0.01 + Number(quantity) * 0.005;
    // Some versions add the fee.
    const isNear = [value, value + fees, value - fees].some(
      (amount) => Math.abs(amount - paid) <= rounding,
    );
    if (isNear) return {};
    throw cellError(
      amount,
      `must be about shares times price, which is ${roundMoney(value)}`,
    );
  },
  end(fills, { rows }) {
    const taxes = roundMoney(
      rows().reduce((sum, { type, tax }) => {
        const isTrade = knownWord(type, SIDES) !== undefined;
        return (
          sum + (isTrade ? (orNothing(tax, (cell) => numberIn(cell, COMMAS)) ?? 0) : 0)
        );
      }, 0),
    );
    return {
      fills,
      notes: taxes === 0 ? [] : [`taxes of ${taxes} are excluded from figures`],
    };
  },
});
