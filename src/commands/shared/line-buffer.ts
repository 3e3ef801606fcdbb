/** Buffers log lines for stderr: written one by one, they would cost more than the requests they report. */

const FLUSH_MS = 100;
const FLUSH_CHARACTERS = 64 * 1024;

/** Maximum of unread output. Lines beyond it are dropped and counted. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export class LineBuffer {
  #waiting = '';
  #dropped = 0;
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
      this.#dropped += lines.split('\n').length - 1;
      return;
    }
    if (this.#dropped > 0) process.stderr.write(`journal-api: ${this.#dropped} log lines dropped: output not read\n`);
    this.#dropped = 0;
    process.stderr.write(lines);
  }

  /** Writes the waiting lines and stops the timer. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
