/**
 * Trading 212's history: orders among dividends, interest and transfers; prices in one
 * currency, totals and costs in another.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  cellError,
  currencyIn,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  sumIn,
} from '../../parse/cells.ts';
import { stock } from '../../parse/instruments.ts';
import { decimalOf, usualZone } from '../../parse/times.ts';
import { byTime, type FileFill, fill, oldestFirst, unclear } from '../fills/reading.ts';
import { amountsIn, costsOf, unitOfPrice } from '../tables/costs.ts';
import {
  type Cells as CellsOf,
  type FlowParts,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

const NO_RATE = /^not available$/i;
const ORDER = /^(?:market|limit|stop|stop limit|trailing stop) (buy|sell)$/i;
const SPLIT = /^stock split (open|close)$/i;
const NO_FILL =
  /^(dividend|interest|lending|share lending|deposit|withdrawal|currency conversion|card|spending|cashback|new card|result adjustment|fee|money)/i;
/** Actions that add or remove shares without a price. */
const MOVE =
  /^(transfer (in|out)|free shares?.*|spin[- ]?off|(custom )?stock distribution|equity rights|(stock|scrip|bonus) dividend|bonus issue|stock split)$/i;
const COST =
  /^(currency conversion fee|stamp duty.*|ptm levy|transaction (?:fee|tax)|finra fee|french transaction tax|sec fee|commission|.*financial transaction tax|taxes)(?: \(([A-Z]{3})\))?$/i;

