/** Filters without an index: the list is read in strides, and no record is lost or repeated between them. */
import { beforeEach, expect, test, vi } from 'vitest';
import { findUser, openJournal, type User } from '../../src/journal/journal.ts';
import { listPage } from '../../src/journal/list.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { tradeRow, World } from '../helpers.ts';

const TRADES = 6500;
// Strides end within trades of the same instant.
const TIES = 700;
const START = Date.parse('2026-01-05T10:00:00.000Z');

let world: World;
let key: string;

const id = (i: number) => `t${String(i).padStart(5, '0')}`;
const instant = (i: number) =>
  new Date(START + Math.floor(i / TIES) * 3_600_000).toISOString();
const isRare = (i: number) =>
  i % 997 === 3 ||
  i === 0 ||
  i === TRADES - 1 ||
  i === TRADES - 2000 ||
  i === TRADES - 2001;
const newestFirst = Array.from({ length: TRADES }, (_, i) => TRADES - 1 - i);

beforeEach(() => {
  world = new World();
  key = world.key();
  world.db.transaction(() => {
    for (const i of newestFirst) {
      const rare = isRare(i)
        ? {
            market: 'crypto',
            side: 'short',
            account: 'Rare',
            setup: 'Rare',
            tags: '["a","Rare"]',
            mistakes: '["rare"]',
            gross_pnl: -1,
          }
        : {};
      world.insert('trades', tradeRow(id(i), { executed_at: instant(i), ...rare }));
    }
  })();
});

async function walk(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const { status, body } = await world.ask(
      `/v1/trades?${query}${cursor ? `&cursor=${cursor}` : ''}`,
      { key },
    );
    expect(status).toBe(200);
    ids.push(...body.data.map((trade: any) => trade.id));
    cursor = body.pagination.next_cursor;
    if (cursor === null) return ids;
    expect(body.data).not.toEqual([]);
  }
}

const FILTERS = [
  'market=crypto',
  'side=short',
  'outcome=loss',
  'account=rare',
  'setup=RARE',
  'tag=rare',
  'mistake=Rare',
];

test('every trade once, with any filter and page size', async () => {
  const rare = newestFirst.filter(isRare).map(id);
  for (const filter of FILTERS) {
    for (const limit of [1, 3, 100])
      expect(await walk(`${filter}&limit=${limit}`), filter).toEqual(rare);
  }
});

test('the same in a period, and with a second filter that has an index', async () => {
  const [from, to] = [instant(1500), instant(5000)];
  const within = newestFirst
    .filter((i) => isRare(i) && instant(i) >= from && instant(i) < to)
    .map(id);
  expect(within.length).toBeGreaterThan(2);
  for (const filter of FILTERS) {
    const query = `${filter}&limit=2&start=${from}&end=${to}&symbol=aapl&status=closed`;
    expect(await walk(query), filter).toEqual(within);
  }
});

test('figures of the same trades', async () => {
  const rare = newestFirst.filter(isRare).length;
  const trades = async (query: string) => {
    const { status, body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
    expect(status).toBe(200);
    return body.data.performance.trades;
  };
  expect(await trades('')).toBe(TRADES);
  for (const filter of FILTERS) {
    expect(await trades(filter), filter).toBe(rare);
    expect(await trades(`${filter}&symbol=aapl&status=closed`), filter).toBe(rare);
  }
  const [from, to] = [instant(1500), instant(5000)];
  const within = newestFirst.filter(
    (i) => isRare(i) && instant(i) >= from && instant(i) < to,
  ).length;
  expect(await trades(`tag=rare&start=${from}&end=${to}`)).toBe(within);
  expect(await trades('symbol=none')).toBe(0);
});

test('a search for missing values reads a number of records at a time, one for common or indexed values all at once', () => {
  const journal = openJournal(world.files.journal);
  const statements = (filters: Record<string, string>) =>
    journal.read((reader) => {
      const user = findUser(reader, 'me') as User;
      const all = vi.spyOn(reader, 'all');
      listPage(reader, user, trades, {
        limit: 50,
        range: { from: null, to: null },
        filters,
        after: null,
      });
      const { length } = all.mock.calls;
      all.mockRestore();
      return length;
    });
  expect(statements({ tag: 'none' })).toBe(14);
  expect(statements({ side: 'long' })).toBe(1);
  expect(statements({ symbol: 'none' })).toBe(1);
  // SQLite finds the matches of one by its index, and searches them for the other.
  expect(statements({ symbol: 'AAPL', status: 'open' })).toBe(14);
  journal.close();
});
