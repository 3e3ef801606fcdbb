/** The list of positions: each trade group and each trade in none, counted as the figures do. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lens } from '../../src/keys/lens.ts';
import { runs } from '../effort.ts';
import { type Row, sharedByTests, tradeRow, World } from '../helpers.ts';
import { filler } from '../journal/analytics/fill.ts';
import { question } from '../journal/analytics/journals.ts';
import { allOf } from '../journal/analytics/reference.ts';

const at = (hour: number) => `2026-11-10T${hour}:00:00.000Z`;

function group(world: World, id: string, more: Row = {}): void {
  world.insert('trade_groups', {
    id,
    name: '',
    kind: 'multi_leg',
    market: 'option',
    status: 'closed',
    opened_at: at(10),
    closed_at: at(17),
    currency: 'USD',
    ...more,
  });
}

/** "+2 C540 @3": two calls of 540 bought for 3; a symbol without a strike: shares. */
function leg(
  world: World,
  id: string,
  group_id: string | null,
  text: string,
  more: Row = {},
) {
  const [size = '', what = '', price = ''] = text.split(' ');
  const [, type, strike] = /^([CP])([\d.]+)$/.exec(what) ?? [];
  const option = {
    symbol: `SPY 2026-12-18 ${what}`,
    market: 'option',
    multiplier: 100,
    underlying: 'SPY',
    expiration: '2026-12-18',
    strike: Number(strike),
    option_type: type === 'C' ? 'call' : 'put',
  };
  world.insert(
    'trades',
    tradeRow(id, {
      ...(type === undefined ? { symbol: what } : option),
      side: size.startsWith('-') ? 'short' : 'long',
      quantity: Math.abs(Number(size)),
      entry_price: Number(price.slice(1)),
      executed_at: at(10),
      closed_at: at(17),
      group_id,
      account: 'main',
      ...more,
    }),
  );
}

/** Positions of each kind. */
function trader(): World {
  const world = new World();
  group(world, 'condor', {
    strategy: 'iron condor',
    initial_risk: 700,
    opened_at: at(16),
  });
  for (const [i, text] of [
    '+2 P530 @1',
    '-2 P535 @2',
    '-2 C550 @2',
    '+2 C555 @1',
  ].entries())
    leg(world, `condor-${i}`, 'condor', text, {
      gross_pnl: 50 - i * 10,
      fees: 2,
      setup: 'range',
    });

  group(world, 'covered', { strategy: 'covered call', opened_at: at(15), name: 'Wheel' });
  leg(world, 'shares', 'covered', '+200 SPY @540', {
    gross_pnl: 100,
    fees: 1,
    tags: '["wheel"]',
  });
  leg(world, 'call', 'covered', '-2 C550 @2', {
    gross_pnl: -140,
    fees: 2,
    account: 'other',
  });

  group(world, 'ratio', {
    strategy: 'ratio',
    opened_at: at(14),
    setup: 'skew',
    rating: 4,
  });
  leg(world, 'near', 'ratio', '+2 P535 @3', { rating: 2 });
  leg(world, 'far', 'ratio', '-4 P530 @1.5', { rating: 2 });

  const open = { status: 'open', closed_at: null };
  group(world, 'scaled', { kind: 'scaled', market: 'stock', opened_at: at(13), ...open });
  leg(world, 'first', 'scaled', '+10 KO @60', { mistakes: '["Chased"]' });
  leg(world, 'second', 'scaled', '+5 KO @61', {
    status: 'open',
    closed_at: null,
    open_quantity: 5,
  });

  leg(world, 'single', null, '+3 C540 @3', {
    executed_at: at(12),
    closed_at: at(12),
    fees: 3,
  });
  leg(world, 'future', null, '-2 ESZ6 @6000', { market: 'future', multiplier: 50 });
  return world;
}

const shared = sharedByTests(async () => {
  const world = trader();
  return { world, key: world.key() };
});

const rows = async (query = '') => {
  const { world, key } = shared();
  const { body } = await world.ask(`/v1/positions?${query}`, { key });
  return body.data as Record<string, any>[];
};
const ids = async (query: string) => (await rows(query)).map(({ id }) => id).join(' ');

