/**
 * The test of rows that follow from the results of the same day, such as trades after a
 * loss: the results that an account closed on a day are shuffled among themselves, and
 * the rows are made again. Formulas: docs/analytics.md; error rates: bench/accuracy.md.
 */
import {
  type AllSequences,
  DAY_RESULTS,
  type Sequence,
  type States,
} from './closed-trade.ts';
import { type Dimension, factsOfDimension, GAPS, type Key } from './dimensions.ts';
import type { Copies, Counted, KeyColumn, Row, Sample } from './sample.ts';
import { LOSSES, RUNS } from './sequences.ts';
import { normalP, RANGE, Random } from './statistics.ts';

const DRAWS = 400;
/** Draws from this number of trades on. */
const MANY = 20_000;
const DRAWS_OF_MANY = 200;

/**
 * What labels of a trade depend on: the code of its state, the time since the last loss,
 * and the result of the day so far.
 */
const SITUATIONS: readonly Pick<
  Sequence,
  'run' | 'losses' | 'sinceLoss' | 'dayResult'
>[] = RUNS.flatMap((run) => LOSSES.map((losses) => ({ run, losses })))
  .flatMap((code) => GAPS.map((sinceLoss) => ({ ...code, sinceLoss })))
  .flatMap((known) => DAY_RESULTS.map((dayResult) => ({ ...known, dayResult })));

/**
 * Sums of the results for each key of a dimension that stays, and for each situation; a
 * single key without such a dimension.
 */
interface Table {
  /** Places of the trades of each key, and for each the place of the key's sums. */
  trades: Int32Array;
  bases: Int32Array;
  /** Place of the sums of each key. */
  baseOf: ReadonlyMap<Key, number>;
  sums: Float64Array;
}

/** A row as a sum of sums. */
interface Parts {
  table: Table;
  base: number;
  situations: readonly number[];
}

export class WithinDays {
  readonly #sequences: AllSequences;
  /**
   * Places in the sample, by account and day; of each trade its entry, and its place and
   * that of the state there in the journal.
   */
  readonly #trades: Int32Array;
  readonly #enteredMs: Float64Array;
  readonly #places: Int32Array;
  readonly #states: Int32Array;
  /** Places of its copies, of trades with any. */
  readonly #copies: readonly (readonly [at: number, places: readonly number[]])[];
  /** The first trade of each account and day; after them, the number of trades. */
  readonly #starts: Int32Array;
  /**
   * Results less the mean of their account and day, outcomes, and results of the trades
   * alone without copies: each draw shuffles all of them together.
   */
  readonly #deviations: Float64Array;
  readonly #signs: Int8Array;
  readonly #nets: Float64Array;
  #drawn: States | undefined;

