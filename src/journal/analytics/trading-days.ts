/** Earlier trades on a trade's day of entry, in its account: all trades of each day, including those that figures don't count. */
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import type { ZoneClock } from '../../time.ts';
import { remembered } from '../in-steps.ts';
import type { User } from '../journal.ts';
import { storedInstant } from '../stored-value.ts';
import { Where } from '../where.ts';
import { type ClosedTrade, rateOf, type Sequence } from './closed-trade.ts';
import { legsOf, shared, sumOf } from './positions.ts';
import { clamp, rangeOf } from './statistics.ts';
import { type TradeRow, TradeRows } from './trade-rows.ts';

/** A trade of a day, or a position whose first leg was entered on it. */
interface Entered {
  name: string;
  id: string;
  account: string | null;
  enteredMs: number;
  /** Infinity if open. */
  closedMs: number;
  outcome: ClosedTrade['outcome'];
}

/** Maximum trades kept, of the last requested days: trades that close near each other were mostly entered near each other. */
const MAX_KEPT = 100_000;

export class TradingDays {
  readonly #reader: Reader;
  readonly #user: User;
  readonly #clock: ZoneClock;
  readonly #isByPosition: boolean;
  readonly #rows: TradeRows;
  readonly #days = new Map<number, ReadonlyMap<string, Sequence>>();
  #kept = 0;
  readonly #folded = remembered(foldCase);

  constructor(reader: Reader, user: User, clock: ZoneClock, unit: 'trade' | 'position') {
    this.#reader = reader;
    this.#user = user;
    this.#clock = clock;
    this.#isByPosition = unit === 'position';
    this.#rows = new TradeRows(reader, user, [
      'entered',
      'account',
      ...(this.#isByPosition ? (['group'] as const) : []),
    ]);
  }

  has(day: number): boolean {
    return this.#days.has(day);
  }

  /** Reads a day and some of the following days, with pauses. */
  *load(day: number): Generator<void, void> {
    for (const [each, rows] of yield* this.#rowsFrom(day)) {
      const entered = yield* this.#enteredOf(rows);
      // A small map per day: the garbage collector copies what is kept for long.
      const sequences = new Map<string, Sequence>();
      for (const ofAccount of Map.groupBy(entered, ({ account }) => account).values())
        addSequences(ofAccount, sequences);
      this.#keep(each, sequences);
    }
  }

  #keep(day: number, sequences: ReadonlyMap<string, Sequence>): void {
    this.#kept += sequences.size;
    for (const [oldest, { size }] of this.#days) {
      if (this.#kept <= MAX_KEPT) break;
      this.#days.delete(oldest);
      this.#kept -= size;
    }
    this.#days.set(day, sequences);
  }

  /** Sequence of a trade whose day of entry is loaded. */
  sequenceOf(day: number, { id, groupId }: ClosedTrade): Sequence {
    return this.#days.get(day)?.get(this.#nameOf(id, groupId)) as Sequence;
  }

  /** Unique, because no id has a slash. */
  #nameOf(id: string, groupId: string | null): string {
    return this.#isByPosition && groupId !== null ? `/${groupId}` : id;
  }

  /**
   * The trades of a day and of the following days read with it, in the order of entry: a query for each day would take a third of the
   * time of the pass. Stops before the next loaded day, so that none is read again.
   */
  *#rowsFrom(day: number): Generator<void, Map<number, TradeRow[]>> {
    const { from, to } = this.#clock.boundsOfDay(day);
    const next = [...this.#days.keys()].reduce((least, one) => (one > day && one < least ? one : least), Infinity);
    const end = next === Infinity ? Infinity : this.#clock.boundsOfDay(next - 1).to;
    const range = rangeOf({ from: clamp(from), to: end === Infinity ? null : clamp(end) });
    const byDay = new Map<number, TradeRow[]>([[day, []]]);
    let last: TradeRow | undefined;
    for (let readTo = from; readTo < to; ) {
      const where = new Where(this.#user.id);
      where.range('executed_at', last ? { from: null, to: range.to } : range);
      if (last) where.compare(['executed_at', 'id'], '>', [last.executed_at as string, last.id]);
      const { rows, isLast } = this.#rows.read('trades', where, 'executed_at');
      for (const row of rows) addTo(byDay, this.#clock.dayOf(storedInstant(row.executed_at)), row);
      last = rows.at(-1);
      readTo = isLast ? end : storedInstant(last?.executed_at);
      yield;
      if (readTo < to) continue;
      for (const each of byDay.keys()) {
        const bounds = this.#clock.boundsOfDay(each);
        if (bounds.from < from || bounds.to > readTo) byDay.delete(each);
      }
    }
    return byDay;
  }

  *#enteredOf(rows: readonly TradeRow[]): Generator<void, Entered[]> {
    const entered: Entered[] = [];
    for (const row of rows) {
      const one = row.group_id == null ? this.#entered([row], row.account) : yield* this.#enteredWith(row);
      if (one) entered.push(one);
    }
    return entered;
  }

  /** The position that a leg opens; undefined if another leg opens it. */
  *#enteredWith({ id, group_id }: TradeRow): Generator<void, Entered | undefined> {
    const groupId = group_id as string;
    const first = this.#reader.get(
      `SELECT id FROM trades WHERE user_id = ${TEXT} AND group_id = ${TEXT} ORDER BY executed_at, id LIMIT 1`,
      this.#user.id,
      groupId,
    );
    if (first?.['id'] !== id) return undefined;
    const legs = (yield* legsOf(this.#rows, this.#user, [groupId])).get(groupId) as TradeRow[];
    return this.#entered(legs, shared(legs, 'account'));
  }

  /** @param legs of a position, or the one trade */
  #entered(legs: readonly TradeRow[], account: string | null): Entered {
    const [first] = legs as [TradeRow];
    const isOpen = legs.some(({ closed_at }) => closed_at === null);
    const net = legs.length === 1 ? this.#netOf(first) : sumOf(legs.map((leg) => this.#netOf(leg)));
    return {
      name: this.#nameOf(first.id, first.group_id ?? null),
      id: first.id,
      account: account === null ? null : this.#folded(account),
      enteredMs: storedInstant(first.executed_at),
      closedMs: isOpen ? Infinity : legs.reduce((at, leg) => Math.max(at, storedInstant(leg.closed_at)), -Infinity),
      outcome: this.#rows.outcomeOf(net),
    };
  }

  /** In its own currency if it has no rate, like the outcome of the record. */
  #netOf(row: TradeRow): number {
    return this.#rows.netOf(row) * (rateOf(this.#user, row.currency, row.fx_rate) ?? 1);
  }
}

