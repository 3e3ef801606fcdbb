/** /v1/summary: the first response for an agent. Small for any journal. */

import type { Hidden } from '../../keys/lens.ts';
import { ratioOrNull } from '../../money.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import { projectionOf } from '../hidden-fields.ts';
import type { User } from '../journal.ts';
import { beginning } from '../response-size.ts';
import { type Range, Where } from '../where.ts';
import { balanceBefore, type Selection, visitClosedTrades } from './closed-trades.ts';
import { compareKeys, type Key } from './dimensions.ts';
import { Breakdown } from './groups.ts';
import { MistakeCost, RuleAdherence } from './mistake-cost.ts';
import { DataQuality, openTrades } from './open-trades.ts';
import { PerformanceAccumulator } from './performance.ts';
import { type Asked, periodFields, type Span, spanFields } from './period.ts';
import { rangeOf } from './statistics.ts';
import { journalExtent, MAX_ITEMS, MAX_REVIEWS, type Summary, summaryRecord } from './summary-record.ts';
import { type CountedRow, Tally } from './tally.ts';

// Fits the summary into 8 KB: shortens texts, then lists.

const MAX_SUMMARY_BYTES = 8000;

/** Size of a summary: characters of each text, items of each list. */
interface Size {
  characters: number;
  items: number;
}

/** Maximum characters of a text. */
const MAX_CHARACTERS = 240;

const SUMMARY_SIZES: readonly Size[] = [
  { characters: MAX_CHARACTERS, items: MAX_ITEMS },
  { characters: 160, items: MAX_ITEMS },
  { characters: 100, items: MAX_ITEMS },
  { characters: 60, items: MAX_ITEMS },
  { characters: 30, items: MAX_ITEMS },
  { characters: 60, items: 4 },
  { characters: 30, items: 4 },
  { characters: 60, items: 3 },
  { characters: 30, items: 3 },
  { characters: 30, items: 2 },
  { characters: 15, items: 2 },
  { characters: 15, items: 1 },
  { characters: 15, items: 0 },
];

/**
 * The summary in the first size that fits.
 * @param hides kinds of data that the key hides: their length doesn't count
 */
function fitted(summaryAt: (size: Size) => Summary, hides: readonly Hidden[]): Summary {
  const shown = projectionOf(summaryRecord, hides) as (summary: Summary) => unknown;
  let summary: Summary | undefined;
  for (const size of SUMMARY_SIZES) {
    summary = summaryAt(size);
    if (Buffer.byteLength(JSON.stringify({ data: shown(summary) })) < MAX_SUMMARY_BYTES) break;
  }
  return summary as Summary;
}

/** A copy of a record with some texts cut. */
function withExcerpts(record: Row, texts: readonly string[], characters: number): Row {
  const copy = { ...record };
  for (const name of texts) {
    const text = copy[name];
    if (typeof text === 'string') copy[name] = excerpt(text, characters);
  }
  return copy;
}

// The newest journal entries, weekly reviews and missed trades of a period, as excerpts.

type Lists = Pick<Summary, 'recent_journals' | 'weekly_reviews' | 'missed_trades'>;

