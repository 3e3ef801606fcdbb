/**
 * Fills of thinkorswim's statement: its trades, their costs and seconds in the cash
 * sections, options that expired or were assigned.
 */

import { quote, RowError } from '../../errors.ts';
import { contractSize, futureOf } from '../../journal/derivatives.ts';
import {
  type Cell,
  columnsOf,
  joined,
  knownWord,
  moneyIn,
  numberIn,
  orNothing,
  partOf,
  priceIn32nds,
  sideIn,
  wordIn,
} from '../../parse/cells.ts';
import type { ColumnNames, CsvRow } from '../../parse/csv-rows.ts';
import { type Instrument, option, optionIn, stock } from '../../parse/instruments.ts';
import { instantIn } from '../../parse/times.ts';
import { monthNamed } from '../../time.ts';
import {
  type FileFill,
  type FileFlow,
  type FlowMeanings,
  fill,
  flowKindOf,
  type StatedTotal,
} from '../fills/reading.ts';
import type { OtherRows } from '../tables/format.ts';

/** The cells of a section's rows by column. */
export function cellsIn<R extends string, O extends string>(
  [header, ...rows]: readonly CsvRow[],
  required: Readonly<Record<R, ColumnNames>>,
  optional: Readonly<Record<O, ColumnNames>>,
): (Record<R, Cell> & Partial<Record<O, Cell>>)[] {
  return header ? rows.map(columnsOf(header, required, optional)) : [];
}

// The trades.

const TRADE_COLUMNS = {
  time: 'Exec Time',
  side: 'Side',
  quantity: 'Qty',
  symbol: 'Symbol',
  type: 'Type',
  price: 'Price',
};
/** A statement with only stocks lacks the columns of options. */
const TRADE_EXTRAS = {
  expiration: 'Exp',
  strike: 'Strike',
  effect: 'Pos Effect',
  net: 'Net Price',
};

const EFFECTS = {
  'TO OPEN': 'open',
  'TO CLOSE': 'close',
  AUTO: null,
  EXPIRED: 'expired',
} as const;

/**
 * Fills of one order's execution: one per leg of a spread, with a time only for the
 * first.
 */
interface Execution {
  legs: [FileFill, ...FileFill[]];
  /** Possible prices in the cash line: the leg's or the spread's. */
  prices: number[];
}

