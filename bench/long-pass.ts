/**
 * Waiting times of other requests while the server computes figures over hundreds of thousands of trades, or searches all of them
 * without a match; and of another user's cached response while one key sends all long requests at once:
 * node bench/long-pass.ts [TRADES] (default: a million, a fifth of them in the period)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForWriting } from '../src/journal-write/open.ts';
import { addUser, newUser } from '../src/journal-write/users.ts';
import { makeJournal } from './make-journal.ts';
import { startServer } from './server.ts';

const trades = Number(process.argv[2] ?? 1_000_000);
/** All long requests, as many as one key may have waiting. */
const BURST = [
  '/v1/analytics/summary?sections=groups&group_by=day,symbol&start=2024-12-01&top=500',
  '/v1/analytics/summary?sections=groups&group_by=day,symbol&start=2024-12-02&top=5',
  '/v1/analytics/summary?group_by=setup,weekday',
  '/v1/analytics/summary?group_by=week,tag&end=2026-11-30&mistake=oversized&unit=position',
  '/v1/labels',
  '/v1/trades?q=nowhere',
  '/v1/trades?sort=net_pnl&tag=trend&end=2026-11-30',
  '/v1/journal-rows?q=nowhere',
];

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  makeJournal(join(home, 'journal.db'), trades);
  const journal = openForWriting(join(home, 'journal.db'));
  addUser(journal, newUser('you', {}), Date.now());
  journal.close();
  const server = await startServer(home);
  const as = (key: string) => async (path: string) => {
    const started = performance.now();
    const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return performance.now() - started;
  };
  const ask = as(server.key('me'));
  const show = (what: string, ms: number, waits: readonly number[]) => {
    const sorted = waits.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] as number).toFixed(1);
    console.log(
      `${what}, ${trades} trades: ${ms.toFixed(0)} ms; meanwhile ${waits.length} other requests, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
    );
  };
  /** Waiting times of a client's requests, one after the other, until something else is done. */
  const waitsDuring = async (something: Promise<unknown>, wait: (i: number) => Promise<number>) => {
    let isDone = false;
    const done = something.finally(() => {
      isDone = true;
    });
    const [started, waits] = [performance.now(), [] as number[]];
    while (!isDone) waits.push(await wait(waits.length));
    await done;
    return [performance.now() - started, waits] as const;
  };
  // The periods of the first calls differ slightly, because earlier responses are cached.
  for (const [first, path] of [
    ['/v1/summary?days=364', '/v1/summary?period=1y'],
    ['/v1/analytics/summary?start=2025-11-20', '/v1/analytics/summary?start=2025-11-21'],
    ['/v1/analytics/summary?sections=leaks&start=2022-01-01', '/v1/analytics/summary?sections=leaks&start=2022-01-02'],
    ['/v1/trades?tag=nothing', '/v1/trades?tag=nowhere'],
  ] as const) {
    await ask(first);
    show(path, ...(await waitsDuring(ask(path), (i) => ask(`/v1/trades?limit=1&end=2026-01-01T00:00:00.${i}Z`))));
  }
  const askAsOther = as(server.key('you'));
  await askAsOther('/v1/summary');
  const burst = Promise.all(BURST.map(ask));
  show(
    `${BURST.length} long requests of one key at once`,
    ...(await waitsDuring(burst, () => askAsOther('/v1/summary'))),
  );
  await server.stop();
} finally {
  rmSync(home, { recursive: true, force: true });
}
