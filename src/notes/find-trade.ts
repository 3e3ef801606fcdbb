/** Finds a trade by symbol and time, day, price or number instead of its id. */

import { quote, RowError } from '../errors.ts';
import { futureOf } from '../journal/derivatives.ts';
import { presentName } from '../journal/kraken-pairs.ts';
import type { Values } from '../journal-write/record.ts';
import { agrees } from '../parse/cells.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
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
} from '../time.ts';
import type { TradeClues } from './note.ts';

export interface FoundTrade {
  id: string;
  symbol: string;
  underlying: string | null;
  side: string;
  executed_at: string;
  closed_at: string | null;
  entry_price: number;
  group_id: string | null;
  /** Of an option. */
  strike: number | null;
  option_type: 'call' | 'put' | null;
}

const ONCE_IMPORTED = 'once its fills are imported, the note is read again';

const NAMED = 5;
const MINUTE = 60_000;
/** Maximum distance of a noted time from the time of entry. */
const NEAR = 5 * MINUTE;

const COLUMNS =
  'id, symbol, underlying, side, executed_at, closed_at, entry_price, group_id, strike, option_type';
const SELECT = `SELECT ${COLUMNS}
  FROM trades WHERE user_id = ${TEXT}`;
const BY_ID = `${SELECT} AND id = ${TEXT}`;
const BY_FORMER_ID = `${SELECT} AND id =
  (SELECT trade_id FROM former_trades WHERE user_id = ${TEXT} AND id = ${TEXT})`;
const ENTERED = `${SELECT}
  AND executed_at >= ${TEXT} AND executed_at < ${TEXT} ORDER BY executed_at, id`;
const SYMBOLS = `SELECT DISTINCT symbol, underlying FROM trades WHERE user_id = ${TEXT}`;
const IN_SYMBOL = `${SELECT} AND (symbol = ? OR underlying = ?) ORDER BY executed_at, id`;

/**
 * Whether a trade is in a symbol, or has it as its underlying, and is of a side; either
 * may be unknown.
 */
export function isOf(
  trade: FoundTrade,
  symbol: string | undefined,
  side: string | undefined,
): boolean {
  return chosen(named([trade]), symbol, side).length > 0;
}

export class TradeFinder {
  readonly #user: string;
  readonly #zone: string;
  readonly #clock: ZoneClock;
  readonly #reader: Reader;
  /**
   * Trades by the first and last moment of entry: notes name many of one minute or day.
   */
  readonly #known = new Map<string, readonly KnownTrade[]>();
  #symbols: readonly KnownTrade[] | undefined;

  /** @param zone of days, and of times without an offset */
  constructor(reader: Reader, user: string, zone: string) {
    this.#reader = reader;
    this.#user = user;
    this.#zone = zone;
    this.#clock = new ZoneClock(zone);
  }

  /**
   * By id; else the only trade of that minute, or the nearest within five; without a
   * time, the day's, narrowed by price and number.
   * @throws RowError that names the candidates unless there is exactly one
   */
  find(clues: TradeClues): FoundTrade {
    const { id, isGroup, at, day } = clues;
    const byId = id === undefined || isGroup ? undefined : this.withId(id);
    if (byId) return byId;

    const fitting = this.candidates(clues);
    if (at !== undefined)
      return this.#only(fitting, clues, `at ${this.#local(at)}`, this.#near(at));
    if (day === undefined)
      throw new RowError(
        null,
        `there is no ${isGroup ? 'group' : 'trade'} with the id "${id}"`,
      );

    return this.#only(fitting, clues, `on ${day}`, this.enteredOn(day));
  }

  /** All trades that clues other than an id fit. */
  candidates(clues: TradeClues): readonly FoundTrade[] {
    const { at, day } = clues;
    if (at !== undefined) return this.#enteredAt(clues, at);
    if (day === undefined) return [];

    const all = this.enteredOn(day);
    return narrowed(all, clues, all);
  }

