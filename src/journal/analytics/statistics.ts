/** Basic statistics of lists of numbers; null if undefined. */
import { moneyOrNull, Sum } from '../../money.ts';

/**
 * Reproducible random numbers: a seed gives the same numbers in every process and on
 * every machine (sfc32 by Doty-Humphrey, 2010).
 */
export class Random {
  #state: readonly [number, number, number, number];

  /** @param seed 32 bits */
  constructor(seed: number) {
    this.#state = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88, 1];
    // Similar seeds give similar numbers until the state is mixed.
    this.fill(new Uint32Array(16));
  }

  /**
   * Fills with 32-bit integers: many at once, because a call for each takes longer than
   * making one.
   */
  fill(numbers: Uint32Array): void {
    let [a, b, c, counter] = this.#state;
    for (let i = 0; i < numbers.length; i++) {
      const next = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + next) | 0;
      numbers[i] = next;
    }

    this.#state = [a, b, c, counter];
  }
}

/** Number of different values of a Random. */
export const RANGE = 2 ** 32;

// Count, mean and variance of numbers added one by one, with their days: those of one day
// move together.

export class Moments {
  #n = 0;
  readonly #sum = new Sum();
  /** Mean and sum of squared deviations so far (Welford 1962). */
  #mean = 0;
  #squares = 0;
  /** Days in order, with their numbers of values and their sums. */
  readonly #days: number[] = [];
  readonly #counts: number[] = [];
  readonly #sums: number[] = [];

  add(value: number, day: number): void {
    this.#n++;
    this.#sum.add(value);
    const difference = value - this.#mean;
    this.#mean += difference / this.#n;
    this.#squares += difference * (value - this.#mean);
    this.#addTo(day, 1, value);
  }

