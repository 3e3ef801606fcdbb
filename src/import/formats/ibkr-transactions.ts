/**
 * Interactive Brokers' Transaction History: fills and cash with days only. Prices are in the trade's currency, amounts and
 * commissions in the account's.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst } from '../fills/reading.ts';
import { type Cell, cellError, knownWord, orNothing, wordIn } from '../parse/columns.ts';
import { type CsvTable, csvRows } from '../parse/csv-rows.ts';
import { contractSize, futureOf, type Instrument } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { type Cells as CellsOf, mayBeEmpty, optional, type TableFile } from '../table/declaration.ts';
import { rowsTable } from '../table/rows.ts';
import { named, optionIn, PLATFORM } from './ibkr.ts';

const COLUMNS = {
  executed_at: 'Date',
  type: mayBeEmpty('Transaction Type'),
  symbol: 'Symbol',
  quantity: 'Quantity',
  price: mayBeEmpty('Price'),
  gross: mayBeEmpty('Gross Amount'),
  commission: mayBeEmpty('Commission'),
  account: optional('Account'),
  description: optional('Description'),
  currency: optional('Price Currency'),
  multiplier: optional('Multiplier'),
  rate: optional('Exchange Rate'),
  otherFees: optional('Transaction Fees'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;
type Meaning = Pick<FileFill, 'kind' | 'effect'> & { side: FileFill['side'] };

const TYPES: Readonly<Record<string, Meaning>> = {
  Buy: { kind: 'trade', side: 'buy', effect: null },
  Sell: { kind: 'trade', side: 'sell', effect: null },
  Assignment: { kind: 'assignment', side: null, effect: 'close' },
  Exercise: { kind: 'exercise', side: null, effect: 'close' },
  Expiration: { kind: 'expiration', side: null, effect: 'close' },
};

/** Rows that don't change a position, or only state a trade in the account's currency. */
const NO_FILL =
  /^(forex trade component|dividend|payment in lieu|foreign tax|withholding tax|other fee|fee|commission adjustment|deposit|withdrawal|(credit|debit|broker|investment) interest|adjustment|sales tax|transaction tax)/i;

/** Rows that add or remove shares without a price. */
const MOVE = /^(corporate action|transfer|stock |grant|cash transfer|internal transfer|position transfer)/i;

export const ibkrTransactions = rowsTable({
  name: 'ibkr-transactions',
  description: 'Interactive Brokers: Transaction History, downloaded as CSV: days only, shorts look like sales',
  evidence: 'samples',
  platform: PLATFORM,
  mayStateOrders: true,
  marks: ['Transaction Type', 'Symbol', 'Price Currency', 'Gross Amount'],
  looksLike: isTransactionHistory,
  table: transactionsIn,
  columns: COLUMNS,
  dates: 'ymd',
  daysOnly: true,
  skip({ type, quantity, symbol }, file) {
    if (knownWord(type, TYPES)) return undefined;
    if (NO_FILL.test(type.text) || orNothing(quantity, numberIn) === null) return type.text.toLowerCase();
    if (!MOVE.test(type.text)) {
      throw cellError(type, `must be one of ${Object.keys(TYPES).join(', ')}, or have no quantity`);
    }
    file.moved(symbol);
    return type.text.toLowerCase();
  },
  end(rows, file) {
    const base = baseIn(file.text);
    const rates = usualRates(rows, base);
    return { fills: oldestFirst(rows.map((cells) => fillOf(cells, { base, rates, file }))) };
  },
});

