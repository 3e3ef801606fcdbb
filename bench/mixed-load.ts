/**
 * Stability of the server under load: node bench/mixed-load.ts [TRADES [SECONDS]] (default: a million, ten minutes).
 * 16 connections send agents' requests, 20 clients read slowly, and another program commits once a second.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeJournal } from './make-journal.ts';
import { memoryOf, startServer } from './server.ts';
import { load } from './wrk.ts';

const trades = Number(process.argv[2] ?? 1_000_000);
const seconds = Number(process.argv[3] ?? 600);
const SLOW_CLIENTS = 20;

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  const journal = join(home, 'journal.db');
  makeJournal(journal, trades);
  const server = await startServer(home);
  const key = server.key();
  const headers = { Authorization: `Bearer ${key}` };
  const newest = await fetch(`${server.url}/v1/trades?limit=50`, { headers });
  await newest.arrayBuffer();

  const writer = spawn(process.execPath, ['bench/writer.ts', journal, '1'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const slow = Array.from({ length: SLOW_CLIENTS }, () => slowClient(server.url, server.key()));
  const samples: { at: number; mb: number }[] = [];
  const began = performance.now();
  const sampling = setInterval(
    () => samples.push({ at: (performance.now() - began) / 1000, mb: memoryOf(server.pid) }),
    1000,
  );
  const script = ['bench/mixed-load.lua', String(trades), newest.headers.get('etag') ?? ''];
  const { perSecond, p99 } = await load({ url: server.url, headers, script }, seconds);
  clearInterval(sampling);
  const received = slow.map((client) => client.stop());
  writer.kill('SIGKILL');
  await server.stop();

  const around = (at: number) => {
    const near = samples.filter((sample) => Math.abs(sample.at - at) <= 5).map(({ mb }) => mb);
    return near.reduce((sum, mb) => sum + mb, 0) / near.length;
  };
  const minute = around(Math.min(60, seconds / 10));
  const end = around(seconds - 5);
  const most = Math.max(...samples.map(({ mb }) => mb));
  console.log(
    [
      `Journal of ${trades} trades, Node ${process.versions.node}, ${seconds} s, no error.`,
      `${Math.round(perSecond)} requests/s, p99 ${p99.toFixed(1)} ms.`,
      `RSS after the first minute ${minute.toFixed(0)} MB, at the end ${end.toFixed(0)} MB (${((end / minute - 1) * 100).toFixed(1)} %), at most ${most.toFixed(0)} MB.`,
      `${SLOW_CLIENTS} slow clients received ${Math.min(...received)} to ${Math.max(...received)} KB each.`,
    ].join('\n'),
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Requests many pages at once, and reads one KB ten times a second. */
function slowClient(url: string, key: string): { stop: () => number } {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const request = `GET /v1/trades?limit=100 HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  let read = 0;
  socket.on('error', () => {});
  socket.on('connect', () => socket.write(request.repeat(100)));
  const timer = setInterval(() => {
    const chunk = socket.read(1024) as Buffer | null;
    read += chunk?.length ?? 0;
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      socket.destroy();
      return Math.round(read / 1024);
    },
  };
}
