/** Long work on rows in memory: map and sort, with a pause after every few hundred rows. */

/** Parses texts, each once if short: few texts recur often. */
export function remembered<T>(parse: (text: string) => T): (text: string) => T {
  const parsed = new Map<string, T>();
  return (text) => {
    let value = parsed.get(text);
    if (value === undefined) {
      value = parse(text);
      if (text.length < 1000 && parsed.size < 10_000) parsed.set(text, value);
    }
    return value;
  };
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
