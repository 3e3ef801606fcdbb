/**
 * thinkorswim's account statement: sections, each with its own header. The fills are in Account Trade History, often only to
 * the minute; their costs and seconds are in Cash Balance, Futures Statements and Forex Statements.
 * In code because a declaration describes a single table.
 */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, oldestFirst, type Reading, reading, type StatedTotal, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, joined, orNothing } from '../parse/columns.ts';
import { contractSize, futureOf } from '../parse/contract-sizes.ts';
import { type CsvRow, csvRows, isEmpty } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, priceIn32nds } from '../parse/numbers.ts';
import { assumedZone, instantIn, monthOf } from '../parse/times.ts';
import { knownWord, sideIn, wordIn } from '../parse/words.ts';
import type { Format } from '../table/format.ts';
import { type Position, type Statement, type SymbolResult, settled } from './thinkorswim-positions.ts';

const TRADE_COLUMNS = {
  time: 'Exec Time',
  side: 'Side',
  quantity: 'Qty',
  symbol: 'Symbol',
  type: 'Type',
  price: 'Price',
};
/** A statement with only stocks lacks the columns of options. */
const TRADE_EXTRAS = { expiration: 'Exp', strike: 'Strike', effect: 'Pos Effect', net: 'Net Price' };

const CASH_SECTIONS = ['Cash Balance', 'Futures Statements', 'Forex Statements'];
const CASH_COLUMNS = {
  date: ['Exec Date', 'Date'],
  time: ['Exec Time', 'Time'],
  type: 'Type',
  description: 'Description',
};
const CASH_EXTRAS = {
  reference: 'Ref #',
  misc: 'Misc Fees',
  commissions: ['Commissions & Fees', 'Commissions'],
  amount: 'Amount',
};

const TYPES = {
  STOCK: 'stock',
  ETF: 'stock',
  FUND: 'stock',
  CALL: 'call',
  PUT: 'put',
  FUTURE: 'future',
  FOREX: 'forex',
} as const;

/** A cash line of a fill: BOT +300 PYPL @13.31. */
interface CashLine {
  line: number;
  executedAt: string;
  side: string;
  quantity: number;
  price: number;
  description: string;
  fees: number;
  reference: string | null;
}

/** Fills of one order's execution: one per leg of a spread, with a time only for the first. */
interface Execution {
  legs: FileFill[];
  /** Possible prices in the cash line: the leg's or the spread's. */
  prices: number[];
}

export const thinkorswim: Format = {
  name: 'thinkorswim',
  description: 'thinkorswim: Monitor > Account Statement, exported as CSV with Cash Balance and Account Trade History',
  evidence: 'real files',
  holds: 'trades',
  looksLike: (start) => /^"?(Account )?Statement for .* since /im.test(start) || /^DATE,TIME,TYPE,REF #,/m.test(start),
  read: (text, context) => readSections(text, context, 'Account Trade History'),
};

/** One day without costs; the statement has the same fills with them. */
export const thinkorswimActivity: Format = {
  name: 'thinkorswim-activity',
  description:
    'thinkorswim: Monitor > Activity and Positions, exported as CSV with Filled Orders: fills of today, no fees',
  evidence: 'documentation',
  platform: 'thinkorswim',
  holds: 'trades',
  looksLike: (start) => /^"?Today's Trade Activity for /im.test(start),
  read: (text, context) => readSections(text, context, 'Filled Orders'),
};

