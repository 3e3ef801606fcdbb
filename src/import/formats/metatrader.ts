/**
 * MetaTrader: the statement of version 4 (HTML, always in English), and the report of
 * version 5 (HTML or a workbook) in the terminal's language, with rows recognised by
 * their structure. Both state closed trades. Profit excludes commission and swap and is
 * in the account's currency, so the value of a point of EURAUD changes daily.
 */
import { hash } from 'node:crypto';
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { type Cell, numberIn, positiveIn, wordIn } from '../../parse/cells.ts';
import { type CsvRow, csvRows, isEmpty } from '../../parse/csv-rows.ts';
import { cfdOrPair } from '../../parse/instruments.ts';
import { decodeOlder, isZip } from '../../parse/open-file.ts';
import { assumedZone, instantIn } from '../../parse/times.ts';
import { storedSheets } from '../../parse/workbook.ts';
import { htmlRows } from '../../parse/xml.ts';
import { type FileFlow, reading, type StatedTotal, skip } from '../fills/reading.ts';
import { type RoundTrip, withOpenTrades } from '../tables/closed-trade.ts';
import { type BinaryFormat, baseCurrencyNote } from '../tables/format.ts';
import { KNOWN } from './known.ts';
import { cashFlowIn, endingCash } from './metatrader-cash.ts';
import {
  amountOf,
  type Deal,
  dealsIn,
  isEvent,
  isTime,
  type ReportTrades,
  type Run,
  runIn,
  STYLE,
  sumOf,
  type TesterContext,
  tradesOfDeals,
  tradesOfEvents,
} from './metatrader-tester.ts';
import { METATRADER_ROW } from './recognisers.ts';

export const metatrader: BinaryFormat = {
  ...KNOWN.metatrader,
  hasRows: (bytes) =>
    rowsIn(bytes).rows.some((row) => kindOf(timeFirst(row)) !== undefined),
  read(bytes, context) {
    const { zone, note } = assumedZone(context);
    const report = reportIn(bytes, context.symbol ?? null);
    const { run, isOfTester } = report;

    const stated = isOfTester
      ? { account: BACKTEST, currency: run?.currency ?? null }
      : accountIn(report.rows);
    const account = {
      ...stated,
      currency: stated.currency ?? context.user.base_currency,
    };

    const trades = run
      ? testerTrades(report, { ...account, run, zone })
      : positionsIn(report, account, zone);
    const { records, notes: contradictions } = withOpenTrades(
      'metatrader',
      trades.closed,
      trades.open,
    );
    const flows = isOfTester ? [] : flowsIn(report, account, zone);
    const setup = isOfTester && run?.expert ? { setup: run.expert.slice(0, 100) } : {};

    return reading({
      rows: report.kinds.filter((kind) => kind !== undefined).length,
      records: records.map((record) => ({
        ...record,
        values: { ...record.values, ...setup },
      })),
      flows,
      cash: isOfTester ? [] : endingCash(report.rows, account),
      skipped: skippedIn(report, trades.skipped, flows),
      notes: [
        note,
        "times are those of the broker's server",
        ...(stated.currency === null ? [baseCurrencyNote(context)] : []),
        ...testerNotes(report),
        ...contradictions,
      ],
      stated: totalsIn(report, account.currency, trades.closed),
    });
  },
};

/** Account of a tester's trades. */
const BACKTEST = 'backtest';

interface Report {
  rows: readonly CsvRow[];
  /** The kind of each row. */
  kinds: readonly (string | undefined)[];
  deals: readonly Deal[];
  /** Whether it lists deals, but no positions. */
  isByDeals: boolean;
  isOfTester: boolean;
  /** The head of a report without positions. */
  run: Run | undefined;
}

/**
 * @param symbol that of a tester's report without one
 * @throws RowError if it has no row of a report
 */
