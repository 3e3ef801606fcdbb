/**
 * Rithmic (R | Trader Pro): completed orders of the order history. An order with several fills is one fill at its average
 * price.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { idIn, orNothing } from '../parse/columns.ts';
import { type CsvTable, csvRows, isEmpty, tableWith } from '../parse/csv-rows.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn, numberIn, plainPriceIn } from '../parse/numbers.ts';
import { spreadsheetDates } from '../parse/times.ts';
import { fillsTable, inOrderOfTime } from '../table/fills.ts';

/** Zones in a column name such as "Update Time (EDT)". CST is excluded because it is also China's. */
const OFFSETS: Record<string, string> = {
  UTC: '+00:00',
  GMT: '+00:00',
  EDT: '-04:00',
  EST: '-05:00',
  CDT: '-05:00',
  MDT: '-06:00',
  MST: '-07:00',
  PDT: '-07:00',
  PST: '-08:00',
  CET: '+01:00',
  CEST: '+02:00',
};

export const rithmicOrders = fillsTable({
  name: 'rithmic-orders',
  platform: 'rithmic',
  description: 'Rithmic R | Trader Pro: Order History, Completed Orders with Qty Filled, Export (CSV): filled orders',
  evidence: 'samples',
  marks: ['Account', 'Buy/Sell', 'Symbol', 'Avg Fill Price', 'Qty Filled'],
  looksLike: (start) => ['Account', 'Buy/Sell', 'Symbol', 'Qty ', 'Update Time'].every((name) => start.includes(name)),
  table: completedIn,
  // Users choose the columns. The rate is per contract.
  columns: {
    account: 'Account',
    side: 'Buy/Sell',
    symbol: 'Symbol',
    price: { column: 'Avg Fill Price', read: plainPriceIn },
    quantity: 'Qty Filled',
    executed_at: { column: 'Update Time', like: /^Update Time/ },
    execution_id: { column: 'Order Number', optional: 'column', read: idIn },
    rate: { column: 'Commission Fill Rate', optional: true },
  },
  dates: spreadsheetDates,
  zone(column) {
    const offset = OFFSETS[/\(([A-Z]+)\)$/.exec(column)?.[1] ?? ''];
    if (offset === undefined) return undefined;
    return { zone: 'UTC', offset, note: `times are in ${column.slice(13, -1)}, from the column name` };
  },
  skip: ({ quantity }) => (orNothing(quantity, numberIn) ? undefined : 'order without a fill'),
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  row: ({ rate }, { quantity }) => ({
    fees: roundMoney(Number(quantity) * ((rate && orNothing(rate, moneyIn)) ?? 0)),
    feesStated: rate !== undefined && rate.text !== '',
  }),
  // Rows are ordered by number, not by fill.
  order: inOrderOfTime,
});

/** The table below "Completed Orders"; working orders may precede it. */
function completedIn(text: string): CsvTable {
  const rows = csvRows(text);
  const title = rows.findIndex(({ cells }) => cells[0]?.trim() === 'Completed Orders');
  const table = tableWith(rows.slice(title + 1), ['Account', 'Buy/Sell', 'Symbol']);
  if (table) return { header: table.header, rows: table.rows.filter((row) => !isEmpty(row)) };
  throw new RowError(null, 'has no table of completed orders with Account, Buy/Sell and Symbol');
}
