/**
 * Binance's history of spot orders, without fees. An order with several fills is one fill at its average price. Files of the
 * download centre have other column names, and no coins after the amounts.
 */
import { byMeaning, type Cell, orNothing, wordIn } from '../parse/columns.ts';
import { type CsvTable, readFilledCsv } from '../parse/csv-rows.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { amountIn, numberIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { ORDERS } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';
import { hasMarks } from '../table/format.ts';
import { TIME, zoneOf } from './binance.ts';

const STATUSES = byMeaning({
  filled: 'FILLED, Partially Filled',
  cancelled: 'CANCELED, Cancelled',
  expired: 'EXPIRED',
  rejected: 'REJECTED',
  working: 'NEW',
});

const EXECUTED = ['Executed', 'Filled'];
const PRICE = ['Average Price', 'AvgTrading Price'];
const TOTAL = ['Trading total', 'Total'];
const MARKS = ['Pair', 'Side', 'Order Amount', EXECUTED, PRICE, TOTAL, 'Status'];

export const binanceOrders = fillsTable({
  name: 'binance-orders',
  description: 'Binance: Spot > Order History, exported as CSV: filled orders, no fees (Trade History is better)',
  evidence: 'samples',
  platform: 'binance-spot',
  mayStateOrders: true,
  marks: MARKS,
  looksLike: (start) => hasMarks(bare(start), MARKS),
  table: withoutFootnotes,
  columns: {
    execution_id: ['OrderNo', 'Order No.'],
    symbol: 'Pair',
    side: 'Side',
    executed: EXECUTED,
    price: PRICE,
    total: TOTAL,
    status: 'Status',
    executed_at: TIME,
  },
  dates: rewrittenOrder,
  zone: zoneOf,
  skip(cells) {
    const status = wordIn(cells.status, STATUSES);
    return executedIn(cells) ? undefined : `${status} order`;
  },
  instrument: ({ symbol, total }) => coins(symbol.text, quoteIn(symbol, total)),
  row: (cells) => ({ quantity: executedIn(cells) }),
  hasFees: false,
  notes: [ORDERS],
});

/** A column name without footnote marks, as in Executed². */
function bare(name: string): string {
  return name.replace(/[¹²³]/g, '').trim();
}

/** The second of two times is that of the last fill. */
function withoutFootnotes(text: string): CsvTable {
  const { header, rows } = readFilledCsv(text);
  const names = header.cells.map(bare);
  const time = names.find((name) => TIME.like.test(name)) ?? '';
  const last = names.lastIndexOf(time);
  const cells = names.map((name, index) => (name === time && index !== last ? `placed: ${name}` : name));
  return { header: { ...header, cells }, rows };
}

function quoteIn(symbol: Cell, total: Cell): string {
  return /[A-Z]/.test(total.text) ? amountIn(total).currency : quoteOf(symbol);
}

function executedIn({ executed, symbol, total }: Record<'executed' | 'symbol' | 'total', Cell>): number | null {
  return orNothing(executed, (cell) => {
    if (!/[A-Z]/.test(cell.text)) return numberIn(cell);
    return amountIn(cell, {}, [symbol.text.slice(0, -quoteIn(symbol, total).length)]).amount;
  });
}
