/** Reproducible random numbers: a seed gives the same numbers in every process and on every machine (sfc32 by Doty-Humphrey, 2010). */
export class Random {
  #state: readonly [number, number, number, number];

  /** @param seed 32 bits */
  constructor(seed: number) {
    this.#state = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88, 1];
    // Similar seeds give similar numbers until the state is mixed.
    this.fill(new Uint32Array(16));
  }

  /** Fills with 32-bit integers: many at once, because a call for each takes longer than making one. */
  fill(numbers: Uint32Array): void {
    let [a, b, c, counter] = this.#state;
    for (let i = 0; i < numbers.length; i++) {
      const next = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + next) | 0;
      numbers[i] = next;
    }
    this.#state = [a, b, c, counter];
  }
}

/** Number of different values of a Random. */
export const RANGE = 2 ** 32;