const COLUMNS = {
  action: mayBeEmpty('Action'),
  executed_at: mayBeEmpty(['Time', 'Time (UTC)']),
  ticker: mayBeEmpty('Ticker'),
  units: mayBeEmpty('No. of shares'),
  paid: mayBeEmpty('Price / share'),
  currency: mayBeEmpty('Currency (Price / share)'),
  rate: optional('Exchange rate'),
  result: optional('Result'),
  result_currency: optional('Currency (Result)'),
  id: optional('ID'),
  total: { column: 'Total', every: /^total(?: \([A-Z]{3}\))?$/i },
  costs: { column: 'costs', every: COST },
  from: optional('Currency conversion from amount'),
  from_currency: optional('Currency (Currency conversion from amount)'),
  to: optional('Currency conversion to amount'),
  to_currency: optional('Currency (Currency conversion to amount)'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;
type File = TableFile<typeof COLUMNS>;

export const trading212 = fillsTable({
  ...KNOWN.trading212,
  columns: COLUMNS,
  // Of dividends, whose total is without it.
  includedCosts: ['Withholding tax'],
  dates: 'reformatted',
  // Newer files name the zone, which the times of older ones are in, too.
  zone: (column, context) =>
    column === 'Time (UTC)'
      ? { zone: 'UTC' }
      : usualZone(context, 'UTC', "that of Trading 212's times"),
  style: (rows) => {
    const traded = rows.filter(({ action: { text } }) =>
      [ORDER, SPLIT, MOVE].some((pattern) => pattern.test(text)),
    );
    return {
      decimal: decimalOf(traded.flatMap(({ paid, units }) => [paid.text, units.text])),
    };
  },
  skip(cells, file) {
    const { text } = cells.action;
    if (ORDER.test(text) || /^stock split open$/i.test(text)) return undefined;

    if (MOVE.test(text)) file.moved(cells.ticker);
    else if (!(SPLIT.test(text) || NO_FILL.test(text) || sumIn([cells.units]) === 0)) {
      const known =
        'an order, such as Market buy or Limit sell, a dividend, interest, deposit, withdrawal or conversion';
      throw cellError(cells.action, `must be ${known}`);
    }

    return text.toLowerCase() || 'row without an action';
  },
  flows: {
    meanings: [
      [/^deposit|^withdrawal|^money/, 'funding'],
      [/^dividend.*\btax\b/, 'tax'],
      [/^dividend/, 'dividend'],
      [/\bfee\b|^new card/, 'fee'],
      [/^(interest|lending|share lending)/, 'interest'],
      [/^currency conversion$/, 'transfer'],
      [/^(card|spending|cashback|result adjustment)/, 'other'],
    ],
    read: (cells, file) => {
      const { action, ticker, id } = cells;
      if (/^currency conversion$/i.test(action.text)) return conversionOf(cells, file);
      return amountsIn(cells, 'total', file.style).flatMap(({ amount, currency }) =>
        currency === null
          ? []
          : {
              id: id?.text || null,
              amount: /^withdrawal/i.test(action.text) ? 0 - Math.abs(amount) : amount,
              currency,
              symbol: ticker.text || null,
              description: action.text,
            },
      );
    },
  },
  check(_, { action, executed_at: time, ticker, units, paid, currency }) {
    if (ORDER.test(action.text)) refuseEmpty(time, ticker, units, paid, currency);
  },
  instrument: ({ ticker, currency }) =>
    stock(ticker.text, unitOfPrice(currency).currency),
  row: (cells, _, file) =>
    ORDER.test(cells.action.text) ? orderOf(cells, file) : splitOf(cells, file),
  end: (fills, file) => ({
    fills: [...movesOf(fills, file), ...oldestFirst(fills).sort(byTime)].sort(byTime),
  }),
});

/**
 * What goes in one currency and comes in another cancels at their rate; the fee is a
 * cost.
 */
function conversionOf(cells: Cells, { style }: File): FlowParts[] {
  const { action, id, from, from_currency, to, to_currency } = cells;
  if (!from || !to || !from_currency || !to_currency) return [];

  const paid = Math.abs(sumIn([from], style));
  const got = Math.abs(sumIn([to], style));
  if (paid === 0 || got === 0) return [];

  const part = (name: string, amount: number, currency: string): FlowParts => ({
    id: id?.text ? `${id.text}-${name}` : null,
    amount,
    currency,
    description: action.text,
  });
  const [source, target] = [currencyIn(from_currency), currencyIn(to_currency)];
  const costs = amountsIn(cells, 'costs', style).map((cost, index) => ({
    ...part(`fee${index || ''}`, 0 - Math.abs(cost.amount), cost.currency ?? source),
    kind: 'fee' as const,
  }));

  return [
    { ...part('from', 0 - paid, source), rate: { base: target, value: got / paid } },
    { ...part('to', got, target), rate: { base: source, value: paid / got } },
    ...costs,
  ];
}

/** Facts of all orders of a file. */
interface Facts {
  /**
   * Whether the rate is units of the price's currency per unit of the account's, as in
   * most files.
   */
  isRatePerBase: boolean;
  /** Ids in several rows: orders with several fills. */
  idsTwice: ReadonlySet<string>;
}

function factsOf(file: File): Facts {
  const orders = file.rows().filter(({ action }) => ORDER.test(action.text));
  const counts = Map.groupBy(orders, ({ id }) => id?.text ?? '');
  const idsTwice = new Set(
    [...counts].filter(([id, rows]) => id !== '' && rows.length > 1).map(([id]) => id),
  );
  return { idsTwice, isRatePerBase: isRatePerBase(orders, file) };
}

/**
 * Files state the rate in either direction: the one that fits the totals of all orders is
 * used.
 */
function isRatePerBase(orders: readonly Cells[], { style }: File): boolean {
  let perBase = 0;
  let perUnit = 0;
  for (const cells of orders) {
    const rate =
      cells.rate && !NO_RATE.test(cells.rate.text) ? sumIn([cells.rate], style) : 0;
    const paid = amountsIn(cells, 'total', style)[0]?.amount ?? 0;
    const amount = sumIn([cells.units], style) * sumIn([cells.paid], style);
    if (!(rate > 0 && paid > 0 && amount > 0)) continue;
    perBase += Math.min(1, Math.abs(Math.log(amount / rate / paid)));
    perUnit += Math.min(1, Math.abs(Math.log((amount * rate) / paid)));
  }

  return perBase <= perUnit;
}

function orderOf(cells: Cells, file: File): Partial<FileFill> {
  const { style } = file;
  const { currency, scale } = unitOfPrice(cells.currency);
  const { idsTwice } = file.once(factsOf);
  const id = cells.id?.text ?? '';
  const base = amountsIn(cells, 'total', style)[0]?.currency ?? null;
  const rate = rateIn(cells, scale, file);
  const result =
    cells.result && orNothing(cells.result, (filled) => numberIn(filled, style));
  const costs = amountsIn(cells, 'costs', style).map((cost) => {
    return { amount: Math.abs(cost.amount), currency: cost.currency ?? base ?? currency };
  });

  return {
    executionId: id === '' || idsTwice.has(id) ? null : id,
    side: /buy$/i.test(cells.action.text) ? 'buy' : 'sell',
    quantity: positiveIn(cells.units, style),
    price: roundMoney(numberIn(cells.paid, style) * scale),
    ...costsOf(costs, { currency, base, rate, line: cells.action.line }),
    rate:
      base === null || base === currency || rate === null ? null : { base, value: rate },
    // A result in the account's currency includes changes of the exchange rate.
    stated: result && cells.result_currency?.text === currency ? { net: result } : null,
  };
}

/** The rate from the price's currency to the account's. */
function rateIn({ rate }: Cells, scale: number, file: File): number | null {
  if (!rate || NO_RATE.test(rate.text)) return null;
  const stated = orNothing(rate, (cell) => positiveIn(cell, file.style));
  if (stated === null) return null;
  const perUnit = (file.once(factsOf).isRatePerBase ? 1 / stated : stated) / scale;
  return Number(perUnit.toPrecision(12));
}

/** A split closes the old shares and opens the new ones at the same time. */
function splitOf(
  { action, ticker, executed_at: time, units }: Cells,
  file: File,
): Partial<FileFill> {
  const closed = file
    .rows()
    .find(
      (row) =>
        /^stock split close$/i.test(row.action.text) &&
        row.ticker.text === ticker.text &&
        row.executed_at.text.slice(0, 10) === time.text.slice(0, 10),
    );
  if (!closed) {
    const problem = `no "Stock split close" for ${quote(ticker.text)}; export the whole day`;
    throw new RowError(action.column, problem, action.line);
  }

  const quantity = positiveIn(units, file.style) / positiveIn(closed.units, file.style);

  return { kind: 'split', side: null, quantity, price: 0 };
}

/**
 * Later trades of added or removed shares are unsure, in the currencies of the row and of
 * the file's orders.
 */
function movesOf(fills: readonly FileFill[], file: File): FileFill[] {
  const moves = file
    .rows()
    .filter(({ action: { text } }) => MOVE.test(text) && !SPLIT.test(text));
  return moves.flatMap(({ ticker, executed_at: time, currency }) => {
    const ofTicker = fills.filter(({ instrument }) => instrument.symbol === ticker.text);
    const currencies = new Set(ofTicker.map(({ instrument }) => instrument.currency));
    if (/^([A-Z]{3}|GBp)$/.test(currency.text))
      currencies.add(unitOfPrice(currency).currency);
    const executedAt = file.instantIn(time);

    return [...currencies].map((name) => {
      const instrument = stock(ticker.text, name);
      return unclear(
        fill({
          line: ticker.line,
          instrument,
          executedAt,
          side: null,
          quantity: null,
          price: 0,
        }),
      );
    });
  });
}
