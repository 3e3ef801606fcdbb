/** Count, mean and spread of numbers that are added one by one. */
import { Sum } from '../../money.ts';

/** Splits a number of 53 bits into two of 26. */
const SPLIT = 2 ** 27 + 1;

/** What a product of two numbers lacks of the exact one (Dekker 1971). */
function productError(a: number, b: number, product: number): number {
  const [aHigh, bHigh] = [highOf(a), highOf(b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/** The same of a square. */
export function squareError(a: number, square: number): number {
  return productError(a, a, square);
}

function highOf(a: number): number {
  const scaled = SPLIT * a;
  return scaled - (scaled - a);
}

/** Kept as sums, twice as exact as a number, so that nothing is lost where large squares are subtracted from each other. */
export class Moments {
  #n: number;
  readonly #sum: Sum;
  readonly #squares: Sum;

  constructor(n = 0, sum = new Sum(), squares = new Sum()) {
    this.#n = n;
    this.#sum = sum;
    this.#squares = squares;
  }

  add(value: number): void {
    const square = value * value;
    this.#n++;
    this.#sum.add(value);
    this.#squares.add(square);
    this.#squares.addLost(squareError(value, square));
  }

  get n(): number {
    return this.#n;
  }

  get sum(): number {
    return this.#sum.value;
  }

  /** Null of nothing. */
  get mean(): number | null {
    return this.#n === 0 ? null : this.sum / this.#n;
  }

  /** Variance of a sample (n - 1): 0 where all are equal, null where n < 2. */
  get variance(): number | null {
    const n = this.#n;
    if (n < 2) return null;
    const [sum, squares] = [this.#sum.value, this.#squares.value];
    const [high, square] = [n * squares, sum * sum];
    const low = productError(n, squares, high) + n * this.#squares.remainder;
    const squareLow = squareError(sum, square) + 2 * sum * this.#sum.remainder;
    const deviations = (high - square + (low - squareLow)) / n;
    // Equal values can differ by floating-point error, and so can sums of many: that is no deviation.
    return deviations <= squares * (1e-24 + n * 1e-28) ? 0 : deviations / (n - 1);
  }
}
