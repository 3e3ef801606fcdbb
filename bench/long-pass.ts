/**
 * How long other requests wait while the server computes figures over hundreds of thousands of trades, or looks through all of them
 * for what is nowhere:
 * node bench/long-pass.ts [TRADES] (a million unless said otherwise, a fifth of them in the window)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeJournal } from './make-journal.ts';
import { startServer } from './server.ts';

const trades = Number(process.argv[2] ?? 1_000_000);
const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  makeJournal(join(home, 'journal.db'), trades);
  const server = await startServer(home);
  const headers = { Authorization: `Bearer ${server.key()}` };
  const ask = async (path: string) => {
    const started = performance.now();
    const answer = await fetch(`${server.url}${path}`, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    return performance.now() - started;
  };
  // The windows of the first calls differ a little: what was answered once is cached.
  for (const [first, path] of [
    ['/v1/summary?days=364', '/v1/summary?period=1y'],
    ['/v1/analytics/summary?start=2025-11-20', '/v1/analytics/summary?start=2025-11-21'],
    ['/v1/trades?tag=nothing', '/v1/trades?tag=nowhere'],
  ] as const) {
    await ask(first);
    let done = false;
    const long = ask(path).finally(() => {
      done = true;
    });
    const waits: number[] = [];
    while (!done) waits.push(await ask(`/v1/trades?limit=1&end=2026-01-01T00:00:00.${waits.length}Z`));
    const ms = await long;
    waits.sort((a, b) => a - b);
    const at = (share: number) => (waits[Math.floor((waits.length - 1) * share)] as number).toFixed(1);
    console.log(
      `${path}, ${trades} trades: ${ms.toFixed(0)} ms; meanwhile ${waits.length} other requests, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
    );
  }
  await server.stop();
} finally {
  rmSync(home, { recursive: true, force: true });
}
