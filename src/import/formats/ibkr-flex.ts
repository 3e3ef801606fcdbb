/**
 * Interactive Brokers' Flex Query, as XML or CSV. The user chose the attributes of trades. Executions are imported, or orders if
 * a statement has no executions.
 * In code because XML elements aren't a table; CSV is converted to the same elements.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, reading, skip } from '../fills/reading.ts';
import { type Cell, cellError, currencyIn, orNothing, refuseEmpty, wordIn } from '../parse/columns.ts';
import { futureOf, type Instrument, option } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, type DateOrder, dateIn, dateOrderOf, dayStartIn, instantIn, monthOf } from '../parse/times.ts';
import { type XmlElement, xmlElements } from '../parse/xml.ts';
import { type Format, movedNote } from '../table/format.ts';
import {
  type Actions,
  type Codes,
  codesIn,
  fillOrCancellation,
  instrumentOf,
  meaningOf,
  optionIn,
  PLATFORM,
  takeAction,
} from './ibkr.ts';
import { flexElements, isFlexCsv } from './ibkr-flex-csv.ts';
import { judgeTurns } from './ibkr-held-before.ts';
import { bookedPrice, settlementPrice } from './ibkr-settlement.ts';

const CATEGORIES = {
  STK: 'stock',
  FUND: 'stock',
  OPT: 'option',
  FOP: 'option',
  FSOPT: 'option',
  FSFOP: 'option',
  FUT: 'future',
  CASH: 'forex',
  CFD: 'cfd',
  FXCFD: 'cfd',
  CRYPTO: 'crypto',
  WAR: 'other',
  IOPT: 'other',
  BOND: 'other',
  BILL: 'other',
  CMDTY: 'other',
} as const;

/** Attribute names in activity queries and in trade confirmations. */
const NAMES = {
  price: ['tradePrice', 'price'],
  money: ['tradeMoney', 'amount'],
  fee: ['ibCommission', 'commission'],
  feeCurrency: ['ibCommissionCurrency', 'commissionCurrency'],
  executionId: ['ibExecID', 'execID'],
  orderId: ['ibOrderID', 'orderID'],
  codes: ['notes', 'code'],
};

const EXECUTIONS = ['Trade', 'TradeConfirm'];
const ORDERS = ['Order'];

/** Skipped parts of a statement, with reasons. */
const SKIPPED: Readonly<Record<string, string>> = {
  Lot: 'closed lot',
  WashSale: 'wash sale',
  SymbolSummary: 'total line',
  AssetSummary: 'total line',
};

/** Names of elements that are rows, not containers. */
const IS_ROW =
  /^(Trade|TradeConfirm|Order|Lot|WashSale|SymbolSummary|AssetSummary|CorporateAction|CashTransaction|Transfer)$/;

/** One account's part of a file. */
interface Statement {
  account: string | null;
  /** Target currency of rates; null if unknown. */
  base: string | null;
  /** Exchange rates to the base currency, by date and currency. */
  rates: Map<string, number>;
  zone: string;
  /** The user's choice for the whole query. */
  order: DateOrder;
}

/** A parsed row of the trades. */
interface Row {
  element: XmlElement;
  codes: Codes;
  fill: FileFill;
  /** Below 0 for a sell. */
  signed: number;
}

export const ibkrFlex: Format = {
  name: 'ibkr-flex',
  description: 'Interactive Brokers: a Flex Query with the section Trades at the level of executions, as XML or CSV',
  evidence: 'real files',
  platform: PLATFORM,
  mayStateOrders: true,
  holds: 'trades',
  looksLike: (start) => /^\s*(<\?xml[^>]*>\s*)?<FlexQueryResponse\b/.test(start) || isFlexCsv(start),
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const elements = text.trimStart().startsWith('<') ? xmlElements(text) : flexElements(text);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    const moved: string[] = [];
    const order = orderOf(elements);
    for (const own of statementsOf(elements)) {
      const found = fillsOf(own, { ...statementOf(own), zone, order }, { skipped, moved });
      for (const fill of found) fills.push(fill);
    }
    fills.sort(byTime);
    const hint = context.timeZone === undefined ? ' (the default of Interactive Brokers is New York time)' : '';
    const notes = [`${note}${hint}`, ...(moved.length > 0 ? [movedNote(moved)] : [])];
    return reading({ fills, skipped, notes });
  },
};

