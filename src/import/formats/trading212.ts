/**
 * Trading 212's history: orders among dividends, interest and transfers; prices in one currency, totals in another. It may have
 * any number of cost columns, with a currency in the name or the next column. In code because a declaration names each column.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, oldestFirst, reading, skip, unclear } from '../fills/reading.ts';
import { type Cell, cellError, columnsOf, currencyIn, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvRow, readCsv } from '../parse/csv-rows.ts';
import { stock } from '../parse/instruments.ts';
import { type NumberStyle, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, type DateOrder, dateOrderOf, decimalOf, instantIn } from '../parse/times.ts';
import { type Format, movedNote } from '../table/format.ts';

const REQUIRED = {
  action: 'Action',
  time: ['Time', 'Time (UTC)'],
  ticker: 'Ticker',
  quantity: 'No. of shares',
  price: 'Price / share',
  currency: 'Currency (Price / share)',
};

const OPTIONAL = {
  isin: 'ISIN',
  rate: 'Exchange rate',
  result: 'Result',
  resultCurrency: 'Currency (Result)',
  id: 'ID',
};

type Cells = Record<keyof typeof REQUIRED, Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;

/** An amount, with its currency from a separate column or, in older files, from its name: Total (EUR). */
interface AmountColumn {
  index: number;
  currency: string | { index: number };
}

interface Table {
  header: CsvRow;
  zone: string;
  /** Order of dates, also after a spreadsheet has reformatted them. */
  order: DateOrder;
  style: NumberStyle;
  total: AmountColumn | undefined;
  costs: AmountColumn[];
  /** Whether the rate is units of the price's currency per unit of the account's, as in most files. */
  isRatePerBase: boolean;
  idsTwice: ReadonlySet<string>;
}

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

export const trading212: Format = {
  name: 'trading212',
  description: 'Trading 212: History > Export, with orders (CSV)',
  evidence: 'samples',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['Action', 'No. of shares', 'Price / share', 'Currency (Price / share)'].every((name) =>
      header.includes(name),
    );
  },
  read(text, context) {
    const { zone: assumed, note } = assumedZone(context);
    const { header, rows } = readCsv(text);
    const cellsOf = columnsOf(header, REQUIRED, OPTIONAL);
    const isUtc = header.cells.includes('Time (UTC)');
    const zone = isUtc ? 'UTC' : assumed;
    const orders: { row: CsvRow; cells: Cells }[] = [];
    const splits: Cells[] = [];
    const moves: Cells[] = [];
    const skipped = new Map<string, number>();
    for (const row of rows) {
      const cells = cellsOf(row);
      const { text: action } = cells.action;
      if (ORDER.test(action)) orders.push({ row, cells });
      else if (SPLIT.test(action)) splits.push(cells);
      else if (MOVE.test(action)) {
        skip(skipped, action.toLowerCase());
        moves.push(cells);
      } else if (NO_FILL.test(action) || (orNothing(cells.quantity, numberIn) ?? 0) === 0) {
        skip(skipped, action.toLowerCase() || 'row without an action');
      } else {
        const known =
          'an order, such as Market buy or Limit sell, a dividend, interest, deposit, withdrawal or conversion';
        throw cellError(cells.action, `must be ${known}`);
      }
    }
    const total = amountColumn(header, /^total(?: \(([A-Z]{3})\))?$/i);
    const trades = [...orders.map(({ cells }) => cells), ...splits, ...moves];
    const table: Table = {
      header,
      zone,
      order: dateOrderOf(trades.map(({ time }) => time.text)),
      style: { decimal: decimalOf(trades.flatMap(({ price, quantity }) => [price.text, quantity.text])) },
      total,
      costs: header.cells.flatMap((_, index) => amountColumn(header, COST, index) ?? []),
      isRatePerBase: true,
      idsTwice: twiceIn(orders.map(({ cells }) => cells.id?.text ?? '')),
    };
    table.isRatePerBase = isRatePerBase(orders, table);
    const fills = orders.map(({ row, cells }) => fillOf(row, cells, table)).concat(splitsOf(splits, table, skipped));
    const unsure = movesOf(moves, fills, table);
    const hasZone = isUtc || orders.every(({ cells }) => /(Z|[-+]\d\d:?\d\d)$/.test(cells.time.text));
    const notes = hasZone ? [] : [note];
    const moved = moves.map(({ ticker }) => `${ticker.text} on line ${ticker.line}`);
    if (moved.length > 0) notes.push(movedNote(moved));
    return reading({ rows: rows.length, fills: [...unsure, ...inOrder(fills)].sort(byTime), skipped, notes });
  },
};

