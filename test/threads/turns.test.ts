/** Whose turn it is, without a clock. */
import { expect, test } from 'vitest';
import { ReadAbandoned, TooManyReads } from '../../src/sqlite/errors.ts';
import { Turns, type Waiting } from '../../src/threads/turns.ts';

const readOf = (owner: string, name: string, isWanted = () => true): Waiting => ({
  client: { owner, name, isWanted },
  reject: () => undefined,
});

/** The first owner begins at once, the others wait; returns the owners in the order of their turns. */
function turnsOf(first: string, ...owners: string[]): string {
  const turns = new Turns();
  turns.add(readOf(first, 'first'));
  const order = [turns.next()?.client.owner];
  for (const [i, owner] of owners.entries()) turns.add(readOf(owner, `${owner}${i}`));
  for (let next = turns.next(); next; next = turns.next()) order.push(next.client.owner);
  return order.join('');
}

test.each([
  ['a', 'a'],
  ['aaa', 'aaa'],
  ['aaaaaab', 'abaaaaa'],
  ['aaabbbc', 'abcabab'],
  ['abcabc', 'abcabc'],
])('%s come in that order and go in the order %s', (come, go) => {
  const [first = '', ...owners] = come;
  expect(turnsOf(first, ...owners)).toBe(go);
});

test('a ninth waiting read of one key is refused, unless a waiting one was abandoned', () => {
  const turns = new Turns();
  let isWanted = true;
  for (let i = 0; i < 8; i++) turns.add(readOf('a', 'key', () => isWanted));
  expect(() => turns.add(readOf('a', 'key'))).toThrow(TooManyReads);
  turns.add(readOf('a', 'another key'));
  isWanted = false;
  turns.add(readOf('a', 'key'));
});

test('abandoned reads are dropped, the others keep their order', () => {
  const turns = new Turns();
  const refused: Error[] = [];
  for (const [i, isWanted] of [true, false, true, false].entries())
    turns.add({
      ...readOf('a', `key ${i}`, () => isWanted),
      reject: (error) => refused.push(error),
    });
  turns.dropAbandoned();
  expect(refused).toEqual([new ReadAbandoned(), new ReadAbandoned()]);
  expect(
    [turns.next(), turns.next(), turns.next()].map((read) => read?.client.name),
  ).toEqual(['key 0', 'key 2', undefined]);
});
