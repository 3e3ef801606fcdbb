/**
 * Requests made at random from the API description: no 5xx, never a body that isn't described, never a word of another user's, and
 * HEAD is GET without its body; the same with whatever a hostile client, proxy or page sends beside it.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_SCOPES, type Scope } from '../../src/keys/scopes.ts';
import { description } from '../description.ts';
import { isExhaustive } from '../effort.ts';
import { addRecord, DAY, NOW, ROWS, type Row, World } from '../helpers.ts';

const REQUESTS = isExhaustive ? 20_000 : 2000;

const USERS = ['me', 'other'] as const;
type UserId = (typeof USERS)[number];

/** A word in every record of one user only. */
const CANARY: Record<UserId, string> = { me: 'canarymine', other: 'canarytheirs' };

const SCOPES: readonly (readonly Scope[])[] = [
  ALL_SCOPES,
  [],
  ...ALL_SCOPES.map((scope) => [scope]),
];

/** Two users with the same ids, times and symbols, each with their own word in every text. */
function world(settings: ConstructorParameters<typeof World>[1] = {}): {
  app: World;
  keys: Map<string, string>;
} {
  const app = new World({ name: CANARY.me, timezone: 'America/New_York' }, settings);
  app.addUser('other', {
    name: CANARY.other,
    timezone: 'Asia/Kathmandu',
    base_currency: 'EUR',
  });
  for (const user of USERS) {
    for (const path of Object.keys(ROWS)) {
      for (let i = 0; i < 30; i++)
        addRecord(app, path, `r-${i}`, new Date(NOW - i * 9 * DAY).toISOString(), user);
    }
    mark(app, user);
  }
  const keys = new Map<string, string>();
  for (const user of USERS)
    for (const scopes of SCOPES) keys.set(`${user} ${scopes}`, app.key(scopes, user));
  return { app, keys };
}

/** Puts the user's word into all free texts and lists. */
function mark(app: World, user: UserId): void {
  const tables = app.db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  for (const table of tables) {
    const all = app.db
      .prepare('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(table) as string[];
    const columns = all.filter(
      (name) => FREE_TEXTS.includes(name) || FREE_LISTS.includes(name),
    );
    const values = columns.map((name) =>
      FREE_LISTS.includes(name) ? JSON.stringify([CANARY[user]]) : CANARY[user],
    );
    if (columns.length === 0 || !all.includes('user_id')) continue;
    app.db
      .prepare(
        `UPDATE ${table} SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE user_id = ?`,
      )
      .run(...values, user);
  }
}

const FREE_TEXTS =
  'account setup notes title body lesson name strategy summary reason plan focus'.split(
    ' ',
  );
const FREE_LISTS = 'tags mistakes emotions'.split(' ');

interface Described {
  name: string;
  schema: { type?: string; enum?: readonly string[] };
  example: string | number;
}

const paths: [string, readonly Described[]][] = Object.entries(
  description.paths as Record<string, any>,
).map(([path, { get }]) => [
  path,
  (get.parameters ?? []).filter((parameter: any) => parameter.in === 'query'),
]);
const allNames = [
  ...new Set(paths.flatMap(([, parameters]) => parameters.map(({ name }) => name))),
];

/** Filters as JSON, as in other APIs, with values that may be more than text. */
const CONDITIONS = [
  '{}',
  '[]',
  '{"weekday":"1"}',
  '{"user_id":"other"}',
  '{"user_id":{"$ne":null}}',
  '{"tag":"canarytheirs"}',
  '{"__proto__":{"weekday":"1"}}',
  '{"constructor":"1","hour":"9"}',
  '{"symbol":"AAPL","symbol":"x"}',
  `${'{"weekday":'.repeat(500)}1${'}'.repeat(500)}`,
  '{"weekday":1e400}',
  '{"weekday":"\\u0000"}',
  '{"$where":"1=1"}',
];

const ODD = [
  ...CONDITIONS,
  '',
  '0',
  '-1',
  '1e2',
  '01',
  '1.0',
  '9007199254740993',
  '9'.repeat(400),
  ' 5',
  'null',
  '__proto__',
  'canarymine',
  'canarytheirs',
  "'; DROP TABLE trades; --",
  '%',
  '\0',
  '\ud800',
  '\u202e\u009b31m',
  '👩‍👩‍👧‍👦'.repeat(200),
  'x'.repeat(10_000),
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '-271821-04-20',
  '+275760-09-13T00:00:00.000Z',
  '2026-11-01T01:30:00',
  '2026-11-01T01:30:00-04:00',
  '2026-11-20T23:59:60Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999-23:59',
];

function valueFor({ schema, example }: Described): fc.Arbitrary<string> {
  const likely = fc.constantFrom(
    String(example),
    ...(schema.enum ?? []),
    '1',
    '2',
    '100',
    '101',
  );
  const date = fc
    .integer({ min: 0, max: 500 })
    .map((days) => new Date(NOW - days * DAY).toISOString());
  const text = fc.oneof(
    date,
    date.map((at) => at.slice(0, 10)),
    fc.constantFrom(...ODD),
    fc.string({ unit: 'binary' }),
  );
  return fc.oneof({ weight: 3, arbitrary: likely }, { weight: 2, arbitrary: text });
}

const parameter = (described: readonly Described[]): fc.Arbitrary<[string, string]> =>
  fc.oneof(
    ...described.map((one) => ({
      weight: 5,
      arbitrary: fc.tuple(fc.constant(one.name), valueFor(one)),
    })),
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom(...allNames, 'x', '', '__proto__'),
        fc.constantFrom(...ODD),
      ),
    },
  );

