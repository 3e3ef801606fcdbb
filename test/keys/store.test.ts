/** Keys in keys.db, even if other programs write it. */
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { KeyReader } from '../../src/keys/key-reader.ts';
import { listKeys, type StoredKey, stateOf, writeUses } from '../../src/keys/store.ts';
import { toInstantText } from '../../src/time.ts';
import { DAY, NOW, World } from '../helpers.ts';

const KEY: StoredKey = {
  id: 'key_1',
  user_id: 'me',
  name: 'k',
  scopes: [],
  created_at: toInstantText(NOW - DAY),
  expires_at: toInstantText(NOW + DAY),
  revoked_at: null,
  last_used_at: null,
  lens: null,
  seed: null,
};

test.each([
  ['in the future', {}, 'active'],
  ['this very moment', { expires_at: toInstantText(NOW) }, 'expired'],
  ['that is not a time', { expires_at: 'soon' }, 'expired'],
  ['that is empty', { expires_at: '' }, 'expired'],
  [
    'that is not a time, revoked',
    { expires_at: 'soon', revoked_at: toInstantText(NOW) },
    'revoked',
  ],
] as const)('an expiry %s', (_what, changes, state) => {
  expect(stateOf({ ...KEY, ...changes }, NOW)).toBe(state);
});

test("a key with a damaged expiry doesn't work", async () => {
  const world = new World();
  const key = world.key(['trades:read']);
  const db = new Database(world.files.keys);
  db.exec("UPDATE keys SET expires_at = 'soon'");
  db.close();
  expect(await world.ask('/v1/trades', { key })).toMatchObject({
    status: 401,
    body: { code: 'expired_key' },
  });
});

test('a damaged last use counts as none', async () => {
  const world = new World();
  const key = world.key(['trades:read']);
  const db = new Database(world.files.keys);
  db.exec("UPDATE keys SET last_used_at = 'soon'");
  db.close();
  const { status, body } = await world.ask('/v1/me', { key });
  expect([status, body.data.key.last_used_at]).toEqual([200, null]);
});

describe('last use', () => {
  const lastUse = (world: World) => listKeys(world.files.keys)[0]?.last_used_at;

  test('never goes back, whichever server writes last', () => {
    const world = new World();
    world.key(['trades:read'], 'me', 'key_1');
    for (const [at, expected] of [
      [NOW, NOW],
      [NOW - DAY, NOW],
      [NOW + DAY, NOW + DAY],
    ] as const) {
      expect(writeUses(world.files.keys, new Map([['key_1', at]]))).toBe(true);
      expect(lastUse(world)).toBe(toInstantText(expected));
    }
  });

  test.each([
    [true, toInstantText(NOW)],
    [false, null],
  ])('is written: %s', (writesUses, expected) => {
    const world = new World();
    world.key(['trades:read'], 'me', 'key_1');
    const reader = new KeyReader(world.files.keys, writesUses);
    reader.touch(KEY, NOW);
    reader.close();
    expect(lastUse(world)).toBe(expected);
  });
});