  /** Why the journal has no trade that fits, or more than one, in a few words. */
  whyNot(clues: TradeClues): string {
    const { symbol, side, at, day, number } = clues;
    if (symbol !== undefined && !this.knows(symbol))
      return `the journal has no trade in ${symbol}; ${ONCE_IMPORTED}`;
    if (day === undefined) return 'no trade has its id';

    const ofDay = this.enteredOn(day);
    const [fitting, when] =
      at === undefined
        ? [narrowed(ofDay, clues, ofDay), `on ${day}`]
        : [this.#enteredAt(clues, at), `at ${this.#local(at).slice(11)}`];
    if (fitting.length > 1) return this.#whyMany(fitting, at);
    if (ofDay.length === 0) return `the journal has no trade of ${day}; ${ONCE_IMPORTED}`;

    const named = [
      side,
      'trade',
      symbol && `in ${symbol}`,
      number && `with the number ${number}`,
    ];
    const wanted = named.filter(Boolean).join(' ');
    const inSymbol = chosen(ofDay, symbol, undefined);
    const areOfSymbol = symbol !== undefined && inSymbol.length > 0;
    const others = listed(areOfSymbol ? inSymbol : ofDay, (trade) =>
      this.#shortly(trade),
    );
    return `no ${wanted} was entered ${when}; that day has ${others}`;
  }

  #whyMany(fitting: readonly FoundTrade[], at: number | undefined): string {
    const [first] = fitting as [FoundTrade];
    const times = new Set(fitting.map((trade) => this.timeOf(trade)));
    if (at !== undefined || times.size < fitting.length) {
      const named = listed(fitting, (trade) => `${this.#shortly(trade)} ${trade.id}`);
      return `${fitting.length} trades fit: ${named}; add the id of one, as in <!-- t:${first.id} -->`;
    }

    const shown = listed(fitting, (trade) => this.timeOf(trade));
    return `${fitting.length} trades fit: ${shown}; add the time, as in ${this.timeOf(first)} ${first.symbol}`;
  }

  /** The trades of the clues' day in their symbol and of their side. */
  fitting({ day, symbol, side }: TradeClues): readonly FoundTrade[] {
    return day === undefined ? [] : chosen(this.enteredOn(day), symbol, side);
  }

  /** Whether any trade has a symbol. */
  knows(symbol: string): boolean {
    this.#symbols ??= named(this.#reader.all<FoundTrade>(SYMBOLS, this.#user));
    return chosen(this.#symbols, symbol, undefined).length > 0;
  }

  /** 14:30 HOOD 145 C long */
  #shortly(trade: FoundTrade): string {
    return `${this.timeOf(trade)} ${shortName(trade)} ${trade.side}`;
  }

  /** 14:30 AAPL long t1 */
  nameOf(trade: FoundTrade): string {
    return `${this.timeOf(trade)} ${trade.symbol} ${trade.side} ${trade.id}`;
  }

  /**
   * Short names of trades, HOOD 145 C: with the time, 14:30 META, for those that share
   * one.
   */
  namesOf(all: readonly FoundTrade[]): string[] {
    const counts = Map.groupBy(all, shortName);
    return all.map((trade) => {
      const name = shortName(trade);
      const isShared = (counts.get(name)?.length ?? 0) > 1;
      return isShared ? `${this.timeOf(trade)} ${name}` : name;
    });
  }

  /** 14:30 */
  timeOf({ executed_at }: Pick<FoundTrade, 'executed_at'>): string {
    return this.#local(fromInstantText(executed_at)).slice(11);
  }

  /** Whether a trade was entered in the local minute of an instant. */
  isOfMinute({ executed_at }: FoundTrade, at: number): boolean {
    return this.#local(fromInstantText(executed_at)) === this.#local(at);
  }

