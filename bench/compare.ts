/**
 * Compares the built server with its rivals on the same journal and work: node bench/compare.ts [TRADES [SECONDS [ROUNDS]]]
 * (default: 100,000 trades, 5 rounds of 4 s each). Every response is checked first; the rounds are interleaved, and
 * medians go into a Markdown table. Only ratios from one run are comparable between machines.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { makeJournal } from './make-journal.ts';
import {
  installRivals,
  POCKETBASE_PAGE,
  POCKETBASE_PAGES,
  SOUL_PAGE,
  startPocketBase,
  startScript,
  startSoul,
} from './rivals.ts';
import { memoryOf, type Running, startServer } from './server.ts';
import { type Load, load, type Measured } from './wrk.ts';

const [trades, seconds, rounds] = [
  process.argv[2] ?? '100000',
  process.argv[3] ?? '4',
  process.argv[4] ?? '5',
].map(Number) as [number, number, number];
const PAGE = '/v1/trades?limit=50';
const END = '2025-03-01T12:00:00Z';
const ONE = `/v1/trades/t${String(Math.floor(trades / 20) * 10).padStart(8, '0')}`;
const OTHER_PAGES = ['bench/random-pages.lua', '/v1/trades?limit=50&end=END'];
const OTHER_TRADES = ['bench/random-trades.lua', String(trades)];

const middle = (values: readonly number[]) => medianOf(values) as number;

interface Contestant {
  name: string;
  server: Running;
  load: () => Load;
}

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const running: Running[] = [];
const started = async <R extends Running>(starting: Promise<R>): Promise<R> => {
  const server = await starting;
  running.push(server);
  return server;
};

try {
  const journal = join(home, 'journal.db');
  makeJournal(journal, trades);
  const folder = installRivals();

  const ours = await started(startServer(home));
  const quiet = await started(startServer(home, '--log', 'off'));
  const unlimited = await started(startServer(home, '--rate-limit', '0'));
  const withKey = (headers = {}) => ({
    headers: { Authorization: `Bearer ${ours.key()}`, ...headers },
  });
  const page = await ask(`${ours.url}${PAGE}`, withKey());
  const body = join(home, 'page.json');
  writeFileSync(body, page.text);

  const node = await started(startScript(folder, 'node.mjs', PAGE, journal, body));
  const hono = await started(startScript(folder, 'hono.mjs', PAGE, journal, body));
  const fastify = await started(startScript(folder, 'fastify.mjs', PAGE, journal));
  const express = await started(startScript(folder, 'express.mjs', PAGE, journal));
  copyFileSync(journal, join(home, 'soul.db'));
  const soul = await started(startSoul(folder, join(home, 'soul.db')));
  mkdirSync(join(home, 'pocketbase'));
  const pocketbase = await started(startPocketBase(folder, journal, join(home, 'pocketbase')));

  const data = page.json.data as { id: string }[];
  const other = (await ask(`${ours.url}${PAGE}&end=${END}`, withKey())).json.data;
  const one = (await ask(`${ours.url}${ONE}`, withKey())).json.data as { journals: unknown[] };
  assert.equal(data.length, 50);
  assert.equal(one.journals.length, 1);
  for (const { url } of [node, hono]) assert.equal((await ask(`${url}${PAGE}`)).text, page.text);
  for (const { url } of [fastify, express]) {
    assert.deepEqual((await ask(`${url}${PAGE}`)).json.data, data);
    assert.deepEqual((await ask(`${url}${PAGE}&end=${END}`)).json.data, other);
    assert.deepEqual((await ask(`${url}${ONE}`)).json.data, one);
  }
  assert.deepEqual((await ask(`${node.url}${ONE}`)).json.data, one);
  const ids = data.map(({ id }) => id);
  assert.deepEqual(idsOf((await ask(`${soul.url}${SOUL_PAGE}`)).json.data), ids);
  assert.deepEqual(idsOf((await ask(`${pocketbase.url}${POCKETBASE_PAGE}`)).json.items), ids);
  const found = await ask(`${pocketbase.url}${POCKETBASE_PAGES.replace('END', END)}`);
  assert.deepEqual(idsOf(found.json.items), idsOf(other));

  const at = (
    name: string,
    server: Running,
    path: string,
    rest: () => Partial<Load> = () => ({}),
  ): Contestant => ({
    name,
    server,
    load: () => ({ url: `${server.url}${path}`, ...rest() }),
  });
  const journalApi = (path: string, rest: Partial<Load> = {}) =>
    at('journal-api, everything on', ours, path, () => ({ ...withKey(), ...rest }));

  console.log(
    `Journal of ${trades} trades, Node ${process.versions.node}, ${rounds} rounds of ${seconds} s\n`,
  );
  await compare(`Newest 50 trades, again and again (${Math.round(page.text.length / 1024)} KB)`, [
    journalApi(PAGE),
    at('the same without a log', quiet, PAGE, withKey),
    at('the same without a rate limit', unlimited, PAGE, withKey),
    at('node:http, the same bytes, constant', node, PAGE),
    at('Hono, the same bytes, constant', hono, PAGE),
    at('Fastify + better-sqlite3', fastify, PAGE),
    at('Express + better-sqlite3', express, PAGE),
    at('soul-cli', soul, SOUL_PAGE),
    at('PocketBase', pocketbase, POCKETBASE_PAGE),
  ]);
  const etag = { 'If-None-Match': page.etag };
  await compare('The same with If-None-Match', [
    at('journal-api, everything on', ours, PAGE, () => withKey(etag)),
    at('the same without a log', quiet, PAGE, () => withKey(etag)),
    at('node:http, constant', node, PAGE, () => ({ headers: etag })),
  ]);
  await compare('50 trades, a different page each time', [
    journalApi('', { script: OTHER_PAGES }),
    at('Fastify + better-sqlite3', fastify, '', () => ({ script: OTHER_PAGES })),
    at('Express + better-sqlite3', express, '', () => ({ script: OTHER_PAGES })),
    at('PocketBase', pocketbase, '', () => ({
      script: ['bench/random-pages.lua', POCKETBASE_PAGES],
    })),
  ]);
  const write = async <T>(commits: number, work: () => Promise<T>): Promise<T> => {
    const writer = spawn(process.execPath, ['bench/writer.ts', journal, String(commits)], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    try {
      return await work();
    } finally {
      await stopped(writer);
    }
  };
  await compare(
    'Newest 50 trades while another program commits 20 times a second',
    [
      journalApi(PAGE),
      at('Fastify + better-sqlite3', fastify, PAGE),
      at('Express + better-sqlite3', express, PAGE),
    ],
    (work) => write(20, work),
  );
  await compare('One trade with its journals, another one each time', [
    journalApi('', { script: OTHER_TRADES }),
    at('node:http + better-sqlite3, the same queries', node, '', () => ({ script: OTHER_TRADES })),
    at('Fastify + better-sqlite3', fastify, '', () => ({ script: OTHER_TRADES })),
  ]);
} catch (error) {
  // Bodies in the message are long.
  process.stderr.write(`${error instanceof Error ? error.stack?.slice(0, 2000) : error}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(home, { recursive: true, force: true });
}

/** Measures contestants in turn, and prints a table with the ratio of the first one to each. */
async function compare(
  title: string,
  contestants: readonly Contestant[],
  around: (work: () => Promise<Measured>) => Promise<Measured> = (work) => work(),
): Promise<void> {
  const results = contestants.map(() => [] as Measured[]);
  for (const { load: of } of contestants) await load(of(), 1);
  for (let round = 0; round < rounds; round++) {
    for (const [i, contestant] of contestants.entries()) {
      results[i]?.push(await around(() => load(contestant.load(), seconds)));
    }
  }
  const perSecond = results.map((measured) => measured.map((one) => one.perSecond));
  console.log(`### ${title}\n`);
  console.log(
    '| Server | requests/s | journal-api to it | p99 ms | RSS MB |\n|---|---|---|---|---|',
  );
  for (const [i, { name, server }] of contestants.entries()) {
    const ratio = middle(
      (perSecond[0] as number[]).map((ours, round) => ours / (perSecond[i]?.[round] as number)),
    );
    const p99 = middle((results[i] as Measured[]).map((one) => one.p99));
    const rate = Math.round(middle(perSecond[i] as number[])).toLocaleString('en');
    console.log(
      `| ${name} | ${rate} | ${i === 0 ? '' : `${ratio.toFixed(2)}x`} | ${p99.toFixed(1)} | ${memoryOf(server.pid).toFixed(0)} |`,
    );
  }
  console.log();
}

/** @throws if it wrote nothing */
function stopped(writer: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    writer.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    writer.once('close', () =>
      Number(text) > 0 ? resolve() : reject(new Error('the writer wrote nothing')),
    );
    writer.kill('SIGTERM');
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a response of any server
type Reply = { text: string; json: any; etag: string };

async function ask(
  url: string,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, `${url}: ${text.slice(0, 200)}`);
  return { text, json: JSON.parse(text), etag: response.headers.get('etag') ?? '' };
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
