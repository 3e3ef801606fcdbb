/** Queue of long reads, which run one at a time. The owner whose last turn is longest ago is next. */
import { TooManyReads } from './errors.ts';
import type { Overlay } from './handles.ts';

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
  /** The views it sees; undefined for the whole file. */
  overlay?: Overlay | undefined;
}

interface Waiting {
  client: ReadClient;
  begin: () => void;
}

export class ReadQueue {
  #isTaken = false;
  readonly #waiting: Waiting[] = [];
  /** Number of the turn that each owner had last. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;

  /**
   * @returns a promise to wait for; undefined if the read may start at once
   * @throws TooManyReads if too many reads of the client are waiting
   */
  take(client: ReadClient): Promise<void> | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      this.#begins(client);
      return undefined;
    }
    const waiting = this.#waiting.filter((other) => other.client.name === client.name && other.client.isWanted());
    if (waiting.length >= MAX_WAITING) throw new TooManyReads(`${MAX_WAITING} long reads are waiting`);
    return new Promise((begin) => this.#waiting.push({ client, begin }));
  }

  /** Passes the turn on. */
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

  /** The first read of the owner whose last turn is longest ago. */
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
