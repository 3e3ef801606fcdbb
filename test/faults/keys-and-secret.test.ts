/** keys.db and the secret, missing, damaged or replaced while the service runs: a clear error, at once, and recovery without a restart. */
import {
  chmodSync,
  copyFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { watchedSecret } from '../../src/keys/secret.ts';
import { tradeRow, World } from '../helpers.ts';

/** Maximum time until the service notices. */
const SECOND = 1000;

let world: World;
let key: string;
let clock: number;

beforeEach(() => {
  clock = 0;
  const first = new World();
  world = new World({}, { secret: watchedSecret(first.files, () => clock) });
  // One home: its keys are hashed with the secret that the service watches.
  world.files.secret = first.files.secret;
  key = world.key();
  world.insert('trades', tradeRow('t-1'), tradeRow('t-2'));
});

const ask = async (path = '/v1/me', as = key) => {
  const { status, body } = await world.ask(path, { key: as });
  return status === 200 ? 200 : [status, body.code, body.detail];
};

describe('keys.db', () => {
  test.each([
    [
      'missing',
      () => rmSync(world.files.keys),
      /it is missing; create a first key with "journal-api key create"/,
    ],
    ['empty', () => truncateSync(world.files.keys), /it is missing; create a first key/],
    [
      'no database',
      () => writeFileSync(world.files.keys, 'x'.repeat(5000)),
      /damaged or not an SQLite database/,
    ],
    ['cut short', () => truncateSync(world.files.keys, 5000), /damaged/],
    ...(process.getuid?.() === 0
      ? []
      : [
          ['unreadable', () => chmodSync(world.files.keys, 0), /cannot be read/] as const,
        ]),
  ] as const)(
    '%s is a 503 with a clear error, even for a key that was valid before',
    async (_name, spoil, words) => {
      const other = world.key();
      expect(await ask()).toBe(200);
      copyFileSync(world.files.keys, `${world.files.keys}.copy`);
      spoil();
      await sleep(150);
      for (const sent of [key, other]) {
        expect(await ask('/v1/me', sent)).toEqual([
          503,
          'journal_unavailable',
          expect.stringMatching(words),
        ]);
      }
      expect((await world.ask('/v1/me')).body.code).toBe('missing_key');
      expect((await world.ask('/v1/me', { key: 'jak_nonsense' })).body.code).toBe(
        'invalid_key',
      );
      renameSync(`${world.files.keys}.copy`, world.files.keys);
      await sleep(150);
      expect(await ask()).toBe(200);
    },
  );
});

describe('the secret', () => {
  test('replaced: its keys work, and keys and cursors of the old one no longer do', async () => {
    expect(await ask()).toBe(200);
    const cursor = (await world.ask('/v1/trades?limit=1', { key })).body.pagination
      .next_cursor;
    writeFileSync(world.files.secret, Buffer.alloc(32, 7));
    clock += SECOND;
    expect(await ask()).toEqual([401, 'invalid_key', expect.any(String)]);
    const fresh = world.key();
    expect(await ask('/v1/me', fresh)).toBe(200);
    expect(await ask(`/v1/trades?limit=1&cursor=${cursor}`, fresh)).toEqual([
      400,
      'invalid_cursor',
      expect.any(String),
    ]);
  });

  test.each([
    ['missing', () => rmSync(world.files.secret)],
    ['empty', () => truncateSync(world.files.secret)],
    ['short', () => truncateSync(world.files.secret, 31)],
  ])('%s: 503 with a clear error until it is back', async (_name, spoil) => {
    expect(await ask()).toBe(200);
    copyFileSync(world.files.secret, `${world.files.secret}.copy`);
    spoil();
    clock += SECOND;
    expect(await ask()).toEqual([
      503,
      'journal_unavailable',
      expect.stringMatching(/the secret .* restore it/),
    ]);
    expect((await world.ask('/healthz')).status).toBe(200);
    renameSync(`${world.files.secret}.copy`, world.files.secret);
    clock += SECOND;
    expect(await ask()).toBe(200);
  });
});
