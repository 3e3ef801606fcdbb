/** The cost of page 10,000 compared with page 1: node bench/deep-pages.ts [TRADES] (default: a million) */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { makeJournal } from './make-journal.ts';
import { startServer } from './server.ts';

const trades = Number(process.argv[2] ?? 1_000_000);
const DEEP = 10_000;
const STEPS = 1000;

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  makeJournal(join(home, 'journal.db'), trades);
  const server = await startServer(home);
  const headers = { Authorization: `Bearer ${server.key()}` };
  const follow = async (cursor: string | null) => {
    const started = performance.now();
    const response = await fetch(
      `${server.url}/v1/trades?limit=50${cursor ? `&cursor=${cursor}` : ''}`,
      { headers },
    );
    const { data, pagination } = (await response.json()) as {
      data: unknown[];
      pagination: { next_cursor: string | null };
    };
    if (response.status !== 200 || data.length !== 50)
      throw new Error(`a page of ${data?.length}: ${response.status}`);
    return { ms: performance.now() - started, next: pagination.next_cursor };
  };
  let deep: string | null = null;
  for (let page = 1; page < DEEP; page++) deep = (await follow(deep)).next;
  let first: string | null = null;
  const times: [first: number[], deep: number[]] = [[], []];
  // In turn, a new page at each step, so that none comes from the cache.
  const other = await server.stop().then(() => startServer(home));
  server.url = other.url;
  for (let step = 0; step < STEPS; step++) {
    const near = await follow(first);
    const far = await follow(deep);
    times[0].push(near.ms);
    times[1].push(far.ms);
    [first, deep] = [near.next, far.next];
  }
  await other.stop();
  const [near, far] = times.map(medianOf) as [number, number];
  console.log(
    `Journal of ${trades} trades: pages 1 to ${STEPS} take ${near.toFixed(2)} ms each, pages ${DEEP} to ${DEEP + STEPS - 1} ${far.toFixed(2)} ms: ${(far / near).toFixed(2)}x`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