test('a position is told as a trader would', async () => {
  const told = (await rows()).map((row) => [
    row['name'],
    row['description'],
    row['side'],
    row['quantity'],
    row['contracts'],
    row['net_pnl'],
    row['outcome'],
  ]);
  expect(told).toEqual([
    ['SPY 2026-12-18 iron condor 530/535/550/555', null, 'credit', 2, 8, 132, 'win'],
    ['Wheel', 'SPY 2026-12-18 covered call 550', 'debit', 2, 2, -43, 'loss'],
    ['SPY 2026-12-18 put ratio 530/535', null, null, 2, 6, 2, 'win'],
    ['KO scaled', null, 'long', null, null, 2, null],
    ['SPY 2026-12-18 540 call', null, 'long', 3, 3, -2, 'loss'],
    ['ESZ6', null, 'short', 2, 2, 1, 'win'],
  ]);
});

test('what legs share is that of the position; its own labels come first', async () => {
  const [condor, covered, ratio, scaled] = await rows();
  expect(condor).toMatchObject({
    kind: 'multi_leg',
    account: 'main',
    underlying: 'SPY',
    market: 'option',
    expiration: '2026-12-18',
    status: 'closed',
    opened_at: at(16),
    closed_at: at(17),
    fees: 8,
    initial_risk: 700,
    risk: 700,
    r_multiple: 0.188571,
    setup: 'range',
    rating: null,
  });
  expect(condor?.['legs'].map(({ id, side }: Row) => `${id} ${side}`)).toEqual([
    'condor-0 long',
    'condor-1 short',
    'condor-2 short',
    'condor-3 long',
  ]);
  expect(covered).toMatchObject({
    account: null,
    market: 'option',
    tags: ['wheel'],
    setup: null,
  });
  expect(ratio).toMatchObject({ setup: 'skew', rating: 4 });
  expect(scaled).toMatchObject({ status: 'open', closed_at: null, mistakes: ['Chased'] });
});

test.each([
  ['side=credit', 'condor'],
  ['side=long', 'scaled single'],
  ['outcome=win', 'condor ratio future'],
  ['outcome=loss', 'covered single'],
  ['status=open', 'scaled'],
  ['account=OTHER', 'covered'],
  ['symbol=ko', 'scaled'],
  ['underlying=spy', 'condor covered ratio single'],
  ['market=stock', 'covered scaled'],
  ['setup=range', 'condor'],
  ['setup=skew', 'ratio'],
  ['tag=wheel', 'covered'],
  ['mistake=chased', 'scaled'],
  ['has_mistake=true', 'scaled'],
  ['group_id=covered', 'covered'],
  ['id=covered,single', 'covered single'],
  ['kind=trade', 'single future'],
  ['min_quantity=2&max_quantity=2', 'condor covered ratio future'],
  ['min_contracts=6', 'condor ratio'],
  ['min_net_pnl=100', 'condor'],
  ['q=wheel', 'covered'],
  ['q=iron', 'condor'],
  ['where={"side":"credit"}', 'condor'],
  ['where={"setup":["range","skew"]}', 'condor ratio'],
  ['where={"market":"future"}', 'future'],
  ['where={"id":["condor","single","CONDOR"]}', 'condor single'],
  ['date_field=closed_at&start=2026-11-10T11:30:00Z&end=2026-11-10T12:30:00Z', 'single'],
  ['date_field=closed_at&end=2026-11-10T12:30:00Z&sort=closed_at', 'single'],
  ['sort=net_pnl&limit=3', 'condor scaled ratio'],
])('?%s', async (query, expected) => {
  expect(await ids(query)).toBe(expected);
});

