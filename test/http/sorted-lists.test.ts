/** Lists in other orders: each record once in any order, nulls last, even if others are written in the meantime. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { runs } from '../effort.ts';
import { addRecord, FEEDS, type Row, tradeRow, World } from '../helpers.ts';

const SORTS = [
  'executed_at',
  'closed_at',
  'net_pnl',
  'net_pnl_base',
  'r_multiple',
  'holding_seconds',
] as const;
const DATES = ['executed_at', 'closed_at'] as const;

const instant = (hours: number) =>
  new Date(Date.parse('2026-11-01T00:00:00Z') + hours * 3_600_000).toISOString();

/** Few distinct values, so that most are ties or nulls. */
const trade = fc.record({
  opened: fc.integer({ min: 0, max: 4 }),
  held: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3 }),
  gross: fc.constantFrom<number>(-300, -100.1, 0, 100.1, 100.2, 250),
  risk: fc.option(fc.constantFrom<number>(100, 300, 7)),
  symbol: fc.constantFrom<string>('AAPL', 'SPY'),
  money: fc.constantFrom<Row>(
    {},
    { currency: 'JPY', fx_rate: 0.0065 },
    { currency: 'EUR', fx_rate: null },
  ),
});
type Trade = typeof trade extends fc.Arbitrary<infer T> ? T : never;

const rowOf = (id: string, { opened, held, gross, risk, symbol, money }: Trade): Row =>
  tradeRow(id, {
    status: held === null ? 'open' : 'closed',
    executed_at: instant(opened),
    closed_at: held === null ? null : instant(opened + held),
    gross_pnl: gross,
    initial_risk: risk,
    symbol,
    ...money,
  });

const question = fc.record({
  trades: fc.array(trade, { maxLength: 14 }),
  meanwhile: fc.array(trade, { maxLength: 5 }),
  sort: fc.constantFrom(...SORTS),
  order: fc.constantFrom('asc', 'desc'),
  date_field: fc.constantFrom(...DATES),
  start: fc.option(fc.integer({ min: 0, max: 3 })),
  end: fc.option(fc.integer({ min: 3, max: 8 })),
  symbol: fc.option(fc.constantFrom('aapl', 'SPY'), { freq: 3 }),
  has_stop: fc.option(fc.constant('false'), { freq: 4 }),
  q: fc.option(fc.constant('note'), { freq: 4 }),
  limit: fc.integer({ min: 1, max: 5 }),
});

const queryOf = ({
  trades: _t,
  meanwhile: _m,
  start,
  end,
  ...rest
}: typeof question extends fc.Arbitrary<infer T> ? T : never) => {
  const given = {
    ...rest,
    start: start === null ? null : instant(start),
    end: end === null ? null : instant(end),
  };
  return new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) =>
      value === null ? [] : [[name, `${value}`]],
    ),
  );
};

const before = (sort: string, order: string) => (a: any, b: any) => {
  const sign = order === 'asc' ? 1 : -1;
  if (a[sort] === null || b[sort] === null) {
    if (a[sort] !== b[sort]) return a[sort] === null ? 1 : -1;
  } else if (a[sort] !== b[sort]) return a[sort] < b[sort] ? -sign : sign;
  return a.id < b.id ? -sign : sign;
};

test('every trade appears once in any sort, order and date_field, while others are written', async () => {
  const world = new World();
  const key = world.key();
  const insert = (prefix: string, rows: readonly Trade[]) =>
    world.insert(
      'trades',
      ...rows.map((row, i) => ({ ...rowOf(`${prefix}${i}`, row), notes: 'a note' })),
    );
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      world.db.exec('DELETE FROM trades');
      insert('t', asked.trades);
      const query = queryOf(asked);
      const seen: any[] = [];
      const coming = [...asked.meanwhile.entries()];
      for (let cursor: string | null = null; ; ) {
        const { status, body } = await world.ask(
          `/v1/trades?${query}${cursor ? `&cursor=${cursor}` : ''}`,
          { key },
        );
        expect(status).toBe(200);
        seen.push(...body.data);
        cursor = body.pagination.next_cursor;
        if (cursor === null) break;
        expect(body.data).toHaveLength(asked.limit);
        const [next] = coming.splice(0, 1);
        if (next)
          world.insert('trades', {
            ...rowOf(`${next[0] % 2 ? 'a' : 'z'}${next[0]}`, next[1]),
            notes: 'a note',
          });
      }
      const ids = seen.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const within = ({ opened, held, symbol }: Trade) => {
        const at =
          asked.date_field === 'executed_at'
            ? opened
            : held === null
              ? null
              : opened + held;
        const { start, end } = asked;
        if (at === null) return start === null && end === null && same(symbol);
        return (
          (start === null || at >= start) && (end === null || at < end) && same(symbol)
        );
      };
      const same = (symbol: string) =>
        asked.symbol === null || symbol === asked.symbol.toUpperCase();
      const expected = asked.trades.flatMap((row, i) => (within(row) ? [`t${i}`] : []));
      expect(ids.filter((id) => id.startsWith('t')).sort()).toEqual(expected.sort());
      // R is rounded in responses; these values differ by more.
      expect(seen).toEqual([...seen].sort(before(asked.sort, asked.order)));
    }),
    { numRuns: runs(300, 60) },
  );
});

