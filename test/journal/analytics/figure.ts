/** Figures of the reference, and their statistics. */
import { Exact } from './exact.ts';

/** A figure before rounding. */
export class Figure {
  readonly rounded: number;
  readonly #accepts: (given: number) => boolean;

  constructor(rounded: number, accepts: (given: number) => boolean) {
    this.rounded = rounded;
    this.#accepts = accepts;
  }

  /**
   * Rounded half away from zero; binary noise may decide only if the exact value is practically halfway between two decimals.
   * @param more noise beyond that of the value itself
   */
  static of(exact: Exact, decimals: number, more = Exact.of(0)): Figure {
    const half = Exact.of(`5e-${decimals + 1}`);
    const noise = exact.abs().times(Exact.of('2e-15')).plus(more);
    const least = Exact.of('1e-10');
    const allowed = half.plus(noise.compare(least) > 0 ? noise : least);
    return new Figure(
      exact.rounded(decimals).toNumber(),
      (given) =>
        Number(given.toFixed(decimals)) === given &&
        Exact.of(given).minus(exact).abs().compare(allowed) <= 0,
    );
  }

  /** A part of a sum. Where amounts nearly cancel out, the sum has the noise of their last binary digits. */
  static share(part: Exact, amounts: readonly Exact[]): Figure {
    const sum = Exact.sum(amounts);
    const share = part.over(sum);
    const size = Exact.sum(amounts.map((amount) => amount.abs()));
    const noise = size.over(sum).times(share).abs().times(Exact.of('5e-16'));
    return Figure.of(share, 6, noise);
  }

  /** For a figure with a square root, which has no exact value. */
  static root(value: number): Figure {
    return new Figure(
      Math.round(value * 1e6) / 1e6,
      (given) => Math.abs(given - value) <= 1e-6 * Math.max(1, Math.abs(value)),
    );
  }

  /** A bound of an interval: exact except for a root and a quantile. */
  static bound(value: number, size: number, decimals: number): Figure {
    const allowed = 0.5 * 10 ** -decimals + size * 1e-12;
    return new Figure(
      Number(value.toFixed(decimals)),
      (given) => Math.abs(given - value) <= allowed,
    );
  }

  /** A figure accepted by a function. */
  static where(accepts: (given: number) => boolean, example: number): Figure {
    return new Figure(example, accepts);
  }

  /** A mark that depends on chance. */
  static readonly MAYBE = Symbol('true or absent');

  /** What another test compares. */
  static readonly ANY = Symbol('any');

  /** The expected value, with accepted numbers in place of figures. */
  static settle(expected: unknown, given: unknown): unknown {
    if (expected instanceof Figure)
      return typeof given === 'number' && expected.#accepts(given)
        ? given
        : expected.rounded;
    if (expected === Figure.ANY) return given;
    if (expected === Figure.MAYBE)
      return given === undefined || given === true ? given : Figure.MAYBE;
    if (Array.isArray(expected))
      return expected.map((item, i) =>
        Figure.settle(item, Array.isArray(given) ? given[i] : undefined),
      );
    if (typeof expected !== 'object' || expected === null) return expected;
    const members = (given ?? {}) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(expected).map(([name, value]) => [
        name,
        Figure.settle(value, members[name]),
      ]),
    );
  }
}

export const money = (value: Exact) => Figure.of(value, 8);
export const ratio = (value: Exact) => Figure.of(value, 6);
export const orNull = (value: Exact | null, round: (value: Exact) => Figure) =>
  value === null ? null : round(value);
export const meanOf = (values: Exact[]) =>
  values.length === 0 ? null : Exact.sum(values).over(values.length);

/** The variance of a sample (n - 1), by the sum of squares less the square of the sum: exact, without loss. */
export function variance(values: Exact[]): Exact | null {
  if (values.length < 2) return null;
  const squares = Exact.sum(values.map((value) => value.times(value)));
  const sum = Exact.sum(values);
  return squares.minus(sum.times(sum).over(values.length)).over(values.length - 1);
}
