/**
 * Rithmic (R | Trader Pro): the history of orders, of which the completed ones are read. An order that was filled in
 * several parts is one fill at its average price.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, idIn, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvTable, csvRows, isEmpty, tableWith } from '../parse/csv-rows.ts';
import { future } from '../parse/instruments.ts';
import { dateOrderOf, orderNote, spreadsheetOrder } from '../parse/local-style.ts';
import { moneyIn, numberIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { sideIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  account: 'Account',
  side: 'Buy/Sell',
  symbol: 'Symbol',
  price: 'Avg Fill Price',
  quantity: 'Qty Filled',
};

/** Columns are those that people choose. The rate is that of one contract. */
const TOO = { id: 'Order Number', rate: 'Commission Fill Rate' };

/** The zones that a heading may name, "Update Time (EDT)". CST is left out: it is China's too. */
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

export const rithmicOrders: Format = {
  name: 'rithmic-orders',
  platform: 'rithmic',
  description: 'Rithmic R | Trader Pro: Order History, Completed Orders with Qty Filled, Export (CSV): filled orders',
  evidence: 'samples',
  holds: 'trades',
  looksLike: (start) => ['Account', 'Buy/Sell', 'Symbol', 'Qty ', 'Update Time'].every((name) => start.includes(name)),
  read(text, context) {
    const { header, rows } = completedIn(text);
    const timeColumn = header.cells.find((name) => name.startsWith('Update Time')) ?? 'Update Time';
    const cellsOf = columnsOf(header, { ...COLUMNS, time: timeColumn }, TOO);
    const data = rows.filter((row) => !isEmpty(row)).map(cellsOf);
    const { zone, note } = assumedZone(context);
    const offset = OFFSETS[/\(([A-Z]+)\)$/.exec(timeColumn)?.[1] ?? ''];
    const times = data.map(({ time }) => time.text);
    const order = dateOrderOf(times, spreadsheetOrder(times));
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    for (const { time, id, rate, ...cells } of data) {
      if (!orNothing(cells.quantity, numberIn)) {
        skip(skipped, 'order without a fill');
        continue;
      }
      refuseEmpty(time, ...Object.values(cells), ...(id ? [id] : []));
      const at = offset === undefined ? time : { ...time, text: `${time.text} ${offset}` };
      fills.push(fillOf(cells, { id, rate }, instantIn(at, order, zone)));
    }
    // Rows are in the order of their numbers, not of their fills.
    fills.sort(byTime);
    return reading({
      rows: data.length,
      fills,
      skipped,
      notes: [
        offset === undefined ? note : `times are in ${timeColumn.slice(13, -1)}, as their column says`,
        ...(order === 'ymd' ? [] : [orderNote(order)]),
      ],
    });
  },
};

/** The table below "Completed Orders"; working ones may come before it. */
function completedIn(text: string): CsvTable {
  const rows = csvRows(text);
  const title = rows.findIndex(({ cells }) => cells[0]?.trim() === 'Completed Orders');
  const table = tableWith(rows.slice(title + 1), ['Account', 'Buy/Sell', 'Symbol']);
  if (table) return table;
  throw new RowError(null, 'has no table of completed orders with Account, Buy/Sell and Symbol');
}

function fillOf(
  cells: Record<keyof typeof COLUMNS, Cell>,
  { id, rate }: { id: Cell | undefined; rate: Cell | undefined },
  executedAt: string,
): FileFill {
  const quantity = positiveIn(cells.quantity);
  return fill({
    line: cells.symbol.line,
    executionId: id ? idIn(id) : null,
    account: cells.account.text,
    instrument: future(cells.symbol.text),
    executedAt,
    side: sideIn(cells.side),
    quantity,
    price: plainPriceIn(cells.price),
    fees: roundMoney(quantity * ((rate && orNothing(rate, moneyIn)) ?? 0)),
    mayShort: true,
  });
}
