/**
 * Requests made at random from the API description: no 5xx, never a body that isn't described, never a word of another user's, and
 * HEAD is GET without its body.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_SCOPES, type Scope } from '../../src/keys/scopes.ts';
import { description } from '../description.ts';
import { addRecord, DAY, NOW, ROWS, type Row, World } from '../helpers.ts';

const REQUESTS = process.env['FAULTS'] === 'all' ? 20_000 : 200;

const USERS = ['me', 'other'] as const;
type UserId = (typeof USERS)[number];

/** A word that stands in every record of a user, and in no other's. */
const CANARY: Record<UserId, string> = { me: 'canarymine', other: 'canarytheirs' };

const SCOPES: readonly (readonly Scope[])[] = [ALL_SCOPES, [], ...ALL_SCOPES.map((scope) => [scope])];

/** Two users with the same ids, times and symbols, each with a word of its own in every text. */
function world(): { app: World; keys: Map<string, string> } {
  const app = new World({ name: CANARY.me, timezone: 'America/New_York' });
  app.addUser('other', { name: CANARY.other, timezone: 'Asia/Kathmandu', base_currency: 'EUR' });
  for (const user of USERS) {
    for (const path of Object.keys(ROWS)) {
      for (let i = 0; i < 30; i++) addRecord(app, path, `r-${i}`, new Date(NOW - i * 9 * DAY).toISOString(), user);
    }
    mark(app, user);
  }
  const keys = new Map<string, string>();
  for (const user of USERS) for (const scopes of SCOPES) keys.set(`${user} ${scopes}`, app.key(scopes, user));
  return { app, keys };
}

/** Puts the user's word into all texts and lists that are free. */
function mark(app: World, user: UserId): void {
  const tables = app.db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  for (const table of tables) {
    const all = app.db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
    const columns = all.filter((name) => FREE_TEXTS.includes(name) || FREE_LISTS.includes(name));
    const values = columns.map((name) => (FREE_LISTS.includes(name) ? JSON.stringify([CANARY[user]]) : CANARY[user]));
    if (columns.length === 0 || !all.includes('user_id')) continue;
    app.db
      .prepare(`UPDATE ${table} SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE user_id = ?`)
      .run(...values, user);
  }
}

const FREE_TEXTS = 'account setup notes title body lesson name strategy summary reason plan focus'.split(' ');
const FREE_LISTS = 'tags mistakes emotions'.split(' ');

interface Described {
  name: string;
  schema: { type?: string; enum?: readonly string[] };
  example: string | number;
}

const paths: [string, readonly Described[]][] = Object.entries(description.paths as Record<string, any>).map(
  ([path, { get }]) => [path, (get.parameters ?? []).filter((parameter: any) => parameter.in === 'query')],
);
const allNames = [...new Set(paths.flatMap(([, parameters]) => parameters.map(({ name }) => name)))];

const ODD = [
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
  const likely = fc.constantFrom(String(example), ...(schema.enum ?? []), '1', '2', '100', '101');
  const date = fc.integer({ min: 0, max: 500 }).map((days) => new Date(NOW - days * DAY).toISOString());
  const text = fc.oneof(
    date,
    date.map((at) => at.slice(0, 10)),
    fc.constantFrom(...ODD),
    fc.string({ unit: 'binary' }),
  );
  return fc.oneof({ weight: 3, arbitrary: likely }, { weight: 2, arbitrary: text });
}

const parameter = (described: readonly Described[]): fc.Arbitrary<[string, string]> =>
  fc.oneof(...described.map((one) => ({ weight: 5, arbitrary: fc.tuple(fc.constant(one.name), valueFor(one)) })), {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...allNames, 'x', '', '__proto__'), fc.constantFrom(...ODD)),
  });

const ids = fc.oneof(
  fc.integer({ min: 0, max: 31 }).map((i) => `r-${i}`),
  fc.constantFrom('about', '..', '.', '%00', '%2e%2e', 'R-1', 'x'.repeat(200), '%F0%9F%92%A9', '__proto__'),
);

const request = fc
  .constantFrom(...paths, ['/v1/nothing', []] as [string, readonly Described[]])
  .chain(([path, described]) =>
    fc.record({
      path: path.includes('{id}') ? ids.map((id) => path.replace('{id}', id)) : fc.constant(path),
      query: fc.array(parameter(described), { maxLength: 4, size: 'max' }),
      user: fc.constantFrom(...USERS),
      scopes: fc.oneof(
        { weight: 4, arbitrary: fc.constant(ALL_SCOPES as readonly Scope[]) },
        fc.constantFrom(...SCOPES),
      ),
    }),
  );

const withCursor = (url: string, cursor: string) => `${url}${url.includes('?') ? '&' : '?'}cursor=${cursor}`;

test('whatever is asked for', { timeout: 30 * 60_000 }, async () => {
  const { app, keys } = world();
  let lastCursor = '';
  const seen = new Map<number, number>();
  const ask = async (url: string, user: UserId, key: string) => {
    // World.ask holds the answer against the description.
    const got = await app.ask(url, { key });
    seen.set(got.status, (seen.get(got.status) ?? 0) + 1);
    expect([200, 400, 403, 404, 422]).toContain(got.status);
    const others = CANARY[user === 'me' ? 'other' : 'me'];
    // An error, and the hint of an empty page, may quote what was asked for.
    if (got.status === 200) expect(JSON.stringify({ ...got.body, hint: null })).not.toContain(others);
    if (got.status === 200 && !url.includes(others)) expect(got.text).not.toContain(others);
    const head = await app.ask(url, { key, method: 'HEAD' });
    expect([head.status, head.text]).toEqual([got.status, '']);
    // The error of each request has an id of its own.
    const plain = (headers: Headers) => [...headers].filter(([name]) => name !== 'x-request-id').sort();
    if (got.status === 200) expect(plain(head.headers)).toEqual(plain(got.headers));
    return got;
  };
  const property = fc.asyncProperty(request, async ({ path, query, user, scopes }) => {
    const search = new URLSearchParams(query).toString();
    const url = search === '' ? path : `${path}?${search}`;
    const key = keys.get(`${user} ${scopes}`) as string;
    const { status, body } = await ask(url, user, key);
    // Its own cursor, and that of whoever came before.
    if (lastCursor !== '' && query.length < 2) await ask(withCursor(url, lastCursor), user, key);
    const next = status === 200 ? body.pagination?.next_cursor : undefined;
    if (next) {
      lastCursor = next;
      if (!/[?&]cursor=/.test(url)) {
        const page = await ask(withCursor(url, next), user, key);
        expect(page.status).toBe(200);
        const idsOf = (rows: readonly Row[]) => rows.map((row) => `${row['type']} ${row['id']}`);
        expect(idsOf(page.body.data).filter((id) => idsOf(body.data).includes(id))).toEqual([]);
      }
    }
  });
  await fc.assert(property, { numRuns: REQUESTS });
  // That enough of them were good ones, and that the canaries are where they would show.
  expect(seen.get(200)).toBeGreaterThan(REQUESTS / 5);
  const own = await app.ask('/v1/trades/r-1', { key: keys.get(`me ${ALL_SCOPES}`) as string });
  expect(own.text.split(CANARY.me).length).toBeGreaterThan(5);
});
