/**
 * Interactive Brokers' Transaction History: fills and cash with days only. Prices are in the currency they were paid in, amounts
 * and commissions in that of the account.
 */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { contractSize, futureOf } from '../parse/contract-sizes.ts';
import { type CsvRow, csvRows } from '../parse/csv-rows.ts';
import type { Instrument } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, DAYS_ONLY, dayStartIn } from '../parse/times.ts';
import { type Format, movedNote } from './format.ts';
import { instrumentOf, optionIn, PLATFORM } from './ibkr.ts';

const SECTION = 'Transaction History';

const REQUIRED = {
  date: 'Date',
  type: 'Transaction Type',
  symbol: 'Symbol',
  quantity: 'Quantity',
  price: 'Price',
  gross: 'Gross Amount',
  commission: 'Commission',
};

const OPTIONAL = {
  account: 'Account',
  description: 'Description',
  currency: 'Price Currency',
  multiplier: 'Multiplier',
  rate: 'Exchange Rate',
  otherFees: 'Transaction Fees',
};

type Cells = Record<keyof typeof REQUIRED, Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;
type Meaning = Pick<FileFill, 'kind' | 'effect'> & { side: FileFill['side'] };

const TYPES: Readonly<Record<string, Meaning>> = {
  Buy: { kind: 'trade', side: 'buy', effect: null },
  Sell: { kind: 'trade', side: 'sell', effect: null },
  Assignment: { kind: 'assignment', side: null, effect: 'close' },
  Exercise: { kind: 'exercise', side: null, effect: 'close' },
  Expiration: { kind: 'expiration', side: null, effect: 'close' },
};

/** What moves no position, or says of one that was traded what it is in the account's currency. */
const NO_FILL =
  /^(forex trade component|dividend|payment in lieu|foreign tax|withholding tax|other fee|fee|commission adjustment|deposit|withdrawal|(credit|debit|broker|investment) interest|adjustment|sales tax|transaction tax)/i;

/** Shares that come or go without a price. */
const MOVE = /^(corporate action|transfer|stock |grant|cash transfer|internal transfer|position transfer)/i;

export const ibkrTransactions: Format = {
  name: 'ibkr-transactions',
  description: 'Interactive Brokers: Transaction History, downloaded as CSV: days only, and no shorts told from sales',
  evidence: 'samples',
  platform: PLATFORM,
  mayStateOrders: true,
  holds: 'trades',
  looksLike: isTransactionHistory,
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const rows = csvRows(text).map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }));
    const base = rows.find(({ cells }) => cells[0] === 'Summary' && cells[2] === 'Base Currency')?.cells[3] ?? null;
    const skipped = new Map<string, number>();
    const moved: string[] = [];
    const fills: FileFill[] = [];
    const all = transactionsOf(rows);
    const account: Account = { base, zone, rates: usualRates(all, base) };
    for (const cells of all) {
      const { text: type, line } = cells.type;
      const meaning = Object.entries(TYPES).find(([word]) => word.toLowerCase() === type.toLowerCase())?.[1];
      if (meaning) fills.push(fillOf(cells, meaning, account));
      else if (NO_FILL.test(type) || orNothing(cells.quantity, numberIn) === null) skip(skipped, type.toLowerCase());
      else if (MOVE.test(type)) {
        skip(skipped, type.toLowerCase());
        moved.push(`${cells.symbol.text} on line ${line}`);
      } else {
        const known = Object.keys(TYPES).join(', ');
        throw new RowError(cells.type.column, `must be one of ${known}, or have no quantity; got ${quote(type)}`, line);
      }
    }
    const notes = [note, DAYS_ONLY, ...(moved.length > 0 ? [movedNote(moved)] : [])];
    return reading({ fills: oldestFirst(fills), skipped, notes });
  },
};

