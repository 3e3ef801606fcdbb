/** Revolut's account statement of shares: prices and amounts with their currency; costs are only in the amount. */
import { roundMoney } from '../../money.ts';
import { type Cell, cellError, currencyIn } from '../parse/columns.ts';
import { stock } from '../parse/instruments.ts';
import { moneyIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { mayBeEmpty } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';

const SIGNS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP' };

/** Shares added without a trade. */
const SPLIT = /^STOCK SPLIT$/i;
const TRADE = /^(BUY|SELL)(?: - .+)?$/i;

export const revolut = fillsTable({
  name: 'revolut',
  description: 'Revolut: Invest > Documents > Account statement of shares (CSV or xlsx)',
  evidence: 'real files',
  marks: ['Date', 'Ticker', 'Type', 'Quantity', 'Price per share', 'Total Amount', 'Currency', 'FX Rate'],
  columns: {
    executed_at: 'Date',
    symbol: mayBeEmpty('Ticker'),
    type: 'Type',
    side: { column: 'Type', text: (text) => (SPLIT.test(text) ? 'BUY' : (TRADE.exec(text)?.[1] ?? text)) },
    units: mayBeEmpty('Quantity'),
    // 0,76672417: a spreadsheet's decimal comma.
    quantity: { column: 'Quantity', text: (text) => text.replace(/^-/, '').replace(/^(\d+),(?=\d{4,}$)/, '$1.') },
    price: { column: 'Price per share', optional: 'cells', read: () => 0 },
    each: mayBeEmpty('Price per share'),
    total: mayBeEmpty('Total Amount'),
    currency: 'Currency',
  },
  dates: 'ymd',
  zone: 'UTC',
  skip({ type, symbol, units }, file) {
    if (TRADE.test(type.text) || SPLIT.test(type.text)) return undefined;
    if (symbol.text !== '' && units.text !== '') file.moved(symbol);
    return type.text.toLowerCase();
  },
  instrument: ({ symbol, currency }) => stock(symbol.text, currencyIn(currency)),
  row({ type, units, each, total, currency }, { side, quantity }) {
    // A reverse split takes shares away.
    if (SPLIT.test(type.text)) return { kind: 'split', side: units.text.startsWith('-') ? 'sell' : 'buy' };
    const price = amountIn(each, currency);
    const value = Number(quantity) * price;
    const cost =
      side === 'buy' ? Math.abs(amountIn(total, currency)) - value : value - Math.abs(amountIn(total, currency));
    if (Math.abs(cost) > 5 + value * 0.02) {
      throw cellError(total, `must be about quantity times price, which is ${roundMoney(value)}`);
    }
    return { price: positiveIn({ ...each, text: String(price) }), fees: roundMoney(cost) };
  },
  notes: ['fees are the difference between each total and quantity times price, rounding included'],
});

/** EUR 100.61, $52.07, -$30.93, €50. */
function amountIn(cell: Cell, currency: Cell): number {
  const [, minus = '', mark = '', number = ''] = /^(-?)([A-Z]{3}|[$€£]) ?(-?[\d.,]+)$/.exec(cell.text) ?? [];
  const own = SIGNS[mark] ?? mark;
  if (own !== '' && own !== currency.text)
    throw cellError(cell, `must be in ${currency.text}, the currency of its row`);
  const amount = own === '' ? plainPriceIn(cell) : moneyIn({ ...cell, text: number });
  return minus === '' ? amount : 0 - amount;
}
