/**
 * The permutation test of rows by whole days: how often chance alone makes a row as
 * different from the rest. Unlike a t-test, it assumes neither normal results nor
 * independent trades. Formulas: docs/analytics.md; error rates: bench/accuracy.md.
 */
import { RANGE, Random, twoSidedP } from './statistics.ts';

// Corrections for multiple tests: p-values that are too small for chance among so many
// tests. Null if untested.

/** Whether each row is marked. With smaller p-values, no fewer rows are. */
export type Correction = (chances: readonly (number | null)[]) => readonly boolean[];

const LEVEL = 0.05;

/** In 95 % of journals, no row is marked by chance (Holm 1979). */
export function holm(chances: readonly (number | null)[]): boolean[] {
  return marked(chances, (ranked) => {
    const end = ranked.findIndex(
      (chance, rank) => chance > LEVEL / (ranked.length - rank),
    );
    return end === -1 ? ranked.length : end;
  });
}

/**
 * On average, at most 5 % of the marked rows are marked by chance (Benjamini and Hochberg
 * 1995).
 */
export function benjaminiHochberg(chances: readonly (number | null)[]): boolean[] {
  return marked(
    chances,
    (ranked) =>
      1 +
      ranked.findLastIndex(
        (chance, rank) => chance <= ((rank + 1) * LEVEL) / ranked.length,
      ),
  );
}

/** @param countOf number of smallest p-values to mark */
function marked(
  chances: readonly (number | null)[],
  countOf: (ranked: number[]) => number,
): boolean[] {
  const ranked = chances.filter((chance) => chance !== null).sort((a, b) => a - b);
  const most = ranked[countOf(ranked) - 1];
  return chances.map((chance) => chance !== null && most !== undefined && chance <= most);
}

/** Rows and rests with more trades have the limit of the test. */
const LONGEST = 2000;
/**
 * A row is drawn until this number of draws was as extreme (Besag and Clifford 1991), or
 * until the end.
 */
const ENOUGH = 100;
const MOST_DRAWS = 50_000;
/** The end if none was. */
const NO_DRAW = 20_000;
/** Values that agree in 9 digits are equal: binary noise. */
const TIE = 1e-9;

/**
 * The draw after which rows that can't be marked are first left out, and the distance to
 * each later one.
 */
const FIRST_LOOK = 20;
const LOOKS_APART = 1.2;

/**
 * Results of trades in the order of closing, and the place of each day's first; after
 * them, the number of trades.
 */
export interface Days {
  nets: Float64Array;
  starts: Int32Array;
}

interface Drawn {
  at: number;
  /** Places of the trades of the row or of its rest, the smaller of the two. */
  members: Int32Array;
  /** Their slots in the layout. */
  slots: Int32Array;
  /** Their share of all trades. */
  share: number;
  z: number;
  extreme: number;
}

/**
 * Results less their mean; the sum of each day, the squares of these, and a square that
 * is binary noise.
 */
interface Table {
  deviations: Float64Array;
  ofDay: Float64Array;
  squares: number;
  noise: number;
}

/**
 * Whole days are shuffled: the results of a day stay together and in their order, and the
 * labels stay where they are. Compared is z: the sum of the row's deviations from the
 * mean of all, over its standard error clustered by day.
 * @param rows places of the trades of each row, in order; neither none nor all
 * @param canBeMarked by the smallest p-values that are still possible, whether each row
 * could be marked: others aren't drawn on
 * @returns two-sided p-value of each row
 */
export function wholeDays(
  { nets, starts }: Days,
  rows: readonly Int32Array[],
  seed: number,
  canBeMarked: (lowest: readonly number[]) => readonly boolean[] = (lowest) =>
    lowest.map(() => true),
): number[] {
  const [n, days] = [nets.length, starts.length - 1];
  const mean = sumOf(nets) / n;
  const deviations = nets.map((net) => net - mean);
  const ofDay = Float64Array.from({ length: days }, (_, day) =>
    sumOf(deviations.subarray(starts[day], starts[day + 1])),
  );
  const squares = squaresOf(ofDay);
  const table = {
    deviations,
    ofDay,
    squares,
    noise: (squaresOf(deviations) + squares) * 1e-18,
  };
  const order = Int32Array.from({ length: days }, (_, day) => day);
  const dayAt = new Int32Array(n);
  for (const day of order) dayAt.fill(day, starts[day], starts[day + 1]);
  const isFlat = deviations.every(
    (deviation) => Math.abs(deviation) <= Math.abs(mean) * 1e-12,
  );
  const chances = rows.map(() => 1);
  const open: Drawn[] = [];

  for (const [at, row] of isFlat ? [] : rows.entries()) {
    const members = 2 * row.length > n ? restOf(row, n) : row;
    const one = {
      at,
      members,
      slots: members,
      share: members.length / n,
      z: 0,
      extreme: 0,
    };
    one.z = Math.abs(zOf(one, { results: deviations, dayAt }, table));
    if (members.length > LONGEST) chances[at] = twoSidedP(one.z, days - 1);
    else if (one.z > 0) open.push(one);
  }

  drawAll(open, { starts, order, table }, new Random(seed), chances, canBeMarked);
  return chances;
}

interface Shuffled {
  starts: Int32Array;
  /** Numbers of the days: shuffled in place. */
  order: Int32Array;
  table: Table;
}