test('figures by position count the same ones', async () => {
  const { world, key } = shared();
  const figures = async (query: string) => {
    const { body } = await world.ask(
      `/v1/analytics/summary?unit=position&sections=performance,open&${query}`,
      { key },
    );
    const { performance, open } = body.data;
    return [performance.trades, performance.wins, performance.net_pnl, open.trades];
  };
  expect(await figures('')).toEqual([5, 3, 90, 1]);
  expect(await figures('outcome=win')).toEqual([3, 3, 135, 0]);
  expect(await figures('side=credit')).toEqual([1, 1, 132, 0]);
  expect(await figures('min_quantity=3')).toEqual([1, 0, -2, 0]);
  expect(await figures('min_contracts=8')).toEqual([1, 1, 132, 0]);
  expect(await figures('status=open')).toEqual([0, 0, 0, 1]);
  expect(await figures('where={"id":["condor","single"]}')).toEqual([2, 1, 130, 1]);
  expect(await figures('exclude={"id":"condor"}')).toEqual([4, 2, -42, 1]);

  const { status, body } = await world.ask('/v1/analytics/summary?side=credit', { key });
  expect([status, body.param, body.detail]).toEqual([
    400,
    'side',
    'credit is the side of a position; add unit=position',
  ]);
});

test('fees of next to no contracts, as another program may write them, are of none', async () => {
  const world = new World();
  world.insert('trades', tradeRow('t', { market: 'option', quantity: 1e-320, fees: 1 }));
  const { status, body } = await world.ask('/v1/analytics/summary?group_by=market', {
    key: world.key(),
  });
  expect([status, body.data.groups[0].fees_per_contract]).toEqual([200, null]);
});

test('rows have contracts, and fees of each', async () => {
  const { world, key } = shared();
  const { body } = await world.ask('/v1/analytics/summary?group_by=market', { key });
  const told = body.data.groups.map((row: any) => [
    row.by.market,
    row.contracts,
    row.fees_per_contract,
  ]);
  expect(told.sort()).toEqual([
    ['future', 2, 0],
    ['option', 19, 0.68421053],
    ['stock', null, null],
  ]);
});

const LENS: Lens = { accounts: ['main'], since: null, hides: [] };

test('a key that sees some legs sees no name, side, quantity or label of the whole', async () => {
  const { world } = shared();
  const key = world.key(undefined, 'me', 'key_some', LENS);
  const { body } = await world.ask('/v1/positions?id=covered', { key });
  expect(body.data[0]).toMatchObject({
    name: null,
    description: null,
    side: null,
    quantity: null,
    strategy: null,
    setup: null,
    rating: null,
    initial_risk: null,
    r_multiple: null,
    net_pnl: 99,
    contracts: null,
    legs: [{ id: 'shares' }],
  });
  for (const query of [
    'side=debit',
    'min_quantity=1&id=covered',
    'q=covered',
    'account=other',
  ])
    expect((await world.ask(`/v1/positions?${query}`, { key })).body.data, query).toEqual(
      [],
    );
});

test('hidden texts leave the name that the program makes, hidden symbols none', async () => {
  const { world } = shared();
  const named = async (hides: Lens['hides'], id: string) => {
    const key = world.key(undefined, 'me', id, { ...LENS, accounts: null, hides });
    const { body } = await world.ask('/v1/positions?kind=multi_leg', { key, lens: true });
    return body.data.map(({ name, description }: any) => [name, description]);
  };
  expect((await named(['texts'], 'key_texts'))[1]).toEqual([
    'SPY 2026-12-18 covered call 550',
    undefined,
  ]);
  expect(await named(['symbols', 'texts'], 'key_symbols')).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test('any journal: the list has the positions that figures count, with any filters', async () => {
  const world = new World();
  const fill = filler(world);
  const key = world.key();
  await fc.assert(
    fc.asyncProperty(question, async ({ journal, filters }) => {
      fill(journal);
      const query = new URLSearchParams({ ...filters, limit: '100' });
      const { body } = await world.ask(`/v1/positions?${query}`, { key });
      const listed = body.data
        .filter(({ legs }: any) => legs.length > 0)
        .map((row: any) => [
          row.kind === 'trade' ? row.id : `group ${row.id}`,
          row.side,
          row.closed_at,
          row.legs.length,
        ]);
      const expected = allOf(journal, filters, 'position').map((one) => [
        one.group_id === null ? one.id : `group ${one.group_id}`,
        one.side,
        one.closed_at,
        one.trades.length,
      ]);
      expect(listed.sort()).toEqual(expected.sort());
    }),
    { numRuns: runs(120, 10) },
  );
}, 60_000);