  /** @param copies of each first trade: they take its outcome */
  constructor(sample: Sample, { trades, nets }: Counted, copies: Copies) {
    const byAccount = Map.groupBy(
      trades.keys(),
      (place) => sample.accounts[trades[place] as number],
    );
    const order = Int32Array.from([...byAccount.values()].flat());
    this.#sequences = sample.sequences as AllSequences;
    this.#trades = order.map((place) => trades[place] as number);
    this.#enteredMs = Float64Array.from(
      this.#trades,
      (trade) => sample.enteredMs[trade] as number,
    );
    this.#places = this.#trades.map((trade) => sample.places[trade] as number);
    this.#states = this.#trades.map((trade) => sample.states[trade] as number);
    this.#signs = Int8Array.from(this.#trades, (trade) => sample.signs[trade] as number);
    this.#nets = Float64Array.from(
      this.#trades,
      (trade) => sample.results.nets[trade] as number,
    );
    this.#deviations = Float64Array.from(order, (place) => nets[place] as number);

    const ofAll = new Map(
      [...copies].flatMap(([first, rest]) =>
        [first, ...rest].map((one) => [one, [first, ...rest]]),
      ),
    );
    this.#copies = [...(ofAll.size > 0 ? this.#trades.entries() : [])].flatMap(
      ([at, trade]) => {
        const all = ofAll.get(trade);
        return all ? [[at, all.map((one) => sample.places[one] as number)] as const] : [];
      },
    );
    const { accounts, results } = sample;
    const starts = [...this.#trades.keys()].filter((at) => {
      const [one, before] = [this.#trades[at] as number, this.#trades[at - 1] as number];
      return (
        at === 0 ||
        accounts[one] !== accounts[before] ||
        results.days[one] !== results.days[before]
      );
    });
    this.#starts = Int32Array.from([...starts, trades.length]);

    for (let day = 1; day < this.#starts.length; day++) {
      const ofDay = this.#deviations.subarray(this.#starts[day - 1], this.#starts[day]);
      const mean = ofDay.reduce((sum, net) => sum + net, 0) / ofDay.length;
      for (let i = 0; i < ofDay.length; i++) (ofDay[i] as number) -= mean;
    }
  }

  /** Two-sided p-value of each row. */
  chancesOf(rows: readonly Row[], seed: number): number[] {
    const parts = this.#partsOf(rows);
    const { signs, nets } = this.#sequences;
    const actual = this.#sums(parts, signs, nets);
    const sums = rows.map(() => [0, 0, 0]);
    const random = new Random(seed);
    const numbers = new Uint32Array(this.#trades.length);
    const draws = numbers.length < MANY ? DRAWS : DRAWS_OF_MANY;

    for (let draw = 0; draw < draws; draw++) {
      random.fill(numbers);
      this.#shuffle(numbers);
      this.#setOutcomes(signs, nets);

      for (const [row, sum] of this.#sums(parts, signs, nets).entries()) {
        // Less the actual sum, so that powers lose nothing.
        const difference = sum - (actual[row] as number);
        (sums[row] as number[]).forEach((power, i, of) => {
          of[i] = power + difference ** (i + 1);
        });
      }
    }

    return sums.map(([first, second, third]) =>
      lawP((first as number) / draws, second as number, third as number, draws),
    );
  }

  #shuffle(numbers: Uint32Array): void {
    const [starts, deviations] = [this.#starts, this.#deviations];
    const [signs, nets] = [this.#signs, this.#nets];
    for (let day = 1; day < starts.length; day++) {
      const from = starts[day - 1] as number;
      for (let i = (starts[day] as number) - 1; i > from; i--) {
        const other =
          from + Math.floor(((numbers[i] as number) / RANGE) * (i + 1 - from));
        swap(deviations, i, other);
        swap(nets, i, other);
        const sign = signs[i] as number;
        signs[i] = signs[other] as number;
        signs[other] = sign;
      }
    }
  }

  #setOutcomes(signs: Int8Array, nets: Float64Array): void {
    const set = (at: number, place: number) => {
      signs[place] = this.#signs[at] as number;
      nets[place] = this.#nets[at] as number;
    };

    for (let at = 0; at < this.#places.length; at++) set(at, this.#places[at] as number);
    for (const [at, places] of this.#copies) for (const place of places) set(at, place);
  }

  /** The sum of each row. */
  #sums(parts: readonly Parts[], signs: Int8Array, nets: Float64Array): Float64Array {
    this.#drawn = this.#sequences.statesFor(signs, nets, this.#drawn);
    const { code, lastLossMs, result } = this.#drawn;
    const [G0, G1, G2, G3, G4] = GAPS as [number, number, number, number, number, number];
    const situations = new Uint16Array(this.#trades.length);

    for (let at = 0; at < situations.length; at++) {
      const state = this.#states[at] as number;
      const sinceLoss = (this.#enteredMs[at] as number) - (lastLossMs[state] as number);
      // Without branches, which would be mispredicted.
      const gap =
        +(sinceLoss > G0) +
        +(sinceLoss > G1) +
        +(sinceLoss > G2) +
        +(sinceLoss > G3) +
        +(sinceLoss > G4);
      const known = (code[state] as number) * GAPS.length + gap;
      situations[at] = known * DAY_RESULTS.length + (result[state] as number);
    }

    for (const table of new Set(parts.map((part) => part.table))) {
      this.#sumUp(table, situations);
    }

    return Float64Array.from(parts, ({ table: { sums }, base, situations }) =>
      situations.reduce((sum, situation) => sum + (sums[base + situation] as number), 0),
    );
  }

  #sumUp({ trades, bases, sums }: Table, situations: Uint16Array): void {
    const deviations = this.#deviations;
    sums.fill(0);
    for (let i = 0; i < trades.length; i++) {
      const at = trades[i] as number;
      (sums[(bases[i] as number) + (situations[at] as number)] as number) += deviations[
        at
      ] as number;
    }
  }

  #partsOf(rows: readonly Row[]): Parts[] {
    const isByResults = ({ dimension }: KeyColumn) =>
      factsOfDimension(dimension).isByResults === true;
    const otherOf = ({ columns }: Row) =>
      columns.findIndex((column) => !isByResults(column));
    const parts = new Map<Row, Parts>();

    for (const [other, of] of Map.groupBy(rows, (row) => row.columns[otherOf(row)])) {
      const keyOf = (row: Row) => row.keys[otherOf(row)] ?? null;
      const table = this.#tableOf(other, new Set(of.map(keyOf)));
      for (const row of of)
        parts.set(row, {
          table,
          base: table.baseOf.get(keyOf(row)) as number,
          situations: situationsOf(row, other),
        });
    }

    return rows.map((row) => parts.get(row) as Parts);
  }

  #tableOf(column: KeyColumn | undefined, keys: ReadonlySet<Key>): Table {
    const baseOf = new Map([...keys].map((key, i) => [key, i * SITUATIONS.length]));
    const keysOf = column?.keys();
    const [trades, bases]: [number[], number[]] = [[], []];

    for (const [at, trade] of this.#trades.entries()) {
      for (const key of keysOf?.[column?.codes[trade] as number] ?? [null]) {
        const base = baseOf.get(key);
        if (base === undefined) continue;
        trades.push(at);
        bases.push(base);
      }
    }

    const sums = new Float64Array(keys.size * SITUATIONS.length);
    return {
      trades: Int32Array.from(trades),
      bases: Int32Array.from(bases),
      baseOf,
      sums,
    };
  }
}

