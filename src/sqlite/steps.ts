/** Drives a read that is written as a generator: where it yields, it may pause. */
import { ReadAbandoned } from './errors.ts';
import type { ReadClient, ReadQueue } from './read-queue.ts';

/** How long a read may go on before other requests get their turn: the long one, and one that has just begun. */
const SLICE_MS = 5;

export type Finish<T> = (result: T) => (() => Promise<void>) | undefined;

/** Runs a read to its end without a pause. */
export function toEnd<T>(read: Generator<void, T>): T {
  let step = read.next();
  while (!step.done) step = read.next();
  return step.value;
}

/**
 * Runs a read with pauses, so that a long one lets other requests through. One that is done within a few milliseconds is never
 * interrupted. One at a time may pause: reads that overlapped would keep the file locked for as long as any came, and its
 * writer out. Another one begins again when its turn comes.
 *
 * @param begin begins the read, also for a second time
 * @param finish what is still to be done with the result once the snapshot has ended, if anything is; in turns, too: results that
 * wait for it take memory
 * @throws ReadAbandoned once the answer is no longer wanted
 * @throws TooManyReads where it would have to wait for its turn behind too many others of the client
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
        // Not kept open meanwhile: a snapshot keeps the writer out.
        read.return(undefined as T);
        await turn;
      }
      hasTurn = true;
      if (!turn) await nextTurn();
      if (!client.isWanted()) throw new ReadAbandoned('nobody waits for the answer any more');
      if (turn) read = await begin();
    }
  } finally {
    read.return(undefined as T);
    if (hasTurn) queue.pass();
  }
}

/** When the event loop came round last, as far as reads have asked. */
let turnBegan: number | undefined;

/** Whether reads have taken so long since the event loop came round last that the next one has to wait until it does again. */
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

/** Goes on until the read has ended or the time has come. */
function runUntil<T>(read: Generator<void, T>, time: number): IteratorResult<void, T> {
  for (;;) {
    const step = read.next();
    if (step.done || performance.now() >= time) return step;
  }
}
