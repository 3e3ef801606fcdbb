/** Lists and tables of figures as CSV and JSON Lines: the same as JSON, for readers of any kind, and import. */
import { writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine } from '../../src/journal/csv.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { runs } from '../effort.ts';
import { addRecord, FEEDS, type Reply, tradeRow, World } from '../helpers.ts';
import { journal, settings } from '../import/any-journal.ts';
import { ImportHome } from '../import/home.ts';

type Any = any;

const CSV = { Accept: 'text/csv' };
const NDJSON = { Accept: 'application/x-ndjson' };
const PATHS = RESOURCES.map(({ path }) => path);

const cellsOf = (text: string): string[][] => parse(text, { record_delimiter: '\r\n' });
const recordsOf = (text: string): Record<string, string>[] =>
  parse(text, { columns: true, record_delimiter: '\r\n' });
const linesOf = (text: string): Any[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** A record as cells, by the documented rules, written independently. */
function flat(record: Any, prefix = ''): Record<string, Any> {
  const cells = Object.entries(record).flatMap(([name, value]) =>
    name !== 'fields' &&
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value)
      ? Object.entries(flat(value, `${prefix}${name}.`))
      : [[prefix + name, value]],
  );
  return Object.fromEntries(cells);
}

function expectCell(cell: string | undefined, value: Any): void {
  if (value === null) expect(cell).toBe('');
  else if (typeof value === 'string')
    expect(cell).toBe(/^(?:"")*$/.test(value) ? `""${value}` : value);
  else if (typeof value === 'boolean') expect(cell).toBe(String(value));
  else if (typeof value === 'number') expect(Number(cell)).toBe(value);
  else if (JSON.stringify(value) === '[]' || JSON.stringify(value) === '{}')
    expect(cell).toBe('');
  else
    expect(
      /^[[{]/.test(cell as string) ? JSON.parse(cell as string) : cell?.split('; '),
    ).toEqual(value);
}

/** Compares each cell; columns that a record lacks, as of an object that is null, are empty. */
function expectSame(csv: string, records: readonly Any[]): void {
  const rows = recordsOf(csv);
  expect(rows).toHaveLength(records.length);
  records.forEach((record, i) => {
    const [cells, values] = [rows[i] as Record<string, string>, flat(record)];
    for (const name of Object.keys(cells)) expectCell(cells[name], values[name] ?? null);
    for (const [name, value] of Object.entries(values))
      if (value !== null) expect(cells).toHaveProperty([name]);
  });
}

test('any journal: each list has the same records in all forms, and importing them changes nothing', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(journal, settings, async (files, user) => {
      const home = new ImportHome().withUser('me', user);
      const written = Object.entries(files).filter(([, rows]) => rows.length > 0);
      home.import(written.map(([path, rows]) => home.lines(`${path}.jsonl`, ...rows)));
      const world = new World();
      writeFileSync(world.files.journal, home.bytes());
      const key = world.key();
      const bytes = home.hash();
      for (const path of PATHS) {
        const { body } = await world.ask(`/v1/${path}`, { key });
        const csv = await world.ask(`/v1/${path}`, { key, headers: CSV });
        const lines = await world.ask(`/v1/${path}`, { key, headers: NDJSON });
        expectSame(csv.text, body.data);
        expect(linesOf(lines.text)).toEqual(body.data);
        if (path === 'positions') continue;
        for (const file of [
          home.file(`${path}.csv`, csv.text),
          home.file(`${path}.ndjson`, lines.text),
        ]) {
          if (body.data.length === 0) continue;
          const { files } = home.import(file);
          expect(files).toEqual([
            expect.objectContaining({
              added: 0,
              changed: 0,
              unchanged: body.data.length,
            }),
          ]);
        }
      }
      expect(home.hash()).toBe(bytes);
    }),
    { numRuns: runs(5) },
  );
});