/** Draws the order of the days until the p-value of each row is known, and sets it. */
function drawAll(
  rows: readonly Drawn[],
  { starts, order, table }: Shuffled,
  random: Random,
  chances: number[],
  canBeMarked: (lowest: readonly number[]) => readonly boolean[],
): void {
  const numbers = new Uint32Array(order.length);
  let open = rows;
  let layout = new Layout(open, starts);
  let [laidFor, look] = [open.length, FIRST_LOOK];

  for (let draw = 1; draw <= MOST_DRAWS && open.length > 0; draw++) {
    // Only trades of rows that are still drawn are laid out.
    if (open.length <= 0.8 * laidFor) {
      laidFor = open.length;
      layout = new Layout(open, starts);
    }

    random.fill(numbers);
    shuffle(order, numbers);
    layout.lay(order, table.deviations);
    countExtremes(open, layout, table);

    let canStay: readonly boolean[] | undefined;
    if (draw >= look) {
      look = LOOKS_APART * draw;
      for (const { at, extreme } of open) chances[at] = lowestP(extreme, draw);
      canStay = canBeMarked(chances);
    }

    open = open.filter(({ at, extreme }) => {
      if (!isDecided(extreme, draw) && canStay?.[at] !== false) return true;
      chances[at] = extreme === ENOUGH ? ENOUGH / draw : (extreme + 1) / (draw + 1);
      return false;
    });
  }
}

function shuffle(order: Int32Array, numbers: Uint32Array): void {
  for (let i = order.length - 1; i > 0; i--) {
    const other = Math.floor(((numbers[i] as number) / RANGE) * (i + 1));
    const day = order[i] as number;
    order[i] = order[other] as number;
    order[other] = day;
  }
}

function countExtremes(open: readonly Drawn[], layout: Layout, table: Table): void {
  for (const one of open) {
    if (Math.abs(zOf(one, layout, table)) >= one.z * (1 - TIE)) one.extreme++;
  }
}

/** Whether a row has enough extreme draws, or gets no more draws. */
function isDecided(extreme: number, draw: number): boolean {
  return extreme >= ENOUGH || draw === MOST_DRAWS || (draw === NO_DRAW && extreme === 0);
}

/**
 * The smallest p that a row with so many extreme draws can get. Those of all draws fall
 * among the first ones by chance, so below the second bound they would be so many in less
 * than one of 10^8 rows (Poisson's distribution).
 */
function lowestP(extreme: number, draws: number): number {
  const end = extreme === 0 ? 1 / (NO_DRAW + 1) : (extreme + 1) / (MOST_DRAWS + 1);
  return Math.max(end, Math.max(0, Math.sqrt(extreme) - 3) ** 2 / draws);
}

function zOf(
  { slots, share }: Drawn,
  { results, dayAt }: Pick<Layout, 'results' | 'dayAt'>,
  { ofDay, squares, noise }: Table,
): number {
  let [total, spread, part, day] = [0, share * share * squares, 0, -1];
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] as number;
    if (dayAt[slot] !== day) {
      if (day >= 0) spread += part * (part - 2 * share * (ofDay[day] as number));
      total += part;
      part = 0;
      day = dayAt[slot] as number;
    }

    part += results[slot] as number;
  }

  spread += part * (part - 2 * share * (ofDay[day] as number));
  total += part;
  return spread <= noise ? 0 : total / Math.sqrt(spread);
}

/** Results laid over the places of some rows, day by day. */
class Layout {
  readonly #places: Int32Array;
  readonly #starts: Int32Array;
  /** For each slot, the result laid there and its day. */
  readonly results: Float64Array;
  readonly dayAt: Int32Array;

  constructor(rows: readonly Drawn[], starts: Int32Array) {
    this.#starts = starts;
    const slotAt = new Int32Array(starts.at(-1) as number);
    for (const { members } of rows)
      for (let i = 0; i < members.length; i++) slotAt[members[i] as number] = 1;
    const places = new Int32Array(slotAt.length);
    let size = 0;

    for (let place = 0; place < slotAt.length; place++) {
      if (slotAt[place] === 0) continue;
      places[size] = place;
      slotAt[place] = size++;
    }

    this.#places = places.slice(0, size);
    for (const one of rows)
      one.slots = one.members.map((place) => slotAt[place] as number);
    this.results = new Float64Array(size);
    this.dayAt = new Int32Array(size);
  }

  get size(): number {
    return this.#places.length;
  }

  lay(order: Int32Array, deviations: Float64Array): void {
    const [places, starts, results, dayAt] = [
      this.#places,
      this.#starts,
      this.results,
      this.dayAt,
    ];
    let [i, next, day, shift] = [-1, 0, 0, 0];
    for (let slot = 0; slot < places.length; slot++) {
      const place = places[slot] as number;
      while (place >= next) {
        day = order[++i] as number;
        const start = starts[day] as number;
        shift = start - next;
        next += (starts[day + 1] as number) - start;
      }

      results[slot] = deviations[place + shift] as number;
      dayAt[slot] = day;
    }
  }
}

/** The places that aren't among these, in order. */
function restOf(members: Int32Array, n: number): Int32Array {
  const rest = new Int32Array(n - members.length);
  for (let [place, at] = [0, 0]; place < n; place++) {
    if (place === members[at]) at++;
    else rest[place - at] = place;
  }
  return rest;
}

const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
const squaresOf = (values: Float64Array) =>
  values.reduce((sum, value) => sum + value * value, 0);
