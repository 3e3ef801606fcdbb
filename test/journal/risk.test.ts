/** The risk and R of a trade, in the table, responses and figures, compared with a second computation in exact fractions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stopProblem } from '../../src/journal/derived-trade.ts';
import { runs } from '../effort.ts';
import { tradeRow, World } from '../helpers.ts';
import { Exact } from './analytics/exact.ts';
import { trade as plainTrade } from './analytics/fill.ts';
import { riskOf } from './analytics/reference.ts';

const cents = (min: number, max: number) => fc.integer({ min, max }).map((n) => n / 100);

const anyTrade = fc.record({
  side: fc.constantFrom('long', 'short'),
  status: fc.constantFrom<('open' | 'closed')[]>('closed', 'closed', 'open'),
  entry_price: cents(-10_000, 1_000_000),
  distance: fc.oneof(cents(-10_000, 10_000), fc.constantFrom(0, 0.01, 1e-6, 1e-8)),
  hasStop: fc.constantFrom(true, true, false),
  quantity: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constantFrom(0.15, 0.3, 1e-4)),
  multiplier: fc.constantFrom(1, 2, 12.5, 100, 0.01),
  gross_pnl: cents(-100_000, 100_000),
  fees: cents(0, 500),
  initial_risk: fc.option(cents(1, 100_000), { freq: 2 }),
});

const isNear = (a: number | null, b: number | null, noise = 0) =>
  a === null || b === null
    ? a === b
    : Math.abs(a - b) <= 1e-6 + Math.abs(b) * 1e-9 + noise;

interface StoredRisk {
  id: string;
  risk: number | null;
  r_multiple: number | null;
}

/** Equal up to the last of 8 decimals, which binary noise of a price times a quantity of thousands may reach. */
const isSameMoney = (a: number | null, b: number | null, noise = 0) =>
  a === null || b === null
    ? a === b
    : Math.abs(a - b) <= 1.01e-8 * Math.max(1, Math.abs(b) / 1e6) + noise;

/** Money that the last binary digit of a price makes, times quantity and contract size. */
const noiseOf = ({ entry_price, quantity, multiplier }: AnyTrade) =>
  Math.abs(entry_price) * Number.EPSILON * quantity * multiplier;

/** Without stops that are nearer to the price than its binary noise allows to tell. */
const exactTrade = anyTrade.filter(
  ({ entry_price, distance }) =>
    distance === 0 || Math.abs(distance) > Math.abs(entry_price) * 1e-9,
);

type AnyTrade = typeof anyTrade extends fc.Arbitrary<infer T> ? T : never;

const rounded = ({ entry_price, distance }: AnyTrade) =>
  Number((entry_price - distance).toFixed(8));

function rowOf(id: string, one: AnyTrade) {
  const { distance: _, hasStop, ...facts } = one;
  const closed_at = one.status === 'closed' ? '2026-11-10T16:00:00.000Z' : null;
  return tradeRow(id, {
    ...facts,
    closed_at,
    exit_price: null,
    stop_loss: hasStop ? rounded(one) : null,
  });
}