function addTo(byDay: Map<number, TradeRow[]>, day: number, row: TradeRow): void {
  const rows = byDay.get(day);
  if (rows) rows.push(row);
  else byDay.set(day, [row]);
}

/** @param entered trades of one day and account, in the order of entry */
function addSequences(entered: readonly Entered[], sequences: Map<string, Sequence>): void {
  const closes = entered.filter(({ closedMs }) => closedMs < Infinity);
  closes.sort((a, b) => a.closedMs - b.closedMs || byEntry(a, b));
  let closed = 0;
  let losses = 0;
  let lastLoss: number | null = null;
  let after: Sequence['after'] = 'none';
  let tradeOfDay = 0;
  for (const one of entered) {
    for (let next = closes[closed]; next && isBefore(next, one); next = closes[++closed]) {
      losses = next.outcome === 'loss' ? losses + 1 : 0;
      if (losses > 0) lastLoss = next.closedMs;
      after = losses > 1 ? 'losses' : next.outcome;
    }
    const sinceLoss = lastLoss === null ? null : one.enteredMs - lastLoss;
    sequences.set(one.name, { after, sinceLoss, tradeOfDay: ++tradeOfDay });
  }
}

/** Whether one closed before the other's entry. If trades are entered and closed at one instant, the id decides the order. */
function isBefore(closed: Entered, { enteredMs, id }: Entered): boolean {
  if (closed.closedMs !== enteredMs) return closed.closedMs < enteredMs;
  return closed.enteredMs < enteredMs || closed.id < id;
}

function byEntry(a: Entered, b: Entered): number {
  return a.enteredMs - b.enteredMs || (a.id < b.id ? -1 : 1);
}
