/** /v1/labels: each value is valid for its filter, and its count equals the filter's matches. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { runs } from '../effort.ts';
import { tradeRow, World } from '../helpers.ts';

const labelsOf = async (world: World, key: string) => {
  const { status, body } = await world.ask('/v1/labels', { key });
  expect(status).toBe(200);
  return body.data;
};

test('an empty journal has none', async () => {
  const world = new World();
  expect(await labelsOf(world, world.key())).toEqual({
    accounts: [],
    symbols: [],
    underlyings: [],
    setups: [],
    tags: [],
    mistakes: [],
    emotions: [],
    rules: [],
    fields: [],
  });
});

test('one label in its most frequent spelling, most used first, with the day it was last used', async () => {
  const world = new World({ timezone: 'America/New_York' });
  world.insert(
    'trades',
    tradeRow('a', {
      executed_at: '2026-11-10T02:00:00.000Z',
      tags: '["Fomo","fomo","x"]',
      account: 'Main',
    }),
    tradeRow('b', {
      executed_at: '2026-11-11T15:00:00.000Z',
      tags: '["FOMO"]',
      symbol: 'SPY P400',
      underlying: 'SPY',
    }),
    tradeRow('c', {
      executed_at: '2026-11-12T02:00:00.000Z',
      tags: '["FOMO","Ä"]',
      setup: 'Gap',
      mistakes: '["Late"]',
    }),
    tradeRow('d', {
      executed_at: '2026-11-09T15:00:00.000Z',
      tags: '["ä"]',
      symbol: 'SPY',
      status: 'open',
    }),
  );
  const entry = { trade_id: 'd', phase: 'review' };
  world.insert(
    'trade_journals',
    {
      ...entry,
      id: '1',
      created_at: '2026-11-10T02:00:00.000Z',
      mistakes: '["late"]',
      emotions: '["calm"]',
    },
    {
      ...entry,
      id: '2',
      created_at: '2026-11-13T02:00:00.000Z',
      mistakes: '["LATE"]',
      emotions: '["Calm"]',
      rules: '[{"rule":"Wait","followed":true},{"rule":"wait","followed":null}]',
    },
  );
  const data = await labelsOf(world, world.key());
  expect(data.tags).toEqual([
    { value: 'FOMO', count: 3, last_used: '2026-11-11' },
    { value: 'Ä', count: 2, last_used: '2026-11-11' },
    { value: 'x', count: 1, last_used: '2026-11-09' },
  ]);
  expect(data.mistakes).toEqual([{ value: 'LATE', count: 2, last_used: '2026-11-11' }]);
  expect(data.underlyings.map(({ value, count }: any) => [value, count])).toEqual([
    ['AAPL', 2],
    ['SPY', 2],
  ]);
  expect(data.symbols.map(({ value }: any) => value)).toEqual([
    'AAPL',
    'SPY',
    'SPY P400',
  ]);
  expect(data.setups).toEqual([{ value: 'Gap', count: 1, last_used: '2026-11-11' }]);
  expect(data.accounts).toEqual([{ value: 'Main', count: 1, last_used: '2026-11-09' }]);
  expect(data.emotions).toEqual([{ value: 'Calm', count: 2, last_used: '2026-11-12' }]);
  expect(data.rules).toEqual([{ value: 'Wait', count: 1, last_used: '2026-11-12' }]);
});

test("labels of journal entries need the scope journals:read, and other users' labels are never shown", async () => {
  const world = new World();
  world.addUser('you');
  world.insert('trades', tradeRow('a'), {
    ...tradeRow('a', { tags: '["theirs"]' }),
    user_id: 'you',
  });
  world.insert(
    'trade_journals',
    { id: '1', trade_id: 'a', phase: 'review', emotions: '["calm"]' },
    {
      user_id: 'you',
      id: '1',
      trade_id: 'a',
      phase: 'review',
      emotions: '["theirs"]',
      mistakes: '["theirs"]',
    },
  );
  const data = await labelsOf(world, world.key(['trades:read']));
  expect(data).toMatchObject({
    tags: [],
    mistakes: [],
    emotions: null,
    rules: null,
    withheld: ['journals:read', 'sessions:read', 'reviews:read'],
  });
  const whole = await labelsOf(world, world.key(ALL_SCOPES));
  expect(whole.emotions.map(({ value }: any) => value)).toEqual(['calm']);
  expect(JSON.stringify(whole)).not.toContain('theirs');
});

test('at most 200 of each, also from more records than one stride', async () => {
  const world = new World();
  world.db.transaction(() => {
    for (let i = 0; i < 2500; i++) {
      const at = new Date(Date.parse('2026-01-01T00:00:00Z') + i * 60_000).toISOString();
      const more =
        i % 700 === 0
          ? { tags: JSON.stringify(['rare', 'z'.repeat(i === 1400 ? 200_000 : 5000)]) }
          : {};
      world.insert(
        'trades',
        tradeRow(`t${i}`, {
          executed_at: at,
          symbol: `S${i % 260}`,
          account: 'main',
          ...more,
        }),
      );
    }
  })();
  const data = await labelsOf(world, world.key());
  expect(data.symbols).toHaveLength(200);
  expect(data.accounts[0]).toMatchObject({ value: 'main', count: 2500 });
  expect(data.tags[0]).toMatchObject({ value: 'rare', count: 4 });
  expect(data.symbols[0]).toMatchObject({ value: 'S0', count: 10 });
});

test('top limits each kind', async () => {
  const world = new World();
  world.insert(
    'trades',
    tradeRow('a', { tags: '["x","y"]' }),
    tradeRow('b', { tags: '["y","z"]', symbol: 'MNQ' }),
  );
  const ask = async (top: string) =>
    (await world.ask(`/v1/labels?top=${top}`, { key: world.key() })).body;
  const { data } = await ask('1');
  expect([data.tags, data.symbols.length]).toEqual([
    [expect.objectContaining({ value: 'y', count: 2 })],
    1,
  ]);
  expect((await ask('1000')).data.tags).toHaveLength(3);
  expect((await ask('0')).detail).toBe(
    'top must be a whole number of at least 1, such as 5; got "0"',
  );
});

test('a record with labels larger than a response is named', async () => {
  const world = new World();
  world.insert(
    'trades',
    tradeRow('huge', { tags: JSON.stringify(['x'.repeat(7_600_000)]) }),
  );
  const { status, body } = await world.ask('/v1/labels', { key: world.key() });
  expect([status, body.code]).toEqual([422, 'answer_too_large']);
  expect(body.detail).toContain('the record huge of trades');
});

const FILTERS = {
  accounts: 'account',
  symbols: 'symbol',
  underlyings: 'underlying',
  setups: 'setup',
  tags: 'tag',
  mistakes: 'mistake',
};

test("the count of a label equals its filter's matches", async () => {
  const word = fc.constantFrom(
    'fomo',
    'FOMO',
    'über',
    'ÜBER',
    'Über',
    'x',
    'ΟΔΟΣ',
    'οδος',
  );
  const words = fc.array(word, { maxLength: 3 });
  const trade = fc.record({
    account: fc.option(word),
    symbol: word,
    underlying: fc.option(word),
    setup: fc.option(word),
    tags: words,
    mistakes: words,
    noted: fc.array(words, { maxLength: 2 }),
  });
  const world = new World();
  const key = world.key();
  await fc.assert(
    fc.asyncProperty(fc.array(trade, { minLength: 1, maxLength: 6 }), async (rows) => {
      world.db.exec('DELETE FROM trade_journals; DELETE FROM trades');
      for (const [i, { tags, mistakes, noted, ...row }] of rows.entries()) {
        const lists = { tags: JSON.stringify(tags), mistakes: JSON.stringify(mistakes) };
        world.insert('trades', tradeRow(`t${i}`, { ...row, ...lists }));
        const entry = { trade_id: `t${i}`, phase: 'review' };
        for (const [j, list] of noted.entries()) {
          const labels = JSON.stringify(list);
          world.insert('trade_journals', {
            ...entry,
            id: `${i}-${j}`,
            mistakes: labels,
            emotions: labels,
          });
        }
      }
      const data = await labelsOf(world, key);
      const expectFound = async (list: string, name: string, { value, count }: any) => {
        const { body } = await world.ask(
          `/v1/${list}?${name}=${encodeURIComponent(value)}&fields=id`,
          { key },
        );
        expect([name, value, body.data.length]).toEqual([name, value, count]);
      };
      for (const [kind, name] of Object.entries(FILTERS)) {
        for (const label of data[kind]) await expectFound('trades', name, label);
      }
      for (const label of data.emotions)
        await expectFound('trade-journals', 'emotion', label);
    }),
    { numRuns: runs(40, 12) },
  );
});
