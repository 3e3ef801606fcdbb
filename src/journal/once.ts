/**
 * Values that are computed once: at their first use, for each text, or before the steps
 * that need them.
 */

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

/**
 * What only some files or journals need. It is loaded before their steps, which are
 * synchronous.
 */
export class OnDemand<T> {
  readonly #name: string;
  readonly #import: () => Promise<T>;
  #loaded: { value: T } | undefined;

  /** @param name in the error of a step that comes too early */
  constructor(name: string, load: () => Promise<T>) {
    this.#name = name;
    this.#import = load;
  }

  async load(): Promise<void> {
    this.#loaded ??= { value: await this.#import() };
  }

  get isLoaded(): boolean {
    return this.#loaded !== undefined;
  }

  /** @throws Error unless it is loaded */
  get value(): T {
    if (!this.#loaded) throw new Error(`${this.#name} isn't loaded`);
    return this.#loaded.value;
  }
}
