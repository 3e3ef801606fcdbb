import { Sum } from '../../money.ts';

/** Arithmetic mean; null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sum = new Sum();
  for (const value of values) sum.add(value);
  return sum.value / values.length;
}

/** Median; the mean of the middle two where their number is even; null of nothing. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** Standard deviation of a sample (n - 1); null where n < 2 or where all values are the same. */
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
  // Equal values can differ from their mean by binary noise; that is no deviation.
  return deviation <= largest * 1e-12 ? null : deviation;
}