/** @param trades name of the section with the fills */
function readSections(text: string, context: Parameters<typeof assumedZone>[0], trades: string): Reading {
  const { zone, note } = assumedZone(context);
  // References are formulas, so that a spreadsheet keeps all digits.
  const rows = csvRows(text.replaceAll(/="([^"]*)"/g, '$1'));
  const sections = sectionsOf(rows);
  const history = sections.get(trades);
  if (!history) throw new RowError(null, `no section "${trades}"; show it in thinkorswim and export again`, 1);
  const account = /(?:Statement|Trade Activity) for (\S+)/i.exec(text)?.[1] ?? null;
  const skipped = new Map<string, number>();
  const cash = CASH_SECTIONS.map((name) => cashOf(sections.get(name) ?? [], zone, account, skipped));
  const executions = executionsOf(history, zone, account);
  const lines = cash.flatMap((own) => own.lines);
  const notes = [note, ...payFor(executions, lines, trades)];
  const unclear = cash.flatMap((own) => own.unclear);
  if (unclear.length > 0) {
    notes.push(
      `${unclear.length} removals of options in unknown words close nothing (the first on line ${unclear[0]}); check these positions`,
    );
  }
  const traded = executions.flatMap(({ legs }) => legs);
  const removed = named(
    cash.flatMap((own) => own.removed),
    traded,
  );
  // Expirations are in the cash section too.
  const isCounted = new Set(removed.map(({ instrument }) => instrument.symbol));
  const fills = oldestFirst(traded.filter((own) => own.kind === 'trade' || !isCounted.has(own.instrument.symbol)));
  const statement = statementIn(
    text,
    sections,
    cash.flatMap((own) => own.adjustments),
  );
  const whole = settled([...fills, ...removed], statement);
  return reading({
    fills: whole.fills,
    skipped,
    notes: [...notes, ...whole.notes],
    stated: [
      ...whole.stated,
      // A section's total is the file's only if no other section has fills.
      ...(cash.filter((own) => own.lines.length > 0).length === 1 ? cash.flatMap(({ total }) => total) : []),
    ],
  });
}

/** Removed options on futures with the fills' spelling of the underlying: with or without the exchange. */
function named(removed: readonly FileFill[], traded: readonly FileFill[]): FileFill[] {
  const known = new Map(traded.map(({ instrument }) => [withoutExchange(instrument.symbol), instrument]));
  return removed.map((own) => {
    const instrument = known.get(withoutExchange(own.instrument.symbol));
    return instrument ? { ...own, instrument } : own;
  });
}

function withoutExchange(text: string): string {
  return text.replace(/^(\/[A-Z0-9]+):X[A-Z]{3}\b/, '$1');
}

/** Positions and P&L from the other sections; cells masked by the platform count as empty. */
function statementIn(
  text: string,
  sections: ReadonlyMap<string, CsvRow[]>,
  adjustments: Statement['adjustments'],
): Statement {
  const options = new Map<string, Position>();
  const shares = new Map<string, Position>();
  const results = new Map<string, SymbolResult>();
  const amountIn = (cell: Cell | undefined) => (cell && /\d/.test(cell.text) ? moneyIn(cell) : null);
  const each = (name: string, put: (cells: SectionCells) => void): boolean => {
    const [header, ...rows] = sections.get(name) ?? [];
    if (!header) return false;
    const cellsOf = columnsOf(header, { symbol: 'Symbol' }, SECTION_EXTRAS);
    for (const row of rows) if (cellsOf(row).symbol.text !== '') put(cellsOf(row));
    return true;
  };
  const hasShares = each('Equities', ({ symbol, quantity, price }) => {
    if (quantity) shares.set(symbol.text, { quantity: numberIn(quantity), price: amountIn(price) });
  });
  const hasOptions = each('Options', ({ symbol, quantity, price, type, expiration, strike }) => {
    if (!quantity || !type || !expiration || !strike) return;
    const { symbol: own } = instrumentOf({ symbol, type, expiration, strike });
    options.set(own, { quantity: numberIn(quantity), price: amountIn(price) });
  });
  each('Profits and Losses', ({ symbol, day, year, open, value }) => {
    const [ofDay, ofYear, ofOpen, worth] = [day, year, open, value].map(amountIn) as (number | null)[];
    results.set(symbol.text, { day: ofDay ?? null, year: ofYear ?? null, open: ofOpen ?? null, value: worth ?? null });
  });
  return {
    shares: hasShares ? shares : undefined,
    options: hasOptions ? options : undefined,
    results,
    adjustments,
    covers: coveredBy(text),
  };
}

