/** Leaks: found and unfound rows, comparison with the reference, and rates of false positives. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExhaustive, runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { Figure } from './figure.ts';
import { filler, journal, listed } from './fill.ts';
import { EVERYTHING, type Trade } from './reference.ts';
import * as reference from './reference-leaks.ts';
import { TRADERS, type Trader, uniform, writeTrader } from './traders.ts';
import { wideQuestion } from './widened.ts';

async function leaksOf(trades: Partial<Trade>[], query = 'sections=leaks') {
  const world = new World();
  filler(world)(journal({}, listed(...trades)));
  const { body } = await world.ask(`/v1/analytics/summary?${query}`, {
    key: world.key(),
  });
  return body.data.leaks;
}

/** Random results of 50 and -50, each with further fields. */
function plain(
  count: number,
  more: (i: number) => Partial<Trade> = () => ({}),
): Partial<Trade>[] {
  const next = uniform(4);
  return Array.from({ length: count }, (_, i) => ({
    gross_pnl: next() < 0.5 ? 50 : -50,
    ...more(i),
  }));
}

const sumOf = (trades: Partial<Trade>[]) =>
  trades.reduce((sum, { gross_pnl }) => sum + (gross_pnl as number), 0);

describe('a row is found', () => {
  const bad: Partial<Trade>[] = Array.from({ length: 40 }, (_, i) => ({
    gross_pnl: i % 2 ? -60 : -140,
    tags: ['fomo'],
    mistakes: ['chased'],
  }));
  // Mixed, so that no hour, weekday or place in a sequence has most of them.
  const mixed = plain(240);
  for (const [i, trade] of bad.entries()) mixed.splice(7 * i, 0, trade);
  const others = sumOf(plain(240));

  test('for a costly tag: with its figures, once, although the same trades have a mistake', async () => {
    const { tried, found, near_copies, reason, costs } = await leaksOf(mixed);
    expect(costs).toEqual([
      {
        by: { tag: 'fomo' },
        trades: 40,
        net_pnl: -4000,
        expectancy: -100,
        expectancy_rest: Number((others / 240).toFixed(8)),
        net_pnl_without: others,
      },
    ]);
    expect({ found, near_copies, reason }).toEqual({
      found: 2,
      near_copies: 1,
      reason: null,
    });
    expect(tried).toBeGreaterThan(20);
  });

  test('for the most profitable tag, with opposite signs', async () => {
    const good = mixed.map((trade) => ({
      ...trade,
      gross_pnl: -(trade.gross_pnl as number),
    }));
    const { costs, gains } = await leaksOf(good);
    expect(costs).toEqual([]);
    expect(gains.map(({ by }: any) => by)).toEqual([{ tag: 'fomo' }]);
  });

  test('only in the trades that the filters select', async () => {
    const { found, tried } = await leaksOf(
      mixed.map((trade) => ({ ...trade, symbol: trade.tags ? 'MSFT' : 'AAPL' })),
      'sections=leaks&symbol=AAPL',
    );
    expect(found).toBe(0);
    expect(tried).toBeGreaterThan(0);
  });

  test('as a pair, if a setup costs only on one side', async () => {
    const next = uniform(6);
    const trades = plain(400).map((trade) => {
      const [setup, side] = [
        next() < 0.5 ? 'gap' : 'fade',
        next() < 0.5 ? 'long' : 'short',
      ];
      const shift = (setup === 'gap') === (side === 'short') ? -60 : 60;
      return { setup, side, gross_pnl: (trade.gross_pnl as number) + shift };
    });
    const { costs, gains } = await leaksOf(trades);
    const by = (rows: { by: object }[]) =>
      rows.map((row) => Object.values(row.by).join(' ')).sort();
    expect(by(costs)).toEqual(expect.arrayContaining(['fade long', 'gap short']));
    expect(by(gains)).toEqual(expect.arrayContaining(['fade short', 'gap long']));
    const some = trades.filter(({ setup, side }) => setup === 'gap' && side === 'short');
    expect(costs).toContainEqual(
      expect.objectContaining({ trades: some.length, net_pnl: sumOf(some) }),
    );
  });

  test('never by a consequence of the result, nor by groups of single trades', async () => {
    const trades = plain(300).map((trade) => ({
      ...trade,
      initial_risk: 50,
      rating: sumOf([trade]) > 0 ? 5 : 1,
    }));
    expect(await leaksOf(trades)).toMatchObject({ found: 0, costs: [], gains: [] });
  });
});

