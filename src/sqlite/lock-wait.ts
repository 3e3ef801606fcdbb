/** Waits for the lock of another program without blocking: meanwhile this process does everything else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isLocked, ReadAbandoned } from './errors.ts';

/** How long a read waits before it fails. */
const PATIENCE_MS = 2000;

const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;

export class LockWait {
  #pause = SHORTEST_PAUSE_MS;
  /** Nobody tries before that, whoever asks: a thousand that wait cost hardly more than one. */
  #tryAgainAt = 0;
  #refusal: unknown;

  /**
   * What a function returns, called again where it finds the file locked.
   * @param isWanted asked after each pause
   * @throws what the function throws: at once, or where it is about a lock, after two seconds
   * @throws ReadAbandoned once the result is no longer wanted
   */
  async untilUnlocked<T>(open: () => T, isWanted: () => boolean): Promise<T> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      for (let now = performance.now(); now < this.#tryAgainAt; now = performance.now()) {
        if (now > giveUpAt) throw this.#refusal;
        await sleep(this.#tryAgainAt - now);
        if (!isWanted()) throw new ReadAbandoned('nobody waits for the answer any more');
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
