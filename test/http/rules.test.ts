/** What holds for every answer: methods, HEAD, caching, compression, browsers, limits, errors, the log. */
import { unlinkSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { ClientAddress } from '../../src/http/client-address.ts';
import { openApi } from '../../src/http/openapi.ts';
import { RateLimiter } from '../../src/http/rate-limit.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { generateKey } from '../../src/keys/format.ts';
import { description } from '../description.ts';
import { addRecord, NOW, type Reply, tradeRow, World } from '../helpers.ts';

const PATHS = Object.keys(description.paths).map((path) => path.replace('{id}', 't-1'));
const OPEN_PATHS = PATHS.filter((path) => !path.startsWith('/v1'));

let world: World;
let key: string;

const begin = (...settings: ConstructorParameters<typeof World>) => {
  world = new World(...settings);
  key = world.key();
  world.insert('trades', tradeRow('t-1'));
};

beforeEach(() => begin());

const LISTS = ['trades', 'trade-groups', 'journal-rows', 'sessions', 'weekly-reviews', 'missed-trades'];

/** Enough that a list is worth compressing. */
const fill = (paths = LISTS) =>
  world.db.transaction(() => {
    for (const path of paths) {
      for (let i = 0; i < 8; i++) addRecord(world, path, `r-${i}`, `2026-11-1${i}T10:00:00.000Z`);
    }
  })();

const all = ({ headers }: Reply) => Object.fromEntries(headers);

describe('methods', () => {
  test.each(PATHS)('%s takes GET, HEAD and OPTIONS only', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND', 'post']) {
      const reply = await world.ask(path, { method, key });
      expect([method, reply.status, reply.body.code]).toEqual([method, 405, 'method_not_allowed']);
      expect(reply.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    }
    const options = await world.ask(path, { method: 'OPTIONS' });
    expect([options.status, options.text, options.headers.get('Allow')]).toEqual([204, '', 'GET, HEAD, OPTIONS']);
  });

  test('a method asked for by header or parameter is no method', async () => {
    const reply = await world.ask('/v1/trades', { key, headers: { 'X-HTTP-Method-Override': 'DELETE' } });
    expect(reply.status).toBe(200);
    expect((await world.ask('/v1/trades?_method=DELETE', { key })).body.code).toBe('unknown_parameter');
  });

  test.each(['identity', 'gzip'])('HEAD is GET without the body (%s)', async (coding) => {
    fill();
    const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': coding, 'X-Request-Id': 'same' };
    const ask = async (method: string, path: string) => world.app.request(path, { method, headers });
    await world.ask('/v1/me', { key });
    for (const path of [...PATHS, '/v1/nothing', '/v1/trades?limit=0', '/nothing', '/v1/trades?limit=100']) {
      const [get, head] = [await ask('GET', path), await ask('HEAD', path)];
      expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
      expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers));
      expect(Number(head.headers.get('Content-Length'))).toBeGreaterThan(0);
    }
  });

  test('HEAD of a refusal is the same refusal', async () => {
    for (const headers of [{}, { Authorization: `Bearer ${generateKey()}` }] as Record<string, string>[]) {
      const head = await world.ask('/v1/trades', { method: 'HEAD', headers });
      expect([head.status, head.text]).toEqual([401, '']);
      expect(head.headers.get('WWW-Authenticate')).toMatch(/^Bearer /);
    }
  });
});

