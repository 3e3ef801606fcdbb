/** What serve writes to stderr while it runs: a line per request, and why a file can't be read. */
import { type FileUnavailable, rootCause } from '../../sqlite/errors.ts';

const FLUSH_MS = 100;
const FLUSH_CHARACTERS = 64 * 1024;

/** Maximum of unread output. Lines beyond it are dropped and counted. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Buffers log lines: written one by one, they would cost more than the requests they report. */
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

const MINUTE_MS = 60_000;

/** There are far fewer causes. */
const MAX_CAUSES = 100;

/** Reports each cause once a minute. */
export class UnavailableLog {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  readonly #writtenAt = new Map<string, number>();

  /** @param now milliseconds of any clock */
  constructor(write: (line: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  report(error: FileUnavailable): void {
    const cause = rootCause(error);
    const message = cause === undefined ? error.message : `${error.message} (${cause})`;
    const now = this.#now();
    const writtenAt = this.#writtenAt.get(message);
    if (writtenAt !== undefined && now - writtenAt < MINUTE_MS) return;
    if (this.#writtenAt.size >= MAX_CAUSES) this.#writtenAt.clear();
    this.#writtenAt.set(message, now);
    this.#write(`journal-api: requests get 503: ${message}\n`);
  }
}
