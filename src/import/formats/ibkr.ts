/**
 * Interactive Brokers' exports: statements and Flex Queries have the same rows under
 * other names, which become fills here.
 */

import { RowError } from '../../errors.ts';
import { futureOf } from '../../journal/derivatives.ts';
import { asDecimal, roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  currencyIn,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import {
  type Instrument,
  mayOpenShort,
  option,
  optionIn,
  stock,
} from '../../parse/instruments.ts';
import {
  assumedZone,
  type DateOrder,
  dateIn,
  dayStartIn,
  instantIn,
} from '../../parse/times.ts';
import type { ClosedLot } from '../../statements/fill-row.ts';
import { monthNamed } from '../../time.ts';
import { type FileFill, fill } from '../fills/reading.ts';

/** Fills of all the broker's exports are matched together. */
/** The zone of times, unless the user states it the user's own, and a note on it. */
export function zoneIn(
  context: Parameters<typeof assumedZone>[0],
): ReturnType<typeof assumedZone> {
  const { zone, note } = assumedZone(context);
  const hint =
    context.timeZone === undefined
      ? ' (the default of Interactive Brokers is New York time)'
      : '';
  return { zone, note: `${note}${hint}` };
}

/** A row by the attributes of a Flex Query. The columns in messages are the file's. */
export interface Row {
  line: number;
  /** Undefined: the file has no such column. */
  cell: (attribute: string) => Cell | undefined;
}

/** Facts that all rows of a statement share. */
export interface Statement {
  account: string | null;
  zone: string;
  /** Order of dates without a four-digit year in front. */
  order: DateOrder;
  /** Target currency of rates; null if unknown. */
  base: string | null;
  /** Exchange rates to the base currency, by date and currency. */
  rates: ReadonlyMap<string, number>;
  /** Multipliers by symbol; those of later rows are added. */
  multipliers: Map<string, number>;
  /** Whether its columns are the user's choice. */
  isQuery: boolean;
}

/** Attribute names in activity queries and in trade confirmations. */
export const NAMES = {
  price: ['tradePrice', 'price'],
  money: ['tradeMoney', 'amount'],
  fee: ['ibCommission', 'commission'],
  feeCurrency: ['ibCommissionCurrency', 'commissionCurrency'],
  taxes: ['taxes', 'tax'],
  executionId: ['ibExecID', 'execID', 'tradeID', 'transactionID'],
  orderId: ['ibOrderID', 'orderID'],
  codes: ['notes', 'code', 'notesCodes'],
};

/** The first cell that the row has of several; for the id, the first that isn't empty. */
export function cellOf({ cell, line }: Row, ...names: readonly string[]): Cell {
  for (const name of names) {
    const found = cell(name);
    if (found) return found;
  }
  return { text: '', column: names[0] as string, line };
}

export function amountIn(row: Row, ...names: readonly string[]): number | null {
  return orNothing(cellOf(row, ...names), numberIn);
}

/** A row as a fill. */
export interface Deal {
  fill: FileFill;
  codes: Codes;
  /** In the statement's spelling. */
  symbol: string;
  /** Below 0 for a sell. */
  signed: number;
  /** The broker's id of the row, which one execution may have several of. */
  booking: string;
}

/** @throws RowError if a cell can't be read, or a query lacks an attribute */
export function dealIn(row: Row, statement: Statement): Deal {
  const cell = (...names: string[]) => cellOf(row, ...names);
  const [symbol, quantity, currency, side] = [
    cell('symbol'),
    cell('quantity'),
    cell('currency'),
    cell('buySell'),
  ];
  if (statement.isQuery) refuseUnticked(row);
  const needed = [cell('assetCategory'), symbol, currency, quantity];
  refuseEmpty(...needed, ...(statement.isQuery ? [] : [cell('dateTime')]));
  currencyIn(currency);

  const codes = codesOf(row);
  const signed = signedOf(quantity, side, codes);
  const stated = priceIn(row, codes, statement);
  const instrument = instrumentOf(row, signed * (stated ?? 0), statement);
  const rate = orNothing(cell('fxRateToBase'), positiveIn);
  const profit = amountIn(row, 'fifoPnlRealized');
  const fee = feesOf(row, statement, rate);
  const { kind, effect, mayShort } = codes;
  const fileFill = fill({
    line: row.line,
    executionId:
      NAMES.executionId.map((name) => cell(name).text).find((text) => text) ?? null,
    orderId: cell(...NAMES.orderId).text || null,
    account: cell('accountId').text || statement.account,
    instrument,
    executedAt: timeOf(row, statement),
    side: signed > 0 ? 'buy' : 'sell',
    quantity: Math.abs(signed),
    price: priceOf(row, stated, {
      codes,
      instrument,
      signed,
      fee,
      isQuery: statement.isQuery,
    }),
    ...fee,
    feesStated:
      cell(...NAMES.fee).text !== '' || (amountIn(row, ...NAMES.taxes) ?? 0) !== 0,
    kind,
    effect,
    ...judgement(instrument, codes),
    mayShort: mayShort || mayOpenShort(instrument) || isUnmarkedOption(instrument, codes),
    rate:
      rate !== null && statement.base !== null
        ? { base: statement.base, value: rate }
        : null,
    stated: statedBy(row, codes, profit),
  });

  return {
    fill: fileFill,
    codes,
    symbol: symbol.text,
    signed,
    booking: cell('transactionID').text || cell('tradeID').text,
  };
}

/**
 * What a row states that it realised: of a close also that it is 0; without a column for
 * it, the proceeds less fees and the cost of what it closed.
 */
function statedBy(
  row: Row,
  { effect }: Codes,
  profit: number | null,
): FileFill['stated'] {
  const isClose = effect === 'close';
  if (profit !== null) return profit !== 0 || isClose ? { net: profit } : null;

  const [proceeds, basis] = [amountIn(row, 'proceeds'), amountIn(row, 'cost')];
  const feeCurrency =
    cellOf(row, ...NAMES.feeCurrency).text || cellOf(row, 'currency').text;
  const isWhole = feeCurrency === cellOf(row, 'currency').text;
  if (!isClose || !isWhole || proceeds === null || !basis) return null;

  const costs = (amountIn(row, ...NAMES.fee) ?? 0) + (amountIn(row, ...NAMES.taxes) ?? 0);
  return { net: roundMoney(proceeds + costs + basis) };
}

/**
 * A lot that a deal closed: the day it was opened, its units and what they cost.
 * @param column of the day
 * @returns undefined if the row doesn't state them
 */
export function lotIn(
  row: Row,
  { order }: Pick<Statement, 'order'>,
  column: 'openDateTime' | 'dateTime',
): ClosedLot | undefined {
  const [units, cost] = [amountIn(row, 'quantity'), amountIn(row, 'cost')];
  const opened = cellOf(row, column);
  if (!units || cost === null || opened.text === '') return undefined;

  const day = numeric({ ...opened, text: opened.text.replace(/[;,].*$|[T ]\d.*$/s, '') });
  return [dateIn(day, orderIn(day, order)), Math.abs(units), Math.abs(cost)];
}

/** Options that are booked without an exchange only close, even without a code for it. */
function judgement(
  { market }: Instrument,
  { isTurn, isBooked, effect }: Codes,
): Pick<FileFill, 'judged'> {
  if (isTurn) return { judged: 'close_then_open' };
  return market === 'option' && isBooked && effect === null ? { judged: 'close' } : {};
}

/**
 * A sale of an option without a mark opens a short if nothing is open; the walk marks it
 * as unsure while it is open.
 */
function isUnmarkedOption(
  { market }: Instrument,
  { kind, effect, isBooked }: Codes,
): boolean {
  return market === 'option' && kind === 'trade' && effect === null && !isBooked;
}

/** Meaning of a row's codes; most codes are irrelevant for fills. */
interface Codes {
  kind: FileFill['kind'];
  effect: FileFill['effect'];
  mayShort: boolean;
  isCancelled: boolean;
  /** Whether it closes a position and opens the opposite one. */
  isTurn: boolean;
  /**
   * Whether the broker booked it without an exchange, as an expiration, an exercise or an
   * assignment is.
   */
  isBooked: boolean;
  /** Whether it exchanges the currency of another trade: no trade of its own. */
  isConversion: boolean;
}

/**
 * Codes separated by semicolons: C;Ep. In queries, the effect has a separate attribute.
 */
export function codesOf(row: Row): Codes {
  const text = `${cellOf(row, ...NAMES.codes).text};${cellOf(row, 'openCloseIndicator').text}`;
  const codes = new Set(text.split(';').map((code) => code.trim()));
  const has = (...some: string[]) => some.some((code) => codes.has(code));
  const isCancelled = has('Ca') || cellOf(row, 'transactionType').text === 'TradeCancel';

  return {
    kind: kindOf(has),
    effect: effectOf(has),
    isBooked: cellOf(row, 'transactionType').text === 'BookTrade',
    mayShort: has('O'),
    isCancelled,
    isTurn: has('O') && has('C'),
    isConversion: has('AFx'),
  };
}

/** Whether a row has any of the codes. */
type HasCode = (...codes: string[]) => boolean;

/** Null: it has no code, or both. */
function effectOf(has: HasCode): FileFill['effect'] {
  if (has('O') === has('C')) return null;
  return has('O') ? 'open' : 'close';
}

function kindOf(has: HasCode): FileFill['kind'] {
  if (has('Ep')) return 'expiration';
  if (has('A')) return 'assignment';
  return has('Ex', 'AEx', 'MEx') ? 'exercise' : 'trade';
}

const SIDES = { BUY: 1, SELL: -1, 'BUY (Ca.)': -1, 'SELL (Ca.)': 1 } as const;

/** The signed quantity: sells are below 0, and a cancelled sell above. */
function signedOf(quantity: Cell, side: Cell, codes: Codes): number {
  const signed = numberIn(quantity);
  if (side.text === '') {
    if (signed !== 0) return signed;
    throw new RowError(quantity.column, 'must not be 0', quantity.line);
  }

  const direction = wordIn(side, SIDES);
  if (signed !== 0 && (signed * direction > 0 || codes.isCancelled)) return signed;

  throw cellError(
    quantity,
    `must be ${direction > 0 ? 'above' : 'below'} 0 for a ${side.text}`,
  );
}

/**
 * Null if a query lacks it. In statements, expirations and deliveries may have no price.
 */
function priceIn(row: Row, { kind }: Codes, { isQuery }: Statement): number | null {
  const cell = cellOf(row, ...NAMES.price);
  const price = orNothing(cell, numberIn);
  if (price !== null || isQuery) return price;
  if (kind !== 'trade') return 0;
  throw new RowError(cell.column, 'is missing', cell.line);
}

interface Booked extends Pick<Deal, 'codes' | 'signed'> {
  instrument: Instrument;
  fee: Pick<FileFill, 'fees' | 'otherFee'>;
  isQuery: boolean;
}

const IN_QUERY = 'in the section Trades of the query';

/** Attributes that each trade needs, by their names in the settings of a query. */
const NEEDED = {
  assetCategory: 'Asset Class',
  symbol: 'Symbol',
  currency: 'Currency',
  quantity: 'Quantity',
};

function refuseUnticked(row: Row): void {
  const lacking = Object.entries(NEEDED).filter(([name]) => row.cell(name) === undefined);
  if (lacking.length === 0) return;
  const [names, labels] = [0, 1].map((at) =>
    lacking.map((entry) => entry[at]).join(', '),
  );
  const verb = lacking.length === 1 ? 'is' : 'are';
  throw new RowError(
    names as string,
    `${verb} missing; tick ${labels} ${IN_QUERY}`,
    row.line,
  );
}

/**
 * The stated price, or one derived from money or cost.
 * @throws RowError if a query lacks the attributes
 */
function priceOf(row: Row, stated: number | null, booking: Booked): number {
  return stated === null
    ? derivedPrice(row, booking)
    : settledPrice(row, stated, booking);
}

/**
 * An option settled in cash has price 0 and a realised P&L; if shares are delivered, the
 * option realises nothing because its premium is in their price.
 */
function settledPrice(row: Row, stated: number, booking: Booked): number {
  const { codes, instrument, fee, isQuery } = booking;
  const isSettled =
    instrument.market === 'option' &&
    (codes.kind === 'exercise' || codes.kind === 'assignment');
  const profit = amountIn(row, 'fifoPnlRealized');
  if (!isSettled || stated !== 0 || !profit) return stated;

  const basis = amountIn(row, 'cost');
  if (basis === null && isQuery)
    throw new RowError(
      'cost',
      `is missing; tick Cost Basis ${IN_QUERY}, for options settled in cash`,
      row.line,
    );

  return basis ? Math.max(0, bookedPrice(profit + fee.fees, basis, booking)) : stated;
}

function derivedPrice(row: Row, booking: Booked): number {
  const { codes, signed, fee } = booking;
  const money = amountIn(row, ...NAMES.money) ?? amountIn(row, 'proceeds');
  if (money !== null) return bookedPrice(0, Math.abs(money) * Math.sign(signed), booking);

  // Without the realised P&L, the cost of a close is that of other units.
  const isOpening = codes.effect === 'open' || (codes.effect === null && signed > 0);
  const realised = amountIn(row, 'fifoPnlRealized') ?? (isOpening ? 0 : null);
  const basis = amountIn(row, 'cost');
  const isKnown = basis !== null && realised !== null && !fee.otherFee;
  const price = isKnown ? bookedPrice(realised + fee.fees, basis, booking) : 0;
  if (price > 0) return price;

  throw new RowError('tradePrice', `is missing; tick Trade Price ${IN_QUERY}`, row.line);
}

/**
 * The realised P&L is the proceeds less fees and the cost of the units: above 0 for a
 * buy, below 0 for a sell.
 */
function bookedPrice(
  realised: number,
  cost: number,
  { instrument, signed }: Booked,
): number {
  const size = instrument.multiplier ?? (instrument.market === 'option' ? 100 : 1);
  return asDecimal((realised - cost) / (0 - signed * size));
}

/**
 * Commission and taxes, which files state with a minus; in another currency they are
 * converted if there is a rate.
 */
function feesOf(
  row: Row,
  { base, rates, isQuery }: Statement,
  rate: number | null,
): Pick<FileFill, 'fees' | 'otherFee'> {
  const cost = (names: readonly string[]) => {
    const amount = amountIn(row, ...names) ?? 0;
    return amount === 0 ? 0 : 0 - amount;
  };

  const currency = cellOf(row, 'currency').text;
  const [taxes, fee] = [cost(NAMES.taxes), cost(NAMES.fee)];
  const feeCurrency = cellOf(row, ...NAMES.feeCurrency).text || currency;
  // Identities of a statement's rows hold the fee as it is stated, with all its decimals.
  const whole = isQuery ? roundMoney(taxes + fee) : fee;
  if (feeCurrency === currency || fee === 0) return { fees: whole, otherFee: null };

  const date = cellOf(row, 'reportDate', 'tradeDate').text;
  const toBase = feeCurrency === base ? 1 : rates.get(`${date} ${feeCurrency}`);
  if (toBase === undefined || rate === null)
    return { fees: taxes, otherFee: { amount: fee, currency: feeCurrency } };

  return { fees: roundMoney(taxes + (fee * toBase) / rate), otherFee: null };
}

/** 10-Feb-23 as 2023-02-10. */
function numeric(cell: Cell): Cell {
  const text = cell.text.replace(
    /^(\d\d?)-([A-Z]{3})-(\d\d)(?!\d)/i,
    (all, day, name, year) => {
      const month = monthNamed(name);
      return month === undefined ? all : `20${year}-${month}-${day.padStart(2, '0')}`;
    },
  );
  return { ...cell, text };
}

function orderIn(cell: Cell, order: DateOrder): DateOrder {
  return /^(\d{4}|\d\d?-[A-Z])/i.test(cell.text) ? 'ymd' : order;
}

/**
 * 20230210;071526, 2023-02-10, 07:15:26 EST, a day alone, or date and time in separate
 * cells.
 */
export function timeOf(
  row: Row,
  { zone, order: usual }: Pick<Statement, 'zone' | 'order'>,
): string {
  const whole = cellOf(row, 'dateTime');
  const date = cellOf(row, 'tradeDate', 'reportDate');
  if (whole.text === '' && date.text === '')
    throw RowError.missing(['dateTime', 'tradeDate'], row.line);

  const text = whole.text || `${date.text} ${cellOf(row, 'tradeTime').text}`.trim();
  const written = { ...(whole.text ? whole : date), text };
  const order = orderIn(written, usual);
  const cell = numeric(written);
  const isDay = /^(\d{8}|[\d/.-]{8,10})$/.test(cell.text);
  const time = isDay ? dayStartIn(cell, order) : instantIn(cell, order, zone);
  if (time < '2100') return time;

  throw cellError(cell, 'must be a time in this century');
}

/** Markets by a query's asset categories. */
const MARKETS = {
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

function instrumentOf(row: Row, amount: number, statement: Statement): Instrument {
  const market = wordIn(cellOf(row, 'assetCategory'), MARKETS);
  const { text: symbol } = cellOf(row, 'symbol');
  const { text: currency } = cellOf(row, 'currency');
  const derived = multiplierOf(row, amount);

  if (market === 'stock' || market === 'forex' || market === 'crypto') {
    if (!statement.isQuery) refuseOtherProceeds(row, derived);
    return named(symbol, market, { currency, multiplier: 1 });
  }

  const { multipliers } = statement;
  const stated =
    orNothing(cellOf(row, 'multiplier'), numberIn) || (multipliers.get(symbol) ?? null);
  // Bonds are quoted in percent, although their stated multiplier is 1.
  const multiplier = (market === 'other' ? derived : null) ?? stated ?? derived;
  if (market === 'option') {
    // A row at price 0 has no amount to derive the multiplier from.
    if (multiplier !== null) multipliers.set(symbol, multiplier);
    return optionOf(row, statement, { currency, multiplier });
  }

  const instrument = named(symbol, market, { currency, multiplier });
  if (market !== 'future') return instrument;

  return {
    ...instrument,
    underlying: instrument.underlying ?? (cellOf(row, 'underlyingSymbol').text || null),
    expiration: orNothing(cellOf(row, 'expiry'), (cell) => expiryIn(cell, statement)),
  };
}

/** @throws RowError if a row's proceeds aren't the quantity times the price */
function refuseOtherProceeds(row: Row, multiplier: number | null): void {
  const proceeds = row.cell('proceeds');
  if (!proceeds || multiplier === null || Math.abs(multiplier - 1) <= 0.01) return;
  throw cellError(proceeds, 'must be the quantity times the price');
}

function optionOf(
  row: Row,
  statement: Statement,
  terms: Parameters<typeof namedOption>[1],
): Instrument {
  const [symbol, expiry, strike, type, underlying] = [
    cellOf(row, 'symbol'),
    cellOf(row, 'expiry'),
    cellOf(row, 'strike'),
    cellOf(row, 'putCall'),
    cellOf(row, 'underlyingSymbol'),
  ];
  if ([underlying, expiry, strike, type].some(({ text }) => text === '')) {
    // Options on futures have their terms in the description: CHF 24OCT25 1.265 C.
    const description = cellOf(row, 'description');
    const isNamed = !isOption(symbol.text) && isOption(description.text);
    return namedOption(isNamed ? description : symbol, terms);
  }

  return option(
    {
      underlying: underlying.text,
      expiration: expiryIn(expiry, statement),
      strike: numberIn(strike),
      optionType: wordIn(type, {
        C: 'call',
        P: 'put',
        Call: 'call',
        Put: 'put',
      } as const),
    },
    terms,
  );
}

function expiryIn(cell: Cell, { order }: Statement): string {
  return dateIn(numeric(cell), orderIn(cell, order));
}

/** Money per point, derived from amount, quantity and price. */
function multiplierOf(row: Row, amount: number): number | null {
  const money = amountIn(row, ...NAMES.money, 'proceeds') ?? 0;
  if (amount === 0 || money === 0) return null;
  const exact = Math.abs(money / amount);
  const whole = Math.round(exact);
  return Math.abs(exact - whole) <= exact * 1e-3 ? whole : Number(exact.toPrecision(3));
}

/**
 * An option such as CLOV 16JUL21 20.0 C, or in the exchanges' notation: FB
 * 180921C00200000.
 */
const OPTIONS = [
  /^(?<underlying>\S(?:.*\S)?) +(?<day>\d\d)(?<month>[A-Z]{3})(?<year>\d\d) +(?<strike>\d+(?:\.\d+)?) +(?<type>[CP])$/,
  /^(?<underlying>[A-Z0-9.]{1,6}) *(?<year>\d\d)(?<month>\d\d)(?<day>\d\d)(?<type>[CP])(?<strike>\d{8})$/,
];

export function isOption(text: string): boolean {
  return OPTIONS.some((pattern) => pattern.test(text));
}

type Terms = Pick<Instrument, 'currency' | 'multiplier'>;

/** @throws RowError if the cell isn't an option */
export function namedOption(cell: Cell, terms: Terms): Instrument {
  const contract = optionIn(cell, OPTIONS, terms);
  if (contract) return contract;
  throw cellError(cell, 'must be an option, such as SPY 19JUN26 450 C');
}

/** Any instrument except an option. */
export function named(
  symbol: string,
  market: Instrument['market'],
  terms: Terms,
): Instrument {
  const underlying = market === 'future' ? (futureOf(symbol)?.root ?? null) : null;
  return { ...stock(symbol), market, underlying, ...terms };
}
