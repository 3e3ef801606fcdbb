/** Finds a trade by symbol and time, day, price or number instead of its id. */

import { quote, RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import {
  addDays,
  DAY,
  fromInstantText,
  isDate,
  lacksOffset,
  parseInstant,
  parseLocal,
  toInstantText,
  ZoneClock,
} from '../../time.ts';
import type { TradeClues } from '../fills/reading.ts';
import { futureOf } from '../parse/instruments.ts';
import { agrees } from '../parse/numbers.ts';

/** Columns of a journal entry that may replace trade_id: none is a field of the entry. */
export const NAMES_OF_TRADE = ['symbol', 'executed_at', 'date', 'time'] as const;

export interface FoundTrade {
  id: string;
  symbol: string;
  underlying: string | null;
  side: string;
  executed_at: string;
  closed_at: string | null;
  entry_price: number;
}

const NAMED = 5;
const MINUTE = 60_000;
/** Maximum distance of a noted time from the time of entry. */
const NEAR = 5 * MINUTE;

const SELECT = `SELECT id, symbol, underlying, side, executed_at, closed_at, entry_price FROM trades WHERE user_id = ${TEXT}`;
const BY_ID = `${SELECT} AND id = ${TEXT}`;
const ENTERED = `${SELECT} AND executed_at >= ${TEXT} AND executed_at < ${TEXT} ORDER BY executed_at, id`;
const IN_SYMBOL = `${SELECT} AND (symbol = ? OR underlying = ?) ORDER BY executed_at, id`;

export class TradeFinder {
  readonly #user: string;
  readonly #zone: string;
  readonly #clock: ZoneClock;
  readonly #reader: Reader;
  /** Trades by the first and last moment of entry: notes name many of one minute or day. */
  readonly #known = new Map<string, readonly KnownTrade[]>();

  /** @param zone of days, and of times without an offset */
  constructor(reader: Reader, user: string, zone: string) {
    this.#reader = reader;
    this.#user = user;
    this.#zone = zone;
    this.#clock = new ZoneClock(zone);
  }

  /**
   * By id; else the only trade of that minute, or the nearest within five; without a time, the day's, narrowed by price and number.
   * @throws RowError that names the candidates unless there is exactly one
   */
  find(clues: TradeClues): FoundTrade {
    const { id, at, day } = clues;
    const byId = id === undefined ? undefined : (this.#reader.get(BY_ID, this.#user, id) as FoundTrade | undefined);
    if (byId) return byId;
    if (at !== undefined) return only(this.#enteredAt(clues, at), clues, `at ${this.#local(at)}`, () => this.#near(at));
    if (day === undefined) throw new RowError(null, `there is no trade with the id "${id}"`);
    const all = this.enteredOn(day);
    return only(narrowed(all, clues), clues, `on ${day}`, () => all);
  }

  /** The id of the only trade that fits; undefined if there isn't exactly one. */
  idOf(clues: TradeClues): string | undefined {
    try {
      return this.find(clues).id;
    } catch (error) {
      if (error instanceof RowError) return undefined;
      throw error;
    }
  }

  enteredOn(day: string): readonly KnownTrade[] {
    return this.#between(this.#clock.startOfDay(day), this.#clock.startOfDay(addDays(day, 1)));
  }

  /**
   * The journal entry with its trade_id instead of a symbol and a time to the minute at which the trade was entered or open;
   * the start of a day means the whole day. An unknown id falls back on these.
   * @throws RowError that names the candidates unless there is exactly one
   */
  resolved(values: Values): Values {
    const { symbol, executed_at, date, time, ...entry } = values;
    const { trade_id: id } = entry;
    if (symbol == null || symbol === '') return entry;
    if (typeof symbol !== 'string') return values;
    const hasId = typeof id === 'string' && id !== '';
    const given = executed_at ?? (time == null ? date : `${date ?? ''} ${time}`);
    // Without a time, the only trade in a symbol may not be the one with the id.
    if (hasId && (given == null || this.#reader.get(BY_ID, this.#user, id as string))) return entry;
    const at = given == null ? undefined : this.#instantOf(given);
    const fitting = at === undefined ? this.#all(symbol) : this.#at(symbol, at);
    const [first] = fitting;
    if (first && fitting.length === 1) return { ...entry, trade_id: first.id };
    const when = at === undefined ? '' : ` at ${toInstantText(at)}`;
    const why = hasId ? `no trade has the id "${id}"` : 'is missing';
    throw new RowError(
      'trade_id',
      fitting.length === 0
        ? `${why}, and there is no trade in ${symbol}${when}; correct the symbol or time`
        : `${why}, and there are ${fitting.length} trades in ${symbol}${when}: ${namesOf(fitting)}; add the id of one`,
    );
  }

  /** Trades entered in that minute, else near it, else open then. */
  #at(symbol: string, at: number): readonly KnownTrade[] {
    const day = this.#clock.dateOf(at);
    const isDay = this.#clock.startOfDay(day) === at;
    const from = isDay ? at : minuteOf(at);
    const to = isDay ? this.#clock.startOfDay(addDays(day, 1)) : from + MINUTE;
    const entered = this.#between(from, to).filter(isIn(symbol));
    if (entered.length > 0) return entered;
    const near = isDay ? [] : nearest(this.#near(at).filter(isIn(symbol)), at);
    if (near.length > 0) return near;
    const [first, last] = [toInstantText(from), toInstantText(to)];
    return this.#all(symbol).filter(
      ({ executed_at, closed_at }) => executed_at < last && (closed_at === null || closed_at >= first),
    );
  }

  #enteredAt(clues: TradeClues, at: number): readonly KnownTrade[] {
    const instants = this.#alikeTo(at);
    const [minute, ...others] = instants.map((own) => this.#between(minuteOf(own), minuteOf(own) + MINUTE));
    const minutes = minute && others.length === 0 ? minute : [minute ?? [], ...others].flat();
    const inMinute = narrowed(minutes, clues);
    // Seconds, if given, decide among several trades of a minute.
    if (inMinute.length > 1 && at !== minuteOf(at)) return nearest(inMinute, ...instants);
    if (inMinute.length > 0) return inMinute;
    const near = instants.flatMap((own) => this.#near(own));
    return nearest(narrowed(near, { ...clues, number: undefined }), ...instants);
  }

  /** The instants with the same local time: two when clocks are set back. */
  #alikeTo(at: number): number[] {
    const shown = at + this.#clock.offsetAt(at);
    const others = [at - DAY / 2, at + DAY / 2].map((around) => shown - this.#clock.offsetAt(around));
    return [...new Set([at, ...others])]
      .filter((own) => own + this.#clock.offsetAt(own) === shown)
      .sort((a, b) => a - b);
  }

  #near(at: number): readonly KnownTrade[] {
    return this.#between(at - NEAR, at + NEAR + 1);
  }

  #between(from: number, to: number): readonly KnownTrade[] {
    const key = `${from} ${to}`;
    let found = this.#known.get(key);
    if (!found) {
      found = named(this.#reader.all(ENTERED, this.#user, toInstantText(from), toInstantText(to)));
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, found);
    }
    return found;
  }

  #all(symbol: string): readonly KnownTrade[] {
    const all = named(this.#reader.all(IN_SYMBOL, this.#user, symbol, symbol));
    const exact = all.filter((trade) => trade.symbol.toUpperCase() === symbol.toUpperCase());
    return exact.length > 0 ? exact : all;
  }

  #instantOf(time: unknown): number {
    const text = typeof time === 'string' ? time.trim() : '';
    const local = lacksOffset(text) ? parseLocal(text, this.#zone) : parseInstant(text);
    const at = isDate(text) ? this.#clock.startOfDay(text) : local;
    if (at !== undefined) return at;
    throw new RowError(
      'executed_at',
      `must be a date and time, such as 2026-11-20 09:41 or 2026-11-20T14:41:00Z; got ${quote(time)}`,
    );
  }

  #local(at: number): string {
    return toInstantText(at + this.#clock.offsetAt(at))
      .slice(0, 16)
      .replace('T', ' ');
  }
}

const MOST_KNOWN = 1000;

/** A trade with its names in plain letters. */
interface KnownTrade extends FoundTrade {
  names: readonly string[];
  future: ReturnType<typeof futureOf>;
}

function named(rows: readonly Row[]): KnownTrade[] {
  return (rows as unknown as FoundTrade[]).map((trade) => ({
    ...trade,
    names: [trade.symbol, trade.underlying ?? trade.symbol].map(plain),
    future: futureOf(trade.symbol),
  }));
}

const chosenOf = new WeakMap<readonly KnownTrade[], Map<string, readonly KnownTrade[]>>();

/** Filters by symbol and side, once for all notes about the same trades. */
function chosen(all: readonly KnownTrade[], symbol: string | undefined, side: string | undefined) {
  const known = chosenOf.get(all) ?? new Map<string, readonly KnownTrade[]>();
  const key = `${side} ${symbol}`;
  const found = known.get(key) ?? all.filter((own) => side === undefined || own.side === side).filter(isIn(symbol));
  chosenOf.set(all, known.set(key, found));
  return found;
}

/** Filters by symbol and side; price and number decide only among several. */
function narrowed(all: readonly KnownTrade[], { symbol, side, entryPrice, number }: TradeClues): readonly KnownTrade[] {
  let left = chosen(all, symbol, side);
  if (left.length > 1 && entryPrice) {
    const priced = left.filter((trade) => agrees(entryPrice, trade.entry_price));
    if (priced.length > 0) left = priced;
  }
  const numbered = left.length > 1 && number !== undefined ? all[number - 1] : undefined;
  return numbered && left.includes(numbered) ? [numbered] : left;
}

function only(
  fitting: readonly KnownTrade[],
  { symbol, side }: TradeClues,
  when: string,
  others: () => readonly KnownTrade[],
): FoundTrade {
  const [first] = fitting;
  if (first && fitting.length === 1) return first;
  const what = [side, 'trade', symbol === undefined ? undefined : `in ${symbol}`].filter(Boolean).join(' ');
  if (fitting.length > 1) {
    const what = symbol === undefined ? 'trades' : `trades in ${symbol}`;
    throw new RowError(null, `there are ${fitting.length} ${what} ${when}: ${namesOf(fitting)}; add the id of one`);
  }
  const near = others();
  const known = near.length === 0 ? '' : `; trades then: ${namesOf(near)}`;
  throw new RowError(null, `there is no ${what} ${when}${known}; correct the time or symbol, or add its id`);
}

/** Letters and digits only: users often omit the slash of BTC/USDT. */
function plain(symbol: string): string {
  return symbol.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

/** Whether a trade's symbol or underlying matches. */
function isIn(symbol: string | undefined): (trade: KnownTrade) => boolean {
  if (symbol === undefined) return () => true;
  const own = plain(symbol);
  const future = futureOf(symbol);
  return ({ names, future: other }) => {
    if (names.includes(own)) return true;
    // MNQZ25 equals MNQZ5, and MNQ1! matches any month.
    return other?.root === future?.root && other !== undefined && (future?.month == null || isSameMonth(future, other));
  };
}

function isSameMonth(a: { month: number | null; year: string | null }, b: typeof a): boolean {
  return a.month === b.month && a.year?.at(-1) === b.year?.at(-1);
}

function nearest(all: readonly KnownTrade[], ...instants: number[]): readonly KnownTrade[] {
  const distance = ({ executed_at }: FoundTrade) =>
    Math.min(...instants.map((at) => Math.abs(fromInstantText(executed_at) - at)));
  const least = Math.min(...all.map(distance));
  return all.filter((trade) => distance(trade) === least);
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE;
}

function namesOf(all: readonly KnownTrade[]): string {
  const named = all.slice(0, NAMED).map(({ id, side, executed_at }) => `${id} (${side}, ${executed_at})`);
  return `${named.join(', ')}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ''}`;
}
