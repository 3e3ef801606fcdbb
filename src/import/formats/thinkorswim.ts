/**
 * thinkorswim's account statement: sections, each with its own header. The fills are in Account Trade History, often only to
 * the minute; their costs and seconds are in Cash Balance, Futures Statements and Forex Statements.
 * In code because a declaration describes a single table.
 */
import { quote, RowError } from '../../errors.ts';
import { type FileFill, fill, oldestFirst, type Reading, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, sideIn, wordIn } from '../parse/columns.ts';
import { type CsvRow, csvRows, isEmpty } from '../parse/csv-rows.ts';
import { moneyIn, numberIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import type { Format } from '../table/format.ts';
import { type CashLine, cashOf, instrumentOf, priceIn } from './thinkorswim-cash.ts';
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
  const notes = [note, ...payFor(executions, lines, trades, skipped)];
  for (const [name, own] of sections) {
    if (name !== trades && !CASH_SECTIONS.includes(name))
      skip(skipped, `row of section ${quote(name)}`, own.length - 1);
  }
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
    rows: [...sections.values()].reduce((sum, own) => sum + Math.max(0, own.length - 1), 0),
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

/**
 * Copies the second and the costs from cash lines to fills with the same minute, side, quantity, price and symbol.
 * @returns notes on lines and fills without a counterpart
 */
function payFor(
  executions: readonly Execution[],
  cash: readonly CashLine[],
  trades: string,
  skipped: Map<string, number>,
): string[] {
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
  skip(skipped, 'cash line without a fill', left.size);
  const [missed] = left;
  if (missed) {
    notes.push(`${left.size} cash lines without a fill in ${trades} are skipped (the first on line ${missed.line})`);
  }
  return notes;
}
