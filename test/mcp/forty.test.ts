/** Forty questions over MCP about a journal with planted facts: each answered correctly, in at most two calls and few tokens. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { asPositions, PLANTED } from '../agents/journal.ts';
import { type Call, FORTY } from '../agents/questions.ts';
import { sharedByTests } from '../helpers.ts';
import type { Planted } from '../journal/analytics/planted.ts';
import { type AnyClient, call, connectToPlanted } from './connect.ts';

type Json = any;

const planted = asPositions(PLANTED);
const main = planted.filter(({ account }) => account === 'main');
const net = (of: readonly Planted[]) =>
  Math.round(of.reduce((sum, { cents }) => sum + cents, 0)) / 100;
const records = ({ columns, rows, in_every_row }: Json): Json[] =>
  rows.map((row: Json[]) => ({
    ...in_every_row,
    ...Object.fromEntries(columns.map((name: string, i: number) => [name, row[i]])),
  }));
const byNet = [...planted].sort((a, b) => b.cents - a.cents);

/** Trades and net P&L of the rows by key, and the planted ones. */
function rowsBy(answer: Json, ...by: string[]) {
  return new Map(
    records(answer.groups).map((row) => [
      by.map((name) => row[name]).join(' '),
      [row.trades, row.net_pnl],
    ]),
  );
}
function truth(of: readonly Planted[], keyOf: (trade: Planted) => unknown) {
  return new Map(
    [...Map.groupBy(of, (trade) => String(keyOf(trade)))].map(([key, of]) => [
      key,
      [of.length, net(of)],
    ]),
  );
}
const none = (key: unknown) => key ?? '(none)';
const isCut = (outside: readonly Planted[], answer: Json) =>
  expect(answer.what_if.without).toMatchObject({
    trades: outside.length,
    net_pnl: net(outside),
  });

const daily = [...truth(planted, ({ date }) => date)].map(
  ([date, row]) => [date, row[1] as number] as const,
);
const extremes = (sign: number) =>
  daily
    .map(([, net]) => net)
    .sort((a, b) => sign * (a - b))
    .slice(0, 5);

