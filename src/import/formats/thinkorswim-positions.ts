/**
 * Positions and P&L in thinkorswim's statement. They decide what fills with AUTO open, what a close beyond the position opens,
 * and which splits the "Position adjustment" rows mean.
 */
import { byTime, type FileFill, fill, type StatedTotal } from '../fills/reading.ts';
import type { Instrument } from '../parse/instruments.ts';

/** A position at the end of the statement; quantity 0 if none. */
export interface Position {
  quantity: number;
  /** Average price; null where the section has none. */
  price: number | null;
}

export interface SymbolResult {
  /** P&L of the statement's last day, of the year, and of open positions. */
  day: number | null;
  year: number | null;
  open: number | null;
  /** Market value of its shares and options. */
  value: number | null;
}

/** A cash row that changes positions without stating symbol or units. */
interface Adjustment {
  line: number;
  executedAt: string;
  text: string;
}

export interface Statement {
  /** By symbol of the instrument; undefined: the statement lists no shares or options. */
  shares: ReadonlyMap<string, Position> | undefined;
  options: ReadonlyMap<string, Position> | undefined;
  /** By symbol of the shares, including their options. */
  results: ReadonlyMap<string, SymbolResult>;
  adjustments: readonly Adjustment[];
  /** The P&L that covers exactly the statement's fills. */
  covers: 'day' | 'year' | null;
}

export interface Settled {
  fills: FileFill[];
  stated: StatedTotal[];
  notes: string[];
}

/** Fills, splits and unsure changes by the whole statement, with its stated totals. */
export function settled(fills: readonly FileFill[], statement: Statement): Settled {
  const made: FileFill[] = [];
  const stated: StatedTotal[] = [];
  const notes: string[] = [];
  const sure = new Map<string, boolean>();
  for (const [symbol, own] of Map.groupBy(fills.toSorted(byTime), ({ instrument }) => instrument.symbol)) {
    const { instrument } = own[0] as FileFill;
    const expected = positionOf(instrument, statement);
    let before = expected === undefined ? null : clean(expected.quantity - netOf(own));
    const split = expected && before !== 0 ? splitOf(own, expected, statement.adjustments) : undefined;
    if (split) {
      before = 0;
      notes.push(`${symbol} was split ${split.quantity} for 1, derived from its final position`);
    }
    const judged = judgedFills(own, before, resultsFor(symbol, statement));
    const doubt = split || before === 0 || before === null ? undefined : statement.adjustments[0];
    if (split) made.push(split);
    for (const one of judged) made.push(one);
    if (doubt) made.push(doubtOf(own[0] as FileFill, doubt));
    sure.set(symbol, before === 0);
    if (expected) {
      stated.push({ what: 'position', currency: instrument.currency, symbol, amount: expected.quantity });
    }
  }
  return { fills: made.sort(byTime), stated: [...resultsStated(fills, statement, sure), ...stated], notes };
}

function positionOf(instrument: Instrument, { shares, options, results }: Statement): Position | undefined {
  const { symbol, market, underlying } = instrument;
  const nothing = { quantity: 0, price: null };
  const listed = market === 'stock' ? shares : market === 'option' ? options : undefined;
  if (listed) return listed.get(symbol) ?? nothing;
  const isWorthless = results.get(market === 'option' ? (underlying ?? '') : symbol)?.value === 0;
  return isWorthless && (market === 'stock' || market === 'option') ? nothing : undefined;
}

/** P&L of a symbol without open positions, if it comes only from the statement's fills. */
function resultsFor(symbol: string, { results, covers }: Statement): number | null {
  const own = results.get(symbol);
  // A statement saved after the day's roll has 0.00 for the day; only the year's P&L still has it.
  const isRolled = covers === 'day' && own?.day === 0 && own.year !== 0;
  const made = covers === null || isRolled ? null : (own?.[covers] ?? null);
  return made === null || own?.open === null || own?.open === undefined ? null : clean(made - own.open);
}

const signed = ({ side, quantity }: FileFill) => (side === 'buy' ? 1 : side === 'sell' ? -1 : 0) * (quantity ?? 0);

/** The position after fills from flat. An expiration reduces either side. */
function netOf(fills: readonly FileFill[]): number {
  return fills.reduce((net, own) => after(net, own), 0);
}

function after(net: number, own: FileFill): number {
  if (own.side !== null) return clean(net + signed(own));
  const units = Math.min(own.quantity ?? Math.abs(net), Math.abs(net));
  return clean(net - Math.sign(net) * units);
}

function clean(units: number): number {
  return Number(units.toFixed(8));
}

function isAuto({ effect, kind, instrument }: FileFill): boolean {
  return effect === null && kind === 'trade' && (instrument.market === 'stock' || instrument.market === 'option');
}

/**
 * Fills with effects derived from the rest of the statement.
 * @param before units held before the first; null: unknown
 * @param result P&L of exactly these fills, if stated
 */
