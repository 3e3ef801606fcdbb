/** One long read at a time: who comes while another is at it waits, in the order of coming. */
export class ReadQueue {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** @returns what to wait for; undefined where it is one's turn at once */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return undefined;
  }

  /** Hands the turn on. */
  pass(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
