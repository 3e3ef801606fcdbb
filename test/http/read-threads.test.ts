/** Long reads on other threads: the same responses, while the main thread goes on; what ends a thread, and what doesn't. */
import { spawn } from 'node:child_process';
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ReadThreads } from '../../src/http/read-threads.ts';
import { ResponseBody } from '../../src/http/reply.ts';
import { listen } from '../../src/http/server.ts';
import { openJournal } from '../../src/journal/journal.ts';
import type { Limits } from '../../src/threads/pool.ts';
import { tradeRow, World } from '../helpers.ts';

/** A world whose long reads run on threads, and these. */
function threaded(
  most = 1,
  limits: Partial<Limits> = {},
): { world: World; threads: ReadThreads } {
  let threads: ReadThreads | undefined;
  const world = new World({}, ({ journal }) => {
    threads = new ReadThreads(journal, most, limits);
    return { threads };
  });
  onTestFinished(() => threads?.close());
  return { world, threads: threads as ReadThreads };
}

const filled = new Map<number, Buffer>();

/** Trades a minute apart with some symbols and tags, on many days; written once, then copied. */
async function fill(world: World, trades: number): Promise<void> {
  const bytes = filled.get(trades);
  if (bytes) {
    const copy = new Database(bytes);
    await copy.backup(world.files.journal);
    copy.close();
    return;
  }

  world.insert('trades', tradeRow('t', { tags: '["plan"]', notes: 'first' }));
  world.db.exec(`
    INSERT INTO trades (id, user_id, symbol, setup, tags, market, side, status, executed_at, closed_at, quantity, entry_price, exit_price, open_quantity, currency, gross_pnl, initial_risk)
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${trades - 1})
    SELECT 't' || i, user_id, 'S' || (i % 40), 's' || (i % 30), '["tag ' || (i % 300) || '"]', market, side, status, at, at, quantity, entry_price, exit_price, open_quantity, currency, i * 7919 % 201 - 100, 50
    FROM (SELECT *, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-06-01', (i * 7) || ' minutes') AS at FROM n, trades WHERE id = 't')`);
  filled.set(trades, world.db.serialize());
}

const LEAKS = '/v1/analytics/summary?sections=leaks';

const PATHS = [
  '/v1/me',
  '/v1/trades?limit=3',
  '/v1/trades/t1',
  '/v1/trades/none',
  '/v1/trades?sort=net_pnl&limit=3',
  '/v1/trades?tag=plan',
  '/v1/trades?tag=nothing',
  '/v1/trades?symbol=none',
  '/v1/trades?q=first',
  '/v1/sessions',
  '/v1/labels',
  '/v1/summary?days=300',
  `${LEAKS},performance,simulation`,
  '/v1/analytics/summary?group_by=symbol&top=3',
];

test.each([
  ['', null],
  [
    'with a lens',
    { accounts: null, since: '2026-06-03', hides: ['symbols', 'texts'] } as const,
  ],
])(
  'responses are the same bytes, headers and errors as without threads %s',
  async (_, lens) => {
    const { world, threads } = threaded();
    const read = vi.spyOn(threads, 'read');
    const without = new World();
    await fill(world, 300);
    await fill(without, 300);
    for (const { db } of [world, without])
      db.exec('UPDATE trades SET created_at = executed_at, updated_at = executed_at');
    const [key, other] = [world, without].map((one) =>
      one.key(undefined, 'me', 'key_a', lens),
    ) as [string, string];
    for (const path of PATHS) {
      for (const headers of [{}, { Accept: 'text/csv' }] as Record<string, string>[]) {
        const [here, there] = [
          await without.ask(path, { key: other, headers, lens: lens !== null }),
          await world.ask(path, { key, headers, lens: lens !== null }),
        ];
        const known = (text: string) =>
          text.replace(/"(next_cursor|request_id|last_used_at)":"[^"]*"/g, '');
        expect([path, there.status, known(there.text)]).toEqual([
          path,
          here.status,
          known(here.text),
        ]);
        if (
          here.status === 200 &&
          !here.text.includes('next_cursor":"') &&
          path !== '/v1/me'
        )
          expect(there.headers.get('ETag')).toBe(here.headers.get('ETag'));
      }
    }
    expect(read).toHaveBeenCalled();
  },
);

