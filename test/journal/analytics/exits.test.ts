/** Exits: computed by hand, compared with the reference, and relations between figures. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExhaustive, runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { Figure } from './figure.ts';
import { filler, journal, listed } from './fill.ts';
import { EVERYTHING, type Journal, type Trade } from './reference.ts';
import * as reference from './reference-exits.ts';
import { wideQuestion } from './widened.ts';

async function exitsOf(trades: Partial<Trade>[], query = 'sections=exits') {
  const world = new World();
  filler(world)(journal({}, listed(...trades)));
  const { body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key: world.key(),
  });
  return body.data.exits;
}

/** Thirty equal trades. */
const many = (trade: Partial<Trade>) =>
  Array<Partial<Trade>>(30).fill({ initial_risk: 100, mae: -20, mfe: 20, ...trade });

const at = (rows: { r: number; total_r: number }[], r: number) =>
  rows.find((row) => row.r === r)?.total_r;
const both = (exits: any, target: number, stop: number) => {
  const { low, high } = exits.both.find(
    (row: any) => row.target === target && row.stop === stop,
  );
  return [low, high];
};

test('winners with twice the profit at best kept half, and a target of 1.5 R would have paid', async () => {
  const exits = await exitsOf(many({ gross_pnl: 110, fees: 10, mae: -40, mfe: 200 }));
  expect(exits).toMatchObject({
    sample: 30,
    reason: null,
    total_r: 30,
    kept: { mean: 0.5, median: 0.5 },
    heat: { mean_r: 0.4, median_r: 0.4 },
    gave_back: { half_r: { trades: 0, net_pnl: 0 }, one_r: { trades: 0, net_pnl: 0 } },
  });
  // Minus 0.1 R of fees.
  expect(exits.targets).toEqual([
    { r: 0.5, total_r: 12 },
    { r: 1, total_r: 27 },
    { r: 1.5, total_r: 42 },
    { r: 2, total_r: 57 },
    { r: 2.5, total_r: 30 },
    { r: 3, total_r: 30 },
  ]);
  expect(exits.stops.map(({ total_r }: any) => total_r)).toEqual([
    30,
    30,
    30,
    null,
    null,
  ]);
});

test('losers with a profit of 0.6 R at best gave it back', async () => {
  const exits = await exitsOf(many({ gross_pnl: -120, mae: -120, mfe: 60 }));
  expect(exits).toMatchObject({
    total_r: -36,
    kept: null,
    heat: null,
    gave_back: {
      half_r: { trades: 30, net_pnl: -3600 },
      one_r: { trades: 0, net_pnl: 0 },
    },
  });
  expect(exits.stops.map(({ total_r }: any) => total_r)).toEqual([
    -15,
    -22.5,
    -30,
    null,
    null,
  ]);
  expect(at(exits.targets, 0.5)).toBe(15);
  // No loser reached it.
  expect(at(exits.targets, 1)).toBeNull();
  expect(both(exits, 1, 0.5)).toEqual([null, null]);
});

test('the order of target and stop is unknown: both bounds are in the response', async () => {
  const exits = await exitsOf(many({ gross_pnl: 30, mae: -80, mfe: 160 }));
  expect(both(exits, 1.5, 0.75)).toEqual([-22.5, 45]);
  expect(both(exits, 1.5, 1)).toEqual([45, 45]);
  expect(both(exits, 2, 0.5)).toEqual([-15, -15]);
  expect(both(exits, 2, 1)).toEqual([9, 9]);
});

test('trades from candles may have gone further than mae and mfe', async () => {
  const from = { gross_pnl: 30, mae: -80, mfe: 160 };
  const some = [
    ...many(from),
    { ...from, initial_risk: 100, mae_bound: -80, mfe_bound: 160 },
  ];
  const further = [{ mae_bound: -81 }, { mfe_bound: 161 }].map((own) => ({
    ...from,
    initial_risk: 100,
    ...own,
  }));
  expect(await exitsOf([...some, ...further])).toMatchObject({
    sample: 33,
    uncertain: 2,
  });
});

test('mae may have either sign', async () => {
  const trade = { gross_pnl: 30, mfe: 60 };
  expect(await exitsOf(many({ ...trade, mae: 70 }))).toEqual(
    await exitsOf(many({ ...trade, mae: -70 })),
  );
});