type SectionCells = Record<'symbol', Cell> & Partial<Record<keyof typeof SECTION_EXTRAS, Cell>>;

const SECTION_EXTRAS = {
  quantity: 'Qty',
  price: 'Trade Price',
  expiration: 'Exp',
  strike: 'Strike',
  type: 'Type',
  day: 'P/L Day',
  year: 'P/L YTD',
  open: 'P/L Open',
  value: ['Close Value', 'Mark Value'],
};

/** The P&L that covers the statement's period: a single day, or a year from its first day. */
function coveredBy(text: string): Statement['covers'] {
  const [, since, through] = / since ([\d/]+) through ([\d/]+)/i.exec(text) ?? [];
  if (since === undefined || through === undefined) return null;
  if (since === through) return 'day';
  const [month, day, year] = since.split('/');
  return Number(month) === 1 && Number(day) === 1 && through.endsWith(`/${year}`) ? 'year' : null;
}

/** A line with only a name begins a section, and an empty line ends it. */
function sectionsOf(rows: readonly CsvRow[]): Map<string, CsvRow[]> {
  const sections = new Map<string, CsvRow[]>();
  let section: CsvRow[] | undefined;
  for (const row of rows) {
    const [name = '', ...others] = row.cells.map((cell) => cell.trim());
    if (isEmpty(row)) section = undefined;
    else if (name !== '' && others.every((cell) => cell === '')) {
      section = [];
      sections.set(name, section);
    } else section?.push(row);
  }
  return sections;
}

