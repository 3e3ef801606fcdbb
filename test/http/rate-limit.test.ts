/** Rate limits of keys. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { RateLimiter } from '../../src/http/rate-limit.ts';
import { NOW, tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

const begin = (...settings: ConstructorParameters<typeof World>) => {
  world = new World(...settings);
  key = world.key();
  world.insert('trades', tradeRow('t-1'));
};

beforeEach(() => begin());

describe('the rate limit of a key', () => {
  const status = async (as = key, path = '/v1/trades') =>
    (await world.ask(path, { key: as })).status;

  test('allows all its requests at once, then refills evenly', async () => {
    begin({}, { rateLimit: 6 });
    for (let i = 0; i < 6; i++) expect(await status()).toBe(200);
    const reply = await world.ask('/v1/trades', { key });
    expect([reply.status, reply.body.code, reply.headers.get('Retry-After')]).toEqual([
      429,
      'rate_limited',
      '10',
    ]);
    expect(reply.body.detail).toContain('6 requests a minute');
    world.now += 9_999;
    expect(await status()).toBe(429);
    world.now += 1;
    expect(await status()).toBe(200);
    expect(await status()).toBe(429);
    world.now += 30_000;
    expect([await status(), await status(), await status(), await status()]).toEqual([
      200, 200, 200, 429,
    ]);
    world.now += 3_600_000;
    for (let i = 0; i < 6; i++) expect(await status()).toBe(200);
    expect(await status()).toBe(429);
  });

  test('applies to each key separately, and counts any response', async () => {
    begin({}, { rateLimit: 3 });
    expect([
      await status(key, '/v1/nothing'),
      await status(key, '/v1/trades?limit=0'),
      await status(),
    ]).toEqual([404, 400, 200]);
    expect([
      await status(),
      await status(key, '/v1/nothing'),
      await status(key, '/v1/me'),
    ]).toEqual([429, 429, 429]);
    expect(await status(world.key())).toBe(200);
    expect((await world.ask('/healthz')).status).toBe(200);
  });

  test('is shown in /v1/me', async () => {
    begin({}, { rateLimit: 5 });
    await status();
    const { body } = await world.ask('/v1/me', { key });
    expect(body.data.rate_limit).toEqual({ requests_per_minute: 5, remaining: 3 });
  });

  test('is in the headers of every response under /v1, also without a key and from the cache', async () => {
    begin({}, { rateLimit: 6 });
    const stated = async (path: string, more = {}) => {
      const { status, headers } = await world.ask(path, more);
      return [status, headers.get('RateLimit-Policy'), headers.get('RateLimit')];
    };
    const policy = '"key";q=6;w=60';
    expect(await stated('/v1/trades', { key })).toEqual([200, policy, '"key";r=5;t=10']);
    const { headers } = await world.ask('/v1/trades', { key });
    expect(await stated('/v1/trades', { key })).toEqual([200, policy, '"key";r=3;t=30']);
    const etag = { 'If-None-Match': headers.get('ETag') as string };
    expect(await stated('/v1/trades', { key, headers: etag })).toEqual([
      304,
      policy,
      '"key";r=2;t=40',
    ]);
    expect(await stated('/v1/nothing', { key })).toEqual([404, policy, '"key";r=1;t=50']);
    world.now += 1;
    expect(await stated('/v1/trades?limit=0', { key })).toEqual([
      400,
      policy,
      '"key";r=0;t=60',
    ]);
    expect(await stated('/v1/trades', { key })).toEqual([429, policy, '"key";r=0;t=60']);
    const failed = '"failed-keys";q=30;w=60';
    expect(await stated('/v1/trades')).toEqual([401, failed, '"failed-keys";r=30;t=0']);
    expect(await stated('/v1/trades', { key: 'wrong' })).toEqual([
      401,
      failed,
      '"failed-keys";r=29;t=2',
    ]);
    expect(await stated('/v1/trades', { method: 'OPTIONS' })).toEqual([
      204,
      failed,
      '"failed-keys";r=29;t=2',
    ]);
    expect(await stated('/v1/trades', { headers: { Host: 'evil.example' } })).toEqual([
      421,
      failed,
      '"failed-keys";r=29;t=2',
    ]);
    expect(await stated('/healthz')).toEqual([200, null, null]);
    expect(await stated('/nothing')).toEqual([404, null, null]);
  });

  test('0 means no limit', async () => {
    begin({}, { rateLimit: 0 });
    for (let i = 0; i < 150; i++)
      expect(
        (await world.app.request('/v1/me', { headers: { 'x-api-key': key } })).status,
      ).toBe(200);
    expect((await world.ask('/v1/me', { key })).body.data.rate_limit).toEqual({
      requests_per_minute: null,
      remaining: null,
    });
  });

  test('a request after Retry-After is accepted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 30 }),
        (perMinute, steps) => {
          let now = NOW;
          const limiter = new RateLimiter('key', perMinute, () => now);
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

  test('a clock set back neither refills nor empties it', () => {
    let now = NOW;
    const limiter = new RateLimiter('key', 2, () => now);
    expect([limiter.take('a').allowed, limiter.take('a').allowed]).toEqual([true, true]);
    now -= 3_600_000;
    expect(limiter.take('a').allowed).toBe(false);
    now += 30_000;
    expect(limiter.take('a').allowed).toBe(true);
  });
});
