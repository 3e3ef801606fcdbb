/**
 * Reports of MetaTrader's strategy testers, and others without positions. Trades are
 * built from the events of version 4 by order number, or from the deals of version 5,
 * which don't state what they close.
 */

import { hash } from 'node:crypto';
import { RowError } from '../../errors.ts';
import { asDecimal, difference, roundMoney } from '../../money.ts';
import type { CsvRow } from '../../parse/csv-rows.ts';
import { cfdOrPair } from '../../parse/instruments.ts';
import { instantIn } from '../../parse/times.ts';
import { skip } from '../fills/reading.ts';
import { pointsOf, type RoundTrip } from '../tables/closed-trade.ts';

// Shared parts of MetaTrader's files: number and time styles, and the deals of version 5.

/** Numbers have a space between thousands: 1 434.86. */
export const STYLE = { thousands: ' ', example: '1 434.86' } as const;

export function isTime(text: string | undefined): boolean {
  return /^\d{4}\.\d\d\.\d\d \d\d:\d\d(:\d\d)?$/.test(text ?? '');
}

export function amountOf(text: string): number | undefined {
  return /^-?[\d ]+(\.\d+)?$/.test(text) ? Number(text.replaceAll(' ', '')) : undefined;
}

export function sumOf(amounts: readonly number[]): number {
  return roundMoney(amounts.reduce((sum, amount) => sum + amount, 0));
}

/** A deal of version 5: opens or closes a position or a part of one. */
export interface Deal {
  line: number;
  time: string;
  symbol: string;
  type: 'buy' | 'sell';
  /**
   * The same in all languages: in, out, in/out if it reverses a position, out by if
   * another position closes it.
   */
  direction: string;
  volume: number;
  price: number;
  order: string;
  /** Commission and fee, positive. The swap is below 0 if paid. */
  commission: number;
  swap: number;
  profit: number;
}

export function dealsIn(rows: readonly CsvRow[]): Deal[] {
  const deals: Deal[] = [];
  /** Number of cells in the header above. */
  let width = 0;
  for (const row of rows) {
    if (isTime(row.cells[0])) {
      const deal = dealIn(row, width);
      if (deal) deals.push(deal);
      continue;
    }
    const filled = row.cells.findLastIndex((cell) => cell !== '') + 1;
    if (filled > 10 && row.cells[0] !== '') width = filled;
  }

  return deals;
}

/**
 * Cells after the order, some missing by version: Cost, Commission, Fee, Swap, Profit,
 * Balance, Comment.
 * @param width number of cells in the header
 */
function dealIn({ cells, line }: CsvRow, width: number): Deal | undefined {
  const [time = '', number = '', symbol = '', type = '', direction = '', ...rest] = cells;
  const [volume = '', price = '', order = ''] = rest;
  const isDeal =
    /^\d+$/.test(number) && /^(buy|sell)$/.test(type) && /^(in|out)\b/.test(direction);
  if (!isDeal) return undefined;

  const money = cells
    .slice(width > 14 ? 9 : 8, Math.max(width, 13) - 2)
    .map((cell) => amountOf(cell) ?? 0);
  return {
    line,
    time,
    symbol,
    type: type as Deal['type'],
    direction,
    order,
    volume: amountOf(volume) ?? 0,
    price: amountOf(price) ?? 0,
    commission: 0 - sumOf(money.slice(0, -2)),
    swap: money.at(-2) ?? 0,
    profit: money.at(-1) ?? 0,
  };
}

/** The head of a report. */
export interface Run {
  expert: string | null;
  /** Of version 4, which tests a single symbol. */
  symbol: string | null;
  currency: string | null;
  /** Equal for runs with the same settings. */
  key: string;
}

