/** Responses to browsers, by origin. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Reply, tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

const begin = (...settings: ConstructorParameters<typeof World>) => {
  world = new World(...settings);
  key = world.key();
  world.insert('trades', tradeRow('t-1'));
};

beforeEach(() => begin());

const all = ({ headers }: Reply) => Object.fromEntries(headers);

describe('browsers', () => {
  const ORIGIN = 'https://app.example.com';
  const preflight = (origin: string, headers = 'authorization') => ({
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': headers,
    },
  });
  const corsOf = (reply: Reply) =>
    Object.fromEntries(
      Object.entries(all(reply)).filter(([name]) => name.startsWith('access-control-')),
    );

  test('get no CORS headers without allowed origins', async () => {
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
  ])('get no CORS headers from another origin: %s', async (origin) => {
    begin({}, { corsOrigins: [ORIGIN] });
    expect(
      corsOf(await world.ask('/v1/trades', { key, headers: { Origin: origin } })),
    ).toEqual({});
    const reply = await world.ask('/v1/trades', preflight(origin));
    expect([reply.status, corsOf(reply)]).toEqual([204, {}]);
    expect(reply.headers.get('Vary')).toMatch(/\bOrigin\b/);
  });

  test('can send Authorization from an allowed origin, but not x-api-key', async () => {
    begin({}, { corsOrigins: ['https://other.example.com', ORIGIN] });
    for (const path of ['/v1/trades', '/v1/nothing', '/openapi.json']) {
      const reply = await world.ask(path, preflight(ORIGIN, 'authorization,x-api-key'));
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(corsOf(reply)).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-max-age': '600',
      });
      const allowed = reply.headers
        .get('Access-Control-Allow-Headers')!
        .toLowerCase()
        .split(', ');
      expect(allowed).toContain('authorization');
      expect(allowed).not.toContain('x-api-key');
      expect(allowed).not.toContain('*');
      expect(reply.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    }
  });

  test('can read every response from an allowed origin, including errors and 304', async () => {
    begin({}, { corsOrigins: [ORIGIN] });
    const headers = { Origin: ORIGIN };
    const good = await world.ask('/v1/trades', { key, headers });
    const same = await world.ask('/v1/trades', {
      key,
      headers: { ...headers, 'If-None-Match': '*' },
    });
    const refused = await world.ask('/v1/trades', { headers });
    expect([good.status, same.status, refused.status]).toEqual([200, 304, 401]);
    for (const reply of [good, same, refused]) {
      expect(reply.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN);
      expect(reply.headers.get('Vary')).toMatch(/\bOrigin\b/);
      expect(reply.headers.get('Access-Control-Expose-Headers')).toMatch(
        /ETag.*Retry-After.*X-Request-Id/,
      );
    }
    // A request without Origin isn't from a browser, but a cache in between needs Vary.
    const program = await world.ask('/v1/trades', { key });
    expect([corsOf(program), program.headers.get('Vary')]).toEqual([
      {},
      expect.stringMatching(/\bOrigin\b/),
    ]);
  });
});