const ids = fc.oneof(
  fc.integer({ min: 0, max: 31 }).map((i) => `r-${i}`),
  fc.constantFrom(
    'about',
    '..',
    '.',
    '%00',
    '%2e%2e',
    'R-1',
    'x'.repeat(200),
    '%F0%9F%92%A9',
    '__proto__',
  ),
);

const request = fc
  .constantFrom(...paths, ['/v1/nothing', []] as [string, readonly Described[]])
  .chain(([path, described]) =>
    fc.record({
      path: path.includes('{id}')
        ? ids.map((id) => path.replace('{id}', id))
        : fc.constant(path),
      query: fc.array(parameter(described), { maxLength: 4, size: 'max' }),
      user: fc.constantFrom(...USERS),
      scopes: fc.oneof(
        { weight: 4, arbitrary: fc.constant(ALL_SCOPES as readonly Scope[]) },
        fc.constantFrom(...SCOPES),
      ),
    }),
  );

const withCursor = (url: string, cursor: string) =>
  `${url}${url.includes('?') ? '&' : '?'}cursor=${cursor}`;

test('any request', { timeout: 30 * 60_000 }, async () => {
  const { app, keys } = world();
  // The first use of a key changes /v1/me, which shows the last one.
  for (const key of keys.values()) await app.ask('/v1/me', { key });
  let lastCursor = '';
  const seen = new Map<number, number>();
  const ask = async (url: string, user: UserId, key: string) => {
    // World.ask holds the answer against the description.
    const got = await app.ask(url, { key });
    seen.set(got.status, (seen.get(got.status) ?? 0) + 1);
    expect([200, 400, 403, 404, 422]).toContain(got.status);
    const others = CANARY[user === 'me' ? 'other' : 'me'];
    // An error, and the hint of an empty page, may quote what was asked for.
    if (got.status === 200)
      expect(JSON.stringify({ ...got.body, hint: null })).not.toContain(others);
    if (got.status === 200 && !url.includes(others))
      expect(got.text).not.toContain(others);
    const head = await app.ask(url, { key, method: 'HEAD' });
    expect([head.status, head.text]).toEqual([got.status, '']);
    // The error of each request has an id of its own.
    const plain = (headers: Headers) =>
      [...headers].filter(([name]) => name !== 'x-request-id').sort();
    if (got.status === 200) expect(plain(head.headers)).toEqual(plain(got.headers));
    const table = await app.ask(url, { key, headers: { Accept: 'text/csv' } });
    // A table may have more records.
    expect(got.status === 200 ? [200, 422] : [got.status, 200]).toContain(table.status);
    if (table.status === 200 && !url.includes(others))
      expect(table.text).not.toContain(others);
    return got;
  };
  const property = fc.asyncProperty(request, async ({ path, query, user, scopes }) => {
    const search = new URLSearchParams(query).toString();
    const url = search === '' ? path : `${path}?${search}`;
    const key = keys.get(`${user} ${scopes}`) as string;
    const { status, body } = await ask(url, user, key);
    // Its own cursor, and that of whoever came before.
    if (lastCursor !== '' && query.length < 2)
      await ask(withCursor(url, lastCursor), user, key);
    const next = status === 200 ? body.pagination?.next_cursor : undefined;
    if (next) {
      lastCursor = next;
      if (!/[?&]cursor=/.test(url)) {
        const page = await ask(withCursor(url, next), user, key);
        expect(page.status).toBe(200);
        const idsOf = (rows: readonly Row[]) =>
          rows.map((row) => `${row['type'] ?? row['kind']} ${row['id']}`);
        expect(
          idsOf(page.body.data).filter((id) => idsOf(body.data).includes(id)),
        ).toEqual([]);
      }
    }
  });
  await fc.assert(property, { numRuns: REQUESTS });
  // That enough of them were good ones, and that the canaries are where they would show.
  expect(seen.get(200)).toBeGreaterThan(REQUESTS / 5);
  const own = await app.ask('/v1/trades/r-1', {
    key: keys.get(`me ${ALL_SCOPES}`) as string,
  });
  expect(own.text.split(CANARY.me).length).toBeGreaterThan(5);
});

