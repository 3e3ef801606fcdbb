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
  const parted = new Float64Array(values);
  const middle = parted.length >> 1;
  partAt(parted, middle);
  const upper = parted[middle] as number;
  if (parted.length % 2 === 1) return upper;
  let lower = Number.NEGATIVE_INFINITY;
  for (const value of parted.subarray(0, middle)) if (value > lower) lower = value;
  return (upper + lower) / 2;
}

/**
 * Brings to position k what would be there if all were sorted, nothing greater before it, nothing less behind it: Hoare's quickselect,
 * with a pivot at random, so that no order of the values makes it slow.
 */
function partAt(values: Float64Array, k: number): void {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const pivot = values[from + Math.floor(Math.random() * (to - from + 1))] as number;
    let left = from;
    let right = to;
    while (left <= right) {
      while ((values[left] as number) < pivot) left++;
      while ((values[right] as number) > pivot) right--;
      if (left > right) break;
      const swapped = values[left] as number;
      values[left++] = values[right] as number;
      values[right--] = swapped;
    }
    if (k <= right) to = right;
    else if (k >= left) from = left;
    else return;
  }
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
