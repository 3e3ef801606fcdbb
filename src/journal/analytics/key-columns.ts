/**
 * Keys of trades in one dimension, stored as a code per trade, because few of them
 * differ.
 */
import type { ZoneClock } from '../../time.ts';
import type { ArrayMemory } from './array-memory.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { type Dimension, factsOfDimension, type Key } from './dimensions.ts';
import { spellingsOf } from './tally.ts';

export class KeyColumn {
  readonly dimension: Dimension;
  readonly #keyOf: ReturnType<typeof factsOfDimension>['keyOf'];
  /** Codes by key, or by the text of a list of keys. */
  readonly #known = new Map<Key, number>();
  readonly #keys: (readonly Key[])[] = [];
  readonly #trades: number[] = [];
  readonly #memory: ArrayMemory;
  #codes = new Uint32Array(64);
  #n = 0;
  #spelt: readonly (readonly Key[])[] | undefined;

  constructor(dimension: Dimension, memory: ArrayMemory) {
    this.dimension = dimension;
    this.#memory = memory;
    this.#keyOf = factsOfDimension(dimension).keyOf;
  }

  add(trade: ClosedTrade, clock: ZoneClock): void {
    const keys = this.#keyOf(trade, clock);
    const isList = typeof keys === 'object' && keys !== null;
    const name = isList ? nameOf(keys) : keys;
    let code = this.#known.get(name);

    if (code === undefined) {
      code = this.#keys.length;
      this.#known.set(name, code);
      this.#keys.push(isList ? keys : [keys]);
      this.#trades.push(0);
    }

    (this.#trades[code] as number)++;
    if (this.#n === this.#codes.length) {
      this.#memory.take(2 * this.#codes.byteLength);
      const longer = new Uint32Array(2 * this.#n);
      longer.set(this.#codes);
      this.#codes = longer;
    }

    this.#codes[this.#n++] = code;
  }

  /** Code of each trade: equal for trades with equal keys. Not a copy. */
  get codes(): Uint32Array {
    return this.#codes.subarray(0, this.#n);
  }

  /**
   * Keys of each code, labels in the spelling of most trades. Call after adding all
   * trades.
   */
  keys(): readonly (readonly Key[])[] {
    this.#spelt ??= factsOfDimension(this.dimension).isLabel
      ? this.#inOneSpelling()
      : this.#keys;
    return this.#spelt;
  }

  #inOneSpelling(): (readonly Key[])[] {
    const counts = new Map<Key, number>();
    for (const [code, keys] of this.#keys.entries())
      for (const key of keys)
        counts.set(key, (counts.get(key) ?? 0) + (this.#trades[code] as number));

    const shown = spellingsOf(counts);
    // A label is in many lists: folding its case in each takes ten times as long.
    const spelt = new Map(Array.from(counts.keys(), (key) => [key, shown(key)] as const));
    return this.#keys.map((keys) => keys.map((key) => spelt.get(key) as Key));
  }
}

/** A name for a list of keys: most have one or none. */
function nameOf(keys: readonly Key[]): Key {
  const [first, ...others] = keys;
  if (first === undefined) return null;
  return others.length === 0 && !String(first).startsWith('[')
    ? first
    : JSON.stringify(keys);
}
