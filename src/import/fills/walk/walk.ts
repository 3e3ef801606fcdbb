/**
 * The walk: goes through one account's fills in the order they happened, and makes trades
 * from flat to flat. A fill that reverses the position closes one trade and opens the
 * next; a close without an open position is unmatched, unless it may open a short.
 */

import { asDecimal, difference, isNoise } from '../../../money.ts';
import { type Fill, lotId, lotsOf, PART } from '../../../statements/fill-row.ts';
import { compareText, instrumentKey } from '../identity.ts';
import { OpenPosition, UntakenFill, type WalkedTrade } from '../trade-record.ts';
import { bookedCloses, withBooked } from './executions.ts';

// The order of a day's fills without times. If the day closes no more than the open
// quantity, closing fills come first. Otherwise the order of the files decides, and a
// fill waits until the day has opened what it closes. So does a fill of the same instant
// as others.

/**
 * @param fills in the order they happened, as far as the files state it
 * @returns a day's fills without times, or those of one instant, together
 */
function* instantsOf(fills: readonly Fill[]): Generator<[Fill, ...Fill[]]> {
  const [earliest, ...others] = fills;
  if (!earliest) return;

  let together: [Fill, ...Fill[]] = [earliest];
  for (const fill of others) {
    const { has_time, executed_at } = together[0];
    if (fill.has_time === has_time && fill.executed_at === executed_at) {
      together.push(fill);
    } else {
      yield together;
      together = [fill];
    }
  }
  yield together;
}

interface Positions {
  held: (key: string) => Pick<OpenPosition, 'open' | 'closingSide'> | undefined;
  /** Whether a fill would now be fully matched. */
  isReady: (fill: Fill) => boolean;
}

/** Kinds that change the units held: they come first in a day. */
const CHANGES: readonly Fill['kind'][] = ['unclear', 'split', 'symbol_change'];

class DayQueue {
  readonly #positions: Positions;
  readonly #coming: Iterator<Fill>;
  /** Waiting fills, in order, by the instrument whose units they need. */
  readonly #waiting = new Map<string, Fill[]>();
  /**
   * Instruments whose position has changed since their waiting fills were last checked.
   */
  readonly #changed = new Set<string>();

  constructor(fills: readonly Fill[], positions: Positions) {
    this.#positions = positions;
    this.#coming = inOrder(fills, positions.held)[Symbol.iterator]();
  }

  /** The next fill, once the earlier ones are processed; undefined at the end. */
  next(): Fill | undefined {
    const woken = this.#wake();
    if (woken) return woken;

    for (
      let { value, done } = this.#coming.next();
      !done;
      { value, done } = this.#coming.next()
    ) {
      const fill = value as Fill;
      const key = needOf(fill);
      const waiting = this.#waiting.get(key) ?? [];
      const isNext = waiting.every(
        ({ side }) => side !== null && fill.side !== null && side !== fill.side,
      );
      if (this.#positions.isReady(fill) && (isNext || this.#opens(fill)))
        return this.#taken(fill);

      waiting.push(fill);
      this.#waiting.set(key, waiting);
    }

    for (const fills of this.#waiting.values()) {
      const left = fills.shift();
      if (left) return this.#taken(left);
    }

    return undefined;
  }

  /** The first waiting fill that the last change made ready. */
  #wake(): Fill | undefined {
    for (const key of this.#changed) {
      const [first] = this.#waiting.get(key) ?? [];
      if (!first || !this.#positions.isReady(first)) continue;
      this.#waiting.get(key)?.shift();
      return this.#taken(first);
    }

    this.#changed.clear();
    return undefined;
  }

  #taken(fill: Fill): Fill {
    this.#changed.add(needOf(fill)).add(instrumentKey(fill));
    return fill;
  }

  /**
   * Whether a fill enlarges a position: it waits for no other, and others may wait for
   * it.
   */
  #opens(fill: Fill): boolean {
    const held = this.#positions.held(instrumentKey(fill));
    return fill.kind === 'trade' && fill.side !== null && fill.side !== held?.closingSide;
  }
}

function sideKey(fill: Fill, side = fill.side): string {
  return `${side} ${instrumentKey(fill)}`;
}

function oppositeKey(fill: Fill): string {
  return sideKey(fill, fill.side === 'buy' ? 'sell' : 'buy');
}

function needOf(fill: Fill): string {
  return instrumentKey(fill, fill.former_symbol ?? fill.symbol);
}

/**
 * First changes of the units held, then closing fills if the units suffice for all, then
 * the rest in file order.
 */
