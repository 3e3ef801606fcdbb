/**
 * MetaTrader: the statement of version 4 (HTML, always in English), and the report of version 5 (HTML or a workbook) in
 * the terminal's language, whose rows are told apart by their structure. Both state closed trades; Profit leaves out
 * commission and swap, and is in the account's currency, so that a point of EURAUD is worth another amount each day.
 */
import { createHash } from 'node:crypto';
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { reading, type StatedTotal, skip } from '../fills/reading.ts';
import { isZip } from '../parse/archive.ts';
import type { Cell } from '../parse/columns.ts';
import { type CsvRow, csvRows } from '../parse/csv-rows.ts';
import { decodeOlder } from '../parse/encoding.ts';
import { htmlRows } from '../parse/html-rows.ts';
import { cfd, forexPair } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { workbookRows } from '../parse/workbook.ts';
import { type ClosedTrade, closedTrades } from '../table/closed-trade.ts';
import type { Format } from '../table/format.ts';

/** Numbers have a space between thousands: 1 434.86. */
const STYLE = { thousands: ' ', example: '1 434.86' } as const;

export const metatrader: Format = {
  name: 'metatrader',
  description: 'MetaTrader 4: Account History, Save as Report (HTML); MetaTrader 5: History, Report (HTML or XLSX)',
  evidence: 'real files',
  holds: 'trades',
  binary: true,
  looksLike(start, fileName) {
    if (isZip(start)) return /\.xlsx$/i.test(fileName) || start.includes('[Content_Types].xml');
    if (TEXT_ROW.test(start)) return true;
    return /<(html|table)/i.test(start) && (HEADINGS.test(start) || PAGE_ROW.test(start));
  },
  read(bytes, context) {
    const { zone, note } = assumedZone(context);
    const rows = rowsIn(bytes);
    const account = accountIn(rows);
    const currency = account.currency ?? context.user.base_currency;
    const notes = [note, "times are those of the broker's server"];
    if (account.currency === null) notes.push(`the file names no currency: its money is read as ${currency}`);
    const skipped = new Map<string, number>();
    const trades: ClosedTrade[] = [];
    for (const row of rows) {
      const kind = kindOf(row);
      if (kind === 'closed') trades.push(tradeOf(cellsOf(row), { ...account, currency }, zone));
      else if (kind !== undefined) skip(skipped, kind);
    }
    if (trades.length === 0 && skipped.size === 0) {
      throw new RowError(
        null,
        isZip(bytes.toString('latin1', 0, 4))
          ? 'no sheet of this workbook is an export of a platform known here, and its first is no report of MetaTrader: save the sheet as CSV, or import it by a mapping'
          : 'this is no statement or report of MetaTrader: it has no row of a trade, order or deal',
      );
    }
    if (trades.length === 0 && skipped.has(DEAL)) {
      notes.push(
        'this report has deals but no closed positions, as those of the strategy tester do: export the report of History',
      );
    }
    const { records, notes: contradictions } = closedTrades('metatrader', trades);
    return reading({ records, skipped, notes: [...notes, ...contradictions], stated: totalsIn(rows, currency) });
  },
};

/** The number and the time of a trade, in either order, in a report that a spreadsheet saved as text. */
const TEXT_ROW =
  /^"?(?:\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?"?[,;\t]"?\d+|\d+"?[,;\t]"?\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?)"?([,;\t])/m;

const HEADINGS = /content="client terminal"|<title>Statement:|Closed Transactions:/i;

/** The same in a page, whatever its headings. */
const PAGE_ROW =
  /<td[^<>]*>(?:\d+<\/td>\s*<td[^<>]*>\d{4}\.\d\d\.\d\d \d\d:\d\d|\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?<\/td>\s*<td[^<>]*>\d+<)/i;

function rowsIn(bytes: Buffer): CsvRow[] {
  if (isZip(bytes.toString('latin1', 0, 4))) return workbookRows(bytes);
  const text = decodeOlder(bytes);
  const delimiter = TEXT_ROW.exec(text)?.[1];
  if (delimiter === undefined) return htmlRows(text);
  return csvRows(text, delimiter).map(({ cells, line }) => ({ line, cells: cells.map((cell) => cell.trim()) }));
}

interface Account {
  account: string | null;
  currency: string;
}

/** "Account: 123" and "Currency: USD", or "123 (USD, Broker-Server, demo, Hedge)". */
function accountIn(rows: readonly CsvRow[]): { account: string | null; currency: string | null } {
  const cells = rows.slice(0, 12).flatMap((row) => row.cells);
  const first = (pattern: RegExp) => cells.map((cell) => pattern.exec(cell)).find((match) => match !== null);
  const both = first(/^(?:[^:()]+: ?)?(\d\S*) \(([A-Z]{3,5})\b[^)]*\)$/);
  if (both) return { account: both[1] as string, currency: both[2] as string };
  const account = (first(/^(?:Account|A\/C No): ?(\S+)/i) ?? first(/^[^:]+: ?(\d{4,})$/))?.[1] ?? null;
  return { account, currency: first(/^Currency: ?([A-Z]{3})\b/i)?.[1]?.toUpperCase() ?? null };
}

const DEAL = 'deal: part of a position';

