/** Responses are cached, and never sent after their data has changed. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ResponseBody } from '../../src/http/reply.ts';
import { ALWAYS, ResponseCache } from '../../src/http/response-cache.ts';
import { revokeKey } from '../../src/keys/store.ts';
import { ReadOnlyFile } from '../../src/sqlite/read-only-file.ts';
import { DAY, NOW, tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

beforeEach(() => {
  world = new World();
  key = world.key();
  world.insert('trades', tradeRow('t'));
});

const notes = async () =>
  (await thrice('/v1/trades')).data.map((trade: any) => trade.notes).join();
/** The second request caches a response, so the third one comes from the cache. */
async function thrice(url: string): Promise<any> {
  const first = await world.ask(url, { key });
  expect(first.status).toBe(200);
  for (let i = 0; i < 2; i++)
    expect(await world.ask(url, { key })).toMatchObject({
      status: 200,
      body: first.body,
    });
  return first.body;
}

const write = (note: string) => world.db.prepare('UPDATE trades SET notes = ?').run(note);

describe.each(['DELETE', 'WAL'])('a journal in mode %s', (mode) => {
  beforeEach(() => {
    world.db.pragma(`journal_mode = ${mode}`);
    world.db.pragma('synchronous = OFF');
  });

  test('is not read for a cached response', async () => {
    await thrice('/v1/trades');
    const reads = vi.spyOn(ReadOnlyFile.prototype, 'readLong');
    onTestFinished(() => reads.mockRestore());
    for (let i = 0; i < 5; i++)
      expect((await world.ask('/v1/trades', { key })).status).toBe(200);
    expect(reads).not.toHaveBeenCalled();
    write('new');
    expect(await notes()).toBe('new');
    expect(reads).toHaveBeenCalledTimes(2);
  });

  test('each commit is in the next response, a hundred times', async () => {
    for (let i = 0; i < 100; i++) {
      write(`note ${i}`);
      expect(await notes()).toBe(`note ${i}`);
    }
  });

  test('a response is that of the last commit, whatever writers do', async () => {
    const step = fc.oneof(
      fc.record({
        act: fc.constant('commit' as const),
        note: fc.stringMatching(/^[a-z]{1,5}$/),
      }),
      fc.record({
        act: fc.constant('roll back' as const),
        note: fc.stringMatching(/^[a-z]{1,5}$/),
      }),
      fc.record({
        act: fc.constant('spill and roll back' as const),
        note: fc.stringMatching(/^[a-z]{1,5}$/),
      }),
      fc.record({
        act: fc.constant('overwrite' as const),
        note: fc.stringMatching(/^[a-z]{1,5}$/),
      }),
      fc.record({ act: fc.constant('checkpoint' as const), note: fc.constant('') }),
      fc.record({ act: fc.constant('read' as const), note: fc.constant('') }),
    );
    const { journal } = world.files;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        write('begin');
        let last = 'begin';
        for (const { act, note } of steps) {
          if (act === 'commit') {
            write(note);
            last = note;
          } else if (act === 'roll back') {
            world.db.exec('BEGIN IMMEDIATE');
            write(note);
            world.db.exec('ROLLBACK');
          } else if (act === 'spill and roll back') {
            // Pages reach the file before a commit that never happens; a request in the meantime waits for the end.
            world.db.exec(
              'PRAGMA cache_spill = ON; PRAGMA cache_size = 1; BEGIN IMMEDIATE',
            );
            write(note);
            for (let i = 0; i < 30; i++)
              world.insert('trades', tradeRow(`x${i}`, { notes: 'x'.repeat(3000) }));
            const meanwhile = world.ask('/v1/trades?limit=3', { key });
            await new Promise((resume) => setImmediate(resume));
            world.db.exec('ROLLBACK');
            expect((await meanwhile).body.data.map((trade: any) => trade.notes)).toEqual([
              last,
            ]);
          } else if (act === 'checkpoint') {
            world.db.pragma('wal_checkpoint(TRUNCATE)');
          } else if (act === 'overwrite' && mode === 'DELETE') {
            // The same file and number of commits with other bytes, as after a restore in place.
            copyFileSync(journal, `${journal}.copy`);
            const bytes = readFileSync(`${journal}.copy`);
            write(note);
            writeFileSync(journal, bytes);
            world.db.pragma('shrink_memory');
          }
          const seen = await notes();
          if (act !== 'overwrite' || mode === 'WAL') expect(seen).toBe(last);
          last = seen;
          expect((await world.ask('/v1/trades/t', { key })).body.data.notes).toBe(last);
        }
      }),
      { numRuns: 20 },
    );
  });
});

test("a period moves at midnight in the user's time zone", async () => {
  world.db.exec("UPDATE users SET timezone = 'America/New_York'");
  const end = async () =>
    (await world.ask('/v1/summary?days=1', { key })).body.data.period.end;
  world.now = Date.parse('2026-11-21T04:59:59.999Z');
  expect(await end()).toBe('2026-11-21T05:00:00.000Z');
  world.now++;
  expect(await end()).toBe('2026-11-22T05:00:00.000Z');
  world.now--;
  expect(await end()).toBe('2026-11-21T05:00:00.000Z');
});