  /** @throws RowError that names the candidates unless there is exactly one */
  #only(
    fitting: readonly FoundTrade[],
    clues: TradeClues,
    when: string,
    others: readonly FoundTrade[],
  ): FoundTrade {
    const [first] = fitting;
    if (first && fitting.length === 1) return first;

    const why = first
      ? this.#whySeveral(fitting, clues, when)
      : this.#whyNone(others, clues, when);
    throw new RowError(null, why);
  }

  #whySeveral(
    fitting: readonly FoundTrade[],
    { symbol, at }: TradeClues,
    when: string,
  ): string {
    const what = symbol === undefined ? 'trades' : `trades in ${symbol}`;
    const more = at === undefined ? 'time or ' : '';
    return `there are ${fitting.length} ${what} ${when}: ${this.#named(fitting)}; add the ${more}id of one`;
  }

  #whyNone(
    others: readonly FoundTrade[],
    { symbol, side, number, at }: TradeClues,
    when: string,
  ): string {
    const inSymbol = symbol === undefined ? undefined : `in ${symbol}`;
    const numbered =
      number === undefined || at !== undefined ? undefined : `with the number ${number}`;
    const what = [side, 'trade', inSymbol, numbered].filter(Boolean).join(' ');
    const known = others.length === 0 ? '' : `; trades then: ${this.#named(others)}`;
    return `there is no ${what} ${when}${known}; correct the ${wrongIn({ number, at })} or symbol, or add its id`;
  }

  #named(all: readonly FoundTrade[]): string {
    return listed(all, (trade) => this.nameOf(trade));
  }

  /** By its id, or one that it had before its file was read again. */
  withId(id: string): FoundTrade | undefined {
    return (
      this.#reader.get<FoundTrade>(BY_ID, this.#user, id) ??
      this.#reader.get<FoundTrade>(BY_FORMER_ID, this.#user, this.#user, id)
    );
  }

  enteredOn(day: string): readonly KnownTrade[] {
    return this.#between(
      this.#clock.startOfDay(day),
      this.#clock.startOfDay(addDays(day, 1)),
    );
  }

  /**
   * The journal entry with its trade_id instead of a symbol and a time to the minute at
   * which the trade was entered or open; the start of a day means the whole day. An
   * unknown id falls back on these.
   * @param tell receives the trade's name if it was found by a time in another minute
   * than that of its entry
   * @throws RowError that names the candidates unless there is exactly one
   */
  resolved(values: Values, tell: (guess: string) => void): Values {
    const { symbol, executed_at, date, time, ...entry } = values;
    if (symbol == null || symbol === '') return entry;
    if (typeof symbol !== 'string') return values;

    const { trade_id } = entry;
    const id = typeof trade_id === 'string' && trade_id !== '' ? trade_id : undefined;
    const known = id === undefined ? undefined : this.withId(id);
    if (known) return { ...entry, trade_id: known.id };

    const noted = executed_at ?? (time == null ? date : `${date ?? ''} ${time}`);
    // Without a time, the only trade in a symbol may not be the one with the id.
    if (id !== undefined && noted == null) return entry;

    const at = noted == null ? undefined : this.#instantOf(noted);
    const trade = this.#onlyIn(symbol, at, id);
    const isNamed = at === undefined || this.#isDay(at) || this.isOfMinute(trade, at);

    if (!isNamed)
      tell(
        `no trade in ${symbol} was entered in that minute; the entry is of ${this.nameOf(trade)}`,
      );

    return { ...entry, trade_id: trade.id };
  }

  /**
   * @param id that no trade has
   * @throws RowError that names the candidates unless there is exactly one
   */
  #onlyIn(symbol: string, at: number | undefined, id: string | undefined): FoundTrade {
    const fitting = at === undefined ? this.#all(symbol) : this.#at(symbol, at);
    const [first] = fitting;
    if (first && fitting.length === 1) return first;

    const when = at === undefined ? '' : ` at ${toInstantText(at)}`;
    const why = id === undefined ? 'is missing' : `no trade has the id "${id}"`;
    throw new RowError(
      'trade_id',
      first
        ? `${why}, and there are ${fitting.length} trades in ${symbol}${when}: ${namesOf(fitting)}; add the id of one`
        : `${why}, and there is no trade in ${symbol}${when}; correct the symbol or time`,
    );
  }

  /** Whether an instant is the start of a day, which means the whole day. */
  #isDay(at: number): boolean {
    return this.#clock.startOfDay(this.#clock.dateOf(at)) === at;
  }

  /** Trades entered in that minute, else near it, else open then. */
  #at(symbol: string, at: number): readonly KnownTrade[] {
    const day = this.#clock.dateOf(at);
    const isDay = this.#isDay(at);
    const from = isDay ? at : minuteOf(at);
    const to = isDay ? this.#clock.startOfDay(addDays(day, 1)) : from + MINUTE;
    const entered = this.#between(from, to).filter(isIn(symbol));
    if (entered.length > 0) return entered;

    const near = isDay ? [] : nearest(this.#near(at).filter(isIn(symbol)), at);
    if (near.length > 0) return near;

    const [first, last] = [toInstantText(from), toInstantText(to)];
    return this.#all(symbol).filter(
      ({ executed_at, closed_at }) =>
        executed_at < last && (closed_at === null || closed_at >= first),
    );
  }

  #enteredAt(clues: TradeClues, at: number): readonly KnownTrade[] {
    const instants = this.#alikeTo(at);
    const [minute, ...more] = instants.map((instant) =>
      this.#between(minuteOf(instant), minuteOf(instant) + MINUTE),
    );
    const minutes = minute && more.length === 0 ? minute : [minute ?? [], ...more].flat();

    // A time names a trade; a number only helps among several.
    const { number: _, ...others } = clues;
    const unnumbered = narrowed(minutes, others, minutes);
    const ofDay = () => this.enteredOn(this.#clock.dateOf(at));
    const numbered = unnumbered.length > 1 ? narrowed(minutes, clues, ofDay()) : [];
    const inMinute = numbered.length === 1 ? numbered : unnumbered;

    // Seconds, if given, decide among several trades of a minute.
    if (inMinute.length > 1 && at !== minuteOf(at)) return nearest(inMinute, ...instants);
    if (inMinute.length > 0) return inMinute;

    const near = instants.flatMap((instant) => this.#near(instant));
    return nearest(narrowed(near, others, near), ...instants);
  }

  /** The instants with the same local time: two when clocks are set back. */
  #alikeTo(at: number): number[] {
    const shown = at + this.#clock.offsetAt(at);
    const others = [at - DAY / 2, at + DAY / 2].map(
      (around) => shown - this.#clock.offsetAt(around),
    );
    return [...new Set([at, ...others])]
      .filter((instant) => instant + this.#clock.offsetAt(instant) === shown)
      .sort((a, b) => a - b);
  }

  #near(at: number): readonly KnownTrade[] {
    return this.#between(at - NEAR, at + NEAR + 1);
  }

  #between(from: number, to: number): readonly KnownTrade[] {
    const key = `${from} ${to}`;
    let found = this.#known.get(key);
    if (!found) {
      found = named(
        this.#reader.all<FoundTrade>(
          ENTERED,
          this.#user,
          toInstantText(from),
          toInstantText(to),
        ),
      );
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, found);
    }

    return found;
  }

  #all(symbol: string): readonly KnownTrade[] {
    const all = named(
      this.#reader.all<FoundTrade>(IN_SYMBOL, this.#user, symbol, symbol),
    );
    const exact = all.filter(
      (trade) => trade.symbol.toUpperCase() === symbol.toUpperCase(),
    );
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

