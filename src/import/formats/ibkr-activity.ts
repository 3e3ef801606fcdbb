/**
 * Interactive Brokers' Activity Statement: sections in one CSV file, with the section at the start of each line. The section
 * of trades lists the same event at three levels: an order, its executions, the lots they closed. Executions are imported,
 * orders if they have none; lots are only compared.
 * In code because a declaration describes a single table.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, reading, skip } from '../fills/reading.ts';
import { type Cell, cellError, columnsOf, currencyIn, orNothing, refuseEmpty, wordIn } from '../parse/columns.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import type { Instrument } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { assumedZone, dayStartIn, instantIn } from '../parse/times.ts';
import { type Format, movedNote } from '../table/format.ts';
import {
  type Codes,
  type CorporateAction,
  codesIn,
  fillOrCancellation,
  instrumentOf,
  meaningOf,
  optionIn,
  PLATFORM,
  takeAction,
} from './ibkr.ts';
import { heldBefore, judgeTurns } from './ibkr-held-before.ts';
import { inEnglish } from './ibkr-languages.ts';
import { settlementPrice } from './ibkr-settlement.ts';
import { type StatementRow, statementRows } from './ibkr-statement-rows.ts';
import { isTransactionHistory } from './ibkr-transactions.ts';

const TRADE_COLUMNS = {
  level: 'DataDiscriminator',
  category: 'Asset Category',
  currency: 'Currency',
  symbol: 'Symbol',
  time: 'Date/Time',
  quantity: 'Quantity',
  price: 'T. Price',
  code: 'Code',
};

const OTHER_TRADE_COLUMNS = {
  account: 'Account',
  proceeds: ['Proceeds', 'Notional Value'],
  fee: 'Comm/Fee',
  basis: 'Basis',
  profit: 'Realized P/L',
};

type Cells = Record<keyof typeof TRADE_COLUMNS, Cell> & Partial<Record<keyof typeof OTHER_TRADE_COLUMNS, Cell>>;

const CATEGORIES = {
  Stocks: 'stock',
  ETFs: 'stock',
  Funds: 'stock',
  'Mutual Funds': 'stock',
  'Equity and Index Options': 'option',
  'Options On Futures': 'option',
  'Futures Options': 'option',
  Futures: 'future',
  Forex: 'forex',
  CFDs: 'cfd',
  'Forex CFDs': 'cfd',
  Crypto: 'crypto',
  Cryptocurrencies: 'crypto',
  Warrants: 'other',
  'Structured Products': 'other',
  Bonds: 'other',
  'Treasury Bills': 'other',
  Metals: 'other',
} as const;

const LEVELS = { Order: 'order', Trade: 'execution', Execution: 'execution', ClosedLot: 'lot' } as const;

/** Multipliers in the statement, by symbol; others are derived from the amounts of a row. */
type Multipliers = Map<string, number>;

/** A parsed row of the trades. */
interface Row {
  level: 'order' | 'execution';
  cells: Cells;
  codes: Codes;
  fill: FileFill;
  /** Below 0 for a sell. */
  signed: number;
  /** Total quantity of the lots it closed. */
  lots: number;
}

/** A line of a section, with the section's latest header. */
interface Section {
  name: string;
  kind: string;
  header: CsvRow | undefined;
  row: StatementRow;
}

/** English names of the sections in use. */
const READ = ['Trades', 'Corporate Actions', 'Transfers', 'Account Information', 'Financial Instrument Information'];

