/** `open`, with a fake browser that records its input. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as passOn,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findService } from '../../src/commands/open.ts';
import { CHALLENGE_HEADER, PROOF_HEADER } from '../../src/keys/secret.ts';
import { listKeys } from '../../src/keys/store.ts';
import { tradeRow, World } from '../helpers.ts';
import { PROGRAM, run, runHere, startServe } from '../program.ts';

let world: World;
let home: string;

beforeEach(() => {
  world = new World();
  home = world.files.home;
});

/** A folder for PATH with an xdg-open that records its arguments, the process list, and the file with its mode. */
function fakeBrowser(): { env: Record<string, string>; seen: (name: string) => string } {
  const folder = join(home, 'fake');
  mkdirSync(folder);
  const script = `#!/bin/sh
cp "$1" ${folder}/page
stat -c %a "$1" > ${folder}/mode
cat /proc/[0-9]*/cmdline > ${folder}/processes 2>/dev/null
echo "$@" > ${folder}/args
`;
  writeFileSync(join(folder, 'xdg-open'), script);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  return {
    env: { DISPLAY: ':9', PATH: `${folder}:/usr/bin:/bin` },
    seen: (name) =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '',
  };
}

/** Starts `open` and kills it at the end of the test. */
function startOpen(args: readonly string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(
    process.execPath,
    [PROGRAM, 'open', '--home', home, ...args],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = { all: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part) => (output.all += part));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

const keyIn = (text: string) => /#key=(jak_\w+)/.exec(text)?.[1] as string;

describe.skipIf(process.platform !== 'linux')('open', () => {
  test('with a lens, the page shows no more than a key with it; an account without trades is refused', async () => {
    world.insert('trades', tradeRow('t-1', { account: 'main' }));
    const { output } = startOpen(
      ['--port', '0', '--no-browser', '--hide', 'money', '--accounts', 'main'],
      {},
    );
    await until(() => output.all.includes('Stop with Ctrl-C'));
    expect(output.all).toContain('It shows trades of the account main, without money.');
    const [, url, key] = /(http\S+)\/#key=(\S+)/.exec(output.all) ?? [];
    const reply = await fetch(`${url}/v1/trades`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const [trade] = ((await reply.json()) as any).data;
    expect([trade.id, 'net_pnl' in trade]).toEqual(['t-1', false]);
    const refused = await runHere([
      'open',
      '--home',
      home,
      '--no-browser',
      '--accounts',
      'mian',
    ]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('no trade has the account "mian"'),
    ]);
  });

  test('serves, and hands the key to the browser in a private file, hidden from the list of processes', async () => {
    const { env, seen } = fakeBrowser();
    const { child, output } = startOpen(['--port', '0'], env);
    await until(() => output.all.includes('Stop with Ctrl-C'));
    const key = keyIn(seen('page'));
    const url = /(http\S+) is open in the browser/.exec(output.all)?.[1] as string;
    expect(seen('page')).toContain(`content="0; url=${url}/#key=${key}"`);
    expect(seen('mode').trim()).toBe('600');
    expect(seen('processes')).toContain('xdg-open');
    expect(
      [seen('args'), seen('processes'), output.all].filter((text) => text.includes(key)),
    ).toEqual([]);

    const me: any = await (
      await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
    ).json();
    expect(me.data.key).toMatchObject({
      name: 'page',
      scopes: expect.arrayContaining(['trades:read', 'analytics:read']),
    });
    const hours =
      (Date.parse(me.data.key.expires_at) - Date.parse(me.data.key.created_at)) /
      3_600_000;
    expect(hours).toBe(12);

    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(existsSync(seen('args').trim())).toBe(false);
    // Its key is revoked at the end.
    expect(listKeys(world.files.keys)).toMatchObject([
      { name: 'page', revoked_at: expect.any(String) },
    ]);
  });

  test.each([
    ['open', ['open', '--no-browser', '--expires', '1h']],
    ['key list', ['key', 'list']],
    [
      'key create',
      ['key', 'create', '--name', 'a', '--scopes', 'all', '--expires', '1h'],
    ],
  ])(
    'if killed, it leaves a file with its key, removed by the next %s',
    async (_what, args) => {
      const { env, seen } = fakeBrowser();
      const serving = await startServe(['--home', home]);
      const killed = startOpen(['--port', String(serving.port)], env);
      await until(() => killed.output.all.includes('is open in the browser'));
      const file = seen('args').trim();
      expect(readFileSync(file, 'utf8')).toContain(keyIn(seen('page')));
      // While it runs, other commands keep its file.
      await run(['key', 'list', '--home', home]);
      expect(existsSync(file)).toBe(true);
      killed.child.kill('SIGKILL');
      await once(killed.child, 'exit');
      expect(
        (
          await run([
            ...args,
            '--home',
            home,
            ...(args[0] === 'open' ? ['--port', String(serving.port)] : []),
          ])
        ).code,
      ).toBe(0);
      expect(readdirSync(home).filter((name) => name.endsWith('.html'))).toEqual([]);
    },
  );

  test.each([
    ['fails', 'exit 3'],
    ['is killed', 'kill -9 $$'],
    ['fails late', 'sleep 0.3; exit 1'],
  ])(
    'with a running service, it prints the address if the opener %s',
    async (_what, script) => {
      const { env } = fakeBrowser();
      writeFileSync(join(home, 'fake', 'xdg-open'), `#!/bin/sh\n${script}\n`);
      const serving = await startServe(['--home', home]);
      const { code, stdout } = await run(
        ['open', '--home', home, '--port', String(serving.port)],
        {
          env,
        },
      );
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^http\S+\/#key=jak_\w+\n$/),
      ]);
      expect(readdirSync(home).filter((name) => name.endsWith('.html'))).toEqual([]);
    },
  );

  test('with a running service, it ends and removes the file once the browser has read it', async () => {
    const { env, seen } = fakeBrowser();
    // This opener becomes the browser itself, which starts slowly.
    const slowly = readFileSync(join(home, 'fake', 'xdg-open'), 'utf8').replace(
      '\n',
      '\nsleep 0.4\n',
    );
    writeFileSync(join(home, 'fake', 'xdg-open'), slowly);
    const serving = await startServe(['--home', home]);
    const { child, output } = startOpen(['--port', String(serving.port)], env);
    await until(() => seen('args') !== '');
    expect(seen('page')).toContain('#key=jak_');
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect([(await once(child, 'exit'))[0], output.all]).toEqual([
      0,
      expect.stringContaining('is open in the browser'),
    ]);
    expect(existsSync(seen('args').trim())).toBe(false);
    // The service and the key keep working.
    expect(listKeys(world.files.keys)).toMatchObject([
      { name: 'page', revoked_at: null },
    ]);
  });

  test('uses the running service of these files, and prints the address without a browser', async () => {
    const serving = await startServe(['--home', home]);
    const args = [
      'open',
      '--home',
      home,
      '--port',
      String(serving.port),
      '--scopes',
      'trades:read',
      '--expires',
      '1h',
    ];
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^${serving.url}/#key=jak_\\w+\n$`));
    // The key that looked for the service is deleted.
    expect(listKeys(world.files.keys).map(({ name, scopes }) => [name, scopes])).toEqual([
      ['page', ['trades:read']],
    ]);
  });

  test('starts at a free port if another service has the default one, unless a port was given', async () => {
    const other = new World();
    const serving = await startServe(['--home', other.files.home]);
    const refused = await run([
      'open',
      '--no-browser',
      '--home',
      home,
      '--port',
      String(serving.port),
    ]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('is in use'),
    ]);
    const { output } = startOpen(['--no-browser'], { JOURNAL_API_PORT: '0' });
    await until(() => output.all.includes('Stop with Ctrl-C'));
    const [, url] = /(http\S+)\/#key=/.exec(output.all) ?? [];
    expect(
      (await fetch(`${url}/v1/me`, { headers: { 'x-api-key': keyIn(output.all) } }))
        .status,
    ).toBe(200);
  });

  test('without a journal it names the next command', async () => {
    const { code, stderr } = await runHere(['open', '--home', join(home, 'nothing')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/journal-api (init|import)/);
  });

  test('prints the address if the browser does not start', async () => {
    const { env } = fakeBrowser();
    writeFileSync(join(home, 'fake', 'xdg-open'), '#!/bin/sh\nexit 3\n');
    const { output } = startOpen(['--port', '0'], env);
    await until(() => output.all.includes('Stop with Ctrl-C'));
    expect(output.all).toMatch(/^http\S+\/#key=jak_\w+\n/m);
  });
});

