/**
 * The order of a day's fills without times. If the day closes no more than the open quantity, closing fills come first.
 * Otherwise the order of the files decides, and a fill waits until the day has opened what it closes.
 */
import type { Fill } from '../../journal-write/fill-row.ts';
import { instrumentKey } from './instrument-key.ts';

/**
 * @param fills in the order they happened, as far as the files state it
 * @returns a day's fills without times together, every other fill by itself
 */
export function* daysOf(fills: readonly Fill[]): Generator<readonly Fill[]> {
  for (let from = 0; from < fills.length; ) {
    const first = fills[from] as Fill;
    let to = from + 1;
    while (!first.has_time && fills[to]?.has_time === false && fills[to]?.executed_at === first.executed_at) to++;
    yield fills.slice(from, to);
    from = to;
  }
}

interface Held {
  open: number;
  closingSide: 'buy' | 'sell';
}

interface Positions {
  held: (key: string) => Held | undefined;
  /** Whether a fill would now be fully matched. */
  isReady: (fill: Fill) => boolean;
}

/** Kinds that change the units held: they come first in a day. */
const CHANGES: readonly Fill['kind'][] = ['unclear', 'split', 'symbol_change'];

export class DayQueue {
  readonly #positions: Positions;
  readonly #coming: Iterator<Fill>;
  /** Waiting fills, in order, by the instrument whose units they need. */
  readonly #waiting = new Map<string, Fill[]>();
  /** Instruments whose position has changed since their waiting fills were last checked. */
  readonly #changed = new Set<string>();

  constructor(fills: readonly Fill[], positions: Positions) {
    this.#positions = positions;
    this.#coming = inOrder(fills, positions.held)[Symbol.iterator]();
  }

  /** The next fill, once the earlier ones are processed; undefined at the end. */
  next(): Fill | undefined {
    const woken = this.#wake();
    if (woken) return woken;
    for (let { value, done } = this.#coming.next(); !done; { value, done } = this.#coming.next()) {
      const fill = value as Fill;
      const key = needOf(fill);
      const waiting = this.#waiting.get(key) ?? [];
      const isNext = waiting.every(({ side }) => side !== null && fill.side !== null && side !== fill.side);
      if (this.#positions.isReady(fill) && (isNext || this.#opens(fill))) return this.#taken(fill);
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

  /** Whether a fill enlarges a position: it waits for no other, and others may wait for it. */
  #opens(fill: Fill): boolean {
    const held = this.#positions.held(instrumentKey(fill));
    return fill.kind === 'trade' && fill.side !== null && fill.side !== held?.closingSide;
  }
}

function needOf(fill: Fill): string {
  return instrumentKey(fill, fill.former_symbol ?? fill.symbol);
}

/** First changes of the units held, then closing fills if the units suffice for all, then the rest in file order. */
function inOrder(fills: readonly Fill[], held: Positions['held']): Fill[] {
  const changes = fills.filter(({ kind }) => CHANGES.includes(kind));
  const others = fills.filter(({ kind }) => !CHANGES.includes(kind));
  const changed = new Set(changes.flatMap((fill) => (fill.kind === 'unclear' ? [] : instrumentKey(fill))));
  const closing = new Set<Fill>();
  for (const [key, own] of Map.groupBy(others, (fill) => instrumentKey(fill))) {
    const position = held(key);
    if (!position || changed.has(key)) continue;
    const closes = own.filter(
      ({ side, effect }) => effect !== 'open' && (side ?? position.closingSide) === position.closingSide,
    );
    const units = closes.reduce((sum, { quantity }) => sum + (quantity ?? position.open), 0);
    if (units <= position.open * (1 + 1e-9)) for (const fill of closes) closing.add(fill);
  }
  return [...changes, ...closing, ...others.filter((fill) => !closing.has(fill))];
}
