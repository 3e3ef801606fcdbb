/** OAuth under a flood of registrations, and under random requests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExhaustive } from '../effort.ts';
import { World } from '../helpers.ts';
import * as flow from '../http/oauth/flow.ts';
import { startServe } from '../program.ts';

const REGISTRATIONS = 10_000;
const MAX_MB = 300;

test('10,000 registrations, from as many addresses, take no file and little memory', {
  timeout: 600_000,
}, async () => {
  const world = new World();
  world.now = Date.now();
  world.key();
  const { home } = world.files;
  const files = () =>
    readdirSync(home, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [
        name,
        name.includes('.') || name === 'secret'
          ? readFileSync(join(home, name), 'base64')
          : '',
      ]);
  const flags = [
    '--mcp',
    '--oauth',
    '--public-url',
    'https://journal.example.org',
    '--trust-proxy',
    '--log',
    'off',
  ];
  const { url, pid } = await startServe(['--home', home, ...flags]);
  const before = files();
  const body = JSON.stringify({
    client_name: 'x'.repeat(1000),
    redirect_uris: Array.from({ length: 5 }, (_, i) =>
      `https://agent.example.com/${i}`.padEnd(500, 'x'),
    ),
  });
  const register = async (address: number): Promise<number> => {
    const ip = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`;
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': ip };
    const response = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      body,
      headers,
    });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = new Set<number>();
  for (let i = 0; i < REGISTRATIONS; i += 20) {
    for (const status of await Promise.all(
      Array.from({ length: 20 }, (_, j) => register(i + j)),
    ))
      statuses.add(status);
  }
  expect(statuses).toEqual(new Set([201]));
  expect(files()).toEqual(before);
  const peak =
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) /
    1000;
  expect(peak).toBeLessThan(MAX_MB);
});

test('random requests get no 5xx, no redirect and no markup of theirs', {
  timeout: 600_000,
}, async () => {
  const world = flow.oauthWorld();
  const client = await flow.clientId(world);
  const key = world.key();
  const ticket = await flow.ticketFor(world, flow.authorizePath(client), key);
  const code = flow.answerIn(await flow.answer(world, ticket))['code'] as string;
  // Used up: no random request may succeed with it.
  const token = (await flow.exchange(world, client, code)).body.access_token as string;

  const near = fc.constantFrom(
    client,
    ticket,
    code,
    token,
    key,
    flow.REDIRECT,
    flow.CHALLENGE,
    flow.VERIFIER,
    'S256',
    'code',
  );
  const bent = fc
    .tuple(near, fc.nat(100), fc.string({ unit: 'binary', maxLength: 5 }))
    .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at + 1));
  const value = fc.oneof(
    near,
    bent,
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constant('"><b id=evil>'),
  );
  const name = fc.constantFrom(
    ...[
      'client_id',
      'redirect_uri',
      'response_type',
      'code_challenge',
      'code_challenge_method',
      'state',
      'scope',
    ],
    ...[
      'resource',
      'response_mode',
      'key',
      'ticket',
      'answer',
      'grant_type',
      'code',
      'code_verifier',
      '__proto__',
    ],
  );
  const fields = fc.dictionary(name, value, { maxKeys: 8, noNullPrototype: true });
  const path = fc.constantFrom(
    '/oauth/authorize',
    '/oauth/answer',
    '/oauth/token',
    '/oauth/register',
    '/mcp',
  );
  const request = fc.record({
    path,
    query: fields,
    body: fc.oneof(
      fields.map((record) => new URLSearchParams(record).toString()),
      fc.json(),
      fc.string({ unit: 'binary' }),
    ),
    method: fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'HEAD'),
    headers: fc.record(
      {
        'Content-Type': fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/json',
          'text/plain',
        ),
        'Sec-Fetch-Site': fc.constantFrom('same-origin', 'cross-site', 'none'),
        Authorization: fc
          .oneof(near, bent)
          .map((text) => `Bearer ${text.replace(/[^\x21-\x7e]/g, '')}`),
      },
      { requiredKeys: [] },
    ),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ path, query, body, method, headers }) => {
      // Failures are counted by minute.
      world.now += 60_000;
      const init = {
        method,
        headers: headers as Record<string, string>,
        ...(method === 'POST' ? { body } : {}),
      };
      const got = await flow.send(world, `${path}?${new URLSearchParams(query)}`, init);
      expect(got.status).toBeLessThan(500);
      expect(got.headers.get('Location')).toBeNull();
      expect(got.text).not.toContain('<b id=evil>');
      expect(got.body?.access_token).toBeUndefined();
    }),
    { numRuns: isExhaustive ? 20_000 : 2000, seed: Number(process.env['SEED']) },
  );
});