/** @param start the beginning of a file */
export function isTransactionHistory(start: string): boolean {
  return /^Transaction History,Header,/m.test(start.replace(/"/g, '').replace(/[;\t]/g, ','));
}

function transactionsOf(rows: readonly CsvRow[]): Cells[] {
  const own = rows.filter(({ cells }) => cells[0] === SECTION);
  const at = own.findIndex(({ cells }) => cells[1] === 'Header');
  const header = own[at];
  if (!header) throw new RowError(null, 'has no header of its transactions', own[0]?.line);
  const cellsOf = columnsOf(header, REQUIRED, OPTIONAL);
  return own.filter(({ cells }, index) => index > at && cells[1] === 'Data').map(cellsOf);
}

interface Account {
  base: string | null;
  zone: string;
  /** What a unit of each currency is in the base currency, for most of the file's fills. */
  rates: ReadonlyMap<string, number>;
}

/** Where no column has the rate, amount and price of shares tell it: it is the median, since bonds are quoted in percent. */
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

/** The cell that names an option, in the broker's words or in those of the exchanges. */
function optionCell({ symbol, description }: Pick<Cells, 'symbol' | 'description'>): Cell | undefined {
  if (/ \d\d[A-Z]{3}\d\d [\d.]+ [CP]$/.test(description?.text ?? '')) return description;
  return /(\d{6}[CP]\d{8}| [CP]$)/.test(symbol.text) ? symbol : undefined;
}

function fillOf(cells: Cells, meaning: Meaning, { base, zone, rates }: Account): FileFill {
  const { symbol, quantity } = cells;
  refuseEmpty(cells.date, symbol, quantity);
  const units = positiveIn({ ...quantity, text: quantity.text.replace(/^-/, '') });
  const price = orNothing(cells.price, numberIn) ?? 0;
  const gross = Math.abs(orNothing(cells.gross, numberIn) ?? 0);
  const currency = (cells.currency && orNothing(cells.currency, ({ text }) => text)) ?? base;
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) {
    throw new RowError('Price Currency', `must be a currency; got ${quote(cells.currency?.text ?? '')}`, symbol.line);
  }
  const stated = (cells.rate && orNothing(cells.rate, positiveIn)) ?? null;
  const usual = currency === base ? 1 : (stated ?? rates.get(currency));
  const told = usual !== undefined && price !== 0 && gross !== 0 ? gross / (units * price * usual) : null;
  const instrument = instrumentIn(cells, currency, told);
  const value = units * price * (instrument.multiplier ?? 0);
  const rate = base !== null && base !== currency && value > 0 && gross > 0 ? gross / value : null;
  const cost = (cell: Cell | undefined) => (cell && orNothing(cell, numberIn)) ?? 0;
  const fee = 0 - roundMoney(cost(cells.commission) + cost(cells.otherFees));
  const isOther = base !== null && base !== currency;
  return fill({
    ...meaning,
    line: symbol.line,
    account: cells.account?.text || null,
    instrument,
    executedAt: dayStartIn(cells.date, 'ymd', zone),
    quantity: units,
    price,
    mayShort: instrument.market !== 'stock',
    fees: !isOther ? fee : rate === null ? 0 : roundMoney(fee / rate),
    otherFee: isOther && rate === null && fee !== 0 ? { amount: fee, currency: base } : null,
    rate: rate === null || base === null ? null : { base, value: Number(rate.toPrecision(8)) },
  });
}

/** @param told money per point and unit, as amount, price and rate tell it */
function instrumentIn(cells: Cells, currency: string, told: number | null): Instrument {
  const { symbol, multiplier } = cells;
  const stated = (multiplier && orNothing(multiplier, positiveIn)) ?? null;
  const option = optionCell(cells);
  if (option) return optionIn(option, { currency, multiplier: stated ?? (told === null ? 100 : Math.round(told)) });
  const root = futureOf(symbol.text)?.root;
  const size = root === undefined || root === symbol.text ? undefined : contractSize(root);
  if (size) return instrumentOf(symbol.text, 'future', { currency, multiplier: stated ?? size.multiplier });
  // Rates of other days are near that of this one.
  const isNear = (multiplier: number) => told !== null && Math.abs(Math.log(told / multiplier)) < 0.4;
  if (told === null || isNear(1)) return instrumentOf(symbol.text, 'stock', { currency, multiplier: 1 });
  // Bonds are quoted in percent.
  if (isNear(0.01)) return instrumentOf(symbol.text, 'other', { currency, multiplier: 0.01 });
  throw new RowError(
    symbol.column,
    `${quote(symbol.text)}: the amount is not the quantity times the price`,
    symbol.line,
  );
}
