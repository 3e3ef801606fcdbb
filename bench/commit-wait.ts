/**
 * How long readers wait while another process imports many fills: node bench/commit-wait.ts [FILLS [TRADES]]
 * A server runs on a journal of TRADES trades. One client requests a page that isn't cached, another one a cached page, both all the time.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeFills } from './fills-file.ts';
import { makeJournal } from './make-journal.ts';
import { startServer } from './server.ts';

const fills = Number(process.argv[2] ?? 100_000);
const trades = Number(process.argv[3] ?? 10_000);
const PAUSE_MS = 5;
const run = promisify(execFile);

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  const journal = join(home, 'journal.db');
  makeJournal(journal, trades);
  const file = join(home, 'fills.csv');
  writeFills(file, 0, fills / 2);
  const server = await startServer(home);
  const [uncachedKey, cachedKey] = [server.key(), server.key()];
  let isDone = false;
  const uncached = client(
    uncachedKey,
    (n) => `limit=1&end=${new Date(Date.UTC(2026, 0) + n * 1000).toISOString()}`,
  );
  const cached = client(cachedKey, () => 'limit=50');
  const began = performance.now();
  await run(process.execPath, ['dist/program.cjs', 'import', file, '--home', home]);
  const took = (performance.now() - began) / 1000;
  isDone = true;
  const rows = [
    ['not cached', await uncached],
    ['cached', await cached],
  ] as const;
  await server.stop();

  console.log(
    `${fills} fills into a journal of ${trades} trades: ${took.toFixed(1)} s by the clock`,
  );
  console.log(
    '| Page | responses | median ms | p99 | longest | 503s | longest time without a page, ms |\n|---|---|---|---|---|---|---|',
  );
  for (const [name, { waits, refused, longestGap }] of rows) {
    const at = (share: number) =>
      (waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] as number).toFixed(1);
    console.log(
      `| ${name} | ${waits.length} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${refused} | ${longestGap.toFixed(0)} |`,
    );
  }

  /** Requests pages until the import is done: waits in order, and the longest time from one page to the next. */
  async function client(key: string, query: (n: number) => string) {
    const headers = { Authorization: `Bearer ${key}` };
    const waits: number[] = [];
    let [refused, longestGap, lastPage] = [0, 0, performance.now()];
    for (let n = 0; !isDone; n++) {
      const sent = performance.now();
      const response = await fetch(`${server.url}/v1/trades?${query(n)}`, { headers });
      await response.arrayBuffer();
      const now = performance.now();
      waits.push(now - sent);
      if (response.status === 503) refused++;
      else if (response.status !== 200) throw new Error(`answered ${response.status}`);
      else {
        longestGap = Math.max(longestGap, now - lastPage);
        lastPage = now;
      }
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
    return { waits: waits.sort((a, b) => a - b), refused, longestGap };
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
