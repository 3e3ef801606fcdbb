/** Kept pictures over HTTP: who gets them, in which form, and that they do no harm. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Hidden, Lens } from '../../src/keys/lens.ts';
import type { Scope } from '../../src/keys/scopes.ts';
import { pictureFolderOf } from '../../src/pictures/kept-pictures.ts';
import { tradeRow, World } from '../helpers.ts';
import { type Kept, keepPicture } from '../pictures/kept.ts';
import { gif, gifImage, png, realPicture } from '../pictures/sample-pictures.ts';

let world: World;
let ofEntry: Kept;
let ofTrade: Kept;
let ofSession: Kept;
let ofReview: Kept;

const JOURNALS: readonly Scope[] = ['journals:read'];
const IMAGE = { Accept: 'image/avif,image/webp,image/*,*/*;q=0.8' };

beforeEach(() => {
  world = new World();
  ofEntry = keepPicture(world, realPicture('chart.png'));
  ofTrade = keepPicture(world, png({ width: 2 }));
  ofSession = keepPicture(world, realPicture('chart.jpg'));
  ofReview = keepPicture(world, realPicture('chart.webp'));
  world.insert(
    'trades',
    tradeRow('t-1', { account: 'main', attachments: ofTrade.attachments }),
  );
  world.insert('trade_journals', {
    id: 'j-1',
    trade_id: 't-1',
    phase: 'review',
    body: 'Held.',
    attachments: ofEntry.attachments,
  });
  world.insert('sessions', {
    id: 's',
    date: '2026-11-20',
    attachments: ofSession.attachments,
  });
  world.insert('weekly_reviews', {
    ...{ id: 'w', period_start: '2026-11-16', period_end: '2026-11-22' },
    attachments: ofReview.attachments,
  });
});

