/** /v1/summary: the first response for an agent. Small for any journal. */

import * as z from 'zod';
import type { Hidden } from '../../keys/lens.ts';
import { ratioOrNull } from '../../money.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import { projectionOf } from '../hidden-fields.ts';
import type { User } from '../journal.ts';
import { once } from '../once.ts';
import { beginning } from '../response-size.ts';
import { type Range, Where } from '../where.ts';
import { balancesOf } from './balances.ts';
import { type Accumulator, IN_BASE } from './closed-trade.ts';
import { visitClosedTrades } from './closed-trades.ts';
import type { Selection } from './condition.ts';
import { compareKeys, type Key } from './dimensions.ts';
import {
  DataQuality,
  dataQualityRecord,
  MistakeCost,
  mistakesRecord,
  RuleAdherence,
  rulesRecord,
} from './discipline.ts';
import { Breakdown } from './groups.ts';
import { openRecord, openTrades } from './other-trades.ts';
import { PerformanceAccumulator, performanceRecord } from './performance.ts';
import {
  type Asked,
  periodFields,
  periodRecord,
  rangeOf,
  type Span,
  spanFields,
  spanRecord,
} from './period.ts';
import { Legs, unitFor } from './positions.ts';
import { statedTotals } from './stated-totals.ts';
import { type CountedRow, Tally } from './tally.ts';
import { unmatchedCloses, unmatchedExits, unmatchedFigures } from './unmatched.ts';

// First, last and number of the journal's closed trades.

export const journalExtentRecord = f.record(() => ({
  first_trade_at: f.orNull(
    f.instant('Close of the first closed trade; null without any'),
  ),
  last_trade_at: f.orNull(f.instant('Close of the last one; null without any')),
  closed_trades: f.count('Number of closed trades, with or without an exchange rate'),
}));

/**
 * Extent of the journal's closed trades, so that the response of an empty period shows
 * where they are.
 */
function journalExtent(reader: Reader, user: User): z.infer<typeof journalExtentRecord> {
  const end = (order: string) =>
    reader.get<{ closed_at: string }>(
      `SELECT closed_at FROM trades WHERE user_id = ${TEXT} AND closed_at IS NOT NULL ORDER BY closed_at ${order} LIMIT 1`,
      user.id,
    )?.closed_at ?? null;

  const count = (condition: string) => {
    const sql = `SELECT count(*) AS n FROM trades WHERE user_id = ${TEXT} ${condition}`;
    return reader.only<{ n: number }>(sql, user.id).n;
  };

  return {
    first_trade_at: end('ASC'),
    last_trade_at: end('DESC'),
    // Half the time of counting the closed ones by their index.
    closed_trades: count('') - count("AND status = 'open'"),
  };
}

/** Maximum items of a list, and of the weekly reviews. */
const MAX_ITEMS = 5;
const MAX_REVIEWS = 4;

const tallyItem = (key: string, description: string) =>
  f.item({
    [key]: f.label(description),
    trades: f.count('Trades'),
    net_pnl: f.money(`Net P&L, ${IN_BASE}`),
    win_rate: f.orNull(f.ratio('Wins over trades, 0 to 1')),
  });

const symbolItem = once(() => tallyItem('symbol', 'The symbol'));

const mostFrequent = (key: string, what: string) =>
  z.strictObject({
    items: f.list(
      tallyItem(key, `The ${key}`),
      `The most frequent ${what}, a maximum of ${MAX_ITEMS}`,
    ),
    distinct: f.count(`Number of different ${what}`),
  });

const excerptField = (what: string) =>
  f.orNull(f.text(`Beginning of ${what}, cut at a word`));

const dates = once(() => ({
  start: f.instant('Start of the first day'),
  end: f.instant('End of the last day, exclusive'),
  days: f.count("Calendar days in the user's time zone"),
  start_date: f.date('The first day'),
  end_date: f.date('The last day, included'),
}));