function swap(numbers: Float64Array, i: number, other: number): void {
  const number = numbers[i] as number;
  numbers[i] = numbers[other] as number;
  numbers[other] = number;
}

/**
 * By the normal limit of the draws. Where they are skewed towards the actual sum, as
 * those of few trades with rare large results, such sums are more frequent: then by the
 * limit of Wilson and Hilferty (1931) for skewed sums, so that p is never smaller for it.
 * @param mean of the draws less the actual sum, as are the sums of their squares and
 * cubes
 */
export function lawP(
  mean: number,
  squares: number,
  cubes: number,
  draws: number,
): number {
  const variance = (squares - draws * mean * mean) / (draws - 1);
  if (variance <= squares * 1e-18) return 1;
  const z = -mean / Math.sqrt(variance);
  const skewness =
    (cubes / draws - 3 * mean * (squares / draws) + 2 * mean ** 3) / variance ** 1.5;
  if (!(skewness * z >= 1e-3)) return normalP(z);
  const corrected =
    (6 / skewness) * (Math.cbrt((skewness * z) / 2 + 1) - 1) + skewness / 6;
  return normalP(Math.min(Math.abs(z), Math.abs(corrected)));
}

/** The situations that give a trade the keys of a row, whatever the key that stays. */
function situationsOf({ columns, keys }: Row, other: KeyColumn | undefined): number[] {
  const isIn = (sequence: Partial<Sequence>) =>
    columns.every(
      (column, i) => column === other || keyIn(column.dimension, sequence) === keys[i],
    );
  return [...SITUATIONS.keys()].filter((i) => isIn(SITUATIONS[i] as Partial<Sequence>));
}

/** The key of a trade in a dimension that depends on its sequence alone. */
function keyIn(dimension: Dimension, sequence: Partial<Sequence>): Key {
  return factsOfDimension(dimension).keyOf(
    { context: { sequence } } as never,
    null as never,
  ) as Key;
}