/** Elements by account statement, each with its FlexStatement first. */
function statementsOf(elements: readonly XmlElement[]): XmlElement[][] {
  const statements: XmlElement[][] = [];
  for (const element of elements) {
    if (element.name === 'FlexStatement') statements.push([element]);
    else statements.at(-1)?.push(element);
  }
  return statements;
}

/** Names of date attributes. */
const DATES = ['dateTime', 'tradeDate', 'reportDate', 'expiry'];

/** The order in 20230210, 2023-02-10, 02/10/2023, 10/02/23; dates with a month's name are year first after conversion. */
function orderOf(elements: readonly XmlElement[]): DateOrder {
  const dates = elements.flatMap(({ attributes }) => DATES.flatMap((name) => attributes[name] || []));
  return dates.length > 0 && dates.every((text) => /^\d{1,2}[-/.]\d/.test(text)) ? dateOrderOf(dates) : 'ymd';
}

function statementOf(elements: readonly XmlElement[]): Omit<Statement, 'zone' | 'order'> {
  const attribute = (name: string, key: string) =>
    elements.find((element) => element.name === name && element.attributes[key])?.attributes[key] ?? null;
  const atOne = elements
    .filter(({ name, attributes }) => EXECUTIONS.includes(name) && Number(attributes['fxRateToBase']) === 1)
    .map(({ attributes }) => attributes['currency'] ?? '');
  const [only = null, ...others] = new Set(atOne);
  const rates = new Map<string, number>();
  for (const { name, attributes } of elements) {
    if (name !== 'ConversionRate') continue;
    rates.set(`${attributes['reportDate']} ${attributes['fromCurrency']}`, Number(attributes['rate']));
  }
  return {
    account: attribute('FlexStatement', 'accountId'),
    base: attribute('AccountInformation', 'currency') ?? (others.length === 0 ? only : null),
    rates,
  };
}

function fillsOf(
  elements: readonly XmlElement[],
  statement: Statement,
  { skipped, moved }: Pick<Actions, 'skipped' | 'moved'>,
): FileFill[] {
  const isExecution = ({ name, attributes }: XmlElement) =>
    EXECUTIONS.includes(name) && ['', 'EXECUTION', 'DETAIL'].includes(attributes['levelOfDetail'] ?? '');
  const hasExecutions = elements.some(isExecution);
  const isOrder = ({ name, attributes }: XmlElement) =>
    ORDERS.includes(name) || attributes['levelOfDetail'] === 'ORDER';
  const rows: Row[] = [];
  const changes: FileFill[] = [];
  for (const element of elements) {
    const { name } = element;
    if (!IS_ROW.test(name)) continue;
    if (isExecution(element) || (!hasExecutions && isOrder(element))) rows.push(rowOf(element, statement));
    else if (name === 'CorporateAction') {
      takeAction(
        {
          line: element.line,
          account: element.attributes['accountId'] || statement.account,
          currency: element.attributes['currency'] ?? '',
          executedAt: timeOf(element, statement),
          description: element.attributes['description'] ?? '',
          quantity: orNothing(cellOf(element, ['quantity']), numberIn) ?? 0,
          proceeds: orNothing(cellOf(element, ['proceeds']), numberIn) ?? 0,
          isCancelled: codesIn(cellOf(element, NAMES.codes).text).isCancelled,
        },
        { changes, moved, skipped },
      );
    } else if (name === 'Transfer') {
      const { symbol = '', quantity = '' } = element.attributes;
      if (Number(quantity) !== 0 && symbol !== '') moved.push(`${symbol} on line ${element.line}`);
      skip(skipped, 'transfer between accounts');
    } else if (name === 'CashTransaction') skip(skipped, 'dividend, interest or other cash');
    else skip(skipped, (Object.hasOwn(SKIPPED, name) && SKIPPED[name]) || 'order with executions in the file');
  }
  const coded = rows.map(({ fill, codes, signed }) => ({ ...codes, fill, signed, symbol: fill.instrument.symbol }));
  judgeTurns(coded.sort((a, b) => byTime(a.fill, b.fill)));
  return [...rows.map(({ fill, codes }) => fillOrCancellation(fill, codes)), ...changes];
}

/** The first present attribute of several. */
function cellOf({ attributes, line }: XmlElement, names: readonly string[]): Cell {
  const column = names.find((name) => attributes[name] !== undefined) ?? (names[0] as string);
  return { text: (attributes[column] ?? '').trim(), column, line };
}

