import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateKey, generateKeyId, isWellFormed } from '../../src/keys/format.ts';

test('a key is jak_, 43 base62 characters and a checksum of 6', () => {
  for (let i = 0; i < 200; i++) {
    const key = generateKey();
    expect(key).toMatch(/^jak_[0-9A-Za-z]{49}$/);
    expect(isWellFormed(key)).toBe(true);
  }
});

test('no two keys and no two ids are alike', () => {
  expect(new Set(Array.from({ length: 1000 }, generateKey)).size).toBe(1000);
  expect(new Set(Array.from({ length: 1000 }, generateKeyId)).size).toBe(1000);
});

test('one wrong character is detected', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 52 }),
      fc.constantFrom(...'0aZ9kQ'),
      (at, letter) => {
        const key = generateKey();
        fc.pre(key[at] !== letter);
        expect(isWellFormed(key.slice(0, at) + letter + key.slice(at + 1))).toBe(false);
      },
    ),
  );
});

test.each([
  '',
  'jak_',
  'jak',
  'Bearer',
  `jak_${'0'.repeat(48)}`,
  `jak_${'0'.repeat(50)}`,
  `JAK_${'0'.repeat(49)}`,
  `jak_${'é'.repeat(49)}`,
])('%j is no key', (text) => {
  expect(isWellFormed(text)).toBe(false);
});