/** Checks of the answers; questions without one only need an answer. */
const RIGHT: Record<string, (answer: Json, second: Json) => void> = {
  'How is my trading going (30 days)?': (a) =>
    expect(a.performance.trades).toBe(
      planted.filter(({ date }) => date >= '2026-05-22').length,
    ),
  'Was last month better than before?': (a) => {
    const of = (month: string) => planted.filter(({ date }) => date.startsWith(month));
    expect([a.performance.net_pnl, a.previous.net_pnl]).toEqual([
      net(of('2026-05')),
      net(of('2026-04')),
    ]);
  },
  'What did I make over all months?': (a) =>
    expect(a.performance).toMatchObject({
      trades: planted.length,
      net_pnl: net(planted),
    }),
  "Where's my biggest leak?": (a) =>
    expect(records(a.leaks.costs).map(({ by }) => by)).toContain('mood tired'),
  "What if I'd skipped Fridays?": (a) =>
    isCut(
      planted.filter(({ weekday }) => weekday !== 5),
      a,
    ),
  'What did revenge trading cost?': (a) =>
    expect(rowsBy(a, 'since_loss')).toEqual(
      truth(planted, (trade) => none(trade.sinceLoss)),
    ),
  'Am I cutting winners early?': (a) => expect(a.exits.kept.median).toBeCloseTo(0.44, 1),
  'How many losses in a row should I expect?': (a) =>
    expect(a.simulation.losing_run.next_100.median).toBeGreaterThan(4),
  'What risk per trade should I use?': (a) => expect(a.simulation.kelly.fraction).toBe(0),
  'What did I write about moving my stop?': (a) =>
    expect(records(a.journals)).toMatchObject([{ trade_id: 't0243' }]),
  'My worst MNQ trade with fills and notes?': (a, b) => {
    expect(records(a.trades)[0].net_pnl).toBe(
      Math.min(
        ...main.filter(({ symbol }) => symbol === 'MNQ').map(({ cents }) => cents),
      ) / 100,
    );
    expect([records(b.executions)[0].quantity, JSON.stringify(b.journals)]).toEqual([
      8,
      expect.stringContaining('moved my stop'),
    ]);
  },
  'Which positions are open?': (a) =>
    expect(records(a.trades)).toMatchObject([{ id: 't-open' }]),
  'Which trades did I miss?': (a) =>
    expect(records(a.notes)).toMatchObject([{ symbol: 'MNQ', hypothetical_pnl: 75 }]),
  'How do my accounts compare?': (a) =>
    expect(rowsBy(a, 'account')).toEqual(truth(planted, ({ account }) => account)),
  'How do my option spreads do?': (a) => {
    const spreads = planted.filter(({ account }) => account === 'options');
    expect(a.performance).toMatchObject({
      trades: spreads.length,
      net_pnl: net(spreads),
    });
  },
  'Iron condors against verticals?': (a) => {
    const rows = records(a.groups);
    for (const setup of ['iron condor', 'vertical'])
      expect(rows.find(({ strategy }) => strategy === setup).net_pnl).toBe(
        net(planted.filter((trade) => trade.setup === setup)),
      );
  },
  'What did EUR stocks make, in EUR and USD?': (a) => {
    const euro = net(planted.filter(({ account }) => account === 'euro'));
    expect(records(a.groups)).toMatchObject([
      { currency: 'EUR', net_pnl: euro, net_pnl_native: expect.closeTo(euro / 1.1, 2) },
    ]);
  },
  'How clean is my data?': (a) =>
    expect(a.data_quality).toMatchObject({
      without_stop: planted.length,
      without_journal: 0,
    }),
  'Tax year 2025 by market, with fees?': (a) => {
    const futures = main.filter(({ date }) => date < '2026');
    expect(records(a.groups).find(({ market }) => market === 'future')).toMatchObject({
      net_pnl: net(futures),
      fees: futures.length * 1.5,
    });
  },
  'Longest streaks?': (a) =>
    expect(a.performance.streaks.longest_loss).toBeGreaterThan(5),
  'Max drawdown, how long to recover?': (a) =>
    expect(a.performance.max_drawdown).toMatchObject({
      amount: expect.any(Number),
      trough_at: expect.any(String),
    }),
  'Best and worst hour?': (a) =>
    expect([a.times, records(a.groups)[0].hour]).toEqual([
      'hour by entry, in Asia/Tokyo',
      8,
    ]),
  'P&L by holding time; losers held longer?': (a) => {
    expect(a.performance.holding_seconds).toMatchObject({
      wins_median: 240,
      losses_median: 720,
    });
    expect(a.groups.rows).toHaveLength(2);
  },
  'Do I trade worse with size?': (a) =>
    expect(rowsBy(a, 'size')).toEqual(truth(main, ({ size }) => size)),
  'After a loss? after two?': (a) =>
    expect(rowsBy(a, 'after')).toEqual(truth(main, ({ after }) => after)),
  'Best and worst 5 days?': (a, b) => {
    expect(records(a.groups).map((row) => row.net_pnl)).toEqual(extremes(-1));
    expect(records(b.groups).map((row) => row.net_pnl)).toEqual(extremes(1));
  },
  'When does my pullback setup fail?': (a) => {
    const pullbacks = main.filter(({ setup }) => setup === 'pullback');
    expect(rowsBy(a, 'after', 'size')).toEqual(
      truth(pullbacks, ({ after, size }) => `${after} ${size}`),
    );
  },
  'Which symbol carries it? what is left without?': (a, b) => {
    expect(rowsBy(a, 'symbol')).toEqual(truth(planted, ({ symbol }) => symbol));
    isCut(
      planted.filter(({ symbol }) => symbol !== 'MNQ'),
      b,
    );
  },
  'Which rule costs the most when broken?': (a) =>
    expect(rowsBy(a, 'rule')).toEqual(truth(planted, ({ rule }) => rule)),
  'Does the 8th trade of the day pay?': (a) =>
    expect(rowsBy(a, 'trade_of_day')).toEqual(truth(main, ({ ofDay }) => ofDay)),
  'Which emotion goes with losses?': (a) =>
    expect(rowsBy(a, 'emotion')).toEqual(truth(planted, ({ emotion }) => emotion)),
  'Did I follow my plan in the week of 16 June?': (a) => {
    const week = main.filter(({ date }) => date >= '2025-06-16' && date <= '2025-06-22');
    expect(rowsBy(a, 'day_plan')).toEqual(
      truth(week, ({ followedPlan }) => followedPlan),
    );
  },
  'What did my reviews tell me to change, and did I?': (a, b) => {
    expect(records(a.notes)).toMatchObject([{ focus: 'no size after losses' }]);
    expect(rowsBy(b, 'month').size).toBe(14);
  },
  'Long vs short?': (a) =>
    // A spread of bought legs costs a debit.
    expect(rowsBy(a, 'side')).toEqual(
      truth(planted, ({ groupId }) => (groupId === null ? 'long' : 'debit')),
    ),
  "Fees' share?": (a) =>
    expect(a.performance).toMatchObject({
      gross_pnl: expect.any(Number),
      fees: expect.closeTo(2002.8, 2),
    }),
  'Without my 5 best trades? expectancy in R?': (a) => {
    expect(a.what_if).toMatchObject({
      excluded: { trades: 5, net_pnl: net(byNet.slice(0, 5)) },
    });
    const risk: Record<string, number> = { SAP: 11_000, SPX: 50_000 };
    const others = byNet
      .slice(5)
      .map(({ cents, symbol }) => cents / (risk[symbol] ?? 10_000));
    const mean = others.reduce((sum, r) => sum + r, 0) / others.length;
    expect(a.performance.expectancy_r).toBeCloseTo(mean, 4);
  },
  'Losses beyond 1R: how many, cost?': (a) => {
    const beyond = records(a.groups).filter((row) =>
      ['-1.5_to_-1', '-2_to_-1.5'].includes(row.r_multiple),
    );
    expect(beyond.reduce((sum, { trades }) => sum + trades, 0)).toBe(
      planted.filter(({ cents }) => cents < -10_000).length,
    );
  },
  'Improving month by month?': (a) =>
    expect(rowsBy(a, 'month')).toEqual(truth(planted, ({ date }) => date.slice(0, 7))),
  'Days when I slept badly or broke the plan?': (a) =>
    expect(rowsBy(a, 'sleep', 'day_plan')).toEqual(
      truth(planted, (trade) => `${trade.sleep} ${trade.followedPlan}`),
    ),
  'What did I do in the last session, and its plan?': (a, b) => {
    expect(records(a.notes)).toMatchObject([
      { date: '2026-05-28', plan: 'two trades, then stop' },
    ]);
    expect(b.trades.rows).toHaveLength(
      planted.filter(({ date }) => date === '2026-05-28').length,
    );
  },
};

/** Arguments that begin with $ take a field of the first answer. */
async function answersTo(client: AnyClient, calls: readonly Call[]): Promise<Json[]> {
  const answers: Json[] = [];
  for (const [tool, given] of calls) {
    const first = answers[0] && (answers[0].trades ?? answers[0].notes);
    const known = first && records(first)[0];
    const filled = Object.entries(given).map(([name, value]) => [
      name,
      String(value).startsWith('$') ? known[String(value).slice(1)] : value,
    ]);
    answers.push(await call(client, tool, Object.fromEntries(filled)));
  }
  return answers;
}

const client = sharedByTests(connectToPlanted);

test('each of the forty questions has a check', () => {
  expect(Object.keys(RIGHT)).toEqual(FORTY.map(({ question }) => question));
  expect(FORTY).toHaveLength(40);
});

test.each(FORTY)('$question', async ({ question, tools }) => {
  expect(tools.length).toBeLessThanOrEqual(2);
  const answers = await answersTo(client(), tools);
  for (const answer of answers)
    expect(encode(JSON.stringify(answer)).length).toBeLessThan(1500);
  RIGHT[question]?.(answers[0], answers[1]);
});