test('a long response is compressed by its thread', async () => {
  const { world } = threaded();
  await fill(world, 2000);
  const headers = { Authorization: `Bearer ${world.key()}`, Accept: 'text/csv' };
  const path = '/v1/trades?limit=2000';
  const gzipSync = vi.spyOn(ResponseBody.prototype, 'compress');
  const compressed = await world.app.request(path, {
    headers: { ...headers, 'Accept-Encoding': 'gzip' },
  });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  expect(gzipSync).not.toHaveBeenCalled();
  const plain = await world.app.request(path, { headers });
  expect(gunzipSync(await compressed.arrayBuffer()).toString()).toBe(await plain.text());
});

test('the next page of a list that a thread has read follows from its cursor', async () => {
  const { world } = threaded();
  await fill(world, 300);
  const key = world.key();
  const first = await world.ask('/v1/trades?sort=net_pnl&limit=3', { key });
  const next = await world.ask(
    `/v1/trades?sort=net_pnl&limit=3&cursor=${first.body.pagination.next_cursor}`,
    { key },
  );
  const both = await world.ask('/v1/trades?sort=net_pnl&limit=6', { key });
  expect([...first.body.data, ...next.body.data]).toEqual(both.body.data);
});

test('what an index serves is read at once, while a thread reads what takes long', async () => {
  const { world, threads } = threaded();
  await fill(world, 5000);
  const key = world.key();
  const read = vi.spyOn(threads, 'read');
  const order: string[] = [];
  const long = world.ask(LEAKS, { key }).then(() => order.push('leaks'));
  for (const path of [
    '/v1/me',
    '/v1/trades',
    '/v1/trades?symbol=S1',
    '/v1/trades/t1',
    '/v1/trades?start=2026-06-02',
  ])
    expect((await world.ask(path, { key })).status).toBe(200);
  order.push('five others');
  await long;
  expect(order).toEqual(['five others', 'leaks']);
  expect(read).toHaveBeenCalledTimes(1);
});

test('a key with pseudonyms has short reads once a thread has found its symbols, until the journal changes', async () => {
  const { world, threads } = threaded();
  await fill(world, 500);
  const key = world.key(undefined, 'me', 'key_a', {
    accounts: null,
    since: null,
    hides: ['symbols'],
  });
  const read = vi.spyOn(threads, 'read');
  const ask = (path: string) => world.ask(path, { key, lens: true });
  const pages = [await ask('/v1/trades?limit=5'), await ask('/v1/trades?limit=4')];
  expect(read).toHaveBeenCalledTimes(1);
  expect(pages[0]?.body.data.slice(0, 4)).toEqual(pages[1]?.body.data);
  expect(pages[0]?.text).not.toContain('"S1"');
  const [{ id, symbol }] = pages[1]?.body.data ?? [];
  expect((await ask(`/v1/trades/${id}`)).body.data.symbol).toBe(symbol);
  expect(read).toHaveBeenCalledTimes(1);

  // Not shown before by this thread.
  const older = (await ask('/v1/trades?sort=net_pnl&limit=1')).body.data[0];
  expect((await ask(`/v1/trades/${older.id}`)).body.data).toMatchObject(older);
  world.db.exec("UPDATE trades SET symbol = 'NEWER' WHERE id = 't1'");
  const calls = read.mock.calls.length;
  await ask('/v1/trades?limit=3');
  expect(read).toHaveBeenCalledTimes(calls + 1);
});

test('a record too large for a short read is left to a thread', async () => {
  const { world, threads } = threaded();
  await fill(world, 10);
  world.db.prepare('UPDATE trades SET notes = ?').run('x'.repeat(100_000));
  const read = vi.spyOn(threads, 'read');
  expect((await world.ask('/v1/trades', { key: world.key() })).body.data).toHaveLength(
    10,
  );
  expect(read).toHaveBeenCalledTimes(1);
});

test('users take turns, and each key has a maximum of waiting reads; one more gets a Retry-After', async () => {
  const { world } = threaded();
  await fill(world, 2000);
  world.addUser('you');
  world.db.exec("UPDATE trades SET user_id = 'you' WHERE id LIKE 't%5'");
  const [greedy, yours] = [world.key(), world.key(undefined, 'you')];
  for (const key of [greedy, yours])
    expect((await world.ask('/v1/me', { key })).status).toBe(200);
  const answered: string[] = [];
  const ask = async (key: string, name: string, i: number) => {
    const reply = await world.ask(
      `/v1/analytics/summary?sections=leaks&end=2027-01-${10 + i}`,
      {
        key,
      },
    );
    if (reply.status === 200) answered.push(name);
    return reply;
  };
  const replies = Array.from({ length: 12 }, (_, i) => ask(greedy, 'greedy', i));
  replies.push(ask(yours, 'yours', 0));
  const refused = (await Promise.all(replies)).filter(({ status }) => status !== 200);
  // One is read and eight wait.
  expect(refused).toHaveLength(3);
  for (const { status, body, headers } of refused)
    expect([status, body.code, headers.get('Retry-After')]).toEqual([
      429,
      'rate_limited',
      '2',
    ]);
  // The other user came last, and is served next.
  expect(answered.indexOf('yours')).toBe(1);
});

