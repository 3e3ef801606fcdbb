/** The log of serve, and the contents it must never have. */
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LineBuffer } from '../../src/commands/serve.ts';
import { describeFault } from '../../src/commands/shared/command.ts';
import { tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';

async function askOnce(
  world: World,
): Promise<{ status: number; requestId: string | null; stderr: string }> {
  const key = world.key();
  const serving = await startServe(['--home', world.files.home]);
  const { status, headers } = await fetch(`${serving.url}/v1/trades`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  serving.stop();
  return {
    status,
    requestId: headers.get('x-request-id'),
    stderr: (await serving.ended).stderr,
  };
}

test('a fault is logged with its place in the code', async () => {
  const world = new World();
  world.now = Date.now();
  world.db.exec('DROP VIEW trade_records');
  const { status, requestId, stderr } = await askOnce(world);
  expect(status).toBe(500);
  const logged =
    'failed: SqliteError SQLITE_ERROR: no such table: trade_records\n    at ';
  expect(stderr).toContain(`journal-api: request ${requestId} ${logged}`);
});

test('an invalid record of another program is never logged', async () => {
  const world = new World();
  world.now = Date.now();
  world.insert('trades', tradeRow('t-1'));
  // Another program may have written what schema.sql refuses. JSON.parse quotes it, line breaks included.
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
  ['with a changed message', () => fail(renamed(new Error('diary\n    at home'), 'r'))],
  ['with a cause', () => fail(new Error('diary', { cause: new Error('home') }))],
  [
    'without a stack',
    () => fail(Object.assign(new Error('diary'), { stack: undefined })),
  ],
  ['that is a string', () => fail('diary\n    at home')],
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

/** Reads the stack first, which fixes its text. */
function renamed(error: Error, message: string): Error {
  return error.stack === undefined ? error : Object.assign(error, { message });
}

test('requests get responses while nothing reads the log, and a bounded part of it waits', async () => {
  const world = new World();
  const { port, messages, stop, ended } = await startServe(['--home', world.files.home]);
  messages.pause();
  // Lines of about 270 bytes each, all requested at once.
  const requests = 8000;
  const ask = (close = '') =>
    `GET /x HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${'x'.repeat(128)}\r\n${close}\r\n`;
  const socket = connect(port, '127.0.0.1');
  socket.end(ask().repeat(requests - 1) + ask('Connection: close\r\n'));
  expect((await text(socket)).split('"not_found"')).toHaveLength(requests + 1);
  messages.resume();
  stop();
  const logged = (await ended).stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(logged.length).toBeGreaterThan(1000);
  expect(logged.length).toBeLessThan((1.5 * 1024 * 1024) / 250);
});

test('dropped log lines are counted, and the next ones written', () => {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      waiting.push(done);
    },
  });
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const log = new LineBuffer();
  const line = `${'x'.repeat(255)}\n`;
  for (let n = 0; n < 8000; n++) log.write(line);
  log.flush();
  expect(stderr.writableLength).toBeLessThan(1.2 * 1024 * 1024);
  while (stderr.writableLength > 0) waiting.shift()?.();
  log.write('last\n');
  log.close();
  while (stderr.writableLength > 0) waiting.shift()?.();
  const lines = written.join('').trimEnd().split('\n');
  const dropped = 8000 - lines.filter((own) => own.startsWith('x')).length;
  expect(dropped).toBeGreaterThan(0);
  expect(lines.slice(-2)).toEqual([
    `journal-api: ${dropped} log lines dropped: output not read`,
    'last',
  ]);
});
