/**
 * Sixty more questions over MCP, each one call as a model would write it. The truths come from the facts that the journal was made
 * of, not from the program.
 */
import { expect, test } from 'vitest';
import { asPositions, runsAndDrawdown } from '../agents/journal.ts';
import { sharedByTests } from '../helpers.ts';
import { type Planted, plantedJournal } from '../journal/analytics/planted.ts';
import { call, connectToPlanted } from './connect.ts';

type Json = any;
type Asked = readonly [
  question: string,
  tool: string,
  given: object,
  isRight: (answer: Json) => void,
];

const { planted: legs, journal } = plantedJournal();
const planted = asPositions(legs);
const runs = runsAndDrawdown();

const round = (value: number) => Math.round(value * 100) / 100;
const net = (of: readonly Planted[]) =>
  Math.round(of.reduce((sum, { cents }) => sum + cents, 0)) / 100;
const nets = (of: readonly Planted[]) =>
  of.map(({ cents }) => cents / 100).sort((a, b) => a - b);
const where = (chosen: (trade: Planted) => boolean) => planted.filter(chosen);
const isMain = ({ account }: Planted) => account === 'main';
const main = (chosen: (trade: Planted) => boolean) =>
  where((trade) => isMain(trade) && chosen(trade));
const inMonth = (month: string) => where(({ date }) => date.startsWith(month));
const between = (from: string, to: string) =>
  where(({ date }) => date >= from && date <= to);
const isWin = ({ cents }: Planted) => cents > 0;
const isLoss = ({ cents }: Planted) => cents < 0;
const mean = (of: readonly Planted[]) => net(of) / of.length;
const days = [...Map.groupBy(planted, ({ date }) => date)].map(
  ([date, of]) => [date, net(of)] as const,
);
const byNet = [...days].sort((a, b) => a[1] - b[1]);

const records = ({ columns, rows, in_every_row }: Json): Json[] =>
  rows.map((row: Json[]) => ({
    ...in_every_row,
    ...Object.fromEntries(columns.map((name: string, i: number) => [name, row[i]])),
  }));

/** The answer counts these trades. */
const counts = (of: readonly Planted[]) => (answer: Json) =>
  expect(answer.performance).toMatchObject({ trades: of.length, net_pnl: net(of) });
const matches = (of: readonly Planted[]) => (answer: Json) =>
  expect(answer.matches).toMatchObject(
    of.length === 0 ? { trades: 0 } : { trades: of.length, net_pnl: net(of) },
  );
const without = (of: readonly Planted[]) => (answer: Json) =>
  expect(answer.what_if.without).toMatchObject({ trades: of.length, net_pnl: net(of) });
const has = (figures: object) => (answer: Json) =>
  expect(answer.performance).toMatchObject(figures);
/** The answer has exactly the rows of these trades, by their key. */
const rowsBy =
  (name: string, of: readonly Planted[], keyOf: (trade: Planted) => string) =>
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
        [...Map.groupBy(of, keyOf)].map(([key, of]) => [key, [of.length, net(of)]]),
      ),
    );

/** By ISO 8601: 2026-W20. */
function weekOf(date: string): string {
  const day = new Date(date);
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * 86_400_000);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * 86_400_000)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const figures = 'analyze_performance';
const find = 'find_trades';
const performance = { sections: ['performance'] };
const seconds = (of: readonly Planted[]) =>
  of.reduce((sum, { id, groupId }) => {
    const all = journal.trades.filter((own) =>
      groupId ? own.group_id === groupId : own.id === id,
    );
    const entered = Math.min(...all.map(({ executed_at }) => Date.parse(executed_at)));
    const closed = Math.max(
      ...all.map(({ closed_at }) => Date.parse(closed_at as string)),
    );
    return sum + (closed - entered) / 1000;
  }, 0) / of.length;
const inBase = (amount: 'fees' | 'gross_pnl') =>
  round(
    journal.trades.reduce((sum, trade) => sum + trade[amount] * (trade.fx_rate ?? 1), 0),
  );