export const summaryRecord = f.record(() => ({
  period: periodRecord.extend(dates()).meta({
    description:
      'The period: closed trades by closed_at, all other records by their own date',
  }),
  performance: performanceRecord.meta({
    description: 'Performance of the trades closed in the period',
  }),
  previous: performanceRecord
    .pick({
      trades: true,
      net_pnl: true,
      win_rate: true,
      profit_factor: true,
      expectancy: true,
    })
    .meta({ description: 'The same for the previous period' }),
  previous_period: spanRecord.extend(dates()).meta({
    description:
      'The previous period: the previous calendar period for a calendar period, else one of equal length that ends at the start of this one',
  }),
  top_symbols: z
    .strictObject({
      most_traded: f.list(symbolItem(), `By number of trades, a maximum of ${MAX_ITEMS}`),
      best: f.list(
        symbolItem(),
        `With the highest net P&L above 0, a maximum of ${MAX_ITEMS}`,
      ),
      worst: f.list(
        symbolItem(),
        `With the lowest net P&L below 0, a maximum of ${MAX_ITEMS}`,
      ),
      distinct: f.count('Number of traded symbols'),
    })
    .meta({ description: 'Symbols of these trades' }),
  common_tags: mostFrequent('tag', 'tags').meta({ description: 'Tags of these trades' }),
  common_mistakes: mostFrequent('mistake', 'mistakes').meta({
    description: 'Mistakes of these trades and of their journal entries',
  }),
  common_setups: mostFrequent('setup', 'setups').meta({
    description: 'Setups of these trades',
  }),
  mistakes: mistakesRecord.meta({
    description: 'Trades with mistakes and trades without',
  }),
  rules: rulesRecord.meta({
    description: 'Whether rules were followed, by the journal entries of these trades',
  }),
  open: openRecord,
  data_quality: dataQualityRecord.meta({ description: 'Missing data' }),
  journal: journalExtentRecord.meta({
    description: 'First, last and number of all closed trades of the journal',
  }),
  recent_journals: f.list(
    f.item({
      id: f.id('The entry'),
      type: f.choice(['trade', 'group'], 'Kind of record it belongs to'),
      trade_id: f.orNull(f.id('The trade')),
      group_id: f.orNull(f.id('The trade group')),
      symbol: f.orNull(f.underlying('Symbol or underlying')),
      phase: f.ours('Phase of the trade when it was written'),
      created_at: f.instant('Time of creation'),
      title: excerptField('the title'),
      excerpt: excerptField('the body, or else went_well or went_wrong'),
      lesson: excerptField('the lesson'),
    }),
    `The newest journal entries of the period, a maximum of ${MAX_ITEMS}`,
  ),
  weekly_reviews: f.list(
    f.item({
      id: f.id('The review'),
      period_start: f.date('First day'),
      period_end: f.date('Last day'),
      rating: f.orNull(f.rating('Rating of the week')),
      summary: excerptField('the summary'),
      lesson: excerptField('the lesson'),
      focus: excerptField('the focus'),
    }),
    `The newest weekly reviews that share a day with the period, a maximum of ${MAX_REVIEWS}`,
  ),
  missed_trades: f.list(
    f.item({
      id: f.id('The missed trade'),
      missed_at: f.instant('Time of the missed entry'),
      symbol: f.underlying('Symbol'),
      side: f.ours('Direction'),
      setup: f.orNull(f.label('Beginning of the setup, cut at a word')),
      miss_type: f.ours('Reason type for missing it'),
      hypothetical_outcome: f.ours('Hypothetical outcome'),
      hypothetical_r: f.orNull(f.ratio('Hypothetical R')),
      reason: excerptField('the reason'),
    }),
    `The newest missed trades of the period, a maximum of ${MAX_ITEMS}`,
  ),
}));

type Summary = z.infer<typeof summaryRecord>;

// Its figures and records.

// Fits the summary into 8 KB: shortens texts, then lists.

const MAX_SUMMARY_BYTES = 8000;

/** Size of a summary: characters of each text, items of each list. */
interface Size {
  characters: number;
  items: number;
}

/** Maximum characters of a text. */
const MAX_CHARACTERS = 240;

/** In the order in which they are tried. */
const SUMMARY_SIZES: readonly Size[] = [
  ...[MAX_CHARACTERS, 160, 100, 60, 30].map((characters) => ({
    characters,
    items: MAX_ITEMS,
  })),
  ...[4, 3].flatMap((items) => [60, 30].map((characters) => ({ characters, items }))),
  { characters: 30, items: 2 },
  ...[2, 1, 0].map((items) => ({ characters: 15, items })),
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
    if (Buffer.byteLength(JSON.stringify({ data: shown(summary) })) < MAX_SUMMARY_BYTES)
      break;
  }
  return summary as Summary;
}

// The newest journal entries, weekly reviews and missed trades of a period, as excerpts.

/** A list of the newest records of a kind. */
interface Excerpted {
  source: string;
  /** Newest first. */
  order: string;
  limit: number;
  columns: readonly string[];
  /** The SQL of columns that are cut to excerpts. */
  texts: Readonly<Record<string, string>>;
}

