/** Accepted host names: a page of a host name that points to this machine must get no data. */
import { expect, test } from 'vitest';
import { World } from '../helpers.ts';

const headers = (host: string, forwarded?: string) => ({
  ...(host === '' ? {} : { Host: host }),
  ...(forwarded === undefined ? {} : { 'X-Forwarded-Host': forwarded }),
});

test.each([
  ['', 401],
  ['localhost', 401],
  ['LOCALHOST:4747', 401],
  ['localhost.', 401],
  ['127.0.0.1:4747', 401],
  ['192.0.2.7', 401],
  ['[::1]', 401],
  ['[::1]:4747', 401],
  ['journal.example.com', 401],
  ['Journal.Example.COM:8443', 401],
  ['evil.example.com', 421],
  ['evil.example.com:4747', 421],
  ['localhost.evil.example.com', 421],
  ['127.0.0.1.evil.example.com', 421],
  ['xjournal.example.com', 421],
  ['[::1].evil.example.com', 421],
  ['0x7f.1', 421],
  [' ', 421],
])('the response to Host %j is %i', async (host, status) => {
  const world = new World({}, { allowedHosts: ['journal.example.com'] });
  for (const path of ['/v1/me', '/v1/nothing']) {
    expect((await world.ask(path, { headers: headers(host) })).status).toBe(status);
  }
  const openly = status === 421 ? [421, 421, 421] : [200, 200, 204];
  const get = { headers: headers(host) };
  expect([
    (await world.ask('/healthz', get)).status,
    (await world.ask('/openapi.json', get)).status,
    (await world.ask('/v1/me', { ...get, method: 'OPTIONS' })).status,
  ]).toEqual(openly);
});

test('the error names the flag, and shortens a long host', async () => {
  const world = new World();
  const ask = (host: string) =>
    world.ask('/v1/me', { key: world.key(), headers: headers(host) });
  expect((await ask('journal.lan:4747')).body).toMatchObject({
    code: 'misdirected_request',
    status: 421,
    detail: expect.stringContaining('--allowed-host journal.lan'),
  });
  expect((await ask(`${'x'.repeat(5000)}.lan`)).body.detail.length).toBeLessThan(300);
});

test.each([
  // trust, peer, Host, X-Forwarded-Host
  [false, '127.0.0.1', 'journal-api:4747', 'journal.example.com', 421],
  [true, '127.0.0.1', 'journal-api:4747', 'journal.example.com', 421],
  [true, '127.0.0.1', 'evil.example.com', 'journal.example.com', 421],
  [true, '127.0.0.1', 'evil.example.com', 'localhost', 421],
  [true, '127.0.0.1', 'evil.example.com', '127.0.0.1', 421],
  [true, '127.0.0.1', 'evil.example.com', '', 421],
  [true, '127.0.0.1', 'localhost:4747', 'journal.example.com', 401],
  [true, '127.0.0.1', '127.0.0.1:4747', 'evil.example.com, journal.example.com', 401],
  [true, '127.0.0.1', 'localhost:4747', 'journal.example.com, evil.example.com', 421],
  [true, '127.0.0.1', 'journal.example.com', undefined, 401],
  [true, '192.0.2.9', 'journal.example.com', 'evil.example.com', 401],
  [true, '127.0.0.1', 'journal.example.com', 'evil.example.com', 421],
  [true, '192.0.2.9', 'journal-api:4747', 'journal.example.com', 421],
  [['192.0.2.0/24'], '192.0.2.9', 'localhost', 'journal.example.com', 401],
  [['192.0.2.0/24'], '192.0.2.9', 'journal-api:4747', 'journal.example.com', 421],
] as const)(
  'trusting %j, from %s for %s as %s: %i',
  async (trustProxy, peer, host, forwarded, status) => {
    const world = new World({}, { allowedHosts: ['journal.example.com'], trustProxy });
    const headers = {
      host,
      ...(forwarded === undefined ? {} : { 'x-forwarded-host': forwarded }),
    };
    const incoming = {
      socket: { remoteAddress: peer },
      headers,
      rawHeaders: ['Host', host],
      httpVersion: '1.1',
    };
    const response = await world.app.request('/v1/me', {}, { incoming } as never);
    expect(response.status).toBe(status);
  },
);
