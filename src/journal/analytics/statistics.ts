/** Basic statistics of lists of numbers; null if undefined. */
import { Sum } from '../../money.ts';

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
  const list = new Float64Array(values);
  const middle = list.length >> 1;
  const upper = putInPlace(list, middle);
  if (list.length % 2 === 1) return upper;
  return (upper + list.subarray(0, middle).reduce((most, value) => Math.max(most, value))) / 2;
}

/**
 * Puts the number at a place that sorting would put there, with none larger before it (Hoare 1961). It blocks other requests:
 * 35 ms for a million numbers, compared with 230 ms for sorting.
 */
function putInPlace(list: Float64Array, place: number): number {
  const at = (i: number) => list[i] as number;
  let [first, last] = [0, list.length - 1];
  while (first < last) {
    // A random pivot: no order of the numbers makes it slow.
    const pivot = at(first + Math.floor(Math.random() * (last - first + 1)));
    let [i, j] = [first, last];
    while (i <= j) {
      while (at(i) < pivot) i++;
      while (at(j) > pivot) j--;
      if (i > j) break;
      const larger = at(i);
      list[i++] = at(j);
      list[j--] = larger;
    }
    if (place <= j) last = j;
    else if (place >= i) first = i;
    else break;
  }
  return at(place);
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
  // Equal values can differ from their mean by floating-point errors: that is no deviation.
  return deviation <= largest * 1e-12 ? null : deviation;
}
