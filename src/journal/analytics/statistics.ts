/** Plain statistics of lists of numbers; null where they are undefined. */
import { Sum } from '../../money.ts';

function totalOf(values: readonly number[]): number {
  const sum = new Sum();
  for (const value of values) sum.add(value);
  return sum.value;
}

/** Arithmetic mean; null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : totalOf(values) / values.length;
}

/** Median: the middle value, or the mean of the middle two; null of nothing. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  // A typed array sorts by number, not by text, and faster than a list with a comparison.
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** Standard deviation of a sample (n - 1); null where n < 2 or where all values are equal. */
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
  // Equal values can differ from their mean by floating-point error, which is no deviation.
  return deviation <= largest * 1e-12 ? null : deviation;
}
