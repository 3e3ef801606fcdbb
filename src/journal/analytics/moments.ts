/** Count, mean and variance of numbers added one by one. */
import { Sum } from '../../money.ts';

/** Splits a number of 53 bits into two of 26. */
const SPLIT = 2 ** 27 + 1;

/** Rounding error of a product of two numbers (Dekker 1971). */
function productError(a: number, b: number, product: number): number {
  const [aHigh, bHigh] = [highOf(a), highOf(b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/** Rounding error of a square. */
export function squareError(a: number, square: number): number {
  return productError(a, a, square);
}

function highOf(a: number): number {
  const scaled = SPLIT * a;
  return scaled - (scaled - a);
}

/** Sums with twice the precision of a number, so that subtracting large squares loses nothing. */
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

  /** Null if n = 0. */
  get mean(): number | null {
    return this.#n === 0 ? null : this.sum / this.#n;
  }

  /** Variance of a sample (n - 1): 0 if all values are equal, null if n < 2. */
  get variance(): number | null {
    const n = this.#n;
    if (n < 2) return null;
    const [sum, squares] = [this.#sum.value, this.#squares.value];
    const [high, square] = [n * squares, sum * sum];
    const low = productError(n, squares, high) + n * this.#squares.remainder;
    const squareLow = squareError(sum, square) + 2 * sum * this.#sum.remainder;
    const deviations = (high - square + (low - squareLow)) / n;
    // Equal values, and sums of many, can differ by floating-point errors: that is no deviation.
    return deviations <= squares * (1e-24 + n * 1e-28) ? 0 : deviations / (n - 1);
  }
}
