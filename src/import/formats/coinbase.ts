/** Coinbase's fills, of Pro and of Advanced Trade: a row a fill, in UTC, in no order. */

import { byTime, type FileFill, fill, reading } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/local-style.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { type DateOrder, instantIn } from '../parse/times.ts';
import { sideIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  id: 'trade id',
  product: 'product',
  side: 'side',
  time: 'created at',
  size: 'size',
  price: 'price',
  fee: 'fee',
  unit: 'price/fee/total unit',
};

export const coinbase: Format = {
  name: 'coinbase',
  description: 'Coinbase Pro and Advanced Trade: Statements > Fills, as CSV',
  evidence: 'real files',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['trade id', 'created at', 'price/fee/total unit'].every((name) => header.includes(name));
  },
  read(text) {
    const { header, rows } = readFilledCsv(text);
    const cellsOf = columnsOf(header, COLUMNS, { account: 'portfolio' });
    const all = rows.map(cellsOf);
    const { order, notes } = rewrittenOrder(all.map(({ time }) => time));
    const fills = all.map((cells) => fillOf(cells, order));
    // Where times are equal, the ids of a product rise.
    fills.sort((a, b) => byTime(a, b) || byId(a, b));
    return reading({ fills, notes });
  },
};

function fillOf(
  { account, fee, ...cells }: Record<keyof typeof COLUMNS, Cell> & { account?: Cell },
  order: DateOrder,
): FileFill {
  refuseEmpty(...Object.values(cells));
  return fill({
    line: cells.id.line,
    executionId: cells.id.text,
    account: account?.text || null,
    instrument: coins(cells.product.text, cells.unit.text),
    executedAt: instantIn(cells.time, order, 'UTC'),
    side: sideIn(cells.side),
    quantity: positiveIn(cells.size),
    price: numberIn(cells.price),
    fees: orNothing(fee, numberIn) ?? 0,
  });
}

function byId({ executionId: a }: FileFill, { executionId: b }: FileFill): number {
  return (a ?? '').localeCompare(b ?? '', 'en', { numeric: true });
}