test('a trade went at least as far as its result', async () => {
  const gain = await exitsOf(many({ gross_pnl: 150, mae: 0, mfe: 40 }));
  expect(gain.kept).toEqual({ mean: 1, median: 1 });
  expect(at(gain.targets, 1.5)).toBe(45);
  const loss = await exitsOf(many({ gross_pnl: -150, mae: -10, mfe: 0 }));
  expect(at(loss.stops, 1)).toBe(-30);
});

test('a winner kept at most all, although net P&L is rounded', async () => {
  const exits = await exitsOf(many({ gross_pnl: 1.6e-8, mfe: 0 }));
  expect(exits.kept).toEqual({ mean: 1, median: 1 });
});

test('a level that was reached exactly is reached, despite binary fractions', async () => {
  const exits = await exitsOf(
    many({ gross_pnl: 0.1, initial_risk: 0.2, mae: -0.2, mfe: 0.3 }),
  );
  expect(at(exits.targets, 1.5)).toBe(45);
  expect(at(exits.stops, 1)).toBe(-30);
});

test('R is the same in another currency', async () => {
  const trade = { gross_pnl: 30, mae: -80, mfe: 160 };
  const { gave_back: _, ...own } = await exitsOf(many(trade));
  expect(await exitsOf(many({ ...trade, currency: 'EUR', fx_rate: 1.1 }))).toMatchObject(
    own,
  );
});

test('trades without mae, mfe or a risk are excluded, like positions of several legs', async () => {
  const lacking = [{ mae: null }, { mfe: null }, { initial_risk: null }];
  const some = [
    ...many({}),
    ...lacking.map((less) => ({ initial_risk: 100, mae: 0, mfe: 0, ...less })),
  ];
  expect(await exitsOf(some)).toMatchObject({ sample: 30 });
  const legs = [{ group_id: 'g' }, { group_id: 'g' }].map((more) => ({
    ...many({})[0],
    ...more,
  }));
  expect(
    await exitsOf([...many({}), ...legs], 'sections=exits&unit=position'),
  ).toMatchObject({
    sample: 30,
  });
  expect(await exitsOf([...many({}), ...legs])).toMatchObject({ sample: 32 });
});

test('with fewer than 30 trades there is a reason instead of figures; exits are included only if named', async () => {
  expect(await exitsOf(many({}).slice(1))).toEqual({
    sample: 29,
    uncertain: 0,
    reason:
      'fewer than 30 closed trades with mae, mfe and a risk; add them by "journal-api excursions" and "annotate", or choose a longer period',
    total_r: null,
    kept: null,
    heat: null,
    gave_back: null,
    targets: [],
    stops: [],
    both: [],
  });
  expect(await exitsOf(many({}), '')).toBeUndefined();
});

const mostlyKnown = (journal: Journal): Journal => ({
  ...journal,
  trades: journal.trades.map((trade, i) => {
    const { mae, mfe, initial_risk } = trade;
    return i % 6 === 0
      ? trade
      : { ...trade, mae: mae ?? -20, mfe: mfe ?? 30, initial_risk: initial_risk ?? 50 };
  }),
});

test('the exits equal those of the reference, and low never exceeds high', async () => {
  const world = new World();
  const fill = filler(world);
  const key = world.key();
  let enough = 0;
  await fc.assert(
    fc.asyncProperty(wideQuestion(80, 'exits'), async ({ journal, chosen, query }) => {
      const known = mostlyKnown(journal);
      fill(known);
      const { body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
      const { exits } = body.data;
      const expected = reference.exits(known, EVERYTHING, chosen);
      expect(exits).toEqual(Figure.settle(expected, exits));
      if (exits.reason === null) enough++;
      for (const { low, high } of exits.both)
        if (low !== null) expect(low).toBeLessThanOrEqual(high);
    }),
    { numRuns: runs(60, 6) },
  );
  // A few journals may all have too few trades.
  if (isExhaustive) expect(enough).toBeGreaterThan(5);
}, 60_000);

test.each([
  [99.99, 0],
  [100, 30],
  [100.01, 30],
])(
  'losers that were %d ahead at a risk of 100 gave back 1 R in %d trades',
  async (mfe, trades) => {
    const { gave_back } = await exitsOf(many({ gross_pnl: -120, mae: -120, mfe }));
    expect(gave_back.one_r.trades).toBe(trades);
  },
);
