/**
 * Rithmic (R | Trader Pro): the performance of accounts, as closed trades. Account and contract stand on lines of their
 * own before each table.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { futureOf } from '../parse/contract-sizes.ts';
import { type CsvRow, csvRows, isEmpty } from '../parse/csv-rows.ts';
import { future } from '../parse/instruments.ts';
import { dateOrderOf, spreadsheetOrder } from '../parse/local-style.ts';
import { moneyIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, type DateOrder, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type ClosedTrade, closedTrades, totalOf } from '../table/closed-trade.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  entryId: 'Entry Order Number',
  side: 'Entry Buy/Sell',
  entryPrice: 'Entry Price',
  entryTime: 'Entry Time',
  exitId: 'Exit Order Number',
  exitPrice: 'Exit Price',
  exitTime: 'Exit Time',
  quantity: 'Fill Size',
  pnl: 'Trade P&L',
};

const OPTIONAL = { fees: ['Commission & Fees', 'Commission'] };

export const rithmic: Format = {
  name: 'rithmic',
  platform: 'rithmic',
  description: 'Rithmic R | Trader Pro: Trader Dashboard, Performance, Export (CSV): closed trades with fees',
  evidence: 'samples',
  holds: 'trades',
  looksLike: (start) => start.includes('Entry Order Number') && start.includes('Exit Order Number'),
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const skipped = new Map<string, number>();
    const stated = rowsIn(csvRows(text), skipped);
    const times = stated.map(({ cells }) => cells.entryTime.text);
    const order = dateOrderOf(times, spreadsheetOrder(times));
    const trades = stated.map((own) => tradeOf(own, order, zone));
    const { records, notes } = closedTrades('rithmic', trades);
    return reading({
      records,
      skipped,
      notes: [note, ...notes],
      stated: [totalOf(trades, 'gross'), totalOf(trades, 'fees')].flat(),
    });
  },
};

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;

interface StatedRow {
  account: string | null;
  contract: Cell;
  cells: Cells;
}

/**
 * The rows of trades, each with the account and the contract that were named last before it.
 * @throws RowError where there is no table
 */
function rowsIn(rows: readonly CsvRow[], skipped: Map<string, number>): StatedRow[] {
  const stated: StatedRow[] = [];
  let account: string | null = null;
  let contract: Cell = { text: '', column: 'contract', line: 1 };
  let cellsOf: ((row: CsvRow) => Cells) | undefined;
  for (const row of rows) {
    if (isEmpty(row)) continue;
    const texts = row.cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    const titled = titleIn(texts);
    if (texts.includes(COLUMNS.entryId)) {
      cellsOf = columnsOf({ line: row.line, cells: row.cells.map((cell) => cell.trim()) }, COLUMNS, OPTIONAL);
    } else if (titled !== undefined && futureOf(titled)?.month != null) {
      contract = { ...contract, text: titled, line: row.line };
    } else if (titled !== undefined) {
      account = titled;
    } else if (/^total/i.test(texts[0] as string)) {
      skip(skipped, 'total line');
    } else if (cellsOf) {
      stated.push({ account, contract, cells: cellsOf(row) });
    } else {
      skip(skipped, 'line before the table');
    }
  }
  if (!cellsOf) throw new RowError(COLUMNS.entryId, 'is missing in the header', 1);
  return stated;
}

/** "Account", A1; or A1 with the sums of its P&L and fees. */
function titleIn(texts: readonly string[]): string | undefined {
  const [first = '', ...rest] = texts;
  const last = texts.at(-1) as string;
  if (texts.length <= 2 && (/^(account|contract|symbol)\b/i.test(first) || !AMOUNT.test(last))) return last;
  return texts.length <= 3 && !/^total/i.test(first) && rest.every((text) => AMOUNT.test(text)) ? first : undefined;
}

const AMOUNT = /^[-(]?\$?[\d,]*(?:\d|\.\d+)\)?$/;

function tradeOf({ account, contract, cells }: StatedRow, order: DateOrder, zone: string): ClosedTrade {
  const { fees, ...required } = cells;
  refuseEmpty({ ...contract, line: cells.entryId.line }, ...Object.values(required));
  const { entryId, exitId, side, quantity, pnl } = required;
  return {
    line: entryId.line,
    // Orders that are filled in parts are in several rows.
    id: [contract.text, entryId.text, exitId.text].map((part) => part.replace(/[^\w-]/g, '-')).join(':'),
    account,
    instrument: future(contract.text),
    side: wordIn(side, { B: 'long', Buy: 'long', S: 'short', Sell: 'short' } as const),
    quantity: positiveIn(quantity),
    entry: { executedAt: instantIn(required.entryTime, order, zone), price: plainPriceIn(required.entryPrice) },
    exit: { executedAt: instantIn(required.exitTime, order, zone), price: plainPriceIn(required.exitPrice) },
    gross: moneyIn(pnl),
    fees: Math.abs((fees && orNothing(fees, moneyIn)) ?? 0),
  };
}
