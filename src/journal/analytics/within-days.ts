/**
 * The test of rows that follow from the results of the same day, such as trades after a loss: the results that an account closed on a day
 * are shuffled among themselves, and the rows are made again. Formulas and error rates: docs/analytics.md.
 */
import type { Sequence } from './closed-trade.ts';
import { type Dimension, factsOfDimension, GAPS, type Key } from './dimensions.ts';
import type { Counted, Row, Sample } from './sample.ts';
import { LOSSES, RUNS, type Sequences, type Signs, type States } from './sequences.ts';
import { normalP, RANGE, Random } from './statistics.ts';

const DRAWS = 400;
/** Draws from this number of trades on. */
const MANY = 20_000;
const DRAWS_OF_MANY = 200;

/** What labels of a trade depend on: the code of its state, and the time since the last loss. */
const SITUATIONS: readonly Pick<Sequence, 'run' | 'losses' | 'sinceLoss'>[] = RUNS.flatMap((run) =>
  LOSSES.flatMap((losses) => GAPS.map((sinceLoss) => ({ run, losses, sinceLoss }))),
);

/** The rows of one or two dimensions. */
interface Rows {
  /** Of the dimension that stays, the code of each trade of the sample; null if there is none. */
  codes: Uint32Array | null;
  /** For each code and situation, the places of its rows. */
  rows: readonly (readonly number[])[];
  /** The sum of each. */
  sums: Float64Array;
}

export class WithinDays {
  readonly #sequences: Sequences;
  /** Of each trade: its place in the sample, its entry, the state there, its outcome and its places in the journal. */
  readonly #trades: Int32Array;
  readonly #enteredMs: Float64Array;
  readonly #states: Int32Array;
  readonly #signs: Int8Array;
  readonly #places: Int32Array;
  /** Places of its copies, of trades with any. */
  readonly #copies: readonly (readonly [at: number, places: readonly number[]])[];
  /** Result of each trade less the mean of its account and day. */
  readonly #deviations: Float64Array;
  /** The trades of each account and day, one after the other, and the place of the first of each. */
  readonly #order: Int32Array;
  readonly #starts: number[];