const RECENT = {
  recent_journals: {
    source: 'journal_rows',
    order: 'created_at DESC, id DESC, type DESC',
    limit: MAX_ITEMS,
    columns: [
      'id',
      'type',
      'trade_id',
      'group_id',
      'phase',
      'created_at',
      'symbol',
      'title',
      'excerpt',
      'lesson',
    ],
    texts: {
      symbol: 'symbol',
      title: 'title',
      excerpt: 'coalesce(body, went_well, went_wrong)',
      lesson: 'lesson',
    },
  },
  weekly_reviews: {
    source: 'weekly_reviews',
    order: 'period_start DESC, id DESC',
    limit: MAX_REVIEWS,
    columns: ['id', 'period_start', 'period_end', 'rating', 'summary', 'lesson', 'focus'],
    texts: { summary: 'summary', lesson: 'lesson', focus: 'focus' },
  },
  missed_trades: {
    source: 'missed_trades',
    order: 'missed_at DESC, id DESC',
    limit: MAX_ITEMS,
    columns: [
      'id',
      'missed_at',
      'symbol',
      'side',
      'setup',
      'miss_type',
      'hypothetical_outcome',
      'hypothetical_r',
      'reason',
    ],
    texts: { symbol: 'symbol', setup: 'setup', reason: 'reason' },
  },
} as const satisfies Record<string, Excerpted>;

type Lists = Pick<Summary, keyof typeof RECENT>;
type Missed = Lists['missed_trades'][number];

/** @returns function that makes the lists of a summary for a size */
function recentRecords(
  reader: Reader,
  user: User,
  range: Range,
  { start_date, end_date }: Summary['period'],
): (size: Size) => Lists {
  const newest = <T extends Row>(
    list: Excerpted,
    select: (where: Where) => void,
  ): ((size: Size) => T[]) => {
    const { source, order, limit, columns, texts } = list;
    const where = new Where(user.id);
    select(where);

    const selected = columns.map((name) =>
      texts[name] === undefined ? name : beginning(texts[name], name),
    );
    const sql = `SELECT ${selected.join(', ')} FROM ${source} WHERE ${where.sql} ORDER BY ${order} LIMIT ${limit}`;

    const cut = (record: T, characters: number): T => {
      const text = (name: string) => {
        const whole = record[name];
        return typeof whole === 'string' ? excerpt(whole, characters) : whole;
      };
      return {
        ...record,
        ...Object.fromEntries(Object.keys(texts).map((name) => [name, text(name)])),
      };
    };

    // Cut once before the sizes are tried, so that a text of a megabyte isn't read
    // through for each.
    const records = reader
      .all<T>(sql, ...where.values)
      .map((record) => cut(record, MAX_CHARACTERS));
    return ({ characters, items }) =>
      records.slice(0, items).map((record) => cut(record, characters));
  };

  const journals = newest<Lists['recent_journals'][number]>(
    RECENT.recent_journals,
    (where) => where.range('created_at', range),
  );
  const reviews = newest<Lists['weekly_reviews'][number]>(
    RECENT.weekly_reviews,
    (where) =>
      where.add(
        `period_end >= ${TEXT} AND period_start <= ${TEXT}`,
        start_date,
        end_date,
      ),
  );
  const missed = newest<Missed>(RECENT.missed_trades, (where) =>
    where.range('missed_at', range),
  );

  const rounded = (record: Missed) => ({
    ...record,
    hypothetical_r: ratioOrNull(record.hypothetical_r),
  });

  return (size) => ({
    recent_journals: journals(size),
    weekly_reviews: reviews(size),
    missed_trades: missed(size).map(rounded),
  });
}

/**
 * Computes the summary, and a hint if it counts legs as trades.
 * @param askedUnit undefined for the default, trade
 * @param hides kinds of data that the key hides
 * @param now epoch milliseconds, for options that have expired
 */
export function summaryOf(
  reader: Reader,
  user: User,
  asked: Asked,
  askedUnit: Selection['unit'] | undefined,
  hides: readonly Hidden[],
  now: number,
): { data: Summary; hint: string | undefined } {
  const unit = askedUnit ?? 'trade';
  const clock = new ZoneClock(user.timezone);
  const selection = { range: rangeOf(asked.span), filters: {}, unit };
  // The period of a summary has both bounds and a previous period.
  const period = periodFields(clock, asked) as Summary['period'];
  const before = asked.previous as Span;
  const balances = balancesOf(reader, user, selection);
  const performance = new PerformanceAccumulator(user, selection.range, balances);
  const labels = new LabelCounts(clock);
  const cost = new MistakeCost(unit);
  const adherence = new RuleAdherence(unit);
  const quality = new DataQuality();
  const legs = new Legs();
  const countsLegs = askedUnit === undefined && unitFor(reader, user) === 'position';
  const accumulators: Accumulator[] = [
    performance,
    ...labels.accumulators,
    cost,
    adherence,
    quality,
  ];
  if (countsLegs) accumulators.push(legs);

  visitClosedTrades(reader, user, selection, accumulators, (...excluded) =>
    quality.addWithoutRate(...excluded),
  );
  const { open, expired } = openTrades(reader, user, selection, now);
  const closes = unmatchedCloses(reader, user, selection);
  const unmatched = unmatchedFigures(user, closes);
  const stated_totals = statedTotals(reader, user, selection);
  performance.addUnmatched(unmatchedExits(user, closes));

  const fixed = {
    period,
    performance: performance.result(),
    previous: briefly(reader, user, { ...selection, range: rangeOf(before) }),
    previous_period: spanFields(before) as Summary['previous_period'],
    mistakes: cost.result(),
    rules: adherence.result(),
    open,
    journal: journalExtent(reader, user),
  };
  const listsAt = recentRecords(reader, user, selection.range, period);
  const labelsAt = labels.result();
  const dataQuality = quality.result(expired, {
    unmatched,
    stated_totals,
    cash: balances.lacks,
  });

  const summaryAt = (size: Size) => ({
    ...fixed,
    ...labelsAt(size),
    data_quality: cutTo(dataQuality, size),
    ...listsAt(size),
  });

  return { data: fitted(summaryAt, hides), hint: legs.hint() };
}

