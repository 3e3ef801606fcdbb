import { expect, test } from 'vitest';
import { EXAMPLE_SYMBOL, isSymbolPseudonym, Pseudonyms } from '../../src/keys/lens.ts';

const SEED = Buffer.alloc(32, 1);

test('a name has the same pseudonym each time, by its kind and the seed', () => {
  const [some, same, others] = [new Pseudonyms(SEED), new Pseudonyms(SEED), new Pseudonyms(Buffer.alloc(32, 2))];
  expect(same.ofSymbol('aapl')).toBe(some.ofSymbol('aapl'));
  expect(new Set([some.ofSymbol('aapl'), some.ofSymbol('msft'), others.ofSymbol('aapl')]).size).toBe(3);
  expect(some.ofLabel('aapl').slice(6)).not.toBe(some.ofSymbol('aapl').slice(4));
  expect([some.ofSymbol('aapl'), some.ofLabel('aapl'), some.ofId('aapl')]).toEqual([
    expect.stringMatching(/^sym-[a-z2-9]{6}$/),
    expect.stringMatching(/^label-[a-z2-9]{6}$/),
    expect.stringMatching(/^id-[a-z2-9]{13}$/),
  ]);
});

test('of two symbols whose pseudonyms would be the same, the second has a longer one, and each keeps its own', () => {
  const pseudonyms = new Pseudonyms(Buffer.alloc(32, 9));
  const names = Array.from({ length: 20_000 }, (_, i) => `s${i}`);
  const given = names.map((name) => pseudonyms.ofSymbol(name));
  expect(new Set(given).size).toBe(names.length);
  const longer = given.filter((pseudonym) => pseudonym.length > 'sym-123456'.length);
  expect(longer.length).toBeGreaterThan(0);
  expect(names.map((name) => pseudonyms.ofSymbol(name))).toEqual(given);
  expect(given.every(isSymbolPseudonym)).toBe(true);
});

test.each([
  [EXAMPLE_SYMBOL, true],
  ['SYM-K3V9QD', true],
  ['sym-k3v9q', false],
  ['AAPL', false],
  ['sym-AAPL L', false],
  ['label-k3v9qd', false],
  ['', false],
])('"%s" may be a pseudonym of a symbol: %s', (text, isOne) => expect(isSymbolPseudonym(text)).toBe(isOne));