describe('cells', () => {
  test.each<[value: unknown, cell: string]>([
    [['a', 'b'], '"a; b"'],
    [['a, b', 'c'], '"a, b; c"'],
    [[], ''],
    [null, ''],
    [undefined, ''],
    [[''], '"[""""]"'],
    [['a;b'], '"[""a;b""]"'],
    [['[a'], '"[""[a""]"'],
    [['{a'], '"[""{a""]"'],
    [[' a'], '"["" a""]"'],
    [['a '], '"[""a ""]"'],
    // A reader of cells that people write takes these for two labels each.
    [['a, b'], '"[""a, b""]"'],
    [['a\nb'], '"[""a\\nb""]"'],
    [[{ rule: 'wait', followed: true }], '"[{""rule"":""wait"",""followed"":true}]"'],
    ['=1+1', '=1+1'],
    ['-2', '-2'],
    ['say "x", now', '"say ""x"", now"'],
    ['a\r\nb', '"a\r\nb"'],
    ['', '""""""'],
    [1e21, '1e+21'],
    [-0.5, '-0.5'],
    [true, 'true'],
  ])('%j', (value, cell) => {
    expect(csvLine([value, 'x'])).toBe(`${cell},x\r\n`);
  });
});

function traded(
  count: number,
  more: (i: number) => Any = () => ({}),
): { world: World; key: string } {
  const world = new World();
  const rows = Array.from({ length: count }, (_, i) =>
    tradeRow(`t-${String(i).padStart(5, '0')}`, {
      executed_at: new Date(Date.UTC(2026, 0, 1) + i * 600_000).toISOString(),
      ...more(i),
    }),
  );
  world.db.transaction(() => world.insert('trades', ...rows))();
  return { world, key: world.key() };
}

test.each<[accept: string | undefined, type: string]>([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv; charset=utf-8'],
  ['TEXT/CSV; charset=utf-8', 'text/csv; charset=utf-8'],
  ['text/*', 'text/csv; charset=utf-8'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['text/csv, application/x-ndjson', 'text/csv; charset=utf-8'],
  ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
  ['text/csv, application/json', 'application/json'],
  ['application/json;q=0.9, text/csv', 'text/csv; charset=utf-8'],
  ['application/json, text/csv;q=0.9', 'application/json'],
  ['text/csv, */*', 'application/json'],
  ['text/csv, */*;q=0.1', 'text/csv; charset=utf-8'],
  ['text/csv;q=0, */*', 'application/json'],
  ['text/csv;q=0', 'application/json'],
  ['text/csv;q=x', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['image/png', 'application/json'],
  ['', 'application/json'],
])('Accept %j is answered in %s', async (accept, type) => {
  const { world, key } = traded(1);
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
  const reply = await world.ask('/v1/trades', { key, headers });
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, type]);
  expect(reply.headers.get('Vary')).toContain('Accept,');
});

test('single records, figures without a table and errors stay JSON', async () => {
  const { world, key } = traded(1);
  for (const path of [
    ...[
      '/v1/me',
      '/v1/trades/t-00000',
      '/v1/summary',
      '/v1/labels',
      '/v1/analytics/summary',
    ],
    ...[
      '/v1/analytics/summary?sections=performance',
      '/v1/analytics/summary?sections=daily,mistakes',
    ],
    ...[
      '/v1/analytics/summary?sections=daily&group_by=setup',
      '/v1/analytics/summary?sections=breakdowns',
    ],
  ]) {
    const { headers } = await world.ask(path, { key, headers: CSV });
    expect([path, headers.get('Content-Type')]).toEqual([path, 'application/json']);
  }
  for (const [path, status] of [
    ['/v1/trades?limit=0', 400],
    ['/v1/nothing', 404],
    ['/v1/trades?cursor=x', 400],
  ] as const) {
    const reply = await world.ask(path, { key, headers: CSV });
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([
      status,
      'application/problem+json',
    ]);
  }
  expect((await world.ask('/v1/trades', { headers: CSV })).status).toBe(401);
});

