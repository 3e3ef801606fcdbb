/**
 * Long reads on threads, measured against another build of the program, interleaved:
 * node bench/threads.ts [OTHER [TRADES [ROUNDS]]] (OTHER: the program.cjs of another build, or -
 * for none; default: 100,000 trades, 3 rounds)
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openForWriting } from '../src/journal-write/open.ts';
import { addUser, newUser } from '../src/journal-write/users.ts';
import { makeJournal } from './make-journal.ts';
import { memoryOf } from './server.ts';

const [other = '-', trades = '100000', rounds = '3'] = process.argv.slice(2);
const PROGRAMS = { ours: 'dist/program.cjs', ...(other === '-' ? {} : { other }) };

/** Keys that ask for leaks without pause. */
const BUSY_KEYS = 3;

const LEAKS = '/v1/analytics/summary?sections=leaks';
const ALL =
  '/v1/analytics/summary?sections=performance,daily,breakdowns,previous,mistakes,rules,open,missed,data_quality,leaks,simulation,exits';

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const journal = join(home, 'journal.db');
let asked = 0;

/** A different response each time: the end of the period is after the last trade. */
const later = (path: string) =>
  `${path}${path.includes('?') ? '&' : '?'}end=2027-01-01T00:00:00.${String(asked++).padStart(6, '0')}Z`;

interface Server {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

async function serve(program: string, threads: number): Promise<Server> {
  const args = [
    program,
    'serve',
    '--port',
    '0',
    '--rate-limit',
    '0',
    '--log',
    'off',
    '--home',
    home,
  ];
  const env = { ...process.env, JOURNAL_API_THREADS: String(threads) };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface(child.stderr)[Symbol.asyncIterator]();
  const url = /ready at (\S+)/.exec(String((await lines.next()).value))?.[1] as string;
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url, pid: child.pid as number, stop };
}

function keyOf(user: string): string {
  const args = [
    'key',
    'create',
    '--name',
    'bench',
    '--scopes',
    'all',
    '--expires',
    '24h',
    '--user',
    user,
    '--home',
    home,
  ];
  const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
  return execFileSync(process.execPath, ['dist/program.cjs', ...args], { stdio })
    .toString()
    .trim();
}

type Ask = (path: string) => Promise<{ ms: number; status: number }>;

function askerOf({ url }: Server, key: string): Ask {
  const agent = new Agent({ keepAlive: true });
  return async (path) => {
    const since = performance.now();
    const request = get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${key}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return { ms: performance.now() - since, status: response.statusCode as number };
  };
}

const at = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number;

async function times(ask: Ask, path: () => string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) {
    const asking = path();
    const { ms, status } = await ask(asking);
    if (status !== 200) throw new Error(`${asking}: ${status}`);
    all.push(ms);
  }
  return all;
}

/** Short reads: a cached page, a list of 50, a single trade. */
const SHORT = {
  cached: () => '/v1/trades',
  list: () => later('/v1/trades'),
  'single trade': () => `/v1/trades/t${String((asked++ * 7919) % Number(trades)).padStart(8, '0')}`,
};

