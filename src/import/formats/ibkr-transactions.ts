/**
 * Interactive Brokers' Transaction History: fills and cash with days only. Prices are in the currency they were paid in, amounts
 * and commissions in that of the account.
 */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { contractSize, futureOf } from '../fills/contract-sizes.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvRow, csvRows } from '../parse/csv-rows.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, DAYS_ONLY, dayStartIn } from '../parse/times.ts';
import { type FileFill, type Format, fill, type Instrument, movedNote, oldestFirst, reading, skip } from './format.ts';
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
    for (const cells of transactionsOf(rows)) {
      const { text: type, line } = cells.type;
      const meaning = Object.entries(TYPES).find(([word]) => word.toLowerCase() === type.toLowerCase())?.[1];
      if (meaning) fills.push(fillOf(cells, meaning, { base, zone }));
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

function fillOf(cells: Cells, meaning: Meaning, { base, zone }: { base: string | null; zone: string }): FileFill {
  const { symbol, quantity } = cells;
  refuseEmpty(cells.date, symbol, quantity);
  const units = positiveIn({ ...quantity, text: quantity.text.replace(/^-/, '') });
  const price = orNothing(cells.price, numberIn) ?? 0;
  const gross = Math.abs(orNothing(cells.gross, numberIn) ?? 0);
  const currency = (cells.currency && orNothing(cells.currency, ({ text }) => text)) ?? base;
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) {
    throw new RowError('Price Currency', `must be a currency; got ${quote(cells.currency?.text ?? '')}`, symbol.line);
  }
  const told = currency === base && price !== 0 && gross !== 0 ? gross / (units * price) : null;
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

/** @param told money per point and unit, where price and amount are in one currency */
function instrumentIn({ symbol, multiplier }: Cells, currency: string, told: number | null): Instrument {
  const stated = (multiplier && orNothing(multiplier, positiveIn)) ?? null;
  if (/(\d{6}[CP]\d{8}| [CP])$/.test(symbol.text)) return optionIn(symbol, { currency, multiplier: stated ?? 100 });
  const root = futureOf(symbol.text)?.root;
  const size = root === undefined || root === symbol.text ? undefined : contractSize(root);
  if (size) return instrumentOf(symbol.text, 'future', { currency, multiplier: stated ?? size.multiplier });
  if (told === null || Math.abs(told - 1) <= 0.01)
    return instrumentOf(symbol.text, 'stock', { currency, multiplier: 1 });
  // Bonds are quoted in percent.
  if (Math.abs(told - 0.01) <= 0.0001) return instrumentOf(symbol.text, 'other', { currency, multiplier: 0.01 });
  throw new RowError(
    symbol.column,
    `${quote(symbol.text)}: the amount is not the quantity times the price`,
    symbol.line,
  );
}
