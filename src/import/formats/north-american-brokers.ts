/**
 * Brokers in North America with days only: E*TRADE, and Questrade, whose Edge has fills
 * with times.
 */
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  currencyIn,
  knownWord,
  moneyIn,
  numberIn,
  orNothing,
  wordIn,
} from '../../parse/cells.ts';
import { raggedTable, readFilledCsv } from '../../parse/csv-rows.ts';
import { type Instrument, optionIn, stock } from '../../parse/instruments.ts';
import { mayBeEmpty, optional } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

// E*TRADE's transactions, newest first. The amount is the net cash: it has costs that no
// column states.

const ACTIONS = {
  Bought: { side: 'buy' },
  Sold: { side: 'sell' },
  'Sold Short': { side: 'sell', effect: 'open', mayShort: true },
  'Bought To Cover': { side: 'buy', effect: 'close' },
  'Bought To Open': { side: 'buy', effect: 'open' },
  'Sold To Open': { side: 'sell', effect: 'open', mayShort: true },
  'Bought To Close': { side: 'buy', effect: 'close' },
  'Sold To Close': { side: 'sell', effect: 'close' },
  Reinvestment: { side: 'buy' },
  'Dividend Reinvestment': { side: 'buy' },
  // With a quantity and a price, it is reinvested.
  Dividend: { side: 'buy' },
  'Qualified Dividend': { side: 'buy' },
  'Option Expiration': { kind: 'expiration', side: null, effect: 'close' },
  'Option Expired': { kind: 'expiration', side: null, effect: 'close' },
  'Option Assignment': { kind: 'assignment', side: null, effect: 'close' },
  'Option Assigned': { kind: 'assignment', side: null, effect: 'close' },
  'Option Exercise': { kind: 'exercise', side: null, effect: 'close' },
  'Option Exercised': { kind: 'exercise', side: null, effect: 'close' },
} as const;

/** Shares added or removed without a trade. */
const MOVES =
  /^(?:transfer|journal|adjustment|stock split|reverse split|merger|spin|exchange|conversion|reorgani[sz]ation|misc)/i;

const INCOME = /dividend|interest|distribution|capital gain|\b(?:tax|fee)\b/i;

export const etrade = fillsTable({
  ...KNOWN.etrade,
  table: raggedTable('Commission'),
  columns: {
    executed_at: ['Activity/Trade Date', 'TransactionDate', 'Transaction Date'],
    side: { column: ['TransactionType', 'Activity Type'], words: ACTIONS },
    security: optional('SecurityType'),
    symbol: mayBeEmpty('Symbol'),
    description: mayBeEmpty('Description'),
    units: mayBeEmpty(['Quantity', 'Quantity #']),
    quantity: {
      column: ['Quantity', 'Quantity #'],
      text: (text) => text.replace(/^-/, ''),
    },
    amount: mayBeEmpty(['Amount', 'Amount $']),
    price: { column: ['Price', 'Price $'], optional: 'cells', read: moneyIn },
    commission: mayBeEmpty('Commission'),
  },
  dates: 'mdy',
  daysOnly: true,
  skip({ side, units, symbol, price }, file) {
    if (side.text === '') return 'note';
    if ((orNothing(units, numberIn) ?? 0) === 0) return side.text.toLowerCase();
    if (symbol.text === '' && !knownWord(side, ACTIONS)) return side.text.toLowerCase();
    if (INCOME.test(side.text) && !orNothing(price, moneyIn))
      return side.text.toLowerCase();
    if (!MOVES.test(side.text)) return undefined;
    file.moved(symbol);
    return side.text.toLowerCase();
  },
  flows: {
    meanings: [
      [/\btax\b/, 'tax'],
      [/\bfee\b/, 'fee'],
      [/interest/, 'interest'],
      [/dividend|distribution|capital gain/, 'dividend'],
      [/deposit|withdrawal/, 'funding'],
      [/^journal|\btransfer\b/, 'transfer'],
    ],
    read: ({ side, amount, symbol, description: { text } }) => {
      const cash = {
        amount: orNothing(amount, moneyIn) ?? 0,
        currency: 'USD',
        symbol: symbol.text || null,
        description: text,
      };
      const isFunding =
        /\btransfer\b/i.test(side.text) && /\b(ACH|WIRE|DEPOSIT|WITHDR)/i.test(text);
      return isFunding
        ? [{ ...cash, kind: cash.amount < 0 ? 'withdrawal' : 'deposit' }]
        : [cash];
    },
  },
  instrument: ({ symbol, security, description }) =>
    instrumentIn(symbol, security, description),
  row(cells, { kind, side, quantity, price, instrument }) {
    if (kind !== 'trade') return { price: 0 };
    const value = Number(quantity) * price * (instrument.market === 'option' ? 100 : 1);
    return { fees: costsOf(cells, side === 'buy' ? value : 0 - value) };
  },
  allCosts: true,
});

