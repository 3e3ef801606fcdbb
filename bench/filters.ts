/**
 * The cost of a list's parameters for uncached responses: node bench/filters.ts [TRADES] (default: 100,000)
 * Milliseconds of processor time for the first page of 50, in-process, without the network; the minimum of five.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOf } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { openJournal } from '../src/journal/journal.ts';
import { issueKey } from '../src/keys/issue.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import { ALL_SCOPES } from '../src/keys/scopes.ts';
import { watchedSecret } from '../src/keys/secret.ts';
import { makeJournal } from './make-journal.ts';

const trades = Number(process.argv[2] ?? 100_000);
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
  const files = filesOf({ home });
  makeJournal(files.journal, trades);
  const now = Date.now();
  const scopes = [...ALL_SCOPES];
  const { key } = issueKey(files, {
    userId: 'me',
    name: 'bench',
    scopes,
    expires: now + 3_600_000,
    now,
  });
  const journal = openJournal(files.journal);
  const keys = new KeyReader(files.keys);
  const secret = watchedSecret(files);
  const common = {
    journal,
    keys,
    secret,
    corsOrigins: [],
    trustProxy: false,
    allowedHosts: [],
    now: Date.now,
  };
  const app = createApp({ ...common, rateLimit: 0 });
  const ask = async (path: string) => {
    const before = process.cpuUsage();
    const response = await app.request(path, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  for (let i = 0; i < 300; i++) await ask(`/v1/trades?limit=50&end=2026-01-01T00:00:00.${i}Z`);
  console.log(`| \`/v1/trades\` of ${trades.toLocaleString('en')} trades | ms |\n|---|---|`);
  for (const [what, query] of CASES) {
    const times: number[] = [];
    // Another page size each time, so that no page comes from the cache. An empty one searches for its hint, too.
    for (let round = 0; round < ROUNDS; round++)
      times.push(await ask(`/v1/trades?limit=${50 - round}&${query}`));
    console.log(`| ${what} | ${Math.min(...times).toFixed(1)} |`);
  }
  console.log(`| \`/v1/labels\` | ${(await ask('/v1/labels')).toFixed(1)} |`);
  keys.close();
  journal.close();
} finally {
  rmSync(home, { recursive: true, force: true });
}