/** @param start the beginning of a file */
export function isTransactionHistory(start: string): boolean {
  return /^Transaction History,Header,/m.test(start.replace(/"/g, '').replace(/[;\t]/g, ','));
}

function baseIn(text: string): string | null {
  const named = csvRows(text).find(({ cells: [section, , name] }) => section === 'Summary' && name === 'Base Currency');
  return named?.cells[3]?.trim() ?? null;
}

/** The lines of the section, below its header. */
function transactionsIn(text: string): CsvTable {
  const own = csvRows(text)
    .map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells[0] === 'Transaction History');
  const at = own.findIndex(({ cells }) => cells[1] === 'Header');
  const header = own[at];
  if (!header) throw new RowError(null, 'has no header of transactions', own[0]?.line);
  return { header, rows: own.filter(({ cells }, index) => index > at && cells[1] === 'Data') };
}

interface Account {
  file: TableFile;
  base: string | null;
  /** Usual exchange rate of each currency to the base currency in this file. */
  rates: ReadonlyMap<string, number>;
}

/** If no column has the rate: the median of amount / price over all rows, since bonds are quoted in percent. */
function usualRates(all: readonly Cells[], base: string | null): Map<string, number> {
  const found = new Map<string, number[]>();
  for (const cells of all) {
    const { type, symbol, quantity, price, gross, currency } = cells;
    if (!/^(buy|sell)$/i.test(type.text) || optionCell(cells) || !currency) continue;
    if (currency.text === base || /[FGHJKMNQUVXZ]\d$/.test(symbol.text)) continue;
    const [units, paid, money] = [quantity, price, gross].map((cell) => Math.abs(orNothing(cell, numberIn) ?? 0));
    if (!units || !paid || !money) continue;
    found.set(currency.text, [...(found.get(currency.text) ?? []), money / (units * paid)]);
  }
  return new Map([...found].map(([own, rates]) => [own, rates.sort((a, b) => a - b)[rates.length >> 1] as number]));
}

/** The cell that names an option, in the broker's or the exchanges' notation. */
function optionCell({ symbol, description }: Pick<Cells, 'symbol' | 'description'>): Cell | undefined {
  if (/ \d\d[A-Z]{3}\d\d [\d.]+ [CP]$/.test(description?.text ?? '')) return description;
  return /(\d{6}[CP]\d{8}| [CP]$)/.test(symbol.text) ? symbol : undefined;
}

function fillOf(cells: Cells, { base, rates, file }: Account): FileFill {
  const { symbol, quantity } = cells;
  const units = positiveIn({ ...quantity, text: quantity.text.replace(/^-/, '') });
  const price = orNothing(cells.price, numberIn) ?? 0;
  const gross = Math.abs(orNothing(cells.gross, numberIn) ?? 0);
  const currency = (cells.currency && orNothing(cells.currency, ({ text }) => text)) ?? base;
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) {
    throw new RowError(
      'Price Currency',
      `must be a currency, such as USD; got ${quote(cells.currency?.text ?? '')}`,
      symbol.line,
    );
  }
  const stated = orNothing(cells.rate, positiveIn) ?? null;
  const usual = currency === base ? 1 : (stated ?? rates.get(currency));
  const derived = usual !== undefined && price !== 0 && gross !== 0 ? gross / (units * price * usual) : null;
  const instrument = instrumentIn(cells, currency, derived);
  const value = units * price * (instrument.multiplier ?? 0);
  const rate = base !== null && base !== currency && value > 0 && gross > 0 ? gross / value : null;
  const cost = (cell: Cell | undefined) => orNothing(cell, numberIn) ?? 0;
  const fee = 0 - roundMoney(cost(cells.commission) + cost(cells.otherFees));
  const isOther = base !== null && base !== currency;
  return fill({
    ...wordIn(cells.type, TYPES),
    line: symbol.line,
    account: cells.account?.text || null,
    instrument,
    executedAt: file.instantIn(cells.executed_at),
    hasTime: false,
    quantity: units,
    price,
    mayShort: instrument.market !== 'stock',
    fees: !isOther ? fee : rate === null ? 0 : roundMoney(fee / rate),
    otherFee: isOther && rate === null && fee !== 0 ? { amount: fee, currency: base } : null,
    rate: rate === null || base === null ? null : { base, value: Number(rate.toPrecision(8)) },
  });
}

/** @param derived money per point and unit, from amount, price and rate */
function instrumentIn(cells: Cells, currency: string, derived: number | null): Instrument {
  const { symbol, multiplier } = cells;
  const stated = orNothing(multiplier, positiveIn) ?? null;
  const option = optionCell(cells);
  if (option)
    return optionIn(option, { currency, multiplier: stated ?? (derived === null ? 100 : Math.round(derived)) });
  const root = futureOf(symbol.text)?.root;
  const size = root === undefined || root === symbol.text ? undefined : contractSize(root);
  if (size) return named(symbol.text, 'future', { currency, multiplier: stated ?? size.multiplier });
  // Rates of other days are close to this day's.
  const isNear = (multiplier: number) => derived !== null && Math.abs(Math.log(derived / multiplier)) < 0.4;
  if (derived === null || isNear(1)) return named(symbol.text, 'stock', { currency, multiplier: 1 });
  // Bonds are quoted in percent.
  if (isNear(0.01)) return named(symbol.text, 'other', { currency, multiplier: 0.01 });
  throw cellError(symbol, 'the amount must be the quantity times the price');
}