/** @returns why the row is left out; undefined where it is no row of data */
function kindOf({ cells, line }: CsvRow): string | undefined {
  if (isOfVersion4({ cells })) return kindOfVersion4(cells, line);
  if (!isTime(cells[0]) || !/^\d+$/.test(cells[1] ?? '')) return undefined;
  const [, , symbol, , volume = '', , , , ending] = cells;
  if (symbol === '') return 'balance line';
  if (volume.includes('/')) return isTime(ending) ? 'order' : 'working order';
  if (!/\d/.test(volume)) return DEAL;
  if (cells.length < 11) throw cutShort(line);
  return isTime(ending) ? 'closed' : 'open position';
}

function cutShort(line: number | undefined): RowError {
  return new RowError(null, 'ends before its commission, swap and profit', line);
}

/** A ticket before the time, where version 5 has the time first. */
function isOfVersion4({ cells }: Pick<CsvRow, 'cells'>): boolean {
  return /^\d+$/.test(cells[0] ?? '') && isTime(cells[1]);
}

function kindOfVersion4(cells: readonly string[], line: number): string {
  const type = cells[2]?.toLowerCase() ?? '';
  const hasEnded = isTime(cells[8]);
  if (/ (limit|stop)/.test(type)) return hasEnded ? 'cancelled order' : 'working order';
  if (/^(buy|sell)/.test(type) && cells.length < 13) throw cutShort(line);
  if (cells.length < 13) return 'balance line';
  return hasEnded ? 'closed' : 'open position';
}

function isTime(text: string | undefined): boolean {
  return /^\d{4}\.\d\d\.\d\d \d\d:\d\d(:\d\d)?$/.test(text ?? '');
}

/** The cells of a closed trade in the order of version 5: time, number, symbol, type, volume. */
function cellsOf({ cells, line }: CsvRow): Cell[] {
  const [first = '', second = '', third = '', fourth = '', fifth = '', ...rest] = cells;
  const ordered = isTime(first) ? cells : [second, first, fifth, third, fourth, ...rest];
  const end = ordered.findLastIndex((cell) => cell !== '') + 1;
  return ordered.slice(0, end).map((text, index) => ({ text, column: COLUMNS[index] ?? `column ${index + 1}`, line }));
}

const COLUMNS = ['Time', 'Position', 'Symbol', 'Type', 'Volume', 'Price', 'S / L', 'T / P', 'Time', 'Price'];

type ClosedCells = [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, ...Cell[]];

function tradeOf(cells: readonly Cell[], { account, currency }: Account, zone: string): ClosedTrade {
  if (cells.length < 13) throw cutShort(cells[0]?.line);
  const [opened, number, symbol, type, volume, entryPrice, , , closed, exitPrice, ...money] = cells as ClosedCells;
  const amounts = money.map((cell) => numberIn(cell, STYLE));
  return {
    line: number.line,
    id: account === null ? number.text : `${digest(account)}:${number.text}`,
    account,
    instrument: { ...(forexPair(symbol.text) ?? cfd(symbol.text, currency)), currency },
    side: wordIn(type, { buy: 'long', sell: 'short' } as const),
    quantity: positiveIn(volume, STYLE),
    entry: { executedAt: instantIn(opened, 'ymd', zone), price: numberIn(entryPrice, STYLE) },
    exit: { executedAt: instantIn(closed, 'ymd', zone), price: numberIn(exitPrice, STYLE) },
    gross: amounts.at(-1) as number,
    // Commission, taxes and swap: below 0 where they cost.
    fees: 0 - sumOf(amounts.slice(0, -1)),
  };
}

/** Numbers of trades begin anew with each broker; an account's number stays out of ids. */
function digest(account: string): string {
  return createHash('sha256').update(account).digest('hex').slice(0, 8);
}

/** The line below the closed trades of a statement, or the net profit among the results of a report. */
function totalsIn(rows: readonly CsvRow[], currency: string): StatedTotal[] {
  const stated = (what: StatedTotal['what'], amount: number) => ({ what, currency, symbol: null, amount });
  if (rows.some(isOfVersion4)) {
    const amounts = rows.map(totalLine).find((own) => own !== undefined);
    if (!amounts) return [];
    return [stated('gross', amounts.at(-1) as number), stated('fees', 0 - sumOf(amounts.slice(0, -1)))];
  }
  for (const { cells } of rows) {
    const [, net, , won, , lost, more] = cells.filter((cell) => cell !== '').map(amountOf);
    if (net === undefined || won === undefined || lost === undefined || more !== undefined) continue;
    if (won >= 0 && lost <= 0 && roundMoney(won + lost) === net) return [stated('net', net)];
  }
  return [];
}

/** Commission, taxes (not in all versions), swap and profit, behind nothing else. */
function totalLine({ cells: [first, ...rest] }: CsvRow): number[] | undefined {
  const amounts = rest.map(amountOf).filter((amount) => amount !== undefined);
  return first === '' && amounts.length === rest.length && [3, 4].includes(rest.length) ? amounts : undefined;
}

function amountOf(text: string): number | undefined {
  return /^-?[\d ]+(\.\d+)?$/.test(text) ? Number(text.replaceAll(' ', '')) : undefined;
}

function sumOf(amounts: readonly number[]): number {
  return roundMoney(amounts.reduce((sum, amount) => sum + amount, 0));
}
