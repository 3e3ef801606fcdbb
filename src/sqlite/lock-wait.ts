/** Waits for another program's lock without blocking this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isLocked, ReadAbandoned } from './errors.ts';

/** Milliseconds before a waiting read fails. */
const PATIENCE_MS = 2000;

const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;

export class LockWait {
  #pause = SHORTEST_PAUSE_MS;
  /** Time of the next attempt, shared by all reads: a thousand waiting reads cost hardly more than one. */
  #tryAgainAt = 0;
  #refusal: unknown;

  /**
   * Result of a function, which is called again if the file is locked.
   * @param isWanted called after each pause
   * @throws the function's error: at once, or after two seconds if it is about a lock
   * @throws ReadAbandoned once the result is no longer wanted
   */
  async untilUnlocked<T>(open: () => T, isWanted: () => boolean): Promise<T> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      for (let now = performance.now(); now < this.#tryAgainAt; now = performance.now()) {
        if (now > giveUpAt) throw this.#refusal;
        await sleep(this.#tryAgainAt - now);
        if (!isWanted()) throw new ReadAbandoned('the result is no longer wanted');
      }
      try {
        const opened = open();
        this.#pause = SHORTEST_PAUSE_MS;
        return opened;
      } catch (error) {
        if (!isLocked(error)) throw error;
        this.#refusal = error;
        this.#tryAgainAt = performance.now() + this.#pause;
        this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
      }
    }
  }
}
