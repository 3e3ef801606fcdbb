/**
 * Interactive Brokers' Activity Statement: sections in one CSV file, with the section at
 * the start of each line. The section of trades lists the same event at three levels: an
 * order, its executions, the lots they closed. Executions are imported, orders if they
 * have none; lots state the day and cost of what no file opened. In code because a
 * declaration describes a single table.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  columnsOf,
  numberIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvRow, csvRows } from '../../parse/csv-rows.ts';
import { usualZone } from '../../parse/times.ts';
import { type FileFill, type FileFlow, reading } from '../fills/reading.ts';
import { type Format, type OtherRows, otherRows } from '../tables/format.ts';
import {
  cellOf,
  type Deal,
  dealIn,
  lotIn,
  type Row,
  type Statement,
  timeOf,
  zoneIn,
} from './ibkr.ts';
import {
  conversionFlows,
  endingCashIn,
  fillsOf,
  flowOfLine,
  type HeldBefore,
  takeAction,
} from './ibkr-events.ts';
import { inEnglish, type StatementLine, type StatementRow } from './ibkr-languages.ts';
import { KNOWN } from './known.ts';

/** Columns by the attributes of a Flex Query. */
const COLUMNS = {
  levelOfDetail: 'DataDiscriminator',
  assetCategory: 'Asset Category',
  currency: 'Currency',
  symbol: 'Symbol',
  dateTime: 'Date/Time',
  quantity: 'Quantity',
  tradePrice: 'T. Price',
  notes: 'Code',
};

const OTHER_COLUMNS = {
  accountId: 'Account',
  proceeds: ['Proceeds', 'Notional Value'],
  cost: 'Basis',
  fifoPnlRealized: 'Realized P/L',
};

const ACTION_COLUMNS = {
  currency: 'Currency',
  dateTime: 'Date/Time',
  description: 'Description',
  quantity: 'Quantity',
};

/** Categories of a Flex Query. */
const CATEGORIES = byMeaning({
  STK: 'Stocks, ETFs, Funds, Mutual Funds',
  OPT: 'Equity and Index Options, Options On Futures, Futures Options',
  FUT: 'Futures',
  CASH: 'Forex',
  CFD: 'CFDs, Forex CFDs',
  CRYPTO: 'Crypto, Cryptocurrencies',
  WAR: 'Warrants, Structured Products, Bonds, Treasury Bills, Metals',
});

const LEVELS = {
  Order: 'order',
  Trade: 'execution',
  Execution: 'execution',
  ClosedLot: 'lot',
} as const;

/** A parsed row of the trades. */
interface Trade extends Deal {
  level: 'order' | 'execution';
  quantity: Cell;
  /** Total quantity of the lots it closed. */
  lots: number;
}

/** A line of a section, with the section's latest header. */
interface Section extends StatementLine {
  header: CsvRow | undefined;
}

/** English names of the sections in use. */
const READ = [
  'Trades',
  'Corporate Actions',
  'Transfers',
  'Account Information',
  'Financial Instrument Information',
];

export const ibkrActivity: Format = {
  ...KNOWN['ibkr-activity'],
  read(text, context) {
    const sections = sectionsOf(statementRows(text));
    const { zone, note } = zoneOf(sections, context);
    const statement: Statement = {
      account: accountOf(sections),
      zone,
      order: 'ymd',
      base: null,
      rates: new Map(),
      multipliers: multipliersOf(sections),
      isQuery: false,
    };
    const others = otherRows();
    const { trades, changes, conversions, flows } = eventsIn(sections, statement, others);
    const fills = fillsOf(executionsOf(trades, others), changes, heldBefore(sections));
    const hasTrades = sections.some(({ name }) => name === 'Trades');
    const missing = hasTrades
      ? []
      : ['no trades in this statement; include the section Trades'];

    const converted = executionsOf(conversions, others).flatMap(conversionFlows);

    return reading({
      fills,
      flows: [...flows, ...converted],
      cash: endingCashIn(sections, statement.account),
      skipped: others.skipped,
      notes: [note, ...others.movedNotes(), ...missing],
    });
  },
};

interface Events {
  trades: Trade[];
  /** Of positions, by corporate actions. */
  changes: FileFill[];
  /** Automatic conversions of currencies. */
  conversions: Trade[];
  flows: FileFlow[];
}

function eventsIn(
  sections: readonly Section[],
  statement: Statement,
  others: OtherRows,
): Events {
  const events: Events = { trades: [], changes: [], conversions: [], flows: [] };
  const descriptions = descriptionsOf(sections);

  for (const section of sections) {
    if (section.kind === 'Header') continue;
    if (section.name === 'Trades')
      takeTrade(section, statement, descriptions, events, others);
    else if (section.name === 'Corporate Actions')
      takeChange(section, statement, events, others);
    else takeOther(section, statement, events.flows, others);
  }

  return events;
}

