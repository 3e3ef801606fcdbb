/** /v1/summary: what an agent reads first. Small whatever the journal holds. */
import { ratioOrNull } from '../../money.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import { beginning } from '../answer-size.ts';
import type { User } from '../journal.ts';
import { type Range, Where } from '../where.ts';
import { Breakdown, type BreakdownRow, compareKeys } from './breakdowns.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { excerpt } from './excerpt.ts';
import { PerformanceAccumulator } from './performance.ts';
import { type Asked, periodFields } from './period.ts';
import { MAX_ITEMS, MAX_REVIEWS, type Summary } from './summary-record.ts';
import { fitted, MAX_CHARACTERS, type Size, withExcerpts } from './summary-size.ts';
import { rangeOf } from './window.ts';

/**
 * Computes the summary; a generator, which pauses now and then during the pass over the closed trades.
 * @param asked its window, which has both its ends
 */
export function* summaryOf(reader: Reader, user: User, asked: Asked): Generator<void, Summary> {
  const clock = new ZoneClock(user.timezone);
  const range = rangeOf(asked.span);
  const period = periodFields(clock, asked) as Summary['period'];
  const trades = yield* tradeFigures(reader, user, range, clock);
  const journals = newest(reader, RECENT_JOURNALS, within(user, RECENT_JOURNALS.date, range));
  const reviews = newest(reader, RECENT_REVIEWS, touching(user, period.start_date, period.end_date));
  const missed = newest(reader, RECENT_MISSED, within(user, RECENT_MISSED.date, range)).map((record) => ({
    ...record,
    hypothetical_r: ratioOrNull(record['hypothetical_r'] as number | null),
  }));
  const winners = trades.symbols.filter(({ net_pnl }) => net_pnl > 0);
  const losers = trades.symbols.filter(({ net_pnl }) => net_pnl < 0).reverse();
  return fitted((size) => ({
    period,
    performance: trades.performance,
    top_symbols: {
      most_traded: rows('symbol', byFrequency(trades.symbols), size),
      best: rows('symbol', winners, size),
      worst: rows('symbol', losers, size),
      distinct: trades.symbols.length,
    },
    common_tags: { items: rows('tag', byFrequency(trades.tags), size), distinct: trades.tags.length },
    common_mistakes: { items: rows('mistake', byFrequency(trades.mistakes), size), distinct: trades.mistakes.length },
    recent_journals: excerpts(RECENT_JOURNALS, journals, size) as Summary['recent_journals'],
    weekly_reviews: excerpts(RECENT_REVIEWS, reviews, size) as Summary['weekly_reviews'],
    missed_trades: excerpts(RECENT_MISSED, missed, size) as Summary['missed_trades'],
  }));
}

function* tradeFigures(reader: Reader, user: User, range: Range, clock: ZoneClock) {
  const performance = new PerformanceAccumulator(user, clock);
  const symbols = new Breakdown('symbol', clock);
  const tags = new Breakdown('tag', clock);
  const mistakes = new Breakdown('mistake', clock);
  const selection = { range, filters: {} };
  yield* visitClosedTrades(reader, user, selection, {
    detail: 'labels',
    visit: (trade) => {
      performance.add(trade);
      symbols.add(trade);
      tags.add(trade);
      mistakes.add(trade);
    },
  });
  return {
    performance: performance.result(),
    symbols: symbols.result(),
    tags: tags.result(),
    mistakes: mistakes.result(),
  };
}

/** A kind of record that the summary shows the newest of. */
interface Excerpted {
  source: string;
  columns: string;
  /** The column that they are ordered by, newest first. */
  date: string;
  tieBreak: string;
  limit: number;
  /** The columns that are cut to excerpts. */
  texts: readonly string[];
}

const RECENT_JOURNALS: Excerpted = {
  source: 'journal_rows',
  columns: [
    'id, type, trade_id, group_id, phase, created_at',
    beginning('symbol'),
    beginning('title'),
    beginning('coalesce(body, went_well, went_wrong)', 'excerpt'),
    beginning('lesson'),
  ].join(', '),
  date: 'created_at',
  tieBreak: 'id DESC, type DESC',
  limit: MAX_ITEMS,
  texts: ['symbol', 'title', 'excerpt', 'lesson'],
};

const RECENT_REVIEWS: Excerpted = {
  source: 'weekly_reviews',
  columns: `id, period_start, period_end, rating, ${beginning('summary')}, ${beginning('lesson')}, ${beginning('focus')}`,
  date: 'period_start',
  tieBreak: 'id DESC',
  limit: MAX_REVIEWS,
  texts: ['summary', 'lesson', 'focus'],
};

const RECENT_MISSED: Excerpted = {
  source: 'missed_trades',
  columns: `id, missed_at, symbol, side, ${beginning('setup')}, miss_type, hypothetical_outcome, hypothetical_r, ${beginning('reason')}`,
  date: 'missed_at',
  tieBreak: 'id DESC',
  limit: MAX_ITEMS,
  texts: ['symbol', 'setup', 'reason'],
};

function within(user: User, column: string, range: Range): Where {
  const where = new Where(user.id);
  where.range(column, range);
  return where;
}

/** Weeks that share a day with the window. */
function touching(user: User, first: string, last: string): Where {
  const where = new Where(user.id);
  where.add(`period_end >= ${TEXT} AND period_start <= ${TEXT}`, first, last);
  return where;
}

function newest(reader: Reader, { source, columns, date, tieBreak, limit, texts }: Excerpted, where: Where): Row[] {
  return (
    reader
      .all(
        `SELECT ${columns} FROM ${source} WHERE ${where.sql} ORDER BY ${date} DESC, ${tieBreak} LIMIT ${limit}`,
        ...where.values,
      )
      // Cut once before the sizes are tried, so that a text of a megabyte isn't read through for each.
      .map((record) => withExcerpts(record, texts, MAX_CHARACTERS))
  );
}

function excerpts({ texts }: Excerpted, records: readonly Row[], { characters, items }: Size): Row[] {
  return records.slice(0, items).map((record) => withExcerpts(record, texts, characters));
}

function rows(key: 'symbol' | 'tag' | 'mistake', of: readonly BreakdownRow[], { characters, items }: Size) {
  return of.slice(0, items).map(({ key: name, trades, net_pnl, win_rate }) => ({
    [key]: excerpt(String(name), characters),
    trades,
    net_pnl,
    win_rate,
  }));
}

function byFrequency(rows: readonly BreakdownRow[]): BreakdownRow[] {
  return [...rows].sort((a, b) => b.trades - a.trades || compareKeys(a, b));
}