const SIXTY: readonly Asked[] = [
  [
    'How did May go?',
    figures,
    { period: 'May 2026', ...performance },
    counts(inMonth('2026-05')),
  ],
  [
    'And April?',
    figures,
    { period: '2026-04', ...performance },
    counts(inMonth('2026-04')),
  ],
  [
    'What did I make in the first quarter?',
    figures,
    { period: '2026-Q1' },
    counts(between('2026-01-01', '2026-03-31')),
  ],
  [
    'How was the week of 11 May?',
    figures,
    { period: '2026-W20' },
    counts(between('2026-05-11', '2026-05-17')),
  ],
  [
    'What happened on 28 May?',
    figures,
    { period: '2026-05-28' },
    counts(inMonth('2026-05-28')),
  ],
  [
    'Did I trade this month?',
    'journal_summary',
    { period: 'this month' },
    (a) =>
      expect([a.performance.trades, a.hint]).toEqual([
        0,
        expect.stringContaining('2026-06-13'),
      ]),
  ],
  [
    'Show the trades of December',
    find,
    { period: 'Dec 2025' },
    matches(inMonth('2025-12')),
  ],
  [
    'How many trades have I made?',
    figures,
    { period: 'all', ...performance },
    counts(planted),
  ],
  [
    'What is my win rate?',
    figures,
    performance,
    (a) =>
      expect(a.performance.win_rate).toBeCloseTo(where(isWin).length / planted.length, 4),
  ],
  [
    'My win rate in mnq?',
    figures,
    { symbol: 'mnq', ...performance },
    (a) => {
      const of = where(({ symbol }) => symbol === 'MNQ');
      expect(a.performance.win_rate).toBeCloseTo(of.filter(isWin).length / of.length, 4);
    },
  ],
  [
    'Profit factor of my pullbacks?',
    figures,
    { setup: 'Pullback', ...performance },
    (a) => {
      const of = where(({ setup }) => setup === 'pullback');
      expect(a.performance.profit_factor).toBeCloseTo(
        net(of.filter(isWin)) / -net(of.filter(isLoss)),
        3,
      );
    },
  ],
  [
    'MES or MNQ?',
    figures,
    { group_by: 'symbol', market: 'futures' },
    rowsBy(
      'symbol',
      main(() => true),
      (t) => t.symbol,
    ),
  ],
  ['What did I pay in fees?', figures, performance, has({ fees: inBase('fees') })],
  [
    'How much before fees?',
    figures,
    performance,
    has({ gross_pnl: inBase('gross_pnl') }),
  ],
  [
    'My average win?',
    figures,
    performance,
    (a) => expect(a.performance.average_win).toBeCloseTo(mean(where(isWin)), 1),
  ],
  [
    'My average loss?',
    figures,
    performance,
    (a) => expect(a.performance.average_loss).toBeCloseTo(mean(where(isLoss)), 1),
  ],
  [
    'My biggest win?',
    figures,
    performance,
    (a) => expect(a.performance.largest_win.net_pnl).toBe(nets(planted).at(-1)),
  ],
  [
    'My biggest loss?',
    figures,
    performance,
    (a) => expect(a.performance.largest_loss.net_pnl).toBe(nets(planted)[0]),
  ],
  [
    'Show my five worst trades',
    find,
    { sort: 'net_pnl', order: 'asc', limit: 5 },
    (a) =>
      expect(records(a.trades).map((row) => row.net_pnl)).toEqual(
        nets(planted).slice(0, 5),
      ),
  ],
  [
    'The three best of the main account',
    find,
    { account: 'main', sort: 'net_pnl', limit: 3 },
    (a) =>
      expect(records(a.trades).map((row) => row.net_pnl)).toEqual(
        nets(main(() => true))
          .slice(-3)
          .reverse(),
      ),
  ],
  [
    'List my losses after two losses in a row',
    find,
    { account: 'main', where: { after: 'losses' }, outcome: 'losses' },
    matches(main((t) => t.after === 'losses' && isLoss(t))),
  ],
  [
    'Which trades did I take tired?',
    find,
    { where: { sleep: 'under_6h' } },
    matches(where(({ sleep }) => sleep === 'under_6h')),
  ],
  [
    'Show my Fridays',
    find,
    { where: { weekday: 'Friday' } },
    matches(where(({ weekday }) => weekday === 5)),
  ],
  [
    'Show the oversized trades',
    find,
    { where: { size: 'over_3x' } },
    matches(where(({ size }) => size === 'over_3x')),
  ],
  [
    'Trades within ten minutes of a loss',
    find,
    { account: 'main', where: { since_loss: 'under_10m' } },
    matches(main(({ sinceLoss }) => sinceLoss === 'under_10m')),
  ],
  [
    'Trades that I called revenge',
    find,
    { mistake: 'Revenge' },
    matches(where(({ isLabelled }) => isLabelled)),
  ],
  [
    'How do trades outside of spreads do?',
    figures,
    { where: { group: '(none)' }, ...performance },
    counts(where(({ groupId }) => groupId === null)),
  ],
  [
    'What do I make when angry?',
    figures,
    { where: { emotion: 'angry' } },
    counts(where((t) => t.emotion === 'angry')),
  ],
  [
    'What if a rule is broken?',
    figures,
    { group_by: 'rule' },
    rowsBy('rule', planted, ({ rule }) => rule),
  ],
  [
    'Does following the plan pay?',
    figures,
    { group_by: 'followed_plan' },
    rowsBy('followed_plan', planted, ({ followedPlan }) => String(followedPlan)),
  ],
  [
    'How do I trade after a win?',
    figures,
    { account: 'main', where: { after: 'win' } },
    counts(main(({ after }) => after === 'win')),
  ],
  [
    'Is my first trade of the day the best?',
    figures,
    { account: 'main', group_by: 'trade_of_day' },
    rowsBy(
      'trade_of_day',
      main(() => true),
      ({ ofDay }) => ofDay,
    ),
  ],
  [
    'Mondays in May?',
    figures,
    { period: '2026-05', where: { weekday: 'mon' } },
    counts(inMonth('2026-05').filter(({ weekday }) => weekday === 1)),
  ],
  [
    'Which weekday pays?',
    figures,
    { group_by: 'weekday' },
    rowsBy('weekday', planted, ({ weekday }) => DAYS[weekday - 1] as string),
  ],
  [
    'Quarter by quarter?',
    figures,
    { group_by: 'quarter' },
    rowsBy(
      'quarter',
      planted,
      ({ date }) => `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`,
    ),
  ],
  [
    'Year by year?',
    figures,
    { group_by: 'year' },
    rowsBy('year', planted, ({ date }) => date.slice(0, 4)),
  ],
  [
    'And each week of May?',
    figures,
    { period: '2026-05', group_by: 'week' },
    (a) =>
      expect(records(a.groups).map(({ week }) => week)).toEqual([
        ...new Set(inMonth('2026-05').map(({ date }) => weekOf(date))),
      ]),
  ],
  [
    'What was my best day?',
    figures,
    { group_by: 'day', sort: 'best', top: 1 },
    (a) =>
      expect(records(a.groups)[0]).toMatchObject({
        day: byNet.at(-1)?.[0],
        net_pnl: byNet.at(-1)?.[1],
      }),
  ],
  [
    'And the worst?',
    figures,
    { group_by: 'day', sort: 'worst', top: 1 },
    (a) =>
      expect(records(a.groups)[0]).toMatchObject({
        day: byNet[0]?.[0],
        net_pnl: byNet[0]?.[1],
      }),
  ],
  [
    'What did SAP make, in euros too?',
    figures,
    { symbol: 'SAP', group_by: 'currency' },
    (a) => {
      const of = where(({ account }) => account === 'euro');
      expect(records(a.groups)[0]).toMatchObject({
        currency: 'EUR',
        net_pnl: net(of),
        net_pnl_native: round(net(of) / 1.1),
      });
    },
  ],
  [
    'How many spreads did I trade?',
    figures,
    { market: 'options', unit: 'position', ...performance },
    (a) => {
      const spreads = where(({ groupId }) => groupId !== null);
      expect(a.performance).toMatchObject({
        trades: spreads.length,
        net_pnl: net(spreads),
      });
    },
  ],
  [
    'And how many legs?',
    figures,
    { market: 'option', unit: 'trade', ...performance },
    counts(legs.filter((t) => t.groupId !== null)),
  ],
  [
    'Without MNQ?',
    figures,
    { exclude: { symbol: 'MNQ' } },
    without(where(({ symbol }) => symbol !== 'MNQ')),
  ],
  [
    'Had I never oversized?',
    figures,
    { exclude: { size: 'over_3x' } },
    without(where(({ size }) => size !== 'over_3x')),
  ],
  [
    'Without my ten worst trades?',
    figures,
    { worst: 10 },
    (a) =>
      expect(a.what_if.without.net_pnl).toBeCloseTo(
        net(planted) -
          nets(planted)
            .slice(0, 10)
            .reduce((x, y) => x + y),
        2,
      ),
  ],
  [
    'Calm and rested only?',
    figures,
    { where: { emotion: 'calm', sleep: '7h_to_8h' } },
    counts(where((t) => t.emotion === 'calm' && t.sleep === '7h_to_8h')),
  ],
  [
    'Opening range and swing together?',
    figures,
    { setup: ['opening range', 'swing'] },
    counts(where(({ setup }) => setup === 'opening range' || setup === 'swing')),
  ],
  [
    'My longest losing streak?',
    figures,
    performance,
    (a) => expect(a.performance.streaks.longest_loss).toBe(runs.losses),
  ],
  [
    'My largest drawdown?',
    figures,
    performance,
    (a) => expect(a.performance.max_drawdown.amount).toBeCloseTo(runs.drawdown, 2),
  ],
  [
    'What is open, and how much is it up?',
    find,
    { status: 'open' },
    (a) => {
      expect(records(a.trades)).toMatchObject([{ id: 't-open', realised_pnl: 0 }]);
      expect(a.market_prices).toContain('unrealised P&L is unknown');
    },
  ],
  [
    'How much do I risk right now?',
    find,
    { status: 'open' },
    (a) => expect(a).toMatchObject({ total_open_risk: 0, without_risk: 1 }),
  ],
  [
    'In which trade did I move my stop?',
    'read_notes',
    { q: 'moved my stop' },
    (a) => expect(records(a.journals)).toMatchObject([{ trade_id: 't0243' }]),
  ],
  [
    'The same, asked of the trades',
    find,
    { q: 'moved my stop' },
    (a) =>
      expect([a.matches.trades, a.hint]).toEqual([
        0,
        expect.stringContaining('read_notes'),
      ]),
  ],
  ['How many trades have notes?', find, { has_journal: true }, matches(planted)],
  [
    'My last three trades with what I wrote',
    find,
    { status: 'closed', sort: 'closed_at', limit: 3, notes: true },
    (a) =>
      expect(records(a.trades).map(({ has_notes }) => has_notes)).toEqual([
        true,
        true,
        true,
      ]),
  ],
  [
    'What would the missed trades have made?',
    figures,
    { sections: ['missed'] },
    (a) => expect(a.missed).toMatchObject({ count: 1, hypothetical_pnl: 75 }),
  ],
  [
    'What did I want to work on?',
    'read_notes',
    { kind: 'reviews' },
    (a) => expect(records(a.notes)).toMatchObject([{ focus: 'no size after losses' }]),
  ],
  [
    'How does the main account do?',
    figures,
    { account: 'MAIN', ...performance },
    counts(main(() => true)),
  ],
  [
    'Do I hold losers longer?',
    figures,
    performance,
    (a) =>
      expect(a.performance.holding_seconds).toMatchObject({
        wins_mean: round(seconds(where(isWin))),
        losses_mean: round(seconds(where(isLoss))),
      }),
  ],
  [
    'On 28 May, what came after two losses?',
    find,
    { start: '2026-05-28', end: '2026-05-28', where: { after: 'losses' } },
    matches(inMonth('2026-05-28').filter(({ after }) => after === 'losses')),
  ],
];

const client = sharedByTests(connectToPlanted);

test('there are sixty more questions', () => {
  expect(new Set(SIXTY.map(([question]) => question)).size).toBe(60);
});

test.each(SIXTY)('%s', async (_question, tool, given, isRight) => {
  isRight(await call(client(), tool, given));
});