/** An option's contract without its day; else the symbol. */
function shortName({ symbol, underlying, strike, option_type }: FoundTrade): string {
  if (strike === null || option_type === null) return symbol;
  return `${underlying ?? symbol} ${strike} ${option_type === 'call' ? 'C' : 'P'}`;
}

const MOST_KNOWN = 1000;

/** A trade with its names in plain letters. */
interface KnownTrade extends FoundTrade {
  names: readonly string[];
  future: ReturnType<typeof futureOf>;
}

function named(rows: readonly FoundTrade[]): KnownTrade[] {
  return rows.map((trade) => ({
    ...trade,
    names: [trade.symbol, trade.underlying ?? trade.symbol].map(plain),
    future: futureOf(trade.symbol),
  }));
}

const chosenOf = new WeakMap<readonly KnownTrade[], Map<string, readonly KnownTrade[]>>();

/** Filters by symbol and side, once for all notes about the same trades. */
function chosen(
  all: readonly KnownTrade[],
  symbol: string | undefined,
  side: string | undefined,
) {
  const known = chosenOf.get(all) ?? new Map<string, readonly KnownTrade[]>();
  const key = `${side} ${symbol}`;
  const found =
    known.get(key) ??
    all.filter((trade) => side === undefined || trade.side === side).filter(isIn(symbol));
  chosenOf.set(all, known.set(key, found));
  return found;
}

