/**
 * What Interactive Brokers' exports have besides trades: changes of positions (corporate
 * actions, reversals, cancellations) and cash (dividends, taxes, interest, fees, deposits,
 * transfers, automatic conversions of currencies, and the ending cash).
 */

import { RowError } from '../../errors.ts';
import { asDecimal, roundMoney } from '../../money.ts';
import { byMeaning, type Cell, figureIn, numberIn, partOf } from '../../parse/cells.ts';
import { type Instrument, option } from '../../parse/instruments.ts';
import {
  byTime,
  type FileFill,
  type FileFlow,
  type FlowMeanings,
  fill,
  flowKindOf,
  type StatedCash,
} from '../fills/reading.ts';
import type { OtherRows } from '../tables/format.ts';
import {
  amountIn,
  cellOf,
  codesOf,
  type Deal,
  isOption,
  named,
  namedOption,
  type Row,
  type Statement,
  timeOf,
} from './ibkr.ts';
import type { StatementLine } from './ibkr-languages.ts';

// Changes of positions.

type Option = Instrument & Parameters<typeof option>[0];

/** Adds the changes of a corporate action, or removes those of the action it cancels. */
export function takeAction(
  row: Row,
  statement: Statement,
  changes: FileFill[],
  others: OtherRows,
): void {
  const { text: description } = cellOf(row, 'description');
  const quantity = amountIn(row, 'quantity') ?? 0;
  const { isCancelled } = codesOf(row);
  const changed = changesOf(
    row,
    statement,
    description,
    isCancelled ? 0 - quantity : quantity,
  );
  if (changed === undefined && quantity !== 0)
    others.moved({ text: description.replace(/\(.*/s, ''), line: row.line });
  if (!changed?.length) {
    return others.skip(
      quantity === 0 ? 'corporate action without a change of units' : 'corporate action',
    );
  }

  if (!isCancelled) {
    for (const change of changed) changes.push(change);
    return;
  }

  const keyOf = ({ kind, instrument, quantity: units }: FileFill) =>
    `${kind} ${instrument.symbol} ${units}`;
  const found = changed.map((change) =>
    changes.findLast((other) => keyOf(other) === keyOf(change)),
  );
  for (const change of found) if (change) changes.splice(changes.indexOf(change), 1);
  // The row of the cancelled action has no fill any more, either.
  others.skip('cancelled corporate action', found[0] ? 2 : 1);
}

const CASH_MERGER = /^(?:(?!\bmerged\b).)*\bmerged\b.* for [A-Z]{3} [\d.]+ per share/i;
const SPLIT =
  /^([^(]*[^(\s])\s*\([^)]*\)\s+(?:forward |reverse )?(?:split|сплит) (\d+(?:\.\d+)?) (?:for|за|für|pour|por|para|per) (\d+(?:\.\d+)?)/i;
const NEW_NUMBER = /^([^(]*[^(\s])\s*\([^)]*\)\s+cusip\/isin change/i;

/**
 * The fills of a corporate action: a split, also of options, whose strike changes with
 * it; a change of symbol; a sale of all units for cash. Splits and changes have a row for
 * the units removed and one for those added; only the latter makes fills.
 * @returns undefined for other actions; none for a row of removed units
 */
function changesOf(
  row: Row,
  statement: Statement,
  description: string,
  quantity: number,
): FileFill[] | undefined {
  const split = SPLIT.exec(description);
  const former = (split ?? NEW_NUMBER.exec(description))?.[1];
  const symbol = /\(([^,()]+),[^()]*(?:\([^()]*\)[^()]*)*\)\s*$/
    .exec(description)?.[1]
    ?.trim();
  if (symbol === undefined) return undefined;
  if (quantity < 0 && CASH_MERGER.test(description))
    return [soldForCash(row, statement, symbol, -quantity)];
  if (former === undefined) return undefined;

  // A forward split has one row, below 0 for a short position.
  const ratio = split && Number(split[2]) / Number(split[3]);
  const isForward = split !== null && Number(split[2]) > Number(split[3]);
  if (isForward ? quantity === 0 : quantity <= 0) return [];
  if (isOption(symbol))
    return isForward ? optionSplit(row, statement, symbol, ratio as number) : undefined;

  const fills: FileFill[] = [];
  if (ratio !== null)
    fills.push({
      ...changeIn(row, statement, stockIn(row, former)),
      kind: 'split',
      quantity: ratio,
    });

  if (symbol !== former)
    fills.push({
      ...changeIn(row, statement, stockIn(row, symbol)),
      kind: 'symbol_change',
      formerSymbol: former,
    });

  return fills;
}

function soldForCash(
  row: Row,
  statement: Statement,
  symbol: string,
  quantity: number,
): FileFill {
  return {
    ...changeIn(row, statement, stockIn(row, symbol)),
    kind: 'delivery',
    side: 'sell',
    quantity,
    price: (amountIn(row, 'proceeds') ?? 0) / quantity,
    effect: 'close',
  };
}

/** The strike changes with the number of contracts. */
function optionSplit(
  row: Row,
  statement: Statement,
  symbol: string,
  ratio: number,
): FileFill[] {
  const { text: currency } = cellOf(row, 'currency');
  const multiplier = amountIn(row, 'multiplier') ?? 100;
  const contract = namedOption(partOf(cellOf(row, 'description'), symbol), {
    currency,
    multiplier,
  });
  const { underlying, expiration, strike, optionType } = contract as Option;
  const earlier = option(
    { underlying, expiration, optionType, strike: asDecimal(strike * ratio) },
    { currency, multiplier },
  );

  return [
    { ...changeIn(row, statement, earlier), kind: 'split', quantity: ratio },
    {
      ...changeIn(row, statement, contract),
      kind: 'symbol_change',
      formerSymbol: earlier.symbol,
    },
  ];
}

function changeIn(row: Row, statement: Statement, instrument: Instrument): FileFill {
  return fill({
    line: row.line,
    account: cellOf(row, 'accountId').text || statement.account,
    executedAt: timeOf(row, statement),
    instrument,
    side: null,
    quantity: null,
    price: 0,
  });
}

function stockIn(row: Row, symbol: string): Instrument {
  return named(symbol, 'stock', {
    currency: cellOf(row, 'currency').text,
    multiplier: 1,
  });
}

/** Units held before a statement, below 0 if short, by symbol. */
export type HeldBefore = ReadonlyMap<string, number>;

/**
 * Fills of a statement's rows and corporate actions, by time. A cancellation may be of a
 * fill in an earlier statement.
 */
export function fillsOf(
  deals: readonly Deal[],
  changes: readonly FileFill[],
  held: HeldBefore = new Map(),
): FileFill[] {
  separateHalves(deals);
  judgeTurns(
    deals.toSorted((a, b) => byTime(a.fill, b.fill)),
    held,
  );
  const stated = deals.map(({ fill, codes }) => {
    const { judged: _, ...rest } = fill;
    return codes.isCancelled
      ? { ...rest, kind: 'trade' as const, effect: null, cancels: true }
      : fill;
  });

  return [...stated, ...changes].sort(byTime);
}

/**
 * An execution that closes and opens has a row for each with the execution's id. All but
 * the first, closing one get an id of their own.
 */
function separateHalves(deals: readonly Deal[]): void {
  for (const ofExecution of Map.groupBy(deals, ({ fill, symbol }) =>
    JSON.stringify([fill.executionId, fill.account, symbol]),
  ).values()) {
    const rows = Map.groupBy(
      ofExecution,
      ({ booking, fill }) => `${fill.effect === 'open' ? 1 : 0} ${booking.padStart(32)}`,
    );
    [...rows.keys()].sort().forEach((key, index) => {
      for (const { fill } of rows.get(key) ?? []) {
        if (index > 0 && fill.executionId !== null) fill.executionId += `.${index + 1}`;
      }
    });
  }
}

/** The position in a symbol after the rows so far. */
interface Position {
  units: number;
  /** Whether they include units held before the statement. */
  isOlder: boolean;
  /** Whether the last row reversed it. */
  isTurned: boolean;
}

/**
 * Sets the effect of fills that close and open at once. A fill only closes while older
 * units are open. All executions of an order have its codes; the later ones open. An
 * unmatched close opens nothing.
 * @param rows in the order of time
 */
function judgeTurns(rows: readonly Deal[], held: HeldBefore): void {
  const positions = new Map<string, Position>();
  for (const { symbol, signed, codes, fill } of rows) {
    const { isTurn } = codes;
    const key = JSON.stringify([fill.account, symbol]);
    const older = held.get(symbol) ?? 0;
    const before = positions.get(key) ?? {
      units: older,
      isOlder: older !== 0,
      isTurned: false,
    };
    const isClosing = before.units * signed < 0;
    if (isTurn && isClosing && before.isOlder) fill.judged = 'close';
    else if (isTurn && before.isTurned && !isClosing) fill.judged = 'open';
    const isUnknown = isTurn && !isClosing && !before.isTurned;
    const units = isUnknown ? before.units : asDecimal(before.units + signed);

    positions.set(key, {
      units,
      // Once the position was flat, all open units are from this statement.
      isOlder: before.isOlder && units * before.units > 0,
      isTurned: isTurn && !isUnknown && (!isClosing || units * before.units <= 0),
    });
  }
}

// Cash in statements: one section for each kind. Their names are translated, the order of columns
// isn't.

/** Names of sections, in languages whose statements are known. */
const SECTIONS = byMeaning({
  dividend:
    'Dividends, Dividenden, Dividendes, Dividendos, Dividendi, Дивиденды, Payment In Lieu',
  tax: [
    'Withholding Tax, Quellensteuer, Retenue à la source, Retención de impuestos',
    'Ritenuta alla fonte, Удерживаемый налог, 871(m) Withholding',
  ],
  interest:
    'Interest, Zinsen, Intérêts, Interés, Interesse, Interessi, Процент, Проценты',
  funding: [
    'Deposits & Withdrawals, Ein- und Auszahlungen, Einzahlungen und Auszahlungen',
    'Dépôts et retraits, Depósitos y retiradas, Depositi e prelievi, Вводы и выводы средств',
  ],
  fee: [
    'Fees, Gebühren, Frais, Tarifas, Commissioni, Сборы/комиссии, Other Fees, Advisor Fees',
    'Client Fees',
  ],
  'fee of a trade':
    'Transaction Fees, Transaktionsgebühren, Frais de transaction, Платы за транзакции',
});

const DATE = /^\d{4}-\d\d-\d\d/;

/**
 * The flow of a row of a statement; undefined if its section states none, or it is a
 * total. After the currency: an account in statements of several, the date, a symbol in
 * fees of trades, the description, the amount; in fees of trades quantity and price
 * before it.
 */
export function flowOfLine(
  line: StatementLine,
  statement: Statement,
): FileFlow | undefined {
  const meaning = Object.hasOwn(SECTIONS, line.name) ? SECTIONS[line.name] : undefined;
  if (meaning === undefined || line.kind !== 'Data') return undefined;

  const { cells, line: number } = line.row;
  const at = cells.findIndex((cell) => DATE.test(cell));
  const currencyAt = cells.findIndex(
    (cell, index) => index < at && /^[A-Z]{3}$/.test(cell),
  );
  if (at === -1 || currencyAt === -1) return undefined;

  const cellAt = (index: number, column: string): Cell => ({
    text: cells[index] ?? '',
    column,
    line: number,
  });
  const isOfTrade = meaning === 'fee of a trade';
  const amount = numberIn(cellAt(isOfTrade ? at + 5 : at + 2, 'Amount'));
  const kind = flowKindOf(meaning, KINDS, amount);
  if (amount === 0 || kind === undefined) return undefined;

  const description = cells[isOfTrade ? at + 2 : at + 1] ?? '';
  const row: Row = {
    line: number,
    cell: (name) => (name === 'dateTime' ? cellAt(at, 'Date') : undefined),
  };

  return {
    line: number,
    id: null,
    account: at === currencyAt + 2 ? (cells[currencyAt + 1] ?? null) : statement.account,
    executedAt: timeOf(row, statement),
    kind,
    amount,
    currency: cells[currencyAt] as string,
    symbol: isOfTrade ? (cells[at + 1] ?? null) : symbolIn(description),
    description,
  };
}

const KINDS: FlowMeanings = [
  [/^dividend$/, 'dividend'],
  [/^tax$/, 'tax'],
  [/^interest$/, 'interest'],
  [/^funding$/, 'funding'],
  [/^fee/, 'fee'],
];

/** MRK(US58933Y1055) Cash Dividend USD 0.85 per Share */
function symbolIn(description: string): string | null {
  return (
    /^([A-Z0-9][A-Z0-9 .]{0,11}?) ?\([A-Z]{2}[A-Z0-9]{8,10}\)/.exec(description)?.[1] ??
    null
  );
}

/** Labels of the ending cash in the cash report. */
const ENDING = [
  'Ending Cash',
  'Endbarsaldo',
  'Solde de trésorerie final',
  'Efectivo final',
];

/** The ending cash of each currency in a statement's cash report. */
export function endingCashIn(
  lines: readonly StatementLine[],
  account: string | null,
): StatedCash[] {
  return lines.flatMap(({ kind, row: { cells } }) => {
    const [label = '', currency = '', total = ''] = cells;
    const amount = figureIn(total)?.value;
    if (kind !== 'Data' || !ENDING.includes(label) || !/^[A-Z]{3}$/.test(currency))
      return [];
    return amount === undefined ? [] : [{ account, currency, amount, at: null }];
  });
}

// Cash in Flex Queries: one element for all kinds.

const TYPES: FlowMeanings = [
  [/^Dividends$|In Lieu/i, 'dividend'],
  [/Withholding|Tax/i, 'tax'],
  [/Interest/i, 'interest'],
  [/^Deposits/i, 'funding'],
  [/Fee|Commission/i, 'fee'],
  [/./, 'other'],
];

const DATES = ['dateTime', 'tradeDate', 'reportDate'];

/** @returns undefined for a total, or an element of another section */
export function flowOfElement(row: Row, statement: Statement): FileFlow | undefined {
  const [type, currency, amount] = [
    cellOf(row, 'type').text,
    cellOf(row, 'currency').text,
    amountIn(row, 'amount') ?? 0,
  ];
  const kind = flowKindOf(type, TYPES, amount);
  if (amount === 0 || kind === undefined || !/^[A-Z]{3}$/.test(currency))
    return undefined;
  if (!DATES.some((name) => row.cell(name))) {
    const remedy = 'tick Date/Time in the section Cash Transactions of the query';
    throw new RowError('dateTime', `is missing; ${remedy}`, row.line);
  }

  return { ...sharedOf(row, statement), kind, amount };
}

/** Cash moved to or from another account. */
export function flowOfTransfer(row: Row, statement: Statement): FileFlow | undefined {
  const amount = amountIn(row, 'cashTransfer') ?? 0;
  return amount === 0
    ? undefined
    : { ...sharedOf(row, statement), kind: 'transfer', amount, symbol: null };
}

function sharedOf(row: Row, statement: Statement): Omit<FileFlow, 'kind' | 'amount'> {
  const [id, account, symbol, description, rate] = [
    cellOf(row, 'transactionID').text,
    cellOf(row, 'accountId').text,
    cellOf(row, 'symbol').text,
    cellOf(row, 'description').text,
    amountIn(row, 'fxRateToBase'),
  ];

  return {
    line: row.line,
    id: id || null,
    account: account || statement.account,
    executedAt: timeOf(row, statement),
    currency: cellOf(row, 'currency').text,
    symbol: symbol || null,
    description,
    rate: rate && statement.base !== null ? { base: statement.base, value: rate } : null,
  };
}

/** Of a cash report's row; none for the sum in the base currency. */
export function endingCashOf(row: Row, statement: Statement): StatedCash[] {
  const currency = cellOf(row, 'currency').text;
  const amount = amountIn(row, 'endingCash');
  if (amount === null || !/^[A-Z]{3}$/.test(currency)) return [];

  const account = cellOf(row, 'accountId').text || statement.account;
  const at = cellOf(row, 'toDate').text || null;
  return [{ account, currency, amount, at }];
}

// Cash in both.

/**
 * An automatic conversion, as EUR.USD: what came in one currency and what went in the
 * other cancel at the day's rate, if the row states it, else at that of the conversion;
 * the rest is a cost.
 */
export function conversionFlows({
  fill,
  signed,
}: Pick<Deal, 'fill' | 'signed'>): FileFlow[] {
  const { line, account, executedAt, hasTime, executionId, instrument, price, fees } =
    fill;
  const [base = ''] = instrument.symbol.split('.', 1);
  const { currency: quote } = instrument;
  const commission = fill.otherFee ?? { amount: fees, currency: quote };
  const dayRate = dayRateOf(fill, base);
  const rest = roundMoney(signed * dayRate - signed * price);

  const flow = (
    part: string,
    kind: FileFlow['kind'],
    amount: number,
    currency: string,
  ): FileFlow => ({
    line,
    id: executionId === null ? null : `${executionId}-${part}`,
    account,
    executedAt,
    ...(hasTime !== undefined && { hasTime }),
    kind,
    amount,
    currency,
    symbol: null,
    description: `conversion ${instrument.symbol}`,
  });

  const all = [
    { ...flow('base', 'transfer', signed, base), rate: { base: quote, value: dayRate } },
    {
      ...flow('quote', 'transfer', roundMoney(0 - signed * dayRate), quote),
      rate: { base, value: 1 / dayRate },
    },
    flow('rest', 'fee', rest, quote),
    flow('fee', 'fee', 0 - commission.amount, commission.currency),
  ];
  return all.filter(({ amount }) => amount !== 0);
}

/**
 * Of the pair's base in its quote currency; the price if the row's rate is that, rounded.
 */
function dayRateOf({ rate, price }: Deal['fill'], base: string): number {
  if (rate === null || rate.base !== base || rate.value <= 0) return price;

  const decimals = String(rate.value).split('.')[1]?.length ?? 0;
  const isRounded = Math.abs(1 / price - rate.value) <= 0.5 * 10 ** -decimals;
  return isRounded ? price : 1 / rate.value;
}
