/** Rules for all responses: methods, HEAD, request ids, headers, errors; and paths without a key. */
import { unlinkSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openApi } from '../../src/http/openapi.ts';
import { ResponseCache } from '../../src/http/response-cache.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { generateKey } from '../../src/keys/format.ts';
import { description } from '../description.ts';
import { addRecord, type Reply, tradeRow, World } from '../helpers.ts';

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

const LISTS = [
  'trades',
  'trade-groups',
  'journal-rows',
  'sessions',
  'weekly-reviews',
  'missed-trades',
];

/** Enough records to compress a list. */
const fill = () =>
  world.db.transaction(() => {
    for (const path of LISTS) {
      for (let i = 0; i < 8; i++)
        addRecord(world, path, `r-${i}`, `2026-11-1${i}T10:00:00.000Z`);
    }
  })();

const all = ({ headers }: Reply) => Object.fromEntries(headers);

describe('methods', () => {
  test.each(PATHS)('%s accepts only GET, HEAD and OPTIONS', async (path) => {
    for (const method of [
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'QUERY',
      'PROPFIND',
      'post',
    ]) {
      const reply = await world.ask(path, { method, key });
      expect([method, reply.status, reply.body.code]).toEqual([
        method,
        405,
        'method_not_allowed',
      ]);
      expect(reply.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    }
    const options = await world.ask(path, { method: 'OPTIONS' });
    expect([options.status, options.text, options.headers.get('Allow')]).toEqual([
      204,
      '',
      'GET, HEAD, OPTIONS',
    ]);
  });

  test('a method in a header or parameter has no effect', async () => {
    const reply = await world.ask('/v1/trades', {
      key,
      headers: { 'X-HTTP-Method-Override': 'DELETE' },
    });
    expect(reply.status).toBe(200);
    expect((await world.ask('/v1/trades?_method=DELETE', { key })).body.code).toBe(
      'unknown_parameter',
    );
  });

  test.each(['identity', 'gzip'])('HEAD is GET without the body (%s)', async (coding) => {
    fill();
    const headers = {
      Authorization: `Bearer ${key}`,
      'Accept-Encoding': coding,
      'X-Request-Id': 'same',
    };
    const ask = async (method: string, path: string) =>
      world.app.request(path, { method, headers });
    await world.ask('/v1/me', { key });
    for (const path of [
      ...PATHS,
      '/v1/nothing',
      '/v1/trades?limit=0',
      '/nothing',
      '/v1/trades?limit=100',
    ]) {
      const [get, head] = [await ask('GET', path), await ask('HEAD', path)];
      expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
      expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers));
      expect(Number(head.headers.get('Content-Length'))).toBeGreaterThan(0);
    }
  });

  test('HEAD of an error has the same status and headers', async () => {
    for (const headers of [{}, { Authorization: `Bearer ${generateKey()}` }] as Record<
      string,
      string
    >[]) {
      const head = await world.ask('/v1/trades', { method: 'HEAD', headers });
      expect([head.status, head.text]).toEqual([401, '']);
      expect(head.headers.get('WWW-Authenticate')).toMatch(/^Bearer /);
    }
  });
});

describe('the cache', () => {
  test.each([
    ['an unknown path', '/v1/nothing', {}, 404],
    ['another method', '/v1/trades', { method: 'POST' }, 405],
    ['another scope', '/v1/sessions', {}, 403],
    ['an invalid parameter', '/v1/trades?limit=0', {}, 400],
    ['an invalid bound', '/v1/trades?start=2026-02-30', {}, 400],
    ['an invalid cursor', '/v1/trades?cursor=x', {}, 400],
  ])('is not used for %s', async (_name, path, request, status) => {
    const looked = vi.spyOn(ResponseCache.prototype, 'get');
    onTestFinished(() => looked.mockRestore());
    const narrow = world.key(['trades:read']);
    expect((await world.ask(path, { key: narrow, ...request })).status).toBe(status);
    expect(looked).not.toHaveBeenCalled();
    expect((await world.ask('/v1/trades', { key: narrow })).status).toBe(200);
    expect(looked).toHaveBeenCalled();
  });
});