describe('caching', () => {
  const TAGGED = PATHS.filter((path) => path !== '/healthz');

  test.each(TAGGED)('%s has a strong ETag that stays until something changes', async (path) => {
    await world.ask(path, { key });
    const first = await world.ask(path, { key });
    const etag = first.headers.get('ETag')!;
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{20,}"$/);
    expect((await world.ask(path, { key })).headers.get('ETag')).toBe(etag);
    for (const header of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"other",W/${etag} , "more"`]) {
      const reply = await world.ask(path, { key, headers: { 'If-None-Match': header } });
      expect([header, reply.status, reply.text]).toEqual([header, 304, '']);
      expect(reply.headers.get('ETag')).toBe(etag);
      for (const name of ['Cache-Control', 'Vary']) expect(reply.headers.get(name)).toBe(first.headers.get(name));
      for (const name of ['Content-Length', 'Content-Type']) expect(reply.headers.get(name)).toBeNull();
    }
    for (const header of ['"other"', etag.slice(1, -1), etag.slice(0, -2), `${etag}x`, '', '"*"']) {
      const reply = await world.ask(path, { key, headers: { 'If-None-Match': header } });
      expect([header, reply.status]).toEqual([header, 200]);
    }
  });

  test.each(['/v1/me', '/v1/trades', '/v1/trades/t-1', '/v1/analytics/summary', '/v1/summary'])(
    '%s has another ETag after a write, and the old one is no match',
    async (path) => {
      await world.ask(path, { key });
      const { headers } = await world.ask(path, { key });
      const etag = headers.get('ETag')!;
      world.db.exec("UPDATE trades SET gross_pnl = 7, executed_at = '2026-11-09T14:30:00.000Z'");
      const reply = await world.ask(path, { key, headers: { 'If-None-Match': etag } });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('ETag')).not.toBe(etag);
    },
  );

  test('the summary has another ETag once the window has moved', async () => {
    const etag = (await world.ask('/v1/summary', { key })).headers.get('ETag')!;
    world.now = Date.parse('2026-11-20T23:59:59.999Z');
    expect((await world.ask('/v1/summary', { key, headers: { 'If-None-Match': etag } })).status).toBe(304);
    world.now += 1;
    const reply = await world.ask('/v1/summary', { key, headers: { 'If-None-Match': etag } });
    expect(reply.status).toBe(200);
    expect(reply.body.data.period.end).toBe('2026-11-22T00:00:00.000Z');
  });

  test('a tag is no pass: without a key, the right scope or good parameters it changes nothing', async () => {
    const etag = (await world.ask('/v1/trades', { key })).headers.get('ETag')!;
    const headers = { 'If-None-Match': etag };
    expect((await world.ask('/v1/trades', { headers })).status).toBe(401);
    expect((await world.ask('/v1/trades', { headers, key: world.key(['sessions:read']) })).status).toBe(403);
    expect((await world.ask('/v1/trades?limit=0', { headers: { 'If-None-Match': '*' }, key })).status).toBe(400);
    expect((await world.ask('/v1/trades/none', { headers: { 'If-None-Match': '*' }, key })).status).toBe(404);
  });

  test('nothing may be kept unasked, and Vary names what an answer depends on', async () => {
    for (const path of [...PATHS, '/v1/nothing', '/nothing']) {
      for (const reply of [await world.ask(path, { key }), await world.ask(path)]) {
        expect(reply.headers.get('Cache-Control')).toBe('private, no-cache');
        expect(reply.headers.get('Vary')).toBe('Authorization, X-Api-Key, Accept-Encoding');
        if (reply.status >= 400) expect(reply.headers.get('ETag')).toBeNull();
      }
    }
  });
});

describe('compression', () => {
  const raw = async (path: string, accept?: string) => {
    const response = await world.app.request(path, {
      headers: { Authorization: `Bearer ${key}`, ...(accept === undefined ? {} : { 'Accept-Encoding': accept }) },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test.each([
    ['gzip', true],
    ['GZIP', true],
    ['br, gzip', true],
    ['gzip;q=0.001', true],
    ['deflate, gzip;q=1.0, *;q=0.5', true],
    ['*', true],
    ['gzip, *;q=0', true],
    [undefined, false],
    ['', false],
    ['identity', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['gzip;q=0, *', false],
    ['*, gzip;q=0', false],
    ['*;q=0', false],
    ['notgzip', false],
  ])('Accept-Encoding: %s', async (accept, compressed) => {
    fill(['trades']);
    const plain = await raw('/v1/trades');
    const { response, bytes } = await raw('/v1/trades', accept);
    expect(response.headers.get('Content-Encoding')).toBe(compressed ? 'gzip' : null);
    expect(response.headers.get('Content-Length')).toBe(String(bytes.length));
    expect((compressed ? gunzipSync(bytes) : bytes).equals(plain.bytes)).toBe(true);
    if (compressed) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  test('bodies up to 1 KB stay as they are, errors too', async () => {
    for (const path of ['/v1/sessions', '/v1/nothing', '/healthz']) {
      const { response, bytes } = await raw(path, 'gzip');
      expect(bytes.length).toBeLessThanOrEqual(1024);
      expect(response.headers.get('Content-Encoding')).toBeNull();
    }
  });

  test('the compressed form has a tag of its own, and either tag means unchanged', async () => {
    fill(['trades']);
    const plain = (await raw('/v1/trades')).response.headers.get('ETag')!;
    const gzip = (await raw('/v1/trades', 'gzip')).response.headers.get('ETag')!;
    expect(gzip).not.toBe(plain);
    expect((await raw('/v1/trades', 'gzip')).response.headers.get('ETag')).toBe(gzip);
    for (const coding of ['gzip', 'identity']) {
      for (const tag of [plain, gzip]) {
        const reply = await world.ask('/v1/trades', {
          key,
          headers: { 'Accept-Encoding': coding, 'If-None-Match': tag },
        });
        expect([reply.status, reply.headers.get('ETag')]).toEqual([304, coding === 'gzip' ? gzip : plain]);
      }
    }
  });
});

describe('browsers', () => {
  const ORIGIN = 'https://app.example.com';
  const preflight = (origin: string, headers = 'authorization') => ({
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': headers },
  });
  const corsOf = (reply: Reply) =>
    Object.fromEntries(Object.entries(all(reply)).filter(([name]) => name.startsWith('access-control-')));

  test('are told nothing unless origins are named', async () => {
    const replies = [
      await world.ask('/v1/trades', { key, headers: { Origin: ORIGIN } }),
      await world.ask('/v1/trades', { headers: { Origin: ORIGIN } }),
      await world.ask('/v1/trades', preflight(ORIGIN)),
    ];
    expect(replies.map((reply) => [reply.status, corsOf(reply)])).toEqual([
      [200, {}],
      [401, {}],
      [204, {}],
    ]);
  });

  test.each([
    'https://evil.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.com',
    'https://APP.example.com/',
    'null',
    '',
    '*',
  ])('from another origin, %s, are told nothing', async (origin) => {
    begin({}, { corsOrigins: [ORIGIN] });
    expect(corsOf(await world.ask('/v1/trades', { key, headers: { Origin: origin } }))).toEqual({});
    const reply = await world.ask('/v1/trades', preflight(origin));
    expect([reply.status, corsOf(reply)]).toEqual([204, {}]);
    expect(reply.headers.get('Vary')).toMatch(/\bOrigin\b/);
  });

  test('from a named origin may send Authorization, and never x-api-key', async () => {
    begin({}, { corsOrigins: ['https://other.example.com', ORIGIN] });
    for (const path of ['/v1/trades', '/v1/nothing', '/openapi.json']) {
      const reply = await world.ask(path, preflight(ORIGIN, 'authorization,x-api-key'));
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(corsOf(reply)).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-max-age': '600',
      });
      const allowed = reply.headers.get('Access-Control-Allow-Headers')!.toLowerCase().split(', ');
      expect(allowed).toContain('authorization');
      expect(allowed).not.toContain('x-api-key');
      expect(allowed).not.toContain('*');
      expect(reply.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    }
  });

  test('from a named origin see every answer, errors and 304 included', async () => {
    begin({}, { corsOrigins: [ORIGIN] });
    const headers = { Origin: ORIGIN };
    const good = await world.ask('/v1/trades', { key, headers });
    const same = await world.ask('/v1/trades', { key, headers: { ...headers, 'If-None-Match': '*' } });
    const refused = await world.ask('/v1/trades', { headers });
    expect([good.status, same.status, refused.status]).toEqual([200, 304, 401]);
    for (const reply of [good, same, refused]) {
      expect(reply.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN);
      expect(reply.headers.get('Vary')).toMatch(/\bOrigin\b/);
      expect(reply.headers.get('Access-Control-Expose-Headers')).toMatch(/ETag.*Retry-After.*X-Request-Id/);
    }
    // Who sends no Origin is no browser, but a cache in between must know that it matters.
    const program = await world.ask('/v1/trades', { key });
    expect([corsOf(program), program.headers.get('Vary')]).toEqual([{}, expect.stringMatching(/\bOrigin\b/)]);
  });
});

describe('the rate limit of a key', () => {
  const status = async (as = key, path = '/v1/trades') => (await world.ask(path, { key: as })).status;

  test('may be used at once, then is refilled evenly', async () => {
    begin({}, { rateLimit: 6 });
    for (let i = 0; i < 6; i++) expect(await status()).toBe(200);
    const reply = await world.ask('/v1/trades', { key });
    expect([reply.status, reply.body.code, reply.headers.get('Retry-After')]).toEqual([429, 'rate_limited', '10']);
    expect(reply.body.detail).toContain('6 requests a minute');
    world.now += 9_999;
    expect(await status()).toBe(429);
    world.now += 1;
    expect(await status()).toBe(200);
    expect(await status()).toBe(429);
    world.now += 30_000;
    expect([await status(), await status(), await status(), await status()]).toEqual([200, 200, 200, 429]);
    world.now += 3_600_000;
    for (let i = 0; i < 6; i++) expect(await status()).toBe(200);
    expect(await status()).toBe(429);
  });

  test('leaves other keys alone, and counts whatever the answer is', async () => {
    begin({}, { rateLimit: 3 });
    expect([await status(key, '/v1/nothing'), await status(key, '/v1/trades?limit=0'), await status()]).toEqual([
      404, 400, 200,
    ]);
    expect([await status(), await status(key, '/v1/nothing'), await status(key, '/v1/me')]).toEqual([429, 429, 429]);
    expect(await status(world.key())).toBe(200);
    expect((await world.ask('/healthz')).status).toBe(200);
  });

  test('is told in /v1/me', async () => {
    begin({}, { rateLimit: 5 });
    await status();
    const { body } = await world.ask('/v1/me', { key });
    expect(body.data.rate_limit).toEqual({ requests_per_minute: 5, remaining: 3 });
  });

  test('0 is none', async () => {
    begin({}, { rateLimit: 0 });
    for (let i = 0; i < 150; i++)
      expect((await world.app.request('/v1/me', { headers: { 'x-api-key': key } })).status).toBe(200);
    expect((await world.ask('/v1/me', { key })).body.data.rate_limit).toEqual({
      requests_per_minute: null,
      remaining: null,
    });
  });

  test('who waits as long as told is let in', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 30 }),
        (perMinute, steps) => {
          let now = NOW;
          const limiter = new RateLimiter(perMinute, () => now);
          const empty = () => {
            let taken = limiter.take('a');
            while (taken.allowed) taken = limiter.take('a');
            return taken;
          };
          for (const step of steps) {
            empty();
            now += step;
            const { retryAfter } = empty();
            expect(retryAfter).toBeGreaterThanOrEqual(1);
            now += retryAfter * 1000;
            expect(limiter.take('a').allowed).toBe(true);
          }
        },
      ),
    );
  });

  test('a clock set back neither fills nor empties it', () => {
    let now = NOW;
    const limiter = new RateLimiter(2, () => now);
    expect([limiter.take('a').allowed, limiter.take('a').allowed]).toEqual([true, true]);
    now -= 3_600_000;
    expect(limiter.take('a').allowed).toBe(false);
    now += 30_000;
    expect(limiter.take('a').allowed).toBe(true);
  });
});

describe('wrong keys from one address', () => {
  /** A request as the server hands it over, with the address of the connection. */
  const from = async (peer: string, as: string, forwardedFor?: string) => {
    const headers = {
      Authorization: `Bearer ${as}`,
      ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }),
    };
    const response = await world.app.request('/v1/me', { headers }, { incoming: { socket: { remoteAddress: peer } } });
    return response.status;
  };
  const wrong = generateKey();

  test('wait after 30 a minute; a good key is never refused for them', async () => {
    for (let i = 0; i < 30; i++) expect(await from('192.0.2.1', i % 2 ? wrong : 'nonsense')).toBe(401);
    const response = await world.app.request(
      '/v1/me',
      { headers: { Authorization: `Bearer ${wrong}` } },
      { incoming: { socket: { remoteAddress: '192.0.2.1' } } },
    );
    expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '2']);
    expect(await response.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining('invalid keys'),
    });
    expect(await from('192.0.2.1', key)).toBe(200);
    expect(await from('192.0.2.2', wrong)).toBe(401);
    world.now += 2_000;
    expect([await from('192.0.2.1', wrong), await from('192.0.2.1', wrong)]).toEqual([401, 429]);
  });

  test('no key at all is no guess', async () => {
    for (let i = 0; i < 40; i++) expect((await world.app.request('/v1/me')).status).toBe(401);
  });

  test('a made-up X-Forwarded-For changes nothing', async () => {
    for (let i = 0; i < 30; i++) expect(await from('127.0.0.1', wrong, `198.51.100.${i}`)).toBe(401);
    expect(await from('127.0.0.1', wrong, '198.51.100.99')).toBe(429);
  });

  test('behind a trusted proxy each client counts by itself, whatever it claims', async () => {
    begin({}, { trustProxy: true });
    for (let i = 0; i < 30; i++)
      expect(await from('::ffff:127.0.0.1', wrong, `203.0.113.${i}, 198.51.100.1`)).toBe(401);
    expect(await from('127.0.0.1', wrong, '203.0.113.77, 198.51.100.1')).toBe(429);
    expect(await from('127.0.0.1', wrong, '198.51.100.2')).toBe(401);
    // A peer that is not trusted speaks for itself only.
    for (let i = 0; i < 30; i++) expect(await from('192.0.2.9', wrong, `198.51.100.${i}`)).toBe(401);
    expect(await from('192.0.2.9', wrong, '198.51.100.200')).toBe(429);
  });

  test.each([
    // trust, peer, X-Forwarded-For, counted as
    [false, '192.0.2.1', undefined, '192.0.2.1'],
    [false, '127.0.0.1', '198.51.100.1', '127.0.0.1'],
    [false, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    [false, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    [false, '2001:db8:1:2::1', undefined, '2001:db8:1:2::/64'],
    [false, '2001:0DB8:0001:0002::1', undefined, '2001:db8:1:2::/64'],
    [false, '2001:db8::1', undefined, '2001:db8:0:0::/64'],
    [false, '::1', undefined, '0:0:0:0::/64'],
    [false, '2001:db8:1:2:3::', undefined, '2001:db8:1:2::/64'],
    [false, 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    [true, '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    [true, '127.9.9.9', '198.51.100.1', '198.51.100.1'],
    [true, '::1', '198.51.100.1', '198.51.100.1'],
    [true, '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    [true, '127.0.0.1', '10.0.0.1, 198.51.100.1', '198.51.100.1'],
    [true, '127.0.0.1', '10.0.0.1,198.51.100.1 ', '198.51.100.1'],
    [true, '127.0.0.1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    [true, '127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    [true, '127.0.0.1', undefined, '127.0.0.1'],
    [true, '127.0.0.1', '', '127.0.0.1'],
    [true, '127.0.0.1', 'unknown', '127.0.0.1'],
    [true, '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    [true, '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    [true, '', '198.51.100.1', ''],
    [['192.0.2.1'], '192.0.2.1', '198.51.100.1', '198.51.100.1'],
    [['192.0.2.1'], '::ffff:192.0.2.1', '198.51.100.1', '198.51.100.1'],
    [['192.0.2.1'], '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    [['192.0.2.1'], '192.0.2.2', '198.51.100.1', '192.0.2.2'],
    [['2001:db8::5'], '2001:db8:0::5', '198.51.100.1', '198.51.100.1'],
    [['2001:db8::5'], '2001:db8::6', '198.51.100.1', '2001:db8:0:0::/64'],
  ] as const)('trusting %j, %s with %j counts as %s', (trust, peer, forwardedFor, expected) => {
    expect(new ClientAddress(trust).of(peer, forwardedFor)).toBe(expected);
  });
});

describe('every answer', () => {
  const withoutJournal = (path: string) => {
    unlinkSync(world.files.journal);
    return world.ask(path, { key });
  };
  const KINDS: [name: string, ask: () => Promise<Reply>, status: number][] = [
    ['a list', () => world.ask('/v1/trades', { key }), 200],
    ['unchanged', () => world.ask('/v1/trades', { key, headers: { 'If-None-Match': '*' } }), 304],
    ['a preflight', () => world.ask('/v1/trades', { method: 'OPTIONS' }), 204],
    ['a bad parameter', () => world.ask('/v1/trades?limit=0', { key }), 400],
    ['two keys', () => world.ask('/v1/trades', { key, headers: { 'x-api-key': 'other' } }), 400],
    ['a bad cursor', () => world.ask('/v1/trades?cursor=x', { key }), 400],
    ['no key', () => world.ask('/v1/trades'), 401],
    ['a wrong key', () => world.ask('/v1/trades', { key: generateKey() }), 401],
    ['a missing scope', () => world.ask('/v1/trades', { key: world.key([]) }), 403],
    ['nothing there', () => world.ask('/v1/nothing', { key }), 404],
    ['nothing there, outside', () => world.ask('/nothing'), 404],
    ['a wrong method', () => world.ask('/v1/trades', { key, method: 'POST' }), 405],
    ['health', () => world.ask('/healthz'), 200],
    ['the description', () => world.ask('/openapi.json'), 200],
    ['no journal', () => withoutJournal('/v1/trades'), 503],
    ['ill health', () => withoutJournal('/healthz'), 503],
  ];

  test.each(KINDS)(
    '%s: has a request id, the security headers, and a problem where it is one',
    async (_name, ask, status) => {
      const reply = await ask();
      expect(reply.status).toBe(status);
      expect(all(reply)).toMatchObject({
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(reply.headers.get('Server')).toBeNull();
      expect(reply.headers.get('X-Powered-By')).toBeNull();
      if (status < 400) return;
      expect(reply.headers.get('Content-Type')).toBe('application/problem+json');
      expect(reply.body).toMatchObject({
        type: `urn:journal-api:problem:${reply.body.code}`,
        status,
        title: expect.stringMatching(/./),
        detail: expect.stringMatching(/./),
        request_id: reply.headers.get('X-Request-Id'),
      });
      expect(reply.text).not.toMatch(/SELECT|SQLITE|\.ts\b|node_modules|\/tmp|journal\.db|\bat \w+ \(/);
    },
  );

  test.each([
    ['a-1_b.c:D', true],
    ['0'.repeat(128), true],
    ['0'.repeat(129), false],
    ['a b', false],
    ['', false],
    ['a"b', false],
    ['a,b', false],
    ['{"a":1}', false],
    ['<script>', false],
    ['é', false],
    [generateKey(), false],
    [`trace-${generateKey()}`, false],
  ])('X-Request-Id: %s is kept: %s', async (sent, kept) => {
    const { headers, body } = await world.ask('/v1/nothing', { key, headers: { 'X-Request-Id': sent } });
    const id = headers.get('X-Request-Id')!;
    if (kept) expect(id).toBe(sent);
    else expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(body.request_id).toBe(id);
    expect(JSON.parse(world.log.at(-1)!).request_id).toBe(id);
  });

  test('a fault inside is told to the owner, not to the client', async () => {
    const faults: [unknown, string][] = [];
    begin({}, { onError: (error, requestId) => faults.push([error, requestId]) });
    // What no check of the file would have let in.
    world.insert('trades', tradeRow('broken'));
    world.db.exec(
      "DROP TRIGGER trades_words_update; PRAGMA ignore_check_constraints = ON; UPDATE trades SET tags = '[Olympus'",
    );
    const { status, text, body, headers } = await world.ask('/v1/trades', { key });
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(text).not.toMatch(/Olympus|JSON|SyntaxError|\.ts/);
    expect(faults).toEqual([[expect.any(SyntaxError), headers.get('X-Request-Id')]]);
    expect(body.detail).toContain(headers.get('X-Request-Id'));
  });
});

describe('the log', () => {
  const last = () => JSON.parse(world.log.at(-1)!);

  test('is one line of JSON a request, with these fields', async () => {
    const mine = world.key(['trades:read'], 'me', 'key_mine');
    const cases: [path: string, method: string, status: number, keyId: string | null][] = [
      ['/v1/trades', 'GET', 200, 'key_mine'],
      ['/v1/trades', 'HEAD', 200, 'key_mine'],
      ['/v1/sessions', 'GET', 403, 'key_mine'],
      ['/v1/nothing', 'GET', 404, 'key_mine'],
      ['/v1/trades', 'DELETE', 405, 'key_mine'],
      ['/v1/trades', 'OPTIONS', 204, null],
      ['/nothing', 'GET', 404, null],
      ['/healthz', 'GET', 200, null],
    ];
    for (const [path, method, status, keyId] of cases) {
      await world.ask(path, { key: mine, method, headers: { 'X-Request-Id': 'r-1' } });
      expect(last()).toEqual({
        time: '2026-11-20T15:00:00.000Z',
        method,
        path,
        status,
        duration_ms: expect.any(Number),
        key_id: keyId,
        request_id: 'r-1',
      });
    }
    expect(world.log).toHaveLength(cases.length);
    for (const line of world.log) expect(line).toMatch(/^[^\n]+\n$/);
  });

  test('holds no key, no query value and no line break of the client', async () => {
    const other = generateKey();
    for (const path of [
      `/v1/trades/${key}`,
      `/v1/${key}/${other}`,
      `/${key}`,
      `/v1/trades/${key.replace('_', '%5F')}`,
      `/v1/trades/%6a${key.slice(1)}`,
      `/v1/trades/${key.replace('_', '%255F')}`,
      `/v1/trades?symbol=SECRETSYMBOL&tag=${key}`,
      `/v1/trades?${key}=1`,
      '/v1/trades/a%0A%7B%22status%22:200%7D',
    ]) {
      await world.ask(path, { key, headers: { 'X-Request-Id': other, 'X-Api-Key': key } });
      await world.ask(path, { headers: { 'X-Api-Key': other } });
    }
    const text = world.log.join('');
    expect(text.split('\n')).toHaveLength(world.log.length + 1);
    expect(text).not.toContain(key.slice(4));
    expect(text).not.toContain(other.slice(4));
    expect(text).not.toContain('SECRETSYMBOL');
    expect(text).not.toContain('symbol');
  });
});

describe('outside /v1', () => {
  test.each(OPEN_PATHS)('%s needs no key, and a wrong one does no harm', async (path) => {
    const reply = await world.ask(path);
    expect(reply.status).toBe(200);
    expect((await world.ask(path, { key: 'wrong' })).text).toBe(reply.text);
  });

  test('/healthz says whether the journal can be read, and nothing of it', async () => {
    expect((await world.ask('/healthz')).body).toEqual({ data: { status: 'ok' } });
    unlinkSync(world.files.journal);
    const reply = await world.ask('/healthz');
    expect([reply.status, reply.body.code, reply.headers.get('Retry-After')]).toEqual([
      503,
      'journal_unavailable',
      '1',
    ]);
  });

  test('/openapi.json is the description, whatever the state of the journal', async () => {
    unlinkSync(world.files.journal);
    const reply = await world.ask('/openapi.json');
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    expect(reply.body).toEqual(openApi(ROUTES));
  });

  test('the description passes the recommended rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(openApi(ROUTES)), config });
    expect(
      problems.map(({ severity, ruleId, message, location }) => [severity, ruleId, message, location[0]?.pointer]),
    ).toEqual([]);
  });
});
