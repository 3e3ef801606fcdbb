/**
 * The trades of a response as tests see them: by day of closing, and each once if it was
 * copied into several accounts.
 */

import { foldCase } from '../../sqlite/functions.ts';
import type { ZoneClock } from '../../time.ts';
import { ResponseTooLarge } from '../response-size.ts';
import type { Accumulator, AllSequences, ClosedTrade, Column } from './closed-trade.ts';
import { type Dimension, factsOfDimension, type Key } from './dimensions.ts';
import type { Days } from './permutation-test.ts';
import { signOf } from './sequences.ts';
import { spellingsOf } from './tally.ts';

type Keys = readonly Key[];

/** Minimum of a tested row, copies counted once. */
export const LEAST_TRADES = 20;
export const LEAST_DAYS = 5;

/** Maximum time between the entries of copies. */
const MINUTE = 60_000;

/** The results of trades and a seed made from them, for tests and simulations. */
export class Results {
  /** In the order of closing, with the number of each day. */
  readonly nets: number[] = [];
  readonly days: number[] = [];
  #seed = 0x2545f491;

  add({ net, closedMs, day }: Pick<ClosedTrade, 'net' | 'closedMs' | 'day'>): void {
    this.nets.push(net);
    this.days.push(day);
    // From times and signs only: if all amounts are multiplied by one factor, the same
    // numbers are drawn.
    for (const part of [closedMs, closedMs / 2 ** 32, Math.sign(net)]) {
      this.#seed = Math.imul(this.#seed ^ part, 0x9e3779b1);
      this.#seed ^= this.#seed >>> 15;
    }
  }

  get n(): number {
    return this.nets.length;
  }

  /** 32 bits. */
  get seed(): number {
    return this.#seed;
  }
}

/** The trades of one key, or of a key of each of two dimensions. */
export interface Row {
  columns: readonly KeyColumn[];
  keys: readonly Key[];
  /** Their places in the order of closing. */
  members: Int32Array;
}

/** By the first of them. */
export type Copies = ReadonlyMap<number, readonly number[]>;

/** Trades that a test counts, in the order of their days. */
export interface Counted extends Days {
  /** Their places in the sample. */
  trades: Int32Array;
}

/** Its place in a row, and two copies of that in the test. */
const BYTES_OF_MEMBER = 12;

/** Trades with their keys in some dimensions, and the test of rows by these. */
export class Sample implements Accumulator {
  readonly columns: readonly Column[];
  readonly results = new Results();
  readonly keys: ReadonlyMap<Dimension, KeyColumn>;
  readonly accounts: number[] = [];
  readonly enteredMs: number[] = [];
  readonly signs: number[] = [];
  /**
   * Of rows that follow from the results of the same day: all trades of the journal, and
   * the places of each trade and its state there.
   */
  sequences: AllSequences | undefined;
  readonly places: number[] = [];
  readonly states: number[] = [];
  /** Trades of each symbol and side, without those that can't be copies. */
  readonly #contracts = new Map<number, number[]>();
  readonly #known = new Map<string | null, number>();
  readonly #clock: ZoneClock;
  readonly #memory = new ArrayMemory();