function amountColumn({ cells }: CsvRow, pattern: RegExp, at?: number): AmountColumn | undefined {
  const index = at ?? cells.findIndex((name) => pattern.test(name));
  const name = cells[index] ?? '';
  const parts = pattern.exec(name);
  if (!parts) return undefined;
  const named = parts.at(-1);
  if (named !== undefined && /^[A-Z]{3}$/.test(named) && name.endsWith(')')) return { index, currency: named };
  const next = cells.findIndex((other) => other.toLowerCase() === `currency (${name.toLowerCase()})`);
  return { index, currency: { index: next } };
}

function amountIn(
  { cells, line }: CsvRow,
  header: CsvRow,
  column: AmountColumn,
  style: NumberStyle,
): { amount: number; currency: string | null } | null {
  const cell = { text: (cells[column.index] ?? '').trim(), column: header.cells[column.index] as string, line };
  const amount = orNothing(cell, (own) => numberIn(own, style));
  const { currency } = column;
  if (amount === null) return null;
  const own = typeof currency === 'string' ? currency : (cells[currency.index] ?? '').trim();
  return { amount, currency: own === '' ? null : own };
}

/** Files state the rate in either direction: the one that fits the totals of all orders is used. */
function isRatePerBase(orders: readonly { row: CsvRow; cells: Cells }[], { total, header, style }: Table): boolean {
  let perBase = 0;
  let perUnit = 0;
  for (const { row, cells } of orders) {
    const numberOf = (cell: Cell) => orNothing(cell, (own) => numberIn(own, style)) ?? 0;
    const rate = cells.rate && !NO_RATE.test(cells.rate.text) ? numberOf(cells.rate) : 0;
    const paid = (total && amountIn(row, header, total, style)?.amount) ?? 0;
    const amount = numberOf(cells.quantity) * numberOf(cells.price);
    if (!(rate > 0 && paid > 0 && amount > 0)) continue;
    perBase += Math.min(1, Math.abs(Math.log(amount / rate / paid)));
    perUnit += Math.min(1, Math.abs(Math.log((amount * rate) / paid)));
  }
  return perBase <= perUnit;
}

/** Ids in several rows: orders with several fills. */
function twiceIn(ids: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const id of ids) if (id !== '' && seen.size === seen.add(id).size) twice.add(id);
  return twice;
}

function fillOf(row: CsvRow, cells: Cells, table: Table): FileFill {
  refuseEmpty(cells.time, cells.ticker, cells.quantity, cells.price, cells.currency);
  const { currency, scale } = scaledCurrencyIn(cells.currency);
  const id = cells.id?.text ?? '';
  const { style } = table;
  const total = table.total && amountIn(row, table.header, table.total, style);
  const rate = rateOf(cells, table, scale);
  const base = total?.currency ?? null;
  const result = cells.result && orNothing(cells.result, (own) => numberIn(own, style));
  const isOwn = cells.resultCurrency?.text === currency;
  return fill({
    line: row.line,
    executionId: id === '' || table.idsTwice.has(id) ? null : id,
    instrument: stock(cells.ticker.text, currency),
    executedAt: instantIn(cells.time, table.order, table.zone),
    side: /buy$/i.test(cells.action.text) ? 'buy' : 'sell',
    quantity: positiveIn(cells.quantity, style),
    price: roundMoney(numberIn(cells.price, style) * scale),
    ...feesOf(row, table, { currency, base, rate }),
    rate: base === null || base === currency || rate === null ? null : { base, value: rate },
    // A result in the account's currency includes changes of the exchange rate.
    stated: result && isOwn ? { net: result } : null,
  });
}