function takeTrade(
  section: Section,
  statement: Statement,
  descriptions: ReadonlyMap<string, string>,
  { trades, conversions }: Events,
  others: OtherRows,
): void {
  const trade = tradeOrReason(section, statement, { last: trades.at(-1), descriptions });
  if (typeof trade === 'string') others.skip(trade);
  else if (trade.codes.isConversion) conversions.push(trade);
  else trades.push(trade);
}

function takeChange(
  section: Section,
  statement: Statement,
  { changes }: Events,
  others: OtherRows,
): void {
  const action = section.kind === 'Data' && actionIn(section);
  if (action) takeAction(action, statement, changes, others);
  else others.skip(TOTAL);
}

/** A row of another section: a cash flow, or skipped. */
function takeOther(
  section: Section,
  statement: Statement,
  flows: FileFlow[],
  others: OtherRows,
): void {
  takeTransfer(section, others);
  const flow = flowOfLine(section, statement) ?? cashTransferIn(section, statement);
  if (flow) flows.push(flow);
  else others.skip(`row of section ${quote(section.name)}`);
}

/** Cash that a row of transfers moves to or from another account. */
function cashTransferIn(section: Section, statement: Statement): FileFlow | undefined {
  const { name, kind, header, row } = section;
  if (name !== 'Transfers' || kind !== 'Data' || !header?.cells.includes('Cash Amount'))
    return undefined;

  const amount = Number(textIn(section, 'Cash Amount').replaceAll(',', ''));
  const currency = textIn(section, 'Currency');
  if (!amount || !/^[A-Z]{3}$/.test(currency)) return undefined;

  const isOut = /^out/i.test(textIn(section, 'Direction'));
  const date = { text: textIn(section, 'Date'), column: 'Date', line: row.line };
  const at: Row = {
    line: row.line,
    cell: (attribute) => (attribute === 'dateTime' ? date : undefined),
  };

  return {
    line: row.line,
    id: null,
    account: statement.account,
    executedAt: timeOf(at, statement),
    kind: 'transfer',
    amount: isOut ? 0 - Math.abs(amount) : amount,
    currency,
    symbol: null,
    description: textIn(section, 'Type') || 'transfer',
  };
}

const TOTAL = 'total line';

/** A trade, or the reason to skip its row. */
function tradeOrReason(
  section: Section,
  statement: Statement,
  before: Parameters<typeof tradeIn>[2],
): Trade | string {
  if (section.kind !== 'Data') return TOTAL;
  const trade = tradeIn(section, statement, before);
  return trade ?? 'closed lot';
}

/** A cell that contains the beginning of another line: an unclosed quotation mark. */
const SWALLOWED = /[\r\n][^,;\t\r\n]*[,;\t](Header|Data|SubTotal|Total)[,;\t]/;

/**
 * Notes and lists of codes may have quotation marks that CSV doesn't allow; their section
 * decides whether that matters.
 */
function statementRows(text: string): StatementRow[] {
  try {
    const rows = csvRows(text);
    if (!rows.some(({ cells }) => cells.some((cell) => SWALLOWED.test(cell))))
      return rows;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
  }

  const delimiter = /[,;\t]/.exec(text)?.[0] ?? ',';
  return text
    .split(/\r\n?|\n/)
    .flatMap((line, index) => lineOf(line, delimiter, index + 1) ?? []);
}

function lineOf(text: string, delimiter: string, line: number): StatementRow | undefined {
  try {
    return csvRows(text, delimiter, line)[0];
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { line, cells: text.split(delimiter), fault: error };
  }
}

function sectionsOf(rows: readonly StatementRow[]): Section[] {
  const lines = rows.flatMap(({ cells, ...row }) => {
    const [name = '', kind = '', ...rest] = cells.map((cell) => cell.trim());
    return name === '' && rest.every((cell) => cell === '')
      ? []
      : [{ name, kind, row: { ...row, cells: rest } }];
  });
  const headers = new Map<string, CsvRow>();

  return inEnglish(lines).map(({ name, kind, row }) => {
    if (row.fault && READ.includes(name)) throw row.fault;
    if (kind === 'Header') headers.set(name, row);
    return { name, kind, header: headers.get(name), row };
  });
}

/**
 * A statement states the zone of its creation, which its times use: "2026-01-05, 09:00:00
 * EST".
 */
