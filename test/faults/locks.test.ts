/** A lock on either file delays only requests that need it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { AGAIN } from '../again.ts';
import { tradeRow, World } from '../helpers.ts';
import { launch, startServe } from '../program.ts';
import { printFigures } from './figures.ts';

const WAITING = 40;
const BUDGET_MS = 100;

/** Without the slowest ones, which depend on the machine's load. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

test(
  'a cached response is sent at once while health checks and wrong keys wait for a lock on both files',
  AGAIN,
  async () => {
    const world = new World();
    const key = world.key();
    world.insert('trades', tradeRow('t'));
    for (let i = 0; i < 3; i++) await world.ask('/v1/trades', { key });
    const keys = new Database(world.files.keys);
    onTestFinished(() => void keys.close());
    keys.exec('BEGIN EXCLUSIVE');
    world.db.exec('BEGIN EXCLUSIVE');

    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const began = performance.now();
    const waiting = Array.from({ length: WAITING }, () => [
      world.ask('/healthz'),
      world.ask('/v1/me', { key: generateKey() }),
    ]).flat();
    let isOver = false;
    const all = Promise.all(waiting).finally(() => {
      isOver = true;
    });
    const times: number[] = [];
    while (!isOver) {
      const since = performance.now();
      expect((await world.ask('/v1/trades', { key })).status).toBe(200);
      times.push(performance.now() - since);
      await sleep(5);
    }
    delay.disable();

    // They did wait, all at the same time, and were told.
    expect(performance.now() - began).toBeGreaterThan(1500);
    expect(performance.now() - began).toBeLessThan(20_000);
    for (const { status, body } of await all) {
      expect([status, body.code]).toEqual([503, 'journal_unavailable']);
      expect(body.detail).toMatch(/another program is writing/);
    }
    expect(times.length).toBeGreaterThan(10);
    expect(median(times)).toBeLessThan(BUDGET_MS);
    expect(delay.percentile(50) / 1e6).toBeLessThan(BUDGET_MS);
  },
);

test('waiting requests are served as soon as the lock is released', AGAIN, async () => {
  const world = new World();
  const key = world.key();
  const keys = new Database(world.files.keys);
  onTestFinished(() => void keys.close());
  keys.exec('BEGIN EXCLUSIVE');
  world.db.exec('BEGIN EXCLUSIVE');
  const waiting = [
    world.ask('/healthz'),
    world.ask('/v1/trades', { key }),
    world.ask('/v1/me', { key: generateKey() }),
  ];
  await sleep(100);
  keys.exec('COMMIT');
  await sleep(100);
  world.insert('trades', tradeRow('t'));
  world.db.exec('COMMIT');
  const [health, trades, wrong] = await Promise.all(waiting);
  expect([health?.status, trades?.status, wrong?.status]).toEqual([200, 200, 401]);
  expect(trades?.body.data).toHaveLength(1);
});

const TRADES = 100_000;

/** A journal of so many trades that all figures take seconds, with a new tag for each. */
function fill(world: World): void {
  world.insert('trades', tradeRow('t'));
  world.db.exec(`
    INSERT INTO trades (id, user_id, symbol, setup, tags, market, side, status, executed_at, closed_at, quantity, entry_price, exit_price, open_quantity, currency, gross_pnl, initial_risk)
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TRADES - 1})
    SELECT 't' || i, user_id, 'S' || i % 40, 's' || i % 300, '["tag ' || i || '"]', market, side, status, at, at, quantity, entry_price, exit_price, open_quantity, currency, i * 7919 % 201 - 100, 50
    FROM (SELECT *, strftime('%Y-%m-%dT%H:%M:%fZ', '2021-11-01', (i * 20) || ' minutes') AS at FROM n, trades WHERE id = 't')`);
}

/** A process that commits to a journal once for each line that it gets, and prints how long the commit took, in milliseconds. */
function writer(journal: string) {
  const script = `
    const db = require('better-sqlite3')(${JSON.stringify(journal)}, { timeout: 30_000 });
    require('node:readline').createInterface(process.stdin).on('line', (name) => {
      const since = performance.now();
      db.exec('BEGIN IMMEDIATE');
      db.prepare('UPDATE users SET name = ?').run(name);
      db.exec('COMMIT');
      console.log(performance.now() - since);
    });`;
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async (name: string): Promise<number> => {
    child.stdin.write(`${name}\n`);
    return Number((await lines.next()).value);
  };
}

const HIDING = { accounts: null, since: null, hides: ['texts', 'symbols'] } as const;
const NONE = Array.from({ length: 220 }, (_, i) => `n${i}`);

test.each([
  [
    'all figures',
    null,
    '/v1/analytics/summary?sections=performance,breakdowns,leaks,simulation,exits,data_quality&top=50',
  ],
  [
    'all figures',
    HIDING,
    '/v1/analytics/summary?sections=performance,breakdowns,leaks,simulation,exits,data_quality&top=50',
  ],
  ['trades sorted by result', HIDING, '/v1/trades?sort=net_pnl'],
  ['labels', HIDING, '/v1/labels'],
  [
    'hints for an unknown label',
    null,
    '/v1/trades?tag=nowhere&symbol=none&setup=nothing',
  ],
  [
    'hints for 220 unknown labels',
    null,
    `/v1/analytics/summary?sections=performance&where=${encodeURIComponent(JSON.stringify({ tag: NONE }))}`,
  ],
])(
  '%s of 100,000 trades, with lens %j, keep no writer out for two seconds',
  { ...AGAIN, timeout: 300_000 },
  async (what, lens, path) => {
    const world = new World();
    world.now = Date.now();
    fill(world);
    const key = world.key(undefined, 'me', 'key_a', lens);
    world.db.close();
    const { url, pid } = await startServe([
      '--home',
      world.files.home,
      '--log',
      'off',
      '--rate-limit',
      '0',
    ]);
    const commit = writer(world.files.journal);
    await commit('warm');
    const used = () => {
      const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
      const [user, system] = (fields[0] as string)
        .split(' ')
        .slice(11, 13)
        .map(Number) as [number, number];
      return (user + system) / 100;
    };
    const before = used();
    let isOver = false;
    const response = fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    }).finally(() => {
      isOver = true;
    });
    await sleep(300);
    const wait = isOver ? 0 : await commit('during');
    const { status } = await response;
    const peak =
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) /
      1000;
    printFigures(
      `locks: ${what}${lens ? ' without symbols' : ''}: a writer waited ${(wait / 1000).toFixed(2)} s; ${(used() - before).toFixed(1)} s of processor time, ${peak.toFixed(0)} MB`,
    );
    expect(status).toBe(200);
    expect(wait).toBeLessThan(2000);
  },
);

test(
  'a command waits for a lock, says so after two seconds, and ends by a signal at once',
  AGAIN,
  async () => {
    const world = new World();
    world.db.exec('BEGIN EXCLUSIVE');
    const set = () =>
      launch(['user', 'set', 'me', '--name', 'New', '--home', world.files.home], {});
    const [stopped, waiting] = [set(), set()];
    const ends = [stopped, waiting].map(({ child }) => once(child, 'close'));
    await sleep(8000);
    const since = performance.now();
    stopped.child.kill('SIGINT');
    expect(await ends[0]).toEqual([null, 'SIGINT']);
    expect(performance.now() - since).toBeLessThan(1000);
    world.db.exec('COMMIT');
    expect([(await ends[1])?.[0], waiting.output.stderr]).toEqual([
      0,
      expect.stringContaining('Waiting for another program that uses the journal'),
    ]);
  },
);
