/** What each execution of a trade realised. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  datedCosts,
  executionsOf,
  walkedFields,
} from '../../src/import/fills/trade-record.ts';
import { walk } from '../../src/import/fills/walk/walk.ts';
import {
  exitsOf,
  positionsAfter,
  statedGrossOf,
  withDatedCosts,
} from '../../src/journal/trade-exits.ts';
import { executionsIn } from '../../src/journal-write/trade.ts';
import { roundMoney } from '../../src/money.ts';
import type { Fill } from '../../src/statements/fill-row.ts';
import { runs } from '../effort.ts';
import { World } from '../helpers.ts';
import { makeFill } from '../import/fills/make-fill.ts';
import { Exact } from './analytics/exact.ts';
import { Figure, money } from './analytics/figure.ts';
import { filler, journal, trade } from './analytics/fill.ts';
import { anyTrade } from './analytics/journals.ts';
import { exactExits, realisedOf } from './analytics/reference-realised.ts';

/**
 * Fills a day apart from 2026-11-02, as +quantity@price or -quantity@price, with fees after a slash, then what their
 * rows state: =5 before costs, ~5 after them.
 */
function fills(text: string) {
  return text.split(' ').map((fill, day) => {
    const [, sign, quantity, price, fees = '0', gross, net] =
      /^([+-])([\d.]+)@([\d.]+)(?:\/([\d.-]+))?(?:=([\d.-]+))?(?:~([\d.-]+))?$/.exec(
        fill,
      ) ?? [];
    return {
      executed_at: `2026-11-0${day + 2}T15:00:00.000Z`,
      side: sign === '+' ? ('buy' as const) : ('sell' as const),
      quantity: Number(quantity),
      price: Number(price),
      fees: Number(fees),
      stated_gross_pnl: gross === undefined ? null : Number(gross),
      stated_net_pnl: net === undefined ? null : Number(net),
    };
  });
}

/** A trade of fills, with gross P&L and fees in total. */
function made(text: string, gross: number, fees: number, more: object = {}) {
  const executions = fills(text);
  const facts = {
    side: executions[0]!.side === 'buy' ? ('long' as const) : ('short' as const),
    executed_at: executions[0]!.executed_at,
    closed_at: executions.at(-1)!.executed_at as string | null,
    open_quantity: 0,
    multiplier: 1,
    gross_pnl: gross,
    realised_pnl: roundMoney(gross - fees),
    ...more,
  };
  return (
    exitsOf(facts, executions)?.map((exit) => [exit.gross, exit.fees, exit.net]) ?? null
  );
}

