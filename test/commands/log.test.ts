/** What serve writes to stderr, and what it never does. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';

test('a fault is logged by the place where it happened, never with its message, which may quote a record', async () => {
  const world = new World();
  world.now = Date.now();
  const key = world.key();
  world.insert('trades', tradeRow('t-1'));
  // What schema.sql refuses, another program's hand may yet have written. JSON.parse quotes it, line breaks and all.
  world.db.pragma('ignore_check_constraints = ON');
  world.db.exec('DROP TRIGGER trades_words_update');
  world.db.prepare('UPDATE trades SET tags = ?').run('[diary,\n    at home]');
  const serving = await startServe(['--home', world.files.home]);
  const answer = await fetch(`${serving.url}/v1/trades`, { headers: { Authorization: `Bearer ${key}` } });
  const body = await answer.text();
  expect([answer.status, JSON.parse(body).code]).toEqual([500, 'internal_error']);
  serving.stop();
  const { stderr } = await serving.ended;
  const requestId = answer.headers.get('x-request-id');
  expect(stderr).toContain(`journal-api: request ${requestId} failed: SyntaxError\n    at `);
  expect(body + stderr).not.toMatch(/diary|home\]/);
});

test('what waits for a reader that does not read is bounded, and what is lost is said', async () => {
  const world = new World();
  const { url, port, messages, output, stop, ended } = await startServe(['--home', world.files.home]);
  messages.pause();
  // Lines of about 700 bytes each, all asked for at once.
  const requests = 3000;
  const ask = (close = '') => `GET /${'x'.repeat(600)} HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`;
  const socket = connect(port, '127.0.0.1');
  socket.end(ask().repeat(requests - 1) + ask('Connection: close\r\n'));
  expect((await text(socket)).split('"not_found"')).toHaveLength(requests + 1);
  // Longer than lines wait to be written together.
  await sleep(300);
  messages.resume();
  await vi.waitUntil(() => output.stderr.length > 1e6, 20_000);
  await fetch(`${url}/last`);
  stop();
  const lines = (await ended).stderr.trimEnd().split('\n').slice(1);
  const lost = lines.map((line) => /^journal-api: (\d+) log lines were lost: nobody read them$/.exec(line)?.[1] ?? 0);
  const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(logged.length).toBeLessThan((1.5 * 1024 * 1024) / 600);
  expect(logged.length + lost.reduce((sum: number, n) => sum + Number(n), 0)).toBe(requests + 1);
  expect(logged.at(-1)).toMatchObject({ path: '/last' });
});