test('an option counts as expired from 16:00 in New York', async () => {
  world.db.exec(
    "UPDATE trades SET status = 'open', closed_at = NULL, exit_price = NULL, market = 'option', expiration = '2026-11-20'",
  );
  const at = Date.parse('2026-11-20T21:00:00.000Z');
  for (const [time, expired] of [
    [at - 1, 0],
    [at, 1],
    [at - 1, 0],
  ] as const) {
    world.now = time;
    expect((await thrice('/v1/analytics/summary')).data.data_quality.expired_open).toBe(
      expired,
    );
    expect((await thrice('/v1/summary')).data.data_quality.expired_open).toBe(expired);
  }
});

describe('a cached response is not sent', () => {
  test('to another user, with other scopes, or without a key', async () => {
    world.addUser('you');
    expect((await thrice('/v1/trades/t')).data.journals).toEqual([]);
    const narrow = world.key(['trades:read']);
    expect((await world.ask('/v1/trades/t', { key: narrow })).body.data.withheld).toEqual(
      ['journals:read'],
    );
    expect(
      (await world.ask('/v1/trades/t', { key: world.key(['journals:read']) })).status,
    ).toBe(403);
    expect(
      (await world.ask('/v1/trades/t', { key: world.key(undefined, 'you') })).status,
    ).toBe(404);
    expect((await world.ask('/v1/trades/t')).status).toBe(401);
  });

  test('to a key that was revoked or has expired since', async () => {
    const mine = world.key(undefined, 'me', 'key_mine');
    await thrice('/v1/trades');
    expect((await world.ask('/v1/trades', { key: mine })).status).toBe(200);
    revokeKey(world.files.keys, 'key_mine', world.now);
    expect((await world.ask('/v1/trades', { key: mine })).body.code).toBe('revoked_key');
    expect((await world.ask('/v1/trades', { key })).status).toBe(200);
    world.now = NOW + 30 * DAY;
    expect((await world.ask('/v1/trades', { key })).body.code).toBe('expired_key');
  });

  test('for another method', async () => {
    await thrice('/v1/trades');
    expect((await world.ask('/v1/trades', { key, method: 'DELETE' })).status).toBe(405);
  });
});

test('a page is cached by its second request, until the journal changes', () => {
  const cache = new ResponseCache();
  const body = new ResponseBody('{}', 'application/json', true);
  cache.setIfRepeated('/a', body, 1, ALWAYS);
  expect(cache.get('/a', 1, 0)).toBeUndefined();
  cache.setIfRepeated('/a', body, 2, ALWAYS);
  expect(cache.get('/a', 2, 0)).toBeUndefined();
  cache.setIfRepeated('/a', body, 2, ALWAYS);
  expect(cache.get('/a', 2, 0)).toBe(body);
  expect(cache.get('/a', 3, 0)).toBeUndefined();
  // A client that reads all pages of a journal adds nothing to the cache.
  for (let i = 0; i < 5000; i++) cache.setIfRepeated(`/${i}`, body, 3, ALWAYS);
  cache.setIfRepeated('/0', body, 3, ALWAYS);
  expect(cache.get('/0', 3, 0)).toBeUndefined();
});

test('the cache has a maximum size, and drops the least recently used first', () => {
  const cache = new ResponseCache();
  const body = new ResponseBody('x'.repeat(500_000), 'application/json', true);
  for (let i = 0; i < 100; i++) {
    cache.set(`/${i}`, body, 1, ALWAYS);
    cache.get('/0', 1, 0);
  }
  const kept = Array.from({ length: 100 }, (_, i) => i).filter((i) =>
    cache.get(`/${i}`, 1, 0),
  );
  expect(kept).toContain(0);
  expect(kept).toContain(99);
  expect(kept).not.toContain(1);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThan(34);
  cache.set(
    '/huge',
    new ResponseBody('x'.repeat(3_000_000), 'application/json', true),
    1,
    ALWAYS,
  );
  expect(cache.get('/huge', 1, 0)).toBeUndefined();
});

test('bodies of an earlier version are dropped with the first of a later one', () => {
  const cache = new ResponseCache();
  const body = new ResponseBody('x'.repeat(500_000), 'application/json', true);
  cache.set('/docs', body, 0, ALWAYS);
  for (let version = 1; version < 100; version++)
    cache.set(`/${version}`, body, version, ALWAYS);
  // With the earlier ones this would be the oldest entry, and evicted.
  expect(cache.get('/docs', 0, 0)).toBe(body);
  expect(cache.get('/99', 99, 0)).toBe(body);
  for (let version = 1; version < 99; version++)
    expect(cache.get(`/${version}`, version, 0)).toBeUndefined();
});
