/** `open`, with a program in the browser's place that writes down what it is given. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { servesThese } from '../../src/commands/find-service.ts';
import { listKeys } from '../../src/keys/store.ts';
import { World } from '../helpers.ts';
import { PROGRAM, run, runHere, startServe } from '../program.ts';

let world: World;
let home: string;

beforeEach(() => {
  world = new World();
  home = world.files.home;
});

/** A folder for PATH whose xdg-open notes its arguments, the process list, the file it is given and its mode. */
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
    seen: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''),
  };
}

/** Starts `open`, and ends it with the test. */
function startOpen(args: readonly string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'open', '--home', home, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { all: '' };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (output.all += part));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

const keyIn = (text: string) => /#key=(jak_\w+)/.exec(text)?.[1] as string;

describe.skipIf(process.platform !== 'linux')('open', () => {
  test('serves, and gives the key to the browser in a private file, for no list of processes to show', async () => {
    const { env, seen } = fakeBrowser();
    const { child, output } = startOpen(['--port', '0'], env);
    await until(() => output.all.includes('Stop with Ctrl-C'));
    const key = keyIn(seen('page'));
    const url = /(http\S+) is open in the browser/.exec(output.all)?.[1] as string;
    expect(seen('page')).toContain(`content="0; url=${url}/#key=${key}"`);
    expect(seen('mode').trim()).toBe('600');
    expect(seen('processes')).toContain('xdg-open');
    expect([seen('args'), seen('processes'), output.all].filter((text) => text.includes(key))).toEqual([]);

    const me: any = await (await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } })).json();
    expect(me.data.key).toMatchObject({
      name: 'page',
      scopes: expect.arrayContaining(['trades:read', 'analytics:read']),
    });
    const hours = (Date.parse(me.data.key.expires_at) - Date.parse(me.data.key.created_at)) / 3_600_000;
    expect(hours).toBe(12);

    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(existsSync(seen('args').trim())).toBe(false);
  });

  test('uses the service that runs on these files, and prints the address where there is no browser', async () => {
    const serving = await startServe(['--home', home]);
    const args = ['open', '--home', home, '--port', String(serving.port), '--scopes', 'trades:read', '--expires', '1h'];
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^${serving.url}/#key=jak_\\w+\n$`));
    // What it looked for the service with is gone again.
    expect(listKeys(world.files.keys).map(({ name, scopes }) => [name, scopes])).toEqual([['page', ['trades:read']]]);
  });

  test('starts beside another service, at a free port unless one was asked for', async () => {
    const other = new World();
    const serving = await startServe(['--home', other.files.home]);
    const refused = await run(['open', '--no-browser', '--home', home, '--port', String(serving.port)]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is taken')]);
    const { output } = startOpen(['--no-browser'], { JOURNAL_API_PORT: '0' });
    await until(() => output.all.includes('Stop with Ctrl-C'));
    const [, url] = /(http\S+)\/#key=/.exec(output.all) ?? [];
    expect((await fetch(`${url}/v1/me`, { headers: { 'x-api-key': keyIn(output.all) } })).status).toBe(200);
  });

  test('without a journal it says what to do', async () => {
    const { code, stderr } = await runHere(['open', '--home', join(home, 'nothing')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/journal-api (init|import)/);
  });

  test('a browser that does not start is none', async () => {
    const { env } = fakeBrowser();
    writeFileSync(join(home, 'fake', 'xdg-open'), '#!/bin/sh\nexit 3\n');
    const { output } = startOpen(['--port', '0'], env);
    await until(() => output.all.includes('Stop with Ctrl-C'));
    expect(output.all).toMatch(/^http\S+\/#key=jak_\w+\n/m);
  });
});

test('a program that only looks like the service gets no key that is worth anything', async () => {
  const sent: (string | undefined)[] = [];
  const impostor = createServer((request, response) => {
    sent.push(request.headers.authorization);
    response.setHeader('Content-Type', 'application/json');
    response.end('{"data":{"status":"ok","key":{"id":"key_000000000"}}}');
  }).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  onTestFinished(() => void impostor.close());
  const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
  expect(await servesThese(url, world.files, 'me')).toBe(false);
  expect(sent).toHaveLength(2);
  const key = sent[1]?.replace('Bearer ', '') as string;
  expect((await world.ask('/v1/me', { key })).status).toBe(401);
  expect(listKeys(world.files.keys)).toEqual([]);
});
