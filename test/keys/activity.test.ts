/** What keys have read: counts by day and path. */
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { KeyReader } from '../../src/keys/key-reader.ts';
import { openSecret } from '../../src/keys/secret.ts';
import {
  type Activity,
  listActivity,
  MAX_ROWS_A_DAY,
  PendingActivity,
  writeUses,
} from '../../src/keys/store.ts';
import { respondToMcp } from '../../src/mcp/transports.ts';
import { DAY, NOW, tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';

/** A world whose keys are flushed by the test. */
class ReadWorld extends World {
  override readonly keys: KeyReader;

  constructor() {
    const keys = { reader: undefined as KeyReader | undefined };
    super(
      {},
      {
        keys: {
          find: (key, secret) => keys.reader!.find(key, secret),
          touch: (key, now) => keys.reader!.touch(key, now),
          countRead: (...read) => keys.reader!.countRead(...read),
        },
      },
    );
    this.keys = new KeyReader(this.files.keys);
    keys.reader = this.keys;
  }

  rows(): Activity[] {
    this.keys.flush();
    return listActivity(this.files.keys);
  }
}

const row = (path: string, requests: number, records: number, date = '2026-11-20') => ({
  ...{ id: 'key_1', name: 'test', date, path, requests, records },
});

test('counts successful requests and their records by day and path, without queries', async () => {
  const world = new ReadWorld();
  const key = world.key(undefined, 'me', 'key_1');
  world.insert('trades', ...[1, 2, 3].map((n) => tradeRow(`t-${n}`)));
  const ask = async (path: string, status: number, more = {}) => {
    const reply = await world.ask(path, { key, ...more });
    expect(reply.status).toBe(status);
    return reply;
  };
  const { headers } = await ask('/v1/trades?symbol=AAPL', 200);
  // The second and third request are answered from the cache.
  for (let i = 0; i < 2; i++) await ask('/v1/trades?symbol=AAPL', 200);
  await ask('/v1/trades?symbol=AAPL', 304, {
    headers: { 'If-None-Match': headers.get('ETag') },
  });
  await ask('/v1/trades?limit=2', 200, { method: 'HEAD' });
  await ask('/v1/trades/t-1', 200);
  await ask('/v1/trades/t-2', 200);
  await ask('/v1/summary', 200);
  await ask('/v1/trades/t-9', 404);
  await ask('/v1/trades?limit=0', 400);
  await ask('/v1/secret-words', 404);
  const first = [
    row('/v1/summary', 1, 0),
    row('/v1/trades', 5, 9),
    row('/v1/trades/{id}', 2, 2),
  ];
  expect(world.rows()).toEqual(first);
  world.now = NOW + DAY;
  await ask('/v1/trades', 200);
  expect(world.rows()).toEqual([row('/v1/trades', 1, 3, '2026-11-21'), ...first]);
});

test("requests of an agent's tools count under its key", async () => {
  const world = new ReadWorld();
  const key = world.key(undefined, 'me', 'key_1');
  world.insert('trades', tradeRow('t-1'));
  const app = createApp({
    ...{
      rateLimit: 0,
      corsOrigins: [],
      trustProxy: false,
      allowedHosts: [],
      now: () => world.now,
    },
    ...{
      journal: openJournal(world.files.journal),
      keys: world.keys,
      secret: openSecret(world.files),
    },
    protocols: [
      {
        path: '/mcp',
        respond: (request, ask) =>
          respondToMcp(request, ask, {
            now: () => world.now,
            onError: (error) => expect.fail(String(error)),
          }),
      },
    ],
  });
  const call = { name: 'find_trades', arguments: {} };
  const response = await app.request('/mcp', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  expect(await response.text()).toContain('AAPL');
  expect(world.rows()).toContainEqual(row('/v1/trades', 1, 1));
});

test('keeps 90 days, and at most 100 rows of a key and day', () => {
  const world = new World();
  world.key([], 'me', 'key_1');
  const write = (...rows: Activity[]) => writeUses(world.files.keys, new Map(), rows);
  const days = Array.from({ length: 95 }, (_, n) =>
    new Date(NOW - n * DAY).toISOString().slice(0, 10),
  );
  for (const date of days.toReversed())
    expect(write(row('/v1/me', 1, 0, date))).toBe(true);
  expect(listActivity(world.files.keys).map(({ date }) => date)).toEqual(
    days.slice(0, 90),
  );

  const named = Array.from({ length: 300 }, (_, n) => ({
    ...row('/v1/trades', 2, 3),
    name: `client ${n}`,
  }));
  for (let i = 0; i < 2; i++) write(...named);
  const today = listActivity(world.files.keys).filter(
    ({ date }) => date === '2026-11-20',
  );
  expect(today).toHaveLength(MAX_ROWS_A_DAY);
  const sum = (field: 'requests' | 'records') =>
    today.reduce((total, one) => total + one[field], 0);
  expect([sum('requests'), sum('records')]).toEqual([300 * 4 + 1, 300 * 6]);
});

test('a store of an earlier version gets activity with the first request', async () => {
  const world = new ReadWorld();
  const key = world.key(undefined, 'me', 'key_1');
  const db = new Database(world.files.keys);
  db.exec('DROP TABLE activity');
  db.close();
  expect(listActivity(world.files.keys)).toEqual([]);
  await world.ask('/v1/me', { key });
  expect(world.rows()).toEqual([row('/v1/me', 1, 0)]);
});

test('counts that cannot be written stay bounded, and are written later', async () => {
  const pending = new PendingActivity();
  for (let n = 0; n < 10_100; n++) pending.add('key_1', 'test', `/v1/${n}`, 1, NOW);
  expect(pending.rows()).toHaveLength(10_000);

  const world = new ReadWorld();
  const key = world.key(undefined, 'me', 'key_1');
  const lock = new Database(world.files.keys);
  await world.ask('/v1/me', { key });
  lock.exec('BEGIN IMMEDIATE');
  world.keys.flush();
  lock.exec('ROLLBACK');
  lock.close();
  expect(world.rows()).toEqual([row('/v1/me', 1, 0)]);
  expect(world.rows()).toEqual([row('/v1/me', 1, 0)]);
});

test('key activity and key list --json show it', async () => {
  const world = new World();
  world.key([], 'me', 'key_1');
  world.key([], 'me', 'key_2');
  const rows = [
    row('/v1/me', 2, 0),
    row('/v1/trades', 1, 50),
    row('/v1/me', 9, 0, '2026-11-19'),
  ];
  writeUses(world.files.keys, new Map(), [
    ...rows,
    { ...row('/v1/summary', 1, 0), id: 'key_2', name: 'Claude' },
  ]);
  const run = (...args: string[]) =>
    runHere(['key', ...args, '--home', world.files.home]);
  expect(JSON.parse((await run('activity', 'key_1', '--json')).stdout)).toEqual(rows);
  expect(JSON.parse((await run('activity', '--json')).stdout)).toHaveLength(4);
  expect((await run('activity', 'key_2')).stdout).toMatch(
    /DATE.*\n2026-11-20 +key_2 +Claude +\/v1\/summary +1 +0\n/,
  );
  const listed = JSON.parse((await run('list', '--json')).stdout);
  const latest = rows.slice(0, 2).map(({ id: _, ...more }) => more);
  expect(
    listed.map((one: { latest_activity: unknown }) => one.latest_activity),
  ).toContainEqual(latest);
  expect(await run('activity', 'key_9')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('unknown key key_9'),
  });
  world.key([], 'me', 'key_3');
  expect(await run('activity', 'key_3')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('No requests with key key_3'),
  });
});