describe('no row is found', () => {
  test('with fewer than 20 trades or 5 days: a reason if no row remains', async () => {
    const reason =
      'no row with 20 closed trades on 5 days, and other trades; choose a longer period';
    const none = { tried: 0, found: 0, near_copies: 0, reason, costs: [], gains: [] };
    expect(await leaksOf([])).toEqual(none);
    expect(
      await leaksOf(plain(39, () => ({ closed_at: '2026-11-16T10:00:00.000Z' }))),
    ).toEqual(none);
    const onFourDays = (i: number) => ({
      closed_at: `2026-11-1${6 + (i % 4)}T10:00:00.000Z`,
      setup: i < 30 ? 'gap' : 'fade',
    });
    expect(await leaksOf(plain(60, onFourDays))).toEqual(none);
    const onFiveDays = (i: number) => ({
      ...onFourDays(i),
      closed_at: `2026-11-1${5 + (i % 5)}T10:00:00.000Z`,
    });
    expect(await leaksOf(plain(60, onFiveDays))).toMatchObject({ reason: null });
  });

  test('if all results are equal', async () => {
    const alike = plain(200, (i) => ({ gross_pnl: 5, side: i % 2 ? 'long' : 'short' }));
    expect(await leaksOf(alike)).toMatchObject({
      found: 0,
      reason: null,
      costs: [],
      gains: [],
    });
  });

  test('unless the section is named', async () => {
    expect(await leaksOf(plain(50), '')).toBeUndefined();
  });
});

test('the same request gives the same response', async () => {
  const world = new World();
  writeTrader(
    world.db,
    { draw: 'trend follower', trades: 300, alike: 0.3, accounts: 2, afterLoss: 1 },
    1,
  );
  const again = async () =>
    (await world.ask('/v1/analytics/summary?sections=leaks', { key: world.key() })).body;
  expect(await again()).toEqual(await again());
});

test('leaks equal those of the reference', async () => {
  const world = new World();
  const fill = filler(world);
  const key = world.key();
  let [found, settled, open] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(wideQuestion(120, 'leaks'), async ({ journal, chosen, query }) => {
      fill(journal);
      const { body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
      const { leaks } = body.data;
      const {
        tried,
        shown,
        found: bounds,
        lists,
      } = reference.leaks(journal, EVERYTHING, chosen);
      expect(leaks.tried).toBe(tried);
      expect(leaks.found).toBeGreaterThanOrEqual(bounds[0]);
      expect(leaks.found).toBeLessThanOrEqual(bounds[1]);
      if (leaks.found > 0) found++;
      if (lists) {
        settled++;
        const { costs, gains, near_copies } = leaks;
        expect({ costs, gains, near_copies }).toEqual(Figure.settle(lists, leaks));
        return;
      }
      open++;
      for (const row of [...leaks.costs, ...leaks.gains]) {
        const same = shown.find(
          ({ by }) => JSON.stringify(by) === JSON.stringify(row.by),
        );
        expect(row).toEqual(Figure.settle(same, row));
      }
    }),
    { numRuns: runs(24, 4) },
  );
  // A few journals may all have too few trades.
  if (isExhaustive) expect([found > 0, settled > open]).toEqual([true, true]);
}, 600_000);

// 200 journals with `npm run test:long`; bench/leaks.ts prints the table in bench/accuracy.md.
const ALL = runs(200) === 200;

describe('rates of found rows', () => {
  const shownOf = async (
    journals: number,
    trader: Trader,
    isFound: (row: any) => boolean,
  ) => {
    const world = new World();
    const key = world.key();
    let found = 0;
    for (let seed = 0; seed < journals; seed++) {
      writeTrader(world.db, trader, seed);
      const { leaks } = (await world.ask('/v1/analytics/summary?sections=leaks', { key }))
        .body.data;
      if ([...leaks.costs, ...leaks.gains].some(isFound)) found++;
    }
    return found;
  };
  const kinds = Object.keys(TRADERS).flatMap((draw) => [
    { draw, alike: 0, accounts: 1 },
    { draw, alike: 0.3, accounts: 1 },
    { draw, alike: 0.3, accounts: 3 },
  ]);

  // 0.06 of 1 journal is expected to show a row.
  const [journals, most] = ALL ? [200, 20] : [1, 1];
  test.each(ALL ? kinds : kinds.slice(0, 2))(
    '$draw, days alike $alike, in $accounts accounts: at most a tenth of journals without an effect show a row',
    async (kind) => {
      const trades = ALL ? 1000 : 200;
      expect(
        await shownOf(journals, { ...kind, trades }, () => true),
      ).toBeLessThanOrEqual(most);
    },
    1_200_000,
  );

  const [some, least] = ALL ? [50, 40] : [1, 1];
  test('half a standard deviation in a fifth of the trades is found', async () => {
    const trader = {
      draw: 'normal results',
      alike: 0.3,
      trades: 1000,
      angry: ALL ? 0.5 : 0.8,
    };
    expect(
      await shownOf(some, trader, ({ by }) => by.emotion === 'angry'),
    ).toBeGreaterThanOrEqual(least);
  }, 600_000);

  test('a habit after a loss is found, and nothing after losses on days that are merely alike', async () => {
    const isAfter = ({ by }: any) =>
      by.after !== undefined || by.streak !== undefined || by.losses_today !== undefined;
    const trader = { draw: 'normal results', trades: ALL ? 1000 : 600 };
    expect(
      await shownOf(some, { ...trader, afterLoss: ALL ? 0.5 : 1 }, isAfter),
    ).toBeGreaterThanOrEqual(least);
    expect(await shownOf(some, { ...trader, alike: 0.5 }, isAfter)).toBeLessThanOrEqual(
      some - least,
    );
  }, 600_000);
});