test('an empty page has its header, or no line', async () => {
  const world = new World();
  const key = world.key();
  for (const path of PATHS) {
    const csv = await world.ask(`/v1/${path}`, { key, headers: CSV });
    const [header, ...rows] = cellsOf(csv.text);
    expect([path, header?.[0], rows]).toEqual([path, 'id', []]);
    expect(csv.headers.get('Link')).toBeNull();
    expect((await world.ask(`/v1/${path}`, { key, headers: NDJSON })).text).toBe('');
  }
  const { text } = await world.ask('/v1/sessions', { key, headers: CSV });
  expect(cellsOf(text)[0]).toEqual(
    expect.arrayContaining(['review.rating', 'market_context.news', 'metrics.net_pnl']),
  );
});

test.each([CSV, NDJSON])(
  'links lead through all records with the same parameters: %j',
  async (headers) => {
    const { world, key } = traded(30, (i) => ({ symbol: i % 3 ? 'BRK B&<>' : 'X' }));
    const first = 'symbol=BRK%20B%26%3C%3E&limit=7&fields=symbol&order=asc';
    const ids: string[] = [];
    let query: string | undefined = `?${first}`;
    while (query !== undefined) {
      const reply: Reply = await world.ask(`/v1/trades${query}`, { key, headers });
      ids.push(
        ...(headers === CSV ? recordsOf(reply.text) : linesOf(reply.text)).map(
          ({ id }) => id as string,
        ),
      );
      query = /^<(\?[^>]+)>; rel="next"$/.exec(reply.headers.get('Link') ?? '')?.[1];
      if (query)
        for (const [name, value] of new URLSearchParams(first))
          expect(new URLSearchParams(query).get(name)).toBe(value);
    }
    const { body } = await world.ask(
      `/v1/trades?${first.replace('limit=7', 'limit=100')}`,
      {
        key,
      },
    );
    expect(ids).toEqual(body.data.map(({ id }: Any) => id));
    expect(ids).toHaveLength(20);
  },
);

test('limit goes to 10,000, and as JSON to 100; the page says what was applied', async () => {
  const { world, key } = traded(1);
  const same =
    'user_id, symbol, market, side, status, quantity, open_quantity, entry_price, exit_price, currency, gross_pnl';
  world.db.exec(`INSERT INTO trades (id, executed_at, closed_at, ${same})
    WITH RECURSIVE minutes(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM minutes WHERE n < 10002),
      times AS (SELECT n, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', n || ' minutes') AS t FROM minutes)
    SELECT printf('t-%05d', n), t, t, ${same} FROM trades, times`);
  const asked = '/v1/trades?limit=20000&fields=symbol';
  const json = await world.ask(asked, { key });
  expect([json.body.data.length, json.body.pagination.limit]).toEqual([100, 100]);
  const csv = await world.ask(asked, { key, headers: CSV });
  expect(recordsOf(csv.text)).toHaveLength(10_000);
  const rest = await world.ask(
    `/v1/trades${/<(.*?)>/.exec(csv.headers.get('Link')!)![1]}`,
    {
      key,
      headers: CSV,
    },
  );
  expect(recordsOf(rest.text).map(({ id }) => id)).toEqual([
    't-00002',
    't-00001',
    't-00000',
  ]);
  expect(
    recordsOf((await world.ask('/v1/trades', { key, headers: CSV })).text),
  ).toHaveLength(50);
});

