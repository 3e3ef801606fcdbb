/**
 * Memory of typed arrays, counted before they are made: it is outside of the heap, so no
 * limit of a thread covers it.
 */
import { ResponseTooLarge } from '../response-size.ts';

/** Enough for the leaks of 250,000 trades. */
const MOST_MB = 192;

export class ArrayMemory {
  #bytes = 0;

  /** @throws ResponseTooLarge if one request would have more than it may */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MOST_MB * 1_000_000) return;
    throw new ResponseTooLarge(
      `these figures need more than the ${MOST_MB} MB of memory that one request may have; choose a shorter period or add filters`,
    );
  }
}
