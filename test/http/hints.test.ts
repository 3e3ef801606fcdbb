/** Errors and hints that help to correct the next request. */
import { beforeEach, describe, expect, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import type { Scope } from '../../src/keys/scopes.ts';
import { addRecord, tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

beforeEach(() => {
  world = new World({ timezone: 'America/New_York' });
  key = world.key();
});

const detailOf = async (path: string, status: number): Promise<string> => {
  const reply = await world.ask(path, { key });
  expect([path, reply.status]).toEqual([path, status]);
  return reply.body.detail;
};

describe('an unknown parameter', () => {
  test.each([
    ['trades', 'from', 'start'],
    ['trades', 'since', 'start'],
    ['trades', 'after', 'start'],
    ['trades', 'start_date', 'start'],
    ['trades', 'startDate', 'start'],
    ['trades', 'to', 'end'],
    ['trades', 'until', 'end'],
    ['trades', 'before', 'end'],
    ['trades', 'end-date', 'end'],
    ['trades', 'ticker', 'symbol'],
    ['trades', 'page', 'cursor'],
    ['trades', 'offset', 'cursor'],
    ['trades', 'per_page', 'limit'],
    ['trades', 'pageSize', 'limit'],
    ['trades', 'search', 'q'],
    ['sessions', 'query', 'q'],
    ['trades', 'sort_by', 'sort'],
    ['trades', 'orderBy', 'sort'],
    ['sessions', 'order_by', 'order'],
    ['trades', 'select', 'fields'],
    ['trades', 'strategy', 'setup'],
    ['journal-rows', 'mood', 'emotion'],
    ['trades', 'min_pnl', 'min_net_pnl'],
    ['trades', 'limits', 'limit'],
    ['trades', 'Symbol', 'symbol'],
    ['trades', 'period', 'start'],
    ['analytics/summary', 'from', 'start'],
    ['analytics/summary', 'ticker', 'symbol'],
    ['analytics/summary', 'limit', 'top'],
    ['labels', 'limit', 'top'],
    ['trades', 'top', 'limit'],
    ['trades', 'desc', 'order'],
  ])('/v1/%s?%s= means %s', async (path, name, meant) => {
    const detail = await detailOf(`/v1/${path}?${name}=x`, 400);
    expect(detail).toContain(`no parameter "${name}"; did you mean ${meant}?`);
    expect(detail).toMatch(/It takes .*\.$/);
  });

  test.each([
    ['trades', 'colour'],
    ['sessions', 'ticker'],
    ['weekly-reviews', 'side'],
    ['me', 'limit'],
  ])('/v1/%s?%s= has no suggestion', async (path, name) => {
    expect(await detailOf(`/v1/${path}?${name}=x`, 400)).not.toContain('did you mean');
  });

  test('all unknown parameters are named', async () => {
    const { body } = await world.ask(
      '/v1/trades?from=2026-01-01&limit=0&to=2026-02-01&colour=red&from=x',
      { key },
    );
    expect(body).toMatchObject({ code: 'unknown_parameter', param: 'from' });
    expect(body.detail).toContain(
      '"from" (did you mean start?), "to" (did you mean end?), "colour".',
    );
  });

  test('one summary names the other', async () => {
    expect(await detailOf('/v1/summary?start=2026-01-01', 400)).toContain(
      '/v1/analytics/summary takes start.',
    );
    expect(await detailOf('/v1/summary?from=2026-01-01', 400)).toContain(
      '/v1/analytics/summary takes start.',
    );
    expect(await detailOf('/v1/analytics/summary?days=30', 400)).toContain(
      '/v1/summary takes days.',
    );
  });

  test('a key in the URL is rejected, and not repeated', async () => {
    for (const name of ['api_key', 'apikey', 'token', key]) {
      const { text, body } = await world.ask(`/v1/trades?${name}=${key}`, { key });
      expect(body.code).toBe('unknown_parameter');
      expect(text).not.toContain(key);
    }
    expect(await detailOf(`/v1/trades?api_key=${key}`, 400)).toContain(
      'Authorization: Bearer',
    );
  });
});

describe('an unknown path or id', () => {
  test.each([
    ['/v1/trade', '/v1/trades'],
    ['/v1/Trades', '/v1/trades'],
    ['/v1/trades/', '/v1/trades'],
    ['/trades', '/v1/trades'],
    ['/v1/trade/t-1', '/v1/trades/{id}'],
    ['/v1/trades/t-1/executions', '/v1/trades/{id}'],
    ['/v1/journals', '/v1/journal-rows'],
    ['/v1/journal_rows', '/v1/journal-rows'],
    ['/v1/missed', '/v1/missed-trades'],
    ['/v1/groups', '/v1/trade-groups'],
    ['/v1/reviews', '/v1/weekly-reviews'],
    ['/v1/weekly', '/v1/weekly-reviews'],
    ['/v1/analytics', '/v1/analytics/summary'],
    ['/v1/analytics/sumary', '/v1/analytics/summary'],
    ['/v1/stats', '/v1/analytics/summary'],
    ['/v1/sumary', '/v1/summary'],
    ['/v1/tags', '/v1/labels'],
    ['/openapi', '/openapi.json'],
  ])('%s: did you mean %s?', async (path, meant) => {
    expect(await detailOf(path, 404)).toContain(`did you mean ${meant}?`);
  });

  test.each([
    '/v1',
    '/v1/',
    '/v1/zzz',
    '/v1/constructor',
    '/v1/zzz/constructor',
    '/.env',
  ])('%s: lists the paths', async (path) => {
    const detail = await detailOf(path, 404);
    expect(detail).toMatch(/the paths are \/v1\/me, \/v1\/trades, /);
    expect(detail).not.toContain('openapi');
  });

  test('an unknown trade id', async () => {
    expect(await detailOf('/v1/trades/nope', 404)).toBe(
      'unknown trade id; /v1/trades lists them',
    );
  });
});

describe('bounds of an empty period', () => {
  test.each([
    [
      '2026-11-21T05:00:00Z',
      '2026-11-20',
      /same instant.*starts at 2026-11-21T05:00:00\.000Z and ends before 2026-11-21T05:00:00\.000Z/,
    ],
    [
      '2026-11-20T12:00:00-05:00',
      '2026-11-20T12:00:00Z',
      /must not be after.*2026-11-20T17:00:00\.000Z.*2026-11-20T12:00:00\.000Z/,
    ],
    [
      '2026-11-21',
      '2026-11-20',
      /start must not be after end; got start=2026-11-21 and end=2026-11-20$/,
    ],
  ])('%s to %s: the error shows them as parsed', async (start, end, detail) => {
    expect(await detailOf(`/v1/trades?start=${start}&end=${end}`, 400)).toMatch(detail);
  });
});

describe('the error of a malformed key names the cause', () => {
  test.each([
    [
      (k: string) => ({ Authorization: `Bearer "${k}"` }),
      'invalid_key',
      /quotation marks/,
    ],
    [(k: string) => ({ 'x-api-key': `'${k}'` }), 'invalid_key', /quotation marks/],
    [
      (k: string) => ({ 'x-api-key': `Bearer ${k}` }),
      'invalid_key',
      /"Bearer" is only for the Authorization header/,
    ],
    [() => ({ Authorization: 'Bearer <API_KEY>' }), 'invalid_key', /placeholder/],
    [() => ({ Authorization: 'Bearer $KEY' }), 'invalid_key', /placeholder/],
    [() => ({ Authorization: 'Bearer {{api_key}}' }), 'invalid_key', /placeholder/],
    [() => ({ Authorization: 'Bearer YOUR_API_KEY' }), 'invalid_key', /placeholder/],
    [() => ({ Authorization: 'Bearer key_0A1b2C3d4' }), 'invalid_key', /id of a key/],
    [() => ({ Authorization: 'Bearer ' }), 'missing_key', /no key after "Bearer"/],
    [(k: string) => ({ Authorization: `Bearer Bearer ${k}` }), 'missing_key', /once/],
    [
      (k: string) => ({ Authorization: `Bearer ${k.slice(0, -3)}` }),
      'invalid_key',
      /50 characters, and a key has 53/,
    ],
    [
      (k: string) => ({
        Authorization: `Bearer ${k.slice(0, -1)}${k.endsWith('x') ? 'y' : 'x'}`,
      }),
      'invalid_key',
      /character of this key is wrong/,
    ],
    [
      (k: string) => ({ Authorization: `Bearer ${k.slice(4)}` }),
      'invalid_key',
      /start with jak_/,
    ],
    [() => ({ Authorization: `Bearer ${generateKey()}` }), 'invalid_key', /unknown key/],
  ] as [(key: string) => Record<string, string>, string, RegExp][])(
    '%#',
    async (headersFor, code, detail) => {
      const { status, body, text } = await world.ask('/v1/me', {
        headers: headersFor(key),
      });
      expect([status, body.code]).toEqual([401, code]);
      expect(body.detail).toMatch(detail);
      expect(text).not.toContain(key.slice(4, 40));
    },
  );

  test.each(['api_key', 'access_token', 'key', 'anything'])(
    'in the query, as %s',
    async (name) => {
      const { status, body, text } = await world.ask(`/v1/me?${name}=${key}`);
      expect([status, body.code]).toEqual([401, 'missing_key']);
      expect(body.detail).toMatch(/keys in URLs are refused.*Authorization/);
      expect(text).not.toContain(key);
    },
  );
});

describe('an empty page gives the reason', () => {
  const hintFor = async (path: string): Promise<string | undefined> => {
    const { status, body } = await world.ask(path, { key });
    expect([path, status, body.data]).toEqual([path, 200, []]);
    return body.hint;
  };

  beforeEach(() => {
    world.insert(
      'trades',
      tradeRow('a', {
        executed_at: '2026-11-10T02:00:00.000Z',
        tags: '["FOMO","news"]',
        setup: 'Breakout retest',
      }),
      tradeRow('b', {
        executed_at: '2026-11-12T15:00:00.000Z',
        mistakes: '["late"]',
        notes: 'a note',
        side: 'short',
      }),
      tradeRow('c', { executed_at: '2026-11-13T15:00:00.000Z', status: 'open' }),
    );
    addRecord(world, 'sessions', 's', '2026-11-12T10:00:00.000Z');
  });

  test.each([
    ['trades?tag=fom', 'No trades have the tag "fom"; the nearest is "FOMO".'],
    [
      'trades?setup=break',
      'No trades have the setup "break"; the nearest is "Breakout retest".',
    ],
    ['trades?tag=zzz', 'No trades have the tag "zzz"; most used: "FOMO", "news".'],
    [
      'trades?mistake=leate&side=long',
      'No trades have the mistake "leate"; the nearest is "late".',
    ],
    ['trades?account=main', 'No trades have the account "main" or any other.'],
    ['trades?tag=fomo&mistake=late', 'No trades match all of these filters; remove one.'],
    ['trades?has_stop=true', 'No trades match has_stop=true.'],
    ['trades?group_id=g-1&start=2026-11-01', 'No trades match group_id=g-1.'],
    ['trades?q=nowhere', /^No trades have all words of q/],
    ['trades?q=nowhere&side=long', /^No trades with these filters have all words of q/],
    [
      'trades?start=2026-11-15',
      /No matching trades in this period.*executed_at ranges from 2026-11-09 to 2026-11-13/,
    ],
    [
      'trades?end=2026-11-01&tag=fomo',
      /executed_at ranges from 2026-11-09 to 2026-11-09/,
    ],
    ['trades?start=2026-11-15&tag=fom', /the nearest is "FOMO"/],
    [
      'trades?start=2026-11-15&date_field=closed_at',
      /closed_at ranges from 2026-11-09 to 2026-11-12/,
    ],
    [
      'trades?start=2026-11-15&sort=net_pnl&fields=symbol',
      /from 2026-11-09 to 2026-11-13/,
    ],
    ['sessions?start=2026-11-15', /date ranges from 2026-11-12 to 2026-11-12/],
    ['weekly-reviews?start=2026-11-15', 'There are no weekly reviews in this journal.'],
    ['sessions?tag=x', 'No trading sessions have the tag "x" or any other.'],
  ])('%s', async (path, hint) => {
    const said = await hintFor(`/v1/${path}`);
    if (typeof hint === 'string') expect(said).toBe(hint);
    else expect(said).toMatch(hint);
  });

  test.each([
    'tag=fomo',
    'where={"setup":"breakout retest"}',
    'q=fomo',
    'tag=fomo&start=2026-11-15',
  ])(
    'matches of %s that were not changed lately, while others were',
    async (criteria) => {
      world.db.exec(
        `UPDATE trades SET updated_at = iif(id = 'a', '2026-11-14', '2026-11-18') || 'T00:00:00.000Z'`,
      );
      expect(
        await hintFor(`/v1/trades?${criteria}&updated_since=2026-11-17T00:00:00Z`),
      ).toBe('No matching trades were added or changed since 2026-11-17T00:00:00.000Z.');
    },
  );

  test('a date that no record has', async () => {
    world.addUser('you');
    world.insert('trades', { ...tradeRow('o', { status: 'open' }), user_id: 'you' });
    const theirs = world.key(undefined, 'you');
    const { body } = await world.ask('/v1/trades?date_field=closed_at&start=2026-11-15', {
      key: theirs,
    });
    expect(body.hint).toBe('No trades have a closed_at.');
  });

  test('no hint without conditions, with matches, or after the last page', async () => {
    expect(await hintFor('/v1/weekly-reviews')).toBeUndefined();
    expect((await world.ask('/v1/trades?tag=fomo', { key })).body).not.toHaveProperty(
      'hint',
    );
  });

  test('it contains no data of another user', async () => {
    world.addUser('you');
    const theirs = world.key(undefined, 'you');
    const { body } = await world.ask('/v1/trades?tag=fom&start=2026-11-15', {
      key: theirs,
    });
    expect(body.hint).toBe('There are no trades in this journal.');
  });
});

test.each([
  ['setup=opennig', 'No trades have the setup "opennig"; the nearest is "opening".'],
  ['setup=opening&symbol=AAPL&sections=missed', undefined],
  ['setup=Opening', undefined],
  ['setup=opening&tag=none', 'No trades have the tag "none" or any other.'],
  [
    'where={"setup":"opening","emotion":"calmm"}',
    'No closed trades have the emotion "calmm"; the nearest is "calm".',
  ],
  ['where={"setup":"opening","emotion":"CALM","weekday":7}', undefined],
  ['where={"setup":"without a rate"}&start=2026-11-19', undefined],
  [
    'exclude={"rule":["stop: broken","stop: kept"]}',
    'No closed trades have the rule "stop: broken"; most used: "stop: kept".',
  ],
  [
    `setup=none&where={"tag":[${Array.from({ length: 20 }, (_, i) => `"t${i}"`)}]}`,
    `No trades have the setup "none"; most used: "opening", "without a rate". ${Array.from({ length: 4 }, (_, i) => `No closed trades have the tag "t${i}" or any other.`).join(' ')} 16 other labels are unknown.`,
  ],
  [
    'unit=position&exclude=[{"strategy":"condor"},{"strategy":"Condor"}]',
    'No closed positions have the strategy "Condor" or any other.',
  ],
])('analytics with %s: %s', async (query, hint) => {
  const world = new World();
  world.insert('trades', tradeRow('t', { symbol: 'AAPL', setup: 'opening' }));
  world.insert('trades', tradeRow('eur', { setup: 'without a rate', currency: 'EUR' }));
  world.insert('trade_journals', {
    ...{
      id: 'j',
      trade_id: 't',
      phase: 'review',
      created_at: '2026-11-11T10:00:00.000Z',
    },
    ...{ emotions: '["calm"]', rules: '[{"rule":"stop","followed":true}]' },
  });
  const { status, body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key: world.key(),
  });
  expect(status, body.detail).toBe(200);
  expect(body.hint).toBe(hint);
});

describe('legs of groups that count as trades', () => {
  function withSpread(): World {
    const spread = new World();
    addRecord(spread, 'trade-groups', 'g', '2026-11-10T10:00:00.000Z');
    spread.insert('trades', tradeRow('a', { group_id: 'g' }));
    spread.insert('trades', tradeRow('b', { group_id: 'g' }));
    spread.insert('trades', tradeRow('c', {}));
    return spread;
  }

  test.each([
    [
      '/v1/analytics/summary?start=2026-01-01',
      '2 of 3 trades are legs of 1 position; add unit=position',
    ],
    ['/v1/summary?days=365', '2 of 3 trades are legs of 1 position; add unit=position'],
    [
      '/v1/analytics/summary?symbol=TSLA',
      'No trades have the symbol "TSLA"; most used: "AAPL".',
    ],
    ['/v1/analytics/summary?unit=trade', undefined],
    ['/v1/analytics/summary?unit=position', undefined],
    ['/v1/summary?days=365&unit=position', undefined],
    ['/v1/analytics/summary?where={"strategy":null}&sections=missed', undefined],
  ])('%s: %s', async (path, hint) => {
    const spread = withSpread();
    const { status, body } = await spread.ask(path, { key: spread.key() });
    expect(status, body.detail).toBe(200);
    expect(body.hint).toBe(hint);
  });

  test('/v1/me names what the owner calls a trade, to keys that read trades', async () => {
    const [spread, single] = [withSpread(), new World()];
    single.insert('trades', tradeRow('a', {}));
    addRecord(single, 'trade-groups', 'without-legs', '2026-11-10T10:00:00.000Z');
    const unitOf = async (of: World, scopes?: readonly Scope[]) =>
      (await of.ask('/v1/me', { key: of.key(scopes) })).body.data.unit;
    expect(await unitOf(spread)).toBe('position');
    expect(await unitOf(spread, ['analytics:read'])).toBe('position');
    expect(await unitOf(spread, ['sessions:read'])).toBe('trade');
    expect(await unitOf(single)).toBe('trade');
  });
});
