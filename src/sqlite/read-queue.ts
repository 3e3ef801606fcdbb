/** One long read at a time. Who waits gets a turn by owner: the owner whose last turn is longest ago goes first. */
import { TooManyReads } from './errors.ts';
import type { Overlay } from './handles.ts';

/** Reads of one client that may wait. */
const MAX_WAITING = 8;

/** For whom a read is. */
export interface ReadClient {
  /** Among whom turns go round: a user. */
  owner: string;
  /** Which of the owner's programs it is, of which each may have only so many reads waiting: a key. */
  name: string;
  /** Whether the result is still wanted. */
  isWanted: () => boolean;
  /** What of the file it may see; undefined for all. */
  overlay?: Overlay | undefined;
}

interface Waiting {
  client: ReadClient;
  begin: () => void;
}

export class ReadQueue {
  #isTaken = false;
  readonly #waiting: Waiting[] = [];
  /** When owners last had a turn, in turns. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;

  /**
   * @returns what to wait for; undefined where it is one's turn at once
   * @throws TooManyReads where so many of the client's wait already
   */
  take(client: ReadClient): Promise<void> | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      this.#begins(client);
      return undefined;
    }
    const waiting = this.#waiting.filter((other) => other.client.name === client.name && other.client.isWanted());
    if (waiting.length >= MAX_WAITING) throw new TooManyReads(`${MAX_WAITING} long reads wait already`);
    return new Promise((begin) => this.#waiting.push({ client, begin }));
  }

  /** Hands the turn on. */
  pass(): void {
    const next = this.#next();
    if (next) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#begins(next.client);
      return next.begin();
    }
    this.#isTaken = false;
    this.#lastTurns.clear();
  }

  /** Of the owner whose last turn is longest ago, the one that came first. */
  #next(): Waiting | undefined {
    const lastTurn = ({ client }: Waiting) => this.#lastTurns.get(client.owner) ?? 0;
    return this.#waiting.reduce<Waiting | undefined>(
      (first, waiting) => (first === undefined || lastTurn(waiting) < lastTurn(first) ? waiting : first),
      undefined,
    );
  }

  #begins({ owner }: ReadClient): void {
    this.#lastTurns.set(owner, ++this.#turns);
  }
}
