/**
 * Sixteen questions of an option trader over MCP, each one call as a model would write it. The
 * truths come from the facts that the journal was made of.
 */
import { expect, test } from 'vitest';
import { NOW, sharedByTests } from '../helpers.ts';
import {
  byPosition,
  byTrade,
  fillSpreads,
  netOf,
  SPREADS,
  type Spread,
  tableOf,
} from '../journal/spreads.ts';
import { call, connectOverHttp, mcpWorld, serveMcpOverHttp } from './connect.ts';

type Json = any;

const figures = 'analyze_performance';
const find = 'find_trades';
const all = { period: 'all' };

const where = (chosen: (own: Spread) => boolean) => SPREADS.filter(chosen);
const isSpread = ({ strategy }: Spread) => strategy !== null;
const isLoss = (own: Spread) => netOf(own) < 0;
const net = (of: readonly Spread[]) => of.reduce((sum, own) => sum + netOf(own), 0) / 100;
const contracts = (of: readonly Spread[]) =>
  of
    .flatMap(({ legs }) => legs)
    .filter(({ type }) => type !== null)
    .reduce((sum, { quantity }) => sum + quantity, 0);
const r = (own: Spread) => netOf(own) / (own.risk as number);
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const records = ({ columns, rows, in_every_row }: Json): Json[] =>
  rows.map((row: Json[]) => ({
    ...in_every_row,
    ...Object.fromEntries(columns.map((name: string, i: number) => [name, row[i]])),
  }));

/** The answer counts these positions. */
const counts = (of: readonly Spread[]) => (answer: Json) => {
  const { trades, net_pnl, win_rate } = tableOf(of.map(netOf));
  expect(answer.performance).toMatchObject({
    trades,
    net_pnl: expect.closeTo(net_pnl, 2),
    win_rate: expect.closeTo(win_rate, 3),
  });
};

const matches = (of: readonly Spread[]) => (answer: Json) => {
  expect(answer.matches).toMatchObject({
    trades: of.length,
    net_pnl: expect.closeTo(net(of), 2),
  });
  expect(
    records(answer.trades)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(of.map(({ id }) => id).sort());
};

/** The answer has the rows of these positions, by their key. */
const rowsBy =
  (name: string, of: readonly Spread[], keyOf: (own: Spread) => string) =>
  (answer: Json) =>
    expect(
      new Map(
        records(answer.groups).map((row) => [
          String(row[name]),
          [row.trades, row.net_pnl],
        ]),
      ),
    ).toEqual(
      new Map(
        [...Map.groupBy(of, keyOf)].map(([key, own]) => [key, [own.length, net(own)]]),
      ),
    );

const SIXTEEN: readonly (readonly [string, string, object, (answer: Json) => void])[] = [
  ['What is my win rate?', figures, all, counts(SPREADS)],
  [
    'And by leg, as my broker counts?',
    figures,
    { ...all, unit: 'trade' },
    (a) => {
      const { trades, win_rate } = byTrade();
      expect(a.performance).toMatchObject({
        trades,
        win_rate: expect.closeTo(win_rate, 3),
      });
    },
  ],
  [
    'What is my profit factor?',
    'journal_summary',
    { period: '1y' },
    (a) => expect(a.performance.profit_factor).toBeCloseTo(byPosition().profit_factor, 3),
  ],
  [
    'Which strategy pays?',
    figures,
    { ...all, group_by: 'strategy' },
    rowsBy('strategy', SPREADS, ({ strategy }) => strategy ?? '(none)'),
  ],
  [
    'How do my iron condors do?',
    figures,
    { ...all, where: { strategy: 'iron condor' } },
    counts(where(({ strategy }) => strategy === 'iron condor')),
  ],
  [
    'Which iron condors lost?',
    find,
    { where: { strategy: 'iron condor' }, outcome: 'loss', limit: 50 },
    matches(where((own) => own.strategy === 'iron condor' && isLoss(own))),
  ],
  [
    'What happens above three contracts a spread?',
    find,
    { min_quantity: 4, market: 'option', limit: 50 },
    (a) =>
      expect(
        records(a.trades)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(
        where(({ quantity, legs }) => quantity >= 4 && legs[0]?.type !== null)
          .map(({ id }) => id)
          .sort(),
      ),
  ],
  [
    'How large are my condors, in contracts?',
    find,
    { where: { strategy: 'iron condor' }, limit: 50 },
    (a) =>
      expect(
        records(a.trades).reduce((sum: number, own: Json) => sum + own.contracts, 0),
      ).toBe(contracts(where(({ strategy }) => strategy === 'iron condor'))),
  ],
  [
    'Which underlying pays?',
    figures,
    { ...all, group_by: 'underlying' },
    rowsBy('underlying', SPREADS, ({ underlying }) => underlying),
  ],
  [
    'Month by month?',
    figures,
    { ...all, group_by: 'month' },
    rowsBy('month', SPREADS, ({ closed }) => closed.slice(0, 7)),
  ],
  [
    'My expectancy in R?',
    figures,
    { ...all, sections: ['performance'] },
    (a) => {
      const risked = where(({ risk }) => risk !== null);
      expect(a.performance.r_sample).toBe(risked.length);
      expect(a.performance.expectancy_r).toBeCloseTo(mean(risked.map(r)), 3);
    },
  ],
  [
    'Without spreads, what did I make?',
    figures,
    { ...all, where: { strategy: '(none)' } },
    counts(where((own) => !isSpread(own))),
  ],
  [
    'My worst position, and what was it?',
    find,
    { sort: 'net_pnl', order: 'asc', limit: 1 },
    (a) => {
      const [worst] = [...SPREADS].sort((x, y) => netOf(x) - netOf(y)) as [Spread];
      expect(records(a.trades)[0].net_pnl).toBeCloseTo(netOf(worst) / 100, 2);
    },
  ],
  [
    'What did earnings trades make?',
    figures,
    { ...all, tag: 'earnings' },
    counts(where(({ tag }) => tag === 'earnings')),
  ],
  [
    'What did I pay in fees?',
    figures,
    { ...all, sections: ['performance'] },
    (a) => {
      const fees = SPREADS.flatMap(({ legs }) => legs).reduce(
        (sum, own) => sum + own.fees,
        0,
      );
      expect(a.performance.fees).toBeCloseTo(fees / 100, 2);
    },
  ],
  [
    'What are the legs of the second position?',
    'get_trade',
    { id: 'p1' },
    (a) => {
      const [, second] = SPREADS as readonly [Spread, Spread];
      expect([a.quantity, a.contracts, a.net_pnl]).toEqual([
        second.quantity,
        contracts([second]),
        netOf(second) / 100,
      ]);
      expect(records(a.trades).map(({ id }) => id)).toEqual(
        second.legs.map(({ id }) => id),
      );
    },
  ],
];

const client = sharedByTests(async () => {
  const world = mcpWorld();
  fillSpreads(world);
  world.now = NOW;
  return connectOverHttp('2.4, automatic', await serveMcpOverHttp(world), world.key());
});

test('there are sixteen questions', () => {
  expect(new Set(SIXTEEN.map(([question]) => question)).size).toBe(16);
});

test.each(SIXTEEN)('%s', async (_question, tool, given, isRight) => {
  const answer = await call(client(), tool, given);
  isRight(answer);
  // They say so once, unless asked for a unit.
  if (tool !== 'get_trade')
    expect('counts' in answer).toBe((given as Json).unit !== 'position');
});
