/** Responses: ETags, conditional requests, compression. */
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { description } from '../description.ts';
import { addRecord, tradeRow, World } from '../helpers.ts';

const PATHS = Object.keys(description.paths).map((path) => path.replace('{id}', 't-1'));

let world: World;
let key: string;

const begin = (...settings: ConstructorParameters<typeof World>) => {
  world = new World(...settings);
  key = world.key();
  world.insert('trades', tradeRow('t-1'));
};

beforeEach(() => begin());

/** Enough records to compress the list. */
const fill = () =>
  world.db.transaction(() => {
    for (let i = 0; i < 8; i++)
      addRecord(world, 'trades', `r-${i}`, `2026-11-1${i}T10:00:00.000Z`);
  })();

describe('caching', () => {
  // Of pictures: attachments.test.ts.
  const TAGGED = PATHS.filter(
    (path) => path !== '/healthz' && !path.includes('attachments'),
  );

  test.each(TAGGED)(
    '%s has a strong ETag that stays until something changes',
    async (path) => {
      await world.ask(path, { key });
      const first = await world.ask(path, { key });
      const etag = first.headers.get('ETag')!;
      expect(etag).toMatch(/^"[A-Za-z0-9_-]{20,}"$/);
      expect((await world.ask(path, { key })).headers.get('ETag')).toBe(etag);
      for (const header of [
        etag,
        `W/${etag}`,
        '*',
        `"other", ${etag}`,
        `"other",W/${etag} , "more"`,
      ]) {
        const reply = await world.ask(path, {
          key,
          headers: { 'If-None-Match': header },
        });
        expect([header, reply.status, reply.text]).toEqual([header, 304, '']);
        expect(reply.headers.get('ETag')).toBe(etag);
        for (const name of ['Cache-Control', 'Vary'])
          expect(reply.headers.get(name)).toBe(first.headers.get(name));
        for (const name of ['Content-Length', 'Content-Type'])
          expect(reply.headers.get(name)).toBeNull();
      }
      for (const header of [
        '"other"',
        etag.slice(1, -1),
        etag.slice(0, -2),
        `${etag}x`,
        '',
        '"*"',
      ]) {
        const reply = await world.ask(path, {
          key,
          headers: { 'If-None-Match': header },
        });
        expect([header, reply.status]).toEqual([header, 200]);
      }
    },
  );

  test.each([
    '/v1/me',
    '/v1/trades',
    '/v1/trades/t-1',
    '/v1/analytics/summary',
    '/v1/summary',
  ])(
    '%s has another ETag after a write, and the old one no longer matches',
    async (path) => {
      await world.ask(path, { key });
      const { headers } = await world.ask(path, { key });
      const etag = headers.get('ETag')!;
      world.db.exec(
        "UPDATE trades SET gross_pnl = 7, executed_at = '2026-11-09T14:30:00.000Z'",
      );
      const reply = await world.ask(path, { key, headers: { 'If-None-Match': etag } });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('ETag')).not.toBe(etag);
    },
  );

  test('the summary has another ETag after its period has moved', async () => {
    const etag = (await world.ask('/v1/summary', { key })).headers.get('ETag')!;
    world.now = Date.parse('2026-11-20T23:59:59.999Z');
    expect(
      (await world.ask('/v1/summary', { key, headers: { 'If-None-Match': etag } }))
        .status,
    ).toBe(304);
    world.now += 1;
    const reply = await world.ask('/v1/summary', {
      key,
      headers: { 'If-None-Match': etag },
    });
    expect(reply.status).toBe(200);
    expect(reply.body.data.period.end).toBe('2026-11-22T00:00:00.000Z');
  });

  test('an ETag has no effect without a key, the scope or valid parameters', async () => {
    const etag = (await world.ask('/v1/trades', { key })).headers.get('ETag')!;
    const headers = { 'If-None-Match': etag };
    expect((await world.ask('/v1/trades', { headers })).status).toBe(401);
    expect(
      (await world.ask('/v1/trades', { headers, key: world.key(['sessions:read']) }))
        .status,
    ).toBe(403);
    expect(
      (await world.ask('/v1/trades?limit=0', { headers: { 'If-None-Match': '*' }, key }))
        .status,
    ).toBe(400);
    expect(
      (await world.ask('/v1/trades/none', { headers: { 'If-None-Match': '*' }, key }))
        .status,
    ).toBe(404);
  });

  test('caches must revalidate, and Vary lists the headers that change a response', async () => {
    for (const path of [...PATHS, '/v1/nothing', '/nothing']) {
      for (const reply of [await world.ask(path, { key }), await world.ask(path)]) {
        expect(reply.headers.get('Cache-Control')).toBe('private, no-cache');
        expect(reply.headers.get('Vary')).toBe(
          'Authorization, X-Api-Key, Accept, Accept-Encoding',
        );
        if (reply.status >= 400) expect(reply.headers.get('ETag')).toBeNull();
      }
    }
  });
});

describe('compression', () => {
  const raw = async (path: string, accept?: string) => {
    const response = await world.app.request(path, {
      headers: {
        Authorization: `Bearer ${key}`,
        ...(accept === undefined ? {} : { 'Accept-Encoding': accept }),
      },
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
    fill();
    const plain = await raw('/v1/trades');
    const { response, bytes } = await raw('/v1/trades', accept);
    expect(response.headers.get('Content-Encoding')).toBe(compressed ? 'gzip' : null);
    expect(response.headers.get('Content-Length')).toBe(String(bytes.length));
    expect((compressed ? gunzipSync(bytes) : bytes).equals(plain.bytes)).toBe(true);
    if (compressed) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  test('a long body is compressed to the same bytes, for several clients at once and from the cache', async () => {
    for (let i = 0; i < 8; i++)
      world.insert(
        'trades',
        tradeRow(`l-${i}`, { notes: `${i} and 100 more. `.repeat(3000) }),
      );
    const plain = await raw('/v1/trades');
    expect(plain.bytes.length).toBeGreaterThan(300_000);
    for (const { response, bytes } of await Promise.all(
      Array.from({ length: 6 }, () => raw('/v1/trades', 'gzip')),
    )) {
      expect([response.status, response.headers.get('Content-Encoding')]).toEqual([
        200,
        'gzip',
      ]);
      expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
    }
  });

  test('bodies up to 1 KB are not compressed, including errors', async () => {
    for (const path of ['/v1/sessions', '/v1/nothing', '/healthz']) {
      const { response, bytes } = await raw(path, 'gzip');
      expect(bytes.length).toBeLessThanOrEqual(1024);
      expect(response.headers.get('Content-Encoding')).toBeNull();
    }
  });

  test('the compressed form has its own ETag, and both match If-None-Match', async () => {
    fill();
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
        expect([reply.status, reply.headers.get('ETag')]).toEqual([
          304,
          coding === 'gzip' ? gzip : plain,
        ]);
      }
    }
  });
});