  addAll(other: Moments): void {
    if (other.#n === 0) return;

    const [n, difference] = [this.#n + other.#n, other.#mean - this.#mean];
    this.#squares += other.#squares + (difference * difference * this.#n * other.#n) / n;
    this.#mean += (difference * other.#n) / n;
    this.#n = n;
    this.#sum.addSum(other.#sum);
    for (const [i, day] of other.#days.entries())
      this.#addTo(day, other.#counts[i] as number, other.#sums[i] as number);
  }

  #addTo(day: number, count: number, sum: number): void {
    const [days, counts, sums] = [this.#days, this.#counts, this.#sums];
    let at = days.length - 1;
    while (at >= 0 && (days[at] as number) > day) at--;

    if (at >= 0 && days[at] === day) {
      (counts[at] as number) += count;
      (sums[at] as number) += sum;
    } else if (at === days.length - 1) {
      days.push(day);
      counts.push(count);
      sums.push(sum);
    } else {
      days.splice(at + 1, 0, day);
      counts.splice(at + 1, 0, count);
      sums.splice(at + 1, 0, sum);
    }
  }

  get n(): number {
    return this.#n;
  }

  get days(): number {
    return this.#days.length;
  }

  get sum(): number {
    return this.#sum.value;
  }

  /** Null if n = 0. */
  get mean(): number | null {
    return this.#n === 0 ? null : this.sum / this.#n;
  }

  /** Variance of a sample (n - 1): 0 if all values are equal, null if n < 2. */
  get variance(): number | null {
    const n = this.#n;
    if (n < 2) return null;
    // Equal values, and sums of many, can differ by floating-point errors: that is no
    // deviation.
    const noise = (this.#squares + n * this.#mean * this.#mean) * (1e-24 + n * 1e-28);
    return this.#squares <= noise ? 0 : this.#squares / (n - 1);
  }

  /**
   * By how much the mean varies more than that of n independent values, because values of
   * one day move together (Liang and Zeger 1986): at least 1, null below 2 days.
   */
  get design(): number | null {
    const [n, mean, variance, days] = [
      this.#n,
      this.mean,
      this.variance,
      this.#days.length,
    ];
    if (days < 2 || mean === null || variance === null) return null;
    if (variance === 0) return 1;
    let squares = 0;
    for (let i = 0; i < days; i++)
      squares += ((this.#sums[i] as number) - (this.#counts[i] as number) * mean) ** 2;
    return Math.max(1, ((days / (days - 1)) * squares) / (n * variance));
  }
}

// Student's t distribution for confidence intervals and tests. Its tail is the
// regularised incomplete beta function (DLMF 8.17, continued fraction 8.17.22), exact to
// about 12 digits in double precision. The tests compare it with published tables and
// with numerical integration.

/** The normal quantile of 0.975: the limit of t for many degrees of freedom. */
const Z = 1.959963984540054;

/**
 * With more degrees of freedom, their expansion (Abramowitz and Stegun 26.7.5) is exact
 * to 13 digits.
 */
const MANY = 1000;

const quantiles = new Map<number, number>();

/**
 * Half width of a 95 % interval in standard errors: the quantile of 0.975.
 * @param df degrees of freedom, at least 1
 */
export function tQuantile(df: number): number {
  if (df >= MANY) return expansion(df);
  let t = quantiles.get(df);
  if (t === undefined) {
    t = solved(df);
    quantiles.set(df, t);
  }
  return t;
}

/** Probability of a |t| at least as large by chance alone. */
export function twoSidedP(t: number, df: number): number {
  const square = t * t;
  return incompleteBeta(df / (df + square), square / (df + square), df / 2, 0.5);
}

/**
 * The same for a normal distribution, in standard deviations: the incomplete gamma
 * function of one half (DLMF 8.11.4 and 8.9.2), to 13 digits.
 */
export function normalP(z: number): number {
  const x = (z * z) / 2;
  const front = Math.exp(-x) * Math.sqrt(x / Math.PI);
  if (x >= GAMMA_SWITCH) return front * gammaFraction(x);

  let [term, sum] = [2, 2];
  for (let a = 1.5; term > sum * 1e-17; a++) {
    term *= x / a;
    sum += term;
  }

  return 1 - front * sum;
}

/**
 * From here on the fraction converges in under 100 steps; below, the series in as many.
 */
const GAMMA_SWITCH = 1.5;

/** 1 / (x + 1/2 - 1/2 / (x + 5/2 - 3 / (x + 9/2 - ...))), by Lentz's method. */
function gammaFraction(x: number): number {
  let b = x + 0.5;
  let [c, d] = [Number.POSITIVE_INFINITY, 1 / b];
  let value = d;

  for (let i = 1; i < 1000; i++) {
    const term = -i * (i - 0.5);
    b += 2;
    d = 1 / (term * d + b);
    c = b + term / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }

  return value;
}

function expansion(df: number): number {
  const [z, z3, z5, z7] = [Z, Z ** 3, Z ** 5, Z ** 7];
  const [g1, g2] = [(z3 + z) / 4, (5 * z5 + 16 * z3 + 3 * z) / 96];
  const g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  return z + g1 / df + g2 / df ** 2 + g3 / df ** 3;
}

/**
 * By Newton's method: the tail is convex, so the steps approach from below and never
 * overshoot.
 */
function solved(df: number): number {
  const height = Math.exp(-logBeta(df / 2)) / Math.sqrt(df);
  let t = Z;
  for (let step = Number.POSITIVE_INFINITY; step > t * 1e-14; t += step) {
    const density = height * (1 + (t * t) / df) ** (-(df + 1) / 2);
    step = (twoSidedP(t, df) - 0.05) / (2 * density);
  }
  return t;
}

/**
 * @param y 1 - x, a separate parameter because the subtraction would lose small values
 */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
  // The fraction converges fast only on this side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(y, x, b, a);
  if (x === 0) return 0;
  const front = Math.exp(a * Math.log(x) + b * Math.log(y) - logBeta(Math.max(a, b)));
  return front / (a * fraction(x, a, b));
}

/** 1 + d1 / (1 + d2 / (1 + ...)), by Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  let [value, c, d] = [1, 1, 0];
  for (let i = 1; i < 100_000; i++) {
    const m = i >> 1;
    const term =
      i % 2 === 0
        ? (m * (b - m) * x) / ((a + i - 1) * (a + i))
        : (-(a + m) * (a + b + m) * x) / ((a + i - 1) * (a + i));
    d = 1 / (1 + term * d);
    c = 1 + term / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }

  return value;
}

/** The logarithm of the beta function of a and one half. */
function logBeta(a: number): number {
  return logGamma(a) + Math.log(Math.PI) / 2 - logGamma(a + 0.5);
}

/**
 * Stirling's series (DLMF 5.11.1), which needs a large number: a smaller one is raised by
 * Γ(x + 1) = x Γ(x).
 */
function logGamma(x: number): number {
  let [raised, product] = [x, 1];
  for (; raised < 15; raised++) product *= raised;
  const square = raised * raised;
  const series =
    (1 / 12 -
      (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) /
        square) /
    raised;

  return (
    (raised - 0.5) * Math.log(raised) -
    raised +
    Math.log(2 * Math.PI) / 2 +
    series -
    Math.log(product)
  );
}

function totalOf(values: readonly number[]): number {
  const sum = new Sum();
  for (const value of values) sum.add(value);
  return sum.value;
}

/** Arithmetic mean; null for an empty list. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : totalOf(values) / values.length;
}

/** Median: the middle value, or the mean of the middle two; null for an empty list. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Standard deviation of a sample (n - 1); null if n < 2 or if all values are equal. */
export function sampleDeviation(values: readonly number[]): number | null {
  const mean = meanOf(values);
  if (mean === null || values.length < 2) return null;

  const squares = new Sum();
  let largest = 0;
  for (const value of values) {
    squares.add((value - mean) ** 2);
    largest = Math.max(largest, Math.abs(value));
  }

  const deviation = Math.sqrt(squares.value / (values.length - 1));
  // Equal values can differ from their mean by floating-point errors: that is no
  // deviation.
  return deviation <= largest * 1e-12 ? null : deviation;
}

// 95 % confidence intervals. Formulas: docs/analytics.md.

/**
 * Wilson's score interval (1927) of a share, with the number of independent trades that
 * would be as certain (Korn and Graubard 1998).
 */
export function wilson({
  n: trades,
  days,
  mean: share,
  design,
}: Moments): [low: number, high: number] | null {
  if (share === null || design === null) return null;
  const n = (trades / design) * (tQuantile(trades - 1) / tQuantile(days - 1)) ** 2;
  const square = Z * Z;
  const middle = (share + square / (2 * n)) / (1 + square / n);
  const half =
    (Z / (1 + square / n)) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n));
  return [middle - half, middle + half];
}

/** Interval of a mean, clustered by day: Student's (1908) if each day has one value. */
export function meanInterval({
  n,
  days,
  mean,
  variance,
  design,
}: Moments): [low: number, high: number] | null {
  if (mean === null || variance === null || design === null) return null;
  const half = tQuantile(days - 1) * Math.sqrt((design * variance) / n);
  return [mean - half, mean + half];
}

/**
 * The smallest n at which the interval of the mean excludes 0, with the same mean and
 * variance; null if none is a safe integer.
 */
export function tradesNeeded({ mean, variance, design }: Moments): number | null {
  if (variance === null || design === null || !moneyOrNull(mean)) return null;

  const most = Math.abs(mean as number) / Math.sqrt(design * variance);
  const isEnough = (n: number) => tQuantile(n - 1) / Math.sqrt(n) < most;
  let enough = 2;

  while (!isEnough(enough)) {
    enough *= 2;
    if (enough > Number.MAX_SAFE_INTEGER) return null;
  }

  let tooFew = enough === 2 ? 1 : enough / 2;
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }

  return enough;
}

/** Sum of amounts; 0 if the rest of amounts that cancel out is only rounding noise. */
export function sumOf(values: readonly number[]): number {
  const sum = new Sum();
  let size = 0;
  for (const value of values) {
    sum.add(value);
    size += Math.abs(value);
  }
  return Math.abs(sum.value) <= size * 1e-15 ? 0 : sum.value;
}
