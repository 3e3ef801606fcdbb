/** DAS Trader's Trades window: fills with a time of day. The date is nowhere in the file: the person says it. */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, reading } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { headerIn, readCsv } from '../parse/csv-rows.ts';
import { stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, dateIn, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const REQUIRED = {
  time: 'Time',
  symbol: ['Symb', 'Symbol'],
  side: ['Side', 'B/S'],
  price: 'Price',
  quantity: ['Qty', 'Shares'],
};

const OPTIONAL = {
  date: 'Date',
  account: 'Account',
  profit: ['P / L', 'P/L', 'PnL'],
  commission: ['Comm', 'Commission'],
  ecn: ['ECNFee', 'ECN Fee'],
  locate: ['LocFee', 'Locate Fee'],
};

type Cells = Record<keyof typeof REQUIRED, Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;

const NAMES = [REQUIRED.time, REQUIRED.symbol, REQUIRED.side, REQUIRED.price, REQUIRED.quantity];

/** A sell short may close a long first. */
const SIDES = {
  B: { side: 'buy', mayShort: false },
  S: { side: 'sell', mayShort: false },
  SS: { side: 'sell', mayShort: true },
  BC: { side: 'buy', mayShort: false },
  Buy: { side: 'buy', mayShort: false },
  Sell: { side: 'sell', mayShort: false },
  'Sell Short': { side: 'sell', mayShort: true },
  Short: { side: 'sell', mayShort: true },
  Cover: { side: 'buy', mayShort: false },
} as const;

/** What it may have of costs. */
const FEES = ['commission', 'ecn', 'locate'] as const;

export const das: Format = {
  name: 'das',
  description: 'DAS Trader: the Trades window, exported as CSV; its date goes with --date',
  evidence: 'real files',
  holds: 'trades',
  // Without DAS's own word for the symbol the number that it gives each order tells.
  looksLike: (start) =>
    headerIn(start, NAMES)?.names.includes('Symb') === true || headerIn(start, [...NAMES, 'Cloid']) !== undefined,
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const { header, rows } = readCsv(text, NAMES);
    const cellsOf = columnsOf(header, REQUIRED, OPTIONAL);
    const fills = rows.map((row) => fillOf(cellsOf(row), context.date, zone));
    fills.sort(byTime);
    const notes = [note];
    const [first] = rows;
    if (first && !FEES.some((name) => cellsOf(first)[name])) notes.push('fees are 0: this export has none');
    return reading({ fills, notes });
  },
};

function fillOf(cells: Cells, given: string | undefined, zone: string): FileFill {
  refuseEmpty(cells.time, cells.symbol, cells.side, cells.price, cells.quantity);
  const date = (cells.date && orNothing(cells.date, dayIn)) ?? given;
  if (date === undefined) {
    throw new RowError(
      cells.time.column,
      'has no date, and neither has the file: say which day it is of, as in --date 2026-11-20',
      cells.time.line,
    );
  }
  if (/^[+./]/.test(cells.symbol.text)) {
    throw new RowError(cells.symbol.column, 'must be a stock: options and futures are not read', cells.symbol.line);
  }
  const { side, mayShort } = wordIn(cells.side, SIDES);
  const profit = cells.profit && orNothing(cells.profit, moneyIn);
  return fill({
    line: cells.symbol.line,
    account: cells.account?.text || null,
    instrument: stock(cells.symbol.text),
    executedAt: instantIn({ ...cells.time, text: `${date} ${cells.time.text}` }, 'ymd', zone),
    side,
    mayShort,
    quantity: positiveIn(cells.quantity),
    price: numberIn(cells.price),
    fees: roundMoney(FEES.reduce((sum, name) => sum + ((cells[name] && orNothing(cells[name], numberIn)) ?? 0), 0)),
    stated: profit ? { gross: profit } : null,
  });
}

function dayIn(cell: Cell): string {
  return dateIn(cell, /^\d{4}/.test(cell.text) ? 'ymd' : 'mdy');
}