test('a table stays within 8 MB, wherever it ends', async () => {
  const { world, key } = traded(24, (i) => ({ notes: `${i} ${'"x" '.repeat(60_000)}` }));
  for (const headers of [CSV, NDJSON]) {
    const ids: string[] = [];
    let path: string | undefined = '/v1/trades?limit=10000';
    let pages = 0;
    while (path !== undefined) {
      const reply: Reply = await world.ask(path, { key, headers });
      expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(8_000_000);
      ids.push(
        ...[...reply.text.matchAll(/^(?:\{"id":")?(t-\d{5})/gm)].map(
          ([, id]) => id as string,
        ),
      );
      const next: string | undefined = /<(.*?)>/.exec(
        reply.headers.get('Link') ?? '',
      )?.[1];
      path = next && `/v1/trades${next}`;
      pages++;
    }
    expect([pages, ids.length, new Set(ids).size]).toEqual([2, 24, 24]);
  }
});

test('a record too large for a response ends the page before it, and is named on its own', async () => {
  const { world, key } = traded(3, (i) =>
    i === 1 ? { notes: 'x'.repeat(9_000_000) } : {},
  );
  const first = await world.ask('/v1/trades', { key, headers: CSV });
  expect(recordsOf(first.text).map(({ id }) => id)).toEqual(['t-00002']);
  const path = `/v1/trades${/<(.*?)>/.exec(first.headers.get('Link')!)![1]}`;
  expect(await world.ask(path, { key, headers: CSV })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('t-00001') },
  });
});

test('each form has its own ETag, which changes with the next page', async () => {
  const { world, key } = traded(2);
  const tags = new Map<string, string>();
  for (const Accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
    const { headers, text } = await world.ask('/v1/trades?limit=2', {
      key,
      headers: { Accept },
    });
    const tag = headers.get('ETag') as string;
    tags.set(tag, Accept);
    // Asked twice more, the second time from the cache.
    for (let i = 0; i < 2; i++) {
      const same = await world.ask('/v1/trades?limit=2', {
        key,
        headers: { Accept, 'If-None-Match': tag },
      });
      expect([same.status, same.text]).toEqual([304, '']);
      expect(
        (await world.ask('/v1/trades?limit=2', { key, headers: { Accept } })).text,
      ).toBe(text);
    }
    const head = await world.ask('/v1/trades?limit=2', {
      key,
      method: 'HEAD',
      headers: { Accept },
    });
    expect([head.headers.get('ETag'), head.headers.get('Content-Length')]).toEqual([
      tag,
      headers.get('Content-Length'),
    ]);
  }
  expect(tags.size).toBe(3);
  // An older trade: the same bytes, but now with a next page.
  const [csvTag] = [...tags].find(([, form]) => form === 'text/csv') as [string, string];
  world.insert('trades', tradeRow('t-old', { executed_at: '2025-01-01T00:00:00.000Z' }));
  const after = await world.ask('/v1/trades?limit=2', {
    key,
    headers: { ...CSV, 'If-None-Match': csvTag },
  });
  expect([after.status, after.headers.get('Link')]).toEqual([
    200,
    expect.stringContaining('cursor='),
  ]);
});

test('tables of analytics: days, and groups with a column for each dimension asked for', async () => {
  const { world, key } = traded(9, (i) => ({
    setup: i % 2 ? 'ORB' : null,
    tags: i % 3 ? '["=a","b"]' : '[]',
    gross_pnl: i - 4,
  }));
  const row = (table: string, more: string) =>
    Promise.all([
      world.ask(`/v1/analytics/summary?${more}`, { key }),
      world.ask(`/v1/analytics/summary?${more}`, { key, headers: CSV }),
    ]).then(([json, csv]) => {
      expect(csv.headers.get('Content-Type')).toContain('csv');
      expectSame(csv.text, json.body.data[table]);
      return cellsOf(csv.text)[0];
    });
  expect(await row('daily', 'sections=daily')).toEqual(
    expect.arrayContaining(['date', 'net_pnl', 'drawdown']),
  );
  expect(await row('realised', 'sections=realised')).toEqual([
    'date',
    'exits',
    'unmatched',
    'gross_pnl',
    'fees',
    'net_pnl',
    'cumulative_net_pnl',
    'drawdown',
    'lowest',
  ]);
  const columns = await row('groups', 'group_by=tag,setup');
  expect(columns?.filter((name) => name.startsWith('by.'))).toEqual(
    expect.arrayContaining(['by.setup', 'by.tag']),
  );
  expect(columns?.filter((name) => name.startsWith('by.'))).toHaveLength(2);
  await row('groups', 'sections=period,groups&group_by=side&top=1&unit=position');
  await row('daily', 'sections=daily&period=2020');
  const lines = await world.ask('/v1/analytics/summary?sections=daily', {
    key,
    headers: NDJSON,
  });
  expect(linesOf(lines.text)).toEqual(
    (await world.ask('/v1/analytics/summary?sections=daily', { key })).body.data.daily,
  );
});

test('a key shows the same fields as in JSON, and no column of a hidden one', async () => {
  const world = new World();
  for (const path of PATHS)
    if (!FEEDS.includes(path)) addRecord(world, path, 'r-1', '2026-11-10T10:00:00.000Z');
  world.db.exec(
    `UPDATE sessions SET review = '{"lesson":"secret words","rating":3,"mistakes":[]}'`,
  );
  for (const hide of [
    ['money'],
    ['texts'],
    ['symbols'],
    ['money', 'texts', 'symbols'],
  ] as const) {
    const lens = { accounts: null, since: null, hides: hide } as never;
    const key = world.key(undefined, 'me', undefined, lens);
    for (const path of [
      ...PATHS,
      'analytics/summary?sections=daily',
      'analytics/summary?group_by=side',
    ]) {
      const { body } = await world.ask(`/v1/${path}`, { key, lens: true });
      const { text } = await world.ask(`/v1/${path}`, { key, headers: CSV, lens: true });
      const records = Array.isArray(body.data)
        ? body.data
        : (body.data.groups ?? body.data.daily);
      expectSame(text, records);
      const columns = new Set(
        (cellsOf(text)[0] as string[]).map((name) => name.split('.')[0]),
      );
      // Cash flows go with money: then the list has no row, and no columns but those of any list.
      const isGone =
        path === 'cash-flows' && (hide as readonly string[]).includes('money');
      expect([path, hide, records.length > 0]).toEqual([path, hide, !isGone]);
      for (const name of isGone ? [] : columns)
        expect([
          path,
          hide,
          name,
          records.some((one: Any) => name! in one) ||
            /other|stands_out|net_pnl_native|largest_share|by_definition|same_trades_as/.test(
              name!,
            ),
        ]).toEqual([path, hide, name, true]);
      const lines = await world.ask(`/v1/${path}`, { key, headers: NDJSON, lens: true });
      expect(linesOf(lines.text)).toEqual(records);
    }
  }
});

describe('import of CSV with columns of members', () => {
  const HEADER =
    'id,date,review.went_well,review.went_wrong,review.lesson,review.followed_plan,review.rating,review.mistakes,review.reviewed_at';
  const session = (home: ImportHome) => home.everything()['sessions']?.[0] as Any;

  test('makes an object, and leaves it as it is if all its cells are empty', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'sessions.csv',
        `${HEADER}\r\ns-1,2026-11-20,,,Wait.,yes,3,chased; late,\r\n`,
      ),
    );
    const review = {
      went_well: null,
      went_wrong: null,
      lesson: 'Wait.',
      followed_plan: true,
      rating: 3,
      mistakes: ['chased', 'late'],
      reviewed_at: null,
    };
    expect(session(home).review).toEqual(review);
    const again = home.import(
      home.file('sessions.csv', `${HEADER}\r\ns-1,2026-11-20,,,,,,,\r\n`),
    );
    expect(again.files[0]).toMatchObject({ unchanged: 1 });
    expect(session(home).review).toEqual(review);
  });

  test.each([
    ['id,date,review.rating', /review\.went_well, review\.went_wrong, .*: are missing/],
    [`${HEADER},review`, /review: is given twice, also as review\.went_well; remove one/],
    [
      'id,date,review.ratng',
      /review\.ratng: unknown field; did you mean review\.rating\?/,
    ],
    ['id,date,review.rating.x', /unknown field/],
  ])('refuses the columns %s', (header, message) => {
    const home = new ImportHome().withUser();
    const path = home.file('sessions.csv', `${header}\n`);
    expect(() => home.import(path)).toThrow(message);
  });
});