/**
 * The difference between the amount and the value: the commission, fees of the exchanges,
 * and rounding.
 * @param paid the value, below 0 for a sale
 * @throws RowError if the difference is no such cost
 */
function costsOf(
  { amount, commission }: Record<'amount' | 'commission', Cell>,
  paid: number,
): number {
  const cost = 0 - moneyIn(amount) - paid;
  const stated = Math.abs(orNothing(commission, moneyIn) ?? 0);
  const most = stated + 1 + Math.abs(paid) * 0.01;
  if (cost >= -0.05 - Math.abs(paid) * 0.0005 && cost <= most) return roundMoney(cost);

  throw cellError(
    amount,
    `must be about ${roundMoney(0 - paid - stated)}, as quantity, price and commission give`,
  );
}

/** AAPL Jan 19 '24 $180 Call */
const NAMED_OPTION =
  /^(?<underlying>[A-Z.]{1,6}) (?<month>[A-Z][a-z]{2}) (?<day>\d\d?) '(?<year>\d\d) \$(?<strike>[\d.,]+) (?<type>Call|Put)\b/;

/**
 * CALL XYZ 06/20/25 50 in a description; the symbol is then empty or the platform's
 * number.
 */
const DESCRIBED_OPTION =
  /^(?<type>CALL|PUT)\s+\.?(?<underlying>[A-Z.]{1,6})\s+(?<expiration>\d\d?\/\d\d?\/\d\d(?:\d\d)?)\s+\$?(?<strike>[\d.,]+)/;

function instrumentIn(
  symbol: Cell,
  security: Cell | undefined,
  description: Cell,
): Instrument {
  const contract =
    optionIn(symbol, [NAMED_OPTION]) ??
    optionIn(description, [DESCRIBED_OPTION], { order: 'mdy' });
  if (contract) return contract;
  if (/^OPT/i.test(security?.text ?? ''))
    throw cellError(symbol, "must be an option, such as AAPL Jan 19 '24 $180 Call");
  if (/^[A-Z][A-Z0-9./]{0,9}$/.test(symbol.text)) return stock(symbol.text);

  throw cellError(
    symbol,
    "must be a symbol, such as AAPL, or an option, such as AAPL Jan 19 '24 $180 Call",
  );
}

// Account activity: trades, dividends, deposits; times are always midnight.

