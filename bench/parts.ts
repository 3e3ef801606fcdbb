/**
 * The cost of each part of a cached response, without the network: node bench/parts.ts [ROUNDS]
 * Microseconds per request, medians of rounds of 20,000 (default: 15 rounds). Then the processor time of a lens for an uncached response.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { filesOf } from '../src/config.ts';
import { accessLog } from '../src/http/access-log.ts';
import { createApp } from '../src/http/app.ts';
import { Authenticator } from '../src/http/authenticate.ts';
import { RateLimiter } from '../src/http/rate-limit.ts';
import { type RequestContext, requestIdOf } from '../src/http/request-context.ts';
import { jsonBody } from '../src/http/response-body.ts';
import { ALWAYS, ResponseCache } from '../src/http/response-cache.ts';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { openJournal } from '../src/journal/journal.ts';
import { issueKey } from '../src/keys/issue.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import type { Lens } from '../src/keys/lens.ts';
import { ALL_SCOPES } from '../src/keys/scopes.ts';
import { watchedSecret } from '../src/keys/secret.ts';
import { makeJournal } from './make-journal.ts';

const rounds = Number(process.argv[2] ?? 15);
const CALLS = 20_000;

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  const files = filesOf({ home });
  makeJournal(files.journal, 1000);
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
  const log = accessLog(() => {});
  const common = {
    journal,
    keys,
    secret,
    corsOrigins: [],
    trustProxy: false,
    allowedHosts: [],
    now: Date.now,
  };
  const app = createApp({ ...common, rateLimit: 1_000_000, log });

  const path = '/v1/trades?limit=50';
  const authorization = `Bearer ${key}`;
  let status = 0;
  const outgoing = {
    writeHead: (code: number) => {
      status = code;
    },
    end: () => {},
    // Runs at once.
    socket: {},
  };
  const rawHeaders = ['Host', '127.0.0.1', 'Authorization', authorization];
  const incoming = {
    url: path,
    method: 'GET',
    headers: { authorization, host: '127.0.0.1' },
    rawHeaders,
  };
  const request = { url: `http://127.0.0.1${path}`, method: 'GET', headers: new Headers() };
  const whole = () => app.fetch(request as never, { incoming, outgoing } as never);
  for (let i = 0; i < 3; i++) await whole();
  if (status !== 200) throw new Error(`answered ${status}`);

  const cache = new ResponseCache();
  cache.set(path, jsonBody({ data: 'x'.repeat(40_000) }), 1, ALWAYS);
  const limiter = new RateLimiter('key', 1_000_000, Date.now);
  const context = {
    c: { req: { method: 'GET', path: '/v1/trades' } },
    route: '/v1/trades',
    status: 200,
    keyId: 'key_0A1b2C3d4',
    requestId: requestIdOf(undefined),
  } as RequestContext;
  const authenticator = new Authenticator({ keys, secret, trustProxy: false, now: Date.now });
  const parts: Record<string, () => unknown> = {
    'everything except Node’s own HTTP and the adapter': whole,
    'key: its SHA-256, checking keys.db, expiry': () => authenticator.find(key),
    'rate limit': () => limiter.take('key_0A1b2C3d4'),
    'whether the journal has changed': () => journal.version(),
    'finding the response': () => cache.get(path, 1, now),
    'request id': () => requestIdOf(undefined),
    'log line': () => log(context, 0.0123, Date.now()),
  };
  const times = Object.keys(parts).map(() => [] as number[]);
  for (let round = -3; round < rounds; round++) {
    for (const [i, part] of Object.values(parts).entries()) {
      const started = performance.now();
      for (let call = 0; call < CALLS; call++) part();
      if (round >= 0) times[i]?.push(((performance.now() - started) * 1000) / CALLS);
    }
  }
  console.log('| Part | µs per request |\n|---|---|');
  for (const [i, name] of Object.keys(parts).entries()) {
    console.log(`| ${name} | ${medianOf(times[i] as number[])?.toFixed(2)} |`);
  }
  await lensCosts(now);
  keys.close();
  journal.close();

  /** A page of 50 trades, and a year's figures by setup, each with another start so that none is cached. */
  async function lensCosts(now: number): Promise<void> {
    const lenses: Record<string, Lens | null> = {
      everything: null,
      'one of two accounts, since a day': { accounts: ['main'], since: '2020-01-01', hides: [] },
      'without money and texts': { accounts: null, since: null, hides: ['money', 'texts'] },
      'without texts, with pseudonyms for symbols': {
        accounts: null,
        since: null,
        hides: ['texts', 'symbols'],
      },
    };
    console.log(
      '\n| Key shows | µs per page of 50 trades | µs per figures by setup | ms for the first page after a change |\n|---|---|---|---|',
    );
    const writer = new Database(files.journal);
    let start = 0;
    for (const [name, lens] of Object.entries(lenses)) {
      const { key } = issueKey(files, {
        userId: 'me',
        name,
        scopes,
        lens,
        expires: now + 3_600_000,
        now,
      });
      const ask = async (path: string) => {
        const from = new Date(Date.UTC(2001, 0, 1) + start++ * 1000).toISOString();
        const reply = await app.request(`${path}&start=${from}`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        if (reply.status !== 200) throw new Error(`answered ${reply.status}`);
        await reply.arrayBuffer();
      };
      const cells: string[] = [];
      for (const path of [
        '/v1/trades?limit=50',
        '/v1/analytics/summary?sections=performance&group_by=setup',
      ]) {
        for (let call = 0; call < 200; call++) await ask(path);
        const times: number[] = [];
        for (let round = 0; round < rounds; round++) {
          times.push(
            (await cpuOf(async () => {
              for (let call = 0; call < 100; call++) await ask(path);
            })) / 100,
          );
        }
        cells.push(medianOf(times)?.toFixed(0) ?? '');
      }
      const firsts: number[] = [];
      for (let round = 0; round < rounds; round++) {
        writer.exec(`UPDATE users SET name = '${round}'`);
        firsts.push((await cpuOf(() => ask('/v1/trades?limit=50'))) / 1000);
      }
      cells.push(medianOf(firsts)?.toFixed(1) ?? '');
      console.log(`| ${name} | ${cells.join(' | ')} |`);
    }
    writer.close();
  }

  /** Microseconds of processor time. */
  async function cpuOf(run: () => Promise<void>): Promise<number> {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
