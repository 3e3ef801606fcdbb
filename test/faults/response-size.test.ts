/** Texts of any size in the journal: a page ends before it is too large, and a record that is too large is an error. */
import { describe, expect, test } from 'vitest';
import { type Row, tradeRow, World } from '../helpers.ts';

const MB = 1_000_000;
const AT = '2026-11-20T10:00:00.000Z';

const text = (bytes: number) => 'x'.repeat(bytes);

function worldWith(notes: readonly (string | null)[]): { world: World; key: string } {
  const world = new World();
  for (const [i, note] of notes.entries()) {
    const at = `2026-11-${String(28 - i).padStart(2, '0')}T10:00:00.000Z`;
    world.insert(
      'trades',
      tradeRow(`t-${i}`, {
        executed_at: at,
        notes: note,
        setup: i % 2 === 0 ? 'even' : 'odd',
      }),
    );
  }
  return { world, key: world.key() };
}

/** The ids of each page of a list; checks that no page is larger than documented. */
async function pages(world: World, key: string, query: string): Promise<string[][]> {
  const all: string[][] = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await world.ask(`/v1/trades?${query}${cursor}`, {
      key,
    });
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * MB);
    all.push(body.data.map((row: Row) => row['id']));
    if (!body.pagination.has_more) return all;
    cursor = `&cursor=${body.pagination.next_cursor}`;
  }
}

describe('a list', () => {
  test.each([
    [
      'one that fits alone, then two that do together',
      [6, 1.8, 1.8, 1.8],
      [[0], [1, 2], [3]],
    ],
    [
      'small ones between large ones',
      [1, 7.4, 0, 7.4, 0, 1],
      [[0], [1], [2], [3], [4, 5]],
    ],
    ['all small', [0, 0, 0], [[0, 1, 2]]],
    [
      'many of some hundred KB',
      Array(20).fill(0.7),
      range(0, 4).map((page) => range(page * 5, page * 5 + 5)),
    ],
  ] as const)('%s', async (_name, sizes, expected) => {
    const { world, key } = worldWith(sizes.map((size) => text(size * MB)));
    const ids = expected.map((page) => page.map((i) => `t-${i}`));
    expect(await pages(world, key, 'limit=100')).toEqual(ids);
    // By an index of a filter, and by a search.
    expect((await pages(world, key, 'symbol=aapl')).flat()).toEqual(ids.flat());
    const even = ids.flat().filter((_id, i) => i % 2 === 0);
    expect((await pages(world, key, 'setup=even')).flat()).toEqual(even);
    expect((await pages(world, key, 'setup=even&symbol=AAPL')).flat()).toEqual(even);
  });

  test('text that grows as JSON counts as sent', async () => {
    const { world, key } = worldWith(Array(5).fill('\u0001'.repeat(0.5 * MB)));
    expect(await pages(world, key, '')).toEqual([
      ['t-0'],
      ['t-1'],
      ['t-2'],
      ['t-3'],
      ['t-4'],
    ]);
    const alone = worldWith(['\u0001'.repeat(1.5 * MB)]);
    expect((await alone.world.ask('/v1/trades', { key: alone.key })).body.code).toBe(
      'answer_too_large',
    );
  });

  test('a record that is too large is named, with its size and the next cursor', async () => {
    const { world, key } = worldWith([null, text(45 * MB), null]);
    const first = (await world.ask('/v1/trades', { key })).body;
    expect(first.data.map((row: Row) => row['id'])).toEqual(['t-0']);
    const { status, body } = await world.ask(
      `/v1/trades?cursor=${first.pagination.next_cursor}`,
      {
        key,
      },
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'answer_too_large',
      detail: expect.stringMatching(/record t-1 .*45\.0 MB/),
    });
    const end = /end=(\S+)$/.exec(body.detail)?.[1];
    const { data } = (await world.ask(`/v1/trades?end=${end}`, { key })).body;
    expect(data.map((row: Row) => row['id'])).toEqual(['t-2']);
  });

  test('of dates, too', async () => {
    const world = new World();
    world.insert(
      'sessions',
      { id: 's-1', date: '2026-11-02', notes: text(9 * MB) },
      { id: 's-2', date: '2026-11-01' },
    );
    const { body } = await world.ask('/v1/sessions', { key: world.key() });
    expect(body.detail).toMatch(/record s-1 .* end=2026-11-01$/);
    const { data } = (
      await world.ask('/v1/sessions?end=2026-11-01', { key: world.key() })
    ).body;
    expect(data.map((row: Row) => row['id'])).toEqual(['s-2']);
  });

  test.each(['journal-rows', 'trade-journals'])('%s', async (path) => {
    const { world, key } = worldWith([null]);
    const entry = (id: string, body: string) => ({
      id,
      trade_id: 't-0',
      phase: 'review',
      created_at: id,
      body,
    });
    for (let i = 1; i <= 4; i++) {
      const at = `2026-11-0${i}T10:00:00.000Z`;
      world.insert('trade_journals', {
        ...entry(`j-${i}`, text(1.5 * MB)),
        created_at: at,
      });
    }
    const { data, pagination } = (await world.ask(`/v1/${path}`, { key })).body;
    expect([data.length, pagination.has_more]).toEqual([2, true]);
  });
});

