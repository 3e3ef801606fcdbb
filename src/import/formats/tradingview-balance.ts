/**
 * TradingView's balance history of paper trading: a line in words for each close, with the entry price but not its time, and
 * lines for commissions. The header is in the chart's language, so columns are found by position. In code because a
 * declaration needs names.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { reading, skip } from '../fills/reading.ts';
import { type Cell, cellError } from '../parse/columns.ts';
import { type CsvRow, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, dateOrderOf, instantIn, orderNote, spreadsheetOrder } from '../parse/times.ts';
import { type ClosedTrade, closedTrades, totalOf } from '../table/closed-trade.ts';
import type { Format } from '../table/format.ts';
import { tradingViewSymbol } from './tradingview-orders.ts';

/** Close long position for symbol COMEX:GC1! at price 3350.1 for 1 units. Position AVG Price was 3374.8, currency: USD, … */
const CLOSE =
  /^Close (long|short) position for symbol (\S+) at price ([\d.,]+) for ([\d.,]+) units?\. Position AVG Price was ([\d.]+)(?=[,.]|$)/;
const COMMISSION = /^Commission for: .* symbol (\S+) at price /;

export const tradingviewBalance: Format = {
  name: 'tradingview-balance',
  platform: 'tradingview',
  description: 'TradingView: Trading Panel, Balance history, Export data (CSV): closed positions of paper trading',
  evidence: 'samples',
  holds: 'trades',
  looksLike: (start) => / position for symbol \S+ at price /.test(start) && start.includes(' Position AVG Price was '),
  read(text, context) {
    const { header, rows } = readCsv(text);
    if (header.cells.length < 6) {
      throw new RowError(null, 'must have time, balance before and after, P&L, its currency and action', header.line);
    }
    const { zone, note } = assumedZone(context);
    const data = rows.filter((row) => !isEmpty(row));
    const times = data.map(({ cells }) => cells[0] ?? '');
    const order = dateOrderOf(times, spreadsheetOrder(times));
    const skipped = new Map<string, number>();
    const trades: Close[] = [];
    const commissions: Commission[] = [];
    for (const row of data) {
      const line = lineOf(row, header, (cell) => instantIn(cell, order, zone));
      const { action } = line;
      if (action.text.startsWith('Close ')) trades.push(tradeOf(line));
      else if (COMMISSION.test(action.text)) commissions.push(commissionOf(line));
      else if (action.text.includes(' position for symbol ')) throw unknown(action);
      else skip(skipped, 'balance line');
    }
    const closes = Map.groupBy(inOrderOfTime(trades), ({ instrument }) => instrument.symbol);
    for (const own of commissions) {
      if (!addCommission(own, closes.get(own.symbol) ?? [])) skip(skipped, 'commission of an open position');
    }
    const { records, notes } = closedTrades('tradingview-balance', trades);
    return reading({
      rows: data.length,
      records,
      skipped,
      notes: [
        note,
        ...(order === 'ymd' ? [] : [orderNote(order)]),
        'this export has no entry times; trades start when they end, so holding times are meaningless',
        ...notes,
      ],
      stated: totalOf(trades, 'net'),
    });
  },
};

interface Line {
  time: string;
  /** In the currency of the account. */
  pnl: number;
  currency: string;
  action: Cell;
}

type Commission = Line & { symbol: string };

/** With the text of its line, which its commission repeats. */
type Close = ClosedTrade & { action: string };

/** Columns by position because their names are in many languages. */
function lineOf({ cells, line }: CsvRow, header: CsvRow, instant: (cell: Cell) => string): Line {
  const cell = (index: number): Cell => ({
    text: (cells[index] ?? '').trim(),
    column: header.cells[index] ?? `column ${index + 1}`,
    line,
  });
  const currency = cell(4);
  if (!/^[A-Z]{3,5}$/.test(currency.text)) {
    throw cellError(currency, 'must be a currency, such as USD');
  }
  return { time: instant(cell(0)), pnl: numberIn(cell(3)), currency: currency.text, action: cell(5) };
}

function tradeOf({ time, pnl, currency, action }: Line): Close {
  const [, side, symbol = '', price = '', units = '', average = ''] = CLOSE.exec(action.text) ?? [];
  if (side === undefined) throw unknown(action);
  const part = (text: string): Cell => ({ ...action, text });
  return {
    line: action.line,
    action: action.text,
    id: null,
    account: null,
    instrument: { ...tradingViewSymbol(symbol), currency },
    side: side === 'long' ? 'long' : 'short',
    quantity: positiveIn(part(units)),
    entry: { executedAt: time, price: numberIn(part(average)) },
    exit: { executedAt: time, price: numberIn(part(price)) },
    gross: pnl,
    fees: 0,
  };
}

function commissionOf(line: Line): Commission {
  return { ...line, symbol: COMMISSION.exec(line.action.text)?.[1] as string };
}

function unknown(action: Cell): RowError {
  return cellError(action, 'must be the close of a position, or its commission');
}

function inOrderOfTime(trades: readonly Close[]): Close[] {
  return trades.toSorted((a, b) => Date.parse(a.exit.executedAt) - Date.parse(b.exit.executedAt));
}

/**
 * Adds a commission to its close, or for an entry to the next close.
 * @param closes of its symbol, in order of time
 * @returns whether there is such a close
 */
function addCommission({ time, pnl, action }: Commission, closes: readonly Close[]): boolean {
  const next = firstFrom(time, closes);
  let own = next;
  while (closes[own]?.exit.executedAt === time && !action.text.endsWith((closes[own] as Close).action)) own++;
  const paid = closes[own]?.exit.executedAt === time ? closes[own] : closes[next];
  if (paid) paid.fees = roundMoney(paid.fees - pnl);
  return paid !== undefined;
}

/** Index of the first close at or after a time. */
function firstFrom(time: string, closes: readonly Close[]): number {
  let [from, to] = [0, closes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((closes[middle] as Close).exit.executedAt < time) from = middle + 1;
    else to = middle;
  }
  return from;
}