describe('exits', () => {
  test.each([
    [
      'close what was opened first',
      '+1@10 +1@20 -1@18 -1@30',
      18,
      0,
      [8, 0, 8],
      [10, 0, 10],
    ],
    ['of a short', '-1@20 -1@10 +1@18 +1@8', 4, 0, [2, 0, 2], [2, 0, 2]],
    [
      'bear their own costs and a share of those of the entry',
      '+10@10/5 -4@12/1 -6@13/2',
      26,
      8,
      [8, 3, 5],
      [18, 5, 13],
    ],
    [
      'of several entries',
      '+4@10/2 +6@20/3 -5@30/0 -5@20/0',
      90,
      5,
      [90, 2.5, 87.5],
      [0, 2.5, -2.5],
    ],
    [
      'share a cost without a fill by quantity',
      '+4@10 -1@11 -3@11',
      4,
      8,
      [1, 2, -1],
      [3, 6, -3],
    ],
    [
      'leave the remainder of rounding to the last',
      '+3@1/0.1 -1@1 -1@1 -1@1',
      0,
      0.1,
      [0, 0.03333333, -0.03333333],
      [0, 0.03333333, -0.03333333],
      [0, 0.03333334, -0.03333334],
    ],
    [
      'with a net rebate, which is P&L',
      '+2@10/-1 -1@11 -1@12',
      4,
      0,
      [1.5, 0, 1.5],
      [2.5, 0, 2.5],
    ],
    [
      'share what prices do not explain',
      '+2@10 -1@11 -1@12',
      150,
      0,
      [74.5, 0, 74.5],
      [75.5, 0, 75.5],
    ],
  ])('%s', (_title, text, gross, fees, ...expected) => {
    expect(made(text, gross, fees)).toEqual(expected);
  });

  test.each([
    ['before costs', '+1@10/1 +1@20 -1@18/2=3 -1@30=15', 18, 3, [3, 3, 0], [15, 0, 15]],
    ['after costs', '+1@10/1 +1@20 -1@18/2~2 -1@30~13', 18, 3, [5, 3, 2], [13, 0, 13]],
    [
      'after their own costs',
      '+1@10/1 +1@20 -1@18/2~1 -1@30~15',
      18,
      3,
      [3, 3, 0],
      [15, 0, 15],
    ],
    [
      'after the entry',
      '+1@10/1 +1@20 -1@18/2=2 -1@30=15',
      18,
      3,
      [3, 3, 0],
      [15, 0, 15],
    ],
    ['with cents', '+2@1.0025 -1@1=0 -1@1.015=0.01', 0.01, 0, [0, 0, 0], [0.01, 0, 0.01]],
    [
      'rounded to the last digit, the last exit with the remainder',
      '+2@1 -1@1.014=0.02 -1@1.024=0.02',
      0.038,
      0,
      [0.02, 0, 0.02],
      [0.018, 0, 0.018],
    ],
    [
      'but not beyond it',
      '+2@1 -1@1.01=0.02 -1@1.01=0.02',
      0.02,
      0,
      [0.01, 0, 0.01],
      [0.01, 0, 0.01],
    ],
    ['but not some of them', '+2@10 -1@12=3 -1@13', 5, 0, [2, 0, 2], [3, 0, 3]],
    ['with a net rebate', '+2@10/-1 -1@12=1 -1@13=4', 6, 0, [1.5, 0, 1.5], [4.5, 0, 4.5]],
  ])('are what their rows state %s', (_title, text, gross, fees, ...expected) => {
    expect(made(text, gross, fees)).toEqual(expected);
  });

  test.each([
    [
      'first in, first out',
      '+1@10 +2@20 -1@18.004=8 -1@19=-1',
      7,
      [8, 0, 8],
      [-1, 0, -1],
    ],
    [
      'average prices',
      '+1@10 +1@20 -1@18=3 +1@16 -0.5@17=0.75',
      3.75,
      [3, 0, 3],
      [0.75, 0, 0.75],
    ],
    ['neither', '+1@10 +2@20 -1@18=7 -1@19=-1', 7, [8, 0, 8], [-1, 0, -1]],
  ])('of an open trade by %s', (_title, text, gross, ...expected) => {
    const executions = fills(text);
    const stated = statedGrossOf({ side: 'long', multiplier: 1 }, executions);
    const isStated = _title !== 'neither';
    expect(stated).toBe(isStated ? gross : null);
    const left = positionsAfter(executions).at(-1);
    const more = { closed_at: null, open_quantity: left };
    expect(made(text, gross, 0, more)).toEqual(expected);
  });

  test.each([
    ['without an exit', '+1@10', {}],
    ['that leave something open', '+2@10 -1@11', {}],
    [
      'that end before the trade',
      '+1@10 -1@11',
      { closed_at: '2026-11-05T15:00:00.000Z' },
    ],
    ['that begin before it', '+1@10 -1@11', { executed_at: '2026-11-02T16:00:00.000Z' }],
    [
      'that close less than the trade has',
      '+2@10 -1@11',
      { closed_at: null, open_quantity: 0.5 },
    ],
  ])('are unknown for fills %s', (_title, text, more) => {
    expect(made(text, 1, 0, more)).toBeNull();
  });

  test('positions follow the fills', () => {
    expect(positionsAfter(fills('+0.1@1 +0.2@1 -0.3@1 -5@1'))).toEqual([0.1, 0.3, 0, -5]);
  });
});

const HOUR = 3_600_000;
const START = Date.parse('2026-03-07T20:00:00.000Z');

const fill: fc.Arbitrary<Partial<Fill>> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('trade' as const),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      quantity: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(0.1, 0.25, 1.5)),
      price: fc.integer({ min: 1, max: 99_999 }).map((n) => n / 100),
      fees: fc.oneof(
        fc.constant(0),
        fc.integer({ min: -20, max: 300 }).map((n) => n / 100),
      ),
      fee_quantity: fc.constantFrom(0, 0, 0, 0.001, 0.0025),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('split' as const),
      side: fc.constant(null),
      quantity: fc.constantFrom(2, 0.1, 3, 1.5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      side: fc.constant('sell' as const),
      quantity: fc.constantFrom(1, 0.5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cost' as const),
      part: fc.constant('dated'),
      side: fc.constant(null),
      quantity: fc.constant(null),
      fees: fc.integer({ min: -200, max: 300 }).map((n) => n / 1000),
    }),
  },
);