const bytesOf = async (
  url: string,
  key: string,
  headers: Record<string, string> = IMAGE,
) => {
  const response = await world.app.request(url, {
    headers: { Authorization: `Bearer ${key}`, ...headers },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

test('records name kept pictures beside those of the web, in lists and with their trade', async () => {
  world.db.exec(
    `UPDATE trade_journals SET attachments = json_insert(attachments, '$[#]',
       json('{"url":"https://a.example/b.png","caption":null}'))`,
  );
  const key = world.key();
  const kept = { url: ofEntry.url, caption: 'chart', width: 16, height: 10 };
  const onWeb = { url: 'https://a.example/b.png', caption: null };
  const { body } = await world.ask('/v1/trades/t-1', { key });
  expect(body.data.attachments).toMatchObject([{ url: ofTrade.url, width: 2 }]);
  expect(body.data.journals[0].attachments).toEqual([kept, onWeb]);
  for (const [path, { url }] of [
    ['trades', ofTrade],
    ['journal-rows', ofEntry],
    ['sessions', ofSession],
    ['weekly-reviews', ofReview],
  ] as const) {
    const list = await world.ask(`/v1/${path}`, { key });
    expect([path, list.body.data[0].attachments[0].url]).toEqual([path, url]);
  }
});

test('a picture is JSON, or its bytes, by Accept', async () => {
  const key = world.key(JOURNALS);
  const { status, body, headers } = await world.ask(ofEntry.url, { key });
  expect([status, body.data]).toEqual([
    200,
    {
      ...{ name: ofEntry.name, type: 'image/png', width: 16, height: 10 },
      ...{ bytes: body.data.bytes, url: ofEntry.url },
    },
  ]);
  expect(headers.get('Vary')).toContain('Accept');

  for (const Accept of ['image/*', 'image/png', IMAGE.Accept]) {
    const { response, bytes } = await bytesOf(ofEntry.url, key, { Accept });
    expect(response.headers.get('Content-Type')).toBe('image/png');
    expect(bytes.length).toBe(body.data.bytes);
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(response.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; sandbox; frame-ancestors 'none'",
    );
    expect(response.headers.get('Content-Encoding')).toBeNull();
    expect(response.headers.get('Vary')).toContain('Accept');
    const again = await bytesOf(ofEntry.url, key, {
      Accept,
      'If-None-Match': response.headers.get('ETag') as string,
    });
    expect([again.response.status, again.bytes.length]).toEqual([304, 0]);
  }
  for (const Accept of ['*/*', 'application/json', 'application/json, image/*;q=0.5'])
    expect(
      (await bytesOf(ofEntry.url, key, { Accept })).response.headers.get('Content-Type'),
    ).toBe('application/json');
});

describe('404 and 403 for every name alike', () => {
  const NAMES = [
    ...['x', '..', '%2e%2e%2fjournal.db', '..%2fjournal.db', `${'0'.repeat(64)}.png`],
    ...[
      `${'0'.repeat(64)}.svg`,
      'journal.db',
      `${'a'.repeat(64)}.png%00`,
      'A'.repeat(300),
    ],
  ];

  test.each(NAMES)('%s', async (name) => {
    const reply = await world.ask(`/v1/attachments/${name}`, {
      key: world.key(JOURNALS),
    });
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    // A path that leads elsewhere is no picture's.
    if (name.includes('..') && !name.includes('%2f')) return;
    const without = await world.ask(`/v1/attachments/${name}`, {
      key: world.key(['trades:read']),
    });
    expect([without.status, without.body.code]).toEqual([403, 'insufficient_scope']);
  });

  test('of other users, of no record, missing, changed, a link', async () => {
    const key = world.key(JOURNALS);
    const unshown = keepPicture(world, gif({}, gifImage(3, 2)));
    expect((await world.ask(unshown.url, { key })).status).toBe(404);

    world.addUser('you');
    const yours = world.key(JOURNALS, 'you');
    expect((await world.ask(ofEntry.url, { key: yours })).status).toBe(404);
    // Naming it in a record of one's own doesn't show what another user keeps.
    world.insert('trades', {
      ...tradeRow('y'),
      user_id: 'you',
      attachments: ofEntry.attachments,
    });
    const all = world.key(undefined, 'you');
    expect((await world.ask(ofEntry.url, { key: all })).status).toBe(404);

    const path = join(pictureFolderOf(world.files.journal), ofEntry.name);
    writeFileSync(path, 'changed');
    expect((await world.ask(ofEntry.url, { key })).status).toBe(404);
    rmSync(path);
    expect((await world.ask(ofEntry.url, { key })).status).toBe(404);
    symlinkSync(world.files.secret, path);
    expect((await world.ask(ofEntry.url, { key })).status).toBe(404);
  });

  test('of records that the key has no scope for', async () => {
    const key = world.key(JOURNALS);
    for (const { url } of [ofTrade, ofSession, ofReview])
      expect((await world.ask(url, { key })).status).toBe(404);
    for (const [{ url }, scope] of [
      [ofTrade, 'trades:read'],
      [ofSession, 'sessions:read'],
      [ofReview, 'reviews:read'],
    ] as const) {
      const both = world.key(['journals:read', scope]);
      expect((await world.ask(url, { key: both })).status).toBe(200);
    }
  });
});

describe('a key with a lens', () => {
  const keyWith = (lens: Partial<Lens>) =>
    world.key(undefined, 'me', undefined, {
      accounts: null,
      since: null,
      hides: [],
      ...lens,
    });
  const all = () => [ofEntry, ofTrade, ofSession, ofReview];
  const statuses = (key: string) =>
    Promise.all(
      all().map(async ({ url }) => (await world.ask(url, { key, lens: true })).status),
    );

  test.each(['money', 'texts', 'symbols'] as Hidden[])(
    'that hides %s: no pictures',
    async (hidden) => {
      const key = keyWith({ hides: [hidden] });
      expect(await statuses(key)).toEqual([404, 404, 404, 404]);
      for (const path of [
        'trades',
        'trade-journals',
        'journal-rows',
        'sessions',
        'weekly-reviews',
      ]) {
        const { text } = await world.ask(`/v1/${path}`, { key, lens: true });
        for (const { name } of all()) expect(text).not.toContain(name);
      }
      expect((await world.ask('/v1/trades/t-1', { key, lens: true })).status).toBe(
        hidden === 'symbols' ? 404 : 200,
      );
    },
  );

  test('that hides money still shows pictures of the web', async () => {
    const web = '{"url":"https://a.example/b.png","caption":null}';
    world.db.exec(
      `UPDATE trade_journals SET attachments = json_insert(attachments, '$[#]', json('${web}'))`,
    );
    const key = keyWith({ hides: ['money'] });
    const { body } = await world.ask('/v1/trade-journals', { key, lens: true });
    expect(body.data[0].attachments).toEqual([JSON.parse(web)]);
  });

  test('of an account: none of sessions and reviews, and none of other accounts', async () => {
    expect(await statuses(keyWith({ accounts: ['main'] }))).toEqual([200, 200, 404, 404]);
    expect(await statuses(keyWith({ accounts: ['other'] }))).toEqual([
      404, 404, 404, 404,
    ]);
    const { body } = await world.ask('/v1/sessions', {
      key: keyWith({ accounts: ['main'] }),
    });
    expect(body.data[0].attachments).toEqual([]);
  });

  test('since a day: those of that day on', async () => {
    expect(await statuses(keyWith({ since: '2026-11-19' }))).toEqual([
      404, 404, 200, 404,
    ]);
  });
});

test('pictures have an allowance of their own', async () => {
  const limited = new World({}, { rateLimit: 2 });
  const { url } = keepPicture(limited, png());
  const key = limited.key();
  for (let i = 0; i < 600; i++)
    expect(
      (await limited.app.request(url, { headers: { 'X-Api-Key': key } })).status,
    ).toBe(404);
  const refused = await limited.ask(url, { key });
  expect([refused.status, refused.body.detail]).toEqual([
    429,
    expect.stringContaining('this key has 600 requests for pictures a minute'),
  ]);
  expect((await limited.ask('/v1/me', { key })).status).toBe(200);
});