  /** @param copies of each first trade: they take its outcome */
  constructor(sample: Sample, { trades, nets }: Counted, copies: ReadonlyMap<number, readonly number[]>) {
    const sequenceOf = (trade: number) => sample.trades[trade]?.context.sequence as Sequence;
    this.#sequences = sequenceOf(trades[0] as number).all;
    this.#trades = trades;
    this.#enteredMs = Float64Array.from(trades, (trade) => sample.trades[trade]?.enteredMs as number);
    this.#states = trades.map((trade) => sequenceOf(trade).state);
    this.#signs = Int8Array.from(trades, (trade) => sample.signs[trade] as number);
    this.#places = trades.map((trade) => sequenceOf(trade).place);
    const others = [...copies].flatMap(([first, rest]) =>
      [first, ...rest].map((trade) => [trade, [first, ...rest]] as const),
    );
    const allOf = new Map(others);
    this.#copies = [...trades].flatMap((trade, at) => {
      const all = allOf.get(trade);
      return all ? [[at, all.map((one) => sequenceOf(one).place)] as const] : [];
    });
    const days = Map.groupBy(trades.keys(), (at) => {
      const trade = trades[at] as number;
      return (sample.accounts[trade] as number) * 1e6 + (sample.results.days[trade] as number);
    });
    this.#order = Int32Array.from([...days.values()].flat());
    this.#starts = [0];
    for (const of of days.values()) this.#starts.push((this.#starts.at(-1) as number) + of.length);
    this.#deviations = nets.slice();
    for (const of of days.values()) {
      const mean = of.reduce((sum, at) => sum + (nets[at] as number), 0) / of.length;
      for (const at of of) (this.#deviations[at] as number) -= mean;
    }
  }

  /** Two-sided p-value of each row, with pauses. */
  *chancesOf(rows: readonly Row[], seed: number): Generator<void, number[]> {
    const tables = yield* tablesOf(rows);
    const own = Int32Array.from(this.#deviations.keys());
    const [signs, states] = [this.#sequences.signs, this.#sequences.statesFor(this.#sequences.signs)];
    const actual = this.#sums(own, rows.length, tables, states);
    const [total, squares] = [new Float64Array(rows.length), new Float64Array(rows.length)];
    const random = new Random(seed);
    const numbers = new Uint32Array(own.length);
    const draws = own.length < MANY ? DRAWS : DRAWS_OF_MANY;
    for (let draw = 0; draw < draws; draw++) {
      random.fill(numbers);
      this.#shuffle(own, numbers);
      this.#setSigns(own, signs);
      yield;
      const drawn = this.#sums(own, rows.length, tables, this.#sequences.statesFor(signs, states));
      for (const [row, sum] of drawn.entries()) {
        // Less the actual sum, so that squares lose nothing.
        const difference = sum - (actual[row] as number);
        (total[row] as number) += difference;
        (squares[row] as number) += difference * difference;
      }
      yield;
    }
    return rows.map((_, row) => {
      const mean = (total[row] as number) / draws;
      const variance = ((squares[row] as number) - draws * mean * mean) / (draws - 1);
      return variance <= (squares[row] as number) * 1e-18 ? 1 : normalP(mean / Math.sqrt(variance));
    });
  }

  #shuffle(own: Int32Array, numbers: Uint32Array): void {
    for (let day = 1; day < this.#starts.length; day++) {
      const from = this.#starts[day - 1] as number;
      for (let i = (this.#starts[day] as number) - 1; i > from; i--) {
        const other = from + Math.floor(((numbers[i] as number) / RANGE) * (i + 1 - from));
        const [a, b] = [this.#order[i] as number, this.#order[other] as number];
        const moved = own[a] as number;
        own[a] = own[b] as number;
        own[b] = moved;
      }
    }
  }

  #setSigns(own: Int32Array, signs: Signs): void {
    for (let at = 0; at < own.length; at++) {
      signs[this.#places[at] as number] = this.#signs[own[at] as number] as number;
    }
    for (const [at, places] of this.#copies) {
      for (const place of places) signs[place] = this.#signs[own[at] as number] as number;
    }
  }

  /** The sum of each row. @param own for each trade, the place of its result */
  #sums(own: Int32Array, rows: number, tables: readonly Rows[], { code, lastLossMs }: States): Float64Array {
    const situations = new Uint8Array(own.length);
    for (let at = 0; at < own.length; at++) {
      const state = this.#states[at] as number;
      const sinceLoss = (this.#enteredMs[at] as number) - (lastLossMs[state] as number);
      let gap = 0;
      while (sinceLoss > (GAPS[gap] as number)) gap++;
      situations[at] = (code[state] as number) * GAPS.length + gap;
    }
    const of = new Float64Array(rows);
    for (const table of tables) {
      this.#sumUp(table, own, situations);
      for (const [i, places] of table.rows.entries()) {
        for (const row of places) (of[row] as number) += table.sums[i] as number;
      }
    }
    return of;
  }

  #sumUp({ codes, sums }: Rows, own: Int32Array, situations: Uint8Array): void {
    sums.fill(0);
    for (let at = 0; at < own.length; at++) {
      const code = codes === null ? 0 : (codes[this.#trades[at] as number] as number);
      const i = code * SITUATIONS.length + (situations[at] as number);
      (sums[i] as number) += this.#deviations[own[at] as number] as number;
    }
  }
}

function* tablesOf(rows: readonly Row[]): Generator<void, Rows[]> {
  const tables = new Map<string, Rows>();
  const isByResults = (dimension: Dimension) => factsOfDimension(dimension).isByResults === true;
  const nameOf = (row: Row) => row.columns.map(({ dimension }) => dimension).join();
  for (const which of Map.groupBy(rows.keys(), (i) => nameOf(rows[i] as Row)).values()) {
    const { columns } = rows[which[0] as number] as Row;
    const byKeys = new Map(which.map((i) => [JSON.stringify(rows[i]?.keys), i]));
    const other = columns.find(({ dimension }) => !isByResults(dimension));
    const rowOf = (situation: Partial<Sequence>, key: Key) => {
      const keys = columns.map((column) => (column === other ? key : keyIn(column.dimension, situation)));
      return byKeys.get(JSON.stringify(keys)) ?? [];
    };
    const keysOf: readonly (readonly Key[])[] = other ? yield* other.keys() : [[null]];
    const places = keysOf.flatMap((keys) =>
      SITUATIONS.map((situation) => keys.flatMap((key) => rowOf(situation, key))),
    );
    // Dimensions without another one share their sums.
    const name = other?.dimension ?? '';
    const known = tables.get(name);
    tables.set(name, {
      codes: other?.codes ?? null,
      rows: known ? known.rows.map((of, i) => of.concat(places[i] as number[])) : places,
      sums: new Float64Array(places.length),
    });
    yield;
  }
  return [...tables.values()];
}

/** The key of a trade in a dimension that depends on its sequence alone. */
function keyIn(dimension: Dimension, sequence: Partial<Sequence>): Key {
  return factsOfDimension(dimension).keyOf({ context: { sequence } } as never, null as never) as Key;
}