export const ibkrActivity: Format = {
  name: 'ibkr-activity',
  description: 'Interactive Brokers: Performance & Reports > Statements > Activity, downloaded as CSV, in any language',
  evidence: 'real files',
  platform: PLATFORM,
  mayStateOrders: true,
  holds: 'trades',
  looksLike(start) {
    // A spreadsheet may have changed the delimiter.
    const text = start.replace(/["\r]/g, '').replace(/[;\t]/g, ',');
    if (isTransactionHistory(start)) return false;
    return /^([^,\r\n\u2028\u2029]+,Header,DataDiscriminator,|Statement,(Header,|Data,BrokerName))/m.test(text);
  },
  read(text, context) {
    const sections = sectionsOf(statementRows(text));
    const { zone, note } = zoneOf(sections, context);
    const account = accountOf(sections);
    const multipliers = multipliersOf(sections);
    const skipped = new Map<string, number>();
    const rows: Row[] = [];
    const changes: FileFill[] = [];
    const moved: string[] = [];
    let last: Row | undefined;
    for (const section of sections) {
      if (section.kind === 'Header') continue;
      if (section.name === 'Corporate Actions') {
        const action = section.kind === 'Data' ? actionIn(section, account, zone) : undefined;
        if (action) takeAction(action, { changes, moved, skipped });
        else skip(skipped, 'total line');
      } else if (section.name === 'Transfers' && section.kind === 'Data') {
        const what = transferOf(section);
        if (what !== null) moved.push(what);
        skip(skipped, `row of section ${quote(section.name)}`);
      } else if (section.name !== 'Trades') skip(skipped, `row of section ${quote(section.name)}`);
      else if (section.kind !== 'Data') skip(skipped, 'total line');
      else {
        const cells = cellsOf(section);
        const level = wordIn(cells.level, LEVELS);
        if (level === 'lot') {
          compareLot(cells, last);
          skip(skipped, 'closed lot');
        } else {
          last = rowOf(level, cells, { account, zone, multipliers });
          rows.push(last);
        }
      }
    }
    const taken = executionsOf(rows, skipped);
    const ordered = taken.map(({ cells, codes, ...own }) => ({ ...own, ...codes, symbol: cells.symbol.text }));
    judgeTurns(
      ordered.sort((a, b) => byTime(a.fill, b.fill)),
      heldBefore(sections),
    );
    const fills = taken
      .map(({ fill, codes }) => fillOrCancellation(fill, codes))
      .concat(changes)
      .sort(byTime);
    const notes = [note];
    if (moved.length > 0) notes.push(movedNote(moved));
    if (!sections.some(({ name }) => name === 'Trades'))
      notes.push('no trades in this statement; include the section Trades');
    return reading({ fills, skipped, notes });
  },
};

function sectionsOf(rows: readonly StatementRow[]): Section[] {
  const lines = rows.flatMap(({ cells, ...row }) => {
    const [name = '', kind = '', ...rest] = cells.map((cell) => cell.trim());
    return name === '' && rest.every((cell) => cell === '') ? [] : [{ name, kind, row: { ...row, cells: rest } }];
  });
  const headers = new Map<string, CsvRow>();
  return inEnglish(lines).map(({ name, kind, row }) => {
    if (row.fault && READ.includes(name)) throw row.fault;
    if (kind === 'Header') headers.set(name, row);
    return { name, kind, header: headers.get(name), row };
  });
}

/** A statement states the zone of its creation, which its times use: "2026-01-05, 09:00:00 EST". */
function zoneOf(
  sections: readonly Section[],
  context: Parameters<typeof assumedZone>[0],
): { zone: string; note: string } {
  const made = sections.find(({ row }) => row.cells[0] === 'WhenGenerated')?.row.cells[1] ?? '';
  const eastern = / (EST|EDT)$/.exec(made)?.[1];
  if (context.timeZone !== undefined) return assumedZone(context);
  if (eastern !== undefined) {
    const note = `using America/New_York because the statement was created in ${eastern}; pass --timezone if its times are in another zone`;
    return { zone: 'America/New_York', note };
  }
  const { zone, note } = assumedZone(context);
  return { zone, note: `${note} (the default of Interactive Brokers is New York time)` };
}

/** The statement's account; null if it has several or none. */
function accountOf(sections: readonly Section[]): string | null {
  const row = sections.find(({ name, row }) => name === 'Account Information' && row.cells[0] === 'Account')?.row;
  const account = row?.cells[1] ?? '';
  return /^[A-Z*\d-]+$/i.test(account) ? account : null;
}

function multipliersOf(sections: readonly Section[]): Multipliers {
  const multipliers: Multipliers = new Map();
  for (const { name, kind, header, row } of sections) {
    if (name !== 'Financial Instrument Information' || kind !== 'Data' || !header) continue;
    const named = (column: string) => row.cells[header.cells.indexOf(column)] ?? '';
    const multiplier = Number(named('Multiplier').replaceAll(',', ''));
    for (const symbol of named('Symbol').split(',')) if (multiplier > 0) multipliers.set(symbol.trim(), multiplier);
  }
  return multipliers;
}

function cellsOf({ header, row }: Section): Cells {
  if (!header) throw new RowError(null, 'precedes the header of its section', row.line);
  if (row.cells.slice(header.cells.length).some((cell) => cell !== '')) {
    const [own, named] = [row, header].map(({ cells }) => cells.length + 2);
    throw new RowError(null, `has ${own} cells, but the header has ${named}`, row.line);
  }
  // In some sections, the fee's currency is in the header: Comm in EUR.
  const fee = header.cells.filter((name) => name.startsWith('Comm'));
  return columnsOf(header, TRADE_COLUMNS, { ...OTHER_TRADE_COLUMNS, fee })(row);
}

function rowOf(
  level: Row['level'],
  cells: Cells,
  { account, zone, multipliers }: { account: string | null; zone: string; multipliers: Multipliers },
): Row {
  refuseEmpty(cells.category, cells.currency, cells.symbol, cells.time, cells.quantity);
  const codes = codesIn(cells.code.text);
  const signed = quantityIn(cells.quantity);
  const price = priceIn(cells.price, codes);
  const instrument = instrumentIn(cells, signed, price, multipliers);
  const profit = cells.profit && orNothing(cells.profit, numberIn);
  const fee = feeOf(cells);
  const basis = (cells.basis && instrument.market === 'option' && orNothing(cells.basis, numberIn)) || 0;
  // A row at price 0 has no amount to derive the multiplier from: keep those of earlier rows.
  const { symbol } = cells;
  const multiplier = instrument.multiplier ?? 100;
  if (instrument.market === 'option' && instrument.multiplier !== null) multipliers.set(symbol.text, multiplier);
  const booked = { signed, multiplier, fees: fee.fees, profit: profit ?? 0, basis };
  return {
    level,
    cells,
    codes,
    signed,
    lots: 0,
    fill: fill({
      line: cells.symbol.line,
      account: cells.account?.text || account,
      instrument,
      executedAt: timeIn(cells.time, zone),
      side: signed > 0 ? 'buy' : 'sell',
      quantity: Math.abs(signed),
      price: settlementPrice(codes, price, booked) ?? price,
      ...fee,
      feesStated: cells.fee !== undefined,
      ...meaningOf(instrument, codes),
      stated: profit ? { net: profit } : null,
    }),
  };
}

function quantityIn(cell: Cell): number {
  const quantity = numberIn(cell);
  if (quantity !== 0) return quantity;
  throw new RowError(cell.column, 'must not be 0', cell.line);
}

/** Expirations and deliveries may have no price. */
function priceIn(cell: Cell, { kind }: Codes): number {
  const price = orNothing(cell, numberIn);
  if (price !== null || kind !== 'trade') return price ?? 0;
  throw new RowError(cell.column, 'is missing', cell.line);
}

/** Some rows have days only. */
function timeIn(cell: Cell, zone: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(cell.text) ? dayStartIn(cell, 'ymd', zone) : instantIn(cell, 'ymd', zone);
  if (time < '2100') return time;
  throw cellError(cell, 'must be a time in this century');
}

function instrumentIn(cells: Cells, signed: number, price: number, multipliers: Multipliers): Instrument {
  const currency = currencyIn(cells.currency);
  // "Stocks - Held with Interactive Brokers (U.K.) Limited carried by Interactive Brokers LLC"
  const category = { ...cells.category, text: cells.category.text.replace(/ - Held .*/is, '') };
  const market = wordIn(category, CATEGORIES);
  const derived = cells.proceeds && multiplierOf(cells.proceeds, signed * price);
  if (market === 'stock' || market === 'forex' || market === 'crypto') {
    if (derived !== undefined && Math.abs(derived - 1) > 0.01) {
      throw cellError(cells.proceeds as Cell, 'must be the quantity times the price');
    }
    return instrumentOf(cells.symbol.text, market, { currency, multiplier: 1 });
  }
  // Bonds are quoted in percent, although their stated multiplier is 1.
  const stated = multipliers.get(cells.symbol.text);
  const terms = { currency, multiplier: (market === 'other' ? derived : undefined) ?? stated ?? derived ?? null };
  return market === 'option' ? optionIn(cells.symbol, terms) : instrumentOf(cells.symbol.text, market, terms);
}

/** Money per point, derived from amount, quantity and price. */
function multiplierOf(proceeds: Cell, amount: number): number | undefined {
  const money = orNothing(proceeds, numberIn) ?? 0;
  if (amount === 0 || money === 0) return undefined;
  const exact = Math.abs(money / amount);
  const whole = Math.round(exact);
  return Math.abs(exact - whole) <= exact * 1e-3 ? whole : Number(exact.toPrecision(3));
}

function feeOf(cells: Cells): Pick<FileFill, 'fees' | 'otherFee'> {
  const amount = cells.fee ? (orNothing(cells.fee, numberIn) ?? 0) : 0;
  const currency = / in ([A-Z]{3})$/.exec(cells.fee?.column ?? '')?.[1] ?? cells.currency.text;
  const fee = amount === 0 ? 0 : 0 - amount;
  if (currency === cells.currency.text || fee === 0) return { fees: fee, otherFee: null };
  return { fees: 0, otherFee: { amount: fee, currency } };
}

/** Checks a lot, which follows the row that closed it, on the opposite side. */
function compareLot(cells: Cells, row: Row | undefined): void {
  const { symbol, quantity } = cells;
  timeIn(cells.time, 'UTC');
  if (!row) throw new RowError(cells.level.column, 'closed lot without a trade above it', symbol.line);
  if (symbol.text !== row.cells.symbol.text) {
    const wanted = quote(row.cells.symbol.text);
    throw cellError(symbol, `must be ${wanted}, the symbol of the trade on line ${row.fill.line} that closed this lot`);
  }
  row.lots = roundMoney(row.lots + numberIn(quantity));
  if (row.lots * row.signed < 0 && Math.abs(row.lots) <= Math.abs(row.signed) * (1 + 1e-9)) return;
  const trade = `the trade on line ${row.fill.line} with quantity ${row.signed}`;
  throw cellError(quantity, `closed lots must be on the opposite side of ${trade}, and not exceed it`);
}

/** The executions, and orders without executions. */
function executionsOf(rows: readonly Row[], skipped: Map<string, number>): Row[] {
  const taken: Row[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as Row;
    const own: Row[] = [];
    if (row.level === 'order') {
      for (let next = rows[at + 1]; next?.level === 'execution' && isOf(next, row); next = rows[at + 1]) {
        own.push(next);
        at++;
      }
    }
    if (own.length > 0) {
      refuseOtherSum(row, own);
      skip(skipped, 'order with executions in the file');
      for (const execution of own) taken.push(execution);
    } else taken.push(row);
  }
  return taken;
}

function isOf(execution: Row, order: Row): boolean {
  const { fill: a, signed } = execution;
  const { fill: b } = order;
  const isSame = a.instrument.symbol === b.instrument.symbol && a.instrument.currency === b.instrument.currency;
  return isSame && a.account === b.account && signed * order.signed > 0;
}

function refuseOtherSum(order: Row, executions: readonly Row[]): void {
  const sum = executions.reduce((total, { signed }) => total + signed, 0);
  if (Math.abs(sum - order.signed) <= Math.abs(order.signed) * 1e-9) return;
  throw cellError(order.cells.quantity, `must be ${roundMoney(sum)}, the total of the executions below`);
}

function actionIn({ header, row }: Section, account: string | null, zone: string): CorporateAction | undefined {
  if (!header) throw new RowError(null, 'precedes the header of its section', row.line);
  const cells = columnsOf(
    header,
    { currency: 'Currency', time: 'Date/Time', description: 'Description', quantity: 'Quantity' },
    { account: 'Account', proceeds: 'Proceeds', code: 'Code' },
  )(row);
  const { text: currency } = cells.currency;
  if (!/^[A-Z]{3}$/.test(currency) || cells.description.text === '') return undefined;
  return {
    line: row.line,
    account: cells.account?.text || account,
    currency,
    executedAt: timeIn(cells.time, zone),
    description: cells.description.text,
    quantity: orNothing(cells.quantity, numberIn) ?? 0,
    proceeds: (cells.proceeds && orNothing(cells.proceeds, numberIn)) ?? 0,
    isCancelled: codesIn(cells.code?.text ?? '').isCancelled,
  };
}

/** Shares transferred from or to another account. */
function transferOf({ header, row }: Section): string | null {
  const named = (...names: string[]) => row.cells[header?.cells.findIndex((name) => names.includes(name)) ?? -1] ?? '';
  const quantity = Number(named('Qty', 'Quantity').replaceAll(',', ''));
  return named('Symbol') !== '' && quantity !== 0 ? `${named('Symbol')} on line ${row.line}` : null;
}