function inOrder(fills: readonly Fill[], held: Positions['held']): Fill[] {
  const changes = fills.filter(({ kind }) => CHANGES.includes(kind));
  const others = fills.filter(({ kind }) => !CHANGES.includes(kind));
  const changed = new Set(
    changes.flatMap((fill) => (fill.kind === 'unclear' ? [] : instrumentKey(fill))),
  );
  const closing = new Set<Fill>();

  for (const [key, ofInstrument] of Map.groupBy(others, (fill) => instrumentKey(fill))) {
    const position = held(key);
    if (!position || changed.has(key)) continue;

    const closes = ofInstrument.filter(
      ({ side, effect }) =>
        effect !== 'open' && (side ?? position.closingSide) === position.closingSide,
    );
    const units = closes.reduce(
      (sum, { quantity }) => sum + (quantity ?? position.open),
      0,
    );
    if (units <= position.open * (1 + 1e-9)) for (const fill of closes) closing.add(fill);
  }

  return [...changes, ...closing, ...others.filter((fill) => !closing.has(fill))];
}

/** A fill, or a part of one, that belongs to no trade. */
export interface Leftover {
  fill: Fill;
  /** Null: the whole open quantity. */
  quantity: number | null;
}

export interface Walk {
  /** In the order they were opened. */
  trades: WalkedTrade[];
  unmatched: Leftover[];
  /** Remainders too small to keep a trade open. */
  dust: Leftover[];
  /** Booked expirations that close something, with its units. */
  booked: Fill[];
}

/** The instant at which a day starts in the user's zone. */
type StartOf = (day: string) => string;

/**
 * @param fills of one account, in the order they happened, each execution once
 * @param startOf of the days of lots; UTC unless given
 */
export function walk(
  fills: readonly Fill[],
  startOf: StartOf = (day) => `${day}T00:00:00.000Z`,
): Walk {
  const stated = fills.filter(({ part }) => part !== PART.booked);
  const found = walkStated(stated, startOf);
  if (stated.length === fills.length) return found;

  const open = found.trades.filter((trade) => trade.open > 0);
  const booked = bookedCloses(
    fills.filter(({ part }) => part === PART.booked),
    open,
  );
  return booked.length === 0
    ? found
    : { ...walkStated(withBooked(stated, booked), startOf), booked };
}

function walkStated(fills: readonly Fill[], startOf: StartOf): Walk {
  const walker = new Walker(startOf);
  for (const together of instantsOf(fills)) {
    const [first] = together;
    if (together.length === 1) {
      walker.take(first);
      continue;
    }

    // Of one instant, what opens a trade comes before its costs.
    const { cost = [], other = [] } = Object.groupBy(together, ({ kind }) =>
      kind === 'cost' ? 'cost' : 'other',
    );
    if (first.has_time) walker.takeInstant(other);
    else walker.takeDay(other);
    for (const fill of cost) walker.take(fill);
  }

  return walker.end();
}

/**
 * Fills of an instrument that wait for others of their instant, and how many no longer
 * do.
 */
interface WaitingFills {
  fills: Fill[];
  taken: number;
}

class Walker implements Positions {
  readonly #walk: Walk = { trades: [], unmatched: [], dust: [], booked: [] };
  readonly #positions = new Map<string, OpenPosition>();
  /** The latest trade of each instrument. */
  readonly #latest = new Map<string, WalkedTrade>();
  /** Instruments whose units came or went for a reason that no file states. */
  readonly #unsure = new Set<string>();
  readonly #startOf: StartOf;

  constructor(startOf: StartOf) {
    this.#startOf = startOf;
  }

  take(fill: Fill): void {
    const key = instrumentKey(fill);
    const position = this.#positions.get(key);
    if (fill.kind === 'cost') this.#charge(fill, key);
    else if (fill.part === PART.cancels)
      this.#walk.unmatched.push({ fill, quantity: fill.quantity });
    else if (fill.kind === 'split') this.#split(fill, position);
    else if (fill.kind === 'symbol_change') this.#rename(fill, key);
    else if (fill.kind === 'unclear') this.#doubt(key, position);
    else if (fill.kind === 'transfer') this.#transfer(fill, key, position);
    else this.#trade(fill, key, position);
  }