describe('a client that leaves', () => {
  test.each([
    ['while rows are read', '/v1/trades?q=nowhere'],
    ['while figures are computed', LEAKS],
  ])('%s ends its read within 200 ms, and the next is answered', async (_, path) => {
    const { world } = threaded();
    await fill(world, 60_000);
    const key = world.key();
    const { url, close } = await listen(world.app, { host: '127.0.0.1', port: 0 });
    onTestFinished(close);
    const { port } = new URL(url);
    const get = (target: string) =>
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    // The thread runs by then.
    expect((await world.ask('/v1/trades?tag=none', { key })).status).toBe(200);
    world.log.length = 0;

    const client = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    client.write(get(path));
    await sleep(40);
    client.destroy();
    const leftAt = performance.now();
    await vi.waitFor(() => expect(world.log.join()).toContain('"status":499'), {
      timeout: 5000,
      interval: 5,
    });
    expect(performance.now() - leftAt).toBeLessThan(200);
    expect((await world.ask('/v1/trades?tag=none', { key })).status).toBe(200);
  });
});

test('a read beyond the memory of its thread gets a 422, and the next one a new thread', async () => {
  const { world } = threaded(1, { memoryMb: 16 });
  await fill(world, 30_000);
  const key = world.key();
  const { status, body } = await world.ask(`${LEAKS},groups&group_by=day,symbol`, {
    key,
  });
  expect([status, body.code]).toEqual([422, 'answer_too_large']);
  expect(body.detail).toContain('needs more than the 16 MB of memory');
  expect((await world.ask('/v1/sessions', { key })).status).toBe(200);
});

test('equal requests share one read, which goes on until all their clients have left', async () => {
  const { world, threads } = threaded();
  await fill(world, 2000);
  const key = world.key();
  expect((await world.ask('/v1/me', { key })).status).toBe(200);
  const read = vi.spyOn(threads, 'read');
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => world.ask(LEAKS, { key })),
  );
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(replies[0]?.status).toBe(200);
  expect(read).toHaveBeenCalledTimes(1);
  const [{ isWanted }] = read.mock.calls[0] as Parameters<typeof threads.read>;
  expect(isWanted()).toBe(true);

  world.db.exec("UPDATE trades SET notes = 'changed' WHERE id = 't1'");
  await Promise.all([
    world.ask(LEAKS, { key }),
    world.ask(`${LEAKS}&unit=position`, { key }),
  ]);
  expect(read).toHaveBeenCalledTimes(3);
});

/** A process that tries to write to a file whenever it is asked to, and says whether it could. */
function otherWriter(path: string): () => Promise<string> {
  const script = `
    const db = require('better-sqlite3')(${JSON.stringify(path)}, { timeout: 0 });
    require('node:readline').createInterface(process.stdin).on('line', () => {
      try {
        db.exec('BEGIN EXCLUSIVE; ROLLBACK');
        console.log('wrote');
      } catch (error) {
        console.log(error.code);
      }
    });`;
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async () => {
    child.stdin.write('write\n');
    return String((await lines.next()).value);
  };
}

describe('a thread that ends drops no lock of this process', () => {
  const idle = async (world: World, key: string) => {
    expect((await world.ask('/v1/summary', { key })).status).toBe(200);
    await sleep(300);
  };
  test.each([
    ['without work', { idleMs: 50 }, idle],
    [
      'out of memory',
      { memoryMb: 16 },
      async (world: World, key: string) =>
        expect(
          (await world.ask(`${LEAKS},groups&group_by=day,symbol`, { key })).status,
        ).toBe(422),
    ],
    [
      'with the service',
      {},
      async (world: World, key: string, threads: ReadThreads) => {
        const read = world.app.request(LEAKS, {
          headers: { Authorization: `Bearer ${key}` },
        });
        await sleep(100);
        await threads.close();
        expect((await read).status).toBe(499);
      },
    ],
  ] as const)('%s', async (_, limits, end) => {
    const { world, threads } = threaded(2, limits);
    await fill(world, 30_000);
    const key = world.key();
    const write = otherWriter(world.files.journal);
    expect(await write()).toBe('wrote');

    const journal = openJournal(world.files.journal);
    onTestFinished(() => journal.close());
    world.db.exec('BEGIN');
    world.db.prepare('SELECT count(*) FROM trades').get();
    const seen: string[] = [];
    let isOver = false;
    const watching = (async () => {
      while (!isOver) seen.push(await write());
    })();
    await end(world, key, threads).finally(() => {
      isOver = true;
    });
    await watching;
    expect(new Set(seen)).toEqual(new Set(['SQLITE_BUSY']));
    world.db.exec('COMMIT');
    expect(await write()).toBe('wrote');
  });
});

