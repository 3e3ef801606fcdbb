/**
 * How it compares with other servers on the same journal: requests a second by wrk. The server has
 * one core, the client the other; rounds are interleaved, and all answers are compared first.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { medianOf } from '../../src/journal/analytics/statistics.ts';
import { makeJournal } from '../journal.ts';
import { keyFor, memoryOf, type Server, serve, serveRival } from '../processes.ts';
import type { Question } from '../question.ts';
import { installRivals } from '../rivals.ts';
import { type Load, load, type Measured } from '../wrk.ts';

const TRADES = 100_000;
const ROUNDS = 3;
const SECONDS = 2;

const PAGE = '/v1/trades?limit=50';
const ENDING = `${PAGE}&end=2025-03-01T12:00:00Z`;
const ONE = `/v1/trades/t${String(TRADES / 2).padStart(8, '0')}`;
const PAGES = ['bench/random-pages.lua', '/v1/trades?limit=50&end=END'];
const SINGLE = ['bench/random-trades.lua', String(TRADES)];

interface Contestant {
  server: Server;
  name: string;
  load: Omit<Load, 'url'> & { path?: string };
}

export const servers: Question = async (home) => {
  const journal = join(home, 'journal.db');
  makeJournal(journal, TRADES);
  const ours = await serve(home);
  const headers = { Authorization: `Bearer ${await keyFor(home)}` };
  const { text, etag } = await ask(ours, PAGE, headers);
  const body = join(home, 'page.json');
  writeFileSync(body, text);
  const folder = installRivals();
  const bare = await serveRival(join(folder, 'node.mjs'), journal, body);
  const fastify = await serveRival(join(folder, 'fastify.mjs'), journal);

  assert.equal((await ask(bare, PAGE)).text, text);
  for (const path of [PAGE, ENDING, ONE])
    assert.deepEqual(
      dataOf(await ask(fastify, path)),
      dataOf(await ask(ours, path, headers)),
    );

  const api = (
    more: Omit<Contestant['load'], 'headers'> = {},
    extra = {},
  ): Contestant => ({
    name: 'journal-api',
    server: ours,
    load: { ...more, headers: { ...headers, ...extra } },
  });
  const rival = (
    name: string,
    server: Server,
    more: Contestant['load'] = {},
  ): Contestant => ({
    name,
    server,
    load: more,
  });
  const CONSTANT = 'node:http, constant bytes';
  const HANDLER = 'Fastify + better-sqlite3, by hand';
  const unchanged = { 'If-None-Match': etag };

  const rows: string[][] = [];
  const compare = async (
    work: string,
    contestants: readonly Contestant[],
    isWriting = false,
  ) =>
    void rows.push(
      ...(await comparison(work, contestants, isWriting ? journal : undefined)),
    );
  try {
    await compare('newest 50 trades, cached', [
      api({ path: PAGE }),
      rival(CONSTANT, bare, { path: PAGE }),
      rival(HANDLER, fastify, { path: PAGE }),
    ]);
    await compare('the same with If-None-Match', [
      api({ path: PAGE }, unchanged),
      rival(CONSTANT, bare, { path: PAGE, headers: unchanged }),
    ]);
    await compare('another page each time', [
      api({ script: PAGES }),
      rival(HANDLER, fastify, { script: PAGES }),
    ]);
    await compare('one trade with its entries, another each time', [
      api({ script: SINGLE }),
      rival(HANDLER, fastify, { script: SINGLE }),
    ]);
    const beside = [api({ path: PAGE }), rival(HANDLER, fastify, { path: PAGE })];
    await compare(
      'newest 50 trades while a program commits 20 times a second',
      beside,
      true,
    );
  } finally {
    await Promise.all([ours, bare, fastify].map((server) => server.stop()));
  }
  return {
    columns: ['Work', 'Server', 'requests/s', 'ours to it', 'p99 ms', 'MB'],
    rows,
  };
};

/** @param journal another program writes to it meanwhile */
async function comparison(
  work: string,
  contestants: readonly Contestant[],
  journal: string | undefined,
): Promise<string[][]> {
  const measured = contestants.map((): Measured[] => []);
  const once = ({ server, load: { path = '', ...rest } }: Contestant, seconds: number) =>
    load({ ...rest, url: `${server.url}${path}` }, seconds);
  for (const contestant of contestants) await once(contestant, 1);
  const writer = journal === undefined ? undefined : startWriter(journal);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, contestant] of contestants.entries())
      measured[i]?.push(await once(contestant, SECONDS));
  }
  if (writer) await stopWriter(writer);

  return contestants.map(({ name, server }, i) => {
    const own = measured[i] as Measured[];
    const ratios = own.map(
      ({ perSecond }, round) => (rate(measured[0], round) || 0) / perSecond,
    );
    return [
      work,
      name,
      Math.round(middle(own.map(({ perSecond }) => perSecond))).toLocaleString('en'),
      i === 0 ? '' : middle(ratios).toFixed(2),
      middle(own.map(({ p99 }) => p99)).toFixed(1),
      memoryOf(server).toFixed(0),
    ];
  });
}

const rate = (measured: readonly Measured[] | undefined, round: number) =>
  measured?.[round]?.perSecond ?? 0;

const middle = (values: readonly number[]) => medianOf(values) as number;

const WRITER = `
  const db = require('better-sqlite3')(process.argv[1], { timeout: 5000 });
  setInterval(() => db.exec("UPDATE users SET name = hex(randomblob(4)) WHERE id = 'me'"), 50);`;

function startWriter(journal: string): ChildProcess {
  return spawn(process.execPath, ['-e', WRITER, journal], { stdio: 'inherit' });
}

async function stopWriter(writer: ChildProcess): Promise<void> {
  if (writer.exitCode !== null) throw new Error('the writer ended early');
  const ended = once(writer, 'exit');
  writer.kill('SIGTERM');
  await ended;
}

interface Reply {
  text: string;
  etag: string;
}

async function ask({ url }: Server, path: string, headers = {}): Promise<Reply> {
  const response = await fetch(`${url}${path}`, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text.slice(0, 200)}`);
  return { text, etag: response.headers.get('etag') ?? '' };
}

function dataOf({ text }: Reply): unknown {
  return JSON.parse(text).data;
}
