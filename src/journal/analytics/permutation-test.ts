/**
 * Permutation tests: the probability that chance alone makes some of the trades as good or as bad, as a share of random sets of as many
 * trades. Unlike a t-test, it doesn't assume normal results, which trend followers and option sellers don't have. Formulas and error
 * rates: docs/analytics.md.
 */

import { mapInSteps } from '../in-steps.ts';
import type { Results } from './closed-trade.ts';
import { normalP, RANGE, Random } from './statistics.ts';

// Corrections for multiple tests: p-values that are too small for chance among so many tests. Null if untested.

const LEVEL = 0.05;

/** In 95 % of journals, no row is marked by chance (Holm 1979). */
export function holm(chances: readonly (number | null)[]): boolean[] {
  return marked(chances, (ranked) => {
    const end = ranked.findIndex((chance, rank) => chance > LEVEL / (ranked.length - rank));
    return end === -1 ? ranked.length : end;
  });
}

/** On average, at most 5 % of the marked rows are marked by chance (Benjamini and Hochberg 1995). */
export function benjaminiHochberg(chances: readonly (number | null)[]): boolean[] {
  return marked(
    chances,
    (ranked) => 1 + ranked.findLastIndex((chance, rank) => chance <= ((rank + 1) * LEVEL) / ranked.length),
  );
}

/** @param countOf number of smallest p-values to mark */
function marked(chances: readonly (number | null)[], countOf: (ranked: number[]) => number): boolean[] {
  const ranked = chances.filter((chance) => chance !== null).sort((a, b) => a - b);
  const most = ranked[countOf(ranked) - 1];
  return chances.map((chance) => chance !== null && most !== undefined && chance <= most);
}

/** Some of the trades: their number, and the sum of their net P&L. */
export interface Part {
  trades: number;
  net: number;
}

/** Random sequences of trades: the first k trades of each are a random set of k trades. */
const SEQUENCES = 20_000;
/** Sums of more trades are nearly normal. */
const LONGEST = 2000;
/** With many parts, only rarer results are significant: that needs more sequences, but shorter ones. */
const SEQUENCES_A_PART = 80;
const MORE_DRAWS = 10_000_000;

/** Draws between pauses: about a millisecond. */
const DRAWS_A_STEP = 50_000;

/**
 * Two-sided: twice the smaller share of random sets that are at least as good, or at least as bad.
 * @returns p-value of each part; null if it or the rest has fewer than 2 trades, or if all results are equal
 */
export function* chancesOf(results: Results, parts: readonly Part[]): Generator<void, (number | null)[]> {
  const { n, mean, seed } = results;
  const deviations = results.nets.map((net) => net - mean);
  const largest = deviations.reduce((most, deviation) => Math.max(most, Math.abs(deviation)), 0);
  if (largest <= Math.abs(mean) * 1e-12) return parts.map(() => null);
  const variance = deviations.reduce((sum, deviation) => sum + deviation * deviation, 0) / n;
  // Sums that are equal in decimals may differ in their last bits.
  const noise = largest * 1e-10;

  const drawn = new Map<number, Outcomes>();
  const looked = yield* mapInSteps(parts, (part) => {
    const { trades, deviation } = lookedAt(part, n, mean);
    if (trades >= 2 && trades <= LONGEST) {
      const outcomes = drawn.get(trades) ?? new Outcomes(trades, noise);
      drawn.set(trades, outcomes.expect(deviation));
    }
    return { trades, deviation };
  });
  const outcomes = [...drawn.values()].sort((a, b) => a.trades - b.trades);
  const random = new Random(seed);
  yield* draw(deviations, random, outcomes, SEQUENCES);
  const more = SEQUENCES_A_PART * parts.length - SEQUENCES;
  const short = outcomes.filter(({ trades }) => trades * more <= MORE_DRAWS);
  if (more > 0) yield* draw(deviations, random, short, more);
  return yield* mapInSteps(looked, ({ trades, deviation }) => {
    if (trades < 2) return null;
    const limit = normalP(deviation / Math.sqrt((variance * trades * (n - trades)) / (n - 1)));
    return drawn.get(trades)?.chanceOf(deviation, limit) ?? limit;
  });
}

/** The smaller of a part and its rest, with the deviation of its sum: both have the same p-value. */
function lookedAt({ trades, net }: Part, n: number, mean: number): { trades: number; deviation: number } {
  const deviation = net - trades * mean;
  if (2 * trades < n) return { trades, deviation };
  return { trades: n - trades, deviation: 2 * trades === n ? Math.abs(deviation) : -deviation };
}

/** Random sums of one number of trades, counted between the sums of interest. */
class Outcomes {
  readonly trades: number;
  readonly #noise: number;
  readonly #edges: number[] = [];
  #sequences = 0;
  #sorted = new Float64Array();
  #counts = new Uint32Array();
  /** Running totals of the counts: adding them up for each part takes seconds for 28,000 parts. */
  #before: Uint32Array | undefined;

  constructor(trades: number, noise: number) {
    this.trades = trades;
    this.#noise = noise;
  }

  /** Adds a sum of interest, before counting starts. */
  expect(sum: number): this {
    this.#edges.push(sum - this.#noise, sum + this.#noise);
    return this;
  }

  /** Starts counting, once all sums of interest are added. */
  begin(): void {
    if (this.#sorted.length > 0) return;
    this.#sorted = new Float64Array(this.#edges).sort();
    this.#counts = new Uint32Array(this.#sorted.length + 1);
  }

  count(sum: number): void {
    this.#sequences++;
    (this.#counts[this.#edgesUpTo(sum)] as number)++;
  }

  /**
   * Twice the smaller share of random sums that are at least as large, or at least as small; the sum itself counts as one.
   * @param limit upper bound of the result if no random sum is as extreme
   */
  chanceOf(sum: number, limit: number): number {
    this.#before ??= runningTotals(this.#counts);
    const before = (i: number) => this.#before?.[i] as number;
    const atLeast = before(this.#counts.length) - before(this.#edgesUpTo(sum - this.#noise));
    const atMost = before(this.#edgesUpTo(sum + this.#noise));
    const fewest = Math.min(atLeast, atMost);
    const chance = Math.min(1, (2 * (1 + fewest)) / (1 + this.#sequences));
    return fewest === 0 ? Math.min(chance, limit) : chance;
  }

  #edgesUpTo(sum: number): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] as number) <= sum) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function runningTotals(counts: Uint32Array): Uint32Array {
  const totals = new Uint32Array(counts.length + 1);
  for (const [i, count] of counts.entries()) totals[i + 1] = (totals[i] as number) + count;
  return totals;
}

/**
 * Draws random sequences of the numbers without replacement, and counts the sums of their first numbers.
 * @param deck is shuffled
 * @param outcomes by their number of trades
 */
function* draw(
  deck: Float64Array,
  random: Random,
  outcomes: readonly Outcomes[],
  sequences: number,
): Generator<void, void> {
  const longest = outcomes.at(-1)?.trades ?? 0;
  if (longest === 0) return;
  for (const one of outcomes) one.begin();
  const numbers = new Uint32Array(longest);
  for (let sequence = 1; sequence <= sequences; sequence++) {
    random.fill(numbers);
    let [sum, i] = [0, 0];
    for (const one of outcomes) {
      for (; i < one.trades; i++) {
        const from = i + Math.floor(((numbers[i] as number) / RANGE) * (deck.length - i));
        const value = deck[from] as number;
        deck[from] = deck[i] as number;
        deck[i] = value;
        sum += value;
      }
      one.count(sum);
    }
    if ((sequence * longest) % DRAWS_A_STEP < longest) yield;
  }
}
