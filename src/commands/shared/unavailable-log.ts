/** Reports on stderr why a file can't be read, once a minute for each cause. */
import { type FileUnavailable, rootCause } from '../../sqlite/errors.ts';

const MINUTE_MS = 60_000;

/** There are far fewer causes. */
const MAX_CAUSES = 100;

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
