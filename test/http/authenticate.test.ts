/** Access: keys, scopes, the order of checks, and the separation of users. */
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { filesOf } from '../../src/config.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { RESOURCES as LISTS } from '../../src/journal/resources/index.ts';
import { generateKey } from '../../src/keys/format.ts';
import { ALL_SCOPES, type Scope } from '../../src/keys/scopes.ts';
import { openSecret } from '../../src/keys/secret.ts';
import { insertKey, revokeKey } from '../../src/keys/store.ts';
import { toInstantText } from '../../src/time.ts';
import {
  DAY,
  type Reply,
  type Row,
  temporaryFolder,
  tradeRow,
  World,
} from '../helpers.ts';
import { keepPicture } from '../pictures/kept.ts';
import { png } from '../pictures/sample-pictures.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

/** The routes that need a key. */
const KEY_ROUTES = ROUTES.filter(({ scope }) => scope !== 'public');

const refusal = ({ status, body }: Reply) => [status, body.code];

describe('scopes', () => {
  const TABLE: [path: string, scope: Scope | null][] = [
    ['/v1/me', null],
    ['/v1/trades', 'trades:read'],
    ['/v1/trades/{id}', 'trades:read'],
    ['/v1/trade-groups', 'trades:read'],
    ['/v1/positions', 'trades:read'],
    ['/v1/journal-rows', 'journals:read'],
    ['/v1/trade-journals', 'journals:read'],
    ['/v1/group-journals', 'journals:read'],
    ['/v1/sessions', 'sessions:read'],
    ['/v1/weekly-reviews', 'reviews:read'],
    ['/v1/missed-trades', 'missed_trades:read'],
    ['/v1/attachments/{id}', 'journals:read'],
    ['/v1/cash-flows', 'trades:read'],
    ['/v1/labels', 'trades:read'],
    ['/v1/analytics/summary', 'analytics:read'],
    ['/v1/analytics/missed-trades', 'analytics:read'],
    ['/v1/summary', 'agent_summary:read'],
  ];

  test('the table names every endpoint', () => {
    expect(TABLE.map(([path]) => path)).toEqual(KEY_ROUTES.map((route) => route.path));
  });

  test('a list has the path and the scope of its declaration', () => {
    const lists = KEY_ROUTES.flatMap((route) =>
      'list' in route.gives ? [{ route, list: route.gives.list }] : [],
    );
    expect(lists.map(({ list }) => list.path)).toEqual(LISTS.map(({ path }) => path));
    for (const { route, list } of lists) {
      expect([route.path, route.scope]).toEqual([`/v1/${list.path}`, list.scope]);
    }
  });

  test.each(TABLE)('%s needs %s and no other scope', async (path, needed) => {
    world.insert('trades', tradeRow('t-1'));
    const { name, attachments } = keepPicture(world, png());
    world.insert('trade_journals', {
      id: 'j',
      trade_id: 't-1',
      phase: 'review',
      attachments,
    });
    const url = path.replace('{id}', path.includes('attachments') ? name : 't-1');
    for (const scope of ALL_SCOPES) {
      const reply = await world.ask(url, { key: world.key([scope]) });
      if (needed === null || scope === needed) {
        expect([scope, reply.status]).toEqual([scope, 200]);
        continue;
      }
      expect([scope, ...refusal(reply)]).toEqual([scope, 403, 'insufficient_scope']);
      expect(reply.headers.get('WWW-Authenticate')).toBe(
        `Bearer realm="journal-api", error="insufficient_scope", scope="${needed}"`,
      );
      expect(reply.body.detail).toContain(needed);
    }
    const others = ALL_SCOPES.filter((scope) => scope !== needed);
    expect((await world.ask(url, { key: world.key(others) })).status).toBe(
      needed === null ? 200 : 403,
    );
    expect((await world.ask(url, { key: world.key([]) })).status).toBe(
      needed === null ? 200 : 403,
    );
  });

  test("/v1/me lists a key's endpoints, and nothing else of the journal", async () => {
    world.insert('trades', tradeRow('t-1'));
    world.insert('sessions', { id: 's-1', date: '2026-11-19' });
    for (const scope of ALL_SCOPES) {
      const { body } = await world.ask('/v1/me', { key: world.key([scope]) });
      const reached = TABLE.filter(
        ([, needed]) => needed === null || needed === scope,
      ).map(([path]) => path);
      expect(body.data.endpoints).toEqual(reached);
      const lists = Object.keys(body.data.extent).map((name) => `/v1/${name}`);
      expect(lists.filter((path) => !reached.includes(path))).toEqual([]);
    }
    const { body } = await world.ask('/v1/me', { key: world.key([]) });
    expect(body.data).toMatchObject({ endpoints: ['/v1/me'], extent: {} });
  });

  test('a single trade withholds journal entries, unless the key has the scope for them', async () => {
    world.insert('trade_groups', group('g-1'));
    world.insert('trades', tradeRow('t-1', { group_id: 'g-1' }), tradeRow('t-2'));
    world.insert('trade_journals', {
      id: 'j-1',
      trade_id: 't-1',
      phase: 'review',
      title: 'of the trade',
    });
    world.insert('group_journals', {
      id: 'j-1',
      group_id: 'g-1',
      phase: 'review',
      title: 'of the group',
    });

    const without = await world.ask('/v1/trades/t-1', {
      key: world.key(['trades:read']),
    });
    expect(without.body.data).toMatchObject({
      journals: null,
      group_journals: null,
      withheld: ['journals:read'],
    });
    expect(without.text).not.toMatch(/of the (trade|group)/);

    const key = world.key(['trades:read', 'journals:read']);
    const { data } = (await world.ask('/v1/trades/t-1', { key })).body;
    expect([data.journals[0].title, data.group_journals[0].title]).toEqual([
      'of the trade',
      'of the group',
    ]);
    expect(data).not.toHaveProperty('withheld');
    expect((await world.ask('/v1/trades/t-2', { key })).body.data).toMatchObject({
      group: null,
      journals: [],
      group_journals: [],
    });
  });
});