const wholeFill = (more: Partial<Fill>, index: number): Fill =>
  makeFill(`x:${index}`, {
    symbol: 'BTCUSD',
    market: 'crypto',
    underlying: null,
    multiplier: 1,
    executed_at: new Date(START + index * HOUR).toISOString(),
    price: 0,
    ...more,
  });

test('exits and dated costs of a closed trade add up to it, whatever its fills', () => {
  let counted = 0;
  let costly = 0;
  fc.assert(
    fc.property(fc.array(fill, { minLength: 4, maxLength: 30 }), (some) => {
      const fills = some.map(wholeFill);
      const { trades, unmatched } = walk(fills);
      const charged = trades.flatMap(({ costs }) => costs);
      const left = unmatched.flatMap(({ fill }) => (fill.kind === 'cost' ? fill : []));
      expect(
        [...charged, ...left].sort((a, b) => fills.indexOf(a) - fills.indexOf(b)),
      ).toEqual(fills.filter(({ kind }) => kind === 'cost'));

      for (const one of trades) {
        const fields = walkedFields(one, 'USD');
        const costs = datedCosts(one);
        const paid = [
          ...one.executions.map(({ fees }) => fees),
          ...costs.map((own) => own.amount),
        ];
        const fees = Exact.sum(paid.map((amount) => Exact.of(amount))).toNumber();
        expect(fields.fees).toBe(roundMoney(Math.max(0, fees)));
        if (one.open > 0) continue;

        const net = roundMoney(fields.gross_pnl - fields.fees);
        const trade = { ...fields, side: one.side, realised_pnl: net };
        const all = withDatedCosts(exitsOf(trade, executionsOf(one), costs) ?? [], costs);
        const sum = (kind: 'gross' | 'fees' | 'net') =>
          Exact.sum(all.map((exit) => Exact.of(exit[kind]))).toNumber();
        const surplus =
          costs.length > 0 ? roundMoney(sum('gross') - fields.gross_pnl) : 0;
        expect([sum('gross'), sum('fees'), sum('net')]).toEqual([
          roundMoney(fields.gross_pnl + surplus),
          roundMoney(fields.gross_pnl + surplus - net),
          net,
        ]);
        counted++;
        if (costs.length > 0) costly++;
      }
    }),
    { numRuns: runs(300) },
  );
  expect(counted).toBeGreaterThan(30);
  expect(costly).toBeGreaterThan(3);
});

test('the single trade states what each execution realised, and the list their sum', async () => {
  const world = new World();
  const fill = filler(world);
  const key = world.key();
  await fc.assert(
    fc.asyncProperty(anyTrade, async (random) => {
      const one = { ...random, id: 't' };
      fill(journal({}, [one]));
      const { data } = (await world.ask('/v1/trades/t', { key })).body;
      const exits = exactExits(one).filter(({ isCost }) => !isCost);
      const isOpen = one.status === 'open';
      const given = data.executions.flatMap(
        ({ realised_pnl }: { realised_pnl: number | null }) =>
          realised_pnl === null ? [] : [realised_pnl],
      );
      const hasExits = exits.length > 1 || (isOpen ? exits.length > 0 : given.length > 0);
      const expected = hasExits ? exits.map(({ net }) => money(net)) : [];
      expect(given).toEqual(Figure.settle(expected, given));

      const total = money(realisedOf(one));
      expect(data.realised_pnl).toBe(Figure.settle(total, data.realised_pnl));
      const [listed] = (await world.ask('/v1/trades', { key })).body.data;
      expect(listed.realised_pnl).toBe(data.realised_pnl);
    }),
    { numRuns: runs(150) },
  );
});

test('what the single trade computes is left out when its executions are imported', async () => {
  const world = new World();
  const executions = fills('+2@10/1 -1@12 -1@15');
  const one = trade('t', {
    executed_at: executions[0]!.executed_at,
    closed_at: executions[2]!.executed_at,
    quantity: 2,
    gross_pnl: 7,
    fees: 1,
    executions,
  });
  filler(world)(journal({}, [one]));
  const { data } = (await world.ask('/v1/trades/t', { key: world.key() })).body;
  expect(data.executions).toMatchObject([
    { realised_pnl: null, position: 2 },
    { realised_pnl: 1.5, position: 1 },
    { realised_pnl: 4.5, position: 0 },
  ]);
  expect(executionsIn(data, undefined)).toEqual(
    executions.map(({ stated_gross_pnl: _gross, stated_net_pnl: _net, ...fill }) => ({
      ...fill,
      has_time: true,
    })),
  );
});