function executionsOf([header, ...rows]: readonly CsvRow[], zone: string, account: string | null): Execution[] {
  if (!header) return [];
  const cellsOf = columnsOf(header, TRADE_COLUMNS, TRADE_EXTRAS);
  const executions: Execution[] = [];
  let time: Cell | undefined;
  for (const row of rows) {
    const cells = cellsOf(row);
    const isFirst = cells.time.text !== '';
    if (isFirst) time = cells.time;
    if (!time) throw RowError.missing([cells.time.column], row.line);
    const price = priceIn(cells.price);
    const instrument = instrumentOf(cells);
    const effect = effectIn(cells.effect);
    const hasExpired = effect === 'expired';
    const leg = fill({
      line: row.line,
      account,
      instrument,
      executedAt: instantIn(time, 'mdy', zone),
      side: hasExpired ? null : sideIn(cells.side),
      quantity: Math.abs(numberIn(cells.quantity)),
      price: hasExpired ? 0 : price,
      ...(hasExpired ? { kind: 'expiration', effect: 'close' } : { effect }),
      mayShort: instrument.market === 'future' || instrument.market === 'forex',
    });
    if (isFirst) executions.push({ legs: [leg], prices: [price] });
    else executions.at(-1)?.legs.push(leg);
    const net = cells.net && /^[-\d.,']+$/.test(cells.net.text) ? priceIn(cells.net) : undefined;
    if (net !== undefined) executions.at(-1)?.prices.push(net);
  }
  return executions;
}

function effectIn(cell: Cell | undefined): 'open' | 'close' | 'expired' | null {
  if (!cell) return null;
  return orNothing(cell, (own) => wordIn(own, EFFECTS));
}

const EFFECTS = { 'TO OPEN': 'open', 'TO CLOSE': 'close', AUTO: null, EXPIRED: 'expired' } as const;

function priceIn(cell: Cell): number {
  return /\d'\d/.test(cell.text) ? priceIn32nds(cell) : numberIn(cell);
}

/** /ESU25 1/50 4 AUG 25 (Monday) (Wk2): an option on a future with contract size and expiration; Exp then has its code. */
const FUTURE_OPTION = /^(\/[A-Z0-9]+(?::X[A-Z]{3})?) 1\/(\d+) (.*)$/;

function instrumentOf(cells: Record<'symbol' | 'type', Cell> & { expiration?: Cell; strike?: Cell }): Instrument {
  const [, future, size, series] = FUTURE_OPTION.exec(cells.symbol.text) ?? [];
  const symbol = future ?? cells.symbol.text;
  const type = wordIn(cells.type, TYPES);
  if (type === 'stock' && !symbol.startsWith('/')) return stock(symbol);
  if (type === 'forex') return { ...stock(symbol, symbol.split('/')[1]), market: 'forex' };
  const root = futureOf(symbol)?.root;
  if (type === 'stock' || type === 'future') return { ...stock(symbol), market: 'future', underlying: root ?? null };
  const { expiration, strike } = cells;
  if (!expiration || !strike) throw RowError.missing(['Exp', 'Strike'], cells.type.line);
  const known = root === undefined || !symbol.startsWith('/') ? undefined : contractSize(root)?.multiplier;
  const multiplier = size === undefined ? known : Number(size);
  if (multiplier === undefined && symbol.startsWith('/')) {
    const { column, line } = cells.symbol;
    throw new RowError(column, `unknown contract size for options on ${symbol}; export the futures section too`, line);
  }
  return option(
    {
      underlying: symbol,
      expiration: series === undefined ? expirationIn(expiration) : expirationIn({ ...cells.symbol, text: series }),
      strike: numberIn(strike),
      optionType: type,
    },
    { multiplier: multiplier ?? null },
  );
}

/** 18 NOV 22, with or without the kind of series after it. */
function expirationIn({ text, column, line }: Cell): string {
  const [, day = '', month = '', year = ''] = /\b(\d\d?) ([A-Z]{3}) (\d{4}|\d\d)\b/i.exec(text) ?? [];
  const number = monthOf(month);
  if (number !== undefined) return `${year.padStart(4, '20')}-${number}-${day.padStart(2, '0')}`;
  const weekly = weeklyIn(text);
  if (weekly !== undefined) return weekly;
  throw new RowError(column, `must be a date, such as 18 NOV 22; got "${text}"`, line);
}

const MONTH_CODES = 'FGHJKMNQUVXZ';

/**
 * The day of a weekly option by the exchanges' code: /EX2F26 is the second Friday of January 2026, /E1AQ25 the first Monday
 * of August 2025, with B to D for Tuesday to Thursday.
 */
function weeklyIn(text: string): string | undefined {
  const [, week, letter = 'E', month = '', year = ''] =
    /^\/[A-Z]{1,3}([1-5])([A-D])?([FGHJKMNQUVXZ])(\d\d?)(?::X[A-Z]{3})?$/.exec(text) ?? [];
  if (week === undefined) return undefined;
  const first = new Date(
    Date.UTC(Number(year.padStart(4, '2020'.slice(0, 4 - year.length))), MONTH_CODES.indexOf(month), 1),
  );
  const weekday = 'ABCDE'.indexOf(letter) + 1;
  const day = 1 + ((weekday - first.getUTCDay() + 7) % 7) + (Number(week) - 1) * 7;
  return `${first.getUTCFullYear()}-${String(first.getUTCMonth() + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

interface Cash {
  lines: CashLine[];
  /** Options that expired or became shares. */
  removed: FileFill[];
  /** Lines of such options in unknown words. */
  unclear: number[];
  /** Changes of positions without a symbol. */
  adjustments: Statement['adjustments'][number][];
  total: StatedTotal[];
}

const TRADE_TEXT = /\b(BOT|SOLD) ([-+]?[\d,.]+) /;
const TRADED_AT = /^(.*) @([-\d.,']+)/;
/** SPX 100 (Weeklys) 18 NOV 22 3900 PUT; /MESH26 XCME 5 (WEEKLY) 2 Jan 2026 6840.0 PUT. */
const OPTION_TEXT =
  /(?<!\S)(\S+)(?: (X[A-Z]{3}))? (?:1\/)?\d+ (?:\([^()]*\) )?(\d\d? [A-Z]{3} (?:\d{4}|\d\d)) ([\d.]+) (CALL|PUT)\b/i;
/** Shares from an exercised option, which no other section has: SOLD -100.0 GS UPON GOLDMAN SACHS GROUP INC. */
const DELIVERY_TEXT = /\b(BOT|SOLD) ([-+]?[\d,.]+) (\S+) UPON\b/;
/** .SPXW260410P6500, at the end of descriptions in newer statements. */
const OPTION_CODE = /\.([A-Z]+)(\d\d)(\d\d)(\d\d)([CP])([\d.]+)\s*$/;
/** Changes of positions, such as splits, without symbol and units. */
const ADJUSTMENT = /position adjustment|\bsplit\b|\bmerger\b|spin-?off/i;
const REMOVALS = [
  [/expir/i, 'expiration'],
  [/assign/i, 'assignment'],
  [/exercise/i, 'exercise'],
] as const;

/** Kinds of cash lines without a fill. */
const CASH_TYPES = {
  BAL: 'balance',
  FND: 'funding: deposit, withdrawal or adjustment',
  EFN: 'electronic funding',
  WIR: 'wire transfer',
  CRC: 'cash receipt or payment',
  JRN: 'journal entry between accounts',
  DOI: 'dividend or interest',
  LIQ: 'cash moved to or from a money market fund',
  RAD: 'line of units received or delivered',
  ADJ: 'adjustment of cash',
  TRD: 'line of a trade',
  EXP: 'line of an expiration',
} as const;

function cashOf(
  [header, ...rows]: readonly CsvRow[],
  zone: string,
  account: string | null,
  skipped: Map<string, number>,
): Cash {
  const cash: Cash = { lines: [], removed: [], unclear: [], adjustments: [], total: [] };
  if (!header) return cash;
  const cellsOf = columnsOf(header, CASH_COLUMNS, CASH_EXTRAS);
  for (const row of rows) {
    const { date, time, type, description, reference, misc, commissions, amount: money } = cellsOf(row);
    const fees = [misc, commissions].reduce((sum, cell) => sum - ((cell && orNothing(cell, moneyIn)) ?? 0), 0);
    if (date.text === '') {
      if (description.text === 'TOTAL')
        cash.total.push({ what: 'fees', currency: 'USD', symbol: null, amount: Math.abs(fees) });
      continue;
    }
    const executedAt = instantIn(joined(date, time), 'mdy', zone);
    const { side, quantity, what, price } = tradeIn(description.text);
    const removed = /^remov/i.test(description.text) ? removalOf(description) : undefined;
    const cell = (text: string): Cell => ({ ...description, text });
    if (type.text === 'TRD' && side !== '') {
      const amount = Math.abs(numberIn(cell(quantity)));
      const shown = {
        line: row.line,
        executedAt,
        side: sideIn(cell(side)),
        quantity: amount,
        price: priceIn(cell(price)),
      };
      cash.lines.push({ ...shown, description: what, fees, reference: reference?.text || null });
    } else if (type.text === 'EXP' && money && DELIVERY_TEXT.test(description.text)) {
      cash.removed.push({ ...deliveryOf(description, money), line: row.line, account, executedAt, fees });
    } else if (removed) {
      const closes = { side: null, quantity: unitsIn(description), price: 0, effect: 'close' } as const;
      cash.removed.push(fill({ ...removed, ...closes, line: row.line, account, executedAt, fees }));
    } else {
      const known = knownWord(type, CASH_TYPES);
      skip(
        skipped,
        known ?? (type.text === '' ? 'cash line without a type' : `cash line of unknown type ${quote(type.text)}`),
      );
      if (ADJUSTMENT.test(description.text)) {
        cash.adjustments.push({ line: row.line, executedAt, text: description.text });
      }
      if (/^remov/i.test(description.text)) cash.unclear.push(row.line);
    }
  }
  return cash;
}

/** BOT +1 SPY @450.00, anywhere in a description; empty texts if none. */
function tradeIn(text: string): { side: string; quantity: string; what: string; price: string } {
  const trade = TRADE_TEXT.exec(text);
  const traded = trade && TRADED_AT.exec(text.slice(trade.index + trade[0].length));
  const [, side = '', quantity = ''] = (traded && trade) ?? [];
  const [, what = '', price = ''] = traded ?? [];
  return { side, quantity, what, price };
}

/** Number of options removed, which precedes their name; an assignment may remove some. Null if not stated. */
function unitsIn(description: Cell): number | null {
  const text = /(?<![\d,])([\d,]+\.\d+) (?:\.[A-Z]|\S+ (?:X[A-Z]{3} )?(?:1\/)?\d+ )/.exec(description.text)?.[1];
  return text === undefined ? null : numberIn({ ...description, text }) || null;
}

/** Shares delivered at the strike. */
function deliveryOf(description: Cell, money: Cell): FileFill {
  const [, side = '', quantity = '', symbol = ''] = DELIVERY_TEXT.exec(description.text) ?? [];
  const units = Math.abs(numberIn({ ...description, text: quantity }));
  return fill({
    line: description.line,
    instrument: stock(symbol),
    executedAt: '',
    side: sideIn({ ...description, text: side }),
    quantity: units,
    price: Math.abs(moneyIn(money)) / units,
    mayShort: true,
  });
}

/** An option that expired, was assigned or exercised; undefined for unknown words. */
function removalOf(description: Cell): Pick<FileFill, 'instrument' | 'kind'> | undefined {
  const kind = REMOVALS.find(([word]) => word.test(description.text))?.[1];
  const [, coded, year, month, day, letter, price] = OPTION_CODE.exec(description.text) ?? [];
  if (kind && coded) {
    const contract = {
      // Afternoon and weekly series of an index have a separate root.
      underlying: coded.replace(/^(SPX|NDX|RUT|VIX|XSP|DJX)[WP]$/, '$1'),
      expiration: `20${year}-${month}-${day}`,
      strike: Number(price),
      optionType: letter === 'C' ? 'call' : 'put',
    } as const;
    return { instrument: option(contract), kind };
  }
  const [, root, exchange, expiration, strike, type] = OPTION_TEXT.exec(description.text) ?? [];
  if (!kind || !root || !expiration || !strike || !type) return undefined;
  const symbol = exchange === undefined ? root : `${root}:${exchange}`;
  const cell = (text: string): Cell => ({ ...description, text });
  const texts = { symbol: cell(symbol), type: cell(type), expiration: cell(expiration), strike: cell(strike) };
  return { instrument: instrumentOf(texts), kind };
}

/**
 * Copies the second and the costs from cash lines to fills with the same minute, side, quantity, price and symbol.
 * @returns notes on lines and fills without a counterpart
 */
function payFor(executions: readonly Execution[], cash: readonly CashLine[], trades: string): string[] {
  const left = new Set(cash);
  let unpaid = 0;
  // The oldest first, like the cash lines.
  for (const { legs, prices } of executions.toReversed()) {
    const [first] = legs as [FileFill];
    const symbol =
      first.instrument.underlying !== null && first.instrument.market === 'option'
        ? first.instrument.underlying
        : first.instrument.symbol;
    const found = [...left].find(
      (line) =>
        line.executedAt.slice(0, 16) === first.executedAt.slice(0, 16) &&
        line.quantity === first.quantity &&
        (legs.length > 1 || line.side === first.side) &&
        prices.includes(line.price) &&
        line.description.split(' ').map(withoutExchange).includes(withoutExchange(symbol)),
    );
    if (!found) {
      unpaid++;
      for (const leg of legs) leg.feesStated = false;
      continue;
    }
    left.delete(found);
    for (const leg of legs) {
      leg.executedAt = found.executedAt;
      leg.orderId = found.reference;
    }
    first.fees = found.fees;
  }
  const notes: string[] = [];
  if (unpaid > 0) notes.push(`${unpaid} fills have no cash line; their fees are 0`);
  const [missed] = left;
  if (missed) {
    notes.push(`${left.size} cash lines without a fill in ${trades} are skipped (the first on line ${missed.line})`);
  }
  return notes;
}