export const questrade = fillsTable({
  ...KNOWN.questrade,
  columns: {
    executed_at: {
      column: 'Transaction Date',
      text: (text) => text.replace(/[ T](?:12:00(?::00)? AM|00:00(?::00)?)$/i, ''),
    },
    action: mayBeEmpty('Action'),
    side: {
      column: 'Action',
      words: {
        Buy: 'buy',
        Sell: 'sell',
        EXP: { kind: 'expiration', side: null, effect: 'close' },
      },
    },
    symbol: mayBeEmpty('Symbol'),
    description: mayBeEmpty('Description'),
    units: mayBeEmpty('Quantity'),
    quantity: { column: 'Quantity', text: (text) => text.replace(/^-/, '') },
    price: 'Price',
    gross: mayBeEmpty('Gross Amount'),
    commission: mayBeEmpty('Commission'),
    net: mayBeEmpty('Net Amount'),
    currency: 'Currency',
    account: 'Account #',
    activity: mayBeEmpty('Activity Type'),
  },
  dates: ['ymd', 'mdy'],
  daysOnly: true,
  skip({ action, activity, units, symbol }, file) {
    if (knownWord(action, { Buy: true, Sell: true, EXP: true })) return undefined;
    if (/^trades$/i.test(activity.text))
      wordIn(action, { Buy: true, Sell: true, EXP: true });
    if ((orNothing(units, numberIn) ?? 0) !== 0) file.moved(symbol);
    return (
      [activity.text, action.text].filter(Boolean).join(', ').toLowerCase() ||
      'row without an action'
    );
  },
  flows: {
    meanings: [
      [/^dividends\b/, 'dividend'],
      [/^interest\b/, 'interest'],
      [/^(deposits|withdrawals)\b/, 'funding'],
      [/^fees\b/, 'fee'],
      [/\btax\b/, 'tax'],
      [/^(transfers|fx conversion)\b/, 'transfer'],
      [/^other\b/, 'other'],
    ],
    read: ({ net, currency, symbol, description }) => [
      {
        amount: orNothing(net, moneyIn) ?? 0,
        currency: currencyIn(currency),
        symbol: symbol.text || null,
        description: description.text,
      },
    ],
  },
  instrument: ({ symbol, description, currency }) =>
    activityInstrument(symbol, description, currencyIn(currency)),
  row({ gross, commission, net }, { kind }) {
    if (kind !== 'trade') return {};
    const cost = 0 - (orNothing(commission, moneyIn) ?? 0);
    const stated = moneyIn(gross) - cost;
    if (Math.abs(stated - moneyIn(net)) < 0.011) return { fees: roundMoney(cost) };
    throw cellError(
      net,
      `must be gross amount plus commission, which is ${roundMoney(stated)}`,
    );
  },
  allCosts: true,
});

function activityInstrument(
  symbol: Cell,
  description: Cell,
  currency: string,
): Instrument {
  const contract = optionIn(description, [DESCRIBED_OPTION], { order: 'mdy', currency });
  if (contract) return contract;
  if (symbol.text !== '') return stock(symbol.text, currency);
  throw cellError(symbol, 'must be a symbol, such as XYZ.TO');
}

// Questrade Edge: one fill per row, in Eastern time; each line ends with an empty cell.

const EDGE_ACTIONS = {
  Buy: { side: 'buy', effect: null },
  Sell: { side: 'sell', effect: null },
  BTO: { side: 'buy', effect: 'open' },
  STO: { side: 'sell', effect: 'open', mayShort: true },
  BTC: { side: 'buy', effect: 'close' },
  STC: { side: 'sell', effect: 'close' },
  SHT: { side: 'sell', effect: 'open', mayShort: true },
  COV: { side: 'buy', effect: 'close' },
} as const;

export const questradeEdge = fillsTable({
  ...KNOWN['questrade-edge'],
  table: readFilledCsv,
  columns: {
    symbol: 'Symbol',
    side: { column: 'Action', words: EDGE_ACTIONS },
    quantity: 'Fill qty',
    price: 'Fill price',
    currency: 'Currency',
    executed_at: 'Exec time',
    total: 'Total value',
    type: mayBeEmpty('Option'),
    fees: { column: 'Commission', optional: 'cells', read: moneyIn, sign: 'absolute' },
    account: 'Account',
  },
  dates: 'dmy',
  zone: 'America/Toronto',
  instrument: ({ symbol, type, currency }) =>
    edgeInstrument(symbol, type, currencyIn(currency)),
  row({ total }, { quantity, price, instrument }) {
    const value = Number(quantity) * price * (instrument.market === 'option' ? 100 : 1);
    if (Math.abs(Math.abs(moneyIn(total)) - value) <= 0.011 + value * 1e-4) return {};
    throw cellError(total, `must be quantity times price, which is ${roundMoney(value)}`);
  },
  allCosts: true,
});

/** SLV20Feb26C55.00: the day of expiration, then call or put, then the strike. */
const EDGE_OPTION =
  /^(?<underlying>[A-Z.]{1,6}?)(?<day>\d\d?)(?<month>[A-Z][a-z]{2})(?<year>\d\d)(?<type>[CP])(?<strike>\d+(?:\.\d+)?)$/;

function edgeInstrument(symbol: Cell, type: Cell, currency: string): Instrument {
  const contract = optionIn(symbol, [EDGE_OPTION], { currency });
  if (!contract && type.text !== '')
    throw cellError(symbol, 'must be an option, such as SLV20Feb26C55.00');
  return contract ?? stock(symbol.text, currency);
}
