/** Fields that traders name, over HTTP: in records and tables, as filters, in figures and labels, and hidden. */
import { describe, expect, test } from 'vitest';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { World as NewWorld, sharedByTests, type World } from '../helpers.ts';

/** Five trades: with their own value, that of their group, that of their day, and none; one is open. */
function journal(): World {
  const world = new NewWorld({ timezone: 'America/New_York' });
  world.insert('trade_groups', {
    ...{
      id: 'g',
      name: 'g',
      kind: 'custom',
      market: 'stock',
      status: 'open',
      currency: 'USD',
    },
    ...{
      opened_at: '2026-11-10T15:00:00.000Z',
      fields: '{"phase":"Group","__proto__":7}',
    },
  });
  const trade = (id: string, fields: object, more: object = {}) =>
    world.insert('trades', {
      ...{
        id,
        symbol: 'AAPL',
        market: 'stock',
        side: 'long',
        status: 'closed',
        quantity: 1,
      },
      ...{
        executed_at: '2026-11-10T15:00:00.000Z',
        closed_at: '2026-11-10T16:00:00.000Z',
      },
      ...{ open_quantity: 0, entry_price: 100, currency: 'USD', gross_pnl: 10 },
      fields: JSON.stringify(fields),
      ...more,
    });
  trade('own', { phase: 'early', confluence: 3 }, { group_id: 'g' });
  trade('group', {}, { group_id: 'g' });
  // 23:30 of the day before in New York.
  trade('day', { confluence: 3.5 }, { executed_at: '2026-11-10T04:30:00.000Z' });
  trade(
    'none',
    {},
    { executed_at: '2026-11-12T15:00:00.000Z', closed_at: '2026-11-12T16:00:00.000Z' },
  );
  trade(
    'open',
    { phase: 'EARLY' },
    { status: 'open', closed_at: null, open_quantity: 1 },
  );
  world.insert(
    'sessions',
    { id: 'a', date: '2026-11-09', fields: '{"phase":"late"}' },
    {
      ...{ id: 'b', date: '2026-11-09', started_at: '2026-11-09T14:00:00.000Z' },
      fields: '{"phase":"of the day","vix":18}',
    },
  );
  world.insert('weekly_reviews', {
    ...{ id: 'w', period_start: '2026-11-09', period_end: '2026-11-15' },
    fields: '{"grade":"B"}',
  });
  return world;
}

const shared = sharedByTests(async () => {
  const world = journal();
  return { world, key: world.key() };
});

async function ask(path: string, headers: Record<string, string> = {}) {
  const { world, key } = shared();
  return world.ask(`/v1/${path}`, { key, headers });
}

const idsOf = async (query: string) =>
  (await ask(`trades?${query}`)).body.data.map(({ id }: { id: string }) => id).sort();

test.each<[query: string, ids: string[]]>([
  ['field=phase:early', ['open', 'own']],
  ['field=Phase:GROUP', ['group']],
  ['field=phase:of the day', ['day']],
  ['field=phase:late', []],
  ['field=confluence:3', ['own']],
  ['field=confluence:3.0', ['own']],
  ['field=confluence:3.5', ['day']],
  ['field=__proto__:7', ['group', 'own']],
  ['field=constructor:x', []],
  ['where={"field:phase":["early","group"]}', ['group', 'own']],
  ['where={"field:confluence":{"min":3.2}}', ['day']],
  ['where={"field:confluence":[{"max":3},3.5]}', ['day', 'own']],
  ['where={"field:phase":null}', ['none']],
])('trades?%s', async (query, ids) => {
  expect(await idsOf(query)).toEqual(ids);
});

test.each<[query: string, param: string, problem: RegExp]>([
  ['trades?field=phase', 'field', /name and a value, such as confluence:3/],
  ['trades?field=a b:1', 'field', /name and a value/],
  ['trades?fields=fields.a b', 'fields', /has no field "fields.a b"/],
  ['trade-journals?fields=fields.a', 'fields', /has no field "fields.a"/],
  ['analytics/summary?group_by=field:', 'group_by', /must have a name of at most 40/],
  ['analytics/summary?group_by=field:a,field:A', 'group_by', /has a duplicate/],
  ['trades?where={"field:a b":1}', 'where', /must have a name of at most 40/],
  ['trades?where={"field:a":{"least":1}}', 'where', /bounds of field:a that are not/],
  ['trades?where={"setup":{"min":1}}', 'where', /keys of setup that are not texts/],
  ['trades?where={"field:a":1,"field:A":2}', 'where', /has field:a twice/],
  ['analytics/summary?leaks=all', 'leaks', /must be fields/],
])('%s is refused', async (path, param, problem) => {
  const { status, body } = await ask(path);
  expect([status, body.param, body.detail]).toEqual([
    400,
    param,
    expect.stringMatching(problem),
  ]);
});