test('risk and R equal those of a second computation, in the table, the list and the figures', {
  timeout: 600_000,
}, async () => {
  const world = new World();
  const key = world.key();
  const seen = { stop: 0, wrong: 0, stated: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(exactTrade, { minLength: 1, maxLength: 12 }),
      async (trades) => {
        world.db.exec('DELETE FROM trades');
        const rows = trades.map((one, i) => rowOf(`t${i}`, one));
        world.insert('trades', ...rows);
        const expected = rows.map((row) => {
          const risk = riskOf(plainTrade(String(row['id']), row));
          const net = Exact.of(row['gross_pnl'] as number).minus(
            Exact.of(row['fees'] as number),
          );
          return {
            id: row['id'],
            risk: risk?.toNumber() ?? null,
            r: risk && row['status'] === 'closed' ? net.over(risk) : null,
          };
        });
        const stored = world.db
          .prepare('SELECT id, risk, r_multiple FROM trades ORDER BY rowid')
          .all() as StoredRisk[];
        const { body } = await world.ask('/v1/trades?limit=100&fields=risk,r_multiple', {
          key,
        });
        const listed = new Map((body.data as StoredRisk[]).map((one) => [one.id, one]));
        for (const [i, { id, risk, r }] of expected.entries()) {
          const own = listed.get(String(id)) as StoredRisk;
          expect([id, own.risk]).toEqual([id, stored[i]?.risk]);
          const ofPrice = noiseOf(trades[i] as AnyTrade);
          expect([id, isSameMoney(own.risk, risk, ofPrice)]).toEqual([id, true]);
          // A risk between two amounts of 8 decimals may become either.
          const noise = risk
            ? (Math.abs(r?.toNumber() ?? 0) * (1.01e-8 + ofPrice)) / risk
            : 0;
          expect([id, isNear(own.r_multiple, r?.toNumber() ?? null, noise)]).toEqual([
            id,
            true,
          ]);
          const row = rows[i] as any;
          const isWrong = stopProblem(row) !== undefined;
          if (row.initial_risk !== null) seen.stated++;
          else if (isWrong) seen.wrong++;
          else if (row.stop_loss !== null) seen.stop++;
          if (row.initial_risk === null && isWrong) expect(risk).toBeNull();
        }
        const { body: figures } = await world.ask('/v1/analytics/summary', { key });
        const counted = stored.flatMap((one) => one.r_multiple ?? []);
        const { r_sample, total_r } = figures.data.performance;
        expect(r_sample).toBe(counted.length);
        const total =
          counted.length === 0 ? null : counted.reduce((sum, r) => sum + r, 0);
        expect([total_r, isNear(total_r, total)]).toEqual([total_r, true]);
      },
    ),
    { numRuns: runs(60) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

test.each<[string, Record<string, unknown>, number | null]>([
  ['a stop below a long', { stop_loss: 95, quantity: 10 }, 50],
  [
    'a stop above a short',
    { side: 'short', stop_loss: 100.25, quantity: 3, multiplier: 50 },
    37.5,
  ],
  ['a stop above a long', { stop_loss: 105 }, null],
  ['a stop below a short', { side: 'short', stop_loss: 95 }, null],
  ['a stop at the entry', { stop_loss: 100 }, null],
  ['the stated risk, with any stop', { stop_loss: 105, initial_risk: 7 }, 7],
  ['neither', {}, null],
  ['float noise', { entry_price: 0.3, stop_loss: 0.1, quantity: 3 }, 0.6],
  ['the smallest amount of money', { entry_price: 1.00000001, stop_loss: 1 }, 1e-8],
  ['less than that', { entry_price: 1.00000001, stop_loss: 1, quantity: 0.4 }, null],
  ['prices below 0', { entry_price: -3, stop_loss: -5, multiplier: 1000 }, 2000],
  [
    'the largest prices, quantity and multiplier',
    { entry_price: 9e14, stop_loss: -9e14, quantity: 9e17, multiplier: 9e11 },
    1.458e45,
  ],
])('the risk of a trade with %s', async (_, facts, risk) => {
  const world = new World();
  world.insert('trades', tradeRow('t', { gross_pnl: 21, ...facts }));
  const { data } = (await world.ask('/v1/trades/t', { key: world.key() })).body;
  expect(isNear(data.risk, risk)).toBe(true);
  expect(data.r_multiple === null).toBe(risk === null);
});

test("a group's risk is its own, not the sum of its legs' risks", async () => {
  const world = new World();
  const group = {
    kind: 'custom',
    market: 'stock',
    status: 'closed',
    currency: 'USD',
    name: 'G',
  };
  const times = {
    opened_at: '2026-11-10T14:30:00.000Z',
    closed_at: '2026-11-10T16:00:00.000Z',
  };
  world.insert('trade_groups', { id: 'g', ...group, ...times });
  world.insert('trades', tradeRow('t', { gross_pnl: 10, stop_loss: 95, group_id: 'g' }));
  const key = world.key();
  const { body: groups } = await world.ask('/v1/trade-groups', { key });
  expect(groups.data[0]).toMatchObject({ initial_risk: null, r_multiple: null });
  const sampleOf = async (unit: string) =>
    (await world.ask(`/v1/analytics/summary?unit=${unit}`, { key })).body.data.performance
      .r_sample;
  expect([await sampleOf('trade'), await sampleOf('position')]).toEqual([1, 0]);
});