function rowOf(element: XmlElement, statement: Statement): Row {
  const cell = (...names: string[]) => cellOf(element, names);
  const currency = cell('currency');
  const quantity = cell('quantity');
  refuseEmpty(cell('assetCategory'), cell('symbol'), currency, quantity, cell('buySell'));
  currencyIn(currency);
  const codes = codesOf(element);
  const signed = signedOf(quantity, cell('buySell'), codes);
  const stated = orNothing(cell(...NAMES.price), numberIn);
  const instrument = instrumentIn(element, signed * (stated ?? 0), statement.order);
  const rate = orNothing(cell('fxRateToBase'), positiveIn);
  const profit = orNothing(cell('fifoPnlRealized'), numberIn);
  const fee = feesOf(element, statement, rate);
  const price = priceOf(element, stated, { codes, instrument, signed, fee });
  const id = [...NAMES.executionId, 'tradeID', 'transactionID'].map((name) => cell(name).text).find((text) => text);
  return {
    element,
    codes,
    signed,
    fill: fill({
      line: element.line,
      executionId: id ?? null,
      orderId: cell(...NAMES.orderId).text || null,
      account: cell('accountId').text || statement.account,
      instrument,
      executedAt: timeOf(element, statement),
      side: signed > 0 ? 'buy' : 'sell',
      quantity: Math.abs(signed),
      price,
      ...fee,
      feesStated: [NAMES.fee, ['taxes', 'tax']].some((names) => cell(...names).text !== ''),
      ...meaningOf(instrument, codes),
      rate: rate !== null && statement.base !== null ? { base: statement.base, value: rate } : null,
      stated: profit ? { net: profit } : null,
    }),
  };
}

/** Codes with the effect, which has a separate attribute. */
function codesOf(element: XmlElement): Codes {
  const opens = cellOf(element, ['openCloseIndicator']).text;
  const codes = codesIn(`${cellOf(element, NAMES.codes).text};${opens}`);
  return { ...codes, isCancelled: codes.isCancelled || cellOf(element, ['transactionType']).text === 'TradeCancel' };
}

interface Deal {
  codes: Codes;
  instrument: Instrument;
  /** Below 0 for a sell. */
  signed: number;
  fee: Pick<FileFill, 'fees' | 'otherFee'>;
}

/**
 * The price, derived from money or cost if the query lacks it.
 * @throws RowError if it can't be derived
 */
function priceOf(element: XmlElement, stated: number | null, { codes, instrument, signed, fee }: Deal): number {
  const amount = (...names: string[]) => orNothing(cellOf(element, names), numberIn);
  const [basis, profit] = [amount('cost'), amount('fifoPnlRealized')];
  const booked = { signed, multiplier: instrument.multiplier, fees: fee.fees };
  if (stated !== null) {
    const isSettled = instrument.market === 'option' && (codes.kind === 'exercise' || codes.kind === 'assignment');
    if (!isSettled || stated !== 0 || !profit) return stated;
    if (basis !== null) return settlementPrice(codes, stated, { ...booked, profit, basis }) ?? stated;
    throw new RowError('cost', `is missing; tick Cost Basis ${IN_QUERY}, for options settled in cash`, element.line);
  }
  const money = amount(...NAMES.money) ?? amount('proceeds');
  if (money !== null) return bookedPrice({ ...booked, fees: 0, profit: 0, basis: Math.abs(money) * Math.sign(signed) });
  // Without the realised P&L, the cost of a close is that of other units.
  const realised = profit ?? (codes.effect === 'open' ? 0 : null);
  const price =
    basis === null || realised === null || fee.otherFee !== null
      ? 0
      : bookedPrice({ ...booked, profit: realised, basis });
  if (price > 0) return price;
  throw new RowError('tradePrice', `is missing; tick Trade Price ${IN_QUERY}`, element.line);
}

const IN_QUERY = 'in the section Trades of the query';

const SIDES = { BUY: 1, SELL: -1, 'BUY (Ca.)': -1, 'SELL (Ca.)': 1 } as const;

/** The signed quantity: sells are below 0, and a cancelled sell above. */
function signedOf(quantity: Cell, side: Cell, codes: Codes): number {
  const signed = numberIn(quantity);
  const direction = wordIn(side, SIDES);
  if (signed !== 0 && (signed * direction > 0 || codes.isCancelled)) return signed;
  throw cellError(quantity, `must be ${direction > 0 ? 'above' : 'below'} 0 for a ${side.text}`);
}

