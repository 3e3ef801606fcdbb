/**
 * The closed trades or positions of a period, one by one in the order (closed_at, id), with their money in the user's base currency:
 * the source of every figure.
 */

import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { dayNumber, ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { ifSmall, isSmall, ResponseTooLarge } from '../response-size.ts';
import { storedNumber, storedText } from '../stored-value.ts';
import { type Range, Where } from '../where.ts';
import type { Accumulator, ClosedTrade, Column, SessionFacts } from './closed-trade.ts';
import type { Condition } from './condition.ts';
import { COLUMNS_OF_LEGS, Positions, type WithoutRate } from './positions.ts';
import { Sequences } from './sequences.ts';
import { CHUNK, sourceFor, type TradeRow, TradeRows } from './trade-rows.ts';
import { UsualSizes } from './usual-sizes.ts';

// The trader's condition per day, from sessions.

/** Maximum size of a mood, condition or bias. */
const MAX_OCTETS = '16000';

const contextText = (name: string) =>
  `iif(json_type(market_context, '$.${name}') = 'text', market_context ->> '$.${name}', NULL)`;
const COLUMNS = `id, date, started_at, mood, energy, sleep_hours, json_type(review, '$.followed_plan') AS plan,
  ${contextText('condition')} AS condition, ${contextText('bias')} AS bias`;
const OCTETS = ['mood', contextText('condition'), contextText('bias')]
  .map((text) => `coalesce(octet_length(${text}), 0)`)
  .join(' + ');

interface SessionRow {
  id: string;
  date: string;
  started_at: string | null;
  mood: string | null;
  energy: number | null;
  sleep_hours: number | null;
  plan: string | null;
  condition: string | null;
  bias: string | null;
}

/** By the number of the day. */
type SessionDays = ReadonlyMap<number, SessionFacts>;

const NO_SESSION: SessionFacts = {
  mood: null,
  energy: null,
  sleepHours: null,
  followedPlan: null,
  condition: null,
  bias: null,
};

/** @throws ResponseTooLarge if a mood is too long to group by */
function* sessionDays(reader: Reader, user: User): Generator<void, SessionDays> {
  const days = new Map<number, SessionFacts>();
  let ofDay: SessionRow[] = [];
  const endDay = () => {
    const [first] = ofDay;
    if (first) days.set(dayNumber(first.date), factsOf(ofDay));
    ofDay = [];
  };
  let last: SessionRow | undefined;
  for (;;) {
    const rows = nextRows(reader, user, last);
    for (const row of rows) {
      if (row.date !== ofDay[0]?.date) endDay();
      ofDay.push(row);
    }
    if (rows.length < CHUNK) break;
    last = rows.at(-1);
    yield;
  }
  endDay();
  return days;
}

function nextRows(reader: Reader, user: User, last: SessionRow | undefined): SessionRow[] {
  const where = new Where(user.id);
  if (last) where.compare(['date', 'id'], '>', [last.date, last.id]);
  where.add(isSmall(OCTETS, MAX_OCTETS));
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${where.sql} ORDER BY date, id LIMIT ${CHUNK}`;
  const rows = ifSmall(() => reader.all(sql, ...where.values) as unknown as SessionRow[]);
  if (rows) return rows;
  const long = reader.get(
    `SELECT id FROM sessions WHERE user_id = ${TEXT} AND ${OCTETS} > ${MAX_OCTETS} LIMIT 1`,
    user.id,
  );
  throw new ResponseTooLarge(
    `mood, condition and bias of the session ${long?.['id']} take more than ${Number(MAX_OCTETS) / 1000} KB, too much to group by; shorten them`,
  );
}

/** Each fact from the first session with a value; sessions without a start are last. */
function factsOf(sessions: SessionRow[]): SessionFacts {
  const startOf = ({ started_at }: SessionRow) => started_at ?? '~';
  if (sessions.length > 1) {
    sessions.sort((a, b) => (startOf(a) === startOf(b) ? (a.id < b.id ? -1 : 1) : startOf(a) < startOf(b) ? -1 : 1));
  }
  const first = <T>(of: (session: SessionRow) => T | null) => sessions.map(of).find((value) => value !== null) ?? null;
  const text = (name: 'mood' | 'condition' | 'bias') => {
    const found = first((session) => session[name]);
    return found === null ? null : storedText(found);
  };
  const energy = first((session) => session.energy);
  const sleepHours = first((session) => session.sleep_hours);
  const plan = first((session) => (session.plan === 'true' || session.plan === 'false' ? session.plan : null));
  return {
    mood: text('mood'),
    energy: energy === null ? null : storedNumber(energy),
    sleepHours: sleepHours === null ? null : storedNumber(sleepHours),
    followedPlan: plan === null ? null : plan === 'true',
    condition: text('condition'),
    bias: text('bias'),
  };
}

// Adds context from other records to trades, as far as figures need it: earlier trades of the day, sessions, the usual size.

class ContextReader {
  readonly #clock: ZoneClock;
  readonly #sequences: Sequences | null;
  readonly #sessions: SessionDays | null;
  readonly #sizes: UsualSizes | null;

  /** Null if no figure needs context. */
  static *open(
    reader: Reader,
    user: User,
    unit: 'trade' | 'position',
    columns: readonly Column[],
  ): Generator<void, ContextReader | null> {
    const wants = (part: Column) => columns.includes(part);
    if (!wants('sequence') && !wants('session') && !wants('size')) return null;
    const clock = new ZoneClock(user.timezone);
    return new ContextReader(
      clock,
      wants('sequence') ? yield* Sequences.of(reader, user, clock, unit) : null,
      wants('session') ? yield* sessionDays(reader, user) : null,
      wants('size') ? yield* UsualSizes.of(reader, user) : null,
    );
  }

  private constructor(
    clock: ZoneClock,
    sequences: Sequences | null,
    sessions: SessionDays | null,
    sizes: UsualSizes | null,
  ) {
    this.#clock = clock;
    this.#sequences = sequences;
    this.#sessions = sessions;
    this.#sizes = sizes;
  }

  addTo(trade: ClosedTrade): void {
    const day = this.#clock.dayOf(trade.enteredMs);
    trade.context = {
      sequence: this.#sequences?.sequenceOf(trade) ?? null,
      session: this.#sessions && (this.#sessions.get(day) ?? NO_SESSION),
      size: this.#sizes && sizeOf(trade, this.#sizes),
    };
  }
}

function sizeOf(trade: ClosedTrade, sizes: UsualSizes): number | null {
  if (trade.quantity === null) return null;
  const median = sizes.medianOf(trade);
  return median === undefined ? null : trade.quantity / median;
}

/** Unit to count: each trade, or the legs of a trade group together. */
export const UNITS = ['trade', 'position'] as const;

/** Selection of trades: bounds of closed_at as UTC text, trade filters by name, and the unit to count. */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
  unit: (typeof UNITS)[number];
  /** Further condition on a trade, or on a position as a whole. */
  where?: Pick<Condition, 'columns' | 'matches'> | null;
}

/**
 * Passes the closed trades of a selection to accumulators in the order (closed_at, id), with pauses between chunks.
 * @param addWithoutRate called instead for a trade without an exchange rate to the base currency, excluded from figures
 * @returns number of trades passed
 */
export function* visitClosedTrades(
  reader: Reader,
  user: User,
  selection: Selection,
  accumulators: readonly Accumulator[],
  addWithoutRate?: (trade: ClosedTrade, currencies: readonly string[]) => void,
): Generator<void, number> {
  const { filters, unit, where = null } = selection;
  const columns = [
    ...accumulators.flatMap(({ columns }) => columns),
    ...(where?.columns ?? []),
    ...(unit === 'position' ? COLUMNS_OF_LEGS : []),
  ];
  const reading = new TradeRows(reader, user, columns);
  const positions = unit === 'position' ? new Positions(reader, user, reading, filters) : null;
  const context = yield* ContextReader.open(reader, user, unit, columns);
  let counted = 0;
  for (const rows of chunks(reader, user, selection, reading)) {
    if (positions) yield* positions.meet(rows);
    const trades: ClosedTrade[] = [];
    for (const row of rows) {
      const one = positions && row.group_id != null ? positions.closedBy(row) : reading.toTrade(row);
      if (one === undefined) continue;
      const isRated = one !== null && !isWithoutRate(one);
      const trade = isRated ? one : withoutRate(one, row, reading);
      context?.addTo(trade);
      if (where && !where.matches(trade)) continue;
      if (isRated) trades.push(trade);
      else addWithoutRate?.(trade, one?.currencies ?? [row.currency]);
    }
    counted += trades.length;
    // Each figure counts the whole chunk in turn: trade by trade, V8 would look up the next figure's method each time.
    for (const accumulator of accumulators) for (const trade of trades) accumulator.add(trade);
    yield;
  }
  return counted;
}

/** A trade or position excluded from figures, as if its rate were 1. */
function withoutRate(one: WithoutRate | null, row: TradeRow, reading: TradeRows): ClosedTrade {
  return one === null ? (reading.toTrade(row, 1) as ClosedTrade) : one.asIfRated();
}

function isWithoutRate(one: ClosedTrade | WithoutRate): one is WithoutRate {
  return 'currencies' in one;
}

type Keyset = [closedAt: string, id: string];

/** The rows of a selection in the same order; all legs of positions, because the closing leg may match no filter. */
export function* chunks(
  reader: Reader,
  user: User,
  { range, filters, unit }: Selection,
  reading: TradeRows,
): Generator<TradeRow[], void> {
  const isFiltered = Object.keys(filters).length > 0;
  let last: Keyset | undefined;
  for (;;) {
    // A filter may match few trades or none, so the size of a chunk counts all trades read, not only the matching ones.
    const end = isFiltered ? endOfChunk(reader, between(user, range, last, undefined)) : undefined;
    const where = between(user, range, last, end);
    if (unit === 'trade') where.filter(tradeFilters, filters, { byIndex: false });
    else if (isFiltered) addFilterOfSingles(where, user, filters);
    const { rows, isLast } = reading.read(sourceFor(filters), where, 'closed_at');
    yield rows;
    const next = isLast ? end : closedKeyset(rows.at(-1) as TradeRow);
    if (!next) return;
    last = next;
  }
}

/**
 * A keyset replaces the bound on its side: with both, SQLite may use the bound and step through all earlier or later chunks.
 */
function between(user: User, range: Range, last: Keyset | undefined, end: Keyset | undefined): Where {
  const where = new Where(user.id);
  where.add('closed_at IS NOT NULL');
  where.range('closed_at', { from: last ? null : range.from, to: end ? null : range.to });
  if (last) where.compare(['closed_at', 'id'], '>', last);
  if (end) where.compare(['closed_at', 'id'], '<=', end);
  return where;
}

function addFilterOfSingles(where: Where, user: User, filters: Selection['filters']): void {
  const ofSingles = new Where(user.id);
  ofSingles.filter(tradeFilters, filters, { byIndex: false });
  where.add(`(group_id IS NOT NULL OR ${ofSingles.sql})`, ...ofSingles.values);
}

/** The last trade of the next chunk; undefined if fewer remain. */
function endOfChunk(reader: Reader, where: Where): Keyset | undefined {
  const row = reader.get(
    `SELECT closed_at, id FROM trades AS t WHERE ${where.sql} ORDER BY closed_at, id LIMIT 1 OFFSET ${CHUNK - 1}`,
    ...where.values,
  );
  return row && closedKeyset(row as unknown as TradeRow);
}

function closedKeyset({ closed_at, id }: TradeRow): Keyset {
  return [closed_at, id];
}
