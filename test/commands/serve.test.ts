/** The real program, started as users start it. */
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { certificate } from '../certificate.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { run, runHere, startServe } from '../program.ts';

let world: World;
let home: string;
let key: string;

beforeEach(() => {
  world = new World();
  // The program uses the real clock.
  world.now = Date.now();
  key = world.key();
  home = world.files.home;
  world.insert('trades', tradeRow('t-1'));
});

const bearer = (as = key) => ({ headers: { Authorization: `Bearer ${as}` } });

const json = (response: Response): Promise<any> => response.json();

/** A raw connection, and everything received. */
async function dial(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let all = '';
  socket.setEncoding('utf8').on('data', (part) => {
    all += part;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received: () => all };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

describe('serve', () => {
  test('prints its address, logs each request, and ends on SIGTERM with 0', async () => {
    const serving = await startServe(['--home', home]);
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    const response = await fetch(`${serving.url}/v1/trades?symbol=AAPL`, bearer());
    expect(response.status).toBe(200);
    expect((await json(response)).data).toHaveLength(1);
    expect((await fetch(`${serving.url}/nothing`)).status).toBe(404);
    serving.stop();
    const { code, stdout, stderr } = await serving.ended;
    expect([code, stdout]).toEqual([0, '']);
    const [ready, ...lines] = stderr.trim().split('\n');
    expect(ready).toBe(`journal-api is ready at ${serving.url}`);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', path: '/v1/trades', status: 200 },
      { method: 'GET', path: 'unknown', status: 404 },
    ]);
    expect(stderr).not.toMatch(/AAPL|jak_/);
  });

  test('--log off writes only the address', async () => {
    const serving = await startServe(['--home', home, '--log', 'off']);
    await fetch(`${serving.url}/v1/trades`, bearer());
    serving.stop();
    expect(await serving.ended).toEqual({
      code: 0,
      stdout: '',
      stderr: `journal-api is ready at ${serving.url}\n`,
    });
  });

  test('a begun request gets its response before the end, and idle connections are closed', async () => {
    const { port, stop, ended } = await startServe(['--home', home, '--log', 'off']);
    const begun = await dial(port);
    begun.socket.write(
      `GET /v1/trades HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`,
    );
    const idle = await dial(port);
    idle.socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => idle.received().includes('"ok"'));

    const silent = await dial(port);

    stop();
    await Promise.all([once(idle.socket, 'close'), once(silent.socket, 'close')]);
    // From here on it stops; begun requests have a second.
    // Ctrl-C arrives twice through the launcher: from the terminal, and forwarded.
    stop();
    begun.socket.write('\r\n');
    const since = performance.now();
    expect((await ended).code).toBe(0);
    expect(performance.now() - since).toBeLessThan(4500);
    expect(begun.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"id":"t-1"/);
  });

  test('HEAD, HTTP/1.0 and keep-alive over the wire', async () => {
    const { port } = await startServe(['--home', home, '--log', 'off']);
    const { socket, received } = await dial(port);
    const head = (method: string) =>
      `${method} /v1/trades/t-1 HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\n\r\n`;
    socket.write(head('HEAD'));
    await until(() => received().endsWith('\r\n\r\n'));
    const length = /content-length: (\d+)/i.exec(received())?.[1];
    const before = received().length;
    socket.write(head('GET'));
    await until(() => received().length > before && received().endsWith('}'));
    const [, body = ''] = received().slice(before).split('\r\n\r\n');
    expect(String(Buffer.byteLength(body))).toBe(length);
    expect(received()).not.toMatch(/transfer-encoding/i);
    const old = await dial(port);
    old.socket.write('GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n');
    await once(old.socket, 'close');
    expect(old.received()).toMatch(/200 OK[\s\S]*"ok"/);
  });

  test('odd request lines', async () => {
    const { port } = await startServe(['--home', home, '--log', 'off']);
    for (const [target, status] of [
      ['/v1/trades/%00%ff', 404],
      ['/v1/trades/%E0%A4%A', 404],
      ['/v1/../v1/trades/../../etc/passwd', 404],
      ['/v1\\trades', 400],
      ['//v1/trades', 404],
      ['http://evil.example.com/v1/nothing', 421],
      ['http://localhost/v1/nothing', 404],
      ['/v1/trades?%E0%A4%A', 400],
      ['/v1/trades????', 400],
      ['nonsense', 400],
      ['*', 400],
    ] as const) {
      const { socket, received } = await dial(port);
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`,
      );
      await once(socket, 'close');
      expect([target, received().split(' ')[1]]).toEqual([target, String(status)]);
      expect(received()).not.toMatch(/node_modules|\.ts\b|Error:/);
    }
  });

  test('wrong keys count for the address of the connection and ignore X-Forwarded-For', async () => {
    const { url } = await startServe(['--home', home, '--log', 'off']);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const headers = {
        Authorization: `Bearer ${generateKey()}`,
        'X-Forwarded-For': `198.51.100.${i}`,
      };
      statuses.push((await fetch(`${url}/v1/me`, { headers })).status);
    }
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect((await fetch(`${url}/v1/me`, bearer())).status).toBe(200);
  });

  test('--trust-proxy distinguishes clients behind a proxy', async () => {
    const { url } = await startServe(['--home', home, '--log', 'off', '--trust-proxy']);
    for (let i = 0; i < 35; i++) {
      const headers = {
        Authorization: `Bearer ${generateKey()}`,
        'X-Forwarded-For': `203.0.113.1, 198.51.100.${i}`,
      };
      expect((await fetch(`${url}/v1/me`, { headers })).status).toBe(401);
    }
  });

  test('--rate-limit and --cors-origin take effect', async () => {
    const origins = 'https://a.example.com/,http://localhost:3000';
    const { url } = await startServe([
      '--home',
      home,
      '--rate-limit',
      '2',
      '--cors-origin',
      origins,
    ]);
    const preflight = await fetch(`${url}/v1/me`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://a.example.com',
        'Access-Control-Request-Method': 'GET',
      },
    });
    expect([
      preflight.status,
      preflight.headers.get('Access-Control-Allow-Origin'),
    ]).toEqual([204, 'https://a.example.com']);
    const statuses = [];
    for (let i = 0; i < 3; i++)
      statuses.push((await fetch(`${url}/v1/me`, bearer())).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('settings come from the environment, and flags override it', async () => {
    const env = {
      JOURNAL_API_HOME: home,
      JOURNAL_API_PORT: 'nonsense, were it not for the flag',
      JOURNAL_API_LOG: 'off',
      JOURNAL_API_RATE_LIMIT: '1',
      JOURNAL_API_CORS_ORIGIN: 'https://a.example.com',
      JOURNAL_API_TRUST_PROXY: 'true',
    };
    const { url, output } = await startServe(['--rate-limit', '7'], { env });
    const me = await fetch(`${url}/v1/me`, {
      headers: { ...bearer().headers, Origin: 'https://a.example.com' },
    });
    expect((await json(me)).data.rate_limit.requests_per_minute).toBe(7);
    expect(me.headers.get('Access-Control-Allow-Origin')).toBe('https://a.example.com');
    expect(output.stderr).toBe(`journal-api is ready at ${url}\n`);

    const wrong = await runHere(['serve'], { env });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--port takes a whole number from 0 to 65535'),
    ]);
  });

  test('--home and --db may precede the command', async () => {
    const { ended, stop, url } = await startServe(['--log', 'off'], {
      env: { JOURNAL_API_HOME: '/nowhere', JOURNAL_API_DB: '/nowhere/journal.db' },
      before: ['--home', home, '--db', world.files.journal],
    });
    expect((await fetch(`${url}/v1/trades/t-1`, bearer())).status).toBe(200);
    stop();
    expect((await ended).code).toBe(0);
  });

  test('a taken port: one clear line, exit 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await run([
      'serve',
      '--home',
      home,
      '--port',
      String(port),
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `journal-api: port ${port} on 127.0.0.1 is in use; choose another with --port, or --port 0 for a free one\n`,
    );
  });

  test('a missing secret with existing keys: it refuses to start and creates no new one', async () => {
    rmSync(world.files.secret);
    const { code, stderr } = await run(['serve', '--home', home, '--port', '0']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^journal-api: the secret .* is missing, but .* has keys.*\n$/,
      ),
    ]);
    expect(statSync(world.files.secret, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('no journal yet: it warns, starts, responds with 503, and needs no restart', async () => {
    const folder = join(temporaryFolder(), 'new', 'home');
    const { url, output } = await startServe(['--home', folder, '--log', 'off']);
    expect(output.stderr).toMatch(
      /warning: can't read the journal .*journal\.db yet: .* missing/,
    );
    for (let i = 0; i < 3; i++) expect((await fetch(`${url}/healthz`)).status).toBe(503);
    expect((await fetch(`${url}/v1/me`)).status).toBe(401);
    // The cause is logged once, not for each request, and even with --log off.
    await until(() => /get 503:/.test(output.stderr));
    expect(output.stderr.match(/.*get 503:.*/g)).toEqual([
      'journal-api: requests get 503: the file is missing',
    ]);
    const noStore = await fetch(`${url}/v1/me`, bearer());
    expect([noStore.status, (await json(noStore)).detail]).toEqual([
      503,
      expect.stringContaining('create a first key with "journal-api key create"'),
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect((await runHere(['init', '--home', folder])).code).toBe(0);
    const create = ['key', 'create', '--name', 'n', '--scopes', 'all', '--expires', '1h'];
    const made = await runHere([...create, '--home', folder]);
    expect((await fetch(`${url}/v1/me`, bearer(made.stdout.trim()))).status).toBe(200);
    expect(statSync(join(folder, 'journal.db')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'keys.db')).mode & 0o777).toBe(0o600);
  });

  test.skipIf(process.platform === 'win32')(
    'warns of files that other users may read',
    async () => {
      chmodSync(world.files.secret, 0o640);
      chmodSync(world.files.keys, 0o604);
      const { output } = await startServe(['--home', home]);
      const warned = output.stderr.split('\n').filter((line) => line.includes('warning'));
      expect(warned).toEqual([
        expect.stringMatching(
          /other users of this machine may read or change (.*secret); run: chmod 600 \1$/,
        ),
        expect.stringMatching(
          /other users of this machine may read or change (.*keys\.db); run: chmod 600 \1$/,
        ),
      ]);
    },
  );

  test('--allowed-host adds host names and is repeatable; --host adds one too', async () => {
    const names = [
      '--allowed-host',
      'a.example.com',
      '--allowed-host',
      'b.example.com,c.example.com',
    ];
    const { port } = await startServe([
      '--home',
      home,
      '--log',
      'off',
      '--host',
      'localhost',
      ...names,
    ]);
    for (const [host, status] of [
      ['a.example.com', '200'],
      ['b.example.com', '200'],
      ['c.example.com:80', '200'],
      ['localhost', '200'],
      ['d.example.com', '421'],
    ]) {
      const { socket, received } = await dial(port);
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      await once(socket, 'close');
      expect([host, received().split(' ')[1]]).toEqual([host, status]);
    }
  });

  test('warns if keys would travel unencrypted', async () => {
    const { output } = await startServe(['--home', home, '--host', '0.0.0.0']);
    expect(output.stderr).toMatch(
      /warning: other machines can reach 0\.0\.0\.0, and without TLS keys travel unencrypted; pass --tls-cert/,
    );
  });
});

describe('wrong usage: exit 2 and one line', () => {
  test.each([
    [
      ['--port', 'x'],
      /--port takes a whole number from 0 to 65535, such as 4747; got "x"/,
    ],
    [['--port', '65536'], /--port takes/],
    [['--port', '-1'], /--port takes/],
    [['--host', ''], /--host takes an address/],
    [['--rate-limit', '1.5'], /--rate-limit takes a whole number/],
    [
      ['--threads', '0'],
      /--threads takes a whole number from 1 to 64, such as 2; got "0"/,
    ],
    [['--threads', 'many'], /--threads takes a whole number/],
    [['--cors-origin', '*'], /--cors-origin takes origins/],
    [['--cors-origin', 'app.example.com'], /--cors-origin takes origins/],
    [['--trust-proxy', 'proxy.local'], /--trust-proxy takes no value, or IP addresses/],
    [
      ['--allowed-host', 'https://a.example.com'],
      /--allowed-host takes names such as journal\.example\.com/,
    ],
    [['--allowed-host', 'a.example.com:443'], /--allowed-host takes names/],
    [['--log', 'xml'], /json, off/],
    [['--tls-cert', 'cert.pem'], /--tls-cert and --tls-key need each other/],
    [['--oauth'], /--oauth needs --mcp and --public-url/],
    [['--oauth', '--mcp'], /--oauth needs --mcp and --public-url/],
    [
      ['--oauth', '--public-url', 'https://a.example.com'],
      /--oauth needs --mcp and --public-url/,
    ],
    [
      ['--public-url', 'a.example.com'],
      /--public-url takes an https origin without a path/,
    ],
    [
      ['--public-url', 'http://a.example.com'],
      /--public-url takes.*; got "http:\/\/a\.example\.com"/,
    ],
    [['--public-url', 'http://127.0.0.1.example.com'], /--public-url takes/],
    [['--public-url', 'https://a.example.com/journal'], /--public-url takes/],
    [['--public-url', 'https://a.example.com?'], /--public-url takes/],
    [['--public-url', 'https://me@a.example.com'], /--public-url takes/],
    [['--public-url', ''], /--public-url takes/],
    [['--bogus'], /unknown option '--bogus'/],
    [['surplus'], /too many arguments/],
  ] as const)('serve %j', async (args, complaint) => {
    const { code, stdout, stderr } = await runHere([
      'serve',
      '--home',
      '/nowhere',
      ...args,
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(complaint);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('TLS', () => {
  test('--tls-cert and --tls-key serve https', async (context) => {
    const [cert, keyFile] = certificate(context.skip);
    const tls = ['--tls-cert', cert, '--tls-key', keyFile];
    const { url, stop, ended } = await startServe([
      '--home',
      home,
      '--log',
      'off',
      ...tls,
    ]);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const agent = new Agent({ ca: readFileSync(cert), keepAlive: true });
    onTestFinished(() => agent.destroy());
    const [response] = await once(
      httpsRequest(`${url}/v1/trades`, { agent, ...bearer() }).end(),
      'response',
    );
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(await text(response)).data).toHaveLength(1);
    // Plain HTTP on that port gets nothing.
    const plain = httpRequest(url.replace('https', 'http')).end();
    await expect(once(plain, 'response')).rejects.toThrow();
    stop();
    expect((await ended).code).toBe(0);
  });

  test('a missing or invalid certificate: one line, exit 1', async () => {
    const nonsense = join(home, 'nonsense.pem');
    writeFileSync(nonsense, 'nonsense');
    for (const file of [join(home, 'missing.pem'), nonsense]) {
      const tls = ['--tls-cert', file, '--tls-key', file];
      const { code, stderr } = await runHere([
        'serve',
        '--home',
        home,
        '--port',
        '0',
        ...tls,
      ]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^journal-api: .*can't be (read|used).*\n$/),
      ]);
    }
  });
});

describe('keys, with the program', () => {
  test('are created, used, listed and revoked while it serves', async () => {
    const { url, stop, ended } = await startServe(['--home', home, '--log', 'off']);
    const create = [
      'key',
      'create',
      '--name',
      'agent',
      '--scopes',
      'trades:read',
      '--expires',
      '1h',
    ];
    const made = await run([...create, '--home', home]);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^jak_[0-9A-Za-z]{49}\n$/);
    expect(made.stderr).not.toContain('jak_');
    const fresh = made.stdout.trim();
    const status = async (path: string) =>
      (await fetch(`${url}${path}`, bearer(fresh))).status;
    expect([await status('/v1/trades'), await status('/v1/sessions')]).toEqual([
      200, 403,
    ]);

    const listed = async () => {
      const { stdout } = await runHere(['key', 'list', '--json', '--home', home]);
      expect(stdout).not.toContain('jak_');
      return JSON.parse(stdout).find((entry: any) => entry.name === 'agent');
    };
    const { id } = await listed();
    expect((await runHere(['key', 'revoke', id, '--home', home])).code).toBe(0);
    const refused = await fetch(`${url}/v1/trades`, bearer(fresh));
    expect([refused.status, (await json(refused)).code]).toEqual([401, 'revoked_key']);

    stop();
    expect((await ended).code).toBe(0);
    const { last_used_at, state } = await listed();
    expect(state).toBe('revoked');
    expect(Math.abs(Date.now() - Date.parse(last_used_at))).toBeLessThan(60_000);
    for (const file of ['keys.db', 'secret'])
      expect(readFileSync(join(home, file)).includes(fresh)).toBe(false);
  });

  test('keep working if keys.db is read-only', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root can write everywhere');
    chmodSync(world.files.keys, 0o400);
    const { url, stop, ended } = await startServe(['--home', home, '--log', 'off']);
    expect((await fetch(`${url}/v1/me`, bearer())).status).toBe(200);
    stop();
    expect((await ended).code).toBe(0);
  });
});
