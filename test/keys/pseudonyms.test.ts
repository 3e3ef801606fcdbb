import { expect, test } from 'vitest';
import {
  EXAMPLE_SYMBOL,
  isIdPseudonym,
  isSymbolPseudonym,
  Memo,
  Pseudonyms,
} from '../../src/keys/lens.ts';

const SEED = Buffer.alloc(32, 1);
const EXAMPLE_ID = 'id-k3v9qdk3v9qdk';

const hidden = () => true;

test('a name has the same pseudonym each time, by its kind and the seed', () => {
  const [some, same, others] = [
    new Pseudonyms(SEED),
    new Pseudonyms(SEED),
    new Pseudonyms(Buffer.alloc(32, 2)),
  ];
  expect(same.ofSymbol('AAPL')).toBe(some.ofSymbol('aapl'));
  expect(
    new Set([some.ofSymbol('aapl'), some.ofSymbol('msft'), others.ofSymbol('aapl')]).size,
  ).toBe(3);
  expect(some.ofLabel('aapl', hidden).slice(6)).not.toBe(some.ofSymbol('aapl').slice(4));
  expect([
    some.ofSymbol('aapl'),
    some.ofLabel('aapl', hidden),
    some.ofLabel('gap', () => false),
    some.ofId('aapl'),
  ]).toEqual([
    expect.stringMatching(/^sym-[a-z2-9]{6}$/),
    expect.stringMatching(/^label-[a-z2-9]{6}$/),
    'gap',
    expect.stringMatching(/^id-[a-z2-9]{13}$/),
  ]);
});

test('of names whose pseudonyms would be the same, all but one have longer ones, whatever is asked first', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `s${i}`);
  const [some, other] = [names, names.toReversed()].map(
    (all) => new Pseudonyms(Buffer.alloc(32, 9), all),
  ) as [Pseudonyms, Pseudonyms];
  const given = names.map((name) => some.ofSymbol(name));
  expect(new Set(given).size).toBe(names.length);
  const longer = given.filter((pseudonym) => pseudonym.length > 'sym-123456'.length);
  expect(longer.length).toBeGreaterThan(0);
  expect(names.toReversed().map((name) => other.ofSymbol(name))).toEqual(
    given.toReversed(),
  );
  expect(given.every(isSymbolPseudonym)).toBe(true);
  const labels = names.slice(0, 9000).map((name) => some.ofLabel(name, hidden));
  expect(new Set(labels).size).toBe(labels.length);
});

test('ids are found by pseudonyms given lately; older ones are forgotten, not wrong', () => {
  const pseudonyms = new Pseudonyms(SEED);
  const given = Array.from({ length: 50_000 }, (_, i) => pseudonyms.ofId(`t${i}`));
  const found = given.map((pseudonym) => pseudonyms.idOf(pseudonym));
  expect(found.slice(-10_000)).toEqual(
    Array.from({ length: 10_000 }, (_, i) => `t${40_000 + i}`),
  );
  expect(found[0]).toBeUndefined();
  pseudonyms.noteAbsent(EXAMPLE_ID);
  expect([pseudonyms.idOf(EXAMPLE_ID), isIdPseudonym(EXAMPLE_ID)]).toEqual([null, true]);
});

test('what is asked for again and again is kept, what is not is forgotten', () => {
  const memo = new Memo<number>();
  memo.set('asked', 1);
  memo.set('left', 2);
  for (let i = 0; i < 30_000; i++) {
    memo.set(`n${i}`, i);
    if (i % 5000 === 0) memo.get('asked');
  }
  expect([memo.get('asked'), memo.get('left')]).toEqual([1, undefined]);
});

test.each([
  [EXAMPLE_SYMBOL, true],
  ['SYM-K3V9QD', true],
  ['sym-k3v9q', false],
  ['AAPL', false],
  ['sym-AAPL L', false],
  ['label-k3v9qd', false],
  ['', false],
])('"%s" may be a pseudonym of a symbol: %s', (text, isOne) =>
  expect(isSymbolPseudonym(text)).toBe(isOne),
);
