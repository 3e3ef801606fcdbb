/** /v1/summary: what an agent reads first. Small whatever the journal holds: under 8 KB. */
import * as z from 'zod';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import { toInstantText, ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { Where } from '../where.ts';
import { Breakdown, type BreakdownRow, byKey, type Dimension } from './breakdowns.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { excerpt } from './excerpt.ts';
import { PerformancePass, performanceRecord } from './performance.ts';
import { lastDays, rangeOf } from './window.ts';

const MAX_BYTES = 8000;
const ITEMS = 5;

const BASE = "in the user's base currency";

const figures = (key: string, description: string) =>
  f.item({
    [key]: f.text(description),
    trades: f.count('Trades'),
    net_pnl: f.money(`Net P&L, ${BASE}`),
    win_rate: f.orNull(f.ratio('Wins over trades, 0 to 1')),
  });

const symbolItem = figures('symbol', 'The symbol');

const common = (key: string, what: string) =>
  z.strictObject({
    items: f.list(figures(key, `The ${key}`), `The most frequent ${what}, at most ${ITEMS}`),
    distinct: f.count(`How many different ${what} there are`),
  });

const excerptOf = (what: string) => f.orNull(f.text(`Beginning of ${what}, cut at a word`));

export const summaryRecord = z.strictObject({
  period: z
    .strictObject({
      days: f.count("Calendar days in the user's zone, today included"),
      start: f.instant('Start of the first day'),
      end: f.instant('End of today, exclusive'),
    })
    .meta({ description: 'The window: of closed trades by closed_at, of everything else by its own date' }),
  performance: performanceRecord.meta({ description: 'Performance of the trades closed in the window' }),
  top_symbols: z
    .strictObject({
      most_traded: f.list(symbolItem, `By number of trades, at most ${ITEMS}`),
      best: f.list(symbolItem, `With the highest net P&L above 0, at most ${ITEMS}`),
      worst: f.list(symbolItem, `With the lowest net P&L below 0, at most ${ITEMS}`),
      distinct: f.count('How many symbols were traded'),
    })
    .meta({ description: 'Symbols of those trades' }),
  common_tags: common('tag', 'tags').meta({ description: 'Tags of those trades' }),
  common_mistakes: common('mistake', 'mistakes').meta({ description: 'Mistakes of those trades' }),
  recent_journals: f.list(
    f.item({
      id: f.id('The entry'),
      type: f.choice(['trade', 'group'], 'What it is about'),
      trade_id: f.orNull(f.id('The trade')),
      group_id: f.orNull(f.id('The trade group')),
      symbol: f.orNull(f.text('Symbol or underlying')),
      phase: f.text('When in the life of the trade it was written'),
      created_at: f.instant('When it was written'),
      title: excerptOf('the title'),
      excerpt: excerptOf('the body, or else of what went well or wrong'),
      lesson: excerptOf('the lesson'),
    }),
    `The newest journal entries of the window, at most ${ITEMS}`,
  ),
  weekly_reviews: f.list(
    f.item({
      id: f.id('The review'),
      period_start: f.date('First day'),
      period_end: f.date('Last day'),
      rating: f.orNull(f.rating('How good a week it was')),
      summary: excerptOf('the summary'),
      lesson: excerptOf('the lesson'),
      focus: excerptOf('the focus'),
    }),
    'The newest weekly reviews whose week touches the window, at most 4',
  ),
  missed_trades: f.list(
    f.item({
      id: f.id('The missed trade'),
      missed_at: f.instant('When it was missed'),
      symbol: f.text('Symbol'),
      side: f.text('Direction'),
      setup: excerptOf('the setup'),
      miss_type: f.text('Why it was not taken'),
      hypothetical_outcome: f.text('How it would have ended'),
      hypothetical_r: f.orNull(f.ratio('R it would have made')),
      reason: excerptOf('the reason'),
    }),
    `The newest missed trades of the window, at most ${ITEMS}`,
  ),
});

export type Summary = z.infer<typeof summaryRecord>;

/**
 * A pass over the closed trades of the window that pauses now and then.
 * @param days length of the window, today (of `now`, epoch milliseconds) included
 */
export function* summary(reader: Reader, user: User, days: number, now: number): Generator<void, Summary> {
  const clock = new ZoneClock(user.timezone);
  const window = lastDays(clock, days, now);
  const range = rangeOf(window);
  const pass = new PerformancePass(user, clock);
  const symbols = new Breakdown('symbol', clock);
  const tags = new Breakdown('tag', clock);
  const mistakes = new Breakdown('mistake', clock);
  yield* visitClosedTrades(
    reader,
    user,
    { range, filters: {} },
    {
      detail: 'labels',
      visit: (trade) => {
        pass.add(trade);
        symbols.add(trade);
        tags.add(trade);
        mistakes.add(trade);
      },
    },
  );

  const newest = (columns: string, source: string, orderBy: string, limit: number, where: Where) =>
    reader
      .all(`SELECT ${columns} FROM ${source} WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ${limit}`, ...where.values)
      // Once, so that a text of a megabyte is not gone through at every step.
      .map((record) => shortened(record, Object.keys(record), STEPS[0][0]));
  const within = (column: string) => {
    const where = new Where(user.id);
    where.range(column, range);
    return where;
  };
  const journals = newest(
    'id, type, trade_id, group_id, symbol, phase, created_at, title, coalesce(body, went_well, went_wrong) AS excerpt, lesson',
    'journal_rows',
    'created_at DESC, id DESC, type DESC',
    ITEMS,
    within('created_at'),
  );
  const touching = new Where(user.id);
  touching.add(`period_end >= ${TEXT} AND period_start < ${TEXT}`, clock.dateOf(window.from), clock.dateOf(window.to));
  const reviews = newest(
    'id, period_start, period_end, rating, summary, lesson, focus',
    'weekly_reviews',
    'period_start DESC, id DESC',
    4,
    touching,
  );
  const missed = newest(
    'id, missed_at, symbol, side, setup, miss_type, hypothetical_outcome, round(hypothetical_r, 6) AS hypothetical_r, reason',
    'missed_trades',
    'missed_at DESC, id DESC',
    ITEMS,
    within('missed_at'),
  );

  const bySymbol = symbols.result();
  const byTag = tags.result();
  const byMistake = mistakes.result();
  const performance = pass.result();
  return fitting((letters, items) => {
    const rows = (dimension: Dimension, of: BreakdownRow[]) =>
      of.slice(0, items).map((row) => ({
        [dimension]: excerpt(String(row.key), letters),
        trades: row.trades,
        net_pnl: row.net_pnl,
        win_rate: row.win_rate,
      }));
    const texts = <T>(records: Row[], fields: readonly string[]) =>
      records.slice(0, items).map((record) => shortened(record, fields, letters)) as T[];
    return {
      period: { days, start: toInstantText(window.from), end: toInstantText(window.to) },
      performance,
      top_symbols: {
        most_traded: rows('symbol', byFrequency(bySymbol)),
        best: rows(
          'symbol',
          bySymbol.filter((row) => row.net_pnl > 0),
        ),
        worst: rows('symbol', bySymbol.filter((row) => row.net_pnl < 0).reverse()),
        distinct: symbols.distinct,
      },
      common_tags: { items: rows('tag', byFrequency(byTag)), distinct: tags.distinct },
      common_mistakes: { items: rows('mistake', byFrequency(byMistake)), distinct: mistakes.distinct },
      recent_journals: texts(journals, ['symbol', 'title', 'excerpt', 'lesson']),
      weekly_reviews: texts(reviews, ['summary', 'lesson', 'focus']),
      missed_trades: texts(missed, ['symbol', 'setup', 'reason']),
    };
  });
}

/** Excerpts get shorter, and in the end lists too, until the whole is small enough. */
const STEPS = [
  [240, ITEMS],
  [160, ITEMS],
  [100, ITEMS],
  [60, ITEMS],
  [30, ITEMS],
  [60, 3],
  [30, 3],
  [30, 2],
  [15, 2],
  [15, 1],
  [15, 0],
] as const;

function fitting(build: (letters: number, items: number) => Summary): Summary {
  let candidate: Summary | undefined;
  for (const [letters, items] of STEPS) {
    candidate = build(letters, items);
    if (Buffer.byteLength(JSON.stringify({ data: candidate })) < MAX_BYTES) break;
  }
  return candidate as Summary;
}

function byFrequency(rows: BreakdownRow[]): BreakdownRow[] {
  return [...rows].sort((a, b) => b.trades - a.trades || byKey(a, b));
}

function shortened(record: Row, fields: readonly string[], letters: number): Row {
  const copy = { ...record };
  for (const field of fields) {
    const text = copy[field];
    if (typeof text === 'string') copy[field] = excerpt(text, letters);
  }
  return copy;
}
