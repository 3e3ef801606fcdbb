/**
 * Rithmic (R | Trader Pro): the performance of accounts, as closed trades. Account and
 * contract are on separate lines before each table.
 */

import { RowError } from '../../errors.ts';
import { futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import { idIn, moneyIn, numberIn, orNothing, plainPriceIn } from '../../parse/cells.ts';
import {
  type CsvRow,
  type CsvTable,
  csvRows,
  isEmpty,
  plainName,
  tableWith,
} from '../../parse/csv-rows.ts';
import { future } from '../../parse/instruments.ts';
import { clearOffsetOf, offsetOf } from '../../time.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

// Rithmic (R | Trader Pro): completed orders of the order history. An order with several
// fills is one fill at its average price.

/** The offset of a zone in a column name such as "Update Time (EDT)". */
function offsetNamed(name: string): string | undefined {
  // Also China's.
  if (name === 'CST') return undefined;
  return ['CET', 'CEST'].includes(name) ? offsetOf(name) : clearOffsetOf(name);
}

export const rithmicOrders = fillsTable({
  ...KNOWN['rithmic-orders'],
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
  dates: 'local',
  zone(column) {
    const name = /\(([A-Z]+)\)$/.exec(column)?.[1] ?? '';
    const offset = offsetNamed(name);
    if (offset === undefined) return undefined;
    return { zone: 'UTC', offset, note: `times are in ${name}, from the column name` };
  },
  skip: ({ quantity }) =>
    orNothing(quantity, numberIn) ? undefined : 'order without a fill',
  instrument: ({ symbol }) => future(symbol.text),
  mayShort: true,
  row: ({ rate }, { quantity }) => ({
    fees: roundMoney(Number(quantity) * (orNothing(rate, moneyIn) ?? 0)),
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
  if (table)
    return { header: table.header, rows: table.rows.filter((row) => !isEmpty(row)) };
  throw new RowError(
    null,
    'has no table of completed orders with Account, Buy/Sell and Symbol',
  );
}

const ENTRY = 'Entry Order Number';

export const rithmic = tradesTable({
  ...KNOWN.rithmic,
  table: tableIn,
  columns: {
    account: { column: 'account', optional: 'cells' },
    symbol: 'contract',
    reason: { column: 'reason', optional: 'cells' },
    entry_id: ENTRY,
    side: {
      column: 'Entry Buy/Sell',
      words: { B: 'long', Buy: 'long', S: 'short', Sell: 'short' },
    },
    entry_price: 'Entry Price',
    executed_at: 'Entry Time',
    exit_id: 'Exit Order Number',
    exit_price: 'Exit Price',
    closed_at: 'Exit Time',
    quantity: 'Fill Size',
    gross_pnl: 'Trade P&L',
    fees: {
      column: ['Commission & Fees', 'Commission'],
      optional: true,
      read: moneyIn,
      sign: 'absolute',
    },
  },
  dates: 'local',
  skip: ({ reason }) => reason.text || undefined,
  instrument: ({ symbol }) => future(symbol.text),
  // An order with several fills has several rows.
  row: ({ symbol, entry_id, exit_id }) => ({
    id: [symbol, entry_id, exit_id]
      .map(({ text }) => text.replace(/[^\w-]/g, '-'))
      .join(':'),
  }),
  states: ['gross', 'fees'],
});

/**
 * All tables combined, each row with the account and contract named last before it, or
 * the reason for skipping it.
 * @throws RowError if there is no table
 */
function tableIn(text: string): CsvTable {
  let header: CsvRow | undefined;
  let places: number[] = [];
  let [account, contract] = ['', ''];
  const rows: CsvRow[] = [];

  for (const { line, cells } of csvRows(text)) {
    const texts = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    if (texts.length === 0) continue;

    const title = titleIn(texts);
    if (texts.includes(ENTRY)) {
      header ??= { line, cells };
      places = placesOf(header, { line, cells });
    } else if (title === undefined) {
      const reason = reasonToSkip(texts, header !== undefined);
      const found = places.map((at) => cells[at] ?? '');
      rows.push({ line, cells: [account, contract, reason, ...found] });
    } else if (futureOf(title)?.month != null) contract = title;
    else account = title;
  }

  if (!header) throw new RowError(ENTRY, 'is missing from the header', 1);
  return {
    header: { ...header, cells: ['account', 'contract', 'reason', ...header.cells] },
    rows,
  };
}

/** Empty if the row is a trade. */
function reasonToSkip([first = '']: readonly string[], isInTable: boolean): string {
  if (/^total/i.test(first)) return 'total line';
  return isInTable ? '' : 'line before the table';
}

/** Positions of the first table's columns in another table. */
function placesOf(first: CsvRow, { cells }: CsvRow): number[] {
  const names = cells.map(plainName);
  return first.cells.map((name) => names.indexOf(plainName(name)));
}

/** The name in a title line: "Account", A1; or A1 with the totals of its P&L and fees. */
function titleIn(texts: readonly string[]): string | undefined {
  const [first = '', ...rest] = texts;
  const last = rest.at(-1) ?? first;
  if (
    texts.length <= 2 &&
    (/^(account|contract|symbol)\b/i.test(first) || !AMOUNT.test(last))
  )
    return last;
  return texts.length <= 3 &&
    !/^total/i.test(first) &&
    rest.every((text) => AMOUNT.test(text))
    ? first
    : undefined;
}

const AMOUNT = /^[-(]?\$?[\d,]*(?:\d|\.\d+)\)?$/;