/** Processor time of a process in seconds. */
function usedBy(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Results by what was measured, then by program. */
const results = new Map<string, Map<string, number[]>>();

function note(what: string, program: string, value: number): void {
  const of = results.get(what) ?? new Map<string, number[]>();
  results.set(what, of);
  of.set(program, [...(of.get(program) ?? []), value]);
}

/** Commits every three seconds until stopped; returns the longest wait in milliseconds. */
function writer(): () => Promise<number> {
  const child = spawn(process.execPath, ['-e', WRITER, journal], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    return Number((await ended)[0]);
  };
}

const WRITER = `
  const db = require('better-sqlite3')(process.argv[1], { timeout: 30_000 });
  let longest = 0;
  const timer = setInterval(() => {
    const since = performance.now();
    db.exec("BEGIN IMMEDIATE; UPDATE users SET name = hex(randomblob(4)) WHERE id = 'you'; COMMIT");
    longest = Math.max(longest, performance.now() - since);
  }, 3000);
  process.stdin.resume().on('end', () => {
    clearInterval(timer);
    console.log(longest);
  });`;

async function measure(
  name: string,
  program: string,
  keys: readonly string[],
  round: number,
): Promise<void> {
  const started = performance.now();
  const server = await serve(program, 1);
  const ask = askerOf(server, keys[0] as string);
  await ask(SHORT.cached());
  note('start to the first response, ms', name, performance.now() - started);
  await times(ask, SHORT.cached, 3);
  await sleep(500);
  note('memory after the start, MB', name, memoryOf(server.pid));
  note(
    "a year's summary, ms",
    name,
    at(await times(ask, () => `/v1/summary?days=${365 - (asked++ % 100)}`, 9), 0.5),
  );
  note(
    'labels, ms',
    name,
    at(await times(ask, () => `/v1/labels?top=${1 + (asked++ % 150)}`, 3), 0.5),
  );
  note(
    'search without a match, ms',
    name,
    at(await times(ask, () => `/v1/trades?q=none${asked++}`, 3), 0.5),
  );
  note('all figures, ms', name, at(await times(ask, () => later(ALL), 2), 0));
  note('leaks, ms', name, at(await times(ask, () => later(LEAKS), 2), 0));
  note('memory after these, MB', name, memoryOf(server.pid));

  for (const [what, path] of Object.entries(SHORT)) {
    const idle = await times(ask, path, 400);
    note(`${what}: median, ms`, name, at(idle, 0.5));
    note(`${what}: slowest hundredth, ms`, name, at(idle, 0.99));
  }
  let isOver = false;
  const busy = keys.slice(1, 1 + BUSY_KEYS).map(async (key) => {
    const askLong = askerOf(server, key);
    while (!isOver) await askLong(later(LEAKS));
  });
  await sleep(1000);
  for (const [what, path] of Object.entries(SHORT)) {
    const beside = await times(ask, path, 400);
    note(`${what} beside three long: slowest hundredth, ms`, name, at(beside, 0.99));
  }
  note('memory at work, MB', name, memoryOf(server.pid));
  isOver = true;
  await Promise.all(busy);

  const leaving = new AbortController();
  const left = fetch(`${server.url}${later(ALL)}`, {
    headers: { authorization: `Bearer ${keys[0]}` },
    signal: leaving.signal,
  }).catch(() => undefined);
  await sleep(700);
  leaving.abort();
  await left;
  await sleep(200);
  const used = usedBy(server.pid);
  await sleep(1000);
  note(
    'processor time in the second after 200 ms without its client, s',
    name,
    usedBy(server.pid) - used,
  );

  const stop = writer();
  const statuses: number[] = [];
  for (const path of ['/v1/trades?q=nowhere', LEAKS, LEAKS])
    statuses.push((await ask(later(path))).status);
  note('longest wait of a writer, ms', name, await stop());
  note('status of a search and of leaks beside it', name, Math.max(...statuses));
  if (round === 0) {
    await ask(later(LEAKS));
    await sleep(65_000);
    note('memory a minute later, MB', name, memoryOf(server.pid));
  }
  await server.stop();

  const two = await serve(program, 2);
  const [first, second] = [askerOf(two, keys[1] as string), askerOf(two, keys[2] as string)];
  await Promise.all([first(later(LEAKS)), second(later(LEAKS))]);
  const one = at(await times(first, () => later(LEAKS), 2), 0);
  const since = performance.now();
  await Promise.all([first(later(LEAKS)), second(later(LEAKS))]);
  note('two long at once, of one', name, (performance.now() - since) / one);
  await two.stop();
}

try {
  makeJournal(journal, Number(trades));
  const db = openForWriting(journal);
  addUser(db, newUser('you', {}), Date.now());
  db.close();
  const keys = Array.from({ length: 1 + BUSY_KEYS }, () => keyOf('me'));
  for (let round = 0; round < Number(rounds); round++)
    for (const [name, program] of Object.entries(PROGRAMS))
      await measure(name, program, keys, round);
  const names = Object.keys(PROGRAMS);
  console.log(
    `${trades} trades, best of ${rounds} interleaved rounds, Node ${process.versions.node}`,
  );
  console.log(`| | ${names.join(' | ')} |\n|---|${'---|'.repeat(names.length)}`);
  for (const [what, of] of results) {
    const cells = names.map((name) => at(of.get(name) ?? [], 0).toFixed(2));
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