function reportIn(bytes: Buffer, symbol: string | null): Report {
  const { rows: found, title } = rowsIn(bytes);
  const rows = found.map(timeFirst);
  const kinds = rows.map(kindOf);
  if (kinds.every((kind) => kind === undefined)) throw noReport(bytes);

  const deals = dealsIn(rows);
  const hasPositions = kinds.some((kind) => kind === CLOSED || kind === OPEN);
  const isByDeals = !hasPositions && deals.length > 0;
  const isOfTester =
    kinds.includes(EVENT) || (isByDeals && accountIn(rows).account === null);

  const run = isOfTester || isByDeals ? runIn(rows, title) : undefined;
  if (run && !isByDeals) run.symbol ??= symbol;
  return { rows, kinds, deals, isByDeals, isOfTester, run };
}

function noReport(bytes: Buffer): RowError {
  return new RowError(
    null,
    isZip(bytes.toString('latin1', 0, 4))
      ? 'no sheet of this workbook is a known export, and the first is not a MetaTrader report; save the sheet as CSV, or import it with --map new'
      : 'not a MetaTrader statement or report: it has no row of a trade, order or deal',
  );
}

function testerNotes({ isOfTester, kinds }: Report): string[] {
  const ofTester = `a run of the strategy tester; imported into the account "${BACKTEST}"`;
  const ofEvents = "this tester's profits include overnight swaps";
  return [
    ...(isOfTester ? [ofTester] : []),
    ...(kinds.includes(EVENT) ? [ofEvents] : []),
  ];
}

function flowsIn({ rows, kinds }: Report, account: Account, zone: string): FileFlow[] {
  return rows.flatMap((row, index) =>
    kinds[index] === BALANCE_LINE ? (cashFlowIn(row, account, zone) ?? []) : [],
  );
}

/** @param outside rows outside any trade */
function skippedIn(
  { rows, kinds, isByDeals }: Report,
  outside: ReadonlyMap<string, number>,
  flows: readonly FileFlow[],
): Map<string, number> {
  const moved = new Set(flows.map(({ line, id }) => `${line} ${id}`));
  const isFlow = ({ line, cells }: CsvRow) =>
    cells.slice(0, 2).some((cell) => moved.has(`${line} ${cell}`));
  const read = new Set([undefined, CLOSED, OPEN, EVENT, ...(isByDeals ? [DEAL] : [])]);
  const skipped = new Map<string, number>();
  for (const [index, kind] of kinds.entries())
    if (!read.has(kind) && !isFlow(rows[index] as CsvRow)) skip(skipped, kind as string);
  for (const [reason, count] of outside) skip(skipped, reason, count);
  return skipped;
}

function positionsIn(
  { rows, kinds, deals }: Report,
  account: Account,
  zone: string,
): ReportTrades {
  const byOrder = Map.groupBy(deals, ({ order }) => order);
  const ofKind = (wanted: string) =>
    rows.filter((_, index) => kinds[index] === wanted).map(cellsOf);

  return {
    closed: ofKind(CLOSED).map((cells) => tradeOf(cells, account, zone)),
    open: ofKind(OPEN).map((cells) => openTradeOf(cells, account, zone, byOrder)),
    skipped: new Map(),
  };
}

function testerTrades({ rows, deals }: Report, context: TesterContext): ReportTrades {
  const events = rows.filter(isEvent);
  return events.length > 0
    ? tradesOfEvents(events, context)
    : tradesOfDeals(deals, context);
}

/**
 * The number and time of a trade, in either order, in a report saved as text by a
 * spreadsheet.
 */
/** The rows, and the part of the HTML title after its colon. */
function rowsIn(bytes: Buffer): { rows: CsvRow[]; title: string | null } {
  if (isZip(bytes.toString('latin1', 0, 4))) {
    const filled = storedSheets(bytes).find((rows) => rows.some((row) => !isEmpty(row)));
    return { rows: filled ?? [], title: null };
  }

  const text = decodeOlder(bytes);
  const delimiter = METATRADER_ROW.exec(text)?.[1];
  if (delimiter === undefined)
    return { rows: htmlRows(text), title: TITLE.exec(text)?.[1]?.trim() ?? null };

  const rows = csvRows(text, delimiter);

  return {
    rows: rows.map(({ cells, line }) => ({
      line,
      cells: cells.map((cell) => cell.trim()),
    })),
    title: null,
  };
}