/**
 * Filters by symbol and side, among several by price, then by number: the number of a
 * trade counts those of its symbol, and in "Trade 2" perhaps all. One that no trade has
 * fits none.
 * @param ofDay all trades of the day
 */
function narrowed(
  all: readonly KnownTrade[],
  clues: TradeClues,
  ofDay: readonly KnownTrade[],
): readonly KnownTrade[] {
  const { symbol, side, entryPrice, number, countsAll } = clues;
  const fitting = chosen(all, symbol, side);
  const priced = entryPrice
    ? fitting.filter((trade) => agrees(entryPrice, trade.entry_price))
    : [];
  if (number === undefined || (fitting.length > 0 && priced.length === 1))
    return priced.length > 0 ? priced : fitting;

  const ofNumber = [
    chosen(ofDay, symbol, undefined)[number - 1],
    countsAll ? ofDay[number - 1] : undefined,
  ];
  return (priced.length > 0 ? priced : fitting).filter((trade) =>
    ofNumber.includes(trade),
  );
}

/** What is probably wrong in clues that no trade fits. */
function wrongIn({ number, at }: Pick<TradeClues, 'number' | 'at'>): string {
  if (at !== undefined) return 'time';
  return number === undefined ? 'side' : 'number';
}

/** Letters and digits only: users often omit the slash of BTC/USDT. */
function plain(symbol: string): string {
  return symbol.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

/** Whether a trade's symbol or underlying matches. */
function isIn(symbol: string | undefined): (trade: KnownTrade) => boolean {
  if (symbol === undefined) return () => true;

  const name = plain(symbol);
  // A note of earlier years may have Kraken's older name: XXBTZEUR of XBT/EUR.
  const present = plain(presentName(name) ?? name);
  const future = futureOf(symbol);

  return ({ names, future: other }) => {
    if (names.includes(name) || names.includes(present)) return true;
    // MNQZ25 equals MNQZ5, and MNQ1! matches any month.
    return (
      other?.root === future?.root &&
      other !== undefined &&
      (future?.month == null || isSameMonth(future, other))
    );
  };
}

function isSameMonth(
  a: { month: number | null; year: string | null },
  b: typeof a,
): boolean {
  return a.month === b.month && a.year?.at(-1) === b.year?.at(-1);
}

function nearest(
  all: readonly KnownTrade[],
  ...instants: number[]
): readonly KnownTrade[] {
  const distance = ({ executed_at }: FoundTrade) =>
    Math.min(...instants.map((at) => Math.abs(fromInstantText(executed_at) - at)));
  const least = Math.min(...all.map(distance));
  return all.filter((trade) => distance(trade) === least);
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE;
}

function namesOf(all: readonly FoundTrade[]): string {
  return listed(all, ({ id, side, executed_at }) => `${id} (${side}, ${executed_at})`);
}

function listed(
  all: readonly FoundTrade[],
  nameOf: (trade: FoundTrade) => string,
): string {
  const names = all.slice(0, NAMED).map(nameOf).join(', ');
  return `${names}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ''}`;
}
