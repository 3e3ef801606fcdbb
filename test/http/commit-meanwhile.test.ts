/** Another program commits during a request: its response may be from before or after, the next one is from after. */
import Database from 'better-sqlite3';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { KeyReader } from '../../src/keys/key-reader.ts';
import { openSecret } from '../../src/keys/secret.ts';
import { revokeKey } from '../../src/keys/store.ts';
import { ReadOnlyFile } from '../../src/sqlite/read-only-file.ts';
import { tradeRow, World } from '../helpers.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

// Readers of a rollback journal block writers until they finish.
const MOMENTS = [
  ['DELETE', 'before its snapshot'],
  ['WAL', 'before its snapshot'],
  ['WAL', 'in its snapshot, before it reads'],
  ['WAL', 'in its snapshot, after it has read'],
] as const;

describe.each([
  // A list is cached by its second request, figures by their first.
  ['/v1/trades', 1],
  ['/v1/summary', 0],
  ['/v1/analytics/summary', 0],
] as const)('%s', (url, before) => {
  test.each(MOMENTS)('%s, %s', async (mode, moment) => {
    const world = new World();
    world.db.pragma(`journal_mode = ${mode}`);
    const key = world.key();
    world.insert('trades', tradeRow('old', { symbol: 'OLD' }));
    for (let i = 0; i < before; i++)
      expect((await world.ask(url, { key })).text).toContain('OLD');

    const commit = (at: string) => {
      if (at === moment) world.insert('trades', tradeRow('new', { symbol: 'NEW' }));
    };
    const { readLong } = ReadOnlyFile.prototype;
    const read = vi
      .spyOn(ReadOnlyFile.prototype, 'readLong')
      .mockImplementationOnce(function (this: ReadOnlyFile, fn, client) {
        commit('before its snapshot');
        const pass: typeof fn = (reader) => {
          commit('in its snapshot, before it reads');
          const answer = fn(reader);
          commit('in its snapshot, after it has read');
          return answer;
        };
        return readLong.call(this, pass, client) as never;
      });
    const meanwhile = await world.ask(url, { key });
    expect(read).toHaveBeenCalledTimes(1);
    expect(meanwhile.text.includes('NEW')).toBe(moment === 'before its snapshot');
    for (let i = 0; i < 3; i++)
      expect((await world.ask(url, { key })).text).toContain('NEW');
  });
});

test.each(MOMENTS)('a key revoked during a request: %s, %s', async (mode, moment) => {
  const world = new World();
  const key = world.key(['trades:read'], 'me', 'key_mine');
  const keys = new Database(world.files.keys);
  keys.pragma(`journal_mode = ${mode}`);
  keys.close();
  const revoke = (at: string) => {
    if (at === moment) revokeKey(world.files.keys, 'key_mine', world.now);
  };
  const { readAsync } = ReadOnlyFile.prototype;
  vi.spyOn(ReadOnlyFile.prototype, 'readAsync').mockImplementationOnce(function (
    this: ReadOnlyFile,
    fn,
  ) {
    expect(this.path).toBe(world.files.keys);
    revoke('before its snapshot');
    return readAsync.call(this, (reader) => {
      revoke('in its snapshot, before it reads');
      const found = fn(reader);
      revoke('in its snapshot, after it has read');
      return found;
    }) as never;
  });
  expect((await world.ask('/v1/trades', { key })).status).toBe(
    moment === 'before its snapshot' ? 401 : 200,
  );
  for (let i = 0; i < 3; i++)
    expect((await world.ask('/v1/trades', { key })).body.code).toBe('revoked_key');
});

test('a key revoked during its lookup, with a request of another key in between', async () => {
  const world = new World();
  const [mine, other] = [world.key(['trades:read'], 'me', 'key_mine'), world.key()];
  const keys = new Database(world.files.keys);
  keys.pragma('journal_mode = WAL');
  keys.close();
  const reader = new KeyReader(world.files.keys);
  onTestFinished(() => reader.close());
  const secret = openSecret(world.files);
  const find = (key: string) => reader.find(key, secret);
  await find(other);
  // In a new turn of the event loop without long work, a read begins immediately.
  await new Promise((resume) => setImmediate(resume));
  // Its snapshot is taken now, and read later.
  const before = find(mine);
  revokeKey(world.files.keys, 'key_mine', world.now);
  expect(await find(other)).toMatchObject({ revoked_at: null });
  expect(await before).toMatchObject({ revoked_at: null });
  expect(await find(mine)).toMatchObject({ revoked_at: '2026-11-20T15:00:00.000Z' });
});
