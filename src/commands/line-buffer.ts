/** Log lines on their way to stderr, many at a time: one by one they would cost more than the answers they tell of. */

const FLUSH_MS = 100;
const FLUSH_LETTERS = 64 * 1024;

export class LineBuffer {
  #waiting = '';
  readonly #timer = setInterval(() => this.flush(), FLUSH_MS).unref();

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length > FLUSH_LETTERS) this.flush();
  }

  flush(): void {
    if (this.#waiting === '') return;
    process.stderr.write(this.#waiting);
    this.#waiting = '';
  }

  /** Writes what waits, for the last time. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
