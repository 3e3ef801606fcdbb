/** E*TRADE's transactions: days only, newest first. The amount is the net cash: it has costs that no column states. */
import { roundMoney } from '../../money.ts';
import { type Cell, cellError, orNothing } from '../parse/columns.ts';
import { raggedTable } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn } from '../parse/numbers.ts';
import { dayIn } from '../table/clock.ts';
import { mayBeEmpty, optional } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';
import { describedOption } from './questrade.ts';

const TRADE = { kind: 'trade', effect: null } as const;

const ACTIONS = {
  Bought: { ...TRADE, side: 'buy' },
  Sold: { ...TRADE, side: 'sell' },
  'Sold Short': { ...TRADE, side: 'sell', effect: 'open', mayShort: true },
  'Bought To Cover': { ...TRADE, side: 'buy', effect: 'close' },
  'Bought To Open': { ...TRADE, side: 'buy', effect: 'open' },
  'Sold To Open': { ...TRADE, side: 'sell', effect: 'open', mayShort: true },
  'Bought To Close': { ...TRADE, side: 'buy', effect: 'close' },
  'Sold To Close': { ...TRADE, side: 'sell', effect: 'close' },
  Reinvestment: { ...TRADE, side: 'buy' },
  'Dividend Reinvestment': { ...TRADE, side: 'buy' },
  'Option Expiration': { kind: 'expiration', side: null, effect: 'close' },
  'Option Expired': { kind: 'expiration', side: null, effect: 'close' },
  'Option Assignment': { kind: 'assignment', side: null, effect: 'close' },
  'Option Assigned': { kind: 'assignment', side: null, effect: 'close' },
  'Option Exercise': { kind: 'exercise', side: null, effect: 'close' },
  'Option Exercised': { kind: 'exercise', side: null, effect: 'close' },
} as const;

/** Shares added or removed without a trade. */
const MOVES =
  /^(?:transfer|journal|adjustment|stock split|reverse split|merger|spin|exchange|conversion|reorgani[sz]ation)/i;

export const etrade = fillsTable({
  name: 'etrade',
  description: 'E*TRADE: Transactions > Download (DownloadTxnHistory.csv), days only',
  evidence: 'samples',
  marks: [
    ['TransactionDate', 'Transaction Date', 'Activity/Trade Date'],
    ['TransactionType', 'Activity Type'],
    ['SecurityType', 'Cusip'],
    'Symbol',
    ['Quantity', 'Quantity #'],
    ['Amount', 'Amount $'],
    'Commission',
  ],
  table: raggedTable('Commission'),
  columns: {
    executed_at: ['Activity/Trade Date', 'TransactionDate', 'Transaction Date'],
    side: { column: ['TransactionType', 'Activity Type'], words: ACTIONS },
    security: optional('SecurityType'),
    symbol: mayBeEmpty('Symbol'),
    description: mayBeEmpty('Description'),
    units: mayBeEmpty(['Quantity', 'Quantity #']),
    quantity: { column: ['Quantity', 'Quantity #'], text: (text) => text.replace(/^-/, '') },
    amount: mayBeEmpty(['Amount', 'Amount $']),
    price: { column: ['Price', 'Price $'], optional: 'cells', read: moneyIn },
    commission: mayBeEmpty('Commission'),
  },
  dates: 'mdy',
  daysOnly: true,
  skip({ side, units, symbol }, file) {
    if (side.text === '') return 'note';
    if (symbol.text === '' || (orNothing(units, numberIn) ?? 0) === 0) return side.text.toLowerCase();
    if (!MOVES.test(side.text)) return undefined;
    file.moved(symbol);
    return side.text.toLowerCase();
  },
  instrument: ({ symbol, security, description }) => instrumentIn(symbol, security, description),
  row(cells, { kind, side, quantity, price, instrument }) {
    if (kind !== 'trade') return { price: 0 };
    const value = Number(quantity) * price * (instrument.market === 'option' ? 100 : 1);
    return { fees: costsOf(cells, side === 'buy' ? value : 0 - value) };
  },
  allCosts: true,
});

/**
 * The difference between the amount and the value: the commission, fees of the exchanges, and rounding.
 * @param paid the value, below 0 for a sale
 * @throws RowError if the difference is no such cost
 */
function costsOf({ amount, commission }: Record<'amount' | 'commission', Cell>, paid: number): number {
  const cost = 0 - moneyIn(amount) - paid;
  const stated = Math.abs(orNothing(commission, moneyIn) ?? 0);
  const most = stated + 1 + Math.abs(paid) * 0.01;
  if (cost >= -0.05 - Math.abs(paid) * 0.0005 && cost <= most) return roundMoney(cost);
  throw cellError(amount, `must be about ${roundMoney(0 - paid - stated)}, as quantity, price and commission give`);
}

/** AAPL Jan 19 '24 $180 Call */
const OPTION = /^([A-Z.]{1,6}) ([A-Z][a-z]{2}) (\d\d?) '(\d\d) \$([\d.,]+) (Call|Put)\b/;

function instrumentIn(symbol: Cell, security: Cell | undefined, description: Cell): Instrument {
  const terms = termsIn(symbol) ?? describedOption(description);
  if (terms) return option(terms);
  if (/^OPT/i.test(security?.text ?? ''))
    throw cellError(symbol, "must be an option, such as AAPL Jan 19 '24 $180 Call");
  if (/^[A-Z][A-Z0-9./]{0,9}$/.test(symbol.text)) return stock(symbol.text);
  throw cellError(symbol, "must be a symbol, such as AAPL, or an option, such as AAPL Jan 19 '24 $180 Call");
}

function termsIn(symbol: Cell): Parameters<typeof option>[0] | undefined {
  const [, underlying, month, day, year, strike = '', type] = OPTION.exec(symbol.text) ?? [];
  if (underlying === undefined) return undefined;
  const expiration = dayIn({ ...symbol, text: `${day} ${month} 20${year}` }, ['dmy']);
  const at = numberIn({ ...symbol, text: strike });
  return { underlying, expiration, strike: at, optionType: type === 'Call' ? 'call' : 'put' };
}
