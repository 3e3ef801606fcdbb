/** Long work on rows in memory: map and sort, with a pause after every few hundred rows. */

/** Slots for the texts met last. */
const SLOTS = 1024;

/**
 * Parses texts, each once: few texts recur often, and parsing each time makes the summary a fifth slower. A Map takes 0.1 µs for a
 * text new from SQLite, which it first compares with all texts of the program: a table of the last texts saves most of that.
 */
export function remembered<T>(parse: (text: string) => T): (text: string) => T {
  const parsed = new Map<string, T>();
  const last = new Array<{ text: string; value: T } | undefined>(SLOTS).fill(undefined);
  return (text) => {
    const slot = slotOf(text);
    const recent = last[slot];
    if (recent !== undefined && recent.text === text) return recent.value;
    let value = parsed.get(text);
    if (value === undefined) {
      value = parse(text);
      if (text.length >= 1000) return value;
      if (parsed.size < 10_000) parsed.set(text, value);
    }
    last[slot] = { text, value };
    return value;
  };
}

/** From characters that differ in symbols and short lists. */
function slotOf(text: string): number {
  const { length } = text;
  if (length < 3) return length;
  const at = (i: number) => text.charCodeAt(i);
  return (length + at(length - 1) + 5 * at(length - 2) + 11 * at(length >> 1) + 23 * at(length >> 2)) % SLOTS;
}

/** Rows between two pauses: one or two milliseconds of figures. */
export const STEP = 500;

export function* mapInSteps<T, R>(rows: Iterable<T>, make: (row: T, i: number) => R): Generator<void, R[]> {
  const made: R[] = [];
  for (const row of rows) {
    made.push(make(row, made.length));
    if (made.length % STEP === 0) yield;
  }
  return made;
}

/** Stable, like Array's sort. */
export function* sortInSteps<T>(rows: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let i = 0; i < rows.length; i += STEP) {
    if (i > 0) yield;
    runs.push(rows.slice(i, i + STEP).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) longer.push(yield* mergeRuns(runs[i] as T[], runs[i + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergeRuns<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isFromA = j === b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    merged.push(isFromA ? (a[i++] as T) : (b[j++] as T));
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}

/** A value that is made at its first use. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
