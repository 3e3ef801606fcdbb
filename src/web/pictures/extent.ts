/** The least and the greatest of many numbers: as arguments of Math.min and Math.max they could exceed the call stack. */
export function extentOf(values: Iterable<number>): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}
