/** Coinbase's fills of Pro and Advanced Trade: one per row, in UTC, unordered. */
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { fillsTable, inOrderOfIds } from '../table/fills.ts';

export const coinbase = fillsTable({
  name: 'coinbase',
  description: 'Coinbase Pro and Advanced Trade: Statements > Fills, as CSV',
  evidence: 'real files',
  hasUniqueIds: true,
  marks: ['trade id', 'created at', 'price/fee/total unit'],
  table: readFilledCsv,
  columns: {
    execution_id: 'trade id',
    account: { column: 'portfolio', optional: true },
    symbol: 'product',
    executed_at: 'created at',
    side: 'side',
    quantity: 'size',
    price: 'price',
    fees: { column: 'fee', optional: 'cells' },
    currency: 'price/fee/total unit',
  },
  dates: rewrittenOrder,
  zone: 'UTC',
  instrument: ({ symbol, currency }) => coins(symbol.text, currency.text),
  order: inOrderOfIds,
});
