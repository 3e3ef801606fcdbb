/** Binance's trade histories: USDT futures with the P&L of each fill, and spot with the coins behind the amounts. */
import { RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, oldestFirst, reading } from '../fills/reading.ts';
import { type Cell, columnsOf, joined, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvTable, readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/local-style.ts';
import { amountIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { quoteOf } from '../parse/pairs.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { sideIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const FUTURES = {
  symbol: 'Symbol',
  side: 'Side',
  price: 'Price',
  quantity: 'Quantity',
  fee: 'Fee',
  profit: 'Realized Profit',
};
const FUTURES_TOO = { account: 'Uid', id: 'Trade ID', feeCoin: 'Fee Coin' };

const SPOT = { pair: ['Pair', 'Market', 'Symbol'], side: ['Side', 'Type'], price: 'Price', fee: 'Fee' };
/** Today's has the coins behind the amounts; the older one, in columns of their own. */
const SPOT_TOO = { executed: 'Executed', amount: 'Amount', total: 'Total', feeCoin: 'Fee Coin' };

export const binance: Format = {
  name: 'binance',
  description: 'Binance: USD-M Futures > Trade History, exported as CSV',
  evidence: 'real files',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike: (start) => hasColumns(start, ['Symbol', 'Side', 'Quantity', 'Realized Profit', 'Fee']),
  read(text, context) {
    const { header, rows } = readFilledCsv(text);
    const clock = clockOf(context, { header, rows });
    const cellsOf = columnsOf(header, { ...FUTURES, time: clock.column }, FUTURES_TOO);
    const fills = rows.map((row) => {
      const { account, id, feeCoin, fee, ...cells } = cellsOf(row);
      refuseEmpty(...Object.values(cells));
      const currency = quoteOf({ ...cells.symbol, text: cells.symbol.text.replace(/_(\d{6}|PERP)$/, '') });
      if (currency === 'USD') {
        throw new RowError(
          cells.symbol.column,
          'is of a contract settled in coins, which this format does not read',
          row.line,
        );
      }
      return fill({
        line: row.line,
        executionId: id?.text || null,
        account: account?.text || null,
        instrument: coins(cells.symbol.text, currency),
        executedAt: clock.instantIn(cells.time),
        side: sideIn(cells.side),
        quantity: positiveIn(cells.quantity),
        price: numberIn(cells.price),
        ...feesOf(fee, feeCoin, { currency }),
        mayShort: true,
        stated: { gross: numberIn(cells.profit) },
      });
    });
    return reading({ fills: oldestFirst(fills), notes: clock.notes });
  },
};

export const binanceSpot: Format = {
  name: 'binance-spot',
  description: 'Binance: Spot > Trade History, exported as CSV',
  evidence: 'samples',
  platform: 'binance-spot',
  mayStateOrders: true,
  holds: 'trades',
  looksLike: (start) =>
    hasColumns(start, ['Price', 'Executed', 'Amount', 'Fee', 'Side']) ||
    hasColumns(start, ['Market', 'Type', 'Price', 'Amount', 'Total', 'Fee Coin']),
  read(text, context) {
    const { header, rows } = readFilledCsv(text);
    const clock = clockOf(context, { header, rows });
    const cellsOf = columnsOf(header, { ...SPOT, time: clock.column }, SPOT_TOO);
    const fills = rows.map((row) => {
      const { executed, amount, total, feeCoin, fee, ...cells } = cellsOf(row);
      refuseEmpty(...Object.values(cells));
      const quantity = executed ?? amount;
      if (!quantity) throw RowError.missing(['Executed'], header.line);
      const currency = executed && amount ? amountIn(amount).currency : quoteOf(cells.pair);
      const coin = cells.pair.text.slice(0, -currency.length).replace(/[/_-]$/, '');
      const bought = executed ? amountIn(executed, {}, [coin]) : undefined;
      return fill({
        line: row.line,
        instrument: coins(cells.pair.text, currency),
        executedAt: clock.instantIn(cells.time),
        side: sideIn(cells.side),
        quantity: bought?.amount ?? positiveIn(quantity),
        price: numberIn(cells.price),
        ...feesOf(fee, feeCoin, { currency, coin }),
      });
    });
    return reading({ fills: oldestFirst(fills), notes: clock.notes });
  },
};

export function hasColumns(start: string, names: readonly string[]): boolean {
  const header = start
    .split('\n', 1)
    .join()
    .split(/[,;\t]/)
    .map((name) => name.replaceAll(/^[\s"\ufeff]+|[\s"]+$/g, ''));
  return names.every((name) => header.includes(name));
}

const OFFSET = /\(UTC(?:-?([-+])(\d{1,2})(?::?(\d\d))?)?\)/;

/** The zone is in the header, as Date(UTC) or Date(UTC+2), or in the file's name (UTC+6, UTC--6), else nowhere. */
export function clockOf(
  context: Parameters<Format['read']>[1],
  { header, rows }: CsvTable,
): { column: string; instantIn: (cell: Cell) => string; notes: string[] } {
  const names = header.cells;
  const column = names.find((name) => /^(Date|Time|UTC_Time|Czas)( ?\(|$)/i.test(name)) ?? 'Date(UTC)';
  const at = names.lastIndexOf(column);
  const { order, notes } = rewrittenOrder(
    rows.map(({ cells, line }) => ({ text: (cells[at] ?? '').trim(), column, line })),
  );
  const inHeader = /^UTC_/.test(column) ? ['', '+', '00'] : OFFSET.exec(column);
  const parts = inHeader ?? OFFSET.exec(context.fileName);
  if (!parts) {
    const { zone, note } = assumedZone(context);
    return { column, instantIn: (cell) => instantIn(wholeYear(cell), order, zone), notes: [note, ...notes] };
  }
  const [, sign = '+', hours = '00', minutes = '00'] = parts;
  const offset = `${sign}${hours.padStart(2, '0')}:${minutes}`;
  return {
    column,
    instantIn: (cell) => instantIn(joined(wholeYear(cell), { ...cell, text: offset }), order, 'UTC'),
    notes: inHeader ? notes : [`times are in UTC${offset}, as the file's name says`, ...notes],
  };
}

/** 26-11-02 12:00:00: some versions leave the century out. */
function wholeYear(cell: Cell): Cell {
  return { ...cell, text: cell.text.replace(/^(\d\d-\d\d-\d\d )/, '20$1') };
}

/** A fee has its coin behind it, or in a column of its own. */
function feesOf(
  fee: Cell,
  feeCoin: Cell | undefined,
  { currency, coin }: { currency: string; coin?: string },
): Partial<FileFill> {
  const paid = feeCoin
    ? { amount: orNothing(fee, numberIn) ?? 0, currency: feeCoin.text }
    : orNothing(fee, (cell) =>
        /[A-Z]/.test(cell.text) ? amountIn(cell, {}, coin ? [coin] : []) : { amount: numberIn(cell), currency },
      );
  if (!paid || paid.amount === 0) return {};
  if (paid.currency === currency) return { fees: paid.amount };
  return paid.currency === coin ? { feeQuantity: paid.amount } : { otherFee: paid };
}