/** @param title of the HTML page; in version 4 it names the expert */
export function runIn(rows: readonly CsvRow[], title: string | null): Run {
  const settings: string[][] = [];
  for (const { cells } of rows) {
    if (cells.some((cell) => isTime(cell))) break;
    settings.push(cells.filter((cell) => cell !== ''));
  }

  const filled = settings.filter(({ length }) => length > 0);
  const pairs = filled.filter(({ length }) => length === 2) as [string, string][];
  const deposit = pairs.findIndex(([, value]) => amountOf(value) !== undefined);
  const currency = pairs[deposit - 1]?.[1] ?? '';
  const isOfVersion5 = pairs[0]?.[0].endsWith(':') === true;
  const texts = settings
    .flat()
    .filter(
      (cell) => amountOf(cell) === undefined && !/^-?[\d .]+%?(?: \(.*)?$/.test(cell),
    );

  return {
    expert: isOfVersion5 ? (pairs[0]?.[1] ?? null) : title,
    symbol:
      isOfVersion5 || filled[0]?.length !== 2
        ? null
        : (pairs[0]?.[1].replace(/ \(.*/, '') ?? null),
    currency: isOfVersion5 && /^[A-Z]{3,5}$/.test(currency) ? currency : null,
    key: hash('sha256', JSON.stringify([title, texts])).slice(0, 8),
  };
}

/**
 * Number, time, event, order, size, price: the size is in the place of other rows'
 * symbol.
 */
export function isEvent({ cells }: Pick<CsvRow, 'cells'>): boolean {
  const [number = '', time, event = '', order = '', size = ''] = cells;
  return (
    /^\d+$/.test(number) &&
    isTime(time) &&
    /\p{L}/u.test(event) &&
    /^\d+$/.test(order) &&
    amountOf(size) !== undefined
  );
}

export interface TesterContext {
  run: Run;
  account: string | null;
  currency: string;
  zone: string;
}

/** Above any broker's limit. Bounds the comparisons of each position with each close. */
const MOST_OPEN = 2000;

function open(lots: Lot[], lot: Lot): void {
  if (lots.length >= MOST_OPEN)
    throw new RowError(null, `opens more than ${MOST_OPEN} positions at once`, lot.line);
  lots.push(lot);
}

interface Lot {
  line: number;
  id: string;
  /** Its latest number. */
  order: string;
  /** Swaps and profits of earlier nights. */
  carried: number;
  time: string;
  type: 'buy' | 'sell';
  price: number;
  left: number;
  /** Commission per unit. */
  rate: number;
  isWhole: boolean;
  /** The time of its latest partial close; '' if none. */
  partedAt: string;
}

export interface ReportTrades {
  closed: RoundTrip[];
  open: RoundTrip[];
  /** Number of rows outside any trade, by reason. */
  skipped: Map<string, number>;
}

/** A row of version 4. */
interface TestEvent {
  line: number;
  time: string;
  event: string;
  order: string;
  volume: number;
  price: number;
  /** Undefined: it closes nothing. */
  profit: number | undefined;
}

function eventIn({ cells, line }: CsvRow): TestEvent {
  const [, time = '', event = '', order = '', ...rest] = cells;
  const [volume = 0, price = 0, , , profit] = rest.map(amountOf);
  return { line, time, event, order, volume, price, profit };
}

export function tradesOfEvents(
  rows: readonly CsvRow[],
  context: TesterContext,
): ReportTrades {
  const { symbol } = context.run;
  if (symbol === null)
    throw new RowError(
      'Symbol',
      'is missing from this report; pass it, such as --symbol EURUSD',
    );

  const positions = new TestedPositions(symbol, context);
  for (const row of rows) positions.read(eventIn(row));
  return positions.trades();
}

/**
 * An order opens, may change, and ends in a row with a profit. After a partial close, the
 * rest has a new number; most versions open it under that number in the same minute, at
 * the price of the order. Some runs close each position at midnight (swap close) and open
 * it again under a new number, at a price that includes the swap (swap open).
 */
class TestedPositions {
  readonly #symbol: string;
  readonly #context: TesterContext;
  readonly #lots: Lot[] = [];
  /** Positions closed for a swap and not yet opened again, with the row. */
  readonly #between = new Map<Lot, End>();
  readonly #closed: RoundTrip[] = [];
  readonly #skipped = new Map<string, number>();

  constructor(symbol: string, context: TesterContext) {
    this.#symbol = symbol;
    this.#context = context;
  }

  read(row: TestEvent): void {
    if (row.event === 'buy' || row.event === 'sell') this.#open(row, row.event);
    else if (row.event === 'swap open') this.#openAgain(row);
    else this.#close(row);
  }

  trades(): ReportTrades {
    for (const [lot, end] of this.#between) this.#end(lot, end, lot.left);

    return {
      closed: withUsualWorth(this.#closed),
      open: this.#lots.map((lot) => openTrade(this.#symbol, lot, this.#context)),
      skipped: this.#skipped,
    };
  }

  #open({ line, time, order, volume, price }: TestEvent, type: Lot['type']): void {
    const rest = this.#lots.find(
      (lot) =>
        lot.partedAt === time &&
        lot.type === type &&
        lot.price === price &&
        lot.left === volume,
    );
    if (rest) {
      rest.order = order;
      // As if it were another position, so that its ids stay those of earlier versions.
      rest.id = order;
      return;
    }

    open(this.#lots, { ...lotOf(line, order, type), time, price, left: volume });
  }

  #openAgain({ order, volume }: TestEvent): void {
    const lot = [...this.#between.keys()].find(({ left }) => left === volume);
    if (!lot) {
      skip(this.#skipped, 'position opened again without its close');
      return;
    }
    lot.order = order;
    this.#between.delete(lot);
  }

  #close({ line, time, event, order, volume, price, profit }: TestEvent): void {
    if (profit === undefined) {
      skip(this.#skipped, 'order placed, changed or deleted');
      return;
    }

    const lot =
      this.#lots.find((candidate) => candidate.order === order) ??
      this.#lots.find(({ left, isWhole }) => !isWhole && left === volume);
    if (!lot) {
      skip(this.#skipped, 'close without an opening');
      return;
    }

    const total = roundMoney(lot.carried + profit);
    const end: End = { line, id: order, time, price, profit: total, costs: 0 };
    if (event === 'swap close' && lot.left === volume) {
      lot.carried = total;
      this.#between.set(lot, end);
      return;
    }

    lot.carried = 0;
    this.#end(lot, end, volume);
    lot.partedAt = time;
  }

  #end(lot: Lot, end: End, quantity: number): void {
    this.#closed.push(tradeOf(this.#symbol, [{ lot, quantity }], end, this.#context));
    take(this.#lots, lot, quantity);
  }
}

/**
 * A closing deal doesn't name its position. It closes the candidate that its profit fits,
 * or all at their average price, as in a netting account.
 */
export function tradesOfDeals(
  deals: readonly Deal[],
  context: TesterContext,
): ReportTrades {
  const trades: ReportTrades = { closed: [], open: [], skipped: new Map() };
  for (const [symbol, ofSymbol] of Map.groupBy(deals, (deal) => deal.symbol))
    addTradesOf(symbol, ofSymbol, context, trades);
  return trades;
}

function addTradesOf(
  symbol: string,
  deals: readonly Deal[],
  context: TesterContext,
  trades: ReportTrades,
): void {
  const lots: Lot[] = [];
  let worth: number | undefined;
  for (const deal of deals) {
    const rate = deal.commission / deal.volume;
    const parts = partsOf(deal, lots, worth);
    const quantity = quantityOf(parts);

    if (quantity > 0) {
      const costs = rate * quantity - deal.swap;
      const trade = tradeOf(symbol, parts, { ...deal, id: deal.order, costs }, context);
      worth = worthOf(trade) ?? worth;
      trades.closed.push(trade);
      for (const part of parts) take(lots, part.lot, part.quantity);
    }

    const left = difference(deal.volume, quantity);
    if (left > 0 && deal.direction.startsWith('in')) {
      const { line, order, time, type, price } = deal;
      open(lots, { ...lotOf(line, order, type), time, price, left, rate });
    } else if (quantity === 0) skip(trades.skipped, 'deal without an opening');
  }

  for (const lot of lots)
    trades.open.push({ ...openTrade(symbol, lot, context), multiplier: worth ?? null });
}

/** The row that closes a position or a part of one. */
interface End {
  line: number;
  id: string;
  time: string;
  price: number;
  profit: number;
  costs: number;
}

interface Part {
  lot: Lot;
  quantity: number;
}

function quantityOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => asDecimal(sum + part.quantity), 0);
}

function partsOf(
  { type, direction, volume, price, profit }: Deal,
  lots: readonly Lot[],
  worth: number | undefined,
): Part[] {
  if (direction === 'in') return [];

  const against = lots.filter((lot) => lot.type !== type);
  const held = against.reduce((sum, { left }) => asDecimal(sum + left), 0);
  const share = Math.min(1, volume / held);
  const all = against.map((lot) => ({ lot, quantity: asDecimal(lot.left * share) }));
  const single = against
    .filter(({ left }) => left >= volume)
    .map((lot) => [{ lot, quantity: volume }]);
  const candidates = [...single, all];
  if (worth === undefined)
    return single.find(([part]) => part?.lot.left === volume) ?? single[0] ?? all;

  const misfit = (parts: readonly Part[]) => {
    const points = parts.reduce(
      (sum, { lot, quantity }) => sum + (price - lot.price) * quantity,
      0,
    );
    return Math.abs((type === 'sell' ? points : -points) * worth - profit);
  };

  // A difference of half a cent doesn't decide: the earlier candidate is used.
  return candidates.reduce((best, other) =>
    misfit(other) < misfit(best) - 0.005 ? other : best,
  );
}

/** Money per point and unit, if it and the prices moved the same way. */
function worthOf(trade: RoundTrip): number | undefined {
  return pointsOf(trade) * trade.gross > 0 ? trade.gross / pointsOf(trade) : undefined;
}

function take(lots: Lot[], lot: Lot, quantity: number): void {
  lot.left = difference(lot.left, quantity);
  lot.isWhole = false;
  if (lot.left <= 0) lots.splice(lots.indexOf(lot), 1);
}

function lotOf(
  line: number,
  order: string,
  type: Lot['type'],
): Omit<Lot, 'time' | 'price' | 'left'> {
  return {
    line,
    id: order,
    order,
    type,
    carried: 0,
    rate: 0,
    isWhole: true,
    partedAt: '',
  };
}

function openTrade(symbol: string, lot: Lot, context: TesterContext): RoundTrip {
  const end = { ...lot, profit: lot.carried, costs: 0 };
  return tradeOf(symbol, [{ lot, quantity: lot.left }], end, context);
}

function tradeOf(
  symbol: string,
  parts: readonly Part[],
  end: End,
  { run, account, currency, zone }: TesterContext,
): RoundTrip {
  const [{ lot: first }] = parts as [Part];
  const quantity = quantityOf(parts);
  const value = parts.reduce((sum, part) => sum + part.quantity * part.lot.price, 0);
  const isWhole = parts.length === 1 && first.isWhole && first.left === quantity;
  const instant = (text: string) =>
    instantIn({ text, column: 'Time', line: end.line }, 'ymd', zone);

  return {
    line: end.line,
    id: `${run.key}:${isWhole || end.id === first.id ? first.id : `${first.id}.${end.id}`}`,
    account,
    instrument: cfdOrPair(symbol, currency),
    side: first.type === 'buy' ? 'long' : 'short',
    quantity,
    entry: {
      executedAt: instant(first.time),
      price: parts.length === 1 ? first.price : asDecimal(value / quantity),
    },
    exit: { executedAt: instant(end.time), price: end.price },
    gross: end.profit,
    fees: roundMoney(
      end.costs + parts.reduce((sum, part) => sum + part.lot.rate * part.quantity, 0),
    ),
  };
}

/**
 * Profits of version 4 include overnight swaps, so the contract size is derived from
 * trades within a day.
 */
function withUsualWorth(trades: readonly RoundTrip[]): RoundTrip[] {
  const isOfDay = ({ entry, exit }: RoundTrip) =>
    entry.executedAt.slice(0, 10) === exit.executedAt.slice(0, 10);
  const worths = trades.filter(isOfDay).map((trade) => trade.gross / pointsOf(trade));
  const usual = worths
    .filter((worth) => worth > 0 && Number.isFinite(worth))
    .sort((a, b) => a - b);
  const middle = usual[Math.floor(usual.length / 2)];
  if (middle === undefined) return [...trades];

  return trades.map((trade) => {
    const worth = trade.gross / pointsOf(trade);
    return isOfDay(trade) && worth > 0 && Number.isFinite(worth)
      ? trade
      : { ...trade, multiplier: Number(middle.toPrecision(6)) };
  });
}
