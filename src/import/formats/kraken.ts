/** Kraken's trades: a row a fill, in UTC, fees in what the pair is priced in. */

import { fill, oldestFirst, reading } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/local-style.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { quoteOf } from '../parse/pairs.ts';
import { instantIn } from '../parse/times.ts';
import { sideIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  id: 'txid',
  pair: 'pair',
  time: 'time',
  type: 'type',
  price: 'price',
  fee: 'fee',
  volume: 'vol',
};

export const kraken: Format = {
  name: 'kraken',
  description: 'Kraken: Documents > Export > Trades (trades.csv)',
  evidence: 'real files',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['txid', 'ordertxid', 'pair', 'vol'].every((name) => header.includes(name));
  },
  read(text, { timeZone }) {
    const { header, rows } = readFilledCsv(text);
    const cellsOf = columnsOf(header, COLUMNS, { margin: 'margin' });
    const all = rows.map(cellsOf);
    const { order, notes: rewritten } = rewrittenOrder(all.map(({ time }) => time));
    const fills = all.map(({ margin, fee, ...cells }) => {
      refuseEmpty(...Object.values(cells));
      return fill({
        line: cells.id.line,
        executionId: cells.id.text,
        instrument: coins(cells.pair.text, quoteIn(cells.pair)),
        executedAt: instantIn(cells.time, order, timeZone ?? 'UTC'),
        side: sideIn(cells.type),
        quantity: positiveIn(cells.volume),
        price: numberIn(cells.price),
        fees: orNothing(fee, numberIn) ?? 0,
        // What was sold on margin need not be there.
        mayShort: margin !== undefined && (orNothing(margin, numberIn) ?? 0) > 0,
      });
    });
    const notes =
      timeZone === undefined ? ['times have no zone in this format: read as UTC, as Kraken gives them'] : [];
    return reading({ fills: oldestFirst(fills), notes: [...notes, ...rewritten] });
  },
};

/** XLTCZEUR: older names have X before coins and Z before currencies. */
function quoteIn(pair: Cell): string {
  const [, currency, coin] = /^X[A-Z]{3}(?:Z([A-Z]{3})|X([A-Z]{3}))$/.exec(pair.text) ?? [];
  const quote = currency ?? coin ?? quoteOf(pair);
  return quote === 'XBT' ? 'BTC' : quote;
}