test('the same with more trades than one stride', async () => {
  const world = new World();
  const key = world.key();
  const rows = Array.from({ length: 2500 }, (_, i) => ({
    opened: (i * 7919) % 2500,
    held: i % 9 === 0 ? null : (i * 31) % 577,
    gross: ((i * 104729) % 2003) - 1000,
    risk: i % 4 === 0 ? null : 1 + ((i * 17) % 101),
    symbol: i % 3 === 0 ? 'AAPL' : 'SPY',
    money: i % 5 === 0 ? { currency: 'JPY', fx_rate: 0.0065 } : {},
  }));
  world.db.transaction(() =>
    world.insert('trades', ...rows.map((row, i) => rowOf(`t${i}`, row))),
  )();
  const walk = async (query: string) => {
    const seen: any[] = [];
    for (let cursor: string | null = null; ; ) {
      const { body } = await world.ask(
        `/v1/trades?limit=100&${query}${cursor ? `&cursor=${cursor}` : ''}`,
        { key },
      );
      seen.push(...body.data);
      cursor = body.pagination.next_cursor;
      if (cursor === null) return seen;
    }
  };
  const all = await walk('');
  expect(all).toHaveLength(rows.length);
  const exact = (sort: string) =>
    all
      .map((record) => ({
        ...record,
        r_multiple:
          record.initial_risk && record.closed_at
            ? record.net_pnl / record.initial_risk
            : null,
      }))
      .sort(before(sort, 'asc'))
      .map(({ id }) => id);
  const from = instant(1000);
  for (const sort of SORTS) {
    const ids = (await walk(`sort=${sort}&order=asc&symbol=SPY&fields=id`)).map(
      ({ id }) => id,
    );
    const spy = new Set(all.filter(({ symbol }) => symbol === 'SPY').map(({ id }) => id));
    expect(ids).toEqual(exact(sort).filter((id) => spy.has(id)));
    const closedLate = new Set(
      all
        .filter(({ closed_at }) => closed_at !== null && closed_at >= from)
        .map(({ id }) => id),
    );
    const late = await walk(
      `sort=${sort}&order=asc&date_field=closed_at&start=${from}&fields=id`,
    );
    expect(late.map(({ id }) => id)).toEqual(
      exact(sort).filter((id) => closedLate.has(id)),
    );
  }
});

test.each(RESOURCES)('/v1/$path, oldest first', async (resource) => {
  const world = new World();
  const key = world.key();
  world.db.transaction(() => {
    for (let i = 0; i < 23; i++)
      addRecord(
        world,
        resource.path,
        `r-${(i * 7) % 23}`,
        `2026-11-1${i % 3}T10:00:00.000Z`,
      );
  })();
  const walk = async (order: string) => {
    const seen: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const { body } = await world.ask(
        `/v1/${resource.path}?limit=5&order=${order}${cursor ? `&cursor=${cursor}` : ''}`,
        { key },
      );
      seen.push(
        ...body.data.map(
          (record: any) =>
            `${record[resource.orderBy]} ${record.id} ${record.type ?? record.kind ?? ''}`,
        ),
      );
      cursor = body.pagination.next_cursor;
      if (cursor === null) return seen;
    }
  };
  const newest = await walk('desc');
  expect(newest).toHaveLength(FEEDS.includes(resource.path) ? 46 : 23);
  expect(await walk('asc')).toEqual([...newest].reverse());
  expect([...newest].sort().reverse()).toEqual(newest);
});

test('the error for an invalid sort lists the valid ones', async () => {
  const world = new World();
  const key = world.key();
  for (const [query, detail] of [
    [
      'sort=symbol',
      /one of executed_at, closed_at, net_pnl, net_pnl_base, r_multiple, holding_seconds/,
    ],
    ['order=up', /one of asc, desc/],
    ['date_field=created_at', /one of executed_at, closed_at/],
  ] as const) {
    const { status, body } = await world.ask(`/v1/trades?${query}`, { key });
    expect([status, body.code, body.param]).toEqual([
      400,
      'invalid_parameter',
      query.split('=')[0],
    ]);
    expect(body.detail).toMatch(detail);
  }
  const { body } = await world.ask('/v1/sessions?sort=date', { key });
  expect(body.code).toBe('unknown_parameter');
});
