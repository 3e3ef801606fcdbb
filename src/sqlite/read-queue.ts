/** Queue of long reads, which run one at a time. The owner whose last turn is longest ago is next. */

import { FileUnavailable, ReadAbandoned, TooManyReads } from './errors.ts';
import type { Overlay } from './handles.ts';

// Runs a read written as a generator, which may pause when it yields.

/** Milliseconds that a read may run before other requests get a turn: a long one, and one that has just started. */
const SLICE_MS = 5;

export type Finish<T> = (result: T) => (() => Promise<void>) | undefined;

/** Milliseconds after which a read restarts no more, and the restarts after which it fails: the file keeps changing. */
const LONGEST_MS = 30_000;
const MAX_RESTARTS = 2;

/** A read that has begun. */
export interface BegunRead<T> {
  steps: Generator<void, T>;
  /** Lets a writer have the file if that is due, in a pause. False if the file has changed: the read has to restart. */
  renew: () => Promise<boolean>;
}

/** Runs a read without pauses. */
export function toEnd<T>(read: Generator<void, T>): T {
  let step = read.next();
  while (!step.done) step = read.next();
  return step.value;
}

/**
 * Runs a read with pauses, so that a long one lets other requests through. A read of a few milliseconds is never interrupted.
 * Only one read at a time may pause: overlapping reads would lock writers out of the file. A second one starts again when its
 * turn comes.
 *
 * @param begin starts the read; called again for a restart
 * @param finish processes the result after the snapshot has ended; also in turns, because waiting results take memory
 * @throws ReadAbandoned if the result is no longer wanted
 * @throws TooManyReads if too many other reads of the client are waiting
 * @throws FileUnavailable if the file changes too often for a long read
 */
export async function inTurns<T>(
  begin: () => Promise<BegunRead<T>>,
  queue: ReadQueue,
  client: ReadClient,
  finish?: Finish<T>,
): Promise<T> {
  while (isTurnOver()) await nextTurn();
  let read = await begin();
  const began = performance.now();
  let restarts = 0;
  let hasTurn = false;
  try {
    for (;;) {
      const step = runUntil(read.steps, performance.now() + SLICE_MS);
      if (step.done) {
        const rest = finish?.(step.value);
        if (rest && !hasTurn) {
          await queue.take(client);
          hasTurn = true;
        }
        await rest?.();
        return step.value;
      }
      const turn = hasTurn ? undefined : queue.take(client);
      if (turn) {
        // Closed in the meantime: a snapshot keeps writers out.
        read.steps.return(undefined as T);
        await turn;
      }
      hasTurn = true;
      if (!turn) await nextTurn();
      if (!client.isWanted()) throw new ReadAbandoned('the result is no longer wanted');
      if (turn) read = await begin();
      else if (!(await read.renew())) {
        read.steps.return(undefined as T);
        if (restarts++ === MAX_RESTARTS || performance.now() - began > LONGEST_MS)
          throw new FileUnavailable(
            'the file changes too often for a request that takes this long; request less of it',
          );
        read = await begin();
      }
    }
  } finally {
    read.steps.return(undefined as T);
    if (hasTurn) queue.pass();
  }
}

/** Start of the current turn of the event loop, as far as reads have asked. */
let turnBegan: number | undefined;

/** Whether reads have used up the current turn of the event loop, so that the next one has to wait. */
function isTurnOver(): boolean {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(() => {
      turnBegan = undefined;
    });
  }
  return now - turnBegan > SLICE_MS;
}

function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

/** Continues until the read ends or its time is up. */
function runUntil<T>(read: Generator<void, T>, time: number): IteratorResult<void, T> {
  for (;;) {
    const step = read.next();
    if (step.done || performance.now() >= time) return step;
  }
}

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
