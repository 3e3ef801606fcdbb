/** Rules for all lists, tested on each list. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { factsOf, isId } from '../../src/journal/fields.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { runs } from '../effort.ts';
import { addRecord, FEEDS, World } from '../helpers.ts';

const DAYS = [
  '2026-11-16',
  '2026-11-17',
  '2026-11-17',
  '2026-11-18',
  '2026-11-18',
  '2026-11-18',
];

describe.each(RESOURCES)('/v1/$path', (resource) => {
  const url = `/v1/${resource.path}`;
  let world: World;
  let key: string;

  beforeEach(() => {
    world = new World();
    key = world.key([resource.scope]);
  });

  const fill = (count: number) => {
    // Few distinct times, so that most are ties.
    world.db.transaction(() => {
      for (let i = 0; i < count; i++)
        addRecord(
          world,
          resource.path,
          `r-${(i * 7919) % count}`,
          `${DAYS[i % DAYS.length]}T10:00:00.000Z`,
        );
    })();
  };

  const walk = async (limit: number, filters = '') => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { status, body } = await world.ask(`${url}?limit=${limit}${filters}${next}`, {
        key,
      });
      expect(status).toBe(200);
      expect(body.data.length).toBeLessThanOrEqual(limit);
      expect(body.pagination.has_more).toBe(body.pagination.next_cursor !== null);
      seen.push(
        ...body.data.map((row: any) =>
          [row[resource.orderBy], ...resource.tieBreak.map((field) => row[field])].join(
            ' ',
          ),
        ),
      );
      cursor = body.pagination.next_cursor;
    } while (cursor !== null);
    return seen;
  };

  test('is an empty page without records', async () => {
    const { status, body } = await world.ask(url, { key });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [],
      pagination: { limit: 50, has_more: false, next_cursor: null },
    });
  });

  test('gives all records to a key that hides texts', async () => {
    fill(3);
    const lens: Lens = { accounts: null, since: null, hides: ['texts'] };
    const narrow = world.key([resource.scope], 'me', undefined, lens);
    const { body } = await world.ask(url, { key: narrow, lens: true });
    const whole = await world.ask(url, { key });

    const advice =
      'without a rule for its table in src/journal/lens-views.ts, a list is empty for keys that hide anything';
    expect(body.data.length, advice).toBe(whole.body.data.length);
  });

  test('gives 50 by default and 100 at most, newest first', async () => {
    fill(120);
    const first = await world.ask(url, { key });
    expect(first.body.data).toHaveLength(50);
    expect(first.body.pagination).toMatchObject({ limit: 50, has_more: true });
    const large = await world.ask(`${url}?limit=5000`, { key });
    expect(large.body.data).toHaveLength(100);
    expect(large.body.pagination.limit).toBe(100);
    const order = large.body.data.map((row: any) => row[resource.orderBy]);
    expect(order).toEqual([...order].sort().reverse());
  });

  test.each([1, 7, 100])(
    'gives every record exactly once at limit %i, ties included',
    async (limit) => {
      fill(23);
      const seen = await walk(limit);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toHaveLength(FEEDS.includes(resource.path) ? 46 : 23);
      expect(seen).toEqual(await walk(50));
    },
  );

  test('visits each record once with any times, ids and page sizes', async () => {
    const id = fc.stringMatching(/^[A-Za-z0-9._:~-]{1,6}$/).filter(isId);
    const record = fc.record({ id, day: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(record, { selector: (r) => r.id, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (records, limit) => {
          for (const { table } of RESOURCES.toReversed())
            if (table !== null) world.db.exec(`DELETE FROM ${table}`);
          for (const { id, day } of records)
            addRecord(world, resource.path, id, `2026-11-0${day}T10:00:00.000Z`);
          const seen = await walk(limit);
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toHaveLength(
            records.length * (FEEDS.includes(resource.path) ? 2 : 1),
          );
          const positions = seen.map((position) => position.split(' '));
          const sorted = [...positions].sort((a, b) => compare(b, a));
          expect(positions).toEqual(sorted);
        },
      ),
      { numRuns: runs(15) },
    );
  });

  test('a record added between two pages shifts nothing', async () => {
    fill(12);
    const first = await world.ask(`${url}?limit=5`, { key });
    addRecord(world, resource.path, 'newest', '2026-11-19T10:00:00.000Z');
    const second = await world.ask(
      `${url}?limit=5&cursor=${first.body.pagination.next_cursor}`,
      {
        key,
      },
    );
    const ids = (reply: typeof first) =>
      reply.body.data.map((row: any) => `${row.id} ${row.type ?? row.kind ?? ''}`);
    expect(ids(second).filter((id: string) => ids(first).includes(id))).toEqual([]);
    const fresh = await world.ask(`${url}?limit=100`, { key });
    expect(ids(fresh)[0]).toMatch(/^newest/);
  });

  test('start and end: dates are whole days, timestamps half-open', async () => {
    for (const [id, day] of [
      ['a', '16'],
      ['b', '17'],
      ['c', '18'],
    ] as const) {
      addRecord(world, resource.path, id, `2026-11-${day}T00:00:00.000Z`);
    }
    const ids = async (query: string) => {
      const { body } = await world.ask(`${url}?${query}`, { key });
      return [...new Set(body.data.map((row: any) => row.id))].sort().join('');
    };
    expect(await ids('start=2026-11-17')).toBe('bc');
    expect(await ids('end=2026-11-17')).toBe('ab');
    expect(await ids('start=2026-11-17&end=2026-11-17')).toBe('b');
    expect(await ids('start=2026-11-17T00:00:00Z')).toBe('bc');
    expect(await ids('end=2026-11-17T00:00:00Z')).toBe('a');
    expect(await ids('start=2026-11-17T00:00:00.001Z')).toBe('c');
    expect(await ids('end=2026-11-17T00:00:00.0001Z')).toBe('ab');
    expect(await ids('start=2026-11-17T02:00:00%2B02:00&end=2026-11-18T00:00:00Z')).toBe(
      'b',
    );
    expect(await ids('start=2026-11-17T00:00:00Z&end=2026-11-17T00:00:00Z')).toBe('');
    expect(await ids('start=0001-01-01&end=9999-12-31')).toBe('abc');
  });

  test('days are those of the user', async () => {
    world.db.exec("UPDATE users SET timezone = 'America/New_York'");
    addRecord(world, resource.path, 'late', '2026-11-18T02:00:00.000Z');
    const { body } = await world.ask(`${url}?start=2026-11-17&end=2026-11-17`, { key });
    // 02:00 UTC is the previous evening in New York; a stored date is the same in any zone.
    expect(body.data.length > 0).toBe(resource.orderKind === 'instant');
  });

  test('a cursor is valid only for its own list, user and filters', async () => {
    fill(5);
    addRecord(world, resource.path, 'z', '2026-11-18T10:00:00.000Z');
    const { body } = await world.ask(`${url}?limit=2&start=2026-01-01`, { key });
    const cursor: string = body.pagination.next_cursor;
    const refused = async (path: string, about: RegExp, as = key) => {
      const reply = await world.ask(path, { key: as });
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({ code: 'invalid_cursor', param: 'cursor' });
      expect(reply.body.detail).toMatch(about);
    };
    const other = RESOURCES.find((candidate) => candidate !== resource)!;
    await refused(
      `/v1/${other.path}?limit=2&start=2026-01-01&cursor=${cursor}`,
      /another endpoint/,
      world.key([other.scope]),
    );
    world.addUser('you');
    await refused(
      `${url}?limit=2&start=2026-01-01&cursor=${cursor}`,
      /another user/,
      world.key([resource.scope], 'you'),
    );
    await refused(`${url}?limit=2&cursor=${cursor}`, /other filters/);
    await refused(`${url}?limit=2&start=2026-01-02&cursor=${cursor}`, /other filters/);
    await refused(`${url}?start=2026-01-01&cursor=`, /not issued here/);
    await refused(`${url}?start=2026-01-01&cursor=abc`, /not issued here/);
    for (let i = 0; i < cursor.length; i += 5) {
      const tampered =
        cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      await refused(`${url}?start=2026-01-01&cursor=${tampered}`, /not issued here/);
    }
    const more = await world.ask(`${url}?limit=3&start=2026-01-01&cursor=${cursor}`, {
      key,
    });
    expect(more.status).toBe(200);
  });

  test.each([
    ['limit=0', 'invalid_parameter', 'limit', /at least 1/],
    ['limit=-1', 'invalid_parameter', 'limit', /at least 1/],
    ['limit=1e2', 'invalid_parameter', 'limit', /at least 1/],
    ['limit=abc', 'invalid_parameter', 'limit', /abc/],
    ['limit=', 'invalid_parameter', 'limit', /at least 1/],
    ['limit=1.5', 'invalid_parameter', 'limit', /whole/],
    ['limit=+5', 'invalid_parameter', 'limit', /whole/],
    ['limit=5&limit=6', 'invalid_parameter', 'limit', /more than once/],
    ['start=yesterday', 'invalid_parameter', 'start', /2026-11-20/],
    ['start=2026-02-30', 'invalid_parameter', 'start', /must be a valid date/],
    ['end=2026-13-01', 'invalid_parameter', 'end', /must be a valid date/],
    ['start=', 'invalid_parameter', 'start', /date/],
    ['start=2026-11-20T10:00:00', 'invalid_parameter', 'start', /without an offset/],
    ['start=2026-11-20T10:00:00+02:00', 'invalid_parameter', 'start', /%2B/],
    ['end=2026-11-20T10:00:00.5+02:00', 'invalid_parameter', 'end', /%2B/],
    ['start=2026-11-20T25:00:00Z', 'invalid_parameter', 'start', /must be a valid date/],
    ['start=1763596800', 'invalid_parameter', 'start', /date/],
    [
      'start=2026-11-21&end=2026-11-20',
      'invalid_parameter',
      'start',
      /must not be after end/,
    ],
    [
      'start=2026-11-20T10:00:00Z&end=2026-11-20T09:59:59Z',
      'invalid_parameter',
      'start',
      /must not be after end/,
    ],
    ['start=2026-11-20&start=2026-11-20', 'invalid_parameter', 'start', /more than once/],
    ['offset=50', 'unknown_parameter', 'offset', /no parameter "offset"/],
    ['limits=5', 'unknown_parameter', 'limits', /did you mean limit\?/],
    ['Limit=5', 'unknown_parameter', 'Limit', /did you mean limit\?/],
    ['__proto__=5', 'unknown_parameter', '__proto__', /no parameter/],
    ['period=30d', 'unknown_parameter', 'period', /no parameter/],
  ] as const)('rejects ?%s', async (query, code, param, detail) => {
    const reply = await world.ask(`${url}?${query}`, { key });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code, param, status: 400 });
    expect(reply.body.detail).toMatch(detail);
    expect(reply.headers.get('Content-Type')).toBe('application/problem+json');
  });

  test('every filter is checked, and its error lists valid values', async () => {
    const REFUSED = {
      flag: ['yes', /true or false/],
      at_least: ['1e3', /number/],
      at_most: ['a', /number/],
      named: ['x', /must be a name and a value/],
    } as const;
    for (const [name, filter] of Object.entries(resource.filters)) {
      const empty = await world.ask(`${url}?${name}=`, { key });
      expect([name, empty.status, empty.body.code, empty.body.param]).toEqual([
        name,
        400,
        'invalid_parameter',
        name,
      ]);
      const { like } = filter;
      const isEnum =
        like !== undefined &&
        factsOf(resource.record.shape[like] as never).values !== undefined;
      const [wrong, says] = isEnum
        ? ['nonsense', /must be one of/]
        : (REFUSED[filter.match as never] ?? []);
      if (wrong !== undefined) {
        const reply = await world.ask(`${url}?${name}=${wrong}`, { key });
        expect([name, reply.body.code, reply.body.param]).toEqual([
          name,
          'invalid_parameter',
          name,
        ]);
        expect(reply.body.detail).toMatch(says as RegExp);
      } else {
        const none = await world.ask(`${url}?${name}=x`, { key });
        expect(none.body.data).toEqual([]);
      }
    }
  });

  test("never shows another user's records", async () => {
    world.addUser('you');
    addRecord(world, resource.path, 'theirs', '2026-11-18T10:00:00.000Z', 'you');
    addRecord(world, resource.path, 'mine', '2026-11-18T10:00:00.000Z');
    const { body } = await world.ask(url, { key });
    expect(new Set(body.data.map((row: any) => row.id))).toEqual(new Set(['mine']));
  });

  test('a row that another program commits is in the next response', async () => {
    await world.ask(url, { key });
    addRecord(world, resource.path, 'fresh', '2026-11-19T10:00:00.000Z');
    const { body } = await world.ask(url, { key });
    expect(body.data[0].id).toBe('fresh');
  });
});

function compare(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return (a[i] as string) < (b[i] as string) ? -1 : 1;
  }
  return 0;
}
