/** Warnings about rows: labels that state the result, rows with the same trades, one large trade, misspelt labels. */
import { expect, test } from 'vitest';
import { ROWS, tradeRow, World } from '../../helpers.ts';
import { eachDay, filler, journal } from './fill.ts';
import type { Trade } from './reference.ts';

async function analytics(trades: Partial<Trade>[], query: string) {
  const world = new World();
  filler(world)(journal({}, eachDay(...trades)));
  const path = `/v1/analytics/summary?sections=groups,breakdowns&${query}`;
  return (await world.ask(path, { key: world.key() })).body;
}

const times = (n: number, trade: Partial<Trade>) => Array<Partial<Trade>>(n).fill(trade);

const LOSS = { gross_pnl: -10 };
const WIN = { gross_pnl: 10 };

const marked = async (trades: Partial<Trade>[], by: string) => {
  const { data } = await analytics(trades, `group_by=${by}`);
  return data.groups
    .filter((row: any) => row.by_definition)
    .map((row: any) => Object.values(row.by).join(' '));
};

test.each<
  [
    what: string,
    label: string[],
    labelled: [n: number, wins: number],
    others: [n: number, wins: number],
  ]
>([
  ['all of 20 lose', ['moved'], [20, 0], [20, 10]],
  ['19 of 20 lose', ['moved'], [20, 1], [20, 10]],
  ['all win', ['moved'], [20, 20], [20, 13]],
  ['18 of 20 lose', [], [20, 2], [20, 10]],
  ['all of 19 lose', [], [19, 0], [20, 10]],
  ['the others lose, too', [], [20, 0], [20, 6]],
  ['the others lose less', ['moved'], [20, 0], [20, 7]],
  ['no others', [], [20, 0], [0, 0]],
])('a label states the result: %s', async (_, expected, labelled, others) => {
  const trades = ([n, wins]: [number, number], more: Partial<Trade>) => [
    ...times(wins, { ...WIN, ...more }),
    ...times(n - wins, { ...LOSS, ...more }),
  ];
  const all = [
    ...trades(labelled, { tags: ['moved'], setup: 'moved' }),
    ...trades(others, {}),
  ];
  expect(await marked(all, 'tag')).toEqual(expected);
  // What is known at entry is a finding, and two dimensions choose trades.
  expect(await marked(all, 'setup')).toEqual([]);
  expect(await marked(all, 'tag,side')).toEqual([]);
});

test('rows with nine tenths of the same trades name each other', async () => {
  const trades = [
    ...times(18, { ...WIN, mistakes: ['fomo', 'chased', 'late'] }),
    ...times(2, { ...LOSS, mistakes: ['fomo'] }),
    ...times(2, { ...LOSS, mistakes: ['chased'] }),
    ...times(5, { ...LOSS, mistakes: ['late'] }),
  ];
  const { data } = await analytics(trades, 'group_by=mistake');
  const same = data.groups.map((row: any) => [row.by.mistake, row.same_trades_as]);
  expect(Object.fromEntries(same)).toEqual({
    fomo: ['chased'],
    chased: ['fomo'],
    late: undefined,
  });
});

test('one trade over half of the net is named by its share, in every row', async () => {
  const nets = (...all: number[]) =>
    all.map((gross_pnl) => ({ gross_pnl, setup: 'gap' }));
  const shareOf = async (...all: number[]) => {
    const { data } = await analytics(nets(...all), 'group_by=setup');
    expect(data.breakdowns.setup[0].largest_share).toBe(data.groups[0].largest_share);
    return data.groups[0].largest_share;
  };
  expect(await shareOf(600, 300, 100)).toBe(0.6);
  expect(await shareOf(500, 500)).toBeUndefined();
  expect(await shareOf(900, -800)).toBe(9);
  expect(await shareOf(-900, 300)).toBe(1.5);
  expect(await shareOf(900)).toBeUndefined();
  expect(await shareOf(900, -900)).toBeUndefined();
});

test('labels one letter apart are named once, if one is rare', async () => {
  const hintOf = async (field: 'setup' | 'symbol', ...counts: [string, number][]) => {
    const trades = counts.flatMap(([label, n]) => times(n, { ...WIN, [field]: label }));
    return (await analytics(trades, `group_by=${field}`)).hint;
  };
  expect(await hintOf('setup', ['Trend pullback', 20], ['trend pulback', 2])).toBe(
    'The setup "trend pulback" (2) is one letter from "Trend pullback" (20).',
  );
  expect(await hintOf('setup', ['breakout', 10], ['breakaut', 1])).toContain(
    '"breakaut" (1)',
  );
  expect(await hintOf('setup', ['breakout', 9], ['breakaut', 1])).toBeUndefined();
  expect(await hintOf('setup', ['breakout', 10], ['break out', 1])).toBeUndefined();
  expect(await hintOf('setup', ['setup 1', 10], ['setup 2', 1])).toBeUndefined();
  expect(await hintOf('setup', ['gaps', 10], ['gap', 1])).toBeUndefined();
  expect(await hintOf('setup', ['breakout', 10], ['breakoutss', 1])).toBeUndefined();
  expect(await hintOf('symbol', ['GOOGL', 10], ['GOOGA', 1])).toBeUndefined();
});

test('no rows by trades, if only trade groups have entries', async () => {
  const world = new World();
  const at = '2026-11-10T14:30:00.000Z';
  const { table, row } = ROWS['trade-groups']!('spread', at);
  world.insert(table, row);
  world.insert('trades', tradeRow('leg', { group_id: 'spread' }));
  const rules = '[{"rule":"size","followed":false}]';
  world.insert('group_journals', { id: 'k', group_id: 'spread', phase: 'review', rules });
  const ask = async (query: string) => {
    const path = `/v1/analytics/summary?sections=groups&group_by=rule&${query}`;
    return (await world.ask(path, { key: world.key() })).body;
  };
  expect(await ask('unit=trade')).toMatchObject({
    data: { groups: [] },
    hint: expect.stringContaining('unit=position also counts labels and journal entries'),
  });
  const { data, hint } = await ask('unit=position');
  expect([data.groups.length, hint]).toEqual([1, undefined]);
});