/** Hosts, and whether the service accepts them. */
type Host = readonly [host: string, isOurs: boolean];
const HOSTS: readonly Host[] = [
  ['localhost', true],
  ['localhost:4747', true],
  ['127.0.0.1', true],
  ['[::1]:4747', true],
  ['journal.example.com', true],
  ['JOURNAL.example.com.:443', true],
  ['evil.example.com', false],
  ['journal.example.com.evil.example.com', false],
  ['localhost@evil.example.com', false],
  ['evil.example.com, localhost', false],
  ['127.0.0.1.evil.example.com', false],
  ['0x7f000001', false],
  ['', false],
  ['[::1', false],
  ['\u00e9.example.com', false],
];
const host = fc.constantFrom(...HOSTS);

/** Extra headers: none may grant access or break the service. */
const besides = fc.record(
  {
    'x-forwarded-for': fc.constantFrom(
      '203.0.113.9',
      '::1',
      'unknown',
      '127.0.0.1, 10.0.0.1',
      "';--",
      ','.repeat(5000),
    ),
    'x-forwarded-proto': fc.constantFrom('https', 'javascript'),
    'x-real-ip': fc.constant('127.0.0.1'),
    'x-original-url': fc.constantFrom('/v1/me', '/healthz'),
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    origin: fc.constantFrom('null', 'https://evil.example.com', 'http://localhost:4747'),
    'if-none-match': fc.constantFrom('*', 'W/"x"', '"'.repeat(3000), ','.repeat(3000)),
    accept: fc.constantFrom(
      'text/csv',
      'application/x-ndjson',
      'text/csv;q=1e400, */*;q=x',
      'text/*;,'.repeat(1500),
    ),
    'accept-encoding': fc.constantFrom('gzip', 'gzip;q=1e400', '*;q=0', 'x'.repeat(2000)),
    'x-request-id': fc.constantFrom('r-1', 'x'.repeat(129), '\u00e9', 'a b'),
    'x-journal-api-challenge': fc.constantFrom('x'.repeat(43), 'x'),
    range: fc.constant('bytes=0-10'),
    cookie: fc.constant('key=canarytheirs'),
  },
  { requiredKeys: [] },
);

