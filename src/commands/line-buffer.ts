/** Log lines on their way to stderr, many at a time: written one by one, they would cost more than the requests they are about. */

const FLUSH_MS = 100;
const FLUSH_CHARACTERS = 64 * 1024;

/** What may wait for a reader that doesn't read. What is beyond that is dropped, and counted. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export class LineBuffer {
  #waiting = '';
  #lost = 0;
  readonly #timer = setInterval(() => this.flush(), FLUSH_MS).unref();

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length > FLUSH_CHARACTERS) this.flush();
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

  /** Writes what waits, and buffers no more. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
