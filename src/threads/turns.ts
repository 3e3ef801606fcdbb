/** Reads that wait for a thread. The owner whose last turn is longest ago is next. */
import { ReadAbandoned, TooManyReads } from '../sqlite/errors.ts';

/** Maximum of waiting reads per client. */
const MAX_WAITING = 8;

/** The client of a read. */
export interface ReadClient {
  /** Owners take turns: a user. */
  owner: string;
  /** One of the owner's programs, each with its own limit of waiting reads: a key. */
  name: string;
  /** Whether the result is still wanted. */
  isWanted: () => boolean;
}

/** A read, as far as turns depend on it. */
export interface Waiting {
  client: ReadClient;
  reject: (error: Error) => void;
}

export class Turns<R extends Waiting> {
  readonly #waiting: R[] = [];
  /** Number of the turn that each owner had last. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** @throws TooManyReads if too many reads of the client are waiting */
  add(read: R): void {
    const { name } = read.client;
    const others = this.#waiting.filter(
      ({ client }) => client.name === name && client.isWanted(),
    );
    if (others.length >= MAX_WAITING)
      throw new TooManyReads(`${MAX_WAITING} long reads are waiting`);
    this.#waiting.push(read);
  }

  /**
   * Takes the first read of the owner whose last turn is longest ago; undefined if none
   * is waiting.
   */
  next(): R | undefined {
    const lastTurn = ({ client }: R) => this.#lastTurns.get(client.owner) ?? 0;
    const next = this.#waiting.reduce<R | undefined>(
      (first, read) =>
        first === undefined || lastTurn(read) < lastTurn(first) ? read : first,
      undefined,
    );
    if (!next) return undefined;

    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#lastTurns.set(next.client.owner, ++this.#turns);
    return next;
  }

  /** Forgets whose turn it was: no read is running or waiting. */
  reset(): void {
    this.#lastTurns.clear();
  }

  /** Drops reads whose client has left. */
  dropAbandoned(): void {
    for (const read of this.#waiting.filter(({ client }) => !client.isWanted()))
      this.#drop(read, new ReadAbandoned());
  }

  dropAll(error: Error): void {
    for (const read of [...this.#waiting]) this.#drop(read, error);
  }

  #drop(read: R, error: Error): void {
    this.#waiting.splice(this.#waiting.indexOf(read), 1);
    read.reject(error);
  }
}