describe('each thread notices', () => {
  const tag = (world: World, key: string) =>
    world
      .ask('/v1/labels', { key })
      .then(({ status, body }) => [status, body.data?.tags[0]?.value ?? body.detail]);

  test('a commit, a hundred times', async () => {
    const { world } = threaded();
    world.insert('trades', tradeRow('t'));
    const key = world.key();
    for (let i = 0; i < 100; i++) {
      world.db.prepare('UPDATE trades SET tags = ?').run(`["tag ${i}"]`);
      expect(await tag(world, key)).toEqual([200, `tag ${i}`]);
    }
  });

  test('a file that was replaced, whose descriptor is closed once no thread reads', async () => {
    const { world } = threaded(2);
    world.insert('trades', tradeRow('t', { tags: '["old"]' }));
    const key = world.key();
    const [path] = [world.files.journal];
    for (let i = 0; i < 5; i++) {
      const other = new World();
      other.insert('trades', tradeRow('t', { tags: `["new ${i}"]` }));
      expect((await Promise.all([tag(world, key), tag(world, key)])).length).toBe(2);
      other.db.close();
      renameSync(other.files.journal, path);
      await vi.waitFor(
        async () => expect(await tag(world, key)).toEqual([200, `new ${i}`]),
        {
          interval: 20,
        },
      );
    }
    const open = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${path} (deleted)`);
        } catch {
          return false;
        }
      });
    if (process.platform !== 'linux') return;
    await vi.waitFor(async () => {
      await world.ask('/v1/me', { key });
      // The writer of this test keeps the first one.
      expect(open()).toHaveLength(1);
    });
  });

  test('a file that was damaged, and repaired', async () => {
    const { world } = threaded();
    world.insert('trades', tradeRow('t', { tags: '["whole"]' }));
    const key = world.key();
    expect(await tag(world, key)).toEqual([200, 'whole']);
    world.db.close();
    const whole = readFileSync(world.files.journal);
    writeFileSync(world.files.journal, 'not a database at all'.repeat(1000));
    await vi.waitFor(async () => expect((await tag(world, key))[0]).toBe(503), {
      interval: 20,
    });
    writeFileSync(world.files.journal, whole);
    await vi.waitFor(async () => expect(await tag(world, key)).toEqual([200, 'whole']), {
      interval: 20,
    });
  });

  test('a lock, which it waits for', async () => {
    const { world } = threaded();
    world.insert('trades', tradeRow('t', { tags: '["before"]' }));
    const key = world.key();
    expect(await tag(world, key)).toEqual([200, 'before']);
    world.db.exec(`BEGIN EXCLUSIVE; UPDATE trades SET tags = '["after"]'`);
    const waiting = tag(world, key);
    await sleep(200);
    world.db.exec('COMMIT');
    expect(await waiting).toEqual([200, 'after']);
  });
});

test('a file that changes during a long read is read afresh: figures are of one state of it', async () => {
  const { world } = threaded();
  await fill(world, 40_000);
  const key = world.key();
  const reading = world.ask(
    '/v1/analytics/summary?sections=performance,previous,groups&group_by=tag',
    { key },
  );
  // Each commit moves money between two trades: no sum changes unless a read mixes two states.
  for (const sign of [1, -1]) {
    await sleep(60);
    world.db.exec(`BEGIN;
      UPDATE trades SET gross_pnl = gross_pnl + ${sign * 1000} WHERE id = 't1';
      UPDATE trades SET gross_pnl = gross_pnl - ${sign * 1000} WHERE id = 't39000';
      COMMIT`);
  }
  const { status, body } = await reading;
  expect(status).toBe(200);
  const sum = world.db.prepare('SELECT sum(gross_pnl - fees) FROM trades').pluck().get();
  expect(body.data.performance.net_pnl).toBeCloseTo(sum as number, 6);
});