  /** A dated cost belongs to what is held, else to what was held last. */
  #charge(fill: Fill, key: string): void {
    const trade = fill.part === PART.dated ? this.#latest.get(key) : undefined;
    if (trade) trade.costs.push(fill);
    else this.#walk.unmatched.push({ fill, quantity: null });
  }

  takeDay(fills: readonly Fill[]): void {
    const queue = new DayQueue(fills, this);
    for (let fill = queue.next(); fill; fill = queue.next()) this.take(fill);
  }

  /** In their order, but a trade waits until the others have opened what it closes. */
  takeInstant(fills: readonly Fill[]): void {
    const last = new Map(fills.map((fill, index) => [sideKey(fill), index]));
    const waiting = new Map<string, WaitingFills>();

    for (const [index, fill] of fills.entries()) {
      const isFollowed = (last.get(oppositeKey(fill)) ?? -1) > index;
      const key = instrumentKey(fill);
      const ofInstrument = waiting.get(key) ?? { fills: [], taken: 0 };
      if (fill.kind === 'trade' && isFollowed && !this.isReady(fill)) {
        ofInstrument.fills.push(fill);
        waiting.set(key, ofInstrument);
        continue;
      }

      this.take(fill);
      this.#takeReady(ofInstrument);
    }

    for (const { fills: left, taken } of waiting.values())
      for (const fill of left.slice(taken)) this.take(fill);
  }

  /** Takes waiting fills, the first first, as long as they are ready. */
  #takeReady(waiting: WaitingFills): void {
    for (;;) {
      const next = waiting.fills[waiting.taken];
      if (!next || !this.isReady(next)) return;
      this.take(next);
      waiting.taken++;
    }
  }

  end(): Walk {
    for (const position of this.#positions.values()) {
      if (position.isDust) this.#sweep(position);
      else if (isUnmarkedShort(position.trade)) position.trade.isUnsure = true;
    }
    return this.#walk;
  }

  readonly held = (key: string) => this.#positions.get(key);

  isReady(fill: Fill): boolean {
    const { part, kind } = fill;
    if (part === PART.cancels || kind === 'unclear') return true;
    if (kind === 'symbol_change') return this.#mayRename(fill);

    const position = this.#positions.get(instrumentKey(fill));
    return kind === 'split' ? maySplit(fill, position) : mayTrade(fill, position);
  }

  /** Whether the units of the former symbol are there. */
  #mayRename(fill: Fill): boolean {
    const { quantity } = fill;
    const former = this.#positions.get(needOf(fill));
    if (!former) return false;
    return (
      quantity === null ||
      former.isNegligible(Math.abs(difference(former.open, quantity)))
    );
  }

  #split(fill: Fill, position: OpenPosition | undefined): void {
    const { side, quantity } = fill;
    if (side === null) {
      position?.split(quantity ?? 1);
      return;
    }

    const after = Number(position?.open) + (side === 'buy' ? 1 : -1) * Number(quantity);
    if (position && after > 0) position.split(after / position.open);
    else this.#walk.unmatched.push({ fill, quantity });
  }

  #rename(fill: Fill, key: string): void {
    const former = needOf(fill);
    const position = this.#positions.get(former);
    if (this.#unsure.has(former)) this.#unsure.add(key);
    if (!position && fill.quantity !== null)
      this.#walk.unmatched.push({ fill, quantity: fill.quantity });
    if (!position) return;
    if (this.#positions.has(key)) {
      this.#doubt(key, this.#positions.get(key));
      this.#doubt(former, position);
      return;
    }

    this.#positions.delete(former);
    this.#positions.set(key, position);
    this.#latest.set(key, position.trade);
    position.trade.instrument = fill;
  }

  #doubt(key: string, position: OpenPosition | undefined): void {
    this.#unsure.add(key);
    if (position) position.trade.isUnsure = true;
  }

  /** Outgoing units leave their trade at cost. */
  #transfer(fill: Fill, key: string, position: OpenPosition | undefined): void {
    const beyond = difference(Number(fill.quantity), position?.open ?? 0);
    if (beyond > 0 && !position?.isNegligible(beyond))
      this.#walk.unmatched.push({ fill, quantity: beyond });
    if (!position) return;

    position.withdraw(Number(fill.quantity));
    if (position.open > 0) return;

    this.#positions.delete(key);
    if (position.trade.executions.length > 0) return;

    this.#walk.trades.splice(this.#walk.trades.indexOf(position.trade), 1);
    this.#latest.delete(key);
    for (const cost of position.trade.costs) this.#charge(cost, key);
  }

  #trade(fill: Fill, key: string, before: OpenPosition | undefined): void {
    let position = before;
    const side = fill.side ?? position?.closingSide;
    if (side === undefined) {
      this.#walk.unmatched.push({ fill, quantity: fill.quantity });
      return;
    }

    const untaken = new UntakenFill(fill, side, position?.open ?? 0);
    const isClosing = position !== undefined && side === position.closingSide;
    if (position && isClosing) {
      this.#close(position, untaken, key);
      position = undefined;
    } else if (position?.isDust) {
      this.#sweep(position);
      this.#positions.delete(key);
      position = undefined;
    }

    if (untaken.quantity === 0) {
      if (!before) this.#walk.unmatched.push({ fill, quantity: null });
      return;
    }

    if (!mayOpen(fill, side, isClosing)) {
      this.#leave(untaken, before === undefined);
    } else if (position) {
      position.add(untaken);
    } else {
      position = new OpenPosition(untaken);
      position.trade.isUnsure = this.#unsure.has(key);
      this.#positions.set(key, position);
      this.#latest.set(key, position.trade);
      this.#walk.trades.push(position.trade);
    }
  }

  /** @param isWhole whether the fill closed nothing so far */
  #leave(untaken: UntakenFill, isWhole: boolean): void {
    const { fill, quantity } = untaken;
    const trade = isWhole ? tradeOfLots(untaken, this.#startOf) : undefined;
    if (trade) this.#walk.trades.push(trade);
    else this.#walk.unmatched.push({ fill, quantity });
  }

  /** Closes a position; the rest of the fill stays in the untaken fill. */
  #close(position: OpenPosition, untaken: UntakenFill, key: string): void {
    const beyond = difference(untaken.quantity, position.open);
    if (beyond > 0 && position.isNegligible(beyond)) {
      if (!isNoise(beyond, position.opened))
        this.#walk.dust.push({ fill: untaken.fill, quantity: beyond });
      untaken.quantity = position.open;
    }

    position.reduce(untaken);
    if (position.open === 0) this.#positions.delete(key);
  }

  /** Closes a trade at its last fill despite an open remainder. */
  #sweep(position: OpenPosition): void {
    this.#walk.dust.push({ fill: position.trade.last, quantity: position.open });
    position.dropOpen();
  }
}