describe('an impostor at the address of the service', () => {
  /** Another program, with the requests it received. */
  async function impostor(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(JSON.stringify([request.url, request.headers]));
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  test('gets no key if it only looks like the service', async () => {
    const { url, asked } = await impostor((_request, response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        [PROOF_HEADER]: 'x'.repeat(43),
      });
      response.end('{"data":{"status":"ok"}}');
    });
    expect(await findService(url, world.files, 'me')).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toContain('jak_');
    expect(listKeys(world.files.keys)).toEqual([]);
  });

  test('gets no key if it forwards requests to the service', async () => {
    const serving = await startServe(['--home', home]);
    const { url, asked } = await impostor((request, response) => {
      const { host: _, ...headers } = request.headers;
      const options = {
        path: request.url,
        headers: { ...headers, host: `127.0.0.1:${serving.port}` },
      };
      passOn({ port: serving.port, host: '127.0.0.1', ...options }, (passed) => {
        response.writeHead(passed.statusCode as number, passed.headers);
        passed.pipe(response);
      }).end();
    });
    expect(await findService(serving.url, world.files, 'me')).toBe(serving.url);
    expect(await findService(url, world.files, 'me')).toBeUndefined();
    expect(asked).toHaveLength(1);
    // Nor from the command, which would start its own service without a given port.
    const { code, stderr } = await run([
      'open',
      '--no-browser',
      '--home',
      home,
      '--port',
      new URL(url).port,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is in use')]);
    expect(listKeys(world.files.keys)).toEqual([]);
    expect(asked.join()).not.toContain('jak_');
  });

  test.each([
    ['other files', (other: World) => writeFileSync(other.files.secret, 'x'.repeat(32))],
    ['a copy of the files', () => {}],
  ])('gets no key if it is a service on %s', async (_what, change) => {
    const other = new World();
    change(other);
    const serving = await startServe(['--home', other.files.home]);
    expect(await findService(serving.url, world.files, 'me')).toBeUndefined();
    expect(listKeys(world.files.keys)).toEqual([]);
  });

  test('a name is proved by its resolved address', async () => {
    const serving = await startServe(['--home', home]);
    const named = serving.url.replace('127.0.0.1', 'localhost');
    expect(await findService(named, world.files, 'me')).toBe(serving.url);
  });

  test.each(['', 'short', 'x'.repeat(44), 'é'.repeat(43)])(
    'the invalid challenge %j gets no proof',
    async (sent) => {
      const serving = await startServe(['--home', home]);
      const [answer] = (await once(
        passOn({
          port: serving.port,
          path: '/healthz',
          headers: { [CHALLENGE_HEADER]: sent },
        }).end(),
        'response',
      )) as [IncomingMessage];
      expect([answer.statusCode, answer.headers[PROOF_HEADER]]).toEqual([200, undefined]);
      answer.destroy();
    },
  );
});
