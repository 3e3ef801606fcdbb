/** Whose turn it is, without a clock. */
import { expect, test } from 'vitest';
import { TooManyReads } from '../../src/sqlite/errors.ts';
import { ReadQueue } from '../../src/sqlite/read-queue.ts';

/** Queues clients, then passes the turn on until the queue is empty; returns the owners in order. */
async function turnsOf(...owners: string[]): Promise<string> {
  const queue = new ReadQueue();
  const turns: string[] = [];
  const waiting = owners.map((owner, i) => {
    const turn = queue.take({ owner, name: `${owner}${i}`, isWanted: () => true });
    return (turn ?? Promise.resolve()).then(() => turns.push(owner));
  });
  for (const _ of owners) {
    await new Promise((resume) => setImmediate(resume));
    queue.pass();
  }
  await Promise.all(waiting);
  return turns.join('');
}

test.each([
  ['a', 'a'],
  ['aaa', 'aaa'],
  ['aaaaaab', 'abaaaaa'],
  ['aaabbbc', 'abcabab'],
  ['abcabc', 'abcabc'],
])('%s come in that order and go in the order %s', async (come, go) => {
  expect(await turnsOf(...come)).toBe(go);
});

test('a ninth read of one key is refused, unless a waiting one was abandoned', () => {
  const queue = new ReadQueue();
  let isWanted = true;
  const client = { owner: 'a', name: 'key', isWanted: () => isWanted };
  expect(queue.take(client)).toBeUndefined();
  for (let i = 0; i < 8; i++) expect(queue.take(client)).toBeInstanceOf(Promise);
  expect(() => queue.take(client)).toThrow(TooManyReads);
  expect(queue.take({ ...client, name: 'another key' })).toBeInstanceOf(Promise);
  isWanted = false;
  expect(queue.take(client)).toBeInstanceOf(Promise);
});
