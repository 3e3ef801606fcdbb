/** Runs a read written as a generator, which may pause when it yields. */
import { ReadAbandoned } from './errors.ts';
import type { ReadClient, ReadQueue } from './read-queue.ts';

/** Milliseconds that a read may run before other requests get a turn: a long one, and one that has just started. */
const SLICE_MS = 5;

export type Finish<T> = (result: T) => (() => Promise<void>) | undefined;

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
 */
export async function inTurns<T>(
  begin: () => Promise<Generator<void, T>>,
  queue: ReadQueue,
  client: ReadClient,
  finish?: Finish<T>,
): Promise<T> {
  while (isTurnOver()) await nextTurn();
  let read = await begin();
  let hasTurn = false;
  try {
    for (;;) {
      const step = runUntil(read, performance.now() + SLICE_MS);
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
        read.return(undefined as T);
        await turn;
      }
      hasTurn = true;
      if (!turn) await nextTurn();
      if (!client.isWanted()) throw new ReadAbandoned('the result is no longer wanted');
      if (turn) read = await begin();
    }
  } finally {
    read.return(undefined as T);
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