describe('figures', () => {
  const groupsOf = async (query: string) =>
    (await ask(`analytics/summary?sections=groups&${query}`)).body.data.groups.map(
      ({ by, trades }: { by: object; trades: number }) => [
        Object.values(by).join(),
        trades,
      ],
    );

  test('have a row per value, of trades, groups and days', async () => {
    expect((await groupsOf('group_by=field:PHASE')).sort()).toEqual([
      ['', 1],
      ['Group', 1],
      ['early', 1],
      ['of the day', 1],
    ]);
  });

  test('leave out by a field', async () => {
    expect(
      await groupsOf('group_by=field:phase&exclude={"field:phase":[null,"early"]}'),
    ).toEqual([
      ['Group', 1],
      ['of the day', 1],
    ]);
  });

  test('have quarters of many numbers; texts stay', async () => {
    const world = new NewWorld();
    for (let n = 0; n < 16; n++)
      world.insert('trades', {
        ...{ id: `t${n}`, symbol: 'A', market: 'stock', side: 'long', status: 'closed' },
        ...{
          executed_at: '2026-11-10T15:00:00.000Z',
          closed_at: '2026-11-10T16:00:00.000Z',
        },
        ...{
          quantity: 1,
          open_quantity: 0,
          entry_price: 1,
          currency: 'USD',
          gross_pnl: 16 - n,
        },
        fields: JSON.stringify({ vix: n === 15 ? 'high' : n }),
      });
    const key = world.key();
    const get = async (query: string) =>
      (await world.ask(`/v1/${query}`, { key })).body.data;
    const { groups } = await get('analytics/summary?sections=groups&group_by=field:vix');
    expect(groups.map(({ by, trades }: any) => [by['field:vix'], trades])).toEqual([
      ['3_to_7', 4],
      ['under_3', 3],
      ['7_to_11', 4],
      ['from_11', 4],
      ['high', 1],
    ]);
    const rows = await get('trades?where={"field:vix":["from_11",0]}&fields=fields.vix');
    expect(
      rows.map(({ fields }: any) => fields.vix).sort((a: number, b: number) => a - b),
    ).toEqual([0, 11, 12, 13, 14]);
  });

  test('test them for leaks only if asked', async () => {
    const world = new NewWorld();
    for (let n = 0; n < 120; n++)
      world.insert('trades', {
        ...{ id: `t${n}`, symbol: 'A', market: 'stock', side: 'long', status: 'closed' },
        executed_at: `2026-0${1 + (n % 8)}-${10 + (n % 15)}T15:00:00.000Z`,
        closed_at: `2026-0${1 + (n % 8)}-${10 + (n % 15)}T16:00:00.000Z`,
        ...{ quantity: 1, open_quantity: 0, entry_price: 1, currency: 'USD' },
        gross_pnl: n % 3 === 0 ? -50 - (n % 7) : 40 + (n % 11),
        fields: n % 3 === 0 ? '{"plan":"b"}' : '{"plan":"a"}',
      });
    const key = world.key();
    const leaksOf = async (query: string) =>
      (await world.ask(`/v1/analytics/summary?${query}`, { key })).body.data.leaks;
    const [without, all] = [
      await leaksOf('sections=leaks'),
      await leaksOf('sections=performance&leaks=fields'),
    ];
    expect(without.costs.filter(({ by }: any) => 'field:plan' in by)).toEqual([]);
    expect(all.tried).toBeGreaterThan(without.tried);
    expect(all.costs.map(({ by }: any) => by)).toContainEqual({ 'field:plan': 'b' });
  });
});

test('records and tables have all fields, or those that are chosen', async () => {
  const { body } = await ask(
    'trades?fields=fields.Confluence&field=phase:early&order=asc',
  );
  expect(body.data).toEqual([
    { id: 'open', fields: {} },
    { id: 'own', fields: { confluence: 3 } },
  ]);
  const csv = async (query: string) =>
    (await ask(`trades?order=asc&${query}`, { Accept: 'text/csv' })).text.split('\r\n');
  expect((await csv('fields=fields')).slice(0, 3)).toEqual([
    'id,fields',
    'day,"{""confluence"":3.5}"',
    'group,',
  ]);
  expect((await csv('fields=fields.confluence,fields.phase')).slice(0, 3)).toEqual([
    'id,fields.confluence,fields.phase',
    'day,3.5,',
    'group,,',
  ]);
  const groups = await ask('analytics/summary?group_by=field:confluence', {
    Accept: 'text/csv',
  });
  expect(groups.text).toMatch(/^by\.field:confluence,trades,/);
});

test.each<[scopes: string[], names: string[], withheld: string[] | undefined]>([
  [[...ALL_SCOPES], ['phase', 'confluence', '__proto__', 'grade', 'vix'], undefined],
  [
    ['trades:read'],
    ['phase', 'confluence', '__proto__'],
    ['journals:read', 'sessions:read', 'reviews:read'],
  ],
  [
    ['trades:read', 'journals:read', 'sessions:read'],
    ['phase', 'confluence', '__proto__', 'vix'],
    ['reviews:read'],
  ],
])(
  'labels list the names that a key with %s may see',
  async (scopes, names, withheld) => {
    const { world } = shared();
    const { body } = await world.ask('/v1/labels', { key: world.key(scopes as never) });
    expect(body.data.fields.map(({ value }: any) => value)).toEqual(names);
    expect(body.data.withheld).toEqual(withheld);
  },
);

test("a key that hides texts has neither names nor values, and can't ask for them", async () => {
  const { world } = shared();
  const key = world.key(undefined, 'me', undefined, {
    accounts: null,
    since: null,
    hides: ['texts'],
  });
  for (const path of [
    'trades',
    'trade-groups',
    'sessions',
    'weekly-reviews',
    'trades/own',
    'labels',
  ]) {
    const { status, text } = await world.ask(`/v1/${path}`, { key, lens: true });
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toMatch(/confluence|phase|early|grade|"fields"/);
  }
  for (const query of [
    'trades?field=phase:early',
    'trades?where={"field:phase":"early"}',
    'analytics/summary?group_by=field:phase',
    'analytics/summary?leaks=fields',
  ])
    expect((await world.ask(`/v1/${query}`, { key, lens: true })).body.detail).toMatch(
      /uses texts, which this key hides/,
    );
});