const TITLE = /<title>[^<:]{1,100}: ([^<]{1,200})<\/title>/i;

interface Account {
  account: string | null;
  currency: string;
}

/** "Account: 123" and "Currency: USD", or "123 (USD, Broker-Server, demo, Hedge)". */
function accountIn(rows: readonly CsvRow[]): {
  account: string | null;
  currency: string | null;
} {
  const cells = rows.slice(0, 12).flatMap((row) => row.cells);
  const first = (pattern: RegExp) =>
    cells.map((cell) => pattern.exec(cell)).find((match) => match !== null);
  const both = first(/^(?:[^:()]+: ?)?(\d\S*) \(([A-Z]{3,5})\b[^)]*\)$/);
  if (both) {
    const [, account = '', currency = ''] = both;
    return { account, currency };
  }

  const account =
    (first(/^(?:Account|A\/C No): ?(\S+)/i) ?? first(/^[^:]+: ?(\d{4,})$/))?.[1] ?? null;
  return {
    account,
    currency: first(/^Currency: ?([A-Z]{3})\b/i)?.[1]?.toUpperCase() ?? null,
  };
}

const DEAL = 'deal: part of a position';

const OPEN = 'open position';

const CLOSED = 'closed';

const BALANCE_LINE = 'balance line';

/** Of an order in a test of version 4. */
const EVENT = 'event';

/**
 * @returns the kind of row, for skipped rows the reason; undefined if it isn't a row of
 * data
 */