const hostile = fc.record({
  request,
  hosts: fc.oneof(
    { weight: 8, arbitrary: fc.array(host, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(host, { maxLength: 3 }) },
  ),
  // Of several, the last is the one that the proxy wrote.
  forwardedHost: fc.option(
    fc.constantFrom(...HOSTS.filter(([name]) => !name.includes(','))),
  ),
  peer: fc.constantFrom('127.0.0.1', '::ffff:127.0.0.1', '192.0.2.9', '2001:db8::1'),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'),
  as: fc.constantFrom('bearer', 'x-api-key', 'both', 'two users', 'none', 'wrong'),
  besides,
  cursor: fc.option(
    fc.oneof(fc.constantFrom('own', "other's", 'changed'), fc.constantFrom(...ODD)),
  ),
});

test('any extra: hosts, forwarded addresses, credentials, cursors', {
  timeout: 30 * 60_000,
}, async () => {
  const { app, keys } = world({
    trustProxy: true,
    allowedHosts: ['journal.example.com'],
  });
  const keyOf = (user: UserId, scopes: readonly Scope[] = ALL_SCOPES) =>
    keys.get(`${user} ${scopes}`) as string;
  const cursors = new Map<string, string>();
  for (const user of USERS) {
    const { body } = await app.ask('/v1/trades?limit=2', { key: keyOf(user) });
    cursors.set(user, body.pagination.next_cursor);
  }
  const cursorFor = (user: UserId, cursor: string) => {
    const own = cursors.get(user) as string;
    if (cursor === 'own') return own;
    if (cursor === "other's")
      return cursors.get(user === 'me' ? 'other' : 'me') as string;
    return cursor === 'changed'
      ? `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`
      : cursor;
  };
  const seen = new Map<number, number>();
  const property = fc.asyncProperty(
    hostile,
    async ({ request, hosts, forwardedHost, peer, method, as, ...more }) => {
      const { user, scopes } = request;
      const other = user === 'me' ? 'other' : 'me';
      const query = [...request.query];
      if (more.cursor !== null) query.push(['cursor', cursorFor(user, more.cursor)]);
      const search = new URLSearchParams(query).toString();
      const key = keyOf(user, scopes);
      const credentials: Record<string, string> = {
        ...(['bearer', 'both', 'two users'].includes(as) && {
          authorization: `Bearer ${key}`,
        }),
        ...(['x-api-key', 'both'].includes(as) && { 'x-api-key': key }),
        ...(as === 'two users' && { 'x-api-key': keyOf(other) }),
        ...(as === 'wrong' && { authorization: 'Bearer jak_wrong' }),
      };
      const rawHeaders = hosts.flatMap(([name]) => ['Host', name]);
      const headers = {
        ...more.besides,
        ...credentials,
        ...(hosts[0] && { host: hosts[0][0] }),
        ...(forwardedHost && { 'x-forwarded-host': forwardedHost[0] }),
      };
      const socket = { remoteAddress: peer, localAddress: '127.0.0.1', localPort: 4747 };
      const incoming = { socket, headers, rawHeaders, httpVersion: '1.1' };
      const response = await app.app.request(
        `${request.path}${search && '?'}${search}`,
        { method },
        {
          incoming,
        } as never,
      );
      const text = await response.text();
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
      const label = JSON.stringify({
        status: response.status,
        path: request.path,
        search,
        headers,
        rawHeaders,
        peer,
        method,
      });
      expect(response.status, label).toBeLessThan(500);

      // Before anything else it is looked by which name the service was called.
      const isTrusted = peer.endsWith('127.0.0.1');
      const isMisdirected = !hosts[0]?.[1] || (isTrusted && forwardedHost?.[1] === false);
      const refused = hosts.length !== 1 ? 400 : isMisdirected ? 421 : undefined;
      if (refused !== undefined) expect(response.status, label).toBe(refused);
      else if (request.path.startsWith('/v1') && method !== 'OPTIONS') {
        const expected = { none: [401], wrong: [401, 429], 'two users': [400] }[
          as as string
        ];
        if (expected) expect(expected, label).toContain(response.status);
      }
      // Only the description and the like is for everybody.
      const isJournal = text.includes(CANARY[user]) && !search.includes(CANARY[user]);
      if (isJournal)
        expect(
          [as === 'none' || as === 'wrong' || as === 'two users', response.status],
          label,
        ).toEqual([false, 200]);
      const quoted = `${search} ${JSON.stringify(more.besides)}`;
      if (!quoted.includes(CANARY[other])) {
        expect(`${text}${JSON.stringify([...response.headers])}`, label).not.toContain(
          CANARY[other],
        );
      } else if (response.status === 200 && text.startsWith('{')) {
        // A hint of JSON repeats what was asked for.
        const hasHint = response.headers
          .get('Content-Type')
          ?.startsWith('application/json');
        const shown = hasHint
          ? JSON.stringify({ ...JSON.parse(text), hint: null })
          : text;
        expect(shown, label).not.toContain(CANARY[other]);
      }
      // Another user's cursor, or one that was changed, is never taken.
      if (response.status === 200 && request.path === '/v1/trades')
        expect(more.cursor, label).not.toBe("other's");
      if (response.status === 200 && request.path === '/v1/trades')
        expect(more.cursor, label).not.toBe('changed');
    },
  );
  await fc.assert(property, { numRuns: REQUESTS });
  for (const status of [200, 400, 401, 421])
    expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(REQUESTS / 100);
  // Nothing of a request that was made up is in the log: no key, no query value.
  const log = app.log.join('');
  for (const key of keys.values()) expect(log).not.toContain(key.slice(4));
  expect(log).not.toContain("'; DROP");
});