/**
 * The trade of a close whose opening no file has, if its row states the day and cost of
 * all that it closed. Costs of the lots are in their prices.
 */
function tradeOfLots(untaken: UntakenFill, startOf: StartOf): WalkedTrade | undefined {
  const { fill, side, quantity } = untaken;
  const lots = lotsOf(fill);
  const units = lots.reduce((sum, [, lot]) => sum + lot, 0);
  if (lots.length === 0 || !isNoise(units - quantity, quantity)) return undefined;

  const opens = lots.map(([day, lot, cost], place) => {
    const start = startOf(day);
    const opening: Fill = {
      ...fill,
      ...NO_ROW,
      execution_id: lotId(fill.execution_id, place),
      // The day may begin later in the user's zone than in the platform's.
      executed_at: start < fill.executed_at ? start : fill.executed_at,
      quantity: lot,
      price: asDecimal(cost / (lot * fill.multiplier)),
    };
    return new UntakenFill(opening, side === 'buy' ? 'sell' : 'buy', 0);
  });
  opens.sort((a, b) => compareText(a.fill.executed_at, b.fill.executed_at));

  const position = new OpenPosition(opens[0] as UntakenFill);
  for (const open of opens.slice(1)) position.add(open);
  position.reduce(untaken);
  return position.trade;
}

/** What the row of a close states, and its lots don't. */
const NO_ROW = {
  kind: 'trade',
  fees: 0,
  fee_quantity: 0,
  has_time: false,
  order_id: null,
  effect: 'open',
  lots: null,
  stated_gross_pnl: null,
  stated_net_pnl: null,
} as const;

/** Whether the units that a split removes, if any, are there. */
function maySplit({ side, quantity }: Fill, position: OpenPosition | undefined): boolean {
  return position !== undefined && (side !== 'sell' || position.open > Number(quantity));
}

/** Whether a trade has the units that it closes, and may open the rest. */
function mayTrade(fill: Fill, position: OpenPosition | undefined): boolean {
  const { quantity, effect } = fill;
  const side = fill.side ?? position?.closingSide;
  if (side === undefined) return false;

  const isClosing = side === position?.closingSide && effect !== 'open';
  if (!isClosing) return mayOpen(fill, side, false);

  const beyond = quantity === null ? 0 : difference(quantity, position.open);
  return beyond <= 0 || position.isNegligible(beyond) || mayOpen(fill, side, true);
}

/**
 * Whether a fill may open or enlarge a position.
 * @param isClosing whether it closes one first
 */
function mayOpen(fill: Fill, side: 'buy' | 'sell', isClosing: boolean): boolean {
  if (fill.effect !== null)
    return fill.effect === 'open' || (fill.effect === 'close_then_open' && isClosing);
  if (fill.side === null || fill.kind === 'expiration' || fill.kind === 'delivery')
    return false;
  if (fill.kind !== 'trade' && fill.market === 'option') return false;
  return side === 'buy' || fill.may_short;
}

/**
 * Whether a sale of an option that isn't marked as its opening opened a short: it may
 * close units that no file has.
 */
function isUnmarkedShort({
  side,
  opening: { market, kind, effect },
}: WalkedTrade): boolean {
  return side === 'short' && market === 'option' && kind === 'trade' && effect === null;
}
