/** The newest journal entries, weekly reviews and missed trades of a period, as excerpts. */
import { ratioOrNull } from '../../money.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';
import { beginning } from '../response-size.ts';
import { type Range, Where } from '../where.ts';
import { MAX_ITEMS, MAX_REVIEWS, type Summary } from './summary-record.ts';
import { MAX_CHARACTERS, type Size, withExcerpts } from './summary-size.ts';

type Lists = Pick<Summary, 'recent_journals' | 'weekly_reviews' | 'missed_trades'>;

/** @returns function that makes the lists of a summary for a size */
export function recentRecords(
  reader: Reader,
  user: User,
  range: Range,
  { start_date, end_date }: Summary['period'],
): (size: Size) => Lists {
  const journals = newest(reader, RECENT_JOURNALS, within(user, RECENT_JOURNALS.date, range));
  const reviews = newest(reader, RECENT_REVIEWS, touching(user, start_date, end_date));
  const missed = newest(reader, RECENT_MISSED, within(user, RECENT_MISSED.date, range)).map((record) => ({
    ...record,
    hypothetical_r: ratioOrNull(record['hypothetical_r'] as number | null),
  }));
  return (size) => ({
    recent_journals: excerpts(RECENT_JOURNALS, journals, size) as Lists['recent_journals'],
    weekly_reviews: excerpts(RECENT_REVIEWS, reviews, size) as Lists['weekly_reviews'],
    missed_trades: excerpts(RECENT_MISSED, missed, size) as Lists['missed_trades'],
  });
}

/** A kind of record whose newest ones are in the summary. */
interface Excerpted {
  source: string;
  columns: string;
  /** Column of the order, newest first. */
  date: string;
  tieBreak: string;
  limit: number;
  /** Columns cut to excerpts. */
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

/** Weeks that share a day with the period. */
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