describe('one trade', () => {
  const journals = (world: World, count: number, bytes: number) => {
    for (let i = 0; i < count; i++) {
      world.insert('trade_journals', {
        id: `j-${i}`,
        trade_id: 't-0',
        phase: 'review',
        body: text(bytes),
      });
    }
  };

  test('with journals that fit is complete', async () => {
    const { world, key } = worldWith([text(MB)]);
    journals(world, 30, 0.2 * MB);
    const { data } = (await world.ask('/v1/trades/t-0', { key })).body;
    expect([data.notes.length, data.journals.length]).toEqual([MB, 30]);
  });

  test.each([
    ['with many journals that are too large together', 40, 0.2 * MB],
    ['with one that is too large', 1, 45 * MB],
  ])('%s names the paged list', async (_name, count, bytes) => {
    const { world, key } = worldWith([null]);
    journals(world, count, bytes);
    const { status, body } = await world.ask('/v1/trades/t-0', { key });
    expect([status, body.code, body.detail]).toEqual([
      422,
      'answer_too_large',
      expect.stringContaining('/v1/trade-journals?trade_id=t-0'),
    ]);
    const without = await world.ask('/v1/trades/t-0', {
      key: world.key(['trades:read']),
    });
    expect(without.status).toBe(200);
  });
});

describe('figures', () => {
  test.each([
    ['tags', 'trades', 'labels of the trade t-9'],
    ['mistakes', 'trades', 'labels of the trade t-9'],
    ['rules', 'trade_journals', 'rules and mistakes of the journal entry j-9'],
    ['mistakes', 'trade_journals', 'rules and mistakes of the journal entry j-9'],
  ])(
    "aren't computed from %s of many MB, and the error names them",
    async (column, table, named) => {
      const { world, key } = worldWith(Array(10).fill(null));
      world.insert('trade_journals', { id: 'j-9', trade_id: 't-9', phase: 'review' });
      const list =
        column === 'rules' ? [{ rule: text(20 * MB), followed: true }] : [text(20 * MB)];
      world.db
        .prepare(`UPDATE ${table} SET ${column} = ? WHERE id LIKE '%-9'`)
        .run(JSON.stringify(list));
      const analytics = await world.ask('/v1/analytics/summary', { key });
      expect([analytics.status, analytics.body.code]).toEqual([422, 'answer_too_large']);
      expect(analytics.body.detail).toContain(named);
      expect((await world.ask('/v1/summary?period=1y', { key })).status).toBe(422);
    },
  );

  test('the summary uses only the beginning of long texts', async () => {
    const { world, key } = worldWith([null]);
    const entry = (id: string, body: string) => ({
      id,
      trade_id: 't-0',
      phase: 'review',
      body,
      created_at: AT,
    });
    world.insert(
      'trade_journals',
      entry('a', `Patience. ${text(5 * MB)}`),
      entry('b', text(20 * MB)),
    );
    const { status, body } = await world.ask('/v1/summary?period=1y', { key });
    expect(status).toBe(200);
    expect(body.data.recent_journals.map(({ excerpt }: Row) => excerpt)).toEqual([
      null,
      expect.stringMatching(/^Patience\. x+…$|^Patience…$/),
    ]);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