function instrumentIn(element: XmlElement, amount: number, order: DateOrder): Instrument {
  const cell = (...names: string[]) => cellOf(element, names);
  const market = wordIn(cell('assetCategory'), CATEGORIES);
  const { text: currency } = cell('currency');
  const symbol = cell('symbol');
  const stated = orNothing(cell('multiplier'), numberIn) || null;
  if (market === 'option') {
    const terms = { currency, multiplier: stated };
    const [expiration, strike, type] = [cell('expiry'), cell('strike'), cell('putCall')];
    const underlying = cell('underlyingSymbol').text;
    if (!underlying || !expiration.text || !strike.text || !type.text) return optionIn(symbol, terms);
    return option(
      {
        underlying,
        expiration: dateIn(numeric(expiration), orderIn(expiration, order)),
        strike: numberIn(strike),
        optionType: wordIn(type, { C: 'call', P: 'put', Call: 'call', Put: 'put' } as const),
      },
      terms,
    );
  }
  if (market === 'stock' || market === 'forex' || market === 'crypto') {
    return instrumentOf(symbol.text, market, { currency, multiplier: 1 });
  }
  // Bonds are quoted in percent, so their multiplier is derived from the amount paid.
  const money = market === 'other' ? orNothing(cell(...NAMES.money), numberIn) : null;
  const derived = money && amount !== 0 ? Number(Math.abs(money / amount).toPrecision(3)) : null;
  const instrument = instrumentOf(symbol.text, market, { currency, multiplier: derived || stated });
  if (market !== 'future') return instrument;
  return {
    ...instrument,
    underlying: futureOf(symbol.text)?.root ?? (cell('underlyingSymbol').text || null),
    expiration: orNothing(cell('expiry'), (own) => dateIn(numeric(own), orderIn(own, order))),
  };
}

/** Commission and taxes, which the file states with a minus; in another currency they are converted if there is a rate. */
function feesOf(
  element: XmlElement,
  { base, rates }: Statement,
  rate: number | null,
): Pick<FileFill, 'fees' | 'otherFee'> {
  const cost = (cell: Cell) => {
    const amount = orNothing(cell, numberIn) ?? 0;
    return amount === 0 ? 0 : 0 - amount;
  };
  const currency = cellOf(element, ['currency']).text;
  const taxes = cost(cellOf(element, ['taxes', 'tax']));
  const fee = cost(cellOf(element, NAMES.fee));
  const feeCurrency = cellOf(element, NAMES.feeCurrency).text || currency;
  if (feeCurrency === currency || fee === 0) return { fees: roundMoney(taxes + fee), otherFee: null };
  const date = cellOf(element, ['reportDate', 'tradeDate']).text;
  const toBase = feeCurrency === base ? 1 : rates.get(`${date} ${feeCurrency}`);
  if (toBase === undefined || rate === null) return { fees: taxes, otherFee: { amount: fee, currency: feeCurrency } };
  return { fees: roundMoney(taxes + (fee * toBase) / rate), otherFee: null };
}

/** 10-Feb-23 as 2023-02-10. */
function numeric(cell: Cell): Cell {
  const text = cell.text.replace(/^(\d\d?)-([A-Z]{3})-(\d\d)(?!\d)/i, (all, day, name, year) => {
    const month = monthOf(name);
    return month === undefined ? all : `20${year}-${month}-${day.padStart(2, '0')}`;
  });
  return { ...cell, text };
}

function orderIn(cell: Cell, order: DateOrder): DateOrder {
  return /^(\d{4}|\d\d?-[A-Z])/i.test(cell.text) ? 'ymd' : order;
}

/** 20230210;071526, 2023-02-10, 07:15:26 EST, or date and time in separate attributes. */
function timeOf(element: XmlElement, { zone, order: usual }: Statement): string {
  const whole = cellOf(element, ['dateTime']);
  const date = cellOf(element, ['tradeDate', 'reportDate']);
  const time = cellOf(element, ['tradeTime']);
  if (whole.text === '' && date.text === '') throw RowError.missing(['dateTime', 'tradeDate'], element.line);
  const text = whole.text || `${date.text} ${time.text}`.trim();
  const own = { ...(whole.text ? whole : date), text: text.replace(/ EST$/, ' -0500').replace(/ EDT$/, ' -0400') };
  const order = orderIn(own, usual);
  const cell = numeric(own);
  return /^(\d{8}|[\d/.-]{8,10})$/.test(cell.text) ? dayStartIn(cell, order, zone) : instantIn(cell, order, zone);
}