function zoneOf(
  sections: readonly Section[],
  context: Parameters<typeof zoneIn>[0],
): ReturnType<typeof zoneIn> {
  const created = sections.find(({ row }) => row.cells[0] === 'WhenGenerated')?.row
    .cells[1];
  const eastern = / (EST|EDT)$/.exec(created ?? '')?.[1];
  if (context.timeZone !== undefined || eastern === undefined) return zoneIn(context);

  const { zone, note } = usualZone(
    context,
    'America/New_York',
    `since the statement was created in ${eastern}`,
  );
  return { zone, note };
}

/** The statement's account; null if it has several or none. */
function accountOf(sections: readonly Section[]): string | null {
  const row = sections.find(
    ({ name, row }) => name === 'Account Information' && row.cells[0] === 'Account',
  )?.row;
  const account = row?.cells[1] ?? '';
  return /^[A-Z*\d-]+$/i.test(account) ? account : null;
}

/** Multipliers by symbol. */
function multipliersOf(sections: readonly Section[]): Map<string, number> {
  const multipliers = new Map<string, number>();
  for (const section of sections) {
    if (section.name !== 'Financial Instrument Information' || section.kind !== 'Data')
      continue;
    const multiplier = Number(textIn(section, 'Multiplier').replaceAll(',', ''));
    const symbols = textIn(section, 'Symbol').split(',');
    for (const symbol of symbols)
      if (multiplier > 0) multipliers.set(symbol.trim(), multiplier);
  }

  return multipliers;
}

/** Descriptions by symbol: options on futures have their terms there. */
function descriptionsOf(sections: readonly Section[]): Map<string, string> {
  const described = new Map<string, string>();
  for (const section of sections) {
    if (section.name !== 'Financial Instrument Information' || section.kind !== 'Data')
      continue;
    const symbols = textIn(section, 'Symbol').split(',');
    for (const symbol of symbols)
      described.set(symbol.trim(), textIn(section, 'Description').trim());
  }

  return described;
}

/** The text of a line in the first of these columns; empty if there is none. */
function textIn({ header, row }: Section, ...names: string[]): string {
  return row.cells[header?.cells.findIndex((name) => names.includes(name)) ?? -1] ?? '';
}

/** A row of the section, its cells by the attributes of a Flex Query. */
function rowOf(
  { header, row }: Section,
  required: Record<string, string>,
  optional: Parameters<typeof columnsOf>[2],
): Row {
  if (!header) throw new RowError(null, 'precedes the header of its section', row.line);
  const cells: Record<string, Cell | undefined> = columnsOf(
    header,
    required,
    optional,
  )(row);
  return { line: row.line, cell: (attribute) => cells[attribute] };
}

/** @returns undefined for a closed lot, which belongs to the last row */
function tradeIn(
  section: Section,
  statement: Statement,
  {
    last,
    descriptions,
  }: { last: Trade | undefined; descriptions: ReadonlyMap<string, string> },
): Trade | undefined {
  const names = section.header?.cells ?? [];
  const row = section.row;
  if (section.header && row.cells.slice(names.length).some((cell) => cell !== '')) {
    const widths = [row.cells, names].map((cells) => cells.length + 2);
    throw new RowError(
      null,
      `has ${widths[0]} cells, but the header has ${widths[1]}`,
      row.line,
    );
  }

  // In some sections, the fee's currency is in the header: Comm in EUR.
  const fee = names.filter((name) => name.startsWith('Comm'));
  const found = rowOf(section, COLUMNS, { ...OTHER_COLUMNS, ibCommission: fee });
  const cell = (attribute: string) => found.cell(attribute) as Cell;
  const level = wordIn(cell('levelOfDetail'), LEVELS);
  if (level === 'lot') {
    takeLot(found, last);
    return undefined;
  }

  // "Stocks - Held with Interactive Brokers (U.K.) Limited carried by Interactive Brokers
  // LLC"
  const category = {
    ...cell('assetCategory'),
    text: cell('assetCategory').text.replace(/ - Held .*/is, ''),
  };
  refuseEmpty(category);
  const feeCurrency = / in ([A-Z]{3})$/.exec(
    found.cell('ibCommission')?.column ?? '',
  )?.[1];
  const replaced: Record<string, Cell> = {
    assetCategory: { ...category, text: wordIn(category, CATEGORIES) },
  };
  const description = descriptions.get(cell('symbol').text);
  if (description !== undefined)
    replaced['description'] = { ...cell('symbol'), text: description };
  if (feeCurrency)
    replaced['ibCommissionCurrency'] = { ...cell('ibCommission'), text: feeCurrency };
  const deal = dealIn(
    { line: row.line, cell: (attribute) => replaced[attribute] ?? found.cell(attribute) },
    statement,
  );
  deal.fill.feesStated = found.cell('ibCommission') !== undefined;

  return { ...deal, level, quantity: cell('quantity'), lots: 0 };
}