describe('every response', () => {
  const withoutJournal = (path: string) => {
    unlinkSync(world.files.journal);
    return world.ask(path, { key });
  };
  const KINDS: [name: string, ask: () => Promise<Reply>, status: number][] = [
    ['a list', () => world.ask('/v1/trades', { key }), 200],
    [
      'unchanged',
      () => world.ask('/v1/trades', { key, headers: { 'If-None-Match': '*' } }),
      304,
    ],
    ['a preflight', () => world.ask('/v1/trades', { method: 'OPTIONS' }), 204],
    ['a bad parameter', () => world.ask('/v1/trades?limit=0', { key }), 400],
    [
      'two keys',
      () => world.ask('/v1/trades', { key, headers: { 'x-api-key': 'other' } }),
      400,
    ],
    ['a bad cursor', () => world.ask('/v1/trades?cursor=x', { key }), 400],
    ['no key', () => world.ask('/v1/trades'), 401],
    ['a wrong key', () => world.ask('/v1/trades', { key: generateKey() }), 401],
    ['a missing scope', () => world.ask('/v1/trades', { key: world.key([]) }), 403],
    ['an unknown path under /v1', () => world.ask('/v1/nothing', { key }), 404],
    ['an unknown path outside /v1', () => world.ask('/nothing'), 404],
    ['a wrong method', () => world.ask('/v1/trades', { key, method: 'POST' }), 405],
    ['health', () => world.ask('/healthz'), 200],
    ['the description', () => world.ask('/openapi.json'), 200],
    ['no journal', () => withoutJournal('/v1/trades'), 503],
    ['health without a journal', () => withoutJournal('/healthz'), 503],
  ];

  test.each(KINDS)(
    '%s: has a request id, the security headers, and a problem if it is an error',
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
      expect(reply.text).not.toMatch(
        /SELECT|SQLITE|\.ts\b|node_modules|\/tmp|journal\.db|\bat \w+ \(/,
      );
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
    const { headers, body } = await world.ask('/v1/nothing', {
      key,
      headers: { 'X-Request-Id': sent },
    });
    const id = headers.get('X-Request-Id')!;
    if (kept) expect(id).toBe(sent);
    else expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(body.request_id).toBe(id);
    expect(JSON.parse(world.log.at(-1)!).request_id).toBe(id);
  });

  test('an internal error reaches the owner only', async () => {
    const faults: [unknown, string][] = [];
    begin({}, { onError: (error, requestId) => faults.push([error, requestId]) });
    world.db.exec('DROP VIEW trade_records');
    const { status, text, body, headers } = await world.ask('/v1/trades', { key });
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(text).not.toMatch(/trade_records|SQL|\.ts/);
    expect(faults).toEqual([
      [expect.objectContaining({ code: 'SQLITE_ERROR' }), headers.get('X-Request-Id')],
    ]);
    expect(body.detail).toContain(headers.get('X-Request-Id'));
  });
});

describe('outside /v1', () => {
  test.each(OPEN_PATHS)('%s needs no key, and ignores a wrong one', async (path) => {
    const reply = await world.ask(path);
    expect(reply.status).toBe(200);
    expect((await world.ask(path, { key: 'wrong' })).text).toBe(reply.text);
  });

  test('/healthz reports whether the journal is readable, and none of its contents', async () => {
    expect((await world.ask('/healthz')).body).toEqual({ data: { status: 'ok' } });
    unlinkSync(world.files.journal);
    const reply = await world.ask('/healthz');
    expect([reply.status, reply.body.code, reply.headers.get('Retry-After')]).toEqual([
      503,
      'journal_unavailable',
      '1',
    ]);
  });

  test('/openapi.json is the description, in any state of the journal', async () => {
    unlinkSync(world.files.journal);
    const reply = await world.ask('/openapi.json');
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    expect(reply.body).toEqual(openApi(ROUTES));
  });

  test('the description passes the strict rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({
      source: JSON.stringify(openApi(ROUTES)),
      config,
    });
    expect(
      problems.map(({ severity, ruleId, message, location }) => [
        severity,
        ruleId,
        message,
        location[0]?.pointer,
      ]),
    ).toEqual([]);
  });

  test('each constant has its type, which client generators need', () => {
    const constants: any[] = [];
    JSON.stringify(openApi(ROUTES), (_name, value) => {
      if (value?.const !== undefined) constants.push(value);
      return value;
    });
    expect(constants).not.toEqual([]);
    for (const constant of constants) expect(constant).toHaveProperty('type');
  });

  test('each example is a valid value of its parameter', async () => {
    const key = world.key();
    const described = Object.entries(openApi(ROUTES)['paths'] as object).flatMap(
      ([path, { get }]) =>
        (get.parameters ?? []).map(({ in: place, name, example }: any) => ({
          path,
          place,
          name,
          example,
        })),
    );
    const without = described.filter(({ example }) => example === undefined);
    expect([...new Set(without.map(({ name }) => name))]).toEqual(['cursor']);
    for (const { path, place, name, example } of described) {
      if (place === 'path' || example === undefined) continue;
      const { status } = await world.ask(
        `${path.replace('{id}', 't-1')}?${name}=${encodeURIComponent(example)}`,
        {
          key,
        },
      );
      expect([path, name, status]).toEqual([path, name, 200]);
    }
  });
});