function judgedFills(fills: readonly FileFill[], before: number | null, result: number | null): FileFill[] {
  // A close beyond the position opens the rest if the final position or the P&L confirms it.
  const isWhole = (before ?? 0) === 0 && (before === 0 || (result !== null && isNear(grossOf(fills), result)));
  let held = before ?? 0;
  let isOld = held !== 0;
  return fills.map((own) => {
    const start = held;
    held = after(held, own);
    if (own.kind !== 'trade' || own.side === null) return own;
    const isClosing = start * signed(own) < 0;
    const isBeyond = Math.abs(signed(own)) > Math.abs(start) || !isClosing;
    if (isAuto(own)) {
      const judged = isOld && isClosing ? (isBeyond ? 'close_then_open' : 'close') : undefined;
      if (start * held <= 0) isOld = false;
      return { ...own, mayShort: true, ...(judged && { judged }) };
    }
    if (start * held <= 0) isOld = false;
    if (own.effect !== 'close' || !isWhole || !isBeyond) return own;
    return { ...own, judged: isClosing ? 'close_then_open' : 'open' };
  });
}

/** P&L of fills from flat if each may open either side. */
function grossOf(fills: readonly FileFill[]): number {
  let [held, cost, gross] = [0, 0, 0];
  for (const own of fills) {
    const units = own.side === null ? after(held, own) - held : signed(own);
    const closed = held * units < 0 ? Math.min(Math.abs(units), Math.abs(held)) : 0;
    const average = held === 0 ? 0 : cost / held;
    gross += closed * Math.sign(held) * (own.price - average);
    const opened = Math.abs(units) - closed;
    cost += Math.sign(units) * opened * own.price - Math.sign(held) * closed * average;
    held = clean(held + units);
  }
  return gross * multiplierOf(fills[0]);
}

function multiplierOf(own: FileFill | undefined): number {
  return own?.instrument.multiplier ?? (own?.instrument.market === 'option' ? 100 : 1);
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.01;
}

/** Whether a ratio is plausible for a split: 2 for 1, 1 for 2, 3 for 2 and the like. */
function isRatio(ratio: number): boolean {
  return [1, 2, 3, 4].some((units) => {
    const [forward, reverse] = [ratio * units, units / ratio];
    return [forward, reverse].some((own) => own < 1000 && Math.abs(own - Math.round(own)) < 1e-6 && own >= 0.5);
  });
}

/**
 * The split that leads from the fills to the final position, by units and average price. It is placed at the first possible
 * row, so that overlapping statements give the same split.
 */
function splitOf(fills: readonly FileFill[], end: Position, adjustments: readonly Adjustment[]): FileFill | undefined {
  const { instrument, account } = fills[0] as FileFill;
  if (instrument.market !== 'stock') return undefined;
  for (const { line, executedAt } of adjustments.toSorted(byTime)) {
    const earlier = fills.filter((own) => own.executedAt < executedAt);
    const later = fills.filter((own) => own.executedAt >= executedAt);
    const held = netOf(earlier);
    const ratio = held === 0 ? 0 : (end.quantity - netOf(later)) / held;
    if (!(ratio > 0) || ratio === 1 || !isRatio(ratio)) continue;
    const average = averageOf(earlier, later, ratio);
    if (end.price !== null && end.quantity !== 0 && Math.abs(average - end.price) > 0.006) continue;
    return fill({
      ...{ line, account, instrument, executedAt, kind: 'split', side: null, price: 0 },
      quantity: Number(ratio.toPrecision(12)),
    });
  }
  return undefined;
}

function averageOf(earlier: readonly FileFill[], later: readonly FileFill[], ratio: number): number {
  const scaled = earlier.map((own) => ({ ...own, quantity: Number(own.quantity) * ratio, price: own.price / ratio }));
  let [held, cost] = [0, 0];
  for (const own of [...scaled, ...later]) {
    const units = signed(own);
    cost = held * units < 0 ? (cost * (held + units)) / held : cost + units * own.price;
    held += units;
  }
  return held === 0 ? 0 : cost / held;
}

/** Marks unknown units added or removed by an adjustment. */
function doubtOf({ account, instrument }: FileFill, { line, executedAt }: Adjustment): FileFill {
  return fill({ line, account, instrument, executedAt, kind: 'unclear', side: null, quantity: null, price: 0 });
}

/** Realised P&L by symbol, if its fills start from flat. */
function resultsStated(
  fills: readonly FileFill[],
  statement: Statement,
  sure: ReadonlyMap<string, boolean>,
): StatedTotal[] {
  const bySymbol = Map.groupBy(fills, ({ instrument }) =>
    instrument.market === 'option' ? (instrument.underlying ?? '') : instrument.symbol,
  );
  return [...bySymbol].flatMap(([symbol, own]) => {
    const amount = resultsFor(symbol, statement);
    const isAll = own.every(({ instrument }) => sure.get(instrument.symbol));
    if (amount === null || !isAll) return [];
    return [{ what: 'gross', currency: 'USD', symbol, withOptions: true, amount } as const];
  });
}