/** The symbols and labels of trades. */
class LabelCounts {
  readonly #symbols: Breakdown;
  readonly #tags: Breakdown;
  readonly #mistakes: Breakdown;
  readonly #setups: Breakdown;

  constructor(clock: ZoneClock) {
    this.#symbols = new Breakdown('symbol', clock);
    this.#tags = new Breakdown('tag', clock);
    this.#mistakes = new Breakdown('mistake', clock);
    this.#setups = new Breakdown('setup', clock);
  }

  get accumulators(): Accumulator[] {
    return [this.#symbols, this.#tags, this.#mistakes, this.#setups];
  }

  /** @returns function that makes the lists of a summary for a size */
  result() {
    const symbols = namedRows(this.#symbols);
    const mostTraded = byFrequency(symbols);
    const winners = symbols.filter(({ tally }) => tally.netPnl > 0);
    const losers = symbols.filter(({ tally }) => tally.netPnl < 0).reverse();
    const tags = byFrequency(namedRows(this.#tags));
    const mistakes = byFrequency(namedRows(this.#mistakes));
    const setups = byFrequency(namedRows(this.#setups));

    return (size: Size) => ({
      top_symbols: {
        most_traded: rows('symbol', mostTraded, size),
        best: rows('symbol', winners, size),
        worst: rows('symbol', losers, size),
        distinct: symbols.length,
      },
      common_tags: { items: rows('tag', tags, size), distinct: tags.length },
      common_mistakes: {
        items: rows('mistake', mistakes, size),
        distinct: mistakes.length,
      },
      common_setups: { items: rows('setup', setups, size), distinct: setups.length },
    });
  }
}

/** Without the row of trades that have no such label. */
function namedRows(breakdown: Breakdown): CountedRow[] {
  return breakdown.rows().filter(({ keys: [key] }) => key !== null);
}

/** The few figures of the previous period. */
function briefly(reader: Reader, user: User, selection: Selection): Summary['previous'] {
  const tally = new Tally();
  visitClosedTrades(reader, user, selection, [
    { columns: [], add: (trade) => tally.add(trade) },
  ]);

  return {
    trades: tally.trades,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
    profit_factor: tally.profitFactor,
    expectancy: tally.expectancy,
  };
}

function rows(
  key: 'symbol' | 'tag' | 'mistake' | 'setup',
  of: readonly CountedRow[],
  { characters, items }: Size,
) {
  return of.slice(0, items).map(({ keys: [name], tally }) => ({
    [key]: excerpt(String(name), characters),
    trades: tally.trades,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
  }));
}

function cutTo(
  quality: Summary['data_quality'],
  { items }: Size,
): Summary['data_quality'] {
  return { ...quality, currencies_left_out: quality.currencies_left_out.slice(0, items) };
}

function byFrequency(rows: readonly CountedRow[]): CountedRow[] {
  return [...rows].sort(
    (a, b) =>
      b.tally.trades - a.tally.trades || compareKeys(a.keys[0] as Key, b.keys[0] as Key),
  );
}

/**
 * The beginning of a text on one line: a maximum of characters, cut at a word, with an
 * ellipsis if cut.
 */
function excerpt(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const all = [...line];
  if (all.length <= characters) return line;

  const cut = all.slice(0, characters - 1).join('');
  const space = cut.lastIndexOf(' ');
  const words =
    /^.*[^\s,;:.–—-]/s.exec(space > cut.length / 2 ? cut.slice(0, space) : cut)?.[0] ??
    '';

  return `${words}…`;
}
