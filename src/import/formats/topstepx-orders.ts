/** TopstepX and other ProjectX platforms: the export of orders. Bid buys, Ask sells; an order is one fill, at its average price. */

import { byTime, type FileFill, fill, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, idIn, refuseEmpty } from '../parse/columns.ts';
import { headerIn, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { future } from '../parse/instruments.ts';
import { plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  id: 'Id',
  account: 'AccountName',
  contract: 'ContractName',
  status: 'Status',
  quantity: 'Size',
  side: 'Side',
  time: 'FilledAt',
  price: 'ExecutePrice',
};

/** What no other header has. */
const MARKS = [COLUMNS.contract, COLUMNS.status, COLUMNS.time, COLUMNS.price];

const STATUSES = {
  Filled: 'filled',
  Open: 'open',
  Pending: 'open',
  Cancelled: 'cancelled',
  Canceled: 'cancelled',
  Expired: 'expired',
  Rejected: 'rejected',
} as const;

const SIDES = { Bid: 'buy', Ask: 'sell', Buy: 'buy', Sell: 'sell' } as const;

export const topstepxOrders: Format = {
  name: 'topstepx-orders',
  platform: 'topstepx',
  description: 'TopstepX (ProjectX): Orders, Export (CSV): filled orders, without fees',
  evidence: 'samples',
  holds: 'trades',
  looksLike: (start) => headerIn(start, MARKS) !== undefined,
  read(text, context) {
    const { header, rows } = readCsv(text, MARKS);
    const cellsOf = columnsOf(header, COLUMNS);
    const { zone, note } = assumedZone(context);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    let hasZone = true;
    for (const row of rows) {
      const cells = cellsOf(row);
      const status = isEmpty(row) ? 'empty row' : wordIn(cells.status, STATUSES);
      // An order that ended otherwise and has a price was filled in part, of a size that the file doesn't say.
      if (status === 'empty row') skip(skipped, status);
      else if (status !== 'filled' && cells.price.text === '') skip(skipped, `${status} order`);
      else {
        hasZone &&= /[-+]\d\d:?\d\d$|Z$/.test(cells.time.text);
        fills.push(fillOf(cells, zone));
      }
    }
    // Rows are in no order; ids rise with time, also where times are equal.
    fills.sort((a, b) => byTime(a, b) || Number(a.executionId) - Number(b.executionId));
    const notes = ['fees are 0: this export has none', 'fills of an order are one fill here'];
    return reading({ rows: rows.length, fills, skipped, notes: hasZone ? notes : [note, ...notes] });
  },
};

/** @throws RowError where the order was not filled as a whole */
function fillOf({ account, status, ...cells }: Record<keyof typeof COLUMNS, Cell>, zone: string): FileFill {
  refuseEmpty(...Object.values(cells));
  wordIn(status, { Filled: true });
  const { id, contract, quantity, side, time, price } = cells;
  return fill({
    line: id.line,
    executionId: idIn(id),
    account: account.text || null,
    instrument: future(contract.text),
    executedAt: instantIn(time, 'mdy', zone),
    side: wordIn(side, SIDES),
    quantity: positiveIn(quantity),
    price: plainPriceIn(price),
    mayShort: true,
  });
}
