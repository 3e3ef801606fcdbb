/** Log lines on their way to stderr, many at a time: one by one they would cost more than the answers they tell of. */

const FLUSH_MS = 100;
const FLUSH_LETTERS = 64 * 1024;

/** What may wait for a reader that doesn't read. What comes beyond is lost, and that is said. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export class LineBuffer {
  #waiting = '';
  #lost = 0;
  readonly #timer = setInterval(() => this.flush(), FLUSH_MS).unref();

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length > FLUSH_LETTERS) this.flush();
  }

  flush(): void {
    if (this.#waiting === '') return;
    const lines = this.#waiting;
    this.#waiting = '';
    if (process.stderr.writableLength > MAX_UNREAD_BYTES) {
      this.#lost += lines.split('\n').length - 1;
      return;
    }
    if (this.#lost > 0) process.stderr.write(`journal-api: ${this.#lost} log lines were lost: nobody read them\n`);
    this.#lost = 0;
    process.stderr.write(lines);
  }

  /** Writes what waits, for the last time. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
