/** What the language promises, and its declarations don't say. */

interface MapConstructor {
  /** A group has the item for which it was made. */
  groupBy<K, T>(
    items: Iterable<T>,
    keySelector: (item: T, index: number) => K,
  ): Map<K, [T, ...T[]]>;
}