/** GBX is pence: a hundredth of a pound. */
function scaledCurrencyIn(cell: Cell): { currency: string; scale: number } {
  if (cell.text === 'GBX' || cell.text === 'GBp') return { currency: 'GBP', scale: 0.01 };
  return { currency: currencyIn(cell), scale: 1 };
}

/** Exchange rate from the price's currency to the account's. */
function rateOf({ rate }: Cells, { isRatePerBase, style }: Table, scale: number): number | null {
  if (!rate || NO_RATE.test(rate.text)) return null;
  const stated = orNothing(rate, (own) => positiveIn(own, style));
  if (stated === null) return null;
  return Number(((isRatePerBase ? 1 / stated : stated) / scale).toPrecision(12));
}

function feesOf(
  row: CsvRow,
  table: Table,
  { currency, base, rate }: { currency: string; base: string | null; rate: number | null },
): Pick<FileFill, 'fees' | 'otherFee'> {
  let fees = 0;
  const others = new Map<string, number>();
  for (const column of table.costs) {
    const cost = amountIn(row, table.header, column, table.style);
    if (!cost || cost.amount === 0) continue;
    const own = cost.currency ?? base ?? currency;
    const amount = Math.abs(cost.amount);
    if (own === currency) fees += amount;
    else if (own === base && rate !== null) fees += amount / rate;
    else others.set(own, (others.get(own) ?? 0) + amount);
  }
  const [other, second] = others;
  if (second) throw new RowError(null, `no exchange rate for fees in ${[...others.keys()].join(' and ')}`, row.line);
  return { fees: roundMoney(fees), otherFee: other ? { currency: other[0], amount: roundMoney(other[1]) } : null };
}

/** A split closes the old shares and opens the new ones at the same time. */
function splitsOf(rows: readonly Cells[], { zone, order, style }: Table, skipped: Map<string, number>): FileFill[] {
  const fills: FileFill[] = [];
  for (const own of rows) {
    if (!/open$/i.test(own.action.text)) continue;
    const closed = rows.find(
      ({ action, ticker, time }) =>
        /close$/i.test(action.text) &&
        ticker.text === own.ticker.text &&
        time.text.slice(0, 10) === own.time.text.slice(0, 10),
    );
    if (!closed) {
      throw new RowError(
        own.action.column,
        `no "Stock split close" for ${quote(own.ticker.text)}; export the whole day`,
        own.action.line,
      );
    }
    fills.push(
      fill({
        line: own.action.line,
        kind: 'split',
        instrument: stock(own.ticker.text, scaledCurrencyIn(own.currency).currency),
        executedAt: instantIn(own.time, order, zone),
        side: null,
        quantity: positiveIn(own.quantity, style) / positiveIn(closed.quantity, style),
        price: 0,
      }),
    );
    skip(skipped, 'stock split close');
  }
  return fills;
}

/** Later trades of added or removed shares are unsure, in the currencies of the row and of the file's orders. */
function movesOf(moves: readonly Cells[], fills: readonly FileFill[], { zone, order }: Table): FileFill[] {
  return moves.flatMap(({ ticker, time, currency }) => {
    const own = fills.filter(({ instrument }) => instrument.symbol === ticker.text);
    const currencies = new Set(own.map(({ instrument }) => instrument.currency));
    if (/^([A-Z]{3}|GBp)$/.test(currency.text)) currencies.add(scaledCurrencyIn(currency).currency);
    return [...currencies].map((name) =>
      unclear(
        fill({
          line: ticker.line,
          instrument: stock(ticker.text, name),
          executedAt: instantIn(time, order, zone),
          side: null,
          quantity: null,
          price: 0,
        }),
      ),
    );
  });
}

function inOrder(fills: readonly FileFill[]): FileFill[] {
  return oldestFirst(fills).sort(byTime);
}
