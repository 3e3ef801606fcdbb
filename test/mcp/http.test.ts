/** /mcp: access, counting of requests, and the log. */
import { expect, test } from 'vitest';
import { DAY, tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';
import { call, connectOverHttp, mcpWorld, serveMcpOverHttp } from './connect.ts';

const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

const calling = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

async function post(world: World, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await world.app.request('/mcp', {
    method: 'POST',
    body: text,
    headers: { ...HEADERS, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  };
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

test('it is off by default', async () => {
  const world = new World();
  expect(
    (await post(world, calling('journal_summary'), bearer(world.key()))).status,
  ).toBe(404);
});

test.each([
  ['no key', {}, 401, 'missing_key'],
  ['a wrong key', bearer('jak_wrong'), 401, 'invalid_key'],
  [
    'two keys',
    { ...bearer('jak_a'), 'x-api-key': 'jak_b' },
    400,
    'conflicting_credentials',
  ],
  ['a forged Host', { Host: 'evil.example.com' }, 421, 'misdirected_request'],
  ['a forged Origin', { Origin: 'https://evil.example.com' }, 403, 'foreign_origin'],
  ['the Origin null', { Origin: 'null' }, 403, 'foreign_origin'],
  [
    'an Origin of another port',
    { Origin: 'http://localhost:3000', Host: 'localhost:4747' },
    403,
    'foreign_origin',
  ],
])('%s is refused before the body is read', async (_what, headers, status, code) => {
  const world = mcpWorld();
  const reply = await post(
    world,
    calling('journal_summary'),
    headers as Record<string, string>,
  );
  expect([reply.status, JSON.parse(reply.text).code]).toEqual([status, code]);
  if (status === 401) expect(reply.headers.get('WWW-Authenticate')).toContain('Bearer');
});

test('an expired key gets the same error as under /v1', async () => {
  const world = mcpWorld();
  const key = world.key();
  world.now += 31 * DAY;
  const reply = await post(world, calling('journal_summary'), bearer(key));
  expect([reply.status, JSON.parse(reply.text).code]).toEqual([401, 'expired_key']);
});

test.each([
  ['none', {}],
  ['its own', { Origin: 'http://localhost:4747', Host: 'localhost:4747' }],
  ['an allowed one', { Origin: 'https://app.example.com' }],
])('an accepted Origin: %s', async (_what, headers) => {
  const world = mcpWorld({}, { corsOrigins: ['https://app.example.com'] });
  const reply = await post(world, calling('get_trade', { id: 'x' }), {
    ...bearer(world.key()),
    ...(headers as Record<string, string>),
  });
  expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('not_found')]);
});

test('any call is one request and one line of the log', async () => {
  const world = mcpWorld({}, { rateLimit: 3 });
  const key = world.key(undefined, undefined, 'key_counted');
  for (let i = 0; i < 3; i++) {
    const { status } = await post(
      world,
      calling('read_notes', { kind: 'journals', period: '7d' }),
      bearer(key),
    );
    expect(status).toBe(200);
  }
  const refused = await post(world, calling('journal_summary'), bearer(key));
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '20']);
  const lines = world.log.map((line) => JSON.parse(line));
  expect(
    lines.map(({ method, path, status, key_id }) => [method, path, status, key_id]),
  ).toEqual([
    ...Array(3).fill(['POST', '/mcp', 200, 'key_counted']),
    ['POST', '/mcp', 429, 'key_counted'],
  ]);
});

test.each([
  [
    'several messages in a list',
    [calling('journal_summary'), calling('journal_summary')],
    400,
  ],
  ['no JSON', '{', 400],
  ['a body that is too large', `"${'x'.repeat(300_000)}"`, 413],
])('%s is refused', async (_what, body, status) => {
  const world = mcpWorld();
  const reply = await post(world, body, bearer(world.key()));
  expect([reply.status, JSON.parse(reply.text)]).toEqual([
    status,
    expect.objectContaining({ jsonrpc: '2.0' }),
  ]);
});

test('responses have the usual headers, and GET has nothing to stream', async () => {
  const world = mcpWorld();
  const headers = { ...HEADERS, ...bearer(world.key()), 'X-Request-Id': 'mine' };
  const reply = await world.app.request('/mcp', { headers });
  expect(reply.status).toBe(405);
  expect(reply.headers.get('X-Request-Id')).toBe('mine');
  expect(reply.headers.get('X-Content-Type-Options')).toBe('nosniff');
});

test('an unavailable journal is reported, and works again once fixed', async () => {
  const world = mcpWorld();
  world.insert('trades', tradeRow('t-1'));
  const url = await serveMcpOverHttp(world);
  const key = world.key();
  const client = await connectOverHttp('2.4, automatic', url, key);
  world.db.exec("UPDATE users SET timezone = 'Nowhere/Land'");
  await expect(call(client, 'get_trade', { id: 't-1' })).rejects.toThrow(
    /journal_unavailable: the time zone/,
  );
  world.db.exec("UPDATE users SET timezone = 'UTC'");
  expect((await call(client, 'get_trade', { id: 't-1' })).symbol).toBe('AAPL');
});

test.each([
  [['--mcp'], {}, 405],
  [[], { JOURNAL_API_MCP: 'true' }, 405],
  [[], { JOURNAL_API_MCP: 'false' }, 404],
])('serve %j with %j', async (flags, env, status) => {
  const world = new World();
  world.now = Date.now();
  world.insert('trades', tradeRow('t-1'));
  const { url } = await startServe(
    ['--home', world.files.home, '--log', 'off', ...flags],
    {
      env: env as never,
    },
  );
  const key = world.key();
  expect((await fetch(`${url}/mcp`, { headers: bearer(key) })).status).toBe(status);
  if (status === 404) return;
  const client = await connectOverHttp('1.32', `${url}/mcp`, key);
  expect((await call(client, 'get_trade', { id: 't-1' })).symbol).toBe('AAPL');
});
