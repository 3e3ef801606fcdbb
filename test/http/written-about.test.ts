/** The parameter text: trades and positions by what was written about them. */
import { expect, test } from 'vitest';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { sharedByTests, tradeRow, World } from '../helpers.ts';
import { hidden } from './lens-worlds.ts';

const AT = '2026-11-10T14:30:00.000Z';

const shared = sharedByTests(async () => {
  const world = new World();
  const group = { name: 'Spread', kind: 'multi_leg', market: 'option', status: 'closed' };
  world.insert('trade_groups', {
    ...group,
    id: 'spread',
    opened_at: AT,
    closed_at: AT,
    currency: 'USD',
    notes: 'Rolled too late',
  });
  world.insert(
    'trades',
    tradeRow('noted', {
      gross_pnl: 100,
      fees: 0,
      notes: 'Waited for the RETEST, as planned',
    }),
    tradeRow('entered', { gross_pnl: -30, fees: 0, setup: 'retest', account: 'main' }),
    tradeRow('leg', { gross_pnl: 7, fees: 0, group_id: 'spread' }),
    tradeRow('hedge', { gross_pnl: 5, fees: 0, group_id: 'spread' }),
    tradeRow('open', {
      notes: 'waiting for a retest',
      status: 'open',
      closed_at: null,
      exit_price: null,
      open_quantity: 1,
    }),
  );
  world.insert(
    'trade_journals',
    {
      id: 'j1',
      trade_id: 'entered',
      phase: 'review',
      body: 'No retest: chased it',
      emotions: '["FOMO"]',
    },
    { id: 'j2', trade_id: 'entered', phase: 'review', lesson: 'Wait.' },
    { id: 'j3', trade_id: 'leg', phase: 'review', body: 'rolled early' },
  );
  world.insert('group_journals', {
    id: 'k1',
    group_id: 'spread',
    phase: 'review',
    body: 'Straße, gerollt',
  });
  return world;
});

const ids = async (path: string, key = shared().key()) => {
  const { status, body } = await shared().ask(path, { key });
  expect([path, status]).toEqual([path, 200]);
  return body.data
    .map(({ id }: { id: string }) => id)
    .sort()
    .join(' ');
};

test.each([
  ['retest', 'entered noted open'],
  ['planned retest', 'noted'],
  // Both words are in entries of the trade, but not in the same one.
  ['chased wait', ''],
  ['"chased it"', 'entered'],
  ['fomo', 'entered'],
  ['rolled', 'leg'],
  ['gerollt', ''],
  ['RETEST&where={"setup":"retest"}', 'entered'],
  ['retest&status=open', 'open'],
  ['retest&sort=net_pnl&limit=1', 'noted'],
])('trades with text=%s', async (text, expected) => {
  expect(await ids(`/v1/trades?text=${text}`)).toBe(expected);
});

test.each([
  ['retest', 'entered noted open'],
  ['rolled', 'spread'],
  ['"too late"', 'spread'],
  ['STRASSE', ''],
  ['straße', 'spread'],
])('positions with text=%s', async (text, expected) => {
  expect(await ids(`/v1/positions?text=${text}`)).toBe(expected);
});

test('all figures of what was written about, in both units', async () => {
  const key = shared().key();
  const figures = async (query: string) => {
    const { body } = await shared().ask(`/v1/analytics/summary?${query}`, { key });
    const { performance, groups, open } = body.data;
    return {
      ...performance,
      rows: groups?.length,
      ignored: open.filters_ignored,
      ...body,
    };
  };
  expect(await figures('text=retest&group_by=setup')).toMatchObject({
    trades: 2,
    net_pnl: 70,
    win_rate: 0.5,
    rows: 2,
    ignored: ['text'],
  });
  expect(await figures('text=rolled&unit=position')).toMatchObject({
    trades: 1,
    net_pnl: 12,
  });
  expect(await figures('text=rolled&unit=trade')).toMatchObject({
    trades: 1,
    net_pnl: 7,
  });
  expect(await figures('text=retest&exclude={"account":"main"}')).toMatchObject({
    trades: 1,
    ignored: ['exclude', 'text'],
  });
  expect(await figures('text=nowhere')).toMatchObject({
    trades: 0,
    hint: expect.stringMatching(
      /^No notes or journal entries of trades have all words of text/,
    ),
  });
});

test('an empty list says that the words were not found', async () => {
  const { body } = await shared().ask('/v1/trades?text=nowhere', { key: shared().key() });
  expect(body.hint).toMatch(/have all words of text in their notes or journal entries/);
});

test('without journals:read only notes are searched, and the response says so', async () => {
  const scopes = ALL_SCOPES.filter((scope) => scope !== 'journals:read');
  const key = shared().key(scopes);
  expect(await ids('/v1/trades?text=retest', key)).toBe('noted open');
  for (const path of ['trades', 'positions', 'analytics/summary']) {
    for (const text of ['retest', 'nowhere']) {
      const { body } = await shared().ask(`/v1/${path}?text=${text}`, { key });
      expect(body.hint, path).toContain(
        'journal entries need a key with the scope journals:read',
      );
    }
    const { body } = await shared().ask(`/v1/${path}`, { key });
    expect(body.hint ?? '').not.toContain('journals:read');
  }
});

test('a key finds only what it sees, and none can search what it hides', async () => {
  const main = shared().key(undefined, 'me', 'key_main', {
    accounts: ['main'],
    since: null,
    hides: [],
  });
  expect(await ids('/v1/trades?text=retest', main)).toBe('entered');
  expect(await ids('/v1/positions?text=rolled', main)).toBe('');
  const late = shared().key(undefined, 'me', 'key_late', {
    accounts: null,
    since: '2027-01-01',
    hides: [],
  });
  expect(await ids('/v1/trades?text=retest', late)).toBe('');
  for (const kind of ['texts', 'symbols'] as const) {
    const key = shared().key(undefined, 'me', `key_${kind}`, hidden([kind]));
    for (const path of ['trades', 'positions', 'analytics/summary']) {
      const { status, body } = await shared().ask(`/v1/${path}?text=retest`, { key });
      expect([status, body.param]).toEqual([400, 'text']);
    }
  }
});

test.each(['', '%22open', 'x'.repeat(201), '%22%22'])(
  'text=%s is refused',
  async (text) => {
    const { status, body } = await shared().ask(`/v1/trades?text=${text}`, {
      key: shared().key(),
    });
    expect([status, body.param]).toEqual([400, 'text']);
  },
);

test('pages of what was found have each record once', async () => {
  const world = new World();
  const key = world.key();
  for (let i = 0; i < 25; i++)
    world.insert(
      'trades',
      tradeRow(`t${i}`, { notes: i % 2 ? 'news' : null, gross_pnl: i % 3 }),
    );
  for (const sort of ['', '&sort=net_pnl']) {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const path = `/v1/trades?text=news&limit=5${sort}${cursor}`;
      const { body } = await world.ask(path, { key });
      found.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.pagination.has_more) break;
      cursor = `&cursor=${body.pagination.next_cursor}`;
    }
    expect([found.length, new Set(found).size]).toEqual([12, 12]);
  }
});