/** Takes a lot, which follows the row that closed it, on the opposite side. */
function takeLot(lot: Row, trade: Trade | undefined): void {
  const level = cellOf(lot, 'levelOfDetail');
  const symbol = cellOf(lot, 'symbol');
  const quantity = cellOf(lot, 'quantity');
  timeOf(lot, { zone: 'UTC', order: 'ymd' });
  if (!trade)
    throw new RowError(level.column, 'closed lot without a trade above it', lot.line);

  const { signed, fill } = trade;
  if (symbol.text !== trade.symbol) {
    const wanted = `${quote(trade.symbol)}, the symbol of the trade on line ${fill.line} that closed this lot`;
    throw cellError(symbol, `must be ${wanted}`);
  }

  trade.lots = roundMoney(trade.lots + numberIn(quantity));
  if (trade.lots * signed < 0 && Math.abs(trade.lots) <= Math.abs(signed) * (1 + 1e-9)) {
    const stated = lotIn(lot, { order: 'ymd' }, 'dateTime');
    if (stated) fill.lots = [...(fill.lots ?? []), stated];
    return;
  }

  const closing = `the trade on line ${fill.line} with quantity ${signed}`;
  throw cellError(
    quantity,
    `closed lots must be on the opposite side of ${closing}, and not exceed it`,
  );
}

/**
 * Units held before the statement, from its section Mark-to-Market Performance Summary.
 * It is recognised in any language by its quantities before and now, then prices, each --
 * if its quantity is 0.
 */
function heldBefore(lines: readonly StatementLine[]): HeldBefore {
  const isOwn = ({ kind, row: { cells } }: StatementLine) =>
    kind === 'Data' &&
    cells.length > 8 &&
    [2, 3].some((at) => cells[at] === '0' && cells[at + 2] === '--');

  const section = lines.find(isOwn)?.name;
  const held = new Map<string, number>();
  for (const { name, kind, row } of lines) {
    const [, symbol = '', before = ''] = row.cells;
    if (name === section && kind === 'Data' && symbol !== '')
      held.set(symbol, Number(before.replaceAll(',', '')) || 0);
  }

  return held;
}

/** The executions, and orders without executions. */
function executionsOf(rows: readonly Trade[], { skip }: OtherRows): Trade[] {
  const taken: Trade[] = [];
  let at = 0;
  while (at < rows.length) {
    const row = rows[at++] as Trade;
    const executions = row.level === 'order' ? executionsFrom(rows, at, row) : [];
    if (executions.length === 0) {
      taken.push(row);
      continue;
    }

    refuseOtherSum(row, executions);
    skip('order with executions in the file');
    for (const execution of executions) taken.push(execution);
    at += executions.length;
  }

  return taken;
}

/** The executions of an order: the rows below it. */
function executionsFrom(rows: readonly Trade[], first: number, order: Trade): Trade[] {
  let end = first;
  while (rows[end]?.level === 'execution' && isOf(rows[end] as Trade, order)) end++;
  return rows.slice(first, end);
}

function isOf(execution: Trade, order: Trade): boolean {
  const { fill: a, signed } = execution;
  const { fill: b } = order;
  const isSame =
    a.instrument.symbol === b.instrument.symbol &&
    a.instrument.currency === b.instrument.currency;
  return isSame && a.account === b.account && signed * order.signed > 0;
}

function refuseOtherSum(order: Trade, executions: readonly Trade[]): void {
  const sum = executions.reduce((total, { signed }) => total + signed, 0);
  if (Math.abs(sum - order.signed) <= Math.abs(order.signed) * 1e-9) return;
  throw cellError(
    order.quantity,
    `must be ${roundMoney(sum)}, the total of the executions below`,
  );
}

/** @returns undefined for a total */
function actionIn(section: Section): Row | undefined {
  const row = rowOf(section, ACTION_COLUMNS, {
    accountId: 'Account',
    proceeds: 'Proceeds',
    notes: 'Code',
  });
  const isWhole =
    /^[A-Z]{3}$/.test(row.cell('currency')?.text ?? '') &&
    row.cell('description')?.text !== '';
  return isWhole ? row : undefined;
}

/**
 * Reports shares transferred from or to another account, if a section's row states them.
 */
function takeTransfer(section: Section, { moved }: OtherRows): void {
  if (section.name !== 'Transfers' || section.kind !== 'Data') return;
  const [symbol, quantity] = [
    textIn(section, 'Symbol'),
    textIn(section, 'Qty', 'Quantity'),
  ];
  if (symbol !== '' && Number(quantity.replaceAll(',', '')) !== 0)
    moved({ text: symbol, line: section.row.line });
}
