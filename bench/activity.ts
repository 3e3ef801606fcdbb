/**
 * The cost of counting what keys have read: 10,000 cached requests with and without it, in-process and interleaved, and keys.db
 * afterwards and after 90 full days.
 *
 * Run: node bench/activity.ts
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOf } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { askApp, bearer } from '../src/http/client.ts';
import { ROUTES } from '../src/http/routes.ts';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { openJournal } from '../src/journal/journal.ts';
import { type Activity, KEPT_DAYS, MAX_ROWS_A_DAY } from '../src/keys/activity.ts';
import { issueKey } from '../src/keys/issue.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import { ALL_SCOPES } from '../src/keys/scopes.ts';
import { openSecret } from '../src/keys/secret.ts';
import { listActivity, writeUses } from '../src/keys/store.ts';
import { makeJournal } from './make-journal.ts';

const REQUESTS = 10_000;
const ROUNDS = 9;
const DAY = 86_400_000;

const files = filesOf({ home: mkdtempSync(join(tmpdir(), 'journal-api-bench-')) });
makeJournal(files.journal, 1000);
const now = Date.now();
const issue = {
  userId: 'me',
  name: 'agent',
  scopes: [...ALL_SCOPES],
  expires: now + 30 * DAY,
  now,
};
const { key, stored } = issueKey(files, issue);
const size = () => `${(statSync(files.keys).size / 1024).toFixed(0)} KB`;
console.log(`keys.db with a key: ${size()}`);

const journal = openJournal(files.journal);
const keys = new KeyReader(files.keys);
const settings = {
  rateLimit: 0,
  corsOrigins: [],
  trustProxy: false,
  allowedHosts: [],
  now: Date.now,
};
const shared = { ...settings, journal, secret: openSecret(files) };
const find: KeyReader['find'] = (...request) => keys.find(...request);
const touch: KeyReader['touch'] = (...use) => keys.touch(...use);
const counting = createApp({ ...shared, keys });
const silent = createApp({ ...shared, keys: { find, touch, countRead: () => undefined } });

const paths = ROUTES.filter(({ path }) => path.startsWith('/v1/')).map(({ path }) =>
  path.replace('{id}', 't00000001'),
);

async function microseconds(app: typeof counting): Promise<number> {
  const ask = askApp(app, bearer(key));
  const before = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i++) await ask(paths[i % paths.length] as string);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

const taken = { counting: [] as number[], silent: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  taken.silent.push(await microseconds(silent));
  taken.counting.push(await microseconds(counting));
}
const ratios = taken.counting.map((time, i) => time / (taken.silent[i] as number));
console.log(
  `processor time of a request: ${medianOf(taken.counting)?.toFixed(2)} µs, without counting ${medianOf(taken.silent)?.toFixed(2)} µs`,
);
console.log(`ratio: ${medianOf(ratios)?.toFixed(3)}`);

const add = performance.now();
for (let i = 0; i < 1_000_000; i++)
  keys.countRead(stored, 'agent', paths[i % paths.length] as string, 1, now);
console.log(`counting alone: ${(performance.now() - add).toFixed(0)} ns`);

const flush = performance.now();
keys.flush();
console.log(`the write once a minute: ${(performance.now() - flush).toFixed(1)} ms`);
console.log(
  `keys.db after ${REQUESTS * ROUNDS} requests: ${size()}, ${listActivity(files.keys).length} rows`,
);

for (let day = KEPT_DAYS; day > 0; day--) {
  const date = new Date(now - day * DAY).toISOString().slice(0, 10);
  const rows: Activity[] = Array.from({ length: MAX_ROWS_A_DAY }, (_, n) => ({
    ...{
      id: stored.id,
      name: `client ${n}`,
      date,
      path: '/v1/analytics/summary',
      requests: 1,
      records: 0,
    },
  }));
  writeUses(files.keys, new Map(), rows);
}
const full = performance.now();
writeUses(files.keys, new Map(), [{ ...(listActivity(files.keys)[0] as Activity), requests: 1 }]);
console.log(
  `keys.db with ${listActivity(files.keys).length} rows, the most of a key: ${size()}; a write takes ${(performance.now() - full).toFixed(1)} ms`,
);
keys.close();
journal.close();
rmSync(files.home, { recursive: true });