function kindOf({ cells, line }: CsvRow): string | undefined {
  if (isEvent({ cells })) return EVENT;
  if (isOfVersion4({ cells })) return kindOfVersion4(cells, line);
  if (!isTime(cells[0]) || !/^\d+$/.test(cells[1] ?? '')) return undefined;

  const [, , symbol, , volume = '', , , , ending] = cells;
  if (symbol === '') return BALANCE_LINE;
  if (/\d ?\//.test(volume)) return isTime(ending) ? 'order' : 'working order';
  if (!/\d/.test(volume)) return DEAL;
  if (cells.length < 11) throw cutShort(line);

  return isTime(ending) ? CLOSED : OPEN;
}

function cutShort(line: number | undefined): RowError {
  return new RowError(
    null,
    'row without commission, swap and profit; export the report again',
    line,
  );
}

/** Another program's table has more amounts than commission, taxes, swap and profit. */
function tooMany(cells: readonly Cell[]): RowError {
  const problem = `row with ${cells.length - 10} amounts after the exit price, but MetaTrader has 4 at most`;
  return new RowError(
    null,
    `${problem}; if another program wrote the file, import it with --map new`,
    cells[0]?.line,
  );
}

/** The report of open positions has the symbol and the number before the time. */
function timeFirst(row: CsvRow): CsvRow {
  const [symbol = '', number = '', time = '', ...rest] = row.cells;
  const isOwn =
    /^\d+$/.test(number) &&
    isTime(time) &&
    symbol !== '' &&
    !isTime(symbol) &&
    !/^\d+$/.test(symbol);
  return isOwn ? { ...row, cells: [time, number, symbol, ...rest] } : row;
}

/** Version 4 has the ticket before the time, version 5 after it. */
function isOfVersion4({ cells }: Pick<CsvRow, 'cells'>): boolean {
  return /^\d+$/.test(cells[0] ?? '') && isTime(cells[1]);
}

function kindOfVersion4(cells: readonly string[], line: number): string {
  const type = cells[2]?.toLowerCase() ?? '';
  const hasEnded = isTime(cells[8]);
  if (/ (limit|stop)/.test(type)) return hasEnded ? 'cancelled order' : 'working order';
  if (/^(buy|sell)/.test(type) && cells.length < 13) throw cutShort(line);
  // A spreadsheet makes all rows as long as the header; a row without a price isn't a
  // trade.
  if (cells.length < 13 || amountOf(cells[5] ?? '') === undefined) return BALANCE_LINE;
  return hasEnded ? CLOSED : OPEN;
}

/**
 * The cells of a closed trade in the order of version 5: time, number, symbol, type,
 * volume.
 */
function cellsOf({ cells, line }: CsvRow): Cell[] {
  const [first = '', second = '', third = '', fourth = '', fifth = '', ...rest] = cells;
  const ordered = isTime(first) ? cells : [second, first, fifth, third, fourth, ...rest];
  const end = ordered.findLastIndex((cell) => cell !== '') + 1;
  return ordered.slice(0, end).map((text, index) => ({
    text,
    column: COLUMNS[index] ?? `column ${index + 1}`,
    line,
  }));
}

const COLUMNS = [
  'Time',
  'Position',
  'Symbol',
  'Type',
  'Volume',
  'Price',
  'S / L',
  'T / P',
  'Time',
  'Price',
];

type ClosedCells = [
  Cell,
  Cell,
  Cell,
  Cell,
  Cell,
  Cell,
  Cell,
  Cell,
  Cell,
  Cell,
  ...Cell[],
];

const isWhole = (cells: readonly Cell[]): cells is ClosedCells => cells.length >= 13;

function tradeOf(cells: readonly Cell[], account: Account, zone: string): RoundTrip {
  if (!isWhole(cells)) throw cutShort(cells[0]?.line);
  if (cells.length > 14) throw tooMany(cells);

  const [, , , , , , , , closed, exitPrice, ...money] = cells;
  const amounts = money.map((cell) => numberIn(cell, STYLE));

  return {
    ...entryOf(cells, account, zone),
    exit: {
      executedAt: instantIn(closed, 'ymd', zone),
      price: numberIn(exitPrice, STYLE),
    },
    gross: amounts.at(-1) as number,
    // Commission, taxes and swap: below 0 if paid.
    fees: 0 - sumOf(amounts.slice(0, -1)),
  };
}

function entryOf(cells: ClosedCells, { account, currency }: Account, zone: string) {
  const [opened, number, symbol, type, volume, entryPrice] = cells;
  const entry = {
    executedAt: instantIn(opened, 'ymd', zone),
    price: numberIn(entryPrice, STYLE),
  };
  const side = wordIn(type, { buy: 'long', sell: 'short' } as const);

  return {
    line: number.line,
    id: ticketId(number.text, [
      symbol.text.toLowerCase(),
      side,
      opened.text.slice(0, 16),
      entry.price,
    ]),
    account,
    instrument: cfdOrPair(symbol.text, currency),
    side,
    quantity: positiveIn(volume, STYLE),
    entry,
  };
}

/**
 * An open position as if closed at the market price, from which the multiplier is
 * derived. Its fees are those already paid: version 4 charges commission and swap at the
 * close, version 5 the commission with each deal.
 */
function openTradeOf(
  cells: readonly Cell[],
  account: Account,
  zone: string,
  deals: ReadonlyMap<string, readonly Deal[]>,
): RoundTrip {
  const row = cells as ClosedCells;
  const [, number, , , , , , , first, second] = row;
  const isOfVersion5 = first.text !== '';
  const profit = isOfVersion5 ? profitOfVersion5(cells) : cells.at(-1);
  const entered = entryOf(row, account, zone);
  const entries =
    deals.get(number.text)?.filter(({ direction }) => direction === 'in') ?? [];

  return {
    ...entered,
    exit: {
      executedAt: entered.entry.executedAt,
      price: numberIn(isOfVersion5 ? first : second, STYLE),
    },
    gross: numberIn(profit as Cell, STYLE),
    fees: Math.max(0, sumOf(entries.map(({ commission }) => commission))),
  };
}

/** Some workbooks have a merged, empty cell between swap and profit. */
function profitOfVersion5(cells: readonly Cell[]): Cell | undefined {
  return cells[10]?.text ? cells[10] : cells[11];
}

/**
 * Ticket numbers repeat across brokers, and files may lack the account, so the opening
 * makes the id unique.
 * @param beginning facts of the opening, which stay the same after a full or partial
 * close
 */
function ticketId(number: string, beginning: readonly (string | number)[]): string {
  return `${hash('sha256', JSON.stringify(beginning)).slice(0, 8)}:${number}`;
}

interface ReportTotal {
  what: StatedTotal['what'];
  amount: number;
  /** What its rows add up to, if known. */
  listed?: number;
  /** Why it differs from its rows. */
  reasons: readonly string[];
}

/**
 * Totals from the line below a statement's closed trades, or the net profit in a report's
 * results.
 */
function totalsIn(
  report: Report,
  currency: string,
  trades: readonly RoundTrip[],
): StatedTotal[] {
  const isStatement = !report.run && report.rows.some(isOfVersion4);
  const totals = isStatement ? statementTotals(report.rows, trades) : netTotal(report);

  return totals.map(({ what, amount, listed = amount, reasons }) => ({
    isTotal: true,
    what,
    currency,
    symbol: null,
    amount,
    ...(listed !== amount && { ofRows: listed }),
    ...(reasons.length > 0 && { why: reasons.join('; ') }),
  }));
}

function statementTotals(
  rows: readonly CsvRow[],
  trades: readonly RoundTrip[],
): ReportTotal[] {
  const amounts = rows.map(totalLine).find((line) => line !== undefined);
  if (!amounts) return [];

  const swaps = sumOf(trades.map((trade) => Math.max(0, 0 - trade.fees)));
  const ofSwaps = `swaps of ${swaps} beyond the costs of their trades count as gross because fees are never below 0`;

  const total = (what: 'gross' | 'fees', amount: number): ReportTotal => {
    const listed = sumOf(trades.map((trade) => trade[what]));
    const reasons = [
      ...moreThan(listed, amount, 'rows'),
      ...(swaps > 0 ? [ofSwaps] : []),
    ];
    return { what, amount, listed, reasons };
  };

  return [
    total('gross', amounts.at(-1) as number),
    total('fees', 0 - sumOf(amounts.slice(0, -1))),
  ];
}

function netTotal({ rows, deals, run }: Report): ReportTotal[] {
  const net = netIn(rows);
  if (net === undefined) return [];

  const total = (reasons: readonly string[], listed = net): ReportTotal[] => [
    { what: 'net', amount: net, listed, reasons },
  ];

  const ofDeals = deals.map(netOf);
  if (run) {
    const profits = rows
      .filter(isEvent)
      .map(({ cells }) => amountOf(cells[8] ?? '') ?? 0);
    const listed = sumOf([...profits, ...ofDeals]);
    return total(moreThan(listed, net, 'rows'), listed);
  }
  if (deals.length === 0) return total([]);

  const listed = sumOf(ofDeals);
  const reasons = moreThan(listed, net, 'deals');
  const older = 'positions opened before the report had costs that its deals lack';
  return total(reasons.length > 0 ? reasons : [older], listed);
}

/**
 * Net profit, recognised as the sum of gross profit and gross loss, in one row or in
 * successive ones.
 */
function netIn(rows: readonly CsvRow[]): number | undefined {
  const amounts = rows.map(({ cells }) =>
    cells.filter((cell) => cell !== '').map(amountOf),
  );
  for (const [index, [, net, , won, , lost, more]] of amounts.entries()) {
    const [below, last] = [amounts[index + 1]?.[1], amounts[index + 2]?.[1]];
    if (more === undefined && isNet(net, won, lost)) return net;
    if (isNet(net, below, last)) return net;
  }
  return undefined;
}

function isNet(net?: number, won?: number, lost?: number): boolean {
  if (net === undefined || won === undefined || lost === undefined) return false;
  return won >= 0 && lost <= 0 && roundMoney(won + lost) === net;
}

function netOf({ profit, swap, commission }: Deal): number {
  return profit + swap - commission;
}

/** Reason why a total differs from the listed rows. */
function moreThan(listed: number, total: number, what: string): string[] {
  return listed === total
    ? []
    : [`the file's own ${what} add up to ${listed}; its total includes others`];
}

/** Commission, taxes (in some versions), swap and profit, with no other cells. */
function totalLine({ cells: [first, ...rest] }: CsvRow): number[] | undefined {
  const amounts = rest.map(amountOf).filter((amount) => amount !== undefined);
  return first === '' && amounts.length === rest.length && [3, 4].includes(rest.length)
    ? amounts
    : undefined;
}
