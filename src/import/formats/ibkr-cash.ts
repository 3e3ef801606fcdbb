/**
 * Cash in Interactive Brokers' exports: rows of dividends, taxes, interest, fees,
 * deposits and transfers, automatic conversions of currencies, and the ending cash.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import type { FileFlow, StatedCash } from '../fills/reading.ts';
import { byMeaning, type Cell } from '../parse/columns.ts';
import { figureIn, numberIn } from '../parse/numbers.ts';
import { type FlowMeanings, flowKindOf } from '../tables/declaration.ts';
import { amountIn, cellOf, type Deal, type Row, type Statement, timeOf } from './ibkr.ts';
import type { StatementLine } from './ibkr-languages.ts';

// Statements: one section for each kind. Their names are translated, the order of columns
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

// Flex Queries: one element for all kinds.

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

// In both.

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
