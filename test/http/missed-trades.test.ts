/** Missed trades: their filters, their figures, and what a key shows of them. */
import { expect, test } from 'vitest';
import { sharedByTests, tradeRow, World } from '../helpers.ts';

const shared = sharedByTests(async () => {
  const world = new World();
  const missed = (id: string, more: object) => ({
    id,
    missed_at: '2026-11-10T14:30:00.000Z',
    symbol: 'AAPL',
    market: 'stock',
    side: 'long',
    currency: 'USD',
    miss_type: 'hesitated',
    ...more,
  });
  world.insert('trades', tradeRow('t', { gross_pnl: 1000, fees: 0 }));
  world.insert(
    'missed_trades',
    missed('a', {
      hypothetical_r: 2,
      hypothetical_pnl: 200,
      emotions: '["fear","Fear"]',
    }),
    missed('b', {
      hypothetical_r: -1,
      hypothetical_pnl: -100,
      emotions: '["Fear","bored"]',
    }),
    missed('c', {
      symbol: 'aapl',
      hypothetical_pnl: 50,
      currency: 'EUR',
      emotions: '["Fear"]',
    }),
    missed('d', {
      symbol: 'ES',
      market: 'future',
      side: 'short',
      miss_type: 'not_filled',
    }),
    missed('e', { missed_at: '2026-10-01T14:30:00.000Z', miss_type: 'away' }),
  );
  return world;
});

const list = async (query: string) => {
  const { body } = await shared().ask(`/v1/missed-trades?${query}`, {
    key: shared().key(),
  });
  const ids = body.data.map(({ id }: { id: string }) => id);
  return ids.sort().join('');
};

test.each([
  ['emotion=FEAR', 'abc'],
  ['emotion=bored&symbol=AAPL', 'b'],
  ['side=short', 'd'],
  ['q=hesitated', 'abc'],
  ['q=filled', 'd'],
  ['q=would_win', ''],
])('/v1/missed-trades?%s', async (query, expected) => {
  expect(await list(query)).toBe(expected);
});

const figures = async (query: string, key = shared().key()) => {
  const path = `/v1/analytics/missed-trades?${query}`;
  const { status, body } = await shared().ask(path, { key, lens: true });
  expect([query, status]).toEqual([query, 200]);
  return { ...body.data, hint: body.hint };
};

const rows = async (query: string) => {
  const { groups } = await figures(query);
  return groups.map(({ by, count, hypothetical_r, hypothetical_pnl }: any) => [
    ...Object.values(by),
    count,
    hypothetical_r,
    hypothetical_pnl,
  ]);
};

test('sums are of missed trades alone, money only of those in the base currency', async () => {
  expect(await figures('start=2026-11-01')).toEqual({
    period: expect.objectContaining({ start_date: '2026-11-01' }),
    count: 4,
    hypothetical_r: 1,
    hypothetical_pnl: 100,
    forgone_gain: 200,
    avoided_loss: 100,
    unknown: 4,
    hint: undefined,
  });
});

test('rows by what missed trades have', async () => {
  expect(await rows('group_by=miss_type')).toEqual([
    ['hesitated', 3, 1, 100],
    ['away', 1, 0, 0],
    ['not_filled', 1, 0, 0],
  ]);
  // Spellings of one label, a trade with two emotions, and those without any.
  expect(await rows('group_by=emotion')).toEqual([
    ['Fear', 3, 1, 100],
    [null, 2, 0, 0],
    ['bored', 1, -1, -100],
  ]);
  expect(await rows('group_by=symbol,side&emotion=fear')).toEqual([
    ['AAPL', 'long', 3, 1, 100],
  ]);
  expect(await rows('group_by=side&period=2026-10')).toEqual([['long', 1, 0, 0]]);
});

test('a filter without a match has a hint, and others than its own are refused', async () => {
  expect((await figures('symbol=APPL')).hint).toBe(
    'No missed trades have the symbol "APPL"; the nearest is "AAPL".',
  );
  for (const [query, param] of [
    ['group_by=weekday', 'group_by'],
    ['group_by=symbol,side,setup', 'group_by'],
    ['miss_type=late', 'miss_type'],
    ['account=main', 'account'],
    ['period=all&start=2026-01-01', 'period'],
  ]) {
    const path = `/v1/analytics/missed-trades?${query}`;
    const { status, body } = await shared().ask(path, { key: shared().key() });
    expect([query, status, body.param]).toEqual([query, 400, param]);
  }
});

test('a key shows what it may of them', async () => {
  const keyWith = (id: string, lens: object) =>
    shared().key(undefined, 'me', id, {
      accounts: null,
      since: null,
      hides: [],
      ...lens,
    });
  expect(await figures('', keyWith('key_since', { since: '2026-11-01' }))).toMatchObject({
    count: 4,
  });
  const money = await figures(
    'group_by=side',
    keyWith('key_money', { hides: ['money'] }),
  );
  expect(money).toMatchObject({ count: 5, hypothetical_r: 1 });
  expect(JSON.stringify(money)).not.toMatch(/pnl|gain|loss/);
  const symbols = await figures(
    'group_by=symbol',
    keyWith('key_sy', { hides: ['symbols'] }),
  );
  expect(symbols.groups.map(({ count }: { count: number }) => count)).toEqual([4, 1]);
  expect(JSON.stringify(symbols)).not.toContain('AAPL');
});
