/** A lock on either file delays only requests that need it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { tradeRow, World } from '../helpers.ts';

const WAITING = 40;
const BUDGET_MS = 100;

/** Without the slowest ones, which depend on the machine's load. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

test('a cached response is sent at once while health checks and wrong keys wait for a lock on both files', async () => {
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
});

test('waiting requests are served as soon as the lock is released', async () => {
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