describe('invalid keys', () => {
  const swapped = (key: string) => {
    const at = [...key].findIndex((letter, i) => i > 8 && letter !== key[i + 1]);
    return key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
  };
  const otherLetter = (letter: string) => (letter === 'x' ? 'y' : 'x');

  test.each([
    ['no key', () => ({}), 'missing_key'],
    ['an empty Authorization', () => ({ Authorization: '' }), 'missing_key'],
    ['Bearer without a key', () => ({ Authorization: 'Bearer ' }), 'missing_key'],
    ['an empty x-api-key', () => ({ 'x-api-key': '  ' }), 'missing_key'],
    [
      'Basic',
      (key: string) => ({ Authorization: `Basic ${btoa(`me:${key}`)}` }),
      'missing_key',
    ],
    ['a key without Bearer', (key: string) => ({ Authorization: key }), 'missing_key'],
    [
      'Bearer without a space',
      (key: string) => ({ Authorization: `Bearer${key}` }),
      'missing_key',
    ],
    [
      'two keys in one header',
      (key: string) => ({ Authorization: `Bearer ${key}, Bearer ${key}` }),
      'missing_key',
    ],
    ['nonsense', () => ({ Authorization: 'Bearer nonsense' }), 'invalid_key'],
    [
      'a property of the runtime',
      () => ({ Authorization: 'Bearer __proto__' }),
      'invalid_key',
    ],
    ['SQL', () => ({ 'x-api-key': "' OR 1=1 --" }), 'invalid_key'],
    [
      'a very long text',
      () => ({ Authorization: `Bearer ${'a'.repeat(10_000)}` }),
      'invalid_key',
    ],
    [
      'an unknown key',
      () => ({ Authorization: `Bearer ${generateKey()}` }),
      'invalid_key',
    ],
    [
      'two letters swapped',
      (key: string) => ({ Authorization: `Bearer ${swapped(key)}` }),
      'invalid_key',
    ],
    [
      'a wrong checksum',
      (key: string) => ({
        Authorization: `Bearer ${key.slice(0, -1)}${otherLetter(key.at(-1)!)}`,
      }),
      'invalid_key',
    ],
    [
      'all in lower case',
      (key: string) => ({ Authorization: `Bearer ${key.toLowerCase()}` }),
      'invalid_key',
    ],
    [
      'cut off',
      (key: string) => ({ Authorization: `Bearer ${key.slice(0, -1)}` }),
      'invalid_key',
    ],
    [
      'one letter too long',
      (key: string) => ({ Authorization: `Bearer ${key}0` }),
      'invalid_key',
    ],
    [
      'without its prefix',
      (key: string) => ({ Authorization: `Bearer ${key.slice(4)}` }),
      'invalid_key',
    ],
    ['in quotes', (key: string) => ({ Authorization: `Bearer "${key}"` }), 'invalid_key'],
    ['its id instead', () => ({ Authorization: 'Bearer key_mine' }), 'invalid_key'],
  ] as [string, (key: string) => Record<string, string>, string][])(
    '%s',
    async (_name, headersFor, code) => {
      const key = world.key(ALL_SCOPES, 'me', 'key_mine');
      const reply = await world.ask('/v1/me', { headers: headersFor(key) });
      expect(refusal(reply)).toEqual([401, code]);
      const challenge = reply.headers.get('WWW-Authenticate')!;
      // RFC 6750: no error without credentials, and only printable ASCII inside the quotes.
      if (code === 'missing_key') expect(challenge).toBe('Bearer realm="journal-api"');
      else
        expect(challenge).toMatch(
          /^Bearer realm="journal-api", error="invalid_token", error_description="[ !#-[\]-~]+"$/,
        );
      expect(reply.text + challenge).not.toContain(key);
    },
  );

  test.each([
    ['Bearer', (key: string) => ({ Authorization: `Bearer ${key}` })],
    ['bearer', (key: string) => ({ Authorization: `bearer ${key}` })],
    ['BEARER and spaces', (key: string) => ({ Authorization: `BEARER   ${key}  ` })],
    ['x-api-key alone', (key: string) => ({ 'x-api-key': key })],
    [
      'both the same',
      (key: string) => ({ Authorization: `Bearer ${key}`, 'x-api-key': key }),
    ],
    [
      'x-api-key with Basic, as a proxy may send it',
      (key: string) => ({ Authorization: 'Basic bWU6bWU=', 'x-api-key': key }),
    ],
  ] as [string, (key: string) => Record<string, string>][])(
    '%s is accepted',
    async (_name, headersFor) => {
      const reply = await world.ask('/v1/me', { headers: headersFor(world.key()) });
      expect(reply.status).toBe(200);
    },
  );

  test('two different keys are a conflict, even if one is valid', async () => {
    const [key, other] = [world.key(), world.key()];
    for (const [bearer, plain] of [
      [key, other],
      [key, generateKey()],
      ['nonsense', key],
    ] as const) {
      const reply = await world.ask('/v1/me', {
        headers: { Authorization: `Bearer ${bearer}`, 'x-api-key': plain },
      });
      expect(refusal(reply)).toEqual([400, 'conflicting_credentials']);
      expect(reply.text).not.toMatch(/jak_/);
    }
  });

  test('x-api-key sent twice: the same key is one key, two different ones are a conflict', async () => {
    const [key, other] = [world.key(), world.key()];
    expect(
      (await world.ask('/v1/me', { headers: { 'x-api-key': `${key}, ${key}` } })).status,
    ).toBe(200);
    const both = await world.ask('/v1/me', {
      headers: { 'x-api-key': `${key}, ${other}` },
    });
    expect(refusal(both)).toEqual([400, 'conflicting_credentials']);
  });

  test('the response to a key without "Bearer" names the missing part', async () => {
    const reply = await world.ask('/v1/me', { headers: { Authorization: world.key() } });
    expect(refusal(reply)).toEqual([401, 'missing_key']);
    expect(reply.body.detail).toMatch(/put "Bearer " before the key/);
  });

  test('a revoked key is rejected from the next request on', async () => {
    const key = world.key(ALL_SCOPES, 'me', 'key_mine');
    expect((await world.ask('/v1/trades', { key })).status).toBe(200);
    revokeKey(world.files.keys, 'key_mine', world.now);
    const reply = await world.ask('/v1/trades', { key });
    expect(refusal(reply)).toEqual([401, 'revoked_key']);
    expect(reply.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
    // It stays revoked after its time of expiry.
    world.now += 31 * DAY;
    expect(refusal(await world.ask('/v1/trades', { key }))).toEqual([401, 'revoked_key']);
  });

  test('a key is invalid from the instant of its expiry', async () => {
    const key = world.key();
    world.now += 30 * DAY - 1;
    expect((await world.ask('/v1/me', { key })).status).toBe(200);
    world.now += 1;
    const reply = await world.ask('/v1/me', { key });
    expect(refusal(reply)).toEqual([401, 'expired_key']);
    expect(reply.body.detail).toContain('2026-12-20T15:00:00.000Z');
    expect(reply.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
  });

  test('a key of a deleted user', async () => {
    world.addUser('you');
    const key = world.key(ALL_SCOPES, 'you');
    expect((await world.ask('/v1/me', { key })).status).toBe(200);
    world.db.exec("DELETE FROM users WHERE id = 'you'");
    for (const path of ['/v1/me', '/v1/trades', '/v1/nothing']) {
      expect(refusal(await world.ask(path, { key }))).toEqual([401, 'invalid_key']);
    }
  });

  test('a key created with another secret, and one created before the first request', async () => {
    world.key();
    expect(refusal(await world.ask('/v1/me', { key: generateKey() }))).toEqual([
      401,
      'invalid_key',
    ]);
    const key = generateKey();
    const elsewhere = openSecret(filesOf({ home: join(temporaryFolder(), 'home') }));
    insertKey(
      world.files.keys,
      {
        id: 'key_other',
        user_id: 'me',
        name: 'other secret',
        scopes: ALL_SCOPES,
        created_at: toInstantText(world.now),
        expires_at: toInstantText(world.now + DAY),
        revoked_at: null,
        last_used_at: null,
      },
      elsewhere.hashKey(key),
    );
    expect(refusal(await world.ask('/v1/me', { key }))).toEqual([401, 'invalid_key']);
    expect((await world.ask('/v1/me', { key: world.key() })).status).toBe(200);
  });

  test('any response to a key counts as a use', async () => {
    const key = world.key(['sessions:read']);
    const used = async () =>
      (await world.ask('/v1/me', { key })).body.data.key.last_used_at;
    expect(await used()).toBeNull();
    world.now += 60_000;
    expect((await world.ask('/v1/trades', { key })).status).toBe(403);
    expect(await used()).toBe('2026-11-20T15:01:00.000Z');
    world.now += 60_000;
    expect((await world.ask('/v1/nothing', { key })).status).toBe(404);
    expect(await used()).toBe('2026-11-20T15:02:00.000Z');
  });
});

describe('the order of checks', () => {
  test.each([
    // method, path, key, status, code
    ['GET', '/v1/nothing', 'no key', 401, 'missing_key'],
    ['GET', '/v1', 'no key', 401, 'missing_key'],
    ['GET', '/v1/', 'no key', 401, 'missing_key'],
    ['GET', '/v1/trades/t-1/executions', 'no key', 401, 'missing_key'],
    ['POST', '/v1/trades', 'no key', 401, 'missing_key'],
    ['DELETE', '/v1/nothing', 'no key', 401, 'missing_key'],
    ['GET', '/v1/trades?limit=0', 'no key', 401, 'missing_key'],
    ['GET', '/v1/nothing', 'all scopes', 404, 'not_found'],
    ['GET', '/v1', 'all scopes', 404, 'not_found'],
    ['GET', '/v1/', 'all scopes', 404, 'not_found'],
    ['GET', '/v1/trades/', 'all scopes', 404, 'not_found'],
    ['GET', '/v1/me/', 'all scopes', 404, 'not_found'],
    ['GET', '/v1/Trades', 'all scopes', 404, 'not_found'],
    ['GET', '/v1//trades', 'all scopes', 404, 'not_found'],
    ['GET', '/v1/nothing?limit=0', 'sessions only', 404, 'not_found'],
    ['POST', '/v1/nothing', 'all scopes', 404, 'not_found'],
    ['POST', '/v1/trades', 'all scopes', 405, 'method_not_allowed'],
    ['POST', '/v1/trades', 'sessions only', 405, 'method_not_allowed'],
    ['DELETE', '/v1/trades/unknown', 'all scopes', 405, 'method_not_allowed'],
    ['GET', '/v1/trades?limit=0', 'sessions only', 403, 'insufficient_scope'],
    ['GET', '/v1/trades?nonsense=1', 'sessions only', 403, 'insufficient_scope'],
    ['GET', '/v1/trades/unknown', 'sessions only', 403, 'insufficient_scope'],
    ['GET', '/v1/trades/unknown?nonsense=1', 'all scopes', 400, 'unknown_parameter'],
    ['GET', '/v1/me?nonsense=1', 'sessions only', 400, 'unknown_parameter'],
  ] as const)('%s %s with %s is %i %s', async (method, path, with_, status, code) => {
    const key =
      with_ === 'no key'
        ? {}
        : { key: world.key(with_ === 'all scopes' ? ALL_SCOPES : ['sessions:read']) };
    const reply = await world.ask(path, { method, ...key });
    expect(refusal(reply)).toEqual([status, code]);
    expect(reply.headers.get('Allow')).toBe(status === 405 ? 'GET, HEAD, OPTIONS' : null);
  });

  test.each([
    '/V1/me',
    '/v2/me',
    '//v1/me',
    '/admin',
    '/.env',
    '/healthz/',
    '/journal.db',
  ])('%s is an unknown path, with and without a key', async (path) => {
    for (const key of [undefined, world.key()]) {
      const reply = await world.ask(
        `http://localhost${path}`,
        key === undefined ? {} : { key },
      );
      expect(refusal(reply)).toEqual([404, 'not_found']);
    }
  });
});

describe('an impossible trade id', () => {
  test.each([
    ["another user's trade", 'theirs'],
    ['200 characters', 'a'.repeat(200)],
    ['an encoded slash', 'a%2Fb'],
    ['only an encoded slash', '%2F'],
    ['an encoded dot segment', '..%2F..%2Fetc%2Fpasswd'],
    ['a NUL', 't-1%00'],
    ['only a NUL', '%00'],
    ['a space', 'a%20b'],
    ['a leading space', '%20t-1'],
    ['dots', '...'],
    ['emoji', '%F0%9F%93%88'],
    ['unencoded emoji', '📈'],
    ['a lone percent', '100%'],
    ['cut UTF-8', '%E0%A4%A'],
    ['invalid UTF-8', '%FF%FE'],
    ['a quote', "t-1'%20OR%20'1'='1"],
    ['a wildcard', '%25'],
    ['other case', 'T-1'],
    ['a property of the runtime', '__proto__'],
    ['the pattern itself', ':id'],
  ])('%s: 404, exactly as for an unknown one', async (_name, id) => {
    world.addUser('you');
    world.insert('trades', tradeRow('t-1'), { user_id: 'you', ...tradeRow('theirs') });
    const key = world.key();
    const headers = { 'X-Request-Id': 'same' };
    const unknown = await world.ask('/v1/trades/unknown', { key, headers });
    const reply = await world.ask(`http://localhost/v1/trades/${id}`, { key, headers });
    expect(reply.status).toBe(404);
    expect(reply.text).toBe(unknown.text);
    expect([...reply.headers]).toEqual([...unknown.headers]);
  });

  test('a dot segment leads to another path: 404', async () => {
    const reply = await world.ask('http://localhost/v1/trades/..', { key: world.key() });
    expect(refusal(reply)).toEqual([404, 'not_found']);
  });

  test('a possible id is found, encoded or not', async () => {
    const id = `${'.'.repeat(3)}a:~_-${'9'.repeat(100)}`;
    world.insert('trades', tradeRow(id));
    const key = world.key();
    for (const written of [
      id,
      encodeURIComponent(id),
      id.replaceAll('.', '%2E').replace('~', '%7e'),
    ]) {
      expect((await world.ask(`/v1/trades/${written}`, { key })).body.data.id).toBe(id);
    }
  });
});

describe('two users with the same ids', () => {
  const RESOURCES: [path: string, ids: string[]][] = [
    ['/v1/trades', ['same-2', 'same']],
    ['/v1/trade-groups', ['same']],
    ['/v1/positions', ['same']],
    ['/v1/journal-rows', ['same', 'same']],
    ['/v1/trade-journals', ['same']],
    ['/v1/group-journals', ['same']],
    ['/v1/sessions', ['same']],
    ['/v1/weekly-reviews', ['same']],
    ['/v1/missed-trades', ['same']],
    ['/v1/cash-flows', ['same']],
  ];
  const key: Record<string, string> = {};

  beforeEach(() => {
    world.addUser('you', { name: 'yours', starting_balance: 777 });
    world.db.transaction(() => {
      fill('me', 'mine', '2026-11-10', 1);
      fill('you', 'yours', '2026-11-12', 1000);
      // Records of the other user only.
      world.insert('trade_groups', {
        ...group('theirs'),
        user_id: 'you',
        notes: 'yours',
      });
      world.insert('trades', {
        ...tradeRow('theirs', { group_id: 'theirs', symbol: 'YOURS' }),
        user_id: 'you',
      });
      world.insert('trade_journals', {
        user_id: 'you',
        id: 'theirs',
        trade_id: 'theirs',
        phase: 'review',
        title: 'yours',
      });
      world.insert('group_journals', {
        user_id: 'you',
        id: 'theirs',
        group_id: 'theirs',
        phase: 'review',
        title: 'yours',
      });
    })();
    key['me'] = world.key(ALL_SCOPES, 'me');
    key['you'] = world.key(ALL_SCOPES, 'you');
  });

  const fill = (user_id: string, text: string, day: string, pnl: number) => {
    const at = `${day}T15:00:00.000Z`;
    const add = (table: string, row: Row) => world.insert(table, { ...row, user_id });
    const words = { tags: JSON.stringify([text]), notes: text };
    add('trade_groups', {
      ...group('same'),
      name: text,
      underlying: text,
      opened_at: at,
      ...words,
    });
    for (const id of ['same', 'same-2']) {
      add('trades', {
        ...tradeRow(id, {
          executed_at: at,
          gross_pnl: pnl,
          group_id: 'same',
          symbol: text,
          setup: text,
          account: text,
        }),
        ...words,
        mistakes: JSON.stringify([text]),
      });
    }
    add('executions', {
      trade_id: 'same',
      position: 0,
      executed_at: at,
      side: 'buy',
      quantity: pnl,
      price: 1,
    });
    const entry = {
      id: 'same',
      phase: 'review',
      created_at: at,
      title: text,
      body: text,
      lesson: text,
    };
    add('trade_journals', { ...entry, trade_id: 'same' });
    add('group_journals', { ...entry, group_id: 'same' });
    add('sessions', { id: 'same', date: day, notes: text });
    add('weekly_reviews', {
      id: 'same',
      period_start: day,
      period_end: day,
      summary: text,
      best_trade_id: 'same',
    });
    add('missed_trades', {
      id: 'same',
      missed_at: at,
      symbol: text,
      market: 'stock',
      side: 'long',
      miss_type: 'away',
      currency: 'USD',
      reason: text,
      hypothetical_pnl: pnl,
    });
    add('cash_flows', {
      id: 'same',
      at,
      kind: 'deposit',
      amount: pnl,
      currency: 'USD',
      description: text,
    });
  };

  test('no response to one contains data of the other', async () => {
    for (const { path } of KEY_ROUTES) {
      // Of pictures, two users may have the same: attachments.test.ts.
      if (path === '/v1/attachments/{id}') continue;
      const url = path.replace('{id}', 'same');
      const mine = await world.ask(url, { key: key['me']! });
      const yours = await world.ask(url, { key: key['you']! });
      expect([url, mine.status, yours.status]).toEqual([url, 200, 200]);
      expect(mine.text).not.toMatch(/yours|1000|theirs|777/i);
      expect(yours.text).not.toMatch(/mine/i);
    }
  });

  test.each(RESOURCES)('%s: lists, filters and pages', async (path, ids) => {
    const list = async (query: string) =>
      (await world.ask(`${path}${query}`, { key: key['me']! })).body;
    const shown = (await list('')).data.map((row: any) => row.id);
    expect(shown, 'each user needs a record of the list: add it in fill()').toEqual(ids);
    expect((await list(`?limit=${ids.length}`)).pagination).toMatchObject({
      has_more: false,
      next_cursor: null,
    });
    expect((await list('?start=2026-11-12&end=2026-11-12')).data).toEqual([]);
    for (const name of [
      'symbol',
      'tag',
      'mistake',
      'setup',
      'account',
      'trade_id',
      'group_id',
    ]) {
      const value = name.endsWith('_id') ? 'theirs' : 'yours';
      const { status, body } = await world.ask(`${path}?${name}=${value}`, {
        key: key['me']!,
      });
      if (status === 400) expect(body.code).toBe('unknown_parameter');
      else expect(body.data).toEqual([]);
    }
  });

  test('a group counts only its own legs', async () => {
    const { body } = await world.ask('/v1/trade-groups', { key: key['me']! });
    expect(body.data[0]).toMatchObject({
      leg_count: 2,
      net_pnl: 2,
      trade_ids: ['same', 'same-2'],
    });
  });

  test('the single trade', async () => {
    const { data } = (await world.ask('/v1/trades/same', { key: key['me']! })).body;
    expect(data).toMatchObject({ notes: 'mine', group: { name: 'mine', leg_count: 2 } });
    expect(data.executions).toHaveLength(1);
    expect(data.executions[0].quantity).toBe(1);
    expect(
      [...data.journals, ...data.group_journals].map((entry: any) => entry.title),
    ).toEqual(['mine', 'mine']);
    expect((await world.ask('/v1/trades/theirs', { key: key['me']! })).status).toBe(404);
    expect((await world.ask('/v1/trades/theirs', { key: key['you']! })).status).toBe(200);
  });

  test('/v1/me', async () => {
    const { data } = (await world.ask('/v1/me', { key: key['me']! })).body;
    expect(data.user).toMatchObject({ id: 'me', starting_balance: null });
    for (const [list, extent] of Object.entries(data.extent))
      expect([list, extent]).toEqual([list, { first: '2026-11-10', last: '2026-11-10' }]);
  });

  test('figures', async () => {
    const { data } = (await world.ask('/v1/analytics/summary', { key: key['me']! })).body;
    expect(data.performance).toMatchObject({ trades: 2, net_pnl: 2 });
    expect(data.missed).toMatchObject({ count: 1, hypothetical_pnl: 1 });
    const summary = (await world.ask('/v1/summary', { key: key['me']! })).body.data;
    expect(summary.performance).toEqual(data.performance);
    expect([
      summary.recent_journals.length,
      summary.weekly_reviews.length,
      summary.missed_trades.length,
    ]).toEqual([2, 1, 1]);
    const { metrics } = (await world.ask('/v1/sessions', { key: key['me']! })).body
      .data[0];
    expect(metrics).toMatchObject({ trades: 2, net_pnl: 2 });
  });
});

function group(id: string): Row {
  return {
    id,
    name: 'Spread',
    kind: 'multi_leg',
    market: 'option',
    status: 'open',
    opened_at: '2026-11-09T15:00:00.000Z',
    currency: 'USD',
  };
}
