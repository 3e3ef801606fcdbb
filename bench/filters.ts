/**
 * What the parameters of a list cost, each answer made anew: node bench/filters.ts [TRADES] (a million unless said otherwise)
 * Milliseconds of the first page of 50, a client in Node included; medians of five.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { makeJournal } from './make-journal.ts';
import { startServer } from './server.ts';

const trades = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 5;

const CASES: readonly [what: string, query: string][] = [
  ['the newest', ''],
  ['`order=asc`', 'order=asc'],
  ['`sort=closed_at`', 'sort=closed_at'],
  ['`fields=symbol,net_pnl`', 'fields=symbol,net_pnl'],
  ['a filter with an index: `symbol`', 'symbol=SYM7'],
  ['a common one without: `setup`', 'setup=breakout'],
  ['a common word: `q`', 'q=retest'],
  ['`sort=net_pnl`, of one symbol', 'sort=net_pnl&symbol=SYM7'],
  ['`sort=net_pnl`, of a year', 'sort=net_pnl&start=2025-11-21'],
  ['`date_field=closed_at`, of a year', 'date_field=closed_at&start=2025-11-21'],
  ['`sort=net_pnl`, of all', 'sort=net_pnl'],
  ['nowhere: `tag`', 'tag=none'],
  ['nowhere: `underlying`', 'underlying=NONE'],
  ['nowhere: `setup`, with letters beyond ASCII', 'setup=%C3%BCbereilt'],
  ['nowhere: `mistake`, journal entries included', 'mistake=none'],
  ['nowhere: `min_net_pnl`', 'min_net_pnl=1000000'],
  ['nowhere: `q`', 'q=nowhere'],
];

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
  const median = async (pathOf: (round: number) => string) => {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) times.push(await ask(pathOf(round)));
    // The first prepares its statements.
    return (medianOf(times.slice(1)) as number).toFixed(1);
  };
  console.log(`| \`/v1/trades\` of ${trades.toLocaleString('en')} trades | ms |\n|---|---|`);
  for (const [what, query] of CASES) {
    // A page of another size each time, so that none comes from the cache. An empty one looks for its hint, too.
    console.log(`| ${what} | ${await median((round) => `/v1/trades?limit=${45 + round}&${query}`)} |`);
  }
  console.log(`| \`/v1/labels\` | ${await ask('/v1/labels').then((ms) => ms.toFixed(1))} |`);
  await server.stop();
} finally {
  rmSync(home, { recursive: true, force: true });
}