export function executionsOf(
  history: readonly CsvRow[],
  zone: string,
  account: string | null,
): Execution[] {
  const executions: Execution[] = [];
  let time: Cell | undefined;
  for (const cells of cellsIn(history, TRADE_COLUMNS, TRADE_EXTRAS)) {
    const isFirst = cells.time.text !== '';
    if (isFirst) time = cells.time;
    if (!time) throw RowError.missing([cells.time.column], cells.time.line);

    const price = priceIn(cells.price);
    const instrument = instrumentOf(cells);
    const effect = orNothing(cells.effect, (filled) => wordIn(filled, EFFECTS));
    const leg = fill({
      line: cells.time.line,
      account,
      instrument,
      executedAt: instantIn(time, 'mdy', zone),
      quantity: Math.abs(numberIn(cells.quantity)),
      mayShort: instrument.market === 'future' || instrument.market === 'forex',
      ...(effect === 'expired'
        ? { kind: 'expiration', side: null, price: 0, effect: 'close' }
        : { side: sideIn(cells.side), price, effect }),
    });
    if (isFirst) executions.push({ legs: [leg], prices: [price] });
    else executions.at(-1)?.legs.push(leg);
    const { net } = cells;
    if (net && /^[-\d.,']+$/.test(net.text)) executions.at(-1)?.prices.push(priceIn(net));
  }

  return executions;
}

/**
 * Copies the second and the costs from cash lines to fills with the same minute, side,
 * quantity, price and symbol.
 * @returns notes on lines and fills without a counterpart
 */
export function payFor(
  executions: readonly Execution[],
  cash: readonly CashLine[],
  trades: string,
  { skip }: OtherRows,
): string[] {
  const left = new Set(cash);
  let unpaid = 0;
  // The oldest first, like the cash lines.
  for (const { legs, prices } of executions.toReversed()) {
    const [first] = legs;
    const { market, underlying, symbol } = first.instrument;
    const name = withoutExchange((market === 'option' ? underlying : null) ?? symbol);
    const found = [...left].find(
      (line) =>
        line.executedAt.slice(0, 16) === first.executedAt.slice(0, 16) &&
        line.quantity === first.quantity &&
        (legs.length > 1 || line.side === first.side) &&
        prices.includes(line.price) &&
        line.description.split(' ').map(withoutExchange).includes(name),
    );
    if (!found) {
      unpaid++;
      for (const leg of legs) leg.feesStated = false;
      continue;
    }

    left.delete(found);
    for (const leg of legs) {
      leg.executedAt = found.executedAt;
      leg.orderId = found.reference;
    }

    first.fees = found.fees;
  }

  skip('cash line without a fill', left.size);
  const [missed] = left;

  return [
    ...(unpaid > 0 ? [`${unpaid} fills have no cash line; their fees are 0`] : []),
    ...(missed
      ? [
          `${left.size} cash lines without a fill in ${trades} are skipped (the first on line ${missed.line})`,
        ]
      : []),
  ];
}

// The cash sections.

const CASH_COLUMNS = {
  date: ['Exec Date', 'Date'],
  time: ['Exec Time', 'Time'],
  type: 'Type',
  description: 'Description',
};
const CASH_EXTRAS = {
  reference: 'Ref #',
  misc: 'Misc Fees',
  commissions: ['Commissions & Fees', 'Commissions'],
  amount: 'Amount',
  balance: 'Balance',
};

/** A cash line of a fill: BOT +300 PYPL @13.31. */
interface CashLine {
  line: number;
  executedAt: string;
  side: string;
  quantity: number;
  price: number;
  description: string;
  fees: number;
  reference: string | null;
}

/**
 * A cash row that changes positions, such as a split, without stating symbol or units.
 */
export interface Adjustment {
  line: number;
  executedAt: string;
}

interface Cash {
  lines: CashLine[];
  /** Options that expired or became shares. */
  removed: FileFill[];
  /** Lines of such options in unknown words. */
  unclear: number[];
  adjustments: Adjustment[];
  total: StatedTotal[];
  flows: FileFlow[];
  /** The balance of its total line. */
  balance: number | null;
}

const TRADE_TEXT = /(?<![A-Z])(BOT|SOLD) ([-+]?[\d,.]+) /;
const TRADED_AT = /^(.*) @([-\d.,']+)/;
/**
 * SPX 100 (Weeklys) 18 NOV 22 3900 PUT; /MESH26 XCME 5 (WEEKLY) 2 Jan 2026 6840.0 PUT.
 */
const OPTION_TEXT =
  /(?<!\S)(\S+)(?: (X[A-Z]{3}))? (?:1\/)?\d+ (?:\([^()]*\) )?(\d\d? [A-Z]{3} (?:\d{4}|\d\d)) ([\d.]+) (CALL|PUT)\b/i;
/**
 * Shares from an option, which no other section has: SOLD -100.0 GS UPON GOLDMAN SACHS
 * GROUP INC, tBOT +100 ABC UPON OPTION ASSIGNMENT.
 */
const DELIVERY_TEXT = /(?<![A-Z])(BOT|SOLD) ([-+]?[\d,.]+) (\S+) UPON\b/;
/** .SPX260410P6500, at the end of descriptions in newer statements. */
const OPTION_CODE =
  /\.(?<underlying>[A-Z]+)(?<year>\d\d)(?<month>\d\d)(?<day>\d\d)(?<type>[CP])(?<strike>[\d.]+)\s*$/;
const ADJUSTMENT = /position adjustment|\bsplit\b|\bmerger\b|spin-?off/i;
const REMOVALS = [
  [/expir/i, 'expiration'],
  [/assign/i, 'assignment'],
  [/exercise/i, 'exercise'],
] as const;

/** Kinds of cash lines without a fill. */
const CASH_TYPES = {
  BAL: 'balance',
  FND: 'funding: deposit, withdrawal or adjustment',
  EFN: 'electronic funding',
  WIR: 'wire transfer',
  WIN: 'incoming wire transfer',
  CRC: 'cash receipt or payment',
  JRN: 'journal entry between accounts',
  DOI: 'dividend or interest',
  LIQ: 'cash moved to or from a money market fund',
  RAD: 'line of units received or delivered',
  ADJ: 'adjustment of cash',
  TRD: 'line of a trade',
  EXP: 'line of an expiration',
} as const;

/**
 * Kinds of cash lines that move cash without a trade; of dividends and interest, by their
 * text.
 */
const FLOWS: FlowMeanings = [
  [/^(FND|EFN|WIR|WIN|CRC) /, 'funding'],
  [/^JRN /, 'transfer'],
  [/^(DOI|ADJ) .*\bDIV/i, 'dividend'],
  [/^(DOI|ADJ) .*\bINT/i, 'interest'],
  [/^(DOI|ADJ) .*\bFEE/i, 'fee'],
  [/^(DOI|ADJ) .*\bTAX/i, 'tax'],
  [/^(DOI|ADJ) /, 'other'],
];

type CashCells = Record<keyof typeof CASH_COLUMNS, Cell> &
  Partial<Record<keyof typeof CASH_EXTRAS, Cell>>;

/**
 * Reads a cash section: fills with costs, removed options, adjustments and the total.
 * @param traded fills of the other section, which has purchases of funds too
 */
export function cashOf(
  section: readonly CsvRow[],
  {
    zone,
    account,
    traded,
  }: { zone: string; account: string | null; traded: readonly FileFill[] },
  { skip }: OtherRows,
): Cash {
  const cash: Cash = {
    lines: [],
    removed: [],
    unclear: [],
    adjustments: [],
    total: [],
    flows: [],
    balance: null,
  };
  for (const cells of cellsIn(section, CASH_COLUMNS, CASH_EXTRAS)) {
    const { line } = cells.description;
    const fees = feesIn(cells);
    if (cells.date.text === '') {
      skip(takeUndated(cells, fees, cash));
      continue;
    }

    const executedAt = instantIn(joined(cells.date, cells.time), 'mdy', zone);
    const delivered = deliveryIn(cells);
    const moved = { line, account, executedAt, fees };
    const fund = delivered && fundLineOf(fill({ ...delivered, ...moved }), traded);
    const removed = delivered ?? removalIn(cells.description);
    const paid = fund ?? (delivered ? undefined : cashLineIn(cells, executedAt, fees));
    if (paid) cash.lines.push(paid);
    else if (removed) cash.removed.push(fill({ ...removed, ...moved }));
    else takeOther(cells, { executedAt, account }, cash, skip);
  }

  return cash;
}

/** The line of a fund's purchase or sale, in words as of a delivery; else undefined. */
function fundLineOf(
  delivered: FileFill,
  traded: readonly FileFill[],
): CashLine | undefined {
  const { line, executedAt, side, quantity, price, fees, instrument } = delivered;
  const isTraded = traded.some(
    (own) =>
      own.executedAt.slice(0, 16) === executedAt.slice(0, 16) &&
      own.side === side &&
      own.quantity === quantity &&
      own.instrument.symbol === instrument.symbol,
  );
  if (!isTraded || side === null || quantity === null) return undefined;

  const description = instrument.symbol;
  return { line, executedAt, side, quantity, price, description, fees, reference: null };
}

/** @returns the reason to skip a line without a date */
function takeUndated(
  { description, balance }: CashCells,
  fees: number,
  cash: Cash,
): string {
  if (description.text !== 'TOTAL') return 'cash line without a date';
  const amount = Math.abs(fees);
  cash.balance = orNothing(balance, moneyIn);
  cash.total.push({ isTotal: true, what: 'fees', currency: 'USD', symbol: null, amount });
  return 'total line';
}

/** A line without a fill: a cash flow, or skipped. */
function takeOther(
  cells: CashCells,
  where: Pick<FileFlow, 'executedAt' | 'account'>,
  cash: Cash,
  skip: OtherRows['skip'],
): void {
  const { type, description } = cells;
  const { text, line } = description;
  const isAdjustment = ADJUSTMENT.test(text);
  if (isAdjustment) cash.adjustments.push({ line, executedAt: where.executedAt });
  if (isRemoval(text)) cash.unclear.push(line);

  const amount = isAdjustment ? 0 : (orNothing(cells.amount, moneyIn) ?? 0);
  const kind = flowKindOf(`${type.text} ${text}`, FLOWS, amount);
  if (amount === 0 || kind === undefined) return skip(reasonFor(type));

  cash.flows.push({
    ...where,
    line,
    id: cells.reference?.text || null,
    kind,
    amount,
    currency: 'USD',
    symbol: null,
    description: text,
  });
}

function reasonFor(type: Cell): string {
  const known = knownWord(type, CASH_TYPES);
  if (known !== undefined) return known;

  return type.text === ''
    ? 'cash line without a type'
    : `cash line of unknown type ${quote(type.text)}`;
}

function feesIn({ misc, commissions }: CashCells): number {
  return [misc, commissions].reduce(
    (sum, cell) => sum - (orNothing(cell, moneyIn) ?? 0),
    0,
  );
}

/** @returns undefined if it isn't the line of a trade */
function cashLineIn(
  { type, description, reference }: CashCells,
  executedAt: string,
  fees: number,
): CashLine | undefined {
  const { side, quantity, what, price } = tradeIn(description.text);
  if (type.text !== 'TRD' || side === '') return undefined;

  return {
    line: description.line,
    executedAt,
    side: sideIn(partOf(description, side)),
    quantity: Math.abs(numberIn(partOf(description, quantity))),
    price: priceIn(partOf(description, price)),
    description: what,
    fees,
    reference: reference?.text || null,
  };
}

/** BOT +1 SPY @450.00, anywhere in a description; empty texts if none. */
function tradeIn(text: string): {
  side: string;
  quantity: string;
  what: string;
  price: string;
} {
  const trade = TRADE_TEXT.exec(text);
  const traded = trade && TRADED_AT.exec(text.slice(trade.index + trade[0].length));
  const [, side = '', quantity = ''] = (traded && trade) ?? [];
  const [, what = '', price = ''] = traded ?? [];
  return { side, quantity, what, price };
}

/**
 * Number of options removed, which precedes their name; an assignment may remove some.
 * Null if not stated.
 */
function unitsIn(description: Cell): number | null {
  const text = /(?<![\d,])([\d,]+\.\d+) (?:\.[A-Z]|\S+ (?:X[A-Z]{3} )?(?:1\/)?\d+ )/.exec(
    description.text,
  )?.[1];
  return text === undefined ? null : numberIn(partOf(description, text)) || null;
}

type Removal = Pick<FileFill, 'instrument' | 'side' | 'quantity' | 'price'> &
  Partial<FileFill>;

/** Shares delivered at the strike; undefined if it isn't the line of a delivery. */
function deliveryIn({ type, description, amount }: CashCells): Removal | undefined {
  const delivery = DELIVERY_TEXT.exec(description.text);
  if (!delivery || !amount || !['EXP', 'TRD'].includes(type.text)) return undefined;

  const [, side, quantity, symbol = ''] = delivery;
  const units = Math.abs(numberIn(partOf(description, quantity)));

  return {
    instrument: stock(symbol),
    side: sideIn(partOf(description, side)),
    quantity: units,
    price: Math.abs(moneyIn(amount)) / units,
    mayShort: true,
  };
}

function isRemoval(text: string): boolean {
  return /^remov/i.test(text);
}

/** An option that expired, was assigned or exercised; undefined for unknown words. */
function removalIn(description: Cell): Removal | undefined {
  if (!isRemoval(description.text)) return undefined;

  const kind = REMOVALS.find(([word]) => word.test(description.text))?.[1];
  const instrument = kind && removedOption(description);

  return (
    instrument && {
      kind,
      instrument,
      side: null,
      quantity: unitsIn(description),
      price: 0,
      effect: 'close',
    }
  );
}

function removedOption(description: Cell): Instrument | undefined {
  // Afternoon and weekly series of an index have a separate root.
  const text = description.text.replace(/\.(SPX|NDX|RUT|VIX|XSP|DJX)[WP](?=\d)/, '.$1');
  const coded = optionIn(partOf(description, text), [OPTION_CODE]);
  if (coded) return coded;

  const [, root, exchange, ...terms] = OPTION_TEXT.exec(description.text) ?? [];
  if (root === undefined) return undefined;

  const symbol = partOf(
    description,
    exchange === undefined ? root : `${root}:${exchange}`,
  );
  const [expiration, strike, type] = terms.map((term) => partOf(description, term)) as [
    Cell,
    Cell,
    Cell,
  ];

  return instrumentOf({ symbol, type, expiration, strike });
}

// Instruments and prices in all sections.

const TYPES = {
  STOCK: 'stock',
  ETF: 'stock',
  FUND: 'stock',
  CALL: 'call',
  PUT: 'put',
  FUTURE: 'future',
  FOREX: 'forex',
} as const;

function priceIn(cell: Cell): number {
  return /\d'\d/.test(cell.text) ? priceIn32nds(cell) : numberIn(cell);
}

/**
 * /ESU25 1/50 4 AUG 25 (Monday) (Wk2): an option on a future with contract size and
 * expiration; Exp then has its code.
 */
const FUTURE_OPTION = /^(\/[A-Z0-9]+(?::X[A-Z]{3})?) 1\/(\d+) (.*)$/;

interface InstrumentCells extends Record<'symbol' | 'type', Cell> {
  expiration?: Cell;
  strike?: Cell;
}

export function instrumentOf(cells: InstrumentCells): Instrument {
  const [, future, size, series] = FUTURE_OPTION.exec(cells.symbol.text) ?? [];
  const symbol = future ?? cells.symbol.text;
  const type = wordIn(cells.type, TYPES);
  if (type === 'stock' && !symbol.startsWith('/')) return stock(symbol);
  if (type === 'forex')
    return { ...stock(symbol, symbol.split('/')[1]), market: 'forex' };
  if (type === 'stock' || type === 'future')
    return {
      ...stock(symbol),
      market: 'future',
      underlying: futureOf(symbol)?.root ?? null,
    };

  return optionOf(cells, type, { symbol, size, series });
}

/**
 * @param underlying its symbol; of an option on a future, also contract size and
 * expiration
 */
function optionOf(
  cells: InstrumentCells,
  optionType: 'call' | 'put',
  underlying: { symbol: string; size: string | undefined; series: string | undefined },
): Instrument {
  const { expiration, strike } = cells;
  if (!expiration || !strike) throw RowError.missing(['Exp', 'Strike'], cells.type.line);

  const { symbol, size, series } = underlying;
  const multiplier = size === undefined ? usualSize(symbol, cells.symbol) : Number(size);
  const [at, day] = [numberIn(strike), expirationIn(series, expiration)];
  const contract = option(
    { underlying: symbol, strike: at, optionType, expiration: day ?? '' },
    { multiplier },
  );
  if (day !== undefined) return contract;

  return {
    ...contract,
    symbol: `${symbol} ${series} ${optionType === 'call' ? 'C' : 'P'}${at}`,
    expiration: null,
  };
}

/** The contract size of options on a future; null for other options. */
function usualSize(symbol: string, { column, line }: Cell): number | null {
  if (!symbol.startsWith('/')) return null;

  const known = contractSize(futureOf(symbol)?.root ?? '')?.multiplier;
  if (known !== undefined) return known;

  throw new RowError(
    column,
    `unknown contract size for options on ${symbol}; export the futures section too`,
    line,
  );
}

/**
 * The day in 18 NOV 22, with or without the kind of series after it, else by the code of
 * a weekly option.
 * @returns undefined for a series of an option on a future without either
 */
function expirationIn(
  series: string | undefined,
  { text, column, line }: Cell,
): string | undefined {
  const [, day = '', month = '', year = ''] =
    /\b(\d\d?) ([A-Z]{3}) (\d{4}|\d\d)\b/i.exec(series ?? text) ?? [];
  const number = monthNamed(month);
  if (number !== undefined)
    return `${year.padStart(4, '20')}-${number}-${day.padStart(2, '0')}`;
  const weekly = weeklyIn(text);
  if (weekly !== undefined || series !== undefined) return weekly;
  throw new RowError(column, `must be a date, such as 18 NOV 22; got "${text}"`, line);
}

/**
 * The day of a weekly option by the exchanges' code: /EX2F26 is the second Friday of
 * January 2026, /E1AQ25 the first Monday of August 2025, with B to D for Tuesday to
 * Thursday.
 */
function weeklyIn(text: string): string | undefined {
  const [, week, letter = 'E', code = '', digits = ''] =
    /^\/[A-Z]{1,3}([1-5])([A-D])?([FGHJKMNQUVXZ])(\d\d?)(?::X[A-Z]{3})?$/.exec(text) ??
    [];
  if (week === undefined) return undefined;

  const year = Number(digits.length === 1 ? `202${digits}` : `20${digits}`);
  const month = 'FGHJKMNQUVXZ'.indexOf(code);
  const days =
    'ABCDE'.indexOf(letter) + 8 - new Date(Date.UTC(year, month, 1)).getUTCDay();

  return new Date(Date.UTC(year, month, 1 + (days % 7) + (Number(week) - 1) * 7))
    .toISOString()
    .slice(0, 10);
}

/**
 * The spelling of an option on a future that another section may have: without the
 * exchange.
 */
export function withoutExchange(text: string): string {
  return text.replace(/^(\/[A-Z0-9]+):X[A-Z]{3}\b/, '$1');
}