/** @returns function that makes the lists of a summary for a size */
function recentRecords(
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

/**
 * Computes the summary, with pauses in the passes over closed trades.
 * @param hides kinds of data that the key hides
 * @param now epoch milliseconds, for options that have expired
 */
export function* summaryOf(
  reader: Reader,
  user: User,
  asked: Asked,
  unit: Selection['unit'],
  hides: readonly Hidden[],
  now: number,
): Generator<void, Summary> {
  const clock = new ZoneClock(user.timezone);
  const selection = { range: rangeOf(asked.span), filters: {}, unit };
  // The period of a summary has both bounds and a previous period.
  const period = periodFields(clock, asked) as Summary['period'];
  const before = asked.previous as Span;
  const { symbols, tags, mistakes, setups, ...figures } = yield* figuresOf(
    reader,
    user,
    selection,
    clock,
    yield* balanceBefore(reader, user, asked.span.from),
  );
  const { open, expired } = openTrades(reader, user, selection, now);
  const fixed = {
    period,
    performance: figures.performance,
    previous: yield* briefly(reader, user, { ...selection, range: rangeOf(before) }),
    previous_period: spanFields(before) as Summary['previous_period'],
    mistakes: figures.mistakeCost,
    rules: figures.rules,
    open,
    journal: journalExtent(reader, user),
  };
  const listsAt = recentRecords(reader, user, selection.range, period);
  const winners = symbols.filter(({ tally }) => tally.netPnl > 0);
  const losers = symbols.filter(({ tally }) => tally.netPnl < 0).reverse();
  const summaryAt = (size: Size) => ({
    ...fixed,
    top_symbols: {
      most_traded: rows('symbol', byFrequency(symbols), size),
      best: rows('symbol', winners, size),
      worst: rows('symbol', losers, size),
      distinct: symbols.length,
    },
    common_tags: { items: rows('tag', byFrequency(tags), size), distinct: tags.length },
    common_mistakes: { items: rows('mistake', byFrequency(mistakes), size), distinct: mistakes.length },
    common_setups: { items: rows('setup', byFrequency(setups), size), distinct: setups.length },
    data_quality: cutTo(figures.quality.result(expired), size),
    ...listsAt(size),
  });
  return fitted(summaryAt, hides);
}

function* figuresOf(reader: Reader, user: User, selection: Selection, clock: ZoneClock, balance: number | null) {
  const performance = new PerformanceAccumulator(user, balance);
  const [symbols, tags, mistakes, setups] = [
    new Breakdown('symbol', clock),
    new Breakdown('tag', clock),
    new Breakdown('mistake', clock),
    new Breakdown('setup', clock),
  ];
  const [mistakeCost, rules, quality] = [
    new MistakeCost(selection.unit),
    new RuleAdherence(selection.unit),
    new DataQuality(),
  ];
  const accumulators = [performance, symbols, tags, mistakes, setups, mistakeCost, rules, quality];
  yield* visitClosedTrades(reader, user, selection, accumulators, (trade, currencies) =>
    quality.addWithoutRate(trade, currencies),
  );
  const named = function* (breakdown: Breakdown) {
    return (yield* breakdown.rows()).filter(({ keys: [key] }) => key !== null);
  };
  return {
    performance: performance.result(),
    symbols: yield* named(symbols),
    tags: yield* named(tags),
    mistakes: yield* named(mistakes),
    setups: yield* named(setups),
    mistakeCost: mistakeCost.result(),
    rules: rules.result(),
    quality,
  };
}

/** The few figures of the previous period. */
function* briefly(reader: Reader, user: User, selection: Selection): Generator<void, Summary['previous']> {
  const tally = new Tally();
  yield* visitClosedTrades(reader, user, selection, [{ columns: [], add: (trade) => tally.add(trade) }]);
  return {
    trades: tally.trades,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
    profit_factor: tally.profitFactor,
    expectancy: tally.expectancy,
  };
}

function rows(key: 'symbol' | 'tag' | 'mistake' | 'setup', of: readonly CountedRow[], { characters, items }: Size) {
  return of.slice(0, items).map(({ keys: [name], tally }) => ({
    [key]: excerpt(String(name), characters),
    trades: tally.trades,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
  }));
}

function cutTo(quality: Summary['data_quality'], { items }: Size): Summary['data_quality'] {
  return { ...quality, currencies_left_out: quality.currencies_left_out.slice(0, items) };
}

function byFrequency(rows: readonly CountedRow[]): CountedRow[] {
  return [...rows].sort((a, b) => b.tally.trades - a.tally.trades || compareKeys(a.keys[0] as Key, b.keys[0] as Key));
}

/** The beginning of a text on one line: a maximum of characters, cut at a word, with an ellipsis if cut. */
function excerpt(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const all = [...line];
  if (all.length <= characters) return line;
  const cut = all.slice(0, characters - 1).join('');
  const space = cut.lastIndexOf(' ');
  const words = /^.*[^\s,;:.–—-]/s.exec(space > cut.length / 2 ? cut.slice(0, space) : cut)?.[0] ?? '';
  return `${words}…`;
}
