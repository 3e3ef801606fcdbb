/** Short reads, idle and beside long ones that other keys ask for without pause; and memory. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeJournal } from '../journal.ts';
import { keyFor, memoryOf, type Server, serve } from '../processes.ts';
import type { Question } from '../question.ts';

const TRADES = 100_000;
const BUSY_KEYS = 3;
const REQUESTS = 400;
const AT_REST_MS = 65_000;
const LEAKS = '/v1/analytics/summary?sections=leaks';

let asked = 0;

/** Another response each time: the end is after the last trade. */
const later = (path: string) =>
  `${path}${path.includes('?') ? '&' : '?'}end=2027-01-01T00:00:00.${String(asked++).padStart(6, '0')}Z`;

const SHORT: Readonly<Record<string, () => string>> = {
  'cached page': () => '/v1/trades',
  'uncached page of 50': () => later('/v1/trades'),
  'single trade': () =>
    `/v1/trades/t${String((asked++ * 7919) % TRADES).padStart(8, '0')}`,
};

export const threads: Question = async (folder) => {
  makeJournal(join(folder, 'journal.db'), TRADES);
  const server = await serve(folder, '--log', 'off');
  const ask = askerOf(server, await keyFor(folder));
  const others = await Promise.all(
    Array.from({ length: BUSY_KEYS }, () => keyFor(folder)),
  );
  const rows: string[][] = [];
  try {
    for (const path of Object.values(SHORT)) await times(ask, path, 3);
    rows.push(['memory after the start', `${memoryOf(server).toFixed(0)} MB`]);
    const leaks = at(await times(ask, () => later(LEAKS), 3), 0.5);
    rows.push(['`leaks` of all trades', `${(leaks / 1000).toFixed(1)} s`]);
    await measure('', rows, ask);

    let isOver = false;
    const busy = others.map(async (key) => {
      const askLong = askerOf(server, key);
      while (!isOver) await askLong(later(LEAKS));
    });
    await sleep(1000);
    await measure(` beside ${BUSY_KEYS} keys that ask for \`leaks\``, rows, ask);
    rows.push(['memory meanwhile', `${memoryOf(server).toFixed(0)} MB`]);
    isOver = true;
    await Promise.all(busy);
    await sleep(AT_REST_MS);
    rows.push(['memory a minute later', `${memoryOf(server).toFixed(0)} MB`]);
  } finally {
    await server.stop();
  }
  return { columns: ['100,000 trades', ''], rows };
};

async function measure(beside: string, rows: string[][], ask: Ask): Promise<void> {
  for (const [name, path] of Object.entries(SHORT)) {
    const taken = await times(ask, path, REQUESTS);
    const [middle, slow] = [at(taken, 0.5), at(taken, 0.99)].map((ms) => ms.toFixed(1));
    rows.push([`${name}${beside}`, `${middle} ms, slowest hundredth ${slow} ms`]);
  }
}

/** @returns milliseconds */
type Ask = (path: string) => Promise<number>;

function askerOf({ url }: Server, key: string): Ask {
  const agent = new Agent({ keepAlive: true });
  return async (path) => {
    const since = performance.now();
    const request = get(`${url}${path}`, {
      agent,
      headers: { authorization: `Bearer ${key}` },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
    return performance.now() - since;
  };
}

async function times(ask: Ask, path: () => string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push(await ask(path()));
  return all;
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[
    Math.floor((values.length - 1) * share)
  ] as number;
}
