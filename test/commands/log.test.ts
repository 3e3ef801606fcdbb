/** What serve writes to stderr, and what it never does. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { describeFault } from '../../src/commands/describe-fault.ts';
import { tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';

async function askOnce(world: World): Promise<{ status: number; requestId: string | null; stderr: string }> {
  const key = world.key();
  const serving = await startServe(['--home', world.files.home]);
  const { status, headers } = await fetch(`${serving.url}/v1/trades`, { headers: { Authorization: `Bearer ${key}` } });
  serving.stop();
  return { status, requestId: headers.get('x-request-id'), stderr: (await serving.ended).stderr };
}

test('a fault is logged by the place where it happened', async () => {
  const world = new World();
  world.now = Date.now();
  world.db.exec('DROP VIEW trade_records');
  const { status, requestId, stderr } = await askOnce(world);
  expect(status).toBe(500);
  const logged = 'failed: SqliteError SQLITE_ERROR: no such table: trade_records\n    at ';
  expect(stderr).toContain(`journal-api: request ${requestId} ${logged}`);
});

test('what another program wrote is not in the log, however wrong', async () => {
  const world = new World();
  world.now = Date.now();
  world.insert('trades', tradeRow('t-1'));
  // What schema.sql refuses, another program's hand may yet have written. JSON.parse quotes it, line breaks and all.
  world.db.pragma('ignore_check_constraints = ON');
  world.db.exec('DROP TRIGGER trades_words_update');
  world.db.prepare('UPDATE trades SET tags = ?').run('[diary,\n    at home]');
  const { status, stderr } = await askOnce(world);
  expect(status).toBeGreaterThanOrEqual(500);
  expect(stderr).not.toMatch(/diary|home\]/);
});

test.each([
  ['of JSON', () => JSON.parse('[diary,\n    at home]')],
  [
    'with lines like those of a stack',
    () => fail(new RangeError('diary\n    at home (file:///diary:1:1)\n    at home')),
  ],
  ['with a message that was changed since', () => fail(renamed(new Error('diary\n    at home'), 'r'))],
  ['with a cause', () => fail(new Error('diary', { cause: new Error('home') }))],
  ['without a stack', () => fail(Object.assign(new Error('diary'), { stack: undefined }))],
  ['that is none', () => fail('diary\n    at home')],
])('the message of an error %s is not in the log', (_name, throwIt) => {
  let described = '';
  try {
    throwIt();
  } catch (error) {
    described = describeFault(error);
  }
  expect(described).toMatch(/^\w+(\n {4}at .+)*$/);
  expect(described).not.toMatch(/diary|home/);
});

function fail(error: unknown): never {
  throw error;
}

/** Its stack is written down when it is asked for first. */
function renamed(error: Error, message: string): Error {
  return error.stack === undefined ? error : Object.assign(error, { message });
}

test('what waits for a reader that does not read is bounded, and what is lost is said', async () => {
  const world = new World();
  const { url, port, messages, output, stop, ended } = await startServe(['--home', world.files.home]);
  messages.pause();
  // Lines of about 270 bytes each, all asked for at once.
  const requests = 8000;
  const ask = (close = '') => `GET /x HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${'x'.repeat(128)}\r\n${close}\r\n`;
  const socket = connect(port, '127.0.0.1');
  socket.end(ask().repeat(requests - 1) + ask('Connection: close\r\n'));
  expect((await text(socket)).split('"not_found"')).toHaveLength(requests + 1);
  // Longer than lines wait to be written together.
  await sleep(300);
  messages.resume();
  await vi.waitUntil(() => output.stderr.length > 1e6, 20_000);
  await fetch(url, { headers: { 'X-Request-Id': 'last' } });
  stop();
  const lines = (await ended).stderr.trimEnd().split('\n').slice(1);
  const lost = lines.map((line) => /^journal-api: (\d+) log lines were lost: nobody read them$/.exec(line)?.[1] ?? 0);
  const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(logged.length).toBeLessThan((1.5 * 1024 * 1024) / 250);
  expect(logged.length + lost.reduce((sum: number, n) => sum + Number(n), 0)).toBe(requests + 1);
  expect(logged.at(-1)).toMatchObject({ path: '/', request_id: 'last' });
});
