/** Values that are computed once: at their first use, or for each text. */

/** A value that is made at its first use. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

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