  constructor(dimensions: readonly Dimension[], clock: ZoneClock) {
    this.keys = new Map(
      dimensions.map((dimension) => [dimension, new KeyColumn(dimension, this.#memory)]),
    );
    this.columns = [
      ...(['symbol', 'side', 'account', 'entered'] as const),
      ...dimensions.flatMap((dimension) => factsOfDimension(dimension).columns ?? []),
    ];
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    const { symbol, side, account, enteredMs, context } = trade;
    this.results.add(trade);
    for (const column of this.keys.values()) column.add(trade, this.#clock);
    this.accounts.push(this.#numberOf(account));

    if (symbol !== null && side !== null) {
      const contract = 2 * this.#numberOf(symbol) + (side === 'long' ? 0 : 1);
      const trades = this.#contracts.get(contract);
      if (trades) trades.push(this.signs.length);
      else this.#contracts.set(contract, [this.signs.length]);
    }

    this.enteredMs.push(enteredMs);
    this.signs.push(signOf(trade.outcome));
    const { sequence } = context;
    if (sequence === null) return;

    this.sequences = sequence.all;
    this.places.push(sequence.place);
    this.states.push(sequence.state);
  }

  /** The same for names that differ only in case. */
  #numberOf(name: string | null): number {
    let number = this.#known.get(name);
    if (number === undefined) {
      const folded = name && foldCase(name);
      number = this.#known.get(folded) ?? this.#known.size;
      this.#known.set(folded, number).set(name, number);
    }
    return number;
  }

  /** Rows of one dimension, or of two together, with enough trades. */
  rowsOf(dimensions: readonly Dimension[]): Row[] {
    const columns = dimensions.map((dimension) => this.keys.get(dimension) as KeyColumn);
    const [first, second] = columns as [KeyColumn, KeyColumn | undefined];
    const [firsts, seconds] = [first.keys(), second?.keys()];
    const rows = new Map<string, Row & { n: number }>();

    const rowsFor = (one: Keys, other: Keys | undefined) =>
      one
        .flatMap((key) => (other ? other.map((more) => [key, more]) : [[key]]))
        .map((keys) => {
          const name = JSON.stringify(keys);
          const row = rows.get(name) ?? {
            columns,
            keys,
            members: new Int32Array(),
            n: 0,
          };
          rows.set(name, row);
          return row;
        });

    const [ofFirst, ofSecond, of] = [first.codes, second?.codes, seconds?.length ?? 1];
    const codeOf = (i: number) =>
      (ofFirst[i] as number) * of + (ofSecond ? (ofSecond[i] as number) : 0);
    /** By the codes of a trade: few combinations differ. */
    const counts: number[] = [];

    for (let i = 0; i < this.results.n; i++) {
      const code = codeOf(i);
      counts[code] = (counts[code] ?? 0) + 1;
    }

    const byCodes = counts.map((_, code) =>
      rowsFor(firsts[Math.floor(code / of)] as Keys, seconds?.[code % of]),
    );
    byCodes.forEach((named, code) => {
      for (const row of named) row.n += counts[code] as number;
    });
    // Lists that grow would take two to three times the memory.
    const enough = [...rows.values()].filter(({ n }) => n >= LEAST_TRADES);

    for (const row of enough) {
      this.#memory.take(BYTES_OF_MEMBER * row.n);
      row.members = new Int32Array(row.n);
    }

    for (let i = this.results.n - 1; i >= 0; i--) {
      for (const row of byCodes[codeOf(i)] ?? [])
        if (row.members.length > 0) row.members[--row.n] = i;
    }

    return enough;
  }

  /**
   * Copies of each first trade: one symbol and side, entered within a minute of it, each
   * in another account.
   */
  copies(): Copies {
    const copies = new Map<number, number[]>();
    if (new Set(this.accounts).size < 2) return copies;

    const enteredAt = (i: number) => this.enteredMs[i] as number;
    for (const trades of this.#contracts.values()) {
      let open: { first: number; accounts: Set<number> }[] = [];
      for (const i of trades.toSorted((a, b) => enteredAt(a) - enteredAt(b) || a - b)) {
        open = open.filter(({ first }) => enteredAt(i) - enteredAt(first) <= MINUTE);
        const account = this.accounts[i] as number;
        const of = open.find(({ accounts }) => !accounts.has(account));
        if (!of) {
          open.push({ first: i, accounts: new Set([account]) });
          continue;
        }

        of.accounts.add(account);
        copies.set(of.first, [...(copies.get(of.first) ?? []), i]);
      }
    }

    return copies;
  }

  /**
   * Each trade once: the first of its copies with their sum, or without the others that
   * of an account.
   */
  counted(copies: Copies, account: number | null): Counted {
    const nets = this.results.nets.slice();
    const isCounted = new Uint8Array(nets.length).fill(1);
    for (const [first, others] of copies) {
      const all = [first, ...others];
      const ofAccount = all.find((i) => this.accounts[i] === account);
      for (const i of all) if (i !== (ofAccount ?? first)) isCounted[i] = 0;
      if (ofAccount === undefined)
        nets[first] = all.reduce((sum, i) => sum + (this.results.nets[i] as number), 0);
    }

    const { days } = this.results;
    const dayOf = (i: number) => days[i] as number;
    const trades: number[] = [];
    for (let i = 0; i < nets.length; i++) if (isCounted[i] === 1) trades.push(i);
    // Nearly sorted: a clock set back just after midnight returns to the day before.
    trades.sort((a, b) => dayOf(a) - dayOf(b));

    const starts: number[] = [];
    for (const [at, trade] of trades.entries())
      if (days[trade] !== days[trades[at - 1] as number]) starts.push(at);

    return {
      trades: Int32Array.from(trades),
      nets: Float64Array.from(trades, (i) => nets[i] as number),
      starts: Int32Array.from([...starts, trades.length]),
    };
  }
}

// Keys of trades in one dimension, stored as a code per trade, because few of them
// differ.

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

// Memory of typed arrays, counted before they are made: it is outside of the heap, so no
// limit of a thread covers it.

/** Enough for the leaks of 250,000 trades. */
const MOST_MB = 192;

export class ArrayMemory {
  #bytes = 0;

  /** @throws ResponseTooLarge if one request would have more than it may */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MOST_MB * 1_000_000) return;
    throw new ResponseTooLarge(
      `these figures need more than the ${MOST_MB} MB of memory that one request may have; choose a shorter period or add filters`,
    );
  }
}
