/**
 * 10,000 trades as CSV, as JSON Lines and as pages of JSON: bytes, compressed bytes, processor time of the service, and the longest
 * block of other requests. In-process, uncached, medians of interleaved rounds.
 *
 * Run: node bench/tables.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { filesOf } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { openJournal } from '../src/journal/journal.ts';
import { openForWriting } from '../src/journal-write/open.ts';
import { issueKey } from '../src/keys/issue.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import { ALL_SCOPES } from '../src/keys/scopes.ts';
import { openSecret } from '../src/keys/secret.ts';
import { makeJournal } from './make-journal.ts';

const TRADES = 10_000;
const ROUNDS = 7;

const files = filesOf({ home: mkdtempSync(join(tmpdir(), 'journal-api-bench-')) });
makeJournal(files.journal, TRADES);
const now = Date.now();
const { key } = issueKey(files, {
  userId: 'me',
  name: 'b',
  scopes: [...ALL_SCOPES],
  expires: now + 86_400_000,
  now,
});
const db = openForWriting(files.journal);
const keys = new KeyReader(files.keys);
const journal = openJournal(files.journal);
const settings = {
  rateLimit: 0,
  corsOrigins: [],
  trustProxy: false,
  allowedHosts: [],
  now: Date.now,
};
const app = createApp({ ...settings, journal, keys, secret: openSecret(files) });

/** The bodies of all pages. */
async function pages(accept: string, limit: number, more: string): Promise<string[]> {
  const texts: string[] = [];
  for (let query: string | undefined = `?limit=${limit}${more}`; query !== undefined; ) {
    const response = await app.request(`/v1/trades${query}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: accept },
    });
    const text = await response.text();
    texts.push(text);
    const link: string | undefined = /<(.*?)>/.exec(response.headers.get('Link') ?? '')?.[1];
    const cursor = accept === 'application/json' ? JSON.parse(text).pagination.next_cursor : null;
    query = cursor === null ? link : `?limit=${limit}${more}&cursor=${cursor}`;
  }
  return texts;
}

const FORMS = [
  ['CSV', 'text/csv', TRADES],
  ['JSON Lines', 'application/x-ndjson', TRADES],
  ['JSON, pages of 100', 'application/json', 100],
] as const;

for (const more of ['', '&sort=net_pnl', '&fields=closed_at,symbol,net_pnl,r_multiple']) {
  console.log(`\n/v1/trades?limit=${TRADES}${more}`);
  const taken = new Map<string, number[]>();
  const longest = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, accept, limit] of FORMS) {
      // A change of the journal: nothing is cached.
      db.prepare('UPDATE users SET name = ?').run(`${name} ${round}`);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const before = process.cpuUsage();
      const texts = await pages(accept, limit, more);
      const { user, system } = process.cpuUsage(before);
      await new Promise((resolve) => setTimeout(resolve, 5));
      delay.disable();
      taken.set(name, [...(taken.get(name) ?? []), (user + system) / 1000]);
      longest.set(name, [...(longest.get(name) ?? []), delay.max / 1e6]);
      if (round > 0) continue;
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      const packed = texts.reduce((sum, text) => sum + gzipSync(text, { level: 1 }).length, 0);
      console.log(
        `${name}: ${texts.length} responses, ${(bytes / 1e6).toFixed(2)} MB, compressed ${(packed / 1e6).toFixed(2)} MB`,
      );
    }
  }
  for (const [name, times] of taken) {
    console.log(
      `${name}: ${medianOf(times)?.toFixed(0)} ms of processor time, longest block ${medianOf(longest.get(name) ?? [])?.toFixed(1)} ms`,
    );
  }
}
db.close();
keys.close();
journal.close();
rmSync(files.home, { recursive: true });
